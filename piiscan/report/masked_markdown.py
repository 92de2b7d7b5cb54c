"""The report on masking as GitHub-flavoured Markdown, for the people responsible for the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from piiscan.masking.information_loss.table_loss import ROWS as SAMPLED
from piiscan.masking.result import NOTHING_KNOWN, looked_up
from piiscan.report.markdown_report import escape, grid, title
from piiscan.report.verdict_words import CLASSES, UNFILLED, count, percent

_HOW_TO_READ: Final = (
    ("Cells changed", "of the cells that were filled, in the rows that stay, how many have different content now."),
    (
        "Values",
        ("how many different ones there are, before → after. ≈ marks an estimate from a sample. Fewer values "
        "reveal less."),
    ),
    (
        "Kept in common",
        ("the share of all different values that occur both before and after. Some made-up names are real names "
        "in the data by chance."),
    ),
    (
        "Frequencies",
        ("the distance between how often the most common value occurs before and after, the second most common, "
        "and so on: from 0 (as often as before) to 1. Near 0, frequencies still reveal which values are common "
        "and which are rare."),
    ),
    (
        "Numbers and dates",
        "the Kolmogorov–Smirnov distance between the distributions, from 0 (the same) to 1; how far the mean "
        "has moved, in standard deviations (sd); and the spread, where 1 is as before. Stated for 30 cells or more.",
    ),
    (
        "Values that share a mask",
        "by how many there are fewer masks than values, in columns where a value's mask depends on the value alone and "
        "from which no row was left out; counted up to 65,536 different values a column.",
    ),
    (
        "What is left",
        ("originals found in the output, such as made-up names that are also real ones, or numbers of the same "
        "format. A promise holds if chance explains them."),
    ),
    (
        "Undone",
        "anyone who has the key, and for codes the vault, can restore the original values (`piiscan unmask`).",
    ),
    (
        "Promises",
        ("what the plan promises about the output. Whether masks differ from their originals and from each other, "
        "join, and leave empty cells empty is counted while they are made; all else is counted in the output, "
        "which is read again. `piiscan verify --key` counts all of it in files."),
    ),
    (
        "Checked",
        ("cells, or rows and different values if the promise is about those. *Violations* may count a value once "
        "that occurs in several cells."),
    ),
    ("Key domain", "equal values of one domain have equal masks, in every table under the same key, if the operator's "
     "masks depend on the value."),
)  # fmt: skip


def render(data: Mapping[str, Any]) -> str:
    """Render the result of `MaskReport.to_dict`."""
    return "\n".join(_lines(data)) + "\n"


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    tool, plan, summary = data["tool"], data["plan"], data["summary"]
    yield "# Masking report"
    yield ""
    head, _, rest = str(data["notice"]).partition(":")
    yield f"**{escape(head)}**:{escape(rest)}"
    yield ""
    yield from grid(
        ("", ""),
        [
            ("Tables", f"{summary['tables']:,}"),
            ("Columns", ": ".join(filter(None, (f"{summary['columns']:,}", _treated(data))))),
            ("Checked", _outcome(data)),
            ("Complete", "yes" if data["complete"] else f"**no: {count(len(data['left_out']), 'input')} left out**"),
            ("May be undone", _undone_columns(data)),
            ("Values that share a mask", f"{summary['collisions']:,}"),
            ("Policy", escape(plan["policy"])),
            ("Plan", plan["digest"]),
            ("Key", data["key"] or "none needed, or not known"),
            ("Made by", f"piiscan {tool['version']}, plan by rules {tool['rules_digest']}"),
        ],
    )
    if plan["notes"]:
        yield from title("## What the policy doesn't cover, and other notes")
        yield from (f"- {escape(note)}" for note in plan["notes"])
    for table in data["tables"]:
        yield from _table(table)
    if data["promises"]:
        yield from _promises(data["promises"])
    if data["left"]:
        yield from title("## What is left, and what chance explains")
        rows = [
            (left["entity"] or "no entity", left["name"], f"{left['cells']:,}", f"{left['found']:,}",
             f"{left['expected']:,.1f}")
            for left in data["left"]
        ]  # fmt: skip
        headers = ("Columns hold", "Promise", "Checked", "Found", "Expected by chance")
        yield from grid(headers, rows, numbers=(2, 3, 4))
    if data["subjects"]:
        yield from title("## People")
        yield from (f"- {line}" for line in _people(data["subjects"]))
    if data["left_out"]:
        yield from title("## Left out")
        yield from (
            f"- {escape('::'.join(filter(None, (n['source'], n['table'], n['column']))))}: {escape(n['reason'])}"
            for n in data["left_out"]
        )
    yield from title("## How to read it")
    yield from (f"- *{name}*: {text}" for name, text in _HOW_TO_READ)


def _people(found: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{count(found['subjects'], 'person', 'people')}, as far as keys (addresses, numbers, names) distinguish them"
    )
    yield f"keys linked to another key of the same person: {found['linked']:,}"
    yield f"keys that could belong to several people, and so are linked to none: {found['unlinked']:,}"
    yield f"e-mail addresses and user names that several people share: {found['shared']:,}"
    yield f"numbers that occur with several first names: {found['contradictions']:,}"
    if not found["remembered"]:
        yield (
            "no vault: made-up addresses don't depend on the other people in the data, and all made-up names are of "
            "one locale"
        )
        return
    own = [f"{escape(locale)} {n:,}" for locale, n in found["locales"].items() if locale]
    others = found["locales"].get("", 0)
    yield f"people with made-up names of their own locale: {', '.join(own) or 'none'}; of the plan's: {others:,}"
    yield f"made-up addresses with digits added, as two would be equal without: {found['numbered']:,}"


def _undone_columns(data: Mapping[str, Any]) -> str:
    number = data["summary"]["reversible"]
    codes = any(c["operator"] == "code" for t in data["tables"] for c in t["columns"])
    who = "the key, and for codes the vault" if codes else "the key"
    return f"{count(number, 'column')}, by anyone with {who}" if number else "none"


def _treated(data: Mapping[str, Any]) -> str:
    """Say what happened to columns: a dropped one isn't masked, and one without a changed cell isn't either."""
    columns = [c for t in data["tables"] for c in t["columns"] if c["operator"] != "keep"]
    gone = sum(c["after"] is None for c in columns)
    changed = sum(c["after"] is not None and c["changed"] > 0 for c in columns)
    said = [
        (changed, "masked"),
        (gone, "dropped"),
        (len(columns) - gone - changed, "without a cell to mask"),
        (data["summary"]["kept"], "kept as they were"),
    ]
    return ", ".join(f"{n:,} {what}" for n, what in said if n)


def _outcome(data: Mapping[str, Any]) -> str:
    promises = data["promises"]
    if data["verified"] is None:
        return "**no: " + ("verification was off (--no-verify)**" if data["tables"] else "no table was written**")
    broken = sum(not p["holds"] for p in promises)
    if not promises:
        return "the plan promises nothing about this output"
    unchecked = sum(not p["checked"] for p in promises)
    found = [f"**{n:,} {what}**" for n, what in ((broken, "broken"), (unchecked, "not checked")) if n]
    said = f"{count(len(promises), 'promise')}, " + (", ".join(found) or "all kept")
    return said if looked_up(p["name"] for p in promises) else f"{said}. {NOTHING_KNOWN}"


def _table(table: Mapping[str, Any]) -> Iterator[str]:
    name = table["source"] if table["table"] is None else f"{table['source']}::{table['table']}"
    before, after = table["rows"]["before"], table["rows"]["after"]
    yield from title(f"## {escape(name)}")
    yield f"{table['format']}, {count(before, 'row')}" + (
        f", of which {before - after:,} left out." if before != after else "."
    )
    masked = [c for c in table["columns"] if c["operator"] != "keep"]
    kept = [c for c in table["columns"] if c["operator"] == "keep"]
    if masked:
        yield from title("### What was done")
        yield from grid(
            ("Column", "Holds", "Operator", "Decided by", "Key domain", "Undone"),
            [
                (escape(c["name"]), _holds(c), c["operator"], c["decided_by"], escape(c["domain"] or "–"), _undone(c))
                for c in masked
            ],
        )
        yield from title("### What changed")
        yield from grid(
            ("Column", "Cells changed", "Empty", "Values", "Kept in common", "Frequencies", "Numbers and dates"),
            [(escape(c["name"]), *_changes(c)) for c in masked],
            numbers=range(1, 6),
        )
    if kept:
        yield from title("### Kept as they were")
        yield from _kept(kept)
    yield from _casts(table)
    yield from _correlations(table)


def _kept(columns: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Return a line for the columns of each class; nothing is recognised where no cell is filled."""
    filled = [c for c in columns if c["before"]["filled"]]
    for pii, what in CLASSES.items():
        names = [c["name"] + (f" ({c['entity']})" if c["entity"] else "") for c in filled if c["pii"] == pii]
        if names:
            yield (
                f"- {count(len(names), 'column')}, {'each ' if len(names) > 1 else ''}recognised as {what}: "
                f"{', '.join(map(escape, names))}"
            )
    if empty := [c["name"] for c in columns if not c["before"]["filled"]]:
        yield f"- {count(len(empty), 'column')} {UNFILLED}: {', '.join(map(escape, empty))}"


