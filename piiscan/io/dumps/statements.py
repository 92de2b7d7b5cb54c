"""Cut a dump into its parts, in one pass and bounded memory: rows of tables, and the text between them.

Nothing is interpreted and nothing skipped: the parts, one after the other, are the dump. Where the cutter can't be
certain (quotes that don't end, statements that fill tables in another way) it gives up with `NotCut`, and the whole
dump is read as lines of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple, Protocol

from piiscan.core import shares
from piiscan.io.dumps.dialects import CLIENT_LINES, Dialect, bare_rows, is_another
from piiscan.io.dumps.quotes import end_of_run, end_of_statement
from piiscan.io.dumps.statistics import is_nothing_else, is_statistics

BLOCK: Final = 1 << 24
"""Bytes that are read at a time. Rows come in parts of about that size."""
_SHORT: Final = 1 << 12
"""A statement up to about that size is looked through byte by byte."""
_LONGEST_TAIL: Final = 1 << 10
Kind = Literal["text", "copy", "insert", "long", "cut"]


class NotCut(Exception):
    """Raised for a text that can't be cut into statements with certainty. The message quotes nothing of it."""


_ANOTHER_WAY: Final = "statements that fill or change tables in another way than dumps do"


class Header(NamedTuple):
    """What a statement that fills a table names: the table, and its columns if they are listed.

    `text`: its bytes up to the first row. `tail`: those between its last row and the semicolon.
    """

    table: bytes
    columns: bytes | None
    text: bytes
    tail: bytes = b""


class Part(NamedTuple):
    """Bytes of a dump, from byte `at` on: those of a `block` from `first` to `last`.

    `kind`: "text" is a statement, a comment or what is between them; "copy" and "insert" are whole rows of a table;
    "long" is a piece of a row above its share of the memory; "cut" is the rest of a row where the dump ends.
    `statement`: where a text's statement begins, if it has one.
    """

    kind: Kind
    at: int
    block: bytes
    first: int
    last: int
    header: Header | None = None
    statement: int | None = None

    @property
    def data(self) -> bytes:
        """Copy the bytes; where rows are, a survey needs none of them."""
        return self.block[self.first : self.last]

    @property
    def end(self) -> int:
        return self.at + self.last - self.first

    def before_statement(self) -> Part:
        return self._replace(last=self.first + (self.statement or 0), statement=None)


class Source(Protocol):
    """A stream that a dump is read from."""

    def read(self, size: int = -1, /) -> bytes: ...


_NAME: Final = rb"(?:\"(?:[^\"]|\"\")*+\"|`(?:[^`]|``)*+`|\[[^\]\n]++\]|[^\s\"`().,;'\[\]=]++)"
_NAMES: Final = _NAME + rb"(?:\." + _NAME + rb")*+"
_LIST: Final = rb"\((?:\s*+" + _NAME + rb"\s*+,?)*+\)"
_DATA_WORDS: Final = re.compile(rb"(?:INSERT|REPLACE|UPDATE|DELETE|MERGE|COPY|LOAD|UPSERT)\b", re.IGNORECASE)
_DATA_LINE: Final = re.compile(
    rb"^[ \t]*+(?:INSERT|REPLACE|UPDATE|DELETE|MERGE|COPY|LOAD|UPSERT)\b", re.IGNORECASE | re.MULTILINE
)
_HARMLESS: Final = re.compile(rb"DELETE FROM (?:\"?sqlite_sequence\"?)\s*;", re.IGNORECASE)
_BODY: Final = re.compile(
    rb"CREATE\b(?:[^;'\"]|'[^']*')*?\b(?:TRIGGER|FUNCTION|PROCEDURE|EVENT)\b.*\bBEGIN\b", re.IGNORECASE | re.DOTALL
)
_BLOCK_WORDS: Final = re.compile(rb"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|\b(BEGIN|CASE|END)\b", re.IGNORECASE)
_HIDDEN: Final = re.compile(
    rb"SELECT pg_catalog\.(?:lo_put|lowrite|lo_from_bytea)\b|SELECT lo(?:write|_put)\b|"
    rb"INSERT INTO \"?(?:sqlite_stat[34]|sqlite_master|sqlite_schema)\b",
    re.IGNORECASE,
)
"""Statements whose cells are in a form of their own: large objects, samples of indexes, virtual tables."""


