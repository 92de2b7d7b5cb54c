"""Determines who each row is about, and their gender, as texts that operators use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from piiscan.masking.operators.operator import Operator, RowContext
from piiscan.masking.operators.persona import Persona
from piiscan.masking.plan import group_columns
from piiscan.masking.plan.key_links import NAMES, TELEPHONE
from piiscan.masking.plan.masked_keys import without_affixes
from piiscan.masking.plan.plan_types import GENDER_COLUMNS, Subject, TablePlan

if TYPE_CHECKING:
    from piiscan.masking.apply.subject_table import SubjectTable

_APART = "\x1f"
_LOCALE = "locale"
_SSN = 9
"""Digits of a US social security number."""
_SHORTEST = 6
"""Characters that a national number has at least."""


def about(
    frame: pl.DataFrame, subject: Subject, plan: TablePlan, table: SubjectTable | None, first: int | None
) -> RowContext:
    """Determine whom each row is about: by the subject table if there is one, else by the row itself."""
    texts = subjects(frame, subject, plan, table)
    if table is None:
        return RowContext(texts, genders(frame, subject), None, first)
    known = table.attributes(texts)
    found = known.genders
    if not known.known.all() and (own := genders(frame, subject)) is not None:
        found = found.zip_with(known.known, own)
    return RowContext(texts, found, None, first, known.locales, None, table.digits(texts), table.looks)


def about_cells(
    cells: pl.Series, operator: Operator, table: SubjectTable | None, first: int | None = None
) -> RowContext:
    """The context of a column without a subject: each value (null allowed) is a subject of its own."""
    return _of_texts(own_texts(cells, operator), table)._replace(first=first)


def about_addresses(
    rows: RowContext, cells: pl.Series, entity: str | None, subject: Subject, table: SubjectTable | None
) -> RowContext:
    """The context of a column of e-mail addresses or user names, so that each has one mask in every table.

    It is what the subject table knows of the address itself, whichever row it is in. Without a table, the row decides.
    """
    own = key_text(cells, entity, subject).fill_null("")
    if table is None:
        return rows._replace(own=own)
    return _of_texts(own, table, rows.genders)._replace(first=rows.first)


def _of_texts(own: pl.Series, table: SubjectTable | None, genders: pl.Series | None = None) -> RowContext:
    """Subjects by their own texts; `genders` serves people who aren't in the table."""
    if table is None:
        return RowContext(own, own=own)
    own = table.texts(own)
    texts = table.linked(own)
    known = table.attributes(texts)
    told = known.genders if genders is None else known.genders.zip_with(known.known, genders)
    return RowContext(texts, told, None, None, known.locales, own, table.digits(own), table.looks)


def own_texts(cells: pl.Series, operator: Operator | None = None) -> pl.Series:
    """Each cell as the canonical text of a subject; "" for null. `operator`: that of its column."""
    from piiscan.masking.surrogates.personas import canonical

    own = canonical(cells.cast(pl.String).fill_null(""))
    if isinstance(operator, Persona) and operator.everywhere:
        return _everywhere(cells.to_frame("0"), Subject("each", ((0,),), full_name=0, look=operator.look), own)
    return own


def subjects(frame: pl.DataFrame, subject: Subject, plan: TablePlan, table: SubjectTable | None = None) -> pl.Series:
    """Return a canonical text for the subject of each row (String, no nulls); "" where there is none.

    It is made from the first of the subject's keys whose cells are all filled and that no other person shares.

    E-mail addresses stand for themselves, whatever the table, and so do national numbers, telephones with names and
    whole names that the subject knows `everywhere`. Other keys mean somebody within the subject's scope only: customer
    17 is not employee 17.
    `table`: which of these texts are another one's person, and which several people share.
    """
    found: list[pl.Series] = []
    shared: list[pl.Series] = []
    for key in keys(frame, subject, plan):
        of_many = None if table is None else table.shared(key)
        if of_many is not None and of_many.any():
            shared.append(key.alias(f"shared {len(shared)}"))
            key = key.zip_with(~of_many, pl.Series([None], dtype=pl.String))
        found.append(key.alias(str(len(found))))
        if not key.null_count():
            break
    texts = pl.DataFrame([*found, *shared]).select(pl.coalesce(pl.all()).fill_null("").alias("s"))["s"]
    return texts if table is None else table.resolved(texts)


