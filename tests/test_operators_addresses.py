"""What masks of addresses guarantee: networks stay networks, and devices lose their vendor."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.core.keys import Key
from piiscan.masking.operators.ip import Ip
from piiscan.masking.operators.mac import Mac

KEY = Key(bytes(range(100, 132))).subkey("TEST")


def column(values: Sequence[str]) -> pl.Series:
    return pl.Series("x", values, dtype=pl.String)


def kinds(text: str) -> str:
    return "".join("9" if c.isdigit() else "a" if c.islower() else "A" if c.isupper() else c for c in text)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([4, 6]), st.data())
def test_addresses_share_as_many_bits_as_before(version: Any, data: st.DataObject) -> None:
    first, second = (data.draw(st.ip_addresses(v=version)) for _ in range(2))
    bits = first.max_prefixlen
    near = ipaddress.ip_address(int(first) ^ 1 << data.draw(st.integers(0, bits - 1)))
    if type(near) is not type(first):
        return
    values = [str(a) for a in dict.fromkeys((first, second, near)) if int(a) >> 64 or version == 4]
    masks = [ipaddress.ip_address(m) for m in Ip().mask(column(values), KEY)]
    for i, value in enumerate(values):
        for j in range(i):
            before = int(ipaddress.ip_address(value)) ^ int(ipaddress.ip_address(values[j]))
            assert before.bit_length() == (int(masks[i]) ^ int(masks[j])).bit_length()


SPECIAL = (
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/4 "
    "240.0.0.0/4 2000::/3 fc00::/7 fe80::/10 ff00::/8"
)


@pytest.mark.parametrize("network", SPECIAL.split())
def test_special_ranges_stay_within_themselves(network: str) -> None:
    net = ipaddress.ip_network(network)
    rng = np.random.default_rng(9)
    inside = [net[int(i)] for i in rng.integers(1, min(net.num_addresses, 1 << 62), 200)]
    outside = [
        ipaddress.ip_address(int(a) ^ 1 << (net.max_prefixlen - net.prefixlen + int(rng.integers(net.prefixlen))))
        for a in inside
    ]
    outside = [a for a in outside if a.version == net.version and (a.version == 4 or int(a) >> 64)]
    for values, stays in ((inside, True), (outside, False)):
        masks = Ip().mask(column(sorted({str(a) for a in values})), KEY)
        assert {ipaddress.ip_address(m) in net for m in masks} == {stays}


@pytest.mark.parametrize(("network", "most"), [("192.168", 17.0), ("198.18", 0.001)])
def test_how_many_addresses_are_expected_to_stay(network: str, most: float) -> None:
    values = column([f"{network}.{i >> 8}.{i & 255}" for i in range(1 << 16)])
    masks = Ip().mask(values, KEY)
    expected = Ip().fixed_points(masks)
    assert 0 < expected <= most
    assert (masks == values).sum() <= expected + 6 * expected**0.5 + 3
    assert Ip().fixed_points(column(["::", "::1", "2001:db8::7"])) == pytest.approx(2)


def test_addresses_in_other_clothes() -> None:
    plain, mapped, loop, nothing, port, cased = Ip().mask(
        column(["192.0.2.7", "::ffff:192.0.2.7", "::1", "::", "192.0.2.7:80", "2001:DB8::1"]), KEY
    )
    assert mapped == f"::ffff:{plain}" != "::ffff:192.0.2.7"
    assert (loop, nothing) == ("::1", "::")
    assert port.startswith("~tok1_")
    assert cased.startswith("~tok1_")


def test_devices_lose_their_vendor() -> None:
    vendor = column([f"00:1A:2B:{i >> 8 & 255:02X}:{i & 255:02X}:07" for i in range(5000)])
    masks = Mac().mask(vendor, KEY)
    assert masks.n_unique() == 5000
    assert masks.str.contains(r"^[0-9A-F][26AE](:[0-9A-F]{2}){5}$").all()
    assert masks.str.slice(0, 8).n_unique() > 4900
    assert Mac().declares(masks, KEY).all()
    assert not Mac().declares(vendor, KEY).any()


def test_spellings_of_a_device() -> None:
    spelled = ["00:1a:2b:3c:4d:5e", "00-1A-2B-3C-4D-5E", "001a.2b3c.4d5e", "001A2B3C4D5E"]
    masks = Mac().mask(column(spelled), KEY)
    assert [kinds(m).replace("a", "9").replace("A", "9") for m in masks] == [
        kinds(s).replace("a", "9").replace("A", "9") for s in spelled
    ]
    assert len({"".join(c for c in m if c.isalnum()).lower() for m in masks}) == 1
    assert masks[1] == masks[1].upper()
    assert masks[0] == masks[0].lower()
