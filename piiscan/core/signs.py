"""Whether a text has one of some short strings, where most texts have none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_COMMON: Final = frozenset(" .-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


class Signs:
    """Some strings to look for, grouped by a character of each that is rare in texts.

    That one character is missing is seen many times as fast as that two are.

    >>> Signs(("->", "</", "=")).are_in("a -> b"), Signs(("->", "</", "=")).are_in("a - b > c")
    (True, False)
    """

    def __init__(self, signs: Iterable[str]) -> None:
        groups: dict[str, list[str]] = {}
        for sign in signs:
            rare = next((char for char in sign if char not in _COMMON), sign[0])
            groups.setdefault(rare, []).append(sign)
        self._groups = [(rare, tuple(some)) for rare, some in groups.items()]

    def are_in(self, text: str) -> bool:
        """Whether any of the strings is in a text."""
        for rare, signs in self._groups:
            if rare in text:
                for sign in signs:
                    if sign in text:
                        return True
        return False
