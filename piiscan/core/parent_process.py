"""A process that ends with the one that it works for."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Final

_SET_PARENT_DEATH_SIGNAL: Final = 1
"""`PR_SET_PDEATHSIG` of Linux's `prctl`."""


def die_with(parent: int) -> None:
    """Killing the parent kills this process (Linux; elsewhere this does nothing).

    Ends it where the parent is gone already.
    """
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
