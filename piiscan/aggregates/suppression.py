"""Which groups are withheld, so that the published sums don't disclose a group that may not be published.

Moments add up: subtracting published groups from a published total gives the moments of the rest, as exact as if they
had been published. So the rules have to hold not for each published group, but for each set of groups whose sums
follow from what is published.

A total belongs to one or two families; within a family, totals are nested or disjoint (by department, by site, over
all). Withheld groups with the same smallest published total in a family form a block there, and a family determines
exactly the sums over its blocks. Take blocks as nodes, and each withheld group as an edge from its block in the first
family to that in the second: the sum of a set of groups is determined if and only if the set is a directed cut, so
that all of its edges enter one set of nodes that no edge leaves. (A 0/1 vector in the row space of a bipartite graph's
incidence matrix is such a difference of potentials.) By the duality of flows and cuts, the lightest directed cut that
contains a group is also the largest count that the group can have given what is published.

Withholding more never discloses more: a set that fewer sums determine is also determined by more. So groups are
protected one after the other, each once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Final, Literal, NamedTuple

from piiscan.aggregates.disclosure_rules import Demands, Evidence, Rules, evidence
from piiscan.aggregates.flow import Cut, Network, lightest_cut
from piiscan.aggregates.group_sums import ALL, Key, Sums
from piiscan.core.errors import UsageError

Totals = Literal["all", "nested"]
Edge = tuple[Hashable, Hashable]
COMPLEMENTARY: Final = "complementary"
_GROUND: Final = None
"""The block of groups that no published total of a family contains: its sum isn't determined."""
_MANY: Final = 400
"""In networks with more edges, finding cuts with weights below 0 takes too long: what groups lack is subtracted from
the weights of others instead (see `Network.carries`).
"""
_CHEAPEST: Final = 12
"""This many corners with the fewest rows are tried in each line."""


class Families(NamedTuple):
    """The levels of totals, each given by the indices of its columns; every family from fine to coarse."""

    first: tuple[tuple[int, ...], ...]
    second: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, by: int, totals: Totals | None) -> Families:
        """Return the families for a kind of totals. Raises `UsageError`.

        all: by each of one or two columns, and over all. nested: by all columns but the last, all but the last two,
        …, over all.
        """
        if totals is None:
            return cls((), ())
        if totals == "nested" or by == 1:
            return cls(tuple(tuple(range(n)) for n in range(by - 1, -1, -1)), ())
        if by > 2:
            raise UsageError(
                "--totals all works with one or two columns; with more, use --totals nested: by all but the "
                "last, all but the last two, …"
            )
        return cls(((0,), ()), ((1,), ()))

    @property
    def levels(self) -> tuple[tuple[int, ...], ...]:
        return tuple(dict.fromkeys((*self.first, *self.second)))


def total_of(key: Key, level: Sequence[int]) -> Key:
    """Return the total at a level that contains a group."""
    return tuple(value if i in level else ALL for i, value in enumerate(key))


class Suppression(NamedTuple):
    """Which groups are withheld.

    groups: the evidence for each group. totals: the same for each total. withheld: those that aren't published, and
    why: reasons of `Demands`, or `COMPLEMENTARY`.
    """

    groups: Mapping[Key, Evidence]
    totals: Mapping[Key, Evidence]
    withheld: Mapping[Key, tuple[str, ...]]


def suppressed(sums: Sums, columns: Sequence[str], rules: Rules, families: Families) -> Suppression:
    """Withhold what breaks a rule, and then more until every withheld group is protected.

    Guarantee:
        Assumes: an attacker knows only what is published, and the figures of withheld groups that consist of a single
        unit, as that unit does: all such units may combine their knowledge against any other.
        Ensures: each set of groups whose moments follow from published ones keeps to the rules. So, with counts of at
        least 0 that add up as published, the possible counts of a group smaller than `min_group` span a range of at
        least `min_group`.
        Does not protect against: other releases of the same rows, and figures that are known from elsewhere.
        Test: test_aggregate_suppression.py::test_who_adds_and_subtracts_finds_nothing
    """
    totals = {key: seen for level in families.levels for key, seen in _evidence(sums.margin(level), rules).items()}
    groups = _evidence(sums, rules)
    return Suppression(
        groups, totals, _Search(groups, totals, families, Demands.of(rules, columns), sums.units is None).withheld
    )


def _evidence(sums: Sums, rules: Rules) -> dict[Key, Evidence]:
    units = sums.contributions()
    return {key: evidence(exact, *units[key], rules) for key, exact in sums.groups.items()}


