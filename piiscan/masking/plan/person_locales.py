"""The locales that the people of some tables may have of their own, for a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from piiscan.core.types import TableReport
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.plan.whose_columns import whose_place

_FEWEST: Final = 2
"""Texts of a sample that have to tell a locale."""
_NAMES: Final = 200
"""Names of a column that are looked at."""


def found(
    tables: Iterable[tuple[TableReport, Sequence[tuple[str, ...]]]], locale: str, homes: Iterable[str]
) -> tuple[str, ...]:
    """Locales other than `locale` that countries or names in the samples tell, sorted; and those of whole tables."""
    import polars as pl

    from piiscan.masking.surrogates.countries import code_of
    from piiscan.masking.surrogates.home_locale import of_names
    from piiscan.masking.surrogates.locales import LOCALES, country

    seen: Counter[str] = Counter()
    for report, samples in tables:
        seen.update(of_names(pl.Series(_whole_names(report, samples), dtype=pl.String), LOCALES).drop_nulls().to_list())
        for column in report.columns:
            texts = samples[column.index]
            if column.entity == "COUNTRY":
                for text in texts:
                    code = code_of(text)
                    seen.update({own: _FEWEST for own in LOCALES if code and country(own) == code})
            elif column.entity == "PERSON":
                seen.update(of_names(pl.Series(texts[:_NAMES], dtype=pl.String), LOCALES).drop_nulls().to_list())
    told = {own for own, n in seen.items() if n >= _FEWEST}.union(homes)
    return tuple(sorted(told - {locale}))


def _whole_names(report: TableReport, samples: Sequence[tuple[str, ...]]) -> list[str]:
    """First and last names of a table's columns put together as they come: one word doesn't identify a locale."""
    first, last = (
        next((samples[c.index] for c in report.columns if c.entity == entity and c.pii == "direct"), ())
        for entity in ("FIRST_NAME", "LAST_NAME")
    )
    return [f"{one} {other}" for one, other in zip(first[:_NAMES], last[:_NAMES], strict=False)]


def without_locales(table: TablePlan) -> TablePlan:
    """A table whose made-up people and streets are all of the plan's locale."""

    def one(action: Action) -> Action:
        params = {name: value for name, value in action.params.items() if name != "locales"}
        return replace(action, params=params) if "locales" in action.params else action

    return replace(table, columns=tuple(map(one, table.columns)))


def with_locales(table: TablePlan, locales: tuple[str, ...]) -> TablePlan:
    """A table whose made-up people get names and streets of their own locales, where the policy decides."""
    if not locales:
        return table

    def one(action: Action) -> Action:
        is_street = action.operator == "surrogate" and action.params.get("kind") == "street"
        if not (action.operator == "persona" or is_street) or action.decided_by == "human":
            return action
        params = {**action.params, "locales": list(locales)}
        if not is_street or action.dtype == "other":
            return replace(action, params=params)
        subject = whose_place(action.name, table.subjects)
        return replace(action, params=params, subject=subject.name if subject else None)

    return replace(table, columns=tuple(map(one, table.columns)))
