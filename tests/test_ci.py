"""What continuous integration runs goes on after a failure, stops what takes too long, and says which it was."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT


def run(folder: Path, make: str, limit: str = "minutes * 60", whole: int = 50) -> subprocess.CompletedProcess[str]:
    """The script with a `make` of the test's own; `limit`: seconds of a target; `whole`: minutes of all."""
    (folder / ".ci").mkdir()
    (folder / "bin").mkdir()
    script = Path(shutil.copy(ROOT / ".ci" / "run", folder / ".ci"))
    text = script.read_text(encoding="utf-8").replace("minutes * 60", limit).replace("whole=50", f"whole={whole}")
    script.write_text(text, encoding="utf-8")
    (folder / "bin" / "make").write_text(f"#!/bin/sh\n{make}\n", encoding="utf-8")
    (folder / "bin" / "make").chmod(0o755)
    environment = os.environ | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run([script], env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("make", "last", "status"),
    [
        ("exit 0", "passed", 0),
        ('test "$1" != test', "failed: test", 1),
        ("exit 2", "failed: .venv/dev.stamp, test, test-slow, fuzz, docs, test-dumps, test-spark, test-federated", 1),
    ],
)
def test_every_target_runs_and_those_that_fail_are_reported(make: str, last: str, status: int, tmp_path: Path) -> None:
    done = run(tmp_path, make)
    assert done.returncode == status, done.stderr
    assert done.stdout.splitlines()[-1] == last
    targets = re.findall(r"^== make (\S+), within \d+ seconds$", done.stdout, re.MULTILINE)
    assert (
        targets == re.findall(r"^    '(\S+) \d+", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
        and "test" in targets
    )


def test_a_target_out_of_time_is_stopped(tmp_path: Path) -> None:
    done = run(tmp_path, 'test "$1" != test || sleep 50', limit="2")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "failed: test (out of time)")


def test_what_waits_for_time_is_not_started_without_and_the_output_says_so(tmp_path: Path) -> None:
    done = run(tmp_path, "exit 0", whole=6)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-2:] == ["not run, as there was no time: test-spark, test-federated", "passed"]
    assert "make test-dumps" in done.stdout and "make test-spark" not in done.stdout
