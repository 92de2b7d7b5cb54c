"""Folders: sorted, recursive, with ignore patterns; and what importing the readers costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import unmeasured
from test_io_csv import found

from piiscan.core.types import InName, NotScanned, Skipped
from piiscan.io.inputs import discover
from piiscan.io.read_options import Limits, ReadOptions

DATA = "name,age\nAnn,41\n"


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(DATA)


def sources(root: Path, options: ReadOptions | None = None) -> list[str]:
    return [
        (item.source if isinstance(item, NotScanned) else item.info.source).removeprefix(f"{root.as_posix()}/")
        for item in found(root, options)
        if not isinstance(item, Skipped | InName)
    ]


def skipped(root: Path, options: ReadOptions | None = None) -> dict[str, str]:
    return {
        item.source.removeprefix(f"{root.as_posix()}/"): item.reason
        for item in found(root, options)
        if isinstance(item, Skipped)
    }


def test_sorted_and_recursive(tmp_path: Path) -> None:
    tree(tmp_path, "b.csv", "a/z.csv", "a/b/c.csv", "C.csv", "é.csv", ".hidden/x.csv", ".hidden.csv")
    assert sources(tmp_path) == [".hidden/x.csv", ".hidden.csv", "C.csv", "a/b/c.csv", "a/z.csv", "b.csv", "é.csv"]


def test_folders_of_tools_are_passed_over_and_counted(tmp_path: Path) -> None:
    tree(tmp_path, ".git/x.csv", "node_modules/x.csv", "a/__pycache__/x.csv", ".venv/x.csv", "a/x.csv")
    assert sources(tmp_path) == ["a/x.csv"]
    assert skipped(tmp_path) == dict.fromkeys([".git", ".venv", "a/__pycache__", "node_modules"], "folder of a tool")
    assert sources(tmp_path / ".git") == ["x.csv"]


@pytest.mark.parametrize(
    ("file", "patterns", "options", "left"),
    [
        (".gitignore", "*.csv\n!keep.csv\n", (), [".gitignore", "a/keep.csv"]),
        (".piiscanignore", "/a/\n", (), ["b/a/x.csv", "x.csv"]),
        ("a/.gitignore", "x.csv\n", (), ["a/.gitignore", "a/keep.csv", "b/a/x.csv", "x.csv"]),
        ("a/.gitignore", "!x.csv\n", ("x.csv",), ["a/.gitignore", "a/keep.csv", "a/x.csv"]),
        ("none", "", ("b/**", "keep.*"), ["a/x.csv", "x.csv"]),
    ],
)
def test_ignore_patterns(tmp_path: Path, file: str, patterns: str, options: tuple[str, ...], left: list[str]) -> None:
    tree(tmp_path, "x.csv", "a/x.csv", "a/keep.csv", "b/a/x.csv")
    (tmp_path / file).write_text(patterns)
    (tmp_path / ".git").mkdir()
    assert sources(tmp_path, ReadOptions(ignore=options)) == left
    # Everything is either read or counted with a reason, files below folders that are left out apart.
    passed = skipped(tmp_path, ReadOptions(ignore=options))
    every = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path for path in every if not any(path == p or path.startswith(f"{p}/") for p in passed)} == set(left)
    assert set(passed.values()) <= {
        "folder of a tool",
        "left out by .gitignore",
        "left out by .piiscanignore",
        "left out by the options",
        "an ignore file of piiscan",
        "empty",
    }


def test_gitignore_counts_within_a_repository_only(tmp_path: Path) -> None:
    tree(tmp_path, "plain/x.csv", "plain/y.csv", "plain/inner/x.csv", "plain/inner/y.csv")
    for folder in ("plain", "plain/inner"):
        (tmp_path / folder / ".gitignore").write_text("x.csv\n")
    (tmp_path / "plain" / ".piiscanignore").write_text(".gitignore\n")
    assert sources(tmp_path / "plain") == ["inner/x.csv", "inner/y.csv", "x.csv", "y.csv"]
    (tmp_path / "plain" / "inner" / ".git").mkdir()
    assert sources(tmp_path / "plain") == ["inner/y.csv", "x.csv", "y.csv"]
    assert sources(tmp_path / "plain" / "inner") == [".gitignore", "y.csv"]
    without = ReadOptions(ignore_files=())
    assert sources(tmp_path / "plain" / "inner", without) == [".gitignore", "x.csv", "y.csv"]


@pytest.mark.parametrize("given", ["{}/data", "data", "./data", "../repo/data"])
def test_what_a_repository_ignores_is_left_out_wherever_a_scan_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    root = tmp_path / "repo"
    tree(root, "data/x.csv", "data/tmp/x.csv", "data/keep.csv", "data/in/keep.csv", "build/x.csv")
    (tmp_path / ".gitignore").write_text("*\n")  # above the repository: not its own
    (root / ".git").mkdir()
    (root / ".gitignore").write_text("/data/tmp/\nkeep.csv\n/build/\n")
    (root / "data" / ".piiscanignore").write_text("!/keep.csv\n")
    monkeypatch.chdir(root)
    items = found(given.format(root))
    assert [
        item.info.source.rpartition("data/")[2] for item in items if not isinstance(item, NotScanned | Skipped)
    ] == [
        "keep.csv",
        "x.csv",
    ]
    assert sources(root / "build") == ["x.csv"]


def test_standard_input_has_an_end() -> None:
    with open("/dev/zero", "rb") as endless:
        (item,) = discover(["-"], ReadOptions(limits=Limits(archive_bytes=1 << 20)), endless)
    assert item == NotScanned("-", "more than 1 MiB of standard input; name a file instead")


def test_a_path_named_outright_is_not_ignored(tmp_path: Path) -> None:
    tree(tmp_path, "x.csv")
    (tmp_path / ".gitignore").write_text("*\n")
    (item,) = found(tmp_path / "x.csv", ReadOptions(ignore=("*",)))
    assert not isinstance(item, NotScanned | Skipped)


def test_sources_are_paths_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "in/x.csv", "in/[odd] *.csv")
    monkeypatch.chdir(tmp_path)
    items = list(discover(["in", "./in/x.csv"], ReadOptions()))
    assert [item.info.source for item in items if not isinstance(item, NotScanned | Skipped)] == [
        "in/[odd] *.csv",
        "in/x.csv",
        "in/x.csv",
    ]
    assert sum(batch.frame.height for batch in items[0].batches()) == 1  # type: ignore[union-attr]


def test_one_input_at_a_time(tmp_path: Path) -> None:
    tree(tmp_path, "a.csv", "b.csv")
    items = discover([str(tmp_path)], ReadOptions())
    next(items)
    (tmp_path / "b.csv").unlink()
    assert next(items) == NotScanned((tmp_path / "b.csv").as_posix(), "no such file")


def test_importing_the_readers_is_cheap() -> None:
    code = "import sys, piiscan.io.inputs; print(*sorted(m for m in sys.modules if '.' not in m))"
    loaded = set(
        subprocess.run(
            [sys.executable, "-c", code], env=unmeasured(), capture_output=True, text=True, check=True
        ).stdout.split()
    )
    assert not loaded & {
        "polars",
        "numpy",
        "pandas",
        "pyarrow",
        "duckdb",
        "fastexcel",
        "fastavro",
        "pathspec",
        "sqlite3",
        "csv",
        "zipfile",
    }


def test_reading_a_table_takes_polars_and_numpy_only(tmp_path: Path) -> None:
    tree(tmp_path, "a.csv")
    code = (
        "import sys; from piiscan.io.inputs import *\n"
        "for table in discover(sys.argv[1:], ReadOptions()): list(table.batches())\n"
        "print(*sorted(m for m in sys.modules if '.' not in m))"
    )
    loaded = set(
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "a.csv")],
            env=unmeasured(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
    )
    assert "polars" in loaded
    assert not loaded & {"pandas", "pyarrow", "duckdb", "fastexcel", "fastavro", "sqlite3", "pathspec"}
