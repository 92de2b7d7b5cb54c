"""piiscan finds personal data in files and tables and makes them safe to use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from piiscan.core.version import __version__ as __version__

if TYPE_CHECKING:
    from piiscan.aggregates.result import Aggregates
    from piiscan.anonymity.risk.risk_report import RiskReport
    from piiscan.api.aggregate import aggregate, aggregate_privately, unpack
    from piiscan.api.anonymize import AnonymizedFrame, anonymize
    from piiscan.api.evaluate import Evaluation, evaluate
    from piiscan.api.evaluate_tables import TablesEvaluation, evaluate_tables
    from piiscan.api.made_up_people import People
    from piiscan.api.mask import Masker, mask
    from piiscan.api.mask_frames import MaskedFrames
    from piiscan.api.plan import Plan, plan
    from piiscan.api.protect import Protected, protect
    from piiscan.api.report import Report
    from piiscan.api.risk import is_k_anonymous, risk
    from piiscan.api.scan import Scanner, compare, scan
    from piiscan.api.summarize import summarize
    from piiscan.api.synthesize import synthesize
    from piiscan.api.synthesize_tables import synthesize_tables
    from piiscan.core.errors import (
        BudgetError,
        FindingsError,
        PiiscanError,
        ReadError,
        RuleError,
        UsageError,
        VerifyError,
        WriteError,
    )
    from piiscan.core.keys import Key
    from piiscan.core.memory import allow_memory
    from piiscan.core.types import ColumnReport, Finding, ScanReport, TableReport
    from piiscan.dp.domains import Categories, Number
    from piiscan.dp.privacy import Privacy
    from piiscan.dp.run.summarize_table import Summary
    from piiscan.report.mask_report import MaskReport
    from piiscan.synthesis.linked.result import SyntheticTables
    from piiscan.synthesis.run import Synthetic

_NAMES_OF = {
    "piiscan.aggregates.result": "Aggregates",
    "piiscan.anonymity.risk.risk_report": "RiskReport",
    "piiscan.api.aggregate": "aggregate aggregate_privately unpack",
    "piiscan.api.anonymize": "AnonymizedFrame anonymize",
    "piiscan.api.evaluate": "Evaluation evaluate",
    "piiscan.api.evaluate_tables": "TablesEvaluation evaluate_tables",
    "piiscan.api.made_up_people": "People",
    "piiscan.api.mask": "Masker mask",
    "piiscan.api.mask_frames": "MaskedFrames",
    "piiscan.api.plan": "Plan plan",
    "piiscan.api.protect": "Protected protect",
    "piiscan.api.risk": "is_k_anonymous risk",
    "piiscan.api.report": "Report",
    "piiscan.api.scan": "Scanner compare scan",
    "piiscan.api.summarize": "summarize",
    "piiscan.api.synthesize": "synthesize",
    "piiscan.api.synthesize_tables": "synthesize_tables",
    "piiscan.core.errors": (
        "BudgetError FindingsError PiiscanError ReadError RuleError UsageError VerifyError WriteError"
    ),
    "piiscan.core.keys": "Key",
    "piiscan.core.memory": "allow_memory",
    "piiscan.core.types": "ColumnReport Finding ScanReport TableReport",
    "piiscan.dp.domains": "Categories Number",
    "piiscan.dp.privacy": "Privacy",
    "piiscan.dp.run.summarize_table": "Summary",
    "piiscan.report.mask_report": "MaskReport",
    "piiscan.synthesis.linked.result": "SyntheticTables",
    "piiscan.synthesis.run": "Synthetic",
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = [
    "Aggregates",
    "AnonymizedFrame",
    "BudgetError",
    "Categories",
    "ColumnReport",
    "Evaluation",
    "Finding",
    "FindingsError",
    "Key",
    "MaskReport",
    "MaskedFrames",
    "Masker",
    "Number",
    "People",
    "PiiscanError",
    "Plan",
    "Privacy",
    "Protected",
    "ReadError",
    "Report",
    "RiskReport",
    "RuleError",
    "ScanReport",
    "Scanner",
    "Summary",
    "Synthetic",
    "SyntheticTables",
    "TableReport",
    "TablesEvaluation",
    "UsageError",
    "VerifyError",
    "WriteError",
    "aggregate",
    "aggregate_privately",
    "allow_memory",
    "anonymize",
    "compare",
    "evaluate",
    "evaluate_tables",
    "is_k_anonymous",
    "mask",
    "plan",
    "protect",
    "risk",
    "scan",
    "summarize",
    "synthesize",
    "synthesize_tables",
    "unpack",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'piiscan' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
