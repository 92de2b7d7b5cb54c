"""Tables of seeded random numbers. They contain no data about anyone, so nothing in them is private.

That is no longer true once a parameter was computed from real people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from piiscan.core.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    import polars as pl


def normal(columns: Mapping[str, tuple[float, float]], rows: int, *, seed: int) -> pl.DataFrame:
    """Independent normal columns, by name: mean and standard deviation. Raises `UsageError`.

    >>> normal({"height": (65, 2)}, 3, seed=0)["height"].round(1).to_list()
    [65.3, 64.7, 66.3]
    """
    import numpy as np
    import polars as pl

    if rows < 0 or any(deviation < 0 for _, deviation in columns.values()):
        raise UsageError("rows and standard deviations must be 0 or more")
    random = np.random.default_rng(seed)
    return pl.DataFrame({name: random.normal(mean, deviation, rows) for name, (mean, deviation) in columns.items()})


def classification(
    rows: int,
    *,
    seed: int,
    n_features: int = 20,
    n_informative: int = 2,
    n_redundant: int = 2,
    n_repeated: int = 0,
    n_classes: int = 2,
    n_clusters_per_class: int = 2,
    weights: Sequence[float] | None = None,
    flip_y: float = 0.01,
    class_sep: float = 1.0,
) -> pl.DataFrame:
    """Make classes of points: `x1`, `x2`, … and the class `y`.

    The other parameters are those of scikit-learn's `make_classification`. Raises `MissingExtra`, and ValueError for
    parameters that contradict each other.
    """
    return _made(
        "make_classification",
        n_samples=rows,
        random_state=seed,
        n_features=n_features,
        n_informative=n_informative,
        n_redundant=n_redundant,
        n_repeated=n_repeated,
        n_classes=n_classes,
        n_clusters_per_class=n_clusters_per_class,
        weights=None if weights is None else list(weights),
        flip_y=flip_y,
        class_sep=class_sep,
    )


def blobs(
    rows: int,
    *,
    seed: int,
    n_features: int = 2,
    centers: int | Sequence[Sequence[float]] = 3,
    cluster_std: float | Sequence[float] = 1.0,
    center_box: tuple[float, float] = (-10.0, 10.0),
) -> pl.DataFrame:
    """Make round clusters of points: `x1`, `x2`, … and the cluster `y`.

    `centers` is their number, or their positions. The other parameters are those of scikit-learn's `make_blobs`.
    Raises `MissingExtra`, and ValueError for parameters that contradict each other.
    """
    return _made(
        "make_blobs",
        n_samples=rows,
        random_state=seed,
        n_features=n_features,
        centers=centers,
        cluster_std=cluster_std,
        center_box=center_box,
    )


def _made(maker: str, **options: Any) -> pl.DataFrame:
    import polars as pl

    try:
        from sklearn import datasets
    except ImportError:
        raise MissingExtra(
            "making classes and clusters needs an optional package: pip install 'piiscan-toolkit[train]'"
        ) from None
    x, y = getattr(datasets, maker)(**options)[:2]
    return pl.DataFrame({**{f"x{i}": column for i, column in enumerate(x.T, 1)}, "y": y})
