"""Dagster's decorators, and the result of a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


def asset(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def asset_check(**settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda function: function


@dataclass
class AssetCheckResult:
    passed: bool
    metadata: dict[str, Any] = field(default_factory=dict)
