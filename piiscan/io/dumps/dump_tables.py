"""Yield the tables of a dump, and the text between them as one more table."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, DType, Field, ForeignKey, Limits, NotScanned, Referrer, TableInfo
from piiscan.io import asides
from piiscan.io.cells.long_values import LeftOut
from piiscan.io.content import Account, Content, Piece, Pieces, ReadTable, describe
from piiscan.io.delimited.lines import OVERLAP
from piiscan.io.dumps import conditions
from piiscan.io.dumps.cells import Layout
from piiscan.io.dumps.comments import Comment, text_of
from piiscan.io.dumps.conditions import Check
from piiscan.io.dumps.dialects import AS_LINES, Dialect, dialect_of
from piiscan.io.dumps.runs import batches, frame_of, read_runs, together
from piiscan.io.dumps.schema import Column
from piiscan.io.dumps.statements import NotCut
from piiscan.io.dumps.survey import Escapes, Key, Rows, Survey, survey
from piiscan.io.encodings.encoding import Encoding, as_utf8
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

_UNDECLARED: Final = "not declared in this file: types, keys and constraints of its columns aren't known"
UNREAD: Final = "can't be read: masked values aren't held to it; the database checks it when the dump is loaded"
LACKS: Final = "of columns, which contain values; a masked dump lacks them, and ANALYZE makes them anew"
_HEX: Final = "; if its BLOBs are the reason, write it with the program's option hex-blob"
COMMENTS: Final = "#comments"
TEXT: Final = "#statements"
"""The table of everything that is no row."""
STATISTICS: Final = "#statistics"
_DTYPES: Final[dict[str, DType]] = {
    "integer": "integer", "wide": "integer", "decimal": "float", "float": "float", "array": "other"
}  # fmt: skip
_CODECS: Final = {
    "utf8": "utf-8", "utf8mb3": "utf-8", "utf8mb4": "utf-8", "unicode": "utf-8", "sql_ascii": "utf-8",
    "binary": "utf-8", "latin1": "latin-1", "latin2": "iso8859-2", "latin5": "iso8859-9", "latin9": "iso8859-15",
    "win1250": "cp1250", "win1251": "cp1251", "win1252": "cp1252", "koi8r": "koi8-r", "euc_jp": "euc_jp",
    "sjis": "cp932", "gbk": "gbk", "big5": "big5", "euc_kr": "euc_kr", "euc_cn": "gb2312",
}  # fmt: skip
"""Encodings by the names that dumps have for them. MySQL's latin1 is cp1252."""


class Dump(NamedTuple):
    """What is needed to read or write a dump again.

    Its text as UTF-8 (`content`), as it is (`original`), and where its parts are.
    """

    original: Content
    content: Content
    encoding: Encoding
    survey: Survey
    options: ReadOptions


class DumpComments(NamedTuple):
    """The comments of a dump."""

    dump: Dump


class DumpTable(NamedTuple):
    """A table of a dump. `types`: of the columns, in their order."""

    dump: Dump
    key: Key
    layout: Layout
    rows: Rows | None
    columns: tuple[Column, ...]

    def conditions(self) -> tuple[list[Check], list[str]]:
        """Return the CHECK and domain conditions on its rows, and the names of those that can't be read."""
        survey = self.dump.survey
        indices = {column.name: i for i, column in enumerate(self.columns)}
        asked = [(condition, None) for condition in survey.table(self.key).checks]
        of_domains = [(one, i) for i, column in enumerate(self.columns) for one in column.type.conditions]
        checks, unread = list[Check](), list[str]()
        for condition, place in [*asked, *of_domains]:
            check = conditions.read(condition, indices, self.columns, survey.dialect.name == "mysql", place)
            if check is None:
                unread.append(condition.name)
            else:
                checks.append(check)
        return checks, unread


def tables(
    content: Content, encoding: Encoding, options: ReadOptions
) -> list[ReadTable | NotScanned] | tuple[str, ...]:
    """Return the tables of a dump, and what of it can't be read.

    For a text that is to be read as lines, return notes on why; none if it isn't a dump. Raises `ReadError` and
    OSError.
    """
    dump = _opened(content, encoding, options)
    if not isinstance(dump, Dump):
        return dump
    found = dump.survey
    # In the order of their first rows; those without any behind.
    keys = dict.fromkeys([*found.rows, *found.order])
    referrers = _referrers(found)
    out: list[ReadTable | NotScanned] = [
        table_of(dump, key, referrers.get(key, ())) for key in keys if _has_columns(found, key)
    ]
    if found.statistics and out:
        out[0] = _noted(out[0], len(found.statistics))
    out += [_comments(dump)] if found.comments else []
    out += _missing(dump)
    if options.asides:
        out.append(_lines_of(dump, TEXT, _others(found), asides.COPIED))
        if found.statistics:
            out.append(_lines_of(dump, STATISTICS, found.statistics, asides.LEFT_OUT))
    else:
        claimed = _claims(dump)
        for start, end in [*_others(found), *found.statistics]:
            claimed(start, end)
    return out


