"""Everything that reads: paths, streams and frames in; tables, and what could not or need not be read, out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

from piiscan.io.options import Limits, PathOptions, ReadOptions
from piiscan.types import Found, Table

__all__ = ["Limits", "PathOptions", "ReadOptions", "discover", "from_frame"]


def discover(paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None = None) -> Iterator[Found]:
    """The tables of files, folders (in sorted order) and, for "-", of `stdin`; lazily, one input at a time."""
    from piiscan.io.walk import inputs

    return inputs(paths, options, stdin)


def from_frame(obj: Any, options: ReadOptions | None = None) -> Table:
    """The table of a data frame (pandas, polars, pyarrow, anything narwhals knows) or of an iterable of frames."""
    from piiscan.io.frames import frame_table

    return frame_table(obj, options or ReadOptions())
