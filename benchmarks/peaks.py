"""What `anonymize`, `protect` and `synthesize` say that they will take of memory, and what they take.

    python -m benchmarks.peaks [--only NAME …] [--save]

Each case is a process of its own. Prints a Markdown table: the highest figure that was stated, the peak, and
their ratio, which is to lie between 1 and 1.5.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import RESULTS, machine

PIISCAN = [sys.executable, "-m", "piiscan"]


class Case(NamedTuple):
    """`quasi` columns of `distinct` values each and `more` others, in `rows` rows."""

    command: str
    rows: int
    quasi: int
    distinct: int
    more: int = 2
    method: str = "optimal"
    drawn: int = 0

    @property
    def name(self) -> str:
        asked = f", {self.drawn:,} drawn" if self.drawn else f", {self.method}"
        return f"{self.command}: {self.rows:,} rows, {self.quasi} × {self.distinct} values, {self.more} more{asked}"


CASES = (
    Case("anonymize", 200_000, 3, 20),
    Case("anonymize", 1_000_000, 3, 20),
    Case("anonymize", 200_000, 3, 200),
    Case("anonymize", 400_000, 3, 200),
    Case("anonymize", 200_000, 6, 50),
    Case("anonymize", 200_000, 6, 50, 2, "local"),
    Case("anonymize", 200_000, 3, 5000),
    Case("protect", 100_000, 3, 20, 2, "local"),
    Case("protect", 800_000, 3, 20, 2, "local"),
    Case("protect", 200_000, 3, 20, 16, "local"),
    Case("protect", 400_000, 3, 200, 2, "local"),
    Case("synthesize", 1_000, 4, 6, 0, drawn=1_000_000),
    Case("synthesize", 1_000, 10, 6, 0, drawn=1_000_000),
    Case("synthesize", 1_000, 9, 300, 0, drawn=1_000),
    Case("synthesize", 1_000, 4, 6, 0, drawn=3_000_000),
)


def table(path: Path, case: Case) -> None:
    import numpy as np
    import polars as pl

    random = np.random.default_rng(1)
    columns = {f"q{j}": pl.Series(random.integers(0, case.distinct, case.rows)) for j in range(case.quasi)}
    others = {f"x{j}": pl.Series(random.integers(0, 50, case.rows)) for j in range(case.more)}
    pl.DataFrame({**columns, **others}).with_columns(
        pl.col(*others).cast(pl.String) + "abc" if others else []
    ).write_csv(path)


def command(case: Case, folder: Path) -> list[str]:
    source, out, ledger = folder / "t.csv", folder / "o.csv", ["--ledger", str(folder / "ledger.jsonl")]
    names = [f"q{j}" for j in range(case.quasi)]
    if case.command == "synthesize":
        edges = ",".join(map(str, range(1, case.distinct)))
        declared = [part for n in names for part in ("--bounds", f"{n}=0:{case.distinct}", "--edges", f"{n}={edges}")]
        options = ["--epsilon", "1", "--one-row-per-person", "--rows", str(case.drawn), "-v", *declared]
        return [case.command, str(source), "-o", str(out), *ledger, *options]
    kept = ",".join(f"x{j}" for j in range(case.more))
    options = ["--k", "5", "--suppress", "0.1", "--quasi", ",".join(names), "--insensitive", kept, "-v"]
    if case.command == "protect":
        return [case.command, str(source), "-o", str(folder / "o"), *ledger, *options, "--one-row-per-person"]
    return [case.command, str(source), "-o", str(out), *ledger, *options, "--method", case.method]


def stated(said: str) -> float:
    """The highest figure in MB."""
    found = re.findall(r"takes up to ([\d.]+) (GB|MB)", said)
    return max((float(n) * (1000 if unit == "GB" else 1) for n, unit in found), default=0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[case.name for case in CASES])
    parser.add_argument("--save", action="store_true", help=f"write the page to {RESULTS}")
    args = parser.parse_args()
    about = machine()
    lines = ["| case | stated MB | peak MB | ratio |", "|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    for case in CASES:
        if not any(part in case.name for part in args.only):
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            child = os.fork()
            if not child:
                table(folder / "t.csv", case)
                os._exit(0)
            os.waitpid(child, 0)
            process = subprocess.Popen(
                [*PIISCAN, *command(case, folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            assert process.stderr is not None
            said = process.stderr.read().decode()
            _, status, used = os.wait4(process.pid, 0)
        peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
        ended = "" if not os.waitstatus_to_exitcode(status) else f" (status {os.waitstatus_to_exitcode(status)})"
        lines.append(f"| {case.name}{ended} | {stated(said):,.0f} | {peak:,.0f} | {stated(said) / peak:.2f} |")
        print(lines[-1], flush=True)
    versions = ", ".join(f"{name} {found}" for name, found in about["versions"].items() if found)
    if args.save:
        (RESULTS / "peaks.md").write_text(
            f"Measured on {about['date']}; {versions}.\n\n" + "\n".join(lines) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
