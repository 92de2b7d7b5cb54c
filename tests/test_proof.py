"""Verification looks every value up: what masking leaves of anybody keeps the output from getting its name."""

from __future__ import annotations

import io
import json
import random
import re
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import key_file, piiscan, planned
from test_known_values import patients

from piiscan.detection.matching.identifiers_in_names import is_of_person
from piiscan.masking.known.fingerprint_index import FingerprintIndex, GrowingSet
from piiscan.masking.known.row_keys import JoiningKeys, joining_keys
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.proof import cut_cells, print_sets
from piiscan.masking.proof.chance import Chance
from piiscan.masking.proof.columns_together import Cells
from piiscan.masking.proof.people_prints import PeoplePrints
from piiscan.masking.proof.print_sets import KeyedPrints, paired
from piiscan.masking.proof.printer import Printer, Prints
from piiscan.masking.run.look_ups import others_of

SAID = "Seen today by the ward team, stable and in good spirits."
PLANTED: dict[str, Callable[[dict[str, str]], str]] = {
    "number": lambda p: f"Number {p['patient_id'].replace('-', ' ')} is right.",
    "e-mail": lambda p: f"Wrote to {p['email'].upper()} today.",
    "telephone": lambda p: f"Called {p['phone'].replace(' ', '.').replace('(', '').replace(')', '')} twice.",
    "full name": lambda p: f"Spoke with {p['last_name']}, {p['first_name']} about it.",
    "last name": lambda p: f"Then {p['last_name'].upper()} left.",
    "street": lambda p: f"Lives in {p['street']}.",
    "road": lambda p: f"Found in {p['street'].split(' ', 1)[1]} at night.",
    "in a URL": lambda p: f"See https://x.example/?q={p['first_name']}%20{p['last_name']}&a=1",
}


KEPT = re.compile(r"(\d+) promises? checked, \1 kept\.")


def planting(kind: str, rows: int = 60) -> pl.DataFrame:
    """Notes of patients, one in six with a value of its patient."""
    people = patients().head(rows)
    text = [PLANTED[kind](p) if i % 6 == 0 else SAID for i, p in enumerate(people.to_dicts())]
    return pl.DataFrame({"patient_id": people["patient_id"], "remark": text, "day": [f"d{i % 7}" for i in range(rows)]})


def write(container: str, notes: pl.DataFrame, root: Path) -> str:
    """The notes in a file of some kind; the column that they are in then."""
    rows = notes.to_dicts()
    match container:
        case "csv":
            notes.write_csv(root / "notes.csv")
        case "parquet":
            notes.write_parquet(root / "notes.parquet")
        case "json in a cell":
            cell = [json.dumps({"by": r["day"], "said": r["remark"]}) for r in rows]
            notes.select("patient_id", pl.Series("remark", cell)).write_csv(root / "notes.csv")
            return "remark.said"
        case "list":
            lines = (json.dumps({"patient_id": r["patient_id"], "remark": [SAID, r["remark"]]}) for r in rows)
            (root / "notes.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        case "sqlite":
            with sqlite3.connect(root / "notes.db") as base:
                base.execute("CREATE TABLE notes (patient_id TEXT, remark TEXT, day TEXT)")
                base.executemany("INSERT INTO notes VALUES (?, ?, ?)", notes.rows())
            base.close()
        case "workbook":
            notes.write_excel(root / "notes.xlsx")
        case _:
            inner = io.BytesIO()
            notes.write_csv(inner)
            with zipfile.ZipFile(root / "notes.zip", "w") as archive:
                archive.writestr("a/notes.csv", inner.getvalue())
    return "remark"


def attempt(tmp_path: Path, container: str, kind: str, operator: str) -> str:
    root = tmp_path / "in"
    root.mkdir()
    patients().write_csv(root / "patients.csv")
    column = write(container, planting(kind), root)
    plan = planned(root, tmp_path / "plan.toml", **{column: f'operator = "{operator}"'})
    call = ["mask", root, "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path)]
    return piiscan(*call, status=5 if operator == "keep" else 0)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Seen PAT1045kx8 today", False),
        ("pat-1045-kx8, again", False),
        ("Seen PAT1045kx8 and PAT1045", True),
        ("Seen PAT1045kx9 today", True),
        ("PAT1045", True),
    ],
)
def test_a_piece_of_a_mask_is_no_original(text: str, left: bool) -> None:
    """A random code may by chance begin as somebody's number."""
    plan = TablePlan("people.csv", None, (Action(0, "patient", "string", "PERSON_ID", "direct", "code"),))
    people, frame = PeoplePrints(), pl.DataFrame({"0": ["PAT1045", "PAT2000"]})
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {0: pl.Series(["PAT77zzz3", "PAT1045kx8"])}, keys)
    found = people.index().look_up(pl.Series(["nothing here", text]), keys, [])
    assert found.everywhere.tolist() == [1] * left


