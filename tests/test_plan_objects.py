"""Plans and keys in Python: read, written, passed by a path or by where they are; and errors in Python's words."""

from __future__ import annotations

import ast
import inspect
import os
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT, Run
from mask_people import customers, edited, key_file

import piiscan
from piiscan.core.interface import in_python
from piiscan.core.keys import new

PEOPLE = customers(120)
KEY = piiscan.Key(bytes(range(40, 72)))
PLAN = piiscan.plan(PEOPLE)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    PLAN.save(tmp_path / "plan.toml")
    return tmp_path / "plan.toml"


def test_a_plan_goes_to_a_file_and_back(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text == PLAN.to_toml()
    for plan in (piiscan.Plan.load(file), piiscan.Plan.load(str(file)), piiscan.Plan.from_toml(text)):
        assert isinstance(plan, piiscan.Plan)
        assert piiscan.mask(PEOPLE, plan, KEY).equals(piiscan.mask(PEOPLE, PLAN, KEY))
    assert piiscan.Plan.load(file) == piiscan.Plan.from_toml(text)
    assert piiscan.Plan.load(file).folder == file.parent
    assert pickle.loads(pickle.dumps(PLAN)) == PLAN != replace(PLAN, policy="gdpr")


def test_a_plan_of_the_command_is_the_same(piiscan: Run, tmp_path: Path) -> None:
    from piiscan import Plan, plan

    PEOPLE.write_csv(tmp_path / "people.csv")
    assert piiscan("plan", tmp_path / "people.csv", "-o", tmp_path / "plan.toml").returncode == 0
    made = plan(tmp_path / "people.csv")
    assert made.to_toml() == (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert Plan.load(tmp_path / "plan.toml").tables[0].source == "people.csv"


def test_it_shows_itself_without_names_of_columns() -> None:
    assert repr(PLAN) == "<piiscan.Plan policy=default, tables=1, columns=9>"


def test_everything_that_takes_a_plan_takes_its_path(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIISCAN_KEY", new())
    masked = piiscan.mask(PEOPLE, str(file), key="env:PIISCAN_KEY")
    assert masked.equals(piiscan.mask(PEOPLE, PLAN)) and not masked["email"].equals(PEOPLE["email"])
    assert piiscan.Masker(file, "env:PIISCAN_KEY")(PEOPLE).equals(masked)
    report = piiscan.compare(PEOPLE, masked, file).to_dict()
    assert report["plan"]["digest"] == piiscan.compare(PEOPLE, masked, PLAN).to_dict()["plan"]["digest"]
    PEOPLE.write_csv(tmp_path / "people.csv")
    piiscan.plan(tmp_path / "people.csv", before=str(file)).save(tmp_path / "again.toml")
    done = piiscan.mask(tmp_path / "people.csv", tmp_path / "again.toml", output=tmp_path / "out.csv")
    assert done.to_dict()["verified"] and pl.read_csv(tmp_path / "out.csv", infer_schema=False).equals(masked)


def test_a_person_s_decisions_stay() -> None:
    text = edited(PLAN.to_toml(), {"amount": 'operator = "suppress"'})
    earlier = piiscan.Plan.from_toml(text)
    assert next(a for a in earlier.tables[0].columns if a.name == "amount").operator == "suppress"
    again = piiscan.plan(PEOPLE, before=earlier)
    assert next(a for a in again.tables[0].columns if a.name == "amount").operator == "suppress"


def test_keys_by_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = new()
    monkeypatch.setenv("PIISCAN_KEY", text)
    monkeypatch.setenv("OTHER", text)
    (tmp_path / "key").write_text(text)
    (tmp_path / "key").chmod(0o600)
    keys = [
        piiscan.Key.from_env(),
        piiscan.Key.from_env("OTHER"),
        piiscan.Key.from_file(tmp_path / "key"),
        piiscan.Key.from_file(str(tmp_path / "key")),
    ]
    assert len({key.id for key in keys}) == 1
    for key in keys:
        assert text not in repr(key) and str(key) == f"<Key {key.id}>"
        assert pickle.loads(pickle.dumps(key)).id == key.id and text.encode() not in pickle.dumps(key)
    assert piiscan.plan(PEOPLE, key=keys[0]).key_ids == piiscan.plan(PEOPLE, key="env:OTHER").key_ids == (key.id,)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(new())
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(piiscan.UsageError, match="chmod 600"):
        piiscan.Key.from_file(tmp_path / "key")


SECRET = bytes(range(40, 72))
WRONG: dict[str, tuple[Any, str]] = {
    "a plan of a number": (lambda: piiscan.mask(PEOPLE, 3, KEY), "plan must be a piiscan.Plan or the path of one"),
    "a plan of a frame": (lambda: piiscan.mask(PEOPLE, PEOPLE, KEY), "not an object of type DataFrame"),
    "no plan": (lambda: piiscan.Masker(None, KEY), "not an object of type NoneType"),
    "a plan that isn't there": (
        lambda: piiscan.mask(PEOPLE, "gone.toml", KEY),
        "gone.toml: can't be read as a plan: No such file",
    ),
    "swapped": (lambda: piiscan.mask(PLAN, PEOPLE, KEY), "plan must be a piiscan.Plan"),
    "a key of bytes": (
        lambda: piiscan.mask(PEOPLE, PLAN, SECRET),
        r"key must be a piiscan\.Key or the location of one",
    ),
    "a key as it is": (lambda: piiscan.mask(PEOPLE, PLAN, SECRET.hex()), "name a key as env:NAME"),
    "a key of a path": (lambda: piiscan.mask(PEOPLE, PLAN, Path("key")), "not an object of type"),
    "Key of a text": (lambda: piiscan.Key(SECRET.hex()), "a key must be bytes"),
    "Key of few bytes": (lambda: piiscan.Key(b"abc"), "3 bytes, fewer than 32"),
    "a variable without a name": (lambda: piiscan.Key.from_env(""), "name a key as"),
    "a variable of a number": (lambda: piiscan.Key.from_env(3), "name a key as"),
    "a file of a number": (lambda: piiscan.Key.from_file(3), "name a key as"),
    "a spec of a number": (lambda: piiscan.Key.load(3), "name a key as"),
    "a plan loaded of a number": (lambda: piiscan.Plan.load(3), "Plan.load takes a path"),
    "a plan of bytes": (lambda: piiscan.Plan.from_toml(b""), "Plan.from_toml takes the text of a TOML file"),
    "the text of a plan as its path": (lambda: piiscan.mask([], 'version = 2\nname = "x"\n'), "use Plan.from_toml$"),
    "a URL as a plan": (lambda: piiscan.Plan.load("s3://k:s3cr3t@b/p.toml"), "^a URL of kind s3"),
    "a plan of no TOML": (lambda: piiscan.Plan.from_toml("{"), "plan: not TOML"),
    "a plan of another version": (lambda: piiscan.Plan.from_toml("version = 9"), "make a new one with piiscan.plan"),
    "a policy of a number": (lambda: piiscan.plan(PEOPLE, policy=3), "policy must be a name or a path"),
    "an earlier plan of a number": (lambda: piiscan.plan(PEOPLE, before=3), "plan must be a piiscan.Plan"),
    "new columns": (lambda: piiscan.mask(PEOPLE, PLAN, KEY, new_columns="keep"), "new_columns must be"),
    "a new column": (
        lambda: piiscan.mask(PEOPLE.with_columns(x=1), PLAN, KEY),
        'make a new plan with piiscan.plan, or use new_columns="suppress"',
    ),
    "no key": (lambda: piiscan.Masker(PLAN, "env:PIISCAN_NO_SUCH"), "no key: the environment variable"),
    "a table of several": (lambda: piiscan.risk(ROOT / "examples" / "hospital.xlsx"), "name one with table="),
    "a place of a number": (lambda: PLAN.save(3), "path must be a path to write to"),
    "a report to a number": (lambda: piiscan.scan(PEOPLE).save(3), "path must be a path to write to"),
    "aggregates of a number": (lambda: piiscan.unpack(3, seed=1), "aggregates must be a piiscan.Aggregates or a path"),
    "whose rows they are": (lambda: piiscan.Privacy(epsilon=1), "Use unit=COLUMN"),
    "no quasi-identifier": (lambda: piiscan.anonymize(pl.DataFrame({"x": [1, 2]}), k=2), "quasi="),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_python_s_words(name: str) -> None:
    call, message = WRONG[name]
    with pytest.raises(piiscan.UsageError, match=message) as error:
        call()
    assert not re.search(r"(?<![\w-])--[a-z]", str(error.value))
    assert SECRET.hex() not in str(error.value)


KINDS: dict[str, tuple[Any, ...]] = {
    "table delimiter encoding unit dataset version diversity distance method metric weights target": (3, b"x", ["x"]),
    "header overwrite drop_suppressed one_row_per_person allow_incomplete": (1, "yes", []),
    "output ledger policy": (3, ["x"], True),
    "quasi sensitive insensitive columns": (3, [3], {"age": 1}),
    "k min_group seed n first_row": ("5", 1.5, True),
    "l c alpha t suppress p_percent sampling_fraction": ("5", True, [1]),
    "bounds edges categories entities decimals": (3, ["x"], {"age": object()}, {3: "x"}),
    "estimate_bounds private_keys private_bins constraints statistics cross quantiles presence": (3, "x", {"x": 1}),
    "privacy hierarchies schema": (3, ["x"]),
}
NOTHING: dict[str, Any] = {
    "k": 3,
    "plan": PLAN,
    "seed": 1,
    "n": 1,
    "by": "gender",
    "columns": ["amount"],
    "schema": {},
    "privacy": piiscan.Privacy(epsilon=1, one_row_per_person=True, dataset="d", ledger="no/such/ledger.sqlite"),
}


def verbs() -> list[tuple[str, Callable[..., Any], str, Any]]:
    """Every function of piiscan with each of its parameters of those names, and values of other kinds."""
    found = []
    for name in sorted(piiscan.__all__):
        function = getattr(piiscan, name)
        if inspect.isfunction(function) or name == "Masker":
            for parameter in inspect.signature(function).parameters:
                wrong = next((values for names, values in KINDS.items() if parameter in names.split()), ())
                found += [(name, function, parameter, value) for value in wrong]
    return found


@pytest.mark.parametrize(
    ("name", "function", "parameter", "value"),
    verbs(),
    ids=lambda v: str(v) if isinstance(v, str) else type(v).__name__,
)
def test_every_verb_refuses_parameters_of_another_kind(
    name: str, function: Callable[..., Any], parameter: str, value: Any
) -> None:
    needed = {
        p.name: NOTHING.get(p.name, PEOPLE)
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty
    }
    with pytest.raises(piiscan.UsageError, match=f"^{parameter} must be (a|True)"):
        function(**{**needed, parameter: value})


def test_many_verbs_are_tried() -> None:
    tried = {name for name, *_ in verbs()}
    assert {"aggregate", "anonymize", "compare", "evaluate", "mask", "plan", "protect", "risk", "scan"} <= tried


def test_the_command_keeps_its_words(piiscan: Run, tmp_path: Path) -> None:
    PEOPLE.with_columns(x=1).write_csv(tmp_path / "people.csv")
    replace(PLAN).save(tmp_path / "plan.toml")
    call = ("mask", tmp_path / "people.csv", "--plan", tmp_path / "plan.toml", "--key", key_file(tmp_path))
    done = piiscan(*call, "-o", tmp_path / "out.csv")
    assert done.returncode == 2 and "`piiscan plan`, or use --new-columns suppress" in done.stderr


def messages() -> list[str]:
    """Every text of the package outside the command line that names an option, its variables as a word."""
    found = []
    for path in sorted((ROOT / "piiscan").rglob("*.py")):
        if path.relative_to(ROOT / "piiscan").parts[0] in ("cli", "report") or path.name == "interface.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ""
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(v.value) if isinstance(v, ast.Constant) else "score" for v in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            if re.search(r"(?<![\w-])--[a-z]", text):
                found.append(text)
    return found


def test_every_option_that_a_message_names_has_words_in_python() -> None:
    texts = messages()
    assert len(texts) > 50
    assert not [text for text in texts if re.search(r"(?<![\w-])--[a-z]", in_python(text))]
    assert any("--keep-unverified" in text for text in texts)
    assert not [text for text in texts if "keep_unverified" in in_python(text)]  # no function takes it


@pytest.mark.parametrize(
    ("said", "python"),
    [
        ("", ""),
        ("nothing to say", "nothing to say"),
        ("declare some with --quasi", "declare some with quasi="),
        ("allow to overwrite it (--overwrite)", "allow to overwrite it (overwrite=True)"),
        ("name it with --key file:key, or", 'name it with key="file:key", or'),
        ("--bounds two words=LOW:HIGH", 'bounds={"two words": (LOW, HIGH)}'),
        ("such as --k 5", "such as k=5"),
        ("such as --delta 1e-9; or", "such as delta=1e-9; or"),
        ("with --rows (drawing", "with n= (drawing"),
        ("allow more with --memory, or", "allow more with piiscan.allow_memory, or"),
        ("nothing was written (--keep-unverified writes it anyway): it", "nothing was written: it"),
        ("a--b.csv: not valid", "a--b.csv: not valid"),
        ("the name x--unit stays", "the name x--unit stays"),
    ],
)
def test_options_in_python_s_words(said: str, python: str) -> None:
    assert in_python(said) == python
