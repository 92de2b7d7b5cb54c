"""Verifies masked files against their plan later on: compares the tables before and after."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from piiscan.core.errors import ReadError
from piiscan.core.keys import Key
from piiscan.core.types import Batch, NotScanned, Table, TableInfo
from piiscan.io import printed_names
from piiscan.io.nested.json_texts import Unfolded, with_columns
from piiscan.io.read_options import PathOptions, ReadOptions
from piiscan.masking.apply.date_distances import DateDistances
from piiscan.masking.apply.originals import Originals
from piiscan.masking.apply.planned_cells import as_planned, masks_as_planned
from piiscan.masking.apply.recorder import JoinKey, Joins, TableRecorder
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.known.row_keys import JoiningKeys, joining_keys
from piiscan.masking.plan.code_vaults import located
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.proof.people_prints import PeoplePrints
from piiscan.masking.result import CheckResult
from piiscan.masking.run.match_plan import find, fitted, masked_places, planned, tables_below
from piiscan.masking.run.new_content import scan_of
from piiscan.masking.run.outputs import Output, reading
from piiscan.masking.run.verify import LOOKED_UP, check_promises
from piiscan.rules.definitions import RuleSet

if TYPE_CHECKING:
    from collections.abc import Iterable

_REORDERED: Final = (
    "the database keeps its rows in the order of a masked key, so only the key of the masking tells which is which: "
    "name it with --key"
)
_READABLE: Final = "the output has this table, and as many rows as the plan leaves"


class Verified(NamedTuple):
    """`promises` and their outcomes, and what could not be read, or has no table beside it."""

    promises: tuple[CheckResult, ...]
    left_out: tuple[NotScanned, ...]


_Found = tuple[Table, TableInfo] | NotScanned


class _Pair(NamedTuple):
    """A table before and after masking."""

    before: Table
    shown: TableInfo
    after: Table


def verify_files(before: Path, after: Path, plan: Plan, key: Key | None, rules: RuleSet, read: ReadOptions) -> Verified:
    """Hold the file or folder `after` to the plan that `before` was masked by.

    Without a key the originals are looked up alone; with it, every promise is checked as `mask` does.

    Raises `UsageError` for a table or a column that the plan doesn't know, `ReadError` for output that can't be read.
    """
    plan = located(plan)
    found = list(tables_below(before, _root(before), rules, read))
    copies = _copies(found, before, after, rules)
    readings = _readings(found, plan)
    read = read.as_sources(copies, {copy: readings[source] for copy, source in copies.items() if source in readings})
    pairs, alone, left_out = _pairs(found, list(tables_below(after, _root(after), rules, read)), before, after)
    originals, joins, people = Originals(), dict[JoinKey, Joins](), PeoplePrints(_joining_keys(pairs, alone, plan))
    distances = DateDistances()
    outputs: list[Output] = []
    missing: list[CheckResult] = []
    for pair in pairs:
        table = fitted(find(plan, pair.shown), pair.shown)
        masker = TableMasker(table, plan.spans, key or Key(secrets.token_bytes(32)))
        order = pair.before.info.order_column
        if order in masker.columns and key is None and masker.columns[order].operator.keyed:
            left_out.append(NotScanned(pair.shown.source, _REORDERED, pair.shown.table))
            alone.append((pair.before, pair.shown))
            continue
        recorder = TableRecorder(masker, originals, joins, people, distances, order)
        if key is not None and masker.whole_columns:
            masker.fit(pl.concat([masker.inspect_columns(frame) for frame in _frames(pair.before, table)]))
        if not _record(recorder, pair):
            missing.append(CheckResult(pair.shown.source, pair.shown.table, None, _READABLE, 1, 1))
            continue
        recorder.close()
        path, member = _on_disk(pair.after.info)
        derived = frozenset(i for i, field in enumerate(pair.before.info.fields) if field.parent is not None)
        outputs.append(
            Output(
                recorder,
                pair.shown.source,
                pair.after.info.table,
                pair.shown.table,
                path,
                member,
                derived,
                pair.after.info.source,
                reading(pair.before.info, table),
            )
        )
    for original, shown in alone:  # what stood in it may stand elsewhere
        if (known := planned(plan, original, shown)) is not None:
            _add_originals(people, original, TableMasker(known, plan.spans, key or Key(secrets.token_bytes(32))))
    promises = check_promises(outputs, originals, joins, distances, rules, read, scan=scan_of(plan))
    if key is None:
        promises = [p for p in promises if p.name in LOOKED_UP]
    return Verified((*promises, *missing), tuple(left_out))


def _on_disk(info: TableInfo) -> tuple[Path, str]:
    """The file that a table is in, and which member of it is the table, as `!folder/a.csv`; "" for the file itself."""
    parts = info.source.split("!")
    for count in range(len(parts), 0, -1):
        path = Path(info.path or printed_names.on_disk("!".join(parts[:count])))
        if count == 1 or path.is_file():
            break
    return path, "".join(f"!{part}" for part in parts[count:])


def _joining_keys(pairs: Sequence[_Pair], alone: Sequence[tuple[Table, TableInfo]], plan: Plan) -> JoiningKeys:
    tables = [(pair.before, fitted(find(plan, pair.shown), pair.shown)) for pair in pairs]
    tables += [(original, known) for original, shown in alone if (known := planned(plan, original, shown)) is not None]

    def read(wanted: Callable[[TablePlan], bool]) -> Iterator[tuple[pl.DataFrame, TablePlan]]:
        for table, part in tables:
            if wanted(part):
                with suppress(ReadError):  # said where it is read to be looked up
                    for frame in _frames(table, part):
                        yield frame, part

    return joining_keys(plan.tables, read)


def _add_originals(people: PeoplePrints, table: Table, masker: TableMasker) -> None:
    """The originals of a table that has no output."""
    rows = 0
    for frame in _frames(table, masker.plan):
        nothing = {i: pl.Series([None] * len(frame), dtype=pl.String) for i in masker.columns}
        people.add(masker.plan, frame, nothing, people.keys(frame, masker.plan, rows))
        rows += len(frame)


def _readings(found: Sequence[_Found], plan: Plan) -> dict[str, PathOptions]:
    """How outputs are to be read, by the sources of their originals."""
    out: dict[str, PathOptions] = {}
    for item in found:
        if not isinstance(item, NotScanned) and (known := planned(plan, *item)) is not None:
            source, read = item[0].info.source, reading(item[0].info, known)
            before = out.get(source, PathOptions())
            out[source] = before._replace(headless=before.headless + read.headless) if item[0].info.table else read
    return out


def _frames(table: Table, plan: TablePlan) -> Iterator[pl.DataFrame]:
    for batch in table.batches():
        yield as_planned(batch.frame, plan)


def _root(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _copies(found: Sequence[_Found], before: Path, after: Path, rules: RuleSet) -> dict[str, str]:
    """The sources of the originals by those that their outputs have."""
    made = printed_names.shown(str(after), rules)
    folder = "" if made == "." else f"{made.rstrip('/')}/"
    sources = [(item[0].info.source, item[1].source) for item in found if not isinstance(item, NotScanned)]
    if before.is_dir():
        return {folder + below: source for source, below in sources}
    return {"!".join((made, *below.split("!")[1:])): source for source, below in sources}


def _pairs(
    originals: Sequence[_Found], made: Sequence[_Found], before: Path, after: Path
) -> tuple[list[_Pair], list[tuple[Table, TableInfo]], list[NotScanned]]:
    """Match the tables of both sides by their places below the two folders or within the two files.

    Also returns originals without an output, and what could not be read, or isn't there.
    """
    unread = [item for item in (*made, *originals) if isinstance(item, NotScanned)]
    outputs = {_place(item[1], after): item[0] for item in made if not isinstance(item, NotScanned)}
    pairs, alone = [], []
    for item in originals:
        if isinstance(item, NotScanned):
            continue
        table, shown = item
        if other := outputs.get(_place(shown, before)):
            pairs.append(_Pair(table, shown, other))
        else:
            alone.append(item)
            unread.append(NotScanned(shown.source, "there is no such table in the output", shown.table))
    return pairs, alone, unread


def _place(shown: TableInfo, path: Path) -> tuple[str, str | None]:
    """Where a table is below a folder, or within a file, whatever that is called."""
    if path.is_dir():
        return shown.source, shown.table
    return "!".join(shown.source.split("!")[1:]), shown.table


def _record(recorder: TableRecorder, pair: _Pair) -> bool:
    """Show the recorder all rows before and after; return whether there are as many as the plan leaves."""
    after = _laid_out_as_before(pair, recorder.masker.plan)
    places = masked_places(recorder.masker.plan, after.info)
    batches = _in_order_of_before(pair, recorder.masker, after, places)
    if batches is None:
        return False
    rows = Rows(batches, len(after.info.fields) if after.info.format == "excel" else None)
    for frame in _frames(pair.before, recorder.masker.plan):
        kept = recorder.masker.kept_rows(frame)
        count = len(frame) if kept is None else int(kept.sum() or 0)
        now = rows.take(count)
        if now is None:
            return False
        actions = recorder.masker.plan.columns
        masked = {i: _spread(masks_as_planned(now[str(at)], actions[i]), kept) for i, at in places.items()}
        recorder.record(frame, masked, kept)()
    return rows.is_at_end


def _in_order_of_before(
    pair: _Pair, masker: TableMasker, after: Table, places: Mapping[int, int]
) -> Iterable[Batch] | None:
    """The rows of the output, in the order of the originals; None if some have none.

    A database keeps them in the order of a key: if it was masked, its masks tell where each row is.
    """
    column = masker.columns.get(-1 if pair.before.info.order_column is None else pair.before.info.order_column)
    if column is None or column.index not in places or not column.goes_by_value or column.operator.contract == "empty":
        return after.batches()
    keys = []
    for frame in _frames(pair.before, masker.plan):
        kept = masker.kept_rows(frame)
        keys.append(frame[str(column.index)] if kept is None else frame[str(column.index)].filter(kept))
    frames = [batch.frame for batch in after.batches()]
    if not keys or not frames:
        return after.batches()
    whole = pl.concat(frames)
    masks = column.mask(pl.concat(keys), None, None).rename("mask")
    there = masks_as_planned(whole[str(places[column.index])], column.action).cast(masks.dtype, strict=False)
    known = pl.DataFrame({"mask": there, "row": pl.int_range(len(whole), eager=True)})
    found = masks.to_frame().join(known, on="mask", how="left", maintain_order="left")["row"]
    return None if found.null_count() or len(found) != len(whole) else [Batch(whole[found], 0)]


def _laid_out_as_before(pair: _Pair, plan: TablePlan) -> Table:
    """The output, in which masked maps, which are texts of JSON now, aren't laid out, as they weren't before."""
    origin = getattr(pair.after, "origin", None)
    if not isinstance(origin, Unfolded):
        return pair.after
    maps = {at for i, at in masked_places(plan, pair.after.info).items() if pair.before.info.fields[i].dtype == "other"}
    return with_columns(origin.table, [d for d in origin.derived if d.parent not in maps])


class Rows:
    """The rows of a table, so many at a time.

    `blank`: the columns of a sheet, whose last rows are missing where nothing is left in them.
    """

    def __init__(self, batches: Iterable[Batch], blank: int | None = None) -> None:
        self._batches: Iterator[Batch] = iter(batches)
        self._blank = blank
        self._left: pl.DataFrame | None = None

    @property
    def is_at_end(self) -> bool:
        self._blank = None
        return self.take(1) is None

    def take(self, count: int) -> pl.DataFrame | None:
        """The next rows; None where there are fewer."""
        parts: Sequence[pl.DataFrame] = [] if self._left is None else [self._left]
        have = sum(map(len, parts))
        while have < count or not parts:
            batch = next(self._batches, None)
            if batch is None:
                break
            parts = [*parts, batch.frame]
            have += len(batch.frame)
        if have < count and self._blank is not None:
            schema = {str(i): pl.String for i in range(self._blank)} if not parts else dict(parts[0].schema)
            parts = [*parts, pl.DataFrame(schema=schema).clear(count - have)]
            have = count
        if have < count or (not parts and count):
            return None
        if not parts:
            return pl.DataFrame()
        whole = pl.concat(parts)
        self._left = whole.slice(count)
        return whole.head(count)


def _spread(cells: pl.Series, kept: pl.Series | None) -> pl.Series:
    """The cells of the rows that stay, among nulls for those that don't."""
    if kept is None:
        return cells
    at = (kept.cast(pl.Int64).cum_sum() - 1).clip(lower_bound=0)
    if not len(cells):
        return pl.Series([None] * len(kept), dtype=cells.dtype)
    return cells.gather(at).zip_with(kept, pl.Series([None], dtype=cells.dtype))
