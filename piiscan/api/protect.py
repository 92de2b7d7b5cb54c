"""The Python interface: protects a frame, or the table of a file, in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from piiscan.anonymity.models.privacy_models import Distance, Diversity, PrivacyModels
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.api.anonymize import Labels, hierarchies_of
from piiscan.api.table_input import is_path, several, table_source
from piiscan.api.verbs import verb
from piiscan.core import memory
from piiscan.core.errors import UsageError
from piiscan.core.results import Fact, RowsResult
from piiscan.dp.privacy import Privacy
from piiscan.dp.run.prepare import SummaryQuestions, prepare_summary
from piiscan.dp.run.release_log import find_release_log
from piiscan.dp.run.summarize_table import Progress, Summary
from piiscan.io import native_frames
from piiscan.io.table_source import Source
from piiscan.protection.request import ProtectRequest
from piiscan.protection.run import protect_table
from piiscan.rules import rule_sets


@dataclass(frozen=True, slots=True, repr=False)
class Protected(RowsResult):
    """A protected table and its report.

    `frame`: the release, of the same library as the input, polars for a file. `summary`: the private summary, None if
    none was requested. `report`: what was found, done, lost and spent, and what isn't protected, as plain data
    without a cell value.
    """

    frame: Any
    summary: Summary | None
    report: dict[str, Any]

    def to_frame(self) -> Any:
        """Return the rows as a frame, as `frame` does."""
        return self.frame

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, without a cell value."""
        return self.report

    def _facts(self) -> Iterator[Fact]:
        yield "rows", self.report["rows"]["after"]
        yield "suppressed", self.report["rows"]["suppressed"]
        yield "smallest_class", self.report["classes"]["after"]["smallest"]
        yield "promises_checked", sum(p["checked"] for p in self.report["promises"])
        yield "epsilon", None if self.summary is None else self.summary.to_dict()["privacy"]["epsilon"]


@verb
def protect(
    data: Any,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 - the field's own letter
    diversity: Diversity = "distinct",
    c: float = 3.0,
    alpha: float | None = None,
    t: float | None = None,
    distance: Distance = "equal",
    presence: tuple[float, float] | None = None,
    population: Any = None,
    unit: str | None = None,
    one_row_per_person: bool = False,
    quasi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    insensitive: str | Sequence[str] = (),
    suppress: float = 0.04,
    method: Literal["local", "optimal"] = "local",
    metric: str = "loss",
    hierarchies: str | os.PathLike[str] | Mapping[str, Labels] | None = None,
    privacy: Privacy | None = None,
    summary: Mapping[str, Any] | None = None,
    dataset: str | None = None,
    version: str = "",
    ledger: str | os.PathLike[str] | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
) -> Protected:
    """Protect a frame, or a file's table: remove identifiers and anonymise the rest.

    The release doesn't undo its own k.

    Nothing is written. k, which is required, the other models, and the search settings: as in `piiscan.anonymize`.
    quasi, sensitive, insensitive: names of columns; the roles of undeclared columns come from the scan. unit,
    one_row_per_person: whose the rows are; one of the two, or as `privacy` says.
    privacy: also make a private summary, at this cost; `summary` has its settings as in `piiscan.summarize`, such as
    bounds, categories and by.
    dataset, version, ledger: where the release, which no ε covers, is recorded; part of `privacy` if that is given.
    table: which of a file's tables to read, if it has several. delimiter, encoding, header: how a file's text is
    written; None to infer.

    Guarantee: see `piiscan.protection.release.Release`. Raises `UsageError`, `ReadError`, `BudgetError`, and
    `VerifyError` if a promise is broken.

    >>> import piiscan, polars as pl
    >>> names = ["Ann Lee", "Bo Ray", "Cy Fox", "Di Hay"]
    >>> people = pl.DataFrame({"name": names, "age": [21, 23, 61, 64], "sex": ["f", "f", "m", "m"]})
    >>> done = piiscan.protect(people, k=2, one_row_per_person=True, quasi=["age", "sex"])
    >>> sorted(done.frame["age"].to_list())
    ['[20, 25)', '[20, 25)', '[60, 65)', '[60, 65)']
    """
    memory.begin()
    if privacy is None and summary:
        raise UsageError("a private summary needs a privacy budget; pass privacy=Privacy(epsilon=1, …)")
    if not is_path(data):
        native_frames.kind_of(data)  # refuse a frame that can't be returned before the work
    if privacy is not None:
        unit, one_row_per_person = _whose_rows(privacy, unit, one_row_per_person)
        if (dataset, version, ledger) != (None, "", None):
            raise UsageError("dataset, version and ledger belong to privacy; leave them out beside it")
    source = table_source(data, table, delimiter, encoding, header)
    anonymity = AnonymizeRequest(
        PrivacyModels(k, l, diversity, c, alpha, t, distance, presence),
        several(quasi),
        several(sensitive),
        several(insensitive),
        unit,
        suppress,
        method,
        metric,
        hierarchies_of(hierarchies),
        None if population is None else Source(population, None, source.read).opened,
    )
    query = None if privacy is None else prepare_summary(source, privacy, _questions(summary or {}))
    log = find_release_log(source, dataset, version, ledger, query)
    request = ProtectRequest(anonymity, one_row_per_person)
    done = protect_table.protect_frame(
        source, protect_table.ProtectJob(request, query, log, None, rule_sets.load(()), progress=progress)
    )
    shown = done.release.frame.rename(dict(zip(done.release.frame.columns, done.release.names, strict=True)))
    return Protected(native_frames.like(data, shown), done.summary, done.report)


def _whose_rows(privacy: Privacy, unit: str | None, one_row_per_person: bool) -> tuple[str | None, bool]:
    """Return whose the rows are, as `privacy` says.

    Raises `UsageError` if the arguments say otherwise: k and ε would protect different units.
    """
    said = (privacy.unit, privacy.one_row_per_person)
    if (unit, one_row_per_person) not in ((None, False), said):
        raise UsageError("privacy declares other owners of the rows; declare them only there")
    return said


def _questions(summary: Mapping[str, Any]) -> SummaryQuestions:
    known = [f.name for f in fields(SummaryQuestions)]
    if unknown := [name for name in summary if name not in known]:
        raise UsageError(f"summary may contain {', '.join(known)}, not {unknown[0]}")
    return SummaryQuestions(**summary)
