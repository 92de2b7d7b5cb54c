"""A plot and its text alternative.

Matplotlib draws the figure without a window, a clock or the user's settings.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from piiscan.core.errors import MissingExtra, UsageError, WriteError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Kind = Literal["svg", "png"]
INSTALL: Final = "plots need an optional package: pip install 'piiscan-toolkit[plots]'"

FIRST, SECOND, QUIET, INK = "#0072B2", "#E69F00", "#D9D9D9", "#222222"
"""Blue and orange are distinguishable with every kind of colour blindness (Okabe and Ito 2008), and in grey."""
WARNING: Final = "#B00020"

_STYLE: Final[Any] = {  # the available settings differ between versions of matplotlib
    "font.family": ["DejaVu Sans"],  # comes with matplotlib
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.dpi": 120,
    "text.parse_math": False,  # a dollar in a column's name is a dollar
    "svg.hashsalt": "piiscan",
    "svg.fonttype": "none",  # text stays text: it can be searched, and read aloud
}


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture that is drawn when it is written, and `alt`, a sentence with the same content."""

    alt: str
    _draw: Callable[[], Figure]

    def render(self, kind: Kind) -> bytes:
        """Return the picture as a file's bytes. Raises `MissingExtra` without matplotlib."""
        written = BytesIO()
        with _drawing():
            about = {"Title": self.alt, "Date": None, "Creator": None} if kind == "svg" else {"Software": None}
            self._draw().savefig(written, format=kind, metadata=about)
        return written.getvalue()

    def save(self, path: Path) -> None:
        """Save as SVG or PNG, by the file extension. Raises `UsageError`, `WriteError` and `MissingExtra`."""
        raw = self.render(kind_of(path))
        try:
            path.write_bytes(raw)
        except OSError as error:
            raise WriteError(f"{path}: can't be written: {error.strerror}") from None

    def markdown(self, link: str) -> str:
        """Return a Markdown image with its text alternative."""
        alt = self.alt.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("\n", " ")
        return f"![{alt}]({link})"


def kind_of(path: Path) -> Kind:
    """Return the kind of a picture by its file extension. Raises `UsageError`."""
    ending = path.suffix.lower().removeprefix(".")
    for kind in get_args(Kind):
        if ending == kind:
            return kind  # type: ignore[no-any-return]
    raise UsageError(f"{path}: plots are written as .svg or .png; use one of these extensions")


def require() -> None:
    """Raise `MissingExtra` if matplotlib isn't installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra(INSTALL) from None


def sheet(title: str, note: str, columns: int = 1, size: tuple[float, float] = (8.0, 4.5)) -> tuple[Figure, list[Axes]]:
    """Yield a figure with axes side by side below a title and, if there is one, a prominent note."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold", color=INK)
    if note:
        figure.supxlabel(note, x=0.01, ha="left", fontsize=11, fontweight="bold", color=WARNING)
    return figure, list(figure.subplots(1, columns, squeeze=False)[0])


@contextmanager
def _drawing() -> Iterator[None]:
    """Use only our settings while something is drawn."""
    require()
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font lacks shows as a box
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield
