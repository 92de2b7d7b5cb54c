"""Build hook: a wheel is built only with rules that load, and carries them compiled, so that they load fast."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RulesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Maps the compiled rules into the wheel as `piiscan/_shipped/rules.json`.

    Raises `RuleError` for a rule that doesn't load.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # a checkout compiles its rules itself whenever they change
            return
        self._folder = tempfile.TemporaryDirectory()
        compiled = Path(self._folder.name) / "rules.json"
        sys.path.insert(0, self.root)
        try:
            from piiscan.rules.rule_sets import write

            write(compiled)
        finally:
            sys.path.remove(self.root)
        build_data["force_include"][str(compiled)] = "piiscan/_shipped/rules.json"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
