"""What holds for every operator: the contract in piiscan/masking/operators/operator.py, and guarantees that name
their test."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
from functools import cache
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from operator_cases import CASES, COLUMNS, KEY, all_cases, apply, column, filled, parameters, ready, surroundings, takes

from piiscan.core.errors import UsageError
from piiscan.masking.operators import operator_registry, row_filters
from piiscan.masking.operators.capabilities import fault
from piiscan.masking.operators.operator import Operator, RowContext
from piiscan.masking.operators.preconditions import kind

CLASSES = [
    operator_registry.operator_class(name)
    for name in operator_registry.BUILT_IN
    if operator_registry.BUILT_IN[name].startswith("piiscan.masking.operators.")
]
PAIRS = [
    pytest.param(case.values[0], name, id=f"{case.id} on {name}")
    for case in all_cases()
    for name in COLUMNS
    if takes(case.values[0], column(name, []))
]
DECLARING = [
    pair
    for pair in PAIRS
    if not pair.values[0].needs and type(pair.values[0]).declares is not Operator.declares  # type: ignore[union-attr]
]


@cache
def drawn(name: str) -> list[tuple[pl.Series, list[int]]]:
    """Columns of a type and where they are cut, for all operators: drawing them anew would give each the same."""
    found = []

    @settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
    @given(cells=filled(name) | filled(name, min_size=6), cuts=st.lists(st.integers(0, 12), max_size=3))
    def draw(cells: pl.Series, cuts: list[int]) -> None:
        found.append((cells, cuts))

    draw()
    assert any(cells.null_count() < len(cells) for cells, _ in found) and any(cuts for _, cuts in found)
    return found


@pytest.mark.parametrize("cls", [*CLASSES, row_filters.Where, row_filters.Missing], ids=lambda c: c.name)
def test_a_guarantee_says_three_things_and_names_its_test(cls: Any) -> None:
    guarantee = inspect.cleandoc(cls.__doc__).partition("Guarantee:\n")[2]
    assert re.search(r"^\s+Assumes .*^\s+Ensures .*^\s+Does not protect ", guarantee, re.DOTALL | re.MULTILINE)
    named = re.search(r"Test: (test_\w+)\.py::(\w+)$", guarantee)
    assert named
    assert callable(getattr(importlib.import_module(named[1]), named[2]))


KEYED = frozenset(("hash", "token", "fpe", "ip", "mac", "code", "persona", "surrogate"))
"""What only takes texts, and has contract tests of its own: test_operators_keyed.py, test_persona.py,
test_surrogate.py."""


def test_every_operator_has_a_case() -> None:
    assert {name for name, _ in CASES} == {cls.name for cls in CLASSES} - KEYED - {"spans"}


def test_spans_are_masked_in_a_plan_only() -> None:
    with pytest.raises(UsageError, match="only within a plan"):
        operator_registry.make("spans", {}).mask(pl.Series(["Ann called"]), KEY)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.name)
def test_an_operator_does_what_it_declares(cls: type[Operator]) -> None:
    assert fault(cls) is None
    assert cls.needs <= set(RowContext._fields)
    assert cls.keeps_distinct or not cls.reversible


@pytest.mark.parametrize("operator", all_cases())
def test_an_operator_is_made_of_its_parameters(operator: Any) -> None:
    again = operator_registry.make(operator.name, parameters(operator))
    assert again == operator
    assert pickle.loads(pickle.dumps(operator)) == operator


@pytest.mark.parametrize(("operator", "name"), PAIRS)
def test_cells_keep_their_places_in_any_partitioning_and_nulls_stay(operator: Any, name: str) -> None:
    for cells, cuts in drawn(name):
        before = cells.clone()
        try:
            masked = apply(operator, cells)
        except UsageError as error:
            assert operator.fitted_on == "counts", error  # only what reads a column first may find it unfit
            continue
        assert cells.equals(before, check_dtypes=True, null_equal=True)
        assert len(masked) == len(cells)
        assert masked.filter(cells.is_null()).null_count() == cells.null_count()
        assert kind(masked.dtype) == operator.dtype(kind(cells.dtype))
        if operator.dtype(kind(cells.dtype)) == kind(cells.dtype):
            assert masked.dtype == cells.dtype
        assert apply(operator, cells, cuts=cuts).equals(masked, null_equal=True)


@pytest.mark.parametrize(("operator", "name"), DECLARING)
def test_an_operator_declares_its_masks(operator: Any, name: str) -> None:
    for column_drawn, _ in drawn(name):
        cells = column_drawn.drop_nulls().unique()
        try:
            fitted = ready(operator, cells)
        except UsageError:
            continue
        masks = fitted.mask(cells, KEY).drop_nulls().unique()
        declared = fitted.declares(masks, KEY)
        assert declared.dtype == pl.Boolean
        assert len(declared) == len(masks)
        if masks.dtype.is_float():
            declared = declared.filter(masks.is_not_nan())
        assert declared.all()


@pytest.mark.parametrize("operator", all_cases())
@pytest.mark.parametrize("name", COLUMNS)
def test_a_type_is_masked_or_refused(operator: Any, name: str) -> None:
    cells = column(name, [])
    if takes(operator, cells):
        assert len(apply(operator, cells)) == 0
        return
    with pytest.raises(UsageError, match=rf"operator '{operator.name}'.*{kind(cells.dtype)}"):
        operator.dtype(kind(cells.dtype))
    with pytest.raises(UsageError, match=rf"operator '{operator.name}'"):
        _at_once(operator, cells)


@pytest.mark.parametrize("operator", all_cases())
def test_a_column_of_nothing_stays_one(operator: Any) -> None:
    masked = apply(operator, pl.Series("c", [None, None]))
    assert masked.to_list() == [None, None]


@pytest.mark.parametrize("operator", [case for case in all_cases() if case.values[0].keyed])
def test_an_operator_with_a_key_refuses_without(operator: Any) -> None:
    cells = column("date", ["2020-01-01"] * 5) if operator.name == "date-shift" else column("int64", [1] * 5)
    fitted = ready(operator, cells)
    with pytest.raises(UsageError, match="needs a key"):
        fitted.mask_rows(cells, surroundings(5), None)


@pytest.mark.parametrize("operator", [case for case in all_cases() if case.values[0].needs])
def test_an_operator_on_rows_refuses_without_its_surroundings(operator: Any) -> None:
    cells = column("date", ["2020-01-01"] * 5) if operator.name == "date-shift" else column("int64", [1] * 5)
    fitted = ready(operator, cells)
    with pytest.raises(UsageError, match=r"needs (?:to know|the positions)"):
        fitted.mask_rows(cells, RowContext(), KEY)


@pytest.mark.parametrize("operator", all_cases())
def test_no_error_and_no_repr_holds_a_value(operator: Any) -> None:
    secret = "Zażółć-31415926"
    for cells in (
        pl.Series("c", [secret] * 8),
        pl.Series("c", [31415926] * 8),
        pl.Series("c", [[31415926]] * 8),
        pl.Series("c", [b"31415926"] * 8),
    ):
        try:
            fitted = ready(operator, cells)
            assert "31415926" not in repr(fitted)
            _at_once(fitted, cells)
        except UsageError as error:
            assert "31415926" not in str(error)
            assert error.__cause__ is None


def _at_once(operator: Any, cells: pl.Series) -> pl.Series:
    if not operator.needs:
        masked: pl.Series = operator.mask(cells, KEY)
        return masked
    rows: pl.Series = operator.mask_rows(cells, surroundings(len(cells)), KEY)
    return rows
