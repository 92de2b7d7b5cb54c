"""Promises of a plan in words: how many were checked, which are broken, and which could not be checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from piiscan.masking.result import NO_NAME, NOTHING_KNOWN, CheckResult, looked_up
from piiscan.masking.run.new_content import NOTHING_NEW, REMEDY

_LINES: Final = 10
"""Promises of which more is said than their number."""
_RENAME: Final = (
    "Names of files, folders, tables or columns are those of persons in the data, and stay as they are: rename them, "
    "and mask again"
)


def outcome(promises: Sequence[CheckResult], is_whole: bool = True) -> str:
    """How many promises the output was checked against, and what that can't show.

    `is_whole`: nothing of it was left unchecked, so that without any promise the plan has none.
    """
    if not promises and not is_whole:
        return "Nothing was checked."
    if not promises:
        return "Nothing was checked: the plan promises nothing about this output."
    checked = [p for p in promises if p.is_checked]
    kept = sum(p.holds for p in checked)
    unchecked = f", {len(promises) - len(checked):,} not checked" if len(checked) < len(promises) else ""
    how_many = f"{len(checked):,} promise{'' if len(checked) == 1 else 's'} checked, {kept:,} kept{unchecked}."
    if looked_up(p.name for p in promises):
        return how_many
    return f"{how_many} {NOTHING_KNOWN}"


def unchecked_lines(promises: Sequence[CheckResult]) -> list[str]:
    """Which promises could not be checked, as what was found may be a leak or chance; a line each, of up to eleven."""
    unchecked = [p for p in promises if not p.is_checked]
    lines = [f"not checked: {_line(p)}: too few cells to tell a leak from chance" for p in unchecked[:_LINES]]
    return [*lines, f"… and {len(unchecked) - _LINES} more"] if len(unchecked) > _LINES else lines


def broken_text(broken: Sequence[CheckResult]) -> str:
    """Which promises the output doesn't keep, in words that follow its name."""
    lines = list(map(_line, broken[:_LINES]))
    more = f"\n… and {len(broken) - _LINES} more" if len(broken) > _LINES else ""
    return "breaks promises of the plan:\n" + "\n".join(lines) + more + _remedy(broken)


def _line(p: CheckResult) -> str:
    """Where a promise was looked at, and what was found."""
    location = "".join(
        c if c.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for c in ": ".join(filter(None, (p.source, p.table, p.column)))
    )
    violations = "violation" if p.broken == 1 else "violations"
    chance = f", {p.expected:.1f} expected by chance" if p.expected else ""
    rows = f" (row {', '.join(map(str, p.rows))}{', …' if p.broken > len(p.rows) else ''})" if p.rows else ""
    where = f"{location}: " if location else ""
    return f"{where}{p.name}: {p.broken:,} {violations}{rows}, {p.cells:,} checked{chance}"


def _remedy(broken: Sequence[CheckResult]) -> str:
    """What to change in the plan where columns hold values that other columns mask, or more than it knows."""
    if any(p.name == NOTHING_NEW for p in broken):
        return f"\n{REMEDY}"
    if not any(p.column and looked_up([p.name]) for p in broken):
        return f"\n{_RENAME}" if any(p.name == NO_NAME for p in broken) else ""
    masked = [p.operator not in ("", "keep") for p in broken if p.column and looked_up([p.name])]
    kept = "give them an operator that masks them too, such as spans for texts, or suppress"
    left = "the operators that they have left some: give them the operator suppress"
    both = f"{kept}; and suppress where they are masked already"
    advice = left if all(masked) else both if any(masked) else kept
    return f"\nThese columns contain values that are masked elsewhere: in the plan, {advice}"
