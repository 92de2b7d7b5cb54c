"""Synthetic rows by piiscan and by other generators on the same tables: likeness, use, cost, and membership attacks.

`python -m benchmarks.peers.synthesis ADULT.csv WORK` reads ARX's Adult (with its hierarchies beside it, which declare
the words), two public-domain tables that come within the package statsmodels, and makes an environment a generator
below the folder WORK (kept for the next run). Every generator, table and ε is a process of its own with a time limit.
What was measured is kept in `WORK/synthesis.json`, and what is there isn't measured again. It writes
`benchmarks/results/synthesis-peers-DATE.json` and `synthesis-peers.md`.

A quarter of each table is held out; generators get the rest. Three attacks on membership: by the nearest neighbour, on
the large releases (`piiscan.synthesis.evaluation.membership_attack`), and by shadow models on small tables, for random
targets and for outliers (`shadow_attack.py`).
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import datetime as dt
import itertools
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from benchmarks import processes
from benchmarks.peers import shadow_attack
from piiscan.dp.domains import Categories, Number
from piiscan.synthesis.evaluation.coded_table import Coded, coded
from piiscan.synthesis.evaluation.marginals import distances
from piiscan.synthesis.evaluation.membership_attack import attack

DELTA = 1e-9
STATSMODELS = "statsmodels==0.14.5"
NEURAL = ("ctgan", "dpctgan", "patectgan")
SEED = 20
TABLES = ("adult", "randhie", "anes96")
EPSILONS = (0.1, 1.0, 10.0)
_LIMIT = 1_200


@dataclass(frozen=True)
class Peer:
    """A generator: `title` in the tables, and what pip installs into its environment ("": that of this process).

    `private`: whether it takes an ε. `shadows`: how many times it is fitted for the attack by shadow models, and
    `epochs` (iterations, where it fits counts) of each; None for the generator's own.
    """

    name: str
    title: str
    environment: str
    requirements: tuple[str, ...]
    private: bool
    shadows: int
    epochs: int | None = None


DPMM = ("dpmm==0.1.9",)
SDV = ("sdv==2.0.0", "ctgan==0.12.1")
SMARTNOISE = ("smartnoise-synth==1.0.8", "packaging")  # which it needs and doesn't declare
PEERS = (
    Peer("real", "the real rows", "", (), False, 64),
    Peer("bootstrap", "a bootstrap of them", "", (), False, 64),
    Peer("uniform", "even draws from what is declared", "", (), False, 16),
    Peer("piiscan", "piiscan", "", (), True, 32),
    Peer("privbayes", "PrivBayes (dpmm)", "dpmm", DPMM, True, 32, 300),
    Peer("mst", "MST (dpmm)", "dpmm", DPMM, True, 16, 300),
    Peer("aim", "AIM (dpmm)", "dpmm", DPMM, True, 16, 30),
    Peer("copula", "Gaussian copula (SDV)", "sdv", SDV, False, 32),
    Peer("ctgan", "CTGAN", "sdv", SDV, False, 24, 100),
    Peer("dpctgan", "DP-CTGAN (SmartNoise)", "smartnoise", SMARTNOISE, True, 32),
    Peer("patectgan", "PATE-CTGAN (SmartNoise)", "smartnoise", SMARTNOISE, True, 32),
)


@dataclass(frozen=True)
class Table:
    """`target`: the column to predict, and the labels of its that count as positive."""

    name: str
    frame: pl.DataFrame
    domains: dict[str, Number | Categories]
    target: str
    positive: frozenset[str] = field(repr=False)


def adult(path: Path) -> Table:
    """Nine columns, ages in 15 bins, all other words from the hierarchies beside the file."""
    frame = pl.read_csv(path, separator=";", infer_schema=False)
    domains: dict[str, Number | Categories] = {}
    for name in frame.columns:
        lines = path.with_name(f"adult_hierarchy_{name}.csv").read_text("utf-8-sig").splitlines()
        domains[name] = Categories(tuple(line.split(";")[0] for line in lines if line))
    domains["age"] = Number(17, 92, tuple(float(x) for x in range(22, 92, 5)))
    return Table("adult", frame, domains, "salary-class", frozenset({">50K"}))


def visits(folder: Path) -> Table:
    """The RAND Health Insurance Experiment: 20,190 person-years, ten columns, of which five are numbers.

    In the public domain, by statsmodels' note on it. Rows of one person are taken as rows of different people, alike
    for all generators. To predict: whether there was any visit.
    """
    frame = pl.read_csv(folder / "randhie" / "randhie.csv", infer_schema=False)
    number: dict[str, tuple[float, float, Any]] = {
        "mdvis": (0, 100, (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)),
        "lpi": (0, 8, np.arange(0.5, 8, 0.5)),
        "fmde": (0, 9, np.arange(0.5, 9, 0.5)),
        "physlm": (0, 1, (0.2, 0.4, 0.6, 0.8)),
        "disea": (0, 60, (2, 4, 6, 8, 10, 12, 14, 16, 20, 25, 30, 40)),
    }
    domains: dict[str, Number | Categories] = {name: Categories(("0", "1")) for name in frame.columns}
    domains["lncoins"] = Categories(("0", "3.258096", "3.931826", "4.564348", "4.61512"))  # the experiment's plans
    domains |= {name: Number(low, high, tuple(float(c) for c in cuts)) for name, (low, high, cuts) in number.items()}
    labels = domains["mdvis"].labels
    return Table("randhie", frame, domains, "mdvis", frozenset(labels[1:]))


def voters(folder: Path) -> Table:
    """The American National Election Study of 1996: 944 voters, ten columns. In the public domain, as above.

    To predict: for whom they voted.
    """
    with (folder / "anes96" / "anes96.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file, delimiter="\t", quotechar="'")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    scale = {"TVnews": (0, 7), "PID": (0, 6), "vote": (0, 1)}
    domains: dict[str, Number | Categories] = {
        name: Categories(tuple(str(i) for i in range(first, last + 1)))
        for name in names
        for first, last in [scale.get(name, (1, 7))]
    }
    domains["popul"] = Number(0, 10_000, (1.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 3000.0))
    domains["age"] = Number(18, 98, tuple(float(x) for x in range(23, 98, 5)))
    domains["income"] = Number(1, 25, tuple(float(x) for x in range(4, 25, 3)))
    return Table("anes96", frame, domains, "vote", frozenset({"1"}))


def statsmodels(work: Path) -> Path:
    """The folder of the tables that come with the package; it isn't imported."""
    home = work / "statsmodels"
    found = home / "statsmodels" / "datasets"
    if not found.exists():
        _pip(Path(sys.executable), "--no-deps", "--target", str(home), STATSMODELS)
    return found


