"""How fast a table is masked from file to file: beside what polars takes to only read and write it, and beside
presidio-structured.

`python -m benchmarks.mask_speed FOLDER` makes the people table below FOLDER, and an environment for the peer (both kept
for the next run), and writes `benchmarks/results/mask-speed-DATE.json` and `mask-speed.md`. Whole processes are timed,
in turn, so that a slow minute of the machine slows all of them. *all*: all 14 columns of 1,000,000 rows masked by
`mask_all.toml`, each row's person made up, without verification and with it. *same*: the operators that the peer has
too, `mask_same.toml`, over the same rows; the peer gets the first of them, and the seconds of its `anonymize` count
alone, without start-up, reading and writing, which piiscan's include.
"""

from __future__ import annotations

import argparse
import json
import secrets
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, Final

from benchmarks import processes
from benchmarks.peers.compare import Tool, prepare
from benchmarks.processes import Run

# Read as text, in a stream.
COPY = "import sys; import polars as pl; pl.scan_csv(sys.argv[1], infer_schema=False).sink_csv(sys.argv[2])"
COLUMNS: Final = 14
PEER: Final = ("presidio-structured==0.0.10", "presidio-anonymizer==2.2.366", "pandas==3.1.1", "faker==40.54.0")
BYTES_A_ROW: Final = 280
GOALS: Final = {"all": 1.8e6, "all, verified": 0.8e6}
"""Cells a second."""
TIMES_PEER: Final = 30
Command = list[str | Path]


def table(folder: Path, rows: int) -> Path:
    """The first rows of the generator's people, made where they are missing."""
    path = folder / f"people-{rows}.csv"
    if not path.exists():
        whole = folder / f"people-{rows}.all.csv"
        size = rows * BYTES_A_ROW / 1e6
        processes.run(
            [
                sys.executable,
                processes.ROOT / "benchmarks" / "generate.py",
                "people",
                whole,
                "--megabytes",
                f"{size:g}",
                "--seed",
                "6",
            ]
        )
        cut(whole, path, rows)
        whole.unlink()
    return path


def cut(source: Path, target: Path, rows: int) -> Path:
    """The first rows of a table whose cells hold no line feeds. Raises RuntimeError where there are fewer."""
    written = 0
    with open(source, "rb") as lines, open(target, "wb") as out:
        for line in islice(lines, rows + 1):
            out.write(line)
            written += 1
    if written != rows + 1:
        target.unlink()
        raise RuntimeError(f"{source.name} has fewer than {rows} rows")
    return target


def plan(policy: str, source: Path, folder: Path) -> Path:
    """The plan that a policy beside this file gives a table of the same columns."""
    path = folder / f"{policy}.toml"
    path.unlink(missing_ok=True)
    processes.run(
        [
            processes.PIISCAN,
            "plan",
            source,
            "--policy",
            processes.ROOT / "benchmarks" / f"{policy}.toml",
            "-o",
            path,
            "-q",
        ]
    )
    return path


def mask(source: Path, made: Path, key: Path, out: Path, *options: str) -> Command:
    return [
        processes.PIISCAN,
        "mask",
        source,
        "--plan",
        made,
        "--key",
        f"file:{key}",
        "-o",
        out,
        "--overwrite",
        "-q",
        *options,
    ]


def peer_seconds(python: Path, source: Path, out: Path, rows: int) -> float:
    """What the peer's `anonymize` takes for a table. Raises RuntimeError where it doesn't mask all rows."""
    answer = out.with_suffix(".json")
    processes.run([python, processes.ROOT / "benchmarks" / "peers" / "run_mask.py", source, out], answer)
    told = json.loads(answer.read_text(encoding="utf-8"))
    if told["rows"] != rows:
        raise RuntimeError(f"the peer masked {told['rows']} rows of {rows}")
    return float(told["seconds"])


def median(runs: Sequence[Run], of: Callable[[Run], float] = lambda run: run.seconds) -> float:
    return statistics.median(map(of, runs))


def goal(value: float, least: float) -> str:
    return f"≥ {least:,.0f}: {'met' if value >= least else 'missed'}"


