"""Names to fill into sentences: of persons and places out of lists, of organisations known ones and made-up ones of the
forms that are usual in a language."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import text_lists

from piiscan.detection.text.token_features import folded

FORMS = {
    "en": """
        {family} Inc|{family} Ltd|{family} LLC|{family} Corp|{family} Group|{family} Holding|{family} & Co|{family} Partners|{family} Consulting|{family} & Sons
        {family} Bank|{family} Motors|{family} Airlines|{family} Plumbing|{family} Pharmacy|{family} Auto Repair|{family} Capital Management|{family} Insurance|{family} Foods
        {family} & {family} LLP|{family} & {family}|{family} and {family}|{family}-{family}|{family}, {family} and {family}|{family}, {family} & {family}
        {family} and Sons|{family} PLC|{family} Institute|{family} Foundation|{family} Brothers|{coined}|{coined}|{coined}|{coined}|{coined} Inc|{coined} Ltd
        {coined} {kind}|{coined} {kind}|{coined} {kind}|{short}|{short}|{short}|{short} {kind}|{family} {kind}|{family} {kind}|{image} {kind}|{image} {kind}|{image} {kind} Inc|{image} {image} {kind}
        University of {place}|{place} University|{place} Community College|{place} High School|Bank of {place}|{place} City Council|{place} Police Department|{place} Fire Department
        {place} Hospital|St. {given} Hospital|{place} General Hospital|FC {place}|{place} FC|{place} United|{place} Rovers|{place} Times|{place} Herald|{place} Airport Authority
        Department of {field}|Ministry of {field}|National Institute of {field}|Society for {field}|{place} Department of {field}|Royal {field} Society|American {field} Association
        International {field} Association|{place} Chamber of Commerce|{place} Symphony Orchestra|{place} District Court|Federal {field} Agency|{field} Workers Union
        First National Bank of {place}|The {family} Group|The {image} Company|{place} Medical Center|{place} School of {field}|{place} {field} Center|{family} Law Firm
    """,
    "de": """
        {family} GmbH|{family} AG|{family} KG|{family} GmbH & Co. KG|{family} Gruppe|{family} Holding|{family} Versicherung|{family} & Söhne|{family} & {family}|Bäckerei {family}
        Autohaus {family}|Kanzlei {family}|{family}-Stiftung|{coined}|{coined}|{coined} AG|{coined} GmbH|{short}|{short}|{short}|{short} AG|Universität {place}|Uni {place}|TU {place}|Hochschule {place}
        Universitätsklinikum {place}|Klinikum {place}|Stadtwerke {place}|Sparkasse {place}|Volksbank {place}|Amtsgericht {place}|Landgericht {place}|Polizei {place}
        Gymnasium {place}|Stadt {place}|Landkreis {place}|1. FC {place}|FC {place}|SV {place}|TSV {place}|VfL {place}|SC {place}|Eintracht {place}|Bundesamt für {field}
        Ministerium für {field}|Institut für {field}|Verband für {field}|Landesamt für {field}|Bundesverband {field}|Gesellschaft für {field}|Akademie für {field}
        {place}er Zeitung|{place}er Tageblatt|{place}er Landtag|{family} Verlag|Verlag {family}
    """,
    "fr": """
        {family} SA|{family} SARL|Groupe {family}|Société {family}|{family} & Fils|{family} et Associés|Éditions {family}|{coined}|{coined}|{coined} France|{short}|{short}|{short}
        Université de {place}|Université {place}|Lycée {person}|Hôpital de {place}|CHU de {place}|AS {place}|FC {place}|Olympique de {place}|Stade de {place}|Banque de {place}|Mairie de {place}
        Ministère de la {field}|Institut de {field}|Agence nationale de {field}|Fédération française de {field}|Tribunal de {place}|Conseil régional de {place}|Cour d'appel de {place}
        Théâtre de {place}|Musée de {place}|Orchestre de {place}
    """,
    "nl": """
        {family} B.V.|{family} BV|{family} N.V.|{family} Groep|{family} & Zonen|{family} Beheer|{coined}|{coined}|{coined} BV|{short}|{short}|{short}|Universiteit van {place}|Hogeschool {place}
        Gemeente {place}|Provincie {place}|Ministerie van {field}|Stichting {field}|Instituut voor {field}|Vereniging voor {field}|Rechtbank {place}|Ziekenhuis {place}|FC {place}|SC {place}|VV {place}
        Politie {place}|Uitgeverij {family}|Koninklijke {family}
    """,
    "pt": """
        {family} Ltda|{family} S.A.|{family} S/A|Grupo {family}|{family} Comércio Ltda|{family} & Filhos|{coined}|{coined}|{coined} Brasil|{short}|{short}|{short}|Banco {family}|Banco {coined}
        Universidade de {place}|Universidade Federal de {place}|Faculdade de {field}|Hospital de {place}|Prefeitura de {place}|Câmara Municipal de {place}|Tribunal de Justiça de {place}
        Ministério da {field}|Ministério de {field}|Secretaria de {field}|Secretaria de Estado de {field}|Instituto Nacional de {field}|Agência Nacional de {field}|Conselho Federal de {field}
        Procuradoria-Geral de {place}|Delegacia de {place}|Escola {person}|{field} Futebol Clube|{place} Futebol Clube|Associação de {field}|Sindicato de {field}
        EMPRESA {FAMILY} LTDA|{FAMILY} COMÉRCIO LTDA|BANCO {FAMILY} S.A.
    """,
    "es": """
        {family} S.A.|{family} S.L.|Grupo {family}|{family} e Hijos|{coined}|{coined}|{short}|{short}|Universidad de {place}|Hospital de {place}|Ayuntamiento de {place}|Ministerio de {field}
        Instituto de {field}|Banco de {place}|Tribunal de {place}|Colegio de {field}|Real {place}|Club Deportivo {place}|Fundación {family}
    """,
    "it": """
        {family} S.p.A.|{family} S.r.l.|Gruppo {family}|Fratelli {family}|{coined}|{coined}|{short}|{short}|Università di {place}|Ospedale di {place}|Comune di {place}|Ministero della {field}
        Istituto di {field}|Banca di {place}|Tribunale di {place}|AS {place}|Fondazione {family}
    """,
}
FIELDS = {
    "en": "Health|Education|Justice|Finance|Transport|Agriculture|Defense|Energy|Labor|Trade|Statistics|Technology|Physics|Mathematics|Linguistics|Medical|Chemical|Housing|Tourism|Culture",
    "de": "Gesundheit|Verkehr|Bildung|Justiz|Finanzen|Umwelt|Statistik|Wirtschaft|Landwirtschaft|Arbeit|Forschung|Informatik|Geschichte|Physik|Migration|Sicherheit|Kultur|Energie",
    "fr": "santé|justice|recherche|culture|défense|football|natation|physique|sécurité|musique|linguistique|statistique",
    "nl": "Justitie|Financiën|Onderwijs|Volksgezondheid|Defensie|Cultuur|Landbouw|Geschiedenis|Statistiek|Natuur",
    "pt": "Saúde|Educação|Fazenda|Justiça|Defesa|Cultura|Agricultura|Transportes|Direito|Medicina|Economia|Engenharia|Segurança "
    "Pública|Assistência Social|Trabalho|Estatística",
    "es": "Justicia|Sanidad|Educación|Hacienda|Cultura|Defensa|Interior|Economía|Abogados|Estadística",
    "it": "Giustizia|Salute|Difesa|Cultura|Economia|Fisica|Statistica|Sanità",
}
KINDS = (
    "Solutions|Systems|Services|Technologies|Technology|Consulting|Capital|Industries|Enterprises|Logistics|Software|Labs|Media|Energy|Health|Foods|Partners|Group|Holdings|Networks|"
    "Studios|Records|Security|Analytics|Financial|Realty|Properties|Construction|Engineering|Design|Marketing|Pharmaceuticals|Therapeutics|Entertainment|Travel|Airways|Insurance|Institute|Mutual"
).split("|")
IMAGES = "Blue|Green|Red|Silver|Golden|Black|White|Bright|Summit|River|Mountain|Ocean|Harbor|Lake|Oak|Cedar|Maple|Eagle|Falcon|Lion|Fox|Pacific|Atlantic|Northern|Southern|Western|Central|Global|National|United|First|Premier|Pioneer|Alpha|Delta|Omega|Apex|Vertex|Horizon|Phoenix|Liberty|Patriot|Heritage|Sunrise|Crystal|Diamond|Iron|Stone|Star|Royal|Clear|Open|Smart|Quick|Safe|True|Next|Urban|Metro".split(
    "|"
)
_STEMS = "Nova|Tele|Data|Bio|Geo|Medi|Agri|Inno|Eco|Trans|Micro|Net|Cyber|Terra|Luma|Opti|Veri|Sola|Hydro|Info|Aero|Compu|Digi|Quanti|Vita|Pharma|Fin|Edu|Robo|Inter|Pro|Syn|Omni|Uni|Zen|Kali|Axi|Velo|Tri|Altu|Cogni|Insi|Mobi|Play|Click|Cloud|Work|Home|Trade|Health|Sky".split(
    "|"
)
_ENDS = "tech|soft|ware|net|com|lab|labs|gen|med|tron|ix|ia|on|base|works|link|point|bridge|stream|logic|path|flow|ris|xis|nta|va|zon|co|rex|dyne|mark|line|max|plus|ly|ify|hub|spot|wise|grid|nex|era|ora|cor|tis|via|que|sys|quest|force".split(
    "|"
)


def coined(r: random.Random) -> str:
    """A word like those that companies call themselves by."""
    stem, end = r.choice(_STEMS), r.choice(_ENDS)
    return stem + (end.capitalize() if r.random() < 0.15 else end)


def short(r: random.Random) -> str:
    """An abbreviation of capitals."""
    letters = "".join(r.choice("AABCCDDEEFGHIIKLLMMNNOPPRRSSTTUVWX") for _ in range(r.choice((2, 3, 3, 3, 4, 4, 5))))
    return f"{letters[0]}&{letters[1]}" if len(letters) == 2 and r.random() < 0.2 else letters


def made_up(language: str, slots: dict[str, Callable[[], str]], r: random.Random) -> str:
    """A name of a form of a language, or of English; `slots` fill in persons and places."""
    language = language if language in FORMS and r.random() < 0.85 else "en"
    form = r.choice([f.strip() for line in FORMS[language].strip().splitlines() for f in line.split("|")])
    fill: dict[str, Callable[[], str]] = {
        **slots,
        "FAMILY": lambda: slots["family"]().upper(),
        "coined": lambda: coined(r),
        "short": lambda: short(r),
        "kind": lambda: r.choice(KINDS),
        "image": lambda: r.choice(IMAGES),
        "field": lambda: r.choice(FIELDS[language].split("|")),
    }
    return "".join(fill[part]() if i % 2 else part for i, part in enumerate(form.replace("}", "{").split("{")))


SCRIPT_OF = {"ru": "Cyrillic", "uk": "Cyrillic", "bg": "Cyrillic", "el": "Greek", "he": "Hebrew", "ar": "Arabic"}


class OfScript:
    """Names and places in a script."""

    def __init__(self, folder: Path, fits: Callable[[str], bool]) -> None:
        self.given = _groups(text_lists.given_by_country(folder, fits), text_lists.faker_names("first_name", fits=fits))
        self.family = _groups(
            text_lists.family_by_country(folder, fits), text_lists.faker_names("last_name", fits=fits)
        )
        self.places = [name for name, _ in text_lists.cities(fits)]


def _groups(*found: dict[str, list[str]]) -> list[list[str]]:
    return [group for each in found for group in each.values() if group]


_ENDINGS = (
    ("ова", ("овой", "ову")), ("ева", ("евой", "еву")), ("ина", ("иной", "ину")), ("ская", ("ской", "скую")),
    ("ский", ("ского", "скому", "ским")), ("ов", ("ова", "ову", "овым")), ("ев", ("ева", "еву", "евым")),
    ("ин", ("ина", "ину", "иным")), ("а", ("ы", "е", "ой", "у")), ("я", ("и", "е", "ей", "ю")),
    ("й", ("я", "ю", "ем")), ("ь", ("я", "ю", "ем")), ("", ("а", "у", "ом")),
)  # fmt: skip


def declined(name: str, r: random.Random) -> str:
    """A Russian or Ukrainian name in one of its cases, roughly."""
    if r.random() < 0.2 or name[-1] in "оеіуиєюэы":
        return name
    end, others = next((end, others) for end, others in _ENDINGS if name.endswith(end))
    return name[: len(name) - len(end)] + r.choice(others)


class Names:
    """Names to fill in, drawn by country so that every country counts."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.given = [*text_lists.given_by_country(folder).values(), *text_lists.faker_names("first_name").values()]
        self.family = [*text_lists.family_by_country(folder).values(), *text_lists.faker_names("last_name").values()]
        self.given += [[n for sex in ("female", "male") for n in text_lists.census(folder / f"dist.{sex}.first")]] * 12
        self.family += [text_lists.census(folder / "dist.all.last")[:20_000]] * 16
        cities = text_lists.cities()
        self.places = [
            [c for c, people in cities if people > 500_000],
            [c for c, _ in cities],
            [v.title() for v in text_lists.values("countries.txt") if len(v) > 3],
        ]
        self.organisations = text_lists.known()
        self.jobs = text_lists.occupations()
        self.common = text_lists.common_words()
        self.of_scripts = {name: OfScript(folder, text_lists.of_script(name)) for name in text_lists.SCRIPTS}

    def one(self, groups: list[list[str]]) -> str:
        return self.random.choice(self.random.choice(groups))

    def a_given(self) -> str:
        return self.one(self.given)

    def a_family(self) -> str:
        name = self.one(self.family)
        if self.random.random() < 0.04:
            name = (
                self.random.choice(
                    (
                        "van ",
                        "de ",
                        "von ",
                        "van der ",
                        "Van ",
                        "De ",
                        "da ",
                        "dos ",
                        "di ",
                        "El ",
                        "Al-",
                        "bin ",
                        "Mc",
                        "O'",
                    )
                )
                + name
            )
        return name

    def a_person(self) -> str:
        given, family, draw = self.a_given(), self.a_family(), self.random.random()
        if draw < 0.62:
            return f"{given} {family}"
        if draw < 0.72:
            return f"{given} {self.random.choice('ABCDEFGHJKLMNPRSTW')}. {family}"
        if draw < 0.78:
            return f"{given} {self.a_given()} {family}"
        if draw < 0.82:
            return f"{given[0]}. {family}"
        if draw < 0.87:
            return (
                f"{given} {family}-{self.a_family()}"
                if self.random.random() < 0.4
                else f"{given} {family} {self.a_family()}"
            )
        if draw < 0.90:
            return f"{given}-{self.a_given()} {family}"
        return given

    def a_place(self) -> str:
        return self.one(self.places)

    def in_script(self, language: str, part: str) -> str | None:
        """A person, a given or family name, or a place in the script of a language; None for those in Latin letters.

        A part that ends in "~" is in any of its cases.
        """
        if language not in SCRIPT_OF:
            return None
        of, r, kind = self.of_scripts[SCRIPT_OF[language]], self.random, part.removesuffix("~")
        if kind == "place":
            return r.choice(of.places)
        given, family = self.one(of.given), self.one(of.family)
        words = {"given": [given], "family": [family]}.get(kind, [given, family])
        if kind == "person" and r.random() < 0.15:
            words = [given] if r.random() < 0.5 else [family, given]
        return " ".join(declined(w, r) if part.endswith("~") else w for w in words)

    def an_organisation(self, language: str = "en") -> str:
        """A known one, or one that no list has."""
        if self.random.random() < 0.3:
            return self.random.choice(self.organisations)
        slots = {
            "family": lambda: self.one(self.family),
            "given": self.a_given,
            "person": self.a_person,
            "place": self.a_place,
        }
        return made_up(language, slots, self.random)

    def a_word(self, language: str) -> str:
        return self.random.choice(self.common[language if language in self.common else "en"])

    def a_number(self) -> str:
        return str(self.random.randrange(10 ** self.random.randrange(2, 10)))

    def a_date(self) -> str:
        d, m, y = self.random.randrange(1, 29), self.random.randrange(1, 13), self.random.randrange(1950, 2027)
        return self.random.choice((f"{d:02}.{m:02}.{y}", f"{m}/{d}/{y}", f"{y}-{m:02}-{d:02}", f"{d}/{m}/{y}"))

    def a_phone(self) -> str:
        digits = "".join(self.random.choice("0123456789") for _ in range(10))
        return self.random.choice(
            (
                f"{digits[:3]}-{digits[3:6]}-{digits[6:]}",
                f"+49 {digits[:3]} {digits[3:]}",
                f"({digits[:3]}) {digits[3:6]}-{digits[6:]}",
                f"0{digits}",
            )
        )

    def a_mail(self) -> str:
        return f"{folded(self.a_given())}.{folded(self.one(self.family))}@example.com".replace(" ", "")
