"""The locales in which surrogates can be made, and what must be known of each.

They are those for which Faker has names of both genders.
"""

from __future__ import annotations

from piiscan.core.errors import UsageError

LOCALES: tuple[str, ...] = tuple(
    """
        ar_SA az_AZ bg_BG bn_BD cs_CZ da_DK de_AT de_CH de_DE el_GR en_GB en_IE en_IN en_NZ en_US es_AR es_CL es_CO
        es_ES es_MX et_EE fa_IR fi_FI fr_BE fr_CA fr_CH fr_FR he_IL hi_IN hr_HR hu_HU hy_AM id_ID is_IS it_IT ja_JP
        ka_GE ko_KR lv_LV mk_MK ne_NP nl_BE nl_NL no_NO pl_PL pt_BR pt_PT ro_RO ru_RU sk_SK sl_SI sv_SE ta_IN th_TH
        tr_TR uk_UA uz_UZ zh_CN zh_TW
    """.split()
)
"""Faker's names: language, underscore, country."""

SURNAME_FIRST = frozenset(("hu_HU", "ja_JP", "ko_KR", "zh_CN", "zh_TW"))
UNSPACED = frozenset(("ja_JP", "ko_KR", "zh_CN", "zh_TW"))
"""Full names are written without a space."""

_SCRIPTS = {
    "ar": "ARABIC",
    "fa": "ARABIC",
    "bg": "CYRILLIC",
    "bn": "BENGALI",
    "mk": "CYRILLIC",
    "ru": "CYRILLIC",
    "uk": "CYRILLIC",
    "el": "GREEK",
    "he": "HEBREW",
    "hi": "DEVANAGARI",
    "ne": "DEVANAGARI",
    "hy": "ARMENIAN",
    "ja": "CJK",
    "zh": "CJK",
    "ka": "GEORGIAN",
    "ko": "HANGUL",
    "ta": "TAMIL",
    "th": "THAI",
}
COMMON = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pt_BR", "nl_NL", "ru_RU")
"""Where the evidence for two locales is nearly the same, these go first."""


def checked(locale: str) -> str:
    """`locale` as Faker spells it. Raises `UsageError` for one that surrogates can't be made in.

    >>> checked("pl-pl")
    'pl_PL'
    """
    language, _, country = locale.replace("-", "_").partition("_")
    name = f"{language.lower()}_{country.upper()}"
    if name not in LOCALES:
        raise UsageError(f"locale {locale!r}: no names in it; choose one of {', '.join(LOCALES)}")
    return name


def language(locale: str) -> str:
    return locale[:2]


def country(locale: str) -> str:
    return locale[3:]


def script(locale: str) -> str:
    """The first word of the Unicode names of its letters."""
    return _SCRIPTS.get(language(locale), "LATIN")


def is_spoken(language: str, country: str) -> bool:
    """Whether a country's people have names of a language, as far as there are lists of them."""
    return f"{language}_{country}" in LOCALES
