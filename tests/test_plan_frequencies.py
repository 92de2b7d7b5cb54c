"""What equal masks tell by how often they occur: told in the plan by a formula, and refused, or drawn for each row, for
few people."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from conftest import Run
from hypothesis import given
from hypothesis import strategies as st
from mask_people import write_key
from plan_cases import FIRST, LAST, columns, made, write

import piiscan
from piiscan.core.errors import UsageError
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan
from piiscan.masking.plan.rank_attack import share_guessed

KEY = piiscan.Key(bytes(range(32)))


def _attacked(values: int, power: float, rows: int, rng: np.random.Generator) -> tuple[float, list[int]]:
    """The share of rows that ranks give away in one draw, and how often each value occurs in it."""
    weights = np.arange(1, values + 1.0) ** -power
    counts = rng.multinomial(rows, weights / weights.sum())
    order = np.lexsort((rng.random(values), -counts))
    return float(counts[order == np.arange(values)].sum() / rows), [int(n) for n in counts if n]


@pytest.mark.parametrize(
    ("values", "power", "rows"),
    [(2, 0.1, 100_000), (300, 1.2, 100_000), (2_000, 1.0, 10_000), (2_000, 1.0, 100_000), (2_000, 0.0, 100_000),
     (2_000, 1.5, 100_000), (20_000, 0.8, 100_000)],
)  # fmt: skip
def test_the_formula_tells_what_the_attack_finds(values: int, power: float, rows: int) -> None:
    rng = np.random.default_rng(5)
    draws = [_attacked(values, power, rows, rng) for _ in range(8)]
    found = np.mean([share for share, _ in draws])
    told = np.mean([share_guessed(counts, len(counts), rows) for _, counts in draws])
    assert abs(found - told) < 0.04


@pytest.mark.parametrize(("values", "power", "rows"), [(2_000, 1.0, 100_000), (20_000, 0.8, 100_000)])
def test_a_sample_of_the_values_tells_it_roughly(values: int, power: float, rows: int) -> None:
    rng = np.random.default_rng(6)
    found, counts = _attacked(values, power, rows, rng)
    told = [
        share_guessed([int(n) for n in rng.choice(counts, 1024, replace=False)], len(counts), rows) for _ in range(8)
    ]
    assert abs(found - float(np.median(told))) < 0.06


@given(st.lists(st.integers(0, 10_000), max_size=40), st.randoms())
def test_laws_of_the_share(counts: list[int], shuffle: random.Random) -> None:
    cells, distinct = sum(counts), sum(n > 0 for n in counts)
    share = share_guessed(counts, distinct, cells)
    assert 0 <= share <= 1
    other = list(counts)
    shuffle.shuffle(other)
    assert share_guessed(other, distinct, cells) == share
    if distinct:
        even = share_guessed([7] * distinct, distinct, 7 * distinct)
        assert even == pytest.approx(1 / distinct)


def test_nothing_and_one_value() -> None:
    assert share_guessed([], 0, 0) == 0
    assert share_guessed([9], 1, 9) == pytest.approx(1)
    assert share_guessed([1] * 1024, 10**9, 10**9) < 0.001


def _visits(rows: int, physicians: int, patients: int) -> list[dict[str, str]]:
    draw = random.Random(4)
    names = [f"{draw.choice(FIRST)} {last}" for last in LAST[:physicians]]
    return [
        {
            "visit": str(i),
            "patient_email": f"p{i % patients}@example.com",
            "patient_name": f"{FIRST[i % patients % 16]} {LAST[i % patients // 16 % 16]}",
            "physician": names[min(draw.randrange(physicians), draw.randrange(physicians))],
        }
        for i in range(rows)
    ]


class TestPlanning:
    def test_few_people_get_a_person_for_each_row(self, piiscan: Run, tmp_path: Path) -> None:
        source = write(tmp_path / "visits.csv", _visits(600, 10, 250))
        plan = made(source)
        found = columns(plan)
        assert found["physician"].operator == "persona" and found["physician"].params["per"] == "row"
        assert any("10 different people" in n and "accept_frequency" in n for n in found["physician"].notes)
        assert "per" not in found["patient_name"].params
        (tmp_path / "plan.toml").write_text(plan_toml.dumps(plan), encoding="utf-8")
        write_key(tmp_path / "key")
        arguments = ("--plan", tmp_path / "plan.toml", "--key", f"file:{tmp_path / 'key'}", "-o", tmp_path / "out.csv")
        done = piiscan("mask", source, *arguments)
        assert done.returncode == 0, done.stderr
        out, before = (pl.read_csv(p, infer_schema=False) for p in (tmp_path / "out.csv", source))
        assert out["physician"].n_unique() > 300
        assert (out["physician"] == before["physician"]).sum() <= 3  # a made-up name may be anybody's

    def test_columns_of_one_few_people_agree(self, tmp_path: Path) -> None:
        rows = [
            {"visit": str(i), "doctor_first_name": FIRST[i % 9], "doctor_last_name": LAST[i % 9]} for i in range(300)
        ]
        found = columns(made(write(tmp_path / "x.csv", rows)))
        assert [found[f"doctor_{part}_name"].params.get("per") for part in ("first", "last")] == ["row", "row"]

    def test_few_first_names_of_many_people_are_no_few_people(self, tmp_path: Path) -> None:
        rows = [
            {"visit": str(i), "first_name": FIRST[i % 16], "last_name": LAST[i * 7 // 16 % 16]} for i in range(3_000)
        ]
        found = columns(made(write(tmp_path / "x.csv", rows)))
        assert [found[part].params.get("per") for part in ("first_name", "last_name")] == [None, None]

    def test_the_share_is_told_of_all_that_give_equal_masks(self, tmp_path: Path) -> None:
        draw = random.Random(1)
        codes = [f"{draw.randrange(10**6, 10**7)}" for _ in range(100)]
        rows = [
            {"account_number": codes[min(int(draw.paretovariate(0.8)) - 1, 99)], "city": f"c{i % 9}"}
            for i in range(5_000)
        ]
        (tmp_path / "p.toml").write_text(
            '[[rule]]\ncolumn = "account*"\noperator = "hash"\n[[rule]]\noperator = "keep"\n'
        )
        found = columns(made(write(tmp_path / "x.csv", rows), str(tmp_path / "p.toml")))
        (note,) = (n for n in found["account_number"].notes if n.startswith("rank attack: "))
        counts = pl.Series([r["account_number"] for r in rows]).value_counts()["count"].to_list()
        assert note == f"rank attack: {share_guessed(counts, len(counts), 5_000):.0%}"
        assert not any("rank attack" in n for n in found["city"].notes)


def _plan(params: dict[str, object], subject: bool = True, accept: bool = False, source: str = "<frame>") -> Plan:
    subjects = (Subject("person", ((0,),), scope="x"),) if subject else ()

    def action(i: int, name: str, kind: str) -> Action:
        given = {"kind": kind, "locale": "en_US", **params}
        return Action(i, name, "string", "PERSON", "direct", "persona", given, "persona", "person" if subject else None,
                      accept)  # fmt: skip

    number = Action(0, "number", "string", None, "none", "keep")
    return Plan("x", "0", (TablePlan(source, None, (number, action(1, "a", "first_name"), action(2, "b", "email")),
                                     subjects),))  # fmt: skip


def _frame(people: int, rows: int) -> pl.DataFrame:
    who = [str(i % people) for i in range(rows)]
    return pl.DataFrame({"number": who, "a": [f"Name{w}" for w in who], "b": [f"n{w}@example.com" for w in who]})


class TestMasking:
    @pytest.mark.parametrize("subject", [True, False])
    @pytest.mark.parametrize(
        ("people", "rows", "refused"),
        [(10, 50, True), (10, 49, False), (50, 250, True), (51, 2_000, False), (1, 5, True), (1, 4, False)],
    )
    def test_few_people_are_refused(self, subject: bool, people: int, rows: int, refused: bool) -> None:
        frame = _frame(people, rows)
        if not refused:
            assert piiscan.mask(frame, _plan({}, subject), KEY)["a"].null_count() == 0
            return
        with pytest.raises(
            UsageError, match=rf'only {people} (different people|person) .*per = "row".*accept_frequency'
        ):
            piiscan.mask(frame, _plan({}, subject), KEY)
        assert piiscan.mask(frame, _plan({}, subject, accept=True), KEY)["b"].n_unique() == people
        assert piiscan.mask(frame, _plan({"per": "row"}, subject), KEY)["b"].n_unique() == rows

    def test_few_names_of_many_people_are_not(self) -> None:
        frame = _frame(200, 2_000).with_columns(a=pl.lit("Anna"))
        assert len(piiscan.mask(frame, _plan({}), KEY)) == 2_000

    def test_empty_cells_are_nobody(self) -> None:
        frame = _frame(200, 2_000).with_columns(a=pl.when(pl.col("number") == "7").then("a"))
        with pytest.raises(UsageError, match="column a has only 1 person by persona"):
            piiscan.mask(frame, _plan({}), KEY)

    def test_a_person_for_each_row_agrees_with_itself_in_any_cut(self) -> None:
        plan, frame = _plan({"per": "row"}), _frame(10, 400)
        masked = piiscan.mask(frame, plan, KEY)
        initial = masked.select(same=pl.col("a").str.head(1).str.to_lowercase() == pl.col("b").str.head(1))["same"]
        assert initial.all()
        masker = piiscan.Masker(plan, KEY)
        parts = [masker(frame[i : i + 33], i) for i in range(0, 400, 33)]
        assert pl.concat(parts).equals(masked)

    def test_it_is_another_one_in_another_table(self) -> None:
        frame = _frame(10, 400)
        here, there = (piiscan.mask(frame, _plan({"per": "row"}, source=s), KEY) for s in ("x.csv", "y.csv"))
        assert not (here["b"] == there["b"]).any()

    def test_a_batch_that_does_not_know_its_place_is_refused(self) -> None:
        with pytest.raises(UsageError, match="the positions of these rows"):
            piiscan.Masker(_plan({"per": "row"}), KEY)(_frame(10, 20))

    def test_ranks_tell_nothing_of_people_drawn_by_row(self) -> None:
        shares = [12, 9, 7, 5, 4, 3, 2, 1, 1, 1]
        frame = _frame(1, 45 * 20).with_columns(number=pl.Series(_repeated(shares, 20)))
        by_row = piiscan.mask(frame, _plan({"per": "row"}), KEY)
        by_subject = piiscan.mask(frame, _plan({}, accept=True), KEY)
        assert _found(frame["number"], by_subject["b"]) > 0.8
        assert _found(frame["number"], by_row["b"]) < 0.1

    def test_a_wrong_choice_is_refused(self) -> None:
        plan = _plan({})
        (table,) = plan.tables
        text = plan_toml.dumps(replace(plan, tables=(replace(table, columns=table.columns),)))
        with pytest.raises(UsageError, match="per"):
            plan_toml.loads(text.replace('locale = "en_US"', 'locale = "en_US", per = "table"', 1))


def _repeated(shares: Sequence[int], times: int) -> list[str]:
    return [str(i) for i, share in enumerate(shares) for _ in range(share * times)]


def _found(people: pl.Series, masks: pl.Series) -> float:
    """The share of rows whose person is guessed by ranks."""
    ranked = [s.value_counts(sort=True)[s.name].to_list() for s in (people, masks)]
    guess = dict(zip(ranked[1], ranked[0], strict=False))
    return float(np.mean([guess.get(mask) == person for mask, person in zip(masks, people, strict=True)]))
