"""Verdicts: what each column of a table is, from its exact summary, its header and its neighbours.

`column` judges each column by itself (`header`, `hits`, `values`, `names`), `learned` adds what the trained `model`
makes of its `features`, `neighbours` judges across columns, `subject` says what the rows are about. Every weight is a
log-odds, so that evidence adds; `confidence` is the probability of the sum.
"""

from __future__ import annotations

from typing import NamedTuple

from piiscan.core.types import Inside, Pii, Reason, Subject, TableInfo
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.classify.adjust_for_subject import adjust_for_subject
from piiscan.scanning.classify.candidates import ColumnCandidates, judge, probability
from piiscan.scanning.classify.cannot_be import possible
from piiscan.scanning.classify.class_confidence import class_doubt
from piiscan.scanning.classify.column_model import ColumnModel
from piiscan.scanning.classify.entities_inside import inside
from piiscan.scanning.classify.header_evidence import readable_fields
from piiscan.scanning.classify.lexicon import Lexicon, lexicon
from piiscan.scanning.classify.model_evidence import with_model
from piiscan.scanning.classify.neighbours import with_neighbours
from piiscan.scanning.classify.subject import RowSubject, pii_class, row_subject


class Verdict(NamedTuple):
    """`confidence` is the probability that `entity` (or None) is right; `rule` is the rule that carries it.
    `pii_confidence` is the probability that `pii` is right; `review` says why a person should look at the column."""

    entity: str | None
    subtype: str | None
    pii: Pii
    confidence: float
    rule: str | None
    reasons: tuple[Reason, ...]
    inside: tuple[Inside, ...]
    pii_confidence: float = 1.0
    review: tuple[str, ...] = ()


def classify(
    info: TableInfo, summary: TableSummary, rules: RuleSet, model: ColumnModel, empty_columns: bool = False
) -> tuple[Subject | None, tuple[Verdict, ...]]:
    """The subject of the table's rows and one verdict per column. A pure function of the summary. `empty_columns`:
    judge columns without any value by their headers."""
    known = lexicon(rules)
    alone = [judge(i, field, summary.columns[i], known) for i, field in enumerate(readable_fields(info))]
    columns = with_neighbours(with_model(alone, summary.columns, known, model), summary)
    columns = [possible(c, info) for c in columns]
    columns = adjust_for_subject(columns, row_subject(info, columns, summary.rows, model.subject))
    rows = row_subject(info, columns, summary.rows, model.subject)
    verdicts = (_verdict(c, summary.columns[c.index], rows, known) for c in columns)
    return rows.subject, tuple(
        v if empty_columns or summary.columns[i].filled else _unjudged(v) for i, v in enumerate(verdicts)
    )


def _unjudged(verdict: Verdict) -> Verdict:
    """A column without values is nothing, unless headers alone are to be believed."""
    if verdict.entity is None:
        return verdict
    reason = Reason("values", text=f"no values; by its header it would be {verdict.entity}")
    confidence = round(1 - verdict.confidence, 4)
    return Verdict(None, None, "none", confidence, None, (reason,), (), confidence)


def _nearly(column: ColumnCandidates) -> tuple[Reason, ...]:
    """Why a column isn't what it comes nearest to."""
    if not column.candidates or column.candidates[0].logit < -4:
        return ()
    nearest = column.candidates[0]
    text = f"nearest to {nearest.entity}, but that is only {probability(nearest.logit):.0%} likely"
    by = nearest.reasons[0].by if nearest.reasons else "values"
    return (
        Reason(by, nearest.rule, text=text),
        *(r for r in nearest.reasons if r.text != f"it may mean {nearest.entity}, among other things"),
    )


def _verdict(column: ColumnCandidates, summary: ColumnSummary, rows: RowSubject, known: Lexicon) -> Verdict:
    best = column.best()
    pii: Pii = "none"
    if best is None:
        entity = subtype = rule = None
        confidence = round(1 - max((probability(c.logit) for c in column.candidates), default=0.02), 4)
        reasons = _nearly(column)
    else:
        entity, subtype, rule = best.entity, best.subtype, best.rule
        confidence = round(probability(best.logit), 4)
        pii, reason = pii_class(best, column, rows)
        reasons = best.reasons if reason is None else (*best.reasons, reason)
    doubt = class_doubt(column, pii, confidence, rows)
    review = doubt.review if summary.filled else ()  # there is nothing to look at in an empty column
    found = inside(summary, entity, column.header, known)
    return Verdict(entity, subtype, pii, confidence, rule, reasons, found, doubt.pii_confidence, review)
