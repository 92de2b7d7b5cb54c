"""The plan of the house holds: rooms, one-way imports, façades without logic, and a light start."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "piiscan"
FACADES = set("dask distributed hierarchies learning operators plots ray readers spark techniques text".split())
FRONT = {"__init__", "__main__"}
FEATURES = ("dp", "masking", "anonymity", "synthesis", "aggregates", "protection")
FILE_ROOMS = ("piiscan.io", "piiscan.scanning.engine")
MOST_ROOMS = 16
LIGHT = {"click", "piiscan", "compression", *sys.stdlib_module_names}  # compression: of the standard library from 3.14
PROJECT_NAMES = {
    "backports": "backports.zstd",
    "presidio_analyzer": "presidio-analyzer",
    "presidio_anonymizer": "presidio-anonymizer",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}  # import → distribution, where they differ
START_UP = (
    "piiscan",
    "piiscan.__main__",
    "piiscan.cli",
    "piiscan.core.errors",
    "piiscan.core.types",
    "piiscan.rules.definitions",
    "piiscan.core.resources",
)


@dataclass(frozen=True)
class Import:
    module: str  # the dotted name that is imported
    lazy: bool  # inside a function, or for the type checker only
    line: int


@dataclass(frozen=True)
class Room:
    purpose: str
    imports: frozenset[str]


@cache
def rooms() -> dict[str, Room]:
    """The table of rooms in docs/architecture.md, from the lowest to the highest."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.*?) \|$", text, re.MULTILINE)
    assert rows, "docs/architecture.md: no table of rooms"
    return {name: Room(purpose, frozenset(re.findall(r"\w+", imports))) for name, purpose, imports in rows}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = sorted(module_name(path) for path in PACKAGE.rglob("*.py"))


@cache
def file_of(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((p for p in (path / "__init__.py", path.with_suffix(".py")) if p.is_file()), None)


def room_of(module: str) -> str:
    """The first name below the package; "" for the package itself."""
    return module.split(".")[1] if "." in module else ""


@cache
def tree(module: str) -> ast.Module:
    path = file_of(module)
    assert path is not None
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(module: str) -> tuple[Import, ...]:
    return tuple(_walk(tree(module), lazy=False))


def _walk(node: ast.AST, lazy: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, lazy, node.lineno) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert not node.level, "imports name their module in full"
        base = node.module or ""
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            yield Import(whole if base.startswith("piiscan") and file_of(whole) else base, lazy, node.lineno)
    lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    test = node.test if isinstance(node, ast.If) else None
    for_types = (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):  # expressions hold no imports
            yield from _walk(child, lazy or for_types)


@cache
def edges() -> tuple[tuple[str, Import], ...]:
    """Every import of one module of the package by another, lazy ones and those for types too."""
    return tuple(
        (module, i)
        for module in MODULES
        for i in imports(module)
        if i.module.split(".")[0] == "piiscan" and i.module != module
    )


def assert_no_cycle(graph: Mapping[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])))


def test_the_rooms_are_those_of_the_table() -> None:
    there = {p.name for p in PACKAGE.iterdir() if p.is_dir() and (p / "__init__.py").exists()} - FACADES
    assert there == set(rooms())
    assert len(there) <= MOST_ROOMS
    assert {p.stem for p in PACKAGE.glob("*.py")} <= FRONT | FACADES


@pytest.mark.parametrize(
    "room", sorted(p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists() and p.name not in FACADES)
)
def test_a_room_says_its_purpose_in_one_sentence(room: str) -> None:
    """The sentence of the table is the first line of its docstring, the second says that nothing in it is public."""
    body = tree(f"piiscan.{room}").body
    doc = ast.get_docstring(tree(f"piiscan.{room}")) or ""
    assert doc.split("\n")[0] == rooms()[room].purpose
    if room != "cli":  # the entry point of the command
        assert len(body) == 1
        assert "Private" in doc


def test_rooms_import_what_the_table_declares() -> None:
    """Only from rooms above them in the table, and each declared import is used."""
    order = list(rooms())
    found: dict[str, set[str]] = {name: set() for name in order}
    for module, i in edges():
        own, other = room_of(module), room_of(i.module)
        if own in found and own != other:
            assert other in found, f"{module}:{i.line} imports {i.module}, which is above the rooms"
            assert order.index(other) < order.index(own), f"{module}:{i.line} imports {i.module} from a higher room"
            found[own].add(other)
    assert found == {name: set(room.imports) for name, room in rooms().items()}


def test_no_files_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for module, i in edges():
        graph.setdefault(module, set()).add(i.module)
    assert_no_cycle(graph)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_no_folders_import_each_other_in_a_circle(depth: int) -> None:
    """A folder at this depth is one node, and a file above it is one too."""

    def node(module: str) -> str:
        path = file_of(module)
        assert path is not None
        parts = path.relative_to(ROOT).parts
        return "/".join(parts[:depth] if len(parts) > depth else parts)

    graph: dict[str, set[str]] = {}
    for module, i in edges():
        if room_of(module) in rooms() and room_of(i.module) in rooms() and node(module) != node(i.module):
            graph.setdefault(node(module), set()).add(node(i.module))
    assert_no_cycle(graph)


@pytest.mark.parametrize("room", FEATURES)
def test_feature_rooms_have_the_same_shape(room: str) -> None:
    """`request`, pure modules, `run`, `result`; only what is in `run` knows files or the engine."""
    there = {p.stem for p in (PACKAGE / room).iterdir()}
    assert {"request", "run", "result"} <= there
    wrong = [
        f"{module}:{i.line} imports {i.module}"
        for module, i in edges()
        if room_of(module) == room
        and module.split(".")[2:3] != ["run"]
        and f"{i.module}.".startswith(tuple(f"{r}." for r in FILE_ROOMS))
    ]
    assert not wrong


@pytest.mark.parametrize("module", [m for m in MODULES if room_of(m) in FACADES])
def test_facades_hold_no_logic(module: str) -> None:
    doc, *rest = tree(module).body
    assert isinstance(doc, ast.Expr)
    for node in rest:
        assert isinstance(node, ast.ImportFrom) or (
            isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        )


MOST_COMPLEX = 20


def complexity(function: ast.AST) -> int:
    """Cyclomatic complexity: branches, loops, handlers, boolean operators, conditional expressions and comprehensions,
    those of nested functions too."""
    count = 1
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.For | ast.While | ast.ExceptHandler | ast.IfExp | ast.Assert | ast.match_case):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
    return count


def test_no_function_is_too_complex() -> None:
    found = {
        f"{module}.{node.name}": complexity(node)
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.FunctionDef)
    }
    assert not {name: value for name, value in found.items() if value > MOST_COMPLEX}


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
    assert not [
        f"{m}:{i.line} imports {i.module}" for m, i in eager(start, set()) if i.module.partition(".")[0] not in LIGHT
    ]


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    declared = {re.split(r"[^\w.-]", requirement)[0] for group in groups for requirement in group}
    used = {i.module.partition(".")[0] for m in MODULES for i in imports(m)} - LIGHT
    used -= {"pandas", "pyarrow"}  # only where the caller passes one of theirs
    assert {PROJECT_NAMES.get(name, name) for name in used} <= declared
