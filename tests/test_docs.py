"""The documentation names everything there is, shows what the program prints, and its code runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import documentation
import pytest
import site_pages
from conftest import ROOT

import piiscan
from piiscan.core import entities

PAGES = documentation.pages()
TEXT = {page: page.read_text(encoding="utf-8") for page in PAGES}
ALL = "\n".join(TEXT.values())
SHOWN = sorted({m["what"] for text in TEXT.values() for m in documentation.SHOWS.finditer(text)})


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def section(page: str, title: str) -> str:
    found = re.search(
        rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found, f"{page} has no section {title}"
    return found[1]


@pytest.mark.parametrize("command", SHOWN)
def test_what_is_shown_is_what_is_printed(command: str) -> None:
    bodies = {m["body"] for text in TEXT.values() for m in documentation.SHOWS.finditer(text) if m["what"] == command}
    assert bodies == {documentation.output(command)}, "run `make format`"


@pytest.mark.parametrize(
    ("page", "what"), [("rules-list.md", "rules"), ("operators.md", "operators"), ("json-schemas.md", "schemas")]
)
def test_lists_are_today_s(page: str, what: str) -> None:
    found = [(m["what"], m["body"]) for m in documentation.LISTS.finditer(TEXT[ROOT / "docs" / page])]
    assert found == [(what, documentation.MADE[what]())], "run `make format`"


@pytest.mark.parametrize("path", documentation.PICTURES, ids=name)
def test_pictures_show_what_a_terminal_shows(path: Path) -> None:
    drawn = documentation.picture(documentation.PICTURES[path])
    assert path.read_text(encoding="utf-8") == drawn, "run `make format`"
    assert not re.search(r"url\(['\"]?http|<(?:image|script)|href=", drawn), "it loads something"
    assert drawn.count("US_SSN") == 2


def test_every_public_name_is_in_the_reference_of_python() -> None:
    page = TEXT[ROOT / "docs" / "python.md"]
    named = re.findall(r"^::: piiscan\.(\w+)$", page, re.MULTILINE)
    assert set(piiscan.__all__) <= set(named)
    assert len(named) == len(set(named))


def test_the_readme_is_short() -> None:
    assert len(TEXT[ROOT / "README.md"].splitlines()) <= 200


def test_the_commands_of_the_first_five_minutes_run(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = re.findall(r"^```sh\n(.*?)^```$", section("README.md", "Five minutes"), re.DOTALL | re.MULTILINE)
    typed = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    assert {words[1] for words in typed} == {"scan", "key", "plan", "mask", "protect"}
    for words in typed:
        done = documentation.run_piiscan(*words[1:], cwd=tmp_path)
        assert done.returncode == (words[1] == "scan"), done.stderr
    assert (tmp_path / "masked.csv").is_file()
    assert (tmp_path / "release" / "report.md").is_file()


def test_links_on_the_site_lead_to_pages_of_it(tmp_path: Path) -> None:
    """What `make docs` gives to the site's generator, which checks links and anchors itself."""
    places = site_pages.assemble(tmp_path)
    assert len(places) == len(set(places))
    nav = re.findall(r": ([\w./-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(nav) == len(set(nav))
    assert set(nav) <= {place.as_posix() for place in places}
    pages = {place.as_posix() for place in places if place.suffix == ".md"}
    assert not {page for page in pages - set(nav) if not page.startswith(("decisions/", "repository/"))}
    for place in places:
        for match in re.finditer(r"\]\((?!\w+:|#)([^)\s#]+)", _without_code(tmp_path / place)):
            assert (tmp_path / place).parent.joinpath(match[1]).is_file(), f"{place}: {match[1]}"


def test_docstrings_become_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "griffe", SimpleNamespace(Extension=object, Object=object))
    markdown = importlib.import_module("site_docstrings").markdown
    text = "What it is.\n\n>>> f(1)\n2\n\nGuarantee:\n    Assumes a\n    key.\n    Ensures b.\n    Test: t.py::t\n"
    assert markdown(text) == (
        "What it is.\n\n```python\n>>> f(1)\n2\n```\n\nGuarantee:\n\n- Assumes a key.\n- Ensures b.\n"
    )


def _without_code(page: Path) -> str:
    return "" if page.suffix != ".md" else re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_every_command_has_its_help_in_the_manual() -> None:
    for command, options in documentation.commands().items():
        assert f"{command} --help" in SHOWN, "run `make format`"
        assert f"{command} --help-all" in SHOWN or "--help-all" not in options, "run `make format`"


def test_every_command_and_operator_is_among_the_techniques() -> None:
    from piiscan import techniques
    from piiscan.cli import COMMANDS
    from piiscan.masking.operators import operator_registry

    page = TEXT[ROOT / "docs" / "techniques.md"]
    assert not [command for command in COMMANDS if not re.search(rf"`piiscan {command}\b", page)]
    assert not [operator for operator in operator_registry.BUILT_IN if f"`{operator}`" not in page]
    functions = set(re.findall(r"(?:piiscan\.techniques\.|`)(\w+)`", page))
    assert {name for name in techniques.__all__ if name.islower()} - {"recover_rows"} <= functions
    assert "recover_rows(" in page


def test_every_option_is_in_the_manual() -> None:
    page = TEXT[ROOT / "docs" / "cli.md"]
    missing = [f"{c} {o}" for c, options in documentation.commands().items() for o in options if o not in page]
    assert not missing


def test_the_vocabulary_is_the_program_s() -> None:
    rows = re.findall(
        r"^\| (direct|quasi|sensitive|none) \| (.*) \|$", section("docs/design.md", "The vocabulary"), re.MULTILINE
    )
    documented = {
        word: pii
        for pii, text in rows
        for word in re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b", re.sub(r"\([^)]*\)", "", text))
    }
    assert documented == entities.PII_CLASS


