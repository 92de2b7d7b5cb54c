"""Runs command lines in children of one process that has everything loaded, each with one call of the operating system
that fails or kills it (faults.c, preloaded). Reads a case a line, as JSON, and answers with a line."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any


def load() -> None:
    """Import what the commands need, without any work that starts threads: those are lost in children."""
    import importlib

    import piiscan.cli

    for command in piiscan.cli.COMMANDS:
        importlib.import_module(f"piiscan.cli.{command}")
    for module in (
        "piiscan.masking.run.mask_files",
        "piiscan.masking.run.verify",
        "piiscan.masking.run.planning",
        "piiscan.scanning.engine",
        "piiscan.protection.run.protect_table",
        "piiscan.synthesis",
        "openpyxl",
        "sqlite3",
        "polars",
    ):
        importlib.import_module(module)
    from piiscan.rules import rule_sets
    from piiscan.scanning import engine
    from piiscan.scanning.classify.column_model import model

    engine.prefilter_of(rule_sets.load(()))
    model(None)


def run(case: dict[str, Any], faults: ctypes.CDLL, log: Path) -> int:
    """The command of a case in this process, to its exit status."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for fd, to in ((0, nothing), (1, out), (2, out)):
        os.dup2(to, fd)
    os.chdir(case["folder"])
    os.environ["TMPDIR"] = case["folder"] + "/tmp"
    import tempfile

    tempfile.tempdir = None
    from piiscan.cli import _silence_third_parties, invoke

    _silence_third_parties()
    if case.get("clock"):
        import time

        jump = iter(case["clock"])
        usual = time.time
        time.time = lambda: usual() + next(jump, 0)
    faults.faults_arm(case["n"], case["errno"], case["how"], os.fsencode(case["folder"] + "/"))
    try:
        status = invoke(case["arguments"])
    except BaseException:
        traceback.print_exc()
        status = 99
    counted = faults.faults_counted()
    faults.faults_arm(-1, 1, 0, b"")
    sys.stdout.flush()
    sys.stderr.flush()
    Path(f"{log}.count").write_text(str(counted))
    return status


def main(library: str, logs: str) -> None:
    faults = ctypes.CDLL(library)
    load()
    print("ready", flush=True)
    for number, line in enumerate(sys.stdin):
        case = json.loads(line)
        log = Path(logs) / str(number)
        child = os.fork()
        if child == 0:
            status = 98
            try:
                status = run(case, faults, log)
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        count = Path(f"{log}.count")
        answer = {
            "status": os.waitstatus_to_exitcode(ended),
            "said": log.read_text(errors="replace") if log.exists() else "",
            "calls": int(count.read_text()) if count.exists() else -1,
        }
        for path in (log, count):
            path.unlink(missing_ok=True)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
