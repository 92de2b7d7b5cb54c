"""Files that piiscan 0.1 wrote and later versions still read: those of `golden/0.1`, which are never written anew.

A key that masks other values, a vault that doesn't open and a ledger that charges twice are damage done to whoever kept
the file. So a change that fails here needs a version of its own in the file, and words for those who have the old one.
`table-masked.csv` is `piiscan mask table.csv --plan table.toml --key file:key --no-verify`, `people-masked.csv` the
same of `people.csv`.

What has no stored form, and no file here: partial summaries (`Scanner.partial`), which travel by pickle between
processes of one version, and what a `Masker` is pickled as. Models of `piiscan train` have the arrays of the shipped
`models/columns.npz`, which every scan reads.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import run_piiscan
from dp_tables import privately

import piiscan
from piiscan import learning
from piiscan.dp.ledger import Ledger
from piiscan.masking.surrogates import name_lists
from piiscan.rules.definitions import Rule, RuleSet

STORED = Path(__file__).parent / "golden" / "0.1"
KEY_ID, PLAN_DIGEST = "efe83d5c789bba48", "28ea29d4ebff3410"
PEOPLE = pl.DataFrame({
    "age": [20 + i % 50 for i in range(60)], "dept": ["a" if i % 2 else "b" for i in range(60)],
    "pay": [1000.0 + 17 * (i % 23) for i in range(60)], "ill": ["no" if i % 3 else "yes" for i in range(60)],
})  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with copies of the files, for their owner alone, as which git doesn't keep them."""
    for file in STORED.iterdir():
        shutil.copy(file, tmp_path / file.name)
        (tmp_path / file.name).chmod(0o600)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def texts(path: Path) -> dict[str, list[str | None]]:
    """The cells of a CSV file, by column."""
    return pl.read_csv(path, infer_schema=False).to_dict(as_series=False)


def run(here: Path, *arguments: str | Path, status: int = 0) -> str:
    done = run_piiscan(*arguments, cwd=here)
    assert done.returncode == status, done.stderr
    return " ".join((done.stdout + done.stderr).split())


def masked(here: Path, name: str, plan: str) -> dict[str, list[str | None]]:
    run(here, "mask", f"{name}.csv", "--plan", plan, "--key", "file:key", "-o", "out.csv", "--no-verify", "--quiet")
    return texts(here / "out.csv")


def test_masks_of_each_keyed_operator(here: Path) -> None:
    """Labels of subkeys, purposes of random streams and the way from bits to masks: whoever masks with the same key
    gets the same masks.

    Codes, which are drawn, come from the vault `codes`.
    """
    found, stored = masked(here, "table", "table.toml"), texts(here / "table-masked.csv")
    for column, cells in stored.items():
        assert found[column] == cells, column
    assert list(found) == list(stored)


def test_the_digest_of_a_plan(here: Path) -> None:
    """Of its text without what a person may have noted: reports of two versions say by it that they masked by the
    same plan."""
    run(
        here,
        "mask",
        "table.csv",
        "--plan",
        "table.toml",
        "--key",
        "file:key",
        "-o",
        "out.csv",
        "--no-verify",
        "--report",
        "report.json",
    )
    report = json.loads((here / "report.json").read_text(encoding="utf-8"))
    assert (report["plan"]["digest"], report["key"], report["schema_version"]) == (PLAN_DIGEST, KEY_ID, 1)


def test_masks_lead_back(here: Path) -> None:
    (here / "masked").mkdir()
    shutil.copy(here / "table-masked.csv", here / "masked" / "table.csv")
    run(here, "unmask", "masked/table.csv", "--plan", "table.toml", "--key", "file:key", "-o", "back.csv")
    found, originals = texts(here / "back.csv"), texts(here / "table.csv")
    for column in ("token", "fpe_digits", "fpe_letters", "fpe_small", "fpe_hex", "ip", "code"):
        assert found[column] == originals[column], column


def names_are_those() -> None:
    if name_lists.lists_digest("en_US").partition("@")[0] not in (STORED / "people.toml").read_text(encoding="utf-8"):
        pytest.skip("another Faker, with other lists")


def test_personas(here: Path) -> None:
    names_are_those()
    assert masked(here, "people", "people.toml") == texts(here / "people-masked.csv")


