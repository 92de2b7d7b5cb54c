"""What `piiscan explain` proposes where a reader disagrees with a verdict."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run
from plan_cases import write

PEOPLE = [{"name": f"Ann Example{i}", "ssn": f"219-09-{9990 + i}"} for i in range(9)]
STATIONS = [{"station": f"N{i}", "reading": f"{i * 7 % 13}.5"} for i in range(40)]
CLINICS = [
    {"hospital": "St Mary Hospital", "phone": "212-555-0143", "city": "Boston"},
    {"hospital": "General Hospital", "phone": "646-555-0123", "city": "New York"},
    {"hospital": "Mercy Clinic", "phone": "415-555-0188", "city": "Dallas"},
]


@pytest.mark.parametrize(
    ("rows", "column", "proposed"),
    [(PEOPLE, "ssn", "none"), (STATIONS, "reading", "PERSON"), (CLINICS, "phone", "PHONE_NUMBER")],
)
def test_the_entry_for_the_configuration_says_something_else(
    piiscan: Run, tmp_path: Path, rows: list[dict[str, str]], column: str, proposed: str
) -> None:
    file = write(tmp_path / "table.csv", rows)
    said = piiscan("explain", f"{file}::{column}", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert said.stdout.endswith(f'  is = "{proposed}"\n')


def test_a_column_without_values_is_not_judged(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "later.csv").write_text("email;iban\n")
    said = piiscan("explain", "later.csv::email", cwd=tmp_path).stdout
    assert "It has no values, so it isn't judged." in said and "% sure" not in said
    assert said.endswith('  is = "EMAIL_ADDRESS"\n')
    plan = piiscan("plan", "later.csv", "-o", "-", cwd=tmp_path).stdout
    assert "email = {}  # no values; by its header it would be EMAIL_ADDRESS" in plan and "% sure" not in plan


def test_the_commonest_look_is_not_called_that_of_most(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "mixed.csv").write_text("code,n\n" + "A-1,1\n22,2\nx y,3\n9/8,4\n(3),5\n(4),6\n" * 5)
    said = piiscan("explain", "mixed.csv::code", cwd=tmp_path).stdout
    assert "6 distinct values; most often they look like (9)." in said


def test_what_is_too_unsure_was_not_configured(tmp_path: Path, piiscan: Run) -> None:
    write(
        tmp_path / "bells.csv", [{"Rufname": name, "kg": 90 + i} for i, name in enumerate(["Maria", "Anna", "Ut"] * 8)]
    )
    (tmp_path / "piiscan.toml").write_text("min_confidence = 0.999\n")
    said = piiscan("explain", "bells.csv::Rufname", cwd=tmp_path).stdout
    assert "which is less than min_confidence" in said
    assert "Your configuration" not in said
    assert 'column = "Rufname"' in said, "what to declare"
