"""Tables of attributes and values, and forms: each value is what the attribute beside it says."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from conftest import run_piiscan

import piiscan
from piiscan.io.table_source import Source

KEY = bytes(range(40, 72)).hex()
PEOPLE = [
    (str(400 + i), first, last, f"{first}.{last}{i}@post.example".lower())
    for i, (first, last) in enumerate(
        (f"{a}{c}", f"{b}{c}ski")
        for a in ("Anna", "Piotr", "Marek", "Ewa", "Zofia", "Jan")
        for b in ("Kowal", "Nowak", "Lewan", "Zielin")
        for c in ("", "n", "l", "r")
    )
]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIISCAN_KEY", KEY)


def rows(sort: bool = False) -> list[tuple[str, str, str]]:
    """Everybody's values, person by person, or attribute by attribute."""
    out = [
        (number, attribute, value)
        for number, first, last, email in PEOPLE
        for attribute, value in (("first_name", first), ("last_name", last), ("email", email), ("theme", "dark"))
    ]
    return sorted(out, key=lambda row: row[1]) if sort else out


def frame(made: Sequence[tuple[str, str, str]] | None = None) -> pl.DataFrame:
    return pl.DataFrame(made or rows(), schema=["user_id", "meta_key", "meta_value"], orient="row")


def verdicts(source: object) -> dict[str | None, tuple[str | None, str]]:
    (table,) = piiscan.scan(source).tables  # type: ignore[arg-type]
    return {c.name: (c.entity, c.pii) for c in table.columns}


FOUND = {
    "meta_value[first_name]": ("FIRST_NAME", "direct"),
    "meta_value[last_name]": ("LAST_NAME", "direct"),
    "meta_value[email]": ("EMAIL_ADDRESS", "direct"),
}


def written(folder: Path, name: str, made: pl.DataFrame) -> Path:
    path = folder / name
    if name.endswith(".csv"):
        made.write_csv(path)
    elif name.endswith(".parquet"):
        made.write_parquet(path)
    elif name.endswith(".xlsx"):
        made.write_excel(path)
    elif name.endswith(".json"):
        path.write_text(json.dumps(made.to_dicts()))
    else:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("create table meta (user_id text, meta_key text, meta_value text)")
            db.executemany("insert into meta values (?, ?, ?)", made.rows())
    return path


