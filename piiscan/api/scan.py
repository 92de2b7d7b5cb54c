"""The Python interface: `scan` returns a `Report`; `Scanner` is for repeated scans, or for data that comes in parts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from piiscan.api import configured
from piiscan.api.checks import Checks
from piiscan.api.report import Report
from piiscan.api.table_input import is_path, read_options
from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError
from piiscan.core.interface import speaks_python
from piiscan.core.types import ScanReport, TableInfo

if TYPE_CHECKING:
    from piiscan.api.plan import Plan
    from piiscan.core.types import Field, Found, Table
    from piiscan.detection.summary.table_summary import TableSummary
    from piiscan.io.read_options import ReadOptions
    from piiscan.report.mask_report import MaskReport
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.allowed_values import AllowedValues
    from piiscan.scanning.configuration import Config
    from piiscan.scanning.findings import Allow
    from piiscan.scanning.scan_options import ScanOptions

T = TypeVar("T")


def scan(
    data: Any,
    *,
    rules: str | Path | Sequence[str | Path] = (),
    select: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    min_confidence: float | None = None,
    model: str | Path | None = None,
    spacy: str | Path | None = None,
    empty_columns: bool = False,
    sample: int | None = None,
    jobs: int | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    no_ignore: bool = False,
    config: str | os.PathLike[str] | bool | None = None,
    allow: Iterable[Mapping[str, Any]] = (),
    code: bool = False,
) -> Report:
    """Scan a data frame, several by their names, a path, a list of paths, or an iterable of parts of one table.

    data: a pandas, polars (lazy too) or pyarrow frame, or any object with the Arrow stream protocol; a mapping of
    such frames by table name; a path, or a list of paths, of files and folders; an iterable of frames with the same
    columns, or of mappings, one for each row. The index of a pandas frame is scanned as columns after the others,
    unless it consists of integers without a name, below 10**8: row numbers. What a frame holds beside its rows
    (attributes, metadata, unused categories) is scanned as tables of its own. The settings are those of `Scanner`.

    Data that can't be read is listed in `report.not_scanned` and raises nothing; see `Report.raise_if`. Raises
    `UsageError` for data of another kind and for invalid options, `RuleError` for rules that don't load.

    >>> import piiscan
    >>> report = piiscan.scan([{"ssn": "219-09-9999"}, {"ssn": "219-09-9998"}])
    >>> report["ssn"].entity
    'US_SSN'
    """
    scanner = Scanner(
        rules=rules,
        select=select,
        ignore=ignore,
        min_confidence=min_confidence,
        model=model,
        spacy=spacy,
        empty_columns=empty_columns,
        sample=sample,
        jobs=jobs,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        no_ignore=no_ignore,
        config=config,
        allow=allow,
        code=code,
    )
    return scanner.scan(data)


@verb
def compare(before: Any, after: Any, plan: Plan | str | os.PathLike[str], *, table: str | None = None) -> MaskReport:
    """Report what masking changed in a frame: counts and distances by column, without values.

    before, after: a whole pandas, polars or pyarrow frame, and the result of `mask` with `plan`, which may be a path.
    table: which of the plan's tables it is, if there are several. Promises aren't checked. Raises `UsageError` if the
    frames don't belong together.
    """
    from piiscan.api.compare_frames import compare_frames
    from piiscan.api.plan import plan_of
    from piiscan.report.mask_report import MaskReport

    used = plan_of(plan)
    return MaskReport(used, (compare_frames(before, after, used, table),))


@dataclass(frozen=True)
class Scanner:
    """The settings of a scan, for repeated use. It can be pickled. Raises `UsageError` for an invalid setting.

    rules: folders with rules of your own, besides the shipped ones.
    select, ignore: entities, rule ids or subtypes to look for, or not; one, or several of them.
    min_confidence: verdicts whose entity and class are both less sure, 0 to 1, are dropped (0.5).
    model: a file that `piiscan train` made, instead of the shipped model.
    spacy: a spaCy pipeline, by its name or folder, that finds names in texts instead of piiscan's recogniser.
    empty_columns: also judge columns without any value, by their headers.
    sample: read only this many first rows of each table.
    jobs: threads, by default one for each core. The report is the same for any number.
    delimiter, encoding, header: for delimited text; None to infer.
    no_ignore: also read files of a folder that .gitignore and .piiscanignore files leave out.
    config: the path of a configuration (`piiscan.toml`, or `pyproject.toml` with `[tool.piiscan]`); True: the one
    that the command line would find here; None: none. It is read once. Arguments override it; `rules` and `ignore`
    are added to it. For frames, `path` in `[[columns]]` and `[[allow]]` is the frame's name, `<frame>` for one
    without.
    allow: findings and values that you accept, as entries of `[[allow]]`, besides those of the configuration:
    `[{"domain": "corp.example.com", "reason": "ours"}]`. `Report.raise_if` applies them too.
    code: also scan literals and comments of source code, which is skipped otherwise.
    """

    rules: str | Path | Sequence[str | Path] = ()
    select: str | Sequence[str] = ()
    ignore: str | Sequence[str] = ()
    min_confidence: float | None = None
    model: str | Path | None = None
    spacy: str | Path | None = None
    empty_columns: bool = False
    sample: int | None = None
    jobs: int | None = None
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    no_ignore: bool = False
    config: str | os.PathLike[str] | bool | None = None
    allow: Iterable[Mapping[str, Any]] = ()
    code: bool = False

    @speaks_python
    def __post_init__(self) -> None:
        if self.min_confidence is not None and not _is_number(self.min_confidence, 0, 1):
            raise UsageError("min_confidence must be between 0 and 1")
        for name, number in (("sample", self.sample), ("jobs", self.jobs)):
            if number is not None and not (isinstance(number, int) and _is_number(number, 1)):
                raise UsageError(f"{name} must be at least 1")
        lists: dict[str, Any] = {"rules": self.rules, "select": self.select, "ignore": self.ignore}
        for name, value in lists.items():
            fits = is_path if name == "rules" else lambda each: isinstance(each, str)
            if not fits(value) and not (isinstance(value, Sequence) and all(map(fits, value))):
                raise UsageError(
                    f"{name} must be a name or a list of them, not an object of type {type(value).__name__}"
                )
        files: dict[str, Any] = {"model": self.model, "spacy": self.spacy}
        for name, value in files.items():
            if value is not None and not is_path(value):
                raise UsageError(f"{name} must be a name or a path, not an object of type {type(value).__name__}")
        read_options(self.delimiter, self.encoding, self.header)
        object.__setattr__(self, "_config", configured.config_of(self.config))
        if isinstance(self.allow, Iterator):
            object.__setattr__(self, "allow", tuple(self.allow))
        object.__setattr__(self, "_allow", configured.entries(self.allow, "scan"))

    @property
    def configuration(self) -> Config:
        """The configuration; the defaults if there is none."""
        found: Config = self.__dict__["_config"]
        return found

    @cached_property
    def ruleset(self) -> RuleSet:
        """The rules in force.

        Raises `RuleError`, and `UsageError` for a folder without rules, and for an `[[allow]]` entry that names no
        rule.
        """
        from piiscan.scanning import configuration

        config, found = self.configuration, self._checks().rules()
        for named in (replace(configuration.Config(), allow=self._allowed), config):
            configuration.check_names(named, found)
        select: Sequence[str] = _several(self.select) or config.select
        ignore: Sequence[str] = [*config.ignore, *_several(self.ignore)]
        return found.restrict(select, ignore) if select or ignore else found

    @property
    def _allowed(self) -> tuple[Allow, ...]:
        found: tuple[Allow, ...] = self.__dict__["_allow"]
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "ruleset"}

    @verb
    def scan(self, data: Any) -> Report:
        """Scan `data`, as the function `scan` does."""
        from piiscan.scanning import engine

        paths = self._paths(data)
        options = self._options(frames=paths is None)
        if paths is None:
            report = engine.scan_tables(self._frames(data), self.ruleset, options)
        else:
            from piiscan.io import inputs
            from piiscan.scanning.crew import Crew

            read = self._read_options()
            with Crew(self.ruleset, options, read) as crew:
                found = inputs.watched(paths, read, None, crew)
                report = engine.scan_tables(found, self.ruleset, options, helpers=crew)
        return Report(report, pandas=_is_pandas(data), checks=self._checks())

    @verb
    def look(self, part: Any, whole: bool = False) -> TableInfo:
        """Describe the columns of a table from a part of it, a frame: names, types, and the content of JSON texts.

        Pass the result to `partial` and `finish`, which have to know the same columns for every part. `whole`: the
        part is all of the table.
        """
        from piiscan.io.content import ReadTable
        from piiscan.io.nested.json_texts import unfolded

        table, limit = self._frame(part, texts=False), self._read_options().limits.columns
        return unfolded(table, limit, once=True, part=not whole).info if isinstance(table, ReadTable) else table.info

    @verb
    def partial(self, batch: Any, info: TableInfo | None = None) -> TableSummary:
        """Summarise a part of a table, a frame with all its columns.

        Summaries add up with `+`, in any order and grouping, to the report of the whole, without numbers of rows. They
        contain cell values, so protect them like the data itself. Parts with other columns, or made with other rules,
        another model or other settings can't be added.

        info: the result of `look` for one part, the same for all of them; without it, texts that are JSON are scanned
        as texts.
        Raises `ReadError`, and `UsageError` for an `info` with other columns.
        """
        from piiscan.detection.summary.table_summary import TableSummary
        from piiscan.scanning import engine, printable_names

        table = self._frame(batch, texts=False)
        if info is not None:
            table = self._known(table, info)
        fields = table.info.fields
        quiet = self._options(frames=True).allowed.of_columns(printable_names.printable(table.info, self.ruleset))
        parts = (engine.partial(part.frame, fields, self.ruleset, quiet=quiet) for part in table.batches())
        return replace(sum(parts, TableSummary.empty(len(fields))), made_with=self._made_with(fields))

    @verb
    def finish(self, summary: TableSummary, info: Any) -> Report:
        """Return the report on a table from the sum of its parts.

        info: the same as for `partial`, or any part of the table (for the names and types of its columns) if that had
        none.
        """
        from piiscan.detection.summary.table_summary import TableSummary, check_made_alike
        from piiscan.scanning import engine, judging

        of_frame = not isinstance(info, TableInfo)
        known: TableInfo = self._frame(info, texts=False).info if of_frame else info
        if not isinstance(summary, TableSummary):
            raise UsageError(
                f"finish takes the sum of the results of partial, not an object of type {type(summary).__name__}"
            )
        if len(summary.columns) != len(known.fields):
            raise UsageError("the summary has other columns; pass finish the info that partial was given")
        check_made_alike(summary.made_with, self._made_with(known.fields))
        options = self._options(frames=True)
        table, failures = judging.judge(known, summary, self.ruleset, options)
        rules = self.ruleset
        report = ScanReport(
            engine.tool(rules, options), (table,), tuple(failures), selected=rules.selected, ignored=rules.ignored
        )
        return Report(report, pandas=_is_pandas(info), checks=self._checks())

    def _checks(self) -> Checks:
        config, own = self.configuration, self._allowed
        values = frozenset(entry for entry in (*own, *config.allow) if entry.is_of_values)
        return Checks(config, tuple(_several(self.rules)), own, values)

    def _options(self, frames: bool) -> ScanOptions:
        from piiscan.scanning.scan_options import ScanOptions

        config = self.configuration
        of_config = None if config.model is None else str(config.resolve(config.model))
        return ScanOptions(
            jobs=self.jobs or config.jobs,
            sample=self.sample,
            min_confidence=config.min_confidence if self.min_confidence is None else self.min_confidence,
            truths=configured.truths(config, frames),
            model=of_config if self.model is None else os.fspath(self.model),
            empty_columns=self.empty_columns,
            data_sets=True,
            allowed=configured.allowed(config, self._allowed),
            spacy=configured.pipeline(config) if self.spacy is None else os.fspath(self.spacy),
        )

    def _made_with(self, fields: Sequence[Field]) -> tuple[tuple[str, str], ...]:
        """Return everything that the report on a sum of parts depends on besides the cells, by name."""
        from piiscan.scanning import engine

        options = self._options(frames=True)
        tool = engine.tool(self.ruleset, options)
        settings = options._replace(jobs=None, model=None)._asdict()
        return (
            ("version", str(tool["version"])),
            ("rules", str(tool["rules_digest"])),
            ("model", str(tool["model_digest"])),
            ("columns", repr([field.name for field in fields])),
            *((name, repr(value)) for name, value in settings.items() if name not in ("jobs", "model")),
        )

    def _known(self, table: Table, info: TableInfo) -> Table:
        """Return the table with the columns that `info` derives from its JSON texts."""
        from piiscan.io.content import ReadTable
        from piiscan.io.nested import json_texts

        own = table.info.fields
        if info.fields[: len(own)] != own or not isinstance(table, ReadTable):
            raise UsageError("info belongs to a table with other columns; make it with look from a part of this one")
        return json_texts.with_columns(table, json_texts.of_fields(info.fields, len(own)))

    def _frame(self, data: Any, texts: bool = True) -> Table:
        from piiscan.io import inputs

        return inputs.from_frame(data, self._read_options(), texts)

    def _read_options(self) -> ReadOptions:
        options = read_options(self.delimiter, self.encoding, self.header)
        config = self.configuration
        baselines: tuple[Path, ...] = ()
        if config.file is not None:
            folder = configured.base(config)
            named = () if config.baseline is None else (config.resolve(config.baseline),)
            baselines = (folder / configured.BASELINE, *named)
        options = options._replace(
            rows=self.sample,
            rules=self.ruleset,
            per_path=configured.per_path(config),
            exclude=configured.excluded(config),
            own=configured.no_data(baselines, configured.OWN_BASELINE),
            code=self.code or config.code,
        )
        return options._replace(ignore_files=()) if self.no_ignore else options

    def _paths(self, data: Any) -> list[str] | None:
        """Return the paths to scan that the configuration doesn't exclude; None for frames."""
        if isinstance(data, (list, tuple)) and not data:
            raise UsageError("nothing to scan: the list is empty")
        if (paths := _paths(data)) is None:
            return None
        config = self.configuration
        return [p for p in paths if not Path(p).is_file() or not configured.is_excluded(p, config)]

    def _frames(self, data: Any) -> Iterable[Found]:
        from piiscan.io import inputs

        if not isinstance(data, Mapping):
            return [self._frame(data), *inputs.beside_frame(data)]
        tables = inputs.from_frames(data, self._read_options())
        found: list[Found] = [*inputs.in_frame_names(data)]
        for table, frame in zip(tables, data.values(), strict=True):
            found += [table, *inputs.beside_frame(frame, table.info.source)]
        return found


class WorkerSettings(NamedTuple):
    """The settings of a scanner that the summary of a part depends on.

    `made_with` has all that the report depends on besides the cells, by name.
    """

    rules: RuleSet
    allowed: AllowedValues
    made_with: tuple[tuple[str, str], ...]


def worker_settings(scanner: Scanner, fields: Sequence[Field]) -> WorkerSettings:
    """Of a table with these columns, for parts that are summed up elsewhere. Raises as `Scanner.partial` does."""
    return WorkerSettings(scanner.ruleset, scanner._options(frames=True).allowed, scanner._made_with(fields))


def _several(value: str | Path | Sequence[T]) -> Sequence[T]:
    """One name or path, or several of them."""
    return [cast(T, value)] if isinstance(value, (str, Path)) else value


def _paths(data: Any) -> list[str] | None:
    """Return the paths to scan; None for frames."""
    each = [data] if is_path(data) else data
    if isinstance(each, (list, tuple)) and all(map(is_path, each)):
        return [os.fspath(p) for p in each]
    return None


def _is_number(value: Any, least: float, most: float = float("inf")) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas"
