"""Where Linux says what the control groups of this process may use, in versions 1 and 2."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_ROOT: Final = Path("/sys/fs/cgroup")
_OF_THIS_PROCESS: Final = Path("/proc/self/cgroup")


def files(controller: str, name: str) -> list[Path]:
    """The file `name` in the folder of each control group that this process is in, outer ones included.

    controller: of version 1; empty for version 2. A file may be missing.
    """
    try:
        lines = _OF_THIS_PROCESS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if controller not in controllers.split(","):
            continue
        root = _ROOT / controllers if controllers else _ROOT
        inner = root / group.strip("/")
        found += [folder / name for folder in (inner, *inner.parents) if folder.is_relative_to(root)]
    return found
