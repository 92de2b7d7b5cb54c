"""Synthetic tables that refer to each other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from piiscan.core.results import Fact, Result
from piiscan.dp.result import Json


@dataclass(frozen=True, slots=True, repr=False)
class SyntheticTables(Result):
    """Synthetic tables and the release that they were drawn from.

    `text`: the release (JSON, always the same for the same query); `repeated`: whether it had been released before.
    `frames`: the rows of each table by its name, at no further cost; of pandas or pyarrow if the data were.
    `left_out`: for each table, the indices and names of columns that aren't declared. `made_up`: for each table, the
    names of columns with made-up people, which aren't drawn from the release. `constraints`: for each table, what its
    rows satisfy, as texts.
    """

    text: str
    repeated: bool
    frames: Mapping[str, Any]
    left_out: Mapping[str, tuple[tuple[int, str], ...]]
    made_up: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    constraints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def to_dict(self) -> Json:
        """Return the release as plain data."""
        release: Json = json.loads(self.text)
        return release

    def to_json(self) -> str:
        """Return the text of its JSON document, as the command writes it; it ends with a line break."""
        return self.text

    def _facts(self) -> Iterator[Fact]:
        privacy = self.to_dict()["privacy"]
        yield "tables", len(self.frames)
        yield "rows", sum(len(frame) for frame in self.frames.values())
        yield "epsilon", privacy["epsilon"]
        yield "delta", privacy["delta"]
        yield "repeated", self.repeated
