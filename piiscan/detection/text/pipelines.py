"""Names found by a pipeline of the caller, spaCy's for instance, instead of piiscan's recogniser.

What is asked of it is little, so that anything can be wrapped: a call with a text gives a document whose `ents` have
`label_`, `start_char` and `end_char`; where it has a method `pipe`, that is called with all texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

from piiscan.core.errors import MissingExtra, UsageError
from piiscan.detection.text.span import NAMED, Span, apart

LABELS: Final = {
    **dict.fromkeys(("PERSON", "PER"), "PER"),
    **dict.fromkeys(("GPE", "LOC", "LOCATION", "FAC"), "LOC"),
    **dict.fromkeys(("ORG", "ORGANIZATION", "ORGANISATION"), "ORG"),
}
"""Labels of spaCy's pipelines, and other spellings of them, → what piiscan's model calls it. Other labels are left
out."""
SCORE: Final = 0.85
"""Of every span, since pipelines say no probability: what Presidio gives them."""


class Pipeline(Protocol):
    """A spaCy `Language`, or anything that is called like one."""

    def __call__(self, text: str, /) -> Any: ...


@lru_cache(maxsize=2)
def load(name: str) -> Pipeline:
    """The spaCy pipeline of this name or in this folder, as it is installed: nothing is downloaded.

    Raises `MissingExtra`, with the install command, and `UsageError` for one that isn't there.
    """
    try:
        import spacy
    except ImportError:
        raise MissingExtra("a spaCy pipeline needs optional packages: pip install 'piiscan-toolkit[text]'") from None
    try:
        pipeline: Pipeline = spacy.load(name)
    except (OSError, ValueError):
        raise UsageError(
            f"there is no spaCy pipeline {name!r} here; install it, or give the path of its folder"
        ) from None
    return pipeline


def language(name: str) -> str | None:
    """The code of the language that a pipeline says it is of. Raises as `load`."""
    return getattr(load(name), "lang", None)


def found_by(nlp: Pipeline, texts: Sequence[str]) -> list[list[Span]]:
    """Persons, places and organisations that a pipeline finds in each text, in the order of their places."""
    documents: Iterable[Any] = nlp.pipe(texts) if hasattr(nlp, "pipe") else map(nlp, texts)
    return [apart(_spans(document)) for document in documents]


def _spans(document: Any) -> Iterable[Span]:
    for entity in document.ents:
        kind = LABELS.get(entity.label_)
        if kind is not None and entity.start_char < entity.end_char:
            name, rule = NAMED[kind]
            yield Span(entity.start_char, entity.end_char, name, None, rule, SCORE)
