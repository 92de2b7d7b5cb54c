"""Names at places that a notation has for them, in rows without keys, in letters and before addresses of mail."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from mask_people import key_file
from mask_people import piiscan as run
from test_query_values import FOUND as FOUND_BEHIND_KEYS

import piiscan
from piiscan.detection.text import rule_spans
from piiscan.text import Analyzer, spans

PEOPLE = {"PERSON", "FIRST_NAME", "LAST_NAME", "DATE_OF_BIRTH"}
FOUND = {
    "PID|1||4711^^^H||Maelbrook^Thorvane||19820304|F": ["Maelbrook", "Thorvane", "19820304"],
    "ok NK1|1|Maelbrook^Thorvane|SPO": ["Maelbrook", "Thorvane"],
    "NM1*IL*1*MAELBROOK*THORVANE****MI*4711~DMG*D8*19820304*F~": ["MAELBROOK", "THORVANE", "19820304"],
    "CTA+IC+:Thorvane Maelbrook'": ["Thorvane Maelbrook"],
    "P<UTOMAELBROOK<<THORVANE<<<<<<<<": ["MAELBROOK", "THORVANE"],
    "MECARD:N:Maelbrook,Thorvane;URL:b.org;;": ["Maelbrook", "Thorvane"],
    "(&(objectClass=person)(sn=Maelbrook)(givenName=Thorvane))": ["Maelbrook", "Thorvane"],
    "CN=Maelbrook\\, Thorvane,OU=Staff,DC=b": ["Maelbrook", "Thorvane"],
    "<v Thorvane Maelbrook>let us begin</v>": ["Thorvane Maelbrook"],
    "3f9a1c01 (Thorvane Maelbrook 2024-03-05 10:01:00 +0100 1) x": ["Thorvane Maelbrook"],
    "Thorvane Maelbrook, [12.03.2024 15:00]": ["Thorvane Maelbrook"],
    "displayName: Ysolde Fenwarth": ["Ysolde Fenwarth"],
    "1 NAME Thorvane /Maelbrook/": ["Thorvane", "Maelbrook"],
    "AU  - Maelbrook, Thorvane": ["Maelbrook", "Thorvane"],
    "%A Maelbrook, Thorvane": ["Maelbrook", "Thorvane"],
    '[White "Maelbrook, Thorvane"]': ["Maelbrook", "Thorvane"],
    "<Dbtr><Nm>Thorvane Maelbrook</Nm></Dbtr>": ["Thorvane Maelbrook"],
    ":86:166?20Danke?30COBADEFF?31DE89370400440532013000?32MAELBROOK, THORVANE?33": ["MAELBROOK", "THORVANE"],
    "?30COBADEFF?31DE89370400440532013000?32Anna Maelbrook": ["Anna Maelbrook"],
    "7|Anna|Schmidt": ["Anna", "Schmidt"],
    "Kernweiler;Anna;1982-03-04": ["Kernweiler", "Anna", "1982-03-04"],
    "(7,Anna,Kernweiler,1982-03-04)": ["Anna", "Kernweiler", "1982-03-04"],
    "INSERT INTO t VALUES (7, 'Anna', 'Kernweiler', '1982-03-04');": ["Anna", "Kernweiler", "1982-03-04"],
    "Thanks.\n\nBest regards\nThorvane Maelbrook\nBuyer": ["Thorvane Maelbrook"],
    "Dear Thorvane Maelbrook,\n\nyour order": ["Thorvane Maelbrook"],
    'To: "Fenwarth, Ysolde" <yf@needle-post.org>': ["Fenwarth, Ysolde"],
    " 2  206   KERNWEILER, Danielle     M20   00:57:12": ["KERNWEILER, Danielle"],
    "On Mon, 1 Jan, at 10:00 AM Ysolde Fenwarth <yf@needle-post.org> wrote:": ["Ysolde Fenwarth"],
    "De heer J. Kernweiler en mevrouw van Maelbrook": ["J. Kernweiler", "van Maelbrook"],
}
NOTHING = (
    "12;Georgia;Atlanta;1996-07-19",
    "3|Lincoln|Ford|2004",
    "/shop?31=7&page?32Anna Maelbrook",
    "?30COBADEFF?31DE89370400440532013000?32Amazon",
    "7|AG|JU|LU|1982-03-04",
    "3,Austin,Texas,1998-01-01",
    "Jordan|Israel|Egypt|3",
    "(3, 'Monday', 'Tuesday')",
    "CN=Domain Admins,CN=Users,DC=acme,DC=local",
    "CN=DigiCert Global Root,O=DigiCert Inc,C=US",
    "(sn=*)(cn=admin)",
    "Best regards\nCustomer Service Team",
    "Mit freundlichen Grüßen\nIhre Stadtwerke Kassel",
    "Dear Hiring Manager,\nplease",
    "mevrouw de Voorzitter",
    "Acme Support <as@needle-post.org>",
)


def found(text: str, least: float = 0.8) -> list[str]:
    return [text[s.start : s.end] for s in spans(text) if s.entity in PEOPLE and s.score >= least]


@pytest.mark.parametrize("text", FOUND)
def test_they_are_found(text: str) -> None:
    assert found(text) == FOUND[text]


@pytest.mark.parametrize("text", NOTHING)
def test_other_words_are_none(text: str) -> None:
    assert not found(text)


def test_many_texts_at_once_are_read_alike() -> None:
    texts = [*FOUND, *FOUND_BEHIND_KEYS] * 4
    assert len(texts) >= rule_spans.MANY
    assert Analyzer().batch(texts) == [spans(text) for text in texts]


NAMES = "Maelbrook Fenwarth Vellacote Dorricksen Trebonwy Hargrolt".split()


@pytest.mark.parametrize(
    "cell",
    [
        "PID|1||4711^^^H||{0}^Ann||19820304|F",
        "(&(objectClass=person)(sn={0}))",
        "De heer van {0} heeft gebeld.",
        "*** 1. row ***\nlast_name: {0}",
    ],
)
def test_no_cell_keeps_one(tmp_path: Path, cell: str) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "out.csv"
    pl.DataFrame({"id": range(6), "payload": [cell.format(name) for name in NAMES]}).write_csv(path)
    run("mask", path, "-o", out, "--key", key_file(tmp_path))
    assert not [name for name in NAMES if name in out.read_text()]


@pytest.mark.parametrize(
    "cell",
    [
        "order={i} customer_name=Orvik {name} total=12",
        "Assigned to: Orvik {name}",
        'From: "Orvik {name}" <sip:{i}00@b.org>',
    ],
)
def test_likely_names_of_people_or_firms_are_in_review(cell: str) -> None:
    cells = [cell.format(i=i, name=name) for i, name in enumerate(NAMES)]
    report = piiscan.scan(pl.DataFrame({"id": range(6), "payload": cells}))
    assert [item.column for item in report.review] == ["payload"]
