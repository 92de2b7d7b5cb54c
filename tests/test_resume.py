"""A run over a folder that was interrupted is taken up: what it had finished stays, and the whole is what one run
makes."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from mask_people import customers, orders

import piiscan
from piiscan.core.errors import WriteError
from piiscan.core.keys import Key
from piiscan.io.read_options import ReadOptions
from piiscan.io.write import rewrite
from piiscan.io.write.finished import left_by_a_run
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.request import MaskRequest
from piiscan.masking.result import MaskedFiles
from piiscan.masking.run.mask_files import mask_files
from piiscan.rules import rule_sets

KEY = Key(bytes(range(32)))
RULES = rule_sets.load(())


def people(folder: Path, texts: bool = True) -> Path:
    """Six files of the kinds that are written most, two of them with texts about the people of the others."""
    (folder / "sub").mkdir(parents=True)
    who = customers(40)
    note = pl.format("{} {} called, {}", "first_name", "last_name", pl.col("phone").fill_null("no number"))
    noted = who.with_columns(note.alias("note")) if texts else who
    noted.write_csv(folder / "a.csv")
    orders(who, 50).write_parquet(folder / "b.parquet")
    with sqlite3.connect(folder / "c.db") as base:
        base.execute("CREATE TABLE clients (customer_id TEXT, email TEXT, city TEXT)")
        base.executemany("INSERT INTO clients VALUES (?, ?, ?)", who.select("customer_id", "email", "city").rows())
    base.close()
    lines = noted.drop("gender", "amount").to_dicts()
    (folder / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    orders(who, 50, seed=9).write_csv(folder / "e.csv")
    with zipfile.ZipFile(folder / "sub" / "e.zip", "w") as archive:
        archive.write(folder / "e.csv", "orders.csv")
    (folder / "e.csv").unlink()
    import openpyxl

    book = openpyxl.Workbook()
    for row in (who.columns, *who.rows()):
        book.active.append(row)
    book.save(folder / "sub" / "f.xlsx")
    return folder


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return people(tmp_path_factory.mktemp("resume") / "in")


@pytest.fixture(scope="module")
def plan(source: Path) -> Plan:
    return replace(piiscan.plan(source), vault=None)


def masked(source: Path, out: Path, plan: Plan, key: Key | None = KEY, **options: object) -> MaskedFiles:
    request = MaskRequest(jobs=1, **options)  # type: ignore[arg-type]
    return mask_files(source, out, plan, key, RULES, ReadOptions(rules=RULES), request)


@pytest.fixture(scope="module")
def whole(source: Path, plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("whole") / "out"
    assert masked(source, out, plan).written == 6
    return files(out)


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def interrupted(
    source: Path, out: Path, plan: Plan, at: int, error: Callable[[], BaseException] = KeyboardInterrupt, **how: object
) -> None:
    """A run that ends when it is about to write file number `at`."""
    written = rewrite._written
    left = at

    def until(*given: object) -> object:
        nonlocal left
        left -= 1
        if left < 0:
            raise error()
        return written(*given)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch, pytest.raises((KeyboardInterrupt, WriteError, ValueError)):
        patch.setattr(rewrite, "_written", until)
        masked(source, out, plan, **how)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("at", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3, 5))])
def test_what_was_finished_stays_and_the_whole_is_as_of_one_run(
    source: Path, plan: Plan, whole: dict[str, bytes], tmp_path: Path, at: int
) -> None:
    out = tmp_path / "out"
    interrupted(source, out, plan, at)
    left = files(out)
    assert left_by_a_run(out) == at and all(Path(name).name.startswith(".piiscan-") for name in left)
    done = masked(source, out, plan, resume=True, compare=True)
    assert files(out) == whole
    assert (done.written, done.verified, done.kept, done.again) == (6, True, at, ())
    fresh = masked(source, tmp_path / "fresh", plan, compare=True)
    assert [(p.source, p.table, p.column, p.name) for p in done.promises] == [
        (p.source, p.table, p.column, p.name) for p in fresh.promises
    ]
    assert [c.figures for c in done.compared] == [c.figures for c in fresh.compared]


@pytest.mark.slow
def test_a_run_is_resumed_again_and_again(source: Path, plan: Plan, whole: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    for _ in range(3):
        interrupted(source, out, plan, 1, resume=True)
    assert left_by_a_run(out) == 3
    assert masked(source, out, plan, resume=True, verify=False).kept == 3
    assert files(out) == whole


def test_without_resume_all_of_it_is_masked_anew(
    source: Path, plan: Plan, whole: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    interrupted(source, out, plan, 4)
    assert masked(source, out, plan, verify=False).kept == 0
    assert files(out) == whole


def test_a_mistake_in_the_plan_or_in_us_leaves_nothing(source: Path, plan: Plan, tmp_path: Path) -> None:
    out = tmp_path / "out"
    broken = replace(plan, tables=plan.tables[:-1])
    with pytest.raises(piiscan.UsageError):
        masked(source, out, broken)
    assert not out.exists()


def _change_input(source: Path, out: Path) -> None:
    text = (source / "a.csv").read_text()
    (source / "a.csv").write_text(text.replace("Boston", "Denver"))


def _change_output(source: Path, out: Path) -> None:
    first = next(p for p in out.iterdir() if p.name.endswith("a.csv"))
    first.write_bytes(first.read_bytes()[:-1])


def _tear_journal(source: Path, out: Path) -> None:
    journal = next(p for p in out.iterdir() if p.name.endswith("~journal"))
    journal.write_bytes(journal.read_bytes()[:-10])


def _open_journal(source: Path, out: Path) -> None:
    next(p for p in out.iterdir() if p.name.endswith("~journal")).chmod(0o644)  # somebody else may have written it


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (_change_output, 2),
        (_tear_journal, 2),
        pytest.param(_change_input, 0, marks=pytest.mark.slow),
        pytest.param(_open_journal, 0, marks=pytest.mark.slow),
    ],
)
def test_what_changed_meanwhile_is_masked_again(
    source: Path,
    plan: Plan,
    whole: dict[str, bytes],
    tmp_path: Path,
    change: Callable[[Path, Path], None],
    kept: int,
) -> None:
    mine, out = tmp_path / "in", tmp_path / "out"
    shutil.copytree(source, mine)
    interrupted(mine, out, plan, 3)
    change(mine, out)
    done = masked(mine, out, plan, resume=True, verify=False)
    assert done.kept == kept
    if change == _change_input:
        masked(mine, tmp_path / "fresh", plan, verify=False)
        whole = files(tmp_path / "fresh")
    assert files(out) == whole


@pytest.mark.parametrize("what", ["plan", *(pytest.param(what, marks=pytest.mark.slow) for what in ("key", "options"))])
def test_another_key_plan_or_option_masks_all_again(source: Path, plan: Plan, tmp_path: Path, what: str) -> None:
    out, key = tmp_path / "out", KEY
    interrupted(source, out, plan, 3)
    how: dict[str, object] = {"verify": False}
    if what == "key":
        key = Key(bytes(range(1, 33)))
    elif what == "plan":
        plan = replace(plan, policy="mine")
    else:
        how["new_columns"] = "suppress"
    done = masked(source, out, plan, key, resume=True, **how)
    assert done.kept == 0 and [(what in reason, n) for reason, n in done.again] == [(True, 3)]
    masked(source, tmp_path / "fresh", plan, key, **how)
    assert files(out) == files(tmp_path / "fresh")


def test_where_tables_go_by_themselves_one_changed_input_is_masked_again(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for name in "abc":
        table = pl.DataFrame({"iban": [f"DE{i:020}" for i in range(99)], "n": list(range(99))})
        table.write_csv(source / f"{name}.csv")
    plan = replace(piiscan.plan(source), vault=None)
    interrupted(source, out, plan, 2)
    with (source / "a.csv").open("a") as file:
        file.write("x,7\n")
    done = masked(source, out, plan, resume=True)
    assert done.kept == 1 and done.again == (("their inputs have changed", 1),)
    masked(source, tmp_path / "fresh", plan)
    assert files(out) == files(tmp_path / "fresh")


def test_the_journal_holds_no_value_and_no_hash_of_one(source: Path, plan: Plan, tmp_path: Path) -> None:
    import hashlib

    out = tmp_path / "out"
    interrupted(source, out, plan, 4)
    journal = next(p for p in out.iterdir() if p.name.endswith("~journal"))
    assert journal.stat().st_mode & 0o777 == 0o600
    text = journal.read_text()
    for file in source.rglob("*.*"):
        raw = file.read_bytes()
        assert not any(getattr(hashlib, name)(raw).hexdigest()[:16] in text for name in ("md5", "sha1", "sha256"))
        assert hashlib.blake2b(raw, digest_size=32).hexdigest() not in text
    assert "Boston" not in text and bytes(range(32)).hex() not in text


@pytest.mark.slow
def test_the_command_says_what_stays_and_what_it_kept(
    source: Path, plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from piiscan.cli import invoke

    monkeypatch.setenv("PIISCAN_KEY", bytes(range(32)).hex())
    out = tmp_path / "out"
    written, calls = rewrite._written, 0

    def full(*given: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise OSError(28, "No space left on device")
        return written(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(rewrite, "_written", full)
    arguments = ["mask", str(source), "-o", str(out)]
    assert invoke(arguments) == 4
    said = capsys.readouterr().err
    assert "no space left" in said and "2 finished files stay" in said and "--resume" in said
    assert invoke([*arguments, "--resume"]) == 0
    assert "Kept 2 files that an earlier run had finished." in capsys.readouterr().err
    assert not [name for name in files(out) if ".piiscan-" in name]


def test_cells_that_become_texts_are_resumed(tmp_path: Path) -> None:
    """By a plan of texts, of numbers with a point; SQLite and JSON give their masks back as numbers."""
    who = customers(60).select("customer_id", "first_name", "last_name", "email")
    plan = replace(piiscan.plan(who), vault=None)
    numbers = who.with_columns(pl.col("customer_id").cast(pl.Float64))
    given = tmp_path / "in"
    given.mkdir()
    numbers.write_parquet(given / "a.parquet")
    with sqlite3.connect(given / "b.db") as base:
        base.execute("CREATE TABLE people (customer_id REAL, first_name TEXT, last_name TEXT, email TEXT)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", numbers.rows())
    base.close()
    numbers.write_ndjson(given / "c.jsonl")
    numbers.write_csv(given / "d.csv")
    assert masked(given, tmp_path / "whole", plan).written == 4
    interrupted(given, tmp_path / "out", plan, 3)
    done = masked(given, tmp_path / "out", plan, resume=True)
    assert (done.written, done.kept, done.verified) == (4, 3, True)
    assert files(tmp_path / "out") == files(tmp_path / "whole")
