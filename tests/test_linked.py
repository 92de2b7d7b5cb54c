"""Synthetic tables that refer to each other: what a unit contributes, what a release tells of it, and whether rows are
those of the distribution.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_noise import Script, privacy_loss

import piiscan
from piiscan.core.errors import UsageError
from piiscan.dp import noise
from piiscan.dp.run import passes
from piiscan.synthesis import measurement_plan, shrinkage
from piiscan.synthesis.fit_distribution import Table, number_of_rows, shares_of
from piiscan.synthesis.linked import (
    columns,
    conditional,
    conditional_fit,
    contributions,
    drawing,
    measuring,
    plans,
    release,
)
from piiscan.synthesis.linked.contributions import WHOLE, Contribution
from piiscan.synthesis.linked.schema import LinkedSchema, load

SCHEMA: dict[str, Any] = {
    "tables": {
        "customers": {
            "key": "customer",
            "columns": {"age": {"bounds": [0, 100], "edges": [30, 60]}, "dept": {"categories": ["a", "b"]}},
        },
        "visits": {
            "key": "visit",
            "parent": "customers",
            "max_rows": 3,
            "order": "day",
            "columns": {
                "day": {"dates": ["2024-01-01", "2024-01-10"]},
                "channel": {"categories": ["web", "shop"]},
            },
        },
        "items": {
            "parent": "visits",
            "reference": "visit",
            "max_rows": 2,
            "max_rows_of_unit": 4,
            "columns": {"kind": {"categories": ["x", "y"]}},
        },
    }
}
NAMES = {
    "customers": ("customer", "age", "dept"),
    "visits": ("visit", "customer", "day", "channel"),
    "items": ("visit", "kind"),
}
Tables = dict[str, list[tuple[Any, ...]]]


def declared(**changed: Any) -> LinkedSchema:
    """The schema with entries of tables replaced: `visits={"max_rows": 5}`."""
    tables = {name: {**entry, **changed.get(name, {})} for name, entry in SCHEMA["tables"].items()}
    return load({"tables": tables})


def asked(schema: LinkedSchema, epsilon: float = 1.0, delta: float = 0.0) -> Any:
    return plans.root_request(schema, "people", "", epsilon, delta)


def frames(tables: Tables) -> dict[str, pl.DataFrame]:
    return {
        name: pl.DataFrame(tables[name], schema=dict.fromkeys(NAMES[name], pl.String), orient="row") for name in NAMES
    }


def reading(tables: Mapping[str, pl.DataFrame], size: int = 5) -> dict[str, contributions.Read]:
    """Readers of frames, a few rows at a time."""

    def read(frame: pl.DataFrame) -> contributions.Read:
        def batches(names: Any) -> Iterator[pl.DataFrame]:
            yield from (frame.select(names).slice(i, size) for i in range(0, max(1, frame.height), size))

        return batches

    return {name: read(frame) for name, frame in tables.items()}


@pytest.fixture(autouse=True)
def _same_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of hashes are as if they had been drawn alike: neighbours are compared under the same coins."""
    monkeypatch.setattr(passes, "_fresh_key", lambda: [1, 2, 3])
    monkeypatch.setattr(contributions.secrets, "randbits", lambda _: 4)


def exact(found: Mapping[str, Contribution], schema: LinkedSchema) -> dict[tuple[str, ...], Any]:
    """Every table that a release may measure."""
    counts: dict[tuple[str, ...], Any] = {}
    for table in schema.tables:
        steps = columns.steps(schema, table) if table.parent else (columns.root_columns(schema),)
        for of in steps:
            names, sizes = [column.name for column in of], [column.size for column in of]
            for scope in [*((c,) for c in range(len(of))), *combinations(range(len(of)), 2)]:
                key = (table.name, *(names[c] for c in scope))
                counts[key] = contributions.counted(found[table.name], names, sizes, scope)
    return counts


keys = st.sampled_from(["1", "1.0", " 1", "2", "3", "", "ghost"])
visit_keys = st.sampled_from(["10", "10.0", "11", "12", "13", ""])
days = st.sampled_from(["2024-01-01", "2024-01-05", "2024-01-10", "2023-05-05", "2025-01-01 10:00:00", "x", ""])
ages, depts = st.sampled_from(["5", "45", "99", "x", ""]), st.sampled_from(["a", "b", "z", ""])
customers = st.lists(st.tuples(keys, ages, depts), max_size=6)
visits = st.lists(st.tuples(visit_keys, keys, days, st.sampled_from(["web", "shop", ""])), max_size=8)
items = st.lists(st.tuples(visit_keys, st.sampled_from(["x", "y", "z"])), max_size=8)
tables = st.fixed_dictionaries({"customers": customers, "visits": visits, "items": items})


