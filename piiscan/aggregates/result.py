"""Aggregates as they are published, and read again: groups of rows as figures."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from piiscan.aggregates.figures import reconstruction
from piiscan.aggregates.group_sums import ALL, Key
from piiscan.aggregates.moments import Floats, Moments, coefficients, pooled
from piiscan.core.errors import UsageError
from piiscan.core.results import Fact, RowsResult

SCHEMA_VERSION: Final = 1
Json = dict[str, Any]
Row = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one group, or of a total (whose key contains `ALL`).

    There is one figure for each column, and a correlation for each pair of columns. None if a figure isn't defined.
    accuracy: how far noisy figures may be from the exact ones.
    """

    key: Key
    count: int
    mean: Row
    std: Row
    correlation: tuple[Row, ...]
    units: int | None = None
    accuracy: Json | None = None

    @property
    def is_total(self) -> bool:
        return ALL in self.key


@dataclass(frozen=True, slots=True, repr=False)
class Aggregates(RowsResult):
    """Groups by `by`, with figures of `columns`.

    about: the rest of the JSON: rules, notes, the cost of noise. report: what was withheld, and why; it is for the
    owner of the data, and not part of the release.
    """

    by: tuple[str, ...]
    columns: tuple[str, ...]
    groups: tuple[Group, ...]
    about: Json = field(default_factory=dict)
    report: Json = field(default_factory=dict)

    def moments(self) -> list[Moments]:
        """Return the moments of each group, without totals."""
        return [Moments.of(self.columns, g.count, g.mean, g.std, g.correlation) for g in self.groups if not g.is_total]

    def coefficients(self, y: str, x: Sequence[str]) -> Floats:
        """(1 + x,) the intercept and the slopes of the linear regression of `y` on `x` over the rows of all groups.

        They are computed from the groups' moments alone, and equal those computed from the rows. Raises `UsageError`.
        """
        return coefficients(pooled(self.moments()), y, x)

    def to_dict(self) -> Json:
        """Return plain data as described by `piiscan/report/schemas/aggregate-1.json`."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "aggregates",
            **{name: value for name, value in self.about.items() if name != "notes"},
            "by": list(self.by),
            "columns": list(self.columns),
            "groups": [self._group(g) for g in self.groups],
            "notes": self.about.get("notes", []),
        }

    def to_json(self) -> str:
        """Return the text of its JSON document, as the command writes it; it ends with a line break."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    def to_frame(self) -> Any:
        """Return a polars frame with a row for each group.

        Raises `UsageError` if two columns would have the same name.
        """
        import polars as pl

        head, rows = self._rows()
        return pl.DataFrame(rows, schema=head, orient="row", infer_schema_length=None)

    def to_csv(self) -> str:
        """Return CSV with a line for each group. Raises `UsageError` if two columns would have the same name."""
        head, rows = self._rows()
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
        return lines.getvalue()

    def _forms(self) -> dict[str, Callable[[Path], str | bytes]]:
        return {**RowsResult._forms(self), ".csv": lambda _: self.to_csv()}  # what `unpack` reads

    def _facts(self) -> Iterator[Fact]:
        yield "groups", sum(not g.is_total for g in self.groups)
        yield "totals", sum(g.is_total for g in self.groups)
        yield "columns", len(self.columns)
        if privacy := self.about.get("privacy"):
            yield "epsilon", privacy["epsilon"]

    def _rows(self) -> tuple[list[str], list[list[Any]]]:
        """Return the names of the columns, and a row for each group."""
        width = len(self.columns)
        pairs = [(i, j) for i in range(width) for j in range(i + 1, width)]
        with_units = any(g.units is not None for g in self.groups)
        head = [*self.by, "count", *["units"] * with_units]
        head += [f"{what}({name})" for name in self.columns for what in ("mean", "std")]
        head += [_correlation(self.columns[i], self.columns[j]) for i, j in pairs]
        if len(set(head)) < len(head):
            raise UsageError(
                "a column has the name of a figure, so the CSV would have two columns of that name; rename it, "
                "or write JSON"
            )
        exact = all(g.accuracy is None for g in self.groups)
        head += ["freedom"] * exact
        rows = []
        for g in self.groups:
            figures = [figure for i in range(width) for figure in (g.mean[i], g.std[i])]
            freedom = [reconstruction(g.count, width).freedom] if exact else []
            rows.append(
                [*g.key, g.count, *[g.units] * with_units, *figures, *(g.correlation[i][j] for i, j in pairs), *freedom]
            )
        return head, rows

    def _group(self, group: Group) -> Json:
        data: Json = {"key": list(group.key), "count": group.count}
        if group.units is not None:
            data["units"] = group.units
        data |= {
            "mean": list(group.mean),
            "std": list(group.std),
            "correlation": [list(row) for row in group.correlation],
        }
        if group.accuracy is None:
            return data | {"reconstruction": reconstruction(group.count, len(self.columns))._asdict()}
        return data | {"accuracy": group.accuracy}


