"""Made-up people for synthetic rows: columns of names and addresses that no release has, so that a table looks real."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.core.header_words import fold
from piiscan.core.keys import Subkey
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.persona import PLACES, Persona, PersonaKind
from piiscan.masking.surrogates import birth_dates, cities_with_codes, countries, gender_words, personas
from piiscan.masking.surrogates.locales import LOCALES, checked
from piiscan.masking.surrogates.locales import country as country_of

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

ADDRESSES: Final = ("email", "username", "url")
KINDS: Final = get_args(PersonaKind)
_ABOUT: Final = ("sex", "age", "country", "region")
_BAND: Final = re.compile(r"\s*(\d{1,3})\s*(?:[-–]|to)\s*(\d{1,3})\s*", re.IGNORECASE)
_OLDEST: Final = 120


@dataclass(frozen=True)
class People:
    """Which columns of synthetic rows are filled with made-up people, and what these fit.

    Each row gets a person of its own, who doesn't exist. Names, e-mail and user name agree, and so do city, region and
    postal code.

    columns: what each new column holds: name, first_name, last_name, title, username, email, url, street, city, region,
    postal_code, date_of_birth. locale: whose names and places ("pl_PL"), where `country` says nothing else. sex, age,
    country, region: columns of the rows whose words the people fit: a sex in any of many languages, years or a band
    such as "30-39", a country's code or name, a region of the country. domain: that of e-mail addresses. as_of: the day
    on which people have their age; needed for dates of birth.
    """

    columns: Mapping[str, str]
    locale: str = "en_US"
    sex: str | None = None
    age: str | None = None
    country: str | None = None
    region: str | None = None
    domain: str = "mail.example"
    as_of: dt.date | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping) or not self.columns:
            raise UsageError('people: columns says what each new column holds, such as full_name = "name"')
        for name, kind in self.columns.items():
            if kind not in KINDS:
                raise UsageError(f"people: column {name}: {kind!r} is none of {', '.join(KINDS)}")
        if checked(self.locale) != self.locale:
            raise UsageError(f"people: locale {self.locale!r}: write it {checked(self.locale)!r}")
        if "date_of_birth" in self.columns.values() and (self.age is None or type(self.as_of) is not dt.date):
            raise UsageError(
                "people: dates of birth need age, a column of the rows, and as_of, a day such as 2026-01-31"
            )
        if re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", self.domain) is None:
            raise UsageError("people: domain is that of e-mail addresses, such as mail.example")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> People:
        """Read a TOML file whose keys are the parameters. Raises `UsageError`."""
        if not isinstance(path, str | os.PathLike):
            raise UsageError(
                f"people must be a piiscan.People or the path of one, not an object of type {type(path).__name__}"
            )
        return cls._said(_read(path), f"people {os.fspath(path)}")

    @classmethod
    def load_tables(cls, path: str | os.PathLike[str]) -> dict[str, People]:
        """Read a TOML file that has the parameters of each of several tables, as `[tables.NAME]`.

        Returns the people of each table, by its name. Raises `UsageError`.
        """
        place, content = f"people {os.fspath(path)}", _read(path)
        tables = content.get("tables")
        if set(content) != {"tables"} or not isinstance(tables, dict):
            raise UsageError(
                f"{place}: for several tables it contains a table [tables.NAME] for each, and nothing else"
            )
        found = {}
        for name, said in tables.items():
            try:
                found[name] = cls._said(said, place)
            except UsageError as error:
                raise UsageError(f"table {name}: {error}") from None
        return found

    @classmethod
    def _said(cls, content: Any, place: str) -> People:
        known = [f.name for f in fields(cls)]
        if not isinstance(content, dict):
            raise UsageError(f"{place}: it must be a table, with columns")
        if wrong := sorted(set(content) - set(known)):
            raise UsageError(f"{place}: it may contain {', '.join(known)}, not {wrong[0]}")
        texts = [k for k in content if k not in ("columns", "as_of") and not isinstance(content[k], str)]
        if "columns" not in content or texts:
            wrong_key = texts[0] if texts else "columns"
            raise UsageError(f"{place}: {wrong_key} must be there, as a text or, for columns, a table")
        return cls(**content)

    def demand(self, names: Sequence[str]) -> None:
        """Raises `UsageError` where rows with these columns can't be filled."""
        for what in _ABOUT:
            if (name := getattr(self, what)) is not None and name not in names:
                raise UsageError(f"people: {what} is column {name}, which the synthetic rows don't have")
        if both := sorted(set(self.columns) & set(names)):
            raise UsageError(
                f"people: column {both[0]} is declared, so its cells are drawn; leave it out of one of them"
            )

    def made(self, rows: pl.DataFrame, seed: str) -> pl.DataFrame:
        """A column of each kind asked for, with a cell a row. The same rows and `seed` give the same people.

        Guarantee:
            Assumes: nothing.
            Ensures: cells depend on the rows, the seed and the package's lists alone, so where rows and seed are a
            private release, so are people. Each fits the row's sex, age, country and region as far as it names them.
            Does not protect against: anything of the rows themselves. A made-up name may by chance be somebody's.
            Test: test_made_up_people.py::test_people_fit_their_rows
        """
        import polars as pl

        self.demand(rows.columns)
        key = Subkey(hashlib.sha256(f"piiscan made-up people\n{seed}".encode()).digest())
        about = self._about(rows)
        found = {name: self._part(kind, about, key, rows) for name, kind in self.columns.items()}
        return pl.DataFrame([cells.alias(name) for name, cells in found.items()])

    def _about(self, rows: pl.DataFrame) -> RowContext:
        import polars as pl

        numbers = pl.int_range(rows.height, eager=True).cast(pl.String)
        sexes = None
        if self.sex is not None:
            words = rows[self.sex].cast(pl.String)
            known = gender_words.genders()
            said = {w: known[fold(w)] for w in words.drop_nulls().unique().to_list() if fold(w) in known}
            sexes = words.replace_strict(said, default=None, return_dtype=pl.String)
        locales = None
        if self.country is not None:
            first = {country_of(locale): locale for locale in (*reversed(LOCALES), self.locale)}
            codes = countries.country_codes(rows[self.country].cast(pl.String))
            locales = codes.replace_strict(first, default=None, return_dtype=pl.String)
        return RowContext(subjects=numbers, genders=sexes, locales=locales)

    def _part(self, kind: str, about: RowContext, key: Subkey, rows: pl.DataFrame) -> pl.Series:
        import polars as pl

        if kind == "date_of_birth":
            return self._births(about, key, rows)
        if kind in PLACES:
            return self._places(kind, about, key, rows)
        if kind in ADDRESSES:
            users = self._user_names(about, key)
            start = "https://" + self.domain + "/" if kind == "url" else ""
            return start + users + ("@" + self.domain if kind == "email" else "")
        known = () if about.locales is None else tuple(sorted(about.locales.drop_nulls().unique().to_list()))
        operator = Persona(kind, self.locale, locales=known)  # type: ignore[arg-type]
        return operator.mask_rows(pl.Series([""]).new_from_index(0, rows.height), about, key)

    def _user_names(self, about: RowContext, key: Subkey) -> pl.Series:
        """First name and surname in plain letters, with a number where an earlier row has the same."""
        import polars as pl

        assert about.subjects is not None
        draws = personas.Draws.of(about.subjects, about.genders, key, None, np.zeros(len(about.subjects), np.uint8))
        found = pl.Series([None], dtype=pl.String).new_from_index(0, len(about.subjects))
        for locale, at in self._by_locale(about):
            found = found.scatter(at, draws.take(at).people(locale).user_names())
        earlier = pl.int_range(pl.len()).over("user")
        number = pl.when(earlier > 0).then((earlier + 1).cast(pl.String)).otherwise(pl.lit(""))
        return found.to_frame("user").select(pl.col("user") + number).to_series()

    def _by_locale(self, about: RowContext) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """Each locale, and the rows of its people."""
        import polars as pl

        assert about.subjects is not None
        usual = pl.Series([self.locale]).new_from_index(0, len(about.subjects))
        locales = usual if about.locales is None else about.locales.fill_null(self.locale)
        for locale in locales.unique(maintain_order=True).to_list():
            yield str(locale), (locales == locale).arg_true().to_numpy().astype(np.int64)

    def _places(self, kind: str, about: RowContext, key: Subkey, rows: pl.DataFrame) -> pl.Series:
        """Cities, regions or postal codes, in the row's region where it is one of the country's."""
        import polars as pl

        assert about.subjects is not None
        found = pl.Series([None], dtype=pl.String).new_from_index(0, rows.height)
        regions = found if self.region is None else rows[self.region].cast(pl.String)
        people = personas.Draws.of(about.subjects, None, key).people(self.locale)
        place, codes = people.draw(personas.PLACE), people.draws64(personas.POSTAL_CODE)
        for locale, here in self._by_locale(about):
            for region in regions.gather(here).unique(maintain_order=True).to_list():
                at = here[regions.gather(here).eq_missing(region).to_numpy()]
                cells = cities_with_codes.spelled(kind, locale, "", place[at], codes[at], region)
                found = found.scatter(at, cells)
        return found

    def _births(self, about: RowContext, key: Subkey, rows: pl.DataFrame) -> pl.Series:
        """Days on which people were born who have their age on `as_of`; null where the row tells none."""
        assert about.subjects is not None and self.age is not None and self.as_of is not None
        draw = personas.Draws.of(about.subjects, None, key).people(self.locale).draw(personas.BORN)
        return birth_dates.of_ages(_ages(rows[self.age]), draw, self.as_of)


