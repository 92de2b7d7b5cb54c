"""Linkage with another file: which of its records match the records of a table, label by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from piiscan.anonymity.classes import classes_of, grouped, members
from piiscan.anonymity.hierarchies.hierarchy import TOP, Hierarchy
from piiscan.anonymity.hierarchies.labels import Values, coarser, under
from piiscan.anonymity.histogram import Coded, Ints

_TOGETHER: Final = 20_000
"""Combinations of the other file that are followed at a time, which bounds memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The matches between a table and another file.

    of: (entries,) class of each entry of the table, by the columns compared.
    sizes: (classes,) records of each.
    fitting: (classes,) how many records of the other file match each.
    candidates: (others,) how many records of the table match each combination of the other file.
    hidden: (classes,) classes that consist of `*` only; they match every record and count as no record's candidate.
    pairs: how many records of the table and of the other file match only each other.
    learned: for each sensitive column, the records of the other file for which all matching records of the table
    agree in it, and there is at least one.
    """

    of: Ints
    sizes: Ints
    fitting: Ints
    candidates: Ints
    hidden: npt.NDArray[np.bool_]
    pairs: int
    learned: tuple[int, ...]


def match(
    table: Sequence[Coded],
    rows: Ints,
    other: Sequence[Coded],
    other_rows: Ints,
    unit: Ints | None = None,
    hierarchies: Sequence[Hierarchy | None] | None = None,
    sensitive: Sequence[Ints] = (),
) -> Matches:
    """Match the labels of a table's columns with the values of the same columns in another file.

    table, other, hierarchies: the columns compared, in the same order; rows, other_rows: records of each entry; unit:
    as in `classes_of`;
    sensitive: (entries,) codes of some columns of the table. The order of entries doesn't matter. A label matches
    itself, the values below it in its hierarchy, and those that `coarser` returns.
    """
    sizes = [len(c.values) for c in table]
    classes = classes_of([c.codes for c in table], sizes, rows, unit)
    number = len(classes.sizes)
    labels = [c.codes[members(classes.of, number)] for c in table]
    hidden = (
        np.logical_and.reduce([lab == _code(c, TOP) for lab, c in zip(labels, table, strict=True)])
        if number
        else np.zeros(0, bool)
    )
    walk = _prefixes([lab[~hidden] for lab in labels], sizes)
    stands = [_stands_for(c, o, h) for c, o, h in zip(table, other, hierarchies or [None] * len(table), strict=True)]
    visible = np.flatnonzero(~hidden)
    fits = np.zeros(number, np.int64)
    candidates = np.zeros(len(other_rows), np.int64)
    values = [_Extremes.of(codes, classes.of, number) for codes in sensitive]
    extremes = [_Extremes.none(len(other_rows)) for _ in sensitive]
    singles: list[Ints] = []
    for begin in range(0, len(other_rows), _TOGETHER):
        who, where = _walk([o.codes[begin : begin + _TOGETHER] for o in other], stands, walk)
        who, of = who + begin, visible[where]
        np.add.at(fits, of, other_rows[who])
        np.add.at(candidates, who, classes.sizes[of])
        for here, there in zip(values, extremes, strict=True):
            there.add(who, here, of)
        single = (candidates[who] == 1) & (other_rows[who] == 1)
        singles.append(of[single])
    mutual = sum(int((fits[of] == 1).sum()) for of in singles)
    learned = tuple(int(other_rows[(candidates > 0) & (t.least == t.most)].sum()) for t in extremes)
    return Matches(classes.of, classes.sizes, fits, candidates, hidden, mutual, learned)


@dataclass(frozen=True, slots=True, eq=False)
class _Extremes:
    """The smallest and the greatest code of a sensitive value in each of some groups; equal if all values agree."""

    least: Ints
    most: Ints

    @classmethod
    def none(cls, groups: int) -> _Extremes:
        return cls(np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1))

    @classmethod
    def of(cls, codes: Ints, group: Ints, groups: int) -> _Extremes:
        found = cls.none(groups)
        found.add(group, cls(codes, codes), np.arange(len(codes)))
        return found

    def add(self, groups: Ints, other: _Extremes, of: Ints) -> None:
        """Add the values of the groups `of` in `other` to `groups`."""
        np.minimum.at(self.least, groups, other.least[of])
        np.maximum.at(self.most, groups, other.most[of])


def _code(column: Coded, label: str) -> int:
    return column.values.index(label) if label in column.values else -1


def _stands_for(table: Coded, other: Coded, hierarchy: Hierarchy | None) -> pl.DataFrame:
    """Return pairs of a value's code in the other file and the code of a label that it matches."""
    values = Values(other.values)
    code_of = {v: i for i, v in enumerate(other.values)}
    leaves = {} if hierarchy is None else under(hierarchy)
    pairs: list[tuple[Ints, Ints]] = []
    for code, label in enumerate(table.values):
        known = np.array(sorted(code_of[v] for v in {label, *leaves.get(label, ())} if v in code_of), np.int64)
        stands = None if label is None else coarser(label)
        found = known if stands is None else np.union1d(np.flatnonzero(stands(values)), known)
        pairs.append((found, np.full(len(found), code, np.int64)))
    value, label_code = (np.concatenate([p[i] for p in pairs]) if pairs else np.zeros(0, np.int64) for i in (0, 1))
    return pl.DataFrame({"value": value, "label": label_code})


def _prefixes(labels: Sequence[Ints], sizes: Sequence[int]) -> list[pl.DataFrame]:
    """Return the occurring combinations of labels as a tree whose leaves are the classes.

    For each column it maps a node and a label to the next node.
    """
    tree = []
    node = np.zeros(len(labels[0]), np.int64)
    for codes, size in zip(labels, sizes, strict=True):
        following, number = grouped([node, codes], [int(node.max(initial=0)) + 1, size])
        one = members(following, number)
        tree.append(pl.DataFrame({"node": node[one], "label": codes[one], "next": np.arange(number)}))
        node = following
    return tree


def _walk(values: Sequence[Ints], stands: Sequence[pl.DataFrame], tree: Sequence[pl.DataFrame]) -> tuple[Ints, Ints]:
    """Follow every combination of values down the tree, along all labels that it matches.

    Returns pairs of a combination and a class that it matches.
    """
    count = len(values[0])
    at = pl.DataFrame({"who": np.arange(count), "node": np.zeros(count, np.int64)})
    for codes, pairs, branches in zip(values, stands, tree, strict=True):
        steps = pairs.join(branches, on="label")
        at = at.with_columns(pl.Series("value", codes[at["who"].to_numpy()])).join(steps, on=["value", "node"])
        at = at.select("who", pl.col("next").alias("node"))
    return at["who"].to_numpy(), at["node"].to_numpy()
