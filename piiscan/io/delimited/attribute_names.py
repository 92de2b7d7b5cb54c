"""Names of attributes in cells, with their values beside them; and forms, which are made of such rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens

IN_FORM: Final = 3
"""Entities that the first column of a form names."""
NAMES_OF_VALUES: Final = frozenset(
    """
    value values val v answer answers response responses reply content data entry input
    wert werte antwort eingabe inhalt angabe valeur reponse contenu valor respuesta contenido resposta conteudo valore
    risposta contenuto waarde antwoord inhoud wartosc odpowiedz varde svar vaerdi verdi arvo vastaus hodnota odpoved
    ertek valasz valoare raspuns deger cevap yanit значение ответ 値 回答 内容 值 答案 값 답변 内容
    """.split()
)
"""Last words of headers of columns of values."""
_LONGEST: Final = 80
"""Characters of an attribute."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


@of_words(1 << 14)
def entity_of(attribute: str) -> str | None:
    """The entity that an attribute's words name, where its values may identify a person."""
    from piiscan.rules.rule_sets import shipped

    if len(attribute) > _LONGEST or _CONTROL.search(attribute):
        return None
    rules = shipped().rules
    named = (rules.by_id[rule].entity for rule in sorted(rules.named(attribute)))
    return next((entity for entity in named if PII_CLASS[entity] != "none"), None)


def is_form(rows: Iterable[Sequence[str]]) -> bool:
    """Whether the first cells of all of some rows, the first row's too, are names of the values beside them.

    >>> is_form([["Name", "Ann Lee"], ["Telephone", "555 0100"], ["City", "Bath"]])
    True
    >>> is_form([["field", "value"], ["Name", "Ann Lee"]])
    False
    """
    entities: set[str] = set()
    named = others = 0
    for i, row in enumerate(rows):
        if any(cell.strip() for cell in row[2:]):
            return False
        key = row[0].strip() if row else ""
        entity = entity_of(key) if key else None
        if i == 0 and (entity is None or len(row) < 2 or not row[1].strip() or _heads(row[1])):
            return False
        if entity is not None:
            named += 1
            entities.add(entity)
        else:
            others += bool(key)
    return len(entities) >= IN_FORM and named > others


def _heads(cell: str) -> bool:
    """Whether a cell beside a name of a column is one too."""
    from piiscan.rules.rule_sets import shipped

    words = tokens(cell)
    return bool(words) and (words[-1] in NAMES_OF_VALUES or bool(shipped().rules.named(cell)))
