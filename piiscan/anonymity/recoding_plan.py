"""Plans of anonymisation: the solution found for one table, to be read, kept, and applied to that same table again.

A plan is TOML; the classes are listed in a CSV file beside it. A class is listed by the labels that the output shows,
so the list reveals nothing that the output doesn't, and rows of classes that aren't listed are suppressed. If a class
was joined by others and is shown by coarser labels, a keyed hash of its own labels identifies the rows that belong to
it.
"""

from __future__ import annotations

import hmac
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from piiscan.anonymity.classes import keyed
from piiscan.anonymity.histogram import Histogram, Ints
from piiscan.anonymity.models.privacy_models import PrivacyModels
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.result import Anonymized
from piiscan.anonymity.search.label_utility import levels_of
from piiscan.anonymity.search.lattice import Node
from piiscan.anonymity.search.local import Cover
from piiscan.anonymity.search.problem import Problem
from piiscan.anonymity.search.recoding import labelled
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.rules.definitions import suggestion

VERSION: Final = 2
"""Plans of version 1, which list a joined class by its own labels, are read too."""
_CLASSES: Final = ".classes.csv"
_AT, _SHOWN, _JOINED = "levels", "shown", "joined"
_KEYS: Final = frozenset(
    "version source rows key digest classes method metric suppress "
    "drop_suppressed hierarchies population models columns".split()
)
_MODELS: Final = frozenset("k l diversity c alpha t distance presence".split())
_COLUMN: Final = frozenset("column role level".split())
_INTRODUCTION: Final = (
    "How one table is anonymised. It fits only that table and is refused for other rows, or for a part of them.",
    (
        "Beside it is the list of the classes that meet every model. Both contain labels that the output shows, and "
        "no other cell; neither contains a key."
    ),
)


@dataclass(frozen=True, slots=True)
class RecodingPlan:
    """A plan as it was read.

    `levels`: for each class, in their order, the node at which it was found and the node at which it is shown.
    `labels`, a column for each quasi-identifier, are the labels at the first node. For classes with a hash in
    `joined`, a keyed hash (under `secret`) of those labels, they are the labels at the second node.
    """

    request: AnonymizeRequest
    rows: int
    digest: str
    levels: tuple[tuple[Node, Node], ...]
    labels: pl.DataFrame
    joined: tuple[str | None, ...]
    secret: bytes = field(repr=False)


def digest(histogram: Histogram, key: Key) -> str:
    """Return a keyed digest of a table's quasi-identifiers, sensitive columns and units.

    Its 32 hex digits reveal nothing without the key.
    """
    frame = histogram.sorted().frame
    text = frame.cast(dict.fromkeys(frame.columns, pl.String)).write_csv(quote_style="always", null_value="\0")
    return hmac.digest(key.subkey("anonymize", "digest").secret, text.encode(), "sha256").hex()[:32]


def dumps(found: Anonymized, histogram: Histogram, source: str, key: Key) -> tuple[str, str]:
    """Return a plan as TOML, and its classes as CSV."""
    import tomlkit

    classes = _classes(found, _secret(key))
    document = tomlkit.document()
    for line in _INTRODUCTION:
        document.add(tomlkit.comment(line))
    request = found.request
    head = {
        "version": VERSION,
        "source": source,
        "rows": found.solution.problem.total,
        "key": key.id,
        "digest": digest(histogram, key),
        "classes": _keyed(classes, key),
        "method": request.method,
        "metric": request.metric,
        "suppress": request.suppress,
        "drop_suppressed": request.drop_suppressed,
        "hierarchies": request.hierarchies.as_posix() if isinstance(request.hierarchies, Path) else None,
        "population": request.population.as_posix() if isinstance(request.population, Path) else None,
        "models": {name: value for name, value in asdict(request.models).items() if value is not None},
    }
    for name, value in head.items():
        if value is not None:
            document.add(name, tomlkit.item(value))
    columns = tomlkit.aot()
    levels = found.to_dict()["levels"]
    for c in found.columns:
        table = tomlkit.table()
        table.add(tomlkit.comment(c.why))
        table.update({"column": c.name, "role": c.role})
        if levels.get(c.name) is not None:
            table.add("level", levels[c.name])
        columns.append(table)
    document.add("columns", columns)
    return tomlkit.dumps(document), classes


def classes_file(plan: Path) -> Path:
    """Return the path of the plan's list of classes, which is beside the plan."""
    return plan.with_name(plan.name.removesuffix(".toml") + _CLASSES)


