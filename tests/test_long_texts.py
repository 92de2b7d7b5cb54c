"""Texts with words of a megabyte are scanned and masked in the time that they need to be read."""

from __future__ import annotations

import base64
import random
import re
from pathlib import Path

import pytest
from mask_people import key_file

import piiscan
from piiscan.detection.matching import reference
from piiscan.rules import rule_sets

BLOB = base64.b64encode(random.Random(3).randbytes(300_000)).decode()


def test_lines_with_very_long_words_are_scanned_and_masked(tmp_path: Path) -> None:
    # An address may begin at each of a blob's 20,000 words: searched from each on to the blob's end, it takes minutes.
    # Four blobs make a line that is read in pieces, and is one row.
    source, target = tmp_path / "a.log", tmp_path / "b.log"
    line = f"INFO sent to ann.kernweiler@mail.org, payload={BLOB}, {BLOB}{BLOB}{BLOB}"
    source.write_text(f"{line}\nINFO asked for by luise@mail.org\n", encoding="utf-8")
    [table] = piiscan.scan(source).tables
    assert (table.rows, [found.entity for found in table.columns[0].inside][:1]) == (2, ["EMAIL_ADDRESS"])
    piiscan.mask(source, piiscan.plan(source), key_file(tmp_path), output=target)
    masked = target.read_text(encoding="utf-8")
    assert masked.count("\n") == 2
    assert BLOB in masked
    assert not re.search("kernweiler@|luise@", masked)


def test_what_is_in_several_pieces_of_a_line_is_inside_one_line(tmp_path: Path) -> None:
    source = tmp_path / "a.log"
    line = "".join(f"{'.' * 400_000} sent to b{i}.quavers@mail.org for Mr. Peter Meier, " for i in range(4))
    source.write_text(f"started\n{line}\nto c.quavers@mail.org\n{line}\n" + " " * 2_200_000 + line, encoding="utf-8")
    [table] = piiscan.scan(source).tables
    found = {entry.entity: entry for entry in table.columns[0].inside}
    assert table.rows == 5
    assert (found["EMAIL_ADDRESS"].cells, found["EMAIL_ADDRESS"].first_rows) == (4, (1, 2, 3, 4))
    assert all(entry.cells <= 5 for entry in found.values())


@pytest.mark.parametrize("seed", range(4))
def test_long_texts_hold_what_their_parts_do(seed: int) -> None:
    rng = random.Random(seed)
    patterns = [p for p in rule_sets.shipped().of("anywhere", "context") if p.longest > reference.LONG]
    words = [*(match for p in patterns for match in p.rule.match), "x" * 700, "a.b-" * 500, "@", "%40", " at ", "1.2.3"]
    text = " ".join(rng.choice(words) for _ in range(400))
    for pattern in patterns:
        every = [match.span() for match in re.finditer(pattern.exact, text)]
        assert [match.span() for match in reference.matches_within(pattern, text)] == every
