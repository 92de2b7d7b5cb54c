"""The Python interface: compares a report with what is allowed or expected, for a check in a pipeline."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piiscan.api import configured
from piiscan.core.errors import FindingsError, ReadError, UsageError
from piiscan.report.verdict_words import count, listing, location
from piiscan.rules import rule_sets
from piiscan.scanning import baseline, configuration
from piiscan.scanning.configuration import Config
from piiscan.scanning.contract import Contract, contract
from piiscan.scanning.findings import REVIEW, Allow, FailOn, Known, judge

if TYPE_CHECKING:
    import datetime

    from piiscan.core.types import Finding, ScanReport
    from piiscan.rules.definitions import RuleSet

STRENGTHS = ("direct", "review", "sensitive", "quasi")


class _Either(NamedTuple):
    """Accepts what any of several accept."""

    known: tuple[Known, ...]

    def covers(
        self, finding: Finding, path: str, today: datetime.date | None = None, members: Sequence[str] = ()
    ) -> str | None:
        return next((why for k in self.known if (why := k.covers(finding, path, today, members)) is not None), None)

    def outgrown(
        self, finding: Finding, path: str, today: datetime.date | None = None, members: Sequence[str] = ()
    ) -> str | None:
        return next((why for k in self.known if (why := k.outgrown(finding, path, today, members)) is not None), None)


class Checks(NamedTuple):
    """What findings are compared with besides the arguments.

    It is the configuration, folders with the user's own rules, and the `allow` entries of the scan. `values`: entries
    that were applied to single values during the scan.
    """

    config: Config = Config()
    rule_folders: tuple[str | Path, ...] = ()
    allow: tuple[Allow, ...] = ()
    values: frozenset[Allow] = frozenset()

    def rules(self) -> RuleSet:
        """The available rules, before `select` and `ignore` choose.

        Raises `RuleError`, and `UsageError` for a folder without rules.
        """
        folders = (*map(self.config.resolve, self.config.rules), *self.rule_folders)
        return rule_sets.load(configuration.rule_folders(folders))


def raise_if(
    report: ScanReport,
    checks: Checks,
    pii: FailOn | None,
    allow_incomplete: bool,
    allow: Iterable[Mapping[str, Any]],
    against: Any,
) -> None:
    """Raise `FindingsError` or `ReadError` as `Report.raise_if` describes; `UsageError` for invalid arguments."""
    config, rules = checks.config, checks.rules()
    if pii is not None and pii not in STRENGTHS:
        raise UsageError(f"pii must be one of {', '.join(STRENGTHS)}")
    entries = _entries(checks, allow, rules)
    known, stated = _known(config, against, rules)
    if not report.complete and not allow_incomplete:
        first = "; ".join(f"{location(n)}: {n.reason}" for n in report.not_scanned[:3])
        raise ReadError(f"{count(len(report.not_scanned), 'input')} not scanned: {first}")
    frames = any(t.format == "frame" for t in report.tables)
    base = Path.cwd() if frames else configured.base(config)
    judged = judge(report, base, entries, None if frames else config.folder, _Either(known))
    found = judged.failing(pii or ("quasi" if stated else config.fail_on))
    if found:
        beyond = " outside the contract" if stated else ""
        raise FindingsError(
            f"{count(len(found), 'finding')}{beyond}: "
            f"{listing((f'{f.column} ({f.entity or REVIEW})' for f in found), 300)}"
        )


def _entries(checks: Checks, allow: Iterable[Mapping[str, Any]], rules: RuleSet) -> tuple[Allow, ...]:
    """Return the entries that the caller, the scan and the configuration allow. Raises `UsageError`."""
    own, config = configured.entries(allow, "raise_if"), checks.config
    for named in (replace(Config(), allow=own), config):
        configuration.check_names(named, rules)
    entries = (*own, *checks.allow, *config.allow)
    if (late := next((e for e in entries if e.is_of_values and e not in checks.values), None)) is not None:
        of_what = "domain" if late.domain is not None else "network"
        raise UsageError(
            f"allow: entries with a {of_what} apply to single values during a scan; pass them to the scan: "
            "piiscan.scan(data, allow=[…]), or config=… with them"
        )
    return entries


def _known(config: Config, against: Any, rules: RuleSet) -> tuple[tuple[Known, ...], Contract | None]:
    """Return what the configuration's baseline and `against` accept.

    `against` is a contract or, by its file extension, a baseline.
    """
    known: list[Known] = []
    if config.baseline is not None:
        known.append(baseline.load(config.resolve(config.baseline)))
    if against is None:
        return tuple(known), None
    if isinstance(against, str | os.PathLike) and Path(against).suffix.lower() == ".jsonl":
        return (*known, baseline.load(Path(against))), None
    stated = contract(against, rules)
    return (*known, stated), stated
