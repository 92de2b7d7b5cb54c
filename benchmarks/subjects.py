"""Whether the people of a hospital stay one person each, made up alike in all tables, of their gender and country.

`python -m benchmarks.subjects FOLDER` makes the hospital of `residue.py` below FOLDER, with a gender column among the
patients and without one, masks it by the default policy and by one that moves dates, and counts from originals and
masks: joins that hold; rows of other tables with the persona of their patient; made-up first names of the right gender
and country (by Faker's lists, as masks are drawn from them), for all patients and for those whose first name a list
knows; made-up streets of their country; foreign telephones that libphonenumber takes for valid; dates that kept their
distance from the patient's date of birth. Names of patients stand in `benchmarks/residue/`, which nothing else reads.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sqlite3
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import polars as pl

from benchmarks import processes
from benchmarks.residue import commands
from benchmarks.residue_hospital import Hospital, hospital, write

Tables = dict[str, pl.DataFrame]
_JOINED: Final = ("patient_no", "email", "username", "phone")
_MOVING: Final = """
name = "moving"
notes = ["Dates move, all else is kept."]

[[rule]]
dates = true
operator = "date-shift"
with = {days = 180}

[[rule]]
operator = "keep"
"""


def tables(folder: Path) -> Tables:
    """The tables but the notes, all cells texts."""
    import openpyxl

    book = openpyxl.load_workbook(folder / "billing.xlsx", read_only=True)
    head, *rows = book["invoices"].iter_rows(values_only=True)
    texts = [[None if cell is None else str(cell) for cell in row] for row in rows]
    with sqlite3.connect(folder / "portal.sqlite") as base:
        found = {name: base.execute(f"select * from {name}") for name in ("accounts", "logins")}
        portal = {
            name: pl.DataFrame(
                [[None if c is None else str(c) for c in row] for row in rows.fetchall()],
                schema=[d[0] for d in rows.description],
                orient="row",
            )
            for name, rows in found.items()
        }
    return {
        "patients": pl.read_csv(folder / "patients.csv", infer_schema=False),
        "visits": pl.read_parquet(folder / "visits.parquet").cast(pl.String),
        "invoices": pl.DataFrame(texts, schema=[str(h) for h in head], orient="row"),
        **portal,
    }


def joins(before: Tables, after: Tables) -> dict[str, dict[str, int]]:
    """For each column that joins tables its different values, their masks, and pairs of both: all equal where joins
    are exact."""
    out = {}
    for column in _JOINED:
        pairs = pl.concat(
            pl.DataFrame({"value": before[t][column], "mask": after[t][column]})
            for t in before
            if column in before[t].columns
        )
        pairs = pairs.drop_nulls().unique()
        out[column] = {"values": pairs["value"].n_unique(), "masks": pairs["mask"].n_unique(), "pairs": len(pairs)}
    return out


def same_personas(before: Tables, after: Tables) -> tuple[int, int]:
    """Invoices with the name that their patient has among the patients, and all; one number of two patients aside."""
    names = after["patients"]["last_name"] + ", " + after["patients"]["first_name"]
    people = pl.DataFrame({"number": before["patients"]["patient_no"], "name": names})
    people = people.filter(~people["number"].is_duplicated())
    paid = pl.DataFrame({"number": before["invoices"]["patient_no"], "payer": after["invoices"]["payer"]})
    both = paid.join(people, on="number")
    return int((both["payer"] == both["name"]).sum()), len(both)


def gender_and_country(made: Hospital, after: Tables) -> dict[str, list[int]]:
    """How many of how many patients have a first name of their gender, of their country's names."""
    from piiscan.masking.surrogates import gender
    from piiscan.masking.surrogates.locales import LOCALES, country
    from piiscan.masking.surrogates.name_lists import lists

    own = {c: [lists(x) for x in LOCALES if country(x) == c] for c in {p.country for p in made.people}}
    women = {n.name for x in map(lists, LOCALES) for n in x.female}
    men = {n.name for x in map(lists, LOCALES) for n in x.male}
    out = {"gender": [0, 0], "gender, name listed": [0, 0], "country": [0, 0]}

    def count(what: str, right: bool) -> None:
        out[what][0] += right
        out[what][1] += 1

    for person, first in zip(made.people, after["patients"]["first_name"], strict=True):
        if (first in women) != (first in men):
            right = (first in women) == person.female
            count("gender", right)
            locale = next((x for x in LOCALES if country(x) == person.country), "en_US")
            if gender.first_name(person.first.split()[0], locale):
                count("gender, name listed", right)
        here = own[person.country]
        if here:
            count("country", any(first == n.name for x in here for n in (*x.female, *x.male)))
    return out


def own_streets(made: Hospital, after: Tables) -> list[int]:
    """How many of how many patients of a country with streets of its own live in one of them."""
    from piiscan.masking.surrogates.locales import LOCALES, country
    from piiscan.masking.surrogates.places import streets

    own = {c: {s for x in LOCALES if country(x) == c for s in streets(x)} for c in {p.country for p in made.people}}
    out = [0, 0]
    for person, mask in zip(made.people, after["patients"]["street"], strict=True):
        if here := own[person.country]:
            out[0] += re.sub(r"^\d+,? |,? \d+$", "", mask) in here
            out[1] += 1
    return out


