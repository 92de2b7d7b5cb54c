"""PDF files: what people wrote in them is found, wherever it stands, or said not to be read."""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import run_piiscan
from fuzz.pdf import HELVETICA, Pdf, at, coded, down, hexed, literal, mapped, string
from mask_people import key_file
from test_io_csv import cells, tables
from test_office import docx, p

import piiscan
from piiscan.core import shares
from piiscan.core.types import NotScanned
from piiscan.io.documents import pdf_file
from piiscan.io.inputs import discover
from piiscan.io.read_options import Limits, ReadOptions

MAIL = "ann.needle@corp.org"
FONT = f"/Font << /F1 {HELVETICA} >>"
FORM = f"/Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources << {FONT} >>"
IMAGE = "/Type /XObject /Subtype /Image /Width 9 /Height 9 /ColorSpace /DeviceGray /BitsPerComponent 8"


def one_page(content: str, resources: str = "", entries: str = "") -> bytes:
    file = Pdf()
    file.page(content, resources, entries)
    return file.written()


def made(change: Callable[[Pdf], object], content: str = "") -> bytes:
    """A file of one page, after a change."""
    file = Pdf()
    change(file)
    file.page(content)
    return file.written()


def said(folder: Path, data: bytes) -> dict[str | None, list[object]]:
    """The first cells of the rows of each table, by its name."""
    (folder / "a.pdf").write_bytes(data)
    return {t.info.table: [row[0] for row in cells(t)] for t in tables(folder / "a.pdf")}


def reasons(folder: Path, data: bytes) -> list[str]:
    (folder / "a.pdf").write_bytes(data)
    return [f"{n.source}: {n.reason}" for n in piiscan.scan(folder / "a.pdf").not_scanned]


def spread(text: str, x: float, y: float, each: float) -> str:
    """Letters that are shown one by one."""
    return "".join(at(x + each * i, y, literal(letter)) for i, letter in enumerate(text) if letter != " ")


def in_font(text: str) -> bytes:
    """A page with text in a font whose codes mean what its own table says."""
    file = Pdf()
    font, codes = mapped(file, text)
    file.page(at(50, 700, coded(text, codes), "F2"), f"/Font << /F2 {font} >>")
    return file.written()


def form(content: str, shown: str = "/X1 Do") -> bytes:
    file = Pdf()
    number = file.stream(content, FORM)
    file.page(shown, f"{FONT} /XObject << /X1 {number} 0 R >>")
    return file.written()


def annotated(look: str) -> bytes:
    """A page with a label, and beside it a field that shows its value."""
    file = Pdf()
    number = file.stream(look, FORM)
    widget = f"<< /Type /Annot /Subtype /Widget /Rect [100 700 200 720] /AP << /N {number} 0 R >> >>"
    file.page(at(50, 702, "(Name:)"), "", f"/Annots [{widget}]")
    return file.written()