def read(path: Path) -> list[tuple[str, ...]]:
    if path.suffix == ".parquet":
        return pl.read_parquet(path).rows()
    if path.suffix == ".xlsx":
        return pl.read_excel(path, engine="calamine", infer_schema_length=0).rows()
    if path.suffix == ".json":
        return [tuple(row.values()) for row in json.loads(path.read_text())]
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as db:
            return db.execute("select * from meta").fetchall()
    with path.open(newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.xlsx", "a.json", "a.sqlite"])
def test_files_of_attributes_are_found_and_masked(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, frame())
    assert FOUND.items() <= verdicts(path).items()
    out = tmp_path / "out" / name
    piiscan.mask(path, plan=piiscan.plan(path), output=out)
    after = read(out)
    assert [row[1] for row in after] == [row[1] for row in rows()]
    for before, now in zip(rows(), after, strict=True):
        assert (before[2] == now[2]) == (before[1] == "theme")


@pytest.mark.parametrize("sort", [False, True])
def test_a_number_links_the_rows_of_a_person(sort: bool) -> None:
    made = frame(rows(sort))
    masked = piiscan.mask(made, plan=piiscan.plan(made))
    persons: dict[str, dict[str, str]] = {}
    for number, attribute, value in masked.rows():
        persons.setdefault(number, {})[attribute] = value
    assert len(persons) == len(PEOPLE)
    with_names = [p for p in persons.values() if p["last_name"].lower()[:4] in p["email"]]
    assert len(with_names) > 0.6 * len(persons)  # of the others the address is made of the first name, or of none


def test_attributes_far_down_are_found_in_files_and_frames(tmp_path: Path) -> None:
    """As `melt` writes them: one attribute after the other, far beyond the first rows."""
    wide = pl.DataFrame(
        {"id": range(1500), "height": ["180"] * 1500, "full_name": [f"{PEOPLE[i % 96][1]} Maj{i}" for i in range(1500)]}
    )
    long = wide.unpivot(index="id", on=["height", "full_name"])
    path = written(tmp_path, "long.csv", long)
    for source in (long, path):
        assert verdicts(source)["value[full_name]"] == ("PERSON", "direct")


FORM = "Vorname;Irmgard\nNachname;Pfeiffer\nGeburtsdatum;07.11.1958\nTelefon;0341 5550187\nBemerkung;kommt\n"


def test_a_form_has_no_header(tmp_path: Path) -> None:
    path = tmp_path / "form.csv"
    path.write_text(FORM)
    found = verdicts(path)
    assert found["[Vorname]"] == ("FIRST_NAME", "direct")
    assert found["[Telefon]"] == ("PHONE_NUMBER", "direct")
    assert "Irmgard" not in str(piiscan.scan(path))
    out = tmp_path / "out.csv"
    piiscan.mask(path, plan=piiscan.plan(path, policy="gdpr"), output=out)
    before, after = ([line.split(";") for line in text.splitlines()] for text in (FORM, out.read_text()))
    assert [line[0] for line in before] == [line[0] for line in after]
    assert [a[1] == b[1] for a, b in zip(before, after, strict=True)] == [False, False, False, False, True]
    assert after[2][1] == "1958"


def test_a_form_of_two_pairs_a_row(tmp_path: Path) -> None:
    path, out = tmp_path / "form.csv", tmp_path / "out.csv"
    path.write_text("Name,Irmgard Pfeiffer,Geburtsdatum,07.11.1958\nTelefon,0341 5550187,Ort,Leipzig\n")
    found = verdicts(path)
    assert found["[Name]"] == ("PERSON", "direct")
    assert found["[Telefon]"] == ("PHONE_NUMBER", "direct")
    assert found["[Geburtsdatum]"][0] == "DATE_OF_BIRTH"
    piiscan.mask(path, plan=piiscan.plan(path, policy="gdpr"), output=out)
    cells = [line.split(",") for line in out.read_text().splitlines()]
    assert [row[::2] for row in cells] == [["Name", "Geburtsdatum"], ["Telefon", "Ort"]]
    assert cells[0][1] != "Irmgard Pfeiffer" and cells[0][3] == "1958" and cells[1][1] != "0341 5550187"


def test_a_form_in_a_sheet_and_in_a_page(tmp_path: Path) -> None:
    cells = [line.split(";") for line in FORM.splitlines()]
    pl.DataFrame(cells, orient="row").write_excel(tmp_path / "f.xlsx", include_header=False)
    lines = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in cells)
    (tmp_path / "f.html").write_text(f"<html><body><table>{lines}</table></body></html>")
    for name in ("f.xlsx", "f.html"):
        found = {c.name: c.entity for t in piiscan.scan(tmp_path / name).tables for c in t.columns}
        assert found["[Nachname]"] == "LAST_NAME", name


SHEET = [
    ["Staff record of the works"],
    [],
    ["Person"],
    ["Family name", "Schmidt"],
    ["First name", "Annika"],
    ["Date of birth", "12/03/1984"],
    ["Home address", "4 Linden Lane, Leeds"],
    ["Mobile", "07700 900123"],
    ["Health insurance", "yes"],
    [],
    ["Employment"],
    ["Started on", "01/04/2024"],
    ["Occupation", "fitter"],
]
INVOICE = [
    ["Invoice", "", "", "No.", "2024-118"],
    ["Customer:", "Annika Schmidt", "", "Date:", "2024-03-01"],
    ["Address:", "4 Linden Lane", "", "Due:", "2024-03-15"],
    ["", "Leeds"],
    ["Phone:", "07700 900123"],
    [],
    ["Item", "Quantity", "Price", "Sum", ""],
    ["Lamp", "2", "10", "20"],
    ["Chair", "1", "50", "50"],
]


