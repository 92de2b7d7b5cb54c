"""A plan's text says a decision once: nothing is lost by it, what a person changes in it counts, and texts of version 1
mean what they meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_cases import bare, columns, made, people, write

from benchmarks import residue_hospital
from piiscan.core.errors import UsageError
from piiscan.masking.plan import plan_comments, plan_digest, plan_toml
from piiscan.masking.plan.plan_types import Action, Plan, Span, Subject, TablePlan

GOLDEN = Path(__file__).parent / "golden"
_DECISIONS: list[tuple[str, dict[str, Any]]] = [
    ("keep", {}),
    ("suppress", {}),
    ("hash", {}),
    ("hash", {"length": 20}),
    ("hash", {"length": 32, "normalise": "compact"}),
    ("redact", {"text": "a 'b' \"c\" \\ \n ü"}),
    ("redact", {"entity": "CITY"}),
    ("token", {}),
    ("fpe", {"keep_first": 2}),
    ("hierarchy", {"groups": {"x.y": ["m", "f"], "z": ["#"]}}),
]
_ENTITIES = st.sampled_from([None, "CITY", "US_SSN", "EMAIL_ADDRESS"])
_DOMAINS = st.sampled_from([None, "CITY", "US_SSN", "OTHER", "persona"])
_BY = st.sampled_from(["policy", "policy", "human"])


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Columns of few kinds and few decisions, so that many follow a default and some don't."""

    def action(index: int, name: str) -> Action:
        operator, params = draw(st.sampled_from(_DECISIONS))
        return Action(
            index,
            name,
            "string",
            draw(_ENTITIES),
            draw(st.sampled_from(["direct", "quasi", "none"])),
            operator,
            params,
            draw(_DOMAINS),
            draw(st.sampled_from([None, "person"])),
            draw(st.booleans()),
            draw(_BY),
            rename=draw(st.sampled_from([None, f"new {index}"])),
        )

    tables = []
    for t in range(draw(st.integers(0, 3))):
        names = draw(st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=6))
        names = [n for n in names if not n.startswith("column_") and "#" not in n]
        cells = tuple(action(i, name) for i, name in enumerate(names))
        used = any(c.subject for c in cells)
        subjects = (Subject("person", ((0,),), decided_by=draw(_BY)),) if used else ()
        tables.append(TablePlan(f"{t}.csv", draw(st.sampled_from([None, "x"])), cells, subjects))
    spans = []
    for entity in draw(st.lists(st.sampled_from(["CITY", "US_SSN", "CVV", "PERSON"]), unique=True)):
        operator, params = draw(st.sampled_from(_DECISIONS))
        spans.append(Span(entity, operator, params, draw(_DOMAINS), draw(_BY)))
    return Plan("ours", "0", tuple(tables), tuple(spans), {"en_US": "x"}, vault=draw(st.sampled_from([None, "", "v"])))


@settings(max_examples=50, deadline=None)
@given(plans())
def test_nothing_is_lost(plan: Plan) -> None:
    text = plan_toml.dumps(plan)
    back = plan_toml.loads(text)
    assert back == plan
    assert plan_toml.dumps(back) == text
    assert plan_digest.digest(back) == plan_digest.digest(plan)


@pytest.mark.parametrize("policy", ["default", "gdpr", "hipaa-safe-harbor"])
def test_version_1_means_the_same_in_version_2(policy: str) -> None:
    old = plan_toml.load(GOLDEN / f"plan-{policy}-1.toml")
    text = plan_toml.dumps(old)
    assert "version = 2" in text and plan_toml.loads(text) == old


def _plan(decisions: list[tuple[str, str]], *lines: str) -> str:
    listed = "\n".join(f"{key} = {value}" for key, value in decisions)
    return (
        'version = 2\npolicy = "default"\nrules_digest = "0"\n\n[defaults]\n'
        + listed
        + '\n\n[[tables]]\nsource = "x.csv"\n\n[tables.columns]\n'
        + "\n".join(lines)
        + "\n"
    )


