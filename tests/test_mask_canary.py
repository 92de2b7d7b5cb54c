"""No cell value leaves piiscan while it plans, masks and restores: not in messages, plans or logs, nor in files left
behind, whatever goes wrong."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT
from mask_people import write_key
from test_canary import CANARIES, Runs, delimited, leaks, plant

pytestmark = pytest.mark.slow

MASKED = ("ssn", "email", "iban", "secret")
"""Canaries of columns that the default policy masks; the others may stay."""
_SSN = 'ssn = {entity = "US_SSN"'
"""How a plan's line of that column begins."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The canaries in many files; people.csv has one of each for every row. A key and a plan for it lie beside the
    folder."""
    folder = tmp_path_factory.mktemp("planted") / "data"
    plant(folder)
    people = [
        {k: v if k in ("diagnosis", "note", "name") else v[:-2] + f"{i:02}" for k, v in CANARIES.items()}
        for i in range(60)
    ]
    source = folder / "good" / "people.csv"
    source.write_text(delimited(people))
    write_key(folder.parent / "key")
    command = [sys.executable, "-m", "piiscan", "plan", source, "-o", folder.parent / "plan.toml", "-q"]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    return folder


@pytest.fixture
def runs(tmp_path: Path, planted: Path) -> Iterator[Runs]:
    (tmp_path / "watched").mkdir()
    yield Runs(tmp_path / "watched", planted)


def _left(out: Path) -> list[str]:
    return sorted(p.name for p in out.rglob("*")) if out.exists() else []


def _key(runs: Runs) -> str:
    return f"file:{runs.planted.parent / 'key'}"


def _plan(runs: Runs, *edits: tuple[str, str]) -> Path:
    """The plan for people.csv with things changed in it."""
    text = (runs.planted.parent / "plan.toml").read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    path = runs.planted.parent / f"plan-{len(edits)}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_plans_hold_names_of_columns_only(runs: Runs) -> None:
    done = runs("plan", runs.planted, "-o", "plan.toml", "-v")
    assert done.returncode == 3 and done.stderr.count("not read: ") > 5
    assert (runs.folder / "work" / "plan.toml").read_text().count(" = {") > 50
    good = runs.planted / "good" / "people.csv"
    assert runs("plan", good, "-o", "plan.toml", "-v").returncode == 0  # over a plan of other data
    assert runs("plan", good, "--policy", "hipaa-safe-harbor", "-v").returncode == 0  # to standard output


def test_masking_everything_there_is(runs: Runs, tmp_path: Path) -> None:
    """What can be read is written, what can't is left out; whoever reads the output finds no canary of a masked
    column."""
    out = tmp_path / "out"
    done = runs("mask", runs.planted / "good", "-o", out, "--key", _key(runs), "-v", "--keep-unverified")
    assert done.returncode in (0, 3, 5), done.stderr
    written = [p for p in out.rglob("*") if p.is_file()]
    assert written and not [p.name for p in written if p.name.startswith(".")]
    csv = [p for p in written if p.suffix == ".csv" and p.name in ("plain.csv", "people.csv")]
    assert not {key for p in csv for key in leaks(p.read_bytes())} & set(MASKED)


@pytest.mark.parametrize(
    "name",
    [
        "broken.json",
        "mixed.jsonl",
        "bytes.csv",
        "utf8-bom.csv",
        "odd-utf16.csv",
        "quote.csv",
        "ragged.csv",
        "nul.csv",
        "cut.parquet",
        "cut.arrow",
        "cut.csv.gz",
        "cut.xlsx",
        "cut.docx",
        "cut.pdf",
        "torn.sqlite",
        "not-a.parquet",
        "not-a.xlsx",
        "letter.pdf",
    ],
)
def test_a_bad_file_is_written_whole_or_not_at_all(runs: Runs, tmp_path: Path, name: str) -> None:
    source, out = runs.planted / "bad" / name, tmp_path / "out" / name
    done = runs("mask", source, "-o", out, "--key", _key(runs), "-v")
    assert done.returncode in (0, 2, 3, 4, 5)
    assert "internal error" not in done.stderr
    assert _left(out.parent) == ([name] if done.returncode == 0 else []), done.stderr


def test_wrong_plans(runs: Runs, tmp_path: Path) -> None:
    """Plans may hold values: those that groups, conditions and fixed texts name. Messages don't."""
    source, secret = runs.planted / "good" / "people.csv", CANARIES["note"]
    wrong = {
        "a wrong type": (_SSN, f'{_SSN}, operator = "bins", with = {{width = "{secret}"}}'),
        "a wrong value": (_SSN, f'{_SSN}, operator = "date-generalise", with = {{level = "{secret}"}}'),
        "a wrong condition": (
            "subjects.",
            f'drop_rows = [{{column = "note", op = "~", value = "{secret}"}}]\nsubjects.',
        ),
        "a condition on nothing": (
            "subjects.",
            f'drop_rows = [{{column = "x", op = "=", value = "{secret}"}}]\nsubjects.',
        ),
        "a wrong hierarchy": (_SSN, f'{_SSN}, operator = "hierarchy", with = {{groups = {{"{secret}" = 1}}}}'),
        "not TOML": ("version = 2", f"version = 2 {secret}"),
    }
    for what, edit in wrong.items():
        done = runs("mask", source, "--plan", _plan(runs, edit), "-o", tmp_path / "out.csv", "--key", _key(runs), "-v")
        assert done.returncode == 2, (what, done.stderr)
        assert not (tmp_path / "out.csv").exists()


