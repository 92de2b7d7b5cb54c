"""Which columns of a row are one person: headers propose it, and the values of rows decide."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from piiscan.core.header_words import fold, own_header, tokens
from piiscan.core.types import ColumnReport
from piiscan.masking.plan.whose_columns import NAMES, is_contact, is_reading, whose_part

CountedRows = Sequence[tuple[tuple[str | None, ...], int]]
"""Rows, and how often each occurs."""
Groups = Mapping[str, Sequence[ColumnReport]]
"""Columns by whose they are: words of their headers, and the number of one of several ("guest_2"); "" for the row's own
person."""
WHOLE: Final = ("PERSON", "FIRST_NAME")
"""Entities that tell two people of one family apart."""
ENOUGH: Final = 10
"""So many rows tell what holds for nearly all of them."""
ODD: Final = 0.05
"""Of those so many may differ: people write their names in several ways."""
_MADE_OF: Final = 0.5
"""Of the addresses of one person's table so many are made of the names beside them."""
_CLEARLY: Final = 0.1
"""By such a share an address is made of one person's names rather than of another one's."""
_SEEN: Final = 2
"""So many different whole names that stand in two columns alike don't do so by chance."""
_UNLIKE: Final = 0.8
"""In so many rows two columns of whole names have no word in common where they are of two people."""


def found(columns: Sequence[ColumnReport], counted: CountedRows) -> dict[str, list[ColumnReport]]:
    """The people of a table's rows, as the columns of each.

    Headers propose a person for each prefix that columns share ("billing_name", "billing_email"), for each column that
    plays a part of its own ("author", "manager"), and for each number of several ("guest_1"). Of these, people whose
    names are the same in nearly all rows are one, and columns whose names have nothing in common in most are two.
    """
    rows = _Rows(counted)
    groups: dict[str, list[ColumnReport]] = {}
    for column in columns:
        groups.setdefault(whose_part(column), []).append(column)
    each = {name: own for whose, held in groups.items() for name, own in _numbered(whose, held, rows).items()}
    return _with_addresses(_with_whole_name(_of_one_name(_with_contacts(each), rows)), rows)


def role(whose: str) -> str:
    """What one of several people is, without their number: "guest" of "guest_2"; empty for the row's own person."""
    return re.sub(r"_\d+$", "", whose)


def _numbered(whose: str, columns: Sequence[ColumnReport], rows: _Rows) -> dict[str, list[ColumnReport]]:
    """The columns of one prefix by person, where their headers have numbers or repeat, or their names differ."""
    slots = _slots(columns, rows)
    people: dict[str, list[ColumnReport]] = {}
    for slot, own in slots.items():
        if _is_whole(own):
            same = next((s for s in people if _same(people[s], own, rows)), slot)
            people.setdefault(same, []).extend(own)
    if len(people) < 2 or _are_second_names(people.values()):
        return {whose: list(columns)}
    first = next(iter(people))
    for own in slots.values():
        if not _is_whole(own):
            people[_made_by(own, people, rows) or first].extend(own)

    def name(slot: str) -> str:
        if not whose:
            return "" if slot == first else f"_{slot or 1}"
        return f"{whose}_{slot}" if slot else whose

    return {name(slot): sorted(own, key=lambda column: column.index) for slot, own in people.items()}


def _slots(columns: Sequence[ColumnReport], rows: _Rows) -> dict[str, list[ColumnReport]]:
    """Columns by the number in their headers, or how often the header stood before; "" for none.

    Of two columns of whole names in one place the second has a place of its own if its names are other people's.
    """
    slots: dict[str, list[ColumnReport]] = {}
    seen: Counter[str] = Counter()
    for column in columns:
        header = own_header(column)
        seen[header] += 1
        slot = _number(header) or (str(seen[header]) if seen[header] > 1 else "")
        if _is_of_another(column, slots.get(slot, ()), rows):
            slot = next(n for n in map(str, range(2, len(columns) + 2)) if n not in slots)
        slots.setdefault(slot, []).append(column)
    first = next((n for n in ("0", "1") if n in slots), None)
    unnumbered = slots.get("", [])
    named = any(c.entity in NAMES for c in unnumbered)
    if first is not None and named and not (_is_whole(unnumbered) and _is_whole(slots[first])):
        slots[first] = slots.pop("") + slots[first]
    return dict(sorted(slots.items(), key=lambda one: min(column.index for column in one[1])))


