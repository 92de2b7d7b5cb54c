"""A membership attack by shadow models, for generators of synthetic tables.

The attacker knows every row of a table but for the targets, the public declarations and the generator, and sees one
synthetic table. Which targets were in is drawn by fair coins for every fit, as the differential-privacy game has it:
an (ε, δ)-private generator can't be attacked with a larger advantage than `bound`. For each target a logistic
regression learns from the fits of the other folds to tell tables with it from tables without it, by how often parts of
the target occur beside what the known rows make expect (the queries of Houssiau et al. 2022, TAPAS; the game of Stadler
et al. 2022).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from piiscan.dp.domains import Categories, Number
from piiscan.synthesis.evaluation.coded_table import Coded
from piiscan.synthesis.evaluation.membership_attack import difference, nearest

FEWEST = 12
"""With fewer fits a distinguisher would learn from a handful of tables."""
_FOLDS = 4
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Game:
    """`base`: rows that are always in. `targets`: the random ones, then the outliers. `inside` (fits, targets): whether
    a target is in."""

    table: Coded
    base: Ints
    targets: Ints
    inside: npt.NDArray[np.bool_]

    def rows(self, fit: int) -> Ints:
        """The rows of the table that this fit gets, in an order that says nothing."""
        chosen = np.concatenate([self.base, self.targets[self.inside[fit]]])
        return np.random.default_rng([fit, 1]).permutation(chosen)


class Outcome(NamedTuple):
    """`advantage`: the share of cases with a target that are recognised, minus the share of those without it that are
    taken for one, with its 95 % interval (Newcombe 1998)."""

    members: int
    others: int
    advantage: float
    low: float
    high: float


def bound(epsilon: float, delta: float) -> float:
    """The largest advantage against an (ε, δ)-private generator (Kairouz, Oh and Viswanath 2015)."""
    return (math.expm1(epsilon) + 2 * delta) / (math.exp(epsilon) + 1)


def game(table: Coded, rows: int, targets: int, fits: int, seed: int) -> Game:
    """Choose the rows, and who is in. Outliers are the rows whose pairs of values are rarest in the table."""
    random = np.random.default_rng(seed)
    rarity = np.zeros(table.rows)
    for i in range(len(table.names)):
        for j in range(i):
            pair = table.codes[i] * len(table.labels[j]) + table.codes[j]
            rarity -= np.log(np.bincount(pair)[pair] / table.rows)
    outliers = np.argsort(-rarity, kind="stable")[:targets]
    order = random.permutation(np.setdiff1d(np.arange(table.rows), outliers))
    # On average half of the targets are in, so a fit gets about `rows` rows.
    base = order[targets:rows]
    # Of two fits in turn one has the target. So both halves of every fold are as large, and a distinguisher that knows
    # nothing has an advantage of 0: without it, what is commoner in the other folds would be rarer in this one.
    coins = random.integers(0, 2, (-(-fits // 2), 2 * targets)) == 1
    inside = np.stack([coins, ~coins], axis=1).reshape(-1, 2 * targets)[:fits]
    return Game(table, base, np.concatenate([order[:targets], outliers]), inside)


def attacked(played: Game, tables: Sequence[Coded], domains: Mapping[str, Number | Categories]) -> dict[str, Outcome]:
    """Attack every target through the synthetic tables of the first fits, of an even number."""
    tables = tables[: len(tables) // 2 * 2]
    count = len(played.targets) // 2
    calls = np.array([_calls(played, tables, domains, t) for t in range(len(played.targets))]).T
    inside = played.inside[: len(tables)]
    return {
        group: _outcome(calls[:, part], inside[:, part])
        for group, part in (("random", slice(0, count)), ("outliers", slice(count, None)))
    }


def _outcome(calls: npt.NDArray[np.bool_], inside: npt.NDArray[np.bool_]) -> Outcome:
    members, others = int(inside.sum()), int((~inside).sum())
    found = difference(int(calls[inside].sum()), members, int(calls[~inside].sum()), others)
    return Outcome(members, others, *found)


def _calls(
    played: Game, tables: Sequence[Coded], domains: Mapping[str, Number | Categories], target: int
) -> npt.NDArray[np.bool_]:
    """(fits,): whether the distinguisher, which never saw the fit, says that the target was in."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    row = played.table.taken(played.targets[[target]])
    expected = _shares(played.table.taken(played.base), row)
    features = np.array([_features(table, row, expected, domains) for table in tables])
    inside = played.inside[: len(tables), target]
    calls = np.zeros(len(tables), dtype=bool)
    fold = np.arange(len(tables)) // 2 % _FOLDS
    for k in range(_FOLDS):
        known = fold != k
        if inside[known].all() or not inside[known].any():
            continue  # nothing to learn: "not in"
        model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0)).fit(features[known], inside[known])
        calls[fold == k] = model.predict(features[fold == k])
    return calls


def _shares(table: Coded, row: Coded) -> list[Floats]:
    """For one, two and three columns: the share of rows that are equal to the row in each group of them."""
    same = np.array([codes == own[0] for codes, own in zip(table.codes, row.codes, strict=True)], dtype=np.float64)
    columns, n = len(same), table.rows
    pairs = same @ same.T / n
    upper = np.triu_indices(columns, 1)
    triples = [
        ((same[i] * same[i + 1 :]) @ same[i + 1 :].T / n)[np.triu_indices(columns - i - 1, 1)]
        for i in range(columns - 2)
    ]
    return [np.diag(pairs), pairs[upper], np.concatenate(triples)]


def _features(
    table: Coded, row: Coded, expected: list[Floats], domains: Mapping[str, Number | Categories]
) -> list[float]:
    n = table.rows
    found: list[float] = []
    for shares, known in zip(_shares(table, row), expected, strict=True):
        spread = np.sqrt(np.maximum(known, 1 / n) / n)
        found.append(float(np.mean((shares - known) / spread)))
        # What is rarest in the target shows it best: it may be the only row to have it.
        found.append(math.log1p(n * float(shares[known == known.min()].mean())))
    equal = np.sum([codes == own[0] for codes, own in zip(table.codes, row.codes, strict=True)], axis=0)
    found += [math.log1p(int((equal >= len(row.codes) - few).sum())) for few in (0, 1, 2)]
    widths = {name: domain.high - domain.low for name, domain in domains.items() if isinstance(domain, Number)}
    found.append(float(nearest(row, table, widths)[0]))
    # Generators may learn the least and the greatest number from the rows, and repeat them.
    beyond = [
        int(count)
        for name in widths
        for own in [row.numbers[name][0]]
        for count in ((table.numbers[name] >= own).sum(), (table.numbers[name] <= own).sum())
    ]
    return [*found, math.log1p(min(beyond, default=0))]


def plain(outcome: dict[str, Any]) -> str:
    """An advantage and its interval, as the tables have it."""
    return f"{outcome['advantage']:+.2f} ({outcome['low']:+.2f} to {outcome['high']:+.2f})"
