"""A plan as text: nothing is lost on the way, and what is wrong with it is said with its place and what to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Run
from hypothesis import given
from hypothesis import strategies as st
from plan_cases import bare, made, people, write

from piiscan.core.errors import UsageError
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action, Plan, Span, Subject, TablePlan
from piiscan.masking.plan.policy import SHIPPED

NAMES = st.lists(
    st.one_of(
        st.none(),
        st.sampled_from(["a", "a#2", "b", "column_0", "column_1", "column_1#2", "#2", "ü \n\"'\t"]),
        st.text(min_size=1, max_size=6),
    ),
    max_size=6,
)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("wide") / "people.csv", people())


@pytest.mark.parametrize("policy", SHIPPED)
def test_a_plan_comes_back_from_its_text(wide: Path, policy: str) -> None:
    plan = made(wide, policy)
    written = plan_toml.dumps(plan)
    assert bare(plan_toml.loads(written)) == bare(plan)
    assert bare(plan_toml.loads(plan_toml.dumps(plan_toml.loads(written)))) == bare(plan)


def test_everything_a_plan_can_hold_comes_back() -> None:
    columns = (
        Action(
            0,
            "gender",
            "string",
            "GENDER",
            "quasi",
            "hierarchy",
            {"groups": {"x": ["m", "f"], "a.b": ["d"]}},
            decided_by="human",
        ),
        Action(
            1,
            "mail",
            "string",
            "EMAIL_ADDRESS",
            "direct",
            "persona",
            {"kind": "email", "locale": "en_US"},
            "persona",
            "person",
        ),
        Action(2, None, "integer", None, "none", "hash", {}, "ours", accept_frequency=True, notes=("two\nlines\x07",)),
        Action(3, "mail", "date", None, "none", "keep"),
    )
    subject = Subject(
        "person",
        ((1,), (0, 2)),
        "de_DE",
        "kunde",
        0,
        {"0": "m"},
        None,
        None,
        None,
        3,
        1,
        2,
        "First Last",
        decided_by="human",
    )
    table = TablePlan(
        "ä b.xlsx",
        "Sheet 1",
        columns,
        (subject,),
        ({"column": "gender", "op": "=", "value": "x"}, {"missing": ["mail#2"]}),
    )
    spans = (
        Span("EMAIL_ADDRESS", "persona", {"kind": "email", "locale": "en_US"}, "persona"),
        Span("US_SSN", "redact", {}, decided_by="human"),
    )
    plan = Plan("default", "0123", (table, TablePlan("b.csv", None, ())), spans, {"en_US": "x@faker-1"}, ("one",))
    assert bare(plan_toml.loads(plan_toml.dumps(plan))) == bare(plan)


@given(NAMES)
def test_every_column_has_a_label_of_its_own(names: list[str | None]) -> None:
    labels = plan_toml.labels(names)
    assert len(set(labels)) == len(labels)
    plan = Plan(
        "default",
        "0",
        (TablePlan("x.csv", None, tuple(Action(i, n, "string", None, "none", "keep") for i, n in enumerate(names))),),
    )
    back = plan_toml.loads(plan_toml.dumps(plan)).tables[0].columns
    assert plan_toml.labels([a.name for a in back]) == labels


def test_a_repeated_name_and_none_at_all() -> None:
    assert plan_toml.labels(["name", None, "name", "", "name"]) == ["name", "column_1", "name#2", "column_3", "name#3"]


PLAN = """
version = 1
policy = "default"
rules_digest = "0"

[[spans]]
entity = "EMAIL_ADDRESS"
operator = "redact"

[[tables]]
source = "people.csv"
drop_rows = [{column = "age", op = "=", value = "0"}]

[[tables.subjects]]
name = "person"
keys = [["email"]]

[[tables.columns]]
column = "email"
index = 0
dtype = "string"
entity = "EMAIL_ADDRESS"
operator = "persona"
with = {kind = "email", locale = "en_US"}
subject = "person"

