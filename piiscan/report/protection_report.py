"""The report on a protected table for the people responsible for the data: Markdown and plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from piiscan.core.errors import MissingExtra
from piiscan.report.markdown_report import escape, grid, title
from piiscan.report.plots import charts
from piiscan.report.plots.plot import INSTALL, Plot
from piiscan.report.risk_text import share
from piiscan.report.verdict_words import CLASSES, count, percent, to_review

REPORT: Final = "report.md"
_ACTIONS: Final = {
    "dropped": "dropped",
    "random id": "replaced by random ids",
    "generalised": "generalised",
    "sensitive": "kept as sensitive",
    "kept": "kept unchanged",
}
_HOW_TO_READ: Final = (
    (
        "Class",
        (
            "the rows that have the same labels in all generalised columns. An attacker who looks for a person finds "
            "no less than the person's class."
        ),
    ),
    ("k", "the size of the smallest class, in people."),
    (
        "Prosecutor",
        ("an attacker who knows that a person is in the table. The risk is 1 / the size of the person's class."),
    ),
    (
        "Marketer",
        (
            "an attacker who guesses for everyone at once: the share of guesses that are right, in the population if "
            "one was given, else as if the table contained the whole population."
        ),
    ),
    ("Journalist", ("an attacker who doesn't know who is in the table. Their risk is no more than the prosecutor's.")),
    ("Lost", "how much of a column's detail is lost: 0 if it is unchanged, 1 if nothing is left."),
    (
        "Discernibility",
        (
            "the sum of the squared sizes of classes, in rows, where a row that was left out counts as all rows; the "
            "smaller, the more rows an analysis can distinguish."
        ),
    ),
    (
        "Kullback–Leibler divergence",
        "how far the values guessed from their labels alone are from the real values, in bits for each row.",
    ),
    (
        "ε",
        (
            "how much the private summary can reveal about one person; up to 1 is strong protection, ten is a "
            "promise in name only."
        ),
    ),
)


def pages(data: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the Markdown and its plots, by their paths.

    Without matplotlib there are no plots, and the Markdown says so.
    """
    drawn = {f"plots/{name}.svg": plot for name, plot in _plots(data).items()}
    try:
        pictures = {path: plot.render("svg") for path, plot in drawn.items()}
    except MissingExtra:
        pictures, drawn = {}, {}
    return {REPORT: ("\n".join(_lines(data, drawn)) + "\n").encode(), **pictures}


def _plots(data: Mapping[str, Any]) -> dict[str, Plot]:
    before, after = (data["classes"][when]["sizes"] for when in ("before", "after"))
    ranges = sorted({(r["least"], _range(r)) for r in (*before, *after)})
    labels = list(dict.fromkeys(label for _, label in ranges))
    sides = [_by_range(sizes, labels) for sizes in (before, after)]
    lost = [c for c in data["columns"] if c["loss"] is not None]
    found = {
        "classes": charts.shares(
            f"{_by_class(data)} by the size of their class", labels, sides[0], sides[1], ("before", "after")
        ),
        "lost": charts.bars(
            "What was lost of each column",
            [c["name"] for c in lost],
            [round(c["loss"], 2) for c in lost],
            "share of its detail",
            [1.0] * len(lost),
        ),
    }
    if (spent := data["summary"]) is not None:
        costs = [spent["epsilon"], spent["spent"]["epsilon"]]
        found["budget"] = charts.bars(
            f"Privacy budget of {spent['dataset']}",
            ["this summary", "all so far"],
            costs,
            "epsilon",
            [spent["budget"]["epsilon"]] * 2,
        )
    return found


def _by_class(data: Mapping[str, Any]) -> str:
    return "Rows" if data["whose_rows"]["unit"] is None else "People, once in each class they have rows in,"


def _counted(data: Mapping[str, Any]) -> str:
    return "rows" if data["whose_rows"]["unit"] is None else "people"


def _range(sizes: Mapping[str, Any]) -> str:
    least, most = sizes["least"], sizes["most"]
    if least == most:
        return f"{least:,}"
    return f"{least:,}+" if least >= 1000 else f"{least:,}–{most:,}"


