"""Which files of a folder to leave out: .gitignore and .piiscanignore files, and patterns of the configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_FILES = (".gitignore", ".piiscanignore")


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns that hold below `root`: those of the options, then those of each folder on the way down, which win."""

    root: Path
    patterns: tuple[str, ...] = ()
    specs: tuple[tuple[Path, Any], ...] = field(default=(), repr=False)

    def below(self, folder: Path) -> Ignored:
        """What holds below `folder` too, with its own ignore files. Raises OSError where one can't be read."""
        lines: list[str] = []
        for name in _FILES:
            path = folder / name
            if path.is_file():
                lines += path.read_text("utf-8", "replace").splitlines()
        specs = self.specs
        if not specs and self.patterns:
            specs = ((self.root, _spec(self.patterns)),)
        if lines:
            specs = (*specs, (folder, _spec(lines)))
        return Ignored(self.root, self.patterns, specs)

    def matches(self, path: Path, is_folder: bool) -> bool:
        """Whether the last pattern that speaks of `path` leaves it out. So is .piiscanignore itself."""
        ignored = path.name == _FILES[1]
        for folder, spec in self.specs:
            found = spec.check_file(path.relative_to(folder).as_posix() + "/" * is_folder)
            if found.include is not None:
                ignored = found.include
        return ignored


def _spec(lines: Any) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)
