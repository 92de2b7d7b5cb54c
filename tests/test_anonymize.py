"""`piiscan anonymize` as people run it, and those who attack what it wrote."""

from __future__ import annotations

import json
import math
import random
import sqlite3
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from mask_people import key_file, piiscan

from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.models.privacy_models import PrivacyModels
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.run import anonymize_file
from piiscan.cli import invoke
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions

QUASI = ["age", "zip", "sex"]
OTHERS = ["--sensitive", "diagnosis", "--insensitive", "visits"]


def patients(rows: int = 400, seed: int = 5) -> pl.DataFrame:
    draw = random.Random(seed)
    return pl.DataFrame(
        [
            {
                "age": draw.randrange(20, 80),
                "zip": f"{draw.choice(['021', '021', '100', '946'])}{draw.randrange(20):02}",
                "sex": draw.choice(["female", "male", None]),
                "diagnosis": draw.choice(["flu", "flu", "asthma", "diabetes", "none"]),
                "visits": draw.randrange(9),
            }
            for _ in range(rows)
        ]
    )


def classes(output: pl.DataFrame) -> dict[tuple[str | None, ...], list[str | None]]:
    """The sensitive values of each class; blank rows are none."""
    out = defaultdict(list)
    for row in output.iter_rows():
        if any(cell is not None for cell in row):
            out[row[:3]].append(row[3])
    return out


def read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("anonymize") / "patients.csv"
    patients().write_csv(path)
    return path


def run(source: Path, target: Path, *options: str, status: int = 0) -> str:
    return piiscan("anonymize", source, "-o", target, "--quasi", ",".join(QUASI), *OTHERS, *options, status=status)


@pytest.mark.parametrize("method", ["optimal", "local"])
@pytest.mark.parametrize(
    ("options", "holds"),
    [
        (["--k", "5"], lambda values, _: len(values) >= 5),
        (["--k", "3", "--l", "3"], lambda values, _: len(values) >= 3 and len(set(values)) >= 3),
        (
            ["--k", "3", "--alpha", "0.6"],
            lambda values, _: len(values) >= 3 and max(Counter(values).values()) <= 0.6 * len(values),
        ),
        (
            ["--k", "2", "--t", "0.3"],
            lambda values, whole: (
                len(values) >= 2
                and sum(abs(values.count(v) / len(values) - n / whole.total()) for v, n in whole.items()) / 2
                <= 0.3 + 1e-9
            ),
        ),
        (
            ["--l", "2.5", "--diversity", "entropy"],
            lambda values, _: (
                -sum(n / len(values) * math.log(n / len(values)) for n in Counter(values).values())
                >= math.log(2.5) - 1e-9
            ),
        ),
        (
            ["--l", "3", "--diversity", "recursive", "--c", "2"],
            lambda values, _: (often := sorted(Counter(values).values(), reverse=True))[0] < 2 * sum(often[2:]),
        ),
    ],
    ids=["k", "l", "alpha", "t", "entropy l", "recursive l"],
)
def test_every_published_class_meets_the_models(
    source: Path, tmp_path: Path, method: str, options: list[str], holds: object
) -> None:
    report_file = tmp_path / "report.json"
    run(source, tmp_path / "out.csv", *options, "--method", method, "--report", str(report_file))
    output, report = read(tmp_path / "out.csv"), json.loads(report_file.read_text())
    jsonschema.validate(
        report, json.loads((ROOT / "piiscan" / "report" / "schemas" / "anonymization-1.json").read_text())
    )
    found = classes(output)
    whole = Counter(patients()["diagnosis"])
    assert all(holds(values, whole) for values in found.values())  # type: ignore[operator]
    assert report["method"] == method
    assert report["classes"] == len(found)
    assert report["smallest_class"] == min(map(len, found.values()))
    assert report["suppressed"] == len(output) - sum(map(len, found.values())) <= 0.04 * len(output)
    assert all(model["holds"] for model in report["models"].values())
    assert set(report["loss"]) == set(QUASI)
    assert report["mean_loss"] == pytest.approx(sum(report["loss"].values()) / 3)


