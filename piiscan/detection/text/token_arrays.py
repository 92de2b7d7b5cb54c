"""Many texts at once as arrays of tokens, and the windows of them that a recogniser reads.

It gives the results of `tokens` without its loops.

No token has white space in it, and but for initials none depends on what follows white space. So a text is a row
of pieces between white space, a piece met again costs a look-up, and where a sentence ends is a question to arrays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from weakref import proxy

import numpy as np
from numpy.typing import NDArray

from piiscan.detection.text.tokens import ABBREVIATED, CLOSING, END, LONGEST, WRAPPED, tokens, windows

Ids = NDArray[np.int64]
Item = TypeVar("Item", bound=np.generic)

SMALL, CAPITAL, MIXED = 1, 2, 4
"""How a word is written: in small letters; with a capital (one letter alone says nothing); with capitals and small
letters."""
ENDS, CLOSES, POINT, SHORTENED, BEGINS_SMALL = 8, 16, 32, 64, 128
"""What a word is to sentences: `.!?…`, a closing mark, a point, an abbreviation, one that begins with a small
letter."""
INITIAL, LETTER = 1, 2
"""What a piece is: one whose last token may be an initial, if a letter follows; one that begins with a letter."""
_SPACES: Final = np.array(
    [chr(code).isspace() for code in range(0x3002)]
)  # up to the last white space there is, and one more
_NEWLINE: Final = 10
_OF_A_WORD: Final = 700
_OF_A_PIECE: Final = 250
"""Bytes that keeping one takes beside its characters, with what a recogniser keeps of a word: texts and sums of its
features, and the room that arrays grow into."""
_LETTER = re.compile(r"[^\W\d_]")


class Rows(Generic[Item]):
    """An array that grows at its end."""

    def __init__(self, dtype: Any, *width: int) -> None:
        self._all: NDArray[Item] = np.zeros((1024, *width), dtype=dtype)
        self._waiting: list[Any] = []
        self._count = 0

    def append(self, row: Any) -> None:
        self._waiting.append(row)

    def extend(self, rows: Any) -> None:
        stop = self._count + len(rows)
        if stop > len(self._all):
            grown = np.zeros((max(stop, 2 * len(self._all)), *self._all.shape[1:]), dtype=self._all.dtype)
            grown[: self._count] = self._all[: self._count]
            self._all = grown
        self._all[self._count : stop] = rows
        self._count = stop

    @property
    def all(self) -> NDArray[Item]:
        if self._waiting:
            self.extend(self._waiting)
            self._waiting = []
        return self._all[: self._count]


class Words:
    """The words and pieces met so far, by number. A piece is the text between white space."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.spelled: list[str] = []
        self.flags: Rows[np.uint8] = Rows(np.uint8)
        self._pieces = _Pieces(self)
        self._total = 0  # tokens of all pieces
        self.size = 0
        """Bytes of memory that all of it takes, about."""
        self._flags: Rows[np.uint8] = Rows(np.uint8)  # of pieces
        self._first: Rows[np.int64] = Rows(np.int64)  # of a piece's tokens
        self._counts: Rows[np.int64] = Rows(np.int64)
        self._tokens: Rows[np.int64] = Rows(
            np.int64
        )  # of all pieces, one after the other: the word, where it begins, how long it is
        self._starts: Rows[np.int64] = Rows(np.int64)
        self._lengths: Rows[np.int64] = Rows(np.int64)

    def number(self, word: str) -> int:
        known = self.numbers.get(word)
        if known is None:
            known = self.numbers[word] = len(self.numbers)
            self.spelled.append(word)
            self.size += len(word) + _OF_A_WORD
            self.flags.append(_flags(word))
        return known

    def add_piece(self, piece: str) -> int:
        """The number of a piece that wasn't met before."""
        self._first.append(self._total)
        self.size += len(piece) + _OF_A_PIECE
        if piece.isalpha():  # a word, as most are
            self._counts.append(1)
            self._flags.append(LETTER)
            self._add_token(piece, 0)
            return len(self._pieces)
        body, _, follows = piece.partition(" ")
        words, starts = tokens(piece)
        if follows:
            del words[-1], starts[-1]
        self._counts.append(len(words))
        self._flags.append((INITIAL if _may_be_initial(body) else 0) | (LETTER if _LETTER.match(body) else 0))
        for word, start in zip(words, starts, strict=True):
            self._add_token(word, start)
        return len(self._pieces)

    def _add_token(self, word: str, start: int) -> None:
        self._tokens.append(self.number(word))
        self._starts.append(start)
        self._lengths.append(len(word))
        self._total += 1

    def pieces(self, parts: list[str]) -> Ids:
        """The numbers of pieces."""
        return np.fromiter(map(self._pieces.__getitem__, parts), dtype=np.int64, count=len(parts))

    def initials(self, parts: list[str], pieces: Ids, starts: Ids, ends: Ids) -> None:
        """Change the numbers of pieces whose last point belongs to an initial, since one blank and a letter follow: "J.

        Smith".
        """
        flags = self._flags.all[pieces]
        may = (flags[:-1] & INITIAL > 0) & (flags[1:] & LETTER > 0) & (starts[1:] == ends[:-1] + 1)
        for at in np.flatnonzero(may).tolist():
            pieces[at] = self._pieces[f"{parts[at]} a"]

    def expanded(self, pieces: Ids) -> tuple[Ids, Ids, Ids, Ids]:
        """The tokens of pieces: word, the place of the piece among the given, where it begins within it, its length."""
        counts = self._counts.all[pieces]
        of = np.repeat(np.arange(len(pieces)), counts)
        at = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts - self._first.all[pieces], counts)
        return self._tokens.all[at], of, self._starts.all[at], self._lengths.all[at]


