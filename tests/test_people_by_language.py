"""Names, addresses and numbers of one row are one person's, in whatever language the table's headers are."""

from __future__ import annotations

import json
import random
import unicodedata
import uuid
from pathlib import Path

import polars as pl
import pytest
from faker import Faker
from faker.providers.person.ja_JP import Provider as Japanese
from faker.providers.person.ru_RU import Provider as Russian
from mask_people import cells, key_file, piiscan

from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Plan, Subject

HEADERS = {
    "ar_SA": ("الاسم", "اسم العائلة", "البريد الإلكتروني"),
    "cs_CZ": ("jmeno", "prijmeni", "email"),
    "el_GR": ("Όνομα", "Επώνυμο", "email"),
    "fi_FI": ("etunimi", "sukunimi", "sahkoposti"),
    "hr_HR": ("ime", "prezime", "e-mail"),
    "hu_HU": ("keresztnev", "vezeteknev", "email cim"),
    "id_ID": ("nama_depan", "nama_belakang", "email"),
    "ja_JP": ("名", "姓", "メールアドレス"),
    "ro_RO": ("prenume", "nume", "email"),
    "ru_RU": ("Имя", "Фамилия", "Электронная почта"),
    "sv_SE": ("förnamn", "efternamn", "e-post"),
    "tr_TR": ("ad", "soyad", "eposta"),
    "vi_VN": ("ten", "ho", "email"),
}
READINGS = {kanji: kana for kanji, kana, _ in (*Japanese.last_name_pairs, *Japanese.first_name_pairs)}
HIRAGANA = {i: i - 0x60 for i in range(0x30A1, 0x30F7)}
ROWS = 80


def plan_of(folder: Path, root: Path) -> Plan:
    piiscan("plan", folder, "-o", root / "plan.toml", "-q")
    text = (root / "plan.toml").read_text(encoding="utf-8")
    (root / "plan.toml").write_text(text.replace('"piiscan-', f'"{root}/piiscan-'), encoding="utf-8")  # the vaults
    return plan_toml.load(root / "plan.toml")


def masked(folder: Path, root: Path) -> Path:
    piiscan("mask", folder, "--plan", root / "plan.toml", "--key", key_file(root), "-o", root / "out")
    return root / "out"


def subjects(plan: Plan, source: str) -> tuple[Subject, ...]:
    return next(t.subjects for t in plan.tables if t.source == source)


def japanese(seed: int) -> Faker:
    made = Faker("ja_JP")
    made.seed_instance(seed)
    return made


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    root = tmp_path_factory.mktemp("languages")
    (root / "in").mkdir()
    draw = random.Random(2)
    for locale, headers in HEADERS.items():
        made = Faker(locale)
        made.seed_instance(4)
        rows = [(made.first_name(), made.last_name(), f"u{draw.randrange(10**6)}@mail.net") for _ in range(ROWS)]
        table = pl.DataFrame(rows, schema=headers, orient="row")
        table.insert_column(0, pl.Series("id", range(700, 700 + ROWS))).write_csv(root / "in" / f"{locale}.csv")
    two = Faker("cs_CZ")
    two.seed_instance(5)
    roles = [tuple(f() for f in (two.first_name, two.last_name) * 2) for _ in range(ROWS)]
    headers = ("pacient jmeno", "pacient prijmeni", "lekar jmeno", "lekar prijmeni")
    pl.DataFrame(roles, schema=headers, orient="row").write_csv(root / "in" / "roles.csv")
    made = Faker("ko_KR")
    made.seed_instance(6)
    rows = [(str(1000 + i), made.name(), f"u{draw.randrange(10**6)}@mail.net") for i in range(ROWS)]
    pl.DataFrame(rows, schema=("번호", "이름", "이메일"), orient="row").write_csv(root / "in" / "keys.csv")
    keys = [str(uuid.UUID(int=draw.getrandbits(128))) for _ in range(ROWS)]
    people = [(key, two.first_name(), two.last_name()) for key in keys]
    headers = ("customer_id", "jmeno", "prijmeni")
    pl.DataFrame(people, schema=headers, orient="row").write_csv(root / "in" / "uuids.csv")
    return plan_of(root / "in", root)


@pytest.mark.parametrize("locale", HEADERS)
def test_the_names_and_the_address_of_a_row_are_one_person(locale: str, plan: Plan) -> None:
    (person,) = subjects(plan, f"{locale}.csv")
    table = next(t for t in plan.tables if t.source == f"{locale}.csv")
    first, last, mail = (next(a for a in table.columns if a.name == header) for header in HEADERS[locale])
    assert (person.first_name, person.last_name) == (first.index, last.index)
    assert {first.subject, last.subject, mail.subject} == {person.name}
    assert (mail.index,) in person.keys


