"""Masks in parts, without any engine: those of one machine for any partitions, and refusals by their reasons."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from conftest import ROOT
from distributed_tables import cut, in_parts, people, rows_of
from hypothesis import given, settings
from hypothesis import strategies as st

import piiscan
from piiscan import distributed
from piiscan.core import keys
from piiscan.core.errors import ReadError, UsageError
from piiscan.engines import mask_parts, value_counts
from piiscan.engines.mask_parts import MaskSpec, _vault_file, masking_spec
from piiscan.engines.operator_needs import REFUSED, needs
from piiscan.masking.operators import operator_registry

KEY = "env:PIISCAN_PARTS_KEY"
PARAMETERS: dict[str, dict[str, Any]] = {
    "above": {"cut": 5},
    "bins": {"width": 5},
    "date-generalise": {"level": "year"},
    "date-shift": {"days": 30},
    "hierarchy": {"groups": {"a": ["b"]}},
    "noise": {"scale": 2},
    "persona": {"kind": "name", "locale": "en_US"},
    "prefix": {"keep": 2},
    "resample": {"least": 2},
    "round": {"base": 10},
    "surrogate": {"kind": "phone"},
    "top-bottom": {"top": 9},
}


@pytest.fixture(autouse=True, scope="module")
def key() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIISCAN_PARTS_KEY", keys.new())
        yield


@cache
def table() -> pa.Table:
    return people(200)


@cache
def plan() -> piiscan.Plan:
    found: piiscan.Plan = in_parts(piiscan.plan(table()))
    return found


def changed(**operators: tuple[str, dict[str, Any]]) -> piiscan.Plan:
    """The plan with other operators for some columns."""
    (only,) = plan().tables
    columns = []
    for action in only.columns:
        if (wanted := operators.get(action.name or "")) is not None:
            action = replace(action, operator=wanted[0], params=wanted[1], subject=None, accept_frequency=True)
        columns.append(action)
    return replace(plan(), tables=(replace(only, columns=tuple(columns)),))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=6, deadline=None)
def test_partitions_and_batches_do_not_show(seed: int) -> None:
    draw = random.Random(seed)
    spec = distributed.mask_spec(table().schema, plan(), KEY)
    sent = pickle.loads(pickle.dumps(spec))
    parts = cut(table(), draw.randrange(20, 200))
    draw.shuffle(parts)
    made = [b for part in parts for b in distributed.apply(part.to_batches(max_chunksize=draw.randrange(3, 90)), sent)]
    found = pa.Table.from_batches(made)
    assert found.schema == spec.schema
    assert rows_of(found) == rows_of(piiscan.mask(table(), plan(), KEY))


def test_a_part_without_rows_has_no_batches() -> None:
    assert (
        list(distributed.apply(table().slice(0, 0).to_batches(), distributed.mask_spec(table().schema, plan(), KEY)))
        == []
    )


@pytest.mark.parametrize(
    ("column", "operator", "params", "kind"),
    [
        ("age", "token", {}, pa.string()),
        ("age", "bins", {"width": 10}, pa.string()),
        ("age", "round", {"base": 10}, pa.int32()),
        ("pay", "suppress", {}, pa.decimal128(10, 2)),
        ("born", "date-generalise", {"level": "year"}, pa.date32()),
        ("seen", "date-generalise", {"level": "month"}, pa.timestamp("us")),
        ("at", "date-generalise", {"level": "month"}, pa.timestamp("us", tz="UTC")),
        ("tags", "token", {}, pa.list_(pa.string())),
        ("blob", "redact", {}, pa.binary()),
        ("home.zip", "prefix", {"keep": 2}, pa.struct([("city", pa.string()), ("zip", pa.string())])),
        ("home.city", "drop", {}, pa.struct([("zip", pa.string())])),
    ],
)
def test_types_are_told_before_a_row_is_seen(
    column: str, operator: str, params: dict[str, Any], kind: pa.DataType
) -> None:
    used = changed(**{column: (operator, params)})
    spec = distributed.mask_spec(table().schema, used, KEY)
    assert spec.schema.field(column.split(".")[0]).type == kind
    for rows in (1, 200):
        found = pa.Table.from_batches(list(distributed.apply(table().slice(0, rows).to_batches(), spec)))
        assert found.schema == spec.schema
    here = piiscan.mask(table(), used, KEY)
    place = spec.schema.get_field_index(column.split(".")[0])
    assert list(map(str, found.column(place).to_pylist())) == list(map(str, here.column(place).to_pylist()))


@pytest.mark.parametrize(
    ("column", "operator", "params", "reason"),
    [
        ("ssn", "shuffle", {}, "between all rows of the column"),
        ("age", "noise", {"scale": 2}, "number of its row"),
        ("age", "resample", {"least": 2}, "number of its row"),
        ("ssn", "code", {}, "vault"),
        ("doc", "date-generalise", {"level": "year"}, 'format = "%Y-%m-%d"'),
        ("note", "spans", {}, 'texts="rules"'),
    ],
)
def test_what_a_part_can_not_be_masked_with(column: str, operator: str, params: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=f"column {column}: .*{reason}"):
        distributed.mask_spec(table().schema, changed(**{column: (operator, params)}), KEY)


def counted_before(used: piiscan.Plan, whole: pa.Table, parts: list[pa.Table]) -> MaskSpec:
    """What masks parts, after all of them were counted."""
    spec = masking_spec(whole.schema, used, KEY, None, "error", "refuse", counts=True)
    assert spec.needs_counts
    found = [mask_parts.counted(part.to_batches(max_chunksize=7), spec) for part in parts]
    folded = value_counts.fold([c for c in found if c is not None], KEY)
    return replace(spec, counts=value_counts.fold([folded], KEY))


def dated() -> pa.Table:
    """Dates as texts, whose form only all of them tell."""
    texts = [f"{1 + i % 12:02}/{1 + i % 28:02}/{1990 + i % 9}" if i % 11 else None for i in range(300)]
    return pa.table({"born": texts, "n": [f"{i % 7}" for i in range(300)]})


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=4, deadline=None)
def test_what_depends_on_counts_is_masked_as_on_one_machine(seed: int) -> None:
    whole, draw = dated(), random.Random(seed)
    made = piiscan.plan(whole)
    (only,) = made.tables
    born = replace(only.columns[0], operator="date-generalise", params={"level": "month"}, accept_frequency=True)
    used = replace(made, tables=(replace(only, columns=(born, *only.columns[1:]), subjects=()),))
    parts = cut(whole, draw.randrange(1, 300))
    draw.shuffle(parts)
    sent = pickle.loads(pickle.dumps(counted_before(used, whole, [*parts, whole.slice(0, 0)])))
    found = pa.Table.from_batches([b for part in parts for b in distributed.apply(part.to_batches(), sent)])
    assert rows_of(found) == rows_of(piiscan.mask(whole, used, KEY))


def test_draws_are_the_columns_values_and_follow_no_row() -> None:
    ages = [20 + i % 3 for i in range(600)] + [90]
    whole = pa.table({"age": pa.array(ages, pa.int32()), "n": [f"a{i}" for i in range(601)]})
    made = piiscan.plan(whole)
    (only,) = made.tables
    age = replace(only.columns[0], operator="resample", params={"least": 5}, subject=None)
    kept = replace(only.columns[1], operator="keep", params={}, subject=None)
    used = replace(made, tables=(replace(only, columns=(age, kept), subjects=()),))
    parts = cut(whole, 200)
    spec = counted_before(used, whole, parts)
    assert spec.counts is not None and b"age" not in spec.counts  # it is sealed
    masked = [
        pa.Table.from_batches(mask_parts.applied(part.to_batches(max_chunksize=50), spec, n))
        for n, part in enumerate(parts)
    ]
    draws = [part["age"].to_pylist() for part in masked]
    assert [part.schema for part in masked] == [spec.schema] * len(parts)
    together = [age for part in draws for age in part]
    assert {together.count(value) > 140 for value in (20, 21, 22)} == {True} and 90 not in together
    assert draws[0] != draws[1] != draws[2] != draws[0]  # parts don't repeat each other's
    assert sum(a == b for a, b in zip(together, ages, strict=True)) < 260
    again = mask_parts.applied(parts[1].to_batches(), spec, 1)
    assert pa.Table.from_batches(again)["age"].to_pylist() == draws[1]  # a repeated task
    with pytest.raises(UsageError, match="column age: resample draws by the number of its row, and this engine"):
        list(distributed.apply(whole.to_batches(), spec))


def test_columns_of_very_many_values_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_counts, "MOST", 100)
    whole = pa.table({"n": list(range(200))})
    made = piiscan.plan(whole)
    (only,) = made.tables
    used = replace(made, tables=(replace(only, columns=(replace(only.columns[0], operator="resample"),)),))
    with pytest.raises(UsageError, match="column n has more than 100 different values"):
        counted_before(used, whole, cut(whole, 60))


def test_every_operator_is_in_the_manual_as_it_is_here() -> None:
    text = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    for name in operator_registry.BUILT_IN:
        found = needs(operator_registry.make(name, PARAMETERS.get(name, {})), "date" if "date" in name else "string")
        (row, *_) = [line for line in rows if f"`{name}`" in line.split("|")[1]]
        assert ("refused" in row.split("|")[3]) == (found in REFUSED or found == "texts"), name


def test_an_earlier_vault_has_to_be_there(tmp_path: Any) -> None:
    replace(plan(), vault="people", hashed_keys=True).save(tmp_path / "plan.toml")
    with pytest.raises(UsageError, match="remember"):
        distributed.mask_spec(table().schema, piiscan.Plan.load(tmp_path / "plan.toml"), KEY)


def test_a_key_travels_as_its_place() -> None:
    text = keys.Key.from_env("PIISCAN_PARTS_KEY")
    travelling = pickle.dumps(distributed.mask_spec(table().schema, plan(), text))
    assert b"env:PIISCAN_PARTS_KEY" in travelling
    with pytest.raises(UsageError, match="as bytes"):
        distributed.mask_spec(table().schema, plan(), b"0123456789abcdef0123456789abcdef")  # type: ignore[arg-type]


@pytest.mark.parametrize("in_folder", [False, True])
def test_threads_that_are_sent_a_vault_share_it(monkeypatch: pytest.MonkeyPatch, in_folder: bool) -> None:
    sealed = b"piiscan vault 1\n"
    monkeypatch.setattr(mask_parts, "_vaults", {})
    if in_folder:
        monkeypatch.setattr(mask_parts, "_in_memory", lambda sealed: None)
    with ThreadPoolExecutor(8) as threads:
        paths = set(threads.map(lambda _: _vault_file(sealed), range(64)))
    assert len(paths) == 1
    (path,) = paths
    assert path.read_bytes() == sealed and path.stat().st_mode & 0o777 == 0o600
    ((kept, _),) = mask_parts._vaults.values()
    if isinstance(kept, int):
        os.close(kept)
    else:
        assert isinstance(kept, TemporaryDirectory)
        kept.cleanup()
    with pytest.raises(ReadError, match="gone"):
        _vault_file(sealed)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no files without a name")
def test_a_worker_that_is_killed_leaves_no_vault(tmp_path: Path) -> None:
    few = table().select(["customer", "name", "email"]).slice(0, 40)
    replace(in_parts(piiscan.plan(few)), vault="people", hashed_keys=True).save(tmp_path / "plan.toml")
    used = piiscan.Plan.load(tmp_path / "plan.toml")
    masked = piiscan.mask(few, used, KEY)
    spec = distributed.mask_spec(few.schema, used, KEY)
    assert spec.vault
    (tmp_path / "task").write_bytes(pickle.dumps((spec, few.to_batches())))
    (tmp_path / "here").mkdir()
    worker = (
        "import os, pickle, sys; from pathlib import Path; from piiscan import distributed\n"
        "spec, batches = pickle.loads(Path(sys.argv[1]).read_bytes())\n"
        "Path(sys.argv[2]).write_bytes(pickle.dumps(list(distributed.apply(batches, spec))))\n"
        "os.kill(os.getpid(), 9)"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path / "here")}
    done = subprocess.run([sys.executable, "-c", worker, tmp_path / "task", tmp_path / "made"], env=env, timeout=60)
    assert done.returncode == -9
    assert rows_of(pa.Table.from_batches(pickle.loads((tmp_path / "made").read_bytes()))) == rows_of(masked)
    assert not list((tmp_path / "here").iterdir())
