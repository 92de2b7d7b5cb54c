"""Who the people of several tables are is decided once: one persona each, of one gender and locale, whatever the order
of rows, batches and files."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import cells, key_file, piiscan

import piiscan as api
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking.apply import people, subject_attributes
from piiscan.masking.apply.subject_attributes import ENTRIES, AttributeVotes, Remembered, as_vault
from piiscan.masking.apply.subject_table import SubjectTable
from piiscan.masking.operators import declared_personas
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan
from piiscan.masking.plan.policy import FOLDER
from piiscan.masking.surrogates.home_locale import of_countries, of_names, of_phones

KEY = Key(bytes(range(11, 43)))
GERMANS = {
    "F": ("Ursula", "Sabine", "Monika", "Petra", "Birgit", "Renate", "Gisela", "Ingrid"),
    "M": ("Jürgen", "Wolfgang", "Dieter", "Uwe", "Günter", "Horst", "Klaus", "Helmut"),
}
AMERICANS = {
    "F": ("Patricia", "Linda", "Barbara", "Susan", "Jessica", "Sarah", "Karen", "Nancy"),
    "M": ("James", "Robert", "Michael", "William", "Richard", "Charles", "Thomas", "Daniel"),
}
SURNAMES = {
    "DE": "Schmidt Schneider Fischer Weber Schäfer Koch Richter Krüger Zimmermann Hartmann".split(),
    "US": "Johnson Williams Brown Davis Miller Wilson Moore Anderson Jackson Thompson".split(),
}


def clinic(root: Path, size: int = 240) -> Path:
    """patients.csv has gender and country, invoices.csv "Last, First" with an address, logins.csv user names alone."""
    draw = random.Random(3)
    rows = []
    for i in range(size):
        country = "DE" if i % 3 == 0 else "US"
        sex = draw.choice("FM")
        first = draw.choice((GERMANS if country == "DE" else AMERICANS)[sex])
        last = draw.choice(SURNAMES[country])
        user = f"{last[:5].lower()}{i}".replace("ü", "u").replace("ä", "a")
        rows.append(
            (f"PT-{i * 37 % 100000:05}-{i % 97:02}", first, last, sex, country, f"{user}@mail.example.org", user)
        )
    frame = pl.DataFrame(
        rows, orient="row", schema=["patient_no", "first_name", "last_name", "gender", "country", "email", "username"]
    )
    folder = root / "clinic"
    folder.mkdir()
    frame.write_csv(folder / "patients.csv")
    paid = frame.sample(size, with_replacement=True, seed=1)
    paid.select(
        pl.int_range(len(paid)).alias("invoice"),
        pl.concat_str("last_name", "first_name", separator=", ").alias("payer"),
        "email",
    ).write_csv(folder / "invoices.csv")
    frame.sample(2 * size, with_replacement=True, seed=2).select(
        "username", pl.lit("2025-01-01 10:00:00").alias("at")
    ).write_csv(folder / "logins.csv")
    return folder


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `clinic`, its plan, the vault and `out`."""
    root = tmp_path_factory.mktemp("subjects")
    folder = clinic(root)
    planned(folder, root / "plan.toml", root / "vault")
    piiscan("mask", folder, "--plan", root / "plan.toml", "--key", key_file(root), "-o", root / "out")
    return root


def planned(folder: Path, plan: Path, vault: Path | str) -> None:
    piiscan("plan", folder, "-o", plan, "-q")
    text = plan.read_text()
    assert 'vault = "piiscan-people-vault"' in text
    plan.write_text(text.replace('"piiscan-people-vault"', f'"{vault}"'))


def tables(folder: Path) -> dict[str, pl.DataFrame]:
    return {name: cells(folder / f"{name}.csv") for name in ("patients", "invoices", "logins")}


def test_one_person_is_one_persona_in_all_tables(masked: Path) -> None:
    before, after = tables(masked / "clinic"), tables(masked / "out")
    persons = (
        before["patients"]
        .select("email")
        .with_columns(
            pl.concat_str(after["patients"]["last_name"], after["patients"]["first_name"], separator=", ").alias(
                "name"
            ),
            after["patients"]["email"].alias("mask"),
        )
    )
    paid = (
        before["invoices"]
        .select("email")
        .with_columns(after["invoices"]["payer"], after["invoices"]["email"].alias("now"))
    )
    joined = paid.join(persons, on="email")
    assert (
        len(joined) == len(paid)
        and (joined["payer"] == joined["name"]).all()
        and (joined["now"] == joined["mask"]).all()
    )


