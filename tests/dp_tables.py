"""Small tables and requests for the tests of differential privacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import polars as pl
from hypothesis import strategies as st

from piiscan.dp.domains import Categories, Domain, Keys, Number, Unbounded
from piiscan.dp.privacy import Privacy
from piiscan.dp.request import Request

SCORE = Number(0, 120, (18, 65))
DEPT = Categories(("a", "b"))
COLUMNS: tuple[tuple[str, Domain], ...] = (("score", SCORE), ("dept", DEPT), ("city", Keys()))

numbers = st.sampled_from(
    ["0", "17.9999", "18", "64.5", "120", "-5", "1e300", "inf", "-inf", "nan", "x", "", " 30 ", "59.5"]
) | st.floats(-200, 300).map(str)
words = st.sampled_from(["a", "b", "c", "", " a", "A"])
cities = st.sampled_from(["X", "Y", "Z", ""])
units = st.sampled_from(["p1", "p2", "p3", ""])
Row = tuple[str, str, str, str]
rows = st.lists(st.tuples(numbers, words, cities, units), max_size=14)


def frame(table: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(table, schema=dict.fromkeys(("score", "dept", "city", "person"), pl.String), orient="row")


def request(**changed: Any) -> Request:
    """Everything there is to ask about the columns of `frame`."""
    asked: dict[str, Any] = {
        "dataset": "people", "version": "", "columns": COLUMNS, "epsilon": 1.0, "delta": 1e-6,
        "by": (("dept",), ("city",), ("dept", "score")), "cross": (("dept", "score"),),
    }  # fmt: skip
    return Request(**asked | changed)


def unbounded(**changed: Any) -> Request:
    return request(columns=(("score", Unbounded()), ("dept", DEPT)), by=(("dept",),), cross=(), **changed)


def privately(verb: Callable[..., Any], data: Any, **asked: Any) -> Any:
    """What a verb gives for a table; of what is asked, the part that says privacy becomes a `Privacy`."""
    said = {f.name: asked.pop(f.name) for f in fields(Privacy) if f.name in asked}
    return verb(data, privacy=Privacy(**said), **asked)
