"""What reversible operators mask comes back exactly: 200 random tables from file to file and back, through the doors
of the commands."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from random_tables import READ, Operators, plan_of, table

from piiscan.core.keys import Key
from piiscan.masking.request import MaskRequest
from piiscan.masking.run.mask_files import mask_files
from piiscan.masking.run.unmask_files import unmask_files
from piiscan.rules import rule_sets

KEY = Key(bytes(range(32)))
KINDS = ("csv", "parquet", "jsonl", "parquet")
TABLES, TOGETHER = 200, 20


def _write(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(frame.columns)
            out.writerows(["" if cell is None else cell for cell in row] for row in frame.rows())
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_parquet(path)


def _read(path: Path, frame: pl.DataFrame) -> pl.DataFrame:
    """The table at `path`, as its own library reads it and not as piiscan does."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        return pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row").with_columns(
            pl.all().replace("", None)
        )
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        return pl.DataFrame(rows, schema=dict.fromkeys(frame.columns, pl.Object), orient="row")
    return pl.read_parquet(path)


def _hidden(before: pl.DataFrame, after: pl.DataFrame, operators: Operators) -> None:
    """Nulls stay, equal cells and no others are equal, and what a token or a code stands for isn't in its cell."""
    for (name, _), old, new in zip(operators, before.iter_columns(), after.iter_columns(), strict=True):
        was, now = old.to_list(), new.to_list()
        assert [cell is None for cell in was] == [cell is None for cell in now]
        pairs = {(str(a), str(b)) for a, b in zip(was, now, strict=True) if a not in (None, "")}
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        if name in ("token", "code"):
            assert not any(a == b for a, b in pairs)
        else:
            assert all(len(a) > 2 or a != b for a, b in pairs if name == "fpe" and not a.isdigit())


@pytest.mark.parametrize("first", range(0, TABLES, TOGETHER))
def test_reversible_operators_give_every_table_back(tmp_path: Path, first: int) -> None:
    rules = rule_sets.load(())
    for seed in range(first, first + TOGETHER):
        kind = KINDS[seed % len(KINDS)]
        frame, operators = table(seed, kind)
        source, masked, back = (tmp_path / f"{name}-{seed}.{kind}" for name in ("source", "masked", "back"))
        _write(frame, source)
        plan = plan_of(source, operators, tmp_path / f"vault-{seed}")
        done = mask_files(source, masked, plan, KEY, rules, READ, MaskRequest(verify=seed % 4 == 1, jobs=1))
        assert done.verified, (seed, done.promises)
        unmask_files(masked, back, plan, KEY, rules, READ)
        if kind == "parquet":
            assert_frame_equal(_read(back, frame), frame, categorical_as_str=True)
        else:
            assert back.read_bytes() == source.read_bytes(), f"table {seed}"
        _hidden(_read(source, frame), _read(masked, frame), operators)
