"""How many personas and other surrogates a second, on one thread.

    python benchmarks/personas.py [--rows 1000000] [-o benchmarks/results/personas-DATE.json]

All subjects and values are distinct. Processor seconds of this process are counted, polars held to one thread; lists
are loaded before. "seven parts at once" is one pass over the subjects for all parts of a person.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    os.environ["POLARS_MAX_THREADS"] = "1"
    n = arguments.rows
    results = {"import and first list, s": loading()} | {
        name: round(n / seconds / 1e6, 2) for name, seconds in measured(n)
    }
    for name, rate in results.items():
        print(f"{name:28}{rate:8.2f}")
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    output = arguments.output or Path(__file__).parent / "results" / f"personas-{date}.json"
    command = f"python benchmarks/personas.py --rows {n}"
    output.write_text(
        json.dumps(
            {"date": date, "command": command, "unit": "million values per CPU-second", "results": results}, indent=1
        )
        + "\n"
    )


def loading() -> float:
    """CPU seconds until the first locale's lists are there, polars and numpy apart."""
    import numpy
    import polars

    assert numpy and polars
    start = time.process_time()
    from piiscan.masking.surrogates.personas import table

    table("pl_PL")
    return round(time.process_time() - start, 3)


def measured(n: int) -> list[tuple[str, float]]:
    """What is made → CPU seconds."""
    import numpy as np
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.masking.operators.operator import RowContext
    from piiscan.masking.operators.persona import Persona
    from piiscan.masking.operators.surrogate import Surrogate
    from piiscan.masking.surrogates.personas import Draws, masked_domains

    key = Subkey(bytes(range(32)))
    who = pl.Series([f"person.{i * 7919 % n:07}@mail{i % 50}.test" for i in range(n)])
    sexes = pl.Series(["f", "m", None], dtype=pl.String).gather(np.arange(n) % 3)
    rows = RowContext(who, sexes)
    births = pl.date_range(pl.date(1930, 1, 1), pl.date(2005, 1, 1), eager=True).gather(np.arange(n) % 27_000)

    def everything() -> None:
        p = Draws.of(who, sexes, key).people("pl_PL")
        (
            p.first_names(),
            p.last_names(),
            p.names("First Last"),
            p.titles(),
            p.user_names(),
            p.gender(),
            p.emails(masked_domains(who.str.extract("@(.*)"), key)),
        )

    out = [("seven parts at once", _seconds(everything))]
    for kind in ("email", "name", "first_name", "last_name", "username", "date_of_birth", "city"):
        cells = births if kind == "date_of_birth" else who
        operator = Persona(kind, "pl_PL")
        out.append((f"persona {kind}", _seconds(lambda o=operator, c=cells: o.mask_rows(c, rows, key))))  # type: ignore[misc]
    number = np.arange(n, dtype=np.int64) * 7919
    values: dict[str, tuple[Surrogate, Any]] = {
        "phone fiction": (
            Surrogate("phone", range="fiction", country="US"),
            [f"({200 + i % 700}) {200 + i // 7 % 800}-{i % 10**4:04}" for i in number.tolist()],
        ),
        "phone permuted": (
            Surrogate("phone", country="US"),
            [f"({200 + i % 700}) {200 + i // 7 % 800}-{i % 10**4:04}" for i in number.tolist()],
        ),
        "card permuted": (Surrogate("card"), [f"4{i % 10**15:015}" for i in number.tolist()]),
        "iban": (Surrogate("iban"), [f"DE00{i % 10**18:018}" for i in number.tolist()]),
        "ssn": (Surrogate("ssn"), [f"{i % 10**9:09}" for i in number.tolist()]),
        "street": (Surrogate("street", locale="en_US"), [f"{i % 900} Elm Street {i}" for i in number.tolist()]),
    }
    for name, (operator, cells) in values.items():
        column = pl.Series(cells).unique()
        seconds = _seconds(lambda o=operator, c=column: o.mask(c, key))  # type: ignore[misc]
        out.append((name, seconds * n / len(column)))
        masks = operator.mask(column, key).drop_nulls().unique()
        out.append((f"{name}, verified", _seconds(lambda o=operator, m=masks: o.declares(m, key)) * n / len(masks)))  # type: ignore[misc]
    return out


def _seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
