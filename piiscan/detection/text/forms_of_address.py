"""Persons whom a form of address, a label or a patronymic names, in scripts of which the recogniser reads little.

"श्री रमेश कुमार", "田中様", "王小明先生", "김민수님", "คุณสมชาย ใจดี", "السيد محمد العلي", "κύριο Παπαδόπουλο", "z panią
Nowak"; and after a label of persons, such as the rules' headers: "患者：佐藤花子", "रोगी: रमेश कुमार". The lists of
titles and family names are in `forms_of_address.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from piiscan.core.caches import of_words
from piiscan.core.header_words import LETTERS, LONGEST_PHRASE, tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.announced_persons import is_surely_given
from piiscan.detection.text.span import NAMED, Span, apart

SCORE: Final = 0.95
"""Score of such a name: what the recogniser needs for a name in few cells. How often it is right wasn't measured."""
_ENTITY, _RULE = NAMED["PER"]
_HAN: Final = "\u3400-\u9fff々"
_HANGUL: Final = "\uac00-\ud7a3"
_UNSPACED: Final = f"{_HAN}\u3040-\u30ff{_HANGUL}"
_SPACED: Final = (
    "\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u0590-\u05ff\u0600-\u06ff\u0900-\u0dff\u0e00-\u0eff\u10a0-\u10ff"
    "\u1200-\u137f"
)
_SLAVIC: Final = "ąćęłńśźżěřůščžďťň"
"""Letters of Polish, Czech and Slovak, in which "pan" is no bread."""
_VIETNAMESE: Final = "ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"
_MAY: Final = lazy_pattern(f"[{_SPACED}{_UNSPACED}{_SLAVIC}{_VIETNAMESE}ığş]")
"""Texts without one of these name nobody in these ways."""
_MAY_BE_FURTHER: Final = lazy_pattern("[\u0590-\uffff]")
"""Texts without one of these are in alphabets of Europe."""
_KANA: Final = lazy_pattern("[\u3041-\u30fa]")
_SOUTH_OF_INDIA: Final = ("\u0b80", "\u0d7f")

_UPPER: Final = "A-ZÀ-ÖØ-ÞĄĆČĎĘĚĹĽŁŃŇŔŘŚŠŤŮŹŻŽΆ-ΏΑ-ΫЀ-ЯҐ"
_CAPITALISED: Final = rf"[{_UPPER}][^\W\d_]+(?:-[{_UPPER}][^\W\d_]+)?"
_CASED: Final = (
    r"\b(?:κύριος|κύριο|κυρίου|κύριε|κυρία|κυρίας|κος|κα|κ\.|господин(?:а|у|ом|е)?|госпож(?:а|и|е|у|ой)|"
    r"г-н(?:а|у|ом)?|г-ж(?:а|и|е|у|ой)|пан(?:а|у|ом|ові)?|пані|panią|panem|panu|pana|pani|paní|pán|pan|mec\.|adw\.|"
    r"inż\.|mgr|ks\.)[ ]+"
    r"(?!Prob|Bisk|"
    r"През|Мин|Посол|Посл|Пред|Суд|Губерн|Дирек|Міністр|Голов|Prez|Min|Dyrek|Ředit|Posel|Πρό|Υπουργ|Δικασ|Διευ)"
    rf"(?P<name>{_CAPITALISED}(?:[ ]{_CAPITALISED}){{0,2}})"
)
"""In the cases of Greek, Russian, Ukrainian, Polish, Czech and Slovak; not before an office."""
_TURKISH: Final = (
    r"(?<![^\W_])(?!Sayın|Değerli|Sevgili|Müdür|Doktor|Hoca|Avukat|Öğretmen|Başkan|Vali|Kaymakam)"
    r"(?P<name>[A-ZÇĞİÖŞÜ][a-zçğıöşüâî]+) (?:Hanım|Bey)(?![^\W_])"
)
_OF_VIETNAM: Final = (
    r"(?<![^\W_])(?:[Cc]hị|[Aa]nh|[Cc]ô|[Cc]hú|[Bb]ác|[Ôô]ng|[Bb]à|[Ee]m|[Tt]hầy)[ ]"
    r"(?!Trời|Chủ|Giám|Bộ|Bí|Thủ|Phó|Tổng|Nội|Ngoại|Rịa|Quốc|Hai|Ba|Tư|Năm|Là|Xin|Em|Anh|Chị)"
    rf"(?P<name>[A-ZĐÀ-Ý{_VIETNAMESE.upper()}][^\W\d_]+(?:[ ][A-ZĐÀ-Ý{_VIETNAMESE.upper()}][^\W\d_]+){{0,3}})"
)
"""A word for a relative, as everybody is addressed, before a name."""
_ARABIC: Final = (
    r"(?<![^\s(\[\"'،:])[وفبل]?(?:ال)?(?:سيد|سيدة|أستاذ|أستاذة|استاذ|دكتور|دكتورة|مهندس|مهندسة|آنسة|شيخ)[ ]+"
    r"(?!الرئيس|الوزير|المدير|الأمين|المحافظ|السفير|القاضي)"
    r"(?P<name>[\u0621-\u064a]{2,}"
    r"(?:[ ](?:(?:بن|ابن|بنت|أبو|ابو|آل|عبد)[ ][\u0621-\u064a]{2,}|ال[\u0621-\u064a]{2,}))*)"
)
_THAI: Final = (
    r"(?:นางสาว|น\.ส\.|ด\.ช\.|ด\.ญ\.|นาย(?!ก|หน้า|จ้าง|ทุน|ท่า|ทหาร|ตำรวจ|แพทย์|อำเภอ|สิบ|ร้อย|พัน|พล)|"
    r"นาง(?!แบบ|พยาบาล|เอก|งาม|ฟ้า|สาว)|คุณ(?!ภาพ|ค่า|สมบัติ|ลักษณะ|วุฒิ|ธรรม|ประโยชน์|แม่|พ่อ|ครู|หมอ|ยาย|ตา|ปู่|ย่า|"
    r"ลูกค้า|ได้|จะ|สามารถ|ต้อง|มี|เป็น|ควร|ไม่|กำลัง|และ|ที่|คือ|ชอบ|คิด|รู้))[ ]?"
    r"(?P<name>[\u0e01-\u0e4e]{2,18}(?:[ ][\u0e01-\u0e4e]{2,18})?)"
)
"""Thai doesn't divide words by spaces, so a name may take the verb behind it along."""

