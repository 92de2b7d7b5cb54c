"""What other installed packages add to piiscan: the entry points of its groups."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def entry_points(group: str) -> list[EntryPoint]:
    """The entry points of a group, by name.

    The metadata of all packages is read once: it takes as long as importing piiscan.
    """
    return list(_of_group(group, tuple(sys.path)))


@lru_cache(maxsize=16)
def _of_group(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Kept, too: every scan asks for two of them, and looks at all of the other packages' each time."""
    return tuple(sorted(_all(path).select(group=group), key=lambda point: (point.name, point.value)))


@lru_cache(maxsize=1)
def _all(path: tuple[str, ...]) -> Any:  # Python 3.11 has another class here than later ones
    from importlib import metadata

    return metadata.entry_points()


def named(group: str, reserved: frozenset[str], failure: type[UsageError] = UsageError) -> dict[str, EntryPoint]:
    """The entry points of a group in which names must be unique.

    Raises `failure` where a name is one of piiscan's own, or where two packages give the same.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group):
        if point.name in reserved:
            raise failure(
                f"{title(point)}: piiscan itself uses its name; remove it, or ask its author for another name"
            )
        if point.name in found:
            raise failure(f"{title(point)}: two packages use this name; remove one of them")
        found[point.name] = point
    return found


def loaded(point: EntryPoint, failure: type[UsageError] = UsageError) -> Any:
    """What an entry point names. Raises `failure`, without what a package of somebody else says of it."""
    try:
        return point.load()
    except Exception as error:
        raise failure(f"{title(point)} can't be loaded: {type(error).__name__}; repair or remove it") from None


def title(point: EntryPoint) -> str:
    """How messages name a plug-in."""
    return f"plug-in {point.name} ({point.value})"
