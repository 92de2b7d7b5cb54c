"""Build hook: a wheel is built only with rules that load, and carries them compiled, so that they load fast."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RulesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Validates `rules/` and maps the compiled rules into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # a checkout reads rules/ itself, also while somebody is writing a rule
            return
        sys.path.insert(0, self.root)
        try:
            from piiscan.rules import load_folder

            load_folder(Path(self.root) / "rules")
        finally:
            sys.path.remove(self.root)
