"""Rows that are drawn have the moments they were drawn for; what groups' moments say of all rows is exact, and the
notebook that began it is reproduced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st

import piiscan
from piiscan.aggregates.figures import figures
from piiscan.aggregates.group_sums import Sums
from piiscan.aggregates.moments import Moments, coefficients, pooled
from piiscan.aggregates.result import Aggregates, Group
from piiscan.aggregates.unpacking import unpacked
from piiscan.core.errors import UsageError

TRUE = [0.49076153, -0.49299726]
AS_PRINTED = [-0.226, 0.102]


def group(key: str, rows: Any, names: tuple[str, ...]) -> Group:
    frame = pl.DataFrame(np.asarray(rows, dtype=float), schema=list(names), orient="row").with_columns(g=pl.lit(key))
    figures_ = figures(Sums.of(frame, ["g"], names).groups[key,])
    return Group((key,), figures_.count, figures_.mean, figures_.std, figures_.correlation)


def aggregates(*groups: Group, names: tuple[str, ...]) -> Aggregates:
    return Aggregates(("g",), names, groups)


def holds(wanted: Group, rows: Any) -> None:
    """Count, means, standard deviations and correlations, to rounding."""
    n, width = rows.shape
    assert n == wanted.count
    size = np.maximum(np.abs(np.array(wanted.mean, dtype=float)), 1)
    assert np.all(np.abs(rows.mean(axis=0) - wanted.mean) <= 1e-12 * size)
    if n < 2:
        return
    std = np.array(wanted.std, dtype=float)
    assert rows.std(axis=0, ddof=1) == pytest.approx(std, rel=1e-6, abs=1e-9 * float(size.max()))
    for i in range(width):
        for j in range(i):
            if std[i] > 1e-6 * size[i] and std[j] > 1e-6 * size[j]:
                assert np.corrcoef(rows[:, i], rows[:, j])[0, 1] == pytest.approx(wanted.correlation[i][j], abs=1e-6)


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 2**32), st.sampled_from(["any", "constant", "copy"]))
@settings(max_examples=50)
def test_groups_that_exist_come_back_with_their_moments(n: int, width: int, seed: int, kind: str) -> None:
    """One row, fewer rows than columns, columns that don't vary or depend on each other among them."""
    real = np.random.default_rng(seed).normal(size=(n, width)) * 7 + 100
    if kind == "constant":
        real[:, 0] = 42
    if kind == "copy":
        real[:, -1] = 3 * real[:, 0] - 1
    names = tuple(f"c{i}" for i in range(width))
    figures_ = group("a", real, names)
    made = unpacked(aggregates(figures_, names=names), seed=7)
    assert not made.notes
    holds(figures_, made.frame.select(names).to_numpy())


def test_the_same_seed_draws_the_same_rows_and_others_don_t() -> None:
    figures_ = aggregates(group("a", np.random.default_rng(0).normal(size=(30, 2)), ("x", "y")), names=("x", "y"))
    first, again, other = (unpacked(figures_, seed).frame for seed in (7, 7, 8))
    assert first.equals(again) and not first.equals(other)


def test_correlations_that_no_table_has_become_the_nearest_and_that_is_said() -> None:
    wrong = Group(("a",), 50, (0.0, 0.0, 0.0), (1.0, 2.0, 3.0), ((1.0, 0.9, -0.9), (0.9, 1.0, 0.9), (-0.9, 0.9, 1.0)))
    made = unpacked(aggregates(wrong, names=("x", "y", "z")), seed=1)
    rows = made.frame.select("x", "y", "z").to_numpy()
    assert len(made.notes) == 1 and "nearest" in made.notes[0]
    assert rows.std(axis=0, ddof=1) == pytest.approx([1, 2, 3]) and rows.mean(axis=0) == pytest.approx(
        [0, 0, 0], abs=1e-12
    )
    off = np.corrcoef(rows.T)[np.triu_indices(3, 1)]
    assert off == pytest.approx([0.5, -0.5, 0.5], abs=1e-6)  # by symmetry the nearest one has ±1/2