class TestEdits:
    """What a person writes into a plan."""

    def test_a_default_decides_for_all_that_follow_it(self) -> None:
        text = _plan(
            [("CITY", '{operator = "suppress", decided_by = "human"}'), ("keep", '["OTHER"]')],
            'a = {entity = "CITY"}',
            'b = {entity = "CITY", operator = "keep"}',
            "c = {}",
        )
        found = columns(plan_toml.loads(text))
        assert [(a.operator, a.decided_by) for a in found.values()] == [
            ("suppress", "human"),
            ("keep", "policy"),
            ("keep", "policy"),
        ]

    def test_a_column_says_what_differs(self) -> None:
        text = _plan(
            [("EMAIL_ADDRESS", '{operator = "hash", with = {length = 20, normalise = "compact"}, domain = "mails"}')],
            'a = {entity = "EMAIL_ADDRESS", with = {length = 40}, decided_by = "human"}',
            'b = {entity = "EMAIL_ADDRESS", domain = "others"}',
            'c = {entity = "EMAIL_ADDRESS", operator = "hash"}',
        )
        found = columns(plan_toml.loads(text))
        assert [(a.params, a.domain, a.decided_by) for a in found.values()] == [
            ({"length": 40, "normalise": "compact"}, "mails", "human"),
            ({"length": 20, "normalise": "compact"}, "others", "policy"),
            ({}, "EMAIL_ADDRESS", "policy"),
        ]

    def test_a_column_may_be_a_table_of_its_own_with_comments(self) -> None:
        text = _plan(
            [("keep", '[ # as they are\n  "CITY",\n  "OTHER", # the rest\n]')],
            "a = {}  # mine",
            "",
            "[tables.columns.b]  # needs more room",
            'entity = "CITY"',
            'operator = "redact"',
            'decided_by = "human"',
        )
        found = columns(plan_toml.loads(text))
        assert [a.operator for a in found.values()] == ["keep", "redact"]
        (table,) = plan_comments.with_comments(plan_toml.loads(text), text).tables
        assert table.columns[0].notes[0] == "mine"

    def test_a_default_of_a_person_stays_when_the_plan_is_made_anew(self, tmp_path: Path) -> None:
        source = write(tmp_path / "people.csv", people())
        text = plan_toml.dumps(made(source))
        lists = next(line for line in text.splitlines() if line.startswith("keep = "))
        without = lists.replace('"CITY", ', "")
        assert without != lists
        person = 'CITY = {operator = "redact", decided_by = "human"}'
        again = made(source, before=plan_toml.loads(text.replace(lists, f"{without}\n{person}")))
        assert (columns(again)["city"].operator, columns(again)["city"].decided_by) == ("redact", "human")
        assert bare(plan_toml.loads(plan_toml.dumps(again))) == bare(again)


