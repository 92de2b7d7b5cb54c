"""What runs on a worker: its errors tell no cell value, and the driver gives them back as what they were."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from piiscan.core import errors
from piiscan.core.errors import PiiscanError, ReadError, type_and_place

R = TypeVar("R")

_SAID: Final = re.compile(r"piiscan\.core\.errors\.(\w+): (.*?)(?:\n\s*\n|\n  File |\n\tat |\Z)", re.DOTALL)
"""A piiscan error within an engine's message about a worker."""


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
        raise ReadError(f"internal error on a worker ({type_and_place(error)}); please report it") from None


def on_engine(run: Callable[[], R]) -> R:
    """What an engine gives; where a worker ended with one of our errors, that error."""
    try:
        return run()
    except PiiscanError:
        raise
    except Exception as error:
        if (found := _SAID.search(str(error))) is None:
            raise
        kind = getattr(errors, found[1], None)
        if not (isinstance(kind, type) and issubclass(kind, PiiscanError)):
            kind = ReadError
        raise kind(" ".join(found[2].split())) from None
