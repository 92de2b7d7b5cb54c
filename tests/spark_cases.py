"""What holds of Spark, whichever: Sail in the core suite, and PySpark with Java in `make test-spark`."""

from __future__ import annotations

import collections
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from distributed_tables import in_parts, people, rows_of, without_positions

import piiscan
from piiscan import spark as engine
from piiscan.core import memory
from piiscan.core.errors import UsageError, VerifyError
from piiscan.engines import spark_frames

ROWS = 1500
KEY = "env:PIISCAN_SPARK_KEY"
"""Set before workers start."""


class SparkCases:
    """`spark`: a session. `table`: rows of many types."""

    @pytest.fixture(scope="class")
    def table(self) -> pa.Table:
        return people(ROWS)

    @pytest.fixture(scope="class")
    def frame(self, spark: Any, table: pa.Table) -> Any:
        return spark.createDataFrame(table).repartition(3)

    @pytest.fixture(scope="class")
    def collected(self, frame: Any) -> pa.Table:
        """The same rows as the engine hands them over."""
        found: pa.Table = frame.toArrow()
        return found

    @pytest.fixture(scope="class")
    def plan(self, frame: Any) -> piiscan.Plan:
        made: piiscan.Plan = engine.plan(frame)
        return made

    def test_a_scan_is_that_of_one_machine(self, frame: Any, collected: pa.Table) -> None:
        assert without_positions(engine.scan(frame)) == without_positions(piiscan.scan(collected))

    def test_an_empty_frame(self, frame: Any, collected: pa.Table) -> None:
        expected = without_positions(piiscan.scan(collected.slice(0, 0)))
        assert without_positions(engine.scan(frame.where("customer < 0"))) == expected

    def test_sealed_summaries_say_the_same(self, frame: Any) -> None:
        few = frame.select("email", "ssn")
        assert engine.scan(few, key=KEY).to_dict() == engine.scan(few).to_dict()

    def test_rows_reach_a_driver_without_to_arrow_as_they_are(
        self, frame: Any, collected: pa.Table, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As before PySpark 4."""
        for known in type(frame).__mro__:
            monkeypatch.delattr(known, "toArrow", raising="toArrow" in vars(known))
        assert rows_of(spark_frames.as_arrow(frame).cast(collected.schema)) == rows_of(collected)
        empty = spark_frames.as_arrow(frame.where("customer < 0"))
        assert (empty.num_rows, empty.column_names) == (0, collected.column_names)

    def test_a_plan_is_that_of_one_machine(self, plan: piiscan.Plan, collected: pa.Table) -> None:
        assert plan.to_toml() == piiscan.plan(collected).to_toml()

    def test_masks_are_those_of_one_machine(self, frame: Any, collected: pa.Table, plan: piiscan.Plan) -> None:
        used = in_parts(plan)
        masked = engine.mask(frame, used, KEY)
        found = masked.toArrow()
        assert masked.schema.fieldNames() == frame.schema.fieldNames()
        assert [f.dataType for f in masked.schema] == [f.dataType for f in frame.schema]
        assert rows_of(found) == rows_of(piiscan.mask(collected, used, KEY))

    def test_what_needs_more_than_a_partition_is_refused_by_its_reason(self, frame: Any, plan: piiscan.Plan) -> None:
        with pytest.raises(UsageError, match='texts="rules"'):
            engine.mask(frame, plan, KEY)

    def test_texts_whose_dates_all_of_them_tell_are_counted_before(self, spark: Any) -> None:
        table = pa.table({"born": [f"{1 + i % 12:02}/{1 + i % 28:02}/{1990 + i % 9}" for i in range(300)]})
        frame = spark.createDataFrame(table).repartition(3)
        made = engine.plan(frame)
        (only,) = made.tables
        changed = replace(
            only.columns[0], operator="date-generalise", params={"level": "month"}, accept_frequency=True, subject=None
        )
        used = replace(made, tables=(replace(only, columns=(changed,), subjects=()),))
        masked = engine.mask(frame, used, KEY)
        assert rows_of(masked.toArrow()) == rows_of(piiscan.mask(table, used, KEY))
        assert all(promise.holds for promise in engine.verify(frame, masked, used, KEY))

    def test_draws_need_numbers_of_partitions(self, frame: Any, plan: piiscan.Plan) -> None:
        (only,) = in_parts(plan).tables
        columns = (
            replace(a, operator="resample", params={"least": 2}, subject=None) if a.name == "age" else a
            for a in only.columns
        )
        used = replace(plan, tables=(replace(only, columns=tuple(columns)),))
        self.demand_draws(engine.mask(frame, used, KEY), frame, used)

    def demand_draws(self, masked: Any, frame: Any, used: piiscan.Plan) -> None:
        """What becomes of a frame with resampled ages: PySpark numbers partitions."""
        found, before = (f.toArrow()["age"].to_pylist() for f in (masked, frame))
        filled = [age for age in found if age is not None]
        assert len(found) == ROWS and found.count(None) == before.count(None)
        assert set(filled) <= set(before) and len(set(filled)) > 50
        assert all(promise.holds for promise in engine.verify(frame, masked, used, KEY))

    def test_texts_are_masked_by_what_rules_find(self, frame: Any, plan: piiscan.Plan) -> None:
        few = frame.select("note")
        own = engine.plan(few)
        cells = engine.mask(few, own, KEY, texts="rules").toArrow()["note"].to_pylist()
        assert len(cells) == ROWS and not set(cells) & set(few.toArrow()["note"].to_pylist())

    def test_a_worker_without_the_key_is_an_error_that_says_so(self, frame: Any, plan: piiscan.Plan) -> None:
        masked = engine.mask(frame, in_parts(plan), "env:PIISCAN_NO_SUCH_KEY")
        with pytest.raises(Exception, match="isn't set") as failure:
            masked.collect()
        assert "@mail" not in str(failure.value)

    def test_bytes_of_a_key_are_refused(self, frame: Any, plan: piiscan.Plan) -> None:
        with pytest.raises(UsageError, match="as bytes"):
            engine.mask(frame, in_parts(plan), b"0123456789abcdef0123456789abcdef")  # type: ignore[arg-type]

    def test_columns_that_the_plan_does_not_know(self, frame: Any) -> None:
        few = frame.select("customer", "email")
        used = in_parts(engine.plan(few))
        more = few.selectExpr("*", "email AS other")
        with pytest.raises(UsageError, match="other isn't in the plan"):
            engine.mask(more, used, KEY)
        masked = engine.mask(more, used, KEY, new_columns="suppress")
        assert masked.select("other").distinct().toArrow().to_pylist() == [{"other": None}]

    def test_the_tables_of_a_schema(self, spark: Any, frame: Any, tmp_path: Path) -> None:
        spark.sql("CREATE DATABASE IF NOT EXISTS hr")
        for name in ("staff", "pay"):
            spark.sql(f"DROP TABLE IF EXISTS hr.{name}")
        frame.select("email", "ssn").write.format("parquet").option("path", str(tmp_path / "a")).saveAsTable("hr.staff")
        frame.select("pay").write.format("parquet").option("path", str(tmp_path / "b")).saveAsTable("hr.pay")
        done: list[tuple[str, int]] = []
        report = engine.scan_tables(spark, "hr", progress=lambda name, rows: done.append((name, rows)))
        assert done == [("hr.pay", ROWS), ("hr.staff", ROWS)]
        assert [t.source for t in report.tables] == ["hr.pay", "hr.staff"]
        assert report.complete and [c.entity for c in report.tables[1].columns] == ["EMAIL_ADDRESS", "US_SSN"]
        for file in (tmp_path / "a").iterdir():
            file.write_bytes(b"damaged")
        again = engine.scan_tables(spark, "hr")
        assert not again.complete and [entry.source for entry in again.not_scanned] == ["hr.staff"]
        with pytest.raises(UsageError, match=r"no tables|can't be listed"):
            engine.scan_tables(spark, "no_such_schema")

    def test_risk_is_that_of_one_machine(self, frame: Any) -> None:
        few = frame.select("born", "home", "age", "ok", "pay")
        quasi, sensitive = ["born", "home.city", "age"], ["ok"]
        found = engine.risk(few, quasi, sensitive)
        assert found.to_dict() == piiscan.risk(few.toArrow(), quasi, sensitive).to_dict()
        said: list[str] = []
        with pytest.raises(UsageError, match="more than 10 different combinations") as refused:
            engine.risk(few.select("born", "age"), ["born", "age"], most=10, progress=said.append)
        combinations = few.select("born", "age").distinct().count()
        (sentence,) = said
        assert sentence.startswith(f"{combinations:,} combinations of 2 columns take up to ")
        assert f"{combinations:,}" in str(refused.value)

    def test_what_a_histogram_may_take_is_said_before(self, frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        few, said = frame.select("age", "ok"), list[str]()
        engine.risk(few, ["age"], ["ok"], progress=said.append)
        assert said == [f"at most {ROWS:,} combinations of 2 columns take up to 0 MB of the driver's memory"]
        monkeypatch.setattr(memory, "allowed", lambda: 1)
        with pytest.raises(UsageError, match="of memory, and 0 MB are allowed"):
            engine.risk(few, ["age"], ["ok"])

    def test_risk_against_other_tables_is_that_of_one_machine(self, frame: Any) -> None:
        few = frame.select("age", "ok", "customer")
        part = few.where("customer % 3 = 0")
        for named in ("population", "against"):
            for other in (few, few.toArrow()):
                found = engine.risk(part, ["age"], ["ok"], ["customer"], **{named: other}).to_dict()
                here = piiscan.risk(part.toArrow(), ["age"], ["ok"], ["customer"], **{named: few.toArrow()}).to_dict()
                assert _without_names(found) == _without_names(here)

    def test_anonymous_rows_are_those_of_one_machine(self, frame: Any) -> None:
        few = frame.select("age", "pay", "born", "ok").selectExpr("age", "pay", "year(born) AS year", "ok")
        asked: dict[str, Any] = {"k": 5, "quasi": ["age", "year"], "sensitive": ["ok"], "insensitive": ["pay"]}
        for method in ("local", "optimal"):
            found = engine.anonymize(few, **asked, method=method)
            here = piiscan.anonymize(few.toArrow(), **asked, method=method)
            assert rows_of(found.frame.toArrow()) == rows_of(here.frame)
            assert {**found.report, "warnings": ()} == {**here.report, "warnings": ()}
            assert found.report["smallest_class"] >= 5

    def test_cells_are_cut_to_a_base_level_before_they_are_counted(self, frame: Any) -> None:
        few, said = frame.selectExpr("age", "year(born) AS year", "ok"), list[str]()
        tens = {str(age): [f"{age // 10}0s", "all"] for age in range(18, 90)} | {"": ["", "all"]}
        asked: dict[str, Any] = {"k": 5, "quasi": ["age", "year"], "sensitive": ["ok"]}
        found = engine.anonymize(few, **asked, hierarchies={"age": tens}, base={"age": 1}, progress=said.append)
        cut = few.selectExpr("concat(CAST(age DIV 10 AS STRING), '0s') AS age", "year", "ok").toArrow()
        left = {labels[0]: ["all"] for labels in tens.values()}
        here = piiscan.anonymize(cut, **asked, hierarchies={"age": left})
        assert rows_of(found.frame.toArrow()) == rows_of(here.frame)
        assert found.report["smallest_class"] >= 5
        with pytest.raises(UsageError, match="levels 0 to 2, and no level 3"):
            engine.anonymize(few, **asked, hierarchies={"age": tens}, base={"age": 3})
        with pytest.raises(UsageError, match="year is no quasi-identifier of the frame with a hierarchy"):
            engine.anonymize(few, **asked, hierarchies={"age": tens}, base={"year": 1})
        with pytest.raises(UsageError, match=r"lacks [0-9]+ of the column"):
            engine.anonymize(few, **asked, hierarchies={"age": dict(list(tens.items())[:5])}, base={"age": 1})

    def test_units_are_hidden_as_on_one_machine(self, frame: Any) -> None:
        few = frame.selectExpr("customer % 400 AS who", "age", "year(born) AS year", "ok")
        asked: dict[str, Any] = {"k": 4, "quasi": ["age", "year"], "sensitive": ["ok"], "unit": "who"}
        found = engine.anonymize(few, **asked)
        here = piiscan.anonymize(few.toArrow(), **asked)
        assert {**found.report, "warnings": ()} == {**here.report, "warnings": ()}
        rows = found.frame.toArrow()
        assert rows_of(rows.drop_columns("who")) == rows_of(here.frame.drop_columns("who"))
        assert rows_of(rows) == rows_of(found.frame.toArrow())  # the same numbers, whenever it is made
        sizes = [collections.Counter(t["who"].drop_null().to_pylist()) for t in (rows, here.frame)]
        assert sorted(sizes[0].values()) == sorted(sizes[1].values())

    def test_a_population_counts_as_on_one_machine(self, frame: Any) -> None:
        few = frame.selectExpr("age", "year(born) AS year", "customer")
        part = few.where("customer % 3 = 0").drop("customer")
        asked: dict[str, Any] = {"presence": (0.0, 0.6), "quasi": ["age", "year"]}
        here = piiscan.anonymize(part.toArrow(), **asked, population=few.toArrow())
        for other in (few, few.toArrow()):
            found = engine.anonymize(part, **asked, population=other)
            assert rows_of(found.frame.toArrow()) == rows_of(here.frame)
        with pytest.raises(UsageError, match="no column year"):
            engine.anonymize(part, **asked, population=few.drop("year"))

    def test_people_of_a_vault_are_those_of_one_machine(self, frame: Any, tmp_path: Path) -> None:
        few = frame.selectExpr("customer", "name", "email", "email AS second", "ok")
        made = in_parts(engine.plan(few))
        plans = []
        for folder in ("here", "there"):
            (tmp_path / folder).mkdir()
            replace(made, vault="people", hashed_keys=True).save(tmp_path / folder / "plan.toml")
            plans.append(piiscan.Plan.load(tmp_path / folder / "plan.toml"))
        here, there = plans
        with pytest.raises(UsageError, match="remember"):
            engine.mask(few, there, KEY)
        expected = rows_of(piiscan.mask(few.toArrow(), here, KEY))
        with pytest.raises(UsageError, match="more than 10 different rows"):
            engine.remember(few, there, KEY, most=10)
        known = engine.remember(few, there, KEY)
        assert known is not None and known.subjects > 100
        assert rows_of(engine.mask(few, there, KEY).toArrow()) == expected

    def test_masked_rows_keep_what_the_plan_promises(self, frame: Any) -> None:
        few = frame.select("customer", "email", "ssn", "blob", "note", "home", "doc")
        used = in_parts(engine.plan(few))
        masked = engine.mask(few, used, KEY)
        promises = engine.verify(few, masked, used, KEY)
        assert {p.name for p in promises if p.column == "ssn"} >= {
            "no unique original is left in a cell",
            "every mask lies in its operator's range",
        }
        somebody = few.selectExpr("min(ssn) AS ssn").collect()[0]["ssn"]
        broken = {
            "as many rows": masked.where("customer % 7 > 1"),
            "blob: no unique original": masked.selectExpr(
                "customer", "email", "ssn", f"CAST('{somebody}' AS BINARY) AS blob", "note", "home", "doc"
            ),
            "email: every mask lies": masked.withColumn("email", masked["ssn"]),
            "note: nothing is left in it": masked.withColumn("note", masked["ssn"]),
        }
        for what, other in broken.items():
            with pytest.raises(VerifyError, match=what) as failure:
                engine.verify(few, other, used, KEY)
            assert somebody not in str(failure.value)

    def test_private_sums_bound_what_a_unit_adds(self, spark: Any, tmp_path: Path) -> None:
        rows: list[tuple[Any, ...]] = [
            (f" u{i % 40}" if i % 3 else f"u{i % 40}", float(i % 10), "ab"[i % 2]) for i in range(600)
        ]
        frame = spark.createDataFrame(rows + [(None, 9.0, "a")] * 50, "who string, x double, kind string").repartition(
            4
        )
        asked: dict[str, Any] = {"bounds": {"x": (0, 10)}, "categories": {"kind": ["a", "b"]}}
        # Noise is as good as none at such an epsilon, so that what was summed shows.
        privacy = piiscan.Privacy(epsilon=1e6, unit="who", max_rows=2, dataset="d", ledger=tmp_path / "l.sqlite")
        done = engine.summarize(frame, privacy, **asked)
        release = done.to_dict()
        assert abs(release["rows"]["value"] - 80) < 1
        assert engine.summarize(frame, privacy, **asked).repeated
        made = engine.synthesize(frame, replace(privacy, dataset="e"), n=50, **asked)
        assert len(made.frame) == 50 and set(made.frame.columns) == {"x", "kind"}
        with pytest.raises(UsageError, match="say whose a row is"):
            engine.summarize(frame, piiscan.Privacy(epsilon=1, one_row_per_person=True, dataset="d"), **asked)

    def test_aggregates_are_those_of_one_machine(self, frame: Any) -> None:
        few = frame.selectExpr("home.city AS city", "ok", "age", "CAST(pay AS DOUBLE) AS pay")
        found = engine.aggregate(few, ["city", "ok"], ["age", "pay"], totals="all")
        here = piiscan.aggregate(few.toArrow(), ["city", "ok"], ["age", "pay"], totals="all")
        assert found.groups == here.groups and found.to_dict() == here.to_dict()
        owned = frame.selectExpr("home.city AS city", "ok", "customer % 200 AS who", "age")
        found = engine.aggregate(owned, ["city", "ok"], "age", totals="all", unit="who")
        here = piiscan.aggregate(owned.toArrow(), ["city", "ok"], "age", totals="all", unit="who")
        assert found.groups == here.groups and found.to_dict() == here.to_dict()
        with pytest.raises(UsageError, match="direct identifiers"):
            engine.aggregate(frame.select("ssn", "age"), "ssn", "age")

    def test_anything_else_is_refused(self, table: pa.Table, plan: piiscan.Plan) -> None:
        for call in (engine.scan, engine.plan, lambda data: engine.mask(data, plan, KEY)):
            with pytest.raises(UsageError, match="df is a Spark DataFrame"):
                call(table)


def _without_names(plain: Any) -> Any:
    """A risk report without what tables are called."""
    if isinstance(plain, dict):
        return {key: _without_names(value) for key, value in plain.items() if key not in ("source", "against")}
    return [_without_names(item) for item in plain] if isinstance(plain, list) else plain
