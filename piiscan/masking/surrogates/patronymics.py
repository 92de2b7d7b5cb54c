"""Patronymics: the names after the father that stand beside first names in Russian and Ukrainian."""

from __future__ import annotations

from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern

ENDINGS: Final = "ич|овна|евна|ична|івна|ївна|ovich|evich|ovna|evna"
"""A regular expression, in lower case."""
WORDS: Final = 3
"""Words of a full name that has one: of two words, such a word may be the surname."""
_PATRONYMIC: Final = lazy_pattern(rf"(?i)[^\W\d_]{{2,}}(?:{ENDINGS})")


def is_patronymic(word: str) -> bool:
    """Whether a word ends as patronymics do.

    >>> is_patronymic("Петрович"), is_patronymic("Сергіївна"), is_patronymic("Пётр")
    (True, True, False)
    """
    return _PATRONYMIC.fullmatch(word) is not None
