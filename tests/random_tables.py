"""Random tables for laws of masking: columns of any type, with what makes columns hard, and a reversible operator
for each."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.read_options import ReadOptions
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan

READ = ReadOptions(delimiter=",", header=True, encoding="utf-8")
Draw = Callable[[random.Random], Any]
_ODD = (
    *(
        "",
        " ",
        "\t",
        "\n",
        "a\nb",
        "a\r\nb",
        "a\tb",
        ",",
        ";",
        '"',
        '""',
        'say "x"',
        "a,b",
        "\\",
        "\\N",
        "#",
        "~",
        "~tok1_",
        "~tok1_AAAA",
        "'",
    ),
    *(
        "NULL",
        "NA",
        "null",
        "nan",
        "true",
        "-",
        "-0",
        "+1",
        "1e5",
        "0x1f",
        "1.50",
        "=1+1",
        "\u00a0",
        "\u200b",
        "0",
        "7",
        "a",
        "é",
        "日本",
        "e\u0301",
        "😀",
        "שלום",
    ),
    *(
        "010.1.2.3",
        "10.0.0.1:80",
        "::1",
        "::ffff:192.0.2.1",
        "2001:DB8::1",
        "fe80::1",
        "DE89370400440532013000",
        "GB82 WEST 1234 5698 7654 32",
    ),
    *(str(n) for n in (2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1)),
)


def _card(draw: random.Random) -> str:
    digits = [draw.randrange(10) for _ in range(15)]
    doubled = sum(d if i % 2 else sum(divmod(2 * d, 10)) for i, d in enumerate(digits))
    return "".join(map(str, digits)) + str(-doubled % 10)


_TEXTS: tuple[Draw, ...] = (
    lambda r: r.choice(_ODD),
    lambda r: "".join(
        chr(r.choice((r.randrange(32, 127), r.randrange(0xA0, 0x250), 0x301, 0x1F600)))
        for _ in range(r.randrange(1, 12))
    ),
    lambda r: r.choice("xX7") * r.randrange(30, 900),
    lambda r: f"{r.randrange(10**6):08}",
    lambda r: str(r.randrange(-(2**70), 2**70)),
    lambda r: f"{r.randrange(1, 900):03}-{r.randrange(100):02}-{r.randrange(10**4):04}",
    _card,
    lambda r: _card(r)[:-1] + str(r.randrange(10)),
    lambda r: " ".join(_card(r)[i : i + 4] for i in range(0, 16, 4)),
    lambda r: f"GB{r.randrange(100):02}WEST{r.randrange(10**14):014}",
    lambda r: ".".join(str(r.randrange(256)) for _ in range(4)),
    lambda r: f"2001:db8::{r.randrange(1, 2**16):x}",
    lambda r: f"{r.choice('abc')}.{r.randrange(999)}@mail.example",
    lambda r: f"AB{r.randrange(10**7):07}",
    lambda r: str(dt.date(r.randrange(1, 9999), 1, 28)),
)
_NUMBERS: dict[Any, Draw] = {
    pl.Int64(): lambda r: r.choice((r.randrange(-(2**63), 2**63), r.randrange(-9, 10**7), r.randrange(10**9))),
    pl.Int32(): lambda r: r.randrange(-999_999_999, 10**9),
}
_TYPED: dict[Any, Draw] = {
    pl.Boolean(): lambda r: r.random() < 0.5,
    pl.Date(): lambda r: dt.date(r.randrange(1, 10_000), r.randrange(1, 13), r.randrange(1, 29)),
    pl.Datetime("us"): lambda r: dt.datetime(r.randrange(1, 10_000), 1, 2, 3, 4, 5, r.randrange(10**6)),
}
_STORED: dict[Any, Draw] = {
    pl.UInt64(): lambda r: r.choice((r.randrange(2**64), r.randrange(10**6))),
    pl.Int8(): lambda r: r.randrange(-128, 128),
    pl.Int128(): lambda r: r.randrange(-(2**100), 2**100),
    pl.Datetime("ms"): lambda r: dt.datetime(r.randrange(1, 10_000), 1, 2, 3, 4, 5, 1000 * r.randrange(1000)),
    pl.Datetime("ns"): lambda r: dt.datetime(r.randrange(1700, 2200), 1, 2, 3, 4, 5, r.randrange(10**6)),
    pl.Datetime("us", "Europe/Amsterdam"): lambda r: dt.datetime(
        r.randrange(1890, 2030), r.randrange(1, 13), 2, 13, tzinfo=dt.UTC
    ),
    pl.Categorical(): lambda r: r.choice(("aa", "bb", "123456789")),
}
_FOR_TEXT: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        ("token", {}),
        ("token", {"pad": 16}),
        ("fpe", {}),
        ("fpe", {"check": "luhn"}),
        ("fpe", {"check": "CREDIT_CARD", "keep_first": 4}),
    ),
    *(("fpe", {"check": "iban", "keep_first": 2}), ("fpe", {"keep_last": 2}), ("ip", {}), ("code", {})),
)
_FOR_ALL = _FOR_TEXT[:2] + _FOR_TEXT[-1:]
Operators = list[tuple[str, dict[str, Any]]]


def table(seed: int, kind: str) -> tuple[pl.DataFrame, Operators]:
    """A table as `kind` of file can hold it, and a reversible operator for each column."""
    draw = random.Random(seed)
    rows = draw.choice((1, 2, 5, 20, 50))
    typed = {"csv": {}, "jsonl": _NUMBERS | _TYPED}.get(kind, _NUMBERS | _TYPED | _STORED)
    columns, operators = [], []
    for i in range(draw.randrange(1, 6)):
        dtype = draw.choice([pl.String(), *draw.sample(list(typed), min(2, len(typed)))])
        some = draw.sample(_TEXTS, draw.choice((1, 2, len(_TEXTS))))
        value = typed.get(dtype, lambda r, some=some: r.choice(some)(r))
        pool = [value(draw) for _ in range(draw.choice((1, 3, rows)))]
        nulls = draw.choice((0, 0, 0.3, 0.9, 1)) if rows > 1 else 0
        cells = [
            None if draw.random() < nulls else draw.choice(pool) if draw.random() < 0.5 else value(draw)
            for _ in range(rows)
        ]
        columns.append(pl.Series(f"c{i}", cells, dtype=dtype))
        operators.append(
            draw.choice(
                _FOR_TEXT
                if dtype in (pl.String, pl.Categorical)
                else (*_FOR_ALL, ("fpe", {}))
                if dtype in _NUMBERS
                else _FOR_ALL
            )
        )
    return pl.DataFrame(columns), operators


def plan_of(path: Path, operators: Operators, vault: Path) -> Plan:
    """The plan that masks the columns of the only table at `path` by these operators, in two key domains."""
    (found,) = inputs.discover([str(path)], READ)
    assert isinstance(found, ReadTable)
    columns = []
    for i, (field, (name, params)) in enumerate(zip(found.info.fields, operators, strict=True)):
        options = params | ({"vault": str(vault)} if name == "code" else {})
        columns.append(
            Action(i, field.name, field.dtype, None, "none", name, options, f"D{i % 2}", accept_frequency=True)
        )
    return Plan("test", "0", (TablePlan(path.name, found.info.table, tuple(columns)),))
