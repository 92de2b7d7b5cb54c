"""YAML, TOML and settings written again: values change where they are, every other byte stays."""

from __future__ import annotations

import configparser
import gzip
import random
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import documents_at_random
import polars as pl
import pytest
import yaml
from test_write import Each, again, same, shout

from piiscan.core.errors import UsageError
from piiscan.core.types import Batch, TableInfo
from piiscan.io.content import ReadTable
from piiscan.io.inputs import discover
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed, Column
from piiscan.io.write.rewrite import rewrite

LOAD: dict[str, Callable[[str], Any]] = {"yaml": yaml.safe_load, "toml": tomllib.loads}


class AsTexts(NamedTuple):
    """A change that makes a new text of every cell, of numbers and dates too; keys stay."""

    info: TableInfo
    new: Callable[[object], object]

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(
            Column(f if f.dtype == "other" else f._replace(dtype="string"), i, (f.name or "").endswith("(key)"))
            for i, f in enumerate(self.info.fields)
        )

    def apply(self, batch: Batch) -> Changed:
        out = {}
        for i, column in enumerate(self.columns):
            if not column.same:
                old = batch.frame[str(i)]
                dtype = old.dtype if isinstance(old.dtype, pl.List) else pl.String
                out[str(i)] = pl.Series([self.new(cell) for cell in old.to_list()], dtype=dtype)
        return Changed(pl.DataFrame(out))


