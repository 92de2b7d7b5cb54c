"""Whether the internet addresses of a column are somebody's, and whether its values are releases of software."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.matching.internet_addresses import routable
from piiscan.scanning.classify.profile import Profile

ROUTED: Final = 0.02
"""Share of routable addresses from which a column's are somebody's."""
_RELEASE: Final = lazy_pattern(r"(?:[~^<>=v ]{0,3}\d{1,4}(?:\.\d{1,6}){2}[-+.0-9A-Za-z]*|[~^]\d{1,4}(?:\.\d{1,4})?)")


def nobodys(p: Profile) -> bool:
    """Whether hardly any address of a column is routed."""
    cells = 0
    for text, count in zip(p.texts, p.counts, strict=True):
        cells += count if routable(text) else 0
        if cells / p.total >= ROUTED:
            return False  # it won't be fewer
    return True


def releases(texts: Iterable[str]) -> bool:
    """Whether all of some texts are releases of software, or ranges of them.

    >>> releases(["^4.0.0", ">=1.2.3-rc.1"]), releases(["1234"]), releases(["4.0.0", "hunter2"]), releases([])
    (True, False, False, False)
    """
    found = [_RELEASE.fullmatch(text) is not None for text in texts]
    return bool(found) and all(found)
