"""The subject table of a run, made from all its tables before any of them is masked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import polars as pl

from piiscan.masking import vault as vaults
from piiscan.masking.apply.executors import in_order
from piiscan.masking.apply.linked_keys import (
    Evidence,
    evidence,
    resolve_links,
    shared_keys,
    tells_links,
    together,
)
from piiscan.masking.apply.street_locales import StreetLocales, street_columns
from piiscan.masking.apply.subject_attributes import AttributeVotes, Remembered, as_vault, has_personas
from piiscan.masking.apply.subject_table import SubjectFigures, SubjectTable
from piiscan.masking.apply.telephone_countries import CountryVotes
from piiscan.masking.plan.key_links import NUMBERS, RANKS
from piiscan.masking.plan.plan_types import Plan, TablePlan

if TYPE_CHECKING:
    from piiscan.core.keys import Key, Subkey

Rows = Iterator[tuple[pl.DataFrame, TablePlan]]
"""Batches, each with the plan of its table."""


def subject_table(
    plan: Plan,
    key: Key | None,
    read: Callable[[Callable[[TablePlan], bool]], Rows],
    executor: Executor | None = None,
) -> SubjectTable | None:
    """Make the subject table of all tables that `read` gives; reads them twice.

    `read` yields the tables for which its argument is true. What the plan's vault knows of people stays, and new
    knowledge is added to it. None where the plan has no personas or there is no key. Raises `UsageError`.
    """
    if key is None or not any(t.subjects or has_personas(t) for t in plan.tables):
        return None
    secret, texts = _secret(plan, key), _of_texts(plan, key)
    known = Remembered.of(vaults.read(plan.vault_file, secret) if plan.vault_file else None)
    rows = read(tells_links)
    found = together(in_order(executor, lambda each: evidence(*each, texts), rows))
    shared = shared_keys(found)
    first, settled = secret.derive("first"), known.settled
    if len(known.shared):
        links = resolve_links(_without(found, known.shared), known.links, first, settled)
    else:
        links = resolve_links(found, known.links, first, settled, shared)
    old = pl.concat([known.links["original"], known.entries["text"]])
    shared = pl.concat([known.shared, shared.filter(~shared.is_in(old.implode()))]).unique().sort()
    remembers = plan.vault_file is not None
    table = SubjectTable(links, shared, known.entries, remembers, looks=known.looks, secret=texts)
    votes, countries = AttributeVotes(plan, table), CountryVotes(plan, table)
    rows = read(lambda part: bool(part.subjects or street_columns(part)) or has_personas(part))
    for frame, part, told in in_order(executor, lambda each: (*each, votes.of_rows(*each)), rows):
        votes.add(told)
        countries.add(frame, part, told.whose)
    entries = votes.decided(known.entries, key)
    own = entries.join(votes.subjects().alias("text").to_frame(), on="text", how="semi")
    figures = _figures(found, links, shared, own, plan)
    if plan.vault_file is None:
        return table.knowing(entries, figures, votes.looks)
    streets = votes.streets.decided(known.streets, entries)
    decided = as_vault(entries, shared, votes.looks, countries.decided(known.countries), streets)
    kept = vaults.remember(plan.vault_file, secret, pl.concat([links.sort("original"), decided]))
    return _remembering(Remembered.of(kept), texts, votes.coincidences, figures)


def _without(found: Evidence, shared: pl.Series) -> Evidence:
    """What rows tell besides keys that are known to be several people's."""
    of_many = pl.col("original").is_in(shared.implode()) | pl.col("code").is_in(shared.implode())
    return found._replace(pairs=found.pairs.filter(~of_many))


def _figures(
    found: Evidence, links: pl.DataFrame, shared: pl.Series, subjects: pl.DataFrame, plan: Plan
) -> SubjectFigures:
    numbers = found.named.filter(pl.col("rank").is_in([RANKS[entity] for entity in NUMBERS]))["original"].hash()
    several = numbers.filter(numbers.is_duplicated()).unique()
    beside = found.pairs["original"].hash().unique()  # counted by hashes, which takes a fifth of the time
    linked = beside.is_in(pl.concat([links["original"], links["code"]]).hash().implode())
    remembered = plan.vault_file is not None
    locales = subjects["locale"].fill_null("") if remembered else pl.Series("locale", [""] * len(subjects))
    return SubjectFigures(
        len(subjects),
        int(linked.sum()),
        int((~linked).sum()),
        len(shared),
        len(several),
        dict(sorted(locales.value_counts().iter_rows())),
        int((subjects["digits"].fill_null(0) > 0).sum()) if remembered else 0,
        remembered,
    )


def remembered(plan: Plan, key: Key | None) -> SubjectTable | None:
    """Return what the plan's vault knows of people; None where there is no vault.

    An empty table, rather than None, where people are known by keyed hashes even without a vault. Raises `UsageError`.
    """
    if key is None or (plan.vault_file is None and not plan.hashed_keys):
        return None
    texts = _of_texts(plan, key)
    if plan.vault_file is None:
        nobody = Remembered.of(None)
        return SubjectTable(nobody.links, nobody.shared, nobody.entries, False, secret=texts)
    return _remembering(Remembered.of(vaults.read(plan.vault_file, _secret(plan, key))), texts)


def _remembering(
    known: Remembered, texts: Subkey | None, coincidences: int = 0, figures: SubjectFigures | None = None
) -> SubjectTable:
    return SubjectTable(
        known.links,
        known.shared,
        known.entries,
        True,
        coincidences,
        figures,
        known.looks,
        known.countries,
        texts,
        StreetLocales(known.streets),
    )


def _secret(plan: Plan, key: Key) -> Subkey:
    return key.subkey("subjects").derive("hashed keys" if plan.hashed_keys else "links")


def _of_texts(plan: Plan, key: Key) -> Subkey | None:
    """The subkey for the hashes that represent keys; None where the keys represent themselves."""
    return _secret(plan, key).derive("texts") if plan.hashed_keys else None
