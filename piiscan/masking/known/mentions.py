"""Finds where known values occur in texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from piiscan.detection.reading.url_encoding import as_read, decoded_among
from piiscan.masking.known.fingerprint_index import FingerprintIndex
from piiscan.masking.known.folded_text import NEAR, Flags, Folded, Hasher, Hashes, Ints, characters, chunks
from piiscan.masking.known.known_values import KnownValues
from piiscan.masking.known.value_forms import (
    BORN,
    EMAIL,
    FIRST,
    FIRST_LAST,
    LAST,
    LOGIN,
    PAGE,
    STEMS,
    USERNAME,
    day_hashes,
)
from piiscan.masking.known.written_dates import DateReader

WINDOW: Final = 4
"""Tokens that a value has in a text, at most."""
LONG_WINDOW: Final = 14
"""The same of numbers, addresses and names of streets, whose tokens stand close together."""
_BEFORE_NUMBER: Final = 9
"""The same of the words before the number of an address, and that number."""
_CAPITAL_WINDOW: Final = 8
"""The same of names and addresses without a digit whose first and last words begin with capitals."""
_UNSPACED_WINDOW: Final = 40
"""The same of addresses in scripts that are written without spaces: each of their characters is a token."""
_SHORTEST_WITHIN: Final = 3
"""Characters of a name that is found between others where words are written without spaces, as Thai is."""
_ONE_WORD: Final = sum(1 << k for k in (FIRST, LAST, USERNAME, LOGIN))
_CLOSE: Final = sum(1 << k for k in (EMAIL, PAGE))
_SPREAD_SIGN: Final = re.compile(r"\s?[@.]\s?")
_BEFORE_STEP: Final = [ord(sign) for sign in "/="]
_SPACE: Final = re.compile(r"\s")
_STEMS: Final = sum(1 << k for k in STEMS)
_DECLINED: Final = 1 << FIRST_LAST
SUFFIXES: Final = """
а eho ei ii lui ului ul ulei em ej ou ov ovo оу ою s es n en ens ns a e i y o u ie om owi owie iem emu im ego iego
iej ych ymi ymu ym ow ami ach ovi ove ova ovy ovou iho imu in ina ine у ы и е ой ом ем ым им ими ого ему ому ей ю я
ею ии ию ией их ых ами ях ову ова овой ови ові ї і ka ko ku ki ke nak nek ban ben nal nel tol val vel hoz hez ra re
t at et ot k ak ek ok lle lta lla ssa sta elle elta ella een ena essa esta
as is us io iu iui ui os ia an ar ur ir inn ins anna
ai iai ies os oje uje yje im am iem
ya ye da de ta te dan den tan ten in un nin nun yi yu la le yla yle lar ler lari leri larin lerin
ə yə də tə dən tən nı nin nı lə ilə
le lt l ga ks st sse ile ilt il iga iks ist isse ule ult ul uga uks ust ale alt al aga aks ast ele elt el ega eks est
bal cal dal fal gal hal jal kal lal mal nal pal ral sal tal zal bel cel del fel gel hel jel kel lel mel nel pel rel sel
tel zel csal csel eknal eknel ektol ekhez ekkel ekrol
it ut ve
ek ari aren arekin ren rekin rentzat entzat ekin
α η ο ου ων ους οι ες ε
ը ի ին ից ով ն ում իս
ға ге қа ке на не дың дің тың тің ның нің ды ді ты ті ны ні да де та те дан ден тан тен нан нен мен бен пен
оос аас ээс өөс ын ийн ний тай той тэй ыг ийг аар оор ээр өөр д т
га ка qa ni ning
""".split()
"""Endings of names that are declined. In scripts without capitals any ending is one, of a name of the row."""
_SHORTEST_DECLINED: Final = 3
"""Letters of a name before an ending of several letters."""
_LONGEST_ENDING: Final = 5
_DECLINED_WORDS: Final = (2, 3)
"""Words of a full name whose last one is declined."""
_LONGEST_CASELESS: Final = 7
_SHORTEST_CASELESS: Final = 3
"""Letters of a name in such a script, before an ending or behind particles."""


class Found(NamedTuple):
    """Mentions of known values in texts, as arrays with one entry per mention.

    Of each mention: its text, where it begins and ends, the index of its value among the known ones, its kinds as bits,
    how many folded characters, digits and tokens it has, whether its first and its last token begin with a capital,
    how many characters after the stem of a name are an inflection (0: none), whether that is a known one, and whether
    it is a step of a path of several words ("/anna-kernweiler").
    """

    text: Ints
    start: Ints
    stop: Ints
    value: Ints
    kinds: Ints
    length: Ints
    digits: Ints
    tokens: Ints
    ending: Ints
    capital: Flags
    last_capital: Flags
    known_ending: Flags
    step: Flags


def _nothing() -> Found:
    none = np.zeros(0, dtype=np.int64)
    return Found(*(none,) * 9, *(none == 1,) * 4)


class Search:
    """Looks for known values in texts."""

    def __init__(self, known: KnownValues) -> None:
        self._known = known
        self._index = FingerprintIndex([known.values])
        self._dates = DateReader(known.hasher)
        self._suffixes = suffix_hashes(known.hasher)
        present = int(np.bitwise_or.reduce(known.kinds)) if len(known.kinds) else 0
        self._has_dates = bool(present & (1 << BORN))

    def find(self, texts: Sequence[str]) -> Found:
        """The mentions in each text, overlapping ones too.

        Of a single token, `last_capital` is about the last letter.
        """
        parts = [self._chunk(texts[a:b], a) for a, b in chunks(texts)]
        if not parts:
            return _nothing()
        return Found(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def _chunk(self, texts: Sequence[str], first: int) -> Found:
        """Places are those in the texts as they are, wherever URLs encode them."""
        written = decoded_among(texts)
        found = self._search(as_read(texts, written), first)
        if not written:
            return found
        start, stop = found.start.copy(), found.stop.copy()
        for n in np.flatnonzero(np.isin(found.text - first, list(written))).tolist():
            at = written[int(found.text[n]) - first].at
            start[n], stop[n] = at[start[n]], at[stop[n]]
        return found._replace(start=start, stop=stop)

    def _search(self, texts: Sequence[str], first: int) -> Found:
        f = Folded(texts, self._known.hasher)
        found: list[tuple[Ints, Ints, Ints, Ints, Flags]] = []
        for start, stop, hashes in runs_in(f, self._dates if self._has_dates else None):
            at, value = self._known_of(hashes)
            none = np.zeros(len(at), dtype=np.int64)
            found.append((start[at], stop[at], value, none, none == 0))
        found += self._declined(f)
        if not found:  # texts without a letter and a digit
            return _nothing()
        start, stop, value, ending, known_ending = (np.concatenate(each) for each in zip(*found, strict=True))
        kinds = self._known.kinds[value].astype(np.int64)
        first_token = np.searchsorted(f.start, start, side="right") - 1
        last = np.searchsorted(f.start, stop, side="left") - 1
        declined = np.where(last > first_token, kinds & _DECLINED, kinds & _STEMS)
        kinds = np.where(ending > 0, declined, kinds & ~_STEMS)
        if len(start):  # one word is written as one; addresses without white space even where lines break
            spaced = f.spaced_between(first_token, last)
            for n in np.flatnonzero(spaced & ((kinds & _CLOSE) != 0)).tolist():
                spaced[n] = not _is_spread(f, texts, int(first_token[n]), start[n : n + 1], stop[n : n + 1])
            kinds = np.where(spaced, kinds & ~(_ONE_WORD | _CLOSE), kinds)
        has = kinds != 0
        start, stop, value, kinds = start[has], stop[has], value[has], kinds[has]
        ending, known_ending = ending[has], known_ending[has]
        first_token, last = first_token[has], last[has]
        if not len(start):
            return _nothing()
        begin, end = f.begins_at(start), f.ends_at(stop)
        text = f.text[first_token]
        where = f.first[text]
        digits = f.digits_in(start, stop)
        tokens = last - first_token + 1
        step = (tokens > 1) & (begin > where) & np.isin(f.codes[begin - 1], _BEFORE_STEP)
        step &= ~f.spaced_between(first_token, last)
        for n in np.flatnonzero(step).tolist():
            step[n] = ord("/") not in f.codes[begin[n] : end[n]]
        last_start = np.maximum(f.start[last], start)
        return Found(
            text + first,
            begin - where,
            end - where,
            value,
            kinds,
            stop - start,
            digits,
            tokens,
            ending,
            f.capital(start),
            f.capital(np.where(tokens > 1, last_start, stop - 1)),
            known_ending,
            step,
        )

    def _known_of(self, hashes: Hashes) -> tuple[Ints, Ints]:
        """Which hashes are known, and the places of their values."""
        at = np.flatnonzero(self._index.has(hashes))
        value = self._known.find(hashes[at])
        return at[value >= 0], value[value >= 0]

    def _declined(self, f: Folded) -> list[tuple[Ints, Ints, Ints, Ints, Flags]]:
        """Words that begin with the stem of a known name and end as names are declined, or may be."""
        found = []
        for start, stop, ending, caseless, hashes in stems_in(f):
            at, value = self._known_of(hashes)
            stem = (self._known.kinds[value] & np.uint32(_STEMS)) != 0
            listed = np.isin(f.hashes(stop[at] - ending, stop[at]), self._suffixes)
            stem &= listed | (caseless[at] & (stop[at] - start[at] - ending >= _SHORTEST_CASELESS))
            at, value = at[stem], value[stem]
            found.append((start[at], stop[at], value, np.full(len(at), ending), listed[stem]))
        for start, stop, ending, hashes in declined_names_in(f):
            at, value = self._known_of(hashes)
            name = (self._known.kinds[value] & np.uint32(_DECLINED)) != 0
            name &= np.isin(f.hashes(stop[at] - ending, stop[at]), self._suffixes)
            at, value = at[name], value[name]
            found.append((start[at], stop[at], value, np.full(len(at), ending), np.ones(len(at), dtype=np.bool_)))
        return found


def _is_spread(f: Folded, texts: Sequence[str], token: int, start: Ints, stop: Ints) -> bool:
    """Whether white space in a mention stands around signs of addresses alone: ann @ mail.org."""
    text = int(f.text[token])
    begin, end = (int(at[0]) - int(f.first[text]) for at in (f.begins_at(start), f.ends_at(stop)))
    return not _SPACE.search(_SPREAD_SIGN.sub("@", texts[text][begin:end]))


def runs_in(f: Folded, dates: DateReader | None) -> Iterator[tuple[Ints, Ints, Hashes]]:
    """All runs of folded characters that may be a value, and their hashes.

    `dates`: reads days, None where none is known.
    """
    n = len(f.start)
    near = f.gap <= NEAR
    are_near = np.ones(n, dtype=np.bool_)
    for width in range(1, min(WINDOW, n) + 1):  # nearly all runs of words: they are hashed side by side
        count = n - width + 1
        start, stop, hashes = f.start[:count], f.stop[width - 1 :], f.token_hashes(width)
        if width > 1:
            are_near = are_near[:count] & near[width - 2 : n - 1]
            start, stop, hashes = start[are_near], stop[are_near], hashes[are_near]
        if (cut := _cut_from_words(f, width)) is not None:
            own = ~(cut if width == 1 else cut[are_near])
            start, stop, hashes = start[own], stop[own], hashes[own]
        yield start, stop, hashes
    run = np.flatnonzero(are_near)
    # The number of an address may stand behind many words.
    signs = _signs_before(f)
    unspaced = _begins_unspaced(f)
    ahead = _digits_follow(f, _BEFORE_NUMBER) | (unspaced & _digits_follow(f, _UNSPACED_WINDOW))
    ahead |= signs[np.minimum(np.arange(n) + _BEFORE_NUMBER, n)] > signs[:-1]
    written = f.capitals & ~f.alone
    for width in range(WINDOW + 1, min(_UNSPACED_WINDOW, n) + 1):
        if width == LONG_WINDOW + 1:
            run = run[unspaced[run] & ahead[run]]
        run = run[run + width - 1 < n]
        run = run[near[run + width - 2]]
        # Long values have digits or no white space in them, or they begin and end as names do.
        last = run + width - 1
        is_long = f.digits_in(f.start[run], f.stop[last]) > 0
        if width <= LONG_WINDOW:
            is_long |= ~f.spaced_between(run, last) | (signs[last] > signs[run])
        goes_on = is_long | ahead[run]
        if width <= _CAPITAL_WINDOW:  # the characters of 石動野 美咲 are tokens each
            goes_on |= written[run] | f.alone[run]
            is_long |= (written[run] & written[last]) | (f.alone[run] & f.alone[last])
        start, stop = f.start[run[is_long]], f.stop[last[is_long]]
        yield start, stop, f.hashes(start, stop)
        run = run[goes_on]
        if not len(run):
            break
    if dates is not None:
        days = dates.find(f)
        yield f.start[days.first], f.stop[days.last], day_hashes(days.day, f.hasher)
    yield from _glued(f)
    yield from _behind_particles(f)


def _begins_unspaced(f: Folded) -> Flags:
    """Which tokens are of a script that is written without spaces, or numbers up to three tokens before one."""
    found = f.alone.copy()
    if not found.any():
        return found
    for count in (1, 2, 3):
        found[:-count] |= f.alone[count:] & f.digits[:-count]
    return found


def _signs_before(f: Folded) -> Ints:
    """How many tokens before each have an @ behind them, and how many there are in all."""
    behind = np.minimum(f.end_at, max(0, len(f.codes) - 1))
    signs = (f.codes[behind] == ord("@")) | (f.codes[np.minimum(behind + 1, max(0, len(f.codes) - 1))] == ord("@"))
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(signs)])


def _digits_follow(f: Folded, count: int) -> Flags:
    """Which tokens are, or precede by less than `count` tokens, one with digits."""
    last = np.minimum(np.arange(len(f.start)) + count, len(f.start)) - 1
    found: Flags = f.digits_in(f.start, f.stop[last]) > 0
    return found


def _behind_particles(f: Folded) -> Iterator[tuple[Ints, Ints, Hashes]]:
    """One or two words behind what Arabic and Hebrew write in one with the first: وأحمد, ודני."""
    if f.caseless is None:
        return
    particle = characters().particle
    tokens = np.flatnonzero(f.caseless)
    for skipped in (1, 2):
        tokens = tokens[f.stop[tokens] - f.start[tokens] - skipped >= _SHORTEST_CASELESS]
        tokens = tokens[particle[f.folded[f.start[tokens] + skipped - 1]]]
        if not len(tokens):
            return
        start = f.start[tokens] + skipped
        yield start, f.stop[tokens], f.hashes(start, f.stop[tokens])
        two = f.gap[tokens] <= NEAR
        start, stop = start[two], f.stop[tokens[two] + 1]
        yield start, stop, f.hashes(start, stop)


def _cut_from_words(f: Folded, width: int) -> Flags | None:
    """Which runs of so many tokens are a few letters between others of Thai and its like, as any word has them.

    None where there are no such letters.
    """
    if f.syllabic is None:
        return None
    count = len(f.start) - width + 1
    glued = np.zeros(len(f.start) + 1, dtype=np.bool_)  # to the token before
    glued[1:-1] = (f.gap[:-1] == 0) & f.syllabic[:-1] & f.syllabic[1:]
    short = f.end_at[width - 1 :] - f.begin_at[:count] < _SHORTEST_WITHIN
    found: Flags = short & (glued[:count] | glued[width:])
    return found


def _glued(f: Folded) -> Iterator[tuple[Ints, Ints, Hashes]]:
    """Runs of letters or digits within tokens that have both: MRN100007, Anna82."""
    mixed = np.flatnonzero((f.token_digits > 0) & ~f.digits)
    if not len(mixed):
        return
    size = f.stop[mixed] - f.start[mixed]
    first = np.cumsum(size) - size
    place = np.repeat(f.start[mixed] - first, size) + np.arange(int(size.sum()))
    is_digit = (f.folded[place] >= 48) & (f.folded[place] <= 57)
    change = np.concatenate([[True], is_digit[1:] != is_digit[:-1]])
    change[first] = True
    begin = np.flatnonzero(change)
    long = np.diff(begin, append=len(place)) >= 3
    start, stop = place[begin[long]], place[np.append(begin[1:], len(place))[long] - 1] + 1
    yield start, stop, f.hashes(start, stop)


def stems_in(f: Folded) -> Iterator[tuple[Ints, Ints, int, Flags, Hashes]]:
    """All words that may be a declined name.

    How long their ending may be, whether they are of a script without capitals, and the hashes of their beginnings.
    """
    size = f.stop - f.start
    words = np.flatnonzero((size >= 3) & f.capitals & ~f.alone & (f.token_digits == 0))
    caseless = np.zeros(len(words), dtype=np.bool_) if f.caseless is None else f.caseless[words]
    for ending in range(1, _LONGEST_CASELESS + 1):
        if ending > _LONGEST_ENDING:
            words, caseless = words[caseless], caseless[caseless]
        if not len(words):
            return
        long = size[words] - ending >= (2 if ending == 1 else _SHORTEST_DECLINED)  # "Li's", but no "List"
        tokens = words[long]
        start, stop = f.start[tokens], f.stop[tokens]
        yield start, stop, ending, caseless[long], f.hashes(start, stop - ending)


def declined_names_in(f: Folded) -> Iterator[tuple[Ints, Ints, int, Hashes]]:
    """All runs of two or three words that may be a full name whose family name is declined ("Anna Kernweilers").

    How long its ending may be, and the hashes of the names without it. Not in scripts without capitals.
    """
    size = f.stop - f.start
    written = f.capitals & ~f.alone & (f.token_digits == 0)
    if f.caseless is not None:
        written &= ~f.caseless
    near = f.gap <= NEAR
    ends = np.flatnonzero(written)
    for width in _DECLINED_WORDS:
        last = ends[ends >= width - 1]
        first = last - width + 1
        fits = written[first]
        for word in range(width - 1):
            fits &= near[first + word]
        first, last = first[fits], last[fits]
        for ending in range(1, _LONGEST_ENDING + 1):
            long = size[last] - ending >= _SHORTEST_DECLINED
            start, stop = f.start[first[long]], f.stop[last[long]]
            if len(start):
                yield start, stop, ending, f.hashes(start, stop - ending)


def suffix_hashes(hasher: Hasher) -> Hashes:
    """The hashes of the endings of names that are declined."""
    f = Folded(sorted(set(SUFFIXES)), hasher)
    return f.hashes(f.begins[:-1], f.begins[1:])