def _casts(table: Mapping[str, Any]) -> Iterator[str]:
    if casts := [c for c in table["columns"] if c["cast"]]:
        yield from title("### Types that differ from the plan")
        yield from (f"- {escape(c['name'])}: {_cast(c)}" for c in casts)


def _cast(column: Mapping[str, Any]) -> str:
    here, planned = column["cast"]["here"], column["cast"]["planned"]
    how = "kept" if column["operator"] == "keep" else "masked"
    made = f"{how} as it is" if column["dtype"] == here else f"made {column['dtype']} before it was masked"
    return f"{here} here, {planned} in the plan; {made}"


def _undone(column: Mapping[str, Any]) -> str:
    if not (column["reversible"] and column["keyed"]):
        return "no"
    return "with the key and the vault" if column["operator"] == "code" else "with the key"


def _holds(column: Mapping[str, Any]) -> str:
    if column["pii"] == "none":
        if column["operator"] == "spans":  # for entities inside cells, the class of the column says nothing
            return column["entity"] or "texts"
        return f"{column['entity']}, not personal" if column["entity"] else "nothing personal"
    return f"{column['entity']}, {column['pii']}"


def _changes(column: Mapping[str, Any]) -> tuple[str, ...]:
    before, after, distance = column["before"], column["after"], column["distance"]
    share = "" if column["changed_share"] is None else f" ({percent(column['changed_share'])})"
    changed = f"{column['changed']:,} of {column['filled_left']:,}{share}"
    if after is None:
        return changed, "column gone", "", "", "", ""
    about = "" if before["distinct_exact"] and after["distinct_exact"] else "≈ "
    return (
        changed,
        _step(f"{before['empty']:,}", f"{after['empty']:,}"),
        _step(_distinct(before), _distinct(after)),
        "" if distance is None else f"{about}{percent(distance['in_common'])}",
        "" if distance is None else f"{about}{distance['frequencies']:.3f}",
        "" if distance is None or distance["numbers"] is None else _numbers(distance["numbers"]),
    )


