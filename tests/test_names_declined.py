"""Names of the row's own person in notes, with the endings and particles of their languages."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from mask_people import key_file, piiscan

NOTES = {
    ("أحمد", "الحسيني"): ["تم الاتصال بأحمد اليوم", "وأحمد طلب موعدا", "رسالة لاحمد", "والحسيني وافق"],
    ("דני", "כהן"): ["התקשרתי לדני היום", "ודני אישר", "מכתב מדני כהן", "הודעה שדני שלח"],
    ("Ahmet", "Yılmaz"): ["Ahmet'e ulaşıldı", "Yılmaz'dan mesaj", "Ahmetle görüşüldü"],
    ("გიორგი", "ბერიძე"): ["გიორგიმ დარეკა", "ბერიძესთან შეხვედრა", "გიორგი ბერიძემ თქვა"],
    ("Արամ", "Պետրոսյան"): ["Արամը զանգեց", "Պետրոսյանի պատվերը"],
    ("Əli", "Məmmədov"): ["Əliyə zəng edildi", "Məmmədovun məktubu", "Əlidən mesaj"],
    ("Айгүл", "Сейітов"): ["Айгүлге қоңырау", "Айгүлдің хаты", "Сейітовтен хабар"],
    ("Бат", "Дорж"): ["Батаас ирсэн", "Доржтой уулзсан"],
    ("Mikel", "Etxeberria"): ["Mikelek deitu du", "Etxeberriaren gutuna"],
    ("Γιώργος", "Παπαδόπουλος"): ["κλήση στον Γιώργο", "του Γιώργου το αίτημα", "κύριε Παπαδόπουλε"],
    ("Jonas", "Kazlauskas"): ["skambinta Jonui", "su Jonu", "Kazlausko laiškas"],
    ("Jānis", "Bērziņš"): ["zvanīts Jānim", "Jāņa pasūtījums", "Bērziņam nosūtīts"],
    ("Jaan", "Tamm"): ["Jaanile helistatud", "Jaaniga räägitud", "Tammelt kiri"],
    ("Péter", "Kovács"): ["Péternek írtam", "Péterrel egyeztetve", "Kováccsal beszéltem"],
    ("Matti", "Virtanen"): ["Matille soitettu", "Matin tilaus", "Matti Virtasen tilaus"],
    ("Arben", "Hoxha"): ["Arbenit iu telefonua", "me Hoxhën"],
    ("রহিম", "উদ্দিন"): ["রহিমের অর্ডার", "রহিম উদ্দিনের চিঠি"],
    ("முருகன்", "சுப்பிரமணியன்"): ["முருகனுக்கு அழைப்பு", "சுப்பிரமணியனிடம் கேள்"],
    ("राहुल", "शर्मा"): ["शर्माजी का पत्र", "राहुलजी आए"],
    ("രാജേഷ്", "നായർ"): ["രാജേഷിനെ വിളിച്ചു", "നായരുടെ കത്ത്"],
}
OTHERS = (("Ann", "Brown"), ("Ben", "Miller"), ("Eve", "Wilson"))


def masked(folder: Path, rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    table = pl.DataFrame(rows, schema=("first_name", "last_name", "note"), orient="row")
    table = table.with_columns(pl.Series("email", [f"u{i}@mail.net" for i in range(len(rows))]))
    table.write_csv(folder / "people.csv")
    piiscan("mask", folder / "people.csv", "--key", key_file(folder), "-o", folder / "out.csv")
    return pl.read_csv(folder / "out.csv", infer_schema=False)


def test_names_with_the_endings_and_particles_of_their_languages_are_found(tmp_path: Path) -> None:
    rows = [(*person, note) for person, notes in NOTES.items() for note in notes]
    rows += [(*OTHERS[i % 3], "called, no answer") for i in range(60)]
    out = masked(tmp_path, rows)
    left = [
        (note, after["note"])
        for (first, last, note), after in zip(rows, out.iter_rows(named=True), strict=True)
        if any(name[:3] in note and name[:3] in after["note"] for name in (first, last))
        and not {after["first_name"][:3], after["last_name"][:3]} & {first[:3], last[:3]}
    ]
    assert left == []


@pytest.mark.parametrize(
    ("first", "last", "note"),
    [
        ("Mark", "Grant", "Marketing report and Grantham branch"),
        ("Rosa", "Stone", "Rosary beads, Stonehenge tour"),
        ("Anna", "King", "Annals of Kingston"),
        ("Jan", "Berg", "January, Bergamot tea"),
        ("Bo", "Li", "List of boats, Join now, Born there"),
    ],
)
def test_words_that_begin_like_a_name_stay(tmp_path: Path, first: str, last: str, note: str) -> None:
    rows = [(first, last, note)] * 10 + [(*OTHERS[i % 3], "called, no answer") for i in range(30)]
    assert set(masked(tmp_path, rows)["note"][:10]) == {note}
