"""What every test may use: the command line as people run it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run: what passes here passes in continuous integration, however busy that machine is.
settings.register_profile("piiscan", derandomize=True, deadline=None)
settings.load_profile("piiscan")

ROOT = Path(__file__).resolve().parent.parent

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def run_piiscan(*arguments: str | Path, cwd: Path = ROOT, stdin: bytes = b"", width: int = 100) -> subprocess.CompletedProcess[str]:
    """Run `piiscan ARGUMENTS` and return what it printed; the caller looks at the exit status."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("PIISCAN_", "GITHUB_"))}
    done = subprocess.run(
        [sys.executable, "-m", "piiscan", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=120,
        env=plain | {"NO_COLOR": "1", "COLUMNS": str(width), "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="session")
def piiscan() -> Run:
    return run_piiscan
