"""Read the tables that the statements of a dump declare: columns, types, keys, constraints, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from piiscan.io.dumps.dialects import Dialect

_NAME: Final = r"(?:\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\]|[^\s\"`().,;'\[\]=]+)"
_NAMES: Final = rf"{_NAME}(?:\.{_NAME})*"
_TOKEN: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/|[eE]?'(?:[^'\\]|''|\\.)*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\$(\w*)\$.*?\$\1\$|[(),]|[^\s(),'\"`]+",
    re.DOTALL,
)
_CREATE: Final = re.compile(
    rf"CREATE\s+(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|FOREIGN)\s+)*TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?({_NAMES})\s*\(",
    re.IGNORECASE,
)
_PARTITION: Final = re.compile(rf"CREATE\s+TABLE\s+({_NAMES})\s+PARTITION\s+OF\s+({_NAMES})", re.IGNORECASE)
_ALTER: Final = re.compile(rf"ALTER\s+TABLE\s+(?:ONLY\s+)?({_NAMES})\s+(.*)", re.IGNORECASE | re.DOTALL)
_ATTACH: Final = re.compile(rf"ATTACH\s+PARTITION\s+({_NAMES})", re.IGNORECASE)
_ENUM: Final = re.compile(rf"CREATE\s+TYPE\s+({_NAMES})\s+AS\s+ENUM\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_DOMAIN: Final = re.compile(rf"CREATE\s+DOMAIN\s+({_NAMES})\s+AS\s+(.*)", re.IGNORECASE | re.DOTALL)
_INDEX: Final = re.compile(
    rf"CREATE\s+UNIQUE\s+INDEX\s+(?:\S+\s+)?ON\s+(?:ONLY\s+)?({_NAMES})\s*(?:USING\s+\w+\s*)?\(([^()]*)\)\s*"
    r"(?:NULLS\s+NOT\s+DISTINCT\s*)?;?\s*\Z",
    re.IGNORECASE,
)
_COMMENT: Final = re.compile(
    rf"COMMENT\s+ON\s+COLUMN\s+({_NAMES})\s+IS\s+([eE]?'(?:[^'\\]|''|\\.)*')", re.IGNORECASE | re.DOTALL
)
_ENCODING: Final = re.compile(r"SET\s+(?:client_encoding\s*=\s*'?|NAMES\s+'?)([\w-]+)", re.IGNORECASE)
_STRINGS: Final = re.compile(r"SET\s+standard_conforming_strings\s*=\s*'?(\w+)", re.IGNORECASE)
_PATH: Final = re.compile(rf"(?:SET\s+search_path\s*=\s*|SELECT\s+pg_catalog\.set_config\('search_path',\s*')({_NAME})")
_USE: Final = re.compile(rf"USE\s+({_NAME})", re.IGNORECASE)
_CONNECT: Final = re.compile(rf"\\connect\s+(?:-\S+\s+)*({_NAME})")
_NO_ESCAPES: Final = re.compile(r"sql_mode\s*=\s*'[^']*NO_BACKSLASH_ESCAPES", re.IGNORECASE)
_CONDITIONAL: Final = re.compile(r"\A/\*M?!\d*\s*(.*?)\*/", re.DOTALL)
_END_OF_TYPE: Final = frozenset(
    "NOT NULL DEFAULT CONSTRAINT PRIMARY UNIQUE CHECK REFERENCES GENERATED COLLATE COMMENT AUTO_INCREMENT ON AS KEY "
    "INVISIBLE VISIBLE VIRTUAL STORED PERSISTENT STORAGE COMPRESSION AUTOINCREMENT".split()
)
Kind = Literal["integer", "wide", "decimal", "float", "bytes", "array", "enum", "text", "other"]
_NAMES_OF_KINDS: Final[dict[Kind, str]] = {
    "integer": "smallint,integer,bigint,int,int2,int4,int8,serial,bigserial,smallserial,tinyint,mediumint",
    "decimal": "numeric,decimal,dec,fixed",
    "float": "real,double precision,float,float4,float8,double",
    "bytes": "bytea,blob,tinyblob,mediumblob,longblob,binary,varbinary",
    "enum": "enum",
    "text": "text,character varying,varchar,character,char,bpchar,citext,name,tinytext,mediumtext,longtext,nvarchar,"
    "nchar,clob,national character varying",
}
_KINDS: Final[dict[str, Kind]] = {name: kind for kind, names in _NAMES_OF_KINDS.items() for name in names.split(",")}


_KNOWN: Final = re.compile(r"(?:jsonb?|inet|cidr|time|date)\b|timestamp|datetime|uuid|macaddr|bool|year")
"""Types other than numbers, texts and bytes that a new value can be held to."""
_BITS: Final = {
    "tinyint": 7, "smallint": 15, "int2": 15, "smallserial": 15, "mediumint": 23, "int": 31, "integer": 31, "int4": 31,
    "serial": 31,
}  # fmt: skip


class Condition(NamedTuple):
    """A condition of a CHECK constraint or a domain. `name`: that of the constraint, or of what it belongs to."""

    name: str
    text: str


class ColumnType(NamedTuple):
    """A column's type as it is declared.

    `base`: in lower case. `length`: the most characters of a text. `labels`: all values of an enumeration. `digits`,
    `scale`: of a decimal number. `conditions`, `required`: of a domain.
    """

    kind: Kind = "text"
    base: str = ""
    length: int | None = None
    labels: tuple[str, ...] = ()
    digits: int | None = None
    scale: int = 0
    conditions: tuple[Condition, ...] = ()
    required: bool = False

    @property
    def largest(self) -> int | None:
        """The largest number that an integer type holds; None for 64 bits and for other types."""
        bits = _BITS.get(self.base.split("(")[0].split()[0]) if self.kind == "integer" and self.base else None
        return None if bits is None else 2 ** (bits + ("unsigned" in self.base)) - 1

    @property
    def is_opaque(self) -> bool:
        """Whether nothing is known of what else a column of the type may hold: geometry, ranges, intervals, bits."""
        return self.kind == "other" and _KNOWN.match(self.base) is None

    @property
    def smallest(self) -> int | None:
        """The smallest number that an integer type holds."""
        if self.largest is None:
            return None
        return 0 if "unsigned" in self.base else -self.largest - 1


_OTHERS: Final = ("KEY", "INDEX", "FULLTEXT", "SPATIAL")
"""What MySQL's indexes begin with; elsewhere columns may be called so."""
_PAIRS: Final = (["PERIOD", "FOR"], ["EXCLUDE", "USING"], ["EXCLUDE", "("])
_TEXT: Final = ColumnType()