@pytest.mark.parametrize(
    ("people", "same", "left"),
    [(40, 0, False), (40, 1, False), (40, 2, True), (19, 1, True), (3000, 3, False), (3000, 4, True), (40, 40, True)],
)
def test_a_made_up_name_may_by_chance_be_the_own_one(people: int, same: int, left: bool) -> None:
    """As often as common names are, also where a text mentions it; nothing is masked where more of them stay."""
    plan = TablePlan("people.csv", None, (Action(0, "name", "string", "PERSON", "direct", "persona"),))
    names = pl.Series([f"Aa{_letters(i)} Bb{_letters(i)}" for i in range(people)])
    masks = pl.Series([name if i < same else f"Cc{_letters(i)} Dd{_letters(i)}" for i, name in enumerate(names)])
    prints, frame = PeoplePrints(), pl.DataFrame({"0": names})
    keys = prints.keys(frame, plan, 0)
    prints.add(plan, frame, {0: masks}, keys)
    found = prints.index().look_up("Then " + masks + " came", keys, [])
    assert found.everywhere.tolist() == list(range(same)) * left
    originals = prints.index().look_up("Then " + names + " came", keys, [])
    assert originals.everywhere.tolist() == list(range(0 if left else same, people))


def _letters(i: int) -> str:
    return "".join(chr(97 + i // 26**n % 26) for n in range(3))


def _births(born: Sequence[date], moved: Sequence[date]) -> tuple[PeoplePrints, list[Prints]]:
    columns = (
        Action(0, "person_id", "string", "PERSON_ID", "direct", "hash"),
        Action(1, "born", "date", "DATE_OF_BIRTH", "quasi", "date-shift"),
    )
    plan = TablePlan("people.csv", None, columns)
    frame = pl.DataFrame({"0": [f"K{i:06}" for i in range(len(born))], "1": born})
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {0: pl.Series(["x"] * len(born)), 1: pl.Series(moved)}, keys)
    return people, keys


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("1944-01-02", True),
        ("born 2 January 1944", True),
        ("on 2.1.44", True),
        ("01/02/1944", True),
        ("1/2/1944", True),
        ("1.02.1944", True),
        ("19440102", True),
        ("02011944T10", True),
        ("020144", True),
        ("1944-12-11", False),  # "194412" is no 2 January
        ("1944-12", False),
        ("1944 12 01", False),
        ("1944-02-01", False),
    ],
)
def test_a_date_is_found_however_it_is_written(text: str, left: bool) -> None:
    people, keys = _births([date(1944, 1, 2)], [date(1944, 12, 11)])
    assert people.index().look_up(pl.Series([text]), keys, []).own.tolist() == [0] * left


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y"])
def test_chance_knows_dates_that_can_be_read_twice(form: str) -> None:
    """4/5/2004 moved to 5/4/2004 is 4/5/2004 for who reads the month first."""
    draw, rows = random.Random(4), 60_000
    born = [date(1930, 1, 1) + timedelta(draw.randrange(30_000)) for _ in range(rows)]
    far = [n for n in range(-365, 366) if n]
    people, keys = _births(born, [day + timedelta(draw.choice(far)) for day in born])
    moved = pl.Series([(day + timedelta(draw.choice(far))).strftime(form) for day in born])
    found = people.index().look_up(moved, keys, others_of(keys))
    assert abs(len(found.own) - found.by_chance) <= 5 * max(found.by_chance, 1) ** 0.5
    assert (found.by_chance > 10) == (form != "%Y-%m-%d")
    assert len(people.index().look_up(pl.Series([day.strftime(form) for day in born]), keys, []).own) == rows


