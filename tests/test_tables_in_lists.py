"""Tables whose rows are lists, within elements of other lists: with names beside them, in their first row, or none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastavro
import pytest
from test_json_layouts import tables
from test_write import again, shout

import piiscan
from piiscan.core.keys import Key
from piiscan.io.read_options import ReadOptions
from piiscan.masking.run.mask_files import mask_files
from piiscan.rules import rule_sets

KEY = Key(bytes(range(60, 92)))
NAMES = ["id", "first_name", "last_name", "email", "city", "salary"]
ROWS: list[list[Any]] = [
    [17, "Anna", "Kernweiler", "anna.kernweiler@web.de", "Oldenburg", 52000],
    [18, "Robert", "Ashworth", "r.ashworth@web.de", "Leeds", 48000],
    [19, "Giulia", "Bertolini", "giulia@web.de", None, 61000],
    [20, "Sarah", "Schmidt", "s.schmidt@web.de", "Chicago", 39500],
    [21, "Katarzyna", "Kowalska", None, "Lublin", 45500],
]
PEOPLE = [cell for row in ROWS for cell in row[1:4] if cell]
FOUND = {"FIRST_NAME", "LAST_NAME", "EMAIL_ADDRESS", "CITY", "INCOME"}
DESCRIBED = [{"name": name, "type": "text"} for name in NAMES]
COUNTS = {"columns": ["page", "hits"], "values": [["/a", 3], ["/b", None]]}
TEXTS = [[None if cell is None else str(cell) for cell in row] for row in ROWS]
COLUMNS = [list(column) for column in zip(*ROWS, strict=True)]
"""The same table, column by column."""
GERMAN = ["Nr", "Vorname", "Nachname", "E-Mail", "Ort", "Gehalt"]

DOCUMENTS: dict[str, Any] = {
    "names beside": {"results": [{"series": [{"name": "users", "columns": NAMES, "values": ROWS}, COUNTS]}]},
    "rows in objects": {
        "results": [{"columns": NAMES, "data": [{"row": row, "meta": [None] * 6} for row in ROWS]}],
        "errors": [],
    },
    "described": [{"columns": DESCRIBED, "rows": ROWS}, {"columns": [{"name": "sku"}], "rows": [["A1"], ["B2"]]}],
    "described above": {"cards": [{"id": 1, "meta": {"view": {"columns": DESCRIBED}}, "data": {"rows": ROWS}}]},
    "cells in objects": {
        "jobs": [{"schema": {"fields": DESCRIBED}, "rows": [{"f": [{"v": c} for c in row]} for row in ROWS]}]
    },
    "first row": {
        "valueRanges": [{"range": "A1:F6", "values": [GERMAN, *TEXTS]}, {"values": [["a", "b"], ["c", "d"]]}]
    },
    "first row of cells": {
        "sheets": [
            {
                "data": [
                    {
                        "rowData": [
                            {"values": [{"formattedValue": c} if c else {} for c in row]} for row in [GERMAN, *TEXTS]
                        ]
                    }
                ]
            }
        ]
    },
    "columns": {"frames": [{"schema": {"fields": DESCRIBED}, "data": {"values": COLUMNS}}]},
    "no names": {"parts": [{"kind": "table", "cells": ROWS}, {"kind": "text", "cells": [["a"], ["b"]]}]},
    "first of columns": {
        "parts": [{"cells": [[n, *c] for n, c in zip(GERMAN, zip(*TEXTS, strict=True), strict=True)]}]
    },
    "columns without names": {"parts": [{"kind": "table", "cells": COLUMNS}]},
}


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8")
    return path


def entities(path: Path) -> set[str]:
    return {c.entity for t in piiscan.scan(path).tables for c in t.columns if c.pii != "none" and c.entity}


def names(path: Path) -> set[str | None]:
    return {c.name for t in piiscan.scan(path).tables for c in t.columns}


def masked(path: Path) -> str:
    out = path.with_name(f"out_{path.name}")
    mask_files(path, out, piiscan.plan(path), KEY, rule_sets.load(()), ReadOptions())
    return out.read_text(encoding="utf-8")


def form(value: Any) -> Any:
    """A value with nothing instead of its texts and numbers."""
    if isinstance(value, dict):
        return {key: form(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [form(inner) for inner in value]
    return value and type(value)()


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


@pytest.mark.parametrize("kind", [*DOCUMENTS])
def test_columns_of_rows_in_lists_are_found(tmp_path: Path, kind: str) -> None:
    found = entities(written(tmp_path / "people.json", DOCUMENTS[kind]))
    assert found >= (FOUND - {"INCOME"} if "no" in kind.split() or "without" in kind else FOUND)
    assert "USERNAME" not in found


@pytest.mark.parametrize("kind", [*DOCUMENTS])
def test_masks_of_rows_in_lists_are_written_where_they_stood(tmp_path: Path, kind: str) -> None:
    text = masked(written(tmp_path / "people.json", DOCUMENTS[kind]))
    assert not [cell for cell in PEOPLE if re.search(rf"\b{re.escape(cell)}\b", text)]
    heads = GERMAN if "first" in kind else [] if kind.endswith("names") else NAMES
    assert all(f'"{name}"' in text for name in heads)
    assert form(json.loads(text)) == form(DOCUMENTS[kind])


@pytest.mark.parametrize("kind", [*DOCUMENTS])
def test_what_does_not_change_keeps_its_bytes(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / "people.json", DOCUMENTS[kind])
    assert again(path).read_bytes() == path.read_bytes()
    loud = json.loads(again(path, shout).read_text(encoding="utf-8"))
    assert {text for text in texts(loud) if text != text.upper()} <= {*NAMES, *GERMAN, "page", "hits", "sku"}


def test_a_record_that_describes_itself_is_written_as_it_was_read(tmp_path: Path) -> None:
    value = {"top": [{"rows": [{"f": [{"v": "a"}]}], "values": [["b"], ["c"]], "names": ["mean"], "id": "name"}]}
    loud = again(written(tmp_path / "data.json", value), shout).read_text(encoding="utf-8")
    assert [*texts(json.loads(loud))] == ["A", "B", "C", "mean", "NAME"]


@pytest.mark.parametrize("rows", [ROWS[:1], ROWS[1:3]])
def test_few_rows_are_rows(tmp_path: Path, rows: list[list[Any]]) -> None:
    for n, value in enumerate(
        (
            {"results": [{"series": [{"columns": NAMES, "values": rows}]}]},
            {"results": [{"columns": NAMES, "data": [{"row": row, "meta": [None] * 6} for row in rows]}]},
            {"frames": [{"schema": {"fields": DESCRIBED}, "data": {"values": [*map(list, zip(*rows, strict=True))]}}]},
        )
    ):
        left = {*texts(json.loads(masked(written(tmp_path / f"{n}.json", value))))}
        assert not left & {cell for row in rows for cell in row[1:4]}


def test_tables_in_lists_of_lines_texts_and_other_formats(tmp_path: Path) -> None:
    table = {"columns": NAMES, "values": ROWS}
    lines = written(tmp_path / "people.jsonl", "".join(json.dumps({"id": i, **table}) + "\n" for i in range(3)))
    cells = written(
        tmp_path / "people.csv",
        "n,answer\n" + "".join(f'{i},"{json.dumps(table).replace(chr(34), chr(34) * 2)}"\n' for i in range(3)),
    )
    tree = written(
        tmp_path / "people.yaml",
        "parts:\n- columns: [id, first_name, last_name, email, city, salary]\n  rows:\n"
        + "".join(f"  - {json.dumps(row)}\n" for row in ROWS),
    )
    for path in (lines, cells, tree):
        assert entities(path) >= FOUND
        text = masked(path)
        assert not [cell for cell in PEOPLE if cell in text], path
        assert "first_name" in text


def test_tables_in_avro(tmp_path: Path) -> None:
    row = {"type": "array", "items": ["null", "string"]}
    fields = [{"name": "columns", "type": row}, {"name": "rows", "type": {"type": "array", "items": row}}]
    path = tmp_path / "people.avro"
    with path.open("wb") as file:
        schema = {"type": "record", "name": "answer", "fields": fields}
        fastavro.writer(
            file, schema, [{"columns": NAMES, "rows": TEXTS}, {"columns": ["page", "hits"], "rows": [["a", "b"]]}]
        )
    out = tmp_path / "out.avro"
    mask_files(path, out, piiscan.plan(path), KEY, rule_sets.load(()), ReadOptions())
    with out.open("rb") as file:
        first, second = fastavro.reader(file)
    assert first["columns"] == NAMES
    assert second == {"columns": ["page", "hits"], "rows": [["a", "b"]]}
    assert not {cell for row in first["rows"] for cell in row} & {*PEOPLE}


@pytest.mark.parametrize("kind", ["names beside", "cells in objects", "first row", "no names", "columns without names"])
def test_cells_of_columns_that_go_leave_their_places_empty(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / "people.json", DOCUMENTS[kind])
    (table,) = [t for t in piiscan.scan(path).tables if any(c.entity == "LAST_NAME" for c in t.columns)]
    (column,) = [c.index for c in table.columns if c.entity == "LAST_NAME"]
    done = again(path, dropped=[column]).read_text(encoding="utf-8")
    assert "Kernweiler" not in {*texts(json.loads(done))}
    assert "Anna" in done
    assert re.findall(r'"(?:last_name|Nachname)"', done) == re.findall(r'"(?:last_name|Nachname)"', path.read_text())


@pytest.mark.parametrize(
    "value",
    [
        {"names": ["Anna Kernweiler", "Robert Ashworth"], "scores": [[1, 2], [3, 4]]},
        {"columns": ["date", "city", "count", "Anna Kernweiler"], "values": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 8, 7, 6]]},
        {"people": [{"name": "Anna Kernweiler"}, {"name": "Robert Ashworth"}], "scores": [[1, 2], [3, 4]]},
        {"columns": ["first_name", "last_name"], "points": [[1, 2, 3], [3, 4, 5], [5, 6, 7]]},
        {"columns": ["first_name", "first_name"], "points": [[1, 2], [3, 4]]},
        {
            "left": [{"name": "iban"}, {"name": "email"}],
            "right": [{"name": "id"}, {"name": "city"}],
            "p": [[1, 2], [3, 4]],
        },
        {"columns": ["first_name", "last_name"], "rows": [{"id": 1, "n": 2, "tags": ["a", "b"]}]},
        {"columns": [{"name": "first_name", "cells": [1, 2]}, {"name": "city", "cells": [3, 4]}]},
    ],
    ids=[
        "persons",
        "some persons",
        "described persons",
        "more cells",
        "repeated",
        "two lists",
        "beside others",
        "in descriptions",
    ],
)
def test_lists_beside_others_that_do_not_name_columns_are_cells(tmp_path: Path, value: Any) -> None:
    """All texts in the document are cells, so that they are looked at and masked."""
    path = written(tmp_path / "data.json", {"parts": [value]})
    cells = [cell for rows in tables(path).values() for row in rows for cells in row for cell in cells or ()]
    assert sorted(cell for cell in cells if cell in {*texts(value)}) == sorted(texts(value))


@pytest.mark.parametrize("rows", [[["name", "ann.stone@corp.org"], ["x", {}]], [["name", "ann.stone@corp.org"], ["x"]]])
def test_names_of_columns_are_looked_at(tmp_path: Path, rows: list[list[Any]]) -> None:
    for n, value in enumerate(
        ({"columns": ["name", "city", rows[0][1]], "rows": [[*rows[1], 1, 2][:3]]}, {"rows": rows})
    ):
        report = piiscan.scan(written(tmp_path / f"{n}.json", {"parts": [value]}))
        found = {name.entity for name in report.in_names} | {c.entity for c in report.columns}
        assert "EMAIL_ADDRESS" in found | {i.entity for c in report.columns for i in c.inside}


def test_rows_without_their_last_cells_are_rows(tmp_path: Path) -> None:
    rows = [row[1 : 5 - (i == 2)] for i, row in enumerate(ROWS)]
    path = written(tmp_path / "people.json", {"valueRanges": [{"values": rows}]})
    assert entities(path) == FOUND - {"INCOME"}


def test_a_header_over_numbers_is_no_column(tmp_path: Path) -> None:
    value = {"parts": [{"cells": [["page", "amount"], [1, 2], [3, 4]]}]}
    assert names(written(tmp_path / "data.json", value)) == {"cells", "cells[].(0)", "cells[].(1)"}


def test_values_that_are_nested_deeply_are_read(tmp_path: Path) -> None:
    deep = '{"a":' * 600 + '"b"' + "}" * 600
    path = written(
        tmp_path / "data.json", f'[{{"parts": [{{"columns": ["first_name", "x"], "values": [["Anna", {deep}]]}}]}}]'
    )
    assert "FIRST_NAME" in entities(path)
    assert '"Anna"' not in masked(path)


def test_lists_of_numbers_and_of_other_lengths_stay_lists(tmp_path: Path) -> None:
    value = [{"line": [[8.2, 53.1], [8.3, 53.2]], "words": [["the", "cat"], ["a", "red", "dog"]]}]
    assert names(written(tmp_path / "data.json", value)) == {"line", "words"}
