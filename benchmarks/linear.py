"""Whether time is linear: shapes of files at sizes n, 2n and 4n, each read by a process of its own.

    python -m benchmarks.linear [--only NAME …] [--doublings D] [--save] [--list]

CPU seconds are of the whole process, the least of two runs where they take less than --again seconds. A ratio is that
of two sizes, one twice the other, after what an empty table takes has been taken off; only those of runs that take
half a second longer than that count, since below it the ratio is one of noise. Prints a Markdown table: CPU seconds and
peak memory at each size, and the worst ratio.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import sqlite3
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import RESULTS, machine, measured_on, run

PIISCAN = [sys.executable, "-m", "piiscan"]
COUNTS = 0.5
"""Seconds beyond those of an empty table from which on a ratio says something."""


def _csv(path: Path, rows: int, columns: int, cell: Callable[[int, int], str]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.write(",".join(f"c{j}" for j in range(columns)) + "\n")
        out.writelines(",".join(cell(i, j) for j in range(columns)) + "\n" for i in range(rows))


def _word(i: int) -> str:
    return "".join(chr(97 + i // 26**k % 26) for k in range(6))


def rows(path: Path, n: int) -> None:
    _csv(path, n, 8, lambda i, j: str(i * 7919 + j) if j % 2 else _word(i + j))


def columns(path: Path, n: int) -> None:
    _csv(path, 10, n, lambda i, j: str(i * j))


def named_columns(path: Path, n: int) -> None:
    names = ("first_name", "email", "phone", "city", "amount", "created_at", "notes", "customer_id")
    head = ",".join(f"{names[j % 8]}_{j}" for j in range(n))
    body = "\n".join(",".join(f"{_word(i + j)} {_word(j)}" for j in range(n)) for i in range(10))
    path.write_text(f"{head}\n{body}\n", encoding="utf-8")


def distinct_values(path: Path, n: int) -> None:
    path.write_text("id\n" + "".join(f"{i * 2654435761 % 4294967296:010}\n" for i in range(n)), encoding="ascii")


def categories(path: Path, n: int) -> None:
    _csv(path, n, 4, lambda i, j: _word(i % 997 + j))


def findings(path: Path, n: int) -> None:
    _csv(
        path, n, 3, lambda i, j: (f"{_word(i)}@{_word(j)}.example", f"078-05-{i % 9000 + 1000}", f"10.0.{i % 200}.7")[j]
    )


def texts(path: Path, n: int) -> None:
    text = "Please call Maria Schmidt in Hamburg about invoice {} and write to m.schmidt@example.com today"
    path.write_text("note\n" + "".join(f'"{text.format(i)}"\n' for i in range(n)), encoding="utf-8")


def lines_of_text(path: Path, n: int) -> None:
    line = "2024-01-{:02} 10:00:00 INFO user {} logged in from 10.1.2.{} after {} ms\n"
    path.write_text("".join(line.format(i % 28 + 1, _word(i), i % 250, i) for i in range(n)), encoding="utf-8")


def long_cells(path: Path, n: int) -> None:
    _csv(path, 20, 2, lambda i, j: ("some words in a cell " * n)[: n * 20] + str(i))


def long_line(path: Path, n: int) -> None:
    path.write_text("a,b\n1," + "x" * (n * 1000) + "\n", encoding="ascii")


def short_lines(path: Path, n: int) -> None:
    path.write_text("a\n" + "1\n2\n" * n, encoding="ascii")


def empty_lines(path: Path, n: int) -> None:
    path.write_text("a,b\n1,2\n" + "\n" * n, encoding="ascii")


def long_header(path: Path, n: int) -> None:
    path.write_text("name " * n + ",b\n" + "1,2\n" * 1000, encoding="ascii")


def many_long_names(path: Path, n: int) -> None:
    names = ",".join(f"customer address line {j} " * 20 for j in range(n))
    path.write_text(names + "\n" + (",".join("7" * 3 for _ in range(n)) + "\n") * 5, encoding="ascii")


def quoted(path: Path, n: int) -> None:
    path.write_text("a,b\n" + "".join(f'"x ""{i}"" y","{i}"\n' for i in range(n)), encoding="ascii")


def quoted_record(path: Path, n: int) -> None:
    path.write_text('a,b\n1,"' + "some words in a line\n" * n + '"\n', encoding="ascii")


def open_quote(path: Path, n: int) -> None:
    path.write_text('a,b\n1,"x\n' + "2,y\n" * n, encoding="ascii")


def many_open_quotes(path: Path, n: int) -> None:
    path.write_text("a,b\n" + '1,"x\n2,y"z\n' * n, encoding="ascii")


def backslashes(path: Path, n: int) -> None:
    path.write_text("a,b\n" + '1,"x\\"y\\\\"\n' * n, encoding="ascii")


def delimiters(path: Path, n: int) -> None:
    path.write_text(("," * 200 + "\n") * n, encoding="ascii")


def mixed_delimiters(path: Path, n: int) -> None:
    path.write_text("a,b;c|d\te:f\n" * n, encoding="ascii")


def ragged(path: Path, n: int) -> None:
    path.write_text("a,b,c\n" + "".join("1," * (i % 9) + "x\n" for i in range(n)), encoding="ascii")


def json_keys(path: Path, n: int) -> None:
    made = ({f"k{i}_{j}": {"v": i} for j in range(n // 10)} for i in range(10))
    path.write_text("\n".join(map(json.dumps, made)), encoding="ascii")


def json_lines(path: Path, n: int) -> None:
    path.write_text("".join(f'{{"id": {i}, "name": "{_word(i)}", "tags": ["a", "b"]}}\n' for i in range(n)))


def json_empty(path: Path, n: int) -> None:
    path.write_text("{}\n" * n, encoding="ascii")


def json_array(path: Path, n: int) -> None:
    path.write_text('{"a": [' + ",".join(["1"] * n) + "]}\n", encoding="ascii")


def json_document(path: Path, n: int) -> None:
    path.write_text('{"a": {"b": [' + ",".join(f'{{"c":{i}}}' for i in range(n)) + "]}}\n", encoding="ascii")


def json_deep(path: Path, n: int) -> None:
    path.write_text("[" * n + "]" * n, encoding="ascii")


def json_maps(path: Path, n: int) -> None:
    path.write_text(json.dumps({"by": {f"{_word(i)}@x.example": {"n": i} for i in range(n)}}), encoding="ascii")


def json_text_cells(path: Path, n: int) -> None:
    _csv(path, n, 1, lambda i, j: '"{""a"": {""b"": [' + str(i) + ', 2]}}"')


def xlsx_rows(path: Path, n: int) -> None:
    _workbook(path, 1, n, 4)


def xlsx_sheets(path: Path, n: int) -> None:
    _workbook(path, n, 3, 3)


def xlsx_columns(path: Path, n: int) -> None:
    _workbook(path, max(1, n // 1000), 4, 1000)


def _workbook(path: Path, sheets: int, rows: int, columns: int) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(path, {"constant_memory": True}) as book:
        for s in range(sheets):
            sheet = book.add_worksheet(f"s{s}")
            for i in range(rows):
                sheet.write_row(i, 0, [f"h{j}" if i == 0 else f"{_word(i)}{j}" for j in range(columns)])


def sqlite_tables(path: Path, n: int) -> None:
    with sqlite3.connect(path) as db:
        for i in range(n):
            db.execute(f"create table t{i} (id integer, name text)")
            db.execute(f"insert into t{i} values (?, ?)", (i, _word(i)))
    db.close()


def sqlite_columns(path: Path, n: int) -> None:
    with sqlite3.connect(path) as db:
        for t in range(max(1, n // 1000)):
            db.execute(f"create table t{t} ({', '.join(f'c{i}' for i in range(1000))})")
            db.executemany(f"insert into t{t} values ({','.join('?' * 1000)})", [list(range(1000))] * 5)
    db.close()


def sqlite_rows(path: Path, n: int) -> None:
    with sqlite3.connect(path) as db:
        db.execute("create table a (id integer, name text)")
        db.executemany("insert into a values (?, ?)", ((i, _word(i)) for i in range(n)))
    db.close()


def zip_members(path: Path, n: int) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for i in range(n):
            out.writestr(f"{i}.csv", f"a,b\n{i},x\n")


def tar_members(path: Path, n: int) -> None:
    with tarfile.open(path, "w") as out:
        for i in range(n):
            data = f"a,b\n{i},x\n".encode()
            member = tarfile.TarInfo(f"{i}.csv")
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))


def gzip_rows(path: Path, n: int) -> None:
    with gzip.open(path, "wt", encoding="ascii") as out:
        out.write("a,b\n" + "".join(f"{i},{_word(i)}\n" for i in range(n)))


def files(path: Path, n: int) -> None:
    path.mkdir()
    for i in range(n):
        (path / f"{i}.csv").write_text(f"a,b\n{i},x\n", encoding="ascii")


def other_files(path: Path, n: int) -> None:
    path.mkdir()
    for i in range(n):
        (path / f"{i}.png").write_bytes(b"\x89PNG\r\n\x1a\n")


def parquet_columns(path: Path, n: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({f"c{i}": [i, 2, 3] for i in range(n)}), path)


def parquet_metadata(path: Path, n: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"a": [1, 2]})
    pq.write_table(table.replace_schema_metadata({f"k{i}": f"value {i}" for i in range(n)}), path)


def parquet_rows(path: Path, n: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": range(n), "b": [_word(i) for i in range(n)]}), path)


def arrow_columns(path: Path, n: int) -> None:
    import pyarrow as pa

    table = pa.table({f"c{i}": [i, 2, 3] for i in range(n)})
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)


def arrow_batches(path: Path, n: int) -> None:
    import pyarrow as pa

    table = pa.table({"a": range(n * 4), "b": [_word(i) for i in range(n * 4)]})
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=4)


def avro_rows(path: Path, n: int) -> None:
    import fastavro

    fields = [{"name": "a", "type": "int"}, {"name": "b", "type": "string"}]
    with path.open("wb") as out:
        fastavro.writer(
            out, {"type": "record", "name": "r", "fields": fields}, ({"a": i, "b": _word(i)} for i in range(n))
        )


def _configured(path: Path, lines: list[str]) -> None:
    path.mkdir()
    _csv(path / "a.csv", 20, 200, lambda i, j: str(i * j))
    (path / "piiscan.toml").write_text("\n".join(lines), encoding="ascii")


def allow_entries(path: Path, n: int) -> None:
    _configured(
        path, [f'[[allow]]\npath = "f{i}*.csv"\ncolumn = "c{i}"\nentity = "PERSON"\nreason = "x"' for i in range(n)]
    )


def columns_entries(path: Path, n: int) -> None:
    _configured(path, [f'[[columns]]\npath = "f{i}*.csv"\ncolumn = "c{i}"\nis = "PERSON"' for i in range(n)])


class Shape(NamedTuple):
    """`first`: the smallest size, which takes about a second. `command`: what is measured of the file."""

    make: Callable[[Path, int], None]
    ending: str
    first: int
    command: str = "scan"


SHAPES = {
    shape.make.__name__ + ("" if shape.command == "scan" else f", {shape.command}"): shape
    for shape in (
        Shape(rows, "csv", 200_000), Shape(columns, "csv", 2_500), Shape(named_columns, "csv", 1_500),
        Shape(distinct_values, "csv", 1_000_000), Shape(categories, "csv", 900_000), Shape(findings, "csv", 600_000),
        Shape(texts, "csv", 20_000), Shape(lines_of_text, "log", 150_000), Shape(long_cells, "csv", 60_000),
        Shape(long_line, "csv", 20_000), Shape(short_lines, "csv", 2_000_000), Shape(empty_lines, "csv", 2_000_000),
        Shape(long_header, "csv", 1_000_000), Shape(many_long_names, "csv", 3_000), Shape(quoted, "csv", 1_200_000),
        Shape(quoted_record, "csv", 800_000), Shape(open_quote, "csv", 2_000_000),
        Shape(many_open_quotes, "csv", 100_000), Shape(backslashes, "csv", 200_000), Shape(delimiters, "csv", 2_000),
        Shape(mixed_delimiters, "csv", 200_000), Shape(ragged, "csv", 200_000),
        Shape(json_keys, "jsonl", 2_000), Shape(json_lines, "jsonl", 60_000), Shape(json_empty, "jsonl", 1_000_000),
        Shape(json_array, "jsonl", 500_000), Shape(json_document, "json", 200_000), Shape(json_deep, "json", 100_000),
        Shape(json_maps, "json", 50_000), Shape(json_text_cells, "csv", 60_000),
        Shape(xlsx_rows, "xlsx", 20_000), Shape(xlsx_sheets, "xlsx", 150), Shape(xlsx_columns, "xlsx", 2_000),
        Shape(sqlite_tables, "sqlite", 300), Shape(sqlite_columns, "sqlite", 2_000),
        Shape(sqlite_rows, "sqlite", 300_000),
        Shape(zip_members, "zip", 300), Shape(tar_members, "tar", 300), Shape(gzip_rows, "csv.gz", 400_000),
        Shape(files, "", 300), Shape(other_files, "", 5_000),
        Shape(parquet_columns, "parquet", 2_000), Shape(parquet_metadata, "parquet", 20_000),
        Shape(parquet_rows, "parquet", 1_000_000), Shape(arrow_columns, "arrow", 2_000),
        Shape(arrow_batches, "arrow", 2_000), Shape(avro_rows, "avro", 100_000),
        Shape(allow_entries, "", 1_000), Shape(columns_entries, "", 1_000),
        Shape(rows, "csv", 100_000, "mask"), Shape(columns, "csv", 500, "mask"), Shape(findings, "csv", 20_000, "mask"),
        Shape(json_lines, "jsonl", 20_000, "mask"), Shape(files, "", 100, "mask"),
        Shape(columns, "csv", 2_500, "plan"), Shape(zip_members, "zip", 300, "plan"),
        Shape(rows, "csv", 200_000, "risk"), Shape(distinct_values, "csv", 300_000, "risk"),
    )
}  # fmt: skip


def commands(shape: Shape, path: Path, folder: Path) -> list[list[str]]:
    """What is run, the last of which is measured."""
    if shape.command == "mask":
        plan, out = folder / "plan.toml", folder / "masked"
        return [
            ["plan", str(path), "-o", str(plan)],
            ["mask", str(path), "--plan", str(plan), "-o", str(out if path.is_dir() else out.with_suffix(path.suffix))],
        ]
    if shape.command == "plan":
        return [["plan", str(path), "-o", str(folder / "plan.toml")]]
    if shape.command == "risk":
        quasi = {rows: "c1,c3", distinct_values: "id"}.get(shape.make, "a")
        return [["risk", str(path), "--quasi", quasi]]
    config = path / "piiscan.toml"
    return [["scan", str(path), "--format", "json", *(["--config", str(config)] if config.exists() else [])]]


class Measured(NamedTuple):
    cpu: float
    peak: float


def measured(shape: Shape, n: int, again: float) -> Measured:
    """CPU seconds and peak memory in MB of one size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / (f"input.{shape.ending}" if shape.ending else "input")
        child = os.fork()  # a process of its own: its peak would be counted into that of those that are measured
        if not child:
            shape.make(path, n)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            raise SystemExit("the file couldn't be made")
        *before, last = commands(shape, path, folder)
        for command in before:
            run([*PIISCAN, *command], statuses=(0, 1, 3))
        one = run([*PIISCAN, *last], statuses=(0, 1, 3))
        least = one.cpu
        if one.cpu < again and shape.command != "mask":
            least = min(least, run([*PIISCAN, *last], statuses=(0, 1, 3)).cpu)
        return Measured(least, one.peak)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(SHAPES))
    parser.add_argument("--doublings", type=int, default=2)
    parser.add_argument("--again", type=float, default=4.0, metavar="S", help="measure again what takes less")
    parser.add_argument("--list", action="store_true", help="name the shapes and end")
    parser.add_argument("--save", action="store_true", help=f"write the page and the figures to {RESULTS}")
    args = parser.parse_args()
    if args.list:
        print("\n".join(SHAPES))
        return
    from piiscan.core.keys import new

    os.environ["PIISCAN_KEY"] = new()
    about = machine()
    empty = {command: measured(Shape(short_lines, "csv", 0, command), 1, 9.0) for command in ("scan", "plan", "risk")}
    starts = {command: found.cpu for command, found in empty.items()}
    starts["mask"] = starts["plan"]
    sizes = [2**d for d in range(args.doublings + 1)]
    lines = [
        "| shape | n | " + " | ".join(f"CPU s at {s if s > 1 else ''}n" for s in sizes) + " | peak MB | worst ratio |",
        "|---|---" + "|---" * len(sizes) + "|---|---|",
    ]
    print("\n".join(lines), flush=True)
    figures = {}
    for name in args.only:
        shape = SHAPES[name]
        found = [measured(shape, shape.first * size, args.again) for size in sizes]
        own = [max(0.01, f.cpu - starts[shape.command]) for f in found]
        ratios = [b / a for a, b in pairwise(own) if a >= COUNTS]
        worst = max(ratios, default=None)
        figures[name] = {
            "n": shape.first,
            "cpu": [f.cpu for f in found],
            "peak": [f.peak for f in found],
            "worst": worst,
        }
        lines.append(
            f"| {name.replace('_', ' ')} | {shape.first:,} | " + " | ".join(f"{f.cpu:.1f}" for f in found)
            + f" | {', '.join(f'{f.peak:,.0f}' for f in found)} | {'–' if worst is None else f'{worst:.2f}'} |"
        )  # fmt: skip
        print(lines[-1], flush=True)
    start = f"An empty table takes {starts['scan']:.1f} CPU s to scan."
    page = f"{measured_on(about)} {start}\n\n" + "\n".join(lines) + "\n"
    if args.save:
        (RESULTS / f"linear-{about['date']}.json").write_text(
            json.dumps(about | {"starts": starts, "shapes": figures}, indent=1) + "\n", encoding="utf-8"
        )
        (RESULTS / "linear.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
