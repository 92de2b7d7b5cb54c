"""Hierarchies built for a column: what each kind makes of its values, what fits which column, and that no label
tells of the data's ends."""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import fields
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from conftest import ROOT
from faker.providers.date_time import Provider
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_cases import dates, words
from test_hierarchy import written

import piiscan
from piiscan.anonymity.hierarchies.hierarchy import TOP, Label
from piiscan.anonymity.hierarchies.hierarchy_build import KINDS, Spec, built, from_spec, proposed
from piiscan.core.errors import UsageError
from piiscan.core.types import DType

SPECS: tuple[Spec, ...] = (
    {"kind": "intervals", "widths": [5, 10, 20, 40]},
    {"kind": "intervals", "widths": [0.25, 0.5, 100], "top": 90, "bottom": -3.5},
    {"kind": "intervals", "widths": [1], "point": ","},
    {"kind": "coordinates"},
    {"kind": "dates", "format": "%Y-%m-%d", "levels": ["day", "month", "quarter", "year", "decade"]},
    {"kind": "dates", "format": "%d.%m.%y"},
    {"kind": "dates", "format": "%B %d, %Y"},
    {"kind": "prefixes", "keep": [3, 1]},
    {"kind": "prefixes", "keep": [4, 3, 2, 1], "width": 5},
    {"kind": "redaction", "hide": [1, 2, 5]},
    {"kind": "postal-codes"},
    {"kind": "postal-codes", "width": 5},
    *(
        {"kind": "postal-codes", "country": c}
        for c in ("AU", "BR", "CA", "CN", "DE", "FR", "GB", "IE", "NL", "PT", "US")
    ),
    {"kind": "order", "order": ["low", "mid", "high", "top", "7"], "sizes": [2, 4]},
    {"kind": "countries"},
    {"kind": "education"},
    {"kind": "suppression"},
)

postcodes = st.from_regex(
    r"[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}|[0-9]{3,9}|[0-9]{5}-[0-9]{4}|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]",
    fullmatch=True,
)
labels_too = st.sampled_from(
    ["[5, 10)", "≥ 90", "< -3.5", "*", "12*", "[low, mid]", "Europe", "Tertiary", "2024", "2020s", "SW1A*"]
)
cells = st.one_of(
    words,
    st.integers(-200, 200).map(str),
    st.decimals(-100, 100, places=2).map(str),
    dates.map(str),
    postcodes,
    labels_too,
    dates.map(lambda d: f"{d.day:02}.{d.month:02}.{d.year % 100:02}"),
    st.sampled_from(["low", "mid", "PL", "Germany", "PhD", "HS-grad"]),
)
columns = st.lists(st.none() | cells, min_size=15, max_size=40, unique=True)
few = settings(max_examples=8, deadline=None)


def rows(values: list[Label], spec: Spec) -> dict[Label, tuple[Label, ...]]:
    return {row[0]: row[1:] for row in written(from_spec("c", values, spec))}


def test_every_kind_is_tried() -> None:
    assert {spec["kind"] for spec in SPECS} == set(KINDS)


@pytest.mark.parametrize("cls", KINDS.values(), ids=lambda c: c.kind)
def test_a_guarantee_says_three_things_and_names_its_test(cls: Any) -> None:
    guarantee = inspect.cleandoc(cls.__doc__).partition("Guarantee:\n")[2]
    assert re.search(r"^\s+Assumes .*^\s+Ensures .*^\s+Does not protect ", guarantee, re.DOTALL | re.MULTILINE)
    named = re.search(r"Test: (test_\w+)\.py::(\w+)$", guarantee)
    assert named
    assert callable(getattr(importlib.import_module(named[1]), named[2]))