def load(path: Path, key: Key) -> RecodingPlan:
    """Load a plan.

    Raises `UsageError` for a plan that can't be read, was made under another key, or whose list of classes has
    changed.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        text = classes_file(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{path}: the plan, or {classes_file(path).name} beside it, can't be read ({type(error).__name__})"
        ) from None
    if data.get("version") not in (1, VERSION):
        raise UsageError(
            f"{path}: not an anonymisation plan of version 1 or {VERSION}; make a new one with --save-plan"
        )
    if data.get("key") != key.id:
        raise UsageError(
            f"{path}: the plan was made with the key {data.get('key')}, and the given key is "
            f"{key.id}; pass the key of the plan"
        )
    if not hmac.compare_digest(str(data.get("classes")), _keyed(text, key)):
        raise UsageError(
            f"{classes_file(path)}: this list of classes isn't the one made with the plan; make a new plan"
        )
    try:
        _only(data, path)
        return _read(data, text, _secret(key))
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path}: {error.args[0] if error.args else 'a part of the plan'} is missing or invalid; make a new plan"
        ) from None


def demand(plan: RecodingPlan, histogram: Histogram, key: Key, source: str) -> None:
    """Raise `UsageError` for any table other than the one the plan was made from."""
    rows = int(histogram.rows.sum())
    if rows != plan.rows:
        raise UsageError(f"{source} has {rows} rows, and the plan was made from {plan.rows}; make a plan of this table")
    if not hmac.compare_digest(digest(histogram, key), plan.digest):
        raise UsageError(
            f"{source} isn't the table that the plan was made from, though it has as many rows; make a plan of "
            "this table"
        )


def cover(plan: RecodingPlan, problem: Problem) -> Cover:
    """Return at which node each entry of a table is published.

    Classes take entries in their order, and entries that no class takes are suppressed. Raises `UsageError`.
    """
    at = np.full(len(problem.rows), -1, np.int64)
    found = at.copy()
    nodes: list[Node] = []
    left = np.arange(len(at))
    first = 0
    for (node, shown, is_joined), run in groupby(
        (*levels, joined is not None) for levels, joined in zip(plan.levels, plan.joined, strict=True)
    ):
        number = len(list(run))
        if is_joined:
            taken = np.isin(
                _hashes(problem, node, left, plan.secret), [text or "" for text in plan.joined[first : first + number]]
            )
        else:
            mine = _codes(plan.labels.slice(first, number), problem, node)
            theirs = [labels[level][left] for labels, level in zip(problem.labels, node, strict=True)]
            sizes = [len(h.labels[level]) for h, level in zip(problem.hierarchies, node, strict=True)]
            key, _ = keyed([np.concatenate([a, b]) for a, b in zip(mine, theirs, strict=True)], sizes)
            taken = np.isin(key[number:], key[:number])
        at[left[taken]] = found[left[taken]] = len(nodes)
        nodes.append(shown)
        left = left[~taken]
        first += number
    return Cover(tuple(nodes), at, found)


def _hashes(problem: Problem, node: Node, entries: Ints, secret: bytes) -> npt.NDArray[np.str_]:
    """Return a keyed hash of each entry's labels at a node, and of the node."""
    labels = labelled(problem, np.broadcast_to(np.array(node), (len(problem.rows), len(node))))
    return np.array(_keyed_labels([cells.gather(entries) for cells in labels], node, secret), dtype=np.str_)


def _keyed_labels(labels: Sequence[pl.Series], node: Node, secret: bytes) -> list[str]:
    known: dict[tuple[str, ...], str] = {}
    out = []
    for row in zip(*labels, strict=True):
        if (found := known.get(row)) is None:
            text = json.dumps([list(node), list(row)])
            known[row] = found = hmac.digest(secret, text.encode(), "sha256").hex()[:32]
        out.append(found)
    return out


def _codes(labels: pl.DataFrame, problem: Problem, node: Node) -> list[Ints]:
    """Return for each quasi-identifier the codes of the labels at a node."""
    out = []
    for cells, hierarchy, level in zip(labels.iter_columns(), problem.hierarchies, node, strict=True):
        place = {label: i for i, label in enumerate(hierarchy.labels[level])}
        try:
            out.append(np.array([place[label] for label in cells], np.int64))
        except KeyError:
            raise UsageError(
                f"the hierarchy of {hierarchy.column} has changed since the plan was made; make a new plan"
            ) from None
    return out


