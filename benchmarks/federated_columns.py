"""The column classifier trained over three sites beside each site alone and the pooled columns; and what its sums and
weights tell about a rare header.

`python -m benchmarks.federated_columns DATA_FOLDER...` writes `benchmarks/results/federated-columns-DATE.json` and
`federated-columns.md`. A DATA_FOLDER is one of `models/train.py`; of every folder but the first the closed third isn't
looked at. Sources are in five folds, and those of the other folds are divided among three sites. The base model is made
of generated tables alone (`--base FILE` keeps it, or takes it if it is there), since the shipped one has learned these
folders. Each figure is a share of the columns with a header, of sources that no site had, whose likeliest class is
right.

Noise is numpy's, rounded, of the scale that the sites' shares have together: OpenDP's exact samplers take some seconds
for each site and pass.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from benchmarks import processes
from piiscan.core.types import Field, TableInfo
from piiscan.dp.noise import Noisy, Share, scale_of
from piiscan.federated import column_sums, noise_shares
from piiscan.federated.column_job import Descent, JointColumns
from piiscan.federated.column_sums import Columns
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.classify import adapt_model
from piiscan.scanning.classify import column_model as models
from piiscan.scanning.classify.adapt_model import Example
from piiscan.scanning.classify.column_model import ColumnModel
from piiscan.scanning.classify.lexicon import lexicon

EPSILONS = (None, 8.0, 1.0)
"""None: no noise."""
DELTA = 1e-6
FOLDS, SITES, FEWEST = 5, 3, 2
CANARIES = 400


class Labelled(NamedTuple):
    """The examples of a table."""

    source: str
    examples: list[Example]


def base(path: Path, tables: int, jobs: int) -> ColumnModel:
    """The layers that say what columns are, fitted to generated tables."""
    if not path.exists():
        sys.path.insert(0, str(processes.ROOT / "models"))
        import fit_columns as fit
        from train import Model

        from examples import examples, sources, summarised

        with TemporaryDirectory() as folder:
            found = examples(summarised(sources([], tables), Path(folder), jobs), jobs)
        columns = fit.Columns.of(found)
        half = np.repeat(np.arange(len(found)) % 2, np.diff(columns.start))
        chances = np.zeros((len(columns.x.dense), len(columns.classes)))
        for k in range(2):
            layer = fit.fit(columns, half[columns.labelled] != k)
            chances[half == k] = fit.alone(layer, columns, np.flatnonzero(half == k))
        every = np.ones(len(columns.y), dtype=bool)
        layers = fit.fit(columns, every) | fit.fit_table(columns, fit.table_inputs(columns, chances), every)
        Model(columns.classes, layers).write(path)
    return models.model(str(path))


def labelled_columns(folders: Sequence[Path], model: ColumnModel) -> list[Labelled]:
    """The labelled columns of all folders, table by table."""
    sys.path.insert(0, str(processes.ROOT / "models"))
    import labelled

    known, rules = lexicon(rule_sets.load(())), rule_sets.load(())
    found: list[Labelled] = []
    for i, folder in enumerate(folders):
        for file in labelled.files(folder, without_closed=i > 0):
            for info, frame, truths in labelled.tables(file):
                summary = engine.partial(frame, info.fields, rules)
                filled = {c: t.target for c, t in truths.items() if summary.columns[c].filled}
                kept = {c: target for c, target in filled.items() if target in model.classes}
                found.append(Labelled(file.group, adapt_model.examples(model, info, summary, kept, known)))
    return found


def fold(source: str) -> int:
    return int(hashlib.sha256(f"fold {source}".encode()).hexdigest(), 16) % FOLDS


def site(source: str) -> int:
    return int(hashlib.sha256(f"site {source}".encode()).hexdigest(), 16) % SITES


def adder(epsilon: float | None, sites: int, generator: np.random.Generator, seen: list[Any] | None = None) -> Any:
    """What adds the noise of so many sites' shares; of one site, that of the usual mechanism."""

    def added(exact: Callable[[], Sequence[int]], sensitivity: int, share: Share) -> Noisy:
        values = np.array(exact(), dtype=np.int64)
        scale = 1.0
        if epsilon is not None:
            each = noise_shares.scale(share.amount, FEWEST, sensitivity, len(values))
            scale = noise_shares.total_scale(each, sites) if sites > 1 else scale_of(share, sensitivity)
            values = values + np.rint(scale * generator.standard_normal(len(values))).astype(np.int64)
        if seen is not None:
            seen.append(values)
        return Noisy(tuple(values.tolist()), scale)

    return added


