"""Tables in the style of many domains: each stands for a cause of wrong verdicts that their headers or values have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
import pytest

import piiscan
from piiscan.core.types import ColumnReport

ROWS = 40
GIVEN = ("Tamsin", "Ezekiel", "Oksana", "Callum", "Imani", "Nele", "Bronwen", "Lucian")
FAMILY = ("Pemberton", "Sandhu", "Karpinski", "Drummond", "Achebe", "Wolters", "Ashdown")
NAMES = tuple(f"{GIVEN[i % 8]} {FAMILY[i % 7]}" for i in range(ROWS))
FIRMS = tuple(f"{FAMILY[i % 7]} {('Ltd', 'Engineering', 'Foods PLC')[i % 3]}" for i in range(ROWS))
MAILBOXES = tuple(f"{GIVEN[i % 8]}.{FAMILY[i % 7]}@{FAMILY[i % 5]}-trading.co.uk".lower() for i in range(ROWS))


def repeated(*cells: object) -> list[object]:
    return [cells[i % len(cells)] for i in range(ROWS)]


def said(table: Mapping[str, Sequence[object]]) -> dict[str, ColumnReport]:
    return {str(c.name): c for c in piiscan.scan(pl.DataFrame({k: list(v) for k, v in table.items()})).columns}


@pytest.mark.parametrize("person", ["Contact", "Contact Person", "Contact name"])
def test_contact_data_belong_to_whom_their_header_begins_with(person: str) -> None:
    columns = said(
        {
            "Company": FIRMS,
            "Reg no": [f"0{6200000 + 7 * i}" for i in range(ROWS)],
            person: NAMES,
            "Contact email": MAILBOXES,
            "Industry": repeated("Food", "Machines", "Retail"),
        }
    )
    assert (columns[person].entity, columns[person].pii) == ("PERSON", "direct")
    assert (columns["Contact email"].entity, columns["Contact email"].pii) == ("EMAIL_ADDRESS", "direct")
    assert columns["Company"].pii == "none"


def test_contact_data_of_firms_are_no_persons_under_the_name_of_their_kind() -> None:
    columns = said(
        {
            "Supplier": FIRMS,
            "Supplier phone": [f"0121 {400 + i} {2000 + 37 * i}" for i in range(ROWS)],
            "Supplier address": [f"{i + 3} Mill Lane" for i in range(ROWS)],
        }
    )
    assert {c.pii for c in columns.values()} == {"none"}
