"""Lists whose values are cells of several columns: no report says of them that nothing personal is there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import piiscan

ROWS = [
    ["Anna", "Kernweiler", "Oldenburg", "1984-03-17"],
    ["Robert", "Ashworth", "Leeds", "1960-08-21"],
    ["Giulia", "Bertolini", "Bologna", "1973-05-05"],
    ["Sarah", "Schmidt", "Chicago", "1982-10-10"],
    ["Thomas", "Moreau", "Lyon", "1968-01-30"],
    ["Katarzyna", "Kowalska", "Toruń", "1979-11-02"],
    ["Maria", "Fernández", "Sevilla", "1991-06-25"],
    ["Mehmet", "Yılmaz", "Ankara", "1987-12-12"],
]


def in_review(path: Path, value: Any) -> list[str | None]:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return [column.name for table in piiscan.scan(path).tables for column in table.columns if column.review]


@pytest.mark.parametrize(
    ("value", "column"),
    [
        (
            {"results": [{"series": [{"values": [row[: 3 + i % 2] for i, row in enumerate(ROWS)]}]}]},
            "series[].values[]",
        ),
        ({"sheets": [{"rowData": [{"values": [{"v": c} for c in row]} for row in ROWS]}]}, "rowData[].values[].v"),
        (
            {"data": [{"id": i, "answers": [{"text": c} for c in row]} for i, row in enumerate(ROWS)]},
            "answers[].text",
        ),
        (
            {"data": [{"answers": [{"text": text} for text in "Anna,Smith,ann@web.de,yes,12,green,Leeds".split(",")]}]},
            "answers[].text",
        ),
        ({"data": [{"type": "table", "cells": [[row[i] for row in ROWS[i:]] for i in range(4)]}]}, "cells"),
    ],
    ids=["series", "grid", "answers", "addresses", "columns"],
)
def test_rows_without_named_columns_are_in_review(tmp_path: Path, value: Any, column: str) -> None:
    assert column in in_review(tmp_path / "data.json", value)


@pytest.mark.parametrize(
    "values",
    [
        [["red", "green", "summer", "sale"], ["rose", "amber", "wood", "new"], ["stone", "oak", "hope", "black"]],
        [["Paris", "London", "Berlin"], ["Austin", "Charlotte", "Lyon"], ["Leeds", "Oldenburg", "Bologna"]],
        [["admin", "editor"], ["viewer", "owner"], ["guest", "baker"]],
        [["Mozilla", "Chrome"], ["Safari", "Opera"], ["Firefox", "Edge"]],
        [["stable", "help@web.de", "release"], ["nightly", "broken"], ["pinned", "deprecated", "amd64"]],
        [["2024-01-01", "open"], ["2024-01-02", "closed"], ["2024-01-03", "won"]],
    ],
)
def test_lists_of_other_words_are_not(tmp_path: Path, values: list[list[str]]) -> None:
    assert in_review(tmp_path / "data.json", [{"id": i, "tags": tags} for i, tags in enumerate(values)]) == []


def line(number: int, row: list[str]) -> str:
    """A line of cells of fixed widths."""
    first, last, city, born = row
    return f"{number:06d}{last.upper():<20}{first.upper():<15}{born.replace('-', '')}{city.upper():<15}0001"


def test_lines_of_fixed_widths_with_names_are_in_review(tmp_path: Path) -> None:
    path = tmp_path / "export.dat"
    path.write_text("".join(line(i, row) + "\n" for i, row in enumerate(ROWS)), encoding="utf-8")
    (column,) = (c for table in piiscan.scan(path).tables for c in table.columns)
    assert column.review or column.pii != "none" or column.inside


@pytest.mark.parametrize(
    "row",
    [
        "-rw-r--r--  1 root  staff   {n:5d}  Mar  1 10:0{n}  report-{n}.txt",
        "2024-03-01 10:00:0{n}  INFO   scheduler   job {n} has started",
        "{n:03d}  BOLT M{n} X 20           STEEL     12.50  EUR",
        "Chapter {n}    The long road to the north          1{n}",
    ],
)
def test_other_lines_of_fixed_widths_are_not(tmp_path: Path, row: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text("".join(row.format(n=n) + "\n" for n in range(9)), encoding="utf-8")
    assert not [c.name for table in piiscan.scan(path).tables for c in table.columns if c.review]
