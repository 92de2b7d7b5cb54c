"""Street addresses in texts: "12 Elm Street, Springfield, IL 62704", "Hauptstraße 12, 50667 Köln", "12 rue de la Paix".

A street is known by its kind of word (Street, -straße, rue, Calle, ул.) beside a house number. Addresses without such a
word aren't found; of scripts without capitals, those of Japan by their blocks and those of Korea by their roads are.
Those at the places that vCard (RFC 6350, 6.3.1) and LDIF (RFC 4519, 2.23 and 2.34) have for them are found whatever
they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import RuleSet

RULE: Final = "street-address"
SCORE: Final = 0.8
"""Set, not measured, as that of rules that count near their words."""
_CAPITAL: Final = r"(?=[^\W\d_a-zß-öø-ÿа-яёα-ω])[^\W\d_]{2,30}+(?:['’-][^\W\d_]{1,30}+){0,3}"
"""A word with a capital letter in front."""
_STREETS: Final = "street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|parkway|pkwy|highway|hwy|mews|turnpike"
_OTHERS: Final = (
    "av|drive|dr|court|ct|place|pl|square|sq|terrace|ter|way|circle|cir|close|crescent|cres|gardens|grove|row|walk|trail"
    "|trl|pike|plaza|loop|alley|junctions?|route|turn|bend|crossing|expressway|freeway|flats|fields|hill|park"
)
"""Words that other things are called by: no address goes on with a word in small letters there."""
_RARELY: Final = (
    "annex|arcade|bayou|beach|bluffs?|branch|bridge|brooks?|burgs?|bypass|camp|canyon|cape|causeway|centers?|cliffs?|club"
    "|commons?|corners?|course|coves?|creek|crest|dale|dam|divide|estates?|extensions?|falls|ferry|ford|forest|forges?"
    "|forks?|fort|glens?|greens?|harbors?|haven|heights|hills|hollow|inlet|islands?|isle|keys?|knolls?|lakes?|land"
    "|landing|light|locks?|lodge|manors?|meadows?|mills?|mission|motorway|mount|mountains?|neck|orchard|oval|overpass"
    "|parks|pass|passage|path|pines?|plains?|points?|ports?|prairie|radial|ramp|ranch|rapids?|rest|ridges?|river|run"
    "|shoals?|shores?|skyway|springs?|spur|squares|station|stravenue|stream|summit|throughway|trace|track|trafficway"
    "|tunnel|underpass|unions?|valleys?|viaduct|views?|villages?|ville|vista|walks|wells?"
)
"""Other words that the postal service of the United States has for kinds of streets (Publication 28, appendix C1)."""
_AT_LEAST_A_UNIT: Final = r"(?i:,? (?:apt|apartment|suite|ste|unit|flat|floor|room|#)\.? ?#?[\w-]{1,6})"
_UNIT: Final = rf"{_AT_LEAST_A_UNIT}?"
_PLACE: Final = rf",? {_CAPITAL}(?: {_CAPITAL}){{0,2}},?"
_WITH_CODE: Final = rf"{_PLACE} [A-Z]{{2}} \d{{5}}(?:-\d{{4}})?|{_PLACE} [A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}}"
_CITY: Final = rf"(?:{_WITH_CODE})?"
_CODE_AND_CITY: Final = rf"(?:,? (?:[A-Z]{{1,2}}-)?(?:\d{{4,5}}(?: [A-Z]{{2}})?|\d{{3}} \d\d|\d\d-\d{{3}}) {_CAPITAL})?"
_JOINING: Final = "de|del|della|delle|dei|dos|das|du|des|da|do|la|las|los|le|les|e|y"
_NAME: Final = rf"(?:(?:{_JOINING}|(?:[ld]['’])?{_CAPITAL}\.?) ){{0,5}}(?:[ld]['’])?{_CAPITAL}\.?"
_HOUSE: Final = r"(?!(?:19|20)\d\d\b)\d{1,4}(?: ?[a-zA-Z])?(?: ?[-/] ?\d{1,4}[a-zA-Z]?)?\b"
_SIDE: Final = r"(?:[NSEW]|[NS][EW]|North|South|East|West)\b\.?"
_NUMBER_FIRST: Final = lazy_pattern(
    # 12 N. Elm Street Apt. 4, Springfield, IL 62704; 45 W 34th St
    rf"\d{{1,5}}[A-Za-z]?(?:-\d{{1,5}})? (?:{_SIDE} )?(?:(?:{_CAPITAL} ){{1,3}}|\d{{1,3}}(?:st|nd|rd|th) )"
    rf"(?:(?i:(?:{_STREETS})\b\.?|(?:{_OTHERS})\b\.?(?-i:(?! [a-zß-öø-ÿ])))(?: {_SIDE})?{_UNIT}"
    rf"|(?i:{_RARELY})\b(?:{_AT_LEAST_A_UNIT}|(?={_WITH_CODE}))){_CITY}"
    # 12 bis, rue de la Paix, 75002 Paris
    r"|\d{1,4}(?: ?(?:bis|ter))?,? (?i:rue|avenue|av\.|boulevard|bd|place|chemin|allée|impasse|quai|cours|passage) "
    rf"{_NAME}{_CODE_AND_CITY}"
)
_NUMBER_LAST: Final = lazy_pattern(
    # Hauptstraße 12, 50667 Köln; Kerkstraat 5; Storgatan 3; Lange Straße 7
    rf"(?<![\w/.-])(?:(?:{_CAPITAL}(?:(?<=straße)|(?<=strasse)|(?<=weg)|(?<=platz)|(?<=allee)|(?<=gasse)|(?<=damm)"
    r"|(?<=chaussee)|(?<=ufer)|(?<=straat)|(?<=laan)|(?<=plein)|(?<=gracht)|(?<=kade)|(?<=gatan)|(?<=vägen)|(?<=gata)"
    r"|(?<=vej)|(?<=gade)|(?<=veien)|(?<=ntie)|(?<=katu)|(?<=kuja)|(?<=str)\.)"
    rf"|{_CAPITAL}[ -](?:Straße|Strasse|Str\.|Platz|Allee|Weg|Gasse|Damm|Ufer|Chaussee)"
    rf"|(?:{_CAPITAL} ){{1,3}}(?:ulice|ulica|utca|u\.|útja|tér|iela|tänav|tanav|gatvė|[Cc]addesi|[Cc]ad\.|[Ss]okak"
    r"|[Ss]ok\.))"
    rf" (?:[Nn]o[.:]? ?)?{_HOUSE}"
    # Calle de Alcalá, 12; Via Roma 3; Rua Augusta, 100; ul. Długa 5; ул. Ленина, д. 5
    r"|(?:[Cc]alle|[Cc]/|[Aa]vda?\.|[Aa]venida|Av\.|Paseo|Carrer|Camino|Via|Viale|Piazza|Piazzale|Corso|Largo|Vicolo|[Rr]ua|Travessa"
    r"|Praça|Estrada|Alameda|[Uu]l\.|ulica|al\.|[Уу]л\.|улица|пр\.|проспект|пер\.|переулок|вул\.|str\.|Strada|οδός|Οδός"
    r"|Jl\.|Jalan) ?"
    rf"{_NAME},? ?(?:[nN](?:[º°o]|\.º)?\.? ?|[nN]úm(?:\.|ero)? ?|д\. ?|дом |nr\.? ?)?{_HOUSE}){_CODE_AND_CITY}"
    # Okružní 4711/3, 760 01 Zlín: of streets without such a word, where a postal code of two parts follows
    rf"|(?<![\w/.-]){_CAPITAL}(?: {_CAPITAL}){{0,2}} {_HOUSE}, \d{{3}} \d\d {_CAPITAL}"
)
_BLOCK: Final = lazy_pattern(
    # 東京都新宿区西新宿2丁目8番1号; 서울시 강남구 테헤란로 123
    r"[々一-龥]{1,6}[都道府県市区町村][^\s、。,]{1,20}?\d+(?:丁目|番)\d*(?:番地?|[-−])?(?:\d+号?)?"
    r"|(?:[가-힣]{1,8}(?:시|도|구|군|읍|면) ){1,3}[가-힣0-9]{1,12}(?:로|길) \d{1,4}(?:-\d{1,4})?"
)
_BLOCKS: Final = re.compile("丁目|番|[로길] ")
_NUMBERS: Final = lazy_pattern(r"(?<![\w/.-])\d")
_AFTER_NAME: Final = lazy_pattern(rf"{_CAPITAL}\.?,? ?(?:n(?:[º°.]|\.º|úm(?:\.|ero))? ?|д\. ?|дом |nr\.? ?)?\d")
"""A number behind a word with a capital letter: most texts have none, and are done with."""
_PROPERTIES: Final = ("ADR", "street: ", "ostalAddress: ")
_OF_PROPERTY: Final = lazy_pattern(
    r"^(?:[\w-]{1,20}\.)?ADR(?:;(?:[^\":\r\n]|\"[^\"\r\n]*\")*)?:(?=(?:[^;\r\n]*;){4})"
    r"(?P<parts>(?:(?:[^;\\\r\n]|\\.)*;){3})"
    r"|^(?:street|postalAddress|(?:home|registered)PostalAddress|registeredAddress): (?P<street>(?![a-z])[^$\r\n]+)",
    re.MULTILINE,
)
"""Post box, extension and street, of which a vCard has the city and the code behind them; lines of LDIF up to a $."""
_PART: Final = re.compile(r"(?:[^;\\]|\\.)*\w(?:[^;\\]|\\.)*")
_LOWER: Final = re.compile(r"(?:ulice|ulica|utca|u\.|útja|tér|iela|tänav|tanav|gatvė|caddesi|cad\.|sokak|sok\.) ")


def addresses(text: str, rules: RuleSet) -> Iterator[Span]:
    """The street addresses in a text, with the city and the postal code behind them; some may overlap."""
    rule = rules.by_id.get(RULE)
    if rule is None:
        return
    at = 0
    # Addresses of both forms may overlap; who merges spans keeps the first.
    for number in _NUMBERS.finditer(text):
        if number.start() >= at and (found := _NUMBER_FIRST.match(text, number.start())) is not None:
            at = found.end()
            yield Span(*found.span(), rule.entity, rule.subtype, rule.id, SCORE)
    for start, end in _of_properties(text):
        yield Span(start, end, rule.entity, rule.subtype, rule.id, SCORE)
    others = [_NUMBER_LAST] if _AFTER_NAME.search(text) or _LOWER.search(text) else []
    others += [] if text.isascii() or not _BLOCKS.search(text) else [_BLOCK]
    for pattern in others:
        for found in pattern.finditer(text):
            yield Span(*found.span(), rule.entity, rule.subtype, rule.id, SCORE)


def _of_properties(text: str) -> Iterator[tuple[int, int]]:
    """Where the streets of vCards and of LDIF are."""
    for found in _OF_PROPERTY.finditer(text) if any(name in text for name in _PROPERTIES) else ():
        if found["street"]:
            yield found.span("street")
        else:
            start = found.start("parts")
            yield from ((start + part.start(), start + part.end()) for part in _PART.finditer(found["parts"]))
