"""Many cases by processes that are started again after a crash or a hang, and the counts of what became of them."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .cases import case
from .judge import BAD, BUDGET, SLOW
from .worker import told

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 120.0
"""Seconds by the clock after which a process counts as hung, however little it computed."""
OUTCOMES: Final = ("found", "incomplete", "passed over", "unreadable", "no output", "masked", *BAD, "crash", "hang")


@dataclass
class Process:
    """A worker, and a thread that collects the lines that it says."""

    lines: queue.Queue[str | None] = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        self.worker = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT if __package__ == "tests.fuzz" else ROOT / "tests",
            env={k: v for k, v in os.environ.items() if not k.startswith(("PIISCAN_", "GITHUB_"))}
            | {"PYTHONPATH": str(ROOT)},
            text=True,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.worker.stdout is not None
        for line in self.worker.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def judge(self, number: int, seed: int) -> dict[str, Any]:
        """The line on a case; of one at which the process ended or hung, what it was doing."""
        assert self.worker.stdin is not None
        start, computed, doing = time.monotonic(), self._computed(), "start"
        with suppress(BrokenPipeError):
            self.worker.stdin.write(f"{number} {seed}\n")
            self.worker.stdin.flush()
        while True:
            try:
                line = self.lines.get(timeout=0.5)
            except queue.Empty:
                if self._computed() - computed < SLOW and time.monotonic() - start < PATIENCE:
                    continue
                self.stop()
                return self._failed(number, seed, doing, "hang", f"more than {SLOW:.0f} s")
            if line is None:
                return self._failed(number, seed, doing, "crash", f"status {self.worker.wait()}")
            said = json.loads(line)
            if isinstance(said, dict):
                return said
            doing, computed = said, self._computed()

    def _failed(self, number: int, seed: int, doing: str, outcome: str, why: str) -> dict[str, Any]:
        return told(case(number, seed), {doing: {"outcome": outcome, "why": why, "seconds": 0.0, "memory": 0}})

    def _computed(self) -> float:
        """The seconds that the process has computed."""
        try:
            fields = Path(f"/proc/{self.worker.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End the process, whatever it does."""
        self.worker.kill()
        self.worker.wait()


def run(numbers: Iterable[int], seed: int, jobs: int, until: float, say: Callable[[dict[str, Any]], None]) -> None:
    """Judge the cases until they or the time (`until`, of `time.monotonic`) are used up; `say` gets each result."""
    waiting, lock = iter(numbers), threading.Lock()

    def work() -> None:
        process = Process()
        try:
            while time.monotonic() < until:
                with lock:
                    number = next(waiting, None)
                if number is None:
                    return
                found = process.judge(number, seed)
                with lock:
                    say(found)
                if process.worker.poll() is not None or any(
                    v["outcome"] == "crash" for v in found["verdicts"].values()
                ):
                    process.stop()
                    process = Process()
        finally:
            process.stop()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@dataclass
class Counts:
    """What became of the cases, in all and by kind and mutation, and those that nothing excuses."""

    cases: int = 0
    steps: dict[str, Counter[str]] = field(default_factory=dict)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    mutations: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)
    most_memory: int = 0
    longest: float = 0.0

    def add(self, found: dict[str, Any]) -> None:
        """Count the result of a case."""
        self.cases += 1
        for step, verdict in found["verdicts"].items():
            marks = list(marks_of(verdict))
            for mark in marks:
                self.steps.setdefault(step, Counter())[mark] += 1
                self.kinds.setdefault(found["kind"], Counter())[mark] += 1
                for mutation in dict.fromkeys(found["mutations"]):
                    self.mutations.setdefault(mutation, Counter())[mark] += 1
            self.most_memory = max(self.most_memory, verdict["memory"])
            self.longest = max(self.longest, verdict["seconds"])
            if is_bad(marks):
                self.failures.append({**found, "verdicts": {step: verdict}})


def marks_of(verdict: dict[str, Any]) -> Iterator[str]:
    """What a verdict counts as: its outcome, and whether it took too much."""
    yield "tried"
    yield verdict["outcome"]
    if verdict["memory"] > BUDGET:
        yield "over memory"
    if verdict["seconds"] > SLOW:
        yield "slow"


def is_bad(marks: Iterable[str]) -> bool:
    """Whether nothing excuses one of the marks."""
    return not {*BAD, "crash", "hang", "over memory", "slow"}.isdisjoint(marks)


COLUMNS: Final = ("tried", *OUTCOMES, "over memory", "slow")


def markdown(counts: Counts) -> str:
    """The counts as tables: by what was done, by kind of file, and by mutation."""
    parts = []
    for title, table in (("done", counts.steps), ("kind", counts.kinds), ("mutation", counts.mutations)):
        used = [
            c
            for c in COLUMNS
            if c in ("tried", "gap", "leak", "error", "crash", "hang") or any(row[c] for row in table.values())
        ]
        lines = [f"| {title} | {' | '.join(used)} |", f"|---|{'---:|' * len(used)}"]
        lines += [f"| {name} | {' | '.join(f'{row[c]:,}' for c in used)} |" for name, row in sorted(table.items())]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def as_json(counts: Counts, about: dict[str, Any]) -> str:
    """The counts and the failures as a document."""
    named = {
        name: {key: dict(row) for key, row in sorted(getattr(counts, name).items())}
        for name in ("steps", "kinds", "mutations")
    }
    body = {
        **about,
        "cases": counts.cases,
        **named,
        "most_memory": counts.most_memory,
        "longest": round(counts.longest, 2),
    }
    return json.dumps({**body, "failures": counts.failures}, indent=1) + "\n"
