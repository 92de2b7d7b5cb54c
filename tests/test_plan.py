"""Plans: what each column gets, the same however the data come, without a value in them, and with people's decisions
kept."""

from __future__ import annotations

import datetime as dt
import json
import random
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from conftest import Run
from plan_cases import FIRST, LAST, bare, columns, human, made, people, write

from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.masking.operators import elements, operator_registry
from piiscan.masking.plan import make_plan as make
from piiscan.masking.plan import plan_toml, policy
from piiscan.masking.plan.key_links import RANKS
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.plan.policy import SHIPPED
from piiscan.masking.plan.subjects import SAMPLED
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("wide") / "people.csv", people())


@pytest.fixture(scope="module")
def plan(wide: Path) -> Plan:
    return made(wide)


@pytest.mark.parametrize(
    ("column", "operator"),
    [
        ("first_name", "persona"),
        ("last_name", "persona"),
        ("email", "persona"),
        ("phone", "surrogate"),
        ("street", "surrogate"),
        ("ssn", "fpe"),
        ("medical_record_number", "fpe"),
        ("customer_id", "fpe"),
        ("card_number", "fpe"),
        ("ip_address", "ip"),
        ("mac_address", "mac"),
        ("notes", "spans"),
        ("city", "keep"),
        ("date_of_birth", "keep"),
        ("diagnosis", "keep"),
        ("weight_kg", "keep"),
    ],
)
def test_the_default_policy(plan: Plan, column: str, operator: str) -> None:
    assert columns(plan)[column].operator == operator


@pytest.mark.parametrize("policy", SHIPPED)
def test_no_cell_is_in_a_plan(wide: Path, policy: str) -> None:
    written = plan_toml.dumps(made(wide, policy))
    long_enough = {cell for row in people() for cell in row.values() if len(cell) > 3} - {"2019"}
    assert [cell for cell in long_enough if cell in written] == []


@pytest.mark.parametrize(("seed", "jobs", "batch_rows"), [(1, 1, 65_536), (2, 2, 17), (3, 3, 64)])
def test_the_same_plan_however_the_rows_come(tmp_path: Path, plan: Plan, seed: int, jobs: int, batch_rows: int) -> None:
    rows = people()
    random.Random(seed).shuffle(rows)
    again = made(write(tmp_path / "people.csv", rows), jobs=jobs, batch_rows=batch_rows)
    assert plan_toml.dumps(again) == plan_toml.dumps(plan)


