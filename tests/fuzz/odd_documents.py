"""Odd documents: JSON, workbooks, what holds no data, and what only looks like a kind."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from . import corpus
from .mutations import File
from .odd_texts import CARD, IBAN, MAIL, SAID, SSN


def files() -> Iterator[tuple[str, File]]:
    """The files by their names."""
    yield from _json()
    yield from _json_lines()
    yield from _workbooks()
    yield from _pictures()
    yield from _lookalikes()


def _deep(depth: int, value: str) -> str:
    return '{"a": [' * depth + json.dumps(value) + "]}" * depth


def _json() -> Iterator[tuple[str, File]]:
    documents = {
        "a text": json.dumps(SAID),
        "a number": "4539148803436467",
        "null": "null",
        "an empty object": "{}",
        "an empty array": "[]",
        "spaces alone": "  \n ",
        "objects without keys": "[{}, {}, {}]",
        "one object": json.dumps({"a": SAID}),
        "texts": json.dumps(["a", "b", SAID]),
        "arrays": json.dumps([["a", 1], ["b", SAID]]),
        "arrays of other lengths": json.dumps([[], [1], [1, 2, [3, SAID]]]),
        "kinds that change": json.dumps([{"a": 1}, {"a": "x"}, {"a": [SAID]}, {"a": {"b": None}}, {"a": True}]),
        "a needle as a key": json.dumps([{MAIL: 1}, {"a": 2}]),
        "needles as all keys": json.dumps({MAIL: {"a": 1}, SSN: {"a": 2}, IBAN: {"a": 3}}),
        "an empty key": json.dumps([{"": SAID}]),
        "keys with dots": json.dumps([{"a.b": {"c.d": SAID}}]),
        "keys with brackets": json.dumps([{"a[]": [{"(key)": SAID}]}]),
        "the same key twice": '[{"a": "%s", "a": 1}, {"a": 2}]' % SAID,
        "the same key twice, last": '[{"a": 1, "a": "%s"}]' % SAID,
        "the same nested key twice": '[{"a": {"b": "%s"}, "a": {"b": 1}}]' % SAID,
        "a late key": json.dumps([{"a": 1}] * 3000 + [{"z": SAID}]),
        "30 deep": _deep(15, SAID),
        "40 deep": _deep(20, SAID),
        "400 deep": _deep(200, SAID),
        "arrays 900 deep": "[" * 900 + json.dumps(SAID) + "]" * 900,
        "JSON in a text": json.dumps([{"a": json.dumps({"b": SAID})}] * 3),
        "JSON in JSON in a text": json.dumps([{"a": json.dumps({"b": json.dumps({"c": SAID})})}] * 3),
        "escaped letters": json.dumps([{"a": SAID}]).replace("quillan", "\\u0071\\u0075illan"),
        "escaped slashes": '[{"a": "x \\/ %s"}]' % SAID,
        "lone surrogates": '[{"a": "\\ud800 %s"}]' % SAID,
        "control characters": '[{"a": "\\u0000 %s \\u0001"}]' % SAID,
        "raw control characters": '[{"a": "x\ty %s"}]' % SAID,
        "huge numbers": '[{"a": 1e999, "b": -0, "c": 123456789012345678901234567890, "d": "%s"}]' % SAID,
        "a card as a number": '[{"card": 4539148803436467}]',
        "NaN": '[{"a": NaN, "b": Infinity, "c": "%s"}]' % SAID,
        "comments": '{// %s\n"a": 1, /* x */ "b": 2}' % SAID,
        "a last comma": '[{"a": "%s"},]' % SAID,
        "single quotes": "[{'a': '%s'}]" % SAID,
        "no quotes": "{a: %s}" % SAID,
        "cut": '[{"a": "x"}, {"a": "%s"' % SAID,
        "behind the end": '[{"a": "x"}]\n%s' % SAID,
        "two documents": '{"a": 1}{"a": "%s"}' % SAID,
        "two documents by lines": '{"a":\n1}\n{"a":\n"%s"}' % SAID,
        "before the start": '%s\n[{"a": "x"}]' % SAID,
        "a call": 'callback([{"a": "%s"}]);' % SAID,
        "a guard": ")]}',\n" + '[{"a": "%s"}]' % SAID,
        "a mark": "\ufeff" + json.dumps([{"a": SAID}]),
        "GraphQL": json.dumps({"data": {"users": {"edges": [{"node": {"mail": MAIL}}]}}}),
        "a schema": json.dumps({"$schema": "x", "properties": {"a": {"description": SAID}}}),
        "columns": json.dumps({"a": ["x", SAID], "b": [1, 2]}),
        "a table of pandas": json.dumps({"schema": {"fields": []}, "data": [{"index": 0, "a": SAID}]}),
        "split by pandas": json.dumps({"columns": ["a"], "index": [0], "data": [[SAID]]}),
        "an array of 5,000 numbers": json.dumps([*range(5000), SAID]),
        "a key of 10,000 letters": json.dumps([{"x" * 10_000: SAID}]),
        "2,000 keys": json.dumps([{f"k{i}": i for i in range(2000)} | {"last": SAID}]),
        "every object another key": json.dumps([{f"k{i}": SAID if i == 700 else i} for i in range(900)]),
    }
    for name, text in documents.items():
        yield f"JSON, {name}", File(text.encode("utf-8", "surrogatepass"), "a.json")
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"):
        yield (
            f"JSON in {encoding}",
            File(json.dumps([{"a": f"ä {SAID}"}], ensure_ascii=False).encode(encoding), "a.json"),
        )


def _json_lines() -> Iterator[tuple[str, File]]:
    line = json.dumps({"a": 1, "b": "x"})
    need = json.dumps({"a": 2, "b": SAID})
    texts = {
        "a bad line": f"{line}\n{{bad {SAID}\n{line}\n",
        "a bad last line": f"{line}\n{line}\n" + need[:-3],
        "empty lines": f"{line}\n\n\n{need}\n\n",
        "arrays": f'["a", 1]\n["{SAID}", 2]\n',
        "texts": f'"a"\n"{SAID}"\n',
        "numbers, then an object": f"1\n2\n{need}\n",
        "two in a line": f"{line}{need}\n{line}\n",
        "commas at the ends": f"{line},\n{need},\n",
        "CR": f"{line}\r{need}\r",
        "record separators": f"\x1e{line}\n\x1e{need}\n",
        "kinds that change": f'{line}\n{{"a": [1, {{"c": "{SAID}"}}]}}\n{{"a": null}}\n',
        "late": f"{line}\n" * 20_000 + need + "\n",
        "late and bad": f"{line}\n" * 20_000 + f"{{{SAID}\n",
        "a log before": f"INFO {line}\nINFO {need}\n",
        "objects without keys": "{}\n" * 3000 + need + "\n",
        "null": f"null\n{need}\nnull\n",
    }
    for name, text in texts.items():
        yield f"JSON lines, {name}", File(text.encode(), "a.jsonl")


def _book(fill: Callable[[Any, Any], object], **options: Any) -> bytes:
    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out, options) as book:
        sheet = book.add_worksheet("a")
        for i, row in enumerate(corpus.rows(random.Random(2), {}, count=8)):
            sheet.write_row(i, 0, row)
        fill(book, sheet)
    return out.getvalue()


def _parts(data: bytes, change: Callable[[dict[str, bytes]], object]) -> bytes:
    """A workbook with its parts changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    change(parts)
    return corpus.zipped(parts)


