"""Names that no list knows, by the other columns of their rows.

E-mail addresses that are made of them: `b.quaverstone@` beside "Brindle Quaverstone"; no organisation writes its own
so. And given names, where nothing has a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from piiscan.core.header_words import fold
from piiscan.core.types import Reason
from piiscan.detection.summary.sample import RowSample
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates, ranked

MOST: Final = 0.8
"""Share of a column's cells that are written as names, and of the rows with a name and an address that must agree."""
_LOOKED_AT: Final = 100
"""Rows that are looked at, at most."""
_LOGIT: Final = 2.5
"""Log-odds of persons."""
_BESIDE_GIVEN: Final = 1.0
"""What given names beside them say for family names."""
FEW: Final = 10
"""Cells of which the model can't tell much."""
_UNKNOWN: Final = (None, "ORGANIZATION", "GENERIC_ID", "OCCUPATION", "CITY")
"""What names that no list has may be taken for."""
_LONGEST, _SHORTEST = 5, 3
"""Words of a name at most, and letters of the one that is written out at least."""
_LONGEST_CODE: Final = 5
"""Capitals of a code: EUR."""
_WORD: Final = re.compile(r"[^\W\d_]+")
NAMES: Final = frozenset(("name", "person-name"))
"""Rules of headers that call what is below them names."""
OF_PEOPLE: Final = frozenset(("person-role", "person-name"))
"""Rules of headers of columns of people."""


def with_names_beside(columns: Sequence[ColumnCandidates], rows: RowSample) -> list[ColumnCandidates]:
    """The columns, some of which are names of persons by those beside them."""
    return _beside_given(_by_mail(columns, rows))


def _beside_given(columns: list[ColumnCandidates]) -> list[ColumnCandidates]:
    """The columns, of which a few single words beside given names are family names, behind these sooner than before."""
    if any(c.header is not None for c in columns):
        return columns
    entities = [best.entity if (best := c.best()) else None for c in columns]
    if "FIRST_NAME" not in entities or not {"LAST_NAME", "PERSON"}.isdisjoint(entities):
        return columns
    given = entities.index("FIRST_NAME")
    for at in (given + 1, given - 1):
        if 0 <= at < len(columns) and entities[at] is None and may_be_single_names(columns[at]):
            c = columns[at]
            known = c.of("LAST_NAME")
            reason = Reason("neighbour", text="given names are beside it")
            logit = max(_BESIDE_GIVEN, (known.logit if known else 0) + _BESIDE_GIVEN)
            named = Candidate("LAST_NAME", None, "last-name", logit, (*(known.reasons if known else ()), reason))
            rest = (x for x in c.candidates if x is not known)
            return [*columns[:at], c.with_candidates(ranked((named, *rest))), *columns[at + 1 :]]
    return columns


def may_be_single_names(c: ColumnCandidates) -> bool:
    """Whether a column has a few single words, written as names are, of which hardly any means anything else."""
    one = [len(words) == 1 and len(words[0]) >= _SHORTEST for words in c.profile.words]
    if c.profile.filled > FEW or c.values.look.shaped < MOST or c.profile.share(one) < MOST:
        return False
    return c.profile.share_of(partial(has_capital, longest_code=_LONGEST_CODE)) >= MOST and c.values.known_words() == 0


def has_capital(text: str, longest_code: int) -> bool:
    """Whether a text begins with a capital, and isn't a code of so many capitals, or is of a script that has none."""
    return not text[:1].islower() and not (text.isupper() and len(text) <= longest_code)


def _by_mail(columns: Sequence[ColumnCandidates], rows: RowSample) -> list[ColumnCandidates]:
    """The columns, where names of which the e-mail addresses beside them are made are a person's."""
    out = list(columns)
    mail = [c.index for c in columns if (best := c.best()) and best.entity == "EMAIL_ADDRESS"]
    for c in columns if mail else ():
        if _may_be_names(c) and any(_spell(rows, c.index, other) for other in mail):
            reason = Reason("neighbour", text="the e-mail addresses of the same rows are made of them")
            known = c.of("PERSON")
            named = Candidate("PERSON", None, known.rule if known else "name", _LOGIT, (reason,), by_header=True)
            rest = (x for x in c.candidates if x.entity not in ("PERSON", "ORGANIZATION"))
            out[c.index] = c.with_candidates(ranked((named, *rest)))
    return out


def _may_be_names(c: ColumnCandidates) -> bool:
    best = c.best()
    if (best.entity if best else None) not in _UNKNOWN or c.values.look.shaped < MOST:
        return False
    return c.header is None or any(n.rule.id in NAMES | OF_PEOPLE for n in c.named)


def _spell(rows: RowSample, names: int, mail: int) -> bool:
    """Whether the addresses in most rows that have both are made of the names."""
    both = [(row[names], row[mail]) for row, _ in rows.items[:_LOOKED_AT] if row[names] and row[mail]]
    made = [_is_made_of(box.partition("@")[0], name) for name, box in both if name and box]
    return bool(made) and sum(made) >= MOST * len(made)


def _is_made_of(box: str, name: str) -> bool:
    """Whether the part before the @ is a given and a family name, one of them cut or both apart.

    >>> _is_made_of("bquaverstone87", "Brindle Quaverstone"), _is_made_of("goldenlotus", "Golden Lotus")
    (True, False)
    """
    words, parts = _WORD.findall(fold(name)), _WORD.findall(fold(box))
    if not 1 < len(words) <= _LONGEST:
        return False
    if len(parts) > 1:
        return any(sorted(parts) == sorted(pair) for pair in _pairs(words))
    return any(parts == [one + other] for one, other in _pairs(words) if 1 in (len(one), len(other)))


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Parts of an address of somebody with a name of these words, the given name in front or behind."""
    for given, family in ((words[0], words[-1]), (words[0], "".join(words[1:])), (words[-1], words[0])):
        if min(len(given), len(family)) < _SHORTEST:
            continue
        yield from ((given[0], family), (given, family), (family, given[0]))
        yield from ((family, given), (given, family[0]), (family[0], given))
