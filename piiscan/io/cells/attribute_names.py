"""Names of attributes in cells and objects, with their values beside them; and forms, which are made of such rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import fold, tokens


def _folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


IN_FORM: Final = 3
"""Entities that the first column of a form names."""
MOST_IN_FORM: Final = 6
"""Columns of a form: pairs of names and values."""
NAMES_OF_VALUES: Final = _folded(
    """
    value values val v answer answers response responses reply content data entry input
    wert werte antwort eingabe inhalt angabe valeur reponse contenu valor respuesta contenido resposta conteudo valore
    risposta contenuto waarde antwoord inhoud wartosc odpowiedz varde svar vaerdi verdi arvo vastaus hodnota odpoved
    ertek valasz valoare raspuns deger cevap yanit значение ответ 値 回答 内容 值 答案 값 답변
    """
)
"""Last words of names of values."""
NAMES_OF_ATTRIBUTES: Final = _folded(
    """
    attribute attributes attr key keys field fields property prop question questions parameter param variable setting
    option element characteristic k
    attribut feld schlussel merkmal eigenschaft frage einstellung angabe champ cle propriete question parametre campo
    clave atributo propiedad pregunta chave propriedade pergunta chiave proprieta attributo domanda campo veld sleutel
    kenmerk eigenschap vraag pole klucz atrybut wlasciwosc pytanie falt nyckel fraga felt nogle sporgsmal nokkel
    sporsmal kentta avain kysymys pole klic vlastnost otazka mezo kulcs kerdes camp cheie intrebare alan anahtar soru
    поле ключ атрибут свойство вопрос 項目 項目名 キー 質問 属性 字段 键 问题 屬性 欄位 항목 속성 필드 질문 mục câu hỏi
    """
)
"""Words of names of attributes' columns and keys."""
DOUBTFUL: Final = _folded("name label item type kind system bezeichnung nom libelle nombre etiqueta tipo typ")
"""Names of attributes, and of much else."""
SHORT: Final = 4
"""Words of an attribute that occurs once: longer ones are questions, which a form repeats for each person."""
_LONGEST: Final = 80
"""Characters of an attribute."""
_MARKS: Final = re.compile(r"([\\.\[\]])")
_ESCAPED: Final = re.compile(r"\\(.)")
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

    So may be the third and fifth ones, in rows of several pairs.

    >>> is_form([["Name", "Ann Lee"], ["Telephone", "555 0100"], ["City", "Bath"]])
    True
    >>> is_form([["field", "value"], ["Name", "Ann Lee"]])
    False
    >>> is_form([["Name", "Ann Lee", "Born", "1984"], ["Telephone", "555 0100", "City", "Bath"]])
    True
    """
    entities: set[str] = set()
    named = others = 0
    for i, row in enumerate(rows):
        if any(cell.strip() for cell in row[MOST_IN_FORM:]):
            return False
        keys = list(filter(None, map(str.strip, row[:MOST_IN_FORM:2])))
        found = [entity for key in keys if (entity := entity_of(key)) is not None]
        if i == 0 and (not found or len(row) < 2 or not row[1].strip() or any(map(_heads, row[1:MOST_IN_FORM:2]))):
            return False
        named += len(found)
        others += len(keys) - len(found)
        entities.update(found)
    return len(entities) >= IN_FORM and named > others


def _heads(cell: str) -> bool:
    """Whether a cell beside a name of a column is one too."""
    from piiscan.rules.rule_sets import shipped

    words = tokens(cell)
    return bool(words) and (words[-1] in NAMES_OF_VALUES or bool(shipped().rules.named(cell)))


@of_words(4096)
def keys_of(names: tuple[str, ...]) -> tuple[str, str] | None:
    """The keys of an object under which an attribute and its value are, if it has such.

    >>> keys_of(("id", "name", "value")), keys_of(("@Name", "#text")), keys_of(("name", "size"))
    (('name', 'value'), ('@Name', '#text'), None)
    """
    words = {name: tokens(name) for name in names}
    values = [name for name, said in words.items() if name == "#text" or (said and said[-1] in NAMES_OF_VALUES)]
    if len(values) != 1:
        return None
    others = {name: said for name, said in words.items() if name != values[0]}
    for known, most in ((NAMES_OF_ATTRIBUTES, 2), (DOUBTFUL, 1)):
        keys = [name for name, said in others.items() if len(said) <= most and not known.isdisjoint(said)]
        if keys:
            return (keys[0], values[0]) if len(keys) == 1 else None
    return None


def end_of(attribute: str) -> str:
    """How the name of a column ends that has the values of an attribute."""
    return "[" + _MARKS.sub(r"\\\1", attribute) + "]"


def attribute_in(end: str) -> str:
    """The attribute that an end of a name stands for, "" for one of another kind."""
    if not (end.startswith("[") and end.endswith("]")) or end == "[*]" or end.startswith("[]"):
        return ""
    return _ESCAPED.sub(r"\1", end[1:-1])


def ends_of(attribute: object) -> str:
    """As `end_of`, "" for what is no attribute that names what may identify a person."""
    if type(attribute) is not str or len(tokens(attribute)) > SHORT or entity_of(attribute) is None:
        return ""
    return end_of(attribute)
