"""The Python interface: anonymises a frame or a file's table in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.hierarchies.hierarchy_files import from_mapping
from piiscan.anonymity.models.privacy_models import Distance, Diversity, PrivacyModels
from piiscan.anonymity.publish import Publisher
from piiscan.anonymity.request import AnonymizeRequest, Method
from piiscan.anonymity.run.anonymize_file import published, search_file
from piiscan.anonymity.run.recount import recounted
from piiscan.api.frame_tables import identifies, read_held, whole
from piiscan.api.table_input import is_path, several, table_source
from piiscan.api.verbs import verb
from piiscan.core import memory
from piiscan.core.errors import UsageError
from piiscan.core.results import Fact, RowsResult
from piiscan.io import native_frames
from piiscan.io.table_source import Source
from piiscan.masking.run.inside_cells import folded
from piiscan.rules import rule_sets
from piiscan.scanning.scan_options import ScanOptions

Labels = Mapping[str | None, Sequence[str | None]]
"""A column's values, and for each its labels at level 1, 2, …."""


@dataclass(frozen=True, slots=True, repr=False)
class AnonymizedFrame(RowsResult):
    """An anonymised table and its report.

    `frame`: of the same library as the input, polars for a file. `report`: what was done and what was lost, as plain
    data without a cell value.
    """

    frame: Any
    report: dict[str, Any]

    def to_frame(self) -> Any:
        """Return the rows as a frame, as `frame` does."""
        return self.frame

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, without a cell value."""
        return self.report

    def _facts(self) -> Iterator[Fact]:
        yield "rows", len(self.frame)
        for name in ("suppressed", "classes", "smallest_class"):
            yield name, self.report[name]
        yield "mean_loss", round(self.report["mean_loss"], 4)


@verb
def anonymize(
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
    quasi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    insensitive: str | Sequence[str] = (),
    unit: str | None = None,
    suppress: float = 0.04,
    method: Method = "local",
    metric: str = "loss",
    hierarchies: str | os.PathLike[str] | Mapping[str, Labels] | None = None,
    drop_suppressed: bool = False,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> AnonymizedFrame:
    """Anonymise a table so that each record shares its quasi-identifiers with at least k - 1 others.

    data: a pandas, polars or pyarrow frame, or the path of a file.
    k: k-anonymity. l: l-diversity, in the form `diversity`, whose recursive form takes `c`. alpha: (α,k)-anonymity. t:
    t-closeness by `distance`. presence: δ-presence, the smallest and the greatest share of a class's `population` (a
    frame or a file) that may be in the table.
    quasi, sensitive, insensitive: names of columns; the roles of undeclared columns come from a scan. unit: the
    column that identifies the person (or other unit) a row belongs to.
    suppress: the share of rows that may be blanked, or with `drop_suppressed` left out. method: "local" (each class
    has its own levels), "optimal" (one level for each column), or "mdav" (means of groups). metric: the measure that
    an optimal search minimises.
    hierarchies: a folder of files in ARX's form, or for each quasi-identifier a mapping from its values to their
    labels at level 1, 2, …; those that aren't given are built.
    table: which of a file's tables to read, if it has several. delimiter, encoding, header: how a file's text is
    written; None to infer. Nothing is written; `piiscan anonymize` writes a file in its own format.

    The result is counted again before it is returned. Raises `UsageError` if the models can't be met, `ReadError` and
    `VerifyError`.

    >>> import piiscan, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "f", "f", "m", "m", "m"]})
    >>> piiscan.anonymize(people, k=3, quasi=["age", "sex"]).report["smallest_class"]
    3
    """
    memory.begin()
    if not is_path(data):
        native_frames.kind_of(data)  # refuse a frame that can't be returned before the work
    source = table_source(data, table, delimiter, encoding, header)
    request = AnonymizeRequest(
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
        drop_suppressed,
    )
    counted, found = search_file(source, request, rule_sets.load(()), ScanOptions())
    if is_path(data):
        rows = published(source, found)
        recounted([rows], found, counted)
        frame: Any = rows.rename({str(c.index): c.name for c in found.columns})
    else:
        held = read_held(data)
        _, cells = whole(held)
        columns, kept = Publisher(found).apply(cells)
        recounted([_in_place(cells, columns, kept)], found, counted)
        kind = native_frames.kind_of(data)
        frame = kind.without_notes(kind.rebuilt(data, folded(held, data, columns, set()), set(), kept), identifies)
    return AnonymizedFrame(frame, found.to_dict())


def _in_place(cells: pl.DataFrame, columns: Mapping[int, pl.Series], kept: pl.Series | None) -> pl.DataFrame:
    made = cells.with_columns(column.alias(str(i)) for i, column in columns.items())
    return made if kept is None else made.filter(kept)


def hierarchies_of(given: Any) -> Path | dict[str, Hierarchy] | None:
    """Return hierarchies as the caller gave them: a folder, or by column a mapping from values to labels."""
    if isinstance(given, Mapping):
        for column, labels in given.items():
            if not isinstance(labels, Mapping):
                raise UsageError(
                    f"hierarchies: column {column}: it must be a mapping from values to their labels, not an object "
                    f"of type {type(labels).__name__}"
                )
    if given is None or isinstance(given, Mapping):
        return None if given is None else {column: from_mapping(column, labels) for column, labels in given.items()}
    return Path(given)
