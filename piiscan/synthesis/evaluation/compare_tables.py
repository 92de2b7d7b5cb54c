"""Compares synthetic rows with the real ones, in the measures that users of synthetic data usually ask for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.core.version import __version__
from piiscan.dp.domains import Categories, Domain, Number
from piiscan.synthesis.evaluation.association import Associations, associations, correlations
from piiscan.synthesis.evaluation.classifier import Classifier, classifier
from piiscan.synthesis.evaluation.coded_table import Coded, Declared, coded
from piiscan.synthesis.evaluation.column_likeness import ColumnComparison, columns
from piiscan.synthesis.evaluation.marginals import Distance, Pairs, distances, pairs
from piiscan.synthesis.evaluation.membership_attack import Attack, attack
from piiscan.synthesis.evaluation.row_copies import Copies, copies

if TYPE_CHECKING:
    import polars as pl

STAMP: Final = "not differentially private: do not release"
SEED: Final = 20
_HELD_OUT: Final = 4
"""One real row in this many is held out."""


@dataclass(frozen=True)
class Comparison:
    """How far synthetic rows are from the real ones; all figures are exact.

    Guarantee:
        Assumes: nothing.
        Ensures: the same figures for the same tables and declarations. Declared words and bins are the only cell
        values that appear.
        Does not protect against: anything. The figures depend on single real rows, and no ε covers them: they are only
        for people who may see the data.
        Test: test_evaluation.py::test_everything_that_is_written_is_stamped
    """

    real_rows: int
    synthetic_rows: int
    distances: tuple[Distance, ...]
    pairs: Pairs | None
    columns: tuple[ColumnComparison, ...]
    correlations: Associations
    associations: Associations
    classifier: Classifier | None
    copies: Copies | None
    attack: Attack | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data as described by `piiscan/report/schemas/evaluation-1.json`."""
        return {
            "stamp": STAMP,
            "schema_version": 1,
            "kind": "evaluation",
            "tool": {"name": "piiscan", "version": __version__},
            "rows": {"real": self.real_rows, "synthetic": self.synthetic_rows},
            "distances": [d._asdict() for d in self.distances],
            "pairs": plain(self.pairs),
            "columns": [plain(column) for column in self.columns],
            "correlations": self.correlations._asdict(),
            "associations": self.associations._asdict(),
            "classifier": plain(self.classifier),
            "copies": plain(self.copies),
            "attack": plain(self.attack),
        }

    def to_json(self) -> str:
        """Return the text of its JSON document, as the command writes it; it ends with a line break."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"


def compare_tables(
    real: pl.DataFrame,
    synthetic: pl.DataFrame,
    domains: Mapping[str, Domain],
    target: str | None = None,
    control: pl.DataFrame | None = None,
) -> Comparison:
    """Compare two tables in the declared columns; others are ignored.

    `domains`: bounds or categories by column. `target`: the column that a classifier predicts from the others, by
    default the last one that has categories. `control`: rows of the same population that the synthetic rows weren't
    made from; with them, a membership attack is tried. Whatever is drawn at random (the held-out rows, the bootstrap
    sample, groups of three of many columns) is seeded. Raises `UsageError`, and `MissingExtra` without scikit-learn.
    """
    declared = _declared(domains)
    if target is not None and target not in declared:
        raise UsageError(f"column {target}: the target must be one of the declared columns")
    a, b = coded(real, declared, "real"), coded(synthetic, declared, "synthetic")
    random = np.random.default_rng(SEED)
    others = None if control is None else coded(control, declared, "control")
    bootstrap = a.taken(random.integers(0, a.rows, b.rows))
    parts = _parts(a, random)
    chosen = target or next((name for name in reversed(list(declared)) if isinstance(declared[name], Categories)), None)
    return Comparison(
        a.rows,
        b.rows,
        distances(a, b, bootstrap, SEED),
        pairs(a, b, bootstrap),
        columns(a, b, declared),
        correlations(a, b),
        associations(a, b),
        None if chosen is None or parts is None else classifier(*parts, b, chosen, SEED),
        None if parts is None else copies(*parts, b),
        None if others is None else attack(a, others, b, declared, SEED),
    )


def _declared(domains: Mapping[str, Domain]) -> Declared:
    if not domains:
        raise UsageError("no column is declared; declare possible values in a schema file")
    found: dict[str, Number | Categories] = {}
    for name, domain in domains.items():
        if not isinstance(domain, Number | Categories):
            raise UsageError(
                f"column {name}: declare its bounds or categories in the schema, so that it can be compared"
            )
        found[name] = domain
    return found


def _parts(table: Coded, random: np.random.Generator) -> tuple[Coded, Coded] | None:
    """Split off three quarters for training, and the rest; None for a table of one row."""
    if table.rows < 2:
        return None
    order = random.permutation(table.rows)
    held = max(table.rows // _HELD_OUT, 1)
    return table.taken(order[held:]), table.taken(order[:held])


def plain(found: Any) -> Any:
    """Convert nested named tuples to mappings."""
    if hasattr(found, "_asdict"):
        return {name: plain(value) for name, value in found._asdict().items()}
    return found
