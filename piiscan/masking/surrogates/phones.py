"""Telephone numbers that keep country and punctuation, and belong to no one where the plan has room for that.

Three ranges (`numbering_plans` has them): "fiction", small ones that regulators keep for films; "unassigned", numbers
that the plan gives to nobody; "permuted", the subscriber's digits permuted under the key behind the area code: no two
numbers become one, but a number may be somebody's.

A mask is a function of the number with its calling code, of the range and of the key: however a number is written,
and whichever country its column is of, its mask is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.surrogates.keyed_choices import expected_collisions
from piiscan.masking.surrogates.keyed_functions import derived, permute, prf
from piiscan.masking.surrogates.number_ranges import wide_below
from piiscan.masking.surrogates.numbering_plans import RANGES, NumberingPlan, PhoneRange, by_code, plans
from piiscan.masking.surrogates.written_numbers import Codes, Rows, Written, decimal, groups, tweaks

if TYPE_CHECKING:
    import polars as pl

_SHORTEST = 6
"""Digits, with the calling code, that tell a telephone from others."""
_EXTENSION = r"(?i)\s*(?:,?\s*ext?\.?|x|#|;ext=)\s*\d{1,6}\s*$"


def choose_range(country: str, distinct: int) -> PhoneRange:
    """The safest range for so many numbers of a country, for a plan.

    "fiction" where fewer than one is expected to share its mask with another, else "unassigned", numbers that
    libphonenumber considers invalid.
    """
    found = plans().get(country)
    has = found is not None and found.ranges["fiction"] and expected_collisions(distinct, found.capacity("fiction")) < 1
    return "fiction" if has else "unassigned"


def check_range(country: str, kind: str) -> None:
    """Raises `UsageError` where the country has no such range.

    No country: numbers without a country code are permuted.
    """
    if kind not in RANGES:
        raise UsageError(f"range {kind!r} of telephone numbers: choose one of {', '.join(RANGES)}")
    found = plans().get(country)
    if country and kind != "permuted" and (found is None or not found.ranges[kind]):
        raise UsageError(
            f"range {kind!r}: no such telephone numbers are known for {country}; "
            f"use range = '{'permuted' if found is None else 'unassigned'}'"
        )


def as_range(name: str) -> PhoneRange:
    """Raises `UsageError` for another word than the ranges of telephone numbers."""
    for kind in get_args(PhoneRange):
        if name == kind:
            return kind  # type: ignore[no-any-return]
    raise UsageError(f"range {name!r} of telephone numbers: choose one of {', '.join(get_args(PhoneRange))}")


def mask(values: pl.Series, key: Subkey, country: str, kind: PhoneRange) -> pl.Series:
    """Surrogates for telephone numbers (distinct, not null).

    A number is of the country that + or 00 tells, else of `country`. One too long or short for its country's plan is
    written anew, as +COUNTRY NUMBER. What holds letters or no digit isn't a number: null.
    """
    import polars as pl

    parsed = _parsed(values, plans().get(country))
    written = parsed.written
    national = pl.DataFrame({"d": parsed.digits, "a": parsed.before, "n": parsed.length}).select(
        pl.col("d").str.slice("a", "n")
    )
    words = cache(lambda: prf(derived(key, "phone", kind), parsed.codes + national.to_series()))
    anew: dict[int, str] = {}
    for rows, codes in written.by_length():
        new = codes.copy()
        for plan, of in _by_plan(parsed.codes, rows):
            frame = np.stack([parsed.before[rows[of]], parsed.behind[rows[of]]], axis=1).astype(np.uint8)
            for cut, inside in groups(frame):
                at = of[inside]
                start, stop = cut[0], codes.shape[1] - cut[1]
                some = rows[at]
                if plan is None or kind == "permuted" or plan.best(kind) is None:
                    new[at, start:stop] = _permuted(codes[at, start:stop], key, plan)
                elif found := plan.of_length(kind, stop - start):
                    new[at, start:stop] = found.spell(wide_below(words()[some, 0], found.capacity))
                else:
                    _write_anew(anew, plan, kind, some, words())
                if cut[1]:  # an extension
                    new[at, stop:] = decimal(words()[some, 1] % np.uint64(10 ** cut[1]), cut[1])
        written.write(rows, new)
    masks = written.texts(values.name)
    if anew:
        masks = masks.scatter(pl.Series(list(anew), dtype=pl.UInt32), pl.Series(list(anew.values())))
    no_number = values.str.replace(_EXTENSION, "").str.contains(r"\p{L}").to_numpy() | (written.count == 0)
    return masks.zip_with(pl.Series(~no_number), pl.Series([None], dtype=pl.String)) if no_number.any() else masks


def declared(masks: pl.Series, country: str, kind: PhoneRange, anywhere: bool = False) -> pl.Series:
    """Whether each mask (distinct, not null) lies in the range of its country.

    `anywhere`: without a country code it may be of any.
    """
    import polars as pl

    plan = plans().get(country)
    parsed = _parsed(masks, plan)
    ok = _inside(parsed, kind)
    if anywhere and not ok.all():
        # What reads as a call abroad in one country (011…) is an area code in another.
        left = np.flatnonzero(~ok & ~masks.str.contains(r"^\W*\+").to_numpy())
        for other in by_code().values():
            if len(left):
                found = _inside(_parsed(masks.gather(left), other), kind)
                ok[left[found]] = True
                left = left[~found]
    return pl.Series(masks.name, ok)


def international(values: pl.Series, country: str) -> pl.Series:
    """Telephone numbers as they are, but those of the country without a country code with it."""
    import polars as pl

    parsed = _parsed(values, plans().get(country))
    frame = pl.DataFrame({"v": values, "d": parsed.digits, "c": parsed.codes, "a": parsed.abroad, "b": parsed.before})
    whole = "+" + pl.col("c") + " " + pl.col("d").str.slice("b")
    extended = pl.col("v").str.contains(_EXTENSION)
    keep = pl.col("a") | (pl.col("c") == "") | extended
    return frame.select(pl.when(keep).then("v").otherwise(whole).alias(values.name)).to_series()


def whole_numbers(values: pl.Series, countries: pl.Series | None, country: str) -> pl.Series:
    """Telephone numbers (String, nulls allowed) in one form, +49301234567, without extensions.

    Null for what is too short to be one. Those without a country code are of the country of their row, where
    `countries` has it, else of `country`.
    """
    import polars as pl

    rows = pl.DataFrame({"v": values.alias("v")}).with_columns(
        c=(pl.lit(None, dtype=pl.String) if countries is None else countries).fill_null(country), n=pl.lit("")
    )
    once = rows.drop_nulls("v").select("v", "c").unique(maintain_order=True)
    found = [pl.DataFrame(schema={"v": pl.String, "c": pl.String, "n": pl.String})]
    for part in once.partition_by("c", maintain_order=True):
        parsed = _parsed(part["v"], plans().get(part["c"][0]) or plans().get(country))
        digits = pl.DataFrame({"d": parsed.digits, "b": parsed.before, "n": parsed.length, "c": parsed.codes}).select(
            pl.when(pl.col("c") != "").then("+" + pl.col("c")).otherwise(pl.lit("")) + pl.col("d").str.slice("b", "n")
        )
        found.append(part.with_columns(n=digits.to_series()))
    out = rows.select("v", "c").join(pl.concat(found), on=["v", "c"], how="left", maintain_order="left")["n"]
    return out.zip_with(out.str.len_chars() >= _SHORTEST, pl.Series([None], dtype=pl.String)).alias(values.name)


def are_domestic(values: pl.Series, country: str) -> pl.Series:
    """Whether telephone numbers without a country code (String, no nulls) are written as those of a country are there.

    With the 0 that its numbers begin with, if they do, and as many digits as they have.
    """
    import polars as pl

    plan = plans().get(country)
    if plan is None:
        return pl.repeat(False, len(values), dtype=pl.Boolean, eager=True)
    parsed = _parsed(values, plan)
    digits = pl.DataFrame({"d": parsed.digits, "b": parsed.before, "n": parsed.length})
    zeros = pl.col("d").str.extract("^(0*)").str.len_bytes()
    begins = zeros == 1 if plan.trunk == "0" else zeros == 0 if plan.trunk else pl.lit(True)
    return digits.select(begins & pl.col("n").is_in(plan.lengths)).to_series()


def calling_codes(values: pl.Series) -> pl.Series:
    """The calling codes (String) with which telephone numbers (String, nulls allowed) are written.

    Null where a number has none.
    """
    import polars as pl

    return (
        _called(values, _digits(values), None)
        .select(pl.when(pl.col("i").is_not_null()).then("c").alias(values.name))
        .to_series()
    )


def _inside(parsed: _Parsed, kind: PhoneRange) -> NDArray[np.bool_]:
    import polars as pl

    ok = parsed.length >= 1
    if kind == "permuted":
        return np.asarray(ok)
    national = pl.DataFrame({"d": parsed.digits, "a": parsed.before, "n": np.maximum(parsed.length, 0)}).select(
        n=pl.col("d").str.slice("a", "n")
    )["n"]
    for plan, rows in _by_plan(parsed.codes, np.arange(len(ok))):
        if plan is None or plan.best(kind) is None:
            continue
        each = [r.regex for n in plan.lengths if (r := plan.of_length(kind, n))]
        ok[rows] &= national.gather(rows).str.contains(f"^(?:{'|'.join(each)})$").to_numpy()
    return np.asarray(ok)


def _by_plan(codes: pl.Series, rows: Rows) -> Iterator[tuple[NumberingPlan | None, Rows]]:
    """Rows by their numbering plan, as places in `rows`."""
    of = codes.gather(rows)
    for code in of.unique().sort().to_list():
        yield by_code().get(code), (of == code).to_numpy().nonzero()[0]


def _digits(values: pl.Series) -> pl.Series:
    return values.str.replace_all(r"[^0-9]", "").alias("d")


class _Parsed(NamedTuple):
    """The digits of each number, with the lengths of its parts and its calling code.

    How many digits come before the national number, and how many in an extension after it; the calling code, "" where
    unknown; whether that is `abroad`: written with it.
    """

    written: Written
    digits: pl.Series
    before: Rows
    behind: Rows
    codes: pl.Series
    abroad: NDArray[np.bool_]

    @property
    def length(self) -> Rows:
        return self.written.count - self.before - self.behind


def _called(values: pl.Series, digits: pl.Series, plan: NumberingPlan | None) -> pl.DataFrame:
    """For each number its digits and parts, as columns.

    `d`: its digits; `x`: those of an extension; `i`: the digits after + or 00 (011 in North America; null where there
    is neither); `c`: its calling code.
    """
    import polars as pl

    extension = values.str.extract(f"({_EXTENSION})").str.count_matches(r"\d").fill_null(0).cast(pl.Int64)
    plus = values.str.strip_chars(" (").str.contains(r"^\+")
    d = pl.col("d")
    size = d.str.len_bytes().cast(pl.Int64) - pl.col("x")
    american = plan is not None and plan.code == "1"
    frame = pl.DataFrame({"d": digits, "plus": plus, "x": extension}).with_columns(
        i=pl.when("plus")
        .then(d)
        .when(d.str.contains("^00"))
        .then(d.str.slice(2))
        .when(pl.lit(american) & d.str.contains("^011") & (size > 11))
        .then(d.str.slice(3))
    )
    code = (
        pl.when(pl.col("i").str.contains("^[17]"))
        .then(pl.col("i").str.slice(0, 1))
        .when(pl.col("i").str.contains(_TWO))
        .then(pl.col("i").str.slice(0, 2))
        .otherwise(pl.col("i").str.slice(0, 3))
    )
    return frame.with_columns(c=code.fill_null("" if plan is None else plan.code))


def _parsed(values: pl.Series, plan: NumberingPlan | None) -> _Parsed:
    """`plan`: of numbers that are written without a country code."""
    import polars as pl

    written, digits = Written.of(values), _digits(values)
    frame = _called(values, digits, plan)
    d, total = pl.col("d"), pl.col("d").str.len_bytes().cast(pl.Int64)
    size = total - pl.col("x")
    before: pl.Expr = pl.lit(0)
    if plan is not None:
        # Without a trunk prefix that is told by its zero, a prefix is one where the rest is a whole number.
        before = _begins(d, size, plan.code, plan, before)
        before = (
            pl.when(d.str.starts_with("0")).then(1).otherwise(before)
            if plan.trunk == "0"
            else _begins(d, size, plan.trunk, plan, before)
        )
    zero = pl.col("c").is_in([p.code for p in by_code().values() if p.trunk == "0"])
    code = total - pl.col("i").str.len_bytes() + pl.col("c").str.len_bytes()
    code = code + (zero & d.str.slice(code, 1).eq("0")).cast(pl.Int64)  # +49 (0)30
    found = frame.with_columns(b=pl.when(pl.col("i").is_null()).then(before).otherwise(code).cast(pl.Int64), n=total)
    rows = found.select(b=pl.min_horizontal("b", "n"), x="x", n="n").with_columns(
        x=pl.min_horizontal(pl.col("x"), pl.col("n") - pl.col("b"))
    )
    abroad = found["i"].is_not_null().to_numpy()
    return _Parsed(written, digits, rows["b"].to_numpy(), rows["x"].to_numpy(), found["c"], abroad)


def _begins(digits: pl.Expr, size: pl.Expr, prefix: str, plan: NumberingPlan, otherwise: pl.Expr) -> pl.Expr:
    import polars as pl

    if not prefix:
        return otherwise
    lengths = list(plan.lengths)
    whole = ~size.is_in(lengths) & (size - len(prefix)).is_in(lengths)
    return pl.when(digits.str.starts_with(prefix) & whole).then(len(prefix)).otherwise(otherwise)


_TWO = r"^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])"
"""Calling codes of two digits (ITU-T E.164); 1 and 7 have one, all others three."""


def _permuted(national: Codes, key: Subkey, plan: NumberingPlan | None) -> Codes:
    """Permute the last six or seven digits of national numbers of one length and country.

    The digits before them stay.
    """
    length = national.shape[1]
    code = np.frombuffer(b"" if plan is None else plan.code.encode(), dtype=np.uint8)
    prefix = np.broadcast_to(code, (len(national), len(code)))
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

    texts = pl.Series([row.tobytes().decode() for row in np.hstack([prefix, national])], dtype=pl.String)
    words = prf(derived(key, "phone", "short"), texts)
    return decimal(words[:, 0] % np.uint64(10 ** national.shape[1]), national.shape[1])


def _write_anew(anew: dict[int, str], plan: NumberingPlan, kind: str, rows: Rows, words: NDArray[np.uint64]) -> None:
    found = plan.best(kind)
    assert found is not None
    for row, codes in zip(rows.tolist(), found.spell(wide_below(words[rows, 0], found.capacity)), strict=True):
        anew[row] = f"+{plan.code} {codes.tobytes().decode()}"
