"""piiscan's operators in Presidio's own engines: the masks of columns, the way back, and no key or value in what is
shown."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import polars as pl
import pytest
from presidio_anonymizer import AnonymizerEngine, DeanonymizeEngine, InvalidParamError, OperatorConfig, RecognizerResult

import piiscan
from piiscan.core import keys
from piiscan.core.errors import MissingExtra, UsageError
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.operators.presidio_operators import Anonymize, Restore
from piiscan.masking.plan.plan_types import Action, TablePlan

KEY = keys.Key(bytes(range(90, 122)))
SECRET = bytes(range(40, 72)).hex()
TEXT = "Ann Lee (SSN 219-09-9999) wrote from 8.8.8.8 to ann.lee@corp.org, and SSN 219-09-9999 called again."


def results(text: str = TEXT, **found: str) -> list[RecognizerResult]:
    out = []
    for entity, value in found.items():
        at = text.find(value)
        while at >= 0:
            out.append(RecognizerResult(entity, at, at + len(value), 0.9))
            at = text.find(value, at + 1)
    return out


FOUND = results(US_SSN="219-09-9999", IP_ADDRESS="8.8.8.8", EMAIL_ADDRESS="ann.lee@corp.org", PERSON="Ann Lee")


def config(operator: str, key: Any = KEY, **more: Any) -> OperatorConfig:
    return OperatorConfig("piiscan", {"operator": operator, "key": key, **more})


def anonymized(operators: dict[str, OperatorConfig], text: str = TEXT, found: list[RecognizerResult] = FOUND) -> Any:
    engine = AnonymizerEngine()
    engine.add_anonymizer(Anonymize)
    return engine.anonymize(text, found, operators)


def restored(result: Any, operators: dict[str, OperatorConfig]) -> str:
    engine = DeanonymizeEngine()
    engine.add_deanonymizer(Restore)
    return str(engine.deanonymize(result.text, result.items, operators).text)


def of_column(entity: str, operator: str, value: str, **params: Any) -> str:
    """The mask of a column's cell, as a plan makes it."""
    action = Action(0, "c", "string", entity, "direct", operator, params, entity, accept_frequency=True)
    return str(
        TableMasker(TablePlan("t.csv", None, (action,)), (), KEY).apply(pl.DataFrame({"0": [value]}), 0).columns[0][0]
    )


def test_masks_are_those_of_columns() -> None:
    done = anonymized(
        {
            "US_SSN": config("fpe"),
            "IP_ADDRESS": config("ip"),
            "DEFAULT": config("redact", **{"with": {"text": "[gone]"}}),
        }
    )
    ssn, ip = of_column("US_SSN", "fpe", "219-09-9999"), of_column("IP_ADDRESS", "ip", "8.8.8.8")
    assert done.text == f"[gone] (SSN {ssn}) wrote from {ip} to [gone], and SSN {ssn} called again."
    assert ssn != "219-09-9999" and "219-09-9999" not in done.text and "8.8.8.8" not in done.text


@pytest.mark.parametrize(
    ("operator", "params"),
    [
        ("partial", {"keep_last": 4}),
        ("hash", {"length": 20}),
        ("token", {}),
        ("surrogate", {"kind": "ssn"}),
        ("prefix", {"keep": 3}),
    ],
)
def test_every_operator_on_values(operator: str, params: dict[str, Any]) -> None:
    done = anonymized({"DEFAULT": config(operator, **{"with": params})}, found=results(US_SSN="219-09-9999"))
    mask = of_column("US_SSN", operator, "219-09-9999", **params)
    assert done.text.count(f"SSN {mask}") == 2 and "219-09-9999" not in done.text


def test_a_persona_is_that_of_the_address_in_a_column() -> None:
    params = {"kind": "email", "locale": "en_US"}
    done = anonymized(
        {"EMAIL_ADDRESS": config("persona", **{"with": params})}, found=results(EMAIL_ADDRESS="ann.lee@corp.org")
    )
    (item,) = done.items
    action = Action(0, "email", "string", "EMAIL_ADDRESS", "direct", "persona", params, "persona", None)
    frame = pl.DataFrame({"0": ["ann.lee@corp.org"]})
    assert item.text == TableMasker(TablePlan("t.csv", None, (action,)), (), KEY).apply(frame, 0).columns[0][0]


