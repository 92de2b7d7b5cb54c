"""The types a reader meets first: what comes in (tables, batches) and what goes out (verdicts, reports).

All are frozen, hold plain data, and carry no cell values, `Batch` excepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    import polars as pl

DType = Literal["string", "integer", "float", "boolean", "date", "datetime", "other"]
Pii = Literal["direct", "quasi", "sensitive", "none"]
Subject = Literal["person", "organisation", "place", "thing", "event", "aggregate"]
TEXTS = frozenset(
    (
        *("text", "html", "mail", "vcard", "icalendar", "ldif", "rtf", "office document", "pdf", "piped", "aligned"),
        *("marked", "talk", "form", "code"),
    )
)
"""Formats of tables that are the lines of a text."""


class Limits(NamedTuple):
    """What a column's declared type asks of its cells.

    `needs_value`: they can't be emptied, since NULL isn't allowed and the type has no empty value. `longest`: the most
    characters. `largest`: the largest number. `is_opaque`: nothing is known of what else fits. `is_time`: dates are
    whole, with a day, or may have to be.
    """

    needs_value: bool = False
    longest: int | None = None
    largest: int | None = None
    is_opaque: bool = False
    is_time: bool = False


class Field(NamedTuple):
    """One column of an input: its header as read (None where the file has none) and the type the format declares.

    `parent` is None for a column of the table's own. A derived column (`staff[].name`), made of what lists of objects
    or JSON texts hold, has the index of the table's own column that its cells stand in. Derived columns come after all
    others. `comment`: what the format says of the column in words. `limits`: those of a declared type.
    """

    name: str | None
    dtype: DType = "string"
    parent: int | None = None
    comment: str | None = None
    limits: Limits | None = None


class ForeignKey(NamedTuple):
    """A column, by its index, that is declared a foreign key, and the table and columns that it refers to.

    `target`: the column that has the keys, where that is known. `is_alone`: it is the whole key.
    """

    column: int
    table: str
    columns: tuple[str, ...]
    target: str | None = None
    is_alone: bool = True


class Referrer(NamedTuple):
    """A table that is declared to refer to another one by a foreign key: its name and those of its columns.

    Without a name, it is the object of a JSON document in which a list is a table.
    """

    table: str
    columns: tuple[str, ...]


class TableInfo(NamedTuple):
    """What is known of a table before its cells are read.

    `source` is the path as given joined with the path inside a folder, POSIX slashes, `archive.zip!inner.csv` inside an
    archive, `-` for standard input, `<frame>` for a data frame. `table` names the sheet, SQL table or JSON list.
    """

    source: str
    table: str | None
    format: str
    header: bool
    fields: tuple[Field, ...]
    details: tuple[tuple[str, str], ...] = ()  # how it was read: ("delimiter", ";"), ("encoding", "cp1252"), …
    notes: tuple[str, ...] = ()  # what the reader was unsure of, and how to choose; without any value
    path: str | None = None  # the file on disk that the table, or the archive around it, is in; never printed
    position: int = 0  # its place among the tables of its source
    foreign_keys: tuple[ForeignKey, ...] = ()  # an entry for each column
    referred_by: tuple[Referrer, ...] = ()  # other tables of its source with foreign keys to it
    order_column: int | None = None  # the column in whose order a database keeps the rows: with other keys, another one

    @property
    def is_text(self) -> bool:
        """Whether its one column is the lines of a text."""
        return self.format in TEXTS


class Batch(NamedTuple):
    """Consecutive rows of one table.

    `frame` has one column per `TableInfo.fields`, in that order, named "0", "1", … (headers repeat in real files).
    `offset` is the row number of its first row, or None where a partition doesn't know its place. `goes_on`: its only
    row does, in the next batch, as overlong lines do, whose last piece has a batch of its own, too.
    """

    frame: pl.DataFrame
    offset: int | None
    goes_on: bool = False

    @property
    def rows(self) -> int:
        """How many rows end in it."""
        return self.frame.height - self.goes_on


class Table(Protocol):
    """One table of an input. `batches` may be called once; it raises `ReadError` where the rest can't be read."""

    @property
    def info(self) -> TableInfo: ...

    def batches(self) -> Iterator[Batch]: ...


