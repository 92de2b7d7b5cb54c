"""Random values of the rules' patterns that pass their checks, written the same way down a column."""

from __future__ import annotations

import random
from functools import cache

from piiscan.rules import dialect
from piiscan.rules.checks import valid_many
from piiscan.rules.definitions import Rule
from piiscan.rules.dialect import Chars, Choice, Node, Repeat, Sequence
from piiscan.rules.rule_sets import shipped

TRIES = 40
"""Rounds of candidates, each as many as are missing, ten times over with another last character where a check fails."""
HEXADECIMAL = frozenset("0123456789abcdefABCDEF")


@cache
def rules_of(entity: str, country: str | None = None) -> tuple[Rule, ...]:
    """Rules with a linear pattern for an entity; only of a country, where one is given."""
    return tuple(
        r
        for r in shipped().rules.rules
        if r.entity == entity and r.pattern and r.engine == "linear" and (country is None or r.country == country)
    )


@cache
def rule(name: str) -> Rule:
    return shipped().rules.by_id[name]


@cache
def phrases(*ids: str) -> tuple[str, ...]:
    """The header phrases of some rules."""
    return tuple(p for i in ids for p in rule(i).headers)


@cache
def _node(name: str) -> Node:
    return dialect.parse(rule(name).pattern or "", name)


@cache
def pattern(text: str) -> Node:
    """The parse of a pattern that no rule has."""
    return dialect.parse(text, text)


class Drawer:
    """Draws strings of one pattern; what is a matter of layout (a separator, one of several forms) is decided once."""

    def __init__(self, rng: random.Random, node: Node) -> None:
        self.rng = rng
        self._node = node
        self._layout: dict[int, int | str] = {}
        self._sorted: dict[int, str] = {}

    def draw(self) -> str:
        return self._draw(self._node, True)

    def _one_case(self, chars: str) -> str:
        """Hexadecimal digits are written in one case down a column."""
        if not {"a", "A"} <= set(chars) <= HEXADECIMAL:
            return chars
        upper = bool(self._layout.setdefault(0, self.rng.randrange(3) == 0))
        return "".join(c for c in chars if c.isdigit() or c.isupper() == upper)

    def _draw(self, node: Node, top: bool = False) -> str:
        match node:
            case Chars(codes):
                chars = self._sorted.get(id(node))
                if chars is None:
                    chars = self._sorted[id(node)] = self._one_case("".join(map(chr, sorted(codes))))
                if len(chars) == 1:
                    return chars
                if not any(c.isalnum() for c in chars):
                    return str(self._layout.setdefault(id(node), self.rng.choice(chars)))
                return self.rng.choice(chars)
            case Sequence(items):
                return "".join([self._draw(item) for item in items])
            case Choice(branches):
                if top:
                    return self._draw(
                        branches[int(self._layout.setdefault(id(node), self.rng.randrange(len(branches))))]
                    )
                return self._draw(self.rng.choice(branches))
            case Repeat(item, low, high):
                if low == high:
                    times = low
                elif low == 0 and high == 1:
                    times = int(self._layout.setdefault(id(node), self.rng.randint(0, 1)))
                else:
                    times = self.rng.randint(low, min(high, low + 6))
                return "".join([self._draw(item) for _ in range(times)])


def samples(rng: random.Random, name: str, count: int) -> list[str]:
    """`count` values of the rule called `name`: pattern and check. Raises ValueError where the check lets none
    through."""
    found = rule(name)
    drawer = Drawer(rng, _node(name))
    if found.check is None:
        return [drawer.draw() for _ in range(count)]
    out: list[str] = []
    for _ in range(TRIES):
        drawn = [drawer.draw() for _ in range(max(count - len(out), 8))]
        tails = (
            "0123456789X" if drawn[0][-1].isdigit() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if drawn[0][-1].isalpha() else ""
        )
        tries = [d[:-1] + t for d in drawn for t in tails] or drawn
        ok = valid_many(found.check, tries)
        width = max(len(tails), 1)
        for i in range(len(drawn)):
            passing = [tries[j] for j in range(i * width, (i + 1) * width) if ok[j]]
            passing = [p for p in passing if found._matches(p)]
            if passing:
                out.append(rng.choice(passing))
        if len(out) >= count:
            return out[:count]
    if not out:
        raise ValueError(f"no value of rule {name} passes its check")
    return [rng.choice(out) for _ in range(count)]


def ibans(rng: random.Random, country: str, count: int) -> list[str]:
    """Accounts of a country with right check digits (ISO 7064, mod 97-10); of any other where it has none."""
    lengths = {
        "NO": 11,
        "BE": 12,
        "DK": 14,
        "FI": 14,
        "NL": (4, 10),
        "AT": 16,
        "EE": 16,
        "CH": 17,
        "HR": 17,
        "LV": (4, 13),
        "DE": 18,
        "GB": (4, 14),
        "IE": (4, 14),
        "SE": 20,
        "ES": 20,
        "CZ": 20,
        "SK": 20,
        "RO": (4, 16),
        "SA": 20,
        "TR": 22,
        "PT": 21,
        "FR": 23,
        "IT": 23,
        "GR": 23,
        "PL": 24,
        "HU": 24,
        "BR": 23,
        "IL": 19,
        "UA": 25,
        "BG": (4, 14),
        "SI": 15,
    }
    country = country if country in lengths else rng.choice(sorted(lengths))
    form = lengths[country]
    spaced = rng.random() < 0.25
    out = []
    for _ in range(count):
        letters, digits = form if isinstance(form, tuple) else (0, form)
        account = "".join(rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(letters)) + "".join(
            rng.choice("0123456789") for _ in range(digits)
        )
        if country == "IT":
            account = rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") + account[1:]
        if country == "BR":
            account += "P1"
        number = "".join(str(int(c, 36)) for c in account + country + "00")
        text = f"{country}{98 - int(number) % 97:02}{account}"
        out.append(" ".join(text[i : i + 4] for i in range(0, len(text), 4)) if spaced else text)
    return out


def luhn(digits: str) -> str:
    """The digits with their check digit (ISO/IEC 7812-1).

    >>> luhn("7992739871")
    '79927398713'
    """
    total = sum(sum(divmod(int(d) * (2 - i % 2), 10)) for i, d in enumerate(reversed(digits)))
    return f"{digits}{-total % 10}"