def filled(
    rows: pl.DataFrame, people: People | None, declared: Sequence[str], seed: str, order: Sequence[str]
) -> pl.DataFrame:
    """Return rows with the columns of `people`, who fit what rows have in the columns `declared`.

    seed: the text of the release, with the table's name where it has several. order: the columns of the data; columns
    that these lack come last.
    """
    if people is not None:
        rows = rows.hstack(people.made(rows.select(declared), seed))
    index = {name: i for i, name in enumerate(order)}
    names = sorted(rows.columns, key=lambda name: index.get(name, len(order)))
    return rows.select(names)


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"people {os.fspath(path)}: can't be read as TOML ({type(error).__name__})") from None


def _ages(cells: pl.Series) -> pl.DataFrame:
    """The youngest and oldest age that each cell allows (`low`, `high`); null where it is none."""
    import polars as pl

    texts = cells.cast(pl.String)
    said: dict[str, tuple[int, int]] = {}
    for text in texts.drop_nulls().unique().to_list():
        if band := _BAND.fullmatch(text):
            low, high = int(band[1]), int(band[2])
        elif re.fullmatch(r"\s*\d{1,3}(\.\d+)?\s*", text):
            low = high = int(float(text))
        else:
            continue
        if low <= high <= _OLDEST:
            said[text] = low, high
    return pl.DataFrame(
        {
            "low": texts.replace_strict({k: v[0] for k, v in said.items()}, default=None, return_dtype=pl.Int64),
            "high": texts.replace_strict({k: v[1] for k, v in said.items()}, default=None, return_dtype=pl.Int64),
        }
    )
