"""How long scans and masks of dumps take beside those of the same rows as CSV.

`python -m benchmarks.dumps FOLDER` makes the people table below FOLDER and dumps of it (kept for the next run), and
writes `benchmarks/results/dumps-DATE.json` and `dumps.md`. The dumps: COPY, many rows a statement and one row a
statement as `pg_dump` writes them, and `mysqldump`'s. Whole processes are measured, in turn, each dump right behind the
CSV that it is compared with, and CPU seconds count: ratios are medians of the pairs'. All 14 columns are masked by
`mask_all.toml`, and the output is verified; a million rows take more than the default budget of memory, of CSV too.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from benchmarks import processes
from benchmarks.mask_speed import COLUMNS, Command, mask, plan, table
from benchmarks.processes import Run

GOALS: Final = {"scan": 1.6, "mask": 1.4}
"""Most CPU seconds, as a multiple of what the same rows take as CSV."""
MEMORY: Final = "6GB"
"""What masks may take."""
FOUND: Final = (0, 1)
"""Ends of a scan that read everything."""
TYPES: Final = {"id": "integer", "dob": "date", "amount": "numeric(10,2)"}
MYSQL_TYPES: Final = TYPES | {"id": "int", "amount": "decimal(10,2)"}
BARE: Final = ("id", "amount")
"""Columns that INSERT writes without quotes."""
TOP: Final = "-- PostgreSQL database dump\n\nSET client_encoding = 'UTF8';\nSET standard_conforming_strings = on;\n\n"
END: Final = "\n--\n-- PostgreSQL database dump complete\n--\n"
MANY: Final = 100
"""Rows a statement, where there are many."""
MYSQL_MANY: Final = 4_000
"""About as many rows of this table as `mysqldump` puts into a statement."""
DUMPS: Final = ("COPY", "many rows a statement", "one row a statement", "mysqldump")


def dump(kind: str, source: Path, target: Path) -> None:
    """The rows of a CSV as a dump. In a process of its own: what it holds would count into the peaks."""
    import polars as pl

    frame = pl.read_csv(source, infer_schema=False)
    types = MYSQL_TYPES if kind == "mysqldump" else TYPES
    columns = ",\n".join(f"    {name} {types.get(name, 'text')}" for name in frame.columns)
    is_copy, is_mysql = kind == "COPY", kind == "mysqldump"
    comma = "," if is_mysql else ", "
    with open(target, "w", encoding="utf-8") as out:
        if is_mysql:
            out.write("-- MySQL dump 10.13  Distrib 8.0\n\n/*!40101 SET NAMES utf8mb4 */;\n")
            out.write(f"CREATE TABLE `people` (\n{columns}\n);\n")
        else:
            out.write(f"{TOP}CREATE TABLE public.people (\n{columns}\n);\n\n\n")
        if is_copy:
            out.write(f"COPY public.people ({', '.join(frame.columns)}) FROM stdin;\n")
            out.write(frame.write_csv(include_header=False, separator="\t", quote_style="never"))
            out.write(f"\\.\n{END}")
            return
        rows = frame.select(
            pl.concat_str(
                [
                    pl.col(name) if name in BARE else "'" + pl.col(name).str.replace_all("'", "''") + "'"
                    for name in frame.columns
                ],
                separator=comma,
            )
        ).to_series()
        words, between, many = {
            "one row a statement": ("INSERT INTO public.people VALUES ", "", 1),
            "many rows a statement": ("INSERT INTO public.people VALUES\n\t", ",\n\t", MANY),
            "mysqldump": ("INSERT INTO `people` VALUES ", ",", MYSQL_MANY),
        }[kind]
        for start in range(0, len(rows), many):
            out.write(f"{words}({(')' + between + '(').join(rows[start : start + many].to_list())});\n")
        out.write("-- Dump completed\n" if is_mysql else END)


def made(kind: str, source: Path, folder: Path) -> Path:
    path = folder / f"{kind.replace(' ', '-').lower()}-{source.stem}.sql"
    if not path.exists():
        part = path.with_suffix(".part")
        code = "import sys; from pathlib import Path; from benchmarks.dumps import dump"
        code += "; dump(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))"
        processes.run([sys.executable, "-c", code, kind, source, part])
        part.rename(path)
    return path


def pair(command: Callable[[Path], Command], paths: Sequence[Path], statuses: tuple[int, ...]) -> list[Run]:
    return [processes.run(command(path), statuses=statuses) for path in paths]


def page(about: dict[str, Any], runs: dict[str, dict[str, list[list[Run]]]]) -> str:
    lines = [
        processes.heading(about, about["rounds"]),
        f"{about['rows']:,} rows of {COLUMNS} columns. CPU seconds of whole processes; × CSV is "
        "the median of the pairs' ratios.\n",
        "| | MB | | CSV, CPU s | dump, CPU s | × CSV | asked | peak, MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind, by_step in runs.items():
        for step, pairs in by_step.items():
            ratio = statistics.median(dump.cpu / csv.cpu for csv, dump in pairs)
            most, (csv, dumped) = GOALS[step], (statistics.median(p[i].cpu for p in pairs) for i in (0, 1))
            lines.append(
                f"| {kind} | {about['megabytes'][kind]:.0f} | {step} | {csv:.1f} | {dumped:.1f} | {ratio:.2f} | "
                f"≤ {most}: {'met' if ratio <= most else 'missed'} | {max(p[1].peak for p in pairs):.0f} |"
            )
    return "\n".join(lines) + "\n"


def benchmark(
    folder: Path, rows: int, rounds: int, kinds: Sequence[str], steps: Sequence[str], out: Path | None
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    about = processes.machine() | {"rounds": rounds, "rows": rows, "megabytes": {}}
    source, key = table(folder, rows), folder / "key"
    key.write_text(secrets.token_hex(32), encoding="utf-8")
    key.chmod(0o600)
    runs: dict[str, dict[str, list[list[Run]]]] = {}
    of_csv = plan("mask_all", source, folder).rename(folder / "csv.toml")
    for kind in kinds:
        path = made(kind, source, folder)
        about["megabytes"][kind] = path.stat().st_size / 1e6
        of_dump = plan("mask_all", path, folder).rename(folder / "dump.toml")

        def masked(one: Path, of_dump: Path = of_dump) -> Command:
            its_plan = of_csv if one == source else of_dump
            return mask(one, its_plan, key, folder / f"masked{one.suffix}", "--memory", MEMORY)

        def scanned(one: Path) -> Command:
            return [processes.PIISCAN, "scan", one, "-f", "json", "-q"]

        commands = {"scan": (scanned, FOUND), "mask": (masked, (0,))}
        runs[kind] = {step: [] for step in steps}
        for _ in range(rounds):
            for step, pairs in runs[kind].items():
                command, statuses = commands[step]
                csv, dumped = pair(command, (source, path), statuses)
                pairs.append([csv, dumped])
                print(f"{kind}, {step}: {csv.cpu:.1f} and {dumped.cpu:.1f} CPU s", file=sys.stderr)
        for suffix in (".csv", ".sql"):
            (folder / f"masked{suffix}").unlink(missing_ok=True)
    about["runs"] = {
        kind: {step: [[asdict(run) for run in two] for two in pairs] for step, pairs in by_step.items()}
        for kind, by_step in runs.items()
    }
    text = page(about, runs)
    if out is not None:
        processes.save("dumps", about, text, out)
    print(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files are, or will be")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is run")
    parser.add_argument("--only", nargs="*", choices=DUMPS, default=DUMPS)
    parser.add_argument("--steps", nargs="*", choices=tuple(GOALS), default=tuple(GOALS))
    parser.add_argument("--no-save", action="store_true", help="print the page, and write nothing to the results")
    args = parser.parse_args()
    benchmark(args.folder, args.rows, args.rounds, args.only, args.steps, None if args.no_save else processes.RESULTS)


if __name__ == "__main__":
    main()
