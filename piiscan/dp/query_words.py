"""What a stored query asked, in words for the owner of a ledger."""

from __future__ import annotations

import json
from typing import Any

UNKNOWN = "a query that this version doesn't know"


def question(query: str) -> str:
    """Describe the kind of a release and its columns: "a summary of age, sex by dept".

    `query` is the text of `Charge.query`.
    """
    try:
        stored = json.loads(query)
        if "synthesize_tables" in stored:
            return _of_tables(stored["of"])
        kind, request = _kind(stored)
        columns = [name for name, *_ in request["columns"]]
        groups = [*request["by"], *request["cross"]]
        orders = "; ".join(stored.get("orders", ()))
    except (ValueError, KeyError, TypeError, AttributeError):
        return UNKNOWN
    text = f"{kind} of {', '.join(columns)}" if columns else kind
    if groups:
        text += f", by {'; '.join(' × '.join(group) for group in groups)}"
    if orders:
        text += f", where {orders}"
    unit = request.get("unit")
    return text + (f", unit {unit}" if unit else "")


def _of_tables(of: list[Any]) -> str:
    """Describe synthetic tables, of each its name, its link to others and its request."""
    names = [name for name, *_ in of]
    return f"synthetic tables {', '.join(names)}, unit {json.loads(of[0][2])['unit']}"


def _kind(stored: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if "learn" in stored:
        return f"a model ({stored['learn']})", json.loads(stored["of"])
    if "synthesize" in stored:
        return "synthetic rows", json.loads(stored["of"])
    return ("aggregates" if stored.get("moments") else "a summary"), stored