def test_rows_keep_their_order_and_other_columns(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out.csv", "--k", "4", "--method", "optimal", "--metric", "entropy")
    before, after = read(source), read(tmp_path / "out.csv")
    blank = after["visits"].is_null()
    assert blank.any()
    assert after.columns == before.columns
    assert after.filter(~blank)["diagnosis"].equals(before.filter(~blank)["diagnosis"])
    assert after.filter(blank).null_count().row(0) == (blank.sum(),) * 5


def test_suppressed_rows_can_be_left_out(source: Path, tmp_path: Path) -> None:
    optimal = ("--k", "4", "--method", "optimal", "--metric", "entropy")
    run(source, tmp_path / "blank.csv", *optimal)
    run(source, tmp_path / "out.csv", *optimal, "--drop-suppressed")
    blank = read(tmp_path / "blank.csv")
    assert blank["visits"].null_count() > 0
    assert read(tmp_path / "out.csv").equals(blank.filter(pl.col("visits").is_not_null()))


@pytest.mark.parametrize("write", [pl.DataFrame.write_ipc, pl.DataFrame.write_ipc_stream, pl.DataFrame.write_parquet])
def test_suppressed_rows_are_nowhere_in_an_arrow_file(tmp_path: Path, write: Any) -> None:
    """A cell that is null in Arrow may have its value below."""
    notes = [f"a note that is rather long, number {i:02}" for i in range(63)]
    numbers = [700000000 + i for i in range(63)]
    write(pl.DataFrame({"age": [20] * 60 + [70, 80, 90], "note": notes, "number": numbers}), tmp_path / "a.arrow")
    options = ("--insensitive", "note,number", "--k", "20", "--method", "optimal", "--suppress", "0.1")
    piiscan("anonymize", tmp_path / "a.arrow", "-o", tmp_path / "out.arrow", "--quasi", "age", *options)
    held = (tmp_path / "out.arrow").read_bytes()
    assert not [i for i in (60, 61, 62) if notes[i].encode() in held or numbers[i].to_bytes(8, "little") in held]


def test_units_are_counted_not_rows(tmp_path: Path) -> None:
    frame = pl.DataFrame({"person": ["a"] * 6 + ["b", "c", "d"], "age": [30] * 6 + [50] * 3})
    frame.write_csv(tmp_path / "visits.csv")
    call = [
        "anonymize",
        tmp_path / "visits.csv",
        "-o",
        tmp_path / "out.csv",
        "--k",
        "3",
        "--quasi",
        "age",
        "--suppress",
        "0",
    ]
    piiscan(*call, "--insensitive", "person")
    assert read(tmp_path / "out.csv")["age"].to_list() == ["30"] * 6 + ["50"] * 3
    piiscan(*call, "--unit", "person", "--overwrite")
    assert read(tmp_path / "out.csv")["age"].n_unique() == 1


@pytest.mark.parametrize("kind", ["csv", "parquet", "db"])
@pytest.mark.parametrize("number", ["PT-{}", "{}"])
def test_a_unit_s_own_number_is_nowhere_in_the_output(tmp_path: Path, kind: str, number: str) -> None:
    units = [number.format(70_000 + n // 3) for n in range(90)]
    frame = pl.DataFrame({"patient_no": units, "age": [30, 40, 50] * 30, "seen": ["no", "yes"] * 45})
    frame = frame.with_columns(pl.col("patient_no").cast(pl.Int32) if number == "{}" else pl.col("patient_no"))
    source, target = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    if kind == "csv":
        frame.write_csv(source)
    elif kind == "parquet":
        frame.write_parquet(source)
    else:
        with sqlite3.connect(source) as base:
            base.execute(
                f"CREATE TABLE visits (patient_no {'INTEGER' if number == '{}' else 'TEXT'}, age INTEGER, seen TEXT)"
            )
            base.executemany("INSERT INTO visits VALUES (?, ?, ?)", frame.rows())
        base.close()
    said = piiscan("anonymize", source, "-o", target, "--k", "3", "--quasi", "age", "--unit", "patient_no")
    if kind == "db":
        base = sqlite3.connect(target)
        new = pl.Series([row[0] for row in base.execute("SELECT patient_no FROM visits")])
        base.close()
    else:
        new = (pl.read_parquet(target) if kind == "parquet" else pl.read_csv(target))["patient_no"]
    assert kind != "parquet" or new.dtype == frame["patient_no"].dtype
    new = new.cast(pl.String)
    assert not set(new) & {str(n) for n in units}
    pairs = set(zip(frame["patient_no"], new, strict=True))
    assert len(pairs) == new.n_unique() == 30  # one number each
    assert new.unique(maintain_order=True).to_list() != [str(n + 1) for n in range(30)]  # and no rank
    assert "patient_no has different numbers in the output" in said
    assert "piiscan protect takes the other steps of a release" in said


@pytest.mark.parametrize(("note", "warned"), [("unique", True), ("same", False)])
def test_kept_columns_that_are_unique_together_are_told(tmp_path: Path, note: str, warned: bool) -> None:
    notes = [f"{n % 20}" if note == "unique" else "x" for n in range(100)]
    more = [f"{n // 20}" if note == "unique" else "y" for n in range(100)]
    pl.DataFrame({"age": [30, 40] * 50, "a": notes, "b": more}).write_csv(tmp_path / "in.csv")
    typed = ["--k", "3", "--quasi", "age", "--insensitive", "a,b"]
    said = piiscan("anonymize", tmp_path / "in.csv", "-o", tmp_path / "out.csv", *typed)
    assert ("a, b stay as they are, and single out 100 of 100 rows" in said) == warned
    assert ("piiscan protect" in said) == warned


@pytest.mark.parametrize("kind", ["csv", "parquet", "db"])
def test_formats(tmp_path: Path, kind: str) -> None:
    source, target, frame = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}", patients()
    if kind == "parquet":
        frame.write_parquet(source)
    elif kind == "csv":
        frame.write_csv(source)
    else:
        with sqlite3.connect(source) as base:
            base.execute("CREATE TABLE patients (age INTEGER, zip TEXT, sex TEXT, diagnosis TEXT, visits INTEGER)")
            base.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?)", frame.rows())
        base.close()
    run(source, target, "--k", "5")
    if kind == "db":
        base = sqlite3.connect(target)
        rows = base.execute("SELECT * FROM patients").fetchall()
        base.close()
        after = pl.DataFrame(rows, schema=frame.columns, orient="row", infer_schema_length=None)
    else:
        after = pl.read_parquet(target) if kind == "parquet" else pl.read_csv(target)
    assert min(map(len, classes(after).values())) >= 5
    assert after["visits"].dtype == pl.Int64


def test_the_same_table_in_another_order_gets_the_same_labels(tmp_path: Path) -> None:
    frame = patients().with_row_index("visits_id")
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    outputs = []
    for name, table in (("a", frame), ("b", shuffled)):
        table.write_csv(tmp_path / f"{name}.csv")
        run(
            tmp_path / f"{name}.csv",
            tmp_path / f"{name}-out.csv",
            "--k",
            "4",
            "--insensitive",
            "visits_id",
            "--method",
            "local",
        )
        outputs.append(read(tmp_path / f"{name}-out.csv").sort("visits_id", nulls_last=True))
    assert outputs[0].equals(outputs[1])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["optimal", "local"])
