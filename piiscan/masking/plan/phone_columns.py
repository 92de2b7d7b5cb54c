"""Chooses how a telephone column is masked: the country of numbers without a code, and the range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from piiscan.core.header_words import tokens
from piiscan.core.types import ColumnReport, TableReport
from piiscan.masking.plan import phone_homes
from piiscan.masking.plan.choice import Chosen
from piiscan.masking.plan.phone_homes import MOST
from piiscan.masking.plan.plan_types import Action, Span, TablePlan
from piiscan.masking.plan.plan_writer import labels

if TYPE_CHECKING:
    import polars as pl

ENTITY: Final = "PHONE_NUMBER"
_NANP: Final = "phone-nanp"
_HALF: Final = 0.5
_AT_HOME: Final = (
    "numbers without a country code are read as numbers of {}, as most that have one are: a number is masked alike in "
    "either form"
)
_TWO_COUNTRIES: Final = (
    "numbers without a country code are read as numbers of {}, and most that have one are of {}: where "
    "both are one number, its masks differ; change country if so"
)


@dataclass(frozen=True)
class CallingCodes:
    """How often each calling code stands before looked-at numbers; "" for those that have none."""

    counts: Mapping[str, int]

    @classmethod
    def of(cls, sample: Sequence[str]) -> CallingCodes:
        import polars as pl

        from piiscan.masking.surrogates import phones

        texts = pl.Series(sample, dtype=pl.String)
        numbers = texts.filter(texts.str.contains("[0-9]") & ~texts.str.contains(r"^\pL+"))
        return cls(Counter(phones.calling_codes(numbers).fill_null("").to_list()))

    @property
    def national(self) -> int:
        return self.counts.get("", 0)

    def main_country(self) -> str | None:
        """The country that most numbers are of, by their calling codes; None where some have none.

        In a column of two countries, the numbers without a code are of the other one.
        """
        from piiscan.masking.surrogates.numbering_plans import by_code

        written = Counter({c: n for c, n in self.counts.items() if c in by_code()})
        ranked = written.most_common(1)
        if (
            self.national
            or not ranked
            or ranked[0][1] < MOST * written.total()
            or by_code()[ranked[0][0]].international
        ):
            return None
        return by_code()[ranked[0][0]].countries[0]


def chosen(
    column: ColumnReport, table: TableReport, samples: Sequence[Sequence[str]], locale: str, inside: bool
) -> Chosen:
    """The operator for a column of telephones.

    `samples`: looked-at texts of the table's columns; `inside`: for those in texts.
    """
    from piiscan.masking.surrogates import locales, numbering_plans, phones

    codes = CallingCodes({}) if inside else CallingCodes.of(samples[column.index])
    country_column, in_table = (None, None) if inside else _told_by(column, table, samples)
    home = locales.country(locale)
    by_rule = "" if inside else _by_form(column, samples[column.index], locale)
    places = (in_table, by_rule, codes.main_country(), home)
    here = next((c for c in places if c and c in numbering_plans.plans()), "")
    params: dict[str, Any] = {"kind": "phone"}
    if here:
        params["country"] = here
    if country_column and codes.national:
        params["country_column"] = country_column
    plan = numbering_plans.plans().get(here)
    mixed = inside or "country_column" in params or any(c not in ("", plan and plan.code) for c in codes.counts)
    kind = "unassigned" if mixed else phones.choose_range(here, max(column.distinct, 1))
    params["range"] = kind
    return Chosen(
        "surrogate",
        params,
        notes=tuple(_somebodys(codes, here, kind)),
        shared=_shared(codes, here, kind, column.distinct),
    )


def agreed(
    tables: Sequence[TablePlan],
    reports: Sequence[TableReport],
    samples: Sequence[Sequence[Sequence[str]]],
    explicit: Sequence[Mapping[str, Any]],
) -> list[TablePlan]:
    """Give all telephones of a key domain one range and one default country, so that equal ones get equal masks.

    `reports` of the scan, and `samples`: texts of each table's columns; `explicit`: parameters that a policy names,
    which stay.
    """
    tables = _at_home(tables, reports, samples, explicit)
    ranges: dict[str | None, set[str]] = {}
    readings: dict[str | None, Counter[tuple[str | None, str | None]]] = {}
    for table, texts in zip(tables, samples, strict=True):
        for action in table.columns:
            if not is_phone(action):
                continue
            ranges.setdefault(action.domain, set()).add(action.params.get("range", "permuted"))
            if national := _national(action, texts):
                readings.setdefault(action.domain, Counter())[_reading(action)] += national

    def change(action: Action, texts: Sequence[Sequence[str]]) -> Action:
        if not is_phone(action) or action.decided_by == "human" or action.params in explicit:
            return action
        known = readings.get(action.domain, Counter())
        if len(known) > 1 and _national(action, texts):
            action = _read_alike(action, known)
        if action.params.get("range") != "fiction" or ranges[action.domain] == {"fiction"}:
            return action
        return replace(action, params={**action.params, "range": "unassigned"})

    return [
        replace(table, columns=tuple(change(a, texts) for a in table.columns))
        for table, texts in zip(tables, samples, strict=True)
    ]


def _at_home(
    tables: Sequence[TablePlan],
    reports: Sequence[TableReport],
    samples: Sequence[Sequence[Sequence[str]]],
    explicit: Sequence[Mapping[str, Any]],
) -> list[TablePlan]:
    """Read numbers without a country code as those of the country that the other numbers of their domain are of.

    Where neither the table nor the form of the numbers shows another one: what is left is the language of names.
    """
    texts: dict[str | None, list[Sequence[str]]] = {}
    for table, each in zip(tables, samples, strict=True):
        for action in filter(is_phone, table.columns):
            texts.setdefault(action.domain, []).append(each[action.index])
    homes = {domain: phone_homes.home(columns) for domain, columns in texts.items()}

    def change(action: Action, report: TableReport, each: Sequence[Sequence[str]]) -> Action:
        if not is_phone(action) or action.decided_by == "human" or action.params in explicit:
            return action
        home = homes[action.domain]
        open_ = _national(action, each) and not _shown(action, report, each, home)
        return _read_at_home(action, home, each[action.index], report) if open_ else action

    return [
        replace(table, columns=tuple(change(a, report, each) for a in table.columns))
        for table, report, each in zip(tables, reports, samples, strict=True)
    ]


def _read_at_home(action: Action, home: phone_homes.Home, texts: Sequence[str], report: TableReport) -> Action:
    """Read a column's numbers without a country code as those of `home`, if they may be; a note where that is open."""
    from piiscan.masking.surrogates import phones

    here = str(action.params.get("country", ""))
    if home.country in (None, here):
        return action
    assert home.country is not None
    if not home.same and phone_homes.share_at_home(texts, home.country) < MOST:
        return action
    if not (home.same or home.elsewhere) and phone_homes.share_at_home(texts, here) >= MOST:
        note = _TWO_COUNTRIES.format(here or "no country", home.country)
        return replace(action, notes=(*action.notes, note))
    params = {**action.params, "country": home.country}
    if params.get("range") == "fiction":  # which not every country has
        params["range"] = phones.choose_range(home.country, max(report.columns[action.index].distinct, 1))
    return replace(action, params=params, notes=(*action.notes, _AT_HOME.format(home.country)))


