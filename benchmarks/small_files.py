"""What many small files cost: thousands of tables of their own, tables of a few rows, the files of one data set.

`python -m benchmarks.small_files FOLDER` makes the files below FOLDER (kept for the next run) and writes
`benchmarks/results/small-files.md`. Whole processes are timed, once each: they take long enough.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import processes
from benchmarks.cores import COLUMNS, ROWS, parts, small_files

NAMES = "Anna Bert Carla Dirk Emma Fritz Greta Hans Ida Jonas Klara Ludwig Mia Noah Olga Peter".split()
LAST = "Meyer Schulz Brown Smith Jones Weber Wagner Becker Hoffmann Garcia".split()


def tiny(path: Path, count: int) -> None:
    """CSVs of three rows and four columns, of three kinds, with names that no data set has."""
    path.mkdir(exist_ok=True)
    rng = random.Random(3)
    for i in range(count):
        rows = [HEADERS[i % 3], *(_row(rng, i % 3) for _ in range(3))]
        text = "\n".join(map(",".join, rows)) + "\n"
        (path / f"{_word(i)}.csv").write_text(text, encoding="utf-8")


HEADERS = (
    ("name", "email", "city", "amount"),
    ("id", "sensor", "temperature", "recorded_at"),
    ("order_id", "product", "quantity", "status"),
)


def _row(rng: random.Random, kind: int) -> tuple[str, ...]:
    if kind == 0:
        first, last = rng.choice(NAMES), rng.choice(LAST)
        mail = f"{first}.{last}@mail{rng.randrange(99)}.com".lower()
        return f"{first} {last}", mail, rng.choice(("Berlin", "Paris", "London", "Rome")), f"{rng.random() * 100:.2f}"
    if kind == 1:
        when = f"2024-0{rng.randrange(1, 9)}-1{rng.randrange(9)}T10:00:0{rng.randrange(9)}"
        return str(rng.randrange(10**6)), f"S-{rng.randrange(99)}", f"{rng.gauss(20, 5):.1f}", when
    product, status = rng.choice(("chair", "table", "lamp", "desk")), rng.choice(("open", "paid", "sent"))
    return f"ORD-{rng.randrange(10**6):06}", product, str(rng.randrange(1, 9)), status


def _word(number: int) -> str:
    """A word of its own for each number below 17⁴ × 5³; no two differ in digits alone."""
    number = number * 7919 + 13
    word = ""
    for place in range(7):
        letters = "aeiou" if place % 2 else "bcdfghjklmnprstvz"
        word += letters[number % len(letters)]
        number //= len(letters)
    return word


CASES: tuple[tuple[str, str, Callable[[Path, int], None], int, str, str], ...] = (
    (f"scan of {{:,}} CSVs of {ROWS:,} × {COLUMNS}", "small", small_files, 1000, "scan", "CPU ≤ 15"),
    ("scan of {:,} CSVs of 3 × 4, of three kinds", "tiny", tiny, 25_000, "scan", "wall ≤ 60"),
    (f"plan of {{:,}} Parquet files of {ROWS:,} × {COLUMNS}, one data set", "parts", parts, 2000, "plan", "wall ≤ 8"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files are, or will be")
    parser.add_argument("--share", type=float, default=1.0, help="of the files, for a look")
    parser.add_argument("--out", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{processes.measured_on(processes.machine())} Whole processes with as many jobs as cores.",
        "",
        "| what | wall, s | CPU, s | CPU a file, ms | asked, s |",
        "|---|---:|---:|---:|---|",
    ]
    for title, name, make, size, command, asked in CASES:
        count = max(1, round(size * args.share))
        folder = args.folder / f"{name}-{count}"
        if not folder.exists():
            make(folder, count)
        more = ["-f", "json"] if command == "scan" else ["-o", args.folder / "plan.toml"]
        done = processes.run([processes.PIISCAN, command, folder, *more], args.folder / "out.json", (0, 1))
        each = 1000 * done.cpu / count
        lines.append(f"| {title.format(count)} | {done.seconds:.1f} | {done.cpu:.1f} | {each:.1f} | {asked} |")
        print(lines[-1], flush=True)
    if args.share == 1:
        (args.out / "small-files.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
