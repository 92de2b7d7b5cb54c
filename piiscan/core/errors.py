"""One small tree of errors. A message names the thing, the place and the next step; never a cell value."""

from __future__ import annotations

from pathlib import Path


class PiiscanError(Exception):
    """Base of every error that piiscan raises on purpose. `exit_status` is what the command line ends with."""

    exit_status = 4


class UsageError(PiiscanError):
    """The caller asked for something that can't be: unknown option value, bad configuration."""

    exit_status = 2


class TableRefusal(UsageError):
    """What was asked for doesn't go with the cells of one table. In a folder, the others are written all the same."""


class RuleError(UsageError):
    """A rule file that can't be loaded: names the file, the rule and what is wrong."""


class ModelError(UsageError):
    """A model file that can't be used: missing, changed, or made for another version."""


class ReadError(PiiscanError):
    """An input, or a part of one, that can't be read.

    It ends up in `not_scanned`, never in a traceback. `column`: the index of the table's column that it is about, if
    it is one.
    """

    exit_status = 3
    column: int | None = None


class MissingExtra(ReadError):
    """An input needs an optional package. The message carries the install command."""


class WriteError(PiiscanError):
    """An output that can't be written completely: a full disk, or a value that its format can't represent."""


class TakenError(WriteError):
    """An output whose name is taken, and that wasn't allowed to overwrite."""

    exit_status = 2


class FindingsError(PiiscanError):
    """Raised by `Report.raise_if` when there are findings at or above the wanted class."""

    exit_status = 1


class VerifyError(PiiscanError):
    """Masked output that doesn't keep what its plan promised. It was not given its name."""

    exit_status = 5


class BudgetError(PiiscanError):
    """A release that a dataset's privacy budget has no room for. Nothing was released or charged."""

    exit_status = 6


def type_and_place(error: BaseException) -> str:
    """Of an unexpected error, all that may be told: its text, and the variables around it, could hold data."""
    package = Path(__file__).resolve().parent.parent
    location = "an unknown place"
    trace = error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(package):
            location = f"{file.relative_to(package.parent).as_posix()}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {location}"
