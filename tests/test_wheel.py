"""The wheel as people install it: everything in it, and it works away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the source distribution, so that this one has all it needs too."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT], check=True, capture_output=True)
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment, its folder with a space in the name, that holds the wheel and sees today's dependencies."""
    home = tmp_path_factory.mktemp("an environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    here = sysconfig.get_path("purelib")
    there = sysconfig.get_path("purelib", "venv", vars={"base": str(home)})
    # What stands in a .pth file there isn't followed, so an editable install of the checkout stays out of sight.
    Path(there, "dependencies.pth").write_text(here + "\n", encoding="utf-8")
    found = home / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", found, "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", wheel]
    subprocess.run(pip, check=True, capture_output=True)
    return found


def run(python: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    plain = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [python.with_name("piiscan"), *arguments] if arguments[0] != "-c" else [python, *arguments]
    return subprocess.run(command, cwd=cwd, env=plain, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "name", ["piiscan/py.typed", "piiscan/schemas/report-1.json", "piiscan/schemas/summary-1.json", "piiscan/schemas/model-1.json", "piiscan/schemas/evaluation-1.json", "piiscan/schemas/mask-report-1.json", "piiscan/schemas/risk-1.json", "piiscan/schemas/anonymization-1.json", "piiscan/schemas/aggregate-1.json", "piiscan/plan/policies/default.toml", "piiscan/plan/policies/gdpr.toml", "piiscan/plan/policies/hipaa-safe-harbor.toml", "piiscan/anonymity/builders/countries.txt", "piiscan/anonymity/builders/education.txt", "piiscan/_shipped/rules.json", "piiscan/_shipped/rules/email.toml", "piiscan/_shipped/models/README.md", "piiscan/_shipped/models/text.npz"]
)  # fmt: skip
def test_the_wheel_holds(wheel: Path, name: str) -> None:
    assert name in zipfile.ZipFile(wheel).namelist()


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {n.split("/")[0] for n in names} == {"piiscan", wheel.name.split("-py3")[0] + ".dist-info"}
    assert not [
        n
        for n in names
        if "__pycache__" in n or (n.startswith("piiscan/_shipped/") and n.split("/")[2] not in ("rules", "models", "rules.json"))
    ]
    rules = {p.relative_to(ROOT).as_posix() for p in (ROOT / "rules").rglob("*") if p.is_file()}
    assert {n.removeprefix("piiscan/_shipped/") for n in names if n.startswith("piiscan/_shipped/rules/")} == rules


def test_the_licence_is_in(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("/licenses/LICENSE")]
        assert archive.read(name) == (ROOT / "LICENSE").read_bytes()


def test_the_package_comes_from_the_wheel(python: Path, tmp_path: Path) -> None:
    code = "import piiscan, importlib.metadata as m; print(piiscan.__file__); print(m.version('piiscan-toolkit') == piiscan.__version__)"
    done = run(python, "-c", code, cwd=tmp_path)
    assert done.stdout.splitlines() == [
        str(Path(sysconfig.get_path("purelib", "venv", vars={"base": str(python.parent.parent)}), "piiscan", "__init__.py")),
        "True",
    ]


def test_rules_and_models_are_found(python: Path, tmp_path: Path) -> None:
    code = "from piiscan import resources; print(*(resources.folder(n).parent.name for n in ('rules', 'models')))"
    assert run(python, "-c", code, cwd=tmp_path).stdout.split() == ["_shipped", "_shipped"]
    done = run(python, "rules", "list", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "EMAIL_ADDRESS" in done.stdout


def test_names_in_text_are_found(python: Path, tmp_path: Path) -> None:
    code = "from piiscan.text import spans; print(*(s.entity for s in spans('Please call Maria Schmidt.')))"
    assert run(python, "-c", code, cwd=tmp_path).stdout.split() == ["PERSON"]


def test_it_scans(python: Path, tmp_path: Path) -> None:
    rows = "".join(f"{i},{100 + i}-45-{6000 + i}\n" for i in range(50))
    (tmp_path / "people.csv").write_text("nr,ssn\n" + rows, encoding="utf-8")
    done = run(python, "scan", "people.csv", "--format", "json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert report["tables"][0]["columns"][1]["entity"] == "US_SSN"
    assert report["complete"]


def test_the_checkout_s_rules_are_the_wheel_s(python: Path, tmp_path: Path) -> None:
    code = "from piiscan import compiled; print(compiled.shipped().rules.digest)"
    here = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run(python, "-c", code, cwd=tmp_path).stdout == here.stdout != ""