def _opened(content: Content, encoding: Encoding, options: ReadOptions) -> Dump | tuple[str, ...]:
    """Return a dump in the encoding that it names; or why it isn't read as a dump."""
    text, failure = (content, None) if encoding.is_utf8 else as_utf8(content, encoding)
    if failure is not None or (dialect := dialect_of(text.head())) is None:
        return ()
    if dialect.is_script:
        return _script(content, text, encoding, options, dialect)
    try:
        found = _surveyed(text, dialect)
        declared = _declared(found, text, encoding)
        if declared is not None:
            # Any bytes are MySQL's latin1, so those of BLOBs are kept as they are.
            encoding = Encoding(declared, dialect.name == "mysql" and declared == "cp1252")
            text, failure = as_utf8(content, encoding)
            if failure is not None:
                instead = _HEX if dialect.name == "mysql" else ""
                return (f"{AS_LINES}: not valid {encoding.name}, which it says it is{instead}",)
            found = _surveyed(text, dialect)
    except NotCut as error:
        return (f"{AS_LINES}: {error}",)
    return Dump(content, text, encoding, found, options)


def _script(
    content: Content, text: Content, encoding: Encoding, options: ReadOptions, guess: Dialect
) -> Dump | tuple[str, ...]:
    """Return a script of INSERTs, every row of which can be read; else nothing: it is no dump that lacks something."""
    for dialect in (guess, guess.with_escapes()):
        if dialect != guess and (guess.escapes or not _has_escaped_quote(text)):
            break
        try:
            dump = Dump(content, text, encoding, _surveyed(text, dialect), options)
            if not dump.survey.left and _are_read(dump):
                return dump
        except (NotCut, ReadError):
            continue
    return ()


def _has_escaped_quote(text: Content) -> bool:
    with text.open() as stream:
        before = b""
        while block := stream.read(1 << 20):
            if b"\\'" in before + block:
                return True
            before = block[-1:]
    return False


def _are_read(dump: Dump) -> bool:
    """Whether each row of a script is one of its table. Raises `ReadError` where it isn't."""
    with dump.content.open() as stream:
        for key, rows in dump.survey.rows.items():
            layout = _layout(dump, _columns(dump, key))
            for some in together(rows.runs):
                frame_of(stream, some, layout)
    return bool(dump.survey.rows)


def _declared(found: Survey, text: Content, encoding: Encoding) -> str | None:
    """Return the encoding that a dump names, where its text isn't UTF-8 and no encoding was given."""
    if not (encoding.is_utf8 and encoding.lenient):
        return None
    name = _CODECS.get((found.schema.encoding or "").lower().replace("-", ""), "utf-8")
    if name == "utf-8" or _is_narrow(text):
        return None
    return "cp1252" if (found.dialect.name, name) == ("mysql", "latin-1") else name


def _surveyed(text: Content, dialect: Dialect) -> Survey:
    for _ in range(3):
        try:
            with text.open() as stream:
                mark = len(codecs.BOM_UTF8) if stream.read(3) == codecs.BOM_UTF8 else 0
                stream.seek(mark)
                return survey(stream, dialect, mark)
        except Escapes as error:
            dialect = error.dialect
    raise NotCut("its strings are written in several ways")


def _is_narrow(text: Content) -> bool:
    """Return whether a text is ASCII, and so the same in any encoding that it may name."""
    with text.open() as stream:
        return all(block.isascii() for block in iter(lambda: stream.read(1 << 20), b""))


def _has_columns(found: Survey, key: Key) -> bool:
    return key in found.rows or bool(found.table(key).columns)


def _missing(dump: Dump) -> Iterator[NotScanned]:
    """Describe what is cut off at the end of a dump."""
    source, found = dump.original.source, dump.survey
    for key, rows in found.rows.items():
        if rows.is_cut:
            yield NotScanned(source, "a dump that ends within this table; write it again", found.name(key))
    if found.left and not any(rows.is_cut for rows in found.rows.values()):
        yield NotScanned(source, "a dump that ends within a statement; write it again")


