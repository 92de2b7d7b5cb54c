"""One scan as the commands run it: inputs, rules and options from the settings."""

from __future__ import annotations

import contextlib
import datetime
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from piiscan.cli import output, supervise
from piiscan.cli.options import BASELINE, CACHE, Settings
from piiscan.core import cores
from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    from piiscan.core.checkpoints import Checkpoints
    from piiscan.core.types import ScanReport
    from piiscan.io.read_options import ReadOptions
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.baseline import Baseline
    from piiscan.scanning.findings import JudgedReport
    from piiscan.scanning.scan_cache import ScanCache
    from piiscan.scanning.scan_options import ScanOptions


_UNPACKED: Final = {".parquet": 3}
"""How many times their size the cells of files take, about."""
_TABLES: Final = (".csv", ".tsv", ".parquet")


class Show(NamedTuple):
    """How much a person sees on standard error, and whether an incomplete scan is acceptable.

    `own`: files that the command writes itself, which are no data to scan. `resume`: don't read again what hasn't
    changed since an earlier scan.
    """

    quiet: bool = False
    verbose: bool = False
    allow_incomplete: bool = False
    own: tuple[Path, ...] = ()
    resume: bool = False


def read_options(s: Settings, rules: RuleSet | None, own: Sequence[Path] = (), staged: bool = False) -> ReadOptions:
    """How to read.

    Of a folder, what the configuration excludes, the baseline and `own` files are left out. What is `staged` goes into
    the commit whatever .gitignore and the habits of tools say.
    """
    from piiscan.api import configured
    from piiscan.io.read_options import ReadOptions

    ours = configured.no_data(own, "read or written by this command")
    ours += configured.no_data(baselines(s), configured.OWN_BASELINE)
    options = ReadOptions(
        delimiter=s.delimiter, encoding=s.encoding, header=s.header, rows=s.sample,
        per_path=configured.per_path(s.config), exclude=configured.excluded(s.config), own=ours,
        rules=rules, code=s.code, checkpoints=supervise.checkpoints(),
    )  # fmt: skip
    if s.no_ignore:
        options = options._replace(ignore_files=())
    if not staged:
        return options
    return options._replace(
        ignore_files=tuple(f for f in options.ignore_files if f != ".gitignore"), pass_over=frozenset()
    )


def baselines(s: Settings) -> tuple[Path, ...]:
    """Where a baseline is, or would be by default."""
    return tuple(p for p in (s.baseline, s.base / BASELINE) if p is not None)


def scan_options(s: Settings) -> ScanOptions:
    from piiscan.api import configured
    from piiscan.scanning.scan_options import ScanOptions

    return ScanOptions(
        jobs=s.jobs,
        sample=s.sample,
        min_confidence=s.min_confidence,
        truths=configured.truths(s.config),
        model=None if s.model is None else str(s.model),
        spacy=s.spacy,
        empty_columns=s.empty_columns,
        data_sets=True,
        allowed=configured.allowed(s.config),
        processes=processes(s),
    )


def load_rules(s: Settings) -> RuleSet:
    from piiscan.rules import rule_sets
    from piiscan.scanning import configuration

    rules = rule_sets.load(configuration.rule_folders(s.rules))
    configuration.check_names(s.config, rules)
    return rules.restrict(s.select, s.ignore) if s.select or s.ignore else rules


def named(paths: Sequence[str], s: Settings) -> list[str]:
    """The paths to scan, without excluded files: a hook names files explicitly."""
    if not paths:
        raise UsageError("nothing to scan; name files or folders, or - for standard input")
    return [p for p in paths if p == "-" or not Path(p).is_file() or not is_excluded(p, s)]


def is_excluded(path: str | Path, s: Settings) -> bool:
    """Whether the configuration excludes a file."""
    from piiscan.api import configured

    return configured.is_excluded(path, s.config)


def is_left_out(path: Path, s: Settings) -> bool:
    """Whether a staged file isn't looked at: excluded by the configuration, or a baseline."""
    return is_excluded(path, s) or path.resolve() in [baseline.resolve() for baseline in baselines(s)]


