"""Tables amid the lines of a text: which notation they are in, if there are any."""

from __future__ import annotations

from typing import Final

from piiscan.io.content import Content, ReadTable
from piiscan.io.content_kinds import is_table
from piiscan.io.encodings.encoding import Encoding
from piiscan.io.messages import notations
from piiscan.io.read_options import ReadOptions

_OF_MARKUP: Final = ("|===", "{|", "\\begin{", "-table::", "@")


def tables_or_notes(
    content: Content, encoding: Encoding, options: ReadOptions, sample: str, complete: bool
) -> list[ReadTable] | tuple[str, ...]:
    """The tables amid a text that begins with `sample`, and its other lines; else notes on why it is read otherwise."""
    if options.delimiter is not None or is_table(content.source, content.compression):
        return ()
    if (kind := _kind(sample, complete)) is None:
        return ()
    from piiscan.io.documents import documents

    return documents.tables_or_notes(content, encoding, options, kind)


def _kind(sample: str, complete: bool) -> str | None:
    """In which notation a text that begins so (all of it if `complete`) has tables; None where it has none."""
    from piiscan.io.documents import aligned, forms, marked, talk

    if any(sign in sample for sign in _OF_MARKUP) and marked.begins(sample):
        return notations.MARKED
    if notations.is_piped(sample):
        return notations.PIPED
    if aligned.is_evident(sample, complete):
        return notations.ALIGNED
    if talk.begins(sample):
        return notations.TALK
    return notations.FORM if forms.begins(sample) else None
