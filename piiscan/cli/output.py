"""Where text goes: data to standard output, words for people to standard error, reports whole or not at all to
files."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from piiscan.core.errors import UsageError


def data(text: str) -> None:
    """To standard output, in UTF-8 whatever the locale. A reader that has gone away is no error. Raises
    `UsageError`."""
    from piiscan.report.formats import encode

    try:
        sys.stdout.flush()
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            sys.stdout.write(text)
        else:
            stream.write(encode(text))
            stream.flush()
    except BrokenPipeError:
        from piiscan.cli import close_stdout

        close_stdout()
    except OSError as error:
        raise UsageError(f"standard output: can't be written: {error.strerror}") from None


def say(text: str, quiet: bool = False) -> None:
    """One line to standard error."""
    from piiscan.report.verdict_words import printable

    if not quiet:
        click.echo(printable(text), err=True)


def writable(file: Path) -> Path:
    """The same path, refused before long work rather than after it where it can't be written."""
    folder = file.resolve().parent
    if file.is_dir():
        raise click.BadParameter(f"{file} is a folder; name a file in it")
    if not folder.is_dir():
        raise click.BadParameter(f"{file}: there is no folder {folder}; make it first")
    if not os.access(file if file.exists() and not file.is_file() else folder, os.W_OK):
        raise click.BadParameter(f"{file}: no permission to write there")
    return file


def apart(target: Path, *files: Path | None) -> Path:
    """The same path, refused where it is one of the files that a command reads or keeps its accounts in: writing
    would destroy that."""
    if target.resolve() in {file.resolve() for file in files if file is not None}:
        raise click.UsageError(f"{target} is read or kept by this command itself; name another output")
    return target


def to_file(path: Path, content: str | bytes) -> None:
    """Write a whole file or nothing: a temporary file in the same folder, then a rename. Raises `UsageError`.

    What is no regular file (`/dev/stdout`, a named pipe) is written to as it stands.
    """
    import tempfile

    from piiscan.report.formats import encode

    target = Path(os.path.realpath(path))
    temporary: str | None = None
    raw = content if isinstance(content, bytes) else encode(content)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(raw)
            return
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(_mode(target))
        Path(temporary).replace(target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None


def _mode(target: Path) -> int:
    """The mode of the file that is replaced, or what the umask gives a new one."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def wants_color() -> bool:
    """Colour only for a terminal that can, and never against NO_COLOR (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """The terminal's width, between 30 and 140; 100 where there is none. COLUMNS wins."""
    columns = shutil.get_terminal_size((100, 24)).columns
    return max(30, min(columns, 140))
