"""Whether polars can work in this process.

Its threads don't survive a fork, and a process that was forked after polars had been used waits for them for ever.
"""

from __future__ import annotations

import os
import sys
from threading import Event, Thread
from typing import Final

from piiscan.core.errors import UsageError

PATIENCE: Final = 20.0
"""Seconds that a calculation on two cells may take."""


class _Here:
    """`in_doubt`: polars may have been used before this process began; `works`: it has calculated something here."""

    in_doubt = "polars" in sys.modules
    works = True


def _forget() -> None:
    _Here.in_doubt, _Here.works = "polars" in sys.modules, True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def demand_polars() -> None:
    """Raises `UsageError` where polars gets nothing done, as in a process that was forked after it had been used.

    Whichever package used it. Asked once, and only where polars was imported before.
    """
    if _Here.in_doubt:
        _Here.in_doubt, _Here.works = False, _calculates()
    if not _Here.works:
        raise UsageError(
            f"polars didn't finish a calculation on two cells in {PATIENCE:.0f} seconds, as in a process that was "
            'forked after polars had been used; start it anew, as multiprocessing.get_context("spawn") does'
        )


def _calculates() -> bool:
    import polars as pl

    done = Event()

    def calculate() -> None:
        pl.DataFrame({"a": [1], "b": [2]}).select(pl.col("a") + 1, pl.col("b") + 1)
        done.set()

    Thread(target=calculate, daemon=True).start()
    return done.wait(PATIENCE)
