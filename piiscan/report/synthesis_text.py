"""The measurements behind a release of synthetic rows, as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from piiscan.report.summary_text import opening
from piiscan.report.verdict_words import printable

Json = dict[str, Any]
_COUNTS = "These counts were measured with noise; each is followed by how far it may be from the exact one, with 95 %."


def text(release: Json) -> str:
    """Render a release as lines."""
    together = [t for t in release["tables"] if len(t["columns"]) > 1]
    lines = [
        *opening(release, "synthetic rows"),
        _COUNTS,
        "",
        f"rows  {release['rows']['value']} ± {release['rows']['accuracy']}",
        *(
            f"  {t['columns'][0]}  ± {t['accuracy']}, noise of scale {t['scale']:.4g}"
            for t in release["tables"]
            if len(t["columns"]) == 1
        ),
    ]
    lines += [
        f"bins of {column['name']} found in {len(found['widths'])} steps, at most, noise of scale {found['scale']:.4g}"
        for column in release["columns"]
        if (found := column.get("found"))
    ]
    if together:
        choices = release["choices"]
        lines += [
            "",
            "columns together" + (f", each table chosen with noise of scale {choices['scale']:.4g}" if choices else ""),
        ]
        lines += [f"  {', '.join(t['columns'])}  ± {t['accuracy']}, noise of scale {t['scale']:.4g}" for t in together]
    if "constraints" in release:
        lines += ["", "fitted under declared constraints, which cost nothing"]
        lines += [f"  {text}" for text in release["constraints"]]
    return "\n".join(map(printable, [*lines, "", *release["notes"]])) + "\n"


def of_tables(release: Json) -> str:
    """Render a release of tables that refer to each other as lines."""
    lines = [
        *opening(release, "synthetic tables"),
        _COUNTS,
        *(line for table in release["tables"] for line in _table(table)),
    ]
    return "\n".join(map(printable, [*lines, "", *release["notes"]])) + "\n"


def _table(table: Json) -> Iterator[str]:
    """Render what was measured of one of several tables; of a table of children, in units and parts of them."""
    whole = table.get("weight_of_unit", 1)
    of = "" if table["parent"] is None else f", of {table['parent']}"
    yield from ("", f"{table['name']}{of}")
    for step in table.get("steps", [table]):
        counted = step["units" if "units" in step else "rows"]
        yield f"  {'units with rows' if 'units' in step else 'rows'}  {counted['value']} ± {counted['accuracy']}"
        for measured in step["tables"]:
            yield f"  {', '.join(measured['columns'])}  ± {measured['accuracy'] / whole:.4g}"
    yield from (f"  {text}, which costs nothing" for text in table.get("constraints", ()))
