"""What verification lets pass as chance is counted: no less, so that a good output isn't refused, and hardly more."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import key_file, piiscan, planned
from test_known_values import patients

import piiscan as api
from piiscan.core.keys import Key
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.persona import Persona
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.proof.chance import Candidates, Chance, sketches, smallest
from piiscan.masking.proof.people_prints import PeoplePrints
from piiscan.masking.result import ANYBODY_LEFT, OWN_LEFT, CheckResult
from piiscan.masking.run.look_ups import others_of
from piiscan.masking.surrogates.personas import table

STAYS = "no row keeps its original"


def _chance(values: list[int], likely: float, pieces: int = 1) -> Chance:
    """Of one column in so many batches, in which each value stands in a row."""
    found = Chance()
    for part in np.array_split(np.array(values, dtype=np.uint64), pieces):
        rows = np.arange(len(part))
        one = Candidates(rows, part, np.full(len(part), likely))
        column = np.zeros(len(part), dtype=np.int64)
        (few,) = smallest(one, column, 1)
        found += Chance(likely * len(part), *sketches([one], column, 1), *few)
    return found


@given(st.integers(0, 2**32), st.integers(1, 3000), st.integers(1, 40), st.integers(1, 9))
@settings(max_examples=30, deadline=None)
def test_repeated_values_spread_chance(seed: int, different: int, times: int, pieces: int) -> None:
    draw = random.Random(seed)
    values = [draw.getrandbits(64) for _ in range(different)]
    found = _chance([v for v in values for _ in range(times)], 0.01, pieces)
    assert found.expected == pytest.approx(0.01 * different * times)
    assert found.variance == pytest.approx(0.01 * different * times**2, rel=0.6)
    assert found.different_names == pytest.approx(0.01 * different, rel=0.2)


def test_values_that_stand_everywhere_may_be_somebodys() -> None:
    """One of thirty names in 400 rows each is by chance that of somebody: then it is in all its rows."""
    once = _chance(list(range(20_000)), 0.004)
    often = _chance([n % 30 for n in range(12_000)] + list(range(30, 8030)), 0.004)
    hits = CheckResult("notes.csv", None, "text", ANYBODY_LEFT, 20_000, 480, often.expected)
    assert not hits._replace(variance=once.variance).holds
    assert hits._replace(variance=often.variance).holds
    assert not hits._replace(broken=1500, variance=often.variance).holds


@pytest.mark.parametrize(
    ("kind", "locale"),
    [
        ("last_name", "ko_KR"),
        ("last_name", "en_US"),
        ("first_name", "es_AR"),
        ("first_name", "zh_CN"),
        ("name", "ko_KR"),
        ("last_name", "cs_CZ"),
    ],
)
def test_so_many_names_stay_by_chance(kind: Any, locale: str) -> None:
    """Of people who are called as those of the lists are."""
    operator = Persona(kind, locale)
    people, key = 20_000, Key(bytes(range(32))).subkey("persona")

    def made(first: str) -> pl.Series:
        context = RowContext(pl.Series([f"{first}{i}" for i in range(people)]))
        return operator.mask_rows(pl.Series(["x"] * people), context, key)

    originals = made("a")
    stayed = int((originals == made("b")).sum())
    expected = operator.likely_to_stay(originals)
    assert expected is not None
    # The bound takes for each name the gender for which it is likeliest.
    assert stayed <= expected + 6 * max(expected, 1) ** 0.5
    assert expected < 0.2 * people and (kind == "name" or stayed > expected / 5)


@pytest.mark.parametrize(
    ("kind", "short", "domain", "cell"),
    [
        ("email", True, "", "anna.smith@a.org"),
        ("username", False, "", "smith"),
        ("url", True, "", "https://a.org/smith"),
        ("email", True, "x.example", "anna.smith@a.org"),
        ("username", True, "", "qwertzuiop"),
        ("name", False, "", "Wilhelmina Featherstonehaugh-Qqq"),
    ],
)
def test_what_is_never_made_up_may_not_stay(kind: Any, short: bool, domain: str, cell: str) -> None:
    assert Persona(kind, "en_US", short=short, domain=domain).likely_to_stay(pl.Series([cell] * 9)) == 0


def test_initials_and_particles_are_no_evidence() -> None:
    """A name of which the made-up one keeps the particle is as likely as its other parts."""
    operator = Persona("name", "en_US", own_look=True)
    plain, with_particle, initial = (
        operator.likely_to_stay(pl.Series([name])) for name in ("Anna Smith", "Anna van Smith", "A. Smith")
    )
    assert plain and plain == with_particle and initial and initial > plain


def _promises(tmp_path: Path, *call: Any, status: int = 0) -> list[dict[str, Any]]:
    report = tmp_path / "report.json"
    report.unlink(missing_ok=True)
    piiscan(*call, "--report", report, status=status)
    found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["promises"]
    return found


def test_names_of_one_character_are_counted(tmp_path: Path) -> None:
    """Every eighth made-up Korean surname is the own one by chance, and no more."""
    draw, root = random.Random(2), tmp_path / "people.csv"
    family = table("ko_KR").surnames.to_list()
    weights = np.diff(table("ko_KR").surname_sums.astype(np.float64)).tolist() * 2
    names = draw.choices(family, weights, k=3000)
    rows = [f"K{i:05},{n},010-{draw.randrange(10**7, 10**8)}" for i, n in enumerate(names)]
    root.write_text("고객번호,성,전화번호\n" + "\n".join(rows) + "\n", encoding="utf-8")
    plan, key = tmp_path / "plan.toml", key_file(tmp_path)
    piiscan("plan", root, "-o", plan, "--key", key)
    text = plan.read_text(encoding="utf-8")
    assert "LAST_NAME" in text and "ko_KR" in text
    found = _promises(tmp_path, "mask", root, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key)
    (of_names,) = (p for p in found if p["column"] == "성" and p["name"] == STAYS)
    after = pl.read_csv(tmp_path / "out.csv")
    assert of_names["broken"] == (after["성"] == pl.Series(names)).sum() > 150
    assert of_names["broken"] <= of_names["allowed"] < 700


def _folder(tmp_path: Path, mothers: list[str]) -> Path:
    root = tmp_path / "in"
    root.mkdir(exist_ok=True)
    people = patients()
    people.write_csv(root / "patients.csv")
    said = [f"Mother is {mothers[i % len(mothers)]}, she lives nearby." for i in range(len(people))]
    people.select("patient_id", pl.Series("remark", said)).write_csv(root / "notes.csv")
    return root


def test_a_made_up_name_in_many_texts_may_be_somebodys(tmp_path: Path) -> None:
    """A mother is in no table. The name made up for her is that of a patient, and stands in half of the notes."""
    mothers = ["Susan Henderson", "Patricia Coleman"]
    root, key = _folder(tmp_path, mothers), key_file(tmp_path)
    plan = planned(root, tmp_path / "plan.toml")
    call = ["mask", root, "--plan", plan, "--key", key, "-o"]
    piiscan(*call, tmp_path / "out")
    notes = pl.read_csv(tmp_path / "out" / "notes.csv")["remark"]
    names = notes.str.extract(r"Mother is (\S+ \S+), she").drop_nulls().unique()
    assert len(names) == 2 and not set(names) & set(mothers)
    people = pl.read_csv(root / "patients.csv")
    first, last = names[0].split()
    one = people.with_row_index("n").select(
        *(
            pl.when(pl.col("n") == 0).then(pl.lit(new)).otherwise(pl.col(column)).alias(column)
            for column, new in (("first_name", first), ("last_name", last))
        ),
        *(column for column in people.columns if column not in ("first_name", "last_name")),
    )
    one.select(people.columns).write_csv(root / "patients.csv")
    found = _promises(tmp_path, *call, tmp_path / "again")
    again = pl.read_csv(tmp_path / "again" / "notes.csv")["remark"]
    assert again.str.contains(names[0], literal=True).sum() > 50
    assert all(p["holds"] for p in found)


def test_a_number_of_a_row_may_be_its_own_persons_postal_code(tmp_path: Path) -> None:
    """Running numbers from 1,000 on, people with postal codes of four digits: of 5,000 rows about one, and not all."""
    draw, rows = random.Random(8), 5000
    codes = [f"{draw.randrange(1000, 9700)}" for _ in range(rows)]
    columns = (
        Action(0, "number", "integer", "GENERIC_ID", "none", "keep"),
        Action(1, "zip", "string", "POSTAL_CODE", "quasi", "redact"),
    )
    plan = TablePlan("people.csv", None, columns)
    frame = pl.DataFrame({"0": range(1000, 1000 + rows), "1": codes})
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {1: pl.Series(["x"] * rows)}, keys)
    found = people.index().look_up(frame["0"].cast(pl.String), keys, others_of(keys))
    assert 0.2 < found.at_random < 2 and len(found.own) < 6
    left = people.index().look_up(frame["1"], keys, others_of(keys))
    assert len(left.own) == rows and left.at_random < rows / 100


@pytest.mark.slow
def test_texts_are_allowed_next_to_nothing(tmp_path: Path) -> None:
    """E-mail addresses are found in texts by a rule: none of those that stay is excused by how many are known."""
    root, key = tmp_path / "in", key_file(tmp_path)
    root.mkdir()
    people = patients()
    people.write_csv(root / "patients.csv")
    said = [f"Write to {mail} about it." for mail in people["email"]]
    people.select("patient_id", pl.Series("remark", said)).write_csv(root / "notes.csv")
    plan = planned(root, tmp_path / "plan.toml")
    found = _promises(tmp_path, "mask", root, "--plan", plan, "--key", key, "-o", tmp_path / "out")
    (of_text,) = (p for p in found if p["column"] == "remark" and p["name"].startswith("no unique original"))
    assert of_text["allowed"] == 0 == of_text["broken"]


def test_a_word_beside_a_made_up_name_may_make_somebodys() -> None:
    """The first name "George" is made up, "page" is a word of the text, and somebody is called George Page."""
    draw, rows = random.Random(6), 3000
    firsts = [f"{a}{b}an" for a in ("Jor", "Mel", "Tar", "Kes", "Vin", "Sol", "Bre", "Dor") for b in "abcdefghijklmno"]
    words = ["Page", "Price", "Little", "Cook"]
    names = [f"{draw.choice(firsts[:60])} {draw.choice(words)}" for _ in range(rows)]
    masks = [f"{draw.choice(firsts[40:])} {draw.choice(firsts)}s" for _ in range(rows)]
    frame = pl.DataFrame({"0": names})
    plan = TablePlan("people.csv", None, (Action(0, "name", "string", "PERSON", "direct", "persona"),))
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {0: pl.Series(masks)}, keys)
    index = people.index()

    def holds(texts: list[str]) -> bool:
        found = index.look_up(pl.Series(texts), keys, others_of(keys))
        chance, broken = found.chance, len(found.everywhere)
        assert broken > 100
        return CheckResult("x", None, "t", ANYBODY_LEFT, rows, broken, chance.expected, chance.variance).holds

    assert holds([f"then {mask.split()[0]} {draw.choice(words).lower()} came" for mask in masks])
    assert holds([f"then {mask.split()[0]} {draw.choice(words)} came" for mask in masks])
    assert not holds([f"then {first} {last.lower()} came" for first, last in map(str.split, names)])
    assert not holds([f"then {name} came" for name in names])


def test_names_of_one_sign_may_by_chance_be_somebodys() -> None:
    """In texts made-up names stand with the given name first, as the originals do and their masks don't."""
    draw, rows = random.Random(7), 3000
    given, families = "伟芳娜敏静丽强磊军洋勇艳杰涛明超霞平刚玲", "王李张刘陈杨赵黄周吴徐孙朱马胡郭林何高梁"
    frame = pl.DataFrame({"0": [f"{draw.choice(given)} {draw.choice(families[:12])}" for _ in range(rows)]})
    masks = [(draw.choice(given), draw.choice(families)) for _ in range(rows)]
    plan = TablePlan("people.csv", None, (Action(0, "name", "string", "PERSON", "direct", "persona"),))
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {0: pl.Series([f"{b} {a}" for a, b in masks])}, keys)
    found = people.index().look_up(pl.Series([f"{a} {b}" for a, b in masks]), keys, others_of(keys))
    assert len(found.everywhere) > 500
    assert len(found.everywhere) == pytest.approx(found.chance.expected, rel=0.1)


