"""A pipeline of the caller finds the names in place of piiscan's recogniser: spaCy's, or anything that is called
like one."""

from __future__ import annotations

import json
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
import spacy

import piiscan
from piiscan.core.errors import UsageError
from piiscan.detection.text import analyzer
from piiscan.detection.text.pipelines import LABELS
from piiscan.rules import rule_sets
from piiscan.text import Analyzer

TEXT = "Xyzzy of Plugh wrote to jane.doe@example.com; Maria Schmidt didn't."


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the network nor piiscan's recogniser is asked."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("not needed here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(analyzer, "recogniser", refuse)


def document(*entities: tuple[int, int, str]) -> Any:
    return SimpleNamespace(ents=[SimpleNamespace(start_char=a, end_char=b, label_=label) for a, b, label in entities])


def found(by: Analyzer, text: str = TEXT) -> list[tuple[str, str, str]]:
    return [(text[s.start : s.end], s.entity, s.rule) for s in by.spans(text)]


def ruled() -> spacy.language.Language:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(  # type: ignore[attr-defined]
        [
            {"label": "PERSON", "pattern": "Xyzzy"},
            {"label": "GPE", "pattern": "Plugh"},
            {"label": "EVENT", "pattern": "wrote"},
        ]
    )
    return nlp


def test_a_spacy_pipeline_finds_the_names_and_rules_the_rest() -> None:
    assert found(Analyzer(nlp=ruled())) == [
        ("Xyzzy", "PERSON", "text-person"),
        ("Plugh", "LOCATION", "text-location"),
        ("jane.doe@example.com", "EMAIL_ADDRESS", "email"),
    ]


def test_many_texts_go_through_a_spacy_pipeline_together() -> None:
    by = Analyzer(nlp=ruled())
    assert by.batch([TEXT, "", "Plugh"]) == [by.spans(TEXT), [], by.spans("Plugh")]


def test_a_spacy_pipeline_without_names_finds_none() -> None:
    assert found(Analyzer(nlp=spacy.blank("en"))) == [("jane.doe@example.com", "EMAIL_ADDRESS", "email")]


def test_any_function_will_do() -> None:
    asked: list[str] = []

    def nlp(text: str) -> Any:
        asked.append(text)
        return document((0, 5, "PER"))

    assert [text for text, _, _ in found(Analyzer(nlp=nlp))] == ["Xyzzy", "jane.doe@example.com"]
    assert asked == [TEXT]


def test_an_object_with_pipe_gets_all_texts_at_once() -> None:
    class Piped:
        def __call__(self, text: str) -> Any:
            raise AssertionError("one text at a time")

        def pipe(self, texts: Sequence[str]) -> Iterator[Any]:
            return (document((0, len(text), "ORG")) for text in texts)

    assert [[s.entity for s in spans] for spans in Analyzer(nlp=Piped()).batch(["a", "b c"])] == [
        ["ORGANIZATION"],
        ["ORGANIZATION"],
    ]


@pytest.mark.parametrize("label", [*LABELS, "NORP", "DATE", ""])
def test_labels(label: str) -> None:
    wanted = {"PER": ["PERSON"], "LOC": ["LOCATION"], "ORG": ["ORGANIZATION"], None: []}[LABELS.get(label)]
    assert [s.entity for s in Analyzer(nlp=lambda _: document((0, 5, label))).spans(TEXT[:8])] == wanted


def test_spans_of_a_pipeline_are_settled_like_others() -> None:
    """The longest of those that overlap; none over what a rule finds; none that is empty, or unlikelier than asked
    for."""
    entities = ((0, 5, "ORG"), (0, 14, "PERSON"), (9, 14, "GPE"), (24, 32, "PERSON"), (46, 46, "PERSON"))
    assert [(s.start, s.end, s.entity) for s in Analyzer(nlp=lambda _: document(*entities)).spans(TEXT)] == [
        (0, 14, "PERSON"),
        (24, 44, "EMAIL_ADDRESS"),
    ]
    assert [s.entity for s in Analyzer(nlp=lambda _: document(*entities), min_score=0.86).spans(TEXT)] == [
        "EMAIL_ADDRESS"
    ]


