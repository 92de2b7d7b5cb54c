"""The settings of a configuration, as the engine and the readers take them: for commands and in Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piiscan.core import urls
from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    from piiscan.io.read_options import PathOptions
    from piiscan.scanning.allowed_values import AllowedValues
    from piiscan.scanning.configuration import Config
    from piiscan.scanning.findings import Allow
    from piiscan.scanning.scan_options import ColumnTruth

BASELINE = "piiscan-baseline.jsonl"
"""The default path of a baseline, in the folder that its paths are relative to."""
OWN_BASELINE = "a baseline of piiscan"
"""Why that file isn't scanned."""


def config_of(given: str | os.PathLike[str] | bool | None) -> Config:
    """Return the configuration that a caller asks for. Raises `UsageError`.

    It is the file at a path; for True, the one that the command line would find here; for None or False, none.
    """
    from piiscan.scanning import configuration

    if given is None or given is False:
        return configuration.Config()
    if given is True:
        return configuration.load(configuration.find(Path.cwd()))
    if not isinstance(given, str | os.PathLike):
        raise UsageError(
            "config must be the path of a configuration, True to find one in this folder, or None, not an object "
            f"of type {type(given).__name__}"
        )
    urls.demand_path(given)
    return configuration.load(Path(os.path.abspath(given)))  # noqa: PTH100 - links stay


def base(config: Config) -> Path:
    """Return the folder that paths in baselines and SARIF are relative to."""
    from piiscan.scanning import configuration

    cwd = Path.cwd()
    return configuration.repository(cwd) or config.folder or cwd


def per_path(config: Config) -> tuple[tuple[str, PathOptions], ...]:
    """Return how files are written, by the globs of `[[paths]]`."""
    from piiscan.io.read_options import PathOptions
    from piiscan.scanning import configuration

    return tuple(
        (glob, PathOptions(p.delimiter, p.encoding, p.header))
        for p in config.paths
        for glob in configuration.globs(config, p.path, Path.cwd())
    )


def excluded(config: Config) -> tuple[str, ...]:
    """Return `exclude` as patterns over absolute paths."""
    from piiscan.scanning import configuration

    return configuration.anchored(config.exclude, config.folder or Path.cwd())


def no_data(paths: Iterable[Path], what: str) -> tuple[tuple[str, str], ...]:
    """Return the files that piiscan itself writes, and what they are, for `ReadOptions.own`."""
    from piiscan.io.ignored import absolute

    return tuple((absolute(path), what) for path in paths)


def is_excluded(path: str | Path, config: Config) -> bool:
    """Return whether the configuration excludes a file."""
    if not config.exclude:
        return False
    import pathspec

    spec = pathspec.GitIgnoreSpec.from_lines(excluded(config))
    spellings = (os.path.abspath(path), os.path.realpath(path))  # noqa: PTH100
    return any(spec.match_file(spelling.replace(os.sep, "/").lstrip("/")) for spelling in spellings)


def truths(config: Config, frames: bool = False) -> tuple[ColumnTruth, ...]:
    """Return the declarations of `[[columns]]`. `frames`: paths are the names of frames, which are in no folder."""
    from piiscan.scanning import configuration
    from piiscan.scanning.scan_options import ColumnTruth

    return tuple(
        ColumnTruth(glob, c.column, c.entity, c.table)
        for c in config.columns
        for glob in ((c.path,) if frames else configuration.globs(config, c.path, Path.cwd()))
    )


def entries(given: Iterable[Mapping[str, Any]], where: str) -> tuple[Allow, ...]:
    """Return a caller's `[[allow]]` entries, checked. `where`: the function that was called. Raises `UsageError`."""
    from piiscan.scanning import configuration

    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise UsageError(
            'allow must be a list of entries as in [[allow]]: [{"entity": "EMAIL_ADDRESS", "reason": "made-up '
            'addresses"}]'
        )
    each = [dict(entry) if isinstance(entry, Mapping) else entry for entry in given]
    return configuration.parse({"allow": each}, Path(where)).allow


def allowed(config: Config, allow: tuple[Allow, ...] = ()) -> AllowedValues:
    """Return the values that raise no finding. `allow`: entries besides those of the configuration."""
    from piiscan.scanning.allowed_values import AllowedValues

    here = base(config)
    return AllowedValues(
        tuple(entry for entry in (*allow, *config.allow) if entry.is_of_values),
        tuple(dict.fromkeys(p.resolve() for p in (here, config.folder or here))),
        Path.cwd(),
        config.reserved == "quiet",
    )


def pipeline(config: Config) -> str | None:
    """Return a spaCy pipeline's name, or its folder relative to the configuration."""
    folder = None if config.spacy is None else config.resolve(config.spacy)
    return str(folder) if folder is not None and folder.is_dir() else config.spacy
