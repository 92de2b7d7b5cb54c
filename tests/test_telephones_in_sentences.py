"""National telephone and personal numbers within sentences: what speaks of them shows what digits are."""

from __future__ import annotations

import polars as pl
import pytest

import piiscan
from piiscan.core.types import Inside

FOUND = {
    "PHONE_NUMBER": (
        "Ring me at 98651 43271 after lunch.",
        "You can reach her at 09178234561 daily.",
        "Text me at 0917 823 4561 please.",
        "मेरा नंबर 9865143271 है।",
        "Rufen Sie mich unter 030 23125683 an, danke.",
        "Sie erreichen uns unter 0171 2345612 jederzeit.",
        "Soittakaa 0407234561 iltaisin.",
        "Mitt nummer är 070-237 45 61, hälsar hon.",
        "Beni 0532 723 45 61 numarasından arayın lütfen.",
        "Joignable au 06.72.34.56.18 le matin.",
        "전화는 010-7234-5618 입니다.",
        "電話は090-7234-5618です。",
        "请致电13872345618联系我。",
        "Proszę zadzwonić pod 512 345 618 po południu.",
        "Ligue para 912 345 618 depois das seis.",
        "Llámame al 612 345 618 por la tarde.",
        "Chiamami al 347 1234561 dopo pranzo.",
        "Bel mij op 06 12345618 na zessen.",
        "Pode ligar no (11) 91234-5618 à tarde.",
        "Zavolejte mi na 602 345 618 odpoledne.",
        "Ring til mig på 20 34 56 18 efter kl. 18.",
        "Ring meg på 912 34 561 etter jobb.",
        "โทร 081-234-5618 ได้ทุกวัน",
        "Позвоните мне по номеру 8 916 234-56-18 вечером.",
        "ТЕЛЕФОН 8 916 234-56-18, СПРОСИТЬ ОЛЬГУ",
        "RÜCKRUF 030 23125683 BITTE",
        "Ja klar, meine neue Nummer ist 0171 2345612.",
        "Mon numéro est le 06 72 34 56 18, merci.",
        "Mi nuevo número es 612 345 618, un saludo.",
        "Proszę o kontakt: 512 345 618.",
        "09:40:57 appel entrant 02.72.34.56.18, un devis",
        "Anota o cel dele 11 91234-5618",
        "Ask Hesta on 01434 655 618 ext 212.",
    ),
    "NATIONAL_ID": (
        "Mi cédula es 1713175071, gracias.",
        "NÚMERO DE CÉDULA 1713175071",
        "Numéro de sécurité sociale : 255081416802538",
        "Rodné číslo pacienta je 8001011238.",
        "O título de eleitor é 102385010671.",
        "Ja, personnumret är 19811228-9874 enligt henne.",
        "Hetu: 131052-308T, asia on hoidettu.",
        "Его ИНН 123456789047, сообщил он.",
    ),
}
NOTHING = (
    "Order 09178234561 was shipped on Monday.",
    "Invoice 0532 7234561 was settled last week.",
    "Ticket 9865143271 was closed after the call ended.",
    "Die Bestellnummer 0171 2345612 ist unterwegs.",
    "Sipariş numarası 0532 723 45 61 hazır.",
    "订单13872345618已发货。",
    "품번 010-7234-5618 입고되었습니다.",
    "Zamówienie 512 345 618 wysłano w poniedziałek.",
    "Pedido 612 345 618 enviado ayer.",
    "Ordine 347 1234561 spedito.",
    "Bestelling 06 12345618 is onderweg.",
    "Pedido (11) 91234-5618 entregue.",
    "Objednávka 602 345 618 odeslána.",
    "The ring weighs 20 34 56 18 grams in all.",
    "คำสั่งซื้อ 0812345618 จัดส่งแล้ว",
    "Заказ 89162345618 отправлен.",
    "A mobile network study, 2019-2020.",
)


def inside(sentence: str) -> tuple[Inside, ...]:
    return piiscan.scan(pl.DataFrame({"case": [1, 2, 3], "note": [sentence] * 3})).columns[1].inside


@pytest.mark.parametrize(("entity", "sentence"), [(entity, s) for entity, some in FOUND.items() for s in some])
def test_what_a_sentence_says_of_digits(entity: str, sentence: str) -> None:
    assert [(i.entity, i.cells) for i in inside(sentence)] == [(entity, 3)]


@pytest.mark.parametrize("sentence", NOTHING)
def test_the_same_digits_are_nothing_where_nobody_is_to_call(sentence: str) -> None:
    assert inside(sentence) == ()


@pytest.mark.parametrize(
    ("sentence", "country"),
    [
        ("Call me on 07812 345618 after six.", None),
        ("Text me at 0917 823 4561 please.", None),
        ("Telefonum 0532 723 45 61.", "TR_PHONE"),
    ],
)
def test_digits_that_several_countries_write_name_none(sentence: str, country: str | None) -> None:
    assert [(i.entity, i.subtype) for i in inside(sentence)] == [("PHONE_NUMBER", country)]
