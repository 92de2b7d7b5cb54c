"""Rules of users: from a folder, from a plug-in, with look-around under a time budget; and what is said of those
that don't load."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Run

import piiscan as package
from piiscan.core.types import Batch, Field, TableInfo
from piiscan.detection.matching import timed_rules
from piiscan.masking.plan import plan_toml
from piiscan.rules import definitions, rule_sets
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions

MEMBER = r"""
[[rule]]
id = "acme-member"
entity = "PERSON_ID"
title = "ACME membership number"
search = "anywhere"
pattern = 'AM-\d{6}-[A-Z]'
headers = ["member number"]
match = ["AM-123456-X"]
no_match = ["AM-12345-X"]
"""
TIMED = r"""
[[rule]]
id = "locker"
entity = "PERSON_ID"
title = "Locker with its key, not a spare one"
search = "anywhere"
engine = "regex"
gate = '[KL]\d{3}'
pattern = '(?<!spare )(?P<side>[KL])\d{3}(?=/\d)/\d(?:\d|(?P=side))'
match = ["K123/4K", "L999/12"]
no_match = ["K123/4L", "K123"]
"""
SLOW = r"""
[[rule]]
id = "slow"
entity = "PERSON_ID"
title = "A pattern that can be read in too many ways"
search = "anywhere"
engine = "regex"
gate = 'a{9}'
pattern = '(?=a)(?:a|aa|aaa)+(?:b|\d+)'
match = ["aaaaaaaaab"]
no_match = ["aaaaaaaaa"]
"""


def folder_of(path: Path, *texts: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for i, text in enumerate(texts):
        (path / f"own{i}.toml").write_text(text)
    return path


def scanned(cells: list[str], *folders: Path, header: str | None = "a") -> package.Report:
    class Table:
        info = TableInfo("x.csv", None, "csv", header is not None, (Field(header), Field("other")))

        def batches(self) -> Iterator[Batch]:
            yield Batch(pl.DataFrame({"0": cells, "1": ["x"] * len(cells)}), 0)

    return package.Report(engine.scan_tables([Table()], rule_sets.load(folders), ScanOptions()))


def counted(cells: list[str], *folders: Path, header: str | None = "a") -> dict[str, tuple[int, tuple[int, ...]]]:
    """Rule → how many cells are, or hold, a value of it, and the first rows."""
    summary = engine.partial(pl.DataFrame({"0": cells}), (Field(header),), rule_sets.load(folders), 0)
    hits = {rule: found.whole + found.within for rule, found in summary.columns[0].hits.items()}
    return {rule: (found.cells, found.first_rows) for rule, found in hits.items() if found.cells}


RIVALS = r"""
[[rule]]
id = "a-badge"
entity = "PERSON_ID"
title = "Badge"
search = "anywhere"
pattern = 'BA-\d{4}-[XY]'
match = ["BA-1234-X", "BA-2345-Y"]
no_match = ["BA-123-X"]

