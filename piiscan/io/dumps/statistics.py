"""Recognise statements that restore statistics of columns: their commonest values, and bounds of histograms.

PostgreSQL 18 writes them. A scan reads them as text, and a masked dump lacks them: they contain values, and ANALYZE
makes them anew. Source: postgresql.org/docs/18, "Statistics Manipulation Functions".
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_NAME: Final = rb"SELECT (?:\* FROM )?pg_catalog\.pg_(?:restore|set)_(?!relation_)\w*_stats\b"
"""Those of whole tables contain numbers of rows and pages only."""
_FIRST: Final = re.compile(_NAME, re.IGNORECASE)


def is_statistics(data: bytes, start: int) -> bool:
    """Return whether the statement that begins at byte `start` restores statistics of a column."""
    return _FIRST.match(data, start) is not None


def is_nothing_else(data: bytes, start: int, end: int, escapes: bool) -> bool:
    """Return whether such a statement calls one function, with constants.

    Then nothing else is lost where it is left out.
    """
    return _whole(escapes).fullmatch(data, start, end) is not None


@cache
def _whole(escapes: bool) -> re.Pattern[bytes]:
    escaped = rb"'(?:[^'\\]++|''|\\.)*+'"
    constant = rb"(?:[eE]" + escaped + rb"|" + (escaped if escapes else rb"'(?:[^']++|'')*+'") + rb"|NULL)"
    argument = constant + rb"(?:::[a-z_ ]++(?:\[\])?)?"
    return re.compile(
        _NAME + rb"\s*+\(\s*+" + argument + rb"(?:\s*+,\s*+" + argument + rb")*+\s*+\)\s*+;", re.DOTALL | re.IGNORECASE
    )
