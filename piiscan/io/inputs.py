"""Opens inputs: paths, streams and frames in; tables, and what could not or need not be read, out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

from piiscan.core.errors import PiiscanError, UsageError
from piiscan.core.types import Found, Table
from piiscan.io.read_options import ReadOptions


def discover(paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None = None) -> Iterator[Found]:
    """The tables of files, folders (in sorted order) and, for "-", of `stdin`; lazily, one input at a time."""
    from piiscan.io.walk import inputs

    return inputs(paths, options, stdin)


def from_frame(obj: Any, options: ReadOptions | None = None, texts: bool = True) -> Table:
    """The table of a data frame (pandas, polars, pyarrow, anything narwhals knows) or of an iterable of frames.
    `texts`: what columns of JSON texts hold gets columns of its own, by the first rows. Raises `UsageError`."""
    from piiscan.io.frames import frame_table

    try:
        return frame_table(obj, options or ReadOptions(), texts)
    except PiiscanError:
        raise
    except Exception as error:  # libraries quote values in their messages
        raise UsageError(
            f"can't read a {type(obj).__name__} as a table ({type(error).__name__}); pass a data frame"
        ) from None
