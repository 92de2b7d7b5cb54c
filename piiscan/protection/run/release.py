"""From a table to its release: decides on each column, searches, and shuffles the rows."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import polars as pl

from piiscan.anonymity import needs
from piiscan.anonymity.best_publication import anonymized
from piiscan.anonymity.counted_table import CountedTable
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.publish import Publisher
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.result import Anonymized
from piiscan.anonymity.roles import demand_records
from piiscan.core import memory
from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.header_words import is_of_attribute
from piiscan.core.types import Table, TableInfo, TableReport
from piiscan.io.content import ReadTable
from piiscan.masking.plan.plan_writer import labels
from piiscan.protection import fingerprints
from piiscan.protection.column_treatment import ColumnTreatment, treat_columns
from piiscan.protection.release import Release
from piiscan.protection.request import ProtectRequest
from piiscan.protection.treatments import (
    BATCH_ROWS,
    histogram,
    population,
    without_dependence,
    without_fingerprints,
    without_identifiers,
)
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine, printable_names
from piiscan.scanning.engine import Progress
from piiscan.scanning.scan_options import ScanOptions

_ID_BYTES: Final = 8


def build_release(
    table: Table, request: ProtectRequest, rules: RuleSet, scan: ScanOptions, progress: Progress | None = None
) -> Release:
    """Build the release of a table, which is held in memory. Nothing is written.

    Raises `UsageError` if nothing in it is about people, if a declaration can't be kept, or if the models can't be
    met; and `ReadError`.
    """
    held = _scan(table, request, rules, scan, progress)
    needs.demand_cells(*held.frame.shape, int(held.frame.estimated_size()), "protecting")
    _demand_people(held, request)
    treatments = [without_identifiers(t, held.frame, held.identifiers, held.names) for t in held.treatments]
    exact = held.frame.select(str(t.index) for t in treatments if t.action != "dropped")
    treatments, frame = without_fingerprints(treatments, exact, held.units, request)
    published = _search(held, treatments, frame, request, rules)
    if not len(published.rows):
        raise UsageError("every row would be suppressed; ask for less, or name fewer quasi-identifiers")
    ids = None if held.units is None else fresh_ids(held.units.filter(published.kept))
    treatments, rows = _with_ids(published.treatments, published.rows, ids, published.found, request)
    order = _random_order(len(rows))
    return Release(
        held.info,
        len(held.frame),
        tuple(treatments),
        published.counted,
        histogram(exact, published.counted.histogram.columns),
        published.found,
        rows[order],
        None if ids is None else ids[order],
        held.identifiers,
    )


class _Held(NamedTuple):
    """A table in memory, and what the scan and declarations say about its columns.

    `units`: the person each row belongs to, None if each row is another person's; `identifiers`: its direct
    identifiers, by column index.
    """

    info: TableInfo
    names: list[str]
    frame: pl.DataFrame
    treatments: list[ColumnTreatment]
    units: pl.Series | None
    identifiers: dict[int, pl.Series]


def _scan(table: Table, request: ProtectRequest, rules: RuleSet, scan: ScanOptions, progress: Progress | None) -> _Held:
    info, frame = printable_names.printable(table.info, rules), _read(table, progress)
    if not len(frame):
        raise UsageError(f"{info.source}: the table has no rows, so there is nothing to protect")
    demand_records(info.source, info.fields, (i for i, field in enumerate(info.fields) if is_of_attribute(field)))
    report = scanned(info, frame, rules, scan, progress)
    lists = {i for i, dtype in enumerate(frame.dtypes) if dtype.is_nested() or dtype == pl.Object}
    names = labels([f.name for f in info.fields])
    treatments = treat_columns(info, names, report.columns, lists, request.anonymity)
    unit = next((str(t.index) for t in treatments if t.action == "random id"), None)
    units = None if unit is None else frame[unit].cast(pl.String)
    identifiers = {t.index: frame[str(t.index)] for t in treatments if t.identifies and t.index not in lists}
    return _Held(info, names, frame, treatments, units, identifiers)


def _demand_people(held: _Held, request: ProtectRequest) -> None:
    people = len(held.frame) if held.units is None else held.units.n_unique()
    if people < request.k:
        about = "1 person" if people == 1 else f"{people:,} people"
        raise UsageError(
            f"{held.info.source}: it is about {about}, and k = {request.k} needs at least as many; choose a smaller --k"
        )


class _Publication(NamedTuple):
    """The result of a search: the published `rows` without ids, and which rows are `kept`."""

    treatments: list[ColumnTreatment]
    counted: CountedTable
    found: Anonymized
    rows: pl.DataFrame
    kept: pl.Series


def _search(
    held: _Held,
    treatments: list[ColumnTreatment],
    frame: pl.DataFrame,
    request: ProtectRequest,
    rules: RuleSet,
) -> _Publication:
    """Search until each value of a kept column is shared by k people among the published rows."""
    while True:
        treated = without_dependence(treatments, held.info, frame, held.identifiers, request, rules)
        treatments, frame, counted = treated.treatments, treated.frame, treated.table
        anonymity = _anonymize_request(request, counted, treated.trees)
        found = anonymized(counted, anonymity, population(counted, request, rules))
        rows, kept = _published(treatments, frame, found)
        units = None if held.units is None else held.units.filter(kept)
        rare = _rare_columns(treatments, rows, units, request.k)
        if not rare:
            return _Publication(treatments, counted, found, rows, kept)
        why = f"fewer than {request.k} people among the published rows share some of its values"
        treatments = [t.changed_to("generalised", why) if t.index in rare else t for t in treatments]


def _rare_columns(
    treatments: Sequence[ColumnTreatment], rows: pl.DataFrame, units: pl.Series | None, k: int
) -> set[int]:
    """Return the kept columns with a value that, after suppression, fewer than k people share."""
    kept = (t.index for t in treatments if t.action == "kept")
    return {i for i in kept if fingerprints.column_cells(rows, i, units).few(k)}


def scanned(
    info: TableInfo, frame: pl.DataFrame, rules: RuleSet, scan: ScanOptions, progress: Progress | None = None
) -> TableReport:
    """Scan rows in memory.

    Raises `ReadError` if a rule couldn't be run to its end, since a column may contain what it looks for.
    """
    table = ReadTable(info, lambda: sliced(frame, BATCH_ROWS))
    report = engine.scan_tables([table], rules, scan, progress)
    for entry in report.not_scanned:
        place = entry.source if entry.column is None else f"{entry.source}, column {entry.column}"
        raise ReadError(f"{place}: {entry.reason}")
    return report.tables[0]


def fresh_ids(units: pl.Series) -> pl.Series:
    """(rows,) an id for each distinct unit, drawn from the system's source of randomness; none for an empty cell."""
    different = units.drop_nulls().unique()
    drawn: set[str] = set()
    while len(drawn) < len(different):
        drawn.add(secrets.token_hex(_ID_BYTES))
    known = pl.DataFrame(
        {"unit": different, "id": _shuffled(sorted(drawn))}, schema={"unit": pl.String, "id": pl.String}
    )
    return units.rename("unit").to_frame().join(known, on="unit", how="left", maintain_order="left")["id"]


