"""Nine anonymity checks on Adult, beside pyCANON: time, and the same values where pyCANON's are right.

`python -m benchmarks.risk ADULT.csv CACHE` reads Adult (`;`-separated, 32,561 rows, names as UCI's), makes an
environment for pyCANON in the folder CACHE (kept for the next run), and writes `benchmarks/results/risk-DATE.json` and
`risk.md`. Two tables: Adult as it is, by six quasi-identifiers, and coarsened, by two, so that classes are large. Both
sides get the same cells; reading them isn't timed.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from benchmarks import processes
from piiscan.anonymity.classes import classes_of, tally
from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.models.closeness import TCloseness
from piiscan.anonymity.models.diversity import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
)
from piiscan.anonymity.models.likeness import BasicBetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from piiscan.anonymity.models.model import KAnonymity, View

PYCANON = "pycanon==1.3.6"
QUASI = ("age", "education", "marital-status", "occupation", "sex", "native-country")
NAMES = ("k", "distinct l", "entropy l", "recursive c", "alpha", "t", "basic beta", "enhanced beta", "delta")
WRONG = {
    "entropy l": "rounds e^H down, and 2 equally frequent values to 1",
    "recursive c": "takes the rarest value's count for the most frequent one's; none for l = 1",
    "enhanced beta": "joins the worst class's gain with the rarest value's limit; a class of one value has no beta",
    "delta": "leaves out values that a class lacks, whose logarithm is infinite",
}
"""Where pyCANON's values differ from the definitions, and why."""
SCRIPT = """
import json, sys, time
import pandas as pd
from pycanon import anonymity as a
data = pd.read_csv(sys.argv[1], dtype=str)
quasi, sensitive = json.loads(sys.argv[2]), [sys.argv[3]]
start = time.perf_counter()
values = [
    a.k_anonymity(data, quasi), a.l_diversity(data, quasi, sensitive), a.entropy_l_diversity(data, quasi, sensitive),
    a.recursive_c_l_diversity(data, quasi, sensitive)[0], a.alpha_k_anonymity(data, quasi, sensitive)[0],
    a.t_closeness(data, quasi, sensitive),
    a.basic_beta_likeness(data, quasi, sensitive),
    a.enhanced_beta_likeness(data, quasi, sensitive), a.delta_disclosure(data, quasi, sensitive),
]
print(json.dumps({"seconds": time.perf_counter() - start, "values": [float(v) for v in values]}))
"""


class Table(NamedTuple):
    frame: pl.DataFrame
    quasi: list[str]
    sensitive: str


def tables(adult: Path) -> dict[str, Table]:
    """Adult as it is, and coarsened."""
    frame = pl.read_csv(adult, separator=";", infer_schema=False).select(*QUASI, "salary-class")
    old = (pl.col("age").cast(pl.Int64) // 40 * 40).cast(pl.String).alias("age")
    return {
        "as it is": Table(frame, list(QUASI), "salary-class"),
        "coarsened": Table(frame.with_columns(old), ["age", "sex"], "marital-status"),
    }


def nine(table: Table) -> list[float]:
    """The nine values of a table, from its cells on."""
    frame, quasi, sensitive = table
    columns = [*quasi, sensitive]
    histogram = Histogram.of(frame.select(pl.col(c).alias(str(i)) for i, c in enumerate(columns)), range(len(columns)))
    coded = [histogram.coded(i) for i in range(len(columns))]
    last = len(quasi)
    classes = classes_of([c.codes for c in coded[:last]], [len(c.values) for c in coded[:last]], histogram.rows)
    view = View(classes, {last: tally(classes, coded[last].codes, len(coded[last].values), histogram.rows)})
    l = int(DistinctLDiversity(last, 1).value(view))  # noqa: E741
    models = [
        KAnonymity(1),
        DistinctLDiversity(last, 1),
        EntropyLDiversity(last, 1),
        RecursiveCLDiversity(last, 1, max(2, l)),
        AlphaKAnonymity(last, 1, 1),
        TCloseness(last, 1),
        BasicBetaLikeness(last, 1),
        EnhancedBetaLikeness(last, 1),
        DeltaDisclosure(last, 1),
    ]
    return [m.value(view) for m in models]


def pycanon(table: Table, cache: Path) -> dict[str, Any]:
    """What pyCANON says of the same table, in an environment of its own."""
    python = cache / "pycanon" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", cache / "pycanon"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PYCANON], check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.frame.write_csv(path)
        command = [python, "-W", "ignore", "-c", SCRIPT, path, json.dumps(table.quasi), table.sensitive]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def measured(table: Table, rounds: int) -> tuple[list[float], float]:
    """The values, and the median seconds."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        values = nine(table)
        seconds.append(time.perf_counter() - start)
    return values, float(np.median(seconds))


def shown(value: float) -> str:
    return "none" if not math.isfinite(value) else f"{value:.6g}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adult", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    about = processes.machine() | {"rounds": args.rounds, "peer": PYCANON}
    lines = [processes.heading(about, args.rounds)]
    for name, table in tables(args.adult).items():
        frame, quasi, sensitive = table
        values, seconds = measured(table, args.rounds)
        peer = pycanon(table, args.cache)
        about[name] = {
            "rows": len(frame),
            "quasi": quasi,
            "seconds": seconds,
            "values": [v if math.isfinite(v) else None for v in values],
        }
        about[name]["pycanon"] = peer | {"values": [v if math.isfinite(v) else None for v in peer["values"]]}
        lines += [f"### Adult {name}: {len(frame):,} rows, {len(quasi)} quasi-identifiers, sensitive {sensitive}", ""]
        lines += [
            f"piiscan {seconds:.3f} s, pyCANON {peer['seconds']:.1f} s: {peer['seconds'] / seconds:,.0f} times "
            "as fast.",
            "",
        ]
        lines += ["| check | piiscan | pyCANON | |", "|---|---|---|---|"]
        for check, ours, theirs in zip(NAMES, values, peer["values"], strict=True):
            same = math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12) or not (
                math.isfinite(ours) or math.isfinite(theirs)
            )
            if not same and check not in WRONG:
                print(f"unexplained difference: {name}, {check}: {ours} and {theirs}", file=sys.stderr)
            lines.append(
                f"| {check} | {shown(ours)} | {shown(theirs)} | {'' if same else WRONG.get(check, 'unexplained')} |"
            )
        lines.append("")
    page = "\n".join(lines)
    processes.save("risk", about, page, args.out)
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
