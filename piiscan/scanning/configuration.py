"""The configuration: `piiscan.toml`, or `[tool.piiscan]` in `pyproject.toml`. It is validated by its schema."""

from __future__ import annotations

import codecs
import datetime
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.scanning.findings import BY_USER, REVIEW, Allow, FailOn

if TYPE_CHECKING:
    from piiscan.rules.definitions import RuleSet

FILE = "piiscan.toml"
NOTHING = "none"
"""What `is` in `[[columns]]` says of a column without personal data."""

_STRING: Final = {"type": "string", "minLength": 1}
_STRINGS: Final = {"type": "array", "items": _STRING}


def _table(description: str, required: tuple[str, ...], **properties: Mapping[str, Any]) -> dict[str, Any]:
    items = {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}
    return {"type": "array", "description": description, "items": items}


def _described(schema: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


_GLOB = _described(_STRING, "A file or a glob, relative to the configuration's folder.")

SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "piiscan configuration",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "select": _described(_STRINGS, "Only these entities, rule ids or subtypes."),
        "ignore": _described(_STRINGS, "Not these entities, rule ids or subtypes."),
        "min_confidence": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "Verdicts whose entity and class are both less sure are dropped.",
        },
        "fail_on": {
            "enum": ["direct", "review", "sensitive", "quasi", "never"],
            "description": "The weakest class of finding that ends with status 1; review adds columns in doubt.",
        },
        "baseline": _described(_STRING, "The baseline file, relative to the configuration's folder."),
        "jobs": {"type": "integer", "minimum": 1, "description": "Threads."},
        "spacy": _described(
            _STRING,
            "A spaCy pipeline that finds names in texts instead of piiscan's "
            "recogniser: an installed one, or a folder.",
        ),
        "model": _described(_STRING, "A model that `piiscan train` made, relative to the configuration's folder."),
        "rules": _described(_STRINGS, "Folders with rules of your own, relative to the configuration's folder."),
        "code": {"type": "boolean", "description": "Look at literals and comments of source code, too."},
        "exclude": _described(_STRINGS, "Files not to scan: patterns as in .gitignore."),
        "reserved": {
            "enum": ["quiet", "finding"],
            "description": "Whether reserved values (example.com, 555-0100, 10.0.0.1) are findings, too.",
        },
        "paths": _table(
            "How to read the files that match.",
            ("path",),
            path=_GLOB,
            delimiter=_STRING,
            encoding=_STRING,
            header={"type": "boolean"},
        ),
        "columns": _table(
            "What a column is, whatever the verdict says.",
            ("path", "column", "is"),
            path=_GLOB,
            table=_STRING,
            column=_STRING,
            **{"is": {"enum": [NOTHING, *sorted(PII_CLASS)], "description": "An entity, or none."}},
        ),
        "allow": _table(
            "Findings that you accept.",
            ("reason",),
            reason=_STRING,
            path=_GLOB,
            table=_STRING,
            column=_STRING,
            rule=_STRING,
            entity=_STRING,
            domain=_described(_STRING, "Only e-mail addresses and web pages at this domain or below it."),
            network=_described(_STRING, "Only addresses in this network, such as 10.0.0.0/8."),
            expires={
                "type": "string",
                "format": "date",
                "description": "The last day this holds (a TOML date will do).",
            },
        ),
    },
}


class PathRule(NamedTuple):
    """A `[[paths]]` entry; None leaves a setting to inference."""

    path: str
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None


