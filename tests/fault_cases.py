"""Commands that write, each in a folder of its own, and what must hold of that folder after one was disturbed.

`python tests/fault_cases.py` tries every fault at every call, or at those that `--every N` leaves, and prints a table.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
KILL: Final = 0
ERRNOS: Final = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EMFILE)
ONCE, STICKY, READS = 0, 1, 2
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Case:
    """A command line, whose words `{}/…` are below the folder. `outputs`: what it writes, folders included. `same`:
    two runs write the same bytes. `whole` raises for outputs that aren't, where they aren't the same each time.
    `statuses`: those of a run that isn't disturbed."""

    name: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    make: Callable[[Path], None]
    same: bool = True
    whole: Callable[[Path], None] = lambda folder: None
    statuses: tuple[int, ...] = (0,)
    remains: tuple[str, ...] = ()


PROBE = b"blat"
"""What Python's tempfile writes to see whether a folder takes files, and deletes right away."""


def files(folder: Path) -> dict[str, bytes]:
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    return {name: raw for name, raw in found.items() if not (name.startswith("tmp/") and raw in (PROBE, b""))}


class Server:
    """The process that runs commands, in children, with a fault each."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.trials = 0
        library = work / "faults.so"
        source = str(ROOT / "tests" / "faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), source, "-ldl"], check=True)
        (work / "logs").mkdir()
        env = os.environ | {
            "LD_PRELOAD": str(library),
            "PYTHONPATH": str(ROOT),
            "OPENBLAS_NUM_THREADS": "1",
            "POLARS_MAX_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        for name in ("PIISCAN_KEY", "COVERAGE_PROCESS_START"):
            env.pop(name, None)
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "fault_server.py"), str(library), str(work / "logs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            text=True,
        )
        assert self._process.stdout is not None and self._process.stdout.readline() == "ready\n"

    def run(
        self, arguments: tuple[str, ...], folder: Path, n: int, error: int, how: int, **more: Any
    ) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        given = [a.replace("{}", str(folder)) for a in arguments]
        case = {"arguments": given, "folder": str(folder), "n": n, "errno": error, "how": how, **more}
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@contextmanager
def serving(work: Path) -> Iterator[Server]:
    server = Server(work)
    try:
        yield server
    finally:
        server.close()


class Trial:
    """One case, disturbed again and again. `calls`: of the run that wasn't."""

    def __init__(self, case: Case, server: Server) -> None:
        self.case, self._server = case, server
        server.trials += 1
        self._template = server.work / f"template {server.trials}"
        self.folder = server.work / f"{server.trials}"
        (self._template / "tmp").mkdir(parents=True)
        case.make(self._template)
        self.before = files(self._template)
        self._fresh()
        done = self._run(-1, errno.EIO, ONCE)
        assert done["status"] in case.statuses, done
        self.calls: int = done["calls"]
        self.wanted = self._outputs()
        assert self.wanted and self.wanted != self._among(self.before), case.name
        self._tidy()

    def _fresh(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._template, self.folder, copy_function=_copy)

    def _run(self, n: int, error: int, how: int, options: Sequence[str] = (), **more: Any) -> dict[str, Any]:
        return self._server.run((*self.case.arguments, *options), self.folder, n, error, how, **more)

    def _among(self, found: Files) -> dict[str, bytes]:
        mine = self.case.outputs
        return {
            name: raw
            for name, raw in found.items()
            if any(name == o or name.startswith(f"{o}/") for o in mine) and "/.piiscan-" not in f"/{name}"
        }

    def _outputs(self) -> dict[str, bytes]:
        return self._among(files(self.folder))

    def _tidy(self) -> None:
        """Nothing lies about but inputs, outputs and what is meant to remain."""
        found = files(self.folder)
        more = sorted(set(found) - set(self.before) - set(self._among(found)) - set(self.case.remains))
        assert not more, f"left behind: {more}"
        assert not [name for name in found if name.startswith("tmp/")], found.keys()

    def disturb(self, n: int, error: int, how: int = ONCE) -> str:
        """What came of a fault at call `n`: "failed", "whole" or "killed". Asserts that nothing is half or lost, and
        that the next run makes it whole."""
        self._fresh()
        done = self._run(n, error, how)
        status, said = done["status"], done["said"]
        told = f"{self.case.name}, call {n}, {errno.errorcode.get(error, 'kill')}{' from there on' * (how == STICKY)}: "
        told += f"status {status}\n{said}"
        killed = status == -signal.SIGKILL
        assert killed == (error == KILL) or (killed is False and n >= done["calls"] >= 0), told
        assert killed or 0 <= status <= 6, told
        assert "Traceback" not in said and "internal error" not in said, told
        found = files(self.folder)
        lost = [name for name, raw in self.before.items() if not self._among({name: raw}) and found.get(name) != raw]
        assert not lost, f"{lost} changed: {told}"
        self._check_outputs(self._among(found), status, said, how, told)
        whole = not killed and status in self.case.statuses
        if status in self.case.statuses and not killed and self.case.same:
            assert self._among(found) == self.wanted, told
        self._recover(told)
        return "killed" if killed else "whole" if whole else "failed"

    def _check_outputs(self, found: Files, status: int, said: str, how: int, told: str) -> None:
        old = self._among(self.before)
        assert set(old) <= set(found), told
        if self.case.same:
            for name, raw in found.items():
                assert raw in (old.get(name), self.wanted.get(name)), f"{name} is neither old nor new: {told}"
            if status > 0 and status not in self.case.statuses and len(self.case.outputs) == 1:
                # Where the disk takes no names from there on, old ones can't be given back; the next run does it.
                open_end = "can't be taken back now; run the same command again" in said and how == STICKY
                assert found in (old, self.wanted) or status == 3 or open_end, f"some are old and some new: {told}"
        else:
            self.case.whole(self.folder)

    def _recover(self, told: str) -> None:
        """The next run, which nothing disturbs."""
        again = self._run(-1, errno.EIO, ONCE)
        if "status 3" in told and "exist" in again["said"]:  # what could be read was written, and the rest was told
            again = self._run(-1, errno.EIO, ONCE, ("--overwrite",))
        if (
            again["status"] == 6
        ):  # charged before its noise was drawn, as a ledger does: nothing is released for nothing
            self.case.whole(self.folder)
            return
        if again["status"] not in self.case.statuses and "exist" in again["said"]:  # the one before came to its end
            assert self.case.same is False or self._outputs() == self.wanted, told
        else:
            assert again["status"] in self.case.statuses, f"{told}\nthe next run: {again}"
        if self.case.same:
            assert self._outputs() == self.wanted, f"the next run makes something else: {told}"
        else:
            self.case.whole(self.folder)
            assert set(self._outputs()) == set(self.wanted), told
        try:
            self._tidy()
        except AssertionError as error:
            raise AssertionError(f"{told}\n{error}") from None


