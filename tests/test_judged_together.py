"""Tables are judged several at once; what is said of each is what is said of it alone."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.core.types import Field, TableInfo
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.rule_sets import shipped
from piiscan.scanning import engine, judging
from piiscan.scanning.classify.column_features import GROUPS, WIDTH, Features
from piiscan.scanning.classify.column_model import model
from piiscan.scanning.classify.table_signals import TABLE_WIDTH
from piiscan.scanning.scan_options import ScanOptions

RULES = shipped().rules
OPTIONS = ScanOptions(jobs=1)
CELLS = {
    "name": ("Ada Berg", "Ivo Lind", "Lea Roth", "王小明", "O'Neill, Pat"),
    "mail": ("a.b@mail.example", "ivo@firm.com", "x@y.org"),
    "number": ("1", "22", "303", "-4", "5.5"),
    "day": ("1980-01-02", "1999-12-31", "2024-02-30"),
    "text": ("Call Ada Berg at 555-0100 tomorrow.", "Nothing to say, really nothing.", '{"who": "Ada"}'),
    "hash": ("9e107d9d372bb6826bd81d3542a419d6", "e4d909c290d0fb1ca068ffaddf22cbd0"),
    "none": (None, "", " ", "N/A"),
}
HEADERS = (
    None,
    "",
    "id",
    "name",
    "Name",
    "e-mail",
    "customer_phone",
    "verified",
    "dob",
    "x",
    "col_7",
    "顧客名",
    "a" * 200,
)
Judgeable = tuple[TableInfo, TableSummary, bool]


def table(name: str, names: list[str | None], kinds: list[str], rows: int, form: str, seed: int) -> Judgeable:
    rng = random.Random(seed)
    fields = tuple(Field(own) for own in names)
    cells = {str(i): [rng.choice(CELLS[kind]) for _ in range(rows)] for i, kind in enumerate(kinds)}
    frame = pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String))
    return (
        TableInfo(f"{name}.csv", None, form, True, fields),
        engine.partial(frame, fields, RULES, 0),
        rng.random() < 0.9,
    )


@st.composite
def tables(draw: st.DrawFn) -> list[Judgeable]:
    """Tables with no column, one, or many; headers twice or none; no row, one, or many; texts; source code."""
    out = []
    for i in range(draw(st.integers(1, 6))):
        names = draw(st.lists(st.sampled_from(HEADERS), max_size=6))
        kinds = [draw(st.sampled_from([*CELLS])) for _ in names]
        form = draw(st.sampled_from(("csv", "csv", "csv", "json", "text", "code")))
        names, kinds = (names[:1] or [None], kinds[:1] or ["text"]) if form in ("text", "code") else (names, kinds)
        rows = draw(st.sampled_from((0, 1, 3, 30)))
        out.append(table(f"t{i}", names, kinds, rows, form, draw(st.integers(0, 999))))
    return out


@settings(max_examples=25)  # up to six tables each
@given(tables(), st.randoms(use_true_random=False), st.sampled_from((1, 4, 512)))
def test_tables_judged_together_are_the_tables(made: list[Judgeable], rng: random.Random, judged: int) -> None:
    """In any order, and however many columns are judged at once."""
    alone = [judging.judge(info, summary, RULES, OPTIONS, complete) for info, summary, complete in made]
    order = rng.sample(range(len(made)), len(made))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "JUDGED", judged)
        together = judging.judge_each([made[i] for i in order], RULES, OPTIONS)
    assert together == [alone[i] for i in order]


def test_wide_tables_judged_together_are_the_tables() -> None:
    rng = random.Random(4)
    made = [
        table(f"w{width}", rng.choices(HEADERS, k=width), rng.choices([*CELLS], k=width), 5, "csv", width)
        for width in (700, 1, 300, 300, 2)
    ]
    assert judging.judge_each(made, RULES, OPTIONS) == [judging.judge(*one[:2], RULES, OPTIONS, one[2]) for one in made]


def test_no_tables_are_judged() -> None:
    assert judging.judge_each([], RULES, OPTIONS) == []


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(0, 999))
def test_probabilities_and_reasons_are_the_same_to_the_bit(widths: list[int], seed: int) -> None:
    draw, known = np.random.default_rng(seed), model()
    made = [([_column(draw) for _ in range(width)], draw.random(TABLE_WIDTH, dtype=np.float32)) for width in widths]
    together = known.probabilities_of(made)
    for (columns, signals), own in zip(made, together, strict=True):
        assert known.probabilities(columns, signals).tobytes() == own.tobytes()
    asked = [(column, str(draw.choice(known.classes))) for columns, _ in made for column in columns]
    assert known.weighed_most(asked) == [known.weighed_most([one])[0] for one in asked]


def test_what_weighed_most_is_what_the_answer_would_lose() -> None:
    """Held to the definition: the logit of a class less that without the group's features."""
    draw, known = np.random.default_rng(8), model()
    ends = np.cumsum([0, *GROUPS.values()])
    for _ in range(30):
        column = _column(draw)
        entity = str(draw.choice(known.classes))
        at = known.classes.index(entity)
        lost = {}
        for i, group in enumerate(GROUPS):
            dense = column.dense.copy()
            dense[ends[i] : ends[i + 1]] = 0
            buckets = column._replace(weights=column.weights * (group != "header"))
            lost[group] = float(known.logits([column])[0, at] - known.logits([buckets._replace(dense=dense)])[0, at])
        found = known.weighed_most([(column, entity)])[0]
        assert {g for g, loss in lost.items() if loss > 0.51} <= set(found) <= {g for g, x in lost.items() if x > 0.49}
        assert [lost[g] for g in found] == pytest.approx(sorted((lost[g] for g in found), reverse=True), abs=1e-2)


def _column(draw: np.random.Generator) -> Features:
    dense = (draw.random(WIDTH) * (draw.random(WIDTH) < draw.random())).astype(np.float32)
    buckets = np.sort(draw.choice(4096, 9, replace=False)).astype(np.int32)
    return Features(dense, buckets, draw.random(9, dtype=np.float32))
