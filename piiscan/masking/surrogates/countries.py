"""The countries of `LOCALES` by their codes and names: English, their own, and those of large languages beside them."""

from __future__ import annotations

from functools import cache

from piiscan.core.header_words import fold

_NAMES = """
SA SAU|Saudi Arabia|KSA|Kingdom of Saudi Arabia|Arabie saoudite|Saudi-Arabien|Arabia Saudita|السعودية|
    المملكة العربية السعودية
AZ AZE|Azerbaijan|Azərbaycan|Aserbaidschan|Azerbaïdjan
BG BGR|Bulgaria|България|Bulgarien|Bulgarie
CZ CZE|Czechia|Czech Republic|Česko|Česká republika|Tschechien|Tchéquie|Chequia|República Checa
DK DNK|Denmark|Danmark|Dänemark|Danemark|Dinamarca|Danimarca
AT AUT|Austria|Österreich|Autriche
CH CHE|Switzerland|Schweiz|Suisse|Svizzera|Suiza|Suíça
DE DEU|GER|Germany|Deutschland|Allemagne|Alemania|Alemanha|Germania|Duitsland|Niemcy|Německo|Tyskland|Германия
GR GRC|Greece|Ελλάδα|Ellada|Griechenland|Grèce|Grecia
GB GBR|UK|United Kingdom|Great Britain|England|Scotland|Wales|Northern Ireland|Großbritannien|Vereinigtes Königreich|
    Royaume-Uni|Reino Unido|Regno Unito
IE IRL|Ireland|Éire|Irland|Irlande|Irlanda
IN IND|India|Bharat|Indien|Inde
NZ NZL|New Zealand|Aotearoa|Neuseeland|Nouvelle-Zélande|Nueva Zelanda
US USA|United States|United States of America|U.S.|U.S.A.|America|Vereinigte Staaten|États-Unis|Estados Unidos|
    Stati Uniti|EE. UU.|США
AR ARG|Argentina|Argentinien|Argentine
CL CHL|Chile|Chili
CO COL|Colombia|Kolumbien|Colombie
ES ESP|Spain|España|Spanien|Espagne|Espanha|Spagna|Spanje|Hiszpania|Španělsko|Испания
MX MEX|Mexico|México|Mexiko|Mexique
EE EST|Estonia|Eesti|Estland|Estonie
IR IRN|Iran|Islamic Republic of Iran|ایران
FI FIN|Finland|Suomi|Finnland|Finlande|Finlandia
BE BEL|Belgium|België|Belgique|Belgien|Bélgica|Belgio
CA CAN|Canada|Kanada|Canadá
FR FRA|France|Frankreich|Francia|França|Frankrijk|Francja|Francie|Frankrike|Франция
IL ISR|Israel|ישראל|Israël
HR HRV|Croatia|Hrvatska|Kroatien|Croatie|Croacia
HU HUN|Hungary|Magyarország|Ungarn|Hongrie|Hungría
AM ARM|Armenia|Հայաստան|Armenien|Arménie
ID IDN|Indonesia|Indonesien|Indonésie
IS ISL|Iceland|Ísland|Island|Islande
IT ITA|Italy|Italia|Italien|Italie|Itália|Italië|Włochy|Itálie|Италия
JP JPN|Japan|日本|Nippon|Japon|Japón
GE GEO|Georgia|საქართველო|Georgien|Géorgie
KR KOR|South Korea|Korea|Republic of Korea|대한민국|한국|Südkorea|Corée du Sud|Corea del Sur
LV LVA|Latvia|Latvija|Lettland|Lettonie
MK MKD|North Macedonia|Macedonia|Северна Македонија|Nordmazedonien
NP NPL|Nepal|नेपाल
NL NLD|NED|Netherlands|The Netherlands|Holland|Nederland|Niederlande|Pays-Bas|Países Bajos|Paesi Bassi|Holandia|
    Nizozemsko
NO NOR|Norway|Norge|Noreg|Norwegen|Norvège|Noruega|Norvegia
PL POL|Poland|Polska|Polen|Pologne|Polonia|Polônia|Polsko|Польша
BR BRA|Brazil|Brasil|Brasilien|Brésil|Brasile
PT PRT|POR|Portugal|Portogallo|Portugalia|Португалия
RO ROU|Romania|România|Rumänien|Roumanie|Rumania|Rumunia
RU RUS|Russia|Russian Federation|Россия|Российская Федерация|РФ|Russland|Russie|Rusia|Rosja|Rusko
SK SVK|Slovakia|Slovensko|Slowakei|Slovaquie|Eslovaquia
SI SVN|Slovenia|Slovenija|Slowenien|Slovénie|Eslovenia
SE SWE|Sweden|Sverige|Schweden|Suède|Suecia|Svezia|Szwecja|Švédsko
TR TUR|Turkey|Türkiye|Türkei|Turquie|Turquía
UA UKR|Ukraine|Україна|Ucrania|Ukraina
UZ UZB|Uzbekistan|Oʻzbekiston|O'zbekiston|Usbekistan
CN CHN|China|中国|中國|People's Republic of China|PRC|Chine
"""


@cache
def _codes() -> dict[str, str]:
    out: dict[str, str] = {}
    for line in _NAMES.replace("\n    ", "").strip().splitlines():
        code, _, names = line.partition(" ")
        out |= {fold(name).replace(".", "").strip(): code for name in (code, *names.split("|"))}
    return out


def code_of(name: str) -> str | None:
    """The code of a country, by its code or one of its names; None for one that isn't listed.

    >>> code_of("Deutschland"), code_of("us"), code_of("U.S.A."), code_of("Atlantis")
    ('DE', 'US', 'US', None)
    """
    return _codes().get(fold(name.strip()).replace(".", "").strip())
