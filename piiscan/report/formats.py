"""Reports: one module for each format, each with `render(judged, rules, style) -> str`.

The same report gives the same text.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final, NamedTuple

from piiscan.rules.definitions import RuleSet
from piiscan.scanning.findings import JudgedReport

FORMATS: Final = {
    "table": "piiscan.report.terminal_report",
    "json": "piiscan.report.full_json",
    "jsonl": "piiscan.report.json_lines",
    "csv": "piiscan.report.flat_csv",
    "markdown": "piiscan.report.markdown_report",
    "sarif": "piiscan.report.sarif",
    "github": "piiscan.report.github",
}


class Style(NamedTuple):
    """How the `table` format looks: width in characters, and whether to colour.

    `verbose`: list findings that a baseline knows, too. `each_file`: list a data set's files, and tables that are
    like another one, one by one.
    """

    width: int = 100
    color: bool = False
    verbose: bool = False
    each_file: bool = False


PLAIN = Style()


def render(format: str, judged: JudgedReport, rules: RuleSet, style: Style = PLAIN) -> str:  # noqa: A002
    """Render a report in one of FORMATS, ending in a line end. Raises KeyError for another format."""
    text: str = import_module(FORMATS[format]).render(judged, rules, style)
    return text


def encode(text: str) -> bytes:
    r"""Encode as UTF-8.

    File names that aren't valid text keep their odd bytes as `\udcxx` escapes, which JSON knows too.
    """
    return text.encode("utf-8", "backslashreplace")
