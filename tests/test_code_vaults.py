"""Vaults of codes lie beside the plan that names them, wherever the command is called."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import run_piiscan
from mask_people import cells, key_file

import piiscan as api
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.code_vaults import code_vaults, in_working_folder

PATIENTS = pl.DataFrame({"patient_id": [f"P-{1000 + n}" for n in range(300)], "ward": ["b"] * 300})


def run(here: Path, *arguments: str | Path) -> str:
    """What the command says, called in the folder."""
    done = run_piiscan(*arguments, cwd=here)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """A folder with data, a plan in one of its own, and a key."""
    for name in ("plans", "elsewhere", "data"):
        (tmp_path / name).mkdir()
    PATIENTS.write_csv(tmp_path / "data" / "patients.csv")
    run(tmp_path, "plan", tmp_path / "data", "-o", tmp_path / "plans" / "plan.toml")
    key_file(tmp_path)
    return tmp_path


def mask(ward: Path, here: str, out: str) -> str:
    call = ("--plan", ward / "plans" / "plan.toml", "--key", f"file:{ward}/key", "-o", ward / out)
    return run(ward / here, "mask", ward / "data", *call)


def test_codes_lead_back_from_anywhere(ward: Path) -> None:
    said = mask(ward, "elsewhere", "out")
    beside = ward / "plans" / "piiscan-vault"
    assert beside.exists() and not list((ward / "elsewhere").iterdir())
    assert f"The vault {beside} contains the codes" in said and "working folder" not in said
    call = ("--plan", ward / "plans" / "plan.toml", "--key", f"file:{ward}/key", "-o", ward / "back")
    run(ward, "unmask", ward / "out", *call)
    assert cells(ward / "back" / "patients.csv").equals(PATIENTS)
    run(ward, "verify", ward / "data", ward / "out", *call[:-2])
    assert not (ward / "piiscan-vault").exists()


def test_a_vault_in_the_working_folder_stays_the_one(ward: Path) -> None:
    """As earlier versions had them."""
    mask(ward, "plans", "first")
    (ward / "plans" / "piiscan-vault").rename(ward / "elsewhere" / "piiscan-vault")
    said = mask(ward, "elsewhere", "second")
    assert "The vault piiscan-vault is in the working folder" in said
    assert not (ward / "plans" / "piiscan-vault").exists()
    assert (ward / "first" / "patients.csv").read_bytes() == (ward / "second" / "patients.csv").read_bytes()
    mask(ward, "plans", "third")  # where none is at hand, a new one
    assert (ward / "plans" / "piiscan-vault").exists()
    assert "working folder" not in mask(ward, "elsewhere", "fourth")
    assert (ward / "third" / "patients.csv").read_bytes() == (ward / "fourth" / "patients.csv").read_bytes()


def test_without_a_plan_it_lies_in_the_working_folder(ward: Path) -> None:
    call = ("--key", f"file:{ward}/key", "-o", ward / "out.csv")
    said = run(ward / "elsewhere", "mask", ward / "data" / "patients.csv", *call)
    assert "The vault piiscan-vault contains the codes" in said and (ward / "elsewhere" / "piiscan-vault").exists()


def test_frames_go_by_the_vault_beside_the_plan(ward: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ward / "elsewhere")
    plan = plan_toml.load(ward / "plans" / "plan.toml")
    (vault,) = code_vaults(plan)
    assert vault == ward / "plans" / "piiscan-vault" and not in_working_folder(plan)
    key = f"file:{ward}/key"
    masked = api.mask(PATIENTS, plan, key, table="patients.csv")
    together = api.mask({"patients.csv": PATIENTS}, plan, key)
    assert vault.exists() and together["patients.csv"].equals(masked)
    assert api.Masker(plan, key, table="patients.csv")(PATIENTS.head(9)).equals(masked.head(9))
    assert not list((ward / "elsewhere").iterdir())