@pytest.mark.parametrize("spec", SPECS, ids=str)
@few
@given(values=columns, more=columns, data=st.data())
def test_labels_nest_and_depend_on_their_values_alone(
    spec: Spec, values: list[Label], more: list[Label], data: st.DataObject
) -> None:
    hierarchy = from_spec("c", values, spec)  # which raises where levels don't nest
    assert set(hierarchy.leaves) == {value or None for value in values}
    assert hierarchy.labels[-1] == (TOP,)
    assert None not in values or set(rows([None], spec)[None][:-1]) <= {None}
    found = {row[0]: row[1:] for row in written(hierarchy)}
    others = rows(data.draw(st.permutations([*dict.fromkeys(values + more)])), spec)
    # Except that what can't be read and looks like a label steps aside for those who have it.
    assert not [value for value in found if others[value] != found[value] and set(others[value]) != {TOP}]


@pytest.mark.parametrize("spec", SPECS[:2], ids=str)
@few
@given(
    numbers=st.lists(
        st.decimals(-(10**6), 10**6, places=3) | st.decimals(-100, 100, places=2), min_size=30, max_size=80
    )
)
def test_intervals_hold_their_numbers(spec: Spec, numbers: list[Decimal]) -> None:
    for number, (*labels, top) in rows([str(n) for n in numbers], spec).items():
        assert top == TOP
        if len(labels) > len(spec["widths"]):
            assert labels.pop(0) in (number, "≥ 90", "< -3.5")
        for label, width in zip(labels, spec["widths"], strict=True):
            inner = re.fullmatch(r"\[(\S+), (\S+)\)", label or "")
            if inner:
                low, high = map(Decimal, inner.groups())
                assert low <= Decimal(number or "") < high == low + Decimal(str(width))
                assert low % Decimal(str(width)) == 0
            else:
                assert Decimal(number or "") >= 90 if label == "≥ 90" else Decimal(number or "") < Decimal("-3.5")
                assert label in ("≥ 90", "< -3.5")


