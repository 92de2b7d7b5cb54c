"""Whether the first row of a table names its columns.

A header-less file taken for one with a header would lose its first row unseen, so a doubtful row counts as data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import islice, pairwise, zip_longest
from math import inf
from operator import itemgetter

from piiscan.core import shapes
from piiscan.core.caches import of_words
from piiscan.core.header_words import tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.cells.attribute_names import is_form
from piiscan.io.cells.cell_kinds import kind
from piiscan.io.delimited.whole_values import is_listed, is_named
from piiscan.io.printed_names import evident

_LOOKED_AT = 200
_COMPARED = 20
_PERSONS = 2
_PAIR = 4
"""Twice as many cells as a label and its value."""
_ADDRESS = re.compile(
    r"[\w.+-]+(?: ?[\[({<-] ?(?:at|@|ät|arroba) ?[\])}>-] ?|&commat;|&#(?:64|x40);|%40)\w[\w-]* ?[\[({<.&-]",
    re.IGNORECASE,
)
"""An address of mail whose signs are in brackets or dashes, or encoded."""
_KEY = re.compile(r"[\"'{(\[]?[^\W\d][\w.-]{0,40}[\"']?\s?(?:=>?|:(?!//))\s?(?=\S)")
_LONG_NUMBER = 5
"""Digits in a word; a year has four."""
_SENTENCE = re.compile(r".{15,}\w[.!]|.*\w[,;!] \w.*\w[.!?]", re.DOTALL)
_PLAIN = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_DIGIT = re.compile(r"\d")
_YEAR = lazy_pattern(r"(?:1[5-9]|20)\d\d(?:\.0)?")
_NAME = lazy_pattern(
    r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Za-z0-9]+(?:\.[A-Za-z0-9_]+)+"
)

# Words that head columns far more often than they fill them, in the folded form of `tokens`.
WORDS = frozenset(
    """
    id ids uid uuid guid key code codes nr num no number numero nummer numer index idx row rank seq rownum pk sku
    name names nom nome nombre vorname nachname prenom cognome apellido imie nazwisko surname firstname lastname
    fullname
    nachnamen vornamen sobrenome naam achternaam voornaam title titel titre titolo
    first last middle maiden full user username login nick
    email mail phone tel telephone telefon telefono telefone mobile cell fax contact kontakt
    address addr adresse direccion indirizzo endereco adres street strasse rue via calle ulica line
    city town ville stadt ciudad citta cidade miasto ort region state province county district land pays pais country
    kraj paese
    zip zipcode postal postcode plz cap cep lat latitude lon lng long longitude geo location place
    date data datum fecha day month year time timestamp hour created updated modified start end begin birth born
    birthdate birthday dob
    geburtsdatum naissance nascimento nascita nacimiento urodzenia anno ano jahr mes mois monat
    age alter edad eta gender sex geschlecht sexo sexe sesso race ethnicity religion nationality marital status
    type typ tipo kind category class group level label tag tags flag value values amount total count sum avg mean min
    max score
    price cost fee salary income wage pay rate percent pct quantity qty balance currency unit units size weight height
    width length
    description desc comment comments note notes text message content subject summary details remark remarks url link
    website site web
    company organization organisation org firm employer department dept team job occupation position role profession
    school education degree major grade product item order orders customer client account acct invoice transaction
    payment card
    ssn iban bic swift passport licence license plate vin ip mac host device version source target parent child
    file files filename path folder checksum hash digest md5 sha sha1 sha256 sha512
    active enabled deleted language lang locale color colour model brand make station event action result results
    agency bureau office division unit area sector field
    is has was of per by
    """.split()
)


def infer_header(rows: Sequence[Sequence[str]], complete: bool) -> bool:
    """Whether the first of `rows` is a header, which a form has not; `complete`: they are the whole table."""
    return header_votes(rows) > 0 and not is_headless(rows)


def is_headless(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are those of a form: labels with values beside them, and no first row that names any column.

    A name of a column over numbers, dates, codes or addresses makes a header of the first row: below labels are others.
    So do more than half of its cells, where these are more than a label and its value.

    >>> is_headless([["TIN", "Name", "Grade."], ["80142472769", "Tin", "2.04"], ["93442053442", "City", "1.50"]])
    False
    >>> is_headless([["Name", "Ann Lee"], ["Telephone", "555 0100"], ["City", "Bath"]])
    True
    """
    if not is_form(rows):
        return False
    at = next(i for i, row in enumerate(rows) if sum(map(bool, map(str.strip, row))) > 1)
    columns = _columns(rows[at], rows[at + 1 :])
    named = [c for c in columns if c.name and _wording(c) > 0]
    filled = sum(c.name != "" for c in columns)
    return 2 * len(named) <= max(filled, _PAIR) and not any(len(c.some) > 1 and c.differs for c in named)


