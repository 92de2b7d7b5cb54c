"""The Python interface: synthetic tables that refer to each other."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from piiscan.api.made_up_people import People, filled
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
    people: Mapping[str, People] | str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> SyntheticTables:
    """Draw synthetic tables that refer to each other, with differential privacy, and charge the budget once.

    data: the tables by name, each a frame or the path of a file; or the path of a folder, in which each table is the
    file of its name. privacy: the total cost of all tables; its `unit` is the key of the table without a parent, each
    value of which is one person, with all rows that refer to it. schema: a file, or its content, that declares tables:
    their keys, which table each refers to, at most how many rows of one parent count, what is known of columns, and
    which constraints each row satisfies.
    n: the number of rows of the table without a parent, by default about as many as there are. people: the columns of
    names and addresses to fill with made-up people who fit the rows, by table; or the path of a file with these.

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
    tables = sources(data, declared)
    fill = _people(people, declared)
    ledger, dataset = find_budget(tables[root.name], privacy.dataset, privacy.ledger)
    request = plans.root_request(declared, dataset, privacy.version, float(privacy.epsilon), float(privacy.delta))
    columns = {name: column_names(source.opened().info.fields) for name, source in tables.items()}
    read = {name: source.batches for name, source in tables.items()}
    text, repeated, frames = charge_and_draw_tables(read, declared, request, ledger, privacy.budget, n, progress)
    given = {name: data if is_path(data) else data[name] for name in tables}
    made, left_out, made_up = dict[str, Any](), dict[str, tuple[tuple[int, str], ...]](), dict[str, tuple[str, ...]]()
    for table in declared.tables:
        name, own = table.name, fill.get(table.name)
        made_up[name] = () if own is None else tuple(own.columns)
        left_out[name] = _left_out(table, columns[name], made_up[name])
        # Each table has a seed of its own; else its n-th row would have the same person as that of every other table.
        rows = filled(frames[name], own, tuple(dict(table.declared)), f"{name}\0{text}", columns[name])
        made[name] = like(_native(given[name]), rows)
    satisfied = {table.name: table.constraints.texts for table in declared.tables}
    return SyntheticTables(text, repeated, made, left_out, made_up, satisfied)


def _people(people: Any, schema: LinkedSchema) -> Mapping[str, People]:
    """Return the people of tables by name. Raises `UsageError` where a table can't be filled."""
    found = People.load_tables(people) if is_path(people) else ({} if people is None else people)
    if not isinstance(found, Mapping) or not all(isinstance(own, People) for own in found.values()):
        raise UsageError("people must be piiscan.People by the name of a table, or the path of a file")
    tables = {table.name: table for table in schema.tables}
    for name, own in found.items():
        if name not in tables:
            raise UsageError(f"people: table {name}: the schema doesn't declare it")
        table = tables[name]
        try:
            own.demand(tuple(dict(table.declared)))
        except UsageError as error:
            raise UsageError(f"table {name}: {error}") from None
        if keys := sorted(set(own.columns) & {table.key, table.reference}):
            raise UsageError(
                f"table {name}: people: column {keys[0]} is a key, which is made up already; leave it out of columns"
            )
    return found


def _native(data: Any) -> Any:
    return data.data if isinstance(data, Source) else data


def _left_out(table: LinkedTable, names: list[str], made_up: Sequence[str]) -> tuple[tuple[int, str], ...]:
    known = {*dict(table.declared), *made_up, table.key, table.reference}
    return tuple((i, name) for i, name in enumerate(names) if name not in known)


def sources(data: Any, schema: LinkedSchema) -> dict[str, Source]:
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