def _pip(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)


def prepare(peer: Peer, work: Path) -> Path:
    """The interpreter of the generator's environment, made where it is missing. Raises CalledProcessError."""
    if not peer.environment:
        return Path(sys.executable)
    home = work / "envs" / peer.environment
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        print(f"installing {' '.join(peer.requirements)}", file=sys.stderr)
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", home], check=True)
        _pip(python, *peer.requirements)
        (home / "ready").touch()
    return python


class Ended(NamedTuple):
    """A whole process: `runs` has what it said of each fit, `error` why it ended early, if it did."""

    runs: list[dict[str, Any]]
    seconds: float
    cpu: float
    error: str


def run(python: Path, job: dict[str, Any], limit: float) -> Ended:
    """Fit a generator in its environment, for so many seconds at most."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(job), encoding="utf-8")
        threads = dict.fromkeys(
            ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
        )
        quiet = {"PYTHONPATH": str(processes.ROOT) if job["peer"] == "piiscan" else "", "PYTHONUTF8": "1"}
        start = time.perf_counter()
        process = subprocess.Popen(
            [python, Path(__file__).with_name("run_synthesis.py"), path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env=os.environ | threads | quiet,
            start_new_session=True,
        )
        late = threading.Event()

        def stop() -> None:
            late.set()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit, stop)
        timer.start()
        assert process.stdout is not None
        try:
            lines = process.stdout.read().decode().splitlines()
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            stop()
            raise
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        said = log.read().decode(errors="replace").strip().splitlines()
    error = ""
    if late.is_set():
        error = f"stopped after {limit:,.0f} s"
    elif process.returncode:
        error = said[-1][:300] if said else f"status {process.returncode}"
    runs = [json.loads(line) for line in lines if line.endswith("}")]
    return Ended(runs, time.perf_counter() - start, usage.ru_utime + usage.ru_stime, error)


def declared(domains: dict[str, Number | Categories]) -> dict[str, Any]:
    """The declarations as plain data."""

    def one(domain: Number | Categories) -> dict[str, Any]:
        if isinstance(domain, Categories):
            return {"categories": list(domain.as_read)}
        whole = all(float(edge).is_integer() for edge in domain.edges)
        return {"low": domain.low, "high": domain.high, "cuts": list(domain.cuts), "whole": whole}

    return {name: one(domain) for name, domain in domains.items()}


def auc(train: Coded, test: Coded, target: int, positive: Sequence[int]) -> float:
    """The area under the ROC curve on real rows, of the classifier that `piiscan evaluate` trains."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    (x, y), (x_test, y_test) = (
        (np.array([c for i, c in enumerate(t.codes) if i != target]).T, np.isin(t.codes[target], positive))
        for t in (train, test)
    )
    if y.all() or not y.any():
        return 0.5
    forest = RandomForestClassifier(n_estimators=50, min_samples_leaf=5, random_state=SEED, n_jobs=1).fit(x, y)
    return float(roc_auc_score(y_test, forest.predict_proba(x_test)[:, 1]))


