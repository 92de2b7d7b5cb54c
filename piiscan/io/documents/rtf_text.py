r"""The text of a document in the Rich Text Format (Microsoft, specification 1.9.1): control words, groups, `\'fc`."""

from __future__ import annotations

import codecs
import re
from typing import Final

BEGINNING: Final = "{\\rtf"
_TOKEN: Final = re.compile(
    r"\\([A-Za-z]{1,32})(-?\d{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\"
)
_HIDDEN: Final = re.compile(r"\\(?:pict|objdata)(?![A-Za-z])")
_BREAKS: Final = {
    **dict.fromkeys(("par", "line", "sect", "page", "row", "column", "softline", "lbr"), "\n"),
    **dict.fromkeys(("tab", "cell", "nestcell"), "\t"),
    **dict.fromkeys(("emspace", "enspace", "qmspace"), " "),
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
}
_NOT_TEXT: Final = frozenset(
    "fonttbl colortbl stylesheet pict objdata themedata colorschememapping datastore blipuid latentstyles listtable "
    "listoverridetable rsidtbl".split()
)
"""Groups of fonts, styles and pictures."""
_SYMBOLS: Final = {"~": "\xa0", "_": "-", "-": "", "\n": "\n", "\r": "\n", "*": ""}
_ANSI: Final = "cp1252"


def plain(text: str) -> str:
    """The text of a document, its paragraphs and rows as lines. Notes, headers and properties are part of it."""
    out: list[str] = []
    groups: list[tuple[bool, int]] = []
    is_text, skipped, codec = True, 1, _ANSI
    waiting = bytearray()  # characters of the code page, which may take several bytes
    to_skip = 0

    def put(piece: str) -> None:
        nonlocal waiting
        if waiting:
            out.append(waiting.decode(codec, "replace"))
            waiting = bytearray()
        out.append(piece)

    for token in _TOKEN.finditer(text):
        word, number, byte, symbol, brace, run = token.groups()
        if brace == "{":
            groups.append((is_text, skipped))
        elif brace == "}":
            put("")
            is_text, skipped = groups.pop() if groups else (True, 1)
        elif word in _NOT_TEXT:
            is_text = False
        elif word == "ansicpg":
            codec = _codec(int(number or 0))
        elif word == "uc":
            skipped = min(int(number or 1), 8)
        elif not is_text:
            continue
        elif word == "u" and number is not None:
            put(chr(int(number) % 0x10000))
            to_skip = skipped
        elif byte is not None:
            if to_skip:
                to_skip -= 1
            else:
                waiting.append(int(byte, 16))
        elif word is not None:
            put(_BREAKS.get(word, ""))
        elif symbol is not None:
            put(_SYMBOLS.get(symbol, symbol))
        elif run is not None:
            put(run[to_skip:])
            to_skip = 0
    put("")
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def hidden(text: str) -> int:
    """How many pictures and embedded objects a document has, which `plain` leaves out."""
    return len(_HIDDEN.findall(text))


def _codec(page: int) -> str:
    try:
        return codecs.lookup(f"cp{page}").name
    except LookupError:
        return _ANSI