def key_text(cells: pl.Series, entity: str | None, subject: Subject) -> pl.Series:
    """Cells of one column that is a key of the subject, as texts that `subjects` goes by; null where there is none."""
    return _in_scope(_canonical(cells), entity, subject)


def _canonical(cells: pl.Series) -> pl.Series:
    from piiscan.masking.surrogates.personas import canonical

    return canonical(cells.cast(pl.String)).replace("", None)


def _in_scope(texts: pl.Series, entity: str | None, subject: Subject) -> pl.Series:
    return texts if entity == "EMAIL_ADDRESS" else f"{subject.scope}{_APART}" + texts


def keys(frame: pl.DataFrame, subject: Subject, plan: TablePlan) -> Iterator[pl.Series]:
    """For each of the subject's keys a text a row (String), null where it has no cells."""
    for key in subject.keys:
        entity = plan.columns[key[0]].entity
        if key[0] in subject.everywhere and entity not in NAMES:
            telephone = entity == TELEPHONE
            found = _telephones_of(frame, subject, plan, key[0]) if telephone else _numbers(frame[str(key[0])], entity)
            yield f"{_APART}{entity}{_APART}" + found
            continue
        if len(key) == 1:
            number = frame[str(key[0])]
            if key[0] in subject.as_masked:
                number = without_affixes(number.cast(pl.String).str.strip_chars(), plan.columns[key[0]].params)
            own = key_text(number, entity, subject)
            yield _everywhere(frame, subject, own) if key[0] in subject.everywhere else own
            continue
        cells = [_canonical(frame[str(i)]).alias(str(i)) for i in key]
        text = pl.DataFrame(cells).select(
            pl.concat_str(pl.all(), separator=_APART, ignore_nulls=entity != "PERSON_ID").alias("s"),
            pl.all_horizontal(pl.all().is_null()).alias("none"),
        )
        joined = text["s"].zip_with(~text["none"], pl.Series([None], dtype=pl.String))
        own = _in_scope(joined, entity, subject)
        yield _everywhere(frame, subject, own) if key[0] in subject.everywhere else own


def _everywhere(frame: pl.DataFrame, subject: Subject, own: pl.Series) -> pl.Series:
    """Names in full, as texts that are the same in every table; `own` where there is one word, or none."""
    from piiscan.masking.surrogates import name_format

    if subject.full_name is not None and subject.first_name is None:
        names = name_format.in_order(frame[str(subject.full_name)].cast(pl.String), subject.look or "First Last")
    elif (parts := whole_names(frame, subject)) is not None:
        names = name_format.in_order(parts, "First Last")
    else:
        return own
    told = f"{_APART}PERSON{_APART}" + _canonical(names)
    return own.zip_with(told.is_null(), told)


def _numbers(cells: pl.Series, entity: str | None) -> pl.Series:
    """National numbers in one canonical form; null for placeholders such as 000-00-0000."""
    text = cells.cast(pl.String).str.to_uppercase().str.replace_all(r"[^0-9A-Z]", "").alias("n")
    if entity == "US_SSN":  # zeros in front that integers have lost
        text = text.str.zfill(_SSN)
    first, size = pl.col("n").str.slice(0, 1), pl.col("n").str.len_chars()
    is_number = (size >= _SHORTEST) & (pl.col("n").str.strip_chars(first) != "")
    return text.to_frame().select(pl.when(is_number).then("n"))["n"]


def _telephones_of(frame: pl.DataFrame, subject: Subject, plan: TablePlan, phone: int) -> pl.Series:
    """Telephone number and folded name of each row, null where it hasn't both."""
    from piiscan.core.header_words import fold
    from piiscan.masking.surrogates import phones
    from piiscan.masking.surrogates.countries import country_codes
    from piiscan.masking.surrogates.home_locale import each_value

    names = whole_names(frame, subject)
    if names is None:
        return pl.Series([None], dtype=pl.String).new_from_index(0, len(frame))
    column = group_columns.countries(plan.columns, plan.source).get(phone)
    countries = None if column is None else country_codes(frame[str(column)])
    numbers = phones.whole_numbers(
        frame[str(phone)].cast(pl.String), countries, str(plan.columns[phone].params.get("country", ""))
    )
    folded = each_value(names, lambda name: " ".join(fold(name).split()))
    return numbers + _APART + folded


