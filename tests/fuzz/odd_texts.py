"""Odd texts: delimited ones, encodings, lines, names of files."""

from __future__ import annotations

import codecs
import random
from collections.abc import Iterator

from . import corpus
from .mutations import File
from .needles import NEEDLES, spoken

MAIL, SSN, CARD, IBAN = (NEEDLES[e] for e in ("EMAIL_ADDRESS", "US_SSN", "CREDIT_CARD", "IBAN_CODE"))
SAID = spoken("EMAIL_ADDRESS")
BODY = [["amber", "7", "a1"], ["basalt", "12", "b4"], ["cobalt", "9", "c2"], ["drape", "3", "d8"]] * 3


def files() -> Iterator[tuple[str, File]]:
    """The files by their names."""
    yield from _structures()
    yield from _encodings()
    yield from _lines()
    yield from _prose()
    yield from _names()


def _structures() -> Iterator[tuple[str, File]]:
    """Shapes of delimited text, each with each delimiter."""
    head, need = ["stuff", "amount", "code"], [MAIL, "5", "e5"]
    shapes: dict[str, list[list[str]]] = {
        "plain": [head, *BODY, need],
        "header only": [["stuff", MAIL, "code"]],
        "no header": [*BODY, need],
        "one row": [head, need],
        "short rows": [head, *(row[: 1 + i % 3] for i, row in enumerate(BODY)), [MAIL]],
        "long rows": [head, *(row + ["x"] * (i % 4) for i, row in enumerate(BODY)), [*need, "y", "z", IBAN]],
        "the same header thrice": [["code"] * 3, *BODY, need],
        "empty headers": [["", "", ""], *BODY, need],
        "empty first column": [["", *head], *(["", *row] for row in [*BODY, need])],
        "empty rows between": [r for row in [head, *BODY, need] for r in (row, ["", "", ""])],
        "delimiters at the ends": [[*row, ""] for row in [head, *BODY, need]],
        "the header again": [head, *BODY, head, *BODY[:3], need],
        "a total below": [head, *BODY, ["total", "31", MAIL]],
        "titles above": [["report of stock"], [SSN], [], head, *BODY],
        "two tables": [head, *BODY, [], ["site", "mail"], ["x", MAIL]],
        "two lines of header": [["group", "", "other"], head, *BODY, need],
        "needle in all rows": [head, *([MAIL, *row[1:]] for row in BODY)],
        "only needles": [[MAIL, SSN, IBAN]],
        "300 columns": [
            [f"c{i}" for i in range(300)],
            *([str(i * j % 7) for i in range(300)] for j in range(4)),
            ["1"] * 299 + [MAIL],
        ],
    }
    for mark, delimiter in {
        "commas": ",",
        "semicolons": ";",
        "tabs": "\t",
        "bars": "|",
        "U+0001": "\x01",
        "colons": ":",
    }.items():
        for shape, rows in shapes.items():
            yield f"{shape}, {mark}", File("".join(delimiter.join(row) + "\n" for row in rows).encode(), "a.csv")
    rows = [head, *BODY, need]
    for name, text in {
        "sep= line": "sep=;\n" + "\n".join(";".join(r) for r in rows),
        "a comment with a needle": f"# {SSN}\n" + "\n".join(",".join(r) for r in rows),
        "all comments": f"# a,b\n# c,d\n# {SAID}\n",
        "an open quote": 'a,b\n1,"x\n2,y\n' + f"3,{SAID}\n" * 2,
        "an open quote at the end": f'a,b\n1,{SAID}\n2,"x',
        "quotes within": f'a,b\n1,x"{MAIL}"y\n2,z\n',
        "backslashed quotes": f'a,b\n"x \\"{MAIL}\\" y",1\n"z",2\n',
        "single quotes": f"a,b\n'x, {SAID}',1\n'z',2\n",
        "a line in a cell": f'a,b\n"x\n{SAID}\ny",1\nz,2\n',
        "a thousand lines in a cell": 'a,b\n"' + "x\n" * 1000 + f'{SAID}",1\nz,2\n',
        "needle split over two cells": "a,b\nquillan,needle-post.com\n",
        "spaces around": f"a , b\n x ,  {SAID}  \n y , z\n",
        "spaces as delimiters": f"a b c\n1 2 {SAID}\n3 4 x\n" * 3,
        "columns by place": "".join(f"{a:<20}{b:>9}  {c:<12}\n" for a, b, c in [*BODY, ("x", "1", MAIL)]),
        "no line end at the end": f"a,b\n1,2\n3,{MAIL}",
        "one cell": MAIL,
        "one cell with spaces": f"   {MAIL}   ",
        "one column": "mail\n" + "x\n" * 9 + MAIL,
        "only delimiters": ",,,\n,,,\n",
        "only line ends": "\n" * 500,
        "one comma": ",",
        "one quote": '"',
        "a header of 100,000 characters": "x" * 100_000 + f",b\n1,{MAIL}\n",
        "a cell of 100,000 characters": "a,b\n" + "x " * 50_000 + f",{MAIL}\n",
        "a needle at the end of a long cell": "a,b\n1," + "word " * 30_000 + SAID + "\n",
        "a needle across a mebibyte": "x" * ((1 << 20) - 12) + " " + MAIL + " " + "y" * 100,
        "a needle late": "a,b\n" + "1,2\n" * 30_000 + f"3,{MAIL}\n",
        "the width grows late": "a,b\n" + "1,2\n" * 20_000 + f"3,4,{MAIL}\n",
        "the delimiter changes": "a,b\n" + "1,2\n" * 300 + "a;b\n" + f"3;{MAIL}\n" * 2,
        "numbers, then words": "a\n" + "1\n" * 5000 + f"{SAID}\n",
        "dates, then words": "a\n" + "2024-01-02\n" * 5000 + f"{SAID}\n",
        "many empty columns": "," * 5000 + f"\n{SAID}" + "," * 5000 + "\n",
        "NUL between cells": f"a\0b\n1\0{MAIL}\n",
        "a NUL in a cell": f"a,b\n1\0,x\n2,{MAIL}\n",
        "NULs at the end": f"a,b\n1,{MAIL}\n" + "\0" * 3000,
        "^Z at the end": f"a,b\n1,{MAIL}\n\x1a",
        "needle behind ^Z": f"a,b\n1,2\n\x1a\n{SAID}\n",
        "form feeds": f"a,b\n1,2\f\n3,{SAID}\f\n",
        "vertical tabs": f"a\x0bb\n1\x0b{SAID}\n",
        "record separators": f"a\x1fb\x1e1\x1f{SAID}\x1e2\x1f3\x1e",
        "escapes of a terminal": f"a,b\n\x1b[31m1\x1b[0m,\x1b[1m{SAID}\x1b[0m\n",
        "direction marks": f"a,b\n\u202e1,\u2066{SAID}\u2069\n",
        "spaces without width": f"a,b\n1,\u200b{SAID}\u200b\n",
        "no-break spaces": f"a,b\n1,\u00a0{SAID}\u00a0\n",
        "U+2028": f"a,b\u20281,{SAID}\u20282,3",
        "U+0085": f"a,b\x851,{SAID}\x852,3",
        "full-width commas": f"a，b\n1，{SAID}\n",
        "a byte order mark in the middle": f"a,b\n1,2\n\ufeff3,{SAID}\n",
        "two byte order marks": f"\ufeff\ufeffa,b\n1,{SAID}\n",
        "formulas": f'a,b\n=1+2,"=HYPERLINK(""mailto:{MAIL}"")"\n',
        "a needle in a header's brackets": f"a [{MAIL}],b\n1,2\n",
    }.items():
        yield name, File(text.encode(), "a.csv")


