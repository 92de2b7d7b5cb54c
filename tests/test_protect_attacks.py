"""Attacks on what `piiscan protect` releases, by somebody who has the release, the program, and much that is known
of people. Each must fail."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import ROOT
from test_protect import people, protected, treatments_of

from piiscan.cli import invoke

pytestmark = pytest.mark.slow

K = 5


def test_ids_of_two_releases_have_nothing_in_common() -> None:
    """The same table, released twice: ids don't join, and ids and places in the file can't be told from those of any
    other person."""
    frame = (
        people(200)
        .select("name", "age", "sex", "answer")
        .with_columns(who=pl.Series([f"P{n:04d}" for n in range(200)]))
    )
    first, second = (protected(frame, one_row_per_person=False, unit="who", quasi=["age", "sex"]) for _ in range(2))
    assert not set(first.frame["who"]) & set(second.frame["who"]) and not set(first.frame["who"]) & set(frame["who"])
    assert first.report == second.report
    rest = [c for c in first.frame.columns if c != "who"]
    assert first.frame.select(rest).sort(rest).equals(second.frame.select(rest).sort(rest))
    assert not first.frame.select(rest).equals(second.frame.select(rest))


def test_no_seed_of_anybody_repeats_ids_or_order(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    def drawn() -> list[str]:
        random.seed(0)
        np.random.seed(0)
        pl.set_random_seed(0)
        return (
            protected(rows_in_blocks(60), quasi=["age"], one_row_per_person=False, unit="who").frame["block"].to_list()
        )

    assert drawn() != drawn()


def rows_in_blocks(rows: int) -> pl.DataFrame:
    """Sorted by what nobody may know: the first half is one block, the second another."""
    return pl.DataFrame(
        {
            "who": [f"P{n:05d}" for n in range(rows)],
            "age": [30 + n % 5 for n in range(rows)],
            "block": [2 * n // rows for n in range(rows)],
        }
    )


def test_the_order_of_rows_reveals_nothing() -> None:
    """Runs of equal blocks, as Wald and Wolfowitz count them: of 1,000 rows in random order 501 ± 15.8. A false alarm
    at 5.3 standard deviations has a chance below 2 · 10⁻⁷; rows as they came have 2 runs."""
    shown = protected(rows_in_blocks(1000), quasi=["age"]).frame["block"]
    runs = 1 + int((shown != shown.shift(1)).sum())
    assert abs(runs - 501) < 5.3 * 15.8


def test_ids_do_not_sort_as_the_rows_did() -> None:
    """Ids in their order, and by them the blocks that they stand for: the same count of runs, with the same chance
    of a false alarm."""
    done = protected(rows_in_blocks(1000), quasi=["age"], one_row_per_person=False, unit="who").frame.sort("who")[
        "block"
    ]
    assert abs(1 + int((done != done.shift(1)).sum()) - 501) < 5.3 * 15.8


@pytest.mark.parametrize("method", ["local", "optimal"])
def test_what_follows_from_known_columns_singles_nobody_out(method: str) -> None:
    """The attacker knows everybody's age, sex and town, and so all that follows from them; and everybody's name. Those
    columns, as released, put each row among k."""
    done = protected(people(400), quasi=["age", "sex", "city"], sensitive=["salary", "diagnosis"], method=method)
    known = [c for c in ("age", "sex", "city", "branch", "retires", "tariff", "monogram") if c in done.frame.columns]
    assert len(known) > 4
    for some in (known, *combinations(known, 3)):
        assert done.frame.group_by(some).len()["len"].min() >= K  # type: ignore[operator]


def test_what_answers_reveal_together_does_not_stay() -> None:
    """Eight answers lean on the age, most of them too little to count. The attacker learns from other people how they
    do, and guesses from all that stay which half of life somebody is in. The seed is fixed."""
    rng = np.random.default_rng(8)
    rows = 2000
    age = rng.integers(20, 84, rows)
    answers = {f"choice_{n}": ((age - 52) / 26 + rng.normal(0, 1, rows) > 0).astype(int) for n in range(8)}
    frame = pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], rows), **answers})

    def guessed(columns: list[str]) -> float:
        values, older = frame.select(columns).to_numpy(), age >= 52
        known = values[: rows // 2]
        likely = [np.log((known[older[: rows // 2] == half] == 1).mean(axis=0)) for half in (True, False)]
        unlikely = [np.log((known[older[: rows // 2] == half] == 0).mean(axis=0)) for half in (True, False)]
        scores = [
            values[rows // 2 :] @ yes + (1 - values[rows // 2 :]) @ no for yes, no in zip(likely, unlikely, strict=True)
        ]
        return float(((scores[0] > scores[1]) == older[rows // 2 :]).mean())

    assert guessed(list(answers)) > 0.8
    found = treatments_of(protected(frame, quasi=["age", "sex"]).report)
    stay = [name for name, (action, _) in found.items() if action == "kept"]
    assert any("together reveal age" in why for _, why in found.values())
    assert not stay or guessed(stay) < 0.75


def test_a_value_that_stays_finds_nobody() -> None:
    """Whoever knows somebody's value of one column that stays finds k people."""
    done = protected(
        people(300).select("age", "sex", "diagnosis", "answer"), quasi=["age", "sex"], sensitive=["diagnosis"]
    )
    kept = [name for name, (action, _) in treatments_of(done.report).items() if action == "kept"]
    assert "answer" in kept
    for name in kept:
        assert done.frame.group_by(name).len()["len"].min() >= K  # type: ignore[operator]


