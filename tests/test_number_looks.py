"""Numbers that keep their look: letters that all of them begin with stay, short ones are permuted, and equal ones have
equal masks however they are written."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import run_piiscan
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import cells, key_file, piiscan

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.operators.code import Code
from piiscan.masking.operators.fpe import Fpe
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.number_columns import affixes
from piiscan.masking.plan.plan_types import Action

KEY = Subkey(bytes(range(32)))
OPERATORS = [
    Fpe(prefixes=("MRN",)),
    Fpe(prefixes=("A", "AB", "PAT"), suffixes=("K",)),
    Fpe(suffixes=("X", "AX")),
    Fpe(prefixes=("P",), digits=6),
    Fpe(digits=6),
]
PARTS = st.sampled_from(
    ["MRN", "mrn", "A", "AB", "PAT", "P", "K", "X", "ax", "-", " ", "/", "~", "ł", "0", "00", "4711", "123456", "98"]
)
VALUES = st.lists(st.lists(PARTS, max_size=6).map("".join) | st.text(max_size=8), max_size=12, unique=True)


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
@given(values=VALUES)
@settings(max_examples=15, deadline=None)
def test_every_value_comes_back_and_none_share_a_mask(operator: Fpe, values: list[str]) -> None:
    texts = pl.Series(values, dtype=pl.String)
    masks = operator.mask(texts, KEY)
    assert masks.n_unique() == len(values)
    assert operator.unmask(masks, KEY).to_list() == values
    assert operator.declares(masks, KEY).all()
    one_by_one = [operator.mask(texts[i : i + 1], KEY)[0] for i in range(len(texts))]
    assert one_by_one == masks.to_list()


@given(values=VALUES)
@settings(max_examples=60, deadline=None)
def test_what_begins_with_no_prefix_never_gets_one(values: list[str]) -> None:
    operator = OPERATORS[1]
    masks = operator.mask(pl.Series(values, dtype=pl.String), KEY)
    for value, mask in zip(values, masks, strict=True):
        if not mask.startswith("~"):
            before, after = (operator._affixes.split(pl.Series([t])) for t in (value, mask))
            assert (before.head[0], before.tail[0]) == (after.head[0], after.tail[0])


def test_walking_keeps_single_letters_apart() -> None:
    """Letters that are permuted may become a prefix: then they are permuted on."""
    rng = random.Random(1)
    values = sorted({f"{rng.choice('AKB')}{rng.randrange(10**5):05}{rng.choice('AKB')}" for _ in range(4000)})
    operator = Fpe(prefixes=("A",), suffixes=("K",))
    masks = operator.mask(pl.Series(values), KEY)
    assert masks.n_unique() == len(values)
    assert operator.unmask(masks, KEY).to_list() == values


def test_equal_numbers_with_and_without_a_prefix() -> None:
    written = ["MRN-004711", "MRN004711", "mrn 004711", "004711", "00-47-11"]
    masks = Fpe(prefixes=("MRN",), digits=6).mask(pl.Series(written), KEY)
    digits = masks.str.replace_all("[^0-9]", "")
    assert digits.n_unique() == 1 and digits.str.len_bytes().to_list() == [6] * 5
    assert [m.replace(digits[0], "") for m in masks[:4]] == ["MRN-", "MRN", "mrn ", ""]
    assert Fpe().mask(pl.Series([4711]), KEY)[0] == int(digits[0])
    long = Fpe(prefixes=("PT",)).mask(pl.Series(["PT-12345-67", "1234567"]), KEY)
    assert long[0].replace("PT", "").replace("-", "") == long[1] == str(Fpe().mask(pl.Series([1234567]), KEY)[0])


def test_numbers_of_six_digits_are_permuted_among_themselves() -> None:
    values = pl.Series([f"{i:06}" for i in range(0, 10**6, 50)])
    masks = Fpe(digits=6).mask(values, KEY)
    assert masks.str.contains("^[0-9]{6}$").all() and masks.n_unique() == len(values)
    assert (masks == values).sum() <= 3
    assert 0.05 < masks.str.starts_with("0").mean() < 0.15  # type: ignore[operator]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"prefixes": ["mrn"]}, "capital letters"),
        ({"prefixes": ["MRN-"]}, "capital letters"),
        ({"suffixes": [""]}, "capital letters"),
        ({"digits": 4}, "digits must be 6"),
        ({"digits": 6, "check": "CREDIT_CARD"}, "be combined with other parameters"),
        ({"prefixes": ["A"], "keep_first": 1}, "be combined with other parameters"),
    ],
)
def test_wrong_parameters(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Fpe(**wrong)


def test_integers_have_no_prefix() -> None:
    with pytest.raises(UsageError, match="can't mask a column of type integer"):
        Fpe(digits=6).dtype("integer")


def test_codes_keep_prefixes(tmp_path: Path) -> None:
    operator = Code(vault=str(tmp_path / "vault"), prefixes=("P",))
    values = pl.Series(["P-0042", "0042", "p0042", "P", "Q-0042", ""])
    masks = operator.mask(values, KEY)
    code = masks[1]
    assert masks.to_list()[:3] == [f"P-{code}", code, f"p{code}"] and code not in masks[4]
    assert operator.unmask(masks, KEY).to_list() == values.to_list()
    assert operator.declares(masks, KEY).all() and not operator.declares(pl.Series(["P-0042"]), KEY).any()


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([(f"MRN-{i:06}", 1) for i in range(20)], ("MRN", "")),
        ([(f"pat{i:06}", 1) for i in range(20)], ("PAT", "")),
        ([(f"{i:06}/K", 1) for i in range(20)], ("", "K")),
        ([(f"MRN-{i:06}", 1) for i in range(19)], ("", "")),  # too few to tell
        ([*((f"MRN-{i:06}", 1) for i in range(998)), ("X-1", 1), ("Y-1", 1)], ("", "")),  # 99.8 %
        ([*((f"MRN-{i:06}", 1) for i in range(9999)), ("X-1", 1)], ("MRN", "")),
        ([(f"JOHNSMITH{i:06}", 1) for i in range(50)], ("", "")),  # may be somebody's name
        ([(f"{'ABC'[i % 3]}{i:06}", 1) for i in range(50)], ("", "")),
        ([(f"2024{i:06}", 1) for i in range(50)], ("", "")),  # digits stay nowhere
        ([("Smith", 100)], ("", "")),
        ([("MRN-1", 10**6)], ("", "")),
        ([], ("", "")),
    ],
)
def test_a_prefix_is_of_practically_all_cells(items: list[tuple[str, int]], found: tuple[str, str]) -> None:
    assert affixes(items) == found


def run_in(folder: Path, *arguments: str | Path) -> None:
    """The command, where its vault may stand."""
    done = run_piiscan(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr


def hospital(folder: Path, **tables: list[str]) -> Path:
    folder.mkdir()
    for name, numbers in tables.items():
        pl.DataFrame({"patient_id": numbers, "ward": ["b"] * len(numbers)}).write_csv(folder / f"{name}.csv")
    return folder


def masked(tmp_path: Path, data: Path) -> tuple[dict[str, Action], dict[str, pl.Series]]:
    """The plan's `patient_id` by table, and its masks. What comes back is checked."""
    key, plan, out, back = key_file(tmp_path), tmp_path / "plan.toml", tmp_path / "out", tmp_path / "back"
    piiscan("plan", data, "-o", plan)
    piiscan("mask", data, "--plan", plan, "-o", out, "--key", key)
    piiscan("verify", data, out, "--plan", plan, "--key", key)
    piiscan("unmask", out, "--plan", plan, "-o", back, "--key", key)
    for path in data.iterdir():
        assert cells(back / path.name).equals(cells(path))
    tables = plan_toml.load(plan).tables
    actions = {t.source[:-4]: next(a for a in t.columns if a.name == "patient_id") for t in tables}
    return actions, {name: cells(out / f"{name}.csv")["patient_id"] for name in actions}