@pytest.mark.slow
@pytest.mark.parametrize("kind", PLANTED)
def test_a_value_that_is_left_in_a_text_is_found(tmp_path: Path, kind: str) -> None:
    said = attempt(tmp_path, "csv", kind, "keep")
    # The mask of one of ten may by chance be the name itself, which isn't counted then.
    assert "notes.csv: remark: no" in said and re.search(r"\b(?:9|10) violations \(row [\d, …]+\), 60 checked", said)
    people = patients()
    assert not any(value in said for column in ("email", "last_name", "street") for value in people[column])


@pytest.mark.slow
@pytest.mark.parametrize("container", ["parquet", "json in a cell", "list", "sqlite", "workbook", "archive"])
@pytest.mark.parametrize("kind", ["number", "full name", "last name"])
def test_it_is_found_in_any_container(tmp_path: Path, container: str, kind: str) -> None:
    assert re.search(r"\b(?:9|10) violations", attempt(tmp_path, container, kind, "keep"))


@pytest.mark.slow
@pytest.mark.parametrize("container", ["csv", "parquet", "list", "archive"])
def test_masked_it_passes(tmp_path: Path, container: str) -> None:
    assert KEPT.search(attempt(tmp_path, container, "full name", "spans"))


@pytest.mark.parametrize(
    ("text", "joined"), [("PT-40000-10", "pt4000010"), ("O'Brien", "obrien"), ("Straße 5", "strasse5"), ("٣-4", "34")]
)
def test_numbers_are_looked_up_without_separators(text: str, joined: str) -> None:
    assert cut_cells.joined(pl.Series([text, "x"])).to_list() == [joined, "x"]
    printer = Printer()
    cut = cut_cells.cut(pl.Series([f"see {text} now"]), printer)
    found = {made for n in cut_cells.numbers(cut, printer) for made in n.print.tolist()}
    (wanted,) = printer.texts(pl.Series([joined])).tolist()
    assert (wanted in found) == any(c.isdigit() for c in text)


def test_words_of_two_sentences_are_no_name() -> None:
    one = cut_cells.windows(cut_cells.cut(pl.Series(["Seen by Strong. Charles left."]), Printer()))[0].row
    assert len(one) == 3  # seen by, by strong, charles left


def test_others_share_no_key_where_rows_take_turns() -> None:
    """Customers of two shops by turns: the rows a quarter and a half of the table away are of the same one."""
    rows = 400
    own, shop = np.arange(1, rows + 1, dtype=np.uint64), np.arange(rows, dtype=np.uint64) % np.uint64(2) + np.uint64(1)
    for other, other_shop in others_of([own, shop]):
        assert (other != own).all() and (other_shop != shop).all() and other.all() and other_shop.all()
    for each in others_of([own, np.ones(rows, dtype=np.uint64)]):  # everybody shares it
        assert not any(key.any() for key in each)


def test_chance_is_what_the_keys_of_others_find() -> None:
    rows = 400
    draw = random.Random(1)
    names = pl.Series([draw.choice(("Anna", "Bert", "Carl", "Dora")) for _ in range(rows)])
    frame = pl.DataFrame({"0": [f"K{i:06}" for i in range(rows)], "1": names})
    plan = TablePlan(
        "people.csv", None,
        (
            Action(0, "person_id", "string", "PERSON_ID", "direct", "hash"),
            Action(1, "first_name", "string", "FIRST_NAME", "direct", "redact"),
        ),
    )  # fmt: skip
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {0: pl.Series(["x"] * rows), 1: pl.Series(["y"] * rows)}, keys)
    others = others_of(keys)
    parts = [others_of(keys, first, first + 90) for first in range(0, rows, 90)]
    for n, each in enumerate(others):
        for k, whole in enumerate(each):
            assert np.concatenate([part[n][k] for part in parts]).tolist() == whole.tolist()
    shifted = names.gather(np.arange(1, rows + 1) % rows)
    made_up = people.index().look_up("Then " + shifted + " came", keys, others)
    assert 50 < len(made_up.own) < 150 and abs(len(made_up.own) - made_up.by_chance) < 40
    left = people.index().look_up("Then " + names + " came", keys, others)
    assert len(left.own) == rows and left.by_chance < rows / 2


