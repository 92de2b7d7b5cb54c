"""The text of a page of a PDF file as lines, from where its glyphs stand.

The two extractors of pypdf end a line wherever the content stream moves (plain), or pass over forms, rotated text and
the order of right-to-left letters (layout). Here each string that is shown has its place, and a line is all strings on
one base line: a label is beside its value, words and letters that were drawn one by one are put together again.
Source: ISO 32000-2, 8.3, 9.2 to 9.4.
"""

from __future__ import annotations

import math
import re
import statistics
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

from pypdf.generic import ContentStream, DictionaryObject, StreamObject
from pypdf.generic._font import Font

from piiscan.core.errors import ReadError

Matrix = tuple[float, float, float, float, float, float]
UNIT: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_DEEPEST: Final = 20
"""Forms within forms."""
_LEAST: Final = 1000
"""Bytes that a content stream counts for at least."""
_MOST_FONTS: Final = 500
"""Fonts that are kept in memory."""
_FEW: Final = 4
"""Different glyphs of a font, fewer of which are bullets and other marks; a word or a number has more."""
_SAME_LINE: Final = 0.4
"""Of the height of the smaller text: what is no further up or down belongs to the same line."""
_BLANK: Final = (0.1, 0.25)
"""The least and the most of the height that a gap between words has."""
_WIDE: Final = 1.5
"""Of the height: a gap between columns."""
_LONG: Final = 25
"""Characters of a line in a column of running text; labels and cells have fewer."""
_GAP: Final = "   "
_LONGEST: Final = 1000
"""Characters of a line that may go on in the next one."""
_PAINTS: Final = frozenset((b"INLINE IMAGE", b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"S", b"s", b"sh"))
_RIGHT: Final = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_IS_RIGHT: Final = re.compile(f"[{_RIGHT}]")
_RIGHT_RUN: Final = re.compile(f"[{_RIGHT}](?:[^A-Za-z\\d]*[{_RIGHT}])?")
_LEFT_RUN: Final = re.compile(rf"[^\W\d_{_RIGHT}](?:[^{_RIGHT}]*[^\W_{_RIGHT}])?|\+?\d(?:[\d.,:/+-]*\d)?", re.UNICODE)
_MIRRORED: Final = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_FORMS: Final = re.compile("[\ufb00-\ufdff\ufe70-\ufefc]+")
"""Ligatures, and letters in the form that they have within a word."""
_HYPHENS: Final = "-\u00ad\u2010"


def entry(held: Any, key: Any) -> Any:
    """What a dictionary has under a key, wherever it is stored; None for nothing."""
    found = held.get(key) if isinstance(held, DictionaryObject) else None
    return found if found is None else found.get_object()


def data_of(stream: Any) -> bytes:
    """The content of a stream, which pypdf would keep in memory."""
    data: bytes = stream.get_data()
    _forget(stream)
    return data


def _forget(stream: Any) -> None:
    if getattr(stream, "decoded_self", None) is not None:
        stream.decoded_self = None


class Piece(NamedTuple):
    """A string that is shown: where it begins and ends along its base line, and how far up that is.

    `blank`: the least gap that separates words.
    """

    text: str
    start: float
    end: float
    up: float
    size: float
    blank: float
    angle: int


