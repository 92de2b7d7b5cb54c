"""Workbooks: what is no cell of a sheet is read too, or named as not scanned; nothing of it is in what is written
again."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_io_csv import cells, tables
from test_io_databases import MAIL, SSN, entities
from test_write import Each, shout

import piiscan
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.rewrite import rewrite

openpyxl = pytest.importorskip("openpyxl")
xlsxwriter = pytest.importorskip("xlsxwriter")

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def plain(folder: Path, fill: Callable[[Any, Any], object] = lambda book, sheet: None) -> Path:
    """A workbook with a sheet of things, and whatever `fill` adds."""
    path = folder / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("stock")
        sheet.write_row(0, 0, ["size", "colour"])
        for i in range(30):
            sheet.write_row(i + 1, 0, [i, ("red", "blue")[i % 2]])
        fill(book, sheet)
    return path


def with_parts(path: Path, parts: dict[str, bytes], swap: tuple[str, str, str] = ("", "", "")) -> Path:
    """The workbook with more parts; in the part `swap[0]`, one text takes another's place."""
    with zipfile.ZipFile(path) as archive:
        data = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    if swap[0]:
        assert swap[1].encode() in data[swap[0]]
        data[swap[0]] = data[swap[0]].replace(swap[1].encode(), swap[2].encode())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (data | parts).items():
            archive.writestr(name, content)
    return path


def said(path: Path) -> dict[str | None, list[str]]:
    return {t.info.table: [row[0] for row in cells(t)] for t in tables(path) if t.info.table != "stock"}


FILLED: dict[str, tuple[str, Callable[[Any, Any], object]]] = {
    "a comment": ("stock!comments", lambda b, s: s.write_comment("A2", f"ask {MAIL}")),
    "who wrote a comment": ("workbook!authors", lambda b, s: s.write_comment("A2", "checked", {"author": MAIL})),
    "a text box": ("stock!drawings", lambda b, s: s.insert_textbox("D2", f"ask {MAIL}")),
    "a text of a picture": ("stock!drawings", lambda b, s: s.insert_textbox("D2", "none", {"description": MAIL})),
    "a button": ("stock!drawings", lambda b, s: s.insert_button("D2", {"caption": MAIL})),
    "a chart's title": ("stock!drawings", lambda b, s: s.insert_chart("D2", charted(b, title=MAIL))),
    "a chart's values": ("stock!drawings", lambda b, s: s.insert_chart("D2", charted(b, values=[MAIL, SSN]))),
    "a header": ("stock!headers and footers", lambda b, s: s.set_header(f"&L{MAIL}")),
    "a footer": ("stock!headers and footers", lambda b, s: s.set_footer(f'&C&"Arial"{MAIL}')),
    "a link": ("stock!hyperlinks", lambda b, s: s.write_url("A40", f"mailto:{MAIL}", string="write")),
    "a tip of a link": (
        "stock!hyperlinks",
        lambda b, s: s.write_url("A40", "internal:stock!A1", string="go", tip=MAIL),
    ),
    "a list of a validation": (
        "stock!formulas",
        lambda b, s: s.data_validation("A2", {"validate": "list", "source": [MAIL, "other"]}),
    ),
    "a prompt": (
        "stock!validations",
        lambda b, s: s.data_validation("A2", {"validate": "any", "input_title": "who", "input_message": MAIL}),
    ),
    "a formula": ("stock!formulas", lambda b, s: s.write_formula("A40", f'=IF(A2=1,"{MAIL}","")', value="x")),
    "a number in a formula": ("stock!formulas", lambda b, s: s.write_formula("A40", "=MATCH(536221234,A:A)", value=3)),
    "a condition": (
        "stock!formulas",
        lambda b, s: s.conditional_format(
            "A2", {"type": "formula", "criteria": f'=$B2="{MAIL}"', "format": b.add_format()}
        ),
    ),
    "a condition's text": (
        "stock!settings",
        lambda b, s: s.conditional_format(
            "A2", {"type": "text", "criteria": "containing", "value": MAIL, "format": b.add_format()}
        ),
    ),
    "a filter": ("stock!settings", lambda b, s: (s.autofilter("A1:B31"), s.filter_column_list("B", [MAIL]))),
    "a name": ("workbook!names and settings", lambda b, s: b.define_name("boss", f'="{MAIL}"')),
    "the author": ("workbook!authors", lambda b, s: b.set_properties({"author": MAIL})),
    "a note on the whole": ("workbook!properties", lambda b, s: b.set_properties({"comments": f"ask {MAIL}"})),
    "the manager": ("workbook!authors", lambda b, s: b.set_properties({"manager": MAIL})),
    "a property of one's own": ("workbook!properties", lambda b, s: b.set_custom_property("owner", MAIL)),
    "a format of numbers": (
        "workbook!formats",
        lambda b, s: s.write_number("A40", 1, b.add_format({"num_format": f'0"{MAIL}"'})),
    ),
}


