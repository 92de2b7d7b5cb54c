"""Attacks on masked tables that must fail; the attacker has the program, the plan and knowledge of people, and no key."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from mask_people import cells, customers, key_file, piiscan, planned, words_of

from piiscan import keys
from piiscan.operators import registry

PEOPLE = customers(300)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with customers.csv masked twice: by the default plan and with hashed numbers."""
    root = tmp_path_factory.mktemp("attack")
    PEOPLE.write_csv(root / "customers.csv")
    plans = {
        "plain": planned(root / "customers.csv", root / "plain.toml"),
        "hash": planned(root / "customers.csv", root / "hash.toml", ssn='operator = "hash"\ndomain = "US_SSN"'),
        "token": planned(
            root / "customers.csv", root / "token.toml", first_name='operator = "token"\ndomain = "FIRST_NAME"\naccept_frequency = true'
        ),
    }
    for name, plan in plans.items():
        piiscan("mask", root / "customers.csv", "--plan", plan, "-o", root / f"{name}.csv", "--key", key_file(root))
    return root


@pytest.mark.parametrize(("release", "operator"), [("plain", "fpe"), ("hash", "hash")])
def test_a_dictionary_of_all_numbers_is_no_use_without_the_key(released: Path, release: str, operator: str) -> None:
    """The attacker masks every SSN there may be, here the right ones, with the plan and keys of their own."""
    truth = PEOPLE["ssn"].drop_nulls().unique()
    masks = words_of(cells(released / f"{release}.csv"), ["ssn"])
    made = registry.make(operator, {})
    found = 0
    for guess in (b"0123456789abcdef" * 2, bytes(range(32)), bytes(range(100, 164))):
        dictionary = made.mask(truth, keys.Key(guess).subkey("US_SSN"))  # type: ignore[attr-defined]
        found += len(masks & set(dictionary.to_list()))
    assert found == 0
    right = made.mask(truth, keys.load(key_file(released)).subkey("US_SSN"))  # type: ignore[attr-defined]
    assert set(right.to_list()) == masks, "with the key it would work, so the attack is the right one"


def test_no_untouched_column_links_rows_to_people_directly(released: Path) -> None:
    masked = cells(released / "plain.csv")
    direct = words_of(PEOPLE, ["email", "ssn", "phone", "customer_id"])
    assert not direct & words_of(masked, masked.columns)
    for column in ("email", "ssn", "phone", "customer_id"):
        joined = PEOPLE.drop_nulls(column).join(masked, left_on=column, right_on=column, how="inner")
        assert joined.is_empty(), column


def test_tokens_tell_neither_length_nor_beginning(released: Path) -> None:
    tokens = cells(released / "token.csv")["first_name"]
    by_name = dict(zip(PEOPLE["first_name"], tokens, strict=True))
    assert len({len(t) for t in by_name.values()}) == 1
    alike = [(a, b) for a in by_name for b in by_name if a < b and a[:2] == b[:2]]
    assert alike and not any(by_name[a][:8] == by_name[b][:8] for a, b in alike)


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
        piiscan("mask", source, "--plan", released / "plain.toml", "-o", tmp_path / "o.csv", "--key", key_file(released), status=2),
        piiscan("mask", source, "--plan", plan, "-o", tmp_path / "o.csv", "--key", "env:NOT_SET_ANYWHERE", status=2),
        piiscan("mask", tmp_path / "broken.parquet", "--plan", plan, "-o", tmp_path / "o.parquet", "--key", key_file(released), status=3),
        piiscan("mask", tmp_path / "header.csv", "--plan", plan, "-o", tmp_path / "o.csv", "--key", key_file(released), status=2),
    ]
    assert not [value for value in secret for text in said if value in text]
