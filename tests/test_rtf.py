"""RTF is decoded before it is scanned: characters, groups and control words hide no value."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest
from conftest import run_piiscan
from mask_people import key_file

import piiscan
from piiscan.io.documents.rtf_text import plain

HEAD = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}}{\colortbl;\red0\green0\blue0;}"
TEXTS = {
    r"{\rtf1 Br\'fcckner\par and\line more}": "Brückner\nand\nmore",
    r"{\rtf1 {\b Anna} {\i Be}rg\tab x\~y}": "Anna Berg\tx\xa0y",
    r"{\rtf1\uc1 Wi\u347?niewska}": "Wiśniewska",
    r"{\rtf1\uc2 Wi\u347\'b6?niewska}": "Wiśniewska",
    r"{\rtf1 \u-10179?\u-8704?!}": "\U0001f600!",
    r"{\rtf1\ansicpg932 \'8e\'52\'93\'63}": "山田",
    r"{\rtf1 a\{b\}c\\d}": r"a{b}c\d",
    "{\\rtf1 an\nn@corp\r\n.org}": "ann@corp.org",
    r"{\rtf1{\pict\pngblip 89504e47}{\stylesheet{\s1 Normal;}}text}": "text",
    r"{\rtf1{\info{\author Ann Lee}}{\footnote see ann@corp.org}x}": "Ann Leesee ann@corp.orgx",
    r"{\rtf1{\*\bkmkstart here}x": "herex",
    r"{\rtf1 }}}}x{{{": "x",
    r"{\rtf1\u99999999999?\uc0\ansicpg99999 x}": None,
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_is_what_programs_show(text: str) -> None:
    assert TEXTS[text] in (None, plain(text).strip())


def test_values_are_found_and_the_file_is_left_out_of_masks(tmp_path: Path) -> None:
    letters = [
        rf"Dear {{\b Mrs}} Sabine K\'f6ster, call {{\i (617)}} 555-2{i}47 or ann{i}@\line corp.org\par"
        for i in range(3)
    ]
    (tmp_path / "letter.doc.txt").write_text(HEAD + "\n".join(letters) + "}")
    report = piiscan.scan(tmp_path / "letter.doc.txt")
    (table,) = report.tables
    assert report.complete and table.format == "rtf"
    assert {"PERSON", "PHONE_NUMBER"} <= {i.entity for i in table.columns[0].inside}
    done = run_piiscan("mask", "letter.doc.txt", "-o", "out", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 3 and "RTF is read but not written" in done.stderr and not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["", "{\\rtf1}", "{\\rtf1 \\par\\par }"])
def test_a_document_without_text_is_clean(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.rtf").write_text(text)
    report = piiscan.scan(tmp_path / "a.rtf")
    assert report.complete and not report.findings


def test_text_in_base64_is_said_not_to_be_read(tmp_path: Path) -> None:
    packed = b64encode(b"write to ann@corp.org today").decode()
    (tmp_path / "a.rtf").write_text(rf"{{\rtf1 see\par data: {packed}\par}}")
    assert "text in Base64" in piiscan.scan(tmp_path / "a.rtf").not_scanned[0].reason


def test_pictures_and_embedded_objects_are_said_not_to_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_text(r"{\rtf1 write to ann@corp.org\par{\pict\pngblip 8950}{\object{\*\objdata 0105}}}")
    report = piiscan.scan(tmp_path / "a.rtf")
    assert not report.complete and "2 pictures or embedded objects" in report.not_scanned[0].reason
    assert "EMAIL_ADDRESS" in {f.entity for f in report.findings}
