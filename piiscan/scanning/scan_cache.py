"""Verdicts of an earlier scan, for files that haven't changed since; `scan --resume` uses them.

A file of JSON lines, one for each file or for all files of names such as those of a data set, which are judged
together. It holds what a report says, never a cell. A line counts where every file is as it was: path, size, times,
inode; all lines, where the rules, the model, the settings and the working folder are those of today. Scans with other
ones have files of their own.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from piiscan.core import source_globs
from piiscan.core.checkpoints import Again, Checkpoints, Known
from piiscan.core.errors import UsageError
from piiscan.core.plain_data import from_plain, to_plain
from piiscan.core.types import InName, Skipped, TableReport
from piiscan.core.whole_file import write_whole
from piiscan.scanning.data_sets import Slot
from piiscan.scanning.file_looks import Summed

VERSION: Final = 1
_KINDS: Final[Mapping[str, Any]] = {"table": TableReport, "skipped": Skipped, "name": InName}
_RECENT: Final = 2 * 10**9
"""Nanoseconds. A file that was written so shortly before the scan may be written again without another time."""
_FILES: Final = 8
"""Scans with different settings that are remembered side by side; the one that was made longest ago is forgotten."""
_State = list[Any]
"""Of a file: its size, times of its contents and of its inode in nanoseconds, device and inode."""
_IGNORE: Final = "# What `piiscan scan --resume` keeps. It can be deleted.\n*\n"


class _Entry(NamedTuple):
    """Files that are judged together, as they were, and the result of each, as JSON values."""

    files: dict[str, _State]
    results: dict[str, list[Any]]


class ScanCache:
    """`Checkpoints` that know the results of unchanged files, from `folder`.

    `settings`: whatever else verdicts depend on; it can be printed as JSON. `kept`: how many files were not read again.
    """

    def __init__(self, folder: Path, settings: Any, inner: Checkpoints) -> None:
        text = json.dumps([VERSION, settings], sort_keys=True, default=str)
        self._settings = hashlib.sha256(text.encode()).hexdigest()
        self._file, self._inner = folder / f"scan-{self._settings[:16]}.jsonl", inner
        self._known: dict[str, _Entry] = {}
        self._now: dict[str, dict[str, _State]] = {}
        self._found: dict[str, list[Any]] = {}
        self._at: str | None = None
        self._start = time.time_ns()
        self.kept = 0

    @property
    def lost(self) -> Mapping[str, str]:
        return self._inner.lost

    @property
    def wants_all(self) -> bool:
        return True

    def expect(self, inputs: Sequence[tuple[str, str | None]]) -> None:
        """Which files there are: those of one table are known together, or not at all.

        Raises `UsageError` where nothing can be kept.
        """
        for source, path in inputs:
            if path is not None and (state := _state(path)) is not None:
                self._now.setdefault(_unit(source), {})[source] = state
        entries = self._read()
        self._known = {unit: e for unit, e in entries.items() if e.files == self._now.get(unit, e.files)}
        self._write()
        self._forget()

    def knows(self, source: str) -> bool:
        entry = self._known.get(_unit(source))
        is_kept = entry is not None and source in entry.files and _unit(source) in self._now
        return is_kept or self._inner.knows(source)

    def begin(self, source: str) -> Known | None:
        self._finish_file()
        entry = self._known.get(_unit(source))
        if entry is not None and source in entry.files and _unit(source) in self._now:
            self.kept += 1
            return Known(tuple(_result(item) for item in entry.results[source]))
        known = self._inner.begin(source)
        # What isn't read now, or twice, isn't told whole.
        if known is not None or source in self._found:
            self._found[source] = [None]
        else:
            self._at, self._found[source] = source, []
        return known

    def left(self) -> Iterable[Known]:
        return self._inner.left()

    @property
    def one_by_one(self) -> bool:
        return self._inner.one_by_one

    def open(self, source: str) -> None:
        self._inner.open(source)

    def open_several(self, first: str) -> None:
        self._inner.open_several(first)

    def finish(self, result: Any) -> None:
        self._inner.finish(result)
        self.hold(result)

    def hold(self, result: Any) -> None:
        """Hold a result, or the place of a data set, whose results come at the end."""
        if self._at is not None and not isinstance(result, Summed | Again):
            self._found[self._at].append(result)

    def employ(self, processes: Sequence[int]) -> None:
        self._inner.employ(processes)

    def end(self) -> None:
        """Keep the results of all files: all is judged."""
        self._at = None
        for unit, files in self._now.items():
            if unit not in self._known and (entry := self._entry(files)) is not None:
                self._known[unit] = entry
        with suppress(UsageError):  # the report is there, and the next scan reads what wasn't kept
            self._write()

    def _finish_file(self) -> None:
        """Keep the result of a file that is judged by itself at once: the scan may be interrupted."""
        source, self._at = self._at, None
        if source is None or len(files := self._now.get(_unit(source), {})) != 1:
            return
        if any(isinstance(result, Slot) for result in self._found[source]):
            return
        if (entry := self._entry(files)) is not None:
            self._known[_unit(source)] = entry
            with suppress(OSError), self._file.open("a", encoding="utf-8") as file:
                file.write(_line(_unit(source), entry))

    def _entry(self, files: dict[str, _State]) -> _Entry | None:
        """The results of files; None where they may have changed meanwhile, or are to be tried again."""
        results = {source: list(_flat(self._found.get(source, [None]))) for source in files}
        is_recent = any(max(state[1:3]) > self._start - _RECENT for state in files.values())
        each = [result for found in results.values() for result in found]
        if is_recent or not all(_is_whole(result) for result in each):
            return None
        return _Entry(files, {source: [_plain(result) for result in found] for source, found in results.items()})

    def _read(self) -> dict[str, _Entry]:
        """What the file holds, as far as it can be understood."""
        found: dict[str, _Entry] = {}
        try:
            head, *lines = self._file.read_text(encoding="utf-8").splitlines()
            if json.loads(head) != {"piiscan": VERSION, "settings": self._settings}:
                return {}
        except (OSError, ValueError):
            return {}
        for line in lines:
            with suppress(ValueError, TypeError, KeyError, AttributeError):  # a line that was being written
                entry = json.loads(line)
                known = _Entry(entry["files"], {source: entry["results"][source] for source in entry["files"]})
                for items in known.results.values():
                    for item in items:
                        _result(item)
                found[entry["unit"]] = known
        return found

    def _write(self) -> None:
        head = json.dumps({"piiscan": VERSION, "settings": self._settings}) + "\n"
        text = head + "".join(_line(unit, self._known[unit]) for unit in sorted(self._known))
        try:
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            (self._file.parent / ".gitignore").write_text(_IGNORE, encoding="utf-8")
            write_whole(self._file, text.encode("utf-8", "surrogatepass"))
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise UsageError(f"--resume: {self._file} can't be written: {why}") from None

    def _forget(self) -> None:
        """Remove the files of all settings but those of the latest scans."""
        with suppress(OSError):  # another scan may do the same
            files = sorted(self._file.parent.glob("scan*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
            for file in files[:-_FILES]:
                file.unlink()


def _unit(source: str) -> str:
    """By what a file is known: files that may be of one data set together."""
    return source_globs.glob_of(source) or source


def _state(path: str) -> _State | None:
    """How a file is, None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_dev, found.st_ino]


def _flat(results: Iterable[Any]) -> Iterator[Any]:
    for result in results:
        yield from result.results if isinstance(result, Slot) else (result,)


def _is_whole(result: Any) -> bool:
    return isinstance(result, tuple(_KINDS.values())) and getattr(result, "complete", True)


def _plain(result: Any) -> list[Any]:
    kind = next(name for name, kind in _KINDS.items() if isinstance(result, kind))
    return [kind, to_plain(result)]


def _result(item: Any) -> Any:
    kind, value = item
    return from_plain(_KINDS[kind], value)


def _line(unit: str, entry: _Entry) -> str:
    return json.dumps({"unit": unit, "files": entry.files, "results": entry.results}) + "\n"
