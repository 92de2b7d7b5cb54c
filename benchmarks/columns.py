"""How fast each column of a CSV file is scanned alone: `python -m benchmarks.columns FILE --rows 100000` prints JSON.

A column is a file of its own, and the time that of a scan by a process which has scanned its first rows before: without
start-up, which would weigh more than the scan.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

FIRST = 1000


def speeds(path: Path, rows: int, rounds: int) -> dict[str, float]:
    """Column → MB/s (10⁶ bytes of CSV), the median of `rounds` scans."""
    import polars as pl

    from piiscan import Scanner

    scanner = Scanner(header=True)
    lazy = pl.scan_csv(path, infer_schema=False)
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in lazy.collect_schema().names():
            column = lazy.select(name).head(rows).collect()
            part, first = Path(folder) / "column.csv", Path(folder) / "first.csv"
            column.write_csv(part)
            column.head(FIRST).write_csv(first)
            scanner.scan(first)
            seconds = []
            for _ in range(rounds):
                start = time.perf_counter()
                report = scanner.scan(part)
                seconds.append(time.perf_counter() - start)
                if not report.complete or sum(t.rows for t in report.tables) != len(column):
                    raise RuntimeError(f"column {name} was not scanned whole")
            out[name] = part.stat().st_size / 1e6 / statistics.median(seconds)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print(json.dumps(speeds(args.path, args.rows, args.rounds)))


if __name__ == "__main__":
    main()
