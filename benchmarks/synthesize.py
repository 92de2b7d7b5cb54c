"""Synthetic rows beside the real ones: how far tables of one, two and three columns are apart, and what a release
takes. Whole processes.

`python -m benchmarks.synthesize DATA_FOLDER WORK_FOLDER` reads `arx_adult/` from DATA_FOLDER and makes three tables of
its own below WORK_FOLDER. With `--predict` it instead reads all columns of `adult6/adult6.csv`, draws rows for three
quarters of them, with bins that are declared and with private ones, and trains a random forest on each to predict
salaries; its area under the curve (AUC) is that of the last quarter. It then writes `synthesize-predict-DATE.json`.

Otherwise it writes `benchmarks/results/synthesize-DATE.json` and `synthesize.md`. Each case is released several
times, from a new ledger. Distances are counted
by a few lines of this file: half the sum of the differences between the shares of all combinations, the mean over all
groups of columns.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import processes

AGES = [17, *range(22, 92, 5), 92]
Codes = dict[str, Any]
"""By column the code of each row."""


@dataclass(frozen=True)
class Case:
    """`goals`: the mean distances of pairs and of three columns, and the seconds, that are asked for."""

    table: str
    epsilon: float
    delta: float
    goals: tuple[float | None, float | None, float | None] = (None, None, None)
    private: bool = False

    @property
    def name(self) -> str:
        return self.table + (", private bins" if self.private else "")

    @property
    def schema(self) -> str:
        return self.table + ("-private.toml" if self.private else ".toml")


CASES = (
    Case("adult", 1, 1e-9, (0.022, 0.050, 10)),
    Case("adult", 1, 0),
    Case("adult", 0.1, 1e-9),
    Case("adult", 10, 1e-9),
    Case("classes", 1, 1e-9),
    Case("parents", 1, 1e-9),
    Case("numbers", 1, 1e-9, (0.075, None, None)),
    Case("numbers", 1, 1e-9, private=True),
)
TARGET = "salary-class"
ADULT_BOUNDS = {
    "age": (17, 92),
    "fnlwgt": (0, 1_500_000),
    "education-num": (1, 17),
    "capital-gain": (0, 100_000),
    "capital-loss": (0, 5000),
    "hours-per-week": (1, 100),
}


def adult(data: Path, folder: Path) -> Path:
    """Nine columns, ages in 15 bins, all other words from the hierarchies."""
    path = data / "arx_adult" / "adult.csv"
    with path.open(encoding="utf-8-sig") as stream:
        names = next(csv.reader(stream, delimiter=";"))
    lines = []
    for name in names:
        words = (data / "arx_adult" / f"adult_hierarchy_{name}.csv").read_text("utf-8-sig").splitlines()
        known = f"categories = {[line.split(';')[0] for line in words if line]}"
        if name == "age":
            known = f"bounds = [{AGES[0]}, {AGES[-1]}]\nedges = {AGES[1:-1]}"
        lines.append(f'[columns."{name}"]\n{known}\n')
    (folder / "adult.toml").write_text("\n".join(lines), encoding="utf-8")
    return path


def classes(folder: Path) -> Path:
    """Fourteen columns that have six hidden classes in common."""
    random = np.random.default_rng(1)
    rows, columns = 20_000, {}
    hidden = random.choice(6, rows, p=random.dirichlet(np.full(6, 2.0)))
    for i in range(14):
        words = int(random.integers(2, 13))
        chances = 0.5 * random.dirichlet(np.full(words, 0.5), size=6) + 0.5 * random.dirichlet(np.full(words, 0.5))
        columns[f"c{i}"] = _drawn(chances[hidden], random)
    return _made(folder, "classes", columns)


def parents(folder: Path) -> Path:
    """Ten columns, each of which depends on two before it."""
    random = np.random.default_rng(2)
    rows, columns, sizes = 50_000, {}, []
    for i in range(10):
        words, group = int(random.integers(2, 21)), np.zeros(rows, dtype=np.int64)
        for parent in random.choice(i, min(i, 2), replace=False):
            group = group * sizes[parent] + columns[f"c{parent}"]
        chances = 0.4 * random.dirichlet(np.full(words, 0.7)) + 0.6 * random.dirichlet(
            np.full(words, 0.3), size=int(group.max()) + 1
        )
        columns[f"c{i}"] = _drawn(chances[group], random)
        sizes.append(words)
    return _made(folder, "parents", columns)


def numbers(folder: Path) -> Path:
    """Eight correlated columns of numbers, half of them skewed, in 20 bins."""
    random = np.random.default_rng(3)
    cells = random.normal(size=(10_000, 3)) @ random.normal(size=(8, 3)).T + random.normal(size=(10_000, 8))
    cells[:, 4:] = np.exp(cells[:, 4:] / 2)
    bounds = [(-8, 8)] * 4 + [(0, 12)] * 4
    path = folder / "numbers.csv"
    pl.DataFrame({f"n{i}": cells[:, i].round(2) for i in range(8)}).write_csv(path)
    known = [f"[columns.n{i}]\nbounds = [{low}, {high}]\n" for i, (low, high) in enumerate(bounds)]
    (folder / "numbers.toml").write_text("\n".join(known), encoding="utf-8")
    found = "\n".join(f"{column}decimals = 2\nprivate_bins = true\n" for column in known)
    (folder / "numbers-private.toml").write_text(found, encoding="utf-8")
    return path


def _drawn(chances: Any, random: np.random.Generator) -> Any:
    return (chances.cumsum(axis=1)[:, :-1] < random.random(len(chances))[:, None]).sum(axis=1)


def _made(folder: Path, name: str, columns: dict[str, Any]) -> Path:
    path = folder / f"{name}.csv"
    pl.DataFrame(columns).select(pl.format("v{}", pl.col(c)).alias(c) for c in columns).write_csv(path)
    known = (
        f"[columns.{c}]\ncategories = {[f'v{i}' for i in range(int(codes.max()) + 1)]}\n"
        for c, codes in columns.items()
    )
    (folder / f"{name}.toml").write_text("\n".join(known), encoding="utf-8")
    return path


def coded(path: Path, name: str) -> Codes:
    frame = pl.read_csv(path, infer_schema=False, separator=";" if path.name == "adult.csv" else ",")
    found: Codes = {}
    for column in sorted(frame.columns):
        if column == "age" or name == "numbers":
            edges = AGES if column == "age" else np.linspace(-8, 8, 21) if column < "n4" else np.linspace(0, 12, 21)
            cells = frame[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
            found[column] = np.where(
                np.isnan(cells), len(edges), np.clip(np.searchsorted(edges, cells, side="right"), 1, len(edges) - 1)
            )
        else:
            found[column] = frame[column].fill_null("").to_numpy()
    return found


def distance(real: Codes, synthetic: Codes, ways: int) -> float:
    """The mean over all groups of so many columns."""
    both = {c: np.unique(np.concatenate([real[c], synthetic[c]]), return_inverse=True)[1] for c in real}
    n, total = len(next(iter(real.values()))), []
    for group in itertools.combinations(real, ways):
        place = np.zeros(len(both[group[0]]), dtype=np.int64)
        for c in group:
            place = place * (int(both[c].max()) + 1) + both[c]
        _, place = np.unique(place, return_inverse=True)
        cells = int(place.max()) + 1
        a, b = (np.bincount(part, minlength=cells) / len(part) for part in (place[:n], place[n:]))
        total.append(np.abs(a - b).sum() / 2)
    return float(np.mean(total))


def by_chance(real: Codes, ways: int) -> float:
    """Of as many rows drawn from the table itself: not private."""
    n = len(next(iter(real.values())))
    rows = np.random.default_rng(0).integers(0, n, n)
    return distance(real, {c: codes[rows] for c, codes in real.items()}, ways)


def measured(case: Case, path: Path, work: Path, seeds: int) -> dict[str, Any]:
    real, runs, distances = coded(path, case.table), [], []
    ledger, output = work / "ledger.sqlite", work / "synthetic.csv"
    for _ in range(seeds):
        ledger.unlink(missing_ok=True)
        runs.append(
            processes.run(
                [
                    processes.PIISCAN,
                    "synthesize",
                    path,
                    "--epsilon",
                    str(case.epsilon),
                    "--delta",
                    str(case.delta),
                    "--one-row-per-person",
                    "--schema",
                    work / case.schema,
                    "-n",
                    "30000",
                    "-o",
                    output,
                    "--ledger",
                    ledger,
                    "--overwrite",
                    "--quiet",
                ]
            )
        )
        distances.append([distance(real, coded(output, case.table), ways) for ways in (1, 2, 3)])
    return {
        "table": case.name,
        "epsilon": case.epsilon,
        "delta": case.delta,
        "columns": len(real),
        "rows": len(next(iter(real.values()))),
        "seconds": statistics.median(r.seconds for r in runs),
        "peak": max(r.peak for r in runs),
        "goals": case.goals,
        "distances": distances,
        "mean": np.mean(distances, axis=0).tolist(),
        "by_chance": [by_chance(real, ways) for ways in (1, 2, 3)],
    }


def predicted(data: Path, work: Path, seeds: int) -> dict[str, Any]:
    """The AUC on real rows that were held out, by what the forest was trained on."""
    frame = pl.read_csv(data / "adult6" / "adult6.csv", separator=";", infer_schema_length=None)
    order = np.random.default_rng(0).permutation(frame.height)
    test, train = frame[order[: frame.height // 4]], frame[order[frame.height // 4 :]]
    words = {c: frame[c].unique().sort().to_list() for c in frame.columns if c not in ADULT_BOUNDS}
    train.write_csv(work / "adult14.csv")
    for private in (False, True):
        lines = [f'[columns."{c}"]\ncategories = {known}' for c, known in words.items()]
        for column, (low, high) in ADULT_BOUNDS.items():
            # Whole numbers between 1 and 17 don't fit 20 equal bins.
            edges = f"\nedges = {list(range(2, 17))}" if column == "education-num" else ""
            bins = "\nprivate_bins = true" if private else edges
            lines.append(f'[columns."{column}"]\nbounds = [{low}, {high}]\ndecimals = 0{bins}')
        (work / f"adult14-{private}.toml").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    found: dict[str, Any] = {"rows": train.height, "tested": test.height, "real": [auc(train, test, words)]}
    for name, private in (("declared bins", False), ("private bins", True)):
        found[name], found[f"{name}, zeros of capital-gain"] = [], []
        for _ in range(seeds):
            (work / "ledger.sqlite").unlink(missing_ok=True)
            asked = "--epsilon 1 --delta 1e-9 --one-row-per-person --overwrite --quiet --schema".split()
            files = [work / f"adult14-{private}.toml", "--ledger", work / "ledger.sqlite", "-o", work / "drawn.csv"]
            processes.run([processes.PIISCAN, "synthesize", work / "adult14.csv", *asked, *files])
            drawn = pl.read_csv(work / "drawn.csv", infer_schema_length=None)
            found[name].append(auc(drawn, test, words))
            found[f"{name}, zeros of capital-gain"].append(float((drawn["capital-gain"] == 0).mean() or 0))
    return found


def auc(train: pl.DataFrame, test: pl.DataFrame, words: dict[str, list[str]]) -> float:
    """Of a random forest of 100 trees, for the target above 50,000; numbers as they are, words by their place."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    def cells(frame: pl.DataFrame) -> tuple[Any, Any]:
        found = [
            frame[c].cast(pl.Float64)
            if c in ADULT_BOUNDS
            else frame[c].cast(pl.Enum(words[c]), strict=False).to_physical().cast(pl.Float64)
            for c in test.columns
            if c != TARGET
        ]
        return np.column_stack([c.fill_null(-1) for c in found]), (frame[TARGET] == ">50K").fill_null(value=False)

    forest = RandomForestClassifier(n_estimators=100, min_samples_leaf=5, random_state=0, n_jobs=1)
    forest.fit(*cells(train))
    features, target = cells(test)
    return float(roc_auc_score(target, forest.predict_proba(features)[:, 1]))


