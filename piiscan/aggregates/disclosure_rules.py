"""When a group's figures say too much of single units: the rules of statistical disclosure control for magnitude
tables.

Sources: Hundepool et al., Statistical Disclosure Control, 2012, chapter 4 (threshold, dominance and p% rules, linear
sensitivity measures); Cox, Linear sensitivity measures in statistical disclosure control, J. Stat. Plan. Inference 5
(1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from piiscan.aggregates.figures import varies
from piiscan.aggregates.group_sums import LARGEST, PLACES, Exact
from piiscan.core.errors import UsageError

_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Rules:
    """What a published group needs. Raises `UsageError`.

    min_group: so many units. p_percent: whoever adds the second largest contribution can't estimate the largest one to
    within p percent of it; 0 for any.
    dominance: (n, k), the n largest contributions are at most k percent of all together.
    """

    min_group: int = 10
    p_percent: float = 10.0
    dominance: tuple[int, float] | None = None

    def __post_init__(self) -> None:
        if self.min_group < _FEWEST:
            raise UsageError(
                f"min-group must be {_FEWEST} or more: mean, standard deviation and correlations of a group of "
                "2 are its two rows, written otherwise"
            )
        if not 0 <= self.p_percent <= 100:
            raise UsageError("p-percent lies between 0 and 100")
        if self.dominance is not None:
            n, k = self.dominance
            if n != int(n) or not 1 <= n <= LARGEST or not 0 < k < 100:
                raise UsageError(
                    f"dominance is two numbers n,k, such as 2,85: n from 1 to {LARGEST}, k above 0 and below 100"
                )


class Evidence(NamedTuple):
    """What rules look at in a group: its rows, its units, and in `weights` how far it meets each demand (see
    `Demands`)."""

    rows: int
    units: int
    weights: tuple[int, ...]


class Demands(NamedTuple):
    """What each of a group's weights must reach at least: units, rows, for each column 1 if it varies, and for each
    rule of contributions and column 0 less its linear sensitivity. The first `monotone` of them never fall when groups
    are put together.

    Where the weights of disjoint groups add up to a demand, the groups together meet it. Units may be in several
    groups, so theirs are counted apart before they are added (see `Sums.homes`).
    """

    least: tuple[int, ...]
    reasons: tuple[str, ...]
    monotone: int

    @classmethod
    def of(cls, rules: Rules, columns: Sequence[str]) -> Demands:
        sensitivities = [f"{rule} rule for {name}" for rule in _rules(rules) for name in columns]
        return cls(
            (rules.min_group, len(columns) + 2, *(1 for _ in columns), *(0 for _ in sensitivities)),
            (
                "smaller than min-group",
                "too few rows for so many columns",
                *(f"{name} doesn't vary" for name in columns),
                *sensitivities,
            ),
            2 + len(columns),
        )

    def unmet(self, weights: Sequence[int]) -> tuple[str, ...]:
        """The reasons for which a group of these weights can't be published."""
        return tuple(r for r, weight, least in zip(self.reasons, weights, self.least, strict=True) if weight < least)


def evidence(exact: Exact, units: int, largest: Sequence[Sequence[float]], rules: Rules) -> Evidence:
    """What rules see of a group. largest: for each column the largest contributions of units, falling."""
    weights = [
        -_sensitivity(rule, total, [_whole(x) for x in top])
        for rule in _rules(rules).values()
        for total, top in zip(exact.sizes, largest, strict=True)
    ]
    return Evidence(exact.rows, units, (units, exact.rows, *map(int, varies(exact)), *weights))


class _Rule(NamedTuple):
    """A linear sensitivity measure: Σ wᵢ · xᵢ over contributions, falling, with falling weights wᵢ, −1 for all after
    the `first`; in units of 1/`scale`."""

    first: tuple[int, ...]
    scale: int


def _rules(rules: Rules) -> dict[str, _Rule]:
    found = {}
    if rules.p_percent:
        p = Fraction(repr(float(rules.p_percent))) / 100
        found["p%"] = _Rule((p.numerator, 0), p.denominator)
    if rules.dominance is not None:
        n, k = rules.dominance
        share = 100 / Fraction(repr(float(k))) - 1
        found["dominance"] = _Rule((share.numerator,) * int(n), share.denominator)
    return found


def _sensitivity(rule: _Rule, total: int, largest: Sequence[int]) -> int:
    first = largest[: len(rule.first)]
    return sum(w * x for w, x in zip(rule.first, first, strict=False)) - rule.scale * (total - sum(first))


def _whole(x: float) -> int:
    numerator, denominator = x.as_integer_ratio()
    return (numerator << PLACES) // denominator
