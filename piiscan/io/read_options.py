"""How to read: what the user says about dialects, and the stated limits on hostile or huge input."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from piiscan.core.checkpoints import UNWATCHED, Checkpoints
from piiscan.core.errors import ReadError

if TYPE_CHECKING:
    from piiscan.rules.definitions import RuleSet

MIB = 1 << 20
GIB = 1 << 30
TOOL_FOLDERS = frozenset(
    (
        ".git",
        ".piiscan-cache",
        ".hg",
        ".svn",
        ".bzr",
        ".jj",
        ".tox",
        ".nox",
        ".venv",
        "__pycache__",
        "node_modules",
        ".mypy_cache",
        ".ruff_cache",
    )
    + (".pytest_cache", ".hypothesis", ".ipynb_checkpoints", ".idea")
)
"""Folders that version control and tools keep for themselves."""


class Limits(NamedTuple):
    """Above these an input counts as not scanned, and the reason says so.

    Sizes are bytes. What must fit into memory is bounded by `piiscan.core.shares`, too.

    Against zip bombs: `archive_bytes` a top-level archive (or compressed file) may unpack to in all, `archive_ratio`
    unpacked to packed bytes of one stream once it is past `ratio_from`, `archive_depth` archives within archives,
    `archive_members` files in all of a top-level archive. `json_bytes` bounds JSON documents, and `document_bytes`
    (unpacked) other formats that are one document, such as workbooks: they are held in memory.
    `sheet_cells`: rows times columns of a sheet, empty cells between filled ones too: a reader holds all of them.
    `line_chars`: longer lines of text are scanned in pieces of that length, with an overlap.
    """

    archive_bytes: int = 64 * GIB
    archive_ratio: int = 1000
    ratio_from: int = 64 * MIB
    archive_depth: int = 4
    archive_members: int = 100_000
    sheet_cells: int = 8_000_000
    json_bytes: int = 128 * MIB
    document_bytes: int = 512 * MIB
    line_chars: int = MIB
    columns: int = 20_000


class Budget:
    """What is left of the limits for one top-level input, all its archives together."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.size = 0
        self.members = 0

    def take(self, count: int, unpacked: int, packed: int) -> None:
        self.size += count
        if self.size > self.limits.archive_bytes:
            raise ReadError(
                f"unpacks to more than {self.limits.archive_bytes // MIB} MiB; unpack it yourself if it can be trusted"
            )
        if unpacked > self.limits.ratio_from and unpacked > packed * self.limits.archive_ratio:
            raise ReadError(
                f"unpacks to more than {self.limits.archive_ratio} times its size, as a zip bomb does; unpack "
                "it yourself if it can be trusted"
            )

    def member(self) -> None:
        self.members += 1
        if self.members > self.limits.archive_members:
            raise ReadError(f"more than {self.limits.archive_members} files in an archive; unpack it first")


class PathOptions(NamedTuple):
    """What the configuration says of the files that match a glob; None leaves a matter to inference.

    `lines`: they are texts, whatever they look like. `name`: of the file that tells by its ending what they are, where
    it isn't their own. `headless`: the sheets of a workbook that have no header.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    lines: bool = False
    name: str | None = None
    headless: tuple[str, ...] = ()


class ReadOptions(NamedTuple):
    """`header`: True, False or None to infer.

    `rows` stops after that many rows of each table. `per_path` maps globs over the report's `source` to overrides,
    later ones win. `ignore`: patterns as in .gitignore, relative to each folder that is scanned; `ignore_files`: the
    names of files with such patterns; `exclude`: patterns over absolute paths, which win over both; `own`: files of
    piiscan's own, which aren't data, by their absolute paths, and what they are. `pass_over`: the names of folders that
    aren't entered. `asides`: texts beside the rows of tables are tables too (`piiscan.io.asides`). `code`: source code
    is looked at, which is passed over otherwise. `lines`: a text is read as lines, even if it looks like a table or is
    blank. `name`: of a file that tells by its ending what a text is, where it isn't the text's own. `batch_rows`: rows
    in memory at once. `rules`: those that, besides the shipped ones, say which names identify somebody. `checkpoints`:
    who keeps what has been read, and which inputs not to open. `headless`: sheets of a workbook without a header.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    limits: Limits = Limits()
    rows: int | None = None
    per_path: tuple[tuple[str, PathOptions], ...] = ()
    ignore: tuple[str, ...] = ()
    ignore_files: tuple[str, ...] = (".gitignore", ".piiscanignore")
    exclude: tuple[str, ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    pass_over: frozenset[str] = TOOL_FOLDERS
    code: bool = False
    batch_rows: int = 131_072
    rules: RuleSet | None = None
    asides: bool = True
    lines: bool = False
    name: str | None = None
    headless: tuple[str, ...] = ()
    checkpoints: Checkpoints = UNWATCHED

    def for_source(self, source: str) -> ReadOptions:
        """These options with the overrides that `per_path` has for `source`."""
        options = self
        for pattern, override in self.per_path:
            if fnmatchcase(source, pattern):
                options = options._replace(
                    delimiter=options.delimiter if override.delimiter is None else override.delimiter,
                    encoding=options.encoding if override.encoding is None else override.encoding,
                    header=options.header if override.header is None else override.header,
                    lines=options.lines or override.lines,
                    name=options.name if override.name is None else override.name,
                    headless=options.headless or override.headless,
                )
        return options

    def as_sources(self, sources: Mapping[str, str], readings: Mapping[str, PathOptions] = {}) -> ReadOptions:
        """These options for copies, each read as its original would be: `sources` by those of their copies.

        A header that is asked for stays. `readings`: how the originals were read, by their copies; options win.
        """
        overrides: list[tuple[str, PathOptions]] = []
        for copy, source in sources.items():
            own, read = self.for_source(source), readings.get(copy, PathOptions())
            header = own.header if self.header is None else self.header
            options = PathOptions(
                read.delimiter if own.delimiter is None else own.delimiter,
                own.encoding,
                read.header if header is None else header,
                read.lines,
                source,
                read.headless,
            )
            overrides.append((glob.escape(copy), options))
        return self._replace(per_path=tuple(overrides))
