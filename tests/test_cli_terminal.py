"""The command line as a process: pipes that close, terminals, colours, and what Python prints by itself."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from mask_people import key_file
from test_cli import PEOPLE, SSN

PROGRAM = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from piiscan.cli import main
main()
"""
COMMAND = [sys.executable, "-c", PROGRAM]
PLAIN = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TERM", "FORCE_COLOR")}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def on_terminal(folder: Path, *args: str, program: str = PROGRAM, **env: str) -> str:
    """What a terminal of 90 columns receives, standard output and error together."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program, *args],
        cwd=folder,
        stdin=other,
        stdout=other,
        stderr=other,
        env={**PLAIN, "TERM": "xterm-256color", "COLUMNS": "90", **env},
    )
    os.close(other)
    out = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        out += part
    os.close(main)
    process.wait(60)
    return out.decode()


def test_a_terminal_gets_progress_and_colour(people: Path) -> None:
    out = on_terminal(people, "scan", "people.csv")
    assert "\x1b[31m" in out, "a direct identifier is red"
    assert "rows" in out
    assert "US_SSN" in out
    quiet = on_terminal(people, "scan", "people.csv", "-q")
    assert "\x1b[?25l" not in quiet, "no progress bar hides the cursor"
    assert SSN not in out


@pytest.mark.parametrize(("command", "columns"), [("scan", 80), ("scan", 140), ("plan", 140)])
def test_progress_says_how_much_of_all_is_done_in_one_line(people: Path, command: str, columns: int) -> None:
    size = (people / "people.csv").stat().st_size
    for i in range(60):
        (people / f"{'abcdefghij'[i % 10]}{'klmnop'[i // 10]}.csv").write_text(PEOPLE)
    (people / "dead.csv").symlink_to(people / "nowhere.csv")
    more = ["-o", "p.toml", "--allow-incomplete"] if command == "plan" else []
    out = on_terminal(people, command, ".", *more, COLUMNS=str(columns))
    shown = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in out.split("\r") if " rows" in line and "/" in line]
    assert any(" of 61 files" in line for line in shown)
    assert any(f"/{61 * size / 1000:,.1f} kB" in line for line in shown)
    assert all((" left, " in line) == (columns == 140) for line in shown if " of 61 files" in line)
    assert max(len(line.rstrip()) for line in shown) <= columns
    counts = [int(found[1]) for line in shown if (found := re.search(r"(\d+) of 61 files", line))]
    assert counts == sorted(counts)
    assert not any("\n" in line.rstrip("\n") for line in shown[:-1]), "it doesn't scroll"


def test_progress_counts_files_where_their_number_is_not_known(people: Path) -> None:
    for name in "abcdefg":
        (people / f"{name}.csv").write_text(PEOPLE)
    known = PROGRAM.replace("main()", "from piiscan.cli import progress\nprogress._Followed.MOST = 3\nmain()")
    out = on_terminal(people, "scan", ".", program=known)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out)
    assert " of 8 files" not in shown
    assert "8 files done" in shown
    assert "9 files done" not in shown


@pytest.mark.parametrize("columns", [80, 140])
def test_each_step_of_masking_says_how_much_of_all_is_done(people: Path, columns: int) -> None:
    folder = people / "in"
    folder.mkdir()
    rows = [f"P-{i:05},Anna{i % 7},Smith,anna{i}@mail.org,Called Anna{i % 7} Smith today." for i in range(400)]
    for name in "abc":
        (folder / f"{name}.csv").write_text("id,first_name,last_name,email,note\n" + "\n".join(rows) + "\n")
    key_file(people)
    out = on_terminal(people, "mask", "in", "-o", "out", "--key", "file:key", COLUMNS=str(columns))
    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in out.split("\r") if " rows" in line and "/" in line]
    steps = [re.search(r"(looking at|masking|checking) \S+ ", line) for line in lines]
    shown = [(found[1], line) for found, line in zip(steps, lines, strict=True) if found]
    assert [*dict.fromkeys(step for step, _ in shown)] == ["looking at", "masking", "checking"], out
    assert max(len(line.rstrip()) for line in lines) <= columns
    for step in ("looking at", "masking", "checking"):
        counts = [int(n[1]) for each, line in shown if each == step and (n := re.search(r"(\d+) of 3 files", line))]
        assert counts == sorted(counts) and counts, step
    assert not any("\n" in line.rstrip("\n") for line in lines[:-1]), "it doesn't scroll"


def test_no_color_means_no_colour(people: Path) -> None:
    out = on_terminal(people, "scan", "people.csv", NO_COLOR="1")
    assert "US_SSN" in out
    assert "\x1b[31m" not in out


def test_a_pipe_gets_neither(people: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "scan", "people.csv"], cwd=people, env=PLAIN, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("args", [["scan", "people.csv", "-f", "json"], ["scan", "people.csv"], ["rules", "list"]])
def test_a_reader_that_goes_away_is_no_error(people: Path, args: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            [*COMMAND, *args], cwd=people, env=PLAIN, stdout=closed, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == (1 if "people.csv" in args else 0)
    assert "Error" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_machine_formats_are_utf_8_in_any_locale(people: Path, encoding: str) -> None:
    (people / "names.csv").write_text("Straße,名前\nx,y\n", encoding="utf-8")
    env = {**PLAIN, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(
        [*COMMAND, "scan", "names.csv", "-f", "json"], cwd=people, env=env, capture_output=True, timeout=60
    )
    assert "Straße" in done.stdout.decode("utf-8")


def test_nothing_that_python_prints_by_itself_shows_a_value(people: Path) -> None:
    spill = PROGRAM.replace(
        "main()",
        f"""
