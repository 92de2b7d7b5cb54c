"""From a table to its release: what happens to each column, then the search, then rows in an order that tells nothing."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import polars as pl

from piiscan import engine
from piiscan.anonymity.hierarchy import Hierarchy
from piiscan.anonymity.histogram import Histogram
from piiscan.anonymizing import Anonymized
from piiscan.anonymizing import Request as Anonymity
from piiscan.anonymizing.publish import Publisher
from piiscan.anonymizing.search import anonymized
from piiscan.anonymizing.tables import Counted
from piiscan.engine import Progress, ScanOptions
from piiscan.errors import ReadError, UsageError
from piiscan.io.content import ReadTable
from piiscan.io.typed import sliced
from piiscan.plan.writing import labels
from piiscan.protecting import fingerprints
from piiscan.protecting.decide import BATCH_ROWS, histogram, population, without_dependence, without_fingerprints, without_identifiers
from piiscan.protecting.fates import Fate, fates
from piiscan.protecting.request import Request
from piiscan.rules import RuleSet
from piiscan.types import Table, TableInfo, TableReport

_ID_BYTES: Final = 8


@dataclass(frozen=True, eq=False, repr=False)  # it holds values
class Release:
    """A table and what is released of it.

    info, rows: of the input, its names as they may be printed. fates: every column's. table: the columns that aren't dropped, counted; exact
    values that are written as intervals are counted as such. exact: the same columns as they were. found: what the search came to.
    frame: what is released, its columns named by their places in the input, in rows of random order. units: (rows,) the random id of whose row
    each is, whether or not it is released; None where each row is another person's. identifiers: the input's direct identifiers, by place.

    Guarantee:
        Assumes: the request's unit names everybody's rows, or each row is another person's; the scan, or a person, has told what columns are.
        Ensures: no direct identifier, text or list is in `frame`; every quasi-identifier, declared, found, or one by what its values are, is
            counted in the classes that meet the models; each value that stays as it is is shared by k people; ids are drawn from the system's
            source of randomness for this release, and join rows of one person only where k people have rows of the same labels; so is the
            order of rows.
        Does not protect against: who knows a sensitive or insensitive value; what classes give away where no l or t is asked; another release
            of the same people; names and numbers that the scan doesn't see.
        Test: test_protect_attacks.py
    """

    info: TableInfo
    rows: int
    fates: tuple[Fate, ...]
    table: Counted
    exact: Histogram
    found: Anonymized
    frame: pl.DataFrame
    units: pl.Series | None
    identifiers: dict[int, pl.Series]

    @property
    def places(self) -> tuple[int, ...]:
        """Where the columns of `frame` are in the input."""
        return tuple(map(int, self.frame.columns))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of `frame` as the release calls them."""
        return tuple(self.fates[i].name for i in self.places)


def protected(table: Table, request: Request, rules: RuleSet, scan: ScanOptions, progress: Progress | None = None) -> Release:
    """Search for the release of a table, which is held in memory. Nothing is written.

    Raises `UsageError` where nothing in it tells of people, where a declaration can't hold, and where the models can't be met; `ReadError`.
    """
    info, frame = engine.printable(table.info, rules), _held(table, progress)
    if not len(frame):
        raise UsageError(f"{info.source}: a table without rows has nothing to protect")
    report = scanned(info, frame, rules, scan, progress)
    lists = {i for i, dtype in enumerate(frame.dtypes) if dtype.is_nested() or dtype == pl.Object}
    names = labels([f.name for f in info.fields])
    decided = fates(info, names, report.columns, lists, request.anonymity)
    unit = next((str(f.index) for f in decided if f.action == "random id"), None)
    units = None if unit is None else frame[unit].cast(pl.String)
    people = len(frame) if units is None else units.n_unique()
    if people < request.k:
        raise UsageError(
            f"{info.source}: it tells of {people}, and k = {request.k} needs as many people at least; there is no way to release it"
        )
    identifiers = {f.index: frame[str(f.index)] for f in decided if f.identifies and f.index not in lists}
    decided = [without_identifiers(f, frame, identifiers, names) for f in decided]
    exact = frame = frame.select(str(f.index) for f in decided if f.action != "dropped")
    decided, frame = without_fingerprints(decided, frame, units, request)
    while True:
        decided, frame, counted_, trees = without_dependence(decided, info, frame, identifiers, request, rules)
        found = anonymized(counted_, _asked(request, counted_, trees), population(counted_, request, rules))
        shown, kept = _published(decided, frame, found)
        # Where suppressed rows have left a value to fewer than k people, its column is no longer one that can stay.
        released = None if units is None else units.filter(kept)
        rare = {f.index for f in decided if f.action == "kept" and fingerprints.cells(shown, f.index, released).few(request.k)}
        if not rare:
            break
        decided = [
            f.now("generalised", f"fewer than {request.k} people of those that stay share some of its values") if f.index in rare else f
            for f in decided
        ]
    if not len(shown):
        raise UsageError("every row would be suppressed; ask for less, or name fewer quasi-identifiers")
    ids = None if units is None else fresh_ids(units.filter(kept))
    decided, shown = _joined(decided, shown, ids, found, request)
    order = _random_order(len(shown))
    before, ids = histogram(exact, counted_.histogram.columns), None if ids is None else ids[order]
    return Release(info, len(frame), tuple(decided), counted_, before, found, shown[order], ids, identifiers)


