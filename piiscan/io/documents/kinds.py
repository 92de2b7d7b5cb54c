"""Which texts are documents of keys, tags and values, and which are source code: by their names and how they begin."""

from __future__ import annotations

import re
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.content import Content
from piiscan.io.content_kinds import ending
from piiscan.io.delimited import account_files
from piiscan.io.documents import netrc_text, rtf_text
from piiscan.io.messages import notations

PASSED_OVER: Final = "source code, which --code looks at"
_DOCUMENTS: Final = {
    **dict.fromkeys(("yaml", "yml", "cff"), "yaml"),
    "toml": "toml",
    **dict.fromkeys(("ini", "cfg", "conf", "properties"), "ini"),
    "env": "env",
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    **dict.fromkeys(("ldif", "ldi"), "ldif"),
    **dict.fromkeys("xml xsd xsl xslt svg kml gpx gml rss atom plist resx".split(), "xml"),
}
_CODE: Final = {
    ending: family
    for family, endings in (
        (
            "c",
            "c h cc cpp cxx hpp hh hxx cs java js mjs cjs jsx ts mts cts tsx go rs swift kt kts scala dart groovy css "
            "scss less proto fs fsx",
        ),
        ("hash", "py pyi pyw rb r jl ex exs pl pm"),
        ("php", "php"),
        ("dashes", "lua hs elm adb ads"),
        ("shell", "sh bash zsh fish ksh ps1 psm1"),
        ("any", "m vb vbs bat cmd clj cljs el ml mli pas f f90 f95 erl vue svelte sass asm coffee"),
    )
    for ending in endings.split()
}
_HTML: Final = lazy_pattern(
    r"(?:<\?xml[^>]{0,200}>\s*)?(?:<!--(?:(?!-->).){0,2000}-->\s*)?<(?:!doctype\s+html\b|html\b)", re.I | re.S
)
_OBJECTS: Final = {"BEGIN:VCARD": "vcard", "BEGIN:VCALENDAR": "icalendar"}
_ENVIRONMENT: Final = re.compile(r"(?:^|[/!~-])\.env(?:\.[\w.-]+)?$")
_FIELD: Final = rb"[!-9;-~]{1,80}:[^\r\n]{0,4000}(?:\r?\n[ \t][^\r\n]{0,4000}){0,100}(?:\r?\n|\Z)"
_MAIL: Final = lazy_pattern(rb"\s{0,20}(?:>?From [^\r\n]{1,400}\r?\n){0,2}((?:" + _FIELD + rb"){2,200})")
_OF_MAIL: Final = lazy_pattern(
    rb"^(mime-version|content-transfer-encoding|from|to|subject|date|message-id|received|return-path):", re.I | re.M
)
_PUBLIC_KEYS: Final = lazy_pattern(
    r"\A\ufeff?(?:[ \t]*(?:\#[^\n]*)?\n){0,20}(?:[^\n#]{1,1000} )?"
    r"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\w{1,16}|sk-[\w.@-]{1,60}) AAAA[\w+/]{16}"
)
"""The first key in a file of authorised keys or known hosts, behind options or names of hosts."""
_BLANK: Final = "\ufeff \t\r\n"


def document(source: str, compression: str, sample: str) -> str | None:
    """The kind of document that a text is which begins with `sample`; None for other text.

    What begins as XML or HTML is that, whatever its name.
    """
    kind = _DOCUMENTS.get(ending(source, compression))
    if _ENVIRONMENT.search(source.lower()):
        kind = "env"
    start = sample[:4096].lstrip(_BLANK)
    if (of_lines := _OBJECTS.get(start.partition("\n")[0].strip().upper())) is not None:
        return of_lines
    if (of_messages := notations.kind_of(start)) is not None:
        return of_messages
    if start.startswith(rtf_text.BEGINNING):
        return "rtf"
    if netrc_text.begins(start):
        return "netrc"
    if start.startswith("<"):
        if kind in (None, "xml", "html") and _HTML.match(start):
            return "html"
        if kind is None and start.startswith("<?xml"):
            return "xml"
    elif kind == "xml" or (kind == "ini" and account_files.begins(sample)):
        return None
    return kind


def is_public_keys(sample: str) -> bool:
    """Whether a text is of public keys of SSH, a line each, and not a table: the text behind a key says whose it is."""
    return _PUBLIC_KEYS.match(sample) is not None


def may_be_mail(head: bytes) -> bool:
    """Whether a content that begins with `head` begins as a message, a mailbox or a web archive does: with headers."""
    start = _MAIL.match(head.removeprefix(b"\xef\xbb\xbf"))
    fields = {name.lower() for name in _OF_MAIL.findall(start[1])} if start is not None else set()
    return len(fields) > 1 or bool(fields.intersection((b"mime-version", b"content-transfer-encoding")))


def code(content: Content, head: bytes) -> str | None:
    """The family of languages that a text is source code of, by its name, unless it begins as XML does."""
    if head[:100].lstrip(_BLANK.encode()).startswith(b"<?xml"):
        return None
    return _CODE.get(ending(content.source, content.compression))