def _number(header: str) -> str:
    return "_".join(word.lstrip("0") or "0" for word in tokens(header) if word.isdigit())


def _is_of_another(column: ColumnReport, beside: Sequence[ColumnReport], rows: _Rows) -> bool:
    """Whether a column of whole names has other people's than the first one in its place."""
    names = [c for c in (*beside, column) if c.entity == "PERSON" and not is_reading(c)]
    return len(names) > 1 and names[-1] is column and _unlike(names[0], column, rows)


def _names(columns: Iterable[ColumnReport]) -> dict[str, int]:
    """The first column of each entity of names; readings of names don't count."""
    names: dict[str, int] = {}
    for column in columns:
        if column.entity in NAMES and not is_reading(column):
            names.setdefault(column.entity or "", column.index)
    return names


def _is_whole(columns: Iterable[ColumnReport]) -> bool:
    return (names := _names(columns)).keys() >= {"PERSON"} or names.keys() >= {"FIRST_NAME", "LAST_NAME"}


def _are_second_names(people: Iterable[Sequence[ColumnReport]]) -> bool:
    """Whether numbers are those of one person's names: first names stand together, and so do last names."""
    each = [names for columns in people if "PERSON" not in (names := _names(columns))]
    spans = sorted((min(names.values()), max(names.values())) for names in each)
    return any(start < end for (_, end), (start, _) in pairwise(spans))


class _Pair(NamedTuple):
    """The words of two names in one row."""

    one: frozenset[str]
    other: frozenset[str]

    @property
    def common(self) -> int:
        """How many words of the shorter name the other one has, initials for words."""
        if self.one.isdisjoint(self.other) and min(map(len, self.one | self.other)) > 1:
            return 0
        few, many = sorted((self.one, self.other), key=len)
        return sum(any(w == v or (1 in (len(w), len(v)) and w[0] == v[0]) for v in many) for w in few)

    @property
    def is_one(self) -> bool:
        return self.common == min(len(self.one), len(self.other))


class _Rows:
    """Rows, and the words of names in them, which many people are compared by."""

    def __init__(self, counted: CountedRows) -> None:
        self.counted = counted
        self._words: dict[tuple[int, ...], list[frozenset[str]]] = {}

    def words(self, columns: tuple[int, ...]) -> list[frozenset[str]]:
        """The words of one person's name in each row."""
        if columns not in self._words:
            self._words[columns] = [_words(row, columns) for row, _ in self.counted]
        return self._words[columns]

    def pairs(self, one: tuple[int, ...], other: tuple[int, ...], odd: float = 1.0) -> set[_Pair] | None:
        """The different names of two people in rows that have both; None if more than so many of all rows are odd."""
        pairs: set[_Pair] = set()
        left = odd * len(self.counted)
        for pair in map(_Pair, self.words(one), self.words(other)):
            if pair.one and pair.other and pair not in pairs:
                pairs.add(pair)
                left -= not pair.is_one
                if left < 0:
                    return None
        return pairs


def _words(row: Sequence[str | None], columns: Sequence[int]) -> frozenset[str]:
    return frozenset(word for i in columns if (cell := row[i]) for word in re.findall(r"[^\W\d_]+", fold(cell)))


def _same(one: Sequence[ColumnReport], other: Sequence[ColumnReport], rows: _Rows) -> bool:
    """Whether two people have one name in nearly all rows."""
    mine, theirs = (_places(_names(columns)) for columns in (one, other))
    pairs = rows.pairs(mine, theirs, ODD) if mine and theirs else None
    if pairs is None or sum(not pair.is_one for pair in pairs) > ODD * len(pairs):
        return False
    if _is_whole(one) and _is_whole(other):
        return sum(pair.common > 1 for pair in pairs) >= _SEEN
    return (_is_whole(one) or _is_whole(other)) and len(pairs) >= ENOUGH


def _places(names: Mapping[str, int]) -> tuple[int, ...]:
    """The columns that tell a name best; none for a last name alone, which a family shares."""
    if "PERSON" in names:
        return (names["PERSON"],)
    return tuple(names.values()) if "FIRST_NAME" in names else ()


def _unlike(one: ColumnReport, other: ColumnReport, rows: _Rows) -> bool:
    """Whether names in two columns have nothing in common in most rows, though they are written in one script."""
    found = rows.pairs((one.index,), (other.index,)) or ()
    pairs = [pair for pair in found if _script(pair.one) == _script(pair.other)]
    return len(pairs) >= ENOUGH and sum(not pair.common for pair in pairs) >= _UNLIKE * len(pairs)


