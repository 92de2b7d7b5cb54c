"""Dates of one person move together: in all tables, types, forms of writing, batches and texts."""

from __future__ import annotations

import datetime as dt
import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mask_people import edited, key_file, piiscan
from operator_cases import KEY, law

from piiscan.core.errors import UsageError
from piiscan.masking.apply.date_distances import DateDistances
from piiscan.masking.known.dates_in_texts import dates_in, moved
from piiscan.masking.operators.date_shift import DateShift
from piiscan.masking.operators.operator import RowContext

POLICY = """
name = "moved"
[[rule]]
dates = true
operator = "date-shift"
with = {days = 90%s}%s
[[rule]]
pii = ["direct"]
operator = "surrogate"
[[rule]]
entity = ["FREE_TEXT"]
operator = "spans"
[[rule]]
operator = "keep"
"""
FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%Y%m%d")
days = st.dates(dt.date(1900, 1, 1), dt.date(2090, 12, 31))
rows = st.lists(st.tuples(days, st.sampled_from("abcde"), st.sampled_from(FORMS)), min_size=1, max_size=12)


@law
@given(rows, st.integers(14, 4000), st.booleans(), st.integers(1, 12))
def test_differences_of_a_subject_s_dates_are_kept_over_types_forms_and_batches(
    each: list[tuple[dt.date, str, str]], most: int, weekdays: bool, size: int
) -> None:
    offsets: dict[str, set[dt.timedelta]] = {}
    for at in range(0, len(each), size):  # batches
        for date, subject, form in each[at : at + size]:
            about = RowContext(pl.Series([subject]))
            time = dt.datetime(date.year, date.month, date.day, 23, 59, 58)
            typed = DateShift(most, weekdays=weekdays)
            written = DateShift(most, form, weekdays)
            as_date = typed.mask_rows(pl.Series([date]), about, KEY).item()
            as_time = typed.mask_rows(pl.Series([time]), about, KEY).item()
            as_text = written.mask_rows(pl.Series([date.strftime(form)]), about, KEY).item()
            offsets.setdefault(subject, set()).update(
                (as_date - date, as_time - time, dt.datetime.strptime(as_text, form).date() - date)
            )
    assert all(len(found) == 1 for found in offsets.values())
    assert all(offset.days and abs(offset.days) <= most for found in offsets.values() for offset in found)
    if weekdays:
        assert all(offset.days % 7 == 0 for found in offsets.values() for offset in found)


@law
@given(days, st.integers(-4000, 4000), st.sampled_from(["dmy", "mdy"]))
def test_a_date_in_a_text_is_moved_in_its_own_look(day: dt.date, by: int, order: Any) -> None:
    american = [day.strftime(f) for f in ("%m/%d/%Y", "%B %d, %Y")]
    others = [day.strftime(f) for f in ("%d/%m/%Y", "%d.%m.%Y", "%d %B %Y", "%Y-%m-%d", "%d-%b-%Y")]
    for text in american if order == "mdy" else others:
        found = dates_in(f"On {text}, seen.", order)
        assert [f.day for f in found] == [day]
        new = moved(f"On {text}, seen.", found[0], by)
        assert new is not None
        assert [f.day for f in dates_in(f"On {new}, seen.", order)] == [day + dt.timedelta(days=by)]


@pytest.mark.parametrize(
    ("text", "later"),
    [
        ("am 5.6.2024", "am 6.6.2024"),
        ("13 мая 1962 г.", "14 мая 1962 г."),
        ("1962年5月31日", "1962年6月1日"),
        ("31 de diciembre de 1999", "1 de enero de 2000"),
        ("MAY 13TH, 1962", "MAY 14TH, 1962"),
        ("le 1er mai 2024", "le 2 mai 2024"),
        ("on 12/31/99", "on 01/01/00"),
        ("20240131", "20240201"),
    ],
)
def test_written_dates(text: str, later: str) -> None:
    (found,) = dates_in(text)
    assert text[: found.start] + (moved(text, found, 1) or "") + text[found.end :] == later


