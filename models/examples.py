"""Tables to learn from, as the model sees them: labelled ones in variants, and generated ones.

Variants of a labelled table: as it is (`full`), without headers (`blank`), some of its rows (`few`), those without
headers (`few blank`), and with the headers of labelled columns in another language (`foreign`). A variant is a whole
table, so that columns are learned beside their neighbours.
"""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import generate_schemas
import labelled
import numpy as np
import polars as pl

from piiscan.core.types import Field, TableInfo
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.classify.candidates import judge
from piiscan.scanning.classify.column_features import Features, features
from piiscan.scanning.classify.column_model import NONE
from piiscan.scanning.classify.header_prefix import fields_as_read
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.classify.table_signals import table_signals

SEED = 0
FEW_ROWS = (3, 20)
WEIGHT = {"full": 1.0, "blank": 0.7, "few": 0.5, "few blank": 0.4, "foreign": 0.5}
"""How much a column of a variant counts."""
GENERATED = 0.35
"""How much a generated column counts beside a labelled one."""


@dataclass(frozen=True)
class Label:
    """What a column is. `accepted`: entities (NONE among them) that are right; `pii`: its class here."""

    target: str
    accepted: frozenset[str]
    pii: str
    weight: float


@dataclass(frozen=True)
class Variant:
    """A table as it is to be judged. `summary`: what a scan knows of it; `group`: tables of one source stay in one
    fold; `labels` by column."""

    info: TableInfo
    summary: TableSummary
    labels: Mapping[int, Label]
    group: str
    kind: str
    real: bool

    @classmethod
    def of(
        cls, info: TableInfo, frame: pl.DataFrame, labels: Mapping[int, Label], group: str, kind: str, real: bool
    ) -> Variant:
        """A table of these cells. Labels of columns without values say nothing."""
        summary = engine.partial(frame, info.fields, rule_sets.load(()))
        told = {i: label for i, label in labels.items() if summary.columns[i].filled}
        return cls(info, summary, told, group, kind, real)


@dataclass(frozen=True)
class Example:
    """A table as numbers. `signals`: (TABLE_WIDTH,)."""

    group: str
    kind: str
    real: bool
    features: tuple[Features, ...]
    signals: np.ndarray
    labels: Mapping[int, Label]


@dataclass(frozen=True)
class Source:
    """Where tables come from: a file of labelled ones; else a seed and how many to generate, or, with `first`, of how
    many schemas from that one on."""

    group: str
    file: labelled.File | None = None
    part: tuple[int, int] = (0, 0)
    first: int | None = None

    def variants(self) -> Iterator[Variant]:
        """The tables in all their variants, the same in every process."""
        return self._generated() if self.file is None else _labelled(self.file)

    def _generated(self) -> Iterator[Variant]:
        sys.path.insert(0, str(Path(__file__).parent))
        import generate

        chance = random.Random(f"{SEED} {self.part[0]}" if self.first is None else f"{SEED} {self.group}")
        seed, count = self.part
        made = generate.tables(seed, count) if self.first is None else generate_schemas.tables(seed, self.first, count)
        for table in made:
            kinds = ("full", "blank") if chance.random() < 0.6 else ("full",)
            frame = pl.DataFrame(
                [pl.Series(str(i), list(c.values), dtype=pl.String) for i, c in enumerate(table.columns)]
            )
            info = TableInfo(f"{table.name}.csv", None, "csv", True, tuple(Field(c.header) for c in table.columns))
            labels = {}
            for i, c in enumerate(table.columns):
                target = c.entity or NONE
                right = frozenset((target, NONE)) if target == "GENERIC_ID" else frozenset((target,))
                labels[i] = Label(target, right, c.pii, GENERATED)
            for kind in kinds:
                yield Variant.of(_named(info, kind, labels, chance), frame, labels, self.group, kind, False)


def sources(folders: Sequence[Path], count: int) -> list[Source]:
    """Labelled files, without those of the closed third of any folder but the first, `count` generated tables, and a
    table of every schema."""
    found = [
        Source(file.group, file)
        for i, folder in enumerate(folders)
        for file in labelled.files(folder, without_closed=i > 0)
    ]
    step = 25
    parts = [(SEED + 1 + i, min(step, count - i)) for i in range(0, count, step)]
    found += [Source(f"generated {part[0]}", part=part) for part in parts]
    schemas = len(generate_schemas.schemas())
    for i in range(0, schemas, step):
        found.append(Source(f"generated schemas {i}", part=(SEED, min(step, schemas - i)), first=i))
    return found


