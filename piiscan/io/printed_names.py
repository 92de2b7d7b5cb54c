"""Names of files, folders and archive members as they are printed: by position where an identifier is evident in them.

`customers/536-22-1234.csv` is printed as `customers/file_7.csv`: the eighth entry of its folder, sorted by name. What
is
printed can be typed again: `on_disk` finds the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.types import InName

if TYPE_CHECKING:
    from piiscan.detection.matching.identifiers_in_names import FoundInName
    from piiscan.rules.definitions import Rule, RuleSet

_TWO_WORDS = lazy_pattern(r"[^\W\d_]{3}[^\w]|[^\W\d_]{3}_")
_PLACED = lazy_pattern(r"(?:file|folder)_(\d+)(?:\.\w+)*")
_ENDING = lazy_pattern(r"(?:\.[A-Za-z][A-Za-z0-9]{0,7}){1,2}$")


def evident(name: str, rules: RuleSet | None, persons: bool = True) -> tuple[Rule, ...]:
    """As `identifiers_in_names.evident`, without loading it for names that can't identify anybody."""
    return tuple(one.rule for one in _found(name, rules, persons))


def _found(name: str, rules: RuleSet | None, persons: bool) -> tuple[FoundInName, ...]:
    if not ("@" in name or any(c.isdigit() for c in name) or (persons and _TWO_WORDS.search(name))):
        return ()
    from piiscan.detection.matching import identifiers_in_names

    return identifiers_in_names.found(name, rules, persons)


def found(name: str, rules: RuleSet | None, after_persons: Set[str]) -> tuple[FoundInName, ...]:
    """What identifies somebody in the name of an entry of a folder with these `keys_of_persons`."""
    here = _found(name, rules, True)
    if not here and after_persons and _key(name) in after_persons:
        from piiscan.detection.matching import identifiers_in_names

        here = identifiers_in_names.of_person()
    return here


def keys_of_persons(names: Sequence[str], rules: RuleSet | None) -> Set[str]:
    """The keys of partitions (`name=Anna Kowalska`) whose values are names of persons: half of them, and two."""
    values: dict[str, list[bool]] = {}
    for name in names:
        if (key := _key(name)) is not None:
            values.setdefault(key, []).append(bool(_found(name, rules, True)))
    return {key for key, known in values.items() if 2 <= sum(known) >= len(known) / 2}


def _key(name: str) -> str | None:
    key, equals, value = name.partition("=")
    return key if equals and value else None


def column(name: str | None, place: int) -> str:
    """The printed form of a column: its name, or its place where it has none or the name identifies somebody."""
    return name if name and not evident(name, None) else str(place)


def as_text(name: str) -> str:
    """A name as UTF-8 can write it: bytes that no character stands for as in URLs, `caf%E9.csv`."""
    if name.isascii():
        return name
    try:
        name.encode()
    except UnicodeEncodeError:
        raw = os.fsencode(name).decode("utf-8", "surrogateescape")
        return "".join(f"%{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in raw)
    return name


def by_position(name: str, position: int, is_folder: bool = False) -> str:
    """The printed form of a name that identifies somebody: its position, with the ending that tells the format."""
    ending = _ENDING.search(name)
    return (
        f"folder_{position}"
        if is_folder
        else f"file_{position}{ending[0].lower() if ending and not evident(ending[0], None) else ''}"
    )


def shown(path: str, rules: RuleSet | None) -> str:
    """A path as it is printed: parts that identify somebody are replaced by their position in their folder.

    It has forward slashes. Folders on the way that are called after persons are printed: people's own folders are, and
    they were typed by the person who asks.
    """
    parts: list[str] = []
    here = PurePath(path)
    is_folder = os.path.isdir(path)  # noqa: PTH112  (it raises nothing)
    for i, part in enumerate(here.parts):
        if evident(part, rules, persons=not is_folder and i + 1 == len(here.parts)):
            folder = Path(*here.parts[:i])
            part = by_position(part, _position(folder, part), (folder / part).is_dir())
        parts.append(as_text(part))
    return PurePath(*parts).as_posix() if parts else here.as_posix()


def named(source: str, name: str, rules: RuleSet | None, persons: bool = True) -> list[InName]:
    """The findings of one name that is printed as `source`. `persons`: names of persons count."""
    return findings(source, _found(name, rules, persons))


def findings(source: str, found: Iterable[FoundInName]) -> list[InName]:
    """What was found in a name that is printed as `source`, as findings."""
    return [InName(source, r.entity, r.subtype, r.id, reserved=reserved) for r, reserved in found]


class Members:
    """Names of an archive's members as they are printed and written again.

    Parts that identify somebody are replaced by the position of the first entry that has them. Ask for every entry,
    folders too, in the archive's order.
    """

    def __init__(self, source: str, rules: RuleSet | None) -> None:
        self._source, self._rules = source, rules
        self._position = 0
        self._known: dict[tuple[str, ...], str] = {}

    def printed(self, name: str) -> tuple[str, list[InName]]:
        """The printed name of the next entry, and what is found in parts of it that no earlier entry had."""
        parts, out, found = name.split("/"), list[str](), list[InName]()
        for i, part in enumerate(parts):
            key = tuple(parts[: i + 1])
            is_new = key not in self._known
            if is_new:
                is_name = bool(evident(part, self._rules))
                self._known[key] = by_position(part, self._position, i + 1 < len(parts)) if is_name else as_text(part)
            out.append(self._known[key])
            if is_new:
                found += named(f"{self._source}!{'/'.join(out)}", part, self._rules)
        self._position += 1
        return "/".join(out), found

    def noted(self, text: str, position: str) -> list[InName]:
        """Findings in a name that is no entry's: the target of the link at `position`, or its owner.

        Names of entries are found where those are.
        """
        told = {key[-1] for key in self._known}
        return [f for part in text.split("/") if part not in told for f in named(position, part, self._rules)]

    def known(self, name: str) -> str:
        """The printed form of a name that a link points to."""
        parts = name.split("/")
        found = (self._known.get(tuple(parts[: i + 1])) for i in range(len(parts)))
        return "/".join(
            known or (by_position(part, 0, False) if evident(part, self._rules) else as_text(part))
            for known, part in zip(found, parts, strict=True)
        )


def on_disk(path: str) -> str:
    """The path for a printed one; itself where it exists, or where no position fits."""
    here = Path()
    for part in PurePath(path).parts:
        if not os.path.lexists(here / part) and (placed := _PLACED.fullmatch(part)):
            entries = _entries(here)
            part = entries[int(placed[1])] if int(placed[1]) < len(entries) else part
        here = here / _entry(here, part)
    return str(here) if os.path.lexists(here) else path


def _entry(folder: Path, part: str) -> str:
    """The name of an entry that is printed as `part`, where there is none of that name."""
    if "%" not in part or os.path.lexists(folder / part):
        return part
    return next((entry for entry in _entries(folder) if as_text(entry) == part), part)


def _position(folder: Path, name: str) -> int:
    entries = _entries(folder)
    return entries.index(name) if name in entries else 0


def _entries(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []
