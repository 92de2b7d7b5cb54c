"""National numbers that have the right form and check digit and that the state doesn't issue.

Only for numbers with such a range; for all others format-preserving encryption is the operator to use.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.surrogates import keyed_choices
from piiscan.masking.surrogates.keyed_functions import derived, prf
from piiscan.masking.surrogates.number_ranges import Range, wide_below
from piiscan.masking.surrogates.written_numbers import Codes, Rows, Written
from piiscan.rules.checks import Mask, module
from piiscan.rules.number_signs import SETS

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Unissued:
    """A range that isn't issued.

    All digits and letters but the `checks` check digits at its end, the check (`piiscan.rules.checks`), and the source.
    """

    range: Range
    checks: int
    check: str | None
    source: str

    @property
    def length(self) -> int:
        return self.range.length + self.checks

    @property
    def lettered(self) -> bool:
        return any(c.isupper() and c not in SETS for pattern in self.range.patterns for c in pattern)


_DAY = (
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "07",
    "08",
    "09",
    "1#",
    "20",
    "21",
    "22",
    "23",
    "24",
    "25",
    "26",
    "27",
    "28",
)
_MONTH = tuple(f"{month:02}" for month in range(81, 93))
NUMBERS: dict[str, Unissued] = {
    "US_SSN": Unissued(
        Range(tuple(f"9##{group:02}####" for group in range(1, 50))), 0, None,
        "Social Security Administration: no area number above 899 (and groups that the IRS gives to no ITIN)",
    ),
    "PL_PESEL": Unissued(
        Range(tuple(f"##{month}{day}####" for month in _MONTH for day in _DAY)), 1, "pl_pesel",
        "months 81 to 92 stand for births in the 1800s",
    ),
    "UK_NINO": Unissued(
        Range(tuple(f"{prefix}######{suffix}" for prefix in ("BG", "GB", "ZZ") for suffix in "BCD")), 0, None,
        "HMRC, National Insurance Manual, NIM39110: prefixes that aren't used",
    ),
    "NO_FODSELSNUMMER": Unissued(
        Range(tuple(f"{day}{month}#####" for month in _MONTH for day in _DAY)), 2, "no_fodselsnummer",
        "Skatteetaten, Tenor testdata: months 81 to 92 are of synthetic persons",
    ),
    "UK_NHS": Unissued(Range(("999######",)), 1, "uk_nhs", "NHS England: numbers beginning with 999 are for testing"),
    "CA_SIN": Unissued(Range(("0#######",)), 1, "luhn", "Service Canada: no social insurance numbers begin with 0"),
}  # fmt: skip
_TRIES = 64


def find(number: str) -> Unissued:
    """Return the range for a number. Raises `UsageError` for a number without a range that isn't issued."""
    if number not in NUMBERS:
        raise UsageError(
            f"{number}: no range is known that isn't issued; use the operator fpe, or one of {', '.join(NUMBERS)}"
        )
    return NUMBERS[number]


def mask(values: pl.Series, key: Subkey, number: str) -> pl.Series:
    """Surrogates in the writing of the originals (distinct, not null).

    What has another number of digits (or letters, where the number has some) becomes null.
    """
    import polars as pl

    found = find(number)
    written = Written.of(values, letters=found.lettered)
    ok = (written.count == found.length) & (found.lettered | ~values.str.contains(r"\p{L}").to_numpy())
    for rows, codes in written.by_length():
        if codes.shape[1] == found.length:
            texts = pl.Series([c.tobytes().decode() for c in codes])
            words = prf(derived(key, "national", number), texts)
            written.write(rows, _numbers(words[:, 0], words[:, 1], found))
    texts = written.texts(values.name)
    return texts if ok.all() else texts.zip_with(pl.Series(ok), pl.Series([None], dtype=pl.String))


def _numbers(first: keyed_choices.Bits, more: keyed_choices.Bits, found: Unissued) -> Codes:
    """The n-th number of the range with its check digit; where no digit fits, another n is drawn."""
    n = wide_below(first, found.range.capacity)
    out = np.empty((len(n), found.length), dtype=np.uint8)
    left = np.arange(len(n))
    for again in range(_TRIES):
        out[left, : found.range.length] = found.range.spell(n[left])
        if not found.checks:
            return out
        left = left[~_add_check(out, left, found)]
        if not len(left):
            return out
        n[left] = wide_below(
            (keyed_choices.lane(more[left], 2 * again) << np.uint64(32))
            | keyed_choices.lane(more[left], 2 * again + 1),
            found.range.capacity,
        )
    raise AssertionError("a range without valid numbers")


def _add_check(out: Codes, rows: Rows, found: Unissued) -> Mask:
    """Write the check digits of some rows; which rows have some that are valid."""
    assert found.check
    check = module(found.check)
    done = np.zeros(len(rows), dtype=np.bool_)
    for digits in product(range(48, 58), repeat=found.checks):
        tried = out[rows]
        tried[:, -found.checks :] = digits
        good = np.asarray(check.valid(tried)) & ~done
        out[rows[good], -found.checks :] = digits
        done |= good
    return done


def declared(masks: pl.Series, number: str) -> pl.Series:
    """Whether each mask (not null) lies in the range, with a valid check digit."""
    import polars as pl

    found = find(number)
    digits = masks.str.to_uppercase().str.replace_all("[^0-9A-Z]" if found.lettered else "[^0-9]", "")
    inside = digits.str.contains(f"^{found.range.regex}[0-9]{{{found.checks}}}$").to_numpy()
    if found.check:
        rows = np.flatnonzero(inside)
        codes = np.frombuffer("".join(digits.gather(rows).to_list()).encode(), dtype=np.uint8).reshape(
            len(rows), found.length
        )
        inside = inside.copy()
        inside[rows] = module(found.check).valid(codes)
    return pl.Series(masks.name, inside)
