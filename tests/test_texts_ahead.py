"""Where other processes look at texts, values and outputs, masks and the proof are those of one, whatever becomes of
them."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mask_people import edited, key_file, piiscan, planned
from test_known_values import patients

from piiscan.core import memory
from piiscan.core.checkpoints import UNWATCHED
from piiscan.core.worker_processes import Task, WorkerProcesses
from piiscan.detection.text.analyzer import Analyzer
from piiscan.masking.known import text_hashes
from piiscan.masking.run import helpers, texts_ahead
from piiscan.masking.run.helpers import Helpers
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


@pytest.fixture(scope="module")
def alone(clinic: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process writes."""
    return masks(clinic, tmp_path_factory.mktemp("alone") / "out", 1)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Small pieces of small sources; of each piece that is asked for, whether a process had looked at it."""
    monkeypatch.setattr(helpers, "_FEWEST", 1)
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
    monkeypatch.setattr(text_hashes, "_FEW", 0)  # here, as for large texts; processes have the few texts that these are
    alone = masks(clinic, tmp_path / "alone", 1)
    assert not found
    assert masks(clinic, tmp_path / "together", 2) == alone
    assert len(found) > 3 and all(found)
    assert b"Maria Schmidt" not in alone["notes.jsonl"] and b"123-45-6789" not in alone["notes.jsonl"]


WORK = "found_in marks_of mentioned_in of_column of_full_names of_names found_by".split()
"""What other processes do: search texts, look at what they mention, values and names, and look outputs up."""


@pytest.mark.parametrize("ends", [None, *WORK])
@pytest.mark.usefixtures("found")
def test_a_process_that_ends_changes_nothing(
    clinic: Path, tmp_path: Path, alone: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, ends: str | None
) -> None:
    submit: Submit = WorkerProcesses.submit
    asked: list[str] = []
    done: list[Future[object]] = []

    def ending(workers: WorkerProcesses, task: Task) -> Future[object]:
        asked.append(task.function.rpartition(":")[2])
        if asked[-1] == ends:
            task = Task("signal:raise_signal", (signal.SIGKILL,))
        done.append(submit(workers, task))
        return done[-1]

    monkeypatch.setattr(WorkerProcesses, "submit", ending)
    said = masks(clinic, tmp_path / "out", 3)
    assert set(asked) == {*WORK}
    assert said == alone
    assert ends or all(future.cancelled() or future.exception() is None for future in done)


@pytest.mark.usefixtures("found")
def test_what_is_left_is_found_by_any_number_of_processes(clinic: Path, tmp_path: Path) -> None:
    kept = 'operator = "keep"'
    plan = tmp_path / "plan.toml"
    plan.write_text(edited((clinic / "plan.toml").read_text(encoding="utf-8"), {"remark": kept}), encoding="utf-8")
    call = ["mask", clinic / "in", "--plan", plan, "--key", key_file(clinic), "-o", tmp_path / "out", "-j"]
    said = [piiscan(*call, str(jobs), status=5) for jobs in (1, 2, 3)]
    assert "nothing of the row's own person is left" in said[0]
    assert said[0] == said[1] == said[2]
    assert not (tmp_path / "out").exists()


def test_processes_start_where_there_is_much_to_do_and_room_for_them(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []

    class Counted:
        def __init__(self, count: int, *_: object) -> None:
            counts.append(count)

        def close(self) -> None: ...

    monkeypatch.setattr(helpers, "WorkerProcesses", Counted)

    def started(size: int, jobs: int, allowed: int) -> int:
        counts.clear()
        monkeypatch.setattr(helpers, "_size", lambda _: size)
        monkeypatch.setattr(memory, "allowed", lambda: allowed)
        with Helpers(clinic, jobs, UNWATCHED, True):
            return sum(counts)

    assert started(1 << 20, 4, 1 << 30) == 0
    assert started(4 << 20, 1, 1 << 30) == 0
    assert started(4 << 20, 4, 1 << 30) == 2
    assert started(200 << 20, 4, 1 << 30) == 0
    assert started(200 << 20, 4, 4 << 30) == 3


def test_what_was_not_taken_is_looked_at_here() -> None:
    texts = ["Please call Maria Schmidt in Hamburg.", "nothing", "Please call Maria Schmidt in Hamburg."]
    assert TextsAhead(None).batch(Analyzer(), texts, lambda work: work) == Analyzer().batch(texts)
