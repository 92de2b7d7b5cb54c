"""Policies: what is shipped keeps what it promises, and what can't be right is refused."""

from __future__ import annotations

import csv
import random
import re
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT, Run
from plan_cases import columns, human, made, people, write

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.masking.operators import operator_registry
from piiscan.masking.plan import plan_toml, policy
from piiscan.masking.plan.plan_types import Action, Plan

HIPAA = "hipaa-safe-harbor"
ERASED = (
    "first_name last_name email phone fax ssn medical_record_number customer_id street city county ip_address "
    "mac_address homepage license_plate card_number"
)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("wide") / "patients.csv", people())


@pytest.fixture(scope="module")
def safe(wide: Path) -> Plan:
    return made(wide, HIPAA)


@pytest.fixture(scope="module")
def read(wide: Path) -> Plan:
    """By the policy of those who have their texts read by somebody."""
    shipped = (policy.FOLDER / f"{HIPAA}.toml").read_text(encoding="utf-8")
    ours = wide.with_name("ours.toml")
    text_rules = re.compile(r'(entity = \["FREE_TEXT"\]|inside = true)\noperator = "suppress"')
    changed, n = text_rules.subn(r'\1\noperator = "spans"\nwith = {names = true}', shipped)
    assert n == 2
    ours.write_text(changed, encoding="utf-8")
    return made(wide, str(ours))


@pytest.mark.parametrize("name", policy.SHIPPED)
def test_every_policy_says_what_its_output_still_is(name: str) -> None:
    notes = " ".join(policy.load(name).notes)
    assert "data remain personal data" in notes or "De-identified data may still let people be recognised" in notes


@pytest.mark.parametrize("name", policy.SHIPPED)
def test_a_plan_repeats_its_policy_s_notes(name: str, wide: Path) -> None:
    written = plan_toml.dumps(made(wide, name))
    assert all(f"# {note}\n" in written for note in policy.load(name).notes)


def test_nothing_in_a_hipaa_plan_is_derived_from_a_value(safe: Plan, read: Plan) -> None:
    """45 CFR 164.514(c). Spans do as `[spans]` say, so those count in its place."""
    for plan in (safe, read):
        used = [(a.operator, a.params) for t in plan.tables for a in t.columns] + [
            (s.operator, s.params) for s in plan.spans
        ]
        assert not [operator for operator, params in used if operator_registry.make(operator, params).keyed]
        assert not plan.lists
        assert not plan.tables[0].subjects


def test_hipaa_suppresses_texts_unless_somebody_reads_them(safe: Plan, read: Plan) -> None:
    assert columns(safe)["notes"].operator == "suppress" and not safe.spans
    assert any("only where somebody has read it" in note for note in columns(safe)["notes"].notes)
    assert (columns(read)["notes"].operator, columns(read)["notes"].params) == ("spans", {"names": True})
    assert {s.operator for s in read.spans} == {"redact"}
    direct = {entity for entity, pii in PII_CLASS.items() if pii == "direct"}
    assert direct | {"URL", "LOCATION", "DATE_OF_BIRTH", "AGE", "POSTAL_CODE"} <= {s.entity for s in read.spans}


