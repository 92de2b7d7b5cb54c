"""Telephone numbers that keep their country and their punctuation, and are nobody's where the numbering plan has room
for that.

Three ranges (`phones.toml` has them with their sources): "fiction", small ones that regulators keep for films;
"unassigned", parts of the numbering plan that nobody has; "permuted", the subscriber's digits permuted under the key
behind the area code: no two numbers become one, but a number may be somebody's.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.surrogates.keyed_choices import expected_collisions
from piiscan.masking.surrogates.keyed_functions import derived, permute, prf
from piiscan.masking.surrogates.number_ranges import Range, wide_below
from piiscan.masking.surrogates.written_numbers import Codes, Rows, Written, decimal, groups, tweaks

if TYPE_CHECKING:
    import polars as pl

PhoneRange = Literal["fiction", "unassigned", "permuted"]
RANGES: tuple[PhoneRange, ...] = ("fiction", "unassigned", "permuted")
_NANP = ("US", "CA", "PR", "JM", "DO", "TT", "BS", "BB")
_EXTENSION = r"(?i)\s*(?:,?\s*ext?\.?|x|#|;ext=)\s*\d{1,6}\s*$"


@dataclass(frozen=True)
class NumberingPlan:
    """What must be known of a country's numbers."""

    country: str
    code: str
    trunk: str
    lengths: tuple[int, ...]
    ranges: dict[str, tuple[str, ...]]

    def of_length(self, kind: str, length: int) -> Range | None:
        """The numbers of that range and length; None where there are none."""
        patterns = tuple(p for p in self.ranges.get(kind, ()) if len(p) == length)
        return Range(patterns) if patterns else None

    def capacity(self, kind: str) -> int:
        """How many numbers the range has, of the length that has most."""
        return max((found.capacity for n in self.lengths if (found := self.of_length(kind, n))), default=0)


@cache
def plans() -> dict[str, NumberingPlan]:
    raw = tomllib.loads(Path(__file__).with_name("phones.toml").read_text(encoding="utf-8"))
    out = {}
    for country, entry in raw.items():
        ranges = {kind: tuple(entry[kind]) for kind in ("fiction", "unassigned") if kind in entry}
        out[country] = NumberingPlan(country, entry["code"], entry["trunk"], tuple(entry["lengths"]), ranges)
    return out | dict.fromkeys(_NANP, out["US"])


def choose_range(country: str, distinct: int) -> PhoneRange:
    """The safest range in which fewer than one of `distinct` numbers is expected to share its mask with another; for
    a plan."""
    found = plans().get(country)
    for kind in RANGES[:2]:
        size = found.capacity(kind) if found else 0
        if size and expected_collisions(distinct, size) < 1:
            return kind
    return "permuted"


def check_range(country: str, kind: str) -> None:
    """Raises `UsageError` where the country has no such range."""
    if kind not in RANGES:
        raise UsageError(f"range {kind!r} of telephone numbers: choose one of {', '.join(RANGES)}")
    found = plans().get(country)
    if kind != "permuted" and (found is None or kind not in found.ranges):
        raise UsageError(
            f"range {kind!r}: no such telephone numbers are known for "
            f"{country or 'an unknown country'}; use range = 'permuted'"
        )


def as_range(name: str) -> PhoneRange:
    """Raises `UsageError` for another word than the ranges of telephone numbers."""
    for kind in get_args(PhoneRange):
        if name == kind:
            return kind  # type: ignore[no-any-return]
    raise UsageError(f"range {name!r} of telephone numbers: choose one of {', '.join(get_args(PhoneRange))}")


