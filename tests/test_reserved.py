"""Values that are nobody's, and those that the configuration answers for: they keep their entity and class, and raise
no alarm, as long as no other value stands beside them."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Run, run_piiscan
from hypothesis import given, settings
from hypothesis import strategies as st

import piiscan
from piiscan.core.types import Batch, Field
from piiscan.detection.matching import reference
from piiscan.detection.matching.batch import summarise
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.matching.quiet_values import RESERVED, QuietValues
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules import reserved_values
from piiscan.rules.reserved_values import is_reserved
from piiscan.rules.rule_sets import compiled_rules, shipped
from piiscan.rules.value_tests import at_domain, in_network

VALUES = (
    ("EMAIL_ADDRESS", "ann@example.com bob@EXAMPLE.org c@mail.example.net d@x.test e@a.b.invalid"),
    ("EMAIL_ADDRESS", "f@host.localhost g@example.example"),
    ("EMAIL_ADDRESS", "noreply@firm.com No-Reply@firm.co.uk do_not_reply@firm.de"),
    ("EMAIL_ADDRESS", "git@github.com git@git.firm.co.uk getty@tty1.service user@1000.service"),
    ("URL", "https://www.example.com/a?b#c http://localhost:8080/ http://127.0.0.1/x"),
    ("URL", "https://a.test ftp://example.org/f"),
    ("IP_ADDRESS", "127.0.0.1 10.1.2.3 172.16.0.1 172.31.255.1 192.168.1.1 169.254.3.4 192.0.2.7"),
    ("IP_ADDRESS", "198.51.100.7 203.0.113.7"),
    ("IP_ADDRESS", "224.0.0.251 255.255.255.0 17.0.0.0 124.0.0.0 ::1 fe80::1%eth0 fd12:3456:789a:1::1"),
    ("IP_ADDRESS", "2001:db8::1 ::ffff:10.1.2.3"),
    ("PHONE_NUMBER", "555-0100 (212)555-0143 212.555.0199 +12125550143 1-800-555-0199 +442079460958"),
    ("PHONE_NUMBER", "02079460958 07700900123"),
    ("PHONE_NUMBER", "+61255501234 0255501234 +493023125123 +33199001234 +353209112345 +46701740605"),
    ("CREDIT_CARD", "4111111111111111 4242-4242-4242-4242 378282246310005 5555555555554444 30569309025904"),
    ("US_SSN", "078-05-1120 219-09-9999 987-65-4320 987654329"),
    ("IBAN_CODE", "GB82WEST12345698765432 DE89370400440532013000 FR7630006000011234567890189"),
    ("MAC_ADDRESS", "00:00:5E:00:53:07 00-00-00-00-00-00 ff:ff:ff:ff:ff:ff"),
)  # fmt: skip
OTHERS = (
    ("EMAIL_ADDRESS", "ann@notexample.com ann@example.com.evil.org ann@example.co.uk ann@corp.local"),
    ("EMAIL_ADDRESS", "ann@testing.com ann@example git.ann@firm.com ann@my.services"),
    ("EMAIL_ADDRESS", "noreply.ann@firm.com noreply-ann@firm.com 123+ann@users.noreply.github.com"),
    ("URL", "https://notexample.com https://ann:secret@example.com/ https://example.com.evil.org/"),
    ("URL", "http://11.0.0.1/"),
    ("IP_ADDRESS", "8.8.8.8 11.1.2.3 172.32.0.1 192.169.1.1 100.64.0.1 1.2.3.0 2001:4860:4860::8888"),
    ("IP_ADDRESS", "::ffff:8.8.8.8"),
    ("PHONE_NUMBER", "555-1100 212-555-1143 833-555-0123 800-555-0198 0209112345 +442079450958"),
    ("PHONE_NUMBER", "1632960123456"),
    ("CREDIT_CARD", "4111111111111129 4242424242424267"),
    ("US_SSN", "219-09-9998 078-05-1121 987-65-4330 123-45-6789"),
    ("IBAN_CODE", "GB29NWBK60161331926818 DE87162579906672160565"),
    ("MAC_ADDRESS", "00:00:5E:00:52:07 00:1B:44:11:3A:B7"),
    ("PERSON", "ann@example.com"),
)  # fmt: skip


@pytest.fixture
def run() -> Run:
    return run_piiscan


def each(table: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(entity, value) for entity, values in table for value in values.split()]


@pytest.mark.parametrize(("entity", "value"), each(VALUES))
def test_nobodys_values_are_known(entity: str, value: str) -> None:
    assert is_reserved(entity, value)


@pytest.mark.parametrize(("entity", "value"), [*each(OTHERS), ("PHONE_NUMBER", "Ann 555-0100"), ("PHONE_NUMBER", "")])
def test_what_may_be_somebodys_is_not_among_them(entity: str, value: str) -> None:
    assert not is_reserved(entity, value)


@pytest.mark.parametrize(("rule", "numbers"), [("card", reserved_values._CARDS), ("iban", reserved_values._IBANS)])
def test_specimens_pass_their_checks(rule: str, numbers: list[str]) -> None:
    """A number that was noted down wrongly would be somebody's, or nothing that a rule finds."""
    by_id = shipped().rules.by_id
    rules = [by_id[rule], *([by_id["card-rare"]] if rule == "card" else [])]
    assert [n for n in numbers if not any(r.fullmatch(n) for r in rules)] == []
    assert len(set(numbers)) == len(numbers)


