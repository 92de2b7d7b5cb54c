"""Every byte of a compressed file or an archive is read, or the report says that it wasn't; masking drops nothing in
silence."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import run_piiscan
from mask_people import key_file
from test_io_csv import cells, found
from test_io_formats import tar, zipped, zstd

import piiscan
from piiscan.core.types import NotScanned, Skipped
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.rewrite import rewrite

PEOPLE = b"name,ssn\nAnn Lee,536-22-1234\nBob Ray,536-22-1235\nEve May,536-22-1236\n"
MORE = b"Cal Fox,536-22-1237\n"
OTHER = b"x,y\n1,2\n3,4\n"
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}


def rows(path: Path) -> int:
    """How many rows with a number can be read below a path."""
    tables = [item for item in found(path) if not isinstance(item, NotScanned | Skipped)]
    return sum("536-22-" in "".join(row) for table in tables for row in cells(table))


def reasons(path: Path) -> list[str]:
    said = [item.reason for item in found(path) if isinstance(item, NotScanned)]
    assert not any("536-22" in reason for reason in said)
    return said


def refused(path: Path) -> bool:
    result = rewrite(path, path.parent / "out", ReadOptions(), lambda info: None)
    return bool(result.left_out) and not (path.parent / "out").exists()


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("padding", [0, 4, 512])
def test_streams_one_after_the_other(tmp_path: Path, kind: str, padding: int) -> None:
    path = tmp_path / f"p.csv.{kind}"
    path.write_bytes(PACK[kind](PEOPLE) + bytes(padding) + PACK[kind](MORE) + bytes(padding))
    assert (rows(path), reasons(path)) == (4, [])
    assert piiscan.scan(path).complete


CUT: dict[str, Callable[[bytes], bytes]] = {
    "text behind it": lambda data: data + b"Eve,536-22-9999\n",
    "text behind padding": lambda data: data + bytes(8) + b"Eve,536-22-9999\n",
    "another kind behind it": lambda data: data + zipped({"a.csv": PEOPLE}),
    "a second one that is damaged": lambda data: data + data[:-6],
}


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("damage", CUT)
def test_what_follows_a_stream_is_said_and_what_was_unpacked_is_scanned(tmp_path: Path, kind: str, damage: str) -> None:
    path = tmp_path / f"p.csv.{kind}"
    path.write_bytes(CUT[damage](PACK[kind](PEOPLE)))
    assert rows(path) >= 3
    assert len(reasons(path)) == 1
    assert refused(path)


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_a_truncated_stream_gives_what_it_has(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"p.csv.{kind}"
    text = b"name,ssn\n" + b"".join(b"Ann Lee %d,536-22-%04d\n" % (i * 7919 % 65521, i) for i in range(1, 9999))
    path.write_bytes(PACK[kind](text)[:-40])
    assert 5000 < rows(path) < 9999
    assert [reason.startswith("damaged or truncated") for reason in reasons(path)] == [True]
    assert refused(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "p.csv.zst",
            zstd.compress(PEOPLE) + b"\x50\x2a\x4d\x18" + struct.pack("<I", 40) + b"Eve,536-22-9999\n" + b" " * 24,
        ),
        ("p.csv.gz", b"\x1f\x8b\x08\x10" + bytes(6) + b"Eve 536-22-9999\0" + gzip.compress(PEOPLE)[10:]),
    ],
)
def test_text_that_no_program_unpacks(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert (rows(path), len(reasons(path))) == (3, 1)
    assert refused(path)


def test_a_table_of_places_in_zstd_is_no_data(tmp_path: Path) -> None:
    path = tmp_path / "p.csv.zst"
    seekable = b"\x5e\x2a\x4d\x18" + struct.pack("<I", 17) + bytes(13) + b"\xb1\xea\x92\x8f"
    path.write_bytes(zstd.compress(PEOPLE) + seekable)
    assert (rows(path), reasons(path)) == (3, [])


THREE = tar({"a.csv": OTHER, "b.csv": PEOPLE, "c.csv": PEOPLE})


def changed(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def link(name: str, target: str, extra: bytes = b"") -> bytes:
    """A tar with a hard link, and what it may link to."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        if extra:
            entry = tarfile.TarInfo("there.csv")
            entry.size = len(extra)
            archive.addfile(entry, io.BytesIO(extra))
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = tarfile.LNKTYPE, target
        archive.addfile(entry)
    return stream.getvalue()


def folder_with_data() -> bytes:
    """A member of an old kind whose name ends as a folder's does, with data; and another behind it."""
    data = bytearray(tar({"x/": PEOPLE, "y.csv": PEOPLE}))
    data[156] = 0
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


