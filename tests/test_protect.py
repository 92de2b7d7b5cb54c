"""`piiscan protect` and `piiscan.protect`: what happens to each column, what is written, what is promised, and what
is refused."""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
from conftest import ROOT, Run

import piiscan
from piiscan.anonymity.models import dependence
from piiscan.anonymity.models.dependence import Coarsened
from piiscan.cli import invoke
from piiscan.core.errors import UsageError, VerifyError
from piiscan.core.types import TableInfo
from piiscan.dp.ledger import Ledger
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.io.write import new_file
from piiscan.protection import treatments
from piiscan.protection.run import protect_table
from piiscan.report.protection_report import REPORT, pages
from piiscan.scanning import engine

EXAMPLES = ROOT / "examples"
SCHEMA = json.loads((ROOT / "piiscan" / "report" / "schemas" / "protection-1.json").read_text())
TOWNS = ("Austin", "Boston", "Denver", "Portland")


def people(rows: int = 400, seed: int = 1) -> pl.DataFrame:
    """A table in which some columns tell others: `retires` and `band` by age, `tariff` by age and sex, `monogram` by
    the name, `branch` by the town."""
    rng = random.Random(seed)
    made = []
    for n in range(rows):
        age, sex, town = rng.randrange(20, 60), rng.choice("fm"), rng.choice(TOWNS)
        first, last = (
            rng.choice(("Anna", "Bruno", "Clara", "David", "Elena")),
            rng.choice(("Keller", "Lopez", "Moore", "Novak")),
        )
        made.append(
            {
                "name": f"{first} {last}",
                "email": f"{first}.{last}{n}@example.com".lower(),
                "age": age,
                "sex": sex,
                "city": town,
                "branch": {"Austin": "south", "Boston": "east"}.get(town, "west"),
                "retires": (2092 - age + rng.randrange(2)) // 5 * 5,
                "tariff": f"{age // 20}{sex}",
                "monogram": last[:3],
                "amount": round(rng.uniform(10, 900), 2),
                "code": f"{rng.getrandbits(40):010x}",
                "salary": rng.randrange(20_000, 90_000),
                "diagnosis": rng.choice(("flu", "asthma", "migraine")),
                "answer": rng.choice(("yes", "no", "maybe")),
            }
        )
    return pl.DataFrame(made)


def protected(frame: Any, **options: Any) -> Any:
    return piiscan.protect(frame, **({"k": 5, "one_row_per_person": True} | options))


