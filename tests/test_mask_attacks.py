"""Attacks on masked tables that must fail; the attacker has the program, the plan and knowledge of people, and no
key."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT, run_piiscan
from mask_people import cells, customers, edited, key_file, piiscan, planned, words_of

from piiscan.core import keys
from piiscan.masking.operators import operator_registry

sys.path.insert(0, str(ROOT / "benchmarks"))
import attacks

pytestmark = pytest.mark.slow

PEOPLE = customers(300)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with customers.csv masked twice: by the default plan and with hashed numbers."""
    root = tmp_path_factory.mktemp("attack")
    PEOPLE.write_csv(root / "customers.csv")
    plain = planned(root / "customers.csv", root / "plain.toml")
    changes = {
        "hash": {"ssn": 'operator = "hash"\ndomain = "US_SSN"'},
        "token": {"first_name": 'operator = "token"\ndomain = "FIRST_NAME"\naccept_frequency = true'},
    }
    plans = {"plain": plain}
    for name, changed in changes.items():
        plans[name] = root / f"{name}.toml"
        plans[name].write_text(edited(plain.read_text(encoding="utf-8"), changed), encoding="utf-8")
    for name, plan in plans.items():
        piiscan("mask", root / "customers.csv", "--plan", plan, "-o", root / f"{name}.csv", "--key", key_file(root))
    return root


@pytest.mark.parametrize(("release", "operator"), [("plain", "fpe"), ("hash", "hash")])
def test_a_dictionary_of_all_numbers_is_no_use_without_the_key(released: Path, release: str, operator: str) -> None:
    """The attacker masks every SSN there may be, here the right ones, with the plan and keys of their own."""
    truth = PEOPLE["ssn"].drop_nulls().unique()
    masks = words_of(cells(released / f"{release}.csv"), ["ssn"])
    made = operator_registry.make(operator, {})
    found = 0
    for guess in (b"0123456789abcdef" * 2, bytes(range(32)), bytes(range(100, 164))):
        dictionary = made.mask(truth, keys.Key(guess).subkey("US_SSN"))
        found += len(masks & set(dictionary.to_list()))
    assert found == 0
    right = made.mask(truth, keys.Key.load(key_file(released)).subkey("US_SSN"))
    assert set(right.to_list()) == masks, "with the key it would work, so the attack is the right one"


def test_no_untouched_column_links_rows_to_people_directly(released: Path) -> None:
    masked = cells(released / "plain.csv")
    direct = words_of(PEOPLE, ["email", "ssn", "phone", "customer_id"])
    assert not direct & words_of(masked, masked.columns)
    for column in ("email", "ssn", "phone", "customer_id"):
        joined = PEOPLE.drop_nulls(column).join(masked, left_on=column, right_on=column, how="inner")
        assert joined.is_empty(), column


