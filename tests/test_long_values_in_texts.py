"""Long names and addresses, telephones from abroad and spread e-mail addresses are masked in texts as in columns."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from mask_people import key_file

import piiscan

NAMES = [
    "Ildefonso Acuña Canals", "Humberto José Luis Polo Orozco", "Ana Belén Serrano Quiroga", "Pío Prada Castejón",
    "Magdalena Dalila Peral Rey", "Concha Jordá Rubio", "Rosalía Batlle Reguera", "Agustín Marín Roldán",
    "Trini Carrera Arregui", "Perla Alcántara Baró", "Toño Nicolás Mir", "Emelina Lago Costa",
]  # fmt: skip
STREETS = [
    "Avenida de la Constitución Española 4", "Calle de San Francisco de Sales 12", "Pasaje de Miguel Ángel Ayuso 68",
    "Urbanización de Luis Ángel Pinedo 28", "Calle Mayor 3", "Plaza de los Mártires de la Libertad 7",
    "Rambla Nova 5", "Calle del Prado 11", "Ronda de Jose Ignacio Aranda 70", "Paseo de Gracia 2", "Calle Sol 8",
    "Camino Viejo de la Ermita de Abajo 9",
]  # fmt: skip
PHONES = [
    "+39 06 5551234", "0059804764", "+44 (0)20 7946 0123", "+31 083 2231180", "+34 902 535 585", "+34 807 969 754",
    "+90 (591) 446-7541x771", "+34 847 394 239", "+34 978 292 681", "+34 980 50 92 80", "+34 209 696 019",
    "+34 173 845 887",
]  # fmt: skip
NOTES = [
    "Canals, Ildefonso Acuña llamó ayer. El señor Acuña no contestó.",
    "Habló con Humberto José Luis Polo Orozco, o sea Polo Orozco; humberto josé luis polo orozco volvió.",
    "Vino Serrano Quiroga, Ana Belén.",
    "Prada pregunta otra vez. Acuña Canals, Ildefonso le respondió.",
]


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """Masked rows of people with notes that mention them, and `said`: what of it must be gone."""
    where = tmp_path_factory.mktemp("long")
    texts = NOTES + [f"El cliente {name} llamó ayer por la tarde." for name in NAMES[len(NOTES) :]]
    frame = pl.DataFrame(
        {
            "id": [str(1000 + i) for i in range(len(NAMES))],
            "name": NAMES,
            "e_mail": [f"kern-weiler.von-{i}@mail.org" for i in range(len(NAMES))],
            "phone": PHONES,
            "street": STREETS,
            "note": [
                f"{text} Correo kern-weiler.von-{i} @ mail.org. "
                f"Vive en {street}, y no en otra parte. Tel. {written(phone)} o {phone.replace(' ', '')}."
                for i, (text, street, phone) in enumerate(zip(texts, STREETS, PHONES, strict=True))
            ],
        }
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(where)
        return pl.DataFrame(piiscan.mask(frame, piiscan.plan(frame), key=key_file(where)))


def written(phone: str) -> str:
    """A number as it is dialled."""
    return phone.replace("+", "00").replace(" ", "-") if phone.startswith("+") else phone


@pytest.mark.parametrize("row", range(len(NAMES)))
def test_nothing_of_the_row_s_person_is_left(notes: pl.DataFrame, row: int) -> None:
    text = notes["note"][row]
    words = {word for word in re.findall(r"\w{3,}", f"{NAMES[row]} {STREETS[row]}") if word[0].isupper()}
    kept = set(re.findall(r"\w{3,}", " ".join(notes[row].select("name", "street").row(0))))
    assert not {word.lower() for word in words - kept} & set(re.findall(r"\w+", text.lower()))
    assert "kern-weiler" not in text
    for phone in (written(PHONES[row]), PHONES[row].replace(" ", "")):
        assert phone not in text and re.sub(r"\W", "", phone) not in re.sub(r"\W", "", text)


def test_they_are_called_by_the_words_of_their_masks(notes: pl.DataFrame) -> None:
    """A made-up name may have as many words as its original, or two."""
    given, family = notes["name"][0].rsplit(" ", 1)
    called = given.split()[-1] if " " in given else family
    assert notes["note"][0].startswith(f"{family}, {given} llamó ayer. El señor {called} no contestó.")
    assert re.search(rf"\. [^.]*{family}, {given.split()[0]} le respondió\.", notes["note"][3])
    assert notes["note"][1].startswith(f"Habló con {notes['name'][1]}, o sea ")


@pytest.mark.parametrize("said", ["{2} {0} звонил", "{0} {0[0]}. и {2}", "спросить: {1} {2}", "{2} не пришёл"])
def test_patronymics_are_masked_beside_any_part_of_the_name(
    said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    given = "Олег Игорь Павел Пётр Фёдор Степан Никита Захар Лука Тихон Глеб Яков".split()
    names = [
        f"{family}ов {own} {father}ович"
        for family, own, father in zip(
            "Зимин Орлин Лукин Савин Котин Попин Ершин Носин Галин Рогин Лисин Белин".split(),
            given,
            "Марк Леон Герман Тимур Назар Клим Богдан Роман Семён Артём Макар Платон".split(),
            strict=True,
        )
    ]
    frame = pl.DataFrame(
        {
            "id": range(12),
            "имя": names,
            "note": [f"Вчера {said.format(*name.split())}, обещал зайти снова." for name in names],
        }
    )
    masked = pl.DataFrame(piiscan.mask(frame, piiscan.plan(frame), key=key_file(tmp_path)))
    for name, mask, text in zip(names, masked["имя"], masked["note"], strict=True):
        assert not ({*name.split()} - {*mask.split()}) & {*re.findall(r"\w+", text)}


def test_an_address_cuts_no_telephone_behind_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Somebody lives at 212 Mill Road, and "Mill Road, 212 555 0100" is a telephone all the same."""
    monkeypatch.chdir(tmp_path)
    names = [f"{a} {b}" for a in ("Ann", "Bob", "Carl", "Dora") for b in "Stone Miller Young Baker Hill Wood".split()]
    phones = [f"({212 + i}) 555-{1000 + i * 37:04}" for i in range(len(names))]
    written = [re.sub(r"\D+", " ", phone).strip() for phone in phones]
    frame = pl.DataFrame(
        {
            "name": names,
            "phone": phones,
            "street": [f"{212 + (i * 7) % 24} Mill Road" for i in range(len(names))],
            "note": [f"Lives at 9{i} Mill Road, {phone} in the evening." for i, phone in enumerate(written)],
        }
    )
    masked = pl.DataFrame(piiscan.mask(frame, piiscan.plan(frame), key=key_file(tmp_path)))
    assert [text for text, phone in zip(masked["note"], written, strict=True) if phone[4:] in text] == []