def auc_error(area: float, test: Coded, target: int, positive: Sequence[int]) -> float:
    """The standard error of an AUC by the number of test rows alone (Hanley and McNeil 1982)."""
    n = int(np.isin(test.codes[target], positive).sum())
    m = test.rows - n
    q1, q2 = area / (2 - area), 2 * area * area / (1 + area)
    return math.sqrt((area * (1 - area) + (n - 1) * (q1 - area**2) + (m - 1) * (q2 - area**2)) / (n * m))


class Split(NamedTuple):
    train: pl.DataFrame
    test: pl.DataFrame


def split(table: Table, rows: int | None) -> Split:
    """Three quarters and a quarter, of at most so many rows, in a seeded order."""
    order = np.random.default_rng(SEED).permutation(table.frame.height)[:rows]
    held = len(order) // 4
    return Split(table.frame[order[held:]], table.frame[order[:held]])


def read(path: Path, table: Table, which: str) -> Coded:
    return coded(pl.read_csv(path, infer_schema=False), table.domains, which)


def likeness(table: Table, peer: Peer, python: Path, epsilon: float | None, args: Any) -> dict[str, Any]:
    """One release: distances, AUC, cost and the attack by the nearest neighbour."""
    with tempfile.TemporaryDirectory(dir=args.work) as name:
        folder = Path(name)
        parts = split(table, args.rows)
        parts.train.write_csv(folder / "train.csv")
        one = {
            "train": str(folder / "train.csv"),
            "rows": parts.train.height,
            "seed": SEED,
            "output": str(folder / "synthetic.csv"),
        }
        ended = run(python, _job(peer, epsilon, table, [one], args.epochs), args.limit)
        result: dict[str, Any] = {
            "rows": parts.train.height,
            "columns": len(table.domains),
            "epochs": args.epochs,
            "seconds": ended.seconds,
            "cpu": ended.cpu,
            "error": ended.error,
        }
        if not ended.runs:
            return result
        synthetic = read(folder / "synthetic.csv", table, "synthetic")
    train, test = (coded(frame, table.domains, which) for frame, which in ((parts.train, "real"), (parts.test, "test")))
    bootstrap = train.taken(np.random.default_rng(SEED).integers(0, train.rows, train.rows))
    apart = distances(train, synthetic, bootstrap, SEED)
    target = train.names.index(table.target)
    positive = [train.labels[target].index(word) for word in table.positive]
    area = auc(synthetic, test, target, positive)
    return result | {
        "peak": ended.runs[0]["peak"],
        "claim": ended.runs[0]["claim"],
        "tvd": [d.mean for d in apart],
        "tvd_bootstrap": [d.floor for d in apart],
        "auc": area,
        "auc_error": auc_error(area, test, target, positive),
        "nearest": attack(train, test, synthetic, table.domains, SEED)._asdict(),
    }


