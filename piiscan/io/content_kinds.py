"""Determines the kind of a content by its whole structure; what has no other structure is text.

The ending of a name decides only where both are silent.
"""

from __future__ import annotations

import codecs
import errno
import re
import zipfile
import zlib
from collections.abc import Callable, Set
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from piiscan.io.content import Content
from piiscan.io.encodings.survey import looks_like_text
from piiscan.io.no_data import no_data
from piiscan.io.reader_registry import READ_ENDINGS, Probe, recognised
from piiscan.io.write_ahead_logs import READ, kind_of_log


class Kind(NamedTuple):
    """What a content is, other than text.

    `name` is the kind of what is `read` or holds `no data`, and for data in a form that is `unread` why, and what to
    do.
    """

    name: str
    use: Literal["read", "unread", "no data"] = "read"


Test = Callable[[Probe], bool]


def _starts(*heads: bytes) -> Test:
    return lambda probe: probe.head.startswith(heads)


def _matches(pattern: bytes) -> Test:
    compiled = re.compile(pattern, re.DOTALL)
    return lambda probe: compiled.match(probe.head) is not None


def _framed(mark: bytes, *suffixes: str) -> Test:
    """A test for the same mark at both ends, or at the first one where the content can't be text.

    A mark at the first end also counts where the name has the format's ending; the reader then reports what is missing.
    """

    def is_framed(probe: Probe) -> bool:
        if not probe.head.startswith(mark):
            return False
        return (probe.tail.endswith(mark) and probe.size > len(mark)) or not probe.is_plain or probe.suffix in suffixes

    return is_framed


def _not_plain(head: bytes) -> Test:
    return lambda probe: probe.head.startswith(head) and not probe.is_plain


def _pdf(probe: Probe) -> bool:
    if re.match(rb"%PDF-\d\.\d\s", probe.head) is None:
        return False
    return probe.suffix == "pdf" or b" obj" in probe.head or b"%%EOF" in probe.tail


def _zlib(probe: Probe) -> bool:
    """A header whose check holds, before what can be unpacked."""
    head = probe.head
    if len(head) < 8 or head[0] != 0x78 or int.from_bytes(head[:2], "big") % 31:
        return False
    try:
        unpacker = zlib.decompressobj()
        return len(unpacker.decompress(head[: 1 << 16], 64)) == 64 or unpacker.eof
    except zlib.error:
        return False


def _tar(probe: Probe) -> bool:
    return (probe.head[257:262] == b"ustar" and not probe.is_plain) or is_tar_header(probe.head[:512])


def _arrow_stream(probe: Probe) -> bool:
    head = probe.head
    return (
        head.startswith((b"\xff\xff\xff\xff", b"\x10\0\0\0"))
        and head[4:8] != bytes(4)
        and probe.suffix not in ("parquet", "pq")
    )


