"""How much memory a process may take."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import piiscan
from piiscan.anonymity import needs
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.core import control_groups, cores, memory, worker_processes
from piiscan.core.errors import UsageError
from piiscan.synthesis import needs as synthesis_needs


@pytest.fixture(autouse=True)
def nothing_said() -> Iterator[None]:
    memory.allow(None)
    yield
    memory.allow(None)


GB = 1 << 30


@pytest.mark.parametrize(
    ("gigabytes", "processors", "allowed", "shared", "workers"),
    [
        (24, 1, 6, 1, 0),
        (3, 3, 1, 1, 2),
        (4, 4, 1.25, 1, 3),
        (16, 16, 4.25, 1, 15),
        (64, 16, 16, 1, 15),
        (4, 64, 2, 1, 6),
        (2, 2, 1, 1, 1),
        (1, 8, 0.5, 0.5, 0),
    ],
)
def test_each_processor_has_memory_for_a_process(
    monkeypatch: pytest.MonkeyPatch, gigabytes: int, processors: int, allowed: float, shared: float, workers: int
) -> None:
    """What a value may take depends on no number of processors."""
    monkeypatch.setattr(memory, "machine", lambda: gigabytes * GB)
    monkeypatch.setattr(cores, "available", lambda: processors)
    assert (memory.allowed(), memory.shared()) == (allowed * GB, shared * GB)
    assert worker_processes.affordable(processors) == workers
    memory.allow(70)
    assert (memory.allowed(), memory.shared()) == (70, 70)


GROUPS: dict[str, tuple[str, dict[str, str], int, int]] = {
    "none": ("", {}, 8, 24 * GB),
    "version 2": ("0::/a/b\n", {"a/b/cpu.max": "150000 100000\n", "a/b/memory.max": f"{2 * GB}\n"}, 2, 2 * GB),
    "version 2, an outer group": ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "300000 100000"}, 3, 24 * GB),
    "version 2, in a namespace": ("0::/\n", {"cpu.max": "50000 100000", "memory.max": "max"}, 1, 24 * GB),
    "version 1": (
        "4:memory:/x\n3:cpu,cpuacct:/x\n0::/\n",
        {
            "cpu,cpuacct/x/cpu.cfs_quota_us": "400000",
            "cpu,cpuacct/x/cpu.cfs_period_us": "100000",
            "memory/x/memory.limit_in_bytes": str(3 * GB),
        },
        4,
        3 * GB,
    ),
    "version 1, no quota": ("3:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 8, 24 * GB),
    "odd contents": ("0::/\n", {"cpu.max": "many", "memory.max": "lots"}, 8, 24 * GB),
}


@pytest.mark.parametrize("name", GROUPS)
def test_what_control_groups_allow_counts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, contents, processors, size = GROUPS[name]
    (tmp_path / "cgroup").write_text(said)
    for path, text in contents.items():
        (tmp_path / "fs" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fs" / path).write_text(text)
    monkeypatch.setattr(control_groups, "_OF_THIS_PROCESS", tmp_path / "cgroup")
    monkeypatch.setattr(control_groups, "_ROOT", tmp_path / "fs")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8), raising=False)
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 24 * GB // 4096}.__getitem__)
    for function in (memory.machine, cores.available):
        function.cache_clear()
    try:
        assert (cores.available(), memory.machine()) == (processors, size)
    finally:
        for function in (memory.machine, cores.available):
            function.cache_clear()


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
