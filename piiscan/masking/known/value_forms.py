"""The forms in which a value may occur in a text, and the mask of each.

Such as parts of names, telephones without their country, and streets without their number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.header_words import fold
from piiscan.masking.known.folded_text import Flags, Folded, Hasher, Hashes, Ints
from piiscan.masking.known.nicknames import nicknames
from piiscan.masking.known.phone_parts import EXTENSION, PREFIXES, parts_of, split, with_prefix
from piiscan.masking.known.street_names import Street, numbered_word
from piiscan.masking.surrogates.name_format import ADDRESS
from piiscan.scanning.classify.plain_words import is_in_no_list

FIRST, LAST, FIRST_LAST, LAST_FIRST, INITIAL_LAST, LAST_INITIAL, NAME = range(7)
FIRST_STEM, LAST_STEM = 7, 8
EMAIL, USERNAME, NUMBER, PHONE, STREET, ROAD, BORN, PLACE, PAGE = range(9, 18)
SHORT: Final = 18
"""The beginning or the end of a given name, as short forms have it."""
INNER: Final = 19
"""Words of a full name without its first or its last ones, of which only the row's own person is called by."""
LOGIN: Final = 20
"""A user name of letters that no list of words and names has: in texts of others it is that user, too."""
PARTS: Final = (FIRST, LAST)
STEMS: Final = (FIRST_STEM, LAST_STEM)
FULL: Final = (FIRST_LAST, LAST_FIRST, INITIAL_LAST, LAST_INITIAL)
"""Names of two parts; the mask of the second one stands apart."""
INITIALS: Final = (INITIAL_LAST, LAST_INITIAL)
KIND_OF: Final = {
    "FIRST_NAME": FIRST, "LAST_NAME": LAST, "PERSON": NAME, "EMAIL_ADDRESS": EMAIL, "USERNAME": USERNAME,
    "PHONE_NUMBER": PHONE, "STREET_ADDRESS": STREET, "DATE_OF_BIRTH": BORN, "POSTAL_CODE": PLACE, "CITY": PLACE,
    "BIRTHPLACE": PLACE, "URL": PAGE, "US_SSN": NUMBER, "NATIONAL_ID": NUMBER, "PASSPORT": NUMBER,
    "DRIVER_LICENSE": NUMBER, "CREDIT_CARD": NUMBER, "IBAN_CODE": NUMBER, "BANK_ACCOUNT": NUMBER,
    "MEDICAL_RECORD": NUMBER, "VEHICLE_ID": NUMBER, "DEVICE_ID": NUMBER, "PERSON_ID": NUMBER, "GENERIC_ID": NUMBER,
}  # fmt: skip
"""Entity of a column → how its values are looked for. Network addresses aren't: rules find all of them."""
PARTICLES: Final = frozenset(
    "von van der den de la le du da di del della dos das do el al bin ibn abu ben mac mc st san santa zu zum zur af av "
    "ter ten dr mr mrs ms jr sr ii iii".split()
)
_VOWELS: Final = "aeiouyəаеиоуыэюяйьіїєαειουηωაეიოუաեիոօէը"
_DOUBLE: Final = "ptk"
"""Consonants that Finnish names lose one of: Matti, Matille."""
_NO_VOWEL: Final = "्্੍્୍்్್്්ൺൻർൽൾ"
"""Signs of the scripts of India that go where a vowel follows."""
_SHORTEST_STEM: Final = 3
_SHORTEST_FINNISH: Final = 5
_SHORTEST_STREET: Final = 4
_SHORTEST_PHONE: Final = 6
SHORTEST_LOGIN: Final = 6
"""Characters of a user name that texts of others are searched for, whatever stands before it."""
_LETTERED: Final = r"^\s*\pL{1,5}[-_ ./#]?(\d{6,})\s*$"
_WORD: Final = re.compile(r"[^\W_]+")
_NAMES: Final = re.compile(r"[^\s-]+")