[[rule]]
id = "b-badge"
entity = "GENERIC_ID"
title = "Badge or part"
search = "anywhere"
pattern = 'BA-\d{4}-[X-Z]'
match = ["BA-1234-X", "BA-2345-Z"]
no_match = ["BA-123-X"]
"""


@pytest.mark.parametrize("rows", [100, 5000])
def test_a_rule_claims_no_cell_of_a_rival_before_it(rows: int, tmp_path: Path) -> None:
    """However many cells there are. Those of long columns are claimed at once by the rule that most of them meet:
    here both meet all."""
    folder = folder_of(tmp_path / "rules", RIVALS)
    (both, other) = scanned([f"BA-{i % 10_000:04}-{'XY'[i % 2]}" for i in range(rows)], folder, header="z").columns
    assert (both.entity, other.entity) == ("PERSON_ID", None)
    assert [(r.id, r.cells) for r in both.reasons if r.by == "rule"] == [("a-badge", rows)]
    (most, _) = scanned(
        [f"BA-{i % 10_000:04}-{'X' if i % 10 == 3 else 'Z'}" for i in range(rows)], folder, header="z"
    ).columns
    assert [(r.id, r.cells) for r in most.reasons if r.by == "rule"] == [("b-badge", rows - rows // 10)]


def test_rules_of_a_folder_find_what_they_say(tmp_path: Path) -> None:
    own = folder_of(tmp_path / "own", MEMBER)
    numbers = [f"AM-{i:06}-{'ABCD'[i % 4]}" for i in range(40)]
    report = scanned(numbers, own)
    assert (report[0].entity, report[0].rule) == ("PERSON_ID", "acme-member")
    within = [f"see {number}." if i % 10 == 0 else "nothing" for i, number in enumerate(numbers)]
    assert counted(within, own) == {"acme-member": (4, (0, 10, 20, 30))}
    assert counted(within) == {}


# Plug-ins: what an installer leaves behind is a folder with metadata on the path.
def installed(site: Path, value: str, name: str = "acme") -> Path:
    info = site / f"{name}_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[piiscan.rules]\n{name} = {value}\n")
    package_folder = site / f"{name}_rules"
    folder_of(package_folder / "data", MEMBER)
    (package_folder / "__init__.py").write_text(
        "from pathlib import Path\nFOLDER = Path(__file__).parent / 'data'\nTEXT = str(FOLDER)\nMISSING = "
        "'no/such/folder'\n"
        "def folder():\n    return FOLDER\ndef broken():\n    raise ValueError('219-09-9999')\n"
    )
    return site


@pytest.fixture
def run_with(piiscan_process: Run, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run piiscan with a folder on Python's path, in which something is installed."""

    def run(site: Path, *arguments: str | Path) -> Any:
        import conftest

        plain = conftest.subprocess.run

        def with_path(*args: Any, env: dict[str, str], **kwargs: Any) -> Any:
            return plain(*args, env=env | {"PYTHONPATH": os.pathsep.join((env["PYTHONPATH"], str(site)))}, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(conftest.subprocess, "run", with_path)
            return piiscan_process(*arguments)

    return run


CHECKED = r"""
[[rule]]
id = "acme-checked"
entity = "PERSON_ID"
title = "ACME number whose digits sum to a multiple of seven"
search = "anywhere"
pattern = 'AK-\d{6}'
check = "acme_sevens"
chance = 0.14
match = ["AK-000007"]
no_match = ["AK-000008"]
"""
CHECK = """
LENGTHS = {8}
def valid(chars):
    return (chars[:, 2:].sum(axis=1, dtype="int64") - 6 * 48) % 7 == 0
"""


def with_check(site: Path, code: str = CHECK, value: str = "acme_checks", name: str = "acme_sevens") -> Path:
    """A package that brings a check, installed beside one that brings rules."""
    info = site / "acme_checks-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-checks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[piiscan.checks]\n{name} = {value}\n")
    (site / "acme_checks.py").write_text(code)
    return site


@pytest.fixture
def checked(tmp_path: Path) -> Path:
    """A folder of rules, one with a check of a plug-in, and a table of numbers of which half pass."""
    numbers = [n for n in range(100_000, 101_000) if sum(map(int, str(n))) % 7 < 2][:80]
    (tmp_path / "notes.csv").write_text("id,note\n" + "".join(f"{i},call AK-{n} back\n" for i, n in enumerate(numbers)))
    return folder_of(tmp_path / "own", CHECKED)


