"""Clean files of every kind that piiscan reads or writes, made by code, with needles in the parts where people put
texts: the same bytes for the same seed."""

from __future__ import annotations

import base64
import bz2
import csv
import gzip
import io
import json
import lzma
import quopri
import random
import sqlite3
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email.header import Header
from pathlib import Path
from typing import Any, Final

import polars as pl

from . import marked_up, messages, office, pdf
from .needles import Parts

WORDS: Final = "amber basalt cobalt drape ember flint gravel hinge ivory jute kelp latch maple nickel ochre".split()
UMLAUTS: Final = "grün weiß schön Tür Gemüse Öl Käse Füße Straße hübsch".split()
CYRILLIC: Final = "красный зелёный синий доска железо песок камень окно дерево стекло".split()
JAPANESE: Final = "赤い 青い 緑色 木材 鉄板 砂利 石材 窓枠 硝子 工具".split()
CHINESE: Final = "红色 绿色 蓝色 木板 钢铁 沙子 石头 窗户 玻璃 工具".split()
KOREAN: Final = "빨강 파랑 초록 나무 철판 모래 창문 유리 도구 벽돌".split()
GREEK: Final = "κόκκινο πράσινο μπλε ξύλο σίδερο άμμος πέτρα παράθυρο γυαλί τούβλο".split()
STAMP: Final = (2020, 1, 2, 3, 4, 6)


@dataclass(frozen=True)
class Kind:
    """A kind of file: its name with the ending, the parts where needles stand, and what makes its bytes."""

    name: str
    parts: tuple[str, ...]
    make: Callable[[random.Random, Parts], bytes]


Rows = list[list[str]]


