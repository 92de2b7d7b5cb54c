"""Flows in networks, and the lightest sets whose sum a system of sums determines. Whole numbers of any size."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

Edge = tuple[Hashable, Hashable]
Capacities = dict[Hashable, dict[Hashable, int]]


class Cut(NamedTuple):
    """A directed cut: the `weight` of all edges from outside of `inside` to its nodes."""

    weight: int
    inside: frozenset[Hashable]


def max_flow(
    arcs: Iterable[tuple[Hashable, Hashable, int]], source: Hashable, sink: Hashable
) -> tuple[int, Capacities]:
    """Return the largest flow by shortest augmenting paths (Edmonds and Karp 1972), and the residual capacities."""
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
    """Return the nodes that flow can still reach."""
    found, waiting = {source}, [source]
    while waiting:
        for b, capacity in left[waiting.pop()].items():
            if capacity > 0 and b not in found:
                found.add(b)
                waiting.append(b)
    return frozenset(found)


def lightest_cut(edges: Mapping[Edge, int], through: Edge) -> Cut | None:
    """Return the lightest directed cut that contains the edge `through`.

    It is a set of nodes that no edge leaves, and the weight of all edges that enter it. Weights may be below 0. The
    result is None if there is no such cut because a path leads back.

    This is a closure of least weight (Picard 1976): the weight of a node is what enters it less what leaves it.
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
    """Edges between nodes, each with several weights, and the cuts in it. Parallel edges count as one."""

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
        """Return one of the weights of each edge, or of only one edge."""
        return {edge: weights[number] for edge, weights in self._weights.items() if of in (None, edge)}

    def lighter_cut(self, through: Edge, number: int, more: int, least: int) -> Cut | None:
        """Return the lightest directed cut whose weight is below `least`, as in `lightest_cut`; None if there is none.

        Weights aren't below 0. The edge `through` has `more` weight than here, and need not exist yet. The largest
        flow from its tail to its head that uses edges up to their weight, and in reverse without limit, equals the
        lightest cut; the search stops at `least`.
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
        """Return whether other edges can carry what `through` lacks of a weight; if so, subtract it from them.

        No other flow may use these edges' weights.

        Guarantee:
            Assumes: for every edge whose weight is below 0, this was called for minus that weight and returned true.
            Ensures: no directed cut weighs less than 0: each detour crosses a cut that contains `through` by an edge
            of the cut, and no two detours share a weight.
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
        """Apply what was subtracted from another network's weights to the edges that its edges have moved to."""
        for (edge, number), flow in before._taken.items():
            self._taken[moved[edge], number] += flow

    def _corners_carry(self, through: Edge, number: int, more: int, least: int) -> bool:
        """Return whether the shortest detours, by two edges and back along a third, carry enough.

        This is nearly always so, and quick to check.
        """
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
        """Return a shortest path of arcs with capacity left."""
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