@pytest.mark.parametrize(
    "text", ["call 555-20-1234", "v1.2.03", "192.168.1.12", "30.02.2024", "in May", "2024", "99991231", ""]
)
def test_what_is_no_date(text: str) -> None:
    assert not dates_in(text)


def test_an_order_that_nothing_tells_is_not_guessed() -> None:
    assert [f.day for f in dates_in("on 05/06/2024", "mixed")] == [None]
    assert [f.day for f in dates_in("on 05/06/2024, then 05/20/2024", "mixed")] == [
        dt.date(2024, 5, 6),
        dt.date(2024, 5, 20),
    ]
    assert moved("on 05/06/2024", dates_in("on 05/06/2024", "mixed")[0], 3) is None


@law
@given(
    st.lists(st.tuples(days, st.sampled_from("abc"), st.integers(-40, 40)), min_size=1, max_size=12), st.integers(1, 5)
)
def test_distances_are_counted_whatever_the_batches(each: list[tuple[dt.date, str, int]], size: int) -> None:
    def count(parts: list[list[tuple[dt.date, str, int]]]) -> list[tuple[Any, int, int]]:
        found = DateDistances()
        for part in parts:
            before = pl.Series([d for d, _, _ in part], dtype=pl.Date)
            after = pl.Series([d + dt.timedelta(days=n) for d, _, n in part], dtype=pl.Date)
            found.add(("t", None, "c"), pl.Series([s for _, s, _ in part]), before, after, "")
        return found.results()

    whole = count([each])
    assert whole == count([each[i : i + size] for i in range(0, len(each), size)]) == count([each[::-1]])
    (_, looked, broken) = whole[0]
    assert looked == len(each)
    moves = {s: {n for _, t, n in each if t == s} for _, s, _ in each}
    assert (broken == 0) == all(len(found) == 1 for found in moves.values())


def test_texts_are_read_again_in_the_order_that_they_had() -> None:
    """The day of one moved date may be a month, too, while another date of the text is written the other way."""
    found = DateDistances()
    old, new = "on 25/09/2024, born 04/18/2003", "on 02/10/2024, born 04/25/2003"
    found.add_texts(("t", None, "c"), pl.Series(["a"]), pl.Series([old]), pl.Series([new]))
    assert found.results() == [(("t", None, "c"), 2, 0)]


def hospital(root: Path) -> Path:
    """Patients with dates of birth as text, stays as dates, readings as moments, and notes."""
    draw, folder = random.Random(8), root / "hospital"
    folder.mkdir()
    numbers = [f"PT-{10_000 + 17 * i}" for i in range(120)]
    born = {n: dt.date(1940, 1, 1) + dt.timedelta(days=draw.randrange(24_000)) for n in numbers}
    with (folder / "patients.csv").open("w", encoding="utf-8") as out:
        out.write("patient_no,last_name,email,date_of_birth\n")
        for i, n in enumerate(numbers):
            out.write(f"{n},{draw.choice(['Smith', 'Jones', 'Young'])},p{i}@mail.example,{born[n]:%d.%m.%Y}\n")
    stays = []
    for _ in range(400):
        admitted = dt.date(2023, 1, 1) + dt.timedelta(days=draw.randrange(700))
        stays.append(
            {
                "patient_no": draw.choice(numbers),
                "admitted": admitted,
                "discharged": admitted + dt.timedelta(days=draw.randrange(9)),
            }
        )
    pl.DataFrame(stays).write_parquet(folder / "stays.parquet")
    readings = [
        {"patient_no": s["patient_no"], "measured_at": dt.datetime(2024, 1, 1) + dt.timedelta(minutes=37 * i)}
        for i, s in enumerate(stays)
    ]
    pl.DataFrame(readings).write_parquet(folder / "readings.parquet")
    with (folder / "notes.jsonl").open("w", encoding="utf-8") as out:
        for s in stays:
            text = (
                f"The patient was admitted on {s['admitted']:%d %B %Y} with chest pain and fever. "
                f"Sent home on {s['discharged']} after a quiet night and a talk with the family."
            )
            out.write(json.dumps({"patient_no": s["patient_no"], "note": text}) + "\n")
    return folder


