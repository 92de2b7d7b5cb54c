"""Tests of single values: whether one lies in a known set, at some domains, or in a network.

The same pattern serves Python and polars. It is ASCII, regards no case, and is held to a whole value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern

LOCAL_PART: Final = r"[0-9A-Za-z_.+'&/=~^%-]+"
"""What may stand before the @ of an e-mail address."""
_LABELS: Final = r"(?:[0-9A-Za-z-]+\.)*"
_BEHIND_HOST: Final = r"(?::[0-9]+)?(?:[/?#][!-~]*)?"
_HOSTNAME: Final = lazy_pattern(
    r"(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])"
)


@dataclass(frozen=True)
class ValueTest:
    """`pattern`: what a value must be once what `removed` finds in it is taken away.

    `values`: what it may be instead, in capitals; Python finds many of them sooner than it compiles a pattern.
    `networks`: IPv6 networks that it may lie in instead, which no pattern can tell.
    """

    pattern: str
    removed: str | None = None
    values: frozenset[str] = frozenset()
    networks: tuple[IPv6Network, ...] = ()

    @cached_property
    def regex(self) -> str:
        """A pattern of all that passes, but for `networks`."""
        return any_of([*sorted(map(re.escape, self.values)), *([self.pattern] if self.pattern else [])])

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
        flags = re.ASCII | re.IGNORECASE
        return re.compile(self.pattern, flags), None if self.removed is None else re.compile(self.removed, flags)

    def passes(self, value: str) -> bool:
        """Whether a value without white space around it passes."""
        pattern, removed = self._compiled
        text = value if removed is None else removed.sub("", value)
        if text.isascii() and text.upper() in self.values:
            return True
        return (self.pattern != "" and pattern.fullmatch(text) is not None) or self.in_network(value)

    def in_network(self, value: str) -> bool:
        """Whether a value is an address in one of `networks`."""
        if not self.networks or ":" not in value:
            return False
        try:
            address = ip_address(value.partition("%")[0])
        except ValueError:
            return False
        return any(address in network for network in self.networks)


def any_of(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def at_domain(domain: str) -> dict[str, ValueTest]:
    """Tests, by entity, for e-mail addresses and web pages at a domain or below it.

    Raises ValueError for what is no domain name.

    >>> tests = at_domain("corp.example.com")
    >>> [tests["EMAIL_ADDRESS"].passes(f"jane@{d}") for d in ("a.CORP.example.com", "example.com", "xcorp.example.com")]
    [True, False, False]
    """
    name = domain.lower()
    if _HOSTNAME.fullmatch(name) is None:
        raise ValueError("must be a domain name such as corp.example.com")
    return at_domains(re.escape(name))


def at_domains(domains: str) -> dict[str, ValueTest]:
    """The same for domains that a pattern finds."""
    host = f"{_LABELS}{any_of([domains])}"
    return {
        "EMAIL_ADDRESS": ValueTest(f"{LOCAL_PART}@{host}"),
        "URL": ValueTest(f"(?:[a-z]+://)?{host}{_BEHIND_HOST}"),
    }


def in_network(network: str) -> dict[str, ValueTest]:
    """Tests, by entity, for addresses in a network, written as 10.0.0.0/8 or 2001:db8::/32.

    Raises ValueError for what is none.

    >>> test = in_network("192.0.2.128/25")["IP_ADDRESS"]
    >>> test.passes("192.0.2.200"), test.passes("::ffff:192.0.2.200"), test.passes("192.0.2.1")
    (True, True, False)
    >>> in_network("2001:db8::/32")["IP_ADDRESS"].passes("2001:0DB8:0:0::7%eth0")
    True
    """
    try:
        found = ip_network(network)
    except ValueError:
        raise ValueError("must be a network such as 10.0.0.0/8 or 2001:db8::/32, its host bits 0") from None
    if isinstance(found, IPv6Network):
        return {"IP_ADDRESS": ValueTest("", networks=(found,))}
    return {"IP_ADDRESS": ValueTest(in_ipv4(found))}


def in_ipv4(*networks: IPv4Network) -> str:
    """A pattern for the addresses in some networks, also as IPv6 writes them (::ffff:192.0.2.1)."""
    return rf"(?:::(?:ffff:(?:0:)?)?)?{any_of(_octets(network) for network in networks)}"


def _octets(network: IPv4Network) -> str:
    r"""Return a pattern of the addresses of a network, octet by octet.

    >>> _octets(IPv4Network("172.16.0.0/12"))
    '172\\.(?:16|17|18|19|20|21|22|23|24|25|26|27|28|29|30|31)(?:\\.[0-9]{1,3}){2}'
    """
    first, last = network.network_address.packed, network.broadcast_address.packed
    free = sum(low == 0 and high == 255 for low, high in zip(first, last, strict=True))
    fixed = [
        str(low) if low == high else any_of(map(str, range(low, high + 1)))
        for low, high in zip(first[: 4 - free], last[: 4 - free], strict=True)
    ]
    if not fixed:
        return r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
    return r"\.".join(fixed) + (rf"(?:\.[0-9]{{1,3}}){{{free}}}" if free else "")
