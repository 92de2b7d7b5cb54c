"""What an earlier scan said of tables that have a version, for those that have the same one now.

A JSON file: the settings as one digest, and of each table its version and what the report says of it, never a cell. A
table without a version, or with a name that stands for something else now, is scanned again.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from piiscan.api.scan import Scanner, worker_settings
from piiscan.core.errors import UsageError
from piiscan.core.plain_data import from_plain, to_plain
from piiscan.core.types import TableReport
from piiscan.core.version import __version__
from piiscan.core.whole_file import write_whole
from piiscan.engines import envelope

_VERSION: Final = 1


class _Known(NamedTuple):
    version: str
    table: TableReport


class KnownTables:
    """What lies in the file at `path`, which is written anew after each table. Without a path nothing is known."""

    def __init__(self, path: str | os.PathLike[str] | None, scanner: Scanner) -> None:
        self._path = None if path is None else Path(path)
        self._settings = _settings(scanner)
        self._known = self._read()

    @property
    def wanted(self) -> bool:
        return self._path is not None

    def find(self, name: str, version: str | None) -> TableReport | None:
        """The verdicts on a table of this name, if its version is the same."""
        known = self._known.get(name)
        return None if version is None or known is None or known.version != version else known.table

    def keep(self, name: str, version: str | None, table: TableReport | None) -> None:
        """Write the verdicts on a table, or forget them. `table`: None, or one that wasn't scanned whole.

        Raises `UsageError` where the file can't be written.
        """
        if self._path is None:
            return
        if version is not None and table is not None and table.complete:
            self._known[name] = _Known(version, table)
        elif self._known.pop(name, None) is None:
            return
        self._write(self._path)

    def _read(self) -> dict[str, _Known]:
        """What the file holds, as far as it can be understood. Raises `UsageError` for a file of something else."""
        if self._path is None:
            return {}
        found: dict[str, _Known] = {}
        try:
            text = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise UsageError(f"{self._path} can't be read: {error.strerror or type(error).__name__}") from None
        try:
            plain = json.loads(text)
            ours, settings, tables = plain["piiscan_tables"], plain["settings"], plain["tables"].items()
        except (AttributeError, KeyError, TypeError, ValueError):
            raise UsageError(
                f"{self._path} is not a file of an earlier scan of tables; name another one, or remove it"
            ) from None
        if (ours, settings) == (_VERSION, self._settings):
            for name, entry in tables:
                with suppress(AttributeError, KeyError, TypeError, ValueError):
                    found[name] = _Known(str(entry["version"]), from_plain(TableReport, entry["report"]))
        return found

    def _write(self, path: Path) -> None:
        tables = {name: {"version": k.version, "report": to_plain(k.table)} for name, k in sorted(self._known.items())}
        plain = {"piiscan_tables": _VERSION, "settings": self._settings, "tables": tables}
        try:
            write_whole(path, (json.dumps(plain) + "\n").encode("utf-8", "surrogatepass"))
        except OSError as error:
            raise UsageError(f"{path} can't be written: {error.strerror or type(error).__name__}") from None


def _settings(scanner: Scanner) -> str:
    """A digest of all that verdicts depend on besides the cells."""
    settings = worker_settings(scanner, ())
    today = datetime.date.today().isoformat() if settings.allowed.entries else None  # they may end
    text = json.dumps([__version__, dict(envelope.made_with()), settings.made_with, today])
    return hashlib.sha256(text.encode()).hexdigest()