def table_of(dump: Dump, key: Key, referrers: Iterable[Referrer] = ()) -> ReadTable:
    """Return a table of a dump. `referrers`: the tables with foreign keys to it, which only scans need."""
    found = dump.survey
    declared, rows = found.table(key), found.rows.get(key)
    columns = _columns(dump, key)
    layout = _layout(dump, columns)
    fields = tuple(
        Field(
            c.name or None,
            _DTYPES.get(c.type.kind, "string"),
            comment=c.comment or None,
            limits=_limits(c, c.name in declared.primary, found.dialect),
        )
        for c in columns
    )
    if len(fields) > dump.options.limits.columns:
        raise ReadError(f"more than {dump.options.limits.columns} columns")
    table = DumpTable(dump, key, layout, rows, columns)
    info = TableInfo(
        dump.original.source,
        found.name(key),
        "sql",
        any(c.name for c in columns),
        fields,
        (("dump", found.dialect.title), ("encoding", dump.encoding.name), *describe(dump.original)),
        (*(() if declared.columns else (_UNDECLARED,)), *map(_not_held, table.conditions()[1])),
        foreign_keys=tuple(_foreign_keys(found, key, [c.name for c in columns])),
        referred_by=tuple(referrers),
    )
    reader = _Reader(table)
    return ReadTable(info, reader.frames, dump.options.rows, table, pieces=reader.pieces())


def _columns(dump: Dump, key: Key) -> tuple[Column, ...]:
    """Return the columns of a table; without names where neither its rows nor a declaration name them."""
    declared, rows = dump.survey.table(key), dump.survey.rows.get(key)
    names = rows.columns if rows is not None else tuple(declared.columns)
    width = rows.width if rows is not None else len(declared.columns)
    return tuple(declared.columns.get(name) or Column(name) for name in (names or [""] * width))


def _layout(dump: Dump, columns: Sequence[Column]) -> Layout:
    return Layout(False, tuple(c.type for c in columns), dump.survey.dialect.escapes, dump.encoding.errors)


def _noted(first: ReadTable | NotScanned, count: int) -> ReadTable | NotScanned:
    """Say with a dump's first table that there are statistics of columns."""
    if isinstance(first, NotScanned):
        return first
    note = f"the dump has {count:,} statement{'s' * (count > 1)} with statistics {LACKS}"
    return first._replace(info=first.info._replace(notes=(*first.info.notes, note)))


def _limits(column: Column, is_key: bool, dialect: Dialect) -> Limits | None:
    """Return what a column's declared type asks of its cells; SQLite holds them to nothing but NOT NULL."""
    kind = column.type
    needs_value = kind.kind not in ("text", "bytes") and (column.required or is_key)
    # Of a column that isn't declared here, the database may ask it.
    is_time = re.match(r"date|timestamp|$", kind.base) is not None
    if dialect.name == "sqlite":
        limits = Limits(needs_value)
    else:
        limits = Limits(
            needs_value, kind.length if kind.kind == "text" else None, kind.largest, kind.is_opaque, is_time
        )
    return None if limits == Limits() else limits


def _not_held(name: str) -> str:
    """Say that masked values aren't held to a condition.

    It is named, unless its name may identify somebody.
    """
    from piiscan.io.printed_names import evident

    return f"CHECK {'(name not shown)' if evident(name, None) else name} {UNREAD}"


def _foreign_keys(found: Survey, key: Key, names: Sequence[str]) -> Iterator[ForeignKey]:
    for reference in found.table(key).references:
        there = found.table(reference.table)
        targets = reference.targets or there.primary
        for column, target in zip(reference.columns, targets, strict=False):
            if column in names:
                yield ForeignKey(
                    names.index(column), found.name(reference.table), tuple(there.columns), target,
                    len(reference.columns) == 1,
                )  # fmt: skip


def _referrers(found: Survey) -> dict[Key, list[Referrer]]:
    """Return the tables that refer to each table."""
    out: dict[Key, list[Referrer]] = {}
    for key in found.order:
        table = found.table(key)
        for other in dict.fromkeys(reference.table for reference in table.references):
            if other != key:
                out.setdefault(other, []).append(Referrer(found.name(key), tuple(table.columns)))
    return out


