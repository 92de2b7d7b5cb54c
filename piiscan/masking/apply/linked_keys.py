"""Which keys are of one person: what tables that hold several keys of somebody tell those that hold one.

A key is linked to one of a better rank that it stands beside: a user name to a person's number, either to an e-mail
address. One that stands beside several people's keys belongs to nobody in particular (a number 0 for "unknown", a
shared account), and isn't linked. So e-mail addresses, the best, are never merged; and what comes out doesn't depend on
the order of rows, batches and tables.

Names link nothing: two people may share them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from piiscan.masking.apply import people
from piiscan.masking.apply.links import Links
from piiscan.masking.plan.key_links import RANKS, ranked
from piiscan.masking.plan.plan_types import Subject, TablePlan

if TYPE_CHECKING:
    from piiscan.core.keys import Key

_SEED: Final = 11
_SCHEMA: Final = {"rank": pl.Int8, "original": pl.String, "code": pl.String}


def linked_subjects(plan: TablePlan) -> list[Subject]:
    """The subjects of a table that have several keys which mean one person each."""
    return [s for s in plan.subjects if len(ranked(s, plan)) > 1]


def key_pairs(frame: pl.DataFrame, plan: TablePlan) -> pl.DataFrame:
    """What the rows of a batch tell: rank and text of a key, and the best of a better rank beside it; distinct.
    `frame` has the plan's columns."""
    out = [pl.DataFrame(schema=_SCHEMA)]
    for subject in linked_subjects(plan):
        texts, places = list(people.keys(frame, subject, plan)), ranked(subject, plan)
        for rank, i in places:
            if better := [texts[j].alias(str(j)) for r, j in places if r < rank]:
                best = pl.DataFrame(better).select(pl.coalesce(pl.all()).alias("code"))["code"]
                pairs = pl.DataFrame({"original": texts[i], "code": best}).drop_nulls().unique()
                out.append(pairs.select(pl.lit(rank, dtype=pl.Int8).alias("rank"), "original", "code"))
    return pl.concat(out)


def resolve_links(each: Iterable[pl.DataFrame], known: pl.DataFrame | None = None) -> pl.DataFrame:
    """The links (`original`, `code`) that all rows tell together, beside those known already, which stay. In the
    order of their texts."""
    pairs = pl.concat([pl.DataFrame(schema=_SCHEMA), *each]).unique()
    links = pl.DataFrame(schema={k: _SCHEMA[k] for k in ("original", "code")}) if known is None else known
    for rank in sorted(set(RANKS.values())):
        new = pairs.filter(pl.col("rank") == rank).join(links, on="original", how="anti")
        people_of = new.with_columns(Links(links).resolved(new["code"]).alias("code")).unique()
        alone = people_of.group_by("original").agg(pl.col("code").first(), pl.len().alias("n")).filter(pl.col("n") == 1)
        links = pl.concat([links, alone.select("original", "code")])
    return links.sort("original")


def remember_links(vault: str, key: Key, each: Iterable[pl.DataFrame] = ()) -> Links:
    """The links of a vault, and those that rows tell now, which it remembers from here on. Raises `UsageError`."""
    from piiscan.masking import vault as vaults

    path, secret = Path(vault), key.subkey("subjects").derive("links")
    known = vaults.read(path, secret)
    return Links(vaults.remember(path, secret, resolve_links(each, known)))
