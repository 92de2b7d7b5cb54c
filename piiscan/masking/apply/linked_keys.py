"""Decides which keys belong to one person, from tables that hold several keys of the same person.

A key is linked to one of a better rank that it stands beside: a telephone with its name to a user name, that to a
national number, that to a person's number, each to an e-mail address. One that stands beside several people's keys
belongs to nobody in particular (a number 0 for "unknown", a shared account), and isn't linked; unless a single name
stands beside it everywhere: then its e-mail addresses are one person's, who is known by the first of them in a keyed
order; but a telephone and a name join no two. An address, user name or national number beside several first names is a
family's, or stands for an unknown one, and means nobody. It is one hop, no closure: what comes out doesn't depend on
the order of rows, batches and tables.

Two people may share a name: it is linked to a better key only if it stands beside those of one person, and to none of
whom a vault already knows by that name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.apply import people
from piiscan.masking.apply.distinct_values import filled
from piiscan.masking.apply.repeated_texts import among, duplicates, repeated
from piiscan.masking.apply.subject_table import Links, table_texts
from piiscan.masking.operators import operator_registry
from piiscan.masking.plan.key_links import NAMES_RANK, NUMBERS, RANKS, SHARED_WITH, TELEPHONE, ranked
from piiscan.masking.plan.listed_people import with_addresses
from piiscan.masking.plan.plan_types import Action, Subject, TablePlan

if TYPE_CHECKING:
    from piiscan.core.keys import Subkey

_PAIRS: Final = {"rank": pl.Int8, "original": pl.String, "code": pl.String}
_NAMED: Final = {"rank": pl.Int8, "original": pl.String, "name": pl.String}
_MANY: Final = 5
"""E-mail addresses that one person may have; a key beside more of them is a placeholder."""


class Evidence(NamedTuple):
    """The evidence of some rows, distinct once it is put `together`.

    `pairs`: rank and text of a key, and the best of a better rank beside it (`code`). `named`:
    rank and text of a key, and a first name beside it.
    """

    pairs: pl.DataFrame
    named: pl.DataFrame

    @classmethod
    def none(cls) -> Evidence:
        return cls(pl.DataFrame(schema=_PAIRS), pl.DataFrame(schema=_NAMED))


def tells_links(plan: TablePlan) -> bool:
    """Whether the rows of a table are evidence for links."""
    return bool(linked_subjects(plan) or _listed(plan))


def _listed(plan: TablePlan) -> list[tuple[Action, Action]]:
    """Names that count everywhere, in lists of objects, and the e-mail addresses beside them."""
    return [(name, address) for name, address in with_addresses(plan.columns) if name.params.get("everywhere")]


def linked_subjects(plan: TablePlan) -> list[Subject]:
    """The subjects of a table that are evidence for links: those with several personal keys, or a name beside one."""
    each = [(s, [rank for rank, _ in ranked(s, plan)]) for s in plan.subjects]
    return [
        s for s, ranks in each if ranks and (len(ranks) > 1 or (people.has_first_name(s) and ranks[0] != NAMES_RANK))
    ]


def evidence(frame: pl.DataFrame, plan: TablePlan, secret: Subkey | None = None) -> Evidence:
    """The evidence in the rows of a batch."""
    pairs, named = [pl.DataFrame(schema=_PAIRS)], [pl.DataFrame(schema=_NAMED)]
    made: dict[tuple[tuple[int, ...], str, str], pl.Series] = {}  # several subjects of a table have keys in common
    paired = set[tuple[int, tuple[int, ...]]]()
    for subject in linked_subjects(plan):
        places = ranked(subject, plan)
        texts: dict[int, pl.Series] = {}
        for _, i in places:
            key = subject.keys[i]
            which = key, subject.scope, subject.name if key[0] in subject.everywhere else ""
            if which not in made:
                made[which] = table_texts(next(people.keys(frame, replace(subject, keys=(key,)), plan)), secret)
            texts[i] = made[which]
        names = people.first_names(frame, subject)
        for rank, i in places:
            better = [texts[j] for r, j in places if r < rank]
            same = rank, tuple(map(id, (texts[i], *better)))
            if better and same not in paired:
                paired.add(same)
                best = pl.DataFrame([b.alias(str(n)) for n, b in enumerate(better)]).select(pl.coalesce(pl.all()))
                pairs.append(_ranked_rows(pl.DataFrame({"original": texts[i], "code": best.to_series()}), rank, _PAIRS))
            if names is not None and rank != NAMES_RANK:
                named.append(_ranked_rows(pl.DataFrame({"original": texts[i], "name": names}), rank, _NAMED))
    pairs.extend(_of_lists(frame, name, address, secret) for name, address in _listed(plan))
    return Evidence(pl.concat(pairs), pl.concat(named))


def _of_lists(frame: pl.DataFrame, name: Action, address: Action, secret: Subkey | None) -> pl.DataFrame:
    """Names and the addresses beside them, of rows that have as many of both."""
    lists = pl.DataFrame([frame[str(a.index)].alias(part) for part, a in (("name", name), ("address", address))])
    if lists.dtypes != [pl.List(pl.String)] * 2:
        return pl.DataFrame(schema=_PAIRS)
    each = lists.filter(pl.col("name").list.len() == pl.col("address").list.len()).explode("name", "address")
    own = people.own_texts(filled(each["name"]), operator_registry.make(name.operator, name.params))
    texts = {"original": own, "code": people.own_texts(filled(each["address"]))}
    told = pl.DataFrame({part: table_texts(text.replace("", None), secret) for part, text in texts.items()})
    return _ranked_rows(told, NAMES_RANK, _PAIRS)


def _ranked_rows(rows: pl.DataFrame, rank: int, schema: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    return rows.drop_nulls().select(pl.lit(rank, dtype=pl.Int8).alias("rank"), *list(schema)[1:])


def together(each: Iterable[Evidence]) -> Evidence:
    """Combine evidence from any partition of the rows."""
    found, waiting = Evidence.none(), list[Evidence]()
    for more in each:
        waiting.append(more)
        if sum(len(e.pairs) + len(e.named) for e in waiting) > len(found.pairs) + len(found.named) + (1 << 18):
            found, waiting = _merged([found, *waiting]), []
    return _merged([found, *waiting])


def _merged(parts: list[Evidence]) -> Evidence:
    return Evidence(pl.concat([p.pairs for p in parts]).unique(), pl.concat([p.named for p in parts]).unique())


def shared_keys(found: Evidence) -> pl.Series:
    """Return the e-mail addresses, user names and national numbers that several people share, sorted.

    A key is shared if it occurs beside several first names, or beside several person numbers without one common name.
    """
    named = found.named.filter(pl.col("rank").is_in([RANKS[entity] for entity in SHARED_WITH]))["original"]
    shared = [duplicates(named)]
    for entity in NUMBERS:
        several = duplicates(found.pairs.filter(pl.col("rank") == RANKS[entity])["code"]).unique()
        shared.append(several.filter(~several.is_in(named.implode())))
    return pl.concat([each.alias("original") for each in shared]).unique().sort()


def resolve_links(
    found: Evidence,
    known: pl.DataFrame | None = None,
    key: Subkey | None = None,
    settled: pl.Series | None = None,
    shared: pl.Series | None = None,
) -> pl.DataFrame:
    """The links (`original`, `code`) that all rows tell together, beside those known already, which stay.

    `key`: of the order in which the first of several keys is chosen. `settled`: keys that an earlier run knew somebody
    by, who stay known by them: they get no link, and new keys of theirs lead to them. `shared`: the `shared_keys`,
    where they are known already.
    """
    shared = shared_keys(found) if shared is None else shared
    pairs = found.pairs
    if len(shared):
        pairs = pairs.filter(~pl.col("original").is_in(shared.implode()) & ~pl.col("code").is_in(shared.implode()))
    links = pl.DataFrame(schema={k: _PAIRS[k] for k in ("original", "code")}) if known is None else known
    settled = pl.Series([], dtype=pl.String) if settled is None else settled
    old = pl.concat([settled, links["original"]]).unique()
    plain = links.clear()
    if not len(old):
        is_plain = pl.Series(_plain(pairs))
        plain, pairs = pairs.filter(is_plain).select("original", "code"), pairs.filter(~is_plain)
    once = _once(found.named["original"], pairs["original"])
    for rank in sorted({*RANKS.values(), NAMES_RANK}):
        new = pairs.filter(pl.col("rank") == rank).select("original", "code")
        if len(old):
            is_old = new["original"].is_in(old.implode())
            if rank != NAMES_RANK:
                links = pl.concat([links, _joining(new.filter(is_old), links, settled, once)])
            new = new.filter(~is_old)
        new = new.join(links, on="original", how="anti") if len(new) and len(links) else new
        if not len(new):
            continue
        codes = Links(links).resolved(new["code"]).alias("code")
        people_of = new if codes.equals(new["code"]) else new.with_columns(codes).unique()
        people_of = people_of.filter(pl.col("original") != pl.col("code"))
        alone = people_of["original"].is_unique()
        links = pl.concat([links, people_of.filter(alone)])
        several = people_of.filter(~alone).group_by("original").len().filter(pl.col("len") <= _MANY)
        several = several.filter(pl.col("original").is_in(once.implode()))
        if len(several) and rank not in (RANKS[TELEPHONE], NAMES_RANK):
            links = pl.concat([links, _of_one_person(people_of, several["original"], links, settled, key)])
    links = links.unique("original", maintain_order=True) if links["original"].is_duplicated().any() else links
    return pl.concat([plain, links])


def _once(named: pl.Series, keys: pl.Series) -> pl.Series:
    """Those of some keys that occur beside one name. `named`: keys, once for each name."""
    some = named.filter(pl.Series(among(named.hash().to_numpy(), keys.hash().to_numpy())))
    return some.filter(some.is_unique())


def _plain(pairs: pl.DataFrame) -> NDArray[np.bool_]:
    """Which pairs are links of their own accord: most of them, where each person has a row.

    Their keys stand beside one better key, which stands beside no key of several people; neither is on the other side
    of any pair. A pair whose hash another key happens to have is none of them.
    """
    originals, codes = (pairs[name].hash().to_numpy() for name in ("original", "code"))
    plain = ~(repeated(originals) | among(originals, codes) | among(codes, originals))
    return plain & ~among(codes, codes[~plain])


def _joining(pairs: pl.DataFrame, links: pl.DataFrame, settled: pl.Series, once: pl.Series) -> pl.DataFrame:
    """Link new keys to people whom an earlier run knew by another key (`original`).

    Those people keep their key: a new key leads to the one person beside it. It leads to a person who was known by
    another key only where a single name, and no other person's, occurs beside it.
    """
    if not len(pairs):
        return links.clear()
    whole = Links(links)
    each = pairs.with_columns(
        whole.resolved(pairs["original"]).alias("person"), whole.resolved(pairs["code"]).alias("new")
    )
    each = each.filter((pl.col("person") != pl.col("new")) & ~pl.col("new").is_in(settled.implode()))
    each = each.filter(~pl.col("new").is_in(links["original"].implode())).select("original", "person", "new").unique()
    by_one_key = (pl.col("original") == pl.col("person")) & (pl.len().over("original") == 1)
    named = pl.col("original").is_in(once.implode()) & (pl.len().over("original") < _MANY)
    alone = (pl.len().over("new") == 1) & (pl.col("person").n_unique().over("new") == 1)
    sure = each.filter((pl.col("person").n_unique().over("new") == 1) & (by_one_key | (named & alone)))
    return sure.select(pl.col("new").alias("original"), pl.col("person").alias("code")).unique()


def _of_one_person(
    people_of: pl.DataFrame, originals: pl.Series, links: pl.DataFrame, settled: pl.Series, key: Subkey | None
) -> pl.DataFrame:
    """Link keys of one name that occur beside several better keys.

    They and the other keys lead to the first one in a keyed order, or to one that was `settled` if there is any. A
    better key that occurs beside several such keys is not linked.
    """
    held = people_of.select("original", "code").unique()
    beside = held.group_by("code").len().filter(pl.col("len") == 1)["code"]
    several = held.filter(pl.col("original").is_in(originals.implode()))
    own = several.group_by("original").agg(pl.col("code").is_in(beside.implode()).all().alias("own"))
    several = several.join(own.filter("own").select("original"), on="original", how="semi")
    if not len(several):
        return several
    ordered = several.with_columns(_order(several["code"], key), new=~several["code"].is_in(settled.implode()))
    ordered = ordered.sort("original", "new", "order", "code")
    first = ordered.group_by("original", maintain_order=True).agg(pl.col("code").first().alias("first"))
    others = ordered.join(first, on="original").filter((pl.col("code") != pl.col("first")) & pl.col("new"))
    more = others.select(pl.col("code").alias("original"), pl.col("first").alias("code"))
    found = pl.concat([first.select("original", pl.col("first").alias("code")), more])
    return found.join(links, on="original", how="anti")


def _order(texts: pl.Series, key: Subkey | None) -> pl.Series:
    if key is None:
        return texts.alias("order")
    from piiscan.masking.surrogates.keyed_functions import prf

    return pl.Series("order", prf(key, texts)[:, 0])
