"""National numbers, and telephones with names, as keys of people; and keys that join people of earlier runs."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import cells, customers, masked_by_plan, piiscan

import piiscan as api
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking import vault as vaults
from piiscan.masking.apply import linked_keys, people
from piiscan.masking.apply.subjects_of_tables import subject_table
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan

KEY = Key(bytes(range(17, 49)))
PEOPLE = customers(260)
NAMES = ["first_name", "last_name"]
FAMILIES = "Kernweiler Quaverstone Moorlinger Tollbacher Rieselmann".split()


def shop(root: Path, family: bool = True) -> Path:
    """customers.csv has all keys, claims.csv number and name, calls.csv telephone and name; the first two customers are
    a family with one telephone."""
    folder = root / "shop"
    folder.mkdir()
    frame = PEOPLE
    if family:
        first = pl.Series("first_name", ["Mary", "John"]).append(PEOPLE["first_name"][2:])
        last = pl.Series("last_name", ["Green", "Green"]).append(PEOPLE["last_name"][2:])
        shared = pl.Series("phone", ["(212) 555-0187"] * 2).append(PEOPLE["phone"][2:])
        frame = PEOPLE.with_columns(first, last, shared)
    frame.select("customer_id", "email", *NAMES, "gender", "ssn", "phone").write_csv(folder / "customers.csv")
    claims = frame.drop_nulls("ssn").reverse().select(pl.col("ssn").str.replace_all("-", ""), *NAMES)
    claims.write_csv(folder / "claims.csv")
    written = "+1" + pl.col("phone").str.replace_all(r"\D", "")
    frame.drop_nulls("phone").select(*NAMES, written.alias("phone"), "amount").write_csv(folder / "calls.csv")
    return folder


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("keys")
    folder = shop(root)
    return masked_by_plan(root, folder)


def test_the_plan_lists_them(masked: Path) -> None:
    plan = plan_toml.load(masked / "plan.toml")
    keys = {t.source: [[t.columns[i].name for i in key] for key in s.keys] for t in plan.tables for s in t.subjects}
    assert keys == {
        "customers.csv": [["email"], ["customer_id"], ["ssn"], ["phone", *NAMES], NAMES],
        "claims.csv": [["ssn"], NAMES],
        "calls.csv": [["phone", *NAMES], NAMES],
    }
    assert plan.vault and plan_toml.loads(plan_toml.dumps(plan)).tables[2].subjects == tuple(
        replace(s, notes=(), columns=()) for s in plan.tables[2].subjects
    )


@pytest.mark.parametrize(("table", "key"), [("claims", "ssn"), ("calls", "phone")])
def test_one_persona_in_all_tables(masked: Path, table: str, key: str) -> None:
    customers, other = (cells(masked / "shop" / f"{t}.csv") for t in ("customers", table))
    masks, others = (cells(masked / "out" / f"{t}.csv") for t in ("customers", table))
    digits = pl.col(key).str.replace_all(r"\D", "").str.tail(10)
    mine = customers.select(digits.alias("key"), *NAMES).hstack(masks.select(pl.concat_str(NAMES).alias("mine")))
    theirs = other.select(digits.alias("key"), *NAMES).hstack(others.select(pl.concat_str(NAMES).alias("now")))
    both = theirs.join(mine, on=["key", *NAMES])
    assert len(both) == len(other) and (both["mine"] == both["now"]).all()


def test_a_family_that_shares_a_telephone_stays_apart(masked: Path) -> None:
    first, second = (cells(masked / "out" / f"{t}.csv").select(NAMES).head(2) for t in ("customers", "calls"))
    assert first.equals(second) and first.row(0) != first.row(1)


def test_everywhere_names_columns_that_keys_begin_with(masked: Path) -> None:
    text = (masked / "plan.toml").read_text()
    with pytest.raises(UsageError, match="everywhere must list columns that keys begin with"):
        plan_toml.loads(
            text.replace('everywhere = ["ssn"]', 'everywhere = ["last_name"]', 1).replace('["ssn"], ', "", 1)
        )


# Numbers that tables write differently


def written(form: str, numbers: list[int]) -> pl.Series:
    return pl.Series("customer_id", [form.format(n) if form else n for n in numbers])


@pytest.mark.parametrize(
    ("first", "second", "joins"),
    [
        ("C-{:06d}", "", True),
        ("C-{:06d}", "{:06d}", True),
        ("{:06d}", "", True),
        ("C-{}", "", True),  # numbers of four digits, which get codes
        ("C-{:06d}", "C-{:06d}", False),  # as they always do
        ("C-{:09d}", "", False),  # nor do their masks
        ("C-{:06d}", "K-{:06d}", False),
    ],
)
def test_persons_join_where_the_masks_of_their_numbers_do(tmp_path: Path, first: str, second: str, joins: bool) -> None:
    draw = random.Random(5)
    numbers = draw.sample(range(1000, 9999), 150)
    names = [f"{draw.choice('Anna Olga Petra Jens'.split())} {draw.choice(FAMILIES)}{i}a" for i in range(len(numbers))]
    some = [draw.randrange(len(numbers)) for _ in range(250)]
    people = pl.DataFrame({"name": names, "email": [f"x{n}@mail.org" for n in numbers]})
    orders = pl.DataFrame({"customer_name": [names[i] for i in some], "total": some})
    frames = {
        "customers": people.insert_column(0, written(first, numbers)),
        "orders": orders.insert_column(0, written(second, [numbers[i] for i in some])),
    }
    plan = api.plan(frames)
    plan.save(tmp_path / "plan.toml")
    plan = api.Plan.load(tmp_path / "plan.toml")
    assert [s.as_masked for t in plan.tables for s in t.subjects] == [(0,) if joins else ()] * 2
    notes = (tmp_path / "plan.toml").read_text().count("customer_id seems to have the same numbers with other zeros")
    assert notes == (2 if "9" in first else 0)
    made = api.mask(frames, replace(plan, vault=None), KEY)
    masks = made["customers"]["name"].to_list()
    equal = sum(masks[i] == name for i, name in zip(some, made["orders"]["customer_name"], strict=True))
    assert equal == (len(some) if joins or first == second else 0)


def test_numbers_of_other_people_stay_apart() -> None:
    numbers = random.Random(6).sample(range(1000, 9999), 150)
    frames = {
        name: pl.DataFrame({"customer_id": written(form, numbers), "name": [f"Anna {a}{i}{b}" for i in range(150)]})
        for name, form, a, b in (("customers", "C-{:06d}", "Quaver", "stone"), ("customer_list", "", "Moor", "linger"))
    }
    assert not any(s.as_masked for t in api.plan(frames).tables for s in t.subjects)


def test_as_masked_names_keys_of_one_column(masked: Path) -> None:
    text = (masked / "plan.toml").read_text()
    plan = plan_toml.loads(text.replace('everywhere = ["ssn"]', 'as_masked = ["ssn"]', 1))
    assert [len(s.as_masked) for t in plan.tables for s in t.subjects].count(1) == 1
    with pytest.raises(UsageError, match="as_masked must list columns that are keys by themselves"):
        plan_toml.loads(text.replace('everywhere = ["ssn"]', 'as_masked = ["last_name"]', 1))


# What keys are


def _table(*entities: str, keys: tuple[tuple[int, ...], ...], everywhere: tuple[int, ...]) -> TablePlan:
    columns = tuple(Action(i, e.lower(), "string", e, "direct", "keep") for i, e in enumerate(entities))
    at = {e: i for i, e in enumerate(entities)}
    subject = Subject(
        "person",
        keys,
        scope="member",
        first_name=at.get("FIRST_NAME"),
        last_name=at.get("LAST_NAME"),
        everywhere=everywhere,
    )
    return TablePlan("t.csv", None, columns, (subject,))


def _texts(table: TablePlan, *rows: tuple[str | None, ...]) -> list[str]:
    frame = pl.DataFrame(rows, schema=dict.fromkeys("0123"[: len(table.columns)], pl.String), orient="row")
    return people.subjects(frame, table.subjects[0], table).to_list()


def test_a_number_is_one_however_it_is_written() -> None:
    table = _table("US_SSN", "NATIONAL_ID", keys=((0,), (1,)), everywhere=(0, 1))
    one = "\x1fUS_SSN\x1f012345678"
    assert _texts(table, ("012-34-5678", None), ("12345678", None), ("012 34 5678", "x")) == [one] * 3
    unknown = [("000-00-0000", None), ("", ""), (None, "99999999999"), ("n/a", None)]
    assert _texts(table, *unknown)[:3] == [""] * 3
    assert _texts(table, (None, "ab 12 34 56 c")) == ["\x1fNATIONAL_ID\x1fAB123456C"]


def test_a_telephone_is_one_with_the_whole_name_only() -> None:
    table = _table("PHONE_NUMBER", "FIRST_NAME", "LAST_NAME", keys=((0, 1, 2),), everywhere=(0,))
    columns = (replace(table.columns[0], params={"country": "US"}), *table.columns[1:])
    rows = [("(212) 555-0187", "José", "GARCIA"), ("001 212 555 0187 x3", "jose", "García"),
            ("2125550187", None, "Garcia"), ("12", "Jose", "Garcia")]  # fmt: skip
    one = "\x1fPHONE_NUMBER\x1f+12125550187\x1fjose garcia"
    assert _texts(replace(table, columns=columns), *rows) == [one, one, "", ""]


def test_plans_of_earlier_versions_keep_their_keys() -> None:
    """A number that the plan doesn't know everywhere is a text within the scope, and links nothing."""
    table = _table("US_SSN", "EMAIL_ADDRESS", keys=((0,), (1,)), everywhere=())
    assert _texts(table, ("012-34-5678", "a@x.org")) == ["member\x1f012-34-5678"]
    told = linked_keys.evidence(pl.DataFrame({"0": ["012-34-5678"], "1": ["a@x.org"]}), table)
    assert not len(told.pairs)