def written(tmp_path: Path, name: str, text: str | bytes, new: Callable[[object], object] = shout) -> str:
    """A text with new values; without new values it stays what it is."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert again(path).read_bytes() == path.read_bytes()
    out = tmp_path / "out" / name
    result = rewrite(path, out, ReadOptions(), lambda info: AsTexts(info, new), overwrite=True)
    assert not result.left_out, result.left_out
    return out.read_bytes().decode()


def reason(tmp_path: Path, name: str, text: str, new: Callable[[object], object] = shout) -> str:
    path = tmp_path / name
    path.write_text(text)
    (left,) = rewrite(path, tmp_path / "out" / name, ReadOptions(), lambda info: AsTexts(info, new)).left_out
    return left.reason


def to(text: str | None) -> Callable[[object], object]:
    """Every value becomes one text."""

    def made(cell: object) -> object:
        return [made(element) for element in cell] if isinstance(cell, list) else None if cell is None else text

    return made


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: b  # c\n", "a: B  # c\n"),
        ("# a\n---\na:   'b'\r\nc: \"d\"\n", "# a\n---\na:   'B'\r\nc: \"D\"\n"),
        ("{a: b, c: [d, 'e', [f]]}", "{a: B, c: [D, 'E', [F]]}"),
        ("- a: x\n  b: y\n- {a: z, b: w}\n", "- a: X\n  b: Y\n- {a: Z, b: W}\n"),
        ("a: &x b\nc: *x\nd: {<<: *x, e: f}\n", "a: &x B\nc: *x\nd: {<<: *x, e: F}\n"),
        ("a: !!str &x b\nc: !own d\n", "a: !!str &x B\nc: !own D\n"),
        ("a: b\n  c\n\n  d\ne: f\n", 'a: "B C\\nD"\ne: F\n'),
        ("a: |  # why\n   b\n     c\n\n   d\n\n\ne: f\n", "a: |  # why\n   B\n     C\n\n   D\n\n\ne: F\n"),
        ("a: |+\n b\n\n\nc: d\n", "a: |+\n B\n\n\nc: D\n"),
        ("a: >-\n b\n c\n\n d\ne: f\n", "a: >-\n B C\n\n D\ne: F\n"),
        ("a: |2-\n    b\n   c\n", "a: |2-\n    B\n   C\n"),
        ("a: |\n b", "a: |\n B"),
        ("- |\n  b\n- - >\n    c\n", "- |\n  B\n- - >\n    C\n"),
        ("a: b\na: c\n", "a: B\na: C\n"),
        ("a: null\nb: ~\nc:\nd: 12\n", "a: null\nb: ~\nc:\nd: 12\n"),
        ("? a\n: b\n", "? a\n: B\n"),
        ("a: 1\n--- # x\nb: c\n...\n---\n- d\n", "a: 1\n--- # x\nb: C\n...\n---\n- D\n"),
        ("%YAML 1.1\n---\nü: é\n", "%YAML 1.1\n---\nü: É\n"),
    ],
)
def test_yaml(tmp_path: Path, text: str, wanted: str) -> None:
    assert written(tmp_path, "a.yaml", text) == wanted


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("b", "12", '"12"'),
        ("12", "34", "34"),
        ("12", "3.5", '"3.5"'),
        ("2019-01-02", "2020-03-04", "2020-03-04"),
        ("2019-01-02", "2020", '"2020"'),
        ("01067", "01309", '"01309"'),
        ("b", "null", '"null"'),
        ("b", "yes", '"yes"'),
        ("b", "n", '"n"'),
        ("b", "1e5", '"1e5"'),
        ("b", "0o17", '"0o17"'),
        ("b", "12:30", '"12:30"'),
        ("b", "", '""'),
        ("b", "c: d", '"c: d"'),
        ("b", "c #d", '"c #d"'),
        ("b", "[c]", '"[c]"'),
        ("b", "-", '"-"'),
        ("b", "c\nd\u2028\x7f", '"c\\nd\\u2028\\u007f"'),
        ("b", "Lee, Ann", '"Lee, Ann"'),
        ("b", "who? Ann", '"who? Ann"'),
        ("Lee, Ann", "Fox, Bo", "Fox, Bo"),
        ("'b'", "it's", "'it''s'"),
        ("'b'", "c\nd", '"c\\nd"'),
        ('"b"', 'c\\"', '"c\\\\\\""'),
        ("!!int 12", "34", "!!int 34"),
        ("!!int 12", "Ann", "!!str Ann"),
        ("!!binary Yg==", "Ann", "!!str Ann"),
        ("b", None, "null"),
        ("!!str b", None, '!!str ""'),
        ("|\n b\n", "c", "|-\n c\n"),
        ("|-\n b\n", "c\n\n", "|+\n c\n\n"),
        ("|  # d\n b\n", "", '""  # d\n'),
        ("|  # d\n b\n", " c", '" c"  # d\n'),
        ("|\n b\n", None, "null\n"),
        (">-\n b\n", "c\n d", "|-\n c\n  d\n"),
    ],
)
def test_a_value_of_yaml_is_read_as_the_new_text(tmp_path: Path, old: str, new: str | None, wanted: str) -> None:
    end = "" if old.endswith("\n") else "\n"
    done = written(tmp_path, "a.yaml", f"a: {old}{end}", to(new))
    assert done == f"a: {wanted}{end}"
    made = yaml.safe_load(done)["a"]
    assert str(made) == new or (made or "") == (new or "")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a = \"b\"  # c\nd = 'e'\r\n", "a = \"B\"  # c\nd = 'E'\r\n"),
        ("[a.'b']\nc = 1\nd.e = \"f\"\n", "[a.'b']\nc = 1\nd.e = \"F\"\n"),
        ("[[a]]\nb = 'c'\n[a.d]\ne = 'f'\n[[a]]\nb = 'g'\n", "[[a]]\nb = 'C'\n[a.d]\ne = 'F'\n[[a]]\nb = 'G'\n"),
        ("a = ['b', # ']'\n 'c', ]\n", "a = ['B', # ']'\n 'C', ]\n"),
        ("a = { b = 'c', d = { e = ['f'] } }\n", "a = { b = 'C', d = { e = ['F'] } }\n"),
        ('a = """\nb\n  c"""\n', 'a = """\nB\n  C"""\n'),
        ("a = '''b\n\"c'''\n", "a = '''B\n\"C'''\n"),
        ('a = "\\u00e4\\"\\\\"\n', 'a = "Ä\\"\\\\"\n'),
        ('a = """b\\\n   c"""\n', 'a = """BC"""\n'),
        ('a = ""\nb = true\nc = 1979-05-27 07:32:00\n', 'a = ""\nb = "TRUE"\nc = 1979-05-27 07:32:00\n'),
    ],
)
def test_toml(tmp_path: Path, text: str, wanted: str) -> None:
    assert written(tmp_path, "a.toml", text, lambda cell: shout(_text(cell))) == wanted


def _text(cell: object) -> object:
    return cell if cell is None or isinstance(cell, list) else str(cell)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("12", "34", "34"),
        ("12", "30-40", '"30-40"'),
        ("12", "034", '"034"'),
        ("1.5", "2.5", "2.5"),
        ("2019-01-02", "2020-03-04", "2020-03-04"),
        ("2019-01-02", "2020", '"2020"'),
        ("07:32:00", "08:00:00", "08:00:00"),
        ("true", "Ann", '"Ann"'),
        ("12", None, '""'),
        ("'b'", "it's", '"it\'s"'),
        ("'b'", "c\x7f", '"c\\u007f"'),
        ('"b"', 'c"\\\n', '"c\\"\\\\\\n"'),
        ("'''b'''", "c'''", '"""c\'\'\'"""'),
        ('"""b"""', 'c""""', '"""c"\\""\\""""'),
        ('"""b"""', "\nc", '"""\n\nc"""'),
    ],
)
def test_a_value_of_toml_is_read_as_the_new_text(tmp_path: Path, old: str, new: str | None, wanted: str) -> None:
    assert written(tmp_path, "a.toml", f"a = {old}\n", to(new)) == f"a = {wanted}\n"
    assert str(tomllib.loads(f"a = {wanted}")["a"]) == (new or "")


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.ini", "; a\n[b]\nc = d \n\te: f;g\n", "; a\n[b]\nc = D \n\tE: F;G\n"),
        ("a.ini", "a = b\n  c\n\n[d]\ne='f'\n", "a = B\n  C\n\n[d]\ne='F'\n"),
        ("a.cfg", "[a]\n\tb = c\n\td = e\n\t  f\n", "[a]\n\tb = C\n\td = E\n\t  F\n"),
        ("a.properties", "a.b=c\\u00e4\nd:e \\\n   f\n!g\n", "a.b=C\\u00c4\nd:E F\n!g\n"),
        ("a.properties", "a=\\ud83d\\ude00b\n", "a=\\ud83d\\ude00B\n"),
        (".env", "export A='b'\nC=\"d\n e\" # f\nG=h\n", "export A='B'\nC=\"D\n E\" # f\nG=H\n"),
        (".env", "A=b # c\n", "A=B # C\n"),
    ],
)
def test_settings(tmp_path: Path, name: str, text: str, wanted: str) -> None:
    assert written(tmp_path, name, text) == wanted


