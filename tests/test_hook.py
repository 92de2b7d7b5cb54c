"""The pre-commit hook, run by pre-commit itself in a scratch repository, with the run's wheel; and, slowly,
installed from this checkout as users get it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "hatch_build.py",
    "piiscan",
    "rules",
    "models",
    ".pre-commit-hooks.yaml",
)
SSN = "219-09-9999"
Git = Callable[..., "subprocess.CompletedProcess[str]"]


def git(folder: Path, *args: str, home: Path, path: Path | None) -> subprocess.CompletedProcess[str]:
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "n"), ("EMAIL", "e@example.com"))
    }
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHON", "VIRTUAL_ENV", "PRE_COMMIT"))}
    env = {**plain, **who, "GIT_CONFIG_GLOBAL": os.devnull, "PRE_COMMIT_HOME": str(home), "NO_COLOR": "1"}
    if path:
        env["PATH"] = os.pathsep.join((str(path), env["PATH"]))
    modules = {"pre-commit": "pre_commit", "piiscan": "piiscan"}
    command = [sys.executable, "-m", modules[args[0]], *args[1:]] if args[0] in modules else ["git", *args]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module", params=["the wheel", pytest.param("a clone", marks=pytest.mark.slow)])
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Git]:
    """A repository with the hook installed, and git to work in it.

    From a clone, pre-commit makes an environment with all of piiscan's dependencies. Otherwise it finds the program in
    one that has the wheel.
    """
    scratch = tmp_path_factory.mktemp("hook")
    hook, work, home = scratch / "hook repository", scratch / "work", scratch / "home"
    hook.mkdir()
    work.mkdir()
    path: Path | None = None
    if request.param == "a clone":
        for part in PARTS:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, hook / part, ignore=shutil.ignore_patterns("__pycache__", "_shipped"))
            else:
                shutil.copy(ROOT / part, hook / part)
    else:
        path = request.getfixturevalue("wheel_python").parent
        declared = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
        assert "  language: python\n" in declared
        (hook / ".pre-commit-hooks.yaml").write_text(
            declared.replace("language: python", "language: system"), encoding="utf-8"
        )

    def run(*args: str, folder: Path = work) -> subprocess.CompletedProcess[str]:
        return git(folder, *args, home=home, path=path)

    for folder, name in ((hook, "the hook"), (work, "the start")):
        assert run("init", "-q", folder=folder).returncode == 0
        if folder == work:
            rev = run("rev-parse", "HEAD", folder=hook).stdout.strip()
            config = f'repos:\n  - repo: "{hook.as_posix()}"\n    rev: "{rev}"\n    hooks:\n      - id: piiscan\n'
            (work / ".pre-commit-config.yaml").write_text(config)
        assert run("add", "-A", folder=folder).returncode == 0
        assert run("commit", "-qm", name, folder=folder).returncode == 0
    done = run("pre-commit", "install", "--install-hooks")
    assert done.returncode == 0, done.stdout + done.stderr
    return work, run


def test_a_commit_with_personal_data_is_stopped_and_a_clean_one_passes(repository: tuple[Path, Git]) -> None:
    work, run = repository
    (work / "sensors.csv").write_text("station,reading\nnorth,20.5\nsouth,21.5\n")
    (work / "main.py").write_text(f'ssn = "{SSN}"\n')
    run("add", "-A")
    clean = run("commit", "-m", "clean")
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert "Passed" in clean.stdout + clean.stderr

    people = pl.DataFrame({"name": ["Ann Example", "Bob Example"], "ssn": [SSN, "219-09-9998"]})
    people.write_csv(work / "people.csv")
    people.write_parquet(work / "people.parquet")
    for name in ("people.csv", "people.parquet"):
        run("add", name)
        stopped = run("commit", "-m", "planted")
        said = stopped.stdout + stopped.stderr
        assert stopped.returncode == 1, said
        assert name in said
        assert "US_SSN" in said
        assert SSN not in said
        assert run("log", "-1", "--format=%s").stdout == "clean\n"
        run("rm", "-q", "--cached", name)


def test_a_commit_of_odd_paths(repository: tuple[Path, Git]) -> None:
    """Deleted, renamed, linked, from a submodule, with odd names; a part of a file is staged, the baseline stays as
    it is."""
    work, run = repository
    people, clean = (
        f"name,ssn\nAnn Example,{SSN}\nBob Example,219-09-9998\n",
        "station,reading\nnorth,20.5\nsouth,21.5\n",
    )
    for leftover in work.glob("people.*"):
        leftover.unlink()
    for name in ("-f.csv", "a b.csv", "ü.tsv", "old.csv"):
        (work / name).write_text(clean.replace(",", "\t") if name.endswith("tsv") else clean)
    (work / "link.csv").symlink_to("ü.tsv")
    inner = work / "inner"
    inner.mkdir()
    for command in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x")):
        assert run(*command, folder=inner).returncode == 0
    run("add", "-A")
    done = run("commit", "-m", "odd")
    assert done.returncode == 0, done.stdout + done.stderr
    run("mv", "old.csv", "new.csv")
    run("rm", "-q", "a b.csv")
    done = run("commit", "-m", "moved")
    assert done.returncode == 0, done.stdout + done.stderr

    (work / "-f.csv").write_text(people)
    run("add", "--", "-f.csv")
    (work / "-f.csv").write_text(clean)
    done = run("commit", "-m", "what is staged counts")
    assert done.returncode == 1
    assert "US_SSN" in done.stdout + done.stderr

    (work / "piiscan.toml").write_text('baseline = "known.jsonl"\n')
    (work / "-f.csv").write_text(people)
    assert run("piiscan", "baseline", "create", ".", "--file", "known.jsonl").returncode == 0
    known = (work / "known.jsonl").read_text()
    run("add", "-A")
    done = run("commit", "-m", "known")
    assert done.returncode == 0, done.stdout + done.stderr
    (work / "-f.csv").write_text(people * 9)
    run("add", "-A")
    assert run("commit", "-m", "grown").returncode == 1
    assert (work / "known.jsonl").read_text() == known
    assert "known.jsonl" not in run("piiscan", "scan", "--staged", "-f", "json").stdout
    run("reset", "-q", "--hard")


def test_every_ending_that_promises_data_is_looked_at() -> None:
    from piiscan.io import content_kinds
    from piiscan.scanning.findings import ARCHIVES

    endings = {f".{ending}" for ending in content_kinds.READ_ENDINGS} | set(ARCHIVES)
    assert not [e for e in sorted(endings) if not re.search(_files(), f"data/x{e}")]


@pytest.mark.parametrize(
    "name",
    [
        *("a.csv", "a.CSV", "b/a.jsonl", "a.parquet", "a.xlsx", "a.sqlite", "a.csv.gz", "a.log", "a.tar.zst"),
        *("seed.sql", "a.dump", "a.ipynb", "a.eml", "a.mbox", "a.vcf", "a.ldif", "a.ics", "a.hl7", "a.edi"),
        *("a.docx", "b.pptx", "c.odt"),
    ],
)
def test_files_that_the_hook_looks_at(name: str) -> None:
    assert re.search(_files(), name)


@pytest.mark.parametrize("name", ["a.py", "a.png", "a.md", "csv", "a.csv.py", "parquet/a.toml"])
def test_files_that_the_hook_leaves_alone(name: str) -> None:
    assert not re.search(_files(), name)


def _files() -> str:
    import yaml

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [h["id"] for h in hooks] == ["piiscan"]
    return str(hooks[0]["files"])
