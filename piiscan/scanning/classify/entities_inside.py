"""Entities inside cells of columns whose own entity is another one or none."""

from __future__ import annotations

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.core.types import Inside
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.hit_counts import FIRST_ROWS, Hits
from piiscan.rules.definitions import Rule
from piiscan.scanning.classify import hit_evidence
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.word_lists import OF_THINGS

DIGITS = frozenset(
    "IP_ADDRESS CREDIT_CARD NATIONAL_ID US_SSN PHONE_NUMBER BANK_ACCOUNT DEVICE_ID DRIVER_LICENSE PASSPORT "
    "VEHICLE_ID ORGANIZATION_ID CVV".split()
)

HEX_LETTERS = frozenset("abcdefABCDEF")


def of_things(header: str | None, rule: Rule) -> bool:
    """Whether a header says that numbers, versions or codes below it are no such identifiers as a rule of digits
    finds."""
    return rule.entity in DIGITS and not OF_THINGS.isdisjoint(tokens(header or ""))


def _looks_usual(column: ColumnSummary, rule: Rule) -> bool:
    """Whether a hundredth of a column's values are as long as a rule's matches and made of the same characters (the
    letters of hexadecimal numbers stand for any digit)."""
    from piiscan.rules import dialect

    if rule.engine == "regex" or rule.pattern is None:
        return False
    node = dialect.parse(rule.pattern, rule.id)
    shortest, longest = dialect.length(node)
    allowed = {
        chr(code) for code in dialect.alphabet(dialect.expand_case(node) if rule.ignore_case else node)
    } | HEX_LETTERS
    alike = sum(shortest <= len(text) <= longest and allowed.issuperset(text) for text, _ in column.sample.items)
    return alike >= max(2, 0.01 * len(column.sample.items))


def inside(column: ColumnSummary, entity: str | None, header: str | None, lexicon: Lexicon) -> tuple[Inside, ...]:
    """What stands in cells of a column beside its own entity, in the order of the rules' ids.

    Counted: strong rules (`anywhere`) in the middle of text and as whole cells, moderate ones (`context`) in text that
    speaks of them. Left out: entities of class none, and passes of a check that chance explains.
    """
    found = []
    for rule_id in sorted(column.hits):
        rule = lexicon.by_id.get(rule_id)
        if (
            rule is None
            or rule.pattern is None
            or rule.entity == entity
            or rule.search == "cell"
            or PII_CLASS[rule.entity] == "none"
        ):
            continue
        counted = column.hits[rule_id]
        # Whole cells of a column of times or versions are what its header says, if others look like them; in the middle
        # of text nothing is known of them.
        whole = (
            Hits() if counted.whole.cells and of_things(header, rule) and _looks_usual(column, rule) else counted.whole
        )
        parts = [counted.within] if rule.search == "context" else [counted.within, whole]
        # Whole cells and places in text have different candidates: each is held to chance by itself.
        kept = [part for part in parts if hit_evidence.beyond_chance(rule, part)]
        total = sum(kept, Hits())
        if total.cells:
            found.append(Inside(rule.entity, rule.subtype, rule.id, total.cells, total.first_rows[:FIRST_ROWS]))
    return tuple(found)