def from_dict(data: Any) -> Aggregates:
    """Read the data that `Aggregates.to_dict` returned. Raises `UsageError` for anything else."""
    try:
        if data["kind"] != "aggregates" or data["schema_version"] != SCHEMA_VERSION:
            raise ValueError
        by, columns = tuple(map(str, data["by"])), tuple(map(str, data["columns"]))
        groups = tuple(
            Group(
                tuple(map(str, g["key"])),
                int(g["count"]),
                _row(g["mean"]),
                _row(g["std"]),
                tuple(map(_row, g["correlation"])),
                g.get("units"),
                g.get("accuracy"),
            )
            for g in data["groups"]
        )
        about = {
            name: value
            for name, value in data.items()
            if name not in ("schema_version", "kind", "by", "columns", "groups")
        }
        return _checked(Aggregates(by, columns, groups, about))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UsageError(
            "these aren't aggregates of version 1, as `piiscan aggregate -o FILE.json` writes them"
        ) from None


def from_csv(text: str) -> Aggregates:
    """Read the text that `Aggregates.to_csv` returned. Raises `UsageError` for anything else."""
    head, *lines = list(csv.reader(io.StringIO(text))) or [[]]
    try:
        at = {name: i for i, name in enumerate(head)}
        by = tuple(head[: at["count"]])
        columns = tuple(name[5:-1] for name in head if name.startswith("mean(") and name.endswith(")"))

        def figure(line: Sequence[str], name: str) -> float | None:
            return float(line[at[name]]) if line[at[name]] else None

        def correlation(line: Sequence[str], i: int, j: int) -> float | None:
            return 1.0 if i == j else figure(line, _correlation(columns[min(i, j)], columns[max(i, j)]))

        groups = tuple(
            Group(
                tuple(line[: len(by)]),
                int(line[at["count"]]),
                tuple(figure(line, f"mean({name})") for name in columns),
                tuple(figure(line, f"std({name})") for name in columns),
                tuple(tuple(correlation(line, i, j) for j in range(len(columns))) for i in range(len(columns))),
                int(line[at["units"]]) if "units" in at else None,
            )
            for line in lines
        )
        return _checked(Aggregates(by, columns, groups))
    except (KeyError, ValueError, IndexError):
        raise UsageError("these aren't aggregates, as `piiscan aggregate -o FILE.csv` writes them") from None


def read(path: Path) -> Aggregates:
    """Read aggregates from a file, JSON or CSV by its extension. Raises `UsageError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: can't be read ({type(error).__name__})") from None
    try:
        return from_csv(text) if path.suffix.lower() == ".csv" else from_dict(json.loads(text))
    except json.JSONDecodeError:
        raise UsageError(f"{path}: this isn't JSON; aggregates are read from .json and .csv files") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _correlation(a: str, b: str) -> str:
    return f"correlation({a},{b})"


def _row(values: Any) -> Row:
    return tuple(None if v is None else float(v) for v in values)


def _checked(found: Aggregates) -> Aggregates:
    width = len(found.columns)
    for g in found.groups:
        if len(g.key) != len(found.by) or {len(g.mean), len(g.std), len(g.correlation), *map(len, g.correlation)} != {
            width
        }:
            raise ValueError
    return found
