"""What the results of all verbs have in common."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piiscan.core.errors import UsageError, WriteError
from piiscan.core.whole_file import write_whole

Fact = tuple[str, str | int | float | bool | None]


class Result:
    """The report of one verb.

    It is available as plain data (`to_dict`), as JSON (`to_json`), as a file (`save`), and displayed as a few
    figures, none of which is a cell value.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def to_dict(self) -> dict[str, Any]: ...

        def _facts(self) -> Iterator[Fact]:
            """What its few figures are, by name. No cell value, and no name of a column, which could be one."""
            ...

    def to_json(self) -> str:
        """The report as one JSON object, indented, ending in a line end."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all, in the form that its ending asks for: `.json` is what `to_json` gives.

        A file of this name is written over. Raises `UsageError` for another ending, and `WriteError`.
        """
        if not isinstance(path, str | os.PathLike):
            raise UsageError(f"path must be a path to write to, not an object of type {type(path).__name__}")
        file, forms = Path(path), self._forms()
        if (ending := file.suffix.lower()) not in forms:
            raise UsageError(f"{file}: the extension decides what is written; use one of {', '.join(forms)}")
        content = forms[ending](file)
        try:
            write_whole(file, content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise WriteError(f"{file} can't be written: {error.strerror or type(error).__name__}") from None

    def _forms(self) -> dict[str, Callable[[Path], str | bytes]]:
        """What is written to a file, by its ending."""
        return {".json": lambda _: self.to_json()}

    def __repr__(self) -> str:
        return f"<piiscan.{type(self).__name__} {', '.join(f'{name}={value}' for name, value in self._facts())}>"

    def __rich_repr__(self) -> Iterator[Fact]:
        """For consoles that use rich."""
        return self._facts()

    def _repr_html_(self) -> str:
        """For notebooks."""
        from html import escape

        rows = "".join(
            f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{escape(str(value))}</td></tr>"
            for name, value in self._facts()
        )
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"


class RowsResult(Result):
    """A result that contains rows, too: as a frame, and saved by the extension of a table file.

    Extensions are `.csv`, `.tsv`, `.parquet`, `.arrow` and `.jsonl`.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def to_frame(self) -> Any: ...

    def _forms(self) -> dict[str, Callable[[Path], str | bytes]]:
        from piiscan.core import row_files

        def rows(path: Path) -> bytes:
            return row_files.content(self.to_frame(), path)

        return {**super()._forms(), **{ending: rows for ending in row_files.ENDINGS if ending != ".json"}}