def test_people_of_two_roles_stay_two(plan: Plan) -> None:
    assert len(subjects(plan, "roles.csv")) == 2


def test_a_key_that_may_be_a_person_s_is_masked(plan: Plan) -> None:
    key = next(t for t in plan.tables if t.source == "keys.csv").columns[0]
    assert key.name == "번호"
    assert key.operator == "fpe"


def test_keys_that_are_uuids_stay_uuids(plan: Plan) -> None:
    key = next(t for t in plan.tables if t.source == "uuids.csv").columns[0]
    assert (key.entity, key.operator, key.params.get("hex")) == ("PERSON_ID", "fpe", True)


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Japanese members, in characters and as read, beside German customers; and streets of nobody."""
    root = tmp_path_factory.mktemp("members")
    folder = root / "in"
    folder.mkdir()
    made, german = japanese(3), Faker("de_DE")
    german.seed_instance(3)
    names = [(made.last_name_pair(), made.first_name_pair()) for _ in range(ROWS)]
    rows = [
        (
            f"{1000 + i}",
            f"{last[0]} {first[0]}",
            f"{last[1]} {first[1]}",
            last[0],
            first[0],
            f"{last[1]}",
            f"{first[1]}",
        )
        for i, (last, first) in enumerate(names)
    ]
    headers = ("会員番号", "氏名", "フリガナ", "姓", "名", "せい", "めい")
    table = pl.DataFrame(rows, schema=headers, orient="row")
    table.select("会員番号", "氏名", "フリガナ").write_csv(folder / "members.csv")
    parts = table.select("会員番号", "姓", "名", pl.col("せい").alias("姓ふりがな"), pl.col("めい").alias("名ふりがな"))
    in_hiragana = [pl.Series(n, [t.translate(HIRAGANA) for t in parts[n]]) for n in ("姓ふりがな", "名ふりがな")]
    parts.with_columns(in_hiragana).write_csv(folder / "parts.csv")
    rows = [(f"{german.first_name()} {german.last_name()}", german.street_address()) for _ in range(3 * ROWS)]
    customers = pl.DataFrame(rows, schema=("Name", "Straße"), orient="row")
    customers.write_csv(folder / "customers.csv")
    customers.select("Straße").write_csv(folder / "places.csv")
    plan_of(folder, root)
    masked(folder, root)
    return root


def test_made_up_japanese_names_are_read_as_they_are_written(members: Path) -> None:
    before, after = (cells(members / where / "members.csv") for where in ("in", "out"))
    for name, reading, own in zip(after["氏名"], after["フリガナ"], before["氏名"], strict=True):
        assert name != own
        assert [READINGS[part] for part in name.split(" ")] == reading.split(" ")


def test_readings_of_parts_keep_their_syllables(members: Path) -> None:
    after = cells(members / "out" / "parts.csv")
    for name, reading in zip([*after["姓"], *after["名"]], [*after["姓ふりがな"], *after["名ふりがな"]], strict=True):
        assert READINGS[name].translate(HIRAGANA) == reading
    assert after["姓"].to_list() == [name.split(" ")[0] for name in cells(members / "out" / "members.csv")["氏名"]]


def test_streets_of_nobody_are_masked_beside_people_of_several_locales(members: Path) -> None:
    before, after = (cells(members / where / "places.csv")["Straße"] for where in ("in", "out"))
    assert not any(a == b for a, b in zip(before, after, strict=True))
    assert after.to_list() == cells(members / "out" / "customers.csv")["Straße"].to_list()


@pytest.fixture(scope="module")
def countries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unrelated tables of several countries; and a small one whose names are those of another."""
    root = tmp_path_factory.mktemp("countries")
    folder = root / "in"
    folder.mkdir()
    for locale, headers in {"pl_PL": ("imie", "nazwisko"), "it_IT": ("nome", "cognome")}.items():
        made = Faker(locale)
        made.seed_instance(8)
        rows = [(made.first_name(), made.last_name()) for _ in range(3 * ROWS)]
        pl.DataFrame(rows, schema=headers, orient="row").write_csv(folder / f"{locale}.csv")
    polish = pl.read_csv(folder / "pl_PL.csv")
    polish.head(6).write_csv(folder / "few.csv")
    plan_of(folder, root)
    masked(folder, root)
    return root