def test_a_person_is_known_by_another_of_their_keys(here: Path) -> None:
    """The vault `links` remembers whose number belongs to whose e-mail address."""
    names_are_those()
    assert masked(here, "orders", "people.toml")["username"] == texts(here / "people-masked.csv")["username"][::-1]
    (here / "links").unlink()
    (here / "out.csv").unlink()
    assert not set(masked(here, "orders", "people.toml")["username"]) & set(
        texts(here / "people-masked.csv")["username"]
    )


def test_a_plan_of_other_lists_of_names_says_which_to_install(here: Path) -> None:
    text = (here / "people.toml").read_text(encoding="utf-8")
    (here / "people.toml").write_text(
        re.sub(r'en_US = ".*"', 'en_US = "0123456789abcdef@faker-1.2.3"', text), encoding="utf-8"
    )
    said = run(here, "mask", "people.csv", "--plan", "people.toml", "--key", "file:key", "-o", "out.csv", status=2)
    assert "install faker==1.2.3" in said


def test_a_key(here: Path) -> None:
    assert run(here, "key", "id", "--key", "file:key") == KEY_ID
    assert piiscan.Key(bytes(range(32))).id == KEY_ID


def vault_of(path: Path) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """The first line, and labels and sealed tables behind it."""
    head, _, rest = path.read_bytes().partition(b"\n")
    sections = []
    while rest:
        label, size = rest[:16], int.from_bytes(rest[16:24], "big")
        sections.append((label, rest[24 : 24 + size]))
        rest = rest[24 + size :]
    return head, sections


