"""What it costs to protect a table: 100,000 rows of people in 14 columns, in one command, and its parts beside it.

`python -m benchmarks.protect FOLDER` makes the file below FOLDER (kept for the next run) and writes
`benchmarks/results/protect-DATE.json` and `protect.md`. Whole processes are timed, in turn. A release counts only if
its own report says that every promise was kept.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from benchmarks import processes
from benchmarks.mask_speed import table
from benchmarks.processes import Run

COMMAND: Final = (sys.executable, "-m", "piiscan")
ASKED: Final = ("--one-row-per-person", "--epsilon", "1", "--bounds", "amount=0:100000")
CASES: Final = {
    "protect, local": ("--k", "5", *ASKED),
    "protect, optimal": ("--k", "5", "--method", "optimal", *ASKED),
    "protect, k = 20, l = 3": ("--k", "20", "--l", "3", "--sensitive", "city", *ASKED),
}


def measure(path: Path, rounds: int) -> tuple[dict[str, list[Run]], dict[str, Any]]:
    """The runs of each case, and the reports of the last round."""
    out, ledger = path.with_name("protected"), path.with_name("ledger.sqlite")
    runs: dict[str, list[Run]] = {"scan": [], **{case: [] for case in CASES}}
    reports: dict[str, Any] = {}
    for _ in range(rounds):
        runs["scan"].append(processes.run([*COMMAND, "scan", path, "-q", "-f", "json"], statuses=(0, 1)))
        for case, options in CASES.items():
            shutil.rmtree(out, ignore_errors=True)
            ledger.unlink(missing_ok=True)
            runs[case].append(processes.run([*COMMAND, "protect", path, "-o", out, *options, "--ledger", ledger, "-q"]))
            reports[case] = json.loads((out / "report.json").read_text(encoding="utf-8"))
            if not all(promise["holds"] for promise in reports[case]["promises"]):
                raise RuntimeError(f"{case}: a promise is broken")
    shutil.rmtree(out)
    return runs, reports


def page(about: dict[str, Any], runs: dict[str, list[Run]], reports: dict[str, Any]) -> str:
    """The results as Markdown."""
    lines = [
        processes.heading(about, about["rounds"]),
        f"{about['rows']:,} rows of 14 columns, {about['megabytes']:.0f} MB of CSV.\n",
        "| | seconds | CPU, s | peak, MB | smallest class | rows left out | mean loss | promises kept |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for case, each in runs.items():
        seconds, cpu = (statistics.median(figure) for figure in ([r.seconds for r in each], [r.cpu for r in each]))
        told = "| | | | |"
        if (report := reports.get(case)) is not None:
            told = (
                f"| {report['classes']['after']['smallest']} | {report['rows']['suppressed']:,} | "
                f"{report['lost']['mean_loss']:.3f} "
                f"| {len(report['promises'])} of {len(report['promises'])} |"
            )
        lines.append(f"| {case} | {seconds:.1f} | {cpu:.1f} | {max(r.peak for r in each):.0f} {told}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    path = table(args.folder, args.rows)
    about = processes.machine() | {"rows": args.rows, "rounds": args.rounds, "megabytes": path.stat().st_size / 1e6}
    runs, reports = measure(path, args.rounds)
    about["runs"] = {case: [asdict(run) for run in each] for case, each in runs.items()}
    text = page(about, runs, reports)
    processes.save("protect", about, text, args.out)
    print(text)


if __name__ == "__main__":
    main()
