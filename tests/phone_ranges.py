"""Writes `numbering_plans.toml` of `piiscan.masking.surrogates`: of every calling code, numbers that no plan gives to
anybody; and `country_names.txt` beside it.

`phonenumbers` (Google's libphonenumber, which follows the regulators' plans and those of the ITU) has for each country
the patterns of all numbers that it gives. They become an automaton; beginnings from which no number of a length can be
reached any more are in no use. Run `python tests/phone_ranges.py` when `phonenumbers` has changed.
"""

from __future__ import annotations

import random
import re._parser as parser  # the patterns are those of `re`
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import phonenumbers as pn
from phonenumbers.geodata.locale import LOCALE_DATA

PACKAGE = Path(__file__).parents[1] / "piiscan"
OUT = PACKAGE / "masking/surrogates/numbering_plans.toml"
NAMES = PACKAGE / "masking/surrogates/country_names.txt"
OWN = PACKAGE / "anonymity/hierarchies/builders/countries.txt"
TYPES = (
    "fixed_line mobile toll_free premium_rate shared_cost personal_number voip pager uan voicemail"
).split()  # fmt: skip
DEEPEST = 5
"""Digits of a beginning at most."""
ENOUGH = 50_000_000
"""Numbers of one length, from which on no more beginnings are sought."""
MOST = 10
"""Beginnings of one length."""
LEAST = 100
TRIED = 40
"""Numbers of each beginning that libphonenumber is asked about."""
DIGITS = "0123456789"


class Automaton:
    """Of patterns of digits, without memory: which numbers may still follow a beginning."""

    def __init__(self, patterns: list[str]) -> None:
        self.edges: list[list[tuple[str, int]]] = []
        self.empty: list[list[int]] = []
        self.start, self.end = self._state(), self._state()
        for pattern in patterns:
            self.empty[self.start].append(first := self._state())
            self.empty[self._built(parser.parse(pattern), first)].append(self.end)

    def _state(self) -> int:
        self.edges.append([])
        self.empty.append([])
        return len(self.edges) - 1

    def _built(self, parsed: Any, at: int) -> int:
        for op, value in parsed:
            name = str(op)
            if name == "LITERAL":
                at = self._step(at, chr(value))
            elif name == "IN":
                at = self._step(at, "".join(_signs(value)))
            elif name == "SUBPATTERN":
                at = self._built(value[3], at)
            elif name == "BRANCH":
                out = self._state()
                for branch in value[1]:
                    self.empty[at].append(first := self._state())
                    self.empty[self._built(branch, first)].append(out)
                at = out
            elif name == "MAX_REPEAT":
                low, high, each = value
                for _ in range(low):
                    at = self._built(each, at)
                out = self._state()
                self.empty[at].append(out)
                for _ in range(low, min(int(high), 17)):
                    at = self._built(each, at)
                    self.empty[at].append(out)
                at = out
            else:
                raise NotImplementedError(name)
        return at

    def _step(self, at: int, signs: str) -> int:
        self.edges[at].append((signs, new := self._state()))
        return new

    def closed(self, states: frozenset[int]) -> frozenset[int]:
        found, todo = set(states), list(states)
        while todo:
            new = [s for s in self.empty[todo.pop()] if s not in found]
            found.update(new)
            todo += new
        return frozenset(found)

    @cache  # noqa: B019
    def after(self, states: frozenset[int], digit: str) -> frozenset[int]:
        return self.closed(frozenset(to for s in states for signs, to in self.edges[s] if digit in signs))

    @cache  # noqa: B019
    def reaches(self, states: frozenset[int], more: int) -> bool:
        """Whether a number may end after so many more digits."""
        if not more or not states:
            return self.end in states
        return any(self.reaches(self.after(states, d), more - 1) for d in DIGITS)

    def leads(self, beginning: str, length: int) -> bool:
        states = self.closed(frozenset({self.start}))
        for digit in beginning:
            states = self.after(states, digit)
        return self.reaches(states, length - len(beginning))


def _signs(parts: Any) -> Iterator[str]:
    for op, value in parts:
        if str(op) == "LITERAL":
            yield chr(value)
        elif str(op) == "RANGE":
            yield from map(chr, range(value[0], value[1] + 1))
        else:  # \d
            assert str(value) == "CATEGORY_DIGIT", value
            yield DIGITS


def automata(plans: list[pn.PhoneMetadata]) -> dict[int, Automaton]:
    """For each length, of the numbers that some of the countries gives."""
    patterns: dict[int, list[str]] = {}
    for plan in plans:
        lengths = [n for n in plan.general_desc.possible_length if n > 0]
        for n in lengths:
            patterns.setdefault(n, [])
        for kind in TYPES:
            desc = getattr(plan, kind)
            if desc is None or not desc.national_number_pattern:
                continue
            for n in lengths:
                if not desc.possible_length or desc.possible_length == (-1,) or n in desc.possible_length:
                    patterns[n].append(desc.national_number_pattern)
    made: dict[tuple[str, ...], Automaton] = {}
    out = {}
    for n, each in sorted(patterns.items()):
        key = tuple(sorted(set(each)))
        out[n] = made.setdefault(key, Automaton(list(key)))
    return out