def numbers(count: int, seed: int = 2) -> list[str]:
    return [f"{n:06}" for n in random.Random(seed).sample(range(10**6), count)]


def test_tables_of_a_folder_agree(tmp_path: Path) -> None:
    """With the prefix, without it, and in a table of too few rows to tell that there is one."""
    some = numbers(400)
    data = hospital(
        tmp_path / "data", patients=[f"PAT{n}" for n in some], visits=some[:200], few=[f"PAT{n}" for n in some[:3]]
    )
    actions, masks = masked(tmp_path, data)
    assert {a.operator for a in actions.values()} == {"fpe"}
    assert all(a.params == {"prefixes": ["PAT"], "digits": 6} for a in actions.values())
    assert masks["patients"].str.contains("^PAT[0-9]{6}$").all()
    assert (("PAT" + masks["visits"]) == masks["patients"][:200]).all()
    assert masks["few"].equals(masks["patients"][:3])


def test_the_plan_tells_how_many_masks_are_originals_by_chance(tmp_path: Path) -> None:
    some = numbers(2000)
    data = hospital(tmp_path / "data", patients=[f"PAT{n}" for n in some])
    _, masks = masked(tmp_path, data)
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert "about 0.2% of the masks are by chance originals too: about 2,0" in text and "of 1,000,000 numbers" in text
    shared = len(set(masks["patients"]) & {f"PAT{n}" for n in some})
    assert shared <= 4 + 6 * 4**0.5


