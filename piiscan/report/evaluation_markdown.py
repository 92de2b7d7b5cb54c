"""The evaluation as GitHub-flavoured Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from piiscan.report.markdown_report import escape, grid, title
from piiscan.report.verdict_words import count
from piiscan.synthesis.evaluation.compare_tables import STAMP, Comparison

if TYPE_CHECKING:
    from piiscan.synthesis.evaluation.association import Associations
    from piiscan.synthesis.evaluation.classifier import Score

_ONE_ROW: Final = "The real table has one row, of which no part can be set aside, so this is left out."
_WAYS: Final = {1: "single columns", 2: "pairs of columns", 3: "three columns"}


def render(evaluation: Comparison, plots: Mapping[str, str]) -> str:
    return "\n".join(_lines(evaluation, plots)) + "\n"


def _lines(e: Comparison, plots: Mapping[str, str]) -> Iterator[str]:
    yield from opening("Synthetic rows compared with the real ones", rows(e), "the real table", "it")
    yield from sections(e, plots, "##")


def opening(headline: str, counts: str, real: str, them: str) -> Iterator[str]:
    """Return the stamp, the heading, how many there are, and who may see the figures."""
    yield f"**{STAMP.capitalize()}.**"
    yield ""
    yield f"# {headline}"
    yield ""
    yield counts
    yield (
        f"All figures are exact ones of {real}. They are only for people who may see {them}, and no epsilon "
        "covers them."
    )


def rows(e: Comparison) -> str:
    """Return how many rows and columns were compared."""
    return (
        f"{count(e.synthetic_rows, 'synthetic row')}, {count(e.real_rows, 'real row')}, "
        f"{count(len(e.columns), 'declared column')}."
    )


def sections(e: Comparison, plots: Mapping[str, str], level: str) -> Iterator[str]:
    """Return the sections about one table. level: the marks of their headings."""
    yield from title(f"{level} Distances")
    yield (
        "Total variation distance between the shares of groups: 0 for equal tables, 1 for disjoint ones. *By "
        "chance* is the mean for as many rows"
    )
    yield "drawn from the real table itself."
    yield ""
    yield from grid(
        ("", "Mean", "By chance", "Worst", "Worst columns"),
        [
            (
                _WAYS[d.ways] + (f" ({d.compared:,} of {d.groups:,})" if d.compared < d.groups else ""),
                f"{d.mean:.4f}",
                f"{d.floor:.4f}",
                f"{d.worst:.4f}",
                ", ".join(map(escape, d.worst_columns)),
            )
            for d in e.distances
        ],
        range(1, 4),
    )
    if e.pairs is not None:
        yield from images(plots, "pairs")
    yield from title(f"{level} Columns")
    yield from grid(("Column", "Distance"), [(escape(c.name), f"{c.distance:.4f}") for c in e.columns], range(1, 2))
    yield from images(plots, "shares-")
    yield from _numbers(e, plots, level)
    yield from title(f"{level} Associations between columns")
    yield from _apart("Correlations of numbers (Pearson)", e.correlations)
    yield from _apart("Associations of all columns (Cramér's V, numbers by their bins)", e.associations)
    yield from images(plots, "correlations")
    yield from images(plots, "associations")
    yield from _classifier(e, level)
    yield from _copies(e, level)
    yield from _attack(e, level)


def _numbers(e: Comparison, plots: Mapping[str, str], level: str) -> Iterator[str]:
    numeric = [(c.name, c.numbers) for c in e.columns if c.numbers is not None]
    if not numeric:
        return
    yield from title(f"{level} Numbers")
    yield (
        "Logarithms are to base 10, of absolute values. *Cumulative* is the largest distance between the two "
        "cumulative distributions"
    )
    yield "(Kolmogorov–Smirnov). *Beyond* is the share of real numbers outside the declared bounds."
    yield ""
    yield from grid(
        ("Column", "Log mean, real", "Synthetic", "Log std, real", "Synthetic", "Cumulative", "Beyond"),
        [
            (
                escape(name),
                *(
                    figure(x)
                    for x in (n.real.log_mean, n.synthetic.log_mean, n.real.log_std, n.synthetic.log_std, n.ks)
                ),
                "–" if n.beyond is None else share(n.beyond),
            )
            for name, n in numeric
        ],
        range(1, 7),
    )
    yield from images(plots, "log-")
    yield from images(plots, "cumulative-")


def _apart(what: str, a: Associations) -> Iterator[str]:
    if a.mean_difference is None or a.largest_difference is None or a.largest_columns is None:
        yield f"- {what}: there are no two columns to compare."
        return
    first, second = map(escape, a.largest_columns)
    yield (
        f"- {what}: they differ by {a.mean_difference:.4f} on average, most by "
        f"{a.largest_difference:.4f} ({first} and {second})."
    )


def _classifier(e: Comparison, level: str) -> Iterator[str]:
    yield from title(f"{level} A classifier")
    c = e.classifier
    if e.real_rows < 2:
        yield _ONE_ROW
        return
    if c is None:
        yield "There is no column of categories to predict from others, so none was trained."
        return

    def row(what: str, score: Score) -> tuple[str, str, str]:
        return what, f"{score.accuracy:.2%}", f"{score.balanced:.2%}"

    yield (
        f"It predicts {escape(c.target)} from all other columns (a random forest), and is tested on "
        f"{count(c.tested, 'real row')} that no classifier was trained on."
    )
    yield "If the synthetic rows were made from this table, those rows were in it."
    yield "*Balanced* is the mean over the classes."
    yield ""
    yield from grid(
        ("Trained on", "Accuracy", "Balanced"),
        [
            row("synthetic rows", c.synthetic),
            row("real rows", c.real),
            row("nothing: always the most common class", c.majority),
        ],
        range(1, 3),
    )


def _copies(e: Comparison, level: str) -> Iterator[str]:
    yield from title(f"{level} Copies")
    c = e.copies
    if c is None:
        yield _ONE_ROW
        return
    yield (
        f"Of three quarters of the real rows, {c.unique:,} are unique, numbers by their bins. "
        f"{share(c.synthetic)} of the synthetic rows equal one"
    )
    yield (
        f"of them; of the real rows of the other quarter, {share(c.held_out)} do. A far larger share of "
        "synthetic rows than of real ones would hint at copies."
    )


def _attack(e: Comparison, level: str) -> Iterator[str]:
    yield from title(f"{level} A membership attack")
    a = e.attack
    if a is None:
        yield (
            "None was tried, as no control rows were given: rows of the same population that the synthetic rows "
            "weren't made from."
        )
        return
    yield (
        f"An attacker who knows the synthetic rows and {count(a.reference, 'row')} of the same population says of "
        f"{count(a.members, 'real row')} and {count(a.others, 'control row')} which were real ones, by their nearest "
        "neighbours."
    )
    yield (
        f"The share of real rows that are recognised exceeds that of control rows by **{a.advantage:.1%}** (95 % "
        f"confidence interval {a.low:.1%} to {a.high:.1%}): 0 % is guessing, 100 % knowing."
    )
    yield "If the synthetic rows weren't made from this table, the figure says nothing. Stronger attacks exist, so a"
    yield "small one proves nothing."


def images(plots: Mapping[str, str], start: str) -> Iterator[str]:
    """Return the images whose names start so."""
    for name, image in plots.items():
        if name.startswith(start):
            yield ""
            yield image


def figure(number: float | None) -> str:
    return "–" if number is None else f"{number:.4f}"


def share(part: float) -> str:
    return f"{part:.2%}"