def has_first_name(subject: Subject) -> bool:
    return subject.first_name is not None or subject.full_name is not None


def first_names(frame: pl.DataFrame, subject: Subject) -> pl.Series | None:
    """Return each row's first name: its first word, in lower case and without accents; null for initials.

    None where there is no column of first names.
    """
    if not has_first_name(subject):
        return None
    _, first, _ = _names(frame, subject)
    assert first is not None
    words = first.str.strip_chars().str.extract(r"^([^\s,.-]{2,})")
    plain = words.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    return plain.alias("name")


def whole_names(frame: pl.DataFrame, subject: Subject) -> pl.Series | None:
    """First and last name of each row, null where both aren't there; None where no columns tell both."""
    _, first, last = _names(frame, subject)
    if first is None or last is None:
        return None
    return pl.DataFrame([first.alias("f"), last.alias("l")]).select(
        pl.concat_str("f", "l", separator=" ").alias("name")
    )["name"]


def genders(frame: pl.DataFrame, subject: Subject) -> pl.Series | None:
    """Which gender each row tells: "f", "m" or null; None where no column tells."""
    return surest(gender_votes(frame, subject))


def surest(sources: Sequence[pl.Series | None]) -> pl.Series | None:
    """What the surest source that tells anything says of each row; None where there is no source."""
    given = [s.alias(str(i)) for i, s in enumerate(sources) if s is not None]
    return pl.DataFrame(given).select(pl.coalesce(pl.all()).alias("surest"))["surest"] if given else None


def gender_votes(frame: pl.DataFrame, subject: Subject, locales: pl.Series | None = None) -> list[pl.Series | None]:
    """Return the gender of each row ("f", "m" or null) by source, the surest source first.

    The sources are the columns of genders, titles, first names and last names; None for a source that is missing.
    `locales` are those of each row's names; null for the subject's.
    """
    parts = sorted({str(i) for name, i in subject.by_part.items() if name in GENDER_COLUMNS})
    if not parts:
        return []
    own = pl.lit(subject.locale) if locales is None else locales.fill_null(subject.locale)
    cells = frame.select(parts).with_columns(own.alias(_LOCALE))
    once = cells.unique(maintain_order=True)
    found = [
        here.with_columns(v.alias(f"vote {i}") for i, v in enumerate(votes) if v is not None)
        for here in once.partition_by(_LOCALE, maintain_order=True)
        for votes in [_gender_votes(here, subject, here[_LOCALE][0])]
    ]
    if not found:
        return []
    joined = cells.join(pl.concat(found), on=[*parts, _LOCALE], how="left", nulls_equal=True, maintain_order="left")
    return [joined[name] if (name := f"vote {i}") in joined.columns else None for i in range(4)]


def _gender_votes(frame: pl.DataFrame, subject: Subject, locale: str) -> list[pl.Series | None]:
    from piiscan.masking.surrogates import gender

    title, first, last = _names(frame, subject)
    return gender.sources(
        locale,
        gender=None if subject.gender is None else frame[str(subject.gender)].cast(pl.String),
        title=title,
        first_name=first,
        last_name=last,
        meaning=subject.meaning or None,
    )


def _names(frame: pl.DataFrame, subject: Subject) -> tuple[pl.Series | None, pl.Series | None, pl.Series | None]:
    """Title, first name and last name of each row; None for what no column tells."""
    from piiscan.masking.surrogates import name_format

    def cells(i: int | None) -> pl.Series | None:
        return None if i is None else frame[str(i)].cast(pl.String)

    title, first, last = cells(subject.title), cells(subject.first_name), cells(subject.last_name)
    if subject.full_name is not None and first is None:
        whole = cells(subject.full_name)
        assert whole is not None
        titles, first, last = name_format.split(whole, subject.look or "First Last")
        title = titles if title is None else title
    return title, first, last
