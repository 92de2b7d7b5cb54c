"""What an operator is: parameters out of a plan, and a pure function from cells to cells.

An operator is a frozen dataclass. Its fields are its parameters, spelled as in a plan; its docstring ends with a
`Guarantee:` that says what it assumes, ensures, and does not protect against. It never sees a file or a plan, holds no
cell value that the plan doesn't hold (a fitted one does, in memory only), and gives the same cells for any partitioning
of the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType

Promise = Literal["empty", "removed", "range", "coarser", "moved", "kept"]
"""What `verify` holds an operator to: every cell is null (empty); no rule fires above its chance rate (removed); every
cell is one that the operator declares (range); cells are fewer and wider (coarser); no cell stays with its row, save by
chance (moved); nothing changed (kept)."""


class Rows(NamedTuple):
    """What surrounds the cells of a column in one batch; only operators that ask for it get it.

    `subjects`: a canonical text for whom each row is about (String, no nulls), from the plan's subject key. `genders`:
    "f", "m" or null.
    `groups`: a text for the group each row is in (String, no nulls). `first`: the row number of the first row, None
    where a partition doesn't know its place.
    """

    subjects: pl.Series | None = None
    genders: pl.Series | None = None
    groups: pl.Series | None = None
    first: int | None = None


class Operator(Protocol):
    """What every operator tells of itself."""

    name: ClassVar[str]
    """As a plan spells it."""
    keyed: ClassVar[bool]
    """It needs a key."""
    reversible: ClassVar[bool]
    """Who holds the key gets the original back: it has `unmask`, with the arguments of `mask`."""
    deterministic: ClassVar[bool]
    """Equal cells get equal masks, so how often a value occurs still shows: refused for columns of few values."""
    promise: ClassVar[Promise]

    def dtype(self, before: DType) -> DType:
        """The type of the masked column. Raises `UsageError` for a type that the operator can't mask."""
        ...


class OnValues(Operator, Protocol):
    """An operator on distinct values: the cell alone decides."""

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The masks of `values`: distinct, not null, of the column's type. As many, in their order; null suppresses
        a cell."""
        ...

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each of `masks` (distinct, not null) is one that this operator gives (Boolean). For promise
        "range" and "removed"."""
        ...


class Permuting(OnValues, Protocol):
    """An operator of whose masks a few are their own originals: a permutation has fixed points."""

    def fixed_points(self, masks: pl.Series) -> float:
        """How many of `masks` (distinct, not null) are expected to be; no less."""
        ...


class OnRows(Operator, Protocol):
    """An operator for which the row counts too: whose it is, where it stands, or the group it is in."""

    wants: ClassVar[frozenset[str]]
    """The fields of `Rows` it can't do without."""

    def mask_rows(self, cells: pl.Series, rows: Rows, key: Subkey | None) -> pl.Series:
        """The masks of a column's cells, nulls included."""
        ...


class Fitted(Protocol):
    """An operator that must have seen the whole column before it can mask a part of it."""

    def fit(self, counts: pl.DataFrame) -> Self:
        """The operator for a column with these values: `value`, and `count` (UInt32) of its cells; nulls left out,
        sorted by value."""
        ...
