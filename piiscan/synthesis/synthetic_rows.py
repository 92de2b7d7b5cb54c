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
from piiscan.synthesis import constrained_rows, constraints, draw_rows, needs
from piiscan.synthesis.constrained_rows import Numbers
from piiscan.synthesis.constraints import EXACT, Grid, Order, Sum
from piiscan.synthesis.measuring import most_cells

if TYPE_CHECKING:
    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats, Scope

MOST_ROWS: Final = 10_000_000
"""The limit unless more are asked for: if the noise is large, the estimated number of rows may be too."""
_PLACES: Final = 100
"""A bin that isn't of whole numbers contains at least this many possible numbers."""


def frame(
    text: str,
    n: int | None = None,
    decimals: Mapping[str, int] | None = None,
    sums: Sequence[Sum] = (),
    known: Mapping[str, Grid] | None = None,
) -> pl.DataFrame:
    """Draw `n` rows from the text of a release; by default about as many as there were, at most `MOST_ROWS`.

    `decimals`: digits after the decimal point, by numeric column. A number is uniform in its bin, as far as orders
    leave room; the total of each of `sums` becomes a column after the others. Undeclared values become the word
    `(other)`, and missing ones null. `known`: the numbers that columns may have, where these aren't those of `places`.
    """
    release, chosen = json.loads(text), decimals or {}
    columns, orders = release["columns"], constraints.orders_of(release.get("constraints", ()))
    grids = {
        c["name"]: places(c["edges"], chosen.get(c["name"], c.get("decimals")))
        for c in columns
        if c["kind"] == "number"
    } | dict(known or {})
    # The seed need not be secret: the release is public.
    random = np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(text.encode()).digest())))
    n = min(max(1, release["rows"]["value"]), MOST_ROWS) if n is None else n
    needs.demand_rows(n, constraints.drawn_columns(len(columns), orders, sums))
    codes = dict(zip((c["name"] for c in columns), _codes(release, orders, grids, n, random), strict=True))
    numbers = {name: drawn(grid, codes[name], random) for name, grid in grids.items()}
    if orders:

        def redrawn(name: str, rows: Ints) -> Ints:
            return drawn(grids[name], codes[name][rows], random).units

        numbers |= constrained_rows.settle(orders, numbers, redrawn)
    made = [
        cells_of(numbers[name]).alias(name) if name in numbers else words(column, codes[name])
        for name, column in zip(codes, columns, strict=True)
    ]
    for own in sums:
        whole = constrained_rows.total([numbers[name] for name in own.parts], chosen.get(own.total, 0))
        made.append(cells_of(whole).alias(own.total))
    return pl.DataFrame(made)


def _codes(
    release: Mapping[str, Any], orders: Sequence[Order], grids: Mapping[str, Grid], n: int, random: np.random.Generator
) -> list[Ints]:
    """Draw the codes of each column, of which each two in order have numbers in order wherever swaps could help."""
    columns, names = release["columns"], [column["name"] for column in release["columns"]]
    sizes = [len(c["categories"]) + 2 if c["kind"] == "categories" else len(c["edges"]) for c in columns]
    groups = [np.array(c.get("groups", range(size)), dtype=np.int64) for c, size in zip(columns, sizes, strict=True)]
    number_of_groups = [int(group[-1]) + 1 for group in groups]
    factors: dict[Scope, Floats] = {}
    within: dict[int, Floats] = {}
    for table in release["tables"]:
        scope = tuple(names.index(name) for name in table["columns"])
        if len(scope) == 1:
            within[scope[0]] = np.array(table["factor"])
            factors[scope] = np.asarray(np.bincount(groups[scope[0]], weights=within[scope[0]]), dtype=np.float64)
        else:
            factors[scope] = np.array(table["factor"]).reshape([number_of_groups[c] for c in scope])
    together = constrained_rows.possible(orders, names, grids, groups)
    known = {scope: constrained_rows.factor_of(table) for scope, table in together.items()}
    for scope, factor in constrained_rows.with_room(known, number_of_groups, factors, most_cells(len(sizes))).items():
        factors[scope] = factor * factors.get(scope, 1.0)
    drawn = draw_rows.codes(number_of_groups, factors, n, random)
    codes = [draw_rows.within(drawn[c], groups[c], within[c], random) for c in range(len(sizes))]
    if orders:

        def redrawn(c: int, rows: Ints) -> Ints:
            return draw_rows.within(drawn[c][rows], groups[c], within[c], random)

        allowed = constrained_rows.possible(orders, names, grids, [np.arange(size) for size in sizes])
        constrained_rows.arrange(allowed, codes, groups, redrawn, random)
    return codes


def words(column: Mapping[str, Any], code: Ints) -> pl.Series:
    """Return a cell for each code of a release's column of categories."""
    return pl.Series(column["name"], [*column["categories"], OTHER, None], dtype=pl.String)[code]


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
    if max(map(abs, found)) >= EXACT:
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


def drawn(grid: Grid, code: Ints, random: np.random.Generator) -> Numbers:
    """Draw a number from the bin of each code."""
    _, bins = grid
    first, end = (np.array([*ends, 0])[code] for ends in zip(*bins, strict=True))
    units = first + np.floor(random.random(len(code)) * (end - first)).astype(np.int64)
    return Numbers(grid, units, code == len(bins))


def cells_of(numbers: Numbers) -> pl.Series:
    """Return drawn numbers as cells."""
    decimals = numbers.grid[0]
    cells = pl.Series(numbers.units if decimals == 0 else numbers.units / 10**decimals)
    return pl.select(pl.when(pl.lit(pl.Series(~numbers.missing))).then(pl.lit(cells))).to_series()
