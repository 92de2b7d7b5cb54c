"""Mask a dump part by part, as it arrives: nothing of it is kept, and nothing is read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Final, Protocol

from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Batch, Field, Table, TableInfo
from piiscan.io.content import Content
from piiscan.io.dumps import dump_tables
from piiscan.io.dumps.comments import Comment, text_of, written
from piiscan.io.dumps.dialects import HEAD, Dialect, dialect_of
from piiscan.io.dumps.dump_tables import COMMENTS, TEXT, Dump
from piiscan.io.dumps.statements import NotCut, Part, parts
from piiscan.io.dumps.survey import Escapes, Rows, Surveyor
from piiscan.io.encodings.encoding import Encoding
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Change, applied
from piiscan.io.write.dump_cells import as_text
from piiscan.io.write.dump_writer import TableWriter

Changes = Callable[[TableInfo], Change]
_WITHOUT: Final = "leave out --stream, so that it is read before it is masked"
_AGAIN: Final = "load it into a database, and dump that"
_UTF8: Final = ("utf8", "utf-8", "utf8mb3", "utf8mb4", "unicode", "sql_ascii", "binary", "")


class Sink(Protocol):
    """Where a masked dump is written to."""

    def write(self, data: bytes, /) -> object: ...


@dataclass
class Streamed:
    """What was written: `rows` of each table, by its name, and how many `comments` changed.

    `statistics`: how many statements with statistics of columns were left out.
    """

    rows: dict[str, int] = field(default_factory=dict)
    comments: int = 0
    statistics: int = 0


def stream(
    source: IO[bytes], out: Sink, name: str, options: ReadOptions, change: Changes, inspect: Callable[[Table], None]
) -> Streamed:
    """Write a dump that arrives through `source`, called `name`, with its cells and comments changed.

    `inspect` raises `ReadError` for a text that mustn't be written as it is. What is written before an error stays
    written.

    Raises `UsageError` for what isn't a dump in UTF-8, and `ReadError`.
    """
    head = source.read(HEAD)
    mark = b"\xef\xbb\xbf" if head.startswith(b"\xef\xbb\xbf") else b""
    dialect = dialect_of(head)
    if dialect is None:
        raise UsageError(f"standard input is no dump of a database that piiscan knows, in UTF-8; {_WITHOUT}")
    out.write(mark)
    run = _Stream(name, dialect, options, change, inspect)
    try:
        for part in parts(_Joined(head[len(mark) :], source), dialect):
            out.write(run.masked(part))
    except NotCut as error:
        # It would be left out without --stream, too.
        raise ReadError(str(error) if ";" in str(error) else f"{error}; {_AGAIN}") from None
    except Escapes:
        raise ReadError(f"a dump that says of its strings that they are written in another way; {_WITHOUT}") from None
    run.close()
    return run.streamed


class _Joined:
    """A stream of which some bytes were read already."""

    def __init__(self, head: bytes, source: IO[bytes]) -> None:
        self._head, self._source = head, source

    def read(self, size: int = -1, /) -> bytes:
        data, self._head = self._head, b""
        return data or self._source.read(size)


class _Stream:
    """Masks one part after the other."""

    def __init__(
        self,
        name: str,
        dialect: Dialect,
        options: ReadOptions,
        change: Changes,
        inspect: Callable[[Table], None],
    ) -> None:
        self._name, self._change, self._inspect = name, change, inspect
        self._surveyor = Surveyor(dialect)
        # Nothing is read from it: it stands for what comes through the pipe.
        content = Content(name, "-")
        self._dump = Dump(content, content, Encoding("utf-8", False), self._surveyor.survey, options)
        self._writers: dict[tuple[str, ...], TableWriter] = {}
        self._comments: Change | None = None
        self.streamed = Streamed()

    def masked(self, part: Part) -> bytes:
        """Return a part as it will be written."""
        if part.kind == "cut":
            raise ReadError("a dump that ends within a table or statement; write it again")
        if part.kind == "long":
            raise ReadError("a row that doesn't fit into memory; allow more with --memory")
        rows, data = self._surveyor.see(part), part.data
        self._check_encoding(data)
        if rows is None:
            return self._text(part)
        run = rows.runs.pop()
        writer = self._writer(rows)
        before = writer.rows
        data = writer.written(data, run)
        shown = self._surveyor.survey.name(rows.key)
        self.streamed.rows[shown] = self.streamed.rows.get(shown, 0) + writer.rows - before
        return data

    def close(self) -> None:
        for writer in self._writers.values():
            writer.constraints.close()

    def _check_encoding(self, data: bytes) -> None:
        encoding = (self._surveyor.survey.schema.encoding or "").lower()
        if encoding not in _UTF8 and not data.isascii():
            raise ReadError(f"a dump in another encoding than UTF-8; {_WITHOUT}")

    def _writer(self, rows: Rows) -> TableWriter:
        writer = self._writers.get(rows.key)
        if writer is None:
            table = dump_tables.table_of(self._dump, rows.key)
            writer = self._writers[rows.key] = TableWriter(table, self._change(table.info))
            writer.constraints.forget_rows()
        return writer

    def _text(self, part: Part) -> bytes:
        """Return a text between rows: comments are masked, and the rest mustn't contain an identifier.

        Statistics of columns are left out.
        """
        survey = self._surveyor.survey
        if survey.statistics:
            survey.statistics.clear()
            self.streamed.statistics += 1
            part = part.before_statement()
        survey.texts.clear()
        found, survey.comments[:] = list(survey.comments), []
        at, kept, data = 0, list[bytes](), part.data
        for one in found:
            kept.append(data[at : one.start - part.at])
            at = one.end - part.at
        kept.append(data[at:])
        self._inspect(_Lines(self._name, b"\n".join(kept)))
        new = self._new_comments(part, found)
        return b"".join(piece for pair in zip(kept, [*new, b""], strict=True) for piece in pair)

    def _new_comments(self, part: Part, found: list[Comment]) -> list[bytes]:
        import polars as pl

        if not found:
            return []
        dialect, errors = self._surveyor.survey.dialect, self._dump.encoding.errors
        data = part.data
        raw = [data[one.start - part.at : one.end - part.at] for one in found]
        try:
            texts = [text_of(each, one.form, dialect, errors) for each, one in zip(raw, found, strict=True)]
        except UnicodeDecodeError:
            raise ReadError("a comment that is not valid UTF-8") from None
        info = TableInfo(self._name, COMMENTS, "sql", False, (Field("text"),))
        self._comments = self._comments or self._change(info)
        if self._comments.columns[0].same:
            return raw
        batch = Batch(pl.DataFrame({"0": texts}, schema={"0": pl.String}), self.streamed.comments)
        self.streamed.comments += len(texts)
        new = as_text(applied(self._comments, batch, info).frame["0"]).to_list()
        return [
            old if text == before else written(text or "", old, one.form, dialect)
            for text, before, old, one in zip(new, texts, raw, found, strict=True)
        ]


class _Lines:
    """The lines of a text as a table."""

    def __init__(self, name: str, data: bytes) -> None:
        self._info = TableInfo(name, TEXT, "text", False, (Field("text"),))
        self._data = data

    @property
    def info(self) -> TableInfo:
        return self._info

    def batches(self) -> Iterator[Batch]:
        import polars as pl

        lines = self._data.decode("utf-8", "replace").split("\n")
        yield Batch(pl.DataFrame({"0": lines}, schema={"0": pl.String}), 0)
