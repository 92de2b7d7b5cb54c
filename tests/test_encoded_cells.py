"""Texts that the cells of a table hold in Base64 are decoded and looked at, and suppressed where they hold persons."""

from __future__ import annotations

import base64
import hashlib
import uuid
from pathlib import Path
from urllib.parse import quote

import polars as pl
import pytest
from conftest import run_piiscan
from mask_people import key_file

import piiscan

SAID = "user=Peter Schmidt mail=peter{i}@firm.org ssn=219-09-99{i:02}"


def packed(text: str, of_urls: bool = False) -> str:
    data = text.encode()
    return (base64.urlsafe_b64encode(data).rstrip(b"=") if of_urls else base64.b64encode(data)).decode()


def rows(*cells: str) -> list[dict[str, str]]:
    return [{"id": str(i), "payload": cell} for i, cell in enumerate(cells)]


@pytest.mark.parametrize("before", ["", "data:", "Basic ", "sent; body "])
@pytest.mark.parametrize("of_urls", [False, True])
def test_what_is_in_base64_is_found(before: str, of_urls: bool) -> None:
    report = piiscan.scan(rows(*(before + packed(SAID.format(i=i), of_urls) for i in range(20))))
    found = {i.entity: (i.cells, i.sampled) for i in report["payload"].inside}
    assert found["EMAIL_ADDRESS"] == found["US_SSN"] == (20, False)
    assert "text in Base64 or hexadecimal" in [reason.text for reason in report["payload"].reasons]
    assert {f.entity for f in report.findings} >= {"EMAIL_ADDRESS", "US_SSN"}


@pytest.mark.parametrize(
    "written", ["payload={} ok", "body: {} of 40", "https://a.acme.org/t?d={}&n=1", '{{"d": "{}", "n": 1}}']
)
@pytest.mark.parametrize("ending", ["csv", "log"])
def test_words_within_cells_and_lines_are_found_and_kept_by_no_mask(tmp_path: Path, written: str, ending: str) -> None:
    said = [SAID.format(i=10 + i) for i in range(6)]
    packs = [*map(packed, said[:2]), *(packed(each, True) for each in said[2:4]), *(x.encode().hex() for x in said[4:])]
    cells = [written.format(quote(each)) for each in packs]
    source, out = tmp_path / f"x.{ending}", tmp_path / f"out.{ending}"
    if ending == "csv":
        pl.DataFrame({"id": range(6), "payload": cells}).write_csv(source)
    else:
        source.write_text("".join(f"2024-11-04 {cell}\n" for cell in cells))
    assert {f.entity for f in piiscan.scan(source).findings} >= {"EMAIL_ADDRESS", "US_SSN"}
    piiscan.mask(source, piiscan.plan(source), piiscan.Key(bytes(range(32))), output=out)
    assert not any(each[:-3] in out.read_text() for each in packs)


@pytest.mark.parametrize("before", ["", "0x", r"\x"])
def test_what_is_in_hexadecimal_is_found(before: str) -> None:
    report = piiscan.scan(rows(*(before + SAID.format(i=i).encode().hex() for i in range(20))))
    assert {i.entity for i in report["payload"].inside} >= {"EMAIL_ADDRESS", "US_SSN"}


@pytest.mark.parametrize(
    "cells",
    [
        [packed(f"batch {i} of the night has come in well") for i in range(20)],
        [hashlib.sha256(bytes([i])).hexdigest() for i in range(20)],
        [str(2**83 + 7**29 * i) for i in range(20)],
        [base64.b64encode(hashlib.sha256(bytes([i])).digest()).decode() for i in range(20)],
        [str(uuid.UUID(int=i * 7**40)) for i in range(1, 21)],
        [f"payload={packed(f'batch {i} of the night has come in well')} ok" for i in range(20)],
        [f"commit {hashlib.sha1(bytes([i])).hexdigest()} of articles/internationalisation/{i}" for i in range(20)],
        ["internationalisation", "counterrevolutionary", "uncharacteristically", "electroencephalogram"],
    ],
    ids=["harmless texts", "hex digests", "numbers", "digests", "UUIDs", "harmless words", "commits", "long words"],
)
def test_nothing_is_found_where_nothing_is(cells: list[str]) -> None:
    assert not piiscan.scan(rows(*cells))["payload"].inside


def test_one_line_of_a_list_is_found(tmp_path: Path) -> None:
    lines = [f"NOTE:item {i}" for i in range(40)] + [f"X-B;ENCODING=BASE64:{packed(SAID.format(i=7))}"]
    (tmp_path / "card").write_text("VERSION:2.1\n" + "\n".join(lines) + "\n")
    report = piiscan.scan(tmp_path / "card")
    assert not report.complete or {f.entity for f in report.findings} >= {"EMAIL_ADDRESS", "US_SSN"}


def test_what_the_user_says_stays(tmp_path: Path) -> None:
    (tmp_path / "sent.csv").write_text("id,payload\n" + "".join(f"{i},{packed(SAID.format(i=i))}\n" for i in range(20)))
    assert run_piiscan("scan", "sent.csv", cwd=tmp_path).returncode == 1
    (tmp_path / "piiscan.toml").write_text('[[columns]]\npath = "sent.csv"\ncolumn = "payload"\nis = "none"\n')
    assert run_piiscan("scan", "sent.csv", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("policy", ["default", "gdpr", "hipaa-safe-harbor"])
def test_it_is_suppressed(tmp_path: Path, policy: str) -> None:
    source, out = tmp_path / "sent.csv", tmp_path / "out.csv"
    cells = [packed(SAID.format(i=i)) for i in range(20)]
    source.write_text("id,payload\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
    plan = piiscan.plan(source, policy=policy)
    key_file(tmp_path)
    piiscan.mask(source, plan, piiscan.Key.from_file(tmp_path / "key"), output=out)
    assert not any(cell in out.read_text() for cell in cells)


def test_a_plan_says_why(tmp_path: Path) -> None:
    source = tmp_path / "sent.csv"
    source.write_text("id,payload\n" + "".join(f"{i},{packed(SAID.format(i=i))}\n" for i in range(20)))
    (table,) = piiscan.plan(source).tables
    (action,) = [a for a in table.columns if a.name == "payload"]
    assert action.operator == "suppress" and any("text in Base64" in note for note in action.notes)
