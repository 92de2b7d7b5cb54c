"""Names of people and how to reach them: e-mail addresses, accounts, telephones, pages, and notes in which they
stand."""

from __future__ import annotations

import string

import generate_samples as s
import generate_words as w
from generate_group import Group, Human, Values
from generate_locales import SURNAME_FIRST, romanised


def _join_name(group: Group) -> Values:
    rng, language = group.rng, group.language
    form = rng.choices(range(12), (48, 13, 4, 7, 6, 6, 4, 3, 8, 3, 5, 3))[0]
    if group.place.own_language in SURNAME_FIRST and not group.latin and form < 5:
        glue = (
            ""
            if language in ("ja", "zh", "ko") and rng.random() < 0.75
            else rng.choice((" ", " ", "\u3000"))
            if language == "ja"
            else " "
        )
        return [f"{p.last}{glue}{p.first}" for p in group.humans]
    spanish = language in ("es", "pt") and rng.random() < 0.6
    prefixes = {
        "de": ("Herr", "Frau"),
        "fr": ("M.", "Mme"),
        "es": ("Sr.", "Sra."),
        "it": ("Sig.", "Sig.ra"),
        "pl": ("Pan", "Pani"),
        "nl": ("Dhr.", "Mevr."),
        "pt": ("Sr.", "Sra."),
        "cs": ("Pan", "Paní"),
        "hr": ("Gosp.", "Gđa"),
        "ro": ("Dl.", "Dna."),
        "ru": ("г-н", "г-жа"),
        "uk": ("пан", "пані"),
        "el": ("κ.", "κα"),
        "tr": ("Sayın", "Sayın"),
        "ar": ("السيد", "السيدة"),
        "fa": ("آقای", "خانم"),
        "he": ("מר", "גב'"),
        "hi": ("श्री", "श्रीमती"),
        "id": ("Bapak", "Ibu"),
        "ms": ("Encik", "Puan"),
        "vi": ("Ông", "Bà"),
    }
    if language == "th" and rng.random() < 0.5:
        return [f"{'นาย' if p.male else rng.choice(('นาง', 'นางสาว'))}{p.first} {p.last}" for p in group.humans]
    out = []
    for p in group.humans:
        last = f"{p.last} {p.second_last}" if spanish else p.last
        match form:
            case 1:
                name = f"{last}, {p.first}"
            case 2:
                name = f"{last} {p.first}"
            case 3:
                name = f"{p.first} {p.middle[0]}. {last}" if rng.random() < 0.7 else f"{p.first} {last}"
            case 4:
                name = f"{p.first} {p.middle} {last}"
            case 5:
                male, female = prefixes.get(language, ("Mr.", "Ms."))
                name = f"{rng.choice((male if p.male else female, male if p.male else female, 'Dr.'))} {p.first} {last}"
            case 6:
                name = f"{p.first[0]}. {last}"
            case 9:
                name = f"{last.upper()} {p.first}"
            case 7:
                name = f"{last}, {p.first} {p.middle[0]}"
            case 10:
                name = (
                    f"{last} {p.first[0]}.{p.middle[0]}." if language in ("ru", "uk", "bg") else f"{last} {p.first[0]}."
                )
            case 11:
                name = f"{last}, {p.first[0]}. {p.middle[0]}."
            case _:
                name = f"{p.first} {last}"
        if form == 8 and rng.random() < 0.06:
            name += rng.choice((" Jr.", " III", ", PhD", " MD", ", MD"))
        out.append(name)
    return out


def full_name(g: Group) -> Values:
    if g.about == "fiction" and g.rng.random() < 0.5:
        return g.some(w.HEROES)
    names = _kana(g) if g.language == "ja" and g.rng.random() < 0.25 else _join_name(g)
    if g.rng.random() < 0.06:
        names = g.some(names[: g.rng.choice((1, 2, 3, 5, 8))])  # a doctor, a teacher, who is in charge
    return [n.upper() for n in names] if g.rng.random() < 0.06 else names


