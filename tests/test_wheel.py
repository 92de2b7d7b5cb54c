"""The wheel as people install it: everything in it, and it works away from the checkout."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from conftest import ROOT


def run(python: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    plain = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [python.with_name("piiscan"), *arguments] if arguments[0] != "-c" else [python, *arguments]
    return subprocess.run(command, cwd=cwd, env=plain, capture_output=True, text=True, timeout=120)


ALLOWED = (
    r"piiscan/(?!_shipped/)([a-z_0-9]+/)*([a-z_0-9]+\.py|[a-z_0-9-]+\.(json|toml|txt)|py\.typed)",
    r"piiscan/_shipped/rules\.json",
    r"piiscan/_shipped/rules/([a-z_0-9-]+\.toml|values/[a-z_]+\.txt)",
    r"piiscan/_shipped/models/((columns|text|wordlists)\.npz|digests\.json|(README|columns|text)\.md)",
    r"piiscan_toolkit-[^/]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/LICENSE)",
)
"""No caches, and nothing that models are trained with."""
MOST_BYTES = 11_500_000
"""Arrays of models before all: 7.0 MB for columns (8 are allowed) and 4.0 MB for texts, before they are compressed;
then 2.0 MB of code and rules, which grow with what is found."""


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if not any(re.fullmatch(pattern, name) for pattern in ALLOWED)]
    assert wheel.stat().st_size < MOST_BYTES


def test_the_wheel_holds_all_it_needs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    def files(folder: str) -> set[str]:
        found = [
            p for p in (ROOT / folder).rglob("*") if p.is_file() and not {"__pycache__", "_shipped"} & set(p.parts)
        ]
        return {p.relative_to(ROOT).as_posix() for p in found}

    assert {n for n in names if re.fullmatch(ALLOWED[0], n)} == files("piiscan")
    assert {n.removeprefix("piiscan/_shipped/") for n in names if n.startswith("piiscan/_shipped/rules/")} == files(
        "rules"
    )
    models = {"README.md", "columns.md", "columns.npz", "digests.json", "text.md", "text.npz", "wordlists.npz"}
    assert {n for n in names if n.startswith("piiscan/_shipped/models/")} == {
        f"piiscan/_shipped/models/{name}" for name in models
    }
    assert "piiscan/_shipped/rules.json" in names


def test_the_licence_is_in(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("/licenses/LICENSE")]
        assert archive.read(name) == (ROOT / "LICENSE").read_bytes()


def test_the_package_comes_from_the_wheel(wheel_python: Path, tmp_path: Path) -> None:
    code = (
        "import piiscan, importlib.metadata as m; print(piiscan.__file__); print(m.version('piiscan-toolkit') == "
        "piiscan.__version__)"
    )
    done = run(wheel_python, "-c", code, cwd=tmp_path)
    assert done.stdout.splitlines() == [
        str(
            Path(
                sysconfig.get_path("purelib", "venv", vars={"base": str(wheel_python.parent.parent)}),
                "piiscan",
                "__init__.py",
            )
        ),
        "True",
    ]


def test_rules_and_models_are_found(wheel_python: Path, tmp_path: Path) -> None:
    code = "from piiscan.core import resources; print(*(resources.folder(n).parent.name for n in ('rules', 'models')))"
    assert run(wheel_python, "-c", code, cwd=tmp_path).stdout.split() == ["_shipped", "_shipped"]
    done = run(wheel_python, "rules", "list", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "EMAIL_ADDRESS" in done.stdout


def test_names_in_text_are_found(wheel_python: Path, tmp_path: Path) -> None:
    code = "from piiscan.text import spans; print(*(s.entity for s in spans('Please call Maria Schmidt.')))"
    assert run(wheel_python, "-c", code, cwd=tmp_path).stdout.split() == ["PERSON"]


def test_it_scans(wheel_python: Path, tmp_path: Path) -> None:
    rows = "".join(f"{i},{100 + i}-45-{6000 + i}\n" for i in range(50))
    (tmp_path / "people.csv").write_text("nr,ssn\n" + rows, encoding="utf-8")
    done = run(wheel_python, "scan", "people.csv", "--format", "json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert report["tables"][0]["columns"][1]["entity"] == "US_SSN"
    assert report["complete"]


def test_it_trains(wheel_python: Path, tmp_path: Path) -> None:
    chance = random.Random(1)
    rows = "".join(f"{chance.randrange(10**6):06},{chance.randrange(99)}\n" for _ in range(60))
    (tmp_path / "crm.csv").write_text("KTZ_X7,n\n" + rows, encoding="utf-8")
    (tmp_path / "labels.csv").write_text("path,column,entity\ncrm.csv,KTZ_X7,PERSON_ID\n", encoding="utf-8")
    done = run(wheel_python, "train", "labels.csv", "-o", "own.npz", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "own.npz").is_file()


def test_the_checkout_s_rules_are_the_wheel_s(wheel_python: Path, tmp_path: Path) -> None:
    code = "from piiscan.rules import rule_sets; print(rule_sets.shipped().rules.digest)"
    here = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run(wheel_python, "-c", code, cwd=tmp_path).stdout == here.stdout != ""
