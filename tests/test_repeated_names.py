"""A name that a text repeats in part becomes that part of the same made-up person, whether it is found or not."""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl
import pytest
from mask_people import key_file, piiscan, planned

from piiscan.masking.known import repeated_names

NOTES = {
    "Mary Smith called about her order. Mary wants a refund.": ("Mary", "Smith"),
    "She was a friend of Linda Davis and of Linda.": ("Linda", "Davis"),
    "The client Karen Jones left. We told Karen to come back. Ms Jones paid.": ("Karen", "Jones"),
    "Frau Sabine Köster rief an. Sabine bittet um Rückruf, Köster will kündigen.": ("Sabine", "Köster"),
}


def masked(folder: Path, notes: list[str], *options: str) -> list[str]:
    (folder / "notes.txt").write_text("\n".join(notes) + "\n", encoding="utf-8")
    piiscan("mask", folder / "notes.txt", "-o", folder / "out.txt", "--key", key_file(folder), *options)
    return (folder / "out.txt").read_text(encoding="utf-8").splitlines()


def test_parts_of_a_name_agree(tmp_path: Path) -> None:
    for (note, (first, last)), out in zip(NOTES.items(), masked(tmp_path, list(NOTES)), strict=True):
        assert first not in out and last not in out
        before, after = (
            note.replace(".", " ").replace(",", " ").split(),
            out.replace(".", " ").replace(",", " ").split(),
        )
        assert len(before) == len(after), out
        for part in (first, last):
            masks = {after[i] for i, word in enumerate(before) if word == part}
            assert len(masks) == 1, out


@pytest.mark.parametrize(
    ("note", "stays"),
    [
        ("Will Smith came. Will you come too?", "Will you come too?"),
        ("Grant Parkinson has Parkinson's disease.", "Parkinson's disease"),
        ("Grace Huntington phoned. Huntington disease is excluded.", "Huntington disease"),
        ("April Jones moved in. She left in April 2024.", "in April 2024"),
        ("Robert Brown phoned about the brown box.", "the brown box"),
    ],
)
def test_words_that_are_others_too_stay(tmp_path: Path, note: str, stays: str) -> None:
    *_, out = masked(tmp_path, [*NOTES, note])
    assert stays in out and out != note


def test_a_first_name_of_two_people_is_nobody_s(tmp_path: Path) -> None:
    (out,) = masked(tmp_path, ["Anna Berg met Anna Lund. Anna left early."])
    first, second = out.split(" met ")[0], out.split(" met ")[1].split(".")[0]
    left = out.rpartition(". ")[2].split()[0]
    assert left != "Anna" and first.split()[0] != second.split()[0]


def test_redacted_names_are_redacted_again(tmp_path: Path) -> None:
    rules = [
        'entity = ["PERSON"]\ninside = true\noperator = "redact"',
        'entity = ["FREE_TEXT"]\noperator = "spans"',
        'operator = "spans"',
    ]
    (tmp_path / "policy.toml").write_text("\n[[rule]]\n".join(['name = "redact"', *rules]) + "\n")
    note = "She was a friend of Linda Davis and of Linda."
    (out,) = masked(tmp_path, [note], "--policy", str(tmp_path / "policy.toml"))
    assert out == "She was a friend of <PERSON> and of <PERSON>."


def test_order_and_neighbours_change_nothing(tmp_path: Path) -> None:
    notes = list(NOTES)
    key = key_file(tmp_path)
    outputs = []
    for name, lines in (("a", notes), ("b", notes[::-1])):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        piiscan("mask", tmp_path / name, "-o", tmp_path / f"{name}.out", "--key", key)
        outputs.append((tmp_path / f"{name}.out").read_text(encoding="utf-8").splitlines())
    assert outputs[0] == outputs[1][::-1]


DECLINED = {
    "Bernd Köster rief an. Kösters Antrag liegt vor, Bernds Konto ist gesperrt, KÖSTERS.": ("Bernd", "Köster"),
    "Krzysztof Kowalski dzwonił. Umowa Kowalskiego wygasła, rozmawiano z Krzysztofem.": ("Krzysztof", "Kowalski"),
    "Иван Смирнов позвонил. Договорились с Иваном, отправили Смирнову.": ("Иван", "Смирнов"),
    "Mikko Virtanen soitti. Virtasen sopimus päättyi, Mikolle lähetettiin kirje.": ("Mik", "Virta"),
    "Lukáš Novák volal. Smlouva Nováka skončila, s Lukášem mluveno.": ("Lukáš", "Novák"),
    "Péter Kovács telefonált. Kovácsnak írtunk, Péterrel egyeztettünk.": ("Péter", "Kovács"),
    "Ayşe Demir aradı. Demirin sözleşmesi bitti, Ayşe'nin mektubu geldi.": ("Ayşe", "Demir"),
}


def test_parts_of_a_name_in_another_case_agree(tmp_path: Path) -> None:
    for (note, parts), out in zip(DECLINED.items(), masked(tmp_path, list(DECLINED)), strict=True):
        assert not [part for part in parts if part.lower() in out.lower()]
        before, after = (text.replace(".", " ").replace(",", " ").split() for text in (note, out))
        assert len(before) == len(after), out
        first, last = after[0], after[1]
        assert {new for old, new in zip(before, after, strict=True) if old != new} <= {
            *(first, last), *(f"{first}s", f"{last}s"), f"{last}s".upper(), last.upper(), f"{first}'nin",
        }, out  # fmt: skip


