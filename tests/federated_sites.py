"""A federation of sites in one process, whose transport loses, repeats, swaps and delays messages as it is told to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import tomlkit

from piiscan.core import keys
from piiscan.federated.coordinator import Coordinator
from piiscan.federated.federation import Federation, load
from piiscan.federated.secret_sums import SiteKey
from piiscan.federated.site import Site, SiteConfig

BOUNDS = {"age": [0, 120], "cost": [0, 1000]}
SEX = {"sex": ["f", "m"]}
COST = {"epsilon": 1.0, "delta": 1e-9, "one_row_per_person": True}
JOBS: dict[str, dict[str, Any]] = {
    "linear": {"learn": "LinearRegression", "target": "cost", "bounds": BOUNDS, "categories": SEX},
    "logistic": {"learn": "LogisticRegression", "target": "sex", "classes": ["f", "m"], "bounds": BOUNDS, "passes": 3},
    "bayes": {"learn": "GaussianNB", "target": "sex", "classes": ["f", "m"], "bounds": BOUNDS},
    "clusters": {"learn": "KMeans", "n_clusters": 2, "bounds": BOUNDS, "categories": SEX},
    "pca": {"learn": "PCA", "n_components": 2, "bounds": BOUNDS},
    "scaler": {"learn": "StandardScaler", "bounds": BOUNDS},
    "synthesis": {"synthesize": [["sex", "age"], ["age", "cost"]], "bounds": BOUNDS, "categories": SEX},
    "summary": {"bounds": BOUNDS, "categories": SEX, "by": [["sex"]], "cross": [["sex", "age"]]},
}


def frame(n: int, seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    age = random.normal(50, 15, n).round(1)
    return pl.DataFrame(
        {
            "person": [f"p{seed}-{i // 2}" for i in range(n)],
            "age": age,
            "cost": (5 * age + random.normal(0, 50, n)).round(2),
            "sex": np.where(random.random(n) < age / 100, "f", "m"),
        }
    )


@cache
def written(jobs: str) -> str:
    """Jobs as TOML, from JSON."""
    return tomlkit.dumps({"jobs": json.loads(jobs)})


class World:
    """Sites with their folders, keys, rows and ledgers below one folder."""

    def __init__(
        self,
        folder: Path,
        sites: int = 3,
        colluding: int = 0,
        fewest: int = 2,
        rows: int = 200,
        jobs: Mapping[str, Mapping[str, Any]] | None = None,
        own: Mapping[str, Any] | None = None,
        **cost: Any,
    ) -> None:
        """jobs: others than `JOBS`, whole. own: more entries of each site's file."""
        self.folder = folder
        self.names = [f"site-{chr(97 + i)}" for i in range(sites)]
        file: dict[str, Any] = {
            "federation": {"name": "demo", "colluding": colluding, "fewest": fewest},
            "sites": {},
        }
        self.frames = {}
        for i, name in enumerate(self.names):
            home = folder / name
            home.mkdir()
            file["sites"][name] = {"key": SiteKey(keys.write_new(home / "site.key")).public}
            self.frames[name] = frame(rows, i)
            self.frames[name].write_csv(home / "rows.csv")
            told = {"site": name, "key": "file:site.key", "federation": "../federation.toml", "data": "rows.csv"}
            told |= {"dataset": "patients", "ledger": "ledger.sqlite", "state": "state"}
            (home / "site.toml").write_text(tomlkit.dumps({**told, "budget": 100.0, **(own or {})}), encoding="utf-8")
        jobs_text = written(json.dumps(jobs or {name: {**job, **COST, **cost} for name, job in JOBS.items()}))
        (folder / "federation.toml").write_text(tomlkit.dumps(file) + "\n" + jobs_text, encoding="utf-8")
        self.federation: Federation = load(folder / "federation.toml")
        self.sites = {name: self.site(name) for name in self.names}

    def site(self, name: str) -> Site:
        """The site as it is after a restart."""
        return Site(SiteConfig.load(self.folder / name / "site.toml"))

    def coordinator(self, job: str, transport: Any, state: Path | None = None) -> Coordinator:
        return Coordinator(self.federation, job, transport, state=state)

    def run(self, job: str, faults: Iterable[Callable[..., Any]] = ()) -> str:
        return self.coordinator(job, Wire(self, faults)).run()


class Wire:
    """Brings requests to the sites of a world and keeps all that went over it.

    faults: for each call in turn, called with the world, the requests and a function that asks; returns the replies.
    """

    def __init__(self, world: World, faults: Iterable[Callable[..., Any]] = ()) -> None:
        self.world = world
        self.faults = iter(faults)
        self.sent: list[tuple[str, bytes, bytes]] = []

    def ask(self, requests: Mapping[str, bytes], seconds: float) -> Mapping[str, bytes]:
        fault = next(self.faults, None)
        return fault(self.world, requests, self._answers) if fault else self._answers(requests)

    def _answers(self, requests: Mapping[str, bytes]) -> dict[str, bytes]:
        replies = {name: self.world.sites[name].answer(request) for name, request in requests.items()}
        self.sent += [(name, requests[name], reply) for name, reply in replies.items()]
        return replies
