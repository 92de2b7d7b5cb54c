"""How much faster a scan would be with a kernel of its own for regexes, at most: their answers are kept in a first scan
and given for nothing in a second one.

`python -m benchmarks.kernel_bound FILE …` prints CPU seconds of one thread: as it is, with the gates that every cell
meets for nothing, and with every regex for nothing. No kernel can do better: it would still have to read the cells.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from piiscan.detection.matching import match_column
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.rules.rule_sets import shipped
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions

ROUNDS = 3


class Replayed:
    """`Series.str.contains` for some regexes, whose answers are kept at first and given afterwards."""

    def __init__(self, of: Callable[[str], bool]) -> None:
        self.of, self.kept, self.answers = of, list[Any](), iter(())
        self.real = match_column._matches, match_column._wheres

    def keep(self) -> None:
        match_column._matches, match_column._wheres = self._keep_matches, self._keep_wheres

    def give(self) -> None:
        self.answers = iter(self.kept)
        match_column._matches, match_column._wheres = self._give_matches, self._give_wheres

    def end(self) -> None:
        match_column._matches, match_column._wheres = self.real

    def _keep_matches(self, cells: pl.Series, regex: str) -> Any:
        found = self.real[0](cells, regex)
        if self.of(regex):
            self.kept.append(found.copy())
        return found

    def _give_matches(self, cells: pl.Series, regex: str) -> Any:
        return next(self.answers) if self.of(regex) else self.real[0](cells, regex)

    def _keep_wheres(self, cells: pl.Series, index: Any, regexes: Any) -> Any:
        found = self.real[1](cells, index, regexes)
        if all(regex is None or self.of(regex) for regex in regexes):
            self.kept.append(found)
        return found

    def _give_wheres(self, cells: pl.Series, index: Any, regexes: Any) -> Any:
        if all(regex is None or self.of(regex) for regex in regexes):
            return next(self.answers)
        return self.real[1](cells, index, regexes)


def scanned(path: str) -> float:
    start = time.process_time()
    rules = shipped().rules
    read = ReadOptions(rules=rules)
    engine.scan_tables(inputs.discover([path], read), rules, ScanOptions(jobs=1))
    return time.process_time() - start


def bounds(path: str) -> Iterator[tuple[str, float]]:
    prefilter = engine.prefilter_of(shipped().rules)
    gates = {prefilter.first, prefilter.anywhere, prefilter.context, prefilter.whole, prefilter.context_start}
    scanned(path)
    yield "as it is", min(scanned(path) for _ in range(ROUNDS))
    for title, of in (("gates for nothing", gates.__contains__), ("every regex for nothing", lambda _: True)):
        replayed = Replayed(of)
        try:
            replayed.keep()
            scanned(path)
            seconds = []
            for _ in range(ROUNDS):
                replayed.give()
                seconds.append(scanned(path))
            yield title, min(seconds)
        finally:
            replayed.end()


def main() -> None:
    for path in sys.argv[1:]:
        base = 0.0
        for title, seconds in bounds(path):
            base = base or seconds
            print(f"{path}: {title}: {seconds:.2f} CPU s, {base / seconds:.2f} times as fast", flush=True)


if __name__ == "__main__":
    main()
