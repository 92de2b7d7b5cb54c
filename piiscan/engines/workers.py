"""What runs on a worker: its errors tell no cell value, and the driver gives them back as what they were."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from piiscan.core import errors
from piiscan.core.errors import PiiscanError, ReadError, type_and_place

R = TypeVar("R")

_SAID: Final = re.compile(
    r"(piiscan\.core\.errors\.|External error: )(\w+): (.*?)(?:\n\s*\n|\n  File |\n\tat |\Z)", re.DOTALL
)
"""A piiscan error within an engine's message about a worker; the second is how Sail quotes one of the step before."""


@contextmanager
def guarded() -> Iterator[None]:
    """What goes wrong in here is one of our errors.

    Another one is reported by its type and place only, as its message may quote a cell.
    """
    try:
        yield
    except PiiscanError:
        raise
    except MemoryError:
        raise ReadError("not enough memory on a worker; give it more, or cut the table into more partitions") from None
    except Exception as error:
        if (found := _within(error)) is not None:  # of the step before, whose rows this one reads
            raise found from None
        raise ReadError(f"internal error on a worker ({type_and_place(error)}); please report it") from None


def on_engine(run: Callable[[], R]) -> R:
    """What an engine gives; where a worker ended with one of our errors, that error."""
    try:
        return run()
    except PiiscanError:
        raise
    except Exception as error:
        if (found := _within(error)) is None:
            raise
        raise found from None


def _within(error: Exception) -> PiiscanError | None:
    """The error of ours that an engine quotes in its own."""
    if (found := _SAID.search(str(error))) is None:
        return None
    kind = getattr(errors, found[2], None)
    if not (isinstance(kind, type) and issubclass(kind, PiiscanError)):
        if not found[1].startswith("piiscan"):
            return None
        kind = ReadError
    return kind(" ".join(found[3].split()))