def test_a_number_beside_several_names_means_nobody() -> None:
    table = _table("EMAIL_ADDRESS", "US_SSN", "FIRST_NAME", keys=((0,), (1,)), everywhere=(1,))
    rows = [("a@x.org", "078-05-1120", "ann"), (None, "078-05-1120", "bob"), ("c@x.org", "219-09-9999", "cyd")]
    found = linked_keys.evidence(pl.DataFrame(rows, schema=["0", "1", "2"], orient="row"), table)
    assert linked_keys.shared_keys(found).to_list() == ["\x1fUS_SSN\x1f078051120"]
    assert linked_keys.resolve_links(found).rows() == [("\x1fUS_SSN\x1f219099999", "c@x.org")]


def test_a_telephone_joins_no_two_people() -> None:
    table = _table("EMAIL_ADDRESS", "PHONE_NUMBER", "FIRST_NAME", "LAST_NAME", keys=((0,), (1, 2, 3)), everywhere=(1,))
    rows = [(f"{who}@x.org", "+12125550187", "john", "smith") for who in ("senior", "junior")]
    found = linked_keys.evidence(pl.DataFrame(rows, schema=["0", "1", "2", "3"], orient="row"), table)
    assert not len(linked_keys.resolve_links(found))


def test_a_table_alone_is_known_by_what_it_was() -> None:
    """Numbers and telephones are keys where they are needed."""
    ((subject,),) = [t.subjects for t in api.plan(PEOPLE).tables]
    assert [len(key) for key in subject.keys] == [1, 1, 2] and not subject.everywhere
    ((subject,),) = [t.subjects for t in api.plan(PEOPLE.select("ssn", *NAMES)).tables]
    assert subject.keys == ((0,), (1, 2)) and subject.everywhere == (0,)