_READ: tuple[tuple[Test, str], ...] = (
    (_framed(b"PAR1", "parquet", "pq"), "parquet"),
    (_framed(b"PARE"), "parquet"),
    (_starts(b"ARROW1\0\0"), "arrow"),
    (_framed(b"ARROW1", "arrow", "feather", "ipc"), "arrow"),
    (_starts(b"Obj\x01"), "avro"),
    (_starts(b"SQLite format 3\0"), "sqlite"),
    (lambda probe: probe.head[8:12] == b"DUCK" and int.from_bytes(probe.head[12:20], "little") < 1000, "duckdb"),
    (_not_plain(b"PGDMP"), "pg_dump"),
    (_starts(b"\x1f\x8b"), "gzip"),
    (_matches(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), "bzip2"),
    (
        lambda probe: probe.head.startswith(b"\xfd7zXZ\0" if probe.suffix != "lzma" else (b"\xfd7zXZ\0", b"\x5d\0\0")),
        "xz",
    ),
    (_matches(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), "zstd"),
    (_starts(b"PK\x03\x04", b"PK\x05\x06"), "zip"),
    (_tar, "tar"),
    (_arrow_stream, "arrow stream"),
    (_pdf, "pdf"),
)
# Data in a form that isn't read, and what to do about it.
_UNREAD: tuple[tuple[Test, str], ...] = (
    (_framed(b"FEA1"), "a Feather version 1 file; write it as Feather version 2 or Parquet"),
    (
        _matches(rb"version https://git-lfs\.github\.com/spec/"),
        "a Git LFS pointer without its content; run git lfs pull",
    ),
    (_starts(b"7z\xbc\xaf\x27\x1c"), "a 7-Zip archive; unpack it first"),
    (_starts(b"Rar!\x1a\x07"), "a RAR archive; unpack it first"),
    (_starts(b"\x04\x22\x4d\x18", b"\x02\x21\x4c\x18"), "an LZ4 file; unpack it first"),
    (_starts(b"\xff\x06\0\0sNaPpY"), "a Snappy file; unpack it first"),
    (_starts(b"\x89LZO\0\r\n\x1a\n"), "an LZO file; unpack it first"),
    (_starts(b"\x1f\x9d", b"\x1f\xa0"), "a file packed by compress; unpack it first"),
    (_not_plain(b"LZIP"), "an lzip file; unpack it first"),
    (_not_plain(b"MSCF"), "a cabinet archive; unpack it first"),
    (_starts(b"!<arch>\ndebian-binary"), "a Debian package; unpack it first"),
    (_starts(b"\xed\xab\xee\xdb"), "an RPM package; unpack it first"),
    (_zlib, "zlib data; unpack it first"),
    (_starts(b"\x89HDF\r\n\x1a\n"), "an HDF5 file; export its tables as Parquet or CSV"),
    (_starts(b"\x93NUMPY"), "a NumPy file; export it as CSV"),
    (
        lambda probe: probe.head.startswith(b"ORC") and (probe.tail[-4:-1] == b"ORC" or not probe.is_plain),
        "an ORC file; convert it to Parquet",
    ),
    (_matches(rb"\$FL[23]@\(#\)"), "an SPSS file; export it as CSV"),
    (_not_plain(b"$FL"), "an SPSS file; export it as CSV"),
    (_starts(b"<stata_dta><header>"), "a Stata file; export it as CSV"),
    (_matches(rb"RDX[23]\n[XAB]\n"), "an R data file; export it as CSV"),
    (_not_plain(b"MATLAB 5.0 MAT-file"), "a MATLAB file; export it as CSV"),
    (_matches(rb"\x80[\x02-\x05][\x95}\](cX]"), "a Python pickle; export it as CSV or Parquet"),
    (_not_plain(b"!BDN"), "an Outlook mail store; export it as text"),
    (_starts(b"\x00\x01\x00\x00Standard "), "an Access database; export its tables as CSV"),
    (_not_plain(b"TAPE"), "a backup of a database server; restore it and export its tables as CSV"),
    (_not_plain(b"MSSQLBAK"), "a backup of a database server; restore it and export its tables as CSV"),
    (_not_plain(b"Salted__"), "encrypted; decrypt it first"),
    (_starts(b"\x03\xd9\xa2\x9a"), "a KeePass database; export it as CSV"),
    (_starts(b"ElfFile\0"), "a Windows event log; export it as text"),
    (_starts(b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\n\r\r\n"), "captured network traffic; export it as text"),
    (
        lambda probe: (
            re.match(rb"(?:/?annex/objects/|(?:\.\./)*\.git/annex/objects/)", probe.head) is not None
            and probe.size < 32_000
        ),
        "a git-annex pointer without its content; run git annex get",
    ),
)

# Endings whose content holds data in a form that isn't read.
_UNREAD_ENDINGS = {
    **dict.fromkeys(
        ("doc", "dot", "ppt", "pps", "pot"),
        "a document in the binary form of an old Office program; save it as .docx or .pptx, or as plain text",
    ),
    **dict.fromkeys(("pages", "key", "epub", "one", "vsdx"), "a document; save it as plain text first"),
    **dict.fromkeys(("msg", "pst", "ost"), "mail in a binary form; export it as text"),
    **dict.fromkeys(
        (
            "sav",
            "zsav",
            "por",
            "dta",
            "sas7bdat",
            "xpt",
            "rds",
            "rda",
            "rdata",
            "mat",
            "h5",
            "hdf5",
            "orc",
            "npy",
            "pkl",
            "pickle",
            "joblib",
        ),
        "a data file of another program; export it as CSV or Parquet",
    ),
    **dict.fromkeys(
        ("mdb", "accdb", "dbf", "fdb", "numbers", "bson", "mdf", "ibd", "frm", "dmp", "bak", "kdbx"),
        "a database or data file of another program; export its tables as CSV",
    ),
    **dict.fromkeys(
        ("rar", "7z", "lz4", "lzo", "br", "z", "cab", "arj", "lzh", "sz", "snappy", "iso", "dmg"),
        "an archive of a kind that isn't read; unpack it first",
    ),
    **dict.fromkeys(("gpg", "pgp", "age", "aes", "enc", "p7m"), "encrypted; decrypt it first"),
}

_OPEN_DOCUMENT = re.compile(rb"\s*application/vnd\.oasis\.opendocument\.(?:text|presentation|graphics)\b")
"""What the first member of a document says that it is."""

# Text that is no table, whatever commas it has.
_PROSE = frozenset(
    "md rst tex rtf html htm xml xhtml svg yaml yml toml ini cfg conf properties env eml mbox vcf ics srt log "
    "py pyi js ts jsx tsx css scss java kt c h cc cpp"
    " hpp cs go rs rb php pl sh bash zsh ps1 bat sql r jl lua swift scala m tf lock gitignore dockerfile "
    "makefile cmake ipynb".split()
)
_TAIL_BYTES = 1 << 17


_LOGS = {
    READ: Kind("log that is read with its database", "no data"),
    "skip": Kind("index of a database's log", "no data"),
}


@lru_cache(maxsize=16)
def ending(source: str, compression: str = "") -> str:
    """The last ending of a name, lower case, without the dot; below a compression's own."""
    name = PurePosixPath(source.rsplit("!", 1)[-1]).name.lower()
    if compression:
        name = name.rpartition(".")[0] or name
    return name.rpartition(".")[2] if "." in name else ""


def kind_of(content: Content, head: bytes) -> Kind | None:
    """The kind of a content that begins with `head`; None for what may be text.

    Plug-ins are asked where no reader of piiscan's own is for it. Raises `ReadError` where they don't agree.
    """
    if not head:
        return Kind("empty", "no data")
    if (log := kind_of_log(content.source, content.path, head)) is not None:
        return _LOGS.get(log) or Kind(log.removesuffix("!"), "unread")
    probe = Probe(head, _tail(content, head), content.size, ending(content.source, content.compression))
    kind = _built_in(content, probe)
    if kind is not None and kind.use == "read":
        return kind
    plugged = recognised(probe)
    return kind if plugged is None else Kind(plugged)


def _built_in(content: Content, probe: Probe) -> Kind | None:
    head = probe.head
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _ole(content, probe.suffix)
    kind = _by_structure(probe)
    if kind is not None and kind.name == "zip":
        return _zip(content)
    if kind is None and head.startswith(codecs.BOM_UTF8):
        rest = probe._replace(head=head[len(codecs.BOM_UTF8) :])
        if _by_structure(rest) is not None or not looks_like_text(rest.head):
            return Kind(
                "a UTF-8 byte order mark before content that isn't text; remove its first three bytes", "unread"
            )
    if (kind is None or kind.use == "no data") and b"\0" in head and _ends_as_zip(probe):
        return Kind("zip")  # behind a script or a program that unpacks it
    return kind


def _by_structure(probe: Probe) -> Kind | None:
    read = next((name for test, name in _READ if test(probe)), None)
    if read is not None:
        return Kind(read)
    unread = next((reason for test, reason in _UNREAD if test(probe)), None)
    if unread is not None:
        return Kind(unread, "unread")
    nothing = no_data(probe.head, probe.size)
    return None if nothing is None else Kind(nothing, "no data")


def _tail(content: Content, head: bytes) -> bytes:
    """The last bytes of a content that begins with `head`."""
    if len(head) == content.size:
        return head[-_TAIL_BYTES:]
    with content.open() as stream:
        stream.seek(max(0, content.size - _TAIL_BYTES))
        return stream.read(_TAIL_BYTES)


def _ends_as_zip(probe: Probe) -> bool:
    """Whether the record that ends a zip archive ends the content, with the directory that it speaks of."""
    at = probe.tail.rfind(b"PK\5\6")
    if at < 0 or len(probe.tail) - at < 22:
        return False
    comment, directory = (
        int.from_bytes(probe.tail[at + 20 : at + 22], "little"),
        int.from_bytes(probe.tail[at + 12 : at + 16], "little"),
    )
    return at + 22 + comment == len(probe.tail) and (
        directory > at or probe.tail[at - directory :][:4] in (b"PK\1\2", b"PK\5\6", b"PK\6\6")
    )


def unread(source: str, compression: str = "") -> str:
    """Why binary content of no known kind isn't read, and what to do."""
    suffix = ending(source, compression)
    if suffix in _UNREAD_ENDINGS:
        return _UNREAD_ENDINGS[suffix]
    if suffix in READ_ENDINGS:
        return f"not what its ending .{suffix} says, or damaged, or encrypted; its content is of no kind that is read"
    return "binary content of no kind that is known; export it as text, or exclude it if it holds no data"


def is_prose(source: str, compression: str) -> bool:
    """Whether the name says that a text is lines rather than a table."""
    return ending(source, compression) in _PROSE


def is_table(source: str, compression: str) -> bool:
    """Whether the name says that a text is a table."""
    return ending(source, compression) in ("csv", "tsv", "tab", "psv")


def is_tar_header(block: bytes) -> bool:
    """Whether the checksum of a tar header holds."""
    if len(block) < 512 or not block[148:156].strip(b"\0 "):
        return False
    try:
        return int(block[148:156].strip(b"\0 "), 8) == sum(block[:148]) + 256 + sum(block[156:512])
    except ValueError:
        return False


def _ole(content: Content, suffix: str) -> Kind:
    with content.open() as stream:
        data = stream.read(1 << 26)
    names = [
        name
        for name in ("EncryptedPackage", "WordDocument", "PowerPoint Document", "Workbook", "Book")
        if name.encode("utf-16-le") in data
    ]
    if "EncryptedPackage" in names:
        return Kind("encrypted workbook or document; save it without a password", "unread")
    if "Workbook" in names or "Book" in names:
        return Kind("excel")
    return Kind(
        _UNREAD_ENDINGS.get(suffix, "a document of an old Office program; save it in a newer format or as text"),
        "unread",
    )


def _is_office(names: Set[str]) -> bool:
    """Whether an archive holds what a document or slides in Office Open XML are made of."""
    if {"word/document.xml", "ppt/presentation.xml"} & names:
        return True
    return "[Content_Types].xml" in names and any(name.startswith(("word/", "ppt/")) for name in names)


def _zip(content: Content) -> Kind:
    """A plain archive, or what an office program or a program package made of one."""
    try:
        with content.open() as file, zipfile.ZipFile(file) as archive:
            names = set(archive.namelist()[:2000])
            mime = (
                archive.read("mimetype")[:200]
                if "mimetype" in names and archive.getinfo("mimetype").file_size < 1000
                else b""
            )
    except Exception as error:
        broken = error if isinstance(error, OSError) else error.__context__
        if isinstance(broken, OSError) and broken.errno != errno.EINVAL:  # of the disk, not of what stands there
            raise broken from None
        return Kind("zip")
    if {"xl/workbook.xml", "xl/workbook.bin"} & names or b"opendocument.spreadsheet" in mime:
        return Kind("excel")
    if _OPEN_DOCUMENT.match(mime) or _is_office(names):
        return Kind("office document")
    if mime or any(name.startswith("Index/") and name.endswith(".iwa") for name in names):
        return Kind("a document; save it as plain text first", "unread")
    return Kind("zip")
