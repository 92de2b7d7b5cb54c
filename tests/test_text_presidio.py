"""piiscan within Presidio: its recognisers in a real engine, without a network and without a model to download."""

from __future__ import annotations

import importlib
import socket
import sys
from collections.abc import Iterator

import pytest
import spacy
from presidio_analyzer import BatchAnalyzerEngine, RecognizerResult

from piiscan.core.errors import MissingExtra
from piiscan.detection.text import presidio
from piiscan.rules import rule_sets
from piiscan.text import Analyzer

TEXT = "Please call Maria Schmidt in Berlin, or write to jane.doe@example.com; her SSN is 219-09-9999."


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="module")
def engine() -> Iterator[presidio.AnalyzerEngine]:
    yield presidio.engine(("en", "de"))


def plain(results: list[RecognizerResult]) -> set[tuple[str, str]]:
    return {(TEXT[r.start : r.end], r.entity_type) for r in results}


def test_presidio_gives_what_piiscan_finds(engine: presidio.AnalyzerEngine) -> None:
    ours = {(TEXT[s.start : s.end], s.entity) for s in Analyzer().spans(TEXT)}
    assert ours == plain(engine.analyze(TEXT, "en")) == plain(engine.analyze(TEXT, "de"))
    assert ours == {
        ("Maria Schmidt", "PERSON"),
        ("Berlin", "LOCATION"),
        ("jane.doe@example.com", "EMAIL_ADDRESS"),
        ("219-09-9999", "US_SSN"),
    }


def test_results_name_the_rule(engine: presidio.AnalyzerEngine) -> None:
    (result,) = engine.analyze("PESEL 44051401359", "en", entities=["NATIONAL_ID"])
    assert result.recognition_metadata[presidio.RULE] == "pl-pesel"
    assert result.recognition_metadata[presidio.SUBTYPE] == "PL_PESEL"


def test_only_wanted_entities(engine: presidio.AnalyzerEngine) -> None:
    assert {r.entity_type for r in engine.analyze(TEXT, "en", entities=["PERSON"])} == {"PERSON"}
    assert {r.entity_type for r in engine.analyze(TEXT, "en", entities=["US_SSN"])} == {"US_SSN"}


def test_in_batches(engine: presidio.AnalyzerEngine) -> None:
    texts = [TEXT, "", "Nothing here.", TEXT]
    found = BatchAnalyzerEngine(engine).analyze_iterator(texts, "en", batch_size=2)
    assert [plain(results) for results in found] == [
        plain(engine.analyze(text, "en")) if text else set() for text in texts
    ]


def test_rules_can_be_chosen() -> None:
    few = rule_sets.shipped().rules.restrict(["EMAIL_ADDRESS"])
    engine = presidio.engine(rules=few)
    assert "US_SSN" not in {r.entity_type for r in engine.analyze(TEXT, "en")}


def test_a_pipeline_of_the_caller_finds_the_names() -> None:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Xyzzy"}])  # type: ignore[attr-defined]
    engine = presidio.engine(pipelines={"en": nlp})
    found = engine.analyze("Xyzzy and Maria Schmidt: jane.doe@example.com", "en")
    assert [r.entity_type for r in sorted(found, key=lambda r: r.start)] == ["PERSON", "EMAIL_ADDRESS"]


def test_beside_presidio_s_own_recognisers() -> None:
    engine = presidio.engine(presidio_too=True)
    results = engine.analyze("Bitcoin 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa of Maria Schmidt, jane.doe@example.com", "en")
    assert {"CRYPTO", "PERSON", "EMAIL_ADDRESS"} <= {r.entity_type for r in results}


def test_context_words_reach_presidio_s_recognisers() -> None:
    """A blank pipeline has no lemmas; without them Presidio's scores don't rise near their words."""
    engine = presidio.engine(presidio_too=True)
    (alone,) = engine.analyze("here is 945456787654", "en", entities=["US_BANK_NUMBER"], score_threshold=0)
    (near,) = engine.analyze("my bank account is 945456787654", "en", entities=["US_BANK_NUMBER"], score_threshold=0)
    assert near.score > alone.score
    doc = presidio.blank()("Phones RING")
    assert [t.lemma_ for t in doc] == ["phones", "ring"]


def test_a_missing_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    for module in ("piiscan.text.presidio", "piiscan.detection.text.presidio"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'piiscan-toolkit\[text\]'$"):
        importlib.import_module("piiscan.text.presidio")
