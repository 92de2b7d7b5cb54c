"""The locale of the made-up people of each table, where nothing remembers that of each person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.header_words import fold
from piiscan.core.types import TableReport
from piiscan.masking.plan import subjects
from piiscan.masking.plan.key_links import NAMES_RANK, kinds
from piiscan.masking.plan.plan_types import TablePlan
from piiscan.masking.plan.same_people import share

if TYPE_CHECKING:
    from piiscan.masking.surrogates.name_locale import Detected

_FEWEST: Final = 20
"""Words of names that tell a table's locale."""
_KNOWN: Final = 0.3
"""The share of them that have to be in its lists."""
_LOOKED_AT: Final = 60
"""Names of a table, at most: each is looked up in the lists of all locales."""
_AT_HOME: Final = 0.7
"""The share of them in the lists of the common locale from which on no other is looked for."""
_COMPARED: Final = 200
"""Tables that are compared with each other, at most."""
_TOLD: Final = 3
"""So many tables of a locale are named in a plan."""


class _Named(NamedTuple):
    names: frozenset[str]
    locale: str | None  # None where the names don't tell it


def of_tables(tables: Sequence[tuple[TableReport, Sequence[tuple[str, ...]]]], common: str) -> list[str]:
    """The locale of each table: that of its names where they tell it, else `common`, that of all names together.

    A table whose names don't identify one has the locale of those that share names with it, where it is one.
    """
    if len(tables) == 1:
        return [common]
    each = [_named(report, samples, common) for report, samples in tables]
    if not any(own.locale and own.locale != common for own in each):
        return [common] * len(tables)
    return [_locale(own, each, common) for own in each]


def _locale(own: _Named, each: Sequence[_Named], common: str) -> str:
    if own.locale or not own.names:
        return own.locale or common
    theirs = {t.locale for t in each if t.locale and share(own.names, t.names)}
    return theirs.pop() if len(theirs) == 1 else common


def agreeing(
    homes: Sequence[str],
    plans: Sequence[TablePlan],
    tables: Sequence[tuple[TableReport, Sequence[tuple[str, ...]]]],
    common: str,
) -> list[str]:
    """The locales of tables, one where a person may be in several: where they have keys of one kind, or share names.

    A person's mask is made in the locale of the table, and has to be the same in all of them. `homes`: by names alone.
    Many tables are not compared, and all of one locale.
    """
    if len(homes) > _COMPARED:
        return [common] * len(homes)
    keys = [{kind for s in plan.subjects for kind in kinds(s, plan) if kind[0] != NAMES_RANK} for plan in plans]
    names = [_people(subjects.names(*table)[0]) for table in tables]
    out = list(homes)
    while True:
        differ = [
            (t, other)
            for t, own in enumerate(out)
            for other in range(t)
            if own != out[other] and (keys[t] & keys[other] or share(names[t], names[other]))
        ]
        if not differ:
            return out
        for pair in differ:
            for t in pair:
                out[t] = common


def _people(names: Sequence[str]) -> frozenset[str]:
    """Names without titles, whatever the order and case of their words."""
    import polars as pl

    from piiscan.masking.surrogates import name_format

    plain = name_format.bare(pl.Series(names, dtype=pl.String)).to_list()
    return frozenset(" ".join(sorted(fold(name).replace(",", " ").split())) for name in plain)


def _named(report: TableReport, samples: Sequence[tuple[str, ...]], common: str) -> _Named:
    from piiscan.masking.surrogates.locales import language
    from piiscan.masking.surrogates.name_locale import locale_of, share_known

    names, country = subjects.names(report, samples)
    some = names[:: max(1, len(names) // _LOOKED_AT)]
    if share_known(some, common) >= _AT_HOME:
        return _Named(frozenset(names), common)
    found = locale_of(some, country)
    sure = found.sure or (found.next_best and language(found.next_best) == language(found.locale))
    tells = found.names >= _FEWEST and found.known >= _KNOWN and sure
    return _Named(frozenset(names), found.locale if tells else None)


def described(common: Detected, locales: Sequence[str], sources: Sequence[str]) -> Iterator[str]:
    """What a plan says of the locales of its tables."""
    others = sorted({own for own in locales if own != common.locale})
    if not others:
        yield (
            f"Surrogates are of the locale {common.locale}, one for all tables so that equal people get equal names: "
            f"{common.reason()}."
        )
        return
    parts = []
    for own in others:
        theirs = sorted({source for source, locale in zip(sources, locales, strict=True) if locale == own})
        parts.append(f"{own} in {', '.join(theirs) if len(theirs) <= _TOLD else f'{len(theirs)} files'}")
    yield (
        f"Surrogates are of the locale that a table's names tell: {'; '.join(parts)}. All others are of the locale "
        f'{common.locale}: {common.reason()}. Write locale = "table" above for one locale.'
    )
