"""A process that judges cases one after the other: numbers come in by lines, verdicts go out as lines of JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piiscan

from .cases import Case, case
from .judge import Verdict, masked, scanned, scanned_by_command
from .oracle import readable

COMMAND_EACH = 50
"""Each so many cases one goes through the command line in a process of its own, too."""
MASK_EACH = 3
"""Each so many cases one is masked, too."""


def judged(
    number: int, seed: int, folder: Path, scanner: piiscan.Scanner, say: Callable[[str], None]
) -> dict[str, Any]:
    """A case by what is done with it. `say` is told what is about to be done, for those who wait."""
    say("made")
    made = case(number, seed)
    looked = readable(made.file.data)
    verdicts: dict[str, Verdict] = {}
    try:
        say("scan")
        verdicts["scan"] = scanned(made.file, folder, scanner, looked)
        if number % MASK_EACH == 0:
            say("mask")
            verdicts["mask"] = masked(made.file, folder, looked)
        if number % COMMAND_EACH == 0:
            say("command")
            verdicts["command"] = scanned_by_command(made.file, folder)
    except (OSError, ValueError) as error:  # a name that no file system takes
        if not verdicts:
            verdicts["scan"] = Verdict("unreadable", type(error).__name__)
        else:
            verdicts["harness"] = Verdict("error", f"{type(error).__name__}")
    return told(made, {step: verdict._asdict() for step, verdict in verdicts.items()})


def told(made: Case, verdicts: dict[str, Any]) -> dict[str, Any]:
    """A line of the results: what a case was, and what became of it."""
    return {
        "case": made.number,
        "kind": made.kind,
        "parts": made.parts,
        "mutations": made.mutations,
        "bytes": len(made.file.data),
        "verdicts": verdicts,
    }


def main() -> None:
    """Read `NUMBER SEED` from standard input until it ends."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what libraries print
    os.dup2(1, 2)
    scanner = piiscan.Scanner(jobs=1)
    with tempfile.TemporaryDirectory(prefix="piiscan-fuzz-") as folder:
        for line in sys.stdin:
            number, seed = map(int, line.split())
            found = judged(number, seed, Path(folder), scanner, lambda step: print(json.dumps(step), file=out))
            print(json.dumps(found), file=out)


if __name__ == "__main__":
    main()
