"""Files written again: what doesn't change keeps its bytes (or values, in binary formats), what does lands in its
place."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_io_csv import cells, tables

import piiscan
from piiscan.core.errors import WriteError
from piiscan.core.types import Batch, TableInfo
from piiscan.io.content import ReadTable
from piiscan.io.inputs import discover
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed, Column
from piiscan.io.write.rewrite import rewrite

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class Each(NamedTuple):
    """A change that puts `new` of each cell in the columns `at` (None: all), leaves out `dropped`, and keeps rows by
    `keep`."""

    info: TableInfo
    new: Callable[[object], object]
    at: Sequence[int] | None = None
    dropped: Sequence[int] = ()
    keep: Callable[[int], bool] | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        wanted = range(len(self.info.fields)) if self.at is None else self.at
        return tuple(Column(f, i, i not in wanted) for i, f in enumerate(self.info.fields) if i not in self.dropped)

    def apply(self, batch: Batch) -> Changed:
        assert batch.offset is not None
        kept = (
            None
            if self.keep is None
            else pl.Series([self.keep(batch.offset + i) for i in range(batch.frame.height)], dtype=pl.Boolean)
        )
        frame = batch.frame if kept is None else batch.frame.filter(kept)
        out = {}
        for i, column in enumerate(self.columns):
            if not column.same:
                old = frame[str(column.origin)]
                out[str(i)] = pl.Series([self.new(cell) for cell in old.to_list()], dtype=old.dtype)
        return Changed(pl.DataFrame(out), kept)


def same(cell: object) -> object:
    return cell


def shout(cell: object) -> object:
    if isinstance(cell, list):
        return [shout(c) for c in cell]
    return cell.upper() if isinstance(cell, str) else cell


def again(
    path: Path, new: Callable[[object], object] = same, options: ReadOptions | None = None, **how: object
) -> Path:
    """The file that comes of a change."""
    out = path.parent / "out" / path.name
    result = rewrite(path, out, options or ReadOptions(), lambda info: Each(info, new, **how), overwrite=True)  # type: ignore[arg-type]
    assert not result.left_out, result.left_out
    assert sorted(p.name for p in out.parent.iterdir()) == [path.name]
    return out


TEXTS: dict[str, bytes] = {
    "plain": b"name,age\nAnn,41\nBob,7\n",
    "no final line end": b"name,age\nAnn,41\nBob,7",
    "header only": b"name,age,city\n",
    "CRLF": b"name,age\r\nAnn,41\r\nBob,7\r\n",
    "CR": b"name,age\rAnn,41\rBob,7\r",
    "mixed line ends": b"name,age\r\nAnn,41\nBob,7\r\n",
    "blank lines": b"name,age\nAnn,41\n\nBob,7\n\n",
    "semicolons, decimal commas": b"name;pay\nAnn;1,50\nBob;2,75\n",
    "tabs": b"name\tage\nAnn\t41\nBob\t7\n",
    "pipes": b"name|age\nAnn|41\nBob|7\n",
    "bytes of control": b"name\x01age\nAnn\x0141\nBob\x017\n",
    "two characters": b"name||age\nAnn||41\nBob||7\nCy||8\n",
    "quoted all": b'"name","age"\n"Ann","41"\n"Bob","7"\n',
    "quoted where needed": b'name,age\n"Bee, Ann",41\nBob,7\n',
    "quoted texts only": b'"name","age","x"\n"Ann",41,NA\n"Bob",7,"NA"\n',
    "needless quotes here and there": b'name,age\n"Ann",41\nBob,"7"\n',
    "quotes in cells": b'name,age\n"Ann ""Bee""",41\n"""",7\n"""x",8\n',
    "empty and quoted empty": b'name,note,x\nAnn,,""\nBob,"",\n,"",""\n',
    "line ends in cells": b'name,note\n"Ann","a\nb"\nBob,"c\r\nd"\n',
    "line ends in cells, CRLF": b'name,note\r\n"Ann","a\nb"\r\nBob,"c\r\nd"\r\n',
    "delimiters and quotes in cells": b'name,note\nAnn,"a,""b"",c"\nBob,"x,"\n"",",""y"\n',
    "stray quotes": b'name,size\nAnn,5" disk\nBob,"7""\nCy,2\n',
    "single quotes": b"name,note\n'Bee, Ann',x\n'Bob','y'\n",
    "backslashes": b'name,note\n"Ann \\"B\\"",x\n"Bob","y, z"\n',
    "spaces after": b'name, note\n"Ann", "x, y"\n"Bob", "z"\n',
    "runs of spaces": b"name  age\nAnn   41\nBob    7\nCyril 8\n",
    "short rows": b"name,age,city\nAnn,41\nBob\nCy,8,Ulm\n",
    "long rows": b"name,age\nAnn,41\nBob,7,x,y\nCy,8\n",
    "long rows, quoted": b'name,age\n"Ann","41"\n"Bob","7","x, z"\n"Cy","8"\n',
    "trailing delimiters": b"name,age,\nAnn,41,\nBob,7,\n",
    "one more in rows than in the header": b"name,age\nAnn,41,\nBob,7,\n",
    "comments": b"# made up\n# by hand\n\nname,age\nAnn,41\nBob,7\n",
    "named in a comment": b"#name,age\nAnn,41\nBob,7\n",
    "sep": b"sep=;\nname;age\nAnn;41\nBob;7\n",
    "titles": b"List of members\n\nname,city,age\nAnn,Ulm,41\nBob,Bonn,7\n",
    "no header": b"Ann,ann@example.org,41\nBob,bob@example.org,7\n",
    "names twice, and none": b"name,name,,x\nAnn,Bee,1,2\nBob,Cee,3,4\n",
    "numbers": b"id,zip,big,x\n1,00501,123456789012345678901234567890,1.0\n2,01234,18446744073709551616,1e5\n",
    "words for nothing": b"name,x,y\nNA,null,NULL\nn/a,None,nan\n-,?,\\N\n",
    "spaces around": b"name,age\n Ann , 41\n\tBob,7 \n",
    "one column": b"e-mail\nann@example.org\nbob@example.org\n",
    "one column, gaps": b'e-mail\nann@example.org\n\n""\nbob@example.org\n',
    "a stray byte": "name,code\nZoë,é\nŁódź,ó\nMüller,ü\n".encode() + b"\xe9,x\n",
    "bytes that cp1252 lacks": "name,city\nZoë,Zürich\nMüller,Köln\n".encode("latin-1") + b"\x81\x8d,x\n",
    "NUL": b"name,age\nAnn\x00,41\nBob,7\nCy,8\nDi,9\n",
    "like a packed file": b"x^,y\n1,2\n3,4\n",
    "marks in use": b'name,x\n"Ann",' + bytes(range(1, 8)) + b'\n"Bob",y\n' * 400,
}
SAMPLE = 'name,note\r\n"Bee, Ann",été\r\nZoë,"naïve ""x"""\r\nJosé,\r\n'
ENCODED = {
    **{
        e: SAMPLE.encode(e)
        for e in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1")
    },
    "utf-16-be with a mark": b"\xfe\xff" + SAMPLE.encode("utf-16-be"),
}
NAMED = {
    "shift_jis": "名前,市\n山田,東京\n鈴木,大阪\n",
    "cp932": "名前,市\n山田①,東京\n鈴木,大阪\n",
    "euc-jp": "名前,市\n山田,東京\n鈴木,大阪\n",
    "gb18030": "姓名,市\n王,北京\n李,上海\n",
    "cp1250": "imię,miasto\nŁukasz,Łódź\nZoë,Kraków\n",
    "koi8-r": "имя,город\nАнна,Москва\nИван,Тверь\n",
    "iso2022_jp": "名前,市\n山田,東京\n鈴木,大阪\n",
}


