"""Runs a command in a process of its own, below a small one that watches how much memory it takes.

Libraries that read hostile files allocate what these ask for, and end the process where that fails. So the command is
forked off before it has imported anything large. If it takes more memory than allowed, or a library ends it, the input
that was being read is *not scanned*, and the command starts again without it, from where it was. Commands that change
something in between end with an error that names the input.

Linux only: elsewhere a command runs in the process itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from piiscan.core.checkpoints import UNWATCHED, Checkpoints

if TYPE_CHECKING:
    from piiscan.cli.supervise_linux import Supervised

FOREGROUND: Final = frozenset(("rules", "config", "completion", "key", "budget", "federated"))
"""Commands that read no data, or that go on for weeks."""
_own: Supervised | None = None
"""The checkpoints of this process, where it is watched."""


def checkpoints() -> Checkpoints:
    """Those of this process, for options to read by."""
    return _own or UNWATCHED


@contextmanager
def resumable() -> Iterator[Checkpoints]:
    """What is done meanwhile changes nothing, and can go on in another process. For one `scan_tables` at a time."""
    if _own is None:
        yield UNWATCHED
        return
    _own.resume()
    try:
        yield _own
    finally:
        _own.end()


@contextmanager
def restartable() -> Iterator[None]:
    """What is done meanwhile changes nothing, and can be done again in another process."""
    if _own is None:
        yield
        return
    _own.restart()
    try:
        yield
    finally:
        _own.end()


def supervised(command: Callable[[], int]) -> int:
    """The exit status of a command, which runs in a process of its own where the system has what it takes."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    if sys.platform != "linux" or not words or words[0] in FOREGROUND or {"-h", "--help"} & set(sys.argv):
        return command()
    from piiscan.cli import supervise_linux

    def with_checkpoints(own: Supervised) -> int:
        global _own
        _own = own
        return command()

    return supervise_linux.supervised(with_checkpoints)
