"""Files of one table: one verdict, one entry in a plan, and nothing lost or hidden by that."""

from __future__ import annotations

import csv
import itertools
import json
import random
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Run
from mask_people import write_key

import piiscan
from piiscan.core import shares, source_globs

FIRST = "Anna Boris Carla David Elena Farid Greta Hanna Igor Julia Karim Laura Marco Nadia Oscar Paula".split()
LAST = "Smith Novak Rossi Meyer Silva Kowalski Larsen Dubois Garcia Jansen Moreau Schmidt Weber Costa Horvat".split()


def people(seed: int, rows: int = 60) -> pl.DataFrame:
    r = random.Random(seed)
    names = [f"{r.choice(FIRST)} {r.choice(LAST)}" for _ in range(rows)]
    return pl.DataFrame(
        {
            "name": names,
            "mail": [f"{n.replace(' ', '.').lower()}{r.randint(1, 999)}@corp-mail.com" for n in names],
            "amount": [round(r.random() * 100, 2) for _ in range(rows)],
            "status": [r.choice(["new", "paid", "void"]) for _ in range(rows)],
        }
    )


Write = Callable[[pl.DataFrame, Path], Any]
WRITERS: dict[str, Write] = {
    "csv": pl.DataFrame.write_csv,
    "parquet": pl.DataFrame.write_parquet,
    "jsonl": pl.DataFrame.write_ndjson,
}


def lake(folder: Path, n: int = 5, ending: str = "csv") -> Path:
    for i in range(n):
        part = folder / "lake" / f"year={2020 + i % 2}" / f"part-{i:05d}.{ending}"
        part.parent.mkdir(parents=True, exist_ok=True)
        WRITERS[ending](people(i), part)
    return folder / "lake"


