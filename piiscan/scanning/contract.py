"""Contracts: people state what each column may hold; findings beyond that require action.

A contract is a mapping, or a TOML file of one: a column's label and what it may hold, an entity, a subtype, a class, or
several of them; and for several tables, a table's name (its source, or its own name) and such a mapping.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from piiscan.core.entities import PII_CLASS, RANK
from piiscan.core.errors import UsageError
from piiscan.core.types import Finding
from piiscan.rules.definitions import RuleSet, suggestion
from piiscan.scanning.findings import REVIEW

_CLASSES: Final = ("direct", "sensitive", "quasi", "none")
_STATED: Final = "stated in the contract"

Columns = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Contract:
    """What columns may hold, by their labels: `tables` by the table's source or own name, `columns` in any table.

    Of a class a column may hold what is weaker, too. A data set goes by its own name, or by all of its files'.
    """

    columns: Columns
    tables: Mapping[str, Columns]

    def covers(
        self, finding: Finding, path: str, today: datetime.date | None = None, members: Sequence[str] = ()
    ) -> str | None:
        """Why a finding is expected; None where it isn't. A column that is named has no doubts left."""
        names = (finding.source, path, finding.table or "", f"{finding.source}::{finding.table}")
        stated = self._states(finding, names) or (members and all(self._states(finding, (m,)) for m in members))
        return _STATED if stated else None

    def outgrown(
        self, finding: Finding, path: str, today: datetime.date | None = None, members: Sequence[str] = ()
    ) -> str | None:
        """A contract doesn't count cells."""
        return None

    def _states(self, finding: Finding, names: Sequence[str]) -> bool:
        """Whether a finding is stated for any table, or for one of these names."""
        for columns in (self.columns, *(self.tables[name] for name in names if name in self.tables)):
            may_hold = columns.get(finding.column or "")
            if may_hold is None:
                continue
            if finding.rule == REVIEW or may_hold & {finding.entity, finding.subtype}:
                return True
            if any(RANK[finding.pii] <= RANK[word] for word in may_hold if word in _CLASSES):
                return True
        return False


def contract(stated: Any, rules: RuleSet) -> Contract:
    """The contract that a mapping states, or the TOML file at a path.

    Raises `UsageError`, which names the column and what may stand there.
    """
    location = "the contract"
    if isinstance(stated, str | os.PathLike):
        location, stated = Path(stated).name, _read(Path(stated))
    if not isinstance(stated, Mapping):
        raise UsageError(
            f"a contract is a mapping from columns to what they may hold, or the path of one, and not an object of "
            f"type {type(stated).__name__}"
        )
    known = {*PII_CLASS, *_CLASSES, *(r.subtype for r in rules.rules if r.subtype)}
    tables = {
        name: _columns(of, f"{location}: {name}", known) for name, of in stated.items() if isinstance(of, Mapping)
    }
    own = {name: said for name, said in stated.items() if not isinstance(said, Mapping)}
    return Contract(_columns(own, location, known), tables)


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path.name}: can't be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise UsageError(f"{path.name}: not a readable TOML file") from None


def _columns(stated: Mapping[Any, Any], location: str, known: set[str]) -> Columns:
    found = {}
    for column, said in stated.items():
        words = [said] if isinstance(said, str) else said
        if not isinstance(column, str) or not isinstance(words, Sequence):
            raise UsageError(
                f"{location}: columns go by their names, and what they may hold is a word or a list of them: "
                '{"email": "EMAIL_ADDRESS", "note": ["FREE_TEXT", "PHONE_NUMBER"]}'
            )
        for word in words:
            if word not in known:
                raise UsageError(
                    f"{location}: {column}: no entity, subtype or class is called {word!r}"
                    f"{suggestion(str(word), known)}"
                )
        found[column] = frozenset(words)
    return found