@dataclass
class PageText:
    """What is found on a page.

    `unknown`: for each font, the codes of glyphs that stand for no known character; `seen`: the streams that were read,
    by their numbers; `pictures`: those within content streams; `is_drawn`: something other than text is painted.
    """

    pieces: list[Piece] = field(default_factory=list)
    unknown: dict[int, set[str]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    pictures: int = 0
    is_drawn: bool = False

    @property
    def is_unknown(self) -> bool:
        """Whether there may be words that can't be read: fonts don't say which characters their glyphs are."""
        return any(len(codes) >= _FEW for codes in self.unknown.values())


class _Glyphs:
    """A font that turns codes into characters with their widths."""

    def __init__(self, resource: DictionaryObject, is_warned: Callable[[], bool]) -> None:
        self.font = Font.from_font_resource(resource)
        font, subtype = self.font, entry(resource, "/Subtype")
        has_map = bool(font.character_map)
        if subtype == "/Type0":
            encoding = entry(resource, "/Encoding")
            is_known = has_map or not (isinstance(encoding, str) and encoding.startswith("/Identity"))
            # A table of codes of the file's own isn't read, and what isn't implemented is guessed at.
            self._is_unknown = not is_known or isinstance(font.encoding, dict)
        else:
            flags = entry(entry(resource, "/FontDescriptor"), "/Flags")
            is_symbolic = subtype == "/TrueType" and isinstance(flags, int) and bool(flags & 4)
            self._is_unknown = not has_map and (not font.interpretable or (is_symbolic and "/Encoding" not in resource))
        self._is_unknown |= is_warned() and not has_map
        self._has_to_map = subtype == "/Type0" and has_map
        self.is_simple = not isinstance(font.encoding, str)
        self._known: dict[Any, tuple[str, float, bool]] = {}

    def of(self, data: bytes) -> Iterator[tuple[Any, str, float, bool]]:
        """Each code: its character, its width in thousandths of the size, and whether it is a known one."""
        font = self.font
        codes: Any = data
        if isinstance(font.encoding, str):
            try:
                codes = data.decode(font.encoding, "surrogatepass")
            except UnicodeDecodeError:
                codes = data.decode(font.encoding, "replace")
        for code in codes:
            if (known := self._known.get(code)) is None:
                known = self._known[code] = self._glyph(code)
            yield code, *known

    def _glyph(self, code: Any) -> tuple[str, float, bool]:
        font = self.font
        raw = chr(code) if isinstance(code, int) else code
        named = font.encoding.get(code, raw) if isinstance(font.encoding, dict) else raw
        text = font.character_map.get(named, named)
        if not isinstance(text, str):
            text = ""
        width = font.space_width if raw == font.space_char else font.get_text_width(raw)
        is_known = not self._is_unknown and (not self._has_to_map or named in font.character_map) and _is_said(text)
        return text if is_known or not self._is_unknown else "\ufffd", float(width), is_known


def _is_said(text: str) -> bool:
    """Whether something is characters, rather than the name of a glyph or a code without meaning."""
    if text.startswith("/") and len(text) > 1:
        return False
    return not any(
        unicodedata.category(c) in ("Co", "Cn", "Cs", "Cc") or c == "\ufffd" for c in text if c not in "\t\r\n"
    )


@dataclass(frozen=True)
class _State:
    matrix: Matrix = UNIT
    glyphs: _Glyphs | None = None
    size: float = 1.0
    per_glyph: float = 0.0
    per_word: float = 0.0
    across: float = 1.0
    leading: float = 0.0
    rise: float = 0.0


class Reader:
    """Reads content streams. `spend`: called with the size of each, raises `ReadError` when it is too much in all.

    `warnings`: how many problems pypdf has come across so far.
    """

    def __init__(self, pdf: Any, spend: Callable[[int], None], warnings: Callable[[], int]) -> None:
        self._pdf, self._spend, self._warnings = pdf, spend, warnings
        self._fonts: dict[int, _Glyphs | None] = {}
        self._fonts_held: list[Any] = []

    def read(self, stream: Any, resources: Any, page: PageText, matrix: Matrix = UNIT, depth: int = 0) -> None:
        """Add what a content stream, or a list of its parts, shows. Raises `ReadError`, and errors of pypdf."""
        if depth > _DEEPEST:
            raise ReadError(f"forms nested more than {_DEEPEST} deep")
        content = ContentStream(stream, self._pdf, "bytes")
        for part in stream if isinstance(stream, list) else (stream,):
            _forget(part.get_object())
        self._spend(_LEAST + len(content.get_data()))
        resources = resources if isinstance(resources, DictionaryObject) else DictionaryObject()
        state, saved = _State(matrix), list[_State]()
        text, line = UNIT, UNIT
        for operands, operator in content.operations:
            if operator == b"q":
                if len(saved) < 1000:
                    saved.append(state)
            elif operator == b"Q":
                state = saved.pop() if saved else state
            elif operator == b"cm":
                state = replace(state, matrix=_times(_matrix(operands), state.matrix))
            elif operator == b"Do":
                self._shown(operands, resources, page, state.matrix, depth)
            elif operator in _PAINTS:
                page.pictures += operator == b"INLINE IMAGE"
                page.is_drawn = True
            elif operator == b"BT":
                text = line = UNIT
            elif operator in (b"Td", b"TD", b"Tm", b"T*", b"'", b'"'):
                state, line = _moved(operator, operands, state, line)
                text = line
                if operator in (b"'", b'"'):
                    text = self._show(operands[-1:], state, text, page)
            elif operator == b"Tj":
                text = self._show(operands[:1], state, text, page)
            elif operator == b"TJ":
                text = self._show(operands[0] if operands else [], state, text, page)
            elif operator == b"Tf":
                size = _number(operands, 1)
                state = replace(state, glyphs=self._glyphs(operands, resources), size=size)
            else:
                state = _set(operator, operands, state)

    def _shown(self, operands: Any, resources: Any, page: PageText, matrix: Matrix, depth: int) -> None:
        """A picture, or a form with content of its own."""
        shown = entry(entry(resources, "/XObject"), operands[0]) if operands else None
        page.is_drawn = True
        if isinstance(shown, StreamObject) and entry(shown, "/Subtype") != "/Image":
            self.form(shown, resources, page, matrix, depth + 1)

    def form(self, form: Any, outer: Any, page: PageText, matrix: Matrix = UNIT, depth: int = 0) -> None:
        """Add what a form shows, whose resources are its own or, in old files, those around it."""
        if (reference := form.indirect_reference) is not None:
            page.seen.add(reference.idnum)
        own = _matrix(entry(form, "/Matrix") or ())
        self.read(form, entry(form, "/Resources") or outer, page, _times(own, matrix), depth)

    def _glyphs(self, operands: Any, resources: DictionaryObject) -> _Glyphs | None:
        font = entry(entry(resources, "/Font"), operands[0]) if operands else None
        if not isinstance(font, DictionaryObject):
            return None
        if id(font) not in self._fonts:
            if len(self._fonts_held) >= _MOST_FONTS:
                self._fonts.clear()
                self._fonts_held.clear()
            before = self._warnings()
            self._fonts_held.append(font)
            self._fonts[id(font)] = _Glyphs(font, lambda: self._warnings() > before)
        return self._fonts[id(font)]

    def _show(self, strings: Any, state: _State, at: Matrix, page: PageText) -> Matrix:
        """Add the strings; numbers between them move them together or apart. Returns the place behind them."""
        if not isinstance(strings, list):
            return at
        for item in strings:
            if isinstance(item, (int, float)):
                at = _moved_by(at, -float(item) / 1000 * state.size * state.across)
            elif isinstance(item, bytes):
                at = self._show_one(item, state, at, page)
        return at

    def _show_one(self, data: bytes, state: _State, at: Matrix, page: PageText) -> Matrix:
        glyphs, said, width = state.glyphs, list[str](), 0.0
        if glyphs is None:
            page.unknown.setdefault(0, set()).update(map(chr, data))
            return at
        for code, text, of_one, is_known in glyphs.of(data):
            if not is_known:
                page.unknown.setdefault(id(glyphs), set()).add(str(code))
            # Such as a ligature's letters, which are in the order of reading, among glyphs in that of places.
            said.append(text[::-1] if len(text) > 1 and _IS_RIGHT.search(text) else text)
            width += of_one / 1000 * state.size + state.per_glyph
            if glyphs.is_simple and code == 32:
                width += state.per_word
        width *= state.across
        a, b, c, d, x, y = _times(at, state.matrix)
        x, y = x + state.rise * c, y + state.rise * d
        scale = math.hypot(a, b)
        height = abs(state.size) * math.hypot(c, d)
        along, up = (a / scale, b / scale) if scale else (1.0, 0.0)
        start, over = x * along + y * up, y * along - x * up
        least, most = _BLANK
        blank = min(max(glyphs.font.space_width / 2000, least), most) * height
        piece = Piece(
            "".join(said), start, start + width * scale, over, height, blank, round(math.degrees(math.atan2(up, along)))
        )
        if piece.text and all(map(math.isfinite, piece[1:])):
            page.pieces.append(piece)
        elif piece.text:
            page.pieces.append(Piece(piece.text, 0.0, 0.0, 0.0, 0.0, 0.0, 0))
        return _moved_by(at, width)


def _set(operator: bytes, operands: Any, state: _State) -> _State:
    """The state with a parameter of text, where the operator sets one."""
    value = _number(operands, 0)
    match operator:
        case b"Tc":
            return replace(state, per_glyph=value)
        case b"Tw":
            return replace(state, per_word=value)
        case b"Tz":
            return replace(state, across=value / 100)
        case b"TL":
            return replace(state, leading=value)
        case b"Ts":
            return replace(state, rise=value)
    return state


def _moved(operator: bytes, operands: Any, state: _State, line: Matrix) -> tuple[_State, Matrix]:
    """The state and the beginning of the next line of text."""
    if operator == b"Tm":
        return state, _matrix(operands)
    if operator == b'"':
        state = replace(state, per_word=_number(operands, 0), per_glyph=_number(operands, 1))
    across, down = (_number(operands, 0), _number(operands, 1)) if operator in (b"Td", b"TD") else (0.0, -state.leading)
    if operator == b"TD":
        state = replace(state, leading=-down)
    return state, _times((1.0, 0.0, 0.0, 1.0, across, down), line)


def _number(operands: Any, place: int) -> float:
    value = operands[place] if place < len(operands) else 0
    return float(value) if isinstance(value, (int, float)) else 0.0


def _matrix(operands: Any) -> Matrix:
    if len(operands) < 6:
        return UNIT
    a, b, c, d, e, f = (_number(operands, i) for i in range(6))
    return a, b, c, d, e, f


def _times(m: Matrix, n: Matrix) -> Matrix:
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )


def placed(form: Any, rectangle: Any) -> Matrix:
    """Where an annotation shows its form: its box lies in the rectangle."""
    box = entry(form, "/BBox")
    if not (isinstance(rectangle, list) and isinstance(box, list)):
        return UNIT
    x = min(_number(rectangle, 0), _number(rectangle, 2)) - min(_number(box, 0), _number(box, 2))
    y = min(_number(rectangle, 1), _number(rectangle, 3)) - min(_number(box, 1), _number(box, 3))
    return 1.0, 0.0, 0.0, 1.0, x, y


def _moved_by(at: Matrix, width: float) -> Matrix:
    a, b, c, d, x, y = at
    return a, b, c, d, x + width * a, y + width * b


def lines(pieces: list[Piece]) -> list[str]:
    """The lines of a page from top to bottom, those of each direction of writing on their own."""
    out: list[str] = []
    for angle in sorted({piece.angle for piece in pieces}, key=abs):
        rows = [_segments(row) for row in _rows([piece for piece in pieces if piece.angle == angle])]
        out += _unhyphenated(_columns([row for row in rows if row]))
    return [line for line in map(_clean, out) if line]


def _rows(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """The pieces on one base line each, more or less."""
    row: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: -piece.up):
        if row and row[0].up - piece.up > _SAME_LINE * min(row[0].size, piece.size):
            yield row
            row = []
        row.append(piece)
    if row:
        yield row