def _encodings() -> Iterator[tuple[str, File]]:
    words = {
        "cp1252": corpus.UMLAUTS, "latin-1": corpus.UMLAUTS, "cp850": corpus.UMLAUTS, "mac-roman": corpus.UMLAUTS,
        "cp1250": "žluťoučký kůň úpěl ďábelské ódy příliš".split(), "cp1251": corpus.CYRILLIC, "koi8-r": corpus.CYRILLIC,
        "cp866": corpus.CYRILLIC, "cp1253": corpus.GREEK, "cp1255": "אדום ירוק כחול עץ ברזל חול".split(),
        "cp1256": "أحمر أخضر أزرق خشب حديد رمل".split(), "cp932": corpus.JAPANESE, "euc-jp": corpus.JAPANESE,
        "iso2022_jp": corpus.JAPANESE, "gb18030": corpus.CHINESE, "hz": corpus.CHINESE, "cp949": corpus.KOREAN,
        "utf-8": corpus.GREEK, "utf-8-sig": corpus.GREEK, "utf-16": corpus.JAPANESE, "utf-16-le": corpus.WORDS,
        "utf-16-be": corpus.WORDS, "utf-32": corpus.KOREAN, "utf-32-be": corpus.WORDS, "utf-7": corpus.GREEK,
        "cp037": corpus.WORDS, "cp500": corpus.WORDS, "cp273": corpus.WORDS, "cp1140": corpus.WORDS,
    }  # fmt: skip
    for encoding, said in words.items():
        for part in ("cell", "header", "last cell"):
            data = corpus.delimited(";", encoding, said)(random.Random(1), {part: SAID})
            yield f"{encoding}, {part}", File(data, "a.csv")
        yield f"{encoding}, one line", File(f"{said[0]} {SAID}".encode(encoding), "a.txt")
    text = f"a,b\n1,2\n3,{SAID}\n" * 4
    wide = text.encode("utf-16-le")
    for name, data in {
        "UTF-16 of an odd length": codecs.BOM_UTF16_LE + wide + b"x",
        "UTF-16 with ASCII behind": codecs.BOM_UTF16_LE + wide + text.encode(),
        "UTF-16 that begins twice": codecs.BOM_UTF16_LE + wide + codecs.BOM_UTF16_LE + wide,
        "UTF-16 of both orders": codecs.BOM_UTF16_LE + wide + text.encode("utf-16-be"),
        "UTF-16 under the other mark": codecs.BOM_UTF16_BE + wide,
        "ASCII with UTF-16 behind": text.encode() + wide,
        "ASCII under a mark of UTF-16": codecs.BOM_UTF16_LE + text.encode(),
        "UTF-32 cut": text.encode("utf-32")[:-3],
        "UTF-8 cut in a letter": (text + "ä").encode()[:-1],
        "UTF-8 with a stray byte": text.encode() + b"\xe4\n",
        "UTF-8 of surrogates": text.encode() + b"\xed\xa0\x80\xed\xb0\x80\n",
        "UTF-8 twice": "grün, schön, für\n".encode().decode("cp1252").encode() * 5 + text.encode(),
        "overlong UTF-8": text.encode() + b"\xc0\xaf\n",
        "half UTF-8, half cp1252": ("grün," + SAID + "\n").encode() * 9 + "schön,x\n".encode("cp1252") * 9,
        "a mark alone": codecs.BOM_UTF16_LE,
        "three marks": codecs.BOM_UTF8 + codecs.BOM_UTF16_LE + text.encode(),
        "all bytes": bytes(range(256)) + text.encode(),
        "many NULs among text": b"\0".join(bytes([c]) for c in b"hello") + text.encode() * 50,
    }.items():
        yield name, File(data, "a.csv")


