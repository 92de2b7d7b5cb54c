"""Find where each table's rows are in a dump, and what is declared of it: one pass, nothing else is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.dumps.comments import Comment, comments
from piiscan.io.dumps.dialects import Dialect
from piiscan.io.dumps.insert_rows import width_of
from piiscan.io.dumps.schema import Schema, Table, names_of
from piiscan.io.dumps.statements import Kind, NotCut, Part, Source, parts
from piiscan.io.dumps.statistics import is_statistics

_MOST: Final = 200_000
"""Parts of a dump that are kept track of."""
_SEQUENCES: Final = ("name", "seq")
_LONGEST: Final = 1 << 22
"""A longer statement declares no table."""
Key = tuple[str, ...]


class Run(NamedTuple):
    """Rows of a table, from byte `start` to `end`.

    `words`: the text between the last row of a statement and the first of the next.
    """

    kind: Kind
    start: int
    end: int
    words: bytes = b""


@dataclass
class Rows:
    """Where the rows of a table are.

    `columns`: as the statements that fill it name them, None if none does. `width`: how many cells they have.
    """

    key: Key
    columns: tuple[str, ...] | None
    width: int
    runs: list[Run] = field(default_factory=list)
    is_cut: bool = False


@dataclass
class Survey:
    """What a dump contains, and where.

    `texts`: where everything but rows is, `comments`: which of these are comments, and `statistics`: which are
    statistics of columns. `left`: where there is half a row or statement.
    """

    schema: Schema
    rows: dict[Key, Rows] = field(default_factory=dict)
    texts: list[tuple[int, int]] = field(default_factory=list)
    left: list[tuple[int, int]] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    statistics: list[tuple[int, int]] = field(default_factory=list)
    order: dict[Key, None] = field(default_factory=dict)

    @property
    def dialect(self) -> Dialect:
        return self.schema.dialect

    def table(self, key: Key) -> Table:
        """Return what is declared of a table; nothing if it isn't declared."""
        return self.schema.columns_of(key) or Table(key)

    def name(self, key: Key) -> str:
        """Return a table's name: with its database if there are several, with its schema unless it is the usual one."""
        database, schema, name = key
        several = len({k[0] for k in self.order}) > 1
        shown = [database] if several and database else []
        return ".".join([*shown, *([schema] if schema not in ("", "public") else []), name])


def survey(source: Source, dialect: Dialect, at: int = 0) -> Survey:
    """Return what a dump contains, reading from byte `at`; those before it are text. Raises `NotCut`."""
    seen = Surveyor(dialect)
    if at:
        seen.survey.texts.append((0, at))
    try:
        for part in parts(source, dialect, at):
            seen.see(part)
    except ReadError:
        raise NotCut("rows that aren't written as dumps write them") from None
    return seen.survey


class Surveyor:
    """Takes note of parts, one after the other."""

    def __init__(self, dialect: Dialect) -> None:
        self.survey = Survey(Schema(dialect))
        self._count = 0

    def see(self, part: Part) -> Rows | None:
        """Return the rows that the part belongs to, if it does. Raises `NotCut`."""
        schema, before = self.survey.schema, self.survey.schema.dialect
        if part.kind == "text":
            self._text(part)
            data = part.data
            if part.statement is not None and is_statistics(data, part.statement):
                self.survey.statistics.append((part.at + part.statement, part.end))
                part = part.before_statement()
                data = part.data
            if len(data) < _LONGEST:
                at = len(data) if part.statement is None else part.statement
                for one in comments(data, at, schema.dialect):
                    self.survey.comments.append(Comment(part.at + one.start, part.at + one.end, one.form))
            if part.statement is not None and len(data) < _LONGEST and part.header is None:
                schema.see(data[part.statement :].decode("utf-8", "replace"))
                self.survey.order.update(dict.fromkeys(schema.tables))
                if schema.dialect != before:
                    raise Escapes(schema.dialect)
            return None
        self._count += 1
        if self._count > _MOST:
            raise NotCut("statements of too many tables in turn")
        if part.header is None:
            self.survey.left.append((part.at, part.end))
            return None
        found = self._rows(part)
        words = part.header.tail + schema.dialect.between + part.header.text
        if part.kind == "cut":
            found.is_cut = True
            if part.end > part.at:
                self.survey.left.append((part.at, part.end))
        else:
            found.runs.append(Run(part.kind, part.at, part.end, words))
        return found

    def _text(self, part: Part) -> None:
        texts = self.survey.texts
        if texts and texts[-1][1] == part.at:
            texts[-1] = texts[-1][0], part.end
        else:
            texts.append((part.at, part.end))

    def _rows(self, part: Part) -> Rows:
        header = part.header
        assert header is not None
        schema = self.survey.schema
        key = schema.key(header.table.decode("utf-8", "replace"))
        columns = self._declared(key) if header.columns is None else _names(header.columns)
        found = self.survey.rows.get(key)
        if found is None:
            found = self.survey.rows[key] = self._new(key, columns, part, header.text.startswith(b"COPY"))
            self.survey.order[key] = None
        elif columns != found.columns:
            raise NotCut("a table that is filled by statements with different columns")
        return found

    def _declared(self, key: Key) -> tuple[str, ...] | None:
        """Return the columns of rows whose statement doesn't list them, if they are known."""
        declared = self.survey.schema.columns_of(key)
        if declared is not None and declared.columns:
            return tuple(declared.columns)
        return _SEQUENCES if key[-1] == "sqlite_sequence" else None

    def _new(self, key: Key, columns: tuple[str, ...] | None, part: Part, is_copy: bool) -> Rows:
        header = part.header
        assert header is not None
        width, dialect = len(columns or ()), self.survey.dialect
        if not is_copy and part.kind == "insert":
            width = width_of(part.data, dialect.between + header.text, dialect.escapes)
        elif is_copy and columns is None and part.kind == "copy":
            width = part.data.partition(b"\n")[0].count(b"\t") + 1
        if (is_copy and not width) or (columns is not None and width != len(columns)):
            raise NotCut("rows of another width than their table")
        return Rows(key, columns, width)


class Escapes(Exception):
    """Raised where the dump declares that its strings are written in another way: it has to be read again."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__()
        self.dialect = dialect


def _names(columns: bytes) -> tuple[str, ...]:
    text = columns.decode("utf-8", "replace").strip()
    return tuple(names_of(text[1:-1]))
