"""From what a person says of columns to their domains. Nothing is ever filled in from the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from piiscan.dp import registry
from piiscan.dp.domains import Categories, Domain, Keys, Number, Unbounded
from piiscan.errors import UsageError

T = TypeVar("T")


class Declared(NamedTuple):
    """What is publicly known of columns, by their names. `cuts`: where bins end between the bounds. `entities`: a word of the vocabulary, whose
    bounds the registry knows. `estimated`: bounds to be found with noise. `found`: categories to be found under δ."""

    bounds: Mapping[str, tuple[float, float]] = {}
    cuts: Mapping[str, Sequence[float]] = {}
    categories: Mapping[str, Sequence[str]] = {}
    entities: Mapping[str, str] = {}
    estimated: Sequence[str] = ()
    found: Sequence[str] = ()


def domains(declared: Declared, wanted: Sequence[str] = (), beside: Sequence[str] = ()) -> tuple[tuple[str, Domain], ...]:
    """The columns of a request in the order they are declared in: all, or those `wanted` and what groups need `beside` them. Raises `UsageError`."""
    found: list[tuple[str, Domain]] = []
    for name, (low, high) in declared.bounds.items():
        found.append((name, _of(name, Number, low, high, _cuts(declared, name))))
    for name, entity in declared.entities.items():
        known = registry.declared(name, entity)
        found.append((name, _of(name, Number, known.low, known.high, _cuts(declared, name), "registry")))
    found += [(name, Unbounded()) for name in declared.estimated]
    found += [(name, _of(name, Categories, tuple(words))) for name, words in declared.categories.items()]
    found += [(name, Keys()) for name in declared.found]
    names = [name for name, _ in found]
    for name in declared.cuts:
        if name not in {*declared.bounds, *declared.entities}:
            raise UsageError(f"column {name}: edges lie between declared bounds; add --bounds {name}=LOW:HIGH")
    for name in wanted:
        if name not in names:
            raise UsageError(undeclared(name))
    return tuple((name, domain) for name, domain in found if not wanted or name in wanted or name in beside)


def undeclared(name: str) -> str:
    """What to type for a column of which nothing is known."""
    return (
        f"column {name}: nothing public is known of its values, and nothing is read from the data. Type one of: --bounds {name}=LOW:HIGH (numbers), "
        f"--categories {name}=A,B,C, --entity {name}=AGE (what the registry knows), --estimate-bounds {name} (costs a part of epsilon), "
        f"--private-keys {name} (needs a delta)"
    )


def _cuts(declared: Declared, name: str) -> tuple[float, ...]:
    return tuple(float(c) for c in declared.cuts.get(name, ()))


def _of(name: str, kind: Callable[..., T], *values: object) -> T:
    try:
        return kind(*values)
    except UsageError as error:
        raise UsageError(f"column {name}: {error}") from None
