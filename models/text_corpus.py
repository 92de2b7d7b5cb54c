"""Training text for the recogniser: annotated corpora, the same with other names or in other letters, and filled
templates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from text_lists import Lists
from text_names import SCRIPT_OF, Names

from piiscan.detection.text.token_features import In, folded
from piiscan.detection.text.tokens import tokens

HERE = Path(__file__).resolve().parent

ENTITY = {
    **dict.fromkeys("per person politician writer musicalartist scientist researcher".split(), "PER"),
    **dict.fromkeys("loc location country".split(), "LOC"),
    **dict.fromkeys("org organisation politicalparty band university corporation group".split(), "ORG"),
}
"""Label of a corpus → ours. Works, events, products and awards are none of ours."""

_NO_SPACE_BEFORE = frozenset(". , ! ? ; : ) ] } % ' ’ ” ... … 's 'S n't 'm 're 've 'll 'd ’s".split())
_NO_SPACE_AFTER = frozenset("( [ { $ # @ “ ‘ £ €".split())


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens and a label for each: O, or B- or I- with PER, LOC, ORG. `hidden`: the lists are not to be used for
    these tokens."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    hidden: frozenset[int] = frozenset()


def conll(path: Path) -> Iterator[Sentence]:
    """The sentences of a file of two columns, as running text cut by the product's own tokens."""
    words: list[str] = []
    labels: list[str] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        word, _, label = line.rstrip().partition("\t")
        if word.strip():
            words.append(word.strip())
            labels.append(label)
        elif words:
            yield joined(words, labels)
            words, labels = [], []


def joined(words: list[str], labels: list[str]) -> Sentence:
    """A sentence of a corpus as text, then as tokens: those that begin within an entity are of it. Handles are
    nobody's name."""
    text = ""
    spans: list[tuple[int, int, str]] = []
    for i, word in enumerate(words):
        if text and word not in _NO_SPACE_BEFORE and words[i - 1] not in _NO_SPACE_AFTER:
            text += " "
        start = len(text)
        text += word
        prefix, _, name = labels[i].partition("-")
        entity = ENTITY.get(name.lower())
        if entity is None:
            continue
        if prefix == "I" and spans and spans[-1][2] == entity and text[spans[-1][1] : start].strip() == "":
            spans[-1] = (spans[-1][0], len(text), entity)
        else:
            spans.append((start, len(text), entity))
    return labelled(text, spans)


def labelled(text: str, spans: list[tuple[int, int, str]]) -> Sentence:
    """Text with entities (start, end, PER or LOC or ORG) as tokens with labels."""
    found, starts = tokens(text)
    out = ["O"] * len(found)
    for start, end, entity in spans:
        prefix = "B-"
        for i, at in enumerate(starts):
            if start <= at < end and not (found[i][0] in "@#" and entity == "PER"):
                out[i] = prefix + entity
                prefix = "I-"
    return Sentence(tuple(found), tuple(out))


def case_counts(sentences: list[Sentence]) -> tuple[Counter[str], Counter[str]]:
    """How often each folded word stands in small letters, and capitalised within a sentence."""
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for s in sentences:
        for i, word in enumerate(s.words):
            if word.islower():
                lower[folded(word)] += 1
            elif i:
                capital[folded(word)] += 1
    return lower, capital


TITLED = ("Mr. ", "Mrs. ", "Ms. ", "Dr. ", "Prof. ", "Mr ", "Mrs ", "Ms ", "Dr ", "Miss ", "Prof. Dr. ", "Sir ")
OF_SCRIPTS = frozenset(("person", "given", "family", "place"))
"""Slots that are filled in the script of the language."""
_SLOT = re.compile(r"\{(\w+~?)\}")


def filled(names: Names, language: str, template: str) -> Sentence:
    """A template with names in its slots."""
    text = ""
    spans: list[tuple[int, int, str]] = []

    def add(value: str, entity: str | None) -> None:
        nonlocal text
        if entity:
            spans.append((len(text), len(text) + len(value), entity))
        text += value

    r = names.random
    for i, part in enumerate(_SLOT.split(template)):
        if not i % 2:
            text += part
        elif part.removesuffix("~") in OF_SCRIPTS and (name := names.in_script(language, part)) is not None:
            add(name, "LOC" if part == "place" else "PER")
        elif part == "person":
            add(names.a_person(), "PER")
        elif part == "given":
            add(names.a_given(), "PER")
        elif part == "family":
            add(names.a_family(), "PER")
        elif part == "titled":
            text += r.choice(TITLED)
            add(names.a_family() if r.random() < 0.6 else names.a_person(), "PER")
        elif part == "place":
            add(names.a_place(), "LOC")
        elif part == "organisation":
            add(names.an_organisation(language), "ORG")
        elif part == "job":
            add(r.choice(names.jobs.get(language) or names.jobs["en"]), None)
        else:
            add(
                {"date": names.a_date, "number": names.a_number, "mail": names.a_mail, "phone": names.a_phone}.get(
                    part, lambda: names.a_word(language)
                )(),
                None,
            )
    return labelled(text, spans)


