"""Whether devices are sensors of their surroundings, which no person carries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

FEWEST: Final = 2
"""Different measurements of the surroundings from which on devices are sensors."""
OF_SURROUNDINGS: Final = frozenset(
    """
    temp temperature humidity rh pressure barometer lux illuminance dewpoint rain rainfall precipitation wind soil
    moisture turbidity conductivity salinity vibration co2 voc tvoc pm10 pm25 aqi noise db temperatur luftfeuchte
    luftfeuchtigkeit feuchte luftdruck helligkeit niederschlag bodenfeuchte humidite pression pluviometrie temperatura
    humedad presion umidita pressione umidade pressao luchtvochtigheid luchtdruk wilgotnosc cisnienie vlhkost tlak
    fuktighet luftfuktighet kosteus ilmanpaine sicaklik nem basinc температура влажность давление 温度 湿度 気圧 气压
    온도 습도 기압
    """.split()
)
"""In a header: what sensors measure around them."""
OF_BODIES: Final = frozenset(
    """
    heart heartrate hr bpm pulse puls steps step spo2 oxygen glucose sleep calories workout activity skin body blood
    wearable
    """.split()
)
"""In a header: what wearable devices measure of a person."""


def measure_surroundings(words: Iterable[str]) -> bool:
    """Whether headers of these words name measurements of the surroundings, and none of a body.

    >>> measure_surroundings(["temp", "c", "humidity"]), measure_surroundings(["temp", "humidity", "steps"])
    (True, False)
    """
    every = set(words)
    return len(OF_SURROUNDINGS & every) >= FEWEST and OF_BODIES.isdisjoint(every)
