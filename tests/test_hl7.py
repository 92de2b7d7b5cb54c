"""HL7 version 2 messages: segments are rows of tables, and the parts of names and addresses columns."""

from __future__ import annotations

from pathlib import Path

import pytest

import piiscan

LAST = "Smith Johnson Miller Davis Wilson Anderson Taylor Thomas Moore Martin".split()
FIRST = "Mary John Linda Robert Karen Paul Susan Mark Emily Peter".split()


def message(i: int, end: str = "\r") -> str:
    name, other = f"{LAST[i]}^{FIRST[i]}^Q", f"{LAST[i]}^{FIRST[-i - 1]}"
    return end.join(
        [
            rf"MSH|^~\&|ADT|GOOD HOSPITAL|LAB|GOOD HOSPITAL|2024030112{i:02}||ADT^A01|{i}|P|2.5",
            f"EVN|A01|2024030112{i:02}",
            f"PID|1||{48200 + i * 37}^^^HOSP^MR~7{i}1^^^OLD||{name}~{other}||196{i}061{i}|F|||{i + 3} Main Street&Rear^"
            f"^Boston^MA^0210{i}||(617) 555-01{i:02}^PRN^PH^p{i}@mail.example|||M|||219-09-99{i:02}",
            f"NK1|1|{other}|SPO^SPOUSE||(617) 555-02{i:02}",
            rf"OBX|1|TX|NOTE||Seen \T\ sent home\.br\by ward {i}||||||F",
            "",
        ]
    )


def write(tmp_path: Path, text: str, name: str = "adt.hl7") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
@pytest.mark.parametrize("name", ["adt.hl7", "adt.txt", "adt"])
def test_segments_are_rows(tmp_path: Path, end: str, name: str) -> None:
    report = piiscan.scan(write(tmp_path, "".join(message(i, end) for i in range(10)), name))
    assert report.complete
    assert [(t.table, t.format, t.rows) for t in report.tables] == [
        (segment, "hl7", 10) for segment in ("MSH", "EVN", "PID", "NK1", "OBX")
    ]
    patients = {c.name: c.entity for c in report.tables[2].columns}
    assert patients["patient last name (PID-5.1)"] == "LAST_NAME"
    assert patients["patient first name 2 (PID-5.2)"] == "FIRST_NAME"
    assert patients["medical record number (PID-3)"] == "MEDICAL_RECORD"
    assert patients["date of birth (PID-7)"] == "DATE_OF_BIRTH"
    assert patients["patient street address (PID-11.1)"] == "STREET_ADDRESS"
    assert patients["home email address (PID-13.4)"] == "EMAIL_ADDRESS"
    assert patients["social security number (PID-19)"] == "US_SSN"
    relatives = {c.name: c.entity for c in report.tables[3].columns}
    assert relatives["next of kin last name (NK1-2.1)"] == "LAST_NAME"


def test_clinicians_are_taken_apart_in_other_segments(tmp_path: Path) -> None:
    text = message(1) + "PR1|1||H46||20240301||||||77^Hampelmoor^Ute\rTXA|1|DS|||9^Kernweiler^Bo\r"
    report = piiscan.scan(write(tmp_path, text))
    found = {c.name: c.entity for t in report.tables for c in t.columns}
    assert found["surgeon last name (PR1-11.2)"] == found["author last name (TXA-5.2)"] == "LAST_NAME"


def test_one_message_is_enough(tmp_path: Path) -> None:
    found = {f.entity for f in piiscan.scan(write(tmp_path, message(3))).findings}
    assert {"LAST_NAME", "FIRST_NAME", "MEDICAL_RECORD", "US_SSN", "PHONE_NUMBER", "STREET_ADDRESS"} <= found


def test_marks_are_those_of_the_message(tmp_path: Path) -> None:
    swapped = message(4).translate(str.maketrans("|^~", "!*%"))
    names = {c.name for c in piiscan.scan(write(tmp_path, swapped)).tables[2].columns}
    assert "patient first name 2 (PID-5.2)" in names


def test_escapes_are_read(tmp_path: Path) -> None:
    text = message(5) + "NTE|1||ann\\T\\bob \\F\\ write to peter\\X40\\firm.org\r"
    report = piiscan.scan(write(tmp_path, text))
    (note,) = [t for t in report.tables if t.table == "NTE"]
    assert "EMAIL_ADDRESS" in {i.entity for c in note.columns for i in c.inside} | {c.entity for c in note.columns}


def test_frames_and_lines_that_are_no_segments_are_read(tmp_path: Path) -> None:
    text = "\x0b" + message(6) + "\x1c\rwrite to peter@firm.org\r"
    report = piiscan.scan(write(tmp_path, text))
    assert report.complete and any(f.entity == "EMAIL_ADDRESS" and "other" in str(f.table) for f in report.findings)


def test_a_segment_without_a_value_is_an_empty_row(tmp_path: Path) -> None:
    report = piiscan.scan(write(tmp_path, "MSH|^~\\&|A\rPID|\rNK1|||\r"))
    assert report.complete and [(t.table, t.rows) for t in report.tables] == [("MSH", 1), ("PID", 1), ("NK1", 1)]


@pytest.mark.parametrize(
    "text", ["MSH|", "MSH is short\nfor message header\n", "MSH|a|b\n1|2|3\n4|5|6\n", "PID|1|2\nPID|2|3\n"]
)
def test_other_texts_are_no_messages(tmp_path: Path, text: str) -> None:
    assert {t.format for t in piiscan.scan(write(tmp_path, text, "a.txt")).tables} <= {"csv", "text"}
