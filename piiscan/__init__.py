"""piiscan finds personal data in files and tables and makes them safe to use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from piiscan.api import Report, Scanner, scan
    from piiscan.errors import FindingsError, PiiscanError, ReadError, RuleError, UsageError
    from piiscan.types import ColumnReport, Finding, ScanReport, TableReport

__version__ = "0.1.0"

_HOMES = {
    "piiscan.api": ("Report", "Scanner", "scan"),
    "piiscan.errors": ("FindingsError", "PiiscanError", "ReadError", "RuleError", "UsageError"),
    "piiscan.types": ("ColumnReport", "Finding", "ScanReport", "TableReport"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ColumnReport", "Finding", "FindingsError", "PiiscanError", "ReadError", "Report", "RuleError", "ScanReport", "Scanner",
    "TableReport", "UsageError", "scan",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'piiscan' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
