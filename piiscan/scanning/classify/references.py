"""Finds what references to persons show, and what names the kinds of values, as FHIR writes them.

A reference: `{"reference": "Patient/17", "display": "Ann Lee"}`. A kind: `{"system": "…/us-ssn", "value": "…"}`.

Source: hl7.org/fhir/references.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from piiscan.core.types import Field
from piiscan.detection.summary.column_summary import ColumnSummary

_PERSON: Final = re.compile(r"(?:^|/)(?:Patient|Practitioner|PractitionerRole|RelatedPerson|Person)/[^/\s]+")
_REFERENCE: Final = re.compile(r"(?:^|/)[A-Z][A-Za-z]+/[^/\s]+|^#|^urn:")
_SHOWS: Final = "display"
_LEADS: Final = "reference"
_OF_KIND: Final = re.compile(r"\w\[[^\[\]]+\]$")
_KINDS: Final = ("system", "type", "kind", "scheme", "authority")
_LOOKED_AT: Final = 64
_ALL: Final = 0.9
_SOME: Final = 0.1
"""Share of references to persons from which on what is beside may be names: others show organisations."""


def shown_persons(fields: Sequence[Field], columns: Sequence[ColumnSummary]) -> Iterator[int]:
    """The columns of what references show, by their places, where persons are among what these lead to."""
    places = {field.name: i for i, field in enumerate(fields) if field.name}
    for name, place in places.items():
        before, dot, last = name.rpartition(".")
        leads = places.get(f"{before}{dot}{_LEADS}") if dot and last == _SHOWS else None
        if leads is not None and columns[place].filled and _to_persons(columns[leads]):
            yield place


def kinds_of_others(fields: Sequence[Field]) -> Iterator[int]:
    """The columns that name the kind of values beside them, by which columns are named: `identifier[].value[us-ssn]`.

    The system of an identifier is an address, too.
    """
    names = [field.name or "" for field in fields]
    objects = {name.rpartition(".")[0] for name in names if _OF_KIND.search(name)}
    for place, name in enumerate(names):
        before, _, last = name.rpartition(".")
        if last in _KINDS and any(f"{before}.".startswith(f"{each}.") for each in objects):
            yield place


def _to_persons(column: ColumnSummary) -> bool:
    texts = [text for text, _ in column.sample.first(_LOOKED_AT)]
    references = sum(_REFERENCE.search(text) is not None for text in texts)
    persons = sum(_PERSON.search(text) is not None for text in texts)
    return bool(texts) and references >= _ALL * len(texts) and persons >= _SOME * len(texts)