def _read(table: Table, progress: Progress | None) -> pl.DataFrame:
    """All rows of a table."""
    parts, rows = [], 0
    for batch in table.batches():
        parts.append(batch.frame)
        rows += len(batch.frame)
        if memory.taken() > memory.allowed():
            needs.demand_cells(rows, batch.frame.width, 0, "holding the first")
        if progress:
            progress(table.info.source, rows)
    return pl.concat(parts) if parts else pl.DataFrame()


def _anonymize_request(request: ProtectRequest, table: CountedTable, trees: dict[int, Hierarchy]) -> AnonymizeRequest:
    """Return the request for anonymisation, in which declared and found roles are treated alike."""
    names = {c.index: c.name for c in table.columns}

    def named(role: str) -> tuple[str, ...]:
        return tuple(c.name for c in table.columns if c.role == role)

    known = {names[place]: tree for place, tree in trees.items()}
    return replace(
        request.anonymity,
        quasi=named("quasi"),
        sensitive=named("sensitive"),
        insensitive=named("insensitive"),
        hierarchies=known,
    )


def _published(
    treatments: Sequence[ColumnTreatment], frame: pl.DataFrame, found: Anonymized
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the published rows, without ids, in their order, and which rows of the table they are."""
    columns, kept = Publisher(found).apply(frame)
    kept = pl.repeat(value=True, n=len(frame), eager=True) if kept is None else kept
    stay = [f for f in treatments if f.action not in ("dropped", "random id")]
    shown = pl.DataFrame([columns.get(f.index, frame[str(f.index)]).alias(str(f.index)) for f in stay])
    return shown.filter(kept), kept


def _with_ids(
    treatments: Sequence[ColumnTreatment],
    shown: pl.DataFrame,
    ids: pl.Series | None,
    found: Anonymized,
    request: ProtectRequest,
) -> tuple[list[ColumnTreatment], pl.DataFrame]:
    """Add ids to treatments and rows, if these don't undo what classes protect.

    An id links the rows of one person, so an attacker who knows some of them looks for a person who has all of these.
    """
    out = list(treatments)
    unit = next((n for n, f in enumerate(out) if f.action == "random id"), None)
    if unit is None or ids is None:
        return out, shown
    quasi = [str(c.index) for c in found.quasi]
    rows = shown.select(quasi).with_columns(ids.alias("id")).filter(pl.col("id").is_not_null())
    lonely = rows["id"].n_unique() < len(rows)
    if lonely and request.anonymity.models != replace(
        request.anonymity.models, l=None, alpha=None, t=None, presence=None
    ):
        out[unit] = out[unit].changed_to(
            "dropped", "ids would link several rows of one person, and the models were met by each row's class alone"
        )
    elif lonely and fewest_with_equal_rows(rows, quasi) < request.k:
        out[unit] = out[unit].changed_to(
            "dropped",
            f"ids would link several rows of one person, and fewer than {request.k} people have rows with the "
            "same labels",
        )
    else:
        shown = shown.with_columns(ids.alias(str(out[unit].index)))
    return out, shown.select(str(f.index) for f in out if f.action != "dropped")


def fewest_with_equal_rows(rows: pl.DataFrame, quasi: Sequence[str]) -> int:
    """Return the smallest number of people who have the same rows, as far as labels show: each class equally often.

    rows: labels in columns `quasi`, and `id`.
    """
    classes = rows.select(pl.struct(quasi).rank("dense").alias("class"), "id")
    profiles = classes.group_by("id").agg(pl.col("class").sort())
    return int(profiles.group_by("class").len()["len"].min())  # type: ignore[arg-type]


def _random_order(rows: int) -> list[int]:
    return _shuffled(range(rows))


def _shuffled(items: Sequence[Any]) -> list[Any]:
    out = list(items)
    secrets.SystemRandom().shuffle(out)
    return out
