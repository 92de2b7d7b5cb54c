"""Draws rows whose codes of some columns are known, from the rest of the distribution.

A factor of known and unknown columns is, for each row, one of the unknown ones; these form a tree of their own.
Sources: Lauritzen and Spiegelhalter 1988 (evidence); Koller and Friedman 2009, section 12.1 (drawing along a tree).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.synthesis import junction_tree as t
from piiscan.synthesis.junction_tree import Scope, Tree
from piiscan.synthesis.linked.conditional_fit import NEVER

if TYPE_CHECKING:
    import numpy.typing as npt

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats

    Bools = npt.NDArray[np.bool_]

_CELLS: Final = 4_000_000
"""Cells of the tables of rows that are drawn together."""
_BARRED: Final = -1e12
_STEP: Final = (5**0.5 - 1) / 2
"""Multiples of the golden ratio are spread evenly in every stretch of them (Niederreiter 1992, section 3.1)."""


def codes(
    sizes: Sequence[int],
    logs: Mapping[Scope, Floats],
    known: Mapping[int, Ints],
    allowed: Mapping[int, Bools],
    rows: int,
    random: np.random.Generator,
) -> dict[int, Ints]:
    """Draw the codes of all columns that aren't known, from the distribution that is the product of factors.

    logs: the logarithms of factors, up to constants, by scope. Where two columns say the same, factors are huge and
    tiny, and only the sums of their logarithms are exact.

    known: for each known column the code of each row. allowed: for some columns, (rows, codes), which codes a row may
    get, at least one of them.
    """
    unknown = [c for c in range(len(sizes)) if c not in known]
    index = {c: i for i, c in enumerate(unknown)}
    scopes = {tuple(c for c in scope if c in index) for scope in logs} - {()}
    tree = t.tree([sizes[c] for c in unknown], [tuple(index[c] for c in scope) for scope in sorted(scopes)])
    step = max(1, int(_CELLS / t.cells(tree.sizes, tree.cliques)))
    found = {c: np.zeros(rows, dtype=np.int64) for c in unknown}
    for first in range(0, rows, step):
        part = slice(first, first + step)
        height = min(step, rows - first)
        tables = _tables(
            tree, logs, index, {c: own[part] for c, own in known.items()}, {c: a[part] for c, a in allowed.items()}
        )
        for i, own in _drawn(tree, tables, height, random).items():
            found[unknown[i]][part] = own
    return found


def _tables(
    tree: Tree,
    logs: Mapping[Scope, Floats],
    index: Mapping[int, int],
    known: Mapping[int, Ints],
    allowed: Mapping[int, Bools],
) -> list[Floats]:
    """Return the table of each clique: (rows or 1, …), each the product of its factors and of what is below it."""
    tables: list[Floats] = [np.zeros((1, *(tree.sizes[c] for c in clique))) for clique in tree.cliques]
    for scope, own in logs.items():
        inner = tuple(index[c] for c in scope if c in index)
        if inner:
            given = [i for i, c in enumerate(scope) if c not in index]
            moved = np.moveaxis(np.maximum(own, NEVER), given, range(len(given)))
            sliced = moved[tuple(known[scope[i]] for i in given)] if given else moved[None]
            _add(tree, tables, inner, sliced, tree.home(inner))
    for c, rows in allowed.items():
        _add(tree, tables, (index[c],), np.where(rows, 0.0, _BARRED), tree.home((index[c],)))
    for i in range(len(tables) - 1, 0, -1):
        separator = tree.separators[i]
        others = tuple(1 + n for n, c in enumerate(tree.cliques[i]) if c not in separator)
        most = tables[i].max(axis=others, keepdims=True)
        sent = np.log(np.exp(tables[i] - most).sum(axis=others)) + most.reshape(
            [n for axis, n in enumerate(most.shape) if axis not in others]
        )
        _add(tree, tables, separator, sent, tree.parents[i])
    return [np.exp(own - own.max(axis=tuple(range(1, own.ndim)), keepdims=True)) for own in tables]


def _add(tree: Tree, tables: list[Floats], scope: Scope, logs: Floats, home: int) -> None:
    """Multiply the table of a clique by a factor (rows or 1, …), as logarithms."""
    shape = [tree.sizes[c] if c in scope else 1 for c in tree.cliques[home]]
    tables[home] = tables[home] + logs.reshape(len(logs), *shape)


def _drawn(tree: Tree, tables: Sequence[Floats], rows: int, random: np.random.Generator) -> dict[int, Ints]:
    drawn: dict[int, Ints] = {}
    for clique, table in zip(tree.cliques, tables, strict=True):
        before = [n for n, c in enumerate(clique) if c in drawn]
        rest = [c for c in clique if c not in drawn]
        moved = np.moveaxis(table, [1 + n for n in before], range(1, 1 + len(before)))
        row = np.arange(rows) if len(table) > 1 else np.zeros(rows, dtype=np.int64)
        left = moved[(row, *(drawn[clique[n]] for n in before))] if before or len(table) > 1 else moved
        for column in rest:
            weights = left.sum(axis=tuple(range(2, left.ndim)))
            drawn[column] = _shared_out(np.broadcast_to(weights, (rows, weights.shape[1])), random)
            left = np.broadcast_to(left, (rows, *left.shape[1:]))[np.arange(rows), drawn[column]]
    return drawn


def _shared_out(weights: Floats, random: np.random.Generator) -> Ints:
    """Return a code for each row by its weights.

    Rows of alike weights get codes as evenly as multiples of the golden ratio are spread, so that the tables of a
    sample are nearer to those of the distribution than with independent draws.
    """
    ends = np.cumsum(weights, axis=1)
    none = ends[:, -1] <= 0
    if none.any():
        ends = np.where(none[:, None], np.arange(1, weights.shape[1] + 1), ends)
    ends = ends / ends[:, -1:]
    mixed = random.permutation(len(ends))
    order = mixed[np.argsort(ends.sum(axis=1).round(9)[mixed], kind="stable")]
    position = np.empty(len(ends))
    position[order] = np.modf(random.random() + np.arange(len(ends)) * _STEP)[0]
    found: Ints = (ends <= position[:, None]).sum(axis=1).astype(np.int64)
    result: Ints = np.minimum(found, weights.shape[1] - 1)
    return result
