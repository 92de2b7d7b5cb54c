"""A plan says where its made-up names are of another language than the names of the data."""

from __future__ import annotations

import pytest

from piiscan.masking.surrogates.name_locale import locale_of


@pytest.mark.parametrize(
    ("names", "foreign"),
    [
        ("Rasa Kazlauskienė, Eglė Petrauskaitė, Austėja Stankevičienė, Jonas Butkus", True),
        ("Thị Hương Nguyễn, Văn Hùng Trần, Thị Mai Hoàng, Quốc Bảo Vũ", True),
        ("Айгүл Нұрланқызы, Ержан Қасымов, Гүлнәр Өтегенова", True),
        ("Anna Kernweiler, Jürgen Weber, Käthe Müller, Uwe Groß", False),
        ("Paweł Wójcik, Małgorzata Zielińska, Łukasz Dąbrowski", False),
        ("José García, María Muñoz, Iñaki Ibáñez, Lucía Martínez", False),
        ("Ayşe Yılmaz, Çağlar Şahin, Gökçe Öztürk, İbrahim Güneş", False),
        ("فاطمة الأحمد, محمد العلي, مريم النجار", False),
        ("花子 山田, 太郎 佐藤, 健太 高橋", False),
        ("Mary Smith, John Brown, Susan Miller, Rachel Young, José García", False),  # one from elsewhere
        ("MÜLLER HANS, SCHÄFER JÖRG", False),
    ],
)
def test_letters_that_no_made_up_name_has_are_told_of(names: str, foreign: bool) -> None:
    reason = locale_of(names.split(", ")).reason()
    assert ("no made-up names" in reason) == foreign, reason
    assert not any(word in reason for word in names.replace(",", "").split())


def test_no_names_are_of_no_language() -> None:
    assert "no made-up names" not in locale_of([]).reason()