def _figures(chance: Chance) -> tuple[float, ...]:
    return chance.expected, chance.variance, chance.different_names


@settings(max_examples=20)
@given(st.data())
def test_keys_of_one_row_each_are_looked_up_as_the_row_is(data: st.DataObject) -> None:
    rows = data.draw(st.integers(20, 60))
    columns = (
        Action(0, "email", "string", "EMAIL_ADDRESS", "direct", "hash"),
        Action(1, "ssn", "string", "US_SSN", "direct", "hash"),
        Action(2, "first_name", "string", "FIRST_NAME", "direct", "redact"),
    )
    table = TablePlan("people.csv", None, columns)
    emails: list[str | None] = [f"a{i}@b.org" for i in range(rows)]
    numbers: list[str | None] = [f"{100 + i}-45-6789" for i in range(rows)]
    for keys in (emails, numbers):
        for _ in range(data.draw(st.integers(0, 3))):
            keys[data.draw(st.integers(0, rows - 1))] = data.draw(st.sampled_from([None, keys[0], keys[1]]))
    names = data.draw(st.permutations([f"Xq{'abcdefghij'[i % 10]}{'klmnop'[i // 10]}" for i in range(rows)]))
    frame = pl.DataFrame({"0": emails, "1": numbers, "2": names}, schema=dict.fromkeys("012", pl.String))
    texts = pl.Series([f"Then {name} came" for name in data.draw(st.permutations(names))])
    joining = joining_keys([table], lambda wanted: [(frame, table)] if wanted(table) else [])
    found = []
    for each in (joining, JoiningKeys()):
        people = PeoplePrints(each)
        own = people.keys(frame, table, 0)
        people.add(table, frame, {i: pl.Series(["y"] * rows) for i in range(3)}, own)
        found.append((own, people.index().look_up(texts, own, others_of(own))))
    (few, now), (many, before) = found
    known = np.array([bool(e or n) for e, n in zip(emails, numbers, strict=True)])
    assert now.own[known[now.own]].tolist() == before.own.tolist()
    if all(known):
        assert now.by_chance == before.by_chance
    assert sum(int((key != 0).sum()) for key in few) < sum(int((key != 0).sum()) for key in many)


def test_columns_looked_up_together_give_what_each_gives_alone() -> None:
    people = patients().head(60)
    plan = TablePlan(
        "people.csv", None,
        tuple(
            Action(i, name, "string", entity, "direct", "persona")
            for i, (name, entity) in enumerate(
                [("patient_id", "PERSON_ID"), ("first_name", "FIRST_NAME"), ("last_name", "LAST_NAME"),
                 ("phone", "PHONE_NUMBER"), ("email", "EMAIL_ADDRESS"), ("date_of_birth", "DATE_OF_BIRTH")]
            )
        ),
    )  # fmt: skip
    frame = pl.DataFrame({str(a.index): people[str(a.name)].cast(pl.String) for a in plan.columns})
    masks = {i: frame[str(i)].reverse() for i in (0, 1)} | {i: "x" + frame[str(i)] for i in range(2, 6)}
    prints = PeoplePrints()
    keys = prints.keys(frame, plan, 0)
    prints.add(plan, frame, masks, keys)
    others = others_of(keys)

    said = frame.select(pl.format("Then {} {} of {} came, {}", "1", "2", "5", "3")).to_series()
    low = frame.select(pl.format("saw {} {} and {}", pl.col("1").str.to_lowercase(), "2", "0")).to_series()
    columns = [
        Cells(said, keys, others, True),
        Cells(said[:1], [k[:1] for k in keys], [], True),
        Cells(low, keys, others[:1], False),
        Cells(frame["4"] + " 123456789", [], [], True),
        Cells(pl.Series(["nothing"]), [], [], True),
        Cells(low.str.to_lowercase(), keys[:1], [o[:1] for o in others], True),
        *(Cells(frame[str(i)], keys, others, i != 3) for i in range(6)),
    ]
    together = prints.index().look_up_together(columns)
    assert sum(len(f.own) for f in together) > 200 and sum(len(f.everywhere) for f in together) > 100
    assert any(f.chance.expected for f in together) and any(len(f.phrases[0]) for f in together)
    for column, found in zip(columns, together, strict=True):
        alone = prints.index().look_up(*column)
        assert [each.tolist() for each in (found.own, found.everywhere, *found.phrases)] == [
            each.tolist() for each in (alone.own, alone.everywhere, *alone.phrases)
        ]
        assert (found.explained, found.by_chance) == (alone.explained, alone.by_chance)
        assert found.names.tolist() == alone.names.tolist() and _figures(found.chance) == _figures(alone.chance)


