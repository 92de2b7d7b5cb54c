"""Names of members beside the addresses of their pages are found, and addresses that contain a person's identifier."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mask_people import key_file

import piiscan

HANDLES = [f"{first}{sign}{last}" for first, sign, last in zip(
    "ann bob carla dmitri eva farid greta hugo ines jamal kira lars".split(), "_.-" * 4,
    "lee stone rossi petrov brandt karimi holm meyer costa khan sato berg".split(), strict=True)]  # fmt: skip
PAGES = [
    "https://www.instagram.com/{}",
    "https://www.instagram.com/_u/{}",
    "https://www.facebook.com/{}/",
    "https://twitter.com/{}",
    "https://x.com/{}",
    "https://www.tiktok.com/@{}",
    "https://www.reddit.com/user/{}/",
    "https://www.linkedin.com/in/{}",
    "https://mastodon.social/@{}",
    "https://t.me/{}",
]
SLUGS = "oak-table steel-lamp blue-rug wall-clock desk-fan tea-pot book-shelf arm-chair".split()
Columns = dict[str, list[Any]]


def found(columns: Columns) -> dict[str, tuple[str | None, str]]:
    report = piiscan.scan(pl.DataFrame(columns))
    return {str(c.name): (c.entity, c.pii) for c in report.columns if c.pii != "none"}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("count", [1, 12])
def test_names_beside_the_addresses_of_pages_are_user_names(page: str, count: int) -> None:
    handles = HANDLES[:count]
    columns = {"item": [1700000000 + i for i in range(count)], "href": list(map(page.format, handles)), "v": handles}
    assert found(columns) == {"href": ("URL", "quasi"), "v": ("USERNAME", "direct")}


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_members_are_personal_by_themselves(page: str) -> None:
    assert found({"day": ["2023-05-06"] * 12, "href": list(map(page.format, HANDLES))}) == {"href": ("URL", "quasi")}


def test_lists_of_an_export_are_read_element_by_element(tmp_path: Path) -> None:
    rows = [
        {
            "title": "",
            "media": [],
            "data": [{"href": PAGES[0].format(handle), "value": handle, "timestamp": 1700000000}],
        }
        for handle in HANDLES
    ]
    file = tmp_path / "followers_1.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    columns = {str(c.name): c for c in piiscan.scan(file).columns}
    assert (columns["data[].value"].entity, columns["data[].value"].pii) == ("USERNAME", "direct")
    assert columns["data[].href"].pii == "quasi"
    assert columns["data[].timestamp"].pii == "none"


@pytest.mark.parametrize("columns", [
    {"slug": SLUGS, "url": [f"https://shop.test-firm.de/p/{s}" for s in SLUGS], "price": ["9.99"] * 8},
    {"company": [f"{h.title()} GmbH" for h in HANDLES], "facebook": [PAGES[2].format(h) for h in HANDLES]},
    {"package": SLUGS, "repository": [f"https://github.com/acme/{s}" for s in SLUGS]},
    {"id": list(range(12)), "url": [f"https://api.test-firm.de/items/{i}" for i in range(12)], "stock": ["3"] * 12},
    {"route": [f"/v1/things/{i}" for i in range(12)], "thing": list(range(12)), "ms": ["12"] * 12},
    {"city": "Bonn Köln Jena Gera Halle Kiel".split() * 2,
     "href": [f"https://wetter.test-firm.de/{c}" for c in "Bonn Köln Jena Gera Halle Kiel".split() * 2]},
    {"video": HANDLES, "href": [f"https://www.instagram.com/p/{h}x/" for h in HANDLES]},
], ids=["products", "firms", "repositories", "items", "log", "places", "posts"])  # fmt: skip
def test_other_addresses_say_nothing_of_persons(columns: Columns) -> None:
    assert not {name: what for name, what in found(columns).items() if what[0] in ("USERNAME", "URL", "PERSON_ID")}


def users() -> Columns:
    numbers = [10000 + 37 * i for i in range(12)]
    return {
        "login": HANDLES,
        "user_id": numbers,
        "node_id": [base64.b64encode(b"04:User%d" % n).decode() for n in numbers],
        "avatar_url": [f"https://avatars.test-firm.de/u/{n}?v=4" for n in numbers],
        "repos_url": [f"https://api.test-firm.de/of/{h}/repos" for h in HANDLES],
        "docs_url": [f"https://docs.test-firm.de/{n}" for n in range(12)],
    }


def test_addresses_and_keys_that_contain_an_identifier_are_personal() -> None:
    classes = found(users())
    assert classes["avatar_url"] == classes["repos_url"] == ("URL", "quasi")
    assert classes["node_id"] == ("PERSON_ID", "quasi")
    assert "docs_url" not in classes


def test_a_default_plan_masks_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame(users())
    plan = piiscan.plan(frame)
    assert "contains what identifies a person" in plan.to_toml()
    masked = piiscan.mask(frame, plan, key=key_file(tmp_path))
    text = masked.drop("docs_url").write_csv()
    assert not [h for h in HANDLES if h in text]
    assert not [n for n in frame["user_id"] if str(n) in text]
    assert not set(frame["node_id"]) & set(masked["node_id"])
    assert masked["docs_url"].equals(frame["docs_url"])


def test_parts_of_a_table_say_what_the_whole_says() -> None:
    frame = pl.DataFrame({"href": list(map(PAGES[0].format, HANDLES)), "value": HANDLES})
    scanner = piiscan.Scanner()
    whole = scanner.scan(frame)
    parts = scanner.partial(frame.head(5)) + scanner.partial(frame.tail(-5))
    assert [c.entity for c in scanner.finish(parts, frame).columns] == [c.entity for c in whole.columns]
