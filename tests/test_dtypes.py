"""The type of a column, as its texts are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piiscan.core import dtypes, shapes


@pytest.mark.parametrize(
    ("texts", "dtype"),
    [
        ([], "string"),
        (["", "NA", "null"], "string"),
        (["1", "-2", "N/A", "+3", "0"], "integer"),
        (["1", "02"], "string"),
        (["1", "2.5", "1e9", "NaN"], "float"),
        (["1" * 19], "float"),
        (["yes", "No", "TRUE"], "boolean"),
        (["yes", "1"], "string"),
        (["2024-01-31", "?"], "date"),
        (["2024-01-31 10:00", "2024-01-31T10:00:00.5Z"], "datetime"),
        (["2024-01-31", "2024-01-31 10:00"], "string"),
        (["1\n2", "3"], "string"),
        (["1\n", "3"], "string"),
        (["1"] * 5000 + ["x"], "string"),
        (["1.5"] * 5000 + ["1" * 5000 + "x"], "string"),
    ],
)
def test_type(texts: list[str], dtype: str) -> None:
    assert dtypes.infer(iter(texts)) == dtype


@given(st.lists(st.text("aBé9٣\0\n ,'ß", max_size=9)))
def test_texts_that_are_changed_together_are_as_those_changed_one_by_one(texts: list[str]) -> None:
    assert shapes.of_each(texts, shapes.look) == [shapes.look(text) for text in texts]


@given(st.dictionaries(st.text("aBé9٣\0\n ,'ß-" + "x" * 9, max_size=60), st.integers(1, 5), max_size=20))
def test_the_commonest_shape_is_that_of_most_cells(counts: dict[str, int]) -> None:
    cells: dict[str, int] = {}
    for text, n in counts.items():
        cells[shapes.shape(text)] = cells.get(shapes.shape(text), 0) + n
    commonest = min(cells, key=lambda shape: (-cells[shape], shape)) if cells else None
    assert shapes.commonest(counts.items()) == commonest
