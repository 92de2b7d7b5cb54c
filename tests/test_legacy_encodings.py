"""Made-up names can be written in the older encodings of their language, and are the same in all files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from mask_people import key_file
from mask_people import piiscan as run

from piiscan.masking.surrogates.name_lists import lists

FILES = {
    "cp1250": (
        "nume;prenume;email",
        "Popescu Mîndrulă Ionescu Dumitrescu Stan Rusu Munteanu Matei Marin Dobre",
        "Ana Ion Maria Elena Radu Mihai Ioana Dan Vlad Andrei",
    ),
    "cp1251": (
        "прізвище;ім'я;email",
        "Шевченко Коваленко Бондаренко Ткачук Мельник Кравець",
        "Олена Іван Марія Тарас Оксана Андрій Наталія Богдан",
    ),
}


@pytest.mark.parametrize(("locale", "encoding"), [("ro_RO", "cp1250"), ("ro_RO", "iso8859-2"), ("uk_UA", "cp1251"),
                                                  ("uk_UA", "koi8-u"), ("pl_PL", "cp1250"), ("tr_TR", "cp1254"),
                                                  ("cs_CZ", "iso8859-2"), ("ru_RU", "koi8-r"), ("de_DE", "latin-1"),
                                                  ("lv_LV", "cp1257"), ("el_GR", "cp1253")])  # fmt: skip
def test_every_name_of_a_list_can_be_written(locale: str, encoding: str) -> None:
    found = lists(locale)
    names = [n.name for n in (*found.female, *found.male)] + [f for s in found.surnames for f in (s.male, s.female)]
    assert len(names) > 200
    for name in (*names, *found.patronymics[0], *found.patronymics[1]):
        name.encode(encoding)


@pytest.mark.parametrize("encoding", FILES)
def test_a_file_in_an_older_encoding_is_masked_as_one_in_utf_8(encoding: str, tmp_path: Path) -> None:
    header, last, first = FILES[encoding]
    rng = random.Random(8)
    rows = [f"{rng.choice(last.split())};{rng.choice(first.split())};x{i}@post-amt.ro" for i in range(200)]
    text = "\n".join((header, *rows, ""))
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "old.csv").write_bytes(text.encode(encoding))
    (folder / "new.csv").write_bytes(text.encode())
    run("plan", folder, "-o", tmp_path / "plan.toml")
    run("mask", folder, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out", "--key", key_file(tmp_path))
    old = (tmp_path / "out" / "old.csv").read_bytes().decode(encoding)
    assert old == (tmp_path / "out" / "new.csv").read_bytes().decode()
    assert not {row.rpartition(";")[2] for row in rows} & {row.rpartition(";")[2] for row in old.splitlines()}
