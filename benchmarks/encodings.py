"""How often the text of a table comes out right, by encoding: piiscan's choice beside libraries that guess encodings.

    python -m benchmarks.encodings [FOLDER]

Tables of people made up by Faker in the languages that each encoding is for, of 1, 5 and 40 rows, encoded, and read
back. Right is the same text, whatever the encoding is called. FOLDER: tables in UTF-8, whose first lines are encoded as
well, in each encoding that has all their characters beyond ASCII. charset-normalizer is measured where it is installed.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from faker import Faker

from piiscan.core.errors import ReadError
from piiscan.io.content import Content
from piiscan.io.encodings.encoding import detect

LANGUAGES = {
    "cs_CZ pl_PL hu_HU sk_SK sl_SI hr_HR": ("cp1250",),
    "ru_RU bg_BG": ("cp1251", "koi8-r"),
    "uk_UA": ("cp1251", "koi8-u"),
    "de_DE": ("cp1252", "mac-roman", "cp037", "cp500", "cp1047", "cp273"),
    "fr_FR es_ES it_IT pt_BR sv_SE da_DK no_NO fi_FI nl_NL": ("cp1252", "mac-roman", "cp500"),
    "en_US": ("cp037", "cp500", "cp1047", "cp273"),
    "el_GR": ("cp1253",),
    "tr_TR": ("cp1254",),
    "he_IL": ("cp1255",),
    "ar_AA ar_EG": ("cp1256",),
    "lt_LT lv_LV et_EE": ("cp1257",),
    "ja_JP": ("cp932", "euc_jp", "iso2022_jp"),
    "ko_KR": ("cp949",),
    "zh_CN": ("gb18030",),
    "zh_TW": ("big5",),
}
UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")
ROWS = (1, 5, 40)
SEEDS = range(1, 6)

Case = tuple[str, str, bytes]
"""An encoding, a text, and the text in it."""


def table(language: str, rows: int, seed: int) -> str:
    fake = Faker(language)
    fake.seed_instance(seed)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([fake.word() for _ in range(4)] if seed % 2 else ["name", "id", "street", "phone"])
    for i in range(rows):
        writer.writerow([fake.name(), i + 7 * seed, fake.street_address(), fake.phone_number()])
    return out.getvalue()


def made_up() -> Iterator[Case]:
    for languages, encodings in LANGUAGES.items():
        for language in languages.split():
            for rows in ROWS:
                for seed in SEEDS:
                    yield from encoded(table(language, rows, seed), (*encodings, *UNICODE))


def encoded(text: str, encodings: tuple[str, ...]) -> Iterator[Case]:
    for encoding in encodings:
        try:
            yield encoding, text, text.encode(encoding)
        except UnicodeEncodeError:
            continue  # it lacks a character


def real(folder: Path) -> Iterator[Case]:
    """The first lines of the tables that have anything beyond ASCII in them."""
    every = tuple(dict.fromkeys(name for names in LANGUAGES.values() for name in names))
    for path in sorted(folder.rglob("*.csv")):
        try:
            text = path.read_text("utf-8")[:20_000].rpartition("\n")[0]
        except (OSError, UnicodeDecodeError):
            continue
        letters = {char for char in text if char > "\x7f" and char.isalpha()}
        for encoding, _, data in encoded(text, every) if len(letters) > 2 else ():
            if home(encoding, letters):
                yield encoding, text, data


def home(encoding: str, letters: set[str]) -> bool:
    """Whether somebody would write a text of such letters in an encoding: those of its own script, for which it was
    made."""
    scripts = {"cp1251": "Ѐ", "koi8-r": "Ѐ", "koi8-u": "Ѐ", "cp1253": "Ͱ", "cp1255": "֐", "cp1256": "؀"}
    first = min(letters)
    if encoding in ("cp932", "euc_jp", "iso2022_jp"):
        return any("\u3041" <= char <= "\u30fa" for char in letters)
    if encoding in ("cp949", "gb18030", "big5"):
        wide = sum(
            "\uac00" <= char <= "\ud7a3" if encoding == "cp949" else "\u4e00" <= char <= "\u9fff" for char in letters
        )
        return 2 * wide > len(letters) and not any("\u3041" <= char <= "\u30fa" for char in letters)
    if encoding in scripts:
        return sum(scripts[encoding] <= char < chr(ord(scripts[encoding]) + 256) for char in letters) * 2 > len(letters)
    return first < "\u0250"


def ours(data: bytes) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(data)
        content = Content("table.csv", str(path))
        try:
            found = detect(content, content.head())
        except ReadError:
            return None
    return found.name if found else None


def libraries() -> dict[str, Callable[[bytes], str | None]]:
    import chardet

    found: dict[str, Callable[[bytes], str | None]] = {
        "piiscan": ours,
        "chardet": lambda data: chardet.detect(data)["encoding"],
    }
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return found
    return found | {"charset-normalizer": lambda data: best.encoding if (best := from_bytes(data).best()) else None}


def measured(cases: list[Case], guess: Callable[[bytes], str | None]) -> dict[str, object]:
    right: Counter[str] = Counter()
    start = time.perf_counter()
    guesses = [guess(data) for _, _, data in cases]
    seconds = time.perf_counter() - start
    for (encoding, text, data), name in zip(cases, guesses, strict=True):
        try:
            right[encoding] += data.decode(name or "ascii").removeprefix("\ufeff") == text
        except (UnicodeDecodeError, LookupError):
            continue
    every = Counter(encoding for encoding, _, _ in cases)
    return {
        "share": round(right.total() / every.total(), 4),
        "seconds": round(seconds, 1),
        "right": {encoding: [right[encoding], count] for encoding, count in every.items()},
    }


def main() -> None:
    warnings.simplefilter("ignore")
    sets = {"made up": list(made_up())}
    if len(sys.argv) > 1:
        sets["folder"] = list(real(Path(sys.argv[1])))
    for title, cases in sets.items():
        result = {name: measured(cases, guess) for name, guess in libraries().items()}
        print(json.dumps({"date": datetime.now(UTC).date().isoformat(), "set": title, "tables": len(cases), **result}))


if __name__ == "__main__":
    main()