def test_what_is_left_out_or_cut_is_said() -> None:
    names = ("x", "y")
    lost = Group(("b",), -3, (None, None), (None, None), ((1.0, None), (None, 1.0)))
    two = Group(("c",), 2, (0.0, 0.0), (1.0, 1.0), ((1.0, 0.5), (0.5, 1.0)))  # of two rows correlations are ±1
    partly = Group(("d",), 5, (1.0, 1.0), (1.0, None), ((1.0, None), (None, 1.0)))
    total = Group(("(all)",), 9, (0.0, 0.0), (1.0, 1.0), ((1.0, 0.0), (0.0, 1.0)))
    made = unpacked(aggregates(lost, two, partly, total, names=names), seed=1)
    assert made.frame["g"].to_list() == ["c"] * 2 + ["d"] * 5
    assert len(made.notes) == 3
    with pytest.raises(UsageError, match="no group to unpack"):
        unpacked(aggregates(total, names=names), seed=1)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(0, 2**32))
@settings(max_examples=25)
def test_pooled_moments_are_those_of_all_rows(sizes: list[int], seed: int) -> None:
    random, names = np.random.default_rng(seed), ("x", "y", "z")
    parts = [random.normal(random.normal(0, 5, 3), random.uniform(0.1, 3, 3), (n, 3)) for n in sizes]
    figures_ = pooled(aggregates(*(group(str(i), part, names) for i, part in enumerate(parts)), names=names).moments())
    rows = np.concatenate(parts)
    assert figures_.count == len(rows)
    assert figures_.mean == pytest.approx(rows.mean(axis=0), abs=1e-10)
    if len(rows) > 1:
        assert figures_.covariance == pytest.approx(np.cov(rows.T), abs=1e-9)


def test_coefficients_of_columns_that_depend_on_each_other_are_refused() -> None:
    moments = Moments(("y", "a", "b"), 9, np.zeros(3), np.array([[1.0, 1, 1], [1, 1, 1], [1, 1, 1]]))
    for wrong in (["a", "b"], ["nobody"]):
        with pytest.raises(UsageError):
            coefficients(moments, "y", wrong)


def notebook() -> tuple[Any, Any]:
    """The founding notebook's table, by the same calls in the same order."""
    np.random.seed(22)
    n, groups = 200, 5
    x1 = np.random.normal(10, 1.1, size=n)
    x2 = np.random.normal(12, 1.5, size=n)
    share = np.random.uniform(size=groups)
    of = np.random.choice(groups, size=n, p=share / sum(share))
    y = 10 + (of == 2) + 0.5 * x1 - 0.5 * x2 + np.random.normal(0, 0.5, size=n)
    return np.stack([y, x1, x2], axis=1), of


def test_pooled_group_moments_give_the_notebook_s_regression() -> None:
    rows, of = notebook()
    names = ("y", "x1", "x2")
    figures_ = aggregates(*(group(str(g), rows[of == g], names) for g in range(5)), names=names)
    assert [g.count for g in figures_.groups] == [65, 4, 45, 33, 53]
    assert coefficients(pooled(figures_.moments()), "y", ["x1", "x2"])[1:] == pytest.approx(TRUE, abs=5e-9)
    made = unpacked(figures_, seed=7).frame.select(names).to_numpy()
    slopes = np.linalg.lstsq(np.column_stack([np.ones(200), made[:, 1:]]), made[:, 0], rcond=None)[0][1:]
    assert slopes == pytest.approx(TRUE, abs=5e-9)
    assert not np.isclose(made, rows).all(axis=1).any()


def test_the_notebook_s_own_recipe_gives_other_coefficients() -> None:
    """An upper triangle filled over ones, and the larger of each pair: every correlation is 1. And its second model is
    of the real y on rows that have nothing to do with it."""
    rows, of = notebook()
    drawn = []
    for g in range(5):
        part = rows[of == g]
        correlation = np.ones((3, 3))
        correlation[np.triu_indices(3, 1)] = np.corrcoef(part.T)[np.triu_indices(3, 1)]
        correlation = np.maximum(correlation, correlation.T)
        assert (correlation == 1).all()
        std = part.std(axis=0, ddof=1)
        drawn.append(
            np.random.multivariate_normal(part.mean(axis=0), np.diag(std) @ correlation @ np.diag(std), size=len(part))
        )
    made = np.concatenate(drawn)
    slopes = np.linalg.lstsq(np.column_stack([np.ones(200), made[:, 1:]]), rows[:, 0], rcond=None)[0][1:]
    assert slopes == pytest.approx(AS_PRINTED, abs=1e-3)


