"""Build `piiscan/masking/surrogates/first_names.txt`: whom a first name belongs to, by country.

    python models/first_names.py DATA_FOLDER [-o FILE]

DATA_FOLDER/names holds the US Census of 1990's name frequencies (`dist.female.first`, `dist.male.first`; public domain)
and popular forenames by country (`fore.csv`, sigpwned/popular-names-by-country, CC0). One line per country and gender:
the names, folded, with the census's frequency per 100,000 where there is one.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from piiscan.core.header_words import fold

HEADER = """\
# First names by country and gender, made by models/first_names.py. Country, gender, names (folded); name=N: N of
# 100,000 bear it. US: US Census Bureau, Frequently Occurring First Names, 1990 (public domain).
# Others: popular forenames by country, sigpwned/popular-names-by-country (CC0).
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parents[1] / "piiscan" / "surrogates" / "first_names.txt"
    )
    arguments = parser.parse_args()
    names: dict[tuple[str, str], dict[str, int]] = {}
    for gender, file in (("f", "dist.female.first"), ("m", "dist.male.first")):
        for line in (arguments.data / "names" / file).read_text(encoding="ascii").splitlines():
            word, share, *_ = line.split()
            names.setdefault(("US", gender), {})[fold(word)] = round(float(share) * 1000)
    with (arguments.data / "names" / "fore.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if row["Country"] == "US" or row["Gender"] not in ("F", "M"):
                continue
            for name in {fold(row["Localized Name"].strip()), fold(row["Romanized Name"].strip())}:
                if name.replace("-", "").isalpha():
                    names.setdefault((row["Country"], row["Gender"].lower()), {}).setdefault(name, 0)
    lines = [
        f"{c} {g} " + " ".join(f"{n}={w}" if w else n for n, w in sorted(found.items()))
        for (c, g), found in sorted(names.items())
    ]
    arguments.output.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