@pytest.mark.parametrize(
    ("author", "found"), [("Wendelgard Tuschenbrink", ["PERSON"]), ("Windows User", []), ("openpyxl", []), ("", [])]
)
def test_who_wrote_a_workbook_is_a_person(tmp_path: Path, author: str, found: list[str]) -> None:
    path = plain(tmp_path, lambda b, s: b.set_properties({"author": author}))
    assert [finding.entity for finding in piiscan.scan(path).findings] == found


def charted(book: Any, title: str = "sizes", values: list[str] | None = None) -> Any:
    chart = book.add_chart({"type": "column"})
    chart.add_series(
        {
            "values": "=stock!$A$2:$A$9",
            "values_data": [1, 2],
            "categories": "=stock!$B$2:$B$9",
            "categories_data": values or ["red"],
        }
    )
    chart.set_title({"name": title})
    return chart


@pytest.mark.parametrize("what", FILLED)
def test_texts_that_are_no_cells(tmp_path: Path, what: str) -> None:
    table, fill = FILLED[what]
    path = plain(tmp_path, fill)
    assert any(MAIL in text or "536221234" in text for text in said(path)[table])
    assert is_gone(path)


def is_gone(path: Path) -> bool:
    """Whether the file is left out when it is written again, or what comes of it has no planted text."""
    out = path.with_name("out.xlsx")
    left = rewrite(path, out, ReadOptions(), lambda info: Each(info, lambda cell: "x", [1])).left_out
    if left:
        return not out.exists()
    with zipfile.ZipFile(out) as archive:
        parts = [archive.read(name) for name in archive.namelist()]
    return not any(needle.encode() in part for needle in (MAIL, SSN) for part in parts)


def test_a_workbook_of_cells_alone_has_no_further_tables(tmp_path: Path) -> None:
    assert said(plain(tmp_path)) == {}
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.save(tmp_path / "o.xlsx")
    assert [t.info.table for t in tables(tmp_path / "o.xlsx")] == ["Sheet"]
    table = plain(
        tmp_path,
        lambda b, s: s.add_table(
            "A1:B31", {"columns": [{"header": "size"}, {"header": "colour"}], "autofilter": False}
        ),
    )
    assert said(table) == {}
    chart = plain(tmp_path, lambda b, s: s.insert_chart("D2", charted(b)))
    assert said(chart) == {"stock!drawings": ["sizes"]}


