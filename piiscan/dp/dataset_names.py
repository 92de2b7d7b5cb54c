"""Names of datasets: names that a person would take for the same one share a budget.

A new name is stored in its normal form: Unicode NFKC, case-folded, spaces stripped and collapsed, invisible characters
removed. A name that an older ledger contains in another form stays as it is, and only that exact spelling finds it;
two accounts are never merged.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from piiscan.core.errors import UsageError

# Letters that look like a Latin one, after case folding.
_LOOKALIKES: Final = str.maketrans("аеорсухіјѕԁһӏԛԝкмтвнгɑɡıοανρυκιχτηβѵ", "aeopcyxijsdhlqwkmtbhragioavpukixtnbv")


def normalised(name: str) -> str:
    """Return the normal form in which a new name is stored.

    Raises `UsageError` for an empty name, or one with characters that can't be displayed.

    >>> normalised(" Ｄata  Set"), normalised("D") == normalised("d ")
    ('data set', True)
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    text = " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())
    if not text:
        raise UsageError("the dataset's name is empty; give it one with --dataset NAME")
    if not text.isprintable():
        raise UsageError(
            "the dataset's name has characters that can't be displayed; choose another one with --dataset NAME"
        )
    return text


def looks(name: str) -> str:
    """Return a key that is equal for names that look alike.

    Letters of other scripts become the Latin letters they resemble, and all dashes become one.
    """
    return re.sub(
        r"\W", lambda m: "-" if unicodedata.category(m[0]) == "Pd" else m[0], normalised(name).translate(_LOOKALIKES)
    )


def resolve(name: str, known: Collection[str]) -> str:
    """Return the name under which a ledger with the names `known` keeps a dataset.

    It is that exact name, or its normal form.

    Raises `UsageError` for a new name that looks like a known one.
    """
    if name in known:
        return name
    normal = normalised(name)
    if normal in known:
        return normal
    alike = sorted(k for k in known if k.strip() and looks(k) == looks(normal))
    if alike:
        raise UsageError(
            f"dataset {normal}: the name looks like {alike[0]!r}, which has an account in this ledger; type that "
            "name exactly, or choose another"
        )
    return normal
