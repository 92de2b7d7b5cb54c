"""The glossary has an entry for each term, in order, and the tutorial prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tutorial
from conftest import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^## (.*)$", GLOSSARY, re.MULTILINE)


def test_the_tutorial_prints_what_it_shows(tmp_path: Path) -> None:
    found = tutorial.steps(tmp_path)
    assert len(found) > 10
    for block, printed in found:
        if block["printed"] is not None:
            shown = tutorial.alike(block["printed"], block["differs"])
            assert tutorial.alike(printed, block["differs"]) == shown, f"{block['command']}: run `make format`"


def test_the_tutorial_goes_through_every_stage() -> None:
    page = tutorial.PAGE.read_text(encoding="utf-8")
    stages = "scan explain plan mask verify risk anonymize protect summarize budget synthesize evaluate".split()
    commands = "".join(block["command"] or "" for block in tutorial.BLOCK.finditer(page))
    assert [stage for stage in stages if f"piiscan {stage} " not in commands] == []
    assert page.count("```text") == sum(b["printed"] is not None for b in tutorial.BLOCK.finditer(page))


def test_the_glossary_is_in_alphabetical_order() -> None:
    assert TERMS[-1] == "Sources"
    terms = [term.casefold() for term in TERMS[:-1]]
    assert terms == sorted(terms) and len(set(terms)) == len(terms)


def test_every_term_is_explained_in_a_few_sentences() -> None:
    for term, text in re.findall(r"^## (.*)\n\n((?:.|\n)*?)(?=^## )", GLOSSARY, re.MULTILINE):
        assert 8 < len(text.split()) < 100, term


def test_every_source_that_an_entry_names_is_listed() -> None:
    entries, _, sources = GLOSSARY.partition("\n## Sources\n")
    cited = {
        part.strip()
        for brackets in re.findall(r"\[([A-Z][^\]()]*\d[^\]]*)\](?!\()", entries)
        for part in brackets.split(";")
    }
    assert len(cited) > 20
    for source in cited:
        name, year = source.split()[0].strip(","), re.search(r"(?:19|20)\d\d", source)
        assert name in sources, source
        assert not year or any(name in line and year[0] in line for line in sources.splitlines()), source


PROSE = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if page.name not in ("cli.md", "rules-list.md")  # made from the program's texts
]
PUZZLING = re.compile(
    r"rows of nobody|tells? of (?:some|no|any)body|tells? (?:hardly|nearly) anything|told apart|\bkin\b|given away"
    r"|in earnest|comes of it|(?:stand|lie)s? in (?:the|a|its|their)\b|goes by (?:the|its)\b|is (?:called|said) so\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.stem)
def test_pages_are_in_plain_words(page: Path) -> None:
    """Idioms that readers stumbled over stay out of the pages; blocks show what the program prints."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert not [found[0] for found in PUZZLING.finditer(" ".join(text.split()))]


@pytest.mark.parametrize(
    "page",
    """risk anonymizing protecting aggregates private-summaries private-learning synthetic-data evaluation techniques
    masking detection""".split(),
)
def test_manual_pages_link_their_terms(page: str) -> None:
    assert "](glossary.md#" in (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
