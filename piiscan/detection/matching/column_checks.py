"""Checks over whole columns: the same answers as `piiscan.rules.checks.valid_many`, without a Python object a cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from piiscan.detection.distinct import distinct
from piiscan.detection.matching.canonical_cells import taken
from piiscan.rules import checks
from piiscan.rules.checks import Chars, Check, Mask

if TYPE_CHECKING:
    import polars as pl

_FEW = 32
_BLOCK = 1 << 14


@dataclass(frozen=True)
class Candidates:
    """Cells to be checked by one rule or by several: what their checks share is worked out once."""

    cells: pl.Series

    @cached_property
    def _fixed(self) -> dict[bool, list[Chars] | None]:
        return {}

    def fixed(self, only_digits: bool) -> list[Chars] | None:
        """The cells without separators as blocks of rows, if one layout fits all of them."""
        if only_digits not in self._fixed:
            self._fixed[only_digits] = _fixed_layout(self.cells, only_digits)
        return self._fixed[only_digits]


def passes(check: str | None, candidates: Candidates) -> Mask:
    """Which cells pass a check; all, where there is none. White space around a cell doesn't matter."""
    cells = candidates.cells
    if check is None:
        return np.ones(len(cells), dtype=np.bool_)
    module = checks.module(check)
    how = getattr(module, "compact", checks.compact_alnum)
    if how not in (checks.compact_alnum, checks.compact_digits) or len(cells) <= _FEW:
        return checks.valid_many(check, cells.str.strip_chars().to_list())
    only_digits = how is checks.compact_digits
    fixed = candidates.fixed(only_digits)
    if fixed is not None:
        return _valid(module, fixed)
    compact = (
        cells.str.replace_all("[^0-9]", "")
        if only_digits
        else cells.str.replace_all("[^0-9A-Za-z]", "").str.to_uppercase()
    )
    lengths = compact.str.len_bytes().to_numpy()
    out = np.zeros(len(cells), dtype=np.bool_)
    for length in distinct(lengths).tolist():
        if length:
            rows = np.flatnonzero(lengths == length)
            out[rows] = _valid(module, _blocks(byte_matrix(taken(compact, rows), length)))
    return out


def _valid(module: Check, blocks: list[Chars]) -> Mask:
    if module.LENGTHS and blocks[0].shape[1] not in module.LENGTHS:
        return np.zeros(sum(map(len, blocks)), dtype=np.bool_)
    return np.concatenate([np.asarray(module.valid(block), dtype=np.bool_) for block in blocks])


def _blocks(chars: Chars) -> list[Chars]:
    """Blocks that fit the processor's cache, a block's columns lying together in memory."""
    return [np.array(chars[i : i + _BLOCK], order="F") for i in range(0, len(chars), _BLOCK)]


def byte_matrix(cells: pl.Series, length: int) -> Chars:
    """The bytes of cells of one length, a row a cell."""
    import polars as pl

    return cells.cast(pl.Binary).bin.reinterpret(dtype=pl.Array(pl.UInt8, length)).to_numpy()


def _fixed_layout(cells: pl.Series, only_digits: bool) -> list[Chars] | None:
    """Return the cells in blocks, without separators and upper-cased, or None if their layouts differ.

    All must be ASCII, equally long, and have separators in the same positions. With `only_digits`, letters count as
    separators.
    """
    lengths = cells.str.len_bytes()
    length = lengths.min()
    if not isinstance(length, int) or not length or length != lengths.max():
        return None
    matrix = byte_matrix(cells, length)
    kept = _kept(matrix[0], only_digits)
    out = []
    for block in _blocks(matrix):
        digits = (block.min(axis=0) >= 48) & (block.max(axis=0) <= 57)
        if bool((digits & ~kept).any()):
            return None
        for j in np.flatnonzero(~digits).tolist():
            column = block[:, j]
            if not kept[j]:
                if bool((_kept(column, only_digits) | (column >= 128)).any()):
                    return None
            elif not bool(_kept(column, only_digits).all()):
                return None
            else:
                column &= np.where(column >= 97, 0xDF, 0xFF).astype(np.uint8)
        out.append(block if kept.all() else np.asfortranarray(block[:, kept]))
    return out


def _kept(column: Chars, only_digits: bool) -> Mask:
    """Which characters `compact` keeps. Unsigned arithmetic: what is below a range wraps to above it."""
    digit = column - 48 <= 9
    return np.asarray(digit if only_digits else digit | ((column & 0xDF) - 65 <= 25))
