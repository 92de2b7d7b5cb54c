"""The report on a release, as plain data without a cell value.

`piiscan/report/schemas/protection-1.json` describes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl

from piiscan.anonymity.histogram import Histogram, texts
from piiscan.anonymity.models.model import View
from piiscan.anonymity.result import Anonymized
from piiscan.anonymity.risk import attackers, risk_figures
from piiscan.anonymity.risk.risk_report import Sensitive, plain
from piiscan.core.version import __version__
from piiscan.protection.fingerprints import column_cells
from piiscan.protection.release import Release
from piiscan.protection.release_check import ReleaseCheck
from piiscan.protection.treatments import pieces

Json = dict[str, Any]
_SURE: Final = 0.8
_ONES_OWN: Final = frozenset(
    {"EMAIL_ADDRESS", "US_SSN", "NATIONAL_ID", "PASSPORT", "DRIVER_LICENSE", "MEDICAL_RECORD", "PERSON_ID", "USERNAME"}
)
_BEYOND: Final = (
    (
        "Attackers who know more than the generalised columns: a person's exact value of a sensitive column, or of "
        "one that is kept unchanged."
    ),
    (
        "Attackers who have another release about the same people: two releases, each of them protected, can single "
        "people out together."
    ),
    (
        "What is true of a whole class: that a person is in the table, and what all who share their labels have in "
        "common."
    ),
    (
        "Names and numbers that the scan doesn't recognise. It finds what looks like personal data; it can't prove "
        "that there is none."
    ),
    (
        "An attacker who knows how classes are searched for learns a little more than the labels say (downcoding; "
        "Cohen, USENIX Security 2022)."
    ),
)


def report(
    release: Release,
    promises: Sequence[ReleaseCheck],
    summary: Json | None,
    other_releases: Sequence[str],
    command: str | None,
) -> Json:
    """Return the report as plain data.

    summary: what was spent and where it is recorded, None if there is no summary. command: the command that makes
    such a release again, None in Python.
    """
    found = release.found.to_dict()
    table, solution = release.table, release.found.solution
    written = Histogram.total(
        (Histogram.of(p, table.histogram.columns) for p in _rows(release)), table.histogram.columns
    )
    before, after = _classes(release, release.exact), _classes(release, written)
    return {
        "schema_version": 1,
        "tool": {"name": "piiscan", "version": __version__},
        "source": release.info.source,
        "table": release.info.table,
        "format": release.info.format,
        "command": command,
        "rows": {"before": release.rows, "after": len(release.frame), "suppressed": solution.suppressed},
        "whose_rows": {
            "unit": release.found.request.unit,
            "people": _people(release),
            "repeated": list(_repeated(release)),
        },
        "columns": [_column(release, found, f.index) for f in release.treatments],
        "models": found["models"],
        "method": found["method"],
        "classes": {
            "before": plain(risk_figures.sizes_of(before)),
            "after": plain(risk_figures.sizes_of(after)),
        },
        "risk": {"before": _risk(before, _before(release.found)), "after": _risk(after, solution.view)},
        "sensitive": [
            {
                "before": plain(risk_figures.sensitive(before, index)),
                "after": plain(risk_figures.sensitive(after, index)),
            }
            for index in table.indexes("sensitive")
        ],
        "lost": {
            key: found[key]
            for key in (
                "mean_loss",
                "loss",
                "levels",
                "discernibility",
                "average_class_size",
                "entropy",
                "kl_divergence",
            )
        },
        "summary": summary,
        "other_releases": list(other_releases),
        "promises": [{"name": p.name, "how": p.how, "checked": p.is_checked, "holds": p.holds} for p in promises],
        "not_protected": [*_open(release, after, summary), *_BEYOND],
    }


def _column(release: Release, found: Mapping[str, Any], index: int) -> Json:
    treatment = release.treatments[index]
    # How intervals fared: by the loss of the search, and of the others the loss of exact values.
    loss = found["loss"].get(
        treatment.name, 0.0 if treatment.coarsening_loss and treatment.action != "dropped" else None
    )
    return {
        "name": treatment.name,
        "entity": treatment.entity,
        "pii": treatment.pii,
        "sure": round(treatment.sure, 4),
        "inside": list(treatment.inside),
        "review": list(treatment.review),
        "action": treatment.action,
        "why": treatment.why,
        "level": found["levels"].get(treatment.name),
        "loss": None if loss is None else loss + (1 - loss) * treatment.coarsening_loss,
    }


def _rows(release: Release) -> Iterator[pl.DataFrame]:
    unit = next(iter(release.table.indexes("unit")), None)
    frame = (
        release.frame
        if unit is None or release.units is None
        else release.frame.with_columns(release.units.alias(str(unit)))
    )
    return pieces(frame)


def _people(release: Release) -> int | None:
    """Return the number of identified people; rows without a unit are not counted."""
    unit = release.table.indexes("unit")
    return sum(value is not None for value in release.exact.coded(unit[0]).values) if unit else None


def _repeated(release: Release) -> Iterator[Json]:
    """Return the evidence against one row per person: identifiers of one person that occur in several rows."""
    if release.units is not None:
        return
    for treatment in release.treatments:
        if treatment.entity in _ONES_OWN and treatment.index in release.identifiers:
            values = (
                texts(release.identifiers[treatment.index].to_frame(str(treatment.index)), [treatment.index])
                .to_series()
                .drop_nulls()
            )
            if rows := int(values.is_duplicated().sum()):
                yield {"column": treatment.name, "rows": rows}


def _classes(release: Release, histogram: Histogram) -> risk_figures.CodedTable:
    table = release.table
    unit = next(iter(table.indexes("unit")), None)
    roles = risk_figures.Roles(table.indexes("quasi"), sensitive=table.indexes("sensitive"), unit=unit)
    return risk_figures.CodedTable(histogram, roles, lambda i: release.treatments[i].name)


def _before(found: Anonymized) -> View:
    """Return the classes that the original values form, as models see them."""
    problem = found.solution.problem
    node = (0,) * len(problem.shape)
    return problem.view(node, problem.classes(node))


def _risk(counted: risk_figures.CodedTable, view: View | None) -> Json:
    """Return the risk. Without a population, the marketer risk takes the table as the population: the upper limit."""
    prosecutor = attackers.prosecutor(counted.classes.sizes)
    told: Json = {"prosecutor": plain(prosecutor), "journalist": None, "marketer": plain(prosecutor.average)}
    if view is not None and view.population is not None:
        sizes = view.classes.sizes
        members = np.maximum(view.population, sizes)
        told |= {
            "journalist": plain(attackers.journalist(sizes, members)),
            "marketer": plain(float((sizes / members).sum() / sizes.sum())),
        }
    return told


def _open(release: Release, after: risk_figures.CodedTable, summary: Json | None) -> list[str]:
    """Return what this particular release leaves unprotected."""
    out = []
    models = {name for m in release.found.solution.problem.models for name in [type(m).__name__] if m.columns}
    for index in release.table.indexes("sensitive"):
        outcome = risk_figures.sensitive(after, index)
        if outcome.certain:
            out.append(
                (
                    f"Homogeneity: {_counted(outcome, release)} a class in which all have the same {outcome.column}; "
                    "anyone who finds the class knows it."
                )
                + ("" if models else " Add --l or --t to limit this.")
            )
        elif not models:
            out.append(f"No requested model limits what a class discloses about {outcome.column}; --l or --t do.")
    out += _of_kept_columns(release)
    if doubtful := [t.name for t in release.treatments if t.review and t.action != "dropped"]:
        out.append(
            f"{', '.join(doubtful)}: the scan is unsure about "
            f"{'this column' if len(doubtful) == 1 else 'these columns'}. Check, and declare it (--quasi, "
            "--sensitive, --insensitive) or describe it in piiscan.toml ([[columns]])."
        )
    if release.units is None:
        out.append(
            "People who have several rows in the table: the table was declared to have one row per person."
            + _doubt(_repeated(release))
        )
    if summary is not None:
        out.append(
            "Epsilon covers only summary.json. The table and this report's counts about the same people are not "
            "covered, and can be compared with it."
        )
    return out


def _counted(outcome: Sensitive, release: Release) -> str:
    if outcome.certain_units is None:
        return f"{outcome.certain:,} rows are in"
    return f"{outcome.certain_units:,} of {_people(release):,} people have rows in"


def _doubt(repeated: Iterator[Json]) -> str:
    shared = [f"{of['rows']:,} rows share their {of['column']} with another" for of in repeated]
    return (
        (
            f" But {', and '.join(shared)}. If these belong to one person, k counts rows rather than people: name the "
            "column with --unit."
        )
        if shared
        else ""
    )


def _few(release: Release, index: int) -> int:
    k = release.found.request.models.k
    assert k is not None
    column = column_cells(release.frame, index, release.units)
    return int(((column.sharers() < k) & column.texts.is_not_null()).sum())


def _of_kept_columns(release: Release) -> Iterator[str]:
    """Return the warnings about columns that stay unchanged; attackers are assumed not to know them."""
    unsure = [f.name for f in release.treatments if f.action == "kept" and f.why != "declared" and f.sure < _SURE]
    if unsure:
        yield (
            f"{', '.join(unsure)}: kept, since the scan finds nothing personal, but it is less than {_SURE:.0%} "
            "sure. Check them."
        )
    for treatment in release.treatments:
        if treatment.action == "sensitive" and (few := _few(release, treatment.index)):
            yield (
                f"{treatment.name}: {few:,} of the released rows have values that fewer than "
                f"{release.found.request.models.k} people share, such as the highest. Anyone who knows such a "
                "value finds its row; --quasi generalises the column."
            )
    against = [f"{f.name} ({f.entity})" for f in release.treatments if f.action == "kept" and f.pii != "none"]
    if against:
        yield (
            f"{', '.join(against)}: kept as declared, though the scan takes it for what an attacker may know or "
            "learn. The classes don't count it."
        )
    stay = [str(f.index) for f in release.treatments if f.action in ("kept", "sensitive")]
    if len(stay) > 1:
        alone = release.frame.group_by(stay).len().filter(pl.col("len") == 1).height
        if alone:
            rows, them = ("row has", "it") if alone == 1 else ("rows have", "these rows")
            yield (
                f"The columns that stay, taken together: {alone:,} {rows} a unique combination of values. "
                "Anyone who has these columns from elsewhere (a copy of the table, another release with them) "
                f"finds {them}; leave out or generalise (--quasi) what isn't needed."
            )
