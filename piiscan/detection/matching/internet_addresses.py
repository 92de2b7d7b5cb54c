"""Whether internet addresses can be somebody's: only such as are routed can be, and version numbers look like them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from piiscan.core.caches import of_words
from piiscan.core.lazy_pattern import lazy_pattern

_SMALL: Final = 64
"""Below this are the parts of version numbers; three in four parts of addresses are not."""
_ADDRESS: Final = lazy_pattern(
    r"(?P<release>\b(?i:version|ver|release|build|firmware)[ .:=]{1,3})?"
    r"(?<![\w.])(?P<address>\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f.]{0,15}){2,7})(?![\w])"
)


@of_words(4096)
def routable(text: str) -> bool:
    """Whether a text is an address that the internet routes: not private, local, of documentation or of many.

    >>> routable("10.1.2.3"), routable("192.0.2.7"), routable("8.8.8.8"), routable("fe80::1%eth0"), routable("x")
    (False, False, True, False, False)
    """
    from ipaddress import ip_address

    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return found.is_global and not found.is_multicast


def any_routable(texts: Iterable[str]) -> bool:
    """Whether an address that is routed, and is no version by the word before it, stands anywhere in some texts.

    >>> any_routable(["from 8.8.8.8"]), any_routable(["starting version 1.2.3.4"]), any_routable(["on 127.0.0.1:80"])
    (True, False, False)
    """
    return any(
        routable(found["address"]) and not (found["release"] and versions([found["address"]]))
        for text in texts
        for found in _ADDRESS.finditer(text)
    )


def versions(texts: Iterable[str]) -> bool:
    """Whether all of some texts are four small numbers with dots between them.

    >>> versions(["1.2.3.4", "2.0.11.0"]), versions(["1.2.3.4", "1.2.3.200"]), versions([])
    (True, False, False)
    """
    parts = [text.split(".") for text in texts]
    return bool(parts) and all(len(four) == 4 and all(n.isdigit() and int(n) < _SMALL for n in four) for four in parts)
