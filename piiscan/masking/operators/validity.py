"""Check digits of masks: which codes pass a check, and the check digits that make them pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from piiscan.core.errors import UsageError
from piiscan.masking.crypto.text_bytes import Bytes
from piiscan.rules import checks
from piiscan.rules.checks.arithmetic import all_digits, mod_97, short_digits

Mask = NDArray[np.bool_]

PLACES: Final[dict[str, tuple[int, ...]]] = {
    "ar_cbu": (7, -1),
    "at_svnr": (3,),
    "au_abn": (0, 1),
    "au_medicare": (8,),
    "be_enterprise": (-2, -1),
    "be_nn": (-2, -1),
    "br_cnpj": (-2, -1),
    "br_cpf": (-2, -1),
    "br_titulo_eleitor": (-2, -1),
    "es_ccc": (8, 9),
    "es_nss": (-2, -1),
    "fr_nir": (-2, -1),
    "iban": (2, 3),
    "id_npwp": (8,),
    "jp_corporate": (0,),
    "lei": (-2, -1),
    "lu_matricule": (-2, -1),
    "lu_vat": (-2, -1),
    "mt_vat": (-2, -1),
    "no_fodselsnummer": (-2, -1),
    "pl_id_card": (3,),
    "pl_passport": (2,),
    "ru_snils": (-2, -1),
    "vin": (8,),
}
"""Where a number's check digits stand, if not at its end. A wrong place would cost time, and nothing else."""

NEVER: Final = {"vin": b"IOQ"}
"""Letters that a number never has, also where its check digits are wrong or none: vehicles have check digits in some
regions only."""

_ENTITIES: Final = {"CREDIT_CARD": "luhn", "IBAN_CODE": "iban"}
_UNFIT: Final = {
    "bitcoin": "so few texts pass that no mask would be found",
    "fi_hetu": "the character for the century is neither a letter nor a digit",
}


def check_name(name: str) -> str:
    """The check of that name, or of an entity's subtype (PL_PESEL) or an entity with one check.

    Raises `UsageError` for another.
    """
    wanted = _ENTITIES.get(name) or _of_subtype(name) or name.lower()
    if wanted in _UNFIT:
        raise UsageError(f"fpe: check {name}: {_UNFIT[wanted]}; leave `check` out, or choose the operator token")
    if wanted in ("arithmetic", "__init__") or not wanted.isidentifier():
        raise UsageError(f"fpe: there is no check {name}")
    try:
        checks.module(wanted)
    except ModuleNotFoundError:
        raise UsageError(f"fpe: there is no check {name}; `piiscan rules list` shows which rules have one") from None
    return wanted


