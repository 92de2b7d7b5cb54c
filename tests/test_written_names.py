"""Names are written as their cells are: initials stay initials, two names two, capitals capitals; but a way of writing
that few people of a run have would tell who they are."""

from __future__ import annotations

import random
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import cells, key_file, masked_by_plan, piiscan

import piiscan as api
from piiscan.core.keys import Key, Subkey
from piiscan.masking.apply.name_looks import FEWEST, LookCounts, NameLooks
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.persona import Persona
from piiscan.masking.surrogates.locales import LOCALES, UNSPACED
from piiscan.masking.surrogates.name_format import split
from piiscan.masking.surrogates.written_names import looks_of, usual_look

KEY = Subkey(bytes(range(32)))
FIRST = {
    "Anna": "First", "ANNA": "FIRST", "anna": "first", "J.": "FirstInitial.", "J": "FirstInitial",
    "j.": "firstinitial.", "Anna M.": "First SecondInitial.", "Anna-Maria": "First-Second",
    "Anna Maria": "First Second", "ANNA MARIA": "FIRST SECOND", "J.R.": "FirstInitial.SecondInitial.",
    "J.-P.": "FirstInitial.-SecondInitial.", "Maria de Lourdes": "First Second", "O'Neil": "First", "Łukasz": "First",
    "Иван П.": "First SecondInitial.", "محمد": "First", "伟": None, "": None, " ": None, "Anna 2": None, "?": None,
    "N/A": None, "-": None, "Anna (Anni)": None, "x" * 99: "first", "x " * 99: None,
}  # fmt: skip
LAST = {
    "Smith-Jones": "Last-SecondLast", "van der Berg": "van der Last", "VAN DER BERG": "VAN DER LAST",
    "García López": "Last SecondLast", "Ortega y Gasset": "Last y SecondLast", "O'BRIEN": "LAST", "McDonald": "Last",
    "Smith Jr.": "Last", "S.": "LastInitial.", "De": "Last", "de la Cruz Díaz": "de la Last SecondLast",
    "müller": "last", "SMITH-JONES": "LAST-SECONDLAST", "von": "last", "y": "lastinitial",
}  # fmt: skip
FULL = {
    "Anna Smith": "First Last", "SMITH, John": "LAST, First", "Smith, J. R.": "Last, FirstInitial. SecondInitial.",
    "J. Smith": "FirstInitial. Last", "John Q. Public": "First SecondInitial. Last",
    "JOHN Q PUBLIC": "FIRST SecondInitial LAST", "Anna Maria Schmidt": "First Second Last",
    "Gabriel García Márquez": "First Last SecondLast", "Dr. Anna Müller": "Dr. First Last",
    "Frau Anna Müller": "Title First Last",
    "Frau Prof. Dr. Müller": "Title Prof. Dr. Last", "Mr. Smith": "Title Last", "Alex. Müller": "First Last",
    "Herr Müller": "Title Last", "Dr Smith": "Dr Last",
    "Don Smith": "First Last", "Contreras": "Last",
    "Nat Cole": "First Last", "Med Amine Trabelsi": "First Second Last", "Md Rahman": "First Last",
    "Md. Abdul Karim": "Title First Last", "Doc Brown": "First Last", "Ing. Svensson": "First Last",
    "Dr. med. Anna Weber": "Dr. First Last", "Henry": "First", "SMITH": "LAST",
    "Ludwig van Beethoven": "First van Last", "Anna-Maria Smith-Jones": "First-Second Last-SecondLast",
    "SMITH John": "LAST First", "Anna S.": "First LastInitial.", "anna smith": "first last", "Cher": "First",
    "王伟": None, "Smith, Anna, MD": "Last, First", "John Smith Jr.": "First Last", ",": None, "Smith,": None,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "usual", "table"), [
    ("first_name", "First", FIRST), ("last_name", "Last", LAST), ("name", "First Last", FULL),
])  # fmt: skip
def test_how_a_cell_is_written(kind: str, usual: str, table: dict[str, str | None]) -> None:
    assert dict(zip(table, looks_of(pl.Series([*table]), kind, usual, "en_US"), strict=True)) == table


def test_surnames_stand_first_where_the_column_has_them_so() -> None:
    names = pl.Series(["Nagy Anna", "Kovács J.", "van Dijk Jan", "NAGY Anna Mária"])
    looks = ["Last First", "Last FirstInitial.", "van Last First", "LAST First Second"]
    assert looks_of(names, "name", "Last First", "en_US").to_list() == looks