# What is said of many cells, by one cell at a time.
FEW = ("email", "ipv4", "us-ssn", "card", "phone-nanp")
GOOD = ("ann@example.com", "10.0.0.1", "219-09-9999", "4111 1111 1111 1111", "(212) 555-0143", "bob@x.test")
BAD = ("ann@firm.com", "8.8.8.8", "219-09-9998", "4111111111111129", "(212) 555-1143", "4929 0000 0000 0006")
pieces = st.sampled_from([*GOOD, *BAD, "and", "x"])
cells = st.builds(
    lambda some, joint: joint.join(some), st.lists(pieces, min_size=1, max_size=3), st.sampled_from(" ,;")
)
QUIET = QuietValues({"EMAIL_ADDRESS": (at_domain("firm.com")["EMAIL_ADDRESS"],)})


@cache
def prefilter() -> Prefilter:
    return Prefilter(compiled_rules(shipped().rules.restrict(FEW)))


def is_quiet(cell: str, rule: str, whole: bool, quiet: QuietValues) -> bool:
    pattern = prefilter().compiled.patterns[rule]
    text = cell.strip(reference.SPACES)
    found = [text] if whole else [m.group() for m in reference.compiled_regex(pattern.exact).finditer(text)]
    tests = quiet.tests[pattern.rule.entity]
    return all(any(t.passes(v) for t in tests) for v in found if pattern.rule.passes(v))


@given(
    some=st.lists(cells, min_size=1, max_size=5),
    times=st.sampled_from([1, 40]),
    quiet=st.sampled_from([RESERVED, QUIET]),
)
@settings(max_examples=60)
def test_many_cells_are_judged_as_each_is(some: list[str], times: int, quiet: QuietValues) -> None:
    """More cells than Python looks at by itself, and fewer."""
    column = pl.Series("0", [cell for cell in some for _ in range(times)])
    found = summarise(Batch(column.to_frame(), 0), [Field("text")], prefilter(), quiet=[quiet]).columns[0]
    for rule, hits in found.hits.items():
        for whole, part in ((True, hits.whole), (False, hits.within)):
            wanted = [
                i for i, cell in enumerate(column)
                if reference.Hit(rule, whole, True) in reference.cell_hits(cell, prefilter().compiled)
                and not is_quiet(cell, rule, whole, quiet)
            ]  # fmt: skip
            assert part.other_rows == tuple(wanted[:5])
            assert part.others == bool(wanted)


@given(some=st.lists(cells, min_size=2, max_size=40), cuts=st.sets(st.integers(1, 39)), seed=st.integers(0, 9))
@settings(max_examples=60)
def test_parts_add_up_to_the_whole(some: list[str], cuts: set[int], seed: int) -> None:
    stops = [0, *sorted(c for c in cuts if c < len(some)), len(some)]
    parts = [
        summarise(Batch(pl.DataFrame({"0": some[a:b]}), a), [Field("text")], prefilter(), quiet=[QUIET])
        for a, b in pairwise(stops)
    ]
    random.Random(seed).shuffle(parts)
    whole = summarise(Batch(pl.DataFrame({"0": some}), 0), [Field("text")], prefilter(), quiet=[QUIET])
    assert sum(parts, TableSummary.empty(1)).columns == whole.columns


