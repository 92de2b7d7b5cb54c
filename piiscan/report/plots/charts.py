"""The available kinds of plots.

Labels and names come from the caller; `note` is drawn in the picture itself, so that copies keep it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.report.plots.plot import FIRST, INK, QUIET, SECOND, Plot, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_LABELS: Final = 60
_ANNOTATED: Final = 12
"""A heat map with more rows than this shows only colours: numbers would not fit."""
_LONGEST: Final = 28


class Point(NamedTuple):
    """A named point."""

    label: str
    x: float
    y: float


def shares(
    title: str,
    labels: Sequence[str],
    first: Sequence[float],
    second: Sequence[float],
    names: tuple[str, str],
    note: str = "",
) -> Plot:
    """Draw two histograms over the same bins or words, as bars side by side: shares from 0 to 1, one for each label."""
    apart = max((abs(a - b) for a, b in zip(first, second, strict=True)), default=0.0)
    alt = (
        f"{title}: the share of each of {len(labels)} groups, {names[0]} beside {names[1]}; they differ by at "
        f"most {apart:.1%}."
    )

    def draw() -> Figure:
        figure, (axes,) = sheet(title, note, size=(max(6.0, min(16.0, 2.0 + 0.45 * len(labels))), 4.8))
        for values, name, color, side in ((first, names[0], FIRST, -0.21), (second, names[1], SECOND, 0.21)):
            axes.bar([i + side for i in range(len(labels))], [100 * v for v in values], 0.42, label=name, color=color)
        axes.set_ylabel("share (%)")
        axes.grid(visible=False, axis="x")
        _named(axes, labels)
        _legend(axes)
        return figure

    return Plot(_with(alt, note), draw)


def curves(
    title: str,
    x: Sequence[float],
    first: Sequence[float],
    second: Sequence[float],
    names: tuple[str, str],
    xlabel: str,
    note: str = "",
) -> Plot:
    """Draw two cumulative distributions: at each of `x`, ascending, the share of numbers up to it."""
    apart = max((abs(a - b) for a, b in zip(first, second, strict=True)), default=0.0)
    alt = (
        f"{title}: cumulative shares of {xlabel}, {names[0]} and {names[1]}; the curves are at most {apart:.1%} apart."
    )

    def draw() -> Figure:
        figure, (axes,) = sheet(title, note)
        for values, name, color, line in ((first, names[0], FIRST, "-"), (second, names[1], SECOND, "--")):
            axes.step(x, [100 * v for v in values], where="post", label=name, color=color, linestyle=line, linewidth=2)
        axes.set_ylim(-2, 102)
        axes.set_xlabel(xlabel)
        axes.set_ylabel("share up to here (%)")
        _legend(axes)
        return figure

    return Plot(_with(alt, note), draw)


def bars(
    title: str,
    labels: Sequence[str],
    values: Sequence[float],
    xlabel: str,
    of: Sequence[float] | None = None,
    note: str = "",
) -> Plot:
    """Draw horizontal bars, one for each label, the first on top.

    `of`: the whole that each bar is a part of, such as a budget that is partly spent.
    """
    listed = ", ".join(f"{_short(label)} {_number(v)}" for label, v in list(zip(labels, values, strict=True))[:5])
    more = f", and {len(labels) - 5} more" if len(labels) > 5 else ""
    alt = f"{title}: bars of {xlabel}: {listed}{more}."

    def draw() -> Figure:
        figure, (axes,) = sheet(title, note, size=(8.0, max(2.4, min(16.0, 1.7 + 0.34 * len(labels)))))
        places = range(len(labels))
        if of is not None:
            axes.barh(places, of, 0.72, color=QUIET)
        drawn = axes.barh(places, values, 0.72, color=FIRST)
        axes.bar_label(drawn, labels=[_number(v) for v in values], padding=3, color=INK)
        axes.set_yticks(places, [_short(label) for label in labels])
        axes.invert_yaxis()
        axes.margins(x=0.12)
        axes.set_xlabel(xlabel)
        axes.grid(visible=False, axis="y")
        return figure

    return Plot(_with(alt, note), draw)


def heatmaps(
    title: str,
    labels: Sequence[str],
    matrices: Sequence[tuple[str, Sequence[Sequence[float | None]]]],
    lowest: float = -1.0,
    note: str = "",
    columns: Sequence[str] | None = None,
) -> Plot:
    """Draw matrices over the same labels side by side, from `lowest` (−1 for correlations, else 0) to 1.

    `labels`: those of the rows, and of the columns too unless `columns` are given. None means that there is no value.
    """
    names = " and ".join(name for name, _ in matrices)
    across = labels if columns is None else columns
    of = f"{len(labels)} columns" if columns is None else f"one of {len(labels)} columns and one of {len(across)}"
    alt = f"{title}: a heat map of pairs of {of}, for {names}."

    def draw() -> Figure:
        wide, high = (max(3.2, min(9.0, 0.62 * len(of) + 1.6)) for of in (across, labels))
        figure, every = sheet(title, note, len(matrices), (wide * len(matrices) + 0.8, high + 0.6))
        for axes, (name, matrix) in zip(every, matrices, strict=True):
            numbers = [[float("nan") if v is None else v for v in row] for row in matrix]
            image = axes.imshow(numbers, cmap="PuOr_r" if lowest < 0 else "cividis", vmin=lowest, vmax=1)
            axes.set_title(name)
            axes.grid(visible=False)
            axes.set_yticks(
                range(len(labels)), [_short(label) for label in labels] if axes is every[0] else [""] * len(labels)
            )
            _named(axes, across)
            _annotate(axes, matrix, lowest)
        figure.colorbar(image, ax=every, shrink=0.8)
        return figure

    return Plot(_with(alt, note), draw)


def scatter(title: str, points: Sequence[Point], xlabel: str, ylabel: str, note: str = "") -> Plot:
    """Draw named points and the diagonal, on which both sides are equal."""
    apart = max((abs(p.x - p.y) for p in points), default=0.0)
    alt = (
        f"{title}: {len(points)} {'point' if len(points) == 1 else 'points'}, {xlabel} by {ylabel}; the furthest "
        f"is {_number(apart)} off the diagonal."
    )

    def draw() -> Figure:
        figure, (axes,) = sheet(title, note, size=(6.4, 5.6))
        ends = [v for p in points for v in (p.x, p.y)] or [0.0, 1.0]
        low, high = min(ends), max(ends)
        around = max(0.15 * (high - low), 0.1)  # one point, or points that agree, are no reason to look closer
        axes.set_xlim(low - around, high + around)
        axes.set_ylim(low - around, high + around)
        axes.set_aspect("equal")
        axes.axline((low, low), slope=1, color="#888888", linewidth=1, linestyle="--")
        axes.scatter([p.x for p in points], [p.y for p in points], s=48, color=FIRST, zorder=3)
        for p in points:
            axes.annotate(_short(p.label), (p.x, p.y), xytext=(6, -4), textcoords="offset points", color=INK)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        return figure

    return Plot(_with(alt, note), draw)


def _with(alt: str, note: str) -> str:
    return f"{alt} {note[:1].upper()}{note[1:]}." if note else alt


def _named(axes: Axes, labels: Sequence[str]) -> None:
    """Write names below the bars: all of them, or every nth if they would overlap."""
    step = -(-len(labels) // _MOST_LABELS)
    shown = range(0, len(labels), step)
    turned: Any = (
        {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if max(map(len, labels), default=0) > 4 else {}
    )
    axes.set_xticks(shown, [_short(labels[i]) for i in shown], **turned)


def _annotate(axes: Axes, matrix: Sequence[Sequence[float | None]], lowest: float) -> None:
    if max(len(matrix), *map(len, matrix), 0) > _ANNOTATED:
        return
    for i, row in enumerate(matrix):
        for j, v in enumerate(row):
            # Both maps are dark at one end; purple and orange are dark at both.
            dark = v is not None and (abs(v) > 0.6 if lowest < 0 else v < 0.5)
            axes.text(
                j,
                i,
                "–" if v is None else f"{v:.2f}",
                ha="center",
                va="center",
                fontsize=9,
                color="white" if dark else INK,
            )


def _legend(axes: Axes) -> None:
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2)


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
