"""The Python interface: synthetic tables that refer to each other."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from piiscan.api.table_input import is_path, table_source
from piiscan.api.verbs import verb
from piiscan.core import memory
from piiscan.core.errors import UsageError
from piiscan.dp.privacy import Privacy
from piiscan.dp.run.accounts import find_budget
from piiscan.io.native_frames import like
from piiscan.io.table_source import Source, column_names
from piiscan.synthesis.linked import plans
from piiscan.synthesis.linked.contributions import Progress
from piiscan.synthesis.linked.result import SyntheticTables
from piiscan.synthesis.linked.run import charge_and_draw_tables
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable, load


@verb
def synthesize_tables(
    data: Any,
    privacy: Privacy,
    schema: str | os.PathLike[str] | Mapping[str, Any],
    *,
    n: int | None = None,
    progress: Progress | None = None,
) -> SyntheticTables:
    """Draw synthetic tables that refer to each other, with differential privacy, and charge the budget once.

    data: the tables by name, each a frame or the path of a file; or the path of a folder, in which each table is the
    file of its name. privacy: the total cost of all tables; its `unit` is the key of the table without a parent, each
    value of which is one person, with all rows that refer to it. schema: a file, or its content, that declares tables:
    their keys, which table each refers to, at most how many rows of one parent count, and what is known of columns.
    n: the number of rows of the table without a parent, by default about as many as there are.

    Guarantee: see `piiscan.synthesis.linked.run.charge_and_draw_tables`. Raises `MissingExtra`, `BudgetError`,
    `UsageError` and `ReadError`.
    """
    memory.begin()
    declared = load(schema)
    if n is not None and n < 1:
        raise UsageError("--rows must be at least 1")
    root = declared.root
    if privacy.unit != root.key or privacy.max_rows != 1:
        raise UsageError(
            f"the people of linked tables are the values of {root.key}, the key of {root.name}: name that column with "
            "--unit; the schema says how many rows of theirs count, as max_rows"
        )
    sources = _sources(data, declared)
    ledger, dataset = find_budget(sources[root.name], privacy.dataset, privacy.ledger)
    request = plans.root_request(declared, dataset, privacy.version, float(privacy.epsilon), float(privacy.delta))
    columns = {name: column_names(source.opened().info.fields) for name, source in sources.items()}
    read = {name: source.batches for name, source in sources.items()}
    text, repeated, frames = charge_and_draw_tables(read, declared, request, ledger, privacy.budget, n, progress)
    given = {name: data if is_path(data) else data[name] for name in sources}
    made = {
        name: like(_native(given[name]), frame.select([column for column in columns[name] if column in frame.columns]))
        for name, frame in frames.items()
    }
    left_out = {table.name: _left_out(table, columns[table.name]) for table in declared.tables}
    return SyntheticTables(text, repeated, made, left_out)


def _native(data: Any) -> Any:
    return data.data if isinstance(data, Source) else data


def _left_out(table: LinkedTable, names: list[str]) -> tuple[tuple[int, str], ...]:
    known = {*dict(table.columns), table.key, table.reference}
    return tuple((i, name) for i, name in enumerate(names) if name not in known)


def _sources(data: Any, schema: LinkedSchema) -> dict[str, Source]:
    """Return the source of each table. Raises `UsageError` where there is none, or several."""
    names = [table.name for table in schema.tables]
    if is_path(data):
        return {name: table_source(file_of([Path(data)], name)) for name in names}
    if not isinstance(data, Mapping):
        raise UsageError("data must be tables by name, or the path of a folder")
    for name in names:
        if name not in data:
            raise UsageError(f"table {name}: the schema declares it, and it isn't among the data")
    return {name: table_source(data[name]) for name in names}


def file_of(paths: Sequence[Path], name: str) -> Path:
    """Return the file of a table among files and those in folders: the one of its name. Raises `UsageError`."""
    every = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    found = [file for file in every if file.is_file() and file.name.partition(".")[0] == name]
    if len(found) != 1:
        raise UsageError(
            f"table {name}: there {'are several files' if found else 'is no file'} of its name, {name}.csv"
        )
    return found[0]
