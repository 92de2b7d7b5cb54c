"""Documents and slides of office programs: what people wrote in them is found, wherever it stands, or said not to be
read."""

from __future__ import annotations

import io
import zipfile
from base64 import b64encode, encodebytes
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import run_piiscan
from mask_people import key_file
from test_io_csv import cells, tables

import piiscan
from piiscan.core import shares
from piiscan.core.types import NotScanned
from piiscan.io.inputs import discover
from piiscan.io.read_options import Limits, ReadOptions

MAIL = "ann.needle@corp.org"
TYPES = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
SPACES = " ".join(f'xmlns:{p}="urn:{p}"' for p in "w a p r m v o mc wp wps w15 cp dc vt pic c".split())
ODF = " ".join(f'xmlns:{p}="urn:{p}"' for p in "office text table draw xlink dc meta config style svg manifest".split())
TEXT = "application/vnd.oasis.opendocument.text"
PEOPLE = [
    ["name", "date of birth", "email", "telephone"],
    ["Hannelore Brückner", "1961-06-15", "hannelore.brueckner@web.de", "+49 30 5550147"],
    ["Klaus Wagner", "1972-01-30", "k.wagner@gmx.de", "+49 89 5550188"],
    ["Sabine Köster", "1985-11-02", "sabine.koester@web.de", "+49 40 5550112"],
]


Parts = Mapping[str, bytes | str]
NONE: Parts = {}


def zipped(members: Parts) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def part(body: str, root: str = "w:x") -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><{root} {SPACES}>{body}</{root}>'


