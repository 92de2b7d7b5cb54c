"""Read conditions on rows: of CHECK constraints and domains, in the forms that dumps have.

Comparisons, lists, BETWEEN, LIKE, regular expressions, lengths, AND, OR and NOT are read. A condition is evaluated as a
database does: a row for which it is unknown (NULL) meets it.

Sources: postgresql.org/docs/current, "Constraints" and "Pattern Matching"; dev.mysql.com/doc, "CHECK Constraints".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from piiscan.io.dumps.schema import Column, Condition, name_of, text_of_literal

if TYPE_CHECKING:
    import polars as pl

_TOKENS: Final = re.compile(
    r"(?:_\w+\s*)?[eE]?'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+|[^\W\d]\w*|::|"
    r"!~~\*|!~~|~~\*|~~|!~\*|!~|~\*|~|<>|!=|<=>|<=|>=|\|\||&&|[-+*/%=<>()\[\],.]"
)
_COMPARED: Final = ("=", "<>", "!=", "<", ">", "<=", ">=")
_LENGTHS: Final = ("length", "char_length", "character_length")
_NUMBERS: Final = (
    "integer", "int", "smallint", "bigint", "numeric", "decimal", "real", "double precision", "int4", "int8", "float8",
)  # fmt: skip
_TEXTS: Final = ("text", "character varying", "varchar", "bpchar", "character", "char")
_OF_TWO_WORDS: Final = {"character": ("varying",), "double": ("precision",)}
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_KINDS_OF_NUMBERS: Final = ("integer", "wide", "decimal", "float")
Kind = Literal["number", "text", "date", "boolean"]


class Unread(Exception):
    """Raised for a condition with a part that isn't known here."""


class Value(NamedTuple):
    """What a part of a condition evaluates to.

    `literal`: the text or number, if the part is one.
    """

    expression: pl.Expr
    kind: Kind
    literal: str | None = None


class Check(NamedTuple):
    """A condition on the cells of `columns`, given by their places in a frame."""

    name: str
    columns: tuple[int, ...]
    expression: pl.Expr

    def broken(self, frame: pl.DataFrame) -> int:
        """Return how many rows don't meet the condition."""
        return int((~frame.select(self.expression).to_series()).sum() or 0)


def read(
    condition: Condition,
    indices: Mapping[str, int],
    columns: Sequence[Column],
    is_mysql: bool,
    value: int | None = None,
) -> Check | None:
    """Return a condition on the columns of a table; None where it can't be read.

    `value`: the column that a domain's VALUE refers to.
    """
    reader = _Reader(condition.text, indices, columns, is_mysql, value)
    try:
        found = reader.whole()
    except (Unread, IndexError, ValueError):
        return None
    return Check(condition.name, tuple(sorted(reader.used)), found.expression)


