"""Decides what each column of a table is and how personal that is.

From its exact summary, its header and its neighbours.

What a column is: `candidates` judges it by itself, `model_evidence` adds what the trained model makes of it among its
neighbours, `subject` says what the rows are about. Each weight is a log-odds, so that evidence
adds; `confidence` is the probability of the sum. How personal it is: `class_model` gives the probabilities,
`class_decision` the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Inside, Pii, Reason, Subject, TableInfo
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.detection.text import pipelines
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.classify import (
    fixed_width,
    location_history,
    machine_names,
    mixed_lists,
    named_things,
    unlisted_names,
    unread_scripts,
)
from piiscan.scanning.classify.adjust_for_subject import adjust_for_subject
from piiscan.scanning.classify.candidates import ColumnCandidates, judge, probability
from piiscan.scanning.classify.cannot_be import possible
from piiscan.scanning.classify.class_by_rule import bounds, pii_class
from piiscan.scanning.classify.class_decision import (
    Decision,
    contacts_of_owners,
    decide,
    with_facts,
    with_inside,
    with_places,
    with_public_mail,
)
from piiscan.scanning.classify.class_model import Learned, Presumed, class_inputs, presumed_confidence
from piiscan.scanning.classify.column_model import ColumnModel
from piiscan.scanning.classify.column_values import ColumnValues, looked_up
from piiscan.scanning.classify.entities_inside import in_code, inside
from piiscan.scanning.classify.header_prefix import fields_as_read
from piiscan.scanning.classify.lexicon import Lexicon, lexicon
from piiscan.scanning.classify.lone_names import with_lone_names, without_lone_names
from piiscan.scanning.classify.model_evidence import learned, with_model
from piiscan.scanning.classify.names_beside import NAMES, with_names_beside
from piiscan.scanning.classify.profile import profiles
from piiscan.scanning.classify.related_verdicts import (
    LOCATED,
    as_foreign_key,
    as_persons_contacts,
    in_form,
    names_others,
    of_persons,
    with_links,
)
from piiscan.scanning.classify.subject import RowSubject, row_subject
from piiscan.scanning.classify.translated_labels import without_labels
from piiscan.scanning.classify.verdict import BY_HEADERS, BY_LINKS, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MAY_BE_NAMED = 0.4
"""From which probability on reports say that a header above no value names a direct identifier."""
_OF_TEXT = Reason("subject", text="a text; its contents count")


class Evidence(NamedTuple):
    """All that is known of a table before the classes of its columns are decided. `inputs`: (columns, INPUT_WIDTH)."""

    columns: Sequence[ColumnCandidates]
    rows: RowSubject
    presumed: Sequence[Presumed]
    inputs: NDArray[np.float32]


Tables = Sequence[tuple[TableInfo, TableSummary]]


def gather(tables: Tables, known: Lexicon, model: ColumnModel) -> list[Evidence]:
    """The evidence of each of some tables, which have columns.

    The model sees the columns of all at once, since its calls cost more than a few columns do.
    """
    seen = profiles([c for _, summary in tables for c in summary.columns])
    every = {p.at: ColumnValues(p, known) for p in seen}
    looked_up(list(every.values()))
    each = (every[p.at] for p in seen)
    values = [list(islice(each, len(summary.columns))) for _, summary in tables]
    alone = [
        [judge(i, field, summary.columns[i], known, own[i]) for i, field in enumerate(fields_as_read(info, known))]
        for (info, summary), own in zip(tables, values, strict=True)
    ]
    found = learned([(info, own, summary) for (info, summary), own in zip(tables, alone, strict=True)], known, model)
    weighed = with_model(list(zip(alone, found, strict=True)), known, model)
    return [
        _gathered(info, summary, columns, own, known, model)
        for (info, summary), columns, own in zip(tables, weighed, found, strict=True)
    ]


def _gathered(
    info: TableInfo,
    summary: TableSummary,
    weighed: Sequence[ColumnCandidates],
    found: Learned,
    known: Lexicon,
    model: ColumnModel,
) -> Evidence:
    """The evidence of a table with the model's log-odds weighed in."""
    columns = with_names_beside([possible(c, info) for c in without_labels(weighed, known)], summary.row_sample)
    columns = without_lone_names(info, columns, summary.rows, model.subject)
    rows = row_subject(info, columns, summary.rows, model.subject)
    before, columns = columns, adjust_for_subject(columns, rows)
    if any(old.candidates != new.candidates for old, new in zip(before, columns, strict=True)):
        rows = row_subject(info, columns, summary.rows, model.subject)
    presumed = [_presumed(c, rows, info, len(columns) == 1) for c in columns]
    return Evidence(columns, rows, presumed, class_inputs(columns, summary.columns, presumed, rows, found, known))


