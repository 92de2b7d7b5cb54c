"""Operators by name: what a plan may say, and what it is told where it says something else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import polars as pl
import pytest

from piiscan.core.errors import UsageError
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.coarse_numbers import Bins
from piiscan.masking.operators.erase import Redact
from piiscan.operators import Contract, DType, Operator, RowContext


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("redcat", {}, "there is no operator 'redcat'; did you mean 'redact'?"),
        ("bins", {"widht": 5}, "operator 'bins': has no parameter 'widht'; did you mean 'width'?"),
        ("bins", {"width": "5"}, "operator 'bins': the parameter 'width' must be a number"),
        ("bins", {"width": True}, "operator 'bins': the parameter 'width' must be a number"),
        ("bins", {"cuts": [1, "x"]}, "operator 'bins': the parameter 'cuts' must be a list, each of them a number"),
        (
            "bins",
            {"width": 5, "label": "middle"},
            "operator 'bins': the parameter 'label' must be one of interval, lower",
        ),
        ("bins", {}, "operator 'bins': needs 'width' or 'cuts', and not both"),
        ("bins", {"width": 0}, "operator 'bins': 'width' must be above 0"),
        ("bins", {"width": float("nan")}, "operator 'bins': 'width' must be within"),
        ("bins", {"cuts": [3, 2]}, "operator 'bins': 'cuts' must ascend"),
        ("round", {}, "operator 'round': needs the parameter 'base'"),
        ("round", {"base": -1}, "operator 'round': 'base' must be above 0"),
        ("top-bottom", {}, "operator 'top-bottom': needs 'top', 'bottom' or both"),
        ("top-bottom", {"top": 1, "bottom": 1}, "operator 'top-bottom': 'bottom' must be below 'top'"),
        ("redact", {"entity": "EMAIL"}, "operator 'redact': 'entity' is not an entity"),
        ("redact", {"text": " "}, "operator 'redact': 'text' is blank"),
        (
            "partial",
            {"character": "-"},
            "operator 'partial': 'character' must be one character that is not a separator",
        ),
        ("partial", {"keep_first": -1}, "operator 'partial': 'keep_first' must be from 0 to 100"),
        (
            "date-generalise",
            {"level": "hour"},
            "operator 'date-generalise': the parameter 'level' must be one of day, week",
        ),
        (
            "date-generalise",
            {"level": "year", "format": "%d.%m"},
            "operator 'date-generalise': 'format' needs a year, a month and a day",
        ),
        ("date-shift", {"days": 0}, "operator 'date-shift': 'days' must be from 1"),
        ("hierarchy", {}, "operator 'hierarchy': needs 'rows' or 'groups'"),
        ("hierarchy", {"groups": {"a": ["b"]}, "level": 3}, "operator 'hierarchy': 'level' must be from 1 to 2"),
        (
            "hierarchy",
            {"groups": {"a": "b"}},
            "operator 'hierarchy': the parameter 'groups' must be a table, each entry a list",
        ),
        ("prefix", {"keep": 3.0}, "operator 'prefix': the parameter 'keep' must be a whole number"),
        ("zip3", {"census": "2020"}, "operator 'zip3': the parameter 'census' must be one of both, 2000, 2010"),
        ("noise", {"scale": 0}, "operator 'noise': 'scale' must be above 0"),
        ("resample", {"distributions": ["normal"]}, "operator 'resample': 'distributions' may contain norm"),
        ("resample", {"low": 0}, "operator 'resample': 'low' and 'high' belong to the method 'distribution'"),
    ],
)
def test_what_is_wrong_is_named(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        operator_registry.make(name, params)
    assert str(caught.value).startswith(message)


def test_lists_become_tuples_and_whole_numbers_may_stand_for_numbers() -> None:
    assert operator_registry.make("bins", {"cuts": [1, 2.5]}) == Bins(cuts=(1, 2.5))


@pytest.mark.parametrize("name", operator_registry.BUILT_IN)
def test_a_built_in_bears_its_name(name: str) -> None:
    assert operator_registry.operator_class(name).name == name


def test_making_one_operator_loads_no_other() -> None:
    code = (
        "import sys; from piiscan.masking.operators.operator_registry import make; make('bins', {'width': 5});"
        "print([m for m in ('polars', 'numpy', 'scipy', 'cryptography', "
        "'piiscan.masking.operators.number_noise') if m in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


@dataclass(frozen=True)
class Reverse(Operator):
    """An operator of another package."""

    times: int = 1

    name: ClassVar[str] = "reverse"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"

    def dtype(self, before: DType) -> DType:
        return before

    def mask(self, values: pl.Series, key: Any) -> pl.Series:
        return values.str.reverse()

    def declares(self, masks: pl.Series, key: Any) -> pl.Series:
        return masks.is_not_null()


@dataclass(frozen=True)
class Unfinished(Reverse):
    """It inherits what it doesn't say otherwise."""

    name: ClassVar[str] = "unfinished"
    reversible: ClassVar[bool] = True


