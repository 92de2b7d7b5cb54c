"""Checks the grouping columns, sums the rows, and publishes only groups that keep to the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from piiscan.aggregates import figures
from piiscan.aggregates.disclosure_rules import Evidence
from piiscan.aggregates.group_sums import ALL, Key, Sums
from piiscan.aggregates.request import AggregateRequest
from piiscan.aggregates.result import Aggregates, Group
from piiscan.aggregates.suppression import COMPLEMENTARY, Families, suppressed
from piiscan.anonymity.roles import OF_EACH
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.header_words import is_emptied
from piiscan.core.types import TableReport
from piiscan.core.version import __version__
from piiscan.dp.differencing import Difference
from piiscan.dp.run.release_log import ReleaseLog
from piiscan.io.table_source import Source, column_index
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.crew import scan_table
from piiscan.scanning.scan_options import ScanOptions

Progress = Callable[[str, int], None]
MOST_GROUPS: Final = 100_000
_PARTS: Final = 16
NOTES: Final = (
    ("The figures are exact: no epsilon covers them, and they can be compared with other releases of the same rows."),
    (
        "Rows in which a number or the unit is missing aren't counted. Standard deviations are those of samples, "
        "divided by count - 1."
    ),
    (
        "Groups that would disclose single units are withheld, and so are groups from which these could be computed; "
        "a group that isn't listed may be withheld, or have no rows."
    ),
    (
        "reconstruction: the number of unknown cells, of figures released about them, and of further numbers "
        "(freedom) that would determine the rows. Anyone who knows all rows of a group except two can compute these "
        "two."
    ),
    "Each value is within (count - 1) / sqrt(count) standard deviations of its group's mean.",
)


def aggregate_and_note(
    source: Source,
    request: AggregateRequest,
    rules: RuleSet,
    scan: ScanOptions,
    log: ReleaseLog | None = None,
    progress: Progress | None = None,
) -> Aggregates:
    """Aggregate with the caller's rules and options, and record the release in the log if there is one.

    The table is read twice: for the verdicts on its columns, and for its sums.
    """
    _check_columns(source, request, rules, scan, progress)
    return aggregate_sums(source.name, _summed(source, request, progress), request, log)


def aggregate_sums(name: str, sums: Sums, request: AggregateRequest, log: ReleaseLog | None = None) -> Aggregates:
    """The aggregates of a table whose columns were checked and whose rows were summed up.

    `name`: what errors call it.
    """
    _countable(sums, request)
    families = Families.of(len(request.by), request.totals)
    judged = suppressed(sums, request.columns, request.rules, families)
    groups, above, kept = judged.groups, judged.totals, judged.withheld
    exact = {key: e for level in (sums, *map(sums.margin, families.levels)) for key, e in level.groups.items()}
    published = [
        _published(key, exact[key], seen, request)
        for part in (groups, above)
        for key, seen in sorted(part.items())
        if key not in kept
    ]
    if not groups:
        raise UsageError(f"{name}: it has no rows to publish figures of")
    if not published:
        reasons = ", ".join(dict.fromkeys(r for why in kept.values() for r in why))
        raise UsageError(
            f"{name}: none of its {len(groups)} groups may be published ({reasons}); make fewer and larger groups"
        )
    held = {"groups": sum(k in groups for k in kept), "totals": sum(k in above for k in kept)}
    about = {
        "tool": {"name": "piiscan", "version": __version__},
        "dataset": None if log is None else {"name": log.dataset, "version": log.version},
        "unit": request.unit,
        "totals": request.totals,
        "rules": {
            "min_group": request.rules.min_group,
            "min_rows": len(request.columns) + 2,
            "p_percent": request.rules.p_percent,
            "dominance": None if request.rules.dominance is None else list(request.rules.dominance),
        },
        "privacy": None,
        "withheld": held,
        "notes": list(NOTES),
    }
    others = () if log is None else log.record(_kind(request), (*request.by, *request.columns))
    report = _report(sums, groups, above, kept, published, len(request.columns), others)
    return Aggregates(request.by, request.columns, tuple(published), about, report)


def _check_columns(
    source: Source, request: AggregateRequest, rules: RuleSet, scan: ScanOptions, progress: Progress | None
) -> None:
    """Raise `UsageError` if the names of groups would identify people."""
    table = source.opened()
    names = [field.name for field in table.info.fields]
    for name in (*request.by, *request.columns, *([] if request.unit is None else [request.unit])):
        column_index(names, name, table.info.fields)
    found = scan_table(table, rules, scan, source.read, progress)
    for entry in found.not_scanned:
        if entry.column is None:
            raise ReadError(f"{entry.source}: {entry.reason}")
    check_verdicts(found.tables[0], names, request)


def check_verdicts(table: TableReport, names: Sequence[str | None], request: AggregateRequest) -> None:
    """Raises `UsageError` where the names of groups would name people, by what a scan says of the columns."""
    for name in (*request.by, *request.columns, *([] if request.unit is None else [request.unit])):
        if is_emptied(table.columns, names.index(name)):
            raise UsageError(
                f"column {name}: its contents have columns of their own, as `piiscan scan` lists them; name those"
            )
    for name in request.by:
        verdict = table.columns[names.index(name)]
        inside = [i.entity for i in verdict.inside if PII_CLASS.get(i.entity) == "direct"]
        if verdict.pii == "direct" or inside:
            what = verdict.entity if verdict.pii == "direct" else f"{inside[0]} inside"
            raise UsageError(
                f"column {name}: it contains direct identifiers ({what}), and each group's name would be one; "
                "group by another column"
            )
        if verdict.entity in OF_EACH:
            raise UsageError(
                f"column {name} ({verdict.entity}): a group would be one person; group by another column, and "
                "name this one with --unit"
            )


def _summed(source: Source, request: AggregateRequest, progress: Progress | None) -> Sums:
    columns = (*request.by, *request.columns, *([] if request.unit is None else [request.unit]))
    parts, rows = [Sums.empty(len(request.by), request.unit is not None)], 0
    for frame in source.batches(columns):
        parts.append(Sums.of(frame, request.by, request.columns, request.unit))
        rows += len(frame)
        if progress:
            progress(source.name, rows)
        if len(parts) > _PARTS:
            parts = [Sums.total(parts)]
            if len(parts[0].groups) > MOST_GROUPS:
                raise UsageError(f"{source.name}: more than {MOST_GROUPS:,} groups; group by columns with fewer values")
    return Sums.total(parts)


def _countable(sums: Sums, request: AggregateRequest) -> None:
    rows = sum(exact.rows for exact in sums.groups.values())
    for i, name in enumerate(request.by):
        values = {key[i] for key in sums.groups}
        if ALL in values and request.totals is not None:
            raise UsageError(
                f"column {name}: one of its groups is named {ALL}, like totals; rename it, or leave totals out"
            )
        if 2 * len(values) > rows:
            raise UsageError(
                f"column {name}: it has nearly as many groups as there are rows that count; group by a column "
                "with fewer values"
            )


def _published(key: Key, exact: Any, seen: Evidence, request: AggregateRequest) -> Group:
    figure = figures.figures(exact)
    return Group(
        key, figure.count, figure.mean, figure.std, figure.correlation, None if request.unit is None else seen.units
    )


def _kind(request: AggregateRequest) -> str:
    """The description of this release in a ledger. Two ways to aggregate a table have different descriptions."""
    rules = request.rules
    size = f"{'rows' if request.unit is None else 'units'} {rules.min_group} at least"
    dominance = "" if rules.dominance is None else f", dominance {rules.dominance[0]},{rules.dominance[1]:g}"
    return (
        f"aggregates by {', '.join(request.by)} ({size}, p-percent {rules.p_percent:g}{dominance}, "
        f"{'no' if request.totals is None else request.totals} totals)"
    )


def _report(
    sums: Sums,
    groups: Mapping[Key, Evidence],
    totals: Mapping[Key, Evidence],
    withheld: Mapping[Key, tuple[str, ...]],
    published: Sequence[Group],
    columns: int,
    others: Sequence[Difference],
) -> dict[str, Any]:
    """Return the report for the owner of the data. Withheld groups aren't named."""
    weakest = min((figures.reconstruction(g.count, columns) for g in published), key=lambda r: r.freedom)
    return {
        "note": "For the owner of the data: this is not part of the release.",
        "rows": sums.rows,
        "rows_with_missing_numbers": sums.incomplete,
        "rows_without_unit": sums.nobodys,
        "groups": {
            "published": len(groups) - sum(k in groups for k in withheld),
            "withheld": sum(k in groups for k in withheld),
        },
        "totals": {
            "published": len(totals) - sum(k in totals for k in withheld),
            "withheld": sum(k in totals for k in withheld),
        },
        "rows_in_withheld_groups": sum(seen.rows for key, seen in groups.items() if key in withheld),
        "withheld_for": dict(sorted(Counter(reason for why in withheld.values() for reason in why).items())),
        "complementary": sum(why == (COMPLEMENTARY,) for why in withheld.values()),
        "smallest_published": min(g.count for g in published),
        "weakest_reconstruction": weakest._asdict(),
        "other_releases": [str(d) for d in others],
    }