def _copy(source: str, target: str) -> str:
    shutil.copy2(source, target)
    return target


# The cases ---------------------------------------------------------------------------------------------------------


def _people(folder: Path) -> None:
    from test_resume import people

    people(folder / "in", texts=True)
    _key(folder)


def _key(folder: Path) -> None:
    from piiscan.core.keys import write_new

    write_new(folder / "key")


def _few(folder: Path) -> None:
    """What little there is to scan: the reports are what is written."""
    from mask_people import customers

    (folder / "in").mkdir()
    customers(40).write_csv(folder / "in" / "a.csv")


def _planned(folder: Path) -> None:
    import piiscan
    from piiscan.masking.plan import plan_toml

    _people(folder)
    key = piiscan.Key.load(f"file:{folder / 'key'}")
    plan = replace(piiscan.plan(folder / "in"), vault=None, key_ids=(key.id,))
    (folder / "plan.toml").write_text(plan_toml.dumps(plan))


def _older(folder: Path) -> None:
    _planned(folder)
    (folder / "out" / "sub").mkdir(parents=True)
    for name in ("a.csv", "b.parquet", "sub/f.xlsx", "another.txt"):
        (folder / "out" / name).write_bytes(b"older\n" * 9)


def _coded(folder: Path) -> None:
    from mask_people import edited

    import piiscan
    from piiscan.masking.plan import plan_toml

    _people(folder)
    shutil.copy(folder / "in" / "a.csv", folder / "a.csv")
    shutil.rmtree(folder / "in")
    key = piiscan.Key.load(f"file:{folder / 'key'}")
    plan = plan_toml.dumps(replace(piiscan.plan(folder / "a.csv"), vault=None, key_ids=(key.id,)))
    (folder / "plan.toml").write_text(edited(plan, {"ssn": 'operator = "code"'}))


