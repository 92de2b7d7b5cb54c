"""One scan as the commands run it: inputs, rules and options from the settings; findings told apart at the end."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from piiscan.cli.options import Settings
from piiscan.errors import UsageError

if TYPE_CHECKING:
    from piiscan.engine import ScanOptions
    from piiscan.findings import Judged
    from piiscan.io import ReadOptions
    from piiscan.rules import RuleSet
    from piiscan.types import ScanReport


@dataclass(frozen=True, slots=True)
class Show:
    """How much a person sees on standard error, and whether an incomplete scan is acceptable."""

    quiet: bool = False
    verbose: bool = False
    allow_incomplete: bool = False


def read_options(s: Settings) -> ReadOptions:
    from piiscan import config
    from piiscan.io import PathOptions, ReadOptions

    per_path = tuple(
        (glob, PathOptions(p.delimiter, p.encoding, p.header))
        for p in s.config.paths
        for glob in config.globs(s.config, p.path, Path.cwd())
    )
    return ReadOptions(
        delimiter=s.delimiter, encoding=s.encoding, header=s.header, rows=s.sample, per_path=per_path, ignore=s.config.exclude
    )


def scan_options(s: Settings) -> ScanOptions:
    from piiscan import config
    from piiscan.engine import ColumnTruth, ScanOptions

    truths = tuple(
        ColumnTruth(glob, c.column, c.entity, c.table) for c in s.config.columns for glob in config.globs(s.config, c.path, Path.cwd())
    )
    return ScanOptions(jobs=s.jobs, sample=s.sample, min_confidence=s.min_confidence, truths=truths)


def load_rules(s: Settings) -> RuleSet:
    from piiscan import compiled, config

    rules = compiled.load(config.rule_folders(s.rules))
    return rules.restrict(s.select, s.ignore) if s.select or s.ignore else rules


def named(paths: Sequence[str], s: Settings) -> list[str]:
    """The paths to scan, without files that the configuration excludes: a hook names files outright."""
    if not paths:
        raise UsageError("nothing to scan; name files or folders, or - for standard input")
    if not s.config.exclude:
        return list(paths)
    import pathspec

    spec = pathspec.GitIgnoreSpec.from_lines(s.config.exclude)
    folder = (s.config.folder or Path.cwd()).resolve()

    def kept(path: str) -> bool:
        try:
            return path == "-" or not Path(path).is_file() or not spec.match_file(Path(path).resolve().relative_to(folder))
        except ValueError:
            return True

    return [p for p in paths if kept(p)]


def perform(paths: Sequence[str], s: Settings, rules: RuleSet, show: Show, folder: Path | None = None) -> ScanReport:
    """Scan `paths`, seen from `folder` where given, with a progress bar where standard error is a terminal."""
    from piiscan import engine, io
    from piiscan.cli.progress import Watch

    read, scan = read_options(s), scan_options(s)
    stdin = sys.stdin.buffer if "-" in paths else None
    with contextlib.chdir(folder or Path.cwd()), Watch.on(sys.stderr, show.quiet, show.verbose) as watch:
        return engine.scan_tables(io.discover(paths, read, stdin), rules, scan, watch.update)


def judged(report: ScanReport, s: Settings, use_baseline: bool = True) -> Judged:
    """Findings told apart by the `[[allow]]` entries and the baseline."""
    from piiscan import findings

    known = None
    if s.baseline is not None and use_baseline:
        from piiscan import baseline

        known = baseline.load(s.baseline)
    result = findings.judge(report, s.base, s.config.allow, s.config.folder, known.covers if known else None)
    return replace(result, report=replace(report, silenced=len(result.silenced)))


def status(result: Judged, s: Settings, show: Show) -> int:
    """The exit status: incomplete is stronger than findings."""
    if not result.report.complete and not show.allow_incomplete:
        return 3
    return 1 if result.failing(s.fail_on) else 0
