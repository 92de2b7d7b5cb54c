"""What every test may use: the command line, in this process or in one of its own, and the wheel that people
install."""

from __future__ import annotations

import atexit
import fcntl
import gc
import io
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

with pytest.MonkeyPatch.context() as environment:
    # Workers of pytest-xdist share out the cores: threads of polars in each would spend a tenth of all its time on
    # waking one another. Processes that tests start have as many as people's; `test_determinism.py` compares some.
    if "PYTEST_XDIST_WORKER" in os.environ:
        environment.setenv("POLARS_MAX_THREADS", "1")
    environment.setenv("OPENBLAS_NUM_THREADS", "1")  # as in the command line
    import numpy  # noqa: F401  (which read them when they are imported)
    import polars  # noqa: F401

from piiscan import cli
from piiscan.core import memory
from piiscan.dp import ledger

# The same examples in every run: what passes here passes in continuous integration, however busy that machine is.
settings.register_profile("piiscan", derandomize=True, deadline=None)
settings.load_profile("piiscan")

ROOT = Path(__file__).resolve().parent.parent

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def _without_waiting(file: Any) -> None:
    os.fstat(file if isinstance(file, int) else file.fileno())  # it refuses what isn't open, as `os.fsync` does


def pytest_configure() -> None:
    """What tests write in this process needn't outlive a power failure, so nothing waits for the disk, which takes
    longer than many a test. Tests of waits that fail patch `os.fsync` themselves."""
    os.fsync = _without_waiting
    ledger._DURABLE = ("synchronous = OFF",)  # type: ignore[misc,assignment]


def pytest_collection_finish() -> None:
    """What the tests are made of lives to the end: the garbage collector need not look through it again and again."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


@atexit.register
def _hide_leaks() -> None:
    """DuckDB's bindings list what is left when the interpreter ends, some forty lines in each process of the tests."""
    if "duckdb" in sys.modules:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def one_by_one(classify: Callable[..., Any]) -> Callable[..., list[Any]]:
    """What `judging.classify_each` is, of a function that judges one table."""
    return lambda tables, rules, *more: [classify(info, summary, rules, *more) for info, summary in tables]


def unmeasured() -> dict[str, str]:
    """The environment for a process whose imports or time are looked at: coverage.py imports packages too."""
    return {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}


def _environment(width: int) -> dict[str, str]:
    """Nothing of what whoever runs the tests has set for piiscan, and reports that look the same everywhere."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("PIISCAN_", "GITHUB_"))}
    return plain | {"NO_COLOR": "1", "COLUMNS": str(width)}


def run_process(
    *arguments: str | Path, cwd: Path = ROOT, stdin: bytes = b"", width: int = 100
) -> subprocess.CompletedProcess[str]:
    """Run `piiscan ARGUMENTS` in a process of its own, as people do, and return what it printed; the caller looks at
    the exit status."""
    done = subprocess.run(
        [sys.executable, "-m", "piiscan", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=120,
        env=_environment(width) | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def run_piiscan(
    *arguments: str | Path, cwd: Path = ROOT, stdin: bytes = b"", width: int = 100, colours: bool = False
) -> subprocess.CompletedProcess[str]:
    """The same as `run_process` without the half second that a process takes to import what piiscan stands on and to
    load the rules. `test_processes.py` holds that both say the same."""
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin, b"", b"")]
    typed = [str(argument) for argument in arguments]
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - (environment := _environment(width)).keys():
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        if colours:
            patch.delenv("NO_COLOR")
            patch.setenv("TERM", "xterm-256color")
            patch.setattr(streams[1], "isatty", lambda: True)
        patch.chdir(cwd)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        memory.begin()  # what other tests have left in this process isn't the command's
        status = cli.invoke(typed)
        for stream in streams[1:]:
            stream.flush()
    _, out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(typed, status, out, err)


@pytest.fixture(scope="session")
def piiscan() -> Run:
    return run_piiscan


@pytest.fixture(scope="session")
def piiscan_process() -> Run:
    return run_process


def _once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder of this run, filled by `make` in the first worker that asks for it; the others wait."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # whose own folder lies in that of the run
        base = base.parent
    folder = base / name
    with open(base / f"{name}.lock", "a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        if not lock.read():
            shutil.rmtree(folder, ignore_errors=True)  # what a failure left
            folder.mkdir()
            make(folder)
            lock.write("done")
    return folder


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once a run, from the source distribution, so that this one has all it needs too."""

    def make(out: Path) -> None:
        subprocess.run(
            [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT], check=True, capture_output=True
        )

    (found,) = _once(tmp_path_factory, "dist", make).glob("*.whl")
    return found


@pytest.fixture(scope="session")
def wheel_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment, its folder with a space in the name, that holds the wheel and sees
    today's dependencies."""

    def make(home: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
        # What stands in a .pth file there isn't followed, so an editable install of the checkout stays out of sight.
        there = sysconfig.get_path("purelib", "venv", vars={"base": str(home)})
        Path(there, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            home / "bin" / "python",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
        ]
        subprocess.run([*pip, "--force-reinstall", wheel], check=True, capture_output=True)

    return _once(tmp_path_factory, "an environment", make) / "bin" / "python"
