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
COLUMNS = ["first_name", "last_name", "city", "born"]


def in_review(path: Path, value: Any) -> list[str | None]:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return [column.name for table in piiscan.scan(path).tables for column in table.columns if column.review]


@pytest.mark.parametrize(
    ("value", "column"),
    [
        ({"results": [{"series": [{"columns": COLUMNS, "values": ROWS}]}]}, "series[].values[]"),
        ({"sheets": [{"rowData": [{"values": [{"v": c} for c in row]} for row in ROWS]}]}, "rowData[].values[].v"),
        (
            {"data": [{"id": i, "answers": [{"text": c} for c in row]} for i, row in enumerate(ROWS)]},
            "answers[].text",
        ),
        ({"data": [{"type": "table", "cells": [list(row) for row in zip(*ROWS, strict=True)]}]}, "cells"),
    ],
    ids=["series", "grid", "answers", "columns"],
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
        [["2024-01-01", "open"], ["2024-01-02", "closed"], ["2024-01-03", "won"]],
    ],
)
def test_lists_of_other_words_are_not(tmp_path: Path, values: list[list[str]]) -> None:
    assert in_review(tmp_path / "data.json", [{"id": i, "tags": tags} for i, tags in enumerate(values)]) == []
