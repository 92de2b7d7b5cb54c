"""Where the budget of a table is kept, and under which name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from piiscan.core.errors import UsageError
from piiscan.dp.domains import Domain
from piiscan.dp.ledger import LEDGER, Ledger
from piiscan.dp.privacy import Privacy, demand_privacy
from piiscan.dp.request import Request, Statistic
from piiscan.io.printed_names import shown
from piiscan.io.table_source import Source


def find_budget(source: Source, dataset: str | None, ledger: str | os.PathLike[str] | None) -> tuple[Ledger, str]:
    """Return the ledger of a budget, and the dataset's name in it.

    Both are as given; by default the ledger is beside the file, and the dataset has the file's name. Raises
    `UsageError` for a frame without either, and for a name that looks like another one in the ledger.
    """
    if source.path is None and dataset is None:
        raise UsageError("a frame has no name; pass dataset=NAME to say whose budget this is")
    if source.path is None and ledger is None:
        raise UsageError("a frame has no folder for its ledger; pass ledger=PATH")
    beside = None if source.path is None else source.path.parent / LEDGER
    book = Ledger(Path(ledger or beside or LEDGER))
    return book, book.name_of(PurePath(shown(str(source.path), None)).name if dataset is None else dataset)


def private_request(
    source: Source,
    privacy: Privacy,
    columns: tuple[tuple[str, Domain], ...],
    *,
    statistics: tuple[Statistic, ...] = (),
    quantiles: tuple[float, ...] = (),
    by: Sequence[Sequence[str]] = (),
    cross: Sequence[Sequence[str]] = (),
    moments: bool = False,
) -> tuple[Request, Ledger]:
    """Return the request to a table, all of it public, and the ledger of its budget. Nothing is charged.

    Raises `UsageError` for an invalid request.
    """
    demand_privacy(privacy)
    ledger, dataset = find_budget(source, privacy.dataset, privacy.ledger)
    request = Request(
        dataset=dataset,
        version=privacy.version,
        columns=columns,
        epsilon=float(privacy.epsilon),
        delta=float(privacy.delta),
        unit=privacy.unit,
        max_rows=privacy.max_rows,
        statistics=statistics,
        quantiles=quantiles,
        by=tuple(map(tuple, by)),
        cross=tuple(map(tuple, cross)),
        table=source.table,
        moments=moments,
    )
    return request, ledger