def unit(tables: Tables, key: str, ours: Mapping[str, str]) -> Tables:
    """The same rows as those of one unit: `key` for every customer, and keys of visits of its own by `ours`."""
    return {
        "customers": [(key, *row[1:]) for row in tables["customers"]],
        "visits": [(ours.get(row[0], row[0]), key, *row[2:]) for row in tables["visits"]],
        "items": [(ours.get(row[0], row[0]), *row[1:]) for row in tables["items"]],
    }


def together(a: Tables, b: Tables, seed: int = 0) -> Tables:
    """The rows of both, those of the second anywhere among the first, each in its order."""
    random, made = np.random.default_rng(seed), {}
    for name in NAMES:
        first = random.permutation(len(a[name]) + len(b[name])) < len(a[name])
        rows = {True: iter(a[name]), False: iter(b[name])}
        made[name] = [next(rows[bool(own)]) for own in first]
    return made


OURS = {"10": "me10", "10.0": "me10", "11": "me11", "12": "me12", "13": "me13"}


@given(tables, tables, st.integers(0, 5))
@settings(max_examples=8, deadline=None)
def test_what_a_unit_contributes_depends_on_its_rows_alone(others: Tables, mine: Tables, seed: int) -> None:
    """Tables of all units are the sums of those of each, whatever keys, orders and batches are."""
    schema, mine = declared(), unit(mine, "me", OURS)
    parts = [
        exact(contributions.contributions(reading(frames(t), size), schema), schema)
        for t, size in ((others, 5), (mine, 3), (together(others, mine, seed), 4))
    ]
    for scope, whole in parts[2].items():
        assert np.array_equal(whole, parts[0][scope] + parts[1][scope]), scope


def intruding(tables: Tables) -> Tables:
    """One unit that has visits of its own, and others with keys of other people's visits; items are of its own."""
    mine = unit(tables, "me", OURS)
    return mine | {"visits": mine["visits"] + unit(tables, "me", {})["visits"]}


def outlier(n: int = 3000) -> Tables:
    """One customer, given twice, with so many visits, some with the keys of other people's, and twice as many items."""
    return {
        "customers": [("me", "50", "a"), ("me", "5", "b")],
        "visits": [(str(i % 20 + i), "me", f"2024-01-0{1 + i % 9}", "web") for i in range(n)],
        "items": [(str(20 + i), "x") for i in range(2 * n)],
    }


@given(tables, st.one_of(tables.map(intruding), st.just(outlier())), st.sampled_from([0.0, 1e-6]))
@settings(max_examples=4, deadline=None)
def test_no_unit_moves_a_release_by_more_than_it_costs(others: Tables, mine: Tables, delta: float) -> None:
    """The whole of the privacy loss, over all tables: two neighbours are asked the same questions with the same answers
    before, and what is asked of each is held against the noise it gets. Keys of the unit's visits may be those of
    other people's visits, too."""
    schema = declared()
    request = asked(schema, delta=delta)
    scripts: list[Script] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measurement_plan, "ROUNDS", 1)
        patch.setattr(plans, "PAIRS", 2)
        planned = plans.linked_plan(schema, request)
        for table in (others, together(others, mine)):
            script = Script(scripts[0] if scripts else None)
            patch.setattr(noise, "added", script.added)
            patch.setattr(noise, "selected", script.selected)
            found = contributions.contributions(reading(frames(table), 1000), schema)
            release.measure(schema, request, planned, found, "0")
            scripts.append(script)
    total = privacy_loss(*scripts, planned.mechanism, [1, WHOLE])
    limit = planned.loss.epsilon if planned.mechanism == "laplace" else planned.loss.rho
    assert total <= limit * (1 + 1e-9)


