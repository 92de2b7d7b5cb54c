"""What damages a file, or makes another one of it. Each is a function of the bytes, the name, and a generator of
numbers alone, so that a case is the same wherever it is run again."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import re
import struct
import zlib
from collections.abc import Callable
from typing import Final, NamedTuple

from . import corpus
from .needles import NEEDLES, spoken


class File(NamedTuple):
    """A file's bytes and its name."""

    data: bytes
    name: str


Mutation = Callable[[File, random.Random], File]
MUTATIONS: Final[dict[str, Mutation]] = {}
"""Every mutation by the name that counts go by."""


def _bytes(change: Callable[[bytes, random.Random], bytes]) -> Callable[[bytes, random.Random], bytes]:
    """Enter a mutation of the bytes alone."""
    MUTATIONS[change.__name__.strip("_").replace("_", " ")] = lambda file, rng: file._replace(
        data=change(file.data, rng)
    )
    return change


def _file(change: Mutation) -> Mutation:
    """Enter a mutation of bytes and name."""
    MUTATIONS[change.__name__.strip("_").replace("_", " ")] = change
    return change


_MOST_DOUBLED = 16 << 20
"""Bytes of lines that are doubled."""


def _place(data: bytes, rng: random.Random) -> int:
    """Somewhere in the content, often where formats have their heads and directories."""
    near = rng.random()
    if near < 0.25:
        return rng.randrange(min(len(data), 64) + 1)
    return max(0, len(data) - rng.randrange(64)) if near < 0.4 else rng.randrange(len(data) + 1)


