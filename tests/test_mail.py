"""Mail in which something is encoded is decoded; what can't be is not scanned, and no such mail leaves unmasked."""

from __future__ import annotations

import base64
import io
import quopri
import zipfile
from email.header import Header
from email.message import EmailMessage
from pathlib import Path

import pytest
from conftest import Run
from mask_people import key_file

import piiscan
from piiscan.io.read_options import Limits, ReadOptions

SCANNER = piiscan.Scanner(jobs=1)
SSN = "536-22-1234"
TEXT = f"Dear all,\nmy number is {SSN}.\nBest regards\n"
TOP = "From: a@needle-post.com\nTo: b@needle-post.com\nSubject: hello\nMIME-Version: 1.0\n"


def message(body: bytes, encoding: str, kind: str = "text/plain; charset=utf-8") -> bytes:
    packed = {
        "base64": base64.encodebytes,
        "BASE64": base64.encodebytes,
        "quoted-printable": quopri.encodestring,
        '"quoted-printable"': quopri.encodestring,
    }.get(encoding, bytes)(body)
    return f"{TOP}Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n\n".encode() + packed


def with_files(**files: bytes) -> EmailMessage:
    """A message with attachments, of which `report_csv` is report.csv."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@needle-post.com", "b@needle-post.com", "files"
    mail.set_content("see below")
    for name, data in files.items():
        mail.add_attachment(data, "application", "octet-stream", filename=name.replace("_", "."))
    return mail


def scan(path: Path, data: bytes) -> piiscan.Report:
    path.write_bytes(data)
    return SCANNER.scan(path)


def found(report: piiscan.Report) -> set[str]:
    return {one.entity for table in report.tables for column in table.columns for one in column.inside}


PEOPLE = b"name,ssn\nAnn Lee,219-09-9999\nPeter Schmidt,536-22-1234\n"


@pytest.mark.parametrize("encoding", ["base64", "BASE64", "quoted-printable", '"quoted-printable"'])
@pytest.mark.parametrize("name", ["m.eml", "m.txt", "m", "1234.M12P3.host:2,S"])
def test_encoded_texts_are_read_under_any_name(tmp_path: Path, encoding: str, name: str) -> None:
    body = TEXT.replace("number", "number " + "and so on " * 12).encode()
    report = scan(tmp_path / name, message(body, encoding))
    assert [t.format for t in report.tables] == ["mail"]
    assert report.complete
    assert "US_SSN" in found(report)


def test_soft_line_breaks_do_not_cut_values(tmp_path: Path) -> None:
    report = scan(
        tmp_path / "m.eml", message(b"", "quoted-printable") + b"number 536-2=\n2-1234 of a=40needle-post.com\n"
    )
    assert {"US_SSN", "EMAIL_ADDRESS"} <= found(report)


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "utf-16", "iso-2022-jp", "utf-7", "no-such-charset"])
def test_texts_are_decoded_by_their_character_set(tmp_path: Path, charset: str) -> None:
    try:
        body = TEXT.encode(charset)
    except LookupError:
        body = TEXT.encode()
    report = scan(tmp_path / "m.eml", message(body, "base64", f"text/plain; charset={charset}"))
    assert "US_SSN" in found(report)


@pytest.mark.parametrize("charset", ["utf-8", "latin-1", "no-such"])
@pytest.mark.parametrize("encoding", ["8bit", "quoted-printable", "base64"])
def test_bytes_that_no_encoding_covers_are_read(tmp_path: Path, encoding: str, charset: str) -> None:
    """A header in encoded words above a body in bytes, as most programs send it; or a body that isn't what it says."""
    body = f"Grüße, {SSN}".encode("latin-1" if charset == "latin-1" else "utf-8")
    top = TOP.replace("hello", Header("Änderung", "utf-8").encode())
    kind = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n"
    report = scan(tmp_path / "m.eml", f"{top}{kind}".encode() + body)
    assert found(report) >= ({"US_SSN", "EMAIL_ADDRESS"} if encoding != "base64" else {"EMAIL_ADDRESS"})
    assert [entry.reason.partition(";")[0] for entry in report.not_scanned] == (
        ["message 1: a part of it can't be decoded"] if encoding == "base64" else []
    )


def test_pages_are_read_without_their_tags(tmp_path: Path) -> None:
    page = b"<html><body><p>number 536-<b>22</b>-1234</p><a href='mailto:c@needle-post.com'>me</a></body></html>"
    report = scan(tmp_path / "m.eml", message(page, "base64", "text/html"))
    assert {"US_SSN", "EMAIL_ADDRESS"} <= found(report)


def test_headers_are_decoded(tmp_path: Path) -> None:
    words = Header(f"Grüße: {SSN}", "utf-8").encode()  # in Base64
    assert SSN not in words
    report = scan(tmp_path / "m.eml", f"From: x\nSubject: {words}\n\nhello\n".encode())
    assert "US_SSN" in found(report)


