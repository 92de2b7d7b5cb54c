"""Lists of objects, maps and JSON texts become columns of their own, and masks get into them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from dp_tables import privately
from hypothesis import given, settings
from hypothesis import strategies as st

import piiscan
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.keys import Key
from piiscan.core.types import NotScanned, Skipped, Table
from piiscan.io import inputs
from piiscan.io.cells.plain import text_of
from piiscan.io.read_options import Limits, ReadOptions
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.run.mask_files import mask_files
from piiscan.masking.run.unmask_files import unmask_files
from piiscan.rules import rule_sets

KEY = Key(bytes(range(40, 72)))
NAMES = "Mary Smith,John Johnson,Sarah Miller,Robert Davis,Linda Wilson,Paul Anderson,Karen Taylor,Mark Thomas".split(
    ","
)
MAILS = [name.lower().replace(" ", ".") + "@firm.com" for name in NAMES]


def read(path: Path, **options: Any) -> Table:
    (table,) = inputs.discover([str(path)], ReadOptions(**options))
    assert not isinstance(table, NotScanned | Skipped), table
    return table


def written(path: Path, value: Any) -> Path:
    """JSON lines for a list, where the file is called so; else a document."""
    lines = (
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in value)
        if path.suffix == ".jsonl"
        else json.dumps(value)
    )
    path.write_text(lines, encoding="utf-8")
    return path


def columns(table: Table) -> dict[str | None, list[list[str]]]:
    """The filled cells of each column as texts, row by row; of lists, their elements."""
    found: dict[str | None, list[list[str]]] = {f.name: [] for f in table.info.fields}
    for batch in table.batches():
        for field, cells in zip(table.info.fields, batch.frame.iter_columns(), strict=True):
            found[field.name] += [_texts(cell) for cell in cells.to_list()]
    return found


def _texts(cell: Any) -> list[str]:
    if isinstance(cell, list):
        return [text for element in cell for text in _texts(element)]
    return [] if cell is None else [text_of(cell) or ""]


def parents(table: Table) -> list[tuple[str | None, int | None]]:
    return [(f.name, f.parent) for f in table.info.fields]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            {"dept": "A", "staff": [{"name": "Ann"}, {"name": "Bob"}]},
            {"dept": ["A"], "staff": [], "staff[].name": ["Ann", "Bob"]},
        ),
        ({"a": [{"b": [{"c": 1}, {"c": 2}]}, {"b": [{"c": 3}]}]}, {"a": [], "a[].b[].c": ["1", "2", "3"]}),
        (
            {"data": {"users": [{"profile": {"firstName": "Ann"}}]}},
            {"data.users": [], "data.users[].profile.firstName": ["Ann"]},
        ),
        ({"staff": [{"mails": ["a", "b"]}, {"mails": []}]}, {"staff": [], "staff[].mails[]": ["a", "b"]}),
        ({"staff": [{"n": 1}, "loose", None, 2]}, {"staff": ["loose", "2"], "staff[].n": ["1"]}),
        ({"mails": ["a", "b"], "at": [1.5, 2]}, {"mails": ["a", "b"], "at": ["1.5", "2"]}),
        ({"a": [[{"b": 1}], [2]]}, {"a": ["2"], "a[].b": ["1"]}),
        (
            {"by": {"a@example.org": {"n": 1}, "b@example.org": 2}},
            {"by": [], "by[].(key)": ["a@example.org", "b@example.org"], "by[].n": ["1"], "by[].(value)": ["2"]},
        ),
        (
            {"by": {"2020-01-01": [1, {"k": 2}]}},
            {"by": [], "by[].(key)": ["2020-01-01"], "by[].(value)[]": ["1"], "by[].(value)[].k": ["2"]},
        ),
        (
            {"s": [{"a.b": 1, "a": {"b": 2}, "c[]": 3}]},
            {"s": [], "s[].a\\.b": ["1"], "s[].a.b": ["2"], "s[].c\\[\\]": ["3"]},
        ),
        ({"s": [{"x": None}, {"x": [1]}]}, {"s": [], "s[].x[]": ["1"]}),
        ({"s": [{"x": None}]}, {"s": [], "s[].x": []}),
        ({"s": [{}, []], "t": {}}, {"s": [], "t": []}),
    ],
)
@pytest.mark.parametrize("name", ["t.jsonl", "t.json"])
def test_paths(tmp_path: Path, name: str, row: dict[str, Any], expected: dict[str, list[str]]) -> None:
    table = read(written(tmp_path / name, [row, {"other": "x"}]))
    found = columns(table)
    assert {k: v[0] for k, v in found.items() if k != "other"} == expected
    # Own columns come first, in their order; derived ones say whose cells theirs are.
    flags = [parent is not None for _, parent in parents(table)]
    assert flags == sorted(flags)
    for label, parent in parents(table):
        assert parent is None or (label or "").startswith(table.info.fields[parent].name or "")


def test_the_report_names_parents(tmp_path: Path) -> None:
    document = [{"dept": "A", "staff": [{"name": n, "email": m} for n, m in zip(NAMES, MAILS, strict=True)]}]
    report = piiscan.scan(written(tmp_path / "t.json", document))
    got = {c.name: (c.entity, c.parent) for c in report.columns}
    assert got == {
        "dept": (None, None),
        "staff": (None, None),
        "staff[].name": ("PERSON", 1),
        "staff[].email": ("EMAIL_ADDRESS", 1),
    }
    assert not report.not_scanned and {f.column for f in report.findings} == {"staff[].name", "staff[].email"}


@pytest.mark.parametrize(
    ("make", "column", "entity"),
    [
        (
            lambda i: {"data": {"users": {"edges": [{"node": {"email": MAILS[i]}}]}}},
            "data.users.edges[].node.email",
            "EMAIL_ADDRESS",
        ),
        (lambda i: {"emails": [MAILS[i]]}, "emails", "EMAIL_ADDRESS"),
        (lambda i: {"person": [{"@email": MAILS[i], "#text": NAMES[i]}]}, "person[].#text", "PERSON"),
        (lambda i: {"s": [{"firstName": {"$t": NAMES[i].split()[0]}}]}, "s[].firstName.$t", "FIRST_NAME"),
        (
            lambda i: {"properties": {"owner": NAMES[i]}, "geometry": {"coordinates": [13.40495 + i, 52.52001]}},
            "geometry.coordinates",
            "GEO_COORDINATES",
        ),
        (
            lambda i: {"s": [{"properties": {"records": {"lastName": NAMES[i].split()[1]}}}]},
            "s[].properties.records.lastName",
            "LAST_NAME",
        ),
    ],
)
def test_structural_keys_do_not_hide_what_a_path_says(
    tmp_path: Path, make: Callable[[int], Any], column: str, entity: str
) -> None:
    report = piiscan.scan(written(tmp_path / "t.jsonl", [make(i) for i in range(len(NAMES))]))
    assert report[column].entity == entity


def csv_of(path: Path, cells: list[str]) -> Path:
    pl.DataFrame({"id": range(len(cells)), "profile": cells}).write_csv(path)
    return path


def db_of(path: Path, cells: list[str]) -> Path:
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE t (id INTEGER, profile TEXT)")
        base.executemany("INSERT INTO t VALUES (?, ?)", enumerate(cells))
    base.close()
    return path


def parquet_of(path: Path, cells: list[str]) -> Path:
    pl.DataFrame({"id": range(len(cells)), "profile": cells}).write_parquet(path)
    return path


TEXTS = {"t.csv": csv_of, "t.db": db_of, "t.parquet": parquet_of}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (
            ['{"a": {"b": 1}}', '{"l": [{"k": "x"}, {"k": "y"}]}', "{}"],
            {"profile.a.b": ["1"], "profile.l[].k": ["x", "y"]},
        ),
        (['["x", "y"]', '["z"]'], {"profile[]": ["x", "y", "z"]}),
        (['[{"k": 1}]', "", '{"k": 2}'], {"profile[].k": ["1"], "profile.k": ["2"]}),
        (['{"a": 1}'] * 19 + ["no json: 7"], {"profile.a": ["1"] * 19, "profile": ["no json: 7"]}),
        # Mostly something else, or numbers alone: texts as before.
        (['{"a": 1}', "no json", "neither"], None),
        (["[52.5, 13.4]", "[48.1, 11.5]"], None),
        (["[x] done", "{y} open"], None),
        (['{"a": 1'] * 3, None),
    ],
)
def test_columns_of_json_texts(
    tmp_path: Path, name: str, cells: list[str], expected: dict[str, list[str]] | None
) -> None:
    table = read(TEXTS[name](tmp_path / name, cells))
    found = {k: [text for row in v for text in row if text] for k, v in columns(table).items()}
    assert [f.name for f in table.info.fields[:2]] == ["id", "profile"]
    assert found == {
        "id": [str(i) for i in range(len(cells))],
        "profile": [c for c in cells if c] if expected is None else [],
        **(expected or {}),
    }


def test_what_comes_late_is_counted_too(tmp_path: Path) -> None:
    cells = ['{"a": "x"}'] * 1500 + [
        '{"late": "ann@example.org", "deep": [{"er": "bob@example.org"}]}',
        "call carol@example.org",
    ]
    found = columns(read(csv_of(tmp_path / "t.csv", cells)))
    assert sum(map(len, found["profile.a"])) == 1500 and found["profile"][-1] == ["call carol@example.org"]
    assert found["profile[*]"][1500] == ["ann@example.org", "bob@example.org"]
    report = piiscan.scan(tmp_path / "t.csv")
    assert report["profile[*]"].entity == "EMAIL_ADDRESS"


def test_more_paths_than_columns(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", [{"s": [{f"k{chr(97 + i)}": f"v{i}"}]} for i in range(20)])
    table = read(path, limits=Limits(columns=6))
    assert len(table.info.fields) == 7 and table.info.fields[-1].name == "s[*]" and "[*]" in table.info.notes[0]
    assert sorted(text for v in columns(table).values() for row in v for text in row) == sorted(
        f"v{i}" for i in range(20)
    )


def test_depth_is_bounded_and_nothing_is_lost(tmp_path: Path) -> None:
    value: Any = "ann@example.org"
    for _ in range(200):
        value = [{"a": value}]
    table = read(written(tmp_path / "t.jsonl", [{"s": value}, {"s": value}]))
    (deep,) = [v for k, v in columns(table).items() if k != "s"]
    assert all("ann@example.org" in row[0] for row in deep)


TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab1 .[]é", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc.[]\\", min_size=1, max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
ROWS = st.lists(st.dictionaries(st.text("abc", min_size=1, max_size=2), TREES, max_size=4), min_size=2, max_size=6)


def scalars(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from scalars(inner)
    elif value is not None:
        yield text_of(value) or ""


@settings(max_examples=25, deadline=None)
@given(rows=ROWS)
def test_every_value_is_in_one_column(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    folder = tmp_path_factory.mktemp("t")
    wanted = Counter(text for text in scalars(rows) if text)
    if not any(rows) or not rows[0]:
        return
    table = read(written(folder / "t.jsonl", rows))
    if table.info.format == "jsonl":
        found = columns(table)
        got = Counter(float_free(text) for v in found.values() for row in v for text in row if text)
        assert got == Counter(map(float_free, wanted.elements()))
        assert columns(read(folder / "t.jsonl", batch_rows=1)) == found
    cells = [json.dumps(row) for row in rows]
    laid = columns(inputs.from_frame(pl.DataFrame({"t": cells})))
    if len(laid) > 1:
        assert (
            laid["t"] == [[]] * len(rows)
            and Counter(text for v in laid.values() for row in v for text in row if text) == wanted
        )
    else:
        assert laid["t"] == [[cell] for cell in cells]


def float_free(text: str) -> str:
    """Whole numbers alike, whether a column of floats holds them."""
    try:
        return str(float(text)) if not text.isalpha() else text
    except ValueError:
        return text


FRAME = pl.DataFrame(
    {
        "dept": ["A", "B", "C", "D"],
        "staff": [
            [{"name": n, "mail": [m]} for n, m in zip(NAMES, MAILS, strict=True)],
            [],
            None,
            [{"name": "Nancy Moore", "mail": None}],
        ],
        "note": [json.dumps({"email": m, "ssn": ["219-09-9999"]}) for m in MAILS[:4]],
        "mails": [MAILS[:2], [], None, MAILS[2:3]],
    }
)


def test_any_partition_gives_the_same_report() -> None:
    whole = piiscan.scan(FRAME).to_json()
    assert {c.name for c in piiscan.scan(FRAME).columns} >= {
        "staff[].name",
        "staff[].mail[]",
        "note.email",
        "note.ssn[]",
    }
    assert piiscan.scan([FRAME[:1], FRAME[1:2], FRAME[2:]]).to_json() == whole == piiscan.scan(FRAME.lazy()).to_json()
    scanner = piiscan.Scanner()
    info = scanner.look(FRAME[:1])
    parts = [scanner.partial(FRAME[i : i + 1], info) for i in range(4)]
    forth, back = parts[0] + parts[1] + parts[2] + parts[3], parts[3] + (parts[1] + parts[2]) + parts[0]
    assert forth == back == scanner.partial(FRAME, info)
    assert scanner.finish(forth, info)["note.email"].entity == "EMAIL_ADDRESS"
    assert "note[*]" in [c.name for c in scanner.finish(forth, info).columns]
    # Without info, texts are texts, and parts still add up.
    assert scanner.partial(FRAME[:2]) + scanner.partial(FRAME[2:]) == scanner.partial(FRAME)
    with pytest.raises(UsageError, match="other columns"):
        scanner.finish(forth, FRAME)
    with pytest.raises(UsageError, match="look"):
        scanner.partial(FRAME.drop("note"), info)


def masked(source: Path, plan: Plan | None = None) -> Path:
    target = source.with_name(f"out-{source.name}")
    made = piiscan.plan(source) if plan is None else plan
    target.unlink(missing_ok=True)
    done = mask_files(source, target, made, KEY, rule_sets.load(()), ReadOptions())
    assert not done.left_out and done.verified, done
    return target


def with_operators(plan: Plan, operators: dict[str, str], others: str | None = None) -> Plan:
    def changed(action: Any) -> Any:
        operator = operators.get(action.name, others)
        return action if operator is None else replace(action, operator=operator, params={}, domain=None, subject=None)

    return replace(plan, tables=tuple(replace(t, columns=tuple(map(changed, t.columns))) for t in plan.tables))


SOURCES: dict[str, Callable[[Path], object]] = {
    "t.json": lambda p: written(p, FRAME.to_dicts()),
    "t.jsonl": lambda p: written(p, FRAME.to_dicts()),
    "t.parquet": FRAME.write_parquet,
    "t.arrow": FRAME.write_ipc,
    "t.avro": FRAME.write_avro,
    "t.csv": lambda p: FRAME.select("dept", "note").write_csv(p),
    "t.db": lambda p: db_of(p, FRAME["note"].to_list()),
    "t.duckdb": lambda p: duckdb_of(p),
}


def duckdb_of(path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(path) as base:
        base.execute(
            "CREATE TABLE t (dept VARCHAR, staff STRUCT(name VARCHAR, mail VARCHAR[])[], note JSON, mails VARCHAR[])"
        )
        base.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [list(row) for row in FRAME.rows()])


@pytest.mark.parametrize("name", SOURCES)
def test_masks_reach_everything(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    SOURCES[name](source)
    plan = piiscan.plan(source)
    target = masked(source, plan)
    data = target.read_bytes()
    for original in (*MAILS, *(NAMES if name not in ("t.csv", "t.db") else ()), "Nancy Moore", "219-09-9999"):
        assert original.encode() not in data, original
    before, after = columns(read(source)), columns(read(target))
    assert list(before) == list(after)
    for column, rows in before.items():
        assert [len(row) for row in rows] == [len(row) for row in after[column]], column
    # One person's address has one mask, wherever it stands.
    pairs = {
        (a, b)
        for c in before
        if c and "mail" in c
        for x, y in zip(before[c], after[c], strict=True)
        for a, b in zip(x, y, strict=True)
    }
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_kept_stays(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    SOURCES[name](source)
    own = {"t.db": "id"}.get(name, "dept")
    plan = with_operators(piiscan.plan(source), {}, "keep")
    kept = columns(read(masked(source, plan)))
    assert kept == columns(read(source))
    target = masked(source, with_operators(plan, {own: "suppress"}))
    assert {k: v for k, v in columns(read(target)).items() if k != own} == {k: v for k, v in kept.items() if k != own}


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_lists_within_structs_are_masked(tmp_path: Path, name: str) -> None:
    held = [{"team": {"staff": [{"mail": mail, "desk": "north"}]}} for mail in MAILS]
    frame, source = pl.DataFrame(held), tmp_path / name
    (frame.write_parquet if name == "t.parquet" else frame.write_ipc)(source)
    staff = [
        row["team"]["staff"][0]
        for row in (pl.read_parquet if name == "t.parquet" else pl.read_ipc)(masked(source)).to_dicts()
    ]
    assert [s["desk"] for s in staff] == ["north"] * len(MAILS)
    assert not {s["mail"] for s in staff} & set(MAILS) and all("@" in s["mail"] for s in staff)


@pytest.mark.parametrize("dtype", [pl.Datetime("ns"), pl.Datetime("ns", "Europe/Oslo"), pl.Duration("ns"), pl.Time()])
def test_times_beside_masks_in_lists_keep_their_nanoseconds(tmp_path: Path, dtype: pl.DataType) -> None:
    held = [[{"mail": mail, "at": [36_000_000_000_001 + i]}] for i, mail in enumerate(MAILS)]
    wanted = pl.List(pl.Struct({"mail": pl.String, "at": pl.List(dtype)}))
    frame = pl.DataFrame({"staff": held}).cast({"staff": wanted})
    frame.write_parquet(tmp_path / "t.parquet")
    made = pl.read_parquet(masked(tmp_path / "t.parquet"))
    whole = pl.List(pl.Struct({"mail": pl.String, "at": pl.List(pl.Int64)}))
    assert made.schema == frame.schema
    assert [row[0]["at"] for row in made["staff"].cast(whole).to_list()] == [row[0]["at"] for row in held]
    assert not {row[0]["mail"] for row in made["staff"].cast(whole).to_list()} & set(MAILS)


FIRST = (
    """{"id" : 1, "staff":[ {"name":"Mary Smith" ,"n": 1.50,"mails":["mary@example.com",null]}, "x", """
    """{"name":null} ], "by": {"mary@example.com" : {"n":[ 1 ]}}}"""
)
LAST = """{"id":3, "staff":[{"name": "J\\u00f6rg M", "mails":[]}]}"""
DOCUMENT = f"""[ {FIRST},
  {{"id":2,"staff" : [],"by":{{}}}}, {LAST} ]
