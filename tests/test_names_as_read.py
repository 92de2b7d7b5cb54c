"""Names are found in texts as a reader sees them: written by references or escapes, or with characters nobody sees."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from html.entities import codepoint2name
from pathlib import Path
from urllib.parse import unquote

import polars as pl
import pytest
from mask_people import key_file, piiscan, planned

from piiscan.detection.reading.visible_text import visible
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.proof.people_prints import PeoplePrints

PEOPLE = [
    ("Anna", "Kernweiler"), ("Bernd", "Müller"), ("Carla", "O'Brien"), ("Dörte", "Sandkühler"),
    ("Emil", "Petschnigg"), ("Frieda", "Vogelsang"), ("Gustav", "Hinterhuber"), ("Hanna", "Wiesengrund"),
]  # fmt: skip
Spell = Callable[[str], str]
UNSEEN = "\u00ad\u034f\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\ufeff"


def each(form: str, every: int = 2) -> Spell:
    """Every second character, or so, in a form of its number."""
    return lambda name: "".join(form.format(ord(c)) if i % every == 0 else c for i, c in enumerate(name))


def named(name: str) -> str:
    return "".join(f"&{codepoint2name[ord(c)]};" if ord(c) > 127 else f"&#{ord(c)};" if c == "'" else c for c in name)


def within(character: str) -> Spell:
    return lambda name: name[:3] + character + name[3:]


SPELLINGS: dict[str, Spell] = {
    "reference": each("&#{};", 3),
    "hexadecimal reference": each("&#x{:x};"),
    "without semicolons": lambda name: re.sub(r"\D(?=\D)", lambda c: f"&#{ord(c[0])}", name),
    "named reference": named,
    "reference in reference": lambda name: each("&#{};")(name).replace("&", "&amp;"),
    "reference in JSON": lambda name: each("&#{};")(name).replace("&", r"\u0026"),
    "JSON": each(r"\u{:04x}"),
    "JSON in JSON": each(r"\\u{:04x}"),
    "JavaScript": each(r"\u{{{:x}}}"),
    "Perl": each(r"\x{{{:x}}}"),
    "Python": each(r"\U{:08x}"),
    "Latin-1 bytes": each(r"\x{:02x}"),
    "UTF-8 bytes": lambda name: "".join(f"\\x{byte:02x}" for byte in name.encode()),
    "URL": lambda name: "".join(f"%{byte:02X}" for byte in name.encode()),
    "URL in Latin-1": lambda name: "".join(f"%{ord(c):02x}" if ord(c) > 127 or c in "' " else c for c in name),
    "behind a line break": lambda name: rf"\n{name}",
    "full-width": lambda name: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name),
    "decomposed": lambda name: unicodedata.normalize("NFD", name),
    "decomposed by reference": lambda name: each("&#{};", 1)(unicodedata.normalize("NFD", name)),
    "no-break space": lambda name: name.replace(" ", "\u00a0"),
    "named no-break space": lambda name: name.replace(" ", "&nbsp;"),
    "named soft hyphen": within("&shy;"),
    **{f"U+{ord(c):04X}": within(c) for c in UNSEEN},
    "variation": within("\ufe0f"),
    "further variation": within("\U000e0100"),
    "tag": within("\U000e0041"),
}  # fmt: skip
BEFORE, BEHIND = 'Heute hat <b class="x">', "</b> angerufen &amp; um R&uuml;ck\u00adruf gebeten, \\u00fcber 100%."


def table(form: str) -> pl.DataFrame:
    """A row for each spelling of each person, whose note has a part of the person in that spelling."""
    rows = []
    for spelling, spell in SPELLINGS.items():
        for i, (first, last) in enumerate(PEOPLE):
            email = f"{first[0]}{i}{len(rows):03}@mail.example".lower()
            value = form.format(first=first, last=last, email=email)
            rows.append((spelling, first, last, email, f"{BEFORE}{spell(value)}{BEHIND} ({len(rows)})"))
    return pl.DataFrame(rows, schema=["kind", "first_name", "last_name", "email", "note"], orient="row")


@pytest.mark.parametrize("form", ["{first} {last}", "{first}", "{last}", "{email}"])
def test_a_name_is_masked_in_any_spelling_and_nothing_else(tmp_path: Path, form: str) -> None:
    frame = table(form)
    frame.write_csv(tmp_path / "people.csv")
    piiscan("mask", tmp_path / "people.csv", "--key", key_file(tmp_path), "-o", tmp_path / "out.csv")
    out = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert len(out) == len(frame)
    wrong = []
    for row, (before, after) in enumerate(zip(frame.iter_rows(named=True), out.iter_rows(named=True), strict=True)):
        behind = f"{BEHIND} ({row})"
        start = BEFORE + r"\n" * before["note"].startswith(BEFORE + r"\n")
        assert after["note"].startswith(start) and after["note"].endswith(behind), before["kind"]
        mask = after["note"].removeprefix(start).removesuffix(behind)
        mask = unquote(mask if (seen := visible(mask)) is None else seen.text).replace("\u00a0", " ")
        expected = form.format(first=after["first_name"], last=after["last_name"], email=after["email"])
        if mask != expected:
            wrong.append((before["kind"], before["note"], mask))
    assert wrong == []


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_name_that_is_left_in_any_spelling_breaks_the_promise(part: int) -> None:
    columns = (
        Action(0, "first", "string", "FIRST_NAME", "direct", "persona"),
        Action(1, "last", "string", "LAST_NAME", "direct", "persona"),
        Action(2, "email", "string", "EMAIL_ADDRESS", "direct", "persona"),
    )
    plan, people = TablePlan("people.csv", None, columns), PeoplePrints()
    rows = [
        (first, last, f"{first[0]}{i}{last[-3:]}@mail.example".lower(), spell)
        for i, spell in enumerate(SPELLINGS.values())
        for first, last in PEOPLE
    ]
    frame = pl.DataFrame([row[:3] for row in rows], schema=["0", "1", "2"], orient="row")
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {i: pl.Series([f"{'xyz'[i]}{n}x" for n in range(len(rows))]) for i in range(3)}, keys)
    left = pl.Series([f"{BEFORE}{row[3](row[part])}{BEHIND}" for row in rows])
    found = people.index().look_up(left, keys, [])
    assert (found.own if part < 2 else found.everywhere).tolist() == list(range(len(rows)))
    assert people.index().look_up(pl.Series([f"{BEFORE}sie{BEHIND}"] * len(rows)), keys, []).own.tolist() == []


def test_an_output_with_such_a_name_is_not_written(tmp_path: Path) -> None:
    table("{last}").filter(pl.col("kind") == "named reference").write_csv(tmp_path / "people.csv")
    plan = planned(tmp_path / "people.csv", tmp_path / "plan.toml", note='operator = "keep"')
    piiscan(
        "mask", tmp_path / "people.csv", "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path), status=5
    )


def test_signs_are_written_as_they_were(tmp_path: Path) -> None:
    """A line break or a quotation mark by an escape stays one: text of JSON stays JSON."""
    notes = [r'said: "Anna\nKernweiler \u0022Kernweiler\u0022, Anna\u0022"', "<i title='Anna &quot;Kernweiler&quot;'>"]
    rows = [("Anna", "Kernweiler", "a@mail.example", note) for note in notes]
    rows += [("Ute", f"Brandstett{i}", f"u{i}@mail.example", "Kein Anruf, Paket versandt.") for i in range(20)]
    frame = pl.DataFrame(rows, schema=["first_name", "last_name", "email", "note"], orient="row")
    frame.write_csv(tmp_path / "in.csv")
    piiscan("mask", tmp_path / "in.csv", "--key", key_file(tmp_path), "-o", tmp_path / "out.csv")
    first, last, _, note = pl.read_csv(tmp_path / "out.csv", infer_schema=False).row(0)
    assert note == notes[0].replace("Anna", first).replace("Kernweiler", last)
    assert pl.read_csv(tmp_path / "out.csv")["note"][1] == f"<i title='{first} &quot;{last}&quot;'>"


def test_a_column_of_names_in_references_is_known(tmp_path: Path) -> None:
    rows = [
        (named(f), named(s), f"{i}@mail.example", f"{f} {s} rief an, {s} kommt.") for i, (f, s) in enumerate(PEOPLE)
    ]
    pl.DataFrame(rows, schema=["first_name", "last_name", "email", "note"], orient="row").write_csv(tmp_path / "in.csv")
    piiscan("mask", tmp_path / "in.csv", "--key", key_file(tmp_path), "-o", tmp_path / "out.csv")
    out = pl.read_csv(tmp_path / "out.csv", infer_schema=False)["note"].to_list()
    assert not [note for note, names in zip(out, PEOPLE, strict=True) if any(name in note for name in names)]


def test_the_recogniser_reads_so_too(tmp_path: Path) -> None:
    """Names of people who are in no table."""
    spellings = [spell for kind, spell in SPELLINGS.items() if "URL" not in kind]
    notes = [f"Frau {spell('Sabine Köster')} rief an. Mail: {spell('sabine.k@web.example')}" for spell in spellings]
    (tmp_path / "notes.txt").write_text("\n".join(notes) + "\n", encoding="utf-8")
    piiscan("mask", tmp_path / "notes.txt", "-o", tmp_path / "out.txt", "--key", key_file(tmp_path))
    out = (tmp_path / "out.txt").read_text(encoding="utf-8").splitlines()
    assert len(out) == len(notes)
    seen = [note if (read := visible(note)) is None else read.text for note in out]
    assert not [note for note in seen if "Sabine" in note or "Köster" in note or "sabine" in note]


@pytest.mark.parametrize(
    "text",
    [
        "", "AT&T & Co; R&D", "?copy=1&copy=2&ethnicity=x", r"C:\robert\umbrella\xenon", "100 %", "&;&#;&#x;&nosuch;",
        r"\ud83d alone", r"\u{110000}", "👩\u200d💻 ❤\ufe0f", "می\u200cخواهم", "क\u094d\u200dष", "Ａnna",
    ],
)  # fmt: skip
def test_what_only_looks_so_stays(text: str) -> None:
    assert visible(text) is None


@pytest.mark.parametrize(
    ("text", "read", "place"),
    [
        ("x M&uuml;ller.", "x Müller.", (2, 13)),
        (r"x \u004du\u0308ller\u200b.", "x Müller.", (2, 19)),
        ("x \u200bMüller\u200b.", "x Müller.", (3, 9)),
        (r"\ud83d\ude00Müller.", "😀Müller.", (12, 18)),
        (r"x\xc3\xa4Müller", "xäMüller", (9, 15)),
    ],
)
def test_places_are_those_in_the_text_as_it_is_written(text: str, read: str, place: tuple[int, int]) -> None:
    seen = visible(text)
    assert seen is not None and seen.text == read
    start = read.index("Müller")
    assert seen.written(start, start + 6) == place