[[tables.columns]]
column = "age"
index = 1
dtype = "string"
operator = "spans"
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('operator = "persona"', 'operator = "persone"', ["table people.csv: column email", "'persone'", "persona"]),
        ('locale = "en_US"', 'local = "en_US"', ["column email", "no parameter 'local'", "locale"]),
        ('with = {kind = "email", locale = "en_US"}', 'with = "kind"', ["column email", "with must be a table"]),
        ('keys = [["email"]]', 'keys = [["emali"]]', ["subject person", "no column emali", "email"]),
        ('keys = [["email"]]', "keys = [[3]]", ["subject person", "no column 3"]),
        ('keys = [["email"]]', 'keys = "email"', ["subject person", "keys must be lists of columns"]),
        ('keys = [["email"]]', 'keys = [["email"]]\ngender = "sex"', ["subject person", "no column sex"]),
        ('keys = [["email"]]', 'keys = [["email"]]\nmeaning = 3', ["subject person", "meaning must be a table"]),
        ('subject = "person"', 'subject = "persno"', ["column email", "persno", "person"]),
        (
            'column = "age"\nindex',
            'column = "email"\nindex',
            ["table people.csv", "name#2", "two columns are named email"],
        ),
        ("index = 1\n", "", ["column age", "needs index = 1"]),
        ("index = 1", "index = 4", ["column age", "needs index = 1"]),
        ('column = "age"\nindex', "index", ["people.csv: column 1", "column is missing"]),
        ('dtype = "string"\nentity', 'dtype = "text"\nentity', ["column email", "dtype must be one of string"]),
        ('dtype = "string"\nentity', 'dtype = "integer"\nentity', ["column email", "integer"]),
        (
            'dtype = "string"\nentity = "EMAIL_ADDRESS"',
            'dtype = "string"\nentity = "EMAIL_ADRESS"',
            ["column email", "EMAIL_ADRESS", "EMAIL_ADDRESS"],
        ),
        (
            'operator = "spans"',
            'operator = "keep"\naccept_frequency = "no"',
            ["column age", "accept_frequency must be true or false"],
        ),
        (
            'operator = "spans"',
            'operator = "keep"\ndecided_by = "me"',
            ["column age", "decided_by must be one of policy, human"],
        ),
        ('operator = "spans"', 'operator = "keep"\nopreator = "x"', ["column age", "unknown key opreator", "operator"]),
        ('[[spans]]\nentity = "EMAIL_ADDRESS"\noperator = "redact"\n', "", ["operator spans", "[spans]"]),
        (
            'entity = "EMAIL_ADDRESS"\noperator = "redact"',
            'entity = "EMAIL"\noperator = "redact"',
            ["spans: EMAIL", "piiscan rules list"],
        ),
        ('operator = "redact"', 'operator = "round"\nwith = {base = 10, x = 1}', ["spans: EMAIL_ADDRESS", "'x'"]),
        (
            "[[tables]]\n",
            '[[spans]]\nentity = "EMAIL_ADDRESS"\noperator = "redact"\n[[tables]]\n',
            ["spans", "twice", "EMAIL_ADDRESS"],
        ),
        ('[{column = "age"', '[{column = "aeg"', ["table people.csv: drop_rows", "no column aeg", "age"]),
        ('op = "="', 'op = "is"', ["table people.csv: drop_rows"]),
        ('source = "people.csv"', 'sauce = "people.csv"', ["source is missing"]),
        ("version = 1", "version = 9", ["version 1", "piiscan plan"]),
        ('policy = "default"', 'policy = "default"\nlists = 3', ["lists must be a table"]),
        ("[[tables]]", "[[tables]", ["not TOML"]),
        ("\nversion = 1", '\nversion = 1\ntables = "x"\n#', ["not TOML"]),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, said: list[str]) -> None:
    plan_toml.loads(PLAN, "plan.toml")
    assert old in PLAN
    with pytest.raises(UsageError) as error:
        plan_toml.loads(PLAN.replace(old, new, 1), "plan.toml")
    assert str(error.value).startswith("plan.toml: ")
    assert [s for s in said if s not in str(error.value)] == []


def test_two_tables_of_one_name_are_refused() -> None:
    plan = plan_toml.loads(PLAN)
    with pytest.raises(UsageError, match=r"two tables are named people\.csv"):
        plan_toml.loads(plan_toml.dumps(replace(plan, tables=plan.tables * 2)))


def test_a_wrong_plan_ends_the_command_with_status_2(piiscan: Run, wide: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("persona", "persone"), encoding="utf-8")
    done = piiscan("mask", wide, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out.csv")
    assert done.returncode == 2
    assert "column email" in done.stderr
    assert not (tmp_path / "out.csv").exists()
