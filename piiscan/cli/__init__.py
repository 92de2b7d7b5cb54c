"""The command line: one module for each command.

Sub-commands are imported when they are called, so that `--help` stays fast. Private but for `main`, the entry point.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from piiscan.core.interface import command_line
from piiscan.core.version import __version__

GROUPS = {
    "Find personal data": ("scan", "explain", "rules", "baseline", "train"),
    "Mask it": ("plan", "mask", "verify", "unmask", "histogram"),
    "Anonymise tables": ("risk", "anonymize", "protect"),
    "Release figures and synthetic data": ("summarize", "aggregate", "unpack", "synthesize", "evaluate", "budget"),
    "Compute over several sites": ("federated",),
    "Keys and configuration": ("key", "config", "completion"),
}
"""The commands as `piiscan --help` shows them. Each is the function of its name in the module of its name."""
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
INTERNAL_ERROR = 4
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group that imports a sub-command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"piiscan.cli.{cmd_name}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        room = formatter.width - 6 - max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            with formatter.section(title):
                found = ((name, self.get_command(ctx, name)) for name in names)
                helps = [(name.ljust(max(map(len, COMMANDS))), c.get_short_help_str(room)) for name, c in found if c]
                formatter.write_dl(helps)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from piiscan.rules.definitions import suggestion

            hint = suggestion(args[0], COMMANDS)
            raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx) from None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with:  piiscan scan .   Exit status of scan: 0 clean, 1 findings, 2 wrong usage, 3 incomplete, "
    "4 internal error.",
)
@click.version_option(__version__, prog_name="piiscan", message="%(prog)s %(version)s")
def cli() -> None:
    """Find personal data in files and tables, and make them safe to use.

    Reports, plans, logs and error messages contain no cell values.
    """


def main() -> None:
    """Run the command line and exit with its status."""
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # numpy's threads for linear algebra would wait in busy loops for none
    # A short life makes little garbage: a small scan holds some 100,000 objects at its end, and need not look for any.
    gc.set_threshold(200_000, 20, 20)
    _silence_third_parties()
    for name in ("stdout", "stderr"):  # a stream that the caller closed
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  (it lives as long as the process)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once)
    from piiscan.cli.supervise import supervised

    status = supervised(invoke)
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    # Nothing is left to do; taking polars and its memory apart would take as long as a small scan.
    os._exit(status)


def _interrupt_once(number: int, frame: object) -> None:
    """Ignore all interruptions but the first.

    A second one, which the watching process may pass on as well, would stop the clean-up after the first.
    """
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def invoke(args: list[str] | None = None) -> int:
    """Run a command line (by default the process's own) and give its exit status. Errors show no data."""
    try:
        with command_line():
            status = cli.main(args, prog_name="piiscan", standalone_mode=False)
    except click.exceptions.Exit as done:
        status = done.exit_code
    except click.ClickException as error:
        _wrong_usage(error)
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        status = INTERRUPTED
    except BrokenPipeError:
        status = 0
        close_stdout()
    except SystemExit:  # the shell's request for completions
        raise
    except BaseException as error:  # a panic in a library is no Exception
        status = _known_error(error)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        close_stdout()
    return status if isinstance(status, int) else 0


def _wrong_usage(error: click.ClickException) -> None:
    """Raise the error in the form of all others, with where to read on."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return
    click.echo(f"error: {error.format_message()}", err=True)
    if context is not None:
        click.echo(f"Try: {context.command_path} --help", err=True)


def _known_error(error: BaseException) -> int:
    from piiscan.core.errors import PiiscanError, ReadError

    if isinstance(error, PiiscanError):
        click.echo(f"error: {error}", err=True)
        return error.exit_status
    if isinstance(error, MemoryError):
        click.echo("error: not enough memory; nothing was vouched for", err=True)
        return ReadError.exit_status
    click.echo(_internal_error(error), err=True)
    return INTERNAL_ERROR


def _internal_error(error: BaseException) -> str:
    from piiscan.core.errors import type_and_place

    return (
        f"internal error: {type_and_place(error)} (piiscan {__version__})\n"
        "This is a mistake in piiscan, and nothing was vouched for. The message holds no data; please report "
        "it as it stands."
    )


def _silence_third_parties() -> None:
    """Warnings, last-resort logging and errors in threads print texts that could hold data."""
    import logging
    import threading
    import warnings

    def quiet(_: Any) -> None:
        return None

    warnings.simplefilter("ignore")
    logging.lastResort = None
    threading.excepthook = quiet
    sys.unraisablehook = quiet


def close_stdout() -> None:
    """Stop writing to standard output, whose reader is gone: what Python still flushes at exit must not fail."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
