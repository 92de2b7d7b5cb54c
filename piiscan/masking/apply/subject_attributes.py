"""Decides once per subject, over all tables: gender, locale, and the digits of its made-up user name.

A vote doesn't depend on the order of rows: of the surest source that tells anything the commoner value counts, and
where it tells both as often the next source does. What an earlier run has decided stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.apply import people
from piiscan.masking.apply.distinct_values import filled, flat
from piiscan.masking.apply.locale_votes import locale_votes
from piiscan.masking.apply.name_looks import FEWEST, LookCounts, NameLooks
from piiscan.masking.apply.street_locales import StreetVotes, lives_there, street_columns
from piiscan.masking.apply.subject_table import DIGITS, MOST_DIGITS, SubjectTable
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.persona import PERSONA_DOMAIN, Persona
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan

if TYPE_CHECKING:
    from piiscan.core.keys import Key, Subkey

VOTES: Final = {"subject": pl.String, "source": pl.Int8, "value": pl.String, "n": pl.UInt32}
ENTRIES: Final = {"text": pl.String, "gender": pl.String, "locale": pl.String, "digits": pl.UInt8}
_LOCALE: Final = 10
"""Number of the first source of a locale."""
_FEW: Final = 1 << 18
"""Votes that are added up together."""
_PARTS: Final = 16
"""Parts of more votes, by hashes of subjects."""
_TOGETHER: Final = 1 << 15
"""Addresses whose masks are made together."""
_USER_NAME: Final = r"([^\x1f]*)$"
"""The part of a user name's text after its scope."""
_ADDRESSES: Final = ("email", "username")
"""Kinds of parts of personas that are known by an address of their own."""


def has_personas(plan: TablePlan) -> bool:
    """Whether a table has masks that are parts of made-up people."""
    return any(a.operator == "persona" for a in plan.columns)


class _DistinctTexts:
    """Takes texts (String), and has each of them once in `all`, but for "" and nulls."""

    def __init__(self) -> None:
        self._found, self._waiting = pl.Series([], dtype=pl.String), list[pl.Series]()

    def add(self, texts: pl.Series) -> None:
        self._waiting.append(texts.filter(texts != ""))
        if sum(map(len, self._waiting)) > len(self._found) + (1 << 18):
            self._gather()

    @property
    def all(self) -> pl.Series:
        self._gather()
        return self._found

    def _gather(self) -> None:
        if self._waiting:
            self._found = pl.concat([self._found, *self._waiting]).unique()
            self._waiting = []


class RowVotes(NamedTuple):
    """What some rows of a table tell.

    `whose`: by subject, whom each row is about. `votes`: as `VOTES`. `addresses`: kind, texts, and the user names that
    they are made of. `looks`: whose names, and their looks. `streets`: cells of streets, and who lives there.
    """

    whose: dict[str | None, pl.Series]
    votes: list[pl.DataFrame]
    addresses: list[tuple[str, pl.Series, pl.Series]]
    looks: list[tuple[pl.Series, pl.Series]]
    streets: list[tuple[pl.Series, pl.Series | None]]


