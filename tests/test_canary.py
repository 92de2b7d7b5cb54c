"""No cell value leaves piiscan: planted ones are looked for, raw, encoded and hashed, in everything that it prints
or writes."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import json
import os
import pickle
import random
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT, run_piiscan
from fuzz import corpus

CANARIES = {
    "ssn": "623-45-8817",
    "email": "wilhelmina.tatterfox@canary-mail.example.com",
    "card": "4539148803436467",
    "name": "Zebulon Quackenbush",
    "iban": "DE89370400440532013000",
    "ip": "203.0.113.77",
    "secret": "AKIAZQCANARYZQCANARY",
    "address": "4711 Quillfeather Crescent",
    "diagnosis": "Acute xylophagia of the left zibble",
    "note": "Quorn the vermilion ocelot, then file the affidavit under marzipan.",
}
BYSTANDER = dict.fromkeys(CANARIES, "") | {"name": "Ann", "note": "nothing"}
FORMATS = ("table", "json", "jsonl", "csv", "markdown", "sarif", "github")


def forms(value: str) -> Iterator[str]:
    """What a careless program makes of a value, in lower case."""
    digits = re.sub(r"\D", "", value)
    written = [value, value.lower(), value.upper(), value[::-1], re.sub(r"\W", "", value)] + (
        [digits] if len(digits) >= 8 else []
    )
    yield from written
    yield from set(re.findall(r"\w{7,}", value)) - {"example"}
    yield from (
        urllib.parse.quote(value, safe=""),
        urllib.parse.quote_plus(value),
        json.dumps(value)[1:-1],
        ascii(value)[1:-1],
    )
    for text in dict.fromkeys([*written[:3], *written[4:], value + "\n"]):
        raw = text.encode()
        yield from (base64.b64encode(raw).decode().rstrip("="), base64.b32encode(raw).decode().rstrip("="), raw.hex())
        yield raw.decode().encode("utf-16-le").hex()
        for algorithm in ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha3_256"):
            digest = hashlib.new(algorithm, raw)
            yield digest.hexdigest()[:16]  # also where somebody cut the hash short
            yield base64.b64encode(digest.digest()).decode()[:16]
            yield base64.urlsafe_b64encode(digest.digest()).decode()[:16]


FORMS = {form.lower(): key for key, value in CANARIES.items() for form in forms(value)}


def leaks(data: bytes | str) -> set[str]:
    """Which canaries are in some text, whatever its encoding and however its lines are folded."""
    if isinstance(data, str):
        data = data.encode()
    texts = [data.decode("latin-1"), data.replace(b"\0", b"").decode("latin-1")]
    texts += [re.sub(r"[\s│|┃]+", " ", texts[0]), re.sub(r"[\s│|┃]+", "", texts[0])]
    lowered = {text.lower() for text in texts}
    return {key for form, key in FORMS.items() if any(form in text for text in lowered)}


def rows(n: int = 12) -> list[dict[str, str]]:
    """The canaries in several rows, so that they're a column's most frequent and a sample's only values."""
    return [CANARIES if i % 3 else BYSTANDER for i in range(n)]


def delimited(table: list[dict[str, str]], delimiter: str = ",", header: bool = True) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]), delimiter=delimiter)
    if header:
        writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


