"""Where `rules/` and `models/` are: beside the package in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def folder(name: str) -> Path:
    """The folder `name` ("rules" or "models") that ships with piiscan. Raises FileNotFoundError where it is missing."""
    for base in (_PACKAGE / "_shipped", _PACKAGE.parent):
        if (base / name).is_dir():
            return base / name
    raise FileNotFoundError(f"piiscan's own folder {name!r} is missing; reinstall the package")


def compiled_rules() -> Path:
    """The compiled form of the shipped rules; in a checkout it may be missing or out of date."""
    return _PACKAGE / "_shipped" / "rules.json"
