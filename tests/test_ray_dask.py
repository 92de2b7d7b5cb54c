"""Ray and Dask give the results of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pyarrow as pa
import pytest
from distributed_tables import in_parts, people, rows_of, without_positions

import piiscan
from piiscan.core import keys
from piiscan.core.errors import UsageError

COLUMNS = ["customer", "name", "email", "ssn", "age", "ok", "seen", "doc"]
KEY = "env:PIISCAN_TASK_KEY"

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True, scope="module")
def key() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIISCAN_TASK_KEY", keys.new())
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        yield


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return people(1200).select(COLUMNS)


class TestDask:
    """Partitions are sent to processes."""

    @pytest.fixture(scope="class")
    def frame(self, table: pa.Table) -> Iterator[Any]:
        import dask
        import dask.dataframe as dd
        import pandas as pd

        with (
            ProcessPoolExecutor(2, get_context("spawn")) as pool,
            dask.config.set(scheduler="processes", pool=pool),
        ):
            yield dd.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=5)

    def test_a_scan(self, frame: Any, table: pa.Table) -> None:
        from piiscan import dask as engine

        assert without_positions(engine.scan(frame)) == without_positions(piiscan.scan(table))
        assert without_positions(engine.scan(frame[frame["customer"] < 0])) == without_positions(
            piiscan.scan(table.slice(0, 0))
        )

    def test_a_mask(self, frame: Any, table: pa.Table) -> None:
        from piiscan import dask as engine

        used = in_parts(piiscan.plan(table))
        masked = engine.mask(frame, used, KEY)
        found = pa.Table.from_pandas(masked.compute(), preserve_index=False)
        assert rows_of(found) == rows_of(piiscan.mask(table, used, KEY))
        assert list(masked.dtypes) == list(frame.dtypes)

    def test_an_index_with_a_name_is_a_column(self, table: pa.Table) -> None:
        import dask.dataframe as dd
        import pandas as pd

        from piiscan import dask as engine

        pandas = table.to_pandas(types_mapper=pd.ArrowDtype).set_index("ssn")
        report = engine.scan(dd.from_pandas(pandas, npartitions=2, sort=False))
        assert report["ssn"].entity == "US_SSN"

    def test_anything_else_is_refused(self, table: pa.Table) -> None:
        from piiscan import dask as engine

        with pytest.raises(UsageError, match="ddf is a Dask DataFrame"):
            engine.scan(table)


@pytest.mark.slow
class TestRay:
    """A cluster of two processes on this machine."""

    @pytest.fixture(scope="class")
    def data(self, table: pa.Table) -> Iterator[Any]:
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
        yield ray.data.from_arrow([table.slice(0, 500), table.slice(500, 100), table.slice(600)])
        ray.shutdown()

    def test_a_scan(self, data: Any, table: pa.Table) -> None:
        from piiscan import ray as engine

        assert without_positions(engine.scan(data)) == without_positions(piiscan.scan(table))
        assert without_positions(engine.scan(data, key=KEY)) == without_positions(piiscan.scan(table))

    def test_a_mask(self, data: Any, table: pa.Table) -> None:
        import ray

        from piiscan import ray as engine

        used = in_parts(piiscan.plan(table))
        found = pa.concat_tables(ray.get(engine.mask(data, used, KEY).to_arrow_refs()))
        assert rows_of(found) == rows_of(piiscan.mask(table, used, KEY))

    def test_anything_else_is_refused(self, table: pa.Table) -> None:
        from piiscan import ray as engine

        with pytest.raises(UsageError, match="ds is a Ray Dataset"):
            engine.scan(table)
