"""Noise, drawn only by OpenDP: exact samplers over integers, with proofs of what they cost.

This is the only module that imports it. Each function compares the cost that OpenDP reports with the share it was
given, and refuses to draw above it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

from piiscan.core.errors import MissingExtra, UsageError
from piiscan.dp.accounting import SLACK

if TYPE_CHECKING:
    from opendp.mod import Measurement

Mechanism = Literal["laplace", "gaussian"]
INSTALL: Final = "differential privacy needs an optional package: pip install 'piiscan-toolkit[dp]'"
_LARGEST: Final = 1 << 62
_NORMAL_95: Final = 1.959963984540054


class Share(NamedTuple):
    """What one query may cost: `amount` is an ε for Laplace noise, a ρ (zero-concentrated) for Gaussian noise."""

    mechanism: Mechanism
    amount: float


class Noisy(NamedTuple):
    """Integers with noise, and its scale: that of a discrete Laplace distribution, or the σ of a discrete Gaussian."""

    values: tuple[int, ...]
    scale: float


class Adder(Protocol):
    """Adds noise to the integers that `exact` returns. `added` is one; sites that sum together have another."""

    def __call__(self, exact: Callable[[], Sequence[int]], sensitivity: int, share: Share, /) -> Noisy: ...


def require() -> None:
    """Raise `MissingExtra` if OpenDP isn't installed: there is no other source of noise."""
    try:
        import opendp.measurements  # noqa: F401
    except ImportError:
        raise MissingExtra(INSTALL) from None
    from opendp.mod import enable_features

    enable_features("contrib")


def scale_of(share: Share, sensitivity: int) -> float:
    """Return the noise scale for integers that one unit moves by `sensitivity` in total.

    The norm is L1 for Laplace noise, and L2 for Gaussian noise.
    """
    if share.mechanism == "laplace":
        return sensitivity / share.amount
    return sensitivity / math.sqrt(2 * share.amount)


def accuracy(mechanism: Mechanism, scale: float, alpha: float = 0.05) -> int:
    """Return a bound that the noise stays within with probability at least 1 − alpha."""
    if mechanism == "laplace":
        return math.ceil(scale * math.log(2 / (alpha * (1 + math.exp(-1 / scale)))))
    z = _NORMAL_95 if alpha == 0.05 else _normal(1 - alpha / 2)
    return math.ceil(z * scale + 0.5)


def added_to(exact: Callable[[], Sequence[int]], sensitivity: int, share: Share) -> Noisy:
    """Call `added` with the integers that `exact` returns."""
    return added(exact(), sensitivity, share)


def gaussian(count: int, scale: float) -> tuple[int, ...]:
    """Draw `count` integers from the discrete Gaussian distribution of parameter `scale` around 0.

    Nothing is charged or checked: it is for noise of which a share is drawn at each of several places.
    """
    import opendp.measurements as m
    import opendp.metrics as metrics

    if not count:
        return ()
    made = m.make_gaussian(_integers(), metrics.l2_distance(T="i64"), scale)
    return tuple(int(v) for v in made([0] * count))


def added(values: Sequence[int], sensitivity: int, share: Share) -> Noisy:
    """Add noise to each integer.

    Guarantee:
        Assumes: one unit moves the values by `sensitivity` in all: in the L1 norm for Laplace noise, in the L2 norm
        (never above it) for Gaussian noise.
        Ensures: the result costs `share`, as OpenDP proves of its discrete Laplace and Gaussian mechanisms (Canonne,
        Kamath and Steinke 2020). Values are integers, so floating-point rounding can't reveal the noise.
        Does not protect against: other releases about the same people.
        Test: test_dp_noise.py::test_noise_has_its_distribution
    """
    import opendp.measurements as m
    import opendp.metrics as metrics

    numbers = _fitting(values)
    if not numbers:
        return Noisy((), scale_of(share, sensitivity))
    scale = scale_of(share, sensitivity)
    if share.mechanism == "laplace":
        made = m.make_laplace(_integers(), metrics.l1_distance(T="i64"), scale)
    else:
        made = m.make_gaussian(_integers(), metrics.l2_distance(T="i64"), scale)
    _checked(made.map(sensitivity), share)
    return Noisy(tuple(int(v) for v in made(numbers)), scale)


def selection_scale(share: Share, sensitivity: int) -> float:
    """Return the scale of the noise on scores of which `selected` picks the highest."""
    if share.mechanism == "laplace":
        return 2 * sensitivity / share.amount
    return 2 * sensitivity / math.sqrt(8 * share.amount)


