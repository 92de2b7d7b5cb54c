"""Entries of the configuration that match nothing are said, where all that they could match was scanned."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import Run

PEOPLE = "name,email\nAnn Smith,ann@corp.com\nBob Jones,bob@corp.com\nEve Black,eve@corp.com\n"


ALLOW = '[[allow]]\nreason = "x"\n'
COLUMNS = '[[columns]]\nis = "none"\n'


@pytest.mark.parametrize(
    ("config", "paths", "found"),
    [
        (ALLOW + 'path = "data/*.csv"', (), []),
        (ALLOW + 'path = "data"', (), []),
        (ALLOW + 'entity = "EMAIL_ADDRESS"', (), []),
        (ALLOW + 'domain = "corp.com"', (), []),
        (ALLOW + 'path = "old/*.csv"', (), ["allow[0]"]),
        (ALLOW + 'path = "old.csv"', (), ["allow[0]"]),
        (ALLOW + 'column = "mail"', (), ["allow[0]"]),
        (ALLOW + 'entity = "US_SSN"', (), ["allow[0]"]),
        (ALLOW + 'domain = "other.com"', (), ["allow[0]"]),
        (ALLOW + 'network = "10.0.0.0/8"', (), ["allow[0]"]),
        (ALLOW + 'path = "old.csv"\nexpires = 2001-01-01', (), []),  # said to have ended
        (ALLOW + 'path = "old.csv"\n' + ALLOW + 'path = "data"', (), ["allow[0]"]),
        (COLUMNS + 'path = "*.csv"\ncolumn = "email"', (), []),
        (COLUMNS + 'path = "*.csv"\ncolumn = "mail"', (), ["columns[0]"]),
        (COLUMNS + 'path = "old.csv"\ncolumn = "email"', (), ["columns[0]"]),
        (COLUMNS + 'path = "data/people.csv"\ncolumn = "email"\ntable = "t"', (), ["columns[0]"]),
        # What wasn't scanned may hold what they match.
        (ALLOW + 'path = "old/*.csv"', ("data",), []),
        (ALLOW + 'path = "old/*.csv"', ("n.csv", "data"), []),
        (ALLOW + 'entity = "US_SSN"', ("data",), []),
        (ALLOW + 'path = "data/old/*"', ("data",), ["allow[0]"]),
        (ALLOW + 'path = "data/people.csv"\nentity = "US_SSN"', ("data/people.csv",), ["allow[0]"]),
        (COLUMNS + 'path = "*.csv"\ncolumn = "mail"', ("data",), []),
        (ALLOW + 'path = "old/*.csv"', (".", "--select", "EMAIL_ADDRESS"), []),
        (ALLOW + 'path = "old/*.csv"', (".", "--sample", "1"), []),
    ],
)  # fmt: skip
def test_entries_that_match_nothing(
    config: str, paths: tuple[str, ...], found: list[str], tmp_path: Path, piiscan: Run
) -> None:
    (tmp_path / "piiscan.toml").write_text(config)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "people.csv").write_text(PEOPLE)
    (tmp_path / "n.csv").write_text("n\n1\n2\n")
    paths = paths or (".",)
    done = piiscan("scan", *paths, "-f", "json", cwd=tmp_path)
    assert [entry["entry"] for entry in json.loads(done.stdout).get("unused", [])] == found
    said = [line for line in done.stderr.splitlines() if "nothing:" in line]
    assert len(said) == bool(found)
    assert all(entry in said[0] for entry in found)
    assert "nothing:" not in piiscan("scan", *paths, "-q", cwd=tmp_path).stderr


def test_an_entry_for_one_file_of_a_data_set_is_of_use(tmp_path: Path, piiscan: Run) -> None:
    for day in (1, 2):
        (tmp_path / f"sales_2024-05-0{day}.csv").write_text(PEOPLE.replace("corp", f"corp{day}"))
    entries = [ALLOW + f'path = "sales_2024-05-0{day}.csv"\n' for day in (1, 2, 3)]
    (tmp_path / "piiscan.toml").write_text("".join(entries))
    done = piiscan("scan", ".", "-f", "json", cwd=tmp_path)
    assert done.returncode == 0
    assert [entry["entry"] for entry in json.loads(done.stdout)["unused"]] == ["allow[2]"]


def test_they_change_no_status(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "n.csv").write_text("n\n1\n2\n")
    (tmp_path / "piiscan.toml").write_text(ALLOW + 'path = "old.csv"\n')
    assert piiscan("scan", "n.csv", ".", cwd=tmp_path).returncode == 0


def test_a_scan_of_what_is_staged_says_nothing_of_them(tmp_path: Path, piiscan: Run) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "n.csv").write_text("n\n1\n2\n")
    (tmp_path / "piiscan.toml").write_text(ALLOW + 'path = "old.csv"\n')
    subprocess.run(["git", "add", "n.csv"], check=True, cwd=tmp_path)
    done = piiscan("scan", "--staged", "-f", "json", cwd=tmp_path)
    assert "unused" not in json.loads(done.stdout)


def test_an_incomplete_scan_can_not_tell(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 torn PAR1")
    (tmp_path / "piiscan.toml").write_text(ALLOW + 'path = "old.csv"\n')
    done = piiscan("scan", ".", "-f", "json", cwd=tmp_path)
    assert done.returncode == 3
    assert "unused" not in json.loads(done.stdout)
