"""Whose keys belong together, looked up in all tables before any of them is masked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from piiscan import engine, io
from piiscan.apply import links
from piiscan.errors import ReadError
from piiscan.io import ReadOptions
from piiscan.masking.fit import find, fitted, relative
from piiscan.plan import Plan
from piiscan.rules import RuleSet
from piiscan.types import InName, NotScanned, Skipped

if TYPE_CHECKING:
    from piiscan.keys import Key


def known_people(
    source: Path, root: Path, plan: Plan, key: Key | None, rules: RuleSet, read: ReadOptions, new_columns: str
) -> links.Links | None:
    """The links of the plan's vault, with those that the tables below `source` tell; None where the plan has no vault.

    Reads the tables that hold several keys of somebody once more. Raises `UsageError`.
    """
    if not plan.vault or key is None:
        return None
    return links.remembered(plan.vault, key, _told(source, root, plan, rules, read, new_columns))


def _told(source: Path, root: Path, plan: Plan, rules: RuleSet, read: ReadOptions, new_columns: str) -> Iterator[pl.DataFrame]:
    for item in io.discover([str(source)], read):
        if isinstance(item, NotScanned | Skipped | InName):
            continue
        shown = engine.printable(relative(item.info, root, rules), rules)
        table = fitted(find(plan, shown), shown, new_columns)
        if links.linking(table):
            with suppress(ReadError):  # such a file is left out when it is masked, which says why
                for batch in item.batches():
                    yield links.told(batch.frame, table)
