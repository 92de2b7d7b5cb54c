"""Parquet, Arrow and Avro: what they hold beside rows is read, and what lies between their parts, or is damaged, is
told."""

from __future__ import annotations

import gzip
import io
import os
import random
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import polars as pl
import pytest
from test_io_csv import cells, tables
from test_io_databases import MAIL, SSN, entities
from test_write import Each, again, shout

import piiscan
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.rewrite import rewrite

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas")

FRAME = pl.DataFrame({"size": range(40), "colour": ["red", "blue"] * 20})


def parquet(path: Path) -> Path:
    FRAME.write_parquet(path)
    return path


def arrow(path: Path) -> Path:
    FRAME.write_ipc(path)
    return path


def stream(path: Path) -> Path:
    FRAME.write_ipc_stream(path)
    return path


MAKERS: dict[str, Callable[[Path], Path]] = {"t.parquet": parquet, "t.arrow": arrow, "t.arrows": stream}


def is_gone(path: Path) -> bool:
    """Whether the file is left out when it is written again, or what comes of it has no planted text."""
    out = path.with_name(f"out-{path.name}")
    left = rewrite(path, out, ReadOptions(), lambda info: Each(info, shout)).left_out
    return not out.exists() if left else not any(needle.encode() in out.read_bytes() for needle in (MAIL, SSN))


def with_metadata(table: pa.Table, name: str, path: Path) -> None:
    if name.endswith(".parquet"):
        pq.write_table(table, path)
    else:
        new = pa.ipc.new_file if name.endswith(".arrow") else pa.ipc.new_stream
        with pa.OSFile(str(path), "wb") as sink, new(sink, table.schema) as writer:
            writer.write(table)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("of_field", [False, True])
def test_metadata_are_read_and_left_behind(tmp_path: Path, name: str, of_field: bool) -> None:
    table = FRAME.to_arrow().select(["size"])
    if of_field:
        table = table.cast(pa.schema([table.schema.field(0).with_metadata({"owner": MAIL})]))
    else:
        table = table.replace_schema_metadata({"owner": MAIL})
    path = tmp_path / name
    with_metadata(table, name, path)
    found = tables(path)
    assert [t.info.table for t in found] == [None, "metadata"]
    assert cells(found[1]) == [["owner", "", MAIL]]
    assert "EMAIL_ADDRESS" in entities(path)
    assert is_gone(path)