def test_parts_of_made_up_names_in_texts_are_masks() -> None:
    """And of names with titles in columns, but for those that are the original's."""
    frame = pl.DataFrame({"0": ["Malone Owens", "Ann Lee", "Tom Reed", "Dr. Eve Cole", "Eve Cole"]})
    plan = TablePlan("people.csv", None, (Action(0, "name", "string", "PERSON", "direct", "persona"),))
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    masks = ["Bert Fox", "Carl Hill", "Mary Kent", "Dr. Tom Reed", "Prof. Eve Cole"]
    people.add(plan, frame, {0: pl.Series(masks)}, keys)
    people.add_made_up(pl.Series(["amy malone owens"]))
    index = people.index()
    texts = [
        "then amy malone owens came",
        "then ann lee came",
        "then Dr. Tom Reed came",
        "then Eve Cole came",
        "or not",
    ]
    found = index.look_up(pl.Series(texts), keys, others_of(keys))
    assert found.phrases[0].tolist() == [1] and found.everywhere.tolist() == [3]


def test_a_rare_chance_is_known_where_it_occurs() -> None:
    """Two of 1,600 possible names are somebody's, one of which texts have by chance, with the family name first."""
    draw = random.Random(9)
    firsts, lasts = ([f"{a}{b}{end}" for a in "BDFGKLMN" for b in "aeiou"] for end in ("ra", "sk"))
    somebody = [(firsts[0], lasts[0]), (firsts[1], lasts[1])]
    frame = pl.DataFrame({"0": [f"{a} {b}" for a, b in somebody] * 100})
    plan = TablePlan("people.csv", None, (Action(0, "name", "string", "PERSON", "direct", "persona"),))
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    masks = draw.choices([(a, b) for a in firsts for b in lasts if (a, b) not in somebody], k=200)
    masks[9] = somebody[0]
    people.add(plan, frame, {0: pl.Series([f"{b} {a}" for a, b in masks])}, keys)
    texts = [f"then {a} {b} came" for a, b in masks]
    found = people.index().look_up(pl.Series(texts), keys, others_of(keys))
    assert found.everywhere.tolist() == [9] and 0.05 < found.chance.expected < 1