def _of_subtype(name: str) -> str | None:
    if not name.isupper():
        return None
    from piiscan.rules import rule_sets

    found = sorted({rule.check for rule in rule_sets.shipped().rules.rules if rule.subtype == name and rule.check})
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class Check:
    """A check for codes (ASCII digits and upper-case letters, no separators): (n, k) matrices."""

    name: str

    @cached_property
    def _module(self) -> checks.Check:
        return checks.module(self.name)

    def applies(self, length: int, letters: int) -> bool:
        """Whether codes of that length, so many of them letters, can pass at all."""
        if getattr(self._module, "compact", None) is checks.compact_digits:
            length -= letters
        return not self._module.LENGTHS or length in self._module.LENGTHS or not self._plain

    @property
    def _plain(self) -> bool:
        how = getattr(self._module, "compact", checks.compact_alnum)
        return how in (checks.compact_alnum, checks.compact_digits)

    def valid(self, codes: Bytes) -> Mask:
        """Which rows pass. All rows have as many letters, and at check places the same kinds, as the first."""
        how = getattr(self._module, "compact", checks.compact_alnum)
        if not self._plain:
            return checks.valid_many(self.name, [row.tobytes().decode() for row in codes])
        if how is checks.compact_digits:
            digits = codes < 65
            if not digits.all():
                codes = codes[digits].reshape(len(codes), -1)
        if self._module.LENGTHS and codes.shape[1] not in self._module.LENGTHS:
            return np.zeros(len(codes), dtype=np.bool_)
        return np.asarray(self._module.valid(np.asfortranarray(codes)), dtype=np.bool_)

    def spelled(self, codes: Bytes) -> Mask:
        """Which rows have none of the letters that such a number never has."""
        return np.asarray(~np.isin(codes, np.frombuffer(NEVER.get(self.name, b""), dtype=np.uint8)).any(axis=1))

    def places(self, free: Sequence[int], length: int) -> tuple[int, ...]:
        """The positions whose codes follow from the others.

        The number's check digits, or the last free position if they are kept.
        """
        usual = tuple(position % length for position in PLACES.get(self.name, (-1,)))
        return usual if set(usual) <= set(free) else tuple(free[-1:])

    def completed(
        self, codes: Bytes, places: tuple[int, ...], which: NDArray[np.int64] | None = None
    ) -> tuple[Bytes, Mask]:
        """The codes with other check digits that make them valid, and where there are any.

        A code of the same kind is sought for each place. Where several make a row valid, `which` says which of them,
        counted from 0.
        """
        direct = _DIRECT.get((self.name, len(places)))
        if direct is not None and (which is None or not which.any()) and bool((codes[:, list(places)] < 65).all()):
            return direct(codes, places)
        out = codes.copy()
        passing = self._passing(codes, places)
        wanted = np.zeros(len(codes), dtype=np.int64) if which is None else which
        counts = passing.cumsum(axis=1)
        some = counts[:, -1] > wanted
        chosen = np.argmax(counts == wanted[:, None] + 1, axis=1)
        for candidate, combination in enumerate(_combinations(codes, places)):
            rows = np.flatnonzero(chosen == candidate)
            for position, numeral in zip(places, combination, strict=True):
                out[rows, position] = _base(codes[rows, position]) + numeral
        return out, some

    def which(self, codes: Bytes, places: tuple[int, ...]) -> NDArray[np.int64]:
        """How many smaller check digits would make each row valid too. All rows are valid."""
        if (self.name, len(places)) in _DIRECT and bool((codes[:, list(places)] < 65).all()):
            return np.zeros(len(codes), dtype=np.int64)
        own = np.zeros(len(codes), dtype=np.int64)
        for position in places:
            own = own * _radix(codes[:, position]) + codes[:, position] - _base(codes[:, position])
        passing = self._passing(codes, places)
        return np.asarray(passing.cumsum(axis=1)[np.arange(len(codes)), own] - 1)

    def _passing(self, codes: Bytes, places: tuple[int, ...]) -> Mask:
        """(n, C): which of all combinations of codes at these places make a row valid."""
        tried = np.array(codes, order="F")
        columns = []
        for combination in _combinations(codes, places):
            for position, numeral in zip(places, combination, strict=True):
                tried[:, position] = _base(codes[:, position]) + numeral
            columns.append(self.valid(tried))
        return np.stack(columns, axis=1)


def _combinations(codes: Bytes, places: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*(range(26 if len(codes) and codes[0, position] >= 65 else 10) for position in places)))


def _base(column: Bytes) -> Bytes:
    return np.where(column >= 65, np.uint8(65), np.uint8(48))


def _radix(column: Bytes) -> NDArray[np.int64]:
    return np.where(column >= 65, 26, 10)


_HALVED: Final = np.array([0, 5, 1, 6, 2, 7, 3, 8, 4, 9], dtype=np.uint8)
"""Which digit counts so much where digits are doubled."""


def _luhn(codes: Bytes, places: tuple[int, ...]) -> tuple[Bytes, Mask]:
    (position,) = places
    out = np.array(codes, order="F")
    total = np.zeros(len(codes), dtype=np.uint16)
    for back, column in enumerate(codes.T[::-1]):
        if back != codes.shape[1] - 1 - position:
            digit = column - 48
            if back % 2:
                digit += digit
                digit -= (digit > 9).view(np.uint8) * np.uint8(9)
            total += digit
    missing = ((10 - total % 10) % 10).astype(np.uint8)
    out[:, position] = 48 + (_HALVED[missing] if (codes.shape[1] - 1 - position) % 2 else missing)
    return out, all_digits(out)


def _iban(codes: Bytes, places: tuple[int, ...]) -> tuple[Bytes, Mask]:
    out = codes.copy()
    out[:, 2:4] = 48
    values = short_digits(out)
    printed = 98 - mod_97([*values.T[4:], *values.T[:4]])
    out[:, 2], out[:, 3] = 48 + printed // 10, 48 + printed % 10
    form = (codes[:, 0] >= 65) & (codes[:, 1] >= 65)
    return out, np.asarray(form)


_DIRECT: Final = {("luhn", 1): _luhn, ("iban", 2): _iban}
"""Checks whose digits are worked out at once: exactly one choice of them makes a row valid, if any does."""
