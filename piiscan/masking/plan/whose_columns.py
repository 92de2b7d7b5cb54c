"""Whose part of a row a column holds, by its header: "billing_email" belongs to another person than "email" may."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from piiscan.core.header_words import own_header, tokens
from piiscan.core.types import ColumnReport
from piiscan.masking.plan.plan_types import Subject
from piiscan.scanning.classify.word_lists import OWN_PAGE

NAMES: Final = ("PERSON", "FIRST_NAME", "LAST_NAME")
"""Entities of names."""
_KIND_WORDS: Final = frozenset(
    "name names first last given family sur surname forename fname lname full middle email mail e address user "
    "username login id number no nr url "
    "vorname nachname name familienname prenom nom nombre apellido apellidos imie nazwisko naam voornaam "
    "achternaam cognome sobrenome complete completo completa complet komplett koko teljes cele pelne puno volledige "
    "fulde fullt lengkap penuh pilns pilnas tam va da dhe ja un ir si och og y e et i a in und en "
    "onomateponymo fio shimei ireum xingming полное повне пълно пуно трите и та фио піб πληρεσ ονοματεπωνυμο "
    "كامل الكامل الرباعي کامل و מלא पूरा पूर्ण संपूर्ण পূর্ণ ಪೂರ್ಣ പൂർണ്ണ முழு పూర్తి પૂરું ਪੂਰਾ და 氏名 お 姓名 이름 성명 성함".split()
)
"""Words that say which part of a person a column holds, and not whose."""
_WHOSE_WORDS: Final = frozenset(
    "baby boy boys child girl girls contact mother mothers billing business customer cliente personal primary work "
    "twitter github telegram skype instagram discord snapchat gamertag πελατη клиента ученика".split()
)
"""Words of phrases in the rules' headers that say whose a part is."""
_CONTACT_WORDS: Final = frozenset(
    "contact contacts kontakt kontakte kontakty contacto contactos contatto contatti contato contatos contactgegevens "
    "kontaktdaten kontaktinfo yhteystiedot iletisim kapcsolat info information informations informacion informazioni "
    "informacoes details data dane daten donnees datos dati dados контакт контакты контакти επικοινωνια "
    "連絡先 联系方式 聯絡方式 연락처".split()
)
"""Words of headers of addresses and telephones that say how somebody is reached, and not who."""
_READING_WORDS: Final = frozenset(
    "フリガナ ふりがな 振り仮名 カナ かな よみがな 読み仮名 ヨミガナ よみ 読み セイ メイ カナ姓 カナ名 "
    "furigana kana yomi".split()
)
"""Words of headers of Japanese names in syllables, which stand beside the same names in characters."""
_HEADER_RULES: Final = {
    "LAST_NAME": ("name", "first-name", "first-name-short", "last-name", "last-name-short"),
    "EMAIL_ADDRESS": ("email", "email-header"),
    "USERNAME": ("username",),
}
"""The rules whose headers say which part of a person a column holds; those of last names for all names."""
_PLACE_WORDS: Final = frozenset(
    "address addr street line city town place zip zipcode postal post postcode code state region province county "
    "strasse str plz ort stadt bundesland land rue ville commune cp departement calle ciudad provincia comunidad via "
    "citta cap comune regione straat plaats postcode provincie ulica miasto kod pocztowy wojewodztwo rua cidade cep "
    "estado name".split()
)
"""Words that say which part of an address a column holds, and not whose."""
_SITE_WORDS: Final = frozenset(w for phrase in OWN_PAGE for w in (*phrase, "".join(phrase))) | frozenset(
    "website web site www page link account handle screen nick nickname alias".split()
)
"""Words that say on which site somebody has a page or a name."""


def whose_part(column: ColumnReport) -> str:
    """The words of a header that say whose part it is; empty for the row's own person."""
    words = [w for w in tokens(own_header(column)) if not w.isdigit()]
    if column.rule == "person-role" and not is_reading(column):
        return "_".join(words) or f"column_{column.index}"
    kinds = _kind_words(column.entity or "")
    return "_".join(w for w in words if w not in kinds)


def is_contact(whose: str) -> bool:
    """Whether words say that columns are about how to reach somebody, and not whom."""
    return bool(whose) and _CONTACT_WORDS.issuperset(whose.split("_"))


def is_reading(column: ColumnReport) -> bool:
    """Whether a column, by its header, holds names in syllables."""
    return column.entity in NAMES and not _READING_WORDS.isdisjoint(tokens(column.name or ""))


@cache
def _kind_words(entity: str) -> frozenset[str]:
    """Words that say which part of a person a column of an entity holds: in any language of the rules' headers."""
    from piiscan.rules import rule_sets

    ids = _HEADER_RULES.get("LAST_NAME" if entity in NAMES else entity, ())
    by_id = rule_sets.shipped().rules.by_id
    said = frozenset(w for i in ids for phrase in by_id[i].headers for w in tokens(phrase)) - _WHOSE_WORDS
    more = _READING_WORDS if entity in NAMES else _SITE_WORDS if entity in ("URL", "USERNAME") else frozenset()
    return _KIND_WORDS | said | more


def whose_place(header: str | None, people: Sequence[Subject]) -> Subject | None:
    """The person to whom a street, a city, a postal code or a region belongs.

    It is the one whose part its header names ("billing_city"), else the row's own.
    """
    said = [w for w in tokens(header or "") if w not in _PLACE_WORDS]
    words, place = "_".join(w for w in said if not w.isdigit()), "_".join(sorted(said, key=str.isdigit))
    named = (s for called in (place, words) for s in people if s.name == called)
    return next(named, None) or next((s for s in people if s.name in ("person", "row")), None) or _only(people)


def _only(people: Sequence[Subject]) -> Subject | None:
    return people[0] if len(people) == 1 else None
