"""Spans in free text: rules with their places, names by the recogniser, windows, and what stays private."""

from __future__ import annotations

import pickle
import random
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import embedded, in_context, mutated, padded, pattern_rules
from text_reference import PIECES

from piiscan.core import resources
from piiscan.core.errors import ModelError, UsageError
from piiscan.detection.matching import reference
from piiscan.detection.text import analyzer, text_model
from piiscan.detection.text.rule_spans import rule_spans, spans_of
from piiscan.rules import rule_sets
from piiscan.text import Analyzer, Span, spans

PROGRAM = rule_sets.shipped()


def found(text: str, *entities: str) -> list[tuple[str, str]]:
    return [(text[s.start : s.end], s.entity) for s in spans(text) if not entities or s.entity in entities]


@pytest.mark.parametrize(
    ("text", "entity", "values"),
    [
        (
            "Write to jane.doe@example.com, or email=bob@example.org;",
            "EMAIL_ADDRESS",
            ["jane.doe@example.com", "bob@example.org"],
        ),
        (
            "See (https://example.com/a_(b)), or https://example.org/x?y=1.",
            "URL",
            ["https://example.com/a_(b)", "https://example.org/x?y=1"],
        ),
        ("My card is 4111 1111 1111 1111, thanks", "CREDIT_CARD", ["4111 1111 1111 1111"]),
        ("card number 3598899323053410 is lost", "CREDIT_CARD", ["3598899323053410"]),
        ("order 3598899323053410 is lost", "CREDIT_CARD", []),
        ("SSN 219-09-9999 on file", "US_SSN", ["219-09-9999"]),
        ("iban: DE89 3704 0044 0532 0130 00", "IBAN_CODE", ["DE89 3704 0044 0532 0130 00"]),
        ("my iban is gb50mvfc38361978683032", "IBAN_CODE", ["gb50mvfc38361978683032"]),
        ("from 192.168.20.7 to host", "IP_ADDRESS", ["192.168.20.7"]),
        ("They're not answering at 450 0840", "PHONE_NUMBER", ["450 0840"]),
        ("Phone:\n467 3395\n\nE-mail:", "PHONE_NUMBER", ["467 3395"]),
        ("Telefon 0721 234 567. CNP", "PHONE_NUMBER", ["0721 234 567"]),
        ("Tel. +49 30 1234567 oder (212) 555-0143", "PHONE_NUMBER", ["+49 30 1234567", "(212) 555-0143"]),
        ("082 490 1693-Fax", "PHONE_NUMBER", ["082 490 1693"]),
        ("Call me on 2023-07-12", "PHONE_NUMBER", []),
        ("the number 450 0840 means nothing", "PHONE_NUMBER", []),
        ("my passport number is C01234567", "PASSPORT", ["C01234567"]),
        ("part number C01234567", "PASSPORT", []),
    ],
)
def test_rules_find_values_with_their_places(text: str, entity: str, values: list[str]) -> None:
    assert [value for value, _ in found(text, entity)] == values


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Please call Maria Schmidt about the invoice.", "Maria Schmidt"),
        ("I spoke with John O'Brien yesterday.", "John O'Brien"),
        ("Dr. Anna Kowalska is on leave.", "Anna Kowalska"),
        ("please forward this to jennifer miller today", "jennifer miller"),
        ("PATIENT JENNIFER MILLER WAS SEEN TODAY", "JENNIFER MILLER"),
        ("Sehr geehrte Frau Schneider, vielen Dank.", "Schneider"),
        ("Bonjour Camille Dubois, merci pour votre message.", "Camille Dubois"),
        ("De klant Pieter de Vries heeft gebeld.", "Pieter de Vries"),
        ("O paciente João Silva ligou ontem.", "João Silva"),
        ("Name: Yuki Tanaka\nPhone: +81 3 1234 5678", "Yuki Tanaka"),
    ],
)
def test_persons_are_found(text: str, person: str) -> None:
    assert person in [value for value, _ in found(text, "PERSON")]


@pytest.mark.parametrize(
    "text",
    [
        "Stainless steel water bottle, 750 ml, black. Dishwasher safe and free of BPA.",
        "ERROR Connection refused while opening socket to database server",
        "def main(args): return None",
        "Die Lieferung kommt in der nächsten Woche, bitte die Rechnung prüfen.",
        "The battery lasts two days and the screen is bright.",
        "SELECT name, address FROM customers WHERE id = 17",
        "La livraison est prévue pour la semaine prochaine.",
        "081109 203615 148 INFO dfs.DataNode$PacketResponder: PacketResponder 1 for block "
        "blk_38865049064139660 terminating",
    ],
)
def test_prose_without_persons_has_none(text: str) -> None:
    assert found(text, "PERSON") == []


def test_places_and_organisations_are_found() -> None:
    text = "Siemens opened an office in Munich, Germany."
    assert ("Munich", "LOCATION") in found(text)
    assert ("Germany", "LOCATION") in found(text)
    assert [e for _, e in found("She works for Meyer Holding GmbH.", "ORGANIZATION")] == ["ORGANIZATION"]


