"""Whether a table records where a device was, or whom somebody called, and when, and so what persons did."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from piiscan.core.header_words import tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.types import TableInfo
from piiscan.scanning.classify.candidates import ColumnCandidates
from piiscan.scanning.classify.table_shape import name_tokens

POSITION: Final = "GEO_COORDINATES"
MOST: Final = 0.8
"""Share of cells with a time of day from which a column has times."""
_TIME: Final = lazy_pattern(r"(?<!\d)\d{1,2}:\d{2}(?::\d{2})?|\d{10}(?:\d{3})?$")
"""A time of day, or seconds or milliseconds since 1970."""
_TIMES: Final = frozenset(
    "t time times timestamp timestamps datetime date at ts start end recorded utc zeit heure hora".split()
)
_RECORDED: Final = frozenset("e7 trkpt trkseg trackpoint trackpoints timelinepath dropoff".split())
"""Words of headers that only files of moves have, rides in a car among them."""
_MEASURED: Final = _TIMES | frozenset(
    """
        lat latitude lon lng long longitude ele elevation alt altitude hoehe point location position coordinates id
        index accuracy horizontal vertical heading bearing speed velocity cadence heart heartrate rate hr steps
        battery level wifi gps acc hdop source provider device tag activity distance m ms kmh
    """.split()
)
"""Words of headers for what devices measure with a position."""
_CARRIERS: Final = frozenset(
    """
        uid user users userid usr person persons participant subject respondent rider driver passenger customer consumer
        subscriber msisdn imsi imei
    """.split()
)
"""Words of headers of keys of those who carry a device, each of whom is in several places."""
_KEYS: Final = ("PERSON_ID", "USERNAME", "PHONE_NUMBER", "DEVICE_ID")
_LIKE_KEYS: Final = (None, "GENERIC_ID")
"""What keys of persons are called where nothing but such a key speaks of persons."""
_OTHERS: Final = frozenset(
    """
        vessel vessels ship ships mmsi imo sog cog flight flights aircraft icao callsign airline station stations sensor
        sensors buoy buoys storm storms hurricane cyclone bus buses route routes stop stops train trains tram animal
        animals bird birds species wildlife earthquake earthquakes quake magnitude mag depth satellite satellites
        incident incidents crime offense accident accidents collision fire weather temperature rainfall sighting
    """.split()
)
"""Words of tables of other things that have a place and a time."""


_SIDES: Final = frozenset(
    """
        from to a b caller callee calling called sender receiver recipient originating terminating orig origin dest
        destination src dst anrufer angerufener absender empfaenger empfänger appelant appelé expéditeur destinataire
        origen destino emisor receptor remitente destinatario chiamante chiamato mittente звонящий
        отправитель получатель
    """.split()
)
"""Words of headers for the two sides of a call or a message."""


def what_is_recorded(
    info: TableInfo, columns: Sequence[ColumnCandidates], entities: Sequence[str | None]
) -> str | None:
    """What rows record of persons, where they record moves or calls."""
    if is_recorded(info, columns, entities):
        return "where somebody's device was, and when"
    if are_calls(columns, entities):
        return "who called or wrote to whom, and when"
    return None


def are_calls(columns: Sequence[ColumnCandidates], entities: Sequence[str | None]) -> bool:
    """Whether rows have two telephones or addresses of mail, by their headers those of two sides, and a time."""
    sides = [
        entity
        for c, entity in zip(columns, entities, strict=True)
        if entity in ("PHONE_NUMBER", "EMAIL_ADDRESS") and not _SIDES.isdisjoint(tokens(c.header or ""))
    ]
    return len(sides) > 1 and "ORGANIZATION" not in entities and any(map(_has_times, columns))


def is_recorded(info: TableInfo, columns: Sequence[ColumnCandidates], entities: Sequence[str | None]) -> bool:
    """Whether rows have positions and times in a form of devices, or with nothing else but what devices measure.

    A key of those who carry devices shows it, too. Positions of ships, storms, stations and the like are no
    person's.
    """
    places = [c for c, entity in zip(columns, entities, strict=True) if entity == POSITION]
    if not places or not any(map(_has_times, columns)):
        return False
    headers = [frozenset(tokens(c.header or "")) for c in columns]
    words = frozenset().union(*headers, name_tokens(info), *(_words(f.name) for f in info.fields))
    if not _OTHERS.isdisjoint(words):
        return False
    carried = any(
        (entity in _KEYS or (entity in _LIKE_KEYS and c.profile.keyed > MOST))
        and not _CARRIERS.isdisjoint(own)
        and c.profile.distinct < c.profile.filled
        for c, own, entity in zip(columns, headers, entities, strict=True)
    )
    return carried or not _RECORDED.isdisjoint(words) or all(own and own <= _MEASURED for own in headers)


def _words(header: str | None) -> tuple[str, ...]:
    words = tokens(header or "")
    return (*words, *("".join(pair) for pair in pairwise(words)))


def _has_times(column: ColumnCandidates) -> bool:
    if _TIMES.isdisjoint(tokens(column.header or "")) and "timestamp" not in (column.header or "").lower():
        return False
    return column.profile.share([_TIME.search(text) is not None for text in column.profile.texts]) > MOST
