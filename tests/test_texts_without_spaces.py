"""Texts of scripts that don't part words by spaces: who is named in a column of them, and what `mask` leaves."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from mask_people import key_file, piiscan

import piiscan as api
from piiscan.masking.surrogates.latin_letters import stem
from piiscan.masking.surrogates.locales import script
from piiscan.masking.surrogates.name_locale import script_of

NAMES = ["王志銘", "陳怡君", "林建宏", "黃淑芬", "張雅婷", "李宗翰", "吳佩珊", "劉俊傑", "蔡美玲", "楊承翰"]
NOTES = ("已聯絡{}先生並安排下週回訪", "客戶{}女士來電詢問帳單", "包裹已寄出等待回覆確認")


def notes(n: int = 60) -> pl.DataFrame:
    cells = [NOTES[i % 3].format(NAMES[i % len(NAMES)]) for i in range(n)]
    return pl.DataFrame({"編號": range(n), "備註": cells})


def test_persons_in_a_column_of_chinese_sentences_are_found() -> None:
    (column,) = [c for c in api.scan(notes()).tables[0].columns if c.name == "備註"]
    assert [(found.entity, found.cells) for found in column.inside] == [("PERSON", 40)]


@pytest.mark.parametrize(
    "cells",
    [
        [
            "昨日、佐藤健一様より電話あり折り返し希望",
            "商品の返品を受付ましたので確認",
            "田中一郎さんに連絡済みで再訪予定",
        ],
        ["ติดต่อคุณสมชายแล้วรอผล", "ส่งเอกสารให้นางสาวมาลีแล้ว", "รอการตรวจสอบจากฝ่ายบัญชี"],
    ],
)
def test_persons_in_sentences_of_japanese_and_thai_are_found(cells: list[str]) -> None:
    column = api.scan(pl.DataFrame({"id": range(30), "text": cells * 10})).tables[0].columns[1]
    assert [(found.entity, found.cells) for found in column.inside] == [("PERSON", 20)]


@pytest.mark.parametrize(
    "cells",
    [
        ["北京市朝阳区建国路八号院", "上海市浦东新区世纪大道", "广州市天河区体育西路一号"],
        ["不锈钢保温杯大容量便携", "厨房专用菜刀套装六件", "老年人防滑运动鞋男款"],
        ["商品の返品を受付ました", "在庫確認のため保留です", "特記事項は特にありません"],
        ["สินค้าหมดชั่วคราวรอเติม", "จัดส่งแล้วรอการตอบรับ", "ลูกค้าไม่อยู่ส่งใหม่พรุ่งนี้"],
    ],
)
def test_cells_that_name_nobody_have_no_finding(cells: list[str]) -> None:
    report = api.scan(pl.DataFrame({"id": range(30), "text": cells * 10}))
    assert not [c.inside for c in report.tables[0].columns if c.inside]


@pytest.mark.parametrize(
    ("locale", "first", "last", "woman"),
    [
        ("th_TH", "ชื่อ", "นามสกุล", "หญิง"),
        ("zh_TW", "名字", "姓氏", "女"),
        ("bn_BD", "নাম", "পদবি", "মহিলা"),
        ("ta_IN", "முதல் பெயர்", "குடும்பப்பெயர்", "பெண்"),
    ],
)
def test_people_get_names_of_their_own_language(tmp_path: Path, locale: str, first: str, last: str, woman: str) -> None:
    from faker import Faker

    made = Faker(locale)
    made.seed_instance(3)
    rows = [(made.first_name_female(), made.last_name(), woman, f"u{i}@mail.net") for i in range(60)]
    table = pl.DataFrame(rows, schema=(first, last, "sex", "email"), orient="row")
    table.write_csv(tmp_path / "people.csv")
    piiscan("mask", tmp_path / "people.csv", "--key", key_file(tmp_path), "-o", tmp_path / "out.csv")
    masked = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert not (masked[first] + masked[last] == table[first] + table[last]).any()
    names = [*masked[first], *masked[last]]
    assert {script_of(name) for name in names} == {script(locale)}
    boxes = masked["email"].str.extract(r"^([a-z]+)\.").to_list()
    assert all(box and box.endswith(stem(name)[:12]) for box, name in zip(boxes, masked[last], strict=True))


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("राहुल", "rahul"),
        ("वर्मा", "varma"),
        ("जितेन्द्र", "jitendr"),
        ("हँसराज", "hansaraj"),
        ("শিরীন", "shirin"),
        ("বন্দোপাধ্যায়", "bandopadhyay"),
        ("தமிழ்", "tamil"),
        ("สมชาย", "somchay"),
        ("ใจดี", "chaidi"),
        ("นิรุตต์", "nirut"),
        ("陳", "chen"),
        ("क", "ka"),
        ("\u0e4c", ""),
        ("ॐ", ""),
    ],
)
def test_names_are_read_with_their_vowels(name: str, read: str) -> None:
    assert stem(name) == read


GLUED = {
    "th": (
        ["ทิพย์วารี", "พิมพกานต์", "เกียรติศักดิ์", "ปฐม"],
        ["ไตรบรรพ", "แถมธน", "ยาปะโลหิต", "เธียรายัน"],
        "ได้รับเอกสารจาก{}{}เรียบร้อย",
    ),
    "lo": (["ສົມຈິດ", "ບຸນມີ", "ວິໄລວັນ"], ["ພົມມະຈັນ", "ແກ້ວມະນີ", "ສີສຸພັນ", "ວົງສະຫວັນ"], "ລູກຄ້າ{}{}ໂທມາ"),
    "km": (["សុខា", "ចាន់ថា", "ស្រីមុំ", "វិចិត្រ"], ["ហេង", "សុវណ្ណ", "ឈឹម", "ប៊ុនធឿន"], "អតិថិជន{}{}បានហៅ"),
    "my": (["အောင်မင်း", "သီတာ", "ကျော်ဇော"], ["ခိုင်", "ထွန်းဦး", "လှိုင်", "ဝင်းနိုင်"], "ဖောက်သည်{}{}ဖုန်းဆက်သည်"),
}  # fmt: skip


def masked_notes(folder: Path, rows: list[tuple[str, str, str]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A table of given and family names with notes, and its masks."""
    table = pl.DataFrame(rows, schema=("first_name", "last_name", "note"), orient="row")
    table = table.with_columns(pl.Series("email", [f"u{i}@mail.net" for i in range(len(rows))]))
    table.write_csv(folder / "people.csv")
    piiscan("mask", folder / "people.csv", "--key", key_file(folder), "-o", folder / "out.csv")
    return table, pl.read_csv(folder / "out.csv", infer_schema=False)


