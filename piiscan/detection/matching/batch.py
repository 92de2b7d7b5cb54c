"""The summary of a batch: the door of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piiscan.core.types import Batch, Field
from piiscan.detection.distinct import distinct
from piiscan.detection.matching import files_in_cells, quiet_values, timed_rules
from piiscan.detection.matching.canonical_cells import canonical_each, read, written
from piiscan.detection.matching.column_ways import Index, way_of, ways_of
from piiscan.detection.matching.match_column import Counts, count, parted
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.matching.quiet_values import RESERVED, Others, QuietValues
from piiscan.detection.matching.sampling import Among, Hashes, Texts, hashed, row_hashes, sample_rows, sample_values
from piiscan.detection.summary.column_summary import TOGETHER, ColumnSummary
from piiscan.detection.summary.hit_counts import FIRST_ROWS, Hits, RuleHits
from piiscan.detection.summary.sample import VALUES, Sample, values_of
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import Rule
from piiscan.rules.reserved_values import TAKEN_AS

if TYPE_CHECKING:
    import polars as pl

    from piiscan.detection.matching.canonical_cells import CanonicalCells

Column = tuple[ColumnSummary, Hashes]
Map = Callable[[Callable[[int], Column], Iterable[int]], Iterable[Column]]
"""`map`, or a thread pool's."""
_OthersOf = Mapping[tuple[str, bool], Others]
"""By rule and whole?, as `Counts` has it."""


def summarise(
    batch: Batch,
    fields: Sequence[Field],
    prefilter: Prefilter,
    so_far: TableSummary | None = None,
    parallel: Map = map,
    quiet: Sequence[QuietValues] | None = None,
) -> TableSummary:
    """The summary of one batch alone.

    `so_far`, the summary of other batches that this one will be added to, lets the samples skip what can't get into
    them: what is left out changes nothing in the sum. `parallel` maps over the columns. `quiet`: for each column, which
    values raise no alarm (reserved ones).
    """
    columns = batch.frame.get_columns()

    def one(i: int) -> Column:
        limit = so_far.columns[i].sample.limit if so_far else None
        own = RESERVED if quiet is None else quiet[i]
        k = values_of(len(columns))
        return column_summary(columns[i], fields[i].name, prefilter, batch.offset, limit, k=k, quiet=own)

    return table_summary(batch, tuple(parallel(one, range(len(columns)))), so_far.row_sample.limit if so_far else None)


def table_summary(batch: Batch, columns: Sequence[Column], limit: int | None, on_demand: bool = False) -> TableSummary:
    """The summary of a batch whose columns are summed up. `limit`: of the row sample.

    `on_demand`: its rows are fetched from the batch when asked for.
    """
    rows = sample_rows(batch.frame, [hashes for _, hashes in columns], limit, on_demand)
    return TableSummary(batch.rows, tuple(summary for summary, _ in columns), rows)


def column_summary(
    column: pl.Series,
    name: str | None,
    prefilter: Prefilter,
    offset: int | None,
    limit: int | None = None,
    executor: Executor | None = None,
    k: int = VALUES,
    quiet: QuietValues = RESERVED,
) -> Column:
    """The summary of one column of a batch whose first row is number `offset`, and a hash for each of its rows.

    `executor`: as in `match_column.count`. `k`: values to keep. `quiet`: values that raise no alarm.
    """
    cells = written(column)
    way = way_of(cells.text, prefilter)
    cells = read(cells, way.passing)
    named = prefilter.compiled.rules.named(name)
    counts = count(cells.text, prefilter, named, executor, way)
    hashes = hashed(cells.text)
    sample = sample_values(cells, hashes, limit, k)
    return _summary(column, cells, prefilter, offset, named, counts, hashes, sample, quiet)


class ColumnPart(NamedTuple):
    """A column of a batch, with the arguments of `column_summary`."""

    column: pl.Series
    name: str | None
    offset: int | None
    limit: int | None = None
    k: int = VALUES
    quiet: QuietValues = RESERVED


def column_summaries(
    parts: Sequence[ColumnPart], prefilter: Prefilter, executor: Executor | None = None, on_demand: bool = False
) -> list[Column]:
    """Summarise several columns with few rows, of one table or of many.

    Rules see the cells of all columns with alike headers at once, since a call of polars costs as much as some
    thousand cells. `on_demand`: the texts of samples are fetched from the cells when asked for.
    """
    import polars as pl

    cells = canonical_each([part.column for part in parts])
    lengths = np.array([len(c.text) for c in cells], dtype=np.int64)
    stops = np.cumsum(lengths)
    every = pl.concat([c.text for c in cells], rechunk=True)
    hashes, texts, files = hashed(every), Texts(every), files_in_cells.places(every)
    headed: dict[frozenset[str], list[int]] = {}
    for i, part in enumerate(parts):
        headed.setdefault(prefilter.compiled.rules.named(part.name), []).append(i)
    out: dict[int, Column] = {}
    together = [pl.concat([cells[i].text for i in alike], rechunk=True) for alike in headed.values()]
    ways = ways_of(together, prefilter)
    for (named, alike), text, way in zip(headed.items(), together, ways, strict=True):
        counts = count(text, prefilter, named, executor, way)
        for i, own in zip(alike, parted(counts, np.cumsum(lengths[alike])), strict=True):
            start = int(stops[i] - lengths[i])
            own_files = files[slice(*np.searchsorted(files, (start, stops[i])))] - start
            own_hashes = hashes[start : stops[i]]
            column, _, offset, limit, k, quiet = parts[i]
            sample = sample_values(cells[i], own_hashes, limit, k, Among(texts, start) if on_demand else None)
            out[i] = _summary(column, cells[i], prefilter, offset, named, own, own_hashes, sample, quiet, own_files)
    return [out[i] for i in range(len(parts))]


