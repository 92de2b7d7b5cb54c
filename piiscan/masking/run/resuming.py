"""Resumes an interrupted run: what masks depend on, and finished outputs compared with their inputs.

All promises are then checked as if the files had been masked now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from piiscan.core.types import InName, NotScanned, Skipped, Table
from piiscan.core.version import __version__
from piiscan.io import inputs
from piiscan.io.content import Content, ReadTable
from piiscan.io.folders import files
from piiscan.io.printed_names import shown
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.finished import Digests, Resumption
from piiscan.io.write.staging import refuse_busy
from piiscan.masking.apply.planned_cells import as_planned, masks_as_planned
from piiscan.masking.plan import plan_digest
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.request import MaskRequest
from piiscan.masking.run.match_plan import masked_places
from piiscan.masking.run.verify_files import Rows
from piiscan.rules.definitions import RuleSet

if TYPE_CHECKING:
    from piiscan.core.keys import Key

_WRITERS: Final = ("polars", "pyarrow", "openpyxl", "duckdb", "fastavro", "cryptography")
"""Packages whose versions may show in the bytes of outputs."""
Masks = Iterator[tuple[pl.DataFrame, dict[int, pl.Series]]]
"""Batches of an input as the plan masks them, each with its masks by index."""


class Resuming:
    """What a run over a folder depends on, looked at before anything of it is known."""

    def __init__(
        self, digests: Digests, read_inputs: Mapping[str, str], about: Mapping[str, str], plan: Plan, wanted: bool
    ) -> None:
        self._digests, self._inputs, self._about = digests, read_inputs, about
        self._plan, self._wanted = plan, wanted

    @classmethod
    def of(
        cls,
        source: Path,
        target: Path,
        plan: Plan,
        key: Key | None,
        rules: RuleSet,
        read: ReadOptions,
        options: MaskRequest,
    ) -> Resuming | None:
        """None for a file: there is nothing to keep of one.

        Raises `WriteError` where another run writes the same output.
        """
        refuse_busy(target, source.is_dir())
        if not source.is_dir():
            return None
        secret = None if key is None else lambda salt: key.subkey("resume", salt).secret
        digests = (Digests.of_run if options.resume else lambda _, each: Digests.fresh(each))(target, secret)
        about = {
            "the version": repr((__version__, *map(_version, _WRITERS))),
            "the key": "" if key is None else key.id,
            "the plan": plan_digest.digest(plan),
            "the rules": rules.digest,
            "the options": repr((read._replace(rules=None), options.new_columns, options.copy_others)),
        }
        return cls(digests, _inputs(source, read, digests), about, plan, options.resume)

    def resumption(
        self,
        known: object | None,
        lasts: Callable[[str], bool],
        again: Callable[[str, Sequence[ReadTable], Path], bool],
    ) -> Resumption:
        """What a run can keep, once `known` says who the people of all tables are.

        `known` is None where masks depend on their own tables alone.
        """
        about = {**self._about, "an input, which texts and people depend on,": "", "the vault": ""}
        if known is not None:
            about["an input, which texts and people depend on,"] = repr(sorted(self._inputs.items()))
            if (vault := self._plan.vault_file) is not None and vault.exists():
                about["the vault"] = self._digests.file(vault)
        return Resumption(self._digests, about, self._inputs, self._wanted, lasts, again)


def _inputs(source: Path, read: ReadOptions, digests: Digests) -> dict[str, str]:
    """The digest of each input by its source, but of those that can't be read."""
    found = {}
    for item, _ in files(str(source), read._replace(rows=None), set()):
        if isinstance(item, Content) and item.path is not None:
            try:
                found[item.source] = digests.file(Path(item.path))
            except OSError:
                continue
    return found


@cache  # it looks through what is installed
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def outputs_of(output: Path, read: ReadOptions, plans: Sequence[TablePlan]) -> dict[tuple[str, str | None], Table]:
    """The tables of a finished output, by their member of an archive and their names; none where it can't be read."""
    renamed = any(action.rename for plan in plans for action in plan.columns)
    options = read._replace(rows=None, header=True if renamed else read.header, asides=False)
    prefix, found = shown(str(output), read.rules), dict[tuple[str, str | None], Table]()
    for item in inputs.discover([str(output)], options):
        if isinstance(item, NotScanned):
            return {}
        if not isinstance(item, Skipped | InName):
            found[item.info.source.removeprefix(prefix), item.info.table] = item
    return found


def masks_beside(before: Table, after: Table, plan: TablePlan, masked: Sequence[int]) -> Masks | None:
    """The batches of an input with the masks in its output; None where those aren't all there."""
    places = masked_places(plan, after.info)
    if set(places) != set(masked) or before.info.order_column in places:  # rows that may lie in another order
        return None
    return _beside(before, after, plan, places)


def _beside(before: Table, after: Table, plan: TablePlan, places: Mapping[int, int]) -> Masks:
    rows = Rows(after.batches())
    for batch in before.batches():
        now = rows.take(len(batch.frame))
        if now is None:
            raise NotTheSame
        yield (
            as_planned(batch.frame, plan),
            {i: masks_as_planned(now[str(at)], plan.columns[i]) for i, at in places.items()},
        )
    if rows.take(1) is not None:
        raise NotTheSame


class NotTheSame(Exception):
    """An output that has other rows than its input."""