class Trial:
    """Trainings from one start: the base model's answers, or none ("nothing": the linear part alone)."""

    def __init__(self, model: ColumnModel, start: str) -> None:
        self.model = model
        self.start = start
        self.generator = np.random.default_rng(24)

    def job(self, epsilon: float | None) -> JointColumns:
        return JointColumns(epsilon or 1.0, DELTA, base=self.model)

    def columns(self, examples: Sequence[Example]) -> Columns:
        made = self.job(None).columns(examples)
        return made._replace(before=np.zeros_like(made.before)) if self.start == "nothing" else made

    def weights(self, columns: Columns, epsilon: float | None, sites: int) -> Any:
        job = self.job(epsilon)
        released = job.released(columns, adder(epsilon, sites, self.generator))
        return np.array(released["weights"], dtype=np.int64).reshape(column_sums.INPUTS, -1)

    def share_right(self, columns: Columns, weights: Any) -> float:
        logits = columns.before.copy()
        if weights is not None:
            logits += column_sums.linear(columns, 0, len(logits), weights) >> 13
        named = np.flatnonzero(columns.weights == columns.weights.max())
        return float(np.mean(np.argmax(logits[named], axis=1) == columns.labels[named]))


def curve(trial: Trial, found: Sequence[Labelled]) -> dict[str, dict[str, list[float]]]:
    """Kind of training → ε → the share that is right, by fold."""
    out: dict[str, dict[str, list[float]]] = {}
    for k in range(FOLDS):
        train, test = [t for t in found if fold(t.source) != k], [t for t in found if fold(t.source) == k]
        parts = [trial.columns([e for t in train if site(t.source) == s for e in t.examples]) for s in range(SITES)]
        pooled = trial.columns([e for t in train for e in t.examples])
        _check_equal(parts, pooled, trial.job(None))
        scored = partial(trial.share_right, trial.columns([e for t in test for e in t.examples]))

        if trial.start == "base":
            out.setdefault("the base model", {}).setdefault("∞", []).append(scored(None))
        for epsilon in EPSILONS:
            name = "∞" if epsilon is None else f"{epsilon:g}"
            alone = [scored(trial.weights(part, epsilon, 1)) for part in parts]
            all_sites = scored(trial.weights(pooled, epsilon, SITES))
            together = all_sites if epsilon is None else scored(trial.weights(pooled, epsilon, 1))
            for kind, value in (
                ("a site alone", float(np.mean(alone))),
                ("three sites, federated", all_sites),
                ("the pooled columns", together),
            ):
                out.setdefault(kind, {}).setdefault(name, []).append(value)
        print(f"start {trial.start}, fold {k}: {out}", file=sys.stderr, flush=True)
    return out


def _check_equal(parts: Sequence[Columns], pooled: Columns, job: JointColumns) -> None:
    """Raise unless the sites' sums are those of the pooled columns, bit for bit."""
    weights = np.random.default_rng(0).integers(-4096, 4096, (column_sums.INPUTS, len(job.trained)))
    sums = [column_sums.gradient(columns, weights, job.trained, job.clip) for columns in (*parts, pooled)]
    if not np.array_equal(sum(sums[:-1]), sums[-1]):
        raise RuntimeError("sums over sites aren't those of the pooled columns")


def canaries(model: ColumnModel, entity: str = "BANK_ACCOUNT") -> list[list[Example]]:
    """Columns whose headers nobody else has, with numbers that say little: each column's two examples."""
    chance = random.Random(24)
    names = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=7)) for _ in range(CANARIES)]
    known, rules = lexicon(rule_sets.load(())), rule_sets.load(())
    out = []
    for name in names:
        cells = [str(chance.randrange(10**7, 10**8)) for _ in range(20)]
        info = TableInfo("made-up.csv", None, "csv", True, (Field(name),))
        summary = engine.partial(pl.DataFrame([pl.Series("0", cells)]), info.fields, rules)
        out.append(adapt_model.examples(model, info, summary, {0: entity}, known))
    return out


def area(inside: Sequence[float], outside: Sequence[float]) -> float:
    """The area under the ROC curve: how often a member has the higher score."""
    a, b = np.array(inside)[:, None], np.array(outside)[None, :]
    return float(np.mean((a > b) + 0.5 * (a == b)))