import logging, threading, warnings
from piiscan.scanning import engine
class Late:
    def __del__(self): raise ValueError("{SSN}")
def spill(*_):
    warnings.warn("{SSN}")
    logging.getLogger("x").warning("{SSN}")
    thread = threading.Thread(target=lambda: 1 / {{}}["{SSN}"]); thread.start(); thread.join()
    Late()
    raise RuntimeError("{SSN}") from ValueError("{SSN}")
engine.scan_tables = spill
main()
""",
    )
    done = subprocess.run(
        [sys.executable, "-c", spill, "scan", "people.csv", "-v"],
        cwd=people,
        env=PLAIN,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 4
    assert "internal error: RuntimeError" in done.stderr
    assert SSN not in done.stdout + done.stderr


def test_a_report_can_go_to_a_device(people: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "scan", "people.csv", "-o", "json=/dev/stderr", "-q"],
        cwd=people,
        env=PLAIN,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr.startswith("{")
    assert done.stdout.startswith("people.csv")


def test_a_full_disk_is_reported(people: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "scan", "people.csv"],
            cwd=people,
            env=PLAIN,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 4
    assert done.stderr.startswith("error: standard output: can't be written")


@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_error(people: Path, streams: str) -> None:
    shell = f"{shlex.join(COMMAND)} scan people.csv -o json=report.json {streams}"
    done = subprocess.run(["sh", "-c", shell], cwd=people, env=PLAIN, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr
    assert "internal error" not in done.stderr and "Traceback" not in done.stderr
    assert json.loads((people / "report.json").read_text())["complete"]


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_no_standard_input_is_not_clean(people: Path, more: list[str]) -> None:
    done = subprocess.run(
        [*COMMAND, "scan", "-", *more],
        cwd=people,
        env=PLAIN,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: os.close(0),
    )
    assert done.returncode == 3
    assert "-: no standard input" in done.stdout


def test_a_dumb_terminal_gets_plain_lines(people: Path) -> None:
    out = on_terminal(people, "scan", "people.csv", TERM="dumb")
    assert out.startswith("people.csv")
    assert "\x1b" not in out


def test_a_narrow_terminal_is_not_overrun(people: Path) -> None:
    out = on_terminal(people, "scan", "people.csv", "-q", "--fail-on", "never", NO_COLOR="1", COLUMNS="40")
    assert max(map(len, out.replace("\r", "").splitlines())) <= 40


ROLES = ["--quasi", "age", "--insensitive", "n"]


@pytest.mark.parametrize(
    "command",
    [
        ["risk", *ROLES],
        ["anonymize", *ROLES, "--k", "2", "-o", "out.csv"],
        ["aggregate", "--by", "age", "--columns", "n", "--min-group", "3"],
        ["summarize", "--epsilon", "1", "--one-row-per-person", "--bounds", "age=0:120", "--budget", "2"],
    ],
    ids=lambda command: command[0],
)
def test_what_reads_one_table_says_how_much_of_it_is_read(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "ages.csv"
    path.write_text("n,age\n" + "".join(f"{i},{i % 50 + 20}\n" for i in range(30_000)))
    out = on_terminal(tmp_path, command[0], path.name, *command[1:], COLUMNS="140")
    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in out.split("\r") if " rows" in line]
    size = path.stat().st_size / 1000
    shown = [float(found[1]) for line in lines if (found := re.search(rf"([\d.]+)/{size:.1f} kB", line))]
    assert max(shown) == pytest.approx(size, abs=0.1), out
    assert any(" left, " in line and "30,000 rows" in line for line in lines), out
    assert max(len(line.rstrip()) for line in lines if "\n" not in line) <= 140


def test_a_plan_is_wrapped_to_the_terminal(people: Path) -> None:
    shown = on_terminal(people, "plan", "people.csv", "--explain", "-q")
    assert all(len(line) <= 90 for line in shown.splitlines())
    whole = subprocess.run(
        [*COMMAND, "plan", "people.csv", "--explain", "-q"], cwd=people, capture_output=True, text=True, check=True
    ).stdout
    assert shown.split() == whole.split()
    assert len(whole.splitlines()) < len(shown.splitlines())
