"""What the words before a value in a text say of it: its label, as a header says it of a column."""

from __future__ import annotations

import re
from typing import Final

from piiscan.core.header_words import MARKS

LABEL: Final = 60
"""Characters before a value that may be its label."""
WORDS: Final = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*")
_MARKS: Final = re.compile(r"(?:[\"']\s*[:=]\s*[\"']?|\s*[:=]\s*[\"']|(?<=\w)>)$")
_ENDS_CELL: Final = re.compile(r"[\n;!?|,<>\d\"]")
_LAST: Final = ("'", '"', ">", ":", "=")


def without_marks(before: str) -> str:
    """The text before a value without what JSON, XML and programs write around values: `"dob":"`, `<dob>`, `dob='`."""
    if before.rstrip()[-1:] not in _LAST:
        return before
    found = _MARKS.search(before)
    return before if found is None else before[: found.start()]


def cell_before(before: str) -> str | None:
    """The cell that a line consists of before a value, as above a table ("Phone;"); None where there is more or none.

    before: up to `LABEL` characters before the value.
    """
    line = before.rstrip().rpartition("\n")[2]
    if line[-1:] in (";", ",") and (len(line) < LABEL or len(before) < LABEL) and not _ENDS_CELL.search(line[:-1]):
        return without_marks(line[:-1])
    return None
