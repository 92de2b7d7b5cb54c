"""Fit how personal a column is, and from which probability on that is said: `piiscan.scanning.classify.class_model`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from fit_columns import SEEDS
from networks import Inputs, Recipe, linear, networks, targets

from examples import Kept, Label, weights
from piiscan.rules import rule_sets
from piiscan.scanning.classify.class_decision import LIKELIER, can_be_named, contacts_of_owners, with_facts
from piiscan.scanning.classify.class_model import (
    CLASSES,
    FAMILIES,
    INPUT_WIDTH,
    ClassModel,
    Thresholds,
    family,
    speaks_of_persons,
)
from piiscan.scanning.classify.column_model import model
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.classify.verdicts import gather

RECIPE = Recipe(hidden=64, dropout=0.0, epochs=12, decay=1.0)
KINDS = ("full", "blank", "few")
EVEN = 0.5
"""What is as likely direct as not is called so even where hardly anything speaks of persons: a miss costs more."""
"""Variants of tables that classes are learned from."""
TOUCHED = 0.08
"""Of tables without anything personal, the share that may have a column in review."""
UNSEEN, UNSEEN_QUASI, FALSE, ALARM, REVIEWED = 10.0, 2.0, 3.0, 6.0, 0.5
"""What a missed identifier costs, a missed quasi-identifier, a false identifier, an alarm in a table without anything
personal, and a look at a column."""
ALIKE = 0.005
"""Thresholds whose F1 differs by no more are as good as each other."""
SAME_COST = 1.01
"""So are those that cost no more than the cheapest times this,"""
SAME_COST_ELSEWHERE = 1.03
"""and, in tables where hardly anything speaks of persons, times this: few sources have such tables."""
GENERATED = 0.5
"""The weight of generated columns, beside what it is when entities are learned."""


@dataclass(frozen=True)
class Judged:
    """A table before classes are decided. inputs: (columns, INPUT_WIDTH); named: which columns have a header; families:
    what direct identifier each could be best; owners: the contact data of each owner; least, most: what bounds the
    class of each, by places in CLASSES; nameable: which have an identifier to be called by."""

    group: str
    kind: str
    real: bool
    inputs: np.ndarray
    named: Sequence[bool]
    families: Sequence[str]
    owners: Sequence[Sequence[int]]
    least: Sequence[int]
    most: Sequence[int]
    nameable: Sequence[bool]
    labels: Mapping[int, Label]


def judged(found: Sequence[Kept], models: Mapping[str, Path], jobs: int) -> list[Judged]:
    """Every table, each by `models[its group]`, which has not seen its source."""
    with ProcessPoolExecutor(jobs) as pool:
        work = [(source, str(models[source.group])) for source in found]
        return [t for part in pool.map(_judged, work, chunksize=4) for t in part]


def _judged(work: tuple[Kept, str]) -> list[Judged]:
    source, path = work
    known = lexicon(rule_sets.load(()))
    out = []
    for v in source.variants():
        if v.kind in KINDS:
            e = gather([(v.info, v.summary)], known, model(path))[0]
            out.append(
                Judged(
                    v.group,
                    v.kind,
                    v.real,
                    e.inputs,
                    [c.header is not None for c in e.columns],
                    [*map(family, e.columns)],
                    contacts_of_owners(e.columns, e.presumed, e.rows.parts),
                    [_place(p.least) for p in e.presumed],
                    [_place(p.most) for p in e.presumed],
                    [*map(can_be_named, e.columns, e.presumed)],
                    v.labels,
                )
            )
    return out


def _place(pii: str) -> int:
    """Where a class stands in CLASSES."""
    return CLASSES.index("quasi" if pii == "sensitive" else pii)


@dataclass(frozen=True)
class Classes:
    """The labelled columns of some tables. x: (labelled, INPUT_WIDTH); y: (labelled,) places in CLASSES; fold, weight,
    named, family, table, real, least, most, nameable: (labelled,); owner: (labelled,), the same for contact data of one
    owner, below 0 for all else; scored: those whose figures count, of real tables as they are."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    fold: np.ndarray
    named: np.ndarray
    family: np.ndarray
    table: np.ndarray
    real: np.ndarray
    owner: np.ndarray
    least: np.ndarray
    most: np.ndarray
    nameable: np.ndarray
    scored: np.ndarray

    @classmethod
    def of(cls, found: Sequence[Judged], folds: Mapping[str, int]) -> Classes:
        """The labelled columns."""
        entries = [(t, i, label) for t in found for i, label in t.labels.items()]
        place = {id(t): n for n, t in enumerate(found)}
        groups = {(id(t), i): n for n, (t, of) in enumerate((t, of) for t in found for of in t.owners) for i in of}
        return cls(
            np.stack([t.inputs[i] for t, i, _ in entries]),
            np.array([_place(b.pii) for _, _, b in entries]),
            np.array(weights([(t.group, t.kind, t.real, t.labels) for t in found])),
            np.array([folds[t.group] for t, _, _ in entries]),
            np.array([t.named[i] for t, i, _ in entries]),
            np.array([t.families[i] for t, i, _ in entries]),
            np.array([place[id(t)] for t, _, _ in entries]),
            np.array([t.real for t, _, _ in entries]),
            np.array([groups.get((id(t), i), -1) for t, i, _ in entries]),
            np.array([t.least[i] for t, i, _ in entries]),
            np.array([t.most[i] for t, i, _ in entries]),
            np.array([t.nameable[i] for t, i, _ in entries]),
            np.array([t.real and t.kind == "full" for t, _, _ in entries]),
        )

    def of_rows(self, which: np.ndarray) -> Classes:
        """The columns that `which` (labelled,) marks."""
        return Classes(*(getattr(self, field.name)[which] for field in fields(self)))


