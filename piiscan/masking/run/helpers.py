"""Other processes that do a part of a run of `mask`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Self

from piiscan.core import worker_processes
from piiscan.core.checkpoints import Checkpoints
from piiscan.core.worker_processes import Submit, Task, WorkerProcesses

_FEWEST: Final = 2 << 20
"""Bytes of a source that are worth another process: it takes as long to start as a megabyte of texts to read."""
_FEWEST_CELLS: Final = 8 << 20
"""The same of a source without texts, of which only the proof is shared out."""
_TIMES: Final = 3
"""So many times the bytes of its source are needed in this process."""


class Helpers:
    """Up to `processes` that work for a run, this one included; others than this one end with the context.

    `has_texts`: whether they search texts, too.
    """

    def __init__(self, source: Path, processes: int, checkpoints: Checkpoints, has_texts: bool) -> None:
        self._checkpoints = checkpoints
        self._workers: WorkerProcesses | None = None
        size = _size(source)
        count = (
            worker_processes.affordable(processes, _TIMES * size)
            if size >= (_FEWEST if has_texts else _FEWEST_CELLS)
            else 0
        )
        if count > 0:
            self._workers = WorkerProcesses(count, Task(f"{__name__}:prepare", (has_texts,)), checkpoints.employ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """There is nothing more to do."""
        if self._workers is not None:
            self._workers.close()
            self._checkpoints.employ(())
            self._workers = None

    @property
    def submit(self) -> Submit | None:
        """None where there are none."""
        return None if self._workers is None else self._workers.submit


def _size(source: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    if not source.is_dir():
        return source.stat().st_size if source.is_file() else 0
    paths = (Path(folder, name) for folder, _, names in os.walk(source) for name in names)
    return sum(path.stat().st_size for path in paths if path.is_file())


def prepare(has_texts: bool) -> None:
    """What a process loads before its first task."""
    from piiscan.masking.run import look_ups, texts_ahead  # noqa: F401

    if has_texts:
        texts_ahead.prepare()