def parts(source: Source, dialect: Dialect, at: int = 0) -> Iterator[Part]:
    """Yield the parts of a dump, from byte `at` on, where its source is. Raises `NotCut`."""
    return _Cutter(source, dialect, at).parts()


class _Cutter:
    """Cuts what a source yields, holding one block at a time."""

    def __init__(self, source: Source, dialect: Dialect, at: int) -> None:
        self._source, self._dialect = source, dialect
        self._data, self._at, self._p, self._ended = b"", at, 0, False

    def _more(self) -> bool:
        """Read on, and drop what was yielded. Return False at the end of the dump."""
        if self._ended:
            return False
        block = self._source.read(BLOCK)
        if not block:
            self._ended = True
            return False
        rest = self._data[self._p :]
        self._data, self._at, self._p = rest + block if rest else block, self._at + self._p, 0
        return True

    def _take(self, kind: Kind, end: int, header: Header | None = None, statement: int | None = None) -> Part:
        part = Part(kind, self._at + self._p, self._data, self._p, end, header, statement)
        self._p = end
        return part

    def parts(self) -> Iterator[Part]:
        while True:
            if self._p == len(self._data) and not self._more():
                return
            start = self._start()
            if start is None:
                continue
            if self._dialect.name == "postgresql" and self._data.startswith(b"\\", start):
                yield self._line(start)
            elif self._dialect.name == "mysql" and _delimiter().match(self._data, start):
                yield self._between_delimiters(start)
            elif (found := self._header(start)) is not None:
                yield from self._rows(found, start)
            else:
                part = self._statement(start)
                if part is not None:
                    yield part

    def _start(self) -> int | None:
        """Return where the next statement begins; None where more has to be read to know."""
        found = _space(self._dialect.name, self._dialect.is_script).match(self._data, self._p)
        start = found.end() if found else self._p
        if is_another(self._dialect, self._data[self._p : start]):
            raise NotCut("dumps of two programs in one file; make two files of it")
        if len(self._data) - start < 1 << 12 and self._more():
            return None
        if start - self._p > shares.row():
            raise NotCut("a comment that doesn't fit into memory; allow more with --memory")
        return start

    def _header(self, start: int) -> re.Match[bytes] | None:
        matches = (pattern.match(self._data, start) for pattern in _headers(self._dialect))
        return next((found for found in matches if found is not None), None)

    def _line(self, start: int) -> Part:
        r"""Cut a command to the program that loads the dump, such as `\connect`."""
        end = self._data.find(b"\n", start) + 1
        return self._take("text", end or len(self._data), statement=start - self._p)

    def _between_delimiters(self, start: int) -> Part:
        """Cut the bodies of triggers and procedures, which contain semicolons."""
        while (found := _delimiter_back().search(self._data, start)) is None:
            offset = start - self._p
            if not self._more():
                raise NotCut("a DELIMITER that doesn't come back")
            start = offset
            if len(self._data) > shares.row():
                raise NotCut("a statement that doesn't fit into memory; allow more with --memory")
        return self._take("text", found.end(), statement=start - self._p)

    def _statement(self, start: int) -> Part | None:
        """Cut the statement at `start`, with what comes before it. Return None where more was read."""
        pattern = _statement(self._dialect)
        found = pattern.match(self._data, start)
        if found is not None and self._has_body(start, found.end()):
            found = self._body(found, start)
        if found is None:
            if len(self._data) - self._p > shares.row():
                raise NotCut(
                    "a statement that doesn't fit into memory, or quotes that don't end; allow more with --memory"
                )
            if self._more():
                return None
            return self._last(start)
        self._check_hidden(start)
        if is_statistics(self._data, start) and not is_nothing_else(
            self._data, start, found.end(), self._dialect.escapes
        ):
            raise NotCut("statistics of columns that are written in another way than pg_dump writes them")
        if _DATA_WORDS.match(self._data, start) and not _HARMLESS.match(self._data, start):
            raise NotCut(_ANOTHER_WAY)
        if self._dialect.is_script and _DATA_LINE.search(self._data, start, found.end()):
            raise NotCut(_ANOTHER_WAY)  # within a statement, or behind one without a semicolon
        return self._take("text", found.end(), statement=start - self._p)

    def _check_hidden(self, start: int) -> None:
        """Raise `NotCut` for a statement that holds cells in another form."""
        if _HIDDEN.match(self._data, start):
            raise NotCut("large objects, samples of statistics or virtual tables, which aren't read as tables")

    def _last(self, start: int) -> Part | None:
        """Cut what is left at the end: only comments, or half a statement."""
        if start == len(self._data):
            return self._take("text", start) if start > self._p else None
        if _DATA_WORDS.match(self._data, start):
            return self._take("cut", len(self._data))
        return self._take("cut", len(self._data), statement=start - self._p)

    def _has_body(self, start: int, end: int) -> bool:
        """Return whether a statement contains others, each with its semicolon."""
        if not self._data.startswith((b"CREATE", b"create"), start):
            return False
        text = self._data[start:end]
        if self._dialect.name == "postgresql" and (b"$" in text or b"BEGIN ATOMIC" not in text):
            return False
        return _BODY.match(text) is not None

    def _body(self, found: re.Match[bytes], start: int) -> re.Match[bytes] | None:
        """Cut the statement with the statements in its body."""
        pattern = _statement(self._dialect)
        while True:
            words = [m[1].upper() for m in _BLOCK_WORDS.finditer(self._data, start, found.end()) if m[1]]
            if sum(-1 if word == b"END" else 1 for word in words) <= 0:
                return found
            further = pattern.match(self._data, found.end())
            if further is None:
                return None
            found = further

    def _rows(self, found: re.Match[bytes], start: int) -> Iterator[Part]:
        """Cut the statement's words, and its rows."""
        self._check_hidden(start)
        header = Header(found["table"], found["columns"], found[0])
        is_copy = found[0].endswith(b"\n") and found[0].startswith(b"COPY")
        yield self._take("text", found.end(), header, start - self._p)
        yield from self._copied(header) if is_copy else self._inserted(header)

    # COPY: a row is a line, and a line `\.` ends them.

    def _copied(self, header: Header) -> Iterator[Part]:
        while True:
            end = self._end_of_copy()
            if end is not None:
                if end > self._p:
                    yield self._take("copy", end, header)
                line = self._data.find(b"\n", end) + 1
                yield self._take("text", line or len(self._data))
                return
            last = self._data.rfind(b"\n", self._p) + 1
            # The line that ends the rows may be cut in two.
            if last > self._p:
                yield self._take("copy", last, header)
            elif len(self._data) - self._p > shares.row():
                yield from self._long_line(header)
                continue  # rows may stand behind it in what was read
            if not self._more():
                if self._p < len(self._data):
                    yield self._take("cut", len(self._data), header)
                elif self._p == len(self._data):
                    yield self._take("cut", self._p, header)
                return

    def _end_of_copy(self) -> int | None:
        """Return where the line that ends the rows begins, if it has been read."""
        if (found := _end_line(self._ended).match(self._data, self._p)) is not None:
            return self._p
        at = self._p
        while (at := self._data.find(b"\n\\.", at)) >= 0:
            found = _end_line(self._ended).match(self._data, at + 1)
            if found is not None:
                return at + 1
            at += 1
        return None

    def _long_line(self, header: Header) -> Iterator[Part]:
        """Cut a line above its share of the memory into pieces."""
        while (end := self._data.find(b"\n", self._p) + 1) == 0:
            yield self._take("long", len(self._data), header)
            if not self._more():
                return
        yield self._take("long", end, header)
        yield self._take("long", self._p, header)

    # INSERT: rows in parentheses, up to a semicolon.

    def _inserted(self, header: Header) -> Iterator[Part]:
        if not self._dialect.between.startswith(b";"):
            yield self._take("insert", self._end_of_bare(header), header)
            return
        while True:
            end = self._end_of_rows()
            if end < len(self._data) and self._data.startswith(b";", end):
                tail = _tail().search(self._data, max(self._p, end - _LONGEST_TAIL), end)
                header = header._replace(tail=tail[0] if tail else b"")
                yield self._take("insert", self._end_of_run(header, end), header)
                return
            cut = self._last_row(end) if len(self._data) - self._p >= BLOCK else None
            if cut is not None:
                yield self._take("insert", cut, header)
                continue
            if len(self._data) - self._p > shares.row():
                raise NotCut("a row that doesn't fit into memory, or quotes that don't end; allow more with --memory")
            if not self._more():
                if self._dialect.is_script:  # the last statement of many scripts has no semicolon
                    yield self._take("insert", self._end_of_rows(), header)
                    return
                if (cut := self._last_row(len(self._data))) is not None:
                    yield self._take("insert", cut, header)
                yield self._take("cut", len(self._data), header)
                return

    def _end_of_rows(self) -> int:
        """Return where the statement's last semicolon is, or how far its quotes end."""
        pattern = _values(self._dialect)
        one = pattern.match(self._data, self._p, self._p + _SHORT)
        assert one is not None
        if one.end() < len(self._data) and self._data.startswith(b";", one.end()):
            return one.end()
        if (end := end_of_statement(self._data, self._p, self._dialect.escapes)) is not None:
            return end
        one = pattern.match(self._data, self._p)
        assert one is not None
        return one.end()

    def _end_of_bare(self, header: Header) -> int:
        """Return where the rows of statements with the same words end that have no semicolons. Raises `NotCut`."""
        rows = bare_rows()
        again = re.compile(re.escape(self._dialect.between + header.text) + rows.pattern, re.DOTALL)
        at = self._p
        while True:
            found = (rows if at == self._p else again).match(self._data, at)
            if found is not None and found.end() < len(self._data):
                at = found.end()
                continue
            behind = _next_statement().match(self._data, at) if at > self._p else None
            if found is None and behind is not None and behind.end() < len(self._data):
                return at
            offset = at - self._p
            if self._more():
                at = self._p + offset
                continue
            end = at if found is None else found.end()
            if end == self._p or not _next_statement().match(self._data, end):
                raise NotCut("rows that aren't written as scripts write them")
            return end

    def _end_of_run(self, header: Header, start: int) -> int:
        """Return where the last of the statements with the same words ends.

        The semicolon of the first one is at `start`. The regular expression covers what `end_of_run` isn't certain of.
        """
        words = self._dialect.between + header.text
        if not self._data.startswith(words, start):
            return start
        if (end := end_of_run(self._data, start, words, self._dialect.escapes)) is not None:
            return end
        run = _run(self._dialect, header.text).match(self._data, start)
        return run.end() if run else start

    def _last_row(self, end: int) -> int | None:
        """Return the place after the last whole row that another row follows, its comma included."""
        from piiscan.io.dumps.insert_rows import last_row

        found = last_row(self._data[self._p : end], self._dialect.escapes)
        return None if found is None else self._p + found


