"""What the tests of plans share: people who don't exist, and plans made of files."""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from piiscan.io.read_options import ReadOptions
from piiscan.masking.plan import policy
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan
from piiscan.masking.run.planning import plan_files
from piiscan.rules import rule_sets
from piiscan.scanning.scan_options import ScanOptions

FIRST = (
    "James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph "
    "Jessica"
).split()
LAST = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Wilson Anderson "
    "Thomas Taylor"
).split()
STATES = ("Ohio", "Texas", "Maine", "Iowa", "Utah", "Nevada", "Oregon", "Kansas")
CITIES = ("Columbus", "Houston", "Portland", "Des Moines", "Provo", "Reno", "Salem", "Wichita")


def people(rows: int = 200, seed: int = 7) -> list[dict[str, str]]:
    """A wide table: something of nearly every kind that a policy knows."""
    draw = random.Random(seed)
    out = []
    for i in range(rows):
        first, last = draw.choice(FIRST), draw.choice(LAST)
        out.append(
            {
                "first_name": first,
                "last_name": last,
                "email": f"{first}.{last}{i}@example.com".lower(),
                "phone": f"({draw.randint(201, 989)}) {draw.randint(200, 999)}-{draw.randint(0, 9999):04}",
                "fax": f"({draw.randint(201, 989)}) {draw.randint(200, 999)}-{draw.randint(0, 9999):04}",
                "ssn": f"{draw.randint(101, 665)}-{draw.randint(10, 99)}-{draw.randint(1000, 9999)}",
                "medical_record_number": f"MRN{draw.randint(10**6, 10**7)}",
                "customer_id": str(100000 + i * 7),
                "street": f"{draw.randint(1, 9999)} {draw.choice(LAST)} Street",
                "city": draw.choice(CITIES),
                "state": draw.choice(STATES),
                "county": f"{draw.choice(LAST)} County",
                "zip": f"{draw.randint(501, 99950):05}",
                "date_of_birth": f"{draw.randint(1925, 2005)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
                "age": str(draw.randint(18, 99)),
                "admission_date": f"{draw.randint(1, 12):02}/{draw.randint(1, 28):02}/{draw.randint(2019, 2024)}",
                "ip_address": ".".join(str(draw.randint(1, 254)) for _ in range(4)),
                "mac_address": ":".join(f"{draw.randint(0, 255):02x}" for _ in range(6)),
                "homepage": f"https://example.com/~{first}{last}{i}".lower(),
                "license_plate": f"{draw.choice('ABCDEFG')}{draw.choice('HJKLM')}"
                f"{draw.choice('NPRST')}{draw.randint(1000, 9999)}",
                "card_number": f"4{draw.randint(10**14, 10**15 - 1)}",
                "notes": f"Please call {first} {last} at 212-555-{draw.randint(100, 199):04} or write to "
                f"{first}{i}@example.org about ticket {i}.",
                "diagnosis": draw.choice(("Asthma", "Diabetes", "Migraine", "Hypertension")),
                "weight_kg": f"{draw.uniform(50, 110):.1f}",
            }
        )
    return out


def write(path: Path, rows: Sequence[Mapping[str, str]], header: Sequence[str] | None = None) -> Path:
    """`header`: other names for the columns; () for none at all."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        if header != ():
            out.writerow(header or list(rows[0]))
        out.writerows(list(r.values()) for r in rows)
    return path


def made(
    path: Path, name: str = "default", before: Plan | None = None, jobs: int = 1, batch_rows: int = 65_536
) -> Plan:
    plan, report = plan_files(
        path,
        policy.load(name),
        rule_sets.load(),
        ReadOptions(batch_rows=batch_rows),
        ScanOptions(jobs=jobs),
        before,
    )
    assert report.complete
    return plan


def columns(plan: Plan) -> dict[str, Action]:
    """The columns of the only table, by name."""
    (table,) = plan.tables
    return {a.name or f"column_{a.index}": a for a in table.columns}


def bare(plan: Plan) -> Plan:
    """Without what a text doesn't bring back: notes, and which columns made a subject."""

    def table(t: TablePlan) -> TablePlan:
        subjects = tuple(replace(s, notes=(), columns=()) for s in t.subjects)
        return replace(t, notes=(), subjects=subjects, columns=tuple(replace(c, notes=()) for c in t.columns))

    return replace(plan, notes=(), tables=tuple(map(table, plan.tables)))


def human(plan: Plan, column: str, **changes: Any) -> Plan:
    """The plan of one table after a person has changed a column."""
    (table,) = plan.tables
    changed = tuple(replace(a, decided_by="human", **changes) if a.name == column else a for a in table.columns)
    return replace(plan, tables=(replace(table, columns=changed),))