def _kana(g: Group) -> Values:
    """The readings of Japanese names, in either kana, with a space or without."""
    last_names, first_names = (tuple(text.split()) for text in (w.KANA_LAST, w.KANA_FIRST))
    glue, hiragana = g.rng.choice((" ", " ", "\u3000", "")), g.rng.random() < 0.35
    names = [f"{g.rng.choice(last_names)}{glue}{g.rng.choice(first_names)}" for _ in range(g.size)]
    return [_hiragana(n) for n in names] if hiragana else names


def _hiragana(katakana: str) -> str:
    return "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in katakana)


def people_lists(g: Group) -> Values:
    """Several people in a cell: authors, writers, hosts."""
    glue = g.rng.choice((", ", "; ", " and ", " & ", "|"))
    other = Group(g.rng, g.place, g.size, "person", others=g.others)
    short = g.rng.random() < 0.4
    some = [
        [f"{p.last} {p.first[0]}" if short else f"{p.first} {p.last}" for p in h]
        for h in (g.humans, other.humans, other.humans[::-1])
    ]
    return [glue.join(list(names)[: g.rng.choice((1, 2, 2, 3))]) for names in zip(*some, strict=True)]


def first(g: Group) -> Values:
    if g.language == "ja" and g.rng.random() < 0.2:
        return _readings(g, w.KANA_FIRST)
    return [p.first for p in g.humans]


def _readings(g: Group, names: str) -> Values:
    hiragana = g.rng.random() < 0.35
    found = g.some(names.split())
    return [_hiragana(n) for n in found] if hiragana else found


def middle(g: Group) -> Values:
    kind = g.rng.random()
    if kind < 0.4:
        return [p.middle[:1] + ("." if kind < 0.15 else "") for p in g.humans]
    return [p.middle for p in g.humans]


def last(g: Group) -> Values:
    if g.language == "ja" and g.rng.random() < 0.2:
        return _readings(g, w.KANA_LAST)
    double = g.language in ("es", "pt") and g.rng.random() < 0.5
    return [f"{p.last} {p.second_last}" if double else p.last for p in g.humans]


def maiden(g: Group) -> Values:
    return [p.second_last for p in g.humans]


def _handle(g: Group, p: Human) -> str:
    rng = g.rng
    first_, last_ = ("".join(c for c in romanised(x).lower() if c.isascii() and c.isalnum()) for x in (p.first, p.last))
    if not first_ or not last_:
        roman = g.place.roman_names or (("alex", "kim", "sam"), ("lee", "chan", "ito"))
        first_, last_ = (rng.choice(x).lower().replace("-", "").replace(" ", "") for x in roman)
    number = rng.choice(
        ("", "", str(rng.randint(1, 99)), str(p.born.year), str(p.born.year % 100), str(rng.randint(100, 9999)))
    )
    form = rng.randrange(8)
    return (
        f"{first_}.{last_}",
        f"{first_[0]}{last_}{number}",
        f"{first_}{last_}{number}",
        f"{first_}_{last_}",
        f"{last_}.{first_}",
        f"{first_}{number or '1'}",
        f"{first_[0]}.{last_}",
        f"{last_}{first_[0]}{number}",
    )[form]


def _domain(name: str) -> str:
    text = "".join(c for c in romanised(name).lower().split(",")[0].split(" ")[0] if c.isascii() and c.isalnum())
    return text or "office"