HEBREW = "שם: דוד כהן"
LEFT = ["the first line of a column that", "is as wide as a column of text", "usually is, and goes on"]
RIGHT = ["while the other one begins here", "with as many words, and ends in", "a shorter line, as usual"]
LINES: dict[str, tuple[bytes, list[str]]] = {
    "strings": (one_page(at(50, 700, "(Ann Lee)") + at(50, 680, "(of \\(Ulm\\))")), ["Ann Lee", "of (Ulm)"]),
    "letters of WinAnsi": (one_page(at(50, 700, hexed("Köster – €"))), ["Köster – €"]),
    "kerning": (one_page(at(50, 700, "[(A) 80 (nn) -300 (L) 10 (ee)]", operator="TJ")), ["Ann Lee"]),
    "words one by one": (one_page(at(50, 700, "(Ann)") + at(72, 700, "(Lee)")), ["Ann Lee"]),
    "letters one by one": (one_page(spread("Ann Lee", 50, 700, 5.5)), ["Ann Lee"]),
    "letters set apart": (one_page(spread("ANN LEE", 50, 700, 11)), ["ANN LEE"]),
    "words in any order": (one_page(at(72, 700, "(Lee)") + at(50, 700, "(Ann)")), ["Ann Lee"]),
    "labels before values": (
        one_page(down(["Name:", "Telephone:"]) + down(["Ann Lee", "(617) 555-2147"], 150)),
        ["Name:   Ann Lee", "Telephone:   (617) 555-2147"],
    ),
    "a value a little lower": (one_page(at(50, 700, "(Name:)") + at(150, 698, "(Ann Lee)")), ["Name:   Ann Lee"]),
    "rows of a table": (
        one_page(down(["name", "Ann Lee"], 50) + down(["born", "1961-06-15"], 150) + down(["city", "Ulm"], 250)),
        ["name   born   city", "Ann Lee   1961-06-15   Ulm"],
    ),
    "columns of text": (
        one_page(down(LEFT, 50) + down(RIGHT, 320)),
        [*LEFT[:2], *RIGHT[:2], f"{LEFT[2]}   {RIGHT[2]}"],
    ),
    "a word that goes on": (one_page(down(["of Ann Exam-", "ple and others"])), ["of Ann Example", "and others"]),
    "a double name": (one_page(down(["Ann Lee-", "Miller"])), ["Ann Lee-Miller"]),
    "text on its side": (one_page("0 1 -1 0 300 100 cm " + down(["Ann Lee", "Ulm"])), ["Ann Lee", "Ulm"]),
    "drawn twice": (one_page(at(50, 700, "(Ann)") + at(50.3, 700, "(Ann)")), ["Ann"]),
    "lines by operators": (
        one_page("BT /F1 10 Tf 12 TL 50 700 Td (a b) Tj T* (c) Tj (d) ' 0 0 (e) \" 0 -12 TD (f) Tj T* [(g)] TJ ET"),
        list(dict.fromkeys(["a b", "c", "d", "e", "f", "g"])),
    ),
    "a form": (form(at(50, 700, "(Ann Lee)")), ["Ann Lee"]),
    "a form in a place": (form(at(0, 0, "(Lee)"), at(50, 700, "(Ann)") + "1 0 0 1 72 700 cm /X1 Do"), ["Ann Lee"]),
    "what a field shows": (annotated(at(2, 2, "(Ann Lee)")), ["Name:   Ann Lee"]),
    "a font's own codes": (in_font("Ивáн 王 €"), [unicodedata.normalize("NFC", "Ивáн 王 €")]),
    "ligatures": (in_font("Gri\ufb03n"), ["Griffin"]),
    "from right to left": (in_font(HEBREW[::-1]), [HEBREW]),
    "numbers among it": (in_font("050-1234567 " + HEBREW[::-1]), [HEBREW + " 050-1234567"]),
    "Arabic as it is shaped": (in_font("\ufeea\ufee0\ufedf\ufe8d"), ["الله"[:3] + "ه"]),
    "hidden text": (one_page("3 Tr " + at(50, 700, "(Ann Lee)")), ["Ann Lee"]),
}


@pytest.mark.parametrize("what", LINES)
def test_what_stands_on_a_base_line_is_a_line(tmp_path: Path, what: str) -> None:
    data, expected = LINES[what]
    assert said(tmp_path, data)["page 1"] == expected
    assert piiscan.scan(tmp_path / "a.pdf").complete


def test_each_page_is_a_table(tmp_path: Path) -> None:
    file = Pdf()
    for texts in (["gravel"], [], ["Dear Mrs Sabine Köster,", f"write to {MAIL}"]):
        file.page(down(texts), packed=True)
    (tmp_path / "a.pdf").write_bytes(file.written())
    report = piiscan.scan(tmp_path / "a.pdf")
    assert report.complete and [(t.table, t.format, t.rows) for t in report.tables] == [
        ("page 1", "pdf", 1),
        ("page 3", "pdf", 2),
    ]
    assert {"PERSON", "EMAIL_ADDRESS"} <= {i.entity for i in report.tables[1].columns[0].inside}
    done = run_piiscan("scan", "a.pdf", cwd=tmp_path)
    assert done.returncode == 1 and "a.pdf::page 3" in done.stdout and MAIL not in done.stdout + done.stderr


def attached(file: Pdf) -> None:
    file.attach("people.csv", f"name,email\nAnn Lee,{MAIL}\nBob Roe,b@corp.org\n".encode())


def listed(entries: str) -> Callable[[Pdf], object]:
    return lambda file: file.add(f"<< {entries} >>")


def ended(entries: str) -> Callable[[Pdf], object]:
    def change(file: Pdf) -> None:
        file.trailer = f"/Info {file.add(f'<< {entries} >>')} 0 R"

    return change


