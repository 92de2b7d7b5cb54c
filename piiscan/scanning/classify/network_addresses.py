"""Whether the internet addresses of a column are somebody's, and whether its values are releases of software."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.matching.internet_addresses import any_routable, routable
from piiscan.scanning.classify.profile import Profile

_NUMBER: Final = 8
"""Digits that nearly all routed addresses have, as numbers."""
ROUTED: Final = 0.02
"""Share of routable addresses from which a column's are somebody's."""
_RELEASE: Final = lazy_pattern(r"(?:[~^<>=v ]{0,3}\d{1,4}(?:\.\d{1,6}){2}[-+.0-9A-Za-z]*|[~^]\d{1,4}(?:\.\d{1,4})?)")


def nobodys(p: Profile) -> bool:
    """Whether hardly any address of a column is routed."""
    cells = 0
    for text, count in zip(p.texts, p.counts, strict=True):
        cells += count if _holds_routable(text) else 0
        if cells / p.total >= ROUTED:
            return False  # it won't be fewer
    return True


def _holds_routable(text: str) -> bool:
    """Whether a cell holds an address that is routed, with a port, in a list, defused (`8[.]8[.]8[.]8`) or as a number.

    >>> [_holds_routable(text) for text in ("8.8.8.8:443", "10.0.0.1, 8.8.4.4", "8[.]8[.]8[.]8", "134744072")]
    [True, True, True, True]
    """
    from ipaddress import IPv4Address

    if text.isascii() and text.isdigit() and len(text) <= _NUMBER + 2 and int(text) < 1 << 32:
        return len(text) >= _NUMBER and routable(str(IPv4Address(int(text))))
    return routable(text) or any_routable([text.replace("[.]", ".")])


def releases(texts: Iterable[str]) -> bool:
    """Whether all of some texts are releases of software, or ranges of them.

    >>> releases(["^4.0.0", ">=1.2.3-rc.1"]), releases(["1234"]), releases(["4.0.0", "hunter2"]), releases([])
    (True, False, False, False)
    """
    found = [_RELEASE.fullmatch(text) is not None for text in texts]
    return bool(found) and all(found)
