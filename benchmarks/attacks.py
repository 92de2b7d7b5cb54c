"""What an attacker without the key learns from masks: by how often they occur, by one known date, by known addresses.

    python benchmarks/attacks.py [--rows 100000] [-o benchmarks/results/attacks-DATE.json]

Seeded, made-up data. The attacker of frequencies knows how often each value occurs in the population that the rows were
drawn from, and takes the commonest mask for the commonest value, the second for the second, and so on. Two figures: the
share of rows whose value is guessed, beside the share that the commonest value alone gives; and the share of distinct
values. The attacker of dates knows one true date of each person, the attacker of addresses some addresses and their
masks.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import polars as pl

SEED = 20261121
COLUMNS = {
    "sex": (2, 0.1),
    "diagnosis codes": (300, 1.2),
    "cities": (2_000, 1.0),
    "surnames": (20_000, 0.8),
    "customer numbers": (0, 0.0),
}
"""Distinct values of the population, and how steeply their frequencies fall: by the rank to this power (Zipf). 0:
each row has its own."""
MASKS: dict[str, tuple[tuple[int, float], list[tuple[str, dict[str, Any]]]]] = {
    "names": ((20_000, 0.8), [("persona", {"kind": "name", "locale": "en_US"})]),
    "physicians": (
        (10, 0.5),
        [
            ("persona", {"kind": "name", "locale": "en_US"}),
            ("persona", {"kind": "name", "locale": "en_US", "per": "row"}),
        ],
    ),
    "cities": ((2_000, 1.0), [("surrogate", {"kind": "city", "locale": "en_US"}), ("resample", {"least": 1})]),
    "telephones": (
        (20_000, 0.5),
        [("surrogate", {"kind": "phone", "country": "US", "range": "permuted"})],
    ),
}
"""By column: values and power as in `COLUMNS`, and how a plan masks it. Each name is its own subject."""
OPERATORS = ("hash", "token", "fpe", "persona", "resample", "shuffle", "suppress")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    results = {
        "frequencies": [frequencies(column, operator, arguments.rows) for column in COLUMNS for operator in OPERATORS],
        "masks of a plan": [
            frequencies(column, operator, arguments.rows, params=params)
            for column, (_, masks) in MASKS.items()
            for operator, params in masks
        ],
        "told by samples": [told_by_samples(column) for column in ("cities", "surnames")],
        "rows": [frequencies("cities", "hash", rows) for rows in (1_000, 10_000, 100_000, 1_000_000)],
        "skew": [frequencies("cities", "hash", arguments.rows, exponent) for exponent in (0.0, 0.5, 1.0, 1.5)],
        "dates": [dates(days) for days in (7, 30, 365)],
        "addresses": [addresses(known) for known in (1, 10, 100)],
    }
    for kind, found in results.items():
        print(f"\n{kind}")
        for one in found:
            print(
                "  "
                + ", ".join(
                    f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value}"
                    for name, value in one.items()
                )
            )
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    output = arguments.output or Path(__file__).parent / "results" / f"attacks-{date}.json"
    command = f"python benchmarks/attacks.py --rows {arguments.rows}"
    output.write_text(json.dumps({"date": date, "command": command, "seed": SEED, "results": results}, indent=1) + "\n")


def drawn(column: str, rows: int, exponent: float | None = None) -> tuple[pl.Series, list[str]]:
    """Cells, and the values of the population from the commonest on."""
    distinct, usual = COLUMNS.get(column) or MASKS[column][0]
    n = distinct or rows
    weights = np.arange(1, n + 1, dtype=np.float64) ** -(usual if exponent is None else exponent)
    values = [
        f"(212) {234 + i // 10_000}-{i % 10_000:04}"
        if column == "telephones"
        else f"{10_000_000 + 37 * i}"
        if distinct == 0
        else f"{column} {i:05}"
        for i in np.random.default_rng(SEED).permutation(n)
    ]
    rng = np.random.default_rng(SEED + 1)
    at = rng.choice(n, rows, p=weights / weights.sum()) if distinct else rng.permutation(n)
    return pl.Series(column, values).gather(at), values


def masked(cells: pl.Series, operator: str, given: dict[str, Any] | None = None) -> tuple[pl.Series, bool]:
    """The masks, and whether a plan has to say `accept_frequency` for them. `given`: parameters, of a persona by
    value; without them each row is a subject of its own."""
    import piiscan
    from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan

    persona = operator == "persona" and given is None
    params: dict[str, Any] = {"persona": {"kind": "last_name", "locale": "en_US"}, "resample": {"least": 1}}.get(
        operator, {}
    )
    params = params if given is None else given
    frame = pl.DataFrame({"id": pl.int_range(len(cells), eager=True).cast(pl.String), "x": cells})

    def action(accepted: bool) -> Action:
        return Action(1, "x", "string", None, "none", operator, params, "X", "person" if persona else None, accepted)

    def plan(accepted: bool) -> Plan:
        subjects = (Subject("person", ((0,),)),) if persona else ()
        return Plan(
            "test",
            "0",
            (
                TablePlan(
                    "<frame>", None, (Action(0, "id", "string", None, "none", "keep"), action(accepted)), subjects
                ),
            ),
        )

    key = piiscan.Key(bytes(range(32)))
    try:
        return piiscan.mask(frame, plan(False), key)["x"], False
    except piiscan.UsageError:
        return piiscan.mask(frame, plan(True), key)["x"], True


def frequencies(
    column: str, operator: str, rows: int, exponent: float | None = None, params: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Ranks matched to ranks. `told`: the share that a plan tells, where equal masks stand for equal values."""
    from piiscan.masking.plan.rank_attack import share_guessed

    cells, population = drawn(column, rows, exponent)
    masks, refused = masked(cells, operator, params)
    counts = cells.value_counts()["count"].to_list()
    equal = operator in ("hash", "token", "fpe") or (params is not None and operator != "resample")
    told = share_guessed(counts, len(counts), rows) if equal and "per" not in (params or {}) else None
    if operator in ("resample", "shuffle"):  # each mask is a value of the column: the attacker reads it
        guesses = masks
    else:
        # Ties in an order that tells nothing, as an attacker has to break them.
        ranks = (
            masks.drop_nulls()
            .value_counts(sort=False)
            .with_columns(tie=pl.col(masks.name).hash(1))
            .sort("count", "tie", descending=[True, False])
        )
        known = ranks.select(masks.name).with_columns(
            guess=pl.Series(population[: len(ranks)]).extend_constant(None, max(0, len(ranks) - len(population)))
        )
        guesses = masks.to_frame().join(known, on=masks.name, how="left", maintain_order="left")["guess"]
    right = (guesses == cells).fill_null(False)
    found = cells.filter(right).n_unique() if operator not in ("resample", "shuffle", "persona") else None
    return {
        "column": column,
        "distinct": cells.n_unique(),
        "rows": rows,
        "exponent": (COLUMNS.get(column) or MASKS[column][0])[1] if exponent is None else exponent,
        "operator": operator if params is None else f"{operator} {params}",
        "refused unless accept_frequency": refused,
        "rows guessed": float(right.mean() or 0.0),
        "told by the plan": told,
        "by the commonest value alone": float((cells == population[0]).mean() or 0.0),
        "values guessed": None if found is None else found / cells.n_unique(),
    }