def _script(words: frozenset[str]) -> str:
    return unicodedata.name(min(words)[0], "").partition(" ")[0]


def _of_one_name(groups: Groups, rows: _Rows) -> dict[str, list[ColumnReport]]:
    """The people of a row, those of one name as one."""
    out: dict[str, list[ColumnReport]] = {}
    for whose, columns in groups.items():
        same = next((known for known, own in out.items() if _same(own, columns, rows)), None)
        if same is None:
            out[whose] = list(columns)
        else:
            out = _merged({**out, whose: columns}, same, whose)
    return out


def _with_contacts(groups: Groups) -> Groups:
    """Treat addresses below "contact", without a name there, as the row's own person's, who has none elsewhere."""
    own = {c.entity for c in groups.get("", [])}
    for whose, columns in groups.items():
        theirs = {c.entity for c in columns}
        if is_contact(whose) and theirs.isdisjoint(own) and theirs.isdisjoint(NAMES):
            return _merged(groups, "", whose)
    return groups


def _with_whole_name(groups: Groups) -> Groups:
    """Treat a table's only first and only last name as one person's, whose headers are in no list."""
    firsts, lasts = (
        [(whose, c) for whose, columns in groups.items() for c in columns if c.entity == entity and not is_reading(c)]
        for entity in ("FIRST_NAME", "LAST_NAME")
    )
    if len(firsts) != 1 or len(lasts) != 1 or "person-role" in (firsts[0][1].rule, lasts[0][1].rule):
        return groups
    one, other = firsts[0][0], lasts[0][0]
    owns = any(c.entity in NAMES for c in groups.get("", []))
    return groups if one == other or (owns and one and other) else _merged(_merged(groups, "", one), "", other)


def _with_addresses(groups: Groups, rows: _Rows) -> dict[str, list[ColumnReport]]:
    """Give addresses without a name of their own to the person whose names they are made of.

    A payer's or a cardholder's, beside their own address.
    """
    out = {whose: list(columns) for whose, columns in groups.items()}
    for whose, columns in groups.items():
        if any(c.entity in NAMES for c in columns):
            continue
        people = {w: own for w, own in out.items() if any(c.entity in NAMES for c in own)}
        if (theirs := _made_by(columns, people, rows)) is not None:
            out = _merged(out, theirs, whose)
    return out


def _merged(groups: Groups, one: str, other: str) -> dict[str, list[ColumnReport]]:
    """Two groups as one: the row's own person if one of them is, else the first of both."""
    columns = {c.index: c for whose in (one, other) for c in groups.get(whose, [])}
    name = "" if "" in (one, other) else one
    kept = {whose: list(own) for whose, own in groups.items() if whose not in (one, other)}
    return kept | {name: [columns[i] for i in sorted(columns)]}


def _made_by(columns: Sequence[ColumnReport], people: Groups, rows: _Rows) -> str | None:
    """The one of some people of whose names addresses are made; None where rows don't show it, or show several."""
    addresses = [c.index for c in columns if c.entity in ("EMAIL_ADDRESS", "USERNAME")]
    shares = {w: _share_made([c.index for c in own if c.entity in NAMES], addresses, rows) for w, own in people.items()}
    ranked = sorted(shares, key=lambda whose: -shares[whose])
    if not ranked or shares[ranked[0]] < _MADE_OF:
        return None
    clear = len(ranked) == 1 or shares[ranked[1]] <= shares[ranked[0]] - _CLEARLY
    return ranked[0] if clear else None


def _share_made(names: Sequence[int], addresses: Sequence[int], rows: _Rows) -> float:
    """The share of rows with both in which an address is made of a name; 0 where too few have both."""
    told = [
        any(_is_made_of(row[i], row[n]) for n in names for i in addresses)
        for row, _ in rows.counted
        if any(row[n] for n in names) and any(row[i] for i in addresses)
    ]
    return sum(told) / len(told) if len(told) >= ENOUGH else 0.0


def _is_made_of(address: str | None, name: str | None) -> bool:
    """Whether the first letters of a name's part, of three letters or more, occur in an address."""
    local = fold((address or "").partition("@")[0])
    return any(len(word) > 2 and word[:5] in local for word in re.findall(r"\w+", fold(name or "")))
