"""vCard, iCalendar and LDIF: values that are encoded or broken over lines are found, and written again as they were."""

from __future__ import annotations

import base64
import quopri
from pathlib import Path

import pytest
from conftest import Run
from hypothesis import given
from hypothesis import strategies as st
from mask_people import key_file

import piiscan
from piiscan.io.documents.content_lines import Line, written

SCANNER = piiscan.Scanner(jobs=1)
SSN, MAIL = "536-22-1234", "quillan@needle-post.com"


def card(*properties: str, end: str = "\r\n") -> bytes:
    return end.join(["BEGIN:VCARD", "VERSION:2.1", *properties, "END:VCARD", ""]).encode()


def calendar(*properties: str) -> bytes:
    return "\r\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", *properties, "END:VEVENT", "END:VCALENDAR", ""]).encode()


def packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FILES = {
    "quoted.vcf": card(f"NOTE;ENCODING=QUOTED-PRINTABLE:Grüße =C3=BC, {SSN[:4]}=\r\n{SSN[4:]}"),
    "packed.vcf": card(f"NOTE;ENCODING=BASE64:{packed(f'my number is {SSN}')}"),
    "broken.vcf": card(f"NOTE:my number is {SSN[:5]}\r\n {SSN[5:]} and so on"),
    "unix.vcf": card(f"NOTE:my number is {SSN[:5]}\n {SSN[5:]} and so on", end="\n"),
    "named.txt": card(f"NOTE:my number is {SSN[:5]}\r\n {SSN[5:]}"),
    "broken.ics": calendar(f"DESCRIPTION:my number is {SSN[:2]}\r\n\t{SSN[2:]}"),
    "packed.ldif": f"dn: cn=x\ndescription:: {packed(f'my number is {SSN}')}\n\n".encode(),
    "broken.ldif": f"dn: cn=x\ndescription: my number is {SSN[:6]}\n {SSN[6:]}\n\n".encode(),
}


HOMES = ("本町2-5-8", "Quaverhof 7", "Am Toll 3", r"The Mews\, Flat 4", "شارع النور 12")


def test_streets_at_their_places_are_masked_whatever_they_are(tmp_path: Path) -> None:
    (source := tmp_path / "in").mkdir()
    key = key_file(tmp_path)
    cards = [
        card(
            f"FN:Bela Kern {i}",
            f"ADR;TYPE=HOME:;;{home};Ulm;;65980;DE",
            f'w.ADR;TYPE="a,b":PO 12;;{home};Ulm;;89073;DE',
        )
        for i, home in enumerate(HOMES)
    ]
    (source / "a.vcf").write_bytes(b"".join(cards))
    entries = [
        f"dn: cn=x{i}\ncn: Kern {i}\nstreet: {home}\npostalAddress: {home}$89073 Ulm\n\n"
        for i, home in enumerate(HOMES)
    ]
    (source / "a.ldif").write_text("".join(entries), "utf-8")
    piiscan.mask(source, piiscan.plan(source), key, output=tmp_path / "out")
    for name, places in (("a.vcf", "Ulm;;65980;DE"), ("a.ldif", "$89073 Ulm")):
        masked = (tmp_path / "out" / name).read_text("utf-8").replace("\n ", "")
        assert masked.count(places) == len(HOMES)
        assert not [home for home in (*HOMES, "PO 12") if home in masked]


@pytest.mark.parametrize(
    "text",
    ["street: closed since 2024", "ADR: 12 Use one queue; keep it", "ADR;3: see 12", "see ADR:1;2;3;4;5;6;7 there"],
)
def test_other_lines_have_no_streets(text: str) -> None:
    assert not SCANNER.scan([{"note": f"{text}\nin room 12"}] * 3)["note"].inside