def workers_begun(paths: Sequence[str], s: Settings) -> contextlib.AbstractContextManager[None]:
    """Start the processes that large files and many are worth, before this one has imported its libraries."""
    from piiscan.core import worker_processes

    files = [path for path in map(Path, paths) if path.is_file()]
    sizes = [_UNPACKED.get(path.suffix, 1) * path.stat().st_size for path in files]
    many = sum(_tables_in(path) for path in map(Path, paths) if path.is_dir())
    most = worker_processes.affordable(processes(s)) if s.spacy is None else 0
    worth = max(many // worker_processes.MANY, max(sizes, default=0) // worker_processes.LARGE)
    return worker_processes.begun(min(most, worth), "piiscan.scanning.worker:begin")


def _tables_in(folder: Path) -> int:
    """How many files in a folder are tables by their names, folders in it apart."""
    try:
        with os.scandir(folder) as entries:
            return sum(entry.name.endswith(_TABLES) for entry in entries)
    except OSError:  # which is reported when it is read
        return 0


def processes(s: Settings) -> int:
    """How many processes a scan may have."""
    return s.jobs or cores.available()


def standard_input(paths: Sequence[str]) -> IO[bytes] | None:
    """Standard input where it is to be read; a process may have been given none."""
    return sys.stdin.buffer if "-" in paths and sys.stdin is not None else None


def perform(paths: Sequence[str], s: Settings, rules: RuleSet, show: Show, folder: Path | None = None) -> ScanReport:
    """Scan `paths`, seen from `folder` where given, with a progress bar where standard error is a terminal."""
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.io import inputs
    from piiscan.scanning import engine
    from piiscan.scanning.crew import Crew

    read, scan = read_options(s, rules, show.own, staged=folder is not None), scan_options(s)
    stdin = standard_input(paths)
    kept: ScanCache | None = None
    with (
        contextlib.chdir(folder or Path.cwd()),
        silent_libraries(),
        ProgressDisplay.on(sys.stderr, show.quiet, show.verbose) as progress,
        supervise.resumable() as checkpoints,
    ):
        if show.resume:
            checkpoints = kept = _cache(s, rules, read, scan, checkpoints)
        read = read._replace(checkpoints=checkpoints)
        with Crew(rules, scan, read) as crew:
            found = inputs.watched(paths, read, stdin, progress.follow(crew))
            report = engine.scan_tables(found, rules, scan, progress.update, None, checkpoints, crew)
    if kept is not None:
        kept.end()
        from piiscan.report.verdict_words import count

        output.say(f"{count(kept.kept, 'input')} unchanged since an earlier scan, whose verdicts stand.", show.quiet)
    return report


def _cache(s: Settings, rules: RuleSet, read: ReadOptions, scan: ScanOptions, inner: Checkpoints) -> ScanCache:
    """What is known of files that haven't changed, of scans with the same rules, model and settings."""
    from piiscan.core import memory
    from piiscan.core.version import __version__
    from piiscan.scanning import engine
    from piiscan.scanning.scan_cache import ScanCache

    # Which files there are, and who watches, changes no verdict.
    left_out = ("rules", "checkpoints", "exclude", "own", "ignore", "ignore_files", "pass_over")
    how = {name: value for name, value in read._asdict().items() if name not in left_out}
    tool = engine.tool(rules, scan)
    today = datetime.date.today() if scan.allowed.entries else None  # they may end
    settings = [__version__, tool, how, scan._replace(jobs=None, processes=1), memory.allowed(), os.getcwd(), today]  # noqa: PTH109
    return ScanCache(s.base / CACHE, settings, inner)


@contextlib.contextmanager
def silent_libraries() -> Iterator[None]:
    """Discard what code other than Python writes to descriptor 2, such as a panic: it may quote data.

    Python's standard error gets a descriptor of its own.
    """
    usual = sys.stderr
    try:
        if usual.fileno() != 2:
            raise OSError
        kept = os.dup(2)
    except (AttributeError, OSError, ValueError):
        yield
        return
    usual.flush()
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    sys.stderr = os.fdopen(kept, "w", encoding=usual.encoding, errors="backslashreplace", buffering=1, closefd=False)
    try:
        yield
    finally:
        sys.stderr.flush()
        sys.stderr = usual
        os.dup2(kept, 2)
        os.close(kept)


def known(s: Settings) -> Baseline | None:
    """The baseline, where there should be one. Raises `UsageError`."""
    if s.baseline is None:
        return None
    from piiscan.scanning import baseline

    return baseline.load(s.baseline)


def judged(
    report: ScanReport, s: Settings, baseline: Baseline | None = None, scanned: Sequence[str] = ()
) -> JudgedReport:
    """Judge findings by the `[[allow]]` entries and the baseline, and list what has changed since that.

    `scanned`: the paths that were scanned whole, so that unused entries of the configuration can be reported.
    """
    from piiscan.scanning import findings
    from piiscan.scanning.unused_entries import unused_entries

    renames = {} if baseline is None else baseline.renames(report, s.base)
    baseline = None if baseline is None else baseline.moved(renames)
    result = findings.judge(report, s.base, s.config.allow, s.config.folder, baseline)
    result = result._replace(report=replace(report, silenced=len(result.silenced)))
    if (s.select, s.ignore, s.sample) == (s.config.select, s.config.ignore, None):
        paths = [Path(path) for path in scanned if path != "-"]
        result = result._replace(unused=unused_entries(s.config, report, paths, s.base))
    return result if baseline is None else result._replace(baseline=baseline.changes(result, s.fail_on, renames))


def status(result: JudgedReport, s: Settings, show: Show) -> int:
    """The exit status: incomplete is stronger than findings."""
    if not result.report.complete and not show.allow_incomplete:
        return 3
    return 1 if result.failing(s.fail_on) else 0
