"""A folder masked by the command: joins hold, the rest stays as it was, and nothing goes wrong quietly."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT, run_piiscan
from mask_people import cells, customers, folder, key_file, orders, piiscan, planned, words_of

UNTOUCHED = ["gender", "city", "amount"]
UNIQUE = ["customer_id", "email", "ssn", "phone"]


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `shop`, its plan, and `out`, which is shop masked."""
    root = tmp_path_factory.mktemp("mask")
    shop = folder(root)
    plan = planned(shop, root / "plan.toml")
    said = piiscan("mask", shop, "--plan", plan, "-o", root / "out", "--key", key_file(root))
    assert "2 files" in said and "remain personal data" in said
    return root


@pytest.fixture(scope="module")
def before(masked: Path) -> pl.DataFrame:
    return cells(masked / "shop" / "customers.csv")


@pytest.fixture(scope="module")
def after(masked: Path) -> pl.DataFrame:
    return cells(masked / "out" / "customers.csv")


def test_a_folder_keeps_its_layout(masked: Path) -> None:
    files = [
        sorted(p.relative_to(masked / top).as_posix() for p in (masked / top).rglob("*") if p.is_file())
        for top in ("shop", "out")
    ]
    assert files[0] == files[1] == ["customers.csv", "sales/orders.csv"]


@pytest.mark.parametrize(("mine", "theirs"), [("email", "customer_email"), ("customer_id", "customer_id")])
def test_joins_still_join_and_people_do_not_merge(
    masked: Path, before: pl.DataFrame, after: pl.DataFrame, mine: str, theirs: str
) -> None:
    sold = [cells(masked / top / "sales" / "orders.csv") for top in ("shop", "out")]
    number = [people.with_row_index("row").select("row", pl.col(mine).alias("by")) for people in (before, after)]
    rows = [
        o.select(pl.col(theirs).alias("by")).join(n, on="by", how="left", maintain_order="left")["row"]
        for o, n in zip(sold, number, strict=True)
    ]
    assert rows[0].null_count() == 0 and rows[0].equals(rows[1])
    assert after[mine].n_unique() == before[mine].n_unique() == len(before)
    assert not words_of(before, [mine]) & words_of(after, [mine])


def test_rows_nulls_and_untouched_columns_stay(before: pl.DataFrame, after: pl.DataFrame) -> None:
    assert after.columns == before.columns and len(after) == len(before)
    assert after.select(UNTOUCHED).equals(before.select(UNTOUCHED))
    for column in before.columns:
        assert after[column].is_null().equals(before[column].is_null()), column


def test_no_unique_original_is_left(before: pl.DataFrame, after: pl.DataFrame) -> None:
    for column in UNIQUE:
        assert not words_of(before, [column]) & words_of(after, after.columns), column


def test_names_agree_with_the_address_and_the_gender(after: pl.DataFrame) -> None:
    starts = [first[0].lower() == email[0] for first, email in zip(after["first_name"], after["email"], strict=True)]
    stems = [last.lower()[:3] in email for last, email in zip(after["last_name"], after["email"], strict=True)]
    assert all(starts) and sum(stems) / len(stems) > 0.9
    names = {g: set(after.filter(pl.col("gender") == g)["first_name"]) for g in "FM"}
    assert len(names["F"] & names["M"]) <= 0.1 * min(map(len, names.values()))


def test_one_person_is_one_persona_in_every_table(tmp_path: Path) -> None:
    people = customers(300)
    (tmp_path / "in").mkdir()
    people.write_csv(tmp_path / "in" / "customers.csv")
    people.select("email", "first_name", "last_name", "gender", "ssn").reverse().write_csv(
        tmp_path / "in" / "members.csv"
    )
    piiscan("mask", tmp_path / "in", "-o", tmp_path / "out", "--key", key_file(tmp_path))
    one, two = (cells(tmp_path / "out" / name) for name in ("customers.csv", "members.csv"))
    columns = ["email", "first_name", "last_name", "ssn"]
    assert one.select(columns).equals(two.select(columns).reverse())
    assert one["first_name"].n_unique() > 10


def test_another_key_gives_other_masks(masked: Path, tmp_path: Path, after: pl.DataFrame) -> None:
    piiscan(
        "mask",
        masked / "shop" / "customers.csv",
        "--plan",
        masked / "plan.toml",
        "-o",
        tmp_path / "c.csv",
        "--key",
        key_file(tmp_path),
    )
    other = cells(tmp_path / "c.csv")
    for column, by_chance in (("email", 0), ("ssn", 0), ("customer_id", 2)):  # there are a million ids
        assert (other[column] == after[column]).sum() <= by_chance


