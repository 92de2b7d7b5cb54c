"""What masking changed, as plain data in schema version 1, described by `piiscan/report/schemas/mask-report-1.json`.

Keys have a fixed order. It contains counts and distances, never a cell value, a bound or an operator's parameters,
which may name values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from piiscan.core.results import Fact, Result
from piiscan.core.types import NotScanned
from piiscan.core.version import __version__
from piiscan.masking.apply.subject_table import SubjectFigures
from piiscan.masking.information_loss.loss_figures import ColumnFigures, Compared
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.operator import Operator
from piiscan.masking.plan.plan_digest import digest
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, Plan
from piiscan.masking.result import ANYBODY_LEFT, OWN_LEFT, CheckResult
from piiscan.report import verdict_words
from piiscan.report.full_json import not_scanned

SCHEMA_VERSION: Final = 1
_LOOKED_FOR: Final = (OWN_LEFT, ANYBODY_LEFT, "no unique original is left in a cell or in a text")
"""Promises that look for originals."""
_WORTH_TELLING: Final = 0.05
_KEYED: Final = (
    "Pseudonymised data remain personal data: anyone who has the key, or knows enough about a person, can "
    "recognise people in them."
)
_KEYLESS: Final = (
    "Masked data may remain personal data: anyone who knows enough about a person may recognise them in what is left."
)
_NO_VALUES: Final = (
    "This report contains no values, but counts and distances that reveal something about the originals: show it "
    "only to people who may know such aggregates."
)


@dataclass(frozen=True, repr=False)
class MaskReport(Result):
    """What masking changed, column by column. It contains no cell values.

    key: the public id of the key, None if it isn't known or none was needed. promises: with their outcomes, None if
    nothing was verified. left_out: what could not be read or written, and so isn't in the output and wasn't verified.
    subjects: facts about the people, None if no made-up people were needed. remark: a further sentence of the notice.
    """

    plan: Plan
    compared: tuple[Compared, ...]
    key: str | None = None
    promises: tuple[CheckResult, ...] | None = None
    left_out: tuple[NotScanned, ...] = ()
    subjects: SubjectFigures | None = None
    remark: str = ""

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return not self.left_out

    @property
    def verified(self) -> bool | None:
        """Whether no promise is broken in what was written; None if nothing was verified, with or without promises."""
        return all(p.holds for p in self.promises) if self.promises is not None and self.compared else None

    def to_dict(self) -> dict[str, Any]:
        """The report as plain Python data."""
        tables = [_table(c) for c in self.compared]
        columns = [c for t in tables for c in t["columns"]]
        return {
            "schema_version": SCHEMA_VERSION,
            "notice": f"{_KEYED if self.plan.keyed() else _KEYLESS} {_NO_VALUES} {self.remark}".strip(),
            "tool": {"name": "piiscan", "version": __version__, "rules_digest": self.plan.rules_digest},
            "plan": {"policy": self.plan.policy, "digest": digest(self.plan), "notes": list(notes(self.plan))},
            "key": self.key,
            "complete": self.complete,
            "verified": self.verified,
            "tables": tables,
            "promises": [self._promise(p) for p in self.promises or ()],
            "left": self._left(),
            "subjects": None if self.subjects is None else self.subjects._asdict(),
            "left_out": [not_scanned(n) for n in self.left_out],
            "summary": {
                "tables": len(tables),
                "columns": len(columns),
                "masked": sum(c["operator"] != "keep" for c in columns),
                "dropped": sum(c["operator"] == "drop" for c in columns),
                "kept": sum(c["operator"] == "keep" for c in columns),
                "reversible": sum(c["reversible"] and c["keyed"] for c in columns),
                "collisions": sum(c["collisions"] or 0 for c in columns),
            },
        }

    def to_markdown(self) -> str:
        """Return the report as Markdown, ending in a line end."""
        from piiscan.report.masked_markdown import render

        return render(self.to_dict())

    def _forms(self) -> dict[str, Callable[[Path], str | bytes]]:
        return {**super()._forms(), ".md": lambda _: self.to_markdown()}

    def _facts(self) -> Iterator[Fact]:
        treated = [a for c in self.compared for a in c.plan.columns]
        yield "tables", len(self.compared)
        yield "masked_columns", sum(a.operator not in ("keep", "drop") for a in treated)
        yield "dropped_columns", sum(a.operator == "drop" for a in treated)
        yield "kept_columns", sum(a.operator == "keep" for a in treated)
        yield "policy", self.plan.policy
        yield "complete", self.complete
        yield "verified", self.verified

    def _left(self) -> list[dict[str, Any]]:
        """Return the originals that were searched for, by the entity of their columns."""
        entities = {
            (c.read.source, c.info.table, label): a.entity
            for c in self.compared
            for a, label in zip(c.plan.columns, labels([a.name for a in c.plan.columns]), strict=True)
        }
        found: dict[tuple[str, str], list[CheckResult]] = {}
        for p in self.promises or ():
            if p.name in _LOOKED_FOR and p.column is not None and (p.broken or p.expected >= _WORTH_TELLING):
                entity = entities.get((p.source, p.table, p.column)) or ""
                found.setdefault((p.name, entity), []).append(p)
        return [
            {
                "entity": entity or None,
                "name": name,
                "cells": sum(p.cells for p in each),
                "found": sum(p.broken for p in each),
                "expected": round(sum(p.expected for p in each), 1),
            }
            for (name, entity), each in sorted(found.items())
        ]

    def _promise(self, p: CheckResult) -> dict[str, Any]:
        shown = {c.read.source: c.info.source for c in self.compared}
        return {
            "source": shown.get(p.source, p.source) or None,
            "table": p.table,
            "column": p.column,
            "name": p.name,
            "cells": p.cells,
            "broken": p.broken,
            "expected": round(p.expected, 1),
            "allowed": p.allowed,
            "checked": p.is_checked,
            "holds": p.holds,
            "rows": list(p.rows),
        }


def notes(plan: Plan) -> tuple[str, ...]:
    """Return notes on what the policy doesn't cover, and what isn't searched for, left in review or masked as one.

    A plan that was read from a file has lost them, but those of shipped policies are known. What is in review stands
    beside its columns there.
    """
    from piiscan.masking.known.text_notices import not_looked_for, texts_alone
    from piiscan.masking.plan import in_review, policy, several_values

    found = plan.notes or (policy.load(plan.policy).notes if plan.policy in policy.SHIPPED else ())
    left = in_review.left(plan.tables)
    doubts = [verdict_words.left_in_review(left)] if left else []
    several = several_values.told(plan.tables)
    return tuple(dict.fromkeys((*found, *texts_alone(plan), *not_looked_for(plan), *doubts, *several)))


def _table(found: Compared) -> dict[str, Any]:
    figures = found.figures
    names = labels([a.name for a in found.plan.columns])
    return {
        "source": found.info.source,
        "table": found.info.table,
        "format": found.info.format,
        "rows": {"before": figures.rows, "after": figures.rows_left},
        "columns": [
            _column(a, n, c, figures.rows == figures.rows_left)
            for a, n, c in zip(found.plan.columns, names, figures.columns, strict=True)
        ],
        "correlations": {
            "pairs": figures.pairs,
            "mean_change": figures.mean_change,
            "largest_changes": [
                {"columns": [names[i] for i in c.columns], "before": c.before, "after": c.after}
                for c in figures.changes
            ],
        },
    }


def _column(action: Action, name: str, figures: ColumnFigures, every_row: bool) -> dict[str, Any]:
    operator = operator_registry.operator_class(action.operator)
    distance, after = figures.distance, figures.after
    numbers = None if distance is None or distance.numbers is None else distance.numbers._asdict()
    return {
        "index": action.index,
        "name": name,
        "dtype": action.dtype,
        "cast": None if action.cast is None else dict(zip(("here", "planned"), action.cast, strict=True)),
        "entity": action.entity,
        "pii": action.pii,
        "operator": action.operator,
        "decided_by": action.decided_by,
        "reversible": operator.reversible,
        "keyed": operator.keyed,
        "domain": (action.domain or action.entity or "OTHER") if operator.keyed else None,
        "changed": figures.changed,
        "changed_share": round(figures.changed / figures.filled_left, 4) if figures.filled_left else None,
        "filled_left": figures.filled_left,
        "collisions": _collisions(operator, figures) if every_row else None,
        "before": figures.before._asdict(),
        "after": None if after is None else after._asdict(),
        "distance": None if distance is None else {**distance._asdict(), "numbers": numbers},
    }


def _collisions(operator: type[Operator], figures: ColumnFigures) -> int | None:
    """Return by how many there are fewer masks than values.

    None if a value may have several masks, or loses its own.
    """
    after = figures.after
    if after is None or not (operator.keyed and operator.deterministic) or operator.contract != "range":
        return None
    if not (figures.before.distinct_exact and after.distinct_exact):
        return None
    return max(0, figures.before.distinct - after.distinct)


def kind_of(name: str) -> str | None:
    """Return how a report is written to a file of this name: "json", "markdown", or None if unknown."""
    return {".json": "json", ".md": "markdown"}.get(PurePath(name).suffix.lower())
