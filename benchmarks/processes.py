"""Whole processes under a stop watch, and what every result says of the machine. Standard library only."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PIISCAN = Path(sys.executable).with_name("piiscan")
"""The installed command."""


@dataclass(frozen=True, slots=True)
class Run:
    """`seconds` on the wall, `cpu` seconds of all threads (user and system), `peak` resident memory in MB (10⁶
    bytes), and how it ended."""

    seconds: float
    cpu: float
    peak: float
    status: int = 0


def run(command: Sequence[str | Path], out: Path | None = None, statuses: tuple[int, ...] = (0,)) -> Run:
    """Run a command to its end, its standard output into `out`. Raises RuntimeError for a status that isn't among
    `statuses`.

    Keep the caller small: Linux counts the memory of the process that starts a command into the command's peak.
    """
    with open(out or os.devnull, "wb") as stdout, tempfile.TemporaryFile() as stderr:
        start = time.perf_counter()
        process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in statuses:
            stderr.seek(0)
            raise RuntimeError(
                f"{command[0]} ended with status {process.returncode}: {stderr.read()[-2000:].decode(errors='replace')}"
            )
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6, process.returncode)


def answer(module: str, *arguments: object) -> Any:
    """What `python -m benchmarks.MODULE ARGUMENTS` prints, read as JSON. Raises CalledProcessError."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def machine() -> dict[str, Any]:
    """Date, versions, cores, and how busy the machine was before."""
    return {
        "date": dt.date.today().isoformat(),
        "versions": {"python": platform.python_version()}
        | {name: _version(name) for name in ("piiscan-toolkit", "polars", "numpy")},
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def measured_on(about: dict[str, Any]) -> str:
    """The sentence on the machine, above figures."""
    versions = ", ".join(f"{name} {found}" for name, found in about["versions"].items() if found)
    return (
        f"Measured on {about['date']}: {about['system']}, {about['cores']} cores, load before "
        f"{about['load_before']}; {versions}."
    )


def heading(about: dict[str, Any], rounds: int) -> str:
    """The sentences above a table of medians."""
    return f"{measured_on(about)} Medians of {rounds} rounds.\n"


def save(name: str, about: dict[str, Any], page: str, folder: Path) -> None:
    """Write NAME-DATE.json and NAME.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}-{about['date']}.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(page, encoding="utf-8")
