"""Runs a computation up to the next sum that isn't known yet; the coordinator and all sites do so in lockstep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from piiscan.dp import noise
from piiscan.dp.noise import Noisy, Share
from piiscan.dp.result import Json
from piiscan.dp.run.joint import Joint
from piiscan.federated import noise_shares
from piiscan.federated.federation import Federation

NOTES: Final = (
    (
        "Each site added a share of the noise. Epsilon and delta hold against anybody who sees what is sent, and knows "
        "all rows and all noise but those of `honest` sites."
    ),
    (
        "Each site charged its own ledger. A person who has rows at several sites is protected by the sum of what "
        "these charged."
    ),
)


class Sum(NamedTuple):
    """The noisy sum of a round, and how many sites it is of."""

    values: tuple[int, ...]
    sites: int


class Part(NamedTuple):
    """Integers of one site that are asked for, and what one unit may cost when they are summed."""

    exact: Callable[[], Sequence[int]]
    sensitivity: int
    share: Share


class _Wanted(Exception):
    """The computation asks for a sum that isn't known yet."""

    def __init__(self, part: Part) -> None:
        self.part = part


def step(joint: Joint, exact: Any, sums: Sequence[Sum], federation: Federation) -> tuple[Part, ...] | Json:
    """Return the parts of the next vector, or the release if all sums are known.

    `exact`: what a site computes its integers from; of no rows where there are none. Raises `UsageError` if a sum
    doesn't have the length that the computation needs.
    """
    parts: tuple[Part, ...] = ()
    if not joint.adaptive:
        parts = _all_parts(joint, exact)
        if not sums:
            return parts
        sums = _split(sums, [len(part.exact()) for part in parts])
    left = list(sums)

    def added(thunk: Callable[[], Sequence[int]], sensitivity: int, share: Share) -> Noisy:
        if not left:
            raise _Wanted(Part(thunk, sensitivity, share))
        known = left.pop(0)
        each = noise_shares.scale(share.amount, federation.honest, sensitivity, len(known.values))
        return Noisy(known.values, noise_shares.total_scale(each, known.sites))

    try:
        released = joint.released(exact, added)
    except _Wanted as wanted:
        return (wanted.part,)
    except (ValueError, IndexError):
        raise _wrong_length() from None
    if left:
        raise _wrong_length()
    return _with_sites(released, federation, sums[-1].sites)


def with_noise(parts: Sequence[Part], honest: int) -> list[int]:
    """Return a site's integers with its share of the noise, which is drawn anew at each call."""
    made: list[int] = []
    for part in parts:
        values = [int(n) for n in part.exact()]
        scale = noise_shares.scale(part.share.amount, honest, part.sensitivity, len(values))
        made += [a + b for a, b in zip(values, noise.gaussian(len(values), scale), strict=True)]
    return made


def _with_sites(released: Json, federation: Federation, sites: int) -> Json:
    """Return a release that says over how many sites it is, and what its cost stands on."""
    told = {
        "name": federation.name,
        "sites": sites,
        "colluding": federation.colluding,
        "honest": federation.honest,
    }
    return released | {"federation": told, "notes": [*released["notes"], *NOTES]}


def _all_parts(joint: Joint, exact: Any) -> tuple[Part, ...]:
    """Return every part of a computation whose questions don't depend on answers."""
    found: list[Part] = []

    def added(thunk: Callable[[], Sequence[int]], sensitivity: int, share: Share) -> Noisy:
        found.append(Part(thunk, sensitivity, share))
        return Noisy((0,) * len(thunk()), 1.0)

    joint.released(exact, added)
    return tuple(found)


def _split(sums: Sequence[Sum], sizes: Sequence[int]) -> list[Sum]:
    if len(sums) != 1 or len(sums[0].values) != sum(sizes):
        raise _wrong_length()
    made, at = [], 0
    for size in sizes:
        made.append(Sum(sums[0].values[at : at + size], sums[0].sites))
        at += size
    return made


def _wrong_length() -> Exception:
    from piiscan.core.errors import UsageError

    return UsageError("a sum has another length than this job needs; the coordinator runs another job or version")
