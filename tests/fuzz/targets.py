"""What coverage-guided fuzzing calls with bytes: each target must take any of them and raise nothing but the errors
that piiscan raises on purpose."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from piiscan.core.errors import PiiscanError
from piiscan.io.content import ReadTable
from piiscan.io.inputs import discover
from piiscan.io.read_options import ReadOptions

from . import corpus
from .needles import NEEDLES
from .oracle import standing_in


def _tables(data: bytes, name: str) -> None:
    """Read a file to its end. Raises AssertionError where a needle of a text is in no cell and nothing is said."""
    with tempfile.TemporaryDirectory(prefix="piiscan-fuzz-") as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        cells: list[str] = []
        said = False
        for item in discover([str(path)], ReadOptions()):
            if not isinstance(item, ReadTable):
                said = True
                continue
            cells += [field.name or "" for field in item.info.fields]
            try:
                for batch in item.batches():
                    cells += [str(cell) for column in batch.frame.iter_columns() for cell in column.to_list()]
            except PiiscanError:
                said = True
        if not said and name.endswith(("csv", "txt")):
            read = "\n".join(cells)
            missed = [entity for entity in standing_in(data) if NEEDLES[entity] not in read]
            assert not missed, f"{missed} in no cell"


def dialects(data: bytes) -> None:
    """Which delimiter, quotes and header a text has."""
    _tables(data, "a.csv")


def encodings(data: bytes) -> None:
    """Which encoding a text has."""
    _tables(data, "a.txt")


def json(data: bytes) -> None:
    """JSON, whole or by lines."""
    _tables(data, "a.json")


def archives(data: bytes) -> None:
    """Zip, tar, and compressed streams."""
    _tables(data, "a.zip")


def contents(data: bytes) -> None:
    """Whatever the bytes say they are."""
    _tables(data, "data")


def plans(data: bytes) -> None:
    """Plans of masks, as TOML."""
    from piiscan.masking.plan import plan_toml

    with contextlib.suppress(PiiscanError, UnicodeDecodeError):
        plan_toml.loads(data.decode())


def configurations(data: bytes) -> None:
    """Configurations, as TOML."""
    from piiscan.scanning import configuration

    with tempfile.TemporaryDirectory(prefix="piiscan-fuzz-") as folder:
        path = Path(folder, "piiscan.toml")
        path.write_bytes(data)
        with contextlib.suppress(PiiscanError):
            configuration.load(path)


def seeds(target: str) -> list[bytes]:
    """Where a target begins: clean files of the kinds that it is for."""
    import random

    toml = [
        b'version = 2\npolicy = "default"\n[[tables]]\nsource = "a.csv"\n[tables.columns]\na = {entity = "US_SSN"}\n'
    ]
    if target == "plans":
        return toml
    if target == "configurations":
        allow = b'select = ["US_SSN"]\n[[allow]]\npath = "a.csv"\nreason = "x"\n'
        return [allow + b'[[columns]]\npath = "*"\ncolumn = "a"\nis = "FREE_TEXT"\n']
    ends = {
        "dialects": ("csv", "txt", "tsv", "dat"),
        "encodings": ("csv",),
        "json": ("json", "jsonl"),
        "archives": ("zip", "tar", "gz", "tgz", "bz2", "xz", "zst"),
    }.get(target)
    kinds = [k for k in corpus.KINDS.values() if ends is None or k.name.endswith(ends)]
    return [kind.make(random.Random(1), {kind.parts[0]: NEEDLES["EMAIL_ADDRESS"]}) for kind in kinds]


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    target.__name__: target for target in (dialects, encodings, json, archives, contents, plans, configurations)
}