def mask(values: pl.Series, key: Subkey, country: str, kind: PhoneRange) -> pl.Series:
    """Surrogates for telephone numbers (distinct, not null); however a number is written, its mask is the same.

    Numbers of other countries, told by a + or 00, are permuted. A number too long or short for its country's range is
    written anew, as +COUNTRY NUMBER. What holds letters or no digit is no number: null.
    """
    import polars as pl

    check_range(country, kind)
    plan = plans().get(country)
    digits = _digits(values)
    abroad = _international(values, digits)
    written, before, behind = _parsed(values, digits, abroad, plan)
    own = _is_own(abroad, plan)
    number = pl.DataFrame({"d": digits, "a": before, "n": written.count - before - behind, "own": own})
    national = pl.col("d").str.slice("a", "n")
    texts = number.select(
        pl.when("own").then(national).otherwise("+" + pl.col("d").str.slice(0, "a") + national)
    ).to_series()
    words = cache(lambda: prf(derived(key, "phone", kind), texts))  # numbers that are permuted don't need them
    anew: dict[int, str] = {}
    for rows, codes in written.by_length():
        new = codes.copy()
        frame = np.stack([before[rows], behind[rows]], axis=1).astype(np.uint8)
        for code, at in groups(frame):
            start, stop = code[0], codes.shape[1] - code[1]
            inside = plan is not None and kind != "permuted"
            fits = plan.of_length(kind, stop - start) if plan is not None and inside else None
            ours = own[rows[at]] & inside
            if fits is not None and ours.any():
                some = at[ours]
                new[some, start:stop] = fits.spell(wide_below(words()[rows[some], 0], fits.capacity))
            elif plan is not None and ours.any():
                _write_anew(anew, plan, kind, rows[at[ours]], words())
            rest = at[~ours]
            if len(rest):
                new[rest, start:stop] = _permuted(
                    codes[rest, start:stop], codes[rest, :start], own[rows[rest]], key, plan
                )
            if code[1]:  # an extension
                new[at, stop:] = decimal(words()[rows[at], 1] % np.uint64(10 ** code[1]), code[1])
        written.write(rows, new)
    masks = written.texts(values.name)
    if anew:
        masks = masks.scatter(pl.Series(list(anew), dtype=pl.UInt32), pl.Series(list(anew.values())))
    no_number = values.str.replace(_EXTENSION, "").str.contains(r"\p{L}").to_numpy() | (written.count == 0)
    return masks.zip_with(pl.Series(~no_number), pl.Series([None], dtype=pl.String)) if no_number.any() else masks


def declared(masks: pl.Series, country: str, kind: PhoneRange) -> pl.Series:
    """Whether each mask (distinct, not null) lies in the range; a number of another country need only be one."""
    import polars as pl

    plan = plans().get(country)
    digits = _digits(masks)
    abroad = _international(masks, digits)
    written, before, behind = _parsed(masks, digits, abroad, plan)
    length = written.count - before - behind
    ok = length >= 1
    if plan is not None and kind != "permuted":
        national = digits.to_frame("d").with_columns(a=pl.Series(before), n=pl.Series(np.maximum(length, 0)))
        inside = np.zeros(len(masks), dtype=np.bool_)
        for n in plan.lengths:
            found = plan.of_length(kind, n)
            if found is not None:
                inside |= (
                    national.select(pl.col("d").str.slice(pl.col("a"), pl.col("n")).str.contains(f"^{found.regex}$"))
                    .to_series()
                    .to_numpy()
                )
        ok = ok & (inside | ~_is_own(abroad, plan))
    return pl.Series(masks.name, ok)


def _digits(values: pl.Series) -> pl.Series:
    return values.str.replace_all(r"[^0-9]", "").alias("d")


def _international(values: pl.Series, digits: pl.Series) -> pl.Series:
    """The digits behind + or 00 (011 in North America); null where there is neither."""
    text = values.str.strip_chars(" (")
    sign = text.str.contains(r"^\+").alias("plus")
    import polars as pl

    frame = pl.DataFrame({"d": digits, "plus": sign})
    return frame.select(
        pl.when(pl.col("plus"))
        .then(pl.col("d"))
        .when(pl.col("d").str.contains("^00"))
        .then(pl.col("d").str.slice(2))
        .alias("i")
    ).to_series()


def _is_own(abroad: pl.Series, plan: NumberingPlan | None) -> NDArray[np.bool_]:
    """Which numbers are of the column's country: those without a country code, and those with its."""
    if plan is None:
        return np.zeros(len(abroad), dtype=np.bool_)
    return abroad.str.starts_with(plan.code).fill_null(True).to_numpy()


class _Parsed(NamedTuple):
    """The digits of each number, how many stand before the national number, and how many in an extension behind it."""

    written: Written
    before: Rows
    behind: Rows