def _workbooks() -> Iterator[tuple[str, File]]:
    fills: dict[str, Callable[[Any, Any], object]] = {
        "an empty second sheet": lambda book, sheet: book.add_worksheet("b"),
        "a cell far off": lambda book, sheet: sheet.write(900, 100, SAID),
        "a cell left of the table": lambda book, sheet: (sheet.write(20, 0, ""), sheet.write(30, 7, SAID)),
        "a merged cell": lambda book, sheet: sheet.merge_range("E2:G4", SAID),
        "a formula's value": lambda book, sheet: sheet.write_formula("F1", '="x"&"y"', None, SAID),
        "a formula": lambda book, sheet: sheet.write_formula("F1", f'="{SAID}"', None, "x"),
        "a comment": lambda book, sheet: sheet.write_comment("B2", SAID),
        "a comment's author": lambda book, sheet: sheet.write_comment("B2", "x", {"author": SAID}),
        "a hyperlink": lambda book, sheet: sheet.write_url("F1", f"mailto:{MAIL}", string="x"),
        "a tip": lambda book, sheet: sheet.write_url("F1", "https://x.example/", string="x", tip=SAID),
        "a list to choose from": lambda book, sheet: sheet.data_validation(
            "F1", {"validate": "list", "source": ["x", SAID]}
        ),
        "a prompt": lambda book, sheet: sheet.data_validation(
            "F1", {"validate": "any", "input_title": "x", "input_message": SAID}
        ),
        "a defined name": lambda book, sheet: book.define_name("x", f'="{SAID}"'),
        "a header": lambda book, sheet: sheet.set_header(f"&L{SAID}"),
        "a title": lambda book, sheet: book.set_properties({"title": SAID}),
        "an author": lambda book, sheet: book.set_properties({"author": MAIL}),
        "a custom property": lambda book, sheet: book.set_custom_property("x", SAID),
        "a text box": lambda book, sheet: sheet.insert_textbox("F1", SAID),
        "a chart's title": lambda book, sheet: _chart(book, sheet),
        "a table": lambda book, sheet: sheet.add_table("F1:G3", {"columns": [{"header": SAID}, {"header": "y"}]}),
        "a filter": lambda book, sheet: (sheet.autofilter("A1:C9"), sheet.filter_column_list("A", [SAID])),
        "a hidden sheet": lambda book, sheet: _hidden(book),
        "a very hidden sheet": lambda book, sheet: _hidden(book, very=True),
        "a hidden row": lambda book, sheet: (sheet.write("A20", SAID), sheet.set_row(19, None, None, {"hidden": True})),
        "a hidden column": lambda book, sheet: (
            sheet.write("H1", SAID),
            sheet.set_column("H:H", None, None, {"hidden": True}),
        ),
        "white letters": lambda book, sheet: sheet.write("A20", SAID, book.add_format({"color": "white"})),
        "a number's format": lambda book, sheet: sheet.write("F1", 5, book.add_format({"num_format": f'0 "{SAID}"'})),
        "a card as a number": lambda book, sheet: sheet.write_row("F1", ["card", 4539148803436467]),
        "a sheet's name": lambda book, sheet: book.add_worksheet(SAID).write("A1", "x"),
        "a sheet without cells": lambda book, sheet: book.add_worksheet(SAID),
        "errors and booleans": lambda book, sheet: sheet.write_row("F1", [True, "#N/A", SAID]),
        "rich text": lambda book, sheet: sheet.write_rich_string("F1", "x ", book.add_format({"bold": 1}), SAID, " y"),
        "conditions": lambda book, sheet: sheet.conditional_format(
            "A1", {"type": "text", "criteria": "containing", "value": SAID}
        ),
        "an old number of a card in a chart sheet": lambda book, sheet: book.add_worksheet("b").write(0, 0, CARD),
    }
    for name, fill in fills.items():
        yield f"workbook, {name}", File(_book(fill), "a.xlsx")
    yield (
        "workbook, cells without shared texts",
        File(_book(lambda b, s: s.write("F1", SAID), in_memory=True), "a.xlsx"),
    )
    yield "workbook, as a macro one", File(_book(lambda b, s: s.write("F1", SAID)), "a.xlsm")
    yield "workbook, as text", File(_book(lambda b, s: s.write("F1", SAID)), "a.csv")
    plain = _book(lambda b, s: s.write("F1", SAID))
    changes: dict[str, Callable[[dict[str, bytes]], object]] = {
        "an extra part": lambda p: p.update({"xl/extra.xml": f"<a>{SAID}</a>".encode()}),
        "an extra text": lambda p: p.update({"notes.txt": SAID.encode()}),
        "custom XML": lambda p: p.update({"customXml/item1.xml": f"<a>{SAID}</a>".encode()}),
        "an embedded file": lambda p: p.update({"xl/embeddings/a.bin": SAID.encode()}),
        "an embedded workbook": lambda p: p.update({"xl/embeddings/a.xlsx": plain}),
        "a picture with a needle": lambda p: p.update({"xl/media/a.png": _png(SAID)}),
        "no shared texts": lambda p: p.pop("xl/sharedStrings.xml"),
        "no styles": lambda p: p.pop("xl/styles.xml", None),
        "no types": lambda p: p.pop("[Content_Types].xml"),
        "a sheet that is no XML": lambda p: p.update({"xl/worksheets/sheet1.xml": SAID.encode()}),
        "a sheet cut": lambda p: p.update({"xl/worksheets/sheet1.xml": p["xl/worksheets/sheet1.xml"][:-200]}),
        "a comment in a part": lambda p: p.update({"xl/workbook.xml": p["xl/workbook.xml"] + f"<!--{SAID}-->".encode()}),
        "a sheet that no workbook has": lambda p: p.update({"xl/worksheets/sheet9.xml": p["xl/worksheets/sheet1.xml"]}),
        "texts that no cell has": lambda p: p.update(
            {"xl/sharedStrings.xml": p["xl/sharedStrings.xml"].replace(b"</sst>", f"<si><t>{SSN}</t></si></sst>".encode())}
        ),
        "phonetic text": lambda p: p.update(
            {"xl/sharedStrings.xml": p["xl/sharedStrings.xml"].replace(b"</sst>", f"<si><t>x</t><rPh sb='0' eb='1'><t>{SSN}</t></rPh></si></sst>".encode())}
        ),
        "a threaded comment": lambda p: p.update({"xl/threadedComments/threadedComment1.xml": f"<a><text>{SSN}</text></a>".encode()}),
        "persons": lambda p: p.update({"xl/persons/person.xml": f"<a displayName='{SSN}'/>".encode()}),
        "a connection": lambda p: p.update({"xl/connections.xml": f"<a connection='user={MAIL}'/>".encode()}),
        "a pivot cache": lambda p: p.update({"xl/pivotCache/pivotCacheRecords1.xml": f"<a><s v='{SSN}'/></a>".encode()}),
    }  # fmt: skip
    for name, change in changes.items():
        yield f"workbook, {name}", File(_parts(plain, change), "a.xlsx")
    for part in ("cell", "second sheet", "header"):
        yield f"old workbook, {part}", File(corpus.KINDS["xls"].make(random.Random(1), {part: SAID}), "a.xls")
        yield f"OpenDocument, {part}", File(corpus.KINDS["ods"].make(random.Random(1), {part: SAID}), "a.ods")
    ods = corpus.KINDS["ods"].make(random.Random(1), {})
    yield (
        "OpenDocument, meta.xml",
        File(_parts(ods, lambda p: p.update({"meta.xml": _meta("dc:description").encode()})), "a.ods"),
    )
    yield (
        "OpenDocument, settings.xml",
        File(_parts(ods, lambda p: p.update({"settings.xml": _meta("config:config-item").encode()})), "a.ods"),
    )
    note = f"<office:annotation><text:p>{SAID}</text:p></office:annotation></table:table-cell>".encode()
    yield (
        "OpenDocument, a note",
        File(
            _parts(ods, lambda p: p.update({"content.xml": p["content.xml"].replace(b"</table:table-cell>", note, 1)})),
            "a.ods",
        ),
    )
    yield "a document of letters", File(corpus.zipped({"word/document.xml": f"<w>{SAID}</w>".encode()}), "a.docx")


