"""The report on masking: what changed in each column, without a value; written with the output or not at all."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import ROOT
from mask_people import customers, folder, key_file, piiscan, planned, words_of

import piiscan as package
from piiscan.core.keys import Key
from piiscan.report import mask_report as masked_report
from piiscan.report import masked_markdown

SCHEMA = json.loads((ROOT / "piiscan" / "report" / "schemas" / "mask-report-1.json").read_text(encoding="utf-8"))
KEY = Key(bytes(range(60, 92)))


def column(report: dict[str, Any], name: str, table: int = 0) -> dict[str, Any]:
    return next(c for c in report["tables"][table]["columns"] if c["name"] == name)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder masked, with its reports."""
    root = tmp_path_factory.mktemp("report")
    shop = folder(root)
    plan = planned(
        shop,
        root / "plan.toml",
        phone='operator = "suppress"',
        last_name='operator = "drop"',
        amount='operator = "round"\nwith = {base = 100}',
    )
    call = ["mask", shop, "--plan", plan, "--key", key_file(root)]
    piiscan(*call, "-o", root / "out", "--report", root / "report.json")
    piiscan(*call, "-o", root / "again", "--report", root / "report.md", "--jobs", "1")
    return root


@pytest.fixture(scope="module")
def report(made: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((made / "report.json").read_text(encoding="utf-8"))
    return loaded


def test_it_follows_the_published_schema(report: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(report, SCHEMA)
    objects = [SCHEMA, *SCHEMA["$defs"].values()]
    assert all(o["additionalProperties"] is False and o["required"] == list(o["properties"]) for o in objects)
    assert list(report) == SCHEMA["required"]


def test_it_says_what_was_done_and_what_is_left(report: dict[str, Any]) -> None:
    assert [t["source"] for t in report["tables"]] == ["customers.csv", "sales/orders.csv"]
    counts = {"tables": 2, "columns": 13, "masked": 9, "dropped": 1, "kept": 4, "reversible": 3, "collisions": 0}
    assert report["summary"] == counts
    email, phone, gone, amount = (column(report, n) for n in ("email", "phone", "last_name", "amount"))
    assert email["operator"] == "persona" and email["changed"] == 400 and email["changed_share"] == 1.0
    assert email["before"]["distinct"] == email["after"]["distinct"] == 400 and email["before"]["distinct_exact"]
    assert email["distance"] == {"frequencies": 0.0, "values": 1.0, "in_common": 0.0, "numbers": None}
    assert phone["after"] == {"filled": 0, "empty": 400, "distinct": 0, "distinct_exact": True, "mean_length": None}
    assert phone["distance"] is None and phone["changed"] == phone["before"]["filled"] == 373
    assert gone["after"] is None and gone["changed"] == 400
    assert amount["after"]["distinct"] <= 91 < amount["before"]["distinct"]
    assert 0 < amount["distance"]["numbers"]["ks"] < 0.05 and amount["distance"]["numbers"]["spread"] == 1.0
    ssn, city = column(report, "ssn"), column(report, "city")
    assert (ssn["reversible"], ssn["domain"], email["reversible"]) == (True, "US_SSN", False)
    assert city["changed"] == 0 and city["distance"]["values"] == 0.0 and city["before"] == city["after"]


def test_it_says_that_the_data_remain_personal_and_what_was_checked(made: Path, report: dict[str, Any]) -> None:
    assert "remain personal data" in report["notice"] and any(
        "single people out" in note for note in report["plan"]["notes"]
    )
    assert report["verified"] is True and report["complete"] is True and all(p["holds"] for p in report["promises"])
    joins = [p for p in report["promises"] if p["source"] is None]
    assert {p["name"] for p in joins} == {
        "equal values of PERSON_ID have equal masks",
        "equal values of US_SSN have equal masks",
        "no name of a file, table or column is somebody's full name, address or number",
    }
    assert {p["source"] for p in report["promises"]} == {None, "customers.csv", "sales/orders.csv"}
    assert report["key"] == piiscan("key", "id", "--key", key_file(made)).split()[0]


def test_the_plan_s_digest_is_that_of_its_file(made: Path, report: dict[str, Any]) -> None:
    from piiscan.masking.plan import plan_toml as text

    assert report["plan"]["digest"] == masked_report.digest(text.load(made / "plan.toml"))
    plan = package.plan(made / "shop")
    assert masked_report.digest(plan) == masked_report.digest(text.loads(text.dumps(plan))) != report["plan"]["digest"]


def test_no_value_stands_in_it(made: Path) -> None:
    frames = [pl.read_csv(made / top / "customers.csv", infer_schema=False) for top in ("shop", "out")]
    values = {v for f in frames for v in words_of(f, [c for c in f.columns if c not in ("gender", "amount")])}
    for name in ("report.json", "report.md"):
        text = (made / name).read_text(encoding="utf-8")
        words = set(re.findall(r"[\w.@+-]+", text))
        assert not [v for v in values if (v in text if any(c.isdigit() or c == "@" for c in v) else v in words)]
        assert str(made) not in text


def test_the_same_for_any_number_of_threads(made: Path) -> None:
    plan = made / "plan.toml"
    for jobs in ("1", "3"):
        piiscan(
            "mask",
            made / "shop",
            "--plan",
            plan,
            "--key",
            key_file(made),
            "-o",
            made / f"jobs{jobs}",
            "--report",
            made / f"{jobs}.json",
            "-j",
            jobs,
        )
        assert (made / f"{jobs}.json").read_bytes() == (made / "report.json").read_bytes()


def test_for_people(made: Path, report: dict[str, Any]) -> None:
    text = (made / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# Masking report\n\n**Pseudonymised data remain personal data**")
    for line in (
        f"| Checked | {len(report['promises'])} promises, all kept |",
        "## customers.csv",
        "## sales/orders.csv",
        "| email | EMAIL\\_ADDRESS, direct | persona | policy | persona | no |",
        "| ssn | US_SSN, direct | fpe | policy | US_SSN | with the key |",
        "| phone | 373 of 373 (100%) | 27 → 400 | 373 → 0 |  |  |  |",
        "- 2 columns, each recognised as a quasi-identifier: gender (GENDER), city (CITY)",
    ):
        assert line.replace("\\", "") in text.replace("\\", ""), line


def test_nothing_is_recognised_where_no_cell_is_filled(report: dict[str, Any]) -> None:
    data = copy.deepcopy(report)
    column(data, "gender")["before"]["filled"] = 0
    text = masked_markdown.render(data)
    assert (
        "- 1 column, recognised as a quasi-identifier: city (CITY)\n- 1 column without a filled cell: gender\n" in text
    )


def test_sentences_say_what_was_counted(report: dict[str, Any]) -> None:
    """A column that is gone isn't masked, one without a changed cell neither; figures of a sample are marked, and
    promises about rows and values don't count cells."""
    data = copy.deepcopy(report)
    table = data["tables"][0]
    masked = [c for c in table["columns"] if c["operator"] not in ("keep", "drop")]  # last_name is dropped
    untouched, sampled, code = masked[:3]
    untouched["changed"] = 0
    sampled["after"]["distinct_exact"] = False
    sampled["distance"] = {"frequencies": 0.25, "values": 0.5, "in_common": 0.125, "numbers": None}
    code["operator"], code["reversible"], code["keyed"] = "code", True, True
    table["correlations"] = {"pairs": 3, "mean_change": 0.1, "largest_changes": []}
    table["rows"]["after"] = 5_000
    rows = {
        "source": "c.csv",
        "table": None,
        "column": None,
        "name": "as many rows as the plan leaves",
        "expected": 0.0,
    }
    data["promises"] = [rows | {"cells": 100, "broken": 7, "checked": True, "holds": False}]
    text = masked_markdown.render(data)
    summary = data["summary"]
    assert summary["dropped"] == 1
    line = next(line for line in text.splitlines() if line.startswith("| Columns |"))
    assert line == (
        f"| Columns | {summary['columns']}: {summary['masked'] - 2} masked, 1 dropped, 1 without a cell to mask, "
        f"{summary['kept']} kept as they were |"
    )
    assert "| ≈ 12.5% | ≈ 0.250 |" in text
    assert "| with the key and the vault |" in text
    assert "with at least one masked, Pearson's coefficient changes by 0.100 on average, in 4,096 of its rows" in text
    assert "as many rows as the plan leaves: 7 violations, 100 checked" in text


def test_without_verification_nothing_is_said_to_hold(tmp_path: Path) -> None:
    customers(60).write_csv(tmp_path / "c.csv")
    call = ["mask", tmp_path / "c.csv", "--no-verify", "--key", key_file(tmp_path)]
    piiscan(*call, "-o", tmp_path / "out.csv", "--report", tmp_path / "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["verified"] is None and report["promises"] == []
    piiscan(*call, "-o", tmp_path / "2.csv", "--report", tmp_path / "r.md")
    assert "| Checked | **no: verification was off (--no-verify)** |" in (tmp_path / "r.md").read_text()


@pytest.mark.parametrize("name", ["report.txt", "report", "report.md.gz", "json"])
def test_another_ending_is_wrong_usage(tmp_path: Path, name: str) -> None:
    customers(60).write_csv(tmp_path / "c.csv")
    call = [
        "mask",
        tmp_path / "c.csv",
        "-o",
        tmp_path / "out.csv",
        "--key",
        key_file(tmp_path),
        "--report",
        tmp_path / name,
    ]
    assert ".json or .md" in piiscan(*call, status=2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.csv", "key"]


@pytest.mark.parametrize("place", ["shop/customers.csv.json", "out/r.md", "there.json"])
def test_it_is_never_in_the_way_of_data(tmp_path: Path, place: str) -> None:
    shop = folder(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "there.json").write_text("[]")
    call = ["mask", shop, "-o", tmp_path / "out", "--key", key_file(tmp_path), "--report", tmp_path / place]
    said = piiscan(*call, status=2)
    assert ("exists" in said) == (place == "there.json") and "--report" in said
    assert (tmp_path / "there.json").read_text() == "[]" and not list((tmp_path / "out").iterdir())


def test_when_masking_fails_there_is_none(tmp_path: Path) -> None:
    people = customers(200)
    people.with_columns(pl.col("email").str.to_uppercase().alias("login_copy")).write_csv(tmp_path / "c.csv")
    plan = planned(tmp_path / "c.csv", tmp_path / "plan.toml", login_copy='operator = "keep"')
    call = ["mask", tmp_path / "c.csv", "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path)]
    piiscan(*call, "--report", tmp_path / "r.json", status=5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.csv", "key", "plan.toml"]

    piiscan(*call, "--report", tmp_path / "r.json", "--keep-unverified", status=5)
    report = json.loads((tmp_path / "r.json").read_text())
    broken = [p for p in report["promises"] if not p["holds"]]
    assert report["verified"] is False and {(p["column"], p["broken"]) for p in broken} == {("login_copy", 200)}
    piiscan(*call, "--report", tmp_path / "r.md", "--keep-unverified", "--overwrite", status=5)
    text = (tmp_path / "r.md").read_text()
    assert "**3 broken**" in text and "**Broken**: c.csv: login_copy: no unique original" in text


def test_what_was_left_out_is_named(tmp_path: Path) -> None:
    shop = folder(tmp_path)
    (shop / "broken.parquet").write_bytes(b"PAR1nothing here")
    piiscan(
        "mask", shop, "-o", tmp_path / "out", "--key", key_file(tmp_path), "--report", tmp_path / "r.json", status=3
    )
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["complete"] is False and [n["source"] for n in report["left_out"]] == ["broken.parquet"]
    assert len(report["tables"]) == 2


def test_members_of_archives_are_in_it(tmp_path: Path) -> None:
    import zipfile

    customers(60).write_csv(tmp_path / "c.csv")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.write(tmp_path / "c.csv", "c.csv")
    piiscan(
        "mask",
        tmp_path / "c.zip",
        "-o",
        tmp_path / "out.zip",
        "--key",
        key_file(tmp_path),
        "--report",
        tmp_path / "r.json",
    )
    report = json.loads((tmp_path / "r.json").read_text())
    assert [t["source"] for t in report["tables"]] == ["c.zip!c.csv"] and column(report, "email")["changed"] == 60


def test_names_do_not_become_markdown() -> None:
    frame = pl.DataFrame({"a|b *c*": ["x", "y"] * 30, "<i>_d": list(range(60))})
    plan = package.plan(frame)
    text = package.compare(frame, frame, plan).to_markdown()
    assert "a\\|b \\*c\\*" in text and "\\<i\\>\\_d" in text


PEOPLE = customers(200).with_columns(pl.col("customer_id").cast(pl.Int64), pl.col("amount").cast(pl.Float64))
PLAN = package.plan(PEOPLE)


@pytest.mark.parametrize(
    "convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow], ids=["polars", "pandas", "pyarrow"]
)
def test_frames(convert: Any) -> None:
    before = convert(PEOPLE)
    after = package.mask(before, PLAN, KEY)
    assert isinstance(after, pl.DataFrame | pd.DataFrame | pa.Table) and type(after) is type(before)
    found = package.compare(before, after, PLAN)
    assert isinstance(found, package.MaskReport)
    data = found.to_dict()
    jsonschema.validate(data, SCHEMA)
    assert data["verified"] is None and data["key"] is None
    assert json.loads(found.to_json()) == data and found.to_markdown().startswith("# Masking report")
    assert column(data, "email")["changed"] == 200 and column(data, "amount")["changed"] == 0
    assert data == package.compare(PEOPLE, package.mask(PEOPLE, PLAN, KEY), PLAN).to_dict()


def test_rows_that_are_left_out() -> None:
    from dataclasses import replace

    (table,) = PLAN.tables
    plan = replace(PLAN, tables=(replace(table, drop_rows=({"missing": ["ssn"]},)),))
    data = package.compare(PEOPLE, package.mask(PEOPLE, plan, KEY), plan).to_dict()
    assert data["tables"][0]["rows"] == {"before": 200, "after": 190}
    city = column(data, "city")
    assert (
        city["changed"] == 0 and city["distance"]["values"] > 0 and city["after"]["filled"] < city["before"]["filled"]
    )


@pytest.mark.parametrize(
    "change", [lambda f: f.head(100), lambda f: f.drop("email"), lambda f: f.rename({"city": "town"})]
)
def test_frames_that_do_not_belong_together(change: Any) -> None:
    after = package.mask(PEOPLE, PLAN, KEY)
    with pytest.raises(package.UsageError, match="the second frame doesn't have"):
        package.compare(PEOPLE, change(after), PLAN)


def test_a_column_is_called_kept_only_where_it_was() -> None:
    after = package.mask(PEOPLE, PLAN, KEY)
    with pytest.raises(package.UsageError, match="column city: the plan keeps it unchanged"):
        package.compare(PEOPLE, after.with_columns(city=pl.lit("Elsewhere")), PLAN)


def test_rows_that_the_plan_leaves_out_are_counted_nowhere_as_masked(tmp_path: Path) -> None:
    """They don't share masks, aren't unmasked, and break no promise, as `verify` finds out too."""
    people, out, key = tmp_path / "people.csv", tmp_path / "out.csv", key_file(tmp_path)
    PEOPLE.write_csv(people)
    plan = planned(people, tmp_path / "plan.toml")
    text = plan.read_text(encoding="utf-8")
    plan.write_text(text.replace('"people.csv"\n', '"people.csv"\ndrop_rows = [{missing = ["ssn"]}]\n'), "utf-8")
    call = ["mask", people, "--plan", plan, "--key", key, "-o", out, "--report"]
    piiscan(*call, tmp_path / "r.json")
    piiscan(*call, tmp_path / "r.md", "--overwrite")
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    email, ssn = column(found, "email"), column(found, "ssn")
    assert (email["filled_left"], email["changed"], email["changed_share"]) == (190, 190, 1.0)
    assert ssn["operator"] == "fpe" and ssn["collisions"] is None and found["summary"]["collisions"] == 0
    rows = [p for p in found["promises"] if p["name"] == "as many rows as the plan leaves"]
    assert [(p["cells"], p["broken"]) for p in rows] == [(190, 0)]
    assert "| email | 190 of 190 (100%) |" in (tmp_path / "r.md").read_text(encoding="utf-8")
    said = piiscan("verify", people, out, "--plan", plan, "--key", key)
    assert re.search(r"(\d+) promises checked, \1 kept\.", said)


@pytest.mark.parametrize(
    ("policy", "notice"), [("default", "anyone who has the key"), ("hipaa-safe-harbor", "Masked data may remain")]
)
def test_the_report_speaks_of_a_key_where_one_was_used(tmp_path: Path, policy: str, notice: str) -> None:
    customers(60).write_csv(tmp_path / "c.csv")
    call = ["mask", tmp_path / "c.csv", "--policy", policy, "--key", key_file(tmp_path), "-o", tmp_path / "out.csv"]
    piiscan(*call, "--report", tmp_path / "r.json")
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert notice in report["notice"] and (report["key"] is None) is (policy != "default")
    assert any("Surrogates are of the locale" in note for note in report["plan"]["notes"]) is (policy == "default")


def test_what_is_left_and_what_shares_a_mask_is_counted(tmp_path: Path) -> None:
    """Names are made up out of a list, and some stay by chance."""
    shop = folder(tmp_path)
    plan = planned(shop, tmp_path / "plan.toml")
    call = ["mask", shop, "--plan", plan, "--key", key_file(tmp_path), "-o", tmp_path / "out"]
    piiscan(*call, "--report", tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, SCHEMA)
    for table in found["tables"]:
        for each in table["columns"]:
            less = each["before"]["distinct"] - each["after"]["distinct"]
            assert each["collisions"] in (None, max(0, less))
            assert (each["collisions"] is None) == (each["operator"] in ("keep", "persona"))  # whose it is decides
    assert found["summary"]["collisions"] == sum(c["collisions"] or 0 for t in found["tables"] for c in t["columns"])
    broken: dict[tuple[str, str | None], int] = {}
    entities = {(t["source"], c["name"]): c["entity"] for t in found["tables"] for c in t["columns"]}
    for p in found["promises"]:
        if p["column"] and "is left" in p["name"]:
            key = p["name"], entities[p["source"], p["column"]]
            broken[key] = broken.get(key, 0) + p["broken"]
    assert {(w["name"], w["entity"]): w["found"] for w in found["left"]} == {
        key: n for key, n in broken.items() if n or key in {(w["name"], w["entity"]) for w in found["left"]}
    }
    assert found["left"]
