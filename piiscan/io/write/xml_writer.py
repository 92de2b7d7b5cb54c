"""XML: values that change are written where they are, and every other byte stays."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from piiscan.core.errors import ReadError, UsageError, WriteError
from piiscan.io.cells.nested_values import EACH, is_container
from piiscan.io.cells.plain import LISTS
from piiscan.io.content import Content, ReadTable
from piiscan.io.documents import xml_files
from piiscan.io.documents.beside import Unparsed
from piiscan.io.documents.xml_files import Origin, Place
from piiscan.io.encodings.encoding import Encoding, as_utf8
from piiscan.io.nested.records import Record
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import CHANGED, Change, reading, where
from piiscan.io.write.copied_texts import COMMENTED, CopiedTexts
from piiscan.io.write.edits import Edit, PathPlan, edits, path_plan
from piiscan.io.write.encoded import opened
from piiscan.io.write.within import Supply, Within, rebuilt, value_at, with_new
from piiscan.io.write.xml_places import Attribute, Marks, PlacedRecords, Span, Tag, Text, Words

_DECLARED: Final = re.compile(r"(?:\ufeff)?<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]*)")
_NO_PLACE: Final = "a new value where XML has no text, or nests it too deeply; choose other values"
_TAGS: Final = "names of tags are values that would have to change; convert it to JSON or CSV, and use that"


class _Rows(NamedTuple):
    """What becomes of the rows of a table."""

    plan: PathPlan
    edits: Iterator[Edit]

    def next(self) -> Edit:
        """The edit of the next row. Raises `ReadError` where there is none."""
        edit = next(self.edits, None)
        if edit is None:
            raise ReadError(CHANGED)
        return edit


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """All tables of an XML file."""
    origin: Origin = tables[0].origin
    todo: dict[Place | None, _Rows] = {
        table.origin.place: _rows(table, change)
        for table, change in zip(tables, changes, strict=True)
        if change is not None
    }
    with reading():
        utf8, failure = (origin.content, None) if origin.encoding.is_utf8 else as_utf8(origin.content, origin.encoding)
    if failure is not None:
        raise failure
    try:
        copy = _Copy(utf8, origin, todo, Marks(_encodable(utf8, origin.encoding), origin.has_doctype))
        with opened(target, origin.content, origin.encoding) as out:
            for part in copy.parts():
                out.write(part)
    except Unparsed as error:
        raise ReadError(str(error)) from None
    except WriteError as error:
        raise WriteError(f"{tables[0].info.source}: {error}") from None
    origin.content.read_whole()
    if copy.has_gone:
        _check_tables(tables, target, origin.encoding)


def _rows(table: ReadTable, change: Change) -> _Rows:
    plan = path_plan(table, change, table.origin.paths)
    if plan.drops:
        raise UsageError(
            f"{where(table.info)}: columns of XML can't be left out; suppress them instead of dropping them"
        )
    return _Rows(plan, edits(table, change, table.origin.paths))


def _check_tables(before: Sequence[ReadTable], target: Path, encoding: Encoding) -> None:
    """Raises `ReadError` where too few rows are left to be read as the same tables."""
    content = Content(before[0].info.source, str(target))
    try:
        after = xml_files.tables(content, encoding, ReadOptions(asides=False), ())
    except Unparsed:
        after = []
    if [_columns(table) for table in before] != [_columns(table) for table in after]:
        raise ReadError("without the rows that are left out it would be read as other tables; leave out fewer")


def _columns(table: ReadTable) -> tuple[str | None, tuple[str | None, ...]]:
    return table.info.table, tuple(field.name for field in table.info.fields)


class _Copy:
    """The bytes of a file with new values in them. `has_gone`: a row was left out."""

    def __init__(self, content: Content, origin: Origin, todo: Mapping[Place | None, _Rows], marks: Marks) -> None:
        self._content, self._root, self._todo, self._marks = content, origin.root, todo, marks
        self._copied = CopiedTexts(origin.beside)
        self._spans: list[Span] = []
        self.has_gone = False

    def parts(self) -> Iterator[bytes]:
        """Yield them piece by piece."""
        rest = deque(self._of_rest())
        held, at = bytearray(), 0  # what isn't written yet, and where it begins
        for block, safe in self._blocks():
            held += block
            ready = [span for span in self._spans if 0 <= span.end <= safe]
            self._spans = [span for span in self._spans if not 0 <= span.end <= safe]
            while rest and rest[0].end <= safe:
                ready.append(rest.popleft())
            for span in sorted(ready, key=_start):
                yield bytes(held[: span.start - at])
                yield span.written(bytes(held[span.start - at : span.end - at]), self._marks)
                del held[: span.end - at]
                at = span.end
            yield bytes(held[: safe - at])
            del held[: safe - at]
            at = safe
        if any(next(rows.edits, None) is not None for rows in self._todo.values()):
            raise ReadError(CHANGED)

    def _blocks(self) -> Iterator[tuple[bytes, int]]:
        """The blocks of the file, and up to where what changes is known."""
        at = 0
        placed = PlacedRecords(self._root, self._row)
        for block in xml_files.fed(placed.parser, self._content):
            at += len(block)
            yield block, placed.safe if block else at

    def _of_rest(self) -> list[Span]:
        """What changes beside the rows. Raises `ReadError` where all of it is to be left out."""
        if None not in self._todo:
            return []
        rows = self._todo[None]
        edit = rows.next()
        if edit.gone:
            raise ReadError("what doesn't repeat in XML can't be left out; suppress its columns")
        if edit.is_empty:
            return []
        placed = PlacedRecords(self._root, lambda *_: None)
        for _ in xml_files.fed(placed.parser, self._content):
            pass
        return _changed(placed.rest, edit, rows.plan, self._copied)

    def _row(self, place: Place, record: Record, span: Span) -> None:
        if place not in self._todo:
            return
        rows = self._todo[place]
        edit = rows.next()
        if edit.gone:
            self._spans.append(span)
            self.has_gone = True
        elif not edit.is_empty:
            self._spans += _changed(record, edit, rows.plan, self._copied)


def _start(span: Span) -> int:
    return span.start


def _changed(record: Record, edit: Edit, plan: PathPlan, copied: CopiedTexts) -> list[Span]:
    """The spans of a record that change, in their order."""
    new = _NewValues(copied)
    for path in {**edit.cells, **edit.inside}:
        value = value_at(record, path)
        if not is_container(value):
            if path in edit.cells:
                new.replace(value, edit.cells[path])
            continue
        cells = {**edit.inside.get(path, {}), **({EACH: edit.cells[path]} if path in edit.cells else {})}
        try:
            made = rebuilt(value, Supply(cells, plan.within.get(path, Within())), new.put, True)
        except StopIteration:
            raise ReadError(CHANGED) from None
        if _keys(made) != _keys(value):
            raise ReadError(_TAGS)
    return new.spans()


def _keys(value: Any) -> list[Any]:
    if type(value) is dict:
        return [(key, _keys(inner)) for key, inner in value.items()]
    return [_keys(inner) for inner in value] if type(value) in LISTS else []


class _NewValues:
    """Collects the new values of a record."""

    def __init__(self, copied: CopiedTexts) -> None:
        self._copied = copied
        self._tags: dict[Tag, None] = {}
        self._words: dict[Words, None] = {}

    def replace(self, old: Any, new: Any) -> None:
        """A cell, element by element where it is a list."""
        for leaf, value in with_new(old, new):
            self.put(leaf, value)

    def put(self, old: Any, new: Any) -> Any:
        """A value, with what takes its place, which is returned."""
        text = "" if new is None else str(new)
        if text == (old or ""):
            return old
        if self._copied.hold(str(old or "")):
            raise ReadError(COMMENTED)
        if isinstance(old, Attribute):
            old.tag.new[old.name] = text
            self._tags[old.tag] = None
        elif isinstance(old, Text):
            old.words.change(old.version, text)
            self._words[old.words] = None
        else:
            raise WriteError(_NO_PLACE)
        return old

    def spans(self) -> list[Span]:
        """What changes, in the order of the file."""
        return sorted([*self._tags, *(span for words in self._words for span in words.spans())], key=_start)


def _encodable(content: Content, encoding: Encoding) -> Callable[[str], str]:
    """What writes characters as references that the file's encoding lacks.

    Where it declares another one than it was read in, so are those that differ between the two.
    """
    names = {codecs.lookup(encoding.name).name}
    if (found := _DECLARED.match(content.head(1024).decode("utf-8", "replace"))) is not None:
        with suppress(LookupError):
            names.add(codecs.lookup(found[1]).name)
    if all(name.startswith("utf") for name in names):
        return str

    @lru_cache(maxsize=4096)
    def is_same(char: str) -> bool:
        try:
            return len({char.encode(name) for name in names}) == 1
        except UnicodeEncodeError:
            return False

    return lambda text: (
        text if text.isascii() else "".join(c if c.isascii() or is_same(c) else f"&#{ord(c)};" for c in text)
    )