class _Reader:
    """Reads the rows of one table."""

    def __init__(self, table: DumpTable) -> None:
        self._table, self._dump = table, table.dump
        self._runs = together(table.rows.runs) if table.rows is not None else []

    def frames(self) -> Iterator[pl.DataFrame]:
        yield from self._from(0, 0)

    def _from(self, first: int, row: int) -> Iterator[pl.DataFrame]:
        left_out, is_long = LeftOut(), False
        with self._dump.content.open() as stream:
            for some in self._runs[first:]:
                run = some[0]
                if run.kind == "long":  # pieces of one row, the last of them empty
                    if not is_long:
                        left_out.row(row)
                    is_long = run.start < run.end
                    row += not is_long
                    continue
                frame = frame_of(stream, some, self._table.layout)
                row += frame.height
                self._dump.original.account.at = some[-1].end
                yield from batches(frame, self._dump.options.batch_rows)
        claim = _claims(self._dump)
        for run in chain.from_iterable(self._runs):
            claim(run.start, run.end)
        if (error := left_out.error()) is not None:
            raise error

    def pieces(self) -> Pieces | None:
        """Return the runs as pieces for other processes, where these can find the text."""
        path = self._dump.content.path_for_others()
        if self._dump.options.rows is not None or path is None or self._dump.content is not self._dump.original:
            return None
        runs = next((i for i, some in enumerate(self._runs) if some[0].kind == "long"), len(self._runs))

        def cut() -> Iterator[Piece]:
            for some in self._runs[:runs]:
                yield Piece(read_runs, (path, some, self._table.layout, self._dump.options.batch_rows))

        def rest(done: int, row: int) -> Iterator[Batch]:
            for frame in self._from(done, row):
                yield Batch(frame, row)
                row += frame.height

        def tell(done: int) -> None:
            self._dump.original.account.at = self._runs[done - 1][-1].end if done else 0

        return Pieces(
            sum(run.end - run.start for run in chain.from_iterable(self._runs)), cut, rest, goes_on=True, tell=tell
        )


def _claims(dump: Dump) -> Callable[[int, int], None]:
    """Account for ranges of the text.

    Where the text isn't the content itself, account for the whole content when every range is accounted for.
    """
    if dump.content is dump.original:
        return dump.original.account.read
    own: Account = dump.content.account
    size = dump.content.size

    def claim(start: int, end: int) -> None:
        own.read(start, end)
        if not own.unread(size):
            dump.original.read_whole()

    return claim


def _comments(dump: Dump) -> ReadTable:
    """Return the comments as a table, a row each."""

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        for some in parts_of(dump.survey.comments, dump.options.batch_rows):
            yield pl.DataFrame({"0": texts_of(dump, some)}, schema={"0": pl.String})

    details = (("dump", dump.survey.dialect.title), ("encoding", dump.encoding.name), *describe(dump.original))
    info = TableInfo(dump.original.source, COMMENTS, "sql", False, (Field("text"),), details)
    return ReadTable(info, frames, dump.options.rows, DumpComments(dump))


def parts_of(comments: Sequence[Comment], most: int) -> Iterator[Sequence[Comment]]:
    """Yield comments, so many at a time."""
    for start in range(0, len(comments), most):
        yield comments[start : start + most]


def texts_of(dump: Dump, comments: Sequence[Comment]) -> list[str]:
    """Return the texts of comments, and account for them."""
    claim, texts = _claims(dump), []
    with dump.content.open() as stream:
        for comment in comments:
            stream.seek(comment.start)
            raw = stream.read(comment.end - comment.start)
            texts.append(text_of(raw, comment.form, dump.survey.dialect, dump.encoding.errors))
            claim(comment.start, comment.end)
    return texts


def _others(found: Survey) -> list[tuple[int, int]]:
    """Return the ranges that are neither rows nor comments, nor statistics of columns."""
    out, waiting = [], iter(sorted([*((one.start, one.end) for one in found.comments), *found.statistics]))
    other = next(waiting, None)
    for start, end in sorted([*found.texts, *found.left]):
        at = start
        while other is not None and other[0] < end:
            if other[0] > at:
                out.append((at, other[0]))
            at, other = other[1], next(waiting, None)
        if at < end:
            out.append((at, end))
    return out


def _lines_of(dump: Dump, name: str, ranges: Sequence[tuple[int, int]], detail: tuple[str, str]) -> ReadTable:
    """Return ranges of a dump as a table of lines. `detail`: whether they are in a masked dump."""

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        for lines in _lines(dump, ranges):
            yield pl.DataFrame({"0": lines}, schema={"0": pl.String})

    details = (detail, *describe(dump.original))
    return ReadTable(TableInfo(dump.original.source, name, "text", False, (Field("text"),), details), frames)


def _lines(dump: Dump, ranges: Sequence[tuple[int, int]]) -> Iterator[list[str]]:
    lines: list[str] = []
    held, most, longest = 0, shares.batch(), dump.options.limits.line_chars
    claim = _claims(dump)
    with dump.content.open() as stream:
        for start, end in ranges:
            stream.seek(start)
            rest, left = "", end - start
            decoder = codecs.getincrementaldecoder("utf-8")(dump.encoding.errors)
            while left:
                block = stream.read(min(left, most))
                if not block:
                    raise ReadError("changed while it was read; scan it again")
                left -= len(block)
                more = (rest + decoder.decode(block, final=not left)).split("\n")
                rest = more.pop() if left else ""
                for line in more:
                    held += len(line)
                    lines += [line[at : at + longest] for at in range(0, max(1, len(line)), longest - OVERLAP)]
                if held > most:
                    yield lines
                    lines, held = [], 0
            claim(start, end)
    yield lines
