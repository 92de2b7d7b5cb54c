"""piiscan's rules and its recogniser of names as parts of Presidio, for those who use Presidio.

Nothing here reaches for the network: the engine runs on a blank spaCy pipeline, or on one that the caller loaded, and
never downloads a model. Needs the extra `text`; importing this module without it raises `MissingExtra` with the install
command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from piiscan.core.errors import MissingExtra
from piiscan.detection.text.analyzer import compiled_or_shipped, named
from piiscan.detection.text.rule_spans import entities_of, rule_spans
from piiscan.detection.text.span import NAMED, Span

try:
    import spacy
    from presidio_analyzer import (
        AnalyzerEngine,
        EntityRecognizer,
        LocalRecognizer,
        RecognizerRegistry,
        RecognizerResult,
    )
    from presidio_analyzer.nlp_engine import NlpArtifacts, SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer
    from spacy.language import Language
    from spacy.tokens import Doc
except ImportError:
    raise MissingExtra("Presidio's recognisers need optional packages: pip install 'piiscan-toolkit[text]'") from None

if TYPE_CHECKING:
    from piiscan.rules.compile_rules import CompiledRules
    from piiscan.rules.definitions import RuleSet

RULE: Final = "piiscan_rule"
SUBTYPE: Final = "piiscan_subtype"
"""Keys of a result's `recognition_metadata`: the rule that found it, and the country's own number, where there is
one."""
_SPANS: Final = "piiscan_names"


class RuleRecognizer(LocalRecognizer):
    """All rules of piiscan as one recogniser of Presidio: they settle overlaps among themselves."""

    def __init__(self, rules: RuleSet | None = None, supported_language: str = "en") -> None:
        self._compiled: CompiledRules = compiled_or_shipped(rules)
        entities = sorted(entities_of(self._compiled))
        super().__init__(supported_entities=entities, name="piiscan rules", supported_language=supported_language)

    def load(self) -> None:
        """Nothing to load: rules come with piiscan."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """What the rules find in a text, of the wanted entities."""
        return [_result(s, self) for s in rule_spans(text, self._compiled) if not entities or s.entity in entities]


class NameRecognizer(LocalRecognizer):
    """piiscan's recogniser of persons, places and organisations. Its scores are probabilities."""

    def __init__(self, supported_language: str = "en", min_score: float = 0.35) -> None:
        self.min_score = min_score
        entities = [entity for entity, _ in NAMED.values()]
        super().__init__(supported_entities=entities, name="piiscan names", supported_language=supported_language)

    def load(self) -> None:
        """The model is loaded when the first text comes."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return the recogniser's findings in a text, for the wanted entities.

        The pipeline may have run already, for many texts at once.
        """
        doc = getattr(nlp_artifacts, "tokens", None)
        known = doc.user_data.get(_SPANS) if isinstance(doc, Doc) and doc.text == text else None
        spans: Sequence[Span] = named([text])[0] if known is None else known
        return [_result(s, self) for s in spans if s.score >= self.min_score and (not entities or s.entity in entities)]


def _result(span: Span, by: EntityRecognizer) -> RecognizerResult:
    metadata = {
        RecognizerResult.RECOGNIZER_NAME_KEY: str(getattr(by, "name", "")),
        RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: by.id,
        RULE: span.rule,
    }
    if span.subtype:
        metadata[SUBTYPE] = span.subtype
    return RecognizerResult(span.entity, span.start, span.end, span.score, recognition_metadata=metadata)


@Language.component("piiscan_lemmas")
def _lemmas(doc: Doc) -> Doc:
    """Give Presidio lower-cased words as lemmas, since it looks for context words there.

    A blank pipeline has no lemmas.
    """
    for token in doc:
        token.lemma_ = token.lower_
    return doc


class _Names:
    """A component that looks for names in many texts at once and leaves the spans with the document."""

    def __call__(self, doc: Doc) -> Doc:
        return next(iter(self.pipe([doc])))

    def pipe(self, docs: Iterable[Doc], batch_size: int = 64) -> Iterable[Doc]:
        rest = iter(docs)
        while some := list(islice(rest, batch_size)):
            for doc, spans in zip(some, named(doc.text for doc in some), strict=True):
                doc.user_data[_SPANS] = spans
                yield doc


@Language.factory("piiscan_names")
def _names(nlp: Language, name: str) -> _Names:
    return _Names()


class BlankEngine(SpacyNlpEngine):
    """Presidio's engine for spaCy over pipelines that are loaded already: blank ones, or the caller's.

    Downloads nothing.
    """

    def __init__(self, pipelines: Mapping[str, Language]) -> None:
        super().__init__(models=[{"lang_code": code, "model_name": "blank"} for code in pipelines])
        self.nlp: Any = dict(pipelines)

    def load(self) -> None:
        """Nothing to load: the pipelines are given."""


def blank(language: str = "en", names: bool = True) -> Language:
    """A spaCy pipeline without a model: words, lemmas for context, and piiscan's names."""
    nlp = spacy.blank(language)
    nlp.add_pipe("piiscan_lemmas")
    if names:
        nlp.add_pipe("piiscan_names")
    return nlp


def recognizers(rules: RuleSet | None = None, language: str = "en", names: bool = True) -> list[EntityRecognizer]:
    """Recognisers to add to a registry of yours: the rules, and the names unless you have a model for them."""
    found: list[EntityRecognizer] = [RuleRecognizer(rules, language)]
    return [*found, NameRecognizer(language)] if names else found


def engine(
    languages: Sequence[str] = ("en",),
    rules: RuleSet | None = None,
    pipelines: Mapping[str, Language] | None = None,
    presidio_too: bool = False,
) -> AnalyzerEngine:
    """A Presidio `AnalyzerEngine` with piiscan's recognisers, ready to use, also by `BatchAnalyzerEngine`.

    languages: codes that texts may be analysed as; the rules are the same for all.
    rules: a rule set, the shipped one by default.
    pipelines: language → a spaCy pipeline of yours, which then finds the names instead of piiscan's recogniser.
    presidio_too: whether Presidio's own recognisers run besides.
    """
    given = dict(pipelines or {})
    registry = RecognizerRegistry(supported_languages=list(languages))
    nlp = BlankEngine({code: given.get(code) or blank(code) for code in languages})
    if presidio_too:
        keep_offline()
        registry.load_predefined_recognizers(languages=list(languages), nlp_engine=nlp)
        registry.recognizers = [r for r in registry.recognizers if not isinstance(r, SpacyRecognizer)]
    for code in languages:
        for recognizer in recognizers(rules, code, names=code not in given):
            registry.add_recognizer(recognizer)
        if code in given:
            registry.add_recognizer(
                SpacyRecognizer(supported_language=code, supported_entities=nlp.get_supported_entities())
            )
    return AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=list(languages))


def keep_offline() -> None:
    """Make `tldextract` work from the list in its package instead of fetching one.

    Presidio's recogniser of e-mail addresses uses it.
    """
    import tldextract

    offline: Any = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    tldextract.extract = offline
