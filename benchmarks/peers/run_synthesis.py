"""Runs one generator of synthetic rows on prepared tables, within the generator's own environment.

`python run_synthesis.py JOB.json` fits the generator once for every run of the job, one after the other, writes each
run's rows, and prints a line of JSON for it: {"seconds", "peak", "claim"}. `claim` is what the generator itself says
that it spent, where it says so. A job is {"peer", "epsilon", "delta", "epochs", "columns": {name: {"categories"} or
{"low", "high", "cuts", "whole"}}, "runs": [{"train", "rows", "seed", "output"}]}. Tables are CSV files with a header.

Only the standard library and the generator itself (with the pandas it needs) are imported. What is public of a column
is declared alike to all: its words, or its bounds and bins. Generators of counts get the bins' numbers and give a
number drawn evenly from its bin; all others get the numbers as they are.
"""

from __future__ import annotations

import csv
import json
import os
import random
import resource
import sys
import tempfile
import time
import warnings
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Job(NamedTuple):
    """One fit: `rows` are to be drawn from a generator fitted to `train`. `epochs` (iterations, for generators of
    counts): None for the generator's own."""

    epsilon: float
    delta: float
    epochs: int | None
    columns: dict[str, Any]
    train: Path
    rows: int
    seed: int
    output: Path


Generator = Callable[[Job], dict[str, Any]]


def piiscan(job: Job) -> dict[str, Any]:
    import piiscan as package

    numbers = {name: c for name, c in job.columns.items() if "categories" not in c}
    with tempfile.TemporaryDirectory() as folder:
        privacy = package.Privacy(
            epsilon=job.epsilon,
            delta=job.delta,
            one_row_per_person=True,
            dataset="benchmark",
            ledger=Path(folder) / "ledger.sqlite",
        )
        made = package.synthesize(
            str(job.train),
            privacy,
            n=job.rows,
            categories={name: c["categories"] for name, c in job.columns.items() if "categories" in c},
            bounds={name: (c["low"], c["high"]) for name, c in numbers.items()},
            edges={name: c["cuts"] for name, c in numbers.items()},
            decimals={name: 0 if c["whole"] else 3 for name, c in numbers.items()},
        )
    made.frame.write_csv(job.output)
    stated = made.to_dict()["privacy"]
    return {"epsilon": stated["epsilon"], "delta": stated["delta"]}


def real(job: Job) -> dict[str, Any]:
    """The rows themselves: what no generator can be nearer to, and no attacker better served with."""
    job.output.write_bytes(job.train.read_bytes())
    return {}


def bootstrap(job: Job) -> dict[str, Any]:
    """As many rows drawn from the real ones, with replacement."""
    with job.train.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    _write(job.output, names, random.Random(job.seed).choices(rows, k=job.rows))
    return {}


def uniform(job: Job) -> dict[str, Any]:
    """Rows drawn evenly from what is declared, each column alone: what somebody makes who never saw the table."""
    chance = random.Random(job.seed)
    _decode(job, {name: [chance.randrange(size) for _ in range(job.rows)] for name, size in _sizes(job).items()})
    return {}


def dpmm(pipeline: str) -> Generator:
    def run(job: Job) -> dict[str, Any]:
        import pandas as pd
        from dpmm import pipelines

        coded = pd.DataFrame(_coded(job))
        model = getattr(pipelines, pipeline)(
            epsilon=job.epsilon,
            delta=job.delta,
            proc_epsilon=None,
            disable_processing=True,
            n_jobs=1,
            max_model_size=80,  # the models' own default, which their pipelines set aside
            gen_kwargs={} if job.epochs is None else {"n_iters": job.epochs},
        )
        # Without a seed: its noise would be that of the seed otherwise.
        model.fit(coded, domain=_sizes(job))
        made = model.generate(n_records=job.rows)
        _decode(job, {name: made[name].tolist() for name in coded})
        return {}

    return run


def ctgan(job: Job) -> dict[str, Any]:
    import torch
    from ctgan import CTGAN

    torch.manual_seed(job.seed)
    frame = _frame(job)
    words = [name for name, c in job.columns.items() if "categories" in c]
    settings = {} if job.epochs is None else {"epochs": job.epochs}
    model = CTGAN(verbose=False, enable_gpu=False, **settings)
    model.set_random_state(job.seed)
    model.fit(frame, discrete_columns=words)
    _save(job, model.sample(job.rows))
    return {}


def copula(job: Job) -> dict[str, Any]:
    from sdv.metadata import Metadata
    from sdv.single_table import GaussianCopulaSynthesizer

    columns = {name: {"sdtype": "categorical" if "categories" in c else "numerical"} for name, c in job.columns.items()}
    model = GaussianCopulaSynthesizer(Metadata.load_from_dict({"tables": {"t": {"columns": columns}}}))
    model.fit({"t": _frame(job)})
    made = model.sample(job.rows)
    _save(job, made["t"] if isinstance(made, dict) else made)
    return {}


