"""The version of a table in Spark's catalogue, by SQL alone, as Spark Connect has nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

_PROVIDERS: Final = ("delta", "iceberg")


def version_of(spark: Any, name: str) -> str | None:
    """What changes with every change of a table, and differs between tables that bear a name one after the other.

    Delta Lake: the table's id and the number of its last commit. Iceberg: the file of metadata in force, and the
    snapshot. None for others: Parquet, CSV, Hive, views; and where the platform doesn't answer.

    name: quoted for SQL.
    """
    try:
        provider = _provider(spark, name)
        return None if provider is None else _VERSIONS[provider](spark, name)
    except Exception:  # each platform has its own errors for what it doesn't know
        return None


def _provider(spark: Any, name: str) -> str | None:
    rows = [row.asDict() for row in spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    told = {str(row["col_name"]).strip().lower(): str(row["data_type"]).strip().lower() for row in rows}
    if "view" in told.get("type", ""):
        return None
    return next((p for p in _PROVIDERS if told.get("provider") == p), None)


def _delta(spark: Any, name: str) -> str | None:
    detail = _row(spark, f"DESCRIBE DETAIL {name}")
    last = _row(spark, f"DESCRIBE HISTORY {name} LIMIT 1")
    return _joined("delta", detail.get("id"), last.get("version"))


def _iceberg(spark: Any, name: str) -> str | None:
    file = _row(spark, f"SELECT file FROM {name}.metadata_log_entries ORDER BY timestamp DESC LIMIT 1")
    snapshot = _row(spark, f"SELECT snapshot_id FROM {name}.refs WHERE name = 'main'")
    return _joined("iceberg", file.get("file"), snapshot.get("snapshot_id", "none"))


_VERSIONS: Final[Mapping[str, Callable[[Any, str], str | None]]] = {"delta": _delta, "iceberg": _iceberg}


def _row(spark: Any, query: str) -> dict[str, Any]:
    rows = spark.sql(query).collect()
    return dict(rows[0].asDict()) if rows else {}


def _joined(*parts: Any) -> str | None:
    return None if any(part is None for part in parts) else " ".join(map(str, parts))
