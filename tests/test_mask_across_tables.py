"""What tables of a folder tell about each other when one plan masks them all."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from mask_people import cells, customers, key_file, piiscan

import piiscan as package
from piiscan.core.keys import Key
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action, Plan

PEOPLE = customers(120)
CLERKS = [f"{name}@office.de" for name in ("wanda", "gerd", "ines", "olaf", "ruth", "sven", "tom", "uta")]
WRITTEN = ("spoke with {0} {1}, comes on Tuesday", "call {2} in the evening", "no complaints", "sent the forms again")


def written(root: Path) -> Path:
    """People; what they asked, by their numbers under another header; visits, by numbers under a third one."""
    draw = random.Random(8)
    folder = root / "in"
    folder.mkdir()
    phones = [f"0{draw.randrange(10**8, 10**9)}x{draw.randrange(100, 999)}" for _ in range(len(PEOPLE))]
    people = PEOPLE.select("customer_id", "first_name", "last_name", "email").with_columns(pl.Series("phone", phones))
    people.write_csv(folder / "people.csv")
    rows = [people.row(draw.randrange(len(people))) for _ in range(300)]
    with (folder / "tickets.jsonl").open("w", encoding="utf-8") as out:
        for i, (number, first, last, _, phone) in enumerate(rows):
            said = WRITTEN[i % 4].format(first.lower(), last.lower(), phone)
            ticket = {"user_id": number, "subject": f"Question from {first} {last}", "assigned_to": CLERKS[i % 8]}
            out.write(json.dumps({**ticket, "note": f"{said}. Sent to the ward on the second floor."}) + "\n")
    visits = pl.DataFrame({"akt_nr": [row[0] for row in rows], "minutes": [draw.randrange(90) for _ in rows]})
    (folder / "app.log").write_text(
        "".join(f"10:{i % 60:02} INFO login user={mail}\n" for i, mail in enumerate(CLERKS))
    )
    recipients = [f"{first} {last} <{mail}>" for _, first, last, mail, _ in people.rows()[:60]]
    pl.DataFrame({"recipient": recipients}).write_csv(folder / "mailing.csv")
    keys = pl.Series("ticket_no", [f"{60_000_000_000 + 41 * i}" for i in range(len(rows))])
    visits.with_columns(keys).write_csv(folder / "visits.csv")
    return folder


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("across")
    folder = written(root)
    piiscan("plan", folder, "-o", root / "plan.toml", "-q")
    plan = (root / "plan.toml").read_text()
    (root / "plan.toml").write_text(plan.replace('"piiscan-', f'"{root}/piiscan-'))  # the vaults
    piiscan("mask", folder, "--plan", root / "plan.toml", "--key", key_file(root), "-o", root / "out")
    return root


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a vault of codes is made


def action(root: Path, source: str, column: str) -> Action:
    plan: Plan = plan_toml.load(root / "plan.toml")
    return next(a for t in plan.tables if t.source == source for a in t.columns if a.name == column)


def tickets(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (path / "tickets.jsonl").read_text(encoding="utf-8").splitlines()]


def test_keys_of_people_are_known_by_their_values(masked: Path) -> None:
    assert action(masked, "visits.csv", "akt_nr").entity == "PERSON_ID"
    before, after = (cells(masked / where / "visits.csv")["akt_nr"] for where in ("in", "out"))
    people = dict(zip(*(cells(masked / where / "people.csv")["customer_id"] for where in ("in", "out")), strict=True))
    assert [people[number] for number in before] == list(after)


def test_keys_that_nobody_has_are_kept(masked: Path) -> None:
    assert action(masked, "visits.csv", "ticket_no").operator == "keep"


def test_a_clerk_has_not_the_numbers_of_customers(masked: Path) -> None:
    (table,) = (t for t in plan_toml.load(masked / "plan.toml").tables if t.source == "tickets.jsonl")
    (clerk,) = (s for s in table.subjects if s.name == "assigned_to")
    assert [[table.columns[i].name for i in key] for key in clerk.keys] == [["assigned_to"]]
    assert len({t["assigned_to"] for t in tickets(masked / "out")}) > len(CLERKS)  # another person for each row


def test_addresses_in_texts_stay_addresses(masked: Path) -> None:
    for old, line in zip(CLERKS, (masked / "out" / "app.log").read_text().splitlines(), strict=True):
        assert re.fullmatch(r"10:\d\d INFO login user=[\w.]+@\w+\.example", line) and old not in line


def test_names_with_addresses_behind_them_become_names(masked: Path) -> None:
    made = cells(masked / "out" / "mailing.csv")["recipient"]
    assert all(re.fullmatch(r"[A-Z][\w'-]+ [A-Z][\w'-]+", name) for name in made)


def test_people_are_masked_in_texts_that_refer_to_them_by_another_header(masked: Path) -> None:
    people, made = (cells(masked / where / "people.csv").to_dicts() for where in ("in", "out"))
    masks = {old["customer_id"]: new for old, new in zip(people, made, strict=True)}
    for old, new in zip(tickets(masked / "in"), tickets(masked / "out"), strict=True):
        person = masks[old["user_id"]]
        assert new["subject"] == f"Question from {person['first_name']} {person['last_name']}"
        if "spoke" in old["note"]:
            name = f"{person['first_name']} {person['last_name']}".lower()
            assert new["note"].lower().startswith(f"spoke with {name},")
        elif "call" in old["note"]:
            assert new["note"].startswith(f"call {person['phone']} in the evening")
        else:
            assert new["note"] == old["note"]


def test_columns_in_which_people_of_other_tables_are_named_are_masked() -> None:
    people = PEOPLE.select("first_name", "last_name", "email", "phone")
    rows = people.with_columns(phone=pl.col("phone").fill_null("")).rows()
    names = [(first, last) for first, last, _, _ in rows]
    frames = {
        "people": people,
        "transfers": pl.DataFrame(
            {
                "amount": [f"{17 * i % 90}.50" for i in range(120)],
                "reference": [f"RE {4000 + i} {last.upper()} {first}" for i, (first, last) in enumerate(names)],
                "order": [f"ORD-{8_000 + 3 * i}" for i in range(120)],
                "product": [("rose white", "brown ale", "may queen", "hunter green")[i % 4] for i in range(120)],
            }
        ),
        "lines": pl.DataFrame(
            {
                "key": [f"L{i:03}" for i in range(120)],
                "phone": [f"001 {phone[1:4]} {phone[6:]}" if phone else None for *_, phone in rows],
                "office_ext": [f"{phone} ext. {i}" if phone else None for i, (*_, phone) in enumerate(rows)],
            }
        ),
    }
    plan = package.plan(frames)
    done = {f"{t.source}.{a.name}": a.operator for t in plan.tables for a in t.columns if t.source != "people"}
    assert done == {
        "transfers.amount": "keep",
        "transfers.reference": "spans",
        "transfers.order": "keep",
        "transfers.product": "keep",
        "lines.key": "keep",
        "lines.phone": "surrogate",
        "lines.office_ext": "spans",
    }
    alone = package.plan({name: frames[name] for name in ("transfers", "lines")})
    kept = {f"{t.source}.{a.name}" for t in alone.tables for a in t.columns if a.operator == "keep"}
    assert {"transfers.order", "transfers.product", "lines.office_ext"} <= kept
    made = package.mask(frames, replace(plan, vault=None), Key(bytes(range(32))))
    said = made["transfers"]["reference"].to_list()
    assert [text[:8] for text in said] == [f"RE {4000 + i} " for i in range(120)]
    assert sum(text[8:] == f"{last.upper()} {first}" for text, (first, last) in zip(said, names, strict=True)) < 5


GIVEN = "Carla Bernd Jorid Wiebke Tamme Ulf Clemens Dorit".split()
FAMILY = "Kernweiler Drübensath Zollwerth Brakenfeld Hölldampf Wiesenbräu Stöckenjahn Quardewind".split()
RARE = [(first, last) for first in GIVEN for last in FAMILY]


def in_texts(people: pl.DataFrame, **texts: list[str]) -> dict[str, list[str]]:
    """The texts masked, each kind in a table of its own, whose rows nothing relates to a person."""
    frames = {"people": people, **{name: pl.DataFrame({"note": rows}) for name, rows in texts.items()}}
    made = package.mask(frames, replace(package.plan(frames), vault=None), Key(bytes(range(32))))
    return {name: made[name]["note"].to_list() for name in texts}


def test_full_names_of_others_are_found_with_an_ending_and_beside_numbers() -> None:
    numbers = [f"C-{71_003 + 37 * i:06}" for i in range(len(RARE))]
    people = pl.DataFrame(RARE, ["first_name", "last_name"], orient="row").with_columns(customer_no=pl.Series(numbers))
    made = in_texts(
        people,
        genitive=[f"Es geht um {first} {last}s Konto bei uns." for first, last in RARE],
        numbered=[
            f"Frau Dr. {last} ({number}) hat angerufen." for (_, last), number in zip(RARE, numbers, strict=True)
        ],
    )
    for (first, last), text in zip(RARE, made["genitive"], strict=True):
        assert f"{first} {last}" not in text and text.endswith(" Konto bei uns.")
    for (_, last), number, text in zip(RARE, numbers, made["numbered"], strict=True):
        assert last not in text and number[2:] not in text
        assert re.fullmatch(r"Frau Dr\. [^()]+ \(C-\d{6}\) hat angerufen\.", text)


def test_names_of_many_characters_without_letters_are_found_with_a_space_and_without() -> None:
    given = "太郎丸 由美子 真理子 彩花 健太 直樹".split()
    names = [(last, first) for last in "鯨井沢 霧ヶ谷 月見里川 北栗林 古峯崎 星川内".split() for first in given]
    people = pl.DataFrame(names, ["姓", "名"], orient="row").with_columns(
        メールアドレス=pl.Series([f"a{i * 7919 % 10007}@mail.com" for i in range(len(names))])
    )
    texts = [f"{last}{' ' * (i % 2)}{first}さんから電話があった。" for i, (last, first) in enumerate(names)]
    made = in_texts(people, notes=texts)["notes"]
    for (last, first), text in zip(names, made, strict=True):
        assert last + first not in text.replace(" ", "") and text.endswith("さんから電話があった。")


def test_the_id_of_a_table_is_what_others_call_by_its_name() -> None:
    accounts = pl.DataFrame(RARE, ["first", "last"], orient="row").select(
        id=pl.int_range(1, len(RARE) + 1),
        display_name=pl.concat_str("first", "last", separator=" "),
        mail=pl.Series([f"m{i * 7919 % 10007}@mail.com" for i in range(len(RARE))]),
    )
    notes = pl.DataFrame(
        {
            "id": range(1, len(RARE) + 1),
            "account_id": range(1, len(RARE) + 1),
            "note": [f"{first} said that it is fine, Ms {last} calls back." for first, last in RARE],
        }
    )
    frames = {"accounts": accounts, "activity": notes}
    made = package.mask(frames, replace(package.plan(frames), vault=None), Key(bytes(range(32))))
    for name, text in zip(made["accounts"]["display_name"], made["activity"]["note"], strict=True):
        first, last = name.split(" ", 1)
        assert text == f"{first} said that it is fine, Ms {last} calls back."


def test_names_in_paths_user_names_and_lists_of_names_are_those_of_other_tables() -> None:
    latin = [(first, last.replace("ü", "u").replace("ö", "o").replace("ä", "a")) for first, last in RARE]
    latin.append(("Rose", "White"))
    logins = [f"{last[:9]}.{first[0]}".lower() for first, last in latin]
    users = pl.DataFrame(latin, ["first_name", "last_name"], orient="row").with_columns(
        login=pl.Series(logins), email=pl.Series([f"m{i * 7919 % 10007}@mail.com" for i in range(len(latin))])
    )
    pages = [f"/u/{first}-{last}-{i}?q=tall-oak".lower() for i, (first, last) in enumerate(latin[:-1])]
    colours = [f"/tall/rose-white/{i}/carla/kernweiler.png" for i in range(12)]
    frames = {
        "users": users,
        "clicks": pl.DataFrame({"target": [f"https://shop.example.com{page}" for page in pages + colours]}),
        "audit": pl.DataFrame({"done_on": ["monday", "friday"] * 30, "z": logins[:60]}),
        "rights": pl.DataFrame({"z": [f"user:{login}" for login in logins]}),
        "files": pl.DataFrame({"z": [f"CV_{first}_{last}_{i}.pdf" for i, (first, last) in enumerate(latin)]}),
        "transfers": pl.DataFrame(
            {
                "payee": [" ".join(name) for name in latin],
                "z": [f"Salary {last} {i}" for i, (_, last) in enumerate(latin)],
            }
        ),
        "teams": pl.DataFrame(
            {"k": range(8), "z": [[f"{first} {last}" for first, last in latin[i : i + 4]] for i in range(8)]}
        ),
    }
    plan = package.plan(frames)
    done = {f"{t.source}.{a.name}": a.operator for t in plan.tables for a in t.columns if t.source != "users"}
    assert (done["audit.z"], done["audit.done_on"]) == ("persona", "keep")
    made = package.mask(frames, replace(plan, vault=None), Key(bytes(range(32))))
    assert made["clicks"]["target"].to_list()[-12:] == [f"https://shop.example.com{page}" for page in colours]
    for i, ((first, last), text) in enumerate(zip(latin[:-1], made["clicks"]["target"][:-12], strict=True)):
        assert f"{first}-{last}".lower() not in text and text.endswith(f"-{i}?q=tall-oak")
    assert not set(made["audit"]["z"]) & set(logins)
    rights = [text.removeprefix("user:") for text in made["rights"]["z"]]
    assert len(set(rights)) == len(set(logins)) and not set(rights) & set(logins)
    for i, (payee, text) in enumerate(zip(*made["transfers"], strict=True)):
        assert text == f"Salary {payee.split(' ', 1)[1]} {i}" and payee != " ".join(latin[i])
    for i, ((first, last), text) in enumerate(zip(latin, made["files"]["z"], strict=True)):
        assert f"{first}_{last}" not in text and text.startswith("CV_") and text.endswith(f"_{i}.pdf")
    assert not {" ".join(name) for name in latin} & {name for names in made["teams"]["z"] for name in names}


def test_texts_and_names_without_a_letter(tmp_path: Path) -> None:
    """A name that is nothing but signs, and lines of a text that are, beside people who are looked for in them."""
    folder = tmp_path / "in"
    folder.mkdir()
    PEOPLE.head(20).select("customer_id", "first_name", "last_name", "email").write_csv(folder / "people.csv")
    (folder / "form.txt").write_text("Employee: Gregory Zanweiin\nReviewer: Ryan Weitova\n\n***\n")
    (folder / "session.txt").write_text('>>> len(names) == 2\nTrue\n\n>>> names("hive*")\n[]\n')
    piiscan("plan", folder, "-o", tmp_path / "plan.toml", "-q")
    piiscan("mask", folder, "--plan", tmp_path / "plan.toml", "--key", key_file(tmp_path), "-o", tmp_path / "out")
    assert (tmp_path / "out" / "session.txt").read_text() == (folder / "session.txt").read_text()
    assert (tmp_path / "out" / "form.txt").read_text().endswith("\n***\n")


def test_texts_name_people_of_other_rows_in_part(tmp_path: Path) -> None:
    """By family names that no list has and texts don't write in small letters; by others only where they are found."""
    people = [("Mark", "Zanweiin"), ("Laura", "Tovhama"), ("Susan", "Miller"), ("Paul", "Baker")]
    notes = ["Tovhama is out today.", "A baker came.", "Zanweiin's lamp. Will be back.", "Zanweiins Konto, no miller"]
    rows = [(f"m{i}@mail.example", *name, note) for i, (name, note) in enumerate(zip(people, notes, strict=True))]
    rows += [(f"v{i}@mail.example", "Ute", f"Brandstett{i}", "No call, parcel sent.") for i in range(30)]
    rows += [("r@mail.example", "Karen", "Reset", "No call.")]
    rows += [(f"w{i}@mail.example", "Uwe", f"Brandstatt{i}", "Did he reset it? Reset the lamp.") for i in range(3)]
    pl.DataFrame(rows, schema=["email", "first_name", "last_name", "note"], orient="row").write_csv(tmp_path / "in.csv")
    piiscan("mask", tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    made = pl.read_csv(tmp_path / "out.csv")
    last = made["last_name"].to_list()
    assert made["note"][:3].to_list() == [
        f"{last[1]} is out today.",
        "A baker came.",
        f"{last[0]}'s lamp. Will be back.",
    ]
    assert made["note"][3].endswith(" Konto, no miller") and not made["note"][3].startswith("Zanweiin")
    assert set(made["note"][-3:]) == {"Did he reset it? Reset the lamp."} and last[-4] != "Reset"


def test_names_of_authors_in_addresses_beside_them_are_masked(tmp_path: Path) -> None:
    """Parts of software name repositories after those who wrote them, also by a single word."""
    authors = [f"{first} {last} <{first}@mail.org>" for first, last in RARE[:24]]
    authors += [f"{first} {last} <{last}@mail.org>, Nurvoz <n@mail.org>" for first, last in RARE[24:36]] + [
        "Zoltrak"
    ] * 4
    homes = [f"{last}" for _, last in RARE[:24]] + ["Nurvoz"] * 12 + ["Zoltrak"] * 4
    parts = [
        {
            "type": "library", "name": f"part-{i}", "version": f"1.{i}", "author": author,
            "externalReferences": [{"type": "vcs", "url": f"https://code.example.org/{home}/part-{i}"}],
        }
        for i, (author, home) in enumerate(zip(authors, homes, strict=True))
    ]  # fmt: skip
    source, target = tmp_path / "sbom.json", tmp_path / "out.json"
    source.write_text(json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.5", "components": parts}), "utf-8")
    package.mask(source, package.plan(source), key_file(tmp_path), output=target)
    made = json.loads(target.read_text("utf-8"))["components"]
    for home, part, new in zip(homes, parts, made, strict=True):
        (address,) = (reference["url"] for reference in new["externalReferences"])
        assert home not in address and address.endswith(f"/{part['name']}"), address


def test_names_in_no_list_are_those_of_people_of_other_columns() -> None:
    """Full names without a space, of which the scan of one table says nothing."""
    names = [
        (given, family)
        for family in ("深沼津", "星川内", "鹿毛山", "桜庭井")
        for given in ("由美子", "翔太", "彩花", "太郎丸")
    ]
    mails = [f"m{i * 7919 % 10007}@mail.com" for i in range(len(names))]
    frames = {
        "people": pl.DataFrame(names, ["first_name", "last_name"], orient="row").with_columns(email=pl.Series(mails)),
        "logins": pl.DataFrame({"display_name": [f"{family}{given}" for given, family in names], "mail": mails}),
        "places": pl.DataFrame({"z": [f"{family}{i}番地の橋" for i, (_, family) in enumerate(names)]}),
    }
    plan = package.plan(frames)
    done = {f"{t.source}.{a.name}": (a.entity, a.operator) for t in plan.tables for a in t.columns}
    assert done["logins.display_name"] == ("PERSON", "persona") and done["places.z"][0] != "PERSON"
    made = package.mask(frames, replace(plan, vault=None), Key(bytes(range(32))))
    people = made["people"]
    assert made["logins"]["display_name"].to_list() == [
        f"{b}{a}" for a, b in people.select("first_name", "last_name").rows()
    ]


FEW = [("Evandro", "Kernweiler"), ("Basilisa", "Drübensath"), ("Mahsa", "Zollwerth"), ("Petra", "Quardewind")]


def masked_notes(*notes: str) -> list[str]:
    people = pl.DataFrame(FEW * 8, ["first_name", "last_name"], orient="row").with_columns(
        email=pl.Series([f"m{i % 4}@mail.example" for i in range(32)])
    )
    return in_texts(people, notes=list(notes))["notes"]


def test_given_names_of_people_of_other_tables_are_found_by_themselves() -> None:
    """Those in no list; others beside an initial, or where the recogniser takes them for a name and nothing else."""
    found = masked_notes("Conheceu o Evandro na feira.", "- 17:25 Basilisa kommt, Mahsas Rad", "Petra K. (Nüsse)")
    assert [text for text in found if any(first in text for first, _ in FEW)] == []
    assert found[0].startswith("Conheceu o ") and found[0].endswith(" na feira.") and found[2].endswith(". (Nüsse)")
    kept = ["Wir fahren nach Mahsanien.", "basilisa mag", "Codes, Tokens und PETRA-III"]
    assert masked_notes(*kept) == kept


@pytest.mark.parametrize(
    ("note", "given"),
    [
        ("IN HONOR OF PEARL KERNWEILER", "PEARL"),
        ("with Anna Drübensath, twice", "Anna"),
        ("PN [ZOLLWERTH^ROLLO] #14", "ROLLO"),
        ("Kernweiler, Pearl (2)", "Pearl"),
    ],
)
def test_given_names_of_nobody_else_beside_family_names_go_with_them(note: str, given: str) -> None:
    (found,) = masked_notes(note)
    assert given not in found and not any(last.casefold() in found.casefold() for _, last in FEW)


def test_other_words_beside_family_names_stay() -> None:
    found = masked_notes("Projektleiter Kernweiler", "Call Drübensath today", "Frau Direktor Zollwerth in May")
    assert [text.split()[0] for text in found] == ["Projektleiter", "Call", "Frau"]
    assert found[1].endswith(" today") and found[2].startswith("Frau Direktor ") and found[2].endswith(" in May")


def test_columns_of_parts_of_names_of_other_tables_are_names() -> None:
    """Family names alone, or with an initial; other words beside such a name make a text, which is searched."""
    frames = {
        "people": pl.DataFrame({"name": [f"{a} {b}" for a, b in RARE[:8]], "email": [f"p{i}@m.org" for i in range(8)]}),
        "calls": pl.DataFrame({"z1": ["Kernweiler", "Drübensath", "Zollwerth"], "z2": ["12", "9", "44"]}),
        "fines": pl.DataFrame({"z1": ["Kernweiler C.", "Zollwerth B.", "unknown"], "z2": ["30", "15", "30"]}),
        "deals": pl.DataFrame({"z1": ["Hall 4 - Kernweiler", "autumn fair", "renewal"], "z2": ["a", "b", "a"]}),
        "goods": pl.DataFrame({"z1": ["Rose Vase", "Steel Bottle", "Ruby Ring"], "z2": ["a", "b", "a"]}),
    }
    plan = package.plan(frames)
    done = {f"{t.source}.{a.name}": (a.entity, a.operator) for t in plan.tables for a in t.columns if a.name == "z1"}
    assert done["calls.z1"] == ("LAST_NAME", "persona") and done["fines.z1"] == ("PERSON", "persona")
    assert done["deals.z1"][1] == "spans" and done["goods.z1"][1] == "keep"
    made = package.mask(frames, replace(plan, vault=None), Key(bytes(range(32))))
    assert made["deals"]["z1"][0].startswith("Hall 4 - ") and "Kernweiler" not in made["deals"]["z1"][0]
    assert made["deals"]["z1"][1:].to_list() == ["autumn fair", "renewal"]
