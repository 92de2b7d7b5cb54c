"""The operator `fpe`: masks of the same look."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.core.errors import UsageError
from piiscan.masking.crypto.ff1 import SMALLEST
from piiscan.masking.operators.affixes import Affixes, Split
from piiscan.masking.operators.keying import spread
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import demand, demand_key
from piiscan.masking.operators.sealing import MARK

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType
    from piiscan.masking.crypto.text_bytes import Ints
    from piiscan.masking.operators.format_classes import CipherKeys
    from piiscan.masking.operators.validity import Check

_CHUNK: Final = 1 << 16
_SMALL: Final = r"^(?:0|[1-9][0-9]{0,5}|-[1-9][0-9]{0,6})$"
"""Integers that are permuted together."""
_DIGITS: Final = 6
"""As many as those integers have at most, zeros in front included."""


class _Ways(NamedTuple):
    """Rows that become tokens as a whole, and rows that are numbers of six digits."""

    tokens: Ints
    fixed: Ints


@dataclass(frozen=True)
class Fpe(Operator):
    """A mask of the same format, by format-preserving encryption that the key reverses.

    It is FF1 (NIST SP 800-38G revision 1) under AES-256.

    Digits stay digits, letters stay letters of their case, and every other character stays. `keep_first` and
    `keep_last` digits and letters
    stay too: 4 keeps the brand of a card, 6 its issuer, 2 the country of an IBAN. With `check` (a check's name, a
    subtype such as PL_PESEL, CREDIT_CARD or IBAN_CODE) masks of valid values are valid, and masks of invalid ones
    invalid, from seven digits on.

    `prefixes` and `suffixes` are letters that stay where a value begins or ends with them, in any case: with
    `prefixes = ["MRN"]`, MRN-004711 and 004711 get masks of the same digits. With `digits = 6` numbers of six digits
    have any other six for a mask, whether they begin with 0 or not: 004711, and 4711 in a column without it, get equal
    numbers.

    `hex`: digits are hexadecimal, as those of a UUID: masks have hexadecimal digits in the same places and of the same
    case. What isn't written so becomes a token.

    Numbers that begin with 0 keep doing so, and others don't begin to; those of 19 and 20 digits stay within 64 bits if
    they were. Integers of up to six digits (seven, if negative) have any such integer for a mask, because fewer values
    than 10⁶ are too few for FF1. Other texts of fewer possible values, and texts that hold characters beyond ASCII or
    begin with ~, become tokens (see `token`); columns of integers, which can't hold a token, are refused for them. The
    empty text stays empty.

    Guarantee:
        Assumes a secret key that nobody guesses, and as attackers those who see masks, not millions of pairs with
        their originals.
        Ensures that without the key a mask shows of its value the class above and nothing more; that masks are one to
        one, equal for equal values in every column of the domain, whether they are written with separators or without,
        as text or as integers; that `unmask` gives every value back exactly.
        Does not protect against counting: how often each value occurs still shows; nor against mistaking a mask for
        real: it may be somebody's number; nor what `keep_first` and `keep_last` keep; nor against those who hold the
        key.
        Test: test_operators_keyed.py::test_every_value_comes_back_and_none_share_a_mask
    """

    keep_first: int = 0
    keep_last: int = 0
    check: str | None = None
    hex: bool = False
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    digits: int = 0

    name: ClassVar[str] = "fpe"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = True
    keeps_distinct: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"
    may_be_original: ClassVar[bool] = True
    permutes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if min(self.keep_first, self.keep_last) < 0:
            raise UsageError("fpe: keep_first and keep_last must be numbers of characters, 0 or more")
        if self.hex and (self.check is not None or self.keep_first or self.keep_last):
            raise UsageError("fpe: hex masks whole identifiers; leave check, keep_first and keep_last out")
        self._affixes.check(self.name)
        if self.digits not in (0, _DIGITS):
            raise UsageError(
                f"fpe: digits must be {_DIGITS} or left out: shorter numbers are too few to be permuted, longer "
                "ones don't need it"
            )
        if self._by_parts and (self.hex or self.check is not None or self.keep_first or self.keep_last):
            raise UsageError("fpe: prefixes, suffixes and digits can't be combined with other parameters")
        if self.check is not None:
            from piiscan.masking.operators.validity import check_name

            check_name(self.check)

    def dtype(self, before: DType) -> DType:
        """The same; of strings and integers, hexadecimal ones of strings only."""
        demand(self.name, before, ("string",) if self.hex or self._by_parts else ("string", "integer"))
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The masks of values. Raises `UsageError` for integers that have none."""
        return self._both_ways(values, demand_key(self.name, key), inverse=False)

    def unmask(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """The values of masks. Raises `UsageError` for tokens that aren't this key's."""
        return self._both_ways(masks, demand_key(self.name, key), inverse=True)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each has a look that FF1 permutes, or is a token made under this key, or empty."""
        import polars as pl

        from piiscan.masking.operators.format_patterns import format_patterns
        from piiscan.masking.operators.routes import routes
        from piiscan.masking.operators.sealing import opened

        secret = demand_key(self.name, key)
        if masks.dtype.is_integer():
            return pl.repeat(True, len(masks), dtype=pl.Boolean, eager=True)
        full = (masks != "").arg_true()
        texts = masks.gather(full)
        if self.hex:
            from piiscan.masking.operators import hexadecimal

            to_tokens = (~hexadecimal.is_hexadecimal(texts)).arg_true().to_numpy()
        elif self._by_parts:
            to_tokens = self._parts(texts)[1].tokens
        else:
            to_tokens = routes(format_patterns(texts), self._check(), self.keep_first, self.keep_last).tokens
        good = np.ones(len(texts), dtype=np.bool_)
        good[to_tokens] = opened(texts.gather(to_tokens), secret).is_not_null().to_numpy()
        return pl.repeat(True, len(masks), dtype=pl.Boolean, eager=True).scatter(full, pl.Series(good))

    def fixed_points(self, masks: pl.Series) -> float:
        """How many of these masks are expected to equal their originals.

        Of integers that are permuted together one in 10⁶; of others one in as many as there are of their format, a
        leading digit and check digits left out.
        """
        import polars as pl

        texts = masks.cast(pl.String)
        if self._by_parts:
            texts = self._affixes.split(texts).body
            if self.digits:
                texts = texts.filter((texts.str.count_matches("[0-9]") != _DIGITS) | texts.str.contains("[A-Za-z]"))
        fixed = (len(masks) - len(texts)) / SMALLEST
        known = 1 + self.keep_first + self.keep_last + (2 if self.check else 0)
        places = np.maximum(_signs(texts) - known, 0).astype(np.float64)
        small = (
            texts.str.contains(_SMALL)
            if not (self.keep_first or self.keep_last)
            else pl.Series([False]).new_from_index(0, len(texts))
        )
        return fixed + float(np.where(small.to_numpy(), 1 / SMALLEST, 10.0**-places).sum())

    def capacity(self, digits: int) -> float:
        """One for each value of as many digits, those left out that stay, and a leading one.

        None is left out of `digits`, which are permuted with the zeros in front.
        """
        if digits and digits == self.digits:
            return float(SMALLEST)
        return super().capacity(digits - self.keep_first)

    def _both_ways(self, values: pl.Series, key: Subkey, inverse: bool) -> pl.Series:
        import polars as pl

        if values.dtype.is_integer():
            return self._integers(values, key, inverse)
        parts = [
            spread(values.slice(at, _CHUNK), lambda texts: self._texts(texts, key, inverse))
            for at in range(0, max(len(values), 1), _CHUNK)
        ]
        return pl.concat(parts).alias(values.name)

    def _integers(self, values: pl.Series, key: Subkey, inverse: bool) -> pl.Series:
        import polars as pl

        bits = int(str(values.dtype).removeprefix("U").removeprefix("Int"))
        if bits < 32:
            raise UsageError(f"fpe: {bits}-bit integers have no room for masks; cast the column to 64 bits")
        if bits == 32 and bool((values.cast(pl.Int64).abs() > 999_999_999).any()):
            raise UsageError("fpe: masks of 10 digits may not fit 32-bit integers; cast the column to 64 bits")
        masks = self._both_ways(values.cast(pl.String), key, inverse).cast(values.dtype, strict=False)
        if refused := masks.null_count():
            raise UsageError(
                f"fpe: {refused} distinct integers have too few digits to be masked, or no mask that fits the "
                "column; choose the operator token, or leave out keep_first and keep_last"
            )
        return masks

    def _texts(self, texts: pl.Series, key: Subkey, inverse: bool) -> pl.Series:
        from piiscan.masking.crypto.text_bytes import reassembled
        from piiscan.masking.operators import sealing
        from piiscan.masking.operators.format_classes import permuted_codes
        from piiscan.masking.operators.format_patterns import format_patterns, upper
        from piiscan.masking.operators.routes import routes, small_permuted

        if self.hex:
            return self._hex(texts, key, inverse)
        if self._by_parts:
            return self._in_parts(texts, key, inverse)
        keys = self._keys(key)
        found, check = format_patterns(texts), self._check()
        to_tokens, small, groups = routes(found, check, self.keep_first, self.keep_last)
        parts = []
        if len(to_tokens):
            chosen = texts.gather(to_tokens)
            parts.append((to_tokens, sealing.restored(chosen, key) if inverse else sealing.seal(chosen, key)))
        if len(small):
            parts.append((small, small_permuted(texts.gather(small), keys.cipher, inverse)))
        changed = []
        for rows, group in groups:
            codes = np.asfortranarray(upper(found.codes.take(rows).matrix(group.length)))
            changed.append((rows, permuted_codes(codes, group, check, keys, inverse)))
        if changed:
            rows = np.sort(np.concatenate([rows for rows, _ in changed]))
            parts.append((rows, found.rewritten(rows, changed)))
        return reassembled(parts, len(texts))

    @property
    def _affixes(self) -> Affixes:
        return Affixes(self.prefixes, self.suffixes)

    @property
    def _by_parts(self) -> bool:
        return bool(self.prefixes or self.suffixes or self.digits)

    @staticmethod
    def _keys(key: Subkey) -> CipherKeys:
        from piiscan.masking.operators.format_classes import CipherKeys

        return CipherKeys(key.derive("fpe", "cipher").secret, key.derive("fpe", "tweak").secret)

    def tokens(self, texts: pl.Series) -> pl.Series:
        """Which texts become tokens (Boolean), since they have too few possible values or characters no format keeps.

        `texts`: String, no nulls, none empty.
        """
        import polars as pl

        from piiscan.masking.operators.format_patterns import format_patterns
        from piiscan.masking.operators.routes import routes

        if self._by_parts:
            rows = self._parts(texts)[1].tokens
        else:
            rows = routes(format_patterns(texts), self._check(), self.keep_first, self.keep_last).tokens
        return pl.repeat(False, len(texts), dtype=pl.Boolean, eager=True).scatter(rows, True)

    def _parts(self, texts: pl.Series) -> tuple[Split, _Ways]:
        """The texts cut, and which of them become tokens as a whole, which are numbers of `digits` digits."""
        from piiscan.masking.operators.format_patterns import format_patterns
        from piiscan.masking.operators.routes import routes

        split = self._affixes.split(texts)
        found = format_patterns(split.body)
        to_tokens, small, _ = routes(found, None, 0, 0)
        if not self.digits:
            return split, _Ways(to_tokens, np.zeros(0, dtype=np.int64))
        fixed = (found.codes.lengths == self.digits) & (found.letters == 0) & (found.strange == 0)
        fixed &= found.found.data[found.found.starts] != ord(MARK)
        # An integer of fewer digits could get the mask of a longer one.
        rest = np.setdiff1d(np.union1d(to_tokens, small), np.flatnonzero(fixed))
        return split, _Ways(rest, np.flatnonzero(fixed))

    def _in_parts(self, texts: pl.Series, key: Subkey, inverse: bool) -> pl.Series:
        """Masks between the affixes that stay.

        A mask that would itself be cut elsewhere is permuted again (cycle walking), so that it leads back.
        """
        from piiscan.masking.crypto.text_bytes import reassembled
        from piiscan.masking.operators import sealing

        split, ways = self._parts(texts)
        parts = []
        if len(ways.tokens):
            whole = texts.gather(ways.tokens)
            parts.append((ways.tokens, sealing.restored(whole, key) if inverse else sealing.seal(whole, key)))
        todo = np.setdiff1d(np.arange(len(texts)), ways.tokens)
        is_fixed = np.isin(np.arange(len(texts)), ways.fixed)
        bodies = split.body.gather(todo)
        while len(todo):
            bodies = self._permuted_bodies(bodies, is_fixed[todo], key, inverse)
            made = split.joined(bodies, todo)
            again = self._affixes.split(made)
            good = (again.head == split.head.gather(todo)) & (again.tail == split.tail.gather(todo))
            parts.append((todo[good.to_numpy()], made.filter(good)))
            todo, bodies = todo[~good.to_numpy()], bodies.filter(~good)
        return reassembled(parts, len(texts))

    def _permuted_bodies(self, bodies: pl.Series, fixed: NDArray[np.bool_], key: Subkey, inverse: bool) -> pl.Series:
        from piiscan.masking.crypto.text_bytes import reassembled
        from piiscan.masking.operators.routes import digits_permuted

        parts = []
        if (rows := np.flatnonzero(fixed)).size:
            cipher = self._keys(key).cipher
            parts.append((rows, digits_permuted(bodies.gather(rows), self.digits, cipher, inverse)))
        if (rows := np.flatnonzero(~fixed)).size:
            parts.append(
                (rows, replace(self, prefixes=(), suffixes=(), digits=0)._texts(bodies.gather(rows), key, inverse))
            )
        return reassembled(parts, len(bodies))

    def _hex(self, texts: pl.Series, key: Subkey, inverse: bool) -> pl.Series:
        from piiscan.masking.crypto.text_bytes import reassembled
        from piiscan.masking.operators import hexadecimal, sealing

        written = hexadecimal.is_hexadecimal(texts)
        parts = []
        for rows, way in ((written.arg_true(), True), ((~written).arg_true(), False)):
            if not len(rows):
                continue
            some = texts.gather(rows)
            if way:
                masks = hexadecimal.permuted(some, key.derive("fpe", "hex").secret, inverse)
            else:
                masks = sealing.restored(some, key) if inverse else sealing.seal(some, key)
            parts.append((rows.to_numpy().astype(np.int64), masks))
        return reassembled(parts, len(texts))

    def _check(self) -> Check | None:
        from piiscan.masking.operators.validity import Check, check_name

        return None if self.check is None else Check(check_name(self.check))


def _signs(texts: pl.Series) -> Ints:
    """How many ASCII digits and letters each text has."""
    from piiscan.masking.crypto import text_bytes

    found = text_bytes.texts(texts)
    is_sign = (found.data - 48 <= 9) | ((found.data | 32) - 97 <= 25)  # unsigned: what is below wraps to above
    before = np.concatenate([[0], np.cumsum(is_sign)])
    signs: Ints = before[found.starts + found.lengths] - before[found.starts]
    return signs