def test_a_plan_names_the_look_of_more_than_half() -> None:
    assert usual_look(["J.", "K.", "Anna"], "first_name", "First", "en_US") == "FirstInitial."
    assert usual_look(["J.", "Anna", "Anna Maria"], "first_name", "First", "en_US") == "First"
    assert usual_look(["van der Berg", "van der Meer"], "last_name", "Last", "en_US") == "Last"
    assert usual_look([], "name", "Last, First", "en_US") == "Last, First"


def everything(looks: pl.Series) -> NameLooks:
    return NameLooks(looks.drop_nulls().unique())


@pytest.mark.parametrize("locale", sorted(set(LOCALES) - UNSPACED))
def test_masks_are_written_as_their_cells_and_are_declared(locale: str) -> None:
    for kind, table in (("first_name", FIRST), ("last_name", LAST), ("name", FULL)):
        texts = pl.Series([t for t, look in table.items() if look and len(t) < 60] * 8)
        operator = Persona(kind, locale, own_look=True)  # type: ignore[arg-type]
        looks = operator.looks(texts)
        who = pl.Series([f"s{i}" for i in range(len(texts))])
        genders = pl.Series(["f", "m"] * (len(texts) // 2) + ["f"] * (len(texts) % 2))
        masks = operator.mask_rows(texts, RowContext(who, genders, looks=everything(looks)), KEY)
        assert operator.declares(masks.unique(), KEY).all(), [locale, kind]
        assert not operator.declares(pl.Series(["Xqzw Qqyx", "Xqzw", "a1"]), KEY).any()


NAMES = st.sampled_from([*FIRST, *LAST, *FULL, None])


@settings(deadline=None, max_examples=60)
@given(st.lists(NAMES | st.text(max_size=8), max_size=20), st.sampled_from(["name", "first_name", "last_name"]))
def test_any_partition_gives_the_same_masks_and_nulls_stay(texts: list[str | None], kind: str) -> None:
    given_cells = pl.Series("c", texts, dtype=pl.String)
    who = pl.Series([f"s{i % 7}" for i in range(len(texts))], dtype=pl.String)
    operator = Persona(kind, "en_US", own_look=True)  # type: ignore[arg-type]
    allowed = everything(operator.looks(given_cells))

    def masked(a: int, b: int) -> list[str | None]:
        rows = RowContext(who[a:b], looks=allowed)
        return operator.mask_rows(given_cells[a:b], rows, KEY).to_list() if a < b else []

    whole, cut = masked(0, len(texts)), len(texts) // 2
    assert whole == masked(0, cut) + masked(cut, len(texts))
    assert [m is None for m in whole] == [t is None for t in texts]


def test_parts_of_one_person_agree() -> None:
    who = pl.Series([f"s{i}" for i in range(200)])
    genders = pl.Series(["f", "m"] * 100)

    def masks(cell: str, kind: str = "first_name") -> list[str]:
        operator = Persona(kind, "en_US", own_look=True)  # type: ignore[arg-type]
        texts = pl.Series([cell] * 200)
        return operator.mask_rows(
            texts, RowContext(who, genders, looks=everything(operator.looks(texts))), KEY
        ).to_list()

    one, two, both = masks("Anna"), masks("Anna-Maria"), masks("Anna M.")
    assert masks("J.") == [name[0] + "." for name in one] and masks("ANNA") == [name.upper() for name in one]
    assert [name.split("-")[0] for name in two] == one
    assert [f"{a}-{b[:1]}" for a, b in zip(one, (t.split("-")[1] for t in two), strict=True)] == [
        m.replace(" ", "-").rstrip(".") for m in both
    ]
    assert all(name.split("-")[0] != name.split("-")[1] for name in two)
    last, double = masks("Smith", "last_name"), masks("Smith-Jones", "last_name")
    assert [name.split("-")[0] for name in double] == last
    assert masks("J. Smith-Jones", "name") == [f"{a[0]}. {b}" for a, b in zip(one, double, strict=True)]


def test_without_a_subject_table_and_by_older_plans_names_take_the_column_s_look() -> None:
    texts, who = pl.Series(["J.", "Anna-Maria", "ANNA"]), pl.Series(["a", "b", "c"])
    plain = Persona("first_name", "en_US", look="First").mask_rows(texts, RowContext(who), KEY)
    rows = RowContext(who, looks=everything(pl.Series(["FirstInitial.", "First-Second", "FIRST"])))
    assert Persona("first_name", "en_US", look="First").mask_rows(texts, rows, KEY).equals(plain)
    own = Persona("first_name", "en_US", look="First", own_look=True)
    assert own.mask_rows(texts, RowContext(who), KEY).equals(plain)
    by_row = Persona("first_name", "en_US", look="First", own_look=True, per="row")
    assert not any("." in m or "-" in m for m in by_row.mask_rows(texts, rows._replace(first=0), KEY))


# Rare ones


def counted(*parts: list[tuple[str, str]], before: NameLooks | None = None) -> NameLooks:
    counts = LookCounts(before)
    for part in parts:
        frame = pl.DataFrame(part, schema={"text": pl.String, "look": pl.String}, orient="row")
        counts.add(frame["text"], frame["look"])
    return counts.found


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 14).map(str), st.sampled_from(["First", "FIRST", "J."])), max_size=60),
    st.integers(0, 60),
    st.randoms(use_true_random=False),
)
def test_counts_depend_on_no_order(rows: list[tuple[str, str]], cut: int, draw: random.Random) -> None:
    mixed = draw.sample(rows, len(rows))
    one, two = counted(rows), counted(mixed[:cut], mixed[cut:])
    assert one.common.equals(two.common) and one.others.equals(two.others)
    for look in ("First", "FIRST", "J."):
        assert (look in one.common) == (len({who for who, its in rows if its == look}) >= FEWEST)