class Masks(NamedTuple):
    """Masks of forms: where each stands `at` among `texts` (String; null: there is none), which many have in common."""

    texts: pl.Series
    at: Ints

    def take(self, places: Ints) -> Masks:
        """Those of some forms."""
        return Masks(self.texts.gather(self.at[places]), np.arange(len(places)))


class Forms(NamedTuple):
    """Forms of some values, as arrays with one entry per form.

    `value`: the value it is a form of; what it is, its hash, and its mask: `mask` and `second`, of which `cut` folded
    characters of the form belong to the first.
    """

    value: Ints
    hash: Hashes
    kind: int
    mask: Masks
    second: Masks | None = None
    cut: Ints | None = None

    def among(self, which: Flags) -> Forms:
        """Some of the forms, and their masks alone."""
        if which.all():
            return self
        at = np.flatnonzero(which)
        second = None if self.second is None else self.second.take(at)
        cut = None if self.cut is None else self.cut[at]
        return Forms(self.value[at], self.hash[at], self.kind, self.mask.take(at), second, cut)


class Whole:
    """Texts as one run of folded characters each."""

    def __init__(self, texts: Sequence[str] | pl.Series, hasher: Hasher) -> None:
        self.folded = f = Folded(texts, hasher)
        self.start, self.stop = f.begins[:-1], f.begins[1:]
        self.raw = f.raw(self.start, self.stop)

    @property
    def length(self) -> Ints:
        return self.stop - self.start

    def hashes(self) -> Hashes:
        return self.folded.hasher.final(self.raw, self.length)


def forms(
    kind: int,
    values: pl.Series,
    masks: pl.Series,
    hasher: Hasher,
    mentioned: Callable[[Hashes], Flags],
    country: str = "",
) -> Iterator[Forms]:
    """The forms of values (String, no nulls) with their masks (String).

    Those that aren't `mentioned` may be left out. `country`: of telephones written without a country code, its calling
    code.
    """
    if kind in PARTS:
        yield from _name_forms(kind, values, masks, hasher)
    elif kind == PHONE:
        yield from _phone_forms(values, masks, hasher, country, mentioned)
    elif kind == STREET:
        yield from _street_forms(values, masks, hasher, mentioned)
    else:
        whole = Whole(values, hasher)
        enough, hashes = whole.length >= (2 if kind == PLACE else 3), whole.hashes()
        if kind == USERNAME:
            may_be = np.flatnonzero(enough & (whole.length >= SHORTEST_LOGIN) & mentioned(hashes))
            logins = np.array([i for i in may_be.tolist() if _is_no_word(values[i])], dtype=np.int64)
            yield _picked(LOGIN, logins, hashes[logins], masks)
            enough[logins] = False
        at = np.flatnonzero(enough)
        yield _picked(kind, at, hashes[at], masks)
        if kind == NUMBER:
            yield from _without_letters(values, masks, hasher)


def _without_letters(values: pl.Series, masks: pl.Series, hasher: Hasher) -> Iterator[Forms]:
    """The digits alone of numbers with letters in front: customer 743002 for C-743002."""
    bare = bare_digits(values)
    at = bare.is_not_null().arg_true().to_numpy().astype(np.int64)
    if len(at):
        made = bare_digits(masks.gather(at)).fill_null(masks.gather(at))
        yield Forms(at, Whole(bare.gather(at), hasher).hashes(), NUMBER, Masks(made, np.arange(len(at))))


def bare_digits(numbers: pl.Series) -> pl.Series:
    """The digits of numbers with letters in front, if there are enough to be told from others; null for the rest."""
    return numbers.str.extract(_LETTERED, 1)


def _is_no_word(login: str) -> bool:
    """Whether a user name is no word and no name, nor words alone."""
    words = _WORD.findall(login)
    return all(map(str.isalpha, words)) and any(map(is_in_no_list, words))


def _picked(kind: int, value: Ints, found: Hashes, masks: pl.Series) -> Forms:
    return Forms(value, found, kind, Masks(masks, value))


