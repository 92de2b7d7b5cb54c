"""Source code: its literals and comments, by one lexer for families of languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from piiscan.core.batches import sliced
from piiscan.core.types import Batch, Field, TableInfo
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.delimited import lines as plain
from piiscan.io.encodings.encoding import Encoding, open_text, undecodable
from piiscan.io.read_options import ReadOptions
from piiscan.rules import rules_for_code

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
_HERE: Final = (
    r"(?<![<\d)])(?<![\d)] )<<-?[ \t]*+(?P<quote>[\"']?)(?P<tag>[A-Za-z_]\w*+)(?P=quote)[^\n]*+"
    r"(?:\n(?!\t*+(?P=tag)[ \t]*+(?:\n|\Z))[^\n]*+)*+"
)
"""A document within a script, up to the line that ends it. Numbers are shifted, too."""
_PLAIN: Final = r"(?<=\w=)[^\s\"'`$();&|<>\#]++"
"""What is assigned without quotes."""
_SHELL: Final = (
    _HERE,
    _PLAIN,
    r"<\#(?:(?!\#>).)*+(?:\#>|\Z)",
    r"\#[^\n]*+",
    r'"(?:[^"\\]|\\.)*+"?',
    r"'[^']*+'?",
    _NUMBER,
)
_PARTS: Final[dict[str, tuple[str, ...]]] = {"c": _C, "hash": _HASH, "php": _PHP, "dashes": _DASHES, "shell": _SHELL}
"""The parts that are scanned, by families of languages; all of it for families not listed."""
_NAME: Final = re.compile(
    r"([\w.$-]{1,60})[\"'\]]?(?:\[\d{0,4}\])?[ \t]{0,8}"
    r"(?:(?::[ \t]{0,4}[A-Za-z][\w.\[\]| ]{0,40}|string[ \t]{0,8}|"
    r"(?i:as)[ \t]{1,8}[A-Za-z][\w.]{0,40}[ \t]{0,8})=|=>|:=|==|[=:(,])[ \t]{0,8}\Z"
)
"""The name that a literal is given, with a type behind it or without."""
_KEYED: Final = re.compile(r"\]?[ \t]{0,8}(?:=>|[=:,])[ \t]{0,8}")
"""The signs between a key in quotes and its value."""
_SETTING: Final = re.compile(
    r"[ \t]*+(?:export[ \t]++)?([\w.-]{1,60})[ \t]*+[=:][ \t]*+[\"']?([^\s\"']{1,200})[\"']?[;,]?\s*+"
)
"""A line of a document within a script that gives a name a value."""
_QUOTED: Final = re.compile(r'"([^"\n]{1,200})"')
_SET: Final = re.compile(
    r"""\bset(?:[ \t]++(?:/[ap][ \t]++)?"?([\w.-]{1,60})=|x[ \t]++"?([\w.-]{1,60})"?[ \t]++"?)([^\s"&|<>]{1,200})""",
    re.IGNORECASE,
)
"""What a batch file of Windows gives a variable."""
_WORD: Final = re.compile(r"[\w.$-]{1,60}")
_NAME_REACH: Final = 90


def table(content: Content, encoding: Encoding, options: ReadOptions, family: str) -> ReadTable:
    """A row for each line: its literals, each behind the name that it is given, and its comments."""
    details = (("encoding", encoding.name), *describe(content))
    info = TableInfo(content.source, None, FORMAT, False, (Field("text"),), details)
    parts = _PARTS.get(family)
    if parts is None or content.size > _LARGEST:
        return _lines(plain.table(content, encoding, options)._replace(info=info, origin=None), options)

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        try:
            with open_text(content, encoding, None) as stream:
                text = stream.read()
        except UnicodeDecodeError:
            raise undecodable(encoding) from None
        yield from sliced(
            pl.DataFrame({"0": spoken(text, parts, rules_for_code.reader(options.rules))}, schema={"0": pl.String}),
            options.batch_rows,
        )
        content.read_whole()

    return ReadTable(info, frames, options.rows)


def _lines(whole: ReadTable, options: ReadOptions) -> ReadTable:
    """All of each line, and what names say of the literals in it."""
    import polars as pl

    marked = rules_for_code.reader(options.rules)

    def batches() -> Iterator[Batch]:
        for batch in whole.batches():
            lines = [line and noted(line, marked) for line in batch.frame["0"].to_list()]
            yield batch._replace(frame=pl.DataFrame({"0": lines}, schema={"0": pl.String}))

    return ReadTable(whole.info, batches, whole.rows)


def noted(line: str, marked: Callable[[str, str], str]) -> str:
    """A line of a language that the lexer doesn't know, with what `marked` adds to its literals by their names.

    >>> noted('Dim mail As String = "a@b.example"', lambda name, value: f"[{name}]")
    'Dim mail As String = "a@b.example" [mail]'
    """
    added = [
        marked(name[1], literal[1])
        for literal in _QUOTED.finditer(line)
        if (name := _NAME.search(line, max(0, literal.start() - _NAME_REACH), literal.start()))
    ]
    added += [marked(found[1] or found[2], found[3]) for found in _SET.finditer(line)]
    return " ".join(filter(None, (line, *added)))


def spoken(text: str, parts: tuple[str, ...], marked: Callable[[str, str], str] = lambda name, value: "") -> list[str]:
    r"""The literals and comments of each line. `marked`: what to add to one by its name.

    >>> spoken('mail = "a@b.example"  # of Ann\nx = f(y)\n', _HASH)
    ['mail: a@b.example of Ann', '', '']
    """
    lines: list[list[str]] = [[]]
    at, before = 0, ""
    for found in re.compile("|".join(parts), re.DOTALL).finditer(text):
        start = found.start()
        lines += ([] for _ in range(text.count("\n", at, start)))
        name = before if _KEYED.fullmatch(text, at, start) else ""
        if not name and (given := _NAME.search(text, max(start - _NAME_REACH, at), start)):
            name = given[1]
        first, *more = found[0].split("\n")
        value = first.strip("\"'`#/* \t")
        lines[-1] += [f"{name}: {value}" if name else value, marked(name, first.strip("\"'`")) if name else ""]
        is_document = bool(more) and first.startswith("<<")
        for part in more:
            setting = _SETTING.fullmatch(part) if is_document else None
            lines.append([part.strip(" \t*"), marked(*setting.groups()) if setting else ""])
        before = value if found[0][:1] in "\"'" and not more and _WORD.fullmatch(value) else ""
        at = found.end()
    lines += ([] for _ in range(text.count("\n", at)))
    return [" ".join(filter(None, line)) for line in lines]