def test_outliers_orphans_and_keys_of_other_types_count_as_they_should() -> None:
    schema = declared()
    tables = frames(
        {
            "customers": [("1", "5", "a"), ("1.0", "5", "a"), ("2", "5", "b"), ("", "5", "a"), ("3", "5", "a")],
            "visits": [
                *((f"a{i}", "1" if i % 2 else "1.0", "2024-01-02", "web") for i in range(5000)),
                ("b", "2", "2024-01-03", "shop"),
                ("b", "2", "2024-01-03", "shop"),
                ("c", "ghost", "2024-01-03", "shop"),
                ("d", "", "2024-01-03", "shop"),
            ],
            "items": [*(("b", "x") for _ in range(9)), ("c", "y"), ("", "y"), ("ghost", "y")],
        }
    )
    found = contributions.contributions(reading(tables, 700), schema)
    assert len(found["customers"].weights) == 3  # 1, 2 and 3
    counts = found["customers"].codes["number of visits"]
    assert sorted(counts) == [0, 2, 3]  # nobody refers to 3; of 5,000 visits three count
    weights = found["visits"].weights
    assert sorted(weights) == sorted([WHOLE // 3] * 3 + [WHOLE // 2] * 2)
    assert sorted(found["visits"].codes["number of items"]) == [0, 0, 0, 0, 2]  # the first of two visits with a key
    assert found["items"].weights.tolist() == [WHOLE // 2] * 2


@pytest.mark.parametrize("kind", [pl.Int64, pl.Float64, pl.String])
@pytest.mark.parametrize("other", [pl.Int64, pl.Float64, pl.String])
def test_keys_join_whatever_types_their_columns_have(kind: Any, other: Any) -> None:
    tables = {
        "customers": pl.DataFrame({"customer": pl.Series([1, 2]).cast(kind), "age": [5, 5], "dept": ["a", "a"]}),
        "visits": pl.DataFrame(
            {
                "visit": pl.Series([7, 8, 9]).cast(other),
                "customer": pl.Series([1, 1, 2]).cast(other),
                "day": [date(2024, 1, 2)] * 3,
                "channel": ["web"] * 3,
            }
        ),
        "items": pl.DataFrame({"visit": pl.Series([7, 7, 9]).cast(kind), "kind": ["x"] * 3}),
    }
    found = contributions.contributions(reading(tables), declared())
    assert sorted(found["customers"].codes["number of visits"]) == [1, 2]
    assert sorted(found["visits"].codes["number of items"]) == [0, 1, 2]


def test_empty_tables_count_nothing() -> None:
    schema = declared()
    found = contributions.contributions(reading(frames({name: [] for name in NAMES})), schema)
    assert not any(table.sum() for table in exact(found, schema).values())
    alone = frames({"customers": [("1", "5", "a")], "visits": [], "items": []})
    found = contributions.contributions(reading(alone), schema)
    assert found["customers"].codes["number of visits"].tolist() == [0]


def test_gaps_and_first_days_are_those_of_the_rows_that_count() -> None:
    schema = declared(visits={"max_rows": 4})
    rows = [("a", "1", "2024-01-09", "web"), ("b", "1", "2024-01-03", "web"), ("c", "1", "x", "web")]
    tables = frames({"customers": [("1", "5", "a")], "visits": [*rows, ("d", "1", "2024-01-03", "web")], "items": []})
    found = contributions.contributions(reading(tables), schema)
    visits = found["visits"].codes
    assert visits["place among visits"].tolist() == [0, 1, 2, 3]
    gap = schema.table("visits").gap
    missing = len(gap.labels)
    assert visits["gap of visits.day"].tolist() == [missing, 0, gap.edges.index(5), missing]  # 0 and 6 days
    assert visits["visits.day"].tolist() == [2, 2, 8, 10]
    assert found["customers"].codes["first visits.day"].tolist() == [2]


@pytest.mark.parametrize("delta", [0.0, 1e-9])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"visits": {"max_rows": 1}, "items": {"max_rows_of_unit": 1}},
        {"items": {"columns": {"day": {"bounds": [0, 1]}}}},
    ],
)
def test_shares_of_all_tables_add_up_to_the_budget(changed: Any, epsilon: float, delta: float) -> None:
    schema = declared(**changed)
    planned = plans.linked_plan(schema, asked(schema, epsilon, delta))
    root = planned.root
    columns_of_root = len(columns.root_columns(schema))
    spent = columns_of_root * root.single.amount + root.rounds * (root.selection.amount + root.pair.amount)
    spent += sum(n * share.amount for of in planned.children.values() for step in of for n, share in step.uses)
    assert spent == pytest.approx(planned.loss.epsilon if planned.mechanism == "laplace" else planned.loss.rho)
    assert (planned.loss.epsilon, planned.loss.delta) == (epsilon, delta)
    shares = [root.single, root.pair, *(s.pair for of in planned.children.values() for s in of)]
    assert {share.mechanism for share in shares} == {planned.mechanism}
    if planned.mechanism == "gaussian":
        assert measurement_plan.zcdp_rho(epsilon, delta) == planned.loss.rho


