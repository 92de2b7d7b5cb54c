"""The staged content of a git repository, written to files for a scan and removed after it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from piiscan.core.errors import UsageError

REGULAR_FILES = ("100644", "100755")


@contextmanager
def staged_files(paths: Sequence[str], is_excluded: Callable[[Path], bool]) -> Iterator[tuple[Path, str]]:
    """Yield the folder to work in and, relative to it, the folder to scan.

    Files then have the same names as from here.

    Only what differs from the last commit, below `paths` where given, with the .piiscanignore files of the index.
    Links and submodules have no content of their own. Raises `UsageError` outside a repository, and for a path
    unknown to git.
    """
    top = Path(os.fsdecode(_git("rev-parse", "--show-toplevel").removesuffix(b"\n")))
    prefix = os.fsdecode(_git("rev-parse", "--show-prefix").removesuffix(b"\n"))
    for path in paths:
        if not os.path.lexists(path) and not _git("ls-files", "-z", "--", path):
            raise UsageError(f"--staged: {path}: it is neither in this folder nor in the index")
    raw = _git(
        "diff", "--cached", "--raw", "-z", "--no-renames", "--no-relative", "--diff-filter=ACMT", "--", *paths
    ).split(b"\0")
    regular = [
        name for entry, name in zip(raw[::2], raw[1::2], strict=False) if entry.split()[1].decode() in REGULAR_FILES
    ]
    names = [name for name in regular if not is_excluded(top / os.fsdecode(name))]
    if names:
        names += _git("ls-files", "-z", "--full-name", "--", ":(top,glob)**/.piiscanignore", literal=False).split(
            b"\0"
        )[:-1]
    with tempfile.TemporaryDirectory(prefix="piiscan-") as scratch:
        if names:
            _git("checkout-index", "-z", "--stdin", f"--prefix={scratch}/", cwd=top, stdin=b"\0".join(names) + b"\0")
        work = Path(scratch) / prefix
        work.mkdir(parents=True, exist_ok=True)
        yield work, os.path.relpath(scratch, work)


def _git(*args: str, cwd: Path | None = None, stdin: bytes = b"", literal: bool = True) -> bytes:
    # Large files keep their pointers: a scan downloads nothing.
    env = {**os.environ, "GIT_LFS_SKIP_SMUDGE": "1"}
    try:
        return subprocess.run(
            ["git", *["--literal-pathspecs"] * literal, *args],
            cwd=cwd,
            input=stdin,
            env=env,
            check=True,
            capture_output=True,
        ).stdout
    except FileNotFoundError:
        raise UsageError("--staged needs git, which isn't installed") from None
    except subprocess.CalledProcessError as error:
        first = error.stderr.decode(errors="replace").strip().split("\n")[0]
        raise UsageError(f"--staged: git {args[0]}: {first}") from None
