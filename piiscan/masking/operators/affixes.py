"""Letters with which all numbers of a column begin or end, such as MRN in "MRN-004711"; they identify no one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from piiscan.masking.crypto.text_bytes import Ints

_SIGNS: Final = r"[ -/:-@\[-`{-}]*"
"""Printable ASCII that is no letter or digit, but for the mark that tokens begin with."""


class Split(NamedTuple):
    """Texts cut in three (String each): what stays before, what is masked, and what stays after."""

    head: pl.Series
    body: pl.Series
    tail: pl.Series

    def joined(self, body: pl.Series, rows: Ints | None = None) -> pl.Series:
        """The texts of some rows with other bodies."""
        import polars as pl

        head, tail = (self.head, self.tail) if rows is None else (self.head.gather(rows), self.tail.gather(rows))
        return pl.select(pl.lit(head) + body + tail).to_series()


@dataclass(frozen=True)
class Affixes:
    """Prefixes and suffixes (ASCII capital letters), which texts begin and end with in any case."""

    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.prefixes or self.suffixes)

    def check(self, operator: str) -> None:
        """Raises `UsageError` for what is no prefix or suffix."""
        for text in (*self.prefixes, *self.suffixes):
            if not (text.isascii() and text.isalpha() and text.isupper()):
                raise UsageError(
                    f"{operator}: prefixes and suffixes must be capital letters, such as MRN, without punctuation"
                )

    @cached_property
    def _pattern(self) -> str:
        head = f"({_any(self.prefixes)}{_SIGNS})?" if self.prefixes else "()"
        tail = f"({_SIGNS}{_any(self.suffixes)})?" if self.suffixes else "()"
        return f"(?s)^{head}(.*?){tail}$"

    def split(self, texts: pl.Series) -> Split:
        """The texts (String, no nulls) cut; whole, where no letter or digit would be left to mask."""
        import polars as pl

        found = texts.to_frame("t").with_columns(pl.col("t").str.extract_groups(self._pattern).alias("g"))
        parts = found.select("t", *(pl.col("g").struct[i].fill_null("").alias(str(i)) for i in range(3)))
        masked = pl.col("1").str.contains("[0-9A-Za-z]") & ~pl.col("1").str.starts_with("~")
        cut = parts.select(
            pl.when(masked).then("0").otherwise(pl.lit("")).alias("head"),
            pl.when(masked).then("1").otherwise("t").alias("body"),
            pl.when(masked).then("2").otherwise(pl.lit("")).alias("tail"),
        )
        return Split(*cut.iter_columns())


def _any(words: tuple[str, ...]) -> str:
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(''.join(f'[{c}{c.lower()}]' for c in word) for word in ordered)})"
