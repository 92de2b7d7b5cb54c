"""PySpark with Java, on a cluster of two processes with a core each, so that all that is sent is serialised. `make
test-spark` runs it in an environment of its own: PySpark and its client, with which Sail is tested, share a folder."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from distributed_tables import in_parts, people, rows_of, without_positions
from spark_cases import KEY, SparkCases

import piiscan
from piiscan import spark as engine
from piiscan.core import keys
from piiscan.engines import spark_frames
from piiscan.engines.spark_frames import arrow_schema

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIISCAN_SPARK_KEY", keys.new())
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setattr(spark_frames, "_BUCKETS", 2)  # each is a task, and these tables have few partitions
        session = (
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
            .config("spark.executorEnv.PIISCAN_SPARK_KEY", os.environ["PIISCAN_SPARK_KEY"])
            .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(sys.path))
            .config("spark.task.maxFailures", "3")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


class TestClassic(SparkCases):
    """A driver and two executors."""

    def test_types_of_a_session_in_another_zone(self, spark: Any, table: pa.Table) -> None:
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")
        try:
            few = spark.createDataFrame(table.select(["customer", "at", "born", "pay"]))
            frame = few.selectExpr("*", "CAST(at AS TIMESTAMP_NTZ) AS seen")
            collected = frame.toArrow().cast(arrow_schema(frame))  # as workers get it, in the session's zone
            assert without_positions(engine.scan(frame)) == without_positions(piiscan.scan(collected))
            used = in_parts(engine.plan(frame))
            masked = engine.mask(frame, used, KEY)
            assert masked.schema == frame.schema
            here = piiscan.mask(collected, used, KEY)
            assert rows_of(masked.toArrow().cast(here.schema)) == rows_of(here)  # the same moments, in one zone
        finally:
            spark.conf.set("spark.sql.session.timeZone", "UTC")

    def test_places_are_those_in_files(self, spark: Any, tmp_path: Path) -> None:
        notes = [f"mail to a{i}@corp.org, please" if i % 7 == 3 else "nothing to report" for i in range(200)]
        table = pa.table({"n": range(200), "note": notes})
        for name, rows in (("a b", table.slice(0, 90)), ("c", table.slice(90))):
            (tmp_path / "t").mkdir(exist_ok=True)
            parquet.write_table(rows, tmp_path / "t" / f"{name}.parquet", row_group_size=20)
        frame = spark.read.parquet(str(tmp_path / "t"))
        expected = [(f"{name}.parquet", row) for name, rows in (("a b", 90), ("c", 110)) for row in range(rows)]
        (entry,) = engine.scan(frame.where("n >= 0").select("note").repartition(3))["note"].inside
        found = [((p.file or "").rpartition("/")[2], p.row) for p in entry.first_places]
        assert found == [place for place, note in zip(expected, notes, strict=True) if "@" in note][:5]
        (entry,) = engine.scan(frame.groupBy("n", "note").count().coalesce(1))["note"].inside
        assert {p.part for p in entry.first_places} == {0} and not any(p.file for p in entry.first_places)

    def test_variants(self, spark: Any) -> None:
        frame = spark.sql("""SELECT id, parse_json('{"mail": "a' || id || '@corp.org"}') AS v FROM range(50)""")
        report = engine.scan(frame)
        assert "EMAIL_ADDRESS" in str(report.to_dict())
        with pytest.raises(piiscan.UsageError, match="column v is a variant"):
            engine.mask(frame, engine.plan(frame), KEY)

    def test_a_stream_is_masked_as_its_files_are(self, spark: Any, tmp_path: Path) -> None:
        table = people(300).select(["customer", "email", "ssn"])
        batch = spark.createDataFrame(table)
        batch.write.parquet(str(tmp_path / "in"))
        used = in_parts(engine.plan(batch))
        stream = spark.readStream.schema(batch.schema).parquet(str(tmp_path / "in"))
        query = (
            engine.mask(stream, used, KEY)
            .writeStream.format("parquet")
            .option("path", str(tmp_path / "out"))
            .option("checkpointLocation", str(tmp_path / "check"))
            .outputMode("append")
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(120)
        drawn = replace(used.tables[0].columns[0], operator="resample", params={}, subject=None)
        table_plan = replace(used.tables[0], columns=(drawn, *used.tables[0].columns[1:]))
        with pytest.raises(piiscan.UsageError, match="has to see how often each value occurs"):
            engine.mask(stream, replace(used, tables=(table_plan,)), KEY)
        found = spark.read.parquet(str(tmp_path / "out")).toArrow()
        assert rows_of(found) == rows_of(piiscan.mask(batch.toArrow(), used, KEY))


class TestLostWorkers:
    """An executor is killed in the middle: its tasks run again elsewhere, and nothing of it shows."""

    @pytest.fixture
    def slow(self, spark: Any, tmp_path: Path) -> tuple[Any, pa.Table, Path]:
        """A frame whose partitions take a while, its rows, and a file that is there as soon as one is begun."""
        table = people(2000).select(["customer", "name", "email", "ssn"])
        begun = tmp_path / "begun"

        def slowly(batches: Iterator[Any]) -> Iterator[Any]:
            begun.touch()
            for batch in batches:
                time.sleep(1)
                yield batch

        frame = spark.createDataFrame(table).repartition(8)
        return frame.mapInArrow(slowly, frame.schema), table, begun

    def test_a_scan(self, slow: tuple[Any, pa.Table, Path]) -> None:
        frame, table, begun = slow
        with ExecutorKilled(begun) as killed:
            report = engine.scan(frame)
        assert killed
        assert without_positions(report) == without_positions(piiscan.scan(table))

    def test_a_mask(self, slow: tuple[Any, pa.Table, Path]) -> None:
        frame, table, begun = slow
        used = in_parts(piiscan.plan(table))
        masked = engine.mask(frame, used, KEY)
        with ExecutorKilled(begun) as killed:
            found = masked.toArrow()
        assert killed
        assert rows_of(found) == rows_of(piiscan.mask(table, used, KEY))


class ExecutorKilled:
    """Kills one of this session's executors as soon as there is a file. The numbers of those that were killed."""

    def __init__(self, begun: Path) -> None:
        self._begun = begun
        self._killed: list[int] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._kill)

    def __enter__(self) -> list[int]:
        self._thread.start()
        return self._killed

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _kill(self) -> None:
        while not self._ended.wait(0.1):
            if self._begun.exists() and (found := _executors()):
                os.kill(found[0], signal.SIGKILL)
                self._killed.append(found[0])
                return


def _executors() -> list[int]:
    """Executors that descend from this process."""
    parents: dict[int, int] = {}
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue

    def is_ours(pid: int) -> bool:
        while pid and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid != 0

    return [pid for pid in sorted(found) if is_ours(pid)]