class TestAgain:
    """A plan that is made anew."""

    @pytest.mark.parametrize("change", ["as it was", "other order", "new column in front"])
    def test_keeps_decisions_of_people(self, tmp_path: Path, wide: Path, plan: Plan, change: str) -> None:
        decided = human(plan, "ssn", operator="redact", params={"text": "gone"}, domain=None)
        rows = people()
        if change == "other order":
            rows = [dict(reversed(r.items())) for r in rows]
        elif change == "new column in front":
            rows = [{"visits": str(i % 7), **r} for i, r in enumerate(rows)]
        again = columns(made(write(tmp_path / "people.csv", rows), before=plan_toml.loads(plan_toml.dumps(decided))))
        assert (again["ssn"].operator, again["ssn"].params, again["ssn"].decided_by) == (
            "redact",
            {"text": "gone"},
            "human",
        )
        assert [n for n, a in again.items() if a.decided_by == "human"] == ["ssn"]

    def test_keeps_them_under_another_policy(self, wide: Path, plan: Plan) -> None:
        again = columns(made(wide, "gdpr", before=human(plan, "age", operator="keep")))
        assert (again["age"].operator, again["zip"].operator) == ("keep", "prefix")

    def test_says_where_a_type_has_changed(self, wide: Path, plan: Plan) -> None:
        again = columns(made(wide, before=human(plan, "age", operator="keep", dtype="integer")))["age"]
        assert again.decided_by == "policy"
        assert any("decide again" in note for note in again.notes)

    def test_says_which_decision_has_lost_its_column(self, tmp_path: Path, plan: Plan) -> None:
        rows = [{k: v for k, v in r.items() if k != "ssn"} for r in people()]
        again = made(write(tmp_path / "people.csv", rows), before=human(plan, "ssn", operator="drop"))
        assert any("drop for ssn" in note for note in again.tables[0].notes)

    def test_keeps_subjects_texts_and_rows(self, tmp_path: Path, wide: Path, plan: Plan) -> None:
        (table,) = plan.tables
        names = [a.name for a in table.columns]
        subject = replace(table.subjects[0], keys=((names.index("customer_id"),),), decided_by="human")
        drop = ({"column": "age", "op": "=", "value": "18"},)
        spans = tuple(
            replace(s, operator="redact", params={}, domain=None, decided_by="human") if s.entity == "PERSON" else s
            for s in plan.spans
        )
        before = plan_toml.loads(
            plan_toml.dumps(replace(plan, tables=(replace(table, subjects=(subject,), drop_rows=drop),), spans=spans))
        )
        turned = write(tmp_path / "people.csv", [dict(reversed(r.items())) for r in people()])
        (again,) = (result := made(turned, before=before)).tables
        assert [[again.columns[i].name for i in key] for key in again.subjects[0].keys] == [["customer_id"]]
        assert again.drop_rows == drop
        assert [s.operator for s in result.spans if s.decided_by == "human"] == ["redact"]

    def test_refuses_a_decision_about_people_whose_key_is_gone(self, tmp_path: Path, plan: Plan) -> None:
        (table,) = plan.tables
        before = replace(
            plan, tables=(replace(table, subjects=tuple(replace(s, decided_by="human") for s in table.subjects)),)
        )
        rows = [{k: v for k, v in r.items() if k != "email"} for r in people()]
        with pytest.raises(UsageError, match=r"people\.csv: the subject person.*column email.*make the plan again"):
            made(write(tmp_path / "people.csv", rows), before=before)

    def test_over_its_file(self, piiscan: Run, wide: Path, tmp_path: Path) -> None:
        target = tmp_path / "plan.toml"
        assert piiscan("plan", wide, "-o", target).returncode == 0
        first = target.read_text(encoding="utf-8")
        assert piiscan("plan", wide, "-o", target).returncode == 0
        assert target.read_text(encoding="utf-8") == first
        line = 'ip_address = {entity = "IP_ADDRESS"'
        assert line in first
        written = first.replace(line, line + ', operator = "redact", decided_by = "human"')
        target.write_text(written, encoding="utf-8")
        assert piiscan("plan", wide, "-o", target, "--policy", "hipaa-safe-harbor").returncode == 0
        got = columns(plan_toml.loads(target.read_text(encoding="utf-8")))
        assert (got["ip_address"].operator, got["ip_address"].decided_by, got["mac_address"].operator) == (
            "redact",
            "human",
            "suppress",
        )


class TestNames:
    """What a plan calls columns and tables."""

    def test_a_header_that_is_somebody_s_is_called_by_its_place(self, tmp_path: Path) -> None:
        rows = [{"a": str(i), "b": str(i % 3)} for i in range(30)]
        written = plan_toml.dumps(made(write(tmp_path / "x.csv", rows, ["id", "jane.roe@example.com"])))
        assert "\ncolumn_1 = {" in written
        assert "jane" not in written

    def test_repeated_names_are_counted(self, tmp_path: Path) -> None:
        rows = [{"a": r["email"], "b": r["phone"], "c": r["age"]} for r in people(60)]
        written = plan_toml.dumps(made(write(tmp_path / "x.csv", rows, ["contact", "contact", "contact"])))
        names = [line.partition(" =")[0] for line in written.partition("[tables.columns]")[2].splitlines()]
        assert [name for name in names if "contact" in name] == ["contact", '"contact#2"', '"contact#3"']

    def test_without_a_header_columns_have_numbers(self, tmp_path: Path) -> None:
        rows = [{k: r[k] for k in ("email", "ssn", "age")} for r in people(100)]
        plan = made(write(tmp_path / "x.csv", rows, ()))
        assert [a.name for a in plan.tables[0].columns] == [None, None, None]
        assert [a.operator for a in plan.tables[0].columns][:2] == ["persona", "fpe"]
        assert "\ncolumn_2 = {" in plan_toml.dumps(plan)

    def test_folders_sheets_and_tables(self, tmp_path: Path) -> None:
        (tmp_path / "data" / "deep").mkdir(parents=True)
        write(tmp_path / "data" / "deep" / "people.csv", people(60))
        with sqlite3.connect(tmp_path / "data" / "shop.sqlite") as base:
            base.execute("create table customers (email text, age integer)")
            base.execute("create table orders (id integer, total real)")
            base.executemany("insert into customers values (?, ?)", [(r["email"], int(r["age"])) for r in people(60)])
            base.execute("insert into orders values (1, 2.5)")
        base.close()
        plan = made(tmp_path / "data")
        assert [(t.source, t.table) for t in plan.tables] == [
            ("deep/people.csv", None), ("shop.sqlite", "customers"), ("shop.sqlite", "orders")
        ]  # fmt: skip
        assert bare(plan_toml.loads(plan_toml.dumps(plan))) == bare(plan)
        assert str(tmp_path) not in plan_toml.dumps(plan)

    def test_a_file_s_source_is_its_name(self, plan: Plan) -> None:
        assert plan.tables[0].source == "people.csv"

    def test_workbooks(self, piiscan: Run) -> None:
        done = piiscan("plan", "examples/hospital.xlsx")
        assert done.returncode == 0
        assert {(t.source, t.table) for t in plan_toml.loads(done.stdout).tables} >= {("hospital.xlsx", "clinics")}


