"""Names and telephones in the queries of URLs and forms are found, and their masks written as queries are."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from mask_people import key_file, piiscan

from piiscan.text import spans

FOUND = {
    "GET /profile?first_name=Hannelore&last_name=Br%C3%BCckner HTTP/1.1": ["Hannelore", "Br%C3%BCckner"],
    "GET /p?name=Hannelore+Br%C3%BCckner&x=1": ["Hannelore+Br%C3%BCckner"],
    "/u?tel=%2B491715558213&y=2": ["%2B491715558213"],
    "POST a=1&phone=617-555-2047&b=2": ["617-555-2047"],
    "/x?vorname=Anna&nachname=Berg": ["Anna", "Berg"],
}
NOTHING = (
    "/search?name=Garden+Chair",
    "/x?first_name=null&last_name=undefined",
    "/p?name=index",
    "/a?phone=12&tel=abc",
    "x = a && name=Foo",
    "first_name=a function",
)


@pytest.mark.parametrize("text", FOUND)
def test_they_are_found(text: str) -> None:
    assert [text[s.start : s.end] for s in spans(text)] == FOUND[text]


@pytest.mark.parametrize("text", NOTHING)
def test_other_values_are_none(text: str) -> None:
    assert not spans(text)


def test_masks_are_written_as_queries_are(tmp_path: Path) -> None:
    lines = [f"10.0.0.{i} GET /p?id={i}&name=Anna+Br%C3%BCckner&tel=%2B4917155582{i}3&x=1 200" for i in range(9)]
    (tmp_path / "a.log").write_text("\n".join(lines) + "\n")
    piiscan("mask", tmp_path / "a.log", "-o", tmp_path / "out.log", "--key", key_file(tmp_path))
    for i, line in enumerate((tmp_path / "out.log").read_text().splitlines()):
        assert len(line.split()) == 4 and "Br%C3" not in line and "49171555" not in line
        query = dict(parse_qsl(line.split()[2].partition("?")[2]))
        assert query["id"] == str(i) and query["x"] == "1" and len(query["name"].split()) == 2
        assert query["tel"].startswith("+49")
