"""Texts as arrays of folded characters, cut into tokens, and hashes of any run of tokens.

A character is folded to small letters without accents, and separators vanish, so that "O'Brien", "OBrien" and
"o brien" have one hash. A hash is a polynomial over random numbers of the run, so that the hash of "annaschmidt"
follows from those of its parts; nothing of a text can be told from it without these numbers, which never leave memory.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from secrets import token_bytes
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.uint8] | NDArray[np.uint16]

TOGETHER: Final = 1 << 18
"""Characters that are worked on in one go, about."""
_BLOCK: Final = 1 << 18
"""Folded characters that powers are counted through, about: they are kept, and a million streets have many."""
NEAR: Final = 4
"""Characters between two tokens of one value."""
_PLANE: Final = 1 << 16
_ASCII: Final = 1 << 7
_SEPARATOR, _LETTER, _DIGIT, _IGNORED, _ALONE = range(5)
_IGNORED_RANGES: Final = (
    (0x00AD, 0x00AD), (0x0300, 0x036F), (0x0591, 0x05C7), (0x0640, 0x0640), (0x064B, 0x065F), (0x200B, 0x200F),
    (0x2060, 0x2060), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
)  # fmt: skip
"""Marks of accents and vowels that may be left out, and characters that nobody sees."""
_ALONE_RANGES: Final = ((0x3005, 0x3007), (0x3041, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF))
"""East Asian scripts, which are written without spaces: each character is a token."""
_SYLLABIC_RANGES: Final = ((0x0E01, 0x0E4E), (0x0E81, 0x0ECE), (0x1000, 0x103F), (0x1780, 0x17D3))
"""Letters of Thai, Lao, Burmese and Khmer, which are written without spaces too: each is a token with its marks."""
_BEFORE: Final = ((0x0E40, 0x0E44), (0x0EC0, 0x0EC4))
"""Vowels that stand before the letter that they belong to."""
_BEHIND: Final = ((0x0E30, 0x0E33), (0x0E45, 0x0E45), (0x0EB0, 0x0EB3))
"""Those behind it which aren't marks by their category."""
_NO_CHARACTERS: Final = ((0xD800, 0xDFFF), (0xE000, 0xF8FF))
"""Surrogates, and what anybody may use for anything."""
_LETTERS: Final = {
    "ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ς": "σ",
    "ё": "е", "ى": "ي", "ی": "ي", "ة": "ه", "ک": "ك",
}  # fmt: skip
GEORGIAN: Final = ("\u10d0", "\u10ff")
"""Small letters by their category, of a script in which hardly anybody writes capitals."""
_PARTICLES: Final = "وفبلكובלמשהכ"
"""Letters that Arabic and Hebrew write as words of their own, in one with the word behind."""


class _Characters:
    """Of each character of the first plane its kind, how many folded ones it becomes (`width`), and which.

    `caseless`: letters of scripts that have no capitals; `capital`: these and capitals. `before`, `behind`: what
    belongs to the letter behind or before it.
    """

    def __init__(self) -> None:
        self.kind = np.zeros(_PLANE, dtype=np.uint8)
        self.width = np.zeros(_PLANE, dtype=np.uint8)
        self.folded = np.zeros((_PLANE, 4), dtype=np.uint16)
        self.capital = np.zeros(_PLANE, dtype=np.bool_)
        self.caseless = np.zeros(_PLANE, dtype=np.bool_)
        self.space = np.zeros(_PLANE, dtype=np.bool_)
        self.syllabic = _within(_SYLLABIC_RANGES)
        self.before, self.behind = _within(_BEFORE), _within(_BEHIND)
        for code in np.flatnonzero(self.syllabic).tolist():
            self.behind[code] |= unicodedata.category(chr(code))[0] == "M"
        plain = np.ones(_PLANE, dtype=np.bool_)
        for first, last in (*_ALONE_RANGES, *_NO_CHARACTERS):
            plain[first : last + 1] = False
        for code in np.flatnonzero(plain).tolist():
            char = chr(code)
            self.space[code] = char.isspace()
            category = unicodedata.category(char)
            self.caseless[code] = category == "Lo" or GEORGIAN[0] <= char <= GEORGIAN[1]
            self.capital[code] = char.isupper() or self.caseless[code]
            if category[0] not in "LNM":
                continue
            self.kind[code] = _DIGIT if category == "Nd" else _LETTER
            folded = _fold(char)
            self.width[code] = len(folded)
            self.folded[code, : len(folded)] = [ord(c) for c in folded]
        self.kind[self.syllabic] = _ALONE
        for kind, ranges in ((_ALONE, _ALONE_RANGES), (_IGNORED, _IGNORED_RANGES)):
            for first, last in ranges:
                self.kind[first : last + 1] = kind
                if kind == _IGNORED:
                    self.width[first : last + 1] = 0
                else:
                    self.capital[first : last + 1] = self.caseless[first : last + 1] = True
                    self.width[first : last + 1] = 1
                    self.folded[first : last + 1, 0] = np.arange(first, last + 1)
        self.particle = np.isin(np.arange(_PLANE), [ord(letter) for letter in _PARTICLES])
        self.is_token = self.width[:_ASCII] > 0
        self.ascii = self.folded[:_ASCII, 0].copy()


