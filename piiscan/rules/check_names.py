"""Which checks there are, without importing one: piiscan's own and those of plug-ins."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from piiscan.core import plugins
from piiscan.core.errors import RuleError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "piiscan.checks"


@cache
def built_in() -> frozenset[str]:
    """The names of the modules in `piiscan/rules/checks/` that hold a check."""
    import pkgutil

    modules = pkgutil.iter_modules([str(Path(__file__).parent / "checks")])
    return frozenset(module.name for module in modules) - {"arithmetic"}


def plugged() -> dict[str, EntryPoint]:
    """The checks of plug-ins by name. Raises `RuleError` for a name that is taken."""
    return plugins.named(GROUP, built_in() | {"arithmetic"}, RuleError)


def names() -> frozenset[str]:
    """All names that a rule's `check` may have."""
    return built_in() | plugged().keys()


def plugged_digest(checks: Iterable[str]) -> str:
    """Return a digest of the code of those `checks` that plug-ins bring, "" if there are none.

    So a verdict that rests on another version of a check has another digest of rules.
    """
    own = sorted(set(checks) - built_in())
    if not own:
        return ""
    digest = hashlib.sha256()
    known = plugged()
    for name in own:
        point = known[name]
        version = point.dist.version if point.dist else ""
        digest.update(f"{name}\0{point.value}\0{version}\0".encode() + _source(point))
    return digest.hexdigest()[:16]


def _source(point: EntryPoint) -> bytes:
    """The module that an entry point names, as it lies on disk; b"" for one that lies elsewhere."""
    from importlib.util import find_spec

    try:
        spec = find_spec(point.module)
        return Path(spec.origin).read_bytes() if spec and spec.origin else b""
    except (ImportError, OSError, ValueError):
        return b""
