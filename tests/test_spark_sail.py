"""Spark without Java: Sail, a server of Spark Connect."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import ROOT
from distributed_tables import in_parts, rows_of
from spark_cases import KEY, ROWS, SparkCases

import piiscan
from piiscan import spark as engine
from piiscan.core import keys
from piiscan.core.errors import UsageError
from piiscan.engines import spark_frames, spark_scan

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("PIISCAN_SPARK_KEY", keys.new())
        from pysail.spark import SparkConnectServer
        from pyspark.sql import SparkSession

        server = SparkConnectServer(port=0)
        server.start(background=True)
        _, port = server.listening_address
        # A process whose main module has no file, such as a worker of pytest-xdist, runs doctests to pyspark.
        main = sys.modules["__main__"]
        if not hasattr(main, "__file__"):
            patch.setattr(main, "__file__", __file__, raising=False)
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
        yield session
        session.stop()
        server.stop()


class TestSail(SparkCases):
    """Its sessions have one process."""

    def demand_draws(self, masked: Any, frame: Any, used: piiscan.Plan) -> None:
        with pytest.raises(Exception, match="doesn't number its partitions"):
            masked.toArrow()

    def test_a_table_of_the_same_version_is_not_read_again(
        self, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spark.sql("CREATE DATABASE IF NOT EXISTS lake")
        for name, kind in (("staff", "iceberg"), ("pay", "parquet")):
            spark.sql(f"CREATE TABLE lake.{name} (mail STRING) USING {kind} LOCATION '{tmp_path / name}'")
            spark.sql(f"INSERT INTO lake.{name} VALUES ('ann@corp.org'), ('bob@corp.org')")
        read: list[str] = []
        scan = spark_scan.scan

        def scanning(df: Any, *others: Any, source: str, **named: Any) -> piiscan.Report:
            read.append(source)
            return scan(df, *others, source=source, **named)

        monkeypatch.setattr(spark_scan, "scan", scanning)

        def again() -> tuple[list[str], piiscan.Report]:
            read.clear()
            return read, spark_scan.scan_tables(spark, "lake", resume=tmp_path / "known.json")

        names, first = again()
        assert names == ["lake.pay", "lake.staff"] and [t.rows for t in first.tables] == [2, 2]
        names, second = again()
        assert names == ["lake.pay"] and second.to_dict() == first.to_dict()
        spark.sql("INSERT INTO lake.staff VALUES ('eve@corp.org')")
        names, third = again()
        assert names == ["lake.pay", "lake.staff"] and [t.rows for t in third.tables] == [2, 3]

    def test_a_platform_without_arrow_gives_the_same_by_way_of_pandas(
        self, frame: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        few = frame.selectExpr(
            "CASE WHEN customer % 9 > 0 THEN 9007199254740993 + customer END AS big", "email", "born", "age", "pay",
            "ok", "seen", "at", "blob", "CAST(customer AS DOUBLE) / 7 AS share",
            "CASE customer % 5 WHEN 0 THEN CAST('NaN' AS DOUBLE) WHEN 1 THEN CAST('Infinity' AS DOUBLE) "
            "WHEN 2 THEN NULL ELSE 1e-300 END AS odd",
        )  # fmt: skip
        report, used = engine.scan(few), in_parts(engine.plan(few))
        masked = engine.mask(few, used, KEY)
        rows, schema = rows_of(masked.toArrow()), masked.schema
        for kind in type(frame).__mro__:
            if "mapInArrow" in vars(kind):
                monkeypatch.delattr(kind, "mapInArrow")
        assert not hasattr(type(few), "mapInArrow")
        assert engine.scan(few).to_dict() == report.to_dict()
        assert in_parts(engine.plan(few)) == used
        again = engine.mask(few, used, KEY)
        assert [f.dataType for f in again.schema] == [f.dataType for f in schema]
        assert rows_of(again.toArrow()) == rows
        kept = replace(used, tables=tuple(replace(t, columns=tuple(map(_kept, t.columns))) for t in used.tables))
        assert rows_of(engine.mask(few, kept, KEY).toArrow()) == rows_of(few.toArrow())
        with pytest.raises(UsageError, match=r"tags: .* array<string> doesn't pass through pandas"):
            engine.scan(frame)

    def test_the_example_of_the_manual(self, spark: Any, frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PIISCAN_KEY", keys.new())
        text = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
        (example, *_) = re.findall(r"^```py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        names: dict[str, Any] = {"df": frame.select("customer", "ssn", "ok")}
        exec(compile(example, "example", "exec", dont_inherit=True), names)
        assert names["masked"].count() == ROWS


def _kept(action: Any) -> Any:
    return replace(action, operator="keep", params={}, domain=None, subject=None, accept_frequency=True)


def test_moments_get_the_zone_of_the_session_wherever_they_stand() -> None:
    """What PySpark says before 4.2 is UTC; its batches have the session's zone."""

    def schema(zone: str) -> pa.Schema:
        moment = pa.timestamp("us", tz=zone)
        return pa.schema(
            [
                pa.field("at", moment, nullable=False),
                ("all", pa.list_(moment)),
                ("each", pa.struct([pa.field("seen", moment), pa.field("n", pa.int32(), nullable=False)])),
                ("by", pa.map_(pa.string(), moment)),
                ("naive", pa.timestamp("us")),
                ("n", pa.int64()),
            ]
        )

    assert spark_frames._in_zone(schema("UTC"), "Asia/Tokyo") == schema("Asia/Tokyo")