@pytest.mark.parametrize("column", ["email", "username"])
def test_joins_are_exact(masked: Path, column: str) -> None:
    before, after = tables(masked / "clinic"), tables(masked / "out")
    pairs = pl.concat(
        [
            pl.DataFrame({"original": before[t][column], "mask": after[t][column]})
            for t in before
            if column in before[t].columns
        ]
    ).unique()
    assert pairs["original"].n_unique() == pairs["mask"].n_unique() == len(pairs)


def test_addresses_look_like_addresses(masked: Path) -> None:
    patients = tables(masked / "out")["patients"]
    local = patients["email"].str.extract("^([^@]+)@")
    assert local.str.contains(r"^[a-z]+\.[a-z]+(\d{2}|\d{4})?$").all()
    assert local.str.contains(r"\d").mean() < 0.2  # type: ignore[operator]
    plain = patients["first_name"].str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    first = local.str.extract(r"^([a-z]+)\.")
    assert (plain.str.slice(0, 1) == first.str.slice(0, 1)).all()
    assert patients["username"].str.contains(r"^[a-z]+\.[a-z]+(\d{2}|\d{4})?$").all()


def test_gender_and_locale_are_the_person_s_own(masked: Path) -> None:
    from piiscan.masking.surrogates.name_lists import lists

    before, after = tables(masked / "clinic")["patients"], tables(masked / "out")["patients"]
    for country, locale in (("DE", "de_DE"), ("US", "en_US")):
        names = lists(locale)
        for sex, known in (("F", names.female), ("M", names.male)):
            mine = after.filter((before["country"] == country) & (before["gender"] == sex))["first_name"]
            assert len(mine) > 20 and set(mine) <= {n.name for n in known}


def test_new_people_change_nobody(masked: Path, tmp_path: Path) -> None:
    """A later run with the same vault, more people, and one of the tables only."""
    import shutil

    shutil.copy(masked / "vault", tmp_path / "vault")
    folder = tmp_path / "clinic"
    folder.mkdir()
    old = cells(masked / "clinic" / "patients.csv")
    new = old.with_columns(
        (pl.lit("XN-") + pl.col("patient_no").str.slice(3)).alias("patient_no"),
        ("new." + pl.col("email")).alias("email"),
        ("new" + pl.col("username")).alias("username"),
    )
    pl.concat([new, old.reverse()]).write_csv(folder / "patients.csv")
    plan = plan_toml.load(masked / "plan.toml")
    text = (masked / "plan.toml").read_text().replace(str(masked / "vault"), str(tmp_path / "vault"))
    (tmp_path / "plan.toml").write_text(text)
    assert plan.vault == str(masked / "vault")
    piiscan("mask", folder, "--plan", tmp_path / "plan.toml", "--key", f"file:{masked}/key", "-o", tmp_path / "out")
    after = cells(tmp_path / "out" / "patients.csv")
    names = ["first_name", "last_name", "email", "username"]
    assert after.tail(len(old)).reverse().select(names).equals(cells(masked / "out" / "patients.csv").select(names))
    assert after["email"].n_unique() == 2 * len(old)


def test_a_lost_vault_comes_back_from_the_same_tables(masked: Path, tmp_path: Path) -> None:
    text = (masked / "plan.toml").read_text().replace(str(masked / "vault"), str(tmp_path / "vault"))
    (tmp_path / "plan.toml").write_text(text)
    call = ("--plan", tmp_path / "plan.toml", "--key", f"file:{masked}/key", "--jobs", "1", "-o", tmp_path / "out")
    piiscan("mask", masked / "clinic", *call)
    for name in ("patients", "invoices", "logins"):
        assert (tmp_path / "out" / f"{name}.csv").read_bytes() == (masked / "out" / f"{name}.csv").read_bytes()


