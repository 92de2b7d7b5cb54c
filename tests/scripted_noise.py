"""Noise by a script, so that two neighbouring tables are asked the same questions, and what their answers differ by."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from piiscan.dp import noise
from piiscan.dp.noise import Mechanism, Noisy, Share


class Script:
    """Stands in for noise: keeps what comes in, and gives back what an earlier run gave, so that a second run is
    asked the same questions."""

    def __init__(self, before: Script | None = None) -> None:
        self.asked: list[tuple[str, list[int], int, Share]] = []
        self.given: list[Any] = []
        self.before = before
        self.random = np.random.default_rng(1)

    def added(self, values: Any, sensitivity: int, share: Share) -> Noisy:
        self.asked.append(("add", list(values), sensitivity, share))
        moved = tuple(int(v + self.random.normal(0, 3)) for v in values)
        return self._give(Noisy(moved, noise.scale_of(share, sensitivity)))

    def selected(self, scores: Any, sensitivity: int, share: Share) -> int:
        self.asked.append(("select", list(scores), sensitivity, share))
        return int(self._give(int(self.random.integers(len(scores)))))

    def _give(self, drawn: Any) -> Any:
        self.given.append(drawn if self.before is None else self.before.given[len(self.given)])
        return self.given[-1]


def privacy_loss(one: Script, other: Script, mechanism: Mechanism, sensitivities: Collection[int]) -> float:
    """Return Σ distance / scale, or Σ distance² / 2σ², of what was asked of two neighbours with the same answers.

    Asserts that both were asked the same, with noise of `mechanism` for one of `sensitivities`,
    and that no distance is above it.
    """
    assert [(what, moved, share) for what, _, moved, share in one.asked] == [
        (what, moved, share) for what, _, moved, share in other.asked
    ]
    total = 0.0
    for (what, here, moved, share), (_, there, _, _) in zip(one.asked, other.asked, strict=True):
        assert share.mechanism == mechanism and moved in sensitivities
        apart = [abs(a - b) for a, b in zip(here, there, strict=True)]
        if what == "select":
            assert max(apart) <= moved
            loss = 2 * max(apart) / noise.selection_scale(share, moved)
            total += loss if share.mechanism == "laplace" else loss**2 / 8
        else:
            assert sum(apart) <= moved
            scale = noise.scale_of(share, moved)
            total += sum(apart) / scale if share.mechanism == "laplace" else sum(x * x for x in apart) / scale**2 / 2
    return total
