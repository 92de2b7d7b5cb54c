"""A differentially private summary as text for people."""

from __future__ import annotations

from typing import Any

from piiscan.report.verdict_words import count, printable

Json = dict[str, Any]
_MOST = 40
"""Lines of a table of counts that are shown; the JSON has them all."""


def opening(release: Json, what: str) -> tuple[str, str]:
    """Return the first lines of any release: of which dataset it is and what it cost, and which tables are alike."""
    p, dataset = release["privacy"], release["dataset"]
    version = f" {dataset['version']}" if dataset["version"] else ""
    delta = f", delta {p['delta']:g}" if p["delta"] else ""
    cost = f"epsilon {p['epsilon']:g}{delta} in all, {p['mechanism']} noise"
    return f"{dataset['name']}{version}: {what} with differential privacy, {cost}", str(p["neighbours"])


def text(release: Json) -> str:
    """Render a release as lines."""
    lines = [
        *opening(release, "a summary"),
        "Each figure is followed by its accuracy: how far it may be from the exact one, with 95 %.",
        "",
        f"rows  {_figure(release['rows'])}",
    ]
    for column in release["columns"]:
        lines += ["", *_column(column)]
    for table in release["tables"]:
        lines += ["", *_table(table)]
    for group in release["groups"]:
        lines += ["", *_groups(group)]
    return "\n".join(map(printable, [*lines, "", *release["notes"]])) + "\n"


def _figure(figure: Json) -> str:
    if figure["value"] is None:
        return "lost in the noise"
    return f"{figure['value']:.10g} ± {figure['accuracy']:.4g}"


def _column(column: Json) -> list[str]:
    if column["kind"] == "number":
        low, high = column["bounds"]
        lines = [
            f"{column['name']}  numbers from {low:g} to {high:g} ({column['bounds_from']} bounds)",
            *_moments(column),
        ]
        lines += [
            f"  quantile {q['p']:g}  {q['value']:g} to {q['value'] + q['width']:g}, ± {q['accuracy_ranks']} ranks"
            for q in column.get("quantiles", ())
        ]
    elif column["kind"] == "categories":
        lines = [f"{column['name']}  categories"]
    else:
        keys = column["keys"]
        lines = [(f"{column['name']}  keys that occur about {keys['threshold']} times or more, ± {keys['accuracy']:g}")]
        return lines + _rows([(k["key"], k["count"]) for k in keys["found"]])
    if "histogram" in column:
        h = column["histogram"]
        lines += [
            f"  counts ± {h['accuracy']:g}",
            *_rows([*zip(h["bins"], h["counts"], strict=True), ("(missing)", h["missing"])]),
        ]
    return lines


def _moments(column: Json, indent: str = "  ") -> list[str]:
    names = (name for name in ("count", "sum", "mean", "variance") if name in column)
    return [f"{indent}{name}  {_figure(column[name])}" for name in names]


def _rows(pairs: list[tuple[str, int]], indent: str = "    ") -> list[str]:
    width = max((len(label) for label, _ in pairs), default=0)
    lines = [f"{indent}{label:<{width}}  {n}" for label, n in pairs[:_MOST]]
    return lines + [f"{indent}and {count(len(pairs) - _MOST, 'line')} more, in the JSON"] * (len(pairs) > _MOST)


def _table(table: Json) -> list[str]:
    names = table["columns"]
    head = f"{' × '.join(names)}  counts ± {table['accuracy']:g}"
    return [head, *_rows([(", ".join(cell["key"]), cell["count"]) for cell in table["cells"]], "  ")]


def _groups(group: Json) -> list[str]:
    lines = [
        f"by {', '.join(group['by'])} ({'keys found under delta' if group['keys'] == 'found' else 'declared groups'})"
    ]
    for g in group["groups"][:_MOST]:
        lines.append(f"  {', '.join(g['key'])}  rows {_figure(g['count'])}")
        for name, column in g["columns"].items():
            figures = ", ".join(line.strip() for line in _moments(column))
            if figures:
                lines.append(f"    {name}: {figures}")
    more = len(group["groups"]) - _MOST
    return lines + [f"  and {count(more, 'group')} more, in the JSON"] * (more > 0)
