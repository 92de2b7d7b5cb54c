"""Anonymising Adult, and a million rows like it: what is lost, and how long it takes.

    python -m benchmarks.anonymity DATA WORK [--runs 3]

DATA holds `arx_adult/` (`adult.csv`, separated by semicolons, and ARX's hierarchies `adult_hierarchy_<column>.csv`) and
`adult6/` (`adult6.csv` and `hierarchies/<column>.csv`). WORK gets the million rows: Adult's rows drawn with
replacement, half of the ages moved by up to three years and one cell in forty replaced by another row's, which makes
120,000 different combinations. Whole processes are timed, start-up, reading, writing and the second count included, in
turn; the median counts. What is lost is counted on the output by the few lines of `lost`, not by piiscan. Writes
`benchmarks/results/anonymity-DATE.json` and `.md`.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import processes

MILLION = 1_000_000
DISTINCT_GOAL = 125_000


@dataclass(frozen=True, slots=True)
class Case:
    """`goal`: what has to be reached: (name of the figure, most it may be)."""

    name: str
    table: str
    options: tuple[str, ...]
    goals: tuple[tuple[str, float], ...]
    arx: str = ""


CASES = (
    Case(
        "9 columns, k = 5, 4 %, entropy",
        "adult",
        ("--k", "5", "--method", "optimal", "--metric", "entropy", "--suppress", "0.04"),
        (("seconds", 1.0),),
        "255559.85455731067; 0.73 s",
    ),
    Case(
        "9 columns, k = 5, 0 %, entropy",
        "adult",
        ("--k", "5", "--method", "optimal", "--metric", "entropy", "--suppress", "0"),
        (("seconds", 1.0),),
        "407289.5388925293; 0.05–0.15 s",
    ),
    Case(
        "9 columns, k = 5, 4 %, loss",
        "adult",
        ("--k", "5", "--method", "optimal", "--suppress", "0.04"),
        (),
        "mean loss 0.2928",
    ),
    Case(
        "9 columns, k = 5, local",
        "adult",
        ("--k", "5", "--method", "local"),
        (("loss", 0.0591), ("seconds", 2.0)),
        "mean loss 0.0591; 5.7 s",
    ),
    Case(
        "9 columns, k = 10, local",
        "adult",
        ("--k", "10", "--method", "local"),
        (("loss", 0.0830), ("seconds", 2.0)),
        "mean loss 0.0830; 4.6 s",
    ),
    Case(
        "6 columns, k = 5, local",
        "adult6",
        ("--k", "5", "--method", "local"),
        (("loss", 0.036),),
        "mean loss 0.0406; 1.5 s",
    ),
    Case(
        "a million rows, k = 5, 4 %, entropy",
        "million",
        ("--k", "5", "--method", "optimal", "--metric", "entropy", "--suppress", "0.04"),
        (("seconds", 10.0), ("peak", 1000.0)),
        "12.7 s, without files",
    ),
    Case(
        "a million rows, k = 5, local",
        "million",
        ("--k", "5", "--method", "local"),
        (("seconds", 10.0), ("peak", 1000.0)),
        "9.6 s, without files",
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    data, work = arguments.data, arguments.work
    work.mkdir(parents=True, exist_ok=True)
    adult = data / "arx_adult" / "adult.csv"
    million = work / "adult-million.csv"
    if not million.exists():
        make_million(adult, million)
    tables = {
        "adult": (adult, data / "arx_adult", header(adult)),
        "adult6": (data / "adult6" / "adult6.csv", data / "adult6" / "hierarchies", six(data)),
        "million": (million, data / "arx_adult", header(adult)),
    }
    times: dict[str, list[processes.Run]] = {case.name: [] for case in CASES}
    reports: dict[str, dict[str, Any]] = {}
    for number in range(arguments.runs):
        for case in CASES:
            table, hierarchies, quasi = tables[case.table]
            output, report = work / "output.csv", work / "report.json"
            others = [c for c in header(table) if c not in quasi]
            command = [
                processes.PIISCAN,
                "anonymize",
                table,
                "--quasi",
                ",".join(quasi),
                "--hierarchies",
                hierarchies,
                *case.options,
                "-o",
                output,
                "--report",
                report,
                "--overwrite",
                "--quiet",
                *(["--insensitive", ",".join(others)] if others else []),
            ]
            times[case.name].append(processes.run([str(c) for c in command]))
            if not number:
                reports[case.name] = {**json.loads(report.read_text()), "lost": lost(output, hierarchies, quasi)}
    results = [result(case, times[case.name], reports[case.name]) for case in CASES]
    processes.RESULTS.mkdir(exist_ok=True)
    machine = processes.machine()
    base = processes.RESULTS / f"anonymity-{machine['date']}"
    base.with_suffix(".json").write_text(
        json.dumps({"machine": machine, "runs": arguments.runs, "results": results}, indent=1) + "\n"
    )
    base.with_suffix(".md").write_text(text := rendered(results, machine))
    print(text)


def header(table: Path) -> list[str]:
    with table.open(encoding="utf-8-sig") as stream:
        return next(csv.reader(stream, delimiter=";"))


def six(data: Path) -> list[str]:
    return sorted(path.stem for path in (data / "adult6" / "hierarchies").glob("*.csv"))


def make_million(adult: Path, target: Path) -> None:
    import numpy as np
    import polars as pl

    frame = pl.read_csv(adult, separator=";", infer_schema=False)
    random = np.random.default_rng(1)
    rows = random.integers(0, len(frame), MILLION)
    out = {}
    for name in frame.columns:
        cells = frame[name].to_numpy()
        if name == "age":
            ages = cells[rows].astype(int)
            moved = np.clip(ages + random.integers(-3, 4, MILLION), 17, 90)
            out[name] = np.where(random.random(MILLION) < 0.5, moved, ages).astype(str)
        else:
            other = cells[random.integers(0, len(frame), MILLION)]
            out[name] = np.where(random.random(MILLION) < 0.025, other, cells[rows])
    made = pl.DataFrame(out)
    print(f"{MILLION} rows, {made.n_unique()} different (about {DISTINCT_GOAL} wanted)")
    made.write_csv(target, separator=";")


def lost(output: Path, hierarchies: Path, quasi: Sequence[str]) -> float:
    """The mean loss of a cell: (leaves under its label - 1) / (all leaves - 1), 1 for a blank row; over the
    quasi-identifiers."""
    under: dict[str, dict[str, float]] = {}
    for name in quasi:
        (file,) = [
            p for p in hierarchies.iterdir() if p.name == f"{name}.csv" or p.name.endswith(f"_hierarchy_{name}.csv")
        ]
        lines = [line.split(";") for line in file.read_text("utf-8-sig").splitlines() if line]
        leaves: dict[str, set[str]] = {}
        for line in lines:
            for label in line:
                leaves.setdefault(label, set()).add(line[0])
        under[name] = {label: (len(below) - 1) / (len(lines) - 1) for label, below in leaves.items()} | {"": 1.0}
    total, cells = 0.0, 0
    with output.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream, delimiter=";"):
            total += sum(under[name][row[name]] for name in quasi)
            cells += len(quasi)
    return total / cells


def result(case: Case, times: Sequence[processes.Run], report: dict[str, Any]) -> dict[str, Any]:
    figures = {
        "seconds": statistics.median(t.seconds for t in times),
        "cpu": statistics.median(t.cpu for t in times),
        "peak": max(t.peak for t in times),
        "value": report["value"],
        "loss": report["lost"],
        "suppressed": report["suppressed"],
        "classes": report["classes"],
        "smallest_class": report["smallest_class"],
    }
    missed = [f"{name} {figures[name]:.4g} > {most:g}" for name, most in case.goals if figures[name] > most]
    return {
        "name": case.name,
        **figures,
        "levels": report["levels"],
        "goals": dict(case.goals),
        "missed": missed,
        "arx": case.arx,
    }


def rendered(results: Sequence[dict[str, Any]], machine: dict[str, Any]) -> str:
    lines = [
        f"Measured on {machine['date']}; seconds of the whole process, median; peak in MB.",
        "",
        "| | seconds | CPU | peak | value | mean loss | suppressed | classes | goals | ARX |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        goals = ", ".join(f"{name} ≤ {most:g}" for name, most in r["goals"].items()) + (
            f" — missed: {'; '.join(r['missed'])}" if r["missed"] else ""
        )
        lines.append(
            f"| {r['name']} | {r['seconds']:.2f} | {r['cpu']:.2f} | {r['peak']:.0f} | {r['value']:.10g} | "
            f"{r['loss']:.4f} | {r['suppressed']} | "
            f"{r['classes']} | {goals} | {r['arx']} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