@pytest.mark.parametrize(("name", "domain", "uses"), [("codes", "S", ()), ("links", "subjects", ("links",))])
def test_a_vault(name: str, domain: str, uses: tuple[str, ...]) -> None:
    """Its form and its keys, spelled out: HKDF of HKDF, AES-GCM with version and label as associated data, a table
    in Arrow IPC."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    head, [(label, sealed)] = vault_of(STORED / name)
    assert head == b"piiscan vault 1"
    secret = hkdf(bytes(range(32)), "subkey", domain)
    for use in uses:
        secret = hkdf(secret, "derive", use)
    assert label == hkdf(secret, "derive", "vault", "label")[:16]
    plain = AESGCM(hkdf(secret, "derive", "vault", "seal")).decrypt(sealed[:12], sealed[12:], head + b"\n" + label)
    assert pl.read_ipc(plain).schema == {"original": pl.String, "code": pl.String}


def hkdf(secret: bytes, purpose: str, *context: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = f"piiscan/1/{purpose}".encode() + b"".join(len(part).to_bytes(4, "big") + part.encode() for part in context)
    return HKDF(SHA256(), 32, salt=None, info=info).derive(secret)


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (
            b"piiscan vault 2\n",
            "vault codes: it was written by another version of piiscan (vault 2; this one reads vault 1); use "
            "that version",
        ),
        (b"PK\x03\x04", "vault codes: it isn't a vault of piiscan; name another file"),
    ],
)
def test_another_vault_is_refused(here: Path, head: bytes, says: str) -> None:
    stored = (here / "codes").read_bytes()
    (here / "codes").write_bytes(head + stored.partition(b"\n")[2])
    changed = (here / "codes").read_bytes()
    arguments = ("mask", "table.csv", "--plan", "table.toml", "--key", "file:key", "-o", "out.csv", "--no-verify")
    assert says in run(here, *arguments, status=2)
    assert (here / "codes").read_bytes() == changed


def summary(ledger: Path) -> Any:
    return privately(
        piiscan.summarize,
        PEOPLE,
        epsilon=100,
        delta=1e-9,
        one_row_per_person=True,
        bounds={"age": (0, 120)},
        edges={"age": [18, 65]},
        categories={"dept": ["a", "b"]},
        by=[["dept"]],
        cross=[["dept", "age"]],
        dataset="people",
        budget=1000,
        ledger=ledger,
    )


def synthetic(ledger: Path) -> Any:
    return privately(
        piiscan.synthesize,
        PEOPLE,
        epsilon=100,
        one_row_per_person=True,
        bounds={"age": (0, 120)},
        categories={"dept": ["a", "b"]},
        n=20,
        dataset="people",
        budget=1000,
        ledger=ledger,
    )


def private_aggregates(ledger: Path) -> Any:
    return privately(
        piiscan.aggregate_privately,
        PEOPLE,
        by="dept",
        columns=["age", "pay"],
        epsilon=100,
        one_row_per_person=True,
        bounds={"age": (0, 120), "pay": (1000, 1400)},
        categories={"dept": ["a", "b"]},
        dataset="people",
        budget=1000,
        ledger=ledger,
    )


def model(ledger: Path) -> Any:
    privacy = learning.Privacy(epsilon=100, one_row_per_person=True, dataset="people", budget=1000, ledger=ledger)
    return learning.GaussianNB(target="ill", classes=["no", "yes"], bounds={"age": (0, 120), "pay": (1000, 1400)}).fit(
        PEOPLE, privacy
    )


def test_a_ledger_gives_again_what_it_gave(here: Path) -> None:
    """For free: each query has the text that it had, and what is stored under it is read as it was. Rows are drawn
    from it as they were."""
    pytest.importorskip("opendp")
    stored = ledger_of(here / "ledger.sqlite")
    releases = {charge["kind"]: charge["release"] for charge in stored["charges"]}
    ledger = here / "ledger.sqlite"
    summarized, synthesized, learned = summary(ledger), synthetic(ledger), model(ledger)
    assert summarized.repeated and summarized.text == releases["dp-summary"]
    assert synthesized.repeated and synthesized.text == releases["dp-synthetic-rows"]
    assert synthesized.frame.cast(pl.String).to_dict(as_series=False) == texts(here / "synthetic.csv")
    assert learned.repeated and learned.release == json.loads(releases["dp-model"])
    assert {name: getattr(learned, f"{name}_").tolist() for name in ("theta", "class_count")} == {
        name: learned.release["fitted"][name] for name in ("theta", "class_count")
    }
    assert private_aggregates(ledger).to_json() == (here / "aggregates-private.json").read_text(encoding="utf-8")
    assert ledger_of(ledger) == stored


def ledger_of(path: Path) -> dict[str, Any]:
    """All that a ledger holds."""
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    found: dict[str, Any] = {
        name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    }
    for table in ("datasets", "budgets", "charges", "exact"):
        found[table] = [dict(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY rowid")]
    db.close()
    for charge in found["charges"]:
        charge["kind"] = json.loads(charge["release"])["kind"]
    return found


def shape(stored: Any) -> Any:
    """The names in plain data, and types in the place of values, null being a number that noise left none of; of a
    list its first entry."""
    if isinstance(stored, dict):
        return {name: shape(value) for name, value in stored.items()}
    return (
        [shape(value) for value in stored[:1]]
        if isinstance(stored, list)
        else "number"
        if isinstance(stored, int | float)
        else type(stored).__name__
    )


def test_a_ledger_and_releases_are_written_as_they_were(tmp_path: Path) -> None:
    """All but figures, which are noisy, and times: numbers and names of tables and columns, kinds and keys of
    releases."""
    pytest.importorskip("opendp")
    ledger = tmp_path / "ledger.sqlite"
    for ask in (summary, synthetic, model, private_aggregates):
        ask(ledger)
    Ledger(ledger).register("people", "2025", "k-anonymous", ["age", "dept"])
    stored, made = ledger_of(STORED / "ledger.sqlite"), ledger_of(ledger)
    assert [c["kind"] for c in stored["charges"]] == ["dp-summary", "dp-synthetic-rows", "dp-model", "aggregates"]
    for ours, theirs in zip(made["charges"], stored["charges"], strict=True):
        assert ours["query"] == theirs["query"]
        release, before = json.loads(ours["release"]), json.loads(theirs["release"])
        if release["kind"] == "dp-synthetic-rows":  # version 2: the bins that are counted together in pairs
            assert release.pop("schema_version") == 2
            assert len(release["columns"][0].pop("groups")) == 21
            release["schema_version"] = 1
            ours["release"] = json.dumps(release)
        assert shape(release) == shape(before)
        assert release["schema_version"] == 1
    assert shape(made) == shape(stored)
    assert (
        (made["application_id"], made["user_version"])
        == (stored["application_id"], stored["user_version"])
        == (0x70694450, 2)
    )
    assert [made["datasets"], [b["epsilon"] for b in made["budgets"]]] == [
        stored["datasets"],
        [b["epsilon"] for b in stored["budgets"]],
    ]
    assert [e | {"at": "", "user": ""} for e in made["exact"]] == [e | {"at": "", "user": ""} for e in stored["exact"]]


def test_another_ledger_is_refused(here: Path) -> None:
    """One of version 1 is brought to today's: see test_dp_ledger.py."""
    with sqlite3.connect(here / "ledger.sqlite") as db:
        db.execute("PRAGMA user_version = 3")
    says = (
        "ledger ledger.sqlite: it was written by another version of piiscan (ledger 3; this one reads 1 and 2); "
        "use that version"
    )
    assert says in run(here, "budget", "show", "people", "--ledger", "ledger.sqlite", status=2)
    with sqlite3.connect(here / "ledger.sqlite") as db:
        db.execute("PRAGMA application_id = 1")
    assert "this isn't a piiscan ledger; choose another path with --ledger" in run(
        here, "budget", "show", "people", "--ledger", "ledger.sqlite", status=2
    )