def shadows(table: Table, peer: Peer, python: Path, epsilon: float | None, args: Any) -> dict[str, Any]:
    """The attack by shadow models on a small table of which the attacker knows all but the targets."""
    count, epochs = args.shadows or peer.shadows, args.epochs or peer.epochs
    game = shadow_attack.game(coded(table.frame, table.domains, "real"), args.shadow_rows, args.targets, count, SEED)
    settings = f"{table.name} {peer.name} {epsilon} {args.shadow_rows} {args.targets} {epochs}"
    folder = args.work / "shadows" / settings.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    outputs = [folder / f"{i}.csv" for i in range(count)]
    cost = folder / "cost.json"
    took: dict[str, Any] = {"seconds": 0.0, "cpu": 0.0, "made": 0, "error": ""}
    if cost.exists():
        took = json.loads(cost.read_text(encoding="utf-8"))
    if missing := [i for i, output in enumerate(outputs) if not output.exists()]:
        # Fits are kept: another attack on them costs nothing, and more of them add to these.
        with tempfile.TemporaryDirectory(dir=args.work) as name:
            runs = []
            for i in missing:
                train = Path(name) / f"{i}.csv"
                table.frame[game.rows(i)].write_csv(train)
                one = {"train": str(train), "rows": args.shadow_rows, "seed": SEED + i, "output": str(outputs[i])}
                runs.append(one)
            ended = run(python, _job(peer, epsilon, table, runs, epochs), args.limit)
        took = {
            "seconds": took["seconds"] + ended.seconds,
            "cpu": took["cpu"] + ended.cpu,
            "made": took["made"] + len(ended.runs),
            "error": ended.error,
        }
        cost.write_text(json.dumps(took), encoding="utf-8")
    made = [read(output, table, "synthetic") for output in itertools.takewhile(Path.exists, outputs)]
    result: dict[str, Any] = {
        "rows": args.shadow_rows,
        "asked": count,
        "shadows": len(made),
        "epochs": epochs,
        "seconds": took["seconds"],
        "cpu": took["cpu"],
        "cpu_fit": took["cpu"] / max(took["made"], 1),
        "error": took["error"],
    }
    if len(made) < shadow_attack.FEWEST:
        return result
    found = shadow_attack.attacked(game, made, table.domains)
    return result | {group: outcome._asdict() for group, outcome in found.items()}


def _job(
    peer: Peer, epsilon: float | None, table: Table, runs: list[dict[str, Any]], epochs: int | None
) -> dict[str, Any]:
    return {
        "peer": peer.name,
        "epsilon": epsilon,
        "delta": DELTA,
        "epochs": epochs,
        "columns": declared(table.domains),
        "runs": runs,
    }


def versions(peer: Peer, python: Path) -> dict[str, str]:
    """Those of the packages that its environment was made for."""
    if not peer.environment:
        return {}
    names = [requirement.partition("==")[0] for requirement in (*peer.requirements, "torch==", "opacus==")]
    code = (
        "import importlib.metadata as m, json, sys; found = {d.metadata['Name'].lower(): d.version for d in "
        "m.distributions()}; print(json.dumps({n: found[n] for n in sys.argv[1:] if n in found}))"
    )
    found: dict[str, str] = json.loads(subprocess.check_output([python, "-c", code, *names], text=True))
    return found


def cells(peers: Sequence[Peer], tables: Sequence[Table], args: Any) -> Iterator[tuple[str, Peer, Table, float | None]]:
    """What is to be measured, and in which order: kind, generator, table and ε."""
    for kind in ("release", "shadow"):
        if kind == "release" and "nearest" not in args.attacks:
            continue
        if kind == "shadow" and "shadow" not in args.attacks:
            continue
        for peer in peers:
            for table in tables:
                for epsilon in args.epsilons if peer.private else [None]:
                    yield kind, peer, table, epsilon


