"""Checks one column of the output against its operator's contract, and looks for originals in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.core.entities import PII_CLASS
from piiscan.detection.matching.match_column import Counts
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.text.rule_spans import spans_in
from piiscan.masking.apply.column_masker import ColumnMasker
from piiscan.masking.apply.originals import UNIQUE, Originals, normalised
from piiscan.masking.apply.recorder import ColumnRecord, DistinctCount, TableRecorder
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.operator import DECLARING, Operator
from piiscan.masking.plan.plan_types import Action
from piiscan.masking.proof import prose
from piiscan.masking.proof.chance import Chance, not_phrases
from piiscan.masking.proof.column_prints import PLACES
from piiscan.masking.proof.columns_together import Cells
from piiscan.masking.proof.house_numbers import HouseNumbers
from piiscan.masking.proof.people_index import Found
from piiscan.masking.proof.printer import Prints, Rows
from piiscan.masking.result import ANYBODY_LEFT, OWN_LEFT, CheckResult
from piiscan.masking.run.batch_values import ColumnValues
from piiscan.masking.run.look_ups import LookUps, PeopleOfRows
from piiscan.masking.run.outputs import Output

GONE: Final = ("empty", "removed")
STAYS: Final = "no row keeps its original"
_MADE_UNLIKE: Final = ("EMAIL_ADDRESS", "USERNAME", "MAC_ADDRESS")
"""Operators none of whose masks is anybody's original."""
_ONE_BY_CHANCE: Final = 0.2
"""Rows in which a mask may be an own value where none of some other rows' is one."""
_CALLED_AS_PLACE: Final = 0.001
"""Of people so many are called as the place where they live is: more than as somebody else's, far away."""
_CALLED_AS_STREET: Final = 0.005
"""Of streets, many of which bear the name of somebody, so many bear that of their own person where both are of the
person's own locale: more than that of a person of another one."""
_NEXT_TO_NOTHING: Final = 0.002
_SHOWN: Final = 5
"""Rows that are named."""


def worth_counting(expected: float) -> float:
    """The number expected by chance, or 0 where it is negligible: then even one hit is too many."""
    return expected if expected >= _NEXT_TO_NOTHING else 0.0


