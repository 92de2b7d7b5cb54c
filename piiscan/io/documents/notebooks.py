"""Notebooks: JSON like any other, and the tables that their outputs show as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from piiscan.io.asides import COPIED
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.documents import html_text
from piiscan.io.documents.beside import Unparsed
from piiscan.io.documents.documents import grid_table
from piiscan.io.encodings.encoding import Encoding, open_text
from piiscan.io.nested import json_files
from piiscan.io.read_options import ReadOptions


def tables(content: Content, encoding: Encoding, options: ReadOptions) -> Iterator[ReadTable]:
    """The tables of the JSON document, in which everything stands, and those that are drawn in it.

    Raises `ReadError`.
    """
    found = json_files.document(content, encoding, options)
    yield from found
    if not options.asides or not found or found[0].info.format != "json":
        return
    details = (COPIED, ("encoding", encoding.name), *describe(content))
    with open_text(content, encoding, None) as stream:
        pages = [page for notebook in json_files.values_of(stream.read()) for page in _pages(notebook)]
    for number, page in enumerate(pages, 1):
        try:
            drawn = html_text.parsed(page).tables
        except Unparsed:
            continue  # its text is looked at as one of the document's
        for n, table in enumerate(drawn, 1):
            yield grid_table(content, f"output {number} table {n}", table, options, details)


def _pages(notebook: Any) -> Iterator[str]:
    """The outputs in HTML."""
    for cell in _list(notebook, "cells"):
        for output in _list(cell, "outputs"):
            data = output.get("data") if isinstance(output, dict) else None
            page = data.get("text/html") if isinstance(data, dict) else None
            if isinstance(page, list):
                page = "".join(part for part in page if isinstance(part, str))
            if isinstance(page, str) and "<table" in page.lower():
                yield page


def _list(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
