"""docs/public-api.md lists what is public, all of it and nothing else; and what the documents name exists."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from conftest import ROOT

import piiscan
from piiscan.masking.operators.operator_registry import GROUP

PAGE = (ROOT / "docs" / "public-api.md").read_text(encoding="utf-8")
FACADES = sorted(
    module_name
    for path in (ROOT / "piiscan").rglob("*.py")
    if (module_name := ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")).count(".")
    and re.fullmatch(
        r"piiscan\.(dask|distributed|hierarchies|learning|operators|plots|ray|readers|spark|techniques|text)(\.presidio)?",
        module_name,
    )
)
TEXTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "models" / "README.md"]
SOURCES = {name: sorted((ROOT / name).rglob("*.py")) for name in ("piiscan", "tests", "models", "benchmarks")}


def names_of(section: str) -> set[str]:
    """The names in code spans that start the entries of a section's list or table."""
    found = re.search(rf"^## {re.escape(section)}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/public-api.md: no section {section}"
    return set(re.findall(r"^(?:- |\| )`([^`]+)`", found[1], re.MULTILINE))


def test_the_package() -> None:
    assert names_of("piiscan") == set(piiscan.__all__) | {"__version__"}


@pytest.mark.parametrize("facade", FACADES)
def test_a_facade(facade: str) -> None:
    assert names_of(facade) == set(import_module(facade).__all__)


def test_entry_points_and_schemas() -> None:
    assert GROUP in names_of("Entry points")
    texts = [path.read_text(encoding="utf-8") for paths in SOURCES.values() for path in paths]
    groups = {group for text in texts for group in re.findall(r'group="(piiscan\.\w+)"', text)}
    assert groups <= names_of("Entry points")
    schemas = {p.name for p in (ROOT / "piiscan" / "report" / "schemas").glob("*.json")}
    assert names_of("JSON schemas") == schemas
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert names_of("Commands") == set(scripts)


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_examples_import_public_names_only(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    public = {"piiscan", *FACADES}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for module in re.findall(r"^\s*(?:from|import) (piiscan[\w.]*)", block, re.MULTILINE):
            assert module in public


@pytest.mark.parametrize("paths", [TEXTS, *SOURCES.values()], ids=["pages", *SOURCES])
def test_modules_and_files_that_are_named_exist(paths: list[Path]) -> None:
    """By folder, since files are many and each test takes longer than looking at one."""
    rooms = {p.name for p in (ROOT / "piiscan").iterdir()}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for name in set(re.findall(r"\bpiiscan(?:\.[a-zA-Z_]\w*)+", text)):
            if name.split(".")[1] in rooms:
                assert is_there(name), f"{path.relative_to(ROOT)}: {name}"
        for name in set(re.findall(r"\bpiiscan/[a-z_0-9/-]+(?:\.(?:py|json|toml|txt))?", text)):
            if not name.startswith(("piiscan/_shipped", "piiscan/1")):
                assert (ROOT / name).exists(), f"{path.relative_to(ROOT)}: {name}"


@cache
def is_there(name: str) -> bool:
    """Whether `piiscan.folder.module` is one, and holds what is named after it."""
    parts = name.split(".")
    place = ROOT / "piiscan"
    for i, part in enumerate(parts[1:], 1):
        if (place / part).is_dir():
            place = place / part
            continue
        if (place / f"{part}.py").is_file():
            place, i = place / f"{part}.py", i + 1
        break
    else:
        i = len(parts)
    file = place if place.suffix else place / "__init__.py"
    return i == len(parts) or bool(re.search(rf"\b{parts[i]}\b", file.read_text(encoding="utf-8")))
