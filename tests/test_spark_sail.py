"""Spark without Java: Sail, a server of Spark Connect."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from spark_cases import SparkCases

from piiscan.core import keys

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
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
        yield session
        session.stop()
        server.stop()


class TestSail(SparkCases):
    """Its sessions have one process."""
