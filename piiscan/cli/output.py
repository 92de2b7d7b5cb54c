"""Where text goes: data to standard output, messages to standard error, reports whole or not at all to files."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from piiscan.core.errors import WriteError


def data(text: str) -> None:
    """Write data to standard output, in UTF-8 whatever the locale. A closed pipe is no error. Raises `WriteError`."""
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
        raise WriteError(f"standard output: can't be written: {error.strerror}") from None


def say(text: str, quiet: bool = False) -> None:
    """Write one line to standard error."""
    from piiscan.report.verdict_words import printable

    if not quiet:
        click.echo(printable(text), err=True)


def no_dash(file: Path) -> Path:
    """Return the path, unless it is -, where nothing goes to standard output."""
    if file == Path("-"):
        raise click.BadParameter("- is standard output, where this can't go; name a file")
    return file


def writable(file: Path) -> Path:
    """Return the path, if it is writable; otherwise refuse it before long work rather than after it."""
    folder = file.resolve().parent
    if no_dash(file).is_dir():
        raise click.BadParameter(f"{file} is a folder; name a file in it")
    if not folder.is_dir():
        raise click.BadParameter(f"{file}: the folder {folder} doesn't exist; make it first")
    if not os.access(file if file.exists() and not file.is_file() else folder, os.W_OK):
        raise click.BadParameter(f"{file}: no permission to write there")
    return file


def free(file: Path, overwrite: bool) -> Path:
    """Return the path, unless it is an existing file or a non-empty folder that may not be replaced.

    Raises `TakenError`.
    """
    from piiscan.io.write.publishing import taken

    if not overwrite and (file.is_file() or (file.is_dir() and any(file.iterdir()))):
        raise taken(file)
    return file


def apart(target: Path, *files: Path | None) -> Path:
    """Return the path, unless it is a file that the command reads or keeps, which writing would destroy."""
    if target.resolve() in {file.resolve() for file in files if file is not None}:
        raise click.UsageError(f"{target} is read or written by this command itself; choose another output")
    return target


def to_file(path: Path, content: str | bytes) -> None:
    """Write a whole file or nothing, as `write_whole` does. Raises `WriteError`."""
    from piiscan.core.whole_file import write_whole
    from piiscan.report.formats import encode

    try:
        write_whole(path, content if isinstance(content, bytes) else encode(content))
    except OSError as error:
        raise WriteError(f"{path}: can't be written: {error.strerror}") from None


def wants_color() -> bool:
    """Return whether to colour: only for a terminal that can, and never against NO_COLOR (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width() -> int | None:
    """Return what `width` does, or None if standard output isn't a terminal: other programs want whole lines."""
    return width() if sys.stdout.isatty() else None


def width() -> int:
    """Return the terminal's width, between 30 and 140; 100 if there is none. COLUMNS wins."""
    columns = shutil.get_terminal_size((100, 24)).columns
    return max(30, min(columns, 140))
