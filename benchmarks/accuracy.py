"""Scan a folder of labelled tables and score the verdicts.

    python benchmarks/accuracy.py DATA_FOLDER [-o PRED.jsonl] [--scorer score.py]

DATA_FOLDER holds `tables/` and `labels.csv` (one line a column: table_file, column, label, is_pii, alt_label, col_index, n_nonempty) and, for
half by half figures, `sources.csv` (table_file, repo_or_package). The scan is `piiscan scan DATA_FOLDER/tables -f json`, in a
process of its own. Prediction lines are {"table", "sub", "index", "entity", "pii", "confidence"}. The scorer is run as
`python score.py LABELS.csv PRED.jsonl`; it is looked for beside DATA_FOLDER unless given. Without one, only the lines are written.
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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Row = Mapping[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("-o", "--output", type=Path, metavar="PRED.jsonl")
    parser.add_argument("--scorer", type=Path)
    arguments = parser.parse_args()
    labels = _read(arguments.data / "labels.csv")
    lines = predictions(scan(arguments.data / "tables"), labels)
    with tempfile.TemporaryDirectory() as folder:
        output = arguments.output or Path(folder) / "pred.jsonl"
        output.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        scorer = arguments.scorer or arguments.data.resolve().parent.parent / "score.py"
        if not scorer.is_file():
            print(f"{len(lines)} prediction lines; no scorer at {scorer.name}: give one with --scorer", file=sys.stderr)
            return 0
        print(f"# {datetime.datetime.now(datetime.UTC).date()}: every table", flush=True)
        status = _score(scorer, arguments.data / "labels.csv", output)
        halves = _halves(arguments.data / "sources.csv")
        for half in (0, 1) if halves else ():
            part = Path(folder) / f"half_{half}.csv"
            _write(part, [row for row in labels if halves.get(row["table_file"]) == half])
            print(f"\n# sources of half {half}", flush=True)
            _score(scorer, part, output)
    return status


def scan(tables: Path) -> dict[str, Any]:
    """The report on a folder, by the command line."""
    command = [sys.executable, "-m", "piiscan", "scan", str(tables), "-f", "json", "--fail-on", "never", "--allow-incomplete"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def predictions(report: dict[str, Any], labels: Iterable[Row]) -> list[dict[str, Any]]:
    """One line a column. In labels of databases, `Table.Column` with an index over the whole file names a column."""
    numbered = {(row["table_file"], row["column"]): int(row["col_index"]) for row in labels}
    lines = []
    for table in report["tables"]:
        name = table["source"].rsplit("/", 1)[-1]
        for column in table["columns"]:
            index = numbered.get((name, f"{table['table']}.{column['name']}"), column["index"])
            lines.append({"table": name, "sub": table["table"], "index": index, **{k: column[k] for k in ("entity", "pii", "confidence")}})
    return lines


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