def header_votes(rows: Sequence[Sequence[str]], distinct: bool = True) -> float:
    """The evidence for the first of `rows` being a header (positive) or against it.

    Minus infinity where it can't be one. Names are usually `distinct`.
    """
    if not rows or not any(cell.strip() for cell in rows[0]):
        return -inf
    first, body = rows[0], rows[1:]
    columns = _columns(first, body)
    if not _could_name(columns) or (not body and any(_tells_a_number(column.name) for column in columns)):
        return -inf
    votes = sum(map(_vote, columns))
    repeated = sum(count - 1 for name, count in Counter(column.name for column in columns).items() if name)
    votes -= 0.5 * repeated * distinct + (0 if body else 0.5 * sum(column.look != "" for column in columns))
    return max(votes, 1.0) if votes <= 0 and _are_persons_over_words(columns) else votes


def _columns(first: Sequence[str], body: Sequence[Sequence[str]]) -> list[_Column]:
    """The columns of which the `first` row has a cell."""
    top = list(zip_longest(*body[:_LOOKED_AT], fillvalue=""))
    return [_Column(cell.strip(), i, body, top[i] if i < len(top) else ()) for i, cell in enumerate(first)]


def common_kind(cells: Sequence[str]) -> str:
    """What most of some cells look like, "mixed" where they differ; of empty cells ""."""
    some = list(islice(filter(None, cells), _LOOKED_AT))
    if not some:
        return ""
    looks: Counter[str] = Counter()
    # Which digit of ASCII it is matters to no kind, and with nines the cells become few.
    for cell, count in Counter(shapes.of_each(some, shapes.with_nines)).items():
        looks[_kind_of_form(cell)] += count
    common, count = looks.most_common(1)[0]
    return common if count >= 0.8 * looks.total() else "mixed"


_kind_of_form = of_words(1 << 14)(kind)


class _Column:
    """A column as its first cell (`name`, of kind `look`) and its other cells (`common`, their usual kind).

    `values`: those that hold something, without white space around; `some`: the first of them. `body`: the rows below
    the first one; `top`: the column's cells in the first of these, of all if they don't fill `some`.
    """

    def __init__(self, name: str, at: int, body: Sequence[Sequence[str]], top: Sequence[str]) -> None:
        self.name, self.look, self._at, self._body = name, kind(name), at, body
        self.some = list(filter(None, map(str.strip, top)))
        if len(self.some) < _LOOKED_AT < len(body):
            self.some = self.values[:_LOOKED_AT]
        self.common = common_kind(self.some)

    @cached_property
    def values(self) -> list[str]:
        at = self._at
        try:
            cells = list(map(itemgetter(at), self._body))
        except IndexError:
            cells = [row[at] for row in self._body if at < len(row)]
        return list(filter(None, map(str.strip, cells)))

    @property
    def differs(self) -> bool:
        """Whether the first cell is words (or a web name) over values of another, plain type."""
        plain_kinds = ("number", "date", "email", "url", "code")
        return (self.look == "text" and self.common in plain_kinds) or (
            self.look == "url" and self.common not in ("", "url", "mixed")
        )


def _could_name(columns: Sequence[_Column]) -> bool:
    """Names of columns hold no addresses, dates or amounts; years and small numbers only beside words."""
    looks = [column.look for column in columns]
    different = sum(column.differs for column in columns)
    if "email" in looks or ("url" in looks and looks.count("url") >= 2 * different):
        return False
    if any(" " in column.name and evident(column.name, None, persons=False) for column in columns):
        return False  # words around an identifier are a sentence
    if any(_is_pair(column) or _ADDRESS.match(column.name) for column in columns):
        return False
    numbers = [column.name for column in columns if column.look in ("number", "date")]
    if not numbers:
        return True
    if "text" not in looks or len(set(numbers)) < len(numbers):
        return False
    if _are_periods(numbers, len(columns)):
        return True
    # Article numbers as columns, among many words over numbers.
    return different >= max(3, len(numbers)) and all(number.isdigit() for number in numbers)


