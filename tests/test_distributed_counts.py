"""Histograms, sums of groups and private sums in parts, without any engine: those of one machine, and noise on them."""

from __future__ import annotations

import itertools
import pickle
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import stats
from test_dp_noise import ALARM, probabilities

import piiscan
from piiscan import distributed
from piiscan.aggregates.group_sums import Sums
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.histogram import ROWS, Histogram
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.dp.domains import Categories, Domain
from piiscan.dp.noise import Share
from piiscan.dp.queries import Axis, Measure
from piiscan.dp.run import passes
from piiscan.dp.run.prepare import SummaryQuestions, prepare_summary
from piiscan.dp.tally import Tally
from piiscan.engines import count_parts, sum_parts, tally_parts
from piiscan.io.table_source import Source

WITHOUT_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)


def info_of(table: pa.Table) -> TableInfo:
    return piiscan.Scanner().look(table.slice(0, 0))


def parts_of(table: pa.Table, draw: random.Random) -> list[list[pa.RecordBatch]]:
    """The rows in any order, cut anywhere, into batches of any size; some parts are empty."""
    rows = list(range(table.num_rows))
    draw.shuffle(rows)
    cuts = sorted(draw.randrange(len(rows) + 1) for _ in range(4))
    places = itertools.pairwise([0, *cuts, len(rows)])
    return [
        table.take(pa.array(rows[a:b], pa.int64())).to_batches(max_chunksize=draw.randrange(1, 40)) for a, b in places
    ]


class TestHistograms:
    table = pa.table(
        {
            "age": [str(n % 23) if n % 11 else None for n in range(150)],
            "zip": [f"0{n % 7}{n % 3}" for n in range(150)],
            "n": list(range(150)),
        }
    )
    tree = Hierarchy.of("zip", [(f"0{a}{b}", f"0{a}*", "*") for a in range(7) for b in range(3)])

    def counts(self, batches: Sequence[Any], columns: Sequence[str]) -> Counter[tuple[str | None, ...]]:
        found: Counter[tuple[str | None, ...]] = Counter()
        for row in pa.Table.from_batches(batches).to_pylist():
            found[tuple(row[c] for c in columns)] += row[ROWS]
        return found

    @given(st.integers(0, 2**32 - 1))
    @settings(max_examples=15, deadline=None, phases=WITHOUT_SHRINKING)
    def test_parts_add_up(self, seed: int) -> None:
        draw = random.Random(seed)
        info = info_of(self.table)
        level = draw.randrange(3)
        batches = [
            batch
            for part in parts_of(self.table, draw)
            for batch in distributed.histogram(part, info, ["age", "zip"], {"zip": (self.tree, level)})
        ]
        cut = {0: lambda z: z, 1: lambda z: z[:2] + "*", 2: lambda z: "*"}[level]
        expected = Counter((r["age"], cut(r["zip"])) for r in self.table.to_pylist())
        assert self.counts(batches, ["0", "1"]) == expected
        together = count_parts.together(pa.Table.from_batches(batches), (0, 1))
        assert {(a, b): n for a, b, n in together.frame.iter_rows()} == expected
        if not level:
            whole = pl.DataFrame({"0": self.table["age"].to_pylist(), "1": self.table["zip"].to_pylist()})
            assert together == Histogram.of(whole, (0, 1))

    @pytest.mark.parametrize(
        ("columns", "levels", "message"),
        [
            (["town"], {}, "no column town"),
            (["age"], {"town": (tree, 1)}, "no column town"),
            (["zip"], {"zip": (tree, 3)}, "levels 0 to 2, and no level 3"),
            (["age"], {"age": (tree, 1)}, "lacks 24 of the column's 24 different values"),
        ],
    )
    def test_what_is_not_there_is_refused(self, columns: list[str], levels: Any, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            list(distributed.histogram(self.table.to_batches(), info_of(self.table), columns, levels))


class TestSums:
    table = pa.table(
        {
            "town": [f"t{n % 4}" for n in range(200)],
            "pay": [None if n % 17 == 0 else str(n * 1e-3 + 1e9 * (n % 2)) for n in range(200)],
            "who": [f"u{n % 23}" if n % 9 else None for n in range(200)],
        }
    )

    @pytest.mark.parametrize("unit", [None, "who"])
    @given(seed=st.integers(0, 2**32 - 1))
    @settings(max_examples=10, deadline=None, phases=WITHOUT_SHRINKING)
    def test_parts_add_up_exactly(self, unit: str | None, seed: int) -> None:
        draw = random.Random(seed)
        data = [
            sum_parts.summed(part, info_of(self.table), ["town"], ["pay"], unit) for part in parts_of(self.table, draw)
        ]
        at = draw.randrange(1, len(data))
        found = sum_parts.folded([sum_parts.folded(data[at:]), sum_parts.folded(data[:at])])
        frame = pl.DataFrame({name: self.table[name].to_pylist() for name in self.table.column_names})
        whole = Sums.of(frame, ["town"], ["pay"], unit)
        assert sum_parts.total_of([found]) == whole
        assert sum_parts.total_of([found]).contributions() == whole.contributions()
        assert found == sum_parts.packed(whole)

    def test_more_units_than_the_driver_takes_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sum_parts, "MOST_SUMS", 20)
        with pytest.raises(UsageError, match="more than 20 sums in groups"):
            sum_parts.summed(self.table.to_batches(), info_of(self.table), ["town"], ["pay"], "who")


