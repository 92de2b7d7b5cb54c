"""The laws of every summary: `+` is commutative and associative, has an identity, and knows no cuts.

What a scan says therefore can't depend on chunks, threads or partitions.
"""

from __future__ import annotations

import pickle
import pkgutil
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, reduce
from importlib import import_module
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
import polars as pl
import pytest
import strategies as some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from piiscan.core.errors import UsageError
from piiscan.core.types import Batch, Field
from piiscan.detection import summary
from piiscan.detection.matching import batch
from piiscan.detection.matching import prefilter as prefilter_module
from piiscan.detection.matching.batch import summarise
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.hit_counts import FIRST_ROWS, Hits, RuleHits
from piiscan.detection.summary.sample import ROWS, VALUES, RowSample, Sample
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.rule_sets import compiled_rules, shipped

Part = tuple[int, pl.DataFrame]


@cache
def prefilter() -> Prefilter:
    """A few rules of every kind: searched anywhere, with context, under their header, with and without a check."""
    names = ["EMAIL_ADDRESS", "US_SSN", "CREDIT_CARD", "IBAN_CODE", "IP_ADDRESS", "URL", "AGE", "DATE_OF_BIRTH"]
    return Prefilter(compiled_rules(shipped().rules.restrict(names)))


# Summaries as such: made of numbers, with samples of few entries out of few hashes.
numbers = st.integers(0, 5)
rows = st.lists(st.integers(0, 50), max_size=FIRST_ROWS).map(lambda found: tuple(sorted(found)))
hits = st.builds(Hits, numbers, numbers, rows, st.booleans(), st.booleans(), rows)
rule_hits = st.builds(RuleHits, hits, hits)
ids = st.sampled_from(["email", "us-ssn", "card"])
counted = st.dictionaries(st.integers(0, 12) | st.integers(0, 2**64 - 1), st.integers(1, 4), max_size=12)
texts = st.sampled_from(["value", "other"])  # two texts of one hash: a collision


def sample_of(text: str, counts: dict[int, int], k: int) -> Sample:
    """The sample of values with these hashes, so many of each."""
    kept = sorted(counts)[:k]
    return Sample({h: (f"{text} {h}", counts[h]) for h in kept}, k, len(counts) > k)


def rows_of(sample: Sample, k: int) -> RowSample:
    return RowSample({h: ((text, None), n) for h, (text, n) in sample.entries.items()}, k, sample.full)


def summaries(name: str, k: int, row_k: int) -> st.SearchStrategy[Any]:
    """Random summaries of a class, their samples of at most `k` values and `row_k` rows."""
    samples = st.builds(sample_of, texts, counted, st.just(k))
    row_samples = st.builds(sample_of, texts, counted, st.just(row_k)).map(lambda sample: rows_of(sample, row_k))
    over = st.sets(ids).map(lambda names: tuple(sorted(names)))
    columns = st.builds(
        ColumnSummary, numbers, numbers, st.dictionaries(ids, rule_hits), samples, over,
        st.dictionaries(ids, rule_hits), over, over,
    )  # fmt: skip
    tables = st.builds(TableSummary, numbers, st.tuples(columns, columns), row_samples)
    of = {
        "Hits": hits,
        "RuleHits": rule_hits,
        "Sample": samples,
        "RowSample": row_samples,
        "ColumnSummary": columns,
        "TableSummary": tables,
    }
    return of[name]


EMPTY = {
    "Hits": Hits.empty(), "RuleHits": RuleHits.empty(), "Sample": Sample.empty(), "RowSample": RowSample.empty(),
    "ColumnSummary": ColumnSummary.empty(), "TableSummary": TableSummary.empty(2),
}  # fmt: skip