def test_pages_and_names_on_sites_are_those_of_the_row_s_person(tmp_path: Path) -> None:
    rows = [{k: r[k] for k in ("first_name", "last_name", "email", "homepage")} for r in people()]
    for i, r in enumerate(rows):
        name = f"{r['first_name']}{r['last_name']}{i}".lower()
        r |= {
            "LinkedIn": f"https://www.linkedin.com/in/{name}",
            "twitter_handle": name,
            "github_user": name,
            "company_website": f"https://www.firm{i}.example",
            "company_site": f"https://{name}.example",
        }
    found = columns(made(write(tmp_path / "people.csv", rows)))
    assert {a.subject for n, a in found.items() if not n.startswith("company")} == {"person"}
    assert {
        n: a.params["kind"] for n, a in found.items() if a.entity in ("URL", "USERNAME") and a.operator == "persona"
    } == {
        "homepage": "url",
        "LinkedIn": "url",
        "twitter_handle": "username",
        "github_user": "username",
    }
    assert (found["company_website"].operator, found["company_site"].operator) == ("keep", "spans")


def test_few_values_are_suppressed_with_a_note(tmp_path: Path) -> None:
    rows = people(300)
    five = [r["ssn"] for r in rows[:5]]
    got = columns(made(write(tmp_path / "x.csv", [{**r, "ssn": five[i % 5]} for i, r in enumerate(rows)])))["ssn"]
    assert (got.entity, got.operator) == ("US_SSN", "suppress")
    assert any("accept_frequency = true" in note for note in got.notes)


@pytest.mark.parametrize("policy", SHIPPED)
@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("ssn", pl.Series([int(r["ssn"].replace("-", "")) for r in people()])),
        ("customer_id", pl.Series([float(r["customer_id"]) for r in people()])),
        ("customer_id", pl.Series([int(r["customer_id"]) for r in people()], dtype=pl.UInt32)),
        ("date_of_birth", pl.Series([dt.date.fromisoformat(r["date_of_birth"]) for r in people()])),
        ("date_of_birth", pl.Series([dt.datetime.fromisoformat(r["date_of_birth"]) for r in people()])),
        ("phone", pl.Series([2125550000 + i for i in range(200)])),
        ("zip", pl.Series([int(r["zip"]) for r in people()])),
        ("age", pl.Series([float(r["age"]) for r in people()])),
        ("email", pl.Series([[r["email"]] for r in people()])),
    ],
    ids=lambda v: str(v.dtype) if isinstance(v, pl.Series) else None,
)
def test_every_typed_column_gets_an_operator_that_holds_it(
    tmp_path: Path, policy: str, column: str, cells: pl.Series
) -> None:
    pl.DataFrame(
        [pl.Series([r["first_name"] for r in people()]).alias("first_name"), cells.alias(column)]
    ).write_parquet(tmp_path / "x.parquet")
    got = columns(made(tmp_path / "x.parquet", policy))[column]
    elements.dtype(operator_registry.make(got.operator, got.params), got.dtype)
    assert got.operator != "keep" or got.pii != "direct"


def keys_of(plan: Plan) -> dict[str, list[list[str | None]]]:
    (table,) = plan.tables
    return {s.name: [[table.columns[i].name for i in key] for key in s.keys] for s in table.subjects}


def some(*wanted: str, **more: Callable[[dict[str, str], random.Random], str]) -> list[dict[str, str]]:
    draw = random.Random(5)
    return [{k: r[k] for k in wanted} | {k: make(r, draw) for k, make in more.items()} for r in people()]


def full(row: dict[str, str], draw: random.Random) -> str:
    return f"{draw.choice(FIRST)} {draw.choice(LAST)}"


def mail(row: dict[str, str], draw: random.Random) -> str:
    return f"{draw.choice(LAST)}{draw.randint(1, 9999)}@example.com".lower()