def _within(ranges: Sequence[tuple[int, int]]) -> Flags:
    """Which characters of the first plane are in one of some ranges."""
    found = np.zeros(_PLANE, dtype=np.bool_)
    for first, last in ranges:
        found[first : last + 1] = True
    return found


def _fold(char: str) -> str:
    if (digit := unicodedata.digit(char, None)) is not None and unicodedata.category(char) == "Nd":
        return str(digit)
    out = []
    for c in char.casefold():
        for piece in _LETTERS.get(c) or unicodedata.normalize("NFKD", c):
            if ord(piece) < _PLANE and not any(first <= ord(piece) <= last for first, last in _IGNORED_RANGES):
                out.append(_LETTERS.get(piece, piece))
    return "".join(out)[:4]


@cache
def characters() -> _Characters:
    return _Characters()


def is_unspaced(char: str) -> bool:
    """Whether a character, if there is one, is of a script that is written without spaces."""
    return char != "" and ord(char) < _PLANE and bool(characters().kind[ord(char)] == _ALONE)


class Hasher:
    """Hashes of one run: random numbers for characters, and the powers of a random odd number.

    They follow from a `secret` that only the processes of the run know.
    """

    def __init__(self, secret: bytes = b"") -> None:
        self._secret = secret or token_bytes(24)
        random = np.random.Generator(np.random.PCG64(int.from_bytes(self._secret[:16], "little")))
        self.numbers: Hashes = random.integers(0, 1 << 64, size=_PLANE, dtype=np.uint64)
        # 3 modulo 8: then few powers of it are near to each other in their last bits.
        self._base = (int(random.integers(0, 1 << 61, dtype=np.uint64)) << 3 | 3) & (2**64 - 1)
        self._salt = np.uint64(int.from_bytes(self._secret[16:], "little"))
        self._tables = self._grown(4096)

    def __reduce__(self) -> tuple[Callable[[bytes], Hasher], tuple[bytes]]:
        return _hasher, (self._secret,)

    def _grown(self, n: int) -> tuple[Hashes, Hashes]:
        powers, inverse = np.ones((2, n), dtype=np.uint64)
        powers[1:] = np.uint64(self._base)
        inverse[1:] = np.uint64(pow(self._base, -1, 2**64))
        return np.cumprod(powers), np.cumprod(inverse)

    def _of(self, n: int) -> tuple[Hashes, Hashes]:
        tables = self._tables  # of which another thread may make others meanwhile, longer or shorter ones
        if len(tables[0]) < n:
            self._tables = tables = self._grown(1 << n.bit_length())
        return tables

    def powers(self, n: int) -> Hashes:
        return self._of(n)[0]

    def inverse(self, n: int) -> Hashes:
        return self._of(n)[1]

    def joined(self, left: Hashes, length: Ints, right: Hashes) -> Hashes:
        """The raw hash of texts that follow each other, the left one so many folded characters long."""
        return left + self.powers(int(length.max(initial=0)) + 1)[length] * right

    def final(self, raw: Hashes, length: Ints) -> Hashes:
        """What is stored and compared."""
        return mixed(raw + length.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + self._salt)

    def of_number(self, numbers: Ints) -> Hashes:
        """Hashes of numbers that are no texts, such as days."""
        return mixed(numbers.astype(np.uint64) * np.uint64(0xD1342543DE82EF95) ^ self._salt)


