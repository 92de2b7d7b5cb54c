"""The parameters of writing one input, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from piiscan.core.types import TableInfo
from piiscan.io.content import Content, ReadTable
from piiscan.io.read_options import Budget, ReadOptions
from piiscan.io.write.change import Changes
from piiscan.io.write.staging import Staging


class Job(NamedTuple):
    """What is asked for, and where unfinished parts may lie: in `folder`, that of the output.

    `inspect` is shown texts that are written as they are, such as a database's schema, and raises `ReadError` where
    they mustn't be.
    """

    options: ReadOptions
    change: Changes
    copy_others: bool
    staging: Staging
    folder: Path
    budget: Budget
    inspect: Callable[[ReadTable], None] | None = None

    @contextmanager
    def part(self) -> Iterator[Path]:
        """A file for as long as the context lasts."""
        path = self.staging.file(self.folder, "part")
        try:
            yield path
        finally:
            self.staging.discard(path)


class Done(NamedTuple):
    """`same`: the output is the input, byte for byte."""

    tables: tuple[TableInfo, ...] = ()
    copied: tuple[str, ...] = ()
    same: bool = False


WriteContent = Callable[[Content, Path, Job, bool, int], Done]
"""Writes a content to a file: `piiscan.io.write.packed.write`."""
