"""From a person's declarations about columns to their domains. Nothing is ever filled in from the data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from piiscan.core.errors import UsageError
from piiscan.dp import entity_bounds
from piiscan.dp.domains import BINS, Categories, Domain, Keys, Number, Unbounded

T = TypeVar("T")


class Declared(NamedTuple):
    """The public knowledge about columns, by name.

    `cuts`: where bins end between the bounds. `entities`: words of the vocabulary whose bounds the registry knows.
    `estimated`: columns whose bounds are estimated with noise. `found`: columns whose categories are found under δ.
    `decimals`: digits after the decimal point that numbers are written with. `private_bins`: columns of numbers whose
    bins are found with noise, for synthetic rows. `constraints`: between columns of numbers, as texts such as
    `discharged >= admitted`; synthetic rows satisfy them.
    """

    bounds: Mapping[str, tuple[float, float]] = {}
    cuts: Mapping[str, Sequence[float]] = {}
    categories: Mapping[str, Sequence[str]] = {}
    entities: Mapping[str, str] = {}
    estimated: Sequence[str] = ()
    found: Sequence[str] = ()
    decimals: Mapping[str, int] = {}
    private_bins: Sequence[str] = ()
    constraints: Sequence[str] = ()

    def of(self, used: Iterable[str]) -> Declared:
        """Return the declarations without decimals and private bins of columns declared for other releases.

        These are numbers and entities that aren't `used`; a column that is neither stays, and is refused later.
        """
        others = {*self.bounds, *self.entities} - set(used)
        decimals = {name: digits for name, digits in self.decimals.items() if name not in others}
        return self._replace(decimals=decimals, private_bins=[name for name in self.private_bins if name not in others])


def domains(
    declared: Declared, requested: Sequence[str] = (), grouped: Sequence[str] = ()
) -> tuple[tuple[str, Domain], ...]:
    """Return the columns of a request in the order of their declaration.

    These are all of them, or those `requested` and those that rows are `grouped` by. Raises `UsageError`.
    """
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
            raise UsageError(f"column {name}: edges need declared bounds; add --bounds {name}=LOW:HIGH")
    for name in requested:
        if name not in names:
            raise UsageError(undeclared(name))
    return tuple((name, domain) for name, domain in found if not requested or name in requested or name in grouped)


def even_cuts(low: float, high: float, power: float, place: str) -> list[float]:
    """Return bin ends at equal distances after raising them to `power`, or in their logarithms for power 0.

    Raises `UsageError`.
    """
    if not (0 <= power <= 1 and 0 <= low < high < math.inf and (low > 0 or power > 0)):
        raise UsageError(
            f"{place}: a power must be a number from 0 to 1, for bounds of 0 or more; power 0 is the logarithm, "
            "for bounds above 0"
        )
    a, b = (math.log(end) if power == 0 else end**power for end in (low, high))
    ends = (a + (b - a) * i / BINS for i in range(1, BINS))
    # Six digits: readable, and independent of how a machine rounds.
    cuts = [float(f"{math.exp(end) if power == 0 else end ** (1 / power):.6g}") for end in ends]
    return [cut for cut in dict.fromkeys(cuts) if low < cut < high]


def undeclared(name: str) -> str:
    """Return the message about a column without any declaration, with the options to type."""
    return (
        f"column {name}: its values are undeclared, and nothing is read from the data. Add one of: --bounds "
        f"{name}=LOW:HIGH (numbers), --categories {name}=A,B,C, --entity {name}=AGE (bounds that the registry "
        f"knows), --estimate-bounds {name} (costs a part of epsilon), --private-keys {name} (needs a delta)"
    )


def _cuts(declared: Declared, name: str) -> tuple[float, ...]:
    return tuple(float(c) for c in declared.cuts.get(name, ()))


def _of(name: str, kind: Callable[..., T], *values: object) -> T:
    try:
        return kind(*values)
    except UsageError as error:
        raise UsageError(f"column {name}: {error}") from None
