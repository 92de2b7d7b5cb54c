"""PDF files, written by hand: pages, fonts of several kinds, and needles wherever people write."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

from .needles import Parts

Rows = list[list[str]]
WRITTEN: Final = (
    *"text packed hex kerned words mapped form comment field link bookmark property metadata attached".split(),
    "last page",
)
CATALOG: Final = 1
PAGES: Final = 2
HELVETICA: Final = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


class Pdf:
    """The objects of a file, by number: the catalog is the first, the tree of pages the second."""

    def __init__(self) -> None:
        self.objects: dict[int, bytes] = {CATALOG: b"", PAGES: b""}
        self.pages: list[int] = []
        self.catalog = ""
        self.trailer = ""

    def add(self, body: str | bytes) -> int:
        number = len(self.objects) + 1
        self.objects[number] = body.encode("latin-1") if isinstance(body, str) else body
        return number

    def stream(self, data: bytes | str, entries: str = "", packed: bool = False) -> int:
        data = data.encode("latin-1") if isinstance(data, str) else data
        if packed:
            data, entries = zlib.compress(data), entries + " /Filter /FlateDecode"
        return self.add(f"<< {entries} /Length {len(data)} >>\nstream\n".encode("latin-1") + data + b"\nendstream")

    def page(self, content: str | bytes, resources: str = "", entries: str = "", packed: bool = False) -> int:
        """A page that shows `content`; F1 is Helvetica."""
        shown = self.stream(content, packed=packed)
        fonts = "" if "/Font" in resources else f"/Font << /F1 {HELVETICA} >>"
        number = self.add(
            f"<< /Type /Page /Parent {PAGES} 0 R /MediaBox [0 0 595 842] /Contents {shown} 0 R "
            f"/Resources << {fonts} {resources} >> {entries} >>"
        )
        self.pages.append(number)
        return number

    def attach(self, name: str, data: bytes) -> None:
        """A file in the file."""
        stored = self.stream(data, "/Type /EmbeddedFile", packed=True)
        listed = self.add(f"<< /Type /Filespec /F {string(name)} /UF {string(name)} /EF << /F {stored} 0 R >> >>")
        self.catalog += f" /Names << /EmbeddedFiles << /Names [{string(name)} {listed} 0 R] >> >>"

    def written(self) -> bytes:
        self.objects[CATALOG] = f"<< /Type /Catalog /Pages {PAGES} 0 R {self.catalog} >>".encode("latin-1")
        kids = " ".join(f"{page} 0 R" for page in self.pages)
        self.objects[PAGES] = f"<< /Type /Pages /Count {len(self.pages)} /Kids [{kids}] >>".encode("latin-1")
        out, places = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), list[int]()
        for number, body in self.objects.items():
            places.append(len(out))
            out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
        table = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        end = f"trailer\n<< /Size {len(places) + 1} /Root {CATALOG} 0 R {self.trailer} >>\nstartxref\n{table}\n%%EOF\n"
        return bytes(out) + end.encode("latin-1")


def string(text: str) -> str:
    """A string of a dictionary."""
    return f"<{(chr(0xFEFF) + text).encode('utf-16-be').hex()}>"


def literal(text: str) -> str:
    """A string of WinAnsi in brackets."""
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"({escaped.encode('cp1252').decode('latin-1')})"


def hexed(text: str) -> str:
    return f"<{text.encode('cp1252').hex()}>"


def at(x: float, y: float, shown: str, font: str = "F1", operator: str = "Tj") -> str:
    """A string at a place of the page."""
    return f"BT /{font} 10 Tf 1 0 0 1 {x} {y} Tm {shown} {operator} ET\n"


def down(texts: Sequence[str], x: float = 50, y: float = 750) -> str:
    """Lines from a place on downwards."""
    return "".join(at(x, y - 14 * i, literal(text)) for i, text in enumerate(texts))


def mapped(file: Pdf, texts: str, has_map: bool = True) -> tuple[str, dict[str, int]]:
    """A font whose codes mean what its own table says, and the codes. `has_map`: it has that table."""
    codes = {character: 3 + i for i, character in enumerate(sorted(set(texts)))}
    lines = "".join(f"<{code:04x}> <{char.encode('utf-16-be').hex()}>\n" for char, code in codes.items())
    table = file.stream(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange\n"
        f"<0000> <ffff> endcodespacerange {len(codes)} beginbfchar\n{lines}endbfchar endcmap end end",
        packed=True,
    )
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Some /Encoding /Identity-H /DescendantFonts [<< /Type /Font "
        "/Subtype /CIDFontType2 /BaseFont /AAAAAA+Some /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        "/Supplement 0 >> /DW 500 >>]"
    )
    return f"{font} {f'/ToUnicode {table} 0 R' if has_map else ''} >>", codes


def coded(text: str, codes: dict[str, int]) -> str:
    return f"<{''.join(f'{codes[character]:04x}' for character in text)}>"


def pdf(table: Rows, parts: Parts) -> bytes:
    """A file of three pages, with a table on the second, and everything else that holds text."""

    def said(part: str) -> str:
        return parts.get(part, "none of it")

    file = Pdf()
    font, codes = mapped(file, said("mapped"))
    form = file.stream(at(50, 600, literal(said("form"))), f"/Type /XObject /Subtype /Form /BBox [0 0 595 842] "
                       f"/Resources << /Font << /F1 {HELVETICA} >> >>", packed=True)  # fmt: skip
    kerned = f"[{literal(said('kerned')[:4])} -20 {literal(said('kerned')[4:])}]"
    words, x = "", 50.0
    for word in said("words").split(" "):
        words += at(x, 640, literal(word))
        x += 5.6 * len(word) + 3
    first = (
        at(50, 750, literal(said("text"))) + at(50, 720, hexed(said("hex"))) + at(50, 690, kerned, operator="TJ")
        + at(50, 660, coded(said("mapped"), codes), "F2") + words + "/X1 Do\n"
    )  # fmt: skip
    link = f"/A << /S /URI /URI {literal('mailto:' + parts['link'] if 'link' in parts else 'https://example.com')} >>"
    annotations = (
        f"[<< /Type /Annot /Subtype /Text /Rect [9 9 20 20] /T (nobody) /Contents {string(said('comment'))} >> "
        f"<< /Type /Annot /Subtype /Link /Rect [9 9 20 20] {link} >> "
        f"<< /Type /Annot /Subtype /Widget /FT /Tx /T (remark) /Rect [9 9 20 20] /V {string(said('field'))} >>]"
    )
    resources = f"/Font << /F1 {HELVETICA} /F2 {font} >> /XObject << /X1 {form} 0 R >>"
    file.page(first, resources, f"/Annots {annotations}")
    rows = "".join(
        at(50 + 180 * column, 800 - 14 * row, literal(cell))
        for row, cells in enumerate(table)
        for column, cell in enumerate(cells)
    )
    file.page(rows + down([said("packed")], y=100), packed=True)
    file.page(down(["the end", said("last page")]), packed=True)
    if "attached" in parts:
        file.attach("more.txt", (parts["attached"] + "\n").encode())
    outline = file.add(f"<< /Title {string(said('bookmark'))} /Parent {len(file.objects) + 2} 0 R >>")
    outlines = file.add(f"<< /Type /Outlines /First {outline} 0 R /Last {outline} 0 R /Count 1 >>")
    metadata = file.stream(
        f"<x:xmpmeta xmlns:x='adobe:ns:meta/' xmlns:dc='dc'><dc:title>{said('metadata')}</dc:title></x:xmpmeta>",
        "/Type /Metadata /Subtype /XML",
    )
    info = file.add(f"<< /Title {string(said('property'))} /Producer (nobody) >>")
    file.catalog += f" /Outlines {outlines} 0 R /Metadata {metadata} 0 R"
    file.trailer = f"/Info {info} 0 R"
    return file.written()
