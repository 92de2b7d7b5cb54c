"""What a file is: text wins unless its whole structure says otherwise, and only what surely holds no data is passed
over."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from conftest import run_piiscan
from test_io_csv import found
from test_io_formats import zipped

import piiscan
from piiscan.core.types import NotScanned, Skipped
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.rewrite import rewrite

ROWS = b"Ann Lee,536-22-1234\nBob Ray,536-22-1235\nEve May,536-22-1236\n"
PEOPLE = b"name,ssn\n" + ROWS


def entities(path: Path) -> set[str | None]:
    """What a scan of a path says that its columns are, or that their cells hold."""
    columns = piiscan.scan(path).columns
    return {column.entity for column in columns} | {inside.entity for column in columns for inside in column.inside}


def refused(path: Path) -> bool:
    """Whether masking leaves a file out rather than copying it."""
    result = rewrite(path, path.parent / "out", ReadOptions(), lambda info: None)
    return bool(result.left_out) and not (path.parent / "out").exists()


@pytest.mark.parametrize(
    "start",
    [
        "OTTO",
        "ID3",
        "RIFF",
        "GIF8",
        "GIF89a",
        "fLaC",
        "OggS",
        "wOFF",
        "wOF2",
        "BM",
        "BMW",
        "true",
        "ttcf",
        "FORM",
        "MZ",
        "II*",
    ]
    + [
        "PARENT_ID",
        "PAR1",
        "PARE",
        "ORC",
        "RDX",
        "RDX2",
        "BZh",
        "BZh9",
        "%PDF-",
        "%PDF-1.4",
        "FEA1",
        "ARROW1",
        "$FL2",
        "!BDN",
    ]
    + [
        "abcdftyp",
        "abcdefghDUCK",
        "PK",
        "Rar!",
        "7z",
        "x^",
        "TAPE",
        "PGDMP",
        "MSCF",
        "LZIP",
        "Salted__",
        "!<arch>",
        "<stata_dta>",
    ],
)
@pytest.mark.parametrize("name", ["p.csv", "p"])
def test_a_table_that_begins_like_another_kind_is_a_table(tmp_path: Path, start: str, name: str) -> None:
    (tmp_path / name).write_bytes(f"{start},536-22-1234\n".encode() + ROWS)
    report = piiscan.scan(tmp_path)
    assert report.complete
    assert "US_SSN" in entities(tmp_path)
    assert {table.format for table in report.tables} <= {"csv", "text"}


def font(tag: bytes) -> bytes:
    return struct.pack(">4sHHHH4sIII", tag, 1, 16, 0, 0, b"cmap", 0, 28, 4) + bytes(4)


def bitmap() -> bytes:
    return struct.pack("<2sIIIIiiHH", b"BM", 58, 0, 54, 40, 1, 1, 1, 24) + bytes(28)


def wave(kind: bytes = b"WAVE") -> bytes:
    return b"RIFF" + struct.pack("<I", 104) + kind + bytes(100)


def program() -> bytes:
    return b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + bytes(200)


NO_DATA = {
    "a.png": ("picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(40)),
    "a.jpg": ("picture", b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(40)),
    "a.gif": ("picture", b"GIF89a\1\0\1\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\1\0\1\0\0\2\1D\0;"),
    "a.bmp": ("picture", bitmap()),
    "a.webp": ("picture", wave(b"WEBP")),
    "a.tif": ("picture", b"II*\0\x08\0\0\0" + bytes(40)),
    "a.ico": ("picture", b"\0\0\1\0\1\0" + bytes(8) + struct.pack("<II", 40, 22) + bytes(40)),
    "a.heic": ("picture", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic\0\0\0\x20meta" + bytes(24)),
    "a.mp4": ("sound or video", b"\0\0\0\x14ftypisom\0\0\2\0isom\0\0\0\x20moov" + bytes(24)),
    "a.wav": ("sound or video", wave()),
    "a.mp3": ("sound or video", b"ID3\4\0\0\0\0\1\0TIT2" + bytes(200)),
    "a.ogg": ("sound or video", b"OggS\0\2" + bytes(40)),
    "a.flac": ("sound or video", b"fLaC\0\0\0\x22" + bytes(40)),
    "a.otf": ("font", font(b"OTTO")),
    "a.ttf": ("font", font(b"\0\1\0\0")),
    "a.woff": ("font", b"wOFF\0\1\0\0" + struct.pack(">IHH", 44, 1, 0) + bytes(28)),
    "a.exe": ("program", program()),
    "a.so": ("program", b"\x7fELF\2\1\1" + bytes(57)),
    "A.class": ("program", b"\xca\xfe\xba\xbe\0\0\0\x41" + bytes(40)),
    "a.wasm": ("program", b"\0asm\1\0\0\0" + bytes(8)),
    "a.pyc": ("program", b"\xa7\r\r\n\0\0\0\0" + bytes(8) + b"\xe3" + bytes(40)),
    "a.a": ("program", b"!<arch>\n" + b"/".ljust(58) + b"`\n" + bytes(40)),
}


@pytest.mark.parametrize("name", NO_DATA)
def test_what_holds_no_data_is_skipped_by_kind(tmp_path: Path, name: str) -> None:
    kind, content = NO_DATA[name]
    (tmp_path / name).write_bytes(content)
    assert found(tmp_path) == [Skipped((tmp_path / name).as_posix(), kind)]
    assert found(tmp_path / name) == [NotScanned((tmp_path / name).as_posix(), f"{kind}: a kind that isn't read")]


UNMISTAKABLE = {"a.png", "a.jpg", "a.so", "a.wasm", "A.class"}
"""Their first bytes are those of nothing else."""


@pytest.mark.parametrize("name", sorted(NO_DATA.keys() - UNMISTAKABLE))
def test_what_only_begins_like_it_is_not_scanned(tmp_path: Path, name: str) -> None:
    content = NO_DATA[name][1]
    (tmp_path / name).write_bytes(content[:5] + b"\0\x01\x02" * 40 + PEOPLE)
    items = found(tmp_path)
    assert items
    assert not [item for item in items if isinstance(item, Skipped)]
    assert refused(tmp_path / name)


BINARY = {
    "p.dump": (
        b"PGDMP\x01\x0e\0\x04\x08\x01" + bytes(30) + PEOPLE,
        "a PostgreSQL dump",
    ),
    "p.bak": (b"TAPE\0\0\x03\0" + bytes(50) + PEOPLE, "a backup of a database server"),
    "p.snappy": (b"\xff\x06\0\0sNaPpY\0\x01\x10\0\0" + PEOPLE, "a Snappy file"),
    "p.pb": (b"\n\x07Ann Lee\x12\x0b536-22-1234" * 20, "binary content of no kind that is known"),
    "p": (zlib.compress(PEOPLE), "zlib data"),
    "p.xml": (b"<ssn>536-22-1234</ssn>" + b"\0" * 30, "binary content of no kind that is known"),
    "p.pkl": (b"\x80\x04\x95\x20\0\0\0\0\0\0\0\x8c\x0b536-22-1234\x94.", "a Python pickle"),
    "p.bin": (bytes(range(256)) * 9, "binary content of no kind that is known"),
    "p.pdf": (b"%PDF-1.7\n1 0 obj\n(536-22-1234)\nendobj\n%%EOF\n", "a PDF file without readable pages"),
    "p.orc": (b"ORC" + bytes(30) + PEOPLE + b"ORC\x05", "an ORC file"),
    "p.rda": (b"RDX3\nX\n" + bytes(30), "an R data file"),
    "p.lz4": (b"\x04\x22\x4d\x18" + PEOPLE, "an LZ4 file"),
}


@pytest.mark.parametrize("name", BINARY)
def test_other_binary_content_is_not_scanned_by_kind(tmp_path: Path, name: str) -> None:
    content, reason = BINARY[name]
    path = tmp_path / "data" / name
    path.parent.mkdir()
    path.write_bytes(content)
    (item,) = found(path.parent)
    assert isinstance(item, NotScanned)
    assert item.reason.startswith(reason)
    assert "536" not in item.reason
    assert refused(path)


PREFIXED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a script": ("run.sh", lambda: b"#!/bin/sh\necho Ann 536-22-9999\n" + zipped({"a.csv": PEOPLE})),
    "a script before members that aren't packed": ("run.sh", lambda: b"#!/bin/sh\n" + stored({"a.csv": PEOPLE})),
    "a picture": ("a.png", lambda: NO_DATA["a.png"][1] + zipped({"a.csv": PEOPLE})),
    "a program": ("a.exe", lambda: program() + zipped({"a.csv": PEOPLE})),
}


def stored(members: dict[str, bytes]) -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("title", PREFIXED)
def test_an_archive_behind_something_else(tmp_path: Path, title: str) -> None:
    name, make = PREFIXED[title]
    (tmp_path / name).write_bytes(make())
    report = piiscan.scan(tmp_path)
    assert "US_SSN" in entities(tmp_path)
    assert [item.reason.partition(" were")[0].endswith(f"{len(make()):,} bytes") for item in report.not_scanned] == [
        True
    ]
    assert refused(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [PEOPLE, zipped({"a.csv": PEOPLE}), zlib.compress(PEOPLE), b"\x28\xb5\x2f\xfd" + bytes(9), b"PAR1" + bytes(40)],
)
def test_a_byte_order_mark_before_what_is_no_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(b"\xef\xbb\xbf" + content)
    items = found(path)
    if content is PEOPLE:
        assert not [item for item in items if isinstance(item, NotScanned | Skipped)]
        return
    assert [isinstance(item, NotScanned) for item in items] == [True]
    assert refused(path)


def test_the_exit_status_says_that_a_binary_was_not_read(tmp_path: Path) -> None:
    (tmp_path / "p.dump").write_bytes(BINARY["p.dump"][0])
    (tmp_path / "a.csv").write_bytes(b"x,y\n1,2\n3,4\n")
    done = run_piiscan("scan", tmp_path, width=300)
    assert done.returncode == 3
    assert "a PostgreSQL dump" in done.stdout + done.stderr