class AttributeVotes:
    """Takes the rows of all tables; `decided` gives what is decided of their subjects and addresses.

    `coincidences`:
    how many masks of an earlier run are somebody's address by now.
    """

    def __init__(self, plan: Plan, table: SubjectTable) -> None:
        self._plan, self._table, self._looks = plan, table, LookCounts(table.looks)
        self.coincidences = 0
        self._subjects = _DistinctTexts()
        self._addresses = {kind: _DistinctTexts() for kind in _ADDRESSES}
        self._user_names = {kind: _DistinctTexts() for kind in _ADDRESSES}
        self._parts = list[pl.DataFrame]()
        self.streets = StreetVotes(table.texts)
        self._waiting: list[pl.DataFrame] = []
        named = [
            (a.params["locale"], a.params["locales"]) for t in plan.tables for a in t.columns if a.params.get("locales")
        ]
        self._usual = sorted({usual for usual, _ in named})
        """The plan's own locales: candidates too, as who clearly has that of the table has none of the others."""
        self._candidates = tuple(sorted({*self._usual, *(locale for _, locales in named for locale in locales)}))

    def add(self, rows: RowVotes) -> None:
        """Count what `of_rows` found in rows of a table."""
        for texts in rows.whose.values():
            self._subjects.add(texts)
        self._waiting += rows.votes
        for kind, addresses, originals in rows.addresses:
            self._addresses[kind].add(addresses)
            self._user_names[kind].add(originals)
        for texts, looks in rows.looks:
            self._looks.add(texts, looks)
        for cells, residents in rows.streets:
            self.streets.add(cells, residents)
        if sum(map(len, self._waiting)) > sum(map(len, self._parts)) + _FEW:
            self._gather()

    def of_rows(self, frame: pl.DataFrame, plan: TablePlan) -> RowVotes:
        """What rows of a table tell, with the plan's columns; changes nothing, so that threads may do it."""
        found = RowVotes({}, [], [], [], [])
        for subject in plan.subjects:
            texts = found.whose[subject.name] = people.subjects(frame, subject, plan, self._table)
            locales = locale_votes(frame, subject, self._candidates)
            sources = [*enumerate(people.gender_votes(frame, subject, people.surest(locales)))]
            if self._table.remembered:
                sources += enumerate(locales, _LOCALE)
            found.votes.extend(_counted(texts, source, values) for source, values in sources if values is not None)
        for action in plan.columns:
            if action.params.get("short") and (kind := action.params.get("kind", "")) in _ADDRESSES:
                addresses = _address_texts(frame[str(action.index)], action, plan)
                wanted = addresses if self._table.remembered else addresses.clear()
                originals = wanted.filter(wanted != "").str.extract(_USER_NAME)
                found.addresses.append((kind, self._table.texts(addresses), originals))
            if action.params.get("own_look"):
                found.looks.extend(self._looks_of(frame[str(action.index)], action, found.whose.get(action.subject)))
        for action in street_columns(plan) if self._table.remembered else ():
            found.streets.append((frame[str(action.index)], found.whose.get(lives_there(action, plan))))
        return found

    def _looks_of(
        self, cells: pl.Series, action: Action, whose: pl.Series | None
    ) -> Iterator[tuple[pl.Series, pl.Series]]:
        operator = operator_registry.make(action.operator, action.params)
        if isinstance(operator, Persona) and operator.has_looks:
            cells = filled(flat(cells))
            yield (
                (self._table.resolved(people.own_texts(cells, operator)) if whose is None else whose),
                operator.looks(cells),
            )

    @property
    def looks(self) -> NameLooks:
        """How names may be written, by all tables so far and what was known before."""
        return self._looks.found

    def _gather(self) -> None:
        """Part by part, by hashes of subjects: to count many votes at once would take many times their room."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        new = pl.concat(waiting)
        part = new["subject"].hash() % _PARTS
        known = self._parts or [pl.DataFrame(schema=VOTES)] * _PARTS
        self._parts = [_added_up([known[n], new.filter(part == n)]) for n in range(_PARTS)]

    @property
    def _votes(self) -> pl.DataFrame:
        if not self._parts:
            return _added_up([pl.DataFrame(schema=VOTES), *self._waiting])
        self._gather()
        return pl.concat(self._parts)

    def subjects(self) -> pl.Series:
        """The texts of all subjects that were seen, but for addresses that aren't somebody's best key."""
        return self._subjects.all

    def decided(self, known: pl.DataFrame, key: Key) -> pl.DataFrame:
        """Return `ENTRIES` of all subjects and addresses, sorted by text; `known` ones stay as they are.

        Where nothing is remembered they say genders alone, in any order: nobody asks for more.
        """
        votes, source = self._votes, pl.col("source")
        texts = pl.concat([self.subjects(), *(each.all for each in self._addresses.values())]).unique()
        new = texts.alias("text").to_frame()
        genders = elected(votes.filter(source < _LOCALE), "gender")
        if not self._table.remembered:
            none = (pl.lit(None, dtype=ENTRIES[name]).alias(name) for name in ("locale", "digits"))
            return new.join(genders, on="text", how="left").with_columns(*none)
        new = new.join(known, on="text", how="anti").sort("text")
        locales = elected(votes.filter(source >= _LOCALE), "locale")
        locales = locales.filter(~pl.col("locale").is_in(self._usual))
        counts = pl.concat([locales.select("locale"), known.select("locale").drop_nulls()]).group_by("locale").len()
        common = counts.filter(pl.col("len") >= FEWEST)["locale"]
        locales = locales.filter(pl.col("locale").is_in(common.implode()))
        for found in (genders, locales):
            new = new.join(found, on="text", how="left", maintain_order="left")
        entries = pl.concat([known, new.with_columns(pl.lit(None, dtype=pl.UInt8).alias("digits"))])
        for kind in _ADDRESSES:
            for domain, locale, own in sorted(_domains(self._plan, kind)):
                texts, originals = self._addresses[kind].all.sort(), self._user_names[kind].all
                entries, more = _with_digits(entries, texts, originals, self._table, key.subkey(domain), locale, own)
                self.coincidences += more
        return entries.sort("text")


def _counted(texts: pl.Series, source: int, values: pl.Series) -> pl.DataFrame:
    """One vote a row."""
    frame = pl.DataFrame({"subject": texts, "value": values}).drop_nulls().filter(pl.col("subject") != "")
    counted = frame.group_by("subject", "value").agg(pl.len().cast(pl.UInt32).alias("n"))
    return counted.select("subject", pl.lit(source, dtype=pl.Int8).alias("source"), "value", "n")


def _added_up(votes: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(votes).group_by("subject", "source", "value").agg(pl.col("n").sum())


def _address_texts(cells: pl.Series, action: Action, plan: TablePlan) -> pl.Series:
    values = filled(flat(cells)).drop_nulls()
    subject = next((s for s in plan.subjects if s.name == action.subject), None)
    return people.own_texts(values) if subject is None else people.key_text(values, action.entity, subject)


def elected(votes: pl.DataFrame, name: str) -> pl.DataFrame:
    """The value of each subject: the commonest of the surest source that tells one more often than any other."""
    alone = votes["subject"].is_unique()  # one vote decides, with nobody to compare it to
    most = votes.filter(~alone).filter(pl.col("n") == pl.col("n").max().over("subject", "source"))
    clear = most.filter(pl.len().over("subject", "source") == 1)
    best = clear.filter(pl.col("source") == pl.col("source").min().over("subject"))
    return pl.concat([votes.filter(alone), best]).select(pl.col("subject").alias("text"), pl.col("value").alias(name))


def _domains(plan: Plan, kind: str) -> set[tuple[str, str, tuple[str, ...]]]:
    """The key domains and locales of all columns with such a part of a persona.

    Includes the locales that people may have of their own there.
    """
    return {
        (a.domain or PERSONA_DOMAIN, str(a.params["locale"]), tuple(a.params.get("locales", ())))
        for t in plan.tables
        for a in t.columns
        if a.params.get("short") and a.params.get("kind") == kind
    }


def _with_digits(
    entries: pl.DataFrame,
    addresses: pl.Series,
    originals: pl.Series,
    table: SubjectTable,
    key: Subkey,
    locale: str,
    own: tuple[str, ...],
) -> tuple[pl.DataFrame, int]:
    """Choose the fewest digits by which each address's mask differs from all others and from original user names.

    Those that would be equal get some each, by their own bits, so that none depends on an order; one that has its
    number already keeps it. And how many of those are an original by now.
    """
    known = pl.DataFrame({"text": addresses}).join(entries, on="text", how="left", maintain_order="left")
    digits = known["digits"].fill_null(0).to_numpy().copy()
    is_new = known["digits"].is_null().to_numpy()
    subjects = pl.DataFrame({"text": table.linked(addresses)})
    about = subjects.join(entries, on="text", how="left", maintain_order="left")
    about = about.with_columns(pl.when(pl.col("locale").is_in(own)).then("locale").alias("locale"))
    coincidences = 0
    for more in (*DIGITS[1:], MOST_DIGITS):
        names = pl.concat(
            user_names(
                about.slice(at, _TOGETHER), addresses.slice(at, _TOGETHER), digits[at : at + _TOGETHER], key, locale
            )
            for at in range(0, max(1, len(addresses)), _TOGETHER)
        )
        is_original = names.is_in(originals.implode()).to_numpy()
        again = (names.is_duplicated().to_numpy() | is_original) & is_new
        coincidences = int((is_original & ~is_new).sum())
        if not again.any():
            break
        digits[again] = more
    counted = pl.DataFrame({"text": addresses, "n": pl.Series(digits, dtype=pl.UInt8)})
    done = entries.join(counted, on="text", how="left", maintain_order="left").select(
        "text", "gender", "locale", pl.coalesce("digits", "n").alias("digits")
    )
    return done, coincidences


def user_names(
    subjects: pl.DataFrame, addresses: pl.Series, digits: NDArray[np.uint8], key: Subkey, locale: str
) -> pl.Series:
    """The user names in the masks of addresses, with so many digits each. `subjects`: whose they are, as `ENTRIES`."""
    from piiscan.masking.surrogates.personas import Draws

    draws = Draws.of(subjects["text"], subjects["gender"], key, addresses, digits)
    out = [pl.Series("username", [], dtype=pl.String)]
    places = [np.zeros(0, dtype=np.int64)]
    locales = subjects["locale"].fill_null(locale)
    for each in sorted(locales.unique().to_list()):
        at = (locales == each).arg_true().to_numpy().astype(np.int64)
        out.append(draws.take(at).people(each).user_names())
        places.append(at)
    return pl.concat(out).gather(np.argsort(np.concatenate(places), kind="stable"))


def as_vault(
    table: pl.DataFrame,
    shared: pl.Series,
    looks: NameLooks | None = None,
    countries: pl.DataFrame | None = None,
    streets: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Return what a vault stores, as String columns `original` and `code`.

    That is entries, shared keys, name formats, countries of people and of their numbers, and locales of streets.
    """
    code = pl.concat_str(
        pl.col("gender").fill_null(""),
        pl.col("locale").fill_null(""),
        pl.col("digits").cast(pl.String).fill_null(""),
        separator="|",
    )
    return pl.concat(
        [
            table.select((_ENTRY + pl.col("text")).alias("original"), code.alias("code")),
            pl.DataFrame({"original": shared}).select(
                (_SHARED + pl.col("original")).alias("original"), pl.lit("").alias("code")
            ),
            *([] if looks is None else [pl.DataFrame({"original": _LOOK + looks.as_texts(), "code": ""})]),
            *(
                []
                if countries is None
                else [countries.select((_COUNTRY + pl.col("text")).alias("original"), code="country")]
            ),
            *([] if streets is None else [streets.select(original=_STREET + pl.col("text"), code="locale")]),
        ]
    )


