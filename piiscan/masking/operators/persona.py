"""The operator `persona`: the columns of a row that must agree become those of one made-up person."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, Literal, get_args

from piiscan.core.errors import UsageError
from piiscan.masking.operators.operator import Contract, Operator, RowContext
from piiscan.masking.operators.preconditions import demand_first

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

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
_BY_CELL: Final = ("email", "username", "url", "date_of_birth")
"""What depends on the cell beside the subject."""
PLACES: Final = ("city", "region", "postal_code")
NAMES: Final = ("name", "first_name", "last_name")
_BY_STEMS: Final = ("email", "username", "url")
_UNSPACED_LOOK: Final = "LastFirst"
_SPACED_LOOK: Final = "Last First"
_SYLLABLES_OF: Final = "ja_JP"
_SECONDS: Final = {"first": "Second", "second": "Middle", "last": "SecondLast", "secondlast": "SecondLast"}
"""Part of a look → that of the second of two names."""


@dataclass(frozen=True)
class Persona(Operator):
    """A part of the made-up person that the row's subject becomes.

    `kind`: which part. `locale`: whose names ("pl_PL"). `look`: how the column writes names or addresses ("LAST,
    First"; see `piiscan.masking.surrogates.name_format`). `domain`: the domain of every e-mail; left out,
    one below `.example` for each original domain. `free_mail`: providers that anybody may use (gmail.com) share a few,
    such as `mail.example`.
    `locales`: those that a subject may have of its own, where a subject table says so; others get `locale`.
    `own_look`: a cell whose name is written another way than the column's (initials, two names, capitals, particles)
    keeps its own, where a subject table says that others are written so; a name in a text keeps its own but for
    particles, and its gender.
    `script`: "katakana" or "hiragana" for Japanese names as they are read, as those beside them in characters are.
    `everywhere`: in lists, which have no subject, a name in full means the person of that name in other tables.
    `second`: the column holds the second of two such names of a person, as a middle name beside a first name is.
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
        Ensures that the parts of a row agree (first names of the row's gender where it is known, beginning with the
        initial of user name and e-mail; surnames in the form of that gender; postal code, city and region of one
        place), that equal subjects get equal parts in every table, file and partition, that different e-mails and user
        names differ but for a chance of n² / 2⁶⁵, whosever they are, and that every mask comes from the declared lists,
        a reserved domain, or the stated years. Where a vault remembers everybody, `short` e-mails and user names are
        first name and surname, with digits where two would be equal; else an initial, a surname and 13 signs. With `per
        = "row"`, persons of a row agree with each other alone, and with the subject's gender.
        Does not protect how often a mail domain occurs, nor, by subject, how often a subject does, nor the year of
        birth; a name may by chance be the original one; anyone with the key can recognise a subject by trying.
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
    script: str = ""
    second: bool = False
    everywhere: bool = False

    name: ClassVar[str] = "persona"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    subject_decides: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"
    needs: ClassVar[frozenset[str]] = frozenset({"subjects"})

    def __post_init__(self) -> None:
        from piiscan.masking.surrogates.locales import checked
        from piiscan.masking.surrogates.name_lists import SYLLABLES

        if self.kind not in get_args(PersonaKind):
            raise UsageError(f"persona kind {self.kind!r}: choose one of {', '.join(get_args(PersonaKind))}")
        if self.per not in get_args(Per):
            raise UsageError(f"per {self.per!r}: choose one of {', '.join(get_args(Per))}")
        if self.per == "row":
            object.__setattr__(self, "needs", frozenset({"subjects", "first"}))
            object.__setattr__(self, "subject_decides", False)
        if self.script and (self.kind not in NAMES or self.script not in SYLLABLES):
            raise UsageError(
                f"persona {self.kind}: script {self.script!r}: {' or '.join(SYLLABLES)}, and for names only"
            )
        if self.second and self.kind not in ("first_name", "last_name"):
            raise UsageError(f"persona {self.kind}: second is for first_name and last_name; leave it out")
        if checked(self.locale) != self.locale:
            raise UsageError(f"locale {self.locale!r}: write it {checked(self.locale)!r}")
        if self.places and self.kind not in PLACES:
            raise UsageError(f"persona {self.kind}: places is for {', '.join(PLACES)}; leave it out")
        if self._lives_somewhere:
            self._check_place()
        elif self.kind in ("street", "city", "date_of_birth", "title"):
            object.__setattr__(self, "share_that_stays", self._likeliest())
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

    def _likeliest(self) -> float:
        """How likely the likeliest street or city is. A date of birth always moves, and a title goes by gender."""
        from piiscan.masking.surrogates import places

        if self.kind in ("date_of_birth", "title"):
            return float(self.kind == "title")
        locales = (self.locale, *self.locales)
        if self.kind == "city":
            return max(1 / len(places.cities(locale)) for locale in locales)
        return max(1 / (len(places.streets(locale)) * places.HIGHEST) for locale in locales)

    def dtype(self, before: DType) -> DType:
        if before == "string" or (self.kind == "date_of_birth" and before in ("date", "datetime")):
            return before
        if before == "integer" and self.kind == "postal_code":  # without zeros in front, as there; null for letters
            return before
        raise UsageError(f"persona {self.kind}: a column of type {before} can't contain one; choose another operator")

    def mask_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> pl.Series:
        """The persona's part for each cell that isn't null.

        Raises `UsageError` for a missing key or lists that have changed.
        """
        import polars as pl

        from piiscan.masking.surrogates import cities_with_codes
        from piiscan.masking.surrogates.name_lists import check_digest

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
        assert rows.subjects is not None
        genders = rows.genders
        frame = self._styles(cells, rows).with_columns(
            rows.subjects.alias("subject"),
            pl.Series("gender", [None], dtype=pl.String).new_from_index(0, len(cells))
            if genders is None
            else genders.alias("gender"),
        )
        if self.kind not in _BY_CELL:
            once = frame.unique(maintain_order=True)
            if len(once) * 2 < len(frame):
                masks = self._made(cells.clear(), once, None, key)
                joined = frame.join(
                    once.with_columns(masks.alias("mask")),
                    on=frame.columns,
                    how="left",
                    nulls_equal=True,
                    maintain_order="left",
                )["mask"]
                return joined.zip_with(cells.is_not_null(), pl.Series([None], dtype=joined.dtype)).alias(cells.name)
        out = self._made(cells, frame, rows, key)
        return out.zip_with(cells.is_not_null(), pl.Series([None], dtype=out.dtype)).alias(cells.name)

    def _styles(self, cells: pl.Series, rows: RowContext) -> pl.DataFrame:
        """Of each cell the locale, and how it is written: `locale` and `look`, String."""
        import polars as pl

        locales = pl.Series("locale", [self.locale]).new_from_index(0, len(cells))
        if rows.locales is not None:
            locales = rows.locales.zip_with(rows.locales.is_in(self.locales).fill_null(False), locales).alias("locale")
        operators = {locale: self._in(locale) for locale in locales.unique().to_list()}
        usual = {locale: o._look() if o.kind in _LOOKS else o.look for locale, o in operators.items()}
        looks = locales.replace_strict(usual, return_dtype=pl.String).alias("look")
        unspaced = [locale for locale in operators if locale != self.locale and usual[locale] == _UNSPACED_LOOK]
        if unspaced:  # the column's look is of another locale, so it doesn't say whether these have a space
            spaced = locales.is_in(unspaced) & cells.cast(pl.String).str.contains(r"\S\s+\S").fill_null(False)
            looks = looks.zip_with(~spaced, pl.Series([_SPACED_LOOK]))
        if rows.looks is not None and rows.subjects is not None and self.own_look:
            for look in sorted(set(usual.values())):
                written = [locale for locale, o in operators.items() if o.has_looks and usual[locale] == look]
                at = locales.is_in(written).arg_true()
                if len(at):
                    own = replace(self, look=look).looks(cells.gather(at))
                    allowed = rows.looks.allowed(own, rows.subjects.gather(at))
                    looks = looks.scatter(at, own.zip_with(allowed, pl.Series([look])).fill_null(look))
        if self.second:
            told = looks.unique().to_list()
            looks = looks.replace_strict(told, [_second(look) for look in told], return_dtype=pl.String)
        return pl.DataFrame([locales, looks.alias("look")])

    def _in(self, locale: str) -> Persona:
        """The same for one locale alone."""
        script = self.script if locale == _SYLLABLES_OF else ""
        return replace(self, locale=locale, lists="", locales=(), look=self._look_in(locale), script=script)

    def _made(self, cells: pl.Series, frame: pl.DataFrame, rows: RowContext | None, key: Subkey) -> pl.Series:
        """The parts of some people: `locale`, `look`, `subject` and `gender`.

        `rows`: what is known of each one's cell; None where it doesn't matter.
        """
        import numpy as np
        import polars as pl

        from piiscan.masking.crypto.text_bytes import groups
        from piiscan.masking.surrogates.personas import Draws

        addresses = (rows.own, rows.digits) if rows is not None and self.short else ()
        draws = Draws.of(frame["subject"], frame["gender"], key, *addresses)
        given = self._given(cells, key)
        styles = frame.select((pl.col("locale") + " " + pl.col("look")).rank("dense"))["locale"].to_numpy()
        parts, places = [], []
        for _, at in groups(styles):
            locale, look = frame.row(int(at[0]), named=True)["locale"], frame.row(int(at[0]), named=True)["look"]
            operator = replace(self._in(locale), look=look, own_look=False)
            people = draws.take(at).people(locale, operator.script)
            parts.append(operator._part(given.gather(at) if len(given) else given, people))
            places.append(at)
        if not parts:
            return cells
        return pl.concat(parts).gather(np.argsort(np.concatenate(places), kind="stable"))

    def _given(self, cells: pl.Series, key: Subkey) -> pl.Series:
        """What a part is made of besides the person: masked domains of addresses, else the cell."""
        if self.kind == "email":
            return self._domains(cells.str.extract(r"@([^@\s<>]+)").fill_null(""), key)
        if self.kind == "url":
            return self._domains(cells.str.extract(r"(?i)^(?:[a-z]+://)?(?:www\.)?([^/\s?#]+)").fill_null(""), key)
        return cells

    @property
    def has_looks(self) -> bool:
        """Whether each name is written as its cell is."""
        return self.own_look and self.per == "subject" and self._is_spaced

    def as_written(self, names: pl.Series, subjects: pl.Series) -> RowContext:
        """What is known of people whom texts name, each by their name alone: its gender, and how it is written.

        Neither where names don't keep their own look.
        """
        if not self.has_looks:
            return RowContext(subjects)
        from piiscan.masking.surrogates import gender, name_format
        from piiscan.masking.surrogates.written_names import AnyLook

        title, first, last = name_format.split(names, self._look())
        genders = gender.of_rows(self.locale, title=title, first_name=first, last_name=last)
        return RowContext(subjects, genders, looks=AnyLook())

    def looks(self, cells: pl.Series) -> pl.Series:
        """How each cell's name is written (String); null for what is no name as others write them."""
        from piiscan.masking.surrogates.written_names import looks_of

        return looks_of(cells, self.kind, self._look(), self.locale)

    @property
    def _is_spaced(self) -> bool:
        from piiscan.masking.surrogates.locales import UNSPACED

        return self.kind in NAMES and self.locale not in UNSPACED

    def _look_in(self, locale: str) -> str:
        """A locale that writes names without spaces keeps to that."""
        from piiscan.masking.surrogates.locales import UNSPACED

        if self.kind == "name" and self.script:  # the look is of names as they are read
            return self.look if locale == _SYLLABLES_OF else ""
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

    def _part(self, given: pl.Series, people: Personas) -> pl.Series:
        """One part of some people of the operator's locale. `given`: see `_given`; of others its type counts alone."""
        import polars as pl

        from piiscan.masking.surrogates import cities_with_codes, personas, places

        if self._lives_somewhere:
            look = self._look() if given.dtype == pl.String else "Plain"
            draws = people.draw(personas.PLACE), people.draws64(personas.POSTAL_CODE)
            part = cities_with_codes.spelled(self.kind, self.locale, look, *draws)
            return part.cast(given.dtype, strict=False)
        match self.kind:
            case "email":
                return people.emails(given)
            case "url":
                return "https://" + given + "/" + people.user_names()
            case "username":
                return people.user_names()
            case "date_of_birth":
                return self._births(given, people)
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
        """Whether each of `masks` (distinct, not null) is one that some subject could get.

        A date of birth only has to be one.
        """
        found = (self._in(self.locale) if self.script else self)._declares(masks)
        for locale in self.locales if self.kind not in _BY_STEMS else ():
            if found.all():
                break
            rest = masks.filter(~found)
            found = found.scatter((~found).arg_true(), self._in(locale).declares(rest, key))
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
                look = _second(self._look()) if self.second else self._look()
                found = declared_personas.names(masks, self.locale, look, self.script)
                rest = (~found).arg_true()
                if not len(rest) or not (self.own_look or "second" in self._look().lower()):
                    return found
                return found.scatter(rest, declared_personas.in_any_look(masks.gather(rest), locales, self.kind))

    @property
    def names_by_row(self) -> bool:
        return self.per == "row" and self.kind in NAMES

    def likely_to_stay(self, cells: pl.Series) -> float | None:
        """Of names and of short user names, which are made of names; all other parts have a share that stays."""
        from piiscan.masking.surrogates.name_chances import stays

        locales = (self.locale, *self.locales)
        match self.kind:
            case "name" | "first_name" | "last_name":
                return stays(cells, locales, self.script)
            case "username" if self.short:
                return stays(cells.str.replace(r"\d+$", ""), locales)
            case "email" | "url" if self.domain:  # of another domain it isn't the original
                host = r"@.*$" if self.kind == "email" else r"^.*/"
                return stays(cells.filter(cells.str.contains(self.domain, literal=True)).str.replace(host, ""), locales)
            case "email" | "url" | "username":
                return 0.0
            case _:
                return None

    def share_known(self, are_known: Callable[[pl.Series], NDArray[np.bool_]]) -> float:
        """Names may be somebody's user name."""
        from piiscan.masking.surrogates.name_chances import share_known

        if self.kind not in NAMES:
            return 0.0
        return share_known(are_known, (self.locale, *self.locales), self.kind, self.script)

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
                return declared_personas.name_collisions(subjects, self.locale, self._look(), self.script)


def _second(look: str) -> str:
    """The look of the second of two names: of another first name, of another surname."""

    def of(match: re.Match[str]) -> str:
        word = _SECONDS[match[0].lower()]
        return word.upper() if match[0].isupper() else word.lower() if match[0].islower() else word

    return re.sub(r"(?i)secondlast|second|first|last(?!initial)", of, look)
