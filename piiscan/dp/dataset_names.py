"""Names of datasets: what a person takes for one name is one budget.

A new name is kept in its normal form: Unicode NFKC, case-folded, spaces stripped and collapsed, invisible characters
removed. A name that a ledger has in another form, from before, stays as it is and is found by that exact spelling only;
no two accounts are ever merged.
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
    """The form in which a new name is kept. Raises `UsageError` for a name of nothing, or with characters that can't be
    shown.

    >>> normalised(" Ｄata  Set"), normalised("D") == normalised("d ")
    ('data set', True)
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    text = " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())
    if not text:
        raise UsageError("the dataset has no name; give it one with --dataset NAME")
    if not text.isprintable():
        raise UsageError(
            "the dataset's name has characters that can't be shown; choose another one with --dataset NAME"
        )
    return text


def looks(name: str) -> str:
    """Equal for names that look alike: letters of other scripts as the Latin ones they resemble, all dashes as one."""
    return re.sub(
        r"\W", lambda m: "-" if unicodedata.category(m[0]) == "Pd" else m[0], normalised(name).translate(_LOOKALIKES)
    )


def resolve(name: str, known: Collection[str]) -> str:
    """The name that a ledger with the names `known` keeps a dataset under: the very name, else its normal form.

    Raises `UsageError` for a new name that can't be told from a known one.
    """
    if name in known:
        return name
    normal = normalised(name)
    if normal in known:
        return normal
    alike = sorted(k for k in known if k.strip() and looks(k) == looks(normal))
    if alike:
        raise UsageError(
            f"dataset {normal}: it can't be told from {alike[0]!r}, which has an account in this ledger; type "
            "that name exactly, or choose another"
        )
    return normal