def page(about: dict[str, Any], runs: dict[str, list[Run]], big: dict[str, Run]) -> str:
    """The results as Markdown."""
    cells, copied = about["rows"] * COLUMNS, median(runs["copy"])
    lines = [
        processes.heading(about, about["rounds"]),
        f"{about['rows']:,} rows of {COLUMNS} columns, {about['megabytes']:.0f} MB of CSV, from file to file.\n",
        "| | s | CPU, s | cells/s | cells per CPU second | × copy | peak, MB | goal, cells/s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for which, each in runs.items():
        speed = cells / median(each)
        lines.append(
            f"| {which} | {median(each):.2f} | {median(each, lambda run: run.cpu):.2f} | {speed:,.0f} | "
            f"{cells / median(each, lambda run: run.cpu):,.0f} "
            f"| {median(each) / copied:.1f} | {max(run.peak for run in each):.0f} | "
            f"{goal(speed, GOALS[which]) if which in GOALS else ''} |"
        )
    if seconds := about["peer_seconds"]:
        peer, own = about["peer_rows"] * COLUMNS / statistics.median(seconds), cells / median(runs["same"])
        lines += [
            "",
            f"{' '.join(PEER[:2])}: {peer:,.0f} cells/s on {about['peer_rows']:,} rows, {own / peer:.0f} times "
            "less than piiscan on the same operators "
            f"({goal(own / peer, TIMES_PEER)}), by medians.",
        ]
    for which, run in big.items():
        lines += [
            "",
            f"{about['big_megabytes']:.0f} MB, {which}: {run.seconds:.0f} s, {run.cpu:.0f} CPU seconds, peak "
            f"{run.peak:.0f} MB.",
        ]
    return "\n".join(lines) + "\n"


def benchmark(folder: Path, rows: int, peer_rows: int, big_rows: int, rounds: int, out: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    about = processes.machine() | {
        "rounds": rounds,
        "rows": rows,
        "peer_rows": peer_rows,
        "peer": PEER if peer_rows else (),
    }
    source, masked, key = table(folder, rows), folder / "masked.csv", folder / "key"
    key.write_text(secrets.token_hex(32), encoding="utf-8")
    key.chmod(0o600)
    every, same = plan("mask_all", source, folder), plan("mask_same", source, folder)
    commands: dict[str, Command] = {
        "copy": [sys.executable, "-c", COPY, source, masked],
        "all": mask(source, every, key, masked, "--no-verify"),
        "all, verified": mask(source, every, key, masked),
        "same": mask(source, same, key, masked, "--no-verify"),
    }
    about["megabytes"] = source.stat().st_size / 1e6
    about["peer_seconds"] = []
    runs: dict[str, list[Run]] = {which: [] for which in commands}
    processes.run(commands["copy"])  # fills the page cache
    python = prepare(Tool("presidio-structured", "presidio-mask", PEER, 0), folder) if peer_rows else None
    few = cut(source, folder / f"people-{peer_rows}.csv", peer_rows) if peer_rows else source
    for _ in range(rounds):
        for which, command in commands.items():
            runs[which].append(processes.run(command))
            print(f"{which}: {runs[which][-1].seconds:.1f} s", file=sys.stderr)
        if python is not None:
            about["peer_seconds"].append(peer_seconds(python, few, masked, peer_rows))
    big: dict[str, Run] = {}
    if big_rows:
        large = table(folder, big_rows)
        about["big_megabytes"] = large.stat().st_size / 1e6
        for which, options in (("all", ("--no-verify",)), ("all, verified", ())):
            big[which] = processes.run(mask(large, every, key, masked, *options))
    masked.unlink()
    about["runs"] = {which: [asdict(run) for run in each] for which, each in runs.items()}
    about["big"] = {which: asdict(run) for which, run in big.items()}
    text = page(about, runs, big)
    processes.save("mask-speed", about, text, out)
    print(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files and the peer's environment are, or will be")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--peer-rows", type=int, default=20_000, help="rows that the peer gets; 0 leaves it out")
    parser.add_argument("--big-rows", type=int, default=8_000_000, help="rows of the large table; 0 leaves it out")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is run (the large table: once)")
    parser.add_argument("--out", type=Path, default=processes.RESULTS)
    args = parser.parse_args()
    benchmark(args.folder, args.rows, args.peer_rows, args.big_rows, args.rounds, args.out)


if __name__ == "__main__":
    main()