def test_a_pipeline_is_not_asked_for_what_is_not_wanted() -> None:
    def refuse(text: str) -> Any:
        raise AssertionError("asked")

    assert Analyzer(nlp=refuse, names=False).spans("Xyzzy") == []
    rules = rule_sets.shipped().rules.restrict(["EMAIL_ADDRESS"])
    assert Analyzer(nlp=refuse, rules=rules).spans("Xyzzy") == []
    persons = Analyzer(nlp=ruled(), rules=rule_sets.shipped().rules.restrict(["PERSON"]))
    assert found(persons) == [("Xyzzy", "PERSON", "text-person")]


def test_an_analyzer_with_a_pipeline_can_be_pickled() -> None:
    by = Analyzer(nlp=ruled())
    assert pickle.loads(pickle.dumps(by)).spans(TEXT) == by.spans(TEXT)
    assert "Xyzzy" not in repr(by)


NOTES = [f"{i} days ago Xyzzy complained about the broken lamp again" for i in range(40)]


def test_a_scan_reads_texts_with_the_pipeline_that_is_named(tmp_path: Path) -> None:
    ruled().to_disk(tmp_path / "nlp")
    report = piiscan.scan(pl.DataFrame({"notes": NOTES}), spacy=tmp_path / "nlp")
    assert [(i.entity, i.rule, i.cells) for i in report["notes"].inside] == [("PERSON", "text-person", 40)]


def test_text_columns_of_a_table_go_through_the_pipeline_together_and_keep_what_is_theirs(tmp_path: Path) -> None:
    ruled().to_disk(tmp_path / "nlp")
    other = [f"{i} days ago nobody complained about the broken lamp again" for i in range(40)]
    frame = pl.DataFrame({"notes": NOTES, "remarks": other, "comments": [*NOTES[:10], *other[10:]]})
    report = piiscan.scan(frame, spacy=tmp_path / "nlp")
    cells = {c.name: [i.cells for i in c.inside if i.entity == "PERSON"] for c in report.columns}
    assert cells == {"notes": [40], "remarks": [], "comments": [10]}


@pytest.mark.parametrize(("language", "is_read"), [("hi", True), ("xx", True), ("en", False)])
def test_texts_in_review_for_their_script_are_not_once_a_pipeline_reads_it(
    tmp_path: Path, language: str, is_read: bool
) -> None:
    spacy.blank(language).to_disk(tmp_path / "nlp")
    notes = [f"कल वह अस्पताल आए और नया कार्ड माँगा {i}" for i in range(40)]
    report = piiscan.scan(pl.DataFrame({"notes": notes}), spacy=tmp_path / "nlp")
    assert report["notes"].review == (() if is_read else ("names of persons are hardly found in Devanagari script",))


def test_the_configuration_names_the_pipeline(tmp_path: Path) -> None:
    ruled().to_disk(tmp_path / "nlp")
    (tmp_path / "notes.csv").write_text("id,notes\n" + "".join(f"{i},{note}\n" for i, note in enumerate(NOTES)))
    (tmp_path / "piiscan.toml").write_text('spacy = "nlp"\n')
    done = subprocess.run(
        [sys.executable, "-m", "piiscan", "scan", "notes.csv", "-f", "json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    (table,) = (t for t in json.loads(done.stdout)["tables"] if t["source"] == "notes.csv")
    column = table["columns"][1]
    assert [i["entity"] for i in column["inside"]] == ["PERSON"]


def test_a_pipeline_that_is_not_there_ends_the_scan_before_it_begins() -> None:
    with pytest.raises(UsageError, match="there is no spaCy pipeline 'en_nowhere'"):
        piiscan.scan(pl.DataFrame({"notes": NOTES}), spacy="en_nowhere")
