"""The operator `token`: the encrypted text in place of the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from piiscan.core.errors import UsageError
from piiscan.masking.operators.keying import as_text, spread
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import demand, demand_key

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType


@dataclass(frozen=True)
class Token(Operator):
    """A token in place of a text, which the key turns back into the text.

    It is `~tok1_` and url-safe base64 of the text sealed by AES-SIV (RFC 5297).

    `pad` is a multiple of 16: a text is padded to the next multiple of that many bytes, at least one byte, before it is
    sealed. Numbers and dates become their text first; `unmask` gives that text. The empty text stays empty.

    Guarantee:
        Assumes a secret key that nobody guesses.
        Ensures that a token shows of its text nothing but how many times `pad` bytes it has and that equal texts have
        equal tokens; that the key's holders, and they alone, get the exact text back; that a token which was changed,
        or made under another key or in another domain, is refused.
        Does not protect against counting: how often each value occurs still shows, and so does a value that somebody
        knows by its row; nor against those who hold the key.
        Test: test_operators_keyed.py::test_tokens_say_nothing_but_how_many_times_32_bytes_there_are
    """

    pad: int = 32

    name: ClassVar[str] = "token"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = True
    keeps_distinct: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"

    def __post_init__(self) -> None:
        if not 16 <= self.pad <= 4096 or self.pad % 16:
            raise UsageError("token: pad must be a multiple of 16, from 16 to 4096")

    def dtype(self, before: DType) -> DType:
        """String, of anything that has one exact text."""
        demand(self.name, before, ("string", "integer", "boolean", "date", "datetime"))
        return "string"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The tokens of values."""
        from piiscan.masking.operators.sealing import seal

        secret = demand_key(self.name, key)
        return spread(as_text(values), lambda texts: seal(texts, secret, self.pad))

    def unmask(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """The texts of tokens. Raises `UsageError` for tokens that aren't this key's."""
        from piiscan.masking.operators.sealing import restored

        secret = demand_key(self.name, key)
        return spread(masks, lambda texts: restored(texts, secret))

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each is a token made under this key, or empty."""
        from piiscan.masking.operators.sealing import opened

        return opened(masks, demand_key(self.name, key)).is_not_null() | (masks == "")
