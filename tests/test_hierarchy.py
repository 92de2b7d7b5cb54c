"""A hierarchy is a tree: what is refused, what holds for every one, and how fast a large one is made."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operator_cases import law

from piiscan.anonymity.hierarchies.hierarchy import TOP, Hierarchy, Label
from piiscan.anonymity.hierarchies.hierarchy_files import from_mapping
from piiscan.core.errors import UsageError

Rows = list[tuple[Label, ...]]
leaves = st.lists(st.none() | st.text("abcŁ😀", min_size=1, max_size=3), min_size=1, max_size=12, unique=True)


@st.composite
def trees(draw: st.DrawFn) -> Rows:
    """Rows of a nested hierarchy: every level's label is a function of the one below."""
    rows: Rows = [(leaf,) for leaf in draw(leaves)]
    for _ in range(draw(st.integers(0, 4))):
        known: dict[Label, Label] = {}
        for row in rows:
            known.setdefault(row[-1], draw(st.none() | st.sampled_from(["x", "y", "z", TOP])))
        rows = [(*row, known[row[-1]]) for row in rows]
    return rows


def written(hierarchy: Hierarchy) -> Rows:
    """The rows again, leaf by leaf."""
    return [
        tuple(hierarchy.labels[level][hierarchy.groups[level][i]] for level in range(hierarchy.levels))
        for i in range(len(hierarchy.leaves))
    ]


def order(row: tuple[Label, ...]) -> tuple[bool, str]:
    return row[0] is None, row[0] or ""


@law
@given(rows=trees(), data=st.data())
def test_rows_come_back_whatever_their_order(rows: Rows, data: st.DataObject) -> None:
    hierarchy = Hierarchy.of("c", rows)
    added = () if len({row[-1] for row in rows}) == 1 else (TOP,)
    assert written(hierarchy) == [(*row, *added) for row in sorted(rows, key=order)]
    shuffled = data.draw(st.permutations(rows))
    again = Hierarchy.of("c", [*shuffled, *rows[:2]])  # a row that comes twice counts once
    assert (again.leaves, again.labels) == (hierarchy.leaves, hierarchy.labels)
    assert all(np.array_equal(a, b) for a, b in zip(again.groups, hierarchy.groups, strict=True))


@law
@given(rows=trees())
def test_levels_nest_and_end_in_one_label(rows: Rows) -> None:
    hierarchy = Hierarchy.of("c", rows)
    assert len(hierarchy.labels[-1]) == 1
    for below, here in zip(hierarchy.groups, hierarchy.groups[1:], strict=False):
        assert len(set(zip(below.tolist(), here.tolist(), strict=True))) == len(set(below.tolist()))
    for loss in hierarchy.loss:
        assert ((loss >= 0) & (loss <= 1)).all()
    assert hierarchy.loss[0].max() == 0
    assert hierarchy.loss[-1].tolist() == ([1.0] if len(hierarchy.leaves) > 1 else [0.0])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "hierarchy of c needs at least one row"),
        ([()], "hierarchy of c needs at least one row"),
        ([("secret", "x", "*"), ("b", "*")], "row 2 of the hierarchy of c has 2 cells and row 1 has 3"),
        (
            [("a", "x"), ("secret", "x"), ("secret", "y")],
            "rows 2 and 3 of the hierarchy of c have the same value and different labels",
        ),
        (
            [("b", "secret", "1"), ("a", "z", "1"), ("a2", "secret", "2")],
            "level 2 of the hierarchy of c gives rows 1 and 3",
        ),
        ([("a", 0)], "hierarchy of c may contain only text"),
        ([("a", 7)], "hierarchy of c may contain only text"),
    ],
)
def test_what_is_no_tree_is_refused_and_no_value_reported(rows: Rows, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        Hierarchy.of("c", rows)
    assert "secret" not in str(caught.value)


def test_it_shows_no_values() -> None:
    assert "secret" not in repr(from_mapping("c", {"secret": ["x"]}))


def test_a_mapping_makes_one_too() -> None:
    hierarchy = from_mapping(
        "c", {"Masters": ["Graduate", "Higher"], "11th": ["School", "Secondary"], None: [None, None]}
    )
    assert written(hierarchy) == [
        ("11th", "School", "Secondary", "*"),
        ("Masters", "Graduate", "Higher", "*"),
        (None, None, None, "*"),
    ]


@pytest.mark.parametrize("empty", [None, ""])
def test_values_find_their_leaves(empty: Label) -> None:
    hierarchy = from_mapping("c", {"b": ["x"], empty: ["x"], "a": ["x"]})
    found = hierarchy.codes(["b", "a", None, "", "b"])
    assert [hierarchy.leaves[i] for i in found] == ["b", "a", None, None, "b"]
    with pytest.raises(UsageError, match="lacks 2 of the column's 3 different values") as caught:
        hierarchy.codes(["a", "secret", " b"])
    assert "secret" not in str(caught.value)


def test_a_hundred_thousand_leaves_take_no_second() -> None:
    rows = [(str(i), *(f"[{i // w * w}, {i // w * w + w})" for w in (5, 10, 20, 40, 80))) for i in range(100_000)]
    began = time.process_time()
    assert [len(names) for names in Hierarchy.of("c", rows).labels] == [100_000, 20_000, 10_000, 5_000, 2_500, 1_250, 1]
    assert time.process_time() - began < 3  # a third of a second where nothing else runs
