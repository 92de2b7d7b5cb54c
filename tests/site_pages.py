"""Assemble the pages of the documentation site in `build/site-pages`, from where mkdocs.yml reads them.

`python tests/site_pages.py` makes the folder anew. The README becomes the home page, pages of `docs/` keep their
names, and other files of the repository that a page links to lie below `repository/`. So every link on the site can be
checked, and the same pages are read on a code host, where links between files of the repository work as they are.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "site-pages"
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?!\w+:|#)([^)\s#]+)(#[^)\s]*)?(\))")


class BrokenLink(Exception):
    """A page links to a file that isn't in the repository."""


def place(file: PurePosixPath) -> PurePosixPath:
    """Where a file of the repository lies on the site."""
    if file == PurePosixPath("README.md"):
        return PurePosixPath("index.md")
    if file.parts[0] == "docs":
        return PurePosixPath(*file.parts[1:])
    return PurePosixPath("repository", *file.parts)


def linked(text: str, file: PurePosixPath) -> Iterator[PurePosixPath]:
    """The files that a page links to."""
    for part in FENCE.split(text)[::2]:
        for match in LINK.finditer(part):
            yield target(match[2], file)


def target(link: str, file: PurePosixPath) -> PurePosixPath:
    """The file of the repository that a link means. Raises `BrokenLink`."""
    found = PurePosixPath(os.path.normpath(file.parent / link))
    if (ROOT / found / "README.md").is_file():
        found = found / "README.md"
    if not (ROOT / found).is_file():
        raise BrokenLink(f"{file} links to {link}, which isn't in the repository")
    return found


def moved(text: str, file: PurePosixPath) -> str:
    """A page whose links lead to where things are on the site."""

    def link(match: re.Match[str]) -> str:
        to = os.path.relpath(place(target(match[2], file)), place(file).parent)
        return f"{match[1]}{PurePosixPath(to)}{match[3] or ''}{match[4]}"

    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def assemble(out: Path) -> list[PurePosixPath]:
    """Write the pages, and whatever they link to, below `out`, and give their places. Raises `BrokenLink`."""
    shutil.rmtree(out, ignore_errors=True)
    pages = [PurePosixPath("README.md")]
    files = (p for p in sorted((ROOT / "docs").rglob("*")) if p.is_file())
    pages += [PurePosixPath(p.relative_to(ROOT).as_posix()) for p in files]
    seen = set(pages)
    for file in pages:  # grows
        to = out / place(file)
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix != ".md":
            shutil.copyfile(ROOT / file, to)
            continue
        text = (ROOT / file).read_text(encoding="utf-8")
        to.write_text(moved(text, file), encoding="utf-8")
        new = dict.fromkeys(linked(text, file))
        pages += [each for each in new if each not in seen]
        seen |= set(new)
    return [place(file) for file in pages]


def main() -> None:
    try:
        pages = assemble(OUT)
    except BrokenLink as error:
        sys.exit(str(error))
    print(f"{len(pages)} files in {OUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
