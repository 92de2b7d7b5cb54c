"""A street has one mask wherever it stands, of the locale that most people have who live there."""

from __future__ import annotations

import random
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import cells, key_file, piiscan
from test_subject_table import AMERICANS, GERMANS, SURNAMES, planned

from piiscan.core.keys import Subkey
from piiscan.masking.apply.name_looks import NameLooks
from piiscan.masking.apply.street_locales import ENTRIES, StreetLocales, StreetVotes
from piiscan.masking.apply.subject_attributes import ENTRIES as SUBJECTS
from piiscan.masking.apply.subject_attributes import Remembered, as_vault
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.persona import Persona
from piiscan.masking.operators.surrogate import Surrogate
from piiscan.masking.surrogates.places import look_in, street_pattern_of, streets

KEY = Subkey(bytes(range(32)))


def practice(root: Path, size: int = 240) -> Path:
    """patients.csv has country and street, bills.csv the street by number alone, notes.csv texts with streets."""
    draw = random.Random(5)
    rows = []
    for i in range(size):
        german = i % 3 == 0
        first = draw.choice((GERMANS if german else AMERICANS)[draw.choice("FM")])
        last = draw.choice(SURNAMES["DE" if german else "US"])
        street = f"Lindenstraße {i + 1}" if german else f"{i + 1} Maple Street"
        rows.append(
            (f"PT-{i * 3571 % 1000000:06}", first, last, f"u{i}@mail.example.org", street, "DE" if german else "US")
        )
    people = pl.DataFrame(
        rows, orient="row", schema=["patient_no", "first_name", "last_name", "email", "street", "country"]
    )
    folder = root / "practice"
    folder.mkdir(parents=True)
    people.write_csv(folder / "patients.csv")
    people.select("email", "street", pl.int_range(size).alias("invoice")).sample(size, seed=1).write_csv(
        folder / "bills.csv"
    )
    said = pl.concat_str(
        pl.lit("The patient has moved to "), "street", pl.lit(" and feels well there since the spring.")
    )
    people.select("email", said.alias("note")).write_csv(folder / "notes.csv")
    return folder


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("streets")
    folder = practice(root)
    planned(folder, root / "plan.toml", root / "vault")
    piiscan("mask", folder, "--plan", root / "plan.toml", "--key", key_file(root), "-o", root / "out")
    return root


def without_number(street: str) -> str:
    return re.sub(r"^\d+ | \d+$", "", street)


def test_streets_are_of_the_locale_of_who_lives_there(masked: Path) -> None:
    before, after = cells(masked / "practice/patients.csv"), cells(masked / "out/patients.csv")
    for country, locale in (("DE", "de_DE"), ("US", "en_US")):
        mine = after.filter(before["country"] == country)["street"]
        assert len(mine) >= 80 and {without_number(s) for s in mine} <= set(streets(locale))
    assert street_pattern_of(after.filter(before["country"] == "DE")["street"]) == "Street Number"
    assert street_pattern_of(after.filter(before["country"] == "US")["street"]) == "Number Street"


def test_a_street_has_one_mask_in_all_tables_and_texts(masked: Path) -> None:
    before, after = masked / "practice", masked / "out"
    pairs = pl.concat(
        pl.DataFrame({"street": cells(before / name)["street"], "mask": cells(after / name)["street"]})
        for name in ("patients.csv", "bills.csv")
    ).unique()
    assert len(pairs) == pairs["street"].n_unique() == 240
    masks = dict(pairs.iter_rows())
    noted, notes = cells(before / "notes.csv")["note"], cells(after / "notes.csv")["note"]
    streets_in = noted.str.extract("moved to (.*) and feels")
    assert sum(masks[s] in note for s, note in zip(streets_in, notes, strict=True)) == 240


def test_later_people_change_no_street(masked: Path, tmp_path: Path) -> None:
    """Americans who move into a German's street leave its mask as it was."""
    people = cells(masked / "practice/patients.csv")
    more = people.filter(people["country"] == "US").head(60)
    moved = more.with_columns(
        ("new" + pl.int_range(60).cast(pl.String) + "@mail.example.org").alias("email"),
        pl.Series("street", people.filter(people["country"] == "DE")["street"].head(20).to_list() * 3),
        (pl.lit("PT-9") + pl.int_range(10000, 10060).cast(pl.String)).alias("patient_no"),
    )
    folder = tmp_path / "later"
    folder.mkdir()
    pl.concat([people, moved]).write_csv(folder / "patients.csv")
    for name in ("bills.csv", "notes.csv"):
        (folder / name).write_bytes((masked / "practice" / name).read_bytes())
    piiscan("mask", folder, "--plan", masked / "plan.toml", "--key", key_file(masked), "-o", tmp_path / "out")
    again = cells(tmp_path / "out/patients.csv").head(len(people))
    assert again["street"].equals(cells(masked / "out/patients.csv")["street"])