@pytest.mark.parametrize(
    ("note", "stays"),
    [
        ("Robert Long phoned. Longer hours are wished for.", "Longer hours"),
        ("Mark Grant met us. Marketing and Grantham branch agree.", "Marketing and Grantham branch"),
        ("Anna Kingston left. Annals of the Kingstonian club.", "Annals of the Kingstonian club"),
        ("Grace Huntington phoned. Huntingtons disease is excluded.", "Huntingtons disease"),
        ("Linda Davis phoned about a davises box and lindas.", "a davises box and lindas"),
        ("Linda Davis phoned, write to x-Davises or Davises@mail.example.", "x-"),
    ],
)
def test_words_that_only_begin_like_a_name_stay(tmp_path: Path, note: str, stays: str) -> None:
    *_, out = masked(tmp_path, [*NOTES, note])
    assert stays in out and out != note


def test_parts_of_known_people_in_rows_of_others_are_masked_in_any_case(tmp_path: Path) -> None:
    """Also where a text has several of them, or two people have one name."""
    people = [("Sabine", "Kernweiler"), ("Bernd", "Köster"), ("Bernd", "Köster"), ("Otto", "Wagenknecht")]
    notes = [
        "",
        "",
        "",
        "Sabine Kernweiler und Bernd Köster riefen an. Sabines Vertrag, Kösters Konto, Kernweiler zahlt.",
    ]
    rows = [(f"u{i}@mail.example", *name, note) for i, (name, note) in enumerate(zip(people, notes, strict=True))]
    rows += [(f"v{i}@mail.example", "Ute", f"Brandstett{i}", "Kein Anruf, Paket versandt.") for i in range(30)]
    table = pl.DataFrame(rows, schema=["email", "first_name", "last_name", "note"], orient="row")
    table.write_csv(tmp_path / "people.csv")
    for only in ("all", "own"):
        changes = {"note": f'operator = "spans"\nwith = {{mentions = "{only}"}}'}
        plan = planned(tmp_path / "people.csv", tmp_path / f"{only}.toml", **changes)
        piiscan("mask", tmp_path / "people.csv", "-o", tmp_path / only, "--plan", plan, "--key", key_file(tmp_path))
        out = pl.read_csv(tmp_path / only, infer_schema=False)
        note = out["note"][3]
        assert not [part for name in people[:2] for part in name if part in note], note
        if only == "all":
            first, last = out["first_name"][0], out["last_name"][0]
            assert note.startswith(f"{first} {last} und ")
            assert f"{first}s Vertrag" in note or f"{first} Vertrag" in note
            assert f"{last} zahlt" in note


def test_lines_of_a_text_repeat_names_of_other_lines(tmp_path: Path) -> None:
    """Found in full anywhere in the text, a name's parts become those of one made-up person in all of its lines."""
    lines = ["Employee: Gregory Zanweiin", "Reviewer: Christine Tovhama", "", "The year of review was a good one."]
    lines += [f"In week {i} nothing was noted." for i in range(40)]
    lines += ["", "Gregory did well. Zanweiin should lead, says Tovhama, and mail zanweiin@corp.example."]
    out = masked(tmp_path, lines)
    assert len(out) == len(lines) and out[4:44] == lines[4:44]
    first, last = out[0].removeprefix("Employee: ").split()
    other = out[1].split()[-1]
    assert out[-1].startswith(f"{first} did well. {last} should lead, says {other}, and mail ")
    assert not {"Gregory", "Zanweiin", "Tovhama", "zanweiin"} & set(" ".join(out).replace(",", " ").split())


def test_words_of_other_lines_that_are_no_names_stay(tmp_path: Path) -> None:
    lines = ["Met Robert Socket and Anna Schmidt.", "The socket is long.", "Each Socket has a plug, as a Socket must."]
    out = masked(tmp_path, lines)
    assert out[1:] == lines[1:] and "Robert" not in out[0] and "Socket" not in out[0]


def test_each_text_has_people_of_its_own(tmp_path: Path) -> None:
    """A name of one file says nothing of a word in another one."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("I met Robert Zanweiin, of the board.\nZanweiin will call.\n")
    (folder / "b.txt").write_text("Zanweiin stands in the list of brands.\nAnna Schmidt wrote it.\n")
    piiscan("mask", folder, "-o", tmp_path / "out", "--key", key_file(tmp_path))
    assert "Zanweiin" not in (tmp_path / "out" / "a.txt").read_text()
    assert (tmp_path / "out" / "b.txt").read_text().startswith("Zanweiin stands")


def test_long_texts_take_no_longer_by_the_name() -> None:
    def seconds(times: int) -> float:
        text = "Anna Kernweilers Konto. " * times
        begun = time.process_time()
        [found] = repeated_names.declined([text], [["Anna Kernweiler"]])
        assert len(found) == 2 * times
        return time.process_time() - begun

    assert seconds(16_000) < 20 * seconds(2000) + 0.05