def measure_all(peers: Sequence[Peer], tables: Sequence[Table], args: Any, store: Path) -> dict[str, Any]:
    """Add what is missing to the store, one result at a time."""
    results: dict[str, Any] = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
    how: dict[str, Callable[..., dict[str, Any]]] = {"release": likeness, "shadow": shadows}
    for kind, peer, table, epsilon in cells(peers, tables, args):
        key = f"{kind} {table.name} {peer.name} {'-' if epsilon is None else f'{epsilon:g}'}"
        if key in results and not args.again:
            continue
        load = os.getloadavg()[0]
        try:
            python = prepare(peer, args.work)
            result = how[kind](table, peer, python, epsilon, args)
            result["versions"] = versions(peer, python)
        except subprocess.CalledProcessError as error:
            result = {"error": f"doesn't install: {(error.stderr or str(error)).strip().splitlines()[-1][:300]}"}
        about = {
            "date": dt.date.today().isoformat(),
            "kind": kind,
            "table": table.name,
            "peer": peer.name,
            "epsilon": epsilon,
            "load_before": round(load, 2),
        }
        results = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
        results[key] = about | result
        part = store.with_suffix(".part")
        part.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        part.replace(store)
        print(key, {k: v for k, v in result.items() if k not in ("versions", "tvd_bootstrap")}, file=sys.stderr)
    return results


