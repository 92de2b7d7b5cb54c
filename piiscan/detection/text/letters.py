r"""Who is greeted at the beginning of a letter, and who signs it: "Dear Ann Berg," and "Kind regards,\\nAnn Berg".

Of a name in no list, its place says that it is one: a line of its own below a closing phrase, or two words and a comma
behind a greeting. Teams and offices sign letters, too: such a name is likely, and sure where its first word is a known
given name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.announced_persons import LIKELY_SCORE, is_known, is_surely_given, lists_of, may_be_name
from piiscan.detection.text.span import NAMED, Span
from piiscan.detection.text.token_features import In
from piiscan.rules.definitions import RuleSet

_CLOSING: Final = """
    regards sincerely yours truly faithfully grüße grüßen grüsse grüssen gruß cordialement salutations distinguées
    saludo saludos saluti groet groeten groetjes hilsen hälsningar abraço abraços pozdrawiam pozdravem atentamente
    atenciosamente cumprimentos üdvözlettel tisztelettel terveisin ystävällisin saygılarımla úctou poważaniem wyrazami
    poštovanjem spoštovanjem pagarbiai cieņu lugupidamisega stimă
""".split()
"""Words at the end of a closing phrase."""
_GREETINGS: Final = """
    Dear Hello Hi Hallo Liebe Lieber Cher Chère Bonjour Estimado Estimada Gentile Caro Cara Beste Prezado Prezada Olá
    Hej Hei Kære
""".split()
MAY: Final = rf"\n|^(?:{'|'.join(_GREETINGS)}) [A-Z]"
"""What a text has that may hold one."""
_ENTITY, _RULE = NAMED["PER"]
_SCORE: Final = 0.95
_CAPITAL: Final = r"[A-ZÀ-ÖØ-ÞĄĆČĎĘĚŁŃŇŘŚŠŤŮŹŻŽİŞĞ][^\W\d_]+(?:['’-][^\W\d_]+)*"
_FULL: Final = (
    rf"(?P<name>{_CAPITAL}(?: [A-Z]\.)?(?: (?:van|von|de|der|den|di|da|la|le|ter)){{0,2}} {_CAPITAL}(?: {_CAPITAL})?)"
)
_SIGNED: Final = lazy_pattern(
    rf"(?:^|[.!?\n][ ]?)[^\n.]{{0,40}}\b(?i:{'|'.join(_CLOSING)})"
    r"(?: aus [^\W\d_]+)?[ ]?[,.!:]?[ \t]*(?:\r?\n[ \t]*){1,3}"
    rf"{_FULL}[ \t]*(?=[\r\n,]|\Z)"
)
_GREETED: Final = lazy_pattern(rf"\s*(?:{'|'.join(_GREETINGS)}) {_FULL}[ ]?[,:!]")
_OTHER: Final = (
    In.TITLE | In.JOB | In.TIME | In.COUNTRY | In.FUNCTION | In.PEOPLE | In.COMMON | In.ORGANISATION | In.CITY
)


def _may_be_signed(text: str) -> bool:
    """Whether a text of several lines has a word of a closing phrase, which is found faster than the phrase."""
    return "\n" in text and any(word in text.lower() for word in _CLOSING)


def names_in_letters(text: str, rules: RuleSet) -> Iterator[Span]:
    """The full names of those who are greeted, and who sign."""
    rule = rules.by_id.get(_RULE)
    if rule is None:
        return
    for found in (*(_SIGNED.finditer(text) if _may_be_signed(text) else ()), _GREETED.match(text)):
        if found is not None:
            words = found["name"].split()
            if may_be_name(found["name"]) and not any(lists_of(word) & _OTHER and not is_known(word) for word in words):
                score = _SCORE if is_surely_given(words[0]) else LIKELY_SCORE
                yield Span(found.start("name"), found.end("name"), _ENTITY, None, rule.id, score)
