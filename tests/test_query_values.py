"""Names and telephones behind keys, in queries, forms and what programs print, are found; masks are written alike."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, quote

import polars as pl
import pytest
from mask_people import key_file
from mask_people import piiscan as run

import piiscan
from piiscan.text import spans

FOUND = {
    "GET /profile?first_name=Hannelore&last_name=Br%C3%BCckner HTTP/1.1": ["Hannelore", "Br%C3%BCckner"],
    "GET /p?name=Hannelore+Br%C3%BCckner&x=1": ["Hannelore+Br%C3%BCckner"],
    "/u?tel=%2B491715558213&y=2": ["%2B491715558213"],
    "POST a=1&phone=617-555-2047&b=2": ["617-555-2047"],
    "/x?vorname=Anna&nachname=Berg": ["Anna", "Berg"],
    "first_name=Anna&last_name=Kernweiler&x=1": ["Anna", "Kernweiler"],
    "user[first_name]=Anna&user%5Blast_name%5D=Kernweiler": ["Anna", "Kernweiler"],
    "?customer=Anna+Kernweiler&n=1": ["Anna+Kernweiler"],
    "/o;customer=Anna%20Kernweiler;page=2": ["Anna%20Kernweiler"],
    "/r?u=https%3A%2F%2Fb.org%2F%3Flastname%3DKernweiler%26n%3D0": ["Kernweiler"],
    "data:text/plain,Dear%20Anna%20Kernweiler%2C%20hello": ["Anna%20Kernweiler"],
    "level=info lastname=Kernweiler logged in": ["Kernweiler"],
    "<c first='Anna' last='Kernweiler'/>": ["Anna", "Kernweiler"],
    'MERGE (n:Customer {id: 7, lastName: "Kernweiler"})': ["Kernweiler"],
    '{:last_name=>"Kernweiler", :plan=>"gold"}': ["Kernweiler"],
    r"{\"surname\": \"Kernweiler\"}": ["Kernweiler"],
    "(surname='O'Kernweiler')": ["O'Kernweiler"],
    "[id=3, firstName=Anna, lastName=Kernweiler]": ["Anna", "Kernweiler"],
    "<c><firstName>Anna</firstName><ns:lastName>Kernweiler</ns:lastName></c>": ["Anna", "Kernweiler"],
    "<tr><td>Last name:</td><td>Kernweiler</td></tr>": ["Kernweiler"],
    "adduser --first-name Anna --last-name 'Kernweiler Ott' --id 7": ["Anna", "Kernweiler Ott"],
    '{:last-name "Kernweiler", :id 7}': ["Kernweiler"],
    'User(lastName: Optional("Kernweiler"), id: 7)': ["Kernweiler"],
    "[('last_name', 'Kernweiler'), ('id', 7)]": ["Kernweiler"],
    'a:1:{s:8:"lastName";s:10:"Kernweiler"': ["Kernweiler"],
    "CUSTOMER_NAME='Xandrilo Kernweiler' PLAN=gold": ["Xandrilo Kernweiler"],
    "INSERT INTO u (id, first_name) VALUES (1, 'Yvonda'), (2, 'Thorvane'); args=('Yvonda')": [
        "Yvonda",
        "Thorvane",
        "Yvonda",
    ],
    "SELECT 1 WHERE last_name LIKE 'Kernweiler%'": ["Kernweiler"],
    "Key (last_name, id)=(Kernweiler, 7) already exists.": ["Kernweiler"],
    "UPDATE u SET birth_date = '1982-03-04' WHERE id = 3": ["1982-03-04"],
    "Last name;Birth date;N\nKernweiler;1982-03-04;7\nMaelbrook;1975-11-23;8": [
        "Kernweiler",
        "1982-03-04",
        "Maelbrook",
        "1975-11-23",
    ],
    "| first_name | last_name |\n+---+---+\n| Thorvane | Kernweiler |": ["Thorvane", "Kernweiler"],
    "  first_name  last_name\n0   Thorvane  Kernweiler": ["Thorvane", "Kernweiler"],
    "First name & Last name \\\\ \\hline\nThorvane & Kernweiler \\\\": ["Thorvane", "Kernweiler"],
    "<tr><th>First name</th><th>Last name</th></tr><tr><td>Thorvane</td><td>Kernweiler</td></tr>": [
        "Thorvane",
        "Kernweiler",
    ],
    "<dl><dt>Nachname</dt><dd>Kernweiler</dd></dl>": ["Kernweiler"],
    '<input name="lastName" value="Kernweiler">': ["Kernweiler"],
    '<family value="Kernweiler"/><given value="Thorvane"/>': ["Kernweiler", "Thorvane"],
    "curl -F 'last_name=Kernweiler' --compressed": ["Kernweiler"],
    'form-data; name="last_name"\r\n\r\nKernweiler\r\n--b': ["Kernweiler"],
    "person(last_name('Kernweiler')).": ["Kernweiler"],
    'array(1) {\n  ["last_name"]=>\n  string(10) "Kernweiler"\n}': ["Kernweiler"],
    '[{last_name,<<"Kernweiler">>}]': ["Kernweiler"],
    '$last_name\n[1] "Kernweiler"': ["Kernweiler"],
    "Last name ........ Kernweiler": ["Kernweiler"],
    "Nachname → Kernweiler; Menge → 3": ["Kernweiler"],
    "Last name\nKernweiler\nPlan\ngold": ["Kernweiler"],
    'last_name changed from "Kernweiler" to "Maelbrook"': ["Kernweiler", "Maelbrook"],
    "LastName: Kernweiler -> Maelbrook": ["Kernweiler", "Maelbrook"],
    "Person(given='Thorvane', family='Kernweiler')": ["Thorvane", "Kernweiler"],
    "Name: Kernweiler\nVorname: Thorvane": ["Kernweiler", "Thorvane"],
    'SET user first_name "Thorvane" last_name "Kernweiler"': ["Thorvane", "Kernweiler"],
    "Last name\tKernweiler\nPlan\tgold": ["Kernweiler"],
    "<lastName><![CDATA[Kernweiler]]></lastName>": ["Kernweiler"],
    '<span itemprop="familyName">Kernweiler</span>': ["Kernweiler"],
    "SELECT 'Kernweiler' AS last_name": ["Kernweiler"],
    "WHERE lower(last_name) = lower('Kernweiler')": ["Kernweiler"],
    "Duplicate entry 'Kernweiler' for key 'people.last_name'": ["Kernweiler"],
}
NOTHING = (
    "/search?name=Garden+Chair",
    "/x?first_name=null&last_name=undefined",
    "/p?name=index",
    "/a?phone=12&tel=abc",
    "x = a && name=Foo",
    "first_name=a function",
    "last_name: string, first_name=TEXT",
    "lastName = Nachname",
    "first_name=Required last_name='Missing'",
    "page first=Monday last=Friday",
    "?customer=Acme+Systems&n=1",
    "this.lastName = lastName;",
    '["First name", "Last name"]',
    "<th>Last name</th><th>City</th>",
    "run --last-name required --name Garden Chair",
    '<input name="Order Number">',
    "discount 100%20off 7%2C only",
    "First name;Last name\nVorname;Nachname",
    "First name, last name and e-mail\nmay be empty, null or missing",
    "Last name\nFirst name\nStreet",
    "last_name changed from required to optional",
    "last_name | varchar",
    "INSERT INTO u (first_name, last_name) VALUES (?, ?)",
    "first_names = (\n'WindowOpen',\n'WindowClose',\n)",
    "font(family='Arial', size=12)",
    "Name: Premium Widget\nVorname: optional",
    '{"lastName": null, "companyName": "Acme Systems"}',
    '<span class="last-name">Nachname</span>',
)


@pytest.mark.parametrize("text", FOUND)
def test_they_are_found(text: str) -> None:
    assert [text[s.start : s.end] for s in spans(text)] == FOUND[text]


@pytest.mark.parametrize("text", NOTHING)
def test_other_values_are_none(text: str) -> None:
    assert not spans(text)


def test_masks_are_written_as_queries_are(tmp_path: Path) -> None:
    lines = [f"10.0.0.{i} GET /p?id={i}&name=Anna+Br%C3%BCckner&tel=%2B4917155582{i}3&x=1 200" for i in range(9)]
    (tmp_path / "a.log").write_text("\n".join(lines) + "\n")
    run("mask", tmp_path / "a.log", "-o", tmp_path / "out.log", "--key", key_file(tmp_path))
    for i, line in enumerate((tmp_path / "out.log").read_text().splitlines()):
        assert len(line.split()) == 4 and "Br%C3" not in line and "49171555" not in line
        query = dict(parse_qsl(line.split()[2].partition("?")[2]))
        assert query["id"] == str(i) and query["x"] == "1" and len(query["name"].split()) == 2
        assert query["tel"].startswith("+49")


FAMILIES = "Kernweiler Dobrzanek Okwumabua Strellhorn Quistgaard Zwirnmann".split()
GIVEN = "Anna Jens Thandeka Peter Maria Katarzyna".split()
CELLS = {
    "query": lambda g, f: f"https://shop.acme.org/find?customer={g}+{f}&ref=7",
    "encoded": lambda g, f: f"customer={quote(f'{g} {f}')}&ref=7",
    "named": lambda g, f: f"https://shop.acme.org/find?name={g}+{f}&ref=7",
    "cookie": lambda g, f: f"sid=a8f; customer={g}%20{f}; ref=7",
    "form": lambda g, f: f"first_name={g}&last_name={f}&ref=7",
    "node": lambda g, f: f'(:Person {{name: "{g} {f}", ref: 7}})',
    "script": lambda g, f: f"{{name: '{g} {f}', ref: 7}}",
    "hash": lambda g, f: f'{{"name" => "{g} {f}", "ref" => 7}}',
    "hstore": lambda g, f: f'"name"=>"{g} {f}", "ref"=>"7"',
    "toml": lambda g, f: f'{{ name = "{g} {f}", ref = 7 }}',
    "flow": lambda g, f: f"{{first: {g}, last: {f}, ref: 7}}",
    "struct": lambda g, f: f"{{Name:{g} {f} Ref:7}}",
    "graphql": lambda g, f: f'mutation {{ add(input: {{lastName: "{f}", ref: 7}}) {{ id }} }}',
    "element": lambda g, f: f"<c><firstName>{g}</firstName><lastName>{f}</lastName><ref>7</ref></c>",
    "log": lambda g, f: f"2024-11-04 GET /x?msg={quote(f'Dear {g} {f}, hello')}&ref=7 200",
}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_they_are_found_in_cells_and_none_stays(tmp_path: Path, ending: str) -> None:
    rows = [
        {"id": i, **{name: made(GIVEN[(i + j) % 6], FAMILIES[i]) for j, (name, made) in enumerate(CELLS.items())}}
        for i in range(6)
    ]
    source, target = tmp_path / f"x.{ending}", tmp_path / f"out.{ending}"
    frame = pl.DataFrame(rows)
    frame.write_csv(source) if ending == "csv" else frame.write_ndjson(source)
    report = piiscan.scan(source)
    names = {"PERSON", "FIRST_NAME", "LAST_NAME"}
    assert [c for c in CELLS if not names & {i.entity for i in report[c].inside}] == []
    assert piiscan.mask(source, piiscan.plan(source), piiscan.Key(bytes(range(32))), output=target).to_dict()[
        "verified"
    ]
    masked = pl.read_csv(target) if ending == "csv" else pl.read_ndjson(target)
    for name in CELLS:
        for cell in masked[name].to_list():
            assert not any(family in cell for family in FAMILIES) and "7" in cell, (name, cell)


@pytest.mark.parametrize("name", [n for n in CELLS if n != "encoded"])
def test_lines_of_them_are_texts_of_one_column(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.txt").write_text("".join(CELLS[name](*who) + "\n" for who in zip(GIVEN, FAMILIES, strict=True)))
    report = piiscan.scan(tmp_path / "x.txt")
    assert report.findings and report.tables[0].header is not True


@pytest.mark.parametrize(
    "cells",
    [
        "Garden Chair|Steel Grill|Oak Table|Desk Lamp|Jack Daniels|Ruby Ring|Crystal Vase",
        "San Jose|Virginia Beach|Baton Rouge|Santa Clara|Saint Paul|Fort Wayne|Las Vegas",
        "Acme Tools|Zalando Retail|Quux Widgets|Meyer Solutions|Premium Parts|Ernst Systems|Deere Works",
    ],
    ids=["things", "places", "firms"],
)
@pytest.mark.parametrize("written", ["https://a.acme.org/p?name={}&n={n}", "{{name: '{}', price: {n}}}"])
def test_names_of_other_things_are_none(cells: str, written: str) -> None:
    rows = [{"id": n, "info": written.format(quote(c), n=n)} for n, c in enumerate(cells.split("|") * 2)]
    assert not piiscan.scan(rows).findings


@pytest.mark.parametrize(
    ("cells", "is_found"),
    [
        ("https://a.org/c/{n}?size={n}&last_name={family}", True),
        ("https://a.org/c/{n}?size={n}&last_name2={family}", True),
        ("https://a.org/c/{n}?size={n}&page2={n}", False),
        ("2024-03-1{n}T10:0{n}:00", False),
        ("fe80:0{n}:ab{n}:c9:1:2:3:4", False),
    ],
)
def test_columns_of_addresses_are_looked_through_for_keys(cells: str, is_found: bool) -> None:
    people = zip(GIVEN * 2, FAMILIES * 2, strict=True)
    rows = [{"n": i, "link": cells.format(n=i % 10, given=g, family=f)} for i, (g, f) in enumerate(people)]
    inside = {found.entity for found in piiscan.scan(rows).tables[0].columns[1].inside}
    assert bool({"PERSON", "LAST_NAME"} & inside) == is_found
