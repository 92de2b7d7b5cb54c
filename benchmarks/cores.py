"""What more processes are worth: the same commands with one and with two, and what that makes of more cores.

`python -m benchmarks.cores FOLDER` makes tables below FOLDER (kept for the next run) and writes
`benchmarks/results/cores.md`. Whole processes are timed, in turn. The serial part is what two processes don't halve:
with seconds w1 and w2, p = 2 (w1 - w2) is shared out and w1 - p is not, so that n cores take w1 - p + p / n. Read that
as a bound: what cores share (memory, the process that reports) isn't in it. What is written is compared byte for byte.

On a machine of more cores, `--jobs 1 2 4 16` times them all, and writes `cores-16.md`.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
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


Command = list[str | Path]


@dataclass(frozen=True)
class Case:
    """`title` has a place for `size`: megabytes, rows or files. `command` works on the table and writes a file with
    `suffix`; what it needs beside the table is made by `before`."""

    title: str
    name: str
    size: int
    make: Callable[[Path, int], None]
    command: Callable[[Path, Path], Command]
    suffix: str
    before: Callable[[Path], None] = lambda path: None


def rows(path: Path, count: int) -> None:
    """A table of people, with a column of notes."""
    if not path.exists():
        pl.DataFrame(generate.people(np.random.default_rng(6), count, 0)).write_csv(path)


def scan(path: Path, output: Path) -> Command:
    return ["scan", path, "-f", "json", "-o", f"json={output}"]


def plan(path: Path, output: Path) -> Command:
    return ["plan", path, "-o", output]


def plan_and_key(path: Path) -> None:
    key = path.with_suffix(".key")
    key.write_text(hashlib.sha256(b"cores").hexdigest() + "\n", encoding="ascii")
    key.chmod(0o600)
    processes.run([processes.PIISCAN, "plan", path, "-o", path.with_suffix(".toml")])


def mask(path: Path, output: Path) -> Command:
    key = f"file:{path.with_suffix('.key')}"
    return ["mask", path, "--plan", path.with_suffix(".toml"), "--key", key, "-o", output, "--overwrite"]


def risk(path: Path, output: Path) -> Command:
    others = "name,email,phone,ssn,card,iban,address,ip,notes"  # as if they had been masked
    return ["risk", path, "--quasi", "city,zip,dob", "--insensitive", others, "-o", output]


CASES = (
    Case("`scan` of {} MB of people, CSV", "people.csv", 250, large("people"), scan, ".json"),
    Case("`scan` of {} MB of people, CSV", "people-large.csv", 1000, large("people"), scan, ".json"),
    Case("`scan` of {} MB without persons, CSV", "clean.csv", 250, large("clean"), scan, ".json"),
    Case("`scan` of {} CSV files of 1,000 rows", "small", 300, small_files, scan, ".json"),
    Case("`scan` of {} Parquet files of 1,000 rows, one data set", "parts", 300, parts, scan, ".json"),
    Case("`plan` of {} Parquet files of 1,000 rows, one data set", "parts", 300, parts, plan, ".toml"),
    Case("`mask` of {} people with notes, verified", "notes.csv", 50_000, rows, mask, ".csv", plan_and_key),
    Case("`risk` of {} MB of people, CSV", "people.csv", 250, large("people"), risk, ".json"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the tables are, or will be")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], help="how many processes, one first")
    parser.add_argument("--out", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    bounded = args.jobs == [1, 2]
    lines = [
        f"{processes.measured_on(processes.machine())} Medians of {args.rounds} rounds, whole processes.",
        "",
        *(_HEADING if bounded else _heading(args.jobs)),
    ]
    same = True
    for case in CASES:
        path = args.folder.resolve() / case.name
        case.make(path, case.size)
        case.before(path)
        runs: dict[int, list[Run]] = {jobs: [] for jobs in args.jobs}
        outputs = {jobs: path.with_name(f"{case.name}-{jobs}{case.suffix}") for jobs in runs}
        for _ in range(args.rounds):
            for jobs, done in runs.items():
                command = case.command(path, outputs[jobs])
                common = ["-j", str(jobs), "--memory", MEMORY]
                outputs[jobs].unlink(missing_ok=True)
                done.append(processes.run([processes.PIISCAN, *command, *common], None, (0, 1)))
        same &= len({output.read_bytes() for output in outputs.values()}) == 1
        title = case.title.format(f"{case.size:,}")
        lines.append(_bounded(title, runs) if bounded else _measured(title, runs))
        print(lines[-1], flush=True)
    lines += ["", "What all of them write is " + ("the same." if same else "**not the same**.")]
    name = "cores.md" if bounded else f"cores-{max(args.jobs)}.md"
    (args.out / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if same else 1


_HEADING = (
    "| what | s with 1 | with 2 | ratio (≤ 0.56) | CPU s with 1 | with 2 | ratio (≤ 1.1) | 4 cores | 16 cores |",
    "|---|---|---|---|---|---|---|---|---|",
)


def _heading(jobs: list[int]) -> tuple[str, str]:
    columns = ["what", *(f"s with {n}" for n in jobs), *(f"CPU s with {n}" for n in jobs)]
    return f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"


def _medians(runs: dict[int, list[Run]]) -> list[tuple[float, float]]:
    """Seconds and CPU seconds."""
    return [
        (statistics.median(run.seconds for run in done), statistics.median(run.cpu for run in done))
        for done in runs.values()
    ]


def _measured(title: str, runs: dict[int, list[Run]]) -> str:
    """Seconds and CPU seconds of each number of processes, and what they are of the first's."""
    cells = [f"{value:.2f} ({value / each[0]:.2f})" for each in zip(*_medians(runs), strict=True) for value in each]
    return f"| {title} | {' | '.join(cells)} |"


def _bounded(title: str, runs: dict[int, list[Run]]) -> str:
    (w1, c1), (w2, c2) = _medians(runs)
    shared = max(0.0, 2 * (w1 - w2))
    on = [w1 - shared + shared / cores for cores in (4, 16)]
    return (
        f"| {title} | {w1:.2f} | {w2:.2f} | {w2 / w1:.2f} | {c1:.2f} | {c2:.2f} | {c2 / c1:.2f} | "
        + " | ".join(f"{seconds:.2f} ({seconds / w1:.2f})" for seconds in on)
        + " |"
    )


if __name__ == "__main__":
    sys.exit(main())
