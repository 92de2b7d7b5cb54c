"""Outputs appear whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import errno
import gzip
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from test_write import Each, same, shout, zipped

from piiscan.core import locks
from piiscan.core.errors import UsageError, WriteError
from piiscan.io.read_options import ReadOptions
from piiscan.io.write import publishing, staging
from piiscan.io.write.change import Staged
from piiscan.io.write.journal import Journal
from piiscan.io.write.rewrite import rewrite
from piiscan.io.write.staging import Staging, refuse_busy

CSV = b"name,age\nAnn,41\nBob,7\n"
BIG = b"name,age\n" + b"".join(b"Person number %d,41\n" % i for i in range(50_000))


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def tree(folder: Path) -> Path:
    for name, data in {
        "a.csv": CSV,
        "sub/b.csv": CSV,
        "sub/deep/c.jsonl": b'{"n": "Ann"}\n{"n": "Bob"}\n',
        "photo.png": b"\x89PNG\r\n\x1a\n\0",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_a_folder_keeps_its_layout(tmp_path: Path) -> None:
    source, out = tree(tmp_path / "in"), tmp_path / "out"
    result = rewrite(source, out, ReadOptions(), lambda info: Each(info, shout))
    upper = CSV.replace(b"Ann", b"ANN").replace(b"Bob", b"BOB")
    assert files(out) == {"a.csv": upper, "sub/b.csv": upper, "sub/deep/c.jsonl": b'{"n": "ANN"}\n{"n": "BOB"}\n'}
    assert [s.target for s in result.written] == [out / name for name in files(out)]
    (left,) = result.left_out
    assert (left.source, result.copied) == ((source / "photo.png").as_posix(), ())
    result = rewrite(source, out, ReadOptions(), lambda info: Each(info, shout), overwrite=True, copy_others=True)
    assert files(out)["photo.png"] == b"\x89PNG\r\n\x1a\n\0"
    assert result.copied == ((source / "photo.png").as_posix(),)


def test_links_are_followed_as_a_scan_does(tmp_path: Path) -> None:
    source, out = tree(tmp_path / "in"), tmp_path / "out"
    (source / "again").symlink_to(source / "sub")
    (source / "link.csv").symlink_to(source / "a.csv")
    rewrite(source, out, ReadOptions(), lambda info: Each(info, same))
    assert sorted(files(out)) == ["a.csv", "link.csv", "sub/b.csv", "sub/deep/c.jsonl"]
    assert not (out / "link.csv").is_symlink()


def test_ignored_files_stay_behind(tmp_path: Path) -> None:
    source, out = tree(tmp_path / "in"), tmp_path / "out"
    result = rewrite(source, out, ReadOptions(ignore=("sub/", "*.png")), lambda info: Each(info, same))
    assert (sorted(files(out)), result.left_out) == (["a.csv"], ())


@pytest.mark.parametrize(
    "overlap", ["same", "same by another name", "inside", "around", "a folder for a file", "a file for a folder"]
)
def test_source_and_target_are_apart(tmp_path: Path, overlap: str) -> None:
    source = tree(tmp_path / "in")
    (tmp_path / "hard.csv").hardlink_to(source / "a.csv")
    pair = {
        "same": (source / "a.csv", source / "sub" / ".." / "a.csv"),
        "same by another name": (source / "a.csv", tmp_path / "hard.csv"),
        "inside": (source, source / "out"),
        "around": (source, tmp_path),
        "a folder for a file": (source / "a.csv", source / "sub"),
        "a file for a folder": (source / "sub", source / "a.csv"),
    }[overlap]
    before = files(tmp_path)
    with pytest.raises(UsageError):
        rewrite(*pair, ReadOptions(), lambda info: Each(info, shout), overwrite=True)
    assert files(tmp_path) == before


def test_nothing_is_overwritten_unless_reported(tmp_path: Path) -> None:
    source, out = tree(tmp_path / "in"), tmp_path / "out"
    (out / "sub").mkdir(parents=True)
    (out / "sub" / "b.csv").write_bytes(b"mine")
    with pytest.raises(WriteError, match=r"sub/b\.csv exists"):
        rewrite(source, out, ReadOptions(), lambda info: Each(info, shout))
    assert files(out) == {"sub/b.csv": b"mine"}

    def in_between(staged: Sequence[Staged]) -> None:
        (out / "sub" / "deep" / "c.jsonl").write_bytes(b"also mine")

    (out / "sub" / "b.csv").unlink()
    with pytest.raises(WriteError, match=r"c\.jsonl exists"):
        rewrite(source, out, ReadOptions(), lambda info: Each(info, shout), verify=in_between)
    assert files(out) == {"sub/deep/c.jsonl": b"also mine"}
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nothing")
    with pytest.raises(WriteError, match="exists"):
        rewrite(source / "a.csv", tmp_path / "gone.csv", ReadOptions(), lambda info: Each(info, shout))


def test_verify_sees_what_would_be_published(tmp_path: Path) -> None:
    source, out = tree(tmp_path / "in"), tmp_path / "out"
    seen: list[tuple[str, int, bytes, str]] = []

    def refuse(staged: Sequence[Staged]) -> None:
        for one in staged:
            seen.append((one.target.name, one.path.stat().st_mode & 0o777, one.path.read_bytes()[:1], one.path.suffix))
            assert one.path.parent == one.target.parent
        raise RuntimeError("a promise is broken")

    with pytest.raises(RuntimeError):
        rewrite(source, out, ReadOptions(), lambda info: Each(info, shout), verify=refuse)
    assert seen == [("a.csv", 0o600, b"n", ".csv"), ("b.csv", 0o600, b"n", ".csv"), ("c.jsonl", 0o600, b"{", ".jsonl")]
    assert not out.exists()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.zip", "t.db", "t.parquet", "t.jsonl"])
def test_a_change_that_fails_leaves_nothing(tmp_path: Path, name: str, error: type[BaseException]) -> None:
    import polars as pl

    path, out = tmp_path / name, tmp_path / "out" / name
    if name == "t.db":
        base = sqlite3.connect(path)
        base.execute("CREATE TABLE t (n TEXT)")
        base.executemany("INSERT INTO t VALUES (?)", [("Ann",), ("Bob",)])
        base.commit()
        base.close()
    elif name == "t.parquet":
        pl.DataFrame({"n": ["Ann", "Bob"] * 100}).write_parquet(path)
    else:
        data = b'{"n": "Ann"}\n{"n": "Bob"}\n' if name == "t.jsonl" else CSV
        path.write_bytes(
            gzip.compress(data) if name.endswith("gz") else zipped({"t.csv": data}) if name.endswith("zip") else data
        )

    def fail(cell: object) -> object:
        if cell == "Bob":
            raise error("told")
        return cell

    with pytest.raises(error):
        rewrite(path, out, ReadOptions(), lambda info: Each(info, fail))
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_bad_row_in_the_middle(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "bad.csv").write_bytes(BIG + b"Zo\xeb,needle\n")
    (source / "cut.csv.gz").write_bytes(gzip.compress(BIG)[:-2000])
    (source / "good.csv").write_bytes(CSV)
    result = rewrite(source, out, ReadOptions(encoding="utf-8"), lambda info: Each(info, shout))
    assert sorted(files(out)) == ["good.csv"]
    assert [(Path(left.source).name, "needle" in left.reason) for left in result.left_out] == [
        ("bad.csv", False),
        ("cut.csv.gz", False),
    ]


SCRIPT = """
import sys, time, resource
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_write import Each, same
from piiscan.core.errors import PiiscanError
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.rewrite import rewrite
def slow(staged):
    Path({flag!r}).touch()
    time.sleep({wait})