def _range(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = _place(data, rng)
    return start, min(len(data), start + rng.choice((1, 4, 16, 100, 512, 4096)))


def _other(rng: random.Random) -> bytes:
    """A clean file of some kind."""
    kind = corpus.KINDS[rng.choice(sorted(set(corpus.KINDS) - {"duckdb"}))]
    return kind.make(random.Random(rng.randrange(50)), {})


def _needle(rng: random.Random) -> bytes:
    return spoken(rng.choice(sorted(NEEDLES))).encode()


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


# Cut


@_bytes
def cut_tail(data: bytes, rng: random.Random) -> bytes:
    return data[: _place(data, rng)] if rng.random() < 0.5 else data[: len(data) - rng.randrange(1, 40)]


@_bytes
def cut_head(data: bytes, rng: random.Random) -> bytes:
    return data[rng.choice((1, 2, 3, 4, 8, 16, 100, len(data) // 2)) :]


@_bytes
def cut_middle(data: bytes, rng: random.Random) -> bytes:
    start, end = _range(data, rng)
    return data[:start] + data[end:]


@_bytes
def delete_bytes(data: bytes, rng: random.Random) -> bytes:
    gone = {rng.randrange(len(data) + 1) for _ in range(rng.randrange(1, 6))}
    return bytes(b for i, b in enumerate(data) if i not in gone)


@_bytes
def keep_a_slice(data: bytes, rng: random.Random) -> bytes:
    start, end = sorted((_place(data, rng), _place(data, rng)))
    return data[start:end]


# Overwritten


def _overwritten(data: bytes, start: int, new: bytes) -> bytes:
    return data[:start] + new[: len(data) - start] + data[start + len(new) :]


@_bytes
def flip_a_bit(data: bytes, rng: random.Random) -> bytes:
    at = min(_place(data, rng), max(0, len(data) - 1))
    return _overwritten(data, at, bytes([data[at] ^ 1 << rng.randrange(8)])) if data else data


@_bytes
def flip_bits(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randrange(2, 40) if data else 0):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


@_bytes
def random_bytes(data: bytes, rng: random.Random) -> bytes:
    start, end = _range(data, rng)
    return _overwritten(data, start, rng.randbytes(end - start))


@_bytes
def zero_block(data: bytes, rng: random.Random) -> bytes:
    start, end = _range(data, rng)
    return _overwritten(data, start, bytes(end - start))


@_bytes
def ones_block(data: bytes, rng: random.Random) -> bytes:
    start, end = _range(data, rng)
    return _overwritten(data, start, b"\xff" * (end - start))


@_bytes
def extreme_number(data: bytes, rng: random.Random) -> bytes:
    form, value = rng.choice(
        (
            ("<I", 0xFFFFFFFF),
            ("<I", 0x7FFFFFFF),
            ("<I", 0),
            ("<I", 1),
            ("<I", 0x80000000),
            (">I", 0x7FFFFFFF),
            (">I", 1),
        )
        + (("<Q", 2**63 - 1), ("<Q", 2**64 - 1), ("<Q", 1 << 40), ("<H", 0xFFFF), ("<H", 0), (">H", 0x7FFF), ("B", 255))
    )
    return _overwritten(data, _place(data, rng), struct.pack(form, value))


@_bytes
def number_off_by_a_little(data: bytes, rng: random.Random) -> bytes:
    if len(data) < 4:
        return data
    at = min(_place(data, rng), len(data) - 4)
    form = rng.choice(("<I", ">I"))
    value = struct.unpack_from(form, data, at)[0] + rng.choice((-1, 1, 4, -8, 256))
    return _overwritten(data, at, struct.pack(form, value % 2**32))


@_bytes
def copied_over(data: bytes, rng: random.Random) -> bytes:
    start, end = _range(data, rng)
    return _overwritten(data, _place(data, rng), data[start:end])


@_bytes
def letters_swapped(data: bytes, rng: random.Random) -> bytes:
    return re.sub(rb"[A-Za-z]", lambda m: m[0].swapcase(), data, count=rng.randrange(1, 30))


@_bytes
def another_magic(data: bytes, rng: random.Random) -> bytes:
    marks = (
        b"PAR1",
        b"PK\3\4",
        b"\x1f\x8b\x08",
        b"SQLite format 3\0",
        b"ARROW1\0\0",
        b"Obj\1",
        b"%PDF-1.7\n",
        b"\x89PNG\r\n\x1a\n",
    )
    more = (
        b"GIF89a",
        b"ID3",
        b"\xff\xd8\xff",
        b"RIFF",
        b"{",
        b"[",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"BZh9",
        b"\xff\xff\xff\xff",
    )
    mark = rng.choice(marks + more)
    return _overwritten(data, 0, mark) if rng.random() < 0.5 else mark + data


# Doubled and moved


@_bytes
def double_block(data: bytes, rng: random.Random) -> bytes:
    start, end = _range(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 2, 9)) + data[end:]


@_bytes
def double_file(data: bytes, rng: random.Random) -> bytes:
    return data + rng.choice((b"", b"\n", b"\0", bytes(512))) + data


@_bytes
def swap_blocks(data: bytes, rng: random.Random) -> bytes:
    size = rng.choice((4, 16, 64, 512, 4096))
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    if len(blocks) > 1:
        i, j = rng.randrange(len(blocks)), rng.randrange(len(blocks))
        blocks[i], blocks[j] = blocks[j], blocks[i]
    return b"".join(blocks)


@_bytes
def rotate(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    return data[at:] + data[:at]


@_bytes
def shuffle_lines(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data)
    rng.shuffle(lines)
    return b"".join(lines)


@_bytes
def double_lines(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data) or [b""]
    at = rng.randrange(len(lines))
    # Hundreds of long lines are a large file, whose time says nothing about damage.
    times = min(rng.choice((2, 3, 300)), max(2, _MOST_DOUBLED // max(1, len(lines[at]))))
    return b"".join(lines[:at] + [lines[at]] * times + lines[at:])


@_bytes
def drop_lines(data: bytes, rng: random.Random) -> bytes:
    return b"".join(line for line in _lines(data) if rng.random() < 0.8)


@_bytes
def no_first_line(data: bytes, rng: random.Random) -> bytes:
    return b"".join(_lines(data)[rng.choice((1, 1, 2)) :])


@_bytes
def empty_lines(data: bytes, rng: random.Random) -> bytes:
    return b"".join(line + b"\n" * (rng.random() < 0.3) for line in _lines(data))


# Joined with others


@_bytes
def another_file_behind(data: bytes, rng: random.Random) -> bytes:
    return data + rng.choice((b"", b"\n", bytes(100))) + _other(rng)


@_bytes
def another_file_before(data: bytes, rng: random.Random) -> bytes:
    return _other(rng) + rng.choice((b"", b"\n", bytes(100))) + data


@_bytes
def another_file_between(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    return data[:at] + _other(rng) + data[at:]


@_bytes
def interleaved(data: bytes, rng: random.Random) -> bytes:
    other, step = _other(rng), rng.choice((64, 512, 1000))
    return b"".join(data[at : at + step] + other[at : at + step] for at in range(0, max(len(data), len(other)), step))


@_bytes
def needle_behind(data: bytes, rng: random.Random) -> bytes:
    return data + rng.choice((b"\n", b"", bytes(16), bytes(1024))) + _needle(rng) + rng.choice((b"\n", b"", bytes(600)))


@_bytes
def needle_before(data: bytes, rng: random.Random) -> bytes:
    return _needle(rng) + rng.choice((b"\n", b"", bytes(8))) + data


@_bytes
def needle_between_copies(data: bytes, rng: random.Random) -> bytes:
    return data + rng.choice((b"\n", b"")) + _needle(rng) + b"\n" + data


@_bytes
def needle_line(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data)
    at = rng.randrange(len(lines) + 1)
    return (
        b"".join(lines[:at])
        + rng.choice((b"", b"#", b'"', b",,,", b";", b"\t"))
        + _needle(rng)
        + b"\n"
        + b"".join(lines[at:])
    )


@_bytes
def picture_before(data: bytes, rng: random.Random) -> bytes:
    gif = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
    chunk = b"IHDR" + struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return (
        rng.choice((gif, png, b"%PDF-1.4\n1 0 obj\n", b"BM" + struct.pack("<I", len(data)), b"#!/bin/sh\nexit 0\n"))
        + data
    )


# Packed


def _wrapped(file: File, rng: random.Random) -> File:
    data, name = file
    how = rng.randrange(7)
    if how == 0:
        return File(gzip.compress(data, mtime=0), name + ".gz")
    if how == 1:
        return File(bz2.compress(data), name + ".bz2")
    if how == 2:
        return File(lzma.compress(data), name + ".xz")
    if how == 3:
        return File(corpus.zstd_compress(data), name + ".zst")
    if how == 4:
        return File(corpus.zipped({name: data, "note.txt": b"nothing here\n"}), name + ".zip")
    if how == 5:
        return File(corpus.tarred({name: data, "note.txt": b"nothing here\n"}), name + ".tar")
    halves = (gzip.compress(data[: len(data) // 2], mtime=0), gzip.compress(data[len(data) // 2 :], mtime=0))
    return File(b"".join(halves), name + ".gz")


@_file
def wrap(file: File, rng: random.Random) -> File:
    return _wrapped(file, rng)


@_file
def wrap_twice(file: File, rng: random.Random) -> File:
    return _wrapped(_wrapped(file, rng), rng)


@_file
def wrap_five_times(file: File, rng: random.Random) -> File:
    for _ in range(5):
        file = _wrapped(file, rng)
    return file


@_file
def wrap_and_cut(file: File, rng: random.Random) -> File:
    data, name = _wrapped(file, rng)
    return File(data[: -rng.choice((1, 4, 8, 20, max(1, len(data) // 2)))], name)


@_file
def wrap_and_damage(file: File, rng: random.Random) -> File:
    wrapped = _wrapped(file, rng)
    return wrapped._replace(data=flip_a_bit(wrapped.data, rng))


@_file
def wrap_and_add(file: File, rng: random.Random) -> File:
    data, name = _wrapped(file, rng)
    return File(data + rng.choice((b"\0" * 50, b"x", b"\n" + _needle(rng) + b"\n", rng.randbytes(30), data)), name)


@_file
def wrap_under_another_name(file: File, rng: random.Random) -> File:
    data, _ = _wrapped(file, rng)
    return File(data, file.name)


# Written otherwise

_ENCODINGS: Final = (
    "utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-8-sig cp037 cp500 utf-7 cp1252 cp1251 shift_jis".split()
)


def _recoded(data: bytes, encoding: str) -> bytes:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.encode(encoding, "replace")


@_bytes
def recode(data: bytes, rng: random.Random) -> bytes:
    return _recoded(data, rng.choice(_ENCODINGS))


@_bytes
def recode_the_rest(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data)
    at = rng.randrange(len(lines) + 1)
    return b"".join(lines[:at]) + _recoded(b"".join(lines[at:]), rng.choice(_ENCODINGS))


@_bytes
def recode_twice(data: bytes, rng: random.Random) -> bytes:
    return _recoded(data.decode("cp1252", "replace").encode(), rng.choice(_ENCODINGS))


@_bytes
def line_ends(data: bytes, rng: random.Random) -> bytes:
    end = rng.choice(
        (b"\r\n", b"\r", b"\n\r", b"\r\r\n", b"\x0b", b"\x0c", "\u2028".encode(), "\x85".encode(), b"\x1e", b" ")
    )
    return data.replace(b"\r\n", b"\n").replace(b"\n", end)


@_bytes
def mixed_line_ends(data: bytes, rng: random.Random) -> bytes:
    return b"".join(line.rstrip(b"\r\n") + rng.choice((b"\n", b"\r\n", b"\r")) for line in _lines(data))


@_bytes
def byte_order_mark(data: bytes, rng: random.Random) -> bytes:
    mark = rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\xef\xbb\xbf\xef\xbb\xbf"))
    at = 0 if rng.random() < 0.6 else _place(data, rng)
    return data[:at] + mark + data[at:]


def _inserted(data: bytes, rng: random.Random, texts: tuple[bytes, ...], most: int = 5) -> bytes:
    for _ in range(rng.randrange(1, most)):
        at = _place(data, rng)
        data = data[:at] + rng.choice(texts) + data[at:]
    return data


@_bytes
def nul_bytes(data: bytes, rng: random.Random) -> bytes:
    return _inserted(data, rng, (b"\0", b"\0" * 8, b"\0" * 5000))


@_bytes
def stray_bytes(data: bytes, rng: random.Random) -> bytes:
    return _inserted(
        data,
        rng,
        (b"\xff", b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x81", b"\x9d", rng.randbytes(20)),
    )


@_bytes
def odd_characters(data: bytes, rng: random.Random) -> bytes:
    odd = "\u200b \u202e \u0301 \ufeff \u00a0 \U0001f600 \uffff \x1b[31m \x1a \x7f \u2028 \x85 \u3000 İ".split(" ")
    return _inserted(data, rng, tuple(c.encode() for c in odd))


@_bytes
def quotes(data: bytes, rng: random.Random) -> bytes:
    return _inserted(data, rng, (b'"', b"'", b'""', b'"\n', b'\n"', b',"', b"\\", b'\\"', b"`"))


@_bytes
def delimiters(data: bytes, rng: random.Random) -> bytes:
    return _inserted(data, rng, (b",", b";", b"\t", b"|", b",,,,,,,,", b":", b" ", b"\x1f", b"\x1e", b"," * 3000))


@_bytes
def brackets(data: bytes, rng: random.Random) -> bytes:
    return _inserted(data, rng, (b"{", b"}", b"[", b"]", b"[[", b"{}", b"null", b"NaN", b"1e999", b"[" * 2000))


@_bytes
def open_quote_at_a_line(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data) or [b""]
    at = rng.randrange(len(lines))
    lines[at] = b'"' + lines[at]
    return b"".join(lines)


@_bytes
def long_line(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    return (
        data[:at] + rng.choice((b"x", b" ", b"ab ", b",", b'"', b"0")) * rng.choice((5000, 70_000, 300_000)) + data[at:]
    )


@_bytes
def in_one_line(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\r", b"").replace(b"\n", rng.choice((b" ", b",", b"; ")))


@_bytes
def commented(data: bytes, rng: random.Random) -> bytes:
    mark = rng.choice((b"# ", b"// ", b"-- ", b"; ", b"> "))
    return b"".join((mark if rng.random() < 0.4 else b"") + line for line in _lines(data))


@_bytes
def indented(data: bytes, rng: random.Random) -> bytes:
    return b"".join(rng.choice((b"", b" ", b"\t", b"    ")) + line for line in _lines(data))


@_bytes
def many_lines_before(data: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"x,1,y\n", b"\n", b"a line of text\n", b"{}\n", b"1\n")) * rng.choice((50, 3000, 40_000)) + data


# Other names


@_file
def another_ending(file: File, rng: random.Random) -> File:
    endings = (
        "csv tsv txt log json jsonl parquet arrow arrows avro xlsx xls ods sqlite duckdb "
        "gz bz2 xz zst zip tar pdf png docx bin html md"
    )
    return file._replace(name="a." + rng.choice(endings.split()))


@_file
def no_ending(file: File, rng: random.Random) -> File:
    return file._replace(name="data")


@_file
def odd_name(file: File, rng: random.Random) -> File:
    stems = (
        "-x",
        "a b",
        "ä",
        "a!b",
        "a::b",
        "%20",
        "a\nb",
        "[x]",
        "*",
        "x" * 200,
        "con",
        ".hidden",
        "a.tar",
        "\u202ea",
        "日本",
    )
    return file._replace(name=rng.choice(stems) + "." + file.name.rpartition(".")[2])
