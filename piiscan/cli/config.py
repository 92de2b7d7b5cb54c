"""`piiscan config`: the configuration and its schema."""

from __future__ import annotations

from pathlib import Path

import click

from piiscan.cli import options, output


@click.group()
def config() -> None:
    """Show the configuration, or its schema.

    It is piiscan.toml, or [tool.piiscan] in pyproject.toml, in this folder or in one above it, up to the root of the
    repository.
    """


@config.command()
@click.option(
    "--config", "config_file", type=options.FILE, metavar="FILE", help=("Use this configuration; don't search for one.")
)
def show(config_file: Path | None) -> None:
    """Print the settings in force, as TOML."""
    from piiscan.scanning.configuration import to_toml

    found = options.load_config(config_file)
    output.data(to_toml(found))
    output.say(f"from {found.file}" if found.file else "no configuration file found: these are the defaults")


@config.command()
def schema() -> None:
    """Print the JSON schema of the configuration."""
    import json

    from piiscan.scanning.configuration import SCHEMA

    output.data(json.dumps(SCHEMA, indent=2) + "\n")
