"""How long a scan takes beside what polars takes to only parse the same file, and whether it finds what is hidden
there.

`python -m benchmarks.scan_speed FOLDER` makes the files below FOLDER (kept for the next run) and writes
`benchmarks/results/scan-speed-DATE.json` and `scan-speed.md`. Whole processes are timed, in turn, so that a slow minute
of the
machine slows all of them: *parse*, polars alone; *read*, the batches as a scan gets them; *scan*, the installed
command.
Then: every hidden identifier must be in the report with its row, and counts on random rows must be those of the slow
engine; the exit status is 1 where they aren't. Columns of the adversarial table are timed as files of their own,
without start-up.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import processes
from benchmarks.processes import Run
from piiscan.io.read_options import ReadOptions

# All columns as text for CSV, batches of the size that a scan reads, each made one piece of memory.
PARSE = """
import sys
import polars as pl
path, rows = sys.argv[1], int(sys.argv[2])
lazy = pl.scan_parquet(path) if path.endswith(".parquet") else pl.scan_csv(path, infer_schema=False)
for batch in lazy.collect_batches(chunk_size=rows, maintain_order=True, lazy=True):
    batch.rechunk()
"""
READ = """
import sys
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
for table in inputs.discover([sys.argv[1]], ReadOptions()):
    for batch in table.batches():
        pass
"""
FOUND = (0, 1)
"""Ends of a scan that read everything."""


@dataclass(frozen=True, slots=True)
class Case:
    """A file. `must`, `should`: the goals for `metric`, the name of a property of `Result`."""

    name: str
    kind: str
    suffix: str
    metric: str
    must: float
    should: float | None
    size: float | None = None
    """In MB of CSV; None for the size that was asked for."""
    seed: int = 1
    plants: int = 40


@dataclass(frozen=True, slots=True)
class Result:
    """A file measured: the runs of each round, and the hidden identifiers that a report lacks."""

    case: Case
    megabytes: float
    runs: dict[str, list[Run]]
    planted: int
    missed: list[dict[str, Any]]

    def median(self, which: str, of: Callable[[Run], float] = lambda run: run.seconds) -> float:
        return statistics.median(map(of, self.runs[which]))

    @property
    def times_parse(self) -> float:
        """The median of the rounds' ratios: both of a round met the same machine."""
        return statistics.median(
            s.seconds / p.seconds for s, p in zip(self.runs["scan"], self.runs["parse"], strict=True)
        )

    @property
    def share_of_parse(self) -> float:
        return 1 / self.times_parse

    @property
    def seconds(self) -> float:
        return self.median("scan")

    @property
    def peak(self) -> float:
        return max(run.peak for run in self.runs["scan"])


SMALL = 5
COLUMN_MUST = 0.03
"""Least speed of an adversarial column, as a share of the speed of parsing its whole table."""
SHOWN = {
    "times_parse": "{:.2f}× parse",
    "share_of_parse": "{:.2f} of parse speed",
    "seconds": "{:.2f} s",
    "peak": "{:.0f} MB",
}
LEAST = {"share_of_parse"}
"""Metrics of which more is better."""
MEMORY = (800, 650)


def cases(big: float) -> list[Case]:
    """`big`: MB of the large file, 0 for none."""
    return [
        Case("people, CSV", "people", ".csv", "times_parse", 3, 2.5),
        Case("clean, CSV", "clean", ".csv", "times_parse", 3, 2, seed=2),
        Case("people, Parquet", "people", ".parquet", "times_parse", 4, 3),
        Case("clean, Parquet", "clean", ".parquet", "times_parse", 4, 3, seed=2),
        Case("adversarial, CSV", "adversarial", ".csv", "share_of_parse", 0.12, None, seed=3),
        Case("people, small CSV", "people", ".csv", "seconds", 0.6, 0.4, SMALL, 4),
    ] + [Case("people, large CSV", "people", ".csv", "peak", *MEMORY, big, 5)] * (big > 0)


def make(case: Case, folder: Path, megabytes: float) -> Path:
    """The case's file, made where it is missing."""
    size = case.size or megabytes
    path = folder / f"{case.kind}-{size:g}{case.suffix}"
    # In a process of its own: what this one holds would count into the peaks.
    command = [
        sys.executable, processes.ROOT / "benchmarks" / "generate.py", case.kind, path, "--megabytes", str(size),
        "--seed", str(case.seed), "--plant", str(case.plants), "--keep",
    ]  # fmt: skip
    processes.run(command)
    return path


def measure(case: Case, path: Path, rounds: int) -> Result:
    report, rows = path.with_name("report.json"), str(ReadOptions().batch_rows)
    commands: dict[str, list[str | Path]] = {
        "parse": [sys.executable, "-c", PARSE, path, rows],
        "read": [sys.executable, "-c", READ, path],
        "scan": [processes.PIISCAN, "scan", path, "-f", "json", "-q"],
    }
    runs: dict[str, list[Run]] = {which: [] for which in commands}
    processes.run(commands["parse"])  # fills the page cache
    for _ in range(rounds):
        for which, command in commands.items():
            runs[which].append(
                processes.run(command, report if which == "scan" else None, FOUND if which == "scan" else (0,))
            )
    plants = json.loads(path.with_name(f"{path.name}.plants.json").read_text(encoding="utf-8"))
    (table,) = json.loads(report.read_text(encoding="utf-8"))["tables"]
    if table["rows"] != plants["rows"]:
        raise RuntimeError(f"{path.name}: {table['rows']} rows scanned of {plants['rows']}")
    return Result(case, path.stat().st_size / 1e6, runs, len(plants["plants"]), missed(table, plants["plants"]))


