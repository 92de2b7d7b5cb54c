"""What the user may say about a scan."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from piiscan.scanning.allowed_values import AllowedValues


class ColumnTruth(NamedTuple):
    """What the user says a column is (`[[columns]]` in the config); it wins over every verdict.

    `path` is a glob over the report's `source`; `table` and `column` are exact names, `table` None for any, `column_3`
    (from 0) for a column without a name. `entity` is an entity of the vocabulary, or None for "none": nothing personal.
    """

    path: str
    column: str
    entity: str | None
    table: str | None = None


class ScanOptions(NamedTuple):
    """How to scan.

    `jobs` threads (None: one a core); `sample` says that only the first N rows of each table were asked for; a verdict
    whose entity and class are both less sure than `min_confidence` becomes None; `model` is a file to use in place of
    the shipped model; `empty_columns` asks for verdicts on columns without values, by their headers; `spacy` names a
    pipeline that finds names in texts instead of the shipped recogniser; `data_sets` asks for one verdict on the files
    of a data set; `allowed` says which values raise no alarm; up to `processes` take a part, this one included
    (`piiscan.scanning.crew`).
    """

    jobs: int | None = None
    sample: int | None = None
    min_confidence: float = 0.5
    truths: tuple[ColumnTruth, ...] = ()
    model: str | None = None
    empty_columns: bool = False
    spacy: str | None = None
    data_sets: bool = False
    allowed: AllowedValues = AllowedValues()
    processes: int = 1

    def declared(self, source: str) -> tuple[ColumnTruth, ...]:
        """What the user says of the columns of a source."""
        return tuple(truth for truth in self.truths if fnmatchcase(source, truth.path))