WIDE = {
    "note": "write to {email}",
    "backup": "{email}",
    "login": "{EMAIL}",
    "ref": "SSN {ssn}",
    "digits": "{digits}",
    "link": "https://x.example/?u={email}",
}
"""Where else an identifier may stand, in other spellings, under headers that say nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("place", WIDE)
def test_no_identifier_is_left_in_another_column(tmp_path: Path, place: str) -> None:
    """Either it is masked there too, or nothing is written: the attacker has the original table and joins it by any
    cell, however it is spelled."""
    people = PEOPLE.drop_nulls("ssn").head(120)
    notes = [
        WIDE[place].format(email=e, EMAIL=e.upper(), ssn=n, digits=n.replace("-", ""))
        for e, n in zip(people["email"], people["ssn"], strict=True)
    ]
    people.with_columns(x1=pl.Series(notes)).write_csv(tmp_path / "c.csv")
    done = run_piiscan("mask", tmp_path / "c.csv", "-o", tmp_path / "o.csv", "--key", key_file(tmp_path))
    if done.returncode:
        assert done.returncode == 5 and "x1: no unique original" in done.stderr, done.stderr
        assert not (tmp_path / "o.csv").exists()
        return
    bare = re.sub(r"[\W_]", "", (tmp_path / "o.csv").read_text(encoding="utf-8").lower())
    known = [re.sub(r"[\W_]", "", text.lower()) for column in ("email", "ssn") for text in people[column]]
    assert not [text for text in known if text in bare]


def test_tokens_reveal_neither_length_nor_beginning(released: Path) -> None:
    tokens = cells(released / "token.csv")["first_name"]
    by_name = dict(zip(PEOPLE["first_name"], tokens, strict=True))
    assert len({len(t) for t in by_name.values()}) == 1
    alike = [(a, b) for a in by_name for b in by_name if a < b and a[:2] == b[:2]]
    assert alike and not any(by_name[a][:8] == by_name[b][:8] for a, b in alike)


def test_tokens_of_any_length_reveal_32_bytes_at_a_time(released: Path) -> None:
    """Of 200 texts, each of which begins with the one before."""
    texts = pl.Series(["a" * n for n in range(1, 201)])
    tokens = operator_registry.make("token", {}).mask(texts, keys.Key.load(key_file(released)).subkey("X"))
    assert tokens.str.len_bytes().n_unique() == 200 // 32 + 1
    bodies = [token.removeprefix("~tok1_") for token in tokens]
    shared = max(next(i for i in range(len(a)) if a[: i + 1] != b[: i + 1]) for a, b in pairwise(sorted(bodies)))
    assert shared <= 5  # 20,000 pairs of 64 letters each: by chance 2 or 3


@pytest.mark.parametrize(
    ("column", "operator", "least", "most"),
    [
        ("sex", "hash", 0.99, 1),
        ("diagnosis codes", "fpe", 0.6, 1),
        ("diagnosis codes", "persona", 0, 0.05),
        ("diagnosis codes", "shuffle", 0, 0.15),
        ("customer numbers", "token", 0, 0.001),
    ],
)
def test_frequencies_give_away_what_the_manual_says(column: str, operator: str, least: float, most: float) -> None:
    """This attack works on common values; columns of few of them are refused."""
    found = attacks.frequencies(column, operator, 20_000)
    assert least <= found["rows guessed"] <= most
    assert found["refused unless accept_frequency"] == (column == "sex")


def test_no_cell_value_stands_in_an_error(released: Path, tmp_path: Path) -> None:
    """Everything that can go wrong with a table, and what is said of it."""
    secret = words_of(PEOPLE, ["email", "ssn", "phone", "last_name"])
    source = tmp_path / "customers.csv"
    PEOPLE.with_columns(copy=pl.col("ssn")).write_csv(source)
    plan = planned(source, tmp_path / "plan.toml", copy='operator = "keep"')
    PEOPLE.with_columns(pl.lit("x").alias(PEOPLE["email"][0])).write_csv(tmp_path / "header.csv")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1" + PEOPLE["email"][0].encode() * 9)
    said = [
        piiscan("mask", source, "--plan", plan, "-o", tmp_path / "o.csv", "--key", key_file(released), status=5),
        piiscan(
            "mask",
            source,
            "--plan",
            released / "plain.toml",
            "-o",
            tmp_path / "o.csv",
            "--key",
            key_file(released),
            status=2,
        ),
        piiscan("mask", source, "--plan", plan, "-o", tmp_path / "o.csv", "--key", "env:NOT_SET_ANYWHERE", status=2),
        piiscan(
            "mask",
            tmp_path / "broken.parquet",
            "--plan",
            plan,
            "-o",
            tmp_path / "o.parquet",
            "--key",
            key_file(released),
            status=3,
        ),
        piiscan(
            "mask",
            tmp_path / "header.csv",
            "--plan",
            plan,
            "-o",
            tmp_path / "o.csv",
            "--key",
            key_file(released),
            status=2,
        ),
    ]
    assert not [value for value in secret for text in said if value in text]
