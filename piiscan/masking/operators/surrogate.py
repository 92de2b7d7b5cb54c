"""The operator `surrogate`: another value of the same kind and look, for values that need no other column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from piiscan.core.errors import UsageError
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import demand_key

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType

ValueKind = Literal["phone", "card", "iban", "ssn", "national", "street", "city", "domain", "date"]
_STREET = "Street Number"


@dataclass(frozen=True)
class Surrogate(Operator):
    """Another value of the same kind and look, from a range that belongs to no one where there is one.

    `kind`: phone, card, iban, ssn, national (with `number`, such as "PL_PESEL"), street, city, domain or date.
    `range`: of telephones "fiction", "unassigned" or "permuted"; of cards "test" or "permuted". `country`: of
    telephones written without a country code ("US"); `country_column`: the column that tells it row by row;
    `by_person`: they are of the country that the vault knows their people to be of, if it does. `locale` and `look`:
    of streets and cities; `locales`: those that a street may have in place of `locale`, where a subject table knows who
    lives there. `start` and `end`: the first and last day that dates may have (1970-01-31); `date_format`: how texts
    write them. A time of day becomes midnight, and a text with one null.

    Guarantee:
        Assumes nothing of the cells; what isn't of the kind becomes null.
        Ensures that equal values get equal masks, however they are spaced; that masks keep punctuation and country,
        pass the check that the kind has, and are in the declared range; that no two values share a mask where
        `injective` says so (for numbers whose own check digits are right), and otherwise as many as
        `expected_collisions` tells.
        Does not protect how often a value occurs, nor what is kept (country, area code of a permuted telephone, brand
        of a card, bank code's frequencies); permuted numbers may be somebody's.
        Test: test_surrogate.py::test_masks_are_declared_deterministic_and_not_the_original
    """

    kind: ValueKind
    range: str = ""
    country: str = ""
    country_column: str = ""
    by_person: bool = False
    number: str = ""
    locale: str = ""
    locales: tuple[str, ...] = ()
    look: str = ""
    lists: str = ""
    start: str = ""
    end: str = ""
    date_format: str = "%Y-%m-%d"

    name: ClassVar[str] = "surrogate"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"
    may_be_original: ClassVar[bool] = True
    permutes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        from piiscan.masking.operators.date_text import check_format
        from piiscan.masking.surrogates import dates_in_range, national, phones
        from piiscan.masking.surrogates.locales import checked

        if self.kind not in get_args(ValueKind):
            raise UsageError(f"surrogate kind {self.kind!r}: choose one of {', '.join(get_args(ValueKind))}")
        if self.kind == "phone":
            phones.check_range(self.country, self.range or "permuted")
        elif self.country_column or self.by_person:
            name = "country_column" if self.country_column else "by_person"
            raise UsageError(f"surrogate {self.kind}: {name} is only for telephones; leave it out")
        if self.kind == "national":
            national.find(self.number)
        if self.kind in ("street", "city") and checked(self.locale) != self.locale:
            raise UsageError(f"locale {self.locale!r}: write it {checked(self.locale)!r}")
        if self.locales and self.kind != "street":
            raise UsageError(f"surrogate {self.kind}: locales is only for streets; leave it out")
        if wrong := next((locale for locale in self.locales if checked(locale) != locale), None):
            raise UsageError(f"locales: {wrong!r}: write it {checked(wrong)!r}")
        if self.kind == "date":
            dates_in_range.days(self.start, self.end)
            check_format(self.name, self.date_format)

    def dtype(self, before: DType) -> DType:
        if self.kind == "date" and before in ("date", "datetime"):
            return before
        if before == "string" or (before == "integer" and self.kind in ("phone", "card", "ssn", "national")):
            return before
        raise UsageError(f"surrogate {self.kind}: a column of type {before} can't contain one; choose another operator")

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        secret = demand_key(self.name, key)
        if self.kind == "date":
            return self._dates(values, secret)
        masks = self._masks(values if values.dtype == pl.String else values.cast(pl.String), secret)
        return (masks if values.dtype == pl.String else masks.cast(values.dtype, strict=False)).alias(values.name)

    def mask_in(self, country: str | None, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The masks of telephones in rows of a country (ISO 3166-1 alpha-2), of which those without a country code are.

        None, or a country whose numbering plan isn't known: as `mask`.
        """
        import polars as pl

        from piiscan.masking.surrogates import numbering_plans, phones

        where = country if country in numbering_plans.plans() else self.country
        texts = values.cast(pl.String)
        masks = phones.mask(texts, demand_key(self.name, key), where or "", phones.as_range(self.range or "permuted"))
        return masks.cast(values.dtype, strict=False).alias(values.name)

    def mask_in_locales(self, locales: pl.Series | None, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The masks of streets, each of a locale (null, or none of `locales`: of `locale`). None: as `mask`."""
        import polars as pl

        if locales is None:
            return self.mask(values, key)
        own = locales.fill_null("")
        masks = pl.Series([None], dtype=pl.String).new_from_index(0, len(values))
        for locale in sorted(own.unique().to_list()):
            at = (own == locale).arg_true()
            masks = masks.scatter(at, self._of_locale(locale).mask(values.gather(at), key))
        return masks.alias(values.name)

    def _of_locale(self, locale: str) -> Surrogate:
        """For streets of one locale alone, with the house number where it stands there."""
        from piiscan.masking.surrogates.places import look_in

        if locale not in self.locales:
            return replace(self, locales=())
        return replace(self, locales=(), locale=locale, look=look_in(locale, self.look or _STREET))

    def _masks(self, values: pl.Series, key: Subkey) -> pl.Series:
        from piiscan.masking.surrogates import cards, ibans, national, personas, places

        match self.kind:
            case "phone":
                return self.mask_in(None, values, key)
            case "card":
                return cards.mask(values, key, cards.as_range(self.range or "permuted"))
            case "iban":
                return ibans.mask(values, key)
            case "ssn" | "national":
                return national.mask(values, key, self.number or "US_SSN")
            case "street":
                return places.mask_streets(values, key, self.locale, self.look or _STREET)
            case "city":
                return places.mask_cities(values, key, self.locale)
            case "domain":
                return personas.masked_domains(values, key)
            case "date":
                raise AssertionError("dates have types of their own")

    def _dates(self, values: pl.Series, key: Subkey) -> pl.Series:
        import polars as pl

        from piiscan.masking.operators import date_text
        from piiscan.masking.operators.date_generalise import localised
        from piiscan.masking.surrogates import dates_in_range

        if values.dtype == pl.String:
            masks = dates_in_range.mask(self._read(values), key, self.start, self.end)
            return date_text.write(masks, self.date_format, values).alias(values.name)
        masks = dates_in_range.mask(_day(values), key, self.start, self.end)
        if not isinstance(values.dtype, pl.Datetime):
            return masks
        return localised(masks.cast(pl.Datetime(values.dtype.time_unit)), values.dtype.time_zone).alias(values.name)

    def _read(self, texts: pl.Series) -> pl.Series:
        """Dates out of texts; null for what is no date, or has a time of day."""
        import polars as pl

        from piiscan.masking.operators import date_text

        return (
            date_text.read(texts, self.date_format)
            .select(pl.when(pl.col("rest") == "").then("date").alias("date"))
            .to_series()
        )

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each of `masks` (distinct, not null) lies in the declared range."""
        import polars as pl

        from piiscan.masking.operators import declared_personas
        from piiscan.masking.surrogates import cards, dates_in_range, ibans, national, phones, places

        if self.kind == "date":
            return dates_in_range.declared(
                self._read(masks) if masks.dtype == pl.String else _day(masks), self.start, self.end
            )
        texts = masks if masks.dtype == pl.String else masks.cast(pl.String)
        match self.kind:
            case "phone":
                return phones.declared(
                    texts,
                    self.country,
                    phones.as_range(self.range or "permuted"),
                    bool(self.country_column or self.by_person),
                )
            case "card":
                return cards.declared(texts, cards.as_range(self.range or "permuted"))
            case "iban":
                return ibans.declared(texts)
            case "ssn" | "national":
                return national.declared(texts, self.number or "US_SSN")
            case "street":
                found = places.declared_streets(texts, self.locale, self.look or _STREET)
                for locale in self.locales:
                    if found.all():
                        break
                    at = (~found).arg_true()
                    found = found.scatter(at, self._of_locale(locale).declares(texts.gather(at), key))
                return found
            case "city":
                return places.declared_cities(texts, self.locale)
            case _:
                return declared_personas.domains(texts)

    @property
    def injective(self) -> bool:
        """No two values share a mask: digits are permuted."""
        return self.kind == "iban" or (self.kind in ("phone", "card") and (self.range or "permuted") == "permuted")

    def range_size(self) -> int | None:
        """How many masks the range has; None where it is as large as that of the originals."""
        from piiscan.masking.surrogates import cards, dates_in_range, national, numbering_plans, places

        if self.injective:
            return None
        match self.kind:
            case "phone":
                found = numbering_plans.plans().get(self.country)
                return found.capacity(self.range) if found else 10**7
            case "card":
                return cards.capacity()
            case "ssn" | "national":
                return national.find(self.number or "US_SSN").range.capacity
            case "street":
                return min(len(places.streets(locale)) for locale in (self.locale, *self.locales)) * places.HIGHEST
            case "city":
                return len(places.cities(self.locale))
            case "date":
                return dates_in_range.days(self.start, self.end)[1]
            case _:
                return 2**40

    def capacity(self, digits: int) -> float:
        """As many as the range has."""
        return float(self.range_size() or super().capacity(digits))

    def fixed_points(self, masks: pl.Series) -> float:
        """One in as many as the range has; permuted digits are seven or more, but for short numbers."""
        size = self.range_size()
        if size is not None:
            return len(masks) / size
        import polars as pl

        digits = masks.cast(pl.String).str.count_matches("[0-9]").cast(pl.Float64).clip(1, 7).to_numpy()
        return float((10.0 ** (1 - digits)).sum())

    def expected_collisions(self, values: int) -> float:
        """How many of so many distinct values are expected to share their mask with an earlier one.

        Cities of the list never do.
        """
        from piiscan.masking.surrogates.keyed_choices import expected_collisions

        size = self.range_size()
        return 0.0 if size is None else expected_collisions(values, size)


def _day(cells: pl.Series) -> pl.Series:
    """Dates of dates and moments, by the wall clock where they stand."""
    import polars as pl

    return (cells.dt.replace_time_zone(None) if isinstance(cells.dtype, pl.Datetime) else cells).cast(pl.Date)