class _Pieces(dict[str, int]):
    """Piece → number. One that an initial ends with a letter behind is kept as itself with " a" behind it."""

    def __init__(self, words: Words) -> None:
        self._words = proxy(words)  # which would be garbage in a cycle, megabytes for each batch of texts

    def __missing__(self, piece: str) -> int:
        number: int = self._words.add_piece(piece)
        self[piece] = number
        return number


def _may_be_initial(piece: str) -> bool:
    return len(piece) > 1 and piece[-1] == "." and not "a" <= piece[-2] <= "z" and _LETTER.match(piece[-2]) is not None


def _flags(word: str) -> int:
    first = word[0]
    out = (
        ENDS * (first in END) | CLOSES * (first in CLOSING) | POINT * (word == ".") | BEGINS_SMALL * first.islower()
        | SHORTENED * (word.lower() in ABBREVIATED)
    )  # fmt: skip
    if word.isalpha():
        if word.islower():
            out |= SMALL
        elif not word.isupper():
            out |= MIXED
        elif len(word) > 1:
            out |= CAPITAL
    return out


@dataclass(frozen=True, slots=True, repr=False)
class Read:
    """Texts as tokens.

    `words`, `starts`, `ends`: of each token its word's number, and its place in its text. A window has the tokens
    `first` to `stop`, and those from `own` to `end` for its own; `text` is the one it belongs to.
    """

    words: Ids
    starts: Ids
    ends: Ids
    first: Ids
    stop: Ids
    own: Ids
    end: Ids
    text: Ids


def read(texts: Sequence[str], words: Words) -> Read:
    """The tokens and windows of texts."""
    together = "\n".join(texts)
    codes = np.frombuffer(together.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    parts = together.split()
    bases = np.cumsum([0, *(len(text) + 1 for text in texts)], dtype=np.int64)
    space = np.concatenate([[True], _SPACES[np.minimum(codes, len(_SPACES) - 1)], [True]])
    edges = np.flatnonzero(space[1:] != space[:-1])
    begins, finishes = edges[::2], edges[1::2]
    pieces = words.pieces(parts)
    owner = np.searchsorted(bases, begins, side="right") - 1
    if len(pieces):
        # The line end between two texts is no blank.
        words.initials(parts, pieces, np.where(np.diff(owner, prepend=0) > 0, -1, begins), finishes)
    numbers, of, within, lengths = words.expanded(pieces)
    starts = begins[of] + within
    ends = starts + lengths
    text = owner[of]
    cuts = np.concatenate(
        [[0], _cuts(codes == _NEWLINE, words.flags.all[numbers], of, starts, ends, text), [len(numbers)]]
    )
    first, stop, own, end = _windows(cuts)
    return Read(numbers, starts - bases[text], ends - bases[text], first, stop, own, end, text[first])


def _cuts(newline: NDArray[np.bool_], flags: NDArray[np.uint8], of: Ids, starts: Ids, ends: Ids, text: Ids) -> Ids:
    """The tokens before which a segment ends, the first one apart: see `tokens`."""
    if len(of) < 2:
        return np.zeros(0, dtype=np.int64)
    last, here = flags[:-1], flags[1:]
    other = text[1:] != text[:-1]
    # The token before the last one, where there is one in the text.
    before = np.concatenate([[0], np.where(other[:-1], 0, flags[:-2])])
    ends_it = (last & ENDS > 0) | ((last & CLOSES > 0) & (before & ENDS > 0))
    ends_it &= (here & BEGINS_SMALL == 0) & ~((last & POINT > 0) & (before & SHORTENED > 0))
    lines = np.concatenate([[0], np.cumsum(newline)])
    last_newline = np.concatenate([[-1], np.maximum.accumulate(np.where(newline, np.arange(len(newline)), -1))])
    stop = ends[:-1]
    many = lines[starts[1:]] - lines[stop]
    broken = (many > 1) | ((many == 1) & (stop - last_newline[stop] <= WRAPPED))
    return np.flatnonzero(other | ((of[1:] != of[:-1]) & (ends_it | broken))) + 1


def _windows(bounds: Ids) -> tuple[Ids, Ids, Ids, Ids]:
    """The windows of segments, that have their bounds in common; most are one window."""
    first, stop = bounds[:-1], bounds[1:]
    full = stop > first
    first, stop = first[full], stop[full]
    if not len(first) or int((stop - first).max()) <= LONGEST:
        return first, stop, first, stop
    cut = np.array(
        [w for a, b in zip(first.tolist(), stop.tolist(), strict=True) for w in windows(a, b)], dtype=np.int64
    )
    return cut[:, 0], cut[:, 1], cut[:, 2], cut[:, 3]


def batches(texts: Iterable[str], characters: int) -> Iterator[list[str]]:
    """Texts in groups of so many characters, about."""
    group: list[str] = []
    many = 0
    for text in texts:
        group.append(text)
        many += len(text)
        if many >= characters:
            yield group
            group, many = [], 0
    if group:
        yield group
