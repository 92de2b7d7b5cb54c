"""Models learned with differential privacy beside scikit-learn's without, on Adult and on made-up tables; and how long
a fit takes.

`python -m benchmarks.learning FOLDER` reads ARX's adult.csv in FOLDER and writes
`benchmarks/results/learning-DATE.json` and `.md`. Bounds and categories of Adult are those of its own documentation. A
fifth of the rows is kept for testing; each figure is the mean of some fits.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn import cluster, datasets, decomposition, linear_model, naive_bayes

from benchmarks import processes
from piiscan.learning import PCA, GaussianNB, KMeans, LinearRegression, LogisticRegression, Privacy, StandardScaler

EPSILONS = (10.0, 1.0, 0.1, 0.01)
DELTA = 1e-6
SALARY = ["<=50K", ">50K"]
AGES = (17.0, 90.0)


class Fits:
    """Fits under one ledger, each of a version of its own."""

    def __init__(self, folder: Path, repeats: int) -> None:
        self.ledger = folder / "ledger.sqlite"
        self.repeats = repeats
        self.n = 0

    def mean(self, made: Callable[[], Any], data: pl.DataFrame, scored: Callable[[Any], float]) -> dict[str, float]:
        """A figure for each ε."""
        return {
            f"{e:g}": float(np.mean([scored(self.fit(made(), data, e)) for _ in range(self.repeats)])) for e in EPSILONS
        }

    def fit(self, model: Any, data: pl.DataFrame, epsilon: float) -> Any:
        self.n += 1
        said = Privacy(epsilon=epsilon, delta=DELTA, one_row_per_person=True, dataset=str(self.n), ledger=self.ledger)
        return model.fit(data, said)


def adult(path: Path, fits: Fits) -> dict[str, Any]:
    data = pl.read_csv(path, separator=";")
    words = [c for c in data.columns if c not in ("age", "salary-class")]
    categories = {c: data[c].unique().sort().to_list() for c in words}
    order = np.random.default_rng(0).permutation(len(data))
    train, test = data[order[: len(data) * 4 // 5]], data[order[len(data) * 4 // 5 :]]

    def entries(frame: pl.DataFrame) -> Any:
        columns = [(frame["age"].to_numpy() - 17) / 73 * 2 - 1]
        return np.column_stack(
            [*columns, *((frame[c] == value).to_numpy() for c in words for value in categories[c])]
        ).astype(float)

    x, y, x_test, y_test = (
        entries(train),
        train["salary-class"].to_numpy(),
        entries(test),
        test["salary-class"].to_numpy(),
    )
    declared: dict[str, Any] = {"bounds": {"age": AGES}, "categories": categories}
    found: dict[str, Any] = {"rows": len(train), "commonest class": float((y_test == SALARY[0]).mean())}
    for name, model, exact in (
        ("LogisticRegression", LogisticRegression, linear_model.LogisticRegression(max_iter=1000)),
        ("GaussianNB", GaussianNB, naive_bayes.GaussianNB()),
    ):
        found[name] = {
            "scikit-learn": exact.fit(x, y).score(x_test, y_test),
            **fits.mean(
                lambda m=model: m(target="salary-class", classes=SALARY, **declared), train, lambda m: m.score(test)
            ),
        }
    found["LinearRegression of age, R²"] = {
        "scikit-learn": linear_model.LinearRegression().fit(x[:, 1:], train["age"]).score(x_test[:, 1:], test["age"]),
        **fits.mean(lambda: LinearRegression(target="age", **declared), train, lambda m: m.score(test)),
    }
    exact_pca = decomposition.PCA(5).fit(x)

    def explained(components: Any) -> float:
        return float(np.var((x_test - x_test.mean(axis=0)) @ components.T, axis=0).sum() / np.var(x_test, axis=0).sum())

    found["PCA to 5, variance explained"] = {
        "scikit-learn": explained(exact_pca.components_),
        **fits.mean(lambda: PCA(5, **declared), train, lambda m: explained(m.components_)),
    }
    return found


def made(fits: Fits, rows: int) -> dict[str, Any]:
    """The same models on numbers only: 10 columns, bounds about twice as wide as the data."""
    x, y = datasets.make_classification(
        rows + 10_000,
        10,
        n_informative=5,
        n_redundant=0,
        n_classes=4,
        n_clusters_per_class=1,
        class_sep=1.5,
        random_state=1,
    )
    names = [f"x{i}" for i in range(10)]
    frame = pl.DataFrame(x, schema=names).with_columns(
        y=pl.Series(y), z=pl.Series(x @ np.linspace(-1, 1, 10) + np.random.default_rng(0).normal(size=len(x)))
    )
    train, test = frame.head(rows), frame.tail(10_000)
    bounds = dict.fromkeys(names, (-8.0, 8.0))
    found: dict[str, Any] = {"rows": rows}
    for name, model, exact in (
        ("LogisticRegression", LogisticRegression, linear_model.LogisticRegression()),
        ("GaussianNB", GaussianNB, naive_bayes.GaussianNB()),
    ):
        found[name] = {
            "scikit-learn": exact.fit(x[:rows], y[:rows]).score(x[rows:], y[rows:]),
            **fits.mean(lambda m=model: m(target="y", classes=range(4), bounds=bounds), train, lambda m: m.score(test)),
        }  # fmt: skip
    found["LinearRegression, R²"] = {
        "scikit-learn": linear_model.LinearRegression().fit(x[:rows], train["z"]).score(x[rows:], test["z"]),
        **fits.mean(
            lambda: LinearRegression(target="z", bounds=bounds | {"z": (-15.0, 15.0)}), train, lambda m: m.score(test)
        ),
    }
    blobs, _ = datasets.make_blobs(rows, 4, centers=8, cluster_std=0.6, random_state=0, center_box=(-8, 8))
    points = pl.DataFrame(blobs, schema=names[:4])

    def inertia(centres: Any) -> float:
        return float(((blobs[:, None] - centres) ** 2).sum(axis=2).min(axis=1).mean())

    found["KMeans, 8 clusters, mean squared distance"] = {
        "scikit-learn": inertia(cluster.KMeans(8, n_init=5, random_state=0).fit(blobs).cluster_centers_),
        **fits.mean(
            lambda: KMeans(8, bounds=dict.fromkeys(names[:4], (-10.0, 10.0))),
            points,
            lambda m: inertia(m.cluster_centers_),
        ),
    }
    return found


def small(fits: Fits) -> dict[str, Any]:
    """Noise is the same for any number of rows, so few rows bear it worse."""
    names = [f"x{i}" for i in range(5)]
    bounds = dict.fromkeys(names, (-5.0, 5.0))

    def accuracies(rows: int) -> dict[str, float]:
        x, y = datasets.make_classification(
            rows + 5_000, 5, n_informative=3, n_redundant=0, n_clusters_per_class=1, class_sep=1.0, random_state=2
        )
        frame = pl.DataFrame(x, schema=names).with_columns(y=pl.Series(y))
        train, test = frame.head(rows), frame.tail(5_000)
        exact = naive_bayes.GaussianNB().fit(x[:rows], y[:rows]).score(x[rows:], y[rows:])
        return {
            "scikit-learn": exact,
            **fits.mean(lambda: GaussianNB(target="y", classes=[0, 1], bounds=bounds), train, lambda m: m.score(test)),
        }

    return {f"{rows:,}": accuracies(rows) for rows in (100, 1_000, 10_000, 100_000)}


def seconds(fits: Fits, rows: int) -> dict[str, float]:
    """The best of three fits of each."""
    random = np.random.default_rng(0)
    names = [f"x{i}" for i in range(10)]
    frame = pl.DataFrame(random.normal(size=(rows, 10)), schema=names).with_columns(
        y=pl.Series(random.integers(0, 3, rows))
    )
    bounds = dict.fromkeys(names, (-4.0, 4.0))
    models = {
        "StandardScaler": StandardScaler(bounds=bounds),
        "GaussianNB": GaussianNB(target="y", classes=range(3), bounds=bounds),
        "LinearRegression": LinearRegression(target="x0", bounds=bounds),
        "PCA": PCA(bounds=bounds),
        "KMeans, 8 clusters": KMeans(8, bounds=bounds),
        "LogisticRegression, 3 classes": LogisticRegression(target="y", classes=range(3), bounds=bounds),
    }
    taken = {}
    for name, model in models.items():
        times = []
        for _ in range(3):
            begun = time.perf_counter()
            fits.fit(model, frame, 1.0)
            times.append(time.perf_counter() - begun)
        taken[name] = min(times)
    return taken


def table(title: str, found: dict[str, Any]) -> list[str]:
    rows = {name: values for name, values in found.items() if isinstance(values, dict)}
    columns = list(next(iter(rows.values())))
    head = [columns[0], *(f"ε = {c}" for c in columns[1:])]
    lines = [
        f"## {title}",
        "",
        *(f"{k}: {v:,.3g}" if v < 1 else f"{k}: {v:,}" for k, v in found.items() if not isinstance(v, dict)),
        "",
    ]
    lines += ["| | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
    return [
        *lines,
        *("| " + " | ".join([name, *(f"{v:.3f}" for v in values.values())]) + " |" for name, values in rows.items()),
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--results", type=Path, default=processes.RESULTS)
    arguments = parser.parse_args()
    about = processes.machine()
    with tempfile.TemporaryDirectory() as folder:
        fits = Fits(Path(folder), arguments.repeats)
        about["adult"] = adult(arguments.folder / "adult.csv", fits)
        about["made"] = made(fits, 30_000)
        about["rows"] = small(fits)
        about["seconds"] = seconds(fits, 1_000_000)
    lines = [processes.heading(about, arguments.repeats).replace("Medians", "Means"), f"δ = {DELTA:g}", ""]
    lines += (
        table("Adult", about["adult"])
        + table("Made up", about["made"])
        + table("GaussianNB by the number of rows", about["rows"])
    )
    lines += [
        "## 1,000,000 rows × 10 columns",
        "",
        *(f"- {name}: {taken:.1f} s" for name, taken in about["seconds"].items()),
    ]
    page = "\n".join(lines) + "\n"
    processes.save("learning", about, page, arguments.results)
    print(page)


if __name__ == "__main__":
    main()