"""


@pytest.mark.parametrize("name", ["t.json", "t.jsonl", "t.csv"])
def test_every_other_byte_stays(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    if name == "t.csv":
        cell = DOCUMENT.replace('"', '""').replace("\n", " ")
        source.write_text(f'a;b\n1;"{cell}"\n2;"[{{""staff"": 3}}]"\n3;"{{""id"": 4}}"\n', encoding="utf-8", newline="")
        prefix = "b[]."
    else:
        text = DOCUMENT if name == "t.json" else f'{{"id": 0}} \r\n{FIRST}\r\n{LAST}'
        source.write_text(text, encoding="utf-8", newline="")
        prefix = ""
    made = piiscan.plan(source)
    kept = with_operators(made, {}, "keep")
    assert masked(source, kept).read_bytes() == source.read_bytes()
    target = masked(source, with_operators(kept, {f"{prefix}staff[].name": "suppress"}))
    before, after = source.read_text("utf-8"), target.read_text("utf-8")
    quote = '""' if name == "t.csv" else '"'
    for name_ in ("Mary Smith", "J\\u00f6rg M"):
        before = before.replace(f"{quote}{name_}{quote}", "null")
    assert after == before


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "t.db"])
def test_dropped_columns_are_gone(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    SOURCES[name](source)
    gone = ["note.email", "note.ssn[]"] + ([] if name == "t.csv" else ["staff[].name", "staff[].mail[]"])
    target = masked(
        source,
        with_operators(with_operators(piiscan.plan(source), {}, "keep"), dict.fromkeys([*gone, "mails"], "drop")),
    )
    left = columns(read(target))
    assert not any(any(left.get(column, [])) for column in gone) and left["dept"] == [[x] for x in "ABCD"]
    assert not any(word.encode() in target.read_bytes() for word in (*MAILS, "219-09-9999", "Nancy"))


@pytest.mark.parametrize("name", ["t.json", "t.jsonl", "t.parquet", "t.avro", "t.csv", "t.db"])
def test_tokens_inside_are_restored(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    SOURCES[name](source)
    name_of = {"t.db": "profile"}.get(name, "note")
    inside = [f"{name_of}.email", *([] if name in ("t.csv", "t.db") else ["staff[].mail[]", "mails"])]
    plan = with_operators(with_operators(piiscan.plan(source), {}, "keep"), dict.fromkeys(inside, "token"))
    plan = replace(
        plan,
        tables=tuple(
            replace(
                t,
                columns=tuple(
                    replace(a, domain="d" if a.operator == "token" else None, accept_frequency=True) for a in t.columns
                ),
            )
            for t in plan.tables
        ),
    )
    target = masked(source, plan)
    assert MAILS[0].encode() not in target.read_bytes()
    back = tmp_path / f"back-{name}"
    unmask_files(target, back, plan, KEY, rule_sets.load(()), ReadOptions())
    assert columns(read(back)) == columns(read(source))
    if name in ("t.json", "t.jsonl", "t.csv"):
        assert back.read_bytes() == source.read_bytes()


REPEATED = (
    '{"k": "@", "k": "x", "n": 1}',
    '{"k": ["@", ["@"], []], "k": "@", "k": null}',
    '{ "k" : {"m": "@"}, "n": [2], "k": {"m": "@", "m": "@"} }',
    '{"by": {"@a": 1, "@b": [2], "@a": "@"}, "k": {}}',
    '{"k": "y"}',
)
"""JSON in which keys repeat; "@" stands for an address of its own, and "@a" for that of the cell that is called a."""


@pytest.mark.parametrize("rounds", [1, 30])
def test_values_of_keys_that_repeat_are_masked_in_their_places(tmp_path: Path, rounds: int) -> None:
    def filled(n: int, text: str) -> str:
        own = re.sub("@([ab])", rf"\\1{n}@example.com", text)
        return re.sub('"@"', lambda found: f'"m{n}x{found.start()}@example.com"', own)

    cells = [filled(n, text) for n, text in enumerate(REPEATED * rounds)]
    source, target = tmp_path / "t.csv", tmp_path / "out.csv"
    pl.DataFrame({"a": range(len(cells)), "b": cells}).write_csv(source)
    done = mask_files(source, target, piiscan.plan(source), KEY, rule_sets.load(()), ReadOptions())
    assert not done.left_out and done.verified
    masked = pl.read_csv(target)["b"].to_list()
    assert not any(re.search(r"[abm]\d+(x\d+)?@example\.com", cell) for cell in masked)
    address = re.compile(r"[\w.+-]+@[\w.-]+")
    assert [address.sub("@", cell) for cell in masked] == [address.sub("@", cell) for cell in cells]
    for before, after in zip(cells, masked, strict=True):
        names = dict(zip(address.findall(before), address.findall(after), strict=True))
        assert [names[found] for found in address.findall(before)] == address.findall(after)


def test_frames() -> None:
    plan = piiscan.plan(FRAME)
    for frame in (FRAME, FRAME.to_arrow()):
        out = pl.DataFrame(piiscan.mask(frame, plan, KEY))
        assert out.columns == FRAME.columns and out["dept"].equals(FRAME["dept"])
        assert out["staff"].list.len().equals(FRAME["staff"].list.len())
        assert not any(word in str(out.to_dicts()) for word in (*MAILS, *NAMES, "219-09-9999"))
    rows = [{"who": {"email": m, "tags": [1]}, "of": [{"name": n}]} for n, m in zip(NAMES, MAILS, strict=True)]
    frame = pd.DataFrame(rows)
    masks = piiscan.mask(frame, piiscan.plan(frame), KEY).to_dict("records")
    assert frame.to_dict("records") == rows and [m["who"]["tags"] for m in masks] == [[1]] * len(rows)
    assert not any(word in str(masks) for word in (*MAILS, *NAMES))
    part = piiscan.Masker(piiscan.plan(frame), KEY)(frame[:2])
    assert part.to_dict("records") == masks[:2]
    with pytest.raises(ReadError, match="other keys"):
        piiscan.mask(pd.DataFrame([{"who": {"new": "mary@example.com"}, "of": None}]), piiscan.plan(frame), KEY)


def test_a_list_has_no_subject() -> None:
    plan = piiscan.plan(FRAME)
    for action in plan.tables[0].columns:
        assert action.subject is None or action.dtype != "other"
    wrong = with_operators(plan, {})
    (table,) = wrong.tables
    table = replace(
        table, columns=tuple(replace(a, subject="person") if a.name == "staff[].name" else a for a in table.columns)
    )
    with pytest.raises((UsageError, KeyError)):
        piiscan.mask(FRAME, replace(wrong, tables=(table,)), KEY)


def test_analyses_of_rows_refuse_many_values_in_a_row(tmp_path: Path) -> None:
    people = [{"age": 30 + i % 3, "pets": [{"kind": "cat", "age": i}, {"kind": "dog", "age": 2}]} for i in range(60)]
    path = written(tmp_path / "t.jsonl", people)
    asked: list[Callable[[], object]] = [
        lambda: piiscan.anonymize(people_frame(people), k=2, quasi=["age"]),
        lambda: piiscan.is_k_anonymous(path, 2, ["pets[].kind"]),
        lambda: piiscan.is_k_anonymous(path, 2),
        lambda: piiscan.risk(path, quasi=["age", "pets[].age"]),
        lambda: privately(
            piiscan.summarize,
            path,
            epsilon=1,
            one_row_per_person=True,
            bounds={"pets[].age": (0, 10)},
            ledger=tmp_path / "l",
        ),
        lambda: piiscan.aggregate(path, by=["pets[].kind"], columns=["age"]),
    ]
    for ask in asked:
        with pytest.raises(UsageError, match=r"(?:several|many) values (?:per|in a) row"):
            ask()
    assert piiscan.is_k_anonymous(path, 2, ["age"])


def people_frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows)


def test_an_identifier_that_is_a_key_in_lists_is_told(tmp_path: Path) -> None:
    text = '{"rows": [{"id": 1, "of": [{"(ann.lee@example.org)": 1, "x": 2}]}, {"id": 2, "of": [{"x": 3}]}]}\n'
    (tmp_path / "a.json").write_text(text * 2, encoding="utf-8")
    report = piiscan.scan(tmp_path / "a.json")
    assert [name.entity for name in report.in_names] == ["EMAIL_ADDRESS"]
    assert "ann.lee" not in report.to_json()


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson"])
def test_a_line_that_is_no_json_before_lines_of_json_is_a_value(tmp_path: Path, name: str) -> None:
    lines = [f'{{"item": "oak {i}", "size": {i}, "code": "d{i}"}}' for i in range(9)]
    (tmp_path / name).write_text("\n".join(["(card 4539 1488 0343 6467)", *lines]) + "\n")
    (table,) = piiscan.scan(tmp_path / name).tables
    assert table.format == "jsonl" and {c.name for c in table.columns} >= {"item", "size", "code"}
    assert "CREDIT_CARD" in {i.entity for c in table.columns for i in c.inside}


ARCHIVE = """window.YTD.account.part0 = [
  {
    "account" : {
      "email" : "hannelore.brink@postbox.org",
      "username" : "hbrink",
      "accountDisplayName" : "Hannelore Brink"
    }
  }
]"""


def test_json_that_a_script_names_is_read_and_masked_where_it_stands(tmp_path: Path) -> None:
    script, plain, out = tmp_path / "account.js", tmp_path / "account.json", tmp_path / "out.js"
    start = ARCHIVE.index("[")
    plain.write_text(ARCHIVE[start:])
    for before, after in (("window.YTD.account.part0 = ", ""), ("const data = ", ";\n"), ("\ufefflet data =\n", " ; ")):
        script.write_text(before + ARCHIVE[start:] + after)
        assert piiscan.scan(script).tables[0].columns == piiscan.scan(plain).tables[0].columns
        piiscan.mask(script, piiscan.plan(script), KEY, output=out, overwrite=True)
        masked = out.read_text()
        assert masked.startswith(before) and masked.endswith("]" + after)
        changed = json.loads(masked.removeprefix(before).removesuffix(after))[0]["account"]
        assert changed.keys() == json.loads(plain.read_text())[0]["account"].keys()
        assert not re.search("hannelore|brink", masked, re.IGNORECASE)


@pytest.mark.parametrize("before", ["/*O_o*/\ngoogle.visualization.Query.setResponse(", "cb("])
@pytest.mark.parametrize("after", [");", ")\n"])
def test_json_that_is_given_to_a_function_is_read_and_masked(tmp_path: Path, before: str, after: str) -> None:
    """Answers for pages of other sites (JSONP), under the names that browsers give them."""
    text, out = ARCHIVE[ARCHIVE.index("[") :], tmp_path / "out.txt"
    answer = tmp_path / "answer.txt"
    answer.write_text(before + text + after)
    (tmp_path / "plain.json").write_text(text)
    assert piiscan.scan(answer).tables[0].columns == piiscan.scan(tmp_path / "plain.json").tables[0].columns
    piiscan.mask(answer, piiscan.plan(answer), KEY, output=out)
    masked = out.read_text()
    assert masked.startswith(before) and masked.endswith("]" + after)
    assert not re.search("hannelore|brink", masked, re.IGNORECASE)


def test_other_texts_that_begin_with_a_call_are_texts(tmp_path: Path) -> None:
    for text in ('send({"mail": "hannelore.brink@postbox.org"}) # and more\n', 'print(["a"', "f({x}) = y\n"):
        (tmp_path / "a.txt").write_text(text)
        assert [table.format for table in piiscan.scan(tmp_path / "a.txt").tables] == ["text"]


@pytest.mark.parametrize(
    "text",
    [
        'const a = {"mail": "hannelore.brink@postbox.org"}; send(a);\n',
        'window.a = ["hannelore.brink@postbox.org"];\nwindow.b = ["x"];\n',
        'var a = {"mail": () => "hannelore.brink@postbox.org"};\n',
        'a = [{"mail": "hannelore.brink@postbox.org", }]\n',
        'send({"mail": "hannelore.brink@postbox.org"})\n',
    ],
)
def test_any_other_script_is_source_code(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.js").write_text(text)
    report = piiscan.scan(tmp_path).to_dict()
    assert not report["tables"] and report["skipped_kinds"] == {"source code, which --code looks at": 1}
    (code,) = piiscan.scan(tmp_path, code=True).tables
    assert code.format == "code"


def test_what_python_assigns_stays_source_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ARCHIVE)
    assert not piiscan.scan(tmp_path).tables