def email(g: Group) -> Values:
    rng, place = g.rng, g.place
    tld = {"US": "com", "GB": "co.uk", "JP": "co.jp", "AU": "com.au", "BR": "com.br"}.get(
        place.country, place.country.lower()
    )
    if g.about != "person":
        local = rng.choice(("info", "contact", "sales", "office", "")) or None
        return [
            f"{local or rng.choice(('info', 'hello', 'kontakt', 'support', 'admin'))}@{_domain(n)}.{rng.choice((tld, 'com', 'org'))}"
            for n in g.names
        ]
    domains = w.MAIL_DOMAINS[""] + w.MAIL_DOMAINS.get(place.language, []) * 2
    if rng.random() < 0.25:
        domains = [f"{_domain(rng.choice(place.companies))}.{tld}"]
    elif rng.random() < 0.4:
        domains = domains + [f"{_domain(c)}.{rng.choice((tld, 'com', 'net', 'org'))}" for c in place.companies[:40]]
    upper = rng.random() < 0.04
    out = [f"{_handle(g, p)}@{rng.choice(domains)}" for p in g.humans]
    return [v.upper() for v in out] if upper else out


def username(g: Group) -> Values:
    rng = g.rng
    at = "@" if rng.random() < 0.12 else ""
    words = "star cool night dragon red pixel sky gamer lucky the real tiger moon happy blue coder ninja".split()
    playful = rng.random() < 0.4
    short = rng.random() < 0.25
    out = []
    for p in g.humans:
        name = _handle(g, p)
        if playful and rng.random() < 0.6:
            name = rng.choice(
                (
                    f"{rng.choice(words)}_{rng.choice(words)}{rng.randint(1, 999)}",
                    f"{rng.choice(words)}{name[:6]}",
                    f"{rng.choice(words).title()}{rng.choice(words).title()}{rng.randint(1, 99)}",
                )
            )
        out.append(at + (name.replace(".", "")[:8] if short else name))
    return out


def password(g: Group) -> Values:
    rng = g.rng
    kind = rng.randrange(6)
    letters = string.ascii_letters + string.digits
    if kind == 0:
        return s.samples(rng, "password-hash", g.size)
    if kind == 1:
        return (
            g.each(lambda: rng.randbytes(rng.choice((16, 16, 20, 32))).hex())
            if rng.random() < 0.5
            else [rng.randbytes(32).hex() for _ in range(g.size)]
        )
    if kind == 2:
        return g.each(lambda: "".join(rng.choices(letters + "!@#$%&*?-_", k=rng.randint(8, 14))))
    if kind == 3:
        return g.some(
            [
                "123456",
                "password",
                "qwerty",
                "letmein",
                "welcome1",
                "iloveyou",
                "admin123",
                "Passw0rd!",
                "abc123",
                "dragon",
                "monkey12",
                "sunshine",
            ]
        )
    if kind == 4:
        return g.each(lambda: str(rng.randint(1000, 9999))) if rng.random() < 0.4 else ["********"] * g.size
    return [f"{p.first.title() if p.first.isascii() else 'Secret'}{rng.choice('!@#*_')}{p.born.year}" for p in g.humans]


