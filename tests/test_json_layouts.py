"""Tables that JSON holds column by column, or without the names of columns in its rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from test_write import again, shout

import piiscan
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.core.types import NotScanned, Skipped
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.masking.run.mask_files import mask_files
from piiscan.rules import rule_sets

KEY = Key(bytes(range(50, 82)))
PEOPLE = pd.DataFrame(
    {
        "name": ["Mary Smith", "John Johnson", "Sarah Miller", "Robert Davis"],
        "salary": [52000, 48000, 61000, 39500],
        "city": ["Boston", "Denver", None, "Austin"],
    }
)
FOUND = {"name": "PERSON", "salary": "INCOME", "city": "CITY"}


def entities(path: Path) -> list[tuple[str | None, str]]:
    return [(c.name, c.entity) for t in piiscan.scan(path).tables for c in t.columns if c.pii != "none" and c.entity]


def found(path: Path) -> dict[str | None, str]:
    return dict(entities(path))


def tables(path: Path) -> dict[str | None, list[tuple[Any, ...]]]:
    """The rows of each table, by its name."""
    out = {}
    for table in inputs.discover([str(path)], ReadOptions()):
        assert not isinstance(table, NotScanned | Skipped), table
        out[table.info.table] = [row for batch in table.batches() for row in batch.frame.rows()]
    return out


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize("orient", ["columns", "index", "records", "table"])
def test_what_pandas_writes_is_found_under_its_names(tmp_path: Path, orient: Any) -> None:
    assert found(written(tmp_path / "people.json", PEOPLE.to_json(orient=orient))) == FOUND


def test_lists_as_columns(tmp_path: Path) -> None:
    assert found(written(tmp_path / "people.json", PEOPLE.to_dict(orient="list"))) == FOUND
    assert found(written(tmp_path / "inside.json", {"ok": True, "data": PEOPLE.to_dict(orient="list")})) == FOUND


@pytest.mark.parametrize(
    "around",
    [
        {"columns": [*FOUND]},
        {"meta": [{"name": name, "type": "String"} for name in FOUND]},
        {"schema": {"fields": [{"name": name, "mode": "NULLABLE"} for name in FOUND]}},
        {"cols": [{"id": str(i), "label": name} for i, name in enumerate(FOUND)]},
    ],
)
def test_names_beside_rows_say_what_these_hold(tmp_path: Path, around: dict[str, Any]) -> None:
    rows = json.loads(PEOPLE.to_json(orient="values"))
    seen = entities(written(tmp_path / "people.json", {**around, "data": rows}))
    assert seen == [(None, entity) for entity in FOUND.values()]


@pytest.mark.parametrize("value", [{"Surname": ["Kernweiler", "Brathwold"]}, {"staff": {"Surname": ["Kernweiler"]}}])
def test_the_name_of_a_list_says_what_it_holds(tmp_path: Path, value: Any) -> None:
    assert entities(written(tmp_path / "people.json", value)) == [(None, "LAST_NAME")]


def test_names_of_other_rows_say_nothing(tmp_path: Path) -> None:
    """Lists of as many names: an index, and descriptions of which there are two."""
    path = written(
        tmp_path / "cells.json",
        {
            "index": ["age", "salary"],
            "left": [{"name": "iban"}, {"name": "email"}],
            "right": [{"name": "phone"}, {"name": "religion"}],
            "data": [[1, 2], [3, 4]],
        },
    )
    for table in inputs.discover([str(path)], ReadOptions()):
        assert not isinstance(table, NotScanned | Skipped)
        assert all(field.comment is None for field in table.info.fields)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": {"0": 1, "1": 2}}, {None: [(1, "0"), (2, "1")]}),
        ({"a": [1, 2], "b": ["x", None]}, {None: [(1, "x"), (2, None)]}),
        ({"a": [1], "b": [2]}, {"a": [(1,)], "b": [(2,)]}),
        ({"Surname": ["Kernweiler"], "b": [2]}, {None: [("Kernweiler", 2)]}),
        ({"a": [1, 2], "b": [1, 2, 3]}, {"a": [(1,), (2,)], "b": [(1,), (2,), (3,)]}),
        ({"a": [1, 2], "b": [[1], [2]]}, {"a": [(1,), (2,)], "b": [(1,), (2,)]}),
        ({"a": {"0": 1, "1": 2}, "b": {"0": 1, "2": 2}}, {None: [(1, 2, "a", None), (1, None, "b", 2)]}),
        ({"1": {"0": 1, "1": 2}, "2": {"0": 3, "1": 4}}, {None: [(1, 2, "1"), (3, 4, "2")]}),
        (
            {"a@b.example": {"0": 1, "1": 2}, "c@d.example": {"0": 3, "1": 4}},
            {None: [(1, 2, "a@b.example"), (3, 4, "c@d.example")]},
        ),
        ({"ann": {"age": 3, "kg": 20}, "bob": {"age": 4, "kg": 21}}, {None: [(3, 20, "ann"), (4, 21, "bob")]}),
    ],
    ids=["one", "lists", "single", "a row", "longer", "nested", "other keys", "numbers", "addresses", "rows"],
)
def test_which_objects_are_written_by_column(tmp_path: Path, value: Any, expected: Any) -> None:
    assert tables(written(tmp_path / "data.json", value)) == expected


@pytest.mark.parametrize("orient", ["columns", "list"])
@pytest.mark.parametrize("inside", [False, True])
def test_masks_change_cells_and_nothing_else(tmp_path: Path, orient: Any, inside: bool) -> None:
    value = json.loads(PEOPLE.to_json()) if orient == "columns" else PEOPLE.to_dict(orient="list")
    path = written(tmp_path / "people.json", json.dumps({"v": 1, "data": value} if inside else value, indent=3))
    plan = piiscan.plan(path)
    mask_files(path, tmp_path / "out.json", plan, KEY, rule_sets.load(()), ReadOptions())
    after = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    after = after["data"] if inside else after
    cells = {name: list(c.values()) if orient == "columns" else c for name, c in after.items()}
    assert [*cells] == [*FOUND] and all(len(column) == len(PEOPLE) for column in cells.values())
    assert not set(cells["name"]) & set(PEOPLE["name"])
    assert cells["salary"] == list(PEOPLE["salary"])
    if orient == "columns":
        assert all(list(column) == ["0", "1", "2", "3"] for column in after.values())


def test_columns_and_rows_that_go_leave_every_column(tmp_path: Path) -> None:
    text = '{"name": {"0": "Ma", "1": "John", "2": "Ann"},\n "n": {"0":1, "1" : 2, "2": 3}, "x": {"0":0,"1":0,"2":0}}'
    path = written(tmp_path / "people.json", text)
    assert again(path).read_text() == text
    done = again(path, shout, dropped=[1], keep=lambda row: row != 1).read_text()
    assert done == '{"name": {"0": "MA", "2": "ANN"}, "x": {"0":0,"2":0}}'
    (tmp_path / "lists").mkdir()
    path = written(tmp_path / "lists" / "lists.json", '{"name": ["Mary", "John"], "n": [1, 2]}')
    assert again(path, shout, keep=lambda row: row == 1).read_text() == '{"name": ["JOHN"], "n": [2]}'


def test_numbers_of_rows_that_are_masked_stay_the_same_in_all_columns(tmp_path: Path) -> None:
    path = written(tmp_path / "people.json", '{"name": {"7": "Mary", "8": "John"}, "n": {"7": 1, "8": 2}}')
    done = again(path, lambda cell: f"{cell}0" if cell in ("7", "8") else cell, at=[2]).read_text()
    assert json.loads(done) == {"name": {"70": "Mary", "80": "John"}, "n": {"70": 1, "80": 2}}


def test_damaged_documents_are_no_worse_off(tmp_path: Path) -> None:
    """Members of other kinds beside columns: what stands there is read as before."""
    for value in ({"ok": True, "a": [1, 2]}, {"a": {}, "b": {}}, {"a": [], "b": []}, {"a": None, "b": {"0": 1}}, {}):
        assert isinstance(tables(written(tmp_path / "data.json", value)), dict)


NAMES = [{"name": name, "type": "STRING"} for name in FOUND]
CELLS: list[list[Any]] = json.loads(PEOPLE.to_json(orient="values"))


def boxed(cell: Any) -> dict[str, Any]:
    return {} if cell is None else {"longValue" if isinstance(cell, int) else "stringValue": cell}


ROWS_OF_CELLS: dict[str, Any] = {
    "bigquery": {
        "schema": {"fields": NAMES},
        "rows": [{"f": [{"v": cell} for cell in row]} for row in CELLS],
        "jobComplete": True,
    },
    "charts": {
        "cols": [{"id": str(i), "label": name, "type": "string"} for i, name in enumerate(FOUND)],
        "rows": [{"c": [{"v": row[0]}, {"v": row[1], "f": f"${row[1]}"}, row[2] and {"v": row[2]}]} for row in CELLS],
    },
    "athena": {
        "Rows": [{"Data": [{"VarCharValue": str(cell)} for cell in row]} for row in [[*FOUND], *CELLS]],
        "Meta": {"ColumnInfo": [{"Name": name, "Type": "varchar"} for name in FOUND]},
    },
    "rds": {"records": [[boxed(cell) for cell in row] for row in CELLS], "columnMetadata": NAMES},
    "graph": {"columns": [*FOUND], "data": [{"row": row, "meta": [None] * 3} for row in CELLS]},
}


@pytest.mark.parametrize("kind", [*ROWS_OF_CELLS])
def test_cells_in_objects_are_found_by_the_names_of_their_columns(tmp_path: Path, kind: str) -> None:
    """Rows as databases and charts on the web answer with: each an object with a list, or a list of objects."""
    path = written(tmp_path / "people.json", ROWS_OF_CELLS[kind])
    seen = {entity for _, entity in entities(path)}
    assert seen == {*FOUND.values()}
    (table,) = [t for t in piiscan.scan(path).tables if any(c.pii != "none" for c in t.columns)]
    assert table.rows == len(CELLS) and all(column.name is None for column in table.columns if column.entity)


@pytest.mark.parametrize("kind", [*ROWS_OF_CELLS])
def test_masks_of_cells_in_objects_change_them_alone(tmp_path: Path, kind: str) -> None:
    value = ROWS_OF_CELLS[kind]
    path = written(tmp_path / "people.json", value)
    mask_files(path, tmp_path / "out.json", piiscan.plan(path), KEY, rule_sets.load(()), ReadOptions())
    text = (tmp_path / "out.json").read_text(encoding="utf-8")
    assert not [name for name in PEOPLE["name"] if name in text]

    def form(part: Any) -> Any:
        """A value with names of people replaced by nothing."""
        if isinstance(part, dict):
            return {key: form(inner) for key, inner in part.items()}
        if isinstance(part, list):
            return [form(inner) for inner in part]
        return part if not isinstance(part, str) or part in {*FOUND, "Boston", "Denver", "Austin"} else ""

    assert form(json.loads(text)) == form(value)


def test_cells_of_rows_whose_names_stand_elsewhere_are_not_left_out(tmp_path: Path) -> None:
    rows = [{"f": [{"v": "Mary"}, {"v": "x"}]}, {"f": [{"v": "John"}, {"v": "y"}]}]
    value: dict[str, Any] = {"cols": [{"name": "who", "n": 1}, {"name": "what", "n": 2}], "rows": rows}
    path = written(tmp_path / "people.json", value)
    assert json.loads(again(path, shout).read_text())["rows"][1] == {"f": [{"v": "JOHN"}, {"v": "Y"}]}
    with pytest.raises(UsageError, match="suppress its column"):
        again(path, dropped=[1])


@pytest.mark.parametrize(
    "value",
    [
        {"orders": [{"items": [{"value": 1}, {"value": 2}]}, {"items": [{"value": 3}, {"value": 4}]}]},
        {"columns": ["a", "b"], "rows": [{"id": 1, "x": 2, "tags": ["a", "b"]}]},
        {"columns": ["a", "b"], "rows": [{"tags": ["a", "b"]}, {"tags": ["a"]}]},
        {"columns": ["a", "b"], "rows": [{"f": [{"sku": "a"}, {"sku": "b"}]}]},
        {"columns": ["a", "b"], "rows": [{"f": [["a"], ["b"]]}]},
    ],
)
def test_other_lists_in_objects_are_lists(tmp_path: Path, value: Any) -> None:
    for table in inputs.discover([str(written(tmp_path / "data.json", value))], ReadOptions()):
        assert not isinstance(table, NotScanned | Skipped)
        assert all(field.comment is None for field in table.info.fields)


@pytest.mark.parametrize("key", ["(ssn 536-22-1234)", "ann.stone@corp.org"])
def test_keys_within_rows_of_lists_are_looked_at(key: str, tmp_path: Path) -> None:
    """Rows that are lists of objects, and rows whose cells are objects with another key beside the value."""
    rows = [[{"material": "gravel", "origin": {"site": f"b{i}", key: i}}, {"material": "hinge"}] for i in range(4)]
    cells = [{"c": [{"v": f"b{i}"}, {"v": i, key: 1}]} for i in range(4)]
    charts = {"cols": [{"label": "site"}, {"label": "amount"}], "rows": cells}
    keyed = {"names": ["site", "amount"], "rows": [{key: [f"b{i}", i], "n": 1} for i in range(4)]}
    for n, content in enumerate((rows, charts, keyed)):
        path = tmp_path / f"{n}.json"
        path.write_text(json.dumps(content))
        report = piiscan.scan(path)
        found = {name.entity for name in report.in_names} | {c.entity for c in report.columns}
        assert found & {"US_SSN", "EMAIL_ADDRESS"}, content


@pytest.mark.parametrize("around", [None, {}, {"columns": [*FOUND]}, {"meta": [{"name": name} for name in FOUND]}])
def test_lists_of_columns_are_columns(tmp_path: Path, around: dict[str, Any] | None) -> None:
    columns = [list(column) for column in zip(*CELLS, strict=True)]
    value: Any = columns if around is None else {**around, "data": columns}
    path = written(tmp_path / "people.json", json.dumps(value, indent=2))
    seen = entities(path)
    assert seen == [(None, entity) for entity in FOUND.values() if around or entity != "INCOME"]
    assert again(path).read_bytes() == path.read_bytes()
    done = json.loads(again(path, shout, keep=lambda row: row != 1).read_text())
    left = [[cell.upper() if isinstance(cell, str) else cell for cell in (c[0], *c[2:])] for c in columns]
    assert (done if around is None else done["data"]) == left


@pytest.mark.parametrize(
    "value",
    [
        [["a", "b"], ["c", "d"], ["e", "f"]],
        [["id", "amount"], [1, 2], [3, 4]],
        [["foo", "bar"], [1, 2], [3, 4]],
        [["foo", "bar"], ["1", "2"], ["3", "4"]],
        [[1, 2.5], [3, 4.5], [5, 6.5]],
        [["Mary", 1], ["John", 2]],
        [["Mary", "1"], ["John", "2"]],
    ],
)
def test_lists_that_may_be_rows_are_rows(tmp_path: Path, value: list[list[Any]]) -> None:
    (rows,) = tables(written(tmp_path / "data.json", value)).values()
    assert len(rows[0]) == 2
    assert len(rows) >= len(value) - 1
