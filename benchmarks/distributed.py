"""Scans of made-up people on one machine, Sail, Ray and Dask, and on PySpark where that is installed: seconds, CPU
seconds of all processes, and the peak memory of the largest and of all together.

    python -m benchmarks.distributed --rows 1000000 --engines local sail ray dask
    .venv-spark/bin/python -m benchmarks.distributed --rows 1000000 --engines local classic

Each engine runs in a process of its own, once with a function that only counts rows (`passing`) and once with the scan.
What piiscan takes beside one machine is (CPU of the scan - CPU of passing) / CPU of `local`, which has one job.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

TICK = os.sysconf("SC_CLK_TCK")
BLOCK = 100_000
ENGINES = ("local", "sail", "classic", "ray", "dask")


def block(seed: int, rows: int) -> pa.Table:
    """Some rows of 14 columns."""
    draw = np.random.default_rng(seed)
    digits = draw.integers(0, 10, (rows, 10))
    number = ["".join(map(str, row)) for row in digits.tolist()]
    first = np.array(["Ann", "Bob", "Cem", "Dora", "Eva", "Femi", "Gao", "Ines"])[draw.integers(0, 8, rows)]
    last = np.array(["Smith", "Jones", "Yilmaz", "Novak", "Rossi", "Okafor", "Li"])[draw.integers(0, 7, rows)]
    return pa.table(
        {
            "id": np.arange(seed * rows, (seed + 1) * rows),
            "first_name": first,
            "last_name": last,
            "email": [f"{f}.{n[:5]}@mail{n[5]}.com" for f, n in zip(first, number, strict=True)],
            "phone": [f"({n[:3]}) 555-{n[3:7]}" for n in number],
            "ssn": [f"{n[:3]}-{n[3:5]}-{n[5:9]}" for n in number],
            "born": np.datetime64("1950-01-01") + draw.integers(0, 20_000, rows).astype("timedelta64[D]"),
            "city": np.array(["Boston", "Rome", "Ankara", "Lagos"])[draw.integers(0, 4, rows)],
            "zip": [n[:5] for n in number],
            "amount": np.round(draw.exponential(100, rows), 2),
            "quantity": draw.integers(0, 50, rows),
            "ok": draw.random(rows) > 0.5,
            "code": [f"X{n[:6]}" for n in number],
            "note": [f"order {n[:6]} was paid in {n[7]} parts" for n in number],
        }
    )


def written(rows: int, folder: Path) -> list[str]:
    paths = []
    for seed in range(rows // BLOCK):
        path = folder / f"part-{seed:05}.parquet"
        if not path.exists():
            pq.write_table(block(seed, BLOCK), path)
        paths.append(str(path))
    return paths


def passing(batches: Iterator[Any]) -> Iterator[Any]:
    yield pa.RecordBatch.from_pydict({"n": pa.array([sum(batch.num_rows for batch in batches)], pa.int64())})


@contextmanager
def sail() -> Iterator[Any]:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer(port=0)
    server.start(background=True)
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
    yield session
    session.stop()
    server.stop()


@contextmanager
def classic() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    build = SparkSession.builder.master("local-cluster[2,1,2048]").config("spark.ui.enabled", "false")
    build = build.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    session = build.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(sys.path)).getOrCreate()
    yield session
    session.stop()


def on_spark(session: Callable[[], Any], folder: str, what: str) -> None:
    with session() as spark:
        df = spark.read.parquet(folder)
        if what == "passing":
            df.mapInArrow(passing, "n bigint").collect()
        else:
            from piiscan import spark as engine

            engine.scan(df)


def run(engine: str, what: str, folder: str, paths: list[str]) -> None:
    """One engine, in this process."""
    if engine in ("sail", "classic"):
        on_spark(sail if engine == "sail" else classic, folder, what)
    elif engine == "ray":
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
        ds = ray.data.read_parquet(paths)
        if what == "passing":
            ds.map_batches(lambda t: {"n": [t.num_rows]}, batch_format="pyarrow", batch_size=1 << 17).take_all()
        else:
            from piiscan import ray as ray_engine

            ray_engine.scan(ds)
    elif engine == "dask":
        import dask
        import dask.dataframe as dd

        with dask.config.set(scheduler="processes", num_workers=2):
            ddf = dd.read_parquet(paths)
            if what == "passing":
                ddf.map_partitions(len, meta=("n", "int64")).compute()
            else:
                from piiscan import dask as dask_engine

                dask_engine.scan(ddf)
    elif what == "passing":
        for path in paths:
            pq.read_table(path)
    else:
        import piiscan

        piiscan.scan((pq.read_table(path) for path in paths), jobs=1)


def watched(argv: list[str]) -> dict[str, float]:
    """What a command and its descendants take, by looking at them ten times a second."""
    began = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    seconds: dict[int, float] = {}
    largest: dict[int, int] = {}
    peak = [0]
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.1):
            found = dict(descendants(process.pid))
            peak[0] = max(peak[0], sum(memory for _, memory in found.values()))
            for pid, (cpu, memory) in found.items():
                seconds[pid] = max(seconds.get(pid, 0.0), cpu)
                largest[pid] = max(largest.get(pid, 0), memory)

    looking = threading.Thread(target=look)
    looking.start()
    status = process.wait()
    done.set()
    looking.join()
    return {
        "status": status,
        "seconds": round(time.monotonic() - began, 1),
        "cpu": round(sum(seconds.values()), 1),
        "largest_mb": round(max(largest.values(), default=0) / 2**20),
        "all_mb": round(peak[0] / 2**20),
    }


def descendants(root: int) -> Iterator[tuple[int, tuple[float, int]]]:
    """Each process below one, itself included: its CPU seconds, without those of its children, and its memory."""
    parents: dict[int, int] = {}
    told: dict[int, tuple[float, int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        parents[pid] = int(fields[1])
        told[pid] = ((int(fields[11]) + int(fields[12])) / TICK, int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))
    for pid, found in told.items():
        at = pid
        while at and at != root:
            at = parents.get(at, 0)
        if at == root:
            yield pid, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--engines", nargs="+", default=["local", "sail"], choices=ENGINES)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "piiscan-distributed")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    for rows in asked.rows:
        folder = asked.folder / str(rows)
        folder.mkdir(parents=True, exist_ok=True)
        paths = written(rows, folder)
        if asked.one:
            run(*asked.one, str(folder), paths)
            sys.stdout.flush()
            os._exit(0)  # threads of servers may wait for ever
        for engine in asked.engines:
            for what in ("passing", "scan"):
                own = ["--rows", str(rows), "--folder", str(asked.folder), "--one", engine, what]
                found = watched([sys.executable, "-m", "benchmarks.distributed", *own])
                print(json.dumps({"rows": rows, "engine": engine, "what": what, **found}), flush=True)


if __name__ == "__main__":
    main()
