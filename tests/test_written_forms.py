"""Cells that write a value in another form than usual: found by `scan`, and gone after `mask`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import polars as pl
import pytest

import piiscan

RANDOM = Random(5)
ADDRESSES = [
    f"{RANDOM.choice((62, 81, 91, 203))}.{RANDOM.randint(1, 250)}.{RANDOM.randint(1, 250)}.{RANDOM.randint(1, 250)}"
    for _ in range(60)
]


def scanned(name: str, cells: Sequence[str]) -> piiscan.ColumnReport:
    columns = {"no": range(10_001, 10_001 + len(cells)), name: cells, "points": [i % 7 for i in range(len(cells))]}
    return piiscan.scan(pl.DataFrame(columns)).tables[0].columns[1]


def as_number(address: str) -> str:
    return str(sum(int(part) << 8 * (3 - place) for place, part in enumerate(address.split("."))))


@pytest.mark.parametrize(
    "write",
    [
        lambda a: f"{a}:40813",
        lambda a: f"{a}/32",
        lambda a: f"{a},10.0.0.7",
        lambda a: a.replace(".", "[.]"),
        as_number,
    ],
)
def test_routed_addresses_are_direct_however_they_are_written(write: Callable[[str], str]) -> None:
    assert scanned("ip", [write(address) for address in ADDRESSES]).pii == "direct"