def _presumed(column: ColumnCandidates, rows: RowSubject, info: TableInfo, single: bool) -> Presumed:
    best = column.best()
    if info.is_text and (best is None or best.entity == "FREE_TEXT"):
        # Lines of a text are what stands inside them, which is found and listed by itself.
        return Presumed(best, "none", _OF_TEXT, presumed_confidence(column), "none", "none")
    if best is None:
        is_nobodys = rows.of_names or machine_names.are(column) or _names_things(column, rows)
        most: Pii = "none" if is_nobodys else "direct"
        return Presumed(None, "none", None, presumed_confidence(column), "none", most)
    pii, reason = pii_class(best, column, rows)
    return Presumed(best, pii, reason, presumed_confidence(column), *bounds(best, pii, column, rows, single))


def _names_things(column: ColumnCandidates, rows: RowSubject) -> bool:
    return not rows.personal and named_things.heads(column)


def classify(
    info: TableInfo, summary: TableSummary, rules: RuleSet, model: ColumnModel, empty_columns: bool = False
) -> tuple[Subject | None, tuple[Verdict, ...]]:
    """The subject of the table's rows and one verdict per column.

    A pure function of the summary. `empty_columns`: judge columns without any value by their headers.
    """
    return classify_each([(info, summary)], rules, model, empty_columns)[0]


def classify_each(
    tables: Tables, rules: RuleSet, model: ColumnModel, empty_columns: bool = False, spacy: str | None = None
) -> list[tuple[Subject | None, tuple[Verdict, ...]]]:
    """`classify` of each of some tables, whatever the others are.

    `spacy`: the pipeline that reads texts instead of the recogniser.
    """
    known = lexicon(rules)
    judged = [(info, summary) for info, summary in tables if info.fields and info.format != "code"]
    evidence = gather(judged, known, model) if judged else []
    named = [c.header is not None for e in evidence for c in e.columns]
    every = model.pii.probabilities(np.concatenate([e.inputs for e in evidence]), named) if evidence else None
    found, at = iter(evidence), 0
    out: list[tuple[Subject | None, tuple[Verdict, ...]]] = []
    for info, summary in tables:
        if not info.fields:
            out.append((row_subject(info, (), summary.rows, model.subject).subject, ()))
        elif info.format == "code":
            out.append((None, tuple(_of_code(column, known) for column in summary.columns)))
        else:
            e = next(found)
            assert every is not None
            odds, at = every[at : at + len(e.columns)], at + len(e.columns)
            out.append((e.rows.subject, _verdicts(info, summary, e, odds, known, model, empty_columns, spacy)))
    return out


def _verdicts(
    info: TableInfo,
    summary: TableSummary,
    e: Evidence,
    odds: NDArray[np.float64],
    known: Lexicon,
    model: ColumnModel,
    empty_columns: bool,
    spacy: str | None,
) -> tuple[Verdict, ...]:
    """The verdicts on the columns of a table, of which these are the probabilities of each class."""
    odds = with_public_mail(odds, e.columns, e.presumed, e.rows)
    odds = with_lone_names(odds, e.columns, e.rows)
    odds = with_facts(odds, contacts_of_owners(e.columns, e.presumed, e.rows.parts), [p.most for p in e.presumed])
    limits = model.thresholds.within(odds)
    odds = with_places(odds, e.columns, e.presumed, e.rows.parts)
    verdicts = []
    for column, presumed, own, inputs in zip(e.columns, e.presumed, odds, e.inputs, strict=True):
        of = summary.columns[column.index]
        within = inside(of, presumed.best.entity if presumed.best else None, column.header, known)
        decision = decide(
            column, with_inside(presumed, within, e.rows), own, limits, partial(model.pii.weighed_most, inputs)
        )
        if decision.best is not presumed.best:
            within = inside(of, decision.best.entity if decision.best else None, column.header, known)
        verdict = _verdict(
            column, of, decision, within, _not_known(column, decision, e, info, spacy) if of.filled else ()
        )
        if _names_things(column, e.rows) and verdict.pii == "none":
            verdict = verdict._replace(pii_confidence=min(verdict.pii_confidence, BY_HEADERS))
        verdicts.append(verdict if of.filled or empty_columns else _unjudged(verdict, column))
    for key in info.foreign_keys:
        if key.is_alone and (summary.columns[key.column].filled or empty_columns):
            verdicts[key.column] = as_foreign_key(verdicts[key.column], key, known, model)
    if info.referred_by and not names_others(info, e.rows):
        verdicts = as_persons_contacts(verdicts, info, known, model)
    if recorded := location_history.what_is_recorded(info, e.columns, [v.entity for v in verdicts]):
        verdicts = [of_persons(v, BY_LINKS, recorded, (*LOCATED, "PERSON_ID")) for v in verdicts]
    return tuple(with_links(in_form(verdicts, info, e.columns, e.rows), info, e.columns, e.rows, summary))