def test_what_has_no_mask_is_named_by_its_entity() -> None:
    assert "<PERSON> (SSN" in anonymized({"DEFAULT": config("suppress")}).text
    iban = anonymized({"DEFAULT": config("surrogate", **{"with": {"kind": "iban"}})}, found=results(PERSON="Ann Lee"))
    assert iban.text.startswith("<PERSON> (SSN")


def test_the_way_back() -> None:
    operators = {
        "US_SSN": config("fpe"),
        "IP_ADDRESS": config("ip"),
        "EMAIL_ADDRESS": config("token"),
        "PERSON": config("token"),
    }
    assert restored(anonymized(operators), operators) == TEXT


def test_another_key_does_not_bring_it_back() -> None:
    other = keys.Key(bytes(range(1, 33)))
    done = anonymized({"DEFAULT": config("token")})
    with pytest.raises(UsageError, match="aren't tokens made with this key") as refused:
        restored(done, {"DEFAULT": config("token", other)})
    assert "Ann" not in str(refused.value)
    domain = anonymized({"DEFAULT": config("fpe", domain="ours")}, found=results(US_SSN="219-09-9999"))
    assert domain.text != anonymized({"DEFAULT": config("fpe")}, found=results(US_SSN="219-09-9999")).text


def test_a_key_is_named_by_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", SECRET)
    monkeypatch.setenv("PIISCAN_KEY", SECRET)
    texts = {
        anonymized({"DEFAULT": OperatorConfig("piiscan", {"operator": "hash", **key})}).text
        for key in ({}, {"key": "env:OURS"})
    }
    assert texts == {anonymized({"DEFAULT": config("hash", keys.Key.load("env:OURS"))}).text}
    monkeypatch.delenv("PIISCAN_KEY")
    with pytest.raises(UsageError, match="no key: the environment variable PIISCAN_KEY"):
        anonymized({"DEFAULT": OperatorConfig("piiscan", {"operator": "hash"})})


@pytest.mark.parametrize("key", [SECRET, SECRET.encode(), 7])
def test_a_key_itself_is_refused_and_not_repeated(key: Any) -> None:
    with pytest.raises((InvalidParamError, UsageError), match="env:NAME") as refused:
        anonymized({"DEFAULT": config("hash", key)})
    assert SECRET not in str(refused.value)


def test_a_key_does_not_show_in_a_configuration() -> None:
    shown = repr(config("hash", keys.Key(bytes.fromhex(SECRET))))
    assert "<Key " in shown and SECRET not in shown and repr(bytes.fromhex(SECRET)) not in shown


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "name an operator"),
        ({"operator": "hsh"}, "there is no operator 'hsh'"),
        ({"operator": "hash", "with": {"lenth": 3}}, "no parameter 'lenth'"),
        ({"operator": "hash", "with": [3]}, "name an operator"),
        ({"operator": "hash", "domain": 3}, "the domain must be a text"),
        *(({"operator": name}, "can't mask a span") for name in ("spans", "drop", "shuffle")),
        ({"operator": "noise", "with": {"scale": 1.0}}, "can't mask a span"),
    ],
)
def test_wrong_parameters_are_refused(params: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidParamError, match=says):
        anonymized({"DEFAULT": OperatorConfig("piiscan", {"key": KEY, **params})})


@pytest.mark.parametrize("operator", ["hash", "redact", "keep"])
def test_what_nothing_undoes_is_refused(operator: str) -> None:
    with pytest.raises(InvalidParamError, match="its masks can't be reversed"):
        restored(anonymized({"DEFAULT": config("token")}), {"DEFAULT": config(operator)})


def test_nothing_of_presidio_is_loaded_unasked() -> None:
    import subprocess

    code = (
        "import sys, piiscan, piiscan.masking.operators.operator_registry, piiscan.masking.apply; print([m for m "
        "in sys.modules if 'presidio' in m])"
    )
    assert (
        json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        == []
    )
    assert "presidio" not in " ".join(piiscan.__all__)


def test_a_missing_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_anonymizer", None)
    for module in ("piiscan.operators.presidio", "piiscan.masking.operators.presidio_operators"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'piiscan-toolkit\[text\]'$"):
        importlib.import_module("piiscan.operators.presidio")
