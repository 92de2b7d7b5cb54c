"""What rules take of one another's examples is known, and looked at when it changes."""

from __future__ import annotations

import difflib
import re

import golden_collisions

from piiscan.rules.rule_sets import shipped

LINE = re.compile(
    r"(?P<rule>[a-z0-9-]+) +(?P<other>[a-z0-9-]+) +(?P<taken>\d+)/(?P<of>\d+)  (?P<counts>rule|other|both|-)"
)


def lines() -> list[re.Match[str]]:
    text = golden_collisions.FILE.read_text(encoding="utf-8")
    found = [LINE.fullmatch(line) for line in text.splitlines() if not line.startswith("#")]
    assert all(found), "counts and ids, nothing else"
    return [line for line in found if line]


def test_the_table_is_as_it_was() -> None:
    want, got = golden_collisions.FILE.read_text(encoding="utf-8").splitlines(), golden_collisions.table().splitlines()
    changed = [line for line in difflib.unified_diff(want, got, n=0, lineterm="") if not line.startswith("@@")]
    assert changed == [], "`make format` writes it anew"


def test_the_table_is_sorted_and_says_everything_once() -> None:
    pairs = [(line["rule"], line["other"]) for line in lines()]
    assert pairs == sorted(set(pairs))
    assert all(0 < int(line["taken"]) <= int(line["of"]) for line in lines())


def test_no_rule_is_hidden_by_others() -> None:
    """A rule that needs no header is counted on most of its examples, whatever else claims cells."""
    rules = shipped().rules.by_id
    lost = {line["rule"]: int(line["taken"]) / int(line["of"]) for line in lines() if line["counts"] == "other"}
    assert {rule: share for rule, share in lost.items() if rules[rule].search != "cell" and share > 0.2} == {}


def test_rules_searched_anywhere_share_no_cell() -> None:
    """One of two claims what both match."""
    rules = shipped().rules.by_id
    both = [(line["rule"], line["other"]) for line in lines() if line["counts"] == "both"]
    assert [
        pair for pair in both if all(rules[rule].search == "anywhere" and rules[rule].entity != "URL" for rule in pair)
    ] == []