def rows(rng: random.Random, parts: Parts, words: list[str] = WORDS, count: int = 24) -> Rows:
    """A table of three columns without persons; needles in its cells."""
    table = [
        [rng.choice(words), str(rng.randrange(100)), rng.choice("abcd") + str(rng.randrange(10))] for _ in range(count)
    ]
    for part, row in (("first cell", 0), ("cell", count // 2), ("last cell", count - 1)):
        if part in parts:
            table[row][0 if part != "last cell" else 2] = parts[part]
    head = ["material", "amount", "code"]
    if "header" in parts:
        head[1] = parts["header"]
    if "column beyond" in parts:
        table[count // 3].append(parts["column beyond"])
    return [head, *table]


CELLS: Final = ("first cell", "cell", "last cell")
TABLE: Final = (*CELLS, "header")


def _text_around(parts: Parts, text: str, end: str) -> str:
    """A text with what stands before and behind it."""
    before = parts["preamble"] + end * 2 if "preamble" in parts else ""
    comment = "# " + parts["comment"] + end if "comment" in parts else ""
    behind = end + parts["trailer"] + end if "trailer" in parts else ""
    return before + comment + text + behind


def delimited(
    delimiter: str = ",", encoding: str = "utf-8", words: list[str] = WORDS, end: str = "\n", quoted: bool = False
) -> Callable[[random.Random, Parts], bytes]:
    def make(rng: random.Random, parts: Parts) -> bytes:
        quote = '"' if quoted else ""
        lines = [delimiter.join(f"{quote}{cell}{quote}" for cell in row) for row in rows(rng, parts, words)]
        return _text_around(parts, end.join(lines) + end, end).encode(encoding)

    return make


def _multiline(rng: random.Random, parts: Parts) -> bytes:
    out = io.StringIO()
    table = rows(rng, parts)
    for row in table[1::3]:
        row[1] = f'says "{row[1]}",\nand more'
    csv.writer(out).writerows(table)
    return out.getvalue().encode()


def _list(rng: random.Random, parts: Parts) -> bytes:
    return "".join(row[0] + "\n" for row in rows(rng, parts)[1:]).encode()


def _log(rng: random.Random, parts: Parts) -> bytes:
    lines = [
        f"2024-03-{i % 28 + 1:02} 10:{i:02}:00 INFO item {row[0]}: {row[2]}"
        for i, row in enumerate(rows(rng, parts)[1:])
    ]
    return _text_around(parts, "\n".join(lines) + "\n", "\n").encode()


def _marked_up(make: Callable[[Rows, Parts], bytes]) -> Callable[[random.Random, Parts], bytes]:
    return lambda rng, parts: make(rows(rng, parts), parts)


def _xml(rng: random.Random, parts: Parts) -> bytes:
    items = "".join(f'<item code="{row[2]}">{row[0]}</item>\n' for row in rows(rng, parts)[1:])
    note = f"<!-- {parts['comment']} -->\n" if "comment" in parts else ""
    return f"<?xml version='1.0'?>\n{note}<items>\n{items}</items>\n".encode()


def _sql(rng: random.Random, parts: Parts) -> bytes:
    lines = [f"INSERT INTO stock VALUES ('{a}', {b}, '{c}');" for a, b, c in rows(rng, parts)[1:]]
    return _text_around(parts, "CREATE TABLE stock (a, b, c);\n" + "\n".join(lines) + "\n", "\n").encode()


def _sql_server(rng: random.Random, parts: Parts) -> bytes:
    lines = [f"INSERT [dbo].[stock] ([a], [b], [c]) VALUES (N'{a}', {b}, N'{c}')" for a, b, c in rows(rng, parts)[1:]]
    body = "\r\n".join([*lines[:12], "GO", *lines[12:], "GO"])
    return _text_around(parts, f"USE [Shop]\r\nGO\r\n{body}\r\n", "\r\n").encode("utf-16")


def _dump(kind: str) -> Callable[[random.Random, Parts], bytes]:
    """What pg_dump (COPY or INSERT) or mysqldump writes."""

    def make(rng: random.Random, parts: Parts) -> bytes:
        cells = rows(rng, parts)[1:]
        note, said = parts.get("comment", "of wood"), parts.get("default", "none")
        values = [f"('{a}', {b}, '{c}')" for a, b, c in cells]
        if kind == "mysql":
            text = (
                "-- MySQL dump 10.13\n/*!40101 SET NAMES utf8mb4 */;\n"
                f"CREATE TABLE `stock` (`a` text COMMENT '{note}', `b` text, `c` text DEFAULT '{said}');\n"
                f"INSERT INTO `stock` VALUES {','.join(values[:12])};\n"
                f"INSERT INTO `stock` VALUES {','.join(values[12:])};\n"
                "UNLOCK TABLES;\n"
            )
            return _text_around(parts, text, "\n").encode()
        text = (
            "--\n-- PostgreSQL database dump\n--\n\nSET standard_conforming_strings = on;\n"
            f"CREATE TABLE public.stock (\n    a text,\n    b text,\n    c text DEFAULT '{said}'::text\n);\n"
        )
        if kind == "copy":
            text += (
                "COPY public.stock (a, b, c) FROM stdin;\n" + "".join("\t".join(row) + "\n" for row in cells) + "\\.\n"
            )
        else:
            text += "".join(f"INSERT INTO public.stock VALUES {value};\n" for value in values)
        return _text_around(parts, text + f"COMMENT ON COLUMN public.stock.a IS '{note}';\n", "\n").encode()

    return make


def _records(rng: random.Random, parts: Parts) -> list[dict[str, Any]]:
    table = rows(rng, {part: text for part, text in parts.items() if part in CELLS})
    found: list[dict[str, Any]] = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
    for i, record in enumerate(found):
        record["amount"] = int(record["amount"])
        record["origin"] = {"site": record["code"], "tags": [record["code"], "x"]}
        if i == 7 and "nested" in parts:
            record["origin"]["tags"].append(parts["nested"])
        if i == 9 and "late key" in parts:
            record["remark"] = parts["late key"]
        if i == 11 and "key" in parts:
            record["origin"][parts["key"]] = 1
        if i == 13 and "text" in parts:
            record["code"] = json.dumps({"said": parts["text"]})
    return found


NESTED: Final = (*CELLS, "nested", "late key", "key", "text")


def _json(
    indent: int | None = None, encoding: str = "utf-8", escaped: bool = False
) -> Callable[[random.Random, Parts], bytes]:
    def make(rng: random.Random, parts: Parts) -> bytes:
        text = json.dumps(_records(rng, parts), indent=indent)
        return (text.replace("@", "\\u0040") if escaped else text).encode(encoding)

    return make


def _json_object(rng: random.Random, parts: Parts) -> bytes:
    document: dict[str, Any] = {"stock": _records(rng, parts), "made": {"by": "nobody", "at": [1, 2]}}
    if "scalar" in parts:
        document["made"]["by"] = parts["scalar"]
    return json.dumps(document).encode()


def _json_lines(end: str = "\n", encoding: str = "utf-8") -> Callable[[random.Random, Parts], bytes]:
    return lambda rng, parts: "".join(json.dumps(r) + end for r in _records(rng, parts)).encode(encoding)


def _java(value: Any) -> str:
    """An object as Java and Athena print it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={_java(inner)}" for key, inner in value.items()) + "}"
    return "[" + ", ".join(map(_java, value)) + "]" if isinstance(value, list) else str(value)


def _printed_cells(how: Callable[[Any], str]) -> Callable[[random.Random, Parts], bytes]:
    def make(rng: random.Random, parts: Parts) -> bytes:
        out = io.StringIO()
        csv.writer(out).writerows([("number", "record"), *((i, how(r)) for i, r in enumerate(_records(rng, parts)))])
        return out.getvalue().encode()

    return make


def _printed_lines(how: Callable[[Any], str]) -> Callable[[random.Random, Parts], bytes]:
    return lambda rng, parts: "".join(how(r) + "\n" for r in _records(rng, parts)).encode()


def _geojson(rng: random.Random, parts: Parts) -> bytes:
    features = [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1.5, i]}, "properties": r}
        for i, r in enumerate(_records(rng, parts))
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def frame(rng: random.Random, parts: Parts) -> pl.DataFrame:
    table = rows(rng, parts)
    columns: dict[str, Any] = {name: [row[i] for row in table[1:]] for i, name in enumerate(table[0])}
    columns["tags"] = [[row[2], "x"] for row in table[1:]]
    if "nested" in parts:
        columns["tags"][5] = ["y", parts["nested"]]
    return pl.DataFrame(columns)


def _parquet_maps(rng: random.Random, parts: Parts) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = rows(rng, {part: text for part, text in parts.items() if part in CELLS})
    maps = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
    if "key" in parts:
        maps[7][parts["key"]] = "x"
    out = io.BytesIO()
    column = pa.array([list(each.items()) for each in maps], pa.map_(pa.string(), pa.string()))
    pq.write_table(pa.table({"number": range(len(maps)), "map": column}), out)
    return out.getvalue()


def _arrow_table(rng: random.Random, parts: Parts) -> Any:
    table = frame(rng, parts).to_arrow()
    if "metadata" in parts:
        table = table.replace_schema_metadata({"made by": parts["metadata"]})
    if "field metadata" in parts:
        noted = table.schema.field(0).with_metadata({"note": parts["field metadata"]})
        table = table.cast(table.schema.set(0, noted))
    return table


def _parquet(**options: Any) -> Callable[[random.Random, Parts], bytes]:
    def make(rng: random.Random, parts: Parts) -> bytes:
        import pyarrow.parquet as pq

        out = io.BytesIO()
        pq.write_table(_arrow_table(rng, parts), out, **options)
        return out.getvalue()

    return make


def _polars_parquet(rng: random.Random, parts: Parts) -> bytes:
    out = io.BytesIO()
    frame(rng, parts).write_parquet(out)
    return out.getvalue()


def _arrow(
    stream: bool = False, compression: str | None = None, rows_each: int = 10
) -> Callable[[random.Random, Parts], bytes]:
    def make(rng: random.Random, parts: Parts) -> bytes:
        import pyarrow as pa

        out, table = io.BytesIO(), _arrow_table(rng, parts)
        begin = pa.ipc.new_stream if stream else pa.ipc.new_file
        with begin(out, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
            writer.write_table(table, rows_each)
        return out.getvalue()

    return make


def _arrow_dictionary(rng: random.Random, parts: Parts) -> bytes:
    out = io.BytesIO()
    frame(rng, parts).with_columns(pl.col("material").cast(pl.Categorical)).write_ipc(out)
    return out.getvalue()


def _avro(codec: str) -> Callable[[random.Random, Parts], bytes]:
    def make(rng: random.Random, parts: Parts) -> bytes:
        import fastavro

        fields = [{"name": name, "type": "string"} for name in ("material", "amount", "code")]
        schema: dict[str, Any] = {"type": "record", "name": "stock", "fields": fields}
        if "schema" in parts:
            schema["doc"] = parts["schema"]
        table = rows(rng, parts)
        out = io.BytesIO()
        fastavro.writer(
            out,
            schema,
            [dict(zip(table[0], row, strict=True)) for row in table[1:]],
            codec=codec,
            sync_marker=rng.randbytes(16),
            sync_interval=200,
            metadata={"note": parts["metadata"]} if "metadata" in parts else None,
        )
        return out.getvalue()

    return make


def _xlsx(rng: random.Random, parts: Parts) -> bytes:
    import datetime

    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        made = datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)
        said = parts.get("property", "")
        book.set_properties({"created": made, "comments": said})
        sheet = book.add_worksheet("stock")
        for i, row in enumerate(rows(rng, parts)):
            sheet.write_row(i, 0, row)
        if "far cell" in parts:
            sheet.write(60, 30, parts["far cell"])
        if "comment" in parts:
            sheet.write_comment(3, 1, parts["comment"])
        if "footer" in parts:
            sheet.set_footer("&L" + parts["footer"])
        if "text box" in parts:
            sheet.insert_textbox(3, 5, parts["text box"])
        second = book.add_worksheet(parts["sheet name"][:31] if "sheet name" in parts else "more")
        second.write_column(0, 0, WORDS)
        if "second sheet" in parts:
            second.write(4, 0, parts["second sheet"])
        hidden = book.add_worksheet("hidden")
        hidden.hide()
        hidden.write_column(0, 0, WORDS)
        if "hidden sheet" in parts:
            hidden.write(4, 0, parts["hidden sheet"])
        if "rich text" in parts:
            half = parts["rich text"]
            second.write_rich_string(6, 0, half[:8], book.add_format({"bold": True}), half[8:])
    return out.getvalue()


def _xls(rng: random.Random, parts: Parts) -> bytes:
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("stock")
    for i, row in enumerate(rows(rng, parts)):
        for j, cell in enumerate(row):
            sheet.write(i, j, cell)
    second = book.add_sheet("more")
    for i, word in enumerate(WORDS):
        second.write(i, 0, parts["second sheet"] if i == 5 and "second sheet" in parts else word)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def zipped(members: dict[str, bytes], comment: str = "", method: int = zipfile.ZIP_DEFLATED, note: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, STAMP)
            member.compress_type, member.comment = method, note.encode()
            archive.writestr(member, data)
        archive.comment = comment.encode()
    return out.getvalue()


def _ods(rng: random.Random, parts: Parts) -> bytes:
    space = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"'
    )

    def sheet(name: str, table: Rows) -> str:
        cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
        lines = "".join(f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>" for row in table)
        return f'<table:table table:name="{name}">{lines}</table:table>'

    more = [[parts["second sheet"] if i == 5 and "second sheet" in parts else w] for i, w in enumerate(WORDS)]
    content = (
        f"<?xml version='1.0' encoding='UTF-8'?><office:document-content {space}><office:body><office:spreadsheet>"
        f"{sheet('stock', rows(rng, parts))}{sheet('more', more)}"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    return zipped(
        {"mimetype": kind.encode(), "content.xml": content.encode(), "META-INF/manifest.xml": manifest.encode()}
    )


def _sqlite(rng: random.Random, parts: Parts) -> bytes:
    def said(part: str, else_: str) -> str:
        return parts.get(part, else_)

    table = rows(rng, parts)
    with sqlite3.connect(":memory:") as db:
        names = ", ".join(f'"{name}"' for name in table[0])
        db.execute(f"create table stock ({names} /* {said('comment', 'none')} */)")
        db.executemany("insert into stock values (?, ?, ?)", table[1:])
        db.execute(
            f"create table \"{said('table name', 'more')}\" (note text default '{said('default', 'x')}', body blob)"
        )
        body = said("blob", "nothing").encode()
        db.execute(f'insert into "{said("table name", "more")}" values (?, ?)', (said("second table", "y"), body))
        if "many pages" in parts:
            db.execute("create table pages (note text)")
            long = [(" ".join(WORDS) * 9,)] * 40
            long[25] = (f"{long[25][0]} {parts['many pages']} {long[25][0]}",)
            db.executemany("insert into pages values (?)", long)
        db.commit()
        return db.serialize()


def _duckdb(rng: random.Random, parts: Parts) -> bytes:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.duckdb")
        with duckdb.connect(str(path)) as db:
            db.execute("create table stock (a varchar, b varchar, c varchar)")
            db.executemany("insert into stock values (?, ?, ?)", rows(rng, parts)[1:])
            if "comment" in parts:
                db.execute(f"comment on table stock is '{parts['comment']}'")
        return path.read_bytes()


def _gzip(rng: random.Random, parts: Parts) -> bytes:
    body = gzip.compress(delimited()(rng, parts), mtime=0)
    if "name" not in parts and "comment field" not in parts:
        return body
    flags = (8 if "name" in parts else 0) | (16 if "comment field" in parts else 0)
    fields = b"".join(parts[p].encode() + b"\0" for p in ("name", "comment field") if p in parts)
    return body[:3] + bytes([flags]) + body[4:10] + fields + body[10:]


def _gzip_members(rng: random.Random, parts: Parts) -> bytes:
    data = delimited()(rng, parts)
    return b"".join(gzip.compress(data[at : at + 100], mtime=0) for at in range(0, len(data), 100))


def _packed(pack: Callable[[bytes], bytes]) -> Callable[[random.Random, Parts], bytes]:
    return lambda rng, parts: pack(delimited()(rng, parts))


def zstd_compress(data: bytes) -> bytes:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from backports import zstd
    return bytes(zstd.compress(data))


def _zip(method: int) -> Callable[[random.Random, Parts], bytes]:
    def make(rng: random.Random, parts: Parts) -> bytes:
        members = {
            "a.csv": delimited()(rng, {p: text for p, text in parts.items() if p in TABLE}),
            parts.get("member name", "folder/b") + ".txt": _log(rng, {}),
            "c.jsonl": _json_lines()(rng, {"cell": parts["third member"]} if "third member" in parts else {}),
        }
        said = {part: parts[part] for part in ("archive comment", "member comment") if part in parts}
        return zipped(members, said.get("archive comment", ""), method, said.get("member comment", ""))

    return make


def tarred(members: dict[str, bytes], form: int = tarfile.PAX_FORMAT, note: str = "", link: str = "") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.pax_headers = {"comment": note} if note else {}
            archive.addfile(entry, io.BytesIO(data))
        if link:
            entry = tarfile.TarInfo("link")
            entry.type, entry.linkname = tarfile.SYMTYPE, link
            archive.addfile(entry)
    return out.getvalue()


def _tar(form: int) -> Callable[[random.Random, Parts], bytes]:
    def make(rng: random.Random, parts: Parts) -> bytes:
        said = {part: parts[part] for part in ("member name", "header comment", "link") if part in parts}
        members = {
            "a.csv": delimited()(rng, {p: text for p, text in parts.items() if p in TABLE}),
            said.get("member name", "x" * 120) + ".txt": _log(rng, {}),
            "c.jsonl": _json_lines()(rng, {"cell": parts["third member"]} if "third member" in parts else {}),
        }
        return tarred(members, form, said.get("header comment", ""), said.get("link", ""))

    return make


def _nested(rng: random.Random, parts: Parts) -> bytes:
    inner = zipped({"deep.csv": delimited()(rng, parts), "book.xlsx": _xlsx(rng, {})})
    return gzip.compress(tarred({"inner.zip": inner, "x.csv.bz2": bz2.compress(b"a,b\n1,2\n")}), mtime=0)


def _zip_of_formats(rng: random.Random, parts: Parts) -> bytes:
    return zipped(
        {
            "a.parquet": _parquet()(rng, {"cell": parts["parquet"]} if "parquet" in parts else {}),
            "b.sqlite": _sqlite(rng, {"cell": parts["sqlite"]} if "sqlite" in parts else {}),
            "c.xlsx": _xlsx(rng, {"cell": parts["xlsx"]} if "xlsx" in parts else {}),
            "d.csv.gz": gzip.compress(delimited()(rng, {"cell": parts["gzip"]} if "gzip" in parts else {}), mtime=0),
        }
    )


def _workbook_in_gzip(rng: random.Random, parts: Parts) -> bytes:
    return gzip.compress(_xlsx(rng, parts), mtime=0)


def _fixed_width(rng: random.Random, parts: Parts) -> bytes:
    return "".join("  ".join(cell.ljust(14) for cell in row) + "\n" for row in rows(rng, parts)).encode()


def _mail(rng: random.Random, parts: Parts) -> bytes:
    body = "\r\n".join(row[0] for row in rows(rng, parts)[1:])
    return f"Subject: stock\r\nMIME-Version: 1.0\r\n\r\n{body}\r\n".encode()


def _mailbox(rng: random.Random, parts: Parts) -> bytes:
    """Two messages, in which nearly everything is encoded."""
    cells = rows(rng, parts)
    table = "\r\n".join(",".join(row) for row in cells)

    def packed(text: str) -> str:
        return base64.encodebytes(text.encode()).decode()

    quoted = quopri.encodestring(f"{parts.get('quoted', 'none')} und Grüße".encode()).decode()
    subject = Header(f"Grüße {parts.get('subject', 'none')}", "utf-8").encode()
    return (
        f"From a@example.com Mon Mar  3 10:00:00 2025\nFrom: a@example.com\nSubject: {subject}\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=b\n\n"
        f"{parts.get('before parts', 'none')}\n--b\nContent-Type: text/plain; charset=utf-8\n"
        f"Content-Transfer-Encoding: base64\n\n{packed(parts.get('text', 'none'))}\n--b\n"
        "Content-Type: text/csv\nContent-Transfer-Encoding: base64\n"
        f'Content-Disposition: attachment; filename="stock.csv"\n\n{packed(table)}\n--b--\n\n'
        "From b@example.com Mon Mar  3 11:00:00 2025\nFrom: b@example.com\nSubject: second\nMIME-Version: 1.0\n"
        f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n{quoted}\n"
    ).encode()


def _vcard(rng: random.Random, parts: Parts) -> bytes:
    """Cards with broken lines and encoded values."""
    notes = "".join(f"NOTE:{a[:3]}\r\n {a[3:]}, {c}\r\n" for a, _, c in rows(rng, parts)[1:])
    quoted = quopri.encodestring(parts.get("quoted", "none").encode()).decode().replace("=\n", "=\r\n")
    text = base64.b64encode(parts.get("packed", "none").encode()).decode()
    return (
        f"BEGIN:VCARD\r\nVERSION:2.1\r\n{notes}X-A;ENCODING=QUOTED-PRINTABLE:{quoted}\r\n"
        f"X-B;ENCODING=BASE64:{text}\r\nEND:VCARD\r\n"
    ).encode()


_AROUND: Final = ("preamble", "comment", "trailer")
_BOOK: Final = (
    "sheet name",
    "second sheet",
    "hidden sheet",
    "comment",
    "far cell",
    "property",
    "footer",
    "text box",
    "rich text",
)
_COLUMNAR: Final = (*TABLE, "nested", "metadata", "field metadata")
_ARCHIVE: Final = (*TABLE, "member name", "third member")

KINDS: Final[dict[str, Kind]] = {
    "csv": Kind("a.csv", (*TABLE, "column beyond", *_AROUND), delimited()),
    "csv quoted": Kind("a.csv", (*TABLE, "column beyond"), delimited(quoted=True, end="\r\n")),
    "csv lines in cells": Kind("a.csv", TABLE, _multiline),
    "tsv": Kind("a.tsv", (*TABLE, "column beyond", *_AROUND), delimited("\t")),
    "semicolons": Kind("a.csv", (*TABLE, *_AROUND), delimited(";", end="\r\n")),
    "pipes": Kind("a.txt", (*TABLE, *_AROUND), delimited("|")),
    "control characters": Kind("a.dat", TABLE, delimited("\x01")),
    "two bars": Kind("a.csv", TABLE, delimited("||")),
    "carets": Kind("a.csv", TABLE, delimited("^", end="\r")),
    "without an ending": Kind("data", (*TABLE, *_AROUND), delimited()),
    "fixed width": Kind("a.txt", CELLS, _fixed_width),
    "list": Kind("a.txt", ("first cell", "cell"), _list),
    "log": Kind("a.log", (*CELLS, *_AROUND), _log),
    "markdown": Kind("a.md", (*CELLS, *_AROUND), delimited(" | ")),
    "xml": Kind("a.xml", (*CELLS, "comment"), _xml),
    "xml records": Kind(
        "a.xml",
        (
            *CELLS,
            "attribute",
            "nested",
            "instruction",
            "namespace",
            "attribute of one",
            "scalar",
            "mixed",
            "attribute within",
        )
        + ("cdata", "comment", "last comment"),
        _marked_up(marked_up.xml),
    ),
    "yaml": Kind(
        "a.yaml",
        (
            *CELLS,
            "comment",
            "inline comment",
            "scalar",
            "flow",
            "key",
            "key of nothing",
            "block comment",
            "block",
            "tagged",
        )
        + ("last comment",),
        _marked_up(marked_up.yaml),
    ),
    "yaml documents": Kind(
        "a.yml", (*CELLS, "key", "mark comment", "last comment"), _marked_up(marked_up.yaml_documents)
    ),
    "toml": Kind(
        "a.toml",
        (*CELLS, "comment", "inline comment", "scalar", "block", "nested", "key", "key of nothing"),
        _marked_up(marked_up.toml),
    ),
    "ini": Kind(
        "a.ini",
        (
            *CELLS,
            "comment",
            "section",
            "section comment",
            "inline comment",
            "continued",
            "key",
            "quoted",
            "behind",
            "odd line",
        ),
        _marked_up(marked_up.ini),
    ),
    "environment": Kind(
        ".env", (*CELLS, "comment", "quoted", "behind", "unclosed", "odd line"), _marked_up(marked_up.environment)
    ),
    "html": Kind(
        "a.html",
        (*TABLE, "comment", "title", "script", "paragraph", "attribute", "caption", "layout", "last text"),
        _marked_up(marked_up.html),
    ),
    "notebook": Kind("a.ipynb", (*CELLS, "stream", "source", "metadata", "markdown"), _marked_up(marked_up.notebook)),
    "sql": Kind("a.sql", (*CELLS, *_AROUND), _sql),
    "hl7": Kind("a.hl7", (*CELLS, "comment", "trailer"), _marked_up(messages.hl7)),
    "x12": Kind("a.edi", (*CELLS, "comment", "trailer"), _marked_up(messages.x12)),
    "edifact": Kind("a.edi", (*CELLS, "comment", "trailer"), _marked_up(messages.edifact)),
    "mt940": Kind("a.sta", (*CELLS, "comment", "trailer"), _marked_up(messages.mt940)),
    "qif": Kind("a.qif", (*CELLS, "comment"), _marked_up(messages.qif)),
    "rtf": Kind("a.rtf", (*CELLS, "comment"), _marked_up(messages.rtf)),
    "markdown table": Kind("a.md", (*TABLE, "preamble", "comment", "trailer"), _marked_up(messages.markdown)),
    "psql": Kind("a.out", TABLE, _marked_up(messages.printed)),
    "gedcom": Kind("a.ged", (*CELLS, "comment", "trailer"), _marked_up(messages.gedcom)),
    "SQL Server": Kind("a.sql", (*CELLS, *_AROUND), _sql_server),
    "pg_dump": Kind("a.sql", (*CELLS, "comment", "default", "trailer"), _dump("copy")),
    "pg_dump inserts": Kind("a.sql", (*CELLS, "comment", "default"), _dump("inserts")),
    "mysqldump": Kind("a.sql", (*CELLS, "comment", "default"), _dump("mysql")),
    "mail": Kind("a.eml", ("first cell", "cell"), _mail),
    "mailbox": Kind("a.mbox", (*TABLE, "subject", "before parts", "text", "quoted"), _mailbox),
    "vcard": Kind("a.vcf", (*CELLS, "quoted", "packed"), _vcard),
    "csv utf-8 mark": Kind("a.csv", (*TABLE, *_AROUND), delimited(encoding="utf-8-sig", words=UMLAUTS)),
    "csv utf-8": Kind("a.csv", (*TABLE, *_AROUND), delimited(";", words=GREEK)),
    "csv utf-16": Kind("a.csv", (*TABLE, *_AROUND), delimited("\t", "utf-16", CYRILLIC)),
    "csv utf-16-le": Kind("a.csv", TABLE, delimited(encoding="utf-16-le")),
    "csv utf-16-be": Kind("a.csv", TABLE, delimited(encoding="utf-16-be")),
    "csv utf-32": Kind("a.csv", TABLE, delimited(encoding="utf-32", words=GREEK)),
    "csv cp1252": Kind("a.csv", (*TABLE, *_AROUND), delimited(";", "cp1252", UMLAUTS)),
    "csv cp850": Kind("a.csv", TABLE, delimited(";", "cp850", UMLAUTS)),
    "csv cp1251": Kind("a.csv", TABLE, delimited(";", "cp1251", CYRILLIC)),
    "csv koi8-r": Kind("a.csv", TABLE, delimited(";", "koi8-r", CYRILLIC)),
    "csv cp932": Kind("a.csv", TABLE, delimited(",", "cp932", JAPANESE)),
    "csv euc-jp": Kind("a.csv", TABLE, delimited(",", "euc-jp", JAPANESE)),
    "csv gb18030": Kind("a.csv", TABLE, delimited(",", "gb18030", CHINESE)),
    "csv big5": Kind(
        "a.csv", TABLE, delimited(",", "big5", "紅色 綠色 藍色 木板 鋼鐵 沙子 石頭 窗戶 玻璃 工具".split())
    ),
    "csv cp949": Kind("a.csv", TABLE, delimited(",", "cp949", KOREAN)),
    "csv ebcdic": Kind("a.csv", CELLS, delimited(encoding="cp037", end="\x85")),
    "json": Kind("a.json", NESTED, _json()),
    "json indented": Kind("a.json", NESTED, _json(2)),
    "json escaped": Kind("a.json", CELLS, _json(escaped=True)),
    "json utf-16": Kind("a.json", CELLS, _json(encoding="utf-16")),
    "json object": Kind("a.json", (*NESTED, "scalar"), _json_object),
    "geojson": Kind("a.geojson", NESTED, _geojson),
    "json lines": Kind("a.jsonl", NESTED, _json_lines()),
    "json lines utf-16": Kind("a.jsonl", CELLS, _json_lines("\r\n", "utf-16")),
    "csv of dicts": Kind("a.csv", NESTED, _printed_cells(repr)),
    "csv of java objects": Kind("a.csv", NESTED, _printed_cells(_java)),
    "lines of dicts": Kind("a.txt", NESTED, _printed_lines(repr)),
    "lines of java objects": Kind("a.log", NESTED, _printed_lines(_java)),
    "parquet": Kind("a.parquet", _COLUMNAR, _parquet()),
    "parquet plain": Kind("a.parquet", _COLUMNAR, _parquet(compression="none", use_dictionary=False)),
    "parquet zstd": Kind("a.parquet", _COLUMNAR, _parquet(compression="zstd", row_group_size=7)),
    "parquet version 2": Kind(
        "a.parquet", _COLUMNAR, _parquet(compression="gzip", data_page_version="2.0", write_page_index=True)
    ),
    "parquet maps": Kind("a.parquet", (*CELLS, "key"), _parquet_maps),
    "parquet polars": Kind("a.parquet", (*TABLE, "nested"), _polars_parquet),
    "arrow": Kind("a.arrow", _COLUMNAR, _arrow()),
    "arrow lz4": Kind("a.feather", _COLUMNAR, _arrow(compression="lz4")),
    "arrow dictionary": Kind("a.arrow", (*TABLE, "nested"), _arrow_dictionary),
    "arrow stream": Kind("a.arrows", _COLUMNAR, _arrow(stream=True)),
    "arrow stream zstd": Kind("a.arrows", _COLUMNAR, _arrow(stream=True, compression="zstd")),
    "avro": Kind("a.avro", (*CELLS, "schema", "metadata"), _avro("null")),
    "avro deflate": Kind("a.avro", (*CELLS, "schema", "metadata"), _avro("deflate")),
    "xlsx": Kind("a.xlsx", (*TABLE, *_BOOK), _xlsx),
    "xls": Kind("a.xls", (*TABLE, "second sheet"), _xls),
    "ods": Kind("a.ods", (*TABLE, "second sheet"), _ods),
    "docx": Kind("a.docx", (*TABLE, *office.WORD), _marked_up(office.docx)),
    "pptx": Kind("a.pptx", (*TABLE, *office.SLIDES), _marked_up(office.pptx)),
    "odt": Kind("a.odt", (*TABLE, *office.OPEN), _marked_up(office.odt)),
    "pdf": Kind("a.pdf", (*TABLE, *pdf.WRITTEN), _marked_up(pdf.pdf)),
    "sqlite": Kind(
        "a.sqlite", (*TABLE, "comment", "table name", "default", "second table", "blob", "many pages"), _sqlite
    ),
    "duckdb": Kind("a.duckdb", (*CELLS, "comment"), _duckdb),
    "gzip": Kind("a.csv.gz", (*TABLE, "name", "comment field"), _gzip),
    "gzip members": Kind("a.csv.gz", TABLE, _gzip_members),
    "bzip2": Kind("a.csv.bz2", TABLE, _packed(bz2.compress)),
    "xz": Kind("a.csv.xz", TABLE, _packed(lzma.compress)),
    "zstd": Kind("a.csv.zst", TABLE, _packed(zstd_compress)),
    "zip": Kind("a.zip", (*_ARCHIVE, "archive comment", "member comment"), _zip(zipfile.ZIP_DEFLATED)),
    "zip stored": Kind("a.zip", (*_ARCHIVE, "archive comment", "member comment"), _zip(zipfile.ZIP_STORED)),
    "zip lzma": Kind("a.zip", (*_ARCHIVE, "archive comment"), _zip(zipfile.ZIP_LZMA)),
    "tar": Kind("a.tar", (*_ARCHIVE, "header comment", "link"), _tar(tarfile.PAX_FORMAT)),
    "tar gnu": Kind("a.tar", (*_ARCHIVE, "link"), _tar(tarfile.GNU_FORMAT)),
    "tar packed": Kind(
        "a.tgz", _ARCHIVE, lambda rng, parts: gzip.compress(_tar(tarfile.PAX_FORMAT)(rng, parts), mtime=0)
    ),
    "zip in tar": Kind("a.tar.gz", TABLE, _nested),
    "zip of formats": Kind("a.zip", ("parquet", "sqlite", "xlsx", "gzip"), _zip_of_formats),
    "workbook packed": Kind("a.xlsx.gz", (*TABLE, *_BOOK), _workbook_in_gzip),
}
"""What is damaged, by the name that counts go by."""