def test_a_vault_keeps_the_people_of_each_key_apart(masked: Path, tmp_path: Path) -> None:
    """After rotation everybody is somebody else, and under the old key, with the same vault, who they were."""
    import shutil

    shutil.copy(masked / "vault", tmp_path / "vault")
    text = (masked / "plan.toml").read_text().replace(str(masked / "vault"), str(tmp_path / "vault"))
    (tmp_path / "plan.toml").write_text("\n".join(line for line in text.splitlines() if "key_ids" not in line))
    for name, key in (("new", key_file(tmp_path)), ("again", f"file:{masked}/key")):
        plan = tmp_path / f"{name}.toml"
        shutil.copy(tmp_path / "plan.toml", plan)
        piiscan("mask", masked / "clinic", "--plan", plan, "--key", key, "-o", tmp_path / name)
    old, new, again = (tables(root) for root in (masked / "out", tmp_path / "new", tmp_path / "again"))
    assert all(old[name].equals(again[name]) for name in old)
    assert not set(old["patients"]["email"]) & set(new["patients"]["email"])
    assert (new["patients"]["gender"] == old["patients"]["gender"]).all()


def test_the_report_counts_people(masked: Path, tmp_path: Path) -> None:
    call = ("--plan", masked / "plan.toml", "--key", f"file:{masked}/key", "-o", tmp_path / "out")
    piiscan("mask", masked / "clinic", *call, "--report", tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text())["subjects"]
    assert found["subjects"] == 240 and found["linked"] == 480 and found["remembered"]
    assert (found["unlinked"], found["shared"], found["contradictions"]) == (0, 0, 0)
    assert found["locales"] == {"": 160, "de_DE": 80}
    piiscan("mask", masked / "clinic", *call, "--report", tmp_path / "report.md", "--overwrite")
    assert "names of their own locale: de_DE 80; of the plan's: 160" in (tmp_path / "report.md").read_text()


def test_a_name_tells_the_gender_that_it_has_in_its_country() -> None:
    frame = pl.DataFrame({"0": ["Andrea", "Andrea", "Maria"]})
    subject = Subject("person", ((0,),), "en_US", first_name=0)
    *_, first, _ = people.gender_votes(frame, subject, pl.Series(["it_IT", None, "de_DE"]))
    assert first is not None and first.to_list() == ["m", "f", "f"]


def test_without_a_vault_addresses_depend_on_nobody_else(masked: Path, tmp_path: Path) -> None:
    text = (masked / "plan.toml").read_text().replace(f'vault = "{masked / "vault"}"', 'vault = ""')
    (tmp_path / "plan.toml").write_text(text)
    call = ("--plan", tmp_path / "plan.toml", "--key", f"file:{masked}/key", "-o")
    piiscan("mask", masked / "clinic", *call, tmp_path / "out")
    (tmp_path / "alone").mkdir()
    old = cells(masked / "clinic" / "patients.csv")
    old.head(30).write_csv(tmp_path / "alone" / "patients.csv")
    piiscan("mask", tmp_path / "alone", *call, tmp_path / "out2")
    whole, alone = cells(tmp_path / "out" / "patients.csv"), cells(tmp_path / "out2" / "patients.csv")
    assert whole.head(30).equals(alone)
    assert whole["email"].str.contains(r"^[a-z]+\.[0-9a-z]{13}@").all()


def test_hipaa_makes_nobody_up(tmp_path: Path) -> None:
    plan = api.plan(clinic(tmp_path), "hipaa-safe-harbor")
    assert not plan.vault and not any("locales" in a.params for t in plan.tables for a in t.columns)


