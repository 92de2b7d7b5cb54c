"""From paths to tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from piiscan.errors import ReadError
from piiscan.io.content import Content, os_reason
from piiscan.io.delimited import tables
from piiscan.io.encoding import detect
from piiscan.io.options import ReadOptions
from piiscan.types import NotScanned, Skipped, Table


def inputs(paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None) -> Iterator[Table | NotScanned | Skipped]:
    for path in paths:
        names = [path] if not Path(path).is_dir() else [str(p) for p in sorted(Path(path).rglob("*")) if p.is_file()]
        for name in names:
            content = Content(Path(name).as_posix(), name)
            try:
                head = content.head()
                encoding = detect(head, False, options.encoding)
                if encoding is None:
                    yield Skipped(name, "binary")
                    continue
                yield from tables(content, encoding, options.for_source(name), False) or ()
            except ReadError as error:
                yield NotScanned(name, str(error))
            except OSError as error:
                yield NotScanned(name, os_reason(error))