class NotScanned(NamedTuple):
    """Something that was asked for and could not be scanned. Makes a scan incomplete.

    `files`: cells of this column hold files of their own; plans leave nothing of such columns.
    """

    source: str
    reason: str
    table: str | None = None
    column: str | None = None
    files: bool = False


@dataclass(frozen=True, slots=True)
class InReview:
    """A column whose class is in doubt, and in short sentences why a person should look at it.

    `column` is its name, `column_3` (counted from 0) for one without; `index` its place.
    """

    source: str
    table: str | None
    column: str
    index: int
    reasons: tuple[str, ...]


class Skipped(NamedTuple):
    """A file within a folder of a kind that holds no data (an image, a binary). Doesn't make a scan incomplete."""

    source: str
    reason: str


class InName(NamedTuple):
    """A direct identifier that is evident in a name: of a column, a table, or else a file, folder or archive member.

    `column` is the column's index, `source` the file. Such a name is shown as its position (`column_3`, `table_2`,
    `file_3`). `reserved`: it is no person's, but reserved for documents and tests.
    """

    source: str
    entity: str
    subtype: str | None
    rule: str
    table: str | None = None
    column: int | None = None
    of_table: bool = False
    reserved: bool = False


Found = Table | NotScanned | Skipped | InName
"""What looking at paths yields."""


class Reason(NamedTuple):
    """One piece of evidence behind a verdict.

    `by` is one of header, rule, checksum, values, neighbour, subject, model, user, dataset, encoded. `id` is the rule
    it speaks of. `cells` and `share` count supporting cells over the non-null ones; `chance` is the share that random
    values of the same look would give; `p` is a model's probability; `text` says it in words, never with a cell value.
    """

    by: str
    id: str | None = None
    cells: int | None = None
    share: float | None = None
    chance: float | None = None
    p: float | None = None
    text: str | None = None


class Place(NamedTuple):
    """Where a row of a distributed table is: the number of the row, from 0, in a file or in a part.

    Parts are those into which an engine cut the table, which it may do otherwise in another run.
    """

    row: int
    file: str | None = None
    part: int | None = None


class Inside(NamedTuple):
    """An entity found in cells of a column whose own entity is another one or None.

    `reserved`: all values found are no person's, but reserved for documents and tests. `quiet`: all values found are
    such ones, or are accepted by the configuration for their domain or network. `first_rows` are those of other
    values, if there are any; of a distributed table `first_places` are, as far as the engine tells them.
    """

    entity: str
    subtype: str | None
    rule: str
    cells: int
    first_rows: tuple[int, ...] = ()
    sampled: bool = False
    reserved: bool = False
    quiet: bool = False
    first_places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """The verdict on one column. `rule` is the rule (or header rule) that carries `entity`, None for none.

    `confidence` is the probability that `entity` (or None) is right, `pii_confidence` that `pii` is. `review` says in
    short sentences why a person should look at the column; empty where nobody needs to. `reserved`: everything found
    in it is reserved for documents and tests, and no person's; `quiet`: that, or the configuration
    accepts it for its domain or network. `files`: how many cells hold files of their own, which weren't read. `named`:
    the entity that the header names where no cell is filled, which makes no verdict.
    """

    index: int
    name: str | None
    dtype: DType
    entity: str | None
    subtype: str | None
    pii: Pii
    confidence: float
    nulls: int
    distinct: int
    distinct_exact: bool
    shape: str | None
    rule: str | None = None
    reasons: tuple[Reason, ...] = ()
    inside: tuple[Inside, ...] = ()
    parent: int | None = None  # the index of the column that a derived column's cells stand in
    pii_confidence: float = 1.0
    review: tuple[str, ...] = ()
    reserved: bool = False
    quiet: bool = False
    files: int = 0
    named: str | None = None

    @property
    def is_judged(self) -> bool:
        """Whether it has values, or is judged by its header without any."""
        return self.entity is not None or self.distinct > 0 or self.files > 0

    @property
    def sureness(self) -> float:
        """How sure reports say that the verdict is: the lesser of both confidences."""
        return min(self.confidence, self.pii_confidence)


