"""How often chance passes a check: the share of random strings of a rule's pattern that do."""

from __future__ import annotations

import random
from typing import Final

from piiscan.rules import dialect
from piiscan.rules.definitions import Rule

DRAWN: Final = 3000
CLOSE, FACTOR = 0.01, 1.5
"""A declared chance is right that is so close to the measured one, or within this factor of it."""


def draw(node: dialect.Node, rng: random.Random) -> str:
    """A random string of a pattern: every branch, every character and every length as likely as the next."""
    match node:
        case dialect.Chars(codes):
            return chr(rng.choice(sorted(codes)))
        case dialect.Sequence(items):
            return "".join([draw(item, rng) for item in items])
        case dialect.Choice(branches):
            return draw(rng.choice(branches), rng)
        case dialect.Repeat(item, low, high):
            return "".join([draw(item, rng) for _ in range(rng.randint(low, min(high, low + 3)))])


def measured(rule: Rule) -> float:
    """The share of random strings of a linear pattern that pass the rule's check; the same at every call."""
    from piiscan.rules.checks import valid_many

    node, rng = dialect.parse(rule.pattern or "", rule.id), random.Random(rule.id)
    return float(valid_many(rule.check or "", [draw(node, rng) for _ in range(DRAWN)]).mean())


def verify(rule: Rule) -> list[str]:
    """Return what is wrong with the chance that a rule declares, in words; empty if it is right.

    It is also empty if nothing can be drawn: without a check, or from a pattern outside the linear dialect.
    """
    if rule.check is None or rule.pattern is None or rule.engine != "linear":
        return []
    share = measured(rule)
    if abs(share - rule.chance) <= CLOSE or rule.chance / FACTOR <= share <= rule.chance * FACTOR:
        return []
    return [f"'chance' is {rule.chance}, but {share:.4f} of random strings of the pattern pass the check"]
