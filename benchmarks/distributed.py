"""Scans of made-up people on one machine and on engines, side by side: CPU, memory, and what reaches the driver.

    python -m benchmarks.distributed --rows 200000 1000000 --engines local sail ray dask
    python -m benchmarks.distributed --rows 1000000 10000000 --spark .venv-spark/bin/python --save

Engines: `local` (one job), `sail`, `ray`, `dask`; with `--spark`, the Python of an environment that `make test-spark`
made, also `classic` (PySpark, executors of their own) and `connect` (the client here, a server of that environment).

Each engine runs in a process of its own, once with a function that only counts rows (`passing`) and once with the scan,
on as many cores as it has workers. What piiscan takes beside one machine is (CPU of the scan - CPU of passing) / CPU
of the local scan. All reports have to be the same, positions apart.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from benchmarks.processes import RESULTS, ROOT, machine, measured_on, save

TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
BLOCK = 100_000
BATCH = 1 << 17
ENGINES = ("local", "sail", "connect", "classic", "ray", "dask")
OF_SPARK = ("connect", "classic")
EXECUTOR_MB = 2048


class Case(NamedTuple):
    """One process of the benchmark. `what`: passing or scan."""

    engine: str
    what: str
    rows: int
    workers: int


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


def written(rows: int, folder: Path) -> None:
    """The rows as Parquet files, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(rows // BLOCK):
        path = folder / f"part-{seed:05}.parquet"
        if not path.exists():
            pq.write_table(block(seed, BLOCK), path.with_suffix(".new"))
            path.with_suffix(".new").rename(path)


def passing(batches: Iterator[Any]) -> Iterator[Any]:
    yield pa.RecordBatch.from_pydict({"n": pa.array([sum(batch.num_rows for batch in batches)], pa.int64())})


@contextmanager
def sail(workers: int) -> Iterator[Any]:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer(port=0)
    server.start(background=True)
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
    yield session
    session.stop()
    server.stop()


def settings(workers: int, python: str) -> dict[str, str]:
    return {
        "spark.master": f"local-cluster[{workers},1,{EXECUTOR_MB}]",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.pyspark.python": python,
        "spark.executorEnv.PYTHONPATH": str(ROOT),
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
    }


@contextmanager
def classic(workers: int) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    build = SparkSession.builder
    for name, value in settings(workers, sys.executable).items():
        build = build.config(name, value)
    session = build.getOrCreate()
    yield session
    session.stop()


@contextmanager
def connect(workers: int, python: str) -> Iterator[Any]:
    """A server of PySpark in another environment, and this one's client."""
    from pyspark.sql import SparkSession

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = {
        **settings(workers, python),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    home = subprocess.run(
        [python, "-c", "import os, pyspark; print(os.path.dirname(pyspark.__file__))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    conf = [word for name, value in told.items() for word in ("--conf", f"{name}={value}")]
    server = subprocess.Popen(
        [f"{home}/bin/spark-submit", *conf]
        + ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"],
        env={**os.environ, "SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": python},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 120
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            if time.monotonic() > until or server.poll() is not None:
                raise RuntimeError("the server of Spark Connect didn't start") from None
            time.sleep(0.2)
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield session
    session.stop()
    server.terminate()


def on_spark(session: AbstractContextManager[Any], folder: Path, what: str) -> Any:
    with session as spark:
        df = spark.read.parquet(str(folder))
        if what == "passing":
            df.mapInArrow(passing, "n bigint").collect()
            return None
        from piiscan import spark as engine

        return engine.scan(df)


def on_ray(workers: int, folder: Path, what: str) -> Any:
    import ray

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    data = ray.data.read_parquet(str(folder))
    if what == "passing":
        data.map_batches(lambda t: {"n": [t.num_rows]}, batch_format="pyarrow", batch_size=BATCH).take_all()
        return None
    from piiscan import ray as engine

    return engine.scan(data)


def on_dask(workers: int, folder: Path, what: str) -> Any:
    import dask
    import dask.dataframe as dd

    with dask.config.set(scheduler="processes", num_workers=workers):
        ddf = dd.read_parquet(str(folder))
        if what == "passing":
            ddf.map_partitions(len, meta=("n", "int64")).compute()
            return None
        from piiscan import dask as engine

        return engine.scan(ddf)


def on_one_machine(folder: Path, what: str) -> Any:
    reader = ds.dataset(folder).scanner(batch_size=BATCH).to_reader()
    if what == "passing":
        sum(batch.num_rows for batch in reader)
        return None
    import piiscan

    return piiscan.scan(reader, jobs=1)


def run(case: Case, folder: Path, python: str | None) -> dict[str, Any]:
    """One engine, in this process: what reached the driver, and a digest of the report without positions."""
    own = {
        "local": partial(on_one_machine, folder, case.what),
        "sail": lambda: on_spark(sail(case.workers), folder, case.what),
        "classic": lambda: on_spark(classic(case.workers), folder, case.what),
        "connect": lambda: on_spark(connect(case.workers, python or sys.executable), folder, case.what),
        "ray": partial(on_ray, case.workers, folder, case.what),
        "dask": partial(on_dask, case.workers, folder, case.what),
    }[case.engine]
    reached = counted_bytes(case.engine) if case.what == "scan" else (lambda: 0)
    report = own()
    if report is None:
        return {}
    text = json.dumps(without_positions(report.to_dict()), sort_keys=True)
    return {"to_driver_kb": round(reached() / 1000), "report": hashlib.sha256(text.encode()).hexdigest()[:16]}


def counted_bytes(engine: str) -> Callable[[], int]:
    """How many bytes of summaries the driver was given: where workers are other processes, what it folds itself."""
    from piiscan.engines import scan_parts

    fold, finish, sizes = scan_parts.fold, scan_parts.finish, [0]

    def folding(parts: Any, key: Any = None) -> bytes:
        given = list(parts)
        sizes.append(sum(map(len, given)))
        return fold(given, key)

    def finishing(data: bytes, *others: Any, **named: Any) -> Any:
        sizes.append(len(data))
        return finish(data, *others, **named)

    if engine in ("ray", *OF_SPARK):
        scan_parts.fold = folding
    scan_parts.finish = finishing
    return lambda: max(sizes)


def without_positions(plain: Any) -> Any:
    """A report without what only some engines know: positions, and how the source and its columns are stored."""
    if isinstance(plain, dict):
        left_out = ("first_rows", "first_places", "positions", "source", "format")
        return {key: without_positions(value) for key, value in plain.items() if key not in left_out}
    return [without_positions(item) for item in plain] if isinstance(plain, list) else plain


def watched(argv: list[str], cores: int) -> dict[str, Any]:
    """What a command and its descendants take on so many cores, by looking at them ten times a second.

    `driver_mb`: the peaks of the process itself and of its Java, together; `worker_mb`: that of the largest other
    process; `all_mb`: that of all at a time, with what they share counted for each.
    """
    began = time.monotonic()
    # Without bytecode each worker would compile all packages.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            argv,
            stdout=subprocess.PIPE,
            stderr=said,
            env=env,
            preexec_fn=partial(os.sched_setaffinity, 0, range(cores)),
        )
        seconds: dict[int, float] = {}
        largest: dict[int, int] = {}
        drives: dict[int, bool] = {process.pid: True}
        peak = [0]
        done = threading.Event()

        def look() -> None:
            while not done.wait(0.1):
                found = dict(descendants(process.pid))
                peak[0] = max(peak[0], sum(memory for _, memory in found.values()))
                for pid, (cpu, memory) in found.items():
                    seconds[pid] = max(seconds.get(pid, 0.0), cpu)
                    largest[pid] = max(largest.get(pid, 0), memory)
                    drives.setdefault(pid, False)
                    if not drives[pid]:
                        drives[pid] = is_driver(pid)

        looking = threading.Thread(target=look)
        looking.start()
        assert process.stdout is not None
        told = process.stdout.read().decode()
        status = process.wait()
        done.set()
        looking.join()
        if status:
            said.seek(0)
            raise RuntimeError(f"{argv} ended with status {status}: {said.read()[-2000:].decode(errors='replace')}")
    return {
        "seconds": round(time.monotonic() - began, 1),
        "cpu": round(sum(seconds.values()), 1),
        "driver_mb": round(sum(m for pid, m in largest.items() if drives[pid]) / 1e6),
        "worker_mb": round(max((m for pid, m in largest.items() if not drives[pid]), default=0) / 1e6),
        "all_mb": round(peak[0] / 1e6),
        **json.loads(told.splitlines()[-1]),
    }


def is_driver(pid: int) -> bool:
    """Whether a process is the Java of a driver or of a server."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"org.apache.spark.deploy.SparkSubmit" in command


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


def tables(runs: Sequence[dict[str, Any]]) -> str:
    """The runs, and what follows from them, as Markdown."""
    of = {Case(r["engine"], r["what"], r["rows"], r["workers"]): r for r in runs}
    lines = [
        "| engine | workers | rows | seconds | CPU s | passing, CPU s | ÷ local | driver MB | worker MB | all MB "
        "| to the driver, kB |",
        "|---|" + "---:|" * 10,
    ]
    scans = [case for case in of if case.what == "scan"]
    for case in scans:
        found, idle = of[case], of[case._replace(what="passing")]
        local = of.get(Case("local", "scan", case.rows, 1))
        ratio = "" if local is None else f"{(found['cpu'] - idle['cpu']) / local['cpu']:.2f}"
        lines.append(
            f"| {case.engine} | {case.workers} | {case.rows:,} | {found['seconds']} | {found['cpu']} | {idle['cpu']} "
            f"| {ratio} | {found['driver_mb']} | {found['worker_mb'] or ''} | {found['all_mb']} "
            f"| {found['to_driver_kb'] if case.engine != 'local' else ''} |"
        )
    growths = []
    for case in scans:
        for other in scans:
            if case[:2] + case[3:] == other[:2] + other[3:] and other.rows == 10 * case.rows:
                names = ("seconds", "cpu", "driver_mb", "worker_mb", "to_driver_kb")
                ratios = [of[other][n] / of[case][n] if of[case][n] else None for n in names]
                cells = " | ".join("" if r is None else f"{r:.2f}" for r in ratios)
                growths.append(f"| {case.engine} | {case.workers} | {case.rows:,} → {other.rows:,} | {cells} |")
    if growths:
        lines += ["", "Growth, ten times the rows:", ""]
        lines += ["| engine | workers | rows | seconds | CPU | driver MB | worker MB | to the driver |"]
        lines += ["|---|" + "---:|" * 7, *growths]
    digests = {
        rows: {r["report"] for r in runs if r["rows"] == rows and "report" in r} for rows in {c.rows for c in of}
    }
    same = all(len(found) == 1 for found in digests.values())
    lines += ["", "All reports of as many rows are the same." if same else "REPORTS DIFFER."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[200_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--engines", nargs="+", default=ENGINES, choices=ENGINES)
    parser.add_argument(
        "--spark",
        type=os.path.abspath,
        help="the Python of an environment with PySpark; it has to stay on this machine",
    )
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "piiscan-distributed")
    parser.add_argument("--runs", type=Path, help="keep each run here as a line of JSON, and don't repeat those there")
    parser.add_argument("--save", action="store_true", help="write the tables into benchmarks/results")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        case = Case(*json.loads(asked.one))
        print(json.dumps(run(case, asked.folder / str(case.rows), asked.spark)), flush=True)
        sys.stdout.flush()
        os._exit(0)  # threads of servers may wait for ever
    about = machine()
    about["versions"] |= versions(asked.spark)
    runs: list[dict[str, Any]] = []
    if asked.runs and asked.runs.exists():
        runs = [json.loads(line) for line in asked.runs.read_text().splitlines()]
    done = {(r["engine"], r["what"], r["rows"], r["workers"]) for r in runs}
    for case in cases(asked.rows, asked.workers, [e for e in asked.engines if asked.spark or e not in OF_SPARK]):
        if case in done:
            continue
        written(case.rows, asked.folder / str(case.rows))
        python = asked.spark if case.engine == "classic" else sys.executable
        own = ["--folder", str(asked.folder), *(["--spark", asked.spark] if asked.spark else [])]
        found = watched(
            [python, "-m", "benchmarks.distributed", *own, "--one", json.dumps(case)],
            1 if case.engine == "local" else case.workers,
        )
        runs.append({**case._asdict(), **found})
        print(json.dumps(runs[-1]), flush=True)
        if asked.runs:
            with asked.runs.open("a") as kept:
                kept.write(json.dumps(runs[-1]) + "\n")
    page = tables(runs)
    print(page)
    if asked.save:
        save("distributed", {**about, "runs": runs}, measured_on(about) + "\n\n" + page, RESULTS)


def versions(python: str | None) -> dict[str, str]:
    """Of the engines that are installed, PySpark in its own environment."""
    found = {}
    for name in ("pysail", "pyspark-client", "ray", "dask"):
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    if python is not None:
        asked = [python, "-c", "from importlib.metadata import version; print(version('pyspark'))"]
        found["pyspark"] = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    return found


def cases(rows: Sequence[int], workers: Sequence[int], engines: Sequence[str]) -> Iterator[Case]:
    for n in rows:
        for engine in engines:
            for w in (1,) if engine == "local" else workers:
                yield from (Case(engine, what, n, w) for what in ("passing", "scan"))


if __name__ == "__main__":
    main()
