"""Names in notes of the languages that the recogniser knows: sentences that it was not trained on."""

from __future__ import annotations

import pytest

from piiscan.text import spans

NOTES = {
    "Swedish": "Bad {Malin} skicka underlaget igen.",
    "Norwegian": "Bruker {Ingrid Haugen} spiste godt til lunsj.",
    "Danish": "Spurgte {Mette} om regningen fra marts.",
    "Finnish": "Asukas {Helmi Virtanen} söi hyvin lounaalla.",
    "Polish": "Podopieczna {Zofia Kowalczyk} zjadła obiad.",
    "Czech": "Klientka {Jana Novotná} snědla oběd.",
    "Romanian": "Am rugat-o pe {Ioana} să trimită din nou documentul.",
    "Hungarian": "Megkértem, hogy {Katalin} küldje el újra a papírt.",
    "Turkish": "Muhasebeden {Ayşe} masrafı onayladı.",
    "German": "Sprach gestern kurz mit {Annika} wegen der Schicht.",
    "French": "Demandé à {Camille} de renvoyer le justificatif.",
    "Spanish": "Pedido a {Lucía} que reenvíe el justificante.",
    "Italian": "Chiesto a {Giulia} di rimandare la ricevuta.",
    "Dutch": "Bewoner {Sanne Bakker} heeft goed gegeten.",
    "Portuguese": "Pedi a {João} que reenviasse o recibo.",
    "English": "Asked {Megan} to resend the receipt.",
    "Russian": "Попросил, чтобы {Ольга} отправила чек ещё раз.",
    "Ukrainian": "Попросив, щоб {Тарас} надіслав чек ще раз.",
    "Bulgarian": "Вчера {Димитър} донесе документите.",
    "Greek": "Η αίτηση εγκρίθηκε από {Ελένη Παπαδοπούλου} χθες.",
    "Hebrew": "הדייר {יוסף כהן} אכל היטב בצהריים.",
    "Arabic": "طلبت من {خالد} إرسال الإيصال مرة أخرى.",
}
NOBODY = (
    "Ingen hemma, lappen låg kvar i dörren.",
    "Nikogo nie było w domu, kartka została w drzwiach.",
    "Personne à la maison, avis laissé sur la porte.",
    "Niemand thuis, briefje aan de deur.",
    "No había nadie en casa, aviso en la puerta.",
    "Дверь не открыли, оставлена записка.",
    "Η πόρτα ήταν κλειστή, έμεινε ειδοποίηση.",
    "كان الباب مغلقا وتركنا إشعارا.",
)


@pytest.mark.parametrize("language", NOTES)
def test_a_person_is_found_in_a_note(language: str) -> None:
    before, _, rest = NOTES[language].partition("{")
    name, _, after = rest.partition("}")
    text = before + name + after
    assert [text[s.start : s.end] for s in spans(text) if s.entity == "PERSON"] == [name]


@pytest.mark.parametrize("text", NOBODY)
def test_nobody_is_found_in_a_note_about_nobody(text: str) -> None:
    assert [s for s in spans(text) if s.entity == "PERSON"] == []