@pytest.mark.parametrize("title", TEXTS)
def test_a_text_that_does_not_change_keeps_its_bytes(tmp_path: Path, title: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(TEXTS[title])
    assert again(path).read_bytes() == TEXTS[title]
    # The same when every row is looked at on its own, and when a column is said to stay.
    assert again(path, at=[0]).read_bytes() == TEXTS[title]
    assert again(path, options=ReadOptions(batch_rows=1)).read_bytes() == TEXTS[title]


@pytest.mark.parametrize("encoding", ENCODED)
def test_encodings_stay(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(ENCODED[encoding])
    assert again(path).read_bytes() == ENCODED[encoding]
    done = again(path, lambda cell: "Ünal" if cell == "Zoë" else cell)
    wanted = ENCODED[encoding].decode("utf-16" if "mark" in encoding else encoding).replace("Zoë", "Ünal")
    assert tables(done)[0].info.details == tables(path)[0].info.details
    assert done.read_bytes().decode("utf-16" if "mark" in encoding else encoding) == wanted


@pytest.mark.parametrize("encoding", NAMED)
def test_named_encodings_stay(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(NAMED[encoding].encode(encoding))
    options = ReadOptions(encoding=encoding)
    assert again(path, options=options).read_bytes() == path.read_bytes()
    assert again(path, lambda cell: "x", options, at=[0]).read_bytes().decode(encoding).splitlines()[1].startswith("x,")


def test_a_value_that_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes("name,city\nZoë,Köln\nMüller,Ulm\n".encode("cp1252"))
    with pytest.raises(WriteError, match="characters that cp1252 lacks") as error:
        again(path, lambda cell: "Łódź")
    assert "Ł" not in str(error.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('name,age\n"Ann",41\nBob,"7"\n', 'name,age\n"<Ann>",41\n<Bob>,"7"\n'),
        ('"name","age"\n"Ann","41"\n', '"name","age"\n"<Ann>","41"\n'),
        ('name,age\n"Bee, Ann",41\nB,7\n', 'name,age\n"<Bee, Ann>",41\n<B>,7\n'),
        ("name,age,city\nAnn,41\nBob\nCy,8,Ulm\n", "name,age,city\n<Ann>,41\n<Bob>\n<Cy>,8,Ulm\n"),
        ('name,age\nAnn,41\nBob,"7",x,"y, z"\n', 'name,age\n<Ann>,41\n<Bob>,"7",x,"y, z"\n'),
        ("name,age\r\nAnn,41\nBob,7\r\n", "name,age\r\n<Ann>,41\n<Bob>,7\r\n"),
        ('name,a,b\nAnn,,""\nBob,NA,"NA"\n', 'name,a,b\n<Ann>,,""\n<Bob>,NA,"NA"\n'),
        ("name||age\nAnn||41\nBob||7\nCy||8\n", "name||age\n<Ann>||41\n<Bob>||7\n<Cy>||8\n"),
        ("#name,age\nAnn,41\nBob,7", "#name,age\n<Ann>,41\n<Bob>,7"),
    ],
)
def test_other_cells_keep_their_bytes(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(before.encode())
    assert again(path, lambda cell: f"<{cell}>", at=[0]).read_bytes().decode() == after


@pytest.mark.parametrize("new", ["a,b", 'a"b', "a\nb", '"', "\r", " a ", "", 'x,""', "é"])
@pytest.mark.parametrize(
    "title", ["plain", "quoted all", "CRLF", "tabs", "short rows", "two characters", "spaces after", "backslashes"]
)
def test_new_cells_are_read_as_they_were_given(tmp_path: Path, title: str, new: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(TEXTS[title])
    width = len(tables(path)[0].info.fields)
    done = again(path, lambda cell: new, at=[0])
    mark = {"tabs": "\t", "two characters": "||"}.get(title, ",")
    rows = (
        list(csv.reader(io.StringIO(done.read_bytes().decode(), newline=""), delimiter=mark))
        if len(mark) == 1
        else None
    )
    if rows is not None and title not in ("spaces after", "backslashes"):
        assert [row[0] for row in rows[1:] if row] == [new] * len([row for row in rows[1:] if row])
        assert all(len(row) <= width for row in rows)


@pytest.mark.parametrize(
    ("before", "dropped", "after"),
    [
        ('a,"b",c\n1,"2",3\n4,5,"6"\n', [1], 'a,c\n1,3\n4,"6"\n'),
        ("a,b,c\n1,2\n3,4,5,6\n", [2], "a,b\n1,2\n3,4,6\n"),
        ("a,b,c\n1,2\n3,4,5,6\n", [2, 3], "a,b\n1,2\n3,4\n"),
        ("#a,b,c\n1,2,3\n4,5,6\n", [0], "#b,c\n2,3\n5,6\n"),
        ("x\ty\n1\t2\n3\t4\n", [1], "x\n1\n3\n"),
    ],
)
def test_columns_left_out(tmp_path: Path, before: str, dropped: list[int], after: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(before.encode())
    done = again(path, options=ReadOptions(header=True), dropped=dropped)
    assert done.read_bytes().decode() == after


def test_rows_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(100)) + b"100,y")
    done = again(path, options=ReadOptions(batch_rows=7), keep=lambda row: row % 2 == 0)
    assert done.read_bytes() == b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(0, 100, 2)) + b"100,y"


def test_lines_before_a_table_are_a_table_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("# by Zoë\r\n\r\n# today\r\nname,age\r\nAnn,41\r\nBob,7\r\n".encode())
    assert again(path, shout).read_bytes().decode() == "# BY ZOË\r\n\r\n# TODAY\r\nname,age\r\nANN,41\r\nBOB,7\r\n"


def test_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piiscan.io.delimited.delimited.BLOCK_BYTES", 1 << 17)
    path = tmp_path / "t.csv"
    rows = [
        [str(i), f'say "{i}"' if i % 7 == 0 else f"x{i}", "a\nb" if i % 11 == 0 else "", "é"] for i in range(40_000)
    ]
    rows[20_000] = ["20000", "short"]
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([["id", "note", "text", "x"], *rows])
    path.write_text(stream.getvalue(), "utf-8", newline="")
    assert again(path).read_bytes() == path.read_bytes()
    done = again(path, shout, at=[1])
    assert [row[1] for row in cells(tables(done)[0])] == [row[1].upper() for row in rows]


_CELLS = st.text(st.sampled_from('ab,;"\n\r \té'), max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(_CELLS, _CELLS, _CELLS), min_size=1, max_size=6),
    st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
    st.sampled_from(("\n", "\r\n")),
)
def test_any_table_comes_back(tmp_path: Path, rows: list[tuple[str, ...]], quoting: int, end: str) -> None:
    path = tmp_path / "t.csv"
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator=end, quoting=quoting).writerows([("name", "age", "city"), *rows])
    path.write_text(stream.getvalue(), "utf-8", newline="")
    options = ReadOptions(delimiter=",", header=True)
    assert again(path, options=options).read_bytes() == path.read_bytes()
    (table, *_) = [t for t in discover([str(path)], options) if isinstance(t, ReadTable)]
    if table.info.fields[0].name == "name" and table.origin.dialect.is_plain and len(table.info.fields) == 3:
        before = cells(table)
        done = again(path, lambda cell: f"{cell}!", options, at=[1])
        wanted = [[a, f"{b}!", c] for a, b, c in before]
        read = list(csv.reader(io.StringIO(done.read_bytes().decode(), newline="")))
        assert [row for row in read[1:] if row] == wanted


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
def test_lines_of_a_log(tmp_path: Path, end: str) -> None:
    path = tmp_path / "app.log"
    text = f"2024-01-02 Zoë logged in\n\n  x{end or 'y'}last line, é"
    path.write_bytes(text.encode())
    assert again(path).read_bytes().decode() == text
    assert again(path, lambda cell: str(cell).replace("Zoë", "Ann")).read_bytes().decode() == text.replace("Zoë", "Ann")
    assert again(path, keep=lambda row: row != 0).read_bytes().decode() == text.partition("\n")[2]