@pytest.mark.parametrize(
    ("name", "old", "new", "wanted"),
    [
        (".env", "b", "Ann Lee", '"Ann Lee"'),
        (".env", "b c", "Ann Lee", "Ann Lee"),
        (".env", "b", "a$b", "'a$b'"),
        (".env", "'b'", "it's", '"it\'s"'),
        (".env", "'b'", "c\nd", "'c d'"),
        (".env", "b", "", ""),
        (".env", '"b"', None, '""'),
        ("a.ini", "b", "'c'", "\"'c'\""),
        ("a.ini", "b", "c\nd", "c d"),
        ("a.ini", "b", None, ""),
        ("a.ini", "b", "é", "é"),
        ("a.properties", "b", "é😀", "\\u00e9\\ud83d\\ude00"),
    ],
)
def test_a_value_of_settings_is_read_as_the_new_text(
    tmp_path: Path, name: str, old: str, new: str | None, wanted: str
) -> None:
    assert written(tmp_path, name, f"a={old}\n", to(new)) == f"a={wanted}\n"


def test_a_value_that_goes_on_is_emptied(tmp_path: Path) -> None:
    assert written(tmp_path, "a.ini", "[a]\nb = c\n  d\n  e\nf = g\n", to(None)) == "[a]\nb = \nf = \n"


