"""Whose keys belong together, looked up in all tables before any of them is masked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from piiscan.core.errors import ReadError
from piiscan.core.types import NotScanned
from piiscan.io.read_options import ReadOptions
from piiscan.masking.apply import linked_keys
from piiscan.masking.apply.links import Links
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.run.match_plan import find, fitted, tables_below
from piiscan.rules.definitions import RuleSet

if TYPE_CHECKING:
    from piiscan.core.keys import Key


def known_people(
    source: Path, root: Path, plan: Plan, key: Key | None, rules: RuleSet, read: ReadOptions, new_columns: str
) -> Links | None:
    """The links of the plan's vault, with those that the tables below `source` tell; None where the plan has no vault.

    Reads the tables that hold several keys of somebody once more. Raises `UsageError`.
    """
    if not plan.vault or key is None:
        return None
    return linked_keys.remember_links(plan.vault, key, _key_pairs(source, root, plan, rules, read, new_columns))


def _key_pairs(
    source: Path, root: Path, plan: Plan, rules: RuleSet, read: ReadOptions, new_columns: str
) -> Iterator[pl.DataFrame]:
    for item in tables_below(source, root, rules, read):
        if isinstance(item, NotScanned):
            continue
        found, shown = item
        table = fitted(find(plan, shown), shown, new_columns)
        if linked_keys.linked_subjects(table):
            with suppress(ReadError):  # such a file is left out when it is masked, which says why
                for batch in found.batches():
                    yield linked_keys.key_pairs(batch.frame, table)
