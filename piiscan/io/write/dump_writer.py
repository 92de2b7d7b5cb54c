"""Write dumps of databases: cells that change are written as the dump's program writes them.

Every other byte stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from piiscan.core.errors import ReadError, TableRefusal, UsageError
from piiscan.core.types import Batch
from piiscan.io.content import ReadTable
from piiscan.io.dumps import cells, copy_rows, insert_rows
from piiscan.io.dumps.comments import written as written_comment
from piiscan.io.dumps.dump_tables import Dump, DumpComments, DumpTable, parts_of, texts_of
from piiscan.io.dumps.insert_rows import Block
from piiscan.io.dumps.survey import Run
from piiscan.io.write.change import CHANGED, Change, applied, reading, where
from piiscan.io.write.dump_cells import as_text, rows_written, written
from piiscan.io.write.dump_constraints import Constraints
from piiscan.io.write.encoded import opened

if TYPE_CHECKING:
    import polars as pl

_COPIED = 1 << 20


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """Write all tables of a dump, and what is between them."""
    dump: Dump = tables[0].origin.dump
    writers: dict[Any, TableWriter] = {}
    comments: Sequence[bytes | None] = [None] * len(dump.survey.comments)
    for table, change in zip(tables, changes, strict=True):
        if change is not None and isinstance(table.origin, DumpComments):
            comments = _new_comments(table, change)
        elif change is not None:
            writers[table.origin.key] = TableWriter(table, change)
    references = list(_references([t for t in tables if isinstance(t.origin, DumpTable)], writers))
    with dump.content.open() as stream, opened(target, dump.original, dump.encoding) as out:
        for end, new in _segments(dump, writers, comments):
            if new is None:
                for data in _blocks(stream, end - stream.tell()):
                    out.write(data)
            else:
                out.write(new(stream))
                stream.seek(end)
    for writer in writers.values():
        writer.constraints.close()
    for place, child, parent in references:
        if not child().is_in(parent().implode()).all():
            raise TableRefusal(
                f"{place}: new values aren't those of the table that the foreign key names; give the columns of both "
                "tables the same operator and domain"
            )
    dump.original.read_whole()


def _segments(
    dump: Dump, writers: dict[Any, TableWriter], comments: Sequence[bytes | None]
) -> Iterator[tuple[int, Callable[[IO[bytes]], bytes] | None]]:
    """Yield the dump from its first byte to its last: where each part ends, and what makes its new bytes.

    Statistics of columns are left out.
    """
    new: list[tuple[int, int, Callable[[IO[bytes]], bytes]]] = [
        (run.start, run.end, partial(writers[rows.key].read, run))
        for rows in dump.survey.rows.values()
        if rows.key in writers
        for run in rows.runs
        if run.start < run.end
    ]
    for comment, text in zip(dump.survey.comments, comments, strict=True):
        if text is not None:
            new.append((comment.start, comment.end, lambda _, text=text: text))  # type: ignore[misc]
    new += [(start, end, lambda _: b"") for start, end in dump.survey.statistics]
    at = 0
    for start, end, write_new in sorted(new, key=lambda segment: segment[0]):
        if start > at:
            yield start, None
        yield end, write_new
        at = end
    if at < dump.content.size:
        yield dump.content.size, None


def _new_comments(table: ReadTable, change: Change) -> list[bytes | None]:
    """Return the new texts of comments; None where they stay."""
    dump: Dump = table.origin.dump
    _check_columns(table, change)
    out: list[bytes | None] = []
    for some in parts_of(dump.survey.comments, dump.options.batch_rows):
        import polars as pl

        texts = texts_of(dump, some)
        batch = Batch(pl.DataFrame({"0": texts}, schema={"0": pl.String}), len(out))
        changed = applied(change, batch, table.info)
        if change.columns[0].same:
            return [None] * len(dump.survey.comments)
        if changed.kept is not None:
            raise UsageError(f"{where(table.info)}: comments can't be left out; suppress them")
        new = as_text(changed.frame["0"]).to_list()
        with dump.content.open() as stream:
            for comment, old, text in zip(some, texts, new, strict=True):
                stream.seek(comment.start)
                raw = stream.read(comment.end - comment.start)
                same = text == old
                out.append(None if same else written_comment(text or "", raw, comment.form, dump.survey.dialect))
    return out


def _blocks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size:
        with reading():
            data = stream.read(min(size, _COPIED))
        if not data:
            raise ReadError(CHANGED)
        size -= len(data)
        yield data


def _references(tables: Sequence[ReadTable], writers: dict[Any, TableWriter]) -> Iterator[tuple[str, Any, Any]]:
    """Return the references of which a column changes: where they are, and the fingerprints of both sides."""
    from piiscan.io import printed_names

    by_key: dict[Any, DumpTable] = {table.origin.key: table.origin for table in tables}
    for table in by_key.values():
        indices = {column.name: i for i, column in enumerate(table.columns)}
        for reference in table.dump.survey.table(table.key).references:
            there = by_key.get(reference.table)
            if there is None or table.key not in writers or there.key not in writers:
                continue
            targets = reference.targets or there.dump.survey.table(there.key).primary
            theirs = {column.name: i for i, column in enumerate(there.columns)}
            if not set(reference.columns) <= set(indices) or not set(targets) <= set(theirs):
                continue
            here, of = tuple(indices[c] for c in reference.columns), tuple(theirs[c] for c in targets)
            one, other = writers[table.key], writers[there.key]
            if set(here) & set(one.changed) or set(of) & set(other.changed):
                one.constraints.watch(here)
                other.constraints.watch(of)
                names = ", ".join(printed_names.column(table.columns[i].name, i) for i in here)
                yield (
                    f"{one.place}: column{'s' * (len(here) > 1)} {names}",
                    lambda w=one, c=here: w.constraints.prints(c),
                    lambda w=other, c=of: w.constraints.prints(c),
                )


class TableWriter:
    """Writes the rows of one table, run by run.

    Raises `UsageError` for columns that are left out or renamed: they are in statements that are copied.
    """

    def __init__(self, table: ReadTable, change: Change) -> None:
        self._table: DumpTable = table.origin
        self._info, self._change, self._row = table.info, change, 0
        self.place = where(table.info)
        _check_columns(table, change)
        self.changed = [i for i, column in enumerate(change.columns) if not column.same]
        self.constraints = Constraints(self._table, self.place, self.changed)

    @property
    def rows(self) -> int:
        """Return how many rows were written."""
        return self._row

    def read(self, run: Run, stream: IO[bytes]) -> bytes:
        """Return the rows at the place where a dump is, as they will be written."""
        with reading():
            data = stream.read(run.end - run.start)
        return self.written(data, run)

    def written(self, data: bytes, run: Run) -> bytes:
        """Return whole rows as they will be written."""
        layout = self._table.layout.of(run.kind)
        if run.kind == "long":
            raise ReadError("a row that doesn't fit into memory; allow more with --memory")
        raw = cells.raw_of(data, run.words, layout) if _is_valid(data) else None
        frame = raw.raw if isinstance(raw, Block) else raw
        if raw is None or frame is None or _joined(raw, frame) != data:
            return self._row_by_row(data, run)
        new, differs = self._new(cells.values_of(frame, layout))
        if not any(which.any() for which in differs.values()):
            return data
        columns = [
            written(frame[str(i)], new[str(i)], differs[i], self._table.columns[i].type, layout).alias(str(i))
            for i in self.changed
        ]
        return _joined(raw, frame.with_columns(columns))

    def _row_by_row(self, data: bytes, run: Run) -> bytes:
        layout = self._table.layout.of(run.kind)
        rows = list(cells.rows_of(data, run.words, layout))
        new, differs = self._new(cells.values_of_rows(rows, layout))
        for i in self.changed:
            rows_written(rows, i, new[str(i)], differs[i], self._table.columns[i].type, layout)
        parts: list[bytes] = []
        for row in rows:
            for before, cell in zip(row.before, row.cells, strict=True):
                parts += [before, cell]
            parts.append(row.behind)
        return b"".join(parts)

    def _new(self, values: pl.DataFrame) -> tuple[pl.DataFrame, dict[int, pl.Series]]:
        """Return the rows with their new cells, and where each column's differ from the old ones."""
        import polars as pl

        parts = []
        step = max(1, self._table.dump.options.batch_rows)
        for start in range(0, values.height, step):
            part = values.slice(start, step).rechunk()
            changed = applied(self._change, Batch(part, self._row), self._info)
            if changed.kept is not None:
                raise UsageError(f"{self.place}: rows of a dump can't be left out")
            self._row += part.height
            parts.append(changed.frame)
        new = pl.concat(parts)
        differs: dict[int, pl.Series] = {}
        columns = []
        for i in self.changed:
            old, cells_of = values[str(i)], new[str(i)]
            if cells_of.dtype != old.dtype and not isinstance(old.dtype, pl.List):
                old, cells_of = as_text(old), as_text(cells_of)
            cells_of = self.constraints.filled(i, old, cells_of).alias(str(i))
            differs[i] = cells_of.ne_missing(old)
            columns.append(cells_of)
        whole = values.with_columns(columns)
        self.constraints.see(whole, differs)
        return whole, differs


def _check_columns(table: ReadTable, change: Change) -> None:
    place = where(table.info)
    if [column.origin for column in change.columns] != list(range(len(table.info.fields))):
        raise UsageError(f"{place}: a dump's columns can't be left out; suppress them instead of dropping them")
    if any(c.field.name != f.name for c, f in zip(change.columns, table.info.fields, strict=True)):
        raise UsageError(f"{place}: columns of a dump keep their names")


def _joined(raw: Block | pl.DataFrame, frame: pl.DataFrame) -> bytes:
    return insert_rows.together(raw, frame) if isinstance(raw, Block) else copy_rows.together(frame)


def _is_valid(data: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