def attacks(
    job: JointColumns, others: Sequence[Example], made: Sequence[Sequence[Example]], added_of: Any
) -> dict[str, float]:
    """How well somebody tells which canaries were learned, each with probability 1/2: areas under ROC curves.

    *weights*: knows the header, the label and the released weights. *sums*: knows the noisy sums of all passes, and the
    exact ones of all other columns besides; what is left of a sum is compared with what the canary would add to it.
    """
    member = np.random.default_rng(1).random(len(made)) < 0.5
    chosen = [e for own, is_in in zip(made, member, strict=True) if is_in for e in own]
    seen: list[Any] = []
    released = job.released(job.columns([*others, *chosen]), added_of(seen))
    weights = np.array(released["weights"], dtype=np.float64).reshape(column_sums.INPUTS, -1)
    targets, known = [job.columns(own) for own in made], job.columns(others)
    by_weights, by_sums = np.zeros(len(made)), np.zeros(len(made))
    descent = Descent(len(job.trained))
    for values in seen:
        left = values - column_sums.gradient(known, descent.whole, job.trained, job.clip)
        left = left.reshape(weights.shape).astype(np.float64)
        for i, columns in enumerate(targets):
            buckets, own = columns.buckets[: columns.ends[1]], columns.values[: columns.ends[1]].astype(np.float64)
            off = column_sums.shortened(columns, 0, 1, descent.whole, job.trained, job.clip)[0].astype(np.float64)
            by_sums[i] += float(own @ left[buckets] @ off) / float((own @ own) * (off @ off) or 1.0)
        descent.step(values.tolist())
    for i, columns in enumerate(targets):
        buckets, own = columns.buckets[: columns.ends[1]], columns.values[: columns.ends[1]].astype(np.float64)
        moved = own @ weights[buckets]
        label = list(job.trained).index(columns.labels[0])
        by_weights[i] = moved[label] - moved.mean()
    return {
        "weights": area(by_weights[member].tolist(), by_weights[~member].tolist()),
        "sums": area(by_sums[member].tolist(), by_sums[~member].tolist()),
    }


def bound(job: JointColumns) -> float:
    """The greatest area that any attack can have on Gaussian noise of this ρ (Dong, Roth and Su 2022)."""
    from statistics import NormalDist

    return NormalDist().cdf(np.sqrt(job.price.loss.rho))


def membership(trial: Trial, found: Sequence[Labelled]) -> dict[str, dict[str, float]]:
    """ε → the areas of both attacks and the bound, on three sites' sums."""
    others = [e for t in found if fold(t.source) != 0 for e in t.examples]
    made, out = canaries(trial.model), {}
    for epsilon in EPSILONS:
        job = trial.job(epsilon)
        areas = attacks(job, others, made, lambda seen, e=epsilon: adder(e, SITES, trial.generator, seen))
        out["∞" if epsilon is None else f"{epsilon:g}"] = areas | {"bound": 1.0 if epsilon is None else bound(job)}
    return out


def page(about: dict[str, Any]) -> str:
    lines = [
        processes.measured_on(about) + "\n",
        f"δ = {DELTA:g}, 8 passes, clip 3; {about['columns']:,} labelled columns of ",
    ]
    lines[-1] += f"{about['tables']:,} tables; means of {FOLDS} folds (least–greatest)."
    for start, found in about["curve"].items():
        lines += ["", f"## From {'the base model' if start == 'base' else 'nothing, the linear part alone'}", ""]
        names = ["∞", *(f"{e:g}" for e in EPSILONS if e is not None)]
        lines += ["| | " + " | ".join(f"ε = {name}" for name in names) + " |", "|---" * (len(names) + 1) + "|"]
        for kind, by in found.items():
            cells = [f"{np.mean(by[n]):.3f} ({min(by[n]):.3f}–{max(by[n]):.3f})" if n in by else "" for n in names]
            lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    lines += ["", f"## Which of {CANARIES} rare headers were learned: areas under ROC curves", ""]
    lines += [
        "| ε | by the weights | by all noisy sums, and all other columns | no attack above |",
        "|---|---|---|---|",
    ]
    for epsilon, areas in about["membership"].items():
        lines.append(f"| {epsilon} | {areas['weights']:.3f} | {areas['sums']:.3f} | {areas['bound']:.3f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DATA_FOLDER")
    parser.add_argument("--base", type=Path, metavar="FILE")
    parser.add_argument("--tables", type=int, default=400, help="how many tables to generate for the base model")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, default=processes.RESULTS)
    arguments = parser.parse_args()
    begun = time.process_time()
    with TemporaryDirectory() as folder:
        model = base(arguments.base or Path(folder) / "base.npz", arguments.tables, arguments.jobs)
    found = labelled_columns(arguments.folders, model)
    about = processes.machine()
    about["tables"] = len(found)
    about["columns"] = sum(sum(e.weight < 1 for e in t.examples) for t in found)
    about["curve"] = {start: curve(Trial(model, start), found) for start in ("base", "nothing")}
    about["membership"] = membership(Trial(model, "base"), found)
    about["cpu_seconds"] = round(time.process_time() - begun)
    text = page(about)
    processes.save("federated-columns", about, text, arguments.results)
    print(text)


if __name__ == "__main__":
    main()