@dataclass
class Column:
    """A column as it is declared."""

    name: str
    type: ColumnType = _TEXT
    required: bool = False
    comment: str | None = None
    declared: str = ""


class Reference(NamedTuple):
    """Columns that hold keys of another table."""

    columns: tuple[str, ...]
    table: tuple[str, ...]
    targets: tuple[str, ...]


@dataclass
class Table:
    """A table as it is declared.

    `unique`: the columns that together have no two equal rows. `checks`: the conditions on rows.
    """

    key: tuple[str, ...]
    columns: dict[str, Column] = field(default_factory=dict)
    primary: tuple[str, ...] = ()
    unique: list[tuple[str, ...]] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    checks: list[Condition] = field(default_factory=list)


class Schema:
    """The tables declared so far, by database, schema and name."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.tables: dict[tuple[str, ...], Table] = {}
        self.encoding: str | None = None
        self.databases: list[str] = []
        self._database = ""
        self._schema = "public" if dialect.name == "postgresql" else ""
        self._enums: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._domains: dict[tuple[str, ...], ColumnType] = {}
        self._parents: dict[tuple[str, ...], tuple[str, ...]] = {}

    def key(self, name: str) -> tuple[str, ...]:
        """Return a table's key, by its name as it is written."""
        parts = names_of(name)
        if self.dialect.name == "postgresql":
            return (self._database, parts[-2] if len(parts) > 1 else self._schema, parts[-1])
        if self.dialect.name == "mysql":
            return (parts[-2] if len(parts) > 1 else self._database, "", parts[-1])
        return ("", "", parts[-1])

    def see(self, statement: str) -> None:
        """Take note of a statement, with its semicolon."""
        statement = statement.strip()
        if (found := _CONDITIONAL.match(statement)) is not None:
            statement = found[1]
        first = statement[:8].upper()
        if first.startswith(("SET", "SELECT P")):
            self._setting(statement)
        elif first.startswith("CREATE"):
            self._created(statement)
        elif first.startswith("ALTER TA"):
            self._altered(statement)
        elif first.startswith("COMMENT"):
            self._commented(statement)
        elif (found := _USE.match(statement) if first.startswith("USE") else _CONNECT.match(statement)) is not None:
            self._database = name_of(found[1])
            if self._database not in self.databases:
                self.databases.append(self._database)

    def _setting(self, statement: str) -> None:
        if (found := _ENCODING.match(statement)) is not None and self.encoding is None:
            self.encoding = found[1]
        elif (found := _STRINGS.match(statement)) is not None:
            self.dialect = self.dialect._replace(escapes=found[1].lower() == "off")
        elif (found := _PATH.match(statement)) is not None and self.dialect.name == "postgresql":
            self._schema = name_of(found[1])
        if _NO_ESCAPES.search(statement):
            self.dialect = self.dialect._replace(escapes=False)

    def _created(self, statement: str) -> None:
        if (found := _CREATE.match(statement)) is not None:
            table = self.tables.setdefault(self.key(found[1]), Table(self.key(found[1])))
            for item in _items(statement, found.end()):
                self._item(table, item)
        elif (found := _PARTITION.match(statement)) is not None:
            self._parents[self.key(found[1])] = self.key(found[2])
        elif (found := _ENUM.match(statement)) is not None:
            self._enums[self.key(found[1])] = tuple(map(text_of_literal, re.findall(r"'(?:[^']|'')*'", found[2])))
        elif (found := _DOMAIN.match(statement)) is not None:
            tokens = [m[0] for m in _TOKEN.finditer(found[2])]
            self._domains[self.key(found[1])] = self._domain(self.key(found[1]), tokens)
        elif (found := _INDEX.match(statement)) is not None and (indexed := self.tables.get(self.key(found[1]))):
            columns = [part.split() for part in found[2].split(",")]
            if all(len(part) == 1 for part in columns):
                indexed.unique.append(tuple(name_of(part[0]) for part in columns))

    def _altered(self, statement: str) -> None:
        found = _ALTER.match(statement)
        table = None if found is None else self.tables.get(self.key(found[1]))
        if found is None or table is None:
            return
        if (attached := _ATTACH.match(found[2])) is not None:
            self._parents[self.key(attached[1])] = table.key
        elif found[2].upper().startswith("ADD "):
            for item in _items(found[2], 4):
                tokens = item[1:] if item[:1] and item[0].upper() in ("ADD",) else item
                self._item(table, tokens)

    def _commented(self, statement: str) -> None:
        if (found := _COMMENT.match(statement)) is None:
            return
        *of, column = re.findall(_NAME, found[1])
        table = self.tables.get(self.key(".".join(of))) if of else None
        if table is not None and (known := table.columns.get(name_of(column))) is not None:
            known.comment = text_of_literal(found[2])

    def _item(self, table: Table, tokens: Sequence[str]) -> None:
        """Take note of a column or a constraint."""
        if not tokens:
            return
        words = [token.upper() for token in tokens[:3]]
        name = f"of {table.key[-1]}"
        if words[0] == "CONSTRAINT" and len(tokens) > 1:
            name = name_of(tokens[1])
            tokens, words = tokens[2:], [token.upper() for token in tokens[2:5]]
        if not words:
            return
        if words[:2] == ["PRIMARY", "KEY"]:
            table.primary = _listed(tokens, 2)
            table.unique.append(table.primary)
        elif words[:2] == ["FOREIGN", "KEY"]:
            self._reference(table, _listed(tokens, 2), tokens)
        elif words[0] == "CHECK":
            table.checks.append(Condition(name, " ".join(_parenthesis(tokens, 1))))
        elif words[0] == "UNIQUE":
            if columns := _listed(tokens, 1):
                table.unique.append(columns)
        elif not (words[0] in _OTHERS and self.dialect.name == "mysql") and words[:2] not in _PAIRS:
            self._column(table, tokens)

    def _reference(self, table: Table, columns: tuple[str, ...], tokens: Sequence[str]) -> None:
        upper = [token.upper() for token in tokens]
        if "REFERENCES" in upper and (at := upper.index("REFERENCES") + 1) < len(tokens):
            table.references.append(Reference(columns, self.key(tokens[at]), _listed(tokens, at + 1)))

    def _column(self, table: Table, tokens: Sequence[str]) -> None:
        name = name_of(tokens[0])
        kind, rest = self._type(tokens[1:])
        column = table.columns[name] = Column(name, kind, kind.required)
        upper = [token.upper() for token in rest]
        for i, word in enumerate(upper):
            if word == "NULL" and i and upper[i - 1] == "NOT":
                column.required = True
            elif word == "PRIMARY":
                table.primary = (name,)
                table.unique.append((name,))
                column.required = self.dialect.name != "sqlite"
            elif word == "UNIQUE":
                table.unique.append((name,))
            elif word == "REFERENCES":
                self._reference(table, (name,), rest[i:])
            elif word == "CHECK":
                table.checks.append(Condition(_constraint(rest, i, name), " ".join(_parenthesis(rest, i + 1))))
            elif word == "COMMENT" and i + 1 < len(rest):
                column.comment = text_of_literal(rest[i + 1])

    def _domain(self, key: tuple[str, ...], tokens: Sequence[str]) -> ColumnType:
        """Return the type of a domain, with its conditions."""
        kind, rest = self._type(tokens)
        upper = [token.upper() for token in rest]
        conditions = [
            Condition(_constraint(rest, i, key[-1]), " ".join(_parenthesis(rest, i + 1)))
            for i, word in enumerate(upper)
            if word == "CHECK"
        ]
        required = any(pair == ("NOT", "NULL") for pair in pairwise(upper))
        return kind._replace(conditions=(*kind.conditions, *conditions), required=kind.required or required)

    def _type(self, tokens: Sequence[str]) -> tuple[ColumnType, Sequence[str]]:
        """Return a type, and the tokens after it."""
        words: list[str] = []
        arguments: list[str] = []
        at = 0
        while at < len(tokens) and tokens[at].upper() not in _END_OF_TYPE:
            if tokens[at] == "(":
                inside = _parenthesis(tokens, at)
                arguments, at = inside[1:-1], at + len(inside)
                continue
            if words and (skipped := _character_set(tokens, at)):
                at += skipped
                continue
            words.append(tokens[at])
            at += 1
        return self._named(" ".join(words), [a for a in arguments if a != ","]), tokens[at:]

    def _named(self, name: str, arguments: Sequence[str]) -> ColumnType:
        lower = name.lower()
        if lower.endswith("[]") or " array" in lower:
            return ColumnType("array", lower)
        if (plain := self._built_in(lower, arguments)) is not None:
            return plain
        key = self.key(name) if re.fullmatch(_NAMES, name) else ()
        if key in self._enums:
            return ColumnType("enum", lower, labels=self._enums[key])
        if key in self._domains:
            return self._domains[key]
        return ColumnType("text" if self.dialect.name == "sqlite" else "other", lower)

    def _built_in(self, lower: str, arguments: Sequence[str]) -> ColumnType | None:
        """Return a type that nearly every database has."""
        numbers = [int(a) for a in arguments if a.isdigit()]
        base = re.sub(
            r"\b(?:unsigned|signed|zerofill|binary)\b(?!\Z)|\b(?:unsigned|signed|zerofill)\b", "", lower
        ).strip()
        kind = _KINDS.get(base)
        if kind == "integer":
            is_wide = "zerofill" in lower or ("unsigned" in lower and base == "bigint") or self.dialect.name == "sqlite"
            return ColumnType("wide" if is_wide else "integer", lower)
        if kind == "decimal":
            digits, scale = (*numbers, None)[0], (*numbers, 0, 0)[1]
            return ColumnType("decimal" if scale or digits is None else "wide", lower, digits=digits, scale=scale)
        if kind == "enum":
            return ColumnType(kind, lower, labels=tuple(map(text_of_literal, arguments)))
        if kind == "text":
            is_one = base in ("character", "char", "nchar") and self.dialect.name != "sqlite"
            return ColumnType(kind, lower, (*numbers, 1 if is_one else None)[0])
        return None if kind is None else ColumnType(kind, lower)

    def columns_of(self, key: tuple[str, ...]) -> Table | None:
        """Return the declared columns of a table; of a partition, those of the whole."""
        seen: set[tuple[str, ...]] = set()
        while key not in self.tables and key in self._parents and key not in seen:
            seen.add(key)
            key = self._parents[key]
        return self.tables.get(key)


