"""Masks texts: known values of people wherever they occur, and what the rules and the recogniser find.

The rest of each text stays as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple
from urllib.parse import quote, quote_plus

import numpy as np
import polars as pl

from piiscan.core.apart import Apart
from piiscan.detection.reading.url_encoding import unquoted
from piiscan.detection.reading.visible_text import visible_among
from piiscan.detection.text.analyzer import Analyzer, FindSpans
from piiscan.masking.apply.distinct_values import on_distinct
from piiscan.masking.apply.executors import beside
from piiscan.masking.apply.repeats import Document, NamedText, Waiting, as_said, repeated, with_declined
from piiscan.masking.apply.text_mentions import (
    NAMED,
    NOWHERE,
    Firm,
    Mention,
    counts,
    cuts_any,
    is_name,
    is_other_person,
    left_names,
    uncovered,
    with_given,
    with_others,
    without_overlaps,
)
from piiscan.masking.known import rendering, repeated_names
from piiscan.masking.known.choosing import chosen
from piiscan.masking.known.dates_in_texts import REMOVED, WrittenDate, dates_in, may_have_dates, moved
from piiscan.masking.known.entries import NONE
from piiscan.masking.known.known_values import KnownValues
from piiscan.masking.known.mentions import Found, Search
from piiscan.masking.known.value_forms import (
    BORN,
    EMAIL,
    FIRST,
    FIRST_STEM,
    FULL,
    INNER,
    LAST,
    LAST_STEM,
    LOGIN,
    NAME,
    NUMBER,
    PAGE,
    PARTS,
    PHONE,
    SHORT,
    STEMS,
    STREET,
    USERNAME,
)  # fmt: skip
from piiscan.masking.known.written_ages import AGE, ages_over_89
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.date_shift import DateShift
from piiscan.masking.operators.operator import Contract, Operator, RowContext
from piiscan.masking.operators.persona import Persona
from piiscan.masking.operators.spans import Spans
from piiscan.masking.plan.plan_types import Span

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from piiscan.core.keys import Key, Subkey
    from piiscan.core.types import DType
    from piiscan.detection.reading.visible_text import Visible
    from piiscan.masking.known.folded_text import Hashes, Ints


_TOGETHER: Final = 1 << 14
"""Texts that are masked together: what is cut out of them takes many times their room."""
_SURE: Final = 0.8
"""How sure the recogniser has to be of a name where the people that rows are about are known; else all counts that it
finds."""
_SEPARATORS: Final = " \t\n\r,;"
_OF_SIGNS: Final = (NUMBER, PHONE, STREET, EMAIL, PAGE)
_FIRM: Final = 7
"""Characters of a number or an address of the row's own person that no other value cuts."""
_REST: Final = 3
"""Letters and digits of a span beside a known value that are masked too, if there are more."""


class _Cut(NamedTuple):
    """A part of a text that is replaced by `mask`."""

    start: int
    end: int
    mask: str


