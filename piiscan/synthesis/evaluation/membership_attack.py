"""How well somebody who has the synthetic rows recognises the real rows that they were made from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.dp.domains import MISSING, Categories, Number
from piiscan.synthesis.evaluation.coded_table import Coded

if TYPE_CHECKING:
    from piiscan.synthesis.evaluation.coded_table import Floats

FEWEST: Final = 40
"""With fewer control rows the interval would be wider than half of all that the advantage can be."""
_TRIED: Final = 1_000
_KNOWN: Final = 20_000
_AT_ONCE: Final = 64
_NORMAL: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


class Attack(NamedTuple):
    """A membership attack by nearest neighbours, on rows of which it is known whether the synthetic rows had them.

    The attacker knows a row, the synthetic rows and some rows of the same population (`reference`), and says "it was
    in" if its nearest synthetic row is nearer than its nearest reference row by more than a factor. The factor is
    chosen on other rows than those counted here. `members` and `others`: how many rows were tried that were in and
    weren't. `advantage`: the share of members that are called so, minus that of others: 0 for guessing, 1 for knowing;
    `low` and `high` are its 95 % confidence interval (Newcombe 1998, method 10). Stronger attacks exist, so a small
    advantage proves nothing.
    """

    members: int
    others: int
    reference: int
    advantage: float
    low: float
    high: float


def attack(
    real: Coded, control: Coded, synthetic: Coded, domains: Mapping[str, Number | Categories], seed: int
) -> Attack:
    """Try it on as many real rows as control rows, half of which serve as reference.

    Rows are compared in all columns: numbers by their distance within the bounds, all else by whether it is equal
    (Gower 1971). Of large tables a sample is taken. Raises `UsageError` for fewer than 40 control rows or real rows.
    """
    for table, which in (control, "control"), (real, "real"):
        if table.rows < FEWEST:
            raise UsageError(f"the {which} table has {table.rows} rows; an attack needs at least {FEWEST}")
    random = np.random.default_rng(seed)

    def some(table: Coded, most: int) -> Coded:
        return table.taken(random.permutation(table.rows)[:most])

    shuffled = some(control, 2 * _TRIED)
    half = shuffled.rows // 2
    others, reference = shuffled.taken(np.arange(half)), shuffled.taken(np.arange(half, shuffled.rows))
    members = some(real, half)
    known = some(synthetic, _KNOWN)
    widths = {name: domain.high - domain.low for name, domain in domains.items() if isinstance(domain, Number)}
    inside, outside = (
        _nearness(nearest(rows, known, widths), nearest(rows, reference, widths)) for rows in (members, others)
    )
    threshold = _best(inside[::2], outside[::2])
    hits, members_tried = _called(inside[1::2], threshold)
    errors, others_tried = _called(outside[1::2], threshold)
    advantage, low, high = difference(hits, members_tried, errors, others_tried)
    return Attack(members_tried, others_tried, reference.rows, advantage, low, high)


def nearest(rows: Coded, among: Coded, widths: Mapping[str, float]) -> Floats:
    """(rows,): the distance of each row to its nearest one in the other table, from 0 to 1."""
    found = np.empty(rows.rows)
    for start in range(0, rows.rows, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        apart = np.zeros((len(found[part]), among.rows))
        for i, name in enumerate(rows.names):
            if name in widths:
                steps = np.abs(rows.numbers[name][part, None] - among.numbers[name][None, :]) / widths[name]
                missing = rows.labels[i].index(MISSING)
                alone = (rows.codes[i][part, None] == missing) != (among.codes[i][None, :] == missing)
                apart += np.where(alone, 1.0, np.nan_to_num(np.minimum(steps, 1.0)))
            else:
                apart += rows.codes[i][part, None] != among.codes[i][None, :]
        found[part] = apart.min(axis=1) / len(rows.names)
    return found


def _nearness(known: Floats, reference: Floats) -> Floats:
    """From two distances: 1 if the synthetic row is equal, 0 if the reference row is, 0.5 if they are as near."""
    total = known + reference
    found: Floats = np.divide(reference, total, out=np.full(len(total), 0.5), where=total > 0)
    return found


def _called(scores: Floats, threshold: float) -> tuple[int, int]:
    """How many rows are called members, and of how many."""
    return int((scores >= threshold).sum()), len(scores)


def _best(inside: Floats, outside: Floats) -> float:
    """The threshold from which on the share of members exceeds that of others most."""
    candidates = np.unique(np.concatenate([inside, outside]))
    ahead = [(inside >= c).mean() - (outside >= c).mean() for c in candidates]
    return float(candidates[int(np.argmax(ahead))])


def difference(x: int, n: int, y: int, m: int) -> tuple[float, float, float]:
    """x/n − y/m, and its 95 % interval."""
    p, q = x / n, y / m
    (low_p, high_p), (low_q, high_q) = _wilson(x, n), _wilson(y, m)
    return p - q, p - q - math.hypot(p - low_p, high_q - q), p - q + math.hypot(high_p - p, q - low_q)


def _wilson(x: int, n: int) -> tuple[float, float]:
    p, z = x / n, _NORMAL
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)