def _segments(row: list[Piece]) -> list[str]:
    """The texts of a line, between gaps as wide as those of columns."""
    row.sort(key=lambda piece: piece.start)
    gaps = [after.start - piece.end for piece, after in pairwise(row)]
    # Letters that are set apart: gaps between them are no blanks.
    letters = [gap for piece, gap in zip(row, gaps, strict=False) if len(piece.text) == 1]
    spread = statistics.median(letters) if len(letters) >= 4 and 2 * len(letters) > len(gaps) else 0.0
    out: list[list[str]] = [[]]
    end = -math.inf
    last: Piece | None = None
    for piece in row:
        if last is not None and piece.text == last.text and abs(piece.start - last.start) < 0.3 * piece.size:
            continue  # drawn twice, to look bold
        gap, height = piece.start - end, piece.size
        if last is not None and gap > _WIDE * height:
            out.append([])
        elif last is not None and (gap > max(piece.blank, spread * 1.5) or gap < -height):
            out[-1].append("" if last.text.endswith(" ") else " ")
        out[-1].append(piece.text)
        last, end = piece, max(end, piece.end)
    return [text for parts in out if (text := "".join(parts)).strip()]


def _columns(rows: list[list[str]]) -> list[str]:
    """The rows as lines. Two columns of running text are one below the other; labels and cells stay beside others."""
    out: list[str] = []
    right: list[str] = []
    for row in rows:
        if len(row) == 2 and min(map(len, row)) >= _LONG:
            out.append(row[0])
            right.append(row[1])
            continue
        out += right
        right = []
        out.append(_GAP.join(text.strip() for text in row))
    return out + right


def _unhyphenated(found: list[str]) -> list[str]:
    """The lines, where a word that goes on in the next one is put together: its rest is moved up."""
    out: list[str] = []
    for line in map(str.strip, found):
        before = out[-1] if out else ""
        if 2 < len(before) < _LONGEST and before[-1] in _HYPHENS and before[-2].isalnum() and line[:1].isalnum():
            rest, _, line = line.partition(" ")
            out[-1] = (before[:-1] if rest[0].islower() and before[-2].islower() else before) + rest
        out.append(line)
    return out


def _clean(line: str) -> str:
    if _IS_RIGHT.search(line):
        line = _logical(line)
    line = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), line)
    line = line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(" " if unicodedata.category(c) == "Cc" else c for c in line if c != "\u00ad").strip()


def _logical(line: str) -> str:
    """A line with letters that are written from right to left, in the order of reading instead of that of places."""
    right = len(_IS_RIGHT.findall(line))
    if 2 * right < sum(map(str.isalpha, line)):
        return _RIGHT_RUN.sub(lambda run: run[0][::-1].translate(_MIRRORED), line)
    return _LEFT_RUN.sub(lambda run: run[0][::-1], line[::-1].translate(_MIRRORED))