def test_rows_of_one_person_count_once_and_of_nobody_never() -> None:
    assert not len(counted([("a", "J.")] * 50 + [("", "J.")]).common)


def test_who_was_masked_while_a_look_was_rare_keeps_that_mask() -> None:
    early = counted([(f"p{i}", "J.") for i in range(FEWEST - 1)])
    kept = NameLooks.of_texts(early.as_texts())
    later = counted([(f"p{i}", "J.") for i in range(3)] + [(f"q{i}", "J.") for i in range(3)], before=kept)
    assert later.common.to_list() == ["J."]
    allowed = later.allowed(pl.Series(["J.", "J.", "First", None]), pl.Series(["p1", "q1", "q1", "q1"]))
    assert allowed.to_list() == [False, True, False, False]
    again = NameLooks.of_texts(later.as_texts())
    assert again.common.equals(later.common) and again.others.equals(later.others)


# From files


def people(root: Path, rows: int = 400) -> Path:
    draw = random.Random(4)
    first = "Mary Sarah Linda Karen Nancy Susan Emily Laura Julia Alice".split()
    last = "Smith Johnson Miller Davis Wilson Anderson Taylor Moore Clark Lewis Walker Hall".split()
    out, notes = [], []
    for i in range(rows):
        a, c = draw.sample(first, 2)
        b, d = draw.sample(last, 2)
        name = draw.choice([a] * 5 + [a[0] + ".", f"{a} {c[0]}.", f"{a}-{c}", a.upper()])
        family = draw.choice([b] * 5 + [f"{b}-{d}", b.upper()]) if i else f"von der {b}"
        out.append((f"PT-{100_000 + 37 * i}", name, family, f"{a}.{b}{i}@corp.example.org".lower()))
        notes.append((out[-1][0], f"Saw {name} {family}. {a} is well. The {b} family, or {b.upper()}, knows."))
    folder = root / "clinic"
    folder.mkdir()
    columns = ["patient_no", "first_name", "last_name", "email"]
    pl.DataFrame(out, orient="row", schema=columns).write_csv(folder / "patients.csv")
    pl.DataFrame(notes, orient="row", schema=["patient_no", "note"]).write_csv(folder / "notes.csv")
    return folder


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("written")
    folder = people(root)
    return masked_by_plan(root, folder)


def test_files_keep_how_names_are_written_but_for_rare_ones(masked: Path) -> None:
    before, after = cells(masked / "clinic" / "patients.csv"), cells(masked / "out" / "patients.csv")
    for column, kind in (("first_name", "first_name"), ("last_name", "last_name")):
        old, new = before[column], after[column]
        # A made-up name may have a hyphen of its own in other locales, not in this one.
        usual = "First" if kind == "first_name" else "Last"
        looks = looks_of(old, kind, usual, "en_US"), looks_of(new, kind, usual, "en_US")
        assert looks[0][1:].equals(looks[1][1:])
    assert before["last_name"][0].startswith("von der ") and " " not in after["last_name"][0]