def rendered(results: dict[str, Any], about: dict[str, Any]) -> str:
    """The page: a table of releases for each data set, then the attack by shadow models."""
    order = {peer.name: place for place, peer in enumerate(PEERS)}
    found = sorted(results.values(), key=lambda r: (order[r["peer"]], r["epsilon"] or 0))
    loads = [r["load_before"] for r in found]
    days = sorted({r["date"] for r in found})
    lines = [
        processes.measured_on(about | {"date": days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"}),
        f"Other work shared the machine (load {min(loads):g} to {max(loads):g} before a process): compare CPU seconds.",
        "",
        f"- δ = {DELTA:g} for all generators that take one. One release each.",
        "- Seconds, CPU seconds and peak memory are of the whole process: start-up, fitting, drawing.",
        "- Distances are to the rows that were fitted: total variation, means over all groups of columns.",
        "- AUC: a random forest trained on the synthetic rows, tested on real rows that no generator had; ± is 1.96",
        "  standard errors by the number of these rows. 0.5 is guessing.",
        "- Nearest neighbour, and shadow models: the advantage of a membership attack with its 95 % interval; 0 is",
        "  guessing, 1 is knowing.",
        "- *says*: the ε that the generator itself says it spent, where that isn't what was asked.",
    ]
    for table in dict.fromkeys(r["table"] for r in found):
        lines += _releases(table, [r for r in found if r["kind"] == "release" and r["table"] == table])
    lines += _shadows([r for r in found if r["kind"] == "shadow"])
    if missing := _missing(found):
        lines += ["", "## Not measured", "", *missing]
    return "\n".join(lines) + "\n"


def _releases(table: str, found: list[dict[str, Any]]) -> list[str]:
    some = next((r for r in found if "tvd" in r), None)
    if some is None:
        return []
    chance = ", ".join(f"{x:.4f}" for x in some["tvd_bootstrap"])
    lines = [
        "",
        f"## {table}: {some['rows']:,} rows to fit, {some['columns']} columns",
        "",
        f"As many rows drawn from the fitted ones themselves are {chance} off, in one, two and three columns.",
        "",
        "| generator | ε | seconds | CPU s | peak MB | one column | pairs | three columns | AUC | nearest neighbour |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in found:
        start = f"| {_title(r)} | {_epsilon(r)} | "
        if r["error"]:
            lines.append(f"{start}{_cost(r)} | | *{r['error']}* | | | | |")
            continue
        apart = " | ".join(f"{x:.4f}" for x in r["tvd"])
        lines.append(
            f"{start}{_cost(r)} | {r['peak']:.0f} | {apart} | {r['auc']:.3f} ± {1.96 * r['auc_error']:.3f} | "
            f"{shadow_attack.plain(r['nearest'])} |"
        )
    return lines


def _shadows(found: list[dict[str, Any]]) -> list[str]:
    if not found:
        return []
    lines = [
        "",
        "## Attack by shadow models",
        "",
        "The attacker knows all rows but the targets, and learns from other fits of the same generator. *Cases*: fits",
        "times targets, of the random ones and of the outliers each. *Bound*: the largest advantage that the ε and δ",
        "asked for allow.",
        "",
        "| generator | table | ε | rows | fits | cases | random targets | outliers | bound | CPU s a fit |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in found:
        start = f"| {_title(r)} | {r['table']} | {_epsilon(r)} | {r.get('rows', '')} | "
        if "random" not in r:
            lines.append(f"{start}{r.get('shadows', '')} | | *{r['error']}* | | | |")
            continue
        bound = "" if r["epsilon"] is None else f"{shadow_attack.bound(r['epsilon'], DELTA):.2f}"
        cases = r["random"]["members"] + r["random"]["others"]
        lines.append(
            f"{start}{r['shadows']} | {cases} | {shadow_attack.plain(r['random'])} | "
            f"{shadow_attack.plain(r['outliers'])} | {bound} | {r['cpu_fit']:.1f} |"
        )
    return lines


def _missing(found: list[dict[str, Any]]) -> list[str]:
    """What the whole benchmark has and these results haven't, by generator."""
    there = {(r["kind"], r["peer"], r["table"], r["epsilon"]) for r in found}
    lines = []
    for kind, words in (("release", "Releases"), ("shadow", "Shadow models")):
        parts = []
        for peer in PEERS:
            missing = []
            for table in TABLES:
                asked = EPSILONS if peer.private else [None]
                left = [e for e in asked if (kind, peer.name, table, e) not in there]
                if left:
                    missing.append(table if left == [None] else f"{table} at {', '.join(f'{e:g}' for e in left)}")
            if missing:
                parts.append(f"{peer.title} ({'; '.join(missing)})")
        lines += [f"- {words}:", *(f"  - {part}" for part in parts)] if parts else []
    return lines


def _title(result: dict[str, Any]) -> str:
    title = next(peer.title for peer in PEERS if peer.name == result["peer"])
    unit = "epochs" if result["peer"] in NEURAL else "iterations"
    return title if result.get("epochs") is None else f"{title}, {result['epochs']} {unit}"


def _epsilon(result: dict[str, Any]) -> str:
    """What was asked; beside it what the generator itself says that it spent, where that is something else."""
    if result["epsilon"] is None:
        return "none"
    spent = result.get("claim", {}).get("epsilon", result["epsilon"])
    asked = f"{result['epsilon']:g}"
    return asked if abs(spent - result["epsilon"]) < 1e-9 else f"{asked} (says {spent:.2f})"


def _cost(result: dict[str, Any]) -> str:
    return f"{result['seconds']:.1f} | {result['cpu']:.1f}" if "cpu" in result else " | "


def main() -> None:
    names = [peer.name for peer in PEERS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adult", type=Path, help="ARX's adult.csv")
    parser.add_argument("work", type=Path, help="a folder for environments, tables and results so far")
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="these generators")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
    parser.add_argument(
        "--attacks",
        nargs="+",
        choices=["nearest", "shadow"],
        default=["nearest", "shadow"],
        help="releases with the attack by the nearest neighbour, or the attack by shadow models",
    )
    parser.add_argument("--rows", type=int, help="at most so many rows of each table")
    parser.add_argument("--epochs", type=int, help="of neural generators; default: their own")
    parser.add_argument("--shadows", type=int, help="fits for each attack by shadow models; default: by generator")
    parser.add_argument("--shadow-rows", type=int, default=1_000)
    parser.add_argument("--targets", type=int, default=8, help="random targets, and as many outliers")
    parser.add_argument("--limit", type=float, default=_LIMIT, help="seconds for each process")
    parser.add_argument("--again", action="store_true", help="measure again what is there")
    parser.add_argument("--render", action="store_true", help="only write the tables of what is there")
    parser.add_argument("--results", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    args.work = args.work.resolve()
    args.work.mkdir(parents=True, exist_ok=True)
    about = processes.machine()
    store = args.work / "synthesis.json"
    make: dict[str, Callable[[], Table]] = {
        "adult": lambda: adult(args.adult),
        "randhie": lambda: visits(statsmodels(args.work)),
        "anes96": lambda: voters(statsmodels(args.work)),
    }
    tables = [make[name]() for name in args.tables]
    peers = [peer for peer in PEERS if peer.name in args.only]
    if not args.render:
        measure_all(peers, tables, args, store)
    results = json.loads(store.read_text(encoding="utf-8"))
    used = {name: number for r in results.values() for name, number in r.get("versions", {}).items()}
    about["versions"] |= dict(sorted(used.items()))
    page = rendered(results, about)
    processes.save("synthesis-peers", {**about, "delta": DELTA, "results": list(results.values())}, page, args.results)
    print(page)


if __name__ == "__main__":
    main()
