"""Equal numbers have equal masks wherever they are: alone, in a list, in nested objects, in several files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mask_people import key_file, piiscan

import piiscan as api
from piiscan.report import mask_report

Number = Callable[[int], Any]
KINDS: dict[str, Number] = {
    "prefix": lambda i: f"P-{1001 + 7 * i:06}",
    "short": lambda i: f"P-{1001 + 7 * i}",
    "long": lambda i: f"MRN{1001 + 7 * i:09}",
    "padded": lambda i: f"{1001 + 7 * i:06}",
    "integer": lambda i: 100_001 + 13 * i,
}


def folder(root: Path, number: Number) -> Path:
    data = root / "data"
    data.mkdir()
    ids = [number(i) for i in range(80)]
    rng = random.Random(3)
    people = [{"patient_id": i, "ward": rng.choice("ABC")} for i in ids]
    groups = [
        {
            "patient_ids": rng.sample(ids, rng.randint(1, 4)),
            "lead": {"patient_id": rng.choice(ids)},
            "visits": [{"patient_id": rng.choice(ids), "fee": 3}],
        }
        for _ in range(60)
    ]
    for name, rows in (("people", people), ("groups", groups)):
        (data / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return data


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def numbers(row: dict[str, Any]) -> Iterator[Any]:
    yield from row["patient_ids"]
    yield row["lead"]["patient_id"]
    yield row["visits"][0]["patient_id"]


@pytest.mark.parametrize("kind", KINDS)
def test_lists_join_with_numbers_that_stand_alone(kind: str, tmp_path: Path) -> None:
    data, out = folder(tmp_path, KINDS[kind]), tmp_path / "out"
    piiscan("plan", data, "-o", tmp_path / "plan.toml", "-q")
    piiscan("mask", data, "--plan", tmp_path / "plan.toml", "--key", key_file(tmp_path), "-o", out)
    before, after = rows(data / "people.jsonl"), rows(out / "people.jsonl")
    masks = {old["patient_id"]: new["patient_id"] for old, new in zip(before, after, strict=True)}
    assert len(set(masks.values())) == len(masks) and not masks.keys() & set(list(masks.values())[:5])
    seen = 0
    for old, new in zip(rows(data / "groups.jsonl"), rows(out / "groups.jsonl"), strict=True):
        assert [masks[number] for number in numbers(old)] == list(numbers(new))
        seen += len(list(numbers(old)))
    assert seen > 200


def test_lists_of_keys_are_masked_as_the_keys_are(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    rng = random.Random(1)
    ids = [1001 + 7 * i for i in range(80)]
    members = [{"id": i, "name": f"{rng.choice(['Anna', 'Peter'])} {rng.choice(['Smith', 'Hill'])}"} for i in ids]
    teams = [{"room": 5, "member_ids": rng.sample(ids, 3)} for _ in range(60)]
    for name, each in (("members", members), ("teams", teams)):
        (data / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in each), encoding="utf-8")
    api.mask(data, api.plan(data), api.Key(bytes(range(32))), output=out)
    masks = {old["id"]: new["id"] for old, new in zip(members, rows(out / "members.jsonl"), strict=True)}
    for old, new in zip(teams, rows(out / "teams.jsonl"), strict=True):
        assert [masks[i] for i in old["member_ids"]] == new["member_ids"]


def cells(root: Path, ids: list[str], several: list[str]) -> Path:
    data = root / "data"
    data.mkdir()
    (data / "people.csv").write_text("\n".join(["patient_id", *ids]) + "\n", encoding="utf-8")
    (data / "teams.csv").write_text("\n".join(["patient_ids,room", *(f'"{s}",1' for s in several)]) + "\n", "utf-8")
    return data


def test_the_plan_says_that_several_numbers_in_a_cell_do_not_join(tmp_path: Path) -> None:
    ids = [f"P-{1001 + 7 * i:06}" for i in range(80)]
    several = [";".join(ids[i : i + 1 + i % 3]) for i in range(70)]
    plan = api.plan(cells(tmp_path, ids, several))
    notes = {a.name: " ".join(a.notes) for table in plan.tables for a in table.columns}
    assert "hold several numbers" in notes["patient_ids"] and "don't join" in notes["patient_ids"]
    assert "several numbers" not in notes["patient_id"]


def test_the_promise_of_a_domain_masked_by_two_means_is_not_given_for_all(tmp_path: Path) -> None:
    ids = [f"{1001 + 7 * i:08}" for i in range(80)]
    data = cells(tmp_path, ids, ids[:60])
    key = api.Key(bytes(range(32)))
    plan = tmp_path / "plan.toml"

    def promises(text: str) -> set[str]:
        plan.write_text(text, encoding="utf-8")
        report = api.mask(data, plan, key, output=tmp_path / "out", overwrite=True)
        return {p["name"] for p in report.to_dict()["promises"] if "equal values" in p["name"]}

    text = api.plan(data).to_toml()
    assert promises(text) == {"equal values of MEDICAL_RECORD have equal masks"}
    line = next(line for line in text.splitlines() if line.startswith("patient_ids = "))
    other = line.replace("{", '{operator = "hash", decided_by = "human", domain = "MEDICAL_RECORD", ', 1)
    (limited,) = promises(text.replace(line, other))
    assert limited.endswith("in columns of one operator and parameters, and others in other columns")


@pytest.mark.parametrize(
    ("header", "one", "mark"),
    [
        ("email", lambda i: f"a{i}.hill@post.net", "; "),
        ("phone", lambda i: f"+49 171 55{i:05}", "/"),
        ("name", lambda i: f"{('Anna', 'Peter', 'Maria')[i % 3]} {'BDHKLMRST'[i // 10]}ill{'abeioru'[i % 7]}n", " | "),
    ],
)
def test_plan_and_report_say_that_several_values_in_a_cell_do_not_join(
    tmp_path: Path, header: str, one: Callable[[int], str], mark: str
) -> None:
    values = [one(i) for i in range(10, 90)]
    for name, between in (("several", mark), ("single", "")):
        lines = [values[i] + (between + values[i + 1] if between and i % 3 == 0 else "") for i in range(70)]
        (tmp_path / f"{name}.csv").write_text(
            "\n".join([f"{header},room", *(f'"{s}",1' for s in lines)]) + "\n", "utf-8"
        )
        plan = api.plan(tmp_path / f"{name}.csv")
        told = [line for line in mask_report.notes(plan) if "hold several values" in line]
        assert len(told) == len([n for a in plan.tables[0].columns for n in a.notes if "several values" in n])
        assert [line.split(": ")[1] for line in told] == ([header] if between else [])
