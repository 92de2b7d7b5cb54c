"""Surveys all bytes of a text for its encoding: fast over ASCII and UTF-8, line by line over all else."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO, Final, NamedTuple

from piiscan.core.lazy_pattern import lazy_pattern

_BLOCK: Final = 1 << 18  # fits into a core's cache, which each block passes several times
_LONG_LINE: Final = 1 << 20
_LOOKED_AT: Final = 1 << 20
_PIECE: Final = 1 << 12
SAMPLE_BYTES: Final = 1 << 17
_SCARCE: Final = 500
"""To find the end of a line takes less time than to look at so many bytes."""
# Control bytes that text has no use for. Separators (Hive uses 1 to 3, ASCII 28 to 31) and a stray NUL, ESC or ^Z are
# not among them.
_CONTROLS: Final = bytes((4, 5, 6, 8, *range(14, 26), 127))
# Both begin where lines do and never go back, so that a long line takes as long as many short ones.
_LINE: Final = re.compile(rb"(?<![^\r\n])[\x00-\x09\x0b\x0c\x0e-\x7f]*+[\x80-\xff][^\r\n]*+")
_WRONG: Final = lazy_pattern("[\udc80-\udcff]+")
_COMMON: Final = lazy_pattern("[\x80-\u017f\u0370-\U0010ffff]")
"""What lies between, phonetic signs and lone accents, comes of pairs of letters in older encodings."""
_VALID_LINE: Final = lazy_pattern(
    r"(?<![^\r\n])(?=[^\r\n]*?[\x80-\u017f\u0370-\ud7ff\ue000-\U0010ffff])[^\r\n\udc80-\udcff]++(?=[\r\n]|\Z)"
)
_WIDE: Final = re.compile(rb"(?:[\x20-\x7e]\0){4}|(?:\0[\x20-\x7e]){4}")
_SHIFT: Final = b"\x1b$"


class Survey(NamedTuple):
    """What the bytes of a text show about its encoding.

    `valid` and `wrong`: lines with bytes beyond ASCII that are UTF-8 (at most), and that aren't; `bytes_wrong` of the
    latter are in no UTF-8 sequence, `bytes_dense` of those are next to another one. `sample`: lines that aren't UTF-8.
    `looked`: bytes among which each line was looked at. `binary`: the first place that isn't text. `shifts`: whether it
    has the escapes of ISO 2022.
    """

    valid: int = 0
    wrong: int = 0
    bytes_wrong: int = 0
    bytes_dense: int = 0
    sample: bytes = b""
    looked: int = 0
    binary: int | None = None
    shifts: bool = False

    @property
    def is_utf8(self) -> bool:
        return not self.wrong


def looks_like_text(head: bytes) -> bool:
    """Whether bytes could be a text in an encoding that extends ASCII; a stray NUL doesn't make a binary."""
    if not head:
        return True
    nuls = head.count(b"\0")
    return (nuls <= 4 or nuls * 50 <= len(head)) and _controls(head) * 200 <= len(head)


def _controls(data: bytes) -> int:
    return len(data) - len(data.translate(None, _CONTROLS))


def survey(stream: BinaryIO, most: int) -> Survey:
    """The first `most` bytes of a text, from where the stream stands."""
    found, at, rest = Survey(), stream.tell(), b""
    while most > 0 and (block := stream.read(min(_BLOCK, most))):
        most -= len(block)
        data, start = rest + block, at - len(rest)
        at += len(block)
        rest = b""
        if b"\0" in data and found.binary is None:
            found = _with_nuls(found, data, start)
        if _SHIFT[:1] in data and _SHIFT in data:  # one byte is found many times as fast as two
            found = found._replace(shifts=True)
        if data.isascii():
            continue
        cut = 1 + max(data.rfind(b"\n"), data.rfind(b"\r"))
        if len(data) - cut < _LONG_LINE:
            data, rest = data[:cut], data[cut:]
        found = _foreign(found, data, start)
    return _foreign(found, rest, at - len(rest)) if rest and most > 0 else found


def _with_nuls(found: Survey, data: bytes, start: int) -> Survey:
    """The survey with the first place in a block that is UTF-16 or no text at all."""
    wide = _WIDE.search(data)
    places = [wide.start()] if wide else []
    places += [i for i in range(0, len(data), _PIECE) if not looks_like_text(data[i : i + _PIECE])][:1]
    return _not_text(found, start + min(places)) if places else found


def _not_text(found: Survey, at: int) -> Survey:
    return found if found.binary is not None and found.binary <= at else found._replace(binary=at)


def _foreign(found: Survey, data: bytes, start: int) -> Survey:
    """The survey with whole lines that have bytes beyond ASCII."""
    try:
        text, _ = codecs.utf_8_decode(data, "strict", True)
    except UnicodeDecodeError:
        pass
    else:
        return found._replace(valid=found.valid + _at_most_lines(len(data) - len(text), data))
    text = data.decode("utf-8", "surrogateescape")
    runs = _WRONG.findall(text)
    valid, every = len(_VALID_LINE.findall(text)), len(_LINE.findall(data))
    sample = found.sample
    if found.looked < _LOOKED_AT or len(sample) < SAMPLE_BYTES or (found.binary is None and _controls(data)):
        for match in _LINE.finditer(data):
            line = match[0]
            if _is_utf8(line):
                continue
            if _controls(line) > 1 or b"\0" in line:
                found = _not_text(found, start + match.start())
            elif len(sample) < SAMPLE_BYTES:
                sample += line + b"\n"
    return found._replace(
        valid=found.valid + valid,
        wrong=found.wrong + every - valid,
        bytes_wrong=found.bytes_wrong + sum(map(len, runs)),
        bytes_dense=found.bytes_dense + sum(len(run) for run in runs if len(run) > 1),
        sample=sample,
        looked=found.looked + len(data),
    )


def _at_most_lines(number: int, data: bytes) -> int:
    """The number, or how many lines there are if these are fewer.

    A few lines are found in less time than all of them are counted.
    """
    last = int(not data.endswith(b"\n"))
    if number * _SCARCE > len(data):
        return min(number, data.count(b"\n") + last)
    end = -1
    for lines in range(number - last):
        if (end := data.find(b"\n", end + 1)) < 0:
            return lines + last
    return number


def _is_utf8(line: bytes) -> bool:
    """Whether a line is UTF-8, and more than what letters of older encodings make by chance."""
    try:
        return _COMMON.search(line.decode()) is not None
    except UnicodeDecodeError:
        return False
