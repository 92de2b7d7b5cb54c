"""Texts as a reader sees them: references and escapes as the characters that they stand for, without invisible ones.

`M&uuml;ller`, `M&#252;ller`, a letter with its accent as two characters, and a name with a soft hyphen in it are read
as what a browser or an editor shows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from html.entities import html5
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.detection.reading import plain_characters

if TYPE_CHECKING:
    import polars as pl

MAY: Final = r"&(?:#|[A-Za-z])|\\[uUxnrt]|[\x{300}-\x{36F}\x{1100}-\x{11FF}\x{3099}\x{309A}]|\p{DI}"
"""What a text has that isn't read as it is written, for polars."""
_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters that Unicode calls ignorable by default: joiners, hyphens and marks that nobody sees."""
_JOINERS: Final = "\u200c\u200d"
_PICTURE: Final = "\ufe0f"
_MARKS: Final = "\u0300-\u036f\u3099\u309a"
_BEGINS: Final = re.compile(rf"[&\\{_MARKS}\u1100-\u1112{_UNSEEN}]")
_MARK: Final = re.compile(f"[{_MARKS}]+")
_SYLLABLE: Final = re.compile("[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?")
_ESCAPE: Final = re.compile(
    r"""\\{1,8}(?:u\{(?P<braced>[0-9A-Fa-f]{1,6})\}|x\{(?P<perl>[0-9A-Fa-f]{1,6})\}
      |u(?P<high>[dD][89abAB][0-9A-Fa-f]{2})\\{1,8}u(?P<low>[dD][c-fC-F][0-9A-Fa-f]{2})
      |u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})|(?P<space>[nrt]))
    |(?P<bytes>(?:\\{1,8}x[0-9A-Fa-f]{2})+)""",
    re.VERBOSE,
)
_BYTE: Final = re.compile(r"\\+x([0-9A-Fa-f]{2})")
_OPEN: Final = re.compile("&#[0-9A-Za-z]+")
_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@")
_PASSES: Final = 4
"""How often what is read may be written in another spelling again: `&amp;uuml;`, `\\u0026uuml;`, `u&#x308;`."""


class Visible(NamedTuple):
    """A text as it is read; `first` and `stop` are the place of each of its characters in the text as it is written."""

    text: str
    first: list[int]
    stop: list[int]

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of it, which isn't empty, begins and ends in the text as it is written.

        Characters that nobody sees are left out at both ends.
        """
        return self.first[start], self.stop[end - 1]

    def signs(self, text: str, start: int, end: int) -> dict[int, str]:
        """How a part of it writes its signs and white space, for `str.translate`; `text`: as it is written.

        A quotation mark or a line break that was written by an escape has to stay one, where that stands in JSON.
        """
        places = zip(self.text[start:end], self.first[start:end], self.stop[start:end], strict=True)
        each = {ord(char): text[a:b] for char, a, b in places if not char.isalnum()}
        # Other letters and digits may follow than those that ended a reference without a semicolon.
        return {char: f"{sign};" if _OPEN.fullmatch(sign) else sign for char, sign in each.items()}


def visible(text: str) -> Visible | None:
    """None where a text is read as it is written."""
    found: Visible | None = None
    for _ in range(_PASSES):
        again = _read_once(text if found is None else found.text)
        if again is None:
            break
        if found is not None:
            first, stop = found.first, found.stop
            again = Visible(again.text, [first[i] for i in again.first], [stop[i - 1] for i in again.stop])
        found = again
    return found


def as_rules_read(texts: Sequence[str]) -> tuple[list[str], dict[int, Visible]]:
    """Texts as a reader sees them, with signs that rules know, and those of them in which places differ, by index."""
    seen = {i: shown for i, text in enumerate(texts) if (shown := visible(text)) is not None}
    return [plain_characters.plain(seen[i].text if i in seen else text) for i, text in enumerate(texts)], seen


def visible_among(texts: pl.Series) -> dict[int, Visible]:
    """Those of some texts (String) that aren't read as they are written."""
    at = texts.str.contains(MAY).arg_true()
    both = zip(at.to_list(), texts.gather(at).to_list(), strict=True) if len(at) else ()
    return {i: seen for i, text in both if (seen := visible(text)) is not None}


def as_seen(texts: pl.Series) -> pl.Series:
    """Texts (String) as they are read."""
    seen = visible_among(texts)
    return texts.clone().scatter(list(seen), [each.text for each in seen.values()]) if seen else texts