@pytest.mark.slow
def test_masked_files_are_verified_later_and_pass_a_scan_by_their_plan(tmp_path: Path) -> None:
    root, out, key = tmp_path / "in", tmp_path / "out", key_file(tmp_path)
    root.mkdir()
    patients().write_csv(root / "patients.csv")
    write("sqlite", planting("full name"), root)
    plan = planned(root, tmp_path / "plan.toml")
    piiscan("mask", root, "--plan", plan, "-o", out, "--key", key)
    assert KEPT.search(piiscan("verify", root, out, "--plan", plan))
    more = piiscan("verify", root, out, "--plan", plan, "--key", key)
    assert KEPT.search(more)

    said = piiscan("scan", out, "--plan", plan, "--fail-on", "direct")
    assert "first_name: FIRST_NAME: surrogates by plan" in said and "remark: FREE_TEXT: surrogates by plan" in said
    piiscan("scan", out, status=1)
    piiscan("scan", root, "--plan", plan, status=1)

    people = patients()
    with sqlite3.connect(out / "notes.db") as base:
        left = [(f"Then {people['last_name'][row]} left.", row + 1) for row in range(7, 27)]
        base.executemany("UPDATE notes SET remark = ? WHERE rowid = ?", left)
    base.close()
    broken = piiscan("verify", root, out, "--plan", plan, status=5)
    assert "remark: nothing of the row's own person is left" in broken and "violations (row 7, 8, 9" in broken
    assert people["last_name"][7] not in broken
    (out / "patients.csv").unlink()
    assert "there is no such table in the output" in piiscan("verify", root, out, "--plan", plan, status=5)


def test_a_scan_by_a_plan_takes_one_path(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "plan.toml"):
        (tmp_path / name).write_text("x\n1\n", encoding="utf-8")
    call = ["scan", tmp_path / "a.csv", tmp_path / "b.csv", "--plan", tmp_path / "plan.toml"]
    assert "name one file or folder" in piiscan(*call, status=2)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["member", "file", "header", "key"])