@pytest.mark.parametrize(
    "scopes",
    [[(0, 1), (1, 2), (2, 3)], [(0, 3), (1, 3), (2, 3)], [(0, 1), (0, 2), (1, 3), (2, 3)], [(0, 1, 3)]],
    ids=str,
)
def test_rows_are_drawn_as_the_distribution_says_given_what_is_known(scopes: Any) -> None:
    """Beside the whole table of all columns, which is small here."""
    sizes, random, n = (2, 3, 4, 3), np.random.default_rng(1), 40_000
    factors = {scope: random.gamma(1, 1, [sizes[c] for c in scope]) for scope in scopes}
    factors |= {(c,): random.gamma(1, 1, sizes[c]) for c in range(4)}
    whole = np.ones(sizes)
    for scope, factor in factors.items():
        whole = whole * factor.reshape([sizes[c] if c in scope else 1 for c in range(4)])
    known = {1: random.integers(0, 3, n), 3: random.integers(0, 3, n)}
    logs = {scope: np.log(factor) for scope, factor in factors.items()}
    drawn = conditional.codes(sizes, logs, known, {}, n, random)
    assert sorted(drawn) == [0, 2]
    for b, d in np.ndindex(3, 3):
        rows = (known[1] == b) & (known[3] == d)
        found = np.zeros((2, 4))
        np.add.at(found, (drawn[0][rows], drawn[2][rows]), 1)
        expected = whole[:, b, :, d] / whole[:, b, :, d].sum()
        assert np.abs(found / rows.sum() - expected).max() < 0.03  # nearly five deviations of independent draws
    allowed = np.array([[True, False], [False, True]])[known[1] % 2]
    assert (conditional.codes(sizes, logs, known, {0: allowed}, n, random)[0] == known[1] % 2).all()


def test_a_fit_given_rows_counts_what_two_alike_columns_say_once() -> None:
    """Columns 1 and 2 are given, and nearly the same one. Of column 0, which depends on 1 alone, both say the same."""
    random, n = np.random.default_rng(2), 20_000
    first = random.integers(0, 3, n)
    second = np.where(random.random(n) < 0.9, first, random.integers(0, 3, n))
    chances = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
    drawn = (chances[first].cumsum(axis=1) < random.random(n)[:, None]).sum(axis=1)
    other = np.where(random.random(n) < 0.8, drawn, 0)  # depends on what is drawn
    cells = (drawn, first, second, other)
    start = {(c,): np.bincount(cells[c], minlength=3) / n for c in (0, 3)}
    fit = conditional_fit.ConditionalFit((3, 3, 3, 3), n, start, {1: first, 2: second}, np.ones(n))
    for scope in ((0, 1), (0, 2), (0, 3)):
        counts = np.zeros((3, 3))
        np.add.at(counts, (cells[scope[0]], cells[scope[1]]), 1)
        assert fit.fits(scope)
        fit.add(Table(scope, counts, 10.0))
    fit.fit()
    logs = fit.logs() | {(c,): np.log(shares) for (c,), shares in start.items()}
    made = conditional.codes((3, 3, 3, 3), logs, {1: first, 2: second}, {}, n, random)
    for scope in ((0, 1), (0, 2), (0, 3), (3, 1)):
        apart = np.zeros((3, 3))
        np.add.at(apart, (cells[scope[0]], cells[scope[1]]), 1)
        again = {1: first, 2: second, **made}
        np.add.at(apart, (again[scope[0]], again[scope[1]]), -1)
        assert np.abs(apart).sum() / 2 / n < 0.03, scope
    expected = fit.expected([(0, 1), (0, 3), (1, 3)])
    for scope, table in expected.items():
        counts = np.zeros((3, 3))
        np.add.at(counts, (cells[scope[0]], cells[scope[1]]), 1)
        assert np.abs(table - counts).sum() / 2 / n < 0.03, scope


