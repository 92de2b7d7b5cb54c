"""Scans in parts, without any engine: the report of one machine for any partitions, order, repetition and folds."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from distributed_tables import cut, people, without_positions
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import piiscan
from piiscan import distributed
from piiscan.core import keys, version
from piiscan.core.errors import ReadError, UsageError
from piiscan.engines import envelope, scan_parts, summary_bytes
from piiscan.engines.rebatch import rebatched
from piiscan.engines.workers import guarded, on_engine

ROWS = 240


@cache
def table() -> pa.Table:
    return people(ROWS)


@cache
def spec() -> distributed.ScanSpec:
    return distributed.scan_spec(table(), whole=True)


@cache
def sent() -> distributed.ScanSpec:
    """The spec as a worker gets it."""
    found: distributed.ScanSpec = pickle.loads(pickle.dumps(spec()))
    return found


@cache
def local() -> object:
    return without_positions(piiscan.scan(table()))


@cache
def whole() -> bytes:
    return distributed.summarise(table().to_batches(), spec())


def judged(folded: bytes) -> object:
    return without_positions(distributed.finish(folded, spec()))


def test_one_part_gives_the_report_of_one_machine() -> None:
    assert judged(whole()) == local()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=5, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # a part takes long
def test_partitions_orders_repetitions_and_folds_do_not_show(seed: int) -> None:
    draw = random.Random(seed)
    rows = [table().slice(i, 1) for i in range(ROWS)]
    share = draw.choice((1, 4, 40))
    places = [draw.randrange(6) if draw.random() < 1 / share else i * 6 // ROWS for i in range(ROWS)]
    parts = []
    for n in range(8):  # two of them are empty
        own = [row for row, at in zip(rows, places, strict=True) if at == n]
        draw.shuffle(own)
        found = pa.concat_tables(own or [table().slice(0, 0)]).combine_chunks()
        parts.append(distributed.summarise(found.to_batches(max_chunksize=draw.randrange(5, 90)), sent(), n))
    order = [*range(8), *(draw.randrange(8) for _ in range(3))]
    draw.shuffle(order)
    stop = draw.randrange(1, 9)
    first = distributed.fold(parts[n] for n in order[:stop])
    once = distributed.fold([first, *(parts[n] for n in order if n not in order[:stop]), first])
    assert once == distributed.fold(parts[n] for n in order)
    assert without_positions(distributed.finish(once, spec(), parts=8)) == local()


def test_a_missing_part_is_an_error() -> None:
    parts = [distributed.summarise(part.to_batches(), sent(), n) for n, part in enumerate(cut(table(), 80))]
    with pytest.raises(UsageError, match="2 of 3 numbered parts"):
        distributed.finish(distributed.fold(parts[:2]), spec(), parts=3)
    with pytest.raises(UsageError, match="0 of 3"):
        distributed.finish(whole(), spec(), parts=3)


def test_another_part_of_the_same_number_is_an_error() -> None:
    one, other = (distributed.summarise(part.to_batches(), sent(), 5) for part in cut(table(), 120))
    with pytest.raises(UsageError, match="part 5 came twice, and with other contents"):
        distributed.fold([one, other])
    third = distributed.summarise([], sent(), 6)
    with pytest.raises(UsageError, match="part 5 is in two of the sums"):
        distributed.fold([distributed.fold([one, third]), one])
    with pytest.raises(UsageError, match="number all of them, or none"):
        distributed.fold([one, whole()])


def test_an_empty_table() -> None:
    nothing = table().slice(0, 0)
    own = distributed.scan_spec(nothing, whole=True)
    expected = without_positions(piiscan.scan(nothing))
    for data in (distributed.summarise([], own), distributed.summarise(nothing.to_batches(), own)):
        assert without_positions(distributed.finish(distributed.fold([data]), own)) == expected
    with pytest.raises(UsageError, match="no parts to fold"):
        distributed.fold([])


@pytest.mark.parametrize(
    "settings", [{"select": ("EMAIL_ADDRESS", "US_SSN")}, {"ignore": ["URL"]}, {"empty_columns": True}]
)
def test_settings_travel(settings: dict[str, object]) -> None:
    scanner = piiscan.Scanner(**settings)  # type: ignore[arg-type]
    own = distributed.scan_spec(table(), scanner, whole=True)
    data = distributed.summarise(table().to_batches(), pickle.loads(pickle.dumps(own)))
    assert without_positions(distributed.finish(data, own)) == without_positions(scanner.scan(table()))


def test_own_rules_and_allowed_values_travel_as_content(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "own.toml").write_text(
        '[[rule]]\nid = "badge"\nentity = "PERSON_ID"\ntitle = "Badge"\nauthority = "ACME"\n'
        'link = "https://acme.example/badge"\npattern = "B[0-9]{5}"\nsearch = "anywhere"\nheaders = ["badge"]\n'
        'match = ["B12345", "B00001"]\nno_match = ["B1", "XB12345"]\n',
        encoding="utf-8",
    )
    frame = pa.table({"badge": [f"B{10_000 + i}" for i in range(50)], "mail": [f"a{i}@corp.org" for i in range(50)]})
    scanner = piiscan.Scanner(rules=folder, allow=[{"domain": "corp.org", "reason": "ours"}])
    own = distributed.scan_spec(frame, scanner, whole=True)
    expected = without_positions(scanner.scan(frame))
    travelling = pickle.dumps(own)
    (folder / "own.toml").unlink()
    scan_parts._rules.clear()
    data = distributed.summarise(frame.to_batches(), pickle.loads(travelling))
    assert without_positions(distributed.finish(data, own)) == expected
    assert "badge" in str(expected)


def test_other_versions_rules_and_models_are_refused_by_both_names(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="aren't those of the driver"):
        distributed.summarise([], replace(sent(), rules_digest="0123456789abcdef"))
    other = distributed.summarise([], replace(sent(), model_digest="f" * 64))
    with pytest.raises(UsageError, match=f"model {spec().model_digest[:16]} and model {'f' * 16}"):
        distributed.fold([whole(), other])
    monkeypatch.setattr(envelope, "__version__", "9.9.9")
    other = distributed.summarise([], sent())
    with pytest.raises(UsageError, match=rf"piiscan {version.__version__} and piiscan 9\.9\.9"):
        distributed.fold([whole(), other])
    with pytest.raises(UsageError, match=r"piiscan 9\.9\.9"):
        distributed.finish(whole(), spec())


def test_parts_of_other_tables_are_refused() -> None:
    frame = table().rename_columns([*table().column_names[:-1], "remark"])
    own = distributed.scan_spec(frame, whole=True)
    with pytest.raises(UsageError, match="different columns"):
        distributed.fold([whole(), distributed.summarise(frame.to_batches(), own)])
    with pytest.raises(UsageError, match="different columns"):
        distributed.finish(whole(), own)
    with pytest.raises(UsageError, match="other columns or types"):
        distributed.summarise(frame.to_batches(), spec())


@pytest.mark.parametrize("end", range(0, 400, 37))
def test_damaged_bytes_are_refused_and_not_quoted(end: int) -> None:
    for data in (whole()[:end], whole()[:end] + b"\0" + whole()[end + 1 :], b"piiscan part 2\n" + whole()):
        with pytest.raises(UsageError) as failure:
            distributed.finish(data, spec())
        assert "@" not in str(failure.value)


def test_nothing_is_pickled() -> None:
    assert b"pickle" not in whole() and not whole().startswith(b"\x80")
    for module in (envelope, summary_bytes, scan_parts):
        assert "pickle" not in vars(module)


def test_a_summary_holds_its_bytes_whatever_its_order() -> None:
    found = summary_bytes.of_bytes(envelope.opened(whole(), "scan").content)
    assert summary_bytes.to_bytes(found) == envelope.opened(whole(), "scan").content


class TestKeys:
    @pytest.fixture(autouse=True)
    def key(self, monkeypatch: pytest.MonkeyPatch) -> str:
        text = keys.new()
        monkeypatch.setenv("PIISCAN_TEST_KEY", text)
        monkeypatch.setenv("PIISCAN_OTHER_KEY", keys.new())
        return text

    def test_sealed_parts_hold_no_value_and_read_the_same(self) -> None:
        own = distributed.scan_spec(table(), whole=True, key="env:PIISCAN_TEST_KEY")
        parts = [distributed.summarise(p.to_batches(), own, n) for n, p in enumerate(cut(table(), 100))]
        data = distributed.fold(parts, "env:PIISCAN_TEST_KEY")
        assert without_positions(distributed.finish(data, own, parts=3)) == local()
        content = envelope.opened(data, "scan", keys.Key.from_env("PIISCAN_TEST_KEY")).content
        assert content not in data and content[60:90] not in data

    def test_who_has_no_key_or_another_one_is_refused(self) -> None:
        own = distributed.scan_spec(table(), whole=True, key="env:PIISCAN_TEST_KEY")
        data = distributed.summarise([], own)
        with pytest.raises(UsageError, match="there is none here"):
            distributed.fold([data])
        with pytest.raises(UsageError, match="the key here is"):
            distributed.fold([data], "env:PIISCAN_OTHER_KEY")
        with pytest.raises(UsageError, match="isn't sealed"):
            distributed.fold([whole()], "env:PIISCAN_TEST_KEY")
        with pytest.raises(UsageError, match="changed or damaged"):
            distributed.fold([data[:-1] + bytes([data[-1] ^ 1])], "env:PIISCAN_TEST_KEY")

    def test_a_key_travels_as_its_place(self, key: str) -> None:
        for spelled in ("env:PIISCAN_TEST_KEY", keys.Key.from_env("PIISCAN_TEST_KEY"), _from_store):
            travelling = pickle.dumps(distributed.scan_spec(table(), whole=True, key=spelled))
            assert key.encode() not in travelling
            assert keys._decoded(key, "") not in travelling
            distributed.fold([distributed.summarise([], pickle.loads(travelling))], spelled)

    @pytest.mark.parametrize(
        "make", [lambda key: key, lambda key: key.encode(), lambda key: keys.Key(keys._decoded(key, ""))]
    )
    def test_the_bytes_of_a_key_are_refused(self, key: str, make: object) -> None:
        with pytest.raises(UsageError) as failure:
            distributed.scan_spec(table(), whole=True, key=make(key))  # type: ignore[operator]
        assert key not in str(failure.value)


def _from_store() -> keys.Key:
    return keys.Key.from_env("PIISCAN_TEST_KEY")


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(1, 50))
@settings(max_examples=60, deadline=None)
def test_rebatching_keeps_rows_and_their_order(sizes: list[int], rows: int) -> None:
    draw, at, batches = random.Random(1), 0, []
    for size in sizes:
        batches += pa.table({"n": range(at, at + size)}).to_batches(max_chunksize=draw.randrange(1, 9)) or [
            pa.record_batch({"n": pa.array([], pa.int64())})
        ]
        at += size
    made = list(rebatched(batches, rows))
    assert [n for t in made for n in t["n"].to_pylist()] == list(range(at))
    assert all(0 < t.num_rows <= max(rows, 9) for t in made)
    assert all(a.num_rows + b.num_rows > rows - 9 for a, b in pairwise(made))


def test_an_error_on_a_worker_tells_no_value() -> None:
    with pytest.raises(ReadError, match=r"internal error on a worker \(ValueError") as failure, guarded():
        raise ValueError("219-09-9999")
    assert "219" not in str(failure.value) and failure.value.__suppress_context__
    with pytest.raises(UsageError, match="as it is"), guarded():
        raise UsageError("as it is")


def test_an_error_of_a_worker_comes_back_as_what_it_was() -> None:
    def run() -> None:
        raise RuntimeError(
            'job aborted: Traceback (most recent call last):\n  File "x.py", line 1, in f\n'
            "piiscan.core.errors.UsageError: the rules aren't those of the driver\n\n\tat java.lang.Thread"
        )

    with pytest.raises(UsageError, match=r"^the rules aren't those of the driver$"):
        on_engine(run)

    def other() -> None:
        raise RuntimeError("the cluster is gone")

    with pytest.raises(RuntimeError, match="the cluster is gone"):
        on_engine(other)
