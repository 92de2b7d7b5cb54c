"""A part of each value, the rest behind a mask character."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from piiscan.core.types import DType
from piiscan.masking.operators.operator import ALREADY_MASKED, Contract, Operator
from piiscan.masking.operators.preconditions import demand, demand_cells, refusal

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey

SEPARATORS: Final = " -./_:,()+@'"
_SEPARATOR: Final = r"[ \-./_:,()+@']"
_COUNTED: Final = r"[^ \-./_:,()+@']"


@dataclass(frozen=True)
class Partial(Operator):
    """The first and last characters of a value; those between one mask `character` each: `****-****-****-1111`.

    Separators (space and - . / _ : , ( ) + @ ') stay and don't count, unless `keep_separators` is false. With
    `keep_domain`, what follows the last @ stays too, and the rest applies to what is before it. `fixed` puts that many
    mask characters in place of all that is hidden, so that lengths don't show. At most half of the characters that
    count are ever kept: a value too short for that is masked whole.

    Guarantee:
        Assumes that the kept characters identify nobody, alone or with the other columns.
        Ensures that at least half of each value's characters that count are hidden (those before the @, where the
        domain is kept).
        Does not protect against guessing: the kept characters, the domain, the places of separators and, without
        `fixed`, the length still show, and together may leave one candidate. Equal values get equal masks.
        Test: test_operators_erase.py::test_partial_hides_at_least_half
    """

    keep_first: int = 0
    keep_last: int = 0
    keep_domain: bool = False
    keep_separators: bool = True
    fixed: int = 0
    character: str = "*"

    name: ClassVar[str] = "partial"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"
    share_that_stays: ClassVar[float | None] = ALREADY_MASKED

    def __post_init__(self) -> None:
        for parameter in ("keep_first", "keep_last", "fixed"):
            if not 0 <= getattr(self, parameter) <= 100:
                raise refusal(self.name, f"{parameter!r} must be from 0 to 100")
        if len(self.character) != 1 or self.character in SEPARATORS or self.character.isspace():
            raise refusal(self.name, "'character' must be one character that is not a separator")

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, ("string", "integer"))
        return "string"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        demand_cells(self.name, values, ("string", "integer"))
        x = values.cast(pl.String)
        if not self.keep_domain:
            return self._masked(x).alias(values.name)
        # All up to the last @, and the rest: of a text without one, all is to be masked.
        parts = pl.DataFrame({"x": x}).select("x", domain=pl.col("x").str.extract("(?s)(@[^@]*)$").fill_null(""))
        local = parts.select(
            pl.col("x").str.head(pl.col("x").str.len_chars() - pl.col("domain").str.len_chars())
        ).to_series()
        return (self._masked(local) + parts["domain"]).alias(values.name)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        # Masking hides nothing more in a mask, unless what is hidden was given a length of its own.
        again = self.mask(masks, key) == masks
        if not self.fixed:
            return again
        x = pl.col("x")
        local = x.str.extract("(?s)^(.*)@").fill_null(x) if self.keep_domain else x
        hidden, n = re.escape(self.character * self.fixed), self.keep_first + self.keep_last
        kept = f"(?s)^{self._head}{hidden}{self._tail}$"
        shaped = local.str.contains(f"^{hidden}$") | (local.str.contains(kept) if n else pl.lit(False))
        return (
            pl.DataFrame({"x": masks})
            .select((shaped | (x == self.character * self.fixed)).fill_null(False))
            .to_series()
        )

    @property
    def _head(self) -> str:
        """The regular expression of the first characters kept, with the separators among them."""
        one = f"{_SEPARATOR}*{_COUNTED}" if self.keep_separators else "."
        return f"(?:{one}){{{self.keep_first}}}"

    @property
    def _tail(self) -> str:
        one = f"{_COUNTED}{_SEPARATOR}*" if self.keep_separators else "."
        return f"(?:{one}){{{self.keep_last}}}"

    def _masked(self, x: pl.Series) -> pl.Series:
        """Texts with what isn't kept hidden."""
        import polars as pl

        parts = pl.DataFrame({"x": x}).select(
            "x",
            p=pl.col("x").str.extract_groups(f"(?s)^({self._head})(.*)({self._tail})$"),
            n=pl.col("x").str.count_matches(self._hides),
        )
        head, middle, tail = (pl.col("p").struct[i] for i in range(3))
        fits = (pl.col("n") >= max(1, 2 * (self.keep_first + self.keep_last))) & middle.is_not_null()
        every = self._hidden(pl.col("x"), "(?s).")  # nothing but separators: they are the value
        whole = self._hidden(pl.col("x"), self._hides)
        kept = head + self._hidden(middle, self._hides) + tail
        return parts.select(pl.when(fits).then(kept).when(pl.col("n") == 0).then(every).otherwise(whole)).to_series()

    @property
    def _hides(self) -> str:
        return _COUNTED if self.keep_separators else "(?s)."

    def _hidden(self, x: pl.Expr, pattern: str) -> pl.Expr:
        import polars as pl

        if self.fixed:
            return pl.when(x.is_not_null()).then(pl.lit(self.character * self.fixed))
        return x.str.replace_all(pattern, self.character.replace("$", "$$"))
