"""Tables that know the same people by different keys: one persona each, whatever the order, and remembered in an
encrypted file."""

from __future__ import annotations

import random
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import cells, customers, key_file, piiscan, words_of

import piiscan as api
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking.apply import linked_keys
from piiscan.masking.apply.subjects_of_tables import subject_table
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Plan

KEY = Key(bytes(range(7, 39)))
PEOPLE = customers(200)


def shop(root: Path) -> Path:
    """customers.csv has number and address, mails.csv the address, tickets.csv the number, both of them with names."""
    draw = random.Random(5)
    folder = root / "shop"
    folder.mkdir()
    PEOPLE.select("customer_id", "email", "first_name", "last_name", "gender").write_csv(folder / "customers.csv")
    PEOPLE.reverse().select("email", "first_name", "last_name", "gender").write_csv(folder / "mails.csv")
    who = [draw.randrange(len(PEOPLE)) for _ in range(900)]
    tickets = PEOPLE.select("customer_id", "first_name", "last_name", "gender").select(pl.all().gather(who))
    tickets.with_columns(pl.Series("minutes", [str(draw.randrange(90)) for _ in who])).write_csv(folder / "tickets.csv")
    return folder


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `shop`, its plan, the vault and `out`."""
    root = tmp_path_factory.mktemp("links")
    folder = shop(root)
    piiscan("plan", folder, "-o", root / "plan.toml", "-q")
    written = (root / "plan.toml").read_text()
    assert (
        written.count('vault = "piiscan-people-vault"') == 1
        and "# tickets.csv and customers.csv know the same people" in written
    )
    (root / "plan.toml").write_text(written.replace("piiscan-people-vault", str(root / "people")))
    piiscan("mask", folder, "--plan", root / "plan.toml", "--key", key_file(root), "-o", root / "out")
    return root


def persons(out: Path, before: pl.DataFrame, by: str, table: str) -> dict[str, set[tuple[str, ...]]]:
    """Original key → the masked names beside it."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for key, *name in zip(before[by], *cells(out / table).select("first_name", "last_name"), strict=True):
        found.setdefault(key, set()).add(tuple(name))
    return found


def test_every_table_reveals_of_the_same_persona(masked: Path) -> None:
    before = {t: cells(masked / "shop" / t) for t in ("customers.csv", "mails.csv", "tickets.csv")}
    by_number = persons(masked / "out", before["customers.csv"], "customer_id", "customers.csv")
    tickets = persons(masked / "out", before["tickets.csv"], "customer_id", "tickets.csv")
    assert len(tickets) > 150 and all(len(names) == 1 for names in by_number.values())
    assert all(names == by_number[number] for number, names in tickets.items())
    by_mail = persons(masked / "out", before["customers.csv"], "email", "customers.csv")
    assert persons(masked / "out", before["mails.csv"], "email", "mails.csv") == by_mail
    emails = [cells(masked / "out" / t)["email"] for t in ("customers.csv", "mails.csv")]
    assert emails[0].equals(emails[1].reverse()) and emails[0].n_unique() == len(PEOPLE)