JSON = {
    "lines": '{"name": "Ann", "age": 1.0, "tags": ["x", 5, ["y"]], "at": {"city": "Ulm", "zip": '
    '"00501"}}\n\n{"name":"Bob","big":123456789012345678901234567890,"e":1e5}\nnot json é\n[1, 2]\n"text"\n',
    "array": '[\n  {"name": "Ann", "at": {"city": "Ulm"}, "n": 1.50},\n  {"name": null, "at": {}, "list": [{"a": "b"}, '
    "null]}\n]\n",
    "rows": '[["name", "age"], ["Ann", 41], ["Bob", 7]]',
    "rows without names": '[["Ann", "ann@example.org"], ["Bob", "bob@example.org"]]',
    "wrapped": '{"total": 2, "meta": {"by": "Zoë", "empty": []}, "people": [{"name": "Ann"}, {"name": "Bob"}], "x": '
    '{"cities": ["Ulm", "Bonn"]}}\r\n',
    "keyed": '{"ann@example.org": {"age": 41}, "bob@example.org": {"age": 7}}',
    "settings": '{"owner": "ann", "port": 80}',
    "escapes": '[{"name": "Zo\\u00eb \\"x\\" \\/", "note": "\\ud83d\\ude00"}]',
    "several": '{"name": "Ann",\n "x": 1}\n{"name": "Bob",\n "x": 2}\n',
}


