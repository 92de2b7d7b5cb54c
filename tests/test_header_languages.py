"""What headers say, in 59 languages: which entity each names, and what looks like one and is something else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT

import piiscan
from piiscan.core.header_words import tokens
from piiscan.rules import rule_sets
from piiscan.scanning.classify.header_evidence import named
from piiscan.scanning.classify.lexicon import lexicon


def _cases() -> Iterator[tuple[str, str, str]]:
    language = ""
    files = (ROOT / "models" / "header_languages.txt", Path(__file__).with_name("header_languages.txt"))
    for line in "\n".join(file.read_text(encoding="utf-8") for file in files).splitlines():
        if line.startswith("["):
            language = line.strip("[]")
        elif line and not line.startswith("#"):
            entity, _, headers = line.partition(": ")
            for header in headers.split("; "):
                yield language, entity, header


CASES = tuple(_cases())
LANGUAGES = sorted({language for language, _, _ in CASES})


def _said(header: str) -> str | None:
    found = named(header, lexicon(rule_sets.load(())))
    return found[0].rule.entity if found and found[0].logit > 0 else None


@pytest.mark.parametrize("language", LANGUAGES)
def test_headers(language: str) -> None:
    cases = [(entity, header) for known, entity, header in CASES if known == language]
    assert len({entity for entity, _ in cases}) >= 15
    assert [(header, _said(header), entity) for entity, header in cases if _said(header) != entity] == []


@pytest.mark.parametrize(
    ("header", "entity"),
    [
        ("HrlyRt", "INCOME"),
        ("wynagr_zas", "INCOME"),
        ("KanGrb", "HEALTH_CONDITION"),
        ("data_urodz", "DATE_OF_BIRTH"),
        ("LUOGO_NASC", "BIRTHPLACE"),
        ("frst_name", "FIRST_NAME"),
        ("VehReg", "VEHICLE_ID"),
        ("Sit. fam.", "MARITAL_STATUS"),
        ("rach_bank", "BANK_ACCOUNT"),
    ],
)
def test_abbreviated_headers(header: str, entity: str) -> None:
    """With a dot or without: the beginnings of words, or their consonants, of several words at once."""
    assert _said(header) == entity


@pytest.mark.parametrize(
    ("header", "personal"),
    [
        ("app_name", "applicant's name"),
        ("claim_id", "claimant's number"),
        ("cast cat", "caste"),
        ("hr rt", "hourly rate, of which too little is left"),
        ("prod nm", "professor's name"),
        ("cust_cnt", "customer's country"),
        ("rt", "rate"),
    ],
)
def test_words_that_are_short_for_nothing(header: str, personal: str) -> None:
    assert _said(header) in (None, "GENERIC_ID"), personal


@pytest.mark.parametrize(
    ("header", "entity"),
    [
        ("AGEGRP", "AGE"),
        ("HHINC", "INCOME"),
        ("ANN_SAL", "INCOME"),
        ("EDUCYR", "EDUCATION"),
        ("a_hiqual_dv", "EDUCATION"),
        ("OCC_CD", "OCCUPATION"),
        ("RELIG", "RELIGION"),
        ("RELGN", "RELIGION"),
        ("MRTL", "MARITAL_STATUS"),
        ("SAL_AMT", "INCOME"),
        ("maritalb", "MARITAL_STATUS"),
        ("PRNCPAL_DGNS_CD", "HEALTH_CONDITION"),
        ("BERUFKL", "OCCUPATION"),
        ("Erwerbseinkommen", "INCOME"),
        ("Yrkesutbildning", "EDUCATION"),
    ],
)
def test_words_run_together(header: str, entity: str) -> None:
    """As in files of surveys and old systems, and as in languages that write compounds as one word."""
    assert _said(header) == entity


@pytest.mark.parametrize(
    ("header", "personal"),
    [
        ("INC_NO", "income; the number of an incident"),
        ("SALGRP", "salary; a group of sales"),
        ("SALA", "salary; Italian and Spanish: a hall"),
        ("NATUR", "naturalidade, Portuguese: place of birth"),
        ("GENCODE", "gender; a code of genes"),
        ("QUAL", "qualification; how sure a variant of a gene is"),
        ("PAGE_CD", "age"),
        ("IMAGECD", "age"),
        ("INCR", "income"),
        ("PRCSS", "process"),
        ("STTS", "status"),
        ("Abbildung", "Bildung, German: education"),
        ("Durchschnittseinkommen", "income, of nobody in particular"),
        ("Fehlerdiagnose", "diagnosis of a machine"),
    ],
)
def test_words_run_together_that_are_something_else(header: str, personal: str) -> None:
    assert _said(header) is None, personal


@pytest.mark.parametrize(
    ("header", "entity"),
    [
        ("ДатаРождения", "DATE_OF_BIRTH"),
        ("ТабНомер", "PERSON_ID"),
        ("АдресПрописки", "STREET_ADDRESS"),
        ("ΑριθμόςΜητρώου", "PERSON_ID"),
        ("カルテNo", "MEDICAL_RECORD"),
        ("〒", "POSTAL_CODE"),
    ],
)
def test_words_joined_in_other_scripts(header: str, entity: str) -> None:
    assert _said(header) == entity


def test_languages() -> None:
    assert len(LANGUAGES) >= 35


@pytest.mark.parametrize(
    ("header", "personal"),
    [
        ("nombre_enfants", "French: how many children"),
        ("nombre de pages", "French: how many pages"),
        ("no", "English, Norwegian, Indonesian, Japanese: number, no"),
        ("no_order", "Indonesian: number of an order"),
        ("nama barang", "Indonesian: name of an article"),
        ("ten", "English, and Vietnamese without its accents"),
        ("top_ten", "English"),
        ("ad", "English and Turkish"),
        ("ad_count", "English"),
        ("advert", "English"),
        ("data", "Polish, Italian: date"),
        ("stare", "Romanian: state of a thing"),
        ("plat", "French: dish; Czech: salary"),
        ("plata", "Spanish: silver; Croatian: salary"),
        ("kind", "English; German: child"),
        ("barn", "English; Swedish: child"),
        ("vera", "a name; Slovene: faith"),
        ("商品名", "Japanese: name of a product"),
        ("ファイル名", "Japanese: name of a file"),
        ("产品名称", "Chinese: name of a product"),
        ("상품명", "Korean: name of a product"),
        ("ชื่อสินค้า", "Thai: name of an article"),
        ("ime proizvoda", "Croatian: name of a product"),
        ("имя файла", "Russian: name of a file"),
        ("电话类型", "Chinese: kind of telephone"),
        ("電話有無", "Japanese: whether there is a telephone"),
        ("leaderboard", "English"),
        ("student_count", "English"),
        ("paid", "English, not an id"),
    ],
)
def test_false_friends(header: str, personal: str) -> None:
    assert _said(header) is None, personal


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("会員氏名", ("会員", "氏名")),
        ("顧客電話番号", ("顧客", "電話", "番号")),
        ("会社名", ("会社名",)),
        ("학교전화번호", ("학교", "전화번호")),
        ("ชื่อ-นามสกุล", ("ชื่อ", "นามสกุล")),
        ("मोबाइल नंबर", ("मोबाइल", "नंबर")),
        ("TênKháchHàng", ("ten", "khach", "hang")),
        ("客户电话1", ("客户", "电话", "1")),
    ],
)
def test_words_of_headers(header: str, words: tuple[str, ...]) -> None:
    assert tokens(header) == words


NAMES = ("佐藤 花子", "鈴木 太郎", "高橋 健一", "田中 美咲", "伊藤 翔太", "山本 由美", "中村 大輔", "小林 恵子")


@pytest.mark.parametrize("header", ["会員氏名", "患者氏名", "担当者名", "shimei"])
def test_names_below_such_headers(header: str) -> None:
    column = piiscan.scan(pl.DataFrame({header: NAMES * 3})).columns[0]
    assert (column.entity, column.pii) == ("PERSON", "direct")


@pytest.mark.parametrize("header", ["Ημ. εγγραφής", "Дата прийняття", "Datum přijetí", "入会日", "가입일", "Tgl Masuk"])
def test_days_on_which_one_joins_are_no_births(header: str) -> None:
    names = ["Maria Schmidt", "John Miller", "Peter Wagner", "Laura Rossi", "Anna Novak", "Paul Weber"]
    days = [f"{i + 11}/0{i + 1}/{1966 + 5 * i}" for i in range(len(names))]
    report = piiscan.scan(pl.DataFrame({"name": names, header: days}))
    assert report[header].entity is None


PEOPLE: dict[str, tuple[tuple[str, ...], ...]] = {
    "mn": (
        ("Овог", "Нэр", "Регистрийн дугаар", "Утас", "Хаяг"),
        ("Бат", "Болд", "УБ87031234", "9911 2345", "Улаанбаатар, СБД 1-р хороо"),
        ("Дорж", "Сарантуяа", "ЧД79110245", "8876 5432", "Дархан, 3-р баг"),
        ("Ганбаатар", "Тэмүүлэн", "БЗ90062367", "9599 8877", "Эрдэнэт, 8-р баг"),
    ),
    "am": (
        ("ስም", "የአባት ስም", "የትውልድ ቀን", "ስልክ", "አድራሻ"),
        ("አበበ", "ተስፋዬ", "1987-03-12", "+251 911 123456", "አዲስ አበባ ቦሌ"),
        ("ሰላማዊት", "ከበደ", "1979-11-02", "+251 922 654321", "ባሕር ዳር"),
        ("ዮሐንስ", "ገብረ", "1990-06-23", "+251 933 998877", "መቀሌ"),
    ),
    "my": (
        ("အမည်", "မွေးသက္ကရာဇ်", "ဖုန်းနံပါတ်", "လိပ်စာ"),
        ("မောင်အောင်", "1987-03-12", "09 420 123 456", "ရန်ကုန်"),
        ("မခင်စု", "1979-11-02", "09 777 654 321", "မန္တလေး"),
        ("ဦးဘမြင့်", "1990-06-23", "09 250 998 877", "နေပြည်တော်"),
    ),
    "eu": (
        ("Izena", "Abizenak", "Jaiotze-data", "Telefonoa", "Helbidea"),
        ("Ander", "Etxeberria Agirre", "1987/03/12", "612 34 56 78", "Kale Nagusia 12, Bilbo"),
        ("Nerea", "Goikoetxea Ruiz", "1979/11/02", "687 65 43 21", "Zubieta kalea 3, Donostia"),
        ("Unai", "Mendizabal Otxoa", "1990/06/23", "699 88 77 66", "Dato kalea 8, Gasteiz"),
    ),
}


@pytest.mark.parametrize("language", PEOPLE)
def test_people_whose_names_no_list_has(language: str) -> None:
    """Each column is personal, and a name under a word for names is no firm's."""
    header, *rows = PEOPLE[language]
    report = piiscan.scan(pl.DataFrame([list(row) for row in rows], schema=list(header), orient="row"))
    found = {column.name: (column.entity, column.pii) for column in report.columns}
    assert [name for name, (entity, pii) in found.items() if pii == "none" or entity == "ORGANIZATION"] == [], found