def _name_forms(kind: int, values: pl.Series, masks: pl.Series, hasher: Hasher) -> Iterator[Forms]:
    whole = Whole(values.str.replace_all(ADDRESS, " "), hasher)
    f = whole.folded
    enough = np.flatnonzero(whole.length > 0)
    yield _picked(kind, enough, whole.hashes()[enough], masks)
    several = np.flatnonzero(np.bincount(f.text, minlength=len(values)) > 1)
    yield _picked(NAME, several, whole.hashes()[several], masks)
    # Of names of several words each word, but for particles and single letters.
    words = np.bincount(f.text, minlength=len(values))
    size = f.stop - f.start
    own = f.alone
    particle = _particles(f)
    part = (words[f.text] > 1) & (size >= 3) & ~own & ~particle
    made = _word_masks(f, words, particle, masks)

    def picked(kind: int, token: Ints, found: Hashes) -> Forms:
        return Forms(f.text[token], found, kind, Masks(made.texts, made.at[token]))

    at = np.flatnonzero(part)
    yield picked(kind, at, f.hashes(f.start[at], f.stop[at]))
    stem = FIRST_STEM if kind == FIRST else LAST_STEM
    long = np.flatnonzero(part | ((words[f.text] == 1) & (size > 1) & ~own))
    yield picked(stem, long, f.hashes(f.start[long], f.stop[long]))
    last = f.folded[f.stop - 1]
    vowel = np.isin(last, [ord(c) for c in _VOWELS])
    opened = vowel | np.isin(last, [ord(c) for c in _NO_VOWEL])
    open_ = long[opened[long] & (size[long] > _SHORTEST_STEM)]
    yield picked(stem, open_, f.hashes(f.start[open_], f.stop[open_] - 1))
    two = open_[vowel[open_] & np.isin(f.folded[f.stop[open_] - 2], [ord(c) for c in _VOWELS]) & (size[open_] > 4)]
    yield picked(stem, two, f.hashes(f.start[two], f.stop[two] - 2))
    # Marek, Marka; Pawel, Pawla: the last e goes.
    before = f.folded[np.maximum(f.stop - 2, 0)]
    fleeting = long[~vowel[long] & np.isin(before[long], (ord("e"), ord("е"))) & (size[long] >= 4)]
    yield picked(stem, fleeting, _without(f, fleeting, 2))
    # Jonas, Jonui; Janis, Janim; Kalnins, Kalninam; Giorgos, Giorgou.
    sibilant = np.isin(last, (ord("s"), ord("σ")))
    vowelled = np.isin(before, [ord(c) for c in _VOWELS])
    for cut, which in ((2, vowelled), (1, ~vowelled)):
        at = long[sibilant[long] & which[long] & (size[long] - cut >= _SHORTEST_STEM)]
        yield picked(stem, at, f.hashes(f.start[at], f.stop[at] - cut))
    # Matti, Matille.
    third = f.folded[np.maximum(f.stop - 3, 0)]
    double = long[vowel[long] & (size[long] >= 4)]
    double = double[(before[double] == third[double]) & np.isin(before[double], [ord(c) for c in _DOUBLE])]
    yield picked(stem, double, _without(f, double, 2))
    # Virtanen, Virtasen: Finnish names.
    finnish = long[size[long] >= _SHORTEST_FINNISH]
    for i, letter in enumerate("nen", -3):
        finnish = finnish[f.folded[f.stop[finnish] + i] == ord(letter)]
    head = f.raw(f.start[finnish], f.stop[finnish] - 3)
    length = size[finnish] - 3
    s = Folded(["s"], hasher)
    tail = np.repeat(s.raw(s.start, s.stop), len(finnish))
    yield picked(stem, finnish, hasher.final(hasher.joined(head, length, tail), length + 1))
    yield from _other_spellings(kind, values, masks, hasher)
    if kind == FIRST:
        short = nicknames()
        found = [
            (i, nick)
            for i, value in enumerate(values.to_list())
            for word in _WORD.findall(value)
            for nick in short.get(fold(word), ())
        ]
        if found:
            nick = Whole([n for _, n in found], hasher)
            yield _picked(kind, np.array([i for i, _ in found], dtype=np.int64), nick.hashes(), masks)
        for n in (4, 5):
            at = np.flatnonzero(((words[f.text] == 1) | part) & (size > n) & ~own)
            yield picked(SHORT, at, f.hashes(f.start[at], f.start[at] + n))
            yield picked(SHORT, at, f.hashes(f.stop[at] - n, f.stop[at]))