def rendered(results: list[dict[str, Any]], about: dict[str, Any], seeds: int) -> str:
    lines = [
        processes.heading(about, seeds),
        *(_goals(r) for r in results if any(r["goals"])),
        "In brackets what as many rows of the real table itself are off by.",
        "",
        "| table | ε | δ | rows | columns | seconds | peak MB | one column | pairs | three columns |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        apart = " | ".join(
            f"{found:.4f} ({chance:.4f})" for found, chance in zip(r["mean"], r["by_chance"], strict=True)
        )
        lines.append(
            f"| {r['table']} | {r['epsilon']:g} | {r['delta']:g} | {r['rows']:,} | {r['columns']} | "
            f"{r['seconds']:.2f} | {r['peak']:.0f} | {apart} |"
        )
    return "\n".join(lines) + "\n"


def _goals(result: dict[str, Any]) -> str:
    named = zip(("pairs", "three columns", "seconds"), result["goals"], strict=True)
    asked = ", ".join(f"{name} {goal:g}" for name, goal in named if goal is not None)
    return f"Goals for {result['table']} at ε = {result['epsilon']:g}, δ = {result['delta']:g}: {asked}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tables", nargs="+", choices=["adult", "classes", "parents", "numbers"], help="only these")
    parser.add_argument("--epsilons", nargs="+", type=float, help="only these")
    parser.add_argument("--predict", action="store_true", help="only a classifier of Adult's salaries")
    parser.add_argument("--results", type=Path, default=processes.RESULTS)
    arguments = parser.parse_args()
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    about = processes.machine()
    if arguments.predict:
        found = predicted(arguments.data, work, arguments.seeds)
        lines = [f"{name}: {np.mean(value):.4f}" for name, value in found.items()]
        page = "\n\n".join([processes.heading(about, arguments.seeds), *lines]) + "\n"
        processes.save("synthesize-predict", {**about, "results": found}, page, arguments.results)
        print(page)
        return
    make: dict[str, Callable[[], Path]] = {
        "adult": lambda: adult(arguments.data, work),
        "classes": lambda: classes(work),
        "parents": lambda: parents(work),
        "numbers": lambda: numbers(work),
    }
    paths = {name: made() for name, made in make.items() if name in (arguments.tables or make)}
    cases = [c for c in CASES if c.table in paths and c.epsilon in (arguments.epsilons or [c.epsilon])]
    results = [measured(case, paths[case.table], work, arguments.seeds) for case in cases]
    page = rendered(results, about, arguments.seeds)
    processes.save("synthesize", {**about, "results": results}, page, arguments.results)
    print(page)


if __name__ == "__main__":
    main()
