"""Folders are read by several processes: the report is the same to the byte for any number of them, and whatever
becomes of them."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT, Run, run_piiscan, unmeasured

from piiscan.api.risk import ComparisonSpec, DeclaredRoles, assess
from piiscan.core import memory, worker_processes
from piiscan.core.checkpoints import Unwatched
from piiscan.core.worker_processes import Lost, Task, WorkerProcesses
from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.delimited import delimited
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.report.full_json import dumps
from piiscan.rules.rule_sets import shipped
from piiscan.scanning import crew, engine, judging, summing
from piiscan.scanning.scan_options import ScanOptions

pytestmark = pytest.mark.skipif(not worker_processes.can_start(), reason="no processes of its own here")

FILES = 3 * crew.MANY
EXAMPLES = ".piiscanignore hospital.xlsx make_examples.py orders.parquet shop.sqlite tickets.csv.gz worker.log".split()
"""One of each kind, since these take longer than all the small files, and most tests read them several times."""
PATCH = """
import os, signal, sys
if "piiscan" in " ".join(sys.orig_argv):
    from piiscan.io import walk
    act = {act}
    real = walk.found_in
    is_worker = "worker_processes" in " ".join(sys.orig_argv)
    def found_in(content, *args):
        name = content.source.rpartition("/")[2]
        args[1].checkpoints.open(content.source)
        if content.source not in args[1].checkpoints.lost and (is_worker or "all" in name):
            if "bad" in name:
                act()
        yield from real(content, *args)
    walk.found_in = found_in
