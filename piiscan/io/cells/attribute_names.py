"""Names of attributes in cells and objects, with their values beside them; and forms, which are made of such rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Any, Final, NamedTuple

from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import attribute_of, escaped, fold, tokens


def _folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


IN_FORM: Final = 3
"""Entities that the labels of a form name."""
MOST_IN_FORM: Final = 12
"""Columns of a form."""
_MOST_OTHERS: Final = 4
"""In a form one in so many pairs of cells is a label that names an entity, and its value."""
_AGAIN: Final = 1.5
"""How often a label occurs: a form in which labels come again, for each of many people, has hardly anything else."""
_MOST_LABELS: Final = 60
"""Rows of a table with a column per person."""
_FEWEST_PEOPLE: Final = 2
_ALIKE: Final = 0.8
_NEAR: Final = 3
"""Columns from a label to its value: between them, cells are empty."""
_COLUMN: Final = _folded(
    "column spalte colonne columna coluna colonna kolumna kolom kolumn kolonne sloupec oszlop 列 столбец"
)
_CONNECTIVES: Final = _folded(
    "and or und oder et ou y o e de des du da do di of the der die das la le i a och og ja en"
)
_LABEL: Final = 6
"""Words of a label."""
_LOOKED_AT: Final = 20
_FEWEST_LABELS: Final = 2
"""Labels in the first rows of a form."""
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
DOUBTFUL: Final = _folded("name label heading item type kind system bezeichnung nom libelle nombre etiqueta tipo typ")
"""Names of attributes, and of much else."""
SHORT: Final = 4
"""Words of an attribute that occurs once: longer ones are questions, which a form repeats for each person."""
_LONGEST: Final = 80
"""Characters of an attribute."""
_OF_KINDS: Final = _folded("type kind system tipo typ")
"""Doubtful ones that say rather what a value is than what it is for: a label may be `Home`."""
_TYPED_VALUE: Final = re.compile("value[A-Z][A-Za-z]*")
"""The value of an extension in FHIR (hl7.org/fhir/extensibility.html); the end of its `url` says what it is."""
_PATCH: Final = frozenset(("op", "path", "value"))
"""Members of an operation in a JSON Patch (RFC 6902)."""
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


class Labels(NamedTuple):
    """Labels in one column of a form, and the column of the values beside them."""

    column: int
    value: int
    labels: tuple[str, ...]


def is_form(rows: Sequence[Sequence[str | None]]) -> bool:
    """Whether a table is a form: labels with their values beside them, in any of its columns, and no header.

    >>> is_form([["Name", "Ann Lee"], ["Telephone", "555 0100"], ["City", "Bath"]])
    True
    >>> is_form([["field", "value"], ["Name", "Ann Lee"], ["Telephone", "555 0100"], ["City", "Bath"]])
    False
    >>> is_form([["Invoice"], ["Name", "Ann Lee", "", "Born", "1984"], ["Telephone", "555 0100"]])
    True
    """
    first = next((row for row in rows if len(_filled(row)) > 1), None)
    if first is None or all(_heads(cell) for _, cell in _filled(first)) or _describes(_filled(first)[0][1]):
        return False
    return bool(transposed_labels(rows) or labels_of(rows))


def _describes(header: str) -> bool:
    """Whether a table's first header says that its rows describe attributes or columns."""
    return not (NAMES_OF_ATTRIBUTES | _COLUMN).isdisjoint(tokens(header))


