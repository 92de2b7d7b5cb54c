"""How long a scan takes beside what polars takes to only parse the same file: whole processes, in turn, the median of several runs.

`python benchmarks/speed.py CACHE` makes the files in the folder CACHE (kept for the next run) and writes
`benchmarks/results/speed-DATE.json` and the same as a Markdown table. `--large 2000` adds a file of 2 GB, for its peak memory.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# All columns as text for CSV, as the scan reads them; batches of the same size; each made one piece of memory.
PARSE = """
import sys
import polars as pl
path = sys.argv[1]
lazy = pl.scan_parquet(path) if path.endswith(".parquet") else pl.scan_csv(path, infer_schema=False)
print(sum(len(batch.rechunk()) for batch in lazy.collect_batches(chunk_size=65_536, maintain_order=True, lazy=True)))
"""


@dataclass(frozen=True)
class Run:
    """One process: seconds on the clock and of all cores, and the most memory it held, in MB."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


@dataclass(frozen=True)
class Measurement:
    """Medians over the runs of one file."""

    file: str
    megabytes: float
    parse: Run
    scan: Run

    @property
    def times_parse(self) -> float:
        return self.scan.seconds / self.parse.seconds


def run(command: Sequence[str | Path]) -> Run:
    """Raises RuntimeError where the process fails."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{command} ended with status {process.returncode}")
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Run(round(seconds, 3), round(usage.ru_utime + usage.ru_stime, 3), round(usage.ru_maxrss / unit, 1))


def median(runs: list[Run]) -> Run:
    return Run(
        statistics.median(r.seconds for r in runs), statistics.median(r.cpu_seconds for r in runs), max(r.peak_mb for r in runs)
    )  # fmt: skip


def measure(path: Path, times: int) -> Measurement:
    """The two in turn, so that a slow minute of the machine slows both. One run of each before, to fill the page cache."""
    parse: list[str | Path] = [sys.executable, "-c", PARSE, path]
    scan: list[str | Path] = [sys.executable, "-m", "piiscan", "scan", path, "--format", "json"]
    pairs = [(run(parse), run(scan)) for _ in range(times + 1)][1:]
    return Measurement(path.name, round(path.stat().st_size / 1e6, 1), median([p for p, _ in pairs]), median([s for _, s in pairs]))


def made(kind: str, ending: str, megabytes: float, cache: Path) -> Path:
    path = cache / f"{kind}-{megabytes:g}.{ending}"
    if not path.exists():
        print(f"making {path.name}", file=sys.stderr)
        command = [sys.executable, ROOT / "benchmarks" / "generate.py", kind, path, "--megabytes", str(megabytes)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


def markdown(results: list[Measurement]) -> str:
    lines = ["| file | MB | parse only, s | scan, s | times parse | MB/s | CPU, s | peak memory, MB |", "|---|---|---|---|---|---|---|---|"]
    lines += [
        f"| {r.file} | {r.megabytes:,.0f} | {r.parse.seconds:.2f} | {r.scan.seconds:.2f} | {r.times_parse:.2f} "
        f"| {r.megabytes / r.scan.seconds:,.0f} | {r.scan.cpu_seconds:.2f} | {r.scan.peak_mb:,.0f} |"
        for r in results
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path, help="a folder for the files")
    parser.add_argument("--megabytes", type=float, default=250, help="size of each as CSV")
    parser.add_argument("--large", type=float, default=0, help="size of one more CSV file")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    args = parser.parse_args()
    cache = args.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    files = [(kind, ending, args.megabytes) for ending in ("csv", "parquet") for kind in ("people", "clean")]
    files += [("adversarial", "csv", args.megabytes), ("people", "csv", 5.0)] + [("people", "csv", args.large)] * bool(args.large)
    results = []
    for kind, ending, megabytes in files:
        results.append(measure(made(kind, ending, megabytes, cache), args.times))
        print(f"{results[-1].file}: {results[-1].times_parse:.2f} times parse only", file=sys.stderr)
    import polars

    date = dt.date.today().isoformat()
    about = {"date": date, "python": platform.python_version(), "polars": polars.__version__, "cpus": os.cpu_count(), "runs": args.times}
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"speed-{date}.json").write_text(
        json.dumps(about | {"results": [asdict(r) for r in results]}, indent=1) + "\n", encoding="utf-8"
    )
    (args.out / f"speed-{date}.md").write_text(markdown(results), encoding="utf-8")
    print(markdown(results))


if __name__ == "__main__":
    main()