def test_every_summary_class_is_held_to_the_laws() -> None:
    modules = [import_module(f"{summary.__name__}.{found.name}") for found in pkgutil.iter_modules(summary.__path__)]
    classes = {c for m in modules for c in vars(m).values() if isinstance(c, type) and c.__module__ == m.__name__}
    assert sorted(EMPTY) == sorted(c.__name__ for c in classes if hasattr(c, "__add__") and hasattr(c, "empty"))


@pytest.mark.parametrize("name", ["Sample", "RowSample", "ColumnSummary", "TableSummary"])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_many_are_added_at_once_as_one_by_one(name: str, data: st.DataObject) -> None:
    first, *rest = data.draw(st.lists(summaries(name, 6, 4), min_size=1, max_size=6))
    assert first.sum(rest) == reduce(add, rest, first)
    assert pickle.loads(pickle.dumps(first.sum(rest))) == first.sum(rest)


@given(counted, st.integers(1, 8))
def test_a_sample_gives_its_values_in_the_order_of_their_hashes(counts: dict[int, int], k: int) -> None:
    found = sample_of("value", counts, k) + Sample(k=k)
    kept = [(f"value {h}", counts[h]) for h in sorted(counts)[:k]]
    assert list(found.items) == kept
    assert list(found.texts) == [text for text, _ in kept]
    assert list(found.first(2)) == kept[:2]
    assert found.total == sum(n for _, n in kept)
    assert dict(found.entries) == {h: (f"value {h}", counts[h]) for h in sorted(counts)[:k]}


@pytest.mark.parametrize("name", EMPTY)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_sums_depend_on_no_order_and_no_grouping(name: str, data: st.DataObject) -> None:
    a, b, c = (data.draw(summaries(name, 6, 4)) for _ in range(3))
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)


@pytest.mark.parametrize("name", EMPTY)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_nothing_added_changes_nothing(name: str, data: st.DataObject) -> None:
    a = data.draw(summaries(name, VALUES, ROWS))
    assert EMPTY[name] + a == a + EMPTY[name] == a


def test_tables_of_other_widths_do_not_add() -> None:
    with pytest.raises(UsageError, match="2 and 3 columns"):
        TableSummary.empty(2) + TableSummary.empty(3)


# Summaries of frames.
def whole(frame: pl.DataFrame, fields: Sequence[Field] = some.FIELDS) -> TableSummary:
    return summarise(Batch(frame, 0), fields, prefilter())


def added(parts: Iterable[Part], fields: Sequence[Field] = some.FIELDS) -> TableSummary:
    return sum(
        (summarise(Batch(frame, offset), fields, prefilter()) for offset, frame in parts),
        TableSummary.empty(len(fields)),
    )


def running(parts: Iterable[Part], late: int, fields: Sequence[Field] = some.FIELDS) -> TableSummary:
    """The total of parts, each of which is told what was there before, up to `late` parts ago."""
    totals = [TableSummary.empty(len(fields))]
    for i, (offset, frame) in enumerate(parts):
        so_far = totals[max(0, i - late)]
        totals.append(totals[-1] + summarise(Batch(frame, offset), fields, prefilter(), so_far))
    return totals[-1]


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_frames_know_no_cuts(data: st.DataObject) -> None:
    frame = data.draw(some.frames())
    parts = data.draw(some.parts(frame))
    assert added(parts) == whole(frame)
    assert running(parts, data.draw(st.integers(0, 2))) == whole(frame)


@given(frame=some.frames(), offset=st.integers(1, 10**12))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_an_offset_moves_rows_only(frame: pl.DataFrame, offset: int) -> None:
    def moved(hits: Hits, by: int | None) -> Hits:
        both = (hits.first_rows, hits.other_rows)
        rows, others = (() if by is None else tuple(row + by for row in of) for of in both)
        return replace(hits, first_rows=rows, other_rows=others)

    def shifted(table: TableSummary, by: int | None) -> TableSummary:
        columns = tuple(
            replace(
                c,
                hits={rule: RuleHits(moved(h.whole, by), moved(h.within, by)) for rule, h in c.hits.items()},
                together={
                    entity: RuleHits(moved(h.whole, by), moved(h.within, by)) for entity, h in c.together.items()
                },
            )
            for c in table.columns
        )
        return replace(table, columns=columns)

    assert summarise(Batch(frame, offset), some.FIELDS, prefilter()) == shifted(whole(frame), offset)
    assert summarise(Batch(frame, None), some.FIELDS, prefilter()) == shifted(whole(frame), None)


