"""Which writer writes tables of which format: piiscan's own writers and those of other packages, in one table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from piiscan.core import plugins
from piiscan.core.errors import ReadError, UsageError
from piiscan.io.content import ReadTable
from piiscan.io.messages import notations
from piiscan.io.write.change import Change, writing
from piiscan.io.write.copied import READ_ONLY

GROUP: Final = "piiscan.writers"
BUILT_IN: Final = {
    "csv": "piiscan.io.write.delimited_writer",
    "tsv": "piiscan.io.write.delimited_writer",
    "text": "piiscan.io.write.lines_writer",
    **dict.fromkeys(("vcard", "icalendar", "ldif"), "piiscan.io.write.content_lines_writer"),
    **dict.fromkeys(notations.FORMATS, "piiscan.io.write.records_writer"),
    "xml": "piiscan.io.write.xml_writer",
    **dict.fromkeys(("yaml", "toml", "ini", "env", "netrc"), "piiscan.io.write.documents_writer"),
    "json": "piiscan.io.write.json_writer",
    "jsonl": "piiscan.io.write.json_writer",
    "parquet": "piiscan.io.write.columnar_writer",
    "arrow": "piiscan.io.write.columnar_writer",
    "avro": "piiscan.io.write.avro_writer",
    "sqlite": "piiscan.io.write.sqlite_writer",
    "duckdb": "piiscan.io.write.duckdb_writer",
    "sql": "piiscan.io.write.dump_writer",
    "excel": "piiscan.io.write.excel_writer",
}
"""Format → the module whose `write` writes it; imported when it is needed."""
Writer = Callable[[Sequence[ReadTable], Sequence[Change | None], Path], None]
"""Writes all tables of one content to a file. Raises `ReadError`, `WriteError` and OSError (of the output)."""


def plugged() -> dict[str, Writer]:
    """The writers of other packages by format. Raises `UsageError` for one that can't be used."""
    return _plugged(tuple(sys.path))


@lru_cache(maxsize=1)
def _plugged(path: tuple[str, ...]) -> dict[str, Writer]:
    found: dict[str, Writer] = {}
    for name, point in plugins.named(GROUP, frozenset((*BUILT_IN, *READ_ONLY))).items():
        write = plugins.loaded(point)
        if not callable(write):
            raise UsageError(f"{plugins.title(point)}: a writer is a function of tables, changes and a path")
        found[name] = _silenced(write)
    return found


def _silenced(write: Any) -> Writer:
    """A writer whose errors don't quote cells."""

    def guarded(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
        with writing(tables[0].info):
            write(tables, changes, target)

    return guarded


def writer(format_: str) -> Writer:
    """The writer of tables of this format. Raises `ReadError` where there is none."""
    if format_ in BUILT_IN:
        write: Writer = import_module(BUILT_IN[format_]).write
        return write
    found = plugged().get(format_)
    if found is None:
        raise ReadError(f"{format_} is read but not written; export its tables as Parquet or CSV")
    return found
