"""The operator `hash`: a keyed hash in place of each value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from piiscan.core.errors import UsageError
from piiscan.masking.crypto.hmac_sha256 import digests
from piiscan.masking.operators.keying import as_text, spread
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import demand, demand_key

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType

Normalise = Literal["exact", "folded", "compact"]
SHORTEST: Final = 16
_LONGEST: Final = 64


@dataclass(frozen=True)
class Hash(Operator):
    """A keyed hash in the place of a value: the first `length` (16 to 64) hex digits of its HMAC-SHA256 (RFC 2104).

    `normalise` says which texts count as the same value: `exact`, none but equal ones; `folded`, those that differ in
    case, in white space around them or in Unicode's compatible spellings (NFKC, case folded by lower-casing);
    `compact`, of these also those that differ in anything but letters and digits. A text of which that leaves nothing
    is hashed as it stands. The empty text stays empty.

    Guarantee:
        Assumes a secret key that nobody guesses.
        Ensures that without it a hash shows nothing of its value but which cells have equal ones: trying all values,
        which finds every plain hash of a social security number, needs the key. Among n values two share a hash with a
        probability of about n² / 2^(4·length + 1): 10⁻²¹ or so for 10⁹ values and 32 digits.
        Does not protect against counting: how often each value occurs still shows; nor against those who hold the key,
        who can try values.
        Test: test_operators_keyed.py::test_a_dictionary_of_social_security_numbers_finds_nothing_without_the_key
    """

    length: int = 32
    normalise: Normalise = "exact"

    name: ClassVar[str] = "hash"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "removed"
    keeps_distinct: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not SHORTEST <= self.length <= _LONGEST:
            raise UsageError(f"hash: length must be a number of hex digits from {SHORTEST} to {_LONGEST}")
        if self.normalise not in ("exact", "folded", "compact"):
            raise UsageError("hash: normalise must be exact, folded or compact")

    def dtype(self, before: DType) -> DType:
        """String, of anything that has one exact text."""
        demand(self.name, before, ("string", "integer", "boolean", "date", "datetime"))
        return "string"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The hashes of values."""
        import polars as pl

        secret = demand_key(self.name, key).derive("hash").secret
        return spread(
            as_text(values),
            lambda texts: pl.Series(
                [each.hex()[: self.length] for each in digests(secret, self._normal(texts).to_list())], dtype=pl.String
            ),
        )

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each looks like such a hash, or is empty."""
        return masks.str.contains(f"^(?:[0-9a-f]{{{self.length}}})?$")

    def _normal(self, texts: pl.Series) -> pl.Series:
        if self.normalise == "exact":
            return texts
        # Lower-casing may undo the normal form, so it is sought again.
        normal = texts.str.normalize("NFKC").str.to_lowercase().str.normalize("NFKC").str.strip_chars()
        if self.normalise == "compact":
            normal = normal.str.replace_all(r"[^\p{L}\p{M}\p{N}]+", "")
        return normal.zip_with(normal != "", texts)
