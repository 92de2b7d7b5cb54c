"""Documents and slides of office programs, with needles wherever their users write."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from .needles import Parts

Rows = list[list[str]]
WORD: Final = ("text", "page header", "comment", "text box", "note", "deleted", "field", "link", "property", "custom")
SLIDES: Final = ("text", "comment", "note", "description", "link", "property", "layout")
OPEN: Final = ("text", "page header", "comment", "text box", "note", "deleted", "link", "property", "custom")
_STAMP: Final = (2020, 1, 2, 3, 4, 6)
_MAIN: Final = "http://schemas.openxmlformats.org"
_SPACES: Final = " ".join(
    f'xmlns:{prefix}="{_MAIN}/{path}"'
    for prefix, path in {
        "w": "wordprocessingml/2006/main",
        "a": "drawingml/2006/main",
        "p": "presentationml/2006/main",
        "r": "officeDocument/2006/relationships",
        "wps": "wordprocessingShape",
        "cp": "package/2006/metadata/core-properties",
        "dc": "dc/elements",
        "vt": "officeDocument/2006/docPropsVTypes",
    }.items()
)
_ODF: Final = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0"'
    for prefix in "office text table draw style meta xlink dc".split()
)


def docx(table: Rows, parts: Parts) -> bytes:
    """A document with a table, and everything else that holds text."""
    rows = "".join(f"<w:tr>{''.join(f'<w:tc>{_p(cell)}</w:tc>' for cell in row)}</w:tr>" for row in table)
    box, field = _said(parts, "text box"), _said(parts, "field")
    half = _said(parts, "text")
    body = (
        f"<w:p><w:r><w:t>{half[:8]}</w:t></w:r><w:r><w:t xml:space='preserve'>{half[8:]}</w:t></w:r></w:p>"
        f"<w:tbl>{rows}</w:tbl>"
        f"<w:p><w:r><wps:txbx><w:txbxContent>{_p(box, raw=True)}</w:txbxContent></wps:txbx></w:r></w:p>"
        f"<w:p><w:del w:author='x'><w:r><w:delText>{_said(parts, 'deleted')}</w:delText></w:r></w:del></w:p>"
        f"<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>{field}</w:instrText></w:r></w:p>"
    )
    return _zipped(
        {
            "[Content_Types].xml": _part("Types", ""),
            "word/document.xml": _part("w:document", f"<w:body>{body}</w:body>"),
            "word/header1.xml": _part("w:hdr", _p(_said(parts, "page header"), raw=True)),
            "word/comments.xml": _part("w:comments", _p(_said(parts, "comment"), raw=True)),
            "word/footnotes.xml": _part("w:footnotes", _p(_said(parts, "note"), raw=True)),
            "word/_rels/document.xml.rels": _link(parts),
            **_properties(parts),
        }
    )


def pptx(table: Rows, parts: Parts) -> bytes:
    """Two slides, one of which has a table."""
    cells = ["".join(f"<a:tc>{_p(cell, 'a')}</a:tc>" for cell in row) for row in table]
    rows = "".join(f"<a:tr>{row}</a:tr>" for row in cells)
    shape = f"<p:cNvPr id='1' descr={quoteattr(parts.get('description', 'none'))}/>"
    return _zipped(
        {
            "[Content_Types].xml": _part("Types", ""),
            "ppt/presentation.xml": _part("p:presentation", ""),
            "ppt/slides/slide1.xml": _part("p:sld", shape + _p(_said(parts, "text"), "a", raw=True)),
            "ppt/slides/slide2.xml": _part("p:sld", f"<a:tbl>{rows}</a:tbl>"),
            "ppt/notesSlides/notesSlide1.xml": _part("p:notes", _p(_said(parts, "note"), "a", raw=True)),
            "ppt/comments/comment1.xml": _part("p:cmLst", f"<p:cm><p:text>{_said(parts, 'comment')}</p:text></p:cm>"),
            "ppt/slideLayouts/slideLayout1.xml": _part("p:sldLayout", _p(_said(parts, "layout"), "a", raw=True)),
            "ppt/slides/_rels/slide1.xml.rels": _link(parts),
            **_properties(parts),
        }
    )


def odt(table: Rows, parts: Parts) -> bytes:
    """A document of OpenDocument."""
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = "".join(
        f"<table:table-row>{''.join(cell.format(escape(text)) for text in row)}</table:table-row>" for row in table
    )
    half = _said(parts, "text")
    link = quoteattr(f"mailto:{parts.get('link', 'none')}")
    body = (
        f"<text:tracked-changes><text:deletion>{_t(parts, 'deleted')}</text:deletion></text:tracked-changes>"
        f"<text:p>{half[:8]}<text:span>{half[8:]}</text:span><office:annotation>{_t(parts, 'comment')}"
        f"</office:annotation></text:p><table:table>{rows}</table:table>"
        f"<draw:frame><draw:text-box>{_t(parts, 'text box')}</draw:text-box></draw:frame>"
        f"<text:p>x<text:note><text:note-body>{_t(parts, 'note')}</text:note-body></text:note>"
        f"<text:a xlink:href={link}>y</text:a></text:p>"
    )
    own = f"<meta:user-defined meta:name='client'>{_said(parts, 'custom')}</meta:user-defined>"
    meta = f"<office:meta><dc:creator>{_said(parts, 'property')}</dc:creator>{own}</office:meta>"
    return _zipped(
        {
            "mimetype": b"application/vnd.oasis.opendocument.text",
            "content.xml": _part("office:document-content", f"<office:body>{body}</office:body>", _ODF),
            "styles.xml": _part(
                "office:document-styles", f"<style:header>{_t(parts, 'page header')}</style:header>", _ODF
            ),
            "meta.xml": _part("office:document-meta", meta, _ODF),
        }
    )


def _said(parts: Parts, part: str) -> str:
    return escape(parts.get(part, "none of it"))


def _p(text: str, space: str = "w", raw: bool = False) -> str:
    text = text if raw else escape(text)
    return f"<{space}:p><{space}:r><{space}:t>{text}</{space}:t></{space}:r></{space}:p>"


def _t(parts: Parts, part: str) -> str:
    return f"<text:p>{_said(parts, part)}</text:p>"


def _part(root: str, body: str, spaces: str = _SPACES) -> bytes:
    return f"<?xml version='1.0' encoding='UTF-8'?><{root} {spaces}>{body}</{root}>".encode()


def _link(parts: Parts) -> bytes:
    target = quoteattr(f"mailto:{parts.get('link', 'none')}")
    return _part("Relationships", f"<Relationship Id='rId1' Target={target} TargetMode='External'/>")


def _properties(parts: Parts) -> dict[str, bytes]:
    custom = f"<property name='client'><vt:lpwstr>{_said(parts, 'custom')}</vt:lpwstr></property>"
    return {
        "docProps/core.xml": _part("cp:coreProperties", f"<dc:creator>{_said(parts, 'property')}</dc:creator>"),
        "docProps/custom.xml": _part("Properties", custom),
    }


def _zipped(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, _STAMP)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)
    return out.getvalue()
