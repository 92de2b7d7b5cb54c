"""Italian fiscal code (codice fiscale), issued by the Agenzia delle Entrate.

Surname, given name, year, month letter, day (40 higher for women), municipality, check letter. Characters in odd places
count by a table, those in even places by their order; the sum modulo 26 is the check letter. To tell homonyms apart,
digits turn into letters (L M N P Q R S T U V for 0 … 9).
https://www.agenziaentrate.gov.it/portale/web/guest/schede/istanze/richiesta-ts_cf/informazioni-codificazione-pf

>>> from piiscan.rules.checks import is_valid
>>> is_valid("it_fiscal_code", "RSSMRA80A01H501U"), is_valid("it_fiscal_code", "RSSMRA80A01H501V")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, is_date, number

LENGTHS = (16,)
# Decree of 23 December 1976, article 11: the values of 0–9 and A–J, then K–Z, in odd places.
_ODD = np.array([1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23])
_MONTHS = b"ABCDEHLMPRST"
_LETTERS_FOR_DIGITS = b"LMNPQRSTUV"
_DIGIT_PLACES = (6, 7, 9, 10, 12, 13, 14)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    plain = v.copy()
    for digit, letter in enumerate(_LETTERS_FOR_DIGITS):
        plain[chars == letter] = digit
    places = np.isin(np.arange(16), _DIGIT_PLACES)
    shape = ((plain[:, places] >= 0) & (plain[:, places] <= 9)).all(axis=1)
    letters = (chars >= 65) & (chars <= 90)
    shape &= letters[:, ~places].all(axis=1)
    month = np.zeros(len(v), dtype=np.int64)
    for i, letter in enumerate(_MONTHS):
        month[chars[:, 8] == letter] = i + 1
    day = number(plain, 9, 11)
    # The century isn't in the code: 29 February counts in every fourth year.
    date = is_date(2000 + number(plain, 6, 8), month, np.where(day > 40, day - 40, day))
    order = np.where(letters, v - 10, v)
    odd = np.take(_ODD, order[:, 0:15:2], mode="clip").sum(axis=1)
    return np.asarray(shape & date & ((odd + order[:, 1:15:2].sum(axis=1)) % 26 == order[:, 15]))
