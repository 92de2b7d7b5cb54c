"""Finds the part of a plan for a table, in the order of its columns, and their places in the output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from piiscan.core import source_globs
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import DType, InName, Member, NotScanned, Skipped, TableInfo
from piiscan.io import inputs
from piiscan.io.printed_names import evident, shown
from piiscan.io.read_options import ReadOptions
from piiscan.io.sql_text import holds_sql
from piiscan.io.write.change import Rewritten
from piiscan.masking.operators import elements, operator_registry
from piiscan.masking.operators.preconditions import SCALARS
from piiscan.masking.plan import renames
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import printable_names

if TYPE_CHECKING:
    from piiscan.core.types import Table


def tables_below(
    path: Path, root: Path, rules: RuleSet, read: ReadOptions
) -> Iterator[tuple[Table, TableInfo] | NotScanned]:
    """All rows of all tables below `path`, each with its name in a plan of `root`; and what can't be read."""
    for item in inputs.discover([str(path)], read._replace(asides=False, rows=None)):
        if isinstance(item, NotScanned):
            yield item
        elif not isinstance(item, Skipped | InName):
            yield item, printable_names.printable(relative(item.info, root, rules), rules)


def find(plan: Plan, info: TableInfo) -> TablePlan:
    """The table's plan, as of its own source and with its own columns. Raises `UsageError`."""
    found = entry_of(plan, info)
    by_name = any(alike(found.source, info.source) for alike in (_by_glob, _by_name, _by_end))
    found = _without_keys(found, info)
    return replace(found, source=info.source) if by_name else found


def entry_of(plan: Plan, info: TableInfo) -> TablePlan:
    """The table's plan as it is written. Raises `UsageError` where there is none.

    It is looked for in this order: its own source and name; the glob of its data set; another glob that matches its
    source; a file whose name differs only in a date, a number, a hash or a partition key; a glob that ends in its
    source (a folder of a data set, masked by itself); the only table of the plan.
    """
    named = [t for t in plan.tables if t.table == info.table]
    for alike in (_is, _by_own_glob, _by_glob, _by_name, _by_end):
        if found := [t for t in named if alike(t.source, info.source)]:
            return _one_of(found, info)
    if len(plan.tables) == 1:
        return plan.tables[0]
    name = info.source if info.table is None else f"{info.source}::{info.table}"
    raise UsageError(
        f"the plan has no table {name}; make a new one with `piiscan plan`, which keeps people's decisions"
    )


def may_lie_in(plan: Plan, table: TablePlan, inputs: Iterable[str]) -> bool:
    """Whether one of these files and folders may hold a table that this part of the plan is for.

    Their paths are relative to the root.
    """
    ends = [i for i, c in enumerate(table.source) if c in "/!"]
    around = [table.source, *(table.source[:end] for end in ends)]
    return any(
        one == "." or len(plan.tables) == 1 or any(alike(a, one) for a in around for alike in (_is, _by_glob, _by_name))
        for one in inputs
    )


def _is(known: str, source: str) -> bool:
    return known == source


def _by_own_glob(glob: str, source: str) -> bool:
    return glob == source_globs.glob_of(source)


def _by_glob(glob: str, source: str) -> bool:
    return source_globs.is_glob(glob) and source_globs.matches(source, glob)


def _by_name(known: str, source: str) -> bool:
    glob = source_globs.glob_of(source)
    return glob is not None and glob == source_globs.glob_of(known)


def _by_end(glob: str, source: str) -> bool:
    end = "/".join(glob.split("/")[-1 - source.count("/") :])
    return source_globs.is_glob(end) and end != glob and source_globs.matches(source, end)


def _one_of(plans: Sequence[TablePlan], info: TableInfo) -> TablePlan:
    """The table's plan out of several whose sources fit: the one with its columns."""
    if len(plans) == 1:
        return plans[0]
    here = set(labels([field.name for field in info.fields]))
    sources = (info.source, *(plan.source for plan in plans))
    keys = {key for source in sources for key, _ in source_globs.partition_keys(source)}
    fitting = [plan for plan in plans if here <= set(labels([a.name for a in plan.columns])) <= here | keys]
    if len(fitting) == 1:
        return fitting[0]
    raise UsageError(
        f"{info.source}: the plan has several tables for it: "
        f"{', '.join(sorted(plan.source for plan in plans))}; write its own path as the source of the intended "
        "one"
    )


def _without_keys(plan: TablePlan, info: TableInfo) -> TablePlan:
    """The plan without the keys of partitions, which are in the names of folders.

    Raises `UsageError` where one is to be masked.
    """
    here = {field.name for field in info.fields}
    # Where a partition is masked by itself, its keys stand above the folder, and only the plan's source tells them.
    keys = {key for source in (info.source, plan.source) for key, _ in source_globs.partition_keys(source)} - here
    for action in plan.columns:
        if action.name in keys and action.operator != "keep":
            raise UsageError(
                f"{info.source}: {action.name} is a partition key, whose values are names of folders, which "
                f'`mask` doesn\'t change, and the plan has {action.operator} for it: write operator = "keep" if '
                f"they may stay, or write the files again with {action.name} as a column, and make a new plan "
                "with `piiscan plan`"
            )
    return replace(plan, columns=tuple(a for a in plan.columns if a.name not in keys))


