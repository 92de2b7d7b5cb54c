"""Where a release is noted that no ε covers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from piiscan.dp.differencing import Difference, registered
from piiscan.dp.ledger import Ledger
from piiscan.dp.run.accounts import LEDGER, account_of
from piiscan.dp.run.prepare import Asked
from piiscan.io.table_source import Source


class Account(NamedTuple):
    """The ledger, and the dataset's name and version in it."""

    ledger: Ledger
    dataset: str
    version: str = ""

    def note(self, kind: str, columns: Sequence[str]) -> tuple[Difference, ...]:
        """Note a release of these columns, before it is written, and give the pairs it makes with what was released
        before. See `registered`."""
        return registered(self.ledger, self.dataset, self.version, kind, columns)


def account(
    source: Source, dataset: str | None, version: str, ledger: str | os.PathLike[str] | None, asked: Asked | None = None
) -> Account | None:
    """Where releases of a file or frame are noted: with the private summary that is asked beside it; else where a
    dataset or a ledger is named, or a ledger lies beside the file. Elsewhere nobody counts what is released of it, and
    there is None. Raises `UsageError` for a frame of which one is named and the other isn't."""
    if asked is not None:
        return Account(asked.ledger, asked.request.dataset, asked.request.version)
    beside = None if source.path is None else source.path.parent / LEDGER
    if dataset is None and ledger is None and not (beside is not None and beside.exists()):
        return None
    return Account(*account_of(source, dataset, ledger), version)
