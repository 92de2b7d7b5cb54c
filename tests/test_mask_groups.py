"""Cells on other rows: within the groups that a plan names, drawn from a column's distribution, and never out of
rows that are left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from mask_people import cells, key_file, piiscan

import piiscan as api
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan

KEY = Key(bytes(range(1, 33)))
ROWS = 600
DRAW = np.random.default_rng(11)
STAFF = pl.DataFrame(
    {
        "department": DRAW.choice(["sales", "care", ""], ROWS),
        "site": DRAW.choice(["north", "south"], ROWS),
        "salary": [str(n) for n in DRAW.integers(20_000, 90_000, ROWS)],
        "weight": [f"{x:.1f}" for x in DRAW.normal(75, 9, ROWS)],
    }
).with_columns(pl.when(pl.int_range(pl.len()) % 17 != 0).then("salary").alias("salary"))


def plan_of(frame: pl.DataFrame, column: str, operator: str, params: dict[str, Any], **rest: Any) -> Plan:
    """Keeps all columns but one."""
    actions = tuple(
        Action(i, name, "string", None, "none", *((operator, params) if name == column else ("keep", {})), domain=None)
        for i, name in enumerate(frame.columns)
    )
    return Plan("ours", "0123", (TablePlan("staff.csv", None, actions, **rest),))


def test_shuffling_keeps_each_group_s_cells() -> None:
    groups = ["department", "site"]
    out = api.mask(STAFF, plan_of(STAFF, "salary", "shuffle", {"groups": groups}), KEY)
    assert out.drop("salary").equals(STAFF.drop("salary"))
    assert out["salary"].is_null().equals(STAFF["salary"].is_null())
    for name, rows in STAFF.with_row_index("row").group_by(groups):
        there = out["salary"].gather(rows["row"])
        assert sorted(there.drop_nulls()) == sorted(rows["salary"].drop_nulls()), name
        assert not there.equals(rows["salary"])
    whole = api.mask(STAFF, plan_of(STAFF, "salary", "shuffle", {}), KEY)
    crossed = [
        g for g, was, now in zip(STAFF["department"], STAFF["salary"], whole["salary"], strict=True) if was != now and g
    ]
    assert (
        sorted(whole["salary"].drop_nulls()) == sorted(STAFF["salary"].drop_nulls())
        and crossed
        and not whole.equals(out)
    )


def test_files_are_shuffled_as_frames_are_and_verified(tmp_path: Path) -> None:
    source = tmp_path / "staff.csv"
    STAFF.write_csv(source)
    plan = tmp_path / "plan.toml"
    plan.write_text(plan_toml.dumps(plan_of(STAFF, "salary", "shuffle", {"groups": ["department", "site"]})))
    key = key_file(tmp_path)
    for jobs in ("1", "3"):
        piiscan("mask", source, "--plan", plan, "--key", key, "--jobs", jobs, "-o", tmp_path / f"out{jobs}.csv")
    one, three = ((tmp_path / f"out{n}.csv").read_bytes() for n in (1, 3))
    assert one == three
    frame = api.mask(STAFF, plan_toml.load(plan), key)
    assert cells(tmp_path / "out1.csv")["salary"].equals(frame["salary"])


def test_groups_of_few_pass_verification(tmp_path: Path) -> None:
    frame = pl.DataFrame({"room": [str(i // 2) for i in range(400)], "note": [f"text {i}" for i in range(400)]})
    source = tmp_path / "rooms.csv"
    frame.write_csv(source)
    plan = tmp_path / "plan.toml"
    plan.write_text(plan_toml.dumps(plan_of(frame, "note", "shuffle", {"groups": ["room"]})))
    piiscan(
        "mask", source, "--plan", plan, "--key", key_file(tmp_path), "-o", tmp_path / "out.csv"
    )  # every second cell stays
    assert 120 < int((cells(tmp_path / "out.csv")["note"] == frame["note"]).sum()) < 280


@pytest.mark.parametrize(
    ("operator", "params"), [("shuffle", {}), ("shuffle", {"groups": ["site"]}), ("resample", {"least": 1})]
)
def test_what_is_left_out_goes_into_no_other_row(operator: str, params: dict[str, Any]) -> None:
    plan = plan_of(STAFF, "salary", operator, params, drop_rows=({"column": "department", "op": "=", "value": "care"},))
    out = api.mask(STAFF, plan, KEY)
    stays = STAFF.filter(pl.col("department") != "care")
    assert len(out) == len(stays) and out["site"].equals(stays["site"])
    left = Counter(stays["salary"].drop_nulls())
    assert set(out["salary"].drop_nulls()) <= set(left)
    if operator == "shuffle":
        assert Counter(out["salary"].drop_nulls()) == left


def test_batches_can_not_be_shuffled() -> None:
    masker = api.Masker(plan_of(STAFF, "salary", "shuffle", {"groups": ["site"]}), KEY)
    with pytest.raises(UsageError, match="salary: its operator must see the whole column"):
        masker(STAFF.head(10))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["departement"], "salary: shuffle: groups: no column departement.*department"),
        (["salary"], "salary is the column itself"),
        ("site", "must be a list"),
        ([3], "must be a list"),
    ],
)
def test_wrong_groups_are_refused_with_the_plan(groups: Any, message: str) -> None:
    written = plan_toml.dumps(plan_of(STAFF, "salary", "shuffle", {"groups": groups}))
    with pytest.raises(UsageError, match=message):
        plan_toml.loads(written)
    with pytest.raises(UsageError, match=message):
        api.mask(STAFF, plan_of(STAFF, "salary", "shuffle", {"groups": groups}), KEY)


def test_lists_make_no_groups() -> None:
    plan = plan_of(STAFF, "salary", "shuffle", {"groups": ["site"]})
    (table,) = plan.tables
    columns = tuple(replace(a, dtype="other") if a.name == "site" else a for a in table.columns)
    with pytest.raises(UsageError, match="site is a column of type other, which can't form groups"):
        plan_toml.loads(plan_toml.dumps(replace(plan, tables=(replace(table, columns=columns),))))


def test_a_policy_s_groups_must_be_there(tmp_path: Path) -> None:
    ours = tmp_path / "ours.toml"
    rules = '[[rule]]\ncolumn = "salary"\noperator = "shuffle"\nwith = {groups = ["%s"]}\n[[rule]]\noperator = "keep"\n'
    ours.write_text(rules % "site")
    made = api.plan(STAFF, ours)
    assert [dict(a.params) for a in made.tables[0].columns if a.operator == "shuffle"] == [{"groups": ["site"]}]
    decided = replace(made.tables[0].columns[2], decided_by="human")
    before = replace(
        made,
        tables=(replace(made.tables[0], columns=(*made.tables[0].columns[:2], decided, made.tables[0].columns[3])),),
    )
    with pytest.raises(UsageError, match="salary: shuffle: groups: no column site"):
        api.plan(STAFF.drop("site"), "default", before)
    ours.write_text(rules % "town")
    with pytest.raises(UsageError, match="groups: no column town"):
        api.plan(STAFF, ours)


def test_distributions_are_resampled_through_a_plan(tmp_path: Path) -> None:
    source, plan = tmp_path / "staff.csv", tmp_path / "plan.toml"
    STAFF.write_csv(source)
    plan.write_text(plan_toml.dumps(plan_of(STAFF, "weight", "resample", {"method": "distribution"})))
    piiscan("mask", source, "--plan", plan, "--key", key_file(tmp_path), "-o", tmp_path / "out.csv")
    was, now = (cells(p)["weight"] for p in (source, tmp_path / "out.csv"))
    assert now.str.contains(r"^\d+\.\d$").all()
    low, high = (was.cast(pl.Float64).min(), was.cast(pl.Float64).max())
    assert now.cast(pl.Float64).is_between(low, high).all()
    assert abs(float(now.cast(pl.Float64).mean() or 0) - 75) < 1.5
    assert abs(np.corrcoef(was.cast(pl.Float64), now.cast(pl.Float64))[0, 1]) < 0.15