"""
"""For `sitecustomize`: reading files called `bad` does this to a worker; those called `all` too, to any process."""
ABORT = "os.abort"
GROW = "lambda: [b'x' * (1 << 20) for _ in iter(int, 1)]"
RAISE = "lambda: 1 / 0"


def csv(rng: random.Random, rows: int = 30) -> bytes:
    people = [
        (f"{rng.choice('Ada Lea Ivo'.split())} Berg", f"u{rng.randrange(10**6)}@mail.example") for _ in range(rows)
    ]
    names = rng.sample("name mail visitor contact label title".split(), 2)
    return pl.DataFrame(people, schema=names, orient="row").write_csv().encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small files of many kinds among CSVs: damaged, packed, parts of data sets, large, empty, none to read."""
    root = tmp_path_factory.mktemp("crew") / "data"
    (root / "examples").mkdir(parents=True)
    for name in EXAMPLES:
        shutil.copy(ROOT / "examples" / name, root / "examples")
    rng = random.Random("crew")
    word = lambda: "".join(rng.choices("bcdfghjkl", k=3)) + "".join(rng.choices("aeiou", k=3))  # noqa: E731
    for _ in range(FILES):
        (root / f"{word()}.csv").write_bytes(csv(rng))
    for day in range(1, 9):
        (root / f"events-2024-01-0{day}.csv").write_bytes(b"who,mail\n" + csv(rng).split(b"\n", 1)[1])
    frame = pl.read_csv(csv(rng, 200))
    frame.write_parquet(root / "m.parquet")
    frame.write_ndjson(root / "n.jsonl")
    (root / "bad.parquet").write_bytes(b"PAR1 and then nothing")
    (root / "bad.zip").write_bytes(b"PK\x03\x04" + bytes(200))
    (root / "empty.csv").write_bytes(b"")
    (root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (root / "ada.berg@mail.example.csv").write_bytes(csv(rng))
    (root / "large.csv").write_bytes(csv(rng, 1000) * (crew.SMALL // 20_000))
    with zipfile.ZipFile(root / "c.zip", "w") as archive:
        archive.writestr("in.csv", csv(rng))
        archive.writestr("broken.parquet", b"PAR1")
    (root / "dead link.csv").symlink_to(root / "nowhere.csv")
    return root


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hardly more small files than processes are started for, a data set among them and what can't be read."""
    root = tmp_path_factory.mktemp("crew") / "few"
    root.mkdir()
    rng = random.Random("few")
    for i in range(crew.MANY):
        (root / f"{'abcdefghij'[i % 10]}{'klmn'[i // 10]}.csv").write_bytes(csv(rng))
    for day in range(1, 5):
        (root / f"events-2024-01-0{day}.csv").write_bytes(b"who,mail\n" + csv(rng).split(b"\n", 1)[1])
    (root / "bad.parquet").write_bytes(b"PAR1 and then nothing")
    (root / "left.csv").write_bytes(csv(rng))
    (root / ".piiscanignore").write_text("left.csv\n")
    (root / "code.py").write_text('MAIL = "eva.berg@mail.example"\n')
    return root


def piiscan(folder: Path, *args: str, command: str = "scan", **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**unmeasured(), **environment}
    words = [sys.executable, "-m", "piiscan", command, *args]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=300)


class Watch(Unwatched):
    """Keeps the numbers of processes, and ends some."""

    def __init__(self, kill: int = 0) -> None:
        self.kill, self.processes = kill, list[int]()

    def employ(self, processes: Sequence[int]) -> None:
        self.processes += processes
        for process in processes[: self.kill]:
            os.kill(process, signal.SIGKILL)


def report(folder: Path, jobs: int, watch: Watch | None = None, **options: Any) -> str:
    rules, watch = shipped().rules, watch or Watch()
    read = ReadOptions(rules=rules, checkpoints=watch)
    scan = ScanOptions(jobs=jobs, processes=jobs, data_sets=True, **options)
    with crew.Crew(rules, scan, read) as own:
        found = inputs.watched([str(folder)], read, None, own)
        return dumps(engine.scan_tables(found, rules, scan, checkpoints=watch, helpers=own))


def test_the_reports_are_the_same_for_any_number_of_processes(folder: Path, tmp_path: Path) -> None:
    forms = ["json", "jsonl", "csv", "sarif", "markdown", "github"]
    found = []
    for jobs in (1, 4):
        home = tmp_path / str(jobs)
        home.mkdir()
        outputs = [word for form in forms for word in ("-o", f"{form}={home / form}")]
        done = piiscan(folder, ".", "-f", "table", *outputs, "-j", str(jobs))
        found.append((done.stdout, done.returncode, *((home / form).read_bytes() for form in forms)))
        assert all(found[-1])
        # On standard error stands where the files are.
        found[-1] = (*found[-1], done.stderr.replace(str(home), ""))
    assert found[1] == found[0]


@pytest.fixture(scope="module")
def expected(folder: Path) -> str:
    """The report by one process."""
    return report(folder, 1)


def by_one(folder: Path, *args: str) -> tuple[str, str, int]:
    """What the command prints by one process, which other numbers of processes print as well."""
    done = run_piiscan("scan", ".", "-f", "json", "-j", "1", *args, cwd=folder)
    return done.stdout, done.stderr, done.returncode


@pytest.fixture(scope="module")
def calm(few: Path) -> tuple[str, str, int]:
    return by_one(few)


def test_tables_summed_up_together_are_the_tables(folder: Path, expected: str) -> None:
    """One process reads small files in groups, whose cells meet the rules together."""
    rules = shipped().rules
    read, scan = ReadOptions(rules=rules), ScanOptions(jobs=1, data_sets=True)
    alone = engine.scan_tables(inputs.watched([str(folder)], read, None), rules, scan)
    assert len(alone.tables) > FILES
    assert expected == dumps(alone)


@pytest.mark.parametrize(("files", "size"), [(1, 1 << 20), (2, 1 << 20), (7, 1 << 20), (64, 2500), (64, 1 << 20)])
def test_however_many_files_are_read_together_the_report_is_the_same(
    folder: Path, expected: str, monkeypatch: pytest.MonkeyPatch, files: int, size: int
) -> None:
    monkeypatch.setattr(crew, "TOGETHER", files)
    monkeypatch.setattr(crew, "TOGETHER_BYTES", size)
    monkeypatch.setattr(judging, "JUDGED", 3 * files)
    assert report(folder, 1) == expected


STEPS = pytest.mark.parametrize("step", ["summing.sums_of", "judging.classify_each"])


@pytest.mark.slow
@STEPS
def test_tables_that_cannot_be_worked_on_together_are_one_by_one(
    few: Path, calm: tuple[str, str, int], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    failed = list[int]()
    real = {"summing.sums_of": summing.sums_of, "judging.classify_each": judging.classify_each}[step]

    def alone(tables: Any, *args: Any) -> Any:
        if len(tables) > 1:
            failed.append(len(tables))
            raise ValueError
        return real(tables, *args)

    monkeypatch.setattr(f"piiscan.scanning.{step}", alone)
    assert by_one(few) == calm
    assert failed


@pytest.mark.parametrize(
    ("jobs", "act"),
    [("1", "os.abort()"), ("3", "raise ValueError"), ("3", "os.kill(os.getpid(), signal.SIGKILL)")],
)
@STEPS
def test_processes_that_tables_together_end_work_on_them_one_by_one(
    few: Path, calm: tuple[str, str, int], tmp_path: Path, step: str, jobs: str, act: str
) -> None:
    """Nobody is blamed for what several were read for."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        'if "piiscan" in " ".join(sys.orig_argv):\n'
        "    from piiscan.scanning import judging, summing\n"
        f"    real = {step}\n"
        "    def step(tables, *args):\n"
        "        if len(tables) > 1:\n"
        f"            {act}\n"
        "        return real(tables, *args)\n"
        f"    {step} = step\n",
        encoding="utf-8",
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = piiscan(few, ".", "-f", "json", "-j", jobs, PYTHONPATH=path)
    assert (done.stdout, done.stderr, done.returncode) == calm


@pytest.mark.parametrize(
    "args",
    [("--sample", "3", "--delimiter", ","), ("--select", "EMAIL_ADDRESS", "-v", "--code", "--no-ignore")],
)
def test_settings_reach_every_process(few: Path, args: tuple[str, ...]) -> None:
    three = piiscan(few, ".", "-f", "json", "-j", "3", *args)
    assert (three.stdout, three.stderr, three.returncode) == by_one(few, *args)


def test_own_rules_and_configuration_reach_every_process(few: Path, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.toml").write_text(
        '[[rule]]\nid = "staff-name"\nentity = "PERSON_ID"\ntitle = "Staff"\npattern = "(?:Ada|Lea|Ivo) Berg"\n'
        'search = "anywhere"\nmatch = ["Ada Berg"]\nno_match = ["Eva Berg"]\n',
        encoding="utf-8",
    )
    (tmp_path / "piiscan.toml").write_text(
        'rules = ["rules"]\n[[columns]]\npath = "**"\ncolumn = "label"\nis = "none"\n'
        '[[allow]]\ndomain = "mail.example"\nreason = "ours"\n',
        encoding="utf-8",
    )
    config = ("--config", str(tmp_path / "piiscan.toml"))
    three = piiscan(few, ".", "-f", "json", "-j", "3", *config)
    assert (three.stdout, three.stderr, three.returncode) == by_one(few, *config)
    assert '"staff-name"' in three.stdout
    assert "unused" not in json.loads(three.stdout)


@pytest.mark.slow
def test_plans_are_the_same_for_any_number_of_processes(few: Path, tmp_path: Path) -> None:
    plan, words = tmp_path / "plan.toml", ("-o", "../plan.toml", "--allow-incomplete")
    data = shutil.copytree(few, tmp_path / "data")
    done = run_piiscan("plan", ".", *words, "-j", "1", cwd=data)
    alone = (plan.read_text(encoding="utf-8"), done.stderr, done.returncode)
    plan.unlink()
    done = piiscan(data, ".", *words, "-j", "3", command="plan")
    assert (plan.read_text(encoding="utf-8"), done.stderr, done.returncode) == alone


def test_a_file_that_changes_before_it_is_read_has_not_changed_while_it_was(tmp_path: Path) -> None:
    """All are listed before the first is read."""

    class ListsAll(Unwatched):
        wants_all = True

    for name in ("ab.csv", "cd.csv"):
        (tmp_path / name).write_bytes(csv(random.Random(name)))
    found = inputs.discover([str(tmp_path)], ReadOptions(checkpoints=ListsAll()))
    first = next(found)
    assert isinstance(first, ReadTable)
    rows = sum(batch.frame.height for batch in first.batches())
    with (tmp_path / "cd.csv").open("ab") as file:
        file.write(b"Eva Berg,u7@mail.example\n")
    second = next(found)
    assert isinstance(second, ReadTable)
    assert sum(batch.frame.height for batch in second.batches()) == rows + 1
    assert not list(found)


def test_few_files_start_no_process(folder: Path, tmp_path: Path) -> None:
    for i, path in enumerate(sorted(folder.glob("??????.csv"))[: crew.MANY - 1]):
        shutil.copyfile(path, tmp_path / f"{'abcdefghijklmnopqrstuvwxyz'[i]}.csv")
    watch = Watch()
    report(tmp_path, 4, watch)
    assert not watch.processes


@pytest.mark.parametrize("kill", [1, 2])
def test_what_a_killed_process_was_to_read_is_read_all_the_same(folder: Path, expected: str, kill: int) -> None:
    watch = Watch(kill)
    assert report(folder, 3, watch) == expected
    assert len(watch.processes) == 2


def test_processes_that_do_not_start_are_done_without(
    folder: Path, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert report(folder, 3) == expected


def test_no_process_outlives_the_scan(folder: Path) -> None:
    watch = Watch()
    report(folder, 3, watch)
    assert len(watch.processes) == 2
    for process in watch.processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_no_process_outlives_a_scan_that_had_nothing_for_it(tmp_path: Path) -> None:
    """They are begun by what a folder holds, before it is known what of that is left out."""
    for i in range(2 * crew.MANY):
        (tmp_path / f"{i}.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / ".piiscanignore").write_text("*.csv\n")
    command = [sys.executable, "-m", "piiscan", "scan", str(tmp_path), "-j", "3"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as ran:
        assert ran.wait() == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(ran.pid, 0)


def test_little_memory_starts_no_process(folder: Path) -> None:
    watch = Watch()
    memory.allow(300 << 20)
    try:
        report(folder, 3, watch)
    finally:
        memory.allow(None)
    assert not watch.processes


@pytest.fixture(scope="module")
def harmful(few: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[str, str, int]]:
    """A folder with files that end workers, and what the command prints of it where they don't."""
    data = shutil.copytree(few, tmp_path_factory.mktemp("harmful") / "data", symlinks=True)
    for name in ("a-bad.csv", "m-bad.csv"):
        (data / name).write_bytes(csv(random.Random(name)))
    return data, by_one(data)


def patched(folder: Path, act: str, data: Path) -> tuple[str, str, int]:
    """What three processes print that do this when they read certain files."""
    (folder / "sitecustomize.py").write_text(PATCH.format(act=act), encoding="utf-8")
    done = piiscan(data, ".", "-f", "json", "-j", "3", PYTHONPATH=os.pathsep.join([str(folder), str(ROOT)]))
    return done.stdout, done.stderr, done.returncode


@pytest.mark.slow
@pytest.mark.parametrize("act", [ABORT, GROW, RAISE], ids=["abort", "grow", "raise"])
def test_a_file_that_ends_a_worker_is_read_by_the_command(
    harmful: tuple[Path, tuple[str, str, int]], tmp_path: Path, act: str
) -> None:
    """By the command, which does what it would have done alone."""
    data, expected = harmful
    assert patched(tmp_path, act, data) == expected


def test_a_file_that_ends_every_process_is_not_scanned(few: Path, calm: tuple[str, str, int], tmp_path: Path) -> None:
    data = shutil.copytree(few, tmp_path / "data", symlinks=True)
    (data / "h-all-bad.csv").write_bytes(csv(random.Random(1)))
    (tmp_path / "site").mkdir()
    out, error, status = patched(tmp_path / "site", ABORT, data)
    assert status == 3 and "Traceback" not in error, error
    found, before = json.loads(out), json.loads(calm[0])
    assert found["tables"] == before["tables"]
    new = [e["source"] for e in found["not_scanned"] if e not in before["not_scanned"]]
    assert new == ["h-all-bad.csv"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_interrupting_a_scan_leaves_no_process_and_no_file(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    rng = random.Random("many")
    for i in range(600):
        (data / f"{'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10 % 10]}{'uvwxyz'[i // 100]}.csv").write_bytes(csv(rng))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    command = subprocess.Popen(
        [sys.executable, "-m", "piiscan", "scan", str(data), "-f", "json", "-j", "3"],
        env={**unmeasured(), "TMPDIR": str(temporary)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        process_group=0,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while len(members(command.pid)) < 4 and time.monotonic() < deadline and command.poll() is None:
        time.sleep(0.02)
    assert len(members(command.pid)) == 4  # the one that watches, the command, two workers
    while command.poll() is None:  # whoever is impatient stops no clearing up
        os.killpg(command.pid, signal.SIGINT)
        time.sleep(0.002)
    _, error = command.communicate(timeout=60)
    assert command.returncode == 130 and "Traceback" not in error
    while members(command.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not members(command.pid)
    assert not list(temporary.iterdir())


def members(group: int) -> list[str]:
    """The processes of a group that haven't ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, own = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:3]
            if own == str(group) and state != "Z":
                found.append(stat.parent.name)
    return found


PERSON = "Ada Berg;u{0}@mail.example;{0};SSN 219-09-{1:04}\n"


def large(rows: int = 6_000, **odd: bytes) -> bytes:
    """Delimited text of many blocks, with odd lines in the middle of it."""
    lines = [PERSON.format(i * 7919 % 10**6, i % 9999 + 1).encode() for i in range(rows)]
    for i, line in enumerate(odd.values()):
        lines[(i + 1) * rows // (len(odd) + 1)] = line
    return b"name;mail;number;note\n" + b"".join(lines)


LARGE = {
    "regular": lambda: large(),
    "without an end": lambda: large()[:-1],
    "a quoted line end": lambda: large(a=b'"Ivo\nCosta";ivo@mail.example;1;x\n'),
    "an open quote": lambda: large(a=b'"Ivo;ivo@mail.example;1;x\n'),
    "a quote within": lambda: large(a=b'Ivo "x" C;ivo@mail.example;1;x\n'),
    "too many fields": lambda: large(a=b"Ivo;ivo@mail.example;1;x;y;z\n"),
    "too few": lambda: large(a=b"Ivo\n", b=b"\n"),
    "cp1252 in it": lambda: large(a=b"Jos\xe9;jose@mail.example;1;x\n"),
    "a stray byte": lambda: large(a=b"Jos\xe9;jose@mail.example;1;x\n").replace(b"Ada", "Zoë".encode()),
    "a long value": lambda: large(a=b"x" * (40 << 20) + b";long@mail.example;1;x\n"),
    "a long line": lambda: large(a=b";" * (80 << 20) + b"\n"),
    "NUL": lambda: large(a=b"Iv\0o;ivo@mail.example;1;x\n"),
    "CR LF": lambda: large().replace(b"\n", b"\r\n"),
    "UTF-16": lambda: large().decode().encode("utf-16"),
    "cp1252": lambda: large(2_000).replace(b"Ada", b"Jos\xe9") * 6,
}


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Makes small tables be read in pieces by several processes: for each table so read, how many are read ahead."""
    found: list[int] = []
    real = crew.Crew.pieces_ahead

    def pieces_ahead(own: crew.Crew, size: int) -> int:
        ahead = real(own, size)
        found.extend([ahead] if ahead else [])
        return ahead

    monkeypatch.setattr(delimited, "BLOCK_BYTES", 1 << 16)
    monkeypatch.setattr(crew, "LARGE", 1 << 17)
    monkeypatch.setattr(crew, "SMALL", 1 << 16)
    monkeypatch.setattr(crew.Crew, "pieces_ahead", pieces_ahead)
    return found


@pytest.mark.slow
def test_tables_in_pieces_are_the_tables(tmp_path: Path, in_pieces: list[int]) -> None:
    """One folder, since each start of processes takes a second."""
    for name, data in LARGE.items():
        (tmp_path / f"{name}.csv").write_bytes(data())
    alone = json.loads(report(tmp_path, 1))
    assert not in_pieces
    watch = Watch()
    together = json.loads(report(tmp_path, 3, watch))
    of_file = [{t["source"]: t for t in found["tables"]} for found in (alone, together)]
    for source in of_file[0].keys() | of_file[1].keys():
        assert of_file[1].get(source) == of_file[0].get(source), source
    assert together == alone
    assert len(watch.processes) == 2
    assert len(in_pieces) > len(LARGE) // 2  # some cannot be cut


def typed(rows: int = 40_000) -> pl.DataFrame:
    numbers = pl.int_range(rows, eager=True)
    return pl.DataFrame({"number": numbers}).select(
        "number",
        born=pl.date(1950, 1, 1) + pl.duration(days=pl.col("number") % 20_000),
        mail=pl.format("u{}@mail.example", pl.col("number") * 7919 % 1_000_003),
        owner=pl.struct(name=pl.format("Ada {}", pl.col("number") % 977), seen=pl.col("number").cast(pl.Datetime)),
        tags=pl.concat_list(pl.format("t{}", pl.col("number") % 7), pl.lit("x@mail.example")),
        amount=pl.col("number") / 7,
        kind=pl.format("k{}", pl.col("number") % 5).cast(pl.Categorical),
    )


def test_groups_of_rows_are_the_table(tmp_path: Path, in_pieces: list[int]) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for name, group in ("groups", 2_800), ("one group", 10**6), ("damaged", 2_800), ("cut", 2_800):
        path = tmp_path / f"{name}.parquet"
        typed().write_parquet(path, row_group_size=group)
        data = bytearray(path.read_bytes())
        if name == "damaged":
            middle = len(data) // 2
            data[middle : middle + 4000] = bytes(4000)
        path.write_bytes(data[:-9] if name == "cut" else data)
    typed(300_000).select("mail", "kind").write_parquet(tmp_path / "large group.parquet", row_group_size=10**6)
    for name, group in ("unused category", 60_000), ("unused in a large group", 10**6):
        kinds = pa.DictionaryArray.from_arrays([0, 1] * 150_000, ["red", "blue", "green"])
        table = pa.table({"kind": kinds, "number": range(300_000)})
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=group)
    alone = report(tmp_path, 1)
    watch = Watch()
    assert report(tmp_path, 3, watch) == alone
    assert len(watch.processes) == 2
    assert len(in_pieces) == 6  # the one that is cut has no table
    assert alone.count("no row has") == 2


@pytest.mark.parametrize("kill", [1, 2])
def test_pieces_of_killed_processes_are_read_all_the_same(kill: int, tmp_path: Path, in_pieces: list[int]) -> None:
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(large(), 1))
    alone = report(tmp_path, 1)
    assert report(tmp_path, 3, Watch(kill)) == alone
    assert in_pieces


@pytest.mark.parametrize("kill", [0, 2])
@pytest.mark.parametrize("kind", ["regular", "a quoted line end", "too few", "groups"])
def test_the_risk_of_a_table_in_pieces_is_that_of_the_table(
    kind: str, kill: int, tmp_path: Path, in_pieces: list[int]
) -> None:
    path = tmp_path / ("data.parquet" if kind == "groups" else "data.csv")
    if kind == "groups":
        pl.read_csv(large(), separator=";").with_columns(pl.col("number") % 97).write_parquet(path, row_group_size=1000)
    else:
        path.write_bytes(LARGE[kind]())
    rules, found, watches = shipped().rules, [], []
    for processes in 1, 3:
        watches.append(Watch(kill))
        source = Source(path, None, ReadOptions(rules=rules, checkpoints=watches[-1]))
        scan = ScanOptions(jobs=1, processes=processes)
        declared = DeclaredRoles(quasi=("number",), sensitive=("note",), insensitive=("name", "mail"))
        found.append(assess(source, declared, ComparisonSpec(), rules, scan).to_json())
    assert found[0] == found[1]
    assert [len(watch.processes) for watch in watches] == [0, 2]
    assert len(in_pieces) == 2  # it is scanned, and then counted


def test_tasks_that_fail_or_cannot_be_told_are_lost() -> None:
    workers = WorkerProcesses(1, Task("builtins:print", ()))
    try:
        good = workers.submit(Task("operator:add", (1, 2)))
        bad = workers.submit(Task("operator:truediv", (1, 0)))
        odd = workers.submit(Task("threading:Lock", ()))
        assert good.result(60) == 3
        for future in bad, odd:
            with pytest.raises(Lost):
                future.result(60)
        assert workers.submit(Task("operator:add", (2, 2)), is_urgent=True).result(60) == 4
    finally:
        workers.close()


def test_processes_begun_early_are_taken_or_ended(tmp_path: Path) -> None:
    """They have called their function before there is a task for them."""
    mark = tmp_path / "mark.py"
    mark.write_text("import os\npids = []\ndef call():\n    pids.append(os.getpid())\ndef called():\n    return pids\n")
    sys.path.insert(0, str(tmp_path))
    try:
        with worker_processes.begun(2, "mark:call"):
            first, second = (process for process, _ in worker_processes._begun)
            workers = WorkerProcesses(1, Task("builtins:print", ()))
            try:
                pids = workers.submit(Task("mark:called", ())).result(60)
            finally:
                workers.close()
            assert len(pids) == 1 and pids[0] in (first.pid, second.pid)
        assert first.returncode is not None and second.returncode is not None
        assert not worker_processes._begun
    finally:
        sys.path.remove(str(tmp_path))


@pytest.mark.usefixtures("in_pieces")
def test_a_large_file_has_its_processes_begun_before_it_is_opened(
    tmp_path: Path, piiscan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is the same; a command that reads nothing, or one process, begins none."""
    begun: list[int] = []
    real = worker_processes.begun
    monkeypatch.setattr(worker_processes, "LARGE", 1 << 17)
    monkeypatch.setattr(
        worker_processes, "begun", lambda count, function: (begun.append(count), real(count, function))[1]
    )
    (tmp_path / "data.csv").write_bytes(large())
    reports = [piiscan("scan", "data.csv", "-f", "json", "-j", n, cwd=tmp_path).stdout for n in ("1", "3")]
    assert reports[0] == reports[1]
    piiscan("scan", "data.csv", "--dry-run", "-j", "3", cwd=tmp_path)
    assert begun == [0, 2]
    assert not worker_processes._begun