def test_a_group_of_two_gives_both_rows_away() -> None:
    """Mean ± standard deviation / √2 in each column, and the signs of the correlations tell which goes with which."""
    real = np.array([[31.0, 2500.0, 7.0], [58.0, 1900.0, 9.0]])
    figures_ = group("a", real, ("age", "pay", "shoes"))
    mean, std = np.array(figures_.mean, dtype=float), np.array(figures_.std, dtype=float)
    sign = np.array(figures_.correlation[0], dtype=float)
    found = np.array([mean - sign * std / np.sqrt(2), mean + sign * std / np.sqrt(2)])
    assert np.allclose(found, real)
    with pytest.raises(UsageError, match="a group of 2"):
        piiscan.aggregate(
            pl.DataFrame(real, schema=["age", "pay", "shoes"]).with_columns(g=pl.lit("a")),
            "g",
            ["age", "pay"],
            min_group=2,
        )


def test_whoever_knows_all_rows_but_two_works_out_these_two() -> None:
    real = np.random.default_rng(3).normal(size=(12, 2)) * [10, 500] + [40, 3000]
    figures_, known = group("a", real, ("age", "pay")), real[2:]
    whole = Moments.of(("age", "pay"), figures_.count, figures_.mean, figures_.std, figures_.correlation)
    mean = (12 * whole.mean - known.sum(axis=0)) / 2
    products = (
        11 * whole.covariance + 12 * np.outer(whole.mean, whole.mean) - known.T @ known - 2 * np.outer(mean, mean)
    )
    half = np.sqrt(np.diagonal(products) / 2) * [1, np.sign(products[0, 1])]
    found = np.array([mean + half, mean - half])
    assert np.allclose(found, real[:2]) or np.allclose(found[::-1], real[:2])


@pytest.fixture
def people(tmp_path: Path) -> Path:
    random = np.random.default_rng(5)
    path = tmp_path / "people.csv"
    dept = ["a"] * 60 + ["b"] * 40 + ["c"] * 3
    pl.DataFrame(
        {"dept": dept, "age": random.integers(20, 60, 103), "pay": random.normal(3000, 400, 103).round(2)}
    ).write_csv(path)
    return path


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_there_and_back_by_commands(piiscan: Run, people: Path, ending: str) -> None:
    figures_, rows = people.parent / f"told.{ending}", people.parent / "rows.csv"
    assert piiscan("aggregate", people, "--by", "dept", "--columns", "age,pay", "-o", figures_).returncode == 0
    done = piiscan("unpack", figures_, "--seed", "7", "-o", rows)
    assert done.returncode == 0, done.stderr
    assert ("1 group withheld" in done.stderr) == (ending == "json")  # CSV has no place to say it
    real, made = (pl.read_csv(path, schema_overrides={"age": pl.Float64}) for path in (people, rows))
    assert made.columns == real.columns and made["dept"].to_list() == ["a"] * 60 + ["b"] * 40
    for dept in "ab":
        a, b = (frame.filter(dept=dept).drop("dept") for frame in (real, made))
        assert b.mean().row(0) == pytest.approx(a.mean().row(0)) and b.std().row(0) == pytest.approx(a.std().row(0))
        assert np.corrcoef(b.to_numpy().T)[0, 1] == pytest.approx(np.corrcoef(a.to_numpy().T)[0, 1])
    again = piiscan("unpack", figures_, "--seed", "7")
    assert again.stdout == rows.read_text()


@pytest.mark.parametrize(
    "content",
    ["", "a,b\n1,2\n", "g,count,mean(x),std(x)\na,ten,1,1\n", "{}", "[]", '{"kind": "aggregates"}', "g,count\n"],
)
def test_what_is_no_file_of_aggregates_is_refused(piiscan: Run, tmp_path: Path, content: str) -> None:
    path = tmp_path / ("x.json" if content[:1] in ("{", "[") else "x.csv")
    path.write_text(content)
    done = piiscan("unpack", path, "--seed", "1", "-o", tmp_path / "rows.csv")
    assert done.returncode == 2 and not (tmp_path / "rows.csv").exists()
    assert "Traceback" not in done.stderr


def test_json_and_csv_hold_the_same_figures(people: Path) -> None:
    from piiscan.aggregates.result import from_csv, from_dict

    figures_ = piiscan.aggregate(people, "dept", ["age", "pay"], totals="all")
    assert from_csv(figures_.to_csv()).groups == figures_.groups == from_dict(json.loads(figures_.to_json())).groups
    assert piiscan.unpack(figures_, seed=1).equals(piiscan.unpack(from_csv(figures_.to_csv()), seed=1))
