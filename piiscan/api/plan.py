"""The Python interface: makes, reads and writes plans."""

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
from piiscan.scanning.scan_options import ScanOptions

if TYPE_CHECKING:
    from piiscan.core.keys import Key


class Plan(plan_types.Plan):
    """What masking does to each column of some tables: names of columns and operators, without cell values or keys.

    `piiscan.plan` makes one; `load` and `from_toml` read one that a person or `piiscan plan` wrote.
    """

    __slots__ = ()

    @classmethod
    @verb
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Load the plan in a TOML file.

        Files that it names, such as a vault, are relative to it. Raises `UsageError`, which names the table, the
        column and what is wrong.
        """
        if not is_path(path):
            raise UsageError(f"Plan.load takes a path, not an object of type {type(path).__name__}")
        if "\n" in os.fspath(path):
            raise UsageError("this is the text of a plan, not the path of one; use Plan.from_toml")
        urls.demand_path(path)
        return public(plan_toml.load(Path(path)))

    @classmethod
    @verb
    def from_toml(cls, text: str) -> Plan:
        """Read the plan in a TOML text. Raises `UsageError`, as `load` does."""
        if not isinstance(text, str):
            raise UsageError(
                f"Plan.from_toml takes the text of a TOML file, not an object of type {type(text).__name__}"
            )
        return public(plan_toml.loads(text))

    def to_toml(self) -> str:
        """Return the plan as TOML for people to read, edit and commit; the same text for the same plan."""
        return plan_toml.dumps(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_toml` to a file, whole or not at all. An existing file is replaced. Raises `WriteError`."""
        if not is_path(path):
            raise UsageError(f"path must be a path to write to, not an object of type {type(path).__name__}")
        try:
            write_whole(Path(path), self.to_toml().encode())
        except OSError as error:
            raise WriteError(f"{path} can't be written: {error.strerror or type(error).__name__}") from None

    def __eq__(self, other: object) -> bool:
        """Compare plans by content, notes included, wherever they were read from."""
        if not isinstance(other, plan_types.Plan):
            return NotImplemented
        compared = [f.name for f in fields(self) if f.compare]
        return all(getattr(self, name) == getattr(other, name) for name in compared)

    __hash__ = plan_types.Plan.__hash__

    def __repr__(self) -> str:
        columns = sum(len(t.columns) for t in self.tables)
        return f"<piiscan.Plan policy={self.policy}, tables={len(self.tables)}, columns={columns}>"


def public(plan: plan_types.Plan) -> Plan:
    """Return a plan as callers get it."""
    return plan if isinstance(plan, Plan) else Plan(**{f.name: getattr(plan, f.name) for f in fields(plan)})


def plan_of(given: Any) -> Plan:
    """Return the plan that a caller passes, itself or by its path. Raises `UsageError`."""
    if isinstance(given, plan_types.Plan):
        return public(given)
    if is_path(given):
        return Plan.load(given)
    raise UsageError(f"plan must be a piiscan.Plan or the path of one, not an object of type {type(given).__name__}")


def key_of(given: Key | str | None) -> Key | None:
    """Return the key that a caller passes, itself or by its location; None for none.

    Raises `UsageError`, which repeats nothing that may be the key.
    """
    from piiscan.core.keys import Key

    if given is None or isinstance(given, Key):
        return given
    if isinstance(given, str):
        return Key.load(given)
    raise UsageError(
        'key must be a piiscan.Key or the location of one ("env:PIISCAN_KEY", "file:PATH", "command:CMD"), not '
        f"an object of type {type(given).__name__}"
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
    """Scan a data frame, several by the names of their tables, or files, and plan the masking of each column.

    data: a frame, a mapping of frames, or the path of a file or folder.

    policy: "default", "gdpr", "hipaa-safe-harbor", or a TOML file. before: an earlier plan, or its path; what a
    person decided in it stays. key: the key that the plan is for, recorded by its public id: a `Key`, or its
    location, such as "env:PIISCAN_KEY". delimiter, encoding, header: how files' text is written; None to infer.

    Raises `UsageError` for data of another kind and for an invalid policy, and `ReadError` if something can't be read.
    """
    from piiscan.masking.plan import policy as policies
    from piiscan.masking.run.planning import plan_files, plan_frame

    chosen, rules = policies.load(os.fspath(policy)), rule_sets.load(())
    options = read_options(delimiter, encoding, header)
    earlier, secret = None if before is None else plan_of(before), key_of(key)
    if not is_path(data):
        made = plan_frame(data, chosen, rules, options, ScanOptions(), earlier)
    else:
        path = Path(data)
        urls.demand_path(data)
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or folder")
        made, report = plan_files(path, chosen, rules, options._replace(rules=rules), ScanOptions(), earlier)
        if missed := [entry for entry in report.not_scanned if not entry.files]:
            raise ReadError(f"{missed[0].source}: {missed[0].reason}")
    if secret is not None and secret.id not in made.key_ids:
        made = replace(made, key_ids=(*made.key_ids, secret.id))
    return public(made)