def test_a_fit_without_any_row_is_that_of_single_columns() -> None:
    shares = np.array([0.2, 0.8])
    fit = conditional_fit.ConditionalFit((2, 3), 100.0, {(0,): shares}, {1: np.empty(0, dtype=np.int64)}, np.empty(0))
    fit.add(Table((0,), shares * 100, 1.0))
    assert np.abs(fit.expected([(0, 1)])[0, 1][:, 0] - shares * 100).max() < 1


def test_what_is_allowed_is_drawn_however_unlikely_it_is() -> None:
    logs = {(0, 1): np.array([[0.0, -5000.0], [0.0, 0.0]]), (0,): np.zeros(2), (1,): np.array([0.0, conditional.NEVER])}
    allowed = np.array([[False, True]] * 3)
    drawn = conditional.codes((2, 2), logs, {0: np.array([0, 1, 0])}, {1: allowed}, 3, np.random.default_rng(0))
    assert drawn[1].tolist() == [1, 1, 1]


def people(n: int) -> dict[str, pl.DataFrame]:
    """Customers whose dept decides everything: how many visits they have, where, and how far apart."""
    random = np.random.default_rng(1)
    dept = random.integers(0, 2, n)
    counts = np.where(dept == 0, 1, 3)
    owner = np.repeat(np.arange(n), counts)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    ids = np.array([f"key-{i}" for i in range(n)])
    visit = np.arange(len(owner)) + 10_000
    return {
        "customers": pl.DataFrame(
            {"customer": ids, "age": random.integers(0, 100, n), "dept": np.array(["a", "b"])[dept], "name": ids}
        ),
        "visits": pl.DataFrame(
            {
                "visit": visit,
                "customer": ids[owner],
                "day": [date(2024, 1, 1 + int(3 * p)) for p in place],
                "channel": np.array(["web", "shop"])[dept[owner]],
            }
        ),
        "items": pl.DataFrame({"visit": visit, "kind": np.array(["x", "y"])[dept[owner]]}),
    }


def released(folder: Path, data: Any = None, **changed: Any) -> Any:
    said = {"epsilon": 20.0, "delta": 1e-9, "unit": "customer", "dataset": "shop", "ledger": folder / "ledger"}
    n = changed.pop("n", None)
    schema = changed.pop("schema", SCHEMA)
    return piiscan.synthesize_tables(
        people(800) if data is None else data, piiscan.Privacy(**said | changed), schema, n=n
    )


def test_links_counts_and_order_come_through(tmp_path: Path) -> None:
    """With little noise. Without links, half of all rows would not fit their parents."""
    done = released(tmp_path)
    customers, visits, items = (done.frames[name] for name in NAMES)
    assert customers.columns == ["customer", "age", "dept"]
    assert abs(customers.height - 800) < 100
    assert customers["customer"].to_list() == list(range(1, customers.height + 1))
    assert visits["visit"].to_list() == list(range(1, visits.height + 1))
    assert set(visits["customer"]) <= set(customers["customer"]) and set(items["visit"]) <= set(visits["visit"])
    joined = visits.join(customers, on="customer")
    assert joined.filter((pl.col("dept") == "a") != (pl.col("channel") == "web")).height < 0.1 * joined.height
    numbers = customers.join(visits.group_by("customer").len(), on="customer", how="left").fill_null(0)
    assert (numbers["len"] == pl.select(pl.when(numbers["dept"] == "a").then(1).otherwise(3)).to_series()).mean() > 0.85
    below = items.join(joined, on="visit")
    assert below.filter((pl.col("kind") == "x") != (pl.col("channel") == "web")).height < 0.1 * below.height
    gaps = visits.select((pl.col("day") - pl.col("day").shift(1)).over("customer").dt.total_days()).to_series()
    assert visits["day"].null_count() < 0.1 * visits.height
    assert gaps.drop_nulls().is_between(3, 4).mean() > 0.8  # the bin of three days
    assert visits["day"].min() == date(2024, 1, 1)
    assert done.left_out == {"customers": ((3, "name"),), "visits": (), "items": ()}


def test_the_same_query_is_free_and_gives_the_same_rows(tmp_path: Path) -> None:
    first, again = released(tmp_path), released(tmp_path, people(7))
    assert (first.repeated, again.repeated) == (False, True) and first.text == again.text
    assert all(first.frames[name].equals(again.frames[name]) for name in NAMES)
    few = released(tmp_path, n=10)
    assert few.repeated and few.frames["customers"].height == 10
    schema = load(SCHEMA)
    drawn = drawing.frames(first.text, schema, 10)
    assert all(few.frames[name].equals(drawn[name].select(few.frames[name].columns)) for name in NAMES)
    assert [entry["name"] for entry in json.loads(first.text)["tables"]] == list(NAMES)
    with pytest.raises(piiscan.BudgetError):
        released(tmp_path, schema={"tables": {"customers": SCHEMA["tables"]["customers"]}})


