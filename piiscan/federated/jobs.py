"""What a table of a federation file computes: a model, synthetic rows, a summary, or the column classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from piiscan.core.errors import UsageError
from piiscan.dp import noise
from piiscan.dp.request import Request
from piiscan.dp.run.joint import Joint, declared, fitted, summary
from piiscan.federated import column_job
from piiscan.federated.synthesis_job import synthesis


def joint(name: str, job: Mapping[str, Any]) -> Joint:
    """Return the computation that a table of a federation file describes.

    With `learn` a model, with `synthesize` the tables of synthetic rows, else a summary. Raises `UsageError` for an
    invalid one, and `MissingExtra` without OpenDP.
    """
    noise.require()
    told = dict(job)
    try:
        cost = {key: told.pop(key) for key in ("epsilon", "delta")}
    except KeyError as missing:
        raise UsageError(f"job {name}: {missing.args[0]} is missing; a job states its epsilon and delta") from None
    try:
        made = _of_columns(told, cost) if told.get("learn") == column_job.NAME else _of_rows(name, told, cost)
    except UsageError as error:
        raise UsageError(f"job {name}: {error}") from None
    except (TypeError, ValueError, AttributeError):
        raise UsageError(f"job {name}: an entry has a value of another kind than it needs") from None
    if made.price.share.mechanism != "gaussian":
        raise UsageError(f"job {name}: noise that several sites add together needs a delta, such as 1e-9")
    return made


def _of_columns(told: dict[str, Any], cost: Mapping[str, Any]) -> Joint:
    """Return the column classifier, whose unit is a labelled column."""
    del told["learn"]
    if unknown := sorted(set(told) - column_job.PARAMETERS):
        raise UsageError(
            f"{unknown[0]} isn't an entry of {column_job.NAME}; choose from {', '.join(sorted(column_job.PARAMETERS))}"
        )
    return column_job.JointColumns(**cost, **told)


def _of_rows(name: str, told: dict[str, Any], cost: Mapping[str, Any]) -> Joint:
    """Return a computation over rows, whose unit is a person."""
    unit, alone = told.pop("unit", None), told.pop("one_row_per_person", False)
    max_rows = told.pop("max_rows", 1)
    if (unit is None) != (alone is True):
        raise UsageError('whose rows are these? Write unit = "COLUMN", or one_row_per_person = true')

    def request(columns: Any, **more: Any) -> Request:
        return Request(dataset=name, version="", columns=columns, unit=unit, max_rows=max_rows, **cost, **more)

    if "learn" in told:
        return fitted(told, request)
    if "synthesize" in told:
        if unknown := sorted(set(told) - {"synthesize", "bounds", "edges", "categories"}):
            raise UsageError(f"{unknown[0]} isn't an entry of synthetic rows; declare bounds, edges and categories")
        return synthesis(told, request(declared(told)))
    return summary(told, request)
