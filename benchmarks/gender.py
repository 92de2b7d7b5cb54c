"""How often a persona's first name has the gender of the person that it stands for, with a gender column and without.

    python benchmarks/gender.py [--people 2000] [-o benchmarks/results/gender-DATE.json]

People of known gender are made with Faker in each locale. A persona agrees where its first name is one that Faker's
list of that gender holds, and the other gender's doesn't. Three cases: a gender column beside the
name; first and last name only; one column of full names, every second with one of Faker's titles before it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

LOCALES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pl_PL", "pt_BR", "nl_NL", "cs_CZ", "ru_RU", "sv_SE")
PARTICLES = ("fr_FR", "es_ES")  # Faker's prefixes there are particles of surnames, not titles
WITH_COLUMN, WITHOUT = 0.97, 0.93


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=2000, help="per locale")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    results = {locale: agreement(locale, arguments.people) for locale in LOCALES}
    print(f"{'locale':8}{'column':>9}{'names':>9}{'full name':>11}")
    for locale, found in results.items():
        print(f"{locale:8}" + f"{found['column']:9.3f}{found['names']:9.3f}{found['full_name']:11.3f}")
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    output = arguments.output or Path(__file__).parent / "results" / f"gender-{date}.json"
    command = f"python benchmarks/gender.py --people {arguments.people}"
    output.write_text(
        json.dumps(
            {"date": date, "command": command, "goals": {"column": WITH_COLUMN, "names": WITHOUT}, "locales": results},
            indent=1,
        )
        + "\n"
    )
    sys.exit(any(r["column"] < WITH_COLUMN or min(r["names"], r["full_name"]) < WITHOUT for r in results.values()))


def agreement(locale: str, people: int) -> dict[str, float]:
    """Case → share of the people whose persona agrees."""
    import polars as pl
    from faker import Faker

    from piiscan.masking.surrogates import gender
    from piiscan.masking.surrogates.name_format import name_pattern_of, split

    fake: Any = Faker(locale)
    fake.seed_instance(7)
    true = pl.Series(["f" if i % 2 else "m" for i in range(people)])
    women = [g == "f" for g in true]
    first = pl.Series([fake.first_name_female() if w else fake.first_name_male() for w in women])
    last = pl.Series([fake.last_name_female() if w else fake.last_name_male() for w in women])
    titles = [
        (fake.prefix_female() if w else fake.prefix_male()) + " " if i % 4 > 1 and locale not in PARTICLES else ""
        for i, w in enumerate(women)
    ]
    full = pl.Series([f"{t.lstrip()}{f} {n}" for t, f, n in zip(titles, first, last, strict=True)])
    said = true.replace_strict({"f": "Female", "m": "Male"})
    title, given, surname = split(full, name_pattern_of(full.head(500), "name", locale))
    cases = {
        "column": gender.of_rows(locale, gender=said, first_name=first, last_name=last),
        "names": gender.of_rows(locale, first_name=first, last_name=last),
        "full_name": gender.of_rows(locale, title=title, first_name=given, last_name=surname),
    }
    return {case: _agrees(found, true, locale) for case, found in cases.items()}


def _agrees(found: Any, true: Any, locale: str) -> float:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.masking.surrogates.name_lists import faker_class
    from piiscan.masking.surrogates.personas import Draws

    subjects = pl.Series([f"person {i}" for i in range(len(true))])
    names = Draws.of(subjects, found, Subkey(bytes(range(32)))).people(locale).first_names()
    provider = faker_class("person", locale)
    women, men = set(provider.first_names_female), set(provider.first_names_male)
    agree = [
        (n in women and n not in men) if g == "f" else (n in men and n not in women)
        for n, g in zip(names, true, strict=True)
    ]
    return round(sum(agree) / len(agree), 4)


if __name__ == "__main__":
    main()
