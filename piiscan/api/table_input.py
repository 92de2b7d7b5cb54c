"""The input of verbs: a table from a file or a frame, and how a file's text is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    from piiscan.io.read_options import ReadOptions
    from piiscan.io.table_source import Source


def table_source(
    data: Any,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Source:
    """Return the table of a frame or of the file at a path; nothing is opened yet.

    table: which one, if a file has several. Raises `UsageError` for an unknown dialect.
    """
    from piiscan.io.table_source import Source

    if isinstance(data, Source):  # of a command, which reads as its configuration says
        return data
    return Source(data, table, read_options(delimiter, encoding, header))


def read_options(delimiter: str | None = None, encoding: str | None = None, header: bool | None = None) -> ReadOptions:
    """Return how delimited text is written, as the caller says; None to infer. Raises `UsageError`."""
    from piiscan.io.read_options import ReadOptions
    from piiscan.scanning import configuration

    for name, text in (("delimiter", delimiter), ("encoding", encoding)):
        if text is not None and not isinstance(text, str):
            raise UsageError(f"{name} must be a text, not an object of type {type(text).__name__}")
    if header is not None and not isinstance(header, bool):
        raise UsageError(f"header must be True or False, not an object of type {type(header).__name__}")
    try:
        name = "delimiter"
        delimiter = None if delimiter is None else configuration.delimiter(delimiter)
        name = "encoding"
        encoding = None if encoding is None else configuration.encoding(encoding)
    except ValueError as error:
        raise UsageError(f"{name} {error}") from None
    return ReadOptions(delimiter=delimiter, encoding=encoding, header=header)


def is_path(data: Any) -> bool:
    return isinstance(data, str | os.PathLike)


def several(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name, or several of them."""
    return (names,) if isinstance(names, str) else tuple(names)
