"""Made-up tables of many kinds and languages, what is true of each of their columns, and what a scan says of them.

`verdict_tables/labels.csv` says what is true: the entity (`either` lists others that are right as well, `nothing` for
none of the vocabulary), the class, what stands inside the cells, and in `known_miss` why piiscan misses an identifier
or raises a false alarm there. `golden/verdicts.csv` has what piiscan says, `golden/verdict_confidence.csv` how sure it
is. `python verdict_tables.py` writes both anew and prints what changed. Tables below `edges/` stand where one number
decides: little more or less of it, and a verdict is another.
"""

from __future__ import annotations

import csv
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import piiscan
from piiscan.core.types import ColumnReport, TableReport

FOLDER = Path(__file__).parent / "verdict_tables"
GOLDEN = Path(__file__).parent / "golden" / "verdicts.csv"
GOLDEN_CONFIDENCE = Path(__file__).parent / "golden" / "verdict_confidence.csv"
NOISE = 0.01
"""Confidences nearer than this are equal: machines sum floats in other orders."""
LABELS = FOLDER / "labels.csv"
SCRIPT = ".sqlite.sql"
"""The ending of statements that make a SQLite database: a binary file can't be reviewed."""


class Place(NamedTuple):
    """A column: its file below the folder, whose first part is the language, its table ("" for the only one), and its
    index from 0."""

    file: str
    table: str
    index: int


class Label(NamedTuple):
    """What is true of a column. `entities`: every right answer, the best one first, "" for none of the vocabulary."""

    entities: tuple[str, ...]
    pii: str
    inside: frozenset[str]
    known_miss: str


class Said(NamedTuple):
    """What a scan says of a column: `review` is "review" where a person should look at it, `inside` the entities in its
    cells, `subject` what the rows of its table are about."""

    column: str
    entity: str
    pii: str
    review: str
    inside: str
    subject: str


class Confidence(NamedTuple):
    """How sure the entity is, and its class."""

    entity: float
    pii: float


class Scanned(NamedTuple):
    said: dict[Place, Said]
    confidence: dict[Place, Confidence]


def labels() -> dict[Place, Label]:
    with LABELS.open(encoding="utf-8", newline="") as lines:
        return {_place(row): _label(row) for row in csv.DictReader(lines)}


def _place(row: Mapping[str, str]) -> Place:
    return Place(row["file"], row["table"], int(row["index"]))


def _label(row: Mapping[str, str]) -> Label:
    others = ("" if other == "nothing" else other for other in row["either"].split())
    return Label((row["entity"], *others), row["pii"], frozenset(row["inside"].split()), row["known_miss"])


def scanned() -> Scanned:
    """What a scan of all tables says of each column."""
    with tempfile.TemporaryDirectory() as made:
        files = {str(path): path.relative_to(FOLDER).as_posix() for path in _files()}
        for path in list(map(Path, files)):
            if path.name.endswith(SCRIPT):
                name = files.pop(str(path)).removesuffix(".sql")
                files[str(_database(path, Path(made) / path.stem))] = name
        scanner = piiscan.Scanner()
        reports = [scanner.scan(file) for file in files]  # each by itself: none is of a data set
    assert not any(report.not_scanned for report in reports)
    columns = [
        (Place(files[table.source], table.table or "", column.index), table, column)
        for report in reports
        for table in report.tables
        for column in table.columns
    ]
    return Scanned(
        {place: _said(table, column) for place, table, column in columns},
        {place: Confidence(column.confidence, column.pii_confidence) for place, _, column in columns},
    )


def _said(table: TableReport, column: ColumnReport) -> Said:
    # Names in prose are found in a sample, and by the pipeline that is installed.
    inside = sorted({found.entity for found in column.inside if not found.sampled})
    review = "review" if column.review else ""
    return Said(column.name or "", column.entity or "", column.pii, review, " ".join(inside), table.subject or "")


def _files() -> list[Path]:
    return sorted(path for path in FOLDER.rglob("*") if path.is_file() and path != LABELS)


def _database(script: Path, path: Path) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script.read_text(encoding="utf-8"))
    return path


def golden() -> Scanned:
    """What the golden files have, nothing where there are none yet."""
    return Scanned(
        {_place(row): Said(*(row[field] for field in Said._fields)) for row in _rows(GOLDEN)},
        {_place(row): Confidence(float(row["entity"]), float(row["pii"])) for row in _rows(GOLDEN_CONFIDENCE)},
    )


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def write_golden(now: Scanned) -> None:
    _write(GOLDEN, Said._fields, now.said)
    _write(GOLDEN_CONFIDENCE, Confidence._fields, {p: [f"{x:.3f}" for x in now.confidence[p]] for p in now.confidence})


def _write(path: Path, fields: Sequence[str], cells: Mapping[Place, Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow((*Place._fields, *fields))
        writer.writerows((*place, *cells[place]) for place in sorted(cells))


def moved(before: Mapping[Place, Confidence], after: Mapping[Place, Confidence], most: int = 20) -> str:
    """How many columns have another confidence, and those that moved furthest; "" where there are none."""
    far = {
        place: max(abs(a - b) for a, b in zip(before[place], after[place], strict=True))
        for place in before.keys() & after.keys()
    }
    lines = [
        (" ".join(map(str, place)), *(f"{sure.entity:.2f} {sure.pii:.2f}" for sure in (before[place], after[place])))
        for place in sorted(far, key=lambda place: -far[place])
        if far[place] > NOISE
    ]
    shown = _aligned([("column", "before", "now"), *lines[:most]])
    return "\n".join((f"{len(lines)} confidences of {len(far)} moved", *shown)) if lines else ""


def changes(before: Mapping[Place, Said], after: Mapping[Place, Said], true: Mapping[Place, Label]) -> str:
    """A readable table of the columns of which something else is said, "" where there are none."""
    lines = [
        (
            _shown(place, after.get(place) or before[place]),
            *_differing(before.get(place), after.get(place)),
            _truth(true, place),
        )
        for place in sorted(before.keys() | after.keys())
        if before.get(place) != after.get(place)
    ]
    return "\n".join(_aligned([("column", "before", "now", "true"), *lines])) if lines else ""


def _shown(place: Place, said: Said) -> str:
    return " ".join(filter(None, (place.file, place.table, str(place.index), said.column)))


def _differing(before: Said | None, after: Said | None) -> tuple[str, str]:
    """The two in words, with what is the same in both left out, the entity and its class excepted."""
    either = [said for said in (before, after) if said is not None]
    fields = [
        i for i, field in enumerate(Said._fields) if field in ("entity", "pii") or len({x[i] for x in either}) > 1
    ]
    return _words(before, fields), _words(after, fields)


def _words(said: Said | None, fields: list[int]) -> str:
    return ", ".join(said[i] or "-" for i in fields) if said else "not there"


def _truth(true: Mapping[Place, Label], place: Place) -> str:
    label = true.get(place)
    return f"{label.entities[0] or '-'}, {label.pii}" if label else "not labelled"


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


if __name__ == "__main__":  # write the golden files anew, for a person to read the difference
    old, new = golden(), scanned()
    print(changes(old.said, new.said, labels()) or "No verdict changed.")
    print(moved(old.confidence, new.confidence) or "No confidence moved.")
    write_golden(new)