def test_frames_of_pandas_come_back_as_such(tmp_path: Path) -> None:
    data = {name: frame.to_pandas() for name, frame in people(50).items()}
    done = released(tmp_path, data, n=5)
    assert {type(frame).__module__.split(".")[0] for frame in done.frames.values()} == {"pandas"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"visits": {"parent": "nobody"}}, "nobody, isn't declared"),
        ({"visits": {"parent": "items"}, "items": {"parent": "visits", "key": "item"}}, "refers back"),
        ({"customers": {"key": None}}, "key must be a name"),
        ({"visits": {"key": "day"}}, "keys are made up"),
        ({"visits": {"key": "customer"}}, "refer to customers too"),
        ({"visits": {"order": "channel"}}, "needs declared bounds or dates"),
        ({"visits": {"max_rows": 0}}, "from 1 to 100"),
        ({"visits": {"max_rows": 101}}, "from 1 to 100"),
        ({"items": {"max_rows_of_unit": 7}}, "from 1 to 6"),
        ({"visits": {"maximum": 3}}, "not maximum"),
        ({"visits": {"columns": {}}}, "at least one column"),
        ({"visits": {"columns": {"day": {"dates": ["2024-01-01"]}}}}, "first and the last day"),
        ({"visits": {"columns": {"day": {"dates": ["2024-01-01", "2024-13-01"]}}}}, "written as"),
        ({"visits": {"columns": {"day": {"dates": ["2024-01-02", "2024-01-01"]}}}}, "after the first"),
        ({"visits": {"columns": {"day": {"dates": ["2024-01-01", "2024-01-02"], "edges": [1]}}}}, "may not have edges"),
        ({"items": {"columns": {"kind": {"private_keys": True}}}}, "declared bounds, dates or categories"),
        ({"items": {"columns": {"kind": {"categories": ["x"], "decimals": 1}}}}, "decimals need a numeric column"),
        ({"items": {"columns": {"kind": {"decimals": 1}}}}, "declare its bounds"),
        ({"items": {"columns": {"kind": {"bounds": [0, 50], "private_bins": True}}}}, "for one table by itself"),
    ],
)
def test_schemas_that_make_no_sense_are_refused(changed: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        declared(**changed)


def test_other_mistakes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="letters, digits"):
        load({"tables": {"../up": SCHEMA["tables"]["customers"]}})
    with pytest.raises(UsageError, match="have no parent"):
        load({"tables": dict.fromkeys(("one", "other"), SCHEMA["tables"]["customers"])})
    with pytest.raises(UsageError, match="only a table"):
        load({"columns": {}})
    with pytest.raises(UsageError, match="values of customer, the key of customers"):
        released(tmp_path, unit="visit")
    with pytest.raises(UsageError, match="isn't among the data"):
        released(tmp_path, {"customers": people(5)["customers"]})
    with pytest.raises(UsageError, match="combinations"):
        wide = {f"c{i}": {"bounds": [0, 1000], "edges": list(range(1, 1000))} for i in range(5)}
        released(tmp_path, schema=load_changed(items={"columns": wide}))
    assert not (tmp_path / "ledger").exists()


def load_changed(**changed: Any) -> dict[str, Any]:
    return {"tables": {name: {**entry, **changed.get(name, {})} for name, entry in SCHEMA["tables"].items()}}


def test_too_many_rows_aren_t_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = released(tmp_path)
    monkeypatch.setattr(drawing, "MOST_ROWS", 100)
    with pytest.raises(UsageError, match="at most 100 are drawn"):
        drawing.frames(done.text, load(SCHEMA))


