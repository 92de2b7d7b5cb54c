"""Techniques that protect nobody by themselves: what they do, and the attack that shows it."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import piiscan
from piiscan import techniques
from piiscan.core.errors import MissingExtra, UsageError
from piiscan.dp.domains import Categories, Number
from piiscan.dp.queries import Axis, Measure, Query, sensitivity
from piiscan.dp.tally import Tally
from piiscan.techniques import empirical_sensitivity, pca_mask, recover_rows


def hearts(rows: int = 1_213, seed: int = 3) -> tuple[pl.DataFrame, np.ndarray[Any, Any]]:
    """13 columns like those of a clinic, and who fell ill."""
    random = np.random.default_rng(seed)
    limits = {
        "age": (29, 78),
        "sex": (0, 2),
        "cp": (0, 4),
        "trestbps": (94, 200),
        "chol": (126, 564),
        "fbs": (0, 2),
        "restecg": (0, 3),
        "thalach": (71, 202),
        "exang": (0, 2),
        "oldpeak": (0, 62),
        "slope": (0, 3),
        "ca": (0, 5),
        "thal": (0, 4),
    }
    frame = pl.DataFrame({name: random.integers(*ends, rows) for name, ends in limits.items()})
    score = (
        frame["cp"] * 1.5 - frame["ca"] * 1.2 - frame["exang"] * 2 + frame["thalach"] / 40 + random.normal(0, 1, rows)
    )
    return frame, (score > score.median()).to_numpy().astype(int)


HEARTS, ILL = hearts()


def test_masking_turns_the_table_and_keeps_every_distance() -> None:
    masked = pca_mask(HEARTS)
    assert masked.frame.columns == [f"obfuscated_{i}" for i in range(1, 14)]
    assert masked.warning.startswith("obfuscated, not anonymous")
    before, after = HEARTS.to_numpy().astype(float), masked.frame.to_numpy()
    assert not np.isin(np.round(after, 6), np.round(before, 6)).any()
    for row in (0, 17, 1_212):
        np.testing.assert_allclose(
            np.linalg.norm(after - after[row], axis=1), np.linalg.norm(before - before[row], axis=1), atol=1e-8
        )
    deviations = masked.frame.select(pl.all().std()).row(0)
    assert list(deviations) == sorted(deviations, reverse=True)
    assert pca_mask(HEARTS.to_pandas()).frame.equals(masked.frame)


def test_fourteen_known_rows_recover_all_of_them() -> None:
    """Wherever they stand: 14 of 1,213 rows of 13 columns."""
    masked = pca_mask(HEARTS).frame
    known = HEARTS.sample(14, shuffle=True, seed=5)
    assert np.abs(recover_rows(masked, known) - HEARTS.to_numpy()).max() < 1e-6
    shuffled = masked.sample(fraction=1, shuffle=True, seed=6)
    found = Counter(map(tuple, np.rint(recover_rows(shuffled, known)).astype(int).tolist()))
    assert found == Counter(HEARTS.rows())


def test_what_is_rounded_is_recovered_too() -> None:
    masked = pca_mask(HEARTS).frame.select(pl.all().round(4))
    assert np.abs(recover_rows(masked, HEARTS.tail(40)) - HEARTS.to_numpy()).max() < 0.01


def test_columns_that_depend_on_others_hide_nothing() -> None:
    frame = HEARTS.select("age", "chol", (pl.col("age") + 2 * pl.col("chol")).alias("sum"), pl.lit(7).alias("same"))
    known = frame.sample(6, seed=2)
    assert np.abs(recover_rows(pca_mask(frame).frame, known) - frame.to_numpy()).max() < 1e-6


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        (HEARTS.head(13), "14 that aren't in one hyperplane are needed"),
        (pl.concat([HEARTS.head(1)] * 14), "14 that aren't in one hyperplane are needed"),
        (HEARTS.head(14).select("age", "sex"), "2 columns and the masked ones 13"),
        (hearts(14, seed=9)[0], "aren't rows of the masked table"),
    ],
)
def test_what_an_attacker_needs(known: pl.DataFrame, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        recover_rows(pca_mask(HEARTS).frame, known)


@pytest.mark.parametrize(
    "frame",
    [{"a": [1.0, None]}, {"a": ["1", "Zebulon"]}, {"a": [1.0, float("inf")]}, {"a": []}, {}],
    ids=lambda f: str(list(f.values())),
)
def test_only_numbers_can_be_turned(frame: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as error:
        pca_mask(pl.DataFrame(frame))
    assert "Zebulon" not in str(error.value)


def test_a_classifier_learns_as_much_from_masked_rows() -> None:
    """Same split, same seed, nothing fitted to the rows it is tested on: turning the table loses nothing and hides
    nothing."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def accuracy(x: Any) -> float:
        x, x_test, y, y_test = train_test_split(x, ILL, test_size=0.2, random_state=8, stratify=ILL)
        return float(make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y).score(x_test, y_test))

    before, after = accuracy(HEARTS.to_numpy()), accuracy(pca_mask(HEARTS).frame.to_numpy())
    assert before > 0.85
    assert abs(before - after) < 0.01


def mean(rows: list[int]) -> float:
    return sum(rows) / len(rows)


def test_a_hundredth_is_five_times_too_small_for_the_mean_of_twenty_rows() -> None:
    every = [empirical_sensitivity(mean, [1] * ones + [0] * (20 - ones)) for ones in range(21)]
    assert max(every) == pytest.approx(1 / 20)
    assert max(every) / (1 / 100) == pytest.approx(5)
    assert min(every) == 0  # at a table of equal rows; noise scaled by it would be none
    assert len(set(every)) > 5


