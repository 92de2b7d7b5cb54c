"""What the columns of a run hold of people is masked in its texts too, by the mask that the column gives."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from mask_people import cells, key_file, piiscan, planned

from piiscan.core.keys import Key
from piiscan.core.types import Pii
from piiscan.detection.reading.url_encoding import decoded
from piiscan.masking.apply.known_people import gathered
from piiscan.masking.apply.mask_texts import TextMasker
from piiscan.masking.apply.masks_ahead import MaskedRows, masks_of
from piiscan.masking.known.choosing import chosen
from piiscan.masking.known.folded_text import Folded, Hasher, Ints
from piiscan.masking.known.gathering import Gathering, Maker
from piiscan.masking.known.mentions import Search
from piiscan.masking.known.rendering import declined, full_name, like, other_date, poured
from piiscan.masking.known.row_keys import KeysSeen
from piiscan.masking.known.text_hashes import SeenTexts
from piiscan.masking.known.value_forms import FIRST_LAST, INITIAL_LAST, LAST_FIRST, day_hashes
from piiscan.masking.known.written_dates import DateReader
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan

NAMES = [
    ("Jessica", "Wood"), ("Will", "May"), ("Katarzyna", "Kowalska"), ("Jürgen", "Müller-Lüdenscheidt"),
    ("Anna", "Schmidt"), ("Анна", "Корсакова"), ("Hope", "Parkinson"), ("Conor", "O'Brien"), ("Anna", "Fischer"),
]  # fmt: skip
SAID = "Seen today by the ward team, stable and in good spirits."
FILLERS = ["Alice", "Bruno", "Clara", "David", "Emil", "Frida", "Georg", "Helga"]


def patients(rows: int = 120) -> pl.DataFrame:
    people = NAMES + [
        (FILLERS[i % 8] + "abcdefghijklmnop"[i // 8], f"Z{'aeiou'[i % 5]}mm{'aeiou'[i // 5 % 5]}rmann")
        for i in range(rows - len(NAMES))
    ]
    return pl.DataFrame(
        {
            "patient_id": [f"PT-{40_000 + 37 * i}-{i % 90 + 10}" for i in range(rows)],
            "first_name": [first for first, _ in people],
            "last_name": [last for _, last in people],
            "date_of_birth": [f"{1931 + i % 80}-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(rows)],
            "email": [f"reach{i * 7919 % 100_003:05}@{('mail.com', 'post.net')[i % 2]}" for i in range(rows)],
            "phone": [f"(212) 555-{(i * 7907) % 10_000:04}" for i in range(rows)],
            "street": [
                f"{i + 3} {'BDFGKLMNPRST'[i % 12]}{'aeiou'[i // 12 % 5]}{'llow rbert'.split()[i // 60]}by Street"
                for i in range(rows)
            ],
        }
    )


def masked_notes(
    tmp_path: Path, notes: Sequence[tuple[int, str]], policy: str = "default"
) -> tuple[pl.DataFrame, list[str]]:
    """The masked patients, and the texts of notes, each of a patient by row."""
    root, people = tmp_path / "in", patients()
    root.mkdir()
    people.write_csv(root / "patients.csv")
    rest = [(i, SAID) for i in range(9, 60)]
    with (root / "notes.jsonl").open("w", encoding="utf-8") as out:
        for row, text in [*notes, *rest]:
            out.write(json.dumps({"patient_id": people["patient_id"][row], "note": text}) + "\n")
    piiscan("mask", root, "--policy", policy, "-o", tmp_path / "out", "--key", key_file(tmp_path))
    lines = (tmp_path / "out" / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    return cells(tmp_path / "out" / "patients.csv"), [json.loads(line)["note"] for line in lines[: len(notes)]]


@pytest.mark.slow
def test_values_of_the_row_s_person_are_masked_in_any_look(tmp_path: Path) -> None:
    people = patients()
    number, phone, street = (people[c][0] for c in ("patient_id", "phone", "street"))
    new, (first, second, third, fourth) = masked_notes(
        tmp_path,
        [
            (0, f"Ms. WOOD ({number.replace('-', '')}) came. Jess says she is fine. Wood, Jessica; J. Wood."),
            (0, f"Call {phone.replace('(', '').replace(') ', '.')}, or visit {street.upper()}."),
            (0, "See https://x.example/p?name=Jessica%20Wood&id=1 and mail jwood."),
            (2, "Rozmowa z Katarzyną Kowalską. Kasia czuje się lepiej."),
        ],
    )
    mask = {c: new[c][0] for c in new.columns}
    head, tail = mask["first_name"], mask["last_name"]
    assert first.startswith(f"Ms. {tail.upper()} ({mask['patient_id'].replace('-', '')}) came. {head} says")
    assert first.endswith(f"{tail}, {head}; {head[0]}. {tail}.")
    assert second == (f"Call {mask['phone'].replace('(', '').replace(') ', '.')}, or visit {mask['street']}.")
    assert "Jessica" not in third and "Wood" not in third and third.endswith(f"mail {head[0].lower()}{tail.lower()}.")
    assert fourth == "Rozmowa z {0} {1}. {0} czuje się lepiej.".format(new["first_name"][2], new["last_name"][2])


@pytest.mark.slow
def test_common_words_stay_where_they_are_words(tmp_path: Path) -> None:
    new, (own, other, disease, small) = masked_notes(
        tmp_path,
        [
            (1, "Will is better. He will return in two weeks."),
            (0, "The patient will return in May. Hope is justified."),
            (0, "Known Parkinson's disease, stable."),
            (9, "Nothing will change."),
        ],
    )
    assert own == f"{new['first_name'][1]} is better. He will return in two weeks."
    assert other == "The patient will return in May. Hope is justified."
    assert disease == "Known Parkinson's disease, stable." and small == "Nothing will change."


@pytest.mark.slow
def test_others_get_their_own_mask_or_one_by_value(tmp_path: Path) -> None:
    new, (named, unclear) = masked_notes(
        tmp_path, [(0, "Spoke with Anna Schmidt about the plan. Anna agrees."), (0, "Mail from reach95028@mail.com.")]
    )
    assert named == "Spoke with {0} {1} about the plan. {0} agrees.".format(new["first_name"][4], new["last_name"][4])
    assert "reach95028" not in unclear
    assert patients()["email"][12] == "reach95028@mail.com" and new["email"][12] in unclear


@pytest.mark.slow
def test_a_policy_s_dates_of_birth_are_coarser_in_texts_too(tmp_path: Path) -> None:
    born = patients()["date_of_birth"][3]
    year, month, day = born.split("-")
    _, texts = masked_notes(tmp_path, [(3, f"Born {born}."), (3, f"geb. {int(day)}. April {year}")], "gdpr")
    assert month == "04"
    assert texts == [f"Born {year}.", f"geb. {year}"]


def test_ages_over_89_are_masked_where_the_policy_masks_ages(tmp_path: Path) -> None:
    texts = ["a 91-year-old woman", "âgé de 94 ans", "95-летняя пациентка", "BP 95/60 at 89 years", "ward 92, 3 times"]
    _, masked = masked_notes(tmp_path, [*enumerate(texts)], "gdpr")
    assert masked == [
        "a <AGE>-year-old woman",
        "âgé de <AGE> ans",
        "<AGE>-летняя пациентка",
        *texts[3:],
    ]


def test_the_same_row_tells_whose_text_it_is() -> None:
    import piiscan

    frame = patients().with_columns(
        (pl.col("first_name") + " was seen today, and " + pl.col("last_name").str.to_uppercase() + " is well.").alias(
            "note"
        )
    )
    masked = piiscan.mask(frame, piiscan.plan(frame), Key(bytes(range(32))))
    expected = masked["first_name"] + " was seen today, and " + masked["last_name"].str.to_uppercase() + " is well."
    assert masked["note"].to_list() == expected.to_list()


def _notes(rows: int, empty: int) -> tuple[Plan, list[tuple[TablePlan, pl.DataFrame]]]:
    """People, and notes on them, of which some name nobody."""
    people = TablePlan(
        "people.csv", None,
        (
            Action(0, "patient_no", "string", "MEDICAL_RECORD", "direct", "suppress"),
            Action(1, "last_name", "string", "LAST_NAME", "direct", "suppress"),
        ),
    )  # fmt: skip
    notes = TablePlan(
        "notes.csv", None,
        (
            Action(0, "patient_no", "string", "MEDICAL_RECORD", "direct", "suppress"),
            Action(1, "text", "string", "FREE_TEXT", "sensitive", "spans"),
            Action(2, "relative", "string", "LAST_NAME", "direct", "suppress"),
        ),
    )  # fmt: skip
    numbers = [f"PT-{i:05}" for i in range(50)]
    frames = (
        pl.DataFrame({"0": numbers, "1": [f"Kraus{'abcdefghij'[i % 10]}{'klmno'[i // 10]}" for i in range(50)]}),
        pl.DataFrame(
            {
                "0": [None if i < empty else numbers[i % 50] for i in range(rows)],
                "1": ["All is well."] * rows,
                "2": [f"Vogel{'abcde'[i % 5]}" for i in range(rows)],
            },
            schema_overrides={"0": pl.String},
        ),
    )
    return Plan("default", "0", (people, notes)), list(zip((people, notes), frames, strict=True))


@pytest.mark.parametrize("empty", [0, 7])
def test_what_is_known_grows_with_people_and_not_with_notes(empty: int) -> None:
    """A row's own key takes room only where no column has one; what stands beside a text is its row's own anyway."""
    sizes = []
    for rows in (500, 5000):
        plan, tables = _notes(rows, empty)
        known = gathered(tables, plan, None, None)
        assert known is not None
        sizes.append((len(known._pairs), len(known.entries.mask)))
        keys = known.keys(tables[1][1], tables[1][0], 0)
        found = Search(known).find(["Vogela came"])
        for row, is_own in ((0, True), (5, True), (rows - 5, True), (8, False), (rows - 4, False)):
            picked = chosen(known, found, np.array([0 if n == row else -1 for n in range(rows)]), keys)
            assert len(picked.own) and bool(picked.own.all()) == bool(picked.own.any()) == is_own
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("pii", ["quasi", "none"])
def test_masked_keys_of_persons_are_looked_for_whatever_they_are_called(pii: Pii) -> None:
    table = TablePlan(
        "x.csv", None,
        (
            Action(0, "file", "string", "GENERIC_ID", pii, "suppress"),
            Action(1, "text", "string", "FREE_TEXT", "sensitive", "spans"),
        ),
    )  # fmt: skip
    frame = pl.DataFrame({"0": [str(770_031 + 97 * i) for i in range(20)], "1": ["All is well."] * 20})
    known = gathered([(table, frame)], Plan("default", "0", (table,)), None, None)
    assert (known is not None and len(Search(known).find(["see 770128 again"]).value) == 1) == (pii == "quasi")


WRITTEN: tuple[Callable[[dict[str, str]], str], ...] = (
    lambda p: f"{p['first_name']} {p['last_name']} came with {p['first_name'][:4]} on {p['date_of_birth']}.",
    lambda p: f"Wrote to {p['email'].upper()}, called 0{p['phone']} and +1{p['phone']}.",
    lambda p: f"MRN{p['patient_id'].replace('-', '')} of {p['last_name']}s, {p['first_name'].lower()}",
    lambda p: f"https://x.example/?q={p['first_name']}%20{p['last_name']}&s={p['street'].replace(' ', '%20')}",
    lambda p: (
        f"Lives in {p['street'].split(' ', 1)[1]}; {p['first_name'][0]}. {p['last_name'].upper()}, born "
        f"{int(p['date_of_birth'][8:])}.{int(p['date_of_birth'][5:7])}.{p['date_of_birth'][:4]}"
    ),
    lambda p: SAID,
)


@pytest.mark.parametrize("mentions", [0, 1, 60])
def test_what_no_text_mentions_need_not_be_known(mentions: int) -> None:
    people = patients()
    entities = "MEDICAL_RECORD FIRST_NAME LAST_NAME DATE_OF_BIRTH EMAIL_ADDRESS PHONE_NUMBER STREET_ADDRESS".split()
    columns = tuple(Action(i, e.lower(), "string", e, "direct", "hash") for i, e in enumerate(entities))
    born = Action(3, "born", "date", "DATE_OF_BIRTH", "direct", "date-shift", {"days": 30})
    columns = *columns[:3], born, *columns[4:]
    text = Action(7, "note", "string", "FREE_TEXT", "sensitive", "spans")
    subject = Subject("person", ((0,),), first_name=1, last_name=2)
    table = TablePlan("people.csv", None, (*columns, text), subjects=(subject,))
    draw = random.Random(mentions)
    rows = people.to_dicts()
    said = [draw.choice(WRITTEN)(draw.choice(rows)) if i < mentions else SAID for i in range(len(rows))]
    frame = people.rename(dict(zip(people.columns, map(str, range(7)), strict=True))).with_columns(
        pl.Series("7", said), pl.Series("3", people["date_of_birth"]).str.to_date()
    )
    masks = {i: frame[str(i)].cast(pl.String).str.reverse() for i in range(7)}
    asked: list[str] = []

    def reversed_values(rows: Ints, values: pl.Series) -> pl.Series:
        asked.extend(values.cast(pl.String))
        assert frame[rows].select(pl.any_horizontal(pl.all().cast(pl.String) == values.cast(pl.String)))["0"].all()
        return values.cast(pl.String).str.reverse()

    makers = {i: Maker(reversed_values, "reversed") for i in (0, 3, 4, 5, 6)}
    made, sizes = [], []
    for sees, few in ((False, False), (True, False), (True, True)):
        texts = SeenTexts()
        gathering = Gathering(Plan("default", "0", (table,)), texts=texts)
        assert not any(gathering.asks_for_few(a, makers[0]) for a in columns)
        if sees:
            texts.add(pl.Series(said[:70]))
            texts.add(pl.Series(said[70:]))
            assert [a.index for a in columns if gathering.asks_for_few(a, makers[0])] == [*makers]
            assert not gathering.asks_for_few(replace(born, dtype="string"), makers[0])  # all cells tell its format
        some = {i: each for i, each in masks.items() if i not in makers}
        gathering.add(table, frame, some if few else masks, 0, {}, makers if few else {})
        known = gathering.finished()
        assert known
        masker = TextMasker((), None, {}, known)
        made.append(masker.mask_texts(frame["7"], known.keys(frame, table, 0)).to_list())
        sizes.append(len(known.values))
    assert made[0] == made[1] == made[2] and max(sizes[1:]) < sizes[0] / 2
    assert mentions / 4 <= len(asked) < len(makers) * len(rows) / 2
    assert sum(a != b for a, b in zip(made[0], said, strict=True)) >= mentions / 2


@pytest.mark.parametrize("shared", [False, True])
def test_rows_that_share_a_key_know_each_other_s_values(shared: bool) -> None:
    """Keys that stand in one row each take no room: their rows are known by their numbers."""
    columns = (
        Action(0, "patient_no", "string", "MEDICAL_RECORD", "direct", "suppress"),
        Action(1, "ssn", "string", "US_SSN", "direct", "suppress"),
        Action(2, "last_name", "string", "LAST_NAME", "direct", "suppress"),
        Action(3, "text", "string", "FREE_TEXT", "sensitive", "spans"),
    )
    table, rows = TablePlan("people.csv", None, columns), 40
    ssn = [f"{100 + i}-45-{6000 + 7 * i}" for i in range(rows)]
    if shared:
        ssn[20] = ssn[0]
    names = [f"Kraus{'abcdefghij'[i % 10]}{'klmno'[i // 10]}" for i in range(rows)]
    numbers = [f"PT-{i:05}" for i in range(rows)]
    frame = pl.DataFrame({"0": numbers, "1": ssn, "2": names, "3": ["All is well."] * rows})
    seen = KeysSeen([table])
    for part in (frame.head(10), frame.slice(10)):
        seen.add(table, part)
    joining = seen.found()
    assert joining.joins("US_SSN") == shared
    known = gathered([(table, frame)], Plan("default", "0", (table,)), None, None, joining)
    assert known is not None
    found, keys = Search(known).find([f"{names[20]} came"]), known.keys(frame, table, 0)
    for row, is_own in ((20, True), (0, shared), (1, False)):
        picked = chosen(known, found, np.array([0 if n == row else -1 for n in range(rows)]), keys)
        assert len(picked.own) and bool(picked.own.all()) == bool(picked.own.any()) == is_own
    assert len(keys) == 1 and len(known._pairs) <= len(known.entries.mask)


@pytest.mark.parametrize(
    ("one", "other"),
    [("O'Brien", "OBRIEN"), ("Müller", "muller"), ("Straße", "STRASSE"), ("Łukasz", "lukasz"), ("ёлка", "елка")]
    + [("219-09-9999", "219099999"), ("e\u0301mile", "Émile"), ("Ａｎｎａ", "anna"), ("٣٤", "34")],
)
def test_spellings_that_mean_the_same_have_one_hash(one: str, other: str) -> None:
    f = Folded([one, other], Hasher())
    begin = [0, int((f.at < len(one)).sum())]
    end = [begin[1], len(f.at)]
    left, right = f.hashes(*(pl.Series(x).to_numpy() for x in (begin, end)))
    assert left == right


def test_tokens_end_at_separators_and_texts() -> None:
    f = Folded(["Anna-Maria, x", "y 山田 z9"], Hasher())
    assert f.text.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert [(f.at[a], f.at[b - 1] + 1) for a, b in zip(f.start, f.stop, strict=True)] == [
        (0, 4), (5, 10), (12, 13), (13, 14), (15, 16), (16, 17), (18, 20),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "13.05.1962",
        "05/13/1962",
        "1962-05-13",
        "13 мая 1962 г.",
        "May 13th, 1962",
        "13 de mayo de 1962",
        "1962年5月13日",
    ]
    + ["13. Mai 62", "19620513", "13051962"],
)
def test_dates_are_read_in_any_form(text: str) -> None:
    from datetime import date

    hasher = Hasher()
    found = DateReader(hasher).find(Folded([text], hasher))
    assert (date(1962, 5, 13) - date(1970, 1, 1)).days in found.day.tolist()


def test_masks_take_the_look_of_the_mention() -> None:
    assert like("Jensen", "SMITH") == "JENSEN" and like("Jensen", "smith") == "jensen"
    assert like("Jensen", "გიორგი") == like("Jensen", "佐藤") == "Jensen"
    assert poured("730506228", "219 09 9999") == "730 50 6228" and poured("AB1", "12") == "AB1"
    assert full_name(FIRST_LAST, "Anna  Müller", 4, "Eva", "Kurz") == "Eva  Kurz"
    assert full_name(LAST_FIRST, "MÜLLER, Anna", 6, "Eva", "Kurz") == "KURZ, Eva"
    assert full_name(INITIAL_LAST, "A. Müller", 1, "Eva", "Kurz") == "E. Kurz"
    assert declined("Eva", "Annas", 1) == "Evas" and declined("Eva", "Annie", 2) == "Eva"
    hasher = Hasher()
    value = int(day_hashes(pl.Series([-2790]).to_numpy(), hasher)[0])
    assert other_date("1961-12-03", "13. Mai 1962", value, hasher) == "03. Dezember 1961"
    assert other_date("1961-12-03", "05/13/62", value, hasher) == "12/03/61"
    assert other_date("1962", "05/13/62", value, hasher) == "1962"


def test_what_urls_encode_is_read() -> None:
    plain = decoded("a%20b%C3%BCc")
    assert plain is not None and plain.text == "a büc" and plain.at == [0, 1, 4, 5, 11, 12]
    assert decoded("100 % sure") is None


def test_a_text_that_begins_with_an_invisible_character_ends_no_other_one(tmp_path: Path) -> None:
    """Such a character is no part of a name, and stays around it."""
    new, (first, second) = masked_notes(
        tmp_path, [(0, "https://x.example/p%20q?name=Jessica"), (2, "\u200bKatarzyna\u200b was seen by the ward team.")]
    )
    assert first == f"https://x.example/p%20q?name={new['first_name'][0]}"
    assert second == f"\u200b{new['first_name'][2]}\u200b was seen by the ward team."


@pytest.mark.slow
def test_plan_and_report_tell_what_is_not_looked_for(tmp_path: Path) -> None:
    lines = ["Anna Schmidt called about her knee today.", "Then Peter Wagner came, and John Miller left early."] * 30
    pl.DataFrame({"note": lines, "row": range(60)}).write_csv(tmp_path / "notes.csv")
    piiscan("plan", tmp_path / "notes.csv", "-o", tmp_path / "plan.toml")
    assert "no column identifies the person" in (tmp_path / "plan.toml").read_text(encoding="utf-8")
    root = tmp_path / "in"
    root.mkdir()
    people = patients(60)
    people.write_csv(root / "patients.csv")
    people.select("patient_id", note=pl.col("last_name") + " was seen, and Anna Schmidt called.").write_csv(
        root / "n.csv"
    )
    plan = planned(root, tmp_path / "plan2.toml", last_name='operator = "keep"')
    report = tmp_path / "r.json"
    call = ["mask", root, "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path), "--report", report]
    piiscan(*call)
    (note,) = [n for n in json.loads(report.read_text())["plan"]["notes"] if "isn't" not in n and "aren't" in n]
    assert note.startswith("patients.csv: column last_name is kept by a person's decision")
    assert people["last_name"][3] in cells(tmp_path / "out" / "n.csv")["note"][3]


@pytest.mark.slow
def test_mentions_own_redacts_everybody_else(tmp_path: Path) -> None:
    root = tmp_path / "in"
    root.mkdir()
    people = patients()
    people.write_csv(root / "patients.csv")
    text = people["first_name"] + " came with Anna Schmidt, whose mail is reach95028@mail.com."
    people.select("patient_id", note=text).write_csv(root / "n.csv")
    plan = planned(root, tmp_path / "plan.toml", note='operator = "spans"\nwith = {mentions = "own"}')
    piiscan("mask", root, "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path))
    new, notes = cells(tmp_path / "out" / "patients.csv"), cells(tmp_path / "out" / "n.csv")["note"]
    assert notes[0] == f"{new['first_name'][0]} came with <PERSON>, whose mail is <EMAIL_ADDRESS>."


def test_masks_made_in_advance_are_those_of_batches_cut_elsewhere() -> None:
    frame = pl.DataFrame({"0": list("abcdefgh")})
    masks = frame["0"].str.to_uppercase()
    ahead = [MaskedRows(at, frame[at : at + 3], {0: masks[at : at + 3]}) for at in (0, 3, 6)]
    assert masks_of(ahead, frame[2:7], 2)[0].to_list() == list("CDEFG")
    assert masks_of(ahead, frame[3:6], 3)[0].to_list() == list("DEF")
    assert masks_of(ahead, frame[2:7], 3) == {}, "other rows stand there"
    assert masks_of(ahead, frame[6:].vstack(frame[:1]), 6) == {}, "the last of them has no mask"
    assert masks_of(ahead, frame[2:7], None) == {}, "where they stand isn't known"


def test_names_that_each_have_several_masks_are_looked_up_too(tmp_path: Path) -> None:
    """What a whole name and its parts in other columns become differs, and no row of the texts says whose they are."""
    people = [("Mary", "Wojcik"), ("John", "Okonkwo"), ("Linda", "Brannigan"), ("Paul", "Haverstock")]
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [f"{first} {last},{first},{last}" for first, last in people]
    (folder / "people.csv").write_text("\n".join(["name (A),first name (B),last name (C)", *rows]) + "\n")
    notes = [f"She was a friend of {first} {last} and of {first}." for first, last in people]
    (folder / "notes.csv").write_text("\n".join(["note", *notes]) + "\n")
    piiscan("mask", folder, "-o", tmp_path / "out", "--key", key_file(tmp_path))
    masked = (tmp_path / "out" / "notes.csv").read_text()
    assert not [last for _, last in people if last in masked]