def scanned(piiscan: Run, folder: Path, *args: str, status: int = 1) -> dict[str, Any]:
    done = piiscan("scan", *args, "-f", "json", cwd=folder)
    assert done.returncode == status, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def verdicts(table: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    return [(c["name"], c["entity"], c["pii"]) for c in table["columns"]]


@pytest.mark.parametrize(
    ("source", "glob"),
    [
        ("events/part-00001.parquet", "events/part-*.parquet"),
        ("e/year=2024/month=01/part-0-1f2e3d4c-aaaa-4bbb-8ccc-1234567890ab.c000.snappy.parquet",
         "e/year=*/month=*/part-*-*.c*.snappy.parquet"),
        ("a/2024/01/15/x.csv", "a/*/*/*/x.csv"),
        ("a/2024-01/x.csv", "a/*/x.csv"),
        ("orders_2024-01-15.csv", "orders_*.csv"),
        ("orders_20240115T120000Z.csv.gz", "orders_*.csv.gz"),
        ("h/deadbeef12.csv", "h/*.csv"),
        ("h/12345678abcd.csv", "h/*.csv"),
        ("e-2023-01-05-0716d9708d32-00017.csv", "e-*-*-*.csv"),
        ("e-2023-01-05-356a192b7913-00018.csv", "e-*-*-*.csv"),
        ("part-12345678-1234-4bbb-8ccc-1234567890ab.csv", "part-*.csv"),
        ("s-2024-01-15-12-00-00-9f2e3d4c-aaaa-4bbb-8ccc-1234567890ab", "s-*-*"),
        ("x_20240115123456789.csv", "x_*.csv"),
        ("x_20240115xyz.csv", "x_*xyz.csv"),
        ("a_1.zip!b_2.csv", "a_*.zip!b_*.csv"),
        ("a[1]/b2.csv", "a[[]1]/b*.csv"),
        ("2024.csv", "*.csv"),
        ("log.1", "log.*"),
        ("customers.csv", None),
        ("facade/deadbeef.csv", None),
        ("a/b.12/c.csv", None),
        ("x.7z", None),
        ("", None),
    ],
)  # fmt: skip
def test_names_that_differ_only_in_dates_numbers_hashes_and_keys(source: str, glob: str | None) -> None:
    assert source_globs.glob_of(source) == glob
    if glob is not None:
        assert source_globs.matches(source, glob) and source_globs.glob_of(source) == glob


@pytest.mark.slow
@pytest.mark.parametrize("length", [8, 12, 16, 40])
@pytest.mark.parametrize("form", ["part-{}.csv", "part-2024-01-15-{}.csv", "{}_20240115.csv", "00017-{}-c000.csv"])
def test_hashes_whatever_they_begin_with(form: str, length: int) -> None:
    """One in seven begins with four digits, as a time does, one in forty with eight, as a date does."""
    draw = random.Random(length)
    names = [form.format(f"{draw.getrandbits(4 * length):0{length}x}") for _ in range(2000)]
    with_digits = [name for name in names if re.search(r"\d", re.sub(form.replace("{}", "([0-9a-f]+)"), r"\1", name))]
    assert len(with_digits) > 1990 and len({source_globs.glob_of(name) for name in with_digits}) == 1


@pytest.mark.parametrize(
    ("source", "glob", "fits"),
    [
        ("events/2024/a.parquet", "events/**/*.parquet", True),
        ("events/a.parquet", "events/**/*.parquet", True),
        ("other/a.parquet", "events/**/*.parquet", False),
        ("a/b/c.csv", "a/*.csv", False),
        ("a/b.csv", "a/?.csv", True),
        ("a/7.csv", "a/[0-9].csv", True),
        ("a/x.csv", "a/[!0-9].csv", True),
        ("a/7.csv", "a/[!0-9].csv", False),
        ("a[1].csv", "a[[]1].csv", True),
        ("a/[.csv", "a/[.csv", True),
        ("a\n.csv", "a*.csv", True),
    ],
)
def test_what_globs_match(source: str, glob: str, fits: bool) -> None:
    assert source_globs.matches(source, glob) is fits


@pytest.mark.parametrize("ending", WRITERS)
def test_files_of_one_table_are_one(piiscan: Run, tmp_path: Path, ending: str) -> None:
    lake(tmp_path, 5, ending)
    found = scanned(piiscan, tmp_path, "lake")
    (whole,) = found["datasets"]
    assert whole["source"] == f"lake/year=*/part-*.{ending}" and whole["files"] == 5 and whole["rows"] == 300
    assert verdicts(whole) == [
        ("name", "PERSON", "direct"),
        ("mail", "EMAIL_ADDRESS", "direct"),
        ("amount", None, "none"),
        ("status", None, "none"),
        ("year", None, "none"),
    ]
    assert whole["columns"][4]["distinct"] == 2 and whole["columns"][4]["nulls"] == 0
    assert [t["source"] for t in found["tables"]] == sorted(p.as_posix() for p in _files(tmp_path))
    assert {t["dataset"] for t in found["tables"]} == {whole["source"]}
    assert all(verdicts(t) == verdicts(whole)[:4] and t["rows"] == 60 for t in found["tables"])
    assert found["summary"]["tables"] == 1 and found["summary"]["direct"] == 2
    shown = piiscan("scan", "lake", "-q", cwd=tmp_path)
    assert shown.stdout.count("EMAIL_ADDRESS") == 1 and "5 files, 300 rows" in shown.stdout
    each = piiscan("scan", "lake", "-q", "--each-file", cwd=tmp_path)
    assert each.stdout.count("EMAIL_ADDRESS") == 5 and "part-00003" in each.stdout


def _files(folder: Path) -> list[Path]:
    return [p.relative_to(folder) for p in (folder / "lake").rglob("*") if p.is_file()]


def test_the_whole_is_what_one_file_of_all_rows_would_be(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 6)
    pl.concat([people(i) for i in range(6)]).write_csv(tmp_path / "all.csv")
    (whole,), (one,) = scanned(piiscan, tmp_path, "lake")["datasets"], scanned(piiscan, tmp_path, "all.csv")["tables"]
    keys = ("name", "entity", "pii", "nulls", "distinct", "shape")
    assert [[c[k] for k in keys] for c in whole["columns"][:4]] == [[c[k] for k in keys] for c in one["columns"]]


def test_a_file_that_is_named_twice_does_not_count_twice(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 3)
    found = scanned(piiscan, tmp_path, "lake", "lake/year=2020/part-00000.csv")
    (whole,) = found["datasets"]
    assert whole["rows"] == 180 and whole["files"] == 3
    assert [t["rows"] for t in found["tables"]] == [60] * 4 and "dataset" not in found["tables"][-1]


def test_order_does_not_matter(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 4)
    people(9).with_columns(status=pl.col("mail")).write_csv(tmp_path / "lake" / "year=2020" / "part-00009.csv")
    files = [p.as_posix() for p in _files(tmp_path)]
    found = []
    for order in itertools.islice(itertools.permutations(sorted(files)), 0, 120, 37):
        report = scanned(piiscan, tmp_path, *order)
        report["tables"].sort(key=lambda t: str(t["source"]))
        found.append(report)
    assert len(found) > 2 and all(report == found[0] for report in found)


def test_tables_that_share_a_header_stay_apart_and_are_named_together(piiscan: Run, tmp_path: Path) -> None:
    for i, name in enumerate(("customers", "employees", "suppliers")):
        people(i).write_csv(tmp_path / f"{name}.csv")
    found = scanned(piiscan, tmp_path, ".")
    assert "datasets" not in found and [t.get("dataset") for t in found["tables"]] == [None] * 3
    shown = piiscan("scan", ".", "-q", cwd=tmp_path).stdout
    assert shown.count("EMAIL_ADDRESS") == 1
    assert "2 tables like this one: employees.csv, suppliers.csv" in shown
    markdown = piiscan("scan", ".", "-q", "-f", "markdown", cwd=tmp_path).stdout
    assert markdown.count("EMAIL_ADDRESS") == 1 and "2 tables like this one: employees.csv, suppliers.csv" in markdown
    assert piiscan("scan", ".", "-q", "--each-file", cwd=tmp_path).stdout.count("EMAIL_ADDRESS") == 3
    first = {"source": "customers.csv", "table": None}
    assert [t.get("like") for t in found["tables"]] == [None, first, first]
    lines = map(json.loads, piiscan("scan", ".", "-q", "-f", "jsonl", cwd=tmp_path).stdout.splitlines())
    likes = {line["source"]: line.get("like") for line in lines if line["kind"] == "column"}
    assert likes == {"customers.csv": None, "employees.csv": first, "suppliers.csv": first}
    rows = csv.DictReader(piiscan("scan", ".", "-q", "-f", "csv", cwd=tmp_path).stdout.splitlines())
    assert {(r["source"], r["like"]) for r in rows if r["status"] == "scanned"} == {
        ("customers.csv", ""), ("employees.csv", "customers.csv"), ("suppliers.csv", "customers.csv")
    }  # fmt: skip
    notes = piiscan("scan", ".", "-q", "-f", "github", cwd=tmp_path).stdout
    assert notes.count("EMAIL_ADDRESS (direct)") == 1 and "sure. 2 tables like this one: employees.csv" in notes
    results = json.loads(piiscan("scan", ".", "-q", "-f", "sarif", cwd=tmp_path).stdout)["runs"][0]["results"]
    mails = [r.get("properties", {}).get("like") for r in results if "EMAIL_ADDRESS" in r["message"]["text"]]
    assert mails == [None, "customers.csv", "customers.csv"]


def test_an_annotation_stays_where_the_table_it_is_like_is_allowed(piiscan: Run, tmp_path: Path) -> None:
    for i, name in enumerate(("customers", "employees", "suppliers")):
        people(i).write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "piiscan.toml").write_text('[[allow]]\npath = "customers.csv"\nreason = "public"\n')
    notes = piiscan("scan", ".", "-q", "-f", "github", cwd=tmp_path).stdout
    assert notes.count("file=employees.csv") == notes.count("::error") > 0
    assert "1 table like this one: suppliers.csv" in notes and "file=customers.csv" not in notes