if {limit}:
    sys.dont_write_bytecode = True  # of what Python compiles no half must stay
    resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    shout = lambda c: c + "!" if isinstance(c, str) else c
    done = rewrite(Path({source!r}), Path({target!r}), ReadOptions(), lambda info: Each(info, shout), verify=slow)
except PiiscanError as error:
    sys.exit(f"{{type(error).__name__}}: {{error}}")
if done.left_out:
    sys.exit("left out: " + done.left_out[0].reason)
"""


def started(source: Path, target: Path, wait: float = 0, limit: int = 0) -> subprocess.Popen[str]:
    flag = target.parent.parent / "flag"
    script = SCRIPT.format(
        tests=str(ROOT / "tests"), flag=str(flag), wait=wait, limit=limit, source=str(source), target=str(target)
    )
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True, env=env)
    while wait and not flag.exists() and process.poll() is None:
        time.sleep(0.02)
    return process


def test_a_killed_run_leaves_no_output_and_the_next_one_cleans_up(tmp_path: Path) -> None:
    source, out = tree(tmp_path / "in"), tmp_path / "runs" / "out"
    process = started(source, out, wait=60)
    living = files(out)
    assert len(living) == 4  # three files and a lock
    assert all(Path(name).name.startswith(".piiscan-") for name in living)
    # Another run beside it leaves the living one alone.
    rewrite(source / "a.csv", out / "other.csv", ReadOptions(), lambda info: Each(info, same))
    assert {**files(out), "other.csv": b""} == {**living, "other.csv": b""}
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert set(living) <= set(files(out))
    rewrite(source, out, ReadOptions(), lambda info: Each(info, same))
    assert sorted(files(out)) == ["a.csv", "other.csv", "sub/b.csv", "sub/deep/c.jsonl"]


def test_an_interrupted_run_cleans_up(tmp_path: Path) -> None:
    process = started(tree(tmp_path / "in"), tmp_path / "runs" / "out", wait=60)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.log", "t.parquet", "t.arrow", "t.db", "t.zip"])
def test_a_full_disk(tmp_path: Path, name: str) -> None:
    import polars as pl

    path, out = tmp_path / name, tmp_path / "runs" / name
    if name == "t.db":
        base = sqlite3.connect(path)
        base.execute("CREATE TABLE t (n TEXT)")
        base.executemany("INSERT INTO t VALUES (?)", [(f"person {i}",) for i in range(50_000)])
        base.commit()
        base.close()
    elif name in ("t.parquet", "t.arrow"):
        frame = pl.DataFrame({"n": [f"person {sha256(b'%d' % i).hexdigest()}" for i in range(20_000)]})
        frame.write_parquet(path) if name == "t.parquet" else frame.write_ipc(path)
    else:
        path.write_bytes(
            gzip.compress(BIG) if name.endswith("gz") else zipped({"t.csv": BIG}) if name.endswith("zip") else BIG
        )
    process = started(path, out, limit=100_000)
    _, output = process.communicate()
    assert process.returncode == 1
    # What is packed can't even be unpacked for reading then.
    assert output.startswith("left out: " if name in ("t.csv.gz", "t.zip") else "WriteError: no space left for "), (
        output
    )
    assert "person" not in output.lower()
    assert not out.parent.exists()


def test_a_staging_removes_what_it_made(tmp_path: Path) -> None:
    with Staging(tmp_path / "a" / "b", is_folder=True) as begun:
        one = begun.file(tmp_path / "a" / "b" / "c", "x" * 300 + ".csv")
        assert (one.suffix, one.stat().st_mode & 0o777) == (".csv", 0o600)
        begun.publish([(one, one.parent / "t.csv", 0o644)], False)
        begun.file(tmp_path / "a" / "b" / "d", "t.csv")
    assert sorted(files(tmp_path)) == ["a/b/c/t.csv"]
    assert not (tmp_path / "a" / "b" / "d").exists()


def test_another_run_takes_nothing_from_a_living_one(tmp_path: Path) -> None:
    with Staging(tmp_path / "t.csv") as run:
        held = run.file(tmp_path, "x.csv")
        staging.sweep(tmp_path)
        assert held.exists() and (tmp_path / f".piiscan-{run.token}.lock").exists()
        with Staging(tmp_path / "other.csv") as other:
            other.file(tmp_path, "other.csv")
            assert held.exists()
    assert list(tmp_path.iterdir()) == []


def test_two_runs_do_not_write_one_output(tmp_path: Path) -> None:
    with Staging(tmp_path / "t.csv"):
        refuse_busy(tmp_path / "other.csv", False)
        for other in (tmp_path / "t.csv", tmp_path / "sub" / ".." / "t.csv"):
            (tmp_path / "sub").mkdir(exist_ok=True)
            with pytest.raises(WriteError, match="another run is writing it"):
                refuse_busy(other, False)
            with pytest.raises(WriteError, match="another run is writing it"), Staging(other):
                pass
    with Staging(tmp_path / "t.csv"):  # it ended, and so did the refused ones
        pass


def test_a_lock_is_on_the_file_that_has_the_name(tmp_path: Path) -> None:
    """Who waits for a lock gets none on a file that the one before has removed."""
    path = tmp_path / "lock"
    first = locks.hold(path)
    assert first is not None and locks.hold(path, 0.05) is None
    path.unlink()
    second = locks.hold(path, 0.05)
    assert second is not None and os.path.samestat(os.fstat(second), path.stat())
    os.close(first)
    os.close(second)


def named(folder: Path, n: int, overwrite: bool) -> list[tuple[Path, Path]]:
    """Files of a run that are to get names, some of which are taken where it is to `overwrite`."""
    pairs = []
    for i in range(n):
        staged, target = folder / f".piiscan-{'0' * 16}~{i}", folder / f"{i}.csv"
        staged.write_bytes(b"new")
        if overwrite and i != 1:
            target.write_bytes(b"old")
        pairs.append((staged, target))
    return pairs


class Stop(BaseException):
    pass


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("killed", [True, False])
def test_names_are_given_to_all_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool, overwrite: bool, killed: bool
) -> None:
    """Whatever call fails, or is the last one before the process is killed; the next run takes back what a killed one
    had begun."""
    calls = 0
    at = 0

    def failing(name: str) -> Any:
        usual = getattr(os, name)

        def call(*given: Any, **how: Any) -> Any:
            nonlocal calls
            calls += 1
            if name == "link" and not links:
                raise OSError(errno.EPERM, "no links here")
            if calls == at or (killed and at and calls > at):
                raise Stop if killed else OSError(errno.EIO, "told")
            return usual(*given, **how)

        return call

    for name in ("link", "rename", "replace", "unlink", "fsync", "open"):
        monkeypatch.setattr(os, name, failing(name))
    names = {"0.csv": b"old", "2.csv": b"old"} if overwrite else {}
    outcomes = set()
    for at in range(200):
        folder = tmp_path / str(at)
        was = at
        at = 0
        folder.mkdir()
        pairs, journal = named(folder, 3, overwrite), Journal(folder / f".piiscan-{'0' * 16}~journal")
        at, calls = was, 0
        try:
            publishing.publish(pairs, overwrite, journal)
            ended = True
        except (Stop, OSError, WriteError):
            ended = False
        done, at = calls, 0
        publishing.recover(Journal(journal.path))
        found = {name: raw for name, raw in files(folder).items() if name.endswith(".csv")}
        outcomes.add((ended, found == {f"{i}.csv": b"new" for i in range(3)}, found == names))
        if was and done < was:
            break
    else:
        raise AssertionError("it never came to its end")
    # It may be stopped after the last name was given, and before it said so.
    assert outcomes <= {(True, True, False), (False, False, True), (False, True, False)}, outcomes
    assert killed or (False, True, False) not in outcomes