@cache
def _end_line(at_end: bool) -> re.Pattern[bytes]:
    return re.compile(rb"\\\.\r?(?:\n|\Z)" if at_end else rb"\\\.\r?\n")


@cache
def _tail() -> re.Pattern[bytes]:
    return re.compile(rb"\s++ON CONFLICT DO NOTHING\Z", re.IGNORECASE)


@cache
def _delimiter() -> re.Pattern[bytes]:
    return re.compile(rb"DELIMITER[ \t]++(?!;[ \t\r]*\n)\S++[ \t\r]*+\n", re.IGNORECASE)


@cache
def _delimiter_back() -> re.Pattern[bytes]:
    return re.compile(rb"^DELIMITER[ \t]++;[ \t\r]*+(?:\n|\Z)", re.IGNORECASE | re.MULTILINE)


@cache
def _next_statement() -> re.Pattern[bytes]:
    """Return the pattern of what shows that rows without a semicolon have ended."""
    words = rb"GO|SET|USE|INSERT|DECLARE|PRINT|COMMIT|BEGIN|END|IF|ALTER|CREATE|DROP|EXEC|EXECUTE|SELECT|TRUNCATE|DBCC"
    return re.compile(rb"\s*+(?:\Z|--|/\*|;|(?:" + words + rb")\b)", re.IGNORECASE)


