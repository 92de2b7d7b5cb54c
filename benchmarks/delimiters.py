"""Whether files of one value and several are read as Python's csv module wrote them: `python -m benchmarks.delimiters`
prints JSON.

Every entity (with `--rules`: every rule) alone, with one and with six other columns, in every delimiter, with a header
and without, in 1, 5, 40 and 3,000 rows, under every ending. A misreading is *said* where the reader notes that another
delimiter would fit as well.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from piiscan.core.types import NotScanned, Skipped
from piiscan.io.inputs import discover
from piiscan.io.read_options import ReadOptions

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from delimited_tables import Case, Column, cases, columns, entities, table, written

SHOWN = 40


def outcome(case: Case, folder: Path) -> str:
    """How a case is read: "right", or what is wrong, with "said" where a note tells of it. Lines of sentences are no
    list: text."""
    names, rows = table(case)
    path = folder / f"table{case.ending}"
    path.write_text(written(case), "utf-8", newline="")
    found = list(discover([str(path)], ReadOptions()))
    first = found[0]
    if isinstance(first, NotScanned | Skipped):
        return "not read"
    if first.info.format == "text" and case.beside == 0 and case.column.entity == "FREE_TEXT":
        names, rows, case = ["text"], [[line] for line in written(case).split("\n")[:-1]], case._replace(header=False)
    said = " (said)" if first.info.notes else ""
    width = len(names)
    if (found_width := len(first.info.fields)) != width:
        if found_width == 1:
            return f"one column{said}"
        return f"{'too many' if found_width > width else 'too few'} columns{said}"
    if len(found) > 1:
        return f"lines taken for a preamble{said}"
    if first.info.header != case.header:
        return f"{'header missed' if case.header else 'row lost as header'}{said}"
    cells = [list(row) for batch in first.batches() for row in batch.frame.rows()]
    return "right" if cells == rows else f"other cells{said}"


def of_column(column: Column) -> tuple[Counter[str], dict[str, list[str]]]:
    """The outcomes of all cases of a column, and some misreadings of each kind."""
    counts: Counter[str] = Counter()
    shown: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in cases([column]):
            result = outcome(case, Path(folder))
            counts[f"{result}, {case.rows} rows" if result != "right" else result] += 1
            if result != "right" and len(shown.setdefault(result, [])) < SHOWN:
                shown[result].append(str(case))
    return counts, shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rules", action="store_true", help="each rule's examples rather than one column for each entity"
    )
    parser.add_argument(
        "--show", action="store_true", help=f"list up to {SHOWN} misreadings of each kind and column too"
    )
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    shown: dict[str, list[str]] = {}
    with ProcessPoolExecutor(args.jobs) as pool:
        for found, some in pool.map(of_column, columns() if args.rules else entities()):
            counts += found
            for result, texts in some.items():
                shown.setdefault(result, []).extend(texts)
    report = {"cases": counts.total(), **dict(sorted(counts.items(), key=lambda pair: -pair[1]))}
    print(json.dumps(report | ({"shown": shown} if args.show else {}), indent=1))


if __name__ == "__main__":
    main()