PARTS: dict[str, tuple[str, str, bytes]] = {
    "a threaded comment": (
        "workbook!comments",
        "xl/threadedComments/threadedComment1.xml",
        f"<ThreadedComments><threadedComment><text>ask {MAIL}</text></threadedComment></ThreadedComments>".encode(),
    ),
    "persons": (
        "workbook!authors",
        "xl/persons/person.xml",
        f'<personList><person displayName="{MAIL}" userId="x"/></personList>'.encode(),
    ),
    "cells that a pivot table keeps": (
        "workbook!pivot caches",
        "xl/pivotCache/pivotCacheRecords1.xml",
        f'<pivotCacheRecords><r><s v="{MAIL}"/><n v="536221234"/></r></pivotCacheRecords>'.encode(),
    ),
    "values that a pivot table keeps": (
        "workbook!pivot caches",
        "xl/pivotCache/pivotCacheDefinition1.xml",
        '<pivotCacheDefinition refreshedBy="Jane"><sharedItems><s '
        f'v="{MAIL}"/></sharedItems></pivotCacheDefinition>'.encode(),
    ),
    "cells of another workbook": (
        "workbook!external links",
        "xl/externalLinks/externalLink1.xml",
        '<externalLink><externalBook><sheetDataSet><sheetData sheetId="0"><row r="1"><cell '
        f'r="A1"><v>{MAIL}</v></cell></row></sheetData></sheetDataSet></externalBook></externalLink>'.encode(),
    ),
    "a connection": (
        "workbook!connections",
        "xl/connections.xml",
        f'<connections><connection id="1" name="x"><dbPr connection="UID={MAIL};PWD=x" command="SELECT '
        '1"/></connection></connections>'.encode(),
    ),
    "XML of one's own": ("workbook!other parts", "customXml/item1.xml", f"<x><who>{MAIL}</who></x>".encode()),
    "an attribute of it": ("workbook!other parts", "customXml/item1.xml", f'<x who="{MAIL}"/>'.encode()),
    "XML in UTF-16": (
        "workbook!other parts",
        "customXml/item1.xml",
        f'<?xml version="1.0" encoding="UTF-16"?><x>{MAIL}</x>'.encode("utf-16"),
    ),
    "a sheet that no list names": (
        "workbook!other parts",
        "xl/worksheets/sheet9.xml",
        f"<worksheet><sheetData><row><c t='str'><v>{MAIL}</v></c></row></sheetData></worksheet>".encode(),
    ),
    "changes that are kept": (
        "workbook!other parts",
        "xl/revisions/revisionLog1.xml",
        f"<revisions><rcc><oc><is><t>{MAIL}</t></is></oc></rcc></revisions>".encode(),
    ),
    "a part without a name that is known": (
        "workbook!other parts",
        "xl/odd.dat",
        f"<?xml version='1.0'?><x>{MAIL}</x>".encode(),
    ),
    "a drawing of old": (
        "workbook!drawings",
        "xl/drawings/vmlDrawing9.vml",
        f"<xml><v:textbox><div>ask<br>{MAIL}</div></v:textbox></xml>".encode(),
    ),
    "strings that no cell has": (
        "workbook!unused strings",
        "xl/sharedStrings.xml",
        "<sst "
        f"xmlns='{MAIN}'><si><t>size</t></si><si><t>colour</t></si><si><t>red</t></si><si><t>blue</t></si><si><"
        "r><t>ann.needle</t></r><r><rPr><b/></rPr><t>@example.org</t></r></si></sst>".encode(),
    ),
    "how a string is pronounced": (
        "workbook!unused strings",
        "xl/sharedStrings.xml",
        f"<sst xmlns='{MAIN}'><si><t>size</t></si><si><t>colour</t></si><si><t>red</t><rPh sb='0' "
        f"eb='1'><t>{MAIL}</t></rPh></si><si><t>blue</t></si></sst>".encode(),
    ),
}


@pytest.mark.parametrize("what", PARTS)
def test_parts_that_hold_texts(tmp_path: Path, what: str) -> None:
    table, member, data = PARTS[what]
    path = with_parts(plain(tmp_path), {member: data})
    assert any(MAIL in text for text in said(path)[table])
    assert is_gone(path)