@cache
def _space(name: str, is_script: bool) -> re.Pattern[bytes]:
    """Return the pattern of white space and comments."""
    lines = rb"|(?i:" + CLIENT_LINES + rb")" if is_script else b""
    hashes = rb"|#[^\n]*+(?:\n|\Z)" if name == "mysql" else b""
    block = rb"/\*(?!M?!)(?:[^*]++|\*(?!/))*+\*/" if name == "mysql" else rb"/\*(?:[^*/]++|\*(?!/)|/(?!\*))*+\*/"
    dashes = rb"--(?=\s)[^\n]*+(?:\n|\Z)|--\n" if name == "mysql" else rb"--[^\n]*+(?:\n|\Z)"
    return re.compile(rb"(?:\s++|" + dashes + rb"|" + block + hashes + lines + rb")*+")


@cache
def _headers(dialect: Dialect) -> tuple[re.Pattern[bytes], ...]:
    """Return the pattern of what precedes the rows of a table."""
    into = rb"(?:INTO\s++)?+" if dialect.is_script else rb"INTO\s++"
    insert = (
        rb"(?:INSERT|REPLACE)\s++(?:IGNORE\s++)?"
        + into
        + rb"(?P<table>"
        + _NAMES
        + rb")\s*+(?P<columns>"
        + _LIST
        + rb")?+"
        rb"\s*+(?:OVERRIDING (?:SYSTEM|USER) VALUE\s++)?VALUES\s*+(?=\()"
    )
    copy = rb"COPY (?P<table>" + _NAMES + rb") (?:(?P<columns>" + _LIST + rb") )?FROM stdin;\r?\n"
    return (*((re.compile(copy),) if dialect.name == "postgresql" else ()), re.compile(insert, re.IGNORECASE))