def test_nobody_gets_a_locale_of_their_own_where_the_plan_or_the_policy_says_so(masked: Path, tmp_path: Path) -> None:
    text = (masked / "plan.toml").read_text()
    assert "locales" in text
    own = tmp_path / "plan.toml"
    own.write_text(text.replace("\nvault =", '\nlocale = "table"\nvault =', 1).replace(str(masked / "vault"), "vault"))
    plan = plan_toml.load(own)
    assert plan.locale == "table" and not any("locales" in a.params for t in plan.tables for a in t.columns)
    assert plan_toml.loads(plan_toml.dumps(plan), "plan").locale == "table"
    again = api.plan(masked / "clinic", before=plan)
    assert again.locale == "table" and not any("locales" in a.params for t in again.tables for a in t.columns)
    piiscan("mask", masked / "clinic", "--plan", own, "--key", f"file:{masked}/key", "-o", tmp_path / "out")
    names = cells(tmp_path / "out" / "patients.csv")["first_name"]
    first = next(a for t in plan.tables for a in t.columns if a.entity == "FIRST_NAME")
    assert declared_personas.names(names.unique(), first.params["locale"], "First").all()

    policy = tmp_path / "ours.toml"
    policy.write_text('locale = "table"\n' + (FOLDER / "default.toml").read_text(encoding="utf-8"), encoding="utf-8")
    made = api.plan(masked / "clinic", str(policy))
    assert made.locale == "table" and not any("locales" in a.params for t in made.tables for a in t.columns)
    for path in (own, policy):
        path.write_text(path.read_text().replace('locale = "table"', 'locale = "mine"'))
    with pytest.raises(UsageError, match='locale must be "person"'):
        plan_toml.load(own)
    with pytest.raises(UsageError, match='locale must be "person"'):
        api.plan(masked / "clinic", str(policy))


# Votes

WHO = st.sampled_from(["a@x.org", "b@x.org", "c@x.org", None])
ROWS = st.lists(
    st.tuples(WHO, st.none() | st.sampled_from(["17", "18"]), st.sampled_from(["f", "m", "?", None]),
              st.sampled_from(["Anna", "Bert", "Kim", None])), max_size=12,
)  # fmt: skip


def _plan() -> Plan:
    columns = (
        Action(0, "mail", "string", "EMAIL_ADDRESS", "direct", "persona",
               {"kind": "email", "locale": "en_US"}, "persona", "person"),
        Action(1, "number", "string", "PERSON_ID", "direct", "keep"),
        Action(2, "sex", "string", "GENDER", "quasi", "keep"),
        Action(3, "first", "string", "FIRST_NAME", "direct", "persona",
               {"kind": "first_name", "locale": "en_US"}, "persona", "person"),
    )  # fmt: skip
    subject = Subject("person", ((0,), (1,)), scope="customer", gender=2, first_name=3)
    return Plan("ours", "0", (TablePlan("people.csv", None, columns, (subject,)),))


def _decided(*parts: list[tuple[str | None, ...]]) -> pl.DataFrame:
    plan = _plan()
    nobody = Remembered.of(None)
    votes = AttributeVotes(plan, SubjectTable(nobody.links, nobody.shared, nobody.entries, True))
    for part in parts:
        frame = pl.DataFrame(part, schema=dict.fromkeys("0123", pl.String), orient="row")
        votes.add(votes.of_rows(frame, plan.tables[0]))
    return votes.decided(nobody.entries, KEY)


@settings(deadline=None, max_examples=30)
@given(ROWS, st.randoms(use_true_random=False), st.integers(0, 12), st.sampled_from([0, 3, subject_attributes._FEW]))
def test_votes_do_not_depend_on_order_or_batches_or_parts(
    rows: list[tuple[str | None, ...]], draw: random.Random, cut: int, few: int
) -> None:
    mixed = draw.sample(rows, len(rows))
    whole = _decided(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subject_attributes, "_FEW", few)
        assert whole.equals(_decided(mixed[cut:], mixed[:cut]))


def test_the_surest_source_that_is_not_torn_decides() -> None:
    rows = [
        ("a@x.org", None, "f", "Bert"), ("a@x.org", None, "f", "Bert"), ("a@x.org", None, "m", "Bert"),  # 2 : 1
        ("b@x.org", None, "f", "Bert"), ("b@x.org", None, "m", "Bert"),  # torn: the name decides
        ("c@x.org", None, None, None),
    ]  # fmt: skip
    found = dict(_decided(rows).select("text", "gender").iter_rows())
    assert found == {"a@x.org": "f", "b@x.org": "m", "c@x.org": None}


def test_what_is_decided_comes_back_from_a_vault() -> None:
    entries = pl.DataFrame(
        {"text": ["a@x.org", "k\x1f1"], "gender": ["f", None], "locale": [None, "de_DE"], "digits": [4, None]},
        schema=ENTRIES,
    )
    kept = Remembered.of(as_vault(entries, pl.Series("s", ["family@x.org"])))
    assert kept.entries.equals(entries) and kept.shared.to_list() == ["family@x.org"] and not len(kept.links)


