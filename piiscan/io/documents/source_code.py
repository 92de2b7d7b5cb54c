"""Source code: what stands in its literals and comments, by one lexer for families of languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from piiscan.core.batches import sliced
from piiscan.core.types import Field, TableInfo
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.delimited import lines as plain
from piiscan.io.encodings.encoding import Encoding, open_text, undecodable
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

FORMAT: Final = "code"
_LARGEST: Final = 16 << 20
"""Above so many bytes it is read as lines, all of them."""
_DOUBLE, _SINGLE = r'"(?:[^"\\\n]|\\.)*+"?', r"'(?:[^'\\\n]|\\.)*+'?"
_BACKTICK: Final = r"`(?:[^`\\]|\\.)*+`?"
_THRICE: Final = (
    r'"""[^"]*+(?:"(?!"")[^"]*+)*+(?:"""|\Z)',
    r"'''[^']*+(?:'(?!'')[^']*+)*+(?:'''|\Z)",
)
_BLOCK: Final = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)"
_NUMBER: Final = r"\d[\d_]{6,40}+"
_C: Final = (_BLOCK, r"//[^\n]*+", _THRICE[0], _DOUBLE, _SINGLE, _BACKTICK, _NUMBER)
_HASH: Final = (*_THRICE, r"\#[^\n]*+", _DOUBLE, _SINGLE, _BACKTICK, _NUMBER)
_PHP: Final = (_BLOCK, r"(?://|\#)[^\n]*+", _DOUBLE, _SINGLE, _BACKTICK, _NUMBER)
_DASHES: Final = (
    r"--\[\[(?:(?!\]\]).)*+(?:\]\]|\Z)",
    r"\[\[(?:(?!\]\]).)*+(?:\]\]|\Z)",
    r"\{-(?:(?!-\}).)*+(?:-\}|\Z)",
    r"--[^\n]*+",
    _DOUBLE,
    _SINGLE,
    _NUMBER,
)
_SHELL: Final = (r"<\#(?:(?!\#>).)*+(?:\#>|\Z)", r"\#[^\n]*+", r'"(?:[^"\\]|\\.)*+"?', r"'[^']*+'?", _NUMBER)
_PARTS: Final[dict[str, tuple[str, ...]]] = {"c": _C, "hash": _HASH, "php": _PHP, "dashes": _DASHES, "shell": _SHELL}
"""By families of languages what is looked at; all of it where nothing is said."""
_NAME: Final = re.compile(r"([\w.$-]{1,60})[\"'\]]?[ \t]{0,8}(?:=>|:=|==|[=:(,])[ \t]{0,8}\Z")
_NAME_REACH: Final = 90


def table(content: Content, encoding: Encoding, options: ReadOptions, family: str) -> ReadTable:
    """A row for each line: its literals, each behind the name that it is given, and its comments."""
    details = (("encoding", encoding.name), *describe(content))
    info = TableInfo(content.source, None, FORMAT, False, (Field("text"),), details)
    parts = _PARTS.get(family)
    if parts is None or content.size > _LARGEST:
        whole = plain.table(content, encoding, options)
        return whole._replace(info=info, origin=None)

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        try:
            with open_text(content, encoding, None) as stream:
                text = stream.read()
        except UnicodeDecodeError:
            raise undecodable(encoding) from None
        yield from sliced(pl.DataFrame({"0": spoken(text, parts)}, schema={"0": pl.String}), options.batch_rows)
        content.read_whole()

    return ReadTable(info, frames, options.rows)


def spoken(text: str, parts: tuple[str, ...]) -> list[str]:
    """The literals and comments of each line.

    >>> spoken('mail = "a@b.example"  # of Ann\\nx = f(y)\\n', _HASH)
    ['mail: a@b.example of Ann', '', '']
    """
    lines: list[list[str]] = [[]]
    at = 0
    for found in re.compile("|".join(parts), re.DOTALL).finditer(text):
        start = found.start()
        lines += ([] for _ in range(text.count("\n", at, start)))
        name = _NAME.search(text, max(start - _NAME_REACH, at), start)
        first, *more = found[0].split("\n")
        lines[-1].append((f"{name[1]}: " if name else "") + first.strip("\"'`#/* \t"))
        lines += ([part.strip(" \t*")] for part in more)
        at = found.end()
    lines += ([] for _ in range(text.count("\n", at)))
    return [" ".join(filter(None, line)) for line in lines]