def frames(folder: Path) -> list[tuple[str, list[list[Any]]]]:
    """By file and column of dates: for each row, its dates."""
    people = pl.read_csv(folder / "patients.csv")
    stays, readings = (pl.read_parquet(folder / f"{n}.parquet") for n in ("stays", "readings"))
    notes = [json.loads(line)["note"] for line in (folder / "notes.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        ("patients", [[d] for d in people["date_of_birth"].str.to_date("%d.%m.%Y")]),
        ("stays", [list(row) for row in stays.select("admitted", "discharged").rows()]),
        ("readings", [[d] for d in readings["measured_at"]]),
        ("notes", [[f.day for f in dates_in(text)] for text in notes]),
    ]


def planned(folder: Path, root: Path, more: str = "", rule: str = "") -> Path:
    (root / "policy.toml").write_text(POLICY % (more, rule), encoding="utf-8")
    piiscan("plan", folder, "--policy", root / "policy.toml", "-o", root / "plan.toml", "-q")
    made = root / "plan.toml"
    text = made.read_text(encoding="utf-8")
    made.write_text(text.replace("piiscan-people-vault", str(root / "people")), encoding="utf-8")
    return made


@pytest.mark.parametrize(("more", "jobs"), [("", 1), (", weekdays = true", 3)])
def test_every_date_of_a_patient_moves_as_far_in_all_tables_and_texts(tmp_path: Path, more: str, jobs: int) -> None:
    folder = hospital(tmp_path)
    plan, key = planned(folder, tmp_path, more), key_file(tmp_path)
    said = plan.read_text(encoding="utf-8")
    assert "anyone who knows one true date of a person knows all of them" in said
    piiscan(
        "mask",
        folder,
        "--plan",
        plan,
        "--key",
        key,
        "-o",
        tmp_path / "masked",
        "--jobs",
        str(jobs),
        "--report",
        tmp_path / "r.json",
    )
    keys = {
        "patients": pl.read_csv(folder / "patients.csv")["patient_no"].to_list(),
        **{n: pl.read_parquet(folder / f"{n}.parquet")["patient_no"].to_list() for n in ("stays", "readings")},
    }
    keys["notes"] = keys["stays"]
    offsets: dict[str, set[int]] = {}
    for (name, before), (_, after) in zip(frames(folder), frames(tmp_path / "masked"), strict=True):
        for number, old, new in zip(keys[name], before, after, strict=True):
            assert len(old) == len(new)
            for a, b in zip(old, new, strict=True):
                assert (b - a).seconds == 0
                offsets.setdefault(number, set()).add((b - a).days)
    assert all(len(found) == 1 for found in offsets.values())
    assert len({*map(min, offsets.values())}) > 8
    assert all(d and (not more or d % 7 == 0) for found in offsets.values() for d in found)
    promises = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["promises"]
    kept = [p for p in promises if p["name"] == "dates of one subject keep their distances"]
    assert sum(p["cells"] for p in kept) == 120 + 2 * 400 + 400 + 2 * 400
    assert all(p["broken"] == 0 for p in kept)
    for way in ((), ("--key", key)):
        piiscan("verify", folder, tmp_path / "masked", "--plan", plan, *way)


def test_dates_that_move_apart_break_a_promise(tmp_path: Path) -> None:
    folder = hospital(tmp_path)
    plan, key = planned(folder, tmp_path), key_file(tmp_path)
    apart = edited(
        plan.read_text(encoding="utf-8"),
        {"measured_at": 'operator = "date-shift"\nwith = {days = 90}\ndomain = "others"\nsubject = "dates"'},
    )
    plan.write_text(apart, encoding="utf-8")
    said = piiscan("mask", folder, "--plan", plan, "--key", key, "-o", tmp_path / "masked", status=5)
    assert "measured_at: dates of one subject keep their distances" in said
    assert not (tmp_path / "masked").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'operator = "date-shift"\nwith = {days = 90}',
            'date-shift needs the person these dates belong to: add subject = "',
        ),
        (
            'operator = "date-shift"\nwith = {days = 30}\nsubject = "dates"\ndomain = "dates"',
            "columns admitted and discharged contain dates of one subject, dates, which move together",
        ),
    ],
)
def test_a_plan_whose_dates_would_move_apart_is_refused(tmp_path: Path, line: str, message: str) -> None:
    folder = hospital(tmp_path)
    plan = planned(folder, tmp_path)
    plan.write_text(edited(plan.read_text(encoding="utf-8"), {"discharged": line}), encoding="utf-8")
    said = piiscan("mask", folder, "--plan", plan, "--key", key_file(tmp_path), "-o", tmp_path / "masked", status=2)
    assert message in " ".join(said.split())


