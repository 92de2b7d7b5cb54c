"""The command line through its front door, with a classifier made simple: what counts here is what people type and
get."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from conftest import Run, one_by_one

from piiscan import cli
from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Inside, Reason, TableInfo
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine, judging
from piiscan.scanning.classify.verdict import Verdict

SSN = "219-09-9999"
PEOPLE = f"name,ssn,mail\nx,{SSN},a@firm.com\ny,219-09-9998,b@firm.com\n"
CLEAN = "a,b\nred,blue\ngreen,white\n"
Out = tuple[int, str, str]
Cli = Callable[..., Out]


def simple(info: TableInfo, summary: TableSummary, rules: RuleSet, *more: object) -> tuple[None, tuple[Verdict, ...]]:
    """The rule that most cells are wholly a value of; other rules' hits are inside."""

    def verdict(i: int) -> Verdict:
        column = summary.columns[i]
        hits = sorted(column.hits.items(), key=lambda kv: (-kv[1].whole.cells, kv[0]))
        inside = tuple(
            Inside(rules.by_id[r].entity, None, r, h.within.cells, h.within.first_rows)
            for r, h in column.hits.items()
            if h.within.cells
        )
        if not hits or 2 * hits[0][1].whole.cells < column.filled:
            return Verdict(None, None, "none", 0.9, None, (), inside)
        rule, count = rules.by_id[hits[0][0]], hits[0][1].whole.cells
        reason = Reason("rule", rule.id, count, count / column.filled)
        return Verdict(rule.entity, rule.subtype, PII_CLASS[rule.entity], 0.99, rule.id, (reason,), inside)

    return None, tuple(verdict(i) for i in range(len(info.fields)))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.setattr(judging, "classify_each", one_by_one(simple))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "clean.csv").write_text(CLEAN)

    def call(*args: str) -> Out:
        status = cli.invoke(list(args))
        out, err = capsys.readouterr()
        return status, out, err

    return call


def git(*args: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e@example.com", *args], check=True, capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
    )  # fmt: skip


def test_what_was_not_scanned_is_not_clean(run: Cli) -> None:
    status, _, said = run("scan", "missing.csv", "clean.csv", "--allow-incomplete")
    assert status == 0 and "Nothing to act on in what was scanned." in said and "Clean" not in said


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["clean.csv"], 0),
        (["people.csv"], 1),
        (["people.csv", "clean.csv"], 1),
        (["people.csv", "--fail-on", "never"], 0),
        (["people.csv", "--select", "URL,AGE"], 0),
        (["people.csv", "--ignore", "US_SSN", "--ignore", "email"], 0),
        (["people.csv", "--ignore", "US_SSN"], 1),
        (["missing.csv"], 3),
        (["missing.csv", "people.csv"], 3),
        (["missing.csv", "--allow-incomplete"], 0),
        (["missing.csv", "people.csv", "--allow-incomplete"], 1),
        (["people.csv", "--sample", "1"], 1),
        ([], 2),
        (["people.csv", "--no-such-option"], 2),
        (["people.csv", "-f", "xml"], 2),
        (["people.csv", "-o", "json"], 2),
        (["people.csv", "-o", "json=no/such/folder/x.json"], 2),
        (["people.csv", "--select", "US_SNN"], 2),
        (["people.csv", "-o", "json=people.csv/x.json"], 2),
        (["people.csv", "-o", "json=."], 2),
        (["people.csv", "-o", "json=-"], 2),
        (["people.csv", "-o", "json=x", "-o", "csv=./x"], 2),
        (["people.csv", "--encoding", "utf-9"], 2),
        (["people.csv", "--encoding", "hex"], 2),
        (["people.csv", "--delimiter", "ab"], 2),
        (["people.csv", "--baseline", "missing.jsonl"], 2),
        (["people.csv", "--config", "missing.toml"], 2),
        (["people.csv", "--rules", "missing"], 2),
        (["people.csv", "--jobs", "0"], 2),
    ],
)
def test_exit_status(run: Cli, args: list[str], status: int) -> None:
    assert run("scan", *args)[0] == status


@pytest.mark.parametrize("command", ["plan people.csv", "risk people.csv -k 2", "aggregate people.csv", "key new"])
def test_a_dash_names_standard_output(run: Cli, command: str) -> None:
    plain, dashed = run(*command.split()), run(*command.split(), "-o", "-")
    assert (dashed[0], bool(dashed[1])) == (plain[0], bool(plain[1]))
    assert not Path("-").exists()


