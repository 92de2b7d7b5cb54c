"""What a process that scans for long keeps: memory, open files, threads, and words of cells.

    python -m benchmarks.growth [--scans N] [--save]

Scans N frames of ever new people in one process; every 10th is also written as CSV, JSON lines, Parquet, Arrow, xlsx
and SQLite files, which are scanned, and every 20th is planned and masked. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.processes import RESULTS, machine

WARM = 200
"""Scans before the first measurement: modules, models and buffers are loaded by then."""
KEY = "PIISCAN_GROWTH_KEY"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scans", type=int, default=10_000)
    parser.add_argument("--save", action="store_true", help=f"write the page to {RESULTS}")
    args = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import piiscan
    from piiscan.core.keys import new
    from tests.test_growth import frame, left_behind, open_files, resident, write

    os.environ[KEY] = new()
    about = machine()
    lines = [
        "| scans | memory MB | grown MB | open files | threads | texts with words of cells | CPU s |",
        "|---|---|---|---|---|---|---|",
    ]
    marks = sorted({WARM, *(args.scans * part // 5 for part in range(1, 6))})
    first = 0
    with tempfile.TemporaryDirectory() as name:
        for seed in range(1, args.scans + 1):
            cells = frame(seed, 20)
            piiscan.scan(cells, jobs=1)
            if seed % 10 == 0:
                write(Path(name), cells)
                piiscan.scan(name, jobs=1)
            if seed % 20 == 0:
                piiscan.mask(cells, piiscan.plan(cells), key=f"env:{KEY}")
            if seed in marks:
                del cells
                words, memory = len(left_behind()), resident()
                first = first or memory
                lines.append(
                    f"| {seed:,} | {memory / 1e6:.1f} | {(memory - first) / 1e6:.1f} | {open_files()} | "
                    f"{threading.active_count()} | {words} | {time.process_time():.0f} |"
                )
                print(lines[-1], flush=True)
    versions = ", ".join(f"{name} {found}" for name, found in about["versions"].items() if found)
    page = f"Measured on {about['date']}; {versions}.\n\n" + "\n".join(lines) + "\n"
    gc.collect()
    print("\n" + page)
    if args.save:
        (RESULTS / "growth.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