def selected(scores: Sequence[int], sensitivity: int, share: Share) -> int:
    """Return the index of the score that is highest with noise.

    Guarantee:
        Assumes: one unit moves each score by `sensitivity` at most.
        Ensures: the result costs `share`; the chosen score is within scale · ln(n / α) of the highest with probability
        1 − α (McSherry and Talwar 2007; McKenna and Sheldon 2020).
        Does not protect against: other releases about the same people.
        Test: test_dp_noise.py::test_selection_keeps_its_bound
    """
    import opendp.measurements as m
    import opendp.measures as measures
    import opendp.metrics as metrics

    measure = measures.max_divergence() if share.mechanism == "laplace" else measures.zero_concentrated_divergence()
    made = m.make_noisy_max(_integers(), metrics.linf_distance(T="i64"), measure, selection_scale(share, sensitivity))
    _checked(made.map(sensitivity), share)
    return int(made(_fitting(scores)))


def floor(per_unit: int, share: Share, delta: float) -> int:
    """The amount that `kept` subtracts from every count, and adds again.

    It is a tenth of the threshold, and at least what one unit can add.

    Most keys of a column in which nearly every cell is different are removed before noise is drawn for them.
    """
    return max(per_unit, _least(per_unit, share, delta) // 10)


def threshold(per_unit: int, share: Share, delta: float) -> int:
    """The smallest noisy count at which `kept` publishes a key."""
    return _least(per_unit, share, delta) + floor(per_unit, share, delta)


def kept(counts: Mapping[str, int], per_unit: int, share: Share, delta: float) -> dict[str, int]:
    """Return the keys whose noisy count reaches a threshold, with these counts, sorted by key.

    Guarantee:
        Assumes: one unit adds `per_unit` at most to all counts together, and every count is positive.
        Ensures: the result costs `share` and `delta` (Rogers 2023, as OpenDP proves): the existence of a key is as
        private as its count. Subtracting `floor`, down to 0, doesn't increase the distance between tables. A key that
        only one unit has is never published.
        Does not protect against: keys that reveal something about a group rather than one person.
        Test: test_dp_noise.py::test_a_key_of_one_unit_stays_unknown
    """
    off = floor(per_unit, share, delta)
    made = _threshold(per_unit, share, _least(per_unit, share, delta))
    cost, chance = made.map((per_unit,) * 3)
    _checked(cost, share)
    if chance > delta * (1 + SLACK):
        raise RuntimeError("a threshold costs more than its share")
    above = {key: n - off for key, n in counts.items() if n > off}
    return {key: int(n) + off for key, n in sorted(made(above).items())} if above else {}


def _least(per_unit: int, share: Share, delta: float) -> int:
    """The smallest threshold for noisy counts that costs at most `delta`."""
    low, high = per_unit, 2 * per_unit  # OpenDP accepts none below what one unit adds
    while _threshold(per_unit, share, high).map((per_unit,) * 3)[1] > delta:
        low, high = high, high * 2
        if high > _LARGEST:
            raise UsageError("delta is too small for keys to be found; choose a larger one")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if _threshold(per_unit, share, middle).map((per_unit,) * 3)[1] <= delta else (middle, high)
        )
    return high


def _threshold(per_unit: int, share: Share, at: int) -> Measurement:
    import opendp.domains as domains
    import opendp.measurements as m
    import opendp.metrics as metrics

    counts = domains.map_domain(domains.atom_domain(T="String"), domains.atom_domain(T="i64"))
    each = metrics.absolute_distance(T="i64")
    scale = scale_of(share, per_unit)
    if share.mechanism == "laplace":
        return m.make_laplace_threshold(counts, metrics.l01inf_distance(each), scale, at)
    return m.make_gaussian_threshold(counts, metrics.l02inf_distance(each), scale, at)


def _integers() -> Any:
    import opendp.domains as domains

    return domains.vector_domain(domains.atom_domain(T="i64"))


def _fitting(values: Sequence[int]) -> list[int]:
    numbers = [int(v) for v in values]
    if any(abs(v) > _LARGEST for v in numbers):
        raise UsageError("the table has more rows than noise can be drawn for")
    return numbers


def _checked(cost: float, share: Share) -> None:
    if not cost <= share.amount * (1 + SLACK):
        raise RuntimeError("noise costs more than its share")


def _normal(p: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)