def _table(folder: Path) -> None:
    import random

    draw = random.Random(4)
    rows = ["age,zip,sex,illness,visits"]
    for _ in range(120):
        age, town, sex, illness = (
            draw.randrange(20, 80),
            draw.randrange(20),
            draw.choice("fm"),
            draw.choice(["flu", ""]),
        )
        rows.append(f"{age},021{town:02},{sex},{illness},{draw.randrange(9)}")
    (folder / "t.csv").write_text("\n".join(rows) + "\n")


def _sqlite(folder: Path) -> None:
    import csv
    import sqlite3

    _table(folder)
    with (folder / "t.csv").open() as file:
        rows = list(csv.reader(file))
    with sqlite3.connect(folder / "t.db") as base:
        for name in ("one", "two"):
            base.execute(f"CREATE TABLE {name} ({', '.join(rows[0])})")
            base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)", rows[1:])
    base.close()
    (folder / "t.csv").unlink()


def _older_reports(folder: Path) -> None:
    _few(folder)
    for name in ("r.json", "r.sarif"):
        (folder / name).write_bytes(b"older\n")


def _older_plan(folder: Path) -> None:
    import piiscan
    from piiscan.masking.plan import plan_toml

    _few(folder)
    plan = piiscan.plan(folder / "in")
    (folder / "p.toml").write_text(plan_toml.dumps(replace(plan, policy="gdpr")))


def _older_baseline(folder: Path) -> None:
    _few(folder)
    (folder / "b.jsonl").write_bytes(b"")


def _charges(folder: Path) -> None:
    """The ledger can be read, and holds one release at most; an output is that release's."""
    from piiscan.dp.ledger import Ledger

    ledger = Ledger(folder / "ledger")
    charges: list[Any] = []
    if (folder / "ledger").exists():
        charges = [c for name in ledger.datasets() for c in ledger.account(name).charges]
    assert len(charges) <= 1, charges
    if (folder / "s.json").exists():
        assert charges and json.loads((folder / "s.json").read_text()) == json.loads(charges[0].release)
    if (folder / "s.csv").exists():
        assert charges and (folder / "s.csv").read_text().startswith("age,visits\n")


def _protected(folder: Path) -> None:
    out = folder / "out"
    if out.exists() and any(out.iterdir()):
        report = json.loads((out / "report.json").read_text())
        assert report and (out / "t.csv").read_text().count("\n") > 50


