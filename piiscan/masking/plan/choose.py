"""Chooses the operator for a column that gets a surrogate, a same-format mask, or masks inside its texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.types import ColumnReport, DType, TableReport
from piiscan.masking.operators import elements, operator_registry
from piiscan.masking.plan import phone_columns, place_columns
from piiscan.masking.plan.choice import Chosen
from piiscan.masking.plan.date_columns import coarser_dates, shifted_dates
from piiscan.masking.plan.number_columns import MAYBE
from piiscan.masking.plan.plan_types import Subject
from piiscan.masking.plan.subjects import PLACE_KINDS
from piiscan.masking.plan.whose_columns import is_reading, whose_part
from piiscan.scanning.classify.person_names import only_particles

PERSONA: Final[Mapping[str, str]] = {
    "PERSON": "name",
    "FIRST_NAME": "first_name",
    "LAST_NAME": "last_name",
    "EMAIL_ADDRESS": "email",
    "USERNAME": "username",
    "URL": "url",
}
"""Entity → the part of a made-up person that stands for it."""
_CHECKED: Final[Mapping[str, str]] = {"CREDIT_CARD": "CREDIT_CARD", "IBAN_CODE": "IBAN_CODE"}
_KEPT: Final[Mapping[str, int]] = {"CREDIT_CARD": 4, "IBAN_CODE": 2, "IMEI": 2, "ICCID": 2, "IMSI": 3}
"""Characters at the start that say the brand of a card, the country of an account, who numbers a telephone, what a
SIM card is, its country."""
_HEX: Final = 0.9
"""Of the looked-at device numbers so many are hexadecimal where the column's are."""


class Known(NamedTuple):
    """What a table's other columns show: `samples` of their texts, its `subjects`, and its `locale`.

    `locale` counts where there are no subjects.
    """

    table: TableReport
    samples: Sequence[tuple[str, ...]]
    subjects: tuple[Subject, ...]
    locale: str = "en_US"


def choose(
    operator: str,
    params: Mapping[str, Any],
    column: ColumnReport,
    dtype: DType,
    known: Known,
    inside: bool = False,
    derived: bool = True,
) -> Chosen:
    """The operator for a column of this physical type.

    `inside`: for spans of the entity in texts. `derived`: masks may be derived from values.

    Where the preferred one can't hold such a column, a keyed hash takes its place, and where that can't or may not,
    nothing is left of the values.
    """
    preferred = _preferred(operator, params, column, dtype, known, inside)
    domain = preferred.domain or column.entity or "OTHER"
    why = (f"{preferred.operator} can't mask a column of {dtype}",)
    for chosen in (preferred, *([Chosen("hash", notes=why)] if derived else []), Chosen("suppress", notes=why)):
        try:
            elements.dtype(operator_registry.make(chosen.operator, chosen.params), dtype)
        except UsageError:
            continue
        return replace(chosen, domain=domain)
    raise UsageError(f"no operator can mask a column of {dtype}")


def _preferred(
    operator: str, params: Mapping[str, Any], column: ColumnReport, dtype: DType, known: Known, inside: bool
) -> Chosen:
    if operator == "surrogate" and "kind" not in params:
        return _surrogate(column, dtype, known, inside) or _same_look(column, known, inside)
    if operator == "same-look":
        return _same_look(column, known, inside)
    if operator in ("year-of-birth", "date-generalise"):
        return coarser_dates(operator, params, dtype, () if inside else known.samples[column.index])
    if operator == "date-shift":
        return shifted_dates(params, dtype, () if inside else known.samples[column.index])
    return Chosen(operator, params)


def _same_look(column: ColumnReport, known: Known, inside: bool) -> Chosen:
    entity = column.entity or ""
    sample = known.samples[0 if inside else column.index]
    # Numbers of more digits than an integer holds count as floats.
    no_number = column.dtype == "float" and not all(text.isdecimal() for text in sample)
    if entity in ("URL", "USERNAME") or no_number or (inside and entity == "DEVICE_ID"):
        return Chosen("hash")
    of_device = entity == "DEVICE_ID" and column.subtype is None and _is_hexadecimal(sample)
    if of_device or (not inside and _are_uuids(sample)):
        return Chosen("fpe", {"hex": True})
    check = _CHECKED.get(entity) or column.subtype
    kept = _KEPT.get(column.subtype or "", _KEPT.get(entity, 0))
    params: dict[str, Any] = {"keep_first": kept} if kept else {}
    if check:
        try:
            operator_registry.make("fpe", {"check": check})
            params["check"] = check
        except UsageError:
            pass  # a number without check digits
    return Chosen("fpe", params, notes=(MAYBE,))


