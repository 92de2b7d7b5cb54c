"""From what a person says of columns to their domains. Nothing is ever filled in from the data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from piiscan.core.errors import UsageError
from piiscan.dp import entity_bounds
from piiscan.dp.domains import BINS, Categories, Domain, Keys, Number, Unbounded

T = TypeVar("T")


class Declared(NamedTuple):
    """What is publicly known of columns, by their names. `cuts`: where bins end between the bounds. `entities`: a word
    of the vocabulary, whose bounds the registry knows. `estimated`: bounds to be found with noise. `found`: categories
    to be found under δ. `decimals`: digits behind the point that numbers are written with."""

    bounds: Mapping[str, tuple[float, float]] = {}
    cuts: Mapping[str, Sequence[float]] = {}
    categories: Mapping[str, Sequence[str]] = {}
    entities: Mapping[str, str] = {}
    estimated: Sequence[str] = ()
    found: Sequence[str] = ()
    decimals: Mapping[str, int] = {}


def domains(
    declared: Declared, requested: Sequence[str] = (), grouped: Sequence[str] = ()
) -> tuple[tuple[str, Domain], ...]:
    """The columns of a request in the order they are declared in: all, or those `requested` and those that
    rows are `grouped` by. Raises `UsageError`."""
    found: list[tuple[str, Domain]] = []
    for name, (low, high) in declared.bounds.items():
        found.append((name, _of(name, Number, float(low), float(high), _cuts(declared, name))))
    for name, entity in declared.entities.items():
        known = entity_bounds.declared(name, entity)
        found.append((name, _of(name, Number, known.low, known.high, _cuts(declared, name), "registry")))
    found += [(name, Unbounded()) for name in declared.estimated]
    found += [(name, _of(name, Categories, tuple(words))) for name, words in declared.categories.items()]
    found += [(name, Keys()) for name in declared.found]
    names = [name for name, _ in found]
    for name in declared.cuts:
        if name not in {*declared.bounds, *declared.entities}:
            raise UsageError(f"column {name}: edges lie between declared bounds; add --bounds {name}=LOW:HIGH")
    for name in requested:
        if name not in names:
            raise UsageError(undeclared(name))
    return tuple((name, domain) for name, domain in found if not requested or name in requested or name in grouped)


def even_cuts(low: float, high: float, power: float, place: str) -> list[float]:
    """Where bins end whose ends have even distances when raised to `power`, or in their logarithms for power 0.
    Raises `UsageError`."""
    if not (0 <= power <= 1 and 0 <= low < high < math.inf and (low > 0 or power > 0)):
        raise UsageError(
            f"{place}: a power is a number from 0 to 1, of bounds from 0 up; 0 is the logarithm, of bounds above 0"
        )
    a, b = (math.log(end) if power == 0 else end**power for end in (low, high))
    ends = (a + (b - a) * i / BINS for i in range(1, BINS))
    # Six digits: ends that a person can read, and that don't depend on how a machine rounds.
    cuts = [float(f"{math.exp(end) if power == 0 else end ** (1 / power):.6g}") for end in ends]
    return [cut for cut in dict.fromkeys(cuts) if low < cut < high]


def undeclared(name: str) -> str:
    """What to type for a column of which nothing is known."""
    return (
        f"column {name}: nothing public is known of its values, and nothing is read from the data. Type one "
        f"of: --bounds {name}=LOW:HIGH (numbers), "
        f"--categories {name}=A,B,C, --entity {name}=AGE (what the registry knows), --estimate-bounds {name} "
        "(costs a part of epsilon), "
        f"--private-keys {name} (needs a delta)"
    )


def _cuts(declared: Declared, name: str) -> tuple[float, ...]:
    return tuple(float(c) for c in declared.cuts.get(name, ()))


def _of(name: str, kind: Callable[..., T], *values: object) -> T:
    try:
        return kind(*values)
    except UsageError as error:
        raise UsageError(f"column {name}: {error}") from None
