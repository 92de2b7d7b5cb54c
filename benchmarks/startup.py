"""How long short commands take: `piiscan --help`, and a scan of 1,000 rows, which is what the pre-commit hook does.

`python -m benchmarks.startup FOLDER` makes the tables below FOLDER and writes `benchmarks/results/startup-DATE.json`
and `startup.md`. Whole processes are timed, in turn. *Importing polars and numpy* is a process that does nothing else:
no scan can be faster. Measure the installed wheel, as users have it: an editable install looks at its rules first.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from itertools import islice
from pathlib import Path

from benchmarks import processes
from benchmarks.processes import Run

ROWS = 1000
GOALS = {"piiscan --help": 120, "scan, clean table": 350, "scan, table of people": 350}
"""In milliseconds, on a quiet machine."""


def table(kind: str, folder: Path) -> Path:
    """A CSV of ROWS rows."""
    whole, path = folder / f"{kind}.csv", folder / f"{kind}-{ROWS}.csv"
    processes.run(
        [sys.executable, processes.ROOT / "benchmarks" / "generate.py", kind, whole, "--megabytes", "1", "--keep"]
    )
    with whole.open(encoding="utf-8") as lines:
        path.write_text("".join(islice(lines, ROWS + 1)), encoding="utf-8")
    return path


def measure(commands: dict[str, list[str | Path]], rounds: int) -> dict[str, list[Run]]:
    for command in commands.values():
        processes.run(command, statuses=(0, 1))  # fills the page cache
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(processes.run(command, statuses=(0, 1)))
    return runs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the tables are, or will be")
    parser.add_argument(
        "--piiscan", type=Path, default=processes.PIISCAN, help="the command to measure, with its python beside it"
    )
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--out", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    python = args.piiscan.with_name("python")
    runs = measure(
        {
            "an empty Python": [python, "-c", ""],
            "importing polars and numpy": [python, "-c", "import polars, numpy"],
            "piiscan --help": [args.piiscan, "--help"],
            "scan, clean table": [args.piiscan, "scan", table("clean", args.folder)],
            "scan, table of people": [args.piiscan, "scan", table("people", args.folder)],
        },
        args.rounds,
    )
    about = processes.machine() | {"rounds": args.rounds}
    lines = [
        processes.heading(about, args.rounds),
        "| command | median, ms | fastest, ms | CPU, ms | goal, ms |",
        "|---|---|---|---|---|",
    ]
    about["milliseconds"] = {name: [round(run.seconds * 1000, 1) for run in of] for name, of in runs.items()}
    for name, of in runs.items():
        cpu = statistics.median(run.cpu for run in of) * 1000
        took = about["milliseconds"][name]
        lines.append(
            f"| {name} | {statistics.median(took):.0f} | {min(took):.0f} | {cpu:.0f} | {GOALS.get(name, '')} |"
        )
    page = "\n".join(lines) + "\n"
    processes.save("startup", about, page, args.out)
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
