"""What a release of synthetic rows stands on, as text for people."""

from __future__ import annotations

from typing import Any

from piiscan.report.verdict_words import printable

Json = dict[str, Any]


def text(release: Json) -> str:
    """A release, in lines."""
    p, dataset = release["privacy"], release["dataset"]
    version = f" {dataset['version']}" if dataset["version"] else ""
    delta = f", delta {p['delta']:g}" if p["delta"] else ""
    pairs = [t for t in release["tables"] if len(t["columns"]) > 1]
    lines = [
        f"{dataset['name']}{version}: synthetic rows with differential privacy, epsilon "
        f"{p['epsilon']:g}{delta} in all, {p['mechanism']} noise",
        p["neighbours"],
        "Counted with noise; beside it how far a count may be from the exact one, with 95 %.",
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