class TextMasker(Operator):
    """The operator `spans` within a plan, whose spans say how.

    `params` are its own in the plan. `dates`: the key that dates move by. `batch`: finds spans as `Analyzer.batch`
    does. `document`: that whose lines the texts are, so that a name in one line is repeated in part in others.
    """

    name: ClassVar[str] = "spans"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "kept"

    def __init__(
        self,
        spans: Sequence[Span],
        key: Key | None,
        params: Mapping[str, Any],
        known: KnownValues | None = None,
        dates: Subkey | None = None,
        batch: FindSpans | None = None,
        document: Document | None = None,
    ) -> None:
        self._document = document
        self.params = Spans(**params)
        self._operators: dict[str, Operator] = {s.entity: operator_registry.make(s.operator, s.params) for s in spans}
        self._keys: dict[str, Subkey | None] = {
            s.entity: None if key is None else key.subkey(s.domain or s.entity) for s in spans
        }
        self._analyzer, self._batch = Analyzer(names=self.params.names), batch or Analyzer.batch
        self._only_own = self.params.mentions == "own"
        self._person = "<PERSON" if self._only_own else "PERSON"
        """What a person whom the recogniser finds is masked as."""
        self._dates = dates
        self._passed_over = frozenset(("DATE_OF_BIRTH",)) if self.params.shift_days else frozenset[str]()
        """Dates of birth move, as all dates do, where dates move."""
        self._made_up = deque[str]()
        self._known = known
        self._search = Search(known) if known else None

    def dtype(self, before: DType) -> DType:
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """Mask distinct texts (no nulls) of which no row's person is known."""
        return self.mask_texts(values, ())

    def mask_texts(
        self,
        cells: pl.Series,
        keys: Sequence[Hashes],
        subjects: pl.Series | None = None,
        executor: Executor | None = None,
    ) -> pl.Series:
        """Return the masked texts of some rows, nulls included.

        `keys` identify the person of each row (`KnownValues.keys`), `subjects` whose date offset applies to the dates
        in a text. `executor` is that of this thread, for parts of the work.
        """
        return pl.concat(
            self._mask_some(
                cells.slice(at, _TOGETHER),
                [key[at : at + _TOGETHER] for key in keys],
                None if subjects is None else subjects.slice(at, _TOGETHER),
                executor,
            )
            for at in range(0, max(1, len(cells)), _TOGETHER)
        )

    def _mask_some(
        self, cells: pl.Series, keys: Sequence[Hashes], subjects: pl.Series | None, executor: Executor | None
    ) -> pl.Series:
        texts = cells.drop_nulls().unique(maintain_order=True)
        if not len(texts):
            return cells
        written, places = texts.to_list(), _places(cells, texts)
        distinct, seen = written, visible_among(texts)
        if seen:  # all is looked for in what a reader sees; the rest of a text stays as it is written
            distinct = [seen[i].text if i in seen else text for i, text in enumerate(written)]
            texts = pl.Series(distinct, dtype=pl.String)
        known = beside(executor, partial(self._mentions, distinct, places, keys))
        least = _SURE if keys and self._search else 0.0
        numbered = texts.str.contains("[0-9]").to_list()  # no date and no age is written without one
        by_text = self._batch(self._analyzer, distinct, partial(beside, executor))
        spans = [
            self._spans_in(text, each, least, has_number)
            for text, each, has_number in zip(distinct, by_text, numbered, strict=True)
        ]
        found, mentions = known()
        moves = bool(self.params.shift_days)
        dated = may_have_dates(texts).to_list() if moves else [False] * len(texts)
        days = [
            dates_in(text, self.params.order) if has_date else []
            for text, has_date in zip(distinct, dated, strict=True)
        ]
        has = np.array([bool(s or d) for s, d in zip(spans, days, strict=True)])
        if self._document is not None:
            has[:] = True  # any line may repeat a name of another one
        rows = sorted({*mentions, *np.flatnonzero(has[places] & (places >= 0)).tolist()})
        of = [int(places[r]) for r in rows]
        cuts = self._cuts(
            [(r, distinct[n], spans[n], mentions.get(r, ()), by_text[n]) for r, n in zip(rows, of, strict=True)], found
        )
        if any(days):
            self._move_dates(cuts, [(r, distinct[places[r]], days[places[r]]) for r in rows], subjects)
        changed = [_replaced(written[places[r]], sorted(cut), seen.get(int(places[r]))) for r, cut in cuts.items()]
        return cells.clone().scatter(list(cuts), pl.Series(changed, dtype=pl.String))

    def _spans_in(self, text: str, found: Sequence[Any], least: float, has_number: bool) -> list[Any]:
        """Of what rules and the recogniser find, what may be masked; and ages over 89, where the plan masks ages."""
        spans = [
            s for s in found if s.entity not in self._passed_over and (s.entity not in NAMED or is_name(s, text, least))
        ]
        if has_number and AGE in self._operators:
            spans += ages_over_89(text)
        return without_overlaps(spans) if spans else []

    def _mentions(
        self, texts: list[str], places: Any, keys: Sequence[Hashes]
    ) -> tuple[Found | None, dict[int, list[Mention]]]:
        """Find the known values in each row's text that may be masked; none lies within another one.

        Certain ones come first, then longer ones, unless they cut the row's own: "Mill Road, 212 555 0100" ends in no
        address at 212 Mill Road.
        """
        if self._search is None or self._known is None:
            return None, {}
        found = self._search.find(texts)
        picked = chosen(self._known, found, places, keys)
        picked = with_others(self._known, found, picked, places)
        size = (found.stop - found.start)[picked.at]
        order = np.lexsort((found.ending[picked.at], ~picked.own, -size, ~picked.sure, picked.row))
        out: dict[int, list[Mention]] = {}
        cut = np.zeros(len(picked.entry), dtype=np.int64)
        known = picked.entry != NONE
        cut[known] = self._known.entries.cut[picked.entry[known]]
        columns = (
            picked.row, found.start[picked.at], found.stop[picked.at], picked.kind, picked.entry, picked.sure,
            picked.own, self._known.common[found.value[picked.at]], picked.at, cut,
        )  # fmt: skip
        is_firm = picked.sure & np.isin(picked.kind, _OF_SIGNS) & (size >= _FIRM)
        firm: dict[int, list[Firm]] = {}
        for at in np.flatnonzero(is_firm).tolist():
            n = picked.at[at]
            place = Firm(int(found.start[n]), int(found.stop[n]), int(picked.kind[at]), bool(picked.own[at]))
            firm.setdefault(int(picked.row[at]), []).append(place)
        taken: dict[int, Apart] = {}
        for row, *rest in zip(*(c[order].tolist() for c in columns), strict=True):
            m = Mention(*rest)
            kept = out.setdefault(row, [])
            if not cuts_any(m, firm.get(row, ())) and taken.setdefault(row, Apart()).add(m.start, m.end):
                kept.append(m)
        return found, out

    def _cuts(
        self, rows: Sequence[tuple[int, str, list[Any], Sequence[Mention], Sequence[Any]]], found: Found | None
    ) -> dict[int, list[_Cut]]:
        """The cuts of some rows.

        Of each: its text, what rules and the recogniser find in it, what is known of it, and all that the recogniser
        found before unsure names were left out.
        """
        cuts: dict[int, list[_Cut]] = {}
        waiting: dict[str, list[Waiting]] = {}
        given: list[tuple[int, str, str | None]] = []
        named: list[NamedText] = []
        for row, text, spans, mentions, by_all in rows:
            likely = frozenset((s.start, s.end) for s in by_all if s.entity == "PERSON") if mentions else NOWHERE
            taken = [m for m in mentions if counts(m, text, mentions, spans, likely)]
            cuts[row] = [*self._of_mentions(row, text, taken, found, waiting, given)]
            left = with_given([*self._left_spans(text, spans, taken)], text, taken)
            names = self._names(text, left, taken)
            if names or self._document is not None:
                places = [(each.start, each.end) for each in (*taken, *spans)]
                again = [*repeated(text, names, places)]
                left += [(self._person, *place) for place in again]
                named.append(NamedText([row], [0], text, names, [*places, *again]))
            for entity, start, end in left:
                waiting.setdefault(entity, []).append(as_said(entity, row, start, end, text[start:end]))
        if persons := self._with_repeated(waiting.get(self._person, []), named):
            waiting[self._person] = persons
        for entity, each in sorted(waiting.items(), key=lambda one: one[0] == "FIRST_NAME"):  # behind names in full
            for w, mask in zip(each, self._masks_of(entity, each, given), strict=True):
                cuts[w.row].append(_Cut(w.start, w.end, self._as_written(entity, w, mask)))
        return {row: each for row, each in cuts.items() if each}

    def _of_mentions(
        self,
        row: int,
        text: str,
        taken: Sequence[Mention],
        found: Found | None,
        waiting: dict[str, list[Waiting]],
        given: list[tuple[int, str, str | None]],
    ) -> Iterator[_Cut]:
        """Yield the known values in a text that have masks; `waiting` gets others, `given` those of other persons."""
        for m in taken:
            written = text[m.start : m.end]
            mention = unquoted(written)
            mask = None if self._only_own and not m.own else self._known_mask(m, mention, found)
            if mask is None:
                waiting.setdefault(self._entity_of(m), []).append(Waiting(row, m.start, m.end, mention))
                continue
            if is_other_person(m):
                given.append((row, mention, mask))
            yield _Cut(m.start, m.end, mask if mention == written else quote(mask))

    def _with_repeated(self, persons: list[Waiting], named: list[NamedText]) -> list[Waiting]:
        """Persons in texts, with what texts and the document repeat of full names that isn't found in them."""
        if self._document is not None and (lines := self._document.joined(named)):
            again = [*repeated(lines.text, lines.names, lines.found)]
            persons = [*persons, *(lines.waiting(*place) for place in again)]
            lines.found.extend(again)
            everywhere = frozenset(lines.names)
            named = [each._replace(names=[name for name in each.names if name not in everywhere]) for each in named]
            named.append(lines)
        return with_declined(persons, [each for each in named if each.names])

    def _names(self, text: str, left: Sequence[tuple[str, int, int]], taken: Sequence[Mention]) -> list[str]:
        """The names of persons in a text, without that of its row's own person."""
        people = [(start, end) for entity, start, end in left if entity == self._person]
        people += [(m.start, m.end) for m in taken if is_other_person(m)]
        return [unquoted(text[start:end]) for start, end in people]

    def _as_written(self, entity: str, w: Waiting, mask: str | None) -> str:
        """A mask as what it replaces is written, or the name of the entity where there is none."""
        if mask is None:
            mask = f"<{entity.lstrip('<')}>"
        elif w.form is not None and isinstance(self._operators.get(entity), Persona):
            mask = rendering.declined(mask, *w.form)
        if w.quote is None:
            return mask
        return quote_plus(mask) if w.quote == "+" else quote(mask)

    def _masks_of(
        self, entity: str, each: Sequence[Waiting], given: list[tuple[int, str, str | None]]
    ) -> list[str | None]:
        """The masks of parts of texts that wait. `given`: rows, full names and their masks that columns give."""
        masks = self._masks(entity, pl.Series([w.text for w in each], dtype=pl.String)).to_list()
        if entity not in ("PERSON", "FIRST_NAME"):
            return masks
        names = [(w.row, w.text, mask) for w, mask in zip(each, masks, strict=True)]
        if self._document is None:
            masks = repeated_names.agreeing(names, given)
        else:
            masks = self._document.agreeing(names, given)
        if entity == "PERSON":
            given.extend((w.row, w.text, mask) for w, mask in zip(each, masks, strict=True))
            self._made_up.extend(mask for w, mask in zip(each, masks, strict=True) if mask and mask != w.text)
        return masks

    def _move_dates(
        self,
        cuts: dict[int, list[_Cut]],
        rows: Iterable[tuple[int, str, list[WrittenDate]]],
        subjects: pl.Series | None,
    ) -> None:
        """Move dates that nothing else has masked by the same number of days as those of their row's subject."""
        rows = [(row, text, days) for row, text, days in rows if days]
        each: list[int | None] = [None] * len(rows)
        if subjects is not None and self._dates is not None:
            shift = DateShift(self.params.shift_days, weekdays=self.params.weekdays)
            each = shift.offsets(subjects.gather([row for row, _, _ in rows]), self._dates).to_list()
        for (row, text, days), offset in zip(rows, each, strict=True):
            taken = cuts.get(row, [])
            for found in days:
                if not any(c.start < found.end and found.start < c.end for c in taken):
                    mask = None if offset is None else moved(text, found, offset)
                    cuts.setdefault(row, []).append(_Cut(found.start, found.end, mask or REMOVED))

    def _left_spans(self, text: str, spans: Sequence[Any], taken: Sequence[Mention]) -> Iterator[tuple[str, int, int]]:
        """Yield entity and place of what rules and the recogniser find outside of known values."""
        known = Apart((m.start, m.end) for m in taken)
        for s in spans:
            if s.entity not in self._operators:
                continue
            if not known.meets(s.start, s.end):
                yield self._person if s.entity == "PERSON" else s.entity, s.start, s.end
            elif s.entity == "PERSON":
                for start, end in left_names(text, s.start, s.end, taken):
                    yield "FIRST_NAME", start, end
            else:
                for start, end in uncovered(s.start, s.end, taken):
                    start, end = _without_separators(text, start, end)
                    if sum(c.isalnum() for c in text[start:end]) > _REST:
                        yield s.entity, start, end

    def _entity_of(self, m: Mention) -> str:
        """The entity under whose rule in the plan a mention without a mask of its own is masked."""
        known = self._known
        assert known is not None
        if m.kind in FULL or (m.kind in (LAST, LAST_STEM) and m.entry == NONE):
            entity = "PERSON"  # of a family name that several have, a name in full beside it decides
        elif m.kind in (FIRST, FIRST_STEM):
            entity = "FIRST_NAME"
        elif m.kind in (LAST, LAST_STEM):
            entity = "LAST_NAME"
        elif m.entry != NONE:
            entity = known.entities[known.entries.entity(m.entry)]
        else:
            entity = _ENTITY.get(m.kind, "PERSON")
        return f"<{entity}" if self._only_own and not m.own else entity

    def made_up_names(self) -> list[str]:
        """Full names made up, since the last call, for people who are in no table."""
        return [self._made_up.popleft() for _ in range(len(self._made_up))]

    def finish(self) -> None:
        """Release what is known of people: all texts have been masked."""
        self._known = self._search = None

    def _known_mask(self, m: Mention, mention: str, found: Found | None) -> str | None:
        """The mask that the value's column gives, in the format of the mention; None where it gives none."""
        known = self._known
        assert known is not None and found is not None
        if m.entry == NONE:
            return None
        mask_at, second_at = int(known.entries.mask[m.entry]), int(known.entries.second[m.entry])
        if mask_at < 0:
            return None
        mask = known.masks[mask_at]
        if m.kind in FULL:
            if second_at < 0:
                return None
            kind, cut = int(known.entries.kinds[known.entries.what[m.entry]]), int(known.entries.cut[m.entry])
            ending, second = int(found.ending[m.at]), known.masks[second_at]
            return rendering.full_name(kind, mention, cut, mask, second, ending) if kind in FULL else None
        if m.kind in STEMS:
            return rendering.declined(mask, mention, int(found.ending[m.at]))
        if m.kind == BORN:
            value = int(known.values[found.value[m.at]])
            return rendering.other_date(mask, mention, value, known.hasher)
        if m.kind in (NUMBER, PHONE):
            return rendering.poured(mask, mention)
        if m.kind in (*PARTS, NAME, SHORT, INNER):
            return rendering.named(mask, mention)
        return mask if m.kind == STREET else rendering.like(mask, mention)

    def _masks(self, entity: str, found: pl.Series) -> pl.Series:
        operator = self._operators.get(entity)
        if operator is None:
            return pl.Series([None] * len(found), dtype=pl.String)
        key = self._keys[entity]
        if not operator.needs:
            return on_distinct(found, lambda values: operator.mask(values, key))
        from piiscan.masking.surrogates.personas import canonical

        whose = canonical(found)
        rows = operator.as_written(found, whose) if isinstance(operator, Persona) else RowContext(whose)
        return operator.mask_rows(found, rows, key)