def test_checks_of_a_plug_in_are_used(tmp_path: Path, run_with: Any, checked: Path) -> None:
    site = with_check(tmp_path / "site")
    digests = set()
    for code in (CHECK, CHECK + "# another version\n"):
        with_check(site, code)
        done = run_with(site, "scan", tmp_path / "notes.csv", "--rules", checked, "-f", "json", "--fail-on", "never")
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        (found,) = report["tables"][0]["columns"][1]["inside"]
        passing = [i for i, n in enumerate(range(100_000, 101_000)) if sum(map(int, str(n))) % 7 == 0]
        assert found["rule"] == "acme-checked" and 20 < found["cells"] <= len(passing)
        digests.add(report["tool"]["rules_digest"])
    assert len(digests) == 2  # a verdict tells which code it rests on
    done = run_with(site, "rules", "test", checked)
    assert done.returncode == 0, done.stdout
    (file,) = checked.glob("*.toml")
    file.write_text(CHECKED.replace("0.14", "0.5"))
    done = run_with(site, "rules", "test", checked)
    assert done.returncode == 2
    assert "acme-checked: 'chance' is 0.5, but 0.1" in done.stdout


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "other"}, "unknown check 'acme_sevens'"),
        ({"name": "luhn"}, "plug-in luhn (acme_checks): piiscan itself uses its name"),
        ({"value": "no_such_module"}, "plug-in acme_sevens (no_such_module) can't be loaded: ModuleNotFoundError"),
        ({"value": "acme_checks:LENGTHS"}, "LENGTHS must be a collection of the lengths"),
        ({"code": "LENGTHS = ['8']\ndef valid(chars): ..."}, "LENGTHS must be a collection of the lengths"),
        ({"code": "LENGTHS = ()"}, "a check needs valid(chars)"),
        ({"code": CHECK + "compact = 1"}, "compact must be a function"),
    ],
)
def test_a_check_that_cannot_be_used_stops_the_scan(
    tmp_path: Path, run_with: Any, checked: Path, change: dict[str, str], said: str
) -> None:
    site = with_check(tmp_path / "site", **change)
    done = run_with(site, "scan", tmp_path / "notes.csv", "--rules", checked)
    assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def valid(chars): raise ValueError(chars.tobytes())", "valid failed: ValueError"),
        ("def valid(chars): return chars[:, 0]", "valid must return one boolean for each row"),
        ("def valid(chars): return True", "valid must return one boolean for each row"),
        ("def valid(chars): ...\ndef compact(text): raise KeyError(text)", "compact failed: KeyError"),
        ("def valid(chars): ...\ndef compact(text): return 7", "compact must return text"),
    ],
)
def test_a_check_that_fails_leaves_the_table_not_scanned(
    tmp_path: Path, run_with: Any, checked: Path, code: str, said: str
) -> None:
    site = with_check(tmp_path / "site", f"LENGTHS = (8,)\n{code}\n")
    done = run_with(site, "scan", tmp_path / "notes.csv", "--rules", checked, "--fail-on", "never")
    assert done.returncode == 3
    assert f"plug-in acme_sevens (acme_checks): {said}" in " ".join((done.stdout + done.stderr).split())
    assert "AK-10" not in done.stdout + done.stderr


@pytest.mark.parametrize("value", ["acme_rules:FOLDER", "acme_rules:TEXT", "acme_rules:folder"])
def test_rules_of_a_plug_in_are_used(tmp_path: Path, run_with: Any, value: str) -> None:
    """A folder, its path as text, or a function that returns it."""
    site = installed(tmp_path / "site", value)
    (tmp_path / "notes.csv").write_text("id,note\n" + "".join(f"{i},call AM-{i:06}-X back\n" for i in range(30)))
    done = run_with(site, "scan", tmp_path / "notes.csv", "-f", "json", "--fail-on", "never")
    assert done.returncode == 0, done.stderr
    _, column = json.loads(done.stdout)["tables"][0]["columns"]
    assert {i["rule"]: i["cells"] for i in column["inside"]} == {"acme-member": 30}
    if value.endswith("FOLDER"):
        assert "acme-member" in run_with(site, "rules", "list").stdout
        assert "acme-member" in run_with(site, "explain", "acme-member").stdout


