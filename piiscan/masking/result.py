"""What came of masking files."""

from __future__ import annotations

from typing import NamedTuple

from piiscan.core.types import NotScanned, Skipped
from piiscan.masking.apply.promises import Promise
from piiscan.masking.information_loss.loss_figures import Compared


class MaskedFiles(NamedTuple):
    """`written`: how many files. `left_out`: what could not be read, and so isn't in the output; `skipped`: what was
    passed over, as ignore files and the configuration say. `promises` are those of the plan with their outcomes, none
    where nothing was verified; `verified`: all of them hold. `compared`: the tables that were written, where that was
    asked for."""

    written: int
    left_out: tuple[NotScanned, ...]
    skipped: tuple[Skipped, ...]
    promises: tuple[Promise, ...]
    verified: bool
    compared: tuple[Compared, ...] = ()