NOTE = (Field("note"), Field("number"))


def large(distinct: int, times: int, rng: random.Random) -> pl.DataFrame:
    """So many distinct values, each at least `times` times, as text and as integers with nulls. The first rows hold all
    of them, so that what follows a cut there is nothing new."""
    numbers = rng.sample(range(distinct), distinct)
    numbers += rng.sample(numbers * (times - 1), distinct * (times - 1)) + rng.choices(numbers, k=distinct // 2)
    cells = [f"user{i}@mail.example" if i % 7 == 0 else f"note {i}" for i in numbers]
    return pl.DataFrame({"0": cells, "1": [None if i % 5 == 0 else i for i in numbers]})


@pytest.mark.parametrize("distinct", [1, ROWS - 1, ROWS, ROWS + 1, VALUES - 1, VALUES, VALUES + 1, 1400, 3000, 9000])
@pytest.mark.parametrize("times", [1, 3])
def test_large_frames_know_no_cuts(distinct: int, times: int) -> None:
    rng = random.Random(f"{distinct} {times}")
    frame = large(distinct, times, rng)
    total = whole(frame, NOTE)
    for cuts in ([distinct], [distinct // 2], sorted(rng.sample(range(len(frame)), 5)) if distinct > 5 else [1, 1]):
        edges = [0, *cuts, len(frame)]
        parts = [(a, frame.slice(a, b - a)) for a, b in pairwise(edges)]
        assert running(parts, 0, NOTE) == total
        assert running(parts, 1, NOTE) == total
        rng.shuffle(parts)
        assert added(parts, NOTE) == total
        assert running(parts, 0, NOTE) == total


@pytest.mark.parametrize("distinct", [10, VALUES, VALUES + 1, 4000])
def test_samples_hold_exact_counts(distinct: int) -> None:
    frame = large(distinct, 2, random.Random(distinct))
    sample = whole(frame, NOTE).columns[0].sample
    counts = Counter(frame["0"].to_list())
    assert len(sample.items) == min(distinct, VALUES)
    assert all(counts[text] == n for text, n in sample.items)
    assert sample.full == (distinct > VALUES)
    assert sample.distinct == distinct if distinct <= VALUES else abs(sample.distinct / distinct - 1) < 0.15


def test_a_part_that_no_sample_has_room_for_is_counted() -> None:
    frame = pl.DataFrame({"note": [str(i) for i in range(3 * VALUES)]})
    parts = [(0, frame[:-9]), *((i, frame[i : i + 1]) for i in range(len(frame) - 9, len(frame)))]
    assert running(parts, 0, NOTE[:1]) == whole(frame, NOTE)


def test_columns_summed_by_threads_are_the_same() -> None:
    frame = large(2000, 2, random.Random("threads"))
    with ThreadPoolExecutor(3) as pool:
        assert summarise(Batch(frame, 0), NOTE, prefilter(), parallel=pool.map) == whole(frame, NOTE)


def test_shipped_rules_know_no_cuts() -> None:
    rng = random.Random("all rules")
    cells = [
        some.embedded(rng.choice(rule.match), rng) if rng.random() < 0.5 else rng.choice(rule.match)
        for rule in some.pattern_rules()
    ]
    fields, whole_prefilter = (Field("mixed"),), Prefilter(shipped())
    parts = [cells[:7], cells[7:300], cells[300:]]
    offsets = [0, 7, 300]
    summed = [
        summarise(Batch(pl.DataFrame({"0": part}), n), fields, whole_prefilter)
        for n, part in zip(offsets, parts, strict=True)
    ]
    assert summed[2] + summed[0] + summed[1] == summarise(Batch(pl.DataFrame({"0": cells}), 0), fields, whole_prefilter)


ODD = (
    """&amp;anna&#64;post.example \\u0061nna@post.example anna%40post.example '4111111111111111 ="4111111111111111" d'or
    4111111111111111.0 4111111111111111.00 4111111111111111.000 17.0 60.0.0.0 & % " \\ 12 anna@post.example
    \u0664\u0661\u0661\u0661 an\u00adna@post.example Zo\u00eb Zoe\u0308 \uff14111111111111111 \u65e5\u672c"""
).split() + ["+49\u00a030\u00a0901820", " \u200banna@post.example", "4111111111111111.0 ", "a text, bert@post.example"]


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 1.0])
@pytest.mark.parametrize("usual", ["a note", "12345", "\u043f\u043e\u0447\u0442\u0430", "bert@post.example"])
def test_cells_are_read_alike_in_few_and_in_many(usual: str, share: float) -> None:
    """Of many, those that may be read otherwise are found by a gate that all cells meet, or by the signs in them."""
    rng = random.Random(f"{usual} {share}")
    cells = [rng.choice(ODD) if rng.random() < share else usual for _ in range(5000)] + ODD
    rng.shuffle(cells)
    frame, fields, ready = pl.DataFrame({"0": cells}), (Field("mixed"),), Prefilter(shipped())
    parts = (Batch(frame[i : i + 200], i) for i in range(0, len(frame), 200))
    small = sum((summarise(part, fields, ready) for part in parts), TableSummary.empty(1))
    assert summarise(Batch(frame, 0), fields, ready) == small
    ready.meets_many(prefilter_module._MANY)
    assert summarise(Batch(frame, 0), fields, ready) == small


def test_columns_summed_up_together_are_the_columns() -> None:
    """Cells of many columns are looked at together: those that hold nothing, and those read otherwise."""
    columns = {
        "odd": ODD,
        "gaps": [None, " ", "\t\r\n", "&amp;", "\u00a0", *ODD[5:]],
        "empty": [None] * len(ODD),
        "spaced": [f" {cell} " for cell in ODD],
        "long": ["bert@post.example " * 200, *ODD[1:]],
        "floats": [float(4111111111111111)] * len(ODD),
        "lists": [["&amp;", None, "anna%40post.example"], *([cell] for cell in ODD[1:])],
    }
    frame, ready = pl.DataFrame(columns), Prefilter(shipped())
    parts = [batch.ColumnPart(column, column.name, 3) for column in frame.get_columns()]
    alone = [batch.column_summary(column, column.name, ready, 3) for column in frame.get_columns()]
    for on_demand in (False, True):
        together = batch.column_summaries(parts, ready, on_demand=on_demand)
        assert [summary for summary, _ in together] == [summary for summary, _ in alone]
        assert [s.sample.items for s, _ in together] == [s.sample.items for s, _ in alone]
        assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(together, alone, strict=True))


def test_summaries_show_no_cell_and_travel() -> None:
    """Partial summaries go from worker to worker; a log may hold their `repr`."""
    frame = pl.DataFrame({"0": ["canary 078-05-1120", "canary@mail.example"], "1": [4111111111111111, 90210]})
    total = whole(frame, NOTE)
    parts = (
        total,
        total.row_sample,
        *total.columns,
        *(c.sample for c in total.columns),
        *(h for c in total.columns for h in c.hits.values()),
    )
    for part in parts:
        shown = f"{part} {part!r} {[part]}"
        assert not any(word in shown for word in ("canary", "078", "4111", "90210"))
        assert pickle.loads(pickle.dumps(part)) == part
    assert [text for text, _ in total.columns[1].sample.items]