def _lines(file: Path) -> list[str]:
    """The lines of a file without comments, whose words may change."""
    return [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_a_plan_of_anonymisation(here: Path) -> None:
    """Made by `piiscan anonymize patients.csv --k 3 --quasi age,sex --sensitive ill --save-plan anonymized.toml`. Its
    digests are of the table, and of the list of classes, under the key. anonymized.toml is of version 1, by one level
    for each column; anonymized_2.toml is of version 2."""
    ask = ("anonymize", "patients.csv", "--plan", "anonymized.toml", "--key", "file:key", "-o", "out.csv", "--quiet")
    run(here, *ask)
    assert (here / "out.csv").read_text(encoding="utf-8") == (here / "anonymized.csv").read_text(encoding="utf-8")
    run(
        here,
        *ask[:2],
        "--k",
        "3",
        "--quasi",
        "age,sex",
        "--sensitive",
        "ill",
        "--save-plan",
        "again.toml",
        *ask[4:6],
        "-o",
        "again.csv",
        "--quiet",
    )
    for file in ("again.toml", "again.classes.csv"):
        stored = here / file.replace("again", "anonymized_2")
        assert _lines(here / file) == _lines(stored)
    run(here, *ask[:3], "anonymized_2.toml", *ask[4:6], "-o", "out_2.csv", "--quiet")
    assert (here / "out_2.csv").read_text(encoding="utf-8") == (here / "again.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version = 1", "version = 3", "not an anonymisation plan of version 1 or 2; make a new one with --save-plan"),
        ("suppress =", "noise = 3\nsuppress =", "unknown key noise"),
        ("k = 3", "k = 3\nm = 2", "models: unknown key m"),
        ('role = "quasi"', 'role = "quasi"\nblurred = true', "columns: unknown key blurred"),
    ],
)
def test_a_plan_of_anonymisation_that_is_not_understood_is_refused(here: Path, old: str, new: str, says: str) -> None:
    text = (here / "anonymized.toml").read_text(encoding="utf-8")
    assert old in text
    (here / "anonymized.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    ask = ("anonymize", "patients.csv", "--plan", "anonymized.toml", "--key", "file:key", "-o", "out.csv")
    assert says in run(here, *ask, status=2)
    assert not (here / "out.csv").exists()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version = 1", "version = 3", "table.toml: not a plan of version 1 or 2; make a new one with `piiscan plan`"),
        ("version = 1", "version = 1\nnoise = 3", "table.toml: unknown key noise"),
        ("index = 0", "index = 0\nblurred = true", "table table.csv: column token: unknown key blurred"),
        ('entity = "EMAIL_ADDRESS"', 'entity = "EMAIL_ADDRESS"\nwhole = true', "table.toml: spans: unknown key whole"),
    ],
)
def test_a_plan_that_is_not_understood_is_refused(here: Path, old: str, new: str, says: str) -> None:
    text = (here / "table.toml").read_text(encoding="utf-8")
    (here / "table.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    assert says in run(
        here, "mask", "table.csv", "--plan", "table.toml", "--key", "file:key", "-o", "out.csv", status=2
    )


@pytest.mark.parametrize("name", ["aggregates.json", "aggregates.csv", "aggregates-private.json"])
def test_rows_of_aggregates(name: str) -> None:
    """What `piiscan aggregate people --by dept --columns age,pay` wrote is read, and rows have its moments."""
    stored = json.loads((STORED / name.replace(".csv", ".json")).read_text(encoding="utf-8"))
    rows = piiscan.unpack(STORED / name, seed=1)
    assert rows.columns == ["dept", "age", "pay"]
    for group in [g for g in stored["groups"] if g["count"]]:
        part = rows.filter(pl.col("dept") == group["key"][0])
        assert len(part) == group["count"]
        assert [part[column].mean() for column in ("age", "pay")] == pytest.approx(group["mean"], rel=1e-9)
        assert [part[column].std() for column in ("age", "pay")] == pytest.approx(group["std"], rel=1e-9)