def p(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(body: str = "", parts: Parts = NONE) -> bytes:
    text = part(f"<w:body>{body}</w:body>", "w:document")
    return zipped({"[Content_Types].xml": TYPES, "word/document.xml": text, **parts})


def pptx(slide: str = "", parts: Parts = NONE) -> bytes:
    main = {"ppt/presentation.xml": part("", "p:presentation"), "ppt/slides/slide1.xml": part(slide, "p:sld")}
    return zipped({"[Content_Types].xml": TYPES, **main, **parts})


def odt(body: str = "", parts: Parts = NONE, kind: str = TEXT) -> bytes:
    content = meta(f"<office:body>{body}</office:body>", "office:document-content")
    return zipped({"mimetype": kind, "content.xml": content, **parts})


def meta(body: str, root: str = "office:document-meta") -> str:
    return f'<?xml version="1.0"?><{root} {ODF}>{body}</{root}>'


def said(folder: Path, data: bytes, name: str = "a.docx") -> dict[str | None, list[tuple[object, ...]]]:
    """The rows of each table, by its name."""
    (folder / name).write_bytes(data)
    return {t.info.table: [tuple(row) for row in cells(t)] for t in tables(folder / name)}


def lines(folder: Path, data: bytes, name: str = "a.docx") -> list[object]:
    return [row[0] for row in said(folder, data, name).get(None, [])]


def reasons(folder: Path, data: bytes, name: str = "a.docx") -> list[str]:
    (folder / name).write_bytes(data)
    return [f"{n.source}: {n.reason}" for n in piiscan.scan(folder / name).not_scanned]


FIELD = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>{}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
INSTRUCTION = "<w:r><w:instrText>{}</w:instrText></w:r>"
BOX = "<w:txbxContent>{}</w:txbxContent>"
PARAGRAPHS: dict[str, tuple[bytes, list[str]]] = {
    "runs of a word": (docx("<w:p><w:r><w:t>Ann Ex</w:t></w:r><w:r><w:t>ample</w:t></w:r></w:p>"), ["Ann Example"]),
    "a blank of its own": (
        docx(
            "<w:p><w:r><w:t>Ann</w:t></w:r><w:r><w:t xml:space='preserve'> </w:t></w:r><w:r><w:t>Lee</w:t></w:r></w:p>"
        ),
        ["Ann Lee"],
    ),
    "tabs and breaks": (docx("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>"), ["a b c"]),
    "indented marks": (docx("\n <w:p>\n  <w:r>\n   <w:t>Ann</w:t>\n  </w:r>\n </w:p>\n"), ["Ann"]),
    "changes": (
        docx(
            "<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t> new</w:t></w:r></w:ins></w:p>"
        ),
        ["old new"],
    ),
    "a text box": (
        docx(
            f"<w:p><w:r><w:t>be</w:t></w:r><w:r><wps:txbx>{BOX.format(p('box'))}</wps:txbx></w:r><w:r><w:t>fore</w:t></w:r></w:p>"
        ),
        ["box", "before"],
    ),
    "a text box, twice": (
        docx(
            f"<w:p><mc:AlternateContent><mc:Choice>{BOX.format(p('box') + p('more'))}</mc:Choice>"
            f"<mc:Fallback>{BOX.format(p('box') + p('other'))}</mc:Fallback></mc:AlternateContent></w:p>"
        ),
        ["box", "more", "other"],
    ),
    "headers and notes": (
        docx(p("text"), {"word/header1.xml": part(p("head")), "word/footer2.xml": part(p("foot"))}),
        ["text", "foot", "head"],
    ),
    "notes at the end": (
        docx(p("text"), {"word/endnotes.xml": part(p("end")), "word/footnotes.xml": part(p("f"))}),
        ["text", "end", "f"],
    ),
    "another prefix": (
        zipped(
            {
                "[Content_Types].xml": TYPES,
                "word/document.xml": "<document xmlns='u'><body><p><r><t>Ann</t></r></p></body></document>",
            }
        ),
        ["Ann"],
    ),
    "UTF-16": (
        zipped({"word/document.xml": part(p("Brückner")).replace("UTF-8", "UTF-16").encode("utf-16")}),
        ["Brückner"],
    ),
    "slides in order": (
        pptx(
            "<a:p><a:r><a:t>one</a:t></a:r></a:p>",
            {
                "ppt/slides/slide10.xml": part("<a:p><a:r><a:t>ten</a:t></a:r></a:p>"),
                "ppt/slides/slide2.xml": part(
                    "<a:p><a:r><a:t>t</a:t></a:r><a:r><a:t>wo</a:t></a:r><a:br/><a:fld><a:t>b</a:t></a:fld></a:p>"
                ),
                "ppt/notesSlides/notesSlide1.xml": part("<a:p><a:r><a:t>note</a:t></a:r></a:p>"),
                "ppt/comments/comment1.xml": part("<p:cm><p:text>said</p:text></p:cm>"),
            },
        ),
        ["one", "two b", "ten", "said", "note"],
    ),
    "OpenDocument": (
        odt(
            "<text:h>Title</text:h><text:p>Ann <text:span>Ex</text:span>ample<text:tab/>x<text:s/>y<text:line-break/>z"
            "</text:p>"
            "<text:p>note<text:note><text:note-body><text:p>foot</text:p></text:note-body></text:note>d</text:p>",
            {"styles.xml": meta("<style:header><text:p>head</text:p></style:header>", "office:document-styles")},
        ),
        ["Title", "Ann Example x y z", "foot", "noted", "head"],
    ),
    "changes and boxes of OpenDocument": (
        odt(
            "<text:tracked-changes><text:deletion><text:p>gone</text:p></text:deletion></text:tracked-changes>"
            "<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>",
            kind="application/vnd.oasis.opendocument.presentation",
        ),
        ["gone", "box"],
    ),
}


@pytest.mark.parametrize("what", PARAGRAPHS)
def test_a_paragraph_is_a_line(tmp_path: Path, what: str) -> None:
    data, expected = PARAGRAPHS[what]
    assert lines(tmp_path, data) == expected


def _word_table(rows: list[list[str]], head: bool = True) -> str:
    marked = "<w:trPr><w:tblHeader/></w:trPr>" * head
    made = ["".join(f"<w:tc>{p(cell)}</w:tc>" for cell in row) for row in rows]
    return f"<w:tbl>{''.join(f'<w:tr>{marked * (not i)}{row}</w:tr>' for i, row in enumerate(made))}</w:tbl>"


def _slide_table(rows: list[list[str]]) -> str:
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    made = ["".join(map(cell.format, row)) for row in rows]
    return f"<a:tbl>{''.join(f'<a:tr>{row}</a:tr>' for row in made)}</a:tbl>"


def _odf_table(rows: list[list[str]]) -> str:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    made = [f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>" for row in rows]
    head = f"<table:table-header-rows>{made[0]}</table:table-header-rows>"
    return f"<table:table table:name='x'>{head}{''.join(made[1:])}</table:table>"


TABLES = {
    "marked header": docx(_word_table(PEOPLE)),
    "header by its words": docx(_word_table(PEOPLE, head=False)),
    "in a cell of another one": docx(f"<w:tbl><w:tr><w:tc>{p('x')}{_word_table(PEOPLE)}</w:tc></w:tr></w:tbl>"),
    "in a text box": docx(f"<w:p>{BOX.format(_word_table(PEOPLE))}</w:p>"),
    "slide": pptx(_slide_table(PEOPLE)),
    "OpenDocument": odt(_odf_table(PEOPLE)),
}


@pytest.mark.parametrize("what", TABLES)
def test_tables_are_tables_under_their_header(tmp_path: Path, what: str) -> None:
    (tmp_path / "a.docx").write_bytes(TABLES[what])
    report = piiscan.scan(tmp_path / "a.docx")
    table = next(t for t in report.tables if t.table == "table 1")
    assert [c.name for c in table.columns] == PEOPLE[0] and table.rows == 3
    assert [c.entity for c in table.columns] == ["PERSON", "DATE_OF_BIRTH", "EMAIL_ADDRESS", "PHONE_NUMBER"]


def test_cells_that_span_several_columns(tmp_path: Path) -> None:
    wide = f'<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{p("sum")}</w:tc><w:tc>{p("9")}</w:tc></w:tr>'
    body = _word_table([["a", "b", "c"], ["1", "2", "3"]]).replace("</w:tbl>", f"{wide}</w:tbl>")
    assert said(tmp_path, docx(body))["table 1"] == [("1", "2", "3"), ("sum", "", "9")]


def test_lists_of_one_column_are_lines(tmp_path: Path) -> None:
    assert lines(tmp_path, docx(_word_table([[f"write to {MAIL}"]]))) == [f"write to {MAIL}"]


RELATION = f'<r:Relationship Id="r1" Target="mailto:{MAIL}" TargetMode="External"/>'
SAID: dict[str, tuple[bytes, str | None]] = {
    "a target of a link": (docx(parts={"word/_rels/document.xml.rels": part(RELATION)}), "#markup"),
    "a link in a slide": (pptx(parts={"ppt/slides/_rels/slide1.xml.rels": part(RELATION)}), "#markup"),
    "a field": (
        docx(f"<w:p>{FIELD.format(INSTRUCTION.format(f'HYPERLINK {MAIL[:9]}') + INSTRUCTION.format(MAIL[9:]))}</w:p>"),
        "#markup",
    ),
    "a simple field": (docx(f'<w:p><w:fldSimple w:instr="HYPERLINK mailto:{MAIL}"/></w:p>'), "#markup"),
    "a picture's description": (docx(f'<w:p><wp:docPr id="1" name="Picture 1" descr="{MAIL}"/></w:p>'), "#markup"),
    "a content control": (docx(f'<w:sdt><w:sdtPr><w:alias w:val="{MAIL}"/></w:sdtPr></w:sdt>'), "#markup"),
    "a comment": (docx(parts={"word/comments.xml": part(f"<w:comment w:author='x'>{p(MAIL)}</w:comment>")}), None),
    "who comments": (docx(parts={"word/comments.xml": part(f'<w:comment w:author="{MAIL}"/>')}), "authors"),
    "who changed it": (docx(f'<w:p><w:ins w:author="{MAIL}"/></w:p>'), "authors"),
    "people": (docx(parts={"word/people.xml": part(f'<w15:person w15:author="{MAIL}"/>')}), "authors"),
    "authors of slides": (
        pptx(parts={"ppt/commentAuthors.xml": part(f'<p:cmAuthor name="{MAIL}" initials="A"/>')}),
        "authors",
    ),
    "who annotates": (
        odt(f"<text:p>x<office:annotation><dc:creator>{MAIL}</dc:creator></office:annotation></text:p>"),
        "authors",
    ),
    "an annotation": (odt(f"<text:p>x<office:annotation><text:p>{MAIL}</text:p></office:annotation></text:p>"), None),
    "a link in OpenDocument": (odt(f'<text:p><text:a xlink:href="mailto:{MAIL}">x</text:a></text:p>'), "#markup"),
    "a property": (docx(parts={"docProps/core.xml": part(f"<dc:creator>{MAIL}</dc:creator>")}), "authors"),
    "a property of one's own": (
        docx(
            parts={
                "docProps/custom.xml": part(f'<cp:property name="Client"><vt:lpwstr>{MAIL}</vt:lpwstr></cp:property>')
            }
        ),
        "#properties",
    ),
    "a property of OpenDocument": (
        odt(
            parts={
                "meta.xml": meta(
                    f"<office:meta><meta:user-defined meta:name='c'>{MAIL}</meta:user-defined></office:meta>"
                )
            }
        ),
        "#properties",
    ),
    "a variable": (docx(parts={"word/settings.xml": part(f'<w:docVar w:name="c" w:val="{MAIL}"/>')}), "#markup"),
    "custom XML": (docx(parts={"customXml/item1.xml": f"<x><y>{MAIL}</y></x>"}), "#markup"),
    "a diagram": (docx(parts={"word/diagrams/data1.xml": part(f"<a:p><a:r><a:t>{MAIL}</a:t></a:r></a:p>")}), "#markup"),
    "a layout": (
        pptx(parts={"ppt/slideLayouts/slideLayout1.xml": part(f"<a:p><a:r><a:t>{MAIL}</a:t></a:r></a:p>")}),
        "#markup",
    ),
    "a setting": (
        odt(parts={"settings.xml": meta(f"<config:config-item config:name='a'>{MAIL}</config:config-item>")}),
        "#markup",
    ),
    "a comment in XML": (docx(f"<!-- {MAIL} -->"), "#markup"),
    "an attribute that nobody knows": (docx(f'<w:p w:x="{MAIL}"/>'), "#markup"),
    "text without a paragraph": (docx(MAIL), None),
}


@pytest.mark.parametrize("what", SAID)
def test_whatever_somebody_wrote_is_read(tmp_path: Path, what: str) -> None:
    data, table = SAID[what]
    assert any(MAIL in str(cell) for row in said(tmp_path, data)[table] for cell in row)
    report = piiscan.scan(tmp_path / "a.docx")
    assert report.complete and "EMAIL_ADDRESS" in {f.entity for f in report.findings}


def test_authors_are_columns_and_other_properties_lines(tmp_path: Path) -> None:
    core = "<dc:creator>Sabine Köster</dc:creator><cp:lastModifiedBy>Klaus Wagner</cp:lastModifiedBy>"
    own = '<cp:property name="Telephone number"><vt:lpwstr>(617) 555-2147</vt:lpwstr></cp:property>'
    own += '<cp:property name="Status"><vt:lpwstr>Unknown</vt:lpwstr></cp:property>'
    (tmp_path / "a.docx").write_bytes(
        docx(p("gravel"), {"docProps/core.xml": part(core), "docProps/custom.xml": part(own)})
    )
    report = piiscan.scan(tmp_path / "a.docx")
    tables = {t.table: t for t in report.tables}
    assert {c.name: c.entity for c in tables["authors"].columns} == {"creator": "PERSON", "lastModifiedBy": "PERSON"}
    assert "PHONE_NUMBER" in {i.entity for i in tables["#properties"].columns[0].inside}
    assert tables["#properties"].rows == 2


def test_names_and_numbers_in_letters(tmp_path: Path) -> None:
    letter = p("Dear Mrs Sabine Köster,") + p(f"please call (617) 555-2147 or write to {MAIL}.")
    (tmp_path / "letter").write_bytes(docx(letter))
    report = piiscan.scan(tmp_path / "letter")
    (table,) = report.tables
    assert report.complete and table.format == "office document"
    assert {"PERSON", "PHONE_NUMBER", "EMAIL_ADDRESS"} <= {i.entity for i in table.columns[0].inside}


def test_a_mask_leaves_documents_out_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(p(f"write to {MAIL}")))
    done = run_piiscan("mask", "a.docx", "-o", "out.docx", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 3 and "a document of an office program is read but not written" in done.stderr
    assert not (tmp_path / "out.docx").exists()


@pytest.mark.parametrize("data", [docx(), pptx(), odt(), docx("<w:p/>")])
def test_a_document_without_text_is_clean(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.docx").write_bytes(data)
    report = piiscan.scan(tmp_path / "a.docx")
    assert report.complete and not report.tables


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
ENCRYPTED = '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
UNREAD: dict[str, tuple[bytes, str]] = {
    "text in Base64": (docx(p(b64encode(b"write to ann@corp.org today").decode())), "text in Base64"),
    "a picture": (
        docx(p("x"), {"word/media/image1.png": b"\x89PNG"}),
        "a.docx: 1 picture or embedded object wasn't read",
    ),
    "pictures": (
        odt("<text:p>x</text:p>", {"Pictures/a.png": b"x", "Pictures/b.jpg": b"x"}),
        "a.docx: 2 pictures or embedded objects weren't read",
    ),
    "a video": (pptx(parts={"ppt/media/media1.mp4": bytes(99)}), "1 picture or embedded object"),
    "macros": (docx(p("x"), {"word/vbaProject.bin": OLE}), "a.docx: macros"),
    "macros of OpenDocument": (odt(parts={"Basic/Standard/Module1.xml": "<x/>"}), "macros"),
    "a signature": (docx(p("x"), {"_xmlsignatures/sig1.xml": "<Signature/>"}), "a.docx: a digital signature"),
    "a signature of OpenDocument": (odt(parts={"META-INF/documentsignatures.xml": "<x/>"}), "a digital signature"),
    "an object": (
        docx(parts={"word/embeddings/oleObject1.bin": OLE}),
        "a.docx!word/embeddings/oleObject1.bin: a document of an",
    ),
    "a control": (
        docx(parts={"word/activeX/activeX1.bin": bytes(range(256)) * 9}),
        "a.docx!word/activeX/activeX1.bin: ",
    ),
    "a broken part": (docx(parts={"word/header1.xml": "<w:p>"}), "a.docx!word/header1.xml: a malformed part"),
    "entities": (
        docx(parts={"word/header1.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'}),
        "a.docx!word/header1.xml: a part with a document type definition",
    ),
    "no text": (zipped({"[Content_Types].xml": TYPES, "word/header1.xml": part(p("x"))}), "without its text"),
    "a password": (OLE + "EncryptedPackage".encode("utf-16-le") + bytes(99), "encrypted"),
    "a password of OpenDocument": (
        odt(parts={"META-INF/manifest.xml": meta(ENCRYPTED, "manifest:manifest")}),
        "encrypted",
    ),
    "a name of somebody": (
        zipped({"word/document.xml": part(""), f"word/{MAIL}.bin": OLE}),
        "a.docx!word/file_1.org.bin",
    ),
}


@pytest.mark.parametrize("what", UNREAD)
def test_what_is_not_read_is_said(tmp_path: Path, what: str) -> None:
    data, reason = UNREAD[what]
    found = reasons(tmp_path, data)
    assert any(reason in line for line in found), found
    assert not any(MAIL in line for line in found)


@pytest.mark.parametrize("name", ["a.doc", "a.ppt"])
def test_old_binary_documents_are_not_read(tmp_path: Path, name: str) -> None:
    (found,) = reasons(tmp_path, OLE + "WordDocument".encode("utf-16-le") + bytes(99), name)
    assert "old Office program; save it as .docx or .pptx" in found


def test_embedded_files_are_read_as_members_of_archives_are(tmp_path: Path) -> None:
    inner = docx(p(MAIL))
    (tmp_path / "a.docx").write_bytes(
        docx(parts={"word/embeddings/Document1.docx": inner, "word/afchunk.htm": f"<html>{MAIL}"})
    )
    found = {t.info.source.partition("!")[2]: t.info.format for t in tables(tmp_path / "a.docx")}
    assert found == {"word/afchunk.htm": "html", "word/embeddings/Document1.docx": "office document"}


def test_documents_within_documents_end_at_a_depth(tmp_path: Path) -> None:
    data = docx(p(MAIL))
    for _ in range(7):
        data = docx(parts={"word/afchunk.docx": data})
    assert any("nested more than 4 deep" in line for line in reasons(tmp_path, data))


def test_what_is_embedded_counts_as_members_of_archives_do(tmp_path: Path) -> None:
    data = docx("", {f"word/embeddings/{i}.docx": docx(p(MAIL)) for i in range(9)})
    (tmp_path / "a.docx").write_bytes(data)
    found = list(discover([str(tmp_path / "a.docx")], ReadOptions(limits=Limits(archive_members=4))))
    assert any(isinstance(one, NotScanned) and "more than 4 files" in one.reason for one in found)


def test_documents_in_archives_and_mail(tmp_path: Path) -> None:
    data = docx(p(f"write to {MAIL}"))
    (tmp_path / "a.zip").write_bytes(zipped({"b/c.docx": data}))
    (tmp_path / "d.eml").write_bytes(
        b"From: a@example.com\nSubject: x\nMIME-Version: 1.0\nContent-Type: application/octet-stream; name=e.docx\n"
        b"Content-Transfer-Encoding: base64\n\n" + encodebytes(data)
    )
    found = {t.source for t in piiscan.scan(tmp_path).tables if t.format == "office document"}
    assert {Path(source).name for source in found} == {"c.docx", "d.eml!e.docx"}


def test_damage_never_reads_as_clean(tmp_path: Path) -> None:
    whole = docx(p(f"write to {MAIL}") * 20, {"word/header1.xml": part(p(MAIL))})
    for at in range(0, len(whole), 17):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :]):
            (tmp_path / "a.docx").write_bytes(data)
            report = piiscan.scan(tmp_path / "a.docx")
            assert not report.complete or report.findings or not data, at


def test_every_part_of_a_name_that_occurs_twice_is_read(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        for text in (MAIL, "nothing"):
            archive.writestr("word/document.xml", part(p(text)))
    assert lines(tmp_path, out.getvalue()) == [MAIL, "nothing"]


def test_documents_above_their_share_of_the_memory_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(p("x" * 99) * 20_000))
    options = ReadOptions(limits=Limits(document_bytes=1 << 20))
    (found,) = discover([str(tmp_path / "a.docx")], options)
    assert isinstance(found, NotScanned) and "a document of 2 MiB of text and marks" in found.reason


WIDE = '<w:tr><w:tc><w:tcPr><w:gridSpan w:val="200"/></w:tcPr></w:tc></w:tr>'
REPEATED = '<table:table-row><table:table-cell table:number-columns-repeated="200"/></table:table-row>'
HUGE = {
    "more cells than fit into memory": docx(f"<w:tbl>{WIDE * 200}</w:tbl>"),
    "more texts than fit into memory": docx("".join(f'<w:p w:x="{i}@corp.org"/>' for i in range(3000))),
    "more texts than fit into": docx("<p>ab</p>" * 11_000),
    "more texts than fit": docx(parts={"docProps/app.xml": part("<vt:x>ab</vt:x>" * 3000)}),
    "more cells than fit": odt(f"<table:table>{REPEATED * 200}</table:table>"),
}


@pytest.mark.parametrize("reason", HUGE)
def test_what_grows_in_memory_ends_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    monkeypatch.setattr(shares, "document", lambda: 1 << 20)
    assert any(reason in line for line in reasons(tmp_path, HUGE[reason]))


def test_deep_nesting_ends_with_a_reason(tmp_path: Path) -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 60 + p(MAIL) + "</w:tc></w:tr></w:tbl>" * 60
    assert any("nested more than 50 deep" in line for line in reasons(tmp_path, docx(deep)))
    assert lines(tmp_path, docx("<w:sdt>" * 5000 + p(MAIL) + "</w:sdt>" * 5000)) == [MAIL]
