"""Tables and comparisons that the tests of distributed work share."""

from __future__ import annotations

import datetime as dt
import decimal
import random
from typing import Any

import pyarrow as pa

from piiscan.api.report import Report


def people(rows: int, seed: int = 3) -> pa.Table:
    """A table of every type that engines have."""
    draw = random.Random(seed)
    firsts, lasts = ("Ann", "Bob", "Cem", "Dora", "Eva"), ("Smith", "Jones", "Yilmaz", "Novak", "Rossi")
    day = dt.date(1950, 1, 1)
    born = [day + dt.timedelta(days=draw.randrange(20_000)) if draw.random() > 0.05 else None for _ in range(rows)]
    moments = [dt.datetime(2024, 1, 1) + dt.timedelta(seconds=draw.randrange(10**7)) for _ in range(rows)]
    mails = [f"{draw.choice(firsts)}.{draw.choice(lasts)}{draw.randrange(rows)}@mail{i % 7}.com" for i in range(rows)]
    return pa.table(
        {
            "customer": pa.array([1000 + i for i in range(rows)], pa.int64()),
            "name": [f"{draw.choice(firsts)} {draw.choice(lasts)}" for _ in range(rows)],
            "email": pa.array([m if draw.random() > 0.1 else None for m in mails], pa.string()),
            "ssn": [f"{draw.randrange(100, 600)}-{draw.randrange(10, 99)}-{draw.randrange(1000, 9999)}" for _ in mails],
            "born": pa.array(born, pa.date32()),
            "age": pa.array([draw.randrange(18, 90) if draw.random() > 0.1 else None for _ in mails], pa.int32()),
            "pay": pa.array([decimal.Decimal(draw.randrange(10**6)) / 100 for _ in mails], pa.decimal128(10, 2)),
            "ok": pa.array([draw.random() > 0.5 for _ in mails], pa.bool_()),
            "seen": pa.array(moments, pa.timestamp("us")),
            "at": pa.array(moments, pa.timestamp("us", tz="UTC")),
            "tags": pa.array([[f"t{draw.randrange(4)}"] * draw.randrange(3) for _ in mails], pa.list_(pa.string())),
            "home": pa.array(
                [{"city": draw.choice(("Boston", "Rome")), "zip": f"{draw.randrange(10**5):05}"} for _ in mails],
                pa.struct([("city", pa.string()), ("zip", pa.string())]),
            ),
            "phones": pa.array(
                [[("work", f"212-555-{draw.randrange(10**4):04}")] for _ in mails], pa.map_(pa.string(), pa.string())
            ),
            "blob": pa.array([bytes([65 + draw.randrange(20)] * 3) for _ in mails], pa.binary()),
            "doc": [f'{{"boss": "{draw.choice(firsts)}@corp.org", "n": {draw.randrange(9)}}}' for _ in mails],
            "note": [f"Call {draw.choice(firsts)} at 212-555-{draw.randrange(10**4):04}." for _ in mails],
        }
    )


def cut(table: pa.Table, rows: int) -> list[pa.Table]:
    return [table.slice(at, rows) for at in range(0, table.num_rows, rows)]


def without_positions(report: Report) -> Any:
    """All that a report says, but for the numbers of rows."""
    return _without(report.to_dict())


def _without(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {key: _without(value) for key, value in plain.items() if key not in ("first_rows", "first_places")}
    return [_without(item) for item in plain] if isinstance(plain, list) else plain


def in_parts(plan: Any) -> Any:
    """A plan of which each partition can be masked by itself: a person whom few rows tell of isn't made up anew for
    each row, and texts are emptied."""
    from dataclasses import replace

    def action(each: Any) -> Any:
        if each.operator == "persona":
            params = {key: value for key, value in each.params.items() if key != "per"}
            return replace(each, params=params, accept_frequency=True)
        return replace(each, operator="suppress", params={}, domain=None) if each.operator == "spans" else each

    tables = (replace(t, columns=tuple(map(action, t.columns))) for t in plan.tables)
    return replace(plan, tables=tuple(tables))


def rows_of(table: pa.Table) -> list[str]:
    """The rows as texts, sorted: what is in a table, whatever its order."""
    return sorted(map(repr, table.to_pylist()))
