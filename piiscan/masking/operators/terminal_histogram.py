"""A histogram for a terminal, to choose the cuts of bins, top and bottom coding by.

Its intervals lie on a public grid, multiples of 1, 2 or 5 times a power of ten, and small counts show as such only. It
is for people who may see the data: it gives a count for every interval.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from piiscan.core.errors import UsageError
from piiscan.masking.operators import decimals
from piiscan.masking.operators.decimals import Point

if TYPE_CHECKING:
    import polars as pl

MOST: Final = 24
FEW: Final = 5
_PLACES: Final = 15


def histogram(
    cells: pl.Series,
    step: float | None = None,
    low: float | None = None,
    high: float | None = None,
    width: int = 40,
    point: Point = ".",
) -> str:
    """Lines of text: an interval, a bar of at most `width` blocks, and how many cells lie in it (`< 5` for 1 to 4).

    `step` is the length of an interval, chosen so that there are 24 at most where it is None. What lies below `low` or
    from `high` on has a line of its own, so that a few far ends don't flatten the rest; where they are None, about a
    hundredth of the cells lies beyond either. Both are moved outwards to the grid. Cells may be text. Raises
    `UsageError` where there is no number, or only one, or where a given step makes more than 1,000 intervals.
    """
    numbers = decimals.finite(decimals.scaled(cells, _PLACES, point)).drop_nulls().sort()
    if not len(numbers):
        raise UsageError("a histogram needs a column with numbers")
    if numbers[0] == numbers[-1]:
        raise UsageError(
            "all numbers of the column are equal, and a histogram would print them; there is nothing to cut"
        )
    beyond = len(numbers) // 100
    if numbers[beyond] == numbers[-1 - beyond]:
        beyond = 0  # an interval around one value alone would be as good as the value
    least = _unscaled(numbers[beyond]) if low is None else decimals.exact(low)
    most = _unscaled(numbers[-1 - beyond]) if high is None else decimals.exact(high)
    grid = decimals.exact(step) if step is not None else _grid(most - least)
    if most < least or grid <= 0 or (most - least) / grid > 1000:
        raise UsageError(
            "a histogram's step must be above 0 and give at most 1,000 intervals, and 'low' must be below 'high'"
        )
    first, last = (
        (least / grid).__floor__(),
        (most / grid).__floor__() if high is None else (most / grid).__ceil__() - 1,
    )
    counts = _counted(numbers, int(grid.scaleb(_PLACES)), first, last)
    labels = [f"[{i * grid:f}, {(i + 1) * grid:f})" for i in range(first, last + 1)]
    lines = list(zip([f"< {first * grid:f}", *labels, f"≥ {(last + 1) * grid:f}"], counts, strict=True))
    ends = [line for line in (lines[0], lines[-1]) if not line[1]]
    return _drawn([line for line in lines if line not in ends], width, len(cells) - len(numbers))


def _unscaled(n: int) -> Decimal:
    return Decimal(n).scaleb(-_PLACES)


def _grid(span: Decimal) -> Decimal:
    """The shortest of 1, 2, 5 times a power of ten of which `MOST` cover the span wherever it lies."""
    if not span:  # both ends were given, or one that meets the other
        return Decimal(1)
    power = Decimal(1).scaleb((span / MOST).adjusted())
    return next((power * m).normalize() for m in (1, 2, 5, 10, 20) if power * m * (MOST - 1) >= span)


def _counted(numbers: pl.Series, grid: int, first: int, last: int) -> list[int]:
    import polars as pl

    index = pl.DataFrame({"n": numbers}).select(
        (pl.col("n") // pl.lit(grid, dtype=pl.Int128)).clip(first - 1, last + 1).cast(pl.Int64)
    )
    found = dict(index.group_by("n").len().iter_rows())
    return [found.get(i, 0) for i in range(first - 1, last + 2)]


def _drawn(lines: list[tuple[str, int]], width: int, others: int) -> str:
    tallest = max(max(n for _, n in lines), 1)
    label_width = max(len(label) for label in [*(label for label, _ in lines), *["no number"] * (others > 0)])
    drawn = []
    for label, n in lines:
        few = 0 < n < FEW
        bar = "▏" if few else "█" * max(round(width * n / tallest), n > 0)
        drawn.append(f"{label:>{label_width}}  {bar:<{width}}  {f'< {FEW}' if few else n}".rstrip())
    if others:
        drawn.append(f"{'no number':>{label_width}}  {'':<{width}}  {f'< {FEW}' if others < FEW else others}")
    return "\n".join(drawn)
