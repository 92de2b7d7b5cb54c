"""Airflow's decorators: tasks run where they are called, and a DAG when its function is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

DAGS: list[str] = []


def task(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def dag(**settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        DAGS.append(function.__name__)
        return function

    return made
