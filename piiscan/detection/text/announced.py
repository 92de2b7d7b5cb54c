"""What words or notations announce in a text, one finder for each kind, in the order in which the first one counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from piiscan.detection.text import (
    announced_secrets,
    birth_dates,
    letters,
    names_in_notations,
    numbers_by_label,
    query_values,
    rows_without_keys,
    street_addresses,
    unusual_addresses,
    user_names,
)
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import RuleSet

Find = Callable[[str, RuleSet], Iterator[Span]]
_ANYWHERE: Final[tuple[Find, ...]] = (announced_secrets.secrets,)
_WITH_DIGITS: Final[tuple[Find, ...]] = (
    birth_dates.births,
    street_addresses.addresses,
    numbers_by_label.numbers_by_label,
)
_OF_SYSTEMS: Final[tuple[Find, ...]] = (
    user_names.user_names,
    query_values.query_values,
    query_values.pair_values,
    unusual_addresses.unusual_addresses,
    names_in_notations.names_in_notations,
    rows_without_keys.names_in_rows,
    letters.names_in_letters,
)
MAY: Final = (
    f"{announced_secrets.MAY}|{user_names.MAY}|{unusual_addresses.MAY}",
    query_values.MAY,
    f"{names_in_notations.MAY}|{rows_without_keys.MAY}|{letters.MAY}",
)
"""What a text has that announces something without two digits in it, one of these: in one they would take ten times as
long to look for.
"""
RULES: Final = (
    birth_dates.RULE,
    street_addresses.RULE,
    numbers_by_label.RECORD,
    numbers_by_label.ACCOUNT,
    announced_secrets.PASSWORD,
    announced_secrets.KEY,
    user_names.RULE,
    *query_values.RULES,
    unusual_addresses.RULE,
)


def finders(text: str, *, addresses: bool = True) -> tuple[Find, ...]:
    """What a text is to be looked at with."""
    with_digits = _WITH_DIGITS if any(map(str.isdigit, text)) else ()
    found = (*_ANYWHERE, *with_digits, *_OF_SYSTEMS)
    return found if addresses else tuple(find for find in found if find is not street_addresses.addresses)
