"""Values that the configuration allows by their domain or network.

They are known before cells are read, so that every cell is tested.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from piiscan.core.types import TableInfo
from piiscan.detection.matching.quiet_values import RESERVED, QuietValues
from piiscan.rules.value_tests import ValueTest, at_domain, in_network
from piiscan.scanning.findings import Allow, applies, relative, unique_labels


class AllowedValues(NamedTuple):
    """`entries` of `[[allow]]` with a domain or a network.

    Their paths are relative to any of `bases`; sources are seen from `folder` (both absolute). `reserved`: whether
    reserved values raise no alarm.
    """

    entries: tuple[Allow, ...] = ()
    bases: tuple[Path, ...] = ()
    folder: Path = Path()
    reserved: bool = True

    def of_columns(self, info: TableInfo) -> tuple[QuietValues, ...]:
        """What raises no alarm in each column of a table, its names as printed."""
        if not self.entries:
            return (RESERVED if self.reserved else QuietValues(reserved=False),) * len(info.fields)
        source = info.source if info.source[:1] in ("-", "<") else os.path.join(self.folder, info.source)  # noqa: PTH118
        paths = tuple(relative(source, base) for base in self.bases)
        today = datetime.date.today()
        names = unique_labels(field.name for field in info.fields)
        found = ([e for e in self.entries if applies(e, paths, info.table, name, today)] for name in names)
        return tuple(QuietValues(_tests(entries), self.reserved) for entries in found)


def tests(entry: Allow) -> dict[str, ValueTest]:
    """The tests of an entry, by entity: none without a domain and a network. Raises ValueError."""
    if entry.domain is not None:
        return at_domain(entry.domain)
    return {} if entry.network is None else in_network(entry.network)


def _tests(entries: Iterable[Allow]) -> dict[str, tuple[ValueTest, ...]]:
    found: dict[str, tuple[ValueTest, ...]] = {}
    for entry in entries:
        for entity, test in tests(entry).items():
            found[entity] = (*found.get(entity, ()), test)
    return found
