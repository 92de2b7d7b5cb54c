"""Personas: the parts of a person agree, and the same subject is the same person everywhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.persona import Persona
from piiscan.masking.surrogates import inflect
from piiscan.masking.surrogates.keyed_choices import expected_collisions
from piiscan.masking.surrogates.latin_letters import stem
from piiscan.masking.surrogates.locales import LOCALES, language
from piiscan.masking.surrogates.mail_domains import RESERVED
from piiscan.masking.surrogates.name_format import name_pattern_of, pieces, split
from piiscan.masking.surrogates.name_lists import check_digest, faker_class, lists, lists_digest
from piiscan.masking.surrogates.personas import Draws, canonical, masked_domains, table

KEY, OTHER = Subkey(bytes(range(32))), Subkey(bytes(32))
TWELVE = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pl_PL", "pt_BR", "nl_NL", "cs_CZ", "ru_RU", "sv_SE")
GENDERS = ("f", "m", None)


def subjects(n: int) -> pl.Series:
    return pl.Series("s", [f"person{i}@mail{i % 7}.test" for i in range(n)])


def genders(n: int) -> pl.Series:
    return pl.Series("g", [GENDERS[i % 3] for i in range(n)], dtype=pl.String)


def masks(operator: Persona, cells: pl.Series, rows: RowContext, key: Subkey = KEY) -> list[str | None]:
    return operator.mask_rows(cells, rows, key).to_list()


@pytest.mark.parametrize("locale", TWELVE)
def test_a_persona_agrees_with_itself(locale: str) -> None:
    people = Draws.of(subjects(300), genders(300), KEY).people(locale)
    provider = faker_class("person", locale)
    women, men = set(provider.first_names_female), set(provider.first_names_male)
    table_of = lists(locale)
    women_forms, men_forms = {s.female for s in table_of.surnames}, {s.male for s in table_of.surnames}
    stems = {s.female: s.stem for s in table_of.surnames} | {s.male: s.stem for s in table_of.surnames}
    domains = pl.Series(["d.example"]).gather([0] * 300)
    rows = zip(
        people.first_names(),
        people.last_names(),
        people.names("First Last"),
        people.user_names(),
        people.emails(domains),
        people.titles(),
        genders(300),
        strict=True,
    )
    for first, last, full, user, email, title, gender in rows:
        assert full == f"{first} {last}"
        assert email == f"{user}@d.example"
        assert user[0] == stem(first)[0]
        assert user.split(".")[0][1:] == stems[last]
        assert user.isascii() and user == user.lower()
        assert (title is None) == (gender is None)
        if gender == "f":
            assert first in women and first not in men and last in women_forms
        elif gender == "m":
            assert first in men and first not in women and last in men_forms
        assert not {" ", "."} & set(first + last)


@pytest.mark.parametrize("locale", LOCALES)
def test_every_locale_has_names_of_both_genders_and_all_its_masks_are_declared(locale: str) -> None:
    found = lists(locale)
    assert len(found.female) > 10 and len(found.male) > 10 and len(found.surnames) > 10
    assert len(table(locale).initials) >= 5
    cells, rows = subjects(60), RowContext(subjects(60), genders(60))
    kinds: list[tuple[str, str]] = [
        ("name", ""),
        ("name", "LAST, First"),
        ("first_name", ""),
        ("last_name", "LAST"),
        ("title", ""),
        ("email", ""),
        ("username", ""),
        ("street", ""),
    ]
    for kind, look in kinds:
        operator = Persona(kind, locale, look=look)  # type: ignore[arg-type]
        out = operator.mask_rows(cells, rows, KEY).drop_nulls().unique()
        assert operator.declares(out, KEY).all(), (kind, look)
        strangers = pl.Series(["Zzyzx Qwrtp", "jane.doe@company.test", "x", "12"])
        assert not operator.declares(strangers, KEY).any(), (kind, look)


@pytest.mark.parametrize(
    "kind", ["name", "first_name", "last_name", "title", "username", "email", "url", "date_of_birth", "city", "street"]
)
def test_any_partition_and_order_gives_the_same_cells(kind: Any) -> None:
    operator = Persona(kind, "pl_PL")
    n = 120
    who = pl.concat([subjects(n // 2)] * 2)
    cells = pl.Series([f"19{i % 60 + 10}-0{i % 9 + 1}-11" for i in range(n)]) if kind == "date_of_birth" else who
    sexes = pl.concat([genders(n // 2)] * 2)
    whole = masks(operator, cells, RowContext(who, sexes))
    assert None not in whole or kind == "title"
    parts: list[str | None] = []
    for start, stop in ((0, 1), (1, 50), (50, 120)):
        parts += masks(operator, cells[start:stop], RowContext(who[start:stop], sexes[start:stop]))
    assert parts == whole
    order = list(range(n))[::-1]
    assert masks(operator, cells.gather(order), RowContext(who.gather(order), sexes.gather(order))) == whole[::-1]
    assert kind == "title" or masks(operator, cells, RowContext(who, sexes), OTHER) != whole
    if kind != "date_of_birth":
        assert whole[: n // 2] == whole[n // 2 :]


def test_nulls_stay_and_what_is_masked_gets_the_column_name() -> None:
    cells = pl.Series("mail", ["a@b.test", None, "c@d.test"])
    out = Persona("email", "en_US").mask_rows(cells, RowContext(canonical(cells.fill_null(""))), KEY)
    assert out.name == "mail" and out.is_null().to_list() == [False, True, False]
    many = pl.Series("n", ["A", None] * 30)
    out = Persona("name", "en_US").mask_rows(many, RowContext(pl.Series(["x"] * 60)), KEY)
    assert out.is_null().to_list() == [False, True] * 30 and out.n_unique() == 2


def test_an_email_alone_is_the_one_beside_a_name() -> None:
    """It comes from the subject: neither gender nor name nor how the cell spells it count."""
    operator = Persona("email", "cs_CZ")
    cells = pl.Series(["Jana@Mail.test", "jana@mail.test ", "JANA@MAIL.TEST"])
    for sexes in (None, pl.Series(["f"] * 3), pl.Series(["m"] * 3)):
        assert len(set(masks(operator, cells, RowContext(canonical(cells), sexes)))) == 1
    beside = masks(operator, cells[:1], RowContext(canonical(cells[:1]), pl.Series(["f"])))
    assert masks(operator, cells[1:2], RowContext(canonical(cells[1:2]))) == beside


def test_two_subjects_never_share_an_email_and_groups_by_domain_survive() -> None:
    who = subjects(200_000)
    out = Persona("email", "en_US").mask_rows(who, RowContext(who), KEY)
    assert out.n_unique() == 200_000
    before, after = (s.str.extract("@(.*)") for s in (who, out))
    assert before.n_unique() == after.n_unique() == pl.DataFrame({"b": before, "a": after}).unique().height
    assert not set(out) & set(who)
    declared = Persona("email", "en_US", domain="example.com")
    assert declared.mask_rows(who[:3], RowContext(who[:3]), KEY).str.ends_with("@example.com").all()


FREE = (
    "gmail.com GMAIL.com googlemail.com yahoo.com yahoo.co.uk hotmail.fr live.com.au gmx.net gmx.de web.de icloud.com "
)
FREE += "aol.com proton.me mail.ru yandex.ru qq.com 163.com libero.it orange.fr wp.pl seznam.cz"
OWN = "acme.com gmail.acme.com notgmail.com gmail.com.evil.org live.acme.org yahoo-inc.com x-gmx.de gmail post.example"


def test_providers_for_everybody_share_a_few_domains_and_companies_have_one_each() -> None:
    domains = (FREE + " " + OWN).split()
    who = pl.Series([f"{user}@{domain}" for domain in domains for user in ("a", "b")])
    operator = Persona("email", "en_US", free_mail=True, short=True)
    out = operator.mask_rows(who, RowContext(who), KEY)
    made = out.str.extract("@(.*)")[::2]
    free = set(made[: len(FREE.split())])
    assert free <= set(RESERVED) and len(free) > 1
    assert made[0] == made[1] and not free & set(made[len(FREE.split()) :])
    assert made[len(FREE.split()) :].str.contains(r"^d\w{8}\.example$").all()
    assert made[len(FREE.split()) :].n_unique() == len(OWN.split())
    assert out.filter(~who.str.contains("GMAIL")).is_unique().all()
    assert operator.declares(out.unique(), KEY).all()
    before = Persona("email", "en_US", short=True)
    assert not before.declares(out[:2], KEY).any()
    assert before.mask_rows(who, RowContext(who), KEY).str.contains(r"@d\w{8}\.example$").all()
    assert not set(masked_domains(pl.Series(FREE.split()), OTHER, True)) - set(RESERVED)


def test_emails_are_emails_by_piiscans_own_rule() -> None:
    import piiscan

    who = subjects(400)
    for locale in ("en_US", "ja_JP", "ru_RU", "he_IL"):
        frame = pl.DataFrame({"email": Persona("email", locale).mask_rows(who, RowContext(who), KEY)})
        report = piiscan.scan(frame)["email"]
        assert report.entity == "EMAIL_ADDRESS"
        assert any(r.share == 1.0 for r in report.reasons if r.by == "rule")


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("us"), pl.String])
def test_births_stay_within_their_year_and_never_on_their_day(dtype: Any) -> None:
    n = 2000
    days = pl.date_range(pl.date(1999, 12, 1), pl.date(2005, 6, 1), eager=True)[:n]
    cells = days.cast(dtype) if dtype != pl.String else days.dt.to_string("%d.%m.%Y")
    operator = Persona("date_of_birth", "de_DE", date_format="%d.%m.%Y")
    out = operator.mask_rows(cells, RowContext(subjects(n)), KEY)
    assert out.dtype == dtype
    back = out.str.to_date("%d.%m.%Y") if dtype == pl.String else out.cast(pl.Date)
    assert (back.dt.year() == days.dt.year()).all() and (back != days).all()
    wide = Persona("date_of_birth", "de_DE", years=2, date_format="%d.%m.%Y").mask_rows(
        cells, RowContext(subjects(n)), KEY
    )
    moved = (wide.str.to_date("%d.%m.%Y") if dtype == pl.String else wide.cast(pl.Date)).dt.year() - days.dt.year()
    assert moved.min() == -2 and moved.max() == 2
    if dtype == pl.String:
        assert operator.mask_rows(pl.Series(["unknown"]), RowContext(pl.Series(["x"])), KEY).to_list() == [None]


def test_originals_survive_no_more_often_than_chance_tells() -> None:
    n = 20_000
    people = Draws.of(subjects(n), genders(n), OTHER).people("en_US")
    masked = Draws.of(subjects(n), genders(n), KEY).people("en_US")
    same = (people.names("First Last") == masked.names("First Last")).sum()
    collisions = Persona("name", "en_US").expected_collisions(n)
    distinct = masked.names("First Last").n_unique()
    assert same < 20
    assert abs((n - distinct) - collisions) < 0.05 * n
    assert Persona("email", "en_US").expected_collisions(1_000_000) < 1e-6


@pytest.mark.parametrize(
    ("look", "cell"),
    [
        ("First Last", "Anna Kowalska"),
        ("LAST, First", "KOWALSKA, Anna"),
        ("last first", "kowalska anna"),
        ("Title First Last", "Pani Anna Kowalska"),
        ("Last, First", "Nowak, Jan"),
        ("First Initial. Last", "Jan K. Nowak"),
        ("FIRST LAST", "JAN NOWAK"),
    ],
)
def test_a_look_is_reported_and_kept(look: str, cell: str) -> None:
    assert name_pattern_of([cell], "name", "pl_PL") == look
    out = Persona("name", "pl_PL", look=look).mask_rows(pl.Series([cell] * 9), RowContext(subjects(9), genders(9)), KEY)
    upper = [p for p in pieces(look) if p.case == "upper"]
    assert Persona("name", "pl_PL", look=look).declares(out.unique(), KEY).all()
    assert all((", " in m) == (", " in look) and m == m.strip() and "  " not in m for m in out)
    assert not upper or all(any(w.isupper() and len(w) > 1 for w in m.replace(",", "").split()) for m in out)


def test_names_are_taken_apart_as_they_look() -> None:
    column = pl.Series(
        ["Smith, John", "Frau Dr. Anna Müller", "Cher", None, "Sig.ra Rita Pavone", "Dipl.-Ing. Eva Huber"]
    )
    title, first, last = split(column, "First Last")
    assert first.to_list() == ["John", "Anna", "Cher", None, "Rita", "Eva"]
    assert last.to_list() == ["Smith", "Müller", None, None, "Pavone", "Huber"]
    assert title.to_list() == [None, "Frau Dr.", None, None, "Sig.ra", "Dipl.-Ing."]
    assert [s.to_list() for s in split(pl.Series(["王伟", "欧阳建华"]), "LastFirst")[1:]] == [
        ["伟", "建华"],
        ["王", "欧阳"],
    ]


@pytest.mark.parametrize("locale", ["cs_CZ", "ru_RU", "uk_UA", "mk_MK", "lv_LV"])
def test_surnames_are_inflected_as_fakers_own_lists_have_them(locale: str) -> None:
    provider = faker_class("person", locale)
    known = set(provider.last_names_female)
    forms = inflect.pairs(sorted(set(provider.last_names_male)), sorted(known), language(locale))
    assert sum(form in known for form in forms.values()) / len(forms) >= 0.9


@given(st.text(max_size=30), st.sampled_from(["en_US", "pl_PL", "el_GR"]))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_a_subject(subject: str, locale: str) -> None:
    who = pl.Series([subject])
    operator = Persona("email", locale)
    assert operator.declares(operator.mask_rows(who, RowContext(who), KEY), KEY).all()


def test_the_digest_of_lists_is_held_on_to() -> None:
    recorded = lists_digest("pl_PL")
    check_digest("pl_PL", recorded)
    wrong = "0" * 16 + "@faker-39.0.0"
    with pytest.raises(UsageError, match=r"pip install|install faker==39.0.0"):
        check_digest("pl_PL", wrong)
    with pytest.raises(UsageError, match="name lists of pl_PL"):
        masks(Persona("name", "pl_PL", lists=wrong), pl.Series(["x"]), RowContext(pl.Series(["x"])))
    assert lists_digest("pl_PL") != lists_digest("cs_CZ")


def test_lists_dont_depend_on_the_order_of_sets() -> None:
    code = (
        "from piiscan.masking.surrogates.name_lists import lists_digest; from piiscan.masking.surrogates.places "
        "import cities, streets\n"
    )
    code += "print([(lists_digest(l), streets(l), cities(l)) for l in ('it_IT', 'uk_UA', 'en_US', 'ja_JP')])"
    out = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        ).stdout
        for seed in "12"
    }
    assert len(out) == 1 and out != {""}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Persona("nickname", "en_US"), "choose one of name"),  # type: ignore[arg-type]
        (lambda: Persona("name", "xx_XX"), "no names in it"),
        (lambda: Persona("name", "pl-pl"), "write it 'pl_PL'"),
        (lambda: Persona("date_of_birth", "en_US", years=90), "choose 0 to 50"),
        (lambda: Persona("date_of_birth", "en_US", date_format="%Q"), "'format' needs a year, a month and a day"),
        (lambda: Persona("name", "en_US").dtype("integer"), "choose another operator"),
        (
            lambda: Persona("name", "en_US", look="whoever").mask_rows(
                pl.Series(["x"]), RowContext(pl.Series(["x"])), KEY
            ),
            "with the words",
        ),
        (
            lambda: Persona("name", "en_US").mask_rows(pl.Series(["x"]), RowContext(pl.Series(["x"])), None),
            "needs a key",
        ),
        (lambda: Persona("name", "en_US").mask_rows(pl.Series(["x"]), RowContext(), KEY), "subject key"),
    ],
)
def test_what_cant_be_says_what_to_do(make: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()


def test_importing_the_operators_loads_neither_faker_nor_polars() -> None:
    code = (
        "import sys, piiscan.masking.operators.persona, piiscan.masking.operators.surrogate; print([m for m in "
        "('faker', 'polars', 'numpy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": "."}).stdout
    assert out.strip() == "[]"


def test_only_the_locale_asked_for_is_loaded() -> None:
    code = (
        "import sys\nfrom piiscan.masking.surrogates.name_lists import lists\nlists('pl_PL')\nprint([m for m in "
        "sys.modules if m.startswith('faker.providers.person.')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": "."}).stdout
    assert out.strip() == "['faker.providers.person.pl_PL']"


def test_collisions_are_reported_for_every_part() -> None:
    for kind in ("name", "first_name", "title", "street", "city", "date_of_birth"):
        few, many = (Persona(kind, "en_US").expected_collisions(n) for n in (10, 10_000))  # type: ignore[arg-type]
        assert 0 <= few < many <= 10_000
    assert expected_collisions(2, 2) == pytest.approx(0.5)
    assert masked_domains(pl.Series(["Gmail.com", "gmail.com", None]), KEY).n_unique() == 2


def test_japanese_given_names_in_addresses_are_as_they_are_read() -> None:
    found = table("ja_JP")
    stems = dict(zip(found.firsts, found.first_stems, strict=True))
    assert (stems["洋介"], stems["花子"]) == ("yosuke", "hanako")
