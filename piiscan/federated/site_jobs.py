"""A site's own settings of a job: other data than its usual ones, and rows that the model is checked with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.dp import noise
from piiscan.dp.accounting import Loss
from piiscan.dp.noise import Share
from piiscan.dp.queries import ratio
from piiscan.dp.request import LEAST_EPSILON, MOST_EPSILON
from piiscan.dp.result import Json
from piiscan.dp.run.joint import Joint
from piiscan.federated.federation import check_entries
from piiscan.io.table_source import Source

_ENTRIES: Final = frozenset(("data", "table", "dataset", "hold_out", "least", "within", "epsilon", "budget"))
_OF_CHECKS: Final = ("hold_out", "least", "epsilon")


class HoldOut(NamedTuple):
    """Rows that a site kept out of a job, and which share of them a model has to predict right.

    least: that share. within: how far a predicted number may be off. epsilon: what the answer costs the rows' people.
    """

    data: Path
    least: float
    epsilon: float
    within: float | None = None

    @property
    def loss(self) -> Loss:
        """What an answer costs: it has Laplace noise."""
        return Loss(self.epsilon, 0.0, self.epsilon**2 / 2, 0.0)

    def accepts(self, job: Joint, released: Json) -> bool:
        """Return whether the model of a release predicts enough of the rows right, by a count with noise.

        Guarantee:
            Assumes: a unit has at most `job.max_rows` of the rows that `job.right` counts.
            Ensures: the answer is ε-differentially private for each unit of the rows, whatever the model is: a row
            adds 1 − `least` where the model is right and −`least` where it isn't, and the sum has Laplace noise.
            Does not protect against: a model that is wrong for other rows than those held out.
            Test: test_federated_checks.py::test_an_answer_has_its_distribution
        """
        right = job.right(released, Source(self.data), self.within)
        least, of = ratio(self.least)
        exact = of * int(right.sum()) - least * len(right)
        drawn = noise.added([exact], max(least, of - least) * job.max_rows, Share("laplace", self.epsilon))
        return drawn.values[0] >= 0


class SiteJob(NamedTuple):
    """What a site has for one job. `data`, `table`, `dataset`, `budget`: None for the usual ones."""

    data: Path | None = None
    table: str | None = None
    dataset: str | None = None
    hold_out: HoldOut | None = None
    budget: float | None = None


def site_jobs(told: Any, path: Path) -> dict[str, SiteJob]:
    """Return the tables [jobs.NAME] of a site's file. Raises `UsageError`."""
    if not isinstance(told, dict) or not all(isinstance(job, dict) for job in told.values()):
        raise UsageError(f"{path}: settings of a job are a table, [jobs.NAME]")
    return {name: _site_job(job, path, f"{path}: [jobs.{name}]") for name, job in told.items()}


def _site_job(told: Mapping[str, Any], path: Path, place: str) -> SiteJob:
    check_entries(told, frozenset(), _ENTRIES, place)
    texts = {name: told[name] for name in ("data", "table", "dataset", "hold_out") if name in told}
    numbers = {name: told[name] for name in ("least", "within", "epsilon", "budget") if name in told}
    if not all(isinstance(t, str) and t for t in texts.values()) or any(
        type(n) not in (int, float) for n in numbers.values()
    ):
        raise UsageError(
            f"{place}: data, table, dataset and hold_out are texts; least, within, epsilon and budget are numbers"
        )
    check = None
    if any(name in told for name in (*_OF_CHECKS, "within")):
        if missing := [name for name in _OF_CHECKS if name not in told]:
            raise UsageError(f"{place}: {missing[0]} is missing; a check needs hold_out, least and epsilon")
        if not 0 < told["least"] < 1 or not LEAST_EPSILON <= told["epsilon"] <= MOST_EPSILON:
            raise UsageError(f"{place}: least is a share between 0 and 1, and epsilon a number above 0")
        check = HoldOut(path.parent / told["hold_out"], told["least"], told["epsilon"], told.get("within"))
    data = path.parent / told["data"] if "data" in told else None
    if not told.get("budget", 1) > 0:
        raise UsageError(f"{place}: budget is a number above 0")
    return SiteJob(data, told.get("table"), told.get("dataset"), check, told.get("budget"))
