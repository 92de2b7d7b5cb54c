"""Whether the output keeps what the plan promised: counts of named promises, never a value.

While a table is masked, fingerprints of its unique originals are taken: 64 bits, keyed, of the text without case,
spaces and punctuation, held in memory only. Then the output is read as a stranger would: every cell of every column,
and every span that the rules find in one, is looked up among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from secrets import token_bytes
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.apply.distinct_values import alike, filled, flat
from piiscan.masking.apply.side_by_side import begun
from piiscan.masking.operators import operator_registry
from piiscan.masking.plan.plan_types import Action, TablePlan

if TYPE_CHECKING:
    from piiscan.masking.apply.table_masker import TableMasker

UNIQUE: Final = frozenset(
    "EMAIL_ADDRESS US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE CREDIT_CARD IBAN_CODE BANK_ACCOUNT "
    "MEDICAL_RECORD VEHICLE_ID DEVICE_ID USERNAME MAC_ADDRESS".split()
)
"""Entities whose values belong to one person each: none may stand anywhere in the output. Telephones are shared: a
patient's may be that of the clinic, whose own stays."""
SHORTEST: Final = 6
"""Characters of a normalised identifier that can be told from anything else."""
_ANY_NUMBER: Final = r"^[0-9]{0,8}$"
"""Digits that could count or measure anything."""
_NO_IDENTIFIER: Final = r"^(?:\d{1,3}(?:\.\d{1,3}){3}|\d{4}-\d\d-\d\d.*|-?\d+\.\d+)$"
"""Internet addresses, dates and decimals, whose digits could be any number's."""
_JUNK: Final = r"[\s\-./()_+]+"
_PENDING: Final = 1 << 20
"""Fingerprints worked on together."""


class Promise(NamedTuple):
    """One promise and how it went: `cells` were looked at, of which `broken` broke it; `expected` of them by chance."""

    source: str
    table: str | None
    column: str | None
    name: str
    cells: int
    broken: int
    expected: float = 0.0

    @property
    def holds(self) -> bool:
        """Chance is given six standard deviations, and a handful more."""
        return self.broken <= (self.expected + 6 * self.expected**0.5 + 3 if self.expected else 0)


class Originals:
    """Fingerprints of the unique originals of a run, under a seed of its own that is forgotten with it; `counts` of
    them by entity.

    They never leave memory, where the originals stand too, so a fast keyed hash does. A different original takes 8
    bytes, twice that while they are
    collected and sorted, and 2 to 4 for the bitmap: 12 MB or so for a million.
    """

    def __init__(self) -> None:
        self._seed = int.from_bytes(token_bytes(8), "little")
        self._lock = Lock()
        self._parts: dict[str, list[NDArray[np.uint64]]] = {}
        self._known: Known | None = None

    def add(self, entity: str, cells: pl.Series) -> None:
        found = self.fingerprints(normalised(flat(cells).drop_nulls().unique()).drop_nulls())
        with self._lock:  # columns are looked at side by side
            parts = self._parts.setdefault(entity, [np.zeros(0, dtype=np.uint64)])
            parts.append(found)
            if sum(map(len, parts[1:])) > max(_PENDING, len(parts[0])):
                self._parts[entity] = [_distinct(parts)]
            self._known = None

    @property
    def counts(self) -> dict[str, int]:
        self._looked_up()
        return {entity: sum(map(len, parts)) for entity, parts in self._parts.items()}

    def among(self, texts: pl.Series) -> NDArray[np.bool_]:
        """Whether each of some normalised texts (no nulls) is that of an original."""
        return self._looked_up().has(self.fingerprints(texts))

    def _looked_up(self) -> Known:
        with self._lock:
            if self._known is None:
                for entity, parts in self._parts.items():
                    self._parts[entity] = [_distinct(parts)]
                self._known = Known([parts[0] for parts in self._parts.values()])
            return self._known

    def fingerprints(self, texts: pl.Series) -> NDArray[np.uint64]:
        return texts.hash(self._seed).to_numpy() if len(texts) else np.zeros(0, dtype=np.uint64)


