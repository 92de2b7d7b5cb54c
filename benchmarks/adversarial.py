"""What piiscan was tried against, as one table: damaged files, odd files, files that unfold, and calls that fail.

    python -m benchmarks.adversarial [--cases N] [--every N] [--seconds N] [--only PART …]

Parts: damaged (`tests.fuzz --cases`), odd (`tests.fuzz --oddities`), guided (`tests.fuzz.guided`, each target for so
many seconds; left out, which is said, without atheris), bounds (`benchmarks.bounds`), faults (`tests/fault_cases.py
--every`). Prints a Markdown table: how many were tried, and how many survived. All of it takes an hour and a half on
two cores; the exit status is 1 where something did not survive.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MEMORY = 1100
"""Megabytes that a scan's processes may take: the default of 1 GiB, and what the last look before the end misses."""


class Tried(NamedTuple):
    what: str
    tried: int
    survived: int


def _fuzz(what: str, *options: str) -> list[Tried]:
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts.json"
        subprocess.run([sys.executable, "-m", "tests.fuzz", *options, "--json", counts], cwd=ROOT, stdout=sys.stderr)
        found = json.loads(counts.read_text(encoding="utf-8"))
    return [Tried(what, found["cases"], found["cases"] - len(found["failures"]))]


def damaged(args: argparse.Namespace) -> list[Tried]:
    return _fuzz("damaged files: all found or said, no mask in clear, none hung", "--cases", str(args.cases))


def odd(args: argparse.Namespace) -> list[Tried]:
    return _fuzz("odd files made by hand: the same", "--oddities")


def guided(args: argparse.Namespace) -> list[Tried]:
    """A target stops at the first input that it doesn't survive."""
    from tests.fuzz.targets import TARGETS

    tried = failed = 0
    for target in TARGETS:
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.guided", target, "--seconds", str(args.seconds)],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        counted = re.search(r"stat::number_of_executed_units: +(\d+)", done.stderr)
        if counted is None:
            print(f"{target}: {done.stderr.strip()[-300:]}", file=sys.stderr)
            if done.returncode and "atheris isn't installed" in done.stderr:
                return []
        tried += int(counted[1]) if counted else 1
        failed += done.returncode != 0
    return [
        Tried(
            f"coverage-guided runs of {len(TARGETS)} targets, {args.seconds} seconds each: no error but piiscan's own",
            tried,
            tried - failed,
        )
    ]


def bounds(args: argparse.Namespace) -> list[Tried]:
    """A scan survives that ends by itself, with a report, within its memory."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bounds", "--limit", "120"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout, file=sys.stderr)
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in done.stdout.splitlines()[2:]]
    good = [row for row in rows if row[5] in ("0", "1", "3") and int(row[4].replace(",", "")) <= MEMORY]
    return [
        Tried("small files that unfold, and shapes that take long: within 1 GiB and two minutes", len(rows), len(good))
    ]


def faults(args: argparse.Namespace) -> list[Tried]:
    done = subprocess.run(
        [sys.executable, "tests/fault_cases.py", "--every", str(args.every)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    print(done.stdout, file=sys.stderr)
    tried = broken = 0
    for line in done.stdout.splitlines()[2:]:
        if re.match(r"\| .* \|", line):
            numbers = [int(n) for n in re.findall(r"\| (\d+) (?=\|)", line)]
            tried, broken = tried + numbers[1], broken + numbers[-1]
    return [
        Tried(
            "calls that fail or kill the process: nothing half, nothing lost, whole the next time",
            tried,
            tried - broken,
        )
    ]


PARTS: dict[str, Callable[[argparse.Namespace], list[Tried]]] = {
    part.__name__: part for part in (damaged, odd, guided, bounds, faults)
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000, help="damaged files")
    parser.add_argument("--every", type=int, default=1, help="every how many calls fail")
    parser.add_argument("--seconds", type=int, default=300, help="how long each coverage-guided target runs")
    parser.add_argument("--only", nargs="*", default=list(PARTS), choices=list(PARTS))
    args = parser.parse_args()
    found = [row for part in args.only for row in PARTS[part](args)]
    print("| tried | number | survived |\n|---|---:|---:|")
    for row in found:
        print(f"| {row.what} | {row.tried:,} | {row.survived:,} |")
    return int(any(row.survived < row.tried for row in found))


if __name__ == "__main__":
    sys.exit(main())
