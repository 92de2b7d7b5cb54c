"""Train the column classifier: `models/columns.npz` and its card, `models/columns.md`.

    python models/train.py DATA_FOLDER [--tables 1500] [--jobs 2]

DATA_FOLDER holds `tables/`, `labels.csv` (table_file, column, label, alt_label, is_pii, col_index, n_nonempty) and
`sources.csv` (table_file, repo_or_package). Generated tables (`generate.py`) are added. Every table is scanned as
`piiscan scan` does. Each real column is learned with its header and without, from all its values and from a few; folds
for what is chosen and reported by are sources, never tables.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from labelled import File, files, tables
from scipy import sparse
from subject import PRIOR, of_generated, of_labelled
from subject import fit as fit_subject

from piiscan.cli import output
from piiscan.core.types import Field
from piiscan.detection.matching.batch import column_summary
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.classify import arrays
from piiscan.scanning.classify.candidates import ColumnCandidates, judge
from piiscan.scanning.classify.column_features import BUCKETS, WIDTH, Features, features
from piiscan.scanning.classify.column_model import NONE, VERSION, among, softmax
from piiscan.scanning.classify.lexicon import lexicon

SEED = 0
FOLDS = 5
NETS = 3
"""Networks whose logits are averaged, alike but for their random start."""
HIDDEN, EPOCHS = 64, 8
TABLE_HIDDEN, TABLE_EPOCHS = 48, 8
FEW_VALUES = (3, 20)


@dataclass(frozen=True)
class Example:
    """One column as learned. `table` names its table and the variant of that; `accepted`: entities (NONE among them)
    that are right; `group`: tables of one group stay in one fold;
    `real`: of a labelled table, else generated; `variant`: how it was changed."""

    target: str
    accepted: frozenset[str]
    group: str
    table: str
    index: int
    features: Features
    real: bool
    variant: str
    weight: float


def real_examples(data: Path, jobs: int) -> list[Example]:
    """The labelled columns, each in four variants."""
    with ProcessPoolExecutor(jobs) as pool:
        return [example for examples in pool.map(_real_file, files(data), chunksize=4) for example in examples]


def _real_file(file: File) -> list[Example]:
    out: list[Example] = []
    chance = random.Random(f"{SEED} {file.path.name}")
    for info, frame, truths in tables(file):
        for index, truth in truths.items():
            for variant, values, field in _variants(frame[str(index)], info.fields[index], chance):
                summary = _summary(values, field, truth.target)
                place = (file.group, f"{file.path.name} {variant}", index)
                out.append(_example(truth.target, truth.accepted, place, field, summary, True, variant))
    return out


def _variants(column: Any, field: Field, chance: random.Random) -> Iterator[tuple[str, Any, Field]]:
    blank = Field(None, field.dtype)
    yield "full", column, field
    yield "blank", column, blank
    filled = [i for i, value in enumerate(column.to_list()) if value not in (None, "")]
    if filled:
        few = column.gather(sorted(chance.sample(filled, min(len(filled), chance.randint(*FEW_VALUES)))))
        yield "few", few, field
        yield "few blank", few, blank


def _example(
    target: str,
    right: frozenset[str],
    place: tuple[str, str, int],
    field: Field,
    summary: ColumnSummary,
    real: bool,
    variant: str,
) -> Example:
    known = lexicon(rule_sets.load(()))
    judged: ColumnCandidates = judge(0, field, summary, known)
    weight = {"full": 1.0, "blank": 0.7, "few": 0.5, "few blank": 0.4}[variant] * (1.0 if real else 0.35)
    return Example(target, right, *place, features(judged, summary, known), real, variant, weight)


def parts(count: int) -> list[tuple[int, int]]:
    """Seeds of generated tables, and how many of each."""
    step = 25
    return [(SEED + 1 + i, min(step, count - i)) for i in range(0, count, step)]


def generated_examples(count: int, jobs: int) -> list[Example]:
    """Columns of generated tables, with their headers and, of half of them, without."""
    with ProcessPoolExecutor(jobs) as pool:
        return [example for examples in pool.map(_generated, parts(count)) for example in examples]


def _generated(part: tuple[int, int]) -> list[Example]:
    sys.path.insert(0, str(Path(__file__).parent))
    import generate

    chance = random.Random(f"{SEED} {part[0]}")
    out = []
    for number, table in enumerate(generate.tables(*part)):
        variants = ("full", "blank") if chance.random() < 0.6 else ("full",)
        for index, column in enumerate(table.columns):
            series = pl.Series(list(column.values), dtype=pl.String)
            target = column.entity or NONE
            right = frozenset((target, NONE)) if target == "GENERIC_ID" else frozenset((target,))
            for variant in variants:
                field = Field(column.header if variant == "full" else None)
                summary = _summary(series, field, target)
                place = (f"generated {part[0]}", f"{part[0]} {number} {variant}", index)
                out.append(_example(target, right, place, field, summary, False, variant))
    return out


_LANES: dict[str, ThreadPoolExecutor] = {}


def _summary(values: Any, field: Field, target: str) -> ColumnSummary:
    """The summary of a column. A thread for each class: polars keeps the regexes that a thread used last."""
    prefilter = engine.prefilter_of(rule_sets.load(()))
    lane = _LANES.setdefault(target, ThreadPoolExecutor(1))
    return column_summary(values, field.name, prefilter, None, None, lane)[0]


@dataclass(frozen=True)
class Weights:
    """The arrays of `piiscan.scanning.classify.column_model.ColumnModel`, the blend apart."""

    classes: tuple[str, ...]
    arrays: Mapping[str, np.ndarray]

    def logits(self, x: sparse.csr_matrix) -> np.ndarray:
        """(examples, classes) for `matrix(examples)`."""
        a = self.arrays
        hidden = np.maximum(x @ np.vstack([a["hidden_header"], a["hidden_dense"]]) + a["hidden_bias"], 0)
        return np.asarray(hidden @ a["output"] + x @ np.vstack([a["linear_header"], a["linear_dense"]]) + a["bias"])


def matrix(examples: Sequence[Example]) -> sparse.csr_matrix:
    """(examples, BUCKETS + WIDTH)."""
    ends = np.cumsum([0] + [len(e.features.buckets) for e in examples])
    buckets = np.concatenate([e.features.buckets for e in examples])
    weights = np.concatenate([e.features.weights for e in examples])
    header = sparse.csr_matrix((weights, buckets, ends), shape=(len(examples), BUCKETS), dtype=np.float32)
    return sparse.hstack([header, sparse.csr_matrix(np.stack([e.features.dense for e in examples]))]).tocsr()


def fit(examples: Sequence[Example], classes: tuple[str, ...]) -> Weights:
    """Networks of one hidden layer, and a linear model, each trained by itself; their logits are averaged."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    y = np.array([classes.index(e.target) for e in examples])
    weight = np.array([e.weight for e in examples])
    x = matrix(examples)
    spread = np.ones(BUCKETS + WIDTH, dtype=np.float32)
    dense = x[:, BUCKETS:].toarray()
    spread[BUCKETS:] = 1 / np.maximum(dense.std(axis=0), 0.1)
    scaled = x @ sparse.diags(spread)
    # A few epochs and iterations generalise better than convergence.
    warnings.simplefilter("ignore", ConvergenceWarning)
    nets = [
        MLPClassifier(
            (HIDDEN,), alpha=1e-3, max_iter=EPOCHS, batch_size=256, learning_rate_init=2e-3, random_state=SEED + i
        ).fit(scaled, y, sample_weight=weight)
        for i in range(NETS)
    ]
    line = LogisticRegression(C=3.0, max_iter=100).fit(x, y, sample_weight=weight)
    first, hidden_bias, output, bias = _stacked(nets, classes)
    first *= spread[:, None]
    linear = np.zeros((BUCKETS + WIDTH, len(classes)))
    linear[:, line.classes_] = 0.5 * line.coef_.T
    bias[line.classes_] = 0.5 * (bias[line.classes_] + line.intercept_)
    return Weights(
        classes,
        {
            "hidden_header": first[:BUCKETS],
            "hidden_dense": first[BUCKETS:],
            "hidden_bias": hidden_bias,
            "output": 0.5 * output,
            "linear_header": linear[:BUCKETS],
            "linear_dense": linear[BUCKETS:],
            "bias": bias,
        },
    )


