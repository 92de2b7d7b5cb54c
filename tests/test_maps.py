"""Maps of Arrow, DuckDB and polars, in which keys may repeat: their keys are columns, every entry is found and masked,
and what is kept comes back as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import reduce
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import run_piiscan
from mask_people import key_file

import piiscan

KEY = piiscan.Key(bytes(range(7, 39)))
TEXTS = pa.map_(pa.string(), pa.string())
ROWS = 60


def mails(*names: str) -> list[list[tuple[str, str]]]:
    """Rows of entries with one key and an address for each name."""
    return [[("mail", f"{name}{i}@firm.com") for name in names] for i in range(ROWS)]


TABLE = pa.table(
    {
        "n": list(range(ROWS)),
        "map": pa.array(mails("anna", "bert"), TEXTS),
        "kept": pa.array([[("a", "red"), ("a", "blue")]] * ROWS, TEXTS),
        "many": pa.array([[entries, None, []] for entries in mails("carl", "dora")], pa.list_(TEXTS)),
        "list": pa.array(
            [[{"size": "small", "map": entries}] for entries in mails("emil", "fred")],
            pa.list_(pa.struct([("size", pa.string()), ("map", TEXTS)])),
        ),
        "whole": pa.array(
            [{"map": entries, "kept": [("a", "x"), ("a", "y")]} for entries in mails("gerd", "hans")],
            pa.struct([("map", TEXTS), ("kept", TEXTS)]),
        ),
        "days": pa.array(
            [[(date(2020, 1, 1), text) for _, text in entries] for entries in mails("ida", "jana")],
            pa.map_(pa.date32(), pa.string()),
        ),
        "within": pa.array([[("of", entries)] for entries in mails("karl", "lena")], pa.map_(pa.string(), TEXTS)),
    }
)
NAMES = "anna bert carl dora emil fred gerd hans ida jana karl lena".split()
PLAN = piiscan.plan(TABLE)
FRAMES: dict[str, Callable[[], Any]] = {
    "arrow": lambda: TABLE,
    "batch": lambda: TABLE.combine_chunks().to_batches()[0],
    "polars": lambda: pl.DataFrame(TABLE),
    "lazy": lambda: pl.DataFrame(TABLE).lazy(),
}


def cells(frame: Any) -> pa.Table:
    frame = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    return frame.to_arrow() if isinstance(frame, pl.DataFrame) else frame


def left(frame: Any) -> set[str]:
    """The names whose addresses stand in a frame."""
    held = repr(cells(frame).to_pylist())
    return {name for name in NAMES if any(f"{name}{i}@firm.com" in held for i in range(ROWS))}


def with_operator(plan: piiscan.Plan, name: str, operator: str) -> piiscan.Plan:
    (table,) = plan.tables
    columns = tuple(
        replace(a, operator=operator, params={}, domain=None, subject=None, decided_by="human") if a.name == name else a
        for a in table.columns
    )
    return replace(plan, tables=(replace(table, columns=columns),))


@pytest.mark.parametrize("kind", FRAMES)
def test_every_entry_is_found(kind: str) -> None:
    columns = piiscan.scan(FRAMES[kind]()).to_dict()["tables"][0]["columns"]
    inside = {c["name"]: i["cells"] for c in columns for i in c["inside"] if i["entity"] == "EMAIL_ADDRESS"}
    assert inside == {"many": ROWS, "list[].map": ROWS}
    laid_out = {c["name"] for c in columns if c["entity"] == "EMAIL_ADDRESS"}
    assert laid_out == {"map.mail[]", "whole.map.mail[]", "days[].(value)[]", "within.of.mail[]"}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_entry_is_masked_and_kept_maps_stay(kind: str) -> None:
    out = cells(piiscan.mask(FRAMES[kind](), PLAN, KEY))
    assert left(TABLE) == set(NAMES) and not left(out)
    for column in ("kept", "n"):
        assert out[column].to_pylist() == TABLE[column].to_pylist()
    assert pa.types.is_map(out.schema.field("kept").type)
    assert [row["kept"] for row in out["whole"].to_pylist()] == [[("a", "x"), ("a", "y")]] * ROWS
    assert pl.DataFrame(out.select(["map", "days", "within"])).dtypes == [pl.String] * 3
    assert all(text.count('"mail": "') == 2 and text.count("@") == 2 for text in out["map"].to_pylist())
    assert all(row[1] is None and row[2] == "{}" for row in out["many"].to_pylist())


@pytest.mark.parametrize("kind", ["arrow", "polars"])
def test_together_with_others_they_are_verified(kind: str) -> None:
    frames = {"a": FRAMES[kind](), "b": pl.DataFrame({"n": range(3)})}
    done = piiscan.mask(frames, piiscan.plan(frames), KEY)
    assert done.report.to_dict()["verified"] and not left(done["a"])


@pytest.mark.parametrize("kind", ["arrow", "polars"])
@pytest.mark.parametrize("operator", ["suppress", "redact", "drop", "keep", "hash"])
@pytest.mark.parametrize(
    "names",
    [("map.mail[]", "many", "list[].size"), ("days[].(value)[]", "list[].map", "whole.map.mail[]")],
    ids=["some", "others"],
)
def test_any_operator(kind: str, names: tuple[str, ...], operator: str) -> None:
    if operator == "hash" and "list[].size" in names:
        with pytest.raises(piiscan.UsageError, match="different mask"):
            piiscan.mask(FRAMES[kind](), with_operator(PLAN, "list[].size", operator), KEY)
        names = names[:2]
    out = cells(
        piiscan.mask(FRAMES[kind](), reduce(lambda p, name: with_operator(p, name, operator), names, PLAN), KEY)
    )
    kept = {"map.mail[]": {"anna", "bert"}, "many": {"carl", "dora"}, "days[].(value)[]": {"ida", "jana"}}
    kept |= {"list[].map": {"emil", "fred"}, "whole.map.mail[]": {"gerd", "hans"}}
    assert left(out) == ({who for name in names for who in kept.get(name, ())} if operator == "keep" else set())
    if operator == "suppress" and "map.mail[]" in names:
        assert set(out["map"].to_pylist()) == {'{"mail": null, "mail": null}'}


def test_a_list_of_objects_without_changes_keeps_its_maps() -> None:
    plan = with_operator(with_operator(PLAN, "list[].map", "keep"), "list[].size", "keep")
    out = piiscan.mask(TABLE, plan, KEY)
    assert out["list"].equals(TABLE["list"])


def test_maps_of_duckdb() -> None:
    relation = duckdb.sql(
        "SELECT i AS n, MAP {'a': 'anna' || i || '@firm.com', 'b': 'bert' || i || '@firm.com'} AS map, "
        "MAP {'c': 'red', 'd': 'blue'} AS kept FROM range(60) t(i)"
    )
    out = piiscan.mask(relation, piiscan.plan(relation), KEY)
    assert not left(out) and [key for key, _ in out["map"].to_pylist()[0]] == ["a", "b"]
    assert out["kept"].to_pylist()[0] == [("c", "red"), ("d", "blue")]


def test_maps_of_duckdb_files(tmp_path: Path) -> None:
    """They stay maps, in structs too, and so do those in which nothing changes."""
    file, target = tmp_path / "x.duckdb", tmp_path / "out.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT i AS n, 'anna' || i || '@firm.com' AS email, "
            "CASE WHEN i <> 7 THEN MAP {'street': (i + 3) || ' Kernweiler Street', 'colour': 'red', 'size': NULL} END "
            "AS props, {'inner': MAP {'mail': 'bert' || i || '@firm.com'}} AS whole, MAP {1: [i, 2]} AS kept "
            "FROM range(60) t(i)"
        )
    plan = piiscan.plan(file)
    entities = {a.name: a.entity for a in plan.tables[0].columns}
    assert entities["props.street"] == "STREET_ADDRESS" and entities["whole.inner.mail"] == "EMAIL_ADDRESS"
    assert piiscan.mask(file, plan, KEY, output=target).to_dict()["verified"]
    with duckdb.connect(str(file), read_only=True) as old, duckdb.connect(str(target), read_only=True) as new:
        before, after = (each.sql("SELECT * FROM people ORDER BY kept[1][1]") for each in (old, new))
        assert before.types == after.types
        rows = list(zip(before.fetchall(), after.fetchall(), strict=True))
    for (*_, was), (_, email, props, whole, kept) in rows:
        assert kept == was and "firm.com" not in f"{email} {whole}" and "Kernweiler" not in str(props)
        assert props is None or (props["colour"], props["size"], bool(props["street"])) == ("red", None, True)
        assert "@" in whole["inner"]["mail"]
    assert [i for i, (_, after) in enumerate(rows) if after[2] is None] == [7]


def test_maps_of_pandas() -> None:
    frame = TABLE.select(["n", "map", "kept"]).to_pandas(types_mapper=pd.ArrowDtype)
    out = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert not left(pa.Table.from_pandas(out)) and out["map"].iloc[0].count("@") == 2
    assert out["kept"].dtype == frame["kept"].dtype and out["kept"].equals(frame["kept"])


def test_arrays_of_polars_stay_arrays() -> None:
    pairs = [[f"a{i}@firm.com", f"b{i}@firm.com"] for i in range(ROWS)]
    frame = pl.DataFrame(
        {
            "n": range(ROWS),
            "pair": pl.Series(pairs, dtype=pl.Array(pl.String, 2)),
            "kept": pl.Series([["red", "blue"]] * ROWS, dtype=pl.Array(pl.String, 2)),
            "numbers": pl.Series([[i, i + 1] for i in range(ROWS)], dtype=pl.Array(pl.Int64, 2)),
        }
    )
    out = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert out.schema == frame.schema and out.drop("pair").equals(frame.drop("pair"))
    assert not {a for row in pairs for a in row} & {a for row in out["pair"].to_list() for a in row}


@pytest.mark.parametrize("dtype", [pl.Duration("us"), pl.Time(), pl.Binary(), pl.Decimal(12, 2), pl.Int128()])
@pytest.mark.parametrize("operator", ["suppress", "redact"])
def test_odd_types_of_polars(dtype: pl.DataType, operator: str) -> None:
    odd = pl.Series("odd", [str(i) for i in range(ROWS)])
    odd = odd.cast(dtype) if isinstance(dtype, pl.Binary) else odd.cast(pl.Int64).cast(dtype)
    frame = pl.DataFrame([pl.Series("n", range(ROWS)), odd])
    out = piiscan.mask(frame, with_operator(piiscan.plan(frame), "odd", operator), KEY)
    assert out["odd"].dtype == dtype if operator == "suppress" else out["odd"].null_count() == 0


def written(path: Path, table: pa.Table, **how: Any) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(table, path, **how)
        return path
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as out:
        out.write_table(table)
    return path


def test_arrow_files(tmp_path: Path) -> None:
    file = written(tmp_path / "x.arrow", TABLE)
    report = piiscan.mask(file, piiscan.plan(file), KEY, output=tmp_path / "out.arrow")
    assert report.to_dict()["verified"]
    out = pa.ipc.open_file(tmp_path / "out.arrow").read_all()
    assert not left(out) and out["kept"].to_pylist() == TABLE["kept"].to_pylist()


@pytest.mark.parametrize("how", [{}, {"use_dictionary": False}, {"row_group_size": 7}], ids=str)
def test_parquet_files_whose_keys_repeat_are_not_scanned(tmp_path: Path, how: dict[str, Any]) -> None:
    """Of those, polars reads one entry of a key."""
    file = written(tmp_path / "x.parquet", TABLE.select(["n", "map"]), **how)
    report = piiscan.scan(file)
    assert not report.complete and "a key repeats" in report.to_dict()["not_scanned"][0]["reason"]
    entries = [None if i % 5 == 0 else [] if i % 5 == 1 else [("a", f"x{i}"), ("b", "y")] for i in range(ROWS)]
    lists = pa.array([None if i % 7 == 0 else [each, None] for i, each in enumerate(entries)], pa.list_(TEXTS))
    others = pa.table({"n": TABLE["n"], "map": pa.array(entries, TEXTS), "lists": lists})
    assert piiscan.scan(written(tmp_path / "y.parquet", others, **how)).complete


def attributes() -> pa.Table:
    """People whose streets, and nothing else of theirs, are entries of a map."""
    rows: list[Any] = [
        [("street", f"{i + 3} Kernweiler Street"), ("colour", "red"), ("size", None)] for i in range(ROWS)
    ]
    rows[7:9] = None, []
    mail = [f"anna{i}@firm.com" for i in range(ROWS)]
    return pa.table({"email": mail, "props": pa.array(rows, TEXTS)})


@pytest.mark.parametrize("how", ["parquet", "arrow", "frame", "polars"])
def test_keys_of_maps_say_what_their_values_are(tmp_path: Path, how: str) -> None:
    """Maps of texts stay maps, but in Arrow files, in whose maps keys may repeat."""
    table = attributes()
    if how in ("parquet", "arrow"):
        file = written(tmp_path / f"x.{how}", table)
        plan = piiscan.plan(file)
        report = piiscan.mask(file, plan, KEY, output=tmp_path / f"out.{how}")
        assert report.to_dict()["verified"]
        out = pl.read_parquet(tmp_path / "out.parquet") if how == "parquet" else pl.read_ipc(tmp_path / "out.arrow")
    else:
        frame = table if how == "frame" else pl.DataFrame(table)
        plan = piiscan.plan(frame)
        out = pl.DataFrame(piiscan.mask(frame, plan, KEY))
    entities = {a.name: a.entity for a in plan.tables[0].columns}
    assert entities["props.street"] == "STREET_ADDRESS" and entities["props.colour"] is None
    assert isinstance(out["props"].dtype, pl.Map if how != "arrow" else pl.String)
    props = [json.loads(row) if isinstance(row, str) else row for row in out["props"].to_list()]
    assert props[7] is None and props[8] == {}
    held = [row for row in props if row]
    assert len(held) == ROWS - 2 and all(row.keys() == {"street", "colour", "size"} for row in held)
    assert all((row["colour"], row["size"]) == ("red", None) for row in held)
    assert all(row["street"] and "Kernweiler" not in row["street"] for row in held)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_masked_maps_of_files_are_verified(tmp_path: Path, ending: str) -> None:
    """They are texts of JSON in the output, which is read as columns of keys; the masks in them aren't new data."""
    entries = [[("tel", f"+49 30 {2_000_000 + 7919 * i}"), ("mail", f"anna{i}@firm.com")] for i in range(ROWS)]
    texts = [json.dumps({"mail": f"bert{i}@firm.com"}) for i in range(ROWS)]
    table = pa.table({"n": list(range(ROWS)), "map": pa.array(entries, TEXTS), "text": texts})
    before, after, plan = tmp_path / "before", tmp_path / "after", tmp_path / "plan.toml"
    before.mkdir()
    written(before / f"x.{ending}", table)
    piiscan.plan(before).save(plan)
    key = key_file(tmp_path)
    assert piiscan.mask(before, plan, key, output=after).to_dict()["verified"]
    verify = ("verify", before, after, "--plan", plan, "--key", key)
    assert run_piiscan(*verify).returncode == 0
    written(after / f"x.{ending}", table.set_column(1, "map", pa.array([json.dumps(dict(e)) for e in entries])))
    assert run_piiscan(*verify).returncode == 5


@pytest.mark.parametrize("kind", FRAMES)
def test_masked_maps_can_be_compared(kind: str) -> None:
    frame = FRAMES[kind]()
    assert "map" in piiscan.compare(frame, piiscan.mask(frame, PLAN, KEY), PLAN).to_markdown()