def free(automaton: Automaton, length: int, trunk: str) -> list[str]:
    """Beginnings of numbers of that length that nobody has, the shortest first."""
    found: list[str] = []
    for depth in range(1, min(DEEPEST, length - 2) + 1):
        for digits in product(DIGITS, repeat=depth):
            text = "".join(digits)
            if text[0] == "0" or (trunk and text[0] == trunk[0]) or any(map(text.startswith, found)):
                continue
            if not automaton.leads(text, length):
                found.append(text)
        if sum(10 ** (length - len(f)) for f in found) >= min(ENOUGH, 10 ** (length - 1) // 2):
            break
    return found


def is_given(code: int, region: str, trunk: str, national: str) -> bool:
    """Whether libphonenumber takes a number for one, written internationally or as in its country."""
    for text, where in ((f"+{code}{national}", None), (f"{trunk}{national}", region), (national, region)):
        try:
            if pn.is_valid_number(pn.parse(text, where)):
                return True
        except pn.NumberParseException:
            pass
    return False


def entry(code: int) -> tuple[list[str], str, dict[int, list[str]]]:
    regions = list(pn.COUNTRY_CODE_TO_REGION_CODE[code])
    geographic = regions != ["001"]
    plans = [
        pn.PhoneMetadata.metadata_for_region(r) if geographic else pn.PhoneMetadata.metadata_for_nongeo_region(code)
        for r in regions
    ]
    trunk = trunk_of(code, regions[0], plans[0].national_prefix or "")
    rng = random.Random(code)
    out = {}
    for length, automaton in automata(plans).items():
        kept = []
        for begin in free(automaton, length, trunk):
            tries = [begin + "".join(rng.choices(DIGITS, k=length - len(begin))) for _ in range(TRIED)]
            if not any(is_given(code, r, trunk, t) for t in tries for r in regions):
                kept.append(begin)
        # Those of many numbers first, spread over the first digits.
        kept.sort(key=lambda b: (len(b), b[1:], b[0]))
        kept = sorted(kept[:MOST])
        out[length] = kept if sum(10 ** (length - len(b)) for b in kept) >= LEAST else []
    return regions, trunk, out


def trunk_of(code: int, region: str, prefix: str) -> str:
    """What stands before a national number within its country: the prefix, and what is always written behind it."""
    example = None if region == "001" else pn.example_number(region)
    if example is None:
        return prefix
    written = "".join(filter(str.isdigit, pn.format_number(example, pn.PhoneNumberFormat.NATIONAL)))
    national = pn.national_significant_number(example)
    before = written.removesuffix(national)
    return before if written.endswith(national) and before.startswith(prefix) and len(before) > len(prefix) else prefix


def usual(code: int, region: str) -> int:
    """Digits of a mobile number, or of whatever else the plan has."""
    if region == "001":
        example = pn.example_number_for_non_geo_entity(code)
    else:
        example = pn.example_number_for_type(region, pn.PhoneNumberType.MOBILE) or pn.example_number(region)
    return len(pn.national_significant_number(example))


def text() -> str:
    lines = [
        "# Numbering plans of all calling codes: the countries that share one, the main one first;",
        "# the trunk prefix; how many digits a mobile number has; by the length of numbers, beginnings of those",
        "# that the plan gives to nobody. Empty: it may give all of that length.",
        "# Made by tests/phone_ranges.py from the metadata of libphonenumber",
        f"# (phonenumbers {pn.__version__}, Apache License 2.0).",
    ]
    for code in sorted(pn.COUNTRY_CODE_TO_REGION_CODE):
        regions, trunk, lengths = entry(code)
        lines += [
            "",
            f"[{code}]",
            f"regions = {regions}".replace("'", '"'),
            f'trunk = "{trunk}"',
            f"usual = {usual(code, regions[0])}",
            f"[{code}.unassigned]",
        ]
        lines += [f"{n} = {each}".replace("'", '"') for n, each in lengths.items()]
    return "\n".join(lines) + "\n"


def names() -> str:
    """A line for each country: its codes, and its names in English and in all languages that there are."""
    lines = [
        "# Countries that have a numbering plan: ISO 3166-1 alpha-2 and alpha-3, names in English and other languages,",
        "# those that two share left out. Made by tests/phone_ranges.py from builders/countries.txt and the names of",
        f"# phonenumbers {pn.__version__} (Apache License 2.0).",
    ]
    own = {line[:2]: line.split("; ")[1:] for line in OWN.read_text(encoding="utf-8").splitlines() if line[2:3] == ";"}
    each = {
        region: [*own.get(region, []), *(n for n in LOCALE_DATA.get(region, {}).values() if not n.startswith("*"))]
        for region in sorted(pn.SUPPORTED_REGIONS)
    }
    owners = Counter(name for found in each.values() for name in {n.casefold() for n in found})
    for region, found in each.items():
        once = {n.casefold(): n for n in reversed(found) if n and owners[n.casefold()] == 1 and ";" not in n}
        lines.append("; ".join([region, *reversed(once.values())]))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    NAMES.write_text(names(), encoding="utf-8")
    OUT.write_text(text(), encoding="utf-8")
