"""Paths that are URLs: there is no file of that name, and what they name isn't fetched."""

from __future__ import annotations

import os
import re
from typing import Final

from piiscan.core.errors import UsageError

_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/|(jdbc|odbc):", re.IGNORECASE)
"""`Path` makes one slash of two. Letters of drives are single ones."""
_CREDENTIALS: Final = re.compile(
    r"[^/\\:]{2,}:(?!:).*@|(?:.*[^a-z])?(?:password|passwd|pwd|user id|uid) *=", re.IGNORECASE | re.DOTALL
)
"""`anna:secret@host/db`, `Server=host;Uid=anna;Pwd=secret`."""
_CONNECTION: Final = "connection string"
_DATABASES: Final = (
    "postgres", "mysql", "mariadb", "mssql", "oracle", "snowflake", "bigquery", "redshift", "jdbc", "odbc", "mongodb",
    "redis", "databricks", "trino", "clickhouse",
)  # fmt: skip
_FILES: Final = ("file", "sqlite", "duckdb")


def kind(path: str | os.PathLike[str]) -> str | None:
    """The scheme of a URL, or what else names a server; None for a path, and for a file whose name looks like one."""
    text = os.fspath(path)
    if (found := _URL.match(text)) is not None:
        scheme = (found[1] or found[2]).lower()
    elif _CREDENTIALS.match(text):
        scheme = _CONNECTION
    else:
        return None
    return None if os.path.lexists(path) else scheme


def printed(scheme: str) -> str:
    """What is printed in the place of a URL, which may hold a password or a token."""
    return scheme if scheme == _CONNECTION else f"{scheme}:..." if scheme in ("jdbc", "odbc") else f"{scheme}://..."


def demand_path(path: str | os.PathLike[str]) -> None:
    """Raises `UsageError` for a URL, of which nothing but its kind is said: it may hold a password."""
    if (scheme := kind(path)) is not None:
        raise UsageError(reason(scheme))


def reason(scheme: str) -> str:
    """Why a URL isn't read, and what to do."""
    if scheme == _CONNECTION:
        return f"a {scheme}, which isn't read; scan a frame of its rows from Python, or an export"
    if scheme.split("+")[0] in _FILES:
        return f"this is a URL of kind {scheme}; give its path"
    if scheme.startswith(_DATABASES):
        return f"a URL of kind {scheme}, which isn't read; scan a frame of its rows from Python, or an export"
    return f"a URL of kind {scheme}, which isn't read; copy it to a file, or scan a frame of it from Python"
