"""The Python interface: frames, paths and parts in; a report out that shows no value."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from test_cli import PEOPLE, SSN, simple

import piiscan
from piiscan import engine
from piiscan.report.full_json import dumps
from piiscan.types import ScanReport

FRAME = pl.DataFrame({"ssn": [SSN, "219-09-9998"], "mail": ["a@example.com", "b@example.com"], "n": [1, 2]})


@pytest.fixture(autouse=True)
def simple_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "classify", simple)


@pytest.fixture
def report() -> piiscan.Report:
    return piiscan.scan(FRAME)


@pytest.mark.parametrize(
    "frame",
    [FRAME, FRAME.lazy(), FRAME.to_pandas(), FRAME.to_arrow(), FRAME.to_arrow().to_batches()[0], [FRAME[:1], FRAME[1:]], iter([FRAME[:1], FRAME[1:]])],
    ids=["polars", "lazy", "pandas", "arrow", "record batch", "list of frames", "iterator"],
)  # fmt: skip
def test_any_frame_gives_the_same_verdicts(frame: Any) -> None:
    report = piiscan.scan(frame)
    assert [c.entity for c in report.columns] == ["US_SSN", "EMAIL_ADDRESS", None]
    assert report.tables[0].rows == 2
    assert report.complete


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "other.csv").write_text(PEOPLE)
    for one in (tmp_path / "people.csv", str(tmp_path / "people.csv")):
        assert piiscan.scan(one)["ssn"].entity == "US_SSN"
    both = piiscan.scan([tmp_path / "people.csv", tmp_path / "other.csv"])
    assert both[str(tmp_path / "other.csv"), "ssn"].entity == "US_SSN"
    with pytest.raises(KeyError, match="several tables"):
        both["ssn"]
    with pytest.raises(KeyError, match="several tables"):
        both.pii_columns()
    assert both.pii_columns(table=str(tmp_path / "other.csv")) == ["ssn", "mail"]
    assert len(both.columns) == 6


def test_columns_by_name_and_number(report: piiscan.Report) -> None:
    assert report["ssn"] is report[0] is report["<frame>", "ssn"]
    assert report["ssn"].reasons[0].by == "rule"
    with pytest.raises(KeyError, match="did you mean 'mail'"):
        report["mails"]
    with pytest.raises(KeyError, match="no such column") as error:
        report[SSN]
    assert SSN not in str(error.value)
    with pytest.raises(KeyError):
        report[3]


def test_columns_by_class(report: piiscan.Report) -> None:
    assert report.pii_columns() == report.pii_columns("direct") == ["ssn", "mail"]
    assert report.pii_columns("quasi", "sensitive") == []
    assert FRAME.drop(report.pii_columns()).columns == ["n"]


def test_raise_if(report: piiscan.Report) -> None:
    with pytest.raises(piiscan.FindingsError, match=r"2 findings: ssn \(US_SSN\), mail \(EMAIL_ADDRESS\)") as error:
        report.raise_if("direct")
    assert error.value.exit_status == 1
    piiscan.scan(FRAME.select("n")).raise_if("quasi")
    with pytest.raises(ValueError, match="direct, sensitive or quasi"):
        report.raise_if("none")


def test_raise_if_fails_closed(tmp_path: Path) -> None:
    missing = piiscan.scan(tmp_path / "missing.csv")
    assert not missing.complete
    with pytest.raises(piiscan.ReadError, match=r"missing\.csv"):
        missing.raise_if("direct")
    missing.raise_if("direct", allow_incomplete=True)


def test_to_frame_is_of_the_kind_that_was_scanned() -> None:
    frame = piiscan.scan(FRAME).to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["entity"].to_list() == ["US_SSN", "EMAIL_ADDRESS", None]
    assert frame.schema["nulls"] == pl.Int64
    assert isinstance(piiscan.scan(FRAME.to_pandas()).to_frame(), pd.DataFrame)
    assert isinstance(piiscan.scan(pa.table({"a": [1]})).to_frame(), pl.DataFrame)


def test_nothing_shows_a_value(report: piiscan.Report) -> None:
    shown = [repr(report), str(report), report._repr_html_(), report.to_json(), str(report.to_frame()), repr(report.findings)]
    shown += [repr(piiscan.Scanner().partial(FRAME))]
    for text in shown:
        assert SSN not in text
        assert "a@example.com" not in text
    assert repr(report) == "<piiscan.Report 1 table, 3 columns: 2 direct, 0 sensitive, 0 quasi, 1 none>"
    assert json.loads(report.to_json()) == report.to_dict()


def test_html_is_escaped() -> None:
    assert "<script>" not in piiscan.scan(pl.DataFrame({"<script>": [1]}))._repr_html_()


def test_a_scanner_can_be_pickled_and_used_again() -> None:
    scanner = piiscan.Scanner(select=["US_SSN"])
    first = scanner.scan(FRAME).to_json()
    again = pickle.loads(pickle.dumps(scanner))
    assert again == scanner
    assert again.scan(FRAME).to_json() == first
    assert [c.entity for c in again.scan(FRAME).columns] == ["US_SSN", None, None]


def test_parts_add_up_in_any_order(report: piiscan.Report) -> None:
    scanner = piiscan.Scanner()
    parts = [scanner.partial(FRAME[:1]), scanner.partial(FRAME[1:].to_pandas())]
    forth, back = parts[0] + parts[1], parts[1] + parts[0]
    assert scanner.finish(forth, FRAME[:1]).to_json() == scanner.finish(back, FRAME).to_json() == report.to_json()


def test_sample_and_wrong_input() -> None:
    assert piiscan.scan(FRAME, sample=1).tables[0].rows == 1
    with pytest.raises(piiscan.UsageError, match="type int"):
        piiscan.scan(3)
    with pytest.raises(piiscan.RuleError, match="did you mean 'US_SSN'"):
        piiscan.scan(FRAME, select=["US_SNN"])


def test_names_come_when_asked_for() -> None:
    assert "scan" in dir(piiscan)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        piiscan.nothing  # noqa: B018


def test_an_empty_report_is_json_too() -> None:
    assert json.loads(dumps(ScanReport({}, ())))["complete"] is True