@pytest.mark.parametrize(("locale", "source"), [("pl_PL", "pl_PL.csv"), ("it_IT", "it_IT.csv"), ("pl_PL", "few.csv")])
def test_people_of_unrelated_tables_get_names_of_their_own_language(locale: str, source: str, countries: Path) -> None:
    after = cells(countries / "out" / source)
    provider = type(next(p for p in Faker(locale).get_providers() if hasattr(p, "first_names")))
    firsts = {n.capitalize() for n in provider.first_names}
    assert {name.capitalize() for name in after[after.columns[0]]} <= firsts


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    root = tmp_path_factory.mktemp("nested")
    (root / "in").mkdir()
    made = Faker("de_DE")
    made.seed_instance(9)
    draw = random.Random(9)
    users = [
        {
            "id": f"P-{70_000 + i}",
            "vorname": made.first_name(),
            "nachname": made.last_name(),
            "kontakt": {"email": f"u{draw.randrange(10**6)}@firma.de"},
            "betreuer": made.name(),
            "telefon betreuer": made.phone_number(),
            "telefon": made.phone_number(),
        }
        for i in range(ROWS)
    ]
    (root / "in" / "users.json").write_text(json.dumps(users), encoding="utf-8")
    return plan_of(root / "in", root)


def test_an_address_below_contact_is_that_of_the_row_s_person(nested: Plan) -> None:
    (table,) = nested.tables
    mail = next(a for a in table.columns if a.name == "kontakt.email")
    own = next(s for s in table.subjects if s.name == "person")
    assert mail.subject == own.name
    assert own.first_name is not None


def test_a_telephone_of_somebody_else_isn_t_the_row_s_person_s(nested: Plan) -> None:
    (table,) = nested.tables
    own = next(s for s in table.subjects if s.name == "person")
    assert own.phone is not None
    assert table.columns[own.phone].name == "telefon"


RUSSIAN = {gender: {*getattr(Russian, f"middle_names_{gender}")} for gender in ("female", "male")}
FIRSTS = {gender: {*getattr(Russian, f"first_names_{gender}")} for gender in ("female", "male")}