@pytest.mark.parametrize("command", ["anonymize --k 2", "summarize --epsilon 1", "protect --k 2"])
def test_a_dash_is_no_file(run: Cli, command: str) -> None:
    name, *more = command.split()
    status, _, err = run(name, "people.csv", *more, "-o", "-")
    assert status == 2 and "name a file" in err and not Path("-").exists()


def test_a_wrong_name_comes_with_the_right_one(run: Cli) -> None:
    assert "did you mean 'US_SSN'?" in run("scan", "people.csv", "--select", "US_SNN")[2]


@pytest.mark.parametrize(
    ("args", "limits", "said"),
    [
        (["--select", "URL,AGE"], {"select": ["AGE", "URL"]}, "Looked for AGE, URL only;"),
        (
            ["--ignore", "US_SSN,EMAIL_ADDRESS"],
            {"ignore": ["EMAIL_ADDRESS", "US_SSN"]},
            "Not looked for: EMAIL_ADDRESS,",
        ),
        ([], None, None),
    ],
)
def test_a_limited_scan_calls_nothing_clean(
    run: Cli, args: list[str], limits: dict[str, list[str]] | None, said: str | None
) -> None:
    file = "people.csv" if args else "clean.csv"
    for kind in ("table", "markdown", "github", "sarif", "csv"):
        assert said is None or said in run("scan", file, "-f", kind, *args)[1]
    _, out, err = run("scan", file, *args)
    assert ("Nothing personal in" in out, "Clean" in err) == (limits is None, limits is None)
    assert json.loads(run("scan", file, "-f", "json", *args)[1]).get("looked_for") == limits
    assert "did you mean 'scan'?" in run("scna")[2]


@pytest.mark.parametrize(
    "args", [["scan", "--jobs", "0"], ["scan", "-f", "xml"], ["scna"], ["scan", "--select", "US_SNN"], ["scan"]]
)
def test_every_error_looks_alike(run: Cli, args: list[str]) -> None:
    status, out, err = run(*args, "people.csv") if len(args) > 1 else run(*args)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_a_report_that_cannot_be_written_is_reported_before_the_scan(run: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "scan_tables", None)
    assert "doesn't exist; make it first" in run("scan", "people.csv", "-o", "sarif=no/such/folder/x")[2]


def test_json_on_stdout_is_one_object_and_nothing_else(run: Cli) -> None:
    status, out, err = run("scan", "people.csv", "clean.csv", "--format", "json")
    report = json.loads(out)
    assert (status, err) == (1, "")
    assert [t["source"] for t in report["tables"]] == ["people.csv", "clean.csv"]
    assert [c["entity"] for c in report["tables"][0]["columns"]] == [None, "US_SSN", "EMAIL_ADDRESS"]
    assert SSN not in out


@pytest.mark.parametrize("kind", ["table", "json", "jsonl", "csv", "markdown", "sarif", "github"])
def test_every_format_is_the_same_on_stdout_and_in_a_file(run: Cli, kind: str, tmp_path: Path) -> None:
    status, out, _ = run(
        "scan", "people.csv", "-f", kind, "-o", f"{kind}=report", "-o", "json=second.json", "--jobs", "1"
    )
    assert status == 1
    assert (tmp_path / "report").read_text() == out
    assert json.loads((tmp_path / "second.json").read_text())["schema_version"] == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["clean.csv", "people.csv", "report", "second.json"], (
        "no temporary file is left"
    )


def test_the_report_on_the_examples_follows_the_published_schema(capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).resolve().parent.parent
    assert cli.invoke(["scan", str(root / "examples"), "-f", "json", "-q"]) == 1
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, json.loads((root / "piiscan" / "report" / "schemas" / "report-1.json").read_text()))
    assert report["complete"] is True
    assert report["summary"]["columns"] == sum(len(t["columns"]) for t in report["tables"])


def test_hints_go_to_stderr_and_quiet_drops_them(run: Cli) -> None:
    _, out, err = run("scan", "people.csv")
    assert "piiscan explain people.csv::ssn" in err
    assert "explain" not in out
    assert "Accept:  piiscan baseline create people.csv, or an [[allow]] entry in piiscan.toml\n" in err
    assert run("scan", "people.csv", "-q") == (1, out, "")
    assert run("scan", "people.csv", "-q", "-f", "json")[2] == run("scan", "clean.csv", "-q")[2] == ""
    assert "read people.csv: 2 rows" in run("scan", "people.csv", "-v")[2]


