"""Folders that are one table: data files and a log beside them, which holds names, sizes and values of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

_KINDS: Final[tuple[tuple[str, Callable[[Path], bool]], ...]] = (
    ("a Delta table", lambda folder: (folder / "_delta_log").is_dir()),
    ("an Iceberg table", lambda folder: any((folder / "metadata").glob("*.metadata.json"))),
    ("a Hudi table", lambda folder: (folder / ".hoodie").is_dir()),
)


def lake_table(file: Path, root: Path) -> tuple[Path, str] | None:
    """The folder of the table that a file below `root` belongs to, `root` itself among them, and what kind of table
    that is. None where it belongs to none."""
    for folder in file.parents:
        if (kind := _kind(folder)) is not None:
            return folder, kind
        if folder == root:
            return None
    return None


def _kind(folder: Path) -> str | None:
    return next((kind for kind, is_kind in _KINDS if is_kind(folder)), None)