def _without(f: Folded, tokens: Ints, place: int) -> Hashes:
    """The hashes of some tokens without the character at a place, counted from behind."""
    head = f.raw(f.start[tokens], f.stop[tokens] - place)
    tail = f.raw(f.stop[tokens] - place + 1, f.stop[tokens])
    length = f.stop[tokens] - f.start[tokens] - place
    return f.hasher.final(f.hasher.joined(head, length, tail), length + place - 1)


def _word_masks(f: Folded, words: Ints, particle: Flags, masks: pl.Series) -> Masks:
    """The mask of each word: of names of several words, where the mask has several too, the one in its place."""
    count = np.cumsum(~particle)
    place = count - 1 - (count - ~particle)[np.searchsorted(f.text, f.text)]
    has_several = masks.str.contains(r"\pL[\s-]+\S").fill_null(False).to_numpy()
    several = np.flatnonzero((words[f.text] > 1) & has_several[f.text])
    if not len(several):
        return Masks(masks, f.text)
    each = [
        [w for w in _NAMES.findall(mask or "") if fold(w) not in PARTICLES]
        for mask in masks.gather(f.text[several]).to_list()
    ]
    one = [
        names[min(max(n, 0), len(names) - 1)] if names else None
        for names, n in zip(each, place[several].tolist(), strict=True)
    ]
    at = f.text.copy()
    at[several] = len(masks) + np.arange(len(several))
    return Masks(pl.concat([masks, pl.Series(masks.name, one, dtype=pl.String)]), at)


_LONG_VOWELS: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "å": "aa", "ø": "oe"}
)


def _other_spellings(kind: int, values: pl.Series, masks: pl.Series, hasher: Hasher) -> Iterator[Forms]:
    """Mueller for Müller."""
    at = values.str.contains("[äöüÄÖÜåø]").arg_true()
    if len(at):
        texts = [v.translate(_LONG_VOWELS) for v in values.gather(at).to_list()]
        yield _picked(kind, at.to_numpy().astype(np.int64), Whole(texts, hasher).hashes(), masks)


def _particles(f: Folded) -> Flags:
    known = Whole(sorted(PARTICLES), f.hasher).hashes()
    return np.isin(f.hashes(f.start, f.stop), known)


def full_names(
    first: pl.Series, last: pl.Series, first_masks: pl.Series, last_masks: pl.Series, hasher: Hasher
) -> Iterator[Forms]:
    """Names of two parts (Strings without nulls), in either order, with an initial too."""
    given, family = Whole(first, hasher), Whole(last, hasher)
    both = (given.length > 0) & (family.length > 0)

    first_words = first_masks.str.extract(r"^([^\s-]+)")

    def joined(kind: int, raw: Hashes, length: Ints, which: Flags, given_first: bool, made: pl.Series) -> Forms:
        at = np.flatnonzero(which & both)
        if given_first:
            found, cut = hasher.joined(raw[at], length[at], family.raw[at]), length[at]
        else:
            found, cut = hasher.joined(family.raw[at], family.length[at], raw[at]), family.length[at]
        found = hasher.final(found, length[at] + family.length[at])
        return Forms(at, found, kind, Masks(made, at), Masks(last_masks, at), cut)

    every = np.ones(len(first), dtype=np.bool_)
    for forwards, kind in ((True, FIRST_LAST), (False, LAST_FIRST)):
        yield joined(kind, given.raw, given.length, every, forwards, first_masks)
    f = given.folded
    begin = np.searchsorted(f.start, given.start)  # the first token of each
    begin = np.minimum(begin, max(0, len(f.start) - 1))
    if not len(f.start):
        return
    short = f.stop[begin] - given.start
    several = (short < given.length) & (short > 1) & (given.length > 0)
    word = f.raw(given.start, given.start + np.where(several, short, 0))
    for forwards, kind in ((True, FIRST_LAST), (False, LAST_FIRST)):
        yield joined(kind, word, np.where(several, short, 0), several, forwards, first_words)
    one = np.minimum(1, given.length)
    initial = f.raw(given.start, given.start + one)
    lettered = ~f.alone[begin] & (given.length > 0)
    for forwards, kind in ((True, INITIAL_LAST), (False, LAST_INITIAL)):
        yield joined(kind, initial, one, lettered & (family.length > 1), forwards, first_masks)


