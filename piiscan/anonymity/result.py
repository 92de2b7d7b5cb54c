"""The result of anonymising a table: a report that contains no cell value."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.roles import Assigned
from piiscan.anonymity.solve import Solution

NOTES = (
    (
        "The anonymity is that of this table, by these columns only. It doesn't account for attackers who know more, "
        "or who have other releases about the same people."
    ),
    "Rows keep their order. If the order reveals whose rows they are, sort the table by something else first.",
)


@dataclass(frozen=True, slots=True)
class Anonymized:
    """The result of anonymising a table.

    columns: every column and its role. solution: what was searched and found. request: what was asked. warnings: what
    the columns that stay unchanged reveal.
    """

    columns: tuple[Assigned, ...]
    request: AnonymizeRequest
    solution: Solution
    warnings: tuple[str, ...] = ()

    @property
    def quasi(self) -> tuple[Assigned, ...]:
        return tuple(c for c in self.columns if c.role == "quasi")

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, which `--report` writes as JSON.

        `piiscan/report/schemas/anonymization-1.json` describes it.
        """
        found, use = self.solution, self.solution.utility
        sizes = found.view.classes.sizes
        node = found.cover.nodes[0] if found.cover is not None and self.request.method == "optimal" else None
        return {
            "schema_version": 1,
            "method": self.request.method,
            "metric": self.request.metric,
            "value": found.value,
            "levels": {c.name: None if node is None else node[i] for i, c in enumerate(self.quasi)},
            "rows": found.problem.total,
            "suppressed": found.suppressed,
            "classes": len(sizes),
            "smallest_class": int(sizes.min()) if len(sizes) else None,
            "loss": dict(zip((c.name for c in self.quasi), use.loss, strict=True)),
            "mean_loss": use.mean_loss,
            "discernibility": use.discernibility,
            "average_class_size": use.average_class_size,
            "entropy": use.entropy,
            "kl_divergence": use.kl_divergence,
            "models": self._models(),
            "columns": {c.name: {"role": c.role, "why": c.why, "review": list(c.review)} for c in self.columns},
            "warnings": [
                (
                    f"{c.name} stays as it is, though the scan takes it for what an attacker may know or learn "
                    f"({c.entity}); declare it"
                )
                for c in self.columns
                if c.role == "suspected"
            ]
            + list(self.warnings),
            "notes": list(NOTES),
        }

    def _models(self) -> dict[str, Any]:
        """Return the models by name, with their column if they have one.

        Each has what was asked, and what the worst class reaches.
        """
        names = {c.index: c.name for c in self.columns}
        out: dict[str, Any] = {}
        for model in self.solution.problem.models:
            columns_named = ", ".join(names[i] for i in model.columns)
            reached = model.value(self.solution.view)
            out[f"{model.name}: {columns_named}" if columns_named else model.name] = {
                "asked": {
                    f.name: v
                    for f in fields(model)  # type: ignore[arg-type]
                    if f.name != "column" and isinstance(v := getattr(model, f.name), int | float)
                },
                "reached": reached if math.isfinite(reached) else None,
                "holds": bool(model.meets(self.solution.view).all()),
            }
        return out
