"""Where releases that no ε covers are recorded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from piiscan.dp.differencing import Difference, register
from piiscan.dp.ledger import LEDGER, Ledger
from piiscan.dp.run.accounts import find_budget
from piiscan.dp.run.prepare import PreparedQuery
from piiscan.io.table_source import Source


class ReleaseLog(NamedTuple):
    """The ledger, and the dataset's name and version in it."""

    ledger: Ledger
    dataset: str
    version: str = ""

    def record(self, kind: str, columns: Sequence[str]) -> tuple[Difference, ...]:
        """Record a release of these columns, before it is written.

        Returns the pairs that it forms with earlier releases. See `register`.
        """
        return register(self.ledger, self.dataset, self.version, kind, columns)


def find_release_log(
    source: Source,
    dataset: str | None,
    version: str,
    ledger: str | os.PathLike[str] | None,
    query: PreparedQuery | None = None,
) -> ReleaseLog | None:
    """Find where releases of a file or frame are recorded.

    It is the ledger of the private summary that is published with it; else the ledger for which a dataset or a path
    was named, or the one beside the file. Otherwise releases aren't recorded, and the result is None. Raises
    `UsageError` for a frame if only one of dataset and ledger is named.
    """
    if query is not None:
        return ReleaseLog(query.ledger, query.request.dataset, query.request.version)
    beside = None if source.path is None else source.path.parent / LEDGER
    if dataset is None and ledger is None and not (beside is not None and beside.exists()):
        return None
    return ReleaseLog(*find_budget(source, dataset, ledger), version)
