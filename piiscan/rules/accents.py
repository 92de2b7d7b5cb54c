"""Words of contexts with the accents that texts write them with.

Rules spell their phrases as headers are written, often without accents. In a text `numero de cedula` is
`número de cédula`.
"""

from __future__ import annotations

from itertools import islice, product
from typing import Final

from piiscan.core.header_words import tokens

_WORDS: Final = """
    adó adóazonosító adóazonosítójel adószám afiliación araç assuré azonosító cá cartão cédula cestovní
    cidadão číslo código csoportazonosító daňové davčna dič điện động dowód física físicas fødsels fødselsnr
    fødselsnummer führerschein führerscheinnummer građana habilitação identificação identificación
    identifikačné identifikační ičo información jurídica käibemaksukohustuslase közösségi mã matična
    matični mokėtojo nhân număr numarası número numéro občana plakası référence reģistrācijas rodné
    saúde sécu sécurité segurança số številka szám számla személyazonosító személyi tajszám társadalombiztosítási
    téléphone thoại thuế título tożsamości única único útlevél vatandaşlık véhicule înregistrare
""".split()
_MOST: Final = 8
"""Spellings of one phrase."""


def _by_plain_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for word in _WORDS:
        plain = "".join(tokens(word))
        found[plain] = (*found.get(plain, ()), word)
    return found


_SPELLINGS: Final = _by_plain_word()


def spellings(phrase: str) -> tuple[str, ...]:
    """Return a phrase without accents in the spellings that have them, each word with all of its accents."""
    words = phrase.lower().split()
    if not any(word in _SPELLINGS for word in words):
        return ()
    return tuple(" ".join(one) for one in islice(product(*(_SPELLINGS.get(word, (word,)) for word in words)), _MOST))