class _Search:
    """The search for groups to withhold. disjoint: whether no unit is in several groups."""

    def __init__(
        self,
        groups: Mapping[Key, Evidence],
        totals: Mapping[Key, Evidence],
        families: Families,
        demands: Demands,
        disjoint: bool,
    ) -> None:
        self._groups, self._totals, self._families, self._demands, self._disjoint = (
            groups,
            totals,
            families,
            demands,
            disjoint,
        )
        self.withheld = {
            k: unmet for k, seen in (*groups.items(), *totals.items()) if (unmet := demands.unmet(seen.weights))
        }
        self._order = sorted(groups, key=lambda k: (groups[k].rows, k))
        self._members: dict[Key, list[Key]] = defaultdict(list)
        for key in self._order:
            for level in families.levels:
                self._members[total_of(key, level)].append(key)
        self._network, self._edges = Network(), dict[Key, Edge]()
        self._connect()
        self._large = bool(families.second) and len(self._network) > _MANY
        self._carried: set[tuple[Key, int]] = set()
        for key in [k for k in self._order if k in self.withheld]:
            self._protect(key)

    def _protect(self, key: Key) -> None:
        """Withhold what is needed to protect a group."""
        rules_broken = [i for i, reason in enumerate(self._demands.reasons) if reason in self.withheld[key]]
        while (cut := self._broken(key, rules_broken)) is not None:
            self._withhold(self._group_in_cut(key, cut) or self._cycle(key, rules_broken) or self._fewer_totals(key))

    def _broken(self, key: Key, rules_broken: Sequence[int]) -> Cut | None:
        """Return a cut that may disclose a group, since it is too light for a demand that the group doesn't meet.

        None if there is no such cut.
        """
        edge, own = self._edge(key), [0] * len(self._demands.least)
        if self._is_known(key):  # to itself alone
            own = self._weights(key)
        for i in rules_broken:
            least, weight = self._demands.least[i], self._groups[key].weights[i]
            if i < self._demands.monotone:
                cut = self._network.lighter_cut(edge, i, own[i], least)
            elif not self._large:
                weights = self._network.weights(i, None if self._families.second else edge)
                weights[edge] = weights.get(edge, 0) + own[i]
                cut = lightest_cut(weights, edge)
            elif (key, i) in self._carried or self._network.carries(edge, i, least - weight):
                self._carried.add((key, i))
                continue
            else:
                return Cut(weight, frozenset())
            if cut is not None and cut.weight < least:
                return cut
        return None

    def _group_in_cut(self, key: Key, cut: Cut) -> list[Key]:
        """Return the smallest published group of the same blocks that makes a cut heavier, or none."""
        for block in self._edge(key):
            for other in self._members[block[1]] if isinstance(block, tuple) else ():
                tail, head = self._edge(other)
                if (
                    other not in self.withheld
                    and {tail, head} <= self._network.nodes
                    and tail not in cut.inside
                    and head in cut.inside
                ):
                    return [other]
        return []

    def _cycle(self, key: Key, rules_broken: Sequence[int]) -> list[Key]:
        """Return safe groups (a, y), (x, b) and (x, y) of a table by two columns that close a cycle with (a, b).

        Those that are withheld already are left out, and those with the fewest rows are chosen (the hypercube method;
        Repsilber 1994). Each cut that contains the group contains one of the two safe ones.
        """
        if not self._families.second:
            return []
        a, b = key
        lacking = [
            (i, 2 * self._demands.least[i] - self._groups[key].weights[i])
            for i in rules_broken
            if i >= self._demands.monotone
        ]

        def can(other: Key) -> bool:
            safe = self.withheld.get(other, (COMPLEMENTARY,)) == (COMPLEMENTARY,)
            return safe and all(self._groups[other].weights[i] >= lack for i, lack in lacking)

        in_row = self._cheapest(k for k in self._members[total_of(key, (0,))] if k[1] != b and can(k))
        in_column = self._cheapest(k for k in self._members[total_of(key, (1,))] if k[0] != a and can(k))
        options = []
        for one, other in product(in_row, in_column):
            corner = (other[0], one[1])
            new = [k for k in (one, other, corner) if k not in self.withheld]
            if new and corner in self._groups and (corner in new or not self._is_known(corner)):
                options.append((sum(map(self._cost, new)), new))
        return min(options)[1] if options else []

    def _cheapest(self, keys: Iterable[Key]) -> list[Key]:
        return sorted(keys, key=lambda k: (self._cost(k), k))[:_CHEAPEST]

    def _cost(self, key: Key) -> int:
        return 0 if key in self.withheld else self._groups[key].rows

    def _fewer_totals(self, key: Key) -> list[Key]:
        """Return a total to withhold that determines a group's block, or one within it and a group of that total.

        Both are then part of the block. Those with the fewest rows are chosen.
        """
        options = []
        for family in (self._families.first, self._families.second):
            around = self._total(key, family)
            if around is None:
                continue
            options.append([around])
            for other in self._order:
                total = self._total(other, family)
                if total is not None and total != around and self._total(other, family, total) == around:
                    options.append([total, *([] if other in self.withheld else [other])])
        seen = {**self._groups, **self._totals}
        return min(options, key=lambda keys: (sum(seen[k].rows for k in keys), keys))

    def _withhold(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self.withheld[key] = (COMPLEMENTARY,)
            if key in self._totals:
                self._connect()
            else:
                self._network.add(self._edge(key), self._weights(key))

    def _connect(self) -> None:
        """Build the network of withheld groups. Those of a single unit count as known.

        What was subtracted from its weights stays subtracted.
        """
        before, self._network = self._network, Network()
        moved: dict[Edge, Edge] = {}
        for key in self._order:
            edge = self._edge(key)
            if key in self.withheld and not self._is_known(key):
                self._network.add(edge, self._weights(key))
                moved[self._edges.get(key, edge)] = edge
            self._edges[key] = edge
        self._network.take_over(before, moved)

    def _is_known(self, key: Key) -> bool:
        return self._groups[key].units == 1

    def _weights(self, key: Key) -> list[int]:
        weights = list(self._groups[key].weights)
        if not self._disjoint and weights[0] < self._demands.least[0]:
            weights[0] = 0  # its units may all be in the other groups too
        return weights

    def _edge(self, key: Key) -> Edge:
        """Return the blocks of a group in both families."""
        first, second = self._total(key, self._families.first), self._total(key, self._families.second)
        return _GROUND if first is None else (1, first), _GROUND if second is None else (2, second)

    def _total(self, key: Key, family: Sequence[Sequence[int]], but: Key | None = None) -> Key | None:
        """Return the smallest published total of a family that contains a group."""
        return next((t for level in family if (t := total_of(key, level)) not in self.withheld and t != but), None)
