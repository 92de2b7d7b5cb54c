"""Objects and lists in cells, as Python, Java and PHP print them, are laid out and masked; every other byte stays."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from conftest import run_piiscan
from hypothesis import given
from hypothesis import strategies as st

import piiscan
from piiscan.io.nested.printed_values import JAVA, PHP, PYTHON, printed
from piiscan.io.write.splice import inside
from piiscan.io.write.within import Within

KEY = piiscan.Key(bytes(range(3, 35)))
ROWS = 40
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


def plain(value: Any) -> Any:
    """A value with lists in the place of tuples."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


@given(VALUES.filter(lambda value: isinstance(value, dict | list | tuple)))
def test_what_python_prints_is_read_as_it_was(value: Any) -> None:
    found = printed(f" {value!r}\n")
    assert found is not None
    assert (found[0], found[1]) == (plain(value), PYTHON)


@pytest.mark.parametrize(
    ("text", "value", "notation"),
    [
        ("{'a': datetime.date(2020, 1, 2)}", {"a": "datetime.date(2020, 1, 2)"}, PYTHON),
        ("{'a': Decimal('1.50'), 'b': nan}", {"a": "Decimal('1.50')", "b": None}, PYTHON),
        ("{'a': f(')', [1], g(x)), 'b': 1}", {"a": "f(')', [1], g(x))", "b": 1}, PYTHON),
        ("{1: 'x', (2, 3): u'y'}", {"1": "x", "(2, 3)": "y"}, PYTHON),
        ("{'a', 'b'}", ["a", "b"], PYTHON),
        ("{'a': 1, 'a': 2}", {"a": [1, 2]}, PYTHON),
        ("{a=b}", {"a": "b"}, JAVA),
        ("{a=b, first name=Ann, c=}", {"a": "b", "first name": "Ann", "c": ""}, JAVA),
        ("{a=3 Elm Street, Springfield, b=null}", {"a": "3 Elm Street, Springfield", "b": None}, JAVA),
        ("{a=[x, null], b={c=[{d=e}, {}]}}", {"a": ["x", None], "b": {"c": [{"d": "e"}, {}]}}, JAVA),
        ("[{a=1}, {a=2, b=3}]", [{"a": "1"}, {"a": "2", "b": "3"}], JAVA),
        ('a:2:{s:4:"name";s:5:"Zoë ";s:1:"n";i:3;}', {"name": "Zoë ", "n": 3}, PHP),
        ('a:1:{s:1:"a";s:3:"Zoë";}', {"a": "Zoë"}, PHP),  # counted in Latin-1
        ("a:3:{i:0;b:1;i:1;N;i:2;d:-0.5;}", [True, None, -0.5], PHP),
        ('O:4:"User":1:{s:10:"\0User\0name";a:1:{i:7;s:3:"a";";}}', {"name": {"7": 'a";'}}, PHP),
    ],
)
def test_objects_and_lists(text: str, value: Any, notation: Any) -> None:
    assert printed(text) == (value, notation)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "{", "{'a'", "{'a': }", "{'a': 1} x", "{'a': 1, 'b'}", "{'a', 'b': 1}", "{'a' 'b'}", "('a')", "['a'",
        "{'a': b}", r"{'a': '\d'}", "{'a': 007}", "{'a': 1_000}", "{'a': f(1}", "{'a': f(1", "{a=b", "{a=b}c", "{a: b}",
        '{:a=>"b"}', "{a}", "[a, b]", "[a=b]", "{=b}", "{{name}}", "{3F25-04E0}", "[2024-01-02] started", "[[]",
        'a:1:{s:1:"a";s:9:"b";}', 'a:1:{s:1:"a"', 'a:1:{a:0:{}i:1;}', "a:1", 'O:1:"A":1:{C:1:"B":0:{}}', "a:1:{" * 100,
        "{'a': " * 100, "[" * 5000, "{a=" * 5000,
    ],
)  # fmt: skip
def test_other_texts_are_none(text: str) -> None:
    assert printed(text) is None


def rows(i: int) -> dict[str, Any]:
    """What is known of somebody; addresses are of their own."""
    return {
        "name": f"Anna O'Kernweiler {'abcdefghij'[i % 10]}",
        "mails": [f"a{i}@firm.com", f'"b"{i}@firm.com'] if i % 3 else [],
        "home": {"street": f"{i + 3} Elm Street", "city": "Springfield", "floor": 2, "flat": None},
        "tags": ("x", True, 1.5),
    }