# Families, and people with several addresses


def _household(tmp_path: Path, rows: list[tuple[str, str, str, str]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Masked members and orders; in `rows` number, first name, last name and address."""
    draw = random.Random(9)
    others = [
        (f"K{i:06}x", draw.choice(AMERICANS["FM"[i % 2]]), draw.choice(SURNAMES["US"]), f"u{i}@mail.example.org")
        for i in range(120)
    ]
    folder = tmp_path / "shop"
    folder.mkdir(exist_ok=True)
    members = pl.DataFrame(rows + others, orient="row", schema=["customer_id", "first_name", "last_name", "email"])
    members.write_csv(folder / "customers.csv")
    orders = pl.DataFrame({"email": members["email"], "total": [f"{i}.50" for i in range(len(members))]})
    orders.write_csv(folder / "orders.csv")
    planned(folder, tmp_path / "plan.toml", tmp_path / "vault")
    piiscan("mask", folder, "--plan", tmp_path / "plan.toml", "--key", key_file(tmp_path), "-o", tmp_path / "out")
    return cells(tmp_path / "out" / "customers.csv"), cells(tmp_path / "out" / "orders.csv")


def test_an_address_of_a_family_is_nobody_s(tmp_path: Path) -> None:
    rows = [
        ("K900001x", "Maria", "Jones", "jones@mail.example.org"),
        ("K900002x", "Peter", "Jones", "jones@mail.example.org"),
    ]
    members, orders = _household(tmp_path, rows)
    assert members["email"][0] == members["email"][1] == orders["email"][0] == orders["email"][1]
    assert members.row(0)[1:3] != members.row(1)[1:3]


def test_the_name_in_an_address_of_a_family_may_be_somebody_s(tmp_path: Path) -> None:
    """It is made up for nobody in particular, so it stands in no column of names beside it."""
    family = [
        ("K900001x", "Maria", "Jones", "jones@mail.example.org"),
        ("K900002x", "Peter", "Jones", "jones@mail.example.org"),
    ]
    made_up = _household(tmp_path, family)[0]["email"][0]
    first, last = made_up.partition("@")[0].split(".")
    namesake = ("K900003x", first.title(), last.title(), "somebody@mail.example.org")
    for left in ("out", "plan.toml", "vault"):
        shutil.rmtree(tmp_path / left) if left == "out" else (tmp_path / left).unlink()
    members, _ = _household(tmp_path, [*family, namesake])
    assert members["email"][0].startswith(f"{first}.{last}")
    assert first.title() not in members.row(2) or last.title() not in members.row(2)


def test_two_addresses_of_one_person_stay_two(tmp_path: Path) -> None:
    rows = [
        ("K900001x", "Maria", "Jones", "mj@mail.example.org"),
        ("K900001x", "Maria", "Jones", "maria@work.example.org"),
    ]
    members, orders = _household(tmp_path, rows)
    assert members["email"][0] != members["email"][1] and orders["email"][:2].equals(members["email"][:2])
    assert members.row(0)[1:3] == members.row(1)[1:3]
    assert members["email"].str.extract(r"^([a-z]+\.[a-z]+)")[:2].n_unique() == 1


# Where somebody is from


def test_countries_telephones_and_names_tell_a_locale() -> None:
    some = ("de_DE", "de_AT", "fr_CH", "de_CH", "pl_PL", "ru_RU", "en_US")
    of = {"Deutschland": "de_DE", "AT": "de_AT", "Poland": "pl_PL", "Switzerland": None, "Atlantis": None, "": None}
    assert of_countries(pl.Series(list(of)), some).to_list() == list(of.values())
    numbers = {"+49 30 123456": "de_DE", "0048 22 123": "pl_PL", "030 123456": None, "+1 212 555 0187": None}
    assert of_phones(pl.Series(list(numbers)), some).to_list() == list(numbers.values())
    names = {"Agnieszka Kowalska": "pl_PL", "Сергей Иванов": "ru_RU", "Xq Zw": None}
    assert of_names(pl.Series(list(names)), some).to_list() == list(names.values())
