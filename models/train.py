"""Train the column classifier: `models/columns.npz`; its card is `models/columns.md`.

    python models/train.py DATA_FOLDER... [--tables 1500] [--jobs 2] [--folds FOLDER] [--layers MODEL]

A DATA_FOLDER holds `tables/`, `labels.csv` (table_file, column, label, alt_label, is_pii, sensitivity_note, col_index,
n_nonempty) and `sources.csv` (table_file, repo_or_package). Of every folder but the first a third of the sources, by
their names, stays closed: it is for judging models alone. Generated tables (`generate.py`) are added. Every table is
read and summarised as `piiscan scan` does.

Layer by layer: what a column is by itself; what it is among its neighbours; what the rows are about; how personal the
column is. Each layer learns from what the one before says of sources that it has not seen: folds are sources, never
tables. With `--layers` the layers that say what columns are stay those of an earlier training on the same sources, of
MODEL and of the models of its folds in FOLDER, and the rest is learned anew: in half the time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import fit_classes
import numpy as np
import subject
from fit_classes import Classes
from fit_columns import FOLDS, Columns, alone, fit, fit_table, folds_of_generated, reliability, table_inputs, together
from threadpoolctl import threadpool_limits

from examples import Kept, Source, examples, sources, summarised
from piiscan.cli import output
from piiscan.scanning.classify import arrays
from piiscan.scanning.classify.class_model import Thresholds
from piiscan.scanning.classify.column_model import VERSION

FOLDS_FILE = "folds.json"
UNKNOWN = Thresholds(*[0.5] * len(Thresholds._fields))


class Model:
    """The arrays of a model, layer by layer, as `piiscan.scanning.classify.column_model` loads them."""

    def __init__(self, classes: Sequence[str], layers: Mapping[str, np.ndarray]) -> None:
        self.classes = classes
        self.layers = layers
        self.subject = dict(subject.PRIOR)
        self.pii = fit_classes.placeholder()
        self.thresholds = UNKNOWN

    def write(self, path: Path) -> None:
        """The same bytes for the same weights."""
        rest = {f"class_{name}": a.astype(np.float32) for name, a in self.pii.items()}
        rest["class_thresholds"] = np.array(self.thresholds, dtype=np.float32)
        rest["subject_terms"] = np.array(list(self.subject))
        rest["subject_weights"] = np.array(list(self.subject.values()))
        known = {"version": np.array(VERSION), "classes": np.array(self.classes)}
        output.to_file(path, arrays.packed({**known, **self.layers, **rest}))


def train(
    found: Sequence[Source], jobs: int, earlier: Sequence[Path] = ()
) -> tuple[Model, list[Model], dict[str, int]]:
    """The model of all tables, one for each fold that has not seen it, and the fold of each source.

    `earlier`: models of an earlier training whose layers of columns are kept, that of all tables last, and the folds of
    its sources."""
    start = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - start:4.0f} s: {text}", flush=True)

    with TemporaryDirectory() as folder:
        kept = summarised(found, Path(folder), jobs)
        say(f"summaries of {len(kept):,} sources")
        if earlier:
            models, folds = _kept_layers(kept, earlier)
        else:
            columns = Columns.of(examples(kept, jobs))
            say(f"{len(columns.y):,} labelled columns of {len(columns.examples):,} tables")
            models, folds = _columns(columns, jobs, say)
        paths = {group: Path(folder, f"fold_{k}.npz") for group, k in folds.items()}

        def written() -> Mapping[str, Path]:
            for k, one in enumerate(models[:FOLDS]):
                one.write(Path(folder, f"fold_{k}.npz"))
            return paths

        tables = subject.seen(kept, written(), jobs)
        for k, one in enumerate(models):
            one.subject = subject.fit([t for t in tables if folds[t.group] != k])
        say(f"subjects of {len(tables):,} tables")
        classes = Classes.of(fit_classes.judged(kept, written(), jobs), folds)
    learn_classes(classes, models, jobs)
    say(f"classes of {len(classes.y):,} columns; {models[-1].thresholds}; sharpness {models[-1].pii['sharpness']}")
    return models[-1], models[:-1], folds


def _kept_layers(kept: Sequence[Kept], earlier: Sequence[Path]) -> tuple[list[Model], dict[str, int]]:
    """Models with the layers of earlier ones, and the fold of each source."""
    *paths, known = earlier
    folds: dict[str, int] = json.loads(known.read_text(encoding="utf-8"))
    folds |= folds_of_generated({k.group for k in kept} - set(folds))
    models = []
    for path in paths:
        found = arrays.arrays(path.read_bytes(), path)
        names = [n for n in found if not n.startswith(("class", "subject", "version"))]
        models.append(Model([str(c) for c in found["classes"]], {n: found[n] for n in names}))
    return models, folds


def _columns(columns: Columns, jobs: int, say: Callable[[str], None]) -> tuple[list[Model], dict[str, int]]:
    """A model for each fold and, last, one of all, with the layers that say what columns are."""
    folds, fold = columns.folds()
    of_labelled = fold[columns.labelled]
    learned_from = [*(of_labelled != k for k in range(FOLDS)), np.ones(len(columns.y), dtype=bool)]
    chances = np.zeros((len(columns.x.dense), len(columns.classes)))
    with ProcessPoolExecutor(jobs, initializer=_on_one_thread) as pool:
        layers = list(pool.map(partial(fit, columns), learned_from))
        say("columns by themselves")
        for k in range(FOLDS):
            chances[fold == k] = alone(layers[k], columns, np.flatnonzero(fold == k))
        inputs = table_inputs(columns, chances)
        for layer, more in zip(layers, pool.map(partial(fit_table, columns, inputs), learned_from), strict=True):
            layer |= more
    both = np.zeros_like(chances)
    for k in range(FOLDS):
        both[fold == k] = together(chances[fold == k], inputs[fold == k], layers[k])
    print(reliability(columns, both))
    say("columns among their neighbours")
    return [Model(columns.classes, layer) for layer in layers], folds


def _on_one_thread() -> None:
    """Have the libraries of linear algebra use one thread in this process: with several, the last bits of what they add
    up would depend on how many there are. A library can be told so once it is loaded."""
    import_module("scipy.optimize")
    threadpool_limits(1)


def learn_classes(classes: Classes, models: Sequence[Model], jobs: int) -> None:
    """Give each model the layer that says how personal columns are, and its limits: that of a fold learns them from the
    other folds too, else the figures of folds would be too good."""
    learned_from = [*(classes.fold != k for k in range(FOLDS)), np.ones(len(classes.y), dtype=bool)]
    with ProcessPoolExecutor(jobs, initializer=_on_one_thread) as pool:
        for one, layer in zip(models, pool.map(partial(fit_classes.fit, classes), learned_from), strict=True):
            one.pii = layer
    found = np.zeros((len(classes.y), 3))
    for k in range(FOLDS):
        here = classes.fold == k
        found[here] = fit_classes.odds(models[k].pii, classes.x[here], classes.named[here])
    for one, which in zip(models, learned_from, strict=True):
        one.pii["sharpness"], one.thresholds = _limits(classes.of_rows(which), found[which])


def _limits(classes: Classes, found: np.ndarray) -> tuple[np.ndarray, Thresholds]:
    """How sharp probabilities are to be, and from which on a class is said. `found`: (labelled, 3), of sources not
    seen."""
    sharp = fit_classes.sharpness(classes, found)
    exponent = np.where(classes.named, sharp[0], sharp[1])[:, None]
    found = np.maximum(found, 1e-12) ** exponent
    found /= found.sum(axis=1, keepdims=True)
    return sharp, fit_classes.thresholds(classes, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA_FOLDER")
    parser.add_argument("--tables", type=int, default=1500, help="how many tables to generate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--folds",
        type=Path,
        metavar="FOLDER",
        help="also write there a model for each fold, for benchmarks/accuracy.py",
    )
    parser.add_argument(
        "--layers", type=Path, metavar="MODEL", help="keep the layers of this model and of those of --folds"
    )
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_name("columns.npz"))
    arguments = parser.parse_args()
    _on_one_thread()
    earlier: list[Path] = []
    if arguments.layers:
        if not arguments.folds:
            parser.error("--layers needs the --folds of the same training")
        earlier = [arguments.folds / f"fold_{k}.npz" for k in range(FOLDS)]
        earlier += [arguments.layers, arguments.folds / FOLDS_FILE]
    whole, models, folds = train(sources(arguments.data, arguments.tables), arguments.jobs, earlier)
    whole.write(arguments.output)
    known = arguments.output.parent / arrays.DIGESTS
    if known.is_file():
        digests = json.loads(known.read_text(encoding="ascii"))
        digests[arguments.output.name] = arrays.digest(arguments.output.read_bytes())
        known.write_text(json.dumps(digests, indent=2, sort_keys=True) + "\n", encoding="ascii")
    if arguments.folds:
        arguments.folds.mkdir(parents=True, exist_ok=True)
        for k, one in enumerate(models):
            one.write(arguments.folds / f"fold_{k}.npz")
        of_real = {group: k for group, k in folds.items() if not group.startswith("generated ")}
        (arguments.folds / FOLDS_FILE).write_text(
            json.dumps(of_real, indent=2, sort_keys=True) + "\n", encoding="utf-8"
        )
    print(f"{arguments.output.name}: {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