def _by_form(column: ColumnReport, texts: Sequence[str], locale: str) -> str:
    """The country in whose form a column's numbers are written; empty where that shows none.

    `locale`: that of the people, if their names are right. Nobody in Denmark has (212) 555-0143, whatever people
    are called: half of the cells are written so, and fewer as numbers are at home. But 0812-7146-2224 in a table of
    Indonesian names is a number at home, though Japan has such numbers, too.
    """
    from piiscan.masking.surrogates import locales

    home = locales.country(locale)
    if of_subtype := (column.subtype or "").partition("_")[0]:
        foreign = of_subtype != home and not locales.is_spoken(locales.language(locale), of_subtype)
        return "" if foreign and phone_homes.share_at_home(texts, home) >= MOST else of_subtype
    share = max((r.share or 0.0 for r in column.reasons if r.by == "rule" and r.id == _NANP), default=0.0)
    return "US" if share >= _HALF and phone_homes.share_at_home(texts, home) < _HALF else ""


def _shown(action: Action, report: TableReport, samples: Sequence[Sequence[str]], home: phone_homes.Home) -> bool:
    """Whether a table's column of countries, or the form of its numbers, shows which country they are of.

    The same numbers with a country code show it better than a form does.
    """
    from piiscan.masking.surrogates import numbering_plans

    column = report.columns[action.index]
    by_rule = (column.subtype or "").partition("_")[0]
    return any(_told_by(column, report, samples)) or (by_rule in numbering_plans.plans() and not home.same)


def by_person(tables: Sequence[TablePlan], explicit: Sequence[Mapping[str, Any]]) -> list[TablePlan]:
    """Give telephones the countries that a vault knows for their people, where a table links the two.

    Fiction numbers are replaced by unassigned ones, as most of them are valid by form.
    """
    if not any(s.phone is not None for t in tables for s in t.subjects):
        return list(tables)

    def change(action: Action) -> Action:
        if (
            not is_phone(action)
            or action.decided_by == "human"
            or action.params in explicit
            or action.dtype != "string"
        ):
            return action
        range_ = "unassigned" if action.params.get("range") == "fiction" else action.params.get("range")
        return replace(action, params={**action.params, "range": range_, "by_person": True})

    return [replace(t, columns=tuple(map(change, t.columns))) for t in tables]


