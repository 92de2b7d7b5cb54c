"""What kind of content bytes are: by magic numbers and structure first, by the ending of the name only where those are silent."""

from __future__ import annotations

import re
import zipfile
from pathlib import PurePosixPath

from piiscan.io.content import Content
from piiscan.io.logs import kind_of_log

COMPRESSIONS = ("gzip", "bzip2", "xz", "zstd")
"""Kinds that hold one file."""

# First bytes → kind. Kinds that end in "!" hold data that isn't read; "skip" holds none.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "parquet"),
    (b"PARE", "parquet"),
    (b"ARROW1", "arrow"),
    (b"FEA1", "a Feather version 1 file; write it as Feather version 2 or Parquet!"),
    (b"Obj\x01", "avro"),
    (b"SQLite format 3\0", "sqlite"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer without its content; run git lfs pull!"),
    (b"%PDF-", "a PDF document; convert it to text first!"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it first!"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it first!"),
    (b"\x04\x22\x4d\x18", "an LZ4 file; unpack it first!"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file; export its tables as Parquet or CSV!"),
    (b"\x93NUMPY", "a NumPy file; export it as CSV!"),
    (b"ORC", "an ORC file; convert it to Parquet!"),
    (b"$FL2", "an SPSS file; export it as CSV!"),
    (b"$FL3", "an SPSS file; export it as CSV!"),
    (b"<stata_dta>", "a Stata file; export it as CSV!"),
    (b"RDX", "an R data file; export it as CSV!"),
    (b"!BDN", "an Outlook mail store; export it as text!"),
    (b"\x00\x01\x00\x00Standard ", "an Access database; export its tables as CSV!"),
    (b"\x89PNG", "skip"),
    (b"\xff\xd8\xff", "skip"),
    (b"GIF8", "skip"),
    (b"II*\0", "skip"),
    (b"MM\0*", "skip"),
    (b"\x7fELF", "skip"),
    (b"\xca\xfe\xba\xbe", "skip"),
    (b"\xcf\xfa\xed\xfe", "skip"),
    (b"\0asm", "skip"),
    (b"wOFF", "skip"),
    (b"wOF2", "skip"),
    (b"OTTO", "skip"),
    (b"\0\1\0\0\0", "skip"),
    (b"OggS", "skip"),
    (b"ID3", "skip"),
    (b"fLaC", "skip"),
    (b"\0\0\1\0", "skip"),
)

# Endings whose content holds data in a form that isn't read.
_UNREAD = {
    **dict.fromkeys(("doc", "docx", "docm", "dot", "dotx", "odt", "pages", "ppt", "pptx", "odp", "key", "epub", "one", "vsdx"), "a document; save it as plain text first"),
    **dict.fromkeys(("msg", "pst", "ost"), "mail in a binary form; export it as text"),
    **dict.fromkeys(("sav", "zsav", "por", "dta", "sas7bdat", "xpt", "rds", "rda", "rdata", "mat", "h5", "hdf5", "orc", "npy", "pkl", "pickle", "joblib"), "a data file of another program; export it as CSV or Parquet"),
    **dict.fromkeys(("mdb", "accdb", "dbf", "fdb", "numbers", "bson", "mdf", "ibd", "frm", "dmp", "kdbx"), "a database or data file of another program; export its tables as CSV"),
    **dict.fromkeys(("rar", "7z", "lz4", "lzo", "br", "z", "cab", "arj", "lzh", "sz", "iso", "dmg"), "an archive of a kind that isn't read; unpack it first"),
    **dict.fromkeys(("gpg", "pgp", "age", "aes", "enc", "p7m"), "encrypted; decrypt it first"),
}  # fmt: skip

# Endings that promise data: a binary under one of them can't be passed over as an image would.
_READ = frozenset(
    "csv tsv tab psv txt log json jsonl ndjson parquet pq arrow arrows feather ipc avro xlsx xlsm xlsb xls ods sqlite sqlite3 db db3 duckdb ddb gz bz2 xz zst zip tar tgz tbz2 txz dat data".split()
)
# Text that is no table, whatever commas it has.
_PROSE = frozenset(
    "md rst tex rtf html htm xml xhtml svg yaml yml toml ini cfg conf properties env eml mbox vcf ics srt log py pyi js ts jsx tsx css scss java kt c h cc cpp"
    " hpp cs go rs rb php pl sh bash zsh ps1 bat sql r jl lua swift scala m tf lock gitignore dockerfile makefile cmake ipynb".split()
)  # fmt: skip
_ANNEX = re.compile(rb"/?annex/objects/|(?:\.\./)*\.git/annex/objects/")


def ending(source: str, compression: str = "") -> str:
    """The last ending of a name, lower case, without the dot; below a compression's own."""
    name = PurePosixPath(source.rsplit("!", 1)[-1]).name.lower()
    if compression:
        name = name.rpartition(".")[0] or name
    return name.rpartition(".")[2] if "." in name else ""


def kind_of(content: Content, head: bytes) -> str | None:
    """The kind of a binary content, None for what may be text. "…!" is a reason why it isn't read; "skip": no data."""
    suffix = ending(content.source, content.compression)
    if not head:
        return "empty"
    if (log := kind_of_log(content.source, content.path, head)) is not None:
        return log
    found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
    if found == "ole":
        return _ole(content, suffix)
    if found == "zip":
        return _zip(content)
    if found is not None:
        return found
    if head[8:12] == b"DUCK":
        return "duckdb"
    if head[257:262] == b"ustar" or (suffix == "tar" and _old_tar(head)):
        return "tar"
    if head.startswith((b"\xff\xff\xff\xff", b"\x10\0\0\0")) and suffix not in ("parquet", "pq") and head[4:8] != b"\0\0\0\0":
        return "arrow stream"
    if head.startswith(b"\x5d\0\0") and suffix == "lzma":
        return "xz"
    if head[4:8] == b"ftyp" or head[:4] == b"RIFF" or (head[:2] in (b"MZ", b"BM") and b"\0" in head[:64]):
        return "skip"
    if len(head) < 32_000 and _ANNEX.match(head):
        return "a git-annex pointer without its content; run git annex get!"
    return None


def unread(source: str, compression: str = "") -> str | None:
    """Why binary content under this name isn't read, None where the name doesn't promise data."""
    suffix = ending(source, compression)
    if suffix in _UNREAD:
        return _UNREAD[suffix]
    if suffix in _READ:
        return f"not what its ending .{suffix} says, or damaged, or encrypted; its content is of no kind that is read"
    return None


def is_prose(source: str, compression: str) -> bool:
    """Whether the name says that a text is lines rather than a table."""
    return ending(source, compression) in _PROSE


def is_table(source: str, compression: str) -> bool:
    """Whether the name says that a text is a table."""
    return ending(source, compression) in ("csv", "tsv", "tab", "psv")


def _old_tar(head: bytes) -> bool:
    """A tar header without a magic number: its checksum holds."""
    try:
        return int(head[148:156].strip(b"\0 ") or b"x", 8) == sum(head[:148]) + 256 + sum(head[156:512])
    except ValueError:
        return False


def _ole(content: Content, suffix: str) -> str:
    with content.open() as stream:
        data = stream.read(1 << 26)
    names = [
        name for name in ("EncryptedPackage", "WordDocument", "PowerPoint Document", "Workbook", "Book") if name.encode("utf-16-le") in data
    ]
    if "EncryptedPackage" in names:
        return "encrypted workbook or document; save it without a password!"
    if "Workbook" in names or "Book" in names:
        return "excel"
    return _UNREAD.get(suffix, "a document of an old Office program; save it in a newer format or as text") + "!"


def _zip(content: Content) -> str:
    """A plain archive, or what an office program or a program package made of one."""
    try:
        with content.open() as file, zipfile.ZipFile(file) as archive:
            names = set(archive.namelist()[:2000])
            mime = archive.read("mimetype")[:200] if "mimetype" in names and archive.getinfo("mimetype").file_size < 1000 else b""
    except Exception:
        return "zip"
    if {"xl/workbook.xml", "xl/workbook.bin"} & names or b"opendocument.spreadsheet" in mime:
        return "excel"
    if (
        mime
        or {"word/document.xml", "ppt/presentation.xml"} & names
        or any(name.startswith("Index/") and name.endswith(".iwa") for name in names)
    ):
        return "a document; save it as plain text first!"
    return "zip"
