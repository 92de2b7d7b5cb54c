"""Persons whom something right before them announces: "Sohn Peter", "Frau Dr. Weber", "Hej Lars,", the time of a chat.

A label that begins a line does too: "Account holder: ANN LEE". The recogniser weighs a word by its capital letter,
which says little in German, and by what is around it, of which a greeting has nothing. Words for relatives and
greetings announce given names alone, as the recogniser's lists know them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from piiscan.core.apart import Apart
from piiscan.core.caches import of_words
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.key_value_pairs import pairs
from piiscan.detection.text.lists_of_names import in_list
from piiscan.detection.text.payments import may_be_of_payment, of_payments
from piiscan.detection.text.persons_in_minutes import in_minutes
from piiscan.detection.text.span import NAMED, Span
from piiscan.detection.text.token_features import In, crc, folded

SCORE: Final = 0.95
"""As high as what a form of address names in other scripts."""
_PLACED_SCORE: Final = 0.96
"""That of names where a notation has names and nothing else: whatever the recogniser takes them for."""
LIKELY_SCORE: Final = 0.85
"""That of a full name behind a key that things have too: alone it says little."""
_ENTITY, _RULE = NAMED["PER"]
_CAPITAL: Final = r"[A-ZÀ-ÖØ-ÞĄĆČĎĘĚŁŃŇŘŚŠŤŮŹŻŽİŞĞ][^\W\d_]+(?:-[A-ZÀ-Þ][^\W\d_]+)?"
_RELATIVES: Final = """
    Sohn Tochter Ehefrau Ehemann Mutter Vater Bruder Schwester Oma Opa Enkel Enkelin Onkel Tante Lebensgefährte
    Lebensgefährtin Partnerin Kollege Kollegin son daughter wife husband mother father brother sister grandson
    granddaughter uncle aunt niece nephew spouse fiancé fiancée fils fille femme mari mère père frère soeur sœur épouse
    époux hijo hija esposa esposo marido mujer madre padre hermano hermana figlio figlia moglie marito fratello sorella
    zoon dochter vrouw echtgenote echtgenoot moeder vader broer zus filho filha mãe pai irmão irmã syn córka żona mąż
    brat siostra dotter fru mor far bror syster sønn datter kone mann poikansa tyttärensä vaimonsa
    miehensä oğlu kızı eşi
""".split()
_GREETINGS: Final = """
    Hallo Liebe Lieber Gruß Grüße Hi Hello Dear Regards Sincerely Bonjour Salut Cher Chère Cordialement Ciao Caro Cara
    Hola Querido Querida Saludos Hej Hei Beste Hoi Groeten Olá Oi Cześć Ahoj Szia Merhaba Selam
""".split()
_TITLES: Final = r"""
    Herrn? Frau Hr\. Fr\. Mr\.? Mrs\.? Ms\.? Mme Mlle Mevr\.? Dhr\.? Sra?\. Sig\.(?:ra|na)? Dott\.(?:ssa)? Pani
    Rechtsanwalt Rechtsanwältin Staatsanwältin Richterin Maître Avv\. Avvocat[oa]
    Panem Panią Panu Sayın [Hh]eer [Mm]evrouw [Mm]eneer [Mm]ijnheer Monsieur Madame Mademoiselle [Ss]eñora?
    [Ss]ignora? [Ss]enhora?
