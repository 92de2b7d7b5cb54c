"""The encoding of a text is chosen by validity and by script, written back as it was, and never called whole where
it isn't."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from conftest import run_piiscan
from mask_people import key_file
from test_io_csv import cells, found
from test_write import again

import piiscan
from piiscan.core.types import NotScanned, Skipped
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.rewrite import rewrite

NUMBERS = ("536-22-1234", "536-22-1235", "536-22-1236")
# Made-up names, streets and towns.
PEOPLE = {
    "ja": [
        "名前,住所,番号",
        "山田太郎,東京都千代田区1-2,{}",
        "鈴木花子,大阪府大阪市北区3,{}",
        "佐藤ひろし,神奈川県横浜市,{}",
    ],
    "ko": [
        "이름,주소,번호",
        "김민수,서울특별시 강남구,{}",
        "이영희,부산광역시 해운대구,{}",
        "박지훈,대구광역시 중구,{}",
    ],
    "zh": ["姓名,地址,号码", "王小明,北京市朝阳区建国路,{}", "李伟,上海市浦东新区,{}", "张丽华,广州市天河区,{}"],
    "tw": ["姓名,地址,號碼", "陳怡君,臺北市信義區市府路,{}", "林志明,高雄市前鎮區,{}", "黃淑芬,臺中市西屯區,{}"],
    "ru": ["имя,адрес,номер", "Анна Иванова,Москва,{}", "Иван Петров,Тверь,{}", "Ольга Смирнова,Казань,{}"],
    "uk": ["ім'я,адреса,номер", "Їжакевич Іван,Київ,{}", "Ґудзь Олена,Львів,{}", "Шевченко Євген,Чернігів,{}"],
    "el": ["όνομα,πόλη,αριθμός", "Γιώργος Παπαδόπουλος,Αθήνα,{}", "Μαρία Νικολάου,Πάτρα,{}", "Ελένη Γεωργίου,Βόλος,{}"],
    "he": ["שם,עיר,מספר", "דוד כהן,ירושלים,{}", "שרה לוי,חיפה,{}", "יעקב מזרחי,תל אביב,{}"],
    "ar": ["الاسم,المدينة,الرقم", "محمد أحمد,القاهرة,{}", "فاطمة علي,بيروت,{}", "خالد حسن,عمان,{}"],
    "cs": ["jméno,město,číslo", "Jiří Dvořák,Plzeň,{}", "Růžena Nováková,Příbram,{}", "Zdeněk Šťastný,Žďár,{}"],
    "pl": [
        "imię,miasto,numer",
        "Łukasz Wójcik,Łódź,{}",
        "Małgorzata Dąbrowska,Gdańsk,{}",
        "Świętosław Żak,Przemyśl,{}",
    ],
    "hu": ["név,város,szám", "Kovács Győző,Győr,{}", "Szűcs Erzsébet,Szőlősgyörök,{}", "Tóth Béla,Pécs,{}"],
    "tr": ["adı,şehir,numara", "Ayşe Yılmaz,İstanbul,{}", "Gökhan Çağlar,Eskişehir,{}", "Işıl Öztürk,Muğla,{}"],
    "lt": [
        "vardas,miestas,numeris",
        "Jūratė Žukauskienė,Šiauliai,{}",
        "Rūta Kazlauskaitė,Panevėžys,{}",
        "Eglė Čepaitė,Kėdainiai,{}",
    ],
    "de": ["Straße,Ort,Nummer", "Müller Jürgen,Köln,{}", "Schröder Käthe,Düsseldorf,{}", "Weiß Björn,Gießen,{}"],
    "fr": ["prénom,ville,numéro", "Hélène Lefèvre,Besançon,{}", "François Dubé,Sète,{}", "Zoé Bérubé,Orléans,{}"],
}
ENCODED = [
    *(("ja", name) for name in ("cp932", "euc_jp", "iso2022_jp")),
    *(("ko", name) for name in ("cp949",)),
    *(("zh", name) for name in ("gb18030", "utf-16-le", "utf-16-be")),
    *(("tw", name) for name in ("big5",)),
    *(("ru", name) for name in ("cp1251", "koi8-r", "utf-16-le", "utf-16-be", "utf-16", "utf-32-le")),
    *(("uk", name) for name in ("cp1251", "koi8-u")),
    *(("el", name) for name in ("cp1253", "utf-16-le")),
    *(
        ("he", "cp1255"),
        ("ar", "cp1256"),
        ("cs", "cp1250"),
        ("pl", "cp1250"),
        ("hu", "cp1250"),
        ("tr", "cp1254"),
        ("lt", "cp1257"),
    ),
    *(("de", name) for name in ("cp1252", "mac-roman", "cp037", "cp037-nel", "cp273", "cp273-nel")),
    *(("fr", name) for name in ("cp1252", "mac-roman", "cp500", "cp1047-nel")),
]


def text(language: str, end: str = "\n") -> str:
    head, *rows = PEOPLE[language]
    return end.join([head, *(row.format(number) for row, number in zip(rows, NUMBERS, strict=True)), ""])


def numbers(path: Path) -> int:
    tables = [item for item in found(path) if not isinstance(item, NotScanned | Skipped)]
    return sum(number in "".join(row) for table in tables for row in cells(table) for number in NUMBERS)


@pytest.mark.parametrize(("language", "encoding"), ENCODED)
def test_an_encoding_is_found_by_its_script(tmp_path: Path, language: str, encoding: str) -> None:
    plain, path = tmp_path / "plain.csv", tmp_path / "p.csv"
    plain.write_text(text(language), "utf-8")
    path.write_bytes(text(language).encode(encoding))
    (wanted,), (table,) = found(plain), found(path)
    assert not isinstance(table, NotScanned | Skipped)
    assert not isinstance(wanted, NotScanned | Skipped)
    assert [field.name for field in table.info.fields] == [field.name for field in wanted.info.fields]
    assert cells(table) == cells(wanted)
    assert piiscan.scan(path).complete


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("language", "encoding"), ENCODED)
def test_an_encoding_stays_when_it_is_written_again(tmp_path: Path, language: str, encoding: str, end: str) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(text(language, end).encode(encoding))
    assert again(path, at=[0]).read_bytes() == path.read_bytes()
    done = again(path, lambda cell: cell.replace("536-22-", "000-00-"), at=[2])
    assert done.read_bytes().decode(encoding) == text(language, end).replace("536-22-", "000-00-")


@pytest.mark.parametrize("name", ["p.txt", "p.jsonl", "p.json"])
@pytest.mark.parametrize(
    ("language", "encoding"),
    [("ja", "iso2022_jp"), ("ja", "euc_jp"), ("ru", "utf-16-le"), ("de", "cp273-nel"), ("pl", "cp1250")],
)
def test_text_and_json_in_old_encodings(tmp_path: Path, name: str, language: str, encoding: str) -> None:
    rows = [
        f'{{"n": "{row.partition(",")[0]}", "x": "{number}"}}'
        for row, number in zip(PEOPLE[language][1:], NUMBERS, strict=True)
    ]
    whole = {"p.txt": text(language), "p.jsonl": "\n".join([*rows, ""]), "p.json": "[\n" + ",\n".join(rows) + "\n]\n"}[
        name
    ]
    path = tmp_path / name
    path.write_bytes(whole.encode(encoding))
    assert numbers(path) == 3
    assert again(path).read_bytes() == path.read_bytes()
    done = again(path, lambda cell: cell.replace("536-22-", "000-00-"))
    assert done.read_bytes().decode(encoding) == whole.replace("536-22-", "000-00-")


def test_masking_ebcdic(tmp_path: Path) -> None:
    path, out = tmp_path / "p.dat", tmp_path / "out.dat"
    path.write_bytes(text("de").encode("cp273-nel"))
    assert run_piiscan("plan", path, "-o", tmp_path / "plan.toml").returncode == 0
    done = run_piiscan("mask", path, "--plan", tmp_path / "plan.toml", "-o", out, "--key", key_file(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "536-22-" not in out.read_bytes().decode("cp273")
    assert out.read_bytes().count(b"\x15") == 4


ASCII = "name,ssn\n" + "".join(f"Ann Lee,{number}\n" for number in NUMBERS)
LONG = "a,b\n" + "x,y\n" * 100_000
MOJIBAKE = text("pl").encode().decode("cp1252", "replace").replace("\ufffd", "?")
DOUBT = {
    "a mark of UTF-16 before ASCII": b"\xff\xfe" + ASCII.encode(),
    "the other mark of UTF-16 before ASCII": b"\xfe\xff" + ASCII.encode(),
    "a mark of UTF-16 before UTF-8": b"\xff\xfe" + text("de").encode(),
    "UTF-16 far into UTF-8": (LONG + ASCII).encode()[: len(LONG)] + ASCII.encode("utf-16-le"),
    "one row of UTF-16 far into UTF-8": LONG.encode() + f"Ann,{NUMBERS[0]}\n".encode("utf-16-be"),
    "UTF-8 far into UTF-16": LONG.encode("utf-16") + ASCII.encode() + b"-",
    "UTF-8 far into UTF-16, in step": LONG.encode("utf-16") + ASCII.encode() + b"-" * (len(ASCII) % 2),
    "cp932 far into UTF-8": LONG.encode() + text("pl").encode() * 9 + text("ja").encode("cp932"),
    "UTF-8 far into cp932": text("ja").encode("cp932") * 9 + text("ja").encode() * 2,
    "UTF-8 far into cp1252, CRLF": text("de", "\r\n").encode("cp1252") * 9 + text("de", "\r\n").encode() * 4,
    "a packed file far into a text": ASCII.encode() * 400 + gzip.compress(ASCII.encode() * 9),
    "ASCII far into EBCDIC": text("de").encode("cp273") * 2000 + ASCII.encode() * 30,
    "EBCDIC in records without line ends": "".join(f"{'Ann Lee':20}{number}" for number in NUMBERS).encode("cp037"),
    "UTF-8 that was taken for cp1252": MOJIBAKE.encode(),
    "letters that make no sense": b"name,x\n"
    + b"".join(bytes((0x61 + i, 0xD0, 0x62, 0xDE, 0x61, 0xD8)) + b",536-22-1234\n" for i in range(20)),
}


@pytest.mark.parametrize("title", DOUBT)
def test_what_is_not_all_in_one_encoding_is_never_complete(tmp_path: Path, title: str) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(DOUBT[title])
    report = piiscan.scan(path)
    assert not report.complete
    assert not any(number in str(report.not_scanned) for number in NUMBERS)
    result = rewrite(path, tmp_path / "out.csv", ReadOptions(), lambda info: None)
    assert (len(result.left_out), (tmp_path / "out.csv").exists()) == (1, False)


FINE = {
    "one word in an old encoding": (ASCII + "Zoë,x\n").encode("cp1252"),
    "quotes and a dash": (ASCII + "“Bo” – it’s,x\n").encode("cp1252"),
    "a sign in an old encoding": (ASCII + "5 °C,x\n").encode("latin-1"),
    "bytes that strayed into UTF-8": (ASCII + "Zoë,x\nŁódź,y\n").encode() + b"Ren\xe9,x\n",
    "zero bytes": ASCII.encode() + b"Bo\0,x\n",
    "separators of Hive": ASCII.encode() + b"a\x01b,c\x02d\n",
    "an escape of a terminal": ASCII.encode() + b"\x1b[1mBo\x1b[0m,x\n",
    "a cell of many signs": (ASCII + "★☆♥,x\n").encode(),
    "Polish and Russian in UTF-8": (text("pl") + text("ru")).encode(),
}


@pytest.mark.parametrize("title", FINE)
def test_a_few_odd_bytes_are_read(tmp_path: Path, title: str) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(FINE[title])
    report = piiscan.scan(path)
    assert (report.complete, report.not_scanned) == (True, ())
    assert numbers(path) >= 3


@pytest.mark.parametrize("language", ["de", "fr", "pl", "ru", "ja"])
def test_the_first_odd_byte_may_come_late(tmp_path: Path, language: str) -> None:
    encoding = {"de": "cp1252", "fr": "cp1252", "pl": "cp1250", "ru": "koi8-r", "ja": "cp932"}[language]
    path = tmp_path / "p.csv"
    path.write_bytes(b"a,b,c\n" + b"x,y,z\n" * 60_000 + text(language).encode(encoding))
    (table,) = found(path)
    assert not isinstance(table, NotScanned | Skipped)
    assert dict(table.info.details)["encoding"] == encoding
    assert PEOPLE[language][1].partition(",")[0] in {row[0] for row in cells(table)[-4:]}


@pytest.mark.parametrize(
    ("word", "notes"),
    [
        (b"Kova\xe8", ("read as cp1252; cp1250 fits nearly as well: choose with --encoding",)),
        (b"Ji\xf8\xed", ("read as cp1250; cp1252 fits nearly as well: choose with --encoding",)),
        (b"Zo\xeb, Andr\xe9, Ren\xe9e", ()),
        (b"Ji\xf8\xed R\xf9\x9eena Zden\xeck", ()),
        (b"Andr\xe1s", ()),
        ("Ковач".encode("cp1251"), ()),
    ],
)
@pytest.mark.parametrize("name", ["p.csv", "p.txt", "p.jsonl"])
def test_a_second_encoding_that_fits_is_reported(
    tmp_path: Path, name: str, word: bytes, notes: tuple[str, ...]
) -> None:
    path = tmp_path / name
    rows = {
        "p.csv": b'name,city\n"%b",Ulm\nBob Ray,Bonn\n',
        "p.txt": b"Dear %b.\n",
        "p.jsonl": b'{"a": "%b"}\n{"a": "x"}\n',
    }
    path.write_bytes(rows[name] % word)
    (table,) = piiscan.scan(path).tables
    assert tuple(note for note in table.notes if "--encoding" in note) == notes


@pytest.mark.parametrize("encoding", ["cp1047", "cp037-nel", "cp273"])
def test_ebcdic_can_be_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(text("de").encode(encoding))
    (table,) = found(path, ReadOptions(encoding=encoding))
    assert not isinstance(table, NotScanned | Skipped)
    assert cells(table)[0] == ["Müller Jürgen", "Köln", NUMBERS[0]]


MAILS = "colour,mail\nred,ann@example.org\nblue,bob@example.org\n" * 5


@pytest.mark.parametrize(
    "data",
    [
        MAILS.encode("utf-16") + b"\n" + MAILS.encode("utf-16-le"),
        b"\xfe\xff" + MAILS.encode("utf-16-be") + b"\n" + MAILS.encode("utf-16-be"),
        MAILS.encode("utf-16") + b"ann@example.org\n",
        b"\xff\xfe" + MAILS.encode("cp037").replace(b"\x25", b"\x15"),
        MAILS.encode("utf-16").decode("latin-1").encode("utf-16"),
        MAILS.encode("cp037") * 3 + b"one line, two words, 3 numbers\n",
    ],
    ids=[
        "a byte between",
        "a byte between, the other order",
        "a line of ASCII behind",
        "EBCDIC",
        "twice",
        "ASCII behind EBCDIC",
    ],
)
def test_what_is_only_half_in_an_encoding_is_said(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    assert not piiscan.scan(tmp_path).complete


def test_utf_16_of_any_script_is_read(tmp_path: Path) -> None:
    lines = "色,数,線\n赤い木材,一一一一一一一一一,────────────\n緑色の砂利,三三三三三三三三三,　　　　　　　　　\n"
    (tmp_path / "t.csv").write_bytes((lines * 9).encode("utf-16"))
    assert piiscan.scan(tmp_path).complete


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("begin", [b"(ssn 536-22-1234)\n", b"ssn 536-22-1234\n", b"536-22-1234\n", b"+49 30 1234567\n"])
def test_ascii_before_ideographs_in_utf_16_is_said(tmp_path: Path, begin: bytes, encoding: str) -> None:
    """Two ASCII characters make one that may stand in such a text."""
    (tmp_path / "t.csv").write_bytes(begin + "姓名,城市\n王芳,北京\n".encode(encoding) * 40)
    assert not piiscan.scan(tmp_path).complete


def test_utf_16_is_read_whatever_pairs_of_bytes_stand_in_it(tmp_path: Path) -> None:
    """Characters both bytes of which are ASCII: hiragana, bopomofo, jamo, numbers in circles, lines of boxes."""
    lines = (
        "王小明住在北京市朝阳区建国路一百号的老房子里已经三十二年了他每天早上都去公园散步看报纸喝茶聊天,"
        "ひらがなのことば,ㄅㄆㄇㄈㄉㄊㄋㄌ,ㅋㅋㅋㅋㅋㅋㅋㅋ,①②③④⑤⑥⑦⑧,══════════,㈠㈡㈢㈣㈤㈥㈦㈧\n"
    )
    (tmp_path / "t.csv").write_bytes((lines * 40).encode("utf-16"))
    assert piiscan.scan(tmp_path).complete


def test_long_lines_take_no_longer_than_many_short_ones(tmp_path: Path) -> None:
    from time import process_time

    end = "Käse\n".encode("cp1252") * 99 + b"\xe4" * 9 + b"\n"
    taken = []
    for begin in ((b"x" * 40 + b"\n") * 10_000, b"x" * 400_000):
        (tmp_path / "t.csv").write_bytes(begin + end)
        start = process_time()
        piiscan.scan(tmp_path)
        taken.append(process_time() - start)
    assert taken[1] < 10 * taken[0]  # it took hours


def test_a_mark_before_packed_data_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv.xz").write_bytes(b"\xfe\xff" + lzma.compress(b"a,b\n" * 1000))
    (entry,) = piiscan.scan(tmp_path).not_scanned
    assert entry.reason == "a byte order mark of utf-16 before packed data; remove its first 2 bytes"


def test_ascii_within_ebcdic_is_not_scanned(tmp_path: Path) -> None:
    table = ("material,amount\n" + "gravel,5\nkelp,7\nCaf\u00e9,8\n" * 30 + "flint___________,9\n").encode("cp037")
    (tmp_path / "a.csv").write_bytes(table)
    assert piiscan.Scanner(jobs=1).scan(tmp_path / "a.csv").complete
    (tmp_path / "b.csv").write_bytes(table + b"quillan@needle-post.com" + table)
    assert "not EBCDIC" in piiscan.Scanner(jobs=1).scan(tmp_path / "b.csv").not_scanned[0].reason


@pytest.mark.parametrize("blank", [1, 300, 50_000])
def test_ebcdic_behind_blank_lines_is_read(tmp_path: Path, blank: int) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(("\n" * blank + text("de")).encode("cp037"))
    (table,) = found(path)
    assert not isinstance(table, NotScanned | Skipped)
    assert dict(table.info.details)["encoding"] == "cp037"
    assert any(NUMBERS[0] in cell for row in cells(table) for cell in row)


@pytest.mark.parametrize(
    ("undefined", "others", "doubtful"), [(3, 3, False), (4, 60, True), (13, 147, True), (4, 400, False)]
)
def test_bytes_that_an_encoding_has_no_character_for_are_a_doubt(undefined: int, others: int, doubtful: bool) -> None:
    from piiscan.io.encodings.guess import is_implausible

    text = "Straße am Bach, " * others + "wo\ufffdrt " * undefined
    assert is_implausible(text, "cp1252") is doubtful