@pytest.mark.parametrize("language", GLUED)
def test_names_of_the_row_are_found_between_other_letters(tmp_path: Path, language: str) -> None:
    given, family, note = GLUED[language]
    table, masked = masked_notes(tmp_path, [(a, b, note.format(a, b)) for a in given for b in family])
    for before, after in zip(table.iter_rows(named=True), masked.iter_rows(named=True), strict=True):
        assert after["note"] == note.format(after["first_name"], after["last_name"])
        assert (after["first_name"], after["last_name"]) != (before["first_name"], before["last_name"])


def test_a_name_of_two_letters_is_found_where_it_stands_alone(tmp_path: Path) -> None:
    notes = ("ฝากถ้อยคำไว้กับพนักงาน", "คุณ คำ โทรมา")
    table, masked = masked_notes(tmp_path, [("คำ", GLUED["th"][1][i % 4], notes[i % 2]) for i in range(24)])
    first = masked["first_name"][1]
    assert first != "คำ"
    assert set(masked["note"]) == {notes[0], *(notes[1].replace("คำ", name) for name in masked["first_name"][1::2])}
    assert len(table) == len(masked)


@pytest.mark.parametrize(
    ("street", "city"),
    [
        ("세종특별자치시 구로구 삼성13거리 {}", "태백시"),
        ("충청남도 안양시 만안구 서초중앙408가 {}-66", "인제군"),
        ("東京都世田谷区三軒茶屋二丁目{}番7号コーポ桜202", "世田谷区"),
    ],
)
def test_long_addresses_are_masked_in_texts(tmp_path: Path, street: str, city: str) -> None:
    names = (
        ("김영철", "이예은", "양영길", "박정자")
        if city != "世田谷区"
        else ("佐藤花子", "鈴木一郎", "高橋美咲", "田中健")
    )
    rows = [
        {"name": names[i % 4], "street": street.format(i + 100), "city": city, "note": f"({street.format(i + 100)})"}
        for i in range(60)
    ]
    source, plan, target = tmp_path / "t.csv", tmp_path / "plan.toml", tmp_path / "out.csv"
    pl.DataFrame(rows).write_csv(source)
    piiscan("plan", source, "-o", plan)
    piiscan("mask", source, "--plan", plan, "-o", target, "--key", key_file(tmp_path))
    masked = pl.read_csv(target)
    assert not any(street.format(i + 100) in note for i, note in enumerate(masked["note"]))
