"""The shipped rules, compiled: made at build time, read back at start.

A wheel carries `_shipped/rules.json`. A checkout makes the same file when `rules/` has changed since, and keeps it
beside the package, out of version control.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from piiscan.core import header_words, plugins, resources
from piiscan.core.errors import RuleError
from piiscan.rules import check_names, compile_rules
from piiscan.rules.compile_rules import CompiledRules
from piiscan.rules.definitions import RuleSet, load_folder


def write(path: Path) -> None:
    """Compile the shipped rules into `path`, whole or not at all. Raises `RuleError` for a rule that doesn't load."""
    folder = resources.folder("rules")
    data = {
        "source": _source_digest(folder),
        "program": compile_rules.to_plain(compile_rules.build(load_folder(folder))),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps(data, sort_keys=True, separators=(",", ":")), encoding="utf-8")
    temporary.replace(path)


@cache
def shipped() -> CompiledRules:
    """The rules that come with piiscan, ready to run."""
    path = resources.compiled_rules()
    folder = resources.folder("rules")
    installed = path.parent == folder.parent
    for fresh in (False, True):
        if fresh:
            try:
                write(path)
            except OSError:
                return compile_rules.build(load_folder(folder))
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if installed or data["source"] == _source_digest(folder):
            return compile_rules.from_plain(data["program"])
    return compile_rules.build(load_folder(folder))


def compiled_rules(rules: RuleSet) -> CompiledRules:
    """Any rule set, ready to run; patterns of shipped rules are not compiled again."""
    known = shipped()
    return known if rules is known.rules else compile_rules.build(rules, known)


def load(folders: Iterable[Path] = ()) -> RuleSet:
    """Load the shipped rules, those of plug-ins, and those in `folders`. Raises `RuleError`.

    A plug-in is an entry point of the group `piiscan.rules`, a folder's path or a function that returns one.
    """
    rules = shipped().rules
    for point in plugins.entry_points("piiscan.rules"):
        found = plugins.loaded(point, RuleError)
        try:
            folder = Path(found() if callable(found) else found)
        except Exception as error:
            raise RuleError(
                f"{plugins.title(point)} can't be loaded: {type(error).__name__}; repair or remove it"
            ) from None
        if not folder.is_dir():
            raise RuleError(f"{plugins.title(point)}: this folder of rules doesn't exist; repair or remove the package")
        rules = rules + load_folder(folder)
    check_names.plugged()  # a name that is taken is an error, used or not
    for folder in folders:
        rules = rules + load_folder(folder)
    return rules


def _source_digest(folder: Path) -> str:
    """Of the rules and of the modules that compile them, which a scan doesn't import otherwise."""
    here = Path(__file__)
    modules = [here.with_name(f"{name}.py") for name in ("compile_rules", "definitions", "dialect", "pattern_analysis")]
    modules.append(Path(header_words.__file__))
    digest = hashlib.sha256()
    for path in [*sorted(p for name in ("*.toml", "values/*.txt") for p in folder.glob(name)), *modules]:
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()