def _meta(tag: str) -> str:
    return f"<?xml version='1.0'?><office:document><office:meta><{tag}>{SAID}</{tag}></office:meta></office:document>"


def _chart(book: Any, sheet: Any) -> None:
    chart = book.add_chart({"type": "line"})
    chart.add_series({"values": "=a!$B$2:$B$5"})
    chart.set_title({"name": SAID})
    sheet.insert_chart("F1", chart)


def _hidden(book: Any, very: bool = False) -> None:
    sheet = book.add_worksheet("b")
    sheet.write_column(0, 0, ["x", "y", SAID])
    (sheet.very_hidden if very else sheet.hide)()


def _png(text: str) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    body = chunk(b"tEXt", b"Comment\0" + text.encode()) + chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + head + body + chunk(b"IEND", b"")


def _pictures() -> Iterator[tuple[str, File]]:
    """What holds no data but what somebody put there: named outright it is said not to be read."""
    need = SAID.encode()
    kinds = {
        "a.png": _png(SAID),
        "a.gif": b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff!\xfe" + bytes([len(need)]) + need + b"\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;",
        "a.jpg": b"\xff\xd8\xff\xfe" + struct.pack(">H", len(need) + 2) + need + b"\xff\xd9",
        "a.bmp": b"BM" + struct.pack("<IHHI", 54 + len(need), 0, 0, 54) + struct.pack("<I", 40) + bytes(36) + need,
        "a.wav": b"RIFF" + struct.pack("<I", 4 + 8 + len(need)) + b"WAVEdata" + struct.pack("<I", len(need)) + need,
        "a.mp3": b"ID3\3\0\0\0\0\0\x7fTIT2\0\0\0\x20\0\0\0" + need.ljust(200, b"\0"),
        "a.mp4": b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + struct.pack(">I", 8 + len(need)) + b"free" + need,
        "a.exe": b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + bytes(200) + need,
        "a.elf": b"\x7fELF\2\1\1" + bytes(60) + need,
        "a.class": b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(60) + need,
        "a.wasm": b"\0asm\1\0\0\0" + bytes(60) + need,
        "a.woff": b"wOFF\0\1\0\0" + struct.pack(">I", 60 + len(need)) + b"\0\1\0\0" + bytes(44) + need,
        "a.ico": b"\0\0\1\0\1\0\1\1\0\0\1\0\x20\0\x30\0\0\0\x16\0\0\0" + bytes(48) + need,
        "a.tiff": b"II*\0\x08\0\0\0\0\0" + need,
        "a.pdf": b"%PDF-1.4\n1 0 obj\n(" + need + b")\nendobj\n%%EOF\n",
    }  # fmt: skip
    for name, data in kinds.items():
        yield f"picture, {name}", File(data, name)
        yield f"picture in an archive, {name}", File(corpus.zipped({name: data, "b.csv": b"a,b\n1,2\n"}), "a.zip")
        yield f"text behind {name}", File(data + b"\na,b\n1," + need + b"\n", "a.csv")


