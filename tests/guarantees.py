"""The `Guarantee:` of a docstring as the documentation shows it."""

from __future__ import annotations

import re

_TEST = re.compile(r"\n *Test: .*", re.DOTALL)


def items(text: str) -> list[str]:
    """A list in Markdown, with an item for what it assumes, ensures, and doesn't protect against."""
    parts = re.split(r"(?:^|\n)\s*(?=Assumes |Ensures |Does not protect )", _TEST.sub("", text))
    return ["- " + " ".join(part.split()) for part in parts if part.strip()]
