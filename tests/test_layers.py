"""The layers of the architecture picture in README.md hold, and start-up stays light."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "piiscan"
MODULES = sorted(path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in PACKAGE.rglob("*.py"))
LIGHT = {"click", "piiscan", "compression", *sys.stdlib_module_names}  # compression: of the standard library from 3.14
PROJECT_NAMES = {
    "backports": "backports.zstd",
    "presidio_analyzer": "presidio-analyzer",
    "presidio_anonymizer": "presidio-anonymizer",
    "sklearn": "scikit-learn",
}  # import → distribution, where they differ
START_UP = ("piiscan", "piiscan.__main__", "piiscan.cli", "piiscan.errors", "piiscan.types", "piiscan.rules", "piiscan.resources")


@dataclass(frozen=True)
class Import:
    module: str  # the dotted name that is imported
    lazy: bool  # inside a function, or for the type checker only
    line: int


def picture() -> dict[str, int]:
    """Module (first name below piiscan) → layer, out of the README's architecture section."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"^## Architecture$.*?^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert block, "README.md: no ```text block in the section Architecture"
    lines = [re.fullmatch(r"(\d) +\w+ {2,}(.+)", line) for line in block[1].splitlines()]
    return {name.rstrip("/"): int(m[1]) for m in lines if m for name in m[2].split()}


def file_of(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((p for p in (path / "__init__.py", path.with_suffix(".py")) if p.is_file()), None)


@cache
def imports(module: str) -> tuple[Import, ...]:
    path = file_of(module)
    assert path is not None
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return tuple(_walk(ast.parse(path.read_text(encoding="utf-8")), package, lazy=False))


def _walk(node: ast.AST, package: str, lazy: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, lazy, node.lineno) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            base = ".".join(filter(None, [*package.split(".")[: len(package.split(".")) - node.level + 1], base]))
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            yield Import(whole if base.startswith("piiscan") and file_of(whole) else base, lazy, node.lineno)
    lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for_types = isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, package, lazy or for_types)


def layer(module: str, layers: dict[str, int]) -> int:
    """The package itself and what starts it are the front; its version may be read from everywhere."""
    names = module.split(".")
    return 7 if len(names) == 1 or names[1] == "__main__" else layers[names[1]]


def test_every_module_stands_in_the_picture() -> None:
    below = {m.split(".")[1] for m in MODULES if m.count(".")} - {"__main__", "__init__"}
    assert below == set(picture())


@pytest.mark.parametrize("module", [m.removesuffix(".__init__") for m in MODULES])
def test_imports_come_from_the_same_or_a_lower_layer(module: str) -> None:
    layers = picture()
    own = layer(module, layers)
    wrong = [
        f"{module}:{i.line} (layer {own}) imports {i.module} (layer {layer(i.module, layers)})"
        for i in imports(module)
        if i.module.startswith("piiscan.") and layer(i.module, layers) > own
    ]
    assert not wrong


def eager(module: str, seen: set[str]) -> Iterator[tuple[str, Import]]:
    """What importing `module` imports at once, directly or not."""
    if module in seen:
        return
    seen.add(module)
    for i in imports(module):
        if not i.lazy:
            yield module, i
            if i.module.partition(".")[0] == "piiscan":
                parts = i.module.split(".")
                for n in range(1, len(parts) + 1):
                    yield from eager(".".join(parts[:n]), seen)


@pytest.mark.parametrize("start", START_UP)
def test_start_up_imports_the_standard_library_and_click_only(start: str) -> None:
    assert not [f"{m}:{i.line} imports {i.module}" for m, i in eager(start, set()) if i.module.partition(".")[0] not in LIGHT]


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    declared = {re.split(r"[^\w.-]", requirement)[0] for group in groups for requirement in group}
    used = {i.module.partition(".")[0] for m in MODULES for i in imports(m.removesuffix(".__init__"))} - LIGHT
    used -= {"pandas", "pyarrow"}  # only where the caller passes one of theirs
    assert {PROJECT_NAMES.get(name, name) for name in used} <= declared
