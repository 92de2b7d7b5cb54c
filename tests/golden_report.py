"""One fixed report, with everything a report can hold, for the golden files of every format."""

from __future__ import annotations

from pathlib import Path

from piiscan.core.types import ColumnReport, InName, Inside, NotScanned, Reason, ScanReport, TableReport
from piiscan.rules.definitions import Rule, RuleSet
from piiscan.scanning.baseline import Baseline
from piiscan.scanning.findings import Allow, BaselineChanges, JudgedReport, Place, answerable, judge

BASE = Path("/project")

RULES = RuleSet(
    (
        Rule(
            "email", "EMAIL_ADDRESS", "E-mail address", authority="IETF", link="https://www.rfc-editor.org/rfc/rfc5322"
        ),
        Rule("header-city", "CITY", "City, by its header", headers=("city",)),
        Rule("header-income", "INCOME", "Income, by its header", headers=("income",)),
        Rule(
            "pl-pesel",
            "NATIONAL_ID",
            "Polish PESEL",
            subtype="PL_PESEL",
            authority="Ministerstwo Cyfryzacji",
            country="PL",
        ),
        Rule("us-ssn", "US_SSN", "US social security number", authority="Social Security Administration", country="US"),
    )
)


def _none(index: int, name: str | None, entity: str | None = None) -> ColumnReport:
    return ColumnReport(index, name, "string", entity, None, "none", 0.9, 0, 1000, True, "aaa 999")


PEOPLE = TableReport(
    "/project/data/people.csv",
    None,
    "csv",
    1000,
    True,
    True,
    "person",
    (
        ColumnReport(
            0,
            "email",
            "string",
            "EMAIL_ADDRESS",
            None,
            "direct",
            0.99,
            3,
            985,
            True,
            "aaa@aaa.aa",
            "email",
            (Reason("rule", "email", 985, 0.988), Reason("header", "email"), Reason("model", p=0.97)),
            (Inside("US_SSN", None, "us-ssn", 12, (17, 90)),),
        ),
        ColumnReport(
            1,
            "the_number_that_the_registry_of_the_population_gave_to_this_person",
            "integer",
            "NATIONAL_ID",
            "PL_PESEL",
            "direct",
            0.98765,
            0,
            1000,
            True,
            "99999999999",
            "pl-pesel",
            (
                Reason("rule", "pl-pesel", 1000, 1.0),
                Reason("checksum", "pl-pesel", 1000, 1.0, chance=0.1),
                Reason("neighbour", text="the birth date inside equals column dob"),
            ),
        ),
        ColumnReport(
            2,
            "Ort | 市区町村",
            "string",
            "CITY",
            None,
            "quasi",
            0.8,
            10,
            40,
            True,
            None,
            "header-city",
            (Reason("header", "header-city"),),
        ),
        ColumnReport(
            3,
            "notes",
            "string",
            "FREE_TEXT",
            None,
            "none",
            0.7,
            0,
            5000,
            False,
            None,
            None,
            (),
            (
                Inside("EMAIL_ADDRESS", None, "email", 1, (999,)),
                Inside("DATE_OF_BIRTH", None, "date", 4, (), sampled=True),
            ),
        ),
        ColumnReport(
            4,
            "income",
            "float",
            "INCOME",
            None,
            "sensitive",
            0.75,
            1,
            990,
            True,
            None,
            "header-income",
            (Reason("header", "header-income"),),
        ),
        _none(5, "sku", "GENERIC_ID"),
        _none(6, "sku"),
        _none(7, None),
        _none(8, "\x1b[31mred"),
    ),
)
OFFICES = TableReport(
    "/project/data/offices.csv", None, "csv", 20, True, True, "organisation",
    (
        ColumnReport(
            0, "switchboard", "string", "PHONE_NUMBER", None, "none", 0.97, 0, 20, True, "+99 999", "phone",
            (Reason("header", "phone"), Reason("subject", text="rows are about organisations, not persons")),
            pii_confidence=0.96,
        ),
        ColumnReport(
            1, "mailbox", "string", "EMAIL_ADDRESS", None, "none", 0.99, 0, 20, True, "aaa@aaa.aa", "email",
            (Reason("rule", "email", 20, 1.0), Reason("subject", text="mailboxes of offices, not of persons")),
            pii_confidence=0.71234, review=("EMAIL_ADDRESS that may be of persons (29% likely)",),
        ),
        ColumnReport(
            2, None, "string", None, None, "none", 0.55, 4, 16, True, "Aaa Aaa", None, (),
            pii_confidence=0.55, review=("it may be PERSON (45% likely)", "it may be STREET_ADDRESS (25% likely)"),
        ),
        ColumnReport(
            3, "owner", "string", "PERSON", None, "direct", 0.9, 0, 20, True, "Aaa Aaa", "email",
            (Reason("header", "email"),), pii_confidence=0.6,
            review=("PERSON that may be an organisation (40% likely)",),
        ),
        _none(4, "floor"),
    ),
)  # fmt: skip
REPORT = ScanReport(
    {"name": "piiscan", "version": "9.9.9", "rules_digest": "0123456789abcdef", "model_digest": None},
    (
        PEOPLE,
        OFFICES,
        TableReport("/project/data/book.xlsx", "Sheet 1", "xlsx", 2, True, True, None, (_none(0, "total"),)),
        TableReport(
            "/project/data/all.zip!b/x%20y.csv",
            None,
            "csv",
            10,
            False,
            False,
            None,
            (
                ColumnReport(
                    0,
                    None,
                    "string",
                    "EMAIL_ADDRESS",
                    None,
                    "direct",
                    0.6,
                    0,
                    9,
                    True,
                    None,
                    "email",
                    (Reason("rule", "email", 9, 0.9),),
                ),
            ),
            sampled=10,
            notes=("Read with ',' as delimiter; ';' fits as well: choose with --delimiter",),
            in_names=(
                InName("/project/data/all.zip!b/x%20y.csv", "NATIONAL_ID", "PL_PESEL", "pl-pesel", of_table=True),
                InName("/project/data/all.zip!b/x%20y.csv", "EMAIL_ADDRESS", None, "email", column=0),
            ),
        ),
    ),
    (
        NotScanned("/project/data/torn.parquet", "not a complete Parquet file"),
        NotScanned("/project/data/book.xlsx", "protected", "Secret"),
    ),
    skipped=4,
    skipped_kinds=(("left out by .gitignore", 1), ("picture", 3)),
    names=(InName("/project/data/file_3.pdf", "US_SSN", None, "us-ssn"),),
)


