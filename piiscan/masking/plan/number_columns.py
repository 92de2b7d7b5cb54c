"""Chooses how columns of numbers keep their format.

Letters with which all of a column's numbers begin or end stay, short numbers are permuted within the column's format,
and columns with too few possible values get random codes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from piiscan.core import shapes
from piiscan.core.types import ColumnReport
from piiscan.masking.operators.affixes import Affixes
from piiscan.masking.plan import several_values
from piiscan.masking.plan.plan_types import Action, Span, TablePlan

OPERATOR: Final = "fpe"
DIGITS: Final = 6
"""Numbers of so many digits are permuted together, zeros in front included: there are 10⁶."""
ALL: Final = 0.999
"""The share of cells that have to begin alike for the letters to identify no one."""
MANY: Final = 20
"""So many different values tell that it is the column that makes them begin alike."""
LONGEST: Final = 6
"""Letters of a prefix: more of them could be somebody's name."""
TEXTS: Final = ("string", "other")
"""Types of columns whose values are masked as texts: those of lists, element by element, in the same way."""
NEARLY_ALL: Final = 0.99
"""Of the looked-at values so many have the column's look."""
_AROUND: Final = re.compile(
    r"^([A-Za-z]*)(?:[ -/:-@\[-`{-}]*)([0-9A-Za-z].*?)(?:[ -/:-@\[-`{-}]*)([A-Za-z]*)$", re.DOTALL
)
_BETWEEN: Final = re.compile(r"\s*[;,|]\s*")
"""What divides several numbers of one cell."""
_FEWEST: Final = 3
_GROUPED: Final = 3
"""Digits between the commas of a large number."""
_PLAIN: Final = re.compile(r"0|[1-9][0-9]*")


def affixes(items: Iterable[tuple[str, int]]) -> tuple[str, str]:
    """The letters that practically all cells begin with, and end with; "" for none.

    `items`: looked-at texts, and how many cells hold each.
    """
    before, behind = Counter[str](), Counter[str]()
    total = different = 0
    for text, n in items:
        total, different = total + n, different + 1
        found = _AROUND.match(text.strip())
        if found and any(c.isdigit() for c in found[2]):
            before[found[1].upper()] += n
            behind[found[3].upper()] += n
    return tuple(  # type: ignore[return-value]
        word if different >= MANY and 0 < len(word) <= LONGEST and n >= ALL * total else ""
        for word, n in ((c.most_common(1) or [("", 0)])[0] for c in (before, behind))
    )


class Look(NamedTuple):
    """The sampled values of a column without their affixes.

    `lengths`: of those that are digits alone, how often each number of digits; `zeros`: some of them begin with 0;
    `affixed`: nearly all have an affix; `plain`: they are integers without zeros in front; `few`: so many have too few
    possible values to be permuted; `several`: some cells seem to hold several numbers.
    """

    texts: tuple[str, ...]
    lengths: Counter[int]
    zeros: bool
    affixed: bool
    plain: bool
    few: float
    several: bool = False

    @property
    def short(self) -> int | None:
        """The number of digits of all of them, where it is below `DIGITS`."""
        (length,) = self.lengths if len(self.lengths) == 1 else (DIGITS,)
        return length if length < DIGITS and self.lengths[length] == len(self.texts) else None

    @property
    def six(self) -> bool:
        return bool(self.texts) and self.lengths[DIGITS] >= NEARLY_ALL * len(self.texts)


class _Domain(NamedTuple):
    """What the columns of a key domain share, so that equal numbers get equal masks in all of them."""

    affixes: Affixes
    padded: bool
    coded: frozenset[int]
    """Lengths of numbers that get codes."""
    integers: bool
    """Some columns are of integers."""


def is_number(action: Action) -> bool:
    """Whether a policy has left it to the plan how the numbers of a column are masked."""
    return action.operator == OPERATOR and not action.params and action.decided_by == "policy"


def agreed(
    tables: Sequence[TablePlan],
    reports: Sequence[Sequence[ColumnReport]],
    samples: Sequence[Sequence[Sequence[str]]],
    found: Sequence[Sequence[tuple[str, str]]],
    chosen: Sequence[Sequence[bool]],
) -> list[TablePlan]:
    """The tables with parameters for numbers, the same for all columns of a key domain.

    By table and column:
    `reports` of the scan, looked-at `samples`, the affixes that were `found`, and whether the plan has `chosen` the
    operator itself.
    """
    members: dict[str | None, list[tuple[int, int]]] = {}
    for t, table in enumerate(tables):
        for action in table.columns:
            if is_number(action) and chosen[t][action.index]:
                members.setdefault(action.domain, []).append((t, action.index))
    out = [list(table.columns) for table in tables]
    for places in members.values():
        shared = Affixes(
            tuple(sorted({found[t][i][0] for t, i in places} - {""})),
            tuple(sorted({found[t][i][1] for t, i in places} - {""})),
        )
        looks = {(t, i): look(samples[t][i], shared) for t, i in places}
        domain = _domain(shared, looks.values(), any(tables[t].columns[i].dtype == "integer" for t, i in places))
        for (t, i), own in looks.items():
            out[t][i] = _masked(out[t][i], own, domain, reports[t][i])
    return [replace(table, columns=tuple(columns)) for table, columns in zip(tables, out, strict=True)]