def test_a_plan_is_of_its_table_alone(source: Path, tmp_path: Path, method: str) -> None:
    key, plan = key_file(tmp_path), tmp_path / "plan.toml"
    run(source, tmp_path / "out.csv", "--k", "5", "--method", method, "--save-plan", str(plan), "--key", key)
    piiscan("anonymize", source, "--plan", plan, "-o", tmp_path / "again.csv", "--key", key)
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()

    frame = patients()
    cases = {
        "more": pl.concat([frame, frame[:1]]),
        "part": frame[:300],
        "other": frame.with_columns(age=pl.when(pl.col("age") == pl.col("age").max()).then(19).otherwise("age")),
    }
    for name, table in cases.items():
        table.write_csv(tmp_path / f"{name}.csv")
        said = piiscan(
            "anonymize",
            tmp_path / f"{name}.csv",
            "--plan",
            plan,
            "-o",
            tmp_path / f"{name}-out.csv",
            "--key",
            key,
            status=2,
        )
        assert "make a plan of this table" in said
        assert not (tmp_path / f"{name}-out.csv").exists()
    listed = tmp_path / "plan.classes.csv"
    listed.write_text(listed.read_text() + listed.read_text().splitlines()[-1] + "\n")
    assert "list of classes" in piiscan(
        "anonymize", source, "--plan", plan, "-o", tmp_path / "x.csv", "--key", key, status=2
    )
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize("method", ["optimal", "local"])
@pytest.mark.parametrize("k", [3, 5, 9])
def test_a_plan_lists_nothing_that_the_output_does_not_show(source: Path, tmp_path: Path, method: str, k: int) -> None:
    plan = tmp_path / "plan.toml"
    asked = ("--k", str(k), "--method", method)
    run(source, tmp_path / "out.csv", *asked, "--save-plan", str(plan), "--key", key_file(tmp_path))
    shown = set(classes(read(tmp_path / "out.csv")))
    listed = {
        tuple(cell or None for cell in row[2:-1])
        for row in pl.read_csv(tmp_path / "plan.classes.csv", infer_schema=False).rows()
    }
    assert {tuple(c for c in row) for row in listed} == shown
    assert "flu" not in plan.read_text() + (tmp_path / "plan.classes.csv").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no privacy model is given"),
        (["--k", "401"], "400 of 400 rows are in no class that meets k-anonymity"),
        (["--k", "401", "--method", "optimal"], "no generalisation meets"),
        (["--k", "3", "--l", "9"], "400 of 400 rows are in no class that meets"),
        (["--k", "3", "--l", "9", "--method", "optimal"], "no generalisation meets"),
        (["--k", "3", "--quasi", "salary"], "there is no column salary"),
        (["--k", "3", "--sensitive", "zip"], "declared as quasi and as sensitive"),
        (["--k", "3", "--method", "local", "--metric", "entropy"], "leave --metric out"),
        (["--k", "3", "--presence", "0", "0.5"], "--presence and --population together"),
    ],
)
def test_what_cannot_be_is_said(source: Path, tmp_path: Path, options: list[str], message: str) -> None:
    assert message in run(source, tmp_path / "out.csv", *options, status=2)
    assert not (tmp_path / "out.csv").exists()