@pytest.mark.parametrize("kind", ["xlsx", "csv"])
@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (SHEET, {"[Family name]": "LAST_NAME", "[Date of birth]": "DATE_OF_BIRTH", "[Mobile]": "PHONE_NUMBER"}),
        (INVOICE, {"[Customer:]": "PERSON", "[Address:]": "STREET_ADDRESS", "[Phone:]": "PHONE_NUMBER"}),
    ],
    ids=["titles", "invoice"],
)
def test_a_form_among_other_cells(tmp_path: Path, kind: str, made: list[list[str]], expected: dict[str, str]) -> None:
    path, out = tmp_path / f"a.{kind}", tmp_path / f"out.{kind}"
    width = max(map(len, made))
    cells = [row + [""] * (width - len(row)) for row in made]
    if kind == "xlsx":
        columns = [[row[i] or None for row in cells] for i in range(width)]
        pl.DataFrame({str(i): column for i, column in enumerate(columns)}).write_excel(path, include_header=False)
    else:
        path.write_text("".join(",".join(f'"{cell}"' if "," in cell else cell for cell in row) + "\n" for row in cells))
    found = {c.name: c.entity for t in piiscan.scan(path).tables for c in t.columns}
    assert expected.items() <= found.items()
    piiscan.mask(path, plan=piiscan.plan(path), output=out)
    nothing = tmp_path / "nothing.toml"
    nothing.write_text(
        'name = "nothing"\n[[rule]]\npii = ["direct", "quasi"]\noperator = "suppress"\n[[rule]]\noperator = "keep"\n'
    )
    emptied = tmp_path / f"emptied.{kind}"
    plan = piiscan.plan(path, policy=nothing)
    piiscan.mask(path, plan=plan, output=emptied)  # which reads it again, without a header
    plan.save(tmp_path / "plan.toml")
    done = run_piiscan("verify", path, emptied, "--plan", tmp_path / "plan.toml")
    assert done.returncode == 0, done.stderr
    if kind == "csv":
        text = out.read_text()
        assert not any(value in text for value in ("Schmidt", "Linden", "900123"))
        assert len(text.splitlines()) == len(cells)


