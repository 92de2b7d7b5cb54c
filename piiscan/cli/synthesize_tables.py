"""`piiscan synthesize` for tables that refer to each other: a folder or several files, and a schema of tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click

from piiscan.cli import output

_ALONE: Final = {
    "bounds": "--bounds",
    "edges": "--edges",
    "categories": "--categories",
    "entity": "--entity",
    "constraints": "--constraint",
    "columns": "--columns",
    "private_bins": "--private-bins",
    "table": "--table",
    "one_row_per_person": "--one-row-per-person",
}
"""Options of one table by itself."""


def declares_tables(schema: Path) -> bool:
    """Return whether a schema file declares tables rather than columns."""
    from piiscan.synthesis.linked import schema as schemas

    return schemas.declares_tables(schema)


def refuse(**given: Any) -> None:
    """Refuse options that say nothing about several tables. Raises `click.UsageError`."""
    for name, option in _ALONE.items():
        if given[name]:
            raise click.UsageError(f"{option} is about one table, and the schema declares several; leave it out")
    if given["max_rows"] != 1:
        raise click.UsageError("with a schema of tables, each says max_rows itself; leave --max-rows out")


def run(
    paths: tuple[Path, ...],
    target: Path,
    people: Path | None,
    report: Path | None,
    overwrite: bool,
    quiet: bool,
    verbose: bool,
    given: dict[str, Any],
) -> int:
    """Write synthetic tables into a folder, and report what was measured for them."""
    from piiscan.api.evaluate_tables import evaluate_tables
    from piiscan.api.synthesize_tables import file_of, synthesize_tables
    from piiscan.cli import scan_run, synthesis_ending
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.cli.summarize import privacy, table_source
    from piiscan.core import row_files
    from piiscan.dp.ledger import LEDGER
    from piiscan.report import synthesis_text
    from piiscan.synthesis.linked import schema as schemas

    schema = schemas.load(given["schema"])
    names = [table.name for table in schema.tables]
    files = {name: file_of(paths, name) for name in names}
    ledger = given["ledger"] or files[schema.root.name].parent / LEDGER
    targets = {name: target / f"{name}{_ending(path)}" for name, path in files.items()}
    read = (*paths, *files.values(), ledger, given["schema"], people)
    for file in targets.values():
        output.apart(file, *read)
    output.free(_folder(target), overwrite)
    synthesis_ending.claim_report(report, overwrite, *targets.values(), *read)
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, quiet, verbose) as progress:
        real = {name: table_source(path, given, progress) for name, path in files.items()}
        done = synthesize_tables(
            real,
            privacy(given, ledger),
            given["schema"],
            n=given["n"],
            people=people,
            progress=progress.update,
        )
        target.mkdir(exist_ok=True)
        for name, file in targets.items():
            output.to_file(file, row_files.content(done.frames[name], file))
        if report is not None:
            compared = evaluate_tables(real, done.frames, given["schema"])
            synthesis_ending.write_report(report, compared)
    output.data(synthesis_text.of_tables(done.to_dict()))
    for name, file in targets.items():
        output.say(f"Wrote {done.frames[name].height} rows to {file}.", quiet)
        if done.constraints[name]:
            output.say(f"Every row of {name} satisfies: {'; '.join(done.constraints[name])}.", quiet)
        if done.made_up[name]:
            output.say(f"Made-up people who don't exist, in {name}: {', '.join(done.made_up[name])}.", quiet)
        if done.left_out[name]:
            columns = ", ".join(shown(column, index) for index, column in done.left_out[name])
            output.say(f"Left out of {name}, since they aren't declared: {columns}.", quiet)
    synthesis_ending.say_ending(done, ledger, report, "the real tables", quiet)
    return 0


def shown(name: str, index: int) -> str:
    """Return a column's name; its index if the name could be a cell of a file without a header."""
    return name if name == f"column_{index}" or not any(c.isdigit() or c == "@" for c in name) else f"column_{index}"


def _ending(path: Path) -> str:
    """Return the ending of the file that is written for a file that is read: the same format, or else CSV."""
    from piiscan.core import row_files

    return next((end.lower() for end in reversed(path.suffixes) if end.lower() in row_files.ENDINGS), ".csv")


def _folder(target: Path) -> Path:
    """Return the path, if it is a folder or could become one. Raises `click.BadParameter`."""
    if target.exists() and not target.is_dir():
        raise click.BadParameter(f"{target} is a file; linked tables are written into a folder")
    output.writable(target / "tables" if target.is_dir() else target)
    return target
