"""Finds user names beside the addresses of members' pages, and addresses and keys that contain a person's identifier.

An export of a social site has `https://www.instagram.com/NAME` beside `NAME`, under headers that say nothing. A list of
a program's users has the number or the login of each in the addresses of pictures and lists, and in keys in Base64.
Both show row by row, so this reads the sampled rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from piiscan.core.base64_texts import from_base64
from piiscan.core.header_words import fold
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.summary.sample import RowSample

MOST: Final = 0.8
"""Share of the rows that have both whose address must contain the other column's value."""
_ELEMENT: Final = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,'"\[\]]+)""")
_PART: Final = re.compile(r"[/?#&=:;,~@]+")
_SHORTEST: Final = 8
"""Letters of Base64 that may be more than a word by chance."""
_RUN: Final = re.compile(r"\d+|[^\W\d_]+")
_NO_WORD: Final = re.compile(r"[\W_]+")
_SITE: Final = lazy_pattern(
    r"""(?ix)(?://|^) (?: (?:[a-z-]+\.)? (?:
    (?:instagram|facebook|twitter|x|threads|tiktok|vk|soundcloud|pinterest|snapchat)\.(?:com|net)/
        (?: @|_u/|add/|people/|intent/user\?(?:user_id|screen_name)=|profile\.php\?id= )? [\w.%-]+ /? (?:\?lang=\w+)?
    | (?:linkedin\.com/in|xing\.com/profile|reddit\.com/(?:u|user)|t\.me|bsky\.app/profile|last\.fm/user)/ [^/?\#\s]+ /?
    | (?:youtube\.com|medium\.com|[\w-]+(?:\.[\w-]+)+)/@[\w.@-]+ /? ) ) $"""
)
"""How social sites address the page of each member."""


class Links(NamedTuple):
    """Columns, by their places.

    `names`: of members of a site; `pages`: addresses of members' pages; `holders`: addresses and keys that contain what
    identifies a person.
    """

    names: frozenset[int] = frozenset()
    pages: frozenset[int] = frozenset()
    holders: frozenset[int] = frozenset()


def links(
    rows: RowSample,
    urls: Collection[int],
    keys: Collection[int],
    unknown: Collection[int],
    identifying: Collection[int],
    of_members: bool,
) -> Links:
    """What addresses and other columns of the same rows say of each other.

    `urls` and `keys`: columns of addresses, and of keys of anything; `unknown`: those that may hold names of members;
    `identifying`: those that identify persons. `of_members`: rows may be about members of a site.
    """
    if not urls and not (keys and identifying):
        return Links()
    sampled = [row for row, _ in rows.items]
    parts = {c: [[_parts(text) for text in _cells(row[c])] for row in sampled] for c in (*urls, *keys)}
    pages = [u for u in urls if of_members and _are_social(sampled, u)]
    names = [c for c in unknown if any(_contains(sampled, c, parts[u]) for u in pages)]
    known = (*identifying, *names)
    holders = [c for c in parts if any(c != i and _contains(sampled, i, parts[c]) for i in known)]
    return Links(frozenset(names), frozenset(pages), frozenset(holders))


def _cells(cell: str | None) -> list[str]:
    """The values of a cell: those of a list as samples write it, a long one as far as it goes."""
    if cell is None:
        return []
    if cell.startswith("[") and len(cell) > 1 and cell[1] in "'\"]-0123456789N":
        return [a or b or c for a, b, c in _ELEMENT.findall(cell)]
    return [cell]


def _parts(text: str) -> frozenset[str]:
    """The parts of an address or a key, in the form in which values are compared; of a whole value there are none."""
    if "://" not in text and (plain := _in_base64(text)):
        return frozenset(map(_form, _RUN.findall(plain)))
    found = [form for part in _PART.split(unquote(text)) if (form := _form(part))]
    return frozenset(found if len(found) > 1 else ())


def _in_base64(text: str) -> str:
    """The text that a key holds in Base64, empty where it holds none."""
    if len(text) < _SHORTEST:
        return ""
    try:
        plain = (from_base64(text) or b"").decode("ascii")
    except ValueError:
        return ""
    return plain if plain.isprintable() else ""


def _form(text: str) -> str:
    return _NO_WORD.sub("-", fold(text).lower()).strip("-")


def _are_social(rows: Sequence[tuple[str | None, ...]], column: int) -> bool:
    found = [_SITE.search(text) is not None for row in rows for text in _cells(row[column])]
    return bool(found) and sum(found) > len(found) / 2


def _contains(rows: Sequence[tuple[str | None, ...]], column: int, parts: Sequence[Sequence[frozenset[str]]]) -> bool:
    """Whether most addresses contain the value that the column has in the same row."""
    pairs = [pair for row, urls in zip(rows, parts, strict=True) for pair in _pairs(_cells(row[column]), urls)]
    found = sum(value in url for value, url in pairs)
    return found > 0 and found >= MOST * len(pairs)


def _pairs(values: Sequence[str], urls: Sequence[frozenset[str]]) -> Iterator[tuple[str, frozenset[str]]]:
    """Each value with its address; the only value of a row with each address."""
    both = zip([*values] * len(urls) if len(values) == 1 else values, urls, strict=False)
    return ((_form(value), url) for value, url in both if _form(value))
