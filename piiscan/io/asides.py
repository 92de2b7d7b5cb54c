"""Texts that a file holds beside the rows of its tables: a workbook's comments, a database's schema, a file's metadata.

A scan reads them as tables of their own. Code that works on rows alone turns them off in `ReadOptions`; a writer leaves
them out or, where it copies them, shows them to its caller first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from piiscan.core.types import Field, TableInfo, TableReport
from piiscan.io.content import Content, ReadTable, describe

if TYPE_CHECKING:
    import polars as pl

_DETAIL: Final = "written again"
LEFT_OUT: Final = (_DETAIL, "left out")
COPIED: Final = (_DETAIL, "as it is")


def texts(content: Content, name: str, cells: Sequence[str], *, copied: bool = False) -> ReadTable:
    """A table of one column of text. `copied`: a writer copies the texts, so that its caller has to look at them."""
    return table(content, name, "text", {"text": cells}, copied=copied)


def table(
    content: Content, name: str, kind: str, columns: dict[str, Sequence[str]], *, copied: bool = False
) -> ReadTable:
    """A table of texts, by the names of its columns."""

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        yield pl.DataFrame(
            {str(i): list(cells) for i, cells in enumerate(columns.values())}, schema_overrides={"0": pl.String}
        )

    fields = tuple(Field(column) for column in columns)
    return ReadTable(
        TableInfo(
            content.source, name, kind, kind != "text", fields, (COPIED if copied else LEFT_OUT, *describe(content))
        ),
        frames,
    )


def left_out(found: ReadTable) -> ReadTable:
    """A table that is part of something else, such as a workbook within a workbook, which no writer writes."""
    return found._replace(info=found.info._replace(details=(*found.info.details, LEFT_OUT)), origin=None)


def is_aside(info: TableInfo | TableReport) -> bool:
    """Whether a table holds no rows of its file's own."""
    return any(key == _DETAIL for key, _ in info.details)


def is_copied(info: TableInfo) -> bool:
    """Whether a writer copies these texts as they are."""
    return COPIED in info.details
