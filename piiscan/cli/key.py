"""`piiscan key`: makes a key, and identifies keys."""

from __future__ import annotations

from pathlib import Path

import click

from piiscan.cli import options, output


@click.group()
def key() -> None:
    """Make a key, and identify keys.

    Anyone with the key can undo masks and link everything that was masked with it: keep it separate from the data.
    Commands that need one read the environment variable PIISCAN_KEY, or what --key names: env:NAME, file:PATH, or
    command:CMD, whose output is the key.
    """


@key.command()
@options.output("A new file, readable only by you.", dash="stdout")
def new(target: Path | None) -> int:
    """Make a random key of 32 bytes.

    Without -o it goes to standard output. An existing file is never overwritten.
    """
    from piiscan.core import keys

    if target is None:
        output.data(keys.new() + "\n")
    else:
        made = keys.write_new(target)
        output.say(
            f"Wrote {target} (key {made.id}). To use it:  --key file:{target}, or set PIISCAN_KEY to its content"
        )
    return 0


@key.command("id")
@click.option(
    "--key", "spec", metavar="SPEC", help="Where the key is: env:NAME, file:PATH, command:CMD (env:PIISCAN_KEY)."
)
def identify(spec: str | None) -> int:
    """Print the public id of a key, by which plans and reports name it."""
    from piiscan.core import keys

    output.data(keys.Key.load(spec).id + "\n")
    return 0
