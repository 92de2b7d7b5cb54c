"""Internet addresses are somebody's only where they are routed; version numbers are none."""

from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest

import piiscan

ROWS = 60
Make = Callable[[random.Random], str]


def byte(rng: random.Random) -> int:
    return rng.randrange(256)


ROUTED: Make = lambda r: f"{r.choice([23, 45, 81, 93, 151, 185])}.{byte(r)}.{byte(r)}.{byte(r)}"  # noqa: E731
NOT_ROUTED: dict[str, Make] = {
    "ten": lambda r: f"10.{byte(r)}.{byte(r)}.{byte(r)}",
    "home": lambda r: f"192.168.{byte(r)}.{byte(r)}",
    "office": lambda r: f"172.{r.randrange(16, 32)}.{byte(r)}.{byte(r)}",
    "carrier": lambda r: f"100.{r.randrange(64, 128)}.{byte(r)}.{byte(r)}",
    "loopback": lambda r: f"127.0.0.{byte(r)}",
    "link": lambda r: f"169.254.{byte(r)}.{byte(r)}",
    "documentation": lambda r: f"203.0.113.{byte(r)}",
    "multicast": lambda r: f"239.{byte(r)}.{byte(r)}.{byte(r)}",
    "unique local": lambda r: f"fd00:{r.getrandbits(16):x}::{r.getrandbits(16):x}",
    "link local": lambda r: f"fe80::{r.getrandbits(16):x}:{r.getrandbits(16):x}",
}


def judged(header: str, cells: list[str]) -> tuple[str | None, str, set[str]]:
    column = piiscan.scan(pl.DataFrame({header: cells}))[0]
    return column.entity, column.pii, {found.entity for found in column.inside}


def drawn(make: Make) -> list[str]:
    rng = random.Random(11)
    return [make(rng) for _ in range(ROWS)]


@pytest.mark.parametrize("header", ["client_ip", "value"])
@pytest.mark.parametrize("kind", NOT_ROUTED)
def test_addresses_that_are_not_routed_are_nobodys(kind: str, header: str) -> None:
    assert judged(header, drawn(NOT_ROUTED[kind])) == ("IP_ADDRESS", "none", set())


@pytest.mark.parametrize("header", ["client_ip", "value"])
@pytest.mark.parametrize(
    "make",
    [
        ROUTED,
        lambda r: f"2a00:1450:{r.getrandbits(16):x}::{r.getrandbits(16):x}",
        lambda r: ROUTED(r) if r.random() < 0.2 else NOT_ROUTED["ten"](r),
    ],
)
def test_addresses_that_are_routed_may_be_a_persons(make: Make, header: str) -> None:
    assert judged(header, drawn(make)) == ("IP_ADDRESS", "direct", set())


@pytest.mark.parametrize("header", ["version", "build", "firmware", "value"])
def test_version_numbers_are_no_addresses(header: str) -> None:
    cells = drawn(lambda r: f"{r.randrange(1, 9)}.{r.randrange(20)}.{r.randrange(30)}.{r.randrange(40)}")
    assert judged(header, cells) == (None, "none", set())


def test_a_header_makes_small_numbers_addresses() -> None:
    cells = drawn(lambda r: f"{r.randrange(1, 9)}.{r.randrange(20)}.{r.randrange(30)}.{r.randrange(40)}")
    assert judged("ip_address", cells)[:2] == ("IP_ADDRESS", "direct")


@pytest.mark.parametrize(("kind", "found"), [("ten", set()), ("documentation", set()), (None, {"IP_ADDRESS"})])
def test_only_addresses_that_are_routed_count_inside_texts(kind: str | None, found: set[str]) -> None:
    make = ROUTED if kind is None else NOT_ROUTED[kind]
    _, _, inside = judged("note", drawn(lambda r: f"connect from {make(r)} port 22 was accepted"))
    assert inside == found


def test_one_routed_address_among_private_ones_counts() -> None:
    cells = [f"connect from {address} was accepted" for address in drawn(NOT_ROUTED["ten"])]
    assert "IP_ADDRESS" in judged("note", [*cells, "connect from 8.8.8.8 was accepted"])[2]


def test_times_are_no_addresses() -> None:
    times = [f"2023-01-{n % 28 + 1:02d}T10:11:{n % 60:02d}Z" for n in range(ROWS)]
    assert judged("ipAudit.createdAt", times)[0] is None