@pytest.mark.parametrize("title", JSON)
def test_json_that_does_not_change_keeps_its_bytes(tmp_path: Path, title: str) -> None:
    path = tmp_path / ("t.jsonl" if title == "lines" else "t.json")
    path.write_bytes(JSON[title].encode())
    assert again(path).read_bytes().decode() == JSON[title]


@pytest.mark.parametrize(
    ("title", "after"),
    [
        (
            "lines",
            '{"name": "ANN", "age": 1.0, "tags": ["X", 5, ["Y"]], "at": {"city": "ULM", "zip": '
            '"00501"}}\n\n{"name":"BOB","big":123456789012345678901234567890,"e":1e5}\nNOT JSON É\n[1, 2]\n"TEXT"\n',
        ),
        ("rows", '[["name", "age"], ["ANN", 41], ["BOB", 7]]'),
        (
            "wrapped",
            '{"total": 2, "meta": {"by": "ZOË", "empty": []}, "people": [{"name": "ANN"}, {"name": "BOB"}], "x": '
            '{"cities": ["ULM", "BONN"]}}\r\n',
        ),
        ("keyed", '{"ANN@EXAMPLE.ORG": {"age": 41}, "BOB@EXAMPLE.ORG": {"age": 7}}'),
        ("settings", '{"owner": "ANN", "port": 80}'),
        ("several", '{"name": "ANN",\n "x": 1}\n{"name": "BOB",\n "x": 2}\n'),
    ],
)
def test_only_the_leaves_of_json_change(tmp_path: Path, title: str, after: str) -> None:
    path = tmp_path / ("t.jsonl" if title == "lines" else "t.json")
    path.write_bytes(JSON[title].encode())
    assert again(path, shout).read_bytes().decode() == after


