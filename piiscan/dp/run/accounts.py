"""Where the budget of a table is kept, and under which name."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import Final

from piiscan.core.errors import UsageError
from piiscan.dp.domains import Domain
from piiscan.dp.ledger import Ledger
from piiscan.dp.privacy import Privacy
from piiscan.dp.request import Request, check_unit
from piiscan.io.printed_names import shown
from piiscan.io.table_source import Source

LEDGER: Final = "piiscan-ledger.sqlite"
"""The ledger's name beside the data, by default."""


def account_of(source: Source, dataset: str | None, ledger: str | os.PathLike[str] | None) -> tuple[Ledger, str]:
    """Where a budget is kept, as said or beside the file; and whose it is, as the ledger calls it: as said, or a file
    by its name.

    Raises `UsageError` for a frame of which one isn't said, and for a name that can't be told from another one in the
    ledger.
    """
    if source.path is None and dataset is None:
        raise UsageError("a frame has no name: say whose budget this is, with dataset=NAME")
    if source.path is None and ledger is None:
        raise UsageError("a frame lies nowhere: say where its budget is kept, with ledger=PATH")
    beside = None if source.path is None else source.path.parent / LEDGER
    book = Ledger(Path(ledger or beside or LEDGER))
    return book, book.name_of(PurePath(shown(str(source.path), None)).name if dataset is None else dataset)


def fit_request(privacy: Privacy, source: Source, columns: tuple[tuple[str, Domain], ...]) -> tuple[Request, Ledger]:
    """All that a fit asks and that is public, but for the model; and where its budget is kept. Raises `UsageError`
    for what isn't said."""
    check_unit(privacy.unit, privacy.one_row_per_person)
    ledger, dataset = account_of(source, privacy.dataset, privacy.ledger)
    request = Request(
        dataset=dataset,
        version=privacy.version,
        columns=columns,
        epsilon=float(privacy.epsilon),
        delta=float(privacy.delta),
        unit=privacy.unit,
        max_rows=privacy.max_rows,
        statistics=(),
        quantiles=(),
        table=privacy.table,
    )
    return request, ledger