def commented(text: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": text}) as archive:
        entry = tarfile.TarInfo("a.csv")
        entry.size = len(OTHER)
        archive.addfile(entry, io.BytesIO(OTHER))
    return stream.getvalue()


# What is in the archive, how many rows with a number can be read, and how many reasons there are.
TARS = {
    "whole": (THREE, 6, 0),
    "without its end": (THREE[: 3 * 1024], 6, 0),
    "a damaged header": (changed(THREE, 1024 + 10, b"\xff"), 3, 1),
    "a zeroed header": (changed(THREE, 1024, bytes(512)), 3, 1),
    "a damaged first header": (changed(THREE, 10, b"\xff"), 6, 1),
    "cut within a member": (THREE[: 2 * 1024 + 512 + 40], 4, 1),
    "cut within a header": (THREE[: 2 * 1024 + 100], 3, 1),
    "two of them": (tar({"a.csv": OTHER}) + tar({"b.csv": PEOPLE}), 3, 0),
    "two of them, out of step": (tar({"a.csv": PEOPLE}) + b"-" * 20 + tar({"b.csv": PEOPLE}), 3, 1),
    "text behind its end": (tar({"a.csv": PEOPLE}) + MORE, 3, 1),
    "zero bytes behind its end": (tar({"a.csv": PEOPLE}) + bytes(5000), 3, 0),
    "a broken link": (link("a.csv", "gone.csv", b""), 0, 1),
    "a link to a member": (link("a.csv", "./there.csv", PEOPLE), 3, 0),
    "a folder with data": (folder_with_data(), 3, 1),
}


@pytest.mark.parametrize("title", TARS)
@pytest.mark.parametrize("pack", [None, gzip.compress])
def test_tar(tmp_path: Path, title: str, pack: Callable[[bytes], bytes] | None) -> None:
    content, wanted, said = TARS[title]
    path = tmp_path / "p.tar"
    path.write_bytes(pack(content) if pack else content)
    assert (rows(path), len(reasons(path))) == (wanted, said)
    assert piiscan.scan(path).complete == (not said)
    assert refused(path) == bool(said)


def noted(comment: bytes = b"", entry_comment: bytes = b"", extra: bytes = b"") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.comment = comment
        entry = zipfile.ZipInfo("a.csv")
        entry.comment, entry.extra = entry_comment, extra
        archive.writestr(entry, OTHER)
    return stream.getvalue()


def streamed() -> bytes:
    """Members whose sizes come after them, as a program writes them that can't go back."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", PEOPLE)
        archive.writestr("b/", b"")
    return pipe.data


def large() -> bytes:
    """A member with the sizes of a large archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive, archive.open("a.csv", "w", force_zip64=True) as member:
        member.write(PEOPLE)
    return stream.getvalue()


def without_its_entry() -> bytes:
    """A member that the archive's directory doesn't list: deleted, as some programs do it."""
    data = zipped({"gone.csv": PEOPLE, "a.csv": PEOPLE})
    start = data.index(b"PK\1\2")
    length = 46 + len("gone.csv")
    end = bytearray(data[start + length :])
    at = end.index(b"PK\5\6")
    end[at + 8 : at + 16] = struct.pack("<HHI", 1, 1, length - len("gone.csv") + len("a.csv"))
    return data[:start] + bytes(end)


ZIPS = {
    "whole": (zipped({"a.csv": PEOPLE, "b/": b""}), 3, 0),
    "streamed": (streamed(), 3, 0),
    "large": (large(), 3, 0),
    "two of them": (zipped({"a.csv": PEOPLE}) + zipped({"b.csv": PEOPLE}), 3, 1),
    "a member that isn't listed": (without_its_entry(), 3, 1),
    "a script before it": (b"#!/bin/sh\n" + zipped({"a.csv": PEOPLE}), 3, 1),
    "text behind it": (zipped({"a.csv": PEOPLE}) + MORE, 3, 1),
    "a folder with data": (zipped({"x/": PEOPLE}), 3, 0),
    "a commit as its comment": (noted(comment=b"0123456789abcdef" * 2 + b"01234567"), 0, 0),
    "a time in an extra field": (noted(extra=struct.pack("<HHBI", 0x5455, 5, 1, 0)), 0, 0),
}


@pytest.mark.parametrize("title", ZIPS)
def test_zip(tmp_path: Path, title: str) -> None:
    content, wanted, said = ZIPS[title]
    path = tmp_path / "p.zip"
    path.write_bytes(content)
    assert (rows(path), len(reasons(path))) == (wanted, said)
    assert piiscan.scan(path).complete == (not said)
    assert refused(path) == bool(said)


NOTES = {
    "p.zip": noted(comment=b"Ann Lee 536-22-1234"),
    "q.zip": noted(entry_comment="Zoë Lee 536-22-1234".encode("cp437")),
    "r.zip": noted(extra=struct.pack("<HH", 0x7777, 19) + b"Ann Lee 536-22-1234"),
    "p.tar": commented("Ann Lee 536-22-1234"),
}


@pytest.mark.parametrize("name", NOTES)
def test_comments_are_read_and_stay_behind_when_an_archive_is_masked(tmp_path: Path, name: str) -> None:
    path, out = tmp_path / name, tmp_path / f"out-{name}"
    path.write_bytes(NOTES[name])
    report = piiscan.scan(path)
    assert report.complete
    assert {(table.table, table.source == path.as_posix()) for table in report.tables} == {
        ("comments", True),
        (None, False),
    }
    assert any(inside.entity == "US_SSN" for column in report.columns for inside in column.inside)
    rewrite(path, out, ReadOptions(), lambda info: None)
    assert OTHER in out.read_bytes()
    assert b"536-22-1234" not in out.read_bytes()


def test_members_that_are_folders_by_name_only_are_masked(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    path.write_bytes(zipped({"x/": PEOPLE, "b/": b"", "a.csv": PEOPLE}))
    assert run_piiscan("plan", path, "-o", tmp_path / "plan.toml").returncode == 0
    done = run_piiscan(
        "mask", path, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out.zip", "--key", key_file(tmp_path)
    )
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert archive.namelist() == ["x/", "b/", "a.csv"]
        texts = [archive.read(entry) for entry in archive.infolist()]
    assert [text.count(b"\n") for text in texts] == [4, 0, 4]
    assert not any(b"536-22" in text for text in texts)


def _header(flags: int, *fields: bytes) -> bytes:
    """A gzip file with fields in its header."""
    packed = gzip.compress(OTHER)
    return packed[:3] + bytes([flags]) + packed[4:10] + b"".join(fields) + packed[10:]


@pytest.mark.parametrize("before", [b"", gzip.compress(OTHER)], ids=["first", "second"])
def test_the_name_in_a_gzip_header_is_a_name(tmp_path: Path, before: bytes) -> None:
    (tmp_path / "t.csv.gz").write_bytes(before + _header(8, b"ssn 536-22-1234.csv\0"))
    report = piiscan.scan(tmp_path)
    assert report.complete and [name.entity for name in report.in_names] == ["US_SSN"]


@pytest.mark.parametrize(
    "data",
    [
        _header(4, (400).to_bytes(2, "little"), b"ssn 536-22-1234".ljust(400)),
        _header(4, b"\x0f\0ssn 536-22-1234"),
        _header(16, b"ssn 536-22-1234\0"),
        _header(20, b"\2\0xy", b"ssn 536-22-1234\0"),
    ],
    ids=["long extra field", "extra field", "comment", "both"],
)
def test_other_fields_of_a_gzip_header_are_said(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.csv.gz").write_bytes(data)
    assert not piiscan.scan(tmp_path).complete


@pytest.mark.parametrize("where", ["linkname", "uname", "gname"])
def test_names_in_headers_of_a_tar_are_names(tmp_path: Path, where: str) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("a")
        entry.type = tarfile.SYMTYPE
        setattr(entry, where, "536-22-1234")
        archive.addfile(entry)
    (tmp_path / "t.tar").write_bytes(out.getvalue())
    assert [name.entity for name in piiscan.scan(tmp_path).in_names] == ["US_SSN"]


@pytest.mark.parametrize("key", ["comment", "LIBARCHIVE.note", "x", "hdrcharset"])
def test_headers_of_a_tar_may_hold_texts(tmp_path: Path, key: str) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        entry = tarfile.TarInfo("a.csv")
        entry.size, entry.mtime = len(OTHER), 1.5
        entry.pax_headers = {key: "ssn 536-22-1234"}
        archive.addfile(entry, io.BytesIO(OTHER))
    (tmp_path / "t.tar").write_bytes(out.getvalue())
    report = piiscan.scan(tmp_path)
    assert report.complete and "US_SSN" in {i.entity for c in report.columns for i in c.inside}


def test_what_lies_in_the_padding_of_a_tar_is_said(tmp_path: Path) -> None:
    data = bytearray(tar({"a.csv": OTHER}))
    data[512 + len(OTHER) + 3 : 512 + len(OTHER) + 14] = b"536-22-1234"
    (tmp_path / "t.tar").write_bytes(data)
    assert not piiscan.scan(tmp_path).complete
