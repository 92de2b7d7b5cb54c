"""Columns that look like personal data to other tools and are none: no verdict of a class, nothing inside."""

from __future__ import annotations

import base64
import hashlib
import random
import uuid
from collections.abc import Callable

import polars as pl
import pytest

import piiscan
from piiscan.core.types import Field, TableInfo
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.scanning import engine

SIZES = (20, 1_000, 50_000)
"""Rows: too few to tell much, as many as a sample holds, and enough for chance to show."""
Cell = Callable[[random.Random, int], object]


def _luhn(digits: str) -> str:
    total = sum(sum(divmod(int(d) * (2 - i % 2), 10)) for i, d in enumerate(reversed(digits)))
    return digits + str(-total % 10)


def _isbn13(rng: random.Random) -> str:
    body = "978" + "".join(str(rng.randrange(10)) for _ in range(9))
    return body + str(-sum(int(d) * (1 + 2 * (i % 2)) for i, d in enumerate(body)) % 10)


def _isbn10(rng: random.Random) -> str:
    body = "".join(str(rng.randrange(10)) for _ in range(9))
    check = -sum(int(d) * (10 - i) for i, d in enumerate(body)) % 11
    return body + "0123456789X"[check]


def _dashed(isbn: str) -> str:
    return "-".join((isbn[:3], isbn[3], isbn[4:6], isbn[6:12], isbn[12]))


WORDS = "valve bracket cable panel bolt hinge sensor relay pump filter gasket spring".split()