@pytest.mark.parametrize(
    ("spec", "value", "labels"),
    [
        (SPECS[0], "39", ["[35, 40)", "[30, 40)", "[20, 40)", "[0, 40)"]),
        (SPECS[0], "-1", ["[-5, 0)", "[-10, 0)", "[-20, 0)", "[-40, 0)"]),
        (SPECS[0], "39.9", ["[35, 40)", "[30, 40)", "[20, 40)", "[0, 40)"]),
        (SPECS[0], "40.0", ["[40, 45)", "[40, 50)", "[40, 60)", "[40, 80)"]),
        (SPECS[0], "1,000", ["[1000, 1005)", "[1000, 1010)", "[1000, 1020)", "[1000, 1040)"]),
        (SPECS[0], "unknown", ["unknown"] * 4),
        (SPECS[0], "NaN", ["NaN"] * 4),
        (SPECS[1], "90.5", ["≥ 90"] * 4),
        (SPECS[1], "-4", ["< -3.5"] * 4),
        (SPECS[1], "-0.3", ["-0.3", "[-0.50, -0.25)", "[-0.5, 0.0)", "[-100, 0)"]),
        (SPECS[2], "3,5", ["[3, 4)"]),
        (SPECS[3], "52.2297", ["[52.22, 52.23)", "[52.2, 52.3)", "[52, 53)", "[50, 60)"]),
        (
            SPECS[3],
            "(52.2297, -0.1)",
            ["[52.22, 52.23) [-0.10, -0.09)", "[52.2, 52.3) [-0.1, 0.0)", "[52, 53) [-1, 0)", "[50, 60) [-10, 0)"],
        ),
        (SPECS[4], "2024-05-17", ["2024-05-17", "2024-05", "2024-Q2", "2024", "2020s"]),
        (SPECS[4], "2024-12-31T23:59:59", ["2024-12-31", "2024-12", "2024-Q4", "2024", "2020s"]),
        (SPECS[4], "2024-05-06 10:00:00.000000+02:00", ["2024-05-06", "2024-05", "2024-Q2", "2024", "2020s"]),
        (SPECS[4], "2024-02-30", ["2024-02-30"] * 5),
        (SPECS[5], "17.05.24", ["05.24", "24-Q2", "24", "20s"]),
        (SPECS[6], "May 7, 2020", ["May 7, 2020"] * 4),
        (SPECS[6], "May 07, 2020", ["May 2020", "2020-Q2", "2020", "2020s"]),
        (SPECS[7], "12345", ["123*", "1*"]),
        (SPECS[7], "123", ["123", "1*"]),
        (SPECS[7], " żółw ", ["żół*", "ż*"]),
        (SPECS[8], "2139", ["0213*", "021*", "02*", "0*"]),
        (SPECS[9], "1234", ["123*", "12**", "****"]),
        (SPECS[9], "1", ["*", "*", "*"]),
        ({"kind": "postal-codes"}, "00-950", ["009*", "00*", "0*"]),
        ({"kind": "postal-codes"}, "unknown", ["unknown"] * 3),
        ({"kind": "postal-codes", "country": "US"}, "2139", ["021*", "02*", "0*"]),
        ({"kind": "postal-codes", "country": "US"}, "2139.0", ["021*", "02*", "0*"]),
        ({"kind": "postal-codes", "country": "US"}, "12345-6789", ["123*", "12*", "1*"]),
        ({"kind": "postal-codes", "country": "US"}, "K1A 0B1", ["K1A 0B1"] * 3),
        ({"kind": "postal-codes", "country": "GB"}, "sw1a 1aa", ["SW1A*", "SW*"]),
        ({"kind": "postal-codes", "country": "GB"}, "M11AA", ["M1*", "M*"]),
        ({"kind": "postal-codes", "country": "GB"}, "E1W", ["E1W*", "E*"]),
        ({"kind": "postal-codes", "country": "CA"}, "k1a-0b1", ["K1A*", "K*"]),
        ({"kind": "postal-codes", "country": "IE"}, "D02 X285", ["D02*", "D*"]),
        ({"kind": "postal-codes", "country": "NL"}, "1012 AB", ["1012*", "10*", "1*"]),
        ({"kind": "postal-codes", "country": "PL"}, "00-950", ["00*", "0*"]),
        ({"kind": "postal-codes", "country": "DE"}, "10115", ["10*", "1*"]),
        ({"kind": "postal-codes", "country": "FR"}, "75001", ["75*"]),
        ({"kind": "postal-codes", "country": "BR"}, "01310-100", ["01310*", "013*", "01*", "0*"]),
        ({"kind": "order", "order": ["low", "mid", "high"], "sizes": [2]}, "mid", ["[low, mid]"]),
        ({"kind": "order", "order": ["low", "mid", "high"], "sizes": [2]}, "high", ["high"]),
        ({"kind": "order", "order": ["low", "mid", "high"], "sizes": [2]}, "Low", ["Low"]),
        ({"kind": "countries"}, "Poland", ["Eastern Europe", "Europe"]),
        ({"kind": "countries"}, "usa", ["Northern America", "Americas"]),
        ({"kind": "countries"}, "Cote d'Ivoire", ["Western Africa", "Africa"]),
        ({"kind": "countries"}, "Korea, Republic of", ["Eastern Asia", "Asia"]),
        ({"kind": "countries"}, "Atlantis", ["Atlantis", "Atlantis"]),
        ({"kind": "education"}, "Ph.D.", ["Doctoral", "Tertiary"]),
        ({"kind": "education"}, "Bachelor’s degree", ["Bachelor's", "Tertiary"]),
        ({"kind": "suppression"}, "anything", []),
    ],
)
def test_what_values_become(spec: Spec, value: str, labels: list[str]) -> None:
    assert rows([value], spec) == {value: (*labels, TOP)}


def test_what_looks_like_a_label_joins_nobody() -> None:
    found = rows(["36", "[35, 40)", "unknown"], SPECS[0])
    assert found["[35, 40)"] == ("*",) * 5
    assert found["unknown"] == ("unknown",) * 4 + ("*",)