def test_values_beside_attributes(tmp_path: Path) -> None:
    row = "- id: x\n  fields: [{name: email, value: a}, {name: size, value: 'b'}]\n"
    assert written(tmp_path, "a.yaml", row * 2) == (
        "- id: X\n  fields: [{name: EMAIL, value: A}, {name: SIZE, value: 'B'}]\n" * 2
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "a@post.example: {n: x}\nb@post.example: {n: y}\n"),
        ("a.toml", "['a@post.example']\nn = 'x'\n['b@post.example']\nn = 'y'\n['b@post.example'.in]\nm = 'z'\n"),
        ("a.ini", "[a@post.example]\nn = x\n[b@post.example]\nn = y\n"),
        (".env", "A=b\n"),
    ],
)
def test_keys_that_are_values(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    out = again(path, lambda cell: cell.replace("post", "mask") if isinstance(cell, str) else cell)
    assert out.read_text() == text.replace("post", "mask")


@pytest.mark.parametrize(
    ("name", "text", "new", "why"),
    [
        ("a.yaml", "a: Ann Lee  # by Ann  Lee\n", to("x"), "in it contains a value"),
        ("a.toml", "a = 'x-12345' # X-12345\n", to("x"), "in it contains a value"),
        ("a.ini", "# (Ann Lee)\na = Ann Lee\n", to("x"), "in it contains a value"),
        ("a.ini", "a = b\n  c\n", to("#x"), "as another document"),
    ],
)
def test_what_cannot_be_masked_is_left_out(
    tmp_path: Path, name: str, text: str, new: Callable[[object], object], why: str
) -> None:
    assert why in reason(tmp_path, name, text, new)


def test_no_value_that_settings_cannot_hold(tmp_path: Path) -> None:
    assert "such settings can't hold" in reason(tmp_path, ".env", "A='b'\n", to("'\"`"))


def test_columns_and_rows_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("- {a: x, b: y}\n- {a: z, b: w}\n")
    with pytest.raises(UsageError, match="columns of yaml can't be left out"):
        rewrite(path, tmp_path / "out", ReadOptions(), lambda info: Each(info, same, dropped=[0]))
    (left,) = rewrite(path, tmp_path / "out", ReadOptions(), lambda info: Each(info, same, keep=bool)).left_out
    assert "rows of yaml can't be left out" in left.reason


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = "a: Zoë\r\nb: 'Müller'\r\nc: Köln, naïve café\r\n"
    path = tmp_path / "a.yaml"
    path.write_bytes(text.encode(encoding))
    assert again(path).read_bytes() == path.read_bytes()
    assert again(path, shout).read_bytes() == "a: ZOË\r\nb: 'MÜLLER'\r\nc: KÖLN, NAÏVE CAFÉ\r\n".encode(encoding)


def test_packed_and_in_archives(tmp_path: Path) -> None:
    packed = tmp_path / "a.toml.gz"
    packed.write_bytes(gzip.compress(b"a = 'b' # c\n"))
    assert gzip.decompress(again(packed, shout).read_bytes()) == b"a = 'B' # c\n"
    folder = tmp_path / "z"
    folder.mkdir()
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("in/a.yaml", "a: b\n")
        archive.writestr("in/.env", "A=b\n")
    with zipfile.ZipFile(again(folder / "a.zip", shout)) as archive:
        assert [archive.read(name) for name in archive.namelist()] == [b"a: B\n", b"A=B\n"]


def tables(path: Path) -> list[tuple[str | None, str, list[str | None], int]]:
    found = []
    for table in discover([str(path)], ReadOptions(asides=False)):
        assert isinstance(table, ReadTable), table
        names = [field.name for field in table.info.fields]
        found.append((table.info.table, table.info.format, names, sum(b.frame.height for b in table.batches())))
    return found


def values(document: Any) -> Iterator[Any]:
    if isinstance(document, dict | list):
        for inner in document.values() if isinstance(document, dict) else document:
            yield from values(inner)
    else:
        yield document


def shape(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: shape(inner) for key, inner in document.items()}
    return [shape(inner) for inner in document] if isinstance(document, list) else None


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", ["yaml", "toml"])
def test_documents_at_random(tmp_path: Path, kind: str, seed: int) -> None:
    text, document = getattr(documents_at_random, kind)(random.Random(seed))
    assert LOAD[kind](text) == document
    text = text.replace("\n", "\r\n") if seed % 3 == 0 else text
    done = written(tmp_path, f"a.{kind}", text, documents_at_random.mask)
    after = LOAD[kind](done)
    assert shape(after) == shape(document)
    for old, new in zip(values(LOAD[kind](text)), values(after), strict=True):
        if isinstance(old, str):
            assert (new or "") == documents_at_random.mask(old)
            assert len(old) < 12 or old not in done


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", ["ini", "env"])
def test_settings_at_random(tmp_path: Path, kind: str, seed: int) -> None:
    text, settings = getattr(documents_at_random, kind)(random.Random(seed))
    name = ".env" if kind == "env" else "a.ini"
    done = written(tmp_path, name, text, to("mask é"))
    assert tables(tmp_path / name) == tables(tmp_path / "out" / name)
    assert not any(old in done for old in values(settings) if len(old) > 12)
    if kind == "ini":
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(done)
        assert {name: list(parser[name]) for name in parser.sections()} == {s: list(v) for s, v in settings.items()}
