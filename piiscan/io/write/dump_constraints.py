"""Hold new cells to what a database checks when it loads a dump.

These are types, lengths, NOT NULL, CHECK, uniqueness and keys of other tables. They are checked before the output gets
its name, so that no dump comes out that they would keep from loading.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from piiscan.core.errors import TableRefusal
from piiscan.io.dumps.conditions import is_json
from piiscan.io.dumps.dump_tables import DumpTable
from piiscan.io.dumps.schema import Column, ColumnType
from piiscan.io.write.dump_cells import as_text

if TYPE_CHECKING:
    import polars as pl

_PATTERNS: Final[Mapping[str, str]] = {
    "date": r"^\d{4,6}-\d\d-\d\d(?: BC)?$|^-?infinity$",
    "time": r"^\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d(?::?\d\d)?)?$",
    "timestamp": r"^\d{4,6}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d(?::?\d\d)?|Z)?(?: BC)?$|"
    r"^\d{4,6}-\d\d-\d\d$|^-?infinity$",
    "uuid": r"^[0-9A-Fa-f]{8}-?(?:[0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}$",
    "macaddr": r"^(?:[0-9A-Fa-f]{2}[:-]?){5}[0-9A-Fa-f]{2}$",
    "boolean": r"^(?i:t|f|true|false|0|1|yes|no)$",
    "year": r"^\d{4}$",
    "wide": r"^[+-]?\d+$",
    "decimal": r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$|^(?i:nan)$",
    "float": r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$|^[+-]?(?i:nan|inf|infinity)$",
}
_BASES: Final = (
    (re.compile(r"timestamp|datetime"), "timestamp"), (re.compile(r"time\b"), "time"), (re.compile(r"date\b"), "date"),
    (re.compile(r"uuid"), "uuid"), (re.compile(r"macaddr"), "macaddr"), (re.compile(r"bool"), "boolean"),
    (re.compile(r"year"), "year"),
)  # fmt: skip
_INSTEAD: Final = "give the column another operator in the plan, such as operator = "


class Constraints:
    """The constraints of one table.

    `changed`: the columns that get new cells. Batches are checked in order; `close` checks what needs all of them.
    """

    def __init__(self, table: DumpTable, place: str, changed: Sequence[int]) -> None:
        self._table, self._place, self._changed = table, place, changed
        names = [column.name for column in table.columns]
        declared = table.dump.survey.table(table.key)
        indices = {name: i for i, name in enumerate(names)}
        self._unique: dict[tuple[int, ...], list[pl.Series]] = {}
        for columns in declared.unique:
            places = tuple(indices[name] for name in columns if name in indices)
            if len(places) == len(columns) and set(places) & set(changed):
                self._unique[places] = []
        required = set(declared.primary) if table.dump.survey.dialect.name != "sqlite" else set()
        self._required = {i for i, c in enumerate(table.columns) if c.required or c.name in required}
        held, _ = table.conditions()
        self._checks = [check for check in held if set(check.columns) & set(changed)]
        self._keys: dict[tuple[int, ...], list[pl.Series]] = {}

    def watch(self, columns: tuple[int, ...]) -> None:
        """Keep fingerprints of these columns' new cells together, for the keys of tables."""
        self._keys.setdefault(columns, [])

    def forget_rows(self) -> None:
        """Check each row by itself, without what needs all of them: unique columns, keys of tables."""
        self._unique, self._keys = {}, {}

    def filled(self, column: int, old: pl.Series, new: pl.Series) -> pl.Series:
        """Return new cells, with the empty text in place of NULL where NULL isn't allowed. Raises `TableRefusal`."""
        import polars as pl

        if column not in self._required:
            return new
        emptied = new.is_null() & old.is_not_null()
        if not emptied.any():
            return new
        if self._type(column).kind not in ("text", "bytes") or new.dtype != pl.String:
            raise self._refused(column, "takes no NULL, and its new values are NULL")
        return pl.select(pl.when(emptied).then(pl.lit("")).otherwise(new).alias(new.name)).to_series()

    def see(self, frame: pl.DataFrame, differs: Mapping[int, pl.Series]) -> None:
        """Check rows as they will be written, given where their cells are new. Raises `TableRefusal`."""
        for column, which in differs.items():
            if which.any():
                self._of_type(column, frame[str(column)].filter(which))
        for check in self._checks:
            if broken := check.broken(frame):
                raise self._refused(
                    check.columns[0], f"has new values that the CHECK {check.name} refuses ({broken:,} rows)"
                )
        for columns, prints in [*self._unique.items(), *self._keys.items()]:
            prints.append(_prints(frame, columns))

    def close(self) -> None:
        """Raise `TableRefusal` where values that have to be different are equal."""
        import polars as pl

        for columns, prints in self._unique.items():
            whole = pl.concat(prints) if prints else pl.Series([], dtype=pl.UInt64)
            filled = whole.drop_nulls()
            if filled.n_unique() < len(filled):
                raise self._refused(columns[0], "is unique, and some of its new values are equal")
            prints[:] = []

    def prints(self, columns: tuple[int, ...]) -> pl.Series:
        import polars as pl

        found = self._keys.get(columns) or [pl.Series([], dtype=pl.UInt64)]
        return pl.concat(found).drop_nulls().unique()

    def _type(self, column: int) -> ColumnType:
        return self._table.columns[column].type

    def _of_type(self, column: int, new: pl.Series) -> None:
        import polars as pl

        kind = self._type(column)
        if isinstance(new.dtype, pl.List):
            return
        texts = as_text(new).drop_nulls()
        if kind.length is not None and kind.kind == "text" and self._table.dump.survey.dialect.name != "sqlite":
            if ((texts.str.len_chars()) > kind.length).any():
                raise self._refused(column, f"takes {kind.length} characters, and a new value has more")
        elif kind.kind == "enum":
            if (~texts.is_in(list(kind.labels))).any():
                raise self._refused(column, "takes the values of its ENUM only, and new ones are others")
        elif kind.kind == "integer":
            numbers = texts.cast(pl.Int64, strict=False)
            if numbers.null_count() or _beyond(numbers, kind):
                raise self._refused(column, f"is {kind.base}, and new values aren't, or are beyond it")
        elif (test := _test(kind)) is not None:
            if test(texts):
                raise self._refused(column, f"is {kind.base}, and new values aren't")
        elif kind.is_opaque and len(texts):
            raise self._refused(
                column, f"is of a type of which piiscan can't tell what fits it ({kind.base or 'none'})"
            )

    def _refused(self, column: int, what: str) -> TableRefusal:
        from piiscan.io import printed_names

        shown = printed_names.column(self._table.columns[column].name, column)
        fitting = '"keep"' if column in self._required else '"suppress" or "keep"'
        return TableRefusal(f"{self._place}: column {shown} {what}; {_INSTEAD}{fitting}")


