"""Tables of a schema that are known from an earlier scan, and what Spark says of their versions. Without an engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import piiscan
from piiscan.core.errors import UsageError
from piiscan.core.types import Place, TableReport
from piiscan.engines.known_tables import KnownTables
from piiscan.engines.spark_versions import version_of


class Answers:
    """A session that answers by the beginning of a query, and fails for all others."""

    def __init__(self, answers: dict[str, list[dict[str, Any]]]) -> None:
        self._answers = answers

    def sql(self, query: str) -> Any:
        for start, rows in self._answers.items():
            if query.startswith(start):
                return _Rows(rows)
        raise RuntimeError(query)


class _Rows:
    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def collect(self) -> list[Any]:
        return [_Row(row) for row in self._rows]


class _Row(dict[str, Any]):
    def asDict(self) -> dict[str, Any]:
        return self


def described(provider: str | None, kind: str = "MANAGED") -> dict[str, list[dict[str, Any]]]:
    rows = [("a", "int"), ("", ""), ("Type", kind), *([("Provider", provider)] if provider else [])]
    return {"DESCRIBE TABLE EXTENDED": [{"col_name": name, "data_type": told} for name, told in rows]}


DELTA = {"DESCRIBE DETAIL `t`": [{"id": "u-1"}], "DESCRIBE HISTORY `t`": [{"version": 7}]}
ICEBERG = {"SELECT file": [{"file": "s3://m/2.json"}], "SELECT snapshot_id": [{"snapshot_id": 42}]}


@pytest.mark.parametrize(
    ("answers", "version"),
    [
        ({**described("delta"), **DELTA}, "delta u-1 7"),
        ({**described("DELTA"), **DELTA}, "delta u-1 7"),
        ({**described("iceberg"), **ICEBERG}, "iceberg s3://m/2.json 42"),
        ({**described("parquet"), **DELTA, **ICEBERG}, None),
        ({**described(None), **DELTA}, None),
        ({**described("delta", "VIEW"), **DELTA}, None),
        ({**described("delta"), "DESCRIBE DETAIL": [{"id": "u-1"}]}, None),
        ({**described("delta"), **DELTA, "DESCRIBE DETAIL `t`": [{"id": None}]}, None),
        ({**described("delta"), **DELTA, "DESCRIBE HISTORY `t`": []}, None),
        ({**described("iceberg"), "SELECT file": [{"file": "v2.json"}], "SELECT snapshot_id": []}, None),
        ({}, None),
    ],
)
def test_versions(answers: dict[str, list[dict[str, Any]]], version: str | None) -> None:
    assert version_of(Answers(answers), "`t`") == version


def report() -> TableReport:
    import polars as pl

    (table,) = piiscan.scan(pl.DataFrame({"mail": ["ann@corp.org"] * 30, "note": ["call 212-555-0187"] * 30})).tables
    return table


def test_a_table_is_known_by_its_version_alone(tmp_path: Path) -> None:
    path, table = tmp_path / "known.json", report()
    (first, *rest) = table.columns
    inside = (entry._replace(first_places=(Place(3, "f"), Place(1, part=2))) for entry in first.inside)
    table = replace(table, columns=(replace(first, inside=tuple(inside)), *rest))
    scanner = piiscan.Scanner()
    KnownTables(path, scanner).keep("hr.staff", "delta u-1 7", table)
    known = KnownTables(path, scanner)
    assert known.find("hr.staff", "delta u-1 7") == table
    for name, version in (("hr.staff", "delta u-1 8"), ("hr.staff", None), ("hr.pay", "delta u-1 7")):
        assert known.find(name, version) is None
    assert "ann@" not in path.read_text()


def test_other_settings_know_nothing(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    KnownTables(path, piiscan.Scanner()).keep("t", "v", report())
    assert KnownTables(path, piiscan.Scanner(select=("EMAIL_ADDRESS",))).find("t", "v") is None


@pytest.mark.parametrize("version", [None, "v2"])
def test_what_was_not_scanned_whole_is_forgotten(tmp_path: Path, version: str | None) -> None:
    path = tmp_path / "known.json"
    known = KnownTables(path, piiscan.Scanner())
    known.keep("t", "v", report())
    known.keep("t", version, replace(report(), complete=False) if version else report())
    assert KnownTables(path, piiscan.Scanner()).find("t", "v") is None


def test_without_a_file_nothing_is_kept() -> None:
    known = KnownTables(None, piiscan.Scanner())
    known.keep("t", "v", report())
    assert not known.wanted and known.find("t", "v") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tables": {}}', "mail\nann@corp.org\n"])
def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="is not a file of an earlier scan"):
        KnownTables(path, piiscan.Scanner())
    assert path.read_text() == text


def test_damaged_entries_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    KnownTables(path, piiscan.Scanner()).keep("t", "v", report())
    path.write_text(path.read_text().replace('"frame"', "3"))
    assert KnownTables(path, piiscan.Scanner()).find("t", "v") is None
    with pytest.raises(UsageError, match="can't be"):
        KnownTables(tmp_path, piiscan.Scanner())