@pytest.mark.parametrize(
    "rows",
    [
        ["Field,Type,Null,Key", "first_name,varchar(50),NO,", "phone,char(11),NO,", "birth_date,date,NO,"],
        ["id,name,email,city,score", "1,Ann,a@post.example,Bath,7", "2,Bob,b@post.example,York,9"],
        ["unit,spent", "Academy of Art University,3", "City of Leeds Council,4", "Patient Address Bureau Ltd,5"],
        ["customer_1,12,phone_3", "customer_2,14,phone_4", "email_3,15,phone_5"],
    ],
)
def test_tables_with_words_of_headers_are_no_forms(tmp_path: Path, rows: list[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join(rows) + "\n")
    assert not any((name or "").startswith("[") for name in verdicts(path))


@pytest.mark.parametrize(
    ("header", "made"),
    [
        (
            "question,answer",
            [(f"How do I change the e-mail of account {i}?", "In settings.") for i in range(9)],
        ),
        ("column,description", [("first_name", "Given name"), ("email", "How we write"), ("phone", "Mobile")]),
        ("name,value", [("alpha", "0.5"), ("beta", "0.7"), ("gamma", "0.1")]),
        ("city,value", [("Bath", "12"), ("York", "9"), ("Ripon", "4")]),
        ("email,phone", [("a@post.example", "1"), ("b@post.example", "2"), ("c@post.example", "3")]),
    ],
)
def test_other_tables_are_as_they_were(tmp_path: Path, header: str, made: Sequence[tuple[str, str]]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join([header, *map(",".join, made)]) + "\n")
    assert list(verdicts(path)) == header.split(",")


def test_an_attribute_that_the_plan_does_not_know_is_refused_or_suppressed(tmp_path: Path) -> None:
    made = frame()
    plan = piiscan.plan(made)
    later = frame([*rows(), ("400", "phone", "+49 341 5550187")])
    with pytest.raises(piiscan.PiiscanError):
        piiscan.mask(later, plan=plan)
    masked = piiscan.mask(later, plan=plan, new_columns="suppress")
    assert masked.rows()[-1][2] is None
    first = written(tmp_path, "a.csv", made)
    of_file = piiscan.plan(first)
    written(tmp_path, "a.csv", later)
    with pytest.raises(piiscan.PiiscanError):
        piiscan.mask(first, plan=of_file, output=tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def changed(text: str, column: str, operator: str) -> str:
    start = next(line for line in text.splitlines() if line.startswith(column + " ="))
    return text.replace(start, f'{column} = {{operator = "{operator}", decided_by = "human"}}')


@pytest.mark.parametrize("operator", ["drop", "suppress"])
@pytest.mark.parametrize("column", ['"meta_value[email]"', "meta_key", "meta_value"])
def test_any_column_may_go(tmp_path: Path, column: str, operator: str) -> None:
    path = written(tmp_path, "a.csv", frame())
    plan = tmp_path / "plan.toml"
    piiscan.plan(path).save(plan)
    plan.write_text(changed(plan.read_text(), column, operator))
    out = tmp_path / "out.csv"
    piiscan.mask(path, plan=piiscan.Plan.load(plan), output=out)
    text = out.read_text()
    assert not any(value in text for _, attribute, value in rows() if attribute == "email")
    assert not any(f",{value}\n" in text for _, attribute, value in rows() if attribute == "last_name")


def test_a_name_that_identifies_somebody_is_not_printed(tmp_path: Path) -> None:
    made = [*rows(), ("400", "email anna.nowak@firm.org", "dark")] * 2
    path = written(tmp_path, "a.csv", frame(made))
    report = piiscan.scan(path)
    assert "anna.nowak@firm.org" not in report.to_json()
    assert report.tables[0].in_names


def test_rows_in_any_number_of_batches_are_the_same() -> None:
    made = frame()
    plan = piiscan.plan(made)
    whole = piiscan.mask(made, plan=plan)
    masker = piiscan.Masker(plan)
    parts = [masker(part) for part in made.iter_slices(37)]
    assert pl.concat(parts).equals(whole)


@pytest.mark.parametrize("command", ["risk", "anonymize", "protect"])
def test_rows_of_attributes_are_no_records_of_people(tmp_path: Path, command: str) -> None:
    """A city in one row and an age in another one identify whom one row doesn't."""
    made = [(str(i), a, v) for i in range(60) for a, v in (("city", "Bath York Hull".split()[i % 3]), ("age", "40"))]
    path = written(tmp_path, "a.csv", frame(made))
    options = [] if command == "risk" else ["--k", "3", "-o", str(tmp_path / "out")]
    done = run_piiscan(command, str(path), "--unit", "user_id", *options)
    assert done.returncode == 2
    assert "a row for each person first" in done.stderr
    assert piiscan.is_k_anonymous(frame([made[0]] * 3), 3)


ORDERS = [
    {"id": i, "attributes": [{"name": "full_name", "value": f"{p[1]} {p[2]}"}, {"value": p[3], "name": "email"}, other]}
    for i, p in enumerate(PEOPLE)
    for other in [{"name": "gift", "value": i % 2 == 0}]
]


def found_inside(path: Path) -> dict[str | None, str | None]:
    return {c.name: c.entity for t in piiscan.scan(path).tables for c in t.columns if c.pii == "direct"}


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv"])
def test_attributes_in_objects_are_found_and_masked(tmp_path: Path, kind: str) -> None:
    path, out = tmp_path / f"a.{kind}", tmp_path / f"out.{kind}"
    if kind == "csv":
        texts = [json.dumps(order["attributes"]) for order in ORDERS]
        pl.DataFrame({"id": range(len(texts)), "attributes": texts}).write_csv(path)
    else:
        path.write_text(json.dumps(ORDERS) if kind == "json" else "\n".join(map(json.dumps, ORDERS)) + "\n")
    assert found_inside(path) == {
        "attributes[].value[full_name]": "PERSON",
        "attributes[].value[email]": "EMAIL_ADDRESS",
    }
    piiscan.mask(path, plan=piiscan.plan(path), output=out)
    text, before = out.read_text(), path.read_text()
    assert not any(person[3] in text or f"{person[1]} {person[2]}" in text for person in PEOPLE)
    assert text.count("gift") == before.count("gift")
    assert text.count("false") == before.count("false")
    if kind == "json":
        names = [[(a["name"], list(a)) for a in order["attributes"]] for order in json.loads(text)]
        assert names == [[(a["name"], list(a)) for a in order["attributes"]] for order in ORDERS]


def test_answers_below_the_headings_of_questions_are_found_and_masked(tmp_path: Path) -> None:
    path, out = tmp_path / "survey.json", tmp_path / "out.json"
    headings = ["First name", "Last name", "Your e-mail address", "How happy are you?"]
    made = [
        {
            "id": i,
            "questions": [{"heading": h, "answers": [{"text": a}]} for h, a in zip(headings, answers, strict=True)],
        }
        for i, answers in enumerate((*person[1:4], "Very") for person in PEOPLE)
    ]
    path.write_text(json.dumps({"data": made}))
    assert found_inside(path) == {
        "questions[].answers[First name][].text": "FIRST_NAME",
        "questions[].answers[Last name][].text": "LAST_NAME",
        "questions[].answers[Your e-mail address][].text": "EMAIL_ADDRESS",
    }
    piiscan.mask(path, plan=piiscan.plan(path), output=out)
    after = json.loads(out.read_text())["data"]
    assert [[q["heading"] for q in record["questions"]] for record in after] == [headings] * len(made)
    answers = [q["answers"][0]["text"] for record in after for q in record["questions"]]
    assert answers[3::4] == ["Very"] * len(made)
    before = [cell for person in PEOPLE for cell in (*person[1:4], None)]
    assert 20 * sum(new == old for new, old in zip(answers, before, strict=True)) < len(before)


def test_attributes_of_elements_are_found(tmp_path: Path) -> None:
    """As in a log of events of Windows."""
    path = tmp_path / "events.xml"
    users = "".join(
        f'<Event><Id>4624</Id><Data Name="TargetUserName">{p[1]}.{p[2]}</Data><Data Name="Size">{i}</Data></Event>'
        for i, p in enumerate(PEOPLE)
    )
    path.write_text(f"<Events>{users}</Events>")
    assert found_inside(path) == {"Data[].#text[TargetUserName]": "USERNAME"}


def test_parts_that_are_scanned_apart_are_the_table() -> None:
    made = frame()
    scanner = piiscan.Scanner()
    info = scanner.look(made.head(300), whole=False)
    parts = [scanner.partial(part, info) for part in made.iter_slices(100)]
    total = sum(parts[1:], start=parts[0])
    (table,) = scanner.finish(total, info).tables
    assert {c.name: (c.entity, c.pii) for c in table.columns} == verdicts(made)


def test_no_column_counts_without_what_derived_columns_have_of_it(tmp_path: Path) -> None:
    """The texts of attributes, and of JSON, are null in the column itself: as if all rows were alike."""
    each = pl.DataFrame({"key": ["email"] * 3, "value": [f"{name}@post.example" for name in ("a", "b", "c")]})
    texts = pl.DataFrame({"value": [json.dumps({"city": f"Town {i}"}) for i in range(60)]})
    assert not piiscan.is_k_anonymous(each, 3)
    assert not piiscan.is_k_anonymous(texts, 3)
    for made in (each, texts):
        with pytest.raises(piiscan.PiiscanError, match="columns of their own"):
            piiscan.is_k_anonymous(made, 3, ["value"])
        with pytest.raises(piiscan.PiiscanError, match="columns of their own"):
            piiscan.risk(made, quasi=["value"])
    path = written(tmp_path, "a.csv", frame([(str(i), "income", str(i)) for i in range(40)]))
    done = run_piiscan("aggregate", path, "--by", "meta_key", "--columns", "meta_value", "--unit", "user_id")
    assert done.returncode == 2 and "columns of their own" in done.stderr


def test_operations_of_json_patches_name_what_they_set(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    patches = [
        json.dumps([{"op": "add", "path": "/lastName", "value": n}]) for n in "Berg Kernweiler Maelbrook".split()
    ]
    pl.DataFrame({"id": range(3), "change": patches}).write_csv(path)
    assert found_inside(path) == {"change[].value[/lastName]": "LAST_NAME"}


@pytest.mark.parametrize("odd", ["plain", "ann@post.example", '{"k": 1}', '["a"]'])
@pytest.mark.parametrize("common", ["7", '{"k": 2}'])
@pytest.mark.parametrize("key", ["email", "income", "year of birth of her mother"])
@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_a_row_never_changes_what_a_release_reads_of_others(
    kind: str, key: str, common: str, odd: str, tmp_path: Path
) -> None:
    """Private counts bound what one row moves, so none may decide which cells of others are in which column."""

    def cells(rows: list[tuple[str, str, str]]) -> list[str]:
        data = frame(rows) if kind == "frame" else written(tmp_path, f"{len(rows)}.csv", frame(rows))
        return pl.concat(Source(data).batches(["meta_value"])).to_series().to_list()

    others = [(str(i), key, common) for i in range(9)]
    assert cells([*others, ("9", "email", odd)]) == [*cells(others), odd] == [*[common] * 9, odd]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("OIB;Ime;Prezime;Radno mjesto;Koef.", "80142472769;Tin;Babić;Domar;2.04|93442053442;Iva;Jurić;Učitelj;1.50"),
        ("state;sex;year;name;count", "CA;F;1990;Emilia;375|CA;M;1990;Noah;479|CA;F;1990;Mia;310"),
        ("table_name;column_name;data_type;comment", "people;first_name;text;Given name|people;email;text;Login"),
        ("flag;default;type;owner;description", "--user-agent;curl;str;http;Agent|--birth-date;;date;kyc;Check"),
    ],
)
def test_a_first_row_that_names_columns_makes_no_form_of_labels_below(header: str, rows: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("\n".join([header, *rows.split("|")]) + "\n")
    assert [c.name for c in piiscan.scan(path).columns] == header.split(";")
