"""Masks several frames together, like the tables of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl

from piiscan.api.fitted_frames import fitted_to
from piiscan.api.frame_tables import laid_out, load_key, read_held, rebuilt, whole
from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError, VerifyError
from piiscan.core.types import TableInfo
from piiscan.io import inputs
from piiscan.io.struct_frames import Opened, opened
from piiscan.masking.apply.date_distances import DateDistances
from piiscan.masking.apply.known_people import gathered
from piiscan.masking.apply.originals import Originals
from piiscan.masking.apply.planned_cells import as_planned
from piiscan.masking.apply.recorder import JoinKey, Joins, TableRecorder
from piiscan.masking.apply.subjects_of_tables import subject_table
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.information_loss.loss_figures import Compared, of_table
from piiscan.masking.information_loss.table_loss import Comparison
from piiscan.masking.known.row_keys import joining_keys
from piiscan.masking.plan.code_vaults import located
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.proof.people_prints import PeoplePrints
from piiscan.masking.run import inside_cells
from piiscan.masking.run.match_plan import same_lists
from piiscan.masking.run.new_content import scan_of
from piiscan.masking.run.outputs import Output
from piiscan.masking.run.promise_words import broken_text
from piiscan.masking.run.verify import check_tables
from piiscan.report.mask_report import MaskReport
from piiscan.rules import rule_sets
from piiscan.rules.definitions import suggestion
from piiscan.scanning import printable_names

if TYPE_CHECKING:
    from piiscan.core.keys import Key


class MaskedFrames(dict[str, Any]):
    """Masked frames by the names of their tables, each of the library of its input.

    `report`: what masking changed, and which promises were checked; without a cell value.
    """

    def __init__(self, frames: Mapping[str, Any], report: MaskReport) -> None:
        super().__init__(frames)
        self.report = report


class _Table(NamedTuple):
    """A frame as a table, with its part of the plan."""

    frame: Opened
    info: TableInfo
    cells: pl.DataFrame
    held: inside_cells.Held
    plan: TablePlan


@verb
def mask_frames(
    frames: Mapping[str, Any], plan: Plan, key: Key | str | None, new_columns: Literal["error", "suppress"]
) -> MaskedFrames:
    """Mask frames by their names in the plan.

    Raises `UsageError` for a frame or a column that the plan doesn't know, and `VerifyError` if a promise fails.
    """
    same_lists(plan)
    secret, rules = load_key(plan, key), rule_sets.load(())
    frames = inputs.printed(frames)
    given, plan = plan, located(plan)
    tables = [_read(name, frame, plan, new_columns) for name, frame in frames.items()]

    def rows(wanted: Callable[[TablePlan], bool]) -> Iterator[tuple[pl.DataFrame, TablePlan]]:
        return ((t.cells, t.plan) for t in tables if wanted(t.plan))

    subjects = subject_table(plan, secret, rows)
    joining = joining_keys([t.plan for t in tables], rows)
    known = gathered([(t.plan, t.cells) for t in tables], plan, secret, subjects, joining)
    originals, joins, distances = Originals(), dict[JoinKey, Joins](), DateDistances()
    people = PeoplePrints(joining)
    masked: dict[str, Any] = {}
    compared: list[Compared] = []
    outputs: list[Output] = []
    for name, table in zip(frames, tables, strict=True):
        masker = TableMasker(table.plan, plan.spans, secret, subjects, known)
        masker.fit(masker.inspect_columns(table.cells))
        done = masker.apply(table.cells, 0)
        masker.check_frequencies()
        recorder, comparison = TableRecorder(masker, originals, joins, people, distances), Comparison(table.plan)
        recorder.record(table.cells, done.columns, done.kept)()
        recorder.close()
        comparison.see(table.cells, done.columns, done.kept, 0)
        compared.append(Compared(table.info, table.info, table.plan, of_table(comparison)))
        masked[name] = rebuilt(table.frame, table.plan, table.held, done)
        derived = frozenset(i for i, field in enumerate(table.info.fields) if field.parent is not None)
        outputs.append(Output(recorder, table.info.source, None, None, Path(), derived=derived))
    again = inputs.from_frames(masked)
    promises = check_tables(list(zip(outputs, again, strict=True)), originals, joins, distances, rules, scan_of(plan))
    if broken := [p for p in promises if not p.holds]:
        raise VerifyError(f"nothing is returned: the masked data {broken_text(broken)}")
    report = MaskReport(
        given,
        tuple(compared),
        None if secret is None else secret.id,
        tuple(promises),
        subjects=None if subjects is None else subjects.figures,
    )
    return MaskedFrames(masked, report)


def _read(name: str, frame: Any, plan: Plan, new_columns: str) -> _Table:
    given = opened(frame)
    rules = rule_sets.shipped().rules
    held = read_held(given.frame, ())
    shown = printable_names.printable(held.own.info._replace(source=name), rules)
    table = next((t for t in plan.tables if (t.source, t.table) == (shown.source, None)), None)
    if table is None:
        known = [t.source for t in plan.tables]
        raise UsageError(
            f"the plan has no table {shown.source}{suggestion(shown.source, known)}; name each frame as the plan "
            "names its table, or make a new plan with piiscan.plan from the same dict"
        )
    held = laid_out(held, shown, table)
    info, cells = whole(held)
    info = info._replace(source=shown.source)
    table, _ = fitted_to(table, info, cells, given.structs, new_columns)
    return _Table(given, info, as_planned(cells, table), held, table)
