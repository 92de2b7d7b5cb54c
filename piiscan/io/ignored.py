"""Which files of a folder to leave out: .gitignore and .piiscanignore files, and patterns of the configuration."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

OWN_FILE = ".piiscanignore"
GIT_FILE = ".gitignore"


class Ignored(NamedTuple):
    """The patterns that hold below `root`: those of the options, then those of each folder on the way down, which win.

    `files`: the names of files with patterns; .gitignore counts within a Git repository only. `exclude`: patterns over
    absolute paths, which win over all others. `own`: files of piiscan's own, by their paths as `absolute` has
    them, and what they are.
    """

    root: Path
    patterns: tuple[str, ...] = ()
    files: tuple[str, ...] = (OWN_FILE,)
    exclude: tuple[str, ...] = ()
    specs: tuple[tuple[Path, Any, str], ...] = ()
    in_repository: bool = False
    own: tuple[tuple[str, str], ...] = ()

    def above(self) -> Ignored:
        """The patterns with those of the folders above `root` up to the top of its repository.

        Unless they leave out `root` itself, which was named explicitly. Raises OSError.
        """
        here = Path(os.path.abspath(self.root))  # noqa: PTH100
        folders = (here, *here.parents)
        top = next((i for i, folder in enumerate(folders) if (folder / ".git").exists()), None)
        found = self._replace(in_repository=top is not None)
        if top is None:
            return found
        for folder in reversed(folders[1 : top + 1]):
            found = found.below(folder)
        return found if found.left_out(here, True) is None else self._replace(in_repository=True)

    def below(self, folder: Path) -> Ignored:
        """What holds below `folder` too, with its own ignore files. Raises OSError where one can't be read."""
        in_repository = self.in_repository or (folder / ".git").exists()
        specs = self.specs
        if not specs and self.patterns:
            specs = ((self.root, _spec(self.patterns), "left out by the options"),)
        for name in self.files:
            path = folder / name
            if path.is_file() and (in_repository or name != GIT_FILE):
                lines = path.read_text("utf-8", "replace").splitlines()
                specs = (*specs, (folder, _spec(tuple(lines)), f"left out by {name}"))
        return self._replace(specs=specs, in_repository=in_repository)

    def left_out(self, path: Path, is_folder: bool) -> str | None:
        """Why a path is left out, by the last pattern that speaks of it; None where it isn't.

        So is .piiscanignore itself.
        """
        if (own := dict(self.own).get(absolute(path))) is not None:
            return own
        if self.exclude and _spec(self.exclude).match_file(absolute(path) + "/" * is_folder):
            return "excluded by the configuration"
        reason = "an ignore file of piiscan" if path.name == OWN_FILE else None
        for folder, spec, why in self.specs:
            inner = Path(os.path.abspath(path)) if folder.is_absolute() and not path.is_absolute() else path  # noqa: PTH100
            found = spec.check_file(inner.relative_to(folder).as_posix() + "/" * is_folder)
            if found.include is not None:
                reason = why if found.include else None
        return reason


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
