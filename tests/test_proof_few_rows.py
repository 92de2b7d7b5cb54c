"""In a few rows, a name that is left is reported, and nothing counts as kept that can't be told from chance."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import polars as pl
import pytest
from mask_people import edited

import piiscan
from piiscan.core.errors import VerifyError
from piiscan.masking.plan.plan_types import Action
from piiscan.masking.result import OWN_LEFT, CheckResult
from piiscan.masking.run.promise_words import broken_text, outcome, unchecked_lines

_KEY = piiscan.Key(hashlib.sha256(b"few rows").digest())
_PEOPLE = (("Anna", "Kernweiler"), ("Piotr", "Nowakowski"), ("Maria", "Rossini"), ("Jens", "Green"), ("Ida", "Baker"))


def _masked(cells: list[str], surnames: list[str], entity: str | None) -> list[CheckResult]:
    """The promises about a kept column of this entity, beside the names of as many people."""
    frame = pl.DataFrame(
        {
            "first_name": [first for first, _ in _PEOPLE[: len(cells)]],
            "last_name": surnames,
            "email": [f"p{i}@example.org" for i in range(len(cells))],
            "kept": cells,
        }
    )
    lines = edited(piiscan.plan({"people": frame}).to_toml(), {"kept": 'operator = "keep"'}).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith('"kept"'))
    said = f'entity = "{entity}", ' if entity else ""
    lines[at] = f'kept = {{{said}operator = "keep", decided_by = "human"}}'
    masked = piiscan.mask({"people": frame}, piiscan.Plan.from_toml("\n".join(lines)), key=_KEY)
    assert masked.report.promises is not None
    return [p for p in masked.report.promises if p.column == "kept" and p.name == OWN_LEFT]


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("entity", [None, "ORGANIZATION", "HEALTH_CONDITION", "PERSON_ID"])
def test_an_own_surname_is_no_chance(rows: int, entity: str | None) -> None:
    surnames = [last for _, last in _PEOPLE[:rows]]
    with pytest.raises(VerifyError, match=f"own person is left: {rows} violation"):
        _masked([f"Akte {last}" for last in surnames], surnames, entity)


def test_one_own_surname_of_five_is_no_chance() -> None:
    surnames = [last for _, last in _PEOPLE]
    with pytest.raises(VerifyError, match="own person is left: 1 violation"):
        _masked(["Kernweiler GmbH", "Acme", "Initech", "Umbrella", "Acme"], surnames, "ORGANIZATION")


@pytest.mark.parametrize(
    ("cells", "surnames", "entity"),
    [
        (["Akte Kernweiler"] * 3, ["Kernweiler"] * 3, None),  # a family: others' keys find as much
        (["Kassel", "Hamburg", "Berlin"], ["Kassel", "Rossini", "Nowakowski"], "CITY"),
        (["Kernweiler", "Hamburg", "Berlin"], ["Kernweiler", "Rossini", "Nowakowski"], "CITY"),
        (["Green", "Red", "Blue"], ["Green", "Rossini", "Nowakowski"], "ORGANIZATION"),
        (["Baker", "Nurse", "Judge"], ["Baker", "Rossini", "Nowakowski"], "OCCUPATION"),
        (["Green"] * 3, ["Green", "Rossini", "Nowakowski"], "ORGANIZATION"),
    ],
)
def test_what_may_be_chance_is_not_checked(cells: list[str], surnames: list[str], entity: str | None) -> None:
    (found,) = _masked(cells, surnames, entity)
    assert found.broken and found.holds and not found.is_checked
    (line,) = unchecked_lines([found])
    assert line.startswith("not checked: ") and "kept: " in line and not any(name in line for name in surnames)
    assert outcome([found]).startswith("0 promises checked, 0 kept, 1 not checked.")


@pytest.mark.parametrize(
    "cells", [["Acme"] * 3, ["red", "green", "blue"], ["Akte 1", "Akte 2", "Akte 3"], ["Nowakowski"] * 3]
)
@pytest.mark.parametrize("entity", [None, "ORGANIZATION"])
def test_harmless_columns_are_kept(cells: list[str], entity: str | None) -> None:
    (found,) = _masked(cells, ["Green", "Rossini", "Kernweiler"], entity)
    assert not found.broken and found.is_checked


@pytest.mark.parametrize(
    ("cells", "broken", "expected", "checked"),
    [
        (3, 0, 3.0, True),
        (3, 3, 3.0, False),
        (1000, 1, 1.0, True),
        (1000, 6, 1.0, False),  # it may be chance, hardly
        (1000, 11, 1.0, True),  # it is known to be broken
        (100_000, 120, 100.0, True),
    ],
)
def test_it_is_known_or_not(cells: int, broken: int, expected: float, checked: bool) -> None:
    assert CheckResult("a.csv", None, "kept", OWN_LEFT, cells, broken, expected).is_checked == checked


@pytest.mark.parametrize(
    ("operators", "says", "not_said"),
    [
        (["keep"], "such as spans for texts, or suppress", "already"),
        (["spans"], "left some: give them the operator suppress", "such as spans"),
        (["keep", "spans"], "suppress where they are masked already", "left some"),
    ],
)
def test_the_advice_is_one_that_helps(operators: list[str], says: str, not_said: str) -> None:
    broken = [CheckResult("a.csv", None, name, OWN_LEFT, 9, 9, operator=name) for name in operators]
    assert says in (text := broken_text(broken)) and not_said not in text


def test_each_element_of_a_list_counts_as_what_chance_is_counted_in() -> None:
    people = pl.DataFrame(_PEOPLE, ["first_name", "last_name"], orient="row").with_columns(
        email=pl.Series([f"p{i}@example.org" for i in range(len(_PEOPLE))])
    )
    teams = pl.DataFrame({"team": ["a"], "kept": [[f"{first} {last}" for first, last in _PEOPLE[:4]]]})
    tables = {"people": people, "teams": teams}
    plan = piiscan.plan(tables)
    columns = [[a if a.name != "kept" else _kept(a) for a in t.columns] for t in plan.tables]
    plan = replace(
        plan, tables=tuple(replace(t, columns=tuple(c)) for t, c in zip(plan.tables, columns, strict=True)), vault=None
    )
    with pytest.raises(VerifyError, match=r"anybody is left: 4 violations .*, 4 checked"):
        piiscan.mask(tables, plan, key=_KEY)


def _kept(action: Action) -> Action:
    return replace(action, operator="keep", params={}, decided_by="human")
