"""Memory that a process has freed, given back to the system."""

from __future__ import annotations

import sys


def give_back() -> None:
    """Have the C library give freed memory back, of which it keeps a third after large tables came and went. Does
    nothing where it can't be asked (it is glibc's `malloc_trim`)."""
    if sys.platform != "linux":
        return
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return