ADULT_EDUCATION = (
    "Bachelors HS-grad 11th Masters 9th Some-college Assoc-acdm Assoc-voc 7th-8th Doctorate Prof-school 5th-6th "
    "10th 1st-4th Preschool 12th"
)
ADULT_COUNTRIES = (
    "United-States Cambodia England Puerto-Rico Canada Germany India Japan Greece China Cuba Iran Honduras "
    "Philippines Italy Poland Jamaica "
    "Vietnam Mexico Portugal Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary "
    "Guatemala Nicaragua Scotland "
    "Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands"
)


@pytest.mark.parametrize(("kind", "values"), [("education", ADULT_EDUCATION), ("countries", ADULT_COUNTRIES)])
def test_the_words_of_the_adult_data_are_known(kind: str, values: str) -> None:
    assert not [value for value, labels in rows([*values.split()], {"kind": kind}).items() if labels[0] == value]


def test_countries_have_one_place_by_any_name_and_lie_where_others_say() -> None:
    known = [c for c in Provider.countries if "Ã" not in c.name]
    names = rows([x for c in known for x in (c.alpha_2_code, c.alpha_3_code, c.name)], {"kind": "countries"})
    for c in known:
        assert names[c.alpha_2_code] == names[c.alpha_3_code] == names[c.name]
        assert names[c.name][1] == c.continent.split()[-1].replace("America", "Americas")


many_ages = [str(a) for a in range(18, 90)]
many_incomes = [str(n) for n in range(21_000, 95_000, 137)]


@pytest.mark.parametrize(
    ("entity", "dtype", "values", "spec"),
    [
        ("AGE", "integer", many_ages, SPECS[0]),
        ("AGE", "string", ["20-29", "30-39"], {"kind": "suppression"}),
        (
            "DATE_OF_BIRTH",
            "date",
            ["1987-05-17"],
            {"kind": "dates", "levels": ["month", "quarter", "year", "decade"], "format": "%Y-%m-%d"},
        ),
        (
            "DATE_OF_BIRTH",
            "string",
            ["05/17/1987", "1/2/1990"],
            {"kind": "dates", "levels": ["month", "quarter", "year", "decade"], "format": "%-m/%-d/%Y"},
        ),
        (
            "DATE_OF_BIRTH",
            "string",
            ["05/06/1987", "01/02/1990"],
            {"kind": "dates", "levels": ["year", "decade"], "format": "%d/%m/%Y"},
        ),
        ("DATE_OF_BIRTH", "string", ["spring", "autumn"], {"kind": "suppression"}),
        ("DATE_OF_BIRTH", "integer", ["1987", "2003"], {"kind": "intervals", "widths": [5, 10, 20, 100]}),
        (
            None,
            "datetime",
            ["2024-05-06 10:00:00.000000"],
            {"kind": "dates", "levels": ["month", "quarter", "year", "decade"], "format": "%Y-%m-%d"},
        ),
        ("POSTAL_CODE", "string", ["12345", "02139"], {"kind": "postal-codes"}),
        ("POSTAL_CODE", "string", ["12345-6789", "02139-0001"], {"kind": "postal-codes", "country": "US"}),
        ("POSTAL_CODE", "integer", ["12345", "2139", "90210"], {"kind": "postal-codes", "width": 5}),
        ("POSTAL_CODE", "string", ["12345", "2139", "90210"], {"kind": "postal-codes", "width": 5}),
        ("POSTAL_CODE", "string", ["SW1A 1AA", "M1 1AE"], {"kind": "postal-codes", "country": "GB"}),
        ("POSTAL_CODE", "string", ["K1A 0B1"], {"kind": "postal-codes", "country": "CA"}),
        ("COUNTRY", "string", ["Poland", "France", "Utopia"], {"kind": "countries"}),
        ("NATIONALITY", "string", ["United-States", "Mexico"], {"kind": "countries"}),
        ("BIRTHPLACE", "string", ["Kraków", "Lyon"], {"kind": "suppression"}),
        ("EDUCATION", "string", ADULT_EDUCATION.split(), {"kind": "education"}),
        ("EDUCATION", "integer", [str(i) for i in range(1, 17)], {"kind": "intervals", "widths": [5, 10]}),
        ("GEO_COORDINATES", "float", ["52.1", "-3"], {"kind": "coordinates", "widths": [0.01, 0.1, 1, 10]}),
        ("INCOME", "integer", many_incomes, {"kind": "intervals", "widths": [1000, 5000, 10000, 50000, 100000]}),
        ("INCOME", "string", ["<=50K", ">50K"], {"kind": "suppression"}),
        (
            None,
            "float",
            ["0.001", "0.0025", "0.0199"],
            {"kind": "intervals", "widths": [0.0001, 0.0005, 0.001, 0.005, 0.01]},
        ),
        (None, "string", ["28", "31", "n/a"], {"kind": "intervals", "widths": [5, 10, 50, 100]}),
        (
            None,
            "string",
            ["2024-05-06"],
            {"kind": "dates", "levels": ["month", "quarter", "year", "decade"], "format": "%Y-%m-%d"},
        ),
        (None, "string", ["0028", "0031"], {"kind": "suppression"}),
        ("GENERIC_ID", "string", ["28", "31"], {"kind": "suppression"}),
        ("DATE_OF_BIRTH", "string", ["1987", "2003"], {"kind": "intervals", "widths": [5, 10, 20, 100]}),
        (None, "float", ["28.0", "31.0"], {"kind": "intervals", "widths": [5, 10, 50, 100]}),
        (None, "integer", ["0"], {"kind": "intervals", "widths": [5, 10]}),
        ("GENDER", "string", ["M", "F"], {"kind": "suppression"}),
        ("GENDER", "integer", ["0", "1"], {"kind": "suppression"}),
        ("CITY", "string", ["Lyon"], {"kind": "suppression"}),
        (None, "string", [], {"kind": "suppression"}),
        ("AGE", "integer", [None], {"kind": "suppression"}),
    ],
)
def test_what_fits_a_column(entity: str | None, dtype: DType, values: list[Label], spec: Spec) -> None:
    assert proposed(values, entity, dtype) == spec
    assert proposed([*reversed(values), None], entity, dtype) == spec
    if values:
        assert written(built("c", values, entity, dtype)) == written(from_spec("c", values, spec))
        assert len(built("c", values, entity, dtype, {"kind": "suppression"}).labels) == 2