# What an earlier run knew

MEMBERS = _table(
    "EMAIL_ADDRESS",
    "PERSON_ID",
    "US_SSN",
    "USERNAME",
    "FIRST_NAME",
    keys=((0,), (1,), (2,), (3,), (4,)),
    everywhere=(2,),
)
MADE_UP = {"kind": "first_name", "locale": "en_US"}
ROWS = st.lists(
    st.tuples(
        st.none() | st.sampled_from(["a@x.org", "b@x.org", "c@x.org"]),
        st.none() | st.sampled_from(["17", "18"]),
        st.none() | st.sampled_from(["219-09-9991", "219-09-9992"]),
        st.none() | st.sampled_from(["u1", "u2"]),
        st.none() | st.sampled_from(["ann", "bob"]),
    ),
    max_size=6,
)


def _plan(vault: Path, hashed: bool = True) -> Plan:
    first_name = replace(MEMBERS.columns[4], operator="persona", params=MADE_UP, domain="persona", subject="person")
    table = replace(MEMBERS, columns=(*MEMBERS.columns[:4], first_name))
    return Plan("ours", "0", (table,), vault=str(vault), hashed_keys=hashed)


def _run(plan: Plan, *parts: list[tuple[str | None, ...]]) -> Callable[[list[tuple[str | None, ...]]], list[str]]:
    """Masks the parts together; gives whose the rows of a part are."""
    frames = [pl.DataFrame(part, schema=dict.fromkeys("01234", pl.String), orient="row") for part in parts]
    made = subject_table(plan, KEY, lambda _: iter([(frame, plan.tables[0]) for frame in frames]))

    def whose(rows: list[tuple[str | None, ...]]) -> list[str]:
        frame = pl.DataFrame(rows, schema=dict.fromkeys("01234", pl.String), orient="row")
        return people.subjects(frame, plan.tables[0].subjects[0], plan.tables[0], made).to_list()

    return whose