def _lines() -> Iterator[tuple[str, File]]:
    for name, end in {
        "CR": "\r",
        "CR LF": "\r\n",
        "LF CR": "\n\r",
        "CR CR LF": "\r\r\n",
        "blank lines": "\n\n\n",
    }.items():
        for part, text in {
            "first": f"{MAIL}{end}a{end}b{end}",
            "last": f"a{end}b{end}{MAIL}",
            "list": f"{MAIL}{end}" * 9,
        }.items():
            yield f"lines, {name}, {part}", File(text.encode(), "a.txt")
        table = end.join(",".join(row) for row in [["a", "b", "c"], *BODY, [MAIL, "1", "x"]])
        yield f"table, {name}", File(table.encode(), "a.csv")


def _prose() -> Iterator[tuple[str, File]]:
    import base64
    import quopri

    mail = "From: x\nSubject: y\nContent-Transfer-Encoding: {}\n\n{}\n"
    texts = {
        "a.log": f"2024-01-02 INFO {SAID} done\n" * 3 + "2024-01-03 ERROR x\n",
        "a.md": f"# Title\n\n| a | b |\n|---|---|\n| x | {MAIL} |\n",
        "a.yaml": f"a:\n  - b: {MAIL}\n  - c: |\n      {SSN}\n",
        "a.toml": f'[a]\nb = "{MAIL}"\n',
        "a.ini": f"[a]\nb = {MAIL}\n; {SSN}\n",
        "a.env": f"KEY='{MAIL}'\n",
        "a.html": f"<html><body><p>{SAID}</p><!-- {SSN} --></body></html>",
        "a.svg": f"<svg xmlns='http://www.w3.org/2000/svg'><text>{SAID}</text></svg>",
        "a.xml": f"<?xml version='1.0' encoding='utf-8'?><a b='{MAIL}'><![CDATA[{SSN}]]></a>",
        "utf16.xml": f"<?xml version='1.0'?><a>{SAID}</a>",
        "a.rtf": f"{{\\rtf1\\ansi {SAID}\\par}}",
        "a.tex": f"\\section{{x}} {SAID} % {SSN}\n",
        "a.py": f'x = "{MAIL}"  # {SSN}\n',
        "a.js": f"const x = {{a: '{MAIL}'}};\n",
        "a.sql": f"INSERT INTO t VALUES (1, '{MAIL}');\n-- {SSN}\n",
        "a.vcf": f"BEGIN:VCARD\nEMAIL:{MAIL}\nEND:VCARD\n",
        "a.ics": f"BEGIN:VEVENT\nATTENDEE:mailto:{MAIL}\nEND:VEVENT\n",
        "a.srt": f"1\n00:00:01,000 --> 00:00:02,000\n{SAID}\n",
        "a.ipynb": f'{{"cells": [{{"source": ["{SAID}"], "outputs": []}}], "nbformat": 4}}',
        "base64.eml": mail.format("base64", base64.b64encode(SAID.encode()).decode()),
        "quoted.eml": mail.format("quoted-printable", quopri.encodestring(f"Köln {SAID}".encode()).decode()),
        "a.diff": f"--- a\n+++ b\n@@ -1 +1 @@\n-{SAID}\n+x\n",
        "a.pem": f"-----BEGIN X-----\n{SAID}\n-----END X-----\n",
        "a.dat": f"HDR0001{SAID}\nDTL0002x\n",
        "a.unknown": f"x {SAID} y\n",
    }
    for name, text in texts.items():
        yield f"prose, {name}", File(text.encode("utf-16" if name.startswith("utf16") else "utf-8"), name)
    for size in (1, 1000, 70_000, 1_100_000):
        yield f"a line of {size} before a needle", File(f"{'lorem ' * (size // 6)}{SAID}\n".encode(), "a.txt")


def _names() -> Iterator[tuple[str, File]]:
    text = f"a,b\n1,{SAID}\n2,x\n".encode()
    names = (
        "-rf.csv|--help.csv|a b.csv|ä.csv|a!b.csv|a::b.csv|a#b.csv|%41.csv|*.csv|[a].csv|a\nb.csv|.csv|.hidden.csv|...|csv|"
        "a.csv.bak|a.csv~|A.CSV|a.tar.gz|a.parquet|a.json|a.xlsx|a.sqlite|a.png|a.gz|a.zip|a.pdf|a.exe|a.pyc|thumbs.db|"
        ".DS_Store|.gitignore|.piiscanignore|piiscan.toml|nul.csv|a.csv.|a\u202ecsv.txt|日本語.csv|"
        + "x" * 250
        + ".csv"
    )
    for name in names.split("|"):
        yield f"named {name[:40]!r}", File(text, name)