def test_attachments_are_read_as_what_they_are(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner.csv", PEOPLE)
    report = scan(tmp_path / "m.eml", with_files(people_csv=PEOPLE, all_zip=packed.getvalue()).as_bytes())
    source = str(tmp_path / "m.eml")
    assert [t.source.removeprefix(source) for t in report.tables] == ["", "!people.csv", "!all.zip!inner.csv"]
    for table in report.tables[1:]:
        assert [c.entity for c in table.columns] == ["PERSON", "US_SSN"]


def test_messages_within_messages_are_read(tmp_path: Path) -> None:
    outer = with_files()
    outer.make_mixed()
    inner = with_files(people_csv=PEOPLE)
    outer.add_attachment(inner)
    report = scan(tmp_path / "m.eml", outer.as_bytes())
    assert [t.source.rpartition("!")[2] for t in report.tables][1:] == ["people.csv"]


def test_each_message_of_a_mailbox_is_read(tmp_path: Path) -> None:
    first = message(TEXT.encode(), "base64")
    second = with_files(people_csv=PEOPLE).as_bytes()
    third = f"{TOP}\nplain, call me at b@needle-post.com\n>From here on\n".encode()
    box = b"".join(b"From a Mon Mar  3 10:00:00 2025\n" + each + b"\n" for each in (first, second, third))
    report = scan(tmp_path / "box", box)
    assert [t.source.rpartition("!")[2] for t in report.tables][1:] == ["2/people.csv"]
    assert {"US_SSN", "EMAIL_ADDRESS"} <= found(report)


def test_what_cannot_be_decoded_is_not_scanned(tmp_path: Path) -> None:
    for name, data in {
        "damaged.eml": message(b"", "base64") + b"QUJ!!!DRA===\n",
        "strange.eml": message(b"abc", "x-own"),
        "image.eml": with_files(letter_pdf=b"%PDF-1.4\n1 0 obj").as_bytes(),
    }.items():
        report = scan(tmp_path / name, data)
        assert not report.complete, name
        assert len(report.not_scanned) == 1


def test_names_of_attachments_do_not_show_people(tmp_path: Path) -> None:
    mail = with_files()
    mail.make_mixed()
    mail.add_attachment(PEOPLE, "text", "csv", filename=f"{SSN}.csv")
    report = scan(tmp_path / "m.eml", mail.as_bytes())
    assert SSN not in report.to_json()


def test_archives_in_attachments_count_as_nested(tmp_path: Path) -> None:
    data = with_files(people_csv=PEOPLE).as_bytes()
    for _ in range(5):
        data = with_files(m_eml=data).as_bytes()
    (tmp_path / "m.eml").write_bytes(data)
    limits = Limits(archive_depth=4)
    from piiscan.core.types import NotScanned
    from piiscan.io import inputs

    items = list(inputs.discover([str(tmp_path)], ReadOptions(limits=limits), None))
    assert any(isinstance(item, NotScanned) and "nested" in item.reason for item in items)


def test_mail_without_encoded_parts_is_text(tmp_path: Path) -> None:
    report = scan(tmp_path / "m.eml", f"{TOP}Content-Transfer-Encoding: 7bit\n\n{TEXT}".encode())
    assert [t.format for t in report.tables] == ["text"]
    assert "US_SSN" in found(report)


@pytest.mark.parametrize(
    "text",
    [
        "name: x\ncontent: Content-Transfer-Encoding: base64\n",
        "a,b\nContent-Transfer-Encoding: base64,1\n",
        "From: x\n\nContent-Transfer-Encoding: base64\n",
        '{"From": "x", "Subject": "=?utf-8?q?x?="}\n',
    ],
)
def test_other_texts_are_no_mail(tmp_path: Path, text: str) -> None:
    assert "mail" not in [t.format for t in scan(tmp_path / "x.txt", text.encode()).tables]


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
def test_encoded_mail_is_never_written_with_what_it_holds(tmp_path: Path, piiscan: Run, encoding: str) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "m.eml").write_bytes(message(TEXT.encode(), encoding))
    (source / "f.eml").write_bytes(with_files(people_csv=PEOPLE).as_bytes())
    (source / "plain.eml").write_text(f"{TOP}\n{TEXT}", encoding="utf-8")
    (source / "none.eml").write_bytes(b"Subject: x\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n")
    done = piiscan("mask", source, "-o", out, "--key", key_file(tmp_path))
    assert done.returncode == 3
    assert sorted(path.name for path in out.iterdir()) == ["none.eml", "plain.eml"]
    assert (out / "none.eml").read_bytes() == (source / "none.eml").read_bytes()
    assert SSN not in (out / "plain.eml").read_text(encoding="utf-8")
    assert done.stderr.count("mail with encoded parts is read but not written") == 2


@pytest.mark.parametrize(
    ("text", "is_complete"),
    [
        (f"2025-03-01 INFO body\n{base64.encodebytes(TEXT.encode()).decode()}", False),
        (f"junk\n{message(TEXT.encode(), 'base64').decode()}", False),
        (f"X-Note: {base64.b64encode(b'quillan@needle-post.com').decode()}\n", False),
        ("log: Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n", False),
        ("nushell = virtualenv.activation.nushell:NushellActivator\n", True),
        ("commit 6c2eae2272ad7bf632a07b789b9f51642d464513\ninternationalisation\n", True),
        (f"-----BEGIN CERTIFICATE-----\n{base64.encodebytes(TEXT.encode()).decode()}-----END CERTIFICATE-----\n", True),
    ],
)
def test_text_in_base64_outside_of_mail_is_not_scanned(tmp_path: Path, text: str, is_complete: bool) -> None:
    report = scan(tmp_path / "a.log", text.encode())
    assert report.complete is is_complete
    assert all("wasn't read" in entry.reason for entry in report.not_scanned)
