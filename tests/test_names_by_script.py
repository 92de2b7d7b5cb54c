"""Names of persons as scripts and registers write them, without a header that says so; and words that only look so."""

from __future__ import annotations

import polars as pl
import pytest

from piiscan.core.types import Field
from piiscan.rules import rule_sets
from piiscan.scanning.classify.candidates import ColumnCandidates, judge
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.engine import partial

NAMES = {
    "Han, Japanese": "佐藤花子|鈴木太郎|高橋健一|田中美咲|伊藤翔太|山本由美|中村大輔|小林恵子",
    "Han with a space": "佐藤 花子|鈴木 太郎|高橋 健一|田中 美咲|伊藤 翔太|山本 由美",
    "katakana": "サトウハナコ|スズキタロウ|タカハシケンイチ|タナカミサキ|イトウショウタ|ヤマモトユミ",
    "katakana with a space": "サトウ ハナコ|スズキ タロウ|タカハシ ケンイチ|タナカ ミサキ|イトウ ショウタ",
    "Han, Chinese": "王小明|李娜|张伟|刘洋|陈静|杨帆|赵磊|黄丽|周杰|吴敏",
    "Hangul": "김민준|이서연|박지훈|최하은|정도윤|강지우|조현우|윤수진",
    "Cyrillic with a patronymic": "Иванов Иван Иванович|Петрова Анна Сергеевна|Сидоров Пётр Ильич|Попов Олег Игоревич|"
    "Смирнова Елена Павловна",
    "Cyrillic with initials": "Иванов И.И.|Петрова А.С.|Сидоров П.И.|Смирнова Е.П.|Кузнецов О.И.|Попов А. В.",
    "Thai with a title": "นายสมชาย ใจดี|นางสาวสุดา ศรีสุข|นายอนงค์ รักไทย|นางมาลี ทองดี|นายวิชัย สุขใจ",
    "Devanagari": "राहुल शर्मा|प्रिया पटेल|अमित सिंह|अंजलि कुमार|विजय गुप्ता|सुनीता वर्मा",
    "Arabic": "محمد أحمد|فاطمة علي|عمر حسن|خالد إبراهيم|مريم يوسف|سارة محمود",
    "Hebrew": "דוד כהן|רבקה לוי|משה מזרחי|שרה פרץ|יוסף ביטון|מיכל אזולאי",
    "Greek": "Γεώργιος Παπαδόπουλος|Μαρία Νικολάου|Ιωάννης Γεωργίου|Ελένη Δημητρίου|Νικόλαος Βασιλείου",
    "initials": "J. Smith|Brown, T.|M. R. Jones|Davis, L. K.|P. Miller|S. Wilson",
    "last, first": "Smith, John|Brown, Tina|Jones, Mary|Davis, Laura|Miller, Peter|Wilson, Susan",
}
OTHER_WORDS = {
    "Chinese words": "高级|中级|低级|金额|黄色|白色|方案|江南|石油|马上",
    "Japanese cities": "高崎|川崎|前橋|横浜|千葉|山形|秋田|福島|長野|金沢",
    "Japanese words": "普通|当座|貯蓄|定期|外貨|その他|現金|振込",
    "Japanese things": "システム|カメラ|テレビ|エアコン|プリンター|マウスパッド|スピーカー",
    "Korean words": "김치|이상|박스|최고|정도|강남|조건|윤리|장소|임시",
    "vitamins": "Vitamin C|Vitamin B|Plan A|Plan B|Gate D|Hall E|Zone F",
    "Russian words": "Москва|Заказ|Товар|Оплата|Доставка|Склад|Возврат",
}


def _judged(values: list[str], header: str | None = None) -> ColumnCandidates:
    known = lexicon(rule_sets.load(()))
    field = Field(header)
    summary = partial(pl.DataFrame({"0": values}), (field,), rule_sets.shipped().rules)
    return judge(0, field, summary.columns[0], known)


@pytest.mark.parametrize("script", NAMES)
def test_names(script: str) -> None:
    best = _judged(NAMES[script].split("|") * 3).best()
    assert best is not None
    assert best.entity == "PERSON"


@pytest.mark.parametrize("kind", OTHER_WORDS)
def test_other_words(kind: str) -> None:
    best = _judged(OTHER_WORDS[kind].split("|") * 3).best()
    assert best is None or best.entity not in ("PERSON", "FIRST_NAME", "LAST_NAME")


@pytest.mark.parametrize("values", [["José Ramírez"], ["Dr. Anna Weber", "Dr. Peter Novak"], ["Laura Moreau"]])
def test_one_doctor_treated_all(values: list[str]) -> None:
    best = _judged((values * 60)[:60], "doctor").best()
    assert best is not None
    assert best.entity == "PERSON"


@pytest.mark.parametrize("values", [["internal"], ["yes please", "no thanks"], ["Widget", "Gadget"]])
def test_few_values_that_are_no_names(values: list[str]) -> None:
    best = _judged((values * 60)[:60], "provider").best()
    assert best is None
