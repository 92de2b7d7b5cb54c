"""Which files of a folder to leave out: .gitignore and .piiscanignore files, and patterns of the configuration."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

OWN_FILE = ".piiscanignore"


class Ignored(NamedTuple):
    """The patterns that hold below `root`: those of the options, then those of each folder on the way down, which win.

    `files`: the names of files with patterns. `exclude`: patterns over absolute paths, which win over all others.
    """

    root: Path
    patterns: tuple[str, ...] = ()
    files: tuple[str, ...] = (OWN_FILE,)
    exclude: tuple[str, ...] = ()
    specs: tuple[tuple[Path, Any], ...] = ()

    def above(self) -> Ignored:
        """These, and what the folders above `root` say up to the top of its repository; unless they leave out `root` itself,
        which was named outright. Raises OSError."""
        here = Path(os.path.abspath(self.root))  # noqa: PTH100
        folders = (here, *here.parents)
        top = next((i for i, folder in enumerate(folders) if (folder / ".git").exists()), 0)
        found = self
        for folder in reversed(folders[1 : top + 1]):
            found = found.below(folder)
        return found if found is self or not found.matches(here, True) else self

    def below(self, folder: Path) -> Ignored:
        """What holds below `folder` too, with its own ignore files. Raises OSError where one can't be read."""
        lines: list[str] = []
        for name in self.files:
            path = folder / name
            if path.is_file():
                lines += path.read_text("utf-8", "replace").splitlines()
        specs = self.specs
        if not specs and self.patterns:
            specs = ((self.root, _spec(self.patterns)),)
        if lines:
            specs = (*specs, (folder, _spec(tuple(lines))))
        return self._replace(specs=specs)

    def matches(self, path: Path, is_folder: bool) -> bool:
        """Whether the last pattern that speaks of `path` leaves it out. So is .piiscanignore itself."""
        ignored = path.name == OWN_FILE
        if self.exclude and _spec(self.exclude).match_file(absolute(path) + "/" * is_folder):
            return True
        for folder, spec in self.specs:
            inner = Path(os.path.abspath(path)) if folder.is_absolute() and not path.is_absolute() else path  # noqa: PTH100
            found = spec.check_file(inner.relative_to(folder).as_posix() + "/" * is_folder)
            if found.include is not None:
                ignored = found.include
        return ignored


def absolute(path: str | Path) -> str:
    """An absolute path as `exclude` sees it: POSIX slashes, none in front."""
    return os.path.abspath(path).replace(os.sep, "/").lstrip("/")  # noqa: PTH100 (links stay as they are)


@lru_cache(maxsize=64)
def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # git passes over lines that mean nothing, such as a lone "!"
        return GitIgnoreSpec.from_lines([line for line in lines if _means_something(line)])


def _means_something(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
