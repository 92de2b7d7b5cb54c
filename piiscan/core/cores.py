"""How many processors this process may use."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from piiscan.core.control_groups import files


@lru_cache(maxsize=1)
def available() -> int:
    """The processors that this process is bound to, or its control groups' quota of them: the fewest.

    A quota of one and a half counts as two.
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([bound, *_quotas()]))


def _quotas() -> list[int]:
    """The quotas of the control groups that this process is in, outer ones included (Linux, versions 1 and 2)."""
    found = [_rounded_up(file, file) for file in files("", "cpu.max")]
    found += [_rounded_up(file, file.with_name("cpu.cfs_period_us")) for file in files("cpu", "cpu.cfs_quota_us")]
    return [quota for quota in found if quota > 0]


def _rounded_up(quota: Path, period: Path) -> int:
    """Processors that a quota lasts for, 0 for all: microseconds of each period, in one file or in two."""
    try:
        time, *length = quota.read_text(encoding="ascii").split()
        if not length:
            length = period.read_text(encoding="ascii").split()
        return 0 if time in ("max", "-1") else -(-int(time) // int(length[0]))
    except (OSError, ValueError, IndexError, ZeroDivisionError):
        return 0