SAID: dict[str, tuple[bytes, str]] = {
    "a comment": (made(listed(f"/Subtype /Text /Contents {string(MAIL)} /T (x)")), "#markup"),
    "a rich comment": (made(listed(f"/Subtype /Text /RC (<body><p>{MAIL}</p></body>)")), "#markup"),
    "who comments": (made(listed(f"/Subtype /Text /Contents (why) /T {literal(MAIL)}")), "authors"),
    "a link": (made(listed(f"/S /URI /URI (mailto:{MAIL})")), "#markup"),
    "a bookmark": (made(listed(f"/Title {string(MAIL)} /Parent 1 0 R")), "#markup"),
    "a description": (made(listed(f"/S /Figure /Alt {string(MAIL)}")), "#markup"),
    "a script": (made(listed(f"/S /JavaScript /JS (app.alert\\('{MAIL}'\\))")), "#markup"),
    "an author": (made(ended(f"/Author {string(MAIL)}")), "authors"),
    "keywords": (made(ended(f"/Keywords {string(MAIL)}")), "#properties"),
    "metadata": (
        made(lambda file: file.stream(f"<x><title>{MAIL}</title></x>", "/Type /Metadata /Subtype /XML")),
        "#markup",
    ),
    "a form that no page shows": (made(lambda file: file.stream(at(9, 9, literal(MAIL)), FORM)), "#markup"),
    "text between objects": (one_page("") + f"{MAIL}\n".encode(), "#markup"),
    "a comment of a program": (one_page("").replace(b"\n1 0 obj", f"\n% {MAIL}\n1 0 obj".encode(), 1), "#markup"),
    "an attached table": (made(attached), "people.csv"),
    "a field": (made(listed(f"/FT /Tx /T (a.mail[0]) /V {string(MAIL)}")), "form"),
}


@pytest.mark.parametrize("what", SAID)
def test_whatever_somebody_wrote_is_read(tmp_path: Path, what: str) -> None:
    data, where = SAID[what]
    (tmp_path / "a.pdf").write_bytes(data)
    report = piiscan.scan(tmp_path / "a.pdf")
    found = [t for t in report.tables if t.table == where or t.source.endswith(f"!{where}")]
    assert found and "EMAIL_ADDRESS" in {f.entity for f in report.findings}
    assert report.complete or what == "a comment of a program"  # which moved all objects from their places


def test_fields_of_forms_are_labels_and_values(tmp_path: Path) -> None:
    def fields(file: Pdf) -> None:
        group = file.add("<< /T (person) >>")
        file.add(f"<< /FT /Tx /T (name[0]) /Parent {group} 0 R /V {string('Ann Lee')} >>")
        file.add(f"<< /FT /Tx /T (f2) /TU (Telephone number) /V {string('(617) 555-2147')} >>")
        file.add(f"<< /Subtype /Widget /Parent {group} 0 R /V (Ulm) >>")

    assert said(tmp_path, made(fields))["form"] == ["name: Ann Lee", "Telephone number: (617) 555-2147", "person: Ulm"]


def picture(file: Pdf) -> None:
    number = file.stream(bytes(81), IMAGE)
    file.page("/X1 Do", f"/XObject << /X1 {number} 0 R >>")


def glyph_names(text: str = "abcdefgh") -> bytes:
    names = " ".join(f"/g{i}" for i in range(26))
    font = f"/Type /Font /Subtype /Type1 /BaseFont /AAAAAA+X /Encoding << /Differences [97 {names}] >>"
    return one_page(at(50, 700, literal(text), "F2"), f"/Font << /F2 << {font} >> >>")


def without_map() -> bytes:
    file = Pdf()
    font, codes = mapped(file, MAIL, has_map=False)
    file.page(at(50, 700, coded(MAIL, codes), "F2"), f"/Font << /F2 {font} >>")
    return file.written()


def nested() -> bytes:
    file = Pdf()
    inner = file.stream("/X1 Do", FORM)
    file.objects[inner] = file.objects[inner].replace(
        b"/Resources <<", b"/Resources << /XObject << /X1 %d 0 R >>" % inner
    )
    file.page("/X1 Do", f"/XObject << /X1 {inner} 0 R >>")
    return file.written()


def damaged() -> bytes:
    file = Pdf()
    file.page(down(["nothing"] * 50), packed=True)
    data = file.written()
    at = data.index(b"stream\n") + 40
    return data[:at] + bytes(4) + data[at + 4 :]


PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def encrypted(password: bytes, text: str) -> bytes:
    """A file that is encrypted by RC4 with a key of 40 bits."""
    file, owner = Pdf(), bytes(32)
    key = hashlib.md5((password + PADDING)[:32] + owner + (0xFFFFFFFC).to_bytes(4, "little")).digest()[:5]
    content = at(50, 700, literal(text)).encode()
    own = hashlib.md5(key + (3).to_bytes(3, "little") + bytes(2)).digest()[:10]
    file.page(rc4(own, content))
    lock = file.add(f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{owner.hex()}> /U <{rc4(key, PADDING).hex()}> >>")
    file.trailer = f"/Encrypt {lock} 0 R"
    return file.written()


UNREAD: dict[str, tuple[bytes, str]] = {
    "a picture": (made(picture, down(["x"])), "a.pdf: 1 picture wasn't read; recognise the text in it"),
    "a page of pictures": (made(picture, down(["x"])), "a.pdf: page 1 shows pictures or drawings and no text"),
    "an inline picture": (
        one_page(down(["x"]) + "BI /W 1 /H 1 /CS /G /BPC 8 ID x EI\n"),
        "a.pdf: 1 picture wasn't read",
    ),
    "a drawing": (one_page("10 10 m 20 20 l S"), "a.pdf: page 1 shows pictures or drawings and no text"),
    "a font without characters": (without_map(), "a.pdf: page 1 has text in fonts that don't say which characters"),
    "names of glyphs": (glyph_names(), "a.pdf: page 1 has text in fonts that don't say"),
    "a font that isn't there": (one_page(at(9, 9, literal(MAIL), "F9")), "a.pdf: page 1 has text in fonts"),
    "a damaged page": (damaged(), "a.pdf: page 1 can't be read whole, being damaged"),
    "forms within forms": (nested(), "a.pdf: page 1 can't be read whole: forms nested more than 20 deep"),
    "a password": (encrypted(b"secret", MAIL), "a.pdf: encrypted; save it without a password"),
    "an XFA form": (made(listed("/XFA 1 0 R")), "a.pdf: an XFA form, which isn't read"),
    "a signature": (
        made(listed(f"/Type /Sig /ByteRange [0 9 9 9] /Contents {string(MAIL)}")),
        "a.pdf: a digital signature, whose certificate names who signed, wasn't read",
    ),
    "a stream of nothing that is known": (made(lambda file: file.stream("BT (x) Tj ET")), "a.pdf: 1 stream wasn't"),
    "an object that isn't listed": (
        one_page("") + f"99 0 obj ({MAIL}) endobj\n".encode(),
        "a.pdf: a damaged file, of which parts may be missing",
    ),
    "no pages": (b"%PDF-1.7\n1 0 obj\n(x)\nendobj\n%%EOF\n", "a.pdf: a PDF file without readable pages"),
    "a damaged attached file": (
        made(lambda file: file.attach("x.txt", b"x" * 999)).replace(zlib.compress(b"x" * 999), b"x" * 18),
        "a.pdf!x.txt: damaged",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", UNREAD)
def test_what_is_not_read_is_said(tmp_path: Path, what: str) -> None:
    data, reason = UNREAD[what]
    found = reasons(tmp_path, data)
    assert any(reason in line for line in found), found
    assert not any(MAIL in line for line in found)


def test_bullets_of_a_font_without_characters_are_no_text(tmp_path: Path) -> None:
    assert reasons(tmp_path, glyph_names("aab")) == []


def test_the_pages_that_are_not_read_are_named(tmp_path: Path) -> None:
    file = Pdf()
    for i in range(9):
        file.page("10 10 m 20 20 l S" if i % 4 else down(["x"]))
    (found,) = reasons(tmp_path, file.written())
    assert "page 2, 3, 4, 6, 7 and 1 more shows" in found


def test_an_empty_password_opens_a_file(tmp_path: Path) -> None:
    assert said(tmp_path, encrypted(b"", f"write to {MAIL}"))["page 1"] == [f"write to {MAIL}"]
    assert reasons(tmp_path, (tmp_path / "a.pdf").read_bytes()) == []


def test_attached_files_are_read_as_members_of_archives_are(tmp_path: Path) -> None:
    inner = made(attached)
    for _ in range(5):
        inner = made(lambda file, data=inner: file.attach("more.pdf", data))  # type: ignore[misc]
    assert any("nested more than 4 deep" in line for line in reasons(tmp_path, inner))
    many = Pdf()
    for i in range(9):
        many.attach(f"{i}.txt", b"x")
    many.page("")
    (tmp_path / "a.pdf").write_bytes(many.written())
    found = list(discover([str(tmp_path / "a.pdf")], ReadOptions(limits=Limits(archive_members=4))))
    assert any(isinstance(one, NotScanned) and "more than 4 files" in one.reason for one in found)


def test_pdf_files_in_documents_and_names_of_attached_files(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(p("x"), {"word/embeddings/b.pdf": one_page(down([MAIL]))}))
    assert {t.info.format for t in tables(tmp_path / "a.docx")} == {"office document", "pdf"}
    (tmp_path / "b.pdf").write_bytes(made(lambda file: file.attach(f"{MAIL}.txt", b"gravel")))
    report = piiscan.scan(tmp_path / "b.pdf")
    assert {name.entity for name in report.in_names} == {"EMAIL_ADDRESS"}
    assert not any(MAIL in table.source for table in report.tables)


def test_limits_end_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Pdf()
    file.page(" " * (30 << 20) + at(9, 9, literal(MAIL)), packed=True)
    bomb = file.written()
    assert len(bomb) < 40_000
    monkeypatch.setattr(shares, "document", lambda: 64 << 20)
    assert any("page 1 can't be read whole: more than may be read" in line for line in reasons(tmp_path, bomb))
    (tmp_path / "a.pdf").write_bytes(one_page(down(["x" * 99] * 300)))
    options = ReadOptions(limits=Limits(document_bytes=1 << 10))
    (found,) = discover([str(tmp_path / "a.pdf")], options)
    assert isinstance(found, NotScanned) and "a PDF file of 0 MiB, of which 0 fit into memory" in found.reason


def test_content_that_many_pages_show_ends_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_file, "_STREAMS", (8 << 20, 20))  # an eighth of what they may have
    file = Pdf()
    number = file.page(" " * (9 << 17), packed=True)
    file.pages += [file.add(file.objects[number]) for _ in range(20)]
    found = reasons(tmp_path, file.written())
    assert any("can't be read whole: more than may be read" in line for line in found), found


def test_damage_never_reads_as_clean(tmp_path: Path) -> None:
    file = Pdf()
    file.page(down([f"write to {MAIL}"] * 3))
    file.page(down([f"write to {MAIL}"] * 3), packed=True)
    whole = file.written()
    for at_byte in range(9, len(whole), 23):
        for data in (whole[:at_byte], whole[:at_byte] + bytes([whole[at_byte] ^ 0x5A]) + whole[at_byte + 1 :]):
            (tmp_path / "a.pdf").write_bytes(data)
            report = piiscan.scan(tmp_path / "a.pdf")
            assert not report.complete or report.findings, at_byte


def test_nothing_of_a_file_gets_into_a_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("pypdf")
    usual = log.handlers[:], log.propagate
    (tmp_path / "a.pdf").write_bytes(damaged() + f"<< /{MAIL} ({MAIL} >>".encode())
    done = run_piiscan("scan", "a.pdf", cwd=tmp_path)
    assert MAIL not in done.stdout + done.stderr and "invalid" not in done.stderr
    assert not piiscan.scan(tmp_path / "a.pdf").complete and not caplog.records
    assert (log.handlers, log.propagate) == usual


def test_without_the_extra_a_file_is_not_scanned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    for name in ("piiscan.io.documents.pdf_file", "piiscan.io.documents.pdf_objects", "piiscan.io.documents.pdf_text"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (found,) = reasons(tmp_path, one_page(down([MAIL])))
    assert found.endswith("PDF files need an optional package: pip install 'piiscan-toolkit[pdf]'")


def test_pypdf_is_loaded_with_the_first_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name\nAnn Lee\n")
    code = "import sys, piiscan; piiscan.scan('a.csv'); sys.exit(any('pdf' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0


def test_a_mask_copies_what_is_clean_and_leaves_out_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "clean.pdf").write_bytes(one_page(down(["gravel and sand"])))
    (folder / "letter.pdf").write_bytes(one_page(down([f"write to {MAIL}"])))
    (folder / "scan.pdf").write_bytes(made(picture, down(["gravel"])))
    done = run_piiscan("mask", "in", "-o", "out", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 3 and "a PDF file is read but not written" in done.stderr
    assert [path.name for path in sorted((tmp_path / "out").rglob("*.pdf"))] == ["clean.pdf"]
    assert (tmp_path / "out" / "clean.pdf").read_bytes() == (folder / "clean.pdf").read_bytes()