def treatments_of(report: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {c["name"]: (c["action"], c["why"]) for c in report["columns"]}


def smallest(frame: pl.DataFrame, report: dict[str, Any]) -> int:
    """The size of the smallest class, as anybody can count it."""
    quasi = [c["name"] for c in report["columns"] if c["action"] == "generalised"]
    return int(frame.group_by(quasi).len()["len"].min())  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def released(piiscan: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a release with everything, and what was said meanwhile."""
    folder = tmp_path_factory.mktemp("protect")
    shutil.copy(EXAMPLES / "people.csv", folder)
    done = piiscan(
        "protect",
        "people.csv",
        "-o",
        "out",
        "--k",
        "5",
        "--one-row-per-person",
        "--epsilon",
        "1",
        "--budget",
        "2",
        "--dataset",
        "people@2026",
        "--categories",
        "state=CO,IL,MA,OR,TX",
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return folder / "out", done.stderr


def test_the_folder_holds_table_summary_and_report(released: tuple[Path, str]) -> None:
    out, said = released
    everything = {p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()}
    plots = {f"plots/{name}.svg" for name in ("classes", "lost", "budget")}
    assert everything == {"people.csv", "summary.json", "report.json", "report.md"} | plots
    assert [p.name for p in out.parent.iterdir() if p.name.startswith(".")] == []
    table, report = pl.read_csv(out / "people.csv", infer_schema=False), json.loads((out / "report.json").read_text())
    jsonschema.validate(report, SCHEMA)
    assert table.columns == ["date_of_birth", "city", "state", "zip", "newsletter"]
    assert len(table) == report["rows"]["after"] == 150 - report["rows"]["suppressed"]
    assert (
        smallest(table, report)
        == report["classes"]["after"]["smallest"]
        == report["models"]["k-anonymity"]["reached"]
        >= 5
    )
    assert all(p["holds"] for p in report["promises"]) and len(report["promises"]) == 7
    assert "promises checked and kept" in said and "report.md" in said


def test_the_summary_was_charged_and_the_table_noted(released: tuple[Path, str]) -> None:
    out, _ = released
    report, account = (
        json.loads((out / "report.json").read_text()),
        Ledger(out.parent / "piiscan-ledger.sqlite").account("people"),
    )
    assert [c.release for c in account.charges] == [(out / "summary.json").read_text()]
    assert report["summary"]["spent"] == {"epsilon": 1.0, "delta": 0.0} and report["summary"]["left"]["epsilon"] == 1.0
    (noted,) = account.exact
    assert noted.version == "2026" and noted.columns == ("date_of_birth", "city", "state", "zip", "newsletter")


def test_the_report_can_be_read(released: tuple[Path, str]) -> None:
    out, _ = released
    text = (out / "report.md").read_text()
    for title in (
        "What was found, and what was done",
        "How well people are hidden",
        "What was lost",
        "What was spent",
        "What was promised, and how it was checked",
        "What is not protected",
        "How to repeat it",
    ):
        assert f"\n## {title}\n" in text
    assert re.search(r"\| ssn \| US_SSN: a direct identifier \| 9\d% \| dropped \|", text)
    assert "piiscan protect people.csv --output out --k 5 --one-row-per-person --epsilon 1.0" in text
    for picture in (out / "plots").iterdir():
        assert f"](plots/{picture.name})" in text and picture.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("mitarbeiter.csv", {"unit": "Personalnummer"}),
        ("klienci.tsv", {"k": 3}),
        ("customers.json", {"table": "customers"}),
        ("hospital.xlsx", {"table": "patients", "k": 4, "l": 2}),
        ("shop.sqlite", {"table": "customers", "method": "optimal"}),
        ("visits.csv", {"unit": "patient", "l": 2}),
        ("voters.csv", {}),
        ("logins.jsonl", {"unit": "user.email"}),
        ("orders.parquet", {"unit": "customer_email"}),
    ],
)
def test_examples(file: str, options: dict[str, Any]) -> None:
    done = protected(EXAMPLES / file, **({"one_row_per_person": "unit" not in options} | options))
    jsonschema.validate(done.report, SCHEMA)
    assert all(p["holds"] for p in done.report["promises"]) and all(m["holds"] for m in done.report["models"].values())
    assert smallest(done.frame, done.report) >= options.get("k", 5)
    assert len(done.frame) == done.report["rows"]["after"] >= 0.96 * done.report["rows"]["before"]
    kept = {name for name, (action, _) in treatments_of(done.report).items() if action != "dropped"}
    assert set(done.frame.columns) == kept
    assert (
        not {
            c["name"]
            for c in done.report["columns"]
            if c["pii"] == "direct" and c["action"] not in ("dropped", "random id")
        }
        & kept
    )


def test_what_happens_to_each_column() -> None:
    done = protected(people(), quasi=["age", "sex", "city"], sensitive=["salary", "diagnosis"])
    found = treatments_of(done.report)
    actions = {name: action for name, (action, _) in found.items()}
    assert actions == {
        "name": "dropped",
        "email": "dropped",
        "code": "dropped",
        "age": "generalised",
        "sex": "generalised",
        "city": "generalised",
        "branch": "generalised",
        "retires": "generalised",
        "tariff": "generalised",
        "monogram": "generalised",
        "amount": "generalised",
        "salary": "sensitive",
        "diagnosis": "sensitive",
        "answer": "kept",
    }
    assert "it reveals age" in found["retires"][1] and "it reveals age" in found["tariff"][1]
    assert "reveals" in found["branch"][1] and "part of name" in found["monogram"][1]
    assert "fewer than 5 people share" in found["amount"][1] and "can't be generalised" in found["code"][1]
    assert "intervals" in found["salary"][1] and set(done.frame["salary"].str.slice(0, 1)) == {"["}
    assert set(done.frame["diagnosis"]) == {"flu", "asthma", "migraine"}
    assert smallest(done.frame, done.report) >= 5


def test_a_declaration_does_not_keep_what_reveals_a_quasi_identifier() -> None:
    found = treatments_of(protected(people(), quasi=["age"], insensitive=["retires", "answer"]).report)
    assert found["retires"][0] == "generalised" and "reveals age" in found["retires"][1]
    assert found["answer"] == ("kept", "declared")


def test_a_column_that_holds_what_a_dropped_one_does_is_dropped() -> None:
    """The head of each household is told by the token that stands for their address in another row."""
    rng = random.Random(8)
    tokens = [f"{rng.getrandbits(128):032x}" for _ in range(200)]
    frame = (
        people(200)
        .select("age")
        .with_columns(email=pl.Series(tokens), head=pl.Series([tokens[7 + n % 2] for n in range(200)]))
    )
    found = treatments_of(protected(frame, quasi=["age"]).report)
    assert found["email"][0] == "dropped" and found["head"] == ("dropped", "some of its cells also occur in email")


def test_what_is_left_open_is_said() -> None:
    frame = (
        people(300)
        .select("name", "age", "sex", "city", "answer", "diagnosis")
        .with_columns(shade=pl.Series([f"s{n % 40}" for n in range(300)]))
    )
    done = protected(frame, quasi=["age"], sensitive=["diagnosis"], insensitive=["sex", "shade"])
    said = " ".join(done.report["not_protected"])
    assert "sex (GENDER): kept as declared" in said
    alone = done.frame.select("sex", "answer", "diagnosis", "shade").is_unique().sum()
    assert alone and f"{alone:,} rows have a unique combination of values" in said
    assert "discloses about diagnosis" in said or "the same diagnosis" in said
    assert "the table was declared to have one row per person" in said and "Epsilon" not in said


def test_tokens_in_the_place_of_identifiers_are_dropped() -> None:
    rng = random.Random(2)
    frame = (
        people(200).select("age").with_columns(email=pl.Series([f"{rng.getrandbits(128):032x}" for _ in range(200)]))
    )
    assert "tokens stand for direct identifiers" in treatments_of(protected(frame, quasi=["age"]).report)["email"][1]


def test_every_value_that_stays_is_shared_by_k() -> None:
    """Suppression takes rows of a class with it; a column whose values become rare by that doesn't stay either."""
    rng = random.Random(3)
    rows = [
        {"age": rng.randrange(18, 90), "sex": rng.choice("fm"), "zip": f"627{rng.randrange(30):02d}"}
        for _ in range(300)
    ]
    frame = pl.DataFrame(rows).with_columns(group=pl.Series([f"g{n // 5}" for n in range(300)]))
    done = protected(frame, quasi=["age", "sex", "zip"], suppress=0.3, method="optimal")
    for name, (action, _) in treatments_of(done.report).items():
        if action == "kept":
            assert done.frame.group_by(name).len()["len"].min() >= 5  # type: ignore[operator]
    assert treatments_of(done.report)["group"][0] == (
        "kept" if not done.report["rows"]["suppressed"] else "generalised"
    )


def test_people_are_counted_rather_than_rows() -> None:
    frame = people(300).select("age", "sex").with_columns(who=pl.Series([f"P{n // 3:04d}" for n in range(300)]))
    done = protected(frame, one_row_per_person=False, unit="who", quasi=["age", "sex"])
    assert done.report["whose_rows"] == {"unit": "who", "people": 100, "repeated": []}
    assert done.report["classes"]["after"]["smallest"] >= 5
    # ten copies of one person's row are one person
    with pytest.raises(UsageError, match="it is about 1 person,"):
        one = people(1).select("age", "sex")
        protected(
            pl.concat([one] * 10).with_columns(who=pl.lit("P0001")),
            one_row_per_person=False,
            unit="who",
            quasi=["age", "sex"],
        )


def test_no_figure_counts_more_people_than_there_are() -> None:
    """People with rows in several classes are one person each, where a sentence says people."""
    rng = random.Random(2)
    rows = [
        {"who": f"P{p:03d}", "age": 20 + p % 40, "site": rng.choice("ABC"), "diagnosis": rng.choice(("flu", "asthma"))}
        for p in range(90)
        for _ in range(4)
    ]
    done = protected(
        pl.DataFrame(rows), one_row_per_person=False, unit="who", quasi=["age", "site"], sensitive=["diagnosis"]
    )
    alone, having = defaultdict(set), defaultdict(set)
    for row in rows:
        alone[row["age"], row["site"]].add(row["who"])
        having[row["age"], row["site"], row["diagnosis"]].add(row["who"])
    before = done.report["classes"]["before"]
    assert before["unique"] > before["unique_units"] == len({w for v in alone.values() if len(v) == 1 for w in v})
    known = done.report["sensitive"][0]["before"]
    told = {w for (age, site, _), v in having.items() if v == alone[age, site] for w in v}
    assert known["certain_units"] == len(told) < known["certain"]
    text = pages(done.report)[REPORT].decode()
    assert f"| People who are alone in a class | {before['unique_units']} (" in text
    assert f"| diagnosis | {known['certain_units']} (" in text
    assert all(int(n.replace(",", "")) <= 90 for n in re.findall(r"([\d,]+) (?:of 90 )?people", text))


def test_only_what_was_looked_at_is_promised() -> None:
    """No column is kept, none is dropped, no row is left out: nothing is said of such."""
    frame = pl.DataFrame({"age": [20 + n % 10 for n in range(200)], "sex": ["f", "m"] * 100})
    done = protected(frame, quasi=["age", "sex"])
    names = [p["name"] for p in done.report["promises"]]
    assert names == [
        "It has the columns of the input",
        "Every row is included",
        "Every class meets k-anonymity",
        "A scan finds no direct identifier",
        "The order of rows reveals nothing",
    ]
    assert [p["checked"] for p in done.report["promises"]] == [True] * 4 + [False]
    text = pages(done.report)[REPORT].decode()
    assert "| Promises | 4 checked, all kept |" in text and "| not checked |" in text


def test_what_was_lost_is_what_its_columns_lost() -> None:
    """Intervals that take the place of exact values are a loss, too; a column with nothing to generalise isn't called
    generalised."""
    done = protected(people(200).select("age", "sex", "salary", "answer"), quasi=["age", "sex", "salary"])
    lost = {c["name"]: c["loss"] for c in done.report["columns"] if c["action"] == "generalised"}
    text = pages(done.report)[REPORT].decode()
    assert f"Columns that an attacker may know lost {sum(lost.values()) / len(lost):.1%} of their detail" in text
    whole = sum(not loss for loss in lost.values())
    assert (
        whole and f"{len(lost) - whole} generalised" in text and f"{whole} counted, with nothing to generalise" in text
    )


def test_columns_in_doubt_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = people(200).select("age", "sex", "answer")
    doubt = "it may be PERSON_ID (40% likely)"
    plain = engine.scan_tables

    def doubtful(*arguments: Any, **options: Any) -> Any:
        found = plain(*arguments, **options)
        columns = [replace(c, review=(doubt,)) if c.name in ("answer", "sex") else c for c in found.tables[0].columns]
        return replace(found, tables=[replace(found.tables[0], columns=columns)])

    monkeypatch.setattr(engine, "scan_tables", doubtful)
    done = protected(frame, quasi=["age", "sex"])
    assert [c["review"] for c in done.report["columns"]] == [[], [], [doubt]]  # of sex, a person has said what it is
    assert any(text.startswith("answer: the scan is unsure about this column") for text in done.report["not_protected"])
    assert "| To review | 1 column whose class is in doubt: answer |" in pages(done.report)[REPORT].decode()


def test_what_speaks_against_a_row_for_each_person_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An e-mail address that stands in two rows, and people each of whom has their own."""
    orders, out = pl.read_parquet(EXAMPLES / "orders.parquet"), tmp_path / "out"
    shared = int(orders["customer_email"].is_duplicated().sum())
    assert (
        invoke(["protect", str(EXAMPLES / "orders.parquet"), "--k", "5", "--one-row-per-person", "-o", str(out)]) == 0
    )
    report = json.loads((out / "report.json").read_text())
    jsonschema.validate(report, SCHEMA)
    assert report["whose_rows"] == {
        "unit": None,
        "people": None,
        "repeated": [{"column": "customer_email", "rows": shared}],
    }
    assert "--unit customer_email" in capsys.readouterr().err
    assert f"but {shared} rows share their customer" in (out / "report.md").read_text()
    assert any("k counts rows rather than people" in text for text in report["not_protected"])
    honest = protected(people(300), quasi=["age"]).report
    assert honest["whose_rows"]["repeated"] == [] and not any(
        "rather than people" in text for text in honest["not_protected"]
    )


def test_people_without_a_number_are_not_one_person() -> None:
    frame = people(200).with_columns(who=pl.Series([f"P{n:04d}" if n % 4 else None for n in range(200)]))
    assert (
        protected(frame, one_row_per_person=False, unit="who", quasi=["age", "sex"]).report["whose_rows"]["people"]
        == 150
    )


def test_before_is_before_intervals_and_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report's first column tells of the table as it was, as anybody can count it there."""
    monkeypatch.setattr(treatments, "_MOST_NODES", 200)
    rng = np.random.default_rng(5)
    frame = (
        people(200)
        .select("age", "sex")
        .with_columns(pl.Series(f"m{n}", rng.integers(0, 60, 200) * 1.5) for n in range(4))
    )
    report = protected(frame, quasi=["age", "sex"]).report
    assert any("a few bands" in why for _, why in treatments_of(report).values())
    sizes = frame.group_by([c["name"] for c in report["columns"] if c["action"] == "generalised"]).len()["len"]
    before = report["classes"]["before"]
    assert (before["number"], before["smallest"], before["unique"]) == (len(sizes), sizes.min(), (sizes == 1).sum())
    assert report["risk"]["before"]["marketer"] == pytest.approx(len(sizes) / 200)


def test_rare_sensitive_values_are_reported() -> None:
    salaries = [20_000 + n % 20 * 1000 for n in range(399)] + [9_999_999]
    done = protected(
        people(400).select("age", "sex").with_columns(pay=pl.Series(salaries)), quasi=["age", "sex"], sensitive=["pay"]
    )
    (risk_text,) = (text for text in done.report["not_protected"] if text.startswith("pay: "))
    assert "1 of the released rows have values" in risk_text and "9" not in risk_text


def rows_of(units: int, each: int, ages: Callable[[int], int]) -> pl.DataFrame:
    return pl.DataFrame(
        [{"who": f"P{u:04d}", "age": ages(u), "sex": "fm"[u % 2]} for u in range(units) for _ in range(each)]
    )


@pytest.mark.parametrize(
    ("frame", "options", "action"),
    [
        (rows_of(60, 1, lambda u: 20 + u), {}, "random id"),
        (rows_of(60, 3, lambda u: 20 + u // 20), {}, "random id"),
        (
            pl.concat([rows_of(59, 2, lambda u: 30), rows_of(60, 1, lambda u: 30).tail(1)]),
            {},
            "dropped",
        ),  # one person has one row, others two
        (
            rows_of(60, 3, lambda u: 20 + u // 20).with_columns(diagnosis=pl.Series(["flu", "asthma", "gout"] * 60)),
            {"l": 2},
            "dropped",
        ),
    ],
)
def test_ids_stay_where_they_single_nobody_out(frame: pl.DataFrame, options: dict[str, Any], action: str) -> None:
    more = {"sensitive": ["diagnosis"]} if "l" in options else {}
    done = protected(frame, one_row_per_person=False, unit="who", quasi=["age", "sex"], **options, **more)
    assert treatments_of(done.report)["who"][0] == action
    if action == "random id":
        assert done.frame["who"].n_unique() == 60 and not set(done.frame["who"]) & set(frame["who"])
        profiles = done.frame.group_by("who").agg(pl.concat_str("age", "sex").sort())
        assert profiles.group_by("age").len()["len"].min() >= 5  # type: ignore[operator]
    else:
        assert "who" not in done.frame.columns


def test_frames_come_back_as_they_came() -> None:
    frame = people(120).select("name", "age")
    pandas = frame.to_pandas()
    pandas.index = [f"row {n}" for n in range(120)]
    back = protected(pandas, quasi=["age"]).frame
    assert type(back) is type(pandas) and list(back.index) == list(range(len(back)))
    assert protected(frame.to_arrow(), quasi=["age"]).frame.schema.metadata is None


def test_without_matplotlib_there_are_no_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = tmp_path / "out"
    assert (
        invoke(["protect", str(EXAMPLES / "voters.csv"), "--k", "5", "--one-row-per-person", "-o", str(out), "-q"]) == 0
    )
    assert {p.name for p in out.iterdir()} == {"voters.csv", "report.json", "report.md"}
    assert "piiscan-toolkit[plots]" in (out / "report.md").read_text()


def test_a_configuration_that_looks_for_little_does_not_let_identifiers_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLES / "people.csv", tmp_path)
    (tmp_path / "piiscan.toml").write_text('select = ["CREDIT_CARD"]\nignore = ["US_SSN"]\nmin_confidence = 1.0\n')
    monkeypatch.chdir(tmp_path)
    assert invoke(["protect", "people.csv", "--k", "5", "--one-row-per-person", "-o", "out", "-q"]) == 0
    assert pl.read_csv("out/people.csv").columns == ["date_of_birth", "city", "state", "zip", "newsletter"]


def test_what_a_person_says_in_the_configuration_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(EXAMPLES / "voters.csv", tmp_path)
    (tmp_path / "piiscan.toml").write_text('[[columns]]\npath = "voters.csv"\ncolumn = "sex"\nis = "EMAIL_ADDRESS"\n')
    monkeypatch.chdir(tmp_path)
    assert invoke(["protect", "voters.csv", "--k", "5", "--one-row-per-person", "-o", "out", "-q"]) == 0
    assert pl.read_csv("out/voters.csv").columns == ["age", "zip"]


@pytest.mark.parametrize(
    "options",
    [{"t": 0.4, "distance": "ordered"}, {"t": 0.5}, {"presence": (0, 0.9), "population": people(600, seed=9)}],
)
def test_models_are_met_with_intervals_and_populations(options: dict[str, Any]) -> None:
    done = protected(
        people(300).select("name", "age", "sex", "salary"), quasi=["age", "sex"], sensitive=["salary"], **options
    )
    assert all(m["holds"] for m in done.report["models"].values()) and len(done.report["models"]) == 2
    assert (done.report["risk"]["after"]["journalist"] is None) == ("population" not in options)


@pytest.mark.parametrize(
    ("arguments", "said", "status"),
    [
        (["people.csv", "--k", "5"], "--one-row-per-person", 2),
        (["people.csv", "--one-row-per-person", "--l", "2"], "--k 5", 2),
        (["people.csv", "--k", "500", "--one-row-per-person"], "it is about 150", 2),
        (
            ["people.csv", "--k", "5", "--one-row-per-person", "--insensitive", "email"],
            "declared insensitive, and it contains direct identifiers",
            2,
        ),
        (["people.csv", "--k", "5", "--one-row-per-person", "--quasi", "agge"], "there is no column agge", 2),
        (["people.csv", "--k", "5", "--one-row-per-person", "--bounds", "zip=0:1"], "--epsilon", 2),
        (["people.csv", "--k", "5", "--one-row-per-person", "--epsilon", "1"], "--bounds score=0:120", 2),
        (["sensors.csv", "--k", "5", "--one-row-per-person"], "nothing to protect", 2),
        (["hospital.xlsx", "--k", "5", "--one-row-per-person"], "name one with --table", 2),
        (["customers.json", "--k", "5", "--one-row-per-person"], "name one with --table", 2),
        (["worker.log", "--k", "5", "--one-row-per-person"], "--quasi", 2),
        (
            [
                "people.csv",
                "--k",
                "5",
                "--one-row-per-person",
                "--epsilon",
                "2",
                "--budget",
                "1",
                "--categories",
                "state=CO",
                "--ledger",
                "{out}.ledger",
            ],
            "Nothing was released",
            6,
        ),
    ],
)
def test_refused(
    arguments: list[str], said: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    file, *rest = (a.format(out=out) for a in arguments)
    assert invoke(["protect", str(EXAMPLES / file), *rest, "-o", str(out), "-q"]) == status
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine")
    assert (
        invoke(["protect", str(EXAMPLES / "voters.csv"), "--k", "5", "--one-row-per-person", "-o", str(tmp_path)]) == 2
    )
    assert "isn't an empty folder" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


def test_the_same_question_is_free_and_another_release_is_reported(tmp_path: Path) -> None:
    privacy = piiscan.Privacy(epsilon=1, one_row_per_person=True, budget=1, dataset="d", ledger=tmp_path / "ledger")
    asked: dict[str, Any] = {"privacy": privacy, "summary": {"bounds": {"age": (0, 120)}}}
    frame = people(200).select("name", "age", "sex")
    first, again = (protected(frame, quasi=["age", "sex"], **asked) for _ in range(2))
    assert (
        first.summary.text == again.summary.text
        and not first.report["other_releases"]
        and not again.report["other_releases"]
    )
    other = protected(frame, k=8, quasi=["age", "sex"], **asked)
    assert any("k = 5" in text and "k = 8" in text for text in other.report["other_releases"])
    assert len(Ledger(tmp_path / "ledger").account("d").charges) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "name", "one_row_per_person": False}, "privacy declares other owners"),
        ({"dataset": "other"}, "leave them out"),
        ({"summary": {"budget": 1}}, "summary may contain bounds, .*, not budget"),
        ({"privacy": None}, "needs a privacy budget"),
    ],
)
def test_a_summary_is_of_the_same_people(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    privacy = piiscan.Privacy(epsilon=1, one_row_per_person=True, dataset="d", ledger=tmp_path / "ledger")
    given = {"privacy": privacy, "summary": {"bounds": {"age": (0, 120)}}} | options
    with pytest.raises(UsageError, match=message):
        protected(people(200).select("name", "age", "sex"), quasi=["age", "sex"], **given)
    assert not (tmp_path / "ledger").exists()


Tamper = Callable[[pl.DataFrame], pl.DataFrame]
TAMPERINGS: dict[str, Tamper] = {
    "Every row is included": lambda f: f.head(-1),
    "Every class meets": lambda f: f.with_columns(pl.Series(f.columns[0], [f"{n}" for n in range(len(f))])),
    "A scan finds no direct identifier": lambda f: f.with_columns(
        pl.Series(f.columns[-1], [f"{n:03d}-45-6789" for n in range(101, 101 + len(f))])
    ),
    "Dropped columns are gone": lambda f: f.with_columns(pl.lit("x").alias("99")),
    "No cell is a number or e-mail address": lambda f: f.with_columns(
        pl.lit((EXAMPLES / "people.csv").read_text().splitlines()[1].split(",")[4]).alias("11")
    ),
    "Each value of newsletter is shared by": lambda f: f.with_columns(pl.Series("11", ["2", *f["11"][1:]])),
}


@pytest.mark.parametrize("promise", TAMPERINGS)
def test_a_broken_promise_leaves_nothing(
    promise: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table is written otherwise than was planned; the promise that is then broken is named, and no budget is
    spent."""
    write = new_file.write

    def tampered(frame: pl.DataFrame, names: tuple[str, ...], info: TableInfo, path: Path) -> ReadOptions:
        made = TAMPERINGS[promise](frame)
        return write(made, [*names, "more"][: made.width], info, path)

    monkeypatch.setattr(protect_table.new_file, "write", tampered)
    arguments = [
        "--k",
        "5",
        "--one-row-per-person",
        "--epsilon",
        "1",
        "--categories",
        "state=CO",
        "--ledger",
        str(tmp_path / "ledger"),
    ]
    assert (
        invoke(["protect", str(EXAMPLES / "people.csv"), *arguments, "-o", str(tmp_path / "out")])
        == VerifyError.exit_status
        == 5
    )
    assert promise in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


FORMATS = {
    "csv": "csv",
    "tsv": "tsv",
    "parquet": "parquet",
    "arrow": "arrow",
    "avro": "avro",
    "jsonl": "jsonl",
    "json": "json",
    "excel": "xlsx",
    "sqlite": "sqlite",
    "duckdb": "duckdb",
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_table_is_written_anew_in_its_format(name: str, tmp_path: Path) -> None:
    pytest.importorskip("duckdb") if name == "duckdb" else None
    frame = pl.DataFrame(
        {"0": ["[20, 30)", "=1+1", None, 'x,"y\nz'], "3": ["007", "12", "1", "2"], "5": [1, 2, None, 4]}
    )
    info = TableInfo(
        f"folder/people.{FORMATS[name]}", "people" if name in ("excel", "sqlite", "duckdb") else None, name, True, ()
    )
    path = tmp_path / new_file.file_name(info)
    table = Source(path, None, new_file.write(frame, ["age", "ü.zip", "age#2"], info, path)).opened()
    back = pl.concat(batch.frame for batch in table.batches()).select(pl.all().cast(pl.String).replace("", None))
    assert [f.name for f in table.info.fields] == ["age", "ü.zip", "age#2"]
    assert back.rows() == frame.select(pl.all().cast(pl.String)).rows()


def test_comments_before_a_table_are_not_another_one(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(
        "# from the old system\n# second line\n" + people(100).select("name", "age", "sex").write_csv()
    )
    done = protected(tmp_path / "people.csv")
    assert done.frame.columns == ["age", "sex"] and len(done.frame) == 100


@pytest.mark.parametrize("options", [{}, {"unit": "who", "one_row_per_person": False}])
def test_fewer_people_than_k_are_refused_in_plain_words(options: dict[str, Any]) -> None:
    frame = people(4).with_columns(who=pl.Series(["P0001", "P0002", "P0003", "P0001"]))
    with pytest.raises(UsageError, match="k = 5 needs at least as many"):
        protected(frame, quasi=["age"], **options)


def test_what_was_packed_is_unpacked() -> None:
    assert new_file.file_name(TableInfo("a/b.zip!c/people.csv.gz", None, "csv", True, ())) == "people.csv"


@pytest.mark.parametrize("rows", [60, 400, 5000])
def test_dependence_is_found_and_chance_is_not(rows: int) -> None:
    rng = np.random.default_rng(4)
    age, sex = rng.integers(0, 60, rows), rng.integers(0, 2, rows)
    others = {0: Coarsened(((age, 60), (age // 10, 6))), 1: Coarsened(((sex, 2),))}
    band, tariff, free = (age // 10, 6), (age // 20 * 2 + sex, 6), (rng.integers(0, 4, rows), 4)
    assert dependence.explained_by(band, others) == (1.0, (0,)) and dependence.explains(band, others) == (1.0, (0,))
    assert dependence.explained_by(tariff, others) == (1.0, (0, 1))
    # Two columns that have nothing to do with each other; the seed is fixed.
    assert dependence.explained_by(free, others).share < 0.12 and dependence.explains(free, others).share < 0.12
    # Of few rows with many values chance tells most of a column too, and a column that follows from another one still
    # stands out.
    city = rng.integers(0, rows // 3, rows)
    branch, any_ = rng.integers(0, 20, rows // 3)[city], rng.integers(0, 20, rows)
    assert dependence.uncertainty_coefficient((branch, 20), (city, rows // 3)) == pytest.approx(1.0)
    assert dependence.uncertainty_coefficient((any_, 20), (city, rows // 3)) < 0.05
    # Where every value is somebody's own, nothing can be told from chance.
    assert dependence.uncertainty_coefficient((np.arange(rows), rows), (rng.permutation(rows), rows)) == 0.0


def test_columns_that_cannot_be_searched_together_are_banded_or_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treatments, "_MOST_NODES", 200)
    rng = np.random.default_rng(5)
    frame = (
        people(60)
        .select("name", "age", "sex")
        .with_columns(pl.Series(f"m{n}", rng.uniform(0, 100, 60).round(3)) for n in range(8))
    )
    found = treatments_of(protected(frame, quasi=["age", "sex"]).report)
    whys = [why for name, (_, why) in found.items() if name.startswith("m")]
    assert any("a few bands" in why for why in whys) and any("too many columns" in why for why in whys)
    assert {found[name][0] for name in ("age", "sex")} == {"generalised"}


def test_of_few_values_a_search_of_many_columns_makes_no_single_band(monkeypatch: pytest.MonkeyPatch) -> None:
    """A band of both values of an answer would say nothing, and be said of everybody."""
    monkeypatch.setattr(treatments, "_MOST_NODES", 200)
    frame, rng = people(400).select("age", "sex"), np.random.default_rng(6)
    answers = [
        pl.Series(f"m{n}", ((frame["age"] - 40).to_numpy() + rng.normal(0, 8, 400) > 0).astype(int)) for n in range(6)
    ]
    done = protected(frame.with_columns(answers), quasi=["age", "sex"])
    assert any("few values stay or are suppressed" in why for _, why in treatments_of(done.report).values())
    for name in set(done.frame.columns) - {"age", "sex"}:
        assert done.frame[name].n_unique() > 1 and set(done.frame[name].cast(pl.String)) <= {"0", "1", "*"}