def _items(statement: str, start: int) -> Iterator[list[str]]:
    """Yield the tokens between commas, from `start` to the end of its parentheses."""
    depth, item = 0, list[str]()
    for found in _TOKEN.finditer(statement, start):
        token = found[0]
        if token.startswith(("--", "/*")) or token == ";":
            continue
        if token == ")" and not depth:
            break
        if token == "," and not depth:
            yield item
            item = []
            continue
        depth += (token == "(") - (token == ")")
        item.append(token.rstrip(";") if token.endswith(";") and token[:1] not in "'\"`" else token)
    if item:
        yield item


def _character_set(tokens: Sequence[str], at: int) -> int:
    """Return how many tokens at a place name a character set."""
    words = [token.upper() for token in tokens[at : at + 2]]
    return 3 if words == ["CHARACTER", "SET"] else 2 if words[:1] == ["CHARSET"] else 0


def _parenthesis(tokens: Sequence[str], at: int) -> list[str]:
    """Return the tokens of the parenthesis that opens at or after `at`, included."""
    depth, out = 0, list[str]()
    for token in tokens[at:]:
        depth += (token == "(") - (token == ")")
        if depth or out:
            out.append(token)
        if out and not depth:
            break
    return out


def _constraint(tokens: Sequence[str], at: int, name: str) -> str:
    """Return the name of the constraint at a place; without one, the name of what it belongs to."""
    return name_of(tokens[at - 1]) if at > 1 and tokens[at - 2].upper() == "CONSTRAINT" else f"of {name}"