@given(st.lists(st.integers(-100, 200), min_size=1, max_size=12))
def test_a_sum_moves_by_the_largest_of_its_rows(rows: list[int]) -> None:
    assert empirical_sensitivity(sum, rows) == max(map(abs, rows))
    assert empirical_sensitivity(len, rows) == 1
    assert empirical_sensitivity(lambda r: [sum(r), -sum(r), len(r)], rows) == 2 * max(map(abs, rows)) + 1


def test_a_table_without_rows_has_no_neighbour() -> None:
    with pytest.raises(UsageError, match="there must be one"):
        empirical_sensitivity(sum, [])


DOMAINS = {"age": Number(0, 100), "sex": Categories(("f", "m"))}
QUERIES = [
    Query("add", Measure(axes, of, value))
    for axes in ((), (Axis("sex"),), (Axis("age"),), (Axis("age"), Axis("sex")))
    for of, value in ((None, "rows"), ("age", "rows"), ("age", "sums"), ("age", "squares"))
]  # fmt: skip
CELLS = st.tuples(st.one_of(st.none(), st.integers(-50, 200)), st.sampled_from(["f", "m", "x", None]))


@given(st.lists(CELLS, min_size=1, max_size=6), st.sampled_from(QUERIES))
def test_no_table_moves_a_query_further_than_its_noise_covers(rows: list[Any], query: Query) -> None:
    def exact(some: list[Any]) -> Any:
        frame = pl.DataFrame(some, schema={"age": pl.Int64, "sex": pl.String}, orient="row")
        return Tally.of(frame, [query.measure], DOMAINS).counts[query.measure]

    assert empirical_sensitivity(exact, rows) <= sensitivity(query, dict(DOMAINS), 1)


def test_data_of_nobody_are_the_same_for_a_seed() -> None:
    for make in (
        lambda seed: techniques.normal({"height": (65, 2), "weight": (70, 0)}, 1_000, seed=seed),
        lambda seed: techniques.classification(
            1_000, seed=seed, n_features=4, n_classes=3, n_clusters_per_class=1, class_sep=2
        ),
        lambda seed: techniques.blobs(1_000, seed=seed, n_features=2, centers=2, cluster_std=3),
    ):
        assert make(1).equals(make(1))
        assert not make(1).equals(make(2))
    heights = techniques.normal({"height": (65, 2), "weight": (70, 0)}, 10_000, seed=1)
    assert abs(heights["height"].mean() - 65) < 0.12  # type: ignore[operator]  # six standard deviations: false once in 10⁸
    assert heights["weight"].unique().to_list() == [70]
    classes = techniques.classification(500, seed=1, n_features=4, n_classes=3, n_clusters_per_class=1)
    assert (classes.columns, sorted(classes["y"].unique())) == (["x1", "x2", "x3", "x4", "y"], [0, 1, 2])
    assert techniques.blobs(100, seed=1, centers=4, n_features=3).columns == ["x1", "x2", "x3", "y"]


def test_data_of_nobody_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="0 or more"):
        techniques.normal({"x": (0, -1)}, 10, seed=0)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtra, match=r"piiscan-toolkit\[train\]"):
        techniques.blobs(10, seed=0)


FRAME = {"age": [42, 42, 42, 42], "city": ["a b", "a b", None, None], "n": [1.5, 1.5, float("nan"), None]}


@pytest.mark.parametrize(
    ("columns", "k", "holds"),
    [
        (None, 2, True),
        (None, 3, False),
        (["age"], 4, True),
        (["age"], 5, False),
        ("city", 2, True),
        (["city", "n"], 2, True),
        (["n"], 3, False),
    ],
)
@pytest.mark.parametrize("kind", [pd.DataFrame, lambda f: pl.from_pandas(pd.DataFrame(f))])
def test_is_k_anonymous(kind: Any, columns: Any, k: int, holds: bool) -> None:
    assert piiscan.is_k_anonymous(kind(FRAME), k, columns) is holds


def test_k_anonymity_is_that_of_the_smallest_class() -> None:
    """The founding example, and a table that a loop over rows would take an hour for."""
    scores = pd.DataFrame({"age": [42, 52, 36, 24, 73], "pre": [4, 24, 31, 2, 3], "post": [25, 94, 57, 62, 70]})
    assert piiscan.is_k_anonymous(scores, 1)
    assert not piiscan.is_k_anonymous(scores, 2)
    random = np.random.default_rng(1)
    large = pl.DataFrame({"a": random.integers(0, 40, 300_000), "b": random.integers(0, 50, 300_000)})
    smallest = piiscan.risk(large, quasi=["a", "b"]).classes.smallest
    assert piiscan.is_k_anonymous(large, smallest, ["a", "b"])
    assert not piiscan.is_k_anonymous(large, smallest + 1, ["a", "b"])
    assert piiscan.is_k_anonymous(large.clear(), 9)


def test_k_anonymity_of_a_file_and_of_columns_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,name\n42,Zebulon\n42,Zebulon\n")
    assert piiscan.is_k_anonymous(tmp_path / "a.csv", 2)
    for k, columns, problem in (
        (0, None, "k must be 1"),
        (2, ["zip"], "there is no column zip"),
        (2, [], "name at least one column"),
    ):
        with pytest.raises(UsageError, match=problem):
            piiscan.is_k_anonymous(tmp_path / "a.csv", k, columns)