CHANGES = BaselineChanges(
    7,
    (("0123456789abcdef", "fedcba9876543210"),),
    ("model",),
    (Place("data/offices.csv", None, "mailbox", "review"), Place("data/offices.csv", None, "owner", "email")),
    (),
    (Place("data/offices.csv", None, "mailbox", "email"),),
)


def judged(kind: str = "") -> JudgedReport:
    """For a kind of report of `FILES`. For people, with a baseline only what is new is shown: `NEWS`."""
    found = judge(REPORT, BASE, (Allow("cities are public", entity="CITY"),))
    return found if kind in NEWS else found._replace(baseline=CHANGES)


GOLDEN = Path(__file__).parent / "golden"
FILES = {
    "table": "report.txt", "json": "report.json", "jsonl": "report.jsonl", "csv": "report.csv", "markdown": "report.md",
    "sarif": "report.sarif", "github": "report.github",
}  # fmt: skip
NEWS = {"table": "news.txt", "markdown": "news.md"}


def with_news() -> JudgedReport:
    """Where all that was found in one file is known, and in another what is weaker than a direct identifier."""
    of_file = [f for f in answerable(REPORT) if f.source.endswith("people.csv")]
    known = Baseline({}).update(of_file, BASE, REPORT)
    found = judge(REPORT, BASE, (Allow("cities are public", entity="CITY"),), baseline=known)
    return found._replace(baseline=known.changes(found, "direct"))


if __name__ == "__main__":  # write the golden files anew, for a person to read the difference
    from piiscan.report.formats import Style, encode, render

    for kind, name in FILES.items():
        (GOLDEN / name).write_bytes(encode(render(kind, judged(kind), RULES, Style(80))))
    for kind, name in NEWS.items():
        (GOLDEN / name).write_bytes(encode(render(kind, with_news(), RULES, Style(80, verbose=True))))
