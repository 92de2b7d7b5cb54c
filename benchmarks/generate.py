"""Seeded benchmark files: people, clean and adversarial tables, as CSV or Parquet of a wanted size.

Identifiers are nearly unique, so that deduplication can't flatter a scanner. Run
`python benchmarks/generate.py people out.csv --megabytes 250 --seed 1`.
"""

from __future__ import annotations

import argparse
import base64
import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

CHUNK = 50_000
FIRST = "James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Anna Piotr Zofia Hans Greta Luis Carmen Yuki Chen Amara Olga Ivan Fatima Omar Lars Ingrid Pierre Chloé".split()
LAST = "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Kowalski Nowak Müller Schmidt Rossi Bianchi Dubois Laurent Svensson Hansen Novák Horvat Popescu Ivanov Tanaka Wang Okafor Haddad Silva Costa".split()
STREET = "Main Oak Maple Cedar Elm Washington Lake Hill Park Pine River Spring Church High Station Mill".split()
KIND = "Street Avenue Road Lane Drive Court Boulevard Way".split()
CITY = "Springfield Portland Warsaw Berlin Madrid Lyon Milan Oslo Austin Denver Boston Leeds Cork Porto Graz Basel".split()
WORDS = (
    "customer called about the late delivery and asked for a refund on the second item we agreed to send it again next week "
    "please check stock before shipping since last order was missing one part thanks for your patience with this matter"
).split()


def luhn_digit(body: np.ndarray) -> np.ndarray:
    """Luhn check digits for an (n, m) matrix of digits that lacks them."""
    doubled = body[:, ::-1].copy()
    doubled[:, ::2] *= 2
    doubled[doubled > 9] -= 9
    return (10 - doubled.sum(axis=1) % 10) % 10


def text(matrix: np.ndarray) -> np.ndarray:
    """An (n, m) digit matrix as n strings of m characters."""
    return (matrix + 48).astype(np.uint8).view(f"S{matrix.shape[1]}").ravel().astype(str)


def pick(rng: np.random.Generator, words: list[str], n: int) -> np.ndarray:
    return np.array(words, dtype=object)[rng.integers(0, len(words), n)]


def numbers(rng: np.random.Generator, low: int, high: int, n: int, width: int = 0) -> list[str]:
    return [str(v).zfill(width) for v in rng.integers(low, high, n).tolist()]


def sentences(rng: np.random.Generator, n: int, length: int) -> list[str]:
    which = rng.integers(0, len(WORDS), (n, length)).tolist()
    return [" ".join(WORDS[i] for i in row) for row in which]


def people(rng: np.random.Generator, n: int, start: int) -> dict[str, Any]:
    first, last = pick(rng, FIRST, n), pick(rng, LAST, n)
    serial = rng.integers(0, 10**7, n).tolist()
    name = [f"{a} {b}" for a, b in zip(first, last, strict=True)]
    ascii_last = [b.lower().encode("ascii", "ignore").decode() for b in last]
    email = [f"{a[0].lower()}.{b}{s}@example{s % 9}.com" for a, b, s in zip(first, ascii_last, serial, strict=True)]
    phone = [
        f"({a}) {b}-{c}" for a, b, c in zip(numbers(rng, 201, 990, n), numbers(rng, 200, 999, n), numbers(rng, 0, 10**4, n, 4), strict=True)
    ]
    area = rng.integers(1, 900, n)
    area[area == 666] = 667
    ssn = [
        f"{a:03d}-{b:02d}-{c:04d}"
        for a, b, c in zip(area.tolist(), rng.integers(1, 100, n).tolist(), rng.integers(1, 10**4, n).tolist(), strict=True)
    ]
    body = rng.integers(0, 10, (n, 15))
    body[:, 0] = 4
    card = text(np.column_stack([body, luhn_digit(body)]))
    bban = rng.integers(0, 10**9, (n, 2)).tolist()
    iban = []
    for high, low in bban:
        account = f"{high:09d}{low:09d}"
        iban.append(f"DE{98 - int(account + '131400') % 97:02d}{account}")
    address = [f"{a} {b} {c}" for a, b, c in zip(numbers(rng, 1, 9999, n), pick(rng, STREET, n), pick(rng, KIND, n), strict=True)]
    dob = np.datetime_as_string(np.datetime64("1940-01-01") + rng.integers(0, 25_000, n).astype("timedelta64[D]"))
    ip = [".".join(map(str, row)) for row in rng.integers(1, 255, (n, 4)).tolist()]
    notes = sentences(rng, n, 15)
    for i in np.flatnonzero(rng.random(n) < 0.02).tolist():
        notes[i] += f" reach me at {email[i]}"
    for i in np.flatnonzero(rng.random(n) < 0.01).tolist():
        notes[i] += f" ssn {ssn[i]} on file"
    return {
        "id": [str(v) for v in range(start + 1, start + n + 1)], "name": name, "email": email, "phone": phone, "ssn": ssn, "card": card, "iban": iban,
        "address": address, "city": pick(rng, CITY, n), "zip": numbers(rng, 10_000, 99_999, n), "dob": dob, "ip": ip,
        "amount": [f"{v / 100:.2f}" for v in rng.integers(0, 10**7, n).tolist()], "notes": notes,
    }  # fmt: skip


