"""A command runs below a small process that watches it: what ends it, or takes too much, is not scanned."""

from __future__ import annotations

import json
import os
import resource
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import run_piiscan, unmeasured

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere commands run in the process itself")

MAIL = "mario.rossi@firm.com"
PROGRAM = """
import os, signal, sys, time
from pathlib import Path
from piiscan.io import walk
real = walk.found_in
def found_in(content, *args):
    with open({log!r}, "a") as log:
        print(content.source, file=log)
    for word, act in (("abort", os.abort), ("segv", lambda: os.kill(os.getpid(), signal.SIGSEGV)),
                      ("grow", grow), ("hang", lambda: time.sleep(600)), ("term", lambda: os.kill(os.getpid(), 15))):
        if word in content.source.rpartition("/")[2] and content.source not in args[1].checkpoints.lost:
            yield from real(content, *args)
            act()
    yield from real(content, *args)
def grow():
    kept = []
    while True:
        kept.append(bytearray(os.urandom(1 << 20)))
walk.found_in = found_in
sys.argv[0] = "piiscan"
from piiscan.cli import main
main()
"""


def command(folder: Path, *args: str, log: str = "opened.log") -> list[str]:
    return [sys.executable, "-c", PROGRAM.format(log=str(folder / log)), *args]


def run(folder: Path, *args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(folder, *args), cwd=folder, env=unmeasured(), capture_output=True, text=True, timeout=120, **options
    )


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"name,mail\na,{MAIL}\nb,{MAIL}\n", encoding="utf-8")


