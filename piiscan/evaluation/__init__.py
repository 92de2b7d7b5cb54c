"""How much synthetic rows are like the real ones. The figures are exact ones of real data: they are for whoever may see the data."""

from __future__ import annotations

from piiscan.evaluation.evaluation import STAMP, Evaluation, evaluate

__all__ = ["STAMP", "Evaluation", "evaluate"]
