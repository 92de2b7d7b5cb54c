"""Names in scripts other than Latin, for `wordlists.py`: where they come from, and the commonest of one character."""

from __future__ import annotations

import csv
from importlib.resources import files

GIVEN = (
    "first_names first_names_female first_names_male first_names_unisex middle_names middle_names_female "
    "middle_names_male first_kana_names first_romanized_names"
).split()
FAMILY = (
    "last_names last_names_male last_names_female last_names_unisex last_names_common male_last_names "
    "unisex_last_names last_kana_names last_romanized_names"
).split()
"""Attributes of Faker's providers."""
CHINESE = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶"
    "程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝"
    "龚邵万钱严覃武戴莫孔向汤張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧蕭葉蘇魏呂盧鍾譚陸賈韋鄒龍賀顧錢嚴湯閻"
)
KOREAN = (
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구나민진지엄채원천방공현"
    "함변염여추도소석선설마길연위표명기반라왕금옥육인맹제모탁국은편용예봉경"
)
"""Family names of one character: the commonest of China, in both ways of writing, and of Korea."""


def japanese() -> tuple[dict[str, float], dict[str, float]]:
    """Given and family names → how common they are: as written, in both kana and in Latin letters. The family names of
    China and Korea are among them."""
    folder = files("japanese_personal_name_dataset") / "dataset"
    given: dict[str, float] = {}
    for sex in ("woman", "man"):
        lines = (folder / f"first_name_{sex}_opti.csv").read_text(encoding="utf-8").splitlines()
        for reading, roman, *written in csv.reader(lines):
            given |= dict.fromkeys((reading, _katakana(reading), roman, *written), 0.0002)
    family = dict.fromkeys((*CHINESE, *KOREAN), 0.003)
    rows = list(csv.reader((folder / "last_name_org.csv").read_text(encoding="utf-8").splitlines()))
    total = sum(int(row[1]) for row in rows)
    for kanji, many, reading, roman in rows:
        for name in (kanji, reading, _katakana(reading), roman):
            family[name] = max(0.3 * int(many) / total, family.get(name, 0.0))
    return given, family


def _katakana(hiragana: str) -> str:
    return "".join(chr(ord(c) + 0x60) if "ぁ" <= c <= "ゖ" else c for c in hiragana)
