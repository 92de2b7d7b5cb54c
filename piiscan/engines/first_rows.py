"""What the first rows of a table show about its columns, as text that a worker gives the driver: names, no cell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from piiscan.api.scan import Scanner
from piiscan.core.plain_data import from_plain, to_plain
from piiscan.core.types import TableInfo
from piiscan.io.nested.json_texts import LOOKED_AT as LOOKED_AT


def told(table: Any, whole: bool = True) -> str:
    """table: the first LOOKED_AT + 1 rows, as a pyarrow Table; fewer, where there are no more, or not `whole`."""
    return json.dumps(to_plain(Scanner().look(table, whole=whole and table.num_rows <= LOOKED_AT)))


def info_of(texts: Sequence[str]) -> TableInfo | None:
    """What `told` said; None where nobody was asked."""
    if not texts:
        return None
    info: TableInfo = from_plain(TableInfo, json.loads(texts[0]))
    return info