def java(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={java(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(java, value)) + "]"
    return {None: "null", True: "true"}.get(value, str(value))


def php(value: Any) -> str:
    if isinstance(value, dict | list | tuple):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return f"a:{len(value)}:{{{''.join(php(key) + php(inner) for key, inner in pairs)}}}"
    if isinstance(value, str):
        return f's:{len(value.encode())}:"{value}";'
    return "N;" if value is None else f"{'b' if value is True else 'd' if isinstance(value, float) else 'i'}:{value:n};"


ADDRESS = re.compile(r"""[^\s,\[\]'=;]+@[\w.-]+""")


@pytest.mark.parametrize("how", [str, java, php])
def test_only_values_that_are_masked_change(tmp_path: Path, how: Any) -> None:
    source, target = tmp_path / "x.csv", tmp_path / "out.csv"
    cells = [how(rows(i)) if i != 5 else None for i in range(ROWS)]
    pd.DataFrame({"n": range(ROWS), "person": cells}).to_csv(source, index=False)
    plan = piiscan.plan(source)
    entities = {a.name: a.entity for a in plan.tables[0].columns}
    assert entities["person.name"] == "PERSON" and entities["person.home.street"] == "STREET_ADDRESS"
    assert entities["person.mails[]"] == "EMAIL_ADDRESS" and entities["person.home.city"] == "CITY"
    assert piiscan.mask(source, plan, KEY, output=target).to_dict()["verified"]
    masked = pl.read_csv(target)["person"].to_list()
    assert not any(re.search("Kernweiler|Elm Street|firm[.]com", cell or "") for cell in masked)
    for i, (before, after) in enumerate(zip(cells, masked, strict=True)):
        assert (before is None) == (after is None)
        if after is None:
            continue
        found = printed(after)
        assert found is not None and len(ADDRESS.findall(before)) == len(ADDRESS.findall(after))
        new = found[0]
        assert list(new) == list(rows(i)) and len(new["mails"]) == len(rows(i)["mails"])
        if how is str:
            assert new == plain(ast.literal_eval(after))
        old = rows(i) | {"name": new["name"], "mails": new["mails"]}
        old["home"] = old["home"] | {"street": new["home"]["street"], "city": new["home"]["city"]}
        assert how(old) == after


def test_a_column_of_them_is_not_clean(tmp_path: Path) -> None:
    pd.DataFrame({"order": range(9), "info": [{"colour": "red", "customer": "Jens Kernweiler"}] * 9}).to_csv(
        tmp_path / "x.csv", index=False
    )
    done = run_piiscan("scan", tmp_path / "x.csv")
    assert done.returncode == 1 and "info.customer" in done.stdout and "PERSON" in done.stdout


@pytest.mark.parametrize("how", [str, java, php])
@pytest.mark.parametrize("name", ["x.txt", "x.jsonl", "x.log"])
def test_lines_of_them_are_records(tmp_path: Path, how: Any, name: str) -> None:
    """They were a table whose header was the first person, or lines of text."""
    source, target = tmp_path / name, tmp_path / f"out-{name}"
    source.write_text("".join(how(rows(i)) + "\n" for i in range(ROWS)), encoding="utf-8")
    plan = piiscan.plan(source)
    assert {"name", "mails[]", "home.street"} <= {a.name for a in plan.tables[0].columns}
    assert piiscan.mask(source, plan, KEY, output=target).to_dict()["verified"]
    lines = target.read_text(encoding="utf-8").splitlines()
    assert len(lines) == ROWS and not re.search("Kernweiler|Elm Street|firm[.]com", "".join(lines))
    for line in lines:
        found = printed(line)
        assert found is not None and list(found[0]) == list(rows(0)) and found[0]["home"]["floor"] in (2, "2")


def test_what_php_stores_has_as_many_members_as_it_says() -> None:
    text = php({"id": 7, "user": {"name": "Ann", "mail": "a@firm.com"}})
    value, notation = printed(text) or (None, None)
    within = Within(frozenset((".id", ".user.name", ".user.mail")), frozenset((".user.mail",)))
    made = inside(text, 0, len(text), value, {".user.name": "Zoë", ".id": "8"}, within, notation)
    assert made == php({"id": 8, "user": {"name": "Zoë"}})
