"""Docstrings as Markdown for the documentation site: an extension of Griffe, which reads them for mkdocstrings.

Examples (`>>>`) become blocks of code, and the indented text of a `Guarantee:` becomes a list.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.append(str(Path(__file__).parent))  # mkdocstrings loads this file by its path

import guarantees

_EXAMPLE = re.compile(r"(?:^|(?<=\n\n))(>>> .*?)(?=\n\n(?!>>>)|\Z)", re.DOTALL)
_GUARANTEE = re.compile(r"^Guarantee:\n((?:    .*\n?|\n)+)", re.MULTILINE)


class MarkdownDocstrings(griffe.Extension):
    """Rewrites each docstring as it is loaded."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    """A docstring as Markdown."""
    return _GUARANTEE.sub(_list, _EXAMPLE.sub(r"```python\n\1\n```", text))


def _list(found: re.Match[str]) -> str:
    return "Guarantee:\n\n" + "\n".join(guarantees.items(found[1])) + "\n"
