"""Addresses of mail that no rule's pattern matches, links to telephones, and who is named before an address."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import piiscan
from piiscan.text import spans

FOUND = {
    "писать на анна7@пример.рф сегодня": ("EMAIL_ADDRESS", "анна7@пример.рф"),
    "write to kernweiler7@пример.рф now": ("EMAIL_ADDRESS", "kernweiler7@пример.рф"),
    "请联系 用户7@例子.中国，谢谢": ("EMAIL_ADDRESS", "用户7@例子.中国"),
    "mail kernweiler7[@]acme[.]org now": ("EMAIL_ADDRESS", "kernweiler7[@]acme[.]org"),
    "mail kernweiler7 (ät) acme (punkt) org now": ("EMAIL_ADDRESS", "kernweiler7 (ät) acme (punkt) org"),
    "mail kernweiler7 -at- acme -dot- org now": ("EMAIL_ADDRESS", "kernweiler7 -at- acme -dot- org"),
    "mail kernweiler7 @ acme.org, please": ("EMAIL_ADDRESS", "kernweiler7 @ acme.org"),
    "kernweiler@ acme.co.uk.": ("EMAIL_ADDRESS", "kernweiler@ acme.co.uk"),
    "see https://wa.me/4930901412311": ("PHONE_NUMBER", "4930901412311"),
    'From: "A. Kernweiler" <u7z@acme.org>': ("PERSON", "A. Kernweiler"),
    "Kernweiler <j.kernweiler@acme.org>": ("PERSON", "Kernweiler"),
}
NOTHING = {
    "цена@3.50 рубля": "EMAIL_ADDRESS",
    "tickets -at- noon, look (@) this": "EMAIL_ADDRESS",
    "5 apples @ 3.co": "EMAIL_ADDRESS",
    "dinner @ joe.cafe, hi @john.de": "EMAIL_ADDRESS",
    "W @ x.T + b": "EMAIL_ADDRESS",
    "https://wa.me/message": "PHONE_NUMBER",
    '"Acme Support" <u7z@acme.org>': "PERSON",
    "Zalando <zalando@zalando.net>": "PERSON",
    "Order Desk <orderdesk@acme.org>": "PERSON",
}
CELLS = {
    "cyrillic": "{ru}{n}@пример.рф",
    "text": "писать на {ru}{n}@пример.рф сегодня",
    "brackets": "{name}{n}[@]acme[.]org",
    "words": "mail {name}{n} [ät] acme [punkt] org now",
    "blanks": "{name}{n} @ acme.org",
    "chat": "https://wa.me/493090{n}4123",
    "display": '"A. {Name}" <u{n}z@acme.org>',
}


@pytest.mark.parametrize("text", FOUND)
def test_they_are_found(text: str) -> None:
    assert FOUND[text] in [(s.entity, text[s.start : s.end]) for s in spans(text)]


@pytest.mark.parametrize("text", NOTHING)
def test_other_texts_are_none(text: str) -> None:
    assert NOTHING[text] not in [s.entity for s in spans(text)]


def test_none_stays(tmp_path: Path) -> None:
    names = "kernweiler dobrzanek quistgaard zwirnmann halvorstad".split()
    words = "анна борис вера глеб дарья".split()
    rows = [
        {"id": i, **{k: c.format(ru=ru, name=w, Name=w.title(), n=i + 10) for k, c in CELLS.items()}}
        for i, (w, ru) in enumerate(zip(names, words, strict=True))
    ]
    source, target = tmp_path / "x.csv", tmp_path / "out.csv"
    pl.DataFrame(rows).write_csv(source)
    report = piiscan.scan(source)
    assert [k for k in CELLS if report[k].entity is None and not report[k].inside] == []
    assert piiscan.mask(source, piiscan.plan(source), piiscan.Key(bytes(range(32))), output=target).to_dict()[
        "verified"
    ]
    out = target.read_text(encoding="utf-8").lower()
    assert not [word for word in (*names, *words, "4123") if word in out]


@pytest.mark.parametrize(
    "written",
    ["{}[@]acme[.]org", "{} (@) acme (.) org", "{} -at- acme -dot- org", "{}&commat;acme&period;org", "{}@пример.рф"],
)
def test_lists_of_them_are_one_column(tmp_path: Path, written: str) -> None:
    (tmp_path / "x.txt").write_text(
        "".join(f"{written.format(f'kernweiler{i}')}\n" for i in range(9)), encoding="utf-8"
    )
    report = piiscan.scan(tmp_path / "x.txt")
    assert report.findings and report.tables[0].rows == 9 and len(report.tables[0].columns) == 1
