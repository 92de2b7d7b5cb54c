"""The operator `persona`: the columns of a row that must agree become those of one made-up person."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, Literal, get_args

from piiscan.core.errors import UsageError
from piiscan.masking.operators.operator import NAMES_STAY, Contract, Looks, Operator, RowContext
from piiscan.masking.operators.preconditions import demand_first

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType
    from piiscan.masking.surrogates.personas import Personas

PersonaKind = Literal[
    "name",
    "first_name",
    "last_name",
    "title",
    "username",
    "email",
    "url",
    "date_of_birth",
    "street",
    "city",
    "region",
    "postal_code",
]
Per = Literal["subject", "row"]

PERSONA_DOMAIN = "persona"
"""The key domain that all persona columns share: only under one subkey do they agree."""
_LOOKS = {
    "name": "First Last",
    "first_name": "First",
    "last_name": "Last",
    "title": "Title",
    "street": "Street Number",
    "city": "City",
    "region": "Region",
    "postal_code": "Code",
}
PLACES: Final = ("city", "region", "postal_code")
NAMES: Final = ("name", "first_name", "last_name")
_BY_STEMS: Final = ("email", "username", "url")
_UNSPACED_LOOK = "LastFirst"


@dataclass(frozen=True)
class Persona(Operator):
    """A part of the made-up person that the row's subject becomes.

    `kind`: which part. `locale`: whose names ("pl_PL"). `look`: how the column writes names or addresses ("LAST,
    First"; see `piiscan.masking.surrogates.name_format`). `domain`: what stands behind the @ of every e-mail; left out,
    one below `.example` for each original domain. `free_mail`: providers that anybody may use (gmail.com) share a few,
    such as `mail.example`.
    `locales`: those that a subject may have of its own, where a subject table says so; others get `locale`.
    `own_look`: a cell whose name is written another way than the column's (initials, two names, capitals, particles)
    keeps its own, where a subject table says that others are written so.
    `short`: user names and e-mails by their own text, with as few digits as a vault allows.
    `years`: a date of birth stays within so many years of its own; 0: in its year. `date_format`: how texts write it.
    `per`: whether each subject gets one made-up person ("subject"), or each row another one ("row"), which is for
    columns of few subjects: how often a person occurs would tell who it is.
    `places`: the digest of the list of places, as `piiscan.masking.surrogates.cities_with_codes.digest` gave it when
    the plan was made; with it a city is the one of the region and the postal code. Their `look`: "City" or "CITY";
    "Region", "REGION" or "CODE", abbreviated; "Code" or "Plain", without spaces and hyphens.
    `lists`: the digest of the name lists, as `piiscan.masking.surrogates.name_lists.lists_digest` gave it when the plan
        was made.

    Guarantee:
        Assumes that all columns of persona kinds get one subkey, and subjects, genders and locales that are the same
        wherever the subject occurs.
        Ensures that the parts of a row agree (first names of the row's gender, beginning with the initial of user name
        and e-mail; surnames in the form of that gender; postal code, city and region of one place), that
        equal subjects get equal parts in every table, file and
        partition, that different e-mails and user names differ but for a chance of n² / 2⁶⁵, whosever they are, and
        that every mask comes from the declared lists, a reserved domain, or the stated years. Where a vault remembers
        everybody, `short` e-mails and user names are first name and surname, with digits where two would be equal;
        else an initial, a surname and 13 signs. With `per = "row"`, persons of a row agree with each other alone, and
        with the subject's gender.
        Does not protect how often a mail domain occurs, nor, by subject, how often a subject does, nor the year of
        birth; a name
        may by chance be the original one; who holds the key can recognise a subject by trying.
        Test: test_persona.py::test_a_persona_agrees_with_itself
    """

    kind: PersonaKind
    locale: str
    look: str = ""
    domain: str = ""
    years: int = 0
    date_format: str = ""
    lists: str = ""
    places: str = ""
    locales: tuple[str, ...] = ()
    short: bool = False
    own_look: bool = False
    free_mail: bool = False
    per: Per = "subject"

    name: ClassVar[str] = "persona"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    subject_decides: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"
    share_that_stays: ClassVar[float | None] = NAMES_STAY
    needs: ClassVar[frozenset[str]] = frozenset({"subjects"})

    def __post_init__(self) -> None:
        from piiscan.masking.surrogates.locales import checked

        if self.kind not in get_args(PersonaKind):
            raise UsageError(f"persona kind {self.kind!r}: choose one of {', '.join(get_args(PersonaKind))}")
        if self.per not in get_args(Per):
            raise UsageError(f"per {self.per!r}: choose one of {', '.join(get_args(Per))}")
        if self.per == "row":
            object.__setattr__(self, "needs", frozenset({"subjects", "first"}))
            object.__setattr__(self, "subject_decides", False)
        if checked(self.locale) != self.locale:
            raise UsageError(f"locale {self.locale!r}: write it {checked(self.locale)!r}")
        if self.places and self.kind not in PLACES:
            raise UsageError(f"persona {self.kind}: places is for {', '.join(PLACES)}; leave it out")
        if self._lives_somewhere:
            self._check_place()
        if not 0 <= self.years <= 50:
            raise UsageError(f"years = {self.years}: choose 0 to 50")
        if self.date_format:
            from piiscan.masking.operators import date_text

            date_text.check_format(self.name, self.date_format)

    @property
    def _lives_somewhere(self) -> bool:
        """Whether it is a part of the subject's one place. A city of a plan without the list of places stands alone."""
        return self.kind in ("region", "postal_code") or bool(self.places)

    def _check_place(self) -> None:
        from piiscan.masking.surrogates.cities_with_codes import LOOKS, likeliest

        stays = max(likeliest(self.kind, locale) for locale in (self.locale, *self.locales))
        object.__setattr__(self, "share_that_stays", stays)
        if self._look() not in LOOKS[self.kind]:
            raise UsageError(f"persona {self.kind}: look {self.look!r}: choose one of {', '.join(LOOKS[self.kind])}")

    def dtype(self, before: DType) -> DType:
        if before == "string" or (self.kind == "date_of_birth" and before in ("date", "datetime")):
            return before
        if before == "integer" and self.kind == "postal_code":  # without zeros in front, as there; null for letters
            return before
        raise UsageError(f"persona {self.kind}: a column of {before} can't hold one; choose another operator")

    def mask_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> pl.Series:
        """The persona's part for each cell that isn't null. Raises `UsageError` for a missing key or lists that have
        changed."""
        import polars as pl

        from piiscan.masking.surrogates import cities_with_codes
        from piiscan.masking.surrogates.name_lists import check_digest
        from piiscan.masking.surrogates.personas import Personas

        if key is None or rows.subjects is None:
            raise UsageError("persona: it needs a key and a subject key; give the plan both")
        if self.lists:
            check_digest(self.locale, self.lists)
        if self.places:
            cities_with_codes.check_digest(self.places)
        if self.per == "row":  # nobody's own locale, nor address
            first = demand_first(self.name, rows.first)
            numbers = pl.int_range(first, first + len(cells), eager=True).cast(pl.String)
            rows = rows._replace(subjects=numbers, locales=None, own=None, digits=None, looks=None)
        if rows.locales is not None:
            mine = rows.locales.is_in(self.locales).fill_null(False)
            if mine.any():
                own = rows.locales.zip_with(mine, pl.Series([None], dtype=pl.String))
                return self._by_locale(cells, rows._replace(locales=own), key)
        if self.has_looks and rows.looks is not None:
            return self._by_look(cells, rows, rows.looks, key)
        subjects, genders = rows.subjects, rows.genders
        assert subjects is not None
        if self.kind not in ("email", "username", "url", "date_of_birth"):  # these look at the cell too
            frame = pl.DataFrame(
                {
                    "s": subjects,
                    "g": genders if genders is not None else pl.Series([None] * len(subjects), dtype=pl.String),
                }
            )
            once = frame.unique(maintain_order=True)
            if len(once) * 2 < len(frame):
                part = self._part(cells, Personas.of(once["s"], once["g"], key, self.locale), key)
                joined = frame.join(
                    once.with_columns(part.alias("p")),
                    on=["s", "g"],
                    how="left",
                    nulls_equal=True,
                    maintain_order="left",
                )
                masks = joined["p"]
                return masks.zip_with(cells.is_not_null(), pl.Series([None], dtype=masks.dtype)).alias(cells.name)
        addresses = (rows.own, rows.digits) if self.short else ()
        out = self._part(cells, Personas.of(subjects, genders, key, self.locale, *addresses), key)
        return out.zip_with(cells.is_not_null(), pl.Series([None], dtype=out.dtype)).alias(cells.name)

    def _by_locale(self, cells: pl.Series, rows: RowContext, key: Subkey) -> pl.Series:
        """The same, with the names of each subject's own locale."""
        import numpy as np
        import polars as pl

        assert rows.subjects is not None and rows.locales is not None
        locales = rows.locales.fill_null(self.locale)
        parts, places = [], []
        for locale in sorted(set(locales.unique().to_list())):
            at = (locales == locale).arg_true()
            here = RowContext(
                rows.subjects.gather(at),
                None if rows.genders is None else rows.genders.gather(at),
                own=None if rows.own is None else rows.own.gather(at),
                digits=None if rows.digits is None else rows.digits[at.to_numpy()],
                looks=rows.looks,
            )
            operator = replace(self, locale=locale, lists="", locales=(), look=self._look_in(locale))
            parts.append(operator.mask_rows(cells.gather(at), here, key))
            places.append(at)
        order = np.argsort(pl.concat(places).to_numpy(), kind="stable")
        return pl.concat(parts).gather(order).alias(cells.name)

    @property
    def has_looks(self) -> bool:
        """Whether each name is written as its cell is."""
        return self.own_look and self.per == "subject" and self._is_spaced

    def looks(self, cells: pl.Series) -> pl.Series:
        """How each cell's name is written (String); null for what is no name as others write them."""
        from piiscan.masking.surrogates.written_names import looks_of

        return looks_of(cells, self.kind, self._look())

    @property
    def _is_spaced(self) -> bool:
        from piiscan.masking.surrogates.locales import UNSPACED

        return self.kind in NAMES and self.locale not in UNSPACED

    def _by_look(self, cells: pl.Series, rows: RowContext, looks: Looks, key: Subkey) -> pl.Series:
        """The same, each name written as its cell is."""
        import numpy as np
        import polars as pl

        assert rows.subjects is not None
        usual = self._look()
        own = self.looks(cells)
        own = own.zip_with(looks.allowed(own, rows.subjects), pl.Series([usual])).fill_null(usual)
        parts, places = [], []
        for look in sorted(own.unique().to_list()):
            at = (own == look).arg_true()
            here = RowContext(
                rows.subjects.gather(at), None if rows.genders is None else rows.genders.gather(at), first=rows.first
            )
            operator = replace(self, look=look, own_look=False, lists="")
            parts.append(operator.mask_rows(cells.gather(at), here, key))
            places.append(at)
        if not parts:
            return cells
        return pl.concat(parts).gather(np.argsort(pl.concat(places).to_numpy(), kind="stable")).alias(cells.name)

    def _look_in(self, locale: str) -> str:
        """A locale that writes names without spaces keeps to that."""
        from piiscan.masking.surrogates.locales import UNSPACED

        if self.kind == "name" and (locale in UNSPACED) != (self.locale in UNSPACED):
            return ""
        return self.look

    def _look(self) -> str:
        from piiscan.masking.surrogates.locales import SURNAME_FIRST, UNSPACED

        if self.look or self.kind != "name":
            return self.look or _LOOKS[self.kind]
        if self.locale in UNSPACED:
            return _UNSPACED_LOOK
        return "Last First" if self.locale in SURNAME_FIRST else _LOOKS["name"]

    def _part(self, cells: pl.Series, people: Personas, key: Subkey) -> pl.Series:
        import polars as pl

        from piiscan.masking.surrogates import cities_with_codes, personas, places

        if self._lives_somewhere:
            look = self._look() if cells.dtype == pl.String else "Plain"
            draws = people.draw(personas.PLACE), people.draws64(personas.POSTAL_CODE)
            part = cities_with_codes.spelled(self.kind, self.locale, look, *draws)
            return part.cast(cells.dtype, strict=False)
        match self.kind:
            case "email":
                return people.emails(self._domains(cells.str.extract(r"@([^@\s<>]+)").fill_null(""), key))
            case "url":
                domains = self._domains(
                    cells.str.extract(r"(?i)^(?:[a-z]+://)?(?:www\.)?([^/\s?#]+)").fill_null(""), key
                )
                return "https://" + domains + "/" + people.user_names()
            case "username":
                return people.user_names()
            case "date_of_birth":
                return self._births(cells, people)
            case "street":
                return places.spell_streets(people.draws64(personas.STREET), self.locale, self._look())
            case "city":
                names = pl.Series(places.cities(self.locale))
                return names.gather(people.draw(personas.CITY) * len(names) >> 32)
            case _:
                return people.names(self._look())

    def _domains(self, domains: pl.Series, key: Subkey) -> pl.Series:
        from piiscan.masking.surrogates.personas import masked_domains

        if not self.domain:
            return masked_domains(domains, key, self.free_mail and self.kind == "email")
        import polars as pl

        return pl.Series([self.domain]).gather([0] * len(domains))

    def _births(self, cells: pl.Series, people: Personas) -> pl.Series:
        import polars as pl

        from piiscan.masking.operators import date_text
        from piiscan.masking.surrogates import birth_dates, personas

        draw = people.draw(personas.BORN)
        if cells.dtype == pl.String:
            form = self.date_format or "%Y-%m-%d"
            day = date_text.read(cells, form)
            return date_text.write(birth_dates.moved(day["date"], draw, self.years), form, day["day"])
        return birth_dates.moved(cells.cast(pl.Date), draw, self.years).cast(cells.dtype)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each of `masks` (distinct, not null) is one that some subject could get. A date of birth only has
        to be one."""
        found = self._declares(masks)
        for locale in self.locales if self.kind not in _BY_STEMS else ():
            if found.all():
                break
            rest = masks.filter(~found)
            more = replace(self, locale=locale, lists="", locales=(), look=self._look_in(locale))
            found = found.scatter((~found).arg_true(), more.declares(rest, key))
        return found

    def _declares(self, masks: pl.Series) -> pl.Series:
        from piiscan.masking.operators import declared_personas
        from piiscan.masking.surrogates import cities_with_codes, places

        if self._lives_somewhere:
            return cities_with_codes.declared(self.kind, masks, self.locale, self._look())
        locales = (self.locale, *self.locales)
        match self.kind:
            case "email":
                return declared_personas.emails(masks, locales, self.domain, self.free_mail)
            case "url":
                return declared_personas.urls(masks, locales, self.domain)
            case "username":
                return declared_personas.user_names(masks, locales)
            case "date_of_birth":
                return declared_personas.dates(masks, self.date_format)
            case "street":
                return places.declared_streets(masks, self.locale, self._look())
            case "city":
                return places.declared_cities(masks, self.locale)
            case _:
                found = declared_personas.names(masks, self.locale, self._look())
                rest = (~found).arg_true()
                if not len(rest) or not (self.own_look or "second" in self._look().lower()):
                    return found
                return found.scatter(rest, declared_personas.in_any_look(masks.gather(rest), locales, self.kind))

    def originals_by_chance(self, masks: int, originals: int, cells: int, digits: int) -> float:
        """Of names: a made-up one may be somebody's."""
        return NAMES_STAY * cells if self.kind in NAMES else 0.0

    def expected_collisions(self, subjects: int) -> float:
        """How many of so many subjects are expected to share this part of their person with an earlier one."""
        from piiscan.masking.operators import declared_personas
        from piiscan.masking.surrogates import cities_with_codes, places
        from piiscan.masking.surrogates.keyed_choices import expected_collisions

        if self._lives_somewhere:
            return expected_collisions(subjects, cities_with_codes.different(self.kind, self.locale))
        match self.kind:
            case "email" | "url" | "username":
                return expected_collisions(subjects, 2**64)
            case "date_of_birth":
                return float(max(0, subjects - 366 * (2 * self.years + 1)))
            case "street":
                return expected_collisions(subjects, len(places.streets(self.locale)) * places.HIGHEST)
            case "city":
                return expected_collisions(subjects, len(places.cities(self.locale)))
            case _:
                return declared_personas.name_collisions(subjects, self.locale, self._look())
