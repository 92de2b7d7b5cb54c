"""`piiscan completion`: click's own shell completion."""

from __future__ import annotations

import click

from piiscan.cli import output


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    For bash, put  eval "$(piiscan completion bash)"  into ~/.bashrc; likewise for zsh; for fish, save it as
    ~/.config/fish/completions/piiscan.fish.
    """
    from click.shell_completion import get_completion_class

    from piiscan.cli import cli

    found = get_completion_class(shell)
    assert found is not None
    complete = found(cli, {}, "piiscan", "_PIISCAN_COMPLETE")
    # The script alone: click's `source` for bash first runs the shell to ask its version.
    output.data(complete.source_template % complete.source_vars())
