r"""Keys and their values, as programs write them into a text: `last_name=Berg`, `"name" => "Ann Lee"`, `{name: 'Ann'}`.

Settings, logs, reprs of objects, hashes of Ruby, hstore of PostgreSQL, Cypher, GraphQL, attributes of markup, cookies,
and what PHP stores. Elements of markup (`<lastName>Berg</lastName>`), rows of two cells, options of commands
(`--last-name Berg`), keywords of Lisp and pairs in brackets, too. A key is one word, but in cells of a table; behind a
colon, a value without quotes ends where its cell, its member or its line does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from piiscan.core.lazy_pattern import lazy_pattern

T = TypeVar("T")

MAY: Final = (
    r"[^\W\d_][\\\"'\]]{0,4}[ ]?(?:[:=]|->|;s:\d+:)[=>]?[ ]?(?:[^\W\d_]|[\"'\\])"
    r"|[^\W\d_]\s{0,3}</[^\W\d_]|--[^\W\d_]|:[^\W\d_][\w-]* \"|[(\[][ ]?[\"'][\w .-]{2,40}[\"'],"
)
"""What a text has that may hold one."""
_KEY: Final = lazy_pattern(
    r"(?<![^\W_.-])(?P<key>[^\W\d_][\w.-]{1,40})"
    r"(?:\\{0,3}[\"'])?\]?[ ]?(?:=>|->|:=|=(?![=~])|:(?!:)|;s:\d+:(?=\\{0,3}\"))[ ]?(?:(?:Optional|Some|Just)[( ])?"
)
_WORDS: Final = r"[^\W\d_][^\W\d_]*\.?(?:[ '’-][^\W\d_]+\.?){0,3}"
_ENDS: Final = r"(?![^\W_])(?=[ ]?(?:[;|,&)}\]\r\n<>]|/>|\Z|[^\W\d_][\w.-]*[\"']?[ ]?[:=]))"
_QUOTED: Final = lazy_pattern(
    r"(?P<mark>\\{0,3}[\"'])(?P<value>(?:[^\"'\\\r\n]|(?<=[^\W\d_])'(?=[^\W\d_])){2,80})(?P=mark)(?![^\W\d_])"
)
_BARE: Final = lazy_pattern(rf"(?P<value>{_WORDS}){_ENDS}")
_PARTICLE: Final = 3
"""Letters of the words in small letters that names have ("van der")."""
_NAME: Final = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
_WORD: Final = lazy_pattern(rf"(?P<value>{_NAME})(?=[\s,;)}}\]>]|\Z)")
"""The value of `key=value`, whatever is behind it."""
_IN_QUOTES: Final = r"(?P<mark>[\"'])(?P<value>[^\"'\r\n]{2,80})(?P=mark)"
_OTHERS: Final = {
    "</": (
        lazy_pattern(
            r"<(?:[\w-]{1,20}:)?(?P<key>[^\W\d_][\w.-]{1,40})(?:\s[^<>]{0,200})?>\s{0,3}"
            rf"(?P<value>{_WORDS})\s{{0,3}}</(?![tT][dDhH]>)"
        ),
        lazy_pattern(
            r"<t[dh][^<>]{0,100}>\s{0,3}(?P<key>[^\W\d_][\w .-]{1,40}):?\s{0,3}</t[dh]>\s{0,9}"
            rf"<td[^<>]{{0,100}}>\s{{0,3}}(?P<value>{_WORDS})\s{{0,3}}</"
        ),
    ),
    "--": (
        lazy_pattern(rf"(?<![\w-])--(?P<key>[^\W\d_][\w-]{{1,40}}) (?P<value>{_NAME})(?=\s|\Z)"),
        lazy_pattern(rf"(?<![\w-])--(?P<key>[^\W\d_][\w-]{{1,40}}) {_IN_QUOTES}"),
    ),
    ' "': (lazy_pattern(r"(?<![\w:]):(?P<key>[^\W\d_][\w-]{1,40}) \"(?P<value>[^\"\r\n]{2,80})\""),),
    ",": (lazy_pattern(rf"[(\[][ ]?[\"'](?P<key>[^\W\d_][\w .-]{{1,40}})[\"'],[ ]?{_IN_QUOTES}[ ]?[)\]]"),),
}
"""By a part of their texts, the patterns of other notations."""


def pairs(text: str, names: Callable[[str], T | None]) -> Iterator[tuple[T, int, int]]:
    """What keys in a text name, and where their values begin and end; not of keys that name nothing."""
    for part, patterns in _OTHERS.items():
        for pattern in patterns if part in text else ():
            for found in pattern.finditer(text):
                if named := names(found["key"]):
                    yield named, *found.span("value")
    if ":" not in text and "=" not in text and "->" not in text:
        return
    for found in _KEY.finditer(text):
        named = names(found["key"])
        if not named:
            continue
        at = found.end()
        value = _QUOTED.match(text, at) or _BARE.match(text, at)
        if found[0].endswith("=") and (value is None or _goes_on(value["value"])):
            value = _WORD.match(text, at)
        if value is not None:
            yield named, *value.span("value")


def _goes_on(value: str) -> bool:
    """Whether a sentence goes on behind the first word of a value, which isn't in quotes."""
    return any(word.islower() and len(word) > _PARTICLE for word in value.split()[1:])
