"""A table to learn from, and every model of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from piiscan.dp.run.estimators.estimator import Estimator
from piiscan.learning import PCA, GaussianNB, KMeans, LinearRegression, LogisticRegression, Privacy, StandardScaler

BOUNDS = {"age": (0.0, 120.0), "dose": (-2.0, 2.0)}
SEX = {"sex": ["f", "m"]}
CLASSES = ["no", "some", "yes"]
NAMES = (
    "GaussianNB",
    "KMeans",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegression of two",
    "PCA",
    "StandardScaler",
)


def model(name: str, **changed: Any) -> Estimator:
    kinds: dict[str, Callable[[], Estimator]] = {
        "GaussianNB": lambda: GaussianNB(
            **{"target": "ill", "classes": CLASSES, "bounds": BOUNDS, "categories": SEX} | changed
        ),
        "KMeans": lambda: KMeans(**{"n_clusters": 3, "bounds": BOUNDS, "categories": SEX} | changed),
        "LinearRegression": lambda: LinearRegression(
            **{"target": "cost", "bounds": BOUNDS | {"cost": (0.0, 1000.0)}, "categories": SEX} | changed
        ),
        "LogisticRegression": lambda: LogisticRegression(
            **{"target": "ill", "classes": CLASSES, "bounds": BOUNDS, "categories": SEX} | changed
        ),
        "LogisticRegression of two": lambda: LogisticRegression(
            **{"target": "ill", "classes": ["no", "yes"], "bounds": BOUNDS, "categories": SEX} | changed
        ),
        "PCA": lambda: PCA(**{"n_components": 2, "bounds": BOUNDS, "categories": SEX} | changed),
        "StandardScaler": lambda: StandardScaler(**{"bounds": BOUNDS, "categories": SEX} | changed),
    }
    return kinds[name]()


def frame(n: int, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    ill = random.integers(0, 3, n)
    age = 30 + 20 * ill + random.normal(0, 8, n)
    dose = np.where(random.random(n) < 0.5, -1.0, 1.0) + random.normal(0, 0.2, n)
    return pl.DataFrame(
        {
            "person": [f"p{i // 2}" for i in range(n)],
            "age": age,
            "dose": dose,
            "sex": random.choice(["f", "m"], n),
            "ill": np.array(CLASSES)[ill],
            "cost": 200 + 5 * age + 50 * dose + random.normal(0, 20, n),
        }
    )


def privacy(ledger: Path, **changed: Any) -> Privacy:
    said: dict[str, Any] = {
        "epsilon": 1.0,
        "delta": 1e-6,
        "one_row_per_person": True,
        "dataset": "people",
        "ledger": ledger,
    }
    return Privacy(**said | changed)
