"""Every command in a process of its own, as people run it. Most other tests call the command line within their own
process (`run_piiscan`); that this proves as much is shown here: both give the same status, text and files."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from conftest import ROOT, Run

from piiscan.cli import COMMANDS

PLAN = "plan people.csv -o plan.toml --quiet"
MASK = "mask people.csv --plan plan.toml -o masked.csv --key file:key --quiet"
TOLD = "aggregate visits.csv --by sex --columns age -o told.json"
PRIVATE = "--epsilon 1 --unit patient --dataset visits --budget 2 --schema schema.toml"

# What is typed, its exit status, and what was typed before it.
CASES: list[tuple[str, int, tuple[str, ...]]] = [
    ("scan people.csv visits.csv -o json=report.json", 1, ()),
    ("explain people.csv::ssn", 0, ()),
    ("rules show us-ssn", 0, ()),
    ("baseline create people.csv", 0, ()),
    ("train labels.csv -o own.npz", 0, ()),
    ("plan people.csv -o plan.toml", 0, ()),
    ("histogram visits.csv::age --header", 0, ()),
    (MASK, 0, (PLAN,)),
    ("verify people.csv masked.csv --plan plan.toml", 0, (PLAN, MASK)),
    ("unmask masked.csv --plan plan.toml -o back.csv --key file:key", 0, (PLAN, MASK)),
    ("risk visits.csv --quasi age,sex,zip --unit patient", 0, ()),
    ("anonymize visits.csv --k 5 --quasi age,sex,zip --insensitive patient --sensitive diagnosis -o out.csv", 0, ()),
    ("protect visits.csv -o out --k 5 --one-row-per-person", 0, ()),
    (f"summarize visits.csv {PRIVATE}", 0, ()),
    (f"synthesize visits.csv {PRIVATE} -o rows.csv", 0, ()),
    (TOLD, 0, ()),
    ("unpack told.json --seed 7", 0, (TOLD,)),
    ("evaluate visits.csv visits.csv --schema schema.toml", 0, ()),
    ("budget show", 0, (f"summarize visits.csv {PRIVATE} --quiet",)),
    ("key id --key file:key", 0, ()),
    ("federated key --key file:key", 0, ()),
    ("config show", 0, ()),
    ("completion zsh", 0, ()),
]
DRAWN = {"protect", "summarize", "synthesize", "budget"}
"""Commands that draw at random or note the time: figures differ from run to run."""


Outcome = tuple[int, str, str, dict[str, bytes]]  # exit status, standard output, standard error, files


def without_figures(outcome: Outcome) -> Outcome:
    status, out, err, files = outcome
    return status, re.sub(r"\W*\d+", "", out), re.sub(r"\W*\d+", "", err), dict.fromkeys(files, b"")


def test_every_command_is_here() -> None:
    assert {typed.split()[0] for typed, _, _ in CASES} == set(COMMANDS)


@pytest.mark.parametrize(("typed", "status", "before"), CASES, ids=[typed.split()[0] for typed, _, _ in CASES])
def test_a_process_does_what_a_call_does(
    typed: str, status: int, before: tuple[str, ...], piiscan: Run, piiscan_process: Run, tmp_path: Path
) -> None:
    def outcome(run: Run) -> Outcome:
        folder = tmp_path / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name in ("people.csv", "visits.csv"):
            shutil.copy(ROOT / "examples" / name, folder)
        (folder / "key").write_text(bytes(range(32)).hex())
        (folder / "key").chmod(0o600)
        (folder / "labels.csv").write_text("path,column,entity\npeople.csv,newsletter,PERSON_ID\n")
        (folder / "schema.toml").write_text('[columns.sex]\ncategories = ["F", "M"]\n')
        for line in before:
            assert piiscan(*shlex.split(line), cwd=folder).returncode == 0, line
        done = run(*shlex.split(typed), cwd=folder)
        files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        return done.returncode, done.stdout, done.stderr, files

    called, started = outcome(piiscan), outcome(piiscan_process)
    assert started[0] == status, started[2]
    if typed.split()[0] in DRAWN:
        called, started = without_figures(called), without_figures(started)
    assert started == called
