"""Persons, places, organisations and dates of birth in the cells of a column of text, from its summary.

The recogniser reads the column's sample: up to `summary.sample.VALUES` distinct cells, each cut to `CELL_BYTES`. Where
the sample holds every cell whole, so do the counts; else they are those of the sampled cells, and marked so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.signs import Signs
from piiscan.core.types import Inside
from piiscan.detection.reading.url_encoding import unquoted
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.sample import CELL_BYTES
from piiscan.detection.text import (
    announced,
    names_in_notations,
    query_values,
    rows_without_keys,
    street_addresses,
    unusual_addresses,
    user_names,
)
from piiscan.detection.text.announced_persons import LIKELY_SCORE, is_surely_given
from piiscan.detection.text.payments import is_of_payment

if TYPE_CHECKING:
    from piiscan.detection.text.span import Span
    from piiscan.rules.definitions import RuleSet

LIKELY: Final = 0.8
"""Probability that a span must have to count."""
SURE: Final = 0.9
"""One span of an entity in the column must be as probable as this, or none counts: a wrong alarm costs more than a
missed mention. Of the persons in labelled texts that overlap a span, as many are right from here on as from 0.95."""
_OF_PEOPLE: Final = 0.6
"""Share of the values of keys that anything may have ("name") that are full names, where the column names people."""
_SURELY: Final = 0.95
"""The same for columns without an entity."""
_LOOKED_AT: Final = 64
"""Cells of a column without an entity that are read first: hardly any such column names persons."""
_SHARE: Final = 0.1
"""Share of the sampled cells of such a column in which a person must be named surely: titles, places and brands look
like names now and then. On 500 labelled columns of words without an entity, two reach it, both of which do name
persons."""
_CELLS: Final = 3
"""Such cells there must be, at least; one where a column has fewer cells."""
_SENTENCE: Final = 4
"""Words that a sentence has at least."""
_SMALL: Final = 2
"""Of the words behind its first so many are in small letters, or in a script that has no capitals."""
_OF_SENTENCES: Final = 0.2
"""Share of the cells of such a column that are sentences, where it is taken for one of texts."""
_BESIDE: Final = 3
"""Characters that such a cell has beside the name. Whether names alone are persons' was decided for the column."""
_WORDS: Final = 2
"""Words a cell, on average, from which on cells may be sentences."""
_OF_NOTATIONS: Final = Signs((*names_in_notations.SIGNS, *rows_without_keys.SIGNS))
_NOTATIONS: Final = lazy_pattern(f"{names_in_notations.MAY}|{rows_without_keys.MAY}")
"""What a text of one word has that may hold names without keys, and signs of it that are found faster."""
_UNSPACED: Final = lazy_pattern("[\u0e01-\u0e4e\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]{4}")
"""Of scripts that don't part words by spaces, so many characters stand for a word."""
_UNSPACED_NAME: Final = lazy_pattern("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]{3,}")
"""Family and given name, written in one."""


class Said(NamedTuple):
    """What is said in the cells of a column.

    `may_name`: full names that may be persons', in no cell surely enough to count, and how likely each is. Of cells
    that aren't known to be texts, they are those of one, or of all where most have one with a given name or a key.
    `mostly`: most cells have such a one. `likely`: in a text, one that begins with a given name likely is one.
    """

    inside: tuple[Inside, ...]
    may_name: Mapping[str, float] = MappingProxyType({})
    mostly: bool = False
    likely: bool = False


def in_texts(columns: Sequence[ColumnSummary], rules: RuleSet, spacy: str | None = None) -> list[Said]:
    """Return what the recogniser, or the named spaCy pipeline, and announcing words find in the cells of each column.

    `cells` counts cells, of which positions aren't known. A pure function of the summaries, of which none changes what
    is found in another: they are read together. Raises `ModelError`, and what `pipelines.load` does.
    """
    if not columns:  # to load the recogniser takes long
        return []
    texts = [column.sample.texts for column in columns]
    spans = iter(_spans([text for own in texts for text in own], rules, spacy))
    least = _least(SURE, spacy)
    found = [_weighed(column, list(islice(spans, len(own))), rules) for column, own in zip(columns, texts, strict=True)]
    inside = [_counted(column, own, least)[0] for column, own in zip(columns, found, strict=True)]
    return [
        Said(entries) if _has_persons(entries) else _perhaps(entries, own, there)
        for entries, own, there in zip(inside, texts, found, strict=True)
    ]


def _perhaps(inside: tuple[Inside, ...], texts: Sequence[str], found: Sequence[Sequence[Span]]) -> Said:
    """What is said in texts that surely name nobody."""
    names = _full_names(texts, found)
    likely = any(score >= LIKELY and is_surely_given(name.split()[0]) for name, score in names.items())
    return Said(inside, names, bool(_mostly_named(texts, found)), likely)