def test_wrong_keys(runs: Runs, tmp_path: Path) -> None:
    source, secret = runs.planted / "good" / "people.csv", CANARIES["secret"]
    bad = tmp_path / "key"
    bad.write_text(secret)
    script = tmp_path / "script"
    script.write_text(f"import sys\nprint({secret!r}); print({secret!r}, file=sys.stderr); sys.exit(3)\n")
    specs = [
        f"file:{bad}",
        f"file:{tmp_path}",
        f"command:{sys.executable} {script}",
        "env:NO_SUCH_KEY",
        "file:/no/such/file",
    ]
    command = ("mask", source, "--plan", _plan(runs), "-o", tmp_path / "out.csv", "-v")
    for spec in (*specs, secret):  # and a key where its place should stand
        done = runs(*command, "--key", spec)
        assert done.returncode == 2, (spec, done.stderr)
    assert runs(*command, prelude=f"import os; os.environ['PIISCAN_KEY'] = {secret!r}").returncode == 2
    assert not (tmp_path / "out.csv").exists()


def test_broken_promises(runs: Runs, tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    pl.read_csv(runs.planted / "good" / "people.csv", infer_schema=False).with_columns(
        note=pl.col("ssn"), diagnosis=pl.col("email")
    ).write_csv(source)
    plan = _plan(runs, ('operator = "spans", with = {names = true}', 'operator = "keep"'))
    done = runs("mask", source, "--plan", plan, "-o", tmp_path / "out" / "o.csv", "--key", _key(runs), "-v")
    assert done.returncode == 5, done.stderr
    assert "note: no unique original is left in a cell or in a text: 60 violations, 60 checked" in done.stderr
    assert not (tmp_path / "out").exists()


def test_data_that_does_not_fit_the_plan(runs: Runs, tmp_path: Path) -> None:
    source = runs.planted / "good" / "people.csv"
    plan = _plan(runs)
    people = pl.read_csv(source, infer_schema=False)
    people.rename({"name": CANARIES["email"]}).write_csv(tmp_path / "header.csv")
    people.drop("name").write_csv(tmp_path / "gone.csv")
    people.with_columns(pl.lit(1).alias("ssn")).write_parquet(tmp_path / "types.parquet")
    for name in ("header.csv", "gone.csv", "types.parquet"):
        done = runs("mask", tmp_path / name, "--plan", plan, "-o", tmp_path / "out" / name, "--key", _key(runs), "-v")
        assert done.returncode == 2, done.stderr
    assert not (tmp_path / "out").exists()


LIMITED = (  # of what Python compiles no half must stay
    "import resource, signal, sys\nsys.dont_write_bytecode = True\nsignal.signal(signal.SIGXFSZ, "
    "signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"
)


@pytest.mark.parametrize("name", ["big.csv", "big.parquet", "big.jsonl", "big.db", "big.xlsx"])
def test_a_full_disk(runs: Runs, tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    frame = pl.DataFrame(
        [{**CANARIES, "email": f"{i}{CANARIES['email']}", "ssn": f"623-45-{i:04}"} for i in range(2000)]
    )
    if name.endswith("db"):
        with sqlite3.connect(source) as base:
            base.execute("CREATE TABLE people (" + ", ".join(frame.columns) + ")")
            base.executemany(f"INSERT INTO people VALUES ({', '.join('?' * frame.width)})", frame.rows())
        base.close()
    else:
        {
            "csv": frame.write_csv,
            "parquet": frame.write_parquet,
            "jsonl": frame.write_ndjson,
            "xlsx": frame.write_excel,
        }[name.partition(".")[2]](source)
    plan = _plan(runs)
    done = runs(
        "mask", source, "--plan", plan, "-o", tmp_path / "out" / name, "--key", _key(runs), "-v", prelude=LIMITED
    )
    assert done.returncode == 4 and "no space left" in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()


def test_places_that_cannot_be_written(runs: Runs, tmp_path: Path) -> None:
    source = runs.planted / "good" / "people.csv"
    plan = _plan(runs)
    (tmp_path / "there.csv").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for target in (
        tmp_path / "there.csv",
        tmp_path / "file" / "o.csv",
        Path("/proc/none/o.csv"),
        source,
        Path("/dev/full"),
    ):
        done = runs("mask", source, "--plan", plan, "-o", target, "--key", _key(runs), "-v")
        assert done.returncode in (2, 4) and "internal" not in done.stderr, (target, done.stderr)
    assert (tmp_path / "there.csv").read_text() == "mine" and _left(tmp_path / "file") == []


CRASHES = {
    "an operator": "import piiscan.masking.operators.fpe as m\ndef mask(self, values, key): raise "
    "ValueError(values.to_list(), VALUES)\nm.Fpe.mask = mask",
    "a persona": "import piiscan.masking.operators.persona as m\ndef mask_rows(self, cells, rows, key): raise "
    "KeyError(VALUES)\nm.Persona.mask_rows = mask_rows",
    "a text": "import piiscan.masking.apply.mask_texts as m\ndef mask(self, cells, keys): raise "
    "IndexError(cells.to_list())\nm.TextMasker.mask_texts = mask",
    "the recorder": "import piiscan.masking.apply.recorder as m\ndef record(self, *a): raise RuntimeError(VALUES)\n"
    "m.TableRecorder._record = "
    "record",
    "the check of the output": "import piiscan.masking.run.verify as m\ndef check(*a): raise LookupError(VALUES)\n"
    "m.check_promises = check",
    "the writer": "import piiscan.io.write.delimited_writer as m\n"
    "def write(*a): raise UnicodeEncodeError('ascii', VALUES, "
    "0, 1, VALUES)\nm.write = write",
    "a library's panic": "import os, piiscan.masking.apply.table_masker as m\nold = m.TableMasker.apply\n"
    "def apply(*a, **k):\n    "
    "os.write(2, VALUES.encode())\n    return old(*a, **k)\nm.TableMasker.apply = apply",
    "a warning and a log": "import logging, warnings, piiscan.masking.apply.table_masker as m\n"
    "old = m.TableMasker.apply\ndef apply(*a, **k):\n    warnings.warn(VALUES); "
    "logging.getLogger('polars').error(VALUES)\n    return old(*a, **k)\nm.TableMasker.apply = apply",
}


@pytest.mark.parametrize("place", CRASHES)
def test_a_crash_reveals_no_values(runs: Runs, tmp_path: Path, place: str) -> None:
    source = runs.planted / "good" / "people.csv"
    prelude = f"VALUES = {' '.join(CANARIES.values())!r}\n" + CRASHES[place]
    jobs = "1" if place.startswith("a") else "2"
    command = (
        "mask",
        source,
        "--plan",
        _plan(runs),
        "-o",
        tmp_path / "out" / "o.csv",
        "--key",
        _key(runs),
        "--jobs",
        jobs,
        "-v",
    )
    done = runs(*command, prelude=prelude)
    if place.split()[-1] in ("panic", "log"):
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == 4 and "internal error: " in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()


def test_the_way_back(runs: Runs, tmp_path: Path) -> None:
    source, masked, back = runs.planted / "good" / "people.csv", tmp_path / "masked.csv", tmp_path / "back" / "b.csv"
    plan = _plan(runs, (_SSN, f'{_SSN}, operator = "token"'))
    assert runs("mask", source, "--plan", plan, "-o", masked, "--key", _key(runs)).returncode == 0
    write_key(tmp_path / "other")
    named = plan.read_text(encoding="utf-8")
    done = runs("unmask", masked, "--plan", plan, "-o", back, "--key", f"file:{tmp_path / 'other'}", "-v")
    assert done.returncode == 2 and "the plan was used with the key" in done.stderr, done.stderr
    plan.write_text("\n".join(line for line in named.splitlines() if not line.startswith("key_ids")), encoding="utf-8")
    for path, key in ((masked, f"file:{tmp_path / 'other'}"), (source, _key(runs))):
        done = runs("unmask", path, "--plan", plan, "-o", back, "--key", key, "-v")
        assert done.returncode == 2 and "aren't tokens made with this key" in done.stderr, done.stderr
    assert not back.parent.exists()
    plan.write_text(named, encoding="utf-8")
    assert runs("unmask", masked, "--plan", plan, "-o", back, "--key", _key(runs), "-v").returncode == 0
    assert pl.read_csv(back, infer_schema=False)["ssn"].equals(pl.read_csv(source, infer_schema=False)["ssn"])


@pytest.mark.parametrize("when", [0.0, 0.2, 0.6])
def test_a_killed_run_leaves_nothing_under_a_final_name(runs: Runs, tmp_path: Path, when: float) -> None:
    """What is left is hidden and readable by its owner alone, and the next run removes it."""
    source, out = tmp_path / "shop", tmp_path / "out"
    source.mkdir()
    people = pl.read_csv(runs.planted / "good" / "people.csv", infer_schema=False)
    many = pl.concat([people] * 500).with_columns(
        email=pl.int_range(500 * len(people)).cast(pl.String) + "@mail.example"
    )
    for name in ("a", "b"):
        many.write_csv(source / f"{name}.csv")
    command = ["mask", source, "--plan", _plan(runs), "-o", out, "--key", _key(runs), "-q", "--no-verify"]
    process = subprocess.Popen(
        [sys.executable, "-m", "piiscan", *map(str, command)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
    )
    while not _left(out) and process.poll() is None:
        time.sleep(0.005)
    time.sleep(when)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = [p for p in out.rglob("*") if p.is_file()]
    if finished := {p.name for p in left} & {"a.csv", "b.csv"}:  # too late: files get their names once all are whole
        assert all(len(pl.read_csv(p, infer_schema=False)) == len(many) for p in left)
    hidden = [p for p in left if p.name not in finished]
    assert all(p.name.startswith(".piiscan-") and p.stat().st_mode & 0o777 == 0o600 for p in hidden), left
    assert sorted(p.name for p in tmp_path.iterdir() if p != source) == ["out", "watched"]
    assert runs(*command, "--overwrite").returncode == 0
    assert _left(out) == ["a.csv", "b.csv"]