def test_dates_of_nobody_are_refused_with_what_to_type(tmp_path: Path) -> None:
    source = tmp_path / "log.csv"
    start = dt.date(2024, 1, 1)
    lines = [f"{start + dt.timedelta(days=i)},{'abc'[i % 3]}{i % 40:02}" for i in range(200)]
    source.write_text("\n".join(["at,who", *lines]), encoding="utf-8")
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY % ("", ""), encoding="utf-8")
    said = piiscan("plan", source, "--policy", policy, "-o", tmp_path / "plan.toml", status=2)
    assert 'subject = ["patient_no"]' in said
    assert 'column = "at" operator = "date-generalise"' in said
    policy.write_text(POLICY % ("", '\nsubject = ["whoo"]'), encoding="utf-8")
    assert "did you mean 'who'" in piiscan("plan", source, "--policy", policy, "-o", tmp_path / "plan.toml", status=2)
    policy.write_text(POLICY % ("", '\nsubject = ["who"]'), encoding="utf-8")
    piiscan("plan", source, "--policy", policy, "-o", tmp_path / "plan.toml")
    key = key_file(tmp_path)
    piiscan("mask", source, "--plan", tmp_path / "plan.toml", "--key", key, "-o", tmp_path / "out.csv")
    both = pl.DataFrame(
        {
            "who": pl.read_csv(source)["who"],
            "moved": (
                pl.read_csv(tmp_path / "out.csv")["at"].str.to_date() - pl.read_csv(source)["at"].str.to_date()
            ).dt.total_days(),
        }
    )
    assert both.group_by("who").agg(pl.col("moved").n_unique())["moved"].max() == 1
    assert both["moved"].n_unique() > 8


def test_rows_of_nobody_move_each_by_itself_and_together_within(tmp_path: Path) -> None:
    source = tmp_path / "stays.csv"
    start = dt.date(2024, 1, 1)
    lines = []
    for i in range(200):
        first, last = (start + dt.timedelta(days=i + n) for n in (0, 3))
        lines.append(f"{'' if i % 2 else f'PT-{10_000 + i % 30}'},{first},{last}")
    source.write_text("\n".join(["patient_no,admitted,discharged", *lines]), encoding="utf-8")
    plan = planned(source, tmp_path)
    piiscan("mask", source, "--plan", plan, "--key", key_file(tmp_path), "-o", tmp_path / "out.csv")
    old, new = (pl.read_csv(p, try_parse_dates=True) for p in (source, tmp_path / "out.csv"))
    nobody = old["patient_no"].is_null()
    moved_by = (new["admitted"] - old["admitted"]).dt.total_days()
    assert moved_by.filter(nobody).n_unique() > 20
    assert (new["discharged"] - new["admitted"]).dt.total_days().unique().to_list() == [3]


@pytest.mark.parametrize("params", [{"days": 7}, {"days": 13}])
def test_weekdays_need_weeks_to_move_by(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="'weekdays' needs 'days' of 14 or more"):
        DateShift(**params, weekdays=True)
