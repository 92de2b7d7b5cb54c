"""Headers that name things which bear names of persons: vessels, horses, storms, bells. All words are folded."""

from __future__ import annotations

from typing import Final

from piiscan.core.caches import of_words
from piiscan.core.header_words import tokens
from piiscan.scanning.classify import word_lists
from piiscan.scanning.classify.candidates import ColumnCandidates

NAMED: Final = frozenset(
    """
    ships vessel vessels boat boats yacht yachts ferry ferries schiff schiffe schiffsname boot boote bootsname
    navire navires bateau bateaux barco barcos buque buques navi barca barche navio navios embarcacao schip
    schepen scheepsnaam statek statki statku lode lodi plavidlo skib skibe skip fartyg fartygs batar fartoy
    laiva laivan laivat hajo hajok gemi gemiler tekne brod brodovi πλοιο πλοια σκαφοσ судно судна корабль
    корабля корабель 船 船名 船舶 선박 선박명 السفينة kapal horse horses pferd pferde pferdename cheval chevaux caballo
    caballos cavallo cavalli cavalo cavalos paard paarden konie kun hast hastar hest heste hevonen hevoset lovak
    лошадь лошади кличка 马 馬名 locomotive locomotives lokomotive lokomotiven lokname storm storms hurricane
    hurricanes cyclone cyclones typhoon typhoons tempete sturm glocke glocken bell bells cloche campana asteroid
    stallion stallions mare mares hengst hengste hengsten stute stuten
    crater craters
""".split()
)
"""Without "ship", which also begins the headers of where an order is shipped to."""
_OTHERS: Final = word_lists.PLACE | word_lists.ANIMAL
"""Only behind a word for names: devices, items and files are named for their owners, and no header says so."""
_NAME: Final = frozenset(
    """
    name names nom noms nombre nombres nome nomi nomes naam namen namn navn nimi jmeno nazev nazwa nume denumire
    ad adi isim nev neve ime naziv имя название наименование назва ονομα ονομασια 名 名称 이름 اسم nama
""".split()
)
_LINKS: Final = frozenset("the a an of de la le l du des del della di do da das dos der von het van".split())


def heads(column: ColumnCandidates) -> bool:
    """Whether the header of a column names things, as "vessel name" does, and nothing else."""
    return _heads(column.header or "")


@of_words(4096)
def _heads(header: str) -> bool:
    words = frozenset(tokens(header)) - _LINKS
    things = words - _NAME
    return bool(things) and (things <= NAMED or (things <= NAMED | _OTHERS and things != words))