def _by_range(sizes: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> list[float]:
    records = {_range(r): r["records"] for r in sizes}
    total = max(1, sum(records.values()))
    return [records.get(label, 0) / total for label in labels]


def _lines(data: Mapping[str, Any], drawn: Mapping[str, Plot]) -> Iterator[str]:
    yield "# Protection report"
    yield ""
    yield (
        "**For the people responsible for the data.** It contains exact counts of the table before it was "
        "protected: don't publish it with the table."
    )
    yield ""
    yield from grid(("", ""), list(_head(data)))
    yield from title("## What was found, and what was done")
    yield from grid(
        ("Column", "Holds", "Sure", "What happened", "Why", "Lost"),
        [_column(c) for c in data["columns"]],
        numbers=(2, 5),
    )
    yield from title("## How well people are hidden")
    yield from _hidden(data)
    yield from _picture("plots/classes.svg", drawn)
    if data["sensitive"]:
        yield from title("### What classes disclose")
        yield from _given_away(data)
    yield from title("## What was lost")
    yield from _lost(data)
    yield from _picture("plots/lost.svg", drawn)
    yield from title("## What was spent")
    yield from _spent(data)
    yield from _picture("plots/budget.svg", drawn)
    yield from title("## What was promised, and how it was checked")
    yield from grid(
        ("Promise", "Checked by", "Kept"),
        [(escape(p["name"]), escape(p["how"]), _is_kept(p)) for p in data["promises"]],
    )
    yield from title("## What is not protected")
    yield from (f"- {escape(text)}" for text in data["not_protected"])
    if data["command"] is not None:
        yield from title("## How to repeat it")
        yield (
            "Ids and the order of rows are drawn for each release and kept nowhere. Everything else comes out the same:"
        )
        yield ""
        yield from ("```sh", data["command"], "```")
    if not drawn:
        yield ""
        why, _, command = INSTALL.partition(": ")
        yield f"{why.capitalize()}: `{command}`."
    yield from title("## How to read it")
    yield from (f"- *{name}*: {text}" for name, text in _HOW_TO_READ)


def _is_kept(promise: Mapping[str, Any]) -> str:
    return "**no**" if not promise["holds"] else "yes" if promise["checked"] else "not checked"


def _head(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    rows, actions = data["rows"], list(map(_done, data["columns"]))
    name = data["source"] if data["table"] is None else f"{data['source']}::{data['table']}"
    yield "Table", f"{escape(name)} ({data['format']})"
    left_out = (
        f", of which {rows['suppressed']:,} were left out: their classes didn't meet the requested models"
        if rows["suppressed"]
        else ", all of them released"
    )
    yield "Rows", f"{rows['before']:,}{left_out}"
    unit = data["whose_rows"]["unit"]
    yield (
        "Whose rows",
        ("one row for each person, as declared" + _but(data["whose_rows"]["repeated"]))
        if unit is None
        else f"{data['whose_rows']['people']:,} people, identified by {escape(unit)}",
    )
    done = (
        f"{actions.count(words):,} {words}"
        for words in dict.fromkeys((*_ACTIONS.values(), *actions))
        if words in actions
    )
    yield "Columns", f"{len(actions):,}: {', '.join(done)}"
    for model, of in data["models"].items():
        yield escape(model), f"asked {_figures(of['asked'])}, reached {_number(of['reached'])}"
    yield (
        "Private summary",
        "not requested"
        if data["summary"] is None
        else f"epsilon {data['summary']['epsilon']:g}, in {data['summary']['file']}",
    )
    if doubtful := [c["name"] for c in data["columns"] if c["review"]]:
        yield "To review", escape(to_review(doubtful))
    checked = [p["holds"] for p in data["promises"] if p["checked"]]
    yield "Promises", f"{len(checked)} checked, {'all kept' if all(checked) else '**not all kept**'}"
    yield "Made by", f"piiscan {data['tool']['version']}, method {data['method']}"


def _but(repeated: Sequence[Mapping[str, Any]]) -> str:
    doubts = (f"{of['rows']:,} rows share their {escape(of['column'])} with another" for of in repeated)
    return f" (**but {', and '.join(doubts)}**)" if repeated else ""


def _column(column: Mapping[str, Any]) -> tuple[str, ...]:
    holds = f"{column['entity']}: {CLASSES[column['pii']]}" if column["entity"] else CLASSES[column["pii"]]
    lost = "" if column["loss"] is None else f"{column['loss']:.2f}"
    return (
        escape(column["name"]),
        escape(holds),
        f"{int(column['sure'] * 100)}%",
        _done(column),
        escape(column["why"]),
        lost,
    )


def _done(column: Mapping[str, Any]) -> str:
    if column["action"] == "generalised" and not column["loss"]:
        return "counted, with nothing to generalise"
    return _ACTIONS[column["action"]]


def _hidden(data: Mapping[str, Any]) -> Iterator[str]:
    counted, unit = _counted(data), data["whose_rows"]["unit"]
    (before, after), risks = (data["classes"][when] for when in ("before", "after")), data["risk"]
    rows = [
        ("Classes", f"{before['number']:,}", f"{after['number']:,}"),
        (f"Smallest class, in {counted} (k)", f"{before['smallest']:,}", f"{after['smallest']:,}"),
        ("Average class", f"{before['average']:,.1f}", f"{after['average']:,.1f}"),
        (
            "Rows that are alone in their class" if unit is None else "People who are alone in a class",
            *(_alone(data, classes) for classes in (before, after)),
        ),
        (
            "Highest risk of re-identification (prosecutor)",
            *(share(risks[when]["prosecutor"]["highest"]) for when in ("before", "after")),
        ),
        ("Average risk (prosecutor)", *(share(risks[when]["prosecutor"]["average"]) for when in ("before", "after"))),
        (
            "Re-identified by guessing for everyone (marketer)",
            *(share(risks[when]["marketer"]) for when in ("before", "after")),
        ),
    ]
    if risks["after"]["journalist"] is not None:
        rows.append(
            (
                "Highest risk in the population (journalist)",
                *(share(risks[when]["journalist"]["highest"]) for when in ("before", "after")),
            )
        )
    yield from grid(("", "Before", "After"), rows, numbers=(1, 2))
    if unit is not None:
        yield ""
        yield "Averages, and shares of classes, count a person who has rows in several classes once in each."
    quasi = [escape(c["name"]) for c in data["columns"] if c["action"] == "generalised"]
    yield ""
    yield f"Counted over all columns that an attacker is assumed to know: {', '.join(quasi)}."


def _alone(data: Mapping[str, Any], classes: Mapping[str, Any]) -> str:
    if classes["unique_units"] is None:
        return f"{classes['unique']:,} ({share(classes['unique_share'])})"
    return _people(data, classes["unique_units"])


def _people(data: Mapping[str, Any], n: int) -> str:
    return f"{n:,} ({share(n / max(1, data['whose_rows']['people']))})"


def _given_away(data: Mapping[str, Any]) -> Iterator[str]:
    def told(of: Mapping[str, Any]) -> str:
        if of["certain_units"] is None:
            return f"{of['certain']:,} ({share(of['certain_share'])})"
        return _people(data, of["certain_units"])

    rows = [
        (
            escape(of["before"]["column"]),
            *(told(of[when]) for when in ("before", "after")),
            *(f"{of[when]['distinct_l']}" for when in ("before", "after")),
            *(f"{of[when]['t_equal']:.2f}" for when in ("before", "after")),
        )
        for of in data["sensitive"]
    ]
    yield from grid(
        (
            "Column",
            f"{_counted(data).capitalize()} disclosed by a class, before",
            "after",
            "l before",
            "after",
            "t before",
            "after",
        ),
        rows,
        numbers=range(1, 7),
    )
    yield ""
    yield (
        "*Disclosed by a class*: all in it have the same value. *l*: the fewest different values in a class. "
        "*t*: how far a class's values are from all, 0 to 1."
    )


def _lost(data: Mapping[str, Any]) -> Iterator[str]:
    lost, rows = data["lost"], data["rows"]
    gone = [escape(c["name"]) for c in data["columns"] if c["action"] == "dropped"]
    losses = [c["loss"] for c in data["columns"] if c["action"] == "generalised"]
    kept = percent(rows["after"] / max(1, rows["before"]))
    yield (
        f"{count(rows['after'], 'row')} of {rows['before']:,} are in the release ({kept}). Columns that an "
        f"attacker may know lost {sum(losses) / max(1, len(losses)):.1%} of their detail on average."
    )
    yield f"Dropped: {', '.join(gone) or 'no column'}."
    yield ""
    measures = [
        ("Average class, in rows", f"{lost['average_class_size']:,.1f}"),
        ("Discernibility", f"{lost['discernibility']:,}"),
        ("Kullback–Leibler divergence, bits", f"{lost['kl_divergence']:.3f}"),
    ]
    yield from grid(("Measure", "Value"), measures, numbers=(1,))


def _spent(data: Mapping[str, Any]) -> Iterator[str]:
    spent = data["summary"]
    if spent is None:
        yield "Nothing: no private summary was requested (`--epsilon`)."
    else:
        version = f", version {escape(spent['version'])}" if spent["version"] else ""
        yield (
            f"`{spent['file']}` describes {', '.join(map(escape, spent['columns'])) or 'counts'} with "
            f"differential privacy. {escape(spent['neighbours'])}"
        )
        yield ""
        rows = [
            ("This summary", spent["epsilon"], spent["delta"]),
            ("All summaries so far", spent["spent"]["epsilon"], spent["spent"]["delta"]),
            ("Budget", spent["budget"]["epsilon"], spent["budget"]["delta"]),
            ("Left", spent["left"]["epsilon"], spent["left"]["delta"]),
        ]
        yield from grid(
            (f"Dataset {escape(spent['dataset'])}{version}", "ε", "δ"),
            [(n, f"{e:.6g}", f"{d:.3g}") for n, e, d in rows],
            numbers=(1, 2),
        )
    if data["other_releases"]:
        yield ""
        yield "**Other releases of this dataset are known:**"
        yield ""
        yield from (f"- {escape(text)}" for text in data["other_releases"])


def _picture(path: str, drawn: Mapping[str, Plot]) -> Iterator[str]:
    if path in drawn:
        yield ""
        yield drawn[path].markdown(path)


def _figures(asked: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in asked.items())


def _number(value: float | None) -> str:
    return "no bound" if value is None else f"{value:.4g}"