def test_a_table_is_not_like_one_whose_cells_are_empty(piiscan: Run, tmp_path: Path) -> None:
    for i, name in enumerate(("customers", "employees", "suppliers")):
        frame = people(i)
        frame = frame.with_columns(mail=pl.lit("")) if i == 0 else frame
        frame.write_csv(tmp_path / f"{name}.csv")
    shown = {
        kind: piiscan("scan", ".", "-q", "-f", kind, "--empty-columns", cwd=tmp_path).stdout
        for kind in ("table", "markdown", "github", "json")
    }
    for kind in ("table", "markdown", "github"):
        assert "1 table like this one: suppliers.csv" in shown[kind], kind
    mails = [line for line in shown["github"].splitlines() if "EMAIL_ADDRESS" in line]
    assert len(mails) == 1 and mails[0].startswith("::error file=employees.csv,")
    like = {"source": "employees.csv", "table": None}
    assert [t.get("like") for t in json.loads(shown["json"])["tables"]] == [None, None, like]


def test_sarif_lists_what_a_baseline_knows_as_suppressed_when_asked(piiscan: Run, tmp_path: Path) -> None:
    people(1).write_csv(tmp_path / "customers.csv")
    piiscan("baseline", "create", ".", "-q", cwd=tmp_path)
    people(2).write_csv(tmp_path / "suppliers.csv")

    def results(*options: str) -> list[tuple[str, bool]]:
        out = piiscan("scan", ".", "-f", "sarif", *options, cwd=tmp_path).stdout
        found = json.loads(out)["runs"][0]["results"]
        place = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in found]
        return sorted({(uri, "suppressions" in r) for uri, r in zip(place, found, strict=True)})

    assert results("-q") == [("suppliers.csv", False)]
    assert results("-v") == [("customers.csv", True), ("suppliers.csv", False)]


