"""Entities inside cells of columns whose own entity is another one or none."""

from __future__ import annotations

from collections import Counter

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.core.types import Inside
from piiscan.detection.matching.internet_addresses import any_routable, versions
from piiscan.detection.summary.column_summary import TOGETHER, ColumnSummary
from piiscan.detection.summary.hit_counts import FIRST_ROWS, Hits, RuleHits
from piiscan.detection.summary.sample import CELL_BYTES
from piiscan.rules.definitions import Rule
from piiscan.scanning.classify import hit_evidence
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.word_lists import OF_THINGS, names_keys_of_things

DIGITS = frozenset(
    "IP_ADDRESS CREDIT_CARD NATIONAL_ID US_SSN PHONE_NUMBER BANK_ACCOUNT DEVICE_ID DRIVER_LICENSE PASSPORT "
    "VEHICLE_ID ORGANIZATION_ID CVV".split()
)

HEX_LETTERS = frozenset("abcdefABCDEF")
IN_CODE = frozenset("EMAIL_ADDRESS US_SSN SECRET PASSWORD".split())
"""What source code is looked at for, beside what has a check of its own."""


def of_things(header: str | None, rule: Rule) -> bool:
    """Whether a header says that the numbers, versions or codes below it aren't identifiers.

    Of a rule of digits, that is; where a check passes, only a header of keys outweighs it.
    """
    words = tokens(header or "")
    if rule.entity not in DIGITS:
        return False
    return not OF_THINGS.isdisjoint(words) or (rule.check is None and names_keys_of_things(words))


def _looks_usual(column: ColumnSummary, rule: Rule) -> bool:
    """Whether a hundredth of a column's values are as long as a rule's matches and of the same characters.

    The letters of hexadecimal numbers count as any digit.
    """
    from piiscan.rules import dialect

    if rule.engine == "regex" or rule.pattern is None:
        return False
    node = dialect.parse(rule.pattern, rule.id)
    shortest, longest = dialect.length(node)
    allowed = {
        chr(code) for code in dialect.alphabet(dialect.expand_case(node) if rule.ignore_case else node)
    } | HEX_LETTERS
    alike = sum(shortest <= len(text) <= longest and allowed.issuperset(text) for text in column.sample.texts)
    return alike >= max(2, 0.01 * len(column.sample.texts))


def inside(column: ColumnSummary, entity: str | None, header: str | None, lexicon: Lexicon) -> tuple[Inside, ...]:
    """What the cells of a column contain beside its own entity, in the order of the rules' ids.

    Counted: strong rules (`anywhere`) in the middle of text and as whole cells, moderate ones (`context`) in text that
    speaks of them. Left out: entities of class none, and passes of a check that chance explains.
    """
    found: dict[str, list[Inside]] = {}
    many = _of_many_countries(column, lexicon)
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
        if rule.entity == "IP_ADDRESS" and _of_nobody(column):
            continue
        total = _counted(column, header, rule, column.hits[rule_id])
        if total.cells:
            line = _line(rule, None if rule.entity in many and rule.check is None else rule.subtype, total)
            group = rule.entity if rule.entity in TOGETHER and rule.check is None else rule.id
            found.setdefault(group, []).append(line)
    return tuple(
        sorted((_one_line(lines, column, header, lexicon) for lines in found.values()), key=lambda line: line.rule)
    )


def _of_many_countries(column: ColumnSummary, lexicon: Lexicon) -> frozenset[str]:
    """The entities of which rules of several countries may have found the same digits, so that none is named."""
    rules = [lexicon.by_id[i] for i, hits in column.hits.items() if i in lexicon.by_id and hits.within.candidates]
    of = Counter(rule.entity for rule in rules if rule.entity in TOGETHER and rule.check is None)
    return frozenset(entity for entity, count in of.items() if count > 1)


def in_code(found: tuple[Inside, ...], lexicon: Lexicon) -> tuple[Inside, ...]:
    """The entities in literals and comments of source code that count there."""
    return tuple(i for i in found if i.entity in IN_CODE or lexicon.by_id[i.rule].check is not None)


def _of_nobody(column: ColumnSummary) -> bool:
    """Whether no address in a column identifies a person.

    The values are version numbers, or the sample holds every cell whole, and none of its addresses is routed on the
    internet.
    """
    texts = column.sample.texts
    if versions(texts):
        return True
    is_whole = not column.sample.full and all(len(text) * 4 <= CELL_BYTES for text in texts)
    return is_whole and not any_routable(texts)


def _counted(column: ColumnSummary, header: str | None, rule: Rule, hits: RuleHits) -> Hits:
    """The cells of a rule's hits that count."""
    # Whole cells of a column of times or versions are what its header says, if others look like them; in the middle
    # of text nothing is known of them.
    whole = Hits() if hits.whole.cells and of_things(header, rule) and _looks_usual(column, rule) else hits.whole
    parts = [hits.within] if rule.search == "context" else [hits.within, whole]
    # Whole cells and places in text have different candidates: each is held to chance by itself.
    return sum((part for part in parts if hit_evidence.beyond_chance(rule, part)), Hits())


def _one_line(lines: list[Inside], column: ColumnSummary, header: str | None, lexicon: Lexicon) -> Inside:
    """Merge rules that match the same digits for several countries into one entry.

    It counts the cells in which any of them occurs, and names the rule with most cells.
    """
    likeliest = max(lines, key=lambda line: line.cells)
    if len(lines) == 1:
        return likeliest
    known = column.together[likeliest.entity]
    strong = [rule for line in lines if (rule := lexicon.by_id[line.rule]).search == "anywhere"]
    seen = [_counted(column, header, rule, known) for rule in strong] or [known.within]
    total = min(seen, key=lambda hits: hits.cells)
    return _line(lexicon.by_id[likeliest.rule], None, total)


def _line(rule: Rule, subtype: str | None, total: Hits) -> Inside:
    reserved, quiet = not total.unreserved, not total.others
    rows = total.first_rows if quiet else total.other_rows or total.first_rows
    return Inside(rule.entity, subtype, rule.id, total.cells, rows[:FIRST_ROWS], reserved=reserved, quiet=quiet)
