"""The membership attack of the benchmark of synthetic rows, on generators of which the answer is known."""

from __future__ import annotations

import math
import sys

import numpy as np
import polars as pl
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT))
from benchmarks.peers import shadow_attack
from piiscan.dp.domains import Categories, Number
from piiscan.synthesis.evaluation.coded_table import Coded, coded

DOMAINS = {"sex": Categories(("f", "m")), "town": Categories(("a", "b", "c", "d")), "age": Number(0, 100)}


def people(rows: int, seed: int) -> Coded:
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "sex": random.choice(["f", "m"], rows),
            "town": random.choice(["a", "b", "c", "d"], rows, p=[0.6, 0.3, 0.09, 0.01]),
            "age": random.integers(0, 100, rows),
        }
    )
    return coded(frame, DOMAINS, "made-up")


@pytest.fixture(scope="module")
def game() -> shadow_attack.Game:
    return shadow_attack.game(people(400, 1), rows=100, targets=4, fits=32, seed=2)


def test_fits_differ_in_targets_alone(game: shadow_attack.Game) -> None:
    assert not set(game.base) & set(game.targets)
    assert len(set(game.targets)) == 8
    for fit in range(32):
        assert set(game.rows(fit)) - set(game.base) == set(game.targets[game.inside[fit]])


def test_more_fits_add_to_the_game(game: shadow_attack.Game) -> None:
    longer = shadow_attack.game(game.table, rows=100, targets=4, fits=64, seed=2)
    assert (longer.targets == game.targets).all()
    for fit in range(32):
        assert (longer.rows(fit) == game.rows(fit)).all()


def test_each_target_is_in_every_second_fit(game: shadow_attack.Game) -> None:
    assert (game.inside[::2] != game.inside[1::2]).all()


def test_outliers_are_rare_rows(game: shadow_attack.Game) -> None:
    towns = game.table.codes[1]
    assert set(towns[game.targets[4:]]) <= {2, 3}


def test_copies_are_recognised(game: shadow_attack.Game) -> None:
    tables = [game.table.taken(game.rows(fit)) for fit in range(32)]
    found = shadow_attack.attacked(game, tables, DOMAINS)
    assert found["random"].low > 0.5
    assert found["outliers"].low > 0.8


def test_rows_of_others_tell_nothing(game: shadow_attack.Game) -> None:
    tables = [people(100, 100 + fit) for fit in range(32)]
    for outcome in shadow_attack.attacked(game, tables, DOMAINS).values():
        # The standard deviation of 128 guesses is 0.09.
        assert abs(outcome.advantage) < 0.3
        assert (outcome.members, outcome.others) == (64, 64)


@pytest.mark.parametrize(("epsilon", "delta", "most"), [(0, 0, 0), (math.log(3), 0, 0.5), (0, 0.01, 0.01), (50, 0, 1)])
def test_the_bound(epsilon: float, delta: float, most: float) -> None:
    assert shadow_attack.bound(epsilon, delta) == pytest.approx(most)
