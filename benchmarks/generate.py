"""Seeded benchmark files: people, clean and adversarial tables, as CSV or Parquet of a wanted size.

Identifiers are nearly unique, so that deduplication can't flatter a scanner. Files are written piece by piece: memory
stays bounded for any size. `--plant N` hides single identifiers in cells of columns that otherwise hold none of their
kind, the last row always among them, some within long text; FILE.plants.json then lists their row, column and rule. Run
`python benchmarks/generate.py people out.csv --megabytes 250 --seed 1`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

Random = np.random.Generator
Integers = NDArray[np.int64]

CHUNK = 50_000
ROW_GROUP = 100_000
FIRST = (
    "James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Anna Piotr Zofia Hans "
    "Greta Luis Carmen Yuki Chen Amara Olga Ivan Fatima Omar Lars Ingrid Pierre Chloé"
).split()
LAST = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Kowalski Nowak Müller Schmidt Rossi "
    "Bianchi Dubois Laurent Svensson Hansen Novák Horvat Popescu Ivanov Tanaka Wang Okafor Haddad Silva Costa"
).split()
STREET = "Main Oak Maple Cedar Elm Washington Lake Hill Park Pine River Spring Church High Station Mill".split()
KIND = "Street Avenue Road Lane Drive Court Boulevard Way".split()
CITY = (
    "Springfield Portland Warsaw Berlin Madrid Lyon Milan Oslo Austin Denver Boston Leeds Cork Porto Graz Basel".split()
)
WORDS = (
    "customer called about the late delivery and asked for a refund on the second item we agreed to send it "
    "again next week "
    "please check stock before shipping since last order was missing one part thanks for your patience with this matter"
).split()
AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"

# North American numbers: no area code or exchange ends in 11, no area code has a 9 in its middle, 37x and 96x are kept
# back.
AREAS = [
    a
    for a in range(201, 990)
    if a % 100 != 11 and a // 10 % 10 != 9 and a // 10 not in (37, 96) and (a % 100 or a >= 500)
]
EXCHANGES = [e for e in range(200, 1000) if e % 100 != 11]

NUMERIC: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("id", "row", "count", "epoch_ms"), pl.Int64),
    **dict.fromkeys(("amount", "temperature", "pressure", "latency_ms", "score", "float"), pl.Float64),
}
"""Columns that are numbers in Parquet."""


def series(values: Integers | list[str], width: int = 0) -> pl.Series:
    """Numbers as text, padded with zeros to `width`."""
    found = pl.Series(values)
    return (found if found.dtype == pl.String else found.cast(pl.String)).str.zfill(width)


def numbers(rng: Random, low: int, high: int, n: int, width: int = 0) -> pl.Series:
    return series(rng.integers(low, high, n), width)


def pick(rng: Random, words: list[str], n: int) -> pl.Series:
    return pl.Series(words).gather(rng.integers(0, len(words), n))


def join(*parts: pl.Series | str) -> pl.Series:
    """Cells put together from columns and constants."""
    columns = {str(i): p for i, p in enumerate(parts) if isinstance(p, pl.Series)}
    pieces = [pl.lit(p) if isinstance(p, str) else pl.col(str(i)) for i, p in enumerate(parts)]
    return pl.DataFrame(columns).select(pl.concat_str(pieces)).to_series()


def sentences(rng: Random, n: int, length: int) -> pl.Series:
    return (
        pl.DataFrame([pick(rng, WORDS, n).alias(str(i)) for i in range(length)])
        .select(pl.concat_str("*", separator=" "))
        .to_series()
    )


def of_bytes(data: bytes, width: int) -> pl.Series:
    """ASCII cells of `width` characters each."""
    return pl.Series(np.frombuffer(data, f"S{width}")).cast(pl.String)


def hexes(rng: Random, n: int, width: int) -> pl.Series:
    return of_bytes(rng.bytes(n * width // 2).hex().encode(), width)


def digits(rng: Random, n: int, width: int) -> pl.Series:
    return of_bytes((rng.integers(0, 10, (n, width), np.uint8) + 48).tobytes(), width)


def stamps(rng: Random, n: int) -> pl.Series:
    start = np.datetime64("2015-01-01T00:00:00", "ms")
    return pl.Series(start + rng.integers(0, 3 * 10**8, n) * np.timedelta64(1000, "ms")).dt.strftime(
        "%Y-%m-%dT%H:%M:%S"
    )


def emails(rng: Random, first: pl.Series, last: pl.Series) -> pl.Series:
    serial = rng.integers(0, 10**7, len(first))
    plain = last.str.to_lowercase().str.replace_all("[^a-z]", "")
    return join(
        first.str.head(1).str.to_lowercase(), ".", plain, series(serial), "@example", series(serial % 9), ".com"
    )


def ssns(rng: Random, n: int) -> pl.Series:
    area = rng.integers(1, 900, n)
    area[area == 666] = 667
    return join(series(area, 3), "-", numbers(rng, 1, 100, n, 2), "-", numbers(rng, 1, 10**4, n, 4))


def cards(rng: Random, n: int) -> pl.Series:
    """Visa numbers with their check digit (Luhn)."""
    body = 4 * 10**14 + rng.integers(0, 10**14, n)
    total = np.zeros(n, np.int64)
    for place in range(15):
        digit = body // 10**place % 10 * (2 - place % 2)
        total += digit // 10 + digit % 10
    return series(body * 10 + -total % 10)


def ibans(rng: Random, n: int) -> pl.Series:
    """German accounts with their check digits (ISO 7064, mod 97-10)."""
    account = rng.integers(0, 10**18, n)
    return join("DE", series(98 - (account % 97 * 10**6 + 131400) % 97, 2), series(account, 18))


def people(rng: Random, n: int, start: int) -> dict[str, pl.Series]:
    first, last = pick(rng, FIRST, n), pick(rng, LAST, n)
    email, ssn = emails(rng, first, last), ssns(rng, n)
    notes = pl.DataFrame(
        {"text": sentences(rng, n, 15), "email": email, "ssn": ssn, "a": rng.random(n), "b": rng.random(n)}
    ).select(
        pl.col("text")
        + pl.when(pl.col("a") < 0.02).then(" reach me at " + pl.col("email")).otherwise(pl.lit(""))
        + pl.when(pl.col("b") < 0.01).then(" ssn " + pl.col("ssn") + " on file").otherwise(pl.lit(""))
    )
    area, exchange = (
        pl.Series(known).gather(rng.integers(0, len(known), n)).cast(pl.String) for known in (AREAS, EXCHANGES)
    )
    cents = rng.integers(0, 10**7, n)
    return {
        "id": series(np.arange(start + 1, start + n + 1)),
        "name": join(first, " ", last),
        "email": email,
        "phone": join("(", area, ") ", exchange, "-", numbers(rng, 0, 10**4, n, 4)),
        "ssn": ssn,
        "card": cards(rng, n),
        "iban": ibans(rng, n),
        "address": join(numbers(rng, 1, 9999, n), " ", pick(rng, STREET, n), " ", pick(rng, KIND, n)),
        "city": pick(rng, CITY, n),
        "zip": numbers(rng, 10_000, 99_999, n),
        "dob": pl.Series(
            np.datetime64("1940-01-01", "ms") + rng.integers(0, 25_000, n) * np.timedelta64(86_400_000, "ms")
        ).dt.strftime("%Y-%m-%d"),
        "ip": join(numbers(rng, 1, 255, n), *(part for _ in range(3) for part in (".", numbers(rng, 1, 255, n)))),
        "amount": join(series(cents // 100), ".", series(cents % 100, 2)),
        "notes": notes.to_series(),
    }


def clean(rng: Random, n: int, start: int) -> dict[str, pl.Series]:
    metric = {
        name: pl.Series(rng.normal(0, 100, n).round(4)).cast(pl.String)
        for name in ("temperature", "pressure", "latency_ms", "score")
    }
    return {
        "row": series(np.arange(start, start + n)),
        **metric,
        "order_ref": join("ORD-", numbers(rng, 0, 10**8, n, 8)),
        "category": pick(rng, ["alpha", "beta", "gamma", "delta"], n),
        "status": pick(rng, ["open", "closed", "pending"], n),
        "created_at": stamps(rng, n),
        "commit": hexes(rng, n, 40),
        "version": join(numbers(rng, 0, 40, n), ".", numbers(rng, 0, 40, n), ".", numbers(rng, 0, 40, n)),
        "count": numbers(rng, 0, 5000, n),
        "product": join(pick(rng, STREET, n), " ", pick(rng, ["cable", "lamp", "chair", "desk"], n)),
        "comment": sentences(rng, n, 14),
    }


def adversarial(rng: Random, n: int, start: int) -> dict[str, pl.Series]:
    raw = rng.bytes(24 * n)
    code, iso, long_digits = of_bytes(raw.hex().encode(), 48), stamps(rng, n), digits(rng, n, 30)
    left, right = rng.integers(0, 10**6, n), rng.integers(0, 10**6, n)
    a, b, wide_a, wide_b = series(left), series(right), series(left, 6), series(right, 6)

    def cut(text: pl.Series, sign: str, *lengths: int) -> pl.Series:
        starts = np.cumsum([0, *lengths]).tolist()
        pieces = [text.str.slice(at, length) for at, length in zip(starts, lengths, strict=False)]
        return join(*(part for piece in pieces for part in (sign, piece))).str.slice(1)

    return {
        "hex": code,
        "dashed_hex": cut(code, "-", *[4] * 8),
        "base64": of_bytes(base64.b64encode(raw), 32),
        "uuid": cut(code, "-", 8, 4, 4, 4, 12),
        "json": join('{"id": ', a, ', "ts": "', iso, '", "tag": "', code.str.head(6), '", "n": [', b, ", ", a, "]}"),
        "agent": join(AGENT, series(left % 120), ".0.", b, ".", series(left % 99), " Safari/537.36"),
        "iso_time": iso,
        "iso_zone": join(iso, ".123456+02:00"),
        "serial": join("SN-", wide_a, "-", wide_b),
        "serial_dots": join(wide_a, ".", wide_b),
        "long_digits": long_digits,
        "sixteen": long_digits.str.head(16),
        "nine": long_digits.str.head(9),
        "eleven": long_digits.str.head(11),
        "epoch_ms": numbers(rng, 1_500_000_000_000, 1_800_000_000_000, n),
        "float": pl.Series(rng.random(n)).cast(pl.String),
        "path": join("/var/log/app/", code.str.head(8), "/", a, ".log"),
        "url": join("https://example.org/p/", a, "?q=", code.str.head(10)),
        "spaced": cut(long_digits, " ", 4, 4, 4),
        "upper": code.str.head(17).str.to_uppercase(),
        "date": iso.str.head(10),
        "words": sentences(rng, n, 8),
        "log": join(iso, " INFO worker-", series(left % 16), " took ", b, " ms for ", code.str.head(12)),
    }


TABLES: dict[str, Callable[[Random, int, int], dict[str, pl.Series]]] = {
    "people": people,
    "clean": clean,
    "adversarial": adversarial,
}

# What is planted, by the rule that has to find it.
PLANTS: dict[str, Callable[[Random], str]] = {
    "card": lambda rng: cards(rng, 1)[0],
    "email": lambda rng: emails(rng, pick(rng, FIRST, 1), pick(rng, LAST, 1))[0],
    "iban": lambda rng: ibans(rng, 1)[0],
    "us-ssn": lambda rng: ssns(rng, 1)[0],
}
# Where a table holds values of a rule anyway (`sixteen` by chance), a planted one would be one of many.
AT_HOME = {
    ("email", "email"),
    ("notes", "email"),
    ("ssn", "us-ssn"),
    ("notes", "us-ssn"),
    ("card", "card"),
    ("iban", "iban"),
    ("sixteen", "card"),
}
AT_MOST = 5
"""Plants of one rule in one column: a report names the first five rows."""
LONG = 3000
"""Words of the longer texts around a planted value."""


def frames(kind: str, seed: int) -> Iterator[pl.DataFrame]:
    """Endless frames of CHUNK rows; every cell a string."""
    rng = np.random.default_rng(seed)
    for start in count(0, CHUNK):
        yield pl.DataFrame(TABLES[kind](rng, CHUNK, start))


def planted(columns: list[str], rows: int, n: int, seed: int, typed: bool) -> list[tuple[int, str, str, str]]:
    """`n` hidden identifiers as (row, column, rule, cell), the first of them in the last row. Where columns are
    `typed`, those of integers get card numbers and those of floats nothing. Raises ValueError for more than the table
    can hide."""
    rng = np.random.default_rng([seed, 1])
    pairs = [(c, r) for c in columns for r in PLANTS if (c, r) not in AT_HOME]
    if typed:
        pairs = [(c, r) for c, r in pairs if c not in NUMERIC or (NUMERIC[c] == pl.Int64 and r == "card")]
    if n > min(AT_MOST * len(pairs), rows):
        raise ValueError(f"a table like this hides at most {min(AT_MOST * len(pairs), rows)} values")
    order = rng.permutation(len(pairs))
    places = [rows - 1, *rng.choice(rows - 1, n - 1, replace=False).tolist()] if n else []
    out = []
    for i, row in enumerate(places):
        column, rule = pairs[order[i % len(pairs)]]
        value = PLANTS[rule](rng)
        if i % 2 and not (typed and column in NUMERIC):
            before, after = (" ".join(pick(rng, WORDS, LONG if i % 4 == 1 else 6)) for _ in range(2))
            value = f"{before} {value} {after}"
        out.append((row, column, rule, value))
    return out


def write(kind: str, path: Path, megabytes: float, seed: int = 1, plants: int = 0) -> int:
    """Write about `megabytes` of CSV, or as many rows as Parquet; the number of rows. FILE.plants.json is written
    last."""
    sidecar(path).unlink(missing_ok=True)
    parquet = path.suffix == ".parquet"
    csv = path.with_name(f"{path.name}.csv.part") if parquet else path
    rows = at = 0
    hidden: list[tuple[int, str, str, str]] = []
    with open(csv, "wb") as out:
        for frame in frames(kind, seed):
            if not rows:
                rows = max(1, round(megabytes * 1e6 * CHUNK / len(frame.write_csv().encode())))
                hidden = planted(frame.columns, rows, plants, seed, parquet)
            frame = frame.head(rows - at)
            for row, column, _, cell in hidden:
                if at <= row < at + len(frame):
                    frame[row - at, column] = cell
            frame.write_csv(out, include_header=not at)
            at += len(frame)
            if at == rows:
                break
    if parquet:
        cast = [pl.col(c).cast(dtype) for c, dtype in NUMERIC.items() if c in frame.columns]
        pl.scan_csv(csv, infer_schema=False).with_columns(cast).sink_parquet(path, row_group_size=ROW_GROUP)
        csv.unlink()
    about = {
        "made_by": digest(),
        "rows": rows,
        "plants": [{"row": r, "column": c, "rule": rule} for r, c, rule, _ in sorted(hidden)],
    }
    sidecar(path).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return rows


def sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.plants.json")


def digest() -> str:
    """Tells files of this generator from those of an earlier one."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]


def is_there(path: Path) -> bool:
    """Whether the file was written whole, by this generator."""
    return (
        path.exists()
        and sidecar(path).exists()
        and json.loads(sidecar(path).read_text(encoding="utf-8"))["made_by"] == digest()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(TABLES))
    parser.add_argument("path", type=Path)
    parser.add_argument("--megabytes", type=float, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--plant", type=int, default=0, metavar="N", help="hide N identifiers; their places go into PATH.plants.json"
    )
    parser.add_argument("--keep", action="store_true", help="leave a file that is there already")
    args = parser.parse_args()
    if not (args.keep and is_there(args.path)):
        print(f"{args.path}: {write(args.kind, args.path, args.megabytes, args.seed, args.plant)} rows")


if __name__ == "__main__":
    main()
