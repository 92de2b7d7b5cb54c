"""Paths that are URLs: there is no file of that name, and what they name isn't fetched."""

from __future__ import annotations

import os
import re
from typing import Final

from piiscan.core.errors import UsageError

_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
"""`Path` makes one slash of two. Letters of drives are single ones."""
_DATABASES: Final = ("postgres", "mysql", "mariadb", "mssql", "oracle", "snowflake", "bigquery", "redshift", "jdbc")


def kind(path: str | os.PathLike[str]) -> str | None:
    """The scheme of a URL, None for a path, and for a file whose name looks like a URL."""
    found = _URL.match(os.fspath(path))
    return None if found is None or os.path.lexists(path) else found[1].lower()


def demand_path(path: str | os.PathLike[str]) -> None:
    """Raises `UsageError` for a URL, of which nothing but its kind is said: it may hold a password."""
    if (scheme := kind(path)) is not None:
        raise UsageError(reason(scheme))


def reason(scheme: str) -> str:
    """Why a URL isn't read, and what to do."""
    if scheme == "file":
        return "a URL of kind file; give its path"
    if scheme.startswith(_DATABASES):
        return f"a URL of kind {scheme}, which isn't read; scan a frame of its rows from Python, or an export"
    return f"a URL of kind {scheme}, which isn't read; copy it to a file, or scan a frame of it from Python"
