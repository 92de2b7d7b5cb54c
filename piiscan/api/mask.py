"""The Python interface: masks frames and files, and `Masker` for pipelines."""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from piiscan.api.fitted_frames import fitted_to
from piiscan.api.frame_tables import known_columns, laid_out, load_key, read_held, rebuilt, whole
from piiscan.api.plan import Plan, plan_of
from piiscan.api.table_input import is_path, read_options
from piiscan.api.verbs import verb
from piiscan.core import urls
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Field, TableInfo
from piiscan.io.read_options import ReadOptions
from piiscan.io.struct_frames import opened
from piiscan.masking.apply.known_people import gathered
from piiscan.masking.apply.planned_cells import as_planned
from piiscan.masking.apply.subjects_of_tables import remembered, subject_table
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.plan.code_vaults import located
from piiscan.masking.run import inside_cells
from piiscan.masking.run.match_plan import find, same_lists
from piiscan.masking.run.new_content import demand_nothing_new, scan_of
from piiscan.rules import rule_sets
from piiscan.scanning import printable_names

if TYPE_CHECKING:
    from piiscan.core.keys import Key
    from piiscan.masking.result import MaskedFiles
    from piiscan.report.mask_report import MaskReport
    from piiscan.rules.definitions import RuleSet


@verb
def mask(
    data: Any,
    plan: Plan | str | os.PathLike[str],
    key: Key | str | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    table: str | None = None,
    new_columns: Literal["error", "suppress"] = "error",
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Any:
    """Mask a frame, several frames, or files.

    A pandas, polars or pyarrow frame becomes a new one of the same library, with the same types, index and order. A
    mapping of frames by table name becomes `MaskedFrames`: they are masked together like the tables of a folder, the
    people in them are searched for in all texts, and the result is verified. A path, of a file or folder, is masked
    and written to `output` in the same formats; the result is a `MaskReport`.

    plan: a `Plan`, or the path of one.
    key: a `Key`, or where it is: "env:NAME", "file:PATH" or "command:CMD"; by default the environment variable
    PIISCAN_KEY.
    output: where a path is masked to, which is required; it gets its name when the plan's promises hold in it.
    overwrite: replace an existing output. What can't be read or, in a folder, written is left out: it is listed in the
    report's `left_out`, the report isn't `complete`, and an older file of that name stays.
    delimiter, encoding, header: how files' text is written; None to infer.
    table: which of the plan's tables a frame is, if there are several. new_columns: "suppress" empties columns that
    the plan doesn't know.

    Of a single frame nothing is verified but that rules find no direct identifier in kept texts of which the plan
    doesn't know. Raises `UsageError`, also for a column with so few values that equal masks would reveal them;
    `VerifyError` for such an identifier, or if a promise fails for several frames or a path; for a path also
    `WriteError`, and `ReadError` if nothing could be written because all of it was left out.
    """
    known_columns(new_columns)
    plan = plan_of(plan)
    if is_path(data):
        if output is None:
            raise UsageError("masking a path writes a file or folder; pass its path with output=PATH")
        if table is not None:
            raise UsageError("the tables of a file are matched by name; leave out table")
        return _mask_path(
            Path(data), Path(output), plan, key, new_columns, overwrite, read_options(delimiter, encoding, header)
        )
    if output is not None:
        raise UsageError("a masked frame is returned, not written; leave out output")
    if isinstance(data, Mapping):
        from piiscan.api.mask_frames import mask_frames

        if table is not None:
            raise UsageError("several frames are matched by name; leave out table")
        return mask_frames(data, plan, key, new_columns)
    return Masker(plan, key, table=table, new_columns=new_columns).masked(data, 0, whole=True)


def _mask_path(
    source: Path,
    target: Path,
    plan: Plan,
    key: Key | str | None,
    new_columns: Literal["error", "suppress"],
    overwrite: bool,
    read: ReadOptions,
) -> MaskReport:
    from piiscan.masking.request import MaskRequest
    from piiscan.masking.run.mask_files import mask_files

    urls.demand_path(source)
    if not source.exists():
        raise UsageError(f"{source}: there is no such file or folder")
    rules = rule_sets.load(())
    loaded = load_key(plan, key)
    request = MaskRequest(new_columns, overwrite, compare=True)
    done = mask_files(source, target, plan, loaded, rules, read._replace(rules=rules), request)
    report = mask_report(source, plan, loaded, done, True, rules)
    if not done.written:  # the existing output is that of another run
        raise ReadError(f"nothing was written to {target}: {_why_nothing(report)}")
    return report


def _why_nothing(report: MaskReport) -> str:
    from piiscan.report.verdict_words import count, location

    if not report.left_out:
        return "there is no table to mask"
    first, *others = report.left_out
    more = f"; and {count(len(others), 'more')} left out" if others else ""
    return f"left out: {location(first)}: {first.reason}{more}"


@verb
def mask_report(
    source: Path, plan: Plan, key: Key | None, done: MaskedFiles, verified: bool, rules: RuleSet
) -> MaskReport:
    """Report what masking changed in the files at `source`, with names as a report shows them."""
    from piiscan.io.dumps.dump_tables import LACKS
    from piiscan.masking.run.match_plan import relative
    from piiscan.report.mask_report import MaskReport

    root = source if source.is_dir() else source.parent
    left_out = tuple(relative(entry, root, rules) for entry in done.left_out)
    promises = done.promises if verified else None
    remark = " ".join(
        f"{c.info.source}: {note}." for c in done.compared for note in c.read.notes if note.endswith(LACKS)
    )
    return MaskReport(plan, done.compared, None if key is None else key.id, promises, left_out, done.subjects, remark)


class Masker:
    """A plan and a key, to mask the batches of a table in any order and process.

    It can be pickled; the key travels as its spec. The same cell gets the same mask in every batch. In texts it masks
    what rules and the recogniser find; only `mask`, which sees all columns, searches texts for their content.
    Frequencies of values aren't checked either: `mask` does that for whole frames, and `piiscan.plan` when a plan is
    made. Raises `UsageError` if the plan needs a key and there is none.
    """

    @verb
    def __init__(
        self,
        plan: Plan | str | os.PathLike[str],
        key: Key | str | None = None,
        *,
        table: str | None = None,
        new_columns: Literal["error", "suppress"] = "error",
    ) -> None:
        known_columns(new_columns)
        plan = plan_of(plan)
        self.plan = plan
        self.table = table
        self.new_columns = new_columns
        self._key = load_key(plan, key)
        self._maskers: dict[tuple[Field, ...], TableMasker] = {}
        same_lists(plan)
        self._located = located(plan)

    def __repr__(self) -> str:
        return f"<piiscan.Masker policy {self.plan.policy}, {len(self.plan.tables)} table(s)>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_maskers": {}}

    @verb
    def __call__(self, batch: Any, first_row: int | None = None) -> Any:
        """Mask a batch, a frame with the columns of the plan; return a new one of the same library.

        first_row: the number of its first row in the table, which few operators need. Raises `UsageError` for columns
        that the plan doesn't know, and for operators that must see the whole column.
        """
        return self.masked(batch, first_row, whole=False)

    @verb
    def masked(self, frame: Any, first_row: int | None, whole: bool) -> Any:
        """Mask a frame; `whole`: it is the whole table."""
        given = opened(frame)
        info, cells, parts = self._read(given.frame)
        masker, cells = self._masker(info, cells, given.structs, whole)
        if whole:
            masker.fit(masker.inspect_columns(cells))
        elif unfitted := [column for column in masker.whole_columns if not column.is_fitted]:
            raise UsageError(
                f"column {unfitted[0].label}: its operator must see the whole column; use piiscan.mask on the whole "
                "frame"
            )
        done = masker.apply(cells, first_row)
        if whole:
            masker.check_frequencies()
            if (scan := scan_of(self.plan)) is not None:
                demand_nothing_new(info, cells, masker.plan, rule_sets.shipped().rules, scan)
        return rebuilt(given, masker.plan, parts, done)

    def table_masker(self, frame: Any) -> TableMasker:
        """What masks the batches of a table with the columns of `frame`."""
        return self.planned(frame)[0]

    def planned(self, frame: Any) -> tuple[TableMasker, pl.DataFrame]:
        """The same, and the cells of `frame` as it masks them."""
        given = opened(frame)
        info, cells, _ = self._read(given.frame)
        return self._masker(info, cells, given.structs, whole=False)

    def _read(self, frame: Any) -> tuple[TableInfo, pl.DataFrame, inside_cells.Held]:
        """Read a frame, with its nested texts laid out as the plan has them."""
        held = read_held(frame, ())
        shown = printable_names.printable(held.own.info, rule_sets.shipped().rules)
        table = find(self._located, shown if self.table is None else shown._replace(source=self.table))
        held = laid_out(held, shown, table)
        return (*whole(held), held)

    def _masker(
        self, info: TableInfo, cells: pl.DataFrame, structs: Set[str], whole: bool
    ) -> tuple[TableMasker, pl.DataFrame]:
        """Return the masker of a table, and the cells as it masks them.

        A `whole` table gets a new masker, which has seen the keys in it; batches use what a vault already knows about
        people.
        """
        if not whole and info.fields in self._maskers:
            made = self._maskers[info.fields]
            return made, as_planned(cells, made.plan)
        plan = self._located
        table = find(plan, info if self.table is None else info._replace(source=self.table))
        table, by_cells = fitted_to(table, info, cells, structs, self.new_columns)
        cells = as_planned(cells, table)
        if whole:
            rows = [(cells, table)]
            known = subject_table(plan, self._key, lambda _: iter(rows)) if plan.vault else remembered(plan, self._key)
            found = gathered([(table, cells)], plan, self._key, known)
            return TableMasker(table, plan.spans, self._key, known, found), cells
        made = TableMasker(table, plan.spans, self._key, remembered(plan, self._key))
        if not by_cells:
            self._maskers[info.fields] = made
        return made, cells
