"""Names in plain Latin letters, for the part of an e-mail address before the @ and for initials.

Cyrillic and Greek by tables, Han characters of the lists by their reading, scripts of India and Thai as `abugidas`
reads them, other alphabets by the names that Unicode gives to their letters. Good enough to look right; no standard's
transliteration.
"""

from __future__ import annotations

import unicodedata

from piiscan.core.caches import of_words
from piiscan.masking.surrogates import abugidas

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
        "wang王汪 li李黎丽莉利麗 zhang张章張 liu刘柳劉留 chen陈晨宸辰陳 yang杨洋阳楊陽 huang黄黃 "
        "wu吴武伍吳巫鄔 zhao赵趙 zhou周 xu徐许旭許 sun孙孫 ma马馬 zhu朱珠祝筑 hu胡 lin林琳霖 guo郭国國 "
        "he何贺賀 gao高 luo罗羅駱 zheng郑政正鄭 liang梁亮良 xie谢解謝 song宋 tang唐汤湯 deng邓鄧 "
        "feng冯峰凤馮鳳 han韩涵翰韓 cao曹 peng彭鹏 cai蔡財 pan潘 tian田 dong董东冬 yuan袁遠 "
        "yu于余俞宇玉瑜妤禹羽語郁鈺雨 ye叶葉 jiang蒋姜江蔣 du杜 su苏素蘇 wei魏韦伟偉威瑋維韋 cheng程成承誠 "
        "lv吕呂 ding丁 shen沈申 ren任仁 yao姚 lu卢陆璐盧陸魯 fu傅符 zhong钟中忠鍾鐘 cui崔 tan谭譚 liao廖 "
        "fan范帆樊 jin金進 shi石史施世詩 dai戴 jia贾佳嘉家賈 xia夏霞 qiu邱丘秋 fang方芳房 xiong熊雄 meng孟 "
        "qin秦琴欽覃 bai白 yan闫颜严燕艳岩嚴妍彥諺閻顏 xue薛雪 yin尹英殷鄞 lei雷磊 long龙龍 tao陶涛 mao毛 "
        "hao郝浩豪 gong龚龔 shao邵 wan万婉萬 qian钱倩錢 lai赖賴 qi齐齊 kang康 mo莫 kong孔 xiang向香祥翔 "
        "chang常畅昌 wen温文溫雯 qiang强強 yong勇永詠 jun军俊君 jie杰洁傑 chao超 ming明銘 gang刚 ping平萍 "
        "hui辉慧惠輝 hua华花華 fei飞菲霏 xin鑫欣信心芯辛 bo波博柏 bin斌彬兵 kai凯凱 jian健建簡 shuai帅 ning宁 "
        "huan欢 rui瑞睿 zhi志芝枝 kun坤 nan楠男 hong红宏洪鴻 na娜 min敏 jing静晶靜 xiu秀 juan娟 ling玲凌 "
        "gui桂 dan丹 mei梅美 lan兰籃藍蘭 zhen珍蓁貞 ting婷庭廷 ying颖莹應穎 yun云芸雲 shu淑舒 chun春 hai海 "
        "rong荣榮蓉 xiao小蕭 you佑宥尤游 she佘 pei佩裴 hou侯 ni倪 quan全 guan冠官管關 tu凃塗涂 sheng勝盛 "
        "bao包寶鮑 zhuo卓 qing卿晴 gu古谷辜顧 pin品 zhe哲 qiao喬 shan單珊 e娥 zi子 an安 zong宗 yi宜怡易義苡 "
        "yue岳月玥 zuo左 tong彤童 de德 si思 en恩 xian憲賢 qu曲 zeng曾 ke柯 ou歐 duan段 chi池 niu牛 gan甘 "
        "bi畢碧 fa發 shuo碩 mu穆 nian粘 ji紀 lian練蓮連 miao繆 weng翁 zhai翟 geng耿 cong聰 nie聶 xing興邢 "
        "fen芬 zhuang莊 xuan萱軒 ge葛 pu蒲 chu褚 zhan詹 zou鄒 que闕 ruan阮 ya雅 rao饒 mai麥 pang龎"
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

    >>> [stem(n) for n in ("Wiśniewski", "O'Brien", "Müller", "Щербаков", "Παππάς", "王", "כהן", "김", "वर्मा")]
    ['wisniewski', 'obrien', 'mueller', 'shcherbakov', 'pappas', 'wang', 'khn', 'gim', 'varma']
    """
    lower = name.lower().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    known = lower if lower.isascii() else abugidas.WORD.sub(lambda word: abugidas.read(word[0]), lower)
    return "".join(map(_letter, unicodedata.normalize("NFC", known)))


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