def _full_names(texts: Sequence[str], found: Sequence[Sequence[Span]]) -> dict[str, float]:
    """The names of persons in some texts that have two words or more, each with its highest score."""
    names: dict[str, float] = {}
    for text, spans in zip(texts, found, strict=True):
        for s in spans:
            name = " ".join(text[s.start : s.end].split())
            if s.entity == "PERSON" and " " in name and not name.islower():
                names[name] = max(s.score, names.get(name, 0.0))
    return names


def _has_persons(entries: Sequence[Inside]) -> bool:
    return any(entry.entity == "PERSON" for entry in entries)


def in_words(
    columns: Sequence[ColumnSummary], rules: RuleSet, spacy: str | None = None, may_be_of_people: bool = False
) -> list[Said]:
    """Return what is said in the cells of each of some columns of words that have no entity.

    Persons, where many cells name one, and what any cell announces, but for addresses; of columns of single words, the
    user names in paths, unless they are texts of payments, and of scripts without spaces persons by their forms of
    address. As `in_texts`. If the rows `may_be_of_people`, one full name in a column of sentences counts: answers to a
    question name people now and then.

    The first cells of all columns are read together, as sentences are: a table may have thousands of columns, of a cell
    each.
    """
    firsts = [[text for text, _ in column.sample.first(_LOOKED_AT)] for column in columns]
    looks = [_look(column, rules, first) for column, first in zip(columns, firsts, strict=True)]
    said = [i for i, first in enumerate(firsts) if may_be_of_people and _are_sentences(first)]
    in_sentences = _read({i: columns[i].sample.texts for i in said}, rules, spacy)
    may_name = [i for i, (_, may) in enumerate(looks) if may and i not in in_sentences]
    naming = _read({i: firsts[i] for i in may_name}, rules, spacy)
    return [
        _of_sentences(column, told, in_sentences[i], rules, spacy)
        if i in in_sentences
        else _of_words(column, told, firsts[i], naming.get(i, []), rules, spacy)
        for i, (column, (told, _)) in enumerate(zip(columns, looks, strict=True))
    ]


def _read(texts: Mapping[int, Sequence[str]], rules: RuleSet, spacy: str | None) -> dict[int, list[Sequence[Span]]]:
    """What is found in the texts of some columns, by their numbers."""
    if not texts:  # to load the recogniser takes long
        return {}
    spans = iter(_spans([text for own in texts.values() for text in own], rules, spacy))
    return {i: list(islice(spans, len(own))) for i, own in texts.items()}


def _of_words(
    column: ColumnSummary,
    told: tuple[Inside, ...],
    first: Sequence[str],
    found: Sequence[Sequence[Span]],
    rules: RuleSet,
    spacy: str | None,
) -> Said:
    """What is said in a column of words.

    `told`: what is known to be; `found`: in its `first` cells, where they are read.
    """
    enough = found and sum(map(_names_a_person, found)) >= _first_cells(column)
    inside = _merged((*told, *(_persons(column, rules, spacy) if enough else ())))
    if not found or _has_persons(inside):
        return Said(inside)
    return Said(inside, _mostly_named(first, found) or max(_each_named(first, found), key=len))


def _of_sentences(
    column: ColumnSummary, told: tuple[Inside, ...], found: Sequence[Sequence[Span]], rules: RuleSet, spacy: str | None
) -> Said:
    """What is said in a column of sentences. `told`: what is known to be; `found`: in its sampled cells."""
    weighed = _weighed(column, found, rules)
    inside = _merged((*told, *_in_sentences(column, weighed, spacy)))
    return Said(inside, {} if _has_persons(inside) else _mostly_named(column.sample.texts, weighed))


def _each_named(texts: Sequence[str], found: Sequence[Sequence[Span]]) -> list[dict[str, float]]:
    return [_full_names([text], [spans]) for text, spans in zip(texts, found, strict=True)]


def _mostly_named(texts: Sequence[str], found: Sequence[Sequence[Span]]) -> dict[str, float]:
    """The full names in some texts if most of these have one with a given name or at a place for names."""
    with_given = [
        names
        for names in _each_named(texts, found)
        if any(is_surely_given(name.split()[0]) or score >= LIKELY_SCORE for name, score in names.items())
    ]
    if len(with_given) < _OF_PEOPLE * len(texts):
        return {}
    return {name: score for names in with_given for name, score in names.items()}