@given(st.lists(PIECES, max_size=10).map("".join))
@settings(max_examples=100, deadline=None)
def test_rules_find_what_the_reference_counts(text: str) -> None:
    """Every strong rule that passes in a cell has a span there, of its own or a longer one of the same entity."""
    counted = {h.rule for h in reference.cell_hits(text, PROGRAM) if h.passed}
    strong = {PROGRAM.patterns[r].rule.entity for r in counted if PROGRAM.patterns[r].rule.search == "anywhere"}
    assert strong <= {s.entity for s in rule_spans(text, PROGRAM)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_many_texts_at_once_have_the_spans_that_each_has_alone(seed: int) -> None:
    rng = random.Random(seed)
    texts = ["", " ", "\n\t", "no 5", "long " * 4000 + "a@b.example, and then 219-09-9999"]
    for rule in pattern_rules()[seed::2]:
        for example in (*rule.match, *rule.no_match):
            said = in_context(rule, example, rng)
            near = padded(embedded(mutated(said, rng) if rng.random() < 0.3 else said, rng), rng)
            texts += [padded(example, rng), embedded(example, rng), near, f"{near}\n{rng.choice(texts)}"]
    alone = [rule_spans(text, PROGRAM) for text in texts]
    assert spans_of(texts, PROGRAM) == alone
    assert sum(map(bool, alone)) > 1000
    assert spans_of([*texts, "\ud800 jane.doe@example.com"], PROGRAM)[:-1] == alone


def test_texts_of_any_characters() -> None:
    assert ("Jose\u0301 Garci\u0301a", "PERSON") in found("Please call Jose\u0301 Garci\u0301a today.")
    assert ("jane.doe@example.com", "EMAIL_ADDRESS") in found("\ud83d half a pair \ud800 jane.doe@example.com \x00\x1c")


def test_long_texts_are_read_in_windows() -> None:
    filler = "and then some more words without any point " * 60
    text = f"{filler}Please call Maria Schmidt {filler}{filler}or jane.doe@example.com in Berlin {filler}"
    assert ("Maria Schmidt", "PERSON") in found(text)
    assert ("jane.doe@example.com", "EMAIL_ADDRESS") in found(text)
    assert ("Berlin", "LOCATION") in found(text)


@pytest.mark.parametrize("before", [0, 15_800, 15_873, 16_380, 40_000])
def test_rules_read_long_texts_in_windows(before: int) -> None:
    head = ("lorem ipsum dolor " * (before // 18 + 1))[:before]
    text = f"{head} card 4111 1111 1111 1111 or jane.doe@example.com {head} 219-09-9999 {head}"
    values = [(text[s.start : s.end], s.entity) for s in rule_spans(text, PROGRAM)]
    assert values == [
        ("4111 1111 1111 1111", "CREDIT_CARD"),
        ("jane.doe@example.com", "EMAIL_ADDRESS"),
        ("219-09-9999", "US_SSN"),
    ]


@pytest.mark.parametrize("before", ["", " ", "a, ", "x" * 250 + " "])
def test_the_first_words_of_a_long_text_are_read(before: str) -> None:
    text = before + "jane.doe@example.com" + " lorem ipsum" * 2_000 + " 219-09-9999"
    values = [(s.start, text[s.start : s.end]) for s in rule_spans(text, PROGRAM)]
    assert values == [(len(before), "jane.doe@example.com"), (len(text) - 11, "219-09-9999")]


def test_a_long_text_without_white_space() -> None:
    text = "x" * 50_000 + "@" + "y" * 20_000
    assert all(text[s.start : s.end] for s in Analyzer().spans(text))


def test_rules_can_be_chosen() -> None:
    text = "Maria Schmidt in Berlin: jane.doe@example.com"
    few = rule_sets.shipped().rules.restrict(["EMAIL_ADDRESS"])
    assert [s.entity for s in Analyzer(rules=few).spans(text)] == ["EMAIL_ADDRESS"]
    persons = rule_sets.shipped().rules.restrict(["PERSON"])
    assert [s.entity for s in Analyzer(rules=persons).spans(text)] == ["PERSON"]
    assert "PERSON" not in {s.entity for s in Analyzer(names=False).spans(text)}
    assert {s.entity for s in Analyzer(min_score=0.995).spans(text)} <= {"PERSON"}


def test_spans_hold_no_text() -> None:
    text = "Please call Maria Schmidt, 219-09-9999"
    shown = repr(spans(text)) + repr(Analyzer())
    assert "Maria" not in shown
    assert "219" not in shown
    assert "Maria" not in repr(analyzer.recogniser())
    assert pickle.loads(pickle.dumps(Analyzer())) == Analyzer()
    assert Span(0, 1, "PERSON", None, "text-person", 0.5) == Span(0, 1, "PERSON", None, "text-person", 0.5)


def test_nothing_reaches_for_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert ("Maria Schmidt", "PERSON") in found("Please call Maria Schmidt.")


def test_another_model_is_refused(tmp_path: Path) -> None:
    shipped = (resources.folder("models") / text_model.FILE).read_bytes()
    (tmp_path / "text.npz").write_bytes(shipped + b"x")
    with pytest.raises(ModelError, match=r"text\.npz isn't the one that belongs to this piiscan"):
        text_model.load(tmp_path / "text.npz", text_model.SHA256)
    with pytest.raises(ModelError, match="can't be read"):
        text_model.load(tmp_path / "none.npz", text_model.SHA256)


def test_the_model_is_small_and_reads_back() -> None:
    path = resources.folder("models") / text_model.FILE
    assert path.stat().st_size <= 5_000_000
    known = text_model.shipped()
    assert text_model.pack(text_model.unpack(path.read_bytes())) == path.read_bytes()
    assert known.labels[0] == "O"


@pytest.mark.parametrize(
    ("texts", "told"),
    [(["a", None], "a text must be a str, not an object of type NoneType"), ("abc", "batch takes a list of texts")],
)
def test_what_is_no_text_is_refused(texts: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Analyzer().batch(texts)
