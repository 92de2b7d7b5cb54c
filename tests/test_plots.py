"""Plots of plain numbers: the same bytes for the same numbers, a text alternative, nothing of the user's settings or
the clock."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest

from piiscan import plots
from piiscan.core.errors import MissingExtra, UsageError, WriteError
from piiscan.plots import Plot
from piiscan.report.plots.charts import Point

NOTE = "not differentially private: do not release"
ODD = "<b> $x$ & 日本"
NAMES = ("real", "synthetic")
EVERY = {
    "shares": plots.shares(ODD, ["a", "[1, 2)", ODD], [0.5, 0.5, 0], [0.4, 0.4, 0.2], NAMES, NOTE),
    "many": plots.shares(ODD, [str(i) for i in range(130)], [0.1] * 130, [0.1] * 130, NAMES, NOTE),
    "curves": plots.curves(ODD, [0, 1, 2], [0.1, 0.5, 1], [0.2, 0.6, 1], NAMES, ODD, NOTE),
    "bars": plots.bars(ODD, ["a", ODD], [1.25, 0], "epsilon", of=[2, 2], note=NOTE),
    "correlations": plots.heatmaps(
        ODD, ["a", ODD], [("real", [[1, None], [None, 1]]), ("synthetic", [[1, -0.5], [-0.5, 1]])], note=NOTE
    ),
    "associations": plots.heatmaps(ODD, ["a", ODD], [("real", [[1, 0.2], [0.2, 1]])], 0.0, NOTE),
    "across": plots.heatmaps(ODD, ["a"], [("real", [[0.2, 0.9, None]])], 0.0, NOTE, columns=["b", ODD, "d"]),
    "scatter": plots.scatter(ODD, [Point("a", 1, 2), Point(ODD, -1, -1)], "x", "y", NOTE),
    "nothing": plots.scatter(ODD, [], "x", "y", NOTE),
}


@cache
def drawn(name: str) -> bytes:
    return EVERY[name].render("svg")


@pytest.mark.parametrize("name", EVERY)
def test_plots_are_the_same_whatever_the_user_has_set(name: str) -> None:
    before = drawn(name)
    with matplotlib.rc_context():
        matplotlib.rcParams.update({"font.size": 40, "svg.fonttype": "path", "svg.hashsalt": None})
        assert EVERY[name].render("svg") == before
        assert matplotlib.rcParams["font.size"] == 40


@pytest.mark.parametrize("name", EVERY)
def test_texts_stand_in_the_picture(name: str) -> None:
    root = ElementTree.fromstring(drawn(name))
    texts = ["".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {ODD, NOTE} <= set(texts)
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == EVERY[name].alt
    assert NOTE[1:] in EVERY[name].alt
    assert not list(root.iter("{http://purl.org/dc/elements/1.1/}date"))


def test_the_format_follows_from_the_ending(tmp_path: Path) -> None:
    EVERY["bars"].save(tmp_path / "a.PNG")
    EVERY["bars"].save(tmp_path / "a.svg")
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "a.svg").read_bytes() == drawn("bars")
    for wrong in ("a.pdf", "a"):
        with pytest.raises(UsageError, match=r"\.svg or \.png"):
            EVERY["bars"].save(tmp_path / wrong)
    with pytest.raises(WriteError, match="can't be written"):
        EVERY["bars"].save(tmp_path / "none" / "a.svg")


def test_the_text_alternative_is_markdown() -> None:
    assert Plot("a [b] c", lambda: None).markdown("x.svg") == "![a \\[b\\] c](x.svg)"  # type: ignore[arg-type, return-value]


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"pip install 'piiscan-toolkit\[plots\]'"):
        EVERY["bars"].save(tmp_path / "a.svg")
    assert not list(tmp_path.iterdir())