@dataclass(frozen=True)
class Unasked(Reverse):
    name: ClassVar[str] = "unasked"

    def mask_rows(self, cells: pl.Series, rows: RowContext, key: Any) -> pl.Series:
        return cells


@dataclass(frozen=True)
class Needy(Reverse):
    name: ClassVar[str] = "needy"
    needs: ClassVar[frozenset[str]] = frozenset({"neighbours"})


@dataclass(frozen=True)
class Vague(Reverse):
    name: ClassVar[str] = "vague"
    contract: ClassVar[Any] = "secret"


@dataclass(frozen=True)
class Mute(Operator):
    name: ClassVar[str] = "mute"


@dataclass(frozen=True)
class Odd(Reverse):
    name: ClassVar[str] = "odd"
    keyed: ClassVar[Any] = "yes"


@dataclass(frozen=True)
class Hasty(Reverse):
    name: ClassVar[str] = "hasty"
    fitted_on: ClassVar[Any] = "rows"


@dataclass(frozen=True)
class Stranger:
    """Not an operator, whatever it says."""

    name: ClassVar[str] = "stranger"


class Melting(Reverse):
    """No dataclass of its own."""

    name: ClassVar[str] = "melting"


@pytest.mark.parametrize(
    ("points", "name", "message"),
    [
        ([("reverse", "test_operators_registry:Reverse")], "reverse", None),
        ([("reverse", "test_operators_registry:Reverse")], "revers", "did you mean 'reverse'"),
        ([("reverse", "test_operators_registry:Reverse")] * 2, "reverse", "comes from 2 installed packages"),
        ([("backwards", "test_operators_registry:Reverse")], "backwards", "has another name"),
        ([("reverse", "test_operators_registry:Nothing")], "reverse", "can't be loaded: AttributeError"),
        ([("reverse", "no_such_module:Reverse")], "reverse", "can't be loaded: ModuleNotFoundError"),
        ([("reverse", "test_operators_registry:KINDS")], "reverse", "must be a frozen dataclass"),
        ([("stranger", "test_operators_registry:Stranger")], "stranger", "inherits from piiscan.operators.Operator"),
        ([("melting", "test_operators_registry:Melting")], "melting", "must be a frozen dataclass"),
        ([("unfinished", "test_operators_registry:Unfinished")], "unfinished", "lacks 'unmask'"),
        ([("unasked", "test_operators_registry:Unasked")], "unasked", "has 'mask_rows', but declares no capability"),
        ([("needy", "test_operators_registry:Needy")], "needy", "'needs' as a frozenset of first, groups, subjects"),
        ([("vague", "test_operators_registry:Vague")], "vague", "'contract' as one of empty, removed"),
        ([("mute", "test_operators_registry:Mute")], "mute", "doesn't declare 'contract'"),
        ([("odd", "test_operators_registry:Odd")], "odd", "'keyed' as True or False"),
        ([("hasty", "test_operators_registry:Hasty")], "hasty", "'fitted_on' as one of nothing, counts, column"),
        ([("redact", "test_operators_registry:Reverse")], "redact", None),
    ],
)
def test_operators_of_other_packages(
    points: list[tuple[str, str]], name: str, message: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [EntryPoint(n, value, operator_registry.GROUP) for n, value in points]
    monkeypatch.setattr(
        "piiscan.core.plugins.entry_points", lambda group: found if group == operator_registry.GROUP else []
    )
    if message:
        with pytest.raises(UsageError, match=message):
            operator_registry.make(name, {})
        return
    operator = operator_registry.make(name, {})
    assert isinstance(operator, Redact if name == "redact" else Reverse)  # a built-in's name stays the built-in's


KINDS = ("no", "class")
