"""What a scan counts against the slow engine, every pattern on every cell, over random rows of a CSV file.

`python -m benchmarks.counts FILE --rows 20000 --seed 1` prints JSON: how many cells were compared, how many rules had a
candidate, and the differences, each as column and rule.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from piiscan.detection.summary.hit_counts import RuleHits

PIECE = 2000
"""Cells that a worker gets at a time."""


def sample(path: Path, rows: int, seed: int) -> pl.DataFrame:
    """Random rows in their order, as strings."""
    import numpy as np
    import polars as pl

    lazy = pl.scan_csv(path, infer_schema=False)
    total = lazy.select(pl.len()).collect().item()
    chosen = np.sort(np.random.default_rng(seed).choice(total, min(rows, total), replace=False)).astype(np.uint32)
    return (
        lazy.with_row_index("#")
        .filter(pl.col("#").is_in(pl.Series(chosen).implode()))
        .drop("#")
        .collect(engine="streaming")
    )


def slow(job: tuple[str, list[str | None], int]) -> dict[str, RuleHits]:
    """A piece of a column (its header, its cells, the number of its first row), by the reference."""
    from piiscan.detection.matching.reference import cell_hits
    from piiscan.detection.summary.hit_counts import Hits, RuleHits
    from piiscan.rules.rule_sets import shipped

    header, cells, first = job
    compiled = shipped()
    named = compiled.rules.named(header)
    found: dict[str, RuleHits] = defaultdict(RuleHits)
    for row, cell in enumerate(cells, first):
        for hit in cell_hits(cell or "", compiled, named):
            one = Hits(1, int(hit.passed), (row,) if hit.passed else ())
            found[hit.rule] += RuleHits(whole=one) if hit.whole else RuleHits(within=one)
    return dict(found)


def compare(path: Path, rows: int, seed: int) -> dict[str, Any]:
    from piiscan.core.types import Field
    from piiscan.detection.summary.hit_counts import RuleHits
    from piiscan.rules.rule_sets import shipped
    from piiscan.scanning import engine

    frame = sample(path, rows, seed)
    fields = tuple(Field(name) for name in frame.columns)
    quick = engine.partial(
        frame.rename({name: str(i) for i, name in enumerate(frame.columns)}), fields, shipped().rules, 0
    )
    jobs = [(c, frame[c].slice(at, PIECE).to_list(), at) for c in frame.columns for at in range(0, len(frame), PIECE)]
    expected: dict[tuple[str, str], RuleHits] = defaultdict(RuleHits)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for (column, _, _), found in zip(jobs, pool.map(slow, jobs), strict=True):
            for rule, hits in found.items():
                expected[column, rule] += hits
    counted = {
        (c, rule): hits
        for c, summary in zip(frame.columns, quick.columns, strict=True)
        for rule, hits in summary.hits.items()
    }
    return {
        "rows": len(frame),
        "cells": frame.height * frame.width,
        "rules": len({rule for _, rule in expected}),
        "differences": [
            {"column": column, "rule": rule}
            for column, rule in sorted(expected.keys() | counted.keys())
            if expected.get((column, rule), RuleHits()) != counted.get((column, rule), RuleHits())
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(json.dumps(compare(args.path, args.rows, args.seed)))


if __name__ == "__main__":
    main()
