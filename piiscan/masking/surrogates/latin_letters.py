"""Names in plain Latin letters, for the part of an e-mail address before the @ and for initials.

Cyrillic and Greek by tables, Han characters of the lists by their reading, other alphabets by the names that Unicode
gives to their letters. Good enough to look right; no standard's transliteration.
"""

from __future__ import annotations

import unicodedata

from piiscan.core.caches import of_words

_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґђјљњћџѓќѕ",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch _ y "
        "_ e yu ya i yi ye g dj j lj nj c dz gj kj dz".split(),
        strict=True,
    )
)
_GREEK = dict(
    zip("αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(), strict=True)
)
_LATIN = dict(zip("ßøłæœđðþıəŋ", "ss o l ae oe d d th i a n".split(), strict=True))
_HAN = {
    c: reading
    for entry in (
        "wang王汪 li李黎丽莉利 zhang张章 liu刘柳 chen陈晨 yang杨洋阳 huang黄 wu吴武伍 zhao赵 zhou周 xu徐许旭 sun孙 "
        "ma马 zhu朱 hu胡 lin林琳 guo郭国 he何贺 gao高 luo罗 zheng郑 liang梁亮 xie谢 song宋 tang唐汤 deng邓 "
        "feng冯峰凤 han韩 cao曹 peng彭鹏 cai蔡 pan潘 tian田 dong董东冬 yuan袁 yu于余俞宇玉瑜 ye叶 jiang蒋姜江 du杜 "
        "su苏 wei魏韦伟 cheng程成 lv吕 ding丁 shen沈 ren任 yao姚 lu卢陆璐 fu傅 zhong钟 cui崔 tan谭 liao廖 fan范帆 "
        "jin金 shi石史施 dai戴 jia贾 xia夏霞 qiu邱 fang方芳 xiong熊 meng孟 qin秦琴 bai白 yan闫颜严燕艳岩 xue薛雪 "
        "yin尹英 lei雷磊 long龙 tao陶涛 mao毛 hao郝浩 gong龚 shao邵 wan万 qian钱倩 lai赖 qi齐 kang康 mo莫 kong孔 "
        "xiang向香 chang常畅 wen温文 qiang强 yong勇 jun军俊 jie杰洁 chao超 ming明 gang刚 ping平萍 hui辉慧 hua华花 "
        "fei飞 xin鑫欣 bo波博 bin斌彬兵 kai凯 jian健建 shuai帅 ning宁 huan欢 jia佳 rui瑞 zhi志芝 kun坤 nan楠 hong红 "
        "na娜 min敏 jing静晶 xiu秀 juan娟 ling玲 gui桂 dan丹 mei梅 lan兰 zhen珍 ting婷 ying颖莹 yun云 shu淑 chun春 "
        "hai海 rong荣 xiao小"
    ).split()
    for reading, characters in [
        ("".join(c for c in entry if c.isascii()), "".join(c for c in entry if not c.isascii()))
    ]
    for c in characters
}
_LETTERS = _CYRILLIC | _GREEK | _LATIN | _HAN


@of_words(1 << 14)
def stem(name: str) -> str:
    """The name in a–z only; empty where nothing in it has a reading.

    >>> [stem(n) for n in ("Wiśniewski", "O'Brien", "Müller", "Щербаков", "Παππάς", "王", "כהן", "김")]
    ['wisniewski', 'obrien', 'mueller', 'shcherbakov', 'pappas', 'wang', 'khn', 'gim']
    """
    lower = name.lower().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return "".join(map(_letter, unicodedata.normalize("NFC", lower)))


def _letter(c: str) -> str:
    if "a" <= c <= "z":
        return c
    if c in _LETTERS:
        return _LETTERS[c].replace("_", "")
    words = unicodedata.name(c, "").split()
    if "SYLLABLE" in words:  # of Hangul
        return words[-1].lower()
    base = unicodedata.normalize("NFKD", c)
    if base != c:  # a letter with accents
        return "".join(map(_letter, base))
    if "LETTER" in words and "LATIN" not in words and "SIGN" not in words:
        reading = words[-1].lower().replace("-", "")
        return (
            _SHORT.get(reading, reading[:1] if words[0] in ("HEBREW", "ARABIC", "GEORGIAN", "ARMENIAN") else reading)
            if reading.isalpha()
            else ""
        )
    return ""


_SHORT = {
    "shin": "sh",
    "tsadi": "ts",
    "tet": "t",
    "qof": "k",
    "kaf": "k",
    "het": "h",
    "ayin": "a",
    "ain": "a",
    "sheen": "sh",
    "theh": "th",
    "khah": "kh",
    "thal": "th",
    "ghain": "gh",
    "waw": "w",
    "vav": "v",
    "peh": "p",
    "tcheh": "ch",
    "jeh": "zh",
    "hamza": "",
}
