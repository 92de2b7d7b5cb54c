"""Letters that all headers of a table begin with, as in files of old systems: CUNAME, CUADDR, CUPHONE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from piiscan.core.types import Field, TableInfo
from piiscan.scanning.classify.header_evidence import named, readable_fields
from piiscan.scanning.classify.lexicon import Lexicon

MOST: Final = 0.8
"""Share of headers from which they begin with the same letters because their file has these."""
FEWEST: Final = 5
"""Headers that show so, at least."""
LONGEST: Final = 4
"""Letters of a file, at most."""
_GAINED: Final = 2
"""Headers that must mean something without these letters and nothing with them, at least: a chance word is one."""
_SAYS: Final = -1.0
"""From these log-odds on a phrase says something: "name" does."""


def fields_as_read(info: TableInfo, lexicon: Lexicon) -> list[Field]:
    """The columns of a table with the headers by which they are judged."""
    return without_prefix(readable_fields(info), lexicon)


def without_prefix(fields: Sequence[Field], lexicon: Lexicon) -> list[Field]:
    """The columns, with headers that mean something only without the letters that all begin with read without them.

    A mark between such letters and the rest divides words anyway.
    """
    names = [f.name for f in fields if f.name]
    if len(names) < FEWEST or not (common := _common_letters(names)):
        return list(fields)
    best: dict[str, str] = {}
    for length in range(1, len(common) + 1):
        bare = {n: n[length:] for n in names if n.startswith(common[:length]) and not named(n, lexicon)}
        bare = {name: rest for name, rest in bare.items() if rest[:2].isalpha() and _says(rest, lexicon)}
        best = bare if len(bare) > len(best) else best
    if len(best) < _GAINED:
        return list(fields)
    return [f._replace(name=best.get(f.name or "", f.name)) for f in fields]


def _common_letters(names: Sequence[str]) -> str:
    """The longest letters, of few, that most headers begin with."""
    common = ""
    for length in range(1, LONGEST + 1):
        starts = [name[:length] for name in names if len(name) > length]
        likeliest = max(set(starts), key=lambda start: (starts.count(start), start), default="")
        if starts.count(likeliest) < MOST * len(names) or not likeliest.isalpha():
            break
        common = likeliest
    return common


def _says(header: str, lexicon: Lexicon) -> bool:
    return any(n.logit > _SAYS for n in named(header, lexicon))
