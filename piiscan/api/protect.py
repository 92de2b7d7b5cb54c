"""The Python interface: a frame, or the table of a file, protected in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from piiscan.anonymity.models.privacy_models import PrivacyModels
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.run.count_table import one_table
from piiscan.api.anonymize import hierarchies_of
from piiscan.core.errors import UsageError
from piiscan.core.types import Table
from piiscan.dp.run import prepare, release_log
from piiscan.dp.run.summarize_table import Summary
from piiscan.io import inputs, native_frames
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.protection.request import ProtectRequest
from piiscan.protection.run import protect_table
from piiscan.rules import rule_sets


@dataclass(frozen=True, slots=True)
class Protected:
    """`frame`: the release, of the same library as what came in, polars for a file. `summary`: the private summary,
    None where none was asked for.
    `report`: what was found, done, lost, spent, and what isn't protected, as plain data without a cell value."""

    frame: Any
    summary: Summary | None
    report: dict[str, Any]


def protect(
    data: Any,
    *,
    unit: str | None = None,
    one_row_per_person: bool = False,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    suppress: float = 0.04,
    method: Literal["local", "optimal"] = "local",
    metric: str = "loss",
    hierarchies: str | os.PathLike[str] | Mapping[str, Mapping[str | None, Sequence[str | None]]] | None = None,
    population: Any = None,
    table: str | None = None,
    epsilon: float | None = None,
    summary: Mapping[str, Any] | None = None,
    dataset: str | None = None,
    version: str = "",
    ledger: str | os.PathLike[str] | None = None,
    read: ReadOptions | None = None,
    progress: Callable[[str, int], None] | None = None,
    **models: Any,
) -> Protected:
    """A release of a pandas, polars or pyarrow frame, or of a file's table, that doesn't undo its own k; written
    nowhere.

    models, quasi, sensitive, insensitive, suppress, method, metric, hierarchies, population: as `piiscan.anonymize`
        takes them; `k` is one of them. What isn't declared is what the scan takes it for. unit, one_row_per_person:
        whose the rows are; one of them.
    epsilon: also make a private summary; `summary` holds further arguments of `piiscan.summarize`, such as bounds,
        categories and budget.
    dataset, version, ledger: whose release it is, and where its budget is kept.

    Guarantee: see `piiscan.protection.release.Release`. Raises `UsageError`, `ReadError`, `BudgetError`, and
    `VerifyError` where a promise is broken.

    >>> import piiscan, polars as pl
    >>> names = ["Ann Lee", "Bo Ray", "Cy Fox", "Di Hay"]
    >>> people = pl.DataFrame({"name": names, "age": [21, 23, 61, 64], "sex": ["f", "f", "m", "m"]})
    >>> done = piiscan.protect(people, k=2, one_row_per_person=True, quasi=["age", "sex"])
    >>> sorted(done.frame["age"].to_list())
    ['[20, 25)', '[20, 25)', '[60, 65)', '[60, 65)']
    """
    try:
        privacy_models = PrivacyModels(**models)
    except TypeError:
        raise UsageError(
            f"the models are {', '.join(f.name for f in fields(PrivacyModels))}, not {', '.join(models)}"
        ) from None
    if epsilon is None and summary:
        raise UsageError("a private summary costs something: say what it may, with epsilon=1")
    if not isinstance(data, str | os.PathLike):
        native_frames.kind_of(data)  # what can't be given back is refused before the work
    chosen = AnonymizeRequest(
        privacy_models,
        tuple(quasi),
        tuple(sensitive),
        tuple(insensitive),
        unit,
        suppress,
        method,
        metric,
        hierarchies_of(hierarchies),
        None if population is None else lambda: _table(population),
    )
    request = ProtectRequest(chosen, one_row_per_person)
    source = Source(data, table, read or ReadOptions())
    asked = None
    if epsilon is not None:
        asked = prepare.asked(
            data,
            epsilon=epsilon,
            unit=unit,
            one_row_per_person=one_row_per_person,
            dataset=dataset,
            version=version,
            ledger=ledger,
            table=table,
            read=read,
            **(summary or {}),
        )
    account = release_log.account(source, dataset, version, ledger, asked)
    done = protect_table.protect_frame(
        source, protect_table.ProtectJob(request, asked, account, None, rule_sets.load(()), progress=progress)
    )
    shown = done.release.frame.rename(dict(zip(done.release.frame.columns, done.release.names, strict=True)))
    return Protected(native_frames.like(data, shown), done.summary, done.report)


def _table(data: Any) -> Table:
    if isinstance(data, str | os.PathLike):
        return one_table(inputs.discover([os.fspath(Path(data))], ReadOptions(asides=False)))
    return inputs.from_frame(data)
