"""Formats that are read but not written: a file in which nothing changes is copied, any other is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from piiscan.core.errors import ReadError
from piiscan.io.content import ReadTable
from piiscan.io.write.change import Change, applied

READ_ONLY: Final = {
    "html": "HTML",
    "html table": "HTML",
    "rtf": "RTF",
    "office document": "a document of an office program",
    "office table": "a document of an office program",
    "pdf": "a PDF file",
    "pdf table": "a PDF file",
    "code": "source code",
    "mail": "mail with encoded parts",
    "pg_dump": "a dump in a format of pg_dump's own (pg_restore -f - FILE | piiscan mask - -o OUT.sql masks its SQL)",
}
"""Formats of piiscan's own readers that nobody writes, in words."""
_CONVERT: Final = "convert it to JSON or CSV, and use that"
_ADVICE: Final = {
    "rtf": "save it as plain text, and use that",
    "office document": "save it as plain text, and use that",
    "pdf": "save it as plain text, and use that",
    "mail": "save its texts and attachments as files, and use those",
}


def check_unchanged(tables: Sequence[ReadTable], changes: Sequence[Change | None]) -> None:
    """Raises `ReadError` where anything in the tables of a file changes."""
    for table, change in zip(tables, changes, strict=True):
        if change is not None and not _is_same(table, change):
            what = READ_ONLY[tables[0].info.format]
            raise ReadError(
                f"{what} is read but not written, and something in it has to change; "
                f"{_ADVICE.get(tables[0].info.format, _CONVERT)}"
            )


def _is_same(table: ReadTable, change: Change) -> bool:
    if [column.origin for column in change.columns] != list(range(len(table.info.fields))):
        return False
    if any(column.field.name != table.info.fields[column.origin].name for column in change.columns):
        return False
    for batch in table.batches():
        changed = applied(change, batch, table.info)
        if changed.kept is not None and not changed.kept.all():
            return False
        for i, column in enumerate(change.columns):
            if not column.same and not changed.frame[str(i)].equals(batch.frame.to_series(i), check_names=False):
                return False
    return True
