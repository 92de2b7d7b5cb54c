"""Whether masks are ones that personas can have, and how many of them are expected to be shared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.core.caches import of_words
from piiscan.masking.surrogates.gender_words import title
from piiscan.masking.surrogates.keyed_choices import ALPHABET, TAIL
from piiscan.masking.surrogates.locales import language
from piiscan.masking.surrogates.mail_domains import RESERVED
from piiscan.masking.surrogates.name_format import pieces
from piiscan.masking.surrogates.personas import table
from piiscan.masking.surrogates.written_names import PARTICLES, is_degree

if TYPE_CHECKING:
    import polars as pl

_CODE = f"[{ALPHABET}]"
_DOMAIN = rf"d{_CODE}{{8}}\.example"


def user_names(masks: pl.Series, locales: Sequence[str]) -> pl.Series:
    """Whether each mask is a user name that personas of these locales can have.

    That is a first name and a surname of the lists in plain letters, with or without digits; or an initial, a surname,
    a full stop and 13 characters.
    """
    import polars as pl

    stems = _stems(tuple(locales))
    heads = masks.str.extract(rf"^([a-z]+\.){_CODE}{{{TAIL}}}$").to_list()
    parts = masks.str.extract_groups(r"^([a-z]+)\.([a-z]+)(?:\d{2}|\d{4}|\d{8}|\d{19})?$").struct.unnest()
    found = [
        head in stems.heads or bool(stems.firsts.get(first, 0) & stems.lasts.get(last, 0))
        for head, (first, last) in zip(heads, parts.iter_rows(), strict=True)
    ]
    return pl.Series(found, dtype=pl.Boolean)


class _Stems(NamedTuple):
    """Stem → the locales that have it, a bit each; and the texts before 13 signs."""

    firsts: dict[str, int]
    lasts: dict[str, int]
    heads: frozenset[str]


@cache
def _stems(locales: tuple[str, ...]) -> _Stems:
    tables = [table(locale) for locale in locales]
    return _Stems(
        _bits(t.first_stems.to_list() for t in tables),
        _bits(t.surname_stems.to_list() for t in tables),
        frozenset(head for t in tables for head in t.heads.to_list()),
    )


def _bits(words: Iterable[Iterable[str]]) -> dict[str, int]:
    """For each word in which of some lists it stands, a bit each."""
    out: dict[str, int] = {}
    for i, listed in enumerate(words):
        bit = 1 << i
        for word in frozenset(listed):
            out[word] = out.get(word, 0) | bit
    return out


def emails(masks: pl.Series, locales: Sequence[str], domain: str = "", free_mail: bool = False) -> pl.Series:
    made = "|".join([_DOMAIN, *(map(re.escape, RESERVED) if free_mail else ())])
    behind = re.escape(domain) if domain else f"(?:{made})"
    users = masks.str.extract(rf"^([^@]+)@{behind}$").fill_null("")
    return user_names(users, locales)


def urls(masks: pl.Series, locales: Sequence[str], domain: str = "") -> pl.Series:
    users = masks.str.extract(rf"^https://(?:{re.escape(domain) if domain else _DOMAIN})/(.+)$").fill_null("")
    return user_names(users, locales)


def domains(masks: pl.Series) -> pl.Series:
    return masks.str.contains(f"^{_DOMAIN}$")


def dates(masks: pl.Series, form: str) -> pl.Series:
    import polars as pl

    from piiscan.masking.operators.date_text import read

    return read(masks, form or "%Y-%m-%d")["date"].is_not_null() if masks.dtype == pl.String else masks.is_not_null()


def names(masks: pl.Series, locale: str, look: str, script: str = "") -> pl.Series:
    """Names of the lists, in the look and the script."""
    import polars as pl

    pattern, parts = _pattern(locale, look, script)
    ok = masks.str.contains(f"^{pattern}$")
    for i, (part, case) in enumerate(parts, 1):
        if part == "title" or part.endswith("initial"):
            continue
        listed = table(locale, script)
        known = listed.surnames if part in ("last", "secondlast") else listed.firsts
        if part == "patronymic" and any(listed.lists.patronymics):
            known = pl.Series([name for names in listed.lists.patronymics for name in names])
        if case == "upper":
            known = known.str.to_uppercase()
        elif case == "lower":
            known = known.str.to_lowercase()
        found = masks.str.extract(f"^{pattern}$", i)
        ok = ok & found.is_in(known.unique().implode()).fill_null(False)
    return ok.fill_null(False)


def in_any_look(masks: pl.Series, locales: Sequence[str], kind: str) -> pl.Series:
    """Names of the lists of one of the locales in whatever look that the cells of a column may have."""
    import polars as pl

    known, everywhere = _words(tuple(locales), kind), (1 << len(locales)) - 1
    short = PARTICLES if kind != "first_name" else frozenset[str]()

    def one(word: str) -> int:
        if (len(word) == 1 and word.isalpha()) or word.casefold() in short:
            return everywhere
        return known.get(word, 0)

    @cache
    def made(word: str) -> int:
        """By which locales it is a name, or two joined by a hyphen that may have hyphens of their own."""
        found = one(word)
        parts = word.split("-")
        for i in range(1, len(parts)):
            found |= one("-".join(parts[:i])) & one("-".join(parts[i:]))
        return found

    def is_made_up(mask: str) -> bool:
        *before, last = mask.split() or [""]
        if kind == "name":
            before = [word for word in before if not is_degree(word)]
        words = [w.strip("-") for w in re.split(r"[\s,.]+", " ".join([*before, last])) if w.strip("-")]
        return bool(words) and bool(reduce(and_, map(made, words)))

    return pl.Series([is_made_up(mask) for mask in masks.to_list()], dtype=pl.Boolean)


@cache
def _words(locales: tuple[str, ...], kind: str) -> dict[str, int]:
    """Word → the locales in whose names it may stand, a bit each."""
    each = []
    for locale in locales:
        firsts, lasts = _listed(locale)
        known = firsts if kind == "first_name" else lasts if kind == "last_name" else firsts | lasts
        each.append(known | _titles(language(locale)) if kind == "name" else known)
    return _bits(each)


@cache
def _titles(tongue: str) -> frozenset[str]:
    """In any case, taken apart at full stops."""
    found = {part for g in ("f", "m") for part in re.split(r"[\s.]+", title(tongue, g) or "")}
    return frozenset(found | {t.upper() for t in found} | {t.lower() for t in found})


@cache
def _listed(locale: str) -> tuple[frozenset[str], frozenset[str]]:
    """First names with patronymics, and surnames; in capitals and in small letters too."""
    women, men = table(locale).lists.patronymics
    found = ({*table(locale).firsts, *women, *men}, {*table(locale).surnames})
    firsts, lasts = (frozenset(n) | {x.upper() for x in n} | {x.lower() for x in n} for n in found)
    return firsts, lasts


@cache
def _pattern(locale: str, look: str, script: str) -> tuple[str, list[tuple[str, str]]]:
    """A regex with a group for each part of the look.

    Names are one word; where nothing stands between two of them, one is listed.
    """
    found = pieces(look)
    text, parts = "", []
    for i, piece in enumerate(found):
        if not piece.part:
            text += re.escape(piece.case.removeprefix(" ") if i and found[i - 1].part == "title" else piece.case)
            continue
        parts.append((piece.part, piece.case))
        if piece.part == "title":
            both = [re.escape(_cased(t, piece.case)) for g in ("f", "m") if (t := title(language(locale), g))]
            text += f"((?:(?:{'|'.join(both)}) )?)" if len(found) > 1 else f"({'|'.join(both)})"
        elif piece.part == "initial":
            text += "([A-Z])"
        elif piece.part.endswith("initial"):
            text += r"(\pL)"
        elif i + 1 < len(found) and found[i + 1].part:  # no space between: surnames of Han characters and Hangul
            listed = sorted({_cased(n, piece.case) for n in table(locale, script).surnames}, key=len, reverse=True)
            text += f"({'|'.join(map(re.escape, listed))})"
        else:
            text += r"(\S+)"
    return text, parts


def _cased(text: str, case: str) -> str:
    if case == "upper":
        return text.upper()
    return text.lower() if case == "lower" else text


@of_words(256)  # columns of one table ask for the same; how many subjects it has is forgotten with it
def name_collisions(subjects: int, locale: str, look: str, script: str = "") -> float:
    """How many of so many subjects, half of them women, are expected to share their name with an earlier one."""
    t = table(locale, script)
    shares = np.ones(1)
    fathers = sum(map(len, t.lists.patronymics)) / 2
    parts = {p.part for p in pieces(look)}
    if parts & {"title"} and len(parts) == 1:
        return max(0.0, subjects - 2.0)
    last = np.diff(t.surname_sums.astype(np.float64)) / float(t.surname_sums[-1])
    if script:  # names that are read alike
        last = _together(t.surnames[: len(last)], last)
    initials = np.diff(t.initial_sums.astype(np.float64)) / float(t.initial_sums[-1])
    if "first" in parts:
        firsts: list[NDArray[np.float64]] = []
        for gender in (0, 1):
            for i, share in enumerate(initials):
                at = slice(t.first_start[gender, i], t.first_stop[gender, i])
                w = np.diff(t.first_sums[at.start : at.stop + 1].astype(np.float64))
                w = _together(t.firsts[at], w) if script else w
                firsts.append(w / w.sum() * share / 2)
        shares = np.concatenate(firsts)
    many = fathers if fathers and "patronymic" in parts else 1.0  # each as likely as another
    shares = np.full(2, 0.5) if many > 1 and "first" not in parts else shares
    distinct = 0.0
    for share in last if "last" in parts else np.ones(1):
        distinct += many * float(-np.expm1(subjects * np.log1p(-np.minimum(shares * share / many, 1 - 1e-12))).sum())
    return max(0.0, subjects - distinct)


def _together(names: pl.Series, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shares of equal names added up."""
    which = names.rank("dense").to_numpy().astype(np.int64) - 1
    added: NDArray[np.float64] = np.bincount(which, weights=shares).astype(np.float64)
    return added
