"""The Python interface: frames, paths and parts in; a report out that shows no value."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import one_by_one
from test_cli import PEOPLE, SSN, simple

import piiscan
from piiscan.core.types import ScanReport
from piiscan.report.full_json import dumps
from piiscan.scanning import judging

FRAME = pl.DataFrame({"ssn": [SSN, "219-09-9998"], "mail": ["a@firm.com", "b@firm.com"], "n": [1, 2]})


@pytest.fixture(autouse=True)
def simple_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "classify_each", one_by_one(simple))


@pytest.fixture
def report() -> piiscan.Report:
    return piiscan.scan(FRAME)


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.lazy(),
        FRAME.to_pandas(),
        FRAME.to_arrow(),
        FRAME.to_arrow().to_batches()[0],
        [FRAME[:1], FRAME[1:]],
        iter([FRAME[:1], FRAME[1:]]),
        pa.RecordBatchReader.from_batches(FRAME.to_arrow().schema, FRAME.to_arrow().to_batches()),
        (FRAME[i : i + 1].to_pandas() for i in range(2)),
        FRAME.to_dicts(),
        iter(FRAME.to_dicts()),
    ],
    ids=[
        "polars",
        "lazy",
        "pandas",
        "arrow",
        "record batch",
        "list of frames",
        "iterator",
        "reader",
        "pandas parts",
        "mappings",
        "mappings one by one",
    ],
)
def test_any_frame_gives_the_same_verdicts(frame: Any) -> None:
    report = piiscan.scan(frame)
    assert [c.entity for c in report.columns] == ["US_SSN", "EMAIL_ADDRESS", None]
    assert report.tables[0].rows == 2
    assert report.complete


SSNS = [SSN, "219-09-9998", "219-09-9997"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"ssn": pd.Categorical(SSNS)}),
        pd.DataFrame({"ssn": pd.array([*SSNS, None], dtype="string")}),
        pd.DataFrame({"ssn": pd.array([*SSNS, None], dtype="string[pyarrow]")}),
        pd.DataFrame({"ssn": np.array(SSNS)}, dtype=object),
        pd.DataFrame({"ssn": [s.encode() for s in SSNS]}),
        pd.DataFrame({"ssn": [np.array(SSNS * 500)] * 3}),
        pd.DataFrame({"ssn": [[np.array(SSNS)], None, tuple(SSNS)]}),
        pd.DataFrame({"ssn": [*SSNS, None, float("nan"), pd.NA, pd.NaT]}, dtype=object),
        pd.Series(SSNS, name="ssn"),
        pd.Index(SSNS, name="ssn"),
        pl.Series("ssn", SSNS),
        pl.DataFrame({"ssn": pl.Series(SSNS, dtype=pl.Categorical)}),
        pl.DataFrame({"ssn": pl.Series(SSNS, dtype=pl.Object)}),
        pl.DataFrame({"ssn": [s.encode() for s in SSNS]}),
        pl.DataFrame({"ssn": [[s] for s in SSNS]}),
        pa.table({"ssn": pa.array(SSNS).dictionary_encode()}),
        [{"ssn": np.array(SSNS)}],
    ],
)
def test_cells_of_any_type_are_scanned(frame: Any) -> None:
    assert piiscan.scan(frame)["ssn"].entity == "US_SSN"


def test_an_array_has_one_column_without_a_name() -> None:
    report = piiscan.scan(pa.chunked_array([SSNS]))
    assert [c.entity for c in report.columns] == ["US_SSN"]


INDEXES: list[tuple[Any, list[str | None]]] = [
    (pd.RangeIndex(3), ["n"]),
    (pd.Index([5, 1, 9]), ["n"]),
    (pd.Index(SSNS), ["n", "index"]),
    (pd.Index(SSNS, name="ssn"), ["n", "ssn"]),
    (pd.Index([4, 5, 6], name="n"), ["n", "n"]),
    (pd.MultiIndex.from_arrays([SSNS, [1, 2, 3]], names=["ssn", None]), ["n", "ssn", "level_1"]),
    (pd.CategoricalIndex(SSNS), ["n", "index"]),
    (pd.Index([123456789, 123456780, 987654321]), ["n", "index"]),
    (pd.Index([123456789, None, 7], dtype="Int64"), ["n", "index"]),
    (pd.Index([7, None, 8], dtype="Int64"), ["n"]),
    (pd.RangeIndex(10**9, 10**9 + 3), ["n"]),
]


@pytest.mark.parametrize(("index", "names"), INDEXES)
def test_an_index_with_data_is_scanned_too(index: Any, names: list[str | None]) -> None:
    report = piiscan.scan(pd.DataFrame({"n": [1, 2, 3]}, index=index))
    assert [c.name for c in report.columns] == names
    assert any(c.entity == "US_SSN" for c in report.columns) == any(
        SSN in map(str, key if isinstance(key, tuple) else (key,)) for key in index
    )


MAIL = "quillan@needle-post.com"
LOW = ["low", MAIL]


def _noted(frame: Any, notes: Any) -> Any:
    frame.attrs = notes
    return frame


BESIDE: dict[str, tuple[Any, str]] = {
    "attributes": (_noted(pd.DataFrame({"n": [1]}), {"shop": {"owners": [MAIL]}}), "metadata"),
    "frames in attributes": (_noted(pd.DataFrame({"n": [1]}), {"of": pd.DataFrame({"mail": [MAIL]})}), "metadata"),
    "name of an axis": (pd.DataFrame([[1]], columns=pd.Index(["n"], name=MAIL)), "metadata"),
    "categories": (pd.DataFrame({"n": pd.Categorical(["low"], LOW)}), "categories"),
    "index of categories": (pd.DataFrame({"n": [1]}, index=pd.CategoricalIndex(["low"], LOW)), "categories"),
    "levels": (pd.DataFrame({"n": [1, 2]}, index=pd.MultiIndex.from_arrays([LOW, [1, 2]])).head(1), "categories"),
    "series": (pd.Series(pd.Categorical(["low"], LOW), name="n"), "categories"),
    "enum": (pl.DataFrame({"n": pl.Series(["low"], dtype=pl.Enum(LOW))}), "categories"),
    "lists of enums": (pl.DataFrame({"n": pl.Series([["low"]], dtype=pl.List(pl.Enum(LOW)))}), "categories"),
    "lazy": (pl.LazyFrame({"n": ["low"]}, {"n": pl.Enum(LOW)}), "categories"),
    "schema": (pa.table({"n": [1]}).replace_schema_metadata({"by": MAIL}), "metadata"),
    "reader": (pa.table({"n": [1]}).replace_schema_metadata({"by": MAIL}).to_reader(), "metadata"),
    "field": (pa.table([[1]], schema=pa.schema([pa.field("n", pa.int64(), metadata={"by": MAIL})])), "metadata"),
    "dictionary": (pa.table({"n": pa.array(LOW).dictionary_encode().slice(0, 1)}), "categories"),
    "pandas within": (pa.table(_noted(pd.DataFrame({"n": [1]}), {"owner": MAIL})), "metadata"),
}


@pytest.mark.parametrize("kind", BESIDE)
def test_what_stands_beside_the_rows_is_scanned(kind: str) -> None:
    frame, table = BESIDE[kind]
    for report in (piiscan.scan(frame), piiscan.scan({"f": frame})) if kind != "reader" else (piiscan.scan(frame),):
        assert [t.table for t in report.tables] == [None, table]
        assert [(f.table, f.entity) for f in report.findings] == [(table, "EMAIL_ADDRESS")]
        assert report["n"] is report.columns[0] and report[report.tables[0].source, "n"] is report["n"]
        with pytest.raises(KeyError, match="several tables"):
            report.pii_columns()
        assert len(report.pii_columns(table=table)) == 1


CLEAN_BESIDE = [
    pd.DataFrame({"n": pd.Categorical(["low"], ["low", "high"])}),
    _noted(pd.DataFrame({"n": [1]}), {"source": "shop", "version": 2}),
    pa.table({"n": [1]}).replace_schema_metadata({"version": "2"}),
    pd.DataFrame([[1]], columns=pd.Index(["n"], name="month")),
    pa.table(pd.DataFrame({"n": [1]}, index=pd.Index(["a"], name="k"))),
    pl.DataFrame({"n": pl.Series(["low", "high"], dtype=pl.Enum(["low", "high"]))}),
]


@pytest.mark.parametrize("frame", CLEAN_BESIDE)
def test_harmless_notes_raise_no_alarm(frame: Any) -> None:
    report = piiscan.scan(frame)
    assert not report.findings and not report.review and report.pii_columns() == []
    assert report["n"] is report.columns[0]


def test_names_that_repeat_or_are_no_text() -> None:
    report = piiscan.scan(pd.DataFrame([[1, SSN, SSN]], columns=pd.Index(["ssn", "ssn", 0], dtype=object)))
    assert [c.entity for c in report.columns] == [None, "US_SSN", "US_SSN"]
    assert report["ssn"] is report[0]
    assert report["ssn#2"] is report[1]
    assert report["0"] is report[2]
    assert report.pii_columns() == ["ssn#2", "0"]
    levels = piiscan.scan(pd.DataFrame([[SSN, 1]], columns=pd.MultiIndex.from_tuples([("a", "ssn"), ("a", "n")])))
    assert levels["a", "ssn"] is levels[0]
    assert levels["<frame>", 1] is levels[1]


def test_times_with_zones_keep_their_gaps() -> None:
    times = pd.to_datetime(pd.Series(["2020-01-01", None])).dt.tz_localize("Europe/Berlin")
    assert piiscan.scan(pd.DataFrame({"t": times}))["t"].nulls == 1


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
    for wrong in ("none", "driect"):
        with pytest.raises(piiscan.UsageError, match="direct, review, sensitive, quasi"):
            report.raise_if(wrong)  # type: ignore[arg-type]
    piiscan.scan(FRAME.clear()).raise_if("quasi")


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
    shown = [
        repr(report),
        str(report),
        report._repr_html_(),
        report.to_json(),
        str(report.to_frame()),
        repr(report.findings),
    ]
    shown += [repr(piiscan.Scanner().partial(FRAME))]
    for text in shown:
        assert SSN not in text
        assert "a@firm.com" not in text
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


def scanned_elsewhere(scanner: piiscan.Scanner) -> tuple[Any, str]:
    return scanner.partial(FRAME[:1]), scanner.scan(FRAME).to_json()


def test_a_scanner_goes_to_other_processes() -> None:
    import multiprocessing

    scanner = piiscan.Scanner(min_confidence=0.2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        part, report = pool.apply(scanned_elsewhere, (scanner,))
    assert part == scanner.partial(FRAME[:1])
    assert json.loads(report)["summary"]["columns"] == 3


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


@pytest.mark.parametrize(
    ("data", "options", "problem"),
    [
        ([], {}, "the list is empty"),
        (None, {}, "type NoneType"),
        (b"x", {}, "type bytes"),
        ([FRAME, 3], {}, ""),
        ([{"a": 1}, 3], {}, "pass mappings only"),
        (FRAME, {"sample": 0}, "sample must be at least 1"),
        (FRAME, {"jobs": 0}, "jobs must be at least 1"),
        (FRAME, {"min_confidence": 2}, "between 0 and 1"),
        (FRAME, {"delimiter": "ab"}, "delimiter must be one character"),
        (FRAME, {"encoding": "utf-9"}, "encoding must be"),
        (FRAME, {"rules": "no/such"}, "no/such: no such folder of rules"),
        (FRAME, {"select": "US_SNN"}, "did you mean 'US_SSN'"),
    ],
)
def test_what_cannot_be_scanned_is_never_clean(data: Any, options: dict[str, Any], problem: str) -> None:
    try:
        report = piiscan.scan(data, **options)
    except piiscan.UsageError as error:
        assert problem in str(error)
    else:
        assert not report.complete


def test_one_name_will_do() -> None:
    assert [c.entity for c in piiscan.scan(FRAME, select="US_SSN").columns] == ["US_SSN", None, None]


def test_a_library_that_chokes_reveals_no_value() -> None:
    class Odd:
        def __arrow_c_stream__(self, schema: object = None) -> object:
            raise ValueError(SSN)

    with pytest.raises(piiscan.UsageError, match="Odd") as error:
        piiscan.scan(Odd())
    assert SSN not in str(error.value)
    assert error.value.__suppress_context__

    def parts() -> Any:
        yield FRAME
        raise ValueError(SSN)

    report = piiscan.scan(parts())
    assert not report.complete
    assert SSN not in report.to_json()


def test_a_library_s_error_that_nobody_foresaw_reveals_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    query = pl.LazyFrame({"ssn": [SSN], "n": [1]}).with_columns(pl.col("ssn").str.to_integer())
    plan = piiscan.plan(pl.DataFrame({"ssn": [1], "n": [1]}))
    with pytest.raises(piiscan.ReadError, match=r"the rows of a LazyFrame can't be read \(ComputeError\)") as error:
        piiscan.mask(query, plan, piiscan.Key(bytes(range(32))))
    assert SSN not in str(error.value)

    def fails(*args: Any, **options: Any) -> Any:
        raise pl.exceptions.ComputeError(SSN)

    monkeypatch.setattr("piiscan.api.mask.Masker.masked", fails)
    with pytest.raises(piiscan.PiiscanError, match="internal error: ComputeError at piiscan/api/") as error:
        piiscan.mask(FRAME, plan, piiscan.Key(bytes(range(32))))
    assert error.value.__suppress_context__ and SSN not in str(error.value)


def test_names_come_when_asked_for() -> None:
    assert "scan" in dir(piiscan)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        piiscan.nothing  # noqa: B018


def test_an_empty_report_is_json_too() -> None:
    assert json.loads(dumps(ScanReport({}, ())))["complete"] is True
