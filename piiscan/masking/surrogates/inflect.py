"""Surnames that a woman bears in another form: rules per language, for the languages in which Faker has surnames.

A rule is an ending and what takes its place; the first that fits is used, and a name that none fits has one form.
Sources: the languages' grammars (Polish: Rada Języka Polskiego; Czech: zákon č. 301/2000 Sb., § 69; Russian: Зализняк,
Грамматический словарь).
"""

from __future__ import annotations

_RUSSIAN = (
    ("ский", "ская"),
    ("цкий", "цкая"),
    ("ой", "ая"),
    ("ый", "ая"),
    ("ий", "ая"),
    ("ов", "ова"),
    ("ев", "ева"),
    ("ёв", "ёва"),
    ("ин", "ина"),
    ("ын", "ына"),
)
_CZECH = (
    ("ský", "ská"),
    ("cký", "cká"),
    ("ý", "á"),
    ("í", "í"),
    ("ů", "ů"),
    ("ček", "čková"),
    ("šek", "šková"),
    ("ek", "ková"),
    ("dlec", "dlecová"),
    ("Švec", "Švecová"),
    ("ec", "cová"),
    ("něk", "ňková"),
    ("ěk", "ková"),
    ("a", "ová"),
    ("o", "ová"),
    ("e", "eová"),
    ("", "ová"),
)
_RULES: dict[str, tuple[tuple[str, str], ...]] = {
    "pl": (("ski", "ska"), ("cki", "cka"), ("dzki", "dzka")),
    "cs": _CZECH,
    "sk": _CZECH,
    "ru": _RUSSIAN,
    "uk": (
        ("ський", "ська"),
        ("цький", "цька"),
        ("зький", "зька"),
        ("ий", "а"),
        ("ов", "ова"),
        ("ев", "ева"),
        ("єв", "єва"),
        ("їв", "єва"),
        ("ін", "іна"),
        ("їн", "їна"),
    ),
    "bg": (("ски", "ска"), ("шки", "шка"), ("чки", "чка"), ("ов", "ова"), ("ев", "ева"), ("ин", "ина")),
    "mk": (("ски", "ска"), ("шки", "шка"), ("чки", "чка"), ("ов", "ова"), ("ев", "ева"), ("ин", "ина")),
    "lv": (("iņš", "iņa"), ("is", "e"), ("us", "us"), ("s", "a"), ("š", "a")),
    "is": (("son", "dóttir"),),
    "az": (("yev", "yeva"), ("ov", "ova"), ("oğlu", "qızı")),
    "uz": (("yev", "yeva"), ("ev", "eva"), ("ov", "ova")),
}
_FEMALE_ENDINGS = {
    "pl": ("ska", "cka"),
    "cs": ("ová", "ská", "cká", "á"),
    "sk": ("ová", "ská", "cká", "á"),
    "ru": ("ова", "ева", "ёва", "ина", "ына", "ская", "цкая", "ая"),
    "uk": ("ська", "цька", "зька", "ова", "ева", "єва"),
    "bg": ("ова", "ева", "ска", "шка"),
    "mk": ("ова", "ева", "ска", "шка"),
    "is": ("dóttir",),
    "az": ("ova", "yeva", "qızı"),
    "uz": ("ova", "eva"),
    "el": ("ίδου", "οπούλου", "άκη", "έλη"),
}
_MALE_ENDINGS = {
    "pl": ("ski", "cki"),
    "cs": ("ský", "cký", "ý"),
    "sk": ("ský", "cký", "ý"),
    "ru": ("ов", "ев", "ёв", "ин", "ын", "ский", "цкий", "ой", "ый", "ий"),
    "uk": ("ський", "цький", "зький", "ий", "ов", "ев", "єв"),
    "bg": ("ов", "ев", "ски", "шки"),
    "mk": ("ов", "ев", "ски", "шки"),
    "is": ("son",),
    "az": ("ov", "yev", "oğlu"),
    "uz": ("ov", "ev"),
    "el": ("ίδης", "όπουλος", "άκης", "έλης", "ος", "ας", "ης"),
}


def female(surname: str, language: str) -> str:
    """The form that a woman of that name bears.

    >>> ([female(n, "pl") for n in ("Kowalski", "Nowak")],
    ...  [female(n, "cs") for n in ("Novák", "Černý", "Němec", "Svoboda")], female("Толстой", "ru"))
    (['Kowalska', 'Nowak'], ['Nováková', 'Černá', 'Němcová', 'Svobodová'], 'Толстая')
    """
    for ending, other in _RULES.get(language, ()):
        if surname.endswith(ending):
            return surname[: len(surname) - len(ending)] + other
    return surname


def gender(surname: str, language: str) -> str | None:
    """Gives "f" or "m" where the surname's form tells it, else None.

    >>> gender("Kowalska", "pl"), gender("Nowak", "pl"), gender("Иванов", "ru")
    ('f', None, 'm')
    """
    if surname.endswith(_FEMALE_ENDINGS.get(language, ())):
        return "f"
    return "m" if surname.endswith(_MALE_ENDINGS.get(language, ())) else None


def pairs(male: list[str], women: list[str], language: str) -> dict[str, str]:
    """Male form → female form: one of `women` where it fits, else by rule.

    For a language without rules, only those that fit.

    >>> pairs(["Παππάς", "Νέος"], ["Παππά"], "el")
    {'Παππάς': 'Παππά'}
    """
    known = set(women)
    out: dict[str, str] = {}
    for name in male:
        form = female(name, language)
        if form not in known and language == "el":
            found = [f for f in (name[:-1], name[:-2] + "ου", _moved(name[:-2]) + "ου") if f in known]
            if not found:
                continue
            form = found[0]
        out[name] = form
    return out


def _moved(stem: str) -> str:
    """Greek: the accent one syllable on, as in Παπαδόπουλος, Παπαδοπούλου."""
    plain = dict(zip("άέήίόύώ", "αεηιουω", strict=True))
    bare = "".join(plain.get(c, c) for c in stem)
    at = max((i for i, c in enumerate(bare) if c in "αεηιουω"), default=-1)
    return bare if at < 0 else bare[:at] + dict(zip(plain.values(), plain, strict=True))[bare[at]] + bare[at + 1 :]