def test_without_roles_the_scan_decides_and_direct_identifiers_are_refused(tmp_path: Path) -> None:
    frame = patients().with_columns(email=pl.Series([f"jane.doe{i}@corp-mail.com" for i in range(400)]))
    frame.write_csv(tmp_path / "people.csv")
    said = piiscan("anonymize", tmp_path / "people.csv", "-o", tmp_path / "out.csv", "--k", "3", status=2)
    assert "direct identifiers: email (EMAIL_ADDRESS)" in said
    assert "piiscan mask" in said
    assert "jane" not in said
    frame.drop("email").write_csv(tmp_path / "people.csv")
    said = piiscan("anonymize", tmp_path / "people.csv", "-o", tmp_path / "out.csv", "--k", "3")
    assert "age: quasi (the scan: AGE" in said
    assert min(map(len, classes(read(tmp_path / "out.csv")).values())) >= 3


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_microaggregation_publishes_means_of_k_rows(tmp_path: Path, kind: str) -> None:
    draw = random.Random(2)
    frame = pl.DataFrame(
        {
            "age": [draw.randrange(20, 80) for _ in range(300)],
            "weight": [round(draw.gauss(70, 9), 1) for _ in range(300)],
        }
    )
    source, target = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    frame.write_csv(source) if kind == "csv" else frame.write_parquet(source)
    piiscan("anonymize", source, "-o", target, "--k", "5", "--quasi", "age,weight", "--method", "mdav")
    after = pl.read_csv(target) if kind == "csv" else pl.read_parquet(target)
    assert after.schema == frame.schema
    assert min(Counter(after.rows()).values()) >= 5
    assert after["weight"].mean() == pytest.approx(frame["weight"].mean(), abs=0.1)
    with_text = frame.with_columns(age=pl.lit("old"))
    with_text.write_csv(tmp_path / "text.csv")
    said = piiscan(
        "anonymize",
        tmp_path / "text.csv",
        "-o",
        tmp_path / "x.csv",
        "--k",
        "5",
        "--quasi",
        "age,weight",
        "--method",
        "mdav",
        status=2,
    )
    assert "needs a number in every row" in said


