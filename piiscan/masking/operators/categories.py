"""Categories made coarser: by a hierarchy of labels, or by the beginning of a code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from piiscan.core.types import DType
from piiscan.masking.operators import label_levels
from piiscan.masking.operators.label_levels import TOP
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import demand, demand_cells, refusal

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey

LABELLED: Final[tuple[DType, ...]] = ("string", "integer", "float", "boolean")


@dataclass(frozen=True)
class Hierarchy(Operator):
    """The label that stands for a value at a `level` of a hierarchy: `rows` of ARX's form, or `groups`, label → values.

    Values are compared as text without spaces around them; a float that is whole counts as an integer. A value that the
    hierarchy doesn't know becomes `*`, never itself.

    Guarantee:
        Assumes a hierarchy made without looking at single values.
        Ensures that every mask is one of the hierarchy's labels at that level, or `*`.
        Does not protect against a label that one person alone has, nor against what a label says of everybody under
        it.
        Test: test_operators_categories.py::test_masks_are_labels_of_the_level
    """

    level: int = 1
    rows: tuple[tuple[str, ...], ...] = ()
    groups: Mapping[str, tuple[str, ...]] | None = None

    name: ClassVar[str] = "hierarchy"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "coarser"

    def __post_init__(self) -> None:
        if bool(self.rows) == bool(self.groups):
            raise refusal(self.name, "needs 'rows' or 'groups', and not both")
        if not 1 <= self.level <= self.levels.height:
            raise refusal(self.name, f"'level' must be from 1 to {self.levels.height}, the height of the hierarchy")

    @cached_property
    def levels(self) -> label_levels.Levels:
        """The hierarchy, checked."""
        where = f"operator {self.name!r}"
        return (
            label_levels.levels_of(self.rows, where)
            if self.rows
            else label_levels.from_groups(self.groups or {}, where)
        )

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, LABELLED)
        return "string"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        demand_cells(self.name, values, LABELLED)
        labels = (
            as_text(values)
            .str.strip_chars()
            .replace_strict(self.levels.at(self.level), default=TOP, return_dtype=pl.String)
        )
        return labels.fill_null(TOP).set(values.is_null(), None).alias(values.name)  # a NaN has no text

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        return masks.is_in(sorted({*self.levels.at(self.level).values(), TOP}))


@dataclass(frozen=True)
class Prefix(Operator):
    """The first `keep` characters of a code; the rest one `character` each: `12345` becomes `123**`. For postal codes.

    A value with no more than `keep` characters is masked whole. `width` fills numbers up with zeros on the left, for
    codes whose
    zeros got lost: with 5, 2139 is `02139`.

    Guarantee:
        Assumes codes whose beginning is the coarser place or class.
        Ensures that at most the first `keep` characters of a value are kept, and none of one that isn't longer.
        Does not protect against a beginning that few share, nor against the length of the value, which shows.
        Test: test_operators_categories.py::test_prefix_keeps_no_more_than_the_beginning
    """

    keep: int
    character: str = "*"
    width: int = 0

    name: ClassVar[str] = "prefix"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "coarser"

    def __post_init__(self) -> None:
        if not 0 <= self.keep <= 1000:
            raise refusal(self.name, "'keep' must be from 0 to 1000")
        if len(self.character) != 1:
            raise refusal(self.name, "'character' must be one character")
        if not 0 <= self.width <= 100:
            raise refusal(self.name, "'width' must be from 0 to 100")

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, ("string", "integer"))
        return "string"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        demand_cells(self.name, values, ("string", "integer"))
        x = pl.col("x")
        kept = pl.when(x.str.len_chars() > self.keep).then(x.str.head(self.keep)).otherwise(pl.lit(""))
        hidden = x.str.slice(kept.str.len_chars()).str.replace_all("(?s).", self.character.replace("$", "$$"))
        return pl.DataFrame({"x": padded(values, self.width)}).select((kept + hidden).alias(values.name)).to_series()

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        return (self.mask(masks, key) == masks).fill_null(False)


def as_text(values: pl.Series) -> pl.Series:
    """Cells as text; whole floats as integers.

    A column of integers turns into one of floats as soon as it has a gap.
    """
    import polars as pl

    if not values.dtype.is_float():
        return values.cast(pl.String)
    x = pl.col("x")
    whole = x.is_finite() & (x == x.round()) & (x.abs() < 2**53)
    text = pl.when(whole).then(x.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(x.cast(pl.String))
    return pl.DataFrame({"x": values}).select(text).to_series()


def padded(values: pl.Series, width: int) -> pl.Series:
    """Cells as text without spaces around them; those that are all digits are filled up with zeros to a width."""
    import polars as pl

    x = pl.col("x")
    filled = pl.when(x.str.contains("^[0-9]+$")).then(x.str.zfill(width)).otherwise(x)
    return pl.DataFrame({"x": as_text(values).str.strip_chars()}).select(filled).to_series()