def _labelled(file: labelled.File) -> Iterator[Variant]:
    chance = random.Random(f"{SEED} {file.path.name}")
    for info, frame, truths in labelled.tables(file):
        labels = {i: Label(t.target, t.accepted, t.pii, t.weight) for i, t in truths.items()}
        for kind in WEIGHT:
            rows = frame
            if kind.startswith("few"):
                rows = frame[sorted(chance.sample(range(frame.height), min(frame.height, chance.randint(*FEW_ROWS))))]
            yield Variant.of(_named(info, kind, labels, chance), rows, labels, file.group, kind, True)


def _named(info: TableInfo, kind: str, labels: Mapping[int, Label], chance: random.Random) -> TableInfo:
    """The table with the headers of a variant."""
    if kind.endswith("blank"):
        return info._replace(fields=tuple(f._replace(name=None) for f in info.fields))
    if kind != "foreign":
        return info
    import generate_headers as h

    language = chance.choice(sorted(set().union(*h.FOREIGN.values())))
    fields = []
    for i, field in enumerate(info.fields):
        concept = h.CONCEPTS.get(labels[i].target) if i in labels else None
        phrases = h.FOREIGN.get(concept or "", {}).get(language)
        fields.append(field._replace(name=chance.choice(phrases)) if phrases and field.name else field)
    return info._replace(fields=tuple(fields))


class Kept(NamedTuple):
    """A source whose tables were summarised: they lie in a file, for the layers that each look at them."""

    group: str
    path: Path

    def variants(self) -> list[Variant]:
        """The tables in all their variants."""
        found: list[Variant] = pickle.loads(self.path.read_bytes())
        return found


def summarised(found: Sequence[Source], folder: Path, jobs: int) -> list[Kept]:
    """Every source, its tables read and summarised, in files below a folder."""
    kept = [Kept(source.group, folder / f"{i}.pickle") for i, source in enumerate(found)]
    with ProcessPoolExecutor(jobs) as pool:
        for _ in pool.map(_keep, found, kept):
            pass
    return kept


def _keep(source: Source, kept: Kept) -> None:
    kept.path.write_bytes(pickle.dumps([*source.variants()], protocol=pickle.HIGHEST_PROTOCOL))


def examples(found: Sequence[Kept], jobs: int) -> list[Example]:
    """Every variant of every table as numbers."""
    with ProcessPoolExecutor(jobs) as pool:
        return [e for part in pool.map(_examples, found, chunksize=4) for e in part]


def _examples(source: Kept) -> list[Example]:
    known = lexicon(rule_sets.load(()))
    out = []
    for v in source.variants():
        judged = [judge(i, f, v.summary.columns[i], known) for i, f in enumerate(fields_as_read(v.info, known))]
        seen = tuple(features(judged, v.summary.columns, known))
        signals = table_signals(v.info, judged, v.summary.rows)
        out.append(Example(v.group, v.kind, v.real, seen, signals, v.labels))
    return out


def weights(found: Sequence[Example | tuple[str, str, bool, Mapping[int, Label]]]) -> list[float]:
    """The weight of each labelled column, table by table: sources count by the root of their columns, so that large
    ones don't drown the rest."""
    entries = [(e.group, e.kind, e.real, e.labels) if isinstance(e, Example) else e for e in found]
    sizes: dict[str, int] = {}
    for group, kind, real, labels in entries:
        if real and kind == "full":
            sizes[group] = sizes.get(group, 0) + len(labels)
    total = sum(sizes.values())
    mean = sum(n**0.5 for n in sizes.values()) / max(1, total)  # of 1/sqrt over columns
    out = []
    for group, kind, real, labels in entries:
        share = (sizes.get(group, 1) or 1) ** -0.5 / mean if real and mean else 1.0
        out += [WEIGHT[kind] * share * label.weight for label in labels.values()]
    return out
