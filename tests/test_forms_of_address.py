"""Persons in texts of scripts that the recogniser hardly reads, by forms of address and labels."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from faker import Faker
from mask_people import cells, key_file
from mask_people import piiscan as run

import piiscan.text

MADE_UP = {
    "hi_IN": ("श्री {} ने शिकायत दर्ज कराई", "बिल के बारे में श्रीमती {} से बात हुई", "रोगी: {}, आयु 42"),
    "bn_BD": ("জনাব {} এর সাথে কথা হয়েছে", "শ্রী {} কে জানানো হয়েছে"),
    "ta_IN": ("திரு. {} அழைத்தார்", "திருமதி {}, முகவரி மாறியது"),
    "ja_JP": ("{}様からお電話がありました。", "昨日、{}さんに請求書を送りました。", "患者：{}、再診は来週。"),
    "zh_CN": ("{}先生来电询问账单。", "已联系{}女士。", "联系人：{}，电话待补"),
    "ko_KR": ("{}님이 전화로 문의하셨습니다.", "청구서를 {} 씨에게 보냈습니다.", "환자: {}, 재진 예정"),
    "th_TH": ("คุณ{} โทรสอบถามบิล", "ติดต่อ นาย{} แล้ว"),
    "el_GR": ("Μίλησα με τον κύριο {} για τον λογαριασμό", "Η κυρία {} ζήτησε αντίγραφο"),
    "uk_UA": ("Розмовляли з пані {} про рахунок", "Пацієнт: {}, прийом у вівторок"),
    "pl_PL": ("Rozmawiano z panią {} o umowie, dziękuję", "Proszę oddzwonić do pana {} w środę"),
}
NOBODY = (
    "श्रीलंका से माल आया",
    "डॉ ने दवा दी",
    "お客様の仕様書を確認しました。皆様によろしく。",
    "同様の問題が多様な環境で発生",
    "项目经理：待定",
    "审批人：暂无",
    "审批人：财务部",
    "Утвердил: Отдел кадров",
    "担当者：未定",
    "담당자: 미정",
    "请先生成报告",
    "이용자님, 구매자님께 안내드립니다",
    "고객님의 문의",
    "คุณภาพสินค้าดีมาก นายกรัฐมนตรี",
    "Ο κύριος Πρόεδρος μίλησε",
    "господин Президент выступил, пан сказал",
    "pan Prezydent powiedział, że chleb jest świeży",
    "名称：木製の机",
    "السيد الرئيس وصل",
    "Compré pan Integral en la panadería, señor",
)


def made_up(locale: str) -> list[tuple[str, str]]:
    """Texts, each with the name in it."""
    made = Faker(locale)
    made.seed_instance(7)
    out = []
    for i in range(60):
        first, last = made.first_name(), made.last_name()
        name = {"ja_JP": f"{last}{first}", "zh_CN": f"{last}{first}", "ko_KR": f"{last}{first}"}.get(locale)
        name = name or (last if locale in ("el_GR", "pl_PL") else f"{first} {last}")
        out.append((MADE_UP[locale][i % len(MADE_UP[locale])].format(name), name))
    return out


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Пациент Иванов Сергей Петрович, 1970 г.р.", ["Иванов Сергей Петрович"]),
        ("Врач Сергей Петрович осмотрел Петрову Анну Сергеевну.", ["Сергей Петрович", "Петрову Анну Сергеевну"]),
        ("Сергей Петрович Иванов и Ірина Петрівна Коваленко", ["Сергей Петрович Иванов", "Ірина Петрівна Коваленко"]),
        ("Подписи: Иванов С.П., А. С. Кузьмина", ["Иванов С.П.", "А. С. Кузьмина"]),
        ("Договор между Исполнителем и Заказчиком от 12.03.2020", []),
        ("г. Москва, ул. Ленина, д. 5", []),
        ("氏名：山田太郎　生年月日：1980年5月12日", ["山田太郎"]),
        ("担当の佐藤花子より連絡。部長の鈴木は不在です。", ["佐藤花子", "鈴木"]),
        ("担当の部署は本社にあり、医師の診断書が必要です。", []),
        ("患者王伟，男，45岁，患者高血压，女性多见。", ["王伟"]),
        ("P001(綾小路さん)来所。早乙女茜音様より連絡。", ["綾小路", "早乙女茜音"]),
        ("お客様、皆様、患者さん、業者さん、製品仕様、模様、同様", []),
        ("記録者：鬼頭颯介", ["鬼頭颯介"]),
        ("交接人：闻人墨", ["闻人墨"]),
        ("الباحثة: منال الخرفوشي", ["منال الخرفوشي"]),
        ("Pełnomocnikiem jest mec. Alojzy Ćwikliński-Wor.", ["Alojzy Ćwikliński-Wor"]),
        ("İşlerime Dilşat Hanım bakacak, Sayın Müdür Bey.", ["Dilşat"]),
        ("Chị Tiên giao hàng nhanh, cảm ơn anh Khoa", ["Tiên", "Khoa"]),
    ],
)
def test_names_with_patronymics_or_initials_are_one(text: str, names: list[str]) -> None:
    found = sorted(piiscan.text.Analyzer().batch([text])[0], key=lambda span: span.start)
    assert [text[s.start : s.end] for s in found if s.entity == "PERSON"] == names


@pytest.mark.parametrize("locale", MADE_UP)
def test_most_people_who_are_addressed_are_found_as_a_whole(locale: str) -> None:
    texts = made_up(locale)
    found = [
        any(s.entity == "PERSON" and text[s.start : s.end].startswith(name.split()[0]) for s in spans)
        and any(s.entity == "PERSON" and name.split()[-1] in text[s.start : s.end] for s in spans)
        for (text, name), spans in zip(texts, piiscan.text.Analyzer().batch([t for t, _ in texts]), strict=True)
    ]
    assert sum(found) >= 0.85 * len(found), f"{sum(found)} of {len(found)}"


@pytest.mark.parametrize("text", NOBODY)
def test_what_only_looks_like_an_address_names_nobody(text: str) -> None:
    assert [s for s in piiscan.text.spans(text) if s.entity == "PERSON" and s.score >= 0.9] == []


def test_texts_in_such_a_script_are_masked(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    texts = made_up("hi_IN")
    table = pl.DataFrame({"क्रमांक": range(len(texts)), "शिकायत": [text for text, _ in texts]})
    table.write_csv(tmp_path / "in" / "a.csv")
    run("mask", tmp_path / "in", "--key", key_file(tmp_path), "-o", tmp_path / "out")
    after = cells(tmp_path / "out" / "a.csv")["शिकायत"]
    kept = sum(name in text for text, (_, name) in zip(after, texts, strict=True))
    assert kept <= 0.1 * len(texts)
