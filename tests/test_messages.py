"""HL7, X12, EDIFACT, MT940, QIF and GEDCOM: records are rows, and mask changes values where they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import run_piiscan
from hypothesis import given
from hypothesis import strategies as st
from mask_people import key_file

import piiscan
from piiscan.io.messages import notations

LAST = "Wojcik Okonkwo Brannigan Delacroix Haverstock Lindqvist Marchetti Szabo".split()
FIRST = "Mary John Linda Robert Karen Paul Susan Mark".split()
PEOPLE = [
    (first, last, f"{first.lower()}.{last.lower()}@gmail.com", f"(617) 555-2{i}47", f"{i + 3} Main Street")
    for i, (first, last) in enumerate(zip(FIRST, LAST, strict=True))
]
IBANS = [f"DE{98 - int(f'37040044{i:010}131400') % 97:02}37040044{i:010}" for i in range(532013000, 532013008)]


def hl7() -> str:
    return "".join(
        f"MSH|^~\\&|ADT|H|LAB|H|2024030112{i:02}||ADT^A01|{i}|P|2.5\r"
        f"PID|1||{48200 + i * 37}^^^HOSP^MR||{last}^{first}^Q||196{i}061{i}|F|||{street}^^Boston^MA^0210{i}||"
        f"{phone}^PRN^PH^{mail}|||M|||219-09-99{i:02}\r"
        for i, (first, last, mail, phone, street) in enumerate(PEOPLE)
    )


def x12(end: str = "~\n", marks: str = "*:") -> str:
    head = f"ISA*00*{'':10}*00*{'':10}*ZZ*{'SENDER':15}*ZZ*{'TAKER':15}*240301*1253*^*00501*000000905*1*T*:"
    segments = [head, "GS*HC*SENDER*TAKER*20240301*1253*1*X*005010X222A1", "ST*837*0021"]
    segments += ["NM1*85*2*SUNSHINE CLINIC*****XX*9876543210", "N3*234 SEAWAY ST", "N4*MIAMI*FL*33111"]
    for i, (first, last, mail, phone, street) in enumerate(PEOPLE):
        segments += [
            f"NM1*IL*1*{last.upper()}*{first.upper()}****MI*JS0012{i}4455",
            f"N3*{street.upper()}",
            f"N4*MIAMI*FL*3341{i}",
            f"DMG*D8*194{i}0501*F",
            f"REF*SY*21909{9900 + i}",
            f"PER*IC*{first} {last}*TE*{phone}*EM*{mail}",
            f"CLM*26{i}63774*100***11:B:1*Y",
            f"NTE*ADD*{first} {last} called",
        ]
    text = end.join([*segments, "SE*42*0021", "GE*1*1", "IEA*1*000000905"]) + end
    return text.translate(str.maketrans("*:", marks))


def edifact() -> str:
    parties = "".join(
        f"NAD+BY+++{first} {last}+{street}+Boston++0210{i}+US'\nCTA+IC+:{first} {last}'\n"
        f"COM+{phone}:TE'\nCOM+{mail}:EM'\n"
        f"NAD+FL+++{last.upper()}:{first.upper()}'\nDTM+329:196{i}0501'\nDOC+P+9252{i}7164'\n"
        for i, (first, last, mail, phone, street) in enumerate(PEOPLE)
    )
    return f"UNA:+.? '\nUNB+UNOC:3+A+B+060508:0912+1'\n{parties}FTX+AAI+++50 ?+ 1?: it?'s done??'\nUNZ+1+1'\n"


def mt940() -> str:
    bookings = "".join(
        f":61:240301D{i},00N102EREF\r\n:86:177?00SEPA?20rent?30COBADEFF?31{IBANS[i]}?32{first} \r\n{last}\r\n"
        for i, (first, last, *_) in enumerate(PEOPLE)
    )
    return f":20:S\r\n:25:10020030/1234567\r\n:28C:9/1\r\n:60F:C240301EUR1,00\r\n{bookings}:62F:C240301EUR9,00\r\n-\r\n"


def qif() -> str:
    return "!Type:Bank\n" + "".join(
        f"D1/{i + 1}/24\nT-1,000.00\nP{first} {last}\nM{IBANS[i]}\n^\n" for i, (first, last, *_) in enumerate(PEOPLE)
    )


def gedcom() -> str:
    people = "".join(
        f"0 @I{i}@ INDI\n1 NAME {first} /{last}/\n2 GIVN {first}\n2 SURN {last}\n1 SEX F\n"
        f"1 BIRT\n2 DATE {i + 1} MAY 196{i}\n2 PLAC Boston\n1 EMAIL {mail}\n1 NOTE Wrote to {mail}\n2 CONT twice\n"
        for i, (first, last, mail, *_) in enumerate(PEOPLE)
    )
    return f"0 HEAD\n1 CHAR UTF-8\n{people}0 @F1@ FAM\n1 HUSB @I1@\n1 WIFE @I0@\n0 TRLR\n"


MADE = {"hl7": hl7, "x12": x12, "edifact": edifact, "mt940": mt940, "qif": qif, "gedcom": gedcom}
FOUND = {
    "hl7": {"LAST_NAME", "FIRST_NAME", "MEDICAL_RECORD", "US_SSN", "PHONE_NUMBER", "EMAIL_ADDRESS", "DATE_OF_BIRTH"},
    "x12": {"LAST_NAME", "FIRST_NAME", "US_SSN", "STREET_ADDRESS", "PERSON", "PHONE_NUMBER", "EMAIL_ADDRESS"},
    "edifact": {"PERSON", "STREET_ADDRESS", "PHONE_NUMBER", "EMAIL_ADDRESS", "LAST_NAME", "PASSPORT"},
    "mt940": {"PERSON", "IBAN_CODE", "BANK_ACCOUNT"},
    "qif": {"PERSON", "IBAN_CODE"},
    "gedcom": {"PERSON", "FIRST_NAME", "LAST_NAME", "DATE_OF_BIRTH", "EMAIL_ADDRESS"},
}
ORIGINALS = {
    "hl7": [*LAST, *(p[2] for p in PEOPLE), *(p[3] for p in PEOPLE), *(p[4] for p in PEOPLE), "219-09-99"],
    "x12": [
        *(f"*{n.upper()}*" for n in LAST),
        *(p[2] for p in PEOPLE),
        *(f"{p[0]} {p[1]}" for p in PEOPLE),
        "SY*219099900",
    ],
    "edifact": [*(f"{p[0]} {p[1]}" for p in PEOPLE), *(p[2] for p in PEOPLE), *(p[3] for p in PEOPLE)],
    "mt940": [*IBANS, *LAST, "1234567"],
    "qif": [*IBANS, *LAST],
    "gedcom": [*(f"/{n}/" for n in LAST), *(p[2] for p in PEOPLE), *(f"SURN {n}" for n in LAST)],
}


def write(folder: Path, text: str, name: str = "messages.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def masked(folder: Path, text: str, *options: str, name: str = "messages.txt") -> str:
    write(folder, text, name)
    done = run_piiscan("mask", name, "-o", "out", "--key", key_file(folder), *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return (folder / "out").read_bytes().decode()


def bones(kind: str, text: str) -> str:
    """A text without the values in it."""
    cells = [span for record in notations.notation(kind).read(text, []) for span in record.cells.values()]
    out, at = [], 0
    for start, end in sorted(cells):
        out.append(text[at:start])
        at = end
    return "\0".join([*out, text[at:]])


@pytest.mark.parametrize("kind", MADE)
def test_records_are_rows(tmp_path: Path, kind: str) -> None:
    report = piiscan.scan(write(tmp_path, MADE[kind]()))
    assert report.complete and {t.format for t in report.tables if not str(t.table).startswith("#")} == {kind}
    columns = [c for t in report.tables for c in t.columns]
    assert FOUND[kind] <= {c.entity for c in columns}


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("policy", ["default", "gdpr", "hipaa-safe-harbor"])
def test_mask_leaves_everything_but_values(tmp_path: Path, kind: str, policy: str) -> None:
    text = MADE[kind]()
    out = masked(tmp_path, text, "--policy", policy)
    assert not [value for value in ORIGINALS[kind] if value in out]
    assert bones(kind, out) == bones(kind, text)


@pytest.mark.parametrize("kind", MADE)
def test_nothing_changes_where_nothing_is_masked(tmp_path: Path, kind: str) -> None:
    text = MADE[kind]()
    (tmp_path / "keep.toml").write_text('name = "keep"\nversion = 2\n[defaults]\nOTHER = "keep"\n')
    path = write(tmp_path, text)
    plan = piiscan.plan(path).to_toml()
    plan = re.sub(r"(?m)^(\S+ = |\"[^\"\n]+\" = )\{(entity = [^,}]+).*$", r'\1{operator = "keep"}', plan)
    (tmp_path / "plan.toml").write_text(plan)
    assert masked(tmp_path, text, "--plan", "plan.toml", "--no-verify") == text


@pytest.mark.parametrize("end", ["~", "~\r\n", "'\n", "\n"])
def test_x12_ends_and_marks_are_those_of_the_envelope(tmp_path: Path, end: str) -> None:
    names = {c.name for t in piiscan.scan(write(tmp_path, x12(end, "|>"))).tables for c in t.columns}
    assert {
        "subscriber last name (NM103)",
        "subscriber street address (N301)",
        "social security number (REF02)",
    } <= names


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_parties_are_apart(tmp_path: Path, end: str) -> None:
    tables = {t.table: t for t in piiscan.scan(write(tmp_path, x12("~" + end))).tables}
    assert tables["N3 IL"].rows == len(PEOPLE) and tables["N3 85 organization"].rows == 1
    assert tables["N3 IL"].columns[0].pii == "direct" and tables["N3 85 organization"].columns[0].pii == "none"


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=30))
@pytest.mark.parametrize("kind", ["hl7", "edifact"])
def test_marks_in_values_are_escaped(kind: str, value: str) -> None:
    notation = notations.notation(kind)
    texts = {"hl7": "MSH|^~\\&|A\rPID|1||7||{}^Q\r", "edifact": "UNA:+.? 'UNB+UNOC:3+A'NAD+BY+++{}+Q'"}
    at, text = {"hl7": ("PID", (5, 0, 1)), "edifact": ("NAD BY", (4, 0, 1))}[kind], texts[kind]
    marks = next(r.marks for r in notation.read(text.format("x"), []) if r.table == at[0])
    made = text.format(notation.written(value, marks))
    (record,) = [r for r in notation.read(made, []) if r.table == at[0]]
    start, end = record.cells[at[1]]
    assert notation.plain(made[start:end], record.marks) == value


def test_a_value_that_is_nowhere_a_cell_leaves_the_file_out(tmp_path: Path) -> None:
    write(tmp_path, x12().replace("SENDER         ", "ann@corp.org   "))
    done = run_piiscan("mask", "messages.txt", "-o", "out", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 3 and not (tmp_path / "out").exists()


def test_booking_texts_without_codes_and_with_names_of_fields(tmp_path: Path) -> None:
    named = "".join(
        f":61:240301D{i},00N102EREF\n{IBANS[i]}\n:86:/EREF/{i}/BENM//NAME/{first} {last}/IBAN/{IBANS[i]}/REMI/rent\n"
        for i, (first, last, *_) in enumerate(PEOPLE)
    )
    text = f":20:S\n:25:1\n:28C:9/1\n{named}:86:paid by {PEOPLE[0][0]} {PEOPLE[0][1]}\n-\n"
    out = masked(tmp_path, text)
    assert not [value for value in (*IBANS, *LAST) if value in out]


@pytest.mark.parametrize(
    "text",
    [
        "ISA*is a segment\n",
        "UNB is a university\nUNA too\n",
        ":20: is a time\n:25: is later\n",
        "!Type\nmore\n",
        "0 HEAD\nof the table\n",
        "!important\nPay\nMe\n^\n",
    ],
)
def test_other_texts_are_no_messages(tmp_path: Path, text: str) -> None:
    assert {t.format for t in piiscan.scan(write(tmp_path, text)).tables} <= {"csv", "text"}


@pytest.mark.parametrize("kind", MADE)
def test_cut_messages_are_read_to_their_end(tmp_path: Path, kind: str) -> None:
    text = MADE[kind]()
    for size in range(120, 200, 7):
        report = piiscan.scan(write(tmp_path, f"{text[:size]} ann@corp.org"))
        assert "EMAIL_ADDRESS" in str([f.entity for f in report.findings]) or not report.complete, text[:size]


def test_contacts_of_one_kind_are_all_read(tmp_path: Path) -> None:
    twice = x12().replace("*TE*", "*TE*(617) 555-9988*TE*")
    (table,) = [t for t in piiscan.scan(write(tmp_path, twice)).tables if t.table == "PER IL"]
    phones = {c.name: c.entity for c in table.columns if "phone" in str(c.name)}
    assert phones == dict.fromkeys(
        ("subscriber phone number (PER TE)", "subscriber phone number (PER TE) 2"), "PHONE_NUMBER"
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_and_their_marks_stay(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    data = (mark + edifact()).encode(encoding)
    (tmp_path / "a.edi").write_bytes(data)
    done = run_piiscan("mask", "a.edi", "-o", "out", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    out = (tmp_path / "out").read_bytes()
    assert out[:20] == data[:20]
    assert bones("edifact", out.decode(encoding).removeprefix("\ufeff")) == bones("edifact", edifact())