def _read_once(text: str) -> Visible | None:
    out: list[str] = []
    first: list[int] = []
    stop: list[int] = []
    at = 0
    for start, end, plain in _units(text):
        out += [text[at:start], plain]
        first += [*range(at, start), *([start] * len(plain))]
        stop += [*range(at + 1, start + 1), *([end] * len(plain))]
        at = end
    if not out:
        return None
    out.append(text[at:])
    first += range(at, len(text))
    stop += range(at + 1, len(text) + 1)
    return Visible("".join(out), first, stop)


def _units(text: str) -> Iterator[tuple[int, int, str]]:
    """Where other characters stand for what is read, and what that is."""
    at = 0
    while begins := _BEGINS.search(text, at):
        start, char = begins.span()[0], begins[0]
        at = start + 1
        if char == "&":
            if (found := _reference().match(text, start)) and (not found["name"] or found["name"] in html5):
                at = found.end()
                yield start, at, unescape(found[0])
        elif char == "\\":
            for unit in _of_escape(text, start):
                at = unit[1]
                yield unit
        elif found := _MARK.match(text, start):
            at = found.end()
            if start and text[start - 1].isalpha():
                yield start - 1, at, _MARK.sub("", unicodedata.normalize("NFC", text[start - 1 : at]))
        elif found := _SYLLABLE.match(text, start):
            at = found.end()
            yield start, at, unicodedata.normalize("NFC", found[0])
        elif not ("\u1100" <= char <= "\u1112" or _has_a_use(char, text[start - 1 : start])):
            yield start, at, ""


def _has_a_use(char: str, before: str) -> bool:
    """Whether an invisible character decides how a word of its script or a picture looks: these are read as before."""
    if char in _JOINERS:
        return bool(before) and (unicodedata.category(before) == "Lo" or unicodedata.category(before)[0] in "MS")
    return char == _PICTURE and bool(before) and unicodedata.category(before)[0] == "S"


def _of_escape(text: str, start: int) -> Iterator[tuple[int, int, str]]:
    r"""The characters of an escape that begins at a place; none where a backslash is one.

    A run of `\xNN` is UTF-8 if it can be that, else Latin-1.
    """
    found = _ESCAPE.match(text, start)
    if found is None:
        return
    if found["bytes"]:
        yield from _of_bytes(start, found["bytes"])
    elif space := found["space"]:
        behind = found.end()
        if not text[behind : behind + 1].islower() or _ADDRESS.match(text, behind):  # `C:\\users\\robert` is a path
            yield start, found.end(), "\t" if space == "t" else "\n"
    else:
        code = int(found["braced"] or found["perl"] or found["high"] or found["four"] or found["eight"], 16)
        if found["low"]:  # both halves of a character of a further plane
            code = 0x10000 + ((code - 0xD800) << 10) + int(found["low"], 16) - 0xDC00
        if code < 0xD800 or 0xDFFF < code <= 0x10FFFF:
            yield start, found.end(), chr(code)


def _of_bytes(start: int, written: str) -> Iterator[tuple[int, int, str]]:
    each = list(_BYTE.finditer(written))
    raw = bytes(int(one[1], 16) for one in each)
    try:
        plain = raw.decode()
        sizes = [len(char.encode()) for char in plain]
    except UnicodeDecodeError:
        plain = raw.decode("latin-1")
        sizes = [1] * len(plain)
    at = 0
    for char, size in zip(plain, sizes, strict=True):
        yield start + each[at].start(), start + each[at + size - 1].end(), char
        at += size


@cache
def _reference() -> re.Pattern[str]:
    """References of HTML: by number, by name, and those without a semicolon of letters that browsers take.

    The latter unless they are a key of a query.
    """
    letters = "|".join(sorted((name for name in html5 if name[-1] != ";" and html5[name].isalpha()), reverse=True))
    return re.compile(
        rf"""&(?:\#0{{0,99}}[0-9]{{1,7}}(?![0-9]);?
              |\#[xX]0{{0,99}}[0-9A-Fa-f]{{1,6}}(?![0-9A-Fa-f]);?
              |(?P<name>[A-Za-z][A-Za-z0-9]{{1,31}};)
              |(?:{letters})(?!\w*=))""",
        re.VERBOSE,
    )