def _step(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _distinct(side: Mapping[str, Any]) -> str:
    return f"{'' if side['distinct_exact'] else '≈ '}{side['distinct']:,}"


def _numbers(n: Mapping[str, float]) -> str:
    return f"{n['ks']:.3f}; mean {n['mean']:+.2f} sd; spread {n['spread']:.2f}"


def _sampled(table: Mapping[str, Any]) -> str:
    return f", in {SAMPLED:,} of its rows" if table["rows"]["after"] > SAMPLED else ""


def _correlations(table: Mapping[str, Any]) -> Iterator[str]:
    found = table["correlations"]
    if found["pairs"]:
        yield from title("### Correlations")
        yield (
            f"Of {count(found['pairs'], 'pair')} of numeric columns with at least one masked, Pearson's "
            f"coefficient changes by {found['mean_change']:.3f} on average{_sampled(table)}; most:"
        )
        yield ""
        rows = [
            (escape(" and ".join(c["columns"])), f"{c['before']:.2f}", f"{c['after']:.2f}")
            for c in found["largest_changes"][:5]
        ]
        yield from grid(("Columns", "Before", "After"), rows, numbers=(1, 2))


def _promises(promises: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Return a line for each promise, over all columns; those that are broken or weren't checked one by one."""
    yield from title("## Promises")
    local = [p for p in promises if p["source"] is not None]
    groups = [[p for p in local if p["name"] == name] for name in dict.fromkeys(p["name"] for p in local)]
    rows = [
        (group[0]["name"], count(len(group), "column" if group[0]["column"] else "table"), *_sums(group))
        for group in groups
    ]
    yield from grid(("Promise", "Of", "Checked", "Violations", "Expected by chance", "Kept"), rows, numbers=(2, 3, 4))
    if of_the_run := [p for p in promises if p["source"] is None]:
        yield from title("### Across all columns and tables")
        lines = [(escape(p["name"]), *_sums([p])) for p in of_the_run]
        yield from grid(("Promise", "Checked", "Violations", "Expected by chance", "Kept"), lines, numbers=(1, 2, 3))
    for p in promises:
        if not p["holds"] or not p["checked"]:
            what = "Not checked" if p["holds"] else "Broken"
            location = ": ".join(filter(None, (p["source"], p["table"], p["column"], p["name"])))
            yield ""
            yield f"**{what}**: {escape(location)}: {count(p['broken'], 'violation')}, {p['cells']:,} checked."


def _sums(group: Sequence[Mapping[str, Any]]) -> tuple[str, str, str, str]:
    cells, broken, expected = (sum(p[key] for p in group) for key in ("cells", "broken", "expected"))
    return (
        f"{cells:,}",
        f"{broken:,}",
        f"{expected:,.1f}" if expected else "0",
        _is_kept(group),
    )


def _is_kept(group: Sequence[Mapping[str, Any]]) -> str:
    if not all(p["holds"] for p in group):
        return "**no**"
    return "yes" if all(p["checked"] for p in group) else "**not checked**"
