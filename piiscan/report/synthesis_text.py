"""The measurements behind a release of synthetic rows, as text for people."""

from __future__ import annotations

from typing import Any

from piiscan.report.verdict_words import printable

Json = dict[str, Any]


def text(release: Json) -> str:
    """Render a release as lines."""
    p, dataset = release["privacy"], release["dataset"]
    version = f" {dataset['version']}" if dataset["version"] else ""
    delta = f", delta {p['delta']:g}" if p["delta"] else ""
    pairs = [t for t in release["tables"] if len(t["columns"]) > 1]
    lines = [
        f"{dataset['name']}{version}: synthetic rows with differential privacy, epsilon "
        f"{p['epsilon']:g}{delta} in all, {p['mechanism']} noise",
        p["neighbours"],
        ("These counts were measured with noise; each is followed by how far it may be from the exact one, with 95 %."),
        "",
        f"rows  {release['rows']['value']} ± {release['rows']['accuracy']}",
        *(
            f"  {t['columns'][0]}  ± {t['accuracy']}, noise of scale {t['scale']:.4g}"
            for t in release["tables"]
            if len(t["columns"]) == 1
        ),
    ]
    if pairs:
        choices = release["choices"]
        lines += [
            "",
            "pairs of columns" + (f", each chosen with noise of scale {choices['scale']:.4g}" if choices else ""),
        ]
        lines += [f"  {', '.join(t['columns'])}  ± {t['accuracy']}, noise of scale {t['scale']:.4g}" for t in pairs]
    return "\n".join(map(printable, [*lines, "", *release["notes"]])) + "\n"