@pytest.mark.parametrize(
    "value", ["acme_rules:MISSING", "acme_rules:NOTHING", "no_such_module:FOLDER", "acme_rules:broken"]
)
def test_a_plug_in_that_does_not_load_is_named(tmp_path: Path, run_with: Any, value: str) -> None:
    done = run_with(installed(tmp_path / "site", value), "scan", tmp_path)
    assert done.returncode == 2
    assert f"plug-in acme ({value})" in done.stderr
    assert "219-09-9999" not in done.stderr
    assert "Traceback" not in done.stderr


def test_rules_of_two_plug_ins_with_one_id(tmp_path: Path, run_with: Any) -> None:
    installed(tmp_path / "site", "acme_rules:FOLDER")
    done = run_with(installed(tmp_path / "site", "other_rules:FOLDER", "other"), "rules", "list")
    assert done.returncode == 2
    assert "'acme-member' is taken" in done.stderr


# `engine = "regex"`.
def test_look_around_is_counted(tmp_path: Path) -> None:
    own = folder_of(tmp_path / "own", TIMED)
    assert [definitions.verify(rule) for rule in definitions.load_folder(own).rules] == [[]]
    cells = ["K123/4K", "in L555/66, too", "spare K123/4K", "nothing", "K123/4L", "XK123/4Kx"]
    assert counted(cells, own) == {"locker": (2, (0, 1))}
    assert scanned(cells, own).complete


@pytest.mark.parametrize(
    ("search", "header", "wanted"),
    [
        ("anywhere", "a", (0, 1, 2, 3)),
        ("context", "a", (0, 2)),
        ("context", "locker", (0, 1, 2, 3)),
        ("cell", "a", ()),
        ("cell", "locker", (0,)),
    ],
)
def test_look_around_is_searched_where_the_rule_says(
    tmp_path: Path, search: str, header: str, wanted: tuple[int, ...]
) -> None:
    """As whole cells, beside its context, under its header: like any other rule."""
    text = TIMED.replace('"anywhere"', f'"{search}"\nheaders = ["locker"]')
    cells = ["K123/45", "in K123/45", "the locker K123/45", "(K123/45)", "locker K123", "7K123/45", "K123/45.7"]
    assert counted(cells, folder_of(tmp_path / "own", text), header=header).get("locker", (0, ()))[1] == wanted


def test_past_its_budget_a_column_is_not_scanned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = folder_of(tmp_path / "own", SLOW)
    assert counted(["a" * 12 + "b", "a" * 4] * 5, own) == {"slow": (5, (0, 2, 4, 6, 8))}
    cells = ["a" * 12 + "b", "a" * 80 + "!", "a@b.example"]
    report = scanned(cells, own)
    assert not report.complete
    assert [(n.source, n.table, n.column) for n in report.not_scanned] == [("x.csv", None, "a")], (
        "the other column is scanned"
    )
    assert "slow" in report.not_scanned[0].reason
    assert counted(cells, own) == {"email": (1, (2,))}, "what other rules find still counts"
    monkeypatch.setattr(timed_rules, "BATCH_SECONDS", 0.0)
    assert not scanned(["a" * 12 + "b"], own).complete


def test_past_its_budget_the_exit_status_is_3(tmp_path: Path, piiscan: Run) -> None:
    folder_of(tmp_path / "own", SLOW)
    (tmp_path / "x.csv").write_text("note,n\n" + f"{'a' * 80}!,1\n" * 3)
    done = piiscan("scan", "x.csv", "--rules", "own", cwd=tmp_path)
    assert done.returncode == 3
    assert "rule slow ran out of its time budget" in done.stdout + done.stderr
    assert piiscan("scan", "x.csv", "--rules", "own", "--allow-incomplete", cwd=tmp_path).returncode == 0


def test_examples_have_a_time_budget_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "EXAMPLE_SECONDS", 0.05)
    (rule,) = definitions.load_folder(folder_of(tmp_path / "own", SLOW)).rules
    with pytest.raises(definitions.RuleError, match="rule 'slow': its pattern takes too long"):
        definitions.verify(definitions.replace(rule, no_match=("a" * 80 + "!",)))