class ColumnCheck:
    """Checks one column of the output against its operator's contract."""

    def __init__(
        self,
        action: Action,
        operator: Operator,
        column: ColumnMasker,
        record: ColumnRecord,
        originals: Originals,
    ) -> None:
        self._action, self._operator = action, operator
        self._column, self._record, self._originals = column, record, originals
        self._filled = self._found = self._strange = self._fired = 0
        self._searched = False
        self._candidates = self._expected = self._fixed = 0.0
        self._values = 0
        self._digits = 0
        self._own: list[Rows] = []
        self._everywhere: list[Rows] = []
        self._phrases: list[tuple[Rows, Prints]] = []
        self._own_by_chance = self._own_at_random = 0.0
        self._by_chance, self._names = Chance(), np.zeros(0, dtype=np.uint64)
        self._explained = 0
        self._only_words = True
        self._own_texts: set[int] = set()
        self._more = [0, 0]
        is_street = action.entity == "STREET_ADDRESS" and operator.contract == "range"
        self._house_numbers = HouseNumbers() if is_street else None

    @classmethod
    def of(cls, index: int, recorder: TableRecorder, originals: Originals) -> ColumnCheck:
        column = recorder.masker.columns[index]
        return cls(column.action, column.operator, column, recorder.columns[index], originals)

    def as_kept(self) -> ColumnCheck:
        """For cells that stand beside this column's, and should be what they were."""
        action = replace(self._action, operator="keep", params={}, entity=None)
        return ColumnCheck(action, operator_registry.make("keep", {}), self._column, self._record, self._originals)

    @property
    def output_name(self) -> str | None:
        return self._action.rename or self._action.name

    @property
    def action(self) -> Action:
        return self._action

    @property
    def planned(self) -> Action:
        """The plan's action for the column in which the cells were; masked maps are texts, read as columns of keys."""
        return self._column.action

    @property
    def label(self) -> str:
        return self._column.label

    @property
    def filled(self) -> int:
        """How many cells of the output hold something."""
        return self._filled

    @property
    def searched(self) -> bool:
        """Whether rules looked at its cells, which are texts."""
        return self._searched

    @property
    def fired(self) -> int:
        """In how many different cells a rule for direct identifiers finds something."""
        return self._fired

    @property
    def _declares(self) -> bool:
        return self._operator.contract in DECLARING

    def emptied(self, cells: pl.Series, rows_before: int | None) -> pl.Series:
        """Return the cells without the numbers 1, 2, 3, … that SQLite gives an emptied key."""
        if rows_before is None or self._operator.contract != "empty" or not cells.dtype.is_integer():
            return cells
        numbers = pl.int_range(rows_before + 1, rows_before + 1 + len(cells), eager=True)
        return cells.zip_with(cells.cast(pl.Int64) != numbers, pl.Series([None], dtype=cells.dtype))

    def look_up(self, cells: pl.Series, people: PeopleOfRows, look_ups: LookUps) -> None:
        """Have the cells looked up among the originals."""
        made_up_street = self._action.entity == "STREET_ADDRESS" and self._action.operator not in ("keep", "spans")
        if looked := people.cells(cells, names=not made_up_street):
            take: Callable[[Found], None] = self._take
            if self._is_kept and self._is_listed:
                take = partial(self._take_kept, *looked)
            elif self._operator.subject_decides:
                take = partial(self._take_made_up, *looked)
            look_ups.add(*looked, take)

    def _take_kept(self, rows: Rows, cells: Cells, found: Found) -> None:
        """Take what was found in cells of a column that is kept, and whether all of it may be words."""
        self._take(found)
        if len(found.own) and self._only_words:
            texts = cells.texts.filter(pl.Series(np.isin(rows, found.own)))
            self._only_words = all(map(prose.is_prose, texts.unique().to_list()))

    def _take_made_up(self, rows: Rows, cells: Cells, found: Found) -> None:
        """Take what was found in cells of made-up people, and in how many different ones: they repeat with people."""
        self._take(found)
        if len(found.own):
            texts = cells.texts.filter(pl.Series(np.isin(rows, found.own)))
            self._own_texts.update(texts.unique().hash().to_list())

    def _take(self, found: Found) -> None:
        self._own.append(found.own)
        self._everywhere.append(found.everywhere)
        self._more = [a + b for a, b in zip(self._more, found.more, strict=True)]
        self._phrases.append(found.phrases)
        self._own_by_chance += found.by_chance
        self._own_at_random += found.at_random
        self._by_chance += found.chance
        self._names = np.union1d(self._names, found.names)
        self._explained += found.explained

    @property
    def _is_kept(self) -> bool:
        return self._action.operator == "keep"

    @property
    def _is_listed(self) -> bool:
        """Whether values of its entity, but for texts and keys, are among those of a list or a range."""
        return self._action.entity not in (None, "FREE_TEXT", "URL", "GENERIC_ID")

    @property
    def _is_gone(self) -> bool:
        return self._operator.contract in GONE

    @property
    def is_searched(self) -> bool:
        """Whether rules look at its cells, where these are texts."""
        return self._is_gone or self._action.operator in ("keep", "spans")

    def see(self, held: ColumnValues, prefilter: Prefilter) -> None:
        self._filled += held.filled
        self._found += held.originals
        self._digits = self._digits or held.digits
        if self._house_numbers is not None:
            self._house_numbers.add(held.texts)
        if held.counts is not None:
            self._searched = True
            self._look_inside(held, held.counts, prefilter)
        if self._operator.permutes:
            self._fixed += self._operator.fixed_points(held.values)
            self._values += len(held.values)
        if self._declares:
            self._strange += int((~self._operator.declares(held.values, self._column.key)).sum() or 0)

    def _look_inside(self, held: ColumnValues, counts: Counts, prefilter: Prefilter) -> None:
        hit: set[int] = set()
        for (rule, _), hits in counts.items():
            known = prefilter.compiled.patterns[rule].rule
            if PII_CLASS[known.entity] == "direct":
                hit.update(int(i) for i in hits.cells)
                self._candidates += hits.candidates * known.chance
        self._fired += len(hit)
        if self._is_gone or not hit:
            return
        at = sorted(hit)
        texts = held.texts.gather(at).to_list()
        found = spans_in(held.texts, at, counts, prefilter.compiled)
        spans = [
            (s.entity, t[s.start : s.end])
            for t, each in zip(texts, found, strict=True)
            for s in each
            if s.entity in UNIQUE
        ]
        if self._action.operator == "spans":  # masks of the same look may be somebody's
            self._expected += sum(
                self._originals.counts.get(e, 0) / 10.0 ** max(0, sum(map(str.isdigit, t)) - 1)
                for e, t in spans
                if e not in _MADE_UNLIKE
            )
        inside = normalised(pl.Series([t for _, t in spans], dtype=pl.String)).drop_nulls()
        leaked = inside.filter(pl.Series(self._originals.among(inside), dtype=pl.Boolean))
        self._found += int((~leaked.is_in(held.normalised.drop_nulls().implode())).sum()) if len(leaked) else 0

    def results(self, output: Output) -> Iterator[CheckResult]:
        action, operator, record = self._action, self._operator, self._record
        result = partial(output.result, self._column.label)
        yield result(
            "no unique original is left in a cell or in a text", self._filled, self._found, self._originals_by_chance()
        )
        yield from self._of_people(output)
        if action.operator == "keep":
            return
        if operator.contract == "empty":
            yield result("nothing is left in it", record.filled, self._filled)
        if self._is_gone:
            yield result("no rule finds an identifier", self._filled, self._fired, self._candidates)
        if self._declares:
            yield result("every mask lies in its operator's range", self._filled, self._strange)
        if operator.permutes and self._values:  # a value that often occurs stays as often
            different = record.values.count
            expected = self._fixed / self._values * different
            yield result(STAYS, different, record.unchanged.count, expected)
        elif operator.contract in ("range", "removed", "moved"):
            found = result(STAYS, record.filled, record.stayed, self._stays_by_chance())
            often = 1.0 if operator.names_by_row else record.stayed / max(1, record.choices.count)
            yield found._replace(variance=found.expected * often)
        if operator.contract not in ("empty", "coarser", "range"):
            yield result("empty cells stay empty, others don't get empty", record.filled, abs(record.emptied))
        if operator.keeps_distinct:
            before, after = record.values.count, record.masks.count
            estimate = 0.1 * before if before >= DistinctCount.LIMIT else 0.0
            yield result("different values stay different", before, max(0, before - after), estimate)

    def _of_people(self, output: Output) -> Iterator[CheckResult]:
        """Check whether values of the row's own person, or unique values of anybody, are left.

        Counts beyond what other rows' keys find, and what made-up names and numbers share with real ones.
        """
        if not self._own:
            return
        own = np.concatenate(self._own)
        everywhere = np.union1d(np.concatenate(self._everywhere), not_phrases(self._phrases))
        chance = self._own_chance(bool(len(own)))
        of_anybody, variance = self._by_chance.expected, self._by_chance.variance
        different = output.result(None, ANYBODY_LEFT, 0, len(self._names), self._by_chance.different_names)
        if different.expected and not different.holds:  # too many names to be a few that many cells repeat
            of_anybody, variance = different.expected, 0.0
        if self._operator.permutes:
            of_anybody += self._originals_by_chance() + self._stays_by_chance()
        if len(everywhere) and output.recorder.people:
            of_anybody += self._streets_by_chance(output.recorder.people.index().are_of_anybody)
        name = self._column.label
        again = chance * len(own) / max(1, len(self._own_texts)) if self._own_texts else 0.0
        for promise, rows, more, expected, spread in (
            (OWN_LEFT, own, self._more[0], chance, again),
            (ANYBODY_LEFT, everywhere, self._more[1], worth_counting(of_anybody), variance),
        ):
            found = output.result(name, promise, self._filled, len(rows) + more, expected)
            which = tuple(rows[:_SHOWN].tolist())
            yield found._replace(rows=which, variance=spread, operator=self._action.operator)

    def _own_chance(self, any_found: bool) -> float:
        """How many cells are expected to hold a value of the row's own person. `any_found`: whether some do."""
        action, chance = self._action, self._own_by_chance
        if self._is_kept:
            if action.entity not in ("FREE_TEXT", "URL"):
                # Of one row in thousands three other keys tell little: its number may be its own postal code.
                chance = max(chance, worth_counting(self._own_at_random))
            if self._is_listed and any_found and self._only_words:
                chance = max(chance, _ONE_BY_CHANCE)  # somebody called Green has the colour Green
            if action.entity in PLACES:
                chance += _CALLED_AS_PLACE * self._filled
        elif self._explained or (any_found and (self._is_listed or self._operator.contract == "moved")):
            # A moved date may be another date of its person by chance, as a made-up name may be the own one. Where each
            # row has another made-up name, names of its own person among them say nothing: how many cells keep their
            # name altogether is a promise of its own.
            chance = max(chance, _ONE_BY_CHANCE, float(self._explained) if self._operator.names_by_row else 0.0)
        if any_found:  # made-up people have the gender of their own, as half of the others have
            chance += self._record.given / 2
        if action.entity == "STREET_ADDRESS" and (self._is_kept or action.params.get("locales")):
            chance += _CALLED_AS_STREET * self._filled
        return chance

    def _stays_by_chance(self) -> float:
        """How many cells are expected to keep their own original."""
        if self._record.may_stay is not None:
            return worth_counting(self._record.may_stay)
        share = self._column.share_that_stays
        if share is None:
            share = self._operator.share_that_stays
        if share is None and self._operator.permutes and self._operator.may_be_original:
            share = 1 / max(1.0, self._operator.capacity(self._digits))
        return self._originals_by_chance() if share is None else share * self._record.filled

    def _originals_by_chance(self) -> float:
        """How many cells are expected to hold somebody's original."""
        # A column that refers to keys of other tables has their masks, whatever its own entity is.
        kinds = {self._action.entity or "", self._action.domain or ""}
        known = sum(self._originals.counts.get(kind, 0) for kind in kinds)
        by_masks = self._operator.originals_by_chance(self._record.masks.count, known, self._digits)
        made_up = 0.0
        if self._found:
            made_up = self._streets_by_chance(self._are_originals)
            made_up += self._operator.share_known(self._are_originals) * self._filled
        return self._expected + by_masks + self._column.coincidences + made_up

    def _streets_by_chance(self, are_known: Callable[[pl.Series], NDArray[np.bool_]]) -> float:
        """How many made-up streets are expected to be somebody's identifier.

        It takes longer than all other checks of the column, so it is asked where some are.
        """
        if self._house_numbers is None:
            return 0.0
        params = self._action.params
        locales = (str(params.get("locale") or ""), *params.get("locales", ()))
        return self._house_numbers.by_chance(are_known, locales)

    def _are_originals(self, texts: pl.Series) -> NDArray[np.bool_]:
        whole = normalised(texts)
        has = whole.is_not_null().to_numpy()
        found = np.zeros(len(whole), dtype=np.bool_)
        found[has] = self._originals.among(whole.drop_nulls())
        return found
