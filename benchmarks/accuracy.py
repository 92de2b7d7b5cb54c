"""Scan folders of labelled tables and score the verdicts.

    python -m benchmarks.accuracy DATA_FOLDER... [--folds FOLDER] [--part open|closed] [--blank] [--rows N] [-o LINES]

A DATA_FOLDER holds `tables/`, `labels.csv` (one line a column: table_file, column, label, is_pii, alt_label, col_index,
n_nonempty), `sources.csv` (table_file, repo_or_package) and `formats.csv` (table_file, header_language). FOLDER is what
`models/train.py --folds FOLDER` wrote: each table is judged by a model that has seen no table of its source; without
it, by the shipped one. Of every folder but the first a third of the sources is closed (`models/labelled.py`): no model
has seen them, and `--part closed` prints totals of them alone. `--blank` takes the headers away, `--rows N` all rows
but the first N. `-o` keeps the prediction lines: {"table", "sub", "index", "column", "entity", "pii", "confidence",
"pii_confidence", "review"}.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import scoring
from piiscan.core.types import Found, InName, NotScanned, ScanReport, Skipped, Table, TableInfo
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))
from labelled import is_closed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA_FOLDER")
    parser.add_argument("-o", "--output", type=Path, metavar="LINES.jsonl")
    parser.add_argument("--folds", type=Path, help="models by fold, and folds.json")
    parser.add_argument("--part", choices=("open", "closed"), default="open")
    parser.add_argument("--blank", action="store_true", help="without headers")
    parser.add_argument("--rows", type=int, help="only the first so many rows of each table")
    arguments = parser.parse_args()
    read = ReadOptions(rows=arguments.rows)
    closed = arguments.part == "closed"
    lines, scored = [], {}
    for i, folder in enumerate(arguments.data):
        sources = {r["table_file"]: r["repo_or_package"] for r in scoring.read(folder / "sources.csv")}

        def wanted(source: str, first: bool = i == 0) -> bool:
            return closed == (not first and is_closed(source))

        files = [f for f in sorted((folder / "tables").iterdir()) if wanted(sources.get(f.name, f.name))]
        said = []
        for model, part in _parts(files, sources, arguments.folds):
            said += predictions(*scan(part, read, model, arguments.blank))
        scored[folder.name] = scoring.columns(folder, said, wanted)
        lines += said
    if arguments.output:
        arguments.output.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    how = "by models that have not seen the source" if arguments.folds else "by the shipped model"
    print(f"# {datetime.datetime.now(datetime.UTC).date()}, {arguments.part} sources, {how}", end="")
    print(", headers blanked" if arguments.blank else "")
    _show(scored, closed)


def _show(scored: Mapping[str, Sequence[scoring.Column]], closed: bool) -> None:
    every = [c for found in scored.values() for c in found]
    parts = {name: found for name, found in scored.items() if found}
    if len(parts) > 1:
        parts["all"] = every
    if not closed:
        parts["English headers"] = [c for c in every if c.language == "en"]
        parts["other headers"] = [c for c in every if c.language not in ("en", "none", "")]
        parts["no header"] = [c for c in every if c.language == "none"]
    for name, found in parts.items():
        if found:
            print(f"\n## {name}: {len(found):,} columns of {len({c.source for c in found})} sources")
            for figure, value in scoring.figures(found).items():
                print(f"{figure:36s} {value}")


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

    options = ScanOptions(model=None if model is None else str(model))
    return engine.scan_tables(found(), rule_sets.load(()), options), infos


def predictions(report: ScanReport, infos: Mapping[tuple[str, str | None], TableInfo]) -> list[dict[str, Any]]:
    """One line a column."""
    lines = []
    for table in report.tables:
        fields = infos[table.source, table.table].fields
        lines += [
            {
                "table": table.source.rsplit("/", 1)[-1],
                "sub": table.table,
                "index": column.index,
                "column": fields[column.index].name,
                "entity": column.entity,
                "pii": column.pii,
                "confidence": column.confidence,
                "pii_confidence": column.pii_confidence,
                "review": bool(column.review),
            }
            for column in table.columns
        ]
    return lines


def _parts(
    files: Sequence[Path], sources: Mapping[str, str], folds: Path | None
) -> list[tuple[Path | None, list[Path]]]:
    """Models, each with the tables that it is to judge."""
    if folds is None:
        return [(None, [*files])]
    fold: dict[str, int] = json.loads((folds / "folds.json").read_text(encoding="utf-8"))
    parts: dict[int, list[Path]] = {}
    for file in files:
        parts.setdefault(fold.get(sources.get(file.name, file.name), 0), []).append(file)
    return [(folds / f"fold_{k}.npz", found) for k, found in sorted(parts.items())]


if __name__ == "__main__":
    main()