def fitted(plan: TablePlan, info: TableInfo, new_columns: str = "error") -> TablePlan:
    """The plan in the order of a table's columns, with their types.

    Where an operator masks texts alone, cells of other types become texts with `as_planned`. Raises `UsageError` where
    a column is unknown, missing, or of a type that its operator can't mask.
    """
    known = dict(zip(labels([a.name for a in plan.columns]), plan.columns, strict=True))
    here = labels([f.name for f in info.fields])
    there = set(here)
    if missing := [label for label in known if label not in there]:
        raise UsageError(f"{info.source}: it lacks the plan's column {missing[0]}; make a new plan with `piiscan plan`")
    columns = []
    new_index = {a.index: i for i, label in enumerate(here) if (a := known.get(label))}
    for i, (label, field) in enumerate(zip(here, info.fields, strict=True)):
        planned = known.get(label)
        action = None if planned is None else _of_type(planned, field.dtype)
        if action is None:
            what = (
                "isn't in the plan"
                if planned is None
                else f"is {field.dtype} here and {planned.dtype} in the plan, and {planned.operator} can't mask it so"
            )
            if new_columns != "suppress":
                raise UsageError(
                    f"{info.source}: column {label} {what}; make a new plan with `piiscan plan`, or use "
                    "--new-columns suppress"
                )
            columns.append(Action(i, field.name, field.dtype, None, "none", "suppress"))
            continue
        columns.append(action if action.index == i else replace(action, index=i))
    subjects = tuple(replace(s.at(new_index.__getitem__), columns=()) for s in plan.subjects)
    return TablePlan(plan.source, plan.table, tuple(columns), subjects, plan.drop_rows, plan.notes)


def planned(plan: Plan, table: Table, shown: TableInfo, new_columns: str = "error") -> TablePlan | None:
    """The table's plan, fitted to it; None for SQL that the plan doesn't know, as that has no output.

    Raises `UsageError`.
    """
    try:
        return fitted(find(plan, shown), shown, new_columns)
    except UsageError:
        content = getattr(getattr(table, "origin", None), "content", None)
        if content is not None and holds_sql(shown, content):
            return None
        raise


def _of_type(action: Action, dtype: DType) -> Action | None:
    """The action for a column that has another type than the plan says; None where its operator can't mask it."""
    if action.dtype == dtype:
        return action
    operator = operator_registry.make(action.operator, action.params)
    ways: tuple[DType, ...] = (dtype, "string") if dtype in SCALARS else (dtype,)
    for masked in ways:
        with suppress(UsageError):
            elements.dtype(operator, masked)
            return replace(action, dtype=masked, cast=(dtype, action.dtype))
    return None


def masked_places(plan: TablePlan, output: TableInfo) -> dict[int, int]:
    """Index of each masked column in the plan → its position in the output, matched by name."""
    stay = renames.left(plan.columns, plan.source)
    here = {label: i for i, label in enumerate(labels([f.name for f in output.fields]))}
    return {
        action.index: here[label]
        for (action, _), label in zip(stay, labels([name for _, name in stay]), strict=True)
        if label in here and action.operator != "keep"
    }


Told = TypeVar("Told", TableInfo, NotScanned, Member)


def relative(info: Told, root: Path, rules: RuleSet | None = None) -> Told:
    """The table's info with paths relative to the masked folder.

    A plan then fits wherever that folder is, and a report doesn't reveal where.
    """
    folder = shown(str(root), rules)
    if info.source == folder:
        return info._replace(source=".")
    prefix = folder.rstrip("/") + "/"
    source = info.source.removeprefix(prefix) if prefix != "./" else info.source.removeprefix("./")
    return info._replace(source=source)


_FIXED_NAMES = ("json", "jsonl", "avro", "sqlite", "duckdb")


def check_names(info: TableInfo, printed: TableInfo) -> None:
    """Check that no name in the output identifies a person.

    Raises `ReadError` for a table whose own name, or a column's, identifies somebody and would be in the output as it
    is.

    A column's name is replaced by its position where the format lets names change.
    """
    # A workbook's writer gives such a sheet the name that is printed.
    if printed.table != info.table and not (info.format == "excel" and evident(info.table or "", None)):
        raise ReadError("the name of a table in it identifies a person; rename the table first")
    renamed = any(old.name != new.name for old, new in zip(info.fields, printed.fields, strict=True))
    if renamed and info.format in _FIXED_NAMES:
        raise ReadError(
            f"the name of a column identifies a person, and columns of {info.format} keep their names; rename it first"
        )


def same_lists(plan: Plan) -> None:
    """Raises `UsageError` where the lists that surrogates are drawn from aren't those of the plan."""
    from piiscan.masking.surrogates.name_lists import check_digest

    for locale, digest in plan.lists.items():
        check_digest(locale, digest)


def printable_failures(rewritten: Rewritten, rules: RuleSet) -> Rewritten:
    """What was written, its failures without names of tables that identify somebody."""
    return rewritten._replace(left_out=tuple(printable_names.printable_failure(f, rules) for f in rewritten.left_out))