_GREAT: Final = "[А-ЯЁІЇЄҐЎ]"
_SMALL: Final = "[а-яёіїєґў'’]"
_SURNAME: Final = (
    rf"(?!Граждан|Господ){_GREAT}(?:{_SMALL}|-{_GREAT})+?(?:[оеё]в|[иы]н|[оеё]в(?:а|е|ой|у|ым)|[иы]н(?:а|е|ой|у|ым)|ий|ой|ый|ая|ую|ого|"
    r"ому|им|ым|ко|ук|юк|ян|дзе|вили|ич|их|ых|ец|ак|як|ик)(?![^\W_])"
)
_PATRONYMIC: Final = (
    rf"{_GREAT}{_SMALL}+?(?:(?:[оеїі]в|ь)ич(?:а|у|е|ем|ом)?|(?:[оеїі]в|ич)н(?:а|ы|е|у|ой|и|і|ою))(?![^\W_])"
)
_EAST_SLAVIC: Final = (
    rf"(?<![^\W_])(?P<name>(?:{_SURNAME} )?{_GREAT}{_SMALL}+ {_PATRONYMIC}(?: {_SURNAME})?"
    rf"|{_SURNAME} [А-ЯІЇЄ]\. ?[А-ЯІЇЄ]\.|[А-ЯІЇЄ]\. ?[А-ЯІЇЄ]\. ?{_GREAT}{_SMALL}+(?:-{_GREAT}{_SMALL}+)?(?![^\W_]))"
)
"""With a patronymic or two initials, family name first or last: "Иванов Сергей Петрович", "С. П. Иванов"."""

