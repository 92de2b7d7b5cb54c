"""Processes that are forked: polars can't work in them once it has been used, and would wait for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

SCRIPT = """
import sys
from multiprocessing import get_context

BEFORE
import piiscan
from piiscan.core import forked

forked.PATIENCE = 3.0


def scanned(path):
    try:
        return [c.entity for c in piiscan.scan(path, jobs=1).tables[0].columns]
    except piiscan.UsageError as error:
        return str(error)


if __name__ == "__main__":
    with get_context("fork").Pool(1) as pool:
        print(pool.map(scanned, [sys.argv[1], sys.argv[1]]))
    print(scanned(sys.argv[1]))
"""
USES = {
    "nothing": "",
    "polars": "import polars",
    "a calculation": "import polars; polars.DataFrame({'a': [1], 'b': [2]}).select(polars.all() + 1)",
    "a scan": "import piiscan; piiscan.scan(sys.argv[1], jobs=1)",
}


@pytest.mark.parametrize("used", USES)
def test_a_forked_process_scans_or_says_why_it_cannot(tmp_path: Path, used: str) -> None:
    (tmp_path / "x.csv").write_text("email\nann@mail.net\n")
    (tmp_path / "script.py").write_text(SCRIPT.replace("BEFORE", USES[used]))
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py", tmp_path / "x.csv"],
        capture_output=True,
        text=True,
        timeout=100,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    child, parent = done.stdout.splitlines()
    assert parent == "['EMAIL_ADDRESS']"
    refused = used in ("a calculation", "a scan")
    assert child.count("spawn") == 2 * refused and child.count("EMAIL_ADDRESS") == 2 * (not refused)
