"""Commands of many options: `--help` shows the usual ones, `--help-all` every one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

_ALL = "piiscan.help_all"
"""Set in a context's `meta` while every option is shown."""


class ManyOptions(click.Command):
    """A command whose help leaves out options that few people need. `usual`: the names of the parameters it shows."""

    def __init__(self, *args: Any, usual: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.usual = frozenset(usual)
        if unknown := self.usual - {parameter.name for parameter in self.params}:
            raise ValueError(f"{self.name} has no parameter {', '.join(sorted(unknown))}")
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help=f"Show all {sum(isinstance(p, click.Option) for p in self.params)} options and exit.",
            )
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = [
            record
            for parameter in self.get_params(ctx)
            if ctx.meta.get(_ALL)
            or parameter.name in self.usual
            or parameter in (*self.params[-1:], ctx.command.get_help_option(ctx))
            if (record := parameter.get_help_record(ctx)) is not None
        ]
        with formatter.section("Options" if ctx.meta.get(_ALL) else "Usual options"):
            formatter.write_dl(shown)


def _show_all(ctx: click.Context, parameter: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
