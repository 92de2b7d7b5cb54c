"""Take schemas out of `schemas/*.txt` that look like a labelled table, so that what is learned from general knowledge
stays that.

    python models/check_schemas.py DATA_FOLDER... [--remove]

A schema looks like a table if three of its columns and a third of all have a header of the table's, in any spelling.
Tables of the closed third are compared too: only counts are printed, and no table's name.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from generate_schemas import FOLDER, Schema, parse

from piiscan.core.header_words import fold

FEWEST, SHARE = 3, 1 / 3
"""Columns in common, at least, and of how many."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA_FOLDER")
    parser.add_argument("--remove", action="store_true", help="take them out of the files")
    arguments = parser.parse_args()
    known = [headers for folder in arguments.data for headers in _tables(folder)]
    for path in sorted(FOLDER.glob("*.txt")):
        blocks = path.read_text(encoding="utf-8").split("\n\n")
        kept = [block for block in blocks if not any(_looks_like(s, t) for s in parse(block) for t in known)]
        if len(kept) < len(blocks):
            print(f"{path.name}: {len(blocks) - len(kept)} schemas look like a labelled table")
            if arguments.remove:
                path.write_text("\n\n".join(kept).rstrip("\n") + "\n", encoding="utf-8")


def _tables(folder: Path) -> Iterator[frozenset[str]]:
    """The headers of each labelled table."""
    headers: dict[str, set[str]] = defaultdict(set)
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            headers[row["table_file"]].add(_plain(row["column"]))
    yield from map(frozenset, headers.values())


def _looks_like(schema: Schema, table: frozenset[str]) -> bool:
    common = sum(not table.isdisjoint(map(_plain, column.headers)) for column in schema.columns)
    return common >= FEWEST and common >= SHARE * len(schema.columns)


def _plain(header: str) -> str:
    """Letters and digits of a header, folded."""
    return "".join(filter(str.isalnum, fold(header)))


if __name__ == "__main__":
    main()