def split_by_unit(table: pa.Table, unit: str, draw: random.Random, parts: int = 3) -> list[pa.Table]:
    """What an engine's shuffle makes: all rows of a unit are in one part."""
    seed = draw.randrange(1 << 30)
    of = pa.array([(zlib.crc32(f"{word} {seed}".encode()) >> 8) % parts for word in table[unit].to_pylist()])
    return [table.filter(pc.equal(of, n)) for n in range(parts)]


def distributed_tally(
    table: pa.Table, unit: str, max_rows: int, draw: random.Random
) -> Callable[[Sequence[Measure], Mapping[str, Domain]], Tally]:
    """As Spark does it: parts by unit, some of them summed twice as a worker was lost, and folds of folds."""

    def tally(measures: Sequence[Measure], domains: Mapping[str, Domain]) -> Tally:
        request = distributed.TallyRequest(info_of(table), tuple(measures), tuple(domains.items()), unit, max_rows)
        sent = pickle.loads(pickle.dumps(request))
        found = []
        for part in split_by_unit(table, unit, draw):
            attempts = [distributed.tally(part.to_batches(), sent) for _ in range(draw.randrange(1, 3))]
            found.append(draw.choice(attempts))
        draw.shuffle(found)
        return tally_parts.total([tally_parts.fold_tallies(found[:2], measures), *found[2:]], measures)

    return tally


class TestPrivateSums:
    @pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
    def test_noise_on_distributed_sums_has_its_distribution(self, mechanism: str, tmp_path: Path) -> None:
        words = [f"w{n}" for n in range(3000)]
        others = [f"x{n}" for n in range(30)] if mechanism == "gaussian" else []  # it pays for many figures
        who = [f"u{n}" for n in range(2 * len(words))]
        table = pa.table({"who": who, "word": words * 2, **{name: ["a"] * len(who) for name in others}})
        privacy = piiscan.Privacy(
            epsilon=1.0,
            delta=1e-4 if others else 0.0,
            unit="who",
            max_rows=40,
            dataset="d",
            ledger=tmp_path / "l.sqlite",
        )
        questions = SummaryQuestions(
            categories={"word": words, **{name: ["a", "b"] for name in others}}, columns=["word", *others]
        )
        query = prepare_summary(Source(table), privacy, questions)
        release = query.charge_and_execute(distributed_tally(table, "who", 40, random.Random(1))).to_dict()
        assert release["privacy"]["mechanism"] == mechanism
        (asked,) = [q for q in release["queries"] if q["query"] == "count by word"]
        (column,) = [c for c in release["columns"] if c["name"] == "word"]
        drawn = [n - 2 for n in column["histogram"]["counts"][: len(words)]]
        scale = asked["scale"]
        ends = sorted({round(scale * x) for x in (-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3)} | {0, 1})
        found = Counter(sum(value >= end for end in ends) for value in drawn)
        share = Share("laplace" if mechanism == "laplace" else "gaussian", 1)  # by its mechanism alone
        expected = [p * len(drawn) for p in probabilities(share, scale, ends)]
        assert stats.chisquare([found[i] for i in range(len(expected))], expected).pvalue > ALARM

    @given(st.integers(0, 2**32 - 1))
    @settings(max_examples=25, deadline=None, phases=WITHOUT_SHRINKING)
    def test_a_unit_changes_sums_by_its_rows_that_count_also_when_parts_run_again(self, seed: int) -> None:
        draw = random.Random(seed)
        max_rows = draw.randrange(1, 4)
        rows = [(f"u{draw.randrange(12)}", draw.choice("abc")) for _ in range(80)]
        gone = draw.choice(rows)[0]
        measure, domains = Measure((Axis("word"),)), {"word": Categories(("a", "b", "c"))}
        sums = []
        for kept in (rows, [row for row in rows if row[0] != gone]):
            table = pa.table({"who": [who for who, _ in kept], "word": [word for _, word in kept]})
            with pytest.MonkeyPatch.context() as patch:
                # Each attempt has a key of its own, the same for both tables.
                patch.setattr(passes, "_fresh_key", partial(_next_key, itertools.count(seed)))
                tally = distributed_tally(table, "who", max_rows, random.Random(seed))([measure], domains)
            sums.append(tally.counts[measure].ravel().tolist())
        counted = Counter(who for who, _ in rows)
        differences = [a - b for a, b in zip(*sums, strict=True)]
        assert all(n >= 0 for n in differences) and sum(differences) == min(counted[gone], max_rows)
        assert sum(sums[0]) == sum(min(n, max_rows) for n in counted.values())


def _next_key(calls: Iterator[int]) -> list[int]:
    return [next(calls), 2, 3]
