"""What is written in scripts in which names are hardly found is in review, and no report says that it is clean."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import Run

import piiscan

TEXTS = {
    "Devanagari": "कल महेंद्र वर्मा अस्पताल आए और नया कार्ड माँगा",
    "Bengali": "গতকাল শফিক মিয়া হাসপাতালে এসে নতুন কার্ড চেয়েছেন",
    "Tamil": "நேற்று முருகன் மருத்துவமனைக்கு வந்து புதிய அட்டை கேட்டார்",
    "Telugu": "నిన్న రమేష్ ఆసుపత్రికి వచ్చి కొత్త కార్డు అడిగాడు",
    "Thai": "เมื่อวานคุณแม่ไปตลาดเพื่อซื้อผักและผลไม้สดมากมาย",
    "Chinese": "昨天王小明来到诊所要求换一张新卡，下周再来检查身体。",
    "Japanese": "昨日、山田太郎が診療所に来て、新しいカードを求めました。",
    "Korean": "어제 김민수가 병원에 와서 새로운 진료 카드를 만들어 달라고 요청했다고 합니다.",
    "Georgian": "გუშინ ბერიძე მოვიდა კლინიკაში და ახალი ბარათი მოითხოვა",
    "Armenian": "Երեկ նա եկավ կլինիկա և խնդրեց նոր քարտ բժշկից",
    "Ethiopic": "ትናንት አበበ ከበደ ወደ ሆስፒታል መጥቶ አዲስ ካርድ ጠየቀ",
}


def reviews(header: str, values: list[str], **others: list[str]) -> tuple[str, ...]:
    return piiscan.scan(pl.DataFrame({header: values, **others})).tables[0].columns[0].review


def hardly(script: str) -> str:
    return f"names of persons are hardly found in {script} script"


@pytest.mark.parametrize("script", TEXTS)
def test_texts_are_in_review(script: str) -> None:
    assert hardly(script) in reviews("notes", [f"{TEXTS[script]} {i}" for i in range(5)])


@pytest.mark.parametrize("header", ["comments", "Q7"])
def test_short_sentences_are_in_review_in_korean(header: str) -> None:
    """Its words have spaces between them, so that four are no name."""
    assert hardly("Korean") in reviews(
        header, ["교육이 너무 오래 걸렸습니다", "주차 공간이 더 필요합니다", "김민수가 도와주어서 좋았어요"]
    )


@pytest.mark.parametrize("script", ["Thai", "Japanese"])
def test_files_of_text_are_not_clean(piiscan: Run, tmp_path: Path, script: str) -> None:
    (tmp_path / "a.txt").write_text("A word of advice.\n" * 9 + TEXTS[script] + "\n", encoding="utf-8")
    done = piiscan("scan", "a.txt", cwd=tmp_path)
    assert "Clean" not in done.stdout
    assert "hardly found" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("Tamil", ["முருகன்"]),
        ("Telugu", ["రమేష్", "వెంకట్"]),
        ("Khmer", ["សុខ សុខា", "ចាន់ ចន្ទា"]),
        ("Lao", ["ສົມໄຊ"]),
        ("Ethiopic", ["አበበ", "ተስፋዬ"]),
    ],
)
@pytest.mark.parametrize("header", ["name", "f1"])
def test_words_that_no_list_knows_are_in_review(script: str, words: list[str], header: str) -> None:
    assert reviews(header, words, price=["1"] * len(words)) == (hardly(script),)


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("notes", ["Yesterday he came to the clinic and asked for a new card"]),
        ("notes", ["Вчера он пришёл в поликлинику и попросил новую карту"]),
        ("notes", ["Χθες ήρθε στο ιατρείο και ζήτησε νέα κάρτα"]),
        ("notes", ["אתמול הוא הגיע למרפאה וביקש כרטיס חדש"]),
        ("状态", ["已完成", "进行中", "已取消"]),
        ("f1", ["๑๒", "๓๔ - ๕๖"]),
        ("f1", ["฿100 - ฿200", "฿300 - ฿400"]),
        ("f1", ["१२३४ - १२३५", "१२३६"]),
        ("区分", ["新規", "更新", "廃止"]),
        ("notes", ["It costs 5 € ツ", "¯\\_(ツ)_/¯ whatever it takes to get it", "all went well today, thanks"]),
    ],
)
def test_what_is_read_is_not(header: str, values: list[str]) -> None:
    assert not any("hardly found" in why for why in reviews(header, values, price=["1"] * len(values)))


def test_tables_in_review_for_different_scripts_are_not_alike(piiscan: Run, tmp_path: Path) -> None:
    for name in ("Thai", "Chinese"):
        (tmp_path / f"{name}.csv").write_text(f"notes\n{TEXTS[name]}\n", encoding="utf-8")
    said = " ".join(piiscan("scan", ".", cwd=tmp_path).stdout.split())
    assert "Thai script" in said and "Chinese script" in said and "like this one" not in said


def test_a_few_texts_among_many_count_a_single_one_does_not() -> None:
    english = [f"The weather was fine on day {i}, and we went for a walk by the lake" for i in range(60)]
    assert reviews("notes", english + [f"{TEXTS['Thai']} {i}" for i in range(6)]) == (hardly("Thai"),)
    assert reviews("notes", [*english, TEXTS["Thai"]]) == ()


def test_what_is_declared_is_in_no_doubt(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"notes\n{TEXTS['Thai']}\n", encoding="utf-8")
    (tmp_path / "piiscan.toml").write_text('[[columns]]\npath = "a.csv"\ncolumn = "notes"\nis = "none"\n')
    done = piiscan("scan", "a.csv", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "Clean: nothing to act on.\n")


def test_the_only_column_that_has_names_by_its_header() -> None:
    assert reviews("name", ["Xyzzyq"]) == ("its header says that it has names, and nothing says whose",)
    assert reviews("name", ["red", "blue"], price=["1", "2"]) == ()
    assert reviews("product_name", ["Xyzzyq"]) == ()
    assert reviews("name", [f"web-{i:02}.prod.lan" for i in range(20)]) == ()
    assert "its header says" not in " ".join(reviews("host", ["Xyzzyq"]))