def _lookalikes() -> Iterator[tuple[str, File]]:
    text = f"a,b\n1,{SAID}\n2,x\n"
    heads = ("PAR1", "PK", "PK\x03\x04", "Obj\x01", "ARROW1", "BZh9", "GIF89a", "ID3", "BM", "MZ", "%PDF-1.4 ", "II*", "RIFF",
             "SQLite format 3", "{", "[", "<", "DUCK", "ustar", "FEA1", "ORC", "TAPE", "$FL2", "!BDN", "LZIP", "MSCF", "PGDMP",
             "Rar!", "7z", "\x1f\x8b", "x\x9c", "\x80\x04\x95", "#!/bin/sh\n", "Salted__", "wOFF", "OggS", "fLaC", "glTF")  # fmt: skip
    for head in heads:
        yield f"text that begins with {head!r}", File((head + text).encode("latin-1"), "a.csv")
    for ending in (
        "parquet",
        "arrow",
        "avro",
        "sqlite",
        "duckdb",
        "xlsx",
        "xls",
        "ods",
        "gz",
        "zip",
        "tar",
        "json",
        "jsonl",
        "zst",
    ):
        yield f"text called .{ending}", File(text.encode(), f"a.{ending}")
        yield f"nothing called .{ending}", File(b"", f"a.{ending}")
