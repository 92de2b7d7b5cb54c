"""Judges tables by what was counted in them: a summary in, a report out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from typing import TYPE_CHECKING, Final

from piiscan.core import dtypes, shapes
from piiscan.core.entities import PII_CLASS
from piiscan.core.signs import Signs
from piiscan.core.types import (
    ColumnReport,
    Field,
    NotScanned,
    Reason,
    Subject,
    TableInfo,
    TableReport,
)
from piiscan.detection.matching import files_in_cells
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.sample import Sample, fetch_all, fetch_first
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.io.cells import encoded_texts
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import encoded_cells
from piiscan.scanning.classify.column_model import model
from piiscan.scanning.classify.names_beside import OF_PEOPLE
from piiscan.scanning.classify.only_reserved import only_reserved
from piiscan.scanning.classify.profile import SHOWN
from piiscan.scanning.classify.verdict import Verdict
from piiscan.scanning.classify.verdicts import classify_each
from piiscan.scanning.printable_names import names_in, printable
from piiscan.scanning.scan_options import ScanOptions

if TYPE_CHECKING:
    from piiscan.detection.text.text_columns import Said


JUDGED: Final = 512
"""Columns of small tables that are judged together, at most and about: what is known of them takes memory."""


def judge(
    info: TableInfo, summary: TableSummary, rules: RuleSet, options: ScanOptions, complete: bool = True
) -> tuple[TableReport, list[NotScanned]]:
    """The report on a table, from its summary alone; and its columns that a rule could not be run on."""
    return judge_each([(info, summary, complete)], rules, options)[0]


def judge_each(
    tables: Sequence[tuple[TableInfo, TableSummary, bool]], rules: RuleSet, options: ScanOptions
) -> list[tuple[TableReport, list[NotScanned]]]:
    """`judge` of each of some tables, given with whether they were read to their end.

    The result for one depends on none of the others.
    """
    out: list[tuple[TableReport, list[NotScanned]]] = []
    for code, some in _judged_together(tables):
        its_rules = rules
        if code:
            from piiscan.rules.rules_for_code import for_code

            its_rules = for_code(rules)
        shown = [(printable(info, rules), summary) for info, summary, _ in some]
        _fetch([column.sample for _, summary, _ in some for column in summary.columns])
        found = classify_each(shown, its_rules, model(options.model), options.empty_columns, options.spacy)
        for (read, summary, complete), (info, _), (subject, verdicts) in zip(some, shown, found, strict=True):
            out.append(_reported(read, info, summary, subject, verdicts, its_rules, options, complete))
    return out


def _of_what_was_looked_for(verdicts: Sequence[Verdict], rules: RuleSet) -> list[Verdict]:
    """The verdicts, without the entities that only other columns, the model or the look of values speak for."""
    entities = {rule.entity for rule in rules.rules}
    reason = Reason("user", text="it may be something that was not looked for")
    return [
        verdict
        if verdict.entity is None or verdict.entity in entities
        else verdict._replace(
            entity=None, subtype=None, pii="none", rule=None, reasons=(reason,), review=(),
            confidence=round(1 - verdict.confidence, 4),
            pii_confidence=verdict.pii_confidence if verdict.pii == "none" else round(1 - verdict.pii_confidence, 4),
        )
        for verdict in verdicts
    ]  # fmt: skip


def _fetch(samples: Sequence[Sample]) -> None:
    """Fetch what nearly all columns are judged by: the first texts, and all where they may be numbers or dates."""
    fetch_first(samples, SHOWN)
    fetch_all(sample for sample in samples if not dtypes.is_plain_text(text for text, _ in sample.first(1)))


def _judged_together(
    tables: Sequence[tuple[TableInfo, TableSummary, bool]],
) -> Iterator[tuple[bool, list[tuple[TableInfo, TableSummary, bool]]]]:
    """The tables in their order, so many as are judged together; whether they are of code."""
    for code, alike in groupby(tables, key=lambda table: table[0].format == "code"):
        some: list[tuple[TableInfo, TableSummary, bool]] = []
        columns = 0
        for table in alike:
            columns += len(table[0].fields)
            if some and columns > JUDGED:
                yield code, some
                some, columns = [], len(table[0].fields)
            some.append(table)
        yield code, some


def _reported(
    read: TableInfo,
    info: TableInfo,
    summary: TableSummary,
    subject: Subject | None,
    verdicts: Sequence[Verdict],
    rules: RuleSet,
    options: ScanOptions,
    complete: bool,
) -> tuple[TableReport, list[NotScanned]]:
    """What is reported of a table: `read` with its names as read, `info` as printed."""
    if rules.selected or rules.ignored:
        verdicts = _of_what_was_looked_for(verdicts, rules)
    judged = _alike(info, verdicts)
    known = [_decided(info, i, verdict, options) for i, verdict in enumerate(judged)]
    said = _said(info, summary, subject, judged, known, rules, options.spacy)
    decided = (
        _decoded(info, column, _with(own, said.get(i), _fewest(field, rules)), rules, options.spacy)
        for i, (field, column, own) in enumerate(zip(info.fields, summary.columns, known, strict=True))
    )
    columns = tuple(
        _column(i, info, summary.columns[i], _of_lines(verdict, info, summary)) for i, verdict in enumerate(decided)
    )
    failures = [
        NotScanned(info.source, f"rule {rule} ran out of its time budget", info.table, field.name or f"column_{i}")
        for i, field in enumerate(info.fields)
        for rule in summary.columns[i].over_budget
    ]
    failures += _files(info, summary, columns)
    complete = complete and not failures
    return TableReport(
        info.source, info.table, info.format, summary.rows, complete, info.header, subject, columns, options.sample,
        info.details, info.notes, names_in(read, info, rules),
    ), failures  # fmt: skip


def _alike(info: TableInfo, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """One verdict for an attribute of all people, where each has a column: a cell of its own says little."""
    places: dict[str, list[int]] = {}
    for i, field in enumerate(info.fields):
        if field.name is not None and field.parent is not None and info.fields[field.parent].name is None:
            places.setdefault(field.name, []).append(i)
    out = list(verdicts)
    for some in places.values():
        (entity, pii), count = Counter((out[i].entity, out[i].pii) for i in some).most_common(1)[0]
        if len(some) > 1 and 2 * count >= len(some) and pii == "direct":
            known = max((out[i] for i in some if (out[i].entity, out[i].pii) == (entity, pii)), key=_confidence)
            for i in some:
                same = (out[i].entity, out[i].pii) == (entity, pii)
                out[i] = out[i] if same else known._replace(inside=out[i].inside)
    return out


def _confidence(verdict: Verdict) -> float:
    return verdict.confidence


def _files(info: TableInfo, summary: TableSummary, columns: Sequence[ColumnReport]) -> Iterator[NotScanned]:
    """What cells hold that no rule can look into: of a table its columns, of a text all of it.

    Not where the user says what the column is. Pictures that a notebook draws are skipped, as those in folders are.
    """
    for i, (field, column) in enumerate(zip(info.fields, summary.columns, strict=True)):
        if column.files and not files_in_cells.is_drawn(field.name) and _DECLARED not in columns[i].reasons:
            name = None if info.is_text else field.name or f"column_{i}"
            reason = files_in_cells.reason(column.files, info.is_text)
            yield NotScanned(info.source, reason, info.table, name, not info.is_text)


_DECLARED: Final = Reason("user", text="declared in the configuration")


def _decided(info: TableInfo, index: int, verdict: Verdict, options: ScanOptions) -> Verdict:
    name = info.fields[index].name or f"column_{index}"
    for truth in options.truths:
        if fnmatchcase(info.source, truth.path) and truth.table in (None, info.table) and truth.column == name:
            pii = PII_CLASS[truth.entity] if truth.entity else "none"
            inside = () if truth.entity is None else tuple(i for i in verdict.inside if i.entity != truth.entity)
            return Verdict(
                truth.entity,
                None,
                pii,
                1.0,
                verdict.rule if verdict.entity == truth.entity else None,
                (_DECLARED,),
                inside,
            )
    # A class may be surer than which of several identifiers gives it.
    sure = max(verdict.confidence, verdict.pii_confidence if verdict.pii != "none" else 0.0)
    if verdict.entity is not None and sure < options.min_confidence:
        likely = f"it may be {verdict.entity} ({verdict.confidence:.0%} likely)"
        text = f"{likely}, which is less than min_confidence ({options.min_confidence:.0%})"
        return verdict._replace(
            entity=None,
            subtype=None,
            pii="none",
            rule=None,
            confidence=1 - verdict.confidence,
            pii_confidence=verdict.pii_confidence if verdict.pii == "none" else 1 - verdict.pii_confidence,
            reasons=(*verdict.reasons, Reason("model", text=text)),
            review=(likely,) if verdict.review or verdict.pii == "direct" else (),
        )
    return verdict


_MAY_BE_OF_PEOPLE: Final = (None, "person", "event")
"""What the rows are about where sentences in them may well name people who use, work for or answer the owner."""


def _said(
    info: TableInfo,
    summary: TableSummary,
    subject: Subject | None,
    verdicts: Sequence[Verdict],
    decided: Sequence[Verdict],
    rules: RuleSet,
    spacy: str | None,
) -> dict[int, Said]:
    """What is said in the cells of columns, unless the user says what these are.

    Persons, places, organisations, addresses and dates of birth in texts; persons and dates of birth in columns that
    have no entity, and in addresses of pages and the like that hold values behind keys. Those of a kind are read
    together.

    Text that isn't called so for want of confidence is read too: what is named in it doesn't depend on that.
    """
    texts, words = [], []
    for i, (verdict, own) in enumerate(zip(verdicts, decided, strict=True)):
        is_text = verdict.entity == "FREE_TEXT" or (info.is_text and verdict.entity is None)
        if own.entity == "FREE_TEXT" or (is_text and _is_unknown(info, own)):
            texts.append(i)
            continue
        is_words = verdict.entity is None and not info.is_text and _is_unknown(info, own)
        if is_words or _holds_keys(info, summary.columns[i], own, rules):
            words.append(i)
    if not texts and not words:
        return {}
    from piiscan.detection.text import text_columns

    in_texts = text_columns.in_texts([summary.columns[i] for i in texts], rules, spacy)
    of_people = subject in _MAY_BE_OF_PEOPLE
    in_words = text_columns.in_words([summary.columns[i] for i in words], rules, spacy, of_people)
    return dict(zip((*texts, *words), (*in_texts, *in_words), strict=True))


_SEVERAL: Final = 2
"""From so many names on that may be persons', in a text or a cell of words, somebody should look."""


