"""Docstrings as Markdown for the documentation site: an extension of Griffe, which reads them for mkdocstrings.

Examples (`>>>`) become blocks of code, and the indented text of a `Guarantee:` becomes a list.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^|(?<=\n\n))(>>> .*?)(?=\n\n(?!>>>)|\Z)", re.DOTALL)
_GUARANTEE = re.compile(r"^Guarantee:\n((?:    .*\n?|\n)+)", re.MULTILINE)
_TEST = re.compile(r"\n *Test: .*", re.DOTALL)


class MarkdownDocstrings(griffe.Extension):
    """Rewrites each docstring as it is loaded."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    """A docstring as Markdown."""
    return _GUARANTEE.sub(_list, _EXAMPLE.sub(r"```python\n\1\n```", text))


def _list(found: re.Match[str]) -> str:
    promise = _TEST.sub("", found[1])
    parts = re.split(r"(?:^|\n)\s*(?=Assumes |Ensures |Does not protect )", promise)
    return "Guarantee:\n\n" + "\n".join("- " + " ".join(part.split()) for part in parts if part.strip()) + "\n"
