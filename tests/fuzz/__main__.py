"""Damage files and see whether what stands in them is found, or said not to have been read.

    python -m tests.fuzz [--seconds N] [--cases N] [--first N] [--seed S] [--jobs N] [--json FILE]
    python -m tests.fuzz --case N [--seed S] [--write FILE]   one case again
    python -m tests.fuzz --oddities                           the files made by hand

Prints a Markdown table of counts. The exit status is 1 where something was neither found nor said, a mask left a
needle in clear, or a case crashed, hung, or took more than its memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
import warnings
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import piiscan

from . import campaign
from .cases import case
from .judge import masked, scanned
from .oracle import readable


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long")
    parser.add_argument("--cases", type=int, default=0, help="stop after so many cases (1000 where no time is given)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, help="write counts and failures to this file")
    parser.add_argument("--case", type=int, action="append", help="one case again (repeatable)")
    parser.add_argument("--write", type=Path, help="with --case: its bytes go to this file")
    parser.add_argument("--oddities", action="store_true", help="the files made by hand")
    parser.add_argument("--oddity", metavar="NAME", help="one of them")
    given = parser.parse_args()
    if given.case is not None:
        return _again(given.case, given.seed, given.write)
    start = time.monotonic()
    if given.oddities or given.oddity:
        from .oddities import judged, oddities

        names = [name for name, _ in oddities()]
        if given.oddity and given.oddity not in names:
            some = "; ".join(get_close_matches(given.oddity, names, 3, 0.3) or names[:3])
            parser.error(f"no file made by hand has that name; names are such as {some}")
        return _finish(judged(_report, given.oddity), given, start)
    last = given.first + (given.cases or (1000 if not given.seconds else 1 << 40))
    counts = campaign.Counts()

    def say(found: dict[str, Any]) -> None:
        counts.add(found)
        _report(found)
        if counts.cases % 500 == 0:
            print(f"{counts.cases:,} cases, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)

    until = start + given.seconds if given.seconds else float("inf")
    campaign.run(range(given.first, last), given.seed, given.jobs, until, say)
    return _finish(counts, given, start)


def _report(found: dict[str, Any]) -> None:
    """A line for what nothing excuses."""
    for step, verdict in found["verdicts"].items():
        if campaign.is_bad(campaign.marks_of(verdict)):
            made = " > ".join((f"{found['kind']} ({', '.join(found['parts'])})", *found["mutations"]))
            print(
                f"case {found['case']}: {step}: {verdict['outcome']}: {verdict['why']}: {made}",
                file=sys.stderr,
                flush=True,
            )


def _finish(counts: campaign.Counts, given: argparse.Namespace, start: float) -> int:
    about = {"version": piiscan.__version__, "python": platform.python_version(), "seed": given.seed}
    print(campaign.markdown(counts))
    print(
        f"{counts.cases:,} cases in {time.monotonic() - start:.0f} s; at most {counts.most_memory >> 20} MiB and "
        f"{counts.longest:.1f} s of a processor; {len(counts.failures)} failures"
    )
    if given.json is not None:
        given.json.write_text(campaign.as_json(counts, about), encoding="utf-8")
    return 1 if counts.failures else 0


def _again(numbers: list[int], seed: int, target: Path | None) -> int:
    """Cases again, in this process: what they are, and the verdicts."""
    warnings.simplefilter("ignore")
    scanner, bad = piiscan.Scanner(jobs=1), False
    for number in numbers:
        made = case(number, seed)
        if target is not None:
            target.write_bytes(made.file.data)
        with tempfile.TemporaryDirectory() as folder:
            verdicts = {"scan": scanned(made.file, Path(folder), scanner), "mask": masked(made.file, Path(folder))}
        about = {"kind": made.kind, "parts": made.parts, "mutations": made.mutations, "name": made.file.name}
        print(json.dumps({"case": number, **about, "readable": sorted(readable(made.file.data))}))
        for step, verdict in verdicts.items():
            print(f"  {step}: {verdict}")
            bad |= campaign.is_bad(campaign.marks_of(verdict._asdict()))
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
