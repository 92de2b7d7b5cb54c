"""The cases of a campaign: number n of a seed is the same file wherever it is run again."""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from .corpus import KINDS
from .mutations import MUTATIONS, File
from .needles import NEEDLES, spoken

_STEPS: Final = (1, 1, 1, 1, 1, 1, 2, 2, 2, 3)
"""How many mutations a case has, as often as each stands here."""


class Case(NamedTuple):
    """A damaged file: what it was made of, and what became of it."""

    number: int
    kind: str
    parts: tuple[str, ...]
    mutations: tuple[str, ...]
    file: File


def case(number: int, seed: int = 0) -> Case:
    """The case of a number. All kinds take turns; parts, needles and mutations are drawn."""
    rng = random.Random(f"{seed} {number}")
    kind = list(KINDS)[number % len(KINDS)]
    made = KINDS[kind]
    parts = rng.sample(made.parts, min(len(made.parts), rng.choice((1, 1, 2, 3))))
    entities = rng.sample(sorted(NEEDLES), len(parts))
    needles = {
        part: spoken(entity) if rng.random() < 0.7 else NEEDLES[entity]
        for part, entity in zip(parts, entities, strict=True)
    }
    file = File(made.make(rng, needles), made.name)
    steps = [rng.choice(list(MUTATIONS)) for _ in range(rng.choice(_STEPS))]
    for step in steps:
        file = MUTATIONS[step](file, rng)
    return Case(number, kind, tuple(parts), tuple(steps), file)
