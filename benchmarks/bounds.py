"""Small files that unfold into gigabytes, and shapes that take long: what each takes to scan.

    python -m benchmarks.bounds [FOLDER] [--only NAME …]

Makes the files (in FOLDER, or a temporary one), scans each by a process of its own, and prints a Markdown table: bytes
of the file, wall time, peak memory, and what was said of it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

LONG = "x" * 32_000
CELL = 600 << 20
"""Bytes of a cell that compresses well."""


def shared_string(path: Path) -> None:
    """One string of 32 KB in 200,000 cells of a workbook."""
    rows = "".join(f'<row r="{r}"><c r="A{r}" t="s"><v>0</v></c></row>' for r in range(2, 200_002))
    head = '<row r="1"><c r="A1" t="inlineStr"><is><t>note</t></is></c></row>'
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kinds}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {space} xmlns:r="{office}"><sheets><sheet name="a" sheetId="1" r:id="rId1"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="rId1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{office}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f"<worksheet {space}><sheetData>{head}{rows}</sheetData></worksheet>",
        "xl/sharedStrings.xml": f'<sst {space} count="200000" uniqueCount="1"><si><t>{LONG}</t></si></sst>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in parts.items():
            out.writestr(name, text)


def inline_string(path: Path) -> None:
    """A cell of a workbook with hundreds of megabytes."""
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("a").write_column(0, 0, ["note", "y"])
    with zipfile.ZipFile(path) as old:
        parts = {i.filename: old.read(i) for i in old.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in parts.items():
            out.writestr(name, data.replace(b"<t>y</t>", b"<t>" + b"y" * CELL + b"</t>"))


def zeroblob(path: Path) -> None:
    """Cells of a gigabyte each that SQLite makes when they are read."""
    with sqlite3.connect(path) as db:
        db.execute("create table a (id integer, b blob generated always as (zeroblob(900000000)) virtual)")
        db.executemany("insert into a (id) values (?)", [(i,) for i in range(8)])
    db.close()


def view(path: Path) -> None:
    """A view that makes a thousand million rows."""
    with sqlite3.connect(path) as db:
        db.execute("create table a (id integer)")
        db.executemany("insert into a values (?)", [(i,) for i in range(1000)])
        db.execute("create view many as select x.id from a x, a y, a z")
    db.close()


def json_array(path: Path) -> None:
    """One line of JSON with an array of 62 MB."""
    path.write_text('{"a": [' + ",".join(["1"] * 31_000_000) + "]}\n", encoding="ascii")


def json_objects(path: Path) -> None:
    """A document of JSON with ten million small objects in one array in one object."""
    path.write_text('{"a": {"b": [' + ",".join(['{"c":1}'] * 8_000_000) + "]}}\n", encoding="ascii")


def empty_objects(path: Path) -> None:
    """Twenty million lines of {}."""
    path.write_text("{}\n" * 20_000_000, encoding="ascii")


def deep_json(path: Path) -> None:
    """A document nested a million times."""
    path.write_text("[" * 1_000_000 + "]" * 1_000_000, encoding="ascii")


def parquet_cell(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": ["x" * CELL]}), path, compression="zstd")


def parquet_repeated(path: Path) -> None:
    """A dictionary of one long value, of which 200,000 rows hold it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": pa.array([LONG] * 200_000).dictionary_encode()}), path, compression="zstd")


def arrow_cell(path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"a": ["x" * CELL]})
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema, options=packed) as writer:
        writer.write_table(table)


def avro_cell(path: Path) -> None:
    import fastavro

    schema = {"type": "record", "name": "a", "fields": [{"name": "a", "type": "string"}]}
    with path.open("wb") as out:
        fastavro.writer(out, schema, [{"a": "x" * CELL}], codec="deflate")


def gzip_bomb(path: Path) -> None:
    import gzip

    with gzip.open(path, "wb", 9) as out:
        for _ in range(64):
            out.write(b"a,b\n" + b"0" * (64 << 20))