@pytest.fixture(scope="module")
def fathers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Patronymics in full names and in a column of their own; second first names and surnames in columns."""
    root = tmp_path_factory.mktemp("fathers")
    folder = root / "in"
    folder.mkdir()
    made, american, spanish = Faker("ru_RU"), Faker("en_US"), Faker("es_ES")
    for faker in (made, american, spanish):
        faker.seed_instance(12)
    parts = [
        (made.last_name_male(), made.first_name_male(), made.middle_name_male())
        if i % 2
        else (made.last_name_female(), made.first_name_female(), made.middle_name_female())
        for i in range(ROWS)
    ]
    pl.DataFrame({"ФИО": [" ".join(p) for p in parts]}).write_csv(folder / "fio.csv")
    pl.DataFrame(parts, schema=("Фамилия", "Имя", "Отчество"), orient="row").write_csv(folder / "parts.csv")
    rows = [(american.first_name(), american.first_name(), american.last_name()) for _ in range(ROWS)]
    pl.DataFrame(rows, schema=("first_name", "middle_name", "last_name"), orient="row").write_csv(folder / "middle.csv")
    rows = [(spanish.first_name(), spanish.last_name(), spanish.last_name()) for _ in range(ROWS)]
    headers = ("nombre", "primer apellido", "segundo apellido")
    pl.DataFrame(rows, schema=headers, orient="row").write_csv(folder / "apellidos.csv")
    plan_of(folder, root)
    masked(folder, root)
    return root


def agrees(first: str, patronymic: str) -> bool:
    return any(first in FIRSTS[gender] and patronymic in RUSSIAN[gender] for gender in RUSSIAN)


def test_full_names_keep_a_patronymic_that_agrees(fathers: Path) -> None:
    before, after = (cells(fathers / where / "fio.csv")["ФИО"] for where in ("in", "out"))
    for old, new in zip(before, after, strict=True):
        _, first, patronymic = new.split(" ")
        assert agrees(first, patronymic), "another gender, or no patronymic"
        assert new != old


def test_a_column_of_patronymics_stays_one(fathers: Path) -> None:
    after = cells(fathers / "out" / "parts.csv")
    assert all(agrees(first, name) for first, name in zip(after["Имя"], after["Отчество"], strict=True))


@pytest.mark.parametrize(
    ("source", "one", "other"),
    [("middle.csv", "first_name", "middle_name"), ("apellidos.csv", "primer apellido", "segundo apellido")],
)
def test_second_names_are_other_names(source: str, one: str, other: str, fathers: Path) -> None:
    after = cells(fathers / "out" / source)
    assert not any(a == b for a, b in zip(after[one], after[other], strict=True))


DECLINED = {
    "fi": (
        ("etunimi", "sukunimi", "huomautus"),
        ("Matti", "Virtanen"),
        "Puhuttu Matti Virtasen kanssa, kirje Virtaselle",
    ),
    "pl": (("imie", "nazwisko", "notatka"), ("Piotr", "Kowalski"), "Umówiono Piotra Kowalskiego, z Kowalskim"),
    "ru": (("имя", "фамилия", "заметка"), ("Мария", "Иванова"), "Разговор с Марией Ивановой о договоре"),
}


@pytest.mark.parametrize("language", DECLINED)
def test_people_are_found_declined_in_notes_that_hardly_ever_say_something(language: str, tmp_path: Path) -> None:
    headers, (first, last), note = DECLINED[language]
    locale = {"fi": "fi_FI", "pl": "pl_PL", "ru": "ru_RU"}[language]
    made = Faker(locale)
    made.seed_instance(1)
    rows = [(made.first_name(), made.last_name(), "ok") for _ in range(ROWS)]
    (tmp_path / "in").mkdir()
    pl.DataFrame([*rows, (first, last, note)], schema=headers, orient="row").write_csv(tmp_path / "in" / "a.csv")
    piiscan("mask", tmp_path / "in", "--key", key_file(tmp_path), "-o", tmp_path / "out")
    said = cells(tmp_path / "out" / "a.csv")[headers[2]][-1]
    assert not {w for w in note.replace(",", "").split() if w[:4] in (first[:4], last[:4])} & set(said.split())


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of several countries that a vault remembers: the Spanish one has its people's e-mails in another."""
    root = tmp_path_factory.mktemp("several")
    folder = root / "in"
    folder.mkdir()
    faker = {locale: Faker(locale) for locale in ("es_MX", "zh_CN", "ko_KR", "nl_NL", "tr_TR")}
    for made in faker.values():
        made.seed_instance(15)
    made, draw = faker["es_MX"], random.Random(15)
    rows = [(50_000_000 + i, made.name(), f"u{draw.randrange(10**6)}@mail.net") for i in range(3 * ROWS)]
    spanish = pl.DataFrame(rows, schema=("cliente_id", "nombre", "email"), orient="row")
    spanish.write_csv(folder / "clientes.csv")
    spanish.select(pl.col("email").alias("correo"), pl.lit("12.50").alias("total")).write_csv(folder / "ventas.csv")
    for locale, headers in {"zh_CN": ("收货人", "联系电话"), "ko_KR": ("성명", "휴대폰")}.items():
        made = faker[locale]
        rows = [(made.last_name() + made.first_name(), made.phone_number()) for _ in range(ROWS)]
        pl.DataFrame(rows, schema=headers, orient="row").write_csv(folder / f"{locale}.csv")
    made = faker["nl_NL"]
    rows = [(made.first_name(), draw.choice(["van", "de", "van der", ""]), made.last_name()) for _ in range(ROWS)]
    headers = ("voornaam", "tussenvoegsel", "achternaam")
    pl.DataFrame(rows, schema=headers, orient="row").write_csv(folder / "nl_NL.csv")
    plan = plan_of(folder, root)
    assert plan.vault, "the case needs one"
    masked(folder, root)
    return root


@pytest.mark.parametrize(("source", "script"), [("zh_CN.csv", "CJK"), ("ko_KR.csv", "HANGUL")])
def test_unspaced_names_get_names_of_their_language(source: str, script: str, several: Path) -> None:
    before, after = (cells(several / where / source) for where in ("in", "out"))
    names = after[after.columns[0]]
    assert all(unicodedata.name(letter).startswith(script) for name in names for letter in name.strip())
    assert sum(a == b for a, b in zip(names, before[before.columns[0]], strict=True)) < ROWS / 20, "more than by chance"


@pytest.mark.parametrize("source", ["zh_CN.csv", "ko_KR.csv"])
def test_telephones_without_a_code_are_of_the_country_of_the_table_s_names(source: str, several: Path) -> None:
    assert not any(number.startswith("+52") for number in cells(several / "out" / source).to_series(1))


def test_a_column_of_particles_is_kept(several: Path) -> None:
    before, after = (cells(several / where / "nl_NL.csv")["tussenvoegsel"] for where in ("in", "out"))
    assert after.to_list() == before.to_list()