def _fewest(field: Field, rules: RuleSet) -> int:
    """How many such names are enough: under a header that names what people do ("Owner") the same one in all cells."""
    return _SEVERAL if OF_PEOPLE.isdisjoint(rules.named(field.name)) else 1


def _with(verdict: Verdict, said: Said | None, fewest: int) -> Verdict:
    """Add what is said in a column's cells. `fewest`: so many names that may be persons' put it in review."""
    if said is None:
        return verdict
    found = verdict._replace(inside=verdict.inside + said.inside)
    is_kept = verdict.pii == "none" or (verdict.entity == "FREE_TEXT" and said.mostly)
    if (len(said.may_name) < fewest and not said.likely) or not is_kept:
        return found
    sure = min(verdict.pii_confidence, round(1 - max(said.may_name.values()), 4))
    return found._replace(pii_confidence=sure, review=verdict.review or ("it may name persons, none of them surely",))


_SIGNS: Final = Signs("=:@")
"""Signs behind keys and in addresses."""


def _holds_keys(info: TableInfo, column: ColumnSummary, decided: Verdict, rules: RuleSet) -> bool:
    """Whether cells that are of no person, or kept by policies, such as URLs, hold keys of names or odd addresses.

    Not where the user says what they are.
    """
    if decided.pii not in ("none", "quasi") or _DECLARED in decided.reasons or info.format == "code":
        return False
    if not _SIGNS.are_in("\n".join(column.sample.texts)):
        return False
    may = [text for text in column.sample.texts if _SIGNS.are_in(text)]
    from piiscan.detection.reading.url_encoding import unquoted
    from piiscan.detection.text import unusual_addresses
    from piiscan.detection.text.query_values import have_keys

    return unusual_addresses.may_be_in("\n".join(may)) or have_keys(list(map(unquoted, may)), rules)


