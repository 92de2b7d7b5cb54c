"""What a private summary of a table costs beside one scan of it: 1,000,000 rows of people in 14 columns, process
against process, in turn.

`python -m benchmarks.summarize FOLDER` makes the file below FOLDER (kept for the next run) and writes
`benchmarks/results/summarize-DATE.json` and `summarize.md`. Summaries: of single columns, and of all there is to ask;
with one row a person, and with units to be bounded.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks import generate, processes
from benchmarks.processes import Run

ROWS = 1_000_000
GOAL = 1.3
"""Times one scan."""
COMMAND = (sys.executable, "-m", "piiscan")
SOME = ["--bounds", "amount=0:100000", "--statistics", "mean"]
ALL = [
    "--bounds",
    "amount=0:100000",
    "--bounds",
    "zip=10000:99999",
    "--categories",
    f"city={','.join(generate.CITY)}",
    "--by",
    "city",
    "--cross",
    "city,amount",
    "--private-keys",
    "address",
    "--delta",
    "1e-9",
]
CASES = {
    "mean of a column": ["--one-row-per-person", *SOME],
    "all there is, one row a person": ["--one-row-per-person", *ALL],
    "all there is, 3 rows of a unit": ["--unit", "name", "--max-rows", "3", *ALL],
    "with estimated bounds": ["--one-row-per-person", "--estimate-bounds", "amount"],
}


def make(folder: Path) -> Path:
    """The table, where it is missing."""
    path = folder / f"people-{ROWS}.csv"
    if not path.exists():
        left = ROWS
        with path.open("wb") as stream:
            for frame in generate.frames("people", 1):
                part = frame.head(left)
                part.write_csv(stream, include_header=left == ROWS)
                left -= len(part)
                if not left:
                    break
    return path


def measure(path: Path, rounds: int) -> dict[str, list[Run]]:
    ledger = path.with_name("ledger.sqlite")
    runs: dict[str, list[Run]] = {"scan": [], **{case: [] for case in CASES}}
    for _ in range(rounds):
        runs["scan"].append(processes.run([*COMMAND, "scan", path, "-q", "-f", "json"], statuses=(0, 1)))
        for case, options in CASES.items():
            ledger.unlink(missing_ok=True)
            runs[case].append(
                processes.run([*COMMAND, "summarize", path, "--epsilon", "1", *options, "--ledger", ledger, "-q"])
            )
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=processes.RESULTS)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    about = processes.machine()
    path = make(arguments.folder)
    runs = measure(path, arguments.rounds)
    scans = runs["scan"]
    lines = [
        processes.heading(about, arguments.rounds),
        f"{ROWS:,} rows, 14 columns, {path.stat().st_size / 1e6:.0f} MB. Goal: {GOAL} × one scan.",
        "",
    ]
    lines += ["| | seconds | of a scan | CPU seconds | peak MB |", "|---|---|---|---|---|"]
    for case, measured in runs.items():
        times = statistics.median(run.seconds / scan.seconds for run, scan in zip(measured, scans, strict=True))
        seconds, cpu = (statistics.median(getattr(run, of) for run in measured) for of in ("seconds", "cpu"))
        lines.append(
            f"| {case} | {seconds:.2f} | {times:.2f} × | {cpu:.2f} | {max(run.peak for run in measured):.0f} |"
        )
    about["runs"] = {case: [asdict(run) for run in measured] for case, measured in runs.items()}
    page = "\n".join(lines) + "\n"
    processes.save("summarize", about, page, arguments.results)
    print(page)


if __name__ == "__main__":
    main()