_COLON: Final = lazy_pattern(r"[ \u3000]?[:：][ \u3000]*")
_NAME: Final = lazy_pattern(
    rf"(?:(?P<unspaced>[{_UNSPACED}]{{2,6}}(?:[ \u3000·][{_UNSPACED}]{{1,6}})?)|"
    rf"(?P<spaced>(?=[{_SPACED}]){LETTERS}(?:\.?[ ](?=[{_SPACED}]){LETTERS}){{0,3}}))"
    r"(?=[ \u3000]*(?:$|[\n\r,，،、;；।。.|/()\[\]（）\-–\d]|様|さん|님|氏)|[ \u3000]+[^\s:：]{1,12}[:：])"
)
"""The words behind a label, up to the end of the line or a mark: a few words, else it is a sentence."""
_LABELS: Final = ("person-name", "person-role", "name", "first-name", "last-name")
_NO_LABELS: Final = frozenset(("名称", "名稱"))
_NOBODY: Final = frozenset(
    """
    待定 未定 暂无 暫無 暂缺 没有 未知 不详 不詳 匿名 同上 系统 系統 管理员 管理員 客服 自动 其他 未指定 未填写
    不明 なし 該当なし 管理者 システム 自動 미정 없음 미상 관리자 시스템 자동 상동 해당없음
    """.split()
)
"""To be decided, nobody, unknown, the system: what a label of persons has for none."""
_OFFICE: Final = lazy_pattern(
    ".*(?:[部科室组組处處局課係队隊]|公司|会社|會社|中心|センター|チーム|系统管理员|팀|부서|본부|센터|회사)"
)
_KIN: Final = frozenset("оглы кызы угли кизи улы уулу қызы ұлы".split())
"""Words in small letters that names have: son and daughter of."""
_LABEL_LENGTH: Final = 40
_LABEL_WORDS: Final = 3
_BREAKS: Final = lazy_pattern(r"[\n\r,，،、;；।。.|/()\[\]（）!?！？\d]")


class _Patterns(NamedTuple):
    """Compiled patterns with a group `name`, words that end a name in scripts of India, and labels of persons.

    `of_europe`, `further`: each with what a text has to contain for it.
    """

    indian: re.Pattern[str]
    chinese: re.Pattern[str]
    of_europe: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    further: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    no_names: frozenset[str]
    labels: frozenset[str]


@cache
def _patterns() -> _Patterns:
    file = Path(__file__).with_name("forms_of_address.toml")
    lists = {name: words.split() for name, words in tomllib.loads(file.read_text(encoding="utf-8")).items()}
    for words in lists.values():
        words.sort(key=lambda word: (-len(word), word))  # the longest that fits
    japanese = "|".join(n if len(n) > 1 else f"(?<![{_HAN}]){n}" for n in lists["japanese_families"])
    given = rf"(?:[ \u3000]?(?:[{_HAN}]{{1,3}}|[ぁ-ん]{{2,4}}|[ァ-ヴー]{{2,5}}))??"
    indian = (
        rf"(?<![^\s(\[\"'“‘:,।])(?:{'|'.join(lists['titles_of_india'])})\.?[ ]+"
        rf"(?P<name>{LETTERS}(?:\.?[ ]{LETTERS}){{0,4}})"
    )
    chinese = rf"(?P<name>(?:{'|'.join(lists['chinese_families'])})[{_HAN}]{{0,2}}?)(?:先生|女士|小姐|太太)(?!们|們|姐)"
    aged = (
        rf"(?:患者|病人|病员|学生|员工|被告人?|原告|申请人|嫌疑人|受害人|证人)(?P<name>(?:{'|'.join(lists['chinese_families'])})"
        rf"[{_HAN}]{{1,2}}?)(?=[，,（( ]{{0,2}}(?:男|女|\d{{1,3}}岁))"
    )
    of_office = (
        r"(?:担当|担当者|担任|医師|看護師|講師|社員|部長|課長|係長|店長)の"
        rf"(?P<name>(?:{japanese}){given})(?=より|から|[はがをにと、。]|です)"
    )
    japanese = rf"(?P<name>(?:{japanese}){given})[ \u3000]?(?:様|さま|さん|氏(?![名族])|くん|ちゃん|先生|殿)"
    unlisted = (
        rf"(?<![{_HAN}ァ-ヴー])(?![{_HAN}]*(?:会社|法人|銀行|病院|組合|商店))(?P<name>[{_HAN}]{{2,6}}(?<![者員人屋長師士客家方達等生主族様各両同諸貴皆奥仕模多有一異態])"
        rf"(?<![社店院校局部課会所組庁署館園場寺区市町県府国室係団隊]))(?:様|さま|さん)(?![{_HAN}])"
    )
    korean = (
        rf"(?<![{_HANGUL}])(?!(?:{'|'.join(lists['no_korean_names'])})[{_HANGUL}])"
        rf"(?P<name>(?:{'|'.join(lists['korean_families'])})[{_HANGUL}]{{2}})[ ]?(?:님|씨)"
        rf"(?=$|[^{_HANGUL}]|께|이|은|을|의|과|도|에게|한테|가|는|를|와|하고|으로|로)"
    )
    of_europe = (
        ("Hanım|Bey", _TURKISH),
        (rf"[{_VIETNAMESE}]", _OF_VIETNAM),
        (rf"κ|[гГпП](?:осп|-[нж]|ан)|[{_SLAVIC}]", _CASED),
        (r"ич|[оеїі]вн|[А-ЯІЇЄ]\.", _EAST_SLAVIC),
    )
    further = (
        ("[\u0900-\u0d7f]", indian),
        ("先生|女士|小姐|太太", chinese),
        ("男|女|岁", aged),
        ("[当者任師員長]の", of_office),
        ("[\u0600-\u06ff]", _ARABIC),
        ("นาย|นาง|คุณ|ด\\.|น\\.ส", _THAI),
        ("様|さま|さん|氏|くん|ちゃん|先生|殿", japanese),
        ("様|さま|さん", unlisted),
        ("님|씨", korean),
    )
    europe, others = (
        tuple((re.compile(needs), re.compile(pattern)) for needs, pattern in pairs) for pairs in (of_europe, further)
    )
    return _Patterns(
        others[0][1], others[1][1], europe, others, frozenset(lists["no_names"]), frozenset(lists["labels"])
    )