def _parsed(values: pl.Series, digits: pl.Series, abroad: pl.Series, plan: NumberingPlan | None) -> _Parsed:
    import polars as pl

    written = Written.of(values)
    extension = values.str.extract(f"({_EXTENSION})").str.count_matches(r"\d").fill_null(0)
    frame = pl.DataFrame({"t": values, "d": digits, "i": abroad, "x": extension})
    code = next((f for f in (plan,) if f), None)
    own = pl.col("i").str.starts_with(code.code) if code else pl.lit(False)
    zero = pl.when(pl.col("t").str.contains(r"\(0\)")).then(1).otherwise(0)
    skipped = pl.col("d").str.len_bytes() - pl.col("i").str.len_bytes()
    other = (
        pl.when(pl.col("i").str.contains("^[17]"))
        .then(1)
        .otherwise(pl.when(pl.col("i").str.contains(_TWO)).then(2).otherwise(3))
    )
    trunk: pl.Expr = pl.lit(0)
    if code and code.trunk:
        long = pl.col("d").str.len_bytes() - pl.col("x") > max(code.lengths) if code.trunk != "0" else pl.lit(True)
        trunk = pl.when(pl.col("d").str.starts_with(code.trunk) & long).then(len(code.trunk)).otherwise(0)
    length = len(code.code) if code else 0
    before = (
        pl.when(pl.col("i").is_null())
        .then(trunk)
        .otherwise(skipped + pl.when(own).then(length + zero).otherwise(other))
    )
    total = pl.col("d").str.len_bytes().cast(pl.Int64)
    found = frame.select(b=pl.min_horizontal(before.cast(pl.Int64), total), x=pl.col("x").cast(pl.Int64), n=total)
    rows = found.select(b="b", x=pl.min_horizontal(pl.col("x"), pl.col("n") - pl.col("b")))
    return _Parsed(written, rows["b"].to_numpy(), rows["x"].to_numpy())


_TWO = r"^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])"
"""Calling codes of two digits (ITU-T E.164); 1 and 7 have one, all others three."""


def _permuted(national: Codes, prefix: Codes, own: NDArray[np.bool_], key: Subkey, plan: NumberingPlan | None) -> Codes:
    """National numbers of one length, the last six or seven digits permuted; what stands before them stays."""
    length = national.shape[1]
    prefix = np.where(own[:, None], 0, prefix).astype(np.uint8)  # +48 or none: the same number
    if own.all():
        prefix = prefix[:, :0]
    out = national.copy()
    tail = 7 if length >= 8 else min(length, 6)
    if length < 6:
        return np.asarray(_drawn(national, prefix, key))
    american = plan is not None and plan.code == "1" and length == 10
    subkey = derived(key, "phone", "permuted")
    kept = tweaks(np.hstack([prefix, national[:, : length - tail]]))
    digits = national[:, length - tail :] - 48
    new = permute(subkey, digits, 10, kept)
    while (
        american and (again := np.flatnonzero((new[:, 0] < 2) & (digits[:, 0] >= 2))).size
    ):  # exchanges begin with 2 to 9
        new[again] = permute(subkey, new[again], 10, kept[again])
    out[:, length - tail :] = new + 48
    return out


def _drawn(national: Codes, prefix: Codes, key: Subkey) -> Codes:
    """Numbers too short to permute: drawn, so that some may share a mask."""
    import polars as pl

    texts = pl.Series([row.tobytes().decode() for row in np.hstack([prefix, national])])
    words = prf(derived(key, "phone", "short"), texts)
    return decimal(words[:, 0] % np.uint64(10 ** national.shape[1]), national.shape[1])


def _write_anew(anew: dict[int, str], plan: NumberingPlan, kind: str, rows: Rows, words: NDArray[np.uint64]) -> None:
    found = max((r for n in plan.lengths if (r := plan.of_length(kind, n))), key=lambda r: r.capacity)
    for row, codes in zip(rows.tolist(), found.spell(wide_below(words[rows, 0], found.capacity)), strict=True):
        anew[row] = f"+{plan.code} {codes.tobytes().decode()}"