def zip_of_many(path: Path) -> None:
    """20,000 members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for i in range(20_000):
            out.writestr(f"{i}.csv", f"a,b\n{i},x\n")


def wide_csv(path: Path) -> None:
    """20,000 columns of 10 rows."""
    names = ",".join(f"c{i}" for i in range(20_000))
    rows = (",".join(str(r * c) for c in range(20_000)) for r in range(10))
    path.write_text("\n".join([names, *rows]), encoding="ascii")


def quoted_record(path: Path) -> None:
    """A quoted cell of 130 MB."""
    path.write_text('a,b\n1,"' + "some words in a line\n" * 6_500_000 + '"\n', encoding="ascii")


def long_line(path: Path) -> None:
    """A line of 300 MB."""
    path.write_text("a,b\n1," + "x" * (300 << 20) + "\n", encoding="ascii")


def open_quote(path: Path) -> None:
    """A quote that is never closed, before two million rows."""
    path.write_text('a,b\n1,"x\n' + "2,y\n" * 30_000_000, encoding="ascii")


def many_keys(path: Path) -> None:
    """39 lines of JSON that make 19,500 columns."""
    lines = (json.dumps({f"k{i}_{j}": {"v": i} for j in range(500)}) for i in range(39))
    path.write_text("\n".join(lines), encoding="ascii")


def long_header(path: Path) -> None:
    """A header of one megabyte, over two columns."""
    path.write_text("name " * 200_000 + ",b\n" + "1,2\n" * 1000, encoding="ascii")


def many_delimiters(path: Path) -> None:
    """Lines of commas."""
    path.write_text(("," * 5000 + "\n") * 4000, encoding="ascii")


CASES: dict[str, tuple[str, Callable[[Path], None]]] = {
    make.__name__: (suffix, make)
    for suffix, makers in {
        "xlsx": (shared_string, inline_string),
        "sqlite": (zeroblob, view),
        "jsonl": (json_array, empty_objects, many_keys),
        "json": (json_objects, deep_json),
        "parquet": (parquet_cell, parquet_repeated),
        "arrow": (arrow_cell,),
        "avro": (avro_cell,),
        "csv.gz": (gzip_bomb,),
        "zip": (zip_of_many,),
        "csv": (wide_csv, quoted_record, long_line, open_quote, long_header, many_delimiters),
    }.items()
    for make in makers
}


def measured(path: Path, options: list[str], limit: float) -> dict[str, object]:
    """One scan. `memory`: the largest process's peak in megabytes."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "piiscan", "scan", str(path), "--format", "json", *options],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    import threading

    timer = threading.Timer(limit, process.kill)
    timer.start()
    assert process.stdout is not None
    out = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    timer.cancel()
    code = os.waitstatus_to_exitcode(status)
    try:
        report = json.loads(out)
        said = f"{len(report.get('not_scanned', []))} not scanned"
    except ValueError:
        said = "no report"
    return {
        "seconds": time.monotonic() - began, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1000,
        "status": code, "said": said,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--only", nargs="*", default=list(CASES))
    parser.add_argument("--limit", type=float, default=300.0, help="seconds a scan may take")
    parser.add_argument("--scan", nargs="*", default=[], help="options of the scan, without their dashes: jobs=1")
    args = parser.parse_args()
    folder = args.folder or Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    print("| file | bytes | wall s | CPU s | peak MB | status | said |\n|---|---|---|---|---|---|---|")
    for name in args.only:
        suffix, make = CASES[name]
        path = folder / f"{name}.{suffix}"
        if not path.exists():  # by another process, since a child begins with its parent's peak of memory
            maker = multiprocessing.get_context("spawn").Process(target=make, args=(path,))
            maker.start()
            maker.join()
        got = measured(path, [f"--{o}" for o in args.scan], args.limit)
        print(
            f"| {name} | {path.stat().st_size:,} | {got['seconds']:.1f} | {got['cpu']:.1f} | {got['memory']:,.0f} | "
            f"{got['status']} | {got['said']} |", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
