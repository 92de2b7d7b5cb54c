"""Names of persons by their look alone, where nothing else speaks of persons: roses and streets bear such, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from piiscan.core.header_words import tokens
from piiscan.core.types import Reason, TableInfo
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates, ranked
from piiscan.scanning.classify.class_decision import DIRECT, NONE
from piiscan.scanning.classify.subject import (
    ALWAYS,
    CONTACTS,
    COUNTED_NAMES,
    FEW_KNOWN,
    NAMES,
    REACHED,
    RowSubject,
    evidence,
    row_subject,
)
from piiscan.scanning.classify.word_lists import PERSON_ROLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANY: Final = 30
"""From so many different names on, their look shows what they are below a word for names."""
_WHOLE: Final = 0.85
"""Share of given names with another one from which on names are whole."""
_HARDLY: Final = 0.15
"""Share of their different words that prose and places have, too, at most, where they aren't whole."""
_SOME, _EVEN, _PARTS = 5, 0.9, (2, 3)
"""From so many different names on, so large a share of which has as many words, two or three, that shows persons."""
_TITLED: Final = 0.3
_LISTED: Final = 0.4
"""Share of listed names from which on "family" says what they are."""
_SHORT: Final = frozenset(("first-name-short", "last-name-short"))
"""Rules of headers that name a part of a name only beside the other one: "family" is also a font's."""
_ASKS_WHO: Final = frozenset(
    """
    who whose whom by turn winner winners awarded duty shift crew lead attendees wer wem wessen durch gewinner
    gewinnerin sieger siegerin preistrager dienst wache bereitschaft zustandig verantwortlich anwesend anwesende
    entschuldigt qui par vainqueur laureat gagnant garde astreinte presents quien quienes por ganador ganadora
    premiado guardia turno asistentes quem vencedor vencedora plantao chi vincitore vincitrice premiato presenti
    door winnaar aanwezig kto przez zwyciezca laureatka dyzur dyzurny dyzurna obecni kdo kym vitez sluzba pritomni
    hvem vem av af vinder vinner vinnare vakt vagt jour narvarande ansvarig ansvarlig kuka voittaja paivystaja
    vastuu paikalla nyertes gyoztes ugyelet ugyeletes felelos jelenlevok cine castigator serviciu kim kazanan nobet
    nobetci sorumlu pobjednik dezurni кто кем победитель призер дежурныи дежурит ответственныи присутствуют хто
    переможець черговии победител νικητησ 優勝者 受賞者 当番 担当 出席者 获奖者 得主 冠军 值班 负责 獲獎者 得獎者
    值班人 수상자 우승자 당번 담당 참석자
    """.split()
)
"""Words of headers that ask who it was: by whom, whose turn, who won, is on duty or was there."""
_PLAIN: Final = -1.0
"""The log-odds of a header that is a word for names and says of nothing else whose they are, at least."""
_AGAINST: Final = -0.5
"""What a table says against persons, at most, that has others than persons below such a header."""
_OTHERS: Final = ("organisation", "place")
"""Subjects whose contact data say nothing of persons beside them."""
_LEFT: Final = -0.5
"""The log-odds that are left of names."""
_MOST: Final = 0.25
"""How likely they are direct identifiers at most. Of 33 such columns of made-up tables none was; six more were, before
headers were asked for `_ASKS_WHO`."""
_WHY: Final = "names by their look alone, and nothing else speaks of persons"


def without_lone_names(
    info: TableInfo, columns: Sequence[ColumnCandidates], rows: int, weights: Mapping[str, float]
) -> list[ColumnCandidates]:
    """The columns, of which names of persons are doubted that only the look of a few values shows.

    If one column alone has such, under a header that names no persons, and nothing else in the table speaks of any.
    `weights` are those of the table's `evidence`.
    """
    alone = [c for c in columns if _by_look(c)]
    if len(alone) != 1:
        return list(columns)
    others = [c for c in columns if c is not alone[0]]
    said = sum(weights.get(term, 0.0) * x for term, x in evidence(info, others, rows).items())
    if said >= REACHED or (said > _AGAINST and _is_called_name(alone[0])):
        return list(columns)
    reached = any((best := c.best()) and best.entity in CONTACTS | ALWAYS for c in others)
    if reached and row_subject(info, others, rows, weights).subject not in _OTHERS:
        return list(columns)
    doubted = alone[0].with_candidates(ranked(map(_doubted, alone[0].candidates)))
    return [doubted if c is alone[0] else c for c in columns]


def with_lone_names(
    odds: NDArray[np.float64], columns: Sequence[ColumnCandidates], rows: RowSubject
) -> NDArray[np.float64]:
    """The probabilities, (columns, 3), where such names, and counted ones, are hardly likely to be persons'."""
    out = odds.copy()
    for i, column in enumerate(columns):
        best = column.best()
        counted = rows.text == COUNTED_NAMES and best is not None and best.entity in NAMES
        if counted or any(r.text == _WHY for found in column.candidates for r in found.reasons):
            less = max(0.0, out[i, DIRECT] - _MOST)
            out[i, DIRECT] -= less
            out[i, NONE] += less
    return out


def _by_look(column: ColumnCandidates) -> bool:
    """Whether the header of names of persons doesn't name any, and their look may be that of others."""
    best = column.best()
    if best is None or best.entity not in NAMES or not column.header:
        return False
    words = tokens(column.header)
    if any(n.logit > 0 for n in column.named) or not (PERSON_ROLE.isdisjoint(words) and _ASKS_WHO.isdisjoint(words)):
        return False
    look = column.values.look
    if best.rule in _SHORT:
        return (look.last if best.entity == "LAST_NAME" else look.first) < _LISTED
    if look.titled > _TITLED or (column.profile.distinct >= MANY and _speaks_of_names(column)):
        return False
    return best.entity != "PERSON" or not _are_persons(column)


def _are_persons(column: ColumnCandidates) -> bool:
    """Whether names are clearly those of persons: whole, or all of as many words, which mean hardly anything else.

    Names of things vary in length: "Pollo alla Marengo", "Torta Caterina".
    """
    look, known = column.values.look, column.values.known_words()
    if look.both >= _WHOLE and (look.last > 0 or _speaks_of_names(column)):
        return known <= FEW_KNOWN
    if column.profile.distinct < _SOME or known > _HARDLY:
        return False
    return any(column.profile.share([len(words) == n for words in column.profile.words]) >= _EVEN for n in _PARTS)


def _speaks_of_names(column: ColumnCandidates) -> bool:
    return any(n.rule.id == "name" for n in column.named)


def _is_called_name(column: ColumnCandidates) -> bool:
    return any(n.rule.id == "name" and n.logit > _PLAIN for n in column.named)


def _doubted(found: Candidate) -> Candidate:
    if found.entity not in NAMES:
        return found
    return found.with_evidence(min(0.0, _LEFT - found.logit), Reason("subject", text=_WHY))