_ENTITY: Final[Mapping[int, str]] = {
    EMAIL: "EMAIL_ADDRESS",
    USERNAME: "USERNAME",
    LOGIN: "USERNAME",
    NUMBER: "PERSON_ID",
    PHONE: "PHONE_NUMBER",
    STREET: "STREET_ADDRESS",
    PAGE: "URL",
}


def _without_separators(text: str, start: int, end: int) -> tuple[int, int]:
    """The place without the blanks and commas around it, which divide it from the next mask."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip(_SEPARATORS)), end - (len(part) - len(part.rstrip(_SEPARATORS)))


def _places(cells: pl.Series, texts: pl.Series) -> Ints:
    """Which of the different `texts` each cell has, in whose order they are; `NONE` for a null."""
    if len(texts) == len(cells):
        return np.arange(len(cells))
    which = pl.DataFrame({"t": texts}).with_row_index("n")
    text_of = cells.to_frame("t").join(which, on="t", how="left", maintain_order="left")["n"]
    return text_of.cast(pl.Int64).fill_null(NONE).to_numpy()


def _replaced(text: str, cuts: Sequence[_Cut], seen: Visible | None) -> str:
    """A text as it is written with parts replaced, whose places are those in what is `seen` of it, if that differs."""
    out, at = [], 0
    for start, end, mask in cuts:
        if seen is not None:
            mask = mask.translate(seen.signs(text, start, end))
            start, end = seen.written(start, end)
        out += [text[at:start], mask]
        at = end
    return "".join([*out, text[at:]])
