"""Documents of keys, tags and comments around a table, with needles in each of their parts."""

from __future__ import annotations

import json
from typing import Any

from .needles import Parts

Rows = list[list[str]]


def _s(parts: Parts, part: str, before: str, after: str = "\n") -> str:
    """A comment or another text beside values, where there is a needle for it."""
    return before + parts[part] + after if part in parts else ""


def _v(parts: Parts, part: str, default: str = "none") -> str:
    return parts.get(part, default)


def yaml(table: Rows, parts: Parts) -> bytes:
    items = "".join(
        f"  - material: {a}{_s(parts, 'inline comment', '  # ', '') if i == 5 else ''}\n"
        f"    amount: {b}\n    code: '{c}'\n"
        for i, (a, b, c) in enumerate(table[1:])
    )
    return (
        f"{_s(parts, 'comment', '# ')}stock:\n{items}"
        f'made: &made\n  by: {_v(parts, "scalar", "nobody")}\n  tags: [a, "{_v(parts, "flow")}"]\n'
        f'more:\n  <<: *made\n  "{_v(parts, "key", "x")}": 1\n  none: {{"{_v(parts, "key of nothing", "y")}": {{}}}}\n'
        f"text: |{_s(parts, 'block comment', '  # ', '')}\n  hinge\n  {_v(parts, 'block')}\n  latch\n"
        f"folded: !note >-\n  maple\n  {_v(parts, 'tagged')}\n{_s(parts, 'last comment', '# ')}"
    ).encode()


def yaml_documents(table: Rows, parts: Parts) -> bytes:
    documents = [f"material: {a}\namount: {b}\ncode: {c}\n" for a, b, c in table[1:]]
    documents[3] += f"? {_v(parts, 'key', 'x')}\n: [1, 2]\n"
    between = f"---{_s(parts, 'mark comment', '  # ', '')}\n"
    return ("%YAML 1.1\n---\n" + between.join(documents) + f"...\n{_s(parts, 'last comment', '# ')}").encode()


def toml(table: Rows, parts: Parts) -> bytes:
    items = "".join(f'[[stock]]\nmaterial = "{a}"\namount = {b}\ncode = "{c}"\n' for a, b, c in table[1:])
    return (
        f'{_s(parts, "comment", "# ")}title = "hinge"{_s(parts, "inline comment", " # ", "")}\n'
        f'[made]\nby = \'{_v(parts, "scalar")}\'\nlines = """\nlatch\n{_v(parts, "block")}"""\n'
        f'tags = ["a", ["{_v(parts, "nested")}"]]\n{items}'
        f'[more]\n"{_v(parts, "key", "x")}" = 1\n[none."{_v(parts, "key of nothing", "y")}"]\n'
    ).encode()


def ini(table: Rows, parts: Parts) -> bytes:
    items = "".join(f"[item {i}]\nmaterial = {a}\namount: {b}\ncode={c}\n" for i, (a, b, c) in enumerate(table[1:]))
    return (
        f"{_s(parts, 'comment', '; ')}[{_v(parts, 'section', 'general')}]{_s(parts, 'section comment', ' ; ', '')}\n"
        f"by = nobody{_s(parts, 'inline comment', ' ; ', '')}\nlines = hinge\n  {_v(parts, 'continued')}\n{items}"
        f'[more]\n{_v(parts, "key", "x")} = 1\nquoted = "{_v(parts, "quoted")}" {_s(parts, "behind", "", "")}\n'
        f"{_v(parts, 'odd line', 'alone')}\n"
    ).encode()


def environment(table: Rows, parts: Parts) -> bytes:
    items = "".join(f"ITEM_{i}={a}\nexport CODE_{i}='{c}'\n" for i, (a, _, c) in enumerate(table[1:]))
    return (
        f'{_s(parts, "comment", "# ")}{items}LINES="hinge\n{_v(parts, "quoted")}\nlatch" # {_v(parts, "behind")}\n'
        f'EMPTY=\nOPEN="{_v(parts, "unclosed")}\n{_v(parts, "odd line", "alone")}\n'
    ).encode()


def xml(table: Rows, parts: Parts) -> bytes:
    items = "".join(
        f'<item code="{c}" note="{_v(parts, "attribute") if i == 4 else ""}"><material>{a}</material><tag>x</tag>'
        f"<tag>{_v(parts, 'nested') if i == 6 else b}</tag></item>\n"
        for i, (a, b, c) in enumerate(table[1:])
    )
    return (
        f"<?xml version='1.0' encoding='utf-8'?>\n<!DOCTYPE stock SYSTEM \"stock.dtd\">\n"
        f"<?sheet {_v(parts, 'instruction', 'plain')}?>\n<stock xmlns:s='http://{_v(parts, 'namespace', 'x')}'>\n"
        f"<made by='{_v(parts, 'attribute of one')}'><s:site>{_v(parts, 'scalar')}</s:site></made>\n{items}"
        f"<note>It is <b>{_v(parts, 'mixed')}</b> and <i k='{_v(parts, 'attribute within')}'/>more</note>"
        f"<raw><![CDATA[{_v(parts, 'cdata')}]]></raw>{_s(parts, 'comment', '<!-- ', ' -->')}</stock>\n"
        f"{_s(parts, 'last comment', '<!-- ', ' -->')}"
    ).encode()


def html(table: Rows, parts: Parts) -> bytes:
    head = "".join(f"<th>{name}</th>" for name in table[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in table[1:])
    return (
        f"<!DOCTYPE html>\n{_s(parts, 'comment', '<!-- ', ' -->')}<html><head><title>{_v(parts, 'title')}</title>\n"
        f"<script>let x = '{_v(parts, 'script')}';</script></head><body>\n"
        f"<p>It is <b>{_v(parts, 'paragraph')}</b>, more or less<br>or not</p><img alt='{_v(parts, 'attribute')}'>\n"
        f"<table><caption>{_v(parts, 'caption')}</caption><tr>{head}</tr>\n{body}</table>\n"
        f"<table><tr><td>{_v(parts, 'layout')}</td></tr></table>{_v(parts, 'last text')}"
    ).encode()


def notebook(table: Rows, parts: Parts) -> bytes:
    page = html(table, {}).decode()
    outputs: list[dict[str, Any]] = [
        {"output_type": "stream", "name": "stdout", "text": ["hinge\n", _v(parts, "stream") + "\n"]},
        {
            "output_type": "execute_result",
            "metadata": {},
            "data": {"text/html": page.splitlines(True), "text/plain": ["x"]},
        },
    ]
    code = {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {},
        "source": ["x = 1\n", "# " + _v(parts, "source")],
        "outputs": outputs,
    }
    note = {
        "cell_type": "markdown",
        "metadata": {"note": _v(parts, "metadata")},
        "source": _v(parts, "markdown"),
    }
    return json.dumps({"cells": [note, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()