def agreed_spans(spans: Sequence[Span], tables: Sequence[TablePlan]) -> tuple[Span, ...]:
    """Give telephones in texts the range of their domain's columns.

    Where the country of the texts' locale has no such range, they are read as the columns' numbers are.
    """
    from piiscan.masking.surrogates import numbering_plans

    kinds: dict[str | None, set[str]] = {}
    countries: dict[str | None, Counter[str]] = {}
    for action in (a for t in tables for a in t.columns if is_phone(a)):
        kinds.setdefault(action.domain, set()).add(action.params.get("range", "permuted"))
        if "country" in action.params:
            countries.setdefault(action.domain, Counter())[action.params["country"]] += 1

    def change(span: Span) -> Span:
        if span.operator != "surrogate" or span.params.get("kind") != "phone" or span.decided_by == "human":
            return span
        found = kinds.get(span.domain, set())
        if len(found) != 1:
            return span
        params = {**span.params, "range": next(iter(found))}
        plan = numbering_plans.plans().get(params.get("country", ""))
        theirs = countries.get(span.domain)
        if theirs and plan is not None and params["range"] == "fiction" and not plan.ranges["fiction"]:
            params["country"] = min(theirs, key=lambda country: (-theirs[country], country))
        return replace(span, params=params)

    return tuple(change(s) for s in spans)


def is_phone(action: Action) -> bool:
    return action.operator == "surrogate" and action.params.get("kind") == "phone"


def _national(action: Action, texts: Sequence[Sequence[str]]) -> int:
    """How many of the looked-at numbers have no country code."""
    return CallingCodes.of(texts[action.index]).national if action.index < len(texts) else 0


def _reading(action: Action) -> tuple[str | None, str | None]:
    """How numbers without a country code are read: the column that tells the country, and the country."""
    return action.params.get("country_column"), action.params.get("country")


def _read_alike(action: Action, readings: Counter[tuple[str | None, str | None]]) -> Action:
    """Read numbers without a country code as all other columns of the domain do.

    That is as those of the country that most of them are of.
    """
    countries = Counter[str]()
    for (_, country), n in readings.items():
        countries[country or ""] += n
    here = min(countries, key=lambda c: (-countries[c], c))
    params = {k: v for k, v in action.params.items() if k not in ("country", "country_column")}
    note = (
        f"numbers without a country code are read as numbers of {here or 'no country'} in all tables, so that "
        "they join; in tables with a column of countries, that column decides"
    )
    return replace(action, params={**params, **({"country": here} if here else {})}, notes=(*action.notes, note))


def _told_by(
    column: ColumnReport, table: TableReport, samples: Sequence[Sequence[str]]
) -> tuple[str | None, str | None]:
    """The column that tells the countries of the rows, and the country where it is always the same."""
    import polars as pl

    from piiscan.masking.surrogates.countries import country_codes

    if column.dtype == "other":
        return None, None
    found: list[tuple[int, pl.Series]] = []
    for c in table.columns:
        if c.entity == "COUNTRY" and c.dtype == "string" and samples[c.index]:
            codes = country_codes(pl.Series(samples[c.index], dtype=pl.String))
            if len(codes) - codes.null_count() >= MOST * len(codes):
                found.append((c.index, codes.drop_nulls()))
    if len(found) > 1:  # billing_country tells of billing_phone
        words = [len(set(_words(table, i)) & set(_words(table, column.index))) for i, _ in found]
        found = [f for f, n in zip(found, words, strict=True) if n == max(words)] if max(words) else []
    if len(found) != 1:
        return None, None
    index, codes = found[0]
    once = codes.unique().to_list()
    if len(once) == 1 and table.columns[index].distinct == 1:
        return None, str(once[0])
    return labels([c.name for c in table.columns])[index], None


def _words(table: TableReport, index: int) -> tuple[str, ...]:
    return tokens(table.columns[index].name or "")


def _shares(codes: CallingCodes, here: str) -> dict[str, float]:
    """Of the numbers so many have each calling code; those that are written without one, that of `here`."""
    from piiscan.masking.surrogates.numbering_plans import plans

    own = plans()[here].code if here else ""
    total = sum(codes.counts.values())
    out: dict[str, float] = {} if total else {own: 1.0}
    for code, n in codes.counts.items():
        out[code or own] = out.get(code or own, 0.0) + n / total
    return out


def _shared(codes: CallingCodes, here: str, kind: str, distinct: int) -> float:
    """How many of so many different numbers are expected to share their mask with an earlier one."""
    from piiscan.masking.surrogates.keyed_choices import expected_collisions
    from piiscan.masking.surrogates.numbering_plans import by_code

    sizes = {c: by_code()[c].capacity(kind) for c in _shares(codes, here) if c in by_code()}
    return sum(
        expected_collisions(round(distinct * share), sizes[c])
        for c, share in _shares(codes, here).items()
        if sizes.get(c)
    )


def _somebodys(codes: CallingCodes, here: str, kind: str) -> list[str]:
    """Which masks may be somebody's, in words."""
    from piiscan.masking.surrogates.numbering_plans import by_code

    none = sorted(c for c in codes.counts if c in by_code() and not by_code()[c].best(kind))
    out = [f"numbers of +{', +'.join(none)} are permuted and may be real ones"] if none else []
    if codes.national and not here:
        out.append("numbers without a country code are permuted, and may be real ones: name their country")
    return out
