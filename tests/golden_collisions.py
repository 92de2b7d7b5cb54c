"""The collision table: which examples of a rule other rules take too, and what a scan makes of them."""

from __future__ import annotations

from pathlib import Path

from piiscan.detection.matching import reference
from piiscan.rules.definitions import Rule
from piiscan.rules.rule_sets import shipped

FILE = Path(__file__).parent / "golden" / "collisions.txt"
HEAD = """\
# How many of a rule's `match` values another rule takes too: pattern and check, as whole cells.
# The last column says what counts in a column without a header that holds these values: `rule` or `other` where one of
# the two claims them or the other is searched under its header only, `both` where the verdict weighs the evidence of
# both over the column, `-` where neither counts. `make format` writes this file anew; read what changed.
"""


def table() -> str:
    """A line for every two rules that share an example, in the order of their ids."""
    compiled = shipped()
    rules = [r for r in compiled.rules.rules if r.pattern is not None or r.values]
    examples = {r.id: {m: frozenset(o.id for o in rules if o.fullmatch(m)) for m in r.match} for r in rules}
    counted = {
        m: {h.rule for h in reference.cell_hits(m, compiled) if h.passed and h.whole}
        for found in examples.values()
        for m in found
    }
    width = max(len(r.id) for r in rules)
    lines = [f"# {'rule':{width - 2}}  {'other':{width}}  taken  counts"]
    for rule in rules:
        for other in rules:
            shared = [m for m in rule.match if other.id in examples[rule.id][m]]
            if shared and other is not rule:
                taken = f"{len(shared)}/{len(rule.match)}"
                lines.append(
                    f"{rule.id:{width}}  {other.id:{width}}  {taken:>5}  "
                    f"{_winner(rule, other, [counted[m] for m in shared])}"
                )
    return HEAD + "".join(f"{line.rstrip()}\n" for line in lines)


def _winner(rule: Rule, other: Rule, counted: list[set[str]]) -> str:
    """Rules by a list of values count nothing in a cell: they are weighed, under their headers, by the classifier."""
    mine, others = (any(r.id in hits for hits in counted) for r in (rule, other))
    return "both" if mine and others else "rule" if mine else "other" if others else "-"


def write() -> None:
    """Write the golden file anew, for a person to read the difference."""
    FILE.write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    write()
