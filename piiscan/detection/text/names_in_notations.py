r"""Names at places that a notation has for them, in texts and cells: HL7, X12, EDIFACT, passports, directories.

`PID|1||4711^^^H||Berg^Ann`, `NM1*IL*1*BERG*ANN`, `NAD+BY+++Berg:Ann`, `P<UTOBERG<<ANN<<<`, `MECARD:N:Berg,Ann;`,
`CN=Ann Berg:mailto:…`, `(sn=Berg)`, `CN=Berg\, Ann,OU=Staff`, `1 NAME Ann /Berg/`, `AU  - Berg, Ann`, `%A Berg, Ann`,
`[White "Berg, Ann"]`, `?31DE…?32Ann Berg` in MT940, `<v Ann Berg>` in subtitles, lines of `git blame`. Files of such
messages are tables; these are parts of them, as logs and payloads are.

Sources: HL7 version 2, chapter 3; X12 NM1; UN/EDIFACT NAD, PNA and CTA; ICAO Doc 9303; RFC 4514, 4515 and 5545; WebVTT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.signs import Signs
from piiscan.detection.text import birth_dates
from piiscan.detection.text.announced_persons import LIKELY_SCORE, is_surely_given, may_be_name
from piiscan.detection.text.span import NAMED, Span
from piiscan.rules.definitions import RuleSet

MAY: Final = (
    r"(?:PID|NK1|GT1|IN1|MRG|PV1)\||NM1\*|(?:NAD|CTA)\+|[A-Z]<<[A-Z]|MECARD:|<v[ .]|<Nm>|A[U12]  - |F(?:AU|ED) - "
    r"|%[AE] |\[(?:White|Black) \"|:5[09][A-Z]?:/|\?32[^\W\d_]|[0-9] (?:NAME|GIVN|SURN) |[cCsSgG][nN]=|[nN]ame="
)
"""What a text has that may hold one."""
SIGNS: Final = ("|", "NM1*", "NAD+", "CTA+", "<<", "MECARD:", "?32", "CN=", "cn=", "sn=", "SN=", "givenName=", "<v")
"""Of what may be searched for, what is found faster."""
_SCORE: Final = 0.95
_ENTITY, _RULE = NAMED["PER"]
_GIVEN, _FAMILY, _BORN = "given", "family", "born"
_IDS: Final = {_GIVEN: "first-name", _FAMILY: "last-name", _BORN: birth_dates.RULE}

_WORD: Final = r"[^\W\d_][^\W\d_'’-]*(?:[ '’-]{1,2}[^\W\d_]+)*"
_HL7_NAME: Final = rf"(?P<family>{_WORD})\^(?P<given>{_WORD})?"
_DN_WORD: Final = r"(?:[^\W\d_]|[ .'’-])+"
_PATTERNS: Final = {
    ("PID|", "NK1|", "GT1|", "IN1|", "MRG|", "PV1|"): (
        lazy_pattern(rf"\bPID\|(?:[^|\r\n]*\|){{4}}{_HL7_NAME}"),
        lazy_pattern(rf"\bPID\|(?:[^|\r\n]*\|){{5}}{_HL7_NAME}"),
        lazy_pattern(rf"\bPID\|(?:[^|\r\n]*\|){{8}}{_HL7_NAME}"),
        lazy_pattern(r"\bPID\|(?:[^|\r\n]*\|){6}(?P<born>(?:19|20)\d{6})"),
        lazy_pattern(rf"\bNK1\|(?:[^|\r\n]*\|){{1}}{_HL7_NAME}"),
        lazy_pattern(rf"\bGT1\|(?:[^|\r\n]*\|){{2}}{_HL7_NAME}"),
        lazy_pattern(rf"\bIN1\|(?:[^|\r\n]*\|){{15}}{_HL7_NAME}"),
        lazy_pattern(rf"\bMRG\|(?:[^|\r\n]*\|){{6}}{_HL7_NAME}"),
        *(
            lazy_pattern(rf"\bPV1\|(?:[^|\r\n]*\|){{{field}}}[\w.-]*\^(?P<family>{_WORD})\^(?P<given>{_WORD})?")
            for field in (6, 7, 8, 16)
        ),
    ),
    ("NM1*",): (lazy_pattern(rf"\bNM1\*[A-Z0-9]{{2,3}}\*1\*(?P<family>{_WORD})?(?:\*(?P<given>{_WORD})?)?"),),
    (" NAME ", " GIVN ", " SURN "): (
        lazy_pattern(rf"^[ ]{{0,9}}\d NAME (?P<given>{_WORD})? ?/(?P<family>{_WORD})/", re.MULTILINE),
        lazy_pattern(rf"^[ ]{{0,9}}\d (?:GIVN (?P<given>{_WORD})|SURN (?P<family>{_WORD}))$", re.MULTILINE),
    ),
    ("AU  - ", "A1  - ", "A2  - ", "FAU - ", "FED - "): (
        lazy_pattern(rf"^(?:A[U12]  |FAU |FED )- (?P<family>{_WORD}), (?P<given>{_WORD})", re.MULTILINE),
        lazy_pattern(rf"^AU  - (?P<family>{_WORD}) [A-Z]{{1,3}}$", re.MULTILINE),
    ),
    ("%A ", "%E "): (lazy_pattern(rf"^%[AE] (?P<family>{_WORD}), (?P<given>{_WORD})", re.MULTILINE),),
    ("[White ", "[Black "): (
        lazy_pattern(rf"^\[(?:White|Black) \"(?P<family>{_WORD}), (?P<given>{_WORD})", re.MULTILINE),
    ),
    (":50", ":59"): (
        lazy_pattern(rf":(?:50[AFHK]|59[AF]?):/[^\s]{{1,40}}\r?\n(?P<maybe>{_WORD} {_WORD})(?=[\r\n]|\Z)"),
    ),
    ("?32",): (
        lazy_pattern(
            rf"\?3[01][^?=&\s]{{1,40}}\?32(?:(?P<family>{_WORD}), (?P<given>{_WORD})|(?P<maybe>{_WORD}))(?=[?\r\n']|\Z)"
        ),
    ),
    ("<Nm>",): (lazy_pattern(rf"<(?:Ultmt)?(?:Dbtr|Cdtr)>\s{{0,9}}<Nm>(?P<maybe>{_WORD} {_WORD})</Nm>"),),
    ("DMG*",): (lazy_pattern(r"\bDMG\*D8\*(?P<born>(?:19|20)\d{6})"),),
    ("NAD+", "CTA+"): (
        lazy_pattern(rf"\bNAD\+(?:FL|FM|PAT|EE)\+[^+'\r\n]*\+[^+'\r\n]*\+(?P<family>{_WORD}):(?P<given>{_WORD})"),
        lazy_pattern(rf"\bNAD\+[A-Z]{{2,3}}\+[^+'\r\n]*\+[^+'\r\n]*\+(?P<maybe>{_WORD}:{_WORD})(?=[+:'])"),
        lazy_pattern(rf"\bCTA\+[A-Z]{{2}}\+[^+:'\r\n]*:(?P<person>{_WORD} {_WORD})(?=[+:']|\Z)"),
    ),
    ("<<",): (
        lazy_pattern(
            r"\b[PIACV][A-Z<](?:[A-Z]{3}|D<<)(?P<family>[A-Z]+(?:<[A-Z]+)*)<<(?P<given>[A-Z]+(?:<[A-Z]+)*)<"
        ),
    ),
    ("MECARD:",): (lazy_pattern(rf"\bMECARD:(?:[^\r\n]*?;)?N:(?P<family>{_WORD})(?:,(?P<given>{_WORD}))?;"),),
    ("mailto:",): (
        lazy_pattern(rf"[;:]CN=(?P<mark>\"?)(?P<maybe>{_WORD}(?:, {_WORD})?)(?P=mark)[;:][^\r\n]{{0,200}}?mailto:",
            re.IGNORECASE,
        ),
    ),
    ("n=", "N=", "Name=", "name="): (
        lazy_pattern(rf"\(sn=\*?(?P<family>{_DN_WORD})\*?\)", re.IGNORECASE),
        lazy_pattern(rf"\((?:gn|givenName)=\*?(?P<given>{_DN_WORD})\*?\)", re.IGNORECASE),
        lazy_pattern(rf"\((?:cn|displayName|name)=\*?(?P<maybe>{_DN_WORD} {_DN_WORD})\*?\)", re.IGNORECASE),
        lazy_pattern(rf"(?<![^\W_])CN=(?P<family>{_WORD})\\, (?P<given>{_WORD})(?=,|\Z)", re.IGNORECASE),
        lazy_pattern(rf"(?<![^\W_])CN=(?P<maybe>{_WORD})(?=,(?:OU|DC|O|CN|L|C)=|/[\w.]+=)", re.IGNORECASE),
    ),
    ("<v",): (lazy_pattern(rf"<v(?:\.[\w.]{{1,40}})? (?P<person>{_WORD})>"),),
    (" +0", " -0", " +1", " -1"): (
        lazy_pattern(
            r"^\^?[0-9a-f]{7,40} (?:[^\s()]+ {1,9})?\((?P<person>[^()\r\n]{2,60}?) {1,40}"
            r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} {1,9}\d+\)",
            re.MULTILINE,
        ),
    ),
}  # fmt: skip
"""By parts of which their texts have one."""
_PARTS: Final = Signs(part for parts in _PATTERNS for part in parts)


def names_in_notations(text: str, rules: RuleSet) -> Iterator[Span]:
    """The names at places for names, or for parts of them, and dates of birth beside them."""
    if not _PARTS.are_in(text):
        return
    for parts, patterns in _PATTERNS.items():
        for pattern in patterns if any(part in text for part in parts) else ():
            for found in pattern.finditer(text):
                for group, value in found.groupdict().items():
                    if value and group != "mark" and (span := _span(rules, group, value, found.start(group))):
                        yield span


def _span(rules: RuleSet, group: str, value: str, start: int) -> Span | None:
    """`group`: which part of a name it is, or whose name; what may be a firm's, or a group's, is likely a person's."""
    length = len(value.rstrip())
    rule = rules.by_id.get(_IDS.get(group, _RULE))
    if rule is None or (
        group != _BORN and not may_be_name(value[:length].replace("<", " ").replace(",", "").replace(":", " "))
    ):
        return None
    span = Span(start, start + length, rule.entity, rule.subtype, rule.id, _SCORE)
    if group != "maybe" or is_surely_given(value.split()[0]):
        return span
    return replace(span, score=LIKELY_SCORE) if len(value.split()) > 1 or ":" in value else None