def test_without_a_key_there_is_an_error(masked: Path, tmp_path: Path) -> None:
    said = piiscan("mask", masked / "shop", "--plan", masked / "plan.toml", "-o", tmp_path / "out", status=2)
    assert "no key" in said and "PIISCAN_KEY" in said and "piiscan key new" in said
    assert not (tmp_path / "out").exists()


def test_a_column_the_plan_does_not_know_stops_it(masked: Path, tmp_path: Path) -> None:
    people = customers(60).with_columns(pl.Series("secret_note", [f"cell-{i}-value" for i in range(60)]))
    people.write_csv(tmp_path / "customers.csv")
    call = [
        "mask",
        tmp_path / "customers.csv",
        "--plan",
        masked / "plan.toml",
        "-o",
        tmp_path / "out.csv",
        "--key",
        key_file(tmp_path),
    ]
    said = piiscan(*call, status=2)
    assert "column secret_note isn't in the plan" in said and "--new-columns suppress" in said and "cell-" not in said
    assert not (tmp_path / "out.csv").exists()
    piiscan(*call, "--new-columns", "suppress")
    out = cells(tmp_path / "out.csv")
    assert out["secret_note"].null_count() == len(out) == 60


def test_a_table_or_a_column_that_is_gone_stops_it(masked: Path, tmp_path: Path) -> None:
    customers(60).drop("city").write_csv(tmp_path / "customers.csv")
    call = ["--plan", masked / "plan.toml", "-o", tmp_path / "out.csv", "--key", key_file(tmp_path)]
    assert "lacks the plan's column city" in piiscan("mask", tmp_path / "customers.csv", *call, status=2)
    orders(customers(60)).write_csv(tmp_path / "other.csv")
    assert "no table other.csv" in piiscan("mask", tmp_path / "other.csv", *call, status=2)


def test_an_output_that_is_there_stays(masked: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("mine\n")
    call = [
        "mask",
        masked / "shop" / "customers.csv",
        "--plan",
        masked / "plan.toml",
        "-o",
        target,
        "--key",
        key_file(tmp_path),
    ]
    assert "exists" in piiscan(*call, status=2)
    assert target.read_text() == "mine\n"
    piiscan(*call, "--overwrite")
    assert len(cells(target)) == 400
    assert sorted(p.name for p in tmp_path.iterdir()) == ["key", "out.csv"]


def test_a_value_that_comes_late_counts(tmp_path: Path) -> None:
    """Fifty values would be few; the one that makes them more stands in another batch."""
    source, plan = tmp_path / "words.csv", tmp_path / "plan.toml"
    words = [f"w{i % 50}" for i in range(140_000)]
    source.write_text("word\n" + "\n".join(words) + "\n")
    planned(source, plan, word='operator = "hash"\ndomain = "WORD"')
    call = ["mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path), "--no-verify"]
    assert "column word has only 50 different masks by hash" in piiscan(*call, status=2)
    source.write_text("word\n" + "\n".join([*words, "late"]) + "\n")
    piiscan(*call)
    assert cells(tmp_path / "out.csv")["word"].n_unique() == 51


def test_deterministic_masks_of_few_values_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "customers.csv"
    customers(200).write_csv(source)
    lines = 'operator = "hash"\ndomain = "CITY"'
    plan = planned(source, tmp_path / "plan.toml", city=lines)
    call = ["mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path)]
    said = piiscan(*call, status=2)
    assert "column city has only 10 different masks" in said and "accept_frequency" in said and "Boston" not in said
    assert not (tmp_path / "out.csv").exists()
    planned(source, plan, city=lines + "\naccept_frequency = true")
    piiscan(*call)
    out = cells(tmp_path / "out.csv")
    assert out["city"].n_unique() == 11 and not words_of(out, ["city"]) & words_of(customers(200), ["city"])


@pytest.mark.parametrize("named", [True, False])
def test_a_key_among_the_data_is_not_handed_out_with_them(tmp_path: Path, named: bool) -> None:
    shop = folder(tmp_path)
    spec = key_file(shop)
    call = ["mask", shop, "-o", tmp_path / "out"]
    if not named:  # the same key from elsewhere
        (tmp_path / "key").write_text((shop / "key").read_text())
        (tmp_path / "key").chmod(0o600)
        spec = f"file:{tmp_path / 'key'}"
    said = piiscan(*call, "--key", spec, status=2)
    assert "key contains the key" in said and (shop / "key").read_text().strip() not in said
    assert not (tmp_path / "out").exists()
    (shop / "key").unlink()
    if not named:
        piiscan(*call, "--key", spec)


def test_the_examples_are_masked_as_one_folder(tmp_path: Path) -> None:
    examples = ROOT / "examples"
    # In a folder of its own, where the vault is made.
    done = run_piiscan("mask", examples, "-o", tmp_path / "out", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr  # every promise holds
    assert "14 files" in done.stderr