def _quoted(escapes: bool) -> bytes:
    return rb"'(?:[^'\\]++|''|\\.)*+'" if escapes else rb"'[^']*+'"


@lru_cache(maxsize=8)
def _statement(dialect: Dialect) -> re.Pattern[bytes]:
    """Return the pattern of a statement with its semicolon."""
    block = rb"/\*(?:[^*]++|\*(?!/))*+\*/" if dialect.name == "mysql" else rb"/\*(?:[^*/]++|\*(?!/)|/(?!\*))*+\*/"
    each = [
        rb"[^;'\"`$/#\-]++",
        rb"(?<=[^\w$][eE])'(?:[^'\\]++|''|\\.)*+'",
        rb"(?<![^\w$][eE])" + _quoted(dialect.escapes),
        rb"\"(?:[^\"\\]++|\"\"|\\.)*+\"" if dialect.escapes else rb"\"[^\"]*+\"",
        rb"`[^`]*+`",
        rb"--[^\n]*+\n",
        rb"-(?=[^-])",
        block,
        rb"/(?=[^*])",
    ]
    if dialect.name == "postgresql":
        each += [rb"(?<![\w$])\$(\w*+)\$.*?\$\1\$", rb"(?<![\w$])\$(?!\w*+\$)(?=\w)", rb"(?<=[\w$])\$", rb"#"]
    elif dialect.name == "mysql":
        each += [rb"\$", rb"#[^\n]*+\n"]
    else:
        each += [rb"\$", rb"#"]
    return re.compile(rb"(?:" + rb"|".join(each) + rb")*+;", re.DOTALL)


@lru_cache(maxsize=8)
def _values(dialect: Dialect) -> re.Pattern[bytes]:
    """Return the pattern of rows up to a semicolon, or as far as their quotes end."""
    strings = rb"(?<![^\w$][eE])" + _quoted(dialect.escapes)
    escaped = b"" if dialect.escapes else rb"|(?<=[^\w$][eE])'(?:[^'\\]++|''|\\.)*+'"
    if dialect.escapes:
        strings = _quoted(True)
    return re.compile(rb"(?:[^;'\"`]++|" + strings + escaped + rb"|\"(?:[^\"]|\"\")*+\"|`[^`]*+`)*+", re.DOTALL)


@lru_cache(maxsize=64)
def _run(dialect: Dialect, header: bytes) -> re.Pattern[bytes]:
    """Return the pattern of further statements with the same words, each without its semicolon."""
    one = _values(dialect).pattern
    again = re.escape(dialect.between + header)
    return re.compile(rb"(?:" + again + one + rb"(?=;))*+", re.DOTALL)
