"""Customers and their orders, made up, for tests of masking; and the public doors they go through."""

from __future__ import annotations

import base64
import hashlib
import random
import tomllib
from collections.abc import Mapping
from pathlib import Path

import polars as pl
from conftest import run_piiscan

_FIRST = {
    "F": "Mary Sarah Linda Karen Nancy Susan Emily Laura Julia Alice".split(),
    "M": "John Robert Paul Mark David Peter Frank Henry Jack Oscar".split(),
}
_LAST = (
    "Smith Johnson Miller Davis Wilson Anderson Taylor Thomas Moore Martin Clark Lewis Walker Hall Young Allen "
    "King Wright Scott Green"
).split()
_CITIES = "Boston Chicago Denver Seattle Houston Phoenix Dallas Austin Portland Atlanta".split()


def customers(rows: int = 400, seed: int = 3) -> pl.DataFrame:
    """One row a person, with nulls; e-mail addresses and ids are unique."""
    draw = random.Random(seed)
    out = []
    for i in range(rows):
        gender = draw.choice("FM")
        first, last = draw.choice(_FIRST[gender]), draw.choice(_LAST)
        out.append(
            {
                "customer_id": str(10_000_000_000 + 37 * i),
                "first_name": first,
                "last_name": last,
                "gender": gender,
                "email": f"{first}.{last}{draw.randrange(10**6):06}@"
                f"{draw.choice(['mail.com', 'post.net', 'corp.org'])}".lower(),
                "ssn": f"{draw.randrange(101, 600):03}-{draw.randrange(10, 99):02}-{draw.randrange(1000, 9999):04}"
                if i % 20
                else None,
                "phone": f"({draw.randrange(201, 989)}) {draw.randrange(200, 999)}-{draw.randrange(10_000):04}"
                if i % 15
                else None,
                "city": draw.choice(_CITIES) if i % 30 else None,
                "amount": f"{draw.random() * 9000:.2f}",
            }
        )
    return pl.DataFrame(out, infer_schema_length=None)


def orders(people: pl.DataFrame, rows: int = 700, seed: int = 4) -> pl.DataFrame:
    """Orders of some of the people, by their e-mail address and id."""
    draw = random.Random(seed)
    who = [draw.randrange(len(people)) for _ in range(rows)]
    return pl.DataFrame(
        {
            "order_id": [f"A{i:05}" for i in range(rows)],
            "customer_email": people["email"].gather(who),
            "customer_id": people["customer_id"].gather(who),
            "total": [f"{draw.random() * 300:.2f}" for _ in range(rows)],
        }
    )


def folder(root: Path) -> Path:
    """`root`/shop with customers.csv, and the orders a folder below."""
    people = customers()
    shop = root / "shop"
    (shop / "sales").mkdir(parents=True)
    people.write_csv(shop / "customers.csv")
    orders(people).write_csv(shop / "sales" / "orders.csv")
    return shop


def write_key(path: Path) -> None:
    """A key that is the same in every run, and another in another folder: what passes here passes everywhere."""
    secret = hashlib.sha256(f"piiscan tests {path.parent.name}/{path.name}".encode()).digest()
    path.write_bytes(base64.urlsafe_b64encode(secret) + b"\n")
    path.chmod(0o600)


def key_file(root: Path) -> str:
    """The spec of a key."""
    path = root / "key"
    if not path.exists():
        write_key(path)
    return f"file:{path}"


def piiscan(*arguments: str | Path, status: int = 0) -> str:
    """Run the command, insist on its exit status, and give what it said."""
    done = run_piiscan(*arguments)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def planned(path: Path, plan: Path, **changes: str) -> Path:
    """A plan made by the command; in `changes`, "table/column" → what replaces the operator's line."""
    piiscan("plan", path, "-o", plan, "--quiet")
    if changes:
        plan.write_text(edited(plan.read_text(encoding="utf-8"), changes), encoding="utf-8")
    return plan


def edited(text: str, changes: Mapping[str, str]) -> str:
    """A plan's text; by column, what its line says beside its entity and type from now on, in the first table that has
    it."""
    lines = text.split("\n")
    for column, said in changes.items():
        at = next((n for n, line in enumerate(lines) if line.startswith((f"{column} = {{", f'"{column}" = {{'))), None)
        assert at is not None, column
        kept = {k: v for k, v in tomllib.loads(lines[at])[column].items() if k in ("entity", "pii", "dtype")}
        each = [f'{key} = "{value}"' for key, value in kept.items()]
        inner = ", ".join([*each, *said.splitlines(), 'decided_by = "human"'])
        lines[at] = f'"{column}" = {{{inner}}}'
    return "\n".join(lines)


def cells(path: Path) -> pl.DataFrame:
    """A CSV file as text."""
    return pl.read_csv(path, infer_schema=False)


def words_of(frame: pl.DataFrame, columns: list[str]) -> set[str]:
    return {text for c in columns for text in frame[c].drop_nulls().cast(pl.String).to_list()}


def masked_by_plan(root: Path, folder: Path) -> Path:
    """`root` with plan.toml of a folder, a fresh key, and `out`, the folder masked."""
    piiscan("plan", folder, "-o", root / "plan.toml", "-q")
    piiscan("mask", folder, "--plan", root / "plan.toml", "--key", key_file(root), "-o", root / "out")
    return root
