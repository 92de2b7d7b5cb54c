"""The shape of a table: words of its name and headers, and whether its rows are groups rather than individuals."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from piiscan.core.caches import of_words
from piiscan.core.header_words import tokens
from piiscan.core.types import TableInfo
from piiscan.scanning.classify import word_lists
from piiscan.scanning.classify.candidates import ColumnCandidates, counts_people


def name_tokens(info: TableInfo) -> tuple[str, ...]:
    return (*tokens(_stem(info.source)), *tokens(info.table or ""))


@of_words(256)
def _stem(source: str) -> str:
    return PurePosixPath(source.split("!")[-1]).name.split(".")[0]


def header_words(columns: Sequence[ColumnCandidates]) -> list[str]:
    """The words of all headers, but for those that count people."""
    return [w for c in columns if not counts_people(c.header, c.profile) for w in set(tokens(c.header or ""))]


def counts_groups(headers: Sequence[tuple[str, ...]], columns: Sequence[ColumnCandidates], rows: int) -> bool:
    """Whether enough headers count something, over numbers, beside groups that tell the rows apart."""
    if not columns:
        return False
    counted = sum(
        not word_lists.AGGREGATE.isdisjoint(words) or counts_people(c.header, c.profile)
        for c, words in zip(columns, headers, strict=True)
    )
    numbers = sum(c.profile.numeric + c.profile.kinds.get("money", 0) > 0.8 for c in columns)
    groups = [
        c.profile.distinct
        for c in columns
        if c.profile.distinct > 1 and (is_group(c) or c.profile.kinds.get("date", 0) > 0.8)
    ]
    return (
        counted >= min(2, 0.4 * len(columns))
        and counted >= 0.2 * len(columns)
        and numbers >= 0.3 * len(columns)
        and math.prod(groups) >= 0.5 * rows
    )


def counts_each_group(
    headers: Sequence[tuple[str, ...]], columns: Sequence[ColumnCandidates], rows: int, coded: Collection[int] = ()
) -> bool:
    """Whether every column is a group or counts something, and groups together tell the rows apart.

    `coded`: the places of columns that are groups although their cells are codes: sexes, age groups and areas.
    """
    counted = [
        c.profile.numeric > 0.8
        and c.index not in coded
        and (not word_lists.COUNTED.isdisjoint(words) or counts_people(c.header, c.profile))
        for c, words in zip(columns, headers, strict=True)
    ]
    groups = [c for c, counts in zip(columns, counted, strict=True) if not counts]
    return (
        any(counted)
        and all(c.index in coded or (is_group(c) and c.profile.distinct <= 0.5 * rows) for c in groups)
        and math.prod(c.profile.distinct for c in groups) >= rows
    )


def is_crossed(columns: Sequence[ColumnCandidates], rows: int) -> bool:
    """Whether the table has one row for each combination of a few groups: sex by age band by year."""
    groups = [
        c.profile.distinct
        for c in columns
        if 2 <= c.profile.distinct <= 80 and c.profile.filled >= 0.9 * rows and is_group(c)
    ]
    if not 1 <= len(groups) <= 5:
        return False
    combinations = math.prod(groups)
    return combinations >= 12 and len(groups) >= 2 and 0.6 <= rows / combinations <= 1.02


def has_totals(c: ColumnCandidates) -> bool:
    """Whether a column of groups has a line for all of them ("both sexes", "all ages")."""
    return not word_lists.TOTALS.isdisjoint(c.profile.folded)


def has_years_across(headers: Sequence[tuple[str, ...]]) -> bool:
    """Whether many columns are named by nothing but a year each: a time series for each row."""
    years = {
        int(d) for ws in headers if len(ws) <= 2 for d in ws if len(d) == 4 and d.isdigit() and "1800" <= d <= "2100"
    }
    return len(years) >= max(5, 0.25 * len(headers))


def is_group(c: ColumnCandidates) -> bool:
    p = c.profile
    years = p.whole == 1 and p.within(1900, 2100) == 1
    return years or ((p.lettered > 0.9 or p.kinds.get("band", 0) > 0.5) and p.word_count < 6)