def test_stdin(run: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "people.csv").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        status, out, _ = run("scan", "-", "-f", "json")
    assert status == 1
    assert json.loads(out)["tables"][0]["source"] == "-"


def test_dry_run_says_what_would_be_read(run: Cli) -> None:
    status, out, _ = run("scan", "--dry-run", ".", "missing.csv", "--delimiter", "comma")
    assert status == 3
    assert "people.csv" in out and "3 columns" in out and "not scanned  missing.csv" in out
    assert "2 tables would be read" in out
    assert SSN not in out


def test_the_configuration_and_the_command_line_add_up(run: Cli, tmp_path: Path) -> None:
    config = tmp_path / "piiscan.toml"
    config.write_text('fail_on = "never"')
    assert run("scan", "people.csv")[0] == 0
    assert run("scan", "people.csv", "--fail-on", "direct")[0] == 1
    config.write_text('exclude = ["people.csv"]')
    status, _, err = run("scan", "people.csv", "clean.csv")
    assert status == 0
    assert "1 of the files named is excluded" in err
    assert run("scan", ".")[0] == 0
    config.write_text('[[allow]]\nreason = "made up"\npath = "people.csv"')
    status, out, _ = run("scan", "people.csv")
    assert status == 0
    assert "[allowed: made up]" in out
    config.write_text(
        '[[columns]]\npath = "*.csv"\ncolumn = "ssn"\nis = "none"\n[[columns]]\npath = "people.csv"\ncolumn = '
        '"mail"\nis = "none"'
    )
    assert run("scan", str(tmp_path / "people.csv"))[0] == 0
    config.write_text('[[paths]]\npath = "people.csv"\nheader = false')
    assert json.loads(run("scan", "people.csv", "-f", "json")[1])["tables"][0]["rows"] == 3
    config.write_text("selct = []")
    status, _, err = run("scan", "people.csv")
    assert status == 2
    assert "did you mean 'select'?" in err


def sources(out: str) -> list[str]:
    return [t["source"].removeprefix("./") for t in json.loads(out)["tables"]]


@pytest.mark.parametrize(
    ("cwd", "path", "left"),
    [
        (".", ".", ["clean.csv", "data/b.csv", "people.csv"]),
        (".", "data", ["data/b.csv"]),
        ("data", ".", ["b.csv"]),
        ("data", "..", ["../clean.csv", "../data/b.csv", "../people.csv"]),
        (".", "{}", ["{}/clean.csv", "{}/data/b.csv", "{}/people.csv"]),
        (".", "data/raw", []),
        (".", "data/a.bak", []),
    ],
)
def test_exclude_is_relative_to_the_configuration(
    run: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cwd: str, path: str, left: list[str]
) -> None:
    git("init", "-q")
    for name in ("data/raw/x.csv", "data/b.csv", "data/a.bak"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(CLEAN)
    (tmp_path / "data" / ".gitignore").write_text("!a.bak\n!\n")
    (tmp_path / "piiscan.toml").write_text('exclude = ["data/raw/", "*.bak", "piiscan.toml", ".gitignore"]')
    monkeypatch.chdir(tmp_path / cwd)
    found = sources(run("scan", path.format(tmp_path), "-f", "json")[1]) if path != "data/a.bak" else []
    assert found == [name.format(tmp_path.as_posix()) for name in left]
    if path == "data/a.bak":
        assert "1 of the files named is excluded" in run("scan", path)[2]


def test_files_of_its_own_are_no_data(run: Cli) -> None:
    run("baseline", "create", ".")
    for _ in range(2):
        assert sources(run("scan", ".", "-f", "json", "-o", "csv=r.csv", "-o", "sarif=r.sarif")[1]) == [
            "clean.csv",
            "people.csv",
        ]
    run("baseline", "update", ".", "--file", "other.jsonl")
    assert "r.csv" in sources(run("scan", ".", "-f", "json")[1]), "a report of another run is a file like any other"


def test_a_table_that_was_not_read_is_not_called_clean(run: Cli, tmp_path: Path) -> None:
    import gzip

    (tmp_path / "torn.csv.gz").write_bytes(gzip.compress(CLEAN.encode() * 999)[:-9])
    status, out, _ = run("scan", "torn.csv.gz", "clean.csv")
    clean, _, missed = out.partition("Not scanned")
    assert status == 3
    assert "torn.csv.gz" not in clean
    assert "torn.csv.gz" in missed


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ('[[allow]]\nreason = "x"\nrule = "emial"', "allow[0].rule: no rule is called 'emial'; did you mean 'email'?"),
        (
            '[[allow]]\nreason = "x"\nentity = "US_SNN"',
            "allow[0].entity: no entity is called 'US_SNN'; did you mean 'US_SSN'?",
        ),
        ('baseline = "missing.jsonl"', "missing.jsonl: no such file; `piiscan baseline create` makes one"),
    ],
)
def test_a_configuration_that_would_do_nothing_is_an_error(run: Cli, tmp_path: Path, config: str, problem: str) -> None:
    (tmp_path / "piiscan.toml").write_text(config)
    status, _, err = run("scan", "people.csv")
    assert status == 2
    assert problem in err