class Known:
    """Sets of fingerprints, each distinct and ascending. A bitmap of their first bits answers for most of those that
    are in none, since looking one up among millions waits for memory."""

    def __init__(self, ascending: Sequence[NDArray[np.uint64]]) -> None:
        self._sets = [s for s in ascending if len(s)]
        bits = min(30, max(10, (16 * sum(map(len, self._sets))).bit_length()))
        self._shift = np.uint64(64 - bits)
        self._map = np.zeros(1 << (bits - 3), dtype=np.uint8)
        for found in self._sets:
            for at in range(0, len(found), _PENDING):
                first = found[at : at + _PENDING] >> self._shift
                np.bitwise_or.at(
                    self._map,
                    first >> np.uint64(3),
                    np.left_shift(np.uint8(1), (first & np.uint64(7)).astype(np.uint8)),
                )

    def has(self, found: NDArray[np.uint64]) -> NDArray[np.bool_]:
        first = found >> self._shift
        inside: NDArray[np.bool_] = (
            self._map[first >> np.uint64(3)] >> (first & np.uint64(7)).astype(np.uint8)
        ) & np.uint8(1) == 1
        asked = np.flatnonzero(inside)
        inside[asked] = False
        for known in self._sets if len(asked) else ():
            at = np.minimum(np.searchsorted(known, found[asked]), len(known) - 1)
            inside[asked] |= known[at] == found[asked]
        return inside


