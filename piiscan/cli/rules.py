"""`piiscan rules`: lists, shows and tests rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from piiscan.cli import options, output

if TYPE_CHECKING:
    from piiscan.rules.definitions import Rule, RuleSet

COLLISIONS_SHOWN = 20


@click.group()
def rules() -> None:
    """List, show and test rules."""


@rules.command("list")
@click.option(
    "--rules",
    "folders",
    multiple=True,
    type=options.FOLDER,
    metavar="DIR",
    help="A folder with rules of your own (repeatable).",
)
@click.option(
    "-f",
    "--format",
    "kind",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="The output format.",
)
def list_rules(folders: tuple[Path, ...], kind: str) -> None:
    """List the rules, by entity."""
    import json

    from piiscan.core.entities import PII_CLASS

    found = sorted(_load(folders).rules, key=lambda r: (r.entity, r.id))
    if kind == "json":
        keys = ("id", "entity", "subtype", "country", "title", "authority", "link")
        output.data(
            json.dumps(
                [{**{k: getattr(r, k) for k in keys}, "pii": PII_CLASS[r.entity]} for r in found],
                indent=2,
                ensure_ascii=False,
            )
            + "\n"
        )
        return
    widths = [max([len(h), *(len(getattr(r, h)) for r in found)]) for h in ("id", "entity")]
    lines = [f"{r.id:{widths[0]}}  {r.entity:{widths[1]}}  {PII_CLASS[r.entity]:9}  {r.title}" for r in found]
    output.data("".join(f"{line}\n" for line in lines))
    output.say(f"{len(found)} rules; `piiscan explain ID` describes one")


@rules.command()
@click.argument("rule_id", metavar="ID")
@click.option(
    "--rules",
    "folders",
    multiple=True,
    type=options.FOLDER,
    metavar="DIR",
    help="A folder with rules of your own (repeatable).",
)
def show(rule_id: str, folders: tuple[Path, ...]) -> None:
    """Print one rule as it would be written in a rules file."""
    from piiscan.core.errors import UsageError
    from piiscan.rules.definitions import suggestion

    found = _load(folders)
    if rule_id not in found.by_id:
        raise UsageError(f"there is no rule {rule_id!r}{suggestion(rule_id, found.by_id)}; see `piiscan rules list`")
    output.data(as_toml(found.by_id[rule_id]))


@rules.command(short_help="Test the examples of your own rules.")
@click.argument("folders", nargs=-1, type=options.FOLDER)
def test(folders: tuple[Path, ...]) -> int:
    """Test the rules in FOLDERS (by default, the ones that ship with piiscan).

    Every rule is validated, its examples are tried, and its chance is measured. Examples that other rules match too
    are listed: this is no error, but the check or pattern may be too loose.
    """
    from piiscan.rules import chance
    from piiscan.rules import definitions as model
    from piiscan.scanning import configuration

    shipped = _load(())
    folders = configuration.rule_folders(folders)
    own = model.load_folder(folders[0]) if folders else shipped
    for folder in folders[1:]:
        own += model.load_folder(folder)
    everything = shipped + own if folders else shipped
    wrong = [(r.id, problem) for r in own.rules for problem in model.verify(r)]
    if folders:
        wrong += [(r.id, problem) for r in own.rules for problem in chance.verify(r)]
    for rule_id, problem in wrong:
        output.data(f"{rule_id}: {problem}\n")
    shared = collisions(own, everything) if folders else []
    for rule_id, other, example in shared[:COLLISIONS_SHOWN]:
        output.data(f"note: {rule_id}: {example!r} matches {other} too\n")
    if len(shared) > COLLISIONS_SHOWN:
        output.data(f"note: {len(shared) - COLLISIONS_SHOWN} more examples match other rules too\n")
    examples = sum(len(r.match) + len(r.no_match) + len(r.header_match) + len(r.header_no_match) for r in own.rules)
    output.say(f"{len(own.rules)} rules, {examples} examples, {len(wrong)} wrong")
    return 2 if wrong else 0


def _load(folders: tuple[Path, ...]) -> RuleSet:
    from piiscan.rules import rule_sets
    from piiscan.scanning import configuration

    return rule_sets.load(configuration.rule_folders(folders))


class Collision(NamedTuple):
    """An example of a rule that another rule matches as well. Examples come from their authors, not from data."""

    rule: str
    other: str
    example: str


def collisions(own: RuleSet, everything: RuleSet) -> list[Collision]:
    others = [r for r in everything.rules if r.pattern is not None or r.values]
    examples = [(rule, example) for rule in own.rules for example in rule.match]
    return [
        Collision(rule.id, other.id, example)
        for rule, example in examples
        for other in others
        if other.id != rule.id and other.fullmatch(example)
    ]


def as_toml(rule: Rule) -> str:
    """Return a `[[rule]]` table with what differs from the defaults."""
    from dataclasses import MISSING, fields

    from piiscan.scanning.configuration import toml_value

    lines = ["[[rule]]"]
    for f in fields(rule):
        value = getattr(rule, f.name)
        if f.default is MISSING or value != f.default:
            lines.append(f"{f.name} = {toml_value(value)}")
    return "\n".join(lines) + "\n"
