"""Turn the rows of a part of a dump into a frame, with the declared types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.dumps import copy_rows, insert_rows, literals, regular_rows
from piiscan.io.dumps.insert_rows import Block, Row
from piiscan.io.dumps.schema import ColumnType
from piiscan.io.dumps.statements import Kind

if TYPE_CHECKING:
    import polars as pl

_PLAIN: Final = r"^[+-]?[0-9]+(?:\.[0-9]+)?$"


class Layout(NamedTuple):
    """How rows of a table are written.

    By COPY, else by INSERT, and with which types. A table may have rows of both kinds. `escapes`: whether a backslash
    escapes within quotes. `errors`: what to do with bytes that aren't UTF-8.
    """

    is_copy: bool
    types: tuple[ColumnType, ...]
    escapes: bool
    errors: str

    def of(self, kind: Kind) -> Layout:
        """Return how the rows of parts of a kind are written."""
        return self._replace(is_copy=kind == "copy")

    @property
    def width(self) -> int:
        return len(self.types)

    @property
    def has_copy_bytes(self) -> bool:
        """Whether bytes are written as PostgreSQL writes them, as digits within quotes."""
        return not self.escapes


def raw_of(data: bytes, words: bytes, layout: Layout) -> Block | pl.DataFrame | None:
    """Return the cells of whole rows as written, in columns; None where they must be cut row by row."""
    if layout.is_copy:
        return copy_rows.in_columns(data, layout.width)
    return insert_rows.in_columns(data, words, layout.width, layout.escapes)


def rows_of(data: bytes, words: bytes, layout: Layout) -> Iterator[Row]:
    """Yield whole rows, one by one. Raises `ReadError`."""
    if layout.is_copy:
        return copy_rows.rows(data, layout.width)
    return insert_rows.rows(data, words, layout.width, layout.escapes)


def frame_of(data: bytes, words: bytes, layout: Layout) -> pl.DataFrame:
    """Return the cells of whole rows.

    Raises `ReadError` where a cell isn't of its column's type, or a row has another width.
    """
    if not layout.is_copy:
        texts = regular_rows.values(data, words, layout.width, layout.escapes)
        if texts is not None:
            return _typed(texts, layout)
    raw = raw_of(data, words, layout)
    if raw is None:
        return values_of_rows(list(rows_of(data, words, layout)), layout)
    return values_of(raw if layout.is_copy else raw.raw, layout)  # type: ignore[arg-type, union-attr]


def values_of(raw: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Return the values that raw cells represent."""
    import polars as pl

    of_text = _copied if layout.is_copy else partial(_inserted, escapes=layout.escapes)
    return _typed(pl.DataFrame([of_text(cells) for cells in raw.iter_columns()]), layout)


def _typed(texts: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Return columns of text in their declared types."""
    import polars as pl

    return pl.DataFrame(
        [
            typed(cells, kind, layout).alias(str(i))
            for i, (cells, kind) in enumerate(zip(texts.iter_columns(), layout.types, strict=True))
        ]
    )


def values_of_rows(rows: Sequence[Row], layout: Layout) -> pl.DataFrame:
    """Return the values that the cells of rows represent."""
    import polars as pl

    def decode(cell: bytes) -> str:
        return cell.decode("utf-8", layout.errors)

    read: Callable[[bytes], str | None] = (
        partial(literals.of_copy, decode=decode)
        if layout.is_copy
        else partial(literals.of_insert, escapes=layout.escapes, decode=decode)
    )
    try:
        columns = [[read(row.cells[i]) for row in rows] for i in range(layout.width)]
    except UnicodeDecodeError:
        raise ReadError("not valid UTF-8 from some row on; name its encoding with --encoding") from None
    return _typed(
        pl.DataFrame([pl.Series(str(i), column, pl.String, strict=False) for i, column in enumerate(columns)]), layout
    )


def typed(texts: pl.Series, kind: ColumnType, layout: Layout) -> pl.Series:
    """Return texts as cells of a column's type."""
    import polars as pl

    if kind.kind == "integer":
        numbers = texts.cast(pl.Int64, strict=False)
        if numbers.null_count() != texts.null_count():
            raise ReadError(f"a cell that is no {kind.base}, as its column is declared; the rest was not read")
        return numbers
    if kind.kind == "bytes" and not layout.escapes:
        return _mapped(texts, texts.str.starts_with("\\x"), literals.of_hex)
    if kind.kind == "array":
        return pl.Series(texts.name, list(map(literals.of_array, texts.to_list())), pl.List(pl.String))
    return texts


def _copied(raw: pl.Series) -> pl.Series:
    import polars as pl

    slashes = raw.str.contains("\\", literal=True)
    if not slashes.any():
        return raw
    nothing = raw == "\\N"
    out = pl.select(pl.when(nothing).then(None).otherwise(raw).alias(raw.name)).to_series()
    return _mapped(out, slashes & ~nothing, _from_copy)


def _from_copy(cell: str | None) -> str | None:
    return literals.of_copy((cell or "").encode(), _lossy)


def _lossy(cell: bytes) -> str:
    from piiscan.io.encodings.encoding import Encoding

    return cell.decode("utf-8", Encoding("utf-8", True).errors)


def _inserted(raw: pl.Series, escapes: bool) -> pl.Series:
    import polars as pl

    if raw.str.contains("^[nN]'").any():  # of SQL Server, whose strings all begin so
        raw = raw.str.replace("^[nN]'", "'")
    nothing = raw == "NULL"
    quoted = raw.str.starts_with("'") & raw.str.ends_with("'") & (raw.str.len_bytes() > 1)
    inner = raw.str.strip_prefix("'").str.strip_suffix("'")
    odd = ~(nothing | quoted)
    if odd.any():
        odd &= ~raw.str.contains(_PLAIN)
    marks = inner.str.contains("'", literal=True) & quoted
    if marks.any():
        # A quote is doubled within a string; a single one ends it, and more follows.
        single = inner.str.replace_all("''", "", literal=True).str.contains("'", literal=True)
        odd |= quoted & single
        inner = inner.str.replace_all("''", "'", literal=True)
    if escapes:
        odd |= quoted & inner.str.contains("\\", literal=True)
    out = pl.select(pl.when(nothing).then(None).when(quoted).then(inner).otherwise(raw).alias(raw.name)).to_series()
    if not odd.any():
        return out
    at = odd.arg_true()
    read = [literals.of_insert(cell.encode(), escapes, _lossy) for cell in raw.gather(at).to_list()]
    return out.scatter(at, pl.Series(read, dtype=pl.String, strict=False))


def _mapped(cells: pl.Series, which: pl.Series, change: Callable[[str | None], str | None]) -> pl.Series:
    """Return cells of which some are changed one by one."""
    import polars as pl

    at = which.fill_null(False).arg_true()
    if not len(at):
        return cells
    new = [change(cell) for cell in cells.gather(at).to_list()]
    return cells.scatter(at, pl.Series(new, dtype=pl.String))