def test_declared_columns_become_coarser_as_what_they_are() -> None:
    education = ADULT_EDUCATION.split() * 20
    frame = pl.DataFrame(
        {
            "age": [str(18 + i % 60) for i in range(len(education))],
            "education": education,
            "country": [("Poland", "France", "Germany", "Spain", "Italy")[i % 5] for i in range(len(education))],
        }
    )
    found = piiscan.anonymize(frame, k=4, quasi=frame.columns, method="local").frame
    levels = {label for row in rows([*education], {"kind": "education"}).items() for label in (row[0], *row[1])}
    assert set(found["education"]) <= levels
    assert {re.sub("[0-9]+", "0", label or "") for label in found["age"]} <= {"0", "[0, 0)", "*"}
    assert set(found["country"]) & {"Western Europe", "Europe"}


@pytest.mark.parametrize(
    ("entity", "dtype", "values"),
    [("AGE", "integer", many_ages), ("INCOME", "integer", many_incomes), (None, "float", many_ages)],
)
@pytest.mark.parametrize("extreme", ["-1000000000", "999999999999", "0.00001"])
def test_one_extreme_value_changes_no_other_s_label(
    entity: str | None, dtype: DType, values: list[Label], extreme: str
) -> None:
    before = {row[0]: row for row in written(built("c", values, entity, dtype))}
    after = {row[0]: row for row in written(built("c", [*values, extreme], entity, dtype))}
    assert {value: after[value] for value in before} == before


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "'kind' must be one of intervals, coordinates"),
        ({"kind": "interval"}, "did you mean 'intervals'"),
        ({"kind": ["intervals"]}, "'kind' must be one of"),
        ({"kind": "intervals"}, "needs the parameter 'widths'"),
        ({"kind": "intervals", "widths": []}, "'widths' needs a number above 0"),
        ({"kind": "intervals", "widths": [5, 12]}, "each a whole multiple of the one before"),
        ({"kind": "intervals", "widths": [10, 5]}, "must ascend"),
        ({"kind": "intervals", "widths": [-5]}, "a number above 0"),
        ({"kind": "intervals", "widths": [float("nan")]}, "a number above 0"),
        ({"kind": "intervals", "widths": [float("inf")]}, "a number above 0"),
        ({"kind": "intervals", "widths": ["5"]}, "'widths' must be a list, each of them a number"),
        ({"kind": "intervals", "widths": [1e-17]}, "at most 15 decimals"),
        ({"kind": "intervals", "widths": [5], "top": float("nan")}, "'top' must be within"),
        ({"kind": "intervals", "widths": [5], "top": 1, "bottom": 2}, "'bottom' must be below 'top'"),
        ({"kind": "intervals", "widths": [5], "step": 5}, "has no parameter 'step'"),
        ({"kind": "coordinates", "widths": [0.02, 0.05]}, "each a whole multiple"),
        ({"kind": "dates", "levels": ["year", "month"]}, "in that order"),
        ({"kind": "dates", "levels": ["week"]}, "'levels' must be a list, each of them one of day, month"),
        ({"kind": "dates", "levels": []}, "in that order"),
        ({"kind": "dates", "format": "%H"}, "'format' needs a year, a month and a day"),
        ({"kind": "dates"}, "declare it with 'format'"),
        ({"kind": "prefixes", "keep": [1, 2]}, "'keep' must fall"),
        ({"kind": "prefixes", "keep": [2, 0]}, "'keep' must fall"),
        ({"kind": "prefixes", "keep": [2], "width": -1}, "'width' must be from 0"),
        ({"kind": "redaction", "hide": [2, 1]}, "'hide' must rise"),
        ({"kind": "redaction", "hide": [0]}, "'hide' must rise"),
        ({"kind": "postal-codes", "country": "XX"}, "'country' must be one of AT, AU"),
        ({"kind": "postal-codes", "country": "US", "width": 5}, "leave one of them out"),
        ({"kind": "postal-codes", "width": 11}, "'width' must be from 0 to 10"),
        ({"kind": "order", "order": ["a"], "sizes": [2]}, "at least two values"),
        ({"kind": "order", "order": ["a", "b", "a"], "sizes": [2]}, "all different"),
        ({"kind": "order", "order": ["a", "b"], "sizes": [2, 3]}, "each a whole multiple"),
        ({"kind": "suppression", "levels": 2}, "has no parameter 'levels'"),
    ],
)  # fmt: skip
def test_a_wrong_spec_is_refused_with_what_to_do(spec: Spec, message: str) -> None:
    with pytest.raises(UsageError, match=f"the hierarchy of age.*{message}") as caught:
        from_spec("age", ["secret1", "secret2"], spec)
    assert "secret" not in str(caught.value)
    assert "operator" not in str(caught.value)


def test_a_hundred_thousand_values_are_built_as_they_come() -> None:
    values = pl.int_range(100_000, eager=True).cast(pl.String).to_list()
    assert [len(names) for names in from_spec("c", values, SPECS[0]).labels] == [
        100_000,
        20_000,
        10_000,
        5_000,
        2_500,
        1,
    ]


def test_every_kind_is_explained_with_its_parameters() -> None:
    page = (ROOT / "docs" / "anonymizing.md").read_text(encoding="utf-8").partition("### Built")[2]
    explained = {
        kind: re.findall(r"`(\w+)`", cells)
        for kind, cells in re.findall(r"^\| `([\w-]+)` \| .* \|(.*)\|$", page, re.MULTILINE)
    }
    assert explained == {kind: [f.name for f in fields(cls)] for kind, cls in KINDS.items()}  # type: ignore[arg-type]