def packed(name: str, data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("member", "data"),
    [
        ("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + MAIL.encode()),
        ("xl/activeX/activeX1.bin", MAIL.encode()),
        ("xl/customProperty1.bin", MAIL.encode("utf-16-le")),
        ("xl/embeddings/oleObject1.bin", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + MAIL.encode()),
        ("xl/embeddings/letter.pdf", b"%PDF-1.7 \n" + MAIL.encode()),
        ("customXml/item1.xml", b'<!DOCTYPE x [<!ENTITY a "' + MAIL.encode() + b'">]><x>&a;</x>'),
        ("customXml/item1.xml", b"<x>" + MAIL.encode()),
        ("_xmlsignatures/sig1.xml", b"<Signature/>"),
    ],
)
def test_parts_that_cannot_be_read_are_reported_by_name(tmp_path: Path, member: str, data: bytes) -> None:
    path = with_parts(plain(tmp_path), {member: data})
    report = piiscan.scan(path)
    assert [n.source.rpartition("!")[2] for n in report.not_scanned] == [member]
    assert is_gone(path)


def test_a_workbook_within_a_workbook(tmp_path: Path) -> None:
    inner = plain(tmp_path, lambda b, s: s.write_column("D1", ["mail", *[MAIL] * 9])).read_bytes()
    path = with_parts(
        plain(tmp_path), {"xl/embeddings/Microsoft_Excel_Sheet1.xlsx": inner, "xl/media/image1.png": b"\x89PNG"}
    )
    assert [t.info.source.partition("!")[2] for t in tables(path)] == ["", "xl/embeddings/Microsoft_Excel_Sheet1.xlsx"]
    assert "EMAIL_ADDRESS" in entities(path)
    assert is_gone(path)


def test_a_document_within_a_workbook(tmp_path: Path) -> None:
    letter = packed("word/document.xml", f"<p><t>{MAIL}</t></p>".encode())
    path = with_parts(plain(tmp_path), {"xl/embeddings/letter.docx": letter})
    assert [row for t in tables(path) if t.info.format == "office document" for row in cells(t)] == [[MAIL]]


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_read(tmp_path: Path, state: str) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a"])
    hidden = book.create_sheet("h")
    hidden.sheet_state = state
    hidden.append(["mail"])
    hidden.append([MAIL])
    book.save(tmp_path / "b.xlsx")
    assert MAIL in cells(tables(tmp_path / "b.xlsx")[1])[0]


@pytest.mark.parametrize(
    "cell",
    [
        f'<c r="D2" t="inlineStr"><is><t>{MAIL}</t></is></c>',
        '<c r="D2" t="inlineStr"><is><r><t>ann.needle</t></r><r><rPr><b/></rPr><t>@example.org</t></r></is></c>',
        f'<c r="D2" t="str"><f>A1</f><v>{MAIL}</v></c>',
        f'<c r="D2" t="str"><v>{MAIL}</v></c>',
        f'<c r="D2" t="d"><v>{MAIL}</v></c>',
        f'<c r="D2" t="e"><v>{MAIL}</v></c>',
        f'<c r="D2"><v>{MAIL}</v></c>',
        f'<c r="D2" t="b"><v>{MAIL}</v></c>',
        f'<c r="D2" t="inlineStr"><is><t>x</t><rPh sb="0" eb="1"><t>{MAIL}</t></rPh></is></c>',
        f'<c r="D2" t="n"><v>1</v><is><t>{MAIL}</t></is></c>',
    ],
)
def test_every_kind_of_cell(tmp_path: Path, cell: str) -> None:
    path = with_parts(
        plain(tmp_path), {}, ("xl/worksheets/sheet1.xml", '</c></row><row r="3"', f'</c>{cell}</row><row r="3"')
    )
    assert "EMAIL_ADDRESS" in entities(path) or not piiscan.scan(path).complete


@pytest.mark.parametrize(
    ("value", "stored"), [("<v>3</v>", True), ("<v></v>", False), ("<v/>", False), ("", False), ("<v>0</v>", False)]
)
def test_formulas_without_a_stored_result(tmp_path: Path, value: str, stored: bool) -> None:
    path = plain(tmp_path, lambda b, s: s.write_formula("A40", "=SUM(A2:A9)", value=3))
    with_parts(
        path, {}, ("xl/worksheets/sheet1.xml", "<v>3</v></c></row></sheetData>", f"{value}</c></row></sheetData>")
    )
    report = piiscan.scan(path)
    assert report.complete == stored
    assert stored or "open it in its program" in report.not_scanned[0].reason
    left = rewrite(path, tmp_path / "out.xlsx", ReadOptions(), lambda info: Each(info, shout)).left_out
    assert bool(left) != stored


ODS = (
    '<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:dc="d" xmlns:xlink="l" '
    'xmlns:draw="w" office:version="1.2">'
    "<office:body><office:spreadsheet>{before}"
    '<table:table table:name="stock"><table:table-row><table:table-cell '
    'office:value-type="string"><text:p>colour</text:p></table:table-cell>'
    "</table:table-row><table:table-row><table:table-cell "
    'office:value-type="string"{cell}>{within}<text:p>red</text:p></table:table-cell>'
    "</table:table-row></table:table>{after}</office:spreadsheet></office:body></office:document-content>"
)


def open_document(path: Path, parts: dict[str, str] | None = None, **inserted: str) -> Path:
    content = ODS.format(**(dict.fromkeys(("before", "cell", "within", "after"), "") | inserted))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        for name, data in ({"content.xml": content, "META-INF/manifest.xml": "<manifest/>"} | (parts or {})).items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("parts", "inserted"),
    [
        (
            {},
            {
                "within": "<office:annotation><dc:creator>Jane</dc:creator><text:p>ask "
                f"{MAIL}</text:p></office:annotation>"
            },
        ),
        ({}, {"cell": f' table:formula="of:=&quot;{MAIL}&quot;" '}),
        ({}, {"within": f'<text:p><text:a xlink:href="mailto:{MAIL}">write</text:a></text:p>'}),
        ({}, {"before": f'<table:content-validation table:condition="of:cell-content()=&quot;{MAIL}&quot;"/>'}),
        ({}, {"after": f'<table:named-expression table:name="a" table:expression="&quot;{MAIL}&quot;"/>'}),
        (
            {},
            {
                "before": "<table:tracked-changes><table:previous><table:change-track-table-cell>"
                f"<text:p>{MAIL}</text:p>"
                "</table:change-track-table-cell></table:previous></table:tracked-changes>"
            },
        ),
        ({"meta.xml": f"<m><initial-creator>{MAIL}</initial-creator></m>"}, {}),
        ({"styles.xml": f"<s><master><header><p>{MAIL}</p></header></master></s>"}, {}),
        ({"Object 1/content.xml": f"<c><p>{MAIL}</p></c>"}, {}),
    ],
)
def test_open_documents(tmp_path: Path, parts: dict[str, str], inserted: dict[str, str]) -> None:
    path = open_document(tmp_path / "t.ods", parts, **inserted)
    assert any(MAIL in text for texts in said(path).values() for text in texts)
    assert rewrite(path, tmp_path / "o.ods", ReadOptions(), lambda info: Each(info, shout)).left_out