class _Reader:
    """A recursive-descent parser of one condition."""

    def __init__(
        self, text: str, indices: Mapping[str, int], columns: Sequence[Column], is_mysql: bool, value: int | None
    ) -> None:
        self._tokens = _TOKENS.findall(text)
        if "".join("".join(self._tokens).split()) != "".join(text.split()):
            self._tokens = []  # something that is no token
        self._at, self._value, self._is_mysql = 0, value, is_mysql
        self._columns = columns
        self._indices = indices if not is_mysql else {name.lower(): i for name, i in indices.items()}
        self.used: set[int] = set()

    def whole(self) -> Value:
        found = self._any()
        if self._at != len(self._tokens) or found.kind != "boolean":
            raise Unread
        return found

    # From the loosest operator to the tightest.

    def _any(self) -> Value:
        found = self._all()
        while self._take("OR"):
            found = _both(found, self._all(), "|")
        return found

    def _all(self) -> Value:
        found = self._not()
        while self._take("AND"):
            found = _both(found, self._not(), "&")
        return found

    def _not(self) -> Value:
        if self._take("NOT"):
            return _negated(self._not())
        return self._predicate()

    def _predicate(self) -> Value:
        left = self._sum()
        token = self._peek()
        if token in _COMPARED:
            self._at += 1
            if self._peek() in ("ANY", "SOME", "ALL"):
                return self._of_array(left, token, self._next().upper())
            return self._compared(left, token, self._sum())
        if token in ("~", "~*", "!~", "!~*", "REGEXP", "RLIKE"):
            self._at += 1
            return self._matches(left, self._literal(), token)
        if token in ("~~", "~~*", "!~~", "!~~*"):
            self._at += 1
            return self._like(left, self._literal(), "*" in token, "!" in token)
        if token == "IS":
            self._at += 1
            return self._is(left)
        is_not = token == "NOT" and self._peek(1) in ("IN", "BETWEEN", "LIKE", "ILIKE", "REGEXP", "RLIKE")
        self._at += is_not
        found = self._listed(left)
        return _negated(found) if is_not else found

    def _listed(self, left: Value) -> Value:
        if self._take("IN"):
            self._expect("(")
            found = self._compared(left, "=", self._sum())
            while self._take(","):
                found = _both(found, self._compared(left, "=", self._sum()), "|")
            self._expect(")")
            return found
        if self._take("BETWEEN"):
            low = self._sum()
            self._expect("AND")
            return _both(self._compared(left, ">=", low), self._compared(left, "<=", self._sum()), "&")
        for word in ("LIKE", "ILIKE"):
            if self._take(word):
                return self._like(left, self._literal(), word == "ILIKE", False)
        if self._take("REGEXP") or self._take("RLIKE"):
            return self._matches(left, self._literal(), "REGEXP")
        return left

    def _is(self, left: Value) -> Value:
        is_not = self._take("NOT")
        if self._take("NULL"):
            found = Value(left.expression.is_null(), "boolean")
        elif left.kind == "boolean" and self._peek() in ("TRUE", "FALSE"):
            found = Value(left.expression.eq_missing(self._next().upper() == "TRUE"), "boolean")
        else:
            raise Unread
        return _negated(found) if is_not else found

    def _of_array(self, left: Value, operator: str, word: str) -> Value:
        """Parse `= ANY (ARRAY[…])` and `<> ALL (ARRAY[…])`."""
        if (operator, word) not in (("=", "ANY"), ("=", "SOME"), ("<>", "ALL"), ("!=", "ALL")):
            raise Unread
        depth = 0
        while self._take("("):
            depth += 1
        self._expect("ARRAY")
        self._expect("[")
        found = self._compared(left, operator, self._sum())
        while self._take(","):
            found = _both(found, self._compared(left, operator, self._sum()), "|" if operator == "=" else "&")
        self._expect("]")
        while depth:
            if self._take("::"):
                self._type()
            self._expect(")")
            depth -= 1
        return found

    def _sum(self) -> Value:
        found = self._product()
        while self._peek() in ("+", "-"):
            found = _calculated(found, self._next(), self._product())
        return found

    def _product(self) -> Value:
        found = self._cast()
        while self._peek() == "*":
            found = _calculated(found, self._next(), self._cast())
        return found

    def _cast(self) -> Value:
        found = self._atom()
        while self._take("::"):
            found = _as_type(found, *self._type())
        return found

    def _type(self) -> tuple[str, bool]:
        """Return a type's name, and whether it is an array type.

        Its length is ignored, as cells aren't truncated.
        """
        name = self._next().lower()
        while self._take("."):
            name = self._next().lower()
        for word in _OF_TWO_WORDS.get(name, ()):
            if self._take(word.upper()):
                name = f"{name} {word}"
        if self._peek() == "(":
            raise Unread
        is_array = self._take("[")
        if is_array:
            self._expect("]")
        return name.strip('"'), is_array

    def _atom(self) -> Value:
        import polars as pl

        token = self._next()
        if token == "(":
            found = self._any()
            self._expect(")")
            return found
        if token == "-":
            found = self._cast()
            return _calculated(Value(pl.lit(0), "number", "0"), "-", found)
        if re.fullmatch(r"[\d.]+(?:[eE][+-]?\d+)?", token):
            return _number(token)
        if token.endswith("'"):
            text = re.sub(r"\A_\w+\s*", "", token)
            return Value(pl.lit(text_of_literal(text)), "text", text_of_literal(text))
        if token.upper() in ("TRUE", "FALSE"):
            return Value(pl.lit(token.upper() == "TRUE"), "boolean")
        if self._peek() == "(" and token[0] not in '"`':
            return self._called(token.lower())
        return self._column(token)

    def _called(self, name: str) -> Value:
        self._expect("(")
        found = self._any()
        self._expect(")")
        if found.kind != "text":
            raise Unread
        if name in _LENGTHS and not (self._is_mysql and name == "length"):
            return Value(found.expression.str.len_chars().cast(_float()), "number")
        if name in ("lower", "upper"):
            changed = found.expression.str.to_lowercase() if name == "lower" else found.expression.str.to_uppercase()
            return Value(changed, "text")
        if name == "json_valid":
            return Value(found.expression.map_elements(is_json, return_dtype=_boolean()), "boolean")
        raise Unread

    def _column(self, token: str) -> Value:
        import polars as pl

        if self._value is not None and token.upper() == "VALUE":
            place = self._value
        else:
            name = name_of(token)
            found = self._indices.get(name.lower() if self._is_mysql else name)
            if found is None:
                raise Unread
            place = found
        self.used.add(place)
        kind, cell = self._columns[place].type, pl.col(str(place))
        if kind.kind in _KINDS_OF_NUMBERS:
            return Value(cell.cast(_float(), strict=False), "number")
        if kind.kind in ("text", "enum"):
            text = cell.cast(pl.String)
            return Value(text.str.strip_chars_end(" ") if _is_padded(kind.base) else text, "text")
        if kind.base == "date":
            return Value(cell.cast(pl.String), "date")
        if kind.base in ("boolean", "bool"):
            return Value(cell.cast(pl.String).str.to_lowercase().is_in(["t", "true", "1"]), "boolean")
        if self._is_mysql and kind.base == "json":
            return Value(cell.cast(pl.String), "text")
        raise Unread

    def _literal(self) -> str:
        found = self._sum()
        if found.kind != "text" or found.literal is None:
            raise Unread
        return found.literal

    def _compared(self, left: Value, operator: str, right: Value) -> Value:
        left, right = _alike(left, right), _alike(right, left)
        if left.kind != right.kind or (left.kind in ("text", "boolean") and operator not in ("=", "<>", "!=")):
            raise Unread
        a, b = left.expression, right.expression
        if left.kind == "text" and self._is_mysql:  # which takes no heed of case and of blanks at the end
            a, b = (each.str.to_lowercase().str.strip_chars_end(" ") for each in (a, b))
        return Value(
            {"=": a == b, "<>": a != b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[operator],
            "boolean",
        )

    def _matches(self, left: Value, pattern: str, operator: str) -> Value:
        flags = "(?si)" if operator.endswith("*") or self._is_mysql else "(?s)"
        return _found(left, flags + pattern, operator.startswith("!"))

    def _like(self, left: Value, pattern: str, any_case: bool, is_not: bool) -> Value:
        parts, escaped = [], False
        for char in pattern:
            if char == "\\" and not escaped:
                escaped = True
                continue
            parts.append(re.escape(char) if escaped or char not in "%_" else ".*" if char == "%" else ".")
            escaped = False
        flags = "(?si)" if any_case or self._is_mysql else "(?s)"
        return _found(left, f"{flags}\\A(?:{''.join(parts)})\\z", is_not)

    # Tokens.

    def _peek(self, ahead: int = 0) -> str:
        place = self._at + ahead
        token: str = self._tokens[place] if place < len(self._tokens) else ""
        return token.upper()

    def _next(self) -> str:
        self._at += 1
        token: str = self._tokens[self._at - 1]
        return token

    def _take(self, word: str) -> bool:
        if self._peek() != word:
            return False
        self._at += 1
        return True

    def _expect(self, word: str) -> None:
        if not self._take(word):
            raise Unread


def _both(left: Value, right: Value, operator: str) -> Value:
    if left.kind != "boolean" or right.kind != "boolean":
        raise Unread
    a, b = left.expression, right.expression
    return Value(a & b if operator == "&" else a | b, "boolean")


def _negated(found: Value) -> Value:
    if found.kind != "boolean":
        raise Unread
    return Value(~found.expression, "boolean")


def _calculated(left: Value, operator: str, right: Value) -> Value:
    left, right = _alike(left, right), _alike(right, left)
    if left.kind != "number" or right.kind != "number":
        raise Unread
    a, b = left.expression, right.expression
    made = a + b if operator == "+" else a - b if operator == "-" else a * b
    if left.literal == "0" and operator == "-" and right.literal is not None:
        return _number(right.literal, -1)
    return Value(made, "number")


def _number(text: str, sign: int = 1) -> Value:
    import polars as pl

    return Value(pl.lit(sign * float(text)), "number", text if sign > 0 else f"-{text}")


def _alike(value: Value, other: Value) -> Value:
    """Convert a text to the number or date that it is compared with."""
    if value.kind == "text" and value.literal is not None and other.kind in ("number", "date"):
        return _number(value.literal) if other.kind == "number" else _day(value)
    return value


def _day(value: Value) -> Value:
    if value.literal is None or not _DATE.fullmatch(value.literal):
        raise Unread
    return value._replace(kind="date")


def _as_type(value: Value, name: str, is_array: bool) -> Value:
    if is_array:
        raise Unread
    if name in _NUMBERS:
        if value.kind == "text" and value.literal is not None:
            return _number(value.literal)
        if value.kind == "number" and (value.literal is not None or name in ("numeric", "double precision", "float8")):
            return value
    elif name == "date" and value.kind in ("text", "date"):
        return value if value.kind == "date" else _day(value)
    elif value.kind == "text" and (name in _TEXTS or value.literal is not None) and name not in ("regex", "bytea"):
        return value
    raise Unread


def _found(left: Value, pattern: str, is_not: bool) -> Value:
    import polars as pl

    if left.kind != "text":
        raise Unread
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError:
        raise Unread from None
    found = left.expression.str.contains(pattern)
    return Value(~found if is_not else found, "boolean")


def _is_padded(base: str) -> bool:
    return base.split("(")[0] in ("char", "character", "bpchar", "nchar")


def is_json(text: str) -> bool:
    import json

    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _float() -> pl.DataType:
    import polars as pl

    return pl.Float64()


def _boolean() -> pl.DataType:
    import polars as pl

    return pl.Boolean()