def missed(table: dict[str, Any], plants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The plants that a table of the JSON report doesn't name with their row."""
    found = {(c["name"], i["rule"], row) for c in table["columns"] for i in c["inside"] for row in i["first_rows"]}
    return [p for p in plants if (p["column"], p["rule"], p["row"]) not in found]


def meets(value: float, goal: float, metric: str) -> bool:
    return value >= goal if metric in LEAST else value <= goal


def verdict(value: float, metric: str, must: float, should: float | None) -> str:
    """The goals beside a figure."""
    reached = [
        word for word, goal in (("met", must), ("better", should)) if goal is not None and meets(value, goal, metric)
    ]
    mark = reached[-1] if reached else "missed"
    sign = "≥" if metric in LEAST else "≤"
    goals = f"{sign} {must:g}" + (f", better {sign} {should:g}" if should is not None else "")
    return f"{goals}: {mark}"


def page(about: dict[str, Any], results: list[Result], columns: dict[str, float], counts: dict[str, Any]) -> str:
    """The results as Markdown."""
    lines = [
        processes.heading(about, about["rounds"]),
        "| file | MB | parse, s | read, s | scan, s | MB/s | CPU, s | peak, MB | figure | goal |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        value, metric = getattr(r, r.case.metric), r.case.metric
        figure = SHOWN[metric].format(value) + ("" if metric == "times_parse" else f" ({r.times_parse:.2f}×)")
        lines.append(
            f"| {r.case.name} | {r.megabytes:.0f} | {r.median('parse'):.2f} | {r.median('read'):.2f} | "
            f"{r.seconds:.2f} | {r.megabytes / r.seconds:.0f} "
            f"| {r.median('scan', lambda run: run.cpu):.2f} | {r.peak:.0f} | {figure} | "
            f"{verdict(value, metric, r.case.must, r.case.should)} |"
        )
    peak = max(r.peak for r in results)
    lines += [
        "",
        f"Most memory of any scan: {peak:.0f} MB ({verdict(peak, 'peak', *MEMORY)}). MB are 10⁶ bytes, of the "
        "file as it is.",
        "",
    ]
    planted, lost = sum(r.planted for r in results), sum(len(r.missed) for r in results)
    lines += [f"Hidden identifiers found with their row: {planted - lost} of {planted}.", ""]
    for name, counted in counts.items():
        lines.append(
            f"- {name}: {counted['rules']} rules on {counted['cells']:,} cells of {counted['rows']:,} random rows, "
            f"{len(counted['differences'])} counts unlike the slow engine's."
        )
    if columns:
        lines += ["", "| adversarial column alone | MB/s | share of parse speed | goal |", "|---|---|---|---|"]
        for name, speed in sorted(columns.items(), key=lambda item: item[1]):
            share = speed / about["adversarial_parse_speed"]
            lines.append(
                f"| {name} | {speed:.0f} | {share:.3f} | {verdict(share, 'share_of_parse', COLUMN_MUST, None)} |"
            )
    return "\n".join(lines) + "\n"


def benchmark(folder: Path, megabytes: float, big: float, rounds: int, rows: int, out: Path) -> bool:
    """Everything; whether all hidden values were found and all counts agree. `big`: MB; `rows`: of the comparison with
    the slow engine, 0 for none."""
    folder.mkdir(parents=True, exist_ok=True)
    about = processes.machine() | {"rounds": rounds}
    results: list[Result] = []
    columns: dict[str, float] = {}
    counts: dict[str, Any] = {}
    for case in cases(big):
        path = make(case, folder, megabytes)
        result = measure(case, path, 1 if case.size == big else rounds)
        results.append(result)
        print(f"{case.name}: {result.times_parse:.2f} × parse, {len(result.missed)} missed", file=sys.stderr)
        if case.kind == "adversarial":
            about["adversarial_parse_speed"] = result.megabytes / result.median("parse")
            columns = processes.answer("columns", path.resolve(), "--rounds", rounds)
        if rows and case.suffix == ".csv" and case.size is None:
            counts[case.name] = processes.answer("counts", path.resolve(), "--rows", rows)
    about["results"] = [asdict(r) | {"times_parse": r.times_parse} for r in results]
    about |= {"columns": columns, "counts": counts}
    text = page(about, results, columns, counts)
    processes.save("scan-speed", about, text, out)
    print(text)
    return not any(r.missed for r in results) and not any(c["differences"] for c in counts.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files are, or will be")
    parser.add_argument("--megabytes", type=float, default=250, help="size of each as CSV")
    parser.add_argument("--big-gigabytes", type=float, default=2.2, help="size of the large CSV file; 0 leaves it out")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is run (the large file: once)")
    parser.add_argument(
        "--rows", type=int, default=20_000, help="random rows to compare with the slow engine; 0 leaves that out"
    )
    parser.add_argument("--out", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    return (
        0 if benchmark(args.folder, args.megabytes, args.big_gigabytes * 1000, args.rounds, args.rows, args.out) else 1
    )


if __name__ == "__main__":
    sys.exit(main())