def fit(classes: Classes, which: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays of a `ClassModel` from the columns that `which` (labelled,) marks; `sharpness` is 1."""
    x = classes.x[which]
    wanted = targets(classes.y[which], len(CLASSES))
    weight = (classes.weight * np.where(classes.real, 1.0, GENERATED))[which]
    mean, scale = x.mean(axis=0), 1 / np.maximum(x.std(axis=0), 0.02)
    scaled = Inputs.of(np.clip((x - mean) * scale, -4, 4))
    nets = networks(scaled, wanted, weight, RECIPE, SEEDS)
    coefficients, intercepts = linear(scaled, wanted, weight, 0.01, 200)
    return {
        "mean": mean,
        "scale": scale,
        "hidden": nets.first,
        "hidden_bias": nets.hidden_bias,
        "output": nets.output,
        "output_bias": nets.bias,
        "linear": coefficients,
        "linear_bias": intercepts,
        "sharpness": np.ones(2),
    }


def placeholder() -> dict[str, np.ndarray]:
    """The arrays of a model that knows nothing, until classes are learned."""
    shapes = {
        "mean": (INPUT_WIDTH,), "scale": (INPUT_WIDTH,), "hidden": (INPUT_WIDTH, 1), "hidden_bias": (1,),
        "output": (1, len(CLASSES)), "output_bias": (len(CLASSES),), "linear": (INPUT_WIDTH, len(CLASSES)),
        "linear_bias": (len(CLASSES),), "sharpness": (2,),
    }  # fmt: skip
    return {name: np.zeros(shape) for name, shape in shapes.items()}


def odds(arrays: Mapping[str, np.ndarray], x: np.ndarray, named: np.ndarray) -> np.ndarray:
    """(columns, 3)."""
    model_ = ClassModel(**{name: a.astype(np.float32) for name, a in arrays.items()})
    return model_.probabilities(x, named.tolist())


def sharpness(classes: Classes, found: np.ndarray) -> np.ndarray:
    """By how much logits of columns with a header, and without, are to be multiplied for the likeliest probabilities.
    `found`: (labelled, 3), of sources not seen."""
    logs = np.log(np.maximum(found, 1e-9))
    out = []
    for named in (True, False):
        here = (classes.named == named) & classes.real
        losses = {}
        for s in np.arange(0.5, 1.55, 0.05):
            p = np.exp(s * logs[here])
            p /= p.sum(axis=1, keepdims=True)
            losses[round(float(s), 2)] = -(classes.weight[here] * np.log(p[np.arange(len(p)), classes.y[here]])).sum()
        out.append(min(losses, key=lambda s: (losses[s], s)))
    return np.array(out)


def thresholds(classes: Classes, found: np.ndarray) -> Thresholds:
    """Direct, for each family, and personal from where their F1 is best in tables that speak of persons; elsewhere from
    where both cost least, with the fewest alarms for that; and for columns in review from where it costs least, without
    touching more clean tables than `TOUCHED`. `found`: (labelled, 3), of sources not seen."""
    scored = classes.of_rows(classes.scored)
    p, y = _as_decided(scored, found[classes.scored]), scored.y
    direct = {f: _best(y[scored.family == f] == 2, p[scored.family == f, 2]) for f in FAMILIES}
    personal = _best(y > 0, 1 - p[:, 0])
    _, of = np.unique(scored.table, return_inverse=True)
    places = [np.flatnonzero(of == n) for n in range(of.max() + 1)]
    is_clean = np.array([not y[rows].any() for rows in places])
    says = np.array([speaks_of_persons(p[rows]) for rows in places])[of]
    clean = is_clean[of]
    from_direct = np.array([direct[f] for f in scored.family])

    def called(gate: float, direct_elsewhere: float, personal_elsewhere: float) -> np.ndarray:
        elsewhere = says < gate
        is_direct = p[:, 2] >= np.where(elsewhere, np.maximum(from_direct, direct_elsewhere), from_direct)
        is_personal = 1 - p[:, 0] >= np.where(elsewhere, personal_elsewhere, personal)
        likelier = np.where(p[:, 1] >= p[:, 2], 1, 2)
        said = np.where(is_direct, 2, np.where(is_personal, likelier, 0))
        said = np.minimum(np.maximum(said, scored.least), scored.most)
        unnamed = np.where(p[:, 1] >= p[:, 0], 1, scored.least)
        return np.where((said == 2) & ~scored.nameable, unnamed, said)

    def costs(said: np.ndarray) -> tuple[int, float]:
        alarms = len(np.unique(of[clean & (said > 0)]))
        missed = UNSEEN * ((y == 2) & (said < 2)).sum() + UNSEEN_QUASI * ((y == 1) & (said == 0)).sum()
        return alarms, float(missed + FALSE * ((y != 2) & (said == 2) & ~clean).sum() + ALARM * alarms)

    options = itertools.product((0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8), (0.4, 0.45, EVEN), (0.5, 0.6, 0.7, 0.8, 0.9))
    found_costs = [(*costs(called(*o)), *o) for o in options]
    least = min(cost for _, cost, *_ in found_costs)
    _, _, gate, direct_elsewhere, elsewhere = min(c for c in found_costs if c[1] <= least * SAME_COST_ELSEWHERE)
    in_doubt = scored.most == 2
    review = _review(p, y, called(gate, direct_elsewhere, elsewhere), says >= gate, of, is_clean, in_doubt)
    return Thresholds(*map(float, (*direct.values(), direct_elsewhere, personal, elsewhere, gate, *review)))


def _as_decided(classes: Classes, found: np.ndarray) -> np.ndarray:
    """(labelled, 3): the probabilities that are decided on."""
    owners = [np.flatnonzero(classes.owner == n).tolist() for n in np.unique(classes.owner[classes.owner >= 0])]
    return with_facts(found, owners, [CLASSES[most] for most in classes.most])


def _review(
    p: np.ndarray,
    y: np.ndarray,
    said: np.ndarray,
    of_persons: np.ndarray,
    of: np.ndarray,
    is_clean: np.ndarray,
    in_doubt: np.ndarray,
) -> tuple[float, float, float]:
    """From which probability on a column that isn't called direct costs less to look at than it may cost to miss, in
    tables that speak of persons and elsewhere, and up to which one that is called so. `in_doubt`: which may be in
    review at all."""
    options = []
    for low, elsewhere, high in itertools.product(
        np.arange(0.02, 0.3, 0.01), np.arange(0.1, 0.5, 0.05), np.arange(0.4, 0.96, 0.04)
    ):
        review = np.where(said == 2, p[:, 2] < high, p[:, 2] >= np.where(of_persons, low, max(low, elsewhere)))
        review = (review | ((said == 0) & (p[:, 0] < LIKELIER))) & in_doubt
        if len(np.unique(of[review & is_clean[of]])) <= TOUCHED * is_clean.sum():
            missed = int(((y == 2) & (said < 2) & ~review).sum())
            false = int(((y != 2) & (said == 2) & ~review).sum())
            cost = UNSEEN * missed + FALSE * false + REVIEWED * int(review.sum())
            options.append((missed, max(low, elsewhere), cost, low, high))
    least = min((cost for _, _, cost, *_ in options), default=0.0)
    # Of those that cost the same but for chance, the one that misses fewest, and the most cautious of these.
    _, elsewhere, _, low, high = min((o for o in options if o[2] <= least * SAME_COST), default=(0, 0.5, 0, 0.5, 0.5))
    return round(float(low), 2), round(float(elsewhere), 2), round(float(high), 2)


def _best(gold: np.ndarray, likely: np.ndarray) -> float:
    """From which probability on a call has the best F1: the middle of those that are as good within `ALIKE`, since the
    very best of them is luck."""
    grid = np.arange(0.2, 0.8, 0.02)
    found = np.array([_f1(gold, likely >= t) for t in grid])
    return round(float(grid[found >= found.max() - ALIKE].mean()), 2)


def _f1(gold: np.ndarray, called: np.ndarray) -> float:
    return float(2 * (gold & called).sum() / max(1, gold.sum() + called.sum()))
