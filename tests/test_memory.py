"""How much memory a process may take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import piiscan
from piiscan.anonymity import needs
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.core import memory
from piiscan.core.errors import UsageError
from piiscan.synthesis import needs as synthesis_needs


@pytest.fixture(autouse=True)
def nothing_said() -> Iterator[None]:
    memory.allow(None)
    yield
    memory.allow(None)


def test_a_gigabyte_or_half_of_what_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < memory.allowed() <= 1 << 30
    monkeypatch.setattr(memory, "machine", lambda: 100)
    assert memory.allowed() == 50
    memory.allow(70)
    assert memory.allowed() == 70


def test_a_control_group_that_allows_less_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    memory.machine.cache_clear()
    monkeypatch.setattr(memory, "_limits_of_groups", lambda: [1 << 60, 3 << 20])
    assert memory.machine() == 3 << 20
    memory.machine.cache_clear()
    monkeypatch.setattr(memory, "_limits_of_groups", list)
    assert memory.machine() > 3 << 20
    memory.machine.cache_clear()


FEW = pl.DataFrame({"age": [str(20 + i % 40) for i in range(400)], "zip": [str(10_000 + i) for i in range(400)]})


def test_work_that_cannot_fit_is_refused_before_it_begins(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    FEW.write_csv(file)
    allowed = 50_000_000
    memory.allow(allowed)
    for refused in (
        lambda: piiscan.anonymize(file, k=2, quasi=["age", "zip"], suppress=1),
        lambda: piiscan.anonymize(FEW, k=2, quasi=["age", "zip"], suppress=1),
        lambda: piiscan.protect(FEW, k=2, one_row_per_person=True, quasi=["age", "zip"]),
        lambda: piiscan.synthesize(
            FEW,
            piiscan.Privacy(epsilon=1, one_row_per_person=True, dataset="few", ledger=tmp_path / "ledger.jsonl"),
            bounds={"age": (0, 100)},
        ),
    ):
        with pytest.raises(UsageError, match=f"up to .* of memory, and {memory.shown(allowed)} are allowed") as error:
            refused()
        assert error.value.exit_status == 2
    assert not (tmp_path / "ledger.jsonl").exists() or "few" not in (tmp_path / "ledger.jsonl").read_text()
    memory.allow(None)
    assert piiscan.anonymize(file, k=2, quasi=["age", "zip"], suppress=1).report["rows"] == 400


def test_what_work_takes_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(memory, "tell", said.append)
    piiscan.anonymize(FEW, k=2, quasi=["age"], insensitive=["zip"])
    assert any(re.fullmatch(r"searching 40 different combinations of 1 .* takes up to .* are allowed", s) for s in said)


def test_more_combinations_of_more_levels_take_more() -> None:
    said: list[str] = []
    tree = Hierarchy.of("age", [(str(i), "*") for i in range(10)])
    memory.allow(1 << 60)
    memory.tell = said.append
    try:
        needs.demand_search(10_000_000, 10_000_000, [tree], 0)
        needs.demand_search(10_000_000, 10_000_000, [tree, tree], 1)
        synthesis_needs.demand_rows(10_000_000, 10)
        synthesis_needs.demand_rows(20_000_000, 10)
    finally:
        memory.tell = None
    sizes = [float(re.findall(r"up to ([\d.]+) GB", s)[0]) for s in said]
    assert sizes[0] < sizes[1]
    assert sizes[2] < sizes[3]
