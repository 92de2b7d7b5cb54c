"""Documentation that can't go stale: what it shows is what the program prints.

`<!-- shows: piiscan … -->` before a fenced block: the block is what that command prints.
`<!-- lists: rules -->` up to `<!-- end -->`: the text between is made from the rules; so with operators and schemas.
`PICTURES`: what a terminal shows, as SVG.
`python tests/documentation.py` writes all of them, and the table of rules' collisions; `test_docs.py` and
`test_collisions.py` compare.
"""

from __future__ import annotations

import html
import inspect
import io
import json
import re
import shlex
from dataclasses import MISSING, Field, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import golden_collisions
import guarantees
import tutorial
from conftest import ROOT, run_piiscan

SHOWS = re.compile(
    r"(?P<head><!-- shows: (?P<what>piiscan .+?) -->\n```text\n)(?P<body>.*?)(?P<tail>^```$)", re.DOTALL | re.MULTILINE
)
LISTS = re.compile(
    r"(?P<head><!-- lists: (?P<what>\w+) -->\n)(?P<body>.*?)(?P<tail>^<!-- end -->$)", re.DOTALL | re.MULTILINE
)
GENERATED_HELP = ROOT / "docs" / "cli.md"
WIDTH = 100
PICTURES = {
    ROOT / "docs" / "images" / "scan.svg": (
        "piiscan scan examples/people.csv examples/tickets.csv.gz examples/sensors.csv"
    )
}


def pages() -> list[Path]:
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "benchmarks").glob("*.md")),
        ROOT / "models" / "README.md",
    ]


@cache
def output(command: str) -> str:
    """What a `piiscan …` command prints on standard output, or on standard error if it ends with `2>&1 >/dev/null`. An
    internal error or wrong usage is no output to show."""
    typed = command.removesuffix(" 2>&1 >/dev/null")
    done = run_piiscan(*shlex.split(typed)[1:], width=WIDTH)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"{command} ended with status {done.returncode}: {done.stderr}")
    printed = done.stdout if typed == command else done.stderr
    return "".join(line.rstrip() + "\n" for line in printed.rstrip().splitlines())


def rules() -> str:
    """A table of the shipped rules a file, with who issues the number and where that is described."""
    import tomllib

    lines = []
    for path in sorted((ROOT / "rules").glob("*.toml")):
        lines += [f"## {path.name}", "", "| rule | entity | what | authority |", "|---|---|---|---|"]
        for rule in tomllib.loads(path.read_text(encoding="utf-8"))["rule"]:
            entity = rule["entity"] + (f" ({rule['subtype']})" if "subtype" in rule else "")
            authority = rule.get("authority", "")
            link = f"[{authority or 'source'}]({rule['link']})" if "link" in rule else authority
            lines.append(
                "| "
                + " | ".join(cell.replace("|", "\\|") for cell in (f"`{rule['id']}`", entity, rule["title"], link))
                + " |"
            )
        lines.append("")
    return "\n" + "\n".join(lines)


def operators() -> str:
    """Each operator with its parameters and its docstring."""
    from piiscan.masking.operators import operator_registry

    lines = []
    for name, place in sorted(operator_registry.BUILT_IN.items()):
        module, _, attribute = place.partition(":")
        operator = getattr(import_module(module), attribute)
        lines += ["", f"## {name}", ""]
        described, _, guarantee = (inspect.getdoc(operator) or "").partition("Guarantee:\n")
        lines += [described.strip(), ""]
        parameters = [field for field in fields(operator) if not field.name.startswith("_")]
        if parameters:
            lines += ["| parameter | type | default |", "|---|---|---|"]
            lines += [f"| `{field.name}` | {_type(field)} | {_default(field)} |" for field in parameters]
            lines.append("")
        lines += ["Guarantee:", "", *guarantees.items(guarantee)]
    return "\n".join(lines) + "\n\n"


def _type(field: Field[Any]) -> str:
    # A bar ends a cell, and the site and code hosts differ in how they read an escaped one within backticks.
    return f"<code>{html.escape(str(field.type), quote=False).replace('|', '&#124;')}</code>"


def _default(field: Field[Any]) -> str:
    return "required" if field.default is MISSING and field.default_factory is MISSING else f"`{field.default!r}`"


def schemas() -> str:
    """The JSON schemas of what commands write, by what stands in them."""
    rows = []
    for path in sorted((ROOT / "piiscan" / "report" / "schemas").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        keys = ", ".join(f"`{key}`" for key in schema["properties"])
        rows.append(f"| [{path.name}](../piiscan/report/schemas/{path.name}) | {schema['title']} | {keys} |")
    return "\n" + "\n".join(["| schema | what it describes | keys of the document |", "|---|---|---|", *rows]) + "\n\n"


MADE = {"rules": rules, "operators": operators, "schemas": schemas}


def picture(command: str) -> str:
    """What a terminal shows of a command, as SVG that loads nothing from elsewhere."""
    from rich.console import Console
    from rich.text import Text

    shown = run_piiscan(*shlex.split(command)[1:], width=WIDTH, colours=True).stdout
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ {command}\n", style="bold"), Text.from_ansi(shown.rstrip("\n")), sep="\n")
    drawn = console.export_svg(title="piiscan", unique_id="piiscan")
    without_fonts = re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)
    return re.sub(r"[ \t]+$", "", without_fonts, flags=re.MULTILINE)


def rendered(text: str) -> str:
    """A page with every generated part as it should be now."""
    text = SHOWS.sub(lambda m: m["head"] + output(m["what"]) + m["tail"], text)
    return LISTS.sub(lambda m: m["head"] + MADE[m["what"]]() + m["tail"], text)


def commands() -> dict[str, list[str]]:
    """Every command as it is typed → its options."""
    import click

    from piiscan.cli import cli

    def walk(command: click.Command, name: str) -> dict[str, list[str]]:
        found = {name: [o for p in command.params if isinstance(p, click.Option) for o in (*p.opts, *p.secondary_opts)]}
        if isinstance(command, click.Group):
            context = click.Context(command, info_name=name)
            for sub in command.list_commands(context):
                found |= walk(command.get_command(context, sub), f"{name} {sub}")  # type: ignore[arg-type]
        for sub, beside in getattr(command, "beside", {}).items():
            found |= walk(beside, f"{name} {sub}")
        return found

    return walk(cli, "piiscan")


def command_page(old: str) -> str:
    """docs/cli.md: what stands before the first command stays; after it, every command with its help."""
    head = old.partition("\n## `piiscan`\n")[0]
    parts = []
    for name, options in commands().items():
        asks = ("--help", "--help-all") if "--help-all" in options else ("--help",)
        parts.append(f"\n## `{name}`\n")
        parts += [f"\n<!-- shows: {name} {ask} -->\n```text\n```\n" for ask in asks]
    return head + "".join(parts)


def main() -> None:
    GENERATED_HELP.write_text(command_page(GENERATED_HELP.read_text(encoding="utf-8")), encoding="utf-8")
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = rendered(before)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")
    for path, command in PICTURES.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(picture(command), encoding="utf-8")
    golden_collisions.write()
    tutorial.write()


if __name__ == "__main__":
    main()