def test_attributes_of_a_pandas_frame(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": [1, 2]})
    frame.to_parquet(tmp_path / "plain.parquet")
    assert [t.info.table for t in tables(tmp_path / "plain.parquet")] == [None]
    frame.attrs = {"owner": MAIL}
    frame.to_parquet(tmp_path / "told.parquet")
    assert any(MAIL in value for _, value in cells(tables(tmp_path / "told.parquet")[1]))


@pytest.mark.parametrize("name", MAKERS)
def test_files_without_metadata_have_no_further_table(tmp_path: Path, name: str) -> None:
    path = MAKERS[name](tmp_path / name)
    assert [t.info.table for t in tables(path)] == [None]
    assert piiscan.scan(path).complete


@pytest.mark.parametrize("codec", ["zstd", "snappy", "gzip", "brotli", "lz4", "uncompressed"])
@pytest.mark.parametrize("writer", ["polars", "pyarrow", "bloom", "indexed"])
def test_every_byte_of_parquet_is_accounted_for(tmp_path: Path, codec: str, writer: str) -> None:
    path = tmp_path / "t.parquet"
    nested = FRAME.with_columns(
        tags=pl.concat_list("colour", "colour"), home=pl.struct("size", "colour"), share=pl.col("size") / 3
    )
    if writer == "polars":
        nested.write_parquet(path, compression=codec, row_group_size=7)  # type: ignore[arg-type]
    else:
        more = {"bloom": {"bloom_filter_options": {"colour": True}}, "indexed": {"write_page_index": True}}.get(
            writer, {}
        )
        compression = "NONE" if codec == "uncompressed" else codec
        try:
            pq.write_table(nested.to_arrow(), path, compression=compression, row_group_size=7, **more)
        except TypeError:
            pytest.skip("this pyarrow writes no Bloom filters")
    report = piiscan.scan(path)
    assert report.complete, report.not_scanned


@pytest.mark.parametrize("name", ["t.arrow", "t.arrows"])
@pytest.mark.parametrize("codec", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("writer", ["polars", "pyarrow"])
def test_every_byte_of_arrow_is_accounted_for(tmp_path: Path, name: str, codec: str, writer: str) -> None:
    path = tmp_path / name
    nested = FRAME.with_columns(
        pl.col("colour").cast(pl.Categorical).alias("kind"), tags=pl.concat_list("colour", "colour")
    )
    if writer == "polars":
        write = nested.write_ipc if name == "t.arrow" else nested.write_ipc_stream
        write(path, compression=codec)  # type: ignore[arg-type]
    else:
        options = pa.ipc.IpcWriteOptions(compression=None if codec == "uncompressed" else codec)
        new = pa.ipc.new_file if name == "t.arrow" else pa.ipc.new_stream
        table = nested.to_arrow()
        with pa.OSFile(str(path), "wb") as sink, new(sink, table.schema, options=options) as writer_:
            writer_.write_table(table, max_chunksize=7)
    report = piiscan.scan(path)
    assert report.complete, report.not_scanned


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_bytes_between_the_parts_are_reported(tmp_path: Path, name: str) -> None:
    """A file written behind another one ends as it should; where its parts are, only its end tells."""
    path = MAKERS[name](tmp_path / name)
    data = path.read_bytes()
    if name == "t.parquet":
        length = int.from_bytes(data[-8:-4], "little")
        path.write_bytes(data[: -8 - length] + MAIL.encode() + data[-8 - length :])
    else:
        length = int.from_bytes(data[-10:-6], "little")
        path.write_bytes(data[: -10 - length] + MAIL.encode() + data[-10 - length :])
    assert "bytes were not read" in piiscan.scan(path).not_scanned[0].reason
    assert is_gone(path)


@pytest.mark.parametrize("name", MAKERS)
def test_bytes_behind_the_end_are_reported(tmp_path: Path, name: str) -> None:
    path = MAKERS[name](tmp_path / name)
    path.write_bytes(path.read_bytes() + MAIL.encode() * 3)
    assert not piiscan.scan(path).complete
    assert is_gone(path)


def test_streams_that_follow_one_another(tmp_path: Path) -> None:
    first, second = (stream(tmp_path / f"{i}.arrows").read_bytes() for i in range(2))
    other = io.BytesIO()
    pl.DataFrame({"mail": [MAIL] * 9}).write_ipc_stream(other)
    path = tmp_path / "all.arrows"
    path.write_bytes(first + second)
    (table,) = tables(path)
    assert len(cells(table)) == 80
    path.write_bytes(first + other.getvalue() + second[:-8])
    assert [(t.info.table, len(cells(t))) for t in tables(path)] == [
        ("stream 1", 40),
        ("stream 2", 9),
        ("stream 3", 40),
    ]
    assert "EMAIL_ADDRESS" in entities(path)
    assert is_gone(path)


def test_a_long_value_that_few_rows_have_does_not_make_batches_small(tmp_path: Path) -> None:
    kinds = ["red", "blue", "green", "x" * 33_000]
    frame = pl.DataFrame({"kind": [kinds[0 if i % 20_000 else 3] for i in range(100_000)], "number": range(100_000)})
    frame.write_parquet(tmp_path / "t.parquet")
    with (tmp_path / "t.parquet").open("rb") as file:
        assert kinds[3].encode() not in file.read()  # packed, and once
    assert [batch.frame.height for batch in tables(tmp_path / "t.parquet")[0].batches()] == [100_000]


def test_batches_end_where_groups_of_rows_do(tmp_path: Path) -> None:
    frame = pl.DataFrame({"number": range(400_000), "text": ["a", "b"] * 200_000})
    for group, heights in (
        (100_000, [100_000] * 4),
        (40_000, [120_000] * 3 + [40_000]),
        (130_000, [130_000] * 3 + [10_000]),
    ):
        frame.write_parquet(tmp_path / "t.parquet", row_group_size=group)
        batches = list(tables(tmp_path / "t.parquet")[0].batches())
        assert [batch.frame.height for batch in batches] == heights
        assert pl.concat([batch.frame for batch in batches])["0"].to_list() == frame["number"].to_list()


@pytest.mark.parametrize("name", MAKERS)
def test_categories_that_no_row_has(tmp_path: Path, name: str) -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, None]), pa.array(["red", "blue", MAIL]))
    path = tmp_path / name
    with_metadata(pa.table({"colour": values}), name, path)
    assert MAIL.encode() in path.read_bytes()
    report = piiscan.scan(path)
    assert "no row has" in report.not_scanned[0].reason
    assert is_gone(path)
    with_metadata(
        pa.table({"colour": values.filter(pa.array([True] * 4)).cast(pa.string()).dictionary_encode()}), name, path
    )
    assert piiscan.scan(path).complete