def _vaulted(folder: Path) -> None:
    """The vault leads back from all codes that stand in the output."""
    import csv

    from piiscan.core.keys import Key
    from piiscan.masking import vault
    from piiscan.masking.plan import plan_toml

    plan = plan_toml.load(folder / "plan.toml")
    column = next(a for a in plan.tables[0].columns if a.operator == "code")
    key = Key.load(f"file:{folder / 'key'}").subkey(column.domain or column.entity or "OTHER")
    place = next(p for p in (folder / "piiscan-vault", folder / "vault") if p.exists() or p.name == "vault")
    known = vault.read(place, key)
    assert known["code"].is_unique().all() and known["original"].is_unique().all()
    if (folder / "out.csv").exists():
        with (folder / "out.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 40 and {r["ssn"] for r in rows if r["ssn"]} <= set(known["code"])


_MASK = ("mask", "{}/in", "--plan", "{}/plan.toml", "--key", "file:{}/key", "-o", "{}/out", "--jobs", "1", "-q")
_DECLARED = ("--bounds", "age=0:100", "--bounds", "visits=0:10", "--one-row-per-person", "--ledger", "{}/ledger")
CASES: Final = (
    Case("mask a folder", _MASK, ("out",), _planned),
    Case("mask over older files", (*_MASK, "--overwrite", "--no-verify"), ("out",), _older),
    Case("mask and resume", (*_MASK, "--resume", "--no-verify"), ("out",), _planned),
    Case(
        "mask with a vault",
        ("mask", "{}/a.csv", "--plan", "{}/plan.toml", "--key", "file:{}/key", "-o", "{}/out.csv", "-q"),
        ("out.csv", "piiscan-vault"),
        _coded,
        same=False,
        whole=_vaulted,
        remains=("piiscan-vault.lock",),
    ),
    Case("plan", ("plan", "{}/in", "-o", "{}/p.toml", "-q"), ("p.toml",), _older_plan),
    Case(
        "scan",
        ("scan", "{}/in", "-o", "json={}/r.json", "-o", "sarif={}/r.sarif", "-q"),
        ("r.json", "r.sarif"),
        _older_reports,
        statuses=(1,),
    ),
    Case("baseline", ("baseline", "update", "{}/in", "--file", "{}/b.jsonl", "-q"), ("b.jsonl",), _older_baseline),
    Case(
        "anonymize a file",
        ("anonymize", "{}/t.csv", "-o", "{}/out.csv", "--k", "3", "--quasi", "age,zip,sex", "-q"),
        ("out.csv",),
        _table,
    ),
    Case(
        "anonymize a table of a database",
        ("anonymize", "{}/t.db", "--table", "one", "-o", "{}/out.db", "--k", "3", "--quasi", "age,zip,sex", "-q"),
        ("out.db",),
        _sqlite,
    ),
    Case(
        "protect",
        ("protect", "{}/t.csv", "-o", "{}/out", "--k", "3", "--quasi", "age,zip,sex", "--one-row-per-person", "-q"),
        ("out",),
        _table,
        same=False,
        whole=_protected,
    ),
    Case(
        "summarize",
        ("summarize", "{}/t.csv", "--epsilon", "1", *_DECLARED, "-o", "{}/s.json", "-q"),
        ("s.json", "ledger"),
        _table,
        same=False,
        whole=_charges,
    ),
    Case(
        "synthesize",
        ("synthesize", "{}/t.csv", "--epsilon", "1", *_DECLARED, "-o", "{}/s.csv", "--overwrite", "-q"),
        ("s.csv", "ledger"),
        _table,
        same=False,
        whole=_charges,
    ),
)


def faults(calls: int, every: int = 1, first: int = 0) -> Iterator[tuple[int, int, int]]:
    """Call number, errno (`KILL` for none) and how: each error, and a kill, at every so manieth call."""
    for n in range(first, calls, every):
        yield n, KILL, ONCE
        yield n, ERRNOS[n // every % len(ERRNOS)], ONCE
        if n // every % 3 == 0:
            yield n, errno.ENOSPC, STICKY


def main() -> None:
    import argparse
    import tempfile
    import time

    sys.path.insert(0, str(ROOT / "tests"))
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=1 << 30)
    parser.add_argument("cases", nargs="*")
    asked = parser.parse_args()
    print("| command | calls | faults | whole | failed | killed | broken |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work, serving(Path(work)) as server:
        for case in CASES:
            if asked.cases and case.name not in asked.cases:
                continue
            begun, came = time.monotonic(), Counter[str]()
            trial = Trial(case, server)
            for n, error, how in faults(min(trial.calls, asked.last), asked.every, asked.first):
                try:
                    came[trial.disturb(n, error, how)] += 1
                except AssertionError as wrong:
                    came["broken"] += 1
                    print(f"{case.name}: {wrong}", file=sys.stderr, flush=True)
            line = [case.name, trial.calls, came.total(), *(came[k] for k in ("whole", "failed", "killed", "broken"))]
            print("|", " | ".join(map(str, line)), "|", f"{time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