OWN = """
[[rule]]
id = "own-mail"
entity = "EMAIL_ADDRESS"
title = "Mail in angle brackets"
pattern = '<[a-z]+@[a-z]+[.]com>(?! *[(]system)'
gate = '@'
engine = "regex"
search = "anywhere"
match = ["<ann@example.com>"]
no_match = ["ann"]
"""


def test_what_a_rule_finds_in_another_way_is_never_quiet(tmp_path: Path, run: Run) -> None:
    """Matches of the `regex` package aren't looked for a second time."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.toml").write_text(OWN)
    (tmp_path / "t.log").write_text("to <ann@example.com> and others\n" * 20)
    done = run("scan", tmp_path / "t.log", "--rules", tmp_path / "rules", "-f", "json")
    inside = {i["rule"]: i.get("reserved") for i in json.loads(done.stdout)["tables"][0]["columns"][0]["inside"]}
    assert (done.returncode, inside) == (1, {"email": True, "own-mail": None})


# From files to reports.
@pytest.mark.parametrize("style", ["987-65-432{}", "98765432{}", "987 65 432{}"])
def test_numbers_kept_for_advertisements_are_no_findings(style: str, tmp_path: Path, run: Run) -> None:
    """Rules of taxpayer numbers take them, and none of social security numbers does."""
    file = tmp_path / "t.csv"
    file.write_text(table([style.format(i) for i in range(10)], "ssn", rows=40))
    done = run("scan", file, "-f", "json")
    column = json.loads(done.stdout)["tables"][0]["columns"][1]
    assert (done.returncode, column["entity"], column["reserved"]) == (0, "US_SSN", True)
    file.write_text(table(["987-65-4321", "987-65-4330"], "ssn", rows=40))
    assert run("scan", file).returncode == 1


def table(values: Sequence[str], header: str = "value", rows: int = 0) -> str:
    filled = [*values] * max(1, rows // len(values))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([["n", header], *([i, v] for i, v in enumerate(filled))])
    return out.getvalue()


HEADERS = {
    "EMAIL_ADDRESS": "email",
    "IP_ADDRESS": "ip address",
    "PHONE_NUMBER": "patient phone",
    "CREDIT_CARD": "credit card",
    "US_SSN": "ssn",
    "IBAN_CODE": "iban",
    "MAC_ADDRESS": "mac address",
}
MANY = {
    "EMAIL_ADDRESS": [f"ann{i}@example.com" for i in range(20)],
    "IP_ADDRESS": [f"10.{i}.2.{i + 90}" for i in range(20)],
    "PHONE_NUMBER": [f"({213 + i}) 555-01{i + 10}" for i in range(20)],
    "CREDIT_CARD": ["4111111111111111", "5555555555554444", "378282246310005", "6011111111111117"],
    "US_SSN": ["219-09-9999", "078-05-1120", "987-65-4320", "987-65-4329"],
    "IBAN_CODE": ["GB82WEST12345698765432", "DE89370400440532013000", "FR7630006000011234567890189"],
    "MAC_ADDRESS": [f"00:00:5E:00:53:{i:02X}" for i in range(20)],
}
ONE_OTHER = {
    "EMAIL_ADDRESS": "ann.smith@firm.com",
    "IP_ADDRESS": "81.2.69.160",
    "PHONE_NUMBER": "(212) 867-5309",
    "CREDIT_CARD": "4929000000006",
    "US_SSN": "219-09-9998",
    "IBAN_CODE": "DE87162579906672160565",
    "MAC_ADDRESS": "00:1B:44:11:3A:B7",
}


@pytest.mark.parametrize("entity", MANY)
def test_a_column_of_reserved_values_is_no_finding(entity: str, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "t.csv"
    file.write_text(table(MANY[entity], HEADERS[entity], rows=400))
    done = run("scan", file, "-f", "json")
    report = json.loads(done.stdout)
    column = report["tables"][0]["columns"][1]
    assert done.returncode == 0, done.stdout
    assert column["entity"] == entity
    assert column["reserved"] is True
    assert "reserved" not in report["tables"][0]["columns"][0]


@pytest.mark.parametrize("entity", [e for e in MANY if e != "CREDIT_CARD"])
def test_one_other_value_at_the_very_end_makes_it_one(entity: str, tmp_path: Path, run: Run) -> None:
    """It is looked for in every cell, not in a sample. An address that hardly any of its column's is routed beside is
    found as one inside its cells."""
    file = tmp_path / "t.csv"
    file.write_text(table(MANY[entity], HEADERS[entity], rows=20_000) + f"x,{ONE_OTHER[entity]}\n")
    done = run("scan", file, "-f", "json")
    column = json.loads(done.stdout)["tables"][0]["columns"][1]
    assert "reserved" not in column
    if entity == "IP_ADDRESS":
        assert column["pii"] == "none"
    else:
        assert (done.returncode, column["entity"]) == (1, entity)


def test_a_text_with_nothing_else_is_quiet_and_one_other_value_is_shown_first(tmp_path: Path, run: Run) -> None:
    quiet = tmp_path / "quiet.log"
    quiet.write_text("GET / from 10.0.0.1\nmail root@example.com\ncall (212) 555-0143, or ann@x.test\n" * 50)
    done = run("scan", quiet, "-f", "json")
    column = json.loads(done.stdout)["tables"][0]["columns"][0]
    assert done.returncode == 0, done.stdout
    assert column["reserved"] is True
    assert {i["entity"] for i in column["inside"] if i["reserved"]} == {i["entity"] for i in column["inside"]}

    loud = tmp_path / "loud.log"
    loud.write_text(quiet.read_text() + "mail ann.smith@firm.com\n")
    done = run("scan", loud, "-f", "json")
    found = {i["entity"]: i for i in json.loads(done.stdout)["tables"][0]["columns"][0]["inside"]}
    assert done.returncode == 1
    assert found["EMAIL_ADDRESS"]["first_rows"] == [150]
    assert "reserved" not in found["EMAIL_ADDRESS"]
    assert found["PHONE_NUMBER"]["reserved"] is True


def test_every_report_says_so_and_none_raises_an_alarm(tmp_path: Path, run: Run) -> None:
    (tmp_path / "t.csv").write_text(table(MANY["EMAIL_ADDRESS"], "email"))
    kinds = ("table", "markdown", "csv", "jsonl", "sarif", "github")
    said = {kind: run("scan", tmp_path / "t.csv", "-f", kind, "-q", width=200).stdout for kind in kinds}
    assert "reserved, not personal" in said["table"]
    assert "reserved, not personal" in said["markdown"]
    assert [row["reserved"] for row in csv.DictReader(io.StringIO(said["csv"]))] == ["false", "true"]
    assert json.loads(said["jsonl"].splitlines()[1])["reserved"] is True
    assert json.loads(said["sarif"])["runs"][0]["results"] == []
    assert "::error" not in said["github"]
    assert "1 column with reserved values only" in said["github"]


def test_a_name_that_is_nobodys_is_printed_by_its_place_and_no_finding(tmp_path: Path, run: Run) -> None:
    (tmp_path / "ann@example.com.csv").write_text("n\n1\n2\n")
    done = run("scan", tmp_path, "-f", "json", "-q")
    (name,) = json.loads(done.stdout)["in_names"]
    assert (done.returncode, name["reserved"]) == (0, True)
    assert "ann@" not in done.stdout + done.stderr
    (tmp_path / "ann@firm.com.csv").write_text("n\n1\n2\n")
    assert run("scan", tmp_path, "-q").returncode == 1


def test_masks_and_other_uses_of_a_report_know_no_difference(tmp_path: Path, run: Run) -> None:
    frame = pl.DataFrame({"email": MANY["EMAIL_ADDRESS"], "note": ["x"] * 20})
    report = piiscan.scan(frame)
    assert report.pii_columns("direct") == ["email"]
    assert report.findings == ()
    report.raise_if()
    (action,) = [a for a in piiscan.plan(frame).tables[0].columns if a.name == "email"]
    assert action.operator != "keep"


@pytest.mark.parametrize("cell", ["", "n/a"])
def test_what_is_no_value_of_the_kind_is_not_reserved(cell: str, tmp_path: Path, run: Run) -> None:
    """An empty cell says nothing; any other may be a person's address, misspelt."""
    (tmp_path / "t.csv").write_text(table([*MANY["EMAIL_ADDRESS"], cell], "email"))
    assert run("scan", tmp_path / "t.csv", "-q").returncode == (1 if cell else 0)