def smartnoise(name: str) -> Generator:
    def run(job: Job) -> dict[str, Any]:
        import numpy as np
        import pandas as pd
        import torch
        from snsynth import Synthesizer
        from snsynth.transform import ChainTransformer, LabelTransformer, MinMaxTransformer, OneHotEncoder
        from snsynth.transform.table import TableTransformer

        torch.manual_seed(job.seed)
        np.random.seed(job.seed)
        transformer = TableTransformer(
            [
                ChainTransformer([LabelTransformer(nullable=False), OneHotEncoder()])
                if "categories" in c
                else MinMaxTransformer(lower=c["low"], upper=c["high"])
                for c in job.columns.values()
            ]
        )
        # Fitted to what is declared, not to the rows: every word once, and the bounds.
        values = {c: known.get("categories") or [known["low"], known["high"]] for c, known in job.columns.items()}
        most = max(map(len, values.values()))
        transformer.fit(pd.DataFrame({c: [some[i % len(some)] for i in range(most)] for c, some in values.items()}))
        settings = {} if job.epochs is None else {"epochs": job.epochs}
        model = Synthesizer.create(name, epsilon=job.epsilon, delta=job.delta, verbose=False, cuda=False, **settings)
        model.fit(_frame(job), transformer=transformer)
        made = model.sample(job.rows)
        for column, c in job.columns.items():
            if c.get("whole"):
                made[column] = made[column].round().astype(int)
        _save(job, made)
        spent = getattr(model, "epsilon_list", None)
        return {"epsilon": float(spent[-1]), "checks": len(spent), "delta": model.delta} if spent else {}

    return run


def _frame(job: Job) -> Any:
    """The rows with words as texts and numbers as numbers."""
    import pandas as pd

    words = {name: str for name, c in job.columns.items() if "categories" in c}
    return pd.read_csv(job.train, dtype=words, keep_default_na=False)[list(job.columns)]


def _save(job: Job, frame: Any) -> None:
    """Numbers without exponents."""
    frame[list(job.columns)].to_csv(job.output, index=False, float_format="%.6f")


def _sizes(job: Job) -> dict[str, int]:
    """By column the number of its words or bins."""
    return {name: len(c["categories"]) if "categories" in c else len(c["cuts"]) + 1 for name, c in job.columns.items()}


def _coded(job: Job) -> dict[str, list[int]]:
    """By column the number of each row's word or bin."""
    with job.train.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    coded = {}
    for name, c in job.columns.items():
        if "categories" in c:
            place = {word: i for i, word in enumerate(c["categories"])}
            coded[name] = [place[row[name]] for row in rows]
        else:
            coded[name] = [bisect_right(c["cuts"], float(row[name])) for row in rows]
    return coded


def _decode(job: Job, coded: dict[str, list[int]]) -> None:
    """Write the words, and numbers from anywhere in their bins."""
    chance, columns = random.Random(job.seed), []
    for name, codes in coded.items():
        c = job.columns[name]
        if "categories" in c:
            columns.append([c["categories"][int(i)] for i in codes])
            continue
        edges = [c["low"], *c["cuts"], c["high"]]
        drawn = (edges[int(i)] + (edges[int(i) + 1] - edges[int(i)]) * chance.random() for i in codes)
        columns.append([str(int(x)) if c["whole"] else f"{x:.3f}" for x in drawn])
    _write(job.output, list(coded), zip(*columns, strict=True))


def _write(path: Path, names: list[str], rows: Any) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


GENERATORS: dict[str, Generator] = {
    "real": real,
    "bootstrap": bootstrap,
    "uniform": uniform,
    "piiscan": piiscan,
    "aim": dpmm("AIMPipeline"),
    "mst": dpmm("MSTPipeline"),
    "privbayes": dpmm("PrivBayesPipeline"),
    "ctgan": ctgan,
    "copula": copula,
    "dpctgan": smartnoise("dpctgan"),
    "patectgan": smartnoise("patectgan"),
}


def peak() -> float:
    """The most memory that this process held, in MB (10⁶ bytes). Linux's `ru_maxrss` would count the parent's too."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most * (1 if sys.platform == "darwin" else 1024) / 1e6


def main() -> None:
    warnings.simplefilter("ignore")
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what generators print isn't a result
    for run in job["runs"]:
        start = time.perf_counter()
        output = Path(run["output"])
        part = output.with_suffix(".part")
        claim = GENERATORS[job["peer"]](
            Job(
                job["epsilon"],
                job["delta"],
                job["epochs"],
                job["columns"],
                Path(run["train"]),
                run["rows"],
                run["seed"],
                part,
            )
        )
        part.replace(output)
        print(
            json.dumps({"seconds": time.perf_counter() - start, "peak": peak(), "claim": claim}), file=out, flush=True
        )


if __name__ == "__main__":
    main()
