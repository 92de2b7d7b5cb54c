"""What a workbook of Excel 97 to 2003 (xls) has beside the cells of its sheets."""

from __future__ import annotations

from collections.abc import Iterator

from piiscan.io.content import Content
from piiscan.io.options import ReadOptions
from piiscan.types import NotScanned, Table


def beside(content: Content, options: ReadOptions) -> Iterator[Table | NotScanned]:
    return iter(())