@settings(deadline=None, max_examples=12)
@given(ROWS, ROWS, ROWS, st.booleans())
def test_new_rows_change_nobody(
    first: list[tuple[str | None, ...]],
    second: list[tuple[str | None, ...]],
    third: list[tuple[str | None, ...]],
    hashed: bool,
) -> None:
    with TemporaryDirectory() as folder:
        plan = _plan(Path(folder) / "vault", hashed)
        before = _run(plan, first)(first)
        later = _run(plan, second, first)
        assert later(first) == before
        both = later(first + second)
        assert _run(plan, third)(first + second) == both


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ((None, "17", None, None, "ann"), ("a@x.org", "17", None, None, "ann")),
        ((None, None, "219-09-9991", None, "ann"), ("a@x.org", "18", "219099991", None, "ann")),
        ((None, None, None, "u1", None), ("a@x.org", None, "219-09-9991", "u1", "ann")),
        (("a@x.org", "17", None, None, "ann"), ("b@x.org", "17", None, None, "ann")),
    ],
)
def test_new_keys_join_who_is_known(
    tmp_path: Path, earlier: tuple[str | None, ...], now: tuple[str | None, ...]
) -> None:
    plan = _plan(tmp_path / "vault")
    (known,) = _run(plan, [earlier])([earlier])
    whose = _run(plan, [now])
    alone: list[tuple[str | None, ...]] = [
        tuple(cell if i == n else None for i, cell in enumerate(now)) for n in range(4) if now[n]
    ]
    assert whose([earlier, now, *alone]) == [known] * (2 + len(alone))


def test_a_key_beside_two_who_are_known_joins_neither(tmp_path: Path) -> None:
    plan = _plan(tmp_path / "vault")
    ann, bob = (None, "17", None, None, None), (None, "18", None, None, None)
    known = _run(plan, [ann, bob])([ann, bob])
    beside: list[tuple[str | None, ...]] = [("a@x.org", number, None, None, "ann") for number in ("17", "18")]
    found = _run(plan, beside)([ann, bob, beside[0]])
    assert found[:2] == known and len(set(found)) == 3