HARBOR: dict[str, tuple[str, str]] = {
    "A": ("first_name last_name title salutation", "suppress"),
    "B": ("street city county zip", "suppress zip3"),
    "C": ("date_of_birth admission_date age", "date-generalise top-bottom"),
    "D": ("phone", "suppress"),
    "E": ("fax", "suppress"),
    "F": ("email", "suppress"),
    "G": ("ssn", "suppress"),
    "H": ("medical_record_number", "suppress"),
    "I": ("health_plan_beneficiary_number", "suppress"),
    "J": ("bank_account_number card_number card_expiry exp_date", "suppress"),
    "K": ("driver_license_number", "suppress"),
    "L": ("vin license_plate", "suppress"),
    "M": ("imei device_serial_number mac_address", "suppress"),
    "N": ("homepage", "suppress"),
    "O": ("ip_address", "suppress"),
    "P": ("fingerprint biometric_template", "suppress"),
    "Q": ("photo face_picture", "suppress"),
    "R": ("customer_id employee_number user_name passport_number", "suppress"),
}
"""The eighteen identifiers of 45 CFR 164.514(b)(2)(i), columns that hold them, and what may become of those."""


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Action]:
    draw = random.Random(18)
    rows = people()
    for i, row in enumerate(rows):
        row |= {
            "health_plan_beneficiary_number": f"{draw.randrange(10**9):09}W{draw.randrange(100):02}",
            "bank_account_number": f"{draw.randrange(10**10):010}",
            "driver_license_number": f"D{draw.randrange(10**7):07}",
            "vin": f"1HGCM826{draw.randrange(10)}3A{draw.randrange(10**6):06}",
            "imei": f"35{draw.randrange(10**13):013}",
            "device_serial_number": f"C02{draw.randrange(10**8):08}",
            "fingerprint": f"tpl-{draw.getrandbits(96):024x}",
            "biometric_template": f"b{draw.getrandbits(96):024x}",
            "photo": f"p{i:05}.png",
            "face_picture": f"{i:05}.jpg",
            "employee_number": f"E{20000 + i}",
            "title": "Dr" if i % 3 else "Mrs",
            "salutation": "Mr" if i % 2 else "Ms",
            "card_expiry": f"{i % 12 + 1:02}/{26 + i % 5}",
            "exp_date": f"20{26 + i % 5}-{i % 12 + 1:02}-01",
            "user_name": f"{row['first_name']}{i}".lower(),
            "passport_number": f"{draw.randrange(10**9):09}",
        }
    return columns(made(write(tmp_path_factory.mktemp("harbor") / "patients.csv", rows), HIPAA))


@pytest.fixture(scope="module")
def coarser(wide: Path) -> dict[str, Action]:
    return columns(made(wide, "gdpr"))


def test_safe_harbor_lists_eighteen() -> None:
    assert "".join(HARBOR) == "ABCDEFGHIJKLMNOPQR"


@pytest.mark.parametrize("letter", HARBOR)
def test_each_of_the_eighteen_identifiers_goes(harbor: dict[str, Action], letter: str) -> None:
    names, operators = HARBOR[letter]
    assert {name: harbor[name].operator in operators.split() for name in names.split()} == dict.fromkeys(
        names.split(), True
    )
    assert [r.note for r in policy.load(HIPAA).rules if f"({letter})" in (r.note or "")]


@pytest.mark.parametrize("column", ERASED.split())
def test_hipaa_leaves_nothing_of_an_identifier(safe: Plan, column: str) -> None:
    assert columns(safe)[column].operator == "suppress"


@pytest.mark.parametrize(
    ("column", "operator"),
    [
        ("zip", "zip3"),
        ("age", "top-bottom"),
        ("date_of_birth", "date-generalise"),
        ("admission_date", "date-generalise"),
        ("state", "keep"),
        ("diagnosis", "keep"),
        ("weight_kg", "keep"),
    ],
)
def test_hipaa_keeps_what_safe_harbor_leaves(safe: Plan, column: str, operator: str) -> None:
    assert columns(safe)[column].operator == operator


def test_hipaa_ages_over_89_are_one(safe: Plan) -> None:
    assert columns(safe)["age"].params == {"top": 90}
    birth = columns(safe)["date_of_birth"]
    assert birth.params["level"] == "year"
    operator = operator_registry.make(birth.operator, birth.params)
    today = date.today()
    born = pl.Series([f"{today.year - age}-12-31" for age in (90, 95, 105)])
    assert operator.mask(born, None).n_unique() == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("dtype", ["integer", "float", "boolean", "other"])