def _phone_forms(
    values: pl.Series, masks: pl.Series, hasher: Hasher, country: str, mentioned: Callable[[Hashes], Flags]
) -> Iterator[Forms]:
    yield from _with_extensions(values, masks, hasher, country)
    old = parts_of(values, country)
    written = {name: Whole(old[name], hasher) for name in old.columns}
    sizes = {name: old[name].str.len_bytes().to_numpy() for name in old.columns}
    some = []
    for prefix in PREFIXES:
        found, size = _of_phones(prefix, written, sizes, hasher)
        enough = size >= _SHORTEST_PHONE
        if "code" in prefix:
            enough &= sizes["code"] > 0
        at = np.flatnonzero(enough)
        if len(at):
            told = mentioned(found[at])
            some.append((prefix, at[told], found[at[told]]))
    # Their masks are written for those alone that are mentioned: few are.
    rows = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(at for _, at, _ in some)]))
    old, masks = old[rows], masks.gather(rows)
    new = parts_of(masks.fill_null(""), country)
    frame = pl.DataFrame({"mask": masks, "fits": masks.is_not_null() & _are_alike(old, new)}).hstack(new)
    for prefix, at, found in some:
        text = frame.select(pl.when("fits").then(with_prefix(prefix)).otherwise("mask").alias("mask"))["mask"]
        yield Forms(at, found, PHONE, Masks(text, np.searchsorted(rows, at)))


def _with_extensions(values: pl.Series, masks: pl.Series, hasher: Hasher, country: str) -> Iterator[Forms]:
    """Numbers where an extension follows without a space: "5594x709" is one word of a text."""
    at = np.flatnonzero(values.str.contains(EXTENSION).to_numpy())
    if not len(at):
        return
    some, made = values[at], masks.gather(at)
    yield Forms(at, Whole(some, hasher).hashes(), PHONE, Masks(made, np.arange(len(at))))
    old, new = parts_of(some, country), parts_of(made.fill_null(""), country)
    behind, behind_mask = (n.str.extract(f"({EXTENSION})").fill_null("") for n in (some, made))
    fits = _are_alike(old, new) & made.is_not_null()
    frame = new.with_columns(mask=made, fits=fits, behind=behind_mask)
    for prefix in PREFIXES:
        form = old.select(with_prefix(prefix).alias("form"))["form"] + behind
        text = frame.select(mask=pl.when("fits").then(with_prefix(prefix) + pl.col("behind")).otherwise("mask"))["mask"]
        yield Forms(at, Whole(form, hasher).hashes(), PHONE, Masks(text, np.arange(len(at))))


def _are_alike(old: pl.DataFrame, new: pl.DataFrame) -> pl.Series:
    """Whether numbers and their masks have as many digits, with their country's code and without."""
    lengths = [old[name].str.len_bytes() == new[name].str.len_bytes() for name in ("all", "national")]
    return lengths[0] & lengths[1]


def _of_phones(
    prefix: str, written: Mapping[str, Whole], sizes: Mapping[str, Ints], hasher: Hasher
) -> tuple[Hashes, Ints]:
    """The hashes of the numbers that `with_prefix` makes, and how many bytes these have."""
    before, known, behind = split(prefix)
    name = known if known == "all" else "national"
    raw, length, size = written[name].raw, written[name].length, sizes[name].astype(np.int64)

    def behind_text(text: str) -> None:
        nonlocal raw, length, size
        first = Whole([text], hasher)
        count = np.full(len(raw), int(first.length[0]))
        raw, length, size = hasher.joined(first.raw, count, raw), count + length, size + count

    if known == "code":
        behind_text(behind)
        code = written["code"]
        raw, length, size = hasher.joined(code.raw, code.length, raw), code.length + length, size + sizes["code"]
    behind_text(before)
    return hasher.final(raw, length), size


