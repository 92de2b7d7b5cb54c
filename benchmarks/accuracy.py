"""Scan a folder of labelled tables and score the verdicts.

    python benchmarks/accuracy.py DATA_FOLDER [--folds FOLDER] [--blank] [--rows N] [-o PRED.jsonl] [--scorer score.py]

DATA_FOLDER holds `tables/` and `labels.csv` (one line a column: table_file, column, label, is_pii, alt_label,
col_index, n_nonempty) and, for half by half figures, `sources.csv` (table_file, repo_or_package). FOLDER is what
`models/train.py --folds FOLDER` wrote: each table is judged by a model that has seen no table of its source; without
it, by the shipped one, which has seen them all. `--blank` takes the headers away, `--rows N` all rows but the first N.
Prediction lines are {"table", "sub", "index", "entity", "pii", "confidence"}. The scorer is run as `python score.py
LABELS.csv PRED.jsonl`; it is looked for beside DATA_FOLDER unless given. Without one, only the lines are written.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from piiscan.core.types import Found, InName, NotScanned, ScanReport, Skipped, Table, TableInfo
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.rules import rule_sets
from piiscan.scanning import engine

Row = Mapping[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("-o", "--output", type=Path, metavar="PRED.jsonl")
    parser.add_argument("--scorer", type=Path)
    parser.add_argument("--folds", type=Path, help="models by fold, and folds.json")
    parser.add_argument("--blank", action="store_true", help="without headers")
    parser.add_argument("--rows", type=int, help="only the first so many rows of each table")
    arguments = parser.parse_args()
    labels = _read(arguments.data / "labels.csv")
    read = ReadOptions(rows=arguments.rows)
    lines = []
    for model, files in _parts(arguments.data, arguments.folds):
        lines += predictions(*scan(files, read, model, arguments.blank), labels)
    with tempfile.TemporaryDirectory() as folder:
        output = arguments.output or Path(folder) / "pred.jsonl"
        output.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        scorer = arguments.scorer or arguments.data.resolve().parent.parent / "score.py"
        if not scorer.is_file():
            print(f"{len(lines)} prediction lines; no scorer at {scorer.name}: give one with --scorer", file=sys.stderr)
            return 0
        how = "by sources not seen" if arguments.folds else "by the shipped model"
        how += ", headers blanked" if arguments.blank else ""
        print(f"# {datetime.datetime.now(datetime.UTC).date()}: every table, {how}", flush=True)
        status = _score(scorer, arguments.data / "labels.csv", output)
        halves = _halves(arguments.data / "sources.csv")
        for half in (0, 1) if halves else ():
            part = Path(folder) / f"half_{half}.csv"
            _write(part, [row for row in labels if halves.get(row["table_file"]) == half])
            print(f"\n# sources of half {half}", flush=True)
            _score(scorer, part, output)
    return status


class Unnamed:
    """A table without its header."""

    def __init__(self, table: Table) -> None:
        self.info = table.info._replace(fields=tuple(f._replace(name=None) for f in table.info.fields), header=False)
        self.batches = table.batches


def scan(
    files: Sequence[Path], read: ReadOptions, model: Path | None, blank: bool
) -> tuple[ScanReport, dict[tuple[str, str | None], TableInfo]]:
    """The report on some files, and what their tables are as read."""
    infos: dict[tuple[str, str | None], TableInfo] = {}

    def found() -> Iterator[Found]:
        for item in inputs.discover([str(f) for f in files], read):
            if isinstance(item, NotScanned | Skipped | InName):
                yield item
                continue
            infos[item.info.source, item.info.table] = item.info
            yield Unnamed(item) if blank else item

    options = engine.ScanOptions(model=None if model is None else str(model))
    return engine.scan_tables(found(), rule_sets.load(()), options), infos


def predictions(
    report: ScanReport, infos: Mapping[tuple[str, str | None], TableInfo], labels: Iterable[Row]
) -> list[dict[str, Any]]:
    """One line a column. In labels of databases, `Table.Column` with an index over the whole file names a column."""
    numbered = {(row["table_file"], row["column"]): int(row["col_index"]) for row in labels}
    lines = []
    for table in report.tables:
        name = table.source.rsplit("/", 1)[-1]
        fields = infos[table.source, table.table].fields
        for column in table.columns:
            index = numbered.get((name, f"{table.table}.{fields[column.index].name}"), column.index)
            lines.append(
                {
                    "table": name,
                    "sub": table.table,
                    "index": index,
                    "entity": column.entity,
                    "pii": column.pii,
                    "confidence": column.confidence,
                }
            )
    return lines


def _parts(data: Path, folds: Path | None) -> list[tuple[Path | None, list[Path]]]:
    """Models, each with the tables that it is to judge."""
    files = sorted((data / "tables").iterdir())
    if folds is None:
        return [(None, files)]
    fold: dict[str, int] = json.loads((folds / "folds.json").read_text(encoding="utf-8"))
    sources = {row["table_file"]: row["repo_or_package"] for row in _read(data / "sources.csv")}
    parts: dict[int, list[Path]] = {}
    for file in files:
        parts.setdefault(fold.get(sources.get(file.name, file.name), 0), []).append(file)
    return [(folds / f"fold_{k}.npz", found) for k, found in sorted(parts.items())]


def _halves(sources: Path) -> dict[str, int]:
    """Tables by half of their sources, so that a source lies wholly in one."""
    if not sources.is_file():
        return {}
    return {row["table_file"]: hashlib.md5(row["repo_or_package"].encode()).digest()[0] & 1 for row in _read(sources)}


def _score(scorer: Path, labels: Path, lines: Path) -> int:
    return subprocess.run([sys.executable, str(scorer), str(labels), str(lines)], check=False).returncode


def _read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: list[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
