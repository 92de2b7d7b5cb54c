"""Tables that are a folder, or are in an archive as one: data files and a log beside them.

The log holds names, sizes and values of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from posixpath import normpath
from typing import Final

REASON: Final = (
    "whose log holds values of its own and would no longer fit its files; export it as Parquet, and use that"
)
"""Why such a table isn't written again, in words that follow its kind."""
_DELTA, _ICEBERG, _HUDI = "a Delta table", "an Iceberg table", "a Hudi table"
_METADATA: Final = ".metadata.json"
_KINDS: Final[tuple[tuple[str, Callable[[Path], bool]], ...]] = (
    (_DELTA, lambda folder: (folder / "_delta_log").is_dir()),
    (_ICEBERG, lambda folder: any((folder / "metadata").glob(f"*{_METADATA}"))),
    (_HUDI, lambda folder: (folder / ".hoodie").is_dir()),
)


def lake_table(file: Path, root: Path) -> tuple[Path, str] | None:
    """The folder of the table that a file below `root` belongs to, and its kind; None for other files.

    `root` itself may be that folder.
    """
    for folder in file.parents:
        if (kind := _kind(folder)) is not None:
            return folder, kind
        if folder == root:
            return None
    return None


def packed_lake_table(members: Iterable[tuple[str, str]]) -> str | None:
    """Why an archive that contains such a table isn't written again; None where it contains none.

    `members`: each name as in the archive, and as it is printed.
    """
    for name, printed in members:
        parts = name.replace("\\", "/").split("/")  # some programs for Windows write backslashes
        for i in range(len(parts)):
            if (kind := _kind_of_parts(parts[i:])) is not None:
                folder = normpath("/".join(printed.replace("\\", "/").split("/")[:i]))
                return f"{kind}, {REASON}" if folder in ("", ".") else f"{folder}: {kind}, {REASON}"
    return None


def _kind(folder: Path) -> str | None:
    return next((kind for kind, is_kind in _KINDS if is_kind(folder)), None)


def _kind_of_parts(parts: Sequence[str]) -> str | None:
    """The kind of table in whose folder something of this name lies."""
    if parts[0] == "_delta_log":
        return _DELTA
    if parts[0] == ".hoodie":
        return _HUDI
    is_metadata = len(parts) == 2 and parts[0] == "metadata" and parts[1].endswith(_METADATA)
    return _ICEBERG if is_metadata else None