def _distinct(parts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """What stands in any of the parts, once and ascending. By sorting: `np.unique` goes by a slower table."""
    if not parts:
        return np.zeros(0, dtype=np.uint64)
    found = np.sort(np.concatenate(parts))
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if len(found) else found


def normalised(cells: pl.Series) -> pl.Series:
    """Texts without case, white space and punctuation; null where too little is left to mean one person."""
    plain = cells.cast(pl.String)
    text = plain.str.to_lowercase().str.replace_all(" ", "", literal=True)  # most of what prose has of it
    rest = text.str.contains(_JUNK).arg_true()
    text = text.scatter(rest, text.gather(rest).str.replace_all(_JUNK, ""))
    short = (text.str.len_bytes() < SHORTEST) | text.str.contains(_ANY_NUMBER) | plain.str.contains(_NO_IDENTIFIER)
    return text.zip_with(~short, pl.Series([None], dtype=pl.String))


Alike = tuple[str, str]
"""A key domain, and by what its cells are masked: the operator and its parameters, for masks of another form are
other masks."""


class Watch:
    """Looks on while one table is masked: what its originals were, which rows kept theirs, what was null."""

    def __init__(self, plan: TablePlan, masker: TableMasker, originals: Originals, joins: dict[Alike, Joins]) -> None:
        self.plan = plan
        self._joins = joins
        self.masker = masker
        self.rows = 0
        self.dropped = 0
        self.nulls: dict[int, int] = {}
        self.stayed: dict[int, int] = {}
        self.unchanged: dict[int, Distinct] = {}
        self.filled: dict[int, int] = {}
        self.distinct: dict[int, Distinct] = {}
        self.masks: dict[int, Distinct] = {}
        self._originals = originals
        self._operators: dict[int, Any] = {a.index: operator_registry.make(a.operator, a.params) for a in plan.columns}

    def see(
        self, frame: pl.DataFrame, masked: Mapping[int, pl.Series], kept: pl.Series | None, pool: Executor | None = None
    ) -> Callable[[], None]:
        """One batch before and after, all its rows; `kept`: those that stay. What comes back ends the look, and has to
        be called before the next batch and before anything is asked; columns are looked at side by side in `pool`."""
        self.rows += len(frame)
        self.dropped += 0 if kept is None else len(frame) - int(kept.sum() or 0)
        looks = [
            begun(pool, partial(self._see, a, frame[str(a.index)], masked[a.index]))
            for a in self.plan.columns
            if a.index in masked
        ]

        def end() -> None:
            for look in looks:
                look()

        return end

    def settle(self) -> None:
        """Keep counts alone: the table has been seen to its end."""
        for distinct in (*self.distinct.values(), *self.masks.values(), *self.unchanged.values()):
            distinct.settle()

    def _see(self, action: Action, before: pl.Series, after: pl.Series) -> None:
        i, (cells, masks) = action.index, map(filled, alike(before, after))
        if action.entity in UNIQUE and action.operator != "spans":
            self._originals.add(action.entity or "", cells)
        self.filled[i] = self.filled.get(i, 0) + len(cells) - cells.null_count()
        emptied = masks.null_count() - cells.null_count()
        # What can't be read can't be moved either, and is emptied.
        self.nulls[i] = self.nulls.get(i, 0) + (min(emptied, 0) if self._operators[i].promise == "moved" else emptied)
        same = _same(cells, masks)
        self.stayed[i] = self.stayed.get(i, 0) + int(same.sum() or 0)
        self.unchanged.setdefault(i, Distinct()).add(cells.filter(same))
        self.distinct.setdefault(i, Distinct()).add(cells)
        self.masks.setdefault(i, Distinct()).add(masks)
        if self._operators[i].deterministic and action.domain:
            self._joins.setdefault((action.domain, f"{action.operator} {sorted(action.params.items())}"), Joins()).add(
                cells, masks
            )


def _same(cells: pl.Series, masks: pl.Series) -> pl.Series:
    if cells.dtype != masks.dtype:
        masks, cells = masks.cast(pl.String), cells.cast(pl.String)
    return cells == masks


class Distinct:
    """How many different values there were: exact up to `LIMIT`, then an estimate by the smallest hashes (k minimum
    values)."""

    LIMIT: Final = 4096

    def __init__(self) -> None:
        self._least = np.zeros(0, dtype=np.uint64)
        self._settled: int | None = None

    def settle(self) -> None:
        """Keep the count alone: no more values come."""
        self._settled = self.count
        self._least = self._least[:0].copy()

    def add(self, cells: pl.Series) -> None:
        found = cells.drop_nulls().hash(seed=7).to_numpy()
        if len(self._least) == self.LIMIT:
            found = found[found < self._least[-1]]
        self._least = _distinct([self._least, found])[: self.LIMIT]

    @property
    def count(self) -> int:
        if self._settled is not None:
            return self._settled
        n = len(self._least)
        return n if n < self.LIMIT else int((n - 1) / (float(self._least[-1]) / 2**64))


class Joins:
    """Whether equal values of a key domain got equal masks in every column: checked for the values of smallest hash,
    the same ones wherever they occur."""

    LIMIT: Final = 4096

    def __init__(self) -> None:
        self._values = self._masks = np.zeros(0, dtype=np.uint64)
        self._lock = Lock()
        self.broken = 0

    def add(self, cells: pl.Series, masks: pl.Series) -> None:
        if isinstance(cells.dtype, pl.List):
            return
        present = cells.is_not_null().to_numpy()
        values, made = (s.cast(pl.String).hash(seed=7).to_numpy() for s in (cells, masks))
        with self._lock:  # columns of one domain are looked at side by side
            if len(self._values) == self.LIMIT:
                present = present & (values <= self._values[-1])
            values = np.concatenate([self._values, values[present]])
            made = np.concatenate([self._masks, made[present]])
            order = np.argsort(values, kind="stable")  # what is known first
            values, made = values[order], made[order]
            first = np.concatenate([[True], values[1:] != values[:-1]]) if len(values) else np.zeros(0, dtype=np.bool_)
            other = made != made[np.flatnonzero(first)[np.cumsum(first) - 1]]
            self.broken += len(set(zip(values[other].tolist(), made[other].tolist(), strict=True)))
            self._values, self._masks = values[first][: self.LIMIT], made[first][: self.LIMIT]

    @property
    def cells(self) -> int:
        return len(self._values)