def report(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("abort", "its reader ended the process (SIGABRT), for want of memory or by a fault in a library"),
        ("segv", "its reader ended the process (SIGSEGV), for want of memory or by a fault in a library"),
        ("grow", "it takes more than the 300 MiB of memory that are allowed; allow more with --memory"),
    ],
)
def test_a_file_that_ends_the_process_is_not_scanned_and_the_others_are(tmp_path: Path, name: str, reason: str) -> None:
    files(tmp_path, "d/a.csv", "d/b.csv", f"d/m_{name}.csv", f"d/n_{name}.csv", "d/z.csv")
    (tmp_path / "d" / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    done = run(tmp_path, "scan", "d", "-f", "json", "--memory", "300MB")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    found = report(done)
    assert [t["source"] for t in found["tables"]] == ["d/a.csv", "d/b.csv", "d/z.csv"]
    assert [(e["source"], e["reason"].startswith(reason)) for e in found["not_scanned"]] == [
        (f"d/m_{name}.csv", True),
        (f"d/n_{name}.csv", True),
    ]
    assert found["skipped"] == 1
    opened = (tmp_path / "opened.log").read_text(encoding="utf-8").split()
    assert [opened.count(f"d/{file}.csv") for file in ("a", "b", "z")] == [1, 1, 1]  # none is scanned twice
    kept = run_piiscan("scan", "d/a.csv", "d/b.csv", "d/z.csv", "-f", "json", cwd=tmp_path)
    assert report(kept)["tables"] == found["tables"]


@pytest.mark.parametrize("first", ["m_abort.csv", "p-0_abort.csv", "z_abort.csv"])
def test_files_of_a_data_set_are_read_again_once_at_most(tmp_path: Path, first: str) -> None:
    parts = [f"d/p-{n}.csv" for n in range(1, 6)]
    files(tmp_path, "d/a.csv", *parts, f"d/{first}", "d/n_abort.csv", "d/q_segv.csv")
    found = report(run(tmp_path, "scan", "d", "-f", "json"))
    (whole,) = found["datasets"]
    assert whole["files"] == 5 and whole["rows"] == 10
    assert sorted(t["source"] for t in found["tables"]) == ["d/a.csv", *parts]
    assert {e["source"] for e in found["not_scanned"]} == {f"d/{first}", "d/n_abort.csv", "d/q_segv.csv"}
    opened = (tmp_path / "opened.log").read_text(encoding="utf-8").split()
    assert opened.count("d/a.csv") == 1 and all(opened.count(part) <= 2 for part in parts)
    calm = report(run_piiscan("scan", "d/a.csv", *parts, "-f", "json", cwd=tmp_path))
    assert calm["tables"] == found["tables"] and calm["datasets"] == found["datasets"]


def run_limited(folder: Path, size: int, *args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """With files of so many bytes at most, as on a full disk."""
    return subprocess.run(
        command(folder, *args, log="/dev/null"),
        cwd=folder, env=unmeasured(), capture_output=True, text=True, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), **options,
    )  # fmt: skip


@pytest.mark.parametrize("size", [0, 1500, 4000, 6000])
def test_a_scan_that_can_keep_nothing_or_little_loses_nothing(tmp_path: Path, size: int) -> None:
    """A full disk: what isn't kept is scanned again."""
    files(tmp_path, *(f"d/{name}.csv" for name in "abc"), "d/m_abort.csv", "d/z.csv")
    found = report(run_limited(tmp_path, size, "scan", "d", "-f", "json"))
    assert [t["source"] for t in found["tables"]] == [f"d/{name}.csv" for name in "abcz"]
    assert [e["source"] for e in found["not_scanned"]] == ["d/m_abort.csv"]


def test_no_folder_for_temporary_files_is_needed(tmp_path: Path) -> None:
    files(tmp_path, "d/a.csv", "d/m_abort.csv")
    done = subprocess.run(
        command(tmp_path, "scan", "d", "-f", "json"),
        cwd=tmp_path, env={**unmeasured(), "TMPDIR": "/nowhere"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert [t["source"] for t in report(done)["tables"]] == ["d/a.csv"]


def test_standard_input_that_was_not_kept_ends_the_scan(tmp_path: Path) -> None:
    """Nobody can read it twice."""
    files(tmp_path, "m_abort.csv")
    done = run_limited(tmp_path, 0, "scan", "-", "m_abort.csv", input=f"name,mail\na,{MAIL}\n")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: m_abort.csv: its reader ended the process")
    kept = report(run(tmp_path, "scan", "-", "m_abort.csv", "-f", "json", input=f"name,mail\na,{MAIL}\n"))
    assert [t["source"] for t in kept["tables"]] == ["-"]


def test_files_may_come_and_go_while_a_scan_goes_on_in_another_process(tmp_path: Path) -> None:
    names = [f"d/{name}.csv" for name in ("b", "c", "m_abort", "x", "y")]
    files(tmp_path, *names)
    change = "os.remove('d/b.csv'), os.remove('d/m_abort.csv'), os.rename('d/x.csv', 'd/a.csv'), os.abort()"
    program = PROGRAM.replace('("abort", os.abort)', f'("abort", lambda: ({change}))')
    done = subprocess.run(
        [sys.executable, "-c", program.format(log=str(tmp_path / "log")), "scan", "d", "-f", "json"],
        cwd=tmp_path, env=unmeasured(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    found = report(done)
    assert [t["source"] for t in found["tables"]] == ["d/a.csv", "d/c.csv", "d/y.csv", "d/b.csv"]
    assert [e["source"] for e in found["not_scanned"]] == ["d/m_abort.csv"]


def test_a_member_that_ends_the_process_costs_only_itself(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "t.zip", "w") as out:
        for name in ("a.csv", "x/abort.csv", "z.csv"):
            out.writestr(name, f"name,mail\na,{MAIL}\nb,{MAIL}\n")
    found = report(run(tmp_path, "scan", "t.zip", "-f", "json"))
    assert [t["source"] for t in found["tables"]] == ["t.zip!a.csv", "t.zip!z.csv"]
    assert [e["source"] for e in found["not_scanned"]] == ["t.zip!x/abort.csv"]


def test_standard_input_that_ends_the_process_is_not_scanned(tmp_path: Path) -> None:
    program = PROGRAM.replace('("abort",', '("-",').format(log=str(tmp_path / "log"))
    done = subprocess.run(
        [sys.executable, "-c", program, "scan", "-", "-f", "json"],
        cwd=tmp_path, env=unmeasured(), input=f"name,mail\na,{MAIL}\n", capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 3
    assert [e["source"] for e in report(done)["not_scanned"]] == ["-"]


def test_a_command_that_writes_ends_with_an_error_and_writes_nothing(tmp_path: Path) -> None:
    files(tmp_path, "d/a.csv", "d/m_abort.csv")
    files(tmp_path, "plan/a.csv")
    assert run(tmp_path, "plan", "plan", "-o", "plan.toml", "--policy", "gdpr").returncode == 0
    environment = {**unmeasured(), "PIISCAN_KEY": secrets.token_hex(32)}
    done = subprocess.run(
        command(tmp_path, "mask", "d", "-o", "out", "--plan", "plan.toml"),
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.startswith("error: d/m_abort.csv: its reader ended the process (SIGABRT)")
    assert not (tmp_path / "out").exists()


def test_a_plan_is_made_without_the_file_that_ends_the_process(tmp_path: Path) -> None:
    files(tmp_path, "d/a.csv", "d/m_abort.csv")
    done = run(tmp_path, "plan", "d", "-o", "plan.toml", "--policy", "gdpr", "--allow-incomplete")
    assert done.returncode == 0
    assert "a.csv" in (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert "m_abort.csv" in done.stderr


def test_it_ends_as_the_command_does(tmp_path: Path) -> None:
    files(tmp_path, "term.csv")
    assert run(tmp_path, "scan", "term.csv").returncode == -signal.SIGTERM


def _running(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A command that is reading a file for ever, and the process below it."""
    files(folder, "hang.csv")
    process = subprocess.Popen(
        command(folder, "scan", "hang.csv"),
        cwd=folder,
        env=unmeasured(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    for _ in range(600):
        if (folder / "opened.log").exists() and (found := children.read_text(encoding="ascii").split()):
            time.sleep(0.5)
            return process, int(found[0])
        time.sleep(0.05)
    raise AssertionError("it doesn't start")


def _is_gone(process: int) -> bool:
    for _ in range(100):
        try:
            if Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_signals_reach_the_command(tmp_path: Path, sent: signal.Signals, status: int) -> None:
    process, child = _running(tmp_path)
    process.send_signal(sent)
    process.communicate(timeout=60)
    assert process.returncode == status
    assert _is_gone(child)


def test_a_terminal_interrupts_the_command_once(tmp_path: Path) -> None:
    """It sends its signal to both."""
    import pty

    files(tmp_path, "hang.csv")
    child, terminal = pty.fork()
    if not child:
        os.chdir(tmp_path)
        os.execvpe(sys.executable, command(tmp_path, "scan", "hang.csv", "-q"), unmeasured())
    while not (tmp_path / "opened.log").exists():
        time.sleep(0.05)
    time.sleep(0.5)
    os.write(terminal, b"\x03")
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    assert shown.count(b"interrupted") == 1


@pytest.mark.parametrize("mib", [200, 700, 1100, 1300])
def test_too_little_address_space_ends_no_scan_by_a_signal(tmp_path: Path, mib: int) -> None:
    """As `ulimit -v` sets it: libraries can't start threads or allocate."""
    files(tmp_path, "a.csv", "b.csv")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))

    done = subprocess.run(
        [sys.executable, "-m", "piiscan", "scan", "."],
        cwd=tmp_path, env=unmeasured(), capture_output=True, text=True, timeout=120, preexec_fn=limit,
    )  # fmt: skip
    assert done.returncode in (1, 3)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1 or "not scanned" in done.stdout or "nothing was" in done.stderr


def test_sizes_of_memory(tmp_path: Path) -> None:
    files(tmp_path, "a.csv")
    for size in ("2GB", "512MB", "1.5g", "300 MiB"):
        assert run(tmp_path, "scan", "a.csv", "--memory", size).returncode == 1
    for size in ("2", "many", "1MB", "-1GB"):
        done = run(tmp_path, "scan", "a.csv", "--memory", size)
        assert done.returncode == 2
        assert "error:" in done.stderr
