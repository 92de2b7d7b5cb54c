"""Whether results in parts are those of one machine, on folders of real tables and on Adult.

    python -m benchmarks.distributed_equality --tables DATA/columns DATA/columns-2 --adult DATA/anonymity/arx_adult

`--tables`: each file below `FOLDER/tables` that holds one table is cut into random parts, in any order, some of them
summed up twice; the report is compared with that of one machine, positions included, since each row carries its place
in the file. `--adult`: `adult.csv` and ARX's hierarchies, anonymised on Sail; the optimum is ARX's 3.9.2. Exits with 1
where anything differs.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

import piiscan
from benchmarks.distributed import sail, without_positions
from benchmarks.processes import RESULTS, machine, measured_on, save
from piiscan import distributed
from piiscan.core.errors import PiiscanError
from piiscan.engines.positions import FILE, ROW
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source

PARTS = 5
ARX = {("entropy", 0.04): 255559.85455731067, ("entropy", 0.0): 407289.5388925293}
"""What ARX 3.9.2 reaches with k = 5, by metric and share of rows that may be suppressed."""


def table_of(path: Path) -> pa.Table:
    """The cells of a file that holds one table. Raises `PiiscanError` for others."""
    opened = Source(str(path), None, ReadOptions()).opened()
    own = [(i, field) for i, field in enumerate(opened.info.fields) if field.parent is None]
    whole = pl.concat([batch.frame for batch in opened.batches()])
    names = [f"{field.name or 'column'}{'' if n == 0 else f'_{i}'}" for n, (i, field) in numbered(own)]
    columns = [whole[str(i)].to_arrow() for i, _ in own]
    return pa.table(dict(zip(names, columns, strict=True)))


def numbered(own: list[Any]) -> Iterator[tuple[int, Any]]:
    """Each column, and how many of its name came before."""
    seen: Counter[str | None] = Counter()
    for i, field in own:
        yield seen[field.name], (i, field)
        seen[field.name] += 1


def in_parts(table: pa.Table, draw: random.Random) -> dict[str, Any]:
    """The report from random parts, with rows where places are told."""
    spec = distributed.scan_spec(table, whole=True, files=["file"])
    placed = table.append_column(FILE, [["file"] * table.num_rows]).append_column(ROW, [range(table.num_rows)])
    rows = list(range(table.num_rows))
    draw.shuffle(rows)
    cuts = [0, *sorted(draw.randrange(len(rows) + 1) for _ in range(PARTS - 1)), len(rows)]
    parts = []
    for n in range(PARTS):
        own = placed.take(pa.array(rows[cuts[n] : cuts[n + 1]], pa.int64()))
        data = distributed.summarise(own.to_batches(max_chunksize=draw.randrange(50, 5000)), spec, n)
        parts += [data] * draw.randrange(1, 3)
    draw.shuffle(parts)
    plain: dict[str, Any] = distributed.finish(distributed.fold(parts), spec, parts=PARTS).to_dict()
    for found in plain["tables"]:
        for column in found["columns"]:
            for inside in column["inside"]:
                inside["first_rows"] = [place["row"] for place in inside.pop("first_places", [])]
    return plain


def compare_tables(folder: Path, seed: int) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    for path in sorted((folder / "tables").iterdir()):
        try:
            table = table_of(path)
        except (PiiscanError, pl.exceptions.PolarsError, pa.ArrowException):
            counts["skipped"] += 1  # several tables, or lists
            continue
        if not table.num_rows:
            counts["skipped"] += 1
            continue
        here, there = piiscan.scan(table).to_dict(), in_parts(table, random.Random(f"{seed} {path.name}"))
        counts["tables"] += 1
        counts["columns"] += len(here["tables"][0]["columns"])
        counts["places"] += sum(len(i["first_rows"]) for c in here["tables"][0]["columns"] for i in c["inside"])
        if json.dumps(here, sort_keys=True) != json.dumps(there, sort_keys=True):
            counts["other positions" if without_positions(here) == without_positions(there) else "other reports"] += 1
            print(f"differs: {path.name}", file=sys.stderr)
    return {"folder": folder.name, **counts}


def compare_adult(folder: Path) -> Iterator[dict[str, Any]]:
    from piiscan import spark as engine

    adult = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False).to_arrow()
    adult = adult.cast(pa.schema([(name, pa.string()) for name in adult.column_names]))
    with sail(2) as spark:
        frame = spark.createDataFrame(adult).repartition(7)
        for (metric, suppress), arx in ARX.items():
            asked: dict[str, Any] = {"k": 5, "quasi": adult.column_names, "method": "optimal", "metric": metric}
            asked |= {"suppress": suppress, "hierarchies": folder}
            found = engine.anonymize(frame, **asked)
            here = piiscan.anonymize(adult, **asked)
            rows, own = (Counter(map(str, t.to_pylist())) for t in (found.frame.toArrow(), here.frame))
            reports = ({**report, "warnings": ()} for report in (found.report, here.report))
            yield {
                "case": f"k = 5, {metric}, {suppress:.0%} suppressed",
                "value": found.report["value"],
                "arx": arx,
                "is_optimum": abs(found.report["value"] - arx) < 1e-6 * arx,
                "same_rows": rows == own,
                "same_report": next(reports) == next(reports),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path, nargs="*", default=[])
    parser.add_argument("--adult", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="write the result into benchmarks/results")
    asked = parser.parse_args()
    about = machine()
    tables = [compare_tables(folder, asked.seed) for folder in asked.tables]
    adult = list(compare_adult(asked.adult)) if asked.adult else []
    lines = [measured_on(about), ""]
    lines += [
        "| folder | tables | columns | places | other reports | other positions | skipped |",
        "|---|" + "---:|" * 6,
    ]
    names = ("tables", "columns", "places", "other reports", "other positions", "skipped")
    lines += [f"| {t['folder']} | " + " | ".join(f"{t.get(n, 0):,}" for n in names) + " |" for t in tables]
    lines += ["", "| Adult on Sail | value | ARX | rows of one machine | its report |", "|---|---:|---:|---|---|"]
    lines += [
        f"| {a['case']} | {a['value']:.4f} | {a['arx']:.4f} | {'yes' if a['same_rows'] else 'NO'} "
        f"| {'yes' if a['same_report'] else 'NO'} |"
        for a in adult
    ]
    page = "\n".join(lines) + "\n"
    print(page, flush=True)
    if asked.save:
        save("distributed-equality", {**about, "tables": tables, "adult": adult}, page, RESULTS)
    differs = any(t.get("other reports") or t.get("other positions") for t in tables)
    if differs or not all(a["is_optimum"] and a["same_rows"] and a["same_report"] for a in adult):
        sys.exit(1)


if __name__ == "__main__":
    main()
