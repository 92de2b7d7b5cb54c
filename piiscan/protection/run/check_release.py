"""Checks each promise of a release in the rows as they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import polars as pl

from piiscan.anonymity.run.recount import recounted
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import PiiscanError, VerifyError
from piiscan.core.types import Field
from piiscan.protection.fingerprints import POINTED, column_cells, pointing
from piiscan.protection.release import Release
from piiscan.protection.release_check import ReleaseCheck
from piiscan.protection.request import ProtectRequest
from piiscan.protection.run.release import fewest_with_equal_rows, scanned
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.scan_options import ScanOptions


def check_release(
    written: pl.DataFrame,
    fields: Sequence[Field],
    release: Release,
    request: ProtectRequest,
    rules: RuleSet,
    scan: ScanOptions,
) -> tuple[ReleaseCheck, ...]:
    """Check every promise in `written`, the rows as they were read back. fields: its columns as they were read.

    Raises `VerifyError` if one is broken.
    """
    found = tuple(_checks(written, fields, release, request.k, rules, scan))
    broken = [f"{p.name}: {p.broken}" for p in found if not p.holds]
    if broken:
        raise VerifyError("the release doesn't keep its promises, and nothing was written:\n" + "\n".join(broken))
    return found


def _checks(
    written: pl.DataFrame, fields: Sequence[Field], release: Release, k: int, rules: RuleSet, scan: ScanOptions
) -> Iterator[ReleaseCheck]:
    names = [f.name for f in fields]
    expected = list(release.names)
    dropped = sum(t.action == "dropped" for t in release.treatments)
    yield ReleaseCheck(
        "Dropped columns are gone, and no columns were added" if dropped else "It has the columns of the input",
        "the names of the columns of the written table",
        "" if names == expected else "its columns differ from the planned ones",
    )
    rows = release.rows - release.found.solution.suppressed
    yield ReleaseCheck(
        "Every row that wasn't suppressed is included"
        if release.found.solution.suppressed
        else "Every row is included",
        "rows of the written table",
        "" if len(written) == rows else f"{len(written)} rows instead of {rows}",
    )
    if names != expected or len(written) != rows:
        return
    placed = written.rename(dict(zip(written.columns, release.frame.columns, strict=True)))
    yield _counted(placed, release)
    if kept := [t for t in release.treatments if t.action == "kept"]:
        yield ReleaseCheck(
            f"Each value of {', '.join(t.name for t in kept)} is shared by at least {k} people",
            "people by value, counted in the written table",
            _some(release, [t.index for t in kept], lambda i: bool(column_cells(placed, i, release.units).few(k))),
        )
    yield _scanned(placed, release, rules, scan)
    if release.identifiers:
        found = _some(
            release, release.places, lambda i: bool(pointing(column_cells(placed, i, None), release.identifiers))
        )
        yield ReleaseCheck(
            "No cell is a number or e-mail address of a dropped column",
            f"every cell against all identifiers of the input with at least {POINTED} characters and a digit or @",
            found,
        )
    unit = next((f for f in release.treatments if f.action == "random id"), None)
    if unit is not None and release.units is not None:
        yield _ids(placed[str(unit.index)], unit.index, release, k)
    yield ReleaseCheck(
        "The order of rows reveals nothing",
        "by construction: shuffled with the system's source of randomness; the original order isn't stored",
        is_checked=False,
    )


def _counted(placed: pl.DataFrame, release: Release) -> ReleaseCheck:
    models = ", ".join(m.name for m in release.found.solution.problem.models)
    unit = next(iter(release.table.indexes("unit")), None)
    counted = placed if unit is None or release.units is None else placed.with_columns(release.units.alias(str(unit)))
    broken = ""
    try:
        recounted([counted], release.found, release.table)
    except PiiscanError as error:
        broken = str(error)
    return ReleaseCheck(f"Every class meets {models}", "classes of the written table, counted again", broken)


def _scanned(placed: pl.DataFrame, release: Release, rules: RuleSet, scan: ScanOptions) -> ReleaseCheck:
    """Scan the written table without the id column, which is checked separately and looks like what it replaces."""
    inspected = [f for f in release.treatments if str(f.index) in placed.columns and f.action != "random id"]
    info = release.info._replace(fields=tuple(Field(f.name) for f in inspected))
    frame = pl.DataFrame([placed[str(f.index)].alias(str(n)) for n, f in enumerate(inspected)])
    report = scanned(info, frame, rules, scan)
    found = [
        f"{treatment.name} ({column.entity if column.pii == 'direct' else 'inside its cells'})"
        for treatment, column in zip(inspected, report.columns, strict=True)
        if column.pii == "direct" or any(PII_CLASS[i.entity] == "direct" for i in column.inside)
    ]
    broken = f"{', '.join(found)}; if it is something else, declare that in piiscan.toml ([[columns]])" if found else ""
    return ReleaseCheck(
        "A scan finds no direct identifier", "the written table, scanned again with the same rules", broken
    )


def _ids(ids: pl.Series, index: int, release: Release, k: int) -> ReleaseCheck:
    """Check the ids: each belongs to one row, or at least k people have rows like those that an id links."""
    assert release.units is not None
    broken = (
        ""
        if ids.cast(pl.String).equals(release.units, check_names=False)
        else ("the ids differ from those that were drawn")
    )
    quasi = [str(i) for i in release.table.indexes("quasi")]
    rows = release.frame.select(quasi).with_columns(release.units.alias("id")).filter(pl.col("id").is_not_null())
    if not broken and rows["id"].n_unique() < len(rows) and fewest_with_equal_rows(rows, quasi) < k:
        broken = f"fewer than {k} people have the same rows"
    before = set(release.table.histogram.coded(index).values)
    if before & set(ids.unique().drop_nulls().to_list()):
        broken = "an id is a value of the input"
    return ReleaseCheck(
        "Ids are valid in this release only, and link no rows that single a person out",
        "compared with those drawn, and all values of the input",
        broken,
    )


def _some(release: Release, places: Iterator[int] | Sequence[int], is_broken: Callable[[int], bool]) -> str:
    names = {f.index: f.name for f in release.treatments}
    return ", ".join(names[i] for i in places if is_broken(i))