WHO = ["a", "b", "c", ""]
LOCALES = pl.DataFrame({"text": ["a", "b", "c"], "locale": ["de_DE", "de_DE", None]}, schema=["text", "locale"])


def _decided(*parts: list[tuple[str, str]], known: pl.DataFrame | None = None) -> dict[str, str]:
    votes = StreetVotes(lambda streets: streets)
    for part in parts:
        frame = pl.DataFrame(part, schema={"street": pl.String, "who": pl.String}, orient="row")
        votes.add(frame["street"], frame["who"])
    found = votes.decided(pl.DataFrame(schema=ENTRIES) if known is None else known, LOCALES)
    return dict(found.iter_rows())


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(["1 High St", "2 High St"]), st.sampled_from(WHO)), max_size=12),
    st.randoms(use_true_random=False),
    st.integers(0, 12),
)
def test_votes_depend_on_no_order_nor_batches(rows: list[tuple[str, str]], draw: random.Random, cut: int) -> None:
    mixed = draw.sample(rows, len(rows))
    assert _decided(rows) == _decided(mixed[cut:], mixed[:cut])


def test_people_are_counted_once_and_a_tie_is_the_plan_s() -> None:
    assert _decided([("1 High St", "a"), ("1 high st ", "b"), ("1 High St", "c")]) == {"1 high st": "de_DE"}
    assert _decided([("1 High St", "a"), ("1 High St", "a"), ("1 High St", "c")]) == {"1 high st": ""}
    assert _decided([("1 High St", ""), ("2 High St", "a")]) == {"1 high st": "", "2 high st": "de_DE"}


def test_what_was_decided_stays_and_comes_back_from_a_vault() -> None:
    known = pl.DataFrame({"text": ["1 high st", "2 high st"], "locale": ["", "fr_FR"]})
    assert _decided([("1 High St", "a"), ("2 High St", "a")], known=known) == {"1 high st": "", "2 high st": "fr_FR"}
    nobody = pl.DataFrame(schema=SUBJECTS)
    kept = Remembered.of(as_vault(nobody, pl.Series("s", [], dtype=pl.String), NameLooks(), streets=known))
    assert kept.streets.equals(known) and not len(kept.links) and not len(kept.entries)
    found = StreetLocales(kept.streets).of(pl.Series(["2 high st", "1 high st", "3 high st"]))
    assert found.to_list() == ["fr_FR", None, None]


def test_only_locales_of_the_plan_are_used() -> None:
    values = pl.Series(["1 High St", "2 High St"])
    plain = Surrogate("street", locale="en_US", look="Number Street")
    own = Surrogate("street", locale="en_US", look="Number Street", locales=("de_DE",))
    both = own.mask_in_locales(pl.Series([None, "fr_FR"], dtype=pl.String), values, KEY)
    assert both.equals(plain.mask(values, KEY)) and own.mask_in_locales(None, values, KEY).equals(both)
    german = own.mask_in_locales(pl.Series(["de_DE", "de_DE"]), values, KEY)
    assert own.declares(german, KEY).all() and not plain.declares(german, KEY).any()
    rows = RowContext(pl.Series(["a"]), locales=pl.Series(["de_DE"]))
    one = pl.Series(["Ann"])
    assert (
        Persona("last_name", "en_US")
        .mask_rows(one, rows, KEY)
        .equals(Persona("last_name", "en_US").mask_rows(one, RowContext(pl.Series(["a"])), KEY))
    )


def test_the_number_stands_where_people_of_the_locale_write_it() -> None:
    assert [look_in(x, "Number STREET") for x in ("de_DE", "es_ES", "fr_FR")] == [
        "STREET Number", "STREET, Number", "Number STREET",
    ]  # fmt: skip
    assert look_in("de_DE", "Street") == "Street"