def stamps(rng: np.random.Generator, n: int) -> list[str]:
    return np.datetime_as_string(np.datetime64("2015-01-01T00:00:00") + rng.integers(0, 3 * 10**8, n).astype("timedelta64[s]")).tolist()


def clean(rng: np.random.Generator, n: int, start: int) -> dict[str, Any]:
    metric = rng.normal(0, 100, (n, 4)).round(4).tolist()
    return {
        "row": [str(v) for v in range(start, start + n)], "temperature": [str(r[0]) for r in metric], "pressure": [str(r[1]) for r in metric],
        "latency_ms": [str(r[2]) for r in metric], "score": [str(r[3]) for r in metric], "order_ref": [f"ORD-{v}" for v in numbers(rng, 0, 10**8, n, 8)],
        "category": pick(rng, ["alpha", "beta", "gamma", "delta"], n), "status": pick(rng, ["open", "closed", "pending"], n), "created_at": stamps(rng, n),
        "commit": [rng.bytes(20).hex() for _ in range(n)], "version": [".".join(map(str, r)) for r in rng.integers(0, 40, (n, 3)).tolist()],
        "count": numbers(rng, 0, 5000, n), "product": [f"{a} {b}" for a, b in zip(pick(rng, STREET, n), pick(rng, ["cable", "lamp", "chair", "desk"], n), strict=True)],
        "comment": sentences(rng, n, 14),
    }  # fmt: skip


def adversarial(rng: np.random.Generator, n: int, start: int) -> dict[str, Any]:
    raw = [rng.bytes(24) for _ in range(n)]
    hexes = [r.hex() for r in raw]
    iso = stamps(rng, n)
    long_digits = text(rng.integers(0, 10, (n, 30)))
    agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"
    pair = rng.integers(0, 10**6, (n, 2)).tolist()
    return {
        "hex": hexes, "dashed_hex": ["-".join(h[i : i + 4] for i in range(0, 32, 4)) for h in hexes], "base64": [base64.b64encode(r).decode() for r in raw],
        "uuid": [f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:32]}" for h in hexes],
        "json": [f'{{"id": {a}, "ts": "{t}", "tag": "{h[:6]}", "n": [{b}, {a}]}}' for (a, b), t, h in zip(pair, iso, hexes, strict=True)],
        "agent": [f"{agent}{a % 120}.0.{b}.{a % 99} Safari/537.36" for a, b in pair], "iso_time": iso, "iso_zone": [f"{t}.123456+02:00" for t in iso],
        "serial": [f"SN-{a:06d}-{b:06d}" for a, b in pair], "serial_dots": [f"{a:06d}.{b:06d}" for a, b in pair], "long_digits": long_digits,
        "sixteen": [d[:16] for d in long_digits.tolist()], "nine": [d[:9] for d in long_digits.tolist()], "eleven": [d[:11] for d in long_digits.tolist()],
        "epoch_ms": numbers(rng, 1_500_000_000_000, 1_800_000_000_000, n), "float": [repr(v) for v in rng.random(n).tolist()],
        "path": [f"/var/log/app/{h[:8]}/{a}.log" for h, (a, _) in zip(hexes, pair, strict=True)], "url": [f"https://example.org/p/{a}?q={h[:10]}" for h, (a, _) in zip(hexes, pair, strict=True)],
        "spaced": [f"{d[:4]} {d[4:8]} {d[8:12]}" for d in long_digits.tolist()], "upper": [h[:17].upper() for h in hexes],
        "date": [t[:10] for t in iso], "words": sentences(rng, n, 8), "log": [f"{t} INFO worker-{a % 16} took {b} ms for {h[:12]}" for t, (a, b), h in zip(iso, pair, hexes, strict=True)],
    }  # fmt: skip


TABLES = {"people": people, "clean": clean, "adversarial": adversarial}


def frames(kind: str, seed: int) -> Iterator[pl.DataFrame]:
    """Endless frames of CHUNK rows; every cell a string."""
    rng = np.random.default_rng(seed)
    start = 0
    while True:
        columns = TABLES[kind](rng, CHUNK, start)
        yield pl.DataFrame({k: pl.Series(k, list(v), dtype=pl.String) for k, v in columns.items()})
        start += CHUNK


def write(kind: str, path: Path, megabytes: float, seed: int) -> int:
    """Write about `megabytes` of CSV, or the same rows as Parquet; the number of rows."""
    rows = size = 0
    parts: list[pl.DataFrame] = []
    with open(path, "wb") as out:
        for frame in frames(kind, seed):
            body = frame.write_csv(include_header=rows == 0).encode()
            size += len(body)
            rows += len(frame)
            if path.suffix == ".parquet":
                parts.append(frame)
            else:
                out.write(body)
            if size >= megabytes * 1e6:
                break
    if parts:
        pl.concat(parts).with_columns(
            pl.col(c).cast(pl.Float64) for c in ("amount", "temperature", "pressure") if c in parts[0].columns
        ).write_parquet(path)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(TABLES))
    parser.add_argument("path", type=Path)
    parser.add_argument("--megabytes", type=float, default=250)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(f"{args.path}: {write(args.kind, args.path, args.megabytes, args.seed)} rows, {dt.date.today()}")


if __name__ == "__main__":
    main()