def plant(folder: Path) -> None:
    """Files that are read well, and files that fail in the middle of a canary."""
    import xlsxwriter

    text, line = delimited(rows()), " ".join(CANARIES.values())
    good, bad = folder / "good", folder / "bad"
    good.mkdir(parents=True)
    bad.mkdir()
    (good / "plain.csv").write_text(text)
    (good / "headless.csv").write_text(delimited(rows(), ";", header=False))
    (good / "wide.tsv").write_bytes(delimited(rows(), "\t").encode("utf-16"))
    (good / "email-header.csv").write_text(f"{CANARIES['email']},{CANARIES['ssn']},city\n" + "a,b,Lyon\n" * 20)
    (good / "list.json").write_text(json.dumps(rows()))
    (good / "keyed.json").write_text(
        json.dumps({CANARIES["email"]: {CANARIES["ssn"]: CANARIES["name"]}, "people": rows()})
    )
    (good / "lines.jsonl").write_text("".join(json.dumps({"user": r, CANARIES["ssn"]: 1}) + "\n" for r in rows()))
    (good / "app.log").write_text("".join(f"2025-01-01 INFO seen {line}\n" for _ in range(9)))
    (good / "packed.csv.gz").write_bytes(gzip.compress(text.encode()))
    with zipfile.ZipFile(good / "packed.zip", "w") as archive:
        archive.writestr("inner.csv", text)
    with tarfile.open(good / "packed.tar.xz", "w:xz") as tar:
        tar.add(good / "plain.csv", "inner.csv")
    pl.DataFrame(rows()).write_parquet(good / "table.parquet")
    pl.DataFrame(rows()).with_columns(number=pl.lit(int(CANARIES["card"]))).write_ipc(good / "table.arrow")
    with xlsxwriter.Workbook(good / "book.xlsx") as book:
        sheet = book.add_worksheet("623-45-8817")
        sheet.write_row(0, 0, list(CANARIES))
        for i, row in enumerate(rows()):
            sheet.write_row(i + 1, 0, list(row.values()))
    with zipfile.ZipFile(good / "letter.docx", "w") as archive:
        archive.writestr("word/document.xml", f"<document><p>{line}</p><p author='{CANARIES['name']}'/></document>")
        archive.writestr(
            "docProps/custom.xml", f"<a><property name='{CANARIES['email']}'>{CANARIES['ssn']}</property></a>"
        )
        archive.writestr(f"word/{CANARIES['email']}.xml", f"<p>{line}")
    whole = corpus.KINDS["pdf"].make(
        random.Random(0), {"text": line, "field": line, "link": CANARIES["email"], "property": line, "packed": line}
    )
    (good / "page.pdf").write_bytes(whole)
    with sqlite3.connect(good / "data.sqlite") as db:
        db.execute(f'CREATE TABLE "{CANARIES["email"]}" ("{CANARIES["ssn"]}", name)')
        db.executemany(f'INSERT INTO "{CANARIES["email"]}" VALUES (?, ?)', [(CANARIES["card"], CANARIES["name"])] * 9)
    db.close()

    (bad / "broken.json").write_text('{"people": [' + json.dumps(CANARIES)[:-20])
    (bad / "mixed.jsonl").write_text(json.dumps(CANARIES) + "\n{" + line + "\n" + "[" * 2000 + line)
    (bad / "bytes.csv").write_bytes(text.encode() + b"\xff\xfe\x81" + line.encode() + b"\x9d\n" * 3)
    (bad / "utf8-bom.csv").write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\xc3\x28" + line.encode())
    (bad / "odd-utf16.csv").write_bytes(text.encode("utf-16") + b"\x00\xd8")
    (bad / "quote.csv").write_text(text + f'"{line}\n' * 3)
    (bad / "ragged.csv").write_text(text + ",".join([line] * 14) + "\n")
    (bad / "nul.csv").write_text(text.replace("Ann", f"Ann\0{line}"))
    (bad / "cut.parquet").write_bytes((good / "table.parquet").read_bytes()[:-30])
    (bad / "cut.arrow").write_bytes((good / "table.arrow").read_bytes()[:-300])
    (bad / "cut.csv.gz").write_bytes((good / "packed.csv.gz").read_bytes()[:-9])
    (bad / "cut.xlsx").write_bytes((good / "book.xlsx").read_bytes()[:-60])
    (bad / "cut.docx").write_bytes((good / "letter.docx").read_bytes()[:-60])
    (bad / "cut.pdf").write_bytes(whole[:-900])
    (bad / "torn.sqlite").write_bytes((good / "data.sqlite").read_bytes()[:5000])
    (bad / "not-a.parquet").write_text(line)
    (bad / "not-a.xlsx").write_text(line)
    (bad / "letter.pdf").write_bytes(b"%PDF-1.7\n" + line.encode())


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("canary") / "data"
    plant(folder)
    return folder


@pytest.fixture
def runs(tmp_path: Path, planted: Path) -> Iterator[Runs]:
    yield Runs(tmp_path, planted)


