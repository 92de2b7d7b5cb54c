"""Flows in networks, and the lightest sets that a system of sums fixes. Whole numbers of any size."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

Edge = tuple[Hashable, Hashable]
Capacities = dict[Hashable, dict[Hashable, int]]


class Cut(NamedTuple):
    """The `weight` of all edges from outside of `inside` to its nodes."""

    weight: int
    inside: frozenset[Hashable]


def max_flow(
    arcs: Iterable[tuple[Hashable, Hashable, int]], source: Hashable, sink: Hashable
) -> tuple[int, Capacities]:
    """The largest flow by shortest augmenting paths (Edmonds and Karp 1972), and the capacities that are left."""
    left: Capacities = defaultdict(lambda: defaultdict(int))
    for a, b, capacity in arcs:
        left[a][b] += capacity
        left[b][a] += 0
    total = 0
    while path := _path(left, source, sink):
        least = min(left[a][b] for a, b in path)
        for a, b in path:
            left[a][b] -= least
            left[b][a] += least
        total += least
    return total, left


def reached(left: Capacities, source: Hashable) -> frozenset[Hashable]:
    """The nodes that something can still flow to."""
    found, waiting = {source}, [source]
    while waiting:
        for b, capacity in left[waiting.pop()].items():
            if capacity > 0 and b not in found:
                found.add(b)
                waiting.append(b)
    return frozenset(found)


def lightest_cut(edges: Mapping[Edge, int], through: Edge) -> Cut | None:
    """The lightest directed cut that the edge `through` is in: a set of nodes that no edge leaves, and the weight of
    all that enter it. Weights may be below 0. None where there is no such cut, as a path leads back.

    A closure of least weight (Picard 1976): a node weighs what enters it less what leaves it.
    """
    weight: dict[Hashable, int] = defaultdict(int)
    for (a, b), w in edges.items():
        if a != b:
            weight[b] += w
            weight[a] -= w
    above = sum(map(abs, weight.values())) + 1
    source, sink = object(), object()
    arcs: list[tuple[Hashable, Hashable, int]] = [(a, b, above) for a, b in edges if a != b]
    arcs += [(source, node, -w) if w < 0 else (node, sink, w) for node, w in weight.items()]
    tail, head = through
    flow, left = max_flow([*arcs, (source, head, above), (tail, sink, above)], source, sink)
    if tail == head or flow >= above:
        return None
    inside = reached(left, source) - {source}
    return Cut(sum(w for (a, b), w in edges.items() if b in inside and a not in inside), inside)


class Network:
    """Edges between nodes, each with several weights, and the cuts in it. Parallel edges are one."""

    def __init__(self) -> None:
        self._weights: dict[Edge, list[int]] = {}
        self._near: dict[Hashable, set[Hashable]] = defaultdict(set)
        self._taken: dict[tuple[Edge, int], int] = defaultdict(int)

    def __len__(self) -> int:
        return len(self._weights)

    @property
    def nodes(self) -> Set[Hashable]:
        return self._near.keys()

    def add(self, edge: Edge, weights: Sequence[int]) -> None:
        before = self._weights.get(edge, [0] * len(weights))
        self._weights[edge] = [a + b for a, b in zip(before, weights, strict=True)]
        self._near[edge[0]].add(edge[1])
        self._near[edge[1]].add(edge[0])

    def weights(self, number: int, of: Edge | None = None) -> dict[Edge, int]:
        """One of the weights of each edge, or of the one alone."""
        return {edge: weights[number] for edge, weights in self._weights.items() if of in (None, edge)}

    def lighter_cut(self, through: Edge, number: int, more: int, least: int) -> Cut | None:
        """A directed cut, as in `lightest_cut`, whose weight is below `least`: the lightest; None where there is none.
        Weights aren't below 0.

        `through` weighs `more` than here, and need not be an edge yet. A flow from its tail to its head that goes along
        edges as far as they weigh, and back along them without end, is as large as the lightest cut; it is looked for
        as far as `least`.
        """
        tail, head = through
        if tail == head or self._corners_carry(through, number, more, least):
            return None
        left: dict[Edge, int] = {through: self._capacity(through, number, least) + more}
        total = 0
        while total < least and (path := self._path(left, number, least, tail, head)):
            flow = min(left[arc] for arc in path)
            for a, b in path:
                left[a, b] -= flow
                left[b, a] = left.get((b, a), self._capacity((b, a), number, least)) + flow
            total += flow
        if total >= least:
            return None
        return Cut(total, frozenset(self.nodes | {tail, head}) - self._reached)

    def carries(self, through: Edge, number: int, lack: int) -> bool:
        """Whether what `through` lacks of a weight can be carried round it, by other edges of which nothing else is
        taken; it is taken off them then.

        Guarantee:
            Assumes: for every edge whose weight is below 0 it was asked whether minus that is carried, and it was.
            Ensures: no directed cut weighs less than 0: each way round crosses a cut that `through` is in by an edge of
                the cut, and no two ways share a weight.
            Test: test_aggregate_suppression.py::test_who_adds_and_subtracts_finds_nothing
        """
        tail, head = through
        if tail == head:
            return True
        taken: dict[Edge, int] = defaultdict(int)

        def free(edge: Edge) -> int:
            return self._weights[edge][number] - self._taken[edge, number] - taken[edge] if edge in self._weights else 0

        for y in sorted(self._near.get(tail, ()), key=repr):
            for x in sorted(self._near.get(head, ()), key=repr) if y != head and free((tail, y)) > 0 else ():
                flow = min(lack, free((tail, y)), free((x, head))) if x != tail and (x, y) in self._weights else 0
                if flow > 0:
                    taken[tail, y] += flow
                    taken[x, head] += flow
                    lack -= flow
        if lack > 0:
            return False
        for edge, flow in taken.items():
            self._taken[edge, number] += flow
        return True

    def take_over(self, before: Network, moved: Mapping[Edge, Edge]) -> None:
        """What was taken off another network's weights is taken off the edges that its edges have moved to."""
        for (edge, number), flow in before._taken.items():
            self._taken[moved[edge], number] += flow

    def _corners_carry(self, through: Edge, number: int, more: int, least: int) -> bool:
        """Whether the shortest ways round, by two edges and back along a third, carry as much: so it is nearly
        always, and soon seen."""
        tail, head = through
        total = self._capacity(through, number, 0) + more
        ways = {
            x: self._weights[x, head][number]
            for x in self._near.get(head, ())
            if x != tail and (x, head) in self._weights
        }
        for y in self._near.get(tail, ()):
            if total >= least:
                break
            if y == head or (tail, y) not in self._weights:
                continue
            more = self._weights[tail, y][number]
            for x in [x for x, free in ways.items() if free > 0 and (x, y) in self._weights]:
                flow = min(more, ways[x])
                total, more, ways[x] = total + flow, more - flow, ways[x] - flow
                if more <= 0 or total >= least:
                    break
        return total >= least

    def _capacity(self, arc: Edge, number: int, least: int) -> int:
        back = least if (arc[1], arc[0]) in self._weights else 0
        return back + (self._weights[arc][number] if arc in self._weights else 0)

    def _path(self, left: dict[Edge, int], number: int, least: int, tail: Hashable, head: Hashable) -> list[Edge]:
        """A shortest path of arcs that have some capacity left."""
        before: dict[Hashable, Hashable] = {tail: tail}
        waiting = deque([tail])
        while waiting:
            a = waiting.popleft()
            for b in self._near[a] | ({head} if a == tail else set()):
                if b in before:
                    continue
                if (a, b) not in left:
                    left[a, b] = self._capacity((a, b), number, least)
                if left[a, b] > 0:
                    before[b] = a
                    waiting.append(b)
                    if b == head:
                        return _back(before, head)
        self._reached = frozenset(before)
        return []


def _back(before: dict[Hashable, Hashable], node: Hashable) -> list[Edge]:
    path: list[Edge] = []
    while before[node] != node:
        path.append((before[node], node))
        node = before[node]
    return path[::-1]


def _path(left: Capacities, source: Hashable, sink: Hashable) -> list[Edge]:
    before: dict[Hashable, Hashable] = {source: source}
    waiting = deque([source])
    while waiting:
        a = waiting.popleft()
        for b, capacity in left[a].items():
            if capacity > 0 and b not in before:
                before[b] = a
                waiting.append(b)
                if b == sink:
                    return _back(before, b)
    return []