def test_aggregates(here: Path) -> None:
    made = piiscan.aggregate(PEOPLE, by="dept", columns=["age", "pay"])
    found, stored = made.to_dict(), json.loads((here / "aggregates.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(found)) == stored | {
        "tool": {"name": "piiscan", "version": piiscan.__version__},
        "notes": found["notes"],  # words for people, which may change
    }
    assert made.to_csv() == (here / "aggregates.csv").read_text(encoding="utf-8")


def test_aggregates_of_another_version_are_refused(here: Path) -> None:
    text = (here / "aggregates.json").read_text(encoding="utf-8")
    (here / "aggregates.json").write_text(text.replace('"schema_version": 1', '"schema_version": 2'), encoding="utf-8")
    assert "aggregates.json: these aren't aggregates of version 1, as `piiscan aggregate" in run(
        here, "unpack", "aggregates.json", "--seed", "1", status=2
    )


def test_digests_of_rules() -> None:
    """SHA-256 of all fields of all rules as JSON with sorted keys, spelled out here. Plans and reports say by it which
    rules they were made by; a new field of rules makes another digest of the same rules."""
    rule = Rule(
        "made-up", "GENERIC_ID", "A made-up number", pattern="AB-[0-9]{5}", match=("AB-12345",), no_match=("AB-1234",)
    )
    text = (
        '[{"authority": null, "boundary": "number", "chance": 1.0, "check": null, "context": [], "country": '
        'null, "engine": "linear", '
        '"entity": "GENERIC_ID", "gate": null, "header_match": [], "header_no_match": [], "headers": [], "id": '
        '"made-up", '
        '"ignore_case": false, "kind": "any", "link": null, "match": ["AB-12345"], "no_match": ["AB-1234"], '
        '"not_headers": [], '
        '"operator": null, "pattern": "AB-[0-9]{5}", "search": "cell", "subtype": null, "title": "A made-up '
        'number", "trust": 0.9, "values": []}]'
    )
    assert RuleSet((rule,)).digest == sha256(text.encode()).hexdigest()[:16]


def test_digests_of_name_lists() -> None:
    """SHA-256 of the names as Python writes them, spelled out here. With another digest a plan is refused, so
    nothing in it may be renamed."""
    found = name_lists.lists("pl_PL")
    firsts = [
        ", ".join(f"FirstName(name={n.name!r}, initial={n.initial!r}, weight={n.weight!r})" for n in names)
        for names in (found.female, found.male)
    ]
    lasts = ", ".join(
        f"Surname(male={s.male!r}, female={s.female!r}, stem={s.stem!r}, weight={s.weight!r})" for s in found.surnames
    )
    text = f"('pl_PL', [{firsts[0]}], [{firsts[1]}], [{lasts}])"
    assert found.digest == sha256(text.encode()).hexdigest()[:16]


def test_a_baseline_without_what_it_was_made_with(here: Path) -> None:
    """Its entries count as ever; what another model may explain isn't known."""
    from golden_report import BASE, REPORT

    from piiscan.scanning import baseline
    from piiscan.scanning.findings import judge

    known = baseline.load(here / "baseline.jsonl")
    assert (len(known.entries), known.made_with) == (10, ())
    assert known.dumps() == (STORED / "baseline.jsonl").read_text(encoding="utf-8")
    found = judge(REPORT, BASE, baseline=known)
    assert len(found.silenced) == 10
    changes = known.changes(found, "direct")
    assert (changes.others, changes.explained, len(changes.gone)) == (None, 0, 0)
    assert known.update((), BASE, REPORT).made_with == (), "not all of its files were read whole"
    whole = replace(
        REPORT, not_scanned=(), tables=tuple(replace(t, complete=True, sampled=None) for t in REPORT.tables)
    )
    accepted = [f for f, _ in found.silenced]
    assert known.update(accepted, BASE, whole).changes(found, "direct").others == (), (
        "noted with all brought up to date"
    )