GOOD = _plan(
    [("keep", '["OTHER"]'), ("CITY", '{operator = "hash", with = {length = 20}}')],
    'a = {entity = "CITY"}',
    "b = {}",
)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('keep = ["OTHER"]', "", ["table x.csv: column b", "[defaults] has no entry for OTHER", "operator"]),
        ('keep = ["OTHER"]', 'keep = ["OTHER", "CITY"]', ["defaults: CITY is given twice"]),
        ('keep = ["OTHER"]', 'keep = ["OTHER", "OTHER"]', ["defaults: OTHER is given twice"]),
        ('keep = ["OTHER"]', 'keep = ["OTHER", "CTY"]', ["defaults: CTY is not an entity", "CITY"]),
        ('keep = ["OTHER"]', 'kepe = ["OTHER"]', ["column b", "'kepe'", "keep"]),
        ('keep = ["OTHER"]', "keep = [3]", ["defaults: keep must be a list of entities"]),
        ('keep = ["OTHER"]', 'keep = "OTHER"', ["defaults: keep must be a list of entities"]),
        ('{operator = "hash"', '{oprator = "hash"', ["defaults: CITY: unknown key oprator", "operator"]),
        ('{operator = "hash", ', "{", ["defaults: CITY: operator is missing"]),
        ("with = {length = 20}", "with = 20", ["defaults: CITY: with must be a table"]),
        ("with = {length = 20}", "with = {size = 20}", ["column a", "no parameter 'size'"]),
        ("b = {}", 'b = "CITY"', ["columns: b must be a table", "entity"]),
        ("b = {}", "b = {index = 1}", ["column b", "unknown key index"]),
        ("b = {}", 'b = {entity = "TOWN", operator = "keep"}', ["column b", "TOWN is not an entity"]),
        ("b = {}", "b = {entity = 3}", ["column b", "entity"]),
        ("b = {}", 'b = {subject = "person"}', ["column b", "no subject", "person"]),
        ("b = {}", "b = {}\nb = {}", ["not TOML"]),
        ("[defaults]", "[[defaults]]", ["defaults: not a table"]),
        ("[[tables]]", "[[spans]]\nentity = 3\n[[tables]]", ["spans: not a table", "version 2"]),
        ("[tables.columns]", "[[tables.columns]]", ["columns must be a table"]),
        ("[[tables]]", '[spans]\nkeep = ["OTHER"]\n[[tables]]', ["spans: OTHER is not an entity"]),
        ("version = 2", "version = true", ["version 1 or 2"]),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, said: list[str]) -> None:
    plan_toml.loads(GOOD, "plan.toml")
    assert old in GOOD
    with pytest.raises(UsageError) as error:
        plan_toml.loads(GOOD.replace(old, new, 1), "plan.toml")
    assert str(error.value).startswith("plan.toml: ")
    assert [s for s in said if s not in str(error.value)] == []


@pytest.mark.parametrize("form", ["1", "2"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_key_is_named_and_nothing_else_changes(form: str, ends: str) -> None:
    text = (GOLDEN / f"plan-default{'-1' if form == '1' else ''}.toml").read_text(encoding="utf-8")
    text = ("# ours\n" + text.lstrip("\n")).replace("\n", ends)
    first = plan_toml.with_key(text, "0123456789abcdef")
    both = plan_toml.with_key(first, "fedcba9876543210")
    kept = [line for line in both.split(ends) if not line.startswith("key_ids")]
    assert kept == text.split(ends)
    keys = ("0123456789abcdef", "fedcba9876543210")
    assert plan_toml.loads(both) == replace(plan_toml.loads(text), key_ids=keys)


def test_many_columns_of_few_kinds_take_a_line_each(tmp_path: Path) -> None:
    rows = [{f"{k}_{n}": v for n in range(4) for k, v in r.items()} for r in people(60)]
    plan = made(write(tmp_path / "wide.csv", rows))
    decisions = {(a.entity, a.operator, repr(a.params)) for t in plan.tables for a in t.columns}
    text = plan_toml.dumps(plan)
    assert len(text.splitlines()) <= len(rows[0]) + len(decisions) + len(plan.spans) + 25


def test_a_note_of_all_that_follow_a_default_stands_once(tmp_path: Path) -> None:
    text = plan_toml.dumps(made(write(tmp_path / "people.csv", people())))
    note = "rank attack: below 1%"
    assert [line.partition(" =")[0] for line in text.splitlines() if note in line].count("fpe") == 1
    plan = plan_comments.with_comments(plan_toml.loads(text), text)
    assert note in columns(plan)["ssn"].notes and note in columns(plan)["customer_id"].notes


def test_the_plan_of_a_hospital_can_be_read(tmp_path: Path) -> None:
    residue_hospital.write(residue_hospital.hospital(200, 300, 16), tmp_path / "hospital", 16)
    plan = made(tmp_path / "hospital")
    assert sum(len(t.columns) for t in plan.tables) == 38
    text = plan_toml.dumps(plan)
    assert len(text.splitlines()) <= 150
    assert bare(plan_toml.loads(text)) == bare(plan)