class Remembered(NamedTuple):
    """What a vault remembers of people.

    `links` (`original`, `code`), keys that several people share, `ENTRIES`, name formats, the countries of people and
    of their telephone numbers (`text`, `country`), and the locales of streets (`text`, `locale`).
    """

    links: pl.DataFrame
    shared: pl.Series
    entries: pl.DataFrame
    looks: NameLooks
    countries: pl.DataFrame
    streets: pl.DataFrame

    @property
    def settled(self) -> pl.Series:
        """Keys that somebody is known by, who has masks made of them."""
        known_by = pl.concat([self.entries["text"], self.links["code"]]).unique()
        led_on = pl.concat([self.links["original"], self.shared])
        return known_by.filter(~known_by.is_in(led_on.implode()))

    @classmethod
    def of(cls, kept: pl.DataFrame | None) -> Remembered:
        """`kept`: String columns `original` and `code`."""
        if kept is None:
            kept = pl.DataFrame(schema={"original": pl.String, "code": pl.String})
        first = pl.col("original").str.slice(0, 1)
        parts = pl.col("code").str.split("|")
        own = pl.col("original").str.slice(1)
        return cls(
            kept.filter(~first.is_in([_ENTRY, _SHARED, _LOOK, _COUNTRY, _STREET])),
            kept.filter(first == _SHARED).select(own.alias("text"))["text"],
            kept.filter(first == _ENTRY).select(
                own.alias("text"),
                parts.list.get(0).replace("", None).alias("gender"),
                parts.list.get(1).replace("", None).alias("locale"),
                parts.list.get(2).replace("", None).cast(pl.UInt8).alias("digits"),
            ),
            NameLooks.of_texts(kept.filter(first == _LOOK).select(own.alias("text"))["text"]),
            kept.filter(first == _COUNTRY).select(own.alias("text"), pl.col("code").alias("country")),
            kept.filter(first == _STREET).select(own.alias("text"), pl.col("code").alias("locale")),
        )


_ENTRY: Final = "\x1e"
_SHARED: Final = "\x1d"
_LOOK: Final = "\x1b"
_COUNTRY: Final = "\x1a"
_STREET: Final = "\x19"
"""Before what an entry of a vault is about; no key begins with them."""
