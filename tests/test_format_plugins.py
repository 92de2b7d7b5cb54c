"""Formats that other packages bring: found by their bytes, scanned, masked, and refused when something is wrong."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import piiscan as package
from piiscan.core.errors import UsageError
from piiscan.io.read_options import ReadOptions
from piiscan.io.reader_registry import BUILT_IN
from piiscan.io.write import writer_registry

MAGIC = b"\0\xffTOY\0\xff\0"
TOY = '''
import polars as pl
from piiscan.readers import Field, NotScanned, ReadError, ReadTable, TableInfo, WriteError, changed_frames

MAGIC = b"\\0\\xffTOY\\0\\xff\\0"

class Toy:
    """Fields that end in 0x1f, records that end in a line feed; the first one has the names."""
    endings = ("toy",)
    def recognises(self, probe):
        return probe.head.startswith(MAGIC)
    def tables(self, content, options):
        with content.open() as stream:
            stream.seek(len(MAGIC))
            header = stream.readline().decode().split("\\x1f")[:-1]
        def read():
            with content.open() as stream:
                rows = [r.split("\\x1f")[:-1] for r in stream.read()[len(MAGIC):].decode().split("\\n")[1:-1]]
            if any(len(row) != len(header) for row in rows):
                raise ReadError("a record of other fields; write it again")
            yield pl.DataFrame(rows, schema={str(i): pl.String for i in range(len(header))}, orient="row")
            content.read_whole()
        info = TableInfo(content.source, None, "toy", True, tuple(map(Field, header)))
        yield ReadTable(info, read)

reader = Toy()

def write(tables, changes, target):
    (table,), (change,) = tables, changes
    with open(target, "wb") as out:
        out.write(MAGIC)
        rows = [row for frame in changed_frames(table, change) for row in frame.rows()]
        for row in ([column.field.name for column in change.columns], *rows):
            out.write("".join(f"{cell}\\x1f" for cell in row).encode() + b"\\n")
'''
HEADER = ("member", "email", "city")
ROWS = [(str(i), f"person.{i}@example.com", ("Ulm", "Bonn")[i % 2]) for i in range(60)]
RAISED = "raise KeyError('person.1@example.com')"
Install = Callable[..., Path]


def toy(path: Path, magic: bytes = MAGIC) -> Path:
    lines = ("".join(f"{cell}\x1f" for cell in row) + "\n" for row in (HEADER, *ROWS))
    path.write_bytes(magic + "".join(lines).encode())
    return path


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a package with entry points on Python's path, as an installer leaves it."""
    made: list[str] = []

    def install(code: str = TOY, reader: str | None = "toy", writer: str | None = "toy", value: str = "reader") -> Path:
        module = f"toy_{uuid4().hex}"
        made.append(module)
        site = tmp_path / module
        info = site / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        groups = {"readers": (reader, value), "writers": (writer, "write")}
        points = (f"[piiscan.{group}]\n{name} = {module}:{of}\n" for group, (name, of) in groups.items() if name)
        (info / "entry_points.txt").write_text("".join(points))
        (site / f"{module}.py").write_text(code)
        monkeypatch.syspath_prepend(str(site))
        return site

    yield install
    for module in made:
        sys.modules.pop(module, None)


def reasons(path: Path) -> list[str]:
    report = package.scan(path)
    assert not report.complete
    return [entry.reason for entry in report.not_scanned]


def test_a_format_of_a_plug_in_is_scanned(tmp_path: Path, install: Install) -> None:
    toy(tmp_path / "people.toy")
    install()
    (table,) = package.scan(tmp_path / "people.toy").tables
    assert (table.format, table.rows) == ("toy", 60)
    assert [(c.name, c.entity) for c in table.columns][1:] == [("email", "EMAIL_ADDRESS"), ("city", "CITY")]


def test_it_is_found_by_its_bytes_and_in_archives(tmp_path: Path, install: Install) -> None:
    toy(tmp_path / "people.bin")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "people.bin", "inner")
    assert reasons(tmp_path / "people.bin") and reasons(tmp_path / "all.zip")
    install()
    for name in ("people.bin", "all.zip"):
        report = package.scan(tmp_path / name)
        assert report.complete and [t.rows for t in report.tables] == [60]


def test_text_is_read_by_a_plug_in_only_below_its_ending(tmp_path: Path, install: Install) -> None:
    install(TOY.replace(r'b"\0\xffTOY\0\xff\0"', 'b"TOY|"'))
    formats = [package.scan(toy(tmp_path / name, b"TOY|")).tables[0].format for name in ("a.toy", "a.dat", "a.csv")]
    assert formats[0] == "toy" and "toy" not in formats[1:]


def test_what_piiscan_reads_itself_stays_its_own(tmp_path: Path, install: Install) -> None:
    install(TOY.replace("return probe.head.startswith(MAGIC)", "return True"))
    path = tmp_path / "t.csv"
    path.write_text("name,email\n" + "".join(f"x,person.{i}@example.com\n" for i in range(30)))
    assert package.scan(path).tables[0].format == "csv"


