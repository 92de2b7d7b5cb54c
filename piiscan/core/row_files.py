"""Rows as the bytes of a file, in the format that its name asks for."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from piiscan.core.errors import UsageError
from piiscan.core.hidden_values import written_anew

if TYPE_CHECKING:
    import polars as pl

_FORMATS: Final[dict[str, Callable[[pl.DataFrame, io.BytesIO], object]]] = {
    ".csv": lambda frame, file: frame.write_csv(file),
    ".tsv": lambda frame, file: frame.write_csv(file, separator="\t"),
    ".parquet": lambda frame, file: frame.write_parquet(file),
    ".arrow": lambda frame, file: frame.with_columns(written_anew(frame.iter_columns())).write_ipc(file),
    ".jsonl": lambda frame, file: frame.write_ndjson(file),
    ".json": lambda frame, file: frame.write_json(file),
}
ENDINGS: Final = tuple(_FORMATS)


def check(path: Path) -> None:
    """Raises `UsageError` for a name that no format goes by."""
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"{path}: the extension decides the format of rows; use one of {', '.join(_FORMATS)}")


def content(frame: Any, path: Path) -> bytes:
    """The file of a polars, pandas or pyarrow frame."""
    import polars as pl

    rows = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame)
    file = io.BytesIO()
    _FORMATS[path.suffix.lower()](rows, file)
    return file.getvalue()