class TestSubjects:
    """Whom the rows are about."""

    @pytest.mark.parametrize(
        ("wanted", "keys"),
        [
            (
                ("first_name", "last_name", "email", "customer_id"),
                [["email"], ["customer_id"], ["first_name", "last_name"]],
            ),
            (("first_name", "last_name", "customer_id"), [["customer_id"], ["first_name", "last_name"]]),
            (("first_name", "last_name"), [["first_name", "last_name"]]),
        ],
    )
    def test_the_key_is_the_e_mail_then_the_number_then_the_names(
        self, tmp_path: Path, wanted: tuple[str, ...], keys: list[list[str]]
    ) -> None:
        assert keys_of(made(write(tmp_path / "customers.csv", some(*wanted)))) == {"person": keys}

    def test_an_e_mail_stands_alone(self, tmp_path: Path) -> None:
        rows = some(order_id=lambda r, d: str(d.randint(1, 10**9)), customer_email=mail)
        plan = made(write(tmp_path / "orders.csv", rows))
        assert columns(plan)["customer_email"].operator == "persona"
        assert list(keys_of(plan).values()) == [[["customer_email"]]]

    def test_a_prefix_is_a_person(self, tmp_path: Path) -> None:
        rows = some(billing_name=full, billing_email=mail, shipping_name=full, shipping_email=mail)
        plan = made(write(tmp_path / "orders.csv", rows))
        assert keys_of(plan) == {s: [[f"{s}_email"], [f"{s}_name"]] for s in ("billing", "shipping")}
        assert {n: a.subject for n, a in columns(plan).items()} == {n: n.partition("_")[0] for n in rows[0]}

    def test_parts_that_people_play_are_people(self, tmp_path: Path) -> None:
        rows = some("first_name", "last_name", "email", manager=full, reviewer=full)
        plan = made(write(tmp_path / "staff.csv", rows))
        assert {n: a.subject for n, a in columns(plan).items()} == {
            "first_name": "person",
            "last_name": "person",
            "email": "person",
            "manager": "manager",
            "reviewer": "reviewer",
        }

    def test_no_two_subjects_have_one_name(self, tmp_path: Path) -> None:
        plan = made(write(tmp_path / "x.csv", some("first_name", "email", person_name=full, person_email=mail)))
        names = [s.name for s in plan.tables[0].subjects]
        assert len(names) == len(set(names)) == 2
        assert bare(plan_toml.loads(plan_toml.dumps(plan))) == bare(plan)

    def test_a_gender_belongs_to_the_row_s_own_person(self, tmp_path: Path) -> None:
        rows = some("first_name", "last_name", "email", gender=lambda r, d: d.choice("MF"), manager=full)
        subjects = {s.name: s for s in made(write(tmp_path / "staff.csv", rows)).tables[0].subjects}
        assert subjects["person"].gender == 3
        assert subjects["manager"].gender is None


def test_what_could_not_be_read_is_reported(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write(tmp_path / "data" / "people.csv", people(60))
    (tmp_path / "data" / "broken.parquet").write_bytes(b"PAR1 nothing PAR1")
    done = piiscan("plan", tmp_path / "data", "-o", tmp_path / "plan.toml")
    assert done.returncode == 3
    assert "not read: " in done.stderr
    assert [t.source for t in plan_toml.loads((tmp_path / "plan.toml").read_text(encoding="utf-8")).tables] == [
        "people.csv"
    ]


def test_nested_json(tmp_path: Path) -> None:
    lines = [json.dumps({"user": {"email": r["email"], "tags": ["a"]}, "n": i}) for i, r in enumerate(people(60))]
    (tmp_path / "x.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    got = columns(made(tmp_path / "x.jsonl"))
    assert got["user.email"].operator == "persona"


def test_of_a_scanned_table_few_texts_are_kept(tmp_path: Path) -> None:
    """Thousands of tables have to have room: what is kept of one is what its plan looks at."""
    path = write(tmp_path / "people.csv", people(2000))
    chosen, found = policy.load("default"), []
    rules = rule_sets.load(())

    def seen(info: TableInfo, summary: TableSummary, report: TableReport) -> None:
        found.append(make.scanned(info, summary, report, chosen))

    engine.scan_tables(inputs.discover([str(path)], ReadOptions()), rules, ScanOptions(), None, seen)
    (kept,) = found
    texts = {c.entity: len(sample) for c, sample in zip(kept.report.columns, kept.samples, strict=True) if sample}
    numbers = {"MEDICAL_RECORD", "PERSON_ID", "VEHICLE_ID", "US_SSN", "CREDIT_CARD", *RANKS}
    names = {"PERSON", "FIRST_NAME", "LAST_NAME"}
    assert texts.keys() <= names | numbers | {"STREET_ADDRESS", "COUNTRY", "PHONE_NUMBER"}
    assert 0 < max(texts.values()) <= SAMPLED
    assert make.plan(found, chosen, rules.digest).tables[0].columns == made(path).tables[0].columns
