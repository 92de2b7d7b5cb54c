"""The operator `code`: random codes, kept in a vault."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from piiscan.core.errors import UsageError
from piiscan.masking.operators.affixes import Affixes
from piiscan.masking.operators.keying import as_text, spread
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import demand, demand_key

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Without the letters that are read as digits, or make words (Crockford's base 32)."""
_SHORTEST, _LONGEST = 12, 64


@dataclass(frozen=True)
class Code(Operator):
    """A random code in place of each value, remembered in the file `vault`.

    A code has `length` characters (12 to 64, of 5 random bits each). The vault is in the folder of the plan unless its
    path is absolute. `prefixes` are letters that stay where a value begins with them, in any case: with `prefixes =
    ["P"]`, P-0042 gets P- and the code of 0042.

    The key seals the vault (see `piiscan.masking.vault`); no code is made from it. Numbers and dates become their text
    first; `unmask` gives that text. The empty text stays empty.

    Guarantee:
        Assumes that the vault and its key are kept from those who see the codes.
        Ensures that a code is drawn at random and not derived from the value or anything else about a person, and
        can't be translated without the vault, as 45 CFR 164.514(c) demands of codes in data that count as
        de-identified; that equal values of the domain get the same code wherever this vault is used, and different
        ones different codes.
        Does not protect against counting: how often each value occurs still shows; nor against those who hold the
        vault and its key. Without the same vault, codes don't join.
        Test: test_vault.py::test_codes_are_not_derived_from_values_or_keys
    """

    vault: str = "piiscan-vault"
    length: int = 16
    prefixes: tuple[str, ...] = ()

    name: ClassVar[str] = "code"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = True
    keeps_distinct: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"
    may_be_original: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not _SHORTEST <= self.length <= _LONGEST:
            raise UsageError(f"code: length must be a number of characters from {_SHORTEST} to {_LONGEST}")

        Affixes(self.prefixes).check(self.name)

    def dtype(self, before: DType) -> DType:
        """String, of anything that has one exact text."""
        demand(self.name, before, ("string", "integer", "boolean", "date", "datetime"))
        return "string"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The codes of values. New ones are in the vault before they are returned."""
        secret = demand_key(self.name, key)
        return spread(as_text(values), lambda texts: self._coded(texts, secret))

    def _coded(self, texts: pl.Series, key: Subkey) -> pl.Series:
        from piiscan.masking import vault

        split = Affixes(self.prefixes).split(texts)
        once = split.body.unique(maintain_order=True)
        codes = vault.assign(Path(self.vault), key, once, self._random)
        return split.joined(split.body.replace_strict(once, codes, return_dtype=codes.dtype))

    def unmask(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """The texts of codes. Raises `UsageError` with their number where some aren't in the vault."""
        secret = demand_key(self.name, key)
        found = spread(masks, lambda codes: self._originals(codes, secret))
        if strange := found.null_count():
            raise UsageError(
                f"vault {self.vault}: {strange} of {len(masks)} distinct codes aren't in it, under this key and domain"
            )
        return found

    def _originals(self, masks: pl.Series, key: Subkey) -> pl.Series:
        """Of codes as they are, and of those behind a prefix."""
        from piiscan.masking import vault

        split = Affixes(self.prefixes).split(masks)
        whole, part = (vault.originals(Path(self.vault), key, codes) for codes in (masks, split.body))
        return whole.zip_with(whole.is_not_null(), split.joined(part))

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each is a code of the vault, or empty."""
        from piiscan.masking import vault

        codes = vault.read(Path(self.vault), demand_key(self.name, key))["code"].implode()
        return masks.is_in(codes) | Affixes(self.prefixes).split(masks).body.is_in(codes) | (masks == "")

    def _random(self, n: int) -> pl.Series:
        from secrets import token_bytes

        import numpy as np

        from piiscan.masking.crypto.text_bytes import series

        alphabet = np.frombuffer(_ALPHABET.encode(), dtype=np.uint8)
        drawn = np.frombuffer(token_bytes(n * self.length), dtype=np.uint8).reshape(n, self.length)
        return series(alphabet[drawn & 31])
