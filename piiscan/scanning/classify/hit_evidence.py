"""What a rule's exact counts are worth: shares of cells, and checksum passes beyond what random values give."""

from __future__ import annotations

import math
import random
import re
from functools import lru_cache
from typing import NamedTuple

from piiscan.core import shapes
from piiscan.core.caches import of_words
from piiscan.core.types import Reason
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.hit_counts import Hits, RuleHits
from piiscan.rules.definitions import Rule

FEW = 3
"""Up to so many candidates, every pass of a check counts: too few to distinguish from chance."""
UNLIKELY = math.log(100)
"""Evidence (natural log of 1 / probability) from which passes are more than chance."""
HARDLY_A_CHECK = 0.5
"""A check that more than half of all random values pass distinguishes an identifier from no other number, however many
cells there are.
"""
HARDLY_A_PATTERN = 0.8
"""A pattern that more than this share of all numbers of a length match says nothing by itself, like one for whole
cells."""
RARE, WHOLLY, PASSED_BY_ALL = 0.03, 0.9, 11.0
"""What a pattern that is searched anywhere is worth where at least so many cells have its form and all of these pass a
check that so few random values do: one account in all rows is an account.
"""
_OFF = 2
"""Characters that a number may have too many or too few."""
_LOOKED_AT = 40
"""Values of which it is asked how they look: a sample in the order of hashes, so that any will do."""
_FEWEST = 4
"""Digits of a number, of which half may be missing."""
_SEPARATOR = re.compile(r"[\s./-]")
INSIDE = 0.1
"""Share of the cells below which what a rule finds is inside the column, and not by itself what the column holds."""
PRIOR = -5.0
"""Log-odds, before anything is known, that a column is the entity of one given rule."""


def lift(passed: float, candidates: float, chance: float) -> float:
    """Evidence against chance: the Chernoff bound on the natural log of 1 / P(at least so many pass), 0 where fewer do.

    Hoeffding, "Probability inequalities for sums of bounded random variables" (1963), theorem 1.

    >>> round(lift(10, 10, 0.1), 1), lift(1, 10, 0.1)
    (23.0, 0.0)
    """
    if candidates <= 0 or passed / candidates <= chance:
        return 0.0
    rate = min(1.0, passed / candidates)
    divergence = rate * math.log(rate / chance)
    if rate < 1:
        divergence += (1 - rate) * math.log((1 - rate) / (1 - chance))
    return candidates * divergence


def beyond_chance(rule: Rule, hits: Hits) -> bool:
    """Whether more of a rule's candidates pass its check than chance would give.

    Chance is measured on random values of the same form.
    """
    if not hits.cells:
        return False
    if rule.check is None or hits.candidates <= FEW:
        return True
    return lift(hits.cells, hits.candidates, rule.chance) >= UNLIKELY


class Fit(NamedTuple):
    """The evidence of a column's cells for a rule's entity, as log-odds.

    `alone`: by its cells alone; `under_header`: under a header that names it.
    """

    alone: float
    under_header: float
    reasons: tuple[Reason, ...]


def fit(rule: Rule, found: RuleHits | None, column: ColumnSummary, nothing: float) -> Fit:
    """How well a column's cells fit a rule with a pattern. `nothing`: share of cells that stand for no value."""
    filled = max(1.0, column.filled * (1 - nothing))
    whole = found.whole if found else Hits()
    share = min(1.0, whole.cells / filled)
    if not whole.candidates:
        may_be = column.filled < 5 or _may_be(rule, column)
        return Fit(PRIOR - 5, -1.0 if may_be else -4.5, ())
    reasons = [Reason("rule", rule.id, whole.cells, round(share, 4))] if whole.cells else []
    if rule.check is None or rule.chance > HARDLY_A_CHECK:
        return _unchecked(rule, share, column.sample.distinct, tuple(reasons))
    rate = whole.cells / whole.candidates
    reasons.append(Reason("checksum", rule.id, whole.cells, round(rate, 4), rule.chance))
    # Equal cells are no further evidence: scale the candidates down to the distinct values behind them.
    independent = min(whole.candidates, column.sample.distinct * whole.candidates / filled)
    evidence = lift(rate * independent, independent, rule.chance)
    if _passed_by_all(rule, rate, share):
        evidence = max(evidence, PASSED_BY_ALL)
    if evidence < UNLIKELY:
        against = whole.candidates >= 20
        text = (
            "passes its check no more often than chance" if against else "too few values to tell its check from chance"
        )
        reasons.append(Reason("checksum", rule.id, text=text))
        under_header = -2.0 if against else 0.8 * rate + 2.0 * share - 1.0
        if whole.candidates < 0.3 * filled:
            under_header = -3.0
        return Fit(PRIOR - 2, under_header, tuple(reasons))
    strength = min(10.0, evidence - 3.0) * (0.6 + 0.4 * rate)
    if share < 0.5:
        strength = strength - 6.0 * (0.5 - share) if rule.search == "anywhere" else strength * 2 * share
    if rule.search != "anywhere" and rate < 0.95:
        strength -= 2.0 if rate > 0.8 else 5.0
    alone = PRIOR if share < INSIDE else PRIOR + strength
    return Fit(alone, min(6.0, strength) * 0.8, tuple(reasons))


