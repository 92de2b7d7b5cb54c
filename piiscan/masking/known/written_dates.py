"""Dates in texts, whatever order and language they are written in: 13.05.1962, May 13, 1962, 13 мая 1962 г."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np

from piiscan.core.header_words import fold
from piiscan.masking.known.fingerprint_index import FingerprintIndex
from piiscan.masking.known.folded_text import Folded, Hasher, Hashes, Ints

_MONTHS: Final = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
january february march april may june july august sept october november december
januar februar märz april mai juni juli august september oktober november dezember
jänner feber mär apr mai jun jul aug sep okt nov dez
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janv févr mars avr mai juin juil août sept oct nov déc
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago sep oct nov dic
enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago set ott nov dic
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
jan fev mar abr mai jun jul ago set out nov dez
januari februari maart april mei juni juli augustus september oktober november december
jan feb mrt apr mei jun jul aug sep okt nov dec
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
ledna února března dubna května června července srpna září října listopadu prosince
leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
янв фев мар апр май июн июл авг сен окт ноя дек
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta \
heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
január február március április május június július augusztus szeptember október november december
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca
"""
_PARTICLES: Final = "de del of the st nd rd th og d den am г год года р 年 月 日 년 월 일 an y e".split()
_GAP: Final = 9
"""Characters that may stand between two parts of a date, at most."""
_YEARS: Final = (1880, 2035)


class Month(NamedTuple):
    """A month by its number, in a language."""

    language: int
    number: int


@cache
def _rows() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in _MONTHS.strip().splitlines())


@cache
def months() -> dict[str, Month]:
    """Month, folded → which row of the list it is in, and its number."""
    found: dict[str, Month] = {}
    for language, row in enumerate(_rows()):
        for number, name in enumerate(row, 1):
            found.setdefault(fold(name), Month(language, number))
    return found


def written(name: str, number: int) -> str | None:
    """The name of another month in the language and form of `name`."""
    known = months().get(fold(name))
    return None if known is None else _rows()[known.language][number - 1]


class Dates(NamedTuple):
    """Runs of tokens that can be read as a date: the first and the last token, and the day."""

    first: Ints
    last: Ints
    day: Ints


class DateReader:
    """Finds dates among tokens of one run."""

    def __init__(self, hasher: Hasher) -> None:
        self._hasher = hasher
        months_ = months()
        texts = [*months_, *(fold(p) for p in _PARTICLES)]
        numbers = [m.number for m in months_.values()] + [0] * len(_PARTICLES)
        f = Folded(texts, hasher)
        hashes = f.hashes(f.begins[:-1], f.begins[1:])
        order = np.argsort(hashes)
        self._hashes: Hashes = hashes[order]
        self._index = FingerprintIndex([self._hashes])
        self._numbers = np.array(numbers, dtype=np.int64)[order]

    def find(self, f: Folded) -> Dates:
        """All readings of three tokens near each other as a day; one run of tokens may have several."""
        size = f.stop - f.start
        ordinal = self._ordinals(f, size)  # 13th
        size[ordinal] -= 2
        digits = f.digits.copy()
        digits[ordinal] = True
        digits &= size <= 4
        # A day has two numbers at least: words of other texts aren't looked up.
        at = np.flatnonzero(np.bincount(f.text[digits], minlength=len(f.first))[f.text] > 1)
        hashes = f.hashes(f.start[at], f.stop[at])
        known = self._index.has(hashes)
        at, hashes = at[known], hashes[known]
        word = np.zeros(len(size), dtype=np.bool_)
        word[at] = True
        month = np.zeros(len(size), dtype=np.int64)
        month[at] = self._numbers[np.searchsorted(self._hashes, hashes)]
        keep = np.flatnonzero(digits | (month > 0))
        compact = self._compact(f, np.flatnonzero(f.digits & (size == 8)))
        if len(keep) < 3:
            return compact
        value = self._values(f, keep, size[keep])
        value = np.where(month[keep] > 0, month[keep], value)
        named, length = month[keep] > 0, size[keep]
        near = (f.text[keep[1:]] == f.text[keep[:-1]]) & (f.begin_at[keep[1:]] - f.end_at[keep[:-1]] < _GAP)
        # Between two parts stand separators and particles only.
        plain = np.cumsum(~(word & (month == 0)))
        near &= plain[keep[1:]] - plain[keep[:-1]] <= 1
        three = np.flatnonzero(near[1:] & near[:-1])
        out: list[tuple[Ints, Ints]] = []
        a, b, c = three, three + 1, three + 2
        for y, m, d in ((a, b, c), (c, b, a), (c, a, b)):
            year, short = value[y], (length[y] <= 2)
            ok = ~named[y] & ~named[d] & ((length[y] == 4) | short) & (length[m] <= 2) | (
                ~named[y] & ~named[d] & named[m] & ((length[y] == 4) | short)
            )
            ok &= (length[d] <= 2) & (value[m] >= 1) & (value[m] <= 12) & (value[d] >= 1) & (value[d] <= 31)
            if y is a:
                ok &= length[y] == 4
            for century in (0, 1900, 2000):
                full = year + century
                right = ok & (short if century else ~short) & (full >= _YEARS[0]) & (full <= _YEARS[1])
                chosen = np.flatnonzero(right)
                out.append((three[chosen], _day_numbers(full[chosen], value[m][chosen], value[d][chosen])))
        at = np.concatenate([t for t, _ in out])
        days = np.concatenate([d for _, d in out])
        apart = Dates(keep[at], keep[at + 2], days)
        return Dates(*(np.concatenate(both) for both in zip(apart, compact, strict=True)))

    def _compact(self, f: Folded, tokens: Ints) -> Dates:
        """20240131, and 31012024."""
        digits = [f.folded[f.start[tokens] + i].astype(np.int64) - 48 for i in range(8)]

        def number(*places: int) -> Ints:
            out = np.zeros(len(tokens), dtype=np.int64)
            for i in places:
                out = out * 10 + digits[i]
            return out

        out = []
        for year, month, day in (
            (number(0, 1, 2, 3), number(4, 5), number(6, 7)),
            (number(4, 5, 6, 7), number(2, 3), number(0, 1)),
            (number(4, 5, 6, 7), number(0, 1), number(2, 3)),
        ):
            ok = (year >= _YEARS[0]) & (year <= _YEARS[1]) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
            at = np.flatnonzero(ok)
            out.append((tokens[at], _day_numbers(year[at], month[at], day[at])))
        token = np.concatenate([t for t, _ in out])
        return Dates(token, token, np.concatenate([d for _, d in out]))

    def _ordinals(self, f: Folded, size: Ints) -> Ints:
        """Which tokens are numbers with an ending: 1st, 2nd, 3rd, 13th."""
        has = np.flatnonzero((size >= 3) & (size <= 4) & (f.token_digits == size - 2))
        ends = f.folded[f.stop[has] - 2].astype(np.int64) << 16 | f.folded[f.stop[has] - 1]
        return has[np.isin(ends, [ord(a) << 16 | ord(b) for a, b in ("st", "nd", "rd", "th")])]

    def _values(self, f: Folded, keep: Ints, size: Ints) -> Ints:
        value = np.zeros(len(keep), dtype=np.int64)
        for i in range(4):
            there = i < size
            at = np.minimum(f.start[keep] + i, len(f.folded) - 1)
            value = np.where(there, value * 10 + f.folded[at].astype(np.int64) - 48, value)
        return value


def _day_numbers(year: Ints, month: Ints, day: Ints) -> Ints:
    months_ = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    out: Ints = months_.astype("datetime64[D]").astype(np.int64) + day - 1
    return out