""".split()
_GERMAN: Final = re.compile(r"H(?:er)?rn?\b|Frau|Fr\.|Rechts|Staats|Richterin")
_FIRST_OF_TITLE: Final = "|".join((*(title.partition(r"\.")[0] for title in _TITLES), "Dr", "Prof"))
"""The letters up to the first mark of a title."""
_OFFICIALS: Final = frozenset(
    """
    Voorzitter Burgemeester Wethouder Minister Directeur Maire Directrice Tussauds Oetker Martens Pepper Who Strange
    Hauschka Scholl Watson Google
    """.split()
)
"""Whom titles address by an office, a house of wax, and makes and figures."""
_DEGREES: Final = r"(?:(?:Prof|Dr|Dipl|Ing|med)\.?(?:-[A-Z][a-z]+\.)? )*"
_PARTICLES: Final = "(?:(?:von|van|de|der|den|di|du|la|zu|ter|ten) ){0,2}"


def _either_case(words: Iterable[str]) -> list[str]:
    return [f"[{word[0].upper()}{word[0].lower()}]{word[1:]}" for word in words]


_OF_GIVEN: Final = "|".join((*_either_case(_RELATIVES), *_GREETINGS))
_GIVEN_BEHIND: Final = lazy_pattern(
    rf"(?<![^\W_])(?:(?:{'|'.join(_either_case(_RELATIVES))})(?: (?:of|von|de|di|van|do|da))?"
    rf"|(?:{'|'.join(_GREETINGS)})(?:,\s?)?)\s"
    rf"(?P<name>(?P<first>{_CAPITAL})(?: (?P<last>{_PARTICLES}{_CAPITAL}))?)(?!')"
)
_DOCTOR: Final = (
    r"(?:(?:\A|[\r\n,:;(][ \t]{0,9}|(?<![^\W_])(?!the )[a-zà-öø-ÿ]{1,14} )(?:Prof|Dr)\.? "
    r"(?:(?:Dr|med|phil|jur|iur|rer|nat|habil|dent|vet|oec|pol|h|c)\. ?){0,5})"
)
"""A title that isn't the end of a street's name: "Elm Dr"."""
_BEHIND_TITLE: Final = lazy_pattern(
    rf"(?P<title>(?<![^\W_])(?:{'|'.join(_TITLES)}) {_DEGREES}|{_DOCTOR})"
    rf"(?P<name>(?:[A-Z]\.[ -]?){{0,3}}{_PARTICLES}(?P<first>{_CAPITAL})(?: (?P<last>{_CAPITAL}))?)"
)
_TIME: Final = (
    r"^[ \t]{0,4}\[?(?:(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{4}[년年] ?\d{1,2}[월月] ?\d{1,2}[일日])[,.]?[ T]{1,2})?"
    r"(?:오전 |오후 |上午 ?|下午 ?)?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp]\.?[Mm]\.?)?\]?"
)
_SPEAKER: Final = lazy_pattern(
    _TIME + rf"(?:[ ,]{{0,2}}(?:[-–] )?|\t)<?(?P<name>(?P<first>{_CAPITAL})(?: (?P<last>{_PARTICLES}{_CAPITAL}))?"
    r"|[\u3005\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,6})(?:>|(?: ?[:：]|\t)(?=[ \t]|[^\W\d]))",
    re.MULTILINE,
)
"""Who says something in a chat, behind when."""
_SENT: Final = lazy_pattern(
    rf"^(?P<name>{_CAPITAL}(?: {_PARTICLES}{_CAPITAL}){{1,2}}), "
    r"\[\d{1,2}\.\d{1,2}\.\d{2,4} \d{1,2}:\d\d(?::\d\d)?\]$",
    re.MULTILINE,
)
"""Who says something in a chat, before when, as Telegram exports it."""
NO_SPEAKERS: Final = frozenset(
    "系统 系統 系统消息 システム 시스템 管理员 管理員 客服 客户 客戶 顾客 店员 알림 공지 Server Main Info".split()
)
_LABELLED: Final = lazy_pattern(
    r"^[\"'# \t]{0,4}(?P<label>[^\W\d_][^\r\n:;,=\t|]{2,40}?)[\"' \t]{0,3}(?:[:=][ \t]{0,3}[;,\t]?|[;,\t])[\"' \t]{0,9}"
    r"(?P<name>[^\W\d_][^\W\d_]*\.?(?:[ '’-][^\W\d_]+\.?){1,4})(?=[\"' \t]{0,9}(?:[;,(\r\n\t]|\Z))",
    re.MULTILINE,
)
"""What a form, or the lines above a table, say behind a label."""
_WORDS: Final = r"[^\W\d_][^\W\d_]*\.?(?:[ '’-][^\W\d_]+\.?){0,3}"
_PART_OF_NAME: Final = lazy_pattern(
    rf"^[\"'# \t]{{0,4}}(?P<label>[^\W\d_][^\r\n:;,=\t|]{{2,40}}?)[\"' \t]{{0,3}}[:=][\"' \t]{{0,9}}(?P<name>{_WORDS})"
    r"(?=[\"' \t]{0,9},?(?:[\r\n]|\Z))",
    re.MULTILINE,
)
"""A first or a last name behind its label, which needs no list to be one."""
_MEMBER: Final = lazy_pattern(
    r"[;|,&?{(\[<][ \t]?[\"':]?(?P<label>[^\W\d_](?:[^\W_]|[ ._-](?=[^\W_])){2,40})[\"']?[ ]?(?:=>|->|[:=])[ ]?"
    rf"(?P<mark>[\"']?)(?P<name>{_WORDS})(?P=mark)(?=[ ]?(?:[;|,&)}}\]\r\n>]|\Z))"
)
"""A member of an object as programs print it: `Row(id=3, customer='Ann Lee')`, `"customer"=>"Ann Lee"`."""
_SHORT: Final = 3
_DISPLAYED: Final = lazy_pattern(
    rf"(?P<name>(?P<initials>(?:{_CAPITAL[: _CAPITAL.index(']') + 1]}\.[ -]?){{1,3}})?"
    rf"{_CAPITAL}(?:,? {_CAPITAL}){{0,3}})"
    r"[\"']?[ ]?<(?P<box>[^\s<>@]{1,64})@(?P<host>[\w.-]{3,99})>"
)
"""Who is named before an address of mail: `"A. Berg" <ann@mail.org>`."""
_CAPITALS: Final = r"[A-ZÀ-ÖØ-ÞĄĆČĎĘĚŁŃŇŘŚŠŤŮŹŻŽİŞĞ]{2}[A-ZÀ-ÖØ-ÞĄĆČĎĘĚŁŃŇŘŚŠŤŮŹŻŽİŞĞ'’-]{1,29}"
_FAMILY_FIRST: Final = lazy_pattern(
    rf"(?<![\w'’&.-])(?:[A-Z]{{2}} )?(?P<last>{_CAPITALS}(?: {_CAPITALS}){{0,2}}), (?P<first>{_CAPITAL})(?![\w'’-])"
)
"""As lists of persons are written: `KERNWEILER, Anna`."""
_CARD: Final = lazy_pattern(
    rf"^(?:[\w-]{{1,20}}\.)?(?:N(?:;[^:\r\n]{{0,99}})?:(?P<family>{_WORDS})?;(?P<given>{_WORDS})?(?:;[^\r\n]*)?"
    rf"|(?:(?:FN|RELATED|X-SPOUSE|X-MANAGER|X-ASSISTANT)(?:;[^:\r\n]{{0,99}})?:|(?:sn|cn|displayName|gecos): )"
    rf"(?P<name>{_WORDS}))[ \t]{{0,9}}$",
    re.MULTILINE,
)
"""A name in an address book (vCard) or a directory (LDIF)."""
_OFFICES: Final = frozenset(
    "info noreply reply newsletter admin hello kontakt contact support mailer team office".split()
)
_PARTS: Final = frozenset(("first-name", "last-name"))
"""Rules whose headers name parts of names, and nothing else's."""
_SURELY: Final = "person-name"
_OF_NAMES: Final = frozenset((_SURELY, "person-role"))
"""Rules whose headers name persons."""
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_BEFORE_GIVEN, _BEFORE_NAME, _OF_PAYMENT = 1, 2, 4
"""What a word in a text may announce."""
ANY_NAME: Final = "name"
"""The rule whose headers name anything that has a name."""
_MAY_SPEAK: Final = re.compile(r"\d:\d\d")
_SURE: Final = 0.8
_GIVEN: Final = In.GIVEN | In.RARE_GIVEN
_FAMILY: Final = In.FAMILY | In.RARE_FAMILY
_NO_NAME: Final = In.TITLE | In.JOB | In.TIME | In.COUNTRY | In.FUNCTION | In.PEOPLE


