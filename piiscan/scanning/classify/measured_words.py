"""Words of headers that say what is measured of nobody. All folded."""

from __future__ import annotations

from typing import Final

from piiscan.scanning.classify.word_lists import ABOUT

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
