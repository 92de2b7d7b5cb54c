"""Where somebody's device was, and when, is personal; where ships, storms and stations are, isn't."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import piiscan

ROWS = 60


def moves() -> list[dict[str, Any]]:
    rng = random.Random(3)
    found, lat, lon = [], 52.5, 13.4
    for i in range(ROWS):
        lat, lon = lat + rng.gauss(0, 0.004), lon + rng.gauss(0, 0.004)
        found.append({"lat": lat, "lon": lon, "time": f"2023-04-{i % 28 + 1:02d}T{i % 24:02d}:12:{i % 60:02d}.123Z"})
    return found


def e7(degrees: float) -> int:
    return round(degrees * 1e7)


def classes(report: piiscan.ScanReport | Any) -> dict[str, tuple[str | None, str]]:
    return {str(c.name): (c.entity, c.pii) for c in report.columns}


def table(**other: list[Any]) -> pl.DataFrame:
    points = moves()
    own = {"time": [p["time"] for p in points], "lat": [round(p["lat"], 6) for p in points],
           "lon": [round(p["lon"], 6) for p in points]}  # fmt: skip
    return pl.DataFrame(own | other)


def scanned(value: Any, root: Path) -> dict[str, tuple[str | None, str]]:
    file = root / "export.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    return classes(piiscan.scan(file).tables[0])


GEO = ("GEO_COORDINATES", "quasi")


def test_records_of_a_device(tmp_path: Path) -> None:
    points = [
        {
            "latitudeE7": e7(p["lat"]),
            "longitudeE7": e7(p["lon"]),
            "accuracy": 20,
            "source": "WIFI",
            "timestamp": p["time"],
        }
        for p in moves()
    ]
    found = scanned({"locations": points}, tmp_path)
    assert found["latitudeE7"] == found["longitudeE7"] == GEO
    assert found["timestamp"][1] == found["accuracy"][1] == "none"


def test_visits_and_what_is_between_them(tmp_path: Path) -> None:
    points = moves()
    visits = [
        {"placeVisit": {
            "location": {"latitudeE7": e7(p["lat"]), "longitudeE7": e7(p["lon"]),
                         "address": f"Lange Straße {i + 1}\nBerlin"},
            "duration": {"startTimestamp": p["time"]},
        }} for i, p in enumerate(points)
    ]  # fmt: skip
    found = scanned({"timelineObjects": visits}, tmp_path)
    assert found["placeVisit.location.latitudeE7"] == GEO
    assert found["placeVisit.location.address"] == ("STREET_ADDRESS", "direct")


def test_pairs_with_signs_of_degrees(tmp_path: Path) -> None:
    path = [{"point": f"{p['lat']:.7f}°, {p['lon']:.7f}°", "time": p["time"]} for p in moves()]
    segments = [{"startTime": path[i]["time"], "timelinePath": path[i : i + 6]} for i in range(0, ROWS, 6)]
    assert scanned({"semanticSegments": segments}, tmp_path)["timelinePath[].point"] == GEO


@pytest.mark.parametrize("other", [
    {}, {"elevation": [40] * ROWS}, {"speed": [1.4] * ROWS, "heading": list(range(ROWS))}, {"accuracy": [8] * ROWS},
    {"accuracy": [8] * ROWS, "deviceTag": [71] * ROWS, "activity": ["WALKING"] * ROWS},
], ids=["alone", "elevation", "speed", "accuracy", "activity"])  # fmt: skip
def test_tracks(other: dict[str, list[Any]]) -> None:
    found = classes(piiscan.scan(table(**other)))
    assert found["lat"] == found["lon"] == GEO


@pytest.mark.parametrize("other", [
    {"magnitude": [4.5] * ROWS}, {"mmsi": [211000000 + i for i in range(ROWS)], "speed": [12.3] * ROWS},
    {"station": [f"S{i}" for i in range(ROWS)], "accuracy": [1] * ROWS}, {"bus": [3] * ROWS, "speed": [30] * ROWS},
    {"offense": ["theft"] * ROWS}, {"tag": ["a"] * ROWS, "depth": [9] * ROWS},
    {"product": ["lamp"] * ROWS, "price": [12.5] * ROWS},
], ids=["earthquakes", "ships", "stations", "buses", "incidents", "quakes", "shops"])  # fmt: skip
def test_positions_of_others(other: dict[str, list[Any]]) -> None:
    found = classes(piiscan.scan(table(**other)))
    assert found["lat"][1] == found["lon"][1] == "none"


def test_who_is_where_and_when() -> None:
    """The key of somebody who is in several places makes their positions personal, whatever else is measured."""
    people = [f"{i % 9:03}" for i in range(ROWS)]
    beside: dict[str, list[Any]] = {"mode": ["walk", "bus"] * (ROWS // 2), "alt_ft": [131] * ROWS}
    found = classes(piiscan.scan(table(uid=people, **beside)))
    assert found["lat"] == found["lon"] == GEO
    stations = {"uid": people, "station": ["Mill Lane"] * ROWS, **beside}
    assert classes(piiscan.scan(table(**stations)))["lat"][1] == "none"
    once = {"subject": [f"bridge {i}" for i in range(ROWS)], **beside}
    assert classes(piiscan.scan(table(**once)))["lat"][1] == "none"


def test_a_key_of_few_persons_in_several_places_shows_moves() -> None:
    times = [f"2023-05-{1 + i % 28:02}T{i % 24:02}:17:05Z" for i in range(30)]
    places = {"lat": [48 + i / 977 for i in range(30)], "lon": [11 + i / 983 for i in range(30)]}
    keys = [f"u{(17, 23, 51)[i % 3]}" for i in range(30)]
    report = piiscan.scan(pl.DataFrame({"uid": keys, "t": times, **places, "acc": [3.5] * 30}))
    assert [report[name].pii for name in ("uid", "lat", "lon")] == ["quasi"] * 3
    for other in ({"buoy": keys}, {"station_id": keys}, {"uid": [f"q{i}" for i in range(30)], "mag": [4.5] * 30}):
        assert piiscan.scan(pl.DataFrame({**other, "t": times, **places}))["lat"].pii == "none"


def test_positions_without_times() -> None:
    found = classes(piiscan.scan(table().drop("time")))
    assert found["lat"][1] == found["lon"][1] == "none"


def test_rides_are_moves_and_those_between_stations_are_nobodys() -> None:
    points = moves()
    streets = [f"{i + 1} Mill Lane, Tulsa" for i in range(ROWS)]
    rides = {"Request Time": [p["time"] for p in points], "Fare Amount": [f"{i}.50" for i in range(ROWS)]}
    ends = {"Begin Trip Lat": [p["lat"] for p in points], "Begin Trip Lng": [p["lon"] for p in points]}
    found = classes(piiscan.scan(pl.DataFrame(rides | ends | {"Dropoff Address": streets})))
    assert found["Begin Trip Lat"] == found["Begin Trip Lng"] == GEO
    assert found["Dropoff Address"] == ("STREET_ADDRESS", "direct")
    found = classes(piiscan.scan(pl.DataFrame(rides | ends | {"dropoff_station": ["Dock 7"] * ROWS})))
    assert found["Begin Trip Lat"][1] == "none"
