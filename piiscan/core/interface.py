"""The interface that is in use: errors name options to users of commands, and parameters to callers of Python.

Messages are written in the words of the command line. What is public in Python has them put into its own on their way
out, unless a command has called it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar

from piiscan.core.errors import PiiscanError
from piiscan.core.lazy_pattern import lazy_pattern

P = ParamSpec("P")
R = TypeVar("R")

_by_command: ContextVar[bool] = ContextVar("by_command", default=False)

_RENAMED: Final = {"entity": "entities", "rows": "n"}
"""Options whose parameter has another name."""
_WORDS: Final = "file:[A-Za-z]+|local|nested|optimal|suppress"
"""Values that follow options in messages and aren't words of the sentence."""
_SAID: Final[tuple[tuple[str, str], ...]] = (
    (r" \(--keep-unverified writes it anyway\)", ""),
    (r"\(--memory, piiscan\.allow_memory\)", "(piiscan.allow_memory)"),
    (r"--memory", "piiscan.allow_memory"),
    (r"--header and --no-header say", "header=True and header=False say"),
    (r"--no-header", "header=False"),
    (r"--header\b", "header=True"),
    (r"--(one-row-per-person|overwrite|resume)", r"\1=True"),
    (r"--bounds (.+?)=LOW:HIGH", r'bounds={"\1": (LOW, HIGH)}'),
    (r"--bounds (\w+)=(\d+):(\d+)", r'bounds={"\1": (\2, \3)}'),
    (r"--categories (\S+?)=[Aa],[Bb](,[Cc])?", r'categories={"\1": ["A", "B"]}'),
    (r"--entity (.+?)=([A-Z]+)", r'entities={"\1": "\2"}'),
    (r"--(estimate-bounds|private-keys|private-bins) ([^\s-]\S*)", r'\1=["\2"]'),
    (r"--unit (\S+) \(--max-rows", r'unit="\1" (max_rows='),
    (r"--([a-z-]+) (optimal|local) or (local|optimal)", r'\1="\2" or "\3"'),
    (rf"--([a-z-]+) ({_WORDS})(?![\w-])", r'\1="\2"'),
    (r"--([a-z-]+) (\d(?:[\w.-]*\d)?)", r"\1=\2"),
    (r"--([a-z-]+) ([A-Z]{2,})(?![\w-])", r"\1=\2"),
    (r"--([a-z-]+)", r"\1="),
    (r"max-rows", "max_rows"),
    (r"`piiscan plan`", "piiscan.plan"),
)
"""How each way to name an option, or the command that makes a plan, reads in Python. The first match counts."""
_EITHER: Final = lazy_pattern(
    r"(?:(?<![\w-])|(?= ))(?:" + "|".join(f"(?P<p{i}>{pattern})" for i, (pattern, _) in enumerate(_SAID)) + ")"
)


@contextmanager
def command_line() -> Iterator[None]:
    """While a command runs, errors keep its words."""
    token = _by_command.set(True)
    try:
        yield
    finally:
        _by_command.reset(token)


def in_python(message: str) -> str:
    """A message in Python's words.

    >>> in_python("name them with --quasi; or use --method optimal, or --new-columns suppress")
    'name them with quasi=; or use method="optimal", or new_columns="suppress"'
    """

    def said(found: re.Match[str]) -> str:
        pattern, template = next(_SAID[i] for i in range(len(_SAID)) if found[f"p{i}"] is not None)
        parts = re.fullmatch(pattern, found[0])
        assert parts is not None
        text = parts.expand(template)
        name, equals, value = text.partition("=")
        name = name.replace("-", "_") if equals else name
        return f"{_RENAMED.get(name, name)}{equals}{value}"

    return _EITHER.sub(said, message)


def speaks_python(function: Callable[P, R]) -> Callable[P, R]:
    """A public function: what it raises names parameters, not options."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except PiiscanError as error:
            if not _by_command.get() and error.args and isinstance(error.args[0], str):
                error.args = (in_python(error.args[0]), *error.args[1:])
            raise

    return call