def _is_unknown(info: TableInfo, decided: Verdict) -> bool:
    """Whether neither the user nor anything else says what a column is."""
    return decided.entity is None and _DECLARED not in decided.reasons and info.format != "code"


def _decoded(info: TableInfo, column: ColumnSummary, verdict: Verdict, rules: RuleSet, spacy: str | None) -> Verdict:
    """Add what is found in the texts that cells hold encoded, unless the user says what the column is."""
    if verdict.pii == "direct" or _DECLARED in verdict.reasons or info.format == "code":
        return verdict
    is_list, is_whole = len(info.fields) == 1, True
    if not (cells := encoded_cells.cells_of(column, is_list)):
        cells, is_whole = encoded_cells.cells_of(column, is_list, encoded_texts.within), False
    found = encoded_cells.found_in(cells, column, rules, spacy) if cells else ()
    if not cells or not (found or is_whole):  # words among others may be keys of things
        return verdict
    known = {entry.rule for entry in verdict.inside}
    more = [entry for entry in found if entry.rule not in known]
    reason = Reason("encoded", cells=sum(count for _, count in cells), text="text in Base64 or hexadecimal")
    return verdict._replace(inside=(*verdict.inside, *more), reasons=(*verdict.reasons, reason))


def _of_lines(verdict: Verdict, info: TableInfo, summary: TableSummary) -> Verdict:
    """The verdict on a text, in which nothing is inside more lines than there are.

    The sample has pieces of overlong ones, and doesn't say which belong to the same line.
    """
    if not info.is_text or all(column.cells <= summary.rows for column in summary.columns):
        return verdict
    return verdict._replace(inside=tuple(i._replace(cells=min(i.cells, summary.rows)) for i in verdict.inside))


def _column(index: int, info: TableInfo, summary: ColumnSummary, verdict: Verdict) -> ColumnReport:
    field = info.fields[index]
    first = summary.sample.first(shapes.MOST_LOOKED_AT)
    is_plain = field.dtype != "string" or dtypes.is_plain_text(text for text, _ in first)
    dtype = field.dtype if is_plain else dtypes.infer(summary.sample.texts)
    return ColumnReport(
        index,
        field.name,
        dtype,
        verdict.entity,
        verdict.subtype,
        verdict.pii,
        verdict.confidence,
        summary.nulls,
        summary.distinct,
        not summary.sample.full,
        shapes.commonest(first),
        verdict.rule,
        verdict.reasons,
        verdict.inside,
        field.parent,
        verdict.pii_confidence,
        verdict.review,
        only_reserved(verdict, summary.unreserved, summary.filled, [entry.reserved for entry in verdict.inside]),
        only_reserved(verdict, summary.others, summary.filled, [entry.quiet for entry in verdict.inside]),
        sum(summary.files.values()),
        verdict.named,
    )