def _street_forms(
    values: pl.Series, masks: pl.Series, hasher: Hasher, mentioned: Callable[[Hashes], Flags]
) -> Iterator[Forms]:
    """Addresses as they are, their streets and numbers in either order, and the streets alone.

    Streets are looked at
    once: most have many addresses in them.
    """
    whole = Whole(values, hasher)
    numbers = values.str.extract(f"({numbered_word()})")
    number = Whole(numbers.fill_null(""), hasher)
    texts = values.str.replace_all(numbered_word(), "0").alias("street")
    once = texts.unique(maintain_order=True)
    street = _places(texts, once)
    roads = [Street.of_address(text) for text in once.to_list()]
    names = _Lists([road.names for road in roads], hasher)
    value, name = names.of(street, np.flatnonzero(numbers.is_not_null().to_numpy()))
    n, m = number.raw[value], number.length[value]
    size = names.whole.length[name] + m
    forwards = hasher.joined(names.whole.raw[name], names.whole.length[name], n)
    backwards = hasher.joined(n, m, names.whole.raw[name])
    found = np.concatenate([whole.hashes(), hasher.final(forwards, size), hasher.final(backwards, size)])
    length = np.concatenate([whole.length, size, size])
    all_values = np.concatenate([np.arange(len(values)), value, value])
    order = np.argsort(all_values, kind="stable")
    order = order[length[order] >= _SHORTEST_STREET]
    yield Forms(all_values[order], found[order], STREET, Masks(masks, all_values[order]))
    alone = _Lists([road.alone for road in roads], hasher)
    value, name = alone.of(street, np.arange(len(values)))
    enough = np.flatnonzero(alone.whole.length[name] >= _SHORTEST_STREET)
    value, made = value[enough], alone.whole.hashes()[name[enough]]
    told = mentioned(made)
    value, made = value[told], made[told]
    if len(value):
        yield Forms(value, made, ROAD, Masks(_without_numbers(masks.gather(value)), np.arange(len(value))))


class _Lists:
    """Several texts of each of some things, one behind the other."""

    def __init__(self, lists: Sequence[Sequence[str]], hasher: Hasher) -> None:
        self.whole = Whole([text for each in lists for text in each], hasher)
        self._count = np.array([len(each) for each in lists], dtype=np.int64)
        self._begin = np.cumsum(self._count) - self._count

    def of(self, thing: Ints, which: Ints) -> tuple[Ints, Ints]:
        """The texts of the things that some values have: values, and places of texts."""
        count, begin = self._count[thing[which]], self._begin[thing[which]]
        at = np.repeat(begin - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
        return np.repeat(which, count), at


def _places(texts: pl.Series, once: pl.Series) -> Ints:
    """Which of the different texts each one is."""
    numbered = once.to_frame("t").with_row_index("n")
    places = texts.to_frame("t").join(numbered, on="t", how="left", maintain_order="left")["n"]
    return places.to_numpy().astype(np.int64)


def _without_numbers(streets: pl.Series) -> pl.Series:
    """Streets without their house numbers and what follows."""
    left = streets.str.replace_all(r"[\s,]*\b\S*\d\S*", "").str.strip_chars(" ,")
    return left.replace("", None).fill_null(streets)


def ordinals(days: pl.Series) -> Ints:
    """Days (Date, no nulls) by number."""
    return days.cast(pl.Int32).to_numpy().astype(np.int64)


def day_hashes(days: Ints, hasher: Hasher) -> Hashes:
    return hasher.of_number(days + 1_000_000)


def to_date(day: int) -> date:
    return date.fromordinal(day + date(1970, 1, 1).toordinal())
