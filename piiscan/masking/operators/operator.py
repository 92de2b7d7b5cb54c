"""What an operator is: parameters out of a plan, declared capabilities, and a pure function from cells to cells.

An operator is a frozen dataclass that inherits from `Operator`. Its fields are its parameters, spelled as in a plan;
its docstring ends with a `Guarantee:` that says what it assumes, ensures, and does not protect against. It never sees a
file or a plan, holds no cell value that the plan doesn't hold (a fitted one does, in memory only), and gives the same
cells for any partitioning of the rows.

Callers rely on what the operator's class declares, and never inspect which methods it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType

Contract = Literal["empty", "removed", "range", "coarser", "moved", "kept"]
"""What `verify` holds an operator to: every cell is null (empty); no rule fires above its chance rate (removed); every
cell is one that the operator declares (range); cells are fewer and wider (coarser); no cell stays with its row, save by
chance (moved); nothing changed (kept)."""
DECLARING: Final[tuple[Contract, ...]] = ("range", "removed")
"""Contracts of operators that declare their masks."""
ALREADY_MASKED: Final = 0.05
"""Of cells so many may hold before what the operator writes, such as "***"."""
FittedOn = Literal["nothing", "counts", "column"]
"""What an operator must have seen before it can mask a part of a column: nothing, how often each value occurs, or all
cells in their order."""


class Looks(Protocol):
    """How names may be written."""

    def allowed(self, looks: pl.Series, subjects: pl.Series) -> pl.Series:
        """Which looks (String, null: false) are common enough for the name of each subject."""


class RowContext(NamedTuple):
    """What surrounds the cells of a column in one batch; only operators that need it get it.

    `subjects`: a canonical text for whom each row is about (String, no nulls), from the plan's subject key. `genders`:
    "f", "m" or null.
    `groups`: a text for the group each row is in (String, no nulls). `first`: the row number of the first row, None
    where a partition doesn't know its place. `locales`: whose names stand for the subject's, null for the operator's;
    None without a subject table. `looks`: how names may be written other than the column is, None without a subject
    table. `own`: the canonical text of each address, for columns of them; `digits`: how many
    stand behind the name in its mask, None where as many as tell it from all others.
    """

    subjects: pl.Series | None = None
    genders: pl.Series | None = None
    groups: pl.Series | None = None
    first: int | None = None
    locales: pl.Series | None = None
    own: pl.Series | None = None
    digits: NDArray[np.uint8] | None = None
    looks: Looks | None = None


class Operator:
    """The base of every operator: its capabilities, declared by its class, and the methods that go with them.

    A class declares at least `name`, `keyed`, `reversible`, `deterministic` and `contract`, and overrides exactly the
    methods that its capabilities ask for; `capabilities.fault` says where it doesn't.
    """

    name: ClassVar[str]
    """Its name in a plan."""
    keyed: ClassVar[bool]
    """It needs a key."""
    reversible: ClassVar[bool]
    """With the key, `unmask` gives the original back."""
    deterministic: ClassVar[bool]
    """Equal cells get equal masks, so how often a value occurs still shows: refused for columns of few values."""
    subject_decides: ClassVar[bool] = False
    """Equal subjects get equal masks, whatever their cells, so how often a subject occurs still shows: refused for
    columns of few subjects."""
    contract: ClassVar[Contract]
    """What its masks are checked against. By "range" and "removed", `declares` says which masks are its own."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """The fields of `RowContext` that it can't do without: "subjects", "groups", "first". With none of them, the value
    of a cell alone decides its mask, by `mask`; else the row does too, by `mask_rows`."""
    fitted_on: ClassVar[FittedOn] = "nothing"
    """By `fit` on "counts", by `fit_rows` on a "column"."""
    permutes: ClassVar[bool] = False
    """Its masks are a permutation of values, of which a few are their own originals: `fixed_points` says how many."""
    keeps_distinct: ClassVar[bool] = False
    """Different values get different masks. Every reversible operator does that."""
    may_be_original: ClassVar[bool] = False
    """A mask may by chance be somebody's original, one of `capacity` that there may be."""
    share_that_stays: ClassVar[float | None] = None
    """Of cells so many at most may keep their original by chance, where `stays` doesn't tell better."""
    masks_lists: ClassVar[bool] = False
    """A list is a cell like any other to it; others mask its elements one by one, or refuse it."""

    def dtype(self, before: DType) -> DType:
        """The type of the masked column. Raises `UsageError` for a type that the operator can't mask."""
        raise NotImplementedError

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The masks of `values`: distinct, not null, of the column's type.

        As many, in their order; null suppresses a cell.
        """
        raise NotImplementedError

    def mask_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> pl.Series:
        """The masks of a column's cells, nulls included."""
        raise NotImplementedError

    def unmask(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """The originals of `masks`, which are as in `mask`."""
        raise NotImplementedError

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each of `masks` (distinct, not null) is one that this operator gives (Boolean)."""
        raise NotImplementedError

    def needs_column(self, dtype: DType) -> bool:
        """Whether it has to see a whole column of this type before it can mask a part of it."""
        return self.fitted_on != "nothing"

    def fit(self, counts: pl.DataFrame) -> Self:
        """Return the operator fitted to a column with these values.

        `counts` has columns `value` and `count` (UInt32), without nulls, sorted by value.
        """
        raise NotImplementedError

    def fit_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> Self:
        """The operator for a column of these cells: all of them, from row `rows.first` on. Holds them in memory."""
        raise NotImplementedError

    def fixed_points(self, masks: pl.Series) -> float:
        """How many of `masks` (distinct, not null) are expected to be their own originals; no less."""
        raise NotImplementedError

    def stays(self, counts: pl.DataFrame) -> float | None:
        """The share of a column's cells expected to keep their value by chance, once fitted; None where unknown.

        `counts` as in `fit`.
        """
        return None

    @property
    def names_by_row(self) -> bool:
        """Whether each row gets another made-up name: a word that it has in common with the original is chance."""
        return False

    def likely_to_stay(self, cells: pl.Series) -> float | None:
        """How many of some cells (String, no nulls) are expected to keep their value by chance.

        None where their content doesn't matter.
        """
        return None

    def share_known(self, are_known: Callable[[pl.Series], NDArray[np.bool_]]) -> float:
        """Which share of what the operator may make up is known, where that is by chance and can be listed."""
        return 0.0

    def capacity(self, digits: int) -> float:
        """How many masks a value of so many digits may get, at least."""
        return 10.0 ** max(0, digits - 1)

    def originals_by_chance(self, masks: int, originals: int, digits: int) -> float:
        """How many of `masks` different masks are expected to equal, by chance, one of the entity's originals.

        There are so many `originals`, and masks of so many `digits`.
        """
        return masks * originals / max(1.0, self.capacity(digits)) if self.may_be_original else 0.0

    def expected_collisions(self, values: int) -> float:
        """How many of so many different values are expected to share their mask with an earlier one."""
        return 0.0

    @classmethod
    def masks_values(cls) -> bool:
        """Whether the cell's value and its subject alone decide its mask.

        Neither the other cells of the column nor the cell's position matter.
        """
        return cls.fitted_on == "nothing" and not cls.needs - {"subjects"}
