"""Constraints between columns of numbers that a user declares as public facts.

They are orders (`a <= b`) and sums (`a = b + c`), never checked against the data, so they cost nothing. A constraint
says nothing about missing cells. A total isn't measured: it is computed from its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.dp.domains import Domain, Number

if TYPE_CHECKING:
    import numpy.typing as npt

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Scope

Units = TypeVar("Units", int, "npt.NDArray[np.int64]")
Grid = tuple[int, list[tuple[int, int]]]
"""The digits after the decimal point, and for each bin its first number and the one after its last, in units of the
last digit."""
EXACT: Final = 1 << 53
"""Integers below this are exact as floating-point numbers."""
_TOKEN: Final = re.compile(r'\s*(?:"(?P<quoted>[^"]+)"|(?P<sign><=|>=|[<>=+])|(?P<bare>[^<>=+"]+))')
_FLIPPED: Final = {">": "<", ">=": "<="}


class Order(NamedTuple):
    """A number of `low` is at most that of `high` in its row, or below it (`strict`)."""

    low: str
    high: str
    strict: bool

    @property
    def columns(self) -> tuple[str, ...]:
        return self.low, self.high

    def __str__(self) -> str:
        return f"{_quoted(self.low)} {'<' if self.strict else '<='} {_quoted(self.high)}"


class Sum(NamedTuple):
    """A number of `total` is the sum of those of `parts`; it is missing if one of them is."""

    total: str
    parts: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.total, *self.parts

    def __str__(self) -> str:
        return f"{_quoted(self.total)} = {' + '.join(map(_quoted, self.parts))}"


@dataclass(frozen=True)
class Constraints:
    """Constraints that don't contradict each other: no column is below itself, and no total is a part or in order."""

    orders: tuple[Order, ...] = ()
    sums: tuple[Sum, ...] = ()

    @property
    def totals(self) -> frozenset[str]:
        return frozenset(own.total for own in self.sums)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(str, (*self.orders, *self.sums)))


def parsed(text: str) -> Order | Sum:
    """Read a constraint. Raises `UsageError`."""
    words: list[tuple[str, str]] = []
    at, stripped = 0, text.strip()
    while at < len(stripped) and (found := _TOKEN.match(stripped, at)):
        words.append((str(found.lastgroup), found[str(found.lastgroup)].strip()))
        at = found.end()
    signs = [word for _, word in words[1::2]]
    names = [word for kind, word in words[::2] if kind != "sign" and word]
    if at == len(stripped) and len(words) % 2 and len(names) > len(signs) > 0:
        if len(signs) == 1 and signs[0] in ("<", "<=", ">", ">="):
            low, high = names if signs[0] in ("<", "<=") else reversed(names)
            return Order(low, high, signs[0] in ("<", ">"))
        if signs.count("=") == 1 and signs.count("+") == len(signs) - 1:
            if signs[0] == "=":
                return Sum(names[0], tuple(names[1:]))
            if signs[-1] == "=":
                return Sum(names[-1], tuple(names[:-1]))
    raise UsageError(
        f"constraint {text!r}: compare two columns, such as 'discharged >= admitted', or declare a sum, such as "
        "'total = food + rooms'; put names with < > = + into double quotes"
    )


def declared(texts: Sequence[str], domains: Mapping[str, Domain], asked: Iterable[str]) -> Constraints:
    """Return the constraints of which all columns are asked for.

    domains: all declared columns. Raises `UsageError` for a column that isn't declared as numbers, and for
    contradictions.
    """
    known = [parsed(text) for text in dict.fromkeys(texts)]
    for own in known:
        _check_columns(own, domains)
    there = set(asked)
    kept = [own for own in dict.fromkeys(known) if there.issuperset(own.columns)]
    made = Constraints(
        tuple(sorted(own for own in kept if isinstance(own, Order))),
        tuple(sorted(own for own in kept if isinstance(own, Sum))),
    )
    _check_totals(made)
    in_order(made.orders)
    return made


def orders_of(texts: Iterable[str]) -> list[Order]:
    """Return the orders that a release was fitted under."""
    return [own for own in map(parsed, texts) if isinstance(own, Order)]


def drawn_columns(columns: int, orders: Sequence[Order], sums: Sequence[Sum]) -> int:
    """Return as how many columns drawing takes memory: those in order are rearranged, and totals come on top."""
    return columns + len({name for own in orders for name in own.columns}) + len(sums)


def in_order(orders: Sequence[Order]) -> list[str]:
    """Return the columns of orders, each after those that are at most it. Raises `UsageError` for a circle."""
    before: dict[str, set[str]] = {}
    for own in orders:
        before.setdefault(own.low, set())
        before.setdefault(own.high, set()).add(own.low)
    try:
        return list(TopologicalSorter({name: sorted(before[name]) for name in sorted(before)}).static_order())
    except CycleError as error:
        names = sorted(set(error.args[1]))
        raise UsageError(
            f"constraints put {', '.join(names)} in a circle; leave one out (columns that are equal: "
            f"'{names[0]} = {names[-1]}')"
        ) from None