def templates() -> list[tuple[str, str]]:
    """(language, template) of every line of text_templates.txt."""
    lines = (HERE / "text_templates.txt").read_text(encoding="utf-8").splitlines()
    return [
        (a.strip(), b.strip())
        for a, _, b in (line.partition("|") for line in lines if line and not line.startswith("#"))
    ]


def from_templates(names: Names, copies: int, latin: bool = True) -> list[Sentence]:
    """Every template with a slot filled `copies` times, the others a few times; of languages in Latin letters, or of
    the others."""
    return [
        filled(names, lang, text)
        for lang, text in templates()
        if (lang not in SCRIPT_OF) == latin
        for _ in range(copies if "{" in text else max(1, copies // 3))
    ]


def of_words(names: Names, count: int) -> list[Sentence]:
    """Everyday words of each language in no order, a name among them now and then: what isn't a name in that
    language."""
    out = []
    for language in sorted(names.common):
        if language == "en":
            continue
        for _ in range(count):
            words = [names.a_word(language) for _ in range(names.random.randrange(4, 14))]
            spans = []
            words[0] = words[0].capitalize()
            text = " ".join(words)
            if names.random.random() < 0.4:
                name, entity = (names.a_person(), "PER") if names.random.random() < 0.7 else (names.a_place(), "LOC")
                at = len(text) + 1
                text = f"{text} {name} {names.a_word(language)}"
                spans = [(at, at + len(name), entity)]
            out.append(labelled(text + ".", spans))
    return out


def renamed(sentence: Sentence, names: Names) -> Sentence | None:
    """The sentence with other names, persons and places as many words long where that is possible; some of them
    known to no list."""
    words: list[str] = []
    labels: list[str] = []
    hidden: set[int] = set()
    i = 0
    changed = False
    while i < len(sentence.words):
        label = sentence.labels[i]
        if not label.startswith("B-"):
            words.append(sentence.words[i])
            labels.append(label)
            i += 1
            continue
        end = i + 1
        while end < len(sentence.words) and sentence.labels[end] == "I" + label[1:]:
            end += 1
        if label == "B-ORG":
            new = list(sentence.words[i:end]) if names.random.random() < 0.5 else [names.an_organisation()]
        elif label == "B-LOC":
            new = names.a_place().split() if end - i <= 2 else list(sentence.words[i:end])
        elif end - i == 1:
            new = [names.a_given() if names.random.random() < 0.5 else names.a_family()]
        elif end - i == 2:
            new = [names.a_given(), names.a_family()]
        else:
            new = list(sentence.words[i:end])
        value = " ".join(new)
        if sentence.words[i].islower():
            value = value.lower()
        elif sentence.words[i].isupper() and len(sentence.words[i]) > 2 and label != "B-ORG":
            value = value.upper()
        new = tokens(value)[0]
        changed = True
        if names.random.random() < 0.15:
            hidden.update(range(len(words), len(words) + len(new)))
        words += new
        labels += [label] + ["I" + label[1:]] * (len(new) - 1)
        i = end
    return Sentence(tuple(words), tuple(labels), frozenset(hidden)) if changed else None


def recased(sentence: Sentence, upper: bool) -> Sentence:
    """All in capitals, or all in small letters."""
    words = tuple(w.upper() if upper else w.lower() for w in sentence.words)
    return Sentence(words, sentence.labels, sentence.hidden)


def hide(lists: Lists, sentence: Sentence) -> list[int]:
    """The lists of each word as training sees them."""
    kept = ~int(
        In.GIVEN | In.RARE_GIVEN | In.FAMILY | In.RARE_FAMILY | In.CITY | In.RARE_CITY | In.PLACE_PART | In.KNOWN
    )
    return [int(lists.get(folded(w), 0)) & (kept if i in sentence.hidden else -1) for i, w in enumerate(sentence.words)]