def test_hierarchies_can_be_written_edited_and_given_back(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hierarchies"
    run(source, tmp_path / "a.csv", "--k", "5", "--save-hierarchies", str(folder))
    assert sorted(p.name for p in folder.iterdir()) == ["age.csv", "sex.csv", "zip.csv"]
    run(source, tmp_path / "b.csv", "--k", "5", "--hierarchies", str(folder))
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    (folder / "age.csv").write_text("".join(f"{age};{'old' if age > 49 else 'young'}\n" for age in range(20, 80)))
    run(source, tmp_path / "c.csv", "--k", "5", "--hierarchies", str(folder))
    assert set(read(tmp_path / "c.csv")["age"].drop_nulls()) <= {"old", "young", "*"}
    (folder / "age.csv").write_text("20;young\n")
    assert "lacks 58 of the column's 59 different values" in run(
        source, tmp_path / "d.csv", "--k", "5", "--hierarchies", str(folder), status=2
    )


def test_a_classifier_says_what_is_left_to_learn(source: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    run(source, tmp_path / "out.csv", "--k", "5", "--classify", "diagnosis", "--report", str(report))
    learned = json.loads(report.read_text())["classifier"]
    commonest = patients()["diagnosis"].value_counts()["count"].max() / 400
    assert learned["commonest"] == pytest.approx(commonest)
    assert 0 <= learned["after"] <= 1
    said = run(source, tmp_path / "x.csv", "--k", "5", "--classify", "visits", status=2)
    assert "visits is neither" in said
    assert not (tmp_path / "x.csv").exists()


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    patients()[:0].write_parquet(tmp_path / "empty.parquet")
    assert "the table has no rows" in run(tmp_path / "empty.parquet", tmp_path / "out.parquet", "--k", "2", status=2)


@pytest.mark.parametrize("method", ["optimal", "local"])
def test_no_class_reveals_who_is_in_the_table(tmp_path: Path, method: str) -> None:
    """delta-presence: of everybody with a class's labels, no more than the asked share is in the table. The
    population's columns stand in another order."""
    everybody = patients(900).select("visits", "sex", "zip", "age")
    everybody[:300].select("age", "zip", "sex", "visits").with_columns(diagnosis=pl.lit("flu")).write_csv(
        tmp_path / "in.csv"
    )
    everybody.write_csv(tmp_path / "all.csv")
    call = [
        "anonymize",
        tmp_path / "in.csv",
        "-o",
        tmp_path / "out.csv",
        "--quasi",
        "age,zip,sex",
        "--insensitive",
        "visits,diagnosis",
        "--method",
        method,
    ]
    piiscan(
        *call,
        "--presence",
        "0",
        "0.5",
        "--population",
        tmp_path / "all.csv",
        "--save-hierarchies",
        tmp_path / "h",
        "--suppress",
        "0.2",
    )
    below = {}
    for name in ("age", "zip", "sex"):
        for line in (tmp_path / "h" / f"{name}.csv").read_text().splitlines():
            leaf, *labels = line.split(";")
            for label in (leaf, *labels):
                below.setdefault((name, label or None), set()).add(leaf or None)
    out = read(tmp_path / "out.csv").select("age", "zip", "sex", "diagnosis").filter(pl.col("diagnosis").is_not_null())
    whole = (
        everybody.with_columns(pl.col("age").cast(pl.String), pl.col("zip").cast(pl.String))
        .select("age", "zip", "sex")
        .rows()
    )
    for labels, rows in Counter(out.select("age", "zip", "sex").rows()).items():
        fits = sum(
            all(
                cell in below[name, label] for name, label, cell in zip(("age", "zip", "sex"), labels, row, strict=True)
            )
            for row in whole
        )
        assert rows <= 0.5 * fits


def test_a_folder_may_say_how_hierarchies_are_built(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    (folder / "hierarchies.toml").write_text(
        '[age]\nkind = "intervals"\nwidths = [30]\n[zip]\nkind = "prefixes"\nkeep = [3]\n'
    )
    (folder / "sex.csv").write_text("female;*\nmale;*\n;*\n")
    run(source, tmp_path / "out.csv", "--k", "5", "--hierarchies", str(folder))
    assert set(read(tmp_path / "out.csv")["age"].drop_nulls()) <= {"[0, 30)", "[30, 60)", "[60, 90)", "*"}
    (folder / "hierarchies.toml").write_text('[diagnosis]\nkind = "order"\n')
    assert "[diagnosis] isn't the name of a quasi-identifier" in run(
        source, tmp_path / "x.csv", "--k", "5", "--hierarchies", str(folder), status=2
    )


@pytest.mark.parametrize("method", ["optimal", "local"])
def test_batches_do_not_show_in_the_output(tmp_path: Path, method: Any) -> None:
    source = tmp_path / "patients.csv"
    patients(120).write_csv(source)
    rules, request = (
        rule_sets.load(()),
        AnonymizeRequest(PrivacyModels(k=4), tuple(QUASI), ("diagnosis",), ("visits",), method=method),
    )
    outputs = []
    for rows in (1, 7, 1000):
        read_ = ReadOptions(batch_rows=rows)
        table = Source(source, None, read_)
        found = anonymize_file.search_file(table, request, rules, ScanOptions())
        anonymize_file.write_file(table, tmp_path / f"{rows}.csv", found)
        outputs.append((tmp_path / f"{rows}.csv").read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]


@given(
    rows=st.lists(st.tuples(st.sampled_from(["a", "b", None, ""]), st.integers(0, 3)), max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=3),
)
def test_histograms_are_an_exact_commutative_monoid(rows: list[tuple[str | None, int]], cuts: list[int]) -> None:
    frame = pl.DataFrame(rows, schema={"0": pl.String, "1": pl.Int64}, orient="row")
    whole, empty = Histogram.of(frame, [0, 1]), Histogram.empty([0, 1])
    ends = [0, *sorted(cuts), 30]
    parts = [Histogram.of(frame[a:b], [0, 1]) for a, b in pairwise(ends)]
    assert Histogram.total(parts, [0, 1]) == whole
    assert Histogram.total(reversed(parts), [0, 1]).frame.equals(Histogram.total([whole], [0, 1]).frame)
    assert whole + empty == whole == empty + whole
    assert parts[0] + parts[-1] == parts[-1] + parts[0]


def test_a_second_release_is_noted_and_warned_of(tmp_path: Path) -> None:
    """Before the table is written: what can't be noted isn't released."""
    source = tmp_path / "patients.csv"
    patients().write_csv(source)
    text = run(source, tmp_path / "a.csv", "--k", "5", "--dataset", "people")
    assert "Other releases" not in text
    text = run(source, tmp_path / "b.csv", "--k", "9", "--dataset", "people")
    assert "Other releases are known: compare table anonymised by age, zip, sex (k-anonymity k = 5" in text
    (tmp_path / "piiscan-ledger.sqlite").write_bytes(b"spoiled")
    assert "it can't be used" in run(source, tmp_path / "c.csv", "--k", "5", status=2)
    assert not (tmp_path / "c.csv").exists()


def test_columns_in_doubt_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = engine.scan_tables

    def doubtful(*arguments: Any, **options: Any) -> Any:
        found = plain(*arguments, **options)
        columns = [replace(c, review=("it may be PERSON_ID (40% likely)",)) for c in found.tables[0].columns]
        return replace(found, tables=[replace(found.tables[0], columns=columns)])

    source, report = tmp_path / "t.csv", tmp_path / "report.json"
    frame = pl.DataFrame({"age": [30, 40] * 20, "who": [n // 2 for n in range(40)], "answer": ["yes", "no"] * 20})
    frame.write_csv(source)
    monkeypatch.setattr(engine, "scan_tables", doubtful)
    typed = ["anonymize", source, "--k", "2", "--quasi", "age", "--unit", "who", "-o", tmp_path / "out.csv"]
    assert invoke([*map(str, typed), "--report", str(report)]) == 0
    said = capsys.readouterr().err
    assert "1 column whose class is in doubt: answer." in said  # of the others, a person has said what they are
    assert "the smallest of 20 different who; 0 of 40 rows suppressed" in said
    told = json.loads(report.read_text(encoding="utf-8"))
    assert [name for name, of in told["columns"].items() if of["review"]] == ["answer"]