def test_a_table_masked_before_stays_as_it_was(masked: Path, tmp_path: Path) -> None:
    """Claims alone, then all tables: their people are those of the claims."""
    plan = (masked / "plan.toml").read_text().replace("piiscan-people-vault", str(tmp_path / "vault"))
    (tmp_path / "plan.toml").write_text(plan)
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "claims.csv").write_bytes((masked / "shop" / "claims.csv").read_bytes())
    call = ("--plan", tmp_path / "plan.toml", "--key", f"file:{masked}/key", "-o")
    piiscan("mask", tmp_path / "claims", *call, tmp_path / "first")
    piiscan("mask", masked / "shop", *call, tmp_path / "out")
    claims = (tmp_path / "first" / "claims.csv").read_bytes()
    assert (tmp_path / "out" / "claims.csv").read_bytes() == claims
    assert claims != (masked / "out" / "claims.csv").read_bytes()
    customers = cells(masked / "shop" / "customers.csv")["ssn"].str.replace_all("-", "").to_frame()
    names = customers.hstack(cells(tmp_path / "out" / "customers.csv").select(NAMES)).drop_nulls("ssn")
    claimed = (
        cells(masked / "shop" / "claims.csv").select("ssn").hstack(cells(tmp_path / "out" / "claims.csv").select(NAMES))
    )
    assert claimed.sort("ssn").equals(names.sort("ssn"))


# What a vault holds


def test_a_vault_holds_hashes_of_keys_and_no_keys(masked: Path) -> None:
    plan, key = plan_toml.load(masked / "plan.toml"), Key.load(f"file:{masked}/key")
    assert plan.hashed_keys and plan.vault_file
    kept = vaults.read(plan.vault_file, key.subkey("subjects").derive("hashed keys"))
    # The marks before entries, shared keys, looks and countries; a look holds no key.
    texts = kept["original"].filter(~kept["original"].str.starts_with("\x1b"))
    assert len(texts) > 500 and texts.str.contains("^[\x1a\x1d\x1e]?[0-9a-f]{32}$").all()
    links = kept.filter(kept["original"].str.contains("^[0-9a-f]"))
    assert len(links) > 500 and links["code"].str.contains("^[0-9a-f]{32}$").all()
    assert not len(vaults.read(plan.vault_file, key.subkey("subjects").derive("links")))


def test_people_are_the_same_without_the_vault(masked: Path) -> None:
    """Of a plan with hashed keys: where nobody is linked, and gender and locale are those of the row."""
    plan, key = plan_toml.load(masked / "plan.toml"), f"file:{masked}/key"
    frame = cells(masked / "shop" / "customers.csv")
    alone = api.Masker(replace(plan, vault=""), key, table="customers.csv")(frame)
    assert alone.select(NAMES).equals(cells(masked / "out" / "customers.csv").select(NAMES))
    whole = api.mask(frame, replace(plan, vault=""), key, table="customers.csv")
    assert whole.select(NAMES).equals(alone.select(NAMES))


def test_a_plan_of_an_earlier_version_knows_people_by_their_keys(masked: Path, tmp_path: Path) -> None:
    text = (masked / "plan.toml").read_text().replace("hashed_keys = true\n", "")
    (tmp_path / "plan.toml").write_text(text)
    old = plan_toml.load(tmp_path / "plan.toml")
    assert not old.hashed_keys and api.plan(masked / "shop", before=old).hashed_keys is False
    call = ("--plan", tmp_path / "plan.toml", "--key", f"file:{masked}/key", "-o")
    piiscan("mask", masked / "shop", *call, tmp_path / "out")
    assert old.vault_file
    secret = Key.load(f"file:{masked}/key").subkey("subjects").derive("links")
    assert "\x1e" + PEOPLE["email"][5] in vaults.read(old.vault_file, secret)["original"].to_list()
