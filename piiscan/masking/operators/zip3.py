"""US ZIP codes as HIPAA's Safe Harbor allows them: three digits, or 000 for areas of few people.

Those are areas with 20,000 people or fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from piiscan.core.types import DType
from piiscan.masking.operators.categories import as_text
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import demand, demand_cells

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey

RESTRICTED: Final[dict[str, frozenset[str]]] = {
    "2000": frozenset("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()),
    "2010": frozenset("036 059 102 203 205 369 556 692 821 823 878 879 884 893".split()),
}
"""Census → the ZIP3 areas with 20,000 people or fewer.

2000: the 17 that the Office for Civil Rights lists (*Guidance Regarding Methods for De-identification of Protected
Health Information*, 26 November 2012, question on ZIP codes, after 67 FR 53182, 14 August 2002). The guidance asks for
newer figures where there are
any, but gives no newer list: 2010 is the one in common use, from the ZIP Code Tabulation Areas of that census.
"""


@dataclass(frozen=True)
class Zip3(Operator):
    """The first three digits of a US ZIP code; `000` for the areas with 20,000 people or fewer.

    45 CFR 164.514(b)(2)(i)(B).

    `census` "both" treats an area as small that was so in 2000 or in 2010. Codes of five digits and of nine (with or
    without a dash) are read, those of four and eight as codes that lost their leading zero, and numbers of three and
    seven as codes that lost two. Anything else becomes null.

    Guarantee:
        Assumes US codes, and that the area's people are now as many as at the census.
        Ensures three digits, and 000 for every area of the list.
        Does not protect against a small area without a population of its own, such as a military or company code; nor
        does it do the rest of Safe Harbor.
        Test: test_operators_categories.py::test_small_areas_are_000
    """

    census: Literal["both", "2000", "2010"] = "both"

    name: ClassVar[str] = "zip3"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "coarser"

    @property
    def restricted(self) -> frozenset[str]:
        return RESTRICTED["2000"] | RESTRICTED["2010"] if self.census == "both" else RESTRICTED[self.census]

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, ("string", "integer", "float"))
        return "string"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        demand_cells(self.name, values, ("string", "integer", "float"))
        x = pl.col("x")
        lost = 2 if values.dtype.is_numeric() else 1
        five = x.str.extract(rf"^([0-9]{{{5 - lost},5}})(?:-[0-9]{{4}})?$").str.zfill(5)
        nine = x.str.extract(rf"^([0-9]{{{9 - lost},9}})$").str.zfill(9)
        area = five.fill_null(nine).str.head(3)
        masked = pl.when(area.is_in(sorted(self.restricted))).then(pl.lit("000")).otherwise(area)
        return pl.DataFrame({"x": as_text(values).str.strip_chars()}).select(masked.alias(values.name)).to_series()

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        return masks.str.contains("^[0-9]{3}$") & ~masks.is_in(sorted(self.restricted))