def _beyond(numbers: pl.Series, kind: ColumnType) -> bool:
    low, high = kind.smallest, kind.largest
    return low is not None and high is not None and bool(((numbers < low) | (numbers > high)).any())


def _test(kind: ColumnType) -> Callable[[pl.Series], bool] | None:
    """Return whether some texts aren't of a type."""
    if kind.kind in ("wide", "decimal", "float"):
        return lambda texts: bool((~texts.str.contains(_PATTERNS[kind.kind])).any()) or _too_long(texts, kind)
    if kind.kind != "other":
        return None
    if re.match(r"jsonb?\b", kind.base):
        return lambda texts: not all(map(is_json, texts.to_list()))
    if re.match(r"(?:inet|cidr)\b", kind.base):
        return lambda texts: not all(map(_is_address, texts.to_list()))
    name = next((name for pattern, name in _BASES if pattern.match(kind.base)), None)
    return None if name is None else lambda texts: bool((~texts.str.contains(_PATTERNS[name])).any())


def _too_long(texts: pl.Series, kind: ColumnType) -> bool:
    if kind.digits is None:
        return False
    whole = texts.str.strip_chars_start("+-").str.extract(r"^0*(\d*)", 1).str.len_chars()
    return bool((whole > kind.digits - kind.scale).any())


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return True


def _prints(frame: pl.DataFrame, columns: tuple[int, ...]) -> pl.Series:
    """Return fingerprints of the cells of some columns together, null where one of them is."""
    import polars as pl

    names = [str(i) for i in columns]
    texts = frame.select(as_text(frame[name]) for name in names)
    hashed = texts.hash_rows(seed=17)
    empty = pl.any_horizontal(pl.col(name).is_null() for name in names)
    return pl.select(pl.when(texts.select(empty).to_series()).then(None).otherwise(hashed)).to_series()


def columns_by_name(columns: Sequence[Column]) -> dict[str, int]:
    return {column.name: i for i, column in enumerate(columns)}