def with_announced(text: str, found: Sequence[Span]) -> list[Span]:
    """What the recogniser finds in a text, with the persons so named.

    Where it finds a person there it decides how far the name goes, and where it surely finds something else that stays.
    """
    out = [span for span in found if not _is_label(text, span)]
    says = _words_announce(text)
    for span in _announced(text, says):
        out = _with(out, span)
    out = _with_family_first(text, out)
    payments: Iterable[tuple[int, int]] = of_payments(text, lists_of) if says & _OF_PAYMENT else ()
    for place in (*payments, *in_list(text, lists_of)):
        span = Span(*place, _ENTITY, None, _RULE, SCORE)
        out = [other for other in out if other.start >= span.end or span.start >= other.end] + [span]
    return sorted(out, key=lambda span: span.start)


def _with(found: list[Span], span: Span) -> list[Span]:
    """What is found in a text, with a person who is announced, or surer of one who is found there."""
    here = [i for i, other in enumerate(found) if other.start < span.end and span.start < other.end]
    persons = [i for i in here if found[i].entity == span.entity]
    if persons and span.score <= SCORE:
        for i in persons:
            found[i] = replace(found[i], score=max(found[i].score, span.score))
        return found
    if span.score <= SCORE and any(found[i].score >= _SURE for i in here):
        return found
    return [other for i, other in enumerate(found) if i not in here] + [span]