def test_hipaa_falls_back_to_nothing_and_never_to_a_hash(tmp_path: Path, dtype: str) -> None:
    cells = {
        "integer": pl.Series(range(19400101, 19400301)),
        "float": pl.Series([float(i) for i in range(19400101, 19400301)]),
        "boolean": pl.Series([True, False] * 100),
        "other": pl.Series([[str(i)] for i in range(200)]),
    }[dtype]
    frame = pl.DataFrame([pl.Series([r["email"] for r in people()]).alias("email"), cells.alias("date_of_birth")])
    frame.write_parquet(tmp_path / "people.parquet")
    assert {a.operator for a in made(tmp_path / "people.parquet", HIPAA).tables[0].columns} <= {"suppress", "keep"}


def test_a_hipaa_plan_says_so_where_a_person_decided_otherwise(wide: Path, safe: Plan) -> None:
    again = columns(made(wide, HIPAA, before=human(safe, "ssn", operator="hash")))["ssn"]
    assert again.operator == "hash"
    assert any("rules out" in note for note in again.notes)


@pytest.mark.parametrize(
    ("column", "operator"),
    [
        ("date_of_birth", "date-generalise"),
        ("age", "bins"),
        ("zip", "prefix"),
        ("first_name", "persona"),
        ("ssn", "fpe"),
        ("city", "keep"),
        ("admission_date", "keep"),
        ("diagnosis", "keep"),
    ],
)
def test_gdpr_makes_coarser_what_it_names(coarser: dict[str, Action], column: str, operator: str) -> None:
    assert coarser[column].operator == operator


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "it has no [[rule]]"),
        ("x = 1", "unknown key x"),
        ('[[rule]]\noperator = "kep"', "rule 1: there is no operator 'kep'"),
        (
            '[[rule]]\noperator = "partial"\nwith = {keep_frist = 1}',
            "rule 1: operator 'partial': has no parameter 'keep_frist'",
        ),
        ('[[rule]]\noperator = "partial"\nwith = "x"', "rule 1: with must be a table"),
        ('[[rule]]\nentity = "EMAIL"\noperator = "keep"', "rule 1: entity: EMAIL is unknown"),
        ('[[rule]]\npii = 3\noperator = "keep"', "rule 1: pii must be a list"),
        ('[[rule]]\nentity = "AGE"', "rule 1: operator is missing"),
        ('[[rule]]\ncolumn = ["a"]\noperator = "keep"', "rule 1: column must be a text"),
        ('[[rule]]\ninside = "yes"\noperator = "keep"', "rule 1: inside must be true or false"),
        ('[[rule]]\nunique = true\noperator = "keep"', "rule 1: unique must be a share"),
        ('[[rule]]\nunique = 1.5\noperator = "keep"', "rule 1: unique must be a share"),
        ('[[rule]]\nunique = 0.9\noperator = "keep"', "the last rule has conditions"),
        ('[[rule]]\nentity = "AGE"\noperator = "keep"', "the last rule has conditions"),
        ('[[rule]]\ndates = true\noperator = "keep"', "the last rule has conditions"),
        ('derived = false\n[[rule]]\noperator = "hash"', "rule 1: hash derives masks"),
        ('derived = false\n[[rule]]\noperator = "surrogate"', "rule 1: surrogate derives masks"),
        ('notes = "x"\n[[rule]]\noperator = "keep"', "notes must be a list"),
        ("[[rule]", "not TOML"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(tmp_path: Path, lines: str, said: str) -> None:
    (tmp_path / "own.toml").write_text(lines, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        policy.load(str(tmp_path / "own.toml"))
    assert said in str(error.value)


def test_an_unknown_policy_is_reported_which_there_are() -> None:
    with pytest.raises(UsageError, match=r"no policy defualt.*default.*piiscan ships"):
        policy.load("defualt")


def test_a_policy_of_one_s_own_goes_by_column_table_and_dates(tmp_path: Path, wide: Path) -> None:
    (tmp_path / "own.toml").write_text(
        '[[rule]]\ncolumn = "*_DATE"\noperator = "redact"\n[[rule]]\ndates = true\noperator = "suppress"\n'
        '[[rule]]\ntable = "other*"\noperator = "suppress"\n[[rule]]\nentity = "US_SSN"\noperator = '
        '"token"\ndomain = "ours"\n[[rule]]\noperator = "keep"\n',
        encoding="utf-8",
    )
    got = columns(made(wide, str(tmp_path / "own.toml")))
    assert [got[c].operator for c in ("admission_date", "date_of_birth", "email", "ssn")] == [
        "redact",
        "suppress",
        "keep",
        "token",
    ]
    assert got["ssn"].domain == "ours"


MANUAL = (ROOT / "docs" / "masking.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```toml\n(.*?)^```$", MANUAL, re.DOTALL | re.MULTILINE)


def test_the_manual_s_plan_and_policy_load(tmp_path: Path) -> None:
    plan, own, _ = SNIPPETS  # the last one is a package's entry point
    found = plan_toml.loads(plan).tables[0].columns
    assert [a.operator for a in found] == ["persona", "persona", "redact", "suppress", "fpe", "keep", "keep"]
    assert [a.name for a in found if a.decided_by == "human"] == ["maiden_name", "born"]
    (tmp_path / "own.toml").write_text(own, encoding="utf-8")
    assert policy.load(str(tmp_path / "own.toml")).name == "ours"


def test_the_manual_reveals_every_operator_as_it_is() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| .* \| (yes|no) \| (yes|no) \| (yes|no) \|$", MANUAL, re.MULTILINE)
    documented = {name: tuple(flag == "yes" for flag in flags) for name, *flags in rows}
    classes = {name: operator_registry.operator_class(name) for name in operator_registry.BUILT_IN}
    assert documented == {name: (c.keyed, c.reversible, c.deterministic) for name, c in classes.items()}


def test_the_manual_reveals_every_policy() -> None:
    section = MANUAL.partition("\n## Policies")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([\w-]+)` \| [^|]+ \|$", section, re.MULTILINE) == list(policy.SHIPPED)


def test_hipaa_s_output_holds_no_identifier(piiscan: Run, tmp_path: Path, wide: Path) -> None:
    assert piiscan("key", "new", "-o", tmp_path / "key").returncode == 0
    done = piiscan("mask", wide, "--policy", HIPAA, "--key", f"file:{tmp_path / 'key'}", "-o", tmp_path / "out.csv")
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "out.csv").read_text(encoding="utf-8")
    rows = people()
    columns = [*ERASED.split(), "date_of_birth", "admission_date"]
    assert [c for c in columns if c != "city" for r in rows if r[c] in written] == []
    assert [r["age"] for r in csv.DictReader(written.splitlines()) if int(r["age"]) > 90] == []


@pytest.mark.parametrize("rows", [200, 3_000])  # counted, and estimated
def test_unique_and_nearly_unique_columns_can_be_dropped(tmp_path: Path, rows: int) -> None:
    draw = random.Random(3)
    table = [
        {
            "reading": f"{draw.random():.9f}",
            "nearly": str(1000 + (i if i % 20 else 1)),
            "half": str(1000 + i // 2),
            "sparse": f"{draw.random():.9f}" if i % 10 == 0 else "",
            "once": "0.123456789" if i == 7 else "",
            "empty": "",
        }
        for i in range(rows)
    ]
    (tmp_path / "ours.toml").write_text('[[rule]]\nunique = 0.9\noperator = "drop"\n[[rule]]\noperator = "keep"\n')
    plan = columns(made(write(tmp_path / "readings.csv", table), str(tmp_path / "ours.toml")))
    assert {name for name, action in plan.items() if action.operator == "drop"} == {"reading", "nearly", "sparse"}