def test_the_thresholds_of_review_are_the_model_s() -> None:
    from piiscan.scanning.classify.column_model import model

    page = (ROOT / "docs" / "detection.md").read_text(encoding="utf-8")
    limits = model().thresholds
    assert f"a probability of {limits.may_be_direct:.0%}".replace("%", " %") in page
    assert f"({limits.may_be_direct_elsewhere:.0%} in tables".replace("%", " %") in page
    assert f"with one below {limits.may_not_be:.0%}".replace("%", " %") in page


def test_every_exit_status_is_explained() -> None:
    text = (ROOT / "docs" / "exit-statuses.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d+) \| \S", text, re.MULTILINE)[:6] == ["0", "1", "2", "3", "4", "130"]


def test_every_extra_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in project.get("optional-dependencies", {}):
        assert f"piiscan-toolkit[{extra}]" in ALL


def test_every_make_target_is_explained() -> None:
    targets = re.findall(r"^(?!\.)([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert targets
    assert not [t for t in targets if f"make {t}" not in ALL]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", TEXT[page], flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), f"{name(page)} links to {target}"
        if anchor:
            titles = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in titles}, (
                f"{name(page)} links to #{anchor}"
            )


SNIPPETS = [
    (name(page), i, code)
    for page in PAGES
    for i, code in enumerate(re.findall(r"^```python\n(.*?)^```$", TEXT[page], re.DOTALL | re.MULTILINE))
]


@pytest.mark.parametrize("code", [s[2] for s in SNIPPETS], ids=[f"{s[0]}-{s[1]}" for s in SNIPPETS])
def test_python_in_the_documentation_runs(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here, where other tests may have imported more of the package than the example does: so what it takes from
    `piiscan` must be among the names that `import piiscan` gives."""
    used = {
        node.attr
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "piiscan"
    }
    assert used <= set(piiscan.__all__)
    monkeypatch.chdir(ROOT)
    exec(compile(code, "example", "exec", dont_inherit=True), {"__name__": "__main__"})


def test_configuration_in_the_documentation_loads(tmp_path: Path) -> None:
    snippets = re.findall(
        r"^```toml\n(.*?)^```$",
        "".join(TEXT[ROOT / "docs" / name] for name in ("configuration.md", "repository.md", "scanning.md")),
        re.DOTALL | re.MULTILINE,
    )
    assert snippets
    for snippet in snippets:
        (tmp_path / "piiscan.toml").write_text(snippet, encoding="utf-8")
        done = documentation.run_piiscan("config", "show", cwd=tmp_path)
        assert done.returncode == 0, done.stderr


def test_the_version_is_in_the_changelog_or_still_unreleased() -> None:
    from piiscan import __version__

    text = TEXT[ROOT / "CHANGELOG.md"]
    assert f"## [{__version__}]" in text or "## [Unreleased]" in text


def test_every_field_of_a_rule_is_explained() -> None:
    from dataclasses import fields

    from piiscan.rules.definitions import Rule

    rows = re.findall(r"^\| (`.*?) \|", section("docs/rules.md", "Fields"), re.MULTILINE)
    assert sorted(word for row in rows for word in re.findall(r"`(\w+)`", row)) == sorted(f.name for f in fields(Rule))


def test_the_examples_of_rules_hold(tmp_path: Path) -> None:
    """With the plug-in of the page installed, whose check one of them uses."""
    page = TEXT[ROOT / "docs" / "rules.md"]
    blocks = re.findall(r"^```(toml|python)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    examples = [text for kind, text in blocks if kind == "toml" and "[[rule]]" in text]
    assert len(examples) > 1
    (tmp_path / "rules").mkdir()
    for i, example in enumerate(examples):
        (tmp_path / "rules" / f"acme-{i}.toml").write_text(example, encoding="utf-8")
    (code,) = (text for kind, text in blocks if kind == "python" and "acme_checks" in text)
    (entry,) = (text for kind, text in blocks if "acme_checks" in text and "entry-points" in text)
    (tmp_path / "acme_checks.py").write_text(code, encoding="utf-8")
    points = tomllib.loads(entry)["project"]["entry-points"]["piiscan.checks"]
    info = tmp_path / "acme_checks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-checks\nVersion: 1.0\n", encoding="utf-8")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[piiscan.checks]\n{lines}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "piiscan", "rules", "test", tmp_path / "rules"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_key_of_the_configuration_is_explained() -> None:
    from piiscan.scanning.configuration import SCHEMA

    table = section("docs/configuration.md", "Keys")
    named = set(re.findall(r"`(?:\[\[)?(\w+)(?:\]\])?`", table))
    nested = {
        key for part in SCHEMA["properties"].values() if "items" in part for key in part["items"].get("properties", ())
    }
    assert set(SCHEMA["properties"]) | nested <= named


WITH_EXAMPLES = [path for path in sorted((ROOT / "piiscan").rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=name)
def test_examples_in_docstrings(path: Path) -> None:
    module = importlib.import_module(
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    )
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("*.lock")))
def test_a_lock_pins_versions_and_names_no_place(lock: str) -> None:
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.lstrip().startswith("#")]
    assert pins
    assert not [line for line in pins if not re.fullmatch(r"[\w.-]+==[\w.!+-]+( ; .+)?", line)]
    assert "://" not in "\n".join(lines)


def test_the_extra_all_is_every_other_extra_but_for_engines() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for engine in ("dask", "federated", "ray", "spark"):
        extras.pop(engine)
    assert sorted(extras.pop("all")) == sorted({requirement for group in extras.values() for requirement in group})