def test_mentions_in_texts_are_written_as_they_were(masked: Path) -> None:
    people, notes = cells(masked / "out" / "patients.csv"), cells(masked / "out" / "notes.csv")
    for first, last, note in zip(people["first_name"], people["last_name"], notes["note"], strict=True):
        assert ".." not in note
        name, _, rest = note.removeprefix("Saw ").partition(" is well. The ")
        family, capitals = re.fullmatch(r"(\S+) family, or (\S+), knows\.", rest).groups()  # type: ignore[union-attr]
        one = last.split("-")[0]
        assert family == one.title() and capitals == one.upper(), note
        if len(first) > 2 and note is not notes["note"][0]:
            assert name == f"{first} {last}. {re.split('[ -]', first)[0].title()}", note


def test_masked_files_pass_their_own_check(masked: Path) -> None:
    piiscan("scan", masked / "out" / "patients.csv", "--plan", masked / "plan.toml", "--fail-on", "direct")
    piiscan("verify", masked / "clinic", masked / "out", "--plan", masked / "plan.toml")


def test_one_row_one_column_and_nothing(tmp_path: Path) -> None:
    key = Key(bytes(range(32)))
    for frame in (
        pl.DataFrame({"first_name": ["J."], "last_name": ["SMITH-JONES"]}),
        pl.DataFrame({"first_name": ["Anna", "J.", None, "", "?"]}),
        pl.DataFrame({"first_name": [None, None], "last_name": ["", ""]}, schema_overrides={"first_name": pl.String}),
        pl.DataFrame({"first_name": [], "last_name": []}, schema={"first_name": pl.String, "last_name": pl.String}),
    ):
        out = api.mask(frame, api.plan(frame), key)
        assert out.shape == frame.shape and not {"J.", "SMITH-JONES"} & set(out.to_series(0).to_list())


def test_a_rare_look_of_common_halves_is_common() -> None:
    counts = LookCounts(None)
    people = [f"p{i}" for i in range(12)]
    for look, n in (("First-Second", 10), ("de Last", 10), ("de Last, First-Second", 1), ("Last, F.", 1)):
        counts.add(pl.Series(people[:n]), pl.Series([look] * n))
    found = counts.found
    assert set(found.common) == {"First-Second", "de Last", "de Last, First-Second"}
    assert found.others.rows() == [("Last, F.", "p0")]


def test_that_a_surname_stays_by_chance_is_reckoned_with_behind_a_title() -> None:
    names = pl.Series([f"Dr. {name}" for name in ("Schulz", "Weber", "Holt")] * 200)
    assert Persona("name", "de_DE", look="Dr. Last").likely_to_stay(names) > 0


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("Ing. Anastasia Kernweiler B.Sc.", "Anastasia", "Kernweiler"),
        ("Dr. John Stone MD", "John", "Stone"),
        ("Ann Lee, MBA, Ph.D.", "Ann", "Lee"),
        ("Ing. Jan Novák, CSc.", "Jan", "Novák"),
        ("Bob Stone Jr.", "Bob", "Stone"),
        ("Stone, Bob, Jr.", "Bob", "Stone"),
        ("Yo-Yo Ma", "Yo-Yo", "Ma"),
        ("YO YO MA", "YO", "MA"),
        ("Robert Do", "Robert", "Do"),
        ("Jan van Dis", "Jan", "Dis"),
    ],
)
def test_degrees_behind_a_name_are_no_part_of_it(name: str, first: str, last: str) -> None:
    found = split(pl.Series([name]), "First Last")
    assert (found.first[0], found.last[0]) == (first, last)


def test_names_with_degrees_are_masked_in_texts(tmp_path: Path) -> None:
    degrees = ("B.Sc.", "B.A.", "MD", "Jr.")
    names = [f"{given} {family}" for given in GIVEN for family in FAMILIES]
    rows = [
        {"name": f"{name} {degrees[i % 4]}", "note": f"{name.split()[1]} and {name} {degrees[i % 4]} called about it"}
        for i, name in enumerate(names)
    ]
    source, plan, target = tmp_path / "t.csv", tmp_path / "plan.toml", tmp_path / "out.csv"
    pl.DataFrame(rows).write_csv(source)
    piiscan("plan", source, "-o", plan)
    piiscan("mask", source, "--plan", plan, "-o", target, "--key", key_file(tmp_path))
    text = target.read_text(encoding="utf-8")
    assert not any(family in text for family in FAMILIES)


GIVEN = "Anna Peter Maria Jens".split()
FAMILIES = "Kernweiler Dobrzanek Okwumabua Strellhorn Quistgaard Zwirnmann".split()