def told_by_samples(column: str, rows: int = 100_000, times: int = 12) -> dict[str, Any]:
    """What a plan tells where it has the counts of 1,024 values only."""
    from piiscan.masking.plan.rank_attack import share_guessed

    counts = drawn(column, rows)[0].value_counts(sort=True)["count"].to_numpy()
    rng = np.random.default_rng(SEED)
    told = [share_guessed(rng.choice(counts, 1024, replace=False).tolist(), len(counts), rows) for _ in range(times)]
    return {"column": column, "samples": times, "least": min(told), "median": float(np.median(told)), "most": max(told)}


def dates(days: int, people: int = 2_000, each: int = 10) -> dict[str, Any]:
    """Dates of a person that fall to who knows one of them; and to who guesses the offset."""
    from piiscan.core.keys import Key
    from piiscan.masking.operators import operator_registry
    from piiscan.masking.operators.operator import RowContext

    rng = np.random.default_rng(SEED)
    cells = pl.Series(rng.integers(15_000, 20_000, people * each)).cast(pl.Int32).cast(pl.Date)
    who = pl.Series(np.repeat(np.arange(people), each)).cast(pl.String)
    operator: Any = operator_registry.make("date-shift", {"days": days})
    masks = operator.mask_rows(cells, RowContext(who), Key(bytes(range(32))).subkey("D"))
    moved = (masks - cells).dt.total_days()
    revealed = moved == pl.DataFrame({"w": who, "m": moved}).select(pl.col("m").first().over("w")).to_series()
    guessed = moved == int(rng.integers(1, days + 1))
    return {
        "days": days,
        "other dates known from one": float(revealed.mean() or 0),
        "by guessing the offset": float(guessed.mean() or 0),
    }


def addresses(known: int, hosts: int = 10_000, networks: int = 40) -> dict[str, Any]:
    """Other addresses of which the attacker learns the network, who knows some addresses and their masks."""
    from piiscan.core.keys import Key
    from piiscan.masking.operators import operator_registry

    rng = np.random.default_rng(SEED)
    nets = [f"{a}.{b}" for a, b in zip(rng.integers(20, 99, networks), rng.integers(0, 256, networks), strict=True)]
    at = np.minimum(rng.zipf(1.3, hosts) - 1, networks - 1)
    texts = pl.Series(
        [
            f"{nets[n]}.{c}.{d}"
            for n, c, d in zip(at, rng.integers(0, 256, hosts), rng.integers(1, 255, hosts), strict=True)
        ]
    ).unique(maintain_order=True)
    operator: Any = operator_registry.make("ip", {})
    masks = operator.mask(texts, Key(bytes(range(32))).subkey("I"))
    shared = {}
    for bits, octets in ((16, 2), (24, 3)):
        network = masks.str.split(".").list.head(octets).list.join(".")
        seen = network.head(known).unique()
        shared[f"others whose first {bits} bits are known"] = float(
            network.slice(known).is_in(seen.implode()).mean() or 0
        )
    return {"known": known, "addresses": len(texts), **shared}


if __name__ == "__main__":
    main()
