"""Words of headers that say what is measured of things, and what is measured of nobody. All folded."""

from __future__ import annotations

from typing import Final

from piiscan.scanning.classify.word_lists import ABOUT

MADE: Final = frozenset(
    """
    price prices preis preise prix precio precios preco precos prezzo prezzi prijs prijzen cena ceny cijena cene pris
    priser hinta hinnat fiyat fiyati pret preturi цена цены ціна ціни τιμη 価格 単価 价格 单价 가격 단가 harga السعر
    width breite largeur ancho anchura largura larghezza breedte szerokosc sirka bredd bredde leveys szelesseg genislik
    latime ширина πλατοσ 幅 宽度 너비 lebar depth tiefe profondeur profundidad profundidade profondita diepte glebokosc
    hloubka djup dybde syvyys melyseg derinlik adancime глубина 奥行 深度 깊이 thickness dicke starke epaisseur grosor
    espessura spessore dikte grubosc tloustka tjocklek tykkelse paksuus vastagsag kalinlik grosime толщина 厚さ 厚度
    diameter durchmesser diametre diametro srednica prumer atmero diametru диаметр διαμετροσ 直径 지름 material
    materials materiau materiaux materiale materiaal materialas malzeme anyag материал 材質 材料 재질 fabric finish 두께
""".split()
)
"""In a header: what things cost, and how large and what of they are made."""

_OF_VALUES: Final = frozenset(
    """
    rate ratio avg average mean median min max sum total score scores rank ranking length len size type types change
    diff difference growth std stdev var variance quality code codes level category kind class group quarter reason
    promedio media moyen moyenne durchschnitt durchschnittlich gemiddelde gemiddeld srednia sredni prumer prumerny
    medelvarde gjennomsnitt gennemsnit keskiarvo atlag ortalama средний средняя 平均 평균 tipo tipe jenis tur durum typ
    тип ประเภท 类型 類型 種別 種類 区分 구분 종류
""".split()
)
OF_RECORDS: Final = ABOUT - _OF_VALUES
"""In a header: the cells say when something was, how often, or how it is kept, and measure nothing of a body."""