def _passed_by_all(rule: Rule, rate: float, share: float) -> bool:
    return rate == 1.0 and share >= WHOLLY and rule.search == "anywhere" and rule.chance <= RARE


def _may_be(rule: Rule, column: ColumnSummary) -> bool:
    """Whether values look like a rule's numbers, though its pattern refuses all of them.

    Made-up numbers have the form of its examples with other digits. Numbers that somebody typed have a digit too many
    or too few: they differ, and are one run of letters and digits each, about as long as an example.
    """
    forms = _forms(tuple(text for text, _ in column.sample.first(_LOOKED_AT)))
    looks, shortest, longest, digits = _forms_of_examples(rule)
    enough = HARDLY_A_PATTERN * len(forms)
    if sum(look in looks for look, _, _ in forms) > enough:
        return True
    if column.sample.distinct < HARDLY_A_PATTERN * column.filled:
        return False
    return sum(shortest - _OFF <= size <= longest + _OFF and 2 * own >= digits for _, size, own in forms) > enough


@of_words(256)
def _forms(texts: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """Of each text its look, and how many letters and digits it has without separators, and how many digits.

    Both numbers are 0 for texts that are more than one run of them.
    """
    runs = [_SEPARATOR.sub("", text) for text in texts]
    sizes = [(len(run), sum(map(str.isdigit, run))) if run.isalnum() else (0, 0) for run in runs]
    return [(look, *size) for look, size in zip(shapes.of_each(texts, shapes.look), sizes, strict=True)]


@lru_cache(maxsize=4096)
def _forms_of_examples(rule: Rule) -> tuple[frozenset[str], int, int, int]:
    """How a rule's examples look, the shortest and the longest without separators, and the fewest digits of one."""
    runs = [_SEPARATOR.sub("", example) for example in rule.match] or [""]
    fewest = max(_FEWEST, min(sum(map(str.isdigit, run)) for run in runs))
    return frozenset(map(shapes.look, rule.match)), min(map(len, runs)), max(map(len, runs)), fewest


def any_digits(rule: Rule) -> bool:
    """Whether a pattern without a check takes nearly all strings of digits that are as long as one of its examples."""
    return rule.check is None and _taken(rule) > HARDLY_A_PATTERN


def is_narrow(rule: Rule, distinct: int) -> bool:
    """Whether as many different numbers as `distinct` hardly fit a pattern by chance, whatever its check says of them.

    Rules that share a check with those of other numbers differ by their patterns: the one that says more, and is right
    for all, is believed.
    """
    taken = _taken(rule)
    return 0 < taken < 1 and distinct * math.log(1 / taken) >= UNLIKELY


@lru_cache(maxsize=4096)
def _taken(rule: Rule) -> float:
    """The share of strings of digits that fit a pattern, of the length of an example with the greatest share."""
    if rule.engine != "linear":
        return 0.0
    rng = random.Random(rule.id)
    lengths = sorted({len(example) for example in rule.match if example.isdigit()})
    fit = [
        sum(bool(re.fullmatch(rule.pattern or "", f"{rng.randrange(10**n):0{n}}")) for _ in range(100)) for n in lengths
    ]
    return max(fit, default=0) / 100


def _unchecked(rule: Rule, share: float, distinct: int, reasons: tuple[Reason, ...]) -> Fit:
    if rule.search == "anywhere":
        if share < 0.5:
            return Fit(PRIOR + (20 * share - 3.0), 8 * share - 1.0, reasons)
        return Fit(PRIOR + (10.0 if share >= 0.8 else 8.0), 4.0, reasons)
    if rule.search == "context" and not any_digits(rule):
        return Fit(PRIOR + 3.0 * share, min(2.0 * share - 0.5, 8.0 * share - 2.5), reasons)
    return Fit(PRIOR - 2, 1.6 * share - 1.0, reasons)
