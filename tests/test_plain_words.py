"""What piiscan says is plain English: a list of idioms that readers stumble over, each with what to write instead.

Add to the list what a reader had to read twice. It is for riddles, not for taste: an idiom that is good English
anywhere doesn't belong here. What isn't swept yet is listed below, and that list only gets shorter.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]

BANNED: dict[str, str] = {
    r"\b(?:rows?|data|tables?|identifiers?|numbers?|addresses) of nobody\b": "rows without a person; made-up rows",
    r"\bnobody's\b": "no person's",
    r"\b[Ww]hoever\b": "anyone who",
    r"(?:^|[.:;,] )[Ww]ho (?:knows|holds|has|looks for) (?:\w+ ){1,8}?(?:finds|can|gets|learns)\b": "anyone who …",
    r"\bwho attacks\b": "the attacker",
    r"\btells? (?:hardly|of|apart|nothing|whose|little)\b": "reveal; identify; distinguish",
    r"\btold (?:apart|of)\b": "distinguished; disclosed",
    r"\b(?:nothing|nobody|no one) tells\b": "no column identifies",
    r"\bgives? (?:\w+ ){0,3}away\b": "reveal; disclose",
    r"\bgiven away\b": "shared; published; disclosed",
    r"\bstands? in (?:the|a|an|it|them|its|each|some|any|no|cells?|texts?|this|these|which)\b": "is in; occurs in",
    r"\blies? nowhere\b": "has no folder",
    r"\bis called so\b": "there is no …",
    r"\b(?:no|another|two) \w+ (?:is|are) called\b": "there is no …; … is named",
    r"\bsay (?:where|what that|with --|it to|it there)\b": "use --option; pass argument=",
    r"\bat hand\b": "available; current",
    r"\bmake (?:it|the \w+) anew\b": "make a new one",
    r"(?<!there )\b(?:is|are) no (?:file|number|list|table|entity|text|tokens?|JSON|size|ledger|plan)\b": "is not a …",
    r"\b(?:comes?|came) of (?:it|that|them|each)\b": "results from",
    r"\bheld against\b": "compared with",
    r"\bis said (?:of|to be|that)\b": "is reported",
    r"\bnothing is said\b": "nothing is reported",
    r"\b[Ww]hat (?:is|was) (?:said of|hidden how|worth)\b": "name the thing: the report, the risk, …",
    r"\bone's own\b": "your own; private",
    r"\b(?:and|with|of|or) (?:its|their) kin\b": "and related models",
    r"\bcalled otherwise\b": "has another name",
    r"\bThere (?:is|are) none such\b": "there is no …",
    r"\b[Ww]hat (?:came of|stands)\b": "the result of; the text in; contents",
    r"\bmay stand (?:nowhere|anywhere)\b": "must not occur; may occur",
    r"\b(?:is|are) told\b": "is called with; is reported; is known",
    r"\btold by\b": "known from",
    r"\blets? go of\b": "release",
}
"""Regular expressions → what to write instead."""


class Text(NamedTuple):
    """A text that a reader may see, and where it is."""

    place: str
    text: str


def texts(source: Path) -> Iterator[Text]:
    """Docstrings and other texts of a Python file, what f-strings insert left out."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    every = list(ast.walk(tree))
    inside = {id(part) for node in every if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in every:
        if isinstance(node, ast.JoinedStr):
            parts = [v.value if isinstance(v, ast.Constant) else "…" for v in node.values]
            text = "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            text = node.value
        else:
            continue
        if len(text.split()) > 1:
            yield Text(f"{source.relative_to(ROOT)}:{node.lineno}", text)


def sources() -> list[Path]:
    return sorted((ROOT / "piiscan").rglob("*.py"))


def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def stumbled(found: Text) -> list[str]:
    text = " ".join(found.text.split())
    return [
        f"{found.place}: “{match[0]}”: write “{instead}”"
        for banned, instead in BANNED.items()
        if (match := re.search(banned, text))
    ]


def test_messages_and_docstrings_are_plain() -> None:
    wrong = [stumble for path in sources() for text in texts(path) for stumble in stumbled(text)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_pages_are_plain(page: Path) -> None:
    wrong = [
        stumble
        for number, line in enumerate(re.split(r"\n\s*\n", prose(page)), 1)
        for stumble in stumbled(Text(f"{page.name}, paragraph {number}", line))
    ]
    assert not wrong, "\n".join(wrong)


def test_every_idiom_is_found() -> None:
    """The list bites: each of these was once a message or a docstring."""
    for riddle in (
        "a frame lies nowhere: say where its budget is kept",
        "rows of nobody are not counted",
        "no entity is called so",
        "who knows one of them finds the row",
        "noise hides it, so that it tells hardly anything of one person",
        "for whoever may see the data",
        "make the plan anew with `piiscan plan`",
        "it is no list",
    ):
        assert stumbled(Text("", riddle)), riddle


FACADES = ("piiscan", "piiscan.hierarchies", "piiscan.learning", "piiscan.plots", "piiscan.techniques")


@cache
def exported() -> dict[str, Any]:
    """Every public function and class, and the methods and properties of classes that are defined here."""
    found: dict[str, Any] = {}
    for facade in FACADES:
        module = importlib.import_module(facade)
        for name in module.__all__:
            thing = getattr(module, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            found[f"{facade}.{name}"] = thing
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                        found[f"{facade}.{name}.{member}"] = value
    return found


def test_what_is_exported_says_in_one_line_what_it_does() -> None:
    """The reference is made of these docstrings, and `help()` shows them: the first line stands alone."""
    assert len(exported()) > 100
    for name, thing in exported().items():
        documented = inspect.getdoc(thing)
        assert documented, f"{name} has no docstring"
        lines = documented.split("\n")
        assert lines[0].endswith((".", ":")), f"{name}: the first line is no sentence of its own: {lines[0]}"
        assert len(lines) == 1 or not lines[1], f"{name}: a blank line has to follow the first one: {lines[0]}"
