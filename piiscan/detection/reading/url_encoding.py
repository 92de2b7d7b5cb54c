"""Texts with URL encoding resolved: `Anna%20Lee` as "Anna Lee", and where each character is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple


class Decoded(NamedTuple):
    """A text with URL encoding resolved: `at` maps each of its characters, and its end, to the original text."""

    text: str
    at: list[int]

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of it begins and ends in the text as it is written."""
        return self.at[start], self.at[end]


_ENCODED: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def decoded(text: str) -> Decoded | None:
    """None where nothing is encoded. What isn't UTF-8 is Latin-1, as old programs write it."""
    out: list[str] = []
    places: list[int] = []
    at = 0
    for run in _ENCODED.finditer(text):
        raw = bytes.fromhex(run[0].replace("%", ""))
        try:
            plain = raw.decode()
            sizes = [len(char.encode()) for char in plain]
        except UnicodeDecodeError:
            plain, sizes = raw.decode("latin-1"), [1] * len(raw)
        out.append(text[at : run.start()])
        places += range(at, run.start())
        out.append(plain)
        place = run.start()
        for size in sizes:
            places.append(place)
            place += 3 * size
        at = run.end()
    if not out:
        return None
    out.append(text[at:])
    return Decoded("".join(out), [*places, *range(at, len(text) + 1)])


def unquoted(text: str) -> str:
    """A text as URLs write it, decoded."""
    plain = decoded(text)
    return text if plain is None else plain.text


def decoded_among(texts: Sequence[str]) -> dict[int, Decoded]:
    """Those of some texts in which something is encoded."""
    return {i: plain for i, text in enumerate(texts) if "%" in text and (plain := decoded(text))}


def as_read(texts: Sequence[str], written: Mapping[int, Decoded]) -> Sequence[str]:
    """Texts, those that were `decoded_among` them as they are read."""
    return [written[i].text if i in written else text for i, text in enumerate(texts)] if written else texts