def test_a_format_of_a_plug_in_is_masked(tmp_path: Path, install: Install) -> None:
    from piiscan.core.keys import Key
    from piiscan.masking.run.mask_files import mask_files
    from piiscan.rules import rule_sets

    source, out = toy(tmp_path / "people.toy"), tmp_path / "out.toy"
    install()
    plan = package.plan(source)
    mask_files(source, out, plan, Key(bytes(range(32))), rule_sets.load(), ReadOptions())
    (table,) = package.scan(out).tables
    assert (table.format, table.rows) == ("toy", 60)
    cells = out.read_bytes().decode("latin-1")
    assert not any(email in cells for _, email, _ in ROWS) and "email" in cells


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("            content.read_whole()\n", "", "bytes were not read, from byte 0 on"),
        ("return probe.head", "raise ValueError(probe.head) or probe", "failed to tell its kind (ValueError)"),
        ("            header =", f"            {RAISED}\n            header =", "failed (KeyError)"),
        ("                rows =", f"                {RAISED}\n                rows =", "malformed toy (KeyError)"),
        ('"toy", True', '"csv", True', "a table of another source or format"),
        ("content.source, None", "'other.csv', None", "a table of another source or format"),
        ("yield ReadTable(info, read)", "yield 7", "gave something other than a table"),
        ("range(len(header))}", "range(1, 1 + len(header))}", "other columns than it promised"),
        ("yield ReadTable(info, read)", "yield NotScanned(content.source, 'no')", "no"),
    ],
)  # fmt: skip
def test_a_reader_that_goes_wrong_leaves_the_file_not_scanned(
    tmp_path: Path, install: Install, old: str, new: str, said: str
) -> None:
    assert old in TOY
    install(TOY.replace(old, new))
    found = reasons(toy(tmp_path / "people.toy"))
    assert found and said in found[0], found
    assert "person.1" not in str(found)
    assert rewritten(tmp_path / "people.toy", tmp_path / "out.toy") == found
    assert not (tmp_path / "out.toy").exists()


def test_two_readers_of_one_content_are_refused(tmp_path: Path, install: Install) -> None:
    install()
    install(TOY.replace('"toy", True', '"game", True'), reader="game", writer=None)
    assert "several plug-ins read it (game, toy)" in reasons(toy(tmp_path / "people.toy"))[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"value": "missing"}, "can't be loaded: AttributeError"),
        ({"code": "raise ValueError('x')"}, "can't be loaded: ValueError"),
        ({"value": "MAGIC"}, "endings must be a collection"),
        ({"code": "class reader:\n    endings = ('csv',)"}, ".csv is an ending of what piiscan reads itself"),
        ({"code": "class reader:\n    endings = ()"}, "a reader needs recognises"),
        *(({"reader": name}, "piiscan itself uses its name") for name in ("zip", "gzip", "csv", *BUILT_IN)),
    ],
)  # fmt: skip
def test_a_reader_that_cannot_be_used_stops_everything(
    tmp_path: Path, install: Install, change: dict[str, str], said: str
) -> None:
    install(**change)
    path = tmp_path / "t.csv"
    path.write_text("name,email\nx,y\n")
    with pytest.raises(UsageError, match=said):
        package.scan(path)


def rewritten(source: Path, target: Path) -> list[str]:
    from piiscan.io.write.change import Changed, Column
    from piiscan.io.write.rewrite import rewrite

    class Blanked:
        def __init__(self, fields: object) -> None:
            self.columns = tuple(Column(field, i, i != 1) for i, field in enumerate(fields))  # type: ignore[arg-type, var-annotated]

        def apply(self, batch: object) -> Changed:
            frame = batch.frame  # type: ignore[attr-defined]
            return Changed(frame.select(frame["1"].str.replace(".+", "*")))

    done = rewrite(source, target, ReadOptions(), lambda info: Blanked(info.fields))
    return [entry.reason for entry in done.left_out]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("        out.write(MAGIC)", f"        {RAISED}", "can't be written as toy (KeyError)"),
        ("        out.write(MAGIC)", "        raise WriteError('no room')", "no room"),
    ],
)  # fmt: skip
def test_a_writer_that_fails_leaves_no_output(tmp_path: Path, install: Install, old: str, new: str, said: str) -> None:
    source = toy(tmp_path / "people.toy")
    install(TOY.replace(old, new))
    with pytest.raises(package.WriteError) as caught:
        rewritten(source, tmp_path / "out.toy")
    assert said in str(caught.value) and "person.1" not in str(caught.value)
    assert not (tmp_path / "out.toy").exists()


def test_what_has_no_writer_is_left_out(tmp_path: Path, install: Install) -> None:
    source = toy(tmp_path / "people.toy")
    install(writer=None)
    assert rewritten(source, tmp_path / "out.toy") == [
        "toy is read but not written; export its tables as Parquet or CSV"
    ]


def test_what_a_writer_writes(tmp_path: Path, install: Install) -> None:
    install()
    assert rewritten(toy(tmp_path / "people.toy"), tmp_path / "out.toy") == []
    cells = (tmp_path / "out.toy").read_bytes().decode("latin-1")
    assert cells.count("*\x1f") == 60 and "person" not in cells and cells.count("Ulm") == 30


@pytest.mark.parametrize("name", sorted(writer_registry.BUILT_IN))
def test_every_built_in_writer_is_there_and_keeps_its_name(name: str, install: Install) -> None:
    assert callable(writer_registry.writer(name))
    install(reader=None, writer=name)
    with pytest.raises(UsageError, match="piiscan itself uses its name"):
        writer_registry.plugged()