def test_a_folder_becomes_a_folder(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from piiscan.cli import cli

    source = tmp_path / "in"
    source.mkdir()
    data = people(300)
    data["customers"].write_csv(source / "customers.csv")
    data["visits"].write_parquet(source / "visits.parquet")
    data["items"].write_csv(source / "items.csv")
    schema = tmp_path / "schema.toml"
    schema.write_text(_toml(), encoding="utf-8")
    out = tmp_path / "out"
    said = ["--epsilon", "5", "--unit", "customer", "--schema", str(schema), "-o", str(out)]
    done = CliRunner().invoke(cli, ["synthesize", str(source), *said])
    assert done.exit_code == 0, done.output
    assert sorted(p.name for p in out.iterdir()) == ["customers.csv", "items.csv", "visits.parquet"]
    assert "visits, of customers" in done.output and "Left out of customers" in done.output
    assert pl.read_parquet(out / "visits.parquet").schema["day"] == pl.Date
    files = [str(p) for p in sorted(source.iterdir()) if p.suffix != ".sqlite"]
    again = CliRunner().invoke(cli, ["synthesize", *files, *said, "--overwrite"])
    assert again.exit_code == 0 and "for free" in again.output
    for wrong in (["--bounds", "age=0:9"], ["--max-rows", "2"], ["--columns", "age"]):
        refused = CliRunner().invoke(cli, ["synthesize", str(source), *said, "--overwrite", *wrong])
        assert refused.exit_code == 2, refused.output
    alone = CliRunner().invoke(cli, ["synthesize", str(source), "--epsilon", "1", "--unit", "customer", "-o", str(out)])
    assert alone.exit_code == 2 and "declares [tables.NAME]" in alone.output
    into = CliRunner().invoke(cli, ["synthesize", str(source), *said[:-1], str(source), "--overwrite"])
    assert into.exit_code == 2 and pl.read_csv(source / "customers.csv").height == 300


def _toml() -> str:
    def value(entry: Any) -> str:
        if isinstance(entry, dict):
            return "{" + ", ".join(f"{k} = {value(v)}" for k, v in entry.items()) + "}"
        return json.dumps(entry)

    return "\n".join(
        f"[tables.{name}]\n" + "\n".join(f"{key} = {value(entry)}" for key, entry in table.items())
        for name, table in SCHEMA["tables"].items()
    )


def test_weights_of_a_unit_never_exceed_the_whole() -> None:
    for n in (1, 2, 3, 7, 99, 100, 10_000):
        assert n * (WHOLE // n) <= WHOLE and WHOLE // n > 0


def test_counts_of_children_that_noise_explains_are_evened_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of children whose numbers follow their parents' smoothly: beside the same noise without shrinkage."""
    of = {"bounds": [0, 20]}
    schema = load(
        {"tables": {"a": {"key": "k", "columns": {"x": of}}, "b": {"parent": "a", "max_rows": 2, "columns": {"y": of}}}}
    )
    random, n = np.random.default_rng(6), 2000
    x = random.uniform(0, 20, n)
    y = np.clip(x + random.normal(0, 4, n), 0, 20)
    tables = {"a": pl.DataFrame({"k": range(n), "x": x}), "b": pl.DataFrame({"k": range(n), "y": y})}
    request = asked(schema, 0.3, 1e-9)
    planned, found = plans.linked_plan(schema, request), contributions.contributions(reading(tables, n), schema)
    chance: np.random.Generator

    def added(values: Any, sensitivity: int, share: Any) -> noise.Noisy:
        scale = noise.scale_of(share, sensitivity)
        return noise.Noisy(
            tuple(int(v + e) for v, e in zip(values, chance.normal(0, scale, len(values)), strict=True)), scale
        )

    monkeypatch.setattr(noise, "added", added)

    def apart(seed: int) -> float:
        nonlocal chance
        chance = np.random.default_rng(seed)
        made = drawing.frames(json.dumps(release.measure(schema, request, planned, found, "0")), schema, 20_000)
        joined = made["b"].join(made["a"], on="k")
        shares = [
            np.histogram2d(x, y, bins=10, range=[[0, 20]] * 2)[0] / len(x)
            for x, y in ((x, y), (joined["x"].to_numpy(), joined["y"].to_numpy()))
        ]
        return float(np.abs(shares[0] - shares[1]).sum() / 2)

    shrunk = [apart(seed) for seed in range(6)]

    def as_they_are(singles: list[Table], _: object) -> shrinkage.Evened:
        rows = number_of_rows(singles)
        return shrinkage.Evened(singles, shares_of(singles, rows), rows)

    as_measured = SimpleNamespace(evened=as_they_are, shrunk=lambda table, *_: table)
    monkeypatch.setattr(measuring, "shrinkage", as_measured)  # of the table of children alone
    plain = [apart(seed) for seed in range(6)]
    assert np.mean(shrunk) < 0.95 * np.mean(plain)