def test_visits_of_one_person_cannot_be_put_together() -> None:
    """With ids on each row, who knows two ages at which somebody came would look for the one id that has both."""
    rng = random.Random(6)
    visits = [
        {"patient": f"P{p:03d}", "age": 20 + rng.randrange(40), "sex": "fm"[p % 2]}
        for p in range(100)
        for _ in range(3)
    ]
    done = protected(pl.DataFrame(visits), one_row_per_person=False, unit="patient", quasi=["age", "sex"])
    if "patient" in done.frame.columns:
        profiles = done.frame.group_by("patient").agg(pl.concat_str("age", "sex").sort().alias("rows"))
        assert profiles.group_by("rows").len()["len"].min() >= K  # type: ignore[operator]
    else:
        assert "ids would link" in treatments_of(done.report)["patient"][1]


CANARY = "quetzalcoatl"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A table whose cells are words that stand nowhere else, and these."""
    frame = people(120)
    rng = random.Random(7)
    words = {
        name: [f"{CANARY}{name}{rng.getrandbits(30):x}" for _ in range(3)] for name in ("diagnosis", "answer", "city")
    }
    frame = frame.with_columns(pl.Series(name, [rng.choice(some) for _ in range(120)]) for name, some in words.items())
    frame = frame.with_columns(
        notes=pl.Series([f"called {CANARY} {row['name']} back, mail {row['email']}" for row in frame.rows(named=True)])
    )
    path = tmp_path_factory.mktemp("planted") / "people.csv"
    frame.write_csv(path)
    cells = [
        c
        for name in ("name", "email", "code", "notes", "diagnosis", "answer", "city")
        for c in frame[name].unique().to_list()
    ]
    return path, cells


def spelled(cell: str) -> list[bytes]:
    raw = cell.encode()
    return [
        raw,
        raw.hex().encode(),
        base64.b64encode(raw),
        *(hashlib.new(h, raw).hexdigest().encode() for h in ("md5", "sha1", "sha256")),
    ]


def test_no_report_and_no_message_holds_a_cell(
    planted: tuple[Path, list[str]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, cells = planted
    out = tmp_path / "out"
    roles = ["--quasi", "age,sex,city", "--sensitive", "diagnosis", "--one-row-per-person", "--k", "5"]
    assert invoke(["protect", str(path), *roles, "-o", str(out)]) == 0
    assert invoke(["protect", str(path), *roles, "--l", "9", "-o", str(tmp_path / "none")]) == 2
    said = "".join(capfd.readouterr()).encode()
    reports = b"".join(p.read_bytes() for p in out.rglob("*") if p.is_file() and p.name != "people.csv") + said
    for cell in cells:
        assert not any(form in reports for form in spelled(cell))
    written = (out / "people.csv").read_bytes()
    for name in ("name", "email", "code", "notes"):
        for cell in pl.read_csv(path)[name].unique():
            assert not any(form in written for form in spelled(str(cell)))


def test_reports_are_the_same_for_any_number_of_threads(planted: tuple[Path, list[str]], tmp_path: Path) -> None:
    reports = []
    for jobs in ("1", "3"):
        arguments = [
            "protect",
            str(planted[0]),
            "--k",
            "5",
            "--one-row-per-person",
            "--quasi",
            "age,sex,city",
            "-j",
            jobs,
            "-q",
        ]
        assert invoke([*arguments, "-o", str(tmp_path / jobs)]) == 0
        report = json.loads((tmp_path / jobs / "report.json").read_text())
        assert f"--jobs {jobs} " in report.pop("command")
        reports.append(report)
    assert reports[0] == reports[1]


KILLED = """
import os, signal
from piiscan.protection.run import protect_table as files
from piiscan.cli import invoke
def dies(*arguments): os.kill(os.getpid(), signal.SIGKILL)
files.report = dies
invoke({arguments!r})
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_run_leaves_no_folder_that_looks_whole(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "voters.csv", tmp_path)
    arguments = [
        "protect",
        str(tmp_path / "voters.csv"),
        "--k",
        "5",
        "--one-row-per-person",
        "-o",
        str(tmp_path / "out"),
        "-q",
    ]
    done = subprocess.run(
        [sys.executable, "-c", KILLED.format(arguments=arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    left = {p.name for p in tmp_path.iterdir()} - {"voters.csv"}
    assert left and all(name.startswith(".piiscan-") for name in left)
    assert all((tmp_path / name).stat().st_mode & 0o077 == 0 for name in left)
    assert invoke(arguments) == 0  # and the next run tidies up
    assert {p.name for p in tmp_path.iterdir()} == {"voters.csv", "out"}


def test_an_attacker_with_a_register_finds_nobody() -> None:
    """The linkage attack of Sweeney (2002): the voters' register has names beside age, sex and zip."""
    import piiscan

    shown = protected(ROOT / "examples" / "visits.csv", one_row_per_person=False, unit="patient").frame
    found: Any = piiscan.risk(
        shown, quasi=["age", "sex", "zip"], sensitive=["diagnosis"], against=ROOT / "examples" / "voters.csv"
    )
    assert found.linkage.pairs == 0 and found.prosecutor.highest <= 1 / K