def _is_label(text: str, span: Span) -> bool:
    """Whether what looks like a name is the name of a field: a word in small letters, in headers known to the rules."""
    word = text[span.start : span.end]
    if span.entity != _ENTITY or not word.islower() or text[span.end : span.end + 1] not in (":", "="):
        return False
    from piiscan.rules import rule_sets

    return word in rule_sets.shipped().rules.words_of_headers


def _words_announce(text: str) -> int:
    """What the words of a text may announce."""
    says = 0
    for word in set(_LETTERS.findall(text)):
        says |= _announces(word)
    return says


@of_words(1 << 14)
def _announces(word: str) -> int:
    """What a word, the letters between others, may announce; the patterns are tried on texts with such words alone."""
    given = _BEFORE_GIVEN if re.fullmatch(_OF_GIVEN, word) else 0
    name = _BEFORE_NAME if re.fullmatch(_FIRST_OF_TITLE, word) else 0
    return given | name | (_OF_PAYMENT if may_be_of_payment(word) else 0)


def _announced(text: str, says: int) -> Iterator[Span]:
    """`says`: what its words may announce."""
    for found in _GIVEN_BEHIND.finditer(text) if says & _BEFORE_GIVEN else ():
        if lists_of(found["first"]) & _GIVEN:
            yield _span(
                found, bool(lists_of(found["last"].split()[-1]) & (_FAMILY | _GIVEN)) if found["last"] else False
            )
    for found in _SPEAKER.finditer(text) if _MAY_SPEAK.search(text[:60]) is not None or "\n" in text else ():
        if found["name"] in NO_SPEAKERS:
            continue
        if found["first"] is None:
            yield Span(*found.span("name"), _ENTITY, None, _RULE, SCORE)
        elif lists_of(found["first"]) & _GIVEN and not lists_of(found["first"]) & _NO_NAME:
            yield _span(found, found["last"] is not None)
    for found in _SENT.finditer(text) if ", [" in text else ():
        yield Span(*found.span("name"), _ENTITY, None, _RULE, _PLACED_SCORE)
    yield from _labelled(text)
    yield from _displayed(text)
    for found in _BEHIND_TITLE.finditer(text) if says & _BEFORE_NAME else ():
        if found["first"] in _OFFICIALS:
            continue
        if not lists_of(found["first"]) & _NO_NAME or lists_of(found["first"]) & _FAMILY:
            yield _span(found, bool(found["last"]) and _goes_on(found))


def _goes_on(found: re.Match[str]) -> bool:
    """Whether the second word behind a title is of the name: nouns have a capital in German."""
    known = lists_of(found["last"])
    if known & (_FAMILY | _GIVEN):
        return True
    return not known and not lists_of(found["first"]) & _FAMILY and _GERMAN.match(found["title"]) is None


def _displayed(text: str) -> Iterator[Span]:
    """Names that stand before an address of mail, which has initials, or the family name in it, but not in its host."""
    for found in _DISPLAYED.finditer(text) if "<" in text and "@" in text else ():
        end, name, has_initials = found.end("name"), found["name"], bool(found["initials"])
        while name.count(" ") > 1 and not may_be_name(name.replace(",", "")):  # "10:00 AM Ann Lee <ann@mail.org> wrote"
            name, has_initials = name.split(" ", 1)[1], False
        start = end - len(name)
        last = re.split("[ ,]+", name)[0 if "," in name else -1]
        box = folded(found["box"])
        if not may_be_name(name.replace(",", "")) or lists_of(last) & (In.COMMON | In.ORGANISATION | In.JOB):
            continue
        if has_initials or (len(last) > _SHORT and folded(last) in box and folded(last) not in found["host"].lower()):
            yield Span(start, end, _ENTITY, None, _RULE, SCORE)
        elif _may_be_persons(name) and not _of_many(box) and not _is_in_host(name, found["host"]):
            score = _PLACED_SCORE if _is_in_box(name, box) else LIKELY_SCORE
            yield Span(start, end, _ENTITY, None, _RULE, score)


