"""The configuration: where it is found, what it may say, and that a mistake is told with its remedy."""

from __future__ import annotations

import datetime
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from piiscan.core.errors import UsageError
from piiscan.core.types import ColumnReport, ScanReport, TableReport
from piiscan.scanning import configuration
from piiscan.scanning.findings import Allow, judge

FULL = """
select = ["US_SSN", "email"]
ignore = ["URL"]
min_confidence = 0.6
model = "ours.npz"
spacy = "en_core_web_sm"
fail_on = "quasi"
baseline = "known.jsonl"
jobs = 2
code = true
rules = ["our-rules"]
exclude = ["tests/data/**"]
reserved = "finding"

[[paths]]
path = "old/*.csv"
delimiter = ";"
encoding = "cp1252"
header = false

[[columns]]
path = "people.csv"
column = "code"
is = "US_SSN"

[[columns]]
path = "*.csv"
table = "main"
column = "sku"
is = "none"

[[allow]]
path = "examples/*"
entity = "EMAIL_ADDRESS"
reason = "made up"
expires = 2030-12-31
"""


def test_every_key_can_be_set() -> None:
    found = configuration.parse(tomllib.loads(FULL), Path("/r/piiscan.toml"))
    assert found.select == ("US_SSN", "email")
    assert (found.min_confidence, found.fail_on, found.jobs) == (0.6, "quasi", 2)
    assert found.resolve(found.baseline or "") == Path("/r/known.jsonl")
    assert found.paths == (configuration.PathRule("old/*.csv", ";", "cp1252", False),)
    assert [c.entity for c in found.columns] == ["US_SSN", None]
    assert found.allow == (Allow("made up", "examples/*", entity="EMAIL_ADDRESS", expires=datetime.date(2030, 12, 31)),)
    assert set(tomllib.loads(FULL)) == set(configuration.SCHEMA["properties"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("selct = []", "unknown key 'selct'; did you mean 'select'?"),
        ("jobs = true", "jobs: must be an integer"),
        ("jobs = 0", "jobs: must be at least 1"),
        ("min_confidence = 2", "min_confidence: must be at least 0 and at most 1"),
        ('fail_on = "quazi"', "fail_on: must be one of direct, review, sensitive, quasi, never; did you mean 'quasi'?"),
        ('select = "email"', "select: must be an array"),
        ("ignore = [1]", "ignore[0]: must be a string"),
        ('baseline = ""', "baseline: must not be empty"),
        ('[allow]\nreason = "x"', "allow: must be an array"),
        ('[[allow]]\npath = "x"', "allow[0]: 'reason' is missing"),
        ('[[allow]]\nreason = "x"\nexpires = "soon"', "allow[0].expires: must be a date such as 2030-12-31"),
        ('[[columns]]\npath = "x"\ncolumn = "y"\nis = "SSN"', "columns[0].is: must be one of"),
        ('[[columns]]\npath = "x"\ncolum = "y"\nis = "none"', "unknown key 'columns[0].colum'; did you mean 'column'?"),
        ("a = [", "not a readable TOML file"),
        ('[[paths]]\npath = "x"\ndelimiter = "ab"', "paths[0].delimiter: must be one character, or one of tab"),
        ('[[paths]]\npath = "x"\nencoding = "utf-9"', "paths[0].encoding: must be an encoding that Python knows"),
        ('exclude = ["a", "!"]', "exclude[1]: not a pattern as in .gitignore"),
        ('exclude = ["a\\\\"]', "exclude[0]: not a pattern as in .gitignore"),
    ],
)
def test_a_mistake_is_reported_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "piiscan.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as error:
        configuration.load(file)
    assert problem in str(error.value)
    assert "piiscan.toml" in str(error.value)
    assert error.value.exit_status == 2


def test_separators_have_names(tmp_path: Path) -> None:
    found = configuration.parse(tomllib.loads('[[paths]]\npath = "x"\ndelimiter = "tab"'), tmp_path / "piiscan.toml")
    assert found.paths[0].delimiter == "\t"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tool = 3", None),
        ("[tool]\npiiscan = 3", "must be a table"),
        ("[tool.piiscan]\njobs = 0", "jobs"),
        ("[tool", "not a readable"),
    ],
)
def test_any_pyproject_is_survived(tmp_path: Path, text: str, problem: str | None) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    if problem is None:
        assert configuration.load(configuration.find(tmp_path)) == configuration.Config()
        return
    with pytest.raises(UsageError, match=problem):
        configuration.load(configuration.find(tmp_path))


