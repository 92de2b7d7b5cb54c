"""Draws rows from a release, as a frame: always the same ones for the same release and number."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from piiscan.core.errors import UsageError
from piiscan.dp.domains import OTHER
from piiscan.synthesis import draw_rows, needs

if TYPE_CHECKING:
    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats, Scope

MOST_ROWS: Final = 10_000_000
"""The limit unless more are asked for: if the noise is large, the estimated number of rows may be too."""
_PLACES: Final = 100
"""A bin that isn't of whole numbers contains at least this many possible numbers."""
_EXACT: Final = 1 << 53


def frame(text: str, n: int | None = None, decimals: Mapping[str, int] | None = None) -> pl.DataFrame:
    """Draw `n` rows from the text of a release; by default about as many as there were, at most `MOST_ROWS`.

    `decimals`: digits after the decimal point, by numeric column. A number is uniform in its bin. Undeclared values
    become the word `(other)`, and missing ones null.
    """
    release = json.loads(text)
    columns, names = release["columns"], [column["name"] for column in release["columns"]]
    sizes = [len(c["categories"]) + 2 if c["kind"] == "categories" else len(c["edges"]) for c in columns]
    groups = [np.array(c.get("groups", range(size)), dtype=np.int64) for c, size in zip(columns, sizes, strict=True)]
    factors: dict[Scope, Floats] = {}
    within: dict[int, Floats] = {}
    for table in release["tables"]:
        scope = tuple(names.index(name) for name in table["columns"])
        if len(scope) == 1:
            within[scope[0]] = np.array(table["factor"])
            factors[scope] = np.asarray(np.bincount(groups[scope[0]], weights=within[scope[0]]), dtype=np.float64)
        else:
            factors[scope] = np.array(table["factor"]).reshape([int(groups[c][-1]) + 1 for c in scope])
    # The seed need not be secret: the release is public.
    random = np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(text.encode()).digest())))
    n = min(max(1, release["rows"]["value"]), MOST_ROWS) if n is None else n
    needs.demand_rows(n, len(sizes))
    drawn = draw_rows.codes([int(group[-1]) + 1 for group in groups], factors, n, random)
    codes = [draw_rows.within(drawn[c], groups[c], within[c], random) for c in range(len(sizes))]
    made = [
        cells(column, code, (decimals or {}).get(name, column.get("decimals")), random)
        for name, column, code in zip(names, columns, codes, strict=True)
    ]
    return pl.DataFrame(made)


def cells(column: Mapping[str, Any], code: Ints, decimals: int | None, random: np.random.Generator) -> pl.Series:
    """Return a cell for each code of a release's column."""
    if column["kind"] == "categories":
        return _words(column["categories"], code).alias(column["name"])
    return _numbers(column["edges"], decimals, code, random).alias(column["name"])


def places(edges: Sequence[float], decimals: int | None = None) -> tuple[int, list[tuple[int, int]]]:
    """Return the digits after the decimal point, and for each bin its lowest number and the one after its highest.

    The numbers are in units of the last digit. Without a declaration: whole numbers if all ends are, else enough
    digits for a hundred values in the narrowest bin. The last bin includes its upper end. Raises `UsageError` if a
    bin contains no number with so few digits.
    """
    ends = [Fraction(repr(edge)) for edge in edges]
    if decimals is None:
        narrowest = min(b - a for a, b in pairwise(ends))
        decimals = (
            0 if all(end.denominator == 1 for end in ends) else max(0, math.ceil(math.log10(_PLACES / narrowest)))
        )
    found = [math.ceil(end * 10**decimals) for end in ends[:-1]] + [math.floor(ends[-1] * 10**decimals) + 1]
    if max(map(abs, found)) >= _EXACT:
        raise UsageError(
            "with so many decimals, numbers exceed the precision of floating point; declare fewer decimals"
        )
    bins = list(pairwise(found))
    empty = next((i for i, (first, end) in enumerate(bins) if first >= end), None)
    if empty is not None:
        raise UsageError(
            f"there is no number with {decimals} decimals from {edges[empty]:g} to {edges[empty + 1]:g}; declare "
            "wider bins or more decimals"
        )
    return decimals, bins


def _words(categories: Sequence[str], code: Ints) -> pl.Series:
    return pl.Series([*categories, OTHER, None], dtype=pl.String)[code]


def _numbers(edges: Sequence[float], wanted: int | None, code: Ints, random: np.random.Generator) -> pl.Series:
    decimals, bins = places(edges, wanted)
    first, end = (np.array([*ends, 0])[code] for ends in zip(*bins, strict=True))
    units = first + np.floor(random.random(len(code)) * (end - first)).astype(np.int64)
    cells = pl.Series(units if decimals == 0 else units / 10**decimals)
    return pl.select(pl.when(pl.lit(pl.Series(code != len(bins)))).then(pl.lit(cells))).to_series()
