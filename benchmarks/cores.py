"""What more processes are worth: the same scans with one and with two, and what that makes of more cores.

`python -m benchmarks.cores FOLDER` makes tables below FOLDER (kept for the next run) and writes
`benchmarks/results/cores.md`. Whole processes are timed, in turn. The serial part is what two processes don't halve:
with seconds w1 and w2, p = 2 (w1 - w2) is shared out and w1 - p is not, so that n cores take w1 - p + p / n. Read that
as a bound: what cores share (memory, the process that reports) isn't in it. Reports are compared byte for byte.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks import generate, processes
from benchmarks.processes import Run

ROWS, COLUMNS = 1000, 12
MEMORY = "4GB"
"""Room for all processes, so that it is the cores that are measured."""


def large(kind: str) -> Callable[[Path, int], None]:
    def made(path: Path, megabytes: int) -> None:
        if not generate.is_there(path):
            generate.write(kind, path, megabytes)

    return made


def small_files(path: Path, count: int) -> None:
    """CSVs of people and of nobody in turn, with names that no data set has."""
    for i in range(count):
        _frame(i, ("people", "clean")[i % 2]).write_csv(_in(path, f"{_word(i)}.csv"))


def parts(path: Path, count: int) -> None:
    """The Parquet files of one data set."""
    for i in range(count):
        _frame(i, "people").write_parquet(_in(path, f"part-{i:05}.parquet"))


def _frame(seed: int, kind: str) -> pl.DataFrame:
    columns = getattr(generate, kind)(np.random.default_rng(seed), ROWS, seed * ROWS)
    return pl.DataFrame(dict(list(columns.items())[:COLUMNS]))


def _in(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    return folder / name


def _word(number: int) -> str:
    return "".join("bcdfghjklm"[number // 10**place % 10] + "aeiou"[place % 5] for place in range(4))


CASES: dict[str, tuple[str, Callable[[Path, int], None], int]] = {
    "{} MB of people, CSV": ("people.csv", large("people"), 250),
    "{} MB without persons, CSV": ("clean.csv", large("clean"), 250),
    "{} CSV files of 1,000 rows": ("small", small_files, 300),
    "{} Parquet files of 1,000 rows, one data set": ("parts", parts, 300),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the tables are, or will be")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{processes.measured_on(processes.machine())} Medians of {args.rounds} rounds, whole processes.",
        "",
        "| scan | s with 1 | with 2 | ratio (≤ 0.56) | CPU s with 1 | with 2 | ratio (≤ 1.1) | 4 cores | 16 cores |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    same = True
    for title, (name, make, size) in CASES.items():
        path = args.folder / name
        make(path, size)
        runs: dict[int, list[Run]] = {1: [], 2: []}
        reports = {jobs: args.folder / f"{name}-{jobs}.json" for jobs in runs}
        for _ in range(args.rounds):
            for jobs, done in runs.items():
                command = [processes.PIISCAN, "scan", path, "-f", "json", "-j", str(jobs), "--memory", MEMORY]
                done.append(processes.run(command, reports[jobs], (0, 1)))
        same &= reports[1].read_bytes() == reports[2].read_bytes()
        (w1, c1), (w2, c2) = (
            (statistics.median(run.seconds for run in done), statistics.median(run.cpu for run in done))
            for done in runs.values()
        )
        shared = max(0.0, 2 * (w1 - w2))
        on = [w1 - shared + shared / cores for cores in (4, 16)]
        lines.append(
            f"| {title.format(size)} | {w1:.2f} | {w2:.2f} | {w2 / w1:.2f} | {c1:.2f} | {c2:.2f} | {c2 / c1:.2f} | "
            + " | ".join(f"{seconds:.2f} ({seconds / w1:.2f})" for seconds in on)
            + " |"
        )
        print(lines[-1], flush=True)
    lines += ["", "The reports of one and of two processes are " + ("the same." if same else "**not the same**.")]
    (args.out / "cores.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