def test_entries_without_effect_are_reported(run: Cli, tmp_path: Path) -> None:
    (tmp_path / "piiscan.toml").write_text(
        '[[columns]]\npath = "*.csv"\ncolumn = "snn"\nis = "none"\n[[allow]]\nreason = "for now"\nexpires = '
        "2020-01-01\n"
    )
    err = run("scan", "people.csv")[2]
    assert "no column 'snn' in *.csv; did you mean 'ssn'?" in err
    assert "ended on 2020-01-01: for now" in err


def test_what_is_open_again_says_why(run: Cli, tmp_path: Path) -> None:
    run("baseline", "create", "people.csv")
    file = tmp_path / "piiscan-baseline.jsonl"
    _, mail, ssn = map(json.loads, file.read_text().splitlines())
    file.write_text(json.dumps({**mail, "expires": "2020-01-01"}) + "\n" + json.dumps({**ssn, "max_cells": 1}) + "\n")
    out = run("scan", "people.csv", "--baseline", file.name)[1]
    assert "[its entry in the baseline ended on 2020-01-01]" in " ".join(out.split())
    assert "[grown beyond the baseline]" in " ".join(out.split())


def test_a_life_with_a_baseline(run: Cli, tmp_path: Path) -> None:
    file = tmp_path / "piiscan-baseline.jsonl"
    assert run("baseline", "create", "people.csv")[0] == 0
    first = file.read_text()
    made_with, *lines = map(json.loads, first.splitlines())
    assert made_with.keys() == {"rules_digest", "model_digest"}
    assert [line["column"] for line in lines] == ["mail", "ssn"]
    assert SSN not in first
    assert run("baseline", "create", "people.csv")[0] == 2, "an existing file is not overwritten"
    known = ("scan", "people.csv", "--baseline", file.name)
    assert run(*known)[0] == 0
    assert file.read_text() == first, "a scan never writes it"

    file.write_text("".join(json.dumps({**line, "reason": "made up"}) + "\n" for line in lines))
    (tmp_path / "people.csv").write_text(PEOPLE + "z,219-09-9997,c@firm.com\n")
    assert run(*known)[0] == 1, "growth beyond its bucket raises the alarm"
    assert run("baseline", "update", "people.csv")[0] == 0
    assert run(*known)[0] == 0
    assert all(json.loads(line)["reason"] == "made up" for line in file.read_text().splitlines()[1:])

    (tmp_path / "people.csv").write_text("name,ssn\nx,219-09-9998\n")
    assert run("baseline", "prune", ".")[0] == 0
    assert [json.loads(line)["column"] for line in file.read_text().splitlines()[1:]] == ["ssn"]


def test_staged_content_counts_and_not_the_working_tree(
    run: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init", "-q")
    git("add", "clean.csv")
    assert run("scan", "--staged")[0] == 0, "people.csv is not staged"
    git("add", "people.csv")
    (tmp_path / "people.csv").write_text(CLEAN)
    status, out, _ = run("scan", "--staged", "-f", "json")
    assert status == 1
    assert {t["source"].removeprefix("./") for t in json.loads(out)["tables"]} == {"people.csv", "clean.csv"}
    assert run("scan", "--staged", "clean.csv")[0] == 0
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "inner.csv").write_text(PEOPLE)
    git("add", "sub")
    git("config", "diff.relative", "true")  # git then shows what is below this folder only
    monkeypatch.chdir(tmp_path / "sub")
    sources = [t["source"] for t in json.loads(run("scan", "--staged", "-f", "json")[1])["tables"]]
    assert [os.path.normpath(s) for s in sources] == ["../clean.csv", "../people.csv", "../sub/inner.csv"]
    fingerprints = run("scan", "--staged", "inner.csv", "-f", "sarif")[1]
    assert "sub/inner.csv||ssn|us-ssn" in fingerprints
    git("commit", "-qm", "all")
    assert run("scan", "--staged")[0] == 0, "nothing is staged"


