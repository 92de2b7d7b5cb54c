"""People whom tables know are the same made-up people in texts, in whatever notation."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from mask_people import key_file, piiscan

import piiscan as package
from piiscan.core.keys import Key

FIRST = "Mary Sarah Linda Karen Nancy Susan Emily Laura Julia Alice".split()
WORDS = ["a markdown file and a timestamp", "it takes willpower"]


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        (
            "王芳 李秀英 欧阳伟明 张建国".split(),
            ["{0}来了。国王很好。小{0[0]}走了。", "{1}说行李丢了。", "{2}来过。", "{0}打电话给{3}，红包很大。"],
        ),
        (
            "이서연 김민준 남궁하윤 박지훈".split(),
            [
                "{0} 고객이 이야기했습니다.",
                "{1} 님과 김치를 먹었습니다.",
                "{2} 님.",
                "{3} 고객이 {0} 님과 이야기했습니다.",
            ],
        ),
    ],
)
def test_names_of_one_character_are_no_parts_of_words(names: list[str], texts: list[str]) -> None:
    people = pl.DataFrame(
        {"id": range(4000, 4000 + len(names)), "name": names, "email": [f"u{n * 31}@x.com" for n in range(4)]}
    )
    notes = pl.DataFrame(
        {"visit": range(4), "person_id": people["id"], "comment": [text.format(*names) for text in texts]}
    )
    frames = {"people": people, "visits": notes, "others": notes.select("comment")}
    made = package.mask(frames, replace(package.plan(frames), vault=None), Key(bytes(range(32))))
    masks = made["people"]["name"].to_list()
    assert made["visits"]["comment"].to_list() == [text.format(*masks) for text in texts]
    assert made["others"]["comment"].to_list()[1:] == [text.format(*masks) for text in texts[1:]]


@pytest.mark.parametrize("orders", [1, 3, 20])
def test_texts_of_rows_with_few_keys_have_their_person_in_any_notation(orders: int) -> None:
    """Rows refer to customers by a column that is a key by the values of another table alone."""
    people = [("Danielle", "Kernweiler"), ("Ilmo", "Vaskaranta"), ("Tom", "Yarrowby")]
    people += [(first, f"Brandstett{ending}") for first in FIRST for ending in ("au", "ei", "olm")]
    people += [("Mark", "Down"), ("Will", "Power")]
    customers = pl.DataFrame(
        {"cust": [f"C-{743_002 + 7919 * n}" for n in range(len(people))], "name": [" ".join(name) for name in people]}
    ).with_columns(email=pl.Series([f"reach{n * 7919}@mail.com" for n in range(len(people))]))
    texts = [
        "an {first}.{last} schreiben",
        "bei @{initial}{last} melden",
        "{first} {last} war da",
        "Nummer {digits} gilt",
    ]
    told = [
        [
            text.format(first=name[0].lower(), last=name[1].lower(), initial=name[0][0].lower(), digits=number[2:])
            for text in texts
        ]
        for number, name in zip(customers["cust"], (name.split(" ") for name in customers["name"]), strict=True)
    ]
    rows = [(n % orders % len(people), n % 4) for n in range(4 * orders)]
    frames = {
        "customers": customers,
        "orders": pl.DataFrame(
            {"cust": [customers["cust"][who] for who, _ in rows], "note": [told[who][which] for who, which in rows]}
        ),
        "log": pl.DataFrame({"text": [text for each in told[:3] for text in each] + WORDS}),
    }
    made = package.mask(frames, replace(package.plan(frames), vault=None), Key(bytes(range(32))))
    numbers, masks = made["customers"]["cust"].to_list(), [name.split(" ") for name in made["customers"]["name"]]
    expected = [
        [
            text.format(first=first.lower(), last=last.lower(), initial=first[0].lower(), digits=number[2:])
            for text in texts
        ]
        for number, (first, last) in zip(numbers, masks, strict=True)
    ]
    assert made["orders"]["cust"].to_list() == [numbers[who] for who, _ in rows]
    assert made["orders"]["note"].to_list() == [expected[who][which] for who, which in rows]
    assert made["log"]["text"].to_list() == [text for each in expected[:3] for text in each] + WORDS


@pytest.mark.parametrize("write", ["{0} {1}", "{1}, {0}", "Dr. {0} {1}", "columns"])
def test_texts_have_the_people_of_tables(tmp_path: Path, write: str) -> None:
    """However a table writes their names: a name in full is its person's, and so is a family name of several beside it.

    A name in full that two persons have is one of neither.
    """
    people = [
        ("Carla", "Jones"),
        ("Danielle", "Zanweiin"),
        ("Paul", "Zanweiin"),
        ("Mark", "Tovhama"),
        ("Ann", "Miller"),
    ]
    people += [(name, f"Brandstett{ending}") for name in FIRST for ending in ("au", "ei", "olm")] + people[-1:]
    people += [("Zebulina", "Oberau"), ("Zebulina", "Quersted")]
    texts = [
        "Carla Jones called. Jones wants a refund, Mr. Tovhama too.",
        "JONES, Carla and C. Jones about Carla Jones's parcel.",
        "Danielle Zanweiin called. Zanweiin wants a refund. D. Zanweiin signed.",
        "Ann Miller came. Miller, A. paid.",
        "Zebulina Oberau called. Zebulina wants a refund.",
    ]
    expected = "{0} {1} called. {1} wants a refund, Mr. {2} too.\n{3}, {0} and {4}. {1} about {0} {1}'s parcel.\n"
    folder = tmp_path / "in"
    folder.mkdir()
    frame = pl.DataFrame({"id": [f"{60_000_000_000 + n}" for n in range(len(people))]})
    frame = frame.with_columns(email=pl.Series([f"reach{n * 7919}@mail.com" for n in range(len(people))]))
    if write == "columns":
        names = {"first_name": [first for first, _ in people], "last_name": [last for _, last in people]}
        frame.with_columns(**{k: pl.Series(v) for k, v in names.items()}).write_csv(folder / "people.csv")
    else:
        frame.with_columns(name=pl.Series([write.format(*each) for each in people])).write_csv(folder / "people.csv")
    for n, text in enumerate((f"{texts[0]}\n{texts[1]}\n", *texts[2:])):
        (folder / f"note{n}.txt").write_text(text)
    piiscan("mask", folder, "-o", tmp_path / "out", "--key", key_file(tmp_path))
    made = pl.read_csv(tmp_path / "out" / "people.csv")
    if write == "columns":
        named = made.select("first_name", "last_name").rows()
    elif "," in write:
        named = [(first, last) for last, first in (name.split(", ") for name in made["name"])]
    else:
        named = [tuple(name.removeprefix("Dr. ").split(" ")) for name in made["name"]]
    several, one, two, given = ((tmp_path / "out" / f"note{n}.txt").read_text() for n in range(4))
    (first, last), (whose, family) = named[:2]
    assert several == expected.format(first, last, named[3][1], last.upper(), first[0])
    assert one == f"{whose} {family} called. {family} wants a refund. {whose[0]}. {family} signed."
    assert given == "{0} {1} called. {0} wants a refund.".format(*named[-2])
    neither = re.fullmatch(r"((\S)\S+) (\S+) came\. \3, \2\. paid\.", two)
    assert neither and (neither[1], neither[3]) not in named
