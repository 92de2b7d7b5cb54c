"""Declared constraints of synthetic rows: every row satisfies each, and what can't be satisfied is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import Run
from dp_tables import privately
from hypothesis import given, settings
from hypothesis import strategies as st

import piiscan
from piiscan.core.errors import UsageError
from piiscan.dp.domains import Categories, Domain, Number
from piiscan.dp.request import Request
from piiscan.synthesis import constraints, synthetic_rows
from piiscan.synthesis.constraints import Order, Sum
from piiscan.synthesis.request import SynthesisRequest

NUMBER = Number(0, 100)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("discharged >= admitted", Order("admitted", "discharged", False)),
        ("a<b", Order("a", "b", True)),
        ("a > first name", Order("first name", "a", True)),
        ('"a+b" <= " c"', Order("a+b", "c", False)),
        ("total = food + rooms", Sum("total", ("food", "rooms"))),
        ("food+rooms+drinks = total", Sum("total", ("food", "rooms", "drinks"))),
        ("copy = a", Sum("copy", ("a",))),
    ],
)
def test_a_constraint_is_read_and_written(text: str, expected: Order | Sum) -> None:
    assert constraints.parsed(text) == expected == constraints.parsed(str(expected))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a <",
        "< a",
        "a <= b <= c",
        "a == b",
        "a + b",
        "a + b <= c",
        "a = b = c",
        "a = + b",
        'a < "b',
        'a < b c" d',
    ],
)
def test_what_is_no_constraint_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="discharged >= admitted"):
        constraints.parsed(text)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a <= x"], "column x isn't declared; add --bounds x=LOW:HIGH"),
        (["word < a"], "column word isn't declared as numbers"),
        (["a <= a"], "only once"),
        (["t = a + a"], "only once"),
        (["a < b", "b < a"], "a, b in a circle"),
        (["a <= b", "b <= c", "c <= a"], "a, b, c in a circle"),
        (["t = a + b", "t = a + c"], "the total of two"),
        (["t = a + b", "c = t + a"], "a total itself"),
        (["t = a + b", "a <= t"], "a total itself"),
    ],
)
def test_contradictions_are_refused(texts: list[str], message: str) -> None:
    domains: dict[str, Domain] = dict.fromkeys("abct", NUMBER) | {"word": Categories(("x",))}
    with pytest.raises(UsageError, match=message):
        constraints.declared(texts, domains, domains)


def test_constraints_of_columns_that_arent_asked_for_are_left_out() -> None:
    domains: dict[str, Domain] = dict.fromkeys("abct", NUMBER)
    made = constraints.declared(["b > a", "t = a + c", "a < b"], domains, ["a", "b", "t"])
    assert made.texts == ("a < b",) and not made.totals


def asked(
    columns: dict[str, Number], texts: list[str], decimals: dict[str, int] | None = None
) -> tuple[SynthesisRequest, constraints.Constraints]:
    made = constraints.declared(texts, columns, columns)
    measured = tuple((name, domain) for name, domain in columns.items() if name not in made.totals)
    totals = {name: columns[name] for name in made.totals}
    request = Request("d", "", measured, 1.0, statistics=(), quantiles=())
    return SynthesisRequest(request, None, decimals or {}, made, totals), made


@pytest.mark.parametrize(
    ("columns", "texts", "decimals", "message"),
    [
        ({"a": Number(6, 9), "b": Number(0, 5)}, ["a <= b"], {}, "no numbers within the declared bounds"),
        ({"a": Number(5, 9, (6, 7)), "b": Number(0, 5, (1,))}, ["a < b"], {}, "no numbers within"),
        ({"a": Number(5, 9, (6, 7)), "b": Number(0, 5, (1,))}, ["a <= b"], {}, None),
        ({"a": Number(0, 1, (0.5,)), "b": Number(0, 1, (0.5,)), "c": Number(0, 1, (0.5,))}, ["a < b", "b < c"],
         {"a": 0, "b": 0, "c": 0}, "no numbers within"),
        ({"a": Number(0, 1e9), "b": Number(0, 1, (0.5,))}, ["b <= a"], {"b": 9}, "fewer decimals"),
        ({"a": Number(0, 5), "b": Number(0, 5), "t": Number(0, 9)}, ["t = a + b"], {}, "declare --bounds t=0:10"),
        ({"a": Number(0, 5), "t": Number(0, 9)}, ["t = a"], {"a": 1, "t": 0}, "as many for t, or none"),
        ({"a": Number(0, 5), "b": Number(0, 5), "t": Number(0, 10)}, ["t = a + b"], {}, None),
    ],
)  # fmt: skip
def test_bounds_that_leave_no_room_are_refused(
    columns: dict[str, Number], texts: list[str], decimals: dict[str, int], message: str | None
) -> None:
    if message is None:
        asked(columns, texts, decimals)
    else:
        with pytest.raises(UsageError, match=message):
            asked(columns, texts, decimals)


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, Number], list[str], dict[str, int]]:
    """Up to five columns of numbers, orders between them without circles, a sum, and decimals."""
    names = list("abcde")[: draw(st.integers(2, 5))]
    columns, decimals = {}, {}
    for name in names:
        low = draw(st.integers(-5, 5))
        high = low + draw(st.integers(1, 12))
        inner = range(low + 1, high)
        cuts = sorted(draw(st.sets(st.sampled_from(inner), min_size=1))) if len(inner) else [low + 0.5]
        columns[name] = Number(low, high, tuple(map(float, cuts)))
        decimals[name] = draw(st.integers(1 if not len(inner) else 0, 2))
    pairs = draw(st.sets(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=6))
    texts = [f"{a} {draw(st.sampled_from(['<', '<=']))} {b}" for a, b in sorted(pairs) if a < b]
    parts = draw(st.sets(st.sampled_from(names), max_size=3))
    if parts:
        columns["total"] = Number(-1000, 1000)
        texts.append(f"total = {' + '.join(sorted(parts))}")
    return columns, texts, decimals


@given(tables(), st.integers(0, 10**6), st.integers(1, 200))
@settings(max_examples=60, deadline=None)
def test_every_row_satisfies_every_constraint(
    table: tuple[dict[str, Number], list[str], dict[str, int]], seed: int, n: int
) -> None:
    """For any distribution, also one in which hardly any combination is in order, and any groups of bins."""
    columns, texts, decimals = table
    try:
        request, made = asked(columns, texts, decimals)
    except UsageError as error:
        assert "no numbers within the declared bounds" in str(error)
        return
    random = np.random.default_rng(seed)
    release: dict[str, Any] = {"rows": {"value": n}, "columns": [], "tables": []}
    for name, domain in request.measured.columns:
        assert isinstance(domain, Number)
        bins = len(domain.edges) - 1
        groups = np.append(0, np.cumsum(random.integers(0, 2, bins - 1)))
        release["columns"].append(
            {
                "name": name,
                "kind": "number",
                "edges": list(domain.edges),
                "groups": [*map(int, groups), int(groups[-1]) + 1],
            }
        )
        shares = random.gamma(0.3, size=bins + 1) + 1e-6
        release["tables"].append({"columns": [name], "factor": list(shares)})
    release["constraints"] = list(map(str, made.orders))
    text = json.dumps(release)
    rows = synthetic_rows.frame(text, n, decimals, made.sums)
    assert rows.equals(synthetic_rows.frame(text, n, decimals, made.sums))
    assert set(rows.columns) == set(columns) and rows.height == n
    for name, domain in columns.items():
        assert rows[name].drop_nulls().is_between(domain.low, domain.high).all()
    for own in made.orders:
        low, high = rows[own.low], rows[own.high]
        kept = (low < high) if own.strict else (low <= high)
        assert kept.drop_nulls().all()
    for added in made.sums:
        for whole, *parts in rows.select(added.columns).iter_rows():
            if None in parts:
                assert whole is None
            else:
                assert Fraction(repr(whole)) == sum(Fraction(repr(part)) for part in parts)


def frame(rows: int = 4000) -> pl.DataFrame:
    random = np.random.default_rng(2)
    admitted = random.integers(0, 350, rows)
    food, rooms = random.integers(0, 50, rows), random.integers(0, 90, rows)
    return pl.DataFrame(
        {
            "ward": random.choice(["a", "b"], rows),
            "total": food + rooms,
            "admitted": admitted,
            "discharged": np.minimum(admitted + random.geometric(0.1, rows) - 1, 364),
            "food": food,
            "rooms": rooms,
        }
    )


BOUNDS = {"admitted": (0, 364), "discharged": (0, 364), "food": (0, 50), "rooms": (0, 90), "total": (0, 140)}
STAY, SUM = "discharged >= admitted", "total = food + rooms"


def ask(data: Any, ledger: Path, *texts: str, **changed: Any) -> Any:
    given: dict[str, Any] = {
        "epsilon": 1,
        "delta": 1e-9,
        "one_row_per_person": True,
        "dataset": "stays",
        "bounds": BOUNDS,
        "edges": {"food": [10, 25], "rooms": [10, 30], "total": [40, 60]},
        "categories": {"ward": ["a", "b"]},
        "constraints": texts,
        "budget": 100,
        "ledger": ledger,
        "n": 4000,
    }
    return privately(piiscan.synthesize, data, **given | changed)


@pytest.mark.parametrize("found", [[], ["food"]])
def test_a_constraint_makes_its_columns_more_alike(tmp_path: Path, found: list[str]) -> None:
    """Of few people at a small epsilon: a pair of constrained columns is nearer to the real one, also where bins of
    another column are found privately."""
    real = frame()

    def apart(made: pl.DataFrame) -> float:
        edges = np.linspace(0, 364, 21)
        tables = [np.histogram2d(t["admitted"], t["discharged"], [edges, edges])[0] for t in (real, made)]
        return float(np.abs(tables[0] / tables[0].sum() - tables[1] / tables[1].sum()).sum() / 2)

    distances = {}
    edges = {"rooms": [10, 30], "total": [40, 60]} | ({} if found else {"food": [10, 25]})
    for texts in ((), (STAY,)):
        done = ask(real, tmp_path / str(len(texts)), *texts, epsilon=0.5, edges=edges, private_bins=found)
        made = done.frame.drop_nulls()
        distances[texts] = apart(made)
        assert (made["discharged"] >= made["admitted"]).all() == bool(texts)
    assert distances[(STAY,)] < 0.7 * distances[()]


def test_a_total_isn_t_measured_and_comes_where_it_was(tmp_path: Path) -> None:
    done = ask(frame(), tmp_path / "l", SUM)
    release = done.to_dict()
    assert done.frame.columns == frame().columns and done.constraints == (SUM,)
    assert "total" in done.domains and not done.left_out
    assert [c["name"] for c in release["columns"]] == ["admitted", "discharged", "food", "rooms", "ward"]
    plain = ask(frame(), tmp_path / "m").to_dict()
    assert max(t["share"] for t in release["tables"]) > max(t["share"] for t in plain["tables"])
    assert "constraints" not in release


def test_an_order_is_part_of_the_query_and_a_sum_isn_t(tmp_path: Path) -> None:
    """A sum only changes which columns are measured: the same ones cost nothing again."""
    data, ledger = frame(300), tmp_path / "l"
    plain = ask(data, ledger)
    ordered = ask(data, ledger, STAY)
    assert not ordered.repeated and ordered.to_dict()["constraints"] == ["admitted <= discharged"]
    assert ask(data, ledger, "admitted <= discharged").repeated  # said in another way
    assert not ask(data, ledger, "discharged > admitted").repeated
    assert ask(data, ledger).text == plain.text
    added = ask(data, ledger, SUM)
    others = {name: ends for name, ends in BOUNDS.items() if name != "total"}
    again = ask(data, ledger, bounds=others, edges={"food": [10, 25], "rooms": [10, 30]})
    assert not added.repeated and again.repeated and again.text == added.text
    assert added.frame.drop("total").equals(again.frame.select(added.frame.drop("total").columns))
    assert ask(data, ledger, "food + rooms = total", decimals={"total": 1}).repeated


def test_on_the_command_line_and_in_a_schema(piiscan: Run, tmp_path: Path) -> None:
    frame(500).write_csv(tmp_path / "stays.csv")
    lines = [f"[columns.{name}]\nbounds = [{low}, {high}]" for name, (low, high) in BOUNDS.items()]
    (tmp_path / "schema.toml").write_text("\n".join([f'constraints = ["{STAY}"]', *lines]))
    base = ("synthesize", tmp_path / "stays.csv", "--epsilon", "1", "--one-row-per-person")
    done = piiscan(*base, "--schema", tmp_path / "schema.toml", "--constraint", SUM, "-o", tmp_path / "made.csv")
    assert done.returncode == 0, done.stderr
    assert f"Every row satisfies: admitted <= discharged; {SUM}." in done.stderr
    assert "fitted under declared constraints" in done.stdout and "  admitted <= discharged" in done.stdout
    made = pl.read_csv(tmp_path / "made.csv")
    assert (made["discharged"] >= made["admitted"]).drop_nulls().all()
    assert ((made["total"] - made["food"] - made["rooms"]).abs() < 1e-9).drop_nulls().all()
    shown = piiscan("budget", "show", "--ledger", tmp_path / "piiscan-ledger.sqlite")
    assert "where admitted <= discharged" in shown.stdout
    wrong = piiscan(*base, "--schema", tmp_path / "schema.toml", "--constraint", "x < food", "-o", tmp_path / "x.csv")
    assert wrong.returncode == 2 and "--bounds x=LOW:HIGH" in wrong.stderr
    # the file serves summaries too
    told = piiscan(
        "summarize",
        *base[1:],
        "--schema",
        tmp_path / "schema.toml",
        "--columns",
        "food",
        "--ledger",
        tmp_path / "other",
    )
    assert told.returncode == 0, told.stderr
    (tmp_path / "schema.toml").write_text("constraints = [1]\n" + lines[0])
    wrong = piiscan(*base, "--schema", tmp_path / "schema.toml", "-o", tmp_path / "x.csv")
    assert wrong.returncode == 2 and "constraints must be texts" in wrong.stderr


def test_constraints_of_linked_tables_are_those_of_a_table(piiscan: Run, tmp_path: Path) -> None:
    frame(20).write_csv(tmp_path / "stays.csv")
    tables = '[tables.stays]\nkey = "ward"\n[tables.stays.columns]\nfood.bounds = [0, 50]\n'
    base = ("synthesize", tmp_path / "stays.csv", "--epsilon", "1", "--unit", "ward", "-o", tmp_path / "out")
    for text, options, words in (
        ('constraints = ["food <= rooms"]\n' + tables, (), "declare them in its [tables.NAME]"),
        (tables, ("--constraint", "a < b"), "leave it out"),
    ):
        (tmp_path / "schema.toml").write_text(text)
        done = piiscan(*base, "--schema", tmp_path / "schema.toml", *options)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def test_bins_are_found_privately_only_beside_constraints(tmp_path: Path) -> None:
    """Which numbers of two columns fit together is known from declared bins."""
    for texts, column in (((STAY,), "admitted"), ((SUM,), "food"), ((SUM,), "total")):
        with pytest.raises(UsageError, match=f"column {column}: its bins can't be found privately"):
            ask(frame(50), tmp_path / "l", *texts, private_bins=[column])
    edges = {"rooms": [10, 30], "total": [40, 60]}
    rows = ask(frame(500), tmp_path / "l", STAY, private_bins=["food"], edges=edges).frame
    assert (rows["discharged"] >= rows["admitted"]).fill_null(True).all() and rows["food"].is_between(0, 50).any()
