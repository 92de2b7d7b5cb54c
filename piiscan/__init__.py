"""piiscan finds personal data in files and tables and makes them safe to use."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from piiscan.aggregates import Aggregates
    from piiscan.aggregating.ask import aggregate, aggregate_privately, unpack
    from piiscan.anonymity.risk_report import RiskReport
    from piiscan.anonymizing.frames import AnonymizedFrame, anonymize
    from piiscan.api import Report, Scanner, compare, scan
    from piiscan.assessment import is_k_anonymous, risk
    from piiscan.errors import BudgetError, FindingsError, PiiscanError, ReadError, RuleError, UsageError, VerifyError, WriteError
    from piiscan.evaluation.ask import evaluate
    from piiscan.evaluation.evaluation import Evaluation
    from piiscan.keys import Key
    from piiscan.masking.masker import Masker, mask, plan
    from piiscan.plan.types import Plan
    from piiscan.protecting.ask import Protected, protect
    from piiscan.report.masked import MaskReport
    from piiscan.summarizing.ask import summarize
    from piiscan.summarizing.run import Summary
    from piiscan.synthesizing.ask import synthesize
    from piiscan.synthesizing.run import Synthetic
    from piiscan.types import ColumnReport, Finding, ScanReport, TableReport

__version__ = "0.1.0"

_HOMES = {
    "piiscan.aggregates": ("Aggregates",),
    "piiscan.aggregating.ask": ("aggregate", "aggregate_privately", "unpack"),
    "piiscan.anonymity.risk_report": ("RiskReport",),
    "piiscan.anonymizing.frames": ("AnonymizedFrame", "anonymize"),
    "piiscan.api": ("Report", "Scanner", "compare", "scan"),
    "piiscan.assessment": ("is_k_anonymous", "risk"),
    "piiscan.errors": ("BudgetError", "FindingsError", "PiiscanError", "ReadError", "RuleError", "UsageError", "VerifyError", "WriteError"),
    "piiscan.evaluation.ask": ("evaluate",),
    "piiscan.evaluation.evaluation": ("Evaluation",),
    "piiscan.keys": ("Key",),
    "piiscan.masking.masker": ("Masker", "mask", "plan"),
    "piiscan.plan.types": ("Plan",),
    "piiscan.protecting.ask": ("Protected", "protect"),
    "piiscan.report.masked": ("MaskReport",),
    "piiscan.summarizing.ask": ("summarize",),
    "piiscan.summarizing.run": ("Summary",),
    "piiscan.synthesizing.ask": ("synthesize",),
    "piiscan.synthesizing.run": ("Synthetic",),
    "piiscan.types": ("ColumnReport", "Finding", "ScanReport", "TableReport"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Aggregates", "AnonymizedFrame", "BudgetError", "ColumnReport", "Evaluation", "Finding", "FindingsError", "Key", "MaskReport", "Masker", "PiiscanError",
    "Plan", "Protected", "ReadError", "Report", "RiskReport", "RuleError", "ScanReport", "Scanner", "Summary", "Synthetic", "TableReport", "UsageError",
    "VerifyError", "WriteError", "aggregate", "aggregate_privately", "anonymize", "compare", "evaluate", "is_k_anonymous", "mask", "plan", "protect", "risk",
    "scan", "summarize", "synthesize", "unpack",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'piiscan' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


class _Package(ModuleType):
    """`piiscan.plan` is the function, and stays it when the subpackage of the same name is imported, which would set it here."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name == "plan" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