def test_staged_means_all_that_goes_into_the_commit(run: Cli, tmp_path: Path) -> None:
    git("init", "-q")
    names = [
        "ignored.csv",
        ".ipynb_checkpoints/x.csv",
        "n\newl.csv",
        "sub/kept.csv",
        "-f.csv",
        "left/out.csv",
        "excluded.csv",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PEOPLE)
    (tmp_path / ".piiscanignore").write_text("left/\n")
    (tmp_path / ".gitignore").write_text("ignored.csv\n")
    (tmp_path / "piiscan.toml").write_text('exclude = ["excluded.csv"]')
    git("add", ".piiscanignore", "piiscan.toml", "people.csv", "clean.csv")
    git("commit", "-qm", "the start")
    git("add", "-Af", ":!.gitignore")
    (tmp_path / "link.csv").symlink_to("people.csv")
    git("mv", "clean.csv", "renamed.csv")
    git("rm", "-q", "people.csv")
    git("add", "link.csv")
    for name in names:
        (tmp_path / name).write_text(CLEAN)
    status, out, _ = run("scan", "--staged", "-f", "json")
    assert status == 1
    assert sources(out) == [
        "-f.csv",
        ".ipynb_checkpoints/x.csv",
        "ignored.csv",
        "n\newl.csv",
        "renamed.csv",
        "sub/kept.csv",
    ]
    assert run("scan", "--staged", "nosuch.csv")[0] == 2
    assert run("scan", "--staged", "sub", "-q")[0] == 1


def test_staged_outside_a_repository(run: Cli) -> None:
    status, _, err = run("scan", "--staged")
    assert status == 2
    assert "not a git repository" in err


def test_explain_a_column(run: Cli) -> None:
    status, out, _ = run("explain", "people.csv::ssn")
    assert status == 0
    assert "US_SSN, 99% sure.\n  Here it is a direct identifier, 100% sure." in out
    assert "2 cells, 100% of the filled ones" in out
    assert SSN not in out
    assert run("explain", "people.csv::1")[1] == run("explain", "./people.csv::ssn")[1] == out
    status, _, err = run("explain", "people.csv::snn")
    assert status == 2
    assert "name, ssn, mail" in err
    assert run("explain", "missing.csv::a")[0] == 3


