"""Verdicts: what each column of a table is and how personal that is, from its exact summary, its header and its
neighbours.

What a column is: `candidates` judges it by itself, `model_evidence` adds what the trained model makes of it among its
neighbours, `subject` says what the rows are about. Each weight is a log-odds, so that evidence
adds; `confidence` is the probability of the sum. How personal it is: `class_model` gives the probabilities,
`class_decision` the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Field, ForeignKey, Inside, Pii, Reason, Subject, TableInfo
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.classify.adjust_for_subject import adjust_for_subject
from piiscan.scanning.classify.candidates import ColumnCandidates, judge, probability
from piiscan.scanning.classify.cannot_be import possible
from piiscan.scanning.classify.class_decision import Decision, decide, shared_by_contacts, with_inside
from piiscan.scanning.classify.class_model import Presumed, class_inputs, presumed_confidence
from piiscan.scanning.classify.column_model import ColumnModel
from piiscan.scanning.classify.entities_inside import in_code, inside
from piiscan.scanning.classify.header_evidence import readable_fields
from piiscan.scanning.classify.lexicon import Lexicon, lexicon
from piiscan.scanning.classify.model_evidence import learned, with_model
from piiscan.scanning.classify.subject import RowSubject, bounds, pii_class, row_subject

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


_BY_HEADERS = 0.9
"""How sure a verdict is at most that the headers of another table give."""
_OF_TEXT = Reason("subject", text="a text; what stands inside it counts")


class Evidence(NamedTuple):
    """All that is known of a table before the classes of its columns are decided. `inputs`: (columns, INPUT_WIDTH)."""

    columns: Sequence[ColumnCandidates]
    rows: RowSubject
    presumed: Sequence[Presumed]
    inputs: NDArray[np.float32]


def gather(info: TableInfo, summary: TableSummary, known: Lexicon, model: ColumnModel) -> Evidence:
    """The evidence of a table that has columns."""
    alone = [judge(i, field, summary.columns[i], known) for i, field in enumerate(readable_fields(info))]
    found = learned(info, alone, summary, known, model)
    columns = [possible(c, info) for c in with_model(alone, found, known, model)]
    columns = adjust_for_subject(columns, row_subject(info, columns, summary.rows, model.subject))
    rows = row_subject(info, columns, summary.rows, model.subject)
    presumed = [_presumed(c, rows, info, len(columns) == 1) for c in columns]
    return Evidence(columns, rows, presumed, class_inputs(columns, summary.columns, presumed, rows, found, known))


def _presumed(column: ColumnCandidates, rows: RowSubject, info: TableInfo, single: bool) -> Presumed:
    best = column.best()
    if info.is_text and (best is None or best.entity == "FREE_TEXT"):
        # Lines of a text are what stands inside them, which is found and listed by itself.
        return Presumed(best, "none", _OF_TEXT, presumed_confidence(column), "none", "none")
    if best is None:
        return Presumed(None, "none", None, presumed_confidence(column), "none", "direct")
    pii, reason = pii_class(best, column, rows)
    return Presumed(best, pii, reason, presumed_confidence(column), *bounds(best, pii, column, rows, single))


def classify(
    info: TableInfo, summary: TableSummary, rules: RuleSet, model: ColumnModel, empty_columns: bool = False
) -> tuple[Subject | None, tuple[Verdict, ...]]:
    """The subject of the table's rows and one verdict per column. A pure function of the summary. `empty_columns`:
    judge columns without any value by their headers."""
    if not info.fields:
        return row_subject(info, (), summary.rows, model.subject).subject, ()
    known = lexicon(rules)
    if info.format == "code":
        return None, tuple(_of_code(column, known) for column in summary.columns)
    e = gather(info, summary, known, model)
    odds = model.pii.probabilities(e.inputs, [c.header is not None for c in e.columns])
    odds = shared_by_contacts(e.columns, e.presumed, odds)
    limits = model.thresholds.within(odds)
    verdicts = []
    for column, presumed, own, inputs in zip(e.columns, e.presumed, odds, e.inputs, strict=True):
        of = summary.columns[column.index]
        within = inside(of, presumed.best.entity if presumed.best else None, column.header, known)
        decision = decide(column, with_inside(presumed, within), own, limits, partial(model.pii.weighed_most, inputs))
        if decision.best is not presumed.best:
            within = inside(of, decision.best.entity if decision.best else None, column.header, known)
        verdict = _verdict(column, of, decision, within)
        verdicts.append(verdict if of.filled or empty_columns else _unjudged(verdict))
    for key in info.foreign_keys:
        if summary.columns[key.column].filled or empty_columns:
            verdicts[key.column] = _as_foreign_key(verdicts[key.column], key, known, model)
    return e.rows.subject, tuple(verdicts)


def _as_foreign_key(verdict: Verdict, key: ForeignKey, known: Lexicon, model: ColumnModel) -> Verdict:
    """The verdict on a column of keys of another table, raised where that table is about persons by its name and
    headers: its cells aren't looked at, so that a table is judged the same with and without those beside it."""
    if verdict.pii != "none" or verdict.entity not in (None, "GENERIC_ID"):
        return verdict
    there = TableInfo("", key.table, "csv", True, tuple(Field(name) for name in key.columns))
    columns = [judge(i, field, ColumnSummary(), known) for i, field in enumerate(readable_fields(there))]
    rows = row_subject(there, columns, 0, model.subject)
    if rows.subject != "person" or not rows.personal:
        return verdict
    sure = round(min(_BY_HEADERS, probability(rows.score)), 4)
    reason = Reason("neighbour", text="declared to hold keys of a table about persons")
    return verdict._replace(
        entity="PERSON_ID", subtype=None, pii="quasi", confidence=sure, rule=None, reasons=(reason,),
        pii_confidence=sure, review=(),
    )  # fmt: skip


def _of_code(column: ColumnSummary, known: Lexicon) -> Verdict:
    """Literals and comments are no column of anything: what stands in them counts."""
    return Verdict(None, None, "none", 1.0, None, (), in_code(inside(column, None, None, known), known))


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


def _verdict(
    column: ColumnCandidates, summary: ColumnSummary, decision: Decision, found: tuple[Inside, ...]
) -> Verdict:
    best, reason = decision.best, decision.reason
    listed = any(PII_CLASS[i.entity] == "direct" for i in found) and best is None
    # There is nothing to look at in an empty column, nor in one whose doubt is what its cells are reported for.
    review = decision.review if summary.filled and not listed else ()
    if best is None:
        entity = subtype = rule = None
        confidence, reasons = presumed_confidence(column), _nearly(column)
    else:
        entity, subtype, rule = best.entity, best.subtype, best.rule
        confidence = probability(best.logit)
        reasons = best.reasons if reason is None else (*best.reasons, reason)
    sure = decision.pii_confidence
    return Verdict(entity, subtype, decision.pii, round(confidence, 4), rule, reasons, found, sure, review)
