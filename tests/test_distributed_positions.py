"""Where findings are in a distributed table: in files, whatever the partitions are, or in numbered parts."""

from __future__ import annotations

import pickle
import random
from functools import cache
from itertools import accumulate, pairwise

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import piiscan
from piiscan import distributed
from piiscan.core.errors import UsageError
from piiscan.core.types import Place
from piiscan.engines.positions import FILE, ROW
from piiscan.report import verdict_words

ROWS = 120
FILES = ["s3://lake/t/part-0.parquet", "s3://lake/t/part-1.parquet", "s3://lake/t/part-2.parquet"]
Places = dict[tuple[str | None, str], tuple[Place, ...]]


@cache
def table() -> pa.Table:
    draw = random.Random(5)

    def told(share: float, text: str) -> str:
        return text if draw.random() < share else "nothing to report"

    return pa.table(
        {
            "n": range(ROWS),
            "note": [told(0.2, f"mail to a{i}@corp.org, please") for i in range(ROWS)],
            "remark": [told(0.1, f"his number is 219-0{i % 9}-8{i:03}") for i in range(ROWS)],
        }
    )


@cache
def local() -> dict[tuple[str | None, str], tuple[int, ...]]:
    """Where they are on one machine, in the whole table."""
    report = piiscan.scan(table())
    found = {(c.name, i.entity): i.first_rows for c in report.columns for i in c.inside}
    assert len(found) == 2 and all(len(rows) == 5 for rows in found.values())
    return found


def places(report: piiscan.Report) -> Places:
    assert not any(i.first_rows for c in report.columns for i in c.inside)
    return {(c.name, i.entity): i.first_places for c in report.columns for i in c.inside}


def bounds(draw: random.Random, parts: int) -> list[int]:
    return [0, *sorted(draw.randrange(ROWS + 1) for _ in range(parts - 1)), ROWS]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_in_files_whatever_the_partitions_are(seed: int) -> None:
    draw = random.Random(seed)
    cuts = bounds(draw, len(FILES))
    where = [Place(i - start, FILES[f]) for f, (start, stop) in enumerate(pairwise(cuts)) for i in range(start, stop)]
    whole = table().append_column(FILE, [[p.file for p in where]]).append_column(ROW, [[p.row for p in where]])
    order = list(range(ROWS))
    draw.shuffle(order)
    whole, cuts = whole.take(order), bounds(draw, 4)
    spec = distributed.scan_spec(table(), files=FILES)
    sent = pickle.loads(pickle.dumps(spec))
    parts = [
        distributed.summarise(whole.slice(a, b - a).to_batches(max_chunksize=draw.randrange(5, 60)), sent, n)
        for n, (a, b) in enumerate(pairwise(cuts))
    ]
    report = distributed.finish(distributed.fold(parts), spec, parts=4)
    assert places(report) == {key: tuple(where[row] for row in rows) for key, rows in local().items()}


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=4, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_in_numbered_parts(seed: int) -> None:
    draw = random.Random(seed)
    sizes = [draw.randrange(1, 40) for _ in range(3)]
    starts = [0, *accumulate(sizes)]
    spec = distributed.scan_spec(table())
    parts = [
        distributed.summarise(part.to_batches(max_chunksize=draw.randrange(5, 60)), spec, n)
        for n, part in enumerate(table().slice(a, (b or ROWS) - a) for a, b in pairwise([*starts, None]))
    ]
    draw.shuffle(parts)
    where = [Place(i - a, part=n) for n, (a, b) in enumerate(pairwise([*starts, ROWS])) for i in range(a, b)]
    report = distributed.finish(distributed.fold(parts), spec)
    assert places(report) == {key: tuple(where[row] for row in rows) for key, rows in local().items()}


def test_none_where_nobody_tells() -> None:
    spec = distributed.scan_spec(table())
    report = distributed.finish(distributed.summarise(table().to_batches(), spec), spec)
    assert set(places(report).values()) == {()}
    assert '"first_places"' not in report.to_json()


def test_files_that_nobody_listed_have_no_places() -> None:
    spec = distributed.scan_spec(table(), files=FILES[:1])
    for name, row in (("s3://lake/t/new.parquet", 0), (FILES[0], 1 << 40), (FILES[0], -1)):
        odd = table().append_column(FILE, [[name] * ROWS]).append_column(ROW, [[row] * ROWS])
        assert set(places(distributed.finish(distributed.summarise(odd.to_batches(), spec), spec)).values()) == {()}
    with pytest.raises(UsageError, match="which of them its rows are from"):
        distributed.summarise(table().to_batches(), spec)


def test_local_files_are_known_by_both_spellings() -> None:
    spec = distributed.scan_spec(table(), files=["file:///t/a.parquet"])
    told = table().append_column(FILE, [["file:/t/a.parquet"] * ROWS]).append_column(ROW, [range(ROWS)])
    report = distributed.finish(distributed.summarise(told.to_batches(), spec), spec)
    assert {p.file for found in places(report).values() for p in found} == {"file:///t/a.parquet"}


def test_a_file_whose_name_identifies_somebody_is_named_by_its_place() -> None:
    files = ["s3://lake/t/mail=ann%40corp.org/part-0.parquet", "s3://lake/t/mail=b/219-09-9999.parquet"]
    spec = distributed.scan_spec(table(), files=files)
    told = table().append_column(FILE, [[files[i % 2] for i in range(ROWS)]]).append_column(ROW, [range(ROWS)])
    report = distributed.finish(distributed.summarise(told.to_batches(), spec), spec)
    assert {p.file for found in places(report).values() for p in found} <= {
        "s3://lake/t/folder_0/part-0.parquet",
        "s3://lake/t/mail=b/file_1.parquet",
    }
    assert not any(word in report.to_json() for word in ("ann@", "ann%", "219-09"))


def test_reports_say_so_in_words() -> None:
    spec = distributed.scan_spec(table())
    report = distributed.finish(distributed.summarise(table().to_batches(), spec, 7), spec)
    first = local()["note", "EMAIL_ADDRESS"][0]
    (entry,) = report["note"].inside
    assert f"row {first} of part 7" in verdict_words.inside(entry)