ODD_NAMES = [
    "with space.csv",
    "a::b.csv",
    "100%.csv",
    "-f.csv",
    "wow!.zip!x.csv",
    'it\'s "q" $HOME.csv',
    "[a-z]*.csv",
    "😀.csv",
    "=x().csv",
    os.fsdecode(b"caf\xe9.csv"),
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_hint_on_an_odd_name_works_in_a_shell(run: Cli, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(PEOPLE)
    err = run("scan", "--", name)[2]
    (command,) = [line for line in err.splitlines() if line.startswith("Why:")]
    target = shlex.split(command.removeprefix("Why:"))[2]
    assert run("explain", target)[0] == 0
    assert run("explain", "--", f"{tmp_path}/{name}::1")[0] == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [("people.csv", PEOPLE), ("we ird [1].csv", PEOPLE), ("bare.csv", f"x;{SSN}\ny;219-09-9998\n" * 9)],
)
def test_what_explain_proposes_works(run: Cli, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    out = run("explain", f"{name}::1")[1]
    (tmp_path / "piiscan.toml").write_text(out[out.index("  [[columns]]") :])
    found = json.loads(run("scan", name, "-f", "json")[1])["tables"][0]["columns"][1]
    assert (found["entity"], found["pii"], found["reasons"][0]["by"]) == (None, "none", "user")
    assert "[[columns]]" not in run("explain", f"{name}::1")[1]


def test_explain_says_what_there_is(run: Cli) -> None:
    assert run("explain", "::ssn")[0] == 2
    assert run("explain", "people.csv::")[0] == 2
    err = run("explain", ".::nothing")[2]
    assert "clean.csv::" in err and "people.csv::ssn" in err


def test_explain_a_column_of_an_archive(run: Cli, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("in/people.csv", PEOPLE)
        archive.writestr("clean.csv", CLEAN)
    status, out, _ = run("explain", "all.zip!in/people.csv::ssn")
    assert status == 0
    assert out.startswith("all.zip!in/people.csv::ssn")


def test_explain_a_rule(run: Cli) -> None:
    status, out, _ = run("explain", "us-ssn")
    assert status == 0
    assert "US_SSN" in out and "Matches: " in out
    assert "us-ssn" in run("explain", "US_SSN")[1]
    status, _, err = run("explain", "us-snn")
    assert status == 2
    assert "did you mean 'us-ssn'?" in err


def test_rules_can_be_listed_and_shown(run: Cli, tmp_path: Path) -> None:
    listed = json.loads(run("rules", "list", "-f", "json")[1])
    assert {"id": "us-ssn", "entity": "US_SSN", "pii": "direct"}.items() <= next(
        r for r in listed if r["id"] == "us-ssn"
    ).items()
    assert len(run("rules", "list")[1].splitlines()) == len(listed)
    status, out, _ = run("rules", "show", "us-ssn")
    assert status == 0
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "copy.toml").write_text(out.replace('id = "us-ssn"', 'id = "copy"'))
    assert run("rules", "test", "copy")[0] == 0, "what is shown is a rule that loads"


OWN = """
[[rule]]
id = "badge"
entity = "PERSON_ID"
title = "Badge"
search = "anywhere"
pattern = "B-[0-9]{4}"
match = ["B-1234"]
no_match = ["B-12"]
"""


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        (("", ""), 0, "1 rules, 2 examples, 0 wrong"),
        (("B-1234", "B-123"), 2, "badge: should match: 'B-123'"),
        (("pattern", "patern"), 2, "unknown key 'patern'; did you mean 'pattern'?"),
        (('id = "badge"', 'id = "us-ssn"'), 2, "rule id 'us-ssn' is taken"),
        (('no_match = ["B-12"]', ""), 2, "needs 'match' and 'no_match' values"),
        (("B-[0-9]{4}", "(?=B)B-[0-9]{4}"), 2, "outside the linear dialect"),
    ],
)
def test_rules_of_a_folder_are_tested(
    run: Cli, tmp_path: Path, change: tuple[str, str], status: int, said: str
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "own.toml").write_text(OWN.replace(*change) if change[0] else OWN)
    found, out, err = run("rules", "test", "own")
    assert found == status
    assert said in out + err


def test_rules_of_a_folder_are_used(run: Cli, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "own.toml").write_text(OWN)
    (tmp_path / "badges.csv").write_text("a\nB-1234\nB-1235\n")
    assert run("scan", "badges.csv", "--fail-on", "quasi")[0] == 0
    assert run("scan", "badges.csv", "--fail-on", "quasi", "--rules", "own")[0] == 1
    (tmp_path / "piiscan.toml").write_text('rules = ["onw"]')
    status, _, err = run("scan", "badges.csv")
    assert status == 2
    assert "onw: no such folder of rules" in err
    (tmp_path / "piiscan.toml").write_text('rules = ["own"]\nfail_on = "quasi"')
    assert run("scan", "badges.csv")[0] == 1


@pytest.mark.parametrize(
    ("target", "status", "said"),
    [
        ("acme_rules:FOLDER", 0, "badge"),
        ("acme_rules:folder", 0, "badge"),
        ("acme_rules:missing", 2, "plug-in acme (acme_rules:missing): this folder of rules"),
        ("acme_rules:nothing", 2, "plug-in acme (acme_rules:nothing) can't be loaded: AttributeError"),
    ],
)
def test_rules_of_a_plug_in(
    run: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, status: int, said: str
) -> None:
    package, about = tmp_path / "site" / "acme_rules", tmp_path / "site" / "acme-1.dist-info"
    package.mkdir(parents=True)
    about.mkdir()
    (package / "__init__.py").write_text(
        "from pathlib import Path\nFOLDER = str(Path(__file__).parent)\ndef folder(): return FOLDER\ndef "
        "missing(): return '/no/such'\n"
    )
    (package / "acme.toml").write_text(OWN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[piiscan.rules]\nacme = {target}\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    found, out, err = run("rules", "show", "badge")
    assert found == status
    assert said in out + err


def test_config_show_and_schema(run: Cli, tmp_path: Path) -> None:
    assert "no configuration file" in run("config", "show")[2]
    (tmp_path / "piiscan.toml").write_text("jobs = 3")
    assert "jobs = 3\n" in run("config", "show")[1]
    assert json.loads(run("config", "schema")[1])["properties"]["jobs"]["type"] == "integer"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run: Cli, shell: str) -> None:
    status, out, _ = run("completion", shell)
    assert status == 0
    assert "_PIISCAN_COMPLETE" in out