HARD: dict[str, Cell] = {
    "year": lambda r, i: r.choice((1999, 2000)),
    "model_year": lambda r, i: r.randrange(1950, 2026),
    "period": lambda r, i: r.choice(("1999/2000", "2000/2001", "2001/2002")),
    "sensor": lambda r, i: f"SCN-{r.randrange(100, 1000)}",
    "email_verified": lambda r, i: r.randrange(2),
    "phone_verified": lambda r, i: r.choice(("true", "false")),
    "has_ssn": lambda r, i: r.choice(("Y", "N")),
    "phone_type": lambda r, i: r.choice(("mobile", "home", "work")),
    "acid_level": lambda r, i: round(r.uniform(0, 14), 2),
    "epoch": lambda r, i: 1_600_000_000 + r.randrange(90_000_000),
    "timestamp_ms": lambda r, i: 1_600_000_000_000 + r.randrange(90_000_000_000),
    "created_at": lambda r, i: (
        f"2024-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}T{r.randrange(24):02}:{r.randrange(60):02}"
        f":{r.randrange(60):02}Z"
    ),
    "reading": lambda r, i: f"{r.gauss(20, 5):.6f}",
    "value": lambda r, i: r.random() * 10 ** r.randrange(-6, 12),
    "latency": lambda r, i: round(r.uniform(0.1, 89), 4),
    "flat_rate": lambda r, i: round(r.uniform(-50, 50), 5),
    "isbn": lambda r, i: _isbn13(r),
    "isbn10": lambda r, i: _isbn10(r),
    "part_number": lambda r, i: (
        _luhn(f"{r.randrange(10**7, 10**8)}") if r.random() < 0.2 else f"{r.randrange(10**8, 10**9)}"
    ),
    "article": lambda r, i: f"{r.randrange(10**15, 10**16)}",
    "sku": lambda r, i: f"{r.choice('ABCDEF')}{r.randrange(10**6, 10**7)}{r.choice('XYZ')}",
    "checksum": lambda r, i: hashlib.md5(str(r.random()).encode()).hexdigest(),
    "commit": lambda r, i: hashlib.sha1(str(r.random()).encode()).hexdigest(),
    "sha256": lambda r, i: hashlib.sha256(str(r.random()).encode()).hexdigest(),
    "app_version": lambda r, i: f"{r.randrange(1, 9)}.{r.randrange(20)}.{r.randrange(99)}.{r.randrange(200)}",
    "version": lambda r, i: f"{r.randrange(4)}.{r.randrange(20)}.{r.randrange(99)}",
    "build": lambda r, i: f"{r.randrange(10)}.{r.randrange(10)}.{r.randrange(9000) + 256}.{r.randrange(10)}",
    "row": lambda r, i: i + 1,
    "index": lambda r, i: 100_000_000 + i,
    "counter": lambda r, i: 4_000_000_000 + 7 * i,
    "order_ref": lambda r, i: f"ORD-{r.randrange(10**8, 10**9)}",
    "invoice_no": lambda r, i: f"2024-{i:06}",
    "price": lambda r, i: f"{r.uniform(1, 9999):.2f}",
    "amount": lambda r, i: f"${r.uniform(1, 9999):,.2f}",
    "uuid": lambda r, i: str(uuid.UUID(int=r.getrandbits(128), version=4)),
    "product_code": lambda r, i: f"{r.randrange(10000, 100000)}",
    "item_code": lambda r, i: f"{r.randrange(10, 100)}-{r.randrange(100, 1000)}",
    "quantity": lambda r, i: r.randrange(1, 120),
    "car_age": lambda r, i: r.randrange(0, 20),
    "product_name": lambda r, i: f"{r.choice(WORDS).title()} {r.choice(WORDS).title()}",
    "file_name": lambda r, i: f"{r.choice(WORDS)}_{i}.csv",
    "company_size": lambda r, i: r.choice(("1-10", "11-50", "51-200")),
    "status": lambda r, i: r.choice(("open", "closed", "pending")),
    "grade": lambda r, i: r.choice("ABCDEF"),
    "flag": lambda r, i: r.choice(("M", "F", "T", "Q")),
    "mac_count": lambda r, i: r.randrange(9),
    "ip_rating": lambda r, i: r.choice(("IP65", "IP67", "IP20")),
    "random_9": lambda r, i: f"{r.randrange(10**9):09}",
    "random_10": lambda r, i: f"{r.randrange(10**9, 10**10)}",
    "random_11": lambda r, i: f"{r.randrange(10**10, 10**11)}",
    "random_12": lambda r, i: f"{r.randrange(10**11, 10**12)}",
    "random_13": lambda r, i: f"{r.randrange(10**12, 10**13)}",
    "random_16": lambda r, i: f"{r.randrange(10**15, 10**16)}",
    "hex_id": lambda r, i: f"{r.getrandbits(64):016x}",
    "base36": lambda r, i: "".join(r.choice("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(10)),
    "colour": lambda r, i: f"#{r.getrandbits(24):06x}",
    "duration": lambda r, i: f"{r.randrange(3)}:{r.randrange(60):02}:{r.randrange(60):02}",
    "epoch_us": lambda r, i: 1_600_000_000_000_000 + r.randrange(9 * 10**13),
    "epoch_ns": lambda r, i: 1_600_000_000_000_000_000 + r.randrange(9 * 10**16),
    "epoch_seconds": lambda r, i: f"{1_600_000_000 + r.random() * 9e7:.3f}",
    "epoch_hourly": lambda r, i: 1_600_002_000 + 3600 * i,
    "date_key": lambda r, i: f"{r.randrange(2015, 2026)}{r.randrange(1, 13):02}{r.randrange(1, 29):02}",
    "week": lambda r, i: f"2024-W{r.randrange(1, 53):02}",
    "time": lambda r, i: f"{r.randrange(24):02}:{r.randrange(60):02}",
    "logged": lambda r, i: (
        f"2024-0{r.randrange(1, 10)}-1{r.randrange(10)} 1{r.randrange(10)}:0{r.randrange(10)}:33,{r.randrange(1000):03}"
    ),
    "fiscal_year": lambda r, i: f"FY{r.randrange(2010, 2026)}",
    "temperature": lambda r, i: f"{r.gauss(37, 0.6):.1f}",
    "voltage": lambda r, i: f"{r.uniform(3.2, 4.2):.3f}",
    "pressure": lambda r, i: f"{r.uniform(980, 1040):.2f} hPa",
    "ratio": lambda r, i: f"{r.random():.9f}",
    "size_bytes": lambda r, i: int(r.lognormvariate(15, 4)),
    "isbn_dashed": lambda r, i: _dashed(_isbn13(r)),
    "part_with_dashes": lambda r, i: f"{r.randrange(100, 1000)}-{r.randrange(10, 100)}-{r.randrange(1000, 10000)}X",
    "part_in_two": lambda r, i: f"{r.randrange(10000, 100000)}-{r.randrange(1000, 10000)}",
    "serial": lambda r, i: "".join(r.choice("0123456789ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(10)),
    "crc32": lambda r, i: f"{r.getrandbits(32):08x}",
    "digest": lambda r, i: base64.b64encode(hashlib.sha256(str(r.random()).encode()).digest()).decode(),
    "short_hash": lambda r, i: f"{r.getrandbits(28):07x}",
    "release": lambda r, i: f"v{r.randrange(9)}.{r.randrange(30)}.{r.randrange(30)}-rc.{r.randrange(5)}",
    "page_count": lambda r, i: r.randrange(20, 900),
    "coordinates_px": lambda r, i: f"{r.randrange(4000)}x{r.randrange(3000)}",
}


def _column(name: str, rows: int) -> list[str]:
    rng = random.Random(f"hard negatives: {name}")
    return [str(HARD[name](rng, i)) for i in range(rows)]


SAY_NOTHING = ("value", "col_3", None)
NEED_A_NAME = {"app_version"}
"""Four numbers up to 255: without a header they are Internet addresses."""


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("name", HARD)
def test_column_alone_under_its_name_and_names_that_say_nothing(name: str, rows: int) -> None:
    """Cells are counted once for all headers that name the same rules."""
    scanner, frame = piiscan.Scanner(), pl.DataFrame({"0": _column(name, rows)})
    counted: dict[frozenset[str], TableSummary] = {}
    for header in (name, *SAY_NOTHING) if name not in NEED_A_NAME else (name,):
        info = TableInfo("x.csv", None, "csv", header is not None, (Field(header),))
        named = frozenset(scanner.ruleset.named(header))
        if named not in counted:
            counted[named] = engine.partial(frame, info.fields, scanner.ruleset, 0)
        report = scanner.finish(counted[named], info)
        assert (report[0].pii, report.findings) == ("none", ()), (header, report[0].reasons)


def test_table_of_all() -> None:
    report = piiscan.scan(pl.DataFrame({name: _column(name, 200) for name in HARD}))
    assert [c.name for c in report.columns if c.pii != "none" or c.inside] == []


def test_personal_beside_hard_negatives_is_still_found() -> None:
    rng = random.Random(7)
    mails = [f"{rng.choice(WORDS)}.{rng.choice(WORDS)}{i}@example.org" for i in range(200)]
    report = piiscan.scan(pl.DataFrame({"email": mails, **{name: _column(name, 200) for name in HARD}}))
    assert report["email"].entity == "EMAIL_ADDRESS"
    assert [c.name for c in report.columns[1:] if c.pii == "direct" or c.inside] == []
