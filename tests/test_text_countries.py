"""Identifiers of five countries in sentences, in their language and in English; and digits of which nothing is said.

All numbers are made up, with check digits where the scheme has them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import polars as pl
import pytest

import piiscan
from piiscan.core.entities import PII_CLASS
from piiscan.text import spans


class Number(NamedTuple):
    """`values`: ways of writing; `sentences`: with {} for the value."""

    entity: str
    values: tuple[str, ...]
    sentences: tuple[str, ...]


NUMBERS: dict[str, Number] = {
    "IN Aadhaar": Number(
        "NATIONAL_ID",
        ("2341 2341 2346", "234123412346", "7816-3996-7440"),
        (
            "Aadhaar: {}",
            "Aadhaar card number is {} as per the KYC form.",
            "Her UIDAI number {} was verified.",
            "Customer ne aadhar no. {} diya hai",
            "मेरा आधार नंबर {} है",
            "linked Adhaar {} to the account",
        ),
    ),
    "IN PAN": Number(
        "NATIONAL_ID",
        ("ACUPA7085R", "AAAPL1234C"),
        (
            "PAN: {}",
            "My PAN card number is {}.",
            "income tax PAN {} quoted",
            "Permanent Account Number {}",
            "पैन नंबर {} है",
        ),
    ),
    "IN voter": Number(
        "NATIONAL_ID",
        ("WKH1186253", "JNT2017440"),
        (
            "Voter ID: {}",
            "EPIC number {} in the electoral roll",
            "voter card no. {}",
            "Election card {} submitted",
            "मतदाता पहचान पत्र {}",
        ),
    ),
    "IN passport": Number(
        "PASSPORT",
        ("J8369854", "M9999991"),
        ("Passport: {}", "holds Indian passport {} issued at Mumbai", "passport no. {}", "पासपोर्ट नंबर {} है"),
    ),
    "IN driving": Number(
        "DRIVER_LICENSE",
        ("MH1420110062821", "DL-0420110149646", "KA01 20190001234"),
        ("Driving licence {}", "DL No: {}", "his driving license number is {}.", "ड्राइविंग लाइसेंस {}"),
    ),
    "IN phone": Number(
        "PHONE_NUMBER",
        ("98765 43210", "9876543210"),
        ("Mobile: {}", "please call on mob. {}", "whatsapp number {}", "मोबाइल नंबर {} है", "फोन {}"),
    ),
    "DE tax": Number(
        "NATIONAL_ID",
        ("86095742719", "86 095 742 719"),
        (
            "Steuer-ID: {}",
            "Die Steueridentifikationsnummer lautet {}.",
            "meine IdNr. {}",
            "Steuer-Identifikationsnummer {} liegt vor",
            "German tax ID {}",
        ),
    ),
    "DE identity card": Number(
        "NATIONAL_ID",
        ("L01X00T471", "L01X00T47"),
        (
            "Personalausweis {}",
            "Personalausweisnummer: {}",
            "Ausweis-Nr. {}",
            "Sie wies sich mit dem Ausweis {} aus.",
            "German ID card number {}",
        ),
    ),
    "DE pension": Number(
        "NATIONAL_ID",
        ("15070649C103", "15 070649 C 103"),
        (
            "Rentenversicherungsnummer {}",
            "SV-Nummer: {}",
            "Die Sozialversicherungsnummer ist {}.",
            "RVNR {}",
            "German social security number {}",
        ),
    ),
    "DE passport": Number(
        "PASSPORT",
        ("C01X00T478", "C01X00T47"),
        ("Reisepass {}", "Reisepassnummer: {}", "Pass-Nr. {}", "reist mit Reisepass Nr. {}", "German passport {}"),
    ),
    "DE health": Number(
        "NATIONAL_ID",
        ("A123456780", "H247423719"),
        (
            "Krankenversichertennummer: {}",
            "KVNR {}",
            "Versichertennummer {} der AOK",
            "Versicherten-Nr. {}",
            "health insurance number {}",
        ),
    ),
    "DE driving": Number(
        "DRIVER_LICENSE",
        ("B072RRE2I55", "N41KBJC8F3R"),
        (
            "Führerschein {}",
            "Führerscheinnummer: {}",
            "Führerschein-Nr. {} abgegeben",
            "Fahrerlaubnis {}",
            "driving licence {}",
        ),
    ),
    "DE phone": Number(
        "PHONE_NUMBER",
        ("030 123456", "0171/2345678", "(089) 12345-0"),
        (
            "Telefon: {}",
            "Tel. {}",
            "mobil unter {} erreichbar",
            "Handynummer {}",
            "Rückruf unter {} erbeten",
            "Phone {}",
        ),
    ),
    "FI hetu": Number(
        "NATIONAL_ID",
        ("131052-308T", "311024X932A"),
        (
            "Henkilötunnus: {}",
            "hetu {}",
            "Asiakkaan henkilötunnus on {}.",
            "Personbeteckning {}",
            "Finnish id {}",
            "{} soitti",
        ),
    ),
    "FI passport": Number(
        "PASSPORT",
        ("FP1234567", "PX9876543"),
        ("Passi: {}", "Passin numero on {}.", "passinumero {}", "Finnish passport {}", "passnummer {}"),
    ),
    "FI Kela card": Number(
        "NATIONAL_ID",
        ("80246001234567890128", "8024 6001 2345 6789 0128"),
        ("Kela-kortin numero {}", "Kela-kortti: {}", "sairausvakuutuskortti {}", "FPA-kort {}", "Kela card number {}"),
    ),
    "FI phone": Number(
        "PHONE_NUMBER",
        ("040 123 4567", "050-1234567", "09 123 4567"),
        ("Puhelin: {}", "Soita numeroon {}", "puh. {}", "matkapuhelin {}", "Phone {}"),
    ),
    "SE personnummer": Number(
        "NATIONAL_ID",
        ("880320-0016", "8803200016", "19880320-0016", "19880320 0016"),
        (
            "Personnummer: {}",
            "pnr {}",
            "Mitt personnummer är {}.",
            "person-nr {}",
            "Swedish personal identity number {}",
        ),
    ),
    "SE samordningsnummer": Number(
        "NATIONAL_ID",
        ("701063-2391", "197010632391"),
        ("Samordningsnummer: {}", "samordningsnr {}", "har samordningsnummer {}", "coordination number {}"),
    ),
    "SE passport": Number(
        "PASSPORT",
        ("12345678", "AA1234567"),
        ("Passnummer {}", "Pass-nr: {}", "Svenskt pass nr {}", "Swedish passport number {}"),
    ),
    "SE phone": Number(
        "PHONE_NUMBER",
        ("070-123 45 67", "08-123 456 78", "0701234567"),
        ("Telefon: {}", "Ring {}", "mobil {}", "Mobilnummer {}", "Phone {}"),
    ),
    "PH PhilSys": Number(
        "NATIONAL_ID",
        ("1234-5678-9012", "1234-5678-9012-3456"),
        (
            "PhilSys number {}",
            "PSN: {}",
            "PhilID {}",
            "Philippine national ID {}",
            "PCN {}",
            "Ang kanyang PhilSys ID ay {}.",
        ),
    ),
    "PH SSS": Number(
        "NATIONAL_ID",
        ("34-1234567-8", "3412345678"),
        ("SSS: {}", "SSS No. {}", "Ang SSS number ko ay {}.", "SSS ID number {}"),
    ),
    "PH GSIS": Number(
        "NATIONAL_ID",
        ("12345678901", "1234567890"),
        ("GSIS: {}", "GSIS BP number {}", "GSIS ID no. {}"),
    ),
    "PH TIN": Number(
        "NATIONAL_ID",
        ("123-456-789", "123-456-789-000"),
        ("TIN: {}", "BIR TIN {}", "Ang TIN niya ay {}", "taxpayer identification number {}"),
    ),
    "PH PhilHealth": Number(
        "NATIONAL_ID",
        ("12-345678901-2", "123456789012"),
        ("PhilHealth: {}", "PhilHealth number {}", "PHIC no. {}", "PhilHealth ID {}"),
    ),
    "PH Pag-IBIG": Number(
        "NATIONAL_ID",
        ("1234-5678-9012", "123456789012"),
        ("Pag-IBIG: {}", "Pag-ibig MID number {}", "Pagibig {}", "HDMF No. {}", "Pag-IBIG # {}"),
    ),
    "PH UMID": Number(
        "NATIONAL_ID",
        ("0111-1234567-8",),
        ("UMID: {}", "CRN {}", "UMID card {}", "common reference number {}"),
    ),
    "PH driving": Number(
        "DRIVER_LICENSE",
        ("N01-12-345678", "D12-34-567890"),
        ("Driver's license {}", "LTO license no. {}", "driver's licence number {}", "lisensya sa pagmamaneho {}"),
    ),
    "PH passport": Number(
        "PASSPORT",
        ("P1234567A", "EB1234567"),
        ("Passport: {}", "DFA passport no. {}", "pasaporte {}", "Philippine passport {}"),
    ),
    "PH phone": Number(
        "PHONE_NUMBER",
        ("0917 123 4567", "09171234567"),
        ("Mobile: {}", "cellphone no. {}", "tawag sa {}", "contact number {}"),
    ),
}

SAID = [(name, value, s.format(value)) for name, n in NUMBERS.items() for s in n.sentences for value in n.values]
WITHOUT_A_WORD = (
    "part {} was ordered twice",
    "2026-03-05 12:33:01 INFO job {} finished in 31 ms",
    "see ticket {}, it is closed",
)


@cache
def inside_of_all() -> dict[tuple[str, str], set[str]]:
    """What a scan finds inside a column of notes, a column for each sentence."""
    notes = {f"note {i}": [f"{text}, and so on", "nothing of note today"] for i, (_, _, text) in enumerate(SAID)}
    report = piiscan.scan(pl.DataFrame(notes))
    return {
        (name, text): {found.entity for found in column.inside}
        for (name, _, text), column in zip(SAID, report.columns, strict=True)
    }


@pytest.mark.parametrize("name", NUMBERS)
def test_sentences_in_tables(name: str) -> None:
    wanted = NUMBERS[name].entity
    assert [text for (known, text), found in inside_of_all().items() if known == name and wanted not in found] == []


@pytest.mark.parametrize("name", NUMBERS)
def test_spans_in_texts(name: str) -> None:
    """The whole value, and nothing but it, is one span of its entity."""
    missed = [
        text
        for known, value, text in SAID
        if known == name
        and (value, NUMBERS[name].entity) not in [(text[s.start : s.end], s.entity) for s in spans(text)]
    ]
    assert missed == []


@pytest.mark.parametrize("name", [name for name in NUMBERS if name != "FI hetu"])
def test_the_same_digits_say_nothing_without_a_word(name: str) -> None:
    """But for the Finnish code, whose sign and check character nothing else has."""
    texts = [text.format(value) for value in NUMBERS[name].values for text in WITHOUT_A_WORD]
    report = piiscan.scan(pl.DataFrame({f"note {i}": [text, "nothing of note"] for i, text in enumerate(texts)}))
    assert [text for text, column in zip(texts, report.columns, strict=True) if column.inside] == []
    assert [text for text in texts for s in spans(text) if PII_CLASS[s.entity] == "direct"] == []


@pytest.mark.parametrize(
    "text",
    [
        "business license number 112345678901 expires soon",
        "the name plate 34 B 1234 of the machine is worn",
        "registration for event 06 A 1234 is open",
        "national holiday batch 1234545678781 was skipped",
        "AB123456C is the part in stock",
        "zip file AB1 2CD was uploaded",
        "your tax reference to order 1955839661",
    ],
)
def test_common_words_are_no_context(text: str) -> None:
    """Words that are said of many things don't make digits a Turkish plate, a Korean licence, a Thai or British
    number."""
    assert piiscan.scan(pl.DataFrame({"note": [text, "nothing of note"]}))[0].inside == ()
