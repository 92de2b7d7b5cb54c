"""What the tests of operators share: every operator with parameters, columns of every type, and an engine of a few
lines."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import polars as pl
from hypothesis import settings
from hypothesis import strategies as st

from piiscan.core.keys import Subkey
from piiscan.masking.apply.distinct_values import on_distinct
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.operator_registry import make
from piiscan.masking.operators.preconditions import kind

KEY = Subkey(bytes(range(32)))
OTHER = Subkey(bytes(range(1, 33)))

CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("keep", {}),
    ("suppress", {}),
    ("drop", {}),
    ("redact", {}),
    ("redact", {"entity": "EMAIL_ADDRESS"}),
    ("partial", {}),
    ("partial", {"keep_first": 1, "keep_last": 2, "keep_domain": True}),
    ("partial", {"keep_first": 1, "fixed": 3, "keep_domain": True, "character": "•"}),
    ("partial", {"keep_last": 2, "keep_separators": False, "character": "$"}),
    ("date-generalise", {"level": "day"}),
    ("date-generalise", {"level": "week"}),
    ("date-generalise", {"level": "month", "style": "first"}),
    ("date-generalise", {"level": "month"}),
    ("date-generalise", {"level": "quarter"}),
    ("date-generalise", {"level": "year", "earliest": 1935}),
    ("date-generalise", {"level": "decade", "format": "%d.%m.%Y"}),
    ("date-shift", {"days": 30}),
    ("bins", {"width": 5}),
    ("bins", {"width": 0.25, "origin": -0.1}),
    ("bins", {"width": 10, "label": "lower"}),
    ("bins", {"cuts": [0, 18, 65.5]}),
    ("round", {"base": 10}),
    ("top-bottom", {"top": 90}),
    ("top-bottom", {"top": 90, "bottom": -3, "form": "text"}),
    ("above", {"cut": 12}),
    ("hierarchy", {"groups": {"small": ["1", "2"], "word": ["abc", "Ł"]}}),
    ("hierarchy", {"level": 2, "rows": [["1", "low", "number"], ["7", "high", "number"], ["abc", "w", "text"]]}),
    ("prefix", {"keep": 3}),
    ("prefix", {"keep": 2, "width": 5, "character": "x"}),
    ("zip3", {}),
    ("resample", {"least": 1}),
    ("noise", {"scale": 2}),
    ("noise", {"scale": 2.5, "law": "gaussian", "low": 0, "high": 90, "decimals": 2}),
    ("shuffle", {}),
)
"""Every operator that comes with piiscan, in each of its forms."""

law = settings(deadline=None, max_examples=50)
"""How a law is tried: a first call that loads a library may take its time."""

words = st.sampled_from(
    [
        "",
        " ",
        "abc",
        "Ł",
        "żółć ęą",
        "日本",
        "😀",
        "a@b.example",
        "-",
        "1",
        "2",
        "02139",
        "12345-6789",
        "1,234.5",
        "1e3",
        "-7",
        "2024-05-17",
        "17.05.2024 10:00",
        "May 7, 2020",
        "x" * 60,
        "9" * 60,
        "NaN",
        "inf",
        "a\nb",
        "$1",
        "\\1",
    ]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
dates = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
COLUMNS: dict[str, tuple[pl.DataType, st.SearchStrategy[Any]]] = {
    "text": (pl.String(), words),
    "text of numbers": (
        pl.String(),
        st.sampled_from(["1", "12.50", "-3", "1,000", "90", "89.9"]) | st.integers(-100, 100).map(str),
    ),
    "text of dates": (pl.String(), dates.map(str) | st.just("no date")),
    "int64": (pl.Int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 100)),
    "uint64": (pl.UInt64(), st.integers(0, 2**64 - 1) | st.integers(0, 100)),
    "int8": (pl.Int8(), st.integers(-128, 127)),
    "float64": (
        pl.Float64(),
        st.floats() | st.sampled_from([0.1, 0.3, -0.0, 18.0, 1e300, float("nan"), float("inf"), -float("inf")]),
    ),
    "float32": (pl.Float32(), st.floats(width=32)),
    "boolean": (pl.Boolean(), st.booleans()),
    "date": (pl.Date(), dates),
    "datetime": (pl.Datetime("us"), st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31))),
    "datetime ns": (pl.Datetime("ns"), st.datetimes(dt.datetime(1678, 1, 1), dt.datetime(2261, 12, 31))),
    "datetime zoned": (
        pl.Datetime("ms", "Europe/Warsaw"),
        st.datetimes(dt.datetime(1920, 1, 1), dt.datetime(2037, 12, 31)),
    ),
}


def column(name: str, cells: Sequence[Any]) -> pl.Series:
    """A column of one of the types of `COLUMNS`."""
    dtype, _ = COLUMNS[name]
    if isinstance(dtype, pl.Datetime) and dtype.time_zone:
        naive = pl.Series("c", cells, pl.Datetime(dtype.time_unit))
        return naive.dt.replace_time_zone(dtype.time_zone, ambiguous="earliest", non_existent="null")
    return pl.Series("c", cells, dtype)


def filled(name: str, max_size: int = 12, min_size: int = 0) -> st.SearchStrategy[pl.Series]:
    """Columns of a type, with nulls."""
    cells = st.lists(st.none() | COLUMNS[name][1], min_size=min_size, max_size=max_size)
    return cells.map(lambda cells: column(name, cells))


def counts_of(cells: pl.Series) -> pl.DataFrame:
    """What `Operator.fit` gets."""
    return (
        cells.drop_nulls()
        .rename("value")
        .value_counts(sort=False)
        .sort("value")
        .with_columns(pl.col("count").cast(pl.UInt32))
    )


def surroundings(rows: int) -> RowContext:
    """Subjects of three rows each, and two groups."""
    return RowContext(
        subjects=pl.Series([f"s{i // 3}" for i in range(rows)], dtype=pl.String),
        groups=pl.Series([f"g{i % 2}" for i in range(rows)], dtype=pl.String),
        first=0,
    )


def ready(operator: Any, cells: pl.Series, rows: RowContext | None = None, key: Subkey | None = KEY) -> Any:
    """The operator once it has seen the whole column."""
    if operator.fitted_on == "counts":
        operator = operator.fit(counts_of(cells))
    if operator.fitted_on == "column":
        operator = operator.fit_rows(cells, rows or surroundings(len(cells)), key)
    return operator


def apply(
    operator: Any, cells: pl.Series, rows: RowContext | None = None, key: Subkey | None = KEY, cuts: Sequence[int] = ()
) -> pl.Series:
    """A column as applying a plan masks it, in the parts that the cuts make."""
    rows = rows or surroundings(len(cells))
    operator = ready(operator, cells, rows, key)
    parts = []
    for a, b in pairwise([0, *sorted(min(c, len(cells)) for c in cuts), len(cells)]):
        part = cells.slice(a, b - a)
        if operator.needs:
            assert rows.subjects is not None and rows.groups is not None and rows.first is not None
            around = RowContext(rows.subjects.slice(a, b - a), None, rows.groups.slice(a, b - a), rows.first + a)
            parts.append(operator.mask_rows(part, around, key))
        else:
            parts.append(on_distinct(part, lambda values: as_many(values, operator.mask(values, key))))
    return pl.concat(parts)


def as_many(values: pl.Series, masks: pl.Series) -> pl.Series:
    assert len(masks) == len(values)
    return masks


def parameters(operator: Any) -> dict[str, Any]:
    """Those that differ from their defaults."""
    return {f.name: value for f in fields(operator) if f.init and (value := getattr(operator, f.name)) != f.default}


def takes(operator: Any, cells: pl.Series) -> bool:
    """Whether an operator says that it masks a column of this type."""
    from piiscan.core.errors import UsageError

    try:
        operator.dtype(kind(cells.dtype))
    except UsageError:
        return False
    return True


def all_cases() -> list[Any]:
    """The cases as pytest shows them."""
    import pytest

    return [pytest.param(make(name, params), id=f"{name} {params}" if params else name) for name, params in CASES]
