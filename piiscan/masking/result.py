"""The result of masking files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from piiscan.core.types import NotScanned, Skipped
from piiscan.masking.apply.subject_table import SubjectFigures
from piiscan.masking.information_loss.loss_figures import Compared

OWN_LEFT: Final = "nothing of the row's own person is left"
ANYBODY_LEFT: Final = "no full name, address or number of anybody is left"
NO_NAME: Final = "no name of a file, table or column is somebody's full name, address or number"
NOTHING_KNOWN: Final = (
    "No name, address or number of a person was known from a masked column, so none was searched for in the output."
)


class CheckResult(NamedTuple):
    """One promise of a plan and whether it was kept.

    `cells` were checked, and `broken` of them broke it; `expected` of them by chance, with this `variance` where values
    are known to repeat. `rows`: the numbers of the first rows that break it, where known; `operator`: the column's.
    """

    source: str
    table: str | None
    column: str | None
    name: str
    cells: int
    broken: int
    expected: float = 0.0
    variance: float = 0.0
    rows: tuple[int, ...] = ()
    operator: str = ""

    @property
    def allowed(self) -> int:
        """How many may break it: six standard deviations of chance, and a handful more."""
        if not self.expected:
            return 0
        return int(self.expected + 6 * max(self.expected, self.variance) ** 0.5 + 3)

    @property
    def holds(self) -> bool:
        return self.broken <= self.allowed

    @property
    def is_checked(self) -> bool:
        """Whether it is known to hold or not.

        It isn't where as many cells as there are might break it by chance, nor where more than three standard
        deviations do, and one, but no more than `allowed`: a leak looks the same.
        """
        likely = self.expected + 3 * max(self.expected, self.variance) ** 0.5 + 1
        return not self.broken or not self.holds or (self.allowed < self.cells and self.broken <= likely)


def looked_up(promises: Iterable[str]) -> bool:
    """Whether the checked promises, by their names, include a search for values of people."""
    return any(name in (OWN_LEFT, ANYBODY_LEFT) for name in promises)


class MaskedFiles(NamedTuple):
    """`written`: how many files.

    `left_out`: what could not be read, and so isn't in the output; `skipped`: what was passed over, as ignore files
    and the configuration say. `promises` are those of the plan with their outcomes, none where nothing was verified;
    `verified`: all of them hold. `compared`: the tables that were written, where that was
    asked for. `subjects`: what is known of the people; None where nobody is made up. `kept`: how many files an earlier
    run had finished and this one kept; `again`: how many of such files were masked again, by reasons. `unused`: tables
    of the plan that matched nothing. `notes`: conditions of a dump that nobody held the masks to, with their tables,
    and what a masked dump lacks.
    """

    written: int
    left_out: tuple[NotScanned, ...]
    skipped: tuple[Skipped, ...]
    promises: tuple[CheckResult, ...]
    verified: bool
    compared: tuple[Compared, ...] = ()
    subjects: SubjectFigures | None = None
    kept: int = 0
    again: tuple[tuple[str, int], ...] = ()
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
