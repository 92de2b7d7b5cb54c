"""What people are: births and ages, gender, origin, faith, schooling, work, pay, health."""

from __future__ import annotations

import datetime as dt

import generate_words as w
from generate_group import Group, Human, Values

EPOCH = dt.date(1970, 1, 1)
DATE_FORMS = {
    "en": (
        "%Y-%m-%d",
        "%Y-%m-%d",
        "%m/%d/%Y",
        "%d/%m/%Y",
        "%d-%b-%Y",
        "%B %d, %Y",
        "%m/%d/%y",
        "%Y%m%d",
        "%Y-%m-%d 00:00:00",
        "%d %b %Y",
        "%Y/%m/%d",
        "%-m/%-d/%Y",
        "%Y-%m-%dT00:00:00Z",
        "%d-%m-%Y",
    ),
    "de": ("%d.%m.%Y", "%d.%m.%Y", "%Y-%m-%d", "%d.%m.%y", "%d.%m.%Y 00:00"),
    "fr": ("%d/%m/%Y", "%Y-%m-%d", "%d/%m/%y"),
    "ja": ("%Y/%m/%d", "%Y年%m月%d日", "%Y-%m-%d"),
    "zh": ("%Y-%m-%d", "%Y年%m月%d日", "%Y/%m/%d", "%Y%m%d"),
    "ko": ("%Y-%m-%d", "%Y.%m.%d", "%Y년 %m월 %d일"),
    "nl": ("%d-%m-%Y", "%Y-%m-%d"),
    "ru": ("%d.%m.%Y", "%Y-%m-%d"),
    "hu": ("%Y.%m.%d.", "%Y-%m-%d"),
    "sv": ("%Y-%m-%d",),
}


def date_form(g: Group) -> str:
    language = {
        "es": "fr",
        "it": "fr",
        "pt": "fr",
        "el": "fr",
        "pl": "nl",
        "cs": "de",
        "fi": "de",
        "no": "de",
        "da": "nl",
        "tr": "de",
        "uk": "ru",
        "ro": "de",
        "bg": "ru",
        "hr": "de",
    }.get(g.language, g.language)
    return g.rng.choice(DATE_FORMS["en" if g.rng.random() < 0.25 else language if language in DATE_FORMS else "en"])


def write_date(day: dt.date, form: str) -> str:
    return day.strftime(form)


def birth(g: Group) -> Values:
    kind = g.rng.random()
    days = [p.born for p in g.humans]
    if kind < 0.03:
        return [str((d - EPOCH).days) for d in days]
    if kind < 0.05:
        return [str((d - EPOCH).days * 86400) for d in days]
    if kind < 0.07:
        return [str((d - dt.date(1899, 12, 30)).days) for d in days]
    form = date_form(g)
    return [d.strftime(form) for d in days]


def birth_year(g: Group) -> Values:
    return [str(p.born.year) for p in g.humans]


