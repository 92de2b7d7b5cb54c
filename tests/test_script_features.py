"""What the model is told of scripts and of how names, slugs and identifiers are put together."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piiscan.core.header_words import fold
from piiscan.core.types import Field
from piiscan.rules import rule_sets
from piiscan.scanning.classify.candidates import judge
from piiscan.scanning.classify.column_features import LOOKS, WIDTH, features
from piiscan.scanning.classify.column_values import ColumnValues, Words
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.classify.profile import profiles
from piiscan.scanning.classify.script_features import SCRIPT_FEATURES, SCRIPTS, WRITTEN, scripts, written_in
from piiscan.scanning.engine import partial

KNOWN = lexicon(rule_sets.load(()))
FORMS = "initials before|initials behind|last, first|slug|camel case|title".split("|")


def found_in(texts: list[str], words: list[list[str]]) -> list[float]:
    return scripts(texts, words, lambda: Words((word for some in words for word in some), KNOWN).names)


@pytest.mark.parametrize(
    ("texts", "script"),
    [
        (["Müller", "Weber"], "latin"),
        (["Nguyễn", "Trần"], "latin"),
        (["Иванов"], "cyrillic"),
        (["Νικολάου"], "greek"),
        (["כהן"], "hebrew"),
        (["أحمد"], "arabic"),
        (["शर्मा"], "devanagari"),
        (["রহমান"], "indic"),
        (["สมชาย"], "thai"),
        (["김민준"], "hangul"),
        (["佐藤"], "han"),
        (["さとう"], "hiragana"),
        (["サトウ"], "katakana"),
        (["გიორგი"], "other"),
    ],
)
def test_scripts(texts: list[str], script: str) -> None:
    folded = [fold(t) for t in texts]
    found = dict(zip(SCRIPTS, found_in(folded, [[t] for t in folded]), strict=False))
    assert max(found, key=lambda name: found[name]) == script
    assert found[script] == pytest.approx(1.0)


def test_names_of_scripts() -> None:
    *_, given, family, whole, _, _, _ = found_in(["佐藤花子", "鈴木太郎"], [["佐藤花子"], ["鈴木太郎"]])
    assert (given, family, whole) == (1.0, 1.0, 1.0)
    *_, given, family, whole, _, _, _ = found_in(["システム", "カメラ"], [["システム"], ["カメラ"]])
    assert whole == 0.0


EXAMPLES = [
    ("J. Smith", "initials before"),
    ("J.R. Smith", "initials before"),
    ("Smith J.", "initials behind"),
    ("Иванов И.И.", "initials behind"),
    ("Smith, John", "last, first"),
    ("jane-doe-nurse", "slug"),
    ("JaneDoe", "camel case"),
    ("Dr. Anna Weber", "title"),
    ("นายสมชาย ใจดี", "title"),
    ("Anna Weber", None),
    ("2024-01-05x y", None),
    ("London", None),
]


@pytest.mark.parametrize(("text", "form"), EXAMPLES)
def test_forms(text: str, form: str | None) -> None:
    found = [written_in(one, [text])[0] for one in WRITTEN]
    assert [name for name, is_written in zip(FORMS, found, strict=True) if is_written] == ([form] if form else [])


SOME = (
    "maria_k2", "@JaneDoe", "佐藤 花子", "サトウ ハナコ", "김민준", "Иван Петрович", "Ivan Petrovich", "+49 30 901820",
    "٠٣٠ ١٢٣-٤٥٦٧", "(212) 736-5000", "030 901 820", "AB123456",
)  # fmt: skip


@given(st.lists(st.text("aBé9٣. -_,@+'x", max_size=12) | st.sampled_from([*SOME, *(text for text, _ in EXAMPLES)])))
def test_a_text_without_what_a_form_needs_has_not_the_form(texts: list[str]) -> None:
    for one in (*WRITTEN, *LOOKS):
        assert written_in(one, texts) == [one.form.fullmatch(text) is not None for text in texts]


@pytest.mark.parametrize("values", [[], ["1", "2"], ["Anna"], ["佐藤 花子", "x"], ["", "نام"]])
def test_width(values: list[str]) -> None:
    frame = pl.DataFrame({"0": values}, schema={"0": pl.String})
    summary = partial(frame, (Field("name"),), rule_sets.shipped().rules).columns[0]
    assert len(features([judge(0, Field("name"), summary, KNOWN)], [summary], KNOWN)[0].dense) == WIDTH
    assert len(found_in(values, [v.split() for v in values])) == SCRIPT_FEATURES


def test_columns_that_are_alike_share_what_is_known_of_their_values() -> None:
    known = lexicon(rule_sets.load(()))
    cells = {
        "a": ["佐藤花子", "鈴木太郎", None], "b": ["佐藤花子", "鈴木太郎", None],
        "c": ["佐藤花子", "佐藤花子", "鈴木太郎"],
        "d": [None, None, None], "e": ["", None, " "], "col_5": ["佐藤花子", "鈴木太郎", None],
    }  # fmt: skip
    fields = [Field(name) for name in cells]
    columns = partial(pl.DataFrame(cells), tuple(fields), rule_sets.shipped().rules).columns
    shared = profiles(columns)
    assert [shared.index(p) for p in shared] == [0, 0, 2, 3, 3, 0]
    values = {p.at: ColumnValues(p, known) for p in shared}
    together = [judge(i, fields[i], columns[i], known, values[p.at]) for i, p in enumerate(shared)]
    alone = [judge(i, fields[i], columns[i], known) for i in range(len(fields))]
    for one, other in zip(features(together, columns, known), features(alone, columns, known), strict=True):
        assert one.dense.tolist() == other.dense.tolist()
        assert (one.grams is None) == (other.grams is None)
        assert one.grams is None or [g.tolist() for g in one.grams] == [g.tolist() for g in other.grams or ()]