def _with_family_first(text: str, found: list[Span]) -> list[Span]:
    """What is found, where family names in capitals, which are nothing else that is known, stand before persons."""
    persons = {s.start for s in found if s.entity == _ENTITY} if ", " in text else set()
    others = _NO_NAME | In.COMMON | In.ORGANISATION | In.CITY
    begins: dict[int, int] = {}
    for match in _FAMILY_FIRST.finditer(text) if persons else ():
        words = match["last"].split()
        if match.start("first") not in persons or (len(words[0]) <= _SHORT and not is_family(words[0])):
            continue
        if not any(lists_of(word) & others and not is_family(word) for word in words):
            begins[match.start("first")] = match.start("last")
    if not begins:
        return found
    taken = Apart((begin, start) for start, begin in begins.items())
    return [
        replace(s, start=begins[s.start]) if s.entity == _ENTITY and s.start in begins else s
        for s in found
        if not taken.meets(s.start, s.end)
    ]


def _is_in_host(name: str, host: str) -> bool:
    return any(len(word) > _SHORT and folded(word) in host.lower() for word in re.split("[ ,]+", name))


def _is_in_box(name: str, box: str) -> bool:
    """Whether a box of mail is a person's initials, or begins with the first name."""
    words = [folded(word) for word in re.split("[ ,]+", name)]
    initials = "".join(word[0] for word in words)
    given = words[-1] if "," in name else words[0]
    return box in (initials, initials[1:] + initials[0]) or re.split(r"[\W\d_]", box)[0] == given


def _may_be_persons(text: str) -> bool:
    """Whether two words and more may be a person's full name, of which none is known as anything else."""
    words = re.split("[ ,]+", text)
    other = _NO_NAME | In.COMMON | In.ORGANISATION | In.CITY
    return len(words) > 1 and not any(lists_of(word) & other and not is_known(word) for word in words)


def _of_many(box: str) -> bool:
    """Whether a box of mail is that of an office: `info`, `no-reply`."""
    return any(
        word in _OFFICES or (len(word) > _SHORT and lists_of(word) & (In.COMMON | In.JOB) and not is_known(word))
        for word in re.split("[^a-z]+", box)
    )


def _behind_keys(text: str) -> Iterator[Span]:
    for named, start, end in pairs(text, _may_be_named_by):
        if named & _OF_NAMES:
            if _is_name(text[start:end], named):
                yield Span(start, end, _ENTITY, None, _RULE, SCORE)
        elif is_full_name(text[start:end]):
            yield Span(start, end, _ENTITY, None, _RULE, LIKELY_SCORE)


def _labelled(text: str) -> Iterator[Span]:
    is_told = any(mark in text for mark in (":", "=", "->"))
    for found in _LABELLED.finditer(text) if is_told or any(mark in text for mark in ";,\t") else ():
        named = _named_by(found["label"])
        if _is_name(found["name"], named):
            yield Span(*found.span("name"), _ENTITY, None, _RULE, SCORE)
        elif named and is_told and _may_be_persons(found["name"]) and may_be_name(found["name"]):
            yield Span(*found.span("name"), _ENTITY, None, _RULE, LIKELY_SCORE)
    yield from _behind_keys(text)
    for place in in_minutes(text, lists_of):
        yield Span(*place, _ENTITY, None, _RULE, _PLACED_SCORE)
    if not is_told:
        return
    for found in _MEMBER.finditer(text):
        if _is_name(found["name"], _named_by(found["label"])):
            yield Span(*found.span("name"), _ENTITY, None, _RULE, SCORE)
    yield from _placed(text)


def _placed(text: str) -> Iterator[Span]:
    """Names, or parts of them, where nothing else may be: behind labels of parts, in address books and directories."""
    for found in _PART_OF_NAME.finditer(text):
        if _parts_named_by(found["label"]) and may_be_name(found["name"]):
            yield Span(*found.span("name"), _ENTITY, None, _RULE, _PLACED_SCORE)
    for found in _CARD.finditer(text):
        for group in ("family", "given", "name"):
            if found[group] and may_be_name(found[group]):
                yield Span(*found.span(group), _ENTITY, None, _RULE, _PLACED_SCORE)


