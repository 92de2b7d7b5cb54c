"""Damaged files: fixed seeds of the campaign, some of the odd files, and that the harness catches what it is for."""

from __future__ import annotations

import itertools
import multiprocessing
import random
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from conftest import ROOT
from fuzz import __main__ as program
from fuzz import campaign, cases, corpus, judge, mutations, oddities, oracle, targets
from fuzz.mutations import File
from fuzz.needles import NEEDLES, spoken

import piiscan
from piiscan.io.content import Content, ReadTable

CASES = 40
"""Of the campaign's thousands, which `make fuzz` runs."""
SCANNER = piiscan.Scanner(jobs=1)


@pytest.mark.parametrize("kind", corpus.KINDS)
def test_the_same_seed_makes_the_same_file(kind: str) -> None:
    made = corpus.KINDS[kind]
    needles = {part: spoken("EMAIL_ADDRESS") for part in made.parts[:1]}
    first, again = (made.make(random.Random(3), needles) for _ in range(2))
    # DuckDB draws an identifier of 16 bytes, which stands twice, and changes checksums of 8 bytes: one of each block.
    blocks = 3 + max(len(first) - 12_288, 0) // 262_144
    assert sum(a != b for a, b in zip(first, again, strict=True)) <= (32 + 8 * blocks if kind == "duckdb" else 0)
    assert oracle.readable(first) == {"EMAIL_ADDRESS"} and not oracle.readable(made.make(random.Random(3), {}))


def test_cases_come_again() -> None:
    for number in range(0, 400, 37):
        assert cases.case(number, 5) == cases.case(number, 5) or cases.case(number).kind == "duckdb"
    assert cases.case(1, 5).file != cases.case(1, 6).file
    assert {cases.case(n).kind for n in range(len(corpus.KINDS))} == set(corpus.KINDS)


@pytest.mark.parametrize("name", mutations.MUTATIONS)
def test_mutations_take_anything(name: str) -> None:
    for data in (b"", b"x", bytes(3), b"a,b\n1,2\n" * 30):
        for seed in range(4):
            mutations.MUTATIONS[name](File(data, "a.csv"), random.Random(seed))


def _alone(work: Callable[[Path], campaign.Counts], folder: Path) -> campaign.Counts:
    """What the work gives in a new process: its memory is measured, and this process's is that of all tests before."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(work, folder).result()


def _fixed_seeds(folder: Path) -> campaign.Counts:
    from fuzz.worker import judged

    counts = campaign.Counts()
    for number in range(10_001, 10_001 + CASES):
        counts.add(judged(number, 0, folder, SCANNER, lambda step: None))
    return counts


def test_fixed_seeds(tmp_path: Path) -> None:
    counts = _alone(_fixed_seeds, tmp_path)
    assert not counts.failures, counts.failures
    assert counts.cases == CASES and counts.steps["scan"]["found"] and counts.steps["scan"]["incomplete"]


def _odd_files(folder: Path) -> campaign.Counts:
    found = campaign.Counts()
    for name, file in itertools.islice(oddities.oddities(), 3, None, 23):
        if name in oddities.UNUSED_SPACE:
            continue
        verdict = judge.scanned(file, folder, SCANNER)
        found.add({"case": 0, "kind": name, "parts": (), "mutations": (), "verdicts": {"scan": verdict._asdict()}})
    return found


def test_odd_files(tmp_path: Path) -> None:
    found = _alone(_odd_files, tmp_path)
    assert found.cases > 20 and not found.failures, found.failures


def test_an_odd_file_that_is_not_there_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz", "--oddity", "tables: SQLite, a deleted raw"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    out, error = capsys.readouterr()
    assert ended.value.code == 2 and oddities.UNUSED_SPACE[0] in error and not out


CSV = File(b"a,b\n" + b"1,2\n" * 40 + f"3,{spoken('US_SSN')}\n".encode(), "a.csv")


def test_a_reader_that_skips_bytes_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge.scanned(CSV, tmp_path, SCANNER).outcome == "found"
    batches = ReadTable.batches
    monkeypatch.setattr(
        ReadTable, "batches", lambda table: (batch._replace(frame=batch.frame.head(5)) for batch in batches(table))
    )
    assert judge.scanned(CSV, tmp_path, SCANNER).outcome == "gap"


def test_a_reader_that_claims_nothing_is_no_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Content, "read_whole", lambda content: None)
    assert judge.scanned(CSV, tmp_path, SCANNER).outcome == "incomplete"


@pytest.mark.parametrize("error", [ValueError, MemoryError, KeyError])
def test_what_raises_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error(NEEDLES["US_SSN"])

    monkeypatch.setattr("piiscan.scanning.engine.scan_tables", fail)
    verdict = judge.scanned(CSV, tmp_path, SCANNER)
    assert verdict.outcome == "error" and error.__name__ in verdict.why and "536" not in verdict.why


def test_a_classifier_that_raises_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr("piiscan.scanning.judging.classify_each", fail)
    assert judge.scanned(CSV, tmp_path, SCANNER).outcome == "error"


def test_a_mask_that_keeps_a_needle_is_a_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge.masked(CSV, tmp_path).outcome == "masked"
    monkeypatch.setattr(judge, "POLICY", 'name = "none"\n[[rule]]\noperator = "keep"\n')
    assert judge.masked(CSV, tmp_path).outcome == "leak"


@pytest.mark.parametrize("target", targets.TARGETS)
def test_targets_take_their_seeds(target: str) -> None:
    for seed in targets.seeds(target)[:6]:
        targets.TARGETS[target](seed)
        targets.TARGETS[target](seed[: len(seed) // 2])


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "EBCDIC": lambda data: data.decode().encode("cp037"),
    "zip": lambda data: corpus.zipped({"a": data}),
    "a zip without a directory": lambda data: corpus.zipped({"a": data}).partition(b"PK\1\2")[0],
    "tar": lambda data: corpus.tarred({"a": data}),
    "zstd, cut": lambda data: corpus.zstd_compress(data + bytes(9)),
    "zstd in a zip": lambda data: corpus.zipped({"a": corpus.zstd_compress(data)}),
}


@pytest.mark.parametrize("how", PACKED)
def test_the_oracle_sees_needles(how: str) -> None:
    for entity in NEEDLES:
        assert oracle.readable(PACKED[how](f"some text, {spoken(entity)}, and more\n".encode())) == {entity}
        cut = f"some text, {NEEDLES[entity][:-1]} and {NEEDLES[entity][1:-1]} and more\n".encode()
        assert not oracle.readable(PACKED[how](cut))


@pytest.mark.slow
def test_processes_end_with_counts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--cases", "6", "--first", "20000", "--jobs", "1"]
    done = subprocess.run(
        [*command, "--json", tmp_path / "counts.json"], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert '"cases": 6' in (tmp_path / "counts.json").read_text() and "| mutation |" in done.stdout