def test_an_unexpected_error_shows_its_place_and_no_text(run: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError(f"can't parse {SSN}") from KeyError(SSN)

    monkeypatch.setattr(engine, "scan_tables", broken)
    for more in ([], ["-v"], ["-f", "json"]):
        status, out, err = run("scan", "people.csv", *more)
        assert status == 4
        assert "internal error: ValueError at piiscan/cli/scan_run.py:" in err
        assert SSN not in out + err


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 130), (MemoryError, 3)])
def test_interrupted_and_out_of_memory(
    run: Cli, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], status: int
) -> None:
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr(engine, "scan_tables", stop)
    assert run("scan", "people.csv")[0] == status


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("s3://bucket/people.csv", "a URL of kind s3, which isn't read; copy it to a file"),
        ("https://host/people.csv?token=s3cr3t", "a URL of kind https, which isn't read"),
        ("postgresql://user:s3cr3t@host/db", "a URL of kind postgresql, which isn't read; scan a frame of its rows"),
        ("file:///tmp/people.csv", "a URL of kind file; give its path"),
        ("sqlite:///people.db?key=s3cr3t", "a URL of kind sqlite; give its path"),
        ("postgresql+psycopg2://user:s3cr3t@host/db", "a URL of kind postgresql+psycopg2, which isn't read"),
        ("mssql+pyodbc://user:s3cr3t@host/db", "a URL of kind mssql+pyodbc, which isn't read; scan a frame"),
        ("abfss://s3cr3t@account.dfs.core.windows.net/x", "a URL of kind abfss, which isn't read; copy it to a file"),
        ("jdbc:postgresql://h/db?user=anna&password=s3cr3t", "a URL of kind jdbc, which isn't read; scan a frame"),
        ("odbc:Driver={x};Pwd=s3cr3t", "a URL of kind odbc, which isn't read; scan a frame of its rows"),
        ("anna:s3cr3t@host/db", "a connection string, which isn't read; scan a frame of its rows"),
        ("Server=host;User Id=anna;Password=s3cr3t", "a connection string, which isn't read; scan a frame"),
        ("host=h password=s3cr3t", "a connection string, which isn't read; scan a frame"),
    ],
)
def test_urls_are_named_by_their_kind_alone(piiscan: Run, tmp_path: Path, url: str, says: str) -> None:
    commands = (
        (("scan", url), 3),
        (("plan", url), 2),
        (("mask", url, "-o", "out"), 2),
        (("risk", url), 2),
        (("explain", f"{url}::email"), 3),
        (("anonymize", url, "-o", "out", "--k", "2"), 2),
    )
    for command, status in commands:
        done = piiscan(*command, cwd=tmp_path)
        said = " ".join((done.stdout + done.stderr).split())
        assert done.returncode == status and says in said and "s3cr3t" not in said, said


def test_a_file_may_be_called_like_a_url(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "s3:").mkdir()
    (tmp_path / "s3:" / "n.csv").write_text("n\n1\n2\n", encoding="utf-8")
    assert piiscan("scan", "s3:/n.csv", cwd=tmp_path).returncode == 0


def test_every_table_of_a_file_has_a_line_of_progress(run: Cli, tmp_path: Path) -> None:
    """Also where the next one has more rows than the last one."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(tmp_path / "in.sqlite")) as connection:
        for name, rows in (("few", 3), ("many", 7)):
            connection.execute(f"create table {name}(a text)")
            connection.executemany(f"insert into {name} values(?)", [(f"w{i}",) for i in range(rows)])
        connection.commit()
    said = run("scan", str(tmp_path / "in.sqlite"), "-v")[2].splitlines()
    assert [line.rpartition(": ")[2] for line in said if line.startswith("read")] == ["3 rows", "7 rows"]