class ColumnRule(NamedTuple):
    """A `[[columns]]` entry. `entity` is None for "none"."""

    path: str
    column: str
    entity: str | None
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """What a configuration file says. `file` is where it was read, None for the defaults."""

    file: Path | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_confidence: float = 0.5
    fail_on: FailOn = "direct"
    baseline: str | None = None
    jobs: int | None = None
    model: str | None = None
    spacy: str | None = None
    rules: tuple[str, ...] = ()
    code: bool = False
    exclude: tuple[str, ...] = ()
    reserved: Literal["quiet", "finding"] = "quiet"
    paths: tuple[PathRule, ...] = ()
    columns: tuple[ColumnRule, ...] = ()
    allow: tuple[Allow, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def folder(self) -> Path | None:
        return None if self.file is None else self.file.parent

    def resolve(self, path: str) -> Path:
        """A path of the configuration, which is relative to its folder."""
        return (self.folder or Path()) / path


def repository(start: Path) -> Path | None:
    """The root of the git repository that holds `start`, or None."""
    return next((p for p in (start, *start.parents) if (p / ".git").exists()), None)


def find(start: Path) -> Path | None:
    """The nearest configuration file from `start` upward to the root of its repository.

    Outside of a repository: in `start` only.
    """
    root = repository(start)
    for folder in (start, *start.parents) if root else (start,):
        # A broken link or a folder of that name is a mistake to be told, no reason to scan without the configuration.
        if os.path.lexists(folder / FILE):
            return folder / FILE
        project = folder / "pyproject.toml"
        if project.is_file() and _section(_read(project)) is not None:
            return project
        if folder == root:
            break
    return None


def load(file: Path | None) -> Config:
    """Load the configuration in `file`. Raises `UsageError`, naming the file, the key and what to write instead."""
    if file is None:
        return Config()
    data = _read(file)
    if file.name == "pyproject.toml":
        data = _section(data) or {}
    if not isinstance(data, Mapping):
        raise UsageError(f"{file.name}: tool.piiscan: must be a table")
    return parse(data, file)


def _section(project: Mapping[str, Any]) -> Any:
    """The contents of [tool.piiscan], None for nothing."""
    tool = project.get("tool")
    return tool.get("piiscan") if isinstance(tool, Mapping) else None


def parse(data: Mapping[str, Any], file: Path) -> Config:
    """Validate a configuration as read from TOML. Raises `UsageError`."""
    for problem in (*check(data, SCHEMA), *_unreadable(data)):
        raise UsageError(f"{file.name}: {problem}")
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    plain["paths"] = tuple(
        PathRule(**{**p, "delimiter": delimiter(p["delimiter"])} if "delimiter" in p else p)
        for p in data.get("paths", ())
    )
    plain["columns"] = tuple(
        ColumnRule(c["path"], c["column"], None if c["is"] == NOTHING else c["is"], c.get("table"))
        for c in data.get("columns", ())
    )
    plain["allow"] = tuple(Allow(**{**a, "expires": _date(a.get("expires"))}) for a in data.get("allow", ()))
    return Config(file=file, raw=data, **plain)


def _unreadable(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield faults of separators, encodings and patterns in data that the schema accepts."""
    if next(check(data, SCHEMA), None) is not None:
        return
    for i, entry in enumerate(data.get("paths", ())):
        for key, test in (("delimiter", delimiter), ("encoding", encoding)):
            try:
                test(entry[key]) if key in entry else None
            except ValueError as error:
                yield f"paths[{i}].{key}: {error}"
    for i, entry in enumerate(data.get("allow", ())):
        yield from _unreadable_values(entry, f"allow[{i}]")
    for i, pattern in enumerate(data.get("exclude", ())):
        if pattern in ("!", "\\") or re.search(r"(?<!\\)(?:\\\\)*\\$", pattern):
            yield f"exclude[{i}]: not a pattern as in .gitignore"


def _unreadable_values(entry: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yield what is wrong with the domain or network of an `[[allow]]` entry."""
    from piiscan.rules.value_tests import at_domain, in_network

    given = [key for key in ("domain", "network") if key in entry]
    for key in given:
        try:
            at_domain(entry[key]) if key == "domain" else in_network(entry[key])
        except ValueError as error:
            yield f"{where}.{key}: {error}"
    if len(given) > 1:
        yield f"{where}: 'domain' and 'network' can't both fit; write an entry for each"
    for other in ("rule", "entity"):
        if given and other in entry:
            yield f"{where}: {given[0]!r} says what the values are; leave {other!r} out"


_TYPES: Final[dict[str, Any]] = {
    "object": Mapping,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}
"""What TOML's values are in Python, by their names in JSON Schema."""


def check(value: Any, schema: Mapping[str, Any], where: str = "") -> Iterator[str]:
    """Yield what is wrong with `value`, by the part of JSON Schema that SCHEMA uses, in words."""
    from piiscan.rules.definitions import suggestion

    name = where or "the configuration"
    if "enum" in schema:
        if value not in schema["enum"]:
            hint = suggestion(str(value), schema["enum"])
            yield f"{name}: must be one of {', '.join(schema['enum'])}{hint}"
        return
    if schema.get("format") == "date":
        if _date(value) is None:
            yield f"{name}: must be a date such as 2030-12-31"
        return
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        what = "table" if kind == "object" else kind
        yield f"{name}: must be {'an' if what[0] in 'ai' else 'a'} {what}"
    elif kind == "object":
        yield from _check_keys(value, schema, where)
    elif kind == "array":
        for i, item in enumerate(value):
            yield from check(item, schema["items"], f"{where}[{i}]")
    elif kind == "string" and len(value) < schema.get("minLength", 0):
        yield f"{name}: must not be empty"
    elif kind in ("number", "integer") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        most = f" and at most {schema['maximum']}" if "maximum" in schema else ""
        yield f"{name}: must be at least {schema['minimum']}{most}"


def _check_keys(table: Mapping[str, Any], schema: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yield what is wrong with the keys of a table, and with their values."""
    from piiscan.rules.definitions import suggestion

    known = schema["properties"]
    for key, item in table.items():
        path = f"{where}.{key}" if where else key
        if key in known:
            yield from check(item, known[key], path)
        else:
            yield f"unknown key {path!r}{suggestion(key, known)}"
    for key in schema.get("required", ()):
        if key not in table:
            yield f"{where or 'the configuration'}: {key!r} is missing"


def check_names(config: Config, rules: RuleSet) -> None:
    """Raise `UsageError` for an `[[allow]]` entry that names no rule or entity: it would never silence anything."""
    from piiscan.rules.definitions import suggestion

    entities = {*PII_CLASS, *(r.subtype for r in rules.rules if r.subtype)}
    for i, entry in enumerate(config.allow):
        for key, name, known in (
            ("rule", entry.rule, {*rules.by_id, BY_USER, REVIEW}),
            ("entity", entry.entity, entities),
        ):
            if name is not None and name not in known:
                where = f"{config.file.name}: " if config.file else ""
                raise UsageError(f"{where}allow[{i}].{key}: no {key} is called {name!r}{suggestion(name, known)}")


def globs(config: Config, glob: str, cwd: Path) -> tuple[str, ...]:
    """The spellings that the source of a file may have which matches `glob` of `config`, when scanning from `cwd`."""
    if config.folder is None:
        return (glob,)
    absolute = os.path.normpath(Path(escape(str(config.folder.resolve()))) / glob)
    relative = os.path.relpath(absolute, escape(str(cwd))).replace(os.sep, "/")
    # A leading * would match ../elsewhere and absolute paths too.
    relative = {"*": "[!./]*", "?": "[!./]"}.get(relative[0], relative[0]) + relative[1:]
    found = (absolute.replace(os.sep, "/"), relative, f"./{relative}")
    return tuple(dict.fromkeys(found))


def anchored(patterns: Iterable[str], folder: Path) -> tuple[str, ...]:
    """Patterns as in .gitignore that are relative to `folder`, as patterns over absolute paths."""
    start = re.sub(r"([\\*?\[\]!# ])", r"\\\1", folder.absolute().as_posix().rstrip("/"))
    start = start if start.startswith("/") or not start else f"/{start}"
    found = []
    for pattern in patterns:
        body = pattern.removeprefix("!")
        if body.strip() and not pattern.startswith("#"):
            anywhere = "" if "/" in body.rstrip("/") else "**/"
            found.append(f"{'!' if body != pattern else ''}{start}/{anywhere}{body.lstrip('/')}")
    return tuple(found)


def delimiter(text: str) -> str:
    """A field separator as people write it: itself, or its name; "none" for one column. Raises ValueError."""
    found = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|", "none": "none"}.get(
        text.lower(), text
    )
    if found == "none":
        return found
    if len(found) != 1 or found in '"\r\n':
        raise ValueError("must be one character, or one of tab, space, comma, semicolon, pipe, none")
    return found


def encoding(name: str) -> str:
    """A text encoding that Python knows. Raises ValueError."""
    try:
        if codecs.lookup(name)._is_text_encoding:
            return name
    except (LookupError, ValueError):
        pass
    raise ValueError("must be an encoding that Python knows, such as utf-8, utf-16, cp1252 or latin-1")


def rule_folders(paths: Iterable[str | Path]) -> tuple[Path, ...]:
    """The folders with the user's own rules.

    Raises `UsageError` for one that is missing or without rules: a scan without them would look clean.
    """
    folders = tuple(Path(p) for p in paths)
    for folder in folders:
        if next(folder.rglob("*.toml"), None) is None:
            raise UsageError(
                f"{folder}: {'holds no *.toml file with rules' if folder.is_dir() else 'no such folder of rules'}"
            )
    return folders


def to_toml(config: Config) -> str:
    """The settings in force as TOML that can be read again, entries of the file as they stand there."""
    lines = [f"# {config.file.name}" if config.file else "# defaults; no configuration file was found"]
    for key in SCHEMA["properties"]:
        value = getattr(config, key)
        if key in ("paths", "columns", "allow"):
            continue
        lines.append(f"# {key} = (not set)" if value is None else f"{key} = {toml_value(value)}")
    for key in ("paths", "columns", "allow"):
        for entry in config.raw.get(key, ()):
            lines += ["", f"[[{key}]]", *(f"{k} = {toml_value(v)}" for k, v in entry.items())]
    return "\n".join(lines) + "\n"


def toml_value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False)


def _date(value: Any) -> datetime.date | None:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value
    try:
        return datetime.date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file.name}: can't be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        what = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise UsageError(f"{file.name}: not a readable TOML file: {what}") from None
