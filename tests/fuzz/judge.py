"""What piiscan makes of a file, held against what the oracle reads in it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import piiscan
from piiscan import cli

from .mutations import File
from .needles import NEEDLES
from .oracle import readable

BUDGET: Final = 1 << 30
"""Bytes of memory that a process may take."""
SLOW: Final = 20.0
"""Seconds of a processor that a file may take."""
BAD: Final = ("gap", "leak", "error")
"""What nothing excuses."""
POLICY: Final = f"""
name = "all that is found"
[[rule]]
entity = {sorted(NEEDLES)}
operator = "redact"
[[rule]]
entity = ["FREE_TEXT"]
operator = "spans"
[[rule]]
inside = true
operator = "spans"
[[rule]]
operator = "keep"
"""
"""As the default policy, which keeps what it takes for addresses and numbers of nobody, with all of them masked."""


class Verdict(NamedTuple):
    """What a run was: `found`, `incomplete` (and said so), `passed over` (and said so), `unreadable` (the oracle sees
    no needle), `no output`, `masked`; or a `gap`, a `leak`, an `error`. `why` says where to look, without data."""

    outcome: str
    why: str = ""
    seconds: float = 0.0
    memory: int = 0


def scanned(file: File, folder: Path, scanner: piiscan.Scanner, looked: frozenset[str] | None = None) -> Verdict:
    """The verdict on a scan of a file that is written into `folder`. `looked`: what the oracle reads in it."""
    path = _written(file, folder)
    with _measured() as spent:
        try:
            report = scanner.scan(path)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return Verdict("error", f"{type(error).__name__} at {_place(error)}", *spent())
    return _judged_scan(
        readable(file.data) if looked is None else looked,
        {c.entity for c in report.columns if c.entity}
        | {i.entity for c in report.columns for i in c.inside}
        | {name.entity for name in report.in_names},
        [entry.reason for entry in report.not_scanned],
        report.complete,
        report.scan_report.skipped,
    )._replace(seconds=spent()[0], memory=spent()[1])


def _judged_scan(
    looked: frozenset[str], entities: set[str], reasons: list[str], complete: bool, skipped: int
) -> Verdict:
    missed = sorted(looked - entities)
    if bug := next((reason for reason in reasons if "internal error" in reason), ""):
        return Verdict("error", bug)
    if not complete:
        return Verdict("incomplete")
    if not missed:
        return Verdict("found" if looked else "unreadable")
    return Verdict("passed over" if skipped else "gap", f"missed {', '.join(missed)}")


def scanned_by_command(file: File, folder: Path) -> Verdict:
    """The same by the command line, in a process of its own."""
    path = _written(file, folder)
    done = subprocess.run(
        [sys.executable, "-m", "piiscan", "scan", "-f", "json", "-q", "--", str(path)],
        capture_output=True,
        env=_environment(),
        cwd=folder,
        timeout=120,
    )
    said = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 3) or "Traceback" in said or "internal error" in said:
        return Verdict("error", f"status {done.returncode}")
    if any(needle in said for needle in NEEDLES.values()):
        return Verdict("leak", "the report shows a needle")
    report = json.loads(done.stdout)
    columns = [column for table in report["tables"] for column in table["columns"]]
    return _judged_scan(
        readable(file.data),
        {c["entity"] for c in columns if c["entity"]}
        | {i["entity"] for c in columns for i in c.get("inside", ())}
        | {name["entity"] for name in report["in_names"]},
        [entry["reason"] for entry in report["not_scanned"]],
        done.returncode != 3,
        report["skipped"],
    )


def masked(file: File, folder: Path, looked: frozenset[str] | None = None) -> Verdict:
    """The verdict on `piiscan mask` of a file by `POLICY`: no needle in clear in anything that it wrote."""
    path = _written(file, folder)
    out, policy = folder / "out", folder / "policy.toml"
    policy.write_text(POLICY)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    printed = io.StringIO()
    with _measured() as spent, contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), _key():
        status = cli.invoke(["mask", "-q", "--policy", str(policy), "-o", str(out / path.name), "--", str(path)])
    said = printed.getvalue()
    if status not in (0, 2, 3, 4, 5, 6) or "Traceback" in said or "internal error" in said:
        place = next((line for line in said.splitlines() if "internal error" in line), "")
        return Verdict("error", f"mask: status {status} {place}", *spent())
    written = [entry for entry in out.rglob("*") if entry.is_file()]
    if not written:
        return Verdict("no output", "", *spent())
    looked = readable(file.data) if looked is None else looked
    left = sorted({entity for entry in written for entity in readable(entry.read_bytes())} & looked)
    if left:
        return Verdict("leak", f"in clear: {', '.join(left)}", *spent())
    return Verdict("masked" if looked else "unreadable", "", *spent())


def _written(file: File, folder: Path) -> Path:
    """The file in a folder of its own, which holds nothing else."""
    home = folder / "in"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    path = home / file.name
    path.write_bytes(file.data)
    return path


def _place(error: BaseException) -> str:
    """The file and line that an error comes from; never its message, which may quote cells."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


def _environment() -> dict[str, str]:
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("PIISCAN_", "GITHUB_"))}
    root = str(Path(__file__).resolve().parents[2])
    return plain | {"PYTHONPATH": root, "PYTHONUTF8": "1", "NO_COLOR": "1"}


@contextlib.contextmanager
def _key() -> Iterator[None]:
    """A key for masks in the environment."""
    before = os.environ.get("PIISCAN_KEY")
    os.environ["PIISCAN_KEY"] = "00" * 16 + "5a" * 16
    try:
        yield
    finally:
        if before is None:
            del os.environ["PIISCAN_KEY"]
        else:
            os.environ["PIISCAN_KEY"] = before


@contextlib.contextmanager
def _measured() -> Iterator[Any]:
    """Gives a function that tells the processor's seconds and, where the system says it, the peak of memory since."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # begins the peak anew
    start = time.process_time()
    yield lambda: (time.process_time() - start, _peak())


def _peak() -> int:
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) << 10
    return 0
