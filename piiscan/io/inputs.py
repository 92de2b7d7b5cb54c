"""Opens inputs: paths, streams and frames in; tables, and what could not or need not be read, out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

from piiscan.core.types import Found, Table
from piiscan.io.read_options import ReadOptions


def discover(paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None = None) -> Iterator[Found]:
    """The tables of files, folders (in sorted order) and, for "-", of `stdin`; lazily, one input at a time."""
    from piiscan.io.walk import inputs

    return inputs(paths, options, stdin)


def from_frame(obj: Any, options: ReadOptions | None = None, texts: bool = True) -> Table:
    """The table of a data frame (pandas, polars, pyarrow, anything narwhals knows) or of an iterable of frames.
    `texts`: what columns of JSON texts hold gets columns of its own, by the first rows."""
    from piiscan.io.frames import frame_table

    return frame_table(obj, options or ReadOptions(), texts)