class MemberColumn(NamedTuple):
    """What was counted of a column in one file of a data set."""

    nulls: int
    distinct: int
    distinct_exact: bool
    inside: tuple[Inside, ...] = ()


class Member(NamedTuple):
    """One file of a data set, and what was counted in it: an entry for each column that the file itself has."""

    source: str
    rows: int
    complete: bool
    columns: tuple[MemberColumn, ...]


@dataclass(frozen=True, slots=True)
class TableReport:
    """What a scan says of one table: what its rows are about, and a verdict for every column.

    `details` and `notes` are those of `TableInfo`: how it was read, and what of that is uncertain. `members`: the files
    of a data set, which were judged as one table; its `source` is a glob, its last columns are the keys of its
    partitions (`year=2024/`). `dataset`: of the report on one of these files, the glob of the whole.
    """

    source: str
    table: str | None
    format: str
    rows: int
    complete: bool
    header: bool
    subject: Subject | None
    columns: tuple[ColumnReport, ...]
    sampled: int | None = None  # --sample N: only the first N rows were read, by choice
    details: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    in_names: tuple[InName, ...] = ()  # its own name's and its columns'
    members: tuple[Member, ...] = ()
    dataset: str | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The files that it is of."""
        return tuple(m.source for m in self.members) or (self.source,)

    @property
    def is_text(self) -> bool:
        """Whether its one column is the lines of a text."""
        return self.format in TEXTS

    @property
    def is_unfilled(self) -> bool:
        """Whether it was read to its end without a filled cell: no rows, or only empty ones. Nothing was judged.

        Source code without literals is none.
        """
        return self.complete and self.format != "code" and all(column.distinct == 0 for column in self.columns)

    def detail(self, key: str) -> str | None:
        """One of the details, None where there is none of that name."""
        return dict(self.details).get(key)


@dataclass(frozen=True, slots=True)
class ScanReport:
    """Everything a scan says. `tool` holds name, version, rules_digest and model_digest.

    `skipped` counts files that were passed over without a look, `skipped_kinds` why. `names` are identifiers in names
    of files, folders and archive members. `reserved_count`: whether reserved values are findings like others.
    `selected`, `ignored`: entities, rule ids and subtypes that alone were looked for, and that weren't.
    """

    tool: dict[str, str | None]
    tables: tuple[TableReport, ...]
    not_scanned: tuple[NotScanned, ...] = ()
    skipped: int = 0
    silenced: int = 0  # findings that an [[allow]] entry or the baseline covers
    skipped_kinds: tuple[tuple[str, int], ...] = ()
    names: tuple[InName, ...] = ()
    reserved_count: bool = False
    selected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def in_names(self) -> tuple[InName, ...]:
        """Identifiers in all names: of files and folders, then of each table and its columns."""
        return (*self.names, *(name for table in self.tables for name in table.in_names))

    @property
    def review(self) -> tuple[InReview, ...]:
        """The columns that a person should look at, in the order of the tables."""
        return tuple(
            InReview(t.source, t.table, c.name or f"column_{c.index}", c.index, c.review)
            for t in self.tables
            for c in t.columns
            if c.review
        )

    @property
    def complete(self) -> bool:
        """Whether everything was scanned."""
        return not self.not_scanned and all(t.complete for t in self.tables)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to act on: a column of a class other than none, or one in review, or a direct entity inside its cells.

    One per (source, table, column, rule): the unit of SARIF results, baselines and `[[allow]]`. `review` says why a
    person should look at the column; of one whose class is none that is all there is to act on, its `rule` is `review`,
    and its `entity` may be None. `confidence`: how sure its column's verdict is. `member`: of a finding in a data set,
    the first of its files that has it. `quiet`: nothing was found but reserved values and those that the configuration
    answers for by their domain or network.
    """

    source: str
    table: str | None
    index: int
    column: str | None
    rule: str
    entity: str | None
    subtype: str | None
    pii: Pii
    confidence: float
    cells: int
    share: float
    inside: bool
    first_rows: tuple[int, ...] = field(default=())
    in_name: bool = False  # in the name of a file, table or column; `index` is -1 but for a column's
    review: tuple[str, ...] = ()
    member: str | None = None
    quiet: bool = False