def _summary(
    column: pl.Series,
    cells: CanonicalCells,
    prefilter: Prefilter,
    offset: int | None,
    named: frozenset[str],
    counts: Counts,
    hashes: Hashes,
    sample: Sample,
    quiet: QuietValues,
    files: Index | None = None,
) -> Column:
    """The summary of a column of which rules have counted cells. `files`: its cells that may hold files, if known."""
    over_budget = timed_rules.count(cells.text, prefilter.compiled.timed, counts, named)
    patterns = prefilter.compiled.patterns
    others = {
        key: quiet_values.others(cells.text, c.cells, patterns[key[0]], key[1], quiet) for key, c in counts.items()
    }
    summary = ColumnSummary(
        cells.count,
        cells.nulls,
        _hits(counts, cells, offset, others),
        sample,
        over_budget,
        _together(counts, prefilter.compiled.rules.by_id, cells, offset, others),
        *_not_only(counts, cells.text, prefilter.compiled.rules.by_id, quiet),
        _files(cells.text, counts, files),
    )
    return summary, row_hashes(column, cells, hashes)


def _files(text: pl.Series, counts: Counts, files: Index | None) -> dict[str, int]:
    """How many cells hold files, by their kind. Those that a rule matches as a whole hold none."""
    if files is not None and not len(files):
        return {}
    whole = [found.cells for (_, is_whole), found in counts.items() if is_whole and len(found.cells)]
    if not whole:
        return files_in_cells.count(text, files)
    rest = np.ones(len(text), dtype=np.bool_)
    for index in whole:
        rest[index] = False
    return files_in_cells.count(text.filter(rest)) if files is None else files_in_cells.count(text, files[rest[files]])


def _together(
    counts: Counts, rules: Mapping[str, Rule], cells: CanonicalCells, offset: int | None, others: _OthersOf
) -> dict[str, RuleHits]:
    """What `ColumnSummary.together` says of the cells that were counted."""
    found: dict[str, tuple[list[tuple[str, bool]], list[tuple[str, bool]]]] = {}
    for rule, whole in counts:
        known = rules[rule]
        counted = known.search == "anywhere" if whole else known.search != "cell"
        if counted and known.check is None and known.entity in TOGETHER:
            found.setdefault(known.entity, ([], []))[0 if whole else 1].append((rule, whole))
    out = {}
    for entity, parts in sorted(found.items()):
        whole_cells, within = (_union(counts[key].cells for key in part) for part in parts)
        within = np.setdiff1d(within, whole_cells, assume_unique=True)
        if len(whole_cells) + len(within):
            hits = []
            for index, part in ((whole_cells, parts[0]), (within, parts[1])):
                of = [others[key] for key in part]
                rows = [_first_rows(i, cells, offset) for i in (index, _union(one.first for one in of))]
                unreserved, loud = any(one.unreserved for one in of), any(len(one.first) for one in of)
                hits.append(Hits(len(index), len(index), rows[0], unreserved, loud, rows[1]))
            out[entity] = RuleHits(*hits)
    return out


def _union(parts: Iterable[Index]) -> Index:
    return distinct(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))


def _not_only(
    counts: Counts, cells: pl.Series, rules: Mapping[str, Rule], quiet: QuietValues
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What `ColumnSummary.unreserved` and `others` say of the cells that were counted."""
    if not len(cells):
        return (), ()
    known = quiet.entities
    whole: dict[str, list[Index]] = {}
    for (rule, is_whole), found in counts.items():
        entity = rules[rule].entity
        for one in (entity, TAKEN_AS.get(entity)):
            if is_whole and one in known:
                whole.setdefault(one, []).append(found.cells)
    full = [e for e, parts in whole.items() if _cover(parts, len(cells))]
    if not full:
        return known, known
    unreserved = {e for e in full if not quiet_values.all_reserved(cells, e)}
    others = unreserved if quiet == RESERVED else {e for e in full if not quiet_values.all_quiet(cells, e, quiet)}
    return tuple(e for e in known if e not in full or e in unreserved), tuple(
        e for e in known if e not in full or e in others
    )


def _cover(parts: Sequence[Index], n: int) -> bool:
    """Whether every one of `n` cells is in one of the parts."""
    if max(map(len, parts)) == n:
        return True
    return sum(map(len, parts)) >= n and len(distinct(np.concatenate(parts))) == n


def _first_rows(index: Index, cells: CanonicalCells, offset: int | None) -> tuple[int, ...]:
    return () if offset is None else tuple(int(r) + offset for r in cells.row_of(index[:FIRST_ROWS]))


def _hits(counts: Counts, cells: CanonicalCells, offset: int | None, others: _OthersOf) -> dict[str, RuleHits]:
    out: dict[str, RuleHits] = {}
    for (rule, whole), found in sorted(counts.items()):
        index = found.cells
        unreserved, first = others[rule, whole]
        rows = _first_rows(index, cells, offset), _first_rows(first, cells, offset)
        hits = Hits(found.candidates, len(index), rows[0], unreserved, len(first) > 0, rows[1])
        out[rule] = out.get(rule, RuleHits()) + (RuleHits(whole=hits) if whole else RuleHits(within=hits))
    return out