def agreed_spans(spans: Sequence[Span], tables: Sequence[TablePlan]) -> tuple[Span, ...]:
    """Numbers in texts, with the affixes of their domain's columns."""
    of: dict[str | None, list[dict[str, Any]]] = {}
    for action in (a for t in tables for a in t.columns if a.operator == OPERATOR and a.dtype == "string"):
        of.setdefault(action.domain, []).append(dict(action.params))

    def change(span: Span) -> Span:
        each = of.get(span.domain, [])
        if span.operator != OPERATOR or span.params or span.decided_by == "human" or not each:
            return span
        return replace(span, params=each[0]) if all(params == each[0] for params in each) else span

    return tuple(change(s) for s in spans)


def look(sample: Sequence[str], shared: Affixes) -> Look:
    """The look of a column's values."""
    import polars as pl

    from piiscan.masking.operators.fpe import Fpe

    texts = pl.Series([t for t in sample if t], dtype=pl.String)
    if not len(texts):
        return Look((), Counter(), False, False, False, 0.0)
    split = shared.split(texts)
    bodies = split.body.to_list()
    cut = ((split.head != "") | (split.tail != "")).mean()
    digits = [re.sub("[^0-9]", "", b) for b in bodies if b.isascii() and not re.search("[A-Za-z]", b)]
    few = Fpe().tokens(split.body) & texts.str.contains("^[ -}]*$")
    return Look(
        tuple(bodies),
        Counter(map(len, digits)),
        any(d.startswith("0") and len(d) > 1 for d in digits),
        bool(cut is not None and float(str(cut)) >= NEARLY_ALL),
        all(_PLAIN.fullmatch(b) for b in bodies),
        float(few.sum()) / len(texts),
        _hold_several(texts.to_list()),
    )


def _hold_several(texts: Sequence[str]) -> bool:
    """Whether some cells hold several numbers, written as the cells of one number are."""
    each = [_BETWEEN.split(text) for text in texts if _BETWEEN.search(text)]
    alone = {shapes.look(text) for text in texts if not _BETWEEN.search(text)}
    looks = {shapes.look(part) for parts in each for part in parts}
    if len(looks) == 1 and len(min(looks)) > _GROUPED:
        alone |= looks
    fits = sum(len(parts) > 1 and all(shapes.look(part) in alone for part in parts) for parts in each)
    return fits >= _FEWEST and fits > len(each) / 2


def _domain(shared: Affixes, looks: Iterable[Look], integers: bool) -> _Domain:
    looks = list(looks)
    padded = any(own.six and (own.zeros or own.affixed) for own in looks)
    coded = {n for own in looks if _is_coded(own) for n in (own.lengths if own.lengths else (0,)) if n < DIGITS}
    return _Domain(shared, padded, frozenset(coded), integers)


def _is_coded(own: Look) -> bool:
    """Whether a column's numbers have too few possible values to keep their look."""
    if own.six and (own.zeros or own.affixed):
        return False
    return own.few > 1 - NEARLY_ALL or (own.affixed and own.short is not None)


def _masked(action: Action, own: Look, domain: _Domain, column: ColumnReport) -> Action:
    notes = [n for n in action.notes if n != MAYBE]
    if own.several:
        notes = [*(n for n in notes if n != several_values.VALUES), several_values.NUMBERS]
    texts = action.dtype in TEXTS
    params: dict[str, Any] = {}
    if texts and domain.affixes.prefixes:
        params["prefixes"] = list(domain.affixes.prefixes)
    if _is_coded(own) or (own.short is not None and own.short in domain.coded):
        notes.append(
            "there are fewer than a million numbers of this form: random codes, which the file piiscan-vault remembers"
        )
        return replace(action, operator="code", params=params, notes=tuple(notes))
    if texts and domain.affixes.suffixes:
        params["suffixes"] = list(domain.affixes.suffixes)
    if texts and domain.padded and own.six and not _may_be_integers(action, own, domain):
        params["digits"] = DIGITS
    return replace(action, params=params, notes=(*notes, _by_chance(own, column, bool(params.get("digits")))))


def _may_be_integers(action: Action, own: Look, domain: _Domain) -> bool:
    """Whether a list's elements may be integers, whose masks have no zeros in front."""
    return action.dtype == "other" and domain.integers and not (own.zeros or own.affixed)


MAYBE: Final = "a mask may by chance be a real number in the data"


def _by_chance(own: Look, column: ColumnReport, padded: bool) -> str:
    """The expected share of masks that equal an original of the column: n different ones of N that look so."""
    distinct = column.distinct
    if not own.texts or not distinct:
        return MAYBE
    sizes = Counter(_possible(text, padded) for text in own.texts)
    # A size may be longer than a float holds: whole numbers are divided by each other.
    share = sum(n / len(own.texts) * min(1.0, distinct * n / (len(own.texts) * size)) for size, n in sizes.items())
    size, n = sizes.most_common(1)[0]
    shown = f"about {share:.1%}" if share >= 0.001 else "less than 0.1%"
    exact = column.distinct_exact and n == len(own.texts)
    here = f"{'' if exact else 'about '}{round(distinct * n / len(own.texts)):,}"
    return f"{shown} of the masks are by chance originals too: {here} of {_rounded(size)} numbers of this form"


def _rounded(size: int) -> str:
    return f"{size:,}" if size < 10**9 else f"10^{len(str(size)) - 1} and more"


def _possible(body: str, padded: bool) -> int:
    """How many values have the look of one."""
    letters = sum(c.isalpha() for c in body)
    digits = sum(c.isdigit() for c in body)
    if not letters and digits == DIGITS and padded:
        return int(10**DIGITS)
    if not letters and _PLAIN.fullmatch(body) and digits <= DIGITS:
        return int(10**DIGITS)
    if letters:
        return int(26**letters * 10**digits)
    return int(10 ** (digits - 1) * (1 if body.lstrip(" -/").startswith("0") else 9)) if digits else 1
