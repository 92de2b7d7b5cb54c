"""The texts within code that a person wrote: literals and comments of SQL statements and of formulas."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

_DIGITS: Final = 5
"""A number of fewer digits is a size or a setting."""
_SQL: Final = re.compile(
    r"""'(?P<text>(?:[^']|'')*)'|"(?P<name>(?:[^"]|"")*)"|`(?P<tick>[^`]*)`|\[(?P<bracket>[^\]]*)\]|(?P<line>--[^\n]*)"""
    r"""|(?P<block>/\*.*?(?:\*/|$))|(?P<number>(?<![\w.])\d[\d.]*(?:[eE][+-]?\d+)?)""",
    re.DOTALL,
)
_FORMULA: Final = re.compile(
    r"""(?P<quoted>'(?:[^']|'')*'!?)|"(?P<text>(?:[^"]|"")*)"|(?P<number>(?<![\w.$])\d[\d.]*(?:[eE][+-]?\d+)?)(?![\w!:])"""
)


def of_sql(statements: Iterable[str], names: Collection[str]) -> list[str]:
    """The literals and comments of statements, each once, in order.

    `names`: those of tables and columns, which aren't among them; SQLite takes any other quoted name for a literal.
    """
    known = {name.lower() for name in names}
    found: dict[str, None] = {}
    for statement in statements:
        for match in _SQL.finditer(statement):
            kind, token = match.lastgroup or "", match[match.lastgroup or 0]
            text = token.replace("''", "'") if kind == "text" else token.replace('""', '"')
            is_name = (kind == "name" and text.lower() in known) or (
                kind in ("tick", "bracket") and not _is_striking(text)
            )
            if text.strip() and not is_name and not (kind == "number" and _short(text)):
                found[text] = None
    return list(found)


def of_formulas(formulas: Iterable[str]) -> list[str]:
    """The literals of formulas, each once, in order."""
    found: dict[str, None] = {}
    for formula in formulas:
        for match in _FORMULA.finditer(formula):
            text = (match["text"] or "").replace('""', '"') if match["number"] is None else match["number"]
            if text.strip() and not (match["number"] and _short(text)):
                found[text] = None
    return list(found)


def of_number_format(code: str) -> list[str]:
    """The texts that a number format puts around numbers: quoted ones, and runs of escaped characters."""
    found = re.findall(r'"([^"]*)"|((?:\\.)+)', code)
    return [text for quoted, escaped in found if (text := quoted or escaped[1::2]).strip()]


def _is_striking(name: str) -> bool:
    return "@" in name or not _short(name)


def _short(number: str) -> bool:
    return sum(map(str.isdigit, number)) < _DIGITS
