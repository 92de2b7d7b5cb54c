"""Checks over whole columns: the same answers as `piiscan.checks.valid_many`, without a Python object a cell."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from piiscan import checks
from piiscan.checks import Chars, Mask

if TYPE_CHECKING:
    import polars as pl

_FEW = 32
_BLOCK = 8192


def passes(check: str | None, cells: pl.Series) -> Mask:
    """Which cells pass a check; all, where there is none. White space around a cell doesn't matter."""
    if check is None:
        return np.ones(len(cells), dtype=np.bool_)
    module = checks.module(check)
    how = getattr(module, "compact", checks.compact_alnum)
    if how not in (checks.compact_alnum, checks.compact_digits) or len(cells) <= _FEW:
        return checks.valid_many(check, cells.str.strip_chars().to_list())
    only_digits = how is checks.compact_digits
    fixed = _fixed_layout(cells, only_digits)
    if fixed is not None:
        return _valid(module, fixed) if _known(module.LENGTHS, fixed.shape[1]) else np.zeros(len(cells), dtype=np.bool_)
    compact = cells.str.replace_all("[^0-9]", "") if only_digits else cells.str.replace_all("[^0-9A-Za-z]", "").str.to_uppercase()
    lengths = compact.str.len_bytes().to_numpy()
    out = np.zeros(len(cells), dtype=np.bool_)
    for length in np.unique(lengths).tolist():
        if length and _known(module.LENGTHS, length):
            rows = np.flatnonzero(lengths == length)
            out[rows] = _valid(module, _matrix(compact.gather(rows), length))
    return out


def _valid(module: ModuleType, chars: Chars) -> Mask:
    """A check over blocks that fit the processor's cache, a block's columns lying together in memory."""
    blocks = (np.asfortranarray(chars[i : i + _BLOCK]) for i in range(0, len(chars), _BLOCK))
    return np.concatenate([np.asarray(module.valid(block), dtype=np.bool_) for block in blocks])


def _known(lengths: tuple[int, ...], length: int) -> bool:
    return not lengths or length in lengths


def _matrix(cells: pl.Series, length: int) -> Chars:
    return np.frombuffer(cells.str.join("").item().encode(), dtype=np.uint8).reshape(len(cells), length)


def _fixed_layout(cells: pl.Series, only_digits: bool) -> Chars | None:
    """The cells as a matrix without separators, if all are ASCII, equally long, and have separators at the same places.

    With `only_digits`, letters count as separators.
    """
    lengths = cells.str.len_bytes()
    length = lengths.min()
    if not isinstance(length, int) or not length or length != lengths.max():
        return None
    matrix = _matrix(cells, length)
    code = matrix[0]
    keep = (code >= 48) & (code <= 57)
    if not only_digits:
        keep |= (code | 32 >= 97) & (code | 32 <= 122)
    body = matrix[:, keep]
    upper = body & np.where(body >= 97, 0xDF, 0xFF).astype(np.uint8) if bool((body >= 97).any()) else body
    if not bool(_kept(upper, only_digits).all()):
        return None
    rest = matrix[:, ~keep]
    if bool((_kept(rest & np.where(rest >= 97, 0xDF, 0xFF).astype(np.uint8), only_digits) | (rest >= 128)).any()):
        return None
    return upper


def _kept(upper: Chars, only_digits: bool) -> Mask:
    """Which upper-cased characters `compact` keeps."""
    digit = (upper >= 48) & (upper <= 57)
    return np.asarray(digit if only_digits else digit | ((upper >= 65) & (upper <= 90)))