def _age(p: Human, year: int) -> int:
    return max(0, (dt.date(year, 6, 30) - p.born).days * 4 // 1461)


def age(g: Group) -> Values:
    kind = g.rng.random()
    ages = [_age(p, g.year) for p in g.humans]
    if kind < 0.1:
        return [f"{a}.0" for a in ages]
    if kind < 0.13:
        return [f"{a + g.rng.random():.1f}" for a in ages]
    if kind < 0.15:
        return [str(-(a * 365)) for a in ages]
    return [f"{a} years" for a in ages] if kind < 0.16 else [str(a) for a in ages]


def age_band(g: Group) -> Values:
    rng = g.rng
    forms = ("{}-{}", "{}-{}", "{} - {}", "{} to {}", "[{},{})", "{}–{}", "{}_{}")
    form, width = rng.choice(forms), rng.choice((5, 10, 10, 15, 20))
    if rng.random() < 0.12:
        words = rng.choice(
            (
                ("child", "adult", "senior"),
                ("Under 18", "18-34", "35-54", "55+"),
                ("young", "middle-aged", "old"),
                ("Adult", "Child", "Infant"),
                ("1", "2", "3", "4"),
                ("U10", "U14", "U18", "Senior"),
            )
        )
        return [words[min(len(words) - 1, _age(p, g.year) * len(words) // 90)] for p in g.humans]
    top = rng.choice((65, 70, 80, 90, 200))
    start = rng.choice((0, 0, 5, 8)) if width == 10 else 0
    out = []
    for p in g.humans:
        a = _age(p, g.year)
        low = max((a - start) // width * width + start, 0)
        out.append(f"{top}+" if low >= top else form.format(low, low + width - 1))
    return out


def _coded(g: Group, lists: dict[str, list[list[str]]]) -> Values:
    rng = g.rng
    choices = w.pick(lists, g.language) if rng.random() < 0.7 else lists["en"]
    return g.skewed(rng.choice(choices))


def gender(g: Group) -> Values:
    rng = g.rng
    choices = w.pick(w.GENDER, g.language) if rng.random() < 0.7 else w.GENDER["en"]
    codes = rng.choice(choices)
    out = [codes[0] if p.male else codes[1] for p in g.humans]
    return [rng.choice(codes[2:]) if len(codes) > 2 and rng.random() < 0.03 else v for v in out]


def marital(g: Group) -> Values:
    return _coded(g, w.MARITAL)


def education(g: Group) -> Values:
    return _coded(g, w.EDUCATION)


def ethnicity(g: Group) -> Values:
    return _coded(g, w.ETHNICITY)


def religion(g: Group) -> Values:
    return _coded(g, w.RELIGION)


def sexuality(g: Group) -> Values:
    return _coded(g, w.SEXUALITY)


def language(g: Group) -> Values:
    return _coded(g, w.LANGUAGES)


def nationality(g: Group) -> Values:
    return _coded(g, w.NATIONALITY)


def occupation(g: Group) -> Values:
    rng = g.rng
    kind = rng.random()
    if kind < 0.12:
        return g.skewed(w.JOB_CODES)
    if kind < 0.24:
        return g.skewed(w.OFFICES)
    if kind < 0.4 or g.latin:
        return g.skewed(w.JOBS)
    few = rng.random() < 0.5
    return g.skewed(rng.sample(g.place.jobs, min(len(g.place.jobs), 12)) if few else g.place.jobs)


def employer(g: Group) -> Values:
    return (
        g.skewed(g.rng.sample(g.companies, min(len(g.companies), g.rng.choice((5, 20, 60)))))
        if g.rng.random() < 0.5
        else g.some(g.companies)
    )


def school(g: Group) -> Values:
    rng = g.rng
    forms = w.SCHOOL_FORMS.get(g.language, w.SCHOOL_FORMS["en"]).split(";")
    names = [
        rng.choice(forms).format(c=c.name, l=rng.choice(g.place.last_male))
        for c in rng.choices(g.place.cities, k=min(g.size, 15))
    ]
    return g.skewed(names)


def party(g: Group) -> Values:
    return g.skewed(w.PARTIES)


def team(g: Group) -> Values:
    rng = g.rng
    return g.skewed(
        [rng.choice(w.TEAM_FORMS).format(c=c.name) for c in rng.choices(g.place.cities, k=min(20, g.size + 3))]
    )


def income(g: Group) -> Values:
    rng = g.rng
    monthly = rng.random() < 0.3
    middle_, step = (
        (rng.choice((1800, 3200, 5000, 25000)), rng.choice((1, 10, 50)))
        if monthly
        else (rng.choice((32000, 52000, 75000, 420000)), rng.choice((1, 100, 500, 1000)))
    )
    values = [round(middle_ * rng.lognormvariate(0, 0.35) / step) * step for _ in range(g.size)]
    kind = rng.randrange(12)
    sign = {"en": "$", "de": "€", "ja": "¥", "zh": "¥"}.get(g.language, "€")
    if kind == 0:
        return [f"{sign}{v:,}" for v in values]
    if kind == 1:
        return [f"{v:,}".replace(",", ".") + " €" for v in values]
    if kind == 2 and not monthly:
        return [f"{v / 1000:.0f}k" for v in values]
    if kind == 3:
        return [f"{v}.{rng.randint(0, 99):02}" for v in values]
    if kind == 4:
        return [f"{v:,}.00" for v in values]
    if kind == 5:
        return [f"{v / 100:.2f}" if monthly else f"{v / 2000:.2f}" for v in values]
    return [f"{v}.0" for v in values] if kind == 6 else [str(v) for v in values]


def income_band(g: Group) -> Values:
    rng = g.rng
    lists = (
        "Low;Medium;High",
        "<=50K;>50K",
        "$0-25k;$25k-50k;$50k-75k;$75k-100k;$100k+",
        "Below Rs.10000;10001 to 25000;25001 to 50000;More than 50000;No Income",
        "$0 - $24,999;$25,000 - $49,999;$50,000 - $99,999;$100,000 - $149,999;$150,000+",
        "1;2;3;4;5",
        "Less than $40K;$40K - $60K;$60K - $80K;$80K - $120K;$120K +",
        "< 1.000 €;1.000 - 2.000 €;2.000 - 3.500 €;> 3.500 €",
        "low;lower-middle;upper-middle;high",
        "A;B;C;D;E",
    )
    return g.skewed(rng.choice(lists).split(";"))


def diagnosis(g: Group) -> Values:
    return _coded(g, w.DIAGNOSES)


def icd(g: Group) -> Values:
    out = g.skewed(w.ICD)
    return [v.replace(".", "") for v in out] if g.rng.random() < 0.2 else out


def blood(g: Group) -> Values:
    return g.skewed(w.BLOOD)