def test_a_value_in_a_name_is_found(tmp_path: Path, place: str) -> None:
    people = patients()
    number, name = people["patient_id"][5], "Greenholt Carolina"  # in no order and by no list evidently somebody's
    people[5, "first_name"], people[5, "last_name"] = "Carolina", "Greenholt"
    assert not is_of_person(name)
    root = tmp_path / "in"
    root.mkdir()
    people.write_csv(root / "patients.csv")
    notes = pl.DataFrame({"day": [f"d{i % 7}" for i in range(60)], "remark": [SAID] * 60})
    match place:
        case "member":
            with zipfile.ZipFile(root / "notes.zip", "w") as archive:
                archive.writestr(f"notes of {name}.csv", notes.write_csv())
        case "file":
            notes.write_csv(root / f"{number}.csv")
        case "header":
            notes.with_columns(pl.lit("x").alias(f"to {name}")).write_csv(root / "notes.csv")
        case _:
            lines = [json.dumps({"by": {name if i == 5 else f"nurse {i % 9}": SAID}}) for i in range(60)]
            (root / "notes.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    plan = planned(root, tmp_path / "plan.toml")
    call = ["mask", root, "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path)]
    said = piiscan(*call, status=5)
    assert "is somebody's full name, address or number: 1 violation" in said or (place == "key" and "by" in said)
    assert number not in said and name not in said


def test_outputs_are_read_as_the_configuration_says_of_the_originals(tmp_path: Path) -> None:
    """Globs match the paths of originals; outputs lie elsewhere."""
    (tmp_path / "in").mkdir()
    lines = (f"jane{i}@mail.example,x;{i * 37}x\u0418\u0432\u0430\u043d" for i in range(50))
    (tmp_path / "in" / "a.csv").write_text("\n".join(lines), encoding="cp1251")
    config, plan, key = tmp_path / "piiscan.toml", tmp_path / "plan.toml", key_file(tmp_path)
    config.write_text('[[paths]]\npath = "in/*.csv"\ndelimiter = ";"\nencoding = "cp1251"\nheader = false\n')
    before, out, by = tmp_path / "in", tmp_path / "out", ("--plan", plan, "--config", config)
    piiscan("plan", before, "-o", plan, "--policy", "gdpr", "--config", config)
    assert KEPT.search(piiscan("mask", before, "-o", out, *by, "--key", key))
    assert KEPT.search(piiscan("verify", before, out, *by))
    assert KEPT.search(piiscan("verify", before / "a.csv", out / "a.csv", *by))
    (out / "a.csv").write_bytes((before / "a.csv").read_bytes())
    piiscan("verify", before, out, *by, status=5)


UNKNOWN = "No name, address or number of a person was known from a masked column"


def test_where_nothing_was_known_of_people_no_look_up_is_claimed(tmp_path: Path) -> None:
    source = tmp_path / "remarks.csv"
    source.write_text("remark\nSpoke with John Smith, 123-45-6789\nCall Mary Jones at 212-555-0187\n")
    plan = planned(source, tmp_path / "plan.toml")
    said = piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    assert UNKNOWN in said and UNKNOWN in piiscan("verify", source, source, "--plan", plan)
    said = piiscan("scan", source, "--plan", plan)
    assert "Clean" not in said and "taken as surrogates because the plan says so" in " ".join(said.split())


def test_no_promise_is_no_promise_kept(tmp_path: Path) -> None:
    source = tmp_path / "empty.csv"
    source.touch()
    said = piiscan("mask", source, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    assert "Nothing was checked" in said


PRINTS = st.lists(st.tuples(st.integers(0, 2**64 - 1) | st.sampled_from([5, 2**63]), st.integers(0, 9)), max_size=60)


@given(st.lists(PRINTS, max_size=6), st.integers(1, 4), st.sampled_from([0, 70, print_sets._PENDING]))
def test_pairs_in_parts_are_those_of_the_whole(batches: list[list[tuple[int, int]]], most: int, pending: int) -> None:
    kept, known = KeyedPrints(), set[tuple[int, int]]()
    for batch in batches:
        keys, prints = (np.array([pair[i] for pair in batch], dtype=np.uint64) for i in (0, 1))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(print_sets, "_PENDING", pending)
            kept.add(keys, prints)
        known |= set(batch)
    assert bool(kept) == any(batches)
    count = Counter(key for key, _ in known)
    few = [(key, value) for key, value in known if count[key] <= most]
    keys, prints = (np.array([pair[i] for pair in few], dtype=np.uint64) for i in (0, 1))
    values, pairs = kept.finished(most)
    assert values.tolist() == sorted({value for _, value in few})
    assert pairs.tolist() == sorted(set(paired(prints, keys).tolist()))
    assert not kept


CROWDED = (
    st.integers(0, 2**64 - 1) | st.integers(0, 40) | st.integers(2**64 - 40, 2**64 - 1) | st.integers(2**63, 2**63 + 40)
)


@given(st.lists(st.lists(CROWDED, max_size=80), max_size=3), st.lists(CROWDED, max_size=80))
def test_fingerprints_are_found_where_they_are(sets: list[list[int]], asked: list[int]) -> None:
    index = FingerprintIndex([np.array(sorted(set(each)), dtype=np.uint64) for each in sets])
    known = {value for each in sets for value in each}
    asked += [value for each in sets for value in each[:9]]
    assert index.has(np.array(asked, dtype=np.uint64)).tolist() == [value in known for value in asked]


@given(st.lists(st.sets(CROWDED, max_size=80), max_size=9))
def test_a_growing_set_says_what_is_new(each: list[set[int]]) -> None:
    growing, known = GrowingSet(), set[int]()
    for some in map(sorted, each):
        assert growing.add(np.array(some, dtype=np.uint64)).tolist() == [value not in known for value in some]
        known.update(some)