@pytest.mark.parametrize("look", ["P-{:04}", "{:05}", "PAT{}"])
def test_too_few_numbers_of_a_look_get_codes(tmp_path: Path, look: str) -> None:
    values = [look.format(1000 + n) for n in range(300)]
    data = hospital(tmp_path / "data", patients=values, visits=values[:100])
    run_in(tmp_path, "plan", data, "-o", tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    tables = plan_toml.load(tmp_path / "plan.toml").tables
    assert [a.operator for t in tables for a in t.columns if a.name == "patient_id"] == ["code", "code"]
    assert "the file piiscan-vault remembers" in text
    run_in(
        tmp_path, "mask", data, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out", "--key", key_file(tmp_path)
    )
    one, two = (cells(tmp_path / "out" / f"{name}.csv")["patient_id"] for name in ("patients", "visits"))
    assert two.equals(one[:100]) and not one.str.contains("~").any()
    prefix = look.partition("{")[0]
    assert one.str.starts_with(prefix).all()


def test_codes_join_with_and_without_a_prefix(tmp_path: Path) -> None:
    data = hospital(
        tmp_path / "data", patients=[f"P-{n}" for n in range(1000, 1300)], visits=[str(n) for n in range(1000, 1100)]
    )
    run_in(tmp_path, "plan", data, "-o", tmp_path / "plan.toml")
    run_in(
        tmp_path, "mask", data, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out", "--key", key_file(tmp_path)
    )
    one, two = (cells(tmp_path / "out" / f"{name}.csv")["patient_id"] for name in ("patients", "visits"))
    assert ("P-" + two).equals(one[:100])


def test_no_number_of_six_characters_becomes_a_token(tmp_path: Path) -> None:
    data = hospital(tmp_path / "data", patients=numbers(300))
    actions, masks = masked(tmp_path, data)
    assert actions["patients"].params == {"digits": 6}
    assert masks["patients"].str.contains("^[0-9]{6}$").all()


@pytest.mark.parametrize("values", [["PAT000001"], ["000001"], [""], ["PAT"]])
def test_columns_of_next_to_nothing(tmp_path: Path, values: list[str]) -> None:
    data = hospital(tmp_path / "data", patients=values)
    run_in(tmp_path, "mask", data, "-o", tmp_path / "out", "--key", key_file(tmp_path))


def test_estimates_of_a_plan_are_of_no_more_values_than_there_are_cells(tmp_path: Path) -> None:
    some = numbers(2000)
    masked(tmp_path, hospital(tmp_path / "data", patients=[f"PAT{n}" for n in some]))
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    said = re.findall(r"too: about ([0-9,]+) of", text)
    assert said and all(int(n.replace(",", "")) <= 2000 for n in said)


def test_padded_numbers_are_a_million() -> None:
    """By which the proof knows how many masks are by chance somebody's number."""
    padded, other = Fpe(prefixes=("PAT",), digits=6), Fpe(prefixes=("PAT",))
    assert padded.originals_by_chance(1000, 1000, 6) == 1.0
    assert padded.originals_by_chance(1000, 1000, 8) == other.originals_by_chance(1000, 1000, 8) == 0.1