def test_a_person_who_stays_by_chance_does_so_in_all_rows() -> None:
    """Every fourth Kim is called Kim again, in all of their fifty visits."""
    visits = pl.DataFrame({"customer_id": [f"K{i:04}" for i in range(40)] * 50, "last_name": ["김"] * 2000})
    text = api.plan({"visits": visits}).to_toml().replace(', per = "row"', "")
    plan = api.Plan.from_toml(text.replace("last_name = {entity", "last_name = {accept_frequency = true, entity"))
    masked = api.mask({"visits": visits}, plan, key=Key(hashlib.sha256(b"\x01").digest()))
    (found,) = (p for p in masked.report.promises or () if p.name == STAYS and p.column == "last_name")
    assert found.broken == (masked["visits"]["last_name"] == "김").sum() and found.broken % 50 == 0
    assert found.broken > found._replace(variance=0.0).allowed
    assert found.holds and not found._replace(broken=1600).holds


def test_a_part_of_the_own_name_is_by_chance_in_all_rows_of_its_person() -> None:
    """Of sixty Koreans in five orders each some have their own surname again, one of few, in all of these."""
    given = "민준 서연 도윤 지우 하준 서현 은우 하은 시우 민서 지호 수아".split()
    names = [(last, given[i // 12 + i % 7]) for i, last in enumerate("김이박최정강조윤장임한오" * 5)]
    ids = pl.Series("customer_id", range(100_000, 100_060))
    customers = pl.DataFrame(names, schema=["last_name", "first_name"], orient="row").with_columns(ids)
    said = [f"{last} {first}" for last, first in names]
    orders = pl.DataFrame({"order_id": range(300), "customer_id": ids.to_list() * 5, "ship_to": said * 5})
    tables = {"customers": customers, "orders": orders}
    masked = api.mask(tables, api.plan(tables), key=Key(hashlib.sha256(b"\x05").digest()))
    (found,) = (p for p in masked.report.promises or () if p.name == OWN_LEFT and p.column == "ship_to")
    assert found.broken % 5 == 0 < found.broken
    assert found.variance == pytest.approx(5 * found.expected)


@pytest.mark.slow
def test_given_names_agree_in_gender() -> None:
    """An order's person is another made-up one than the customer, of the same gender: twice as often called alike."""
    draw, rows = random.Random(1), 3000
    women = "Marie Jeanne Françoise Monique Catherine Nathalie Isabelle Anne".split()
    given = [*women, *"Jean Pierre Michel André Philippe René Louis Alain".split()]
    family = table("fr_FR").surnames.to_list()[:300]
    people = [(draw.choice(given), draw.choice(family)) for _ in range(rows)]
    ids = pl.Series("customer_id", range(100_000, 100_000 + rows))
    customers = pl.DataFrame(people, schema=["first_name", "last_name"], orient="row").with_columns(ids)
    orders = pl.DataFrame({"order_id": ids + 10**6, "customer_id": ids, "ship_to": [f"{a} {b}" for a, b in people]})
    tables = {"customers": customers, "orders": orders}
    masked = api.mask(tables, api.plan(tables), key=Key(hashlib.sha256(b"1").digest()))
    (found,) = (p for p in masked.report.promises or () if p.name == OWN_LEFT and p.column == "ship_to")
    assert found.is_checked and found.broken > 30
    assert found.broken == pytest.approx(found.expected, rel=0.3)
    assert not found._replace(broken=100).holds


def test_a_day_is_no_telephone_number() -> None:
    """Of 10,000 people somebody has the number 0617 112024, and notes are of 17.11.2024."""
    frame = pl.DataFrame({"0": ["0617 112024", "0620 241117"]})
    plan = TablePlan("people.csv", None, (Action(0, "phone", "string", "PHONE_NUMBER", "direct", "surrogate"),))
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {0: pl.Series(["0302 345678", "0303 456789"])}, keys)
    days = ["on 17.11.2024 then", "17/11/2024", "11-17-2024", "2024-11-17", "17. 11. 2024", "x 2024/11/17T10"]
    numbers = [
        "17112024",
        "0617 11 20 24",
        "+49 617 112024",
        "0617-11-2024",
        "20241117",
        "06/20 24 11 17",
        "20 24 1117",
    ]
    of_nobody = [np.zeros(len(days) + len(numbers), dtype=np.uint64)]
    found = people.index().look_up(pl.Series(days + numbers), of_nobody, [])
    assert found.everywhere.tolist() == list(range(len(days), len(days) + len(numbers)))


def test_a_key_of_all_rows_measures_no_chance(tmp_path: Path) -> None:
    """All patients are in one study: rows that share it are others' rows, by which chance is measured."""
    draw, rows = random.Random(8), 600
    numbers = [f"{i:04}" for i in range(rows)]
    columns = (
        Action(0, "study", "string", "GENERIC_ID", "none", "keep"),
        Action(1, "subject_no", "string", "PERSON_ID", "quasi", "redact"),
        Action(2, "site_no", "string", "GENERIC_ID", "none", "keep"),
    )
    plan = TablePlan("people.csv", None, columns)
    frame = pl.DataFrame({"0": ["ABC-1"] * rows, "1": numbers, "2": [f"S{i % 60}" for i in range(rows)]})
    people = PeoplePrints()
    keys = people.keys(frame, plan, 0)
    people.add(plan, frame, {1: pl.Series(["x"] * rows)}, keys)
    index = people.index()
    days = pl.Series([f"2024-{draw.randrange(1, 6):02}-{draw.randrange(1, 29):02}" for _ in range(rows)])
    found, telling = index.look_up(days, keys, others_of(keys)), [index.telling(key) for key in keys]
    assert found.by_chance == 0 and len(found.own) > 2
    found = index.look_up(days, telling, others_of(telling))
    assert len(found.own) / 4 < found.by_chance < 4 * len(found.own)
