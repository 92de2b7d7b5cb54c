"""What columns hold, as piiscan and its peers say: all on the same labelled tables, scored with the same arithmetic.

`python benchmarks/peers/verdicts.py DATA_FOLDER CACHE --folds FOLDS|--closed` makes an environment a peer in the
folder CACHE (kept for the next run), gives each peer the first rows of every table of DATA_FOLDER (as `load_tables.py`
there reads them), has piiscan scan the same tables, each with a model that has seen no table of its source (FOLDS is
what `models/train.py --folds FOLDS` wrote), whole and cut to the same number of rows, scores everything and writes
`benchmarks/results/verdicts-DATE.json` and `.md`. With `--closed` all of this happens on the closed third of the
sources alone (`models/labelled.py`), and piiscan judges with the model that ships, which has seen none of them. Without
a scorer beside DATA_FOLDER's parent give one with `--scorer`. No cell is written anywhere but to a temporary folder.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import datetime as dt
import importlib.util
import io
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from compare import PRESIDIO, Tool, prepare

from piiscan import __version__
from piiscan.core.entities import PII_CLASS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
READER = Tool("reader", "reader", ("pandas==3.1.1", "openpyxl==3.1.5", "xlrd==2.0.2", "pyarrow==26.0.1"), 0)
PEERS = (
    Tool("presidio-structured", "presidio", PRESIDIO, 0),
    Tool("dataprofiler", "dataprofiler", ("DataProfiler[ml]==0.14.0", "tensorflow==2.21.0", "keras==3.15.1"), 0),
    # It declares no Python that is still maintained, and databases that its detector of column names has no need of.
    Tool(
        "piicatcher",
        "piicatcher",
        (
            "--no-deps",
            "--ignore-requires-python",
            "piicatcher==0.21.2",
            "catalogue==2.0.10",
            "commonregex-improved==1.0.2",
            "tqdm==4.70.1",
        ),
        0,
    ),
)
HEADERS_ONLY = ("piicatcher",)
"""The others look at cells only: blanked headers change nothing."""

# What a peer's label means. Of several entities the one that the column really holds counts, so that no peer is wrong
# for having fewer words; else the first, the mildest. None: nothing personal.
_PERSON = ("PERSON", "FIRST_NAME", "LAST_NAME")
_PLACE = ("CITY", "REGION", "COUNTRY", "STREET_ADDRESS", "POSTAL_CODE", "NATIONALITY", "BIRTHPLACE")
_TIME = (None, "DATE_OF_BIRTH", "AGE")
_LABELS: dict[str, tuple[str | None, ...]] = {
    "PERSON": _PERSON,
    "LOCATION": _PLACE,
    "ADDRESS": _PLACE,
    "PO_BOX": ("STREET_ADDRESS",),
    "ZIP_CODE": ("POSTAL_CODE",),
    "US_STATE": ("REGION",),
    "NRP": ("NATIONALITY", "COUNTRY", "BIRTHPLACE", "LANGUAGE", "ETHNICITY", "RELIGION"),
    "NATIONALITY": ("NATIONALITY", "BIRTHPLACE"),
    "ORGANIZATION": ("ORGANIZATION",),
    "DATE": _TIME,
    "TIME": _TIME,
    "DATETIME": _TIME,
    "DATE_TIME": _TIME,
    "BIRTH_DATE": ("DATE_OF_BIRTH",),
    "AGE": ("AGE",),
    "GENDER": ("GENDER",),
    "EMAIL": ("EMAIL_ADDRESS",),
    "EMAIL_ADDRESS": ("EMAIL_ADDRESS",),
    "PHONE": ("PHONE_NUMBER",),
    "PHONE_NUMBER": ("PHONE_NUMBER",),
    "URL": ("URL",),
    "USER_NAME": ("PERSON_ID", "USERNAME"),
    "PASSWORD": ("PASSWORD",),
    "HASH_OR_KEY": ("GENERIC_ID", "SECRET"),
    "UUID": ("GENERIC_ID", "PERSON_ID", "DEVICE_ID"),
    "ID": ("GENERIC_ID", "PERSON_ID", "MEDICAL_RECORD", "NATIONAL_ID", "ORGANIZATION_ID"),
    "IP_ADDRESS": ("IP_ADDRESS",),
    "IPV4": ("IP_ADDRESS",),
    "IPV6": ("IP_ADDRESS",),
    "MAC_ADDRESS": ("MAC_ADDRESS", "DEVICE_ID"),
    "SSN": ("US_SSN", "NATIONAL_ID"),
    "US_SSN": ("US_SSN", "NATIONAL_ID"),
    "US_ITIN": ("NATIONAL_ID", "US_SSN"),
    "UK_NHS": ("NATIONAL_ID", "MEDICAL_RECORD"),
    "US_PASSPORT": ("PASSPORT",),
    "US_DRIVER_LICENSE": ("DRIVER_LICENSE",),
    "DRIVERS_LICENSE": ("DRIVER_LICENSE",),
    "MEDICAL_LICENSE": ("PERSON_ID", "NATIONAL_ID"),
    "CREDIT_CARD": ("CREDIT_CARD", "CVV"),
    "IBAN_CODE": ("IBAN_CODE",),
    "US_BANK_NUMBER": ("BANK_ACCOUNT",),
    "BAN": ("BANK_ACCOUNT", "IBAN_CODE"),
    "CRYPTO": ("BANK_ACCOUNT",),
    "UNKNOWN": (None,),
    "could not determine": (None,),
    "PAD": (None,),
    "INTEGER": (None,),
    "FLOAT": (None,),
    "QUANTITY": (None,),
    "ORDINAL": (None,),
}


@dataclass(frozen=True)
class Result:
    """One tool in one setting on all tables. `headers` and `blanked` hold figures as score.py prints them."""

    tool: str
    setting: str
    rows: int | None
    seconds: float
    cpu_seconds: float
    headers: dict[str, Any]
    blanked: dict[str, Any]


class Watch:
    """Seconds on the wall, and of processor time in processes that have ended."""

    def __init__(self) -> None:
        self.start = self._now()

    def read(self) -> tuple[float, float]:
        wall, cpu = self._now()
        return round(wall - self.start[0], 1), round(cpu - self.start[1], 1)

    def _now(self) -> tuple[float, float]:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.perf_counter(), usage.ru_utime + usage.ru_stime


class Gold:
    """The labels, and the arithmetic of the scorer."""

    def __init__(self, data: Path, scorer: Path) -> None:
        self.path = data / "labels.csv"
        with self.path.open(encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        spec = importlib.util.spec_from_file_location("score", scorer)
        assert spec is not None and spec.loader is not None
        self.score: ModuleType = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.score)

    def accepted(self, row: Mapping[str, str]) -> set[str | None]:
        found: set[str | None] = self.score.accepted(row["label"]) | (
            self.score.accepted(row["alt_label"]) if row["alt_label"] else set()
        )
        return found

    def lines(self, answers: Mapping[str, list[list[str]]]) -> list[dict[str, Any]]:
        """What a peer says of each labelled column, in the words of the vocabulary."""
        lines = []
        for row in self.rows:
            table, sub, index = self.score.key_of(row)
            meant = [entity for label in answers[table][index] for entity in _LABELS[label]] or [None]
            entity = next((e for e in meant if e in self.accepted(row)), meant[0])
            lines.append(
                {
                    "table": table,
                    "sub": sub,
                    "index": index,
                    "entity": entity,
                    "pii": PII_CLASS[entity] if entity else "none",
                }
            )
        return lines

    def figures(self, lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        text = self._run(lines)
        numbers = {
            "direct_precision": r"direct identifiers +P ([\d.]+)",
            "direct_recall": r"direct identifiers .* R ([\d.]+)",
            "any_f1": r"any PII .* F1 ([\d.]+)",
            "macro_f1": r"macro-F1 ([\d.]+)",
            "right": r"type accuracy ([\d.]+)",
            "missing": r"without prediction (\d+)",
            "clean": r"clean tables (\d+)",
            "alarmed": r"alarmed (\d+)",
        }
        out: dict[str, Any] = {name: json.loads(_first(pattern, text)) for name, pattern in numbers.items()}
        mild = [{**line, "pii": line["pii"] if line["pii"] == "direct" else "none"} for line in lines]
        out["alarmed_direct"] = int(_first(numbers["alarmed"], self._run(mild)))
        types = re.findall(r"^ +(\w+) +n +(\d+) P [\d.]+ R [\d.]+ F1 ([\d.]+)$", text, re.MULTILINE)
        return out | {"types": {label: float(f1) for label, n, f1 in types if int(n) >= 5}}

    def _run(self, lines: Iterable[Mapping[str, Any]]) -> str:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            path = Path(folder) / "pred.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            self.score.main(str(self.path), str(path))
        return out.getvalue()


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"the scorer printed nothing like {pattern}")
    return found[1]


def ask_peer(tool: Tool, python: Path, tables: Path, rows: int, gold: Gold) -> tuple[list[Result], dict[str, str]]:
    """The figures of a peer in each of its settings, and its versions."""
    offline = {"HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1", "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    watch = Watch()
    with tables.open(encoding="utf-8") as source:
        done = subprocess.run(
            [python, HERE / "run_verdicts.py", tool.name],
            stdin=source,
            capture_output=True,
            text=True,
            env=os.environ | offline,
        )
    seconds = watch.read()
    if done.returncode:
        raise RuntimeError(f"{tool.name} ended with status {done.returncode}: {done.stderr[-2000:]}")
    answer = json.loads(done.stdout)
    blank = gold.figures(
        gold.lines({table: [[] for _ in columns] for table, columns in next(iter(answer["settings"].values())).items()})
    )
    results = []
    for setting, answers in answer["settings"].items():
        figures = gold.figures(gold.lines(answers))
        blanked = blank if tool.name in HEADERS_ONLY else figures
        results.append(Result(tool.name, setting, rows, *seconds, figures, blanked))
    return results, answer["versions"]


def closed_part(data: Path, folder: Path) -> Path:
    """A data folder with the closed third of the sources alone."""
    sys.path.insert(0, str(ROOT / "models"))
    from labelled import is_closed

    out = folder / "closed"
    (out / "tables").mkdir(parents=True)
    with (data / "sources.csv").open(encoding="utf-8", newline="") as file:
        names = {r["table_file"] for r in csv.DictReader(file) if is_closed(r["repo_or_package"])}
    for path in ("labels.csv", "sources.csv", "formats.csv"):
        with (data / path).open(encoding="utf-8", newline="") as file, (out / path).open("w", newline="") as to:
            rows = csv.DictReader(file)
            writer = csv.DictWriter(to, rows.fieldnames or ())
            writer.writeheader()
            writer.writerows(row for row in rows if row["table_file"] in names)
    for name in names:
        (out / "tables" / name).symlink_to((data / "tables" / name).resolve())
    (out / "load_tables.py").write_bytes((data / "load_tables.py").read_bytes())
    return out


def ask_piiscan(data: Path, folds: Path | None, rows: int | None, gold: Gold, folder: Path) -> Result:
    """By way of accuracy.py, which judges each table by a model that has seen no table of its source."""
    figures: list[dict[str, Any]] = []
    seconds: list[tuple[float, float]] = []
    for blank in ((), ("--blank",)):
        path = folder / "piiscan.jsonl"
        command = [
            sys.executable,
            "-m",
            "benchmarks.accuracy",
            data.resolve(),
            *(("--folds", folds.resolve()) if folds else ()),
            "-o",
            path,
            *blank,
        ]
        watch = Watch()
        cut = ("--rows", str(rows)) if rows else ()
        subprocess.run([*command, *cut], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        seconds.append(watch.read())
        figures.append(gold.figures([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]))
    return Result("piiscan", "", rows, *seconds[0], figures[0], figures[1])


def _name(result: Result) -> str:
    return f"{result.tool} ({result.setting})" if result.setting else result.tool


def markdown(results: Sequence[Result], about: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    lines = [
        "# Verdicts on columns, beside peers",
        "",
        f"Measured on {about['date']} on {about['columns']:,} labelled columns of {about['tables']} tables; "
        f"{about['cpus']} cores, {about['machine']}; Python {about['python']}, {versions}.",
        "Peers' labels are read in the way that is kindest to them. *Alarms*: tables without personal data in "
        "which anything, or a direct identifier, is claimed.",
        "",
        "| tool | rows a table | headers | direct, precision | direct, recall | anything personal, F1 | "
        "macro-F1 | alarms | direct alarms | CPU seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        cases = [("yes", result.headers), ("blanked", result.blanked)]
        for name, f in [("unread", result.headers)] if result.headers == result.blanked else cases:
            alarms = " | ".join(f"{100 * f[key] / f['clean']:.1f} %" for key in ("alarmed", "alarmed_direct"))
            lines.append(
                f"| {_name(result)} | {result.rows or 'all'} | {name} | {f['direct_precision']:.3f} | "
                f"{f['direct_recall']:.3f} | "
                f"{f['any_f1']:.3f} | {f['macro_f1']:.3f} | {alarms} | {result.cpu_seconds:,.0f} |"
            )
    ours = next(r.headers["types"] for r in results if r.tool == "piiscan" and r.rows)
    lines += [
        "",
        "Macro-F1 over those types alone of which a peer finds any, and piiscan's over the same (as many rows, "
        "with headers):",
        "",
    ]
    lines += ["| peer | types | peer's | piiscan's |", "|---|---|---|---|"]
    for result in results:
        if found := {label: f1 for label, f1 in result.headers["types"].items() if f1 and result.tool != "piiscan"}:
            means = " | ".join(f"{sum(types[label] for label in found) / len(found):.2f}" for types in (found, ours))
            lines.append(f"| {_name(result)} | {len(found)} | {means} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("cache", type=Path, help="a folder for the peers' environments")
    by = parser.add_mutually_exclusive_group(required=True)
    by.add_argument("--folds", type=Path, help="models by fold, and folds.json")
    by.add_argument("--closed", action="store_true", help="the closed third of the sources, by the model that ships")
    parser.add_argument("--rows", type=int, default=200, help="of each table, for the peers and once for piiscan")
    parser.add_argument("--peers", default=",".join(t.name for t in PEERS), help="which, by commas")
    parser.add_argument("--scorer", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    args = parser.parse_args()
    scorer = args.scorer or args.data.resolve().parent.parent / "score.py"
    args.cache.mkdir(parents=True, exist_ok=True)
    pythons = {
        tool: prepare(tool, args.cache.resolve())
        for tool in (READER, *PEERS)
        if tool is READER or tool.name in args.peers.split(",")
    }
    results: list[Result] = []
    versions = {"piiscan": __version__}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = closed_part(args.data, folder) if args.closed else args.data
        gold = Gold(data, scorer)
        with (folder / "tables.jsonl").open("w", encoding="utf-8") as tables:
            subprocess.run(
                [pythons[READER], HERE / "run_verdicts.py", "read", data, str(args.rows)],
                stdout=tables,
                check=True,
            )
        results += [ask_piiscan(data, args.folds, rows, gold, folder) for rows in (None, args.rows)]
        for tool in PEERS:
            if tool in pythons:
                print(f"asking {tool.name}", file=sys.stderr)
                found, theirs = ask_peer(tool, pythons[tool], folder / "tables.jsonl", args.rows, gold)
                results += found
                versions |= theirs
    about = {
        "date": dt.date.today().isoformat(),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "rows": args.rows,
        "versions": versions,
        "tables": len({row["table_file"] for row in gold.rows}),
        "columns": sum(row["n_nonempty"] != "0" for row in gold.rows),
    }
    page = markdown(results, about)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"verdicts-{about['date']}.json").write_text(
        json.dumps(about | {"results": [asdict(r) for r in results]}, indent=1) + "\n", encoding="utf-8"
    )
    (args.out / f"verdicts-{about['date']}.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
