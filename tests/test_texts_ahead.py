"""Texts that other processes look at get the masks that they get in one, whatever becomes of those processes."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mask_people import key_file, piiscan, planned
from test_known_values import patients

from piiscan.core import memory
from piiscan.core.checkpoints import UNWATCHED
from piiscan.core.worker_processes import Task, WorkerProcesses
from piiscan.detection.text.analyzer import Analyzer
from piiscan.masking.plan import plan_toml
from piiscan.masking.run import texts_ahead
from piiscan.masking.run.texts_ahead import TextsAhead

Submit = Callable[[WorkerProcesses, Task], "Future[object]"]


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("clinic")
    people = patients()
    (root / "in").mkdir()
    people.write_csv(root / "in" / "patients.csv")
    said = [
        f"Spoke with {p['first_name']} {p['last_name']} and Maria Schmidt of Hamburg, 450 0{i:03}, SSN 123-45-6789."
        for i, p in enumerate(people.to_dicts())
    ]
    notes = pl.DataFrame(
        {"patient_id": people["patient_id"], "remark": said, "day": [f"d{i}" for i in range(len(said))]}
    )
    notes.write_ndjson(root / "in" / "notes.jsonl")
    planned(root / "in", root / "plan.toml")
    return root


def masks(clinic: Path, out: Path, jobs: int) -> dict[str, bytes]:
    call = [
        "mask",
        clinic / "in",
        "--plan",
        clinic / "plan.toml",
        "--key",
        key_file(clinic),
        "-o",
        out,
        "-j",
        str(jobs),
    ]
    piiscan(*call)
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Small pieces of small sources; of each piece that is asked for, whether a process had looked at it."""
    monkeypatch.setattr(texts_ahead, "_FEWEST", 1)
    monkeypatch.setattr(texts_ahead, "_PIECE", 2048)
    said: list[bool] = []
    look = texts_ahead._Piece.found

    def spy(piece: texts_ahead._Piece, texts: list[str]) -> object:
        spans = look(piece, texts)
        said.append(spans is not None)
        return spans

    monkeypatch.setattr(texts_ahead._Piece, "found", spy)
    return said


def test_masks_are_the_same_with_and_without_processes(
    clinic: Path, tmp_path: Path, found: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = TextsAhead.batch

    def patient(ahead: TextsAhead, *args: Any) -> Any:
        wait([piece._future for pieces in ahead._pieces.values() for piece in pieces.values()], timeout=120)
        return batch(ahead, *args)

    monkeypatch.setattr(TextsAhead, "batch", patient)
    alone = masks(clinic, tmp_path / "alone", 1)
    assert not found
    assert masks(clinic, tmp_path / "together", 2) == alone
    assert len(found) > 3 and all(found)
    assert b"Maria Schmidt" not in alone["notes.jsonl"] and b"123-45-6789" not in alone["notes.jsonl"]


@pytest.mark.parametrize("after", [0, 2])
def test_a_process_that_ends_changes_nothing(
    clinic: Path, tmp_path: Path, found: list[bool], monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    submit: Submit = WorkerProcesses.submit
    count = 0

    def ending(workers: WorkerProcesses, task: Task) -> Future[object]:
        nonlocal count
        count += 1
        return submit(workers, Task("signal:raise_signal", (signal.SIGKILL,)) if count > after else task)

    monkeypatch.setattr(WorkerProcesses, "submit", ending)
    assert masks(clinic, tmp_path / "out", 2) == masks(clinic, tmp_path / "alone", 1)
    assert not all(found)


def test_processes_start_where_there_is_much_to_do_and_room_for_them(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_toml.load(clinic / "plan.toml")
    counts: list[int] = []

    class Counted:
        def __init__(self, count: int, *_: object) -> None:
            counts.append(count)

        def close(self) -> None: ...

    monkeypatch.setattr(texts_ahead, "WorkerProcesses", Counted)

    def started(size: int, jobs: int, allowed: int) -> int:
        counts.clear()
        monkeypatch.setattr(texts_ahead, "_size", lambda _: size)
        monkeypatch.setattr(memory, "allowed", lambda: allowed)
        with TextsAhead(clinic, plan, jobs, UNWATCHED):
            return sum(counts)

    assert started(1 << 20, 4, 1 << 30) == 0
    assert started(4 << 20, 1, 1 << 30) == 0
    assert started(4 << 20, 4, 1 << 30) == 2
    assert started(200 << 20, 4, 1 << 30) == 0
    assert started(200 << 20, 4, 4 << 30) == 3


def test_what_was_not_taken_is_looked_at_here(clinic: Path) -> None:
    texts = ["Please call Maria Schmidt in Hamburg.", "nothing", "Please call Maria Schmidt in Hamburg."]
    with TextsAhead(clinic, plan_toml.load(clinic / "plan.toml"), 1, UNWATCHED) as ahead:
        assert ahead.batch(Analyzer(), texts, lambda work: work) == Analyzer().batch(texts)
