"""A risk report in words: what each figure means, and what it doesn't say.

Shares are rounded up: a risk is never shown as zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from piiscan.anonymity.risk.attackers import Risk
from piiscan.anonymity.risk.risk_report import (
    ClassSizes,
    ColumnRole,
    ColumnSets,
    Linkage,
    Population,
    RiskReport,
    Sensitive,
)
from piiscan.report.terminal_report import fold
from piiscan.report.verdict_words import count, listing, printable

ROLES = {
    "quasi": "quasi-identifiers",
    "sensitive": "sensitive",
    "unit": "unit",
    "weights": "weights",
    "suspected": "not counted, but suspected",
    "insensitive": "insensitive",
}
_NAMES = 300
NOT_SAID = (
    (
        "The figures hold for the columns that count as quasi-identifiers. Anyone who knows something else about a "
        "person, or has other releases about the same people, may find more."
    ),
    "A small risk of being found doesn't mean that nothing is learned: see what classes disclose.",
    (
        "k-anonymity and related models promise nothing about a person's influence on sums and models made from the "
        "table: that is what differential privacy is for."
    ),
)


def render(report: RiskReport, width: int) -> str:
    """Return lines of at most `width` columns."""
    title = report.source if report.table is None else f"{report.source}::{report.table}"
    size = count(report.rows, "row") + ("" if report.units is None else f" of {count(report.units, 'unit')}")
    parts = [
        _section(f"{printable(title)}: {size}", _columns(report.columns), width),
        _section("Read this first", [printable(w) for w in report.warnings], width, mark="- "),
        _section("How alike records are", _classes(report), width),
        _section(
            "If an attacker knows that a person is in the table (prosecutor)", _risk(report.prosecutor, report), width
        ),
        *_beyond(report, width),
        *(
            _section(f"What classes disclose: {printable(s.column)}", _given_away(s, report), width)
            for s in report.sensitive
        ),
        _section("Which columns single people out", _sets(report.column_sets, report), width),
        _section("What this doesn't say", NOT_SAID, width, mark="- "),
    ]
    return "\n".join(part for part in parts if part)


def _beyond(report: RiskReport, width: int) -> Iterator[str]:
    if report.population is not None:
        yield _section("In the population", _population(report.population, report), width)
    else:
        text = "Not available: give the population (--population), weights, or a sampling fraction."
        yield _section("If an attacker doesn't know who is in the table (journalist, marketer)", [text], width)
    if report.linkage is not None:
        yield _section(f"Attack with {printable(report.linkage.source)}", _linkage(report.linkage, report), width)


def _section(title: str, lines: Sequence[str] | Iterator[str], width: int, mark: str = "") -> str:
    body = []
    for text in lines:
        indent = "  " + text[: len(text) - len(text.lstrip())]
        first, *more = fold(text, width, indent + " " * len(mark))
        body += [indent + mark + first[len(indent) + len(mark) :], *more]
    return "\n".join([*fold(title, width), *body, ""]) if body else ""


def _columns(columns: Sequence[ColumnRole]) -> Iterator[str]:
    for role, words in ROLES.items():
        names = [_named(c) for c in columns if c.role == role]
        if names:
            yield f"{words}: {listing(names, _NAMES)}"


def _named(column: ColumnRole) -> str:
    if column.declared:
        return printable(column.name)
    return f"{printable(column.name)} (by the scan{f': {column.entity}' if column.entity else ''})"


def _classes(report: RiskReport) -> Iterator[str]:
    c = report.classes
    if report.units is not None and report.units == report.records:
        yield "A record is a unit here: each has rows in only one class."
    elif report.units is not None:
        yield (
            "A record is a unit in a class here: the rows of one unit count once in each class. "
            f"{count(report.units, 'unit')} make {count(report.records, 'record')}."
        )
    yield (
        f"Records that agree in every quasi-identifier form a class: {count(c.number, 'class', 'classes')} of "
        f"{c.smallest:,} to {c.largest:,} records, "
        f"{_number(c.average)} on average."
    )
    others = (
        f"every record shares its class with at least {c.smallest - 1:,} others"
        if c.smallest > 1
        else "there are records that share theirs with no other"
    )
    yield f"k = {c.smallest:,}: {others}."
    yield (
        f"{_of(c.unique, c.unique_share, _units(c.unique_units, report))} alone in their class: anyone who knows "
        "their quasi-identifiers finds them."
    )
    yield from _sizes(c)
    if report.blank:
        yield (
            f"{count(report.blank, 'record')} of these have no information in any quasi-identifier (empty or *), "
            "as suppressed ones do. They share classes only with each other."
        )
    if report.suspected is not None:
        s = report.suspected
        yield (
            f"With the suspected columns counted too, k = {s.smallest:,} and "
            f"{_of(s.unique, s.unique_share, _units(s.unique_units, report))} alone. Declare them --quasi, or "
            "--insensitive if no attacker knows them."
        )


def _sizes(c: ClassSizes) -> Iterator[str]:
    yield "  class size      classes      records"
    for r in c.sizes:
        name = f"{r.least:,}" if r.least == r.most else f"{r.least:,}-{r.most:,}"
        yield f"  {name:>10} {r.classes:>12,} {r.records:>12,}"


def _risk(risk: Risk, report: RiskReport) -> Iterator[str]:
    yield (
        f"The record that is easiest to find is found with probability {share(risk.highest)}; the average is "
        f"{share(risk.average)}."
    )
    some = [f"{share(a.share)} have a risk above {share(a.threshold)}" for a in risk.above if a.records]
    yield (
        f"Of all records, {'; '.join(some)}."
        if some
        else f"No record has a risk above {share(min(a.threshold for a in risk.above))}."
    )


def _population(p: Population, report: RiskReport) -> Iterator[str]:
    by = {"file": "counted in the file", "weights": "by the weights", "sampling fraction": "by the sampling fraction"}[
        p.by
    ]
    yield f"It has {_number(p.size)} members, {by}."
    yield "An attacker who doesn't know who is in the table, and wants to find any person in it (journalist):"
    yield from (f"  {line}" for line in _risk(p.journalist, report))
    yield (
        f"An attacker who matches everyone with everyone (marketer) is right for {share(p.marketer)} of the "
        "records on average."
    )
    if p.exact is not None:
        e = p.exact
        yield (
            f"k-map: every record matches at least {e.k_map:,} members of the population. "
            f"{_of(e.unique, e.unique_share)} alone in the population."
        )
        yield (
            "delta-presence: given the quasi-identifiers, the probability that a member of the population is in "
            f"the table is {share(e.presence_low)} to {share(e.presence_high)}."
        )
        if e.outside:
            yield (
                f"{count(e.outside, 'record')} match fewer members of the population than records of the table: "
                "this isn't the population of the table, or it is incomplete."
            )
    if p.estimated is not None:
        m = p.estimated
        pitman = "Pitman's model doesn't fit" if m.pitman is None else f"{share(m.pitman)} (Pitman)"
        yield f"Estimated share of the population that is unique in it: {share(m.zayatz)} (Zayatz), {pitman}."
        right = (
            ""
            if m.correct_match is None
            else f" A match with it is right with probability {share(m.correct_match)} (Skinner and Elliot)."
        )
        yield (
            "A record that is alone in its class is also unique in the population with probability "
            f"{share(m.unique_is_unique)} (Zayatz).{right}"
        )


def _given_away(s: Sensitive, report: RiskReport) -> Iterator[str]:
    yield f"{count(s.values, 'different value')}."
    certain = _of(s.certain, s.certain_share, _units(s.certain_units, report))
    yield (
        f"{certain} in a class that agrees in it: anyone who finds the class knows it, without finding the record "
        f"(homogeneity). {s.certain_in_groups:,} of them are not alone in their class: k doesn't protect these."
    )
    yield (
        f"l-diversity: distinct l = {s.distinct_l}, entropy l = {_number(s.entropy_l)}, recursive (c,l): "
        f"{_above('c', s.recursive_c)} for l = {s.recursive_l}."
    )
    yield f"(alpha,k): alpha = {_number(s.alpha)}: in some class, {share(s.alpha)} of the records have the same value."
    ordered = "" if s.t_ordered is None else f", {_number(s.t_ordered)} by the order of values"
    if s.t_hierarchical is not None:
        ordered += f", {_number(s.t_hierarchical)} by the hierarchy"
    yield (
        f"t-closeness: t = {_number(s.t_equal)}{ordered}: how far the values of a class are from those of the "
        "whole table (0 to 1)."
    )
    enhanced = "no beta is enough" if math.isinf(s.beta_enhanced) else f"beta = {_number(s.beta_enhanced)}"
    yield (
        f"beta-likeness: beta = {_number(s.beta_basic)}: some value is {_number(1 + s.beta_basic)} times as "
        "frequent in a class as in the table; "
        f"enhanced: {enhanced}."
    )
    yield f"delta-disclosure: {_above('delta', s.delta)}."


def _above(letter: str, value: float) -> str:
    return f"no {letter} is enough" if math.isinf(value) else f"{letter} above {_number(value)}"


def _sets(found: ColumnSets, report: RiskReport) -> Iterator[str]:
    largest = f"sets of up to {count(found.largest, 'column')} were examined"
    if found.identifying:
        yield f"The smallest sets that single out most records ({largest}):"
        yield from (
            (
                f"  {' + '.join(map(printable, s.columns))}: {share(s.unique_share)} alone, "
                f"{share(s.separation_ratio)} of pairs distinguished"
            )
            for s in found.identifying
        )
    else:
        yield f"No set singles out most records ({largest}). Those that single out most of each size:"
        yield from (
            (
                f"  {' + '.join(map(printable, s.columns))}: {share(s.unique_share)} alone, "
                f"{share(s.separation_ratio)} of pairs distinguished"
            )
            for s in found.best
        )
    counts = [f"{n:,} by {count(size, 'column')}" for size, n in enumerate(found.special, 1) if n]
    if counts:
        yield f"Special uniques, records that few columns single out: {', '.join(counts)} (the fewest that do)."
        most = sorted(found.contributions, key=lambda c: -c.share)[:5]
        yield (
            "Columns that contribute most: "
            f"{', '.join(f'{printable(c.column)} {share(c.share)}' for c in most if c.share)}."
        )


def _linkage(found: Linkage, report: RiskReport) -> Iterator[str]:
    yield f"Compared by {', '.join(map(printable, found.columns))}; it has {count(found.people, 'record')} of people."
    for at in found.found:
        who = (
            "exactly one of these people matches"
            if at.candidates == 1
            else (f"1 to {at.candidates} of these people match")
        )
        yield f"{_of(at.records, at.share, verb='')}: {who}."
    yield (
        f"{found.pairs:,} pairs of a record and a person match only each other. {found.people_found:,} of the "
        "people match only one record."
    )
    for outcome in found.learned:
        yield (
            f"{outcome.people:,} of the people match records that all agree in {printable(outcome.column)}: if "
            "they are in the table, this value is disclosed, even if their record isn't found."
        )
    hidden = f" {found.hidden:,} have * in all these columns and match everyone." if found.hidden else ""
    yield f"{count(found.nobody, 'record')} match no one.{hidden}"
    yield "A match is certain only if the person is known to be in the table, or the file contains everyone."


def _of(n: int, part: float, units: str = "", verb: str = "is") -> str:
    verb = {"is": " is" if n == 1 else " are"}.get(verb, verb)
    return f"{count(n, 'record')} ({share(part)}){units}{verb}"


def _units(n: int | None, report: RiskReport) -> str:
    """Return which units these records belong to."""
    if n is None or not report.units or report.units == report.records:
        return ""
    return f" of {count(n, 'unit')} ({share(n / report.units)})"


def share(of: float) -> str:
    """Return a share in percent, rounded up, so that 0% means none."""
    if 0 < of < 0.0001:
        return "<0.01%"
    if 0.999 < of < 1:
        return ">99.9%"
    digits = 2 if of < 0.01 else 1
    up = math.ceil(of * 100 * 10**digits - 1e-9) / 10**digits
    return f"{up:.{digits}f}".rstrip("0").rstrip(".") + "%"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