def test_a_file_that_holds_something_else_is_judged_alone(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 5)
    people(7).with_columns(status=pl.col("mail"), mail=pl.col("status")).write_csv(
        tmp_path / "lake" / "year=2021" / "part-00007.csv"
    )
    found = scanned(piiscan, tmp_path, "lake")
    (whole,) = found["datasets"]
    assert whole["files"] == 5 and {n: e for n, e, _ in verdicts(whole)}["status"] is None
    odd = next(t for t in found["tables"] if t["source"].endswith("00007.csv"))
    assert "dataset" not in odd and ("status", "EMAIL_ADDRESS", "direct") in verdicts(odd)
    assert "mail, status hold something else" in odd["notes"][0]
    shown = piiscan("scan", "lake", "-q", cwd=tmp_path).stdout
    assert "part-00007.csv" in shown and "part-00003.csv" not in shown


def test_other_columns_are_another_table(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 4)
    for i in range(3):
        people(i).drop("amount").write_csv(tmp_path / "lake" / "year=2020" / f"part-1{i}.csv")
    found = scanned(piiscan, tmp_path, "lake")
    assert sorted(t["files"] for t in found["datasets"]) == [3, 4]
    plan = tmp_path / "plan.toml"
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    assert plan.read_text(encoding="utf-8").count("[[tables]]") == 2
    key = _key(tmp_path)
    done = piiscan("mask", "lake", "--plan", "plan.toml", "-o", "out", *key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").rglob("*.csv"))) == 7


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_numbers_of_both_kinds_and_empty_columns_are_of_one_type(piiscan: Run, tmp_path: Path, ending: str) -> None:
    """Whether a number has a fraction, and whether a column is empty, differs from file to file."""
    for i in range(6):
        count = pl.int_range(60) if i % 2 else pl.int_range(60) + 0.5
        code = pl.lit(None) if i == 3 else pl.int_range(1000, 1060)
        note = pl.lit("x") if i == 4 else pl.lit(None)
        WRITERS[ending](people(i).with_columns(count=count, code=code, note=note), tmp_path / f"part-{i}.{ending}")
    found = scanned(piiscan, tmp_path, ".")
    assert [(d["source"], d["files"]) for d in found["datasets"]] == [(f"part-*.{ending}", 6)]
    assert {c["name"]: c["dtype"] for c in found["datasets"][0]["columns"][4:]} == {
        "count": "float",
        "code": "integer",
        "note": "string",
    }
    assert piiscan("plan", ".", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    assert (tmp_path / "plan.toml").read_text(encoding="utf-8").count("[[tables]]") == 1
    (tmp_path / "in").mkdir()
    for part in tmp_path.glob(f"part-*.{ending}"):
        part.rename(tmp_path / "in" / part.name)
    done = piiscan("mask", "in", "--plan", "plan.toml", "-o", "out", *_key(tmp_path), cwd=tmp_path)
    assert done.returncode == 0 and len(list((tmp_path / "out").iterdir())) == 6, done.stderr


def test_other_types_are_another_table(piiscan: Run, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    for i in range(7):
        code = pl.int_range(1000, 1060) if i < 4 else pl.format("{}", pl.int_range(1000, 1060))
        people(i).with_columns(code=code).write_parquet(lake / f"part-{i}.parquet")
    found = scanned(piiscan, tmp_path, "lake")
    assert [d["files"] for d in found["datasets"]] == [4]
    apart = [t for t in found["tables"] if "dataset" not in t]
    assert [t["source"] for t in apart] == [f"lake/part-{i}.parquet" for i in (4, 5, 6)]
    assert all("code holds something else" in note for t in apart for note in t["notes"][:1])
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    done = piiscan("mask", "lake", "--plan", "plan.toml", "-o", "out", *_key(tmp_path), cwd=tmp_path)
    assert done.returncode == 0 and len(list((tmp_path / "out").iterdir())) == 7, done.stderr


def test_a_plan_has_each_glob_once(piiscan: Run, tmp_path: Path) -> None:
    """Of data sets that the configuration keeps apart, the greatest goes by the glob, the files of others by their
    names, where a person's decision stays, too."""
    lake(tmp_path, 8)
    (tmp_path / "piiscan.toml").write_text(
        '[[columns]]\npath = "lake/*/part-0000[0-2].csv"\ncolumn = "amount"\nis = "INCOME"\n', encoding="utf-8"
    )
    assert [d["files"] for d in scanned(piiscan, tmp_path, "lake")["datasets"]] == [3, 5]
    plan = tmp_path / "plan.toml"
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    own = [f"year={2020 + i % 2}/part-0000{i}.csv" for i in (0, 2, 1)]
    text = plan.read_text(encoding="utf-8")
    assert [t["source"] for t in tomllib.loads(text)["tables"]] == [*own, "year=*/part-*.csv"]
    changed = text.replace('amount = {entity = "INCOME"', 'amount = {operator = "suppress", decided_by = "human"')
    plan.write_text(changed, encoding="utf-8")
    assert changed.count("suppress") >= 3
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    done = piiscan("mask", "lake", "--plan", "plan.toml", "-o", "out", *_key(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for path in (tmp_path / "out").rglob("*.csv"):
        kept = pl.read_csv(path)["amount"].null_count() == 0
        assert kept == (path.relative_to(tmp_path / "out").as_posix() not in own)


def test_globs_may_match_files_of_another_data_set(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for i in range(4):
        people(i).write_csv(tmp_path / "in" / f"x-{i}.csv")
        people(i).with_columns(pl.col("amount").cast(pl.String) + " kg").write_csv(tmp_path / "in" / f"x-{i}-7.csv")
    assert piiscan("plan", "in", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    plan = tomllib.loads((tmp_path / "plan.toml").read_text(encoding="utf-8"))
    assert sorted(t["source"] for t in plan["tables"]) == ["x-*-*.csv", "x-*.csv"]
    done = piiscan("mask", "in", "--plan", "plan.toml", "-o", "out", *_key(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_files_of_few_rows(piiscan: Run, tmp_path: Path, rows: int) -> None:
    for i in range(30):
        people(i, 60).head(rows).write_csv(tmp_path / f"p{i}.csv")
    found = scanned(piiscan, tmp_path, ".", status=1 if rows else 0)
    assert len(found["tables"]) == 30 and len(found["datasets"]) == 1
    assert found["datasets"][0]["rows"] == 30 * rows
    if rows:
        assert verdicts(found["datasets"][0])[0] == ("name", "PERSON", "direct")


def test_one_file_is_no_data_set(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 1)
    found = scanned(piiscan, tmp_path, "lake")
    assert "datasets" not in found and "dataset" not in found["tables"][0]
    assert [c["name"] for c in found["tables"][0]["columns"]] == ["name", "mail", "amount", "status"]


def test_an_identifier_in_one_file_is_found_and_its_file_named(piiscan: Run, tmp_path: Path) -> None:
    for i in range(6):
        r = random.Random(i)
        notes = [f"called about order {r.randint(100, 999)} {r.choice(['again', 'today', 'twice'])}" for _ in range(40)]
        if i == 4:
            notes[17] = "write to mario.rossi@corp-mail.com please"
        pl.DataFrame({"note": notes, "n": range(40)}).write_csv(tmp_path / f"log-{i}.csv")
    found = scanned(piiscan, tmp_path, ".")
    (inside,) = [i for i in found["datasets"][0]["columns"][0]["inside"] if i["entity"] == "EMAIL_ADDRESS"]
    assert inside["cells"] == 1 and inside["first_rows"] == []
    shown = " ".join(piiscan("scan", ".", cwd=tmp_path).stdout.split())
    assert "inside 1 cell, row 17, in log-4.csv" in shown
    assert "inside 1 cell, row 17, in log-4.csv" in piiscan("scan", ".", "-f", "markdown", cwd=tmp_path).stdout
    where = {t["source"]: [i["first_rows"] for i in t["columns"][0]["inside"]] for t in found["tables"]}
    assert where == {f"log-{i}.csv": [[17]] if i == 4 else [] for i in range(6)}
    sarif = json.loads(piiscan("scan", ".", "-f", "sarif", cwd=tmp_path).stdout)
    (result,) = [r for r in sarif["runs"][0]["results"] if r["ruleId"] == inside["rule"]]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "log-4.csv" and place["region"]["startLine"] == 19
    assert result["partialFingerprints"]["piiscanFinding/v1"].startswith("log-*.csv|")
    assert "file=log-4.csv,line=19" in piiscan("scan", ".", "-f", "github", cwd=tmp_path).stdout
    explained = piiscan("explain", "log-4.csv::note", cwd=tmp_path)
    assert explained.returncode == 0 and "EMAIL_ADDRESS" in explained.stdout


def test_a_file_that_cannot_be_read_to_its_end(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 4, "parquet")
    broken = tmp_path / "lake" / "year=2021" / "part-00001.parquet"
    data = bytearray(broken.read_bytes())
    data[40:80] = bytes(40)
    broken.write_bytes(data)
    found = scanned(piiscan, tmp_path, "lake", status=3)
    assert not found["complete"]
    assert {e["source"] for e in found["not_scanned"]} == {"lake/year=2021/part-00001.parquet"}
    assert [t["source"] for t in found["tables"] if not t["complete"]] in ([], ["lake/year=2021/part-00001.parquet"])


def test_little_memory_changes_who_is_judged_together_but_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake(tmp_path, 6)
    for i in range(5):
        people(i).write_csv(tmp_path / f"t{chr(97 + i)}_1.csv")
    monkeypatch.setattr(shares, "data_sets", lambda: 100_000)
    found = piiscan.scan(tmp_path)
    seen = sorted(source for t in found.tables for source in t.sources)
    assert seen == sorted(str(p) for p in tmp_path.rglob("*.csv"))
    assert all(t.columns[1].entity == "EMAIL_ADDRESS" for t in found.tables)


# What people have said ---------------------------------------------------------------------------------------------


def test_a_declaration_for_one_file_holds_for_that_file_only(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 4)
    (tmp_path / "piiscan.toml").write_text(
        '[[columns]]\npath = "lake/year=2020/part-00002.csv"\ncolumn = "mail"\nis = "none"\n', encoding="utf-8"
    )
    found = scanned(piiscan, tmp_path, "lake")
    told = {t["source"][-6:-4]: {n: e for n, e, _ in verdicts(t)}["mail"] for t in found["tables"]}
    assert told == {"00": "EMAIL_ADDRESS", "01": "EMAIL_ADDRESS", "02": None, "03": "EMAIL_ADDRESS"}
    (tmp_path / "piiscan.toml").write_text(
        '[[columns]]\npath = "lake/**"\ncolumn = "mail"\nis = "none"\n', encoding="utf-8"
    )
    found = scanned(piiscan, tmp_path, "lake")
    assert [t["files"] for t in found["datasets"]] == [4]
    assert all({n: e for n, e, _ in verdicts(t)}["mail"] is None for t in found["tables"])


@pytest.mark.parametrize(
    ("paths", "is_allowed"),
    [
        (["lake/year=2020/part-00000.csv"], False),
        ([f"lake/year={2020 + i % 2}/part-{i:05d}.csv" for i in range(4)], True),
        (["lake/year=2020/*", "lake/year=2021/*"], True),
        (["lake/year=2020/*"], False),
        (["lake"], True),
        (["lake/year=????/part-?????.csv"], True),
        (["lake/year=?/part-?.csv"], False),
    ],
)
def test_each_file_has_to_be_allowed(piiscan: Run, tmp_path: Path, paths: list[str], is_allowed: bool) -> None:
    lake(tmp_path, 4)
    entries = "".join(f'[[allow]]\nreason = "made up"\npath = "{path}"\n' for path in paths)
    (tmp_path / "piiscan.toml").write_text(entries, encoding="utf-8")
    assert piiscan("scan", "lake", "-q", cwd=tmp_path).returncode == (0 if is_allowed else 1)


def _baseline(folder: Path) -> dict[str, list[str]]:
    rows = [json.loads(line) for line in (folder / "known.jsonl").read_text(encoding="utf-8").splitlines()]
    found: dict[str, list[str]] = {}
    for row in rows:
        if "path" in row:
            found.setdefault(row["path"], []).append(row["column"])
    return found


def test_a_baseline_of_a_data_set_covers_its_files_and_later_ones(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 4)
    known = ("--file", "known.jsonl")
    assert piiscan("baseline", "create", "lake", *known, cwd=tmp_path).returncode == 0
    assert _baseline(tmp_path) == {"lake/year=*/part-*.csv": ["mail", "name"]}
    against = ("-q", "--baseline", "known.jsonl")
    assert piiscan("scan", "lake", *against, cwd=tmp_path).returncode == 0
    assert piiscan("scan", "lake/year=2020/part-00002.csv", *against, cwd=tmp_path).returncode == 0
    (tmp_path / "lake" / "year=2022").mkdir()
    people(8, 10).write_csv(tmp_path / "lake" / "year=2022" / "part-00008.csv")
    assert piiscan("scan", "lake", *against, cwd=tmp_path).returncode == 0
    people(8).write_csv(tmp_path / "other.csv")
    assert piiscan("scan", "other.csv", *against, cwd=tmp_path).returncode == 1
    # Its files stay, so does the entry; a scan of one of them says nothing of the others.
    people(8, 10).with_columns(mail=pl.lit("x")).write_csv(tmp_path / "lake" / "year=2022" / "part-00008.csv")
    for path in ("lake/year=2022/part-00008.csv", "lake"):
        assert piiscan("baseline", "prune", path, *known, cwd=tmp_path).returncode == 0
        assert "lake/year=*/part-*.csv" in _baseline(tmp_path)
    shutil.rmtree(tmp_path / "lake")
    (tmp_path / "lake").mkdir()
    assert piiscan("baseline", "prune", "lake", *known, cwd=tmp_path).returncode == 0
    assert _baseline(tmp_path) == {}


def test_a_baseline_of_single_files_covers_the_data_set_of_them(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 3)
    known = ("--file", "known.jsonl")
    first, *others = sorted(p.as_posix() for p in _files(tmp_path))
    assert piiscan("baseline", "create", first, *known, cwd=tmp_path).returncode == 0
    assert piiscan("scan", "lake", "-q", "--baseline", "known.jsonl", cwd=tmp_path).returncode == 1
    for file in others:
        assert piiscan("baseline", "update", file, *known, cwd=tmp_path).returncode == 0
    assert set(_baseline(tmp_path)) == {first, *others}
    assert piiscan("scan", "lake", "-q", "--baseline", "known.jsonl", cwd=tmp_path).returncode == 0
    assert piiscan("baseline", "prune", "lake", *known, cwd=tmp_path).returncode == 0
    assert set(_baseline(tmp_path)) == {first, *others}
    assert piiscan("baseline", "update", "lake", *known, cwd=tmp_path).returncode == 0
    assert set(_baseline(tmp_path)) == {"lake/year=*/part-*.csv"}


# Plans -------------------------------------------------------------------------------------------------------------


def _key(folder: Path) -> tuple[str, str]:
    if not (folder / "k.key").exists():
        write_key(folder / "k.key")
    return "--key", "file:k.key"


def test_one_plan_entry_masks_all_files_and_those_of_tomorrow(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 4)
    key = _key(tmp_path)
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    plan = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert plan.count("[[tables]]") == 1 and 'source = "year=*/part-*.csv"' in plan
    done = piiscan("mask", "lake", "--plan", "plan.toml", "-o", "out", *key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not _left(tmp_path / "lake", tmp_path / "out")
    # The same rows, in a file of another day: equal masks.
    day = tmp_path / "tomorrow" / "year=2031"
    day.mkdir(parents=True)
    shutil.copy(tmp_path / "lake" / "year=2020" / "part-00002.csv", day / "part-99999.csv")
    done = piiscan("mask", "tomorrow", "--plan", "plan.toml", "-o", "out2", *key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    masked = [pl.read_csv(tmp_path / p) for p in ("out/year=2020/part-00002.csv", "out2/year=2031/part-99999.csv")]
    assert masked[0]["mail"].to_list() == masked[1]["mail"].to_list()


def _left(before: Path, after: Path) -> list[str]:
    """Original names and addresses that are left in outputs."""
    out = []
    for file in before.rglob("*.csv"):
        masked = pl.read_csv(after / file.relative_to(before))
        original = pl.read_csv(file)
        out += [v for c in ("name", "mail") for v in original[c] if v in set(masked[c])]
    return out


def test_a_plan_of_one_file_fits_that_of_tomorrow_and_not_another_table(piiscan: Run, tmp_path: Path) -> None:
    for name in ("orders_2024-01-01", "people_2024-01-01"):
        (tmp_path / "a").mkdir(exist_ok=True)
        frame = people(1) if name.startswith("people") else people(2).drop("name")
        frame.write_csv(tmp_path / "a" / f"{name}.csv")
    key = _key(tmp_path)
    assert piiscan("plan", "a", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    (tmp_path / "b").mkdir()
    people(3).write_csv(tmp_path / "b" / "people_2024-01-02.csv")
    done = piiscan("mask", "b", "--plan", "plan.toml", "-o", "out", *key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The plan has 1 table that nothing matched: orders_2024-01-01.csv" in done.stderr
    people(3).write_csv(tmp_path / "b" / "strangers.csv")
    done = piiscan("mask", "b", "--plan", "plan.toml", "-o", "out2", *key, cwd=tmp_path)
    assert done.returncode == 2 and "the plan has no table strangers.csv" in done.stderr
    assert not (tmp_path / "out2").exists()


@pytest.mark.slow
def test_a_glob_written_by_hand(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 3)
    key = _key(tmp_path)
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    plan = tmp_path / "plan.toml"
    plan.write_text(plan.read_text(encoding="utf-8").replace("year=*/part-*.csv", "**/*.csv"), encoding="utf-8")
    (tmp_path / "lake" / "late").mkdir()
    people(5).write_csv(tmp_path / "lake" / "late" / "rest.csv")
    done = piiscan("mask", "lake", "--plan", "plan.toml", "-o", "out", *key, cwd=tmp_path)
    assert done.returncode == 2 and "it lacks the plan's column year" in done.stderr  # it has no such key
    (tmp_path / "lake" / "late").rename(tmp_path / "lake" / "year=1999")
    done = piiscan("mask", "lake", "--plan", "plan.toml", "-o", "out", *key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not _left(tmp_path / "lake", tmp_path / "out")


def test_a_partition_is_masked_by_itself_as_within_the_whole(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 4)
    people(9).drop("status").write_csv(tmp_path / "lake" / "strangers.csv")
    key = _key(tmp_path)
    for name, of in (("whole", "lake"), ("own", "lake/year=2020")):
        assert piiscan("plan", of, "-o", f"{name}.toml", cwd=tmp_path).returncode == 0
        for target, masked in (("all", "lake"), ("part", "lake/year=2020")):
            if (name, target) == ("own", "all"):
                continue  # has no table of strangers
            done = piiscan("mask", masked, "--plan", f"{name}.toml", "-o", f"{target}-{name}", *key, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert not _left(tmp_path / masked, tmp_path / f"{target}-{name}")
    for part in ("part-00000.csv", "part-00002.csv"):
        whole = (tmp_path / "all-whole" / "year=2020" / part).read_bytes()
        assert (tmp_path / "part-whole" / part).read_bytes() == whole


def test_keys_of_partitions_can_only_be_kept(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 3)
    key = _key(tmp_path)
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    plan = tmp_path / "plan.toml"
    text = plan.read_text(encoding="utf-8")
    assert "year: in the names of folders" in text
    lines = ['year = {operator = "suppress"}' if line.startswith("year = ") else line for line in text.splitlines()]
    plan.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = piiscan("mask", "lake", "--plan", "plan.toml", "-o", "out", *key, cwd=tmp_path)
    assert done.returncode == 2 and "year is a partition key" in done.stderr
    assert 'operator = "keep"' in done.stderr and "with year as a column" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_key_that_tells_the_country_is_no_column_of_the_files(piiscan: Run, tmp_path: Path) -> None:
    for i, country in enumerate(("US", "DE", "US", "DE")):
        part = tmp_path / "lake" / f"country={country}" / f"born=19{80 + i}-02-03" / f"part-{i}.parquet"
        part.parent.mkdir(parents=True)
        phones = [f"+1 212 {200 + n} {1000 + 7 * n}" for n in range(60)]
        ids = pl.Series([60 * i + n for n in range(60)])
        people(i).with_columns(phone=pl.Series(phones), id=ids).write_parquet(part)
    key = _key(tmp_path)
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert 'country = "country"' not in text and "country, born: in the names of folders" in text
    done = piiscan("mask", "lake", "--plan", "plan.toml", "-o", "out", *key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").rglob("*.parquet"))) == 4
    # What a policy doesn't keep is refused, until a person keeps it.
    assert piiscan("plan", "lake", "--policy", "hipaa-safe-harbor", "-o", "h.toml", cwd=tmp_path).returncode == 0
    done = piiscan("mask", "lake", "--plan", "h.toml", "-o", "out2", *key, cwd=tmp_path)
    assert done.returncode == 2 and "is a partition key" in done.stderr and not (tmp_path / "out2").exists()


def test_decisions_of_people_stay_when_files_become_a_data_set(piiscan: Run, tmp_path: Path) -> None:
    lake(tmp_path, 1)
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    plan = tmp_path / "plan.toml"
    lines = plan.read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("name = {entity"))
    lines[at] = 'name = {entity = "PERSON", operator = "suppress", decided_by = "human"}'
    plan.write_text("\n".join(lines) + "\n", encoding="utf-8")
    lake(tmp_path, 4)
    assert piiscan("plan", "lake", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    text = plan.read_text(encoding="utf-8")
    assert text.count("[[tables]]") == 1
    assert any(line.startswith("name = ") and '"suppress"' in line and '"human"' in line for line in text.splitlines())


def test_frames_by_name_stay_apart() -> None:
    found = piiscan.scan({"part_1": people(1), "part_2": people(2)})
    assert [t.source for t in found.tables] == ["part_1", "part_2"]


def test_columns_of_a_data_set_are_found_by_one_of_its_files(tmp_path: Path) -> None:
    lake(tmp_path, 3)
    people(9).write_csv(tmp_path / "other.csv")
    found = piiscan.scan(tmp_path)
    file = str(tmp_path / "lake" / "year=2020" / "part-00002.csv")
    assert found[file, "mail"].entity == "EMAIL_ADDRESS"
    assert found.pii_columns(table=file) == ["name", "mail"]