# What the configuration says.
def scanned(folder: Path, run: Run, config: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    (folder / "piiscan.toml").write_text(config)
    done = run("scan", ".", "-f", "json", *arguments, cwd=folder)
    report = json.loads(done.stdout)
    return done.returncode, next(t for t in report["tables"] if t["source"].endswith(".csv"))


def test_reserved_values_can_be_findings(tmp_path: Path, run: Run) -> None:
    (tmp_path / "t.csv").write_text(table(MANY["EMAIL_ADDRESS"], "email"))
    status, found = scanned(tmp_path, run, 'reserved = "finding"\n')
    assert (status, found["columns"][1]["reserved"]) == (1, True)
    status, _ = scanned(tmp_path, run, 'reserved = "finding"\n[[allow]]\ndomain = "example.com"\nreason = "made up"\n')
    assert status == 0


CORP = '[[allow]]\ndomain = "corp.com"\nreason = "ours"\n'


@pytest.mark.parametrize(
    ("extra", "config", "status"),
    [
        ([], CORP, 0),
        (["ann@mail.corp.com", "bob@example.com"], CORP, 0),  # below it; beside reserved ones
        (["ann@notcorp.com"], CORP, 1),
        (["ann@corp.com.evil.org"], CORP, 1),
        ([], CORP + 'path = "data"\n', 0),
        ([], CORP + 'path = "other"\n', 1),
        ([], CORP + 'column = "em*"\n', 0),
        ([], CORP + 'column = "other"\n', 1),
        ([], CORP + "expires = 2001-01-01\n", 1),
        (["ann@b.org"], CORP + '[[allow]]\ndomain = "b.org"\nreason = "theirs"\n', 0),
        (["ann@b.org"], CORP + 'path = "other"\n[[allow]]\ndomain = "b.org"\nreason = "theirs"\n', 1),
    ],
)
def test_a_domain_can_be_allowed(extra: list[str], config: str, status: int, tmp_path: Path, run: Run) -> None:
    """Each cell must be at an allowed domain, or reserved: among 5,000 others, the last may not."""
    (tmp_path / "data").mkdir()
    values = [f"ann{i}@corp.com" for i in range(5_000)] + extra
    (tmp_path / "data" / "t.csv").write_text(table(values, "email"))
    found, of_file = scanned(tmp_path, run, config)
    assert found == status
    assert "reserved" not in of_file["columns"][1]


@pytest.mark.parametrize(
    ("network", "status"), [("81.2.69.0/24", 0), ("81.2.69.128/25", 1), ("10.0.0.0/8", 1), ("80.0.0.0/7", 0)]
)
def test_a_network_can_be_allowed(network: str, status: int, tmp_path: Path, run: Run) -> None:
    (tmp_path / "t.csv").write_text(table([f"81.2.69.{i}" for i in range(100, 200)], "client_ip"))
    assert scanned(tmp_path, run, f'[[allow]]\nnetwork = "{network}"\nreason = "ours"\n')[0] == status


@pytest.mark.parametrize(
    ("network", "inside", "outside"),
    [
        ("192.0.2.0/31", ["192.0.2.0", "192.0.2.1"], ["192.0.2.2", "192.0.2.10"]),
        ("0.0.0.0/0", ["8.8.8.8", "1.2.3.4"], ["::2", "x"]),
        ("10.128.0.0/9", ["10.128.0.1", "10.255.0.1"], ["10.127.0.1", "101.128.0.1"]),
        ("2001:db8:1::/48", ["2001:db8:1::7", "2001:0DB8:0001:0:0:0:0:7"], ["2001:db8:2::7", "10.0.0.1"]),
        ("8.8.8.8/32", ["8.8.8.8", "::ffff:8.8.8.8"], ["8.8.8.88"]),
    ],
)
def test_networks_hold_their_addresses_only(network: str, inside: list[str], outside: list[str]) -> None:
    test = in_network(network)["IP_ADDRESS"]
    assert [test.passes(address) for address in (*inside, *outside)] == [True] * len(inside) + [False] * len(outside)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('domain = "corp"', "allow[0].domain: must be a domain name such as corp.example.com"),
        ('domain = "*.corp.com"', "must be a domain name"),
        ('network = "10.0.0.1/8"', "allow[0].network: must be a network such as 10.0.0.0/8"),
        ('network = "10.0.0.0/8"\ndomain = "corp.com"', "write an entry for each"),
        ('domain = "corp.com"\nentity = "EMAIL_ADDRESS"', "leave 'entity' out"),
        ('domain = "corp.com"\nrule = "email"', "leave 'rule' out"),
    ],
)
def test_a_mistaken_entry_is_told(entry: str, said: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "piiscan.toml").write_text(f'[[allow]]\nreason = "x"\n{entry}\n')
    done = run("scan", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
