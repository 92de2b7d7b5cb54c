"""Which packages are not imported: that is what keeps `--help` and the hook fast."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import unmeasured

from piiscan.rules.rule_sets import shipped

HEAVY = {"numpy", "polars", "rich", "regex", "pandas", "cryptography", "phonenumbers", "stdnum", "duckdb", "pyarrow"}
NOT_FOR_CSV = {
    "pandas",
    "pyarrow",
    "sklearn",
    "spacy",
    "presidio_analyzer",
    "faker",
    "duckdb",
    "phonenumbers",
    "stdnum",
    "fastexcel",
    "rich",
    "narwhals",
    "fastavro",
    "tarfile",
    "piiscan.rules.dialect",
    "piiscan.rules.pattern_analysis",
    "piiscan.rules.rules_for_code",
    "piiscan.detection.text.recogniser",
}

PROGRAM = """
import sys
sys.argv[0] = "piiscan"
from piiscan.cli import invoke
try:
    sys.exit(invoke())
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def imported(*args: str, cwd: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *args], cwd=cwd, env=unmeasured(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode in (0, 1), done.stderr
    names = done.stderr.splitlines()[-1].split()
    return {*names, *(name.partition(".")[0] for name in names)}


@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["--version"],
        ["scan", "--help"],
        ["explain", "--help"],
        ["baseline", "create", "--help"],
        ["config", "show"],
        ["train", "--help"],
        ["evaluate", "--help"],
        ["key", "new", "--help"],
        ["completion", "zsh"],
    ],
)
def test_help_imports_nothing_heavy(args: list[str], tmp_path: Path) -> None:
    found = imported(*args, cwd=tmp_path)
    assert "click" in found
    assert not found & HEAVY


def test_a_scan_of_a_csv_imports_only_what_it_needs(tmp_path: Path) -> None:
    shipped()  # a checkout compiles rules that have changed, with more than a scan of them needs
    (tmp_path / "x.csv").write_text("a,b\nred,1\nblue,2\n")
    found = imported("scan", "x.csv", cwd=tmp_path)
    assert "polars" in found
    assert not found & NOT_FOR_CSV


def test_importing_the_package_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import piiscan, sys; piiscan.Report, piiscan.FindingsError; print(*{n.partition('.')[0] for n in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=unmeasured(), capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & HEAVY