def _is_pair(column: _Column) -> bool:
    """Whether the first cell is a key and its value, as the cells below it are."""
    found = _KEY.match(column.name)
    some = column.some[:_COMPARED]
    return found is not None and 0 < 0.8 * len(some) <= sum(cell.startswith(found[0]) for cell in some)


def _are_persons_over_words(columns: Sequence[_Column]) -> bool:
    """Whether some first cells are persons' full names and no cell below them is of two words: a column a person."""
    named = [column for column in columns if " " in column.name]
    if len(named) < _PERSONS or any(
        not column.some or any(" " in cell for cell in column.some[:_COMPARED]) for column in named
    ):
        return False
    from piiscan.detection.text.persons_in_headers import of_persons

    return bool(of_persons([column.name for column in columns]))


def _tells_a_number(name: str) -> bool:
    """Whether words stand beside a date or a long number: above no rows, that is somebody's data sooner than a name."""
    words = name.split()
    return len(words) > 1 and any(
        kind(word) == "date" or sum(map(str.isdecimal, word)) >= _LONG_NUMBER for word in words
    )


def _are_periods(numbers: Sequence[str], width: int) -> bool:
    """Whether columns are named by years, by periods (1/22/20, 1/23/20, …) or counted (1, 2, 3, …).

    Several names of one form, in order. `width`: how many columns there are.
    """
    if len(numbers) > 1 and all(_YEAR.fullmatch(number) for number in numbers):
        return True
    if len(numbers) < 3 or len({re.sub(r"\d+", "9", number) for number in numbers}) > 1:
        return False
    if all(number.isdigit() for number in numbers):
        return all(int(b) - int(a) == 1 for a, b in pairwise(numbers))
    return len(numbers) * 2 > width and all(kind(number) == "date" for number in numbers)


def _wording(column: _Column) -> float:
    """How far the words of a cell are those of a name of a column, and not of the cells below it."""
    name, words = column.name, tokens(column.name)
    if (
        _SENTENCE.fullmatch(name)
        or name.startswith("--")
        or (len(name) > 40 and not re.search(r"[\s_.]", name))
        or (name[0].isdigit() and _begin_with_digits(column.some))
    ):
        return 0.0
    few = column.some[:_COMPARED]
    if is_listed([name, *few]):
        return 0.0
    if any(word in WORDS for word in words):
        return 0.7 if len(words) <= 6 else 0.2
    if len(words) <= 6 and column.look != "code" and is_named(name) and not _are_named(few):
        return 0.7
    return 0.4 if _NAME.fullmatch(name) and sum(_NAME.fullmatch(v) is not None for v in few) <= 0.2 * len(few) else 0.0


def _are_named(values: Sequence[str]) -> bool:
    """Whether words below a cell name rules too, as brands of cards do."""
    texts = [value for value in values if len(value) <= 100 and _PLAIN.fullmatch(value)]
    return sum(map(is_named, texts)) > 0.25 * len(texts)


def _begin_with_digits(values: Sequence[str]) -> bool:
    few = [value for value in values[:_COMPARED] if kind(value) in ("text", "code")]
    return len(few) == len(values[:_COMPARED]) and 2 * sum(value[0].isdigit() for value in few) >= len(few)


def _vote(column: _Column) -> float:
    """For (positive) or against one cell being the name of its column."""
    name, look = column.name, column.look
    if not name:
        return 0.0
    if look == "flag" or len(name) > 200:
        return -0.5
    vote = _wording(column)
    if look == "code" and column.common == "code":
        vote -= 0.7
    if not column.some:
        return vote
    if column.differs:
        return vote + 1.0
    values = column.values
    if name in values:
        return -1.0
    if look == "text" and column.common == "text":
        lengths = list(map(len, values))
        if len(values) >= 5 and len(name) < min(lengths):
            vote += 0.5
        elif len(name) > 40 and len(name) > max(lengths) / 4:
            vote -= 0.5
        elif len(values) >= 5 and len(name) > max(lengths):
            vote += 0.5
        if len(values) >= 20 and len(set(values)) <= len(values) / 10:
            vote += 0.5
    return vote