def test_nested_categories_that_no_row_has(tmp_path: Path) -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1]), pa.array(["red", "blue", MAIL]))
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 3]), values)
    pq.write_table(pa.table({"tags": lists}), tmp_path / "t.parquet")
    assert not piiscan.scan(tmp_path / "t.parquet").complete


@pytest.mark.parametrize("name", MAKERS)
def test_categories_of_a_type(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame = pl.DataFrame({"colour": pl.Series(["red"] * 9, dtype=pl.Enum(["red", MAIL]))})
    write = {"t.parquet": frame.write_parquet, "t.arrow": frame.write_ipc, "t.arrows": frame.write_ipc_stream}[name]
    write(path)
    assert any(MAIL in row for t in tables(path) for row in cells(t))


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_bytes_that_are_packed_are_reported(tmp_path: Path, name: str) -> None:
    for data, complete in ((MAIL.encode(), True), (gzip.compress(MAIL.encode()), False), (b"\x89PNG\r\n", True)):
        frame = pl.DataFrame({"doc": [data] * 9, "docs": [[data]] * 9})
        path = tmp_path / name
        if name == "t.parquet":
            frame.write_parquet(path)
        else:
            frame.write_ipc(path)
        report = piiscan.scan(path)
        assert report.complete == complete
        assert {entry.column for entry in report.not_scanned} == (set() if complete else {"doc", "docs"})


AVRO = {"type": "record", "name": "item", "fields": [{"name": "colour", "type": "string"}]}


def test_metadata_of_avro(tmp_path: Path) -> None:
    path = tmp_path / "t.avro"
    with path.open("wb") as file:
        fastavro.writer(file, AVRO, [{"colour": "red"}] * 9, metadata={"owner": MAIL})
    assert cells(tables(path)[1]) == [["owner", "", MAIL]]
    assert is_gone(path)
    with path.open("wb") as file:
        fastavro.writer(file, AVRO | {"doc": f"ask {MAIL}"}, [{"colour": "red"}] * 9)
    assert cells(tables(path)[1]) == [[f"ask {MAIL}"]]
    with path.open("wb") as file:
        fastavro.writer(file, AVRO, [{"colour": "red"}] * 9)
    assert [t.info.table for t in tables(path)] == [None]


def test_bytes_behind_avro_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "t.avro"
    with path.open("wb") as file:
        fastavro.writer(file, AVRO, [{"colour": "red"}] * 9)
    path.write_bytes(path.read_bytes() + MAIL.encode())
    assert not piiscan.scan(path).complete


@pytest.mark.parametrize("name", MAKERS)
def test_damage_has_a_reason_and_nothing_else_is_printed(tmp_path: Path, name: str) -> None:
    """Panics in Rust print a back trace, which may quote cells."""
    data = MAKERS[name](tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    chance = random.Random(7)
    for i in range(25):
        broken = bytearray(data if i % 4 else data[: chance.randrange(9, len(data))])
        for _ in range((0, 1, 3, 20)[i % 4]):
            broken[chance.randrange(8, len(data) - 8)] = chance.randrange(256)
        (tmp_path / f"{i}-{name}").write_bytes(broken)
    script = "import sys, piiscan\nr = piiscan.scan(sys.argv[1])\nprint(len(r.tables), len(r.not_scanned))"
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        env=os.environ | {"RUST_BACKTRACE": "1"},
    )
    assert done.returncode == 0
    assert done.stderr == ""
    _, missed = map(int, done.stdout.split())
    assert missed >= 6  # those that were cut short at least


def test_a_damaged_stream_in_a_folder_is_reported(tmp_path: Path) -> None:
    data = stream(tmp_path / "t.arrows").read_bytes()
    (tmp_path / "t.arrows").write_bytes(data[4:])  # without its first mark
    (tmp_path / "u.arrows").write_bytes(b"\xff\xff\xff\xff\0\0\0\0" + data)
    report = piiscan.scan(tmp_path)
    assert {Path(n.source).name for n in report.not_scanned} | {Path(t.source).name for t in report.tables} == {
        "t.arrows",
        "u.arrows",
    }


@pytest.mark.parametrize("key", ["x-note", "namespace", "aliases"])
def test_identifiers_anywhere_in_an_avro_schema_are_told(tmp_path: Path, key: str) -> None:
    path = tmp_path / "t.avro"
    field = {"name": "colour", "type": "string", key: [MAIL] if key == "aliases" else MAIL}
    with path.open("wb") as file:
        fastavro.writer(file, AVRO | {"fields": [field]}, [{"colour": "red"}] * 9)
    assert MAIL in str(cells(tables(path)[1]))


def test_identifiers_anywhere_in_a_description_of_columns_are_told(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pl.DataFrame({"colour": ["red"]}).to_arrow().replace_schema_metadata({"pandas": f'{{"x": "{MAIL}"}}'})
    pq.write_table(table, path)
    assert MAIL in str(cells(tables(path)[1]))


@pytest.mark.parametrize("rows", [1, 1000, 1001, 1002, 3000])
def test_a_table_that_was_looked_at_is_read_whole_again_and_again(tmp_path: Path, rows: int) -> None:
    frame = pl.DataFrame({"a": [f"text {i}" for i in range(rows)], "b": range(rows)})
    frame.write_parquet(tmp_path / "x.parquet")
    (table,) = tables(tmp_path / "x.parquet")
    for _ in range(3):
        batches = list(table.batches())
        assert [batch.offset for batch in batches][:1] == [0]
        assert pl.concat([batch.frame for batch in batches]).rows() == frame.rows()


@pytest.mark.parametrize("rows", [40, 50_000])
def test_zeros_in_the_place_of_a_text_are_reported(tmp_path: Path, rows: int) -> None:
    """What stood there is left in the statistics, of the page or of the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    card = b"card 4539 1488 0343 6467"
    texts = [card.decode(), *(f"oak {i}" for i in range(rows - 1))]
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"wood": texts}), path, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    places = [i for i in range(len(whole)) if whole.startswith(card, i)]
    assert len(places) >= 3  # two in the statistics of a page or the file, and one is the cell
    for at in places:
        path.write_bytes(whole[: at + 8] + bytes(16) + whole[at + len(card) :])
        report = piiscan.scan(path)
        found = {i["entity"] for c in report.to_dict()["tables"][0]["columns"] for i in c["inside"]}
        assert found == {"CREDIT_CARD"} or not report.complete


@pytest.mark.parametrize("rows", [40, 50_000])
def test_zeros_that_were_written_are_texts(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"wood": ["\\0", "oa\\0k", *(f"oak {i}" for i in range(rows - 2))]}).write_parquet(path)
    assert piiscan.scan(path).complete


def test_parquet_without_rows_is_read(tmp_path: Path) -> None:
    """As pyarrow writes it: a group without rows, of which a dictionary is there and no data."""
    pq.write_table(pa.table({"name": pa.array([], pa.string()), "n": pa.array([], pa.int64())}), tmp_path / "t.parquet")
    report = piiscan.scan(tmp_path / "t.parquet")
    assert not report.not_scanned and report.tables[0].rows == 0


def _with_uuids(path: Path) -> Any:
    """A table of UUIDs, as they are and as 16 bytes, behind a struct; some are null."""
    held = [
        None if i % 9 == 4 else uuid.UUID(int=(0xF234 << 112) + i * 0x9E3779B97F4A7C15F39CC).bytes for i in range(60)
    ]
    cells = pa.array(held, pa.binary(16))
    made = pa.table(
        {
            "place": pa.array([{"x": {"y": i}, "z": "a"} for i in range(60)]),
            "batch": pa.ExtensionArray.from_storage(pa.uuid(), cells),
            "digest": cells,
            "email": [f"ann{i}@post.example" for i in range(60)],
        }
    )
    if path.suffix == ".parquet":
        pq.write_table(made, path, row_group_size=25)
    else:
        with (pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream)(path, made.schema) as out:
            out.write_table(made)
    return made


def _arrow_table(path: Path) -> Any:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return (pa.ipc.open_file if path.suffix == ".arrow" else pa.ipc.open_stream)(path.read_bytes()).read_all()


@pytest.mark.skipif(not hasattr(pa, "uuid"), reason="this pyarrow has no type for UUIDs")
@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.arrows"])
def test_uuids_are_read_as_such_and_stay_what_they_are(tmp_path: Path, name: str) -> None:
    before = _with_uuids(tmp_path / name)
    (table,) = tables(tmp_path / name)
    texts = next(iter(table.batches())).frame.to_series([f.name for f in table.info.fields].index("batch")).to_list()
    assert texts == [None if u is None else str(u) for u in before["batch"].to_pylist()]
    made = again(tmp_path / name, shout, at=[4])
    after = _arrow_table(made)
    for column in ("batch", "digest"):
        assert after[column].type == before[column].type
        assert after[column].to_pylist() == before[column].to_pylist()
    assert after["email"].to_pylist() == [mail.upper() for mail in before["email"].to_pylist()]
    if name == "t.parquet":
        assert pq.read_metadata(made).row_group(0).column(2).statistics.has_min_max is False
        found = pl.scan_parquet(made).filter(pl.col("batch") == before["batch"][0].as_py().bytes)
        assert found.collect().height == 1


@pytest.mark.skipif(not hasattr(pa, "uuid"), reason="this pyarrow has no type for UUIDs")
def test_masked_uuids_are_texts(tmp_path: Path) -> None:
    before = _with_uuids(tmp_path / "t.parquet")
    after = _arrow_table(again(tmp_path / "t.parquet", shout, at=[2]))
    assert after["batch"].to_pylist() == [None if u is None else str(u).upper() for u in before["batch"].to_pylist()]


@pytest.mark.skipif(not hasattr(pa, "list_view"), reason="this pyarrow has no views of lists")
@pytest.mark.parametrize("name", ["t.arrow", "t.arrows"])
def test_types_that_encode_others_are_decoded(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of equal cells, and views of lists: found, masked, and written as what they encode."""
    monkeypatch.setenv("PIISCAN_KEY", bytes(range(40, 72)).hex())
    mails = [f"ann{i}@post.example" for i in range(30)]
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2 * i + 2 for i in range(30)], pa.int32()), pa.array(mails))
    views = pa.array(
        [None if i == 3 else [mails[i % 30], "none"][: i % 3] for i in range(60)], pa.list_view(pa.string())
    )
    made = pa.table({"n": list(range(60)), "mail": runs, "seen": views})
    with (pa.ipc.new_file if name == "t.arrow" else pa.ipc.new_stream)(tmp_path / name, made.schema) as out:
        out.write_table(made)
    found = {c.name: c.entity for c in piiscan.scan(tmp_path / name).tables[0].columns}
    assert found == {"n": found["n"], "mail": "EMAIL_ADDRESS", "seen": found["seen"]}
    target = tmp_path / "out" / name
    piiscan.mask(tmp_path / name, plan=piiscan.plan(tmp_path / name), output=target)
    after = _arrow_table(target)
    assert not [mail for mail in mails if mail.encode() in target.read_bytes()]
    assert after["n"].to_pylist() == made["n"].to_pylist() and len(set(after["mail"].to_pylist())) == 30
    sizes = [None if row is None else len(row) for row in made["seen"].to_pylist()]
    assert [None if row is None else len(row) for row in after["seen"].to_pylist()] == sizes


@pytest.mark.parametrize("mode", ["dense", "sparse"])
def test_a_union_is_named_as_what_is_not_read(tmp_path: Path, mode: str) -> None:
    cells = [pa.array([1, 2], pa.int64()), pa.array(["a", "b"])]
    kinds, offsets = pa.array([0, 1], pa.int8()), pa.array([0, 1], pa.int32())
    union = (
        pa.UnionArray.from_dense(kinds, offsets, cells) if mode == "dense" else pa.UnionArray.from_sparse(kinds, cells)
    )
    made = pa.table({"id": [1, 2], "either": union})
    with pa.ipc.new_file(tmp_path / "t.arrow", made.schema) as out:
        out.write_table(made)
    (missed,) = piiscan.scan(tmp_path / "t.arrow").not_scanned
    assert missed.reason == f"column either: Arrow's type {mode}_union isn't read; cast it to another"