@lru_cache(maxsize=1)
def _hasher(secret: bytes) -> Hasher:
    return Hasher(secret)


def mixed(found: Hashes) -> Hashes:
    """Each bit of the outcome depends on each bit (SplitMix64)."""
    out: Hashes = found ^ (found >> np.uint64(30))
    out *= np.uint64(0xBF58476D1CE4E5B9)
    out ^= out >> np.uint64(27)
    out *= np.uint64(0x94D049BB133111EB)
    out ^= out >> np.uint64(31)
    return out


def paired(value: Hashes, key: Hashes) -> Hashes:
    """One hash for a value and whose it is."""
    return mixed(value ^ mixed(key + np.uint64(0x632BE59BD9B4E019)))


def _blocks(begins: Ints, size: int) -> Ints:
    """Where blocks of texts begin, each with powers of its own, and where the last one ends.

    `begins`: where each text does, among `size` folded characters.
    """
    groups = begins // _BLOCK
    first = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]])) if len(begins) else begins
    return np.concatenate([begins[first] if len(first) else [0], [size]]).astype(np.int64)


class Folded:
    """Some texts, their folded characters one behind the other, and tokens.

    `start`, `stop`: of each token, places among the folded characters; `begin_at`, `end_at`: among the characters of
    all texts together (`first` has where each text begins); `text`: which text it is in. `begins`: where each text
    begins among the folded characters.
    """

    def __init__(self, texts: Sequence[str] | pl.Series, hasher: Hasher) -> None:
        self.hasher = hasher
        if isinstance(texts, pl.Series):
            joined, lengths = texts.str.join("").item() or "", texts.str.len_chars().to_numpy()
        else:
            joined, lengths = "".join(texts), np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self.first: Ints = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(lengths, out=self.first[1:])
        self.codes: Codes
        self.folded: NDArray[np.uint16]
        self.start: Ints
        self.stop: Ints
        self.begin_at: Ints
        self.end_at: Ints
        if joined.isascii():
            self._fold_ascii(joined)
        else:
            self._fold_any(joined)
        n = len(self.folded)
        bounds = np.searchsorted(self.begin_at, self.first)
        self.text: Ints = np.repeat(np.arange(len(texts)), np.diff(bounds))
        self.begins: Ints = np.append(self.start, n)[bounds]
        self._blocks = _blocks(self.begins[:-1], n)
        self._sums: Hashes = np.zeros(n + 1, dtype=np.uint64)
        numbers = self._sums[1:]
        hasher.numbers.take(self.folded, out=numbers, mode="clip")
        for begin, end in zip(self._blocks[:-1].tolist(), self._blocks[1:].tolist(), strict=True):
            numbers[begin:end] *= hasher.powers(end - begin)[: end - begin]
        np.cumsum(numbers, out=numbers)

    def _fold_ascii(self, joined: str) -> None:
        """Whatever isn't folded separates tokens, of which each character is one."""
        known = characters()
        self.codes = np.frombuffer(joined.encode(), dtype=np.uint8)
        inside = known.is_token.take(self.codes)
        self.folded = known.ascii.take(self.codes.compress(inside))  # half of the time that brackets take
        bounds = self.first[1:-1]
        bounds = bounds[(bounds > 0) & (bounds < len(inside))]
        begins, ends = inside.copy(), inside.copy()
        begins[1:] = inside[1:] > inside[:-1]
        begins[bounds] = inside[bounds]
        ends[:-1] = inside[:-1] > inside[1:]
        ends[bounds - 1] = inside[bounds - 1]
        self.begin_at, self.end_at = np.flatnonzero(begins), np.flatnonzero(ends) + 1
        size = self.end_at - self.begin_at
        self.stop = np.cumsum(size)
        self.start = self.stop - size

    def _fold_any(self, joined: str) -> None:
        """The same for any characters, some of which are several folded ones, or none within a token."""
        known = characters()
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        self.codes = np.where(codes < _PLANE, codes, 0).astype(np.uint16)
        width = known.width[self.codes]
        several = bool((width > 1).any())
        at = self.at
        if several:
            begin = np.cumsum(width, dtype=np.int64) - width
            self.folded = known.folded[self.codes[at], np.arange(len(at)) - begin[at]]
        else:
            self.folded = known.folded[self.codes[at], 0]
        kind = known.kind[self.codes]
        here = np.cumsum(kind == _SEPARATOR, dtype=np.int32)[at]
        alone = kind[at] == _ALONE
        begins = np.ones(len(at), dtype=np.bool_)
        begins[1:] = (here[1:] != here[:-1]) | alone[1:] | alone[:-1]
        own = self.codes[at]
        begins[1:] &= ~(known.behind[own[1:]] | known.before[own[:-1]]) | (here[1:] != here[:-1])
        if several:
            begins[1:] &= at[1:] != at[:-1]
        bounds = np.searchsorted(at, self.first[1:-1])
        begins[bounds[bounds < len(at)]] = True
        self.start = np.flatnonzero(begins)
        self.stop = np.append(self.start[1:], len(at)) if len(at) else self.start
        self.begin_at, self.end_at = at[self.start], at[self.stop - 1] + 1

    @cached_property
    def at(self) -> Ints:
        """Of each folded character the place among the characters of all texts together."""
        width = characters().width[self.codes]
        return np.repeat(np.arange(len(width)), width) if (width > 1).any() else np.flatnonzero(width)

    def raw(self, start: Ints, stop: Ints) -> Hashes:
        """The raw hashes of runs of folded characters, each within one text."""
        return (self._sums[stop] - self._sums[start]) * self._inverse_at(start)

    def _inverse_at(self, start: Ints) -> Hashes:
        """The inverse of the power that sums have at a place."""
        within = start
        if len(self._blocks) > 2:
            within = start - self._blocks[np.searchsorted(self._blocks[:-1], start, side="right") - 1]
        longest = int(np.diff(self._blocks).max())
        return self.hasher.inverse(longest + 1)[within]

    def hashes(self, start: Ints, stop: Ints) -> Hashes:
        return self.hasher.final(self.raw(start, stop), stop - start)

    @cached_property
    def _of_tokens(self) -> tuple[Hashes, Hashes, Hashes]:
        """What `raw` takes of the start and the stop of each token, so that runs of tokens ask for none of it again."""
        if not len(self.start):
            return self._sums[:0], self._sums[:0], self._sums[:0]
        return self._sums[self.start], self._sums[self.stop], self._inverse_at(self.start)

    def token_hashes(self, width: int) -> Hashes:
        """The hashes of runs of so many tokens, from each but the last ones; those within one text mean something."""
        sums, ends, inverse = self._of_tokens
        count = len(sums) - width + 1
        raw = (ends[width - 1 :] - sums[:count]) * inverse[:count]
        return self.hasher.final(raw, self.stop[width - 1 :] - self.start[:count])

    def begins_at(self, start: Ints) -> Ints:
        """Where runs of folded characters begin among all characters."""
        if not self._is_ascii:
            return self.at[start]
        token = np.searchsorted(self.start, start, side="right") - 1
        return self.begin_at[token] + start - self.start[token]

    def ends_at(self, stop: Ints) -> Ints:
        """Where a run of folded characters ends among all characters, marks that belong to the last one included."""
        end = self.begins_at(stop - 1) + 1
        if self._is_ascii:
            return end
        stops = self.first[np.searchsorted(self.first, end - 1, side="right")]  # a mark may begin the next text
        kind = characters().kind[self.codes]
        for _ in range(8):
            more = (end < stops) & (kind[np.minimum(end, len(kind) - 1)] == _IGNORED)
            if not more.any():
                break
            end = end + more
        return end

    def capital(self, start: Ints) -> Flags:
        """Whether runs begin with a capital letter, or one of a script that has none."""
        return self._capital(self.begins_at(start))

    def _capital(self, at: Ints) -> Flags:
        found: Flags = characters().capital[self.codes[at]]
        return found

    @cached_property
    def caseless(self) -> Flags | None:
        """Which tokens are words of scripts without capitals that are parted by spaces; None where none is."""
        if self._is_ascii:
            return None
        found: Flags = characters().caseless[self.codes[self.begin_at]] & ~self.alone
        return found if found.any() else None

    @property
    def _is_ascii(self) -> bool:
        """Whether each folded character of a token is one character, and so many behind the first one."""
        return self.codes.dtype == np.uint8

    @cached_property
    def alone(self) -> Flags:
        """Which tokens are of a script that is written without spaces."""
        if self._is_ascii:
            return np.zeros(len(self.start), dtype=np.bool_)
        found: Flags = characters().kind[self.codes[self.begin_at]] == _ALONE
        return found

    @cached_property
    def syllabic(self) -> Flags | None:
        """Which tokens are of Thai, Lao, Burmese or Khmer; None where none is."""
        if self._is_ascii:
            return None
        found: Flags = characters().syllabic[self.codes[self.begin_at]]
        return found if found.any() else None

    @cached_property
    def digits(self) -> Flags:
        """Which tokens have digits only."""
        found: Flags = self.token_digits == self.stop - self.start
        return found

    @cached_property
    def token_digits(self) -> Ints:
        """How many digits each token has."""
        return self.digits_in(self.start, self.stop)

    @cached_property
    def _digit_sums(self) -> NDArray[np.int32]:
        sums = np.zeros(len(self.folded) + 1, dtype=np.int32)
        np.cumsum((self.folded >= 48) & (self.folded <= 57), out=sums[1:])
        return sums

    def digits_in(self, start: Ints, stop: Ints) -> Ints:
        """How many digits runs have."""
        return (self._digit_sums[stop] - self._digit_sums[start]).astype(np.int64)

    @cached_property
    def capitals(self) -> Flags:
        """Which tokens begin with a capital letter, or one of a script that has none."""
        return self._capital(self.begin_at)

    @cached_property
    def gap(self) -> Ints:
        """How many characters stand between each token and the next one; many where the next one is in another text."""
        between = np.full(len(self.start), 1 << 30, dtype=np.int64)
        if len(self.start) > 1:
            near = self.begin_at[1:] - self.end_at[:-1]
            between[:-1] = np.where(self.text[1:] == self.text[:-1], near, 1 << 30)
        return between

    @cached_property
    def _breaks(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Before how many tokens up to each one white space stands (where it is `NEAR`), and how many line breaks."""
        space = np.zeros(len(self.start), dtype=np.bool_)
        for place in range(NEAR):
            at = np.flatnonzero((self.gap > place) & (self.gap <= NEAR))
            space[at + 1] |= characters().space[self.codes[self.end_at[at] + place]]
        lines = np.flatnonzero((self.codes == 10) | (self.codes == 13))
        before = np.searchsorted(lines, self.begin_at) if len(lines) else np.zeros(len(space))
        return np.cumsum(space, dtype=np.int32), before.astype(np.int32)

    def spaced_between(self, first: Ints, last: Ints) -> Flags:
        """Whether white space stands within runs that no line break excuses.

        From a token to another one, each of which is `NEAR` the next.
        """
        spaces, lines = self._breaks
        found: Flags = (spaces[first] < spaces[last]) & (lines[first] == lines[last])
        return found


def chunks(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Where to cut many texts, so that each part has about `TOGETHER` characters."""
    out, begin, size = [], 0, 0
    for i, text in enumerate(texts):
        size += len(text)
        if size >= TOGETHER:
            out.append((begin, i + 1))
            begin, size = i + 1, 0
    if begin < len(texts):
        out.append((begin, len(texts)))
    return out
