"""The metadata of columnar files, which may hold text that a person wrote."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from piiscan.io import asides
from piiscan.io.cells.markup import has_content
from piiscan.io.columnar.arrow_messages import schema_metadata
from piiscan.io.content import Content, ReadTable

NAME: Final = "metadata"
"""What the table of metadata is called."""
_PROGRAMS: Final = frozenset(
    "org.apache.spark.version org.apache.spark.timeZone org.apache.spark.legacyDateTime "
    "org.apache.spark.legacyINT96 writer.model.name"
    " writer.date writer.time parquet.proto.class piiscan.types ARROW:extension:name PARQUET:field_id "
    "created_by".split()
)
"""Keys by which programs tell their own names and settings."""
KEY: Final = "piiscan.key"
"""Under it stands the public id of the key that a file was masked with."""
MASKED_WITH: Final = "masked with the key"
_KEY_ID: Final = re.compile("[0-9a-f]{16}")
_DATA: Final = re.compile(r"@|\d[\d -]{8,}")
_NOTHING: Final = ("", "{}", "[]", "null")
_DESCRIPTIONS: Final = frozenset(
    "pandas org.apache.spark.sql.parquet.row.metadata parquet.avro.schema avro.schema iceberg.schema huggingface geo"
    " ARROW:extension:metadata".split()
)
"""Keys by which they describe the columns, mostly in JSON."""
_SAID: Final = frozenset(("attributes", "metadata", "doc", "default", "comment", "description", "names", "symbols"))
"""What is somebody's own in such a description."""
_SETTINGS: Final = frozenset(("timezone", "encoding", "ordered", "num_categories", "pandas_type", "numpy_type"))


def table(content: Content, kind: str, pairs: Iterable[tuple[str, str]]) -> ReadTable | None:
    """The metadata as a table of keys and values, None where there is nothing but the structure of the columns."""
    found = columns(pairs)
    return None if found is None else asides.table(content, NAME, kind, found)


def columns(pairs: Iterable[tuple[str, str]]) -> dict[str, Sequence[str]] | None:
    """The columns of that table, by their names."""
    entries = list(dict.fromkeys(said for key, value in pairs for said in _entries(key, value)))
    return {"key": [k for k, _ in entries], "value": [v for _, v in entries]} if entries else None


def _entries(key: str, value: str) -> Iterator[tuple[str, str]]:
    if key == "ARROW:schema":
        try:
            for inner in schema_metadata(base64.b64decode(value, validate=True)):
                yield from _entries(*inner)
        except (binascii.Error, ValueError):
            yield key, value
    elif key == KEY and _KEY_ID.fullmatch(value):
        return
    elif key in _PROGRAMS or key.startswith("_PL_"):
        if _DATA.search(value):
            yield key, value
    elif key in _DESCRIPTIONS:
        yield from ((key, text) for text in described(value))
    elif has_content(value) or (has_content(key) and value.strip() not in _NOTHING):
        yield key, value


def masked_with(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What `TableInfo.details` says of the key that a file was masked with."""
    return tuple((MASKED_WITH, value) for key, value in pairs if key == KEY and _KEY_ID.fullmatch(value))


def described(value: str) -> list[str]:
    """What is somebody's own in a description of columns: comments, defaults, attributes."""
    try:
        return list(dict.fromkeys(_leaves(json.loads(value), False)))
    except (ValueError, RecursionError):
        return [value] if has_content(value) else []


def _leaves(value: Any, said: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in _SETTINGS:
                yield from _leaves(inner, said or key in _SAID)
                if (said and has_content(key)) or _DATA.search(key):
                    yield key
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, said)
    elif isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        yield from described(value)
    elif isinstance(value, bool) or value is None:
        return
    elif (said and has_content(str(value))) or _DATA.search(str(value)):
        yield str(value)