def _are_sentences(texts: Sequence[str]) -> bool:
    """Whether some of the texts are sentences; titles and names of things have capitals, or few words.

    Of scripts without capitals, and without spaces, only the length tells.
    """
    found = sum(map(_is_sentence, texts))
    return found > 0 and found >= _OF_SENTENCES * len(texts)


def _is_sentence(text: str) -> bool:
    words = text.split()
    if len(words) >= _SENTENCE and sum(map(_is_small, words[1:])) >= _SMALL:
        return True
    return _unspaced(text) >= _WORDS


def _unspaced(text: str) -> int:
    """How many words there are in scripts that don't part them by spaces."""
    return 0 if text.isascii() else len(_UNSPACED.findall(text))


def _is_small(word: str) -> bool:
    """Whether a word isn't written with a capital, of which its script may have none."""
    return word[0].isalpha() and not (word[0].isupper() or word[0].istitle())


def _look(column: ColumnSummary, rules: RuleSet, first: Sequence[str]) -> tuple[tuple[Inside, ...], bool]:
    """What the cells of a column announce, and whether some may name persons. `first`: those that are read first."""
    if not first:
        return (), False
    spaced = sum(len((unquoted(text) if "%" in text else text).split()) for text in first)
    if spaced >= _WORDS * len(first) or is_of_payment("\n".join(first)):
        return _told(column, rules, _of_persons), True
    every = "\n".join(column.sample.texts)
    told = _told(column, rules, user_names.in_paths) if user_names.has_paths(every) else ()
    if query_values.may_be_in(column.sample.texts) or (_OF_NOTATIONS.are_in(every) and _NOTATIONS.search(every)):
        told = (*told, *_told(column, rules, _by_keys))
    if unusual_addresses.may_be_in(every):
        told = (*told, *_told(column, rules, unusual_addresses.unusual_addresses))
    if spaced + sum(map(_unspaced, first)) < _WORDS * len(first):
        return told, False
    from piiscan.detection.text.forms_of_address import addressed

    # Persons are named by forms of address there, if at all, and to look for those takes far less time.
    return told, sum(bool(addressed(text)) for text in first) >= _first_cells(column)


def _names_a_person(spans: Sequence[Span]) -> bool:
    return any(span.entity == "PERSON" for span in spans)


def _first_cells(column: ColumnSummary) -> int:
    """How many of the cells that are read first have to name a person for the others to be read."""
    return 1 if column.sample.total < _CELLS else _CELLS - 1


def _told(column: ColumnSummary, rules: RuleSet, by: Callable[[str, RuleSet], Iterator[Span]]) -> tuple[Inside, ...]:
    return _counted(column, _weighed(column, [list(by(text, rules)) for text, _ in column.sample.items], rules))[0]


def _persons(column: ColumnSummary, rules: RuleSet, spacy: str | None) -> tuple[Inside, ...]:
    return _of_share(column, _weighed(column, _spans(column.sample.texts, rules, spacy), rules), spacy)


def _weighed(column: ColumnSummary, found: Sequence[Sequence[Span]], rules: RuleSet) -> Sequence[Sequence[Span]]:
    """What is `found` in the sampled texts, surely where it is the names of keys (`name`) that mostly name people."""
    if not any(_is_of_any(span) for spans in found for span in spans):
        return found
    texts = column.sample.texts
    full = [is_full for text in texts for is_full in query_values.names_of_any(text, rules)]
    full = full or [is_full for text in texts for is_full in query_values.names_of_any(unquoted(text), rules)]
    if not full or sum(full) < _OF_PEOPLE * len(full):
        return found
    return [[replace(s, score=_SURELY) if _is_of_any(s) else s for s in spans] for spans in found]


def _is_of_any(span: Span) -> bool:
    return span.entity == "PERSON" and LIKELY_SCORE <= span.score < SURE


def _merged(entries: Sequence[Inside]) -> tuple[Inside, ...]:
    """Entries of one rule as the one with most cells: what is announced may be what the recogniser finds."""
    most: dict[tuple[str, str], Inside] = {}
    for entry in entries:
        known = most.get((entry.entity, entry.rule))
        if known is None or known.cells < entry.cells:
            most[entry.entity, entry.rule] = entry
    return tuple(most.values())


def _of_share(column: ColumnSummary, spans: Sequence[Sequence[Span]], spacy: str | None) -> tuple[Inside, ...]:
    fewest = 1 if column.sample.total < _CELLS else _CELLS
    found, sure = _counted(column, spans, _least(_SURELY, spacy), _BESIDE)
    least = max(fewest, _SHARE * column.sample.total)
    return tuple(entry for entry in found if entry.entity == "PERSON" and sure[entry.rule] >= least)