def _of_code(column: ColumnSummary, known: Lexicon) -> Verdict:
    """The verdict on source code: literals and comments are no column of a table, so their contents count."""
    return Verdict(None, None, "none", 1.0, None, (), in_code(inside(column, None, None, known), known))


def _unjudged(verdict: Verdict, column: ColumnCandidates) -> Verdict:
    """The verdict on a column without values: no entity, unless headers alone are to be trusted."""
    if verdict.entity is None:
        nearest = column.candidates[0] if column.candidates else None
        if nearest is None or not nearest.by_header or PII_CLASS[nearest.entity] != "direct":
            return verdict
        return verdict._replace(named=nearest.entity) if probability(nearest.logit) >= _MAY_BE_NAMED else verdict
    reason = Reason("values", text=f"no values; by its header it would be {verdict.entity}")
    confidence = round(1 - verdict.confidence, 4)
    return Verdict(None, None, "none", confidence, None, (reason,), (), confidence, named=verdict.entity)


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


def _not_known(
    column: ColumnCandidates, decision: Decision, e: Evidence, info: TableInfo, spacy: str | None
) -> tuple[str, ...]:
    """Why the probabilities say too much of a column: the model has hardly seen its like."""
    best = decision.best
    if decision.pii == "direct" or not (best is None or best.entity == "FREE_TEXT" or not best.by_header):
        return ()
    is_text = info.is_text or (best is not None and best.entity == "FREE_TEXT")
    if (script := unread_scripts.script(column, is_text)) is not None:
        is_read = is_text and spacy is not None and unread_scripts.reads(pipelines.language(spacy), script)
        return () if is_read else (f"names of persons are hardly found in {script} script",)
    if best is not None and best.entity != "ORGANIZATION":
        return ()
    doubts = _may_be_names(column, decision, e, info) if best is None or e.rows.alone else ()
    if not doubts and not decision.review and unlisted_names.may_be_of_persons(column, e.columns, e.rows):
        return ("it may have names of persons in no list, by what is beside it",)
    return doubts


def _may_be_names(column: ColumnCandidates, decision: Decision, e: Evidence, info: TableInfo) -> tuple[str, ...]:
    """Why a column without an entity may have names of persons in it."""
    if info.fields[column.index].dtype == "other" and (doubt := mixed_lists.doubt(column)) is not None:
        return (doubt,)
    if info.is_text and fixed_width.has_names(column):
        return ("given names and family names are in its lines, whose cells have fixed widths",)
    is_alone = (len(e.columns) == 1 or e.rows.alone) and e.rows.subject is None and e.presumed[0].most == "direct"
    may_be_names = any(n.rule.id in NAMES for n in column.named) and column.profile.with_digit < 0.5
    if is_alone and not decision.review and may_be_names:
        return ("its header says that it has names, and nothing says whose",)
    if not decision.review and unlisted_names.are_called_people(column):
        return ("its header says that it has people, and its cells may be names in no list",)
    return ()


def _verdict(
    column: ColumnCandidates,
    summary: ColumnSummary,
    decision: Decision,
    found: tuple[Inside, ...],
    not_known: tuple[str, ...],
) -> Verdict:
    best, reason = decision.best, decision.reason
    listed = any(PII_CLASS[i.entity] == "direct" for i in found) and best is None
    # There is nothing to look at in an empty column, nor in one whose doubt is what its cells are reported for.
    review = (*(decision.review if summary.filled and not listed else ()), *not_known)
    if best is None:
        entity = subtype = rule = None
        confidence, reasons = presumed_confidence(column), _nearly(column)
    else:
        entity, subtype, rule = best.entity, best.subtype, best.rule
        confidence = probability(best.logit)
        reasons = best.reasons if reason is None else (*best.reasons, reason)
    sure = decision.pii_confidence
    return Verdict(entity, subtype, decision.pii, round(confidence, 4), rule, reasons, found, sure, review)
