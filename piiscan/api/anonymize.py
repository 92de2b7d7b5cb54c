"""Data frames anonymised."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from piiscan.anonymity.best_publication import anonymized
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.hierarchies.hierarchy_files import from_mapping
from piiscan.anonymity.models.privacy_models import PrivacyModels
from piiscan.anonymity.publish import Publisher
from piiscan.anonymity.request import AnonymizeRequest, Method
from piiscan.anonymity.run.count_table import count_population, counted
from piiscan.anonymity.run.recount import recounted
from piiscan.api.mask import read_held, whole
from piiscan.core.errors import UsageError
from piiscan.core.types import Table
from piiscan.io import inputs, native_frames
from piiscan.masking.run.inside_cells import folded
from piiscan.rules import rule_sets
from piiscan.scanning.engine import ScanOptions


@dataclass(frozen=True, slots=True)
class AnonymizedFrame:
    """`frame`: of the same kind as what came in. `report`: what was done and what it cost, as plain data; without a
    cell value."""

    frame: Any
    report: dict[str, Any]


def anonymize(
    frame: Any,
    *,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    unit: str | None = None,
    suppress: float = 0.04,
    method: Method = "optimal",
    metric: str = "loss",
    hierarchies: str | os.PathLike[str] | Mapping[str, Mapping[str | None, Sequence[str | None]]] | None = None,
    population: Any = None,
    drop_suppressed: bool = False,
    **models: Any,
) -> AnonymizedFrame:
    """A pandas, polars or pyarrow frame in which no record can be told from k - 1 others by its quasi-identifiers.

    models: `k`, `l` with `diversity` ("distinct", "entropy", "recursive") and `c`, `alpha`, `t` with `distance`
        ("equal", "ordered", "hierarchical"), `presence` with a `population`, a frame.
    quasi, sensitive, insensitive: names of columns; what isn't declared is what a scan takes it for. unit: the column
        that says whose a row is.
    suppress: the share of rows that may be blanked. method: "optimal" or "local". metric: what an optimal search makes
        small.
    hierarchies: a folder of files in ARX's form, or for each quasi-identifier a mapping from its values to their labels
        at level 1, 2, …; built where there are none.

    The result is counted again before it is returned. Raises `UsageError` where the models can't be met, and
    `VerifyError`.

    >>> import piiscan, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "f", "f", "m", "m", "m"]})
    >>> piiscan.anonymize(people, k=3, quasi=["age", "sex"]).report["smallest_class"]
    3
    """
    kind = native_frames.kind_of(frame)
    try:
        privacy_models = PrivacyModels(**models)
    except TypeError:
        known = ", ".join(f.name for f in fields(PrivacyModels))
        raise UsageError(f"the models are {known}, not {', '.join(models)}") from None
    given = hierarchies_of(hierarchies)
    people = None if population is None else partial(inputs.from_frame, population)
    request = AnonymizeRequest(
        privacy_models,
        tuple(quasi),
        tuple(sensitive),
        tuple(insensitive),
        unit,
        suppress,
        method,
        metric,
        given,
        people,
        drop_suppressed,
    )
    rules = rule_sets.load(())
    table = counted(partial(_tables, frame), request, rules, ScanOptions())
    found = anonymized(table, request, count_population(table, people, rules))
    held = read_held(frame)
    _, cells = whole(held)
    columns, kept = Publisher(found).apply(cells)
    recounted([_published(cells, columns, kept)], found, table)
    return AnonymizedFrame(kind.rebuilt(frame, folded(held, frame, columns, set()), set(), kept), found.to_dict())


def _published(cells: pl.DataFrame, columns: Mapping[int, pl.Series], kept: pl.Series | None) -> pl.DataFrame:
    made = cells.with_columns(column.alias(str(i)) for i, column in columns.items())
    return made if kept is None else made.filter(kept)


def _tables(frame: Any) -> Iterator[Table]:
    yield inputs.from_frame(frame)


def hierarchies_of(given: Any) -> Path | dict[str, Hierarchy] | None:
    """Hierarchies as a caller gives them: a folder, or by column a mapping from values to labels."""
    if given is None or isinstance(given, Mapping):
        return None if given is None else {column: from_mapping(column, labels) for column, labels in given.items()}
    return Path(given)
