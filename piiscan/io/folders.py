"""Lists the files of a path: folders, links, ignore files, and how each name is printed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from piiscan.core import urls
from piiscan.core.types import InName, NotScanned, Skipped
from piiscan.io import printed_names
from piiscan.io.content import Content, os_reason
from piiscan.io.ignored import Ignored
from piiscan.io.read_options import ReadOptions

Listed = Content | NotScanned | Skipped | InName
TOOLS = "folder of a tool"
"""Why a folder such as `.git` is not entered."""


class _Folder(NamedTuple):
    """A folder on disk, and as it is printed."""

    path: Path
    shown: str

    def entry(self, name: str) -> str:
        """How an entry is printed whose name says nothing about anybody."""
        name = printed_names.as_text(name)
        return name if self.shown == "." else f"{self.shown.rstrip('/')}/{name}"


def files(path: str, options: ReadOptions, visited: set[tuple[int, int]]) -> Iterator[tuple[Listed, bool]]:
    """Yield the files of a path, each with whether it was named explicitly.

    Also what was passed over, and identifiers in names.

    `visited`: the folders (device, inode) that were seen.
    """
    if (scheme := urls.kind(path)) is not None:
        yield NotScanned(urls.printed(scheme), urls.reason(scheme)), True
        return
    root, is_folder = Path(path), os.path.isdir(path)  # noqa: PTH112  (it raises nothing)
    shown = printed_names.shown(path, options.rules)
    for name in printed_names.named(shown, root.name, options.rules, persons=not is_folder):
        yield name, True
    try:
        if not root.is_dir():
            yield _file(path, shown), True
            return
        ignored = Ignored(root, options.ignore, options.ignore_files, options.exclude, own=options.own).above()
        for item in _folder(_Folder(root, shown), ignored, visited, options):
            yield item, False
    except OSError as error:
        yield NotScanned(shown, os_reason(error)), False


def _folder(folder: _Folder, ignored: Ignored, visited: set[tuple[int, int]], options: ReadOptions) -> Iterator[Listed]:
    """The files below a folder, sorted by name.

    Links to folders come last, so that a folder is met under its own name.
    """
    try:
        here = folder.path.stat()
        if (here.st_dev, here.st_ino) in visited:
            return
        visited.add((here.st_dev, here.st_ino))
        entries = sorted(os.scandir(folder.path), key=lambda entry: entry.name)
        ignored = ignored.below(folder.path)
    except OSError as error:
        yield NotScanned(folder.shown, os_reason(error))
        return
    links: list[_Folder] = []
    after_persons = printed_names.keys_of_persons([e.name for e in entries], options.rules)
    for position, entry in enumerate(entries):
        path, shown = folder.path / entry.name, folder.entry(entry.name)
        try:
            is_folder = entry.is_dir()
            named = printed_names.found(entry.name, options.rules, after_persons)
            if named:
                shown = folder.entry(printed_names.by_position(entry.name, position, is_folder))
            if (reason := ignored.left_out(path, is_folder)) is not None:
                yield Skipped(shown, reason)
                continue
            if is_folder and entry.name in options.pass_over:
                yield Skipped(shown, TOOLS)
                continue
            yield from printed_names.findings(shown, named)
            if is_folder and entry.is_symlink():
                links.append(_Folder(path, shown))
            elif is_folder:
                yield from _folder(_Folder(path, shown), ignored, visited, options)
            else:
                yield _file(str(path), shown)
        except OSError as error:
            yield NotScanned(shown, os_reason(error))
    for link in links:
        yield from _folder(link, ignored, visited, options)


def _file(path: str, shown: str) -> Content | NotScanned:
    try:
        found = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return NotScanned(shown, _broken_link(path))
    except OSError as error:
        return NotScanned(shown, os_reason(error))
    # Opening a pipe or a device could wait for ever, or never end.
    if not stat.S_ISREG(found.st_mode):
        kinds = ((stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))
        what = next((kind for test, kind in kinds if test(found.st_mode)), "a device")
        return NotScanned(shown, f"{what}, not a regular file; pass its content through standard input")
    return Content.on_disk(shown, path, found)


def _broken_link(path: str) -> str:
    if not Path(path).is_symlink():
        return "no such file"
    if ".git/annex/objects" in str(Path(path).readlink()):
        return "a git-annex link without its content; run git annex get"
    return "a broken link; mend or remove it"
