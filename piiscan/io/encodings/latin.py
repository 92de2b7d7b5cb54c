"""Chooses the Latin code page of a text, by the letters with marks in it and their positions.

Each code page was made for some languages, which have typical letters; capitals and signs within words count against
it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

# Letters with marks in a thousand of them, in names, places and sentences. Source: Faker's of the language, rounded.
_LETTERS: Final = {
    "cp1252": (
        "ü317ß200ö246ä180é10è5",
        "é600è125ê60î35ô28ç50â20ë15à60ï10û10œ5",
        "ó250í200á205é150ñ130ú56ü5",
        "à400ò145é120è200ù80ì70",
        "ç213á150ã193í120ú60é100ê50ô30ó60â20õ30à15",
        "ä450ö330å170é30",
        "ø404æ300å366é40ö5ä5",
        "ä800ö160å10é10",
        "é408ë379è80ï45ö29ê26ç19ó5ü5",
        "ó250í156ð142ö83á130þ60ú80ý28æ60é40",
        "í200á182à100ó160é116ñ50ç60ú70è90ò50ï10ü10",
    ),
    "cp1250": (
        "á230í160ý95ě90é110ř85š85č80ž65ů35ú15ň10ť6ď3ó2",
        "ł220ó150ą140ś100ę110ż80ń55ź15ć70",
        "á350é290ó110ö80ő60ú30í30ü30ű8",
        "á300š90č90í110é90ž80ľ50ý70ň25ú45ť25ó15ô12ä6ď10ŕ2ĺ1",
        "č385š300ž290ć14đ5",
        "ć350š230č230ž120đ60",
        "ă400ţ200ş220â80î100",
    ),
    "cp1254": ("ı220ü180ş160ç130ğ110ö110İ60â8",),
    "cp1257": (
        "ė330ž150š160ū120č100ę40ą60į50ų40",
        "ā280ī150š140ē110ņ80ū70ž60ļ50ķ30č30ģ20",
        "ä335õ263ü242ö60š30ž20",
    ),
}  # fmt: skip
_PRIOR: Final = {"cp1252": 0.0, "cp1250": -3.5, "cp1254": -4.0, "cp1257": -4.0, "mac-roman": -8.0}
_STRANGE: Final = math.log(0.001)
"""A letter that the language doesn't have: names come from everywhere."""
_CAPITAL_INSIDE: Final = math.log(0.003)
_SIGN_INSIDE: Final = math.log(0.0003)
_FOREIGN: Final = re.compile("[^\x00-\x7f]")
_SIGNS: Final = {
    **dict.fromkeys("’‘“”–—…°€\xa0", math.log(0.02)),
    **dict.fromkeys("«»ºª·®©™§£¿¡•½\xad²³´×", math.log(0.005)),
}
_OTHER_SIGN: Final = math.log(0.0005)
_UNDEFINED: Final = math.log(0.0001)
_RARE: Final = -4.0
"""Whatever is in no code page looks least odd in Mac Roman, which has a letter or a sign for each byte."""


class Guess(NamedTuple):
    """A code page, the probability's logarithm of a text in it, and the text.

    `mean`: of one of its letters beyond ASCII.
    """

    name: str
    score: float
    text: str
    mean: float


def _table(counts: str) -> dict[str, float]:
    return {letter: math.log(int(count) / 1000) for letter, count in re.findall(r"(\D)(\d+)", counts)}


_MODELS: Final = {name: [_table(language) for language in languages] for name, languages in _LETTERS.items()}


def guesses(words: Sequence[bytes]) -> list[Guess]:
    """The Latin code pages that words with bytes beyond ASCII can be in, the likeliest first."""
    found = [guess for name in _PRIOR if (guess := _guess(words, name)) is not None]
    return sorted(found, key=lambda guess: -guess.score)


def _guess(words: Sequence[bytes], name: str) -> Guess | None:
    # Only cp1252 stands for bytes that it doesn't define: in files that have been through too many programs.
    try:
        texts = [word.decode(name, "strict" if name != "cp1252" else "replace") for word in words]
    except UnicodeDecodeError:
        return None
    models = _MODELS["cp1252" if name == "mac-roman" else name]  # both serve the languages of Western Europe
    score = max(sum(_word(text, model) for text in texts) for model in models)
    text = " ".join(texts)
    letters = sum(char.isalpha() or char == "\ufffd" for char in _FOREIGN.findall(text))
    mean = score / letters if 2 * letters > len(_FOREIGN.findall(text)) else 0.0
    if name == "mac-roman" and mean < _RARE:
        return None
    return Guess(name, score + _PRIOR[name], text, mean)


def _word(text: str, model: dict[str, float]) -> float:
    return sum(_char(text, match.start(), model) for match in _FOREIGN.finditer(text))


def _char(text: str, at: int, model: dict[str, float]) -> float:
    """The logarithm of how likely a character is where it stands."""
    char, before, after = text[at], text[at - 1 : at] or " ", text[at + 1 : at + 2] or " "
    if char == "\ufffd" or "\x80" <= char < "\xa0":
        return _UNDEFINED
    if not char.isalpha() or char in "ºª":
        inside = before.isalpha() and after.isalpha() and char != "’"
        return _SIGN_INSIDE if inside else _SIGNS.get(char, _OTHER_SIGN)
    if before.isdigit() or after.isdigit():
        return _STRANGE + _CAPITAL_INSIDE / 2
    score = model.get(char if char in model else char.lower(), _STRANGE)
    if char.isupper() and before.islower():
        score += _CAPITAL_INSIDE
    if char.islower() and before.isupper() and after.isupper():
        score += _CAPITAL_INSIDE / 2
    return score