@pytest.mark.parametrize("make", [Path.mkdir, lambda p: p.symlink_to("nowhere"), lambda p: p.write_bytes(b"\xff")])
def test_a_configuration_that_cannot_be_read_is_not_passed_over(tmp_path: Path, make: Any) -> None:
    make(tmp_path / "piiscan.toml")
    with pytest.raises(UsageError, match=r"piiscan\.toml"):
        configuration.load(configuration.find(tmp_path))


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("*.bak", ["a.bak", "x/y/a.bak"], ["a.csv"]),
        ("data/raw/", ["data/raw/x.csv"], ["raw/x.csv", "y/data/raw/x.csv"]),
        ("raw/", ["raw/x.csv", "y/raw/x.csv"], ["raw"]),
        ("/top.csv", ["top.csv"], ["y/top.csv"]),
        ("# comment", [], ["# comment"]),
    ],
)
@pytest.mark.parametrize("folder", ["/plain", "/we ird [x]*!#"])
def test_patterns_hold_below_their_folder_only(
    folder: str, pattern: str, inside: list[str], outside: list[str]
) -> None:
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(configuration.anchored([pattern], Path(folder)))
    assert all(spec.match_file(f"{folder}/{name}".lstrip("/")) for name in inside)
    assert not any(spec.match_file(f"{folder}/{name}".lstrip("/")) for name in outside)
    assert not any(spec.match_file(f"elsewhere/{name}") for name in inside)


def test_the_schema_is_json_schema_and_agrees(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(configuration.SCHEMA)
    plain = tomllib.loads(FULL.replace("2030-12-31", '"2030-12-31"'))
    jsonschema.validate(plain, configuration.SCHEMA)
    configuration.parse(plain, tmp_path)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"jobs": 0}, configuration.SCHEMA)


def test_what_is_shown_can_be_read_again(tmp_path: Path) -> None:
    found = configuration.parse(tomllib.loads(FULL), tmp_path / "piiscan.toml")
    assert configuration.parse(tomllib.loads(configuration.to_toml(found)), tmp_path / "piiscan.toml") == found


def test_it_is_searched_upward_to_the_root_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "piiscan.toml").write_text("jobs = 1")
    repository = tmp_path / "repository"
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    assert configuration.find(deep) is None, "outside a repository, only the folder itself"
    assert configuration.find(tmp_path) == tmp_path / "piiscan.toml"
    (repository / ".git").mkdir()
    assert configuration.find(deep) is None, "not above the repository"
    (repository / "pyproject.toml").write_text("[tool.other]")
    assert configuration.find(deep) is None
    (repository / "pyproject.toml").write_text("[tool.piiscan]\njobs = 3")
    assert configuration.find(deep) == repository / "pyproject.toml"
    assert configuration.load(configuration.find(deep)).jobs == 3
    (deep.parent / "piiscan.toml").write_text("jobs = 2")
    assert configuration.find(deep) == deep.parent / "piiscan.toml"


@pytest.mark.parametrize(
    ("cwd", "source"), [(".", "data/x.csv"), (".", "./data/x.csv"), ("data", "x.csv"), ("other", "../data/x.csv")]
)
def test_a_glob_matches_however_a_file_is_named(tmp_path: Path, cwd: str, source: str) -> None:
    from fnmatch import fnmatchcase

    found = configuration.parse({}, tmp_path / "piiscan.toml")
    here = (tmp_path / cwd).resolve()
    spellings = configuration.globs(found, "data/*.csv", here)
    assert any(fnmatchcase(source, g) for g in spellings)
    assert any(fnmatchcase(f"{tmp_path.resolve()}/data/x.csv", g) for g in spellings)
    elsewhere = ("../y/x.csv", f"{tmp_path.resolve()}/y/x.csv")
    assert not any(fnmatchcase(other, g) for g in spellings for other in elsewhere)


ALLOWED: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"path": "data/people.csv"}, True),
    ({"path": "data"}, True),
    ({"path": "data/*"}, True),
    ({"path": "dat"}, False),
    ({"path": "people.csv"}, False),
    ({"column": "mail*"}, True),
    ({"column": "phone"}, False),
    ({"table": "main"}, False),
    ({"rule": "email"}, True),
    ({"rule": "EMAIL_ADDRESS"}, False),
    ({"entity": "EMAIL_ADDRESS"}, True),
    ({"entity": "US_SSN"}, False),
    ({"path": "data/*", "column": "phone"}, False),
    ({"expires": datetime.date(2030, 1, 1)}, True),
    ({"expires": datetime.date(2029, 12, 31)}, False),
]


@pytest.mark.parametrize(("entry", "silent"), ALLOWED)
def test_allow_silences_what_all_its_keys_fit(entry: dict[str, Any], silent: bool) -> None:
    column = ColumnReport(0, "mail", "string", "EMAIL_ADDRESS", None, "direct", 0.9, 0, 9, True, None, "email")
    report = ScanReport({}, (TableReport("/r/data/people.csv", None, "csv", 9, True, True, None, (column,)),))
    result = judge(report, Path("/r"), (Allow("known", **entry),), today=datetime.date(2030, 1, 1))
    assert (len(result.open), len(result.silenced)) == ((0, 1) if silent else (1, 0))
    if silent:
        assert result.silenced[0][1] == "allowed: known"
