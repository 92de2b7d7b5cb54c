"""Odd archives and compressed streams."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator

from . import corpus
from .mutations import File
from .odd_texts import MAIL, SAID, SSN

CSV = f"a,b\n1,{SAID}\n2,x\n3,y\n".encode()
CLEAN = b"a,b\n1,z\n2,x\n3,y\n"


def files() -> Iterator[tuple[str, File]]:
    """The files by their names."""
    yield from _zips()
    yield from _tars()
    yield from _streams()
    yield from _within()


def _entry(name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED, **fields: object) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo(name, corpus.STAMP)
        entry.compress_type = method
        for field, value in fields.items():
            setattr(entry, field, value)
        archive.writestr(entry, data)
    return out.getvalue()


def _zips() -> Iterator[tuple[str, File]]:
    names = ("../a.csv", "/a.csv", "a\\b.csv", "C:a.csv", "a/", "a//b.csv", ".", "a.csv/b.csv", "x" * 300 + ".csv", "ä.csv",
             "日本.csv", "a\nb.csv", "a!b.csv", "a.png", "a.csv.gz", "node_modules/a.csv", ".git/a.csv", "__MACOSX/._a.csv",
             f"{MAIL}.csv", f"{SSN}/a.csv", " .csv", "a.csv ", "CON", "a", "a.exe", "a.zip", ".hidden")  # fmt: skip
    for name in names:
        yield f"zip, a member called {name[:40]!r}", File(_entry(name, CSV), "a.zip")
    for name, method in {"stored": 0, "deflated": 8, "bzip2": 12, "LZMA": 14}.items():
        yield f"zip, {name}", File(_entry("a.csv", CSV * 20, method), "a.zip")
    plain = _entry("a.csv", CSV)
    clean = _entry("a.csv", CLEAN)
    at = plain.index(b"PK\1\2")
    twice = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(twice, "w") as archive:
        warnings.simplefilter("ignore")  # it warns of the name
        for body in (CSV, CLEAN):
            archive.writestr(zipfile.ZipInfo("a.csv", corpus.STAMP), body)
    local = struct.pack("<HH", 0x9999, 40) + SAID.encode().ljust(40)
    for name, data in {
        "nothing in it": corpus.zipped({}),
        "a comment": corpus.zipped({"a.csv": CLEAN}, SAID),
        "a comment of a member": corpus.zipped({"a.csv": CLEAN}, "", 8, SAID),
        "a comment alone": corpus.zipped({}, SAID),
        "an extra field": _entry("a.csv", CLEAN, extra=local),
        "two members of one name": twice.getvalue(),
        "a script before": b"#!/bin/sh\nexit 0\n" + plain,
        "a needle before": SAID.encode() + b"\n" + clean,
        "a needle behind": clean + SAID.encode(),
        "NULs behind": plain + bytes(100),
        "no directory": plain[:at],
        "half a directory": plain[: at + 20],
        "a directory twice": plain + plain[at:],
        "two archives": clean + plain,
        "a member that no directory has": plain[:at] + clean,
        "a wrong checksum": plain.replace(plain[14:18], b"\1\2\3\4"),
        "an encrypted flag": plain[:6] + b"\1\0" + plain[8 : at + 8] + b"\1\0" + plain[at + 10 :],
        "an unknown method": plain.replace(b"\x08\0", b"\x63\0"),
        "a size of 4 GiB": plain[:22] + b"\xff\xff\xff\xff" + plain[26:],
        "another name before its data": plain[:30] + b"b.csv" + plain[35:],
        "a needle as the name before its data": clean[:26]
        + struct.pack("<H", len(SAID))
        + clean[28:30]
        + SAID.encode()
        + clean[35:],
        "a folder with data": _entry("a/", CSV, 0),
        "200 members": corpus.zipped({f"{i}.csv": CSV if i == 150 else CLEAN for i in range(200)}),
        "the end's comment cut": corpus.zipped({"a.csv": CLEAN}, SAID)[:-4],
        "an offset that is wrong": plain[:-6] + b"\xff\xff\0\0" + plain[-2:],
        "more members than there are": plain[:-12] + b"\x09\0" + plain[-10:],
    }.items():
        yield f"zip, {name}", File(data, "a.zip")
    streamed = io.BytesIO()
    streamed.seekable = lambda: False  # type: ignore[method-assign]
    with zipfile.ZipFile(streamed, "w", 8) as archive:
        archive.writestr(zipfile.ZipInfo("a.csv", corpus.STAMP), CSV)
    yield "zip, sizes behind the data", File(streamed.getvalue(), "a.zip")
    link = _entry("a.lnk", SAID.encode(), 0, external_attr=0o120777 << 16)
    yield "zip, a link", File(link, "a.zip")


def _tars() -> Iterator[tuple[str, File]]:
    for name, form in {"ustar": tarfile.USTAR_FORMAT, "GNU": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}.items():
        for title, member in {
            "plain": "a.csv",
            "a needle": f"{MAIL}.csv",
            "outside": "../a.csv",
            "letters": "ä.csv",
        }.items():
            yield f"tar, {name}, {title}", File(corpus.tarred({member: CSV}, form), "a.tar")
        if form != tarfile.USTAR_FORMAT:
            yield f"tar, {name}, a long name", File(corpus.tarred({"x" * 300 + MAIL: CLEAN}, form), "a.tar")

    def made(change: Callable[[tarfile.TarInfo], object], data: bytes = b"", **options: object) -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", **options) as archive:  # type: ignore[call-overload]
            entry = tarfile.TarInfo("a")
            entry.size = len(data)
            change(entry)
            archive.addfile(entry, io.BytesIO(data))
        return out.getvalue()

    kinds = {"a symbolic link": tarfile.SYMTYPE, "a hard link": tarfile.LNKTYPE, "a pipe": tarfile.FIFOTYPE,
             "a device": tarfile.CHRTYPE, "a folder": tarfile.DIRTYPE, "contiguous": tarfile.CONTTYPE}  # fmt: skip
    for name, kind in kinds.items():
        yield (
            f"tar, {name}",
            File(made(lambda e, kind=kind: (setattr(e, "type", kind), setattr(e, "linkname", SAID))), "a.tar"),
        )  # type: ignore[misc]
    for field in ("uname", "gname"):
        yield f"tar, {field}", File(made(lambda e, field=field: setattr(e, field, MAIL), CLEAN), "a.tar")  # type: ignore[misc]
    for key in ("comment", "path", "SCHILY.xattr.user.note", "LIBARCHIVE.note", "hdrcharset", "uname", "x"):
        noted = made(lambda e, key=key: e.pax_headers.update({key: SAID}), CLEAN, format=tarfile.PAX_FORMAT)  # type: ignore[misc]
        yield f"tar, a pax header {key}", File(noted, "a.tar")
    globally = made(lambda e: None, CLEAN, format=tarfile.PAX_FORMAT, pax_headers={"comment": SAID})
    plain, clean = corpus.tarred({"a.csv": CSV}), corpus.tarred({"a.csv": CLEAN})
    for name, data in {
        "a global comment": globally,
        "nothing in it": corpus.tarred({}),
        "two archives": clean + plain,
        "two archives without an end": clean[:1024] + plain,
        "a needle behind": clean + SAID.encode(),
        "a needle in the padding": clean[: 512 + 40] + SAID.encode() + clean[512 + 40 + len(SAID) :],
        "a needle between": clean[:1024] + SAID.encode().ljust(512, b"\0") + plain,
        "no end": plain[:1024],
        "cut in a member": plain[:540],
        "cut in a header": plain[:300],
        "a wrong checksum": plain[:148] + b"0000000\0" + plain[156:],
        "a size beyond the end": plain[:124] + b"00007777777\0" + plain[136:],
        "an empty name": b"\0" + plain[1:],
        "512 NULs before": bytes(512) + plain,
        "1 NUL before": b"\0" + plain,
        "a needle in an unused field": clean[:500] + b"(" + SSN.encode()[:11] + clean[512:],
    }.items():
        yield f"tar, {name}", File(data, "a.tar")


def _streams() -> Iterator[tuple[str, File]]:
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": lambda data: gzip.compress(data, mtime=0), "bz2": bz2.compress, "xz": lzma.compress, "zst": corpus.zstd_compress,
        "lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE),
    }  # fmt: skip
    for name, pack in packers.items():
        done, clean = pack(CSV), pack(CLEAN)
        for what, data in {
            "plain": done,
            "two streams": clean + done,
            "a needle over two streams": pack(CSV[:12]) + pack(CSV[12:]),
            "nothing": pack(b""),
            "NULs behind": done + bytes(64),
            "a needle behind": clean + SAID.encode(),
            "a line end behind": done + b"\n",
            "cut": pack(CSV * 90)[:-6],
            "cut to its head": done[:8],
            "twice": pack(done),
            "five times": pack(pack(pack(pack(done)))),
            "an archive": pack(corpus.tarred({"a.csv": CSV})),
            "a workbook": pack(corpus.KINDS["xlsx"].make(random.Random(1), {"cell": SAID})),
        }.items():
            yield f"{name}, {what}", File(data, f"a.csv.{name}")
        yield f"{name}, under the name of a text", File(done, "a.csv")
        yield f"{name}, without an ending", File(done, "data")
    body = gzip.compress(CLEAN, mtime=0)
    said = SAID.encode()
    for what, flags, fields in (
        ("a name", 8, said + b"\0"),
        ("a comment", 16, said + b"\0"),
        ("an extra field", 4, struct.pack("<H", 80) + said.ljust(80)),
        ("a short extra field", 4, struct.pack("<H", len(said)) + said),
        ("a name without an end", 8, said),
        ("reserved flags", 0xE0, b""),
    ):
        yield f"gzip header, {what}", File(body[:3] + bytes([flags]) + body[4:10] + fields + body[10:], "a.csv.gz")
    frame = b"\x50\x2a\x4d\x18" + struct.pack("<I", len(said)) + said
    yield "zstd, a skippable frame", File(corpus.zstd_compress(CLEAN) + frame, "a.csv.zst")
    yield "zstd, a skippable frame first", File(frame + corpus.zstd_compress(CLEAN), "a.csv.zst")
    yield "xz, padding between", File(lzma.compress(CLEAN) + bytes(4) + lzma.compress(CSV), "a.csv.xz")
    yield "zlib", File(zlib.compress(CSV * 3), "a.csv")
    yield "deflate", File(zlib.compress(CSV * 3)[2:-4], "a.csv")


def _within() -> Iterator[tuple[str, File]]:
    """Every kind of file in a zip archive, and in a tar archive of another ending."""
    for name, kind in corpus.KINDS.items():
        part = kind.parts[0]
        data = kind.make(random.Random(3), {part: SAID})
        yield f"{name} in a zip", File(corpus.zipped({kind.name: data}), "a.zip")
        if name in ("csv", "parquet", "arrow", "avro", "xlsx", "xls", "ods", "sqlite", "duckdb", "json", "csv utf-16"):
            yield f"{name} in a tar", File(gzip.compress(corpus.tarred({kind.name: data}), mtime=0), "a.tgz")
            yield f"{name} under the name of a text", File(data, "a.txt")
            yield f"{name} without a name", File(data, "data")