def test_keys_left_out_of_json(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "b": {"c": "x", "d": 2}, "e": 3}\n{"e": 4, "b": {"c": "y"}}\n{"a": 5}\n', "utf-8")
    assert [f.name for f in tables(path)[0].info.fields] == ["a", "b.c", "b.d", "e"]
    assert (
        again(path, dropped=[1]).read_text("utf-8") == '{"a": 1, "b": {"d": 2}, "e": 3}\n{"e": 4, "b": {}}\n{"a": 5}\n'
    )
    assert (
        again(path, dropped=[0, 3], keep=lambda row: row != 1).read_text("utf-8") == '{"b": {"c": "x", "d": 2}}\n{}\n'
    )
    document = tmp_path / "documents" / "t.json"
    document.parent.mkdir()
    document.write_text('[ {"a": 1, "n": "x"}, {"n": "y"} , {"a": 2}]', "utf-8")
    assert again(document, dropped=[0], keep=lambda row: row != 1).read_text("utf-8") == '[ {"n": "x"} , {}]'


PACKERS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gz": (gzip.compress, gzip.decompress),
    "bz2": (bz2.compress, bz2.decompress),
    "xz": (lzma.compress, lzma.decompress),
    "zst": (zstd.compress, zstd.decompress),
}


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_files_are_packed_again(tmp_path: Path, kind: str) -> None:
    pack, unpack = PACKERS[kind]
    path = tmp_path / f"people.csv.{kind}"
    path.write_bytes(pack(TEXTS["quoted texts only"]))
    assert unpack(again(path).read_bytes()) == TEXTS["quoted texts only"]
    assert unpack(again(path, shout, at=[0]).read_bytes()) == TEXTS["quoted texts only"].replace(
        b"Ann", b"ANN"
    ).replace(b"Bob", b"BOB")


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"secret"
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 6)), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.mtime = (
                (tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE),
                0o640,
                981_173_106,
            )
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


