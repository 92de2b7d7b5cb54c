"""A name that a text repeats in part becomes that part of the same made-up person, whether it is found or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from mask_people import key_file, piiscan

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
