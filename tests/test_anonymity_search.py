"""The searches against a few lines that look at everything."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.histogram import Coded, Histogram
from piiscan.anonymity.models.closeness import TCloseness, value_ranks
from piiscan.anonymity.models.diversity import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
)
from piiscan.anonymity.models.model import KAnonymity, PrivacyModel
from piiscan.anonymity.search.label_utility import levels_of, utility
from piiscan.anonymity.search.local import local
from piiscan.anonymity.search.metrics import METRICS
from piiscan.anonymity.search.optimal import optimal
from piiscan.anonymity.search.problem import Problem
from piiscan.core.errors import UsageError

AGES = Hierarchy.of("age", [(str(a), f"{a // 5 * 5}", f"{a // 20 * 20}") for a in range(20, 60)])
CITIES = Hierarchy.of("city", [("Ulm", "south"), ("Köln", "west"), ("Bonn", "west"), ("Kiel", "north"), (None, "")])
SEXES = Hierarchy.of("sex", [("f",), ("m",)])
HIERARCHIES = {0: AGES, 1: CITIES, 2: SEXES}
MODELS: dict[str, tuple[PrivacyModel, ...]] = {
    "k": (KAnonymity(3),),
    "k and distinct l": (KAnonymity(2), DistinctLDiversity(3, 2)),
    "entropy l": (EntropyLDiversity(3, 1.8),),
    "recursive": (RecursiveCLDiversity(3, 2.0, 2),),
    "alpha and k": (AlphaKAnonymity(3, 0.6, 2),),
    "k and t": (KAnonymity(2), TCloseness(3, 0.4)),
}

rows = st.lists(
    st.tuples(
        st.sampled_from([str(a) for a in range(20, 60)]),
        st.sampled_from(["Ulm", "Köln", "Bonn", "Kiel", None]),
        st.sampled_from(["f", "m"]),
        st.sampled_from(["flu", "cold", "none"]),
        st.integers(0, 9).map(str),
    ),
    min_size=6,
    max_size=60,
)


def problem(table: list[tuple[str | None, ...]], models: tuple[PrivacyModel, ...], unit: bool = False) -> Problem:
    frame = pl.DataFrame(table, schema={str(i): pl.String for i in range(5)}, orient="row")
    columns = [0, 1, 2, 3, *([4] if unit else [])]
    return Problem.of(Histogram.of(frame, columns), HIERARCHIES, models, 4 if unit else None)


def everywhere(made: Problem, metric: str, limit: int) -> dict[tuple[int, ...], float]:
    """The value of each node that will do."""
    out = {}
    for node in product(*(range(n) for n in made.shape)):
        classes = made.classes(node)
        met = made.met(made.view(node, classes))
        if made.rows[~met[classes.of]].sum() <= limit:
            out[node] = METRICS[metric].value(made, node, classes, met)
    return out


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=15, deadline=None)
@given(table=rows, share=st.sampled_from([0, 0.1, 0.3]), unit=st.booleans())
def test_nothing_loses_less_than_the_optimum(
    models: str, metric: str, table: list[tuple[str | None, ...]], share: float, unit: bool
) -> None:
    made = problem(table, MODELS[models], unit)
    limit = int(len(table) * share)
    all_values = everywhere(made, metric, limit)
    if not all_values:
        with pytest.raises(UsageError, match="no generalisation meets"):
            optimal(made, METRICS[metric], limit)
        return
    found = optimal(made, METRICS[metric], limit)
    assert found.value == pytest.approx(min(all_values.values()), rel=1e-12, abs=1e-12)
    assert all_values[found.node] == found.value


@pytest.mark.parametrize("models", MODELS)
@settings(max_examples=25, deadline=None)
@given(table=rows, unit=st.booleans())
def test_every_class_of_a_local_recoding_meets_the_models(
    models: str, table: list[tuple[str | None, ...]], unit: bool
) -> None:
    made = problem(table, MODELS[models], unit)
    try:
        cover = local(made, len(table))
    except UsageError:
        pytest.fail("suppressing everything is allowed here")
    kept = cover.at >= 0
    view = made.published(levels_of(list(cover.nodes), cover.at, 3), kept)
    assert made.met(view).all()
    assert (view.classes.sizes > 0).all()


@pytest.mark.parametrize("models", MODELS)
@settings(max_examples=25, deadline=None)
@given(table=rows)
def test_where_the_whole_table_is_a_class_nothing_need_be_suppressed(
    models: str, table: list[tuple[str | None, ...]]
) -> None:
    made = problem(table, MODELS[models])
    everything = made.classes(made.top)
    if made.met(made.view(made.top, everything)).all():
        assert (local(made, 0).at >= 0).all()
    else:
        with pytest.raises(UsageError, match="are in no class"):
            local(made, 0)


@settings(max_examples=25, deadline=None)
@given(table=rows, method=st.sampled_from(["optimal", "local"]))
def test_use_is_never_better_than_that_of_the_input(table: list[tuple[str | None, ...]], method: str) -> None:
    made = problem(table, MODELS["k"])
    entries = len(made.rows)
    before = utility(made, np.zeros((entries, 3), np.int64), np.ones(entries, bool))
    assert (before.mean_loss, before.entropy) == (0, 0)
    assert before.kl_divergence == pytest.approx(0, abs=1e-12)
    if method == "local":
        cover = local(made, len(table))
        levels, kept = levels_of(list(cover.nodes), cover.at, 3), cover.at >= 0
    else:
        node = optimal(made, METRICS["loss"], len(table)).node
        classes = made.classes(node)
        levels, kept = np.tile(node, (entries, 1)), made.met(made.view(node, classes))[classes.of]
    after = utility(made, levels, kept)
    assert all(0 <= loss <= 1 for loss in after.loss)
    assert after.discernibility >= before.discernibility
    assert after.entropy >= 0
    assert after.kl_divergence >= -1e-12
    assert (after.mean_loss == 0) == bool((kept & (levels == 0).all(axis=1)).all())


@settings(max_examples=25, deadline=None)
@given(table=rows, seed=st.integers(0, 100))
def test_the_order_of_rows_does_not_matter(table: list[tuple[str | None, ...]], seed: int) -> None:
    shuffled = [table[i] for i in np.random.default_rng(seed).permutation(len(table))]
    one, other = problem(table, MODELS["k"]), problem(shuffled, MODELS["k"])
    assert optimal(one, METRICS["loss"], 5) == optimal(other, METRICS["loss"], 5)
    assert local(one, len(table)).nodes == local(other, len(table)).nodes
    assert (local(one, len(table)).at == local(other, len(table)).at).all()


def test_more_combinations_than_an_integer_holds() -> None:
    """13 columns of 50 values: 50¹³ possible combinations, of which 50 are there."""
    cells = [f"v{n:02d}" for n in range(50)]
    frame = pl.DataFrame({str(i): pl.Series(cells, dtype=pl.String) for i in range(13)})
    trees = {i: Hierarchy.of(str(i), [(v,) for v in cells]) for i in range(13)}
    found = local(Problem.of(Histogram.of(frame, range(13)), trees, (KAnonymity(25),)), 0)
    assert set(found.nodes) == {(1,) * 13} and (found.at == 0).all()


def test_intervals_are_in_the_order_of_where_they_begin() -> None:
    values = ("7", "[-5, 0)", "[100, 200)", "[20, 30)", "a text", None)
    assert [values[i] for i in np.argsort(value_ranks(Coded(values, np.arange(6))))] == [
        "[-5, 0)",
        "7",
        "[20, 30)",
        "[100, 200)",
        "a text",
        None,
    ]