def above(units: Units, digits: int, to: int, strict: bool) -> Units:
    """Return the least number with `to` digits that is at least (or above) one with `digits`, both in their units."""
    if to >= digits:
        return units * int(10 ** (to - digits)) + int(strict)
    return -(-(units + int(strict)) // int(10 ** (digits - to)))


def below(units: Units, digits: int, to: int, strict: bool) -> Units:
    """Return the greatest number with `to` digits that is at most (or below) one with `digits`, both in their units."""
    return -above(-units, digits, to, strict)


def highest(orders: Sequence[Order], grids: Mapping[str, Grid]) -> dict[str, int]:
    """Return the highest number of each column in order that leaves room for those above it, in its units.

    Raises `UsageError` if the bounds leave no room, and for numbers that can't be compared exactly.
    """
    columns = in_order(orders)
    _check_digits(columns, grids)
    last = {name: grids[name][1][-1][1] - 1 for name in columns}
    first = {name: grids[name][1][0][0] for name in columns}
    for name in reversed(columns):
        for own in (own for own in orders if own.low == name):
            last[name] = min(last[name], below(last[own.high], grids[own.high][0], grids[name][0], own.strict))
    for name in columns:
        for own in (own for own in orders if own.high == name):
            first[name] = max(first[name], above(first[own.low], grids[own.low][0], grids[name][0], own.strict))
            if first[name] > last[name]:
                raise UsageError(f"constraint {own}: no numbers within the declared bounds satisfy it; declare others")
    return last


def check_total(own: Sum, grids: Mapping[str, Grid], decimals: int | None, total: Domain) -> None:
    """Check that a total has room for the sums of its parts, with the declared decimals if any. Raises `UsageError`."""
    most = max(grids[name][0] for name in own.parts)
    digits = most if decimals is None else decimals
    if digits < most:
        raise UsageError(f"constraint {own}: a part has {most} decimals; declare as many for {own.total}, or none")
    scales = {name: 10 ** (digits - grids[name][0]) for name in own.parts}
    least = sum(scale * grids[name][1][0][0] for name, scale in scales.items())
    greatest = sum(scale * (grids[name][1][-1][1] - 1) for name, scale in scales.items())
    reach = sum(scale * max(abs(grids[name][1][0][0]), abs(grids[name][1][-1][1])) for name, scale in scales.items())
    if reach >= EXACT:
        raise UsageError(f"constraint {own}: sums exceed the precision of floating point; declare fewer decimals")
    low, high = least / 10**digits, greatest / 10**digits
    assert isinstance(total, Number)
    if not total.low <= low <= high <= total.high:
        raise UsageError(
            f"constraint {own}: sums are from {low:.15g} to {high:.15g}, beyond the bounds of the total; declare "
            f"--bounds {own.total}={low:.15g}:{high:.15g}"
        )


def possible(orders: Sequence[Order], columns: Mapping[str, Domain]) -> dict[Scope, npt.NDArray[np.bool_]]:
    """Return for each two columns in order which combinations of their codes can occur, by the declared bins alone."""
    found: dict[Scope, npt.NDArray[np.bool_]] = {}
    names = list(columns)
    for own in orders:
        low, high = columns[own.low], columns[own.high]
        assert isinstance(low, Number) and isinstance(high, Number)
        ends = np.array(high.edges[1:])
        if not own.strict:
            ends[-1] = np.nextafter(ends[-1], np.inf)  # the last bin includes its end
        add_possible(found, (names.index(own.low), names.index(own.high)), np.array(low.edges[:-1]), ends)
    return found


def add_possible(
    found: dict[Scope, npt.NDArray[np.bool_]],
    columns: Scope,
    starts: npt.NDArray[np.float64] | Ints,
    ends: npt.NDArray[np.float64] | Ints,
) -> None:
    """Add which bins (or groups of them) of a lower and a higher column have numbers in order.

    starts: the first number of each bin of the lower column. ends: what these must be below. Missing values, the last
    code, occur with every code.
    """
    table = np.ones((len(starts) + 1, len(ends) + 1), dtype=np.bool_)
    table[:-1, :-1] = starts[:, None] < ends[None, :]
    scope = (min(columns), max(columns))
    table = table if scope == columns else table.T
    found[scope] = found.get(scope, True) & table


def _quoted(name: str) -> str:
    return f'"{name}"' if re.search(r"[<>=+]|^\s|\s$", name) else name


def _check_columns(own: Order | Sum, domains: Mapping[str, Domain]) -> None:
    for name in own.columns:
        if name not in domains:
            raise UsageError(f"constraint {own}: column {name} isn't declared; add --bounds {name}=LOW:HIGH")
        if not isinstance(domains[name], Number):
            raise UsageError(
                f"constraint {own}: column {name} isn't declared as numbers; declare it with --bounds {name}=LOW:HIGH"
            )
    if len(set(own.columns)) < len(own.columns):
        raise UsageError(f"constraint {own}: it may name each column only once")


def _check_totals(made: Constraints) -> None:
    totals = [own.total for own in made.sums]
    named: list[tuple[Order | Sum, tuple[str, ...]]] = [(own, own.columns) for own in made.orders]
    named += [(own, own.parts) for own in made.sums]
    for name in totals:
        if totals.count(name) > 1:
            raise UsageError(f"column {name} is the total of two constraints; keep one")
        for own, names in named:
            if name in names:
                raise UsageError(
                    f"constraint {own}: column {name} is a total itself, computed from its parts; name these instead"
                )


def _check_digits(names: Sequence[str], grids: Mapping[str, Grid]) -> None:
    most = max((grids[name][0] for name in names), default=0)
    for name in names:
        own, bins = grids[name]
        if max(abs(bins[0][0]), abs(bins[-1][1])) * 10 ** (most - own) >= EXACT:
            raise UsageError(f"column {name}: constraints need fewer decimals, to compare numbers exactly")