def valid_telephones(made: Hospital, after: Tables) -> dict[str, list[int]]:
    """How many of how many masked telephones of foreign patients are valid, with and without a country code."""
    import phonenumbers

    out = {"with a country code": [0, 0], "without one": [0, 0]}
    for person, mask in zip(made.people, after["patients"]["phone"], strict=True):
        if person.country == "US":
            continue
        each = out["with a country code" if person.phone_as.startswith(("+", "00")) else "without one"]
        each[1] += 1
        try:
            each[0] += phonenumbers.is_valid_number(phonenumbers.parse(mask, person.country))
        except phonenumbers.NumberParseException:
            continue
    return out


def kept_distances(before: Tables, after: Tables) -> dict[str, list[int]]:
    """How many of how many dates lie as far from their patient's date of birth as before."""
    born = pl.DataFrame({"key": before["patients"]["patient_no"], "user": before["patients"]["username"]}).with_columns(
        old=before["patients"]["date_of_birth"].str.to_date(), new=after["patients"]["date_of_birth"].str.to_date()
    )
    out = {}
    for table, column, key, mine in (("visits", "admitted", "patient_no", "key"), ("logins", "at", "username", "user")):
        days = [frame[table][column].str.slice(0, 10).str.to_date() for frame in (before, after)]
        rows = pl.DataFrame({"k": before[table][key], "then": days[0], "now": days[1]})
        both = rows.join(born.unique(mine), left_on="k", right_on=mine)
        same = (both["then"] - both["old"]) == (both["now"] - both["new"])
        out[f"{table}.{column}"] = [int(same.sum()), len(both)]
    return out


def _mask(source: Path, policy: str | Path, folder: Path, name: str) -> tuple[Tables, Path, list[dict[str, Any]]]:
    plan, out = folder / name / "plan.toml", folder / name / "out"
    shutil.rmtree(plan.parent, ignore_errors=True)  # what a vault knows stays as it is
    plan.parent.mkdir()
    runs = [
        asdict(processes.run(command, statuses=(0, 3, 5)))
        for command in commands(Path(sys.executable), source, policy, plan, folder / "key", out)
    ]
    return tables(out), plan, runs


def _share(part: int, of: int) -> str:
    return f"{part:,} of {of:,} ({part / max(1, of):.2%})"


def page(found: Mapping[str, Any]) -> str:
    lines = ["# Subjects", "", f"`python -m benchmarks.subjects FOLDER`. {found['about']}", ""]
    for case, each in found["cases"].items():
        lines += [f"## {case}", "", "| what | count |", "|---|---|"]
        lines += [f"| {what} | {value} |" for what, value in each.items()]
        lines += [""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the hospital and its masks will be")
    parser.add_argument("--people", type=int, default=3000)
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("-o", "--output", type=Path, help="the figures as JSON")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    made = hospital(given.people, given.notes, given.seed)
    source = given.folder / "hospital"
    write(made, source, given.seed)
    processes.run([sys.executable, "-P", "-m", "piiscan", "key", "new", "-o", given.folder / "key"], statuses=(0, 2))
    before = tables(source)
    cases: dict[str, dict[str, str]] = {}
    for case in ("a gender column among the patients", "no gender column"):
        if case == "no gender column":
            before["patients"].drop("gender").write_csv(source / "patients.csv")
        after, plan, runs = _mask(source, "default", given.folder, case.split()[0])
        rows = {
            f"joins by {column}: values, masks, pairs": f"{n['values']:,}, {n['masks']:,}, {n['pairs']:,}"
            for column, n in joins(before, after).items()
        }
        rows["invoices with the persona of their patient"] = _share(*same_personas(before, after))
        rows |= {f"first names: right {k}": _share(*v) for k, v in gender_and_country(made, after).items()}
        rows["streets of the person's own locale"] = _share(*own_streets(made, after))
        rows |= {f"foreign telephones, {k}: valid": _share(*v) for k, v in valid_telephones(made, after).items()}
        rows["lines of the plan"] = str(len(plan.read_text(encoding="utf-8").splitlines()))
        rows["`plan`, `mask`, s"] = ", ".join(f"{run['seconds']:.1f}" for run in runs)
        rows["status of `mask`"] = str(runs[-1]["status"])
        cases[case] = rows
    policy = given.folder / "moving.toml"
    policy.write_text(_MOVING, encoding="utf-8")
    write(made, source, given.seed)
    after, _, _ = _mask(source, policy, given.folder, "moving")
    cases["dates that move"] = {k: _share(*v) for k, v in kept_distances(before, after).items()}
    machine = processes.machine()
    about = (
        f"Measured on {machine['date']}: {machine['system']}, {machine['cores']} cores; {given.people:,} people of 24 "
        f"countries, {given.notes:,} notes, seed {given.seed}."
    )
    found = {"about": about, "cases": cases}
    if given.output:
        given.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(page(found))


if __name__ == "__main__":
    main()
