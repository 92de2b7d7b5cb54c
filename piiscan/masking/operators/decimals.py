"""Numbers as people write them: cells of any type of number, text included, as exact whole numbers of a decimal unit.

A float counts as the shortest decimal that reads back as it. So .3 is three tenths whatever the column's type, and lies
in the same bin in a CSV file and in a Parquet file.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    import polars as pl

Point = Literal[".", ","]
"""The decimal separator in text; the other character may separate groups of three digits."""

BEYOND: Final = 10**37
"""Stands for whatever is larger: infinity, and numbers of more digits than are counted with."""
_NUMBER: Final = {
    ".": r"^\s*([+-]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.([0-9]*))?\s*$",
    ",": r"^\s*([+-]?)([0-9]{1,3}(?:\.[0-9]{3})+|[0-9]*)(?:,([0-9]*))?\s*$",
}
_POWER: Final = r"^\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]{1,4}\s*$"


def exact(number: float) -> Decimal:
    """A parameter as the decimal that the plan spells."""
    return Decimal(repr(number + 0)).normalize()  # + 0: there is one zero


def spelled(number: float) -> str:
    """A parameter as text, without an exponent."""
    return format(exact(number), "f")


def places_of(*numbers: float) -> int:
    """How many decimals all of these can be written with."""
    return max([0, *(-int(exact(n).as_tuple().exponent) for n in numbers)])


def units(number: float, places: int) -> int:
    """A parameter as a whole number of units of `places` decimals, which must suffice for it."""
    return int(exact(number).scaleb(places))


def scaled(cells: pl.Series, places: int, point: Point = ".") -> pl.Series:
    """The floor of each number times 10^`places` (Int128), ±`BEYOND` where it is larger.

    Null for what isn't a number, NaN included.
    """
    import polars as pl

    x = pl.col("x")
    frame = pl.DataFrame({"x": cells})
    if cells.dtype.is_integer():
        n, edge, one = x.cast(pl.Int128), BEYOND // 10**places, pl.lit(10**places, dtype=pl.Int128)
        # What lies beyond is cut before it is multiplied: Int128 wraps around.
        inner = pl.when(n.abs() <= edge).then(n) * one
        return frame.select(
            inner.fill_null(pl.when(n > 0).then(_lit(BEYOND)).when(n < 0).then(_lit(-BEYOND)))
        ).to_series()
    if cells.dtype.is_float():
        endless = pl.when(x > 0).then(pl.lit("1e999")).otherwise(pl.lit("-1e999"))
        frame = frame.select(
            pl.when(x.is_finite()).then(x.cast(pl.String)).when(x.is_infinite()).then(endless).alias("x")
        )
        point = "."
    return _of_texts(frame.select(x.cast(pl.String)), places, point)


def finite(n: pl.Series) -> pl.Series:
    """Scaled numbers; null for those beyond what is counted with."""
    return n.set(n.abs() >= BEYOND, None)


def texts(n: pl.Series, places: int, point: Point = ".") -> pl.Series:
    """Scaled numbers written out with `places` decimals (String)."""
    import polars as pl

    x = pl.col("x")
    digits = x.abs().cast(pl.String).str.zfill(places + 1)
    if places:
        digits = digits.str.head(-places) + point + digits.str.tail(places)
    signed = pl.when(x < 0).then(pl.lit("-") + digits).otherwise(digits)
    return pl.DataFrame({"x": n}).select(signed.alias(n.name)).to_series()


def like(n: pl.Series, places: int, dtype: pl.DataType, point: Point = ".") -> pl.Series:
    """Scaled numbers in the type of their column; null where it has no room for one."""
    import polars as pl

    if dtype.is_integer():
        return pl.DataFrame({"x": n}).select((pl.col("x") // _lit(10**places)).cast(dtype, strict=False)).to_series()
    if dtype.is_float():
        return texts(n, places).cast(pl.Float64).cast(dtype)
    return texts(n, places, point)


def decimals(cells: pl.Series, point: Point = ".") -> int:
    """The most decimals that any of these numbers is written with, 15 at most."""
    import polars as pl

    if cells.dtype.is_integer() or not len(cells):
        return 0
    written = cells.cast(pl.String)
    after = (
        written.str.extract(rf"\{point}([0-9]*[1-9])" if cells.dtype.is_float() else rf"\{point}([0-9]+)")
        .str.len_chars()
        .fill_null(0)
    )
    power = written.str.extract(r"[0-9.][eE]([+-]?[0-9]{1,4})\s*$").str.strip_prefix("+").cast(pl.Int64).fill_null(0)
    return max(0, min(15, int((after.cast(pl.Int64) - power).max() or 0)))  # type: ignore[arg-type]


def _of_texts(frame: pl.DataFrame, places: int, point: Point) -> pl.Series:
    import polars as pl

    x = pl.col("x")
    # Step by step, for an expression that stands twice is worked out twice.
    parts = frame.select(x, p=x.str.extract_groups(_NUMBER[point])).select(
        x, sign=pl.col("p").struct[0], whole=pl.col("p").struct[1], after=pl.col("p").struct[2].fill_null("")
    )
    after, whole = (
        pl.col("after"),
        pl.col("whole").str.replace_all(",", "", literal=True).str.replace_all(".", "", literal=True),
    )
    digits = (whole + after.str.head(places).str.pad_end(places, "0")).str.strip_chars_start("0")
    read = parts.select(
        x,
        "sign",
        digits=digits,
        rest=after.str.slice(places).str.contains("[1-9]").cast(pl.Int128),
        there=(whole + after).str.len_bytes() > 0,
    )
    n = (
        pl.when(pl.col("digits").str.len_bytes() < 38)
        .then(pl.col("digits").str.zfill(1).cast(pl.Int128, strict=False))
        .otherwise(_lit(BEYOND))
    )
    read = read.with_columns(n=n)
    signed = (
        pl.when(pl.col("sign") == "-")
        .then(_lit(0) - pl.col("n") - pl.col("rest"))
        .otherwise(pl.col("n"))
        .clip(-BEYOND, BEYOND)
    )
    power = pl.when(pl.col("there").is_null()).then(x.str.contains(_POWER)).fill_null(False)
    read = read.select(x, n=pl.when(pl.col("there")).then(signed), power=power)
    if not read["power"].any():
        return read["n"]
    return pl.Series([_of_power(t, places) if power else v for t, v, power in read.iter_rows()], dtype=pl.Int128)


def _of_power(text: str, places: int) -> int:
    number = Decimal(text.strip())
    if number and number.adjusted() + places >= 37:
        return -BEYOND if number < 0 else BEYOND
    if number.adjusted() > -50:
        return int(number.scaleb(places).to_integral_value(ROUND_FLOOR))
    return -1 if number < 0 else 0


def _lit(number: int) -> pl.Expr:
    import polars as pl

    return pl.lit(number, dtype=pl.Int128)