def addressed(text: str) -> list[Span]:
    """The persons so named in a text, in the order of their places; none overlap."""
    if text.isascii() or not _MAY.search(text):
        return []
    places = {*_titled(text), *_labelled(text)}
    return apart(Span(start, end, _ENTITY, None, _RULE, SCORE) for start, end in places)


def _titled(text: str) -> Iterator[tuple[int, int]]:
    made = _patterns()
    for needs, pattern in (*made.of_europe, *(made.further if _MAY_BE_FURTHER.search(text) else ())):
        if not needs.search(text) or (pattern is made.chinese and _KANA.search(text)):
            continue
        for match in pattern.finditer(text):
            start, end = match.span("name")
            if pattern is made.indian:
                end = _end_of_name(match["name"], start, made.no_names)
            if end > start:
                yield start, end


def _end_of_name(words: str, start: int, no_names: frozenset[str]) -> int:
    """Where the words of a name end that begin at `start`: before a word of the sentence, or after a few.

    In the south of India cases are endings, so that the verb may follow the name: two words are taken, not three.
    """
    low, high = _SOUTH_OF_INDIA
    most = 2 if low <= words[0] <= high else 3
    end = taken = 0
    for word in re.finditer(r"\S+", words):
        bare = word[0].rstrip(".")
        if taken == most or bare in no_names:
            break
        taken += len(bare) > 1
        end = word.end()
    return start + end


def _labelled(text: str) -> Iterator[tuple[int, int]]:
    if ":" not in text and "：" not in text:
        return
    for colon in _COLON.finditer(text):
        name = _NAME.match(text, colon.end())
        if name is None or _is_nobody(name[0].strip()):
            continue
        if _names_a_person(text[max(0, colon.start() - _LABEL_LENGTH) : colon.start()]):
            yield name.span()


def _is_nobody(name: str) -> bool:
    """Whether words behind a label are an office, nobody, or words of a sentence, which aren't written as names are."""
    if name in _NOBODY or _OFFICE.fullmatch(name) is not None:
        return True
    words = name.split()
    is_written_so = not any(word[0].islower() and word not in _KIN for word in words)
    return not is_written_so and not any(map(is_surely_given, words))


def _names_a_person(before: str) -> bool:
    """Whether the words before a colon end in a label of a person."""
    words = _BREAKS.split(before)[-1].split()
    return any(_is_label(" ".join(words[-n:])) for n in range(1, min(_LABEL_WORDS, len(words)) + 1))


@of_words(1 << 12)
def _is_label(label: str) -> bool:
    words = tokens(label)
    return label not in _NO_LABELS and 0 < len(words) <= LONGEST_PHRASE and " ".join(words) in _labels()


@cache
def _labels() -> frozenset[str]:
    """Header phrases of persons, and other labels, folded."""
    from piiscan.rules import rule_sets

    by_id = rule_sets.shipped().rules.by_id
    phrases = [phrase for rule in _LABELS for phrase in by_id[rule].headers]
    return frozenset(" ".join(tokens(phrase)) for phrase in (*phrases, *_patterns().labels))
