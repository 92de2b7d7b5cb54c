"""Names of files of one table: what of a path differs from file to file, and the glob that stands for them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from glob import escape
from typing import Final
from urllib.parse import unquote

NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
"""The folder of rows whose partition key is null, as Hive and what came after it name it."""
_KEY: Final = re.compile(r"([^\W\d][\w.-]*)=([^/]*)")
_SEPARATORS: Final = re.compile(r"([/!])")
_MAGIC: Final = re.compile(r"[*?\[]")
# An identifier of 128 bits, a date with its time (not the digits that a hash begins with), a hash with a digit in it, a
# run of digits.
_PART: Final = re.compile(
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|\d{4}([-_.]?)\d{2}\1\d{2}(?:[T _-]?\d{2}[-_.:h]?\d{2}(?:[-_.:m]?\d{2})?Z?)?(?![^\W_])"
    r"|(?<![^\W_])(?=[a-f]*\d)[0-9a-f]{8,}(?![^\W_])"
    r"|(?<![^\W_])(?=[A-F]*\d)[0-9A-F]{8,}(?![^\W_])"
    r"|\d+"
)


@lru_cache(maxsize=4096)
def glob_of(source: str) -> str | None:
    """Return the glob of the files that differ from `source` only in dates, numbers, hashes, and partition keys.

    A partition key is like `year=2024/`. None if its name has none of them. `a/2024/part-17.csv` belongs to
    `a/*/part-*.csv`.
    """
    parts = _SEPARATORS.split(source)
    ends = (*parts[1::2], "")  # what stands behind each name: a slash behind that of a folder
    found = "".join((_folder if end == "/" else _name)(name) + end for name, end in zip(parts[::2], ends, strict=True))
    return found if found != escape(source) else None


def _folder(name: str) -> str:
    if key := _KEY.fullmatch(name):
        return f"{escape(key[1])}=*"
    found = _without_parts(name)
    return "*" if "*" in found and not found.strip("*-_.") else escape(name)


def _name(name: str) -> str:
    if key := _KEY.fullmatch(name):
        return f"{escape(key[1])}=*"
    stem, dot, ending = name.partition(".") if not name.startswith(".") else ("", "", name)
    # Behind the first point may come digits of its own (.c000.snappy.parquet); those of an ending (.7z) stay.
    ending, point, last = ending.rpartition(".")
    last = escape(last) if re.search(r"[^\W\d]", last) else _without_parts(last)
    return _without_parts(stem + dot + ending) + point + last


def _without_parts(text: str) -> str:
    out, end = [], 0
    for found in _PART.finditer(text):
        out += [escape(text[end : found.start()]), "*"]
        end = found.end()
    return "".join((*out, escape(text[end:])))


def is_glob(source: str) -> bool:
    """Whether a plan's or a report's source stands for several files."""
    return _MAGIC.search(source) is not None


def matches(source: str, glob: str) -> bool:
    """Whether a path is one of a glob's. `*` stands for what is within one folder, `**` for any folders."""
    return _compiled(glob).fullmatch(source) is not None


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile("".join(_regexes(glob)), re.DOTALL)


def _regexes(glob: str) -> Iterator[str]:
    for part in re.finditer(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", glob, re.DOTALL):
        text = part[0]
        if text == "**/":
            yield r"(?:[^/]*/)*"
        elif text == "**":
            yield r".*"
        elif text == "*":
            yield r"[^/]*"
        elif text == "?":
            yield r"[^/]"
        elif len(text) > 1:
            yield f"(?=[^/]){_bracket(text)}"
        else:
            yield re.escape(text)


def _bracket(text: str) -> str:
    is_not = text[1] == "!"
    inside = text[2 if is_not else 1 : -1].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
    return f"[{'^' if is_not else ''}{inside.replace('^', chr(92) + '^') if not is_not else inside}]"


def partition_keys(source: str) -> tuple[tuple[str, str | None], ...]:
    """The partition keys in a path and their values, None for null: `a/year=2024/x.csv` has (("year", "2024"),)."""
    found = (_KEY.fullmatch(part) for part in _SEPARATORS.split(source)[:-1])
    return tuple((key[1], None if key[2] in ("", NO_VALUE) else unquote(key[2])) for key in found if key)
