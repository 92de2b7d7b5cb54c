"""Find the text within single quotes, whole blocks at once.

A place is within a string where the number of quotes before it is odd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WINDOW: Final = 1 << 16
"""Bytes that are looked at at first."""
_LARGEST: Final = 1 << 19
_QUOTE, _SEMICOLON, _BACKSLASH, _DOUBLE, _BACKTICK, _E, _SMALL = b"';\\\"`e\x20"


def within(data: bytes, escapes: bool) -> NDArray[np.uint8] | None:
    """Return for each byte of a text 1 where a string goes on after it, else 0.

    The text begins outside of strings. None where there are PostgreSQL strings with escapes (E'…') in a dialect in
    which others have none.
    """
    import numpy as np

    places = _quotes(data, escapes)
    if places is None:
        return None
    quotes = np.zeros(len(data), dtype=np.uint8)
    quotes[places] = 1
    return np.bitwise_xor.accumulate(quotes)


def _quotes(data: bytes, escapes: bool) -> NDArray[np.int64] | None:
    """Return where quotes begin or end strings, or are half of a quote within one; None as above."""
    import numpy as np

    text = np.frombuffer(data, dtype=np.uint8)
    quotes = text == _QUOTE
    if escapes and b"\\" in data:
        slashes = np.flatnonzero(text == _BACKSLASH)
        ends = np.flatnonzero(np.diff(slashes, append=slashes[-1] + 2) != 1)
        lengths = np.diff(ends, prepend=-1)
        behind = slashes[ends[lengths % 2 == 1]] + 1
        quotes[behind[behind < len(text)]] = False
    places = np.flatnonzero(quotes)
    if not escapes and (b"e'" in data or b"E'" in data) and _has_escaped(text, places[::2]):
        return None
    return places


def _has_escaped(text: NDArray[np.uint8], opening: NDArray[np.int64]) -> bool:
    """Return whether one of the quotes that open strings has a lone E before it.

    The quotes before the first such one are the opening ones in any case, so none is missed.
    """
    opening = opening[opening > 0]
    before = opening[(text[opening - 1] | _SMALL) == _E]
    two = text[before[before > 1] - 2]
    is_word = ((two | _SMALL) >= 0x61) & ((two | _SMALL) <= 0x7A) | (two >= 0x30) & (two <= 0x39)
    is_word |= (two == 0x5F) | (two == 0x24)
    return len(two) < len(before) or not bool(is_word.all())


def end_of_statement(data: bytes, start: int, escapes: bool) -> int | None:
    """Return where the rows that begin at `start` end with a semicolon; None where that isn't certain."""
    size = _WINDOW
    while True:
        window = data[start : start + size]
        found = _semicolons(window, escapes, b"")
        if found is None or (not len(found) and start + size >= len(data)):
            return None
        if len(found):
            return start + int(found[0])
        # On from behind the last string that ends in the window.
        places = _quotes(window, escapes)
        behind = int(places[len(places) // 2 * 2 - 1]) + 1 if places is not None and len(places) > 1 else 0
        size = min(size * 8, _LARGEST) if behind > size // 2 else size * 8
        start += behind


def end_of_run(data: bytes, start: int, words: bytes, escapes: bool) -> int | None:
    """Return where the last of several statements with the same `words` has its semicolon.

    Each begins with the semicolon of the one before it, the first one with that at `start`. None where that isn't
    certain.
    """
    import numpy as np

    if any(mark in words[1:] for mark in (b"'", b";", b"\\")):
        return None
    size = max(_WINDOW, 4 * len(words))
    while True:
        is_last = start + size >= len(data)
        if not is_last and (last := _last_alike(data, start, start + size, words)) > start:
            start, size = last, min(size * 8, _LARGEST)
            continue
        window = data[start : start + size]
        found = _semicolons(window, escapes, words)
        if found is None:
            return None
        if not is_last:  # words that may be cut off are looked for in the next window
            found = found[found + len(words) <= len(window)]
        end = int(found[-1]) + len(words)
        if window.count(b";", 0, end) == window.count(words, 0, end) == len(found):
            others = found[:0]
        else:
            others = np.flatnonzero(~_begin(window, found, words))
        if len(others) or is_last:
            return start + int(found[others[0] if len(others) else -1])
        size = min(size * 8, _LARGEST) if len(found) > 1 else size * 8
        start += int(found[-1])


def _last_alike(data: bytes, start: int, end: int, words: bytes) -> int:
    """Return the last place that begins with these words, where all semicolons before it do; `start` if unsure.

    That takes a third of the time that it takes to find where each string is. The text begins outside of strings.
    """
    import numpy as np

    last = data.rfind(words, start, end)
    behind = last + len(words)
    text = np.frombuffer(data, dtype=np.uint8, count=behind - start, offset=start)
    count = data.count(words, start, behind)
    if (
        np.count_nonzero(text[: last - start] == _QUOTE) % 2
        or data.find(b"\\", start, behind) >= 0
        or np.count_nonzero(text == _SEMICOLON) != count
        or any(_count(data, mark, start, behind) != count * words.count(mark) for mark in (b'"', b"`"))
    ):
        return start
    return last


def _count(data: bytes, mark: bytes, start: int, end: int) -> int:
    return 0 if data.find(mark, start, end) < 0 else data.count(mark, start, end)


def _begin(data: bytes, places: NDArray[np.int64], words: bytes) -> NDArray[np.bool_]:
    """Return which of some places in a text begin with these words."""
    import numpy as np

    text = np.frombuffer(data, dtype=np.uint8)
    same = places + len(words) <= len(text)
    for i, code in enumerate(words):
        same[same] = text[places[same] + i] == code
    return same


def _semicolons(data: bytes, escapes: bool, words: bytes) -> NDArray[np.int64] | None:
    """Return the semicolons outside of strings.

    None where there is another kind of quotes before the last of them, except in `words`.
    """
    import numpy as np

    quotes = _quotes(data, escapes)
    if quotes is None:
        return None
    text = np.frombuffer(data, dtype=np.uint8)

    def outside(places: NDArray[np.int64]) -> NDArray[np.int64]:
        is_outside: NDArray[np.bool_] = np.searchsorted(quotes, places) % 2 == 0
        return places[is_outside]

    found: NDArray[np.int64] = outside(np.flatnonzero(text == _SEMICOLON))
    for code in (_DOUBLE, _BACKTICK):
        mark = bytes((code,))
        if mark not in data:
            continue
        last = int(found[-1]) if len(found) else len(data)
        there, known = len(outside(np.flatnonzero(text[:last] == code))), words.count(mark)
        if there and (not known or there != known * data[:last].count(words)):
            return None
    return found
