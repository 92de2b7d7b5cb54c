"""Which gender a first name has: `first_names.txt`, made by `models/first_names.py`.

Its head names sources and licences.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from piiscan.core.header_words import fold

_ABROAD = 0.05
_SPEAKING = {
    "en": ("GB", "IE", "CA", "AU", "NZ"),
    "de": ("DE", "AT", "CH"),
    "fr": ("FR", "BE", "CH"),
    "es": ("ES", "MX", "AR", "CO", "CL", "PE"),
    "pt": ("PT", "BR"),
    "nl": ("NL", "BE"),
    "ar": ("EG", "SA", "AE", "JO"),
}
"""Countries that count as a locale's own beside its country."""


@cache
def _lists() -> dict[str, dict[str, dict[str, float]]]:
    """Country → gender → folded name → share."""
    out: dict[str, dict[str, dict[str, float]]] = {}
    for line in Path(__file__).with_name("first_names.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        country, gender, *names = line.split(" ")
        pairs = [(n, int(w or "50")) for n, _, w in (entry.partition("=") for entry in names)]
        total = sum(w for _, w in pairs)
        out.setdefault(country, {})[gender] = {n: w / total for n, w in pairs}
    return out


@cache
def _anywhere() -> dict[str, tuple[float, float]]:
    """Folded name → shares of women and men over all countries."""
    out: dict[str, tuple[float, float]] = {}
    for genders in _lists().values():
        for gender, names in genders.items():
            for name, share in names.items():
                f, m = out.get(name, (0.0, 0.0))
                out[name] = (f + share, m) if gender == "f" else (f, m + share)
    return out


def is_first_name(name: str) -> bool:
    """Whether anybody in any country bears it, by the lists."""
    return fold(name) in _anywhere()


def shares(name: str, country: str, language: str) -> tuple[float, float]:
    """The shares of a country's women and men who bear a name, according to the lists; 0 and 0 for an unknown one.

    Countries of one language count together; where they don't know the name, the rest of the world counts a little.
    """
    return shares_of(fold(name), country, language)


def shares_of(key: str, country: str, language: str) -> tuple[float, float]:
    """The same for a name that is folded."""
    f = m = 0.0
    for women, men in _lists_of(country, language):
        f += women.get(key, 0.0)
        m += men.get(key, 0.0)
    if f or m:
        return f, m
    f, m = _anywhere().get(key, (0.0, 0.0))
    return f * _ABROAD, m * _ABROAD


@cache
def _lists_of(country: str, language: str) -> tuple[tuple[dict[str, float], dict[str, float]], ...]:
    """The lists of a country and of countries of the same language, women's and men's."""
    areas = dict.fromkeys((country, *_SPEAKING.get(language, ()), *(("US",) if language == "en" else ())))
    found = (_lists().get(area, {}) for area in areas)
    return tuple((genders.get("f", {}), genders.get("m", {})) for genders in found)


def share_of_women(name: str, country: str, language: str) -> float | None:
    """Of those who bear a name, the share of women; None for a name in no list.

    >>> (round(share_of_women("Mary", "US", "en"), 2), share_of_women("Zofia", "PL", "pl"),
    ...  share_of_women("Qqq", "US", "en"))
    (1.0, 1.0, None)
    """
    f, m = shares(name, country, language)
    return f / (f + m) if f or m else None
