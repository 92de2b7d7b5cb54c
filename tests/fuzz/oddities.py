"""Odd files made by hand, by name: each a trap of its own. Most carry needles; those of which the oracle reads none
must only be survived.

`python -m tests.fuzz --oddities` judges all of them, `--oddity NAME` one.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import piiscan

from . import odd_archives, odd_documents, odd_tables, odd_texts
from .campaign import Counts
from .judge import Verdict, masked, scanned
from .mutations import File
from .oracle import readable

UNUSED_SPACE = ("tables: SQLite, a deleted row", "tables: SQLite, a dropped table")
"""Where needles stand in what a database doesn't use any more, which docs/design.md says isn't looked at."""


def oddities() -> Iterator[tuple[str, File]]:
    """Every odd file, with a name that no other has."""
    for module in (odd_texts, odd_tables, odd_documents, odd_archives):
        for name, file in module.files():
            yield f"{module.__name__.rpartition('_')[2]}: {name}", file


def judged(say: Callable[[dict[str, Any]], None], only: str | None = None, mask: bool = True) -> Counts:
    """Scan and mask every odd file, or the one of a name; `say` gets each result."""
    warnings.simplefilter("ignore")
    counts, scanner = Counts(), piiscan.Scanner(jobs=1)
    with tempfile.TemporaryDirectory(prefix="piiscan-fuzz-") as folder:
        for number, (name, file) in enumerate(oddities()):
            if only is not None and name != only:
                continue
            looked = frozenset() if name in UNUSED_SPACE else readable(file.data)
            verdicts = {"scan": scanned(file, Path(folder), scanner, looked)}
            if mask:
                verdicts["mask"] = _masked(file, Path(folder), looked)
            told = {step: verdict._asdict() for step, verdict in verdicts.items()}
            kind, _, what = name.partition(": ")
            found = {"case": number, "kind": f"odd {kind}", "parts": (what,), "mutations": (), "verdicts": told}
            counts.add(found)
            say(found)
    return counts


def _masked(file: File, folder: Path, looked: frozenset[str]) -> Verdict:
    try:
        return masked(file, folder, looked)
    except OSError as error:  # a name that is too long with what masking adds to it
        return Verdict("no output", type(error).__name__)
