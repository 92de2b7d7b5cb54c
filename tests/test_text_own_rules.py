"""Rules of users in texts, those with look-around among them: found where they say, and never left out in silence."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from test_user_rules import MEMBER, SLOW, TIMED, folder_of

from piiscan.core.errors import ReadError
from piiscan.detection.text import presidio, timed_text_rules
from piiscan.rules import rule_sets
from piiscan.text import Analyzer

LICENCE = r"""
[[rule]]
id = "licence"
entity = "DRIVER_LICENSE"
title = "A licence, whose second part isn't its first"
search = "cell"
engine = "regex"
gate = '[A-Z]{2}\d{3}-[A-Z]{2}'
pattern = '(?P<town>[A-Z]{2})\d{3}-(?!(?P=town))[A-Z]{2}'
headers = ["fleet licence"]
match = ["AB123-CD"]
no_match = ["AB123-AB"]
"""


def found(text: str, folder: Path) -> list[tuple[str, str]]:
    analyzer = Analyzer(rules=rule_sets.load([folder]), names=False)
    return [(text[s.start : s.end], s.rule) for s in analyzer.spans(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("K123/4K", ["K123/4K"]),
        ("in L555/66, too", ["L555/66"]),
        (" two: K123/45 and\nL999/12 ", ["K123/45", "L999/12"]),
        ("a spare K123/4K is none", []),
        ("7K123/45 is another thing", []),
        ("word " * 5000 + "K123/45 at the end", ["K123/45"]),
    ],
)
def test_look_around_is_found(tmp_path: Path, text: str, values: list[str]) -> None:
    assert found(text, folder_of(tmp_path, TIMED)) == [(v, "locker") for v in values]


@pytest.mark.parametrize(
    ("search", "text", "values"),
    [
        ("context", "in K123/45", []),
        ("context", "the locker K123/45", ["K123/45"]),
        ("cell", "in K123/45", []),
        ("cell", "my locker: K123/45", ["K123/45"]),
    ],
)
def test_look_around_is_found_where_the_rule_says(tmp_path: Path, search: str, text: str, values: list[str]) -> None:
    own = folder_of(
        tmp_path, TIMED.replace('"anywhere"', f'"{search}"\nheaders = ["locker"]').replace("PERSON_ID", "NATIONAL_ID")
    )
    assert found(text, own) == [(v, "locker") for v in values]


def test_announced_values_of_rules_with_look_around(tmp_path: Path) -> None:
    own = folder_of(tmp_path, LICENCE)
    assert found("Fleet licence: AB123-CD. Fleet licence: AB123-AB. My AB123-CD", own) == [("AB123-CD", "licence")]


def test_spans_of_own_rules_overlap_no_others(tmp_path: Path) -> None:
    own = folder_of(tmp_path, TIMED, MEMBER)
    text = "K123/45 AM-123456-X jane.doe@example.com"
    assert [rule for _, rule in found(text, own)] == ["locker", "acme-member", "email"]


def test_past_its_budget_a_rule_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_text_rules, "SECONDS", 0.001)
    own = rule_sets.load([folder_of(tmp_path, SLOW)])
    text = "secret " + "a" * 90 + "!"
    for run in (Analyzer(rules=own).spans, lambda t: presidio.engine(rules=own).analyze(t, "en")):
        with pytest.raises(ReadError, match=r"^rule slow ran out of its time budget in a text") as raised:
            run(text)
        assert "secret" not in str(raised.value)
        assert raised.value.__cause__ is None
    assert Analyzer(rules=own.restrict(["EMAIL_ADDRESS"])).spans(text) == []


def test_an_analyzer_with_own_rules_can_be_pickled(tmp_path: Path) -> None:
    analyzer = Analyzer(rules=rule_sets.load([folder_of(tmp_path, TIMED)]))
    again = pickle.loads(pickle.dumps(analyzer))
    assert again.spans("K123/45") == analyzer.spans("K123/45") != []