class Runs:
    """Runs commands away from home; whatever they print, or leave in any folder that is theirs, is searched."""

    def __init__(self, folder: Path, planted: Path) -> None:
        self.folder, self.planted, self.outputs = folder, planted, list[str]()
        for name in ("home", "tmp", "work"):
            (folder / name).mkdir()

    def __call__(
        self, *arguments: str | Path, prelude: str = "", stdin: bytes = b""
    ) -> subprocess.CompletedProcess[str]:
        code = f"{prelude}\nfrom piiscan.cli import main\nmain()"
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "XDG_"))}
        env |= {
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "COLUMNS": "80",
        }
        command = [sys.executable, "-W", "default", "-c", code, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder / "work", env=env, input=stdin, capture_output=True, timeout=120)
        return self._searched(
            subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())
        )

    def here(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """The same in this process, which takes a tenth of the time; what Python prints by itself isn't seen."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", str(self.folder / "home"))
            patch.setenv("TMPDIR", str(self.folder / "tmp"))
            patch.setattr(tempfile, "tempdir", None)
            return self._searched(run_piiscan(*arguments, cwd=self.folder / "work", width=80))

    def _searched(self, result: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
        arguments = result.args
        for what, text in (("stdout", result.stdout), ("stderr", result.stderr)):
            assert not leaks(text), f"{arguments} wrote {leaks(text)} to {what}"
        for path in self.folder.rglob("*"):
            assert not leaks(path.name), f"{arguments} made a file with {leaks(path.name)} in its name"
            assert not path.is_file() or not leaks(path.read_bytes()), (
                f"{arguments} left {leaks(path.read_bytes())} in {path.name}"
            )
        return result


@pytest.mark.parametrize("key", CANARIES)
def test_the_search_finds_every_form(key: str) -> None:
    for form in forms(CANARIES[key]):
        assert key in leaks(f"some text, {form}, and more"), form


def test_the_search_sees_through_folded_lines_and_wide_characters() -> None:
    assert leaks(f"│ {CANARIES['email'][:20]} │\n│ {CANARIES['email'][20:]} │") == {"email"}
    assert leaks(CANARIES["ssn"].encode("utf-16")) == {"ssn"}


@pytest.mark.parametrize("kind", FORMATS)
def test_reports(runs: Runs, kind: str) -> None:
    done = runs.here(
        "scan",
        *(runs.planted / name for name in ("good/plain.csv", "good/app.log", "bad/bytes.csv", "bad/broken.json")),
        "-f",
        kind,
        "-v",
    )
    assert done.returncode == 3
    assert "SSN" in done.stdout.upper()  # there was something to leak


def test_every_file_in_every_report(runs: Runs) -> None:
    outputs = [f"--output={kind}=report.{kind}" for kind in FORMATS]
    assert runs("scan", runs.planted, *outputs).returncode == 3
    assert len(list((runs.folder / "work").iterdir())) == len(FORMATS)


def test_each_bad_file_by_itself(runs: Runs) -> None:
    done = runs("scan", *sorted((runs.planted / "bad").iterdir()), "-v", "-f", "json")
    assert done.returncode == 3
    assert len(json.loads(done.stdout)["not_scanned"]) > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("--dry-run",),
        ("--sample", "1"),
        ("--encoding", "ascii"),
        ("--delimiter", "@", "--header"),
        ("--no-header",),
        ("--select", "US_SSN,EMAIL_ADDRESS", "--min-confidence", "0"),
        ("--select", "AGE"),
        ("--fail-on", "never", "--jobs", "1", "--allow-incomplete"),
    ],
    ids=" ".join,
)
def test_options(runs: Runs, arguments: tuple[str, ...]) -> None:
    assert runs("scan", runs.planted, *arguments).returncode in (0, 1, 3)


@pytest.mark.parametrize("column", [*CANARIES, "0", "no such column"])
def test_explain(runs: Runs, column: str) -> None:
    done = runs.here("explain", f"{runs.planted / 'good' / 'plain.csv'}::{column}")
    assert done.returncode == (2 if column == "no such column" else 0), done.stderr


def test_explain_a_file_without_names(runs: Runs) -> None:
    for name in ("headless.csv::0", "headless.csv::name", "email-header.csv::column_0", "broken.json::ssn"):
        folder = "bad" if name.startswith("broken") else "good"
        runs.here("explain", f"{runs.planted / folder / name}")


def test_standard_input(runs: Runs) -> None:
    assert runs("scan", "-", stdin=delimited(rows()).encode()).returncode == 1
    runs("scan", "-", stdin=b'{"a": "' + CANARIES["ssn"].encode())


@pytest.mark.slow
def test_baselines(runs: Runs) -> None:
    good = runs.planted / "good"
    assert runs("baseline", "create", good, "--file", "base.jsonl", "--fail-on", "quasi", "-v").returncode in (0, 3)
    assert (runs.folder / "work" / "base.jsonl").read_text().count("\n") > 10
    runs("baseline", "update", good, "--file", "base.jsonl")
    runs("baseline", "prune", good, "--file", "base.jsonl")
    assert runs("scan", good, "--baseline", "base.jsonl", "-v").returncode in (0, 3)


def test_configuration(runs: Runs) -> None:
    path = (runs.planted / "good" / "plain.csv").as_posix()
    (runs.folder / "work" / "piiscan.toml").write_text(
        f'[[columns]]\npath = "{path}"\ncolumn = "note"\nis = "FREE_TEXT"\n'
    )
    assert runs.here("config", "show").returncode == 0
    assert runs.here("scan", path).returncode == 1
    (runs.folder / "work" / "piiscan.toml").write_text("select = 1\n")
    assert runs.here("scan", path).returncode == 2


RULE = """
[[rule]]
id = "slow"
entity = "GENERIC_ID"
title = "A rule that blows up on long cells"
engine = "regex"
pattern = '''(?<![a-z])(?:[a-z]+[a-z ,]*)+[0-9]{3}'''
gate = '''[a-z]'''
match = ["abc123"]
no_match = ["123"]
"""


def test_a_rule_that_blows_up(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "work" / "slow.toml").write_text(RULE)
    done = runs("scan", runs.planted / "good" / "plain.csv", "--rules", ".", "-v")
    assert done.returncode in (1, 3)


CRASHES = {
    "a check": "import piiscan.rules.checks.luhn as luhn\ndef valid(chars): raise "
    "ValueError(f'{chars.tobytes()}')\nluhn.valid = valid",
    "the classifier": "import piiscan.scanning.classify.verdicts as c\ndef classify_each(tables, *more):\n    raise "
    "KeyError(tables[0][1].columns[0].sample, VALUES)\nc.classify_each = classify_each",
    "the engine": "import piiscan.scanning.engine as e\ndef scan_tables(*a, **k):\n    try:\n"
    "        raise OSError(VALUES)\n "
    "   except OSError as error:\n        raise RuntimeError(VALUES) from error\ne.scan_tables = scan_tables",
    "a report": "import piiscan.report.formats as r\n"
    "def render(*a, **k): raise UnicodeEncodeError('ascii', VALUES, 0, 1, "
    "VALUES)\nr.render = render",
    "a thread": "import threading\ndef work(): raise ValueError(VALUES)\nimport piiscan.cli as c\nold = "
    "c._silence_third_parties\ndef quiet():\n    old()\n    t = threading.Thread(target=work); t.start(); "
    "t.join()\nc._silence_third_parties = quiet",
    "a library's panic": "import os, piiscan.scanning.engine as e\nold = e.scan_tables\ndef scan_tables(*a):\n"
    "    os.write(2, "
    "VALUES.encode())\n    return old(*a)\ne.scan_tables = scan_tables",
    "a warning and a log": "import atexit, logging, warnings\ndef noise():\n    warnings.warn(VALUES); "
    "logging.getLogger('polars').error(VALUES)\nimport piiscan.cli as c\nold = c._silence_third_parties\ndef "
    "quiet():\n    old(); noise()\nc._silence_third_parties = quiet",
}


@pytest.mark.parametrize("place", CRASHES)
def test_a_crash_reveals_no_values(runs: Runs, place: str) -> None:
    prelude = f"VALUES = {' '.join(CANARIES.values())!r}\n" + CRASHES[place]
    done = runs("scan", runs.planted / "good" / "plain.csv", "-v", "-f", "json", prelude=prelude)
    if place.split()[-1] in ("thread", "panic", "log"):
        assert done.returncode == 1
    else:
        assert done.returncode in (3, 4)
        assert "internal error" in done.stdout + done.stderr


def test_python(planted: Path) -> None:
    import piiscan

    report = piiscan.scan(pl.DataFrame(rows()))
    shown = [
        repr(report),
        str(report),
        report.to_json(),
        str(report.to_frame()),
        repr(report["ssn"]),
        repr(list(report.columns)),
    ]
    shown += [report._repr_html_(), repr(report.pii_columns())]
    for call in (
        lambda: report["no such"],
        lambda: report.raise_if("direct"),
        lambda: piiscan.scan(planted / "bad" / "broken.json").raise_if("direct"),
    ):
        try:
            call()
        except Exception as error:
            shown += [repr(error), str(error)]
            while error.__cause__ or (error.__context__ and not error.__suppress_context__):
                error = error.__cause__ or error.__context__  # type: ignore[assignment]
                shown.append(str(error))
    assert not leaks("\n".join(shown))
    assert not leaks(pickle.dumps(piiscan.Scanner()))
    assert "US_SSN" in report.to_json()