def _in_sentences(column: ColumnSummary, found: Sequence[Sequence[Span]], spacy: str | None) -> tuple[Inside, ...]:
    """The persons in a column of sentences.

    The full name of one has to stand there surely, not all in small letters, or as many as in other columns.
    """
    least = _least(SURE, spacy)
    names = (
        text[s.start : s.end].strip()
        for text, spans in zip(column.sample.texts, found, strict=True)
        for s in spans
        if s.entity == "PERSON" and s.score >= least
    )
    if any(
        (" " in name and not name.islower()) or (not name.isascii() and _UNSPACED_NAME.fullmatch(name))
        for name in names
    ):
        return tuple(entry for entry in _counted(column, found, least, _BESIDE)[0] if entry.entity == "PERSON")
    return _of_share(column, found, spacy)


def _least(surely: float, spacy: str | None) -> float:
    """How probable a span of an entity has to be; pipelines don't say how sure they are."""
    return surely if spacy is None else LIKELY


def _counted(
    column: ColumnSummary, found: Sequence[Sequence[Span]], least: float = SURE, beside: int = 0
) -> tuple[tuple[Inside, ...], Counter[str]]:
    """What is `found` in the sampled texts, and in how many cells surely, by rule.

    Surely: with a score of at least `least`, in a cell that has `beside` more characters.
    """
    items = column.sample.items
    sampled = is_sampled(column)
    cells: Counter[tuple[str, str]] = Counter()
    sure: Counter[str] = Counter()
    for (text, count), spans in zip(items, found, strict=True):
        if not spans:
            continue
        for rule in {s.rule for s in spans if s.score >= least and len(text) >= beside + s.end - s.start}:
            sure[rule] += count
        for key in {(s.rule, s.entity) for s in spans}:
            cells[key] += count
    entries = (Inside(entity, None, rule, n, (), sampled) for (rule, entity), n in sorted(cells.items()) if sure[rule])
    return tuple(entries), sure


def is_sampled(column: ColumnSummary) -> bool:
    """Whether the sample lacks cells of a column, or the ends of some."""
    return column.sample.full or any(
        len(text) * 4 > CELL_BYTES and len(text.encode()) > CELL_BYTES - 4 for text, _ in column.sample.items
    )


def _spans(texts: Sequence[str], rules: RuleSet, spacy: str | None) -> list[Sequence[Span]]:
    """What is named or announced in each text as a reader sees it, by one of `rules`."""
    from piiscan.detection.reading.url_encoding import decoded_among
    from piiscan.detection.reading.visible_text import as_rules_read
    from piiscan.detection.text import pipelines
    from piiscan.detection.text.analyzer import named
    from piiscan.detection.text.span import NAMED, placed

    written = list(dict.fromkeys(texts))  # columns have cells in common
    different, seen = as_rules_read(written)
    found: list[Sequence[Span]] = [()] * len(different)
    if any(rule in rules.by_id for _, rule in NAMED.values()):
        read = partial(named, min_score=LIKELY) if spacy is None else partial(pipelines.found_by, pipelines.load(spacy))
        found = [*read(different)]
    encoded = decoded_among(different)
    if encoded:
        decoded = [plain.text for plain in encoded.values()]
        for i, own in zip(encoded, _spans(decoded, rules, spacy), strict=True):
            found[i] = (*found[i], *placed(own, encoded[i]))
    by_text: dict[str, Sequence[Span]] = {}
    for i, (text, read_text, spans) in enumerate(zip(written, different, found, strict=True)):
        own = [s for s in (*spans, *_announced(read_text, rules)) if s.rule in rules.by_id]
        by_text[text] = placed(own, seen[i]) if i in seen else own
    return [by_text[text] for text in texts]


def _announced(text: str, rules: RuleSet) -> Iterator[Span]:
    """Everything that is announced. An address in a text is a place: it may well be that of a firm."""
    for find in announced.finders(text):
        is_place = find is street_addresses.addresses
        yield from (replace(s, entity="LOCATION", score=SURE) if is_place else s for s in find(text, rules))


def _of_persons(text: str, rules: RuleSet) -> Iterator[Span]:
    """Everything that is announced but addresses."""
    for find in announced.finders(text, addresses=False):
        yield from find(text, rules)


def _by_keys(text: str, rules: RuleSet) -> Iterator[Span]:
    """What keys in the text of one word announce, as it is written and as URL encoding decodes it."""
    for written in dict.fromkeys((text, unquoted(text))):
        yield from query_values.query_values(written, rules)
        yield from query_values.pair_values(written, rules)
        yield from names_in_notations.names_in_notations(written, rules)
        yield from rows_without_keys.names_in_rows(written, rules)
