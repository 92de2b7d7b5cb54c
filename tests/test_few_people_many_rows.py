"""A few people in many rows: each row gets another made-up person, who may by chance have a name of the own one."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import run_piiscan
from mask_people import key_file

FIRST = "Mary John Linda Robert Karen Paul Susan Mark".split()
LAST = "Smith Johnson Miller Davis Wilson Anderson Taylor Thomas".split()
ROWS = 16_000


def visits(folder: Path, kind: str) -> None:
    """Eight doctors, or eight customers of one bank."""
    lines = {
        "doctor": [f"{10_000 + i},{700 + i % 8},{FIRST[i % 8]} {LAST[i % 8]}" for i in range(ROWS)],
        "bank": [f"{10_000 + i},COBADEFF,{FIRST[i % 8]} {LAST[i % 8]}" for i in range(ROWS)],
    }[kind]
    (folder / "visits.csv").write_text("\n".join([f"visit,{kind}_code,{kind}_person_name", *lines]) + "\n")


@pytest.mark.parametrize("kind", ["doctor", "bank"])
def test_names_met_by_chance_break_no_promise(tmp_path: Path, kind: str) -> None:
    visits(tmp_path, kind)
    done = run_piiscan("mask", "visits.csv", "-o", "out.csv", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    before, after = ((tmp_path / name).read_text().splitlines()[1:] for name in ("visits.csv", "out.csv"))
    names = [(a.split(",")[2].split(), b.split(",")[2].split()) for a, b in zip(before, after, strict=True)]
    assert 0 < sum(not set(a).isdisjoint(b) for a, b in names) < ROWS / 20  # by chance, or this tests nothing


def test_originals_put_back_are_seen(tmp_path: Path) -> None:
    visits(tmp_path, "doctor")
    key = key_file(tmp_path)
    assert run_piiscan("plan", "visits.csv", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    mask = "mask", "visits.csv", "-o", "out.csv", "--plan", "plan.toml", "--key", key
    assert run_piiscan(*mask, cwd=tmp_path).returncode == 0
    check = "verify", "visits.csv", "out.csv", "--plan", "plan.toml", "--key", key
    assert run_piiscan(*check, cwd=tmp_path).returncode == 0
    before, after = ((tmp_path / name).read_text().splitlines() for name in ("visits.csv", "out.csv"))
    after[1:200] = [
        f"{b.rpartition(',')[0]},{a.rpartition(',')[2]}" for a, b in zip(before[1:200], after[1:200], strict=True)
    ]
    (tmp_path / "out.csv").write_text("\n".join(after) + "\n")
    assert run_piiscan(*check, cwd=tmp_path).returncode == 5
