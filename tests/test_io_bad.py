"""Bad input: a clear line that names it and why, nothing of its content, and the rest is still read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import socket
import struct
import sys
import tarfile
import zipfile
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_io_csv import cells, found
from test_io_formats import arrow, arrow_stream, avro, parquet, sqlite_file, tar, workbook, zipped, zstd

from piiscan.core.errors import ReadError
from piiscan.core.types import NotScanned, Skipped
from piiscan.io.inputs import discover
from piiscan.io.read_options import Limits, ReadOptions

CANARY = "canary@example.org"


def reasons(path: Path, options: ReadOptions | None = None) -> list[str]:
    """Why a path, or the rest of its tables, wasn't scanned."""
    said = []
    for item in found(path, options):
        if isinstance(item, NotScanned):
            said.append(item.reason)
        elif not isinstance(item, Skipped):
            try:
                for _ in item.batches():
                    pass
            except ReadError as error:
                said.append(str(error))
                assert error.__cause__ is None
    assert all("\n" not in reason and CANARY not in reason and len(reason) < 200 for reason in said)
    return said


def sqlite() -> bytes:
    path = Path(os.environ["PYTEST_SCRATCH"]) / "made.db"
    if not path.exists():
        sqlite_file(path)
    return path.read_bytes()


@pytest.fixture(autouse=True)
def _scratch(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_SCRATCH", str(tmp_path_factory.mktemp("scratch")))


def ole(name: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + name.encode("utf-16-le") + b"\0" * 512


def encrypted_zip() -> bytes:
    data = bytearray(zipped({"people.csv": b"name,age\nAnn,41\n"}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.parquet", lambda: parquet()[:-20], "truncated Parquet"),
        ("t.parquet", lambda: parquet()[:4] + b"\xff" * 300 + parquet()[-8:], "malformed"),
        ("t.parquet", lambda: parquet()[:-4] + b"PARE", "encrypted Parquet"),
        ("t.parquet", lambda: os.urandom(2000), "not what its ending .parquet says"),
        ("t.arrow", lambda: arrow()[:-20], "malformed Arrow"),
        ("t.arrows", lambda: arrow_stream()[:200], "malformed"),
        ("t.avro", lambda: avro()[:-20], "Avro"),
        ("t.avro", lambda: avro().replace(b'"fields"', b'"fiemds"'), "holds more than its records"),
        ("t.xlsx", lambda: workbook()[:-40], "damaged or truncated"),
        ("t.xlsx", lambda: ole("EncryptedPackage"), "encrypted workbook"),
        ("t.xls", lambda: ole("Workbook"), "malformed workbook"),
        ("t.doc", lambda: ole("WordDocument"), "document"),
        ("t.docx", lambda: zipped({"word/document.xml": b"<x>"}), "malformed part"),
        ("t.docx", lambda: zipped({"word/document.xml": b"<x/>"})[:-30], "damaged or truncated zip"),
        ("t.docx", lambda: ole("EncryptedPackage"), "encrypted workbook or document"),
        ("t.pptx", lambda: os.urandom(2000), "not what its ending .pptx says"),
        ("t.pdf", lambda: b"%PDF-1.7 ...", "PDF"),
        ("t.db", lambda: sqlite()[:2000], "SQLite"),
        ("t.db", lambda: b"SQLite format 3\0" + b"\xff" * 500, "SQLite"),
        ("t.db", lambda: os.urandom(2000), "encrypted"),
        ("t.json", lambda: b'[{"a": "canary@example.org"}, {"a": ', "malformed JSON at line 1"),
        ("t.json", lambda: b"[" * 200_000, "nested too deeply"),
        ("t.csv.gz", lambda: gzip.compress(b"name,age\nAnn,41\n" * 99)[:-12], "truncated gzip"),
        ("t.csv.bz2", lambda: bz2.compress(b"name,age\n" * 99)[:-9], "truncated bzip2"),
        ("t.csv.xz", lambda: lzma.compress(b"name,age\n" * 99)[:-20], "truncated xz"),
        ("t.csv.zst", lambda: zstd.compress(b"name,age\n" * 99)[:-5], "truncated zstd"),
        ("t.csv.zst", lambda: zstd.compress(b"name,age\n" * 99)[:9] + b"x" * 99, "damaged or truncated zstd"),
        ("t.csv.gz", lambda: b"\x1f\x8b" + b"x" * 99, "damaged or truncated gzip"),
        ("t.zip", encrypted_zip, "encrypted"),
        ("t.zip", lambda: zipped({"a.csv": b"a,b\n"})[:-10], "damaged or truncated zip"),
        ("t.tar", lambda: tar({"a.csv": b"name,age\n" * 999})[:3000], "truncated"),
        ("t.csv", lambda: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git lfs pull"),
        ("t.csv", lambda: b"/annex/objects/SHA256E-s1--00.csv\n", "git annex get"),
        ("t.7z", lambda: b"7z\xbc\xaf\x27\x1c" + b"\0" * 99, "7-Zip"),
        ("t.h5", lambda: b"\x89HDF\r\n\x1a\n" + b"\0" * 99, "HDF5"),
        ("t.sas7bdat", lambda: b"\0" * 400, "data file of another program"),
        ("t.csv", lambda: b"\x00\xd8" * 50 + os.urandom(3000), "not what its ending .csv says"),
        ("t.csv", lambda: b"\xff\xfea\0,\0b\0\n\0\x00\xd8\x00\xd8" * 9, "not valid utf-16"),
    ],
)
def test_damage_has_a_reason(tmp_path: Path, name: str, content: Callable[[], bytes], reason: str) -> None:
    (tmp_path / name).write_bytes(content())
    (tmp_path / "zz.csv").write_text("name,age\nAnn,41\n")
    said = reasons(tmp_path)
    assert said
    assert all(reason in why for why in said)
    *_, good = found(tmp_path)
    assert not isinstance(good, NotScanned | Skipped)
    assert cells(good) == [["Ann", "41"]]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_parquet_with_a_part_missing_is_never_read_in_full(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(_large_parquet())
    start = data.draw(st.integers(4, len(content) // 2))
    del content[start : data.draw(st.integers(start + 1, start + 900) | st.just(len(content)))]
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    assert reasons(path)


@cache
def _large_parquet() -> bytes:
    """Three groups of rows, with a type that polars knows and duckdb too."""
    stream = io.BytesIO()
    frame = pl.DataFrame({"a": [f"{i:05}" for i in range(3000)], "b": range(3000)})
    frame.write_parquet(stream, row_group_size=1000, compression="uncompressed")
    return stream.getvalue()


def test_duckdb_does_not_read_over_what_is_missing_at_the_end(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as writer

    pytest.importorskip("duckdb")
    odd = pyarrow.array([Decimal(i) for i in range(3000)], pyarrow.decimal256(50, 3))
    path = tmp_path / "t.parquet"
    writer.write_table(pyarrow.table({"odd": odd, "b": range(3000)}), path, compression="none")
    assert reasons(path) == []
    content = bytearray(path.read_bytes())
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    del content[footer - 60 : footer - 10]
    path.write_bytes(content)
    assert reasons(path)


def test_panics_of_a_reader_are_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(*_: object, **__: object) -> None:
        raise PanicException(CANARY)

    path = tmp_path / "t"
    for make, reader in ((arrow, "scan_ipc"), (arrow_stream, "read_ipc_stream"), (parquet, "scan_parquet")):
        path.write_bytes(make())
        with monkeypatch.context() as patch:
            patch.setattr(pl, reader, panic)
            patch.setitem(sys.modules, "duckdb", None)
            (said,) = reasons(path)
            assert said.startswith("malformed")
    path.write_text('name,age\n"Ann",41\n')  # without quotes so few lines are split without polars
    with monkeypatch.context() as patch:
        patch.setattr(pl, "scan_csv", panic)
        assert reasons(path) == ["malformed csv (PanicException); the rest of it was not read"]
        patch.setattr("piiscan.io.walk.kind_of", panic)
        assert reasons(path) == ["malformed (PanicException); check it with its program"]


def test_a_picture_is_skipped_in_a_folder_and_named_outright_it_is_not(tmp_path: Path) -> None:
    font = struct.pack(">4sHHHH4sIII", b"\0\1\0\0", 1, 16, 0, 0, b"cmap", 0, 28, 4) + b"\0" * 4
    contents = {"a.png": b"\x89PNG\r\n\x1a\n", "b": b"\x7fELF\2\1\1" + b"\0" * 57, "c.ttf": font}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    assert [item.reason for item in found(tmp_path) if isinstance(item, Skipped)] == ["picture", "program", "font"]
    for name in contents:
        (item,) = found(tmp_path / name)
        assert isinstance(item, NotScanned)


def test_pipes_sockets_and_devices_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    monkeypatch.chdir(tmp_path)  # a socket's path has to be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        items = found(".")
    assert [(item.source, item.reason.split(",")[0]) for item in items if isinstance(item, NotScanned)] == [
        ("pipe.csv", "a named pipe"),
        ("s", "a socket"),
    ]
    (device,) = found("/dev/zero")
    assert isinstance(device, NotScanned)
    assert device.reason.startswith("a device")


def test_links(tmp_path: Path) -> None:
    data, outside = tmp_path / "data", tmp_path / "outside"
    (data / "in").mkdir(parents=True)
    outside.mkdir()
    (data / "in" / "t.csv").write_text("name,age\nAnn,41\n")
    (outside / "u.csv").write_text("name,age\nBob,7\n")
    (data / "again").symlink_to(data / "in")
    (data / "loop").symlink_to(data)
    (data / "far").symlink_to(outside)
    (data / "self").symlink_to(data / "self")
    (data / "gone.csv").symlink_to(data / "nothing")
    (data / "annexed.csv").symlink_to("../.git/annex/objects/xx/yy")
    items = found(data)
    said = {Path(item.source).name: item.reason for item in items if isinstance(item, NotScanned)}
    assert set(said) == {"self", "gone.csv", "annexed.csv"}
    assert "git annex get" in said["annexed.csv"]
    assert said["gone.csv"] == "a broken link; mend or remove it"
    read = [item.info.source for item in items if not isinstance(item, NotScanned | Skipped)]
    assert read == [f"{data.as_posix()}/in/t.csv", f"{data.as_posix()}/far/u.csv"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission_denied(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n")
    path.chmod(0)
    (tmp_path / "closed").mkdir(mode=0)
    assert [item.reason.split(";")[0] for item in found(tmp_path) if isinstance(item, NotScanned)] == [
        "permission denied"
    ] * 2


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(5, "Input/output error")])
def test_errors_of_the_system_have_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n")

    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("piiscan.io.content.Content.open", refuse)
    (item,) = found(tmp_path)
    assert isinstance(item, NotScanned)
    assert "permission denied" in item.reason or "Input/output error" in item.reason


def test_what_is_not_there_or_vanishes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    assert found(path) == [NotScanned(path.as_posix(), "no such file")]
    path.write_text("name,age\nAnn,41\n")
    (table,) = found(path)
    path.unlink()
    assert not isinstance(table, NotScanned | Skipped)
    with pytest.raises(ReadError):
        list(table.batches())


def spread(last: str, placed: bool = True) -> bytes:
    """A workbook with two filled cells in opposite corners, or with a long row and many rows that say no places."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active["A1"], book.active[last] = "ssn", "x"
    stream = io.BytesIO()
    book.save(stream)
    if placed:
        return stream.getvalue()
    with zipfile.ZipFile(stream) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    rows = b"<row>" + b"<c><v>1</v></c>" * 9 + b"</row>" + b"<row/>" * 9
    parts["xl/worksheets/sheet1.xml"] = b"<worksheet><sheetData>" + rows + b"</sheetData></worksheet>"
    return zipped(parts)


BOMB = b"\0" * (30 << 20)


@pytest.mark.parametrize(
    ("limits", "content", "reason"),
    [
        (Limits(ratio_from=1 << 20), lambda: gzip.compress(BOMB), "as a zip bomb does"),
        (Limits(ratio_from=1 << 20), lambda: zipped({"a": BOMB}), "as a zip bomb does"),
        (Limits(archive_bytes=1 << 20), lambda: gzip.compress(os.urandom(2 << 20)), "more than 1 MiB"),
        (
            Limits(archive_bytes=1 << 20),
            lambda: zipped({f"{i}.txt": os.urandom(150_000).hex().encode() for i in range(5)}),
            "more than 1 MiB",
        ),
        (Limits(archive_members=3), lambda: zipped({f"{i}.csv": b"a,b\nc,d\n" for i in range(5)}), "more than 3 files"),
        (
            Limits(archive_members=3),
            lambda: zipped({f"{i}.zip": zipped({"a.csv": b"a,b\n", "b.csv": b"a,b\n"}) for i in range(3)}),
            "more than 3 files",
        ),
        (
            Limits(archive_depth=2),
            lambda: gzip.compress(gzip.compress(gzip.compress(b"a,b\n"))),
            "nested more than 2 deep",
        ),
        (Limits(json_bytes=100), lambda: b'[{"a": "' + b"x" * 200 + b'"}]', "a JSON document above"),
        (Limits(document_bytes=100), workbook, "a workbook above"),
        (Limits(), lambda: spread("XFD1048576"), "a sheet of more than 8,000,000 cells"),
        (Limits(sheet_cells=20), lambda: spread("C7"), "a sheet of more than 20 cells"),
        (Limits(sheet_cells=20), lambda: spread("C7", placed=False), "a sheet of more than 20 cells"),
        (Limits(document_bytes=100), arrow_stream, "an Arrow stream above"),
    ],
)
def test_limits(tmp_path: Path, limits: Limits, content: Callable[[], bytes], reason: str) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(content())
    said = reasons(path, ReadOptions(limits=limits))
    assert said
    assert all(reason in why for why in said)


def test_names_in_archives_are_names_only(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "t.tar"
    evil = tar({"../escaped.csv": b"name,age\nAnn,41\n", "/tmp/absolute-piiscan.csv": b"name,age\nBob,7\n"})
    path.write_bytes(evil)
    assert [item.info.source for item in found(path) if not isinstance(item, NotScanned | Skipped)] == [
        f"{path.as_posix()}!../escaped.csv",
        f"{path.as_posix()}!/tmp/absolute-piiscan.csv",
    ]
    assert [entry.name for entry in tmp_path.iterdir()] == ["in"]
    assert not Path("/tmp/absolute-piiscan.csv").exists()


def test_links_and_devices_in_archives_are_not_followed(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            entry = tarfile.TarInfo(f"entry{kind.decode()}")
            entry.type = kind
            entry.linkname = "/etc/passwd"
            archive.addfile(entry)
    path = tmp_path / "t.tar"
    path.write_bytes(stream.getvalue())
    items = found(path)
    assert [item.reason for item in items if isinstance(item, NotScanned)] == [
        "not a regular file; pack the archive without it",
        "not a regular file; pack the archive without it",
        "a link to a file that its archive doesn't have; fetch that one",
    ]
    assert len(items) == 3


def test_a_zip_that_lies_about_its_sizes(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.csv": b"name,age\n" + b"Ann,41\n" * 1000}))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 10)
    path = tmp_path / "t.zip"
    path.write_bytes(data)
    assert reasons(path) == ["damaged or truncated in its archive; fetch it again"]


def test_a_bad_member_stops_no_other(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(zipped({"a.parquet": parquet()[:-9], "b.csv": b"name,age\nAnn,41\n"}))
    bad, good = found(path)
    assert bad == NotScanned(
        f"{path.as_posix()}!a.parquet", "truncated Parquet: its end is missing; fetch or write it again"
    )
    assert not isinstance(good, NotScanned | Skipped)
    assert cells(good) == [["Ann", "41"]]


MAKERS = (
    parquet,
    arrow,
    arrow_stream,
    avro,
    workbook,
    sqlite,
    encrypted_zip,
    lambda: gzip.compress(b"name,age\n"),
    lambda: tar({"a.csv": b"name,age\n"}),
)


@cache
def made(maker: Callable[[], bytes]) -> bytes:
    """The same bytes for every example: some writers put the time into a file."""
    return maker()


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_of_any_kind_end_in_a_reason_or_tables(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(made(data.draw(st.sampled_from(MAKERS))))
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    del content[data.draw(st.integers(1, len(content))) :]
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    reasons(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200), name=st.sampled_from(["t.csv", "t.json", "t.xlsx", "t.txt", "t"]))
def test_bytes_of_any_kind_end_in_a_reason_or_tables(tmp_path: Path, content: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    reasons(path)
    reasons_of_stdin = [
        item for item in discover(["-"], ReadOptions(), io.BytesIO(content)) if isinstance(item, NotScanned)
    ]
    assert all(item.source.split("!")[0] == "-" for item in reasons_of_stdin)


def test_no_temporary_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "name,age\nZoë,41\n".encode("cp1252"))
    (table,) = found(path)
    assert not isinstance(table, NotScanned | Skipped)
    batches = table.batches()
    next(batches)
    assert list((tmp_path / "tmp").iterdir()) == []
    batches.close()  # type: ignore[attr-defined]
