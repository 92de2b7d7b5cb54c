"""The labelled tables: read as `piiscan scan` reads them, with what is right for each column."""

from __future__ import annotations

import collections
import csv
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from piiscan.core.types import InName, NotScanned, Skipped, TableInfo
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.scanning.classify.column_model import NONE

ENTITY: Mapping[str, str] = {
    "person_name": "PERSON",
    "email": "EMAIL_ADDRESS",
    "phone": "PHONE_NUMBER",
    "ssn": "US_SSN",
    "lat_lon": "GEO_COORDINATES",
    "race_ethnicity": "ETHNICITY",
    "income_salary": "INCOME",
    "medical_record_id": "MEDICAL_RECORD",
    "customer_or_employee_id": "PERSON_ID",
    "organization_name": "ORGANIZATION",
    "iban": "IBAN_CODE",
    "id_other": "GENERIC_ID",
}
"""Labels whose entity isn't their own name in upper case; those in `_other` are nothing of the vocabulary."""
BORN = ("birth", "born", "naissance", "nasc", "nac", "geburt")


ARGUABLE = 0.3
"""The weight of a label that its own note calls arguable, beside 1."""
CLOSED = 3
"""One of so many sources of a closed folder is neither learned from nor looked at: what unseen tables are judged by."""


class Truth(NamedTuple):
    """What a column is: the entity to learn, all that are right (NONE among them), its class in its table, and the
    label's weight."""

    header: str
    target: str
    accepted: frozenset[str]
    pii: str
    weight: float

    @property
    def personal(self) -> bool:
        return self.pii != "none"


class File(NamedTuple):
    """A file of labelled tables; those of one `group` come from one source."""

    path: Path
    group: str
    labels: tuple[dict[str, str], ...]


def is_closed(source: str) -> bool:
    """Whether a source belongs to the closed third, by its name alone.

    >>> is_closed("example/a"), is_closed("example/d")
    (True, False)
    """
    return hashlib.sha256(source.encode()).digest()[0] % CLOSED == 0


def files(data: Path, without_closed: bool = False) -> list[File]:
    """The files below `data/tables` with the labels of their columns, those without values left out."""
    sources = {row["table_file"]: row["repo_or_package"] for row in _rows(data / "sources.csv")}
    labels: dict[str, list[dict[str, str]]] = collections.defaultdict(list)
    for row in _rows(data / "labels.csv"):
        if row["n_nonempty"] != "0":
            labels[row["table_file"]].append(row)
    found = [File(data / "tables" / name, sources.get(name, name), tuple(rows)) for name, rows in labels.items()]
    return [f for f in found if not (without_closed and is_closed(f.group))]


def tables(file: File) -> Iterator[tuple[TableInfo, pl.DataFrame, dict[int, Truth]]]:
    """Each labelled table of a file with what its columns are, by their numbers."""
    found = [
        t for t in inputs.discover([str(file.path)], ReadOptions()) if not isinstance(t, NotScanned | Skipped | InName)
    ]
    for number, table in enumerate(found):
        names = [f.name for f in table.info.fields]
        rows = [row for row in file.labels if _is_in(row, table.info.table, number)]
        truths = {i: _truth(row) for row in rows if (i := _index(row, names)) is not None and i < len(names)}
        if truths:
            yield table.info, pl.concat([batch.frame for batch in table.batches()]), truths


def _truth(row: Mapping[str, str]) -> Truth:
    header, other = row["column"], row["alt_label"]
    right = _accepted(row["label"], header) | (_accepted(other, header) if other else frozenset())
    weight = ARGUABLE if "arguable" in row.get("sensitivity_note", "") else 1.0
    return Truth(header, _entity(row["label"], header), right, row["is_pii"], weight)


def _entity(label: str, header: str) -> str:
    """The class of a label."""
    name = header.lower()
    if label.endswith("_other") and label != "id_other":
        return NONE
    if label == "credit_card":
        return "CVV" if "cv" in name else "CREDIT_CARD"
    if label == "nationality_birthplace":
        return "BIRTHPLACE" if any(w in name for w in BORN) else "NATIONALITY"
    return ENTITY.get(label, label.upper())


def _accepted(label: str, header: str) -> frozenset[str]:
    """The classes that count as right."""
    if label == "id_other":
        return frozenset((NONE, "GENERIC_ID", "ORGANIZATION_ID", "SWIFT_CODE"))
    if label == "nationality_birthplace":
        return frozenset(("NATIONALITY", "BIRTHPLACE"))
    if label == "credit_card":
        return frozenset(("CREDIT_CARD", "CVV"))
    if label == "password":
        return frozenset(("PASSWORD", "SECRET"))
    return frozenset((_entity(label, header),))


def _is_in(row: Mapping[str, str], table: str | None, number: int) -> bool:
    if row["table_file"].endswith(".sqlite"):
        return row["column"].split(".")[0] == table
    return number == 0


def _index(row: Mapping[str, str], names: Sequence[str | None]) -> int | None:
    """The column that a label is of. In documents labels are of a record's own keys: where several columns lie below
    one, the label is of none of them alone."""
    if row["table_file"].endswith(".sqlite"):
        return names.index(row["column"].split(".", 1)[1])
    if not row["table_file"].endswith((".json", ".jsonl")):
        return int(row["col_index"])
    key = row["column"]
    below = [i for i, n in enumerate(names) if n is not None and (n == key or n.startswith((f"{key}.", f"{key}[")))]
    return below[0] if len(below) == 1 else None


def _rows(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