@of_words(1 << 12)
def _named_by(label: str) -> frozenset[str]:
    """The rules for names of persons that have a label among their headers."""
    from piiscan.rules import rule_sets

    return rule_sets.shipped().rules.named(label) & _OF_NAMES


@of_words(1 << 12)
def _may_be_named_by(label: str) -> frozenset[str]:
    """The rules for names of persons, and of anything, that have a label among their headers."""
    from piiscan.rules import rule_sets

    return rule_sets.shipped().rules.named(label) & (_OF_NAMES | {ANY_NAME})


@of_words(1 << 12)
def _parts_named_by(label: str) -> frozenset[str]:
    """The rules for parts of names that have a label among their headers."""
    from piiscan.rules import rule_sets

    return rule_sets.shipped().rules.named(label) & _PARTS


@of_words(1 << 12)
def _heads(text: str) -> bool:
    """Whether a text names a kind of values itself."""
    from piiscan.rules import rule_sets

    return bool(rule_sets.shipped().rules.named(text))


def may_be_name(text: str) -> bool:
    """Whether words behind a label of names, all of them with a capital, are known as nothing else.

    Labels in other languages are, as files of translations have them.
    """
    if _heads(text):
        return False
    words = [word.strip(".'’") for word in re.split("[ -]", text)]
    lists = [lists_of(word) for word in words]
    others = [bool(found & (In.ORGANISATION | In.COMMON)) and not found & (_GIVEN | _FAMILY) for found in lists]
    return not any(others) and not any(word[:1].islower() and len(word) > 3 for word in words)


def _is_name(text: str, named: frozenset[str]) -> bool:
    """Whether words are a name behind a label that rules have `named`, some of which name firms as well ("client").

    They begin with capitals, where their script has some, and one of them at least is known as a name.
    """
    words = [word.strip(".'’") for word in re.split("[ -]", text)]
    if not named or not all(not word[:1].islower() or len(word) < 4 for word in words):
        return False
    lists = [lists_of(word) for word in words]
    if any(found & In.ORGANISATION or (found & In.COMMON and not found & (_GIVEN | _FAMILY)) for found in lists):
        return False
    whole = any(found & In.RARE_GIVEN for found in lists) and any(found & In.FAMILY for found in lists)
    known = _GIVEN | _FAMILY if _SURELY in named or whole else In.GIVEN
    return any(found & known and not found & _NO_NAME for found in lists)


def is_full_name(text: str) -> bool:
    """Whether words are a person's behind a label that things have too: a given name, and no words of firms and things.

    They are in small letters throughout only where the family name is known, too.
    """
    words = text.split()
    if len(words) < 2 or not is_surely_given(words[0]):
        return False
    if any(lists_of(word) & (In.JOB | In.ORGANISATION | In.COMMON) and not is_known(word) for word in words):
        return False
    return all(word[0].isupper() for word in words) or (text.islower() and is_family(words[-1]))


def is_surely_given(word: str) -> bool:
    """Whether a word is known as a common given name, or as a given name and nothing else."""
    found = lists_of(word)
    return bool(found & In.GIVEN) or bool(found & _GIVEN and not found & (_NO_NAME | In.COMMON))


def is_surely_family(word: str) -> bool:
    """Whether a word is known as a common family name, or as a family name and nothing else."""
    found = lists_of(word)
    return bool(found & In.FAMILY) or bool(found & _FAMILY and not found & (_NO_NAME | In.COMMON))


def _span(found: re.Match[str], both: bool) -> Span:
    return Span(found.start("name"), found.end("name" if both else "first"), _ENTITY, None, _RULE, SCORE)


def is_given(word: str) -> bool:
    """Whether the recogniser's lists know a word as a given name."""
    return bool(lists_of(word) & _GIVEN)


def is_family(word: str) -> bool:
    """Whether the recogniser's lists know a word as a family name."""
    return bool(lists_of(word) & _FAMILY)


def is_known(word: str) -> bool:
    """Whether the recogniser's lists know a word as a name."""
    return is_given(word) or is_family(word)


@of_words(1 << 13)
def lists_of(word: str) -> int:
    """The recogniser's lists that a word is in."""
    import numpy as np

    from piiscan.detection.text.text_model import shipped

    return int(shipped().lists_of(np.array([crc(folded(word))], dtype=np.uint32))[0])