def _are_uuids(sample: Sequence[str]) -> bool:
    return bool(sample) and all(map(_UUID.fullmatch, sample))


def _is_hexadecimal(sample: Sequence[str]) -> bool:
    """Whether a column's identifiers are hexadecimal: nearly all are hexadecimal_texts so, and some have letters."""
    import polars as pl

    from piiscan.masking.operators import hexadecimal

    texts = pl.Series(sample, dtype=pl.String)
    found = texts.filter(hexadecimal.is_hexadecimal(texts))
    return bool(len(found) and len(found) >= _HEX * len(texts) and found.str.contains("(?i)[a-f]").any())


def _surrogate(column: ColumnReport, dtype: DType, known: Known, inside: bool) -> Chosen | None:
    entity = column.entity or ""
    sample = known.samples[0 if inside else column.index]
    subject = None if inside else next((s for s in known.subjects if column.index in _columns(s)), None)
    locale = known.locale
    if entity in PERSONA:
        return _part_of_persona(column, sample, known, subject, inside)
    if entity == "PHONE_NUMBER":
        return phone_columns.chosen(column, known.table, known.samples, locale, inside)
    if entity == "STREET_ADDRESS":
        from piiscan.masking.surrogates.places import street_pattern_of

        return Chosen("surrogate", {"kind": "street", "locale": locale, "look": street_pattern_of(sample, locale)})
    if entity == "CITY" and inside:
        return Chosen("surrogate", {"kind": "city", "locale": locale})
    if entity in PLACE_KINDS and (dtype == "string" or (dtype, entity) == ("integer", "POSTAL_CODE")) and not inside:
        return place_columns.chosen(column, sample, locale, known.subjects)
    if entity == "CREDIT_CARD":
        return Chosen("surrogate", {"kind": "card", "range": "test"})
    if entity == "IBAN_CODE":
        return Chosen("surrogate", {"kind": "iban"})
    return None


_UUID: Final = lazy_pattern(
    r"(?i)\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?|(?=.*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{24})"
)
"""UUIDs, also without dashes, and the keys of MongoDB."""


def _part_of_persona(
    column: ColumnReport, sample: Sequence[str], known: Known, subject: Subject | None, inside: bool
) -> Chosen:
    if column.entity == "LAST_NAME" and not inside and only_particles(sample):
        return Chosen("keep", notes=("only particles of names, such as van and de",))
    chosen = _persona(PERSONA[column.entity or ""], sample, known.locale, subject, inside)
    is_second = subject is not None and _is_second(column, subject, known)
    return replace(chosen, params={**chosen.params, "second": True}) if is_second else chosen


def _is_second(column: ColumnReport, subject: Subject, known: Known) -> bool:
    """Whether a column has other names of a person than their first or their last name: middle names, for instance.

    Of a person who is named in two places ("name" and "signed_by") the names there are the same.
    """
    index = {"FIRST_NAME": subject.first_name, "LAST_NAME": subject.last_name}.get(column.entity or "")
    own = next((c for c in known.table.columns if c.index == index), column)
    return own is not column and whose_part(own) == whose_part(column) and not is_reading(column)


def _persona(kind: str, sample: Sequence[str], locale: str, subject: Subject | None, inside: bool) -> Chosen:
    from piiscan.masking.operators.persona import PERSONA_DOMAIN
    from piiscan.masking.surrogates.name_format import name_pattern_of, syllables_of
    from piiscan.masking.surrogates.name_lists import lists_digest
    from piiscan.masking.surrogates.written_names import usual_look

    params: dict[str, Any] = {"kind": kind, "locale": locale}
    if kind in ("name", "first_name", "last_name"):
        if written := syllables_of(sample):
            params |= {"script": written, "look": name_pattern_of(sample, kind, "ja_JP")}
        else:
            params["look"] = name_pattern_of(sample, kind, locale)
        if not written:
            if not inside:
                params["look"] = usual_look(sample, kind, params["look"], locale)
            params["own_look"] = True
    if kind in ("email", "username", "url"):
        params["short"] = True
    if kind == "email":
        params["free_mail"] = True
    params["lists"] = lists_digest(locale)
    return Chosen("persona", params, PERSONA_DOMAIN, subject.name if subject else None)


def _columns(subject: Subject) -> set[int]:
    return {i for key in subject.keys for i in key} | {*subject.by_part.values(), *subject.columns}