def scanned(info: TableInfo, frame: pl.DataFrame, rules: RuleSet, scan: ScanOptions, progress: Progress | None = None) -> TableReport:
    """What the scan says of rows in memory. Raises `ReadError` where a rule couldn't be run to its end: a column may hold what it looks for."""
    table = ReadTable(info, lambda: sliced(frame, BATCH_ROWS))
    report = engine.scan_tables([table], rules, scan, progress)
    for entry in report.not_scanned:
        place = entry.source if entry.column is None else f"{entry.source}, column {entry.column}"
        raise ReadError(f"{place}: {entry.reason}")
    return report.tables[0]


def fresh_ids(units: pl.Series) -> pl.Series:
    """(rows,) an id for each different unit, drawn from the system's source of randomness; none for an empty cell."""
    different = units.drop_nulls().unique()
    drawn: set[str] = set()
    while len(drawn) < len(different):
        drawn.add(secrets.token_hex(_ID_BYTES))
    known = pl.DataFrame({"unit": different, "id": _shuffled(sorted(drawn))}, schema={"unit": pl.String, "id": pl.String})
    return units.rename("unit").to_frame().join(known, on="unit", how="left", maintain_order="left")["id"]


def _held(table: Table, progress: Progress | None) -> pl.DataFrame:
    """All rows of a table."""
    parts, rows = [], 0
    for batch in table.batches():
        parts.append(batch.frame)
        rows += len(batch.frame)
        if progress:
            progress(table.info.source, rows)
    return pl.concat(parts) if parts else pl.DataFrame()


def _asked(request: Request, table: Counted, trees: dict[int, Hierarchy]) -> Anonymity:
    """As anonymising takes it: what was declared and what was found are one there."""
    names = {c.index: c.name for c in table.columns}

    def named(role: str) -> tuple[str, ...]:
        return tuple(c.name for c in table.columns if c.role == role)

    known = {names[place]: tree for place, tree in trees.items()}
    return replace(
        request.anonymity, quasi=named("quasi"), sensitive=named("sensitive"), insensitive=named("insensitive"), hierarchies=known
    )


def _published(decided: Sequence[Fate], frame: pl.DataFrame, found: Anonymized) -> tuple[pl.DataFrame, pl.Series]:
    """The rows that are published, without ids, in their order, and which of the table's these are."""
    columns, kept = Publisher(found).apply(frame)
    kept = pl.repeat(value=True, n=len(frame), eager=True) if kept is None else kept
    stay = [f for f in decided if f.action not in ("dropped", "random id")]
    shown = pl.DataFrame([columns.get(f.index, frame[str(f.index)]).alias(str(f.index)) for f in stay])
    return shown.filter(kept), kept


def _joined(
    decided: Sequence[Fate], shown: pl.DataFrame, ids: pl.Series | None, found: Anonymized, request: Request
) -> tuple[list[Fate], pl.DataFrame]:
    """Fates and rows with ids, where these don't undo what classes protect: an id joins the rows of one person, and who knows a few of them
    looks for somebody who has all of these."""
    out = list(decided)
    unit = next((n for n, f in enumerate(out) if f.action == "random id"), None)
    if unit is None or ids is None:
        return out, shown
    quasi = [str(c.index) for c in found.quasi]
    rows = shown.select(quasi).with_columns(ids.alias("id")).filter(pl.col("id").is_not_null())
    lonely = rows["id"].n_unique() < len(rows)
    if lonely and request.anonymity.wanted != replace(request.anonymity.wanted, l=None, alpha=None, t=None, presence=None):
        out[unit] = out[unit].now("dropped", "ids would join several rows of one person, and the models were met by each row's class alone")
    elif lonely and least_alike(rows, quasi) < request.k:
        out[unit] = out[unit].now(
            "dropped", f"ids would join several rows of one person, and fewer than {request.k} people have rows of the same labels"
        )
    else:
        shown = shown.with_columns(ids.alias(str(out[unit].index)))
    return out, shown.select(str(f.index) for f in out if f.action != "dropped")


def least_alike(rows: pl.DataFrame, quasi: Sequence[str]) -> int:
    """How many people at least have the same rows, as far as labels tell: each class as often. rows: labels in columns `quasi`, and `id`."""
    classes = rows.select(pl.struct(quasi).rank("dense").alias("class"), "id")
    profiles = classes.group_by("id").agg(pl.col("class").sort())
    return int(profiles.group_by("class").len()["len"].min())  # type: ignore[arg-type]


def _random_order(rows: int) -> list[int]:
    return _shuffled(range(rows))


def _shuffled(items: Sequence[Any]) -> list[Any]:
    out = list(items)
    secrets.SystemRandom().shuffle(out)
    return out


def pieces(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Rows in batches."""
    return sliced(frame, BATCH_ROWS)
