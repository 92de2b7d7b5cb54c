"""A unit's rows are bounded in a way that depends on that unit alone: else adding one person would move others' rows
too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import run_piiscan
from dp_tables import COLUMNS, frame, rows, units
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.dp.run import passes

DOMAINS = dict(COLUMNS)


@pytest.fixture(autouse=True)
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "_fresh_key", lambda: [1, 2, 3])


def kept(table: list[Any], unit: str, max_rows: int, at_once: int = 100) -> list[Any]:
    """The rows of a unit that count, sorted."""
    batches = [frame(table[i : i + at_once]) for i in range(0, len(table), at_once)]
    numbers = passes.kept_rows(batches, "person", DOMAINS, max_rows, None)
    assert numbers.tolist() == sorted(set(numbers.tolist()))
    return sorted(table[i] for i in numbers if table[i][3] == unit)


many = st.lists(
    st.tuples(st.sampled_from(["1", "2", "3", "x"]), st.sampled_from(["a", "b"]), st.sampled_from(["X", "Y"]), units),
    max_size=25,
)


@given(many, st.integers(1, 4), st.sampled_from([1, 3, 100]), st.randoms())
@settings(max_examples=60, deadline=None)
def test_which_rows_count_depends_on_the_unit_alone(table: list[Any], max_rows: int, at_once: int, random: Any) -> None:
    mixed = table.copy()
    random.shuffle(mixed)
    for unit in ("p1", "p2", "p3"):
        own = [row for row in table if row[3] == unit]
        found = kept(table, unit, max_rows)
        assert len(found) == min(max_rows, len(own))
        assert found == kept(own, unit, max_rows) == kept(mixed, unit, max_rows, at_once)
    assert not kept(table, "", max_rows)  # nobody's rows don't count


@given(rows, st.integers(1, 3), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_the_rows_that_count_are_counted_whatever_the_batches(table: list[Any], max_rows: int, at_once: int) -> None:
    from piiscan.dp.queries import Axis, Measure

    measure = Measure((Axis("dept"),))

    def batches(size: int) -> list[pl.DataFrame]:
        return [frame(table[i : i + size]) for i in range(0, len(table), size)]

    numbers = passes.kept_rows(batches(100), "person", DOMAINS, max_rows, None)
    whole, parts = (passes.tally(batches(size), [measure], DOMAINS, numbers, None) for size in (100, at_once))
    assert whole == parts
    people = [row[3] for row in table if row[3]]
    assert whole.counts[measure].sum() == sum(min(people.count(p), max_rows) for p in set(people))


def test_a_new_key_keeps_other_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is drawn for the run: which rows count can't be foreseen by who writes them."""
    table = [(str(i), "a", "X", f"p{i % 40}") for i in range(400)]
    monkeypatch.undo()
    runs = {tuple(passes.kept_rows([frame(table)], "person", DOMAINS, 1, None).tolist()) for _ in range(3)}
    assert len(runs) == 3
    assert all(len(run) == 40 for run in runs)


def test_hashes_that_pile_up_are_reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [(str(i), "a", "X", f"p{i % 7}") for i in range(300)]
    batches = [frame(table[i : i + 10]) for i in range(0, 300, 10)]
    at_once = passes.kept_rows(batches, "person", DOMAINS, 2, None).tolist()
    monkeypatch.setattr(passes, "_TOGETHER", 20)
    assert passes.kept_rows(batches, "person", DOMAINS, 2, None).tolist() == at_once
    assert len(at_once) == 14


@pytest.mark.parametrize(
    ("table", "refused"),
    [
        ({"patient_no": [f"PT-{10_000 + i // 2}" for i in range(200)]}, "patient_no"),
        ({"patient_no": [f"PT-{10_000 + i}" for i in range(200)]}, None),
        ({"patient_no": [f"PT-{10_000 + i}" if i % 2 else "" for i in range(200)]}, None),
        ({"email": [f"ann.lee{i // 3}@post.example" for i in range(200)]}, "email"),
        ({"email": [f"ann.lee{max(i, 4)}@post.example" for i in range(200)]}, None),  # a family's
        (
            {
                "patient_no": [f"PT-{10_000 + i}" for i in range(200)],
                "email": [f"ann.lee{i // 3}@post.example" for i in range(200)],
            },
            None,
        ),
        ({"colour": ["red", "blue"] * 100}, None),
    ],
)
def test_one_row_per_person_is_refused_where_a_person_s_key_repeats(
    table: dict[str, list[str]], refused: str | None, tmp_path: Path
) -> None:
    pytest.importorskip("opendp")
    data = tmp_path / "visits.csv"
    pl.DataFrame({**table, "score": [i % 50 for i in range(200)]}).write_csv(data)
    typed = ("summarize", data, "--epsilon", "1", "--bounds", "score=0:50", "-o", tmp_path / "out.json")
    done = run_piiscan(*typed, "--one-row-per-person")
    assert done.returncode == (2 if refused else 0), done.stderr
    assert (tmp_path / "out.json").exists() == (refused is None)
    if refused:
        assert f"--unit {refused}" in " ".join(done.stderr.split())
        again = run_piiscan(*typed, "--unit", refused)
        assert again.returncode == 0, again.stderr