def test_a_gate_that_matches_lack_is_noticed(tmp_path: Path) -> None:
    (rule,) = definitions.load_folder(folder_of(tmp_path / "own", TIMED.replace(r"[KL]\d{3}'", r"K\d{3}'", 1))).rules
    assert definitions.verify(rule) == ["should contain the gate: 'L999/12'"]


# Rules that don't load.
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rule]\n", "own0.toml: can't be read as TOML"),
        ("[rules]\n", "own0.toml: unknown table 'rules'; rules must be [[rule]] tables"),
        ("[rule]\nid = 'x'\n", "own0.toml: rules must be [[rule]] tables, in two brackets"),
        ("rule = 'x'\n", "own0.toml: rules must be [[rule]] tables, in two brackets"),
        ("rule = ['x']\n", "own0.toml: rules must be [[rule]] tables, in two brackets"),
        ("[[rule]]\nentity = 'AGE'\n", "own0.toml: rule '(without id)': 'id' is missing"),
        (MEMBER + MEMBER, "two rules have the id 'acme-member'"),
    ],
)
def test_a_file_that_does_not_load(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(definitions.RuleError) as caught:
        definitions.load_folder(folder_of(tmp_path / "own", text))
    assert said in str(caught.value)
    assert str(tmp_path / "own") in str(caught.value) or "own0.toml" in str(caught.value)


GOOD: dict[str, Any] = {
    "id": "x-number",
    "entity": "NATIONAL_ID",
    "title": "X",
    "pattern": r"\d{4}",
    "search": "context",
    "headers": ["x number"],
    "match": ["1234"],
    "no_match": ["123"],
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": 5}, "'id' must be a string"),
        ({"pattern": 5}, "'pattern' must be a string"),
        ({"entity": "NATIONAL_IDS"}, "did you mean 'NATIONAL_ID'"),
        ({"chance": "0.1", "check": "luhn"}, "'chance' must be a number"),
        ({"chance": True, "check": "luhn"}, "'chance' must be a number"),
        ({"chance": 1.5}, "'chance'"),
        ({"trust": 1}, "'trust' must be a probability"),
        ({"ignore_case": "no"}, "'ignore_case' must be true or false"),
        ({"headers": ["x number", "--"]}, "'headers': '--' must have one to 8 words"),
        ({"headers": ["", "x"]}, "'headers': '' must have one to 8 words"),
        ({"not_headers": ["_"]}, "'not_headers': '_' must have one to 8 words"),
        ({"context": ["a b c d e f g h i"]}, "must have one to 8 words"),
        ({"headers": "x number"}, "'headers' must be a list of strings"),
        ({"check": "lhun", "chance": 0.1}, "unknown check 'lhun'; did you mean 'luhn'?"),
        ({"check": "arithmetic", "chance": 0.1}, "unknown check 'arithmetic'"),
        ({"check": "../luhn", "chance": 0.1}, "unknown check '../luhn'"),
        ({"pattern": r"\d*"}, "'pattern' matches the empty text"),
        ({"pattern": r"(?:a|b?)(?:\d{3})?"}, "'pattern' matches the empty text"),
        ({"pattern": r"[a-z]{2,5000}"}, "'pattern' is above 1000 characters"),
        ({"pattern": r"[a-z]{1,300}"}, "has one wider than 256"),
        ({"pattern": r"(?:(?:[a-z]{1,20}){1,20}\d){1,20}"}, "'pattern' is above 1000 characters"),
        ({"pattern": r"(?:[a-z]+ ?)+!"}, "'pattern' is ambiguous"),
        ({"pattern": r"(?:[a-z]+[A-C]?)+!", "ignore_case": True}, "'pattern' is ambiguous"),
        ({"engine": "regex", "gate": r"\d*"}, "'gate' matches the empty text"),
        ({"engine": "regex", "gate": r"(?=1)\d"}, "outside the linear dialect"),
        ({"engine": "regex", "gate": r"\d", "pattern": r"(?<=a"}, "not a regular expression"),
        ({"engine": "regex", "gate": r"\d", "pattern": r"(?=a)?"}, "'pattern' matches the empty text"),
        ({"pattern": None, "values": "missing.txt"}, "values file missing.txt: No such file"),
        ({"pattern": None, "values": "latin.txt"}, "values file latin.txt: not UTF-8"),
        ({"values": ["a"]}, "a pattern or values, not both"),
        ({"pattern": None, "check": "luhn", "chance": 0.1}, "a check needs a pattern"),
        ({"pattern": None, "headers": []}, "needs a pattern, values or headers"),
        ({"pattern": None}, "'header_match' and 'header_no_match'"),
    ],
)
def test_a_rule_that_does_not_load_says_where_and_why(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    (tmp_path / "values").mkdir()
    (tmp_path / "values" / "latin.txt").write_bytes("é".encode("latin-1"))
    raw = {key: value for key, value in (GOOD | change).items() if value is not None}
    with pytest.raises(definitions.RuleError) as caught:
        definitions.parse_rule(raw, "mine.toml", tmp_path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"mine.toml: rule {raw['id']!r}: ")


def test_a_large_pattern_still_runs(tmp_path: Path) -> None:
    """At the limit of what loads, the engines still compile it."""
    text = MEMBER.replace(r"AM-\d{6}-[A-Z]", r"AM-[A-Za-z0-9 .]{1,257}-[A-Z]").replace("AM-12345-X", "AM-")
    own = folder_of(tmp_path / "own", text, text.replace("acme-member", "acme-second").replace("AM-", "BM-"))
    cells = ["x AM-" + "a1 ." * 60 + "-X", "BM-1-X ", "none"]
    assert counted(cells, own) == {"acme-member": (1, (0,)), "acme-second": (1, (1,))}


def test_rules_test_reveals_of_examples_and_neighbours(tmp_path: Path, piiscan: Run) -> None:
    folder_of(tmp_path / "own", MEMBER, TIMED)
    (tmp_path / "own" / "mail.toml").write_text(
        MEMBER.replace("acme-member", "acme-mail")
        .replace(r"AM-\d{6}-[A-Z]", "[a-z]+@acme[.]example")
        .replace("AM-123456-X", "jo@acme.example")
    )
    done = piiscan("rules", "test", "own", cwd=tmp_path)
    assert (done.returncode, "3 rules, 8 examples, 0 wrong" in done.stderr) == (0, True), done.stderr
    assert "note: acme-mail: 'jo@acme.example' matches email too" in done.stdout
    shutil.copyfile(tmp_path / "own" / "mail.toml", tmp_path / "own" / "again.toml")
    done = piiscan("rules", "test", "own", cwd=tmp_path)
    assert done.returncode == 2
    assert "two rules have the id 'acme-mail'" in done.stderr


def test_texts_in_which_masking_would_miss_what_a_rule_found_are_suppressed(tmp_path: Path, piiscan: Run) -> None:
    """Masking looks for what the shipped rules find: without this, AM-123456-X would stay."""
    folder_of(tmp_path / "own", MEMBER)
    notes = ["called AM-123456-X", "wrote to jo.doe@mail-of-jo.net", "nothing to say"]
    (tmp_path / "notes.csv").write_text("x,note\n" + "".join(f"{i},{note}\n" for i, note in enumerate(notes)))
    for rules, operator in (((), "spans"), (("--rules", "own"), "suppress")):
        plan = tmp_path / f"{operator}.toml"
        done = piiscan("plan", "notes.csv", *rules, "-o", plan, "-q", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        (note,) = [a for a in plan_toml.load(plan).tables[0].columns if a.name == "note"]
        assert note.operator == operator
        assert ("contains PERSON_ID (acme-member) by rules of your own" in plan.read_text()) == bool(rules)