def _classes(found: Anonymized, secret: bytes) -> str:
    """Return a line for each class, in the order in which classes take entries.

    A line has the levels at which the class was found and is shown, its labels at the latter, and, if the two differ,
    a keyed hash of its labels at the former.
    """
    solution, width = found.solution, len(found.quasi)
    if solution.cover is None:
        raise UsageError("micro-aggregation can't be saved as a plan, since its means come from the values themselves")
    nodes, kept = solution.cover.nodes, pl.Series(solution.kept)
    texts = pl.Series([".".join(map(str, node)) for node in nodes] + [""], dtype=pl.String)
    cover = solution.cover
    own, shown = (labelled(solution.problem, levels_of(list(nodes), at, width)) for at in (cover.found, cover.at))
    frame = pl.DataFrame(
        {
            "order": pl.Series(cover.found),
            _AT: texts.gather(cover.found),
            _SHOWN: texts.gather(cover.at),
            **{f"{i}": cells for i, cells in enumerate(shown)},
            _JOINED: _joined(cover, own, kept, secret),
        }
    )
    columns = [str(i) for i in range(width)]
    frame = frame.filter(kept).unique().sort("order", _SHOWN, *columns, _JOINED).drop("order")
    return frame.rename({str(i): f"{i} {c.name}" for i, c in enumerate(found.quasi)}).write_csv(
        quote_style="non_numeric"
    )


def _joined(cover: Cover, labels: Sequence[pl.Series], kept: pl.Series, secret: bytes) -> pl.Series:
    """Return keyed hashes of the entries' own labels, for classes that are shown by other labels."""
    out = np.full(len(cover.at), None, dtype=object)
    is_joined = (cover.at != cover.found) & kept.to_numpy()
    for number in np.unique(cover.found[is_joined]):
        entries = np.flatnonzero(is_joined & (cover.found == number))
        out[entries] = _keyed_labels([cells.gather(entries) for cells in labels], cover.nodes[number], secret)
    return pl.Series(out.tolist(), dtype=pl.String)


def _secret(key: Key) -> bytes:
    return key.subkey("anonymize", "joined").secret


def _read(data: Mapping[str, Any], text: str, secret: bytes) -> RecodingPlan:
    table = pl.read_csv(text.encode(), infer_schema=False)
    roles = {
        role: tuple(c["column"] for c in data["columns"] if c["role"] == role)
        for role in ("quasi", "sensitive", "insensitive", "unit")
    }
    models = {
        **data["models"],
        **({"presence": tuple(data["models"]["presence"])} if "presence" in data["models"] else {}),
    }
    hierarchies, population = (Path(data[name]) if name in data else None for name in ("hierarchies", "population"))
    request = AnonymizeRequest(
        PrivacyModels(**models),
        roles["quasi"],
        roles["sensitive"],
        roles["insensitive"],
        next(iter(roles["unit"]), None),
        data["suppress"],
        data["method"],
        data["metric"],
        hierarchies,
        population,
        data["drop_suppressed"],
    )
    levels = tuple(zip((_node(t) for t in table[_AT]), (_node(t) for t in table[_SHOWN]), strict=True))
    levels_shown = tuple(c["level"] for c in data["columns"] if "level" in c)
    if levels_shown and any(shown != levels_shown for _, shown in levels):
        raise UsageError(
            "levels can't be changed in a plan, since other classes would meet the models; make a plan with "
            "other --hierarchies"
        )
    joined = tuple(table[_JOINED]) if data["version"] > 1 else (None,) * len(table)
    labels = table.drop(_AT, _SHOWN, _JOINED, strict=False)
    return RecodingPlan(request, int(data["rows"]), data["digest"], levels, labels, joined, secret)


def _only(data: Mapping[str, Any], path: Path) -> None:
    """Raise `UsageError` for an unknown key, since its instruction would be ignored."""
    parts = [
        ("", data, _KEYS),
        ("models: ", data["models"], _MODELS),
        *(("columns: ", c, _COLUMN) for c in data["columns"]),
    ]
    for place, part, known in parts:
        for key in part:
            if key not in known:
                raise UsageError(f"{path}: {place}unknown key {key}{suggestion(key, known)}")


def _node(text: str) -> Node:
    return tuple(int(level) for level in text.split("."))


def _keyed(text: str, key: Key) -> str:
    return hmac.digest(key.subkey("anonymize", "classes").secret, text.encode(), "sha256").hex()[:32]
