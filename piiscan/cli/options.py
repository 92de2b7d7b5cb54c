"""Options that several commands share, and how they combine with the configuration."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import click

from piiscan.api.configured import BASELINE as BASELINE
from piiscan.cli.output import no_dash
from piiscan.core import urls
from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    from piiscan.scanning.configuration import Config
    from piiscan.scanning.findings import FailOn

Command = TypeVar("Command", bound=Callable[..., Any])


class Existing(click.Path):
    """The path of an existing file or folder."""

    def __init__(self, **kinds: bool) -> None:
        super().__init__(exists=True, path_type=Path, **kinds)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and (scheme := urls.kind(value)) is not None:
            self.fail(f"{urls.reason(scheme)}.", param, ctx)
        return super().convert(value, param, ctx)


FILE = Existing(dir_okay=False)
FOLDER = Existing(file_okay=False)
PATH = Existing()
KEY = click.option(
    "--key", "key_spec", metavar="SPEC", help="Where the key is: env:NAME, file:PATH, command:CMD (env:PIISCAN_KEY)."
)
OLD_PLAN = click.option(
    "--plan",
    "plan_file",
    type=FILE,
    required=True,
    metavar="PLAN.toml",
    help="The plan that the files were masked by.",
)
CACHE = ".piiscan-cache"
"""The folder for the state of `scan --resume`."""
FAIL_ON = ("direct", "review", "sensitive", "quasi", "never")


def output(
    help: str,  # noqa: A002 - as click calls it
    metavar: str = "FILE",
    name: str = "target",
    required: bool = False,
    dash: Literal["stdout", "pipe", "refused"] = "refused",
) -> Callable[[Command], Command]:
    """The option `-o`: where a command writes, as the parameter `name`.

    `dash`: what - means: standard output, to which the command writes without the option, too; a pipe, which the
    command knows about; or nothing.
    """

    def named(context: click.Context, option: click.Parameter, value: Path | None) -> Path | None:
        if value is None or (dash == "stdout" and value == Path("-")):
            return None
        return value if dash == "pipe" else no_dash(value)

    return click.option(
        "-o",
        "--output",
        name,
        type=click.Path(path_type=Path),
        metavar=metavar,
        required=required,
        callback=named,
        help=help,
    )


class Settings(NamedTuple):
    """The configuration, overridden by the command line.

    `base`: the folder that paths in baselines and SARIF are relative to.
    """

    config: Config
    base: Path
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    rules: tuple[Path, ...]
    min_confidence: float
    model: Path | None
    spacy: str | None
    fail_on: FailOn
    baseline: Path | None
    jobs: int | None
    sample: int | None
    empty_columns: bool
    delimiter: str | None
    encoding: str | None
    header: bool | None
    no_ignore: bool = False
    code: bool = False


def split(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """A callback for options that take several words, separated by commas or by repeating the option."""
    return tuple(word.strip() for item in value for word in item.split(",") if word.strip())


def dataset_version(text: str | None) -> tuple[str | None, str]:
    """Split `--dataset NAME[@VERSION]` into its two parts."""
    name, _, version = (None, "", "") if text is None else text.partition("@")
    return name, version


def _delimiter(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    from piiscan.scanning import configuration as config

    try:
        return None if value is None else config.delimiter(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _encoding(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    from piiscan.scanning import configuration as config

    try:
        return None if value is None else config.encoding(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


_PART = [
    click.option("--empty-columns", is_flag=True, help="Judge columns without any value, too, by their headers."),
    click.option("--sample", type=click.IntRange(1), metavar="N", help="Read only the first N rows of each table."),
]
_NO_IGNORE = click.option(
    "--no-ignore", is_flag=True, help="Read what .gitignore and .piiscanignore files leave out, too."
)
_CODE = click.option("--code", is_flag=True, help="Scan literals and comments of source code, too.")
TABLE = click.option("--table", metavar="NAME", help="The sheet or SQL table, if there are several.")
_DIALECT = [
    click.option(
        "--delimiter",
        callback=_delimiter,
        metavar="CHAR",
        help="Field separator (none: one column), if it isn't detected correctly.",
    ),
    click.option(
        "--encoding", callback=_encoding, metavar="NAME", help=("Text encoding, if it isn't detected correctly.")
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help=("Whether the first row names the columns, if it isn't detected correctly."),
    ),
]
_RELEASE = [
    click.option(
        "--dataset",
        metavar="NAME[@VERSION]",
        help=("The dataset that the release belongs to in the ledger (the file's name)."),
    ),
    click.option(
        "--ledger",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The ledger to record it in (one beside the data, if any).",
    ),
]
_CONFIG = click.option(
    "--config", "config_file", type=FILE, metavar="FILE", help="Use this configuration; don't search for one."
)


def _memory(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    from piiscan.core import memory

    try:
        memory.allow(None if value is None else memory.size(value))
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


_MEMORY = click.option(
    "--memory",
    callback=_memory,
    expose_value=False,
    metavar="SIZE",
    help="The most memory to use, such as 2GB (a quarter of the machine's, or 1GB and 256MB for each core "
    "beyond three if that is more; half of the machine's at most).",
)
_READ = [
    *_DIALECT,
    _MEMORY,
    click.option(
        "--rules",
        "rule_folders",
        multiple=True,
        type=FOLDER,
        metavar="DIR",
        help="A folder with rules of your own (repeatable).",
    ),
    _CONFIG,
]
_JOBS = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1),
    metavar="N",
    help="Threads or processes, 1 for one core; the report is the same for any number.",
)
_CHOOSE = [
    click.option(
        "--select",
        multiple=True,
        callback=split,
        metavar="NAMES",
        help="Only these entities, rule ids or subtypes (comma, repeatable).",
    ),
    click.option(
        "--ignore", multiple=True, callback=split, metavar="NAMES", help="Not these entities, rule ids or subtypes."
    ),
    click.option(
        "--min-confidence",
        type=click.FloatRange(0, 1),
        metavar="P",
        help=("Drop verdicts that are less sure than this (0.5)."),
    ),
    click.option(
        "--fail-on",
        type=click.Choice(FAIL_ON),
        help="The weakest class of finding that counts (direct); review adds columns in doubt.",
    ),
    _JOBS,
]
_INCOMPLETE = click.option(
    "--allow-incomplete", is_flag=True, help="Don't exit with status 3 if something was not scanned."
)
_SHOW = [
    click.option("-q", "--quiet", is_flag=True, help="No progress bar and no hints."),
    click.option("-v", "--verbose", is_flag=True, help="A line per file on standard error."),
]  # fmt: skip


def read_options(command: Command) -> Command:
    """Add the options for how to read, and which rules and configuration to use."""
    return with_(command, [*_PART, *_READ])


def dialect_options(command: Command) -> Command:
    """Add the options for how delimited text is written."""
    return with_(command, [*_DIALECT, _MEMORY, _CONFIG])


def release_options(command: Command) -> Command:
    """Add the options for recording a release that no epsilon covers."""
    return with_(command, _RELEASE)


def scan_options(command: Command) -> Command:
    """Add the options of every command that scans and judges."""
    return with_(command, [*_CHOOSE, *_PART, *_READ, _CODE, _NO_IGNORE, _INCOMPLETE, *_SHOW])


def whole_table_options(command: Command) -> Command:
    """Add the options of commands that read all of one table, or nothing."""
    return with_(command, [_JOBS, *_READ, *_SHOW])


def with_(command: Command, decorators: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(decorators):
        command = option(command)
    return command


def _baseline(config: Config, base: Path) -> Path | None:
    """Return the baseline that the configuration names, or else the default file of `piiscan baseline create`."""
    if config.baseline is not None:
        return config.resolve(config.baseline)
    found = base / BASELINE
    return found if found.is_file() else None


def load_config(file: Path | None) -> Config:
    from piiscan.scanning import configuration as config

    return config.load(file or config.find(Path.cwd()))


def settings(
    config_file: Path | None = None,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    rule_folders: tuple[Path, ...] = (),
    min_confidence: float | None = None,
    fail_on: FailOn | None = None,
    baseline: Path | None = None,
    jobs: int | None = None,
    sample: int | None = None,
    empty_columns: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    no_ignore: bool = False,
    no_baseline: bool = False,
    code: bool = False,
) -> Settings:
    """Combine the configuration and the command line.

    The latter wins; ignored names and rule folders add up.
    """
    from piiscan.api import configured

    config = load_config(config_file)
    base = configured.base(config)
    if (
        jobs or config.jobs
    ) == 1 and "polars" not in sys.modules:  # which reads the environment once, when it is imported
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    return Settings(
        config=config,
        base=base,
        select=select or config.select,
        ignore=config.ignore + ignore,
        rules=tuple(config.resolve(f) for f in config.rules) + rule_folders,
        min_confidence=config.min_confidence if min_confidence is None else min_confidence,
        fail_on=fail_on or config.fail_on,
        baseline=None if no_baseline else baseline or _baseline(config, base),
        jobs=jobs or config.jobs,
        model=None if config.model is None else config.resolve(config.model),
        spacy=configured.pipeline(config),
        sample=sample,
        empty_columns=empty_columns,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        no_ignore=no_ignore,
        code=code or config.code,
    )
