"""The Python interface: plans made, read, written, and taken from whoever passes one."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piiscan.api.table_input import is_path, read_options
from piiscan.api.verbs import verb
from piiscan.core import urls
from piiscan.core.errors import ReadError, UsageError, WriteError
from piiscan.core.whole_file import write_whole
from piiscan.masking.plan import plan_toml, plan_types
from piiscan.rules import rule_sets
from piiscan.scanning import engine

if TYPE_CHECKING:
    from piiscan.core.keys import Key


class Plan(plan_types.Plan):
    """What masking does to each column of some tables: names of columns and operators, never a cell value or a key.

    `piiscan.plan` makes one; `load` and `from_toml` read one that people or `piiscan plan` wrote.
    """

    __slots__ = ()

    @classmethod
    @verb
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """The plan in a TOML file. What it names beside itself, such as a vault, is looked for there. Raises
        `UsageError`, which names the table, the column and what is wrong."""
        if not is_path(path):
            raise UsageError(f"a plan is loaded from a path, not from an object of type {type(path).__name__}")
        if "\n" in os.fspath(path):
            raise UsageError("this is the text of a plan, and no path of one; use Plan.from_toml")
        urls.demand_path(path)
        return public(plan_toml.load(Path(path)))

    @classmethod
    @verb
    def from_toml(cls, text: str) -> Plan:
        """The plan of a TOML text. Raises `UsageError`, as `load` does."""
        if not isinstance(text, str):
            raise UsageError(f"a plan is the text of a TOML file, not an object of type {type(text).__name__}")
        return public(plan_toml.loads(text))

    def to_toml(self) -> str:
        """The plan as TOML that people read, edit and commit; the same text for the same plan."""
        return plan_toml.dumps(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_toml` to a file, whole or not at all. A file of this name is written over. Raises
        `WriteError`."""
        if not is_path(path):
            raise UsageError(f"path is where to write to, not an object of type {type(path).__name__}")
        try:
            write_whole(Path(path), self.to_toml().encode())
        except OSError as error:
            raise WriteError(f"{path} can't be written: {error.strerror or type(error).__name__}") from None

    def __eq__(self, other: object) -> bool:
        """Plans that say the same, notes included, wherever they were read from."""
        if not isinstance(other, plan_types.Plan):
            return NotImplemented
        compared = [f.name for f in fields(self) if f.compare]
        return all(getattr(self, name) == getattr(other, name) for name in compared)

    __hash__ = plan_types.Plan.__hash__

    def __repr__(self) -> str:
        columns = sum(len(t.columns) for t in self.tables)
        return f"<piiscan.Plan policy={self.policy}, tables={len(self.tables)}, columns={columns}>"


def public(plan: plan_types.Plan) -> Plan:
    """A plan as callers get it."""
    return plan if isinstance(plan, Plan) else Plan(**{f.name: getattr(plan, f.name) for f in fields(plan)})


def plan_of(given: Any) -> Plan:
    """The plan that a caller passes, itself or by its path. Raises `UsageError`."""
    if isinstance(given, plan_types.Plan):
        return public(given)
    if is_path(given):
        return Plan.load(given)
    raise UsageError(f"plan is a piiscan.Plan or the path of one, not an object of type {type(given).__name__}")


def key_of(given: Key | str | None) -> Key | None:
    """The key that a caller passes, itself or by where it is; None for none. Raises `UsageError`, which repeats nothing
    that may be the key."""
    from piiscan.core.keys import Key

    if given is None or isinstance(given, Key):
        return given
    if isinstance(given, str):
        return Key.load(given)
    raise UsageError(
        'key is a piiscan.Key, or says where one is ("env:PIISCAN_KEY", "file:PATH", "command:CMD"), and not an object '
        f"of type {type(given).__name__}"
    )


@verb
def plan(
    data: Any,
    policy: str | os.PathLike[str] = "default",
    before: Plan | str | os.PathLike[str] | None = None,
    *,
    key: Key | str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Plan:
    """Scan a data frame, several by the names of their tables, or what lies at a path, and plan what masking does to
    each column.

    policy: "default", "gdpr", "hipaa-safe-harbor", or a TOML file. before: an earlier plan, or its path; what a person
    has decided in it stays. key: the key that the plan is for, named in it by its public id: a `Key`, or where it is,
    such as "env:PIISCAN_KEY". delimiter, encoding, header: how files' text is written; None to infer. Raises
    `UsageError` for other data and for a wrong policy, `ReadError` where something can't be read.
    """
    from piiscan.masking.plan import policy as policies
    from piiscan.masking.run.planning import plan_files, plan_frame

    chosen, rules = policies.load(os.fspath(policy)), rule_sets.load(())
    options = read_options(delimiter, encoding, header)
    earlier, secret = None if before is None else plan_of(before), key_of(key)
    if not is_path(data):
        made = plan_frame(data, chosen, rules, options, engine.ScanOptions(), earlier)
    else:
        path = Path(data)
        urls.demand_path(data)
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or folder")
        made, report = plan_files(path, chosen, rules, options._replace(rules=rules), engine.ScanOptions(), earlier)
        if missed := report.not_scanned:
            raise ReadError(f"{missed[0].source}: {missed[0].reason}")
    if secret is not None and secret.id not in made.key_ids:
        made = replace(made, key_ids=(*made.key_ids, secret.id))
    return public(made)