def test_open_documents_of_cells_alone(tmp_path: Path) -> None:
    assert said(open_document(tmp_path / "t.ods")) == {}
    report = piiscan.scan(open_document(tmp_path / "t.ods", {"Basic/Standard/Module1.xba": "sub"}))
    assert [n.source.rpartition("!")[2] for n in report.not_scanned] == ["Basic/Standard/Module1.xba"]


def test_old_workbooks(tmp_path: Path) -> None:
    xlwt = pytest.importorskip("xlwt")
    path = tmp_path / "t.xls"
    book = xlwt.Workbook()
    sheet = book.add_sheet("stock")
    sheet.write(0, 0, "size")
    for i in range(500):
        sheet.write(i + 1, 0, i)
    sheet.header_str = sheet.footer_str = b""
    book.save(path)
    assert said(path) == {}
    sheet.header_str = f"&L{MAIL}".encode()
    sheet.write(600, 0, xlwt.Formula(f'"{SSN}"'))
    book.save(path)
    assert said(path) == {"workbook!headers and footers": [f"&L{MAIL}"], "workbook!formulas": [SSN]}


def _old_book() -> bytes:
    xlwt = pytest.importorskip("xlwt")
    book = xlwt.Workbook()
    sheet = book.add_sheet("a")
    for i in range(40):
        sheet.write(i, 0, f"word {i}")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_what_lies_behind_an_old_workbook_is_said(tmp_path: Path) -> None:
    (tmp_path / "t.xls").write_bytes(_old_book() + SSN.encode())
    assert not piiscan.scan(tmp_path).complete
    (tmp_path / "t.xls").write_bytes(_old_book() + bytes(600))
    assert piiscan.scan(tmp_path).complete


def test_sectors_in_a_circle_end_the_reading(tmp_path: Path) -> None:
    data = bytearray(_old_book())
    table = 512 * (1 + int.from_bytes(data[76:80], "little"))
    data[table : table + 4] = (0).to_bytes(4, "little")  # the first sector is followed by itself
    (tmp_path / "t.xls").write_bytes(data)
    report = piiscan.scan(tmp_path)
    assert not report.complete and "damaged" in report.not_scanned[0].reason


@pytest.mark.parametrize(
    ("row", "column", "is_read"), [(12_844, 11_321, False), (39, 40_000, True), (65_000, 100, True)]
)
def test_an_old_sheet_s_cells_far_off_are_not_asked_for(tmp_path: Path, row: int, column: int, is_read: bool) -> None:
    """A reader allocates all cells up to the last one, which takes gigabytes for a file of 6 KB."""
    data = bytearray(_old_book())
    last = data.rfind(struct.pack("<HHHH", 0xFD, 10, 39, 0))
    data[last + 4 : last + 8] = struct.pack("<HH", row, column)
    (tmp_path / "t.xls").write_bytes(data)
    reasons = [n.reason for n in piiscan.scan(tmp_path).not_scanned]
    assert any("cells, empty ones counted" in reason for reason in reasons) != is_read


@pytest.mark.parametrize("sector", [8_000_000, 0xFFFFFF00])
@pytest.mark.parametrize("place", [48, 76])  # of the directory, of the table of sectors
def test_sectors_beyond_the_file_are_not_asked_for(tmp_path: Path, place: int, sector: int) -> None:
    """Their reader allocates up to there: an allocation that fails ends the process."""
    data = bytearray(_old_book())
    data[place : place + 4] = sector.to_bytes(4, "little")
    (tmp_path / "t.xls").write_bytes(data)
    report = piiscan.scan(tmp_path)
    assert not report.complete and "damaged" in report.not_scanned[0].reason


def test_the_name_of_a_sheet_without_cells_is_a_name(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        book.add_worksheet("a").write_column(0, 0, ["colour", "red", "blue"])
        book.add_worksheet(SSN)
    assert [name.entity for name in piiscan.scan(tmp_path).in_names] == ["US_SSN"]


def test_pictures_of_a_workbook_are_said(tmp_path: Path) -> None:
    path = with_parts(plain(tmp_path), {"xl/media/image1.png": b"\x89PNG", "xl/media/image2.jpeg": b"\xff\xd8"})
    report = piiscan.scan(path)
    assert report.complete and "2 pictures in the workbook, which nobody looked at" in report.tables[0].notes