def labels_of(rows: Sequence[Sequence[str | None]]) -> list[Labels]:
    """The labels of a form with their values' columns; empty for any other table."""
    if len(list(islice(_labelled(rows[:_LOOKED_AT]), _FEWEST_LABELS))) < _FEWEST_LABELS:
        return []
    if any(_filled(row[MOST_IN_FORM:]) for row in rows if len(row) > MOST_IN_FORM):
        return []
    found: dict[tuple[int, int], dict[str, None]] = {}
    labelled = list(_labelled(rows))
    for place, label in labelled:
        found.setdefault(place, {})[label] = None
    every = [label for labels in found.values() for label in labels]
    if len({entity_of(label) for label in every}) < IN_FORM:
        return []
    pairs = sum(len(_filled(row)) // 2 for row in rows)
    if _MOST_OTHERS * len(labelled) < pairs or (len(labelled) > _AGAIN * len(every) and 2 * len(labelled) < pairs):
        return []
    columns: set[int] = set()
    out: list[Labels] = []
    for (column, value), labels in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        if column not in columns and not any(made.value == value for made in out):
            columns.add(column)
            out.append(Labels(column, value, tuple(sorted(labels))))
    return sorted(out)


def transposed_labels(rows: Sequence[Sequence[str | None]]) -> tuple[str, ...]:
    """The labels of a table with a column per person, which are in its first column; empty for any other table.

    Nearly all cells of a row are of one kind (with an @, with digits, or without); rows of two kinds occur.
    So lists of fields with their types and descriptions are none.

    >>> people = [["Name", "Ann Lee", "Bob Stone"], ["Telephone", "555 0100", "555 0199"], ["City", "Bath", "Hull"]]
    >>> transposed_labels(people), transposed_labels([["Name", "text", "60"], ["Telephone", "text", "20"]])
    (('City', 'Name', 'Telephone'), ())
    """
    some = list(islice(filter(_holds, rows), _MOST_LABELS + 1))
    filled = [] if len(some) > _MOST_LABELS else list(map(_filled, some))
    if len(filled) < IN_FORM or (width := max(map(len, rows))) < _FEWEST_PEOPLE + 1:
        return ()
    labelled = [cells for cells in filled if cells[0][0] == 0 and _is_label(cells[0][1])]
    labels = [cells[0][1] for cells in labelled]
    if len(set(labels)) < len(labels) or 2 * len(labels) < len(filled) or len({*map(entity_of, labels)}) < IN_FORM:
        return ()
    values = [[cell for _, cell in cells[1:]] for cells in labelled]
    heads = sum(map(_heads, chain.from_iterable(values)))
    if _MOST_OTHERS * heads >= len(filled) * width or any(2 * len(cells) <= width for cells in labelled):
        return ()
    return tuple(sorted(labels)) if _are_even(values) else ()


def _are_even(rows: Sequence[Sequence[str]]) -> bool:
    """Whether nearly all cells of each row are of one kind, and rows of two kinds occur."""
    kinds = [Counter(map(_kind, row)) for row in rows]
    most = [kind.most_common(1)[0] if kind else ("", 0) for kind in kinds]
    is_even = all(count >= _ALIKE * kind.total() for (_, count), kind in zip(most, kinds, strict=True))
    return is_even and len({kind for kind, _ in most}) > 1


def _kind(cell: str) -> str:
    return "@" if "@" in cell else "9" if any(map(str.isdigit, cell)) else "a"


def _holds(row: Sequence[str | None]) -> bool:
    return any(cell and not cell.isspace() for cell in row)


def _filled(row: Sequence[str | None]) -> list[tuple[int, str]]:
    return [(i, text) for i, cell in enumerate(row) if cell and (text := cell.strip())]


def _labelled(rows: Iterable[Sequence[str | None]]) -> Iterator[tuple[tuple[int, int], str]]:
    """Labels that name what may identify a person, with the columns of the label and of the value beside it."""
    for row in rows:
        filled = _filled(row)
        labels = [
            ((i, j), label)
            for (i, label), (j, value) in pairwise(filled)
            if j - i <= _NEAR
            and not label[-1].isdigit()
            and _is_label(label)
            and not (_heads(value) and len(filled) > 2)
        ]
        if labels and not all(_heads(cell) for _, cell in filled):
            yield from labels


@of_words(1 << 14)
def _is_label(cell: str) -> bool:
    """Whether a cell names what may identify a person, in words that head columns and no others.

    `customer_12` is one of many, and `University of Ohio` has a name.
    """
    from piiscan.rules.rule_sets import shipped

    if any(map(str.isdigit, cell)) or len(words := tokens(cell)) > _LABEL:
        return False
    known = shipped().rules.words_of_headers
    return all(word in known or word in _CONNECTIVES for word in words) and entity_of(cell) is not None


@of_words(1 << 14)
def _heads(cell: str) -> bool:
    """Whether a cell names a column itself."""
    from piiscan.rules.rule_sets import shipped

    if "@" in cell or any(map(str.isdigit, cell)):
        return False
    words = tokens(cell)
    return bool(words) and (words[-1] in NAMES_OF_VALUES or bool(shipped().rules.named(cell)))


class Keys(NamedTuple):
    """The keys of an object under which attributes may be, the likeliest first, and the one of their value."""

    attributes: tuple[str, ...]
    value: str


@of_words(4096)
def keys_of(names: tuple[str, ...]) -> Keys | None:
    """The keys of an object under which an attribute and its value are, if it has such.

    Only the attribute that is there tells which key it is, where several may be.

    >>> keys_of(("id", "name", "value")), keys_of(("@Name", "#text")), keys_of(("name", "size"))
    (Keys(attributes=('name',), value='value'), Keys(attributes=('@Name',), value='#text'), None)
    >>> keys_of(("op", "path", "value")), keys_of(("label", "type", "value"))
    (Keys(attributes=('path',), value='value'), Keys(attributes=('type', 'label'), value='value'))
    """
    if _PATCH.issubset(names):
        return Keys(("path",), "value")
    if "url" in names and len(typed := [name for name in names if _TYPED_VALUE.fullmatch(name)]) == 1:
        return Keys(("url",), typed[0])
    words = {name: tokens(name) for name in names}
    values = [name for name, said in words.items() if name == "#text" or (said and said[-1] in NAMES_OF_VALUES)]
    if len(values) != 1:
        return None
    keys = _attributes({name: said for name, said in words.items() if name != values[0]})
    return Keys(keys, values[0]) if keys else None


def _attributes(others: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The keys of attributes among those beside a value, by their words; none where any of several may be it."""
    keys = [name for name, said in others.items() if len(said) <= 2 and not NAMES_OF_ATTRIBUTES.isdisjoint(said)]
    if keys:
        return tuple(keys) if len(keys) == 1 else ()
    doubtful = [name for name, said in others.items() if len(said) == 1 and said[0] in DOUBTFUL]
    return tuple(sorted(doubtful, key=lambda name: others[name][0] not in _OF_KINDS))


def end_of(attribute: str) -> str:
    """How the name of a column ends that has the values of an attribute."""
    return f"[{escaped(attribute)}]"


def attribute_in(end: str) -> str:
    """The attribute that an end of a name stands for, "" for one of another kind."""
    attribute = attribute_of(end) or ""
    return attribute if attribute and end == end_of(attribute) else ""


def end_in(record: Mapping[str, Any], keys: Keys) -> str:
    """How the name of the column of an object's value ends; "" where no attribute names what may identify a person.

    >>> end_in({"system": "email", "use": "work", "value": "…"}, Keys(("system",), "value"))
    '[email]'
    >>> end_in({"type": {"text": "MRN"}, "system": "urn:oid:1.2", "value": "…"}, Keys(("type", "system"), "value"))
    '[MRN]'
    """
    return next(filter(None, (ends_of(record[key]) for key in keys.attributes)), "")


def ends_of(attribute: object) -> str:
    """As `end_of`, "" for what is no attribute that names what may identify a person."""
    words = _words_of(attribute)
    return end_of(words) if words and len(tokens(words)) <= SHORT and entity_of(words) is not None else ""


def _words_of(attribute: object) -> str:
    """The words of an attribute: of a concept its text, of an address its end."""
    if isinstance(attribute, dict):  # as in FHIR
        said = attribute.get("text")
        return said if isinstance(said, str) else ""
    if not isinstance(attribute, str):
        return ""
    words = str(attribute)  # a text that knows its place has a type of its own
    return words.rpartition("/")[2] if "://" in words else words