def phone(g: Group) -> Values:
    rng, place = g.rng, g.place
    style = rng.randrange(7)
    codes = {
        "US": "1",
        "CA": "1",
        "GB": "44",
        "DE": "49",
        "FR": "33",
        "ES": "34",
        "IT": "39",
        "PT": "351",
        "BR": "55",
        "NL": "31",
        "BE": "32",
        "PL": "48",
        "SE": "46",
        "NO": "47",
        "DK": "45",
        "FI": "358",
        "CZ": "420",
        "RO": "40",
        "HU": "36",
        "TR": "90",
        "RU": "7",
        "UA": "380",
        "GR": "30",
        "JP": "81",
        "CN": "86",
        "KR": "82",
        "IN": "91",
        "AU": "61",
        "MX": "52",
        "CH": "41",
        "AT": "43",
        "IL": "972",
        "SA": "966",
        "EG": "20",
        "AR": "54",
    }
    rules = [r.id for r in s.rules_of("PHONE_NUMBER", place.country)]
    if style < 2 and place.phones:
        return g.some(place.phones)
    if style == 2 and rules:
        return s.samples(rng, rng.choice(rules), g.size)
    if style == 3:
        form = rng.choice(
            (
                "({a}) {b}-{c}",
                "{a}-{b}-{c}",
                "{a}.{b}.{c}",
                "+1 {a} {b} {c}",
                "+1-{a}-{b}-{c}",
                "{a} {b} {c}",
                "1-{a}-{b}-{c}",
                "{a}{b}{c}",
                "({a}){b}-{c}",
                "+1 ({a}) {b}-{c}",
            )
        )
        end = rng.random() < 0.12
        return g.each(
            lambda: (
                form.format(a=rng.randint(201, 989), b=rng.randint(200, 999), c=f"{rng.randint(0, 9999):04}")
                + (f" x{rng.randint(1, 9999)}" if end and rng.random() < 0.6 else "")
            )
        )
    code = codes.get(place.country, str(rng.choice((1, 44, 49, 33, 91))))
    width = rng.choice((8, 9, 9, 10))
    if style == 4:
        plus = rng.choice(("+", "", "00", "+"))
        return g.each(lambda: f"{plus}{code}{rng.randint(10 ** (width - 1), 10**width - 1)}")
    if style == 5:
        zero = rng.choice(("0", "0", ""))
        return g.each(lambda: f"{zero}{rng.randint(10 ** (width - 1), 10**width - 1)}")
    cut, glue = rng.randint(2, 3), rng.choice((" ", "-", "/", " "))
    return g.each(
        lambda: (
            f"+{code} "
            f"{(d := str(rng.randint(10 ** (width - 1), 10**width - 1)))[:cut]}{glue}{d[cut:6]}{' ' if glue == ' ' else ''}{d[6:]}"
        )
    )


def person_url(g: Group) -> Values:
    form = g.rng.choice(
        (
            "https://www.linkedin.com/in/{}",
            "https://twitter.com/{}",
            "http://{}.example.com",
            "https://www.facebook.com/{}",
            "https://en.wikipedia.org/wiki/{}",
            "https://example.org/users/{}",
            "www.{}.net",
            "https://github.com/{}",
        )
    )
    return [form.format(_handle(g, p)) for p in g.humans]


def url(g: Group) -> Values:
    rng = g.rng
    names = g.names if g.about in ("org", "place") else g.some(g.place.companies)
    tld = g.place.country.lower()
    form = rng.choice(
        (
            "https://www.{n}.{t}",
            "http://{n}.com",
            "www.{n}.{t}",
            "{n}.{t}",
            "https://{n}.com/{k}",
            "https://shop.example.com/p/{k}",
            "https://img.example.net/{k}.jpg",
            "https://www.{n}.org/{k}/index.html",
            "/{k}",
        )
    )
    return [form.format(n=_domain(n), t=tld, k=rng.randint(100, 99999)) for n in names]


def note(g: Group) -> Values:
    """Sentences about people, with names in some of them."""
    rng, humans = g.rng, g.humans
    templates = [t.strip() for t in w.NOTES.get(g.language, w.NOTES["en"]).split("|")]
    filler = list(g.place.sentences) if g.language not in w.NOTES else []
    if rng.random() < 0.4:
        templates = rng.sample(templates, min(len(templates), 5))
    phones = phone(g)
    handles = [_handle(g, p) for p in humans]
    streets = g.place.streets
    most = rng.choice((1, 1, 2, 4))
    out = []
    for i in range(g.size):
        p = humans[i]
        parts = [
            rng.choice(filler)
            if filler and rng.random() < 0.6
            else rng.choice(templates).format(
                n=rng.randint(1000, 99999),
                d=f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.",
                p=f"{p.first} {p.last}",
                f=p.first,
                l=p.last,
                t=phones[i],
                m=f"{handles[i]}@example.com",
                a=rng.choice(streets),
                u=handles[i],
            )
            for _ in range(rng.randint(1, most))
        ]
        out.append(" ".join(parts))
    return out


def org_name(g: Group) -> Values:
    return g.names