def _stacked(nets: Sequence[Any], classes: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Networks as one whose logits are the mean of theirs: inputs to hidden, its bias, hidden to classes, its bias."""
    output = np.zeros((sum(len(net.intercepts_[0]) for net in nets), len(classes)))
    bias = np.full(len(classes), -12.0)  # of a class that no example has
    known = nets[0].classes_
    output[:, known] = np.vstack([net.coefs_[1] for net in nets]) / len(nets)
    bias[known] = np.mean([net.intercepts_[1] for net in nets], axis=0)
    return (
        np.hstack([net.coefs_[0] for net in nets]),
        np.concatenate([net.intercepts_[0] for net in nets]),
        output,
        bias,
    )


def folds(examples: Sequence[Example]) -> np.ndarray:
    """The fold of each example. Groups of real tables go to the smallest fold, large ones first; generated ones in
    turn."""
    out: dict[str, int] = {}
    load = [0] * FOLDS
    sizes = collections.Counter(e.group for e in examples if e.real)
    for group, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        out[group] = int(np.argmin(load))
        load[out[group]] += size
    made = sorted({e.group for e in examples if not e.real})
    out |= {group: i % FOLDS for i, group in enumerate(made)}
    return np.array([out[e.group] for e in examples])


def fit_table(examples: Sequence[Example], chances: np.ndarray, classes: Sequence[str]) -> dict[str, np.ndarray]:
    """The second layer. `chances`: (examples, classes), from models that had not seen the example's source."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    warnings.simplefilter("ignore", ConvergenceWarning)
    y = np.array([classes.index(e.target) for e in examples])
    weight = np.array([e.weight for e in examples])
    inputs = table_inputs(examples, chances)
    nets = [
        MLPClassifier(
            (TABLE_HIDDEN,),
            alpha=3e-2,
            max_iter=TABLE_EPOCHS,
            batch_size=256,
            learning_rate_init=2e-3,
            random_state=SEED + i,
        ).fit(inputs, y, sample_weight=weight)
        for i in range(NETS)
    ]
    return dict(
        zip(("table_hidden", "table_hidden_bias", "table_output", "table_bias"), _stacked(nets, classes), strict=True)
    )


def table_inputs(examples: Sequence[Example], chances: np.ndarray) -> np.ndarray:
    """`among` for every example, table by table."""
    tables: dict[str, list[tuple[int, int]]] = collections.defaultdict(list)
    for i, example in enumerate(examples):
        tables[example.table].append((example.index, i))
    out = np.zeros((len(examples), 5 * chances.shape[1] + 4 + WIDTH), dtype=np.float32)
    for places in tables.values():
        rows = [i for _, i in sorted(places)]
        out[rows] = among(chances[rows], np.stack([examples[i].features.dense for i in rows]))
    return out


def together(alone: np.ndarray, inputs: np.ndarray, layer: Mapping[str, np.ndarray]) -> np.ndarray:
    """The geometric mean of what a column says by itself and among its neighbours."""
    hidden = np.maximum(inputs @ layer["table_hidden"] + layer["table_hidden_bias"], 0)
    both = np.sqrt(alone * softmax(hidden @ layer["table_output"] + layer["table_bias"]))
    return np.asarray(both / both.sum(axis=1, keepdims=True))


def reliability(examples: Sequence[Example], chances: np.ndarray, classes: Sequence[str]) -> str:
    """For the model card: how often the likeliest class is right, by variant and by its probability, on sources not
    seen."""
    lines = []
    right = np.array([classes[j] in e.accepted for e, j in zip(examples, chances.argmax(axis=1).tolist(), strict=True)])
    sure = chances.max(axis=1)
    for variant in ("full", "blank", "few", "few blank"):
        here = np.array([e.variant == variant for e in examples])
        lines.append(
            f"{variant}: {right[here].mean():.3f} of {here.sum():,} right, mean probability {sure[here].mean():.3f}"
        )
        for low in np.arange(0.2, 1.0, 0.1):
            among_ = here & (sure >= low) & (sure < low + 0.1 + (low > 0.85))
            if among_.sum() >= 20:
                lines.append(
                    f"| {low:.1f}–{low + 0.1:.1f} | {among_.sum():,} | {sure[among_].mean():.3f} | "
                    f"{right[among_].mean():.3f} |"
                )
    return "\n".join(lines)


def write(path: Path, weights: Weights, subject: Mapping[str, float]) -> None:
    """The arrays as `piiscan.scanning.classify.column_model` loads them: the same bytes for the same weights."""
    rows = {"subject_terms": np.array(list(subject)), "subject_weights": np.array(list(subject.values()))}
    output.to_file(
        path,
        arrays.packed({"version": np.array(VERSION), "classes": np.array(weights.classes), **weights.arrays, **rows}),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("--tables", type=int, default=1500, help="how many tables to generate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--folds",
        type=Path,
        metavar="FOLDER",
        help="also write there a model for each fold, for benchmarks/accuracy.py",
    )
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_name("columns.npz"))
    arguments = parser.parse_args()
    start = time.monotonic()
    real = real_examples(arguments.data, arguments.jobs)
    made = generated_examples(arguments.tables, arguments.jobs)
    print(f"{len(real):,} real and {len(made):,} generated examples after {time.monotonic() - start:.0f} s", flush=True)
    every = [*real, *made]
    classes = tuple(sorted({e.target for e in every}))
    fold = folds(every)
    chances = np.zeros((len(every), len(classes)))
    models = []
    for k in range(FOLDS):
        models.append(fit([e for e, f in zip(every, fold, strict=True) if f != k], classes))
        where = np.flatnonzero(fold == k)
        chances[where] = softmax(models[k].logits(matrix([every[i] for i in where])))
        print(f"fold {k} after {time.monotonic() - start:.0f} s", flush=True)
    inputs = table_inputs(every, chances)
    both = np.zeros_like(chances)
    for k in range(FOLDS):
        seen, where = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        layer = fit_table([every[i] for i in seen], chances[seen], classes)
        both[where] = together(chances[where], inputs[where], layer)
        models[k] = Weights(classes, {**models[k].arrays, **layer})
    print(reliability(real, both[: len(real)], classes))
    final = Weights(classes, {**fit(every, classes).arrays, **fit_table(every, chances, classes)})
    groups = {e.group: int(f) for e, f in zip(every, fold, strict=True)}
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"fold_{k}.npz") for k in range(FOLDS)]
        for path, weights in zip(paths, models, strict=True):
            write(path, weights, PRIOR)
        seen_tables = of_labelled(arguments.data, paths, groups, arguments.jobs)
        seen_tables += of_generated(parts(arguments.tables), paths, groups, arguments.jobs)
    print(f"subjects of {len(seen_tables):,} tables after {time.monotonic() - start:.0f} s", flush=True)
    write(arguments.output, final, fit_subject(seen_tables))
    known = arguments.output.parent / arrays.DIGESTS
    if known.is_file():
        digests = json.loads(known.read_text(encoding="ascii"))
        digests[arguments.output.name] = arrays.digest(arguments.output.read_bytes())
        known.write_text(json.dumps(digests, indent=2, sort_keys=True) + "\n", encoding="ascii")
    if arguments.folds:
        arguments.folds.mkdir(parents=True, exist_ok=True)
        for k, weights in enumerate(models):
            subject = fit_subject([t for t in seen_tables if groups[t.group] != k])
            write(arguments.folds / f"fold_{k}.npz", weights, subject)
        of_real = {e.group: groups[e.group] for e in real}
        (arguments.folds / "folds.json").write_text(
            json.dumps(of_real, indent=2, sort_keys=True) + "\n", encoding="utf-8"
        )
    print(f"{arguments.output.name}: {arguments.output.stat().st_size:,} bytes after {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