def test_encoded_and_broken_values_are_found_and_masked(tmp_path: Path, piiscan: Run) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for name, data in FILES.items():
        (source / name).write_bytes(data)
    before = SCANNER.scan(source)
    assert before.complete
    for table in before.tables:
        assert "US_SSN" in {one.entity for column in table.columns for one in column.inside}, table.source
    done = piiscan("mask", source, "-o", out, "--key", key_file(tmp_path))
    assert done.returncode == 0, done.stderr
    after = SCANNER.scan(out)
    assert [(t.format, t.rows) for t in after.tables] == [(t.format, t.rows) for t in before.tables]
    for name, data in FILES.items():
        masked = (out / name).read_bytes()
        for text in masked.decode(), quopri.decodestring(masked).decode(errors="replace"):
            assert SSN not in text.replace("\r\n ", "").replace("\n ", "").replace("\r\n\t", "")
        assert packed(f"my number is {SSN}") not in masked.decode()
        kept = [line for line in data.splitlines(True) if line.startswith((b"BEGIN", b"VERSION", b"END", b"dn"))]
        assert set(kept) <= set(masked.splitlines(True))


def test_pictures_are_not_read_and_not_written(tmp_path: Path, piiscan: Run) -> None:
    picture = base64.b64encode(b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256))).decode()
    (tmp_path / "a.vcf").write_bytes(card(f"EMAIL:{MAIL}", f"PHOTO;ENCODING=b;TYPE=JPEG:{picture}"))
    report = SCANNER.scan(tmp_path / "a.vcf")
    assert not report.complete
    assert "picture" in report.not_scanned[0].reason
    assert "EMAIL_ADDRESS" in {one.entity for column in report.tables[0].columns for one in column.inside}
    done = piiscan("mask", tmp_path / "a.vcf", "-o", tmp_path / "out", "--key", key_file(tmp_path))
    assert done.returncode == 3
    assert not (tmp_path / "out").exists()


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=200), st.sampled_from(["\r\n", "\n"])
)
def test_what_is_written_is_what_is_read(text: str, end: str) -> None:
    from piiscan.io.documents import content_lines

    for kind, line in (
        ("vcard", Line(f"NOTE:x{end}".encode(), "NOTE:x")),
        ("vcard", Line(f"NOTE;ENCODING=b:eA=={end}".encode(), "NOTE;ENCODING=b:x", "base64")),
        ("vcard", Line(f"N;QUOTED-PRINTABLE:x{end}".encode(), "N;QUOTED-PRINTABLE:x", "quoted-printable")),
        ("ldif", Line(f"cn: x{end}".encode(), "cn: x")),
        ("ldif", Line(f"cn:: eA=={end}".encode(), "cn: x", "base64")),
    ):
        new = line.text[:-1] + " ".join(text.split())
        raw = written(line, new, kind)
        longest = 76 + (len("N;CHARSET=UTF-8;QUOTED-PRINTABLE:") if line.coding == "quoted-printable" else 0)
        assert all(len(piece.rstrip(b"\r\n")) <= longest for piece in raw.splitlines(keepends=True))
        (again,) = content_lines._together(raw.splitlines(keepends=True), kind)
        assert content_lines._line(again, kind).text.rstrip() == new.rstrip()


@pytest.mark.parametrize("text", ["BEGIN:VCARDS\nNOTE:x\n", "a,b\nBEGIN:VCARD,1\n", "BEGIN VCARD\n"])
def test_other_texts_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert "vcard" not in [table.format for table in SCANNER.scan(tmp_path / "a.txt").tables]


@pytest.mark.parametrize("blank", [" ", "\t", "    "])
def test_indented_properties_are_properties(blank: str, tmp_path: Path) -> None:
    """A file that somebody laid out: what says how it is encoded can't be the rest of another value."""
    path = tmp_path / "cards.vcf"
    lines = ["BEGIN:VCARD", "VERSION:2.1", f"NOTE;ENCODING=BASE64:{packed(f'my number is {SSN}')}", "END:VCARD"]
    path.write_text("".join(f"{blank}{line}\r\n" for line in lines * 3))
    (table,) = piiscan.scan(path).tables
    assert [entry.cells for entry in table.columns[0].inside if entry.entity == "US_SSN"] == [3]
