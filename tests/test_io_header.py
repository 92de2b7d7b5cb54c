"""Is the first row a header? A wrong yes loses a row, so data has to stay data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piiscan.io.cells.cell_kinds import kind
from piiscan.io.delimited.header_row import common_kind, infer_header

PEOPLE = [
    ["Ann Bee", "ann@example.org", "1980-02-03"],
    ["Bob Cee", "bob@example.org", "1990-01-01"],
    ["Cy Dee", "cy@example.org", "1975-12-31"],
]


@pytest.mark.parametrize(
    "first",
    [
        ["name", "email", "birth_date"],
        ["NAME", "E-MAIL", "BORN"],
        ["Nom complet", "Courriel", "Date de naissance"],
        ["Имя", "Почта", "Дата рождения"],
        ["氏名", "メール", "生年月日"],
        ["customerName", "contact.mail", "dob"],
        ["xyzzy", "foo", "bar"],
        ["", "email", "dob"],
    ],
)
def test_headers(first: list[str]) -> None:
    assert infer_header([first, *PEOPLE], True)


def test_headers_may_be_addresses_as_cells_are() -> None:
    first = (
        "https://schema.org/url https://schema.org/datePublished og:type og:site_name og:title og:image og:description"
    )
    rows = [
        [f"https://a.example/{i}", f"2024-01-{i + 10}", "website", "Agency", f"The title of number {i}"]
        + [f"https://a.example/{i}.png", f"A longer description of what number {i} says about things"]
        for i in range(12)
    ]
    assert infer_header([first.split(), *rows], True)


@pytest.mark.parametrize(
    "rows",
    [
        PEOPLE,
        [["Ann", "Bee"], ["Bob", "Cee"], ["Cy", "Dee"]],
        [["Ann", "41"], ["Bob", "7"]],
        [["078-05-1120"], ["219-09-9999"]],
        [["ann@example.org"], ["bob@example.org"]],
        [["4111111111111111", "x"], ["5500000000000004", "y"]],
        [["red"], ["green"], ["blue"], ["red"]],
        [["+49 30 1234567"], ["+49 30 7654321"]],
        [["1"], ["2"], ["3"]],
        [["Ann Bee"]],
        [["Ann", "12 Main Street", "AB-1234"], ["Bob", "7 High Street", "XY-9876"]],
        [["true", "x"], ["false", "y"]],
        [["192.0.2.1", "GET"], ["192.0.2.7", "PUT"]],
    ],
)
def test_data(rows: list[list[str]]) -> None:
    assert not infer_header(rows, True)


@pytest.mark.parametrize(
    "first",
    [
        ["country", "1960", "1961", "1962"],
        ["country", "1/22/20", "1/23/20", "1/24/20"],
        ["item", "1", "2", "3"],
        ["week", "4046", "4225", "4770"],
    ],
)
def test_numbers_as_headers_beside_words(first: list[str]) -> None:
    body = [[word, "1.5", "2.5", "3.5"] for word in ("Albania", "Belgium", "Chad", "Denmark")]
    assert infer_header([first, *body], True) == (first[1] != "4046")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [["IMEI"], ["490154203237518"], ["05-438252 090552-9"]],
            True,
        ),  # a rule's own word, whatever the values look like
        ([["birthplace"], ["Berlin"]], True),
        ([["religion"], ["Hindu"], ["Muslim"]], True),
        ([["Hindu"], ["Muslim"]], False),  # in the list that the others are in
        ([["Price"], ["Smith"], ["Jones"], ["Miller"]], False),
        ([["Married"]], False),
        ([["Visa"], ["Mastercard"], ["Maestro"]], False),  # each names a rule
        ([["ann_bee"], ["eva.ford"], ["cy_dee"]], False),  # each is written as a name of a column may be
        ([["12 Main Street"], ["7 High Street"]], False),
        ([["address"], ["12 Main Street"], ["7 High Street"]], True),
        ([["No date was given."], ["Call first."]], False),
    ],
)
def test_words_reveal_headers_from_values(rows: list[list[str]], expected: bool) -> None:
    assert infer_header(rows, True) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("born 12.03.1984", False),
        ("customer number 4711223", False),
        ("birth date", True),
        ("total 2019", True),
        ("address_2", True),
    ],
)
def test_a_line_with_a_date_or_a_long_number_alone_is_data(cell: str, expected: bool) -> None:
    assert infer_header([[cell]], True) == expected
    assert infer_header([[cell], ["7"], ["9"], ["23"]], True)


def test_only_a_header() -> None:
    assert infer_header([["first_name", "last_name", "email"]], True)
    assert not infer_header([["Ann", "Bee", "Ulm"]], True)
    assert not infer_header([], True)
    assert not infer_header([["", " "]], True)


@given(st.lists(st.tuples(st.emails(), st.integers(10_000, 10**12), st.dates()), min_size=1, max_size=20))
def test_a_row_of_addresses_numbers_and_dates_is_never_lost(rows: list[tuple[object, ...]]) -> None:
    assert not infer_header([[str(cell) for cell in row] for row in rows], True)


@given(st.text("0189aAeETx./:-_@+,%$€ \u0663\0", max_size=20))
def test_which_digit_it_is_matters_to_no_kind(cell: str) -> None:
    assert common_kind([cell]) == (kind(cell) if cell else "")
