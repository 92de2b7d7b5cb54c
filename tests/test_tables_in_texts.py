"""Tables, speakers and filled-in labels amid other text are columns, and masks change their cells alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import run_piiscan
from mask_people import key_file

import piiscan

FAMILIES = ("Kernweiler", "Brathwold", "Szpurnal")
GIVEN = ("Ardwin", "Velthea", "Ilminka")
PEOPLE = tuple(zip(FAMILIES, GIVEN, ("63", "49", "36"), strict=True))


def lines(*some: str) -> str:
    return "\n".join(some) + "\n"


TABLES = {
    "latex": lines(
        r"\section{Staff}",
        r"\begin{tabular}{|l|l|r|}",
        r"\hline",
        r"\textbf{Surname} & \textbf{Forename} & Age \\ \hline",
        *(rf"{a} & \emph{{{b}}} & {c} \\ \hline" for a, b, c in PEOPLE),
        r"\end{tabular}",
    ),
    "asciidoc": lines(
        "= Staff", "", "|===", "|Surname |Forename |Age", "", *(f"|{a}\n|{b}\n|{c}\n" for a, b, c in PEOPLE), "|==="
    ),
    "asciidoc in lines": lines(
        '[cols="1,1,1",options="header"]',
        "|===",
        "|Surname |Forename |Age",
        *(f"|{a} |{b} |{c}" for a, b, c in PEOPLE),
        "|===",
    ),
    "mediawiki": lines(
        '{| class="wikitable"',
        "! Surname !! Forename !! Age",
        *(f'|-\n| {a} || style="x" | {b} || {c}' for a, b, c in PEOPLE),
        "|}",
    ),
    "longtable": lines(
        r"\begin{longtable}{ll}",
        r"\caption{Staff} \\",
        r"Surname & Forename & Age \\ \endfirsthead",
        r"Surname & Forename & Age \\ \endhead",
        *(rf"{a} & {b} & {c} \\" for a, b, c in PEOPLE),
        r"\end{longtable}",
    ),
    "a csv-table": lines(
        ".. csv-table::",
        '   :header: "Surname", "Forename", "Age"',
        "",
        *(f'   "{a}", "{b}", {c}' for a, b, c in PEOPLE),
    ),
    "a list-table": lines(
        "Staff",
        "=====",
        "",
        ".. list-table::",
        "   :header-rows: 1",
        "",
        "   * - Surname",
        "     - Forename",
        "     - Age",
        *(f"   * - {a}\n     - {b}\n     - {c}" for a, b, c in PEOPLE),
        "",
        "The end.",
    ),
}
CHATS = {
    "whatsapp": ["12.03.24, 18:4{0} - {1}: {2}", "12.03.24, 18:50 - Nachrichten sind verschlüsselt."],
    "iphone": ["[3/12/24, 6:4{0}:02 PM] {1}: {2}"],
    "zoom": ["09:12:4{0}\t From  {1} : {2}"],
    "subtitles": ["{0}\n00:00:0{0}.000 --> 00:00:0{0}.900\n{1}: {2}\n"],
    "slack": ["{1}  9:1{0} AM\n{2}\n"],
    "telegram": ["{1}, [12.03.2024 15:0{0}]\n{2}\n"],
    "teams": ["0:0:{0}.200 --> 0:0:{0}.900\n{1}\n{2}\n"],
    "bare": ["{1}: {2}"],
}
SAID = ("hi", "hello, where are you?", "at the station", "see you", "bring the bread please", "ok", "super")


def write(folder: Path, text: str, name: str = "team.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def masked(folder: Path, source: Path, policy: str = "default") -> str:
    plan, target = folder / "plan.toml", folder / f"out-{source.name}"
    for arguments in (
        ("plan", source, "-o", plan, "--policy", policy),
        ("mask", source, "--plan", plan, "-o", target, "--key", key_file(folder)),
    ):
        done = run_piiscan(*arguments)
        assert done.returncode == 0, done.stderr
    return target.read_bytes().decode()


def chat(kind: str, names: tuple[str, ...]) -> str:
    turn, *others = CHATS[kind]
    return lines(*others, *(turn.format(i, names[i % len(names)], said) for i, said in enumerate(SAID)))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_in_markup(tmp_path: Path, kind: str, end: str) -> None:
    text = TABLES[kind].replace("\n", end)
    source = write(tmp_path, text)
    [table] = [table for table in piiscan.scan(source).tables if table.table]
    assert (table.rows, [c.name for c in table.columns]) == (3, ["Surname", "Forename", "Age"])
    assert [c.entity for c in table.columns] == ["LAST_NAME", "FIRST_NAME", "AGE"]
    if end == "\n":
        new = masked(tmp_path, source)
        assert not any(name in new for name in (*FAMILIES, *GIVEN))
        assert new.count("\n") == text.count("\n")


def test_authors_in_bibtex(tmp_path: Path) -> None:
    text = lines(
        "@article{x1,",
        "  author = {Kernweiler, Ardwin and",
        "            Brathwold, Velthea},",
        "  title = {Of tables},",
        "}",
        "@book{x2,",
        '  editor = "Ilminka Szpurnal and {The NumPy Developers}",',
        "  year = 2020",
        "}",
    )
    source = write(tmp_path, text, "refs.bib")
    found = {t.table: [c.entity for c in t.columns] for t in piiscan.scan(source).tables if t.table}
    assert found == {"author": ["LAST_NAME", "FIRST_NAME"], "editor": ["PERSON"]}
    new = masked(tmp_path, source)
    assert not any(name in new for name in (*FAMILIES, *GIVEN))
    assert "{The NumPy Developers}" in new
    assert new.count("\n") == text.count("\n")


@pytest.mark.parametrize("kind", CHATS)
def test_who_says_something(tmp_path: Path, kind: str) -> None:
    names = ("Ardwin Kernweiler", "Velthea") if kind != "bare" else ("Kernweiler", "Velthea")
    source = write(tmp_path, chat(kind, names))
    [table] = [table for table in piiscan.scan(source).tables if table.table]
    assert (table.rows, [c.entity for c in table.columns]) == (len(SAID), ["PERSON"])
    new = masked(tmp_path, source)
    assert not any(name in new for name in ("Ardwin", "Kernweiler", "Velthea"))
    assert all(said in new for said in SAID)


@pytest.mark.parametrize("turn", ["[18:44:0{0}] <{1}> {2}", "[12-Mar-24 06:4{0} PM] {1}#1123\n{2}\n"])
def test_who_says_something_by_a_nick(tmp_path: Path, turn: str) -> None:
    text = lines(*(turn.format(i, ("kernw", "velthea_b")[i % 2], said) for i, said in enumerate(SAID)))
    [table] = [table for table in piiscan.scan(write(tmp_path, text, "irc.log")).tables if table.table]
    assert [c.entity for c in table.columns] == ["USERNAME"]


@pytest.mark.parametrize("speakers", [2, 3])
def test_few_speakers_of_a_long_talk_keep_a_name_each(tmp_path: Path, speakers: int) -> None:
    """With another name in each turn the talk would be none."""
    names = [f"{given} {family}" for family, given, _ in PEOPLE[:speakers]]
    names[1] = "Rose Kernweiler"  # which is a flower, too
    turns = ("hello, are you there?", "yes, I am", "thanks", "see you", "ok")
    said = [f"[0{1 + i % 9}/03/24, 10:{i:02}:07] {names[i % speakers]}: {turns[i % 5]}" for i in range(40)]
    made = masked(tmp_path, write(tmp_path, lines(*said), "chat.txt")).splitlines()
    spoke = [line.split("] ")[1].split(": ")[0] for line in made]
    assert len(set(spoke)) == speakers and set(spoke).isdisjoint(names)
    assert all(spoke[i] == spoke[i % speakers] for i in range(40))


@pytest.mark.parametrize("colon", [":", ""])
def test_labels_above_values(tmp_path: Path, colon: str) -> None:
    indent = "" if colon else "    "
    pairs = {"Nachname": "Kernweiler", "Vorname": "Ardwin", "Geburtsdatum": "02.04.1961", "Anschrift": "Quellgasse 14"}
    text = lines(
        "Antrag", "", *(f"{label}{colon}\n{indent}{value}" for label, value in pairs.items()), "04779 Brunnfeld"
    )
    source = write(tmp_path, text)
    [table] = [table for table in piiscan.scan(source).tables if table.table]
    assert [c.entity for c in table.columns] == ["LAST_NAME", "FIRST_NAME", "DATE_OF_BIRTH", "STREET_ADDRESS"]
    new = masked(tmp_path, source)
    assert not any(value in new for value in ("Kernweiler", "Ardwin", "Quellgasse"))
    assert new.count("\n") == text.count("\n")


FEW = {
    "|===\n|Name|Born\n\n|Ada Kernweiler|1815\n|===": {"Name": "PERSON", "Born": "DATE_OF_BIRTH"},
    "|===\n|Surname\n\n|Kernweiler\n|===\n": {"Surname": "LAST_NAME"},
    "{|\n|-\n! Surname\n|-\n| Kernweiler\n|}\n": {"Surname": "LAST_NAME"},
    "\\begin{tabular}{l}\nSurname \\\\\nKernweiler \\\\\n\\end{tabular}\n": {"Surname": "LAST_NAME"},
    ".. list-table::\n\n   * - Anna\n     - Kernweiler\n": {None: "LAST_NAME"},
    "Surname: Kernweiler\nCity: Bath\n": {"Surname": "LAST_NAME", "City": "CITY"},
    "- **Surname:** Kernweiler\n- **Born:** 1815\n": {"Surname": "LAST_NAME", "Born": "DATE_OF_BIRTH"},
    "Surname ........ Kernweiler\nForename ....... Ardwin\n": {"Surname": "LAST_NAME", "Forename": "FIRST_NAME"},
    "Surname\nKernweiler\n\nForename\nArdwin\n": {"Surname": "LAST_NAME", "Forename": "FIRST_NAME"},
    "Surname      Forename\nKernweiler   Ardwin\n": {"Surname": "LAST_NAME", "Forename": "FIRST_NAME"},
}


@pytest.mark.parametrize("text", FEW)
def test_one_row_is_enough(tmp_path: Path, text: str) -> None:
    source = write(tmp_path, text)
    found = {c.name: c.entity for t in piiscan.scan(source).tables if t.format != "text" for c in t.columns}
    assert {name: found[name] for name in FEW[text]} == FEW[text]
    new = masked(tmp_path, source)
    assert "Kernweiler" not in new and "Ardwin" not in new
    marks = re.compile(r"[^\w .]|\.{4,}|\n")
    assert marks.findall(new) == marks.findall(text)


def test_contact_data_in_a_form_are_those_of_whom_it_may_name(tmp_path: Path) -> None:
    text = "Contact\n\nName: Brindle Quaverstone\nTelefon: 05241 88372\n\nPlease call.\n"
    report = piiscan.scan(source := write(tmp_path, text))
    assert {c.name: c.pii for t in report.tables for c in t.columns}["Telefon"] == "direct"
    assert [entry.column for entry in report.review] == ["Name"]
    assert "88372" not in masked(tmp_path, source)


@pytest.mark.parametrize(
    "text",
    [
        *(chat(kind, ("Ardwin Kernweiler", "Velthea")) for kind in ("whatsapp", "slack")),
        *(TABLES[kind] for kind in ("latex", "asciidoc")),
        "@article{x1,\n  author = {Kernweiler, Ardwin and Brathwold, Velthea},\n}\n",
        "Nachname:\nKernweiler\nVorname:\nArdwin\n",
        " surname    | age\n------------+-----\n Kernweiler |  63\n Brathwold  |  49\n",
    ],
)
def test_values_may_be_emptied(tmp_path: Path, text: str) -> None:
    source = write(tmp_path, text)
    new = masked(tmp_path, source, "hipaa-safe-harbor")
    assert not any(name in new for name in (*FAMILIES, *GIVEN))
    [table] = [table for table in piiscan.scan(write(tmp_path, new, "new.txt")).tables if table.table]
    assert table.rows == next(t.rows for t in piiscan.scan(source).tables if t.table)


NONE = {
    "a log": lines(*(f"[18:44:0{i}] <worker-{i % 2}> did you start job {i}?" for i in range(8))),
    "levels": lines(*(f"2024-03-04 09:12:4{i} {('Warning', 'Error')[i % 2]}: no space, please wait" for i in range(8))),
    "messages": lines(*(f"{('Warning', 'Error')[i % 2]}: do you need {i}?" for i in range(8))),
    "questions": lines(*(f"{('Question', 'Answer')[i % 2]}: what is it, please?" for i in range(8))),
    "programs": lines(*(f"{('Kubelet', 'Etcd')[i % 2]}: restarted number {i}" for i in range(8))),
    "figures": lines(
        r"\begin{tabular}{lrr}",
        r"Method & Precision & Recall \\",
        r"Baseline & 0.71 & 0.66 \\",
        r"Ours & 0.83 & 0.79 \\",
        r"\end{tabular}",
    ),
    "options": lines("|===", "|Option |Type |Default", "", "|verbose\n|bool\n|false\n", "|depth\n|int\n|3", "|==="),
    "firms": lines("@misc{numpy,", "  author = {{NumPy Developers}},", "  title = {NumPy}", "}"),
    "settings": lines("Port:", "8080", "Log level:", "debug", "Mode:", "fast"),
    "an option": "|===\n|Option|Default\n\n|Log level|Info\n|===\n",
    "a single column": "{|\n! Product\n|-\n| Garden hose\n|}\n",
    "what a thing has": lines("Name: Blue Kettle", "Price: 12.00", "Colour: blue"),
    "a row of prices": lines("Product       Price", "Garden hose   19.90"),
    "contents": lines("Chapter One ......... 12", "Chapter Two ........ 40"),
}


@pytest.mark.parametrize("kind", NONE)
def test_other_texts_name_nobody(tmp_path: Path, kind: str) -> None:
    tables = piiscan.scan(write(tmp_path, NONE[kind])).tables
    assert {(c.pii, len(c.inside)) for t in tables for c in t.columns} == {("none", 0)}
    assert not any(t.format.startswith(("talk", "form")) for t in tables)
