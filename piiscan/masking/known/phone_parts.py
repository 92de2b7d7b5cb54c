"""The parts of telephone numbers, and the numbers that are written with them."""

from __future__ import annotations

from typing import Final

import polars as pl

EXTENSION: Final = r"(?i)\s*(?:,?\s*ext?\.?|x|#|;ext=)\s*\d{1,6}\s*$"
PREFIXES: Final = ("", "0", "8", "code", "00code", "code0", "00code0", "all", "00all")
"""How a number may begin in a text: +39 06 and +44 (0)20 keep the zero behind the code."""
_TWO_DIGITS: Final = r"^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])"


def parts_of(phones: pl.Series, country: str) -> pl.DataFrame:
    """Of each telephone all digits, those without a prefix, and its country's code."""
    digits, code = pl.col("digits"), pl.col("all")
    frame = phones.alias("t").to_frame().select(pl.col("t").str.replace(EXTENSION, "").str.strip_chars())
    frame = frame.select(
        pl.col("t").str.replace_all(r"\D", "").alias("digits"),
        pl.col("t").str.contains(r"^\(?00").alias("zeros"),
        pl.col("t").str.contains(r"^\(?(?:\+|00)").alias("abroad"),
    )
    frame = frame.select("abroad", pl.when("zeros").then(digits.str.slice(2)).otherwise(digits).alias("all"))
    frame = frame.with_columns(
        pl.when(code.str.contains("^[17]"))
        .then(1)
        .when(code.str.contains(_TWO_DIGITS))
        .then(2)
        .otherwise(3)
        .alias("n"),
        code.str.contains(r"^8\d{10}$").alias("eight"),  # as in Russia and Kazakhstan
    )
    trunk = pl.when(code.str.starts_with("0") | pl.col("eight")).then(1).otherwise(0)
    return frame.select(
        "all",
        code.str.slice(pl.when("abroad").then("n").otherwise(trunk)).str.strip_chars_start("0").alias("national"),
        pl.when("abroad")
        .then(code.str.slice(0, "n"))
        .when("eight")
        .then(pl.lit("7"))
        .otherwise(pl.lit(country))
        .alias("code"),
    )


def with_prefix(prefix: str) -> pl.Expr:
    """A telephone number with one of `PREFIXES`, which has its country's code, all its digits or neither."""
    before, known, behind = split(prefix)
    if known == "all":
        return before + pl.col("all")
    if known == "code":
        return before + pl.col("code") + behind + pl.col("national")
    return before + pl.col("national")


def split(prefix: str) -> tuple[str, str, str]:
    """What of a prefix stands before what is known of a number, what that is ("code", "all" or ""), and what follows.

    >>> split("00code0"), split("0")
    (('00', 'code', '0'), ('0', '', ''))
    """
    for known in ("code", "all"):
        before, found, behind = prefix.partition(known)
        if found:
            return before, known, behind
    return prefix, "", ""
