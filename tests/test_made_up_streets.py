"""A made-up street may by chance be what somebody is called elsewhere: "Maja 45" is a street, "maja45" a user name."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

import piiscan
from piiscan.masking.operators.surrogate import Surrogate
from piiscan.masking.surrogates import places

LOCALE = "pl_PL"
PEOPLE = 1500
PLAN = """
version = 2
policy = "default"
rules_digest = "0000000000000000"

[[tables]]
source = "people.csv"
[tables.columns]
login = {{entity = "USERNAME", operator = "hash"}}
street = {{entity = "STREET_ADDRESS", operator = "surrogate", with = {street}}}
"""


def people(root: Path, look: str) -> Path:
    """People whose logins are names of streets, with a house number where streets have one."""
    names = places.streets(LOCALE)
    logins = [
        name.replace(" ", "").lower() + "".join(str(1 + i % 199) * ("Number" in look))
        for i, name in enumerate(names[n * 7 % len(names)] for n in range(PEOPLE))
    ]
    source = root / "people.csv"
    pl.DataFrame({"login": logins, "street": [f"Aleja {i}" for i in range(PEOPLE)]}).write_csv(source)
    return source


def keys(number: int) -> list[piiscan.Key]:
    return [piiscan.Key(sha256(f"made-up streets {n}".encode()).digest()) for n in range(number)]


def masked(source: Path, look: str, key: piiscan.Key) -> pl.DataFrame:
    plan = source.with_name("plan.toml")
    plan.write_text(PLAN.format(street=f'{{kind = "street", locale = "{LOCALE}", look = "{look}"}}'), encoding="utf-8")
    target = source.with_name("out.csv")
    report = piiscan.mask(source, piiscan.Plan.load(plan), key, output=target, overwrite=True)
    assert report.verified
    return pl.read_csv(target, infer_schema=False)


@pytest.mark.parametrize("look", ["Street Number", "Street, Number", "Street"])
def test_chance_is_no_broken_promise(tmp_path: Path, look: str) -> None:
    source = people(tmp_path, look)
    logins = set(pl.read_csv(source, infer_schema=False)["login"])

    def hits(key: piiscan.Key) -> int:
        made = masked(source, look, key)["street"].str.to_lowercase().str.replace_all("[ ,]", "")
        return sum(street in logins for street in made)

    assert any(map(hits, keys(6)))  # until there is one: each is verified


def test_what_is_beyond_chance_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A masking that is broken: of a few people the street is what somebody is called, and one of the list."""
    source = people(tmp_path, "Street Number")
    names = {name.replace(" ", "").lower(): name for name in places.streets(LOCALE)}
    logins = pl.read_csv(source, infer_schema=False)["login"].head(60).to_list()
    mask = Surrogate.mask

    def broken(self: Surrogate, values: pl.Series, key: object) -> pl.Series:
        made = mask(self, values, key).to_list()  # type: ignore[arg-type]
        known = [f"{names[login.rstrip('0123456789')]} {login[len(login.rstrip('0123456789')) :]}" for login in logins]
        return pl.Series(values.name, [*known, *made[len(known) :]])

    monkeypatch.setattr(Surrogate, "mask", broken)
    for key in keys(3):
        with pytest.raises(piiscan.VerifyError, match="street: no unique original"):
            masked(source, "Street Number", key)