MEMBERS = {
    "data/": b"",
    "data/a.csv": TEXTS["quoted all"],
    "data/b.jsonl.gz": gzip.compress(b'{"n": "Ann"}\n{"n": "Bob"}\n'),
    "empty.txt": b"",
}


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz"])
def test_archives_are_written_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    data = zipped(MEMBERS) if name == "a.zip" else tarred(MEMBERS)
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    data = again(path, shout).read_bytes()
    done = io.BytesIO(gzip.decompress(data) if name.endswith("gz") else data)
    if name == "a.zip":
        with zipfile.ZipFile(done) as archive:
            assert archive.namelist() == list(MEMBERS)
            assert {entry.date_time for entry in archive.infolist()} == {(2001, 2, 3, 4, 5, 6)}
            inner = {member: archive.read(member) for member in archive.namelist()}
    else:
        with tarfile.open(fileobj=done) as archive:
            assert [entry.name for entry in archive] == [member.rstrip("/") for member in MEMBERS]
            assert {(entry.mode, entry.mtime) for entry in archive} == {(0o640, 981_173_106)}
            inner = {e.name: f.read() for e in archive.getmembers() if (f := archive.extractfile(e)) is not None}
    assert inner["data/a.csv"] == TEXTS["quoted all"].replace(b"Ann", b"ANN").replace(b"Bob", b"BOB")
    assert gzip.decompress(inner["data/b.jsonl.gz"]) == b'{"n": "ANN"}\n{"n": "BOB"}\n'
    assert again(path).read_bytes() != b""


def test_an_archive_with_something_unread_is_refused_unless_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"a.csv": TEXTS["plain"], "photo.png": b"\x89PNG\r\n\x1a\n\0\0"}))
    out = tmp_path / "out.zip"
    result = rewrite(path, out, ReadOptions(), lambda info: Each(info, shout))
    assert (result.written, len(result.left_out), out.exists()) == ((), 1, False)
    assert result.left_out[0].reason.startswith("photo.png: picture")
    result = rewrite(path, out, ReadOptions(), lambda info: Each(info, shout), copy_others=True)
    assert result.copied == (f"{path.as_posix()}!photo.png",)
    with zipfile.ZipFile(out) as archive:
        assert archive.read("a.csv") == TEXTS["plain"].replace(b"Ann", b"ANN").replace(b"Bob", b"BOB")


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_with_two_members_of_one_name_is_refused(tmp_path: Path, kind: str) -> None:
    """Changes are asked for by names: what is meant for one member would be done to the other."""
    path, out = tmp_path / f"a.{kind}", tmp_path / "out"
    data = TEXTS["plain"]
    if kind == "zip":
        with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", data)
            archive.writestr("a.csv", data)
    else:
        path.write_bytes(tarred({"a.csv": data}) + tarred({"a.csv": data}))
    result = rewrite(path, out, ReadOptions(), lambda info: Each(info, shout))
    assert (result.written, out.exists()) == ((), False)
    assert result.left_out[0].reason == "a.csv: two members have this name; unpack it, and mask both"


def test_a_table_without_a_change_is_copied(tmp_path: Path) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    path.write_bytes(TEXTS["stray quotes"])
    path.chmod(0o640)
    asked: list[TableInfo] = []
    result = rewrite(path, out, ReadOptions(rows=1), lambda info: asked.append(info))
    assert out.read_bytes() == path.read_bytes()
    assert result.tables == tuple(asked) == (tables(path)[0].info,)
    assert out.stat().st_mode & 0o777 == 0o640


def test_a_second_byte_order_mark_belongs_to_the_first_line_of_json(tmp_path: Path) -> None:
    """The reader takes such a line for a text, so the writer has to."""
    lines = ["\ufeff" + '{"note": "ask ann.lee@post.example"}', *['{"note": "red"}'] * 9]
    (tmp_path / "a.jsonl").write_bytes(("\ufeff" + "\n".join(lines) + "\n").encode("utf-16-le"))
    piiscan.mask(
        tmp_path / "a.jsonl",
        plan=piiscan.plan(tmp_path / "a.jsonl"),
        key=piiscan.Key(bytes(range(40, 72))),
        output=tmp_path / "out.jsonl",
    )
    text = (tmp_path / "out.jsonl").read_bytes().decode("utf-16-le")
    assert "ann.lee" not in text