def _listed(tokens: Sequence[str], at: int) -> tuple[str, ...]:
    """Return the names in the first parenthesis after `at`."""
    upper = [token.upper() for token in tokens]
    end = upper.index("REFERENCES") if "REFERENCES" in upper[at:] else len(tokens)
    inside = _parenthesis(tokens[:end] if end > at else tokens, at)
    names, depth = [], 0
    for token in inside:
        depth += (token == "(") - (token == ")")
        if depth == 1 and token not in "(),":
            names.append(name_of(token))
    return tuple(name for name in names if name.upper() not in ("ASC", "DESC"))


def names_of(name: str) -> list[str]:
    """Return the parts of a name, without quotes."""
    return [name_of(part) for part in re.findall(_NAME, name)]


def name_of(part: str) -> str:
    for mark in '"`':
        if part.startswith(mark) and part.endswith(mark) and len(part) > 1:
            return part[1:-1].replace(mark * 2, mark)
    return part[1:-1] if part.startswith("[") and part.endswith("]") else part


def text_of_literal(literal: str) -> str:
    """Return the text of a string literal."""
    literal = literal.strip()
    if literal[:1] in "eE":
        return re.sub(r"\\(.)", r"\1", literal[2:-1].replace("''", "'"), flags=re.DOTALL)
    return literal[1:-1].replace("''", "'") if literal.startswith("'") else literal