def test_a_table_alone_finds_its_people_again(masked: Path, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    shutil.copy(masked / "shop" / "tickets.csv", tmp_path / "shop")
    piiscan(
        "mask",
        tmp_path / "shop",
        "--plan",
        masked / "plan.toml",
        "--key",
        f"file:{masked}/key",
        "-o",
        tmp_path / "out",
        "--jobs",
        "1",
    )
    assert (tmp_path / "out" / "tickets.csv").read_bytes() == (masked / "out" / "tickets.csv").read_bytes()


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_no_order_of_rows_and_files_matters(masked: Path, tmp_path: Path, jobs: str) -> None:
    (tmp_path / "shop").mkdir()
    plan = (masked / "plan.toml").read_text().replace(str(masked / "people"), str(tmp_path / "vault"))
    names = {"customers.csv": "z.csv", "mails.csv": "mails.csv", "tickets.csv": "a.csv"}
    for old, new in names.items():
        cells(masked / "shop" / old).reverse().write_csv(tmp_path / "shop" / new)
        plan = plan.replace(f'source = "{old}"', f'source = "{new}"')
    (tmp_path / "plan.toml").write_text(plan)
    key = f"file:{masked}/key"
    piiscan(
        "mask",
        tmp_path / "shop",
        "--plan",
        tmp_path / "plan.toml",
        "--key",
        key,
        "-o",
        tmp_path / "out",
        "--jobs",
        jobs,
    )
    for old, new in names.items():
        assert cells(tmp_path / "out" / new).reverse().equals(cells(masked / "out" / old)), old


def test_nothing_of_anybody_stands_in_the_vault(masked: Path) -> None:
    raw = (masked / "people").read_bytes()
    assert stat.S_IMODE((masked / "people").stat().st_mode) == 0o600 and len(raw) > 5000
    for value in words_of(PEOPLE, ["customer_id", "email"]):
        assert value.encode() not in raw and value.encode("utf-16-le") not in raw


def test_another_key_has_its_own_and_a_changed_vault_is_refused(masked: Path, tmp_path: Path) -> None:
    shutil.copy(masked / "people", tmp_path / "people")
    plan = (masked / "plan.toml").read_text().replace(str(masked / "people"), str(tmp_path / "people"))
    (tmp_path / "plan.toml").write_text(plan)
    arguments = ("mask", masked / "shop", "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out", "--key")
    size = (tmp_path / "people").stat().st_size
    piiscan(*arguments, key_file(tmp_path))
    assert (tmp_path / "people").stat().st_size > 1.8 * size  # each key has people of its own
    shutil.rmtree(tmp_path / "out")
    shutil.copy(masked / "people", tmp_path / "people")
    raw = bytearray((tmp_path / "people").read_bytes())
    raw[-20] ^= 1
    (tmp_path / "people").write_bytes(raw)
    assert "changed or damaged" in piiscan(*arguments, f"file:{masked}/key", status=2)
    assert not (tmp_path / "out").exists()


def test_a_person_decides_whether_there_is_a_vault(masked: Path, tmp_path: Path) -> None:
    plan = plan_toml.load(masked / "plan.toml")
    assert plan.vault == str(masked / "people")
    piiscan("plan", masked / "shop", "-o", (again := tmp_path / "plan.toml"), "-q")
    for wish in ("", "ours"):
        again.write_text(again.read_text().replace(f'vault = "{plan_toml.load(again).vault}"', f'vault = "{wish}"'))
        piiscan("plan", masked / "shop", "-o", again, "-q")
        assert plan_toml.load(again).vault == wish
    with pytest.raises(UsageError, match="vault must be the name of a file"):
        plan_toml.loads(again.read_text().replace('vault = "ours"', "vault = 3"))


def test_tables_that_know_the_same_people_have_one(tmp_path: Path) -> None:
    people = api.plan(PEOPLE)
    assert people.vault is None
    (tmp_path / "shop").mkdir()
    PEOPLE.write_csv(tmp_path / "shop" / "customers.csv")
    PEOPLE.select("email", "customer_id", "last_name").write_csv(tmp_path / "shop" / "members.csv")
    assert api.plan(tmp_path / "shop").vault == "piiscan-people-vault"
    assert api.plan(tmp_path / "shop", "hipaa-safe-harbor").vault is None


def test_frames_go_by_the_vault_too(masked: Path, tmp_path: Path) -> None:
    plan = replace(plan_toml.load(masked / "plan.toml"), vault=str(tmp_path / "vault"))
    frames = {t: cells(masked / "shop" / t) for t in ("customers.csv", "tickets.csv")}
    masker = api.Masker(plan, f"file:{masked}/key", table="tickets.csv")
    early = masker(frames["tickets.csv"])
    assert not (tmp_path / "vault").exists()  # batches only read it
    out = {t: api.mask(f, plan, f"file:{masked}/key", table=t) for t, f in frames.items()}
    assert out["tickets.csv"].equals(cells(masked / "out" / "tickets.csv")) and not early.equals(out["tickets.csv"])
    batch = api.Masker(plan, f"file:{masked}/key", table="tickets.csv")(frames["tickets.csv"].slice(100, 50))
    assert batch.equals(out["tickets.csv"].slice(100, 50))


@pytest.mark.parametrize(("header", "whose", "keys"), [("customer_id", "own", 2), ("manager_id", "another", 1)])
def test_a_number_is_somebody_s_own_where_names_follow_it(header: str, whose: str, keys: int) -> None:
    draw = random.Random(2)
    who = [draw.randrange(len(PEOPLE)) for _ in range(900)]
    numbers = PEOPLE["customer_id"].gather(who if whose == "own" else [i % 60 for i in range(900)])
    frame = PEOPLE.select("first_name", "last_name").select(pl.all().gather(who)).with_columns(numbers.alias(header))
    ((subject,),) = [t.subjects for t in api.plan(frame).tables]
    assert len(subject.keys) == keys
    assert subject.scope == ("customer" if whose == "own" else "frame")


# What keys tell of each other

NUMBERS = st.sampled_from(["17", "18", "19", "0"])
MAILS = st.sampled_from(["a@x.org", "b@x.org", "c@x.org"])
ROWS = st.lists(
    st.tuples(st.none() | MAILS, st.none() | NUMBERS, st.none() | st.sampled_from(["ann", "bob"])), max_size=8
)


def _plan() -> tuple[Plan, pl.DataFrame]:
    from piiscan.masking.plan.plan_types import Action, Subject, TablePlan

    columns = tuple(
        Action(
            i, name, "string", entity, "direct", "persona", {"kind": "email", "locale": "en_US"}, "persona", "person"
        )
        for i, (name, entity) in enumerate({"mail": "EMAIL_ADDRESS", "number": "PERSON_ID", "user": "USERNAME"}.items())
    )
    subject = Subject("person", ((0,), (1,), (2,)), scope="customer")
    return Plan("ours", "0", (TablePlan("people.csv", None, columns, (subject,)),)), pl.DataFrame(
        schema=dict.fromkeys("012", pl.String)
    )


@settings(deadline=None, max_examples=60)
@given(ROWS, st.randoms(use_true_random=False), st.integers(0, 8))
def test_links_do_not_depend_on_order_or_batches(
    rows: list[tuple[str | None, ...]], draw: random.Random, cut: int
) -> None:
    plan, empty = _plan()
    (table,) = plan.tables

    def settled(*parts: list[tuple[str | None, ...]]) -> dict[str, str]:
        frames = [pl.DataFrame(p, schema=empty.schema, orient="row") for p in parts]
        found = linked_keys.together(linked_keys.evidence(f, table) for f in frames)
        return dict(linked_keys.resolve_links(found).iter_rows())

    once = settled(rows)
    mixed = draw.sample(rows, len(rows))
    assert settled(mixed[cut:], mixed[:cut], mixed[:1]) == once
    assert all("@" not in key for key in once)
    beside: dict[str, set[str]] = {}
    numbers: dict[str, set[str]] = {}
    for mail, number, _ in rows:
        if mail and number:
            beside.setdefault(f"customer\x1f{number}", set()).add(mail)
            numbers.setdefault(mail, set()).add(number)
    own = {k: {mail for mail in v if len(numbers[mail]) == 1} for k, v in beside.items()}
    assert {k: v for k, v in once.items() if k[-1].isdigit()} == {
        k: next(iter(v)) for k, v in own.items() if len(v) == 1
    }


def _rows_of_people(draw: random.Random, most: int) -> list[tuple[str | None, ...]]:
    """Rows of a few people who share keys, among many that share none."""
    texts = [f"{letter}@x.org" for letter in "abcdef"], [*"123456"], [*"uvwxyz"]
    few = [tuple(draw.choice([None, *each]) for each in texts) for _ in range(most)]
    return draw.sample([*few, *((f"{i}@y.org", f"n{i}", f"u{i}") for i in range(most))], 2 * most)


@settings(deadline=None, max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(0, 9))
def test_links_of_keys_in_one_row_are_those_of_all_others(draw: random.Random, most: int) -> None:
    """Keys that stand beside one better key are linked apart from the others; the links are the same."""
    plan, empty = _plan()
    rows = pl.DataFrame(_rows_of_people(draw, most), schema=empty.schema, orient="row")
    found = linked_keys.together([linked_keys.evidence(rows, plan.tables[0])])
    links = linked_keys.resolve_links(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linked_keys, "_plain", lambda pairs: np.zeros(len(pairs), dtype=np.bool_))
        assert sorted(links.rows()) == sorted(linked_keys.resolve_links(found).rows())
    assert len(links) >= 2 * most


def test_links_lead_on_and_shared_keys_lead_nowhere() -> None:
    plan, empty = _plan()
    rows = [
        ("a@x.org", "17", None),
        (None, "17", "ann"),
        ("b@x.org", "0", None),
        ("c@x.org", "0", None),
        (None, "0", "bob"),
        (None, "19", "eve"),
    ]
    told = linked_keys.together(
        [linked_keys.evidence(pl.DataFrame(rows, schema=empty.schema, orient="row"), plan.tables[0])]
    )
    found = linked_keys.Links(linked_keys.resolve_links(told))
    keys = [
        "customer\x1f17",
        "customer\x1fann",
        "customer\x1f0",
        "customer\x1fbob",
        "customer\x1feve",
        "a@x.org",
        "somebody",
        "",
    ]
    assert found.resolved(pl.Series(keys)).to_list() == [
        "a@x.org", "a@x.org", "customer\x1f0", "customer\x1f0", "customer\x1f19", "a@x.org", "somebody", "",
    ]  # fmt: skip


def test_what_the_vault_knows_stays(tmp_path: Path) -> None:
    plan, empty = _plan()
    vault = str(tmp_path / "vault")
    first, later = ([(mail, "17", None)] for mail in ("b@x.org", "a@x.org"))
    for rows in (first, later):
        frame = pl.DataFrame(rows, schema=empty.schema, orient="row")
        table = subject_table(replace(plan, vault=vault), KEY, lambda _, frame=frame: iter([(frame, plan.tables[0])]))
        assert table is not None and table.resolved(pl.Series(["customer\x1f17"])).to_list() == ["b@x.org"]
