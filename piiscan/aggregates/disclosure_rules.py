"""The rules of statistical disclosure control for magnitude tables: when a group's figures disclose single units.

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
    """The conditions that a published group has to meet. Raises `UsageError` for numbers out of range.

    min_group: the smallest number of units. p_percent: the unit with the second largest contribution can't estimate
    the largest one to within p percent of it; 0 disables the rule.
    dominance: (n, k), the n largest contributions are at most k percent of the total.
    """

    min_group: int = 10
    p_percent: float = 10.0
    dominance: tuple[int, float] | None = None

    def __post_init__(self) -> None:
        if self.min_group < _FEWEST:
            raise UsageError(
                f"min-group must be at least {_FEWEST}: the mean, standard deviation and correlations of a group "
                "of 2 determine its two rows"
            )
        if not 0 <= self.p_percent <= 100:
            raise UsageError("p-percent must be between 0 and 100")
        if self.dominance is not None:
            n, k = self.dominance
            if n != int(n) or not 1 <= n <= LARGEST or not 0 < k < 100:
                raise UsageError(
                    f"dominance must be two numbers n,k, such as 2,85: n from 1 to {LARGEST}, k above 0 and below 100"
                )


class Evidence(NamedTuple):
    """What the rules look at in a group.

    It is the group's rows, its units, and in `weights` how far it meets each demand (see `Demands`).
    """

    rows: int
    units: int
    weights: tuple[int, ...]


class Demands(NamedTuple):
    """The minimum that each of a group's weights has to reach.

    Weights are units, rows, for each column 1 if it varies, and for each rule of contributions and column 0 less its
    linear sensitivity. The first `monotone` of them never fall when groups are merged. If the weights of disjoint
    groups add up to a demand, the merged groups meet it. Units may be in several groups, so theirs are counted
    separately before they are added (see `Sums.homes`).
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
        """Return the reasons why a group of these weights can't be published."""
        return tuple(r for r, weight, least in zip(self.reasons, weights, self.least, strict=True) if weight < least)


def evidence(exact: Exact, units: int, largest: Sequence[Sequence[float]], rules: Rules) -> Evidence:
    """Return what the rules look at in a group. largest: per column the largest contributions, falling."""
    weights = [
        -_sensitivity(rule, total, [_whole(x) for x in top])
        for rule in _rules(rules).values()
        for total, top in zip(exact.sizes, largest, strict=True)
    ]
    return Evidence(exact.rows, units, (units, exact.rows, *map(int, varies(exact)), *weights))


class _Rule(NamedTuple):
    """A linear sensitivity measure: Σ wᵢ · xᵢ over falling contributions with falling weights wᵢ.

    Weights after the `first` ones are −1. They are in units of 1/`scale`.
    """

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
