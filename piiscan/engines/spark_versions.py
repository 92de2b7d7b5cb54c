"""The version of a table in Spark's catalogue, by SQL and reading alone, as Spark Connect has nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

_METADATA: Final = re.compile(r"[\[ ,]metadata_location=([^,\]]+)")


def version_of(spark: Any, name: str) -> str | None:
    """What changes with every change of a table, and differs between tables that bear a name one after the other.

    Delta Lake: the table's id and the number of its last commit. Iceberg: the file of metadata in force and the
    snapshot; or what the metadata say of themselves. None for others (Parquet, CSV, Hive, views), and where the
    platform doesn't answer.

    name: quoted for SQL.
    """
    try:
        rows = [row.asDict() for row in spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    except Exception:  # each platform has its own errors for what it doesn't know
        return None
    told = {str(row["col_name"]).strip().lower(): str(row["data_type"]).strip() for row in rows}
    if "view" in told.get("type", "").lower():
        return None
    for ask in _ASKED.get(told.get("provider", "").lower(), ()):
        try:
            if (found := ask(spark, name, told)) is not None:
                return found
        except Exception:  # the same
            continue
    return None


def _delta(spark: Any, name: str, _: Mapping[str, str]) -> str | None:
    detail = _row(spark.sql(f"DESCRIBE DETAIL {name}"))
    last = _row(spark.sql(f"DESCRIBE HISTORY {name} LIMIT 1"))
    return _joined("delta", detail.get("id"), last.get("version"))


def _iceberg(spark: Any, name: str, _: Mapping[str, str]) -> str | None:
    file = _row(spark.sql(f"SELECT file FROM {name}.metadata_log_entries ORDER BY timestamp DESC LIMIT 1"))
    snapshot = _row(spark.sql(f"SELECT snapshot_id FROM {name}.refs WHERE name = 'main'"))
    return _joined("iceberg", file.get("file"), snapshot.get("snapshot_id"))


def _iceberg_file(spark: Any, _: str, told: Mapping[str, str]) -> str | None:
    """By the file of metadata itself, where the catalogue says which one it is."""
    if (found := _METADATA.search(told.get("table properties", ""))) is None:
        return None
    text = "\n".join(row[0] for row in spark.read.text(found[1], wholetext=True).collect())
    plain = json.loads(text)
    names = ("table-uuid", "current-snapshot-id", "last-updated-ms", "current-schema-id")
    return _joined("iceberg", found[1], *(plain.get(name) for name in names))


_ASKED: Final[Mapping[str, tuple[Callable[[Any, str, Mapping[str, str]], str | None], ...]]] = {
    "delta": (_delta,),
    "iceberg": (_iceberg, _iceberg_file),
}
"""By the provider of a table: what is asked, until there is an answer."""


def _row(rows: Any) -> dict[str, Any]:
    found = rows.collect()
    return dict(found[0].asDict()) if found else {}


def _joined(*parts: Any) -> str | None:
    return None if any(part is None for part in parts) else " ".join(map(str, parts))
